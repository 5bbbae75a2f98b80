"""Memory strategies: facts within their quota, each memory with its reason."""

from palimpsest.config import Config, FactsSettings
from palimpsest.context.memory_strategies import AppendOnly, Managed
from palimpsest.ledger import Request
from palimpsest.types import Redaction
from tests.support.counters import Letters
from tests.support.views import ListView, ask, fact, talk

CONFIG = Config(facts=FactsSettings(quota=70))


def seats(request: Request) -> list[tuple[int, int, str]]:
    return [(e.first, e.last, e.reason) for e in request.ledger.memories]


def lines(request: Request) -> list[str]:
    return [x for x in str(request.sent[-1].content).split("\n") if x.startswith("- ")]


def test_facts_are_quoted_newest_first_in_the_last_user_message() -> None:
    """What was remembered never enters the system message."""
    view = ListView(talk(("a", "b")), [fact(1, "A & <b>"), fact(2, "C", source="turn-2")])

    request = Managed().build(view, ask("q", 500), Letters(), Config())

    assert ["- [#2, turn-2] C", "- [#1, turn-1] A &amp; &lt;b&gt;"] == lines(request)
    assert "Be brief." == request.sent[0].content
    assert str(request.sent[-1].content).endswith("</notes>\n\nQuestion: q")


def test_a_fact_that_does_not_fit_is_skipped_and_the_next_is_tried() -> None:
    """Facts skip; they do not stop."""
    rows = [fact(1, "old"), fact(2, "x" * 200), fact(3, "new")]

    request = Managed().build(ListView([], rows), ask("q", 500), Letters(), CONFIG)

    assert ["- [#3, turn-1] new", "- [#1, turn-1] old"] == lines(request)
    assert [(1, 1, "seated"), (2, 2, "no-room"), (3, 3, "seated")] == seats(request)


def test_nothing_is_counted_once_the_quota_holds_no_frame_of_a_line() -> None:
    """The rest is one run with its reason, and no text of it was encoded."""
    rows = [fact(id, f"fact {id:05d}") for id in range(1, 5001)]
    counter = Letters()

    request = Managed().build(ListView([], rows), ask("q", 500), counter, CONFIG)

    assert [(1, 4998, "behind-no-room"), (4999, 4999, "seated"), (5000, 5000, "seated")] == seats(
        request
    )
    assert not any("04998" in text for text in counter.texts)


def test_a_run_of_lines_that_do_not_fit_ends_the_walk_after_so_many_tries() -> None:
    """A build costs the quota, not the store, and says so of every memory behind."""
    rows = [fact(1, "short"), *(fact(id, "x" * 200) for id in range(2, 1001))]

    def read(tries: int) -> list[tuple[int, int, str]]:
        config = Config(facts=FactsSettings(quota=70, tries=tries))
        return seats(Managed().build(ListView([], rows), ask("q", 500), Letters(), config))

    assert [(1, 997, "behind-no-room"), (998, 998, "no-room")] == read(3)[:2]
    assert (1, 1, "seated") == read(1000)[0]


def test_replaced_memories_are_runs_of_their_own() -> None:
    """A memory that was superseded is accounted for without being read."""
    rows = [fact(1, "a", by=2), fact(2, "b", by=3), fact(3, "c"), fact(4, "d", by=5), fact(5, "e")]

    managed = Managed().build(ListView([], rows), ask("q", 500), Letters(), Config())
    baseline = AppendOnly().build(ListView([], rows), ask("q", 500), Letters(), Config())

    assert [(1, 2, "superseded"), (3, 3, "seated"), (4, 4, "superseded"), (5, 5, "seated")] == (
        seats(managed)
    )
    assert [5, 4, 3, 2, 1] == [int(line[4]) for line in lines(baseline)]


def test_oldest_first_is_a_setting() -> None:
    """The order of the settings decides who gets the quota."""
    rows = [fact(id, f"fact {id}") for id in range(1, 10)]

    request = Managed(order="oldest", quota=50).build(
        ListView([], rows), ask("q", 500), Letters(), Config()
    )

    assert ["- [#1, turn-1] fact 1", "- [#2, turn-1] fact 2"] == lines(request)
    assert (3, 9, "behind-no-room") == seats(request)[-1]
    assert "managed(order='oldest', quota=50)" == request.strategy


def test_facts_give_way_where_the_question_leaves_less_than_their_quota() -> None:
    """Facts are optional: the oldest lines go before the request would be over budget."""
    rows = [fact(id, f"fact {id}") for id in range(1, 10)]
    config = Config(facts=FactsSettings(quota=10_000))

    sizes = range(19, 600)
    found = [Managed().build(ListView([], rows), ask("q", n), Letters(), config) for n in sizes]

    assert all(request.tokens <= n for n, request in zip(sizes, found, strict=True))
    assert [] == lines(found[0])
    assert 9 == len(lines(found[-1]))
    counts = [len(lines(request)) for request in found]
    assert counts == sorted(counts)


def test_a_redacted_span_is_replaced_by_the_marker_and_counted_in_the_ledger() -> None:
    """Managed sends the turn without the replaced words; the baseline sends them."""
    span = Redaction(turn=1, message=0, text=0, start=0, end=13, reason="corrected")
    view = ListView(talk(("My PIN is 44.", "Ok."), ("x", "y")), [], {1: [span]})

    managed = Managed().build(view, ask("q", 500), Letters(), Config())
    baseline = AppendOnly().build(view, ask("q", 500), Letters(), Config())

    assert Config().context.redaction_marker == managed.sent[1].content
    assert "My PIN is 44." == baseline.sent[1].content
    assert [1, 0] == [entry.redacted for entry in managed.ledger.turns]


def test_the_quota_holds_a_line_to_the_token() -> None:
    """A line of exactly the quota is seated; with one token less it is not."""
    rows = [fact(1, "exact")]
    line = "- [#1, turn-1] exact"

    def seated(quota: int) -> list[str]:
        return lines(
            Managed(quota=quota).build(ListView([], rows), ask("q", 500), Letters(), CONFIG)
        )

    assert ([line], []) == (seated(len(line)), seated(len(line) - 1))
