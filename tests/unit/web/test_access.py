"""Which user of the store a request may speak for."""

import pytest

from palimpsest.errors import Forbidden, InputError
from palimpsest.web.access import Access


def test_a_key_of_one_user_needs_no_name() -> None:
    """The only user of a key is meant where none is named."""
    assert Access(users=frozenset({"ana"})).user() == "ana"


def test_a_key_of_several_users_asks_for_a_name() -> None:
    """Nobody is guessed."""
    with pytest.raises(InputError, match="name one"):
        Access(users=frozenset({"ana", "bo"})).user()


@pytest.mark.parametrize("named", ["bo", "", "ANA", "ana ", "ana/bo", "acme/ana"])
def test_a_key_never_reaches_another_user(named: str) -> None:
    """A name that the key does not hold is refused, whatever it looks like."""
    with pytest.raises(Forbidden):
        Access(users=frozenset({"ana"})).user(named)


@pytest.mark.parametrize("named", ["ana", "other/ana", "../other/ana", "acme/ana"])
def test_a_tenant_stays_under_its_own_name(named: str) -> None:
    """Whatever a client of a tenant names lies under the tenant."""
    access = Access(tenant="acme")
    stored = access.user(named)
    assert f"acme/{named}" == stored
    assert access.holds(stored)
    assert named == access.shown(stored)


def test_a_tenant_does_not_hold_a_longer_tenant() -> None:
    """acme is not acme-two, and no user is called as a tenant is."""
    access = Access(tenant="acme")
    assert not access.holds("acme-two/ana")
    assert not access.holds("acme")


def test_no_key_holds_everybody() -> None:
    """On this machine without keys any user can be named."""
    assert Access().user("ana") == "ana"
    assert Access().user() == "default"
    assert Access().holds("anybody")
