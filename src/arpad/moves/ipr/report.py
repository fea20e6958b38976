"""Intrinsic ratings of players, events or years, beside what else is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.event.field import category
from arpad.event.performance import performance
from arpad.model import Result
from arpad.moves.accuracy import centipawn_losses, move_accuracy, win_percent
from arpad.moves.gain import CENTIPAWNS, differences
from arpad.moves.gain_report import compare
from arpad.moves.ipr.calibration import ACTUAL_ERROR, SIGMAS
from arpad.moves.ipr.decisions import filters_document, filters_of
from arpad.moves.ipr.rating import (
    LEAST_MOVES,
    MOVE_KEYS,
    RATED_MOVES,
    By,
    Estimate,
    estimated,
    groups_of,
    moves_apart,
    moves_needed,
    rating_words,
    same_settings,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.decisions import Decisions
    from arpad.moves.ipr.rating import Intrinsic, RatingMethod, RowGroups
    from arpad.moves.resampling import Resampling


# The last lines of the paper's tables: averages, deviations, weighted averages, and all moves in one run.

DEVIATION = "standard deviation"
AVERAGED = ("elo", "performance", "ipr", "ipr_minus_elo", "ipr_minus_performance", "moves")
"""Columns that are averaged, each over the rows that have it."""


def averages(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the lines below a table: plain averages, standard deviations, averages weighted by games and by moves.

    The deviation divides by the number of rows, as table 5's does. None for fewer than two rows with a rating.

    Examples
    --------
    >>> rows = pl.DataFrame({"ipr": [2600.0, 2700.0], "elo": [2650.0, None], "games": [1, 3], "moves": [100, 100]})
    >>> averages(rows).select("name", "ipr", "elo").rows()
    [('average', 2650.0, 2650.0), ('standard deviation', 50.0, 0.0), ('by games', 2675.0, 2650.0), ('by moves', 2650.0, 2650.0)]
    """
    rated = rows.filter(pl.col("ipr").is_not_null())
    there = [c for c in AVERAGED if c in rows.columns]
    schema = {"name": pl.String, **dict.fromkeys(there, pl.Float64)}
    if rated.height < 2:
        return pl.DataFrame(schema=schema)
    ways: dict[str, NDArray[np.float64] | None] = {
        "average": None,
        DEVIATION: None,
        "by games": rated["games"].to_numpy().astype(np.float64),
        "by moves": rated["moves"].to_numpy().astype(np.float64),
    }
    lines = []
    for name, weights in ways.items():
        line: dict[str, object] = {"name": name}
        for column in there:
            if name == "average" or column != "moves":  # how much moves weigh says nothing of them
                line[column] = _figure(rated[column], weights, spread=name == DEVIATION)
        lines.append(line)
    return pl.DataFrame(lines, schema=schema)


def _figure(column: pl.Series, weights: NDArray[np.float64] | None, *, spread: bool) -> float | None:
    known = column.is_not_null().to_numpy()
    values = column.drop_nulls().to_numpy().astype(np.float64)
    if not len(values):
        return None
    if spread:
        return float(values.std())
    return float(np.average(values, weights=None if weights is None else weights[known]))


# What the same evaluations say of the same rows by other measures: gain per move, centipawn loss, accuracy.


