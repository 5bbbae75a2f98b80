"""What was shown to the model is no evidence; what the user repeats is."""

from __future__ import annotations

from palimpsest.write.filters.recalled import recalled
from tests.support.seeing import proposing, seeing

KNOWN = "My sister Clara studies marine biology in Bergen."
BLOCK = f"What was established, quoted.\n<notes>\n- [#1, turn-1] {KNOWN}\n</notes>\n\nQuestion: "


def test_a_memory_that_comes_back_in_a_proposal_is_recalled() -> None:
    """Thirty characters of it or more, which the user did not say."""
    seen = seeing("Thanks, that helps.", memories=(KNOWN,))
    assert "recalled-text" == recalled(proposing(seen, KNOWN), seen)
    assert "recalled-text" == recalled(proposing(seen, f"The user said: {KNOWN}"), seen)
    story = seeing("Thanks, that helps.", summary=f"They talked. {KNOWN}")
    assert "recalled-text" == recalled(proposing(story, KNOWN), story)


def test_the_users_own_words_are_exempt() -> None:
    """A user may repeat a sentence; dedup then counts it."""
    seen = seeing(f"As I said, {KNOWN}", memories=(KNOWN,))
    assert recalled(proposing(seen, KNOWN, KNOWN), seen) is None


def test_a_short_common_run_is_no_citation() -> None:
    """Under thirty characters two texts may well say the same words."""
    seen = seeing("Thanks.", memories=("I live in Oslo.",))
    assert recalled(proposing(seen, "I live in Oslo."), seen) is None


def test_a_stored_block_of_memories_is_not_the_users() -> None:
    """An application may store the turn as it was sent, with what a request put before it."""
    seen = seeing(f"{BLOCK}Is she happy there? I now live in Turin.", memories=(KNOWN,))
    assert "recalled-text" == recalled(proposing(seen, KNOWN, KNOWN), seen)
    own = "I now live in Turin."
    assert recalled(proposing(seen, own, own), seen) is None


def test_a_quote_that_reaches_into_a_block_carries_nothing_out_of_it() -> None:
    """What stands in the block is judged as recalled, and the user's part as the user's."""
    seen = seeing(f"{BLOCK}I now live in Turin.", memories=(KNOWN,))
    said = seen.turn.messages[0].texts()[0]
    across = said[said.index(KNOWN) :]
    assert "recalled-text" == recalled(proposing(seen, KNOWN, across), seen)
    assert recalled(proposing(seen, "I now live in Turin.", across), seen) is None


def test_a_block_is_known_by_its_lines_where_the_memory_is_gone() -> None:
    """Also escaped, and also where nothing like it is current any more."""
    line = "Tom &amp; Ada moved to Rome last spring together."
    seen = seeing(f"<notes>\n- [#7, turn-2] {line}\n</notes>\n\nQuestion: Why?")
    assert "recalled-text" == recalled(proposing(seen, line, line), seen)


def test_tags_of_the_users_own_make_no_block() -> None:
    """Markup that quotes no memory is what the user wrote."""
    text = "My snippet:\n<p>\nI teach chemistry in Oslo and like it.\n</p>"
    seen = seeing(text, memories=(KNOWN,))
    quote = "I teach chemistry in Oslo and like it."
    assert recalled(proposing(seen, quote, quote), seen) is None
