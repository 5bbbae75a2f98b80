"""traits: probes tell what a template can do, and which one counts additively."""

import pytest

from palimpsest.tokens.local import LocalTokenizer
from palimpsest.tokens.traits import probe
from tests.support.small_tokenizers import CHATML, FOLDING, STRICT, small

PLAIN = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
    "{% endfor %}{{ '<|im_start|>assistant\n' if add_generation_prompt }}"
)


def test_chatml_is_additive_and_takes_anything(chatml: LocalTokenizer) -> None:
    """A default system message and merged tool results do not break additivity."""
    frame = chatml.frame
    assert (True, True, False) == (frame.additive, frame.system_role, frame.alternates)
    assert frame.proven is False


def test_the_pinned_gemma_frame_is_proven(gemma: LocalTokenizer) -> None:
    """The frame whose equality a property test holds says so."""
    frame = gemma.frame
    assert probe(gemma, proven=False).additive, "the probes agree with the proof"
    assert (True, True, True, False) == (
        frame.additive, frame.proven, frame.system_role, frame.alternates,
    )  # fmt: skip


def test_a_strict_template_alternates_without_a_system_role() -> None:
    """What a template refuses, its frame says."""
    frame = small(STRICT).frame
    assert (False, False, True) == (frame.additive, frame.system_role, frame.alternates)


def test_a_folding_template_is_not_additive() -> None:
    """A system text inside the first user turn is accepted and does not add up."""
    frame = small(FOLDING).frame
    assert (False, True, True) == (frame.additive, frame.system_role, frame.alternates)


def test_a_dropped_system_text_is_no_system_role() -> None:
    """A template that ignores the system message does not have the role."""
    frame = small(PLAIN.replace("%}<|im_start|>", "if m.role != 'system' %}<|im_start|>", 1)).frame
    assert frame.system_role is False


@pytest.mark.parametrize(
    ("what", "template"),
    [
        ("counts its messages", PLAIN.replace("{{ m.role }}", "{{ m.role }}{{ loop.index }}")),
        ("says how many follow", PLAIN.replace("{{ m.role }}", "{{ m.role }}{{ loop.revindex }}")),
        ("treats the last message otherwise", PLAIN.replace("{{ m.content }}", "{{ m.content | trim if loop.last else m.content }}")),
        ("joins texts without a marker", "{% for m in messages %}{{ m.content }}{% endfor %}"),
        ("merges neighbours", PLAIN.replace("<|im_start|>{{ m.role }}\n", "{{ '<|im_start|>' ~ m.role ~ '\n' if loop.first or messages[loop.index0 - 1].role != m.role }}")),
        ("cuts old thoughts", PLAIN.replace("{{ m.content }}", "{{ m.content.split('</think>')[-1] if not loop.last and m.role == 'assistant' else m.content }}")),
        ("puts the system text last", PLAIN.replace("{{ bos_token }}", "").replace("{% endfor %}", "{% endfor %}{{ messages[0].content if messages[0].role == 'system' }}")),
    ],
    ids=lambda value: value if " " in value and "{" not in value else "",
)  # fmt: skip
def test_a_template_that_does_not_add_up_is_found_out(what: str, template: str) -> None:
    """State that looks around, and units without a control token in front, are not additive."""
    assert small(PLAIN).frame.additive is True
    assert small(template).frame.additive is False, what


def test_markers_are_the_control_tokens_without_placeholders(gemma: LocalTokenizer) -> None:
    """A text could imitate these; unused placeholders are not worth looking for."""
    markers = gemma.frame.markers
    assert {"<bos>", "<eos>", "<|turn>", "<turn|>", "<|tool_call>", "<|channel>"} <= set(markers)
    assert not [marker for marker in markers if "unused" in marker]
    assert set(small(CHATML).frame.markers) == {
        "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>", "<s>",
    }  # fmt: skip