def gain_columns(
    decisions: Decisions, of: pl.Series, *, resampling: Resampling | None = None
) -> pl.DataFrame:
    """Return gain per move against an engine that always gains 0, average centipawn loss and accuracy of the moves that count.

    A move is compared with the engine's first choice in the same search, so that the first choice loses nothing. Accuracy
    is the mean of Lichess's accuracies of the moves; that of complete games is another figure (`accuracy.accuracies`).
    """
    if not len(decisions):
        return pl.DataFrame(schema={"group": pl.UInt32})
    here, sheet = np.unique(of.to_numpy(), return_inverse=True)
    best, lost = (decisions.column(c) * CENTIPAWNS for c in ("value", "lost"))
    result = compare(
        -np.rint(lost),
        sheet,
        decisions.column("game"),
        decisions.column("ply"),
        sheets=len(here),
        pairs=np.empty((0, 2)),
        resampling=resampling,
    )
    limits = differences(result.intervals(result.engine_drawn))
    each = {
        "average_centipawn_loss": centipawn_losses(best, best - lost),
        "move_accuracy": move_accuracy(win_percent(best), win_percent(best - lost)),
    }
    moves = np.bincount(sheet)
    return pl.DataFrame(
        {
            "group": pl.Series(here, dtype=pl.UInt32),
            "gain_moves": result.moves.astype(np.int64),
            "gain": result.mean_gain,
            "gain_difference": differences(result.engine),
            "gain_difference_low": limits[:, 0],
            "gain_difference_high": limits[:, 1],
            **{name: np.bincount(sheet, weights=values) / moves for name, values in each.items()},
        }
    ).fill_nan(None)


def gain_estimates(
    rows: pl.DataFrame, *, engine_rating: float | None = None
) -> tuple[pl.Series, float | None]:
    """Return gain per move as a rating, row by row, and where the engine was put for it.

    Without the engine's rating, the engine stands where the ratings of these rows put it on the average, weighted by moves:
    then the estimates say who was better than whom, not how good all were [gain per move, 6].
    """
    level = engine_rating
    if level is None:
        both = rows.filter(pl.col("elo").is_not_null() & pl.col("gain_difference").is_finite())
        if both.height > 1:  # one row alone would get its own rating back
            put = (both["elo"] - both["gain_difference"]).to_numpy()
            level = float(np.average(put, weights=both["gain_moves"].to_numpy()))
    estimate = pl.lit(level, dtype=pl.Float64) + pl.col("gain_difference")
    return rows.select(gain_estimate=estimate)["gain_estimate"], level


# What names, results and ratings say of the same rows: Elo, category, performance rating.


def result_columns(groups: RowGroups) -> pl.DataFrame:
    """Return `group`, `elo`, `category`, `score`, `results`, `performance` and `performance_error`, from results and ratings.

    Elo is the mean over the players of a row of each one's mean over his games; a whole event has a category by it. A performance rating
    belongs to one player: rows of several have none.
    """
    rows = []
    one_player = "player" in groups.by
    whole_events = groups.by == ("event",) and groups.everybody
    for (group,), sides in groups.sides.group_by(["group"], maintain_order=True):
        mean = sides.group_by("player", maintain_order=True).agg(pl.col("rating").mean())["rating"]
        known = mean.drop_nulls()
        elo = float(known.mean()) if len(known) else None  # type: ignore[arg-type]
        row: dict[str, object] = {
            "group": group,
            "elo": elo,
            "category": category(elo) if elo is not None and whole_events else None,
            "rated_players": len(known),
        }
        rows.append(row | (_performance(sides) if one_player else {}))
    columns = {
        "group": pl.UInt32,
        "elo": pl.Float64,
        "category": pl.Int64,
        "rated_players": pl.Int64,
        "score": pl.Float64,
        "results": pl.Int64,
        "performance": pl.Float64,
        "performance_error": pl.Float64,
    }
    return pl.DataFrame(rows, schema=columns)


def _performance(sides: pl.DataFrame) -> dict[str, object]:
    met = sides.filter(
        pl.col("counts") & pl.col("opponent_rating").is_not_null() & pl.col("score").is_not_null()
    )
    if not met.height:
        return {"results": 0}
    score = float(met["score"].sum())
    result = performance(score, met["opponent_rating"].to_list())
    return {
        "score": score,
        "results": met.height,
        "performance": result.rating,
        "performance_error": result.error,
    }


# What is to be minded beside intrinsic ratings, in words.

