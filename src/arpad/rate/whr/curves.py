"""Rating curves: their points, the fit by kernel or reference, all at once or forward only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.glicko.steps import LEAST_ERROR, SCALE, days_of, predicted
from arpad.rate.periods import figures, finite, first_given
from arpad.rate.whr import reference as whr_reference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.whr.system import Whr


# The points of all rating curves: one for each day on which a player played, and what ties them.
#
# Inside, ratings are on the natural scale θ = r ln 10/400, on which a game is worth p(1 − p).

LONGEST_DAY = 2**22
"""Days are kept below this, so that a player and a day fit into one number: eleven thousand years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """Priors of each player before the first game, by row of the players.

    A normal distribution around `held` with the standard deviation `error`, both in rating points; where
    they are NaN, this many virtual draws against somebody of the rating `level`.
    """

    held: NDArray[np.float64]
    error: NDArray[np.float64]
    level: float
    draws: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WhrPoints:
    """All curves in one row, player by player, each by date.

    Parameters
    ----------
    player, day
        Whose point, a row of the players; when, in days since 1970.
    first
        Where the curve of each player who played begins, and at last the number of points.
    link
        1/(w² Δt) to the next point of the same curve, 0 at its last.
    white, black, score
        The points of both sides of each game, and White's score.
    centre, draws, hold
        By curve: the rating, the virtual draws and the 1/variance of what was held before.
    """

    player: NDArray[np.int64]
    day: NDArray[np.int64]
    first: NDArray[np.int64]
    link: NDArray[np.float64]
    white: NDArray[np.int64]
    black: NDArray[np.int64]
    score: NDArray[np.float64]
    centre: NDArray[np.float64]
    draws: NDArray[np.float64]
    hold: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.day)

    @property
    def keys(self) -> NDArray[np.int64]:
        """A number for each point, growing: player first, then day."""
        return self.player * LONGEST_DAY + (self.day + LONGEST_DAY // 2)

    def started(self) -> NDArray[np.float64]:
        """Return curves that are flat at what was held before."""
        return np.repeat(self.centre, np.diff(self.first))

    def curves(self) -> NDArray[np.int64]:
        """Return the number of each point's curve."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def groups(self) -> NDArray[np.int64]:
        """Return for each curve the number of its group: players of two groups never met, nor friends' friends."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n, curve = len(self.first) - 1, self.curves()
        met = (curve[self.white], curve[self.black])
        edges = coo_array((np.ones(len(self.white), dtype=np.int8), met), shape=(n, n))
        return np.asarray(connected_components(edges, directed=False)[1], dtype=np.int64)

    def played(self) -> NDArray[np.int64]:
        """Return the games at each point."""
        n = len(self)
        return np.bincount(self.white, minlength=n) + np.bincount(self.black, minlength=n)


def lay_out(
    white: NDArray[np.int64],
    black: NDArray[np.int64],
    score: NDArray[np.float64],
    day: NDArray[np.int64],
    priors: Priors,
    *,
    w2: float,
) -> WhrPoints:
    """Return the points of games between rows of players, on days since 1970."""
    shifted = day + LONGEST_DAY // 2
    keys = np.concatenate([white * LONGEST_DAY + shifted, black * LONGEST_DAY + shifted])
    result, at = np.unique(keys, return_inverse=True)
    player, days = result // LONGEST_DAY, result % LONGEST_DAY - LONGEST_DAY // 2
    begins = np.flatnonzero(np.r_[True, player[1:] != player[:-1]]) if len(result) else result
    first = np.r_[begins, len(result)].astype(np.int64)
    own = player[begins]
    link = np.zeros(len(result))
    same = np.flatnonzero(player[1:] == player[:-1])
    link[same] = SCALE**2 / (w2 * (days[same + 1] - days[same]))
    held, error = priors.held[own], priors.error[own]
    listed = ~np.isnan(held)
    return WhrPoints(
        player=player,
        day=days,
        first=first,
        link=link,
        white=at[: len(white)],
        black=at[len(white) :],
        score=np.asarray(score, dtype=np.float64),
        centre=np.where(listed, held, priors.level) / SCALE,
        draws=np.where(listed, 0.0, priors.draws),
        hold=np.where(listed, (SCALE / np.where(listed, error, 1.0)) ** 2, 0.0),
    )


# Curves fitted to points: by the compiled kernel, or by the readable reference where games are few.

KERNEL_FROM = 1_000
"""Games from which on the compiled kernels pay: loading them costs about half a second."""
MOST_STEPS = 100
"""Newton steps after which a fit gives up, and says so. Real data takes five to eight."""
SHARE = 0.1
"""Conjugate gradients stop when the residual is this share of what it was: each step then takes about one
decimal off the error, for the fewest passes over the games (measured on 300,000 games)."""
MOST_PASSES = 500
"""Passes of conjugate gradients in one step."""
VARIANCE_TOLERANCE = 1e-3
"""Share of a variance: when no variance changes by more, opponents' doubts have been told to everybody."""
VARIANCE_PASSES = 200
EXACT_UP_TO = 1_000
"""Points of a group up to which its errors come from the inverse of its Hessian. Above, they come near to it,
and the nearer the more players there are: within 2 % on average from 40 on."""
Errors = Literal["alone", "opponents", "whole"]
"""Kinds of errors.

alone      as if all opponents were known exactly (Coulom 2008);
opponents  the doubt about opponents, theirs about theirs, and so on: for the difference of two ratings;
whole      the doubt about the level of the whole group, too: for a rating by itself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFit:
    """Fitted values of every point, in rating points.

    Parameters
    ----------
    rating, variance
        At each point.
    covariance
        With the next point of the same curve, 0 at its last.
    white_advantage
        As given, or as estimated.
    steps, passes
        Newton steps; passes over all games that they took.
    change
        The largest change of any rating in the last step: what is left to go is less.
    converged
        Whether `change` is below the tolerance.
    """

    rating: NDArray[np.float64]
    variance: NDArray[np.float64]
    covariance: NDArray[np.float64]
    white_advantage: float
    steps: int
    passes: int
    change: float
    converged: bool


def fit(
    points: WhrPoints,
    *,
    white_advantage: float | None = 0.0,
    tolerance: float,
    errors: Errors = "whole",
    start: NDArray[np.float64] | None = None,
) -> CurveFit:
    """Fit all curves to all games.

    Parameters
    ----------
    white_advantage
        Rating points; None: estimated.
    tolerance
        Rating points: iterate until no rating changes by more.
    errors
        What the errors know of.
    start
        Ratings to begin with, in points; it saves time and changes nothing else.
    """
    n, free = len(points), white_advantage is None
    theta = points.started() if start is None else start / SCALE
    gamma = 0.0 if white_advantage is None else white_advantage / SCALE
    if not n:
        nothing = np.zeros(0)
        return CurveFit(
            rating=nothing,
            variance=nothing,
            covariance=nothing,
            white_advantage=gamma * SCALE,
            steps=0,
            passes=0,
            change=0.0,
            converged=True,
        )
    goal = tolerance / SCALE
    few = len(points.white) < KERNEL_FROM
    if few:
        theta, gamma, steps, change = whr_reference.fit_ratings(
            points, theta, gamma, free=free, tolerance=goal, most=MOST_STEPS
        )
        passes = steps
    else:
        from arpad.rate.whr import kernels as whr_kernels

        gamma, steps, passes, change, _ = whr_kernels.fit_ratings(
            *_games(points),
            points.score,
            *(np.ones(len(points.score)), np.zeros(len(points.score))),
            *_curves(points),
            theta,
            gamma,
            free,
            goal,
            SHARE,
            MOST_STEPS,
            MOST_PASSES,
        )
    variance, covariance = _variances(points, theta, gamma, errors, few=few)
    return CurveFit(
        rating=theta * SCALE,
        variance=variance * SCALE**2,
        covariance=covariance * SCALE**2,
        white_advantage=gamma * SCALE,
        steps=int(steps),
        passes=int(passes),
        change=float(change) * SCALE,
        converged=bool(change < goal),
    )


def _variances(
    points: WhrPoints, theta: NDArray[np.float64], gamma: float, errors: Errors, *, few: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    exact = beside = np.full(len(points), np.nan)
    if errors == "whole":
        exact, beside = whr_reference.exact_variances(points, theta, gamma, most=EXACT_UP_TO)
        if not np.isnan(exact).any():
            return exact, beside
    joint = errors != "alone"
    if few:
        variance, covariance, _, _ = whr_reference.fit_variances(
            points, theta, gamma, joint=joint, tolerance=VARIANCE_TOLERANCE, most=VARIANCE_PASSES
        )
    else:
        from arpad.rate.whr import kernels as whr_kernels

        p = whr_reference.expected(points, theta, gamma)
        variance, covariance, _, _ = whr_kernels.fit_variances(
            *(*_games(points), p * (1 - p), points.first, points.link, whr_reference.own(points, theta)),
            *(joint, VARIANCE_TOLERANCE, VARIANCE_PASSES),
        )
    if errors == "whole":
        level = whr_reference.level_variances(points, theta)
        variance, covariance = variance + level, covariance + np.where(points.link > 0, level, 0.0)
    large = np.isnan(exact)
    return np.where(large, variance, exact), np.where(large, covariance, beside)


def _games(points: WhrPoints) -> tuple[NDArray[np.int64], ...]:
    return points.white, points.black


def _curves(points: WhrPoints) -> tuple[NDArray[Any], ...]:
    return points.first, points.link, points.centre, points.draws, points.hold


# From games to fitted curves: which games count, what is held before them, what is worth saying.

USUAL_START = 1500.0
"""Start rating of new players if nobody has a given rating."""
MOST_ERROR = 1000.0
"""Points: of a rating with a larger error nothing is known."""
EPOCH = date(1970, 1, 1)
NO_DATES = "no game has a date: all of them are rated as of one day"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhrRun:
    """Fitted curves and where they come from.

    Parameters
    ----------
    priors
        What was held of everybody before the first game.
    later
        Games left out because they are of the day of the list or later.
    """

    points: WhrPoints
    fit: CurveFit
    priors: Priors
    dated: bool
    on: date | None
    later: int
    notes: tuple[str, ...]

    @property
    def morning(self) -> int:
        """The day of the list, counted from 1970."""
        return 0 if self.on is None else (self.on - EPOCH).days

    def settled(self) -> dict[str, object]:
        """Return the constants that were found on the way."""
        return {"start": self.priors.level, "white_advantage": self.fit.white_advantage, "on": self.on}

    def told(self) -> dict[str, object]:
        """Return how the fit went."""
        return {
            "points": len(self.points),
            "steps": self.fit.steps,
            "passes": self.fit.passes,
            "change": self.fit.change,
            "converged": self.fit.converged,
        }


def run(system: Whr, games: Games, rows: pl.DataFrame | None = None) -> WhrRun:
    """Fit all curves to the games that were played; `rows` is what a list knows of the players, row by row."""
    rows = games.players.select("name") if rows is None else rows
    on = system.on if not isinstance(system.on, str) else None
    played, dated, later = _played(games, on)
    days = played["_day"].to_numpy().astype(np.int64)
    if on is None and dated and len(days):
        last = EPOCH + timedelta(days=int(days.max()))
        on = last + timedelta(days=1) if last < date.max else last
    priors, notes = _priors(system, games, played, rows)
    white, black = (played[side].to_numpy().astype(np.int64) for side in ("white", "black"))
    points = lay_out(white, black, played["score"].to_numpy(), days, priors, w2=system.w2)
    fitted = fit(points, white_advantage=system.white_advantage, tolerance=system.tolerance)
    if not fitted.converged:
        notes.append(
            f"the ratings did not settle: the last of {fitted.steps} steps still changed one by "
            f"{fitted.change:.3g} points"
        )
    if later:
        notes.append(f"games of {on} and later, left out: {later:,}")
    if played.height and not dated:
        notes.append(NO_DATES)
    return WhrRun(
        points=points, fit=fitted, priors=priors, dated=dated, on=on, later=later, notes=tuple(notes)
    )


def with_days(played: pl.DataFrame) -> pl.DataFrame:
    """Return games with their day since 1970, `_day`; one without a date stays with the one before it."""
    # The first ones stay with the first that has one.
    filled = pl.col("date").forward_fill().backward_fill()
    return played.with_columns(filled.to_physical().fill_null(0).alias("_day"))


def _played(games: Games, on: date | None) -> tuple[pl.DataFrame, bool, int]:
    """Return the games before a day with their own, whether they have dates, and how many are later."""
    played = with_days(games.rateable())
    dated = played["date"].null_count() < played.height
    if on is None or not played.height:
        return played, dated, 0
    if not dated:
        raise UsageError(f"ratings on {on} need the dates of the games, and none is given")
    kept = played.filter(pl.col("_day") < (on - EPOCH).days)
    if not kept.height:
        first = EPOCH + timedelta(days=int(played["_day"].min()))  # type: ignore[arg-type]
        raise UsageError(f"nobody has played before {on}: the first game is of {first}")
    return kept, dated, played.height - kept.height


def _priors(system: Whr, games: Games, played: pl.DataFrame, rows: pl.DataFrame) -> tuple[Priors, list[str]]:
    """Return what is held of everybody, and what is worth saying of it."""
    listed = finite(figures(rows, "rating"))
    error = finite(figures(rows, "error"))
    notes = []
    if count := int((~np.isnan(listed) & np.isnan(error)).sum()):
        notes.append(
            f"ratings on the list without an error, taken as {system.given_error:g} points: {count:,}"
        )
    error = np.where(np.isnan(error), system.given_error, error)
    error = np.sqrt(error**2 + system.w2 * waited(played, rows))
    given = beside_first(games, played) if system.given else np.full(len(listed), np.nan)
    own = np.where(np.isnan(listed), system.given_error, error)
    held = np.where(np.isnan(listed), given, listed)
    return hold(system, held, own), notes


def hold(system: Whr, held: NDArray[np.float64], error: NDArray[np.float64]) -> Priors:
    """Return what is held of everybody; newcomers start where the system says, or at the others' mean."""
    known = ~np.isnan(held)
    level = system.start
    if level is None:
        level = float(held[known].mean()) if known.any() else USUAL_START
    error = np.where(known, np.clip(error, LEAST_ERROR, MOST_ERROR), np.nan)
    return Priors(held=held, error=error, level=level, draws=system.prior)


def beside_first(games: Games, played: pl.DataFrame) -> NDArray[np.float64]:
    """Return the rating that the source gives each player before the first game, NaN for none."""
    return finite(first_given(games, played, debut=True))


def waited(played: pl.DataFrame, rows: pl.DataFrame) -> NDArray[np.float64]:
    """Return the days from an earlier list to everybody's first game; 0 where either is not known."""
    listed = np.full(rows.height, np.nan)
    for name in [c for c in ("last", "on") if c in rows.columns]:
        day = days_of(rows[name]).to_physical().cast(pl.Float64)
        listed = np.where(day.is_null().to_numpy(), listed, day.fill_null(np.nan).to_numpy())
    first = np.full(rows.height, np.inf)
    if played["date"].null_count() < played.height:
        for side in ("white", "black"):
            np.minimum.at(first, played[side].to_numpy(), played["_day"].to_numpy())
    days = first - listed
    return np.where(np.isfinite(days), np.maximum(days, 0.0), 0.0)


# Whole-history rating run forward only: what it would have said at the time, period after period.
#
# After every period all games so far are fitted again. The curves of the last fit are where the next begins,
# so that it takes a few passes. No later game is ever looked at.

TOLERANCE = 1.0
"""Points: what is left to go is a fifth of that at most, the next period goes on from there, and a smaller
one predicted no better."""


def predict_games(
    system: Whr, games: Games, first: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rating difference and White's expected score of each game, from the periods before its own.

    Parameters
    ----------
    games
        Played, dated, in the order of play.
    first
        Row where each period begins, and at last the number of games.
    """
    table, n = with_days(games.table), games.players.height
    white, black, day = (table[name].to_numpy().astype(np.int64) for name in ("white", "black", "_day"))
    score, held, seen = table["score"].to_numpy(), np.full(n, np.nan), np.zeros(n, dtype=np.bool_)
    difference, expected = np.zeros(len(table)), np.zeros(len(table))
    points: WhrPoints | None = None
    fitted: CurveFit | None = None
    for a, b in pairwise(first.tolist()):
        w, l = white[a:b], black[a:b]
        given = beside_first(games, table[a:b]) if system.given else np.full(n, np.nan)
        new = ~seen & np.isin(np.arange(n), np.r_[w, l])
        held, seen = np.where(new, given, held), seen | new
        priors = hold(system, held, np.full(n, system.given_error))
        rating, plus = np.where(np.isnan(given), priors.level, given), system.white_advantage or 0.0
        error = np.where(np.isnan(given), 2 * SCALE / math.sqrt(priors.draws), system.given_error)
        if points is not None and fitted is not None:
            last, plus = points.first[1:] - 1, fitted.white_advantage
            who = points.player[last]
            rating[who] = fitted.rating[last]
            passed = np.maximum(day[a] - points.day[last], 0)
            error[who] = np.sqrt(fitted.variance[last] + system.w2 * passed)
        difference[a:b] = rating[w] - rating[l]
        expected[a:b] = predicted(rating[w], error[w], rating[l], error[l], plus)
        now = lay_out(white[:b], black[:b], score[:b], day[:b], priors, w2=system.w2)
        fitted = fit(
            now,
            white_advantage=system.white_advantage,
            tolerance=max(system.tolerance, TOLERANCE),
            errors="opponents",  # the level of all is the same on both sides of a game
            start=_begin(now, points, fitted),
        )
        points = now
    return difference, expected


def _begin(points: WhrPoints, before: WhrPoints | None, fitted: CurveFit | None) -> NDArray[np.float64]:
    """Return where a fit begins: at the last one, at its nearest earlier point."""
    rating = points.started() * SCALE
    if before is None or fitted is None:
        return rating
    at = np.searchsorted(before.keys, points.keys, side="right") - 1
    known = (at >= 0) & (before.player[at] == points.player)
    rating[known] = fitted.rating[at[known]]
    return rating
