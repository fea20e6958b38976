"""Perceived ratings in an event and the engine's strength, with intervals [Ferreira 2012, 5, 6]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.engine_strength import EngineStrength, engine_strength
from arpad.moves.expected import difference
from arpad.moves.perceived import Ladder, ladder, perceived
from arpad.moves.resampling import interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.moves.comparison import Comparison
    from arpad.moves.measured import Gains
    from arpad.moves.sheets import Sheets

__all__ = ["Engine", "Standing", "standing"]

Limits = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The engine's strength by one distribution of its gain [table 4]."""

    by: str
    """"zero gain" or "measured gain"."""
    strength: EngineStrength
    by_rating: Limits
    """Interval of `strength.by_rating`: chance in the players' moves; their ratings are taken as exact."""
    by_perceived: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Perceived ratings, best first, and the engine's strength.

    `rows` has `rank`, `player`, `rating`, `perceived`, `perceived_low`, `perceived_high`, `change` (perceived less
    rating), `games`, `moves`, `pairs`, and the sum of expected scores `expected` beside the `points` of the games.
    """

    rows: pl.DataFrame
    engines: tuple[Engine, ...]
    level: float | None
    """Mean of the known ratings; None: nobody's is known, and perceived ratings are around 0."""
    dropped: int
    """Draws left out, since somebody's every move was better than everybody's of another."""

    def table(self) -> pl.DataFrame:
        """Return the perceived ratings."""
        return self.rows


def standing(
    gains: Gains, sheets: Sheets, found: Comparison, known: Mapping[int, float]
) -> Standing:
    """Return perceived ratings for the pairs of a comparison.

    Raises
    ------
    InputError
        If the pairs do not hang together, or a difference is infinite.
    """
    if not len(found.pairs):
        raise InputError(
            "expected two players who met, both with moves that have a gain; found none"
        )
    owner = sheets.rows["player"].to_numpy()
    people, seat = np.unique(owner, return_inverse=True)
    names = gains.games.players["name"].gather(people).to_list()
    ratings = np.array([known.get(int(p), np.nan) for p in people])
    pairs = seat[found.pairs].reshape(-1, 2)
    d = np.asarray(difference(found.expected))
    best = perceived(pairs, d, known=ratings, names=names)
    steps = ladder(pairs, len(people), known=ratings, names=names)
    drawn, usable = _drawn(steps, found)
    clusters = _clusters(found, seat, len(people))
    limits = np.array(
        [
            interval(drawn[:, i], int(clusters[i]), found.resampling.confidence)
            for i in range(len(people))
        ]
    ).reshape(-1, 2)
    rows = _rows(names, ratings, best, limits, pairs, found, sheets, seat)
    return Standing(
        rows=rows,
        engines=_engines(names, ratings, best, found, seat, drawn, usable),
        level=steps.level,
        dropped=int(found.resampling.draws - usable.sum()),
    )


def _drawn(steps: Ladder, found: Comparison) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return perceived ratings draw by draw, NaN where a draw has no finite differences."""
    d = found.differences_drawn()
    usable = np.asarray(np.isfinite(d).all(axis=1))
    ratings = np.full((len(d), len(steps.known)), np.nan)
    ratings[usable] = steps.ratings(d[usable])
    return ratings, usable


def _clusters(found: Comparison, seat: NDArray[np.int64], people: int) -> NDArray[np.int64]:
    """Return how many games, or blocks of moves, each player's figures rest on."""
    return np.bincount(seat, weights=np.diff(found.cells.first), minlength=people).astype(np.int64)


def _rows(
    names: list[str],
    ratings: NDArray[np.float64],
    best: NDArray[np.float64],
    limits: NDArray[np.float64],
    pairs: NDArray[np.int64],
    found: Comparison,
    sheets: Sheets,
    seat: NDArray[np.int64],
) -> pl.DataFrame:
    n = len(names)
    met = sheets.pairs["games"].fill_null(0).to_numpy()
    score = sheets.pairs["score"].fill_null(0.0).to_numpy()

    def both(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(
            np.bincount(pairs[:, 0], first, n) + np.bincount(pairs[:, 1], second, n), np.float64
        )

    frame = pl.DataFrame(
        {
            "player": names,
            "rating": ratings,
            "perceived": best,
            "perceived_low": limits[:, 0],
            "perceived_high": limits[:, 1],
            "change": best - ratings,
            "points": both(score, met - score),
            "expected": both(met * found.expected, met * (1 - found.expected)),
            "games": both(met, met).astype(np.int64),
            "moves": np.bincount(seat, weights=found.moves, minlength=n).astype(np.int64),
        },
        schema_overrides={"player": pl.String},
    )
    rank = pl.col("perceived").rank("min", descending=True).cast(pl.Int64).alias("rank")
    return (
        frame.with_columns(pl.selectors.float().fill_nan(None))
        .select(rank, pl.all())
        .sort("perceived", "player", descending=[True, False])
    )


def _engines(
    names: list[str],
    ratings: NDArray[np.float64],
    best: NDArray[np.float64],
    found: Comparison,
    seat: NDArray[np.int64],
    drawn: NDArray[np.float64],
    usable: NDArray[np.bool_],
) -> tuple[Engine, ...]:
    engines = []
    kinds = [("zero gain", found.engine, found.engine_drawn)]
    if found.measured is not None and found.measured_drawn is not None:
        kinds.append(("measured gain", found.measured, found.measured_drawn))
    for by, p, p_drawn in kinds:
        whole = _pooled(p[None, :], found.moves[None, :], seat)[0]
        parts = _pooled(p_drawn, found.moves_drawn, seat)
        d, d_drawn = _finite(whole), _finite(parts)
        rated = np.isfinite(ratings) & np.isfinite(d)
        games = int(found.cells.stratum.size)
        conf = found.resampling.confidence
        engines.append(
            Engine(
                by=by,
                strength=engine_strength(names, ratings, d, perceived=best),
                by_rating=_limits((ratings - d_drawn)[:, rated], games, conf),
                by_perceived=_limits((drawn - d_drawn)[usable], games, conf),
            )
        )
    return tuple(engines)


def _pooled(
    p: NDArray[np.float64], moves: NDArray[np.float64], seat: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return each player's expected score over all sheets of the player, draw by draw."""
    points = np.where(moves > 0, p * moves, 0.0)  # p is not known of a sheet without a move
    total = np.zeros((len(p), int(seat.max()) + 1))
    count = np.zeros_like(total)
    for s, player in enumerate(seat):
        total[:, player] += points[:, s]
        count[:, player] += moves[:, s]
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def _finite(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return differences to the engine; NaN where they are infinite or unknown."""
    d = np.full(p.shape, np.nan)
    known = ~np.isnan(p)
    d[known] = difference(np.clip(p[known], 0.0, 1.0))
    d[np.isinf(d)] = np.nan
    return d


def _limits(values: NDArray[np.float64], clusters: int, confidence: float) -> Limits:
    if not values.size:
        return None, None
    low, high = interval(values.mean(axis=1), clusters, confidence)
    return (None if np.isnan(low) else low), (None if np.isnan(high) else high)
