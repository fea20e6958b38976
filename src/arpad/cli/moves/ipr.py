"""`arpad ipr`: how strong the choice of moves was, on the rating scale; with its calibration, its test and its errors."""

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
from arpad.cli.moves.ipr_errors import errors
from arpad.cli.moves.ipr_test import compare, surprising
from arpad.cli.output import Emission, emit_result
from arpad.cli.verbs import DEFAULT, DefaultGroup, verb_group
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.average_error import Filters
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.rating import By


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
    from arpad.publish.charts.style import check_name
    from arpad.publish.reports.moves import ipr_document, ipr_lines, ipr_rows

    keys = _keys(by)
    if chart is not None:
        check_name(chart)
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
