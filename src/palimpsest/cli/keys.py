"""``palimpsest keys``: who may ask the server, and for whom.

A key is shown once, when it is made; the store keeps a digest of it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.store_options import opened, store_only
from palimpsest.errors import InputError
from palimpsest.language.invisible import shown
from palimpsest.store.keys import Key

_SECRET = frozenset({"salt", "digest"})


@click.group()
def keys() -> None:
    """The keys of the server: who may ask, and for whom.

    Without keys `palimpsest serve` answers this machine alone. With the first key it asks
    everybody for one.
    """


@keys.command()
@click.argument("name")
@click.option("--user", "users", multiple=True, help="A user it speaks for; may be given again.")
@click.option("--tenant", default="", help="All users of a tenant, present and to come.")
@click.option("--owner", is_flag=True, help="Everybody, the pages, audits and figures too.")
@store_only
def add(name: str, users: tuple[str, ...], tenant: str, owner: bool, store: Path) -> None:
    """Make the key NAME and show it, this once.

    Name whom it holds by one of --user, --tenant and --owner. A running server knows it at
    once.
    """
    if sum((bool(users), bool(tenant), owner)) != 1:
        raise InputError(
            f"key {name!r}: whom does it hold? Give one of --user USER (again for more), "
            "--tenant TENANT and --owner"
        )
    with opened(store, make=True) as memory:
        key, secret = memory.keys.add(name, users=users or None, tenant=tenant)
        there = [user for user in memory.users() if tenant and user.startswith(f"{tenant}/")]
    click.echo(secret)
    click.echo(f"is the key {shown(name)!r}, which holds {_held(key)}.", err=True)
    if there:
        click.echo(f"It reaches {len(there)} users of that tenant that are here already.", err=True)
    click.echo("It is shown this once: the store keeps a digest of it.", err=True)


@keys.command("list")
@click.option("--json", "target", metavar="PATH|-", help="Write JSON; - is standard output.")
@store_only
def list_(target: str | None, store: Path) -> None:
    """List the keys, the revoked ones too, without their secrets."""
    with opened(store) as memory, json_output(target) as write:
        found = memory.keys.all()
        write({"schema": 1, "keys": [_plain(key) for key in found]})
    if target == STDOUT:
        return
    for key in found:
        state = f"revoked {key.revoked_at[:19]}" if key.revoked_at else "in use"
        click.echo(
            f"{shown(key.name)}: {_held(key)}; begins {key.prefix!r}; made {key.created_at[:19]}; "
            f"{state}"
        )
    if not found:
        click.echo("there are no keys; 'palimpsest serve' answers this machine alone")


@keys.command()
@click.argument("name")
@store_only
def revoke(name: str, store: Path) -> None:
    """Refuse the key NAME from now on, also in a server that runs."""
    with opened(store) as memory:
        memory.keys.revoke(name)
        usable = memory.keys.usable
    click.echo(f"key {shown(name)!r} is refused from now on")
    if not usable:
        click.echo(
            "no key is left, so nobody is answered: 'palimpsest keys add' makes another, "
            "'palimpsest keys remove-all' lets this machine ask without one"
        )


@keys.command("remove-all")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@store_only
def remove_all(yes: bool, store: Path) -> None:
    """Remove every key; this machine alone is answered then."""
    with opened(store) as memory:
        if not yes:
            click.confirm(f"Remove all {len(memory.keys.all())} keys?", abort=True)
        count = memory.keys.remove_all()
    click.echo(f"{count} keys were removed; this machine alone is answered, without a key")


def _held(key: Key) -> str:
    if key.tenant:
        return f"tenant {shown(key.tenant)!r}"
    if key.users is None:
        return "everybody"
    return "user " + ", ".join(repr(shown(user)) for user in key.users)


def _plain(key: Key) -> dict[str, object]:
    found = dataclasses.asdict(key)
    return {name: value for name, value in found.items() if name not in _SECRET}
