"""Curves fitted to games, and the constants of the pool that the same games tell."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.arpad_system import points as reference
from arpad.rate.arpad_system.points import CurvePoints, CurveTerms, PlayedGames, lay_out, logistic
from arpad.rate.glicko.steps import SCALE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.arpad_system.points import Array, Rows

YEAR = 365.25
DENSE = 500
"""Points up to which every step is by plain matrices."""
EXACT = 2_500
"""Points, and players of a larger pool, up to which errors come from the inverse of a matrix."""
LEARN_EXACT = 400
"""Points up to which the constants are learned from exact errors."""

TOLERANCE = 0.01
"""Points: curves are fitted until none changes by more."""
ROUGH = 1.0
"""Points: the same while constants are learned, and period by period."""

ROUNDS, SETTLED, ENOUGH = 15, 2, 0.002
"""Rounds of learning at most, and before the drift is learned; fewer when no constant changes by more than this share."""

WALKS = 20_000
"""Points up to which the drift is learned; beyond, the usual one forecasts best."""
WINDOW = 120_000
"""Games, the latest, from which constants are learned."""
DRIFTS = (2.0, 400.0)
"""Points a year: no drift that is learned is outside."""

PLAYERS, GAMES = 8.0, 60.0
"""Weight of the usual constants beside the data: this many players and games."""
GIVEN = (5.0, 350.0)
"""Points: no error of a given rating is outside."""
GIVEN_SLOPE, STEEPEST = 0.15, 0.6
"""Before any game the slope of such errors is 0, with this standard deviation; and at most so much."""
DRIFT = 1.0
"""Before any game ln of the drift is that of the usual one, with this standard deviation."""
ADVANTAGE = 40.0
"""Points: the first side's advantage is this, as one standard deviation, before any game."""
NEWCOMERS = 30.0
"""Newcomers for which the usual rule of placing them counts."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The constants of a pool, in rating points; where there are two, of slow and of fast games.

    Parameters
    ----------
    spread
        Of newcomers about the place where they are put, as one standard deviation.
    given_error, given_slope
        Of ratings that the source gives, at a player's first game: the error of one that is as high as they are on
        average and of which no K is known, others in proportion; and how much ln of it changes in 400/ln 10 points.
    drift
        What a strength moves in a year, as one standard deviation.
    advantage
        What the first side is ahead.
    information
        What a result says beside one without draws: many draws mean that chance does less.
    near, apart
        In a new pool whose organisers knew strengths: a strength is so many times the mean of its opponents, with this
        standard deviation; None where pairings say nothing.
    follow, below
        A newcomer among established players is put so far towards their mean, and so much below.
    """

    spread: float = 350.0
    given_error: float = 100.0
    given_slope: float = 0.0
    drift: float = 35.0
    advantage: tuple[float, float] = (0.0, 0.0)
    information: tuple[float, float] = (1.0, 1.0)
    follow: float = 0.7
    below: float = 30.0
    near: float = 1.0
    apart: float | None = None

    @property
    def w2(self) -> float:
        """The square of what a strength moves in a day, on the natural scale."""
        return (self.drift / SCALE) ** 2 / YEAR


USUAL = Learned()


