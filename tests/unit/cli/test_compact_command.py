"""palimpsest compact: shows what was kept and lost, and names what is wrong with its input."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest import cli, compact
from palimpsest.bench import compaction_suite
from palimpsest.config import load
from palimpsest.protocols import Tokenizer
from tests.support.tokenizers import word_folder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    words = str(word_folder(tmp_path / "words"))

    def run(*arguments: object, exact: bool = False) -> tuple[int, str, str]:
        extra = [] if exact else ["--tokenizer", words]
        status = cli.run(["compact", *map(str, arguments), *extra])
        out = capsys.readouterr()
        return status, out.out, out.err

    return run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = []
    for part in ("request", "probes"):
        made.append(tmp_path / f"{part}.json")
        made[-1].write_text(compaction_suite.stored(part), encoding="utf-8")
    return made[0], made[1]


def test_without_a_request_the_built_in_suite_is_shown(call: Run, gemma: Tokenizer) -> None:
    """Both extractors and the baseline side by side, with the published totals."""
    status, out, err = call(exact=True)
    assert (0, "") == (status, err)
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert ["5", "8", "1"] == rows["preserved"]
    assert ["3", "0", "7"] == rows["lost"]
    assert ["1", "0", "0"] == rows["stale"]
    assert ["0", "1", "1"] == rows["absent"]
    assert "[turn 2, user, 0 to 32] For the pilot we will use MySQL." in out


def test_a_request_of_ones_own_with_probes(call: Run, files: tuple[Path, Path]) -> None:
    """The result as JSON has the published keys at the top, and the other extractor beside."""
    request, probes = files
    status, out, _ = call(request, "--probes", probes, "--json", "-", exact=True)
    data = json.loads(out)
    assert (0, 1, str(request)) == (status, data["schema"], data["request"])
    assert {"cues", "statements", "drop-oldest"} == {
        data["compacted"]["extractor"], data["drop_oldest"]["extractor"], *data["beside"],
    }  # fmt: skip
    assert {"preserved": 5, "lost": 3, "stale": 1} == data["compacted"]["probe_totals"]
    published = {"messages", "input_tokens", "input_budget", "remaining_tokens", "kept_turns",
                 "removed_turns", "notes", "dropped_notes", "probes", "probe_totals"}  # fmt: skip
    assert published <= set(data["compacted"]) & set(data["drop_oldest"])


def test_without_probes_only_sizes_and_notes_are_shown(call: Run, files: tuple[Path, Path]) -> None:
    """No fact is asked for, so none is judged."""
    _, out, _ = call(files[0], "--extractor", "statements(languages='en')")
    assert "statements(languages='en')" in out
    assert "shared prefix" in out
    assert "preserved" not in out
    assert "cues" not in out


def test_a_request_is_read_from_standard_input(
    call: Run, monkeypatch: pytest.MonkeyPatch, files: tuple[Path, Path]
) -> None:
    """A dash names it."""
    stdin = io.TextIOWrapper(io.BytesIO(files[0].read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    status, out, _ = call("-")
    assert 0 == status
    assert "8 turns, budget 352 tokens" in out


def test_what_the_request_names_beats_a_settings_file(
    call: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    """Field by field; what it leaves out, step and extractor come from the file."""
    toml = tmp_path / "s.toml"
    toml.write_text(
        "[budget]\nwindow = 300\nanswer = 100\n[notes]\nreserve = 9\nstep = 3\n"
        'extractor = "statements"\n'
    )
    data = json.loads(files[0].read_text())
    _, out, _ = call(files[0], "--config", toml)
    assert "budget 352 tokens (512 - 128 - 32), 160 kept for notes, cut in blocks of 3" in out
    bare = {key: data[key] for key in ("instructions", "current", "history", "margin")}
    files[0].write_text(json.dumps(bare))
    _, out, _ = call(files[0], "--config", toml)
    assert "budget 168 tokens (300 - 100 - 32), 9 kept for notes, cut in blocks of 3 turns" in out
    assert "statements" in out
    assert "cues" in call(files[0], "--config", toml, "--extractor", "cues")[1]


def test_a_settings_file_beats_the_built_in_suite(call: Run, tmp_path: Path) -> None:
    """As it beats every suite: its budget and reserve are not a request of one's own."""
    toml = tmp_path / "s.toml"
    toml.write_text("[budget]\nwindow = 400\nanswer = 100\n[notes]\nreserve = 9\n")
    _, out, _ = call("--config", toml)
    assert "budget 300 tokens (400 - 100 - 0), 9 kept for notes" in out


