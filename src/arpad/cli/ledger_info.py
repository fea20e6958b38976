"""`arpad ledger info` and `check`: what the ledger is, and whether it is sound."""

from __future__ import annotations

from dataclasses import asdict

import typer

from arpad.cli.ledger_place import DbOption  # noqa: TC001 - Typer reads the annotation
from arpad.cli.output import FormatOption, OutputOption, emit

__all__ = ["add_to"]

UNITS = ("bytes", "kB", "MB", "GB")


def add_to(app: typer.Typer) -> None:
    """Register the verbs in the group `ledger`, which others may have made."""
    group = next((g for g in map(_group, app.registered_groups) if g is not None), None)
    if group is None:
        group = typer.Typer(
            name="ledger",
            help="The ledger: what it is, and whether it is sound.",
            no_args_is_help=True,
        )
        app.add_typer(group)
    group.command()(info)
    group.command("check")(look_over)


def _group(made: object) -> typer.Typer | None:
    """Return a group of verbs if it is called `ledger`."""
    group = getattr(made, "typer_instance", None)
    if not isinstance(group, typer.Typer):
        return None
    return group if "ledger" in (getattr(made, "name", None), group.info.name) else None


def info(db: DbOption = None, format: FormatOption = None, output: OutputOption = None) -> None:
    """Say where the ledger is, what it holds and how big it is."""
    import polars as pl

    from arpad.publish.tables import rich_table
    from arpad.store.ledger.info import ledger_info
    from arpad.store.ledger.ledger import Ledger

    with Ledger.at_any_revision(db) as ledger:
        found = ledger_info(ledger)
    table = pl.DataFrame(
        {"table": list(found.rows), "rows": list(found.rows.values())},
        schema={"table": pl.String, "rows": pl.Int64},
    )
    sentence = f"{found.place}: {found.database}, revision {found.revision}, {_size(found.size)}"
    emit(
        format,
        output,
        people=lambda: [rich_table(table), "", sentence],
        rows=lambda: table,
        document=lambda: asdict(found),
    )


def _size(count: float) -> str:
    """Return bytes in words.

    Examples
    --------
    >>> _size(999), _size(188_416), _size(2_500_000_000)
    ('999 bytes', '188 kB', '2.5 GB')
    """
    unit = UNITS[0]
    for unit in UNITS:
        if count < 1000 or unit == UNITS[-1]:
            break
        count /= 1000
    return f"{count:.1f} {unit}" if count < 10 and unit != "bytes" else f"{count:.0f} {unit}"


def look_over(
    db: DbOption = None, format: FormatOption = None, output: OutputOption = None
) -> None:
    """Read every row and look whether the ledger is sound. Exit 1 when it is not."""
    import polars as pl

    from arpad.store.ledger.info import check_ledger
    from arpad.store.ledger.ledger import Ledger

    with Ledger.at_any_revision(db) as ledger:
        faults, place = check_ledger(ledger), ledger.place.shown
    emit(
        format,
        output,
        people=lambda: [*faults, f"{place}: {'not sound' if faults else 'sound'}"],
        rows=lambda: pl.DataFrame({"fault": faults}, schema={"fault": pl.String}),
        document=lambda: {"place": place, "sound": not faults, "faults": faults},
    )
    if faults:
        raise typer.Exit(1)
