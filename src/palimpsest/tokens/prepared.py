"""Loads tokenizers by name or path, from files only: nothing here fetches.

These are the factories behind the entry points, and ``resolve``, which turns what a setting
names (a Spec, a pinned name, a folder or file) into a tokenizer.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jinja2 import TemplateSyntaxError, meta
from tokenizers import Tokenizer as Encoder

from palimpsest import registry
from palimpsest.errors import InputError, NotPrepared, TemplateError
from palimpsest.protocols import Tokenizer
from palimpsest.tokens import cache, files, manifest
from palimpsest.tokens.expression import MediaTokens
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.tokens.prepare import prepared
from palimpsest.tokens.template import ChatTemplate, environment
from palimpsest.types import Spec

if TYPE_CHECKING:
    from palimpsest.config import Config

_KEPT = 3
"""Vocabularies that stay loaded: one is read in a second or two, and never changed after."""
_loaded: OrderedDict[str, Encoder] = OrderedDict()
_loading = threading.Lock()
_TAKE_MEDIA_TOKENS = ("local", "estimate")


def gemma_4_e2b(media_tokens: int | None = None, frame: str | None = None) -> LocalTokenizer:
    """The tokenizer of Gemma 4 E2B, prepared before; ``media_tokens`` is a media part's cost.

    ``frame`` counts with a template of this package in place of the model's own; then a
    count is exact for that template, and the name of the tokenizer says which it is.
    """
    return load("gemma-4-e2b", media_tokens=media_tokens, frame=frame)


def smollm2_135m(media_tokens: int | None = None) -> LocalTokenizer:
    """The tokenizer of SmolLM2 135M Instruct, prepared before."""
    return load("smollm2-135m", media_tokens=media_tokens)


def load(
    name: str,
    *,
    media_tokens: MediaTokens = None,
    frame: str | None = None,
    cache_dir: Path | None = None,
) -> LocalTokenizer:
    """A pinned tokenizer from the cache; raises NotPrepared unless every byte is right.

    ``frame`` names a template of this package that is used in place of the model's own.
    """
    entry = manifest.entry(name)
    record = prepared(entry, cache_dir)
    place = cache.folder(name, cache_dir)
    template = cache.load(place, record, cache.TEMPLATE)
    vocabulary = cache.load(place, record, cache.VOCABULARY)
    if frame is not None:
        template = manifest.shared_frame(frame).encode()
    shown = name if frame is None else f"{name}(frame={frame!r})"
    fingerprint = record.files[cache.VOCABULARY].sha256
    return LocalTokenizer(
        name=shown,
        encoder=_encoder(vocabulary, fingerprint, str(place / cache.VOCABULARY)),
        template=_template(shown, template, entry.template_variables),
        fingerprint=fingerprint,
        media_tokens=media_tokens,
        # Property tests hold the frames of this package as they hold the pinned templates.
        proven=record.proven,
    )


def local(
    path: str, template: str | None = None, media_tokens: int | None = None
) -> LocalTokenizer:
    """The tokenizer of a folder, a ``tokenizer.json`` or a GGUF file, with its template.

    The template is taken from ``chat_template.jinja`` or ``tokenizer_config.json`` beside
    the file, or from the file that ``template`` names.
    """
    place = Path(path).expanduser()
    found = files.read(place, Path(template).expanduser() if template else None)
    if found.template is None:
        raise TemplateError(
            f"{place}: no chat template lies beside it (chat_template.jinja, or chat_template in "
            "tokenizer_config.json), so requests have no exact count; name a file with template="
        )
    _check_special(place, found)
    bare = place.name == cache.VOCABULARY and not place.is_dir()
    name = place.resolve().parent.name if bare else place.name
    fingerprint = hashlib.sha256(found.vocabulary).hexdigest()
    return LocalTokenizer(
        name=name,
        encoder=_encoder(found.vocabulary, fingerprint, str(place)),
        template=_template(name, found.template, found.special_tokens),
        fingerprint=fingerprint,
        media_tokens=media_tokens,
    )


def resolve(name_or_path: str, config: Config) -> Tokenizer:
    """The tokenizer that a setting names: a pinned name, a Spec, or a path to files."""
    if not name_or_path.strip():
        raise InputError(
            f"tokenizer: {name_or_path!r} names nothing; see `palimpsest tokenizer list`"
        )
    media_tokens = config.tokenizer.media_tokens
    if _is_path(name_or_path):
        return local(name_or_path, media_tokens=media_tokens)
    spec = registry.parse(name_or_path)
    given = dict(spec.params)
    takes_media = spec.name in manifest.entries() or spec.name in _TAKE_MEDIA_TOKENS
    if takes_media and media_tokens is not None:
        given.setdefault("media_tokens", media_tokens)
    spec = Spec(name=spec.name, params=tuple(sorted(given.items())))
    return cast(Tokenizer, registry.load("tokenizers", spec))


def _check_special(place: Path, found: files.Found) -> None:
    """Refuse a template that writes a special token which nothing names: it would be lost."""
    assert found.template is not None
    try:
        source = found.template.decode("utf-8")
        wanted = meta.find_undeclared_variables(environment().parse(source))
    except (UnicodeDecodeError, TemplateSyntaxError):
        return  # The template itself is refused where it is compiled.
    for key in sorted(wanted & found.unknown_tokens):
        raise TemplateError(
            f"{place}: the chat template writes {key}, and no tokenizer_config.json beside it says "
            f'what that is, so counts would be short; write {{"{key}": "..."}} there (null '
            "where the model has none)"
        )


def _is_path(text: str) -> bool:
    if text in manifest.entries():
        return False
    named = text.partition("(")[0]
    return os.sep in named or text.endswith((".json", ".gguf")) or Path(text).is_dir()


def _encoder(vocabulary: bytes, fingerprint: str, where: str) -> Encoder:
    """The encoder of a vocabulary; the same one for the same bytes."""
    with _loading:
        if fingerprint not in _loaded:
            _loaded[fingerprint] = _made(vocabulary, where)
        _loaded.move_to_end(fingerprint)
        while len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
        return _loaded[fingerprint]


def _made(vocabulary: bytes, where: str) -> Encoder:
    try:
        return Encoder.from_buffer(vocabulary)
    except Exception as error:  # noqa: BLE001 - the library raises nothing narrower
        raise InputError(f"{where}: is not a tokenizer.json ({error})") from None


def _template(name: str, source: bytes, variables: object) -> ChatTemplate:
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotPrepared(f"{name}: its chat template is not UTF-8 ({error})") from None
    return ChatTemplate(name=name, source=text, variables=cast(dict[str, object], variables))
