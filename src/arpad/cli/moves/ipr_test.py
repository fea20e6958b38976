"""`arpad ipr test` and `arpad ipr compare`: surprising play, and groups of players."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.moves.evaluations import CalibrationOption, calibration_named, decisions_as_calibrated
from arpad.cli.options import EngineTeam, StrictOption
from arpad.cli.output import Emission, emit_result
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.moves.ipr.inputs import DecisionGames
    from arpad.moves.strength.posterior import Posterior


# `arpad ipr test`: is this play surprising for its rating? Z-scores, and what they can and cannot show.


def surprising(
    files: list[str],
    player: list[str] | None = None,
    rating: float | None = None,
    prior: float = 10_000.0,
    calibration: CalibrationOption = None,
    strict: StrictOption = False,
    *,
    engine: EngineTeam,
) -> Emission:
    """Compare the moves with those that players of the same rating would choose in the same positions.

    It prints the z-score of the strength that the player's own moves show, and those of match rate and average error
    by the paper; above 0 the play is better than expected. It also prints the prior odds, the number of performances
    checked, and the limits of such numbers.

    arpad ipr test open.pgn --player Smith

    arpad ipr test match.pgn --player Smith --rating 2450 --prior 100000

    files: PGN files; - is standard input.
    player: Only players whose names contain this; repeatable. [everybody]
    rating: Test one player against this rating. [the file's, averaged over the moves]
    prior: Prior odds: one performance in this many deserves a look before anything is measured.
    """
    from arpad.moves.ipr.rating import players_called
    from arpad.moves.ipr.surprise import performances
    from arpad.publish.reports.moves import surprise_document, surprise_lines

    made = calibration_named(calibration)
    asked = decisions_as_calibrated(files, made, engine, strict=strict)
    wanted = None if not player else players_called(asked.games, player)
    result = performances(
        asked.decided.decisions,
        asked.games,
        made,
        players=wanted,
        rating=rating,
        prior=prior,
        strengths=_strengths(files, player or [], engine),
    )
    return partial(
        emit_result,
        result,
        parts=lambda: surprise_lines(result, asked),
        document=lambda: surprise_document(result, asked, files),
    )


def _strengths(files: list[str], players: list[str], engine: EngineTeam) -> dict[str, Posterior]:
    """Return what each player's own moves show, from a prior over more than all ratings; empty for standard input."""
    from arpad.cli.moves.strength import engine_source
    from arpad.moves.strength import Prior, strength

    if "-" in files:  # it has been read
        return {}
    workers = engine.workers
    count = int(workers) if workers and workers.isdigit() else None
    report = strength(
        files,
        player=players[0] if len(players) == 1 else None,
        values="engine",
        prior=Prior(low=700, high=3300),
        engine=engine_source(engine, count),
        openings=False,
        opponents=False,
    )
    return {p.name: p.posterior for p in report.players if p.moves}


# `arpad ipr compare`: two federations, or any groups of players, through their moves.

WAYS = ("federation", "title", "sex", "year")


def compare(
    files: list[str],
    by: str = "federation",
    groups: str | None = None,
    people_from: Annotated[str | None, typer.Option("--list")] = None,
    only: str | None = None,
    calibration: CalibrationOption = None,
    *,
    engine: EngineTeam,
) -> Emission:
    """Compare groups of players by their moves: the difference of their intrinsic ratings, with its interval, beside that of their ratings.

    arpad ipr compare olympiad.pgn --list fide.txt --only HUN,ISR

    arpad ipr compare 1978.pgn 2008.pgn --by year

    files: PGN files; - is standard input.
    by: How to group the players: federation, title, sex, year, or a column of --groups.
    groups: A CSV file with name and the column of --by, such as a region or a club.
    people_from: A rating list with federation, title or sex.
    only: Only these groups, such as HUN,ISR. [all]
    """
    from arpad.moves.ipr.surprise import compare_populations
    from arpad.publish.reports.moves import calibration_document, populations_lines

    if groups is None and by not in WAYS:
        raise UsageError(f"--by: expected one of {', '.join(WAYS)}, or --groups FILE; found {by!r}")
    made = calibration_named(calibration)
    asked = decisions_as_calibrated(files, made, engine)
    result = compare_populations(
        asked.decided.decisions,
        _groups(asked, by, groups, people_from),
        made,
        only=[part.strip() for part in (only or "").split(",") if part.strip()],
    )
    return partial(
        emit_result,
        result,
        parts=lambda: populations_lines(result, asked),
        document=lambda: {
            "by": by,
            "summary": f"{result.summary()}.",
            "groups": result.table().to_dicts(),
            "differences": result.pairs().to_dicts(),
            "ungrouped_moves": result.ungrouped,
            "parameters": dict(result.parameters),
            "calibration": calibration_document(made),
            "input": {"files": files, "games": len(asked.games), "fingerprint": asked.games.fingerprint()},
            "notes": asked.notes(),
        },
    )


def _groups(asked: DecisionGames, by: str, path: str | None, people_from: str | None) -> pl.Series:
    import polars as pl

    from arpad.pool.deflation import UNKNOWN, described, kind
    from arpad.read.collect import named_texts
    from arpad.read.reading import read_list

    rows = asked.decided.decisions.rows
    if by == "year" and path is None:
        return rows["year"].cast(pl.String)
    players = asked.games.players
    if path is not None:
        told = named_texts(path, [by.casefold()])
        own = zip(players["name"], players["id"], strict=True)
        texts = [told.get(id_ or name, told.get(name)) for name, id_ in own]
        return pl.Series("group", texts, dtype=pl.String).gather(rows["player"])
    people = None if people_from is None else read_list(people_from)
    known = described(asked.games, people).with_columns(
        pl.lit(None).alias("year"), pl.lit(None).alias("rating")
    )
    if by != "title" and not known[by].count():
        raise InputError(
            f"the games do not say the {by} of their players: name a --list or --groups that does"
        )
    named = known.select(kind(by, age_cuts=(), rating_cuts=()).alias("group"))["group"]  # type: ignore[arg-type]
    return named.replace({UNKNOWN: None}).gather(rows["player"])
