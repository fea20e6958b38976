"""`arpad backup`, `restore`, `upgrade` and `account`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli.ledger.options import DbOption, opened
from arpad.cli.output import Emission, emit, emits, say

if TYPE_CHECKING:
    from arpad.ledger.accounts import Role
    from arpad.ledger.db.backup import Backup


def add_backups(app: typer.Typer) -> None:
    """Register the verbs."""
    for verb in (backup, restore, upgrade):
        app.command()(verb)


@emits
def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")],
    db: DbOption = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing file.")] = False,
) -> Emission:
    """Save the whole ledger in one file.

    Others may use the ledger meanwhile. The file has a checksum for every table, and you can open it with --db.
    `arpad restore` reads it into SQLite or PostgreSQL.
    """
    from arpad.ledger.db.backup import back_up
    from arpad.ledger.db.ledger import Ledger

    with Ledger.at_any_revision(db, on_wait=say) as ledger:
        made = back_up(ledger, file, replace=replace)
        return _show(made, f"{ledger.place.shown} is kept in {file}", file)


@emits
def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that `arpad backup` made.")],
    db: DbOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the present content of the ledger.")
    ] = False,
) -> Emission:
    """Read a backup into SQLite or PostgreSQL, completely or not at all.

    arpad verifies every checksum first. The ledger must be empty or missing, unless you give --replace.
    """
    from arpad.ledger.db.backup import restore as bring_back
    from arpad.ledger.db.connection import Place

    held = bring_back(file, db, replace=replace)
    if held.dropped:
        say(f"published lists that this backup lacks or has with other figures: {', '.join(held.dropped)}")
        say(f"the previous ledger is kept in {held.copy}")
    return _show(held, f"{file} is back in {Place.of(db).shown}", file)


def _show(held: Backup, sentence: str, file: str) -> Emission:
    import polars as pl

    from arpad.publish.tables import rich_table

    table = pl.DataFrame(
        [(name, rows, sha) for name, (rows, sha) in held.tables.items()],
        schema={"table": pl.String, "rows": pl.Int64, "sha256": pl.String},
        orient="row",
    )

    def people() -> list[object]:
        shown = table.filter(pl.col("rows") > 0).drop("sha256")
        when = f"made {held.made:%Y-%m-%d %H:%M} UTC, revision {held.revision}, {held.rows():,} rows"
        return [*([rich_table(shown), ""] if shown.height else []), f"{sentence} ({when})."]

    return partial(
        emit,
        people=people,
        rows=lambda: table,
        document=lambda: {
            "file": file,
            "made": held.made.isoformat(),
            "revision": held.revision,
            "tables": table.to_dicts(),
            "dropped": list(held.dropped),
            "copy": None if held.copy is None else str(held.copy),
        },
    )


def upgrade(
    db: DbOption = None,
    backup: Annotated[
        str | None,
        typer.Option(help="Where to put the copy of the old ledger. [beside the ledger, or in this folder]"),
    ] = None,
) -> None:
    """Upgrade a ledger of an older arpad; arpad makes a backup first and changes no figure."""
    from arpad.ledger.db.backup import upgrade as bring_forward
    from arpad.ledger.db.tables import HEAD

    old, kept = bring_forward(db, copy=backup)
    if kept is None:
        say(f"nothing to do: the ledger is up to date (revision {HEAD})")
    else:
        say(f"the ledger is of revision {HEAD} now; as it was ({old}), it is kept in {kept}")


# ``arpad account``: who can sign in to the web app.

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the account.")]
account = typer.Typer(
    help="Manage who can sign in to the web app.", no_args_is_help=True, rich_markup_mode=None
)


@account.command("add")
def add(
    name: Name,
    role: Annotated[
        Literal["viewer", "arbiter", "officer", "administrator"],
        typer.Option(help="What the account may do."),
    ] = "viewer",
    db: DbOption = None,
) -> None:
    """Make an account; the password is asked for, or read from the input.

    Where there is no ledger yet, an empty one is made.
    """
    from arpad.cli.output import say
    from arpad.ledger.accounts import add_account
    from arpad.ledger.db.connection import Place

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
        say(f"{place.shown} is a new, empty ledger: `arpad serve` shows it, events are uploaded there")
    say(f"{made.name} can sign in as {made.role}")


@account.command("password")
def password(name: Name, db: DbOption = None) -> None:
    """Change the password of an account; its sessions end."""
    from arpad.cli.output import say
    from arpad.ledger.accounts import change_password

    with opened(db) as ledger:
        new = _password(name)
        with ledger.writing(None, f"account {name}") as connection:
            change_password(connection, name, new)
    say(f"{name} has another password")


@account.command("role")
def role(
    name: Name,
    role: Annotated[
        Literal["viewer", "arbiter", "officer", "administrator"],
        typer.Argument(help="What the account may do."),
    ],
    db: DbOption = None,
) -> None:
    """Change the role of an account.

    A viewer looks. An arbiter also uploads and answers doubts about players and reports. An officer also makes
    lists and decides. An administrator also manages accounts and sees days of birth.
    """
    from arpad.cli.output import say
    from arpad.ledger.accounts import change_role

    with opened(db) as ledger, ledger.writing(None, f"account {name}") as connection:
        change_role(connection, name, _role(role))
    say(f"{name} is {role} now")


@account.command("remove")
def remove(name: Name, db: DbOption = None) -> None:
    """Remove an account; its decisions keep its name."""
    from arpad.cli.output import say
    from arpad.ledger.accounts import remove_account

    with opened(db) as ledger, ledger.writing(None, f"account {name}") as connection:
        remove_account(connection, name)
    say(f"{name} can no longer sign in")


@account.command("list")
@emits
def listed(db: DbOption = None) -> Emission:
    """Show who can sign in."""
    import polars as pl

    from arpad.cli.output import emit
    from arpad.ledger.accounts import accounts
    from arpad.publish.tables import rich_table

    with opened(db) as ledger, ledger.reading() as connection:
        result = [{"name": a.name, "role": a.role, "created": a.created.date()} for a in accounts(connection)]
    rows = pl.DataFrame(result, schema={"name": pl.String, "role": pl.String, "created": pl.Date})
    words = "nobody can sign in yet: arpad account add NAME --role administrator"
    return partial(
        emit,
        people=lambda: [rich_table(rows)] if result else [words],
        rows=lambda: rows,
        document=lambda: {"accounts": result},
    )


def _role(role: str) -> Role:
    from typing import cast

    return cast("Role", role)  # the function that writes it checks that it is one


def _password(name: str) -> str:
    """Ask for a password twice; a program gives it as the first line of the input."""
    from arpad.errors import UsageError

    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = str(typer.prompt(f"Password of {name}", hide_input=True))
    if first != typer.prompt("Once more", hide_input=True):
        raise UsageError("the two passwords differ: nothing was changed")
    return first


def add_account(app: typer.Typer) -> None:
    """Register the verbs."""
    app.add_typer(account, name="account")
