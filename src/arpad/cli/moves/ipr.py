"""`arpad ipr`: how strong the choice of moves was, on the rating scale; with its calibration, its test and its errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
import typer

from arpad.cli import options as opt
from arpad.cli.moves.evaluations import (
    CalibrationOption,
    RatingMethod,
    calibration_named,
    decisions_as_calibrated,
)
from arpad.cli.moves.gain import figure
from arpad.cli.moves.ipr_calibrate import calibrate
from arpad.cli.moves.ipr_errors import errors
from arpad.cli.moves.ipr_test import compare, surprising
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.cli.verbs import DEFAULT, DefaultGroup, verb_group
from arpad.errors import UsageError
from arpad.moves.ipr.report import DEVIATION

if TYPE_CHECKING:
    from arpad.moves.average_error import Filters
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.inputs import DecisionGames
    from arpad.moves.ipr.rating import By
    from arpad.moves.ipr.report import IprReport


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
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
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
    if chart is not None:
        from arpad.publish.charts.strength import ipr_chart
        from arpad.publish.charts.style import save

        save(ipr_chart(report), chart)
    emit(
        format,
        output,
        people=lambda: people(report, asked),
        rows=lambda: rows(report),
        document=lambda: document(report, asked, files),
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


# `arpad ipr` for programs: JSON and CSV.

DIGITS = {"mm": 4, "ae": 5, "ae_raw": 4, "s": 5, "c": 5, "ae_e": 5, "gain": 4}
"""Decimals of figures that are not points; points have one."""
POINTS = 1


def rows(report: IprReport) -> pl.DataFrame:
    """Return the table, for CSV."""
    rounded = report.rows.with_columns(
        pl.col(name).round(DIGITS.get(name, POINTS))
        for name, kind in report.rows.schema.items()
        if kind == pl.Float64
    )
    # Complete games alone have one, and `arpad gain` gives it; the column stays for programs that read it.
    return rounded.with_columns(lichess_accuracy=pl.lit(None, pl.Float64))


def document(report: IprReport, asked: DecisionGames, files: list[str]) -> dict[str, object]:
    """Return everything: rows, averages, calibration, settings, and what was left out."""
    from arpad.cli.moves.evaluations import calibration_document

    done = asked.decided
    notes = [*asked.notes(), *report.notes]
    actions = ("skipped", "repaired", "noted")
    whole = report.whole
    return {
        "by": list(report.by),
        "summary": f"{report.summary()}.",
        f"{report.by[0]}s": [_plain(row) for row in rows(report).to_dicts()],
        "averages": [_plain(row) for row in _rounded(report.averages).to_dicts()],
        "all_moves": {
            "moves": whole.moves,
            "mm": _number(round(whole.match_rate, 4)),
            "ae": _number(round(whole.error, 5)),
            **{k: v if isinstance(v, str) else _number(v) for k, v in _whole_rating(report).items()},
            "note": whole.note or None,
        },
        "parameters": {
            k: round(v, POINTS) if isinstance(v, float) else v for k, v in report.parameters.items()
        },
        "calibration": calibration_document(report.calibration),
        "input": {
            "files": files,
            "games": len(asked.games),
            "fingerprint": asked.games.fingerprint(),
            "asked": done.asked,
            "searched_alone": done.alone,
            "known": done.known,
            "analysed": done.analysed,
            "failed": done.failed,
        },
        "left_out": {"moves": dict(report.left_out), "games": list(asked.forfeits)},
        "notes": notes,
        **{a: [n.as_dict() for n in asked.report.notes if n.action == a] for a in actions},
    }


def _rounded(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.selectors.float().round(POINTS))


def _plain(row: dict[str, object]) -> dict[str, object]:
    return {k: (v or None) if k == "note" else _number(v) for k, v in row.items()}


def _number(value: object) -> object:
    """Return a figure as JSON has it: none where it is no number, a word where it is infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


# `arpad ipr` for people: the paper's tables 3 to 5 in form, with the lines below them.

SHOWN_NOTES = 10
Row = dict[str, Any]


def people(report: IprReport, asked: DecisionGames) -> list[object]:
    """Return what a person sees."""
    from arpad.publish.tables import rich_table

    notes = [*asked.notes(), *report.notes]
    shown = [f"Note: {n}." for n in notes[:SHOWN_NOTES]]
    if len(notes) > SHOWN_NOTES:
        shown = [
            *shown[:-1],
            f"… and {len(notes) - SHOWN_NOTES:,} more notes: --format json has them",
            f"Note: {notes[-1]}.",
        ]
    return [
        f"{report.summary()}.",
        _counted(report, asked),
        "",
        rich_table(_table(report)),
        "",
        *_explained(report),
        "",
        *shown,
    ]


