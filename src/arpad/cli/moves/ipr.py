"""`arpad ipr`: how strong the choice of moves was, on the rating scale; its tests and its errors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli import options as opt
from arpad.cli.moves.evaluations import (
    CalibrationOption,
    RatingMethod,
    calibration_named,
    decisions_as_calibrated,
)
from arpad.cli.moves.ipr_calibrate import calibrate
from arpad.cli.options import EngineTeam, StrictOption
from arpad.cli.output import Emission, emit_result
from arpad.cli.verbs import DEFAULT, DefaultGroup, verb_group
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.moves.average_error import Filters
    from arpad.moves.error_report import ErrorGroups, ErrorTrend, EventFilter
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.inputs import DecisionGames
    from arpad.moves.ipr.rating import By
    from arpad.moves.strength.posterior import Posterior


Group = Literal["player", "game", "event", "year", "category", "turn", "advantage"]


ErrorWindow = Literal["previous", "here"]


Repeated = Literal["later", "all", "none"]


def errors(
    ctx: typer.Context,
    files: list[str],
    by: Group = "player",
    first_turn: int = 9,
    last_turn: int | None = None,
    window: float = 3.0,
    judged: ErrorWindow = "previous",
    repeated: Repeated = "later",
    skip_forced: bool = False,
    cap: Annotated[float, typer.Option(min=0.01, max=1000)] = 39.0,
    categories: str | None = None,
    round_robin: bool = False,
    players: str | None = None,
    step: float = 0.10,
    eras: str | None = None,
    trend: bool = False,
    span: int = 4,
    multipv: opt.MultipvOption = 1,
    use_evals: bool = False,
    chart: str | None = None,
    confidence: float = 0.95,
    strict: opt.StrictOption = False,
    *,
    engine: opt.EngineOptions,
) -> Emission:
    """Show the average error of moves against the engine's choice, raw and scaled.

    With one line a position the value before a move is compared with the value after it; with --multipv 2 or more, two lines
    of one search.

    arpad ipr errors games.pgn --by turn --chart turns.png

    arpad ipr errors linares.pgn --depth 12 --by player

    arpad ipr errors events.pgn --by category --trend --first-turn 17 --last-turn 32 --chart figure5.png

    files: PGN files, or a table of positions; - is standard input.
    by: How to group the moves.
    first_turn: The first move that counts.
    last_turn: The last move that counts. [all]
    window: Pawns of advantage beyond which a game counts as decided.
    judged: Where that advantage is measured: in the position itself, or in the one before.
    repeated: Which repeated positions to leave out: the repetitions, all of them, or none.
    skip_forced: Leave out moves that were the only legal move.
    cap: Pawns at which values are cut off; a mate has this value, too.
    categories: Only events of these FIDE categories: 11-20, 11- or 15.
    round_robin: Only round robins.
    players: Only players whose names contain one of these: Carlsen,Anand.
    step: With --by advantage: width of a group in pawns.
    eras: Also group by eras that begin in these years: 1970,1985,2000,2010.
    trend: With --by category or year: print the moving average over the years, by pairs of categories.
    span: With --trend: length of the moving average in years.
    use_evals: With an engine: use it only where the file has no %eval.
    chart: Draw a chart into this file, .png or .svg.
    confidence: Probability of the limits.
    """
    from arpad.cli.moves.evaluations import engine_work, listener, moves_of
    from arpad.moves.average_error import ErrorFilters
    from arpad.moves.error_report import error_trend, group_errors, of_events
    from arpad.moves.ipr.inputs import read_errors
    from arpad.publish.reports.gain import error_groups_views, error_trend_views

    filters = ErrorFilters(
        first_turn=first_turn,
        last_turn=last_turn,
        window=window,
        judged=judged,
        repeated=repeated != "none",
        first_of_repeated=repeated != "all",
        forced=not skip_forced,
    )
    events, years = _events(categories, round_robin), _years(eras)
    _check(by, trend=trend, eras=years, multipv=multipv, use_evals=use_evals)
    work = engine_work(engine, ctx, multipv=multipv, use_evals=use_evals)
    if work is None and multipv != 1:
        raise UsageError("--multipv: expected --depth, --nodes or --time beside it: the file has no lines")
    result, games = read_errors(
        files, strict=strict, filters=filters, cap=cap, work=work, listener=listener()
    )
    result = of_events(result, events)
    if players is not None:
        result = result.part(moves_of(players, result.games, result.table))
    taken = {**events.parameters(), "players": players}
    report: ErrorGroups | ErrorTrend
    if trend:
        report = error_trend(result, categories=by == "category", span=span, confidence=confidence)
        views = error_trend_views(report, games, taken)
    else:
        report = group_errors(result, by, step=step, eras=years, confidence=confidence)
        views = error_groups_views(report, games, taken)
    return partial(emit_result, report, chart=chart, **views)


def _check(by: Group, *, trend: bool, eras: list[int] | None, multipv: int, use_evals: bool) -> None:
    if trend and by not in ("category", "year"):
        raise UsageError(f"--trend: expected --by category or --by year, found --by {by}")
    if trend and eras is not None:
        raise UsageError("--trend and --eras: a moving average has no eras: choose one")
    if use_evals and multipv > 1:
        raise UsageError("--use-evals and --multipv: the file has no lines: choose one")


def _events(categories: str | None, round_robin: bool) -> EventFilter:
    """Return which events count: 11-20, 11-, -20 or 15."""
    import re

    from arpad.moves.error_report import EventFilter

    if categories is None:
        return EventFilter(round_robin=round_robin)
    given = re.fullmatch(r"\s*(\d{1,2})?\s*(?:(-)\s*(\d{1,2})?)?\s*", categories)
    if given is None or not (given[1] or given[3]):
        raise UsageError(f"--categories: expected 11-20, 11- or 15, found {categories!r}")
    least = int(given[1]) if given[1] else None
    most = int(given[3]) if given[3] else None if given[2] else least
    return EventFilter(least=least, most=most, round_robin=round_robin)


def _years(eras: str | None) -> list[int] | None:
    if eras is None:
        return None
    parts = [p.strip() for p in eras.split(",")]
    if not all(p.isdecimal() and len(p) <= 4 for p in parts):
        raise UsageError(f"--eras: expected years such as 1970,1985,2000,2010, found {eras!r}")
    return [int(p) for p in parts]


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


# `arpad ipr FILES`: intrinsic performance ratings of players, events and years.


IprWindow = Literal["previous", "here"]


def rate_files(
    files: list[str],
    by: str = "player",
    player: list[str] | None = None,
    calibration: CalibrationOption = None,
    method: RatingMethod | None = None,
    first_turn: int | None = None,
    window: float | None = None,
    judged: IprWindow | None = None,
    repeated: Annotated[bool | None, typer.Option("--repeated/--no-repeated")] = None,
    forced: Annotated[bool | None, typer.Option("--forced/--no-forced")] = None,
    least: Annotated[int, typer.Option(min=20)] = 150,
    engine_rating: float | None = None,
    multipv: int | None = None,
    chart: str | None = None,
    strict: opt.StrictOption = False,
    *,
    engine: opt.EngineOptions,
) -> Emission:
    """Rate players by their choice of moves, with the engine settings of a calibration.

    arpad ipr match.pgn

    arpad ipr tournament.pgn --by player --chart ratings.png

    arpad ipr 1996.pgn 1998.pgn 2000.pgn --by event

    files: PGN files; - is standard input.
    by: What a row is: player, event, year, side (White, Black), game, turn or advantage; several with commas, such as player,event.
    player: Only players whose names contain this; repeatable.
    method: How skill is fitted: equate, likelihood or percentile; artery takes c from the calibration. [the calibration's]
    first_turn: The first move that counts; earlier moves are opening theory. [the calibration's, 9]
    window: Pawns of advantage beyond which a position is decided and does not count. [the calibration's, 3]
    judged: Where that advantage is measured: here (where the move was made) or previous (half a move earlier, as in the paper). [the calibration's, here]
    repeated: Count moves in repeated positions. [as the calibration does]
    forced: Count moves that were the only legal one. [as the calibration does]
    least: Fewest moves that get a rating; a row with fewer gets a sentence instead.
    engine_rating: Rating of the engine, for the perceived strength in JSON. [from the players' ratings]
    depth: Search depth in plies; it must be the calibration's. [the calibration's]
    multipv: Number of lines for each position. [the calibration's]
    hash: Megabytes of hash for each engine. [the calibration's]
    chart: Draw ratings with both intervals beside Elo into this file, .png or .svg.
    """
    from arpad.moves.ipr.rating import players_called
    from arpad.moves.ipr.report import ipr_report
    from arpad.publish.reports.moves import ipr_document, ipr_lines, ipr_rows

    keys = _keys(by)
    made = calibration_named(calibration)
    asked = decisions_as_calibrated(
        files,
        made,
        engine,
        multipv=multipv,
        filters=_filters(made, first_turn, window, judged, repeated, forced),
        strict=strict,
    )
    report = ipr_report(
        asked.decided.decisions,
        asked.games,
        made,
        by=keys,
        players=None if not player else players_called(asked.games, player),
        method=method,
        least=least,
        engine_rating=engine_rating,
    )
    return partial(
        emit_result,
        report,
        parts=lambda: ipr_lines(report, asked),
        rows=lambda: ipr_rows(report),
        document=lambda: ipr_document(report, asked, files),
        chart=chart,
    )


def _keys(text: str) -> list[By]:
    """Return what tells rows apart; the words are looked at before an engine is asked."""
    from typing import get_args

    from arpad.moves.ipr.rating import By

    result = [part.strip() for part in text.split(",") if part.strip()]
    wrong = [part for part in result if part not in get_args(By)]
    if wrong or not result:
        raise UsageError(f"--by: expected some of {', '.join(get_args(By))}; found {text!r}")
    return result  # type: ignore[return-value]


def _filters(
    calibration: Calibration,
    first_turn: int | None,
    window: float | None,
    judged: IprWindow | None,
    repeated: bool | None,
    forced: bool | None,
) -> Filters:
    from dataclasses import replace

    from arpad.moves.ipr.decisions import filters_of

    asked = {
        "first_turn": first_turn,
        "window": window,
        "judged": judged,
        "repeated": None if repeated is None else not repeated,  # the filter leaves them out
        "forced": forced,
    }
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    return replace(filters_of(calibration.filters), **given)


ipr = verb_group(
    "Rate players by their choice of moves: intrinsic performance ratings.",
    {DEFAULT: rate_files, "calibrate": calibrate, "test": surprising, "errors": errors, "compare": compare},
    cls=DefaultGroup,
)
