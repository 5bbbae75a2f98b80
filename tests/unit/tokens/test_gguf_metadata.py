"""gguf_metadata: what the gguf package writes is read back, and damage is an error."""

from pathlib import Path

import pytest
from gguf import GGUFReader, GGUFWriter

from palimpsest.errors import InputError
from palimpsest.tokens.gguf_metadata import read_metadata


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_name("A näme 你")
    writer.add_uint32("x.u32", 7)
    writer.add_int64("x.i64", -(2**40))
    writer.add_float32("x.f32", 0.5)
    writer.add_bool("x.bool", True)
    writer.add_token_list(["<s>", "▁a", "", "ß" * 300])
    writer.add_token_scores([0.0, -1.5, -2.0, -1000.0])
    writer.add_token_types([3, 1, 1, 4])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_it_reads_what_the_gguf_package_reads(file: Path) -> None:
    """Every key has the value that the reference reader gives it."""
    reference = {
        key: field.contents()
        for key, field in GGUFReader(file).fields.items()
        if not key.startswith("GGUF.")
    }
    assert reference == read_metadata(file)


def test_only_wanted_keys_are_kept(file: Path) -> None:
    """Prefixes choose; the rest is read over."""
    assert {"x.u32": 7, "x.bool": True} == read_metadata(file, ("x.u", "x.b"))


def test_every_truncation_is_an_error(file: Path) -> None:
    """A file that ends early is damaged wherever it ends."""
    data = file.read_bytes()
    end = len(read_metadata(file)) and data.rfind(b"tokenizer.ggml.token_type") + 30
    for length in range(end):
        file.write_bytes(data[:length])
        with pytest.raises(InputError, match="cannot be read as a GGUF file"):
            read_metadata(file)


def test_absurd_lengths_are_an_error_at_once(file: Path) -> None:
    """A length beyond the file is not looped over."""
    data = bytearray(file.read_bytes())
    at = data.find(b"tokenizer.ggml.tokens") + len("tokenizer.ggml.tokens") + 8
    data[at : at + 8] = (2**62).to_bytes(8, "little")
    file.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as a GGUF file"):
        read_metadata(file)


def test_other_files_are_refused(tmp_path: Path) -> None:
    """Neither another format nor another version nor a missing file is read."""
    other = tmp_path / "x.gguf"
    other.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(InputError, match="cannot be read as a GGUF file"):
        read_metadata(other)
    other.write_bytes(b"GGUF" + (9).to_bytes(4, "little"))
    with pytest.raises(InputError, match="version 9"):
        read_metadata(other)
    with pytest.raises(InputError, match="cannot be read as a GGUF file"):
        read_metadata(tmp_path / "none.gguf")
