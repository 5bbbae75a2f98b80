"""From a file of conversations to suites: readers, labels, checkpoints, merging, the scan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.bench.label import conversations
from palimpsest.bench.label.merging import hashes_of, merged
from palimpsest.bench.label.session import Before, Wanted, checked, make, outputs_of, scan
from palimpsest.errors import InputError, SpecError
from palimpsest.language import json_texts
from tests.support.model_server import ModelServer, serve

SAID = (
    "My name is Lena Vogt.", "My passport number is P1234567.", "The budget is 150 euros a night.",
    "Make it 180 euros a night.", "Please forget my passport number.", "Write to lena@vogt.io.",
)  # fmt: skip
REAL = ("Lena", "Vogt", "P1234567", "lena@vogt.io")


def chat(said: Sequence[str], answer: str = "Noted.") -> list[dict[str, Any]]:
    return [
        {"role": role, "content": text}
        for words in said
        for role, text in (("user", words), ("assistant", answer))
    ]


def jsonl(place: Path, *talks: Sequence[str]) -> Path:
    lines = [json.dumps({"messages": chat(said)}) for said in talks]
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


def suite_of(place: Path, **more: Any) -> dict[str, Any]:
    (made,) = make(place, Wanted(**more)).made
    return made.data


def labels_of(data: dict[str, Any]) -> dict[int, Any]:
    return {turn["turn"]: turn["memory"] for turn in data["turns"] if "memory" in turn}


def test_statements_corrections_and_forgets_are_labelled(tmp_path: Path) -> None:
    """Each has its turn, its attribute and its value; a correction has that of what it corrects."""
    found = labels_of(suite_of(jsonl(tmp_path / "a.jsonl", SAID)))
    ops = [(turn, label["op"], label["attribute"]) for turn, label in found.items()]
    assert [
        (1, "remember", "name"), (2, "remember", "passport-number"), (3, "remember", "budget"),
        (4, "correct", "budget"), (5, "forget", "passport-number"),
    ] == ops[:5]  # fmt: skip
    assert "150 euros" == found[3]["value"]
    assert found[2]["value"] == found[5]["value"]


def test_checkpoints_stand_at_changes_and_at_the_end(tmp_path: Path) -> None:
    """What was replaced is stale there, what was forgotten is deleted, what holds is required."""
    points = suite_of(jsonl(tmp_path / "a.jsonl", SAID))["checkpoints"]
    assert [4, 5, 6] == [point["after"] for point in points]
    corrected, forgotten, end = points
    assert ["The budget is 150 euros a night."] == corrected["stale"]
    assert "Make it 180 euros a night." in corrected["required"]
    assert 1 == len(forgotten["deleted"])
    assert forgotten["deleted"] == end["deleted"]


def test_what_was_said_long_ago_gets_a_checkpoint(tmp_path: Path) -> None:
    """Ten turns later, when it may have left the window."""
    said = ("My name is Lena Vogt.", *["Tell me of the sea."] * 14)
    points = suite_of(jsonl(tmp_path / "a.jsonl", said))["checkpoints"]
    assert [11, 15] == [point["after"] for point in points]


def test_no_real_value_is_in_what_is_written(tmp_path: Path) -> None:
    """Neither in the turns, nor in labels, statements, notes or the name."""
    session = make(jsonl(tmp_path / "lena.jsonl", SAID), Wanted())
    (made,) = session.made
    written = json.dumps([made.data, made.sidecar])
    assert [] == [value for value in REAL if value in written]
    scan(session.mask, outputs_of(made, "a"))


def test_one_original_is_one_fiction_in_every_conversation_of_a_file(tmp_path: Path) -> None:
    """The cases of a file share its mask."""
    place = jsonl(tmp_path / "a.jsonl", SAID, ("My passport is p 123 4567.", "My name is Lena."))
    one, two = (json.dumps(made.data) for made in make(place, Wanted()).made)
    number = next(word for word in one.split() if word[1:8].isdigit())[:8]
    assert number[1:4] in two
    assert f"{number[1:4]} {number[4:]}" in two


def test_two_statements_of_a_turn_have_one_label_and_a_note(tmp_path: Path) -> None:
    """The one that changes later is labelled; the other is told to the person."""
    said = ("My name is Lena. I live in Porto.", "Actually, I live in Lisbon now.")
    (made,) = make(jsonl(tmp_path / "a.jsonl", said), Wanted()).made
    assert ["remember", "correct"] == [label["op"] for label in labels_of(made.data).values()]
    assert [1] == [turn for turn, note in made.notes if "one label" in note]


@pytest.mark.parametrize(
    ("said", "ops"),
    [
        (("Ich heiße Greta.", "Das Budget beträgt 150 Euro.", "Nein, das Budget beträgt 180 Euro."),
         ["remember", "remember", "correct"]),
        (("Je m'appelle Zoé.", "J'habite à Lyon.", "En fait, j'habite à Paris maintenant."),
         ["remember", "remember", "correct"]),
        (("Me llamo Lucía.", "Vivo en Sevilla.", "En realidad, ahora vivo en Madrid."),
         ["remember", "remember", "correct"]),
        (("Mi chiamo Chiara.", "Abito a Roma.", "Anzi, ora abito a Milano."),
         ["remember", "remember", "correct"]),
        (("Chamo-me Inês.", "Moro em Braga.", "Na verdade, agora moro em Lisboa."),
         ["remember", "remember", "correct"]),
    ],
)  # fmt: skip
def test_the_languages_that_the_rules_read_are_labelled(
    tmp_path: Path, said: Sequence[str], ops: Sequence[str]
) -> None:
    """Masked words change no grammar."""
    data = suite_of(jsonl(tmp_path / "a.jsonl", said))
    assert ops == [label["op"] for label in labels_of(data).values()]
    checked(data, "a")


def test_every_shape_of_a_file_gives_the_same_suite(tmp_path: Path) -> None:
    """Messages by conversation, by line, as one list; an export; and a suite without labels."""
    wanted = labels_of(suite_of(jsonl(tmp_path / "a.jsonl", SAID)))
    lines = tmp_path / "lines.jsonl"
    lines.write_text("\n".join(json.dumps(m) for m in chat(SAID)), encoding="utf-8")
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps(chat(SAID), indent=1), encoding="utf-8")
    several = tmp_path / "several.json"
    several.write_text(json.dumps([{"messages": chat(SAID)}]), encoding="utf-8")
    bare = tmp_path / "bare.json"
    turns = [{"turn": i, "user": text, "assistant": "Noted."} for i, text in enumerate(SAID, 1)]
    bare.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    exported = tmp_path / "export.jsonl"
    with Memory.open(tmp_path / "store.db", tokenizer="estimate") as memory:
        talk = memory.conversation(user="lena", id="talk")
        for text in SAID:
            talk.append(user=text, assistant="Noted.")
        memory.export(exported)
    for place in (lines, listed, several, bare, exported):
        assert wanted == labels_of(suite_of(place)), place.name


def test_a_log_of_another_program_is_read_as_it_stands(tmp_path: Path) -> None:
    """A ChatGPT export is a tree: the way that it stands at is labelled, its branches are not."""
    nodes: dict[str, Any] = {
        "root": {"id": "root", "parent": None, "children": [], "message": None}
    }
    last = "root"
    said = [(m["role"], m["content"]) for m in chat(SAID)]
    for number, (role, text) in enumerate([*said, ("assistant", "My passport is K7777777.")]):
        branch = number == len(said)
        id, parent = f"n{number}", "n0" if branch else last
        nodes[id] = {"id": id, "parent": parent, "children": [], "message": {
            "id": id, "author": {"role": role}, "create_time": 1700000000.0 + number,
            "content": {"content_type": "text", "parts": [text]}}}  # fmt: skip
        nodes[parent]["children"].append(id)
        last = last if branch else id
    export = [{"id": "c", "title": "Lena", "create_time": 1.7e9, "current_node": last,
               "mapping": nodes}]  # fmt: skip
    place = tmp_path / "conversations.json"
    place.write_text(json.dumps(export), encoding="utf-8")
    wanted = labels_of(suite_of(jsonl(tmp_path / "a.jsonl", SAID)))
    data = suite_of(place)
    assert wanted == labels_of(data)
    assert "7777777" not in json.dumps(data)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"), ("{", "is not valid JSON"), ('{"a": 1}', "is no conversation"),
        ('{"messages": [{"role": "user", "content": "hi"}]}\n{"messages": 3}', "a.jsonl:2"),
        ('{"messages": [{"role": "assistant", "content": "hi"}]}', "no conversation in it"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "no turn in it was answered"),
        ('{"turns": [{"turn": 1, "user": 3}]}', "turns"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_its_line(tmp_path: Path, text: str, told: str) -> None:
    """Nothing is guessed from half a file."""
    place = tmp_path / "a.jsonl"
    place.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        make(place, Wanted())


def test_calls_and_their_results_are_masked_too(tmp_path: Path) -> None:
    """A value in an argument, a result, a name or a part; a picture is left out."""
    call = {"id": "call_1234567", "type": "function",
            "function": {"name": "book", "arguments": '{"passport": "P1234567", "n": 41174417}'}}  # fmt: skip
    said = [
        {"role": "user", "name": "Lena", "content": [
            {"type": "text", "text": "My name is Lena Vogt, passport P1234567."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1234567", "content": '{"holder": "Lena Vogt"}'},
        {"role": "assistant", "content": "Booked for Lena under 41174417."},
    ]  # fmt: skip
    place = tmp_path / "a.json"
    place.write_text(json.dumps({"messages": said}), encoding="utf-8")
    session = make(place, Wanted())
    written = json.dumps(session.made[0].data)
    assert [] == [v for v in (*REAL, "41174417", "base64") if v in written]
    assert "call_1234567" in written
    assert "[media]" in written


def test_a_model_that_proposes_sees_no_real_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Masking comes first: what a server is asked holds fictions alone; no reading is told."""
    with serve(ModelServer(answers=["no JSON"])) as server:
        monkeypatch.setenv("PALIMPSEST_OPENAI_BASE_URL", f"{server.url}/v1")
        wanted = Wanted(extractor="llm(model='openai:toy')")
        (made,) = make(jsonl(tmp_path / "a.jsonl", SAID[:2]), wanted).made
    assert len(server.asked) >= 2
    assert [] == [value for value in REAL if value in json.dumps(server.asked)]
    assert "passport" in json.dumps(server.asked)
    assert all("could not be read" in note for _, note in made.notes)
    assert [] == made.data["checkpoints"]


