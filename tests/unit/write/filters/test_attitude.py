"""What the assistant thinks or supposes is no memory of the user."""

from __future__ import annotations

import pytest

from palimpsest.write.filters.attitude import attitude
from tests.support.seeing import proposing, seeing

OF_ASSISTANT = (
    "The assistant is fond of jazz.",
    "You seem to like jazz.",
    "I think you like jazz.",
    "The AI enjoys long talks.",
    "L'assistant trouve Lyon charmante.",
    "Tu sembles aimer le jazz.",
    "J'ai l'impression que tu aimes le jazz.",
    "Der Assistent mag Jazz.",
    "Du scheinst Jazz zu mögen.",
    "El asistente prefiere el jazz.",
    "Parece que te gusta el jazz.",
    "L'assistente ama il jazz.",
    "Sembra che ti piaccia il jazz.",
    "O assistente adora jazz.",
    "Parece que você gosta de jazz.",
)
KEPT = (
    "I like jazz.",
    "My assistant at Acme is called Ana.",
    "The assistant at Acme is called Ana.",
    "The bot runs nightly at 02:00.",
    "The model S costs 90,000 euros.",
    "You should always answer in French.",
    "You can reach Bob at 220 555 014.",
    "I told you that I like jazz.",
    "L'assistante sociale vient mardi.",
    "Ihr Bruder liebt Jazz.",
    "Parece que la reunión es el martes.",
    "Sembra che la riunione sia martedì.",
    "Te llamo mañana a las nueve.",
    "Tu peux m'appeler Sam.",
    "El asistente de mi jefa se llama Luis.",
)
FALSE_ALARMS = (
    # "You" that means anybody.
    "You feel the cold at once in that house.",
)


@pytest.mark.parametrize("text", [*OF_ASSISTANT, *FALSE_ALARMS])
def test_an_attitude_of_the_assistant_is_refused(text: str) -> None:
    """Told of the assistant, or supposed of a "you", in six languages."""
    seen = seeing(text)
    assert "assistant-attitude" == attitude(proposing(seen, text), seen)


@pytest.mark.parametrize("text", KEPT)
def test_what_the_user_says_stays(text: str) -> None:
    """Of themselves, of other people called assistants, of programs, and rules."""
    seen = seeing(text)
    assert attitude(proposing(seen, text), seen) is None


@pytest.mark.parametrize(
    ("user", "assistant", "text"),
    [
        ("Put on some music.", "You seem to like jazz.", "The user likes jazz."),
        ("Mets de la musique.", "Tu sembles aimer le jazz.", "L'utilisateur aime le jazz."),
        ("Mach Musik an.", "Du scheinst Jazz zu lieben.", "Der Nutzer liebt Jazz."),
        ("Pon música.", "Parece que te gusta el jazz.", "Al usuario le gusta el jazz."),
        ("Metti la musica.", "Sembra che ami il jazz.", "L'utente ama il jazz."),
        ("Põe música.", "Parece que gosta de jazz.", "O usuário gosta de jazz."),
    ],
)
def test_a_liking_that_only_the_assistant_named_is_refused(
    user: str, assistant: str, text: str
) -> None:
    """The quote is the user's, but what is liked is the assistant's word."""
    seen = seeing(user, assistant)
    assert "assistant-attitude" == attitude(proposing(seen, text), seen)
    named = seeing(f"{user} Jazz.", assistant)
    assert attitude(proposing(named, text), named) is None


def test_a_guess_that_the_user_only_confirms_is_refused_too() -> None:
    """A known false positive: "yes" holds no words of the fact, and a fact is quoted."""
    seen = seeing("Yes, exactly.", before=(("Put on some music.", "You seem to like jazz."),))
    assert "assistant-attitude" == attitude(proposing(seen, "The user likes jazz."), seen)
