"""prepared: names, Specs and paths become tokenizers; nothing here fetches."""

import json
import shutil
from pathlib import Path

import pytest

from palimpsest import messages
from palimpsest.config import Config, TokenizerSettings
from palimpsest.errors import InputError, NotFound, NotPrepared, SpecError, TemplateError
from palimpsest.tokens.estimate import Estimate
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.tokens.prepared import load, local, resolve
from tests.support.small_tokenizers import CHATML, vocabulary
from tests.support.toy_entry import Toy

HI = messages.messages([{"role": "user", "content": "hi"}])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "my-model"
    place.mkdir()
    (place / "tokenizer.json").write_text(vocabulary().to_str())
    (place / "chat_template.jinja").write_text("{{ bos_token }}" + CHATML.lstrip())
    (place / "tokenizer_config.json").write_text(
        json.dumps({"bos_token": {"content": "<s>"}, "eos_token": "<|im_end|>"})
    )
    return place


def test_the_default_name_resolves_to_the_prepared_tokenizer(gemma: LocalTokenizer) -> None:
    """The settings' default is the exact tokenizer."""
    found = resolve(Config().tokenizer.name, Config())
    assert gemma.frame == found.frame
    assert found.count_request(HI, ()) == gemma.count_request(HI, ())


def test_a_template_whose_special_token_nobody_names_is_refused(folder: Path) -> None:
    """A begin token that is silently empty would make every count one short."""
    config = folder / "tokenizer_config.json"
    for said in (None, "{}", '{"bos_token": 5}', '{"bos_token": []}'):
        config.unlink(missing_ok=True)
        if said is not None:
            config.write_text(said)
        (folder / "chat_template.jinja").write_text("{{ bos_token }}" + CHATML)
        with pytest.raises(TemplateError, match="writes bos_token, and no tokenizer_config.json"):
            resolve(str(folder), Config())
    config.write_text('{"bos_token": null}')
    assert resolve(str(folder), Config()).render(HI).startswith("<|im_start|>")


def test_a_blank_name_is_no_tokenizer() -> None:
    """An empty setting is not the current folder."""
    with pytest.raises(InputError, match="names nothing"):
        resolve("", Config())


def test_a_frame_of_this_package_replaces_the_models_template(
    gemma: LocalTokenizer, tool_text: LocalTokenizer
) -> None:
    """The vocabulary stays, tools can be written, and the name says which frame counts."""
    assert "gemma-4-e2b(frame='tool-text')" == tool_text.frame.name
    assert gemma.frame.fingerprint != tool_text.frame.fingerprint
    assert gemma.count_text("Porto") == tool_text.count_text("Porto")
    call = {"id": "c", "type": "function", "function": {"name": "stock", "arguments": '{"n":"é"}'}}
    said = messages.messages([
        {"role": "user", "content": " Combien ? "},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "9"},
    ])  # fmt: skip
    assert (
        '<bos><|turn>user\nCombien ?\n<turn|>\n<|turn>model\nstock {"n": "é"}\n<turn|>\n'
        "<|turn>tool\n9\n<turn|>\n<|turn>model\n"
    ) == tool_text.render(said)
    with pytest.raises(TemplateError, match="text-only frame"):
        gemma.count_request(said, ())


def test_an_unknown_frame_lists_the_known_ones(gemma: LocalTokenizer) -> None:
    """A frame is one of this package; a template of one's own goes with local(...)."""
    with pytest.raises(NotFound, match="no frame is named 'tools'; known: tool-text"):
        resolve("gemma-4-e2b(frame='tools')", Config())


def test_a_folder_resolves_with_its_template_and_tokens(folder: Path) -> None:
    """bos_token comes from tokenizer_config.json, in either of its shapes."""
    for path in (folder, folder / "tokenizer.json"):
        found = resolve(str(path), Config())
        assert isinstance(found, LocalTokenizer)
        assert ("my-model", False) == (found.frame.name, found.frame.proven)
        assert found.render(HI).startswith("<s><|im_start|>")


