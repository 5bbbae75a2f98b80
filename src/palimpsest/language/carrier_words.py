"""The English words that carriers are told by: months, days, units, and words that are none.

A word list is data: a second language brings its own.
"""

from __future__ import annotations

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
SHORT_MONTHS = ("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
RELATIVE_DAYS = (
    "today", "tonight", "tomorrow", "yesterday", "the day after tomorrow", "next week",
    "next month", "next year", "last week", "last month", "last year", "this week",
    "this month", "this weekend", "next weekend",
)  # fmt: skip

CURRENCY_SIGNS = "$€£¥₹₽₩₺₴₫₿"
UNITS = (
    "euros", "euro", "EUR", "dollars", "dollar", "USD", "cents", "cent", "pounds", "pound", "GBP",
    "francs", "franc", "CHF", "yen", "JPY", "rupees", "INR", "crowns", "SEK", "NOK", "DKK",
    "percent", "per cent", "points", "point",
    "milliseconds", "millisecond", "ms", "seconds", "second", "sec", "minutes", "minute", "min",
    "hours", "hour", "days", "day", "nights", "night", "weeks", "week", "months", "month",
    "years", "year", "am", "pm", "a.m.", "p.m.", "o'clock",
    "millimetres", "mm", "centimetres", "cm", "metres", "meters", "metre", "meter", "kilometres",
    "kilometers", "km", "miles", "mile", "feet", "foot", "inches", "inch",
    "grams", "gram", "kilograms", "kilos", "kilo", "kg", "tons", "tonnes", "lbs",
    "litres", "liters", "litre", "liter", "ml",
    "bytes", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "tokens", "token",
    "thousand", "million", "billion",
    "people", "persons", "person", "guests", "guest", "rooms", "seats", "tickets", "copies",
    "degrees", "watts", "kW", "kWh", "volts", "Hz", "MHz", "GHz",
)  # fmt: skip

COMMON = frozenset(
    """
    a about above after again all also although always am an and another any are as at back
    be because been before being below between both but by call can cannot cancel change check
    choose come could cut day decided decision did do does done down during each either else
    email ever every everyone everything few first for forget from get give go going good had
    has have he hello help her here hers hey hi him his how however i if in instead into is it
    its just keep know last later least leave less let like long look made make many may maybe
    me mine more most move much must my need neither never next no nobody none nor not note
    nothing now of off ok okay on once one only or order other our ours out over own pay per
    please price put raise rather really remember remove right same say second see send set she
    should since so some somebody someone something soon sorry still stop such sure switch take
    team tell than thank thanks that the their theirs them then there these they thing third this
    those though through thus to today tomorrow tonight too trip two under until up update upon
    us use user very want was we well were what when where whether which while who whom whose
    why will with without would write wrong yes yesterday yet you your yours correction actually
    book budget add buy reply dear thank hi good morning ask tell meet visit invite fly
    """.split()  # noqa: SIM905
)
"""Words that are no name when a capital letter begins a sentence with them."""

NAME_VERBS = frozenset(
    """
    is was will would has had can could should may might must does did wants wanted likes liked
    lives lived works worked joins joined needs needed prefers preferred loves loved hates hated
    owns owned uses used runs ran leads led manages managed says said thinks thought moved moves
    starts started arrives arrived leaves left comes came goes went and isn't wasn't won't hasn't
    doesn't didn't can't administers approved approves becomes became takes took pays paid
    """.split()  # noqa: SIM905
)
"""Words after which a capitalised first word is somebody or something by name."""

KINDS = frozenset(
    """
    ai api atm cc cpu css csv cv db dns dob eta faq gps gpu hr html http https iban id ids ip iq
    isbn json jwt llm mfa ok os otp pc pdf pin pins pm puk ram rsvp sim sms sql ssd ssh ssid ssl
    ssn tin tls tv ui uri url usb ux vat vin vpn wifi xml yaml zip
    """.split()  # noqa: SIM905
)
"""Short names of a kind of thing: "my PIN is 9431" is about 9431 and not about PIN."""
