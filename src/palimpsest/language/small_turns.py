"""Small words that are no content and yet turn a fact, and small words that turn nothing.

Invariant: a class of ``SIDES`` is compared as a whole: two texts are apart where each has a
class that the other has not, or where only one has a word of ``BINDING``.
"""

from __future__ import annotations

from collections.abc import Mapping

import regex

from palimpsest.language.one_spelling import spelt


def _table(text: str) -> Mapping[str, str]:
    """``class: word word ...`` a line, as word to class; the class ``=`` keeps each word apart."""
    found: dict[str, str] = {}
    for line in text.strip().splitlines():
        name, _, words = line.strip().partition(": ")
        for word in words.split():
            found[word] = found[spelt(word, "fr")] = word if name == "=" else name
    return found


def _set(text: str) -> frozenset[str]:
    words = text.split()
    return frozenset(words) | {spelt(word, "fr") for word in words}


PERSONS = _table(
    """speaker: i me my we us our ours je j me moi mon ma mes nous notre nos ich mich mir
    speaker: mein meine meinen meinem meiner meines wir uns unser unsere unseren yo mi mis nosotros
    speaker: nuestro nuestra io mio mia miei mie noi nostro nostra eu meu minha meus minhas nós
    listener: you your yours tu toi ton ta tes vous votre vos du dich dir dein deine
    he: he him his il er ihn ihm
    she: she her hers elle ella ela
    they: they them their theirs ils elles leur leurs
    third: son sa ses sien sienne su sus suyo suo sua suoi sue seu seus suas sein seine seinen
    third: seinem seiner seines ihre ihrem ihren ihrer"""
)
OBJECTS = _table(
    """speaker: me us moi m mich mir uns
    he: him lui ihm ihn
    they: them eux ihnen"""
)
"""To whom something is done: what one text says of them the other must say too."""
TENSES = _table(
    """was: was were étais était étions étaient war waren era eran fue fueron foi eram был была
    was: было были
    had: had avais avait avions avaient hatte hatten aveva avevano tinha
    is: is are am suis est sommes sont ist bin sind es son è sono é são
    has: has have ai as avons avez ont habe hat haben tiene ha hanno tem"""
)
COMPANY = frozenset({"with", "avec"})
"""Beside the same content words its absence says another thing."""
PAST = frozenset({"was", "had"})
"""Classes of tenses of which one text alone says that it is over."""
DIRECTIONS = _table(
    """=: before after until over under above below against more less most least inside outside
    =: left right up down off instead avant après depuis moins contre sous sur devant derrière
    =: gauche droite vor nach bis seit mehr weniger gegen über unter links rechts antes después
    =: hasta contra más menos izquierda derecha prima dopo fino contro più meno sinistra destra
    =: depois até mais esquerda direita might may could should would must"""
)
SIDES = (PERSONS, TENSES, DIRECTIONS)

BINDING = _set(
    """only unless except if when almost will shall would could should must may up off out seulement uniquement sauf si quand lorsque presque nur
    außer wenn falls fast solo sólo salvo excepto cuando casi tranne quando quasi só somente exceto
    maybe perhaps might or ou oder dois doit devons doivent
    peux peut pouvons peuvent chaque malgré hormis excepté sans peut-être vielleicht quizás quizá forse talvez"""
)
"""A condition, an exception or a doubt: its absence says more."""

KINDS = _set("""of s sur de d du des von vom di del della dell do da dos das""")
"""What such a word brings in may say which kind of the thing before it."""

COMPARING = _set(
    """than rather prefer prefers preferred préfère préfères préférer préférons préféré plutôt
    que lieber als prefiere prefiero preferimos preferisco preferisce prefiro prefere a"""
)
"""Beside such a word an exchange of places changes what is said."""

TELLING = _set(
    """other others same both few little enough too autre autres plupart plusieurs peu trop haut
    grande grand nouveau nouveaux nouvelle mot sujet pièce valeur état début passé voie essai bon
    bonne chose environ dedans hors selon rarement tout tous toute toutes andere anderen anderer
    wenig wenige neue neuen neuer gut otro otra otros otras poco pocos nuevo nueva mismo altro altra
    poco pochi nuovo nuova stesso outro outra pouco poucos novo nova mesmo"""
)
"""Words that a list of stop words holds and that say something of a fact."""
FILLERS = _set(
    """always really very quite also still now already actually usually away got just so much lot
    honestly basically simply literally truly
    toujours vraiment franchement simplement très aussi encore maintenant déjà beaucoup bien ja jetzt auch schon immer
    wirklich sehr noch ahora ya siempre muy también adesso ora sempre molto anche già agora muito
    também já"""
)
"""They strengthen or soften a statement and leave it what it is."""

PLACING = _set(
    """near beside behind beyond among along across through around during towards toward against
    près chez vers entre parmi pendant durant derrière devant neben hinter zwischen während bei
    cerca junto detrás entre durante vicino accanto dietro tra fra perto atrás"""
)
"""They begin what is added to a statement, and say no kind."""

_ASKED = r"(?:remember|note|recall|know|keep in mind|write down|bear in mind)"
_DEMANDED = r"(?:noter|retenir|te rappeler|te souvenir|savoir)"
_OPENERS = (
    rf"(?:(?:can|could|would|will) you )?(?:please,? )?{_ASKED}(?:,? please)?(?: that|:)?",
    r"(?:please )?(?:do not|don't) forget(?: that)?", r"by the way",
    r"as i (?:said|told you|mentioned)", r"you know", r"i told you that",
    r"(?:just )?so you know", r"just to let you know", r"for (?:your information|the record)", r"fyi",
    r"i (?:just )?(?:wanted|want) (?:to tell you|to let you know|you to know)(?: that)?",
    r"(?:oh|ah|well|so|ok|okay|yes|yeah|hey|hi|hello|like|honestly|frankly|anyway)\s*[,:!](?: and\b)?",
    r"also,",
    r"(?:rappelle-toi|souviens-toi|note|n'oublie pas|n'oubliez pas|je te rappelle|sache)(?: bien)? qu(?:e |')",
    rf"(?:est-ce que )?(?:tu peux|peux-tu|pourrais-tu|tu pourrais|vous pouvez|pouvez-vous) {_DEMANDED} qu(?:e |')",
    rf"merci de (?:bien )?{_DEMANDED} qu(?:e |')",
    r"je (?:voulais|veux|tiens à|tenais à) (?:te|vous) dire qu(?:e |')",
    r"pour (?:info|information|que tu le saches)", r"du coup", r"en fait",
    r"(?:oh|ah|euh|bon|ben|bah|oui|alors|bref|salut|bonjour|franchement)(?: (?:oui|ben|bon|alors))?\s*[,:!]",
    r"au fait", r"tu sais", r"comme je (?:te )?l'ai dit", r"übrigens", r"denk daran,? dass",
    r"por cierto", r"recuerda que", r"a proposito", r"ricorda che", r"a propósito",
    r"lembra(?:-te)? que", r"aliás", r"кстати", r"顺便说一下",
)  # fmt: skip
_OPENER = regex.compile(
    rf"^(?:(?:{'|'.join(_OPENERS)})(?:(?<=[ ',:!])|\b)\s*[,:]?\s*)+(?=\S)", regex.IGNORECASE
)
_IN_PASSING = regex.compile(r"\ben train d(?:e |')", regex.IGNORECASE)


def without_opener(text: str) -> str:
    """A text without the words that only ask to note what follows."""
    return _IN_PASSING.sub("", _OPENER.sub("", text.replace("\u2019", "'")))
