"""`arpad list`: lists that are shown, compared and exported."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli.ledger.list_making import make, policies, policy, publish, start
from arpad.cli.ledger.options import (
    CorrectedOption,
    DbOption,
    LetterheadOptions,
    NameArgument,
    PolicyOption,
    first_rows,
    list_document,
    opened,
)
from arpad.cli.output import Emission, emit, expect_result, say
from arpad.cli.verbs import verb_group
from arpad.errors import UsageError, counted

if TYPE_CHECKING:
    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.ledger.lists import KeptList


# `arpad list diff`: who changed between two lists, by how much, because of which events.


def diff(
    first: Annotated[str, typer.Argument(metavar="LIST")],
    second: Annotated[str, typer.Argument(metavar="LIST")],
    policy: PolicyOption = None,
    top: Annotated[int | None, typer.Option(min=1)] = None,
    corrected: CorrectedOption = True,
    db: DbOption = None,
) -> Emission:
    """Compare two lists: the change of each player, and the events that caused it.

    arpad list diff 2026-10 2026-11 --policy club

    first: Name of the list, such as 2026-10.
    second: Name of the list to compare it with.
    top: Only the first N players.
    """
    from arpad.ledger.lists import list_called
    from arpad.ledger.policy import policy_called
    from arpad.ledger.queries.lists import list_diff

    with opened(db) as ledger, ledger.reading() as connection:
        called = policy_called(connection, policy).name
        one, two = (list_called(connection, called, name) for name in (first, second))
        result = list_diff(connection, one, two, as_published=not corrected)
    shown = result.rows if top is None else result.rows.head(top)

    return partial(
        emit,
        people=lambda: [*first_rows(result.rows.drop("player_id"), top), "", result.summary()],
        rows=lambda: shown,
        document=lambda: {
            "lists": [list_document(one), list_document(two)],
            "players": shown.to_dicts(),
            "shares": result.shares.to_dicts(),
        },
    )


# `arpad list export`: a list as a file for people and for programs.


As = Literal["csv", "xlsx", "ods", "txt", "xml", "html", "pdf"]


Ids = Literal["fide", "ledger"]


def export(
    output: Annotated[list[str], typer.Option("--output", "-o", metavar="FILE", callback=expect_result)],
    name: Annotated[str | None, typer.Argument(metavar="[LIST]")] = None,
    policy: PolicyOption = None,
    format: Annotated[As | None, typer.Option("--as")] = None,
    top: Annotated[int | None, typer.Option(min=1)] = None,
    corrected: CorrectedOption = True,
    everybody: Annotated[bool, typer.Option("--all")] = False,
    ids: Ids = "fide",
    db: DbOption = None,
    *,
    head: LetterheadOptions,
) -> None:
    """Write a list as CSV, XLSX, ODS, FIDE's TXT or XML, HTML or PDF.

    The list has the corrections published since, unless you give --as-published. The same list always gives
    the same file, byte for byte.

    arpad list export 2026-11 -o list.xlsx -o list.txt -o list.pdf

    arpad list export -o liste.pdf --club "SK Musterstadt" --logo logo.png --language de

    output: The file to write; its ending decides the format. Repeatable.
    name: Name of the list, such as 2026-11. [the last]
    format: The format, if the ending of the name does not decide it.
    top: Only the first N players.
    everybody: Also players who are rated but not listed.
    ids: Ids in FIDE's layouts: FIDE ids where known, or the ledger's numbers.
    """
    from arpad.ledger.lists import list_called
    from arpad.ledger.policy import policy_called
    from arpad.publish.club_month import list_sheet
    from arpad.publish.export.rating_list import export_format, export_list

    kinds = [format or export_format(path) for path in output]
    above = head.letterhead()
    with opened(db) as ledger, ledger.reading() as connection:
        kept = list_called(connection, policy_called(connection, policy).name, name)
        whole = list_sheet(connection, kept, corrected=corrected, everybody=everybody, letterhead=above)
    sheet, face = whole.top(top), whole.face
    rated = int(kept.figures.get("rated") or 0)
    hint = "" if whole.rows.height or not rated else f"; {rated:,} are rated but not listed (--all)"
    for path, kind in zip(output, kinds, strict=True):
        lost = export_list(sheet, path, format=kind, ids=ids)
        count = sheet.rows.height
        say(f"{path}: {counted(count, 'player')} of {kept.words}{f', {face}' if face else ''}{hint}")
        for words in lost:
            say(f"  {words}")


# `arpad list show` and `arpad list names`: what lists say, and which there are.


def show(
    name: NameArgument = None,
    policy: PolicyOption = None,
    top: Annotated[int | None, typer.Option(min=1)] = None,
    changes: bool = False,
    player: str | None = None,
    unlisted: bool = False,
    corrected: CorrectedOption = True,
    correction: bool = False,
    db: DbOption = None,
) -> Emission:
    """Show a list; without a name the last one.

    arpad list show 2026-11 --top 20

    arpad list show --player Adams

    top: Only the first N players.
    changes: Only figures that changed, largest change first.
    player: Only players whose name contains this, or #NUMBER.
    unlisted: Also players who are rated but not listed.
    correction: Show the last correction, with the cause of each change.
    """
    from arpad.ledger.lists import corrections_of, face_of, list_called
    from arpad.ledger.policy import policy_called

    with opened(db) as ledger, ledger.reading() as connection:
        kept = list_called(connection, policy_called(connection, policy).name, name)
        later = corrections_of(connection, kept)
        entries = _entries(connection, kept, later, corrected, correction)
    rows = _chosen(entries, player, changes=changes, unlisted=unlisted or correction)
    shown = rows if top is None else rows.head(top)

    def people() -> list[object]:
        from arpad.cli.ledger.options import list_table

        rest = rows.height - shown.height
        more = [f"… and {rest:,} more"] if rest else []
        return [
            list_table(shown.drop("player_id")),
            *more,
            "",
            f"{kept.words}: play to {kept.closing}, in force from {kept.effective}",
            *_told(kept, later, face_of(later, corrected=corrected), correction),
        ]

    return partial(
        emit,
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
    connection: Connection, kept: KeptList, later: list[KeptList], corrected: bool, correction: bool
) -> pl.DataFrame:
    from arpad.ledger.lists import corrected_figures, entries_as_of, entries_kept

    if correction:
        if not later:
            raise UsageError(f"{kept.words} has no correction")
        rows = corrected_figures(connection, later[-1])
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


def _chosen(entries: pl.DataFrame, player: str | None, *, changes: bool, unlisted: bool) -> pl.DataFrame:
    import polars as pl

    rows = entries
    if player is not None:
        number = player.removeprefix("#")
        wanted = pl.col("name").str.to_lowercase().str.contains(player.lower(), literal=True)
        if player.startswith("#") and number.isdecimal():
            wanted = pl.col("player_id") == int(number)
        rows = rows.filter(wanted)
        if rows.is_empty():
            raise UsageError(f"--player: expected somebody on the list, found nobody called {player!r}")
    elif not unlisted:
        rows = rows.filter(pl.col("rank").is_not_null())
    if changes:
        rows = rows.filter(pl.col("change").fill_null(0) != 0).sort(
            pl.col("change").abs(), pl.col("name"), descending=[True, False], maintain_order=True
        )
    return rows


def names(policy: PolicyOption = None, db: DbOption = None) -> Emission:
    """Show the lists of the ledger.

    arpad list names --policy club
    """
    from arpad.ledger.lists import kept_lists

    with opened(db) as ledger, ledger.reading() as connection:
        result = kept_lists(connection, policy)
    documents = [
        {**list_document(each), "players": each.figures.get("listed", each.figures.get("players"))}
        for each in result
    ]

    def rows() -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(documents, infer_schema_length=None)

    def people() -> list[object]:
        from arpad.cli.ledger.options import list_table

        if not documents:
            return ["no list was made yet (arpad list make)"]
        shown = rows().drop("published", "published_by")
        return [list_table(shown)]

    return partial(emit, people=people, rows=rows, document=lambda: {"lists": documents})


# `arpad list`: rating lists that are made, published, shown, compared and put right.


lists = verb_group(
    "Make rating lists from the ledger, publish them, show, compare and correct them.",
    {verb.__name__: verb for verb in (make, start, publish, show, names, diff, export, policy, policies)},
)
