"""`arpad ipr errors`: by how much the moves played fall short of the engine's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli import options as opt
from arpad.cli.output import Emission, emit_result
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.error_report import ErrorGroups, ErrorTrend, EventFilter


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
