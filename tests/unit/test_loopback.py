"""What is this machine: an address of its own, or the one name."""

import pytest

from palimpsest.loopback import host_of, is_here


@pytest.mark.parametrize(
    ("host", "expected"),
    [("localhost", True), ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True),
     ("localhost.example.com", False), ("my-localhost", False), ("10.0.0.1", False), ("", False)],
)  # fmt: skip
def test_a_host_with_localhost_in_its_name_is_another_machine(host: str, expected: bool) -> None:
    """The whole host decides; no part of it does."""
    assert expected == is_here(host)


@pytest.mark.parametrize(
    ("header", "expected"),
    [("127.0.0.1:8377", "127.0.0.1"), ("LOCALHOST", "localhost"), ("[::1]:80", "::1"),
     ("evil.example:80", "evil.example"), ("[::1", ""), ("", "")],
)  # fmt: skip
def test_the_host_of_a_header_is_read_without_its_port(header: str, expected: str) -> None:
    """A header that names no host names no machine."""
    assert expected == host_of(header)