NARROW = 100.0
"""Points either side for which the number of moves is said."""
WORDS = {
    "opening": "in the opening",
    "decided": "in decided positions",
    "repeated": "in repeated positions",
    "forced": "forced",
    "failed": "in positions that were not evaluated",
    "not_searched": "outside the lines and not searched",
}
"""Names of the reasons why moves do not count."""


def notes_of(
    rows: pl.DataFrame,
    by: Sequence[str],
    calibration: Calibration,
    decisions: Decisions,
    method: RatingMethod | None,
) -> list[str]:
    """Say of rows what their figures do not, and of all of them what they rest on."""
    names = [" · ".join(row) for row in rows.select(by).iter_rows()]
    said = [f"{name}: {note}" for name, note in zip(names, rows["note"], strict=True) if note]
    first, last = calibration.ends
    beyond = [name for name, out in zip(names, rows["outside"], strict=True) if out]
    if beyond:
        who = ", ".join(beyond[:3]) + (f" and {len(beyond) - 3} more" if len(beyond) > 3 else "")
        said.append(
            f"{who}: beyond the marks {first:.0f}–{last:.0f} of the line, where it gives no exact rating; not in the averages"
        )
    if method is not None and method != calibration.method:
        said.append(
            f"fitted by {method}, but the line was made by {calibration.method}: the ratings are off by the difference of the two methods"
        )
    if decisions.filters != filters_of(calibration.filters):
        said.append(
            "the filters of the moves differ from the calibration's: the line was not made for these moves"
        )
    if not rows["elo"].count():
        said.append("no ratings in the file: nothing can be compared with Elo")
    needed = moves_needed(calibration, NARROW)
    said.append(
        f"about {needed:,} moves give ±{NARROW:.0f} (2σ) beside the error of the line, which is in the intervals"
    )
    if calibration.unseen:
        said.append(unseen_words(calibration))
    if moved := [d for d in calibration.decades if d.shift]:
        parts = ", ".join(f"{d.shift:+.0f} ± {d.sigma:.0f} for {d.first}–{d.last}" for d in moved)
        said.append(
            f"players of one rating play better than in the years of the line, which is moved for games of later years ({parts})"
        )
    return said


def unseen_words(calibration: Calibration) -> str:
    """Say how far the line is off on games that it was not made from."""
    parts = calibration.unseen
    weights = [1 / u.sigma**2 for u in parts]
    bias = sum(w * u.bias for w, u in zip(weights, parts, strict=True)) / sum(weights)
    bands = ", ".join(f"{u.bias:+.0f} ± {u.sigma:.0f} at {u.first:.0f}–{u.last:.0f}" for u in parts)
    return (
        f"on {sum(u.moves for u in parts):,} moves of games that it was not made from, the line, moved for their years, is off by {bias:+.0f} ± "
        f"{sum(weights) ** -0.5:.0f} points ({bands})"
    )


def nothing(decisions: Decisions) -> str:
    """Say why there is nothing to rate."""
    taken = {k: n for k, n in decisions.left_out.items() if n}
    if set(taken) <= {"opening", "forced"} and taken.get("forced"):
        return "every move was forced: the moves say nothing about the player"
    told = ", ".join(f"{n:,} {WORDS.get(k, k)}" for k, n in taken.items())
    return f"expected moves to rate, found none that counts ({told or 'no games with moves'})"


# Intrinsic performance ratings of players, events or years, beside what else is known of them.

