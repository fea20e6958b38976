"""`arpad list show` and `arpad list names`: what lists say, and which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import (
    CorrectedOption,
    DbOption,
    NameArgument,
    PolicyOption,
    list_document,
)
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    app.command("show")(show)
    app.command("names")(names)


def show(
    name: NameArgument = None,
    policy: PolicyOption = None,
    top: Annotated[int | None, typer.Option(help="Only so many players.", min=1)] = None,
    changes: Annotated[
        bool, typer.Option("--changes", help="Only figures that changed, largest change first.")
    ] = False,
    player: Annotated[
        str | None, typer.Option(help="Only players whose name holds this, or #NUMBER.")
    ] = None,
    unlisted: Annotated[
        bool, typer.Option("--unlisted", help="Also who is rated but not listed.")
    ] = False,
    corrected: CorrectedOption = True,
    correction: Annotated[
        bool,
        typer.Option("--correction", help="The last correction, with the cause of each change."),
    ] = False,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show a list; without a name the last one.

    arpad list show 2026-11 --top 20

    arpad list show --player Adams
    """
    from arpad.office.making.lists import corrections_of, face_of, list_called
    from arpad.office.rules.policies import policy_called

    with opened(db) as ledger, ledger.reading() as connection:
        kept = list_called(connection, policy_called(connection, policy).name, name)
        later = corrections_of(connection, kept)
        entries = _entries(connection, kept, later, corrected, correction)
    rows = _chosen(entries, player, changes=changes, unlisted=unlisted or correction)
    shown = rows if top is None else rows.head(top)

    def people() -> list[object]:
        from arpad.cli.list_table import list_table

        rest = rows.height - shown.height
        more = [f"… and {rest:,} more"] if rest else []
        return [
            list_table(shown.drop("player_id")),
            *more,
            "",
            f"{kept.words}: play to {kept.closing}, in force from {kept.effective}",
            *_told(kept, later, face_of(later, corrected=corrected), correction),
        ]

    emit(
        format,
        output,
        people=people,
        rows=lambda: shown,
        document=lambda: {
            "list": list_document(kept),
            "corrected": corrected and not correction and any(each.published for each in later),
            "corrections": [list_document(each) for each in later],
            "entries": shown.to_dicts(),
        },
    )


def _entries(
    connection: Connection,
    kept: KeptList,
    later: list[KeptList],
    corrected: bool,
    correction: bool,
) -> pl.DataFrame:
    from arpad.office.making.lists import entries_as_of, entries_kept

    if correction:
        if not later:
            raise UsageError(f"{kept.words} has no correction")
        rows = entries_kept(connection, later[-1])
        return rows.select(
            "player_id", "name", "published", "rating", "change", "total_games", "status", "cause"
        )
    return entries_as_of(connection, kept) if corrected else entries_kept(connection, kept)


def _told(kept: KeptList, later: list[KeptList], face: str, correction: bool) -> list[str]:
    """Say which figures these are, and what would change them."""
    if correction:
        return [f"this is {later[-1].words}"]
    proposed = [each for each in later if not each.published]
    return [
        *([f"figures: {face}"] if face else []),
        *(
            f"proposed: {each.words}; arpad list show {kept.name} --correction shows it, arpad list publish {kept.name} publishes it"
            for each in proposed
        ),
    ]


def _chosen(
    entries: pl.DataFrame, player: str | None, *, changes: bool, unlisted: bool
) -> pl.DataFrame:
    """Return the entries that are asked for."""
    import polars as pl

    rows = entries
    if player is not None:
        number = player.removeprefix("#")
        wanted = pl.col("name").str.to_lowercase().str.contains(player.lower(), literal=True)
        if player.startswith("#") and number.isdecimal():
            wanted = pl.col("player_id") == int(number)
        rows = rows.filter(wanted)
        if rows.is_empty():
            raise UsageError(
                f"--player: expected somebody on the list, found nobody called {player!r}"
            )
    elif not unlisted:
        rows = rows.filter(pl.col("rank").is_not_null())
    if changes:
        rows = rows.filter(pl.col("change").fill_null(0) != 0).sort(
            pl.col("change").abs(), pl.col("name"), descending=[True, False], maintain_order=True
        )
    return rows


def names(
    policy: PolicyOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show which lists there are.

    arpad list names --policy club
    """
    from arpad.office.making.lists import kept_lists

    with opened(db) as ledger, ledger.reading() as connection:
        found = kept_lists(connection, policy)
    documents = [
        {**list_document(each), "players": each.figures.get("listed", each.figures.get("players"))}
        for each in found
    ]

    def rows() -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(documents, infer_schema_length=None)

    def people() -> list[object]:
        from arpad.cli.list_table import list_table

        if not documents:
            return ["no list was made yet (arpad list make)"]
        shown = rows().drop("published", "published_by")
        return [list_table(shown)]

    emit(format, output, people=people, rows=rows, document=lambda: {"lists": documents})
