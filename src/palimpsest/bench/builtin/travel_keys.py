"""The answer keys of ``travel-50``: how an answer may write each of its facts."""

from __future__ import annotations

from palimpsest.bench.builtin.key_patterns import dates, identifier, number, words

_OFFERED = r"(?! (?:restaurants?|places?|caf[eé]s?|options?|dishes)\b[^.;!?\n]{0,40}\b(?:plentiful|abundant|nearby))"
"""What the town has to offer is no diet of the traveller."""
KEYS = {
    "diet is vegetarian": words(f"vegetarian{_OFFERED}", "vegetarianism", "veggie"),
    "eating fish": words("fish(?!-free|[ -]allerg)", "pescatarian", "pescetarian"),
    "150 euros a night": number(150, "(?:one |a )?hundred(?: and)?[ -]fifty"),
    "180 euros a night": number(180, "(?:one |a )?hundred(?: and)?[ -]eighty"),
    "in Porto": words("porto(?![ -](?:alegre|novo))", "oporto"),
    "3 to 6 November": dates(3, 6, 11),
    "10 to 13 November": dates(10, 13, 11),
    "beside the river": words("river", "riverside", "riverfront", "riverbank"),
    "fly out in the morning": r"(?<!good )\bmornings?\b|\bbefore noon\b",
    "Bob comes along": words("bob"),
    "P1234567": identifier("P1234567"),
}
