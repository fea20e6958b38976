"""`arpad backup`, `restore`, `upgrade`: the ledger as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.ledger_place import DbOption  # noqa: TC001 - Typer reads the annotation
from arpad.cli.output import FormatOption, OutputOption, emit, say

if TYPE_CHECKING:
    from arpad.store.ledger.backup import Backup

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    for verb in (backup, restore, upgrade):
        app.command()(verb)


def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the backup goes: one file.")],
    db: DbOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of a file that is there.")
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Keep the whole ledger, as it stands now, in one file.

    Others may read and write meanwhile. The file has a check sum of every table, and is itself a ledger that
    can be looked at with --db. It goes back into SQLite or PostgreSQL with `arpad restore`.
    """
    from arpad.store.ledger.backup import back_up
    from arpad.store.ledger.ledger import Ledger

    with Ledger.at_any_revision(db, on_wait=say) as ledger:
        made = back_up(ledger, file, replace=replace)
        _show(made, f"{ledger.place.shown} is kept in {file}", file, format, output)


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that `arpad backup` made.")],
    db: DbOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of what is in the ledger now.")
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Bring a backup back, into SQLite or PostgreSQL, whole or not at all.

    Every check sum is looked at first. The ledger must be empty or not there, unless --replace is given.
    """
    from arpad.store.ledger.places import Place
    from arpad.store.ledger.restore import restore as bring_back

    held = bring_back(file, db, replace=replace)
    _show(held, f"{file} is back in {Place.of(db).shown}", file, format, output)


def _show(
    held: Backup, sentence: str, file: str, format: FormatOption, output: OutputOption
) -> None:
    import polars as pl

    from arpad.publish.tables import rich_table

    table = pl.DataFrame(
        [(name, rows, sha) for name, (rows, sha) in held.tables.items()],
        schema={"table": pl.String, "rows": pl.Int64, "sha256": pl.String},
        orient="row",
    )

    def people() -> list[object]:
        shown = table.filter(pl.col("rows") > 0).drop("sha256")
        when = (
            f"made {held.made:%Y-%m-%d %H:%M} UTC, revision {held.revision}, {held.rows():,} rows"
        )
        return [*([rich_table(shown), ""] if shown.height else []), f"{sentence} ({when})."]

    emit(
        format,
        output,
        people=people,
        rows=lambda: table,
        document=lambda: {
            "file": file,
            "made": held.made.isoformat(),
            "revision": held.revision,
            "tables": table.to_dicts(),
        },
    )


def upgrade(
    db: DbOption = None,
    backup: Annotated[
        str | None,
        typer.Option(
            help="Where the copy of what it was goes. [beside the file, or in this folder]"
        ),
    ] = None,
) -> None:
    """Bring a ledger of an older arpad to this one; a backup is made first, every figure is kept."""
    from arpad.store.ledger.restore import upgrade as bring_forward
    from arpad.store.ledger.schema import HEAD

    old, kept = bring_forward(db, copy=backup)
    if kept is None:
        say(f"nothing to do: the ledger is of this arpad (revision {HEAD})")
    else:
        say(f"the ledger is of revision {HEAD} now; as it was ({old}), it is kept in {kept}")
