"""A pinned tokenizer small enough for tests: a hub repository, and two data packages."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from gguf import GGUFWriter

from palimpsest.tokens import gguf_metadata, gguf_vocabulary
from palimpsest.tokens.manifest import Entry, Hub, Packages, Wheel
from tests.support.hub_server import HubServer
from tests.support.small_tokenizers import CHATML, vocabulary

REPO, REVISION = "toys/toy", "ab" * 20


@dataclass(frozen=True)
class Toy:
    """The entry, what its hub serves, and the folder that holds its wheels."""

    entry: Entry
    hub_files: dict[str, bytes]
    wheels: Path

    def hub(self) -> HubServer:
        return HubServer(repo=REPO, revision=REVISION, files=dict(self.hub_files))


def make_toy(place: Path) -> Toy:
    """Write the wheels below ``place`` and pin everything that was written."""
    gguf = _gguf(place / "toy.gguf")
    data = gguf.read_bytes()
    half = len(data) // 2
    parts = (data[:half], data[half:])
    wheels = tuple(_wheel(place, f"toy-gguf-part{i}", part) for i, part in enumerate(parts, 1))
    template = CHATML.encode()
    converted = gguf_vocabulary.tokenizer_json(gguf_metadata.read_metadata(gguf))
    entry = Entry(
        name="toy",
        title="A toy",
        special_tokens={"bos_token": "<s>"},
        variables={},
        hub=Hub(
            repo=REPO, revision=REVISION, licence="MIT", vocabulary="tokenizer.json",
            template="chat_template.jinja", template_sha256=_sha256(template), proven=False,
        ),
        packages=Packages(
            licence="MIT", gguf_bytes=len(data), gguf_sha256=_sha256(data),
            vocabulary_bytes=len(converted), vocabulary_sha256=_sha256(converted),
            template_sha256=_sha256(template), proven=True, wheels=wheels,
        ),
    )  # fmt: skip
    files = {"tokenizer.json": vocabulary().to_str().encode(), "chat_template.jinja": template}
    return Toy(entry=entry, hub_files=files, wheels=place)


def _gguf(path: Path) -> Path:
    encoder = vocabulary()
    controls = {added.content for added in encoder.get_added_tokens_decoder().values()}
    pieces = sorted(encoder.get_vocab().items(), key=lambda item: item[1])
    writer = GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([piece for piece, _ in pieces])
    writer.add_token_types([3 if piece in controls else 1 for piece, _ in pieces])
    writer.add_token_merges(["e r", "t h", "th e", "Ġ the", "Ċ Ċ", "Ġ Ġ", "l l"])
    writer.add_chat_template(CHATML)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _wheel(place: Path, package: str, part: bytes) -> Wheel:
    module = package.replace("-", "_")
    file, info = f"{module}-1.0.0-py3-none-any.whl", f"{module}-1.0.0.dist-info"
    member = f"{module}/data/part"
    written = {
        member: part,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{name},sha256={_record(data)},{len(data)}\n" for name, data in written.items()
    )
    with zipfile.ZipFile(place / file, "w") as archive:
        for name, data in {**written, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(name, data)
    data = (place / file).read_bytes()
    return Wheel(
        package=package,
        version="1.0.0",
        file=file,
        bytes=len(data),
        sha256=_sha256(data),
        member=member,
    )


def _record(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