@dataclass(frozen=True, slots=True)
class Fixed:
    """Constants that the user has told, and that are not learned: None where they are."""

    spread: float | None = None
    drift: float | None = None
    advantage: float | None = None
    given_error: float | None = None

    def apply(self, learned: Learned) -> Learned:
        """Return the constants with those that are told."""
        told = {n: getattr(self, n) for n in ("spread", "drift", "given_error")}
        known: dict[str, object] = {n: v for n, v in told.items() if v is not None}
        if self.given_error is not None:
            known["given_slope"] = 0.0
        if self.advantage is not None:
            known["advantage"] = (self.advantage, self.advantage)
        return replace(learned, **known)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class CurvePrior:
    """Prior of each player before the first game, by row of the players, in rating points.

    `held` is NaN for newcomers; where `error` is NaN, a held rating has the error of given ratings, which is `usual`
    (None: `USUAL`'s) before the games say more.
    """

    held: Array
    error: Array
    level: float
    usual: Array | None = None

    def above(self) -> Array:
        """Return how far each rating is above the mean of those that are given, on the natural scale."""
        given = np.where(np.isnan(self.error), self.held, np.nan)
        known = given[~np.isnan(given)]
        return np.nan_to_num(given - (known.mean() if len(known) else 0.0)) / SCALE

    def errors(self, learned: Learned) -> Array:
        """Return the error of every rating that is held."""
        usual = USUAL.given_error if self.usual is None else self.usual
        given = usual * np.exp(learned.given_slope * self.above()) * (learned.given_error / USUAL.given_error)
        return np.where(np.isnan(self.error), np.clip(given, *GIVEN), self.error)


@dataclass(frozen=True, slots=True)
class Curves:
    """Fitted curves, on the natural scale.

    Parameters
    ----------
    x, variance, covariance
        At each point; the covariance is with the next point of the same curve.
    mean, hold
        Of each curve: where it was put before the first game, and 1/variance of that.
    among
        The mean strength of the established players whom a newcomer met first, NaN for none.
    """

    games: PlayedGames
    points: CurvePoints
    learned: Learned
    x: Array
    variance: Array
    covariance: Array
    mean: Array
    hold: Array
    among: Array

    def weight(self) -> Array:
        """Return what each result says beside one without draws."""
        return np.array(self.learned.information)[self.games.fast]

    def plus(self) -> Array:
        """Return the first side's advantage in each game."""
        return np.array(self.learned.advantage)[self.games.fast] / SCALE

    def differences(self) -> Array:
        """Return how far the first side is ahead in each game, in logits."""
        return np.asarray(self.x[self.points.white] - self.x[self.points.black] + self.plus())


def fit(
    games: PlayedGames,
    start: CurvePrior,
    learned: Learned,
    *,
    before: Curves | None = None,
    tolerance: float = TOLERANCE,
    errors: bool = True,
    exact: bool = False,
) -> Curves:
    """Fit all curves to all games.

    Parameters
    ----------
    before
        Curves to begin with; they save time.
    errors
        Whether variances are wanted.
    exact
        Whether they are exact where that can be had, for the error of a rating by itself.
    """
    points = lay_out(games) if before is None or before.games is not games else before.points
    x = np.repeat(np.where(np.isnan(start.held), start.level, start.held)[points.own], points.counts) / SCALE
    if before is not None:
        at = np.searchsorted(before.points.keys, points.keys, side="right") - 1
        known = (at >= 0) & (before.points.player[at] == points.player)
        x[known] = before.x[at[known]]
    among = _met_first(points, start, x)
    mean, hold = _placed(points, start, learned, among)
    near = None if learned.apart is None else reference.near_matrix(points, learned.near)
    terms = CurveTerms(
        points=points,
        score=games.score,
        weight=np.array(learned.information)[games.fast],
        plus=np.array(learned.advantage)[games.fast] / SCALE,
        link=np.where(points.days > 0, 1 / (learned.w2 * np.maximum(points.days, 1)), 0.0),
        mean=mean,
        hold=hold,
        matrix=near,
        apart=learned.apart or 0.0,
    )
    goal = tolerance / SCALE
    small = len(points) <= DENSE
    if small or near is not None:
        x = terms.fit(x, goal)
    else:
        from arpad.rate.whr.kernels import fit_ratings

        sides = points.white, points.black, games.score, terms.weight, terms.plus
        curves = points.first, terms.link, mean, np.zeros(len(mean)), hold
        fit_ratings(*sides, *curves, x, 0.0, False, goal, 0.1, 50, 300)
    variance = covariance = np.zeros(len(x))
    if errors:
        free = bool(np.isnan(start.held).all())
        variance, covariance = _errors(terms, x, exact=small or exact, whole=exact, free=free)
    if learned.apart is not None:
        # What the pairings say of a player is where the games begin to count from.
        hold = terms.begin
        mean = _begun(terms, learned.w2, x)
    return Curves(games, points, learned, x, variance, covariance, mean, hold, among)