RESULTS = ("score", "results", "performance", "performance_error", "category")
GAIN = {
    "gain_moves": pl.Int64,
    "gain": pl.Float64,
    "gain_difference": pl.Float64,
    "gain_difference_low": pl.Float64,
    "gain_difference_high": pl.Float64,
    "average_centipawn_loss": pl.Float64,
    "move_accuracy": pl.Float64,
}
"""Columns of other measures, null where no move counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IprReport(Result):
    """Rows with their ratings, the lines below them, and what all of it rests on.

    `rows` has `name`, what tells rows apart (`player`, `event`, …), `games`, `moves`, `mm`, `ae` (scaled), `ae_raw` (pawns),
    `s`, `c`, `ae_e`, `ipr`, `low`, `high`, `low_actual`, `high_actual`, `at_least`, `elo`, `ipr_minus_elo`, `performance`,
    `ipr_minus_performance`, `gain_estimate`, `move_accuracy`, `line_sigma` (standard error of the line at this rating), `note`.
    A rating or an end of an interval beyond the marks of the line is null; `ipr_words`, `range_words` and `actual_words` say so.
    """

    by: tuple[By, ...]
    rows: pl.DataFrame
    averages: pl.DataFrame
    """Below the table: averages, deviations, weighted averages."""
    whole: Estimate
    """All moves of all players in one run [table 3, "aggregate run"]."""
    calibration: Calibration
    parameters: Mapping[str, Any]
    left_out: Mapping[str, int]
    notes: tuple[str, ...]

    def table(self) -> pl.DataFrame:
        """Return the rows."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence on what was rated, and how."""
        moves = int(self.rows["moves"].sum())
        engine = self.calibration.engine
        limit = next((f"{k} {engine[k]}" for k in ("depth", "nodes", "movetime") if k in engine), "")
        return (
            f"{moves:,} moves in {self.rows.height:,} row{'' if self.rows.height == 1 else 's'} (by {', '.join(self.by)}); calibration {self.calibration.name!r} "
            f"({engine.get('engine', 'an engine')}, {limit}, {engine.get('multipv', '?')} lines), "
            f"fitted by {self.parameters['method']}"
        )


def ipr_report(
    decisions: Decisions,
    games: Games,
    calibration: Calibration,
    *,
    by: Sequence[By] = ("player",),
    players: Collection[int] | None = None,
    method: RatingMethod | None = None,
    least: int = RATED_MOVES,
    engine_rating: float | None = None,
    resampling: Resampling | None = None,
) -> IprReport:
    """Rate the decisions of games, row by row.

    Parameters
    ----------
    engine_rating
        The engine's rating for gain per move; None: put where the players' ratings say.
    """
    same_settings(calibration, decisions.engine)
    if least < LEAST_MOVES:
        raise UsageError(f"expected {LEAST_MOVES} moves for a rating or more, found {least}")
    groups = groups_of(games, by, players=players)
    of = groups.of(decisions.rows)
    mine = decisions.where(of.is_not_null())
    if not len(mine):
        raise InputError(nothing(decisions))
    cells, of = moves_apart(groups, of.drop_nulls(), mine.rows)
    result = _rated(mine, of, cells, groups.by, calibration, method, least)
    rows = result.join(result_columns(groups), on="group", how="left", maintain_order="left")
    if any(b in MOVE_KEYS for b in groups.by):  # results belong to games, not to some of their moves
        rows = rows.with_columns(pl.lit(None, rows.schema[c]).alias(c) for c in RESULTS if c in rows.columns)
    rows, level = _with_gain(rows, gain_columns(mine, of, resampling=resampling), engine_rating)
    rows = rows.with_columns(
        ipr_minus_elo=pl.col("ipr") - pl.col("elo"),
        ipr_minus_performance=pl.col("ipr") - pl.col("performance"),
    ).drop("group", "cell")
    rows = rows.select(pl.exclude("note"), "note")
    if groups.by == ("player",):  # the surest first: the ratings themselves are mostly noise
        rows = rows.sort("moves", "elo", descending=True, nulls_last=True, maintain_order=True)
    return IprReport(
        by=groups.by,
        rows=rows,
        averages=averages(rows),
        whole=estimated(mine.choices, calibration, method=method, least=least, years=mine.years),
        calibration=calibration,
        parameters=_parameters(calibration, decisions, method, level, engine_rating),
        left_out=dict(decisions.left_out),
        notes=tuple(notes_of(rows, groups.by, calibration, decisions, method)),
    )