def test_corrections_of_a_person_survive_a_second_run(tmp_path: Path) -> None:
    """A label, a fact, a checkpoint taken away and one that was added; the rest is renewed."""
    place = jsonl(tmp_path / "a.jsonl", SAID)
    (first,) = make(place, Wanted()).made
    before = first.sidecar["parts"]
    mine = json.loads(json.dumps(first.data))
    mine["turns"][2]["memory"]["attribute"] = "room-price"
    mine["turns"][3]["memory"]["attribute"] = "room-price"
    del mine["checkpoints"][1]
    mine["checkpoints"][1]["question"] = "What is the price?"
    mine["budget"]["window"] = 700
    (second,) = make(place, Wanted(), lambda at, of: Before(data=mine, parts=before)).made
    assert mine == second.data
    assert {"budget", "label 3", "label 4", "checkpoint 5", "checkpoint 6"} == set(second.kept)
    (third,) = make(place, Wanted(), lambda at, of: Before(data=mine, parts=before)).made
    assert second.data == third.data


def test_what_nobody_touched_follows_the_new_proposal(tmp_path: Path) -> None:
    """A longer file brings its turns, and keeps the correction of an older one."""
    (first,) = make(jsonl(tmp_path / "a.jsonl", SAID), Wanted()).made
    mine = json.loads(json.dumps(first.data))
    mine["turns"][0]["memory"]["attribute"] = "who"
    longer = jsonl(tmp_path / "a.jsonl", (*SAID, "I work at Acme."))
    before = Before(data=mine, parts=first.sidecar["parts"])
    (second,) = make(longer, Wanted(), lambda at, of: before).made
    assert "who" == second.data["turns"][0]["memory"]["attribute"]
    assert 7 == len(second.data["turns"])
    assert 7 == second.data["checkpoints"][-1]["after"]


