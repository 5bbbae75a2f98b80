"""estimate: generous per script, additive, marked, and never below Gemma's own count."""

import base64
import random

import pytest

from palimpsest import messages
from palimpsest.errors import TemplateError
from palimpsest.tokens.estimate import Estimate
from palimpsest.tokens.local import LocalTokenizer

TEXTS = {
    "chinese": "会议改到周四下午三点半在二号楼，请大家准时参加，并带上上周的会议纪要与预算表。",
    "traditional": "會議改到週四下午三點半在二號樓，請大家準時參加。龍鳳呈祥，饕餮盛宴。",
    "japanese": "了解しました。来週の木曜日の午後三時半に、二号館でお待ちしております。カタカナのプロジェクト名です。",
    "korean": "알겠습니다. 회의는 다음 주 목요일 오후 세 시 반에 이호관에서 열립니다. 예산표를 꼭 가져오세요.",
    "emoji": "Great job! 🔥🎉👩‍👩‍👧‍👦 👍🏽 🇵🇹🏳️‍🌈 ❤️✨ 😀😂🥹🫠🪿",
    "russian": "Встреча перенесена на четверг, в половине четвёртого, во второй корпус. Принесите смету.",
    "ukrainian": "Зустріч перенесено на четвер о пів на четверту; будь ласка, візьміть кошторис.",
    "arabic": "تم تأجيل الاجتماع إلى يوم الخميس الساعة الثالثة والنصف في المبنى الثاني، يرجى إحضار الميزانية.",
    "hebrew": "הפגישה נדחתה ליום חמישי בשעה שלוש וחצי בבניין השני, נא להביא את הפרוטוקול.",
    "hindi": "बैठक गुरुवार दोपहर साढ़े तीन बजे दूसरी इमारत में होगी, कृपया बजट साथ लाएँ।",
    "thai": "การประชุมเลื่อนไปเป็นวันพฤหัสบดี เวลาบ่ายสามโมงครึ่ง ที่อาคารสอง",
    "vietnamese": "Cuộc họp được dời sang thứ Năm lúc ba giờ rưỡi chiều tại tòa nhà số hai.",
    "greek": "Η συνάντηση μεταφέρθηκε την Πέμπτη στις τρεισήμισι στο δεύτερο κτίριο.",
    "turkish": "Toplantı perşembe öğleden sonra üç buçuğa ertelendi; lütfen bütçe tablosunu getirin.",
    "finnish": "Kokous siirrettiin torstaille kello puoli neljään; tuokaa talousarvio ja pöytäkirja.",
    "german": "Die Donaudampfschifffahrtsgesellschaft verlegte die Sitzung auf Donnerstag um halb vier.",
    "french": "La réunion est reportée à jeudi à quinze heures trente, au bâtiment deux, s'il vous plaît.",
    "polish": "Spotkanie przełożono na czwartek na wpół do czwartej w drugim budynku.",
    "georgian": "შეხვედრა გადაიდო ხუთშაბათს, ოთხის ნახევარზე, მეორე კორპუსში.",
    "tamil": "கூட்டம் வியாழக்கிழமை மாலை மூன்றரை மணிக்கு இரண்டாம் கட்டிடத்தில் நடைபெறும்.",
    "amharic": "ስብሰባው ሐሙስ ከሰዓት በኋላ በሁለተኛው ሕንፃ ይካሄዳል።",
    "burmese": "အစည်းအဝေးကို ကြာသပတေးနေ့ ညနေ သုံးနာရီခွဲတွင် ကျင်းပမည်။",
    "english": "The meeting has moved to Thursday at half past three in building two; bring the minutes.",
    "python": 'def f(x: int) -> list[str]:\n    """Return."""\n    return [str(i) for i in range(x) if i % 2 == 0 and not (i >> 3) & 0xFF]\n\n\nclass HTTPServerErrorHandler(BaseRequestHandler):\n\tpass\n',
    "c": '#include <stdio.h>\nint main(void){for(int i=0;i<10;++i){printf("%d\\n",i);}return 0;}\n',
    "json": '{"id":"call_8f3a2b","type":"function","function":{"name":"getWeather","arguments":"{\\"q\\":[1,2.5e-3,null]}"}}',
    "url": "https://example.org/a/b_c/d-e?q=xYz123&token=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.abcDEF#frag",
    "identifiers": "550e8400-e29b-41d4-a716-446655440000 TKT-100 PNR XQ7ZKP IBAN DE89370400440532013000",
    "digits": "31415926535897932384626433832795028841971693993751 +351 912 345 678 1,234,567.89",
    "signs": "∑ᵢ xᵢ² ≤ ‖x‖₂·√n, ∀ε>0 ∃δ: α→β ⇒ ∂f/∂x ≠ ∞ ½ ¼ ™ © € £ ¥",
    "table": "┌──────┐\n│ abc  │\n└──────┘\n| a | b |\n|---|---|\n",
    "mixed": "我们 use Kubernetes v1.29 在 東京 datacenter，OK？ Привет!",
    "blanks": "a" + " " * 50 + "b\n\n\n\nc\t\t\td      \n  e",
    "names": "Przemysław Wójcik, Nguyễn Thị Hồng, Þórður Guðmundsson, Saoirse Ní Bhriain, Oyelowo",
    "case": "pAsSw0rD hUnTeR2 iPhOnE16pRo mAX x1y2z3 AbCdEfGhIjKl xkcd qwrtp BCDFGHJKLMNP",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_is_estimated_below_gemmas_count(gemma: LocalTokenizer, name: str) -> None:
    """An estimate may waste space; it may not overspend."""
    assert gemma.count_text(TEXTS[name]) <= Estimate().count_text(TEXTS[name])


def test_machine_made_strings_are_not_underestimated(gemma: LocalTokenizer) -> None:
    """Long digits, hexadecimal and base64, a hundred of each from a fixed seed."""
    draw = random.Random(5)
    made = [str(draw.getrandbits(300)) for _ in range(100)]
    made += [draw.randbytes(60).hex() for _ in range(100)]
    made += [base64.b64encode(draw.randbytes(90)).decode() for _ in range(100)]
    assert [] == [t for t in made if gemma.count_text(t) > Estimate().count_text(t)]


def test_a_request_is_estimated_above_gemmas_count_and_below_three_times(
    gemma: LocalTokenizer,
) -> None:
    """Per-message overhead is generous, and an estimate stays useful on ordinary text."""
    chat = messages.messages(
        [{"role": "user", "content": TEXTS["english"]}, {"role": "assistant", "content": "Noted."}]
        * 5
    )
    exact, estimated = gemma.count_request(chat, ()), Estimate().count_request(chat, ())
    assert exact <= estimated <= 3 * exact


def test_the_frame_says_estimated() -> None:
    """Whoever reads a count of it can tell."""
    frame = Estimate().frame
    assert (True, True, "estimate") == (frame.estimated, frame.additive, frame.name)
    assert frame.fingerprint != Estimate(media_tokens=3).frame.fingerprint


def test_estimates_add_up() -> None:
    """Opening, units and closing make the request, tools and calls included."""
    estimate = Estimate()
    call = {"id": "c1", "function": {"name": "look", "arguments": "{}"}}
    chat = messages.messages(
        [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "seen"},
        ]
    )
    tools = messages.tools([{"name": "look", "description": "Looks at a thing."}])
    parts = (
        estimate.count_opening(chat[0], tools)
        + estimate.count_unit(chat[:1])
        + estimate.count_unit(chat[1:])
        + estimate.count_closing()
    )
    assert parts == estimate.count_request(chat, tools)
    assert estimate.count_request(chat, ()) < estimate.count_request(chat, tools)
    assert estimate.count_unit(chat[:1]) < estimate.count_unit(chat[:2])


def test_media_is_declared_or_refused() -> None:
    """An estimate knows no more of an image than a template does."""
    image = messages.messages([{"role": "user", "content": [{"type": "image", "data": "A" * 999}]}])
    with pytest.raises(TemplateError, match="media_tokens"):
        Estimate().count_request(image, ())
    empty = messages.messages([{"role": "user", "content": ""}])
    estimate = Estimate(media_tokens=85)
    assert estimate.count_request(image, ()) == estimate.count_request(empty, ()) + 85


def test_an_empty_text_costs_nothing() -> None:
    """Zero is the only estimate that is exact."""
    assert 0 == Estimate().count_text("")
