"""Writes ``atelier-60``: sixty turns in a stained-glass workshop, in French, with tools.

Other people, another language, part-list contents, a photograph, and tools whose arguments
and results repeat what is corrected or forgotten soon after. The text-only frame of Gemma 4
cannot express a call, so the suite names a frame that writes calls as text over the same
vocabulary (``tool-text``): counts are exact for that frame, which is no model's own. The
photograph counts as the tokens that the settings declare.
"""

from __future__ import annotations

import json
from typing import Any

# user, assistant, op, attribute, value. The value is written out, since what the engine
# reads from a statement by itself it reads with English word lists.
EVENTS: dict[int, tuple[str, str, str, str, str | None]] = {
    2: ("Le chantier, c'est la chapelle Saint-Gildas, à Auray.", "Belle adresse.",
        "remember", "chantier", "chapelle Saint-Gildas"),
    4: ("Pour le fond, je prends le verre bleu 4C-88.", "Entendu.",
        "remember", "verre", "4C-88"),
    7: ("La pose est prévue le mardi 14 mars.", "C'est dans l'agenda.",
        "remember", "pose", "mardi 14 mars"),
    9: ("Le devis plafonne à 6 400 euros.", "Je tiens les comptes.",
        "remember", "devis", "6 400 euros"),
    14: ("À la mairie, notre contact est Mme Ferrand.", "Je l'appellerai.",
         "remember", "contact", "Mme Ferrand"),
    16: ("Les plombs seront de 6 mm, profil H.", "Un profil classique.",
         "remember", "plombs", "6 mm, profil H"),
    19: ("La pose est repoussée au jeudi 23 mars.", "Je décale l'équipe.",
         "correct", "pose", "jeudi 23 mars"),
    23: ("Oublie le digicode du dépôt, il va changer.", "C'est oublié.",
         "forget", "digicode", None),
    27: ("La mairie accepte finalement 7 150 euros.", "Cela laisse de la marge.",
         "correct", "devis", "7 150 euros"),
    32: ("Je veux une patine noire sur les joints.", "Ce sera sobre.",
         "remember", "patine", "patine noire"),
    35: ("Le 4C-88 est épuisé, on passe au bleu 5D-12.", "Dommage, mais proche.",
         "correct", "verre", "5D-12"),
    41: ("Léonie est allergique à la colophane.", "Je préviens tout le monde.",
         "remember", "allergie", "colophane"),
    44: ("Retour au mardi 14 mars pour la pose.", "Comme au début, donc.",
         "correct", "pose", "mardi 14 mars"),
    46: ("Tout compte fait, ce sera une patine brune.", "Plus chaude, oui.",
         "correct", "patine", "patine brune"),
    50: ("Efface mon numéro personnel, s'il te plaît.", "Effacé partout.",
         "forget", "telephone", None),
    54: ("Le vernissage aura lieu le 2 avril à 18 h.", "Je préviens la presse.",
         "remember", "vernissage", "2 avril à 18 h"),
    57: ("Les plombs seront de 6 mm, profil H.", "Toujours noté.",
         "remember", "plombs", "6 mm, profil H"),
    58: ("Le dépôt a un nouveau digicode, 90C2V.", "Très bien.",
         "remember", "digicode", "90C2V"),
}  # fmt: skip

