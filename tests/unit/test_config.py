"""Settings: read from TOML, laid over each other, refused with the key that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest import config
from palimpsest.config import Config
from palimpsest.errors import ConfigError, InputError


def read(text: str, tmp_path: Path) -> Config:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return config.load(path)


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    """Unnamed settings keep their defaults; the base can be other settings."""
    base = read("[facts]\nquota = 80", tmp_path)
    found = config.merge(base, {"notes": {"cues": ["So:"]}}, where="suite")

    assert (80, "newest") == (found.facts.quota, found.facts.order)
    assert ("So:",) == found.notes.cues
    assert Config().context == found.context


def test_both_spellings_of_a_budget_are_read(tmp_path: Path) -> None:
    """The published names and ours mean the same."""
    ours = read("[budget]\nwindow = 512\nanswer = 128\nmargin = 32", tmp_path)
    published = read("[budget]\ncontext_limit = 512\nmax_new_tokens = 128\nmargin = 32", tmp_path)

    assert ours == published
    assert ours.budget
    assert 352 == ours.budget.input


def test_the_fingerprint_changes_with_every_setting(tmp_path: Path) -> None:
    """It names its algorithm, and two different settings never share it."""
    texts = ("", "[facts]\nquota = 161", "[facts]\norder = 'oldest'", "[notes]\nroles = ['tool']")
    found = {read(text, tmp_path).fingerprint for text in texts}

    assert 4 == len(found)
    assert all(item.startswith("sha256:") and 71 == len(item) for item in found)
    assert Config().fingerprint == read("", tmp_path).fingerprint


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[fact]\nquota = 1", "unknown 'fact'; known tables: budget, compaction, context"),
        ("[facts]\nkwota = 1", "facts: unknown 'kwota'; known keys: order, quota, tries"),
        ("facts = 1", r"facts is not a table; write \[facts\]"),
        ("[facts]\nquota = true", "facts.quota: True is not a whole number"),
        ("[facts]\nquota = '1'", "facts.quota: '1' is not a whole number"),
        ("[facts]\nquota = 1.5", "facts.quota: 1.5 is not a whole number"),
        ("[recall]\nloop = 0", "recall.loop: 0 is below 0.01; it would never rest"),
        ("[recall]\nretry = 0.001", "recall.retry: 0.001 is below 0.01"),
        ("[facts]\nquota = -1", "facts.quota: -1 is below 0"),
        ("[facts]\norder = 'best'", "facts.order: 'best' is not one of 'newest', 'oldest'"),
        ("[notes]\ncues = 'must'", "notes.cues: 'must' is not a list"),
        ("[notes]\ncues = ['must', 3]", r"notes.cues\[1\]: 3 is not a text"),
        ("[notes]\ncues = [' ']", "a cue is blank"),
        ("[notes]\nroles = ['boss']", r"notes.roles\[0\]: 'boss' is not one of 'system'"),
        ("[context]\nmemory_line = 'x'", "must use {text}"),
        ("[context]\nmemory_line = '{text} {turn}'", "is not a line format|may use id"),
        ("[context]\nmemory_line = '{text!x}'", "is not a line format"),
        ("[context]\nmemory_line = '{text.__class__}'", "is not a line format|must use"),
        ('[context]\nnote_line = "{text}\\n"', "holds no line break"),
        ("[context]\nblock = 'a b'", "is not a tag name"),
        ("[context]\nblock = ''", "is not a tag name"),
        ("[budget]\nwindow = 10", "budget.answer: is missing"),
        ("[budget]\nwindow = 10\nanswer = 1\nmax = 1", "budget: unknown 'max'"),
        ("[facts", "is not TOML"),
        ("[tokenizer]\nmedia_tokens = 'x'", "tokenizer.media_tokens: 'x' is not a whole number"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(text: str, error: str, tmp_path: Path) -> None:
    """The error says file, table, key, value and what would be right."""
    with pytest.raises(ConfigError, match=error) as caught:
        read(text, tmp_path)

    assert "settings.toml" in str(caught.value)


def test_a_budget_that_leaves_no_room_is_refused(tmp_path: Path) -> None:
    """The numbers are checked together too."""
    with pytest.raises(InputError, match="leaves no input space"):
        read("[budget]\nwindow = 10\nanswer = 10", tmp_path)


def test_a_file_that_cannot_be_read_is_a_settings_error(tmp_path: Path) -> None:
    """Missing, a directory, or not text: all say the path."""
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.toml", ".", "binary.toml"):
        with pytest.raises(ConfigError, match="cannot be read|is not TOML"):
            config.load(tmp_path / name)
