"""The values and statements of the forget suite, in two splits; every line is our own.

``held-out`` was written in one go with ``dev`` and looked at only through the report.
"""

from __future__ import annotations

from typing import NamedTuple

from palimpsest.bench.forget_suite.case import Split


class Told(NamedTuple):
    """A statement: attribute, value, the sentence, and the forms in which it turns up later."""

    attribute: str
    value: str
    sentence: str
    forms: tuple[str, ...] = ()


PLAIN: dict[Split, tuple[Told, ...]] = {
    "dev": (
        Told(
            "pin",
            "4417",
            "My PIN is 4417.",
            ("44 17", "4-4-1-7", "four four one seven", "４４１７"),
        ),
        Told(
            "passport",
            "P7730412",
            "My passport number is P7730412.",
            ("p 773 0412", "P-7730412", "p7730412"),
        ),
        Told(
            "email",
            "ana.ruiz@mail.io",
            "Write to me at ana.ruiz@mail.io.",
            (
                "ANA.RUIZ@MAIL.IO",
                "ana.ruiz (at) mail.io",
                "ana dot ruiz at mail dot io",
                "ana.ruiz＠mail.io",
            ),
        ),
        Told(
            "phone",
            "+49 30 5550142",
            "My phone is +49 30 5550142.",
            ("030 5550142", "0049305550142", "+49 (0)30 555 01 42"),
        ),
        Told(
            "card",
            "5412 7534 0912 6678",
            "My card is 5412 7534 0912 6678.",
            ("5412-7534-0912-6678", "5412753409126678"),
        ),
        Told(
            "ticket",
            "TKT-100",
            "The ticket is TKT-100.",
            ("tkt 100", "TKT100", "tkt one zero zero"),
        ),
        Told(
            "doctor",
            "Irene Vogt",
            "My doctor is Irene Vogt.",
            ("irene vogt", "IRENE VOGT", "Vogt, Irene"),
        ),
        Told("city", "Málaga", "I live in Málaga.", ("Malaga", "MALAGA", "Ma\u0301laga")),
        Told(
            "deadline",
            "14 March 2031",
            "The deadline is 14 March 2031.",
            ("2031-03-14", "March 14th, 2031", "14/03/2031", "the fourteenth of March"),
        ),
        Told(
            "salary",
            "61,500 euros",
            "I earn 61,500 euros.",
            ("61500 euros", "€61.500", "EUR 61,500.00"),
        ),
        Told(
            "key",
            "sk-demo-77aa31",
            "The API key is sk-demo-77aa31.",
            ("SK-DEMO-77AA31", "sk demo 77aa31"),
        ),
        Told(
            "password",
            "marzipan-otter",
            "My password is marzipan-otter.",
            ("Marzipan Otter", "marzipanotter"),
        ),
        Told(
            "iban",
            "DE44500105175407324931",
            "My account is DE44500105175407324931.",
            ("DE44 5001 0517 5407 3249 31", "de44-5001-0517-5407-3249-31"),
        ),
        Told("room", "14C", "My seat is 14C.", ("14c", "14-C")),
        Told(
            "wifi",
            "bluebird72",
            "The Wi-Fi password is bluebird72.",
            ("BLUEBIRD72", "bluebird 72", "bluebird-72"),
        ),
        Told(
            "plate",
            "KA-PL 731",
            "My number plate is KA-PL 731.",
            ("KAPL731", "ka-pl-731", "KA PL 731"),
        ),
        Told(
            "sister",
            "Zoë Adler",
            "My sister is Zoë Adler.",
            ("Zoe Adler", "zoë adler", "ZOË ADLER"),
        ),
        Told("blood-pressure", "138/92", "My blood pressure was 138/92.", ("138/92",)),
        Told(
            "order",
            "2026-004417",
            "The order number is 2026-004417.",
            ("2026 004417", "2026004417"),
        ),
        Told(
            "locker",
            "3390",
            "My locker code is 3390.",
            ("33 90", "three three nine zero", "thirty-three ninety"),
        ),
    ),
    "held-out": (
        Told(
            "pin",
            "8062",
            "My bank PIN is 8062.",
            ("80 62", "8.0.6.2", "eight zero six two", "８０６２"),
        ),
        Told(
            "passport",
            "X4419027",
            "The passport has the number X4419027.",
            ("x 441 9027", "X-4419027", "x4419027"),
        ),
        Told(
            "email",
            "t.lind@post.se",
            "My mail is t.lind@post.se.",
            ("T.LIND@POST.SE", "t.lind [at] post.se", "t dot lind at post dot se"),
        ),
        Told(
            "phone",
            "+33 1 70 18 99 00",
            "Call me at +33 1 70 18 99 00.",
            ("01 70 18 99 00", "+33170189900", "0033 1 70189900"),
        ),
        Told(
            "card",
            "4929 1188 3055 7211",
            "The credit card is 4929 1188 3055 7211.",
            ("4929118830557211", "4929-1188-3055-7211"),
        ),
        Told(
            "ticket",
            "OPS-2218",
            "The incident is OPS-2218.",
            ("ops 2218", "OPS2218", "ops two two one eight"),
        ),
        Told(
            "doctor",
            "Pavel Horák",
            "My dentist is Pavel Horák.",
            ("Pavel Horak", "pavel horák", "Horák, Pavel"),
        ),
        Told("city", "Łódź", "I moved to Łódź.", ("Lodz", "LODZ", "łódź")),
        Told(
            "deadline",
            "2 November 2032",
            "We ship on 2 November 2032.",
            ("2032-11-02", "Nov 2, 2032", "02.11.2032", "2nd of November"),
        ),
        Told(
            "salary",
            "4,950 pounds",
            "My fee is 4,950 pounds.",
            ("£4,950", "4950 pounds", "GBP 4950"),
        ),
        Told(
            "key",
            "tok_9f3b21cc",
            "The access token is tok_9f3b21cc.",
            ("TOK_9F3B21CC", "tok 9f3b21cc", "tok-9f3b21cc"),
        ),
        Told(
            "password",
            "velvet-harbour",
            "The passphrase is velvet-harbour.",
            ("Velvet Harbour", "velvetharbour"),
        ),
        Told(
            "iban",
            "FR7630006000011234567890189",
            "My IBAN is FR7630006000011234567890189.",
            ("FR76 3000 6000 0112 3456 7890 189",),
        ),
        Told("room", "22F", "I sit in 22F.", ("22f", "22-F")),
        Told(
            "wifi",
            "lantern905",
            "Our Wi-Fi key is lantern905.",
            ("LANTERN905", "lantern 905", "lantern-905"),
        ),
        Told("plate", "W-48213K", "The car has W-48213K.", ("W 48213K", "w48213k", "w-48213k")),
        Told(
            "sister",
            "Chloé Marchand",
            "My cousin is Chloé Marchand.",
            ("Chloe Marchand", "chloé marchand", "CHLOÉ MARCHAND"),
        ),
        Told("glucose", "6.8 mmol", "My glucose was 6.8 mmol.", ("6.8 mmol",)),
        Told("order", "INV/2027/00318", "The invoice is INV/2027/00318.", ("inv/2027/00318",)),
        Told(
            "locker",
            "7154",
            "The gym locker opens with 7154.",
            ("71 54", "seven one five four", "seventy-one fifty-four"),
        ),
    ),
}
"""Facts with the forms that a later turn may use."""