TOPICS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("carnet de coupe", ("le lys", "la couronne", "le manteau", "la barque", "le rocher", "la vague",
     "le nimbe", "la main droite", "le livre", "la frise", "le soleil", "la colombe")),
    ("relevé des fissures", ("panneau haut", "panneau bas", "lancette gauche", "lancette droite",
     "rosace", "écoinçon nord", "écoinçon sud", "bordure est", "bordure ouest", "tympan",
     "soubassement", "meneau")),
    ("rangement de l'établi", ("pinces", "coupe-verre", "fers à souder", "gabarits", "brosses",
     "règles", "ventouses", "chiffons", "masques", "gants", "étagères", "caisses")),
    ("cahier de nettoyage", ("poussières", "mousses", "suie", "vieux mastic", "rouille", "calcaire",
     "vernis ancien", "colle", "cire", "lichens", "traces de doigts", "salpêtre")),
    ("plan des visites", ("l'école", "le lycée", "les voisins", "le club photo", "la paroisse",
     "les élus", "les mécènes", "la radio", "les guides", "les anciens", "la chorale",
     "les compagnons")),
)  # fmt: skip
SHORT = (
    "Dans le {name}, j'ai revu {a}, {b} et {c} ; rien à signaler pour le moment.",
    "Côté {name} : {a} et {b} sont en ordre, et {c} attendra la semaine prochaine.",
    "J'ai relu le {name} avec l'équipe ; {a}, {b} et {c} nous conviennent.",
)
LONG_OPENING = "Voici le {name} au complet, tel qu'il est affiché dans l'atelier."
LONG_LINE = "{number}. {item} : contrôlé ce matin, photographié, rangé à sa place."
REPLIES = ("Bien reçu.", "Merci, c'est clair.", "Je classe cela.", "Tout est lisible.")
QUESTION = "Fais le point sur le chantier."
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD"
    "hgGAWjR9awAAAABJRU5ErkJggg=="
)


def filler(turn: int) -> tuple[str, str]:
    """The user's word and the reply of a turn in which nothing is decided."""
    name, items = TOPICS[turn % len(TOPICS)]
    reply = REPLIES[turn % len(REPLIES)]
    # Every fifth turn pastes a whole list, which pushes older turns out of the budget.
    if turn % 5 == 0:
        lines = [LONG_LINE.format(number=i + 1, item=item) for i, item in enumerate(items)]
        return " ".join([LONG_OPENING.format(name=name), *lines]), reply
    start = turn * 5 % (len(items) - 2)
    a, b, c = items[start : start + 3]
    return SHORT[turn % len(SHORT)].format(name=name, a=a, b=b, c=c), reply


def _tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


TOOLS = [
    _tool("stock", "Feuilles de verre en réserve.", reference="référence du verre"),
    _tool("message", "Envoie un message.", a="destinataire", texte="contenu"),
]


def _called(
    user: str, id: str, name: str, arguments: dict[str, str], result: str, reply: str | None
) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    said: list[dict[str, Any]] = [
        {"role": "user", "content": user},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": id, "content": result},
    ]
    return [*said, {"role": "assistant", "content": reply}] if reply is not None else said


CALLS: dict[int, list[dict[str, Any]]] = {
    21: _called(
        "Le digicode du dépôt est 7B31K.", "c21", "message",
        {"a": "transporteur", "texte": "Digicode du dépôt : 7B31K"},
        "Message remis : « Digicode du dépôt : 7B31K »", "Le transporteur a reçu 7B31K.",
    ),
    36: _called(
        "Combien de feuilles avons-nous en 5D-12 ?", "c36", "stock", {"reference": "5D-12"},
        "5D-12 : 41 feuilles, casier R-19", "Il y en a assez.",
    ),
    48: _called(
        "Mon numéro personnel est le 06 12 98 40 55.", "c48", "message",
        {"a": "Mme Ferrand", "texte": "Solène se joint au 06 12 98 40 55."},
        "Message remis à Mme Ferrand (06 12 98 40 55).", "Mme Ferrand a votre 06 12 98 40 55.",
    ),
    60: _called(
        "Et en rouge 2F-07, que reste-t-il ?", "c60", "stock", {"reference": "2F-07"},
        "2F-07 : 9 feuilles, casier K-03", None,
    ),
}  # fmt: skip
CALL_LABELS = {
    21: {"op": "remember", "attribute": "digicode", "value": "7B31K"},
    48: {"op": "remember", "attribute": "telephone", "value": "06 12 98 40 55"},
}