def test_merging_a_proposal_with_itself_changes_nothing(tmp_path: Path) -> None:
    """Merging is idempotent."""
    data = suite_of(jsonl(tmp_path / "a.jsonl", SAID))
    both = merged(data, data, hashes_of(data))
    assert (data, ()) == (both.data, both.kept)


def test_a_real_value_that_comes_back_is_refused(tmp_path: Path) -> None:
    """The scan is of what would be written, whoever wrote it."""
    session = make(jsonl(tmp_path / "a.jsonl", SAID), Wanted())
    (made,) = session.made
    made.data["checkpoints"][0]["question"] = "Is it p 123 4567?"
    with pytest.raises(InputError, match="checkpoint after 4: would hold a real identifier"):
        scan(session.mask, outputs_of(made, "a"))


def test_an_extractor_with_a_typo_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    """The error names what is near."""
    with pytest.raises(SpecError, match="did you mean 'rules'"):
        make(tmp_path / "none.jsonl", Wanted(extractor="rulse"))


@pytest.mark.parametrize("name", ["travel-50", "atelier-60"])
def test_a_built_in_suite_is_masked_without_a_leak_and_still_checks(
    name: str, tmp_path: Path
) -> None:
    """Long talks, in French and with tool calls: what comes out is a suite that runs."""
    from palimpsest.bench import builtin
    from palimpsest.bench.builtin import load

    assert name in builtin.known()
    turns = [
        {"turn": t.number, "messages": [m.as_dict() for m in t.turn.messages]}
        for t in load(name).turns
    ]
    place = tmp_path / "a.json"
    place.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    session = make(place, Wanted())
    (made,) = session.made
    scan(session.mask, outputs_of(made, "a"))
    checked(made.data, "a")
    originals = {one.text for one in session.mask.originals if len(one.text) > 5}
    said = list(json_texts.texts(made.data["turns"]))
    assert [] == [value for value in originals for text in said if value in text]


def test_conversations_are_read_one_by_one(tmp_path: Path) -> None:
    """Instructions are no turn; a greeting before the first question is left out."""
    said = [{"role": "system", "content": "Be brief."}, {"role": "assistant", "content": "Hi!"},
            *chat(("One.", "Two."))]  # fmt: skip
    place = tmp_path / "a.json"
    place.write_text(json.dumps({"messages": said}), encoding="utf-8")
    (talk,) = conversations.read(place)
    assert ("Be brief.", ["One.", "Two."]) == (talk.instructions, [t.user for t in talk.turns])
