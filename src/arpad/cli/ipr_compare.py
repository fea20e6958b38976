"""`arpad ipr compare`: two federations, or any groups of players, through their moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.engine_options import (
    EngineOption,
    PatienceOption,
    StoreOption,
    WorkersOption,
    workers_of,
)
from arpad.cli.ipr_calibration import (
    CalibrationOption,
    asked_as,
    calibration_document,
    calibration_named,
    same_as,
)
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.cli.ipr_games import AskedGames
    from arpad.moves.intrinsic.populations import Populations

__all__ = ["add_to"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
WAYS = ("federation", "title", "sex", "year")
MOST_PAIRS = 15
"""Pairs that are shown to people."""
HIDDEN = ("low", "high")
"""Columns that people need not see: the interval before it is widened."""


def add_to(group: typer.Typer) -> None:
    """Register the verb."""
    group.command()(compare)


def compare(
    files: Annotated[
        list[str], typer.Argument(help="PGN files; - is standard input.", metavar="FILES")
    ],
    by: Annotated[
        str, typer.Option(help="federation, title, sex or year; or a column of --groups.")
    ] = "federation",
    groups: Annotated[
        Text, typer.Option(help="A CSV file with name and the column of --by: a region, a club.")
    ] = None,
    people_from: Annotated[
        Text, typer.Option("--list", help="A rating list that knows federation, title or sex.")
    ] = None,
    only: Annotated[Text, typer.Option(help="These groups: HUN,ISR. [all]")] = None,
    calibration: CalibrationOption = None,
    engine: EngineOption = "stockfish",
    workers: WorkersOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare groups of players by their moves: the difference of their intrinsic ratings, with its interval, beside that of their ratings.

    arpad ipr compare olympiad.pgn --list fide.txt --only HUN,ISR

    arpad ipr compare 1978.pgn 2008.pgn --by year
    """
    from arpad.cli.ipr_games import asked_games
    from arpad.moves.intrinsic.decisions import filters_of
    from arpad.moves.intrinsic.populations import compare_populations

    if groups is None and by not in WAYS:
        raise UsageError(f"--by: expected one of {', '.join(WAYS)}, or --groups FILE; found {by!r}")
    made = calibration_named(calibration)
    settings = asked_as(made, engine=engine)
    team = workers_of(workers, settings, patience=patience)
    same_as(made, settings, team)
    asked = asked_games(
        files, settings, workers=team, filters=filters_of(made.filters), store=store
    )
    found = compare_populations(
        asked.answered.decisions, _groups(asked, by, groups, people_from), made,
        only=[part.strip() for part in (only or "").split(",") if part.strip()],
    )  # fmt: skip
    emit(
        format,
        output,
        people=lambda: _people(found, asked),
        rows=found.table,
        document=lambda: {
            "by": by,
            "summary": f"{found.summary()}.",
            "groups": found.table().to_dicts(),
            "differences": found.pairs().to_dicts(),
            "ungrouped_moves": found.ungrouped,
            "parameters": dict(found.parameters),
            "calibration": calibration_document(made),
            "input": {"files": files, "games": len(asked.games), "fingerprint": asked.games.fingerprint()},
            "notes": asked.notes(),
        },
    )  # fmt: skip


def _groups(asked: AskedGames, by: str, path: str | None, people_from: str | None) -> pl.Series:
    """Return the group of each decision."""
    import polars as pl

    from arpad.pool.kinds import UNKNOWN, described, kind
    from arpad.read import read_list
    from arpad.read.named import named_texts

    rows = asked.answered.decisions.rows
    if by == "year" and path is None:
        return rows["year"].cast(pl.String)
    players = asked.games.players
    if path is not None:
        told = named_texts(path, [by.casefold()])
        own = zip(players["name"], players["id"], strict=True)
        texts = [told.get(id_ or name, told.get(name)) for name, id_ in own]
        return pl.Series("group", texts, dtype=pl.String).gather(rows["player"])
    people = None if people_from is None else read_list(people_from)
    known = described(asked.games, people).with_columns(pl.lit(None).alias("year"), pl.lit(None).alias("rating"))  # fmt: skip
    if by != "title" and not known[by].count():
        raise InputError(
            f"the games do not say the {by} of their players: name a --list or --groups that does"
        )
    named = known.select(kind(by, age_cuts=(), rating_cuts=()).alias("group"))["group"]  # type: ignore[arg-type]
    return named.replace({UNKNOWN: None}).gather(rows["player"])


def _people(found: Populations, asked: AskedGames) -> list[object]:
    from arpad.publish.tables import rich_table

    digits = {"mm": 3, "ae": 4, "z": 1}
    table, pairs = found.table().drop(HIDDEN), found.pairs()
    whole = [c for c in (*table.columns, *pairs.columns) if c not in digits]
    places = {**dict.fromkeys(whole, 0), **digits}
    empty = [c for c in table.columns if not table[c].count()]
    more = pairs.height - MOST_PAIRS
    return [
        rich_table(table.drop(empty), digits=places),
        "",
        *([rich_table(pairs.head(MOST_PAIRS), digits=places)] if pairs.height else []),
        *([f"… and {more} pairs more: --format json has them"] if more > 0 else []),
        "",
        f"{found.summary()}.",
        ("low_actual to high_actual: two standard errors of the moves, 1.4 times as wide as projected; low_players to high_players: two standard errors with the players "
        "taken as drawn from their group. beyond_elo: the difference of the moves less that of the ratings; z: that in standard errors."),
        *([f"{found.ungrouped:,} moves belong to no group here."] if found.ungrouped else []),
        *(f"Note: {n}." for n in asked.notes()),
    ]  # fmt: skip
