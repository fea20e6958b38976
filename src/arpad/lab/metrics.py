"""Measures of prediction: log loss, Brier score and calibration curves, with errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo import Elo
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from numpy.typing import NDArray

    from arpad.lab.walk import GamePeriods

    Array = NDArray[np.float64]


# How well expected scores predicted results: log loss, Brier score, deviance, accuracy, with their errors.
#
# S is White's score, 0, ½ or 1; E is what was expected of White. A draw is half a win and half a loss.

SUREST = 0.001
"""No system is taken to be surer than this of anything: straight lines say 0 and 1, and one surprise would
cost everything. Of logistic curves it touches differences above 1,200 points only."""
KAGGLE_CLIP = 0.01
"""The same in Kaggle's contests of 2010 and 2011, which scored by the binomial deviance."""


def log_losses(S: Array, E: Array, clip: float = SUREST) -> Array:
    """Return −(S ln E + (1 − S) ln (1 − E)) of each game; a coin has .693.

    Examples
    --------
    >>> log_losses(np.array([1.0, 0.5, 0.0]), np.array([0.8, 0.8, 0.0])).round(4).tolist()
    [0.2231, 0.9163, 0.001]
    """
    E = np.clip(E, clip, 1 - clip)
    return np.asarray(-(S * np.log(E) + (1 - S) * np.log1p(-E)))


def squares(S: Array, E: Array) -> Array:
    """Return (S − E)² of each game, Brier's score."""
    return np.asarray((S - E) ** 2)


def deviances(S: Array, E: Array) -> Array:
    """Return Kaggle's binomial deviance of each game: −(S log₁₀ E + (1 − S) log₁₀ (1 − E)), E from .01 to .99."""
    return log_losses(S, E, KAGGLE_CLIP) / math.log(10)


