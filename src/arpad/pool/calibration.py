"""Do favourites score what their ratings promise? [Elo 2.6, 5.54, 8.95, 8.96]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.performance import PROBABLE
from arpad.pool.significance import ChiSquare, chi_square

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from arpad.pool.check import ScoredGames


Side = Literal["favourite", "white"]
"""The side whose score is compared: the favourite, so that colours balance, or White."""
DRAW_GROUPS = 10
"""Groups of expected score, from one half to one, in which draws are counted."""
LENT = 10.0
"""Games with the share of draws of all games, lent to each group: a group of three knows little."""
STEP = 5.0
"""Rating points to each side over which the slope of a curve is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCurve:
    """Games grouped by expected score.

    `bins` has a row a group: `low`, `high` (expected score), `games`, `expected`, `actual`, `draws`
    (shares), `difference`, `sigma`, `z`, `D` (mean rating difference) and `indicated`, the difference
    that the actual score stands for on the same curve.
    """

    bins: pl.DataFrame
    side: Side
    level: int
    """Games without a favourite, which the favourite's view leaves out."""
    test: ChiSquare
    """Σz², one degree of freedom a group: nothing is fitted and no total is fixed."""
    book: ChiSquare | None
    """The book's way [8.96]: points of the other side, (f_o − f_e)²/f_e, j − 1. It divides by a variance
    that games do not have, so it finds less than there is."""


