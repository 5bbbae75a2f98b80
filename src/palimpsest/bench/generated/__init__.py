"""Suites that are written by a seed: chats in six languages, and one of many facts.

Invariant: the same recipe writes the same bytes on every machine, and the sentences were
written without a look at any extractor, so what an extractor finds in them was not aimed at.
"""

from __future__ import annotations

from palimpsest.bench.generated.many import many
from palimpsest.bench.generated.talk import talk
from palimpsest.bench.generated.templates import LANGUAGES

__all__ = ["LANGUAGES", "many", "talk"]
