"""Writes ``compaction-8``: eight turns about a ledger, and nine facts to look for after them.

The facts and their kinds are the published ones: a decision is replaced in turn 5 by a
sentence that holds no cue word, two details hold none either, and turn 7 pastes a log that
cannot fit. The wordings are chosen so that, under the default settings, cue-word notes keep
five facts, lose three and leave the replaced one standing.
"""

from __future__ import annotations

from typing import Any

JOBS = (
    "invoices", "credit notes", "payouts", "refunds", "tax lines", "fees", "vouchers", "deposits",
)  # fmt: skip

_SWITCH = (
    "After the load test we chose PostgreSQL for the application. "
    "It takes the place of MySQL because invoices need security per row."
)

TURNS: tuple[tuple[str, str], ...] = (
    (
        "Legal came back to us: the audit trail must reach back 400 days.",
        "I will plan the storage around that.",
    ),
    ("For the pilot we will use MySQL.", "A safe start."),
    (
        "One more condition: a finished export must lie on disk within 15 minutes.",
        "Clear, I will watch the run time.",
    ),
    (
        "The job runs under the name ledger-export. Its connection pool goes up from 10 to 20.",
        "Both are in the file.",
    ),
    (_SWITCH, "Then I will adapt the schema."),
    (
        "The billing report has its deadline at 02:00 UTC every night.",
        "Good to know before I plan the jobs.",
    ),
    ("", "Nothing unusual in it."),
    (
        "On which tables do we put row security to begin with?",
        "Invoices and exports come first for row security.",
    ),
)


def _log() -> str:
    lines = [
        f"01:{minute:02d} worker {minute % 4 + 1} wrote batch {minute + 1} of {JOBS[minute % 8]}"
        for minute in range(40)
    ]
    return "Last night's log, so that you have seen it:\n" + "\n".join(lines)


def request() -> dict[str, Any]:
    """The request in the published shape, as JSON data."""
    history = [{"user": user or _log(), "assistant": assistant} for user, assistant in TURNS]
    return {
        "instructions": "Answer from this conversation and its notes alone, and name what they "
        "leave open.",
        "current": "Which decisions about the database and the exports are in force?",
        "history": history,
        "context_limit": 512,
        "max_new_tokens": 128,
        "margin": 32,
        "notes_reserve": 160,
    }


def probes() -> list[dict[str, str]]:
    """The nine facts; each was written from the conversation, before any compaction."""
    return [
        _probe("audit-retention", "constraint", "reach back 400 days"),
        _probe("db-choice", "decision", "we chose PostgreSQL for the application"),
        _probe("db-first-version", "decision", "we will use MySQL", superseded_by="db-choice"),
        _probe("mysql-replaced", "decision", "It takes the place of MySQL"),
        _probe("export-limit", "constraint", "on disk within 15 minutes"),
        _probe("service-name", "detail", "ledger-export"),
        _probe("billing-deadline", "constraint", "02:00 UTC"),
        _probe("pool-size", "detail", "from 10 to 20"),
        _probe("rls-tables", "decision", "Invoices and exports come first"),
    ]


def _probe(id: str, kind: str, fact: str, **more: str) -> dict[str, str]:
    return {"id": id, "kind": kind, "fact": fact, **more}