PARTS: dict[int, tuple[list[dict[str, Any]], str]] = {
    29: (
        [
            {
                "type": "text",
                "text": "Idriss se charge de la coupe des bordures.",
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "Il a la main sûre.",
    ),
    33: (
        [
            {"type": "text", "text": "La rosace, vue du chœur."},
            {"type": "image_url", "image_url": {"url": PIXEL}},
        ],
        "La lumière est superbe.",
    ),
}
PART_LABELS = {29: {"op": "remember", "attribute": "bordures", "value": "Idriss"}}


def _checkpoints() -> list[dict[str, Any]]:
    site, glass, lead, contact = (
        "chapelle Saint-Gildas", "verre bleu 4C-88", "6 mm, profil H", "Mme Ferrand",
    )  # fmt: skip
    first, second = "mardi 14 mars", "jeudi 23 mars"
    cheap, dear, code, phone = "6 400 euros", "7 150 euros", "7B31K", "06 12 98 40 55"
    fourth = [site, "bleu 5D-12", first, dear, contact, lead, "Idriss", "patine brune", "colophane"]
    gone = [glass, second, cheap, "patine noire"]
    return [
        _point(12, [site, glass, first, cheap]),
        _point(24, [site, glass, second, cheap, contact, lead], [first], [code]),
        _point(
            36,
            [site, "bleu 5D-12", second, dear, contact, lead, "Idriss", "patine noire",
             "casier R-19"],
            [glass, first, cheap], [code],
        ),
        _point(51, fourth, gone, [code, phone]),
        _point(
            60, [*fourth, "2 avril à 18 h", "90C2V", "casier K-03"], gone, [code, phone],
            question=None,
        ),
    ]  # fmt: skip


def _point(
    after: int, required: list[str], stale: list[str] | None = None,
    deleted: list[str] | None = None, question: str | None = QUESTION,
) -> dict[str, Any]:  # fmt: skip
    return {
        "after": after,
        "question": question,
        "required": required,
        "stale": stale or [],
        "deleted": deleted or [],
    }


def _turn(number: int) -> dict[str, Any]:
    if number in CALLS:
        made = {"turn": number, "messages": CALLS[number]}
        return {**made, "memory": CALL_LABELS[number]} if number in CALL_LABELS else made
    if number in PARTS:
        parts, reply = PARTS[number]
        made = {"turn": number, "user": parts, "assistant": reply}
        return {**made, "memory": PART_LABELS[number]} if number in PART_LABELS else made
    if number not in EVENTS:
        user, assistant = filler(number)
        return {"turn": number, "user": user, "assistant": assistant}
    user, assistant, op, attribute, value = EVENTS[number]
    label = {"op": op, "attribute": attribute}
    if value is not None:
        label["value"] = value
    return {"turn": number, "user": user, "assistant": assistant, "memory": label}


def suite() -> dict[str, Any]:
    """The whole suite as JSON data."""
    return {
        "name": "atelier-60",
        "description": "A workshop in French: tool calls, parts, a photograph, the same facts in them.",
        "instructions": "Réponds d'après la conversation et les notes citées. Dis ce qui manque.",
        "tools": TOOLS,
        "turns": [_turn(number) for number in range(1, 61)],
        "checkpoints": _checkpoints(),
        "budget": {"window": 1152, "answer": 256, "margin": 32},
        "settings": {
            "tokenizer": {"name": 'gemma-4-e2b(frame="tool-text")', "media_tokens": 256},
            "facts": {"quota": 320},
            "notes": {
                "reserve": 128,
                "cues": [
                    "décidé", "décide", "convenu", "choisi", "je prends", "il faut", "doit",
                    "doivent", "jamais", "toujours", "délai", "échéance", "au lieu de", "plutôt",
                    "on passe", "exige", "limite", "plafonne", "repoussée", "finalement",
                ],
            },
            "sweep": {"quota": [160, 320]},
        },
    }  # fmt: skip