def _begun(terms: CurveTerms, w2: float, x: Array) -> Array:
    """Return where each curve begins, so that games take it to its last point."""
    points, hold = terms.points, terms.begin
    rest = terms.weight * (terms.score - terms.chances(x))
    unknown = 1 / hold[points.curve] + w2 * points.months_after_first()
    moved = np.bincount(points.curve, unknown * terms.by_point(rest, -rest), len(hold))
    return np.asarray(x[points.last] - moved)


def _met_first(points: CurvePoints, start: CurvePrior, x: Array) -> Array:
    """Return the mean strength of the established players whom each newcomer met in the first month."""
    first = points.month[points.first[:-1]]
    curve = points.curve
    listed = ~np.isnan(start.held[points.own])
    total, count = np.zeros(len(points.own)), np.zeros(len(points.own))
    for me, other in ((points.white, points.black), (points.black, points.white)):
        mine, theirs = curve[me], curve[other]
        counts = (points.month[me] == first[mine]) & ((first[theirs] < first[mine]) | listed[theirs])
        counts &= ~listed[mine]
        total += np.bincount(mine[counts], x[other[counts]], len(total))
        count += np.bincount(mine[counts], minlength=len(count))
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _placed(points: CurvePoints, start: CurvePrior, learned: Learned, among: Array) -> tuple[Array, Array]:
    level = start.level / SCALE
    held = start.held[points.own] / SCALE
    error = start.errors(learned)[points.own] / SCALE
    new = np.isnan(held)
    towards = level + learned.follow * (among - level) - learned.below / SCALE
    mean = np.where(new, np.where(np.isnan(among), level, towards), held)
    return mean, 1 / np.where(new, learned.spread / SCALE, error) ** 2


def _errors(terms: CurveTerms, x: Array, *, exact: bool, whole: bool, free: bool) -> tuple[Array, Array]:
    """Return each point's variance and its covariance with the next one.

    Where nobody came with a rating the level of all is `free`, a matter of agreement: errors are about it.
    """
    points, n = terms.points, len(x)
    if exact and n <= EXACT:
        matrix = terms.hessian(x)
        if terms.matrix is not None:
            matrix += terms.near_hessian(x)
        inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        if free and n:
            inverse = _about_level(inverse, points.last)
        beside = np.append(np.diagonal(inverse, 1), 0.0)
        return np.diagonal(inverse).copy(), np.where(points.days > 0, beside, 0.0)
    from arpad.rate.whr.kernels import fit_variances

    sides = points.white, points.black, terms.information(x)
    base = replace(terms, hold=terms.begin).own()
    variance, covariance, *_ = fit_variances(*sides, points.first, terms.link, base, True, 0.03, 12)
    if whole:
        more = np.repeat(_more_errors(terms, x, variance, free=free), points.counts)
        variance, covariance = variance + more, covariance + np.where(points.days > 0, more, 0.0)
    return variance, covariance


def _about_level(inverse: Array, last: Rows) -> Array:
    """Return covariances of strengths less the mean of the latest ones."""
    shared = inverse[:, last].mean(axis=1)
    return np.asarray(inverse - shared[:, None] - shared[None, :] + shared[last].mean())