def _table(report: IprReport) -> pl.DataFrame:
    lines = [_line(row, report) for row in report.rows.to_dicts()]
    below = [
        _line({**row, "moves": None}, report) | {"moves": _figure(row.get("moves"))}
        for row in report.averages.to_dicts()
    ]
    if report.rows.height > 1:
        below.append(_line(_whole(report), report))
    frame = pl.DataFrame([*lines, *below], schema=dict.fromkeys(lines[0], pl.String))
    right = [c for c in frame.columns if c not in report.by]
    frame = frame.with_columns(_right(frame[c]) for c in right)
    blank = [c for c in frame.columns if not any(str(v or "").strip() for v in frame[c])]
    return frame.drop(blank)


def _line(row: Row, report: IprReport) -> dict[str, str]:
    get = row.get
    first, *others = report.by
    share = get("mm")
    signed = get("name") != DEVIATION
    ipr = str(get("ipr_words") or _figure(get("ipr")))
    if get("at_least") is not None:
        ipr = f"≥ {_figure(get('at_least'))}"
    return {
        first: str(get("name")),
        **{str(b): str(get(b) or "") for b in others},
        "games": _figure(get("games")),
        "moves": _figure(get("moves")),
        "MM %": _figure(None if share is None else 100 * share, 1),
        "AE": _figure(get("ae"), 3),
        "s": _figure(get("s"), 3),
        "c": _figure(get("c"), 3),
        "IPR": ipr,
        "±2σ": str(get("range_words") or ""),
        "actual": str(get("actual_words") or ""),
        "cat.": _figure(get("category")),
        "Elo": _figure(get("elo")),
        "IPR−Elo": _figure(get("ipr_minus_elo"), signed=signed),
        "TPR": _figure(get("performance")),
        "IPR−TPR": _figure(get("ipr_minus_performance"), signed=signed),
        "ACPL": _figure(get("average_centipawn_loss"), 1),
        "move acc. %": _figure(get("move_accuracy"), 1),
    }


def _whole(report: IprReport) -> Row:
    result = report.whole
    row: Row = {
        "name": "all moves in one run",
        "moves": result.moves,
        "mm": result.match_rate,
        "ae": result.error,
    }
    return row | _whole_rating(report)


def _whole_rating(report: IprReport) -> Row:
    """Return what a row has of its rating, for all moves in one run: no number beyond the marks of the line."""
    from arpad.moves.ipr.report import rating_figures

    rated = report.whole.rating
    if rated is None:
        return {}
    figures = rating_figures(rated, report.calibration)
    figures = {k: round(v, POINTS) if isinstance(v, float) else v for k, v in figures.items()}
    return {"s": round(rated.fit.s, 5), "c": round(rated.fit.c, 5), **figures}


def _explained(report: IprReport) -> list[str]:
    actual, sigmas = report.parameters["actual"], report.parameters["sigmas"]
    lines = [
        "MM: moves that are the engine's first; AE: scaled average error; s, c: sensitivity and consistency, fitted to the moves;",
        "ACPL, move acc.: centipawns lost a move and Lichess's accuracy of a move, of the moves that count and in one search; arpad gain has those of complete games.",
    ]
    if report.rows["ipr_words"].count():
        lines.append(
            f"±2σ: IPR ± {sigmas:g}σ, of the moves as the model projects it and of the line; "
            f"actual: σ of the moves {actual:g} times as wide, as the paper's trials found."
        )
    if "performance" in report.rows.columns and report.rows["performance"].count():
        lines.append("TPR: performance rating of the results, against opponents with ratings.")
    return lines


def _counted(report: IprReport, asked: DecisionGames) -> str:
    from arpad.moves.ipr.report import WORDS

    taken = [f"{n:,} {WORDS.get(k, k)}" for k, n in report.left_out.items() if n]
    said = f"Not counted: {', '.join(taken)}." if taken else "Every move counts."
    alone = asked.decided.alone
    return said + (f" Outside the lines, searched alone: {alone:,}." if alone else "")


def _figure(value: float | None, digits: int = 0, *, signed: bool = False) -> str:
    return "" if value is None else figure(float(value), digits, signed=signed)


def _right(column: pl.Series) -> pl.Series:
    texts = [t or "" for t in column]
    wide = max(map(len, texts), default=0)
    return pl.Series(column.name, [t.rjust(wide) for t in texts], dtype=pl.String)
