"""What a chat writes: whole characters, and nothing that commands a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.cli.chat_screen import brief, visible, whole_characters

PIECES = st.lists(
    st.text(alphabet=st.sampled_from("ab\r\n\ud83e\udd86é🦆"), max_size=4), max_size=8
)


@given(PIECES)
def test_pieces_never_cut_a_character(pieces: list[str]) -> None:
    """However a text is cut, what is shown is what the whole text would show."""
    found = list(whole_characters(pieces))
    assert visible("".join(found)) == "".join(map(visible, found))
    assert "".join(found) == "".join(whole_characters(["".join(pieces)]))
    "".join(found).encode("utf-8")


def test_halves_of_a_character_meet() -> None:
    """A server may send the two halves of an emoji in two events."""
    assert ["a", "🦆b", "\ufffd"] == list(whole_characters(["a\ud83e", "\udd86b", "\ud83e"]))


def test_control_characters_are_shown() -> None:
    """Escape, bell, the second set of controls and turned writing are text."""
    assert "\\x1b[0m\\x07\\x9b\\u202e\n\ta" == visible("\x1b[0m\x07\x9b\u202e\r\n\ta")


def test_a_brief_text_fits_its_columns() -> None:
    """Wide characters count twice, and a cut is marked."""
    assert "北京烤 …" == brief("北京烤鸭很好吃", 8)
    assert "one\\ntwo three" == brief("one\ntwo\tthree", 20)
