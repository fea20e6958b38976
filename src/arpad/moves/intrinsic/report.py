"""Intrinsic performance ratings of players, events or years, beside what else is known of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError
from arpad.moves.intrinsic.averages import averages
from arpad.moves.intrinsic.beside_gain import gain_columns, gain_estimates
from arpad.moves.intrinsic.beside_results import result_columns
from arpad.moves.intrinsic.decisions import filters_document
from arpad.moves.intrinsic.estimate import Estimate, estimated
from arpad.moves.intrinsic.grouping import By, groups_of
from arpad.moves.intrinsic.line import ACTUAL_ERROR, SIGMAS
from arpad.moves.intrinsic.rating import same_settings
from arpad.moves.intrinsic.report_notes import notes_of, nothing

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from arpad.model import Games
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.intrinsic.calibration import Calibration
    from arpad.moves.intrinsic.decisions import Decisions
    from arpad.moves.intrinsic.fit import FitMethod
    from arpad.moves.intrinsic.grouping import Groups
    from arpad.moves.resampling import Resampling

__all__ = ["IprReport", "ipr_report"]

GAIN = {
    "gain_moves": pl.Int64, "gain": pl.Float64, "gain_difference": pl.Float64,
    "gain_difference_low": pl.Float64, "gain_difference_high": pl.Float64,
    "average_centipawn_loss": pl.Float64, "lichess_accuracy": pl.Float64,
}  # fmt: skip
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
        limit = next(
            (f"{k} {engine[k]}" for k in ("depth", "nodes", "movetime") if k in engine), ""
        )
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
        by=groups.by, rows=rows, averages=averages(rows),
        whole=estimated(mine.choices, calibration, method=method),
        calibration=calibration,
        parameters=_parameters(calibration, decisions, method, level, engine_rating),
        left_out=dict(decisions.left_out), notes=tuple(notes_of(rows, groups.by, calibration, decisions, method)),
    )  # fmt: skip


def _rated(
    decisions: Decisions,
    of: pl.Series,
    groups: Groups,
    calibration: Calibration,
    method: FitMethod | None,
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
                "group": row["group"], "name": row[first], **{b: row[b] for b in keys},
                "games": mine.rows["game"].n_unique(), "moves": found.moves,
                "mm": found.match_rate if found.moves else None,
                "ae": found.error if found.moves else None, "ae_raw": lost,
                "s": rated and rated.fit.s, "c": rated and rated.fit.c, "ae_e": rated and rated.projected,
                "ipr": rated and rated.ipr, "low": rated and rated.low, "high": rated and rated.high,
                "low_actual": rated and rated.low_actual, "high_actual": rated and rated.high_actual,
                "at_least": found.at_least, "outside": rated and rated.outside, "note": found.note,
            }
        )  # fmt: skip
    figures = ("mm", "ae", "ae_raw", "s", "c", "ae_e", "ipr", "low", "high", "low_actual", "high_actual", "at_least")  # fmt: skip
    kinds = {
        "group": pl.UInt32, "name": pl.String, **dict.fromkeys(keys, pl.String),
        "games": pl.Int64, "moves": pl.Int64, **dict.fromkeys(figures, pl.Float64),
        "outside": pl.Boolean, "note": pl.String,
    }  # fmt: skip
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
