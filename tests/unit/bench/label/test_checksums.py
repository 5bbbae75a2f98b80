"""Checksums of card numbers and IBANs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.bench.label.checksums import is_card, is_iban, with_iban, with_luhn


def test_known_numbers_pass_and_their_neighbours_do_not() -> None:
    """The numbers that the card schemes and the IBAN registry publish as examples."""
    for card in ("4111111111111111", "5500005555555559", "378282246310005"):
        assert is_card(card)
        assert not is_card(card[:-1] + str((int(card[-1]) + 1) % 10))
    for iban in ("DE89370400440532013000", "GB29NWBK60161331926819", "PT50000201231234567890154"):
        assert is_iban(iban)
        assert not is_iban(iban[:-1] + str((int(iban[-1]) + 1) % 10))
    assert not is_iban("DE89")
    assert not is_card("4111 1111")


@given(st.text("0123456789", min_size=13, max_size=19))
def test_the_last_digit_is_put_right(digits: str) -> None:
    """Any digits become a card number by their last one alone."""
    made = with_luhn(digits)
    assert is_card(made)
    assert digits[:-1] == made[:-1]


@given(st.text("0123456789ABCXYZ", min_size=11, max_size=30))
def test_an_account_becomes_an_iban(account: str) -> None:
    """Check digits are computed for letters and digits."""
    assert is_iban(with_iban("DE", account))
