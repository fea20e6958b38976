"""``arpad account``: who can sign in to the web app."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption  # noqa: TC001 - Typer reads them

if TYPE_CHECKING:
    from arpad.web.security.accounts import Role

__all__ = ["add_to"]

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the account is called.")]

account = typer.Typer(
    help="Say who can sign in to the web app.", no_args_is_help=True, rich_markup_mode=None
)


@account.command("add")
def add(
    name: Name,
    role: Annotated[str, typer.Option(help="viewer or administrator.")] = "viewer",
    db: DbOption = None,
) -> None:
    """Make an account; the password is asked for, or read from the input.

    Where there is no ledger yet, an empty one is made.
    """
    from arpad.cli.output import say
    from arpad.store.ledger.places import Place
    from arpad.web.security.accounts import add_account

    place = Place.of(db)
    new = place.file if place.file is not None and not place.file.exists() else None
    try:
        with opened(db, create=new is not None) as ledger:
            password = _password(name)
            with ledger.writing(None, f"account {name}") as connection:
                made = add_account(connection, name, password, _role(role))
    except BaseException:
        if new is not None:  # a password that is too short leaves no empty ledger behind
            new.unlink(missing_ok=True)
        raise
    if new is not None:
        say(
            f"{place.shown} is a new, empty ledger: `arpad serve` shows it, events are uploaded there"
        )
    say(f"{made.name} can sign in as {made.role}")


@account.command("password")
def password(name: Name, db: DbOption = None) -> None:
    """Give somebody another password; whoever is signed in under the name is signed out."""
    from arpad.cli.output import say
    from arpad.web.security.accounts import change_password

    with opened(db) as ledger:
        new = _password(name)
        with ledger.writing(None, f"account {name}") as connection:
            change_password(connection, name, new)
    say(f"{name} has another password")


@account.command("role")
def role(
    name: Name,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="viewer or administrator.")],
    db: DbOption = None,
) -> None:
    """Let somebody decide, or only look."""
    from arpad.cli.output import say
    from arpad.web.security.accounts import change_role

    with opened(db) as ledger, ledger.writing(None, f"account {name}") as connection:
        change_role(connection, name, _role(role))
    say(f"{name} is {role} now")


@account.command("remove")
def remove(name: Name, db: DbOption = None) -> None:
    """Take an account away; what it decided keeps its name."""
    from arpad.cli.output import say
    from arpad.web.security.accounts import remove_account

    with opened(db) as ledger, ledger.writing(None, f"account {name}") as connection:
        remove_account(connection, name)
    say(f"{name} can no longer sign in")


@account.command("list")
def listed(db: DbOption = None, format: FormatOption = None, output: OutputOption = None) -> None:
    """Show who can sign in."""
    import polars as pl

    from arpad.cli.output import emit
    from arpad.publish.tables import rich_table
    from arpad.web.security.accounts import accounts

    with opened(db) as ledger, ledger.reading() as connection:
        found = [
            {"name": a.name, "role": a.role, "created": a.created.date()}
            for a in accounts(connection)
        ]
    rows = pl.DataFrame(found, schema={"name": pl.String, "role": pl.String, "created": pl.Date})
    words = "nobody can sign in yet: arpad account add NAME --role administrator"
    emit(
        format,
        output,
        people=lambda: [rich_table(rows)] if found else [words],
        rows=lambda: rows,
        document=lambda: {"accounts": found},
    )


def _role(role: str) -> Role:
    from typing import cast

    return cast("Role", role)  # whoever writes it into the ledger looks whether it is one


def _password(name: str) -> str:
    """Ask for a password twice; a program gives it as the first line of the input."""
    from arpad.errors import UsageError

    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = str(typer.prompt(f"Password of {name}", hide_input=True))
    if first != typer.prompt("Once more", hide_input=True):
        raise UsageError("the two passwords differ: nothing was changed")
    return first


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    app.add_typer(account, name="account")