def game_variances(P: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return pq − r/4 for each game; r is cut off where p leaves no room for this many draws."""
    Q = 1 - P
    return np.asarray(np.maximum(P * Q - np.minimum(draws, 2 * np.minimum(P, Q)) / 4, 0.0))


def variances(games: ScoredGames, *, draws: bool = True) -> NDArray[np.float64]:
    """Return the variance of each game's score.

    draws: Take r as the share of draws among games of about the same expected score, drawn a little towards
        that of all games; else r = 0, which is the book's pq.
    """
    if not draws:
        return np.asarray(games.P * (1 - games.P))
    lead = np.abs(games.P - 0.5)
    groups = DRAW_GROUPS
    place = np.minimum(np.floor(lead * 2 * groups + 1e-9).astype(np.int64), groups - 1)
    was_drawn = games.drawn().astype(np.float64)
    drawn = np.bincount(place, weights=was_drawn, minlength=groups) + LENT * was_drawn.mean()
    share = drawn / (np.bincount(place, minlength=groups) + LENT)
    return game_variances(games.P, share[place])


def calibrate(
    games: ScoredGames, var: NDArray[np.float64], *, groups: int = 10, side: Side = "favourite"
) -> CalibrationCurve:
    """Group games by expected score and compare with the actual one.

    var: The variance of each game's score, from `variances`.
    groups: Groups between an expected score of one half and one; for White's side also below one half.
    """
    if not 1 <= groups <= 100:
        raise UsageError(f"expected from 1 to 100 groups, found {groups!r}")
    P, s, D = games.P, games.score, games.D
    if side == "favourite":
        better = P != 0.5
        flip = P < 0.5
        P, s, D = np.where(flip, 1 - P, P), np.where(flip, 1 - s, s), np.where(flip, -D, D)
        P, s, D, var = P[better], s[better], D[better], var[better]
        start, step = 0.5, 0.5 / groups
        number = groups
    elif side == "white":
        start, step, number = 0.0, 0.5 / groups, 2 * groups
    else:
        raise UsageError(f"expected a side, favourite or white, found {side!r}")
    # Hundredths such as .55 are stored a little below themselves.
    place = np.clip(np.floor((P - start) / step + 1e-9).astype(np.int64), 0, number - 1)
    bins = _bins(place, number, P, s, D, var)
    bins = bins.with_columns(low=start + step * pl.col("place"), high=start + step * (pl.col("place") + 1))
    actual = np.clip(bins["actual"].to_numpy(), 0, 1)
    indicated = np.asarray(games.curve.difference(actual)) if bins.height else actual
    z = bins["z"].drop_nulls().to_numpy()
    n, W, W_e = (bins[c].to_numpy() for c in ("games", "W", "W_e"))
    return CalibrationCurve(
        bins=bins.with_columns(
            pl.Series("indicated", np.where(np.isfinite(indicated), indicated, np.nan)).fill_nan(None)
        ).select(
            *("low", "high", "games", "expected", "actual", "draws", "difference", "sigma", "z", "D"),
            "indicated",
        ),
        side=side,
        level=len(games) - len(P),
        test=ChiSquare(statistic=float((z**2).sum()), intervals=len(z), observations=len(P), tied=False),
        # Points of the other side [8.96], groups that expect fewer than 5 pooled.
        book=chi_square(n - W, n - W_e, least=5.0) if (n - W_e).sum() > 0 else None,
    )


def _bins(
    place: NDArray[np.int64],
    number: int,
    P: NDArray[np.float64],
    s: NDArray[np.float64],
    D: NDArray[np.float64],
    var: NDArray[np.float64],
) -> pl.DataFrame:
    def total(values: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(place, weights=values.astype(np.float64), minlength=number), np.float64)

    n = np.bincount(place, minlength=number)
    frame = pl.DataFrame(
        {
            "place": np.arange(number),
            "games": n,
            "W": total(s),
            "W_e": total(P),
            "draws": total(s == 0.5) / np.maximum(n, 1),
            "root": np.sqrt(total(var)),
            "D": total(D) / np.maximum(n, 1),
        }
    ).filter(pl.col("games") > 0)
    return frame.with_columns(
        expected=pl.col("W_e") / pl.col("games"),
        actual=pl.col("W") / pl.col("games"),
        difference=(pl.col("W") - pl.col("W_e")) / pl.col("games"),
        sigma=pl.col("root") / pl.col("games"),
        z=pl.when(pl.col("root") > 0).then((pl.col("W") - pl.col("W_e")) / pl.col("root")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The factor on all rating differences that explains the scores best.

    1: the differences are right; below 1: they are too wide, above 1: too narrow.
    """

    factor: float
    error: float
    """One standard deviation."""


def stretch(games: ScoredGames, var: NDArray[np.float64]) -> Stretch | None:
    """Solve Σ D (s − P(bD)) = 0 for b; None where no b from −1 to 5 does.

    For the logistic curve this is the most likely b. The left side falls as b rises, so halving the
    interval finds it.
    """
    D, where = np.unique(games.D, return_inverse=True)
    n = np.bincount(where)
    s = np.bincount(where, weights=games.score)

    def surplus(b: float) -> float:
        return float(D @ (s - n * np.asarray(games.curve.expected(b * D))))

    low, high = -1.0, 5.0
    if not (D != 0).any() or surplus(low) <= 0 or surplus(high) >= 0:
        return None
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    b = (low + high) / 2
    slope = float((n * D**2) @ _slope(games, b * D))
    noise = math.sqrt(float((games.D**2) @ var))
    return Stretch(factor=b, error=noise / slope) if slope > 0 else None


def first_move_worth(games: ScoredGames, var: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the points by which White's advantage was set too low, and the error; None if no curve rises.

    One step of Newton's method on Σ (s − P) = 0.
    """
    slope = float(_slope(games, games.D).sum())
    if slope <= 0:
        return None
    return float((games.score - games.P).sum()) / slope, math.sqrt(float(var.sum())) / slope


def _slope(games: ScoredGames, D: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dP/dD; over some points, because a table has steps."""
    up, down = games.curve.expected(D + STEP), games.curve.expected(D - STEP)
    return np.asarray((up - down) / (2 * STEP))


# Expected against actual scores, with σ and probable error [Elo 2.6, 5.54, 8.95].


def variance(p: float, draws: float = 0.0) -> float:
    """Return the variance of one game's score: pq − r/4, r being the probability of a draw.

    The book's pq [8.95] takes every game as decided. r cannot exceed twice the smaller of p and q;
    what is more is cut off.

    Examples
    --------
    >>> variance(0.5), variance(0.5, draws=0.6), variance(0.9, draws=0.6)
    (0.25, 0.1, 0.04)
    """
    if not (0 <= p <= 1 and 0 <= draws <= 1):
        raise UsageError(f"expected p and draws from 0 to 1, found {p!r} and {draws!r}")
    return round(float(game_variances(np.array([p]), np.array([draws]))[0]), 15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """A score W beside the expected score W_e, and what chance alone would do."""

    games: int
    score: float
    expected: float
    sigma: float

    @property
    def difference(self) -> float:
        """W − W_e, in game points."""
        return self.score - self.expected

    @property
    def probable_error(self) -> float:
        """Half of all scores lie within this many game points of W_e [2.54]."""
        return PROBABLE * self.sigma

    @property
    def z(self) -> float | None:
        """The difference in standard deviations; None where nothing could vary."""
        return self.difference / self.sigma if self.sigma > 0 else None

    def summary(self) -> str:
        """Return one sentence."""
        z = "" if self.z is None else f", {abs(self.z):.2f} standard deviations"
        return (
            f"{self.score:,g} of {self.games:,} where {self.expected:,.2f} ± {self.sigma:.2f} "
            f"was expected: {self.difference:+,.2f}{z}"
        )


def deviation(score: float, expectancies: ArrayLike, *, draws: float = 0.0) -> Deviation:
    """Compare a score with the expectancies of its games.

    expectancies: The expected score of each game.
    draws: The share of draws to be expected, r; 0 is the book's σ = √Σpq.

    Examples
    --------
    >>> found = deviation(7.5, [0.55, 0.61, 0.58, 0.72, 0.67, 0.78, 0.72, 0.7, 0.75])
    >>> round(found.expected, 2), round(found.sigma, 2), round(found.z, 2)
    (6.08, 1.39, 1.02)
    """
    P = np.asarray(expectancies, dtype=np.float64)
    if P.ndim != 1 or not P.size or not bool(((P >= 0) & (P <= 1)).all()):
        raise UsageError("expected an expectancy from 0 to 1 for each game")
    if not 0 <= score <= P.size:
        raise UsageError(f"expected a score from 0 to {P.size}, found {score!r}")
    sigma = math.sqrt(math.fsum(game_variances(P, np.full(P.size, draws))))
    return Deviation(games=int(P.size), score=float(score), expected=math.fsum(P), sigma=sigma)


def match_deviation(score: float, games: int, P: float, *, draws: float = 0.0) -> Deviation:
    """Compare the score of a match, W_e = NP and σ = √(N(pq − r/4)) [5.55].

    Examples
    --------
    >>> match_deviation(12.5, 24, 0.60).summary()
    '12.5 of 24 where 14.40 ± 2.40 was expected: -1.90, 0.79 standard deviations'
    """
    if games < 1:
        raise UsageError(f"expected at least one game, found {games!r}")
    return deviation(score, [P] * games, draws=draws)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Number of deviations beyond the usual limits, and the number that chance predicts [2.64]."""

    count: int
    beyond_probable_error: int
    """Chance expects one half."""
    beyond_sigma: int
    """Chance expects .317 of them."""
    beyond_three_probable_errors: int
    """Chance expects .043 of them; the book says 5 %."""
    sum_of_squares: float
    """Σz², which chance expects to be `count`."""
    mean: float
    sd: float | None
    """Of z around its mean: 1 where σ is right."""

    def expected(self) -> tuple[float, float, float]:
        """Return how many chance expects beyond each of the three limits."""
        return tuple(self.count * math.erfc(t / math.sqrt(2)) for t in _LIMITS)  # type: ignore[return-value]

    @property
    def p(self) -> float | None:
        """The probability that chance makes Σz² so large or larger."""
        from scipy.special import chdtrc

        return float(chdtrc(self.count, self.sum_of_squares)) if self.count else None


_LIMITS = (PROBABLE, 1.0, 3 * PROBABLE)


def spread(deviations: Iterable[Deviation] | ArrayLike) -> Spread:
    """Count deviations (or their z) beyond probable error, σ and three probable errors."""
    given: list[Deviation | float] = list(deviations)  # type: ignore[arg-type]
    result = [d.z if isinstance(d, Deviation) else float(d) for d in given]
    z = np.array([value for value in result if value is not None], dtype=np.float64)
    beyond = [int((np.abs(z) > limit).sum()) for limit in _LIMITS]
    return Spread(
        count=int(z.size),
        beyond_probable_error=beyond[0],
        beyond_sigma=beyond[1],
        beyond_three_probable_errors=beyond[2],
        sum_of_squares=float((z**2).sum()),
        mean=float(z.mean()) if z.size else 0.0,
        sd=float(z.std(ddof=1)) if z.size > 1 else None,
    )