def _more_errors(terms: CurveTerms, x: Array, variance: Array, *, free: bool) -> Array:
    """Return what goes beyond `fit_variances`: errors that opponents share, and that of the level of all.

    Passing errors on from player to player does not see what goes round in circles. Players without time are
    few enough for an inverse: what it has beyond the passing on is added. In large pools it is the level alone.
    """
    points, curve, hold = terms.points, terms.points.curve, terms.hold
    h, n = terms.information(x), len(hold)
    # A game of long ago says less of today.
    now = variance[points.last]
    share = np.minimum(1.0, now[curve] / variance)
    h = h * np.sqrt(share[points.white] * share[points.black])
    white, black = curve[points.white], curve[points.black]
    if n > EXACT and free:
        return np.zeros(n)
    if n > EXACT:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        met = coo_array((np.ones(len(white)), (white, black)), shape=(n, n))
        group = connected_components(met, directed=False)[1]
        return np.asarray(1 / np.bincount(group, hold)[group])
    matrix = _information(white, black, h, n) + np.diag(hold)
    if terms.matrix is not None:
        matrix += terms.near_hessian(x, of_curves=True)
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    whole = np.diagonal(_about_level(inverse, np.arange(n)) if free else inverse)
    more = whole - reference.passed_on(white, black, h, terms.begin)[0]
    return np.asarray(np.maximum(more, -0.5 * now) if free else np.maximum(0.0, more))


def learn(games: PlayedGames, start: CurvePrior, fixed: Fixed) -> Learned:
    """Return the constants that the games tell.

    Those of single games and newcomers by expectation and maximisation. The drift in small pools is where its
    marginal likelihood is highest: where steps are as large as it says (Dempster 1977, section 4.4; by secants).
    """
    learned = fixed.apply(USUAL)
    if not len(games):
        return learned
    latest = games.part(slice(max(0, len(games) - WINDOW), None))
    walks = fixed.drift is None and len(lay_out(latest)) <= WALKS
    curves: Curves | None = None
    trail: list[tuple[float, float]] = []
    for round_ in range(ROUNDS):
        exact = curves is not None and len(curves.points) <= LEARN_EXACT
        curves = fit(latest, start, learned, before=curves, tolerance=ROUGH, exact=exact)
        after = fixed.apply(improved(curves, start))
        if round_ == SETTLED - 1 and fixed.spread is None:
            after = reference.look(latest, start, after, fit)
        drift = learned.drift
        if walks and learned.apart is not None:
            drift = reference.drift_by_opponents(curves, USUAL.drift)
        elif walks and round_ >= SETTLED and (curves.points.days > 0).any():
            # ln of the drift, and the slope of its posterior there: 0 where steps are as large as it says.
            larger = (after.drift / drift) ** 2 - 1
            pull = math.log(drift / USUAL.drift) / DRIFT**2
            trail.append((math.log(drift), float((curves.points.days > 0).sum()) * larger - pull))
            drift = math.exp(_root_of(trail))
        after = replace(after, drift=drift)
        small = max(
            abs(math.log(after.drift / learned.drift)) / 25,
            abs(math.log(after.given_error / learned.given_error)) / 25,
            abs(math.log(after.information[0] / learned.information[0])),
            abs(after.advantage[0] - learned.advantage[0]) / 100,
        )
        learned = after
        if small < ENOUGH and round_ > SETTLED:
            break
    return learned


def _information(white: Rows, black: Rows, h: Array, n: int) -> Array:
    """Return what games say of differences between players without time."""
    matrix = np.zeros((n, n))
    np.add.at(matrix, (white, black), -h)
    np.add.at(matrix, (black, white), -h)
    matrix[np.arange(n), np.arange(n)] = -matrix.sum(axis=1)
    return matrix


def _root_of(trail: list[tuple[float, float]]) -> float:
    """Return where a falling function that was seen at some places is 0: by the last secant, within bounds."""
    low = max((x for x, y in trail if y > 0), default=math.log(DRIFTS[0]))
    high = min((x for x, y in trail if y <= 0), default=math.log(DRIFTS[1]))
    at, value = trail[-1]
    if len(trail) == 1:
        return at + math.copysign(1.0, value)
    before, other = trail[-2]
    if low >= high or at == before or (value - other) * (at - before) >= 0:
        return (low + high) / 2
    ahead = at - value * (before - at) / (other - value) if other != value else at
    return min(high, max(low, ahead, at - 1.5), at + 1.5)


