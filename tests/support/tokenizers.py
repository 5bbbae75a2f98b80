"""A real tokenizer folder that a test can name on the command line."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}> {{ m.content }} </s> {% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)


def word_folder(place: Path) -> Path:
    """A folder with a ``tokenizer.json`` of one token a word, and a chat template."""
    place.mkdir(parents=True, exist_ok=True)
    words = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(place / "tokenizer.json"))
    (place / "chat_template.jinja").write_text(TEMPLATE)
    return place
