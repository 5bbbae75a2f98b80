"""template: the hub's rendering convention, in a sandbox, without a clock."""

import pytest

from palimpsest.errors import TemplateError
from palimpsest.tokens.template import ChatTemplate

HELLO = ({"role": "user", "content": "hello"},)


def render(source: str, messages=HELLO, **kwargs) -> str:
    template = ChatTemplate(name="demo", source=source, variables={"bos_token": "<s>"})
    return template.render(messages, generation=kwargs.pop("generation", False), **kwargs)


def test_blocks_leave_no_blanks_behind() -> None:
    """Block tags eat their line: trim_blocks and lstrip_blocks are on."""
    source = (
        "{% for m in messages %}\n    {% if true %}\n{{ m.content }}\n    {% endif %}\n{% endfor %}"
    )
    assert render(source) == "hello\n"


def test_loop_controls_work() -> None:
    """``break`` and ``continue`` are part of the convention."""
    source = "{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}"
    assert render(source) == "1"


def test_tojson_keeps_unicode_and_html() -> None:
    """``tojson`` writes text as it is, with the separators of json.dumps."""
    assert render("{{ messages[0] | tojson }}", [{"a": "é<&你"}]) == '{"a": "é<&你"}'
    assert render("{{ messages[0] | tojson(indent=1) }}", [{"a": 1}]) == '{\n "a": 1\n}'


def test_variables_tools_and_prefix_reach_the_template() -> None:
    """A template sees its fixed variables, the tools and whether a prefix is wanted."""
    source = "{{ bos_token }}{{ tools | length if tools }}{{ '>' if add_generation_prompt }}"
    assert render(source, tools=[{"x": 1}], generation=True) == "<s>1>"


def test_no_tools_are_none() -> None:
    """Without tools a template gets None, as ``tools is not none`` expects."""
    assert render("{{ tools is none }}") == "True"


def test_generation_blocks_render_their_body() -> None:
    """The training mark around an answer changes nothing."""
    assert render("{% generation %}{{ messages[0].content }}{% endgeneration %}!") == "hello!"


def test_there_is_no_clock() -> None:
    """A template that asks for the date is told that there is none, or refused."""
    assert render("{{ strftime_now is defined }}") == "False"
    with pytest.raises(TemplateError, match="strftime_now"):
        render("{{ strftime_now('%Y') }}")


def test_what_a_template_refuses_names_tokenizer_message_and_next_step() -> None:
    """The first message that cannot be expressed is named, with its role and what to do."""
    source = "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}{% endfor %}"
    chat = [{"role": "user"}, {"role": "assistant"}, {"role": "tool"}, {"role": "user"}]
    with pytest.raises(TemplateError) as caught:
        render(source, chat)
    said = str(caught.value)
    assert said.startswith(
        "demo: the chat template cannot express messages[2] (tool): no tools here"
    )
    assert "palimpsest tokenizer list" in said


def test_refused_tools_are_named_as_tools() -> None:
    """When only the tools cannot be expressed, no message is blamed."""
    source = "{{ raise_exception('no') if tools }}"
    with pytest.raises(TemplateError, match="cannot express the tools 'look': no"):
        render(source, tools=[{"type": "function", "function": {"name": "look"}}])


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update({'role': 'system'}) }}",
        "{% for i in range(10 ** 9) %}{% endfor %}",
        "{{ 1 / 0 }}",
        "{{ messages[0].missing.deeper }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    ],
    ids=["internals", "append", "update", "endless", "division", "undefined", "recursion"],
)
def test_the_sandbox_turns_every_fault_into_a_template_error(source: str) -> None:
    """Foreign code can neither escape, nor change what it is given, nor crash the caller."""
    with pytest.raises(
        TemplateError, match=r"demo: the chat template cannot express messages\[0\]"
    ):
        render(source)


def test_bad_jinja_names_the_line() -> None:
    """A template that is not Jinja is refused when it is read."""
    with pytest.raises(TemplateError, match="demo: the chat template is not valid Jinja .line 2"):
        ChatTemplate(name="demo", source="ok\n{% if %}", variables={})


def test_rendering_twice_is_equal() -> None:
    """A template keeps no state between two renders."""
    template = ChatTemplate(name="demo", source="{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{% endfor %}", variables={})  # fmt: skip
    assert template.render(HELLO * 3, generation=True) == "123"
    assert template.render(HELLO * 3, generation=True) == "123"