def improved(curves: Curves, start: CurvePrior) -> Learned:
    """Return the constants under which what the curves say would be likelier."""
    points, x, v, old = curves.points, curves.x, curves.variance, curves.learned
    first = points.first[:-1]
    square = (x[first] - curves.mean) ** 2 + v[first]
    new = np.isnan(start.held[points.own])
    given_error, given_slope = _given(curves, start, square, ~new & np.isnan(start.error[points.own]))
    at = np.flatnonzero(points.days > 0)
    moved = (x[at + 1] - x[at]) ** 2 + v[at] + v[at + 1] - 2 * curves.covariance[at]
    w2 = float((moved / points.days[at]).mean()) if len(at) else old.w2
    advantage, information = _per_class(curves)
    follow, below = _newcomers(curves, start)
    return Learned(
        # The likelihood would make it too small where neighbours in strength meet: all their games are even.
        spread=old.spread,
        near=old.near,
        apart=old.apart,
        given_error=given_error,
        given_slope=given_slope,
        drift=math.sqrt(w2 * YEAR) * SCALE,
        advantage=advantage,
        information=information,
        follow=follow if len(at) else old.follow,
        below=below if len(at) else old.below,
    )


def _given(curves: Curves, start: CurvePrior, square: Array, given: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the error of given ratings and its slope: a step of Fisher's scoring towards the likeliest ones."""
    old = curves.learned
    above = start.above()[curves.points.own][given]
    parts = np.stack([np.ones(len(above)), above])
    hold = curves.hold[given]
    # 1 where games say all that the given rating did not.
    said = 1 - curves.variance[curves.points.first[:-1]][given] * hold
    level = math.log(old.given_error / USUAL.given_error)
    prior = np.array([PLAYERS * math.expm1(-2 * level), -old.given_slope / GIVEN_SLOPE**2])
    slope = parts @ (square[given] * hold - 1) + prior
    bend = 2 * (parts * said**2) @ parts.T + np.diag([2 * PLAYERS, 1 / GIVEN_SLOPE**2])
    step = np.clip(np.linalg.solve(bend, slope), -0.7, 0.7)
    return old.given_error * math.exp(step[0]), float(np.clip(old.given_slope + step[1], -STEEPEST, STEEPEST))


def _per_class(curves: Curves) -> tuple[tuple[float, float], tuple[float, float]]:
    points, games, v = curves.points, curves.games, curves.variance
    p = logistic(curves.differences())
    rest, h = games.score - p, p * (1 - p)
    doubt = h * h * (v[points.white] + v[points.black])
    hold = (SCALE / ADVANTAGE) ** 2
    advantage, information = [], []
    for fast in (0, 1):
        of = games.fast == fast
        gamma = curves.learned.advantage[fast] / SCALE
        own = curves.learned.information[fast]
        slope = own * float(rest[of].sum()) - hold * gamma
        advantage.append((gamma + slope / (own * float(h[of].sum()) + hold)) * SCALE)
        left = float((rest[of] ** 2 + doubt[of]).sum())
        information.append((float(h[of].sum()) + 0.25 * GAMES) / (left + 0.25 * GAMES))
    return (advantage[0], advantage[1]), (information[0], information[1])


def _newcomers(curves: Curves, start: CurvePrior) -> tuple[float, float]:
    """Return how far newcomers follow those whom they meet, and how much they are below."""
    of = ~np.isnan(curves.among) & np.isnan(start.held[curves.points.own])
    level = start.level / SCALE
    follow, below = USUAL.follow, USUAL.below / SCALE
    if of.any():
        x, y = curves.among[of] - level, curves.x[curves.points.first[:-1]][of] - level
        one = np.ones(len(x))
        usual = NEWCOMERS * np.diag([1.0, 1.0])
        both = np.stack([x, -one])
        follow, below = np.linalg.solve(both @ both.T + usual, both @ y + usual @ np.array([follow, below]))
    return float(min(1.0, max(0.0, follow))), float(below * SCALE)