def rating_figures(rated: Intrinsic, calibration: Calibration) -> dict[str, float | str | None]:
    """Return a rating and its intervals: beyond the marks of the line in words, and no number."""
    first, last = calibration.ends
    names = ("ipr", "low", "high", "low_actual", "high_actual")
    values = {name: float(getattr(rated, name)) for name in names}
    words = {name: rating_words(value, calibration) for name, value in values.items()}
    return {
        **{name: value if first <= value <= last else None for name, value in values.items()},
        "ipr_words": words["ipr"],
        "range_words": _range(words["low"], words["high"]),
        "actual_words": _range(words["low_actual"], words["high_actual"]),
    }


def _rated(
    decisions: Decisions,
    of: pl.Series,
    cells: pl.DataFrame,
    keys: Sequence[str],
    calibration: Calibration,
    method: RatingMethod | None,
    least: int,
) -> pl.DataFrame:
    rows = []
    for row in cells.to_dicts():
        mine = decisions.where(of == row["cell"])
        result = estimated(mine.choices, calibration, method=method, least=least, years=mine.years)
        rated = result.rating
        rows.append(
            {
                "cell": row["cell"],
                "group": row["group"],
                "name": row[keys[0]],
                **{b: row[b] for b in keys},
                "games": mine.rows["game"].n_unique(),
                "moves": result.moves,
                "mm": result.match_rate if result.moves else None,
                "ae": result.error if result.moves else None,
                "ae_raw": mine.rows["lost"].mean(),
                "s": rated and rated.fit.s,
                "c": rated and rated.fit.c,
                "ae_e": rated and rated.projected,
                **(rating_figures(rated, calibration) if rated else {}),
                "at_least": result.at_least,
                "line_sigma": rated and rated.line_sigma,
                "outside": rated and rated.outside,
                "note": result.note,
            }
        )
    figures = (
        *("mm", "ae", "ae_raw", "s", "c", "ae_e", "ipr", "low", "high", "low_actual", "high_actual"),
        *("at_least", "line_sigma"),
    )
    kinds = {
        "cell": pl.UInt32,
        "group": pl.UInt32,
        "name": pl.String,
        **dict.fromkeys(keys, pl.String),
        "games": pl.Int64,
        "moves": pl.Int64,
        **dict.fromkeys(figures, pl.Float64),
        **dict.fromkeys(("ipr_words", "range_words", "actual_words"), pl.String),
        "outside": pl.Boolean,
        "note": pl.String,
    }
    return pl.DataFrame(rows, schema=kinds)


def _range(low: str, high: str) -> str:
    """Return an interval in words; both ends may lie on the same side of the marks."""
    return low if low == high else f"{low} to {high}" if " " in low + high else f"{low}–{high}"


def _with_gain(
    rows: pl.DataFrame, found: pl.DataFrame, engine_rating: float | None
) -> tuple[pl.DataFrame, float | None]:
    joined = rows.join(found.rename({"group": "cell"}), on="cell", how="left", maintain_order="left")
    missing = [pl.lit(None, kind).alias(c) for c, kind in GAIN.items() if c not in joined.columns]
    joined = joined.with_columns(missing)
    estimate, level = gain_estimates(joined, engine_rating=engine_rating)
    return joined.with_columns(estimate), level


def _parameters(
    calibration: Calibration,
    decisions: Decisions,
    method: RatingMethod | None,
    level: float | None,
    engine_rating: float | None,
) -> dict[str, Any]:
    return {
        "calibration": calibration.name,
        "engine": dict(decisions.engine),
        "filters": filters_document(decisions.filters),
        "method": method or calibration.method,
        "sigmas": SIGMAS,
        "actual": ACTUAL_ERROR,
        "gain_engine_rating": level,
        "gain_engine_rating_from": None
        if level is None
        else ("given" if engine_rating is not None else "the ratings of these rows"),
    }