NEIGHBOURS: dict[Split, tuple[tuple[str, str, str], ...]] = {
    "dev": (
        ("city", "Oslo", "I live in Oslo"), ("diet", "vegan", "I am vegan"), ("dog", "Rex", "my dog is called Rex"),
        ("team", "payments", "I work in the payments team"), ("tea", "oolong", "I drink oolong every day"),
    ),
    "held-out": (
        ("city", "Turin", "I live in Turin"), ("diet", "coeliac", "I am coeliac"), ("cat", "Miso", "my cat is called Miso"),
        ("team", "search", "I work in the search team"), ("sport", "rowing", "I go rowing on Sundays"),
    ),
}  # fmt: skip
"""What stands beside a fact in a compound sentence."""

COLLISIONS: dict[Split, tuple[tuple[str, str, str, tuple[str, ...]], ...]] = {
    "dev": (
        ("ticket", "TKT-100", "My ticket is TKT-100.", ("TKT-1000", "XTKT-100", "TKT-100-B")),
        (
            "email",
            "a@acme.io",
            "My mail is a@acme.io.",
            ("a.b@acme.io", "ba@acme.io", "a@acme.io.uk"),
        ),
        ("pin", "4417", "My PIN is 4417.", ("44170", "14417", "44.17 euros", "order 4417-99")),
        ("city", "Vienna", "I live in Vienna.", ("Vienna sausage", "a Viennese waltz")),
        ("city", "Porto", "I live in Porto.", ("Porto Alegre",)),
        ("city", "York", "I live in York.", ("New York",)),
        ("friend", "Ana", "My friend is Ana.", ("Anabel", "Ana Ruiz Delgado", "banana")),
        ("friend", "Mark", "My friend is Mark.", ("mark this page", "Markus")),
        ("city", "Nice", "I live in Nice.", ("a nice day", "salade niçoise")),
        ("code", "1111", "The code is 1111.", ("4111 1111 1111 1111", "11111")),
        (
            "date",
            "3 May 2031",
            "The date is 3 May 2031.",
            ("13 May 2031", "3 May 2032", "2031-05-13"),
        ),
        ("rent", "450 euros", "My rent is 450 euros.", ("1450 euros", "450 grams", "450.50 euros")),
        ("seat", "12A", "My seat is 12A.", ("12 Angry Men", "12AB", "112A")),
        ("city", "北京", "我住在北京。", ("北京烤鸭",)),
        ("phone", "030 555123", "My phone is 030 555123.", ("030 5551234", "1030 555123")),
        ("version", "v2.1", "We run v2.1.", ("v2.10", "v2.1.4")),
        ("account", "77120", "My account is 77120.", ("771200", "77120-B", "177120")),
        ("user", "jdoe", "My login is jdoe.", ("jdoe2", "mjdoe", "jdoes")),
        ("city", "Hamburg", "I live in Hamburg.", ("hamburger", "Hamburger")),
        ("path", "/srv/data", "It is in /srv/data today.", ("/srv/database", "/srv/data2")),
    ),
    "held-out": (
        ("ticket", "REQ-55", "My request is REQ-55.", ("REQ-550", "PREQ-55", "REQ-55-A")),
        (
            "email",
            "kim@corp.net",
            "My mail is kim@corp.net.",
            ("joakim@corp.net", "kim.b@corp.net", "kim@corp.network"),
        ),
        ("pin", "9031", "My PIN is 9031.", ("90310", "29031", "90.31 euros", "9031-4 is the part")),
        ("city", "Frankfurt", "I live in Frankfurt.", ("frankfurter", "Frankfurters")),
        ("city", "San Jose", "I live in San Jose.", ("San Josef",)),
        ("city", "Orleans", "I live in Orleans.", ("New Orleans",)),
        ("friend", "Lena", "My friend is Lena.", ("Helena", "Lena Maria Vogt", "Lenard")),
        ("friend", "Rose", "My friend is Rose.", ("a red rose", "Rosemary")),
        ("city", "Reading", "I live in Reading.", ("I am reading a book",)),
        ("code", "2222", "The code is 2222.", ("5222 2222 2222 2222", "22222")),
        (
            "date",
            "9 June 2029",
            "The day is 9 June 2029.",
            ("19 June 2029", "9 June 2030", "2029-06-19"),
        ),
        (
            "rent",
            "720 euros",
            "My rent is 720 euros.",
            ("1720 euros", "720 metres", "720.30 euros"),
        ),
        ("seat", "8D", "My seat is 8D.", ("8 days", "18D", "8DX")),
        ("city", "京都", "我住在京都。", ("东京都",)),
        ("phone", "0211 44790", "My phone is 0211 44790.", ("0211 447901", "10211 44790")),
        ("version", "v3.4", "We use v3.4.", ("v3.41", "v3.4.2")),
        ("account", "60933", "My account is 60933.", ("609331", "60933-C", "160933")),
        ("user", "mrossi", "My login is mrossi.", ("mrossi9", "amrossi", "mrossini")),
        ("city", "Bologna", "I live in Bologna.", ("spaghetti bolognese", "Bolognaise")),
        ("path", "/opt/app", "It is in /opt/app now.", ("/opt/apple", "/opt/app2")),
    ),
}
"""A value, and other things that look like it."""