def hits(S: Array, E: Array) -> Array:
    """Return what the favourite scored in each game: the draw rule of the accuracy.

    The player with E above ½ is the favourite. A win of the favourite is 1, a loss 0, a draw ½;
    where E is ½ there is none, and the game is ½.

    Examples
    --------
    >>> hits(np.array([1.0, 1.0, 0.5, 1.0]), np.array([0.6, 0.4, 0.9, 0.5])).tolist()
    [1.0, 0.0, 0.5, 0.5]
    """
    return np.where(E > 0.5, S, np.where(E < 0.5, 1 - S, 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Means over games, with standard errors as if games were independent."""

    n: int
    log_loss: float
    log_loss_error: float
    brier: float
    brier_error: float
    deviance: float
    accuracy: float
    """Average score of the favourite; a draw counts half."""
    accuracy_decisive: float
    """The same in games that somebody won."""
    decisive: int
    """Number of decisive games."""
    mean_expected: float
    mean_score: float


def scores(S: Array, E: Array) -> Scores:
    """Return all figures; NaN where there is nothing to average."""
    if len(S) != len(E):
        raise UsageError(f"expected an expected score for each of {len(S)} games, found {len(E)}")
    losses, brier, right = log_losses(S, E), squares(S, E), hits(S, E)
    won = S != 0.5
    return Scores(
        n=len(S),
        log_loss=mean(losses),
        log_loss_error=error_of_mean(losses),
        brier=mean(brier),
        brier_error=error_of_mean(brier),
        deviance=mean(deviances(S, E)),
        accuracy=mean(right),
        accuracy_decisive=mean(right[won]),
        decisive=int(won.sum()),
        mean_expected=mean(E),
        mean_score=mean(S),
    )


def mean(values: Array) -> float:
    """Return the mean, NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


def error_of_mean(values: Array) -> float:
    """Return the standard error of a mean of independent values."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


# How sure a difference between two systems is: a paired bootstrap over blocks of games.
#
# Games are not independent: those of an event share players, form and luck of the pairing. So whole blocks
# are drawn, with all their games, and all systems get the same draw: what is hard for both cancels. A block
# is what an event had in a month (some, like friendlies, go on for a century); games that name no event are
# one block a day.

LEVEL = 0.95
"""Share of draws between `low` and `high`."""
FEW_BLOCKS = 30
"""With fewer blocks an interval is rough, and likely too narrow."""
AT_A_TIME = 200
"""Draws that are in memory at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean difference, and where the middle 95 % of draws have it."""

    difference: float
    low: float
    high: float


def blocks_of(table: pl.DataFrame) -> NDArray[np.int64]:
    """Return the number of each game's block: its event in its month, or its day where it names no event.

    Examples
    --------
    >>> import datetime as dt
    >>> days = [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 2, 2), dt.date(2024, 2, 2)]
    >>> blocks_of(pl.DataFrame({"event": [7, 7, 7, None], "date": days})).tolist()
    [2, 2, 1, 0]
    """
    event = pl.col("event").cast(pl.Int64)
    first = pl.when(event.is_null()).then(pl.col("date")).otherwise(pl.col("date").dt.truncate("1mo"))
    key = pl.struct(event.fill_null(-1).alias("event"), -first.dt.epoch("d"))
    return table.select(key.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()


def paired_intervals(
    losses: Array, reference: int, blocks: NDArray[np.int64], *, draws: int = 1000, seed: int = 0
) -> list[Interval]:
    """Return each system's mean loss less the reference's, with its interval.

    Parameters
    ----------
    losses
        One row a system, one column a game: the same games for all.
    blocks
        The number of each game's block, from 0.

    Examples
    --------
    >>> same = np.zeros((2, 40))
    >>> same[1] = 0.01  # a little worse in every game
    >>> found = paired_intervals(same, 0, np.arange(40) // 4, draws=50)[1]
    >>> round(found.difference, 6), round(found.low, 6), round(found.high, 6)
    (0.01, 0.01, 0.01)
    """
    if draws < 1:
        raise UsageError(f"expected a number of draws above 0, found {draws}")
    excess = losses - losses[reference]
    if not losses.shape[1]:
        nothing = Interval(difference=float("nan"), low=float("nan"), high=float("nan"))
        return [nothing] * len(losses)
    games = np.bincount(blocks).astype(np.float64)
    sums = np.stack([np.bincount(blocks, weights=row, minlength=len(games)) for row in excess]).astype(
        np.float64
    )
    means = _drawn(sums, games, draws, np.random.default_rng(seed))
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail], axis=0)
    return [
        Interval(difference=float(m), low=float(a), high=float(b))
        for m, a, b in zip(excess.mean(axis=1), low, high, strict=True)
    ]


def _drawn(sums: Array, games: Array, draws: int, rng: np.random.Generator) -> Array:
    """Return the mean of each system in each draw of as many blocks as there are."""
    n = len(games)
    result = []
    for done in range(0, draws, AT_A_TIME):
        count = min(AT_A_TIME, draws - done)
        picked = rng.integers(0, n, (count, n))
        weights = np.stack([np.bincount(row, minlength=n) for row in picked]).astype(np.float64)
        result.append(weights @ sums.T / (weights @ games)[:, None])
    return np.concatenate(result)


# Calibration curves: where a system expects so much, so much should be scored.

BINS = 20
"""Bins of equal width, .05 each."""
Z = 1.959964
"""Standard deviations for a two-sided 95 %."""


def calibration_curve(S: Array, E: Array, bins: int = BINS) -> pl.DataFrame:
    """Return, for each bin with games, n, the mean expected and the mean score with an interval.

    `low` and `high` are Wilson's 95 % interval for a mean of n results of 0 or 1. With draws the true
    interval is narrower; that of games which share players is wider.

    Examples
    --------
    >>> E = np.repeat([0.22, 0.72], 100)
    >>> S = np.r_[np.repeat([0.0, 1.0], [80, 20]), np.repeat([0.0, 1.0], [30, 70])]
    >>> calibration_curve(S, E).select("from", "n", "expected", "score").rows()
    [(0.2, 100, 0.22, 0.2), (0.7, 100, 0.72, 0.7)]
    """
    if bins < 1:
        raise UsageError(f"expected a number of bins above 0, found {bins}")
    place = np.minimum((E * bins).astype(np.int64), bins - 1)
    n = np.bincount(place, minlength=bins)
    here = np.flatnonzero(n)
    count = n[here].astype(np.float64)
    expected, score = (np.bincount(place, weights=w, minlength=bins)[here] / count for w in (E, S))
    low, high = _wilson(score, count)
    return pl.DataFrame(
        {
            "from": here / bins,
            "to": (here + 1) / bins,
            "n": n[here],
            "expected": expected.round(9),
            "score": score.round(9),
            "low": low,
            "high": high,
        }
    )


def calibration_error(curve: pl.DataFrame) -> float:
    """Return the mean distance between what was expected and what was scored, by games."""
    if not curve.height:
        return math.nan
    off = (curve["expected"] - curve["score"]).abs() * curve["n"]
    return float(off.sum()) / float(curve["n"].sum())


def _wilson(p: Array, n: Array) -> tuple[Array, Array]:
    """Return Wilson's interval for a share p of n."""
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


# The same figures for parts of the games: by period, by the level of the players, by games played.

By = Literal["period", "level", "games"]
"""Ways to group games."""
LEVEL_WIDTH = 200
"""Rating points of a level: one class interval [Elo 1.3]."""
GAMES_FROM = (0, 10, 20, 50, 100, 200, 500)
"""Lower ends of the groups by earlier games."""
MOSTLY = 0.5
"""Levels are those of the ratings in the source where at least this share of games has both."""


def levels(way: GamePeriods) -> tuple[Array, str]:
    """Return the mean rating of the two before each game, and whose ratings those are.

    The ratings in the source where most games have them; else those of Elo's system, by the games before
    the period. They are the same for every system, so that a group holds the same games for all.
    """
    table = way.games.table
    white, black = (table[f"{side}_rating"].cast(pl.Float64) for side in ("white", "black"))
    mean = ((white + black) / 2).fill_null(np.nan).to_numpy()
    if len(mean) and np.isfinite(mean).mean() >= MOSTLY:
        return mean, "published ratings"
    return _elo_levels(way), "Elo's ratings"


def _elo_levels(way: GamePeriods) -> Array:
    from arpad.rate.elo_kernels import each_game_simple

    system = Elo(given=False)
    white, black, score = (way.games.table[c].to_numpy() for c in ("white", "black", "score"))
    ratings = np.full(way.games.players.height, system.start)
    played = np.zeros(len(ratings), dtype=np.int64)
    slope, k = np.log(10) / 400, system.k.tiers[0][1]
    mean = np.empty(len(way))
    for a, b in zip(way.first[:-1], way.first[1:], strict=True):
        mean[a:b] = (ratings[white[a:b]] + ratings[black[a:b]]) / 2
        each_game_simple(white[a:b], black[a:b], score[a:b], ratings, played, slope, k)
    return mean


def groups_of(way: GamePeriods) -> pl.DataFrame:
    """Return the group of each game by period, level and games: where each group begins."""
    level, _ = levels(way)
    place = np.searchsorted(GAMES_FROM, way.earlier, side="right") - 1
    period = way.starts.dt.truncate("1mo") if way.period == "day" else way.starts
    return pl.DataFrame(
        {
            "period": period.cast(pl.String),
            "level": pl.Series(np.floor(level / LEVEL_WIDTH) * LEVEL_WIDTH)
            .fill_nan(None)
            .cast(pl.Int64)
            .cast(pl.String),
            "games": pl.Series(np.array(GAMES_FROM)[place]).cast(pl.String),
        }
    )


def breakdown(groups: pl.DataFrame, S: Array, own: Array, recalibrated: Array | None) -> pl.DataFrame:
    """Return the figures of one system for every group of every kind.

    Columns: by, group (where it begins), n, log_loss, log_loss_recalibrated, brier, accuracy,
    mean_expected, mean_score.
    """
    fitted = np.full(len(S), np.nan) if recalibrated is None else log_losses(S, recalibrated)
    each = groups.with_columns(
        log_loss=log_losses(S, own),
        log_loss_recalibrated=fitted,
        brier=squares(S, own),
        accuracy=hits(S, own),
        mean_expected=own,
        mean_score=S,
    )
    figures = [name for name in each.columns if name not in get_args(By)]
    parts = [
        each.drop_nulls(by)
        .group_by(pl.col(by).alias("group"), maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col(figures).mean())
        .sort(pl.col("group") if by == "period" else pl.col("group").cast(pl.Int64))
        .select(pl.lit(by).alias("by"), pl.all())
        for by in get_args(By)
    ]
    return pl.concat(parts).with_columns(pl.col("log_loss_recalibrated").fill_nan(None))


# Games predicted, and how well: log loss and Brier score, with their errors.

CLIP = KAGGLE_CLIP
"""Expected scores are taken as at least this, and at most 1 − this, in the log losses here."""
WIDEST = 3000.0
"""The largest class interval that a fit looks at, in points: all but a flat line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedGames:
    """Every game with what a system expected of White before it.

    `rows`: white, black (rows of the players), score, date, period (its first day), earlier (games that
    the less experienced of the two had before the period), difference, expected; a walk adds game (its row).
    """

    system: str
    parameters: Mapping[str, Any]
    period: str
    curve: str
    """"own", or the scale that was fitted."""
    rows: pl.DataFrame

    @property
    def games(self) -> int:
        """Number of predicted games."""
        return self.rows.height

    def where(self, *, least_games: int = 0, since: date | None = None) -> PredictedGames:
        """Return the games of players with this many earlier ones, in periods from a day on."""
        kept = self.rows.filter(pl.col("earlier") >= least_games)
        return replace(self, rows=kept if since is None else kept.filter(pl.col("period") >= since))

    def fitted(self, until: date) -> PredictedGames:
        """Return the games from a day on, predicted by the logistic scale that fits those before best."""
        earlier = self.rows.filter(pl.col("period") < until)
        if not earlier.height:
            raise UsageError(f"a scale is fitted to games before {until}, and there are none")
        C = fitted_scale(earlier["difference"].to_numpy(), earlier["score"].to_numpy())
        later = self.where(since=until)
        expected = np.asarray(Logistic(class_interval=C).expected(later.rows["difference"].to_numpy()))
        rows = later.rows.with_columns(pl.Series("expected", expected))
        return replace(later, rows=rows, curve=f"logistic, C = {C:.0f}")

    def losses(self) -> NDArray[np.float64]:
        """Return the log loss of each game, −(S ln E + (1 − S) ln (1 − E)): a draw counts half."""
        return log_losses(self.rows["score"].to_numpy(), self.rows["expected"].to_numpy(), CLIP)

    def squares(self) -> NDArray[np.float64]:
        """Return (S − E)² of each game."""
        return squares(self.rows["score"].to_numpy(), self.rows["expected"].to_numpy())

    @property
    def log_loss(self) -> float:
        """Mean log loss; a coin says .693."""
        return mean(self.losses())

    @property
    def brier(self) -> float:
        """Mean (S − E)²."""
        return mean(self.squares())

    def summary(self) -> str:
        """Return one sentence."""
        if not self.games:
            return f"{self.system}: no game was predicted"
        return (
            f"{self.system} ({self.curve}): {self.games:,} games predicted a {self.period} ahead, log loss "
            f"{self.log_loss:.4f} ± {error_of_mean(self.losses()):.4f}, Brier {self.brier:.4f} ± "
            f"{error_of_mean(self.squares()):.4f}"
        )


def fitted_scale(D: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """Return the class interval C of the logistic curve with the smallest log loss: one parameter.

    Examples
    --------
    >>> D = np.repeat([-200.0, 200.0], 100)
    >>> won = np.r_[np.repeat([0.0, 1.0], [76, 24]), np.repeat([0.0, 1.0], [24, 76])]
    >>> round(fitted_scale(D, won))  # E(200) = .76
    200
    """
    from scipy.optimize import minimize_scalar

    def loss(log_C: float) -> float:
        E = np.asarray(Logistic(class_interval=math.exp(log_C)).expected(D))
        return mean(log_losses(score, E, CLIP))

    result = minimize_scalar(loss, bounds=(math.log(10.0), math.log(WIDEST)), method="bounded")
    return math.exp(float(result.x))
