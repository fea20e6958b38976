"""Intrinsic ratings of players, events or years, beside what else is known of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.event.field import category
from arpad.event.performance import performance
from arpad.moves.accuracy import game_accuracies, losses
from arpad.moves.gain import difference, measure
from arpad.moves.gain_report import compare
from arpad.moves.ipr.calibration import ACTUAL_ERROR, SIGMAS
from arpad.moves.ipr.decisions import filters_document, filters_of
from arpad.moves.ipr.rating import By, Estimate, estimated, groups_of, moves_needed, same_settings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.gain import Gains
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.decisions import Decisions
    from arpad.moves.ipr.fit import FitMethod
    from arpad.moves.ipr.rating import Groups
    from arpad.moves.resampling import Resampling


__all__ = [
    "AVERAGED",
    "DEVIATION",
    "WORDS",
    "IprReport",
    "averages",
    "gain_columns",
    "gain_estimates",
    "ipr_report",
    "notes_of",
    "nothing",
    "result_columns",
]


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
    evaluated: EvaluatedGames, groups: Groups, *, resampling: Resampling | None = None
) -> pl.DataFrame:
    """Return gain per move against an engine that always gains 0, average centipawn loss and Lichess's accuracy.

    Of every move with a value before and after it, decided games or not. Accuracy is counted over the stretch that is
    evaluated, so it is not that of whole games where the opening is left out.
    """
    gains = measure(evaluated)
    group = groups.of(gains.table)
    mine = gains.part(group.is_not_null(), gains.left_out)
    kept = group.drop_nulls()
    here, sheet = np.unique(kept.to_numpy(), return_inverse=True)
    if not len(here):
        return pl.DataFrame(schema={"group": pl.UInt32})
    found = compare(
        mine.column("gain"),
        sheet,
        mine.column("game"),
        mine.column("ply"),
        sheets=len(here),
        pairs=np.empty((0, 2)),
        resampling=resampling,
    )
    limits = np.array([found.sheet_interval(found.engine_drawn, i) for i in range(len(here))])
    lost = np.bincount(sheet, weights=losses(mine).to_numpy()) / np.bincount(sheet)
    table = pl.DataFrame(
        {
            "group": pl.Series(here, dtype=pl.UInt32),
            "gain_moves": found.moves.astype(np.int64),
            "gain": found.mean_gain,
            "gain_difference": difference(np.clip(found.engine, 0.0, 1.0)),
            "gain_difference_low": _points(limits[:, 0]),
            "gain_difference_high": _points(limits[:, 1]),
            "average_centipawn_loss": lost,
        }
    ).fill_nan(None)
    return table.join(_accuracies(gains, groups), on="group", how="left", maintain_order="left")


def gain_estimates(
    rows: pl.DataFrame, *, engine_rating: float | None = None
) -> tuple[pl.Series, float | None]:
    """Return gain per move as a rating, row by row, and where the engine was put for it.

    Without the engine's rating, the engine stands where the ratings of these rows put it on the average, weighted by moves:
    then the estimates say who was better than whom, not how good all were [gain per move, 6].

    Parameters
    ----------
    rows
        `elo`, `gain_moves`, `gain_difference`.
    """
    level = engine_rating
    if level is None:
        both = rows.filter(pl.col("elo").is_not_null() & pl.col("gain_difference").is_finite())
        if both.height > 1:  # one row alone would get its own rating back
            put = (both["elo"] - both["gain_difference"]).to_numpy()
            level = float(np.average(put, weights=both["gain_moves"].to_numpy()))
    estimate = pl.lit(level, dtype=pl.Float64) + pl.col("gain_difference")
    return rows.select(gain_estimate=estimate)["gain_estimate"], level


def _points(p: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(len(p), np.nan)
    known = np.isfinite(p)
    found[known] = difference(np.clip(p[known], 0.0, 1.0))
    return found


def _accuracies(gains: Gains, groups: Groups) -> pl.DataFrame:
    """Return the mean of Lichess's accuracies of the sides of a row, each over the longest stretch that is evaluated."""
    moves = gains.whole.with_columns(
        run=(pl.col("ply") - pl.int_range(pl.len()).over("game")).rle_id().over("game")
    )
    longest = (
        moves.group_by("game", "run", maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
    )
    moves = moves.join(
        longest.unique("game", keep="first"), on=["game", "run"], how="semi", maintain_order="left"
    )
    first = moves.group_by("game", maintain_order=True).first()
    starts = first.select("game", pl.col("ply") - 1, cp="before", white=pl.lit(False))
    rest = moves.select("game", "ply", cp="after", white="white")
    table = pl.concat([starts, rest]).sort("game", "ply")
    number = table["game"].rle_id().to_numpy().astype(np.int64)
    found = game_accuracies(table["cp"].to_numpy(), number, table["white"].to_numpy())
    games = table["game"].unique(maintain_order=True)
    both = pl.concat(
        [
            pl.DataFrame({"game": games, "white": [white] * len(games), "accuracy": found[:, column]})
            for column, white in enumerate((True, False))
        ]
    ).fill_nan(None)
    return (
        both.with_columns(groups.of(both).alias("group"))
        .drop_nulls()
        .group_by("group", maintain_order=True)
        .agg(pl.col("accuracy").sort().mean().alias("lichess_accuracy"))
    )


# What names, results and ratings say of the same rows: Elo, category, performance rating.


def result_columns(groups: Groups) -> pl.DataFrame:
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
    """Return the performance against opponents whose ratings are known."""
    met = sides.filter(
        pl.col("counts") & pl.col("opponent_rating").is_not_null() & pl.col("score").is_not_null()
    )
    if not met.height:
        return {"results": 0}
    score = float(met["score"].sum())
    found = performance(score, met["opponent_rating"].to_list())
    return {
        "score": score,
        "results": met.height,
        "performance": found.rating,
        "performance_error": found.error,
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
"""What became of moves that do not count."""


def notes_of(
    rows: pl.DataFrame,
    by: Sequence[str],
    calibration: Calibration,
    decisions: Decisions,
    method: FitMethod | None,
) -> list[str]:
    """Say of rows what their figures do not, and of all of them what they rest on."""
    names = [" · ".join(row) for row in rows.select(by).iter_rows()]
    said = [f"{name}: {note}" for name, note in zip(names, rows["note"], strict=True) if note]
    marks = [m.elo for m in calibration.marks if m.in_line]
    beyond = [name for name, out in zip(names, rows["outside"], strict=True) if out]
    if beyond:
        who = ", ".join(beyond[:3]) + (f" and {len(beyond) - 3} more" if len(beyond) > 3 else "")
        said.append(
            f"{who}: beyond the marks {min(marks):.0f}–{max(marks):.0f} that the line was drawn through; the line is stretched there"
        )
    if method is not None and method != calibration.method:
        said.append(
            f"fitted by {method}, but the line was made by {calibration.method}: the ratings are off by what the two differ"
        )
    if decisions.filters != filters_of(calibration.filters):
        said.append(
            "moves were filtered otherwise than the calibration's: the line was not made for these moves"
        )
    if not rows["elo"].count():
        said.append("no ratings in the file: nothing can be compared with Elo")
    needed = moves_needed(calibration, NARROW)
    said.append(
        f"about {needed:,} moves give ±{NARROW:.0f} (2σ); intervals hold chance alone: the line itself misses "
        f"its marks by {calibration.line.residual:.0f} points (one standard deviation)"
    )
    return said


def nothing(rows: pl.DataFrame, decisions: Decisions) -> str:
    """Say why nobody has a rating."""
    if rows.height and rows["moves"].sum():
        best = rows.sort("moves", descending=True).row(0, named=True)
        return f"nobody can be rated. {best['name']}: {best['note']}"
    taken = {k: n for k, n in decisions.left_out.items() if n}
    if set(taken) <= {"opening", "forced"} and taken.get("forced"):
        return "every move was forced: nothing can be said of who chose it"
    told = ", ".join(f"{n:,} {WORDS.get(k, k)}" for k, n in taken.items())
    return f"expected moves to rate, found none that counts ({told or 'no games with moves'})"


# Intrinsic performance ratings of players, events or years, beside what else is known of them.

GAIN = {
    "gain_moves": pl.Int64,
    "gain": pl.Float64,
    "gain_difference": pl.Float64,
    "gain_difference_low": pl.Float64,
    "gain_difference_high": pl.Float64,
    "average_centipawn_loss": pl.Float64,
    "lichess_accuracy": pl.Float64,
}
"""Columns of other measures, null where no evaluations were given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IprReport:
    """Rows with their ratings, the lines below them, and what all of it rests on.

    `rows` has `name`, what tells rows apart (`player`, `event`, …), `games`, `moves`, `mm`, `ae` (scaled), `ae_raw` (pawns),
    `s`, `c`, `ae_e`, `ipr`, `low`, `high`, `low_actual`, `high_actual`, `at_least`, `elo`, `ipr_minus_elo`, `performance`,
    `ipr_minus_performance`, `gain_estimate`, `lichess_accuracy`, `line_sigma` (standard error of the line at this rating), `note`.
    """

    by: tuple[By, ...]
    rows: pl.DataFrame
    averages: pl.DataFrame
    """Below the table: averages, deviations, weighted averages."""
    whole: Estimate
    """All moves in one run, whoever made them [table 3, "aggregate run"]."""
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
    method: FitMethod | None = None,
    evaluated: EvaluatedGames | None = None,
    engine_rating: float | None = None,
    resampling: Resampling | None = None,
) -> IprReport:
    """Rate the decisions of games, row by row.

    Parameters
    ----------
    by
        What tells rows apart.
    players
        Rows of `games.players`: only their moves.
    method
        Of fitting; the calibration's own by default.
    evaluated
        The same games with the engine's values, for gain per move and accuracy.
    engine_rating
        The engine's rating for gain per move; None: put where the players' ratings say.

    Raises
    ------
    UsageError
        If the moves were not evaluated as the calibration's were.
    InputError
        If no row can be rated.
    """
    same_settings(calibration, decisions.engine)
    groups = groups_of(games, by, players=players)
    of = groups.of(decisions.rows)
    mine = decisions.where(of.is_not_null())
    found = _rated(mine, of.drop_nulls(), groups, calibration, method)
    rows = found.join(result_columns(groups), on="group", how="left", maintain_order="left")
    rows, level = _with_gain(rows, evaluated, groups, engine_rating, resampling)
    rows = rows.with_columns(
        ipr_minus_elo=pl.col("ipr") - pl.col("elo"),
        ipr_minus_performance=pl.col("ipr") - pl.col("performance"),
        line_sigma=pl.Series([_line_sigma(calibration, r) for r in rows["ipr"]], dtype=pl.Float64),
    ).drop("group")
    rows = rows.select(pl.exclude("note"), "note")
    if groups.by == ("player",):
        rows = rows.sort("ipr", "moves", descending=True, nulls_last=True, maintain_order=True)
    if not rows["ipr"].count() and not rows["at_least"].count():
        raise InputError(nothing(rows, decisions))
    return IprReport(
        by=groups.by,
        rows=rows,
        averages=averages(rows),
        whole=estimated(mine.choices, calibration, method=method),
        calibration=calibration,
        parameters=_parameters(calibration, decisions, method, level, engine_rating),
        left_out=dict(decisions.left_out),
        notes=tuple(notes_of(rows, groups.by, calibration, decisions, method)),
    )


def _rated(
    decisions: Decisions, of: pl.Series, groups: Groups, calibration: Calibration, method: FitMethod | None
) -> pl.DataFrame:
    rows = []
    keys: list[str] = list(groups.by)
    first = keys[0]
    for row in groups.rows.to_dicts():
        mine = decisions.where(of == row["group"])
        found = estimated(mine.choices, calibration, method=method)
        rated = found.rating
        lost = mine.rows["lost"].mean()
        rows.append(
            {
                "group": row["group"],
                "name": row[first],
                **{b: row[b] for b in keys},
                "games": mine.rows["game"].n_unique(),
                "moves": found.moves,
                "mm": found.match_rate if found.moves else None,
                "ae": found.error if found.moves else None,
                "ae_raw": lost,
                "s": rated and rated.fit.s,
                "c": rated and rated.fit.c,
                "ae_e": rated and rated.projected,
                "ipr": rated and rated.ipr,
                "low": rated and rated.low,
                "high": rated and rated.high,
                "low_actual": rated and rated.low_actual,
                "high_actual": rated and rated.high_actual,
                "at_least": found.at_least,
                "outside": rated and rated.outside,
                "note": found.note,
            }
        )
    figures = (
        "mm",
        "ae",
        "ae_raw",
        "s",
        "c",
        "ae_e",
        "ipr",
        "low",
        "high",
        "low_actual",
        "high_actual",
        "at_least",
    )
    kinds = {
        "group": pl.UInt32,
        "name": pl.String,
        **dict.fromkeys(keys, pl.String),
        "games": pl.Int64,
        "moves": pl.Int64,
        **dict.fromkeys(figures, pl.Float64),
        "outside": pl.Boolean,
        "note": pl.String,
    }
    return pl.DataFrame(rows, schema=kinds)


def _line_sigma(calibration: Calibration, rating: float | None) -> float | None:
    return None if rating is None else calibration.line_sigma(rating)


def _with_gain(
    rows: pl.DataFrame,
    evaluated: EvaluatedGames | None,
    groups: Groups,
    engine_rating: float | None,
    resampling: Resampling | None,
) -> tuple[pl.DataFrame, float | None]:
    found = pl.DataFrame(schema={"group": pl.UInt32})
    if evaluated is not None:
        # Where no move has a value before and after it the columns stay empty.
        with suppress(InputError):
            found = gain_columns(evaluated, groups, resampling=resampling)
    joined = rows.join(found, on="group", how="left", maintain_order="left")
    missing = [pl.lit(None, kind).alias(c) for c, kind in GAIN.items() if c not in joined.columns]
    joined = joined.with_columns(missing)
    estimate, level = gain_estimates(joined, engine_rating=engine_rating)
    return joined.with_columns(estimate), level


def _parameters(
    calibration: Calibration,
    decisions: Decisions,
    method: FitMethod | None,
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