CROSS: dict[Split, tuple[tuple[str, str, str, str], ...]] = {
    "dev": (
        ("pin", "4417", "My PIN is 4417.", "quatre quatre un sept"),
        ("pin", "4417", "Mein PIN ist 4417.", "vier vier eins sieben"),
        ("pin", "4417", "Mi PIN es 4417.", "cuatro cuatro uno siete"),
        ("pin", "4417", "Il mio PIN è 4417.", "quattro quattro uno sette"),
        ("pin", "4417", "O meu PIN é 4417.", "quatro quatro um sete"),
        ("pin", "4417", "Mein PIN ist 4417.", "viertausendvierhundertsiebzehn"),
        ("pin", "4417", "Mon code est 4417.", "quarante-quatre dix-sept"),
        ("pin", "4417", "My PIN is 4417.", "٤٤١٧"),
        ("doctor", "Ivan Petrov", "My doctor is Ivan Petrov.", "Иван Петров"),
        ("doctor", "Иван Петров", "Моего врача зовут Иван Петров.", "Ivan Petrov"),
        ("city", "Beijing", "I live in Beijing.", "北京"),
        ("city", "北京", "我住在北京。", "Beijing"),
        ("neighbour", "Müller", "My neighbour is Müller.", "Mueller"),
        ("neighbour", "Mueller", "Mein Nachbar heißt Mueller.", "Müller"),
        ("boss", "Γιώργος", "My boss is Γιώργος.", "Giorgos"),
        ("date", "3 May 2031", "The date is 3 May 2031.", "3. Mai 2031"),
        ("date", "3 May 2031", "The date is 3 May 2031.", "3 de mayo de 2031"),
        ("date", "le 3 mai 2031", "La date est le 3 mai 2031.", "May 3, 2031"),
        ("date", "3 May 2031", "The date is 3 May 2031.", "2031年5月3日"),
        ("rent", "450 euros", "My rent is 450 euros.", "vierhundertfünfzig Euro"),
    ),
    "held-out": (
        ("pin", "9031", "My PIN is 9031.", "neuf zéro trois un"),
        ("pin", "9031", "Mein PIN ist 9031.", "neun null drei eins"),
        ("pin", "9031", "Mi PIN es 9031.", "nueve cero tres uno"),
        ("pin", "9031", "Il mio PIN è 9031.", "nove zero tre uno"),
        ("pin", "9031", "O meu PIN é 9031.", "nove zero três um"),
        ("pin", "9031", "Mein PIN ist 9031.", "neuntausendeinunddreißig"),
        ("pin", "6482", "Mi clave es 6482.", "sesenta y cuatro ochenta y dos"),
        ("pin", "6482", "My PIN is 6482.", "६४८२"),
        ("doctor", "Olga Smirnova", "My doctor is Olga Smirnova.", "Ольга Смирнова"),
        ("doctor", "Анна Кузнецова", "Моего врача зовут Анна Кузнецова.", "Anna Kuznetsova"),
        ("city", "Shanghai", "I live in Shanghai.", "上海"),
        ("city", "上海", "我住在上海。", "Shanghai"),
        ("neighbour", "Schröder", "My neighbour is Schröder.", "Schroeder"),
        ("neighbour", "Groß", "Mein Nachbar heißt Groß.", "Gross"),
        ("boss", "Νίκος", "My boss is Νίκος.", "Nikos"),
        ("date", "12 August 2030", "The date is 12 August 2030.", "12 août 2030"),
        ("date", "12 August 2030", "The date is 12 August 2030.", "12 de agosto de 2030"),
        ("date", "12 agosto 2030", "La data è il 12 agosto 2030.", "August 12, 2030"),
        ("date", "12 August 2030", "The date is 12 August 2030.", "12.08.2030"),
        ("rent", "720 euros", "My rent is 720 euros.", "sept cent vingt euros"),
    ),
}
"""A value in one language or script, and how another one writes it."""