@pytest.mark.parametrize("named", [{"context_limit": 2000}, {"notes_reserve": 9000}], ids=str)
def test_the_command_and_the_function_have_one_budget(
    call: Run, tmp_path: Path, named: dict[str, int]
) -> None:
    """One request and one settings file mean one budget, in the shell and in Python."""
    toml, file = tmp_path / "s.toml", tmp_path / "r.json"
    toml.write_text("[budget]\nwindow = 100000\nanswer = 1000\nmargin = 10\n")
    data = {"instructions": "a", "current": "b", **named}
    file.write_text(json.dumps(data))
    _, out, _ = call(file, "--config", toml, "--json", "-")
    made = compact(data, tokenizer=str(tmp_path / "words"), config=load(toml))
    expected = named.get("context_limit", 100_000) - 1010
    assert expected == json.loads(out)["compacted"]["input_budget"] == made.input_budget


def test_a_result_goes_to_a_file(call: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    """The table is shown, and where the result went."""
    target = tmp_path / "out.json"
    _, out, _ = call(files[0], "--json", target)
    assert out.rstrip().endswith(f"result: {target}")
    assert 352 == json.loads(target.read_text())["compacted"]["input_budget"]


def test_a_paraphrase_is_shown_for_review(call: Run, tmp_path: Path) -> None:
    """Marked, beside the counts, with the sentence that was accepted; hidden marks are shown."""
    request = {"instructions": "a", "current": "b", "context_limit": 100, "max_new_tokens": 9,
               "margin": 0, "notes_reserve": 50, "history": [
                   {"user": "A history of 400 days must be kept\u200b.", "assistant": "Ok."},
                   {"user": "word " * 90, "assistant": "Ok."}]}  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps(request))
    probes = [{"id": "days", "kind": "detail", "fact": "keep 400 days of history"}]
    (tmp_path / "p.json").write_text(json.dumps(probes))
    _, out, _ = call(tmp_path / "r.json", "--probes", tmp_path / "p.json")
    assert "review: cues says days in other words (preserved, not counted above)" in out
    assert "days (no turn says it), detail" in out
    assert "kept\\u200b." in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not valid JSON at line 1, column 2"),
        ("[]", "is not an object; a request holds instructions"),
        ('{"instructions": "a"}', "request.json.current: is missing"),
        ('{"instructions": "a", "current": "b", "top": 1}', "request.json: unknown 'top'"),
        ('{"instructions": "a", "current": "b", "margin": true}', "margin: True (bool) is not"),
        ("[" * 100_000, "is nested too deeply for a request"),
        ('{"current": "a", "current": "b"}', "request.json: the key 'current' stands twice"),
    ],
    ids=["json", "list", "missing", "unknown", "bool", "deep", "twice"],
)
def test_bad_requests_are_2_with_the_path(
    call: Run, files: tuple[Path, Path], text: str, said: str
) -> None:
    """One line on standard error, nothing on standard output."""
    files[0].write_text(text)
    status, out, err = call(files[0])
    assert (2, "", 1) == (status, out, len(err.splitlines()))
    assert said in err


def test_bad_arguments_are_2(call: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    """Files that are not there, probes without their request, unknown extractors, no room."""
    faults: list[tuple[tuple[Any, ...], str]] = [
        ((tmp_path / "none.json",), "none.json: cannot be read"),
        ((tmp_path,), "is a directory; give the path of a request"),
        (("--probes", files[1]), "--probes: is for a request of your own"),
        ((files[0], "--probes", files[0]), "request.json: {"),
        ((files[0], "--extractor", "summary"), "no note extractor is named 'summary'"),
        ((files[0], "--config", tmp_path / "x.toml"), "x.toml: cannot be read"),
    ]
    for arguments, said in faults:
        status, out, err = call(*arguments)
        assert (2, "") == (status, out)
        assert said in err
    data = {**json.loads(files[0].read_text()), "current": "word " * 900}
    files[0].write_text(json.dumps(data))
    status, _, err = call(files[0])
    assert 2 == status
    assert "the required part of the request takes" in err