def test_a_spec_of_a_path_resolves(folder: Path, tmp_path: Path) -> None:
    """local(path=..., template=...) names another template."""
    other = tmp_path / "other.jinja"
    other.write_text("{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}")
    found = resolve(f"local(path={str(folder)!r}, template={str(other)!r})", Config())
    assert isinstance(found, LocalTokenizer)
    assert "<|im_start|>hi" == found.render(HI)


@pytest.mark.parametrize(
    "template",
    ["{{ messages[0].content }}", [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "{{ messages[0].content }}"}]],
    ids=["text", "named"],
)  # fmt: skip
def test_a_template_inside_the_config_is_found(folder: Path, template: object) -> None:
    """Older repositories keep the template in tokenizer_config.json, one or several by name."""
    (folder / "chat_template.jinja").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    assert "hi" == local(str(folder)).render(HI)


def test_several_templates_without_a_default_are_refused(folder: Path) -> None:
    """Which one would be meant is not guessed."""
    (folder / "chat_template.jinja").unlink()
    named = [{"name": "a", "template": "x"}, {"name": "b", "template": "y"}]
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": named}))
    with pytest.raises(InputError, match=r"names \['a', 'b'\] and no 'default'"):
        local(str(folder))


def test_a_vocabulary_without_a_template_is_refused(folder: Path) -> None:
    """No frame of our own is put around a foreign model's messages."""
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(TemplateError, match="no chat template lies beside it.*template="):
        local(str(folder))


def test_a_gguf_file_resolves(toy_files: Toy) -> None:
    """Vocabulary, merges and template are read from the file's metadata."""
    found = resolve(str(toy_files.wheels / "toy.gguf"), Config())
    assert len(vocabulary().encode("the other é")) == found.count_text("the other é")
    assert found.count_request(HI, ()) > 0


def test_what_is_no_tokenizer_is_an_input_error(folder: Path) -> None:
    """A file that cannot be read says which and why."""
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(
        InputError, match="tokenizer.json: is not a tokenizer.json|my-model: is not"
    ):
        local(str(folder))
    (folder / "tokenizer_config.json").write_text("{")
    with pytest.raises(InputError, match="tokenizer_config.json: is not JSON"):
        local(str(folder))
    with pytest.raises(NotPrepared, match="nowhere.json: the tokenizer cannot be read"):
        resolve("nowhere.json", Config())


def test_media_tokens_come_from_the_settings_unless_the_spec_says_otherwise() -> None:
    """Precedence: the Spec, then the settings file."""
    config = Config(tokenizer=TokenizerSettings(media_tokens=85))
    assert Estimate(media_tokens=85) == resolve("estimate", config)
    assert Estimate(media_tokens=7) == resolve("estimate(media_tokens=7)", config)
    assert Estimate() == resolve("estimate", Config())


def test_an_unknown_name_lists_the_registered_ones() -> None:
    """The error of a misspelt Spec names what exists."""
    with pytest.raises(
        SpecError,
        match="no tokenizer is named 'gemma-9'.*estimate, gemma-4-e2b, local, smollm2-135m",
    ):
        resolve("gemma-9", Config())


def test_an_unprepared_name_is_not_fetched(empty_cache: Path) -> None:
    """Resolving reads files only."""
    with pytest.raises(NotPrepared, match="`palimpsest tokenizer prepare gemma-4-e2b`"):
        resolve("gemma-4-e2b", Config())
    assert not empty_cache.exists()


def test_equal_bytes_are_read_once(gemma: LocalTokenizer, folder: Path, tmp_path: Path) -> None:
    """Under another name and with another frame; other bytes are another encoder."""
    again = load(gemma.name, frame="tool-text")
    assert again.encoder is load(gemma.name).encoder
    copied = shutil.copytree(folder, tmp_path / "copied")
    first, second = (resolve(str(place), Config()) for place in (folder, copied))
    assert isinstance(first, LocalTokenizer)
    assert isinstance(second, LocalTokenizer)
    assert first.encoder is second.encoder
    assert first.encoder is not again.encoder
