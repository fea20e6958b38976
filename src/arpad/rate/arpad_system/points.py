"""The points of all strength curves, one for every player and month with games; their mode; and new pools.

Inside, strengths are on the natural scale θ = r ln 10/400, on which a game of equals is worth 1/4.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.glicko.steps import SCALE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from arpad.model import Games
    from arpad.rate.arpad_system.curves import CurvePrior, Curves, Learned

    Array = NDArray[np.float64]
    Rows = NDArray[np.int64]

STEP = 30
"""Days of a month here: within one, a strength does not change, and the order of games says nothing."""

_FAR = 2**20
"""Days are kept above 0 by so much."""

_KEYS = 2**22

_FAST = re.compile(
    r"blitz|bullet|lightning|rapid|quick|speed|armageddon|schnell|online|internet|titled tue|"
    r"chess\.com|lichess|chess24|playchess|\bICC\b",
    re.IGNORECASE,
)
"""Pattern of time controls and names of events with fast games."""


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games as arrays: rows of the players, White's score, the day, the class of the time control, and the round."""

    white: Rows
    black: Rows
    score: Array
    day: Rows
    fast: Rows
    turns: Rows | None = None

    @property
    def turn(self) -> Rows:
        """A number that grows from round to round."""
        return self.day if self.turns is None else self.turns

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.score)

    def order(self) -> Rows:
        """Return the rows in an order that does not rest on that of the file."""
        return np.lexsort((self.score, self.fast, self.black, self.white, self.day))

    def part(self, rows: Rows | slice) -> PlayedGames:
        """Return some of the games."""
        names = ("white", "black", "score", "day", "fast", "turn")
        return PlayedGames(*(getattr(self, name)[rows] for name in names))

    def and_(self, more: PlayedGames) -> PlayedGames:
        """Return these games and others behind them."""
        names = ("white", "black", "score", "day", "fast", "turn")
        return PlayedGames(*(np.concatenate([getattr(self, n), getattr(more, n)]) for n in names))


def fast_games(games: Games, event: Rows) -> Rows:
    """Return 1 for each game of an event that says it is rapid, blitz or online, 0 for the others.

    Parameters
    ----------
    event
        The event of each game, −1 for none.
    """
    said = [bool(_FAST.search(f"{e.time_control or ''} {e.kind or ''} {e.name}")) for e in games.events]
    return np.array([*said, False], dtype=np.int64)[event]


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """All curves in one row, player by player, each by time.

    Parameters
    ----------
    player, month
        Whose point, and when.
    first
        Where the curve of each player who played begins, and at last the number of points.
    own
        The player of each curve.
    days
        To the next point of the same curve, 0 at its last.
    white, black
        The points of both sides of each game.
    """

    player: Rows
    month: Rows
    first: Rows
    own: Rows
    days: Array
    white: Rows
    black: Rows

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.month)

    @property
    def keys(self) -> Rows:
        """A number for each point, growing: player first, then time."""
        return self.player * _KEYS + self.month

    @property
    def last(self) -> Rows:
        """The last point of each curve."""
        return self.first[1:] - 1

    @property
    def counts(self) -> Rows:
        """The number of points of each curve."""
        return np.diff(self.first)

    @property
    def curve(self) -> Rows:
        """The number of each point's curve."""
        return np.repeat(np.arange(len(self.own)), self.counts)

    def middle(self, points: Rows) -> Array:
        """Return the day, counted from 1970, in the middle of each point's month."""
        return np.asarray(self.month[points] * float(STEP) + STEP / 2 - _FAR)

    def months_after_first(self) -> Array:
        """Return the days from the first point of its curve to each point."""
        start = np.repeat(self.month[self.first[:-1]], self.counts)
        return np.asarray((self.month - start) * float(STEP))


def lay_out(games: PlayedGames) -> CurvePoints:
    """Return the points of games between rows of players.

    Examples
    --------
    >>> import numpy as np
    >>> day = np.array([0, 0, 60])
    >>> rows = np.array([0, 1, 0]), np.array([1, 2, 1])
    >>> points = lay_out(PlayedGames(*rows, np.ones(3), day, np.zeros(3, dtype=np.int64)))
    >>> points.player.tolist(), points.days.tolist()
    ([0, 0, 1, 1, 2], [60.0, 0.0, 60.0, 0.0, 0.0])
    """
    month = (games.day + _FAR) // STEP
    both = np.concatenate([games.white * _KEYS + month, games.black * _KEYS + month])
    keys, at = np.unique(both, return_inverse=True)
    player, when = keys // _KEYS, keys % _KEYS
    begins = np.flatnonzero(np.r_[True, player[1:] != player[:-1]]) if len(keys) else keys
    days = np.zeros(len(keys))
    same = np.flatnonzero(player[1:] == player[:-1])
    days[same] = (when[same + 1] - when[same]) * STEP
    n = len(games)
    return CurvePoints(
        player=player,
        month=when,
        first=np.r_[begins, len(keys)].astype(np.int64),
        own=player[begins],
        days=days,
        white=at[:n],
        black=at[n:],
    )


MOST_STEPS = 50
LONGEST_STEP = 4.0
"""Logits: no strength moves further in one step."""


def logistic(z: Array) -> Array:
    """Return 1/(1 + e^−z)."""
    return np.asarray(0.5 + 0.5 * np.tanh(z / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveTerms:
    """The terms of ln p of all strengths: results, steps from month to month, what was held before the first game.

    Parameters
    ----------
    weight, plus
        What each result says beside one without draws; what the first side is ahead in it.
    link
        1/variance of the step to the next point of the same curve, 0 at its last.
    mean, hold
        Of each curve: where it was put before the first game, and 1/variance of that.
    matrix, apart
        Of a new pool whose pairings say something, as `near_matrix` has it; the standard deviation in points.
    """

    points: CurvePoints
    score: Array
    weight: Array
    plus: Array
    link: Array
    mean: Array
    hold: Array
    matrix: csr_array | None = None
    apart: float = 0.0

    @property
    def begin(self) -> Array:
        """1/variance of where each curve begins: what the pairings say, where they say something."""
        return self.hold if self.matrix is None else np.full(len(self.hold), (SCALE / self.apart) ** 2)

    def chances(self, x: Array) -> Array:
        """Return White's expected score of every game."""
        return logistic(x[self.points.white] - x[self.points.black] + self.plus)

    def information(self, x: Array) -> Array:
        """Return what every game says of the difference of its two sides."""
        p = self.chances(x)
        return self.weight * p * (1 - p)

    def by_point(self, white: Array, black: Array) -> Array:
        """Add up what each game gives to its two sides."""
        n = len(self.points)
        result = np.bincount(self.points.white, white, n) + np.bincount(self.points.black, black, n)
        return result.astype(np.float64)

    def own(self) -> Array:
        """Return what a curve says of its own points: its neighbours, and what was held before."""
        result = self.link + np.append(0.0, self.link)[:-1]
        result[self.points.first[:-1]] += self.hold
        return np.asarray(result)

    def gradient(self, x: Array) -> Array:
        """Return ∂ ln p."""
        rest = self.weight * (self.score - self.chances(x))
        result = self.by_point(rest, -rest)
        pull = self.link * np.diff(x, append=0.0)
        result += pull
        result[1:] -= pull[:-1]
        first = self.points.first[:-1]
        result[first] -= self.hold * (x[first] - self.mean)
        return np.asarray(result)

    def hessian(self, x: Array) -> Array:
        """Return −∂² ln p: what is known, and of what together."""
        n, h = len(x), self.information(x)
        white, black, here = self.points.white, self.points.black, np.arange(n)
        result = np.diag(self.own() + self.by_point(h, h))
        np.add.at(result, (white, black), -h)
        np.add.at(result, (black, white), -h)
        result[here[:-1], here[1:]] -= self.link[:-1]
        result[here[1:], here[:-1]] -= self.link[:-1]
        return result

    def fit(self, x: Array, tolerance: float) -> Array:
        """Return the mode, by Newton's method from x; it is concave, so that it has one."""
        step_of = self._step if self.matrix is None else self._near_step
        for _ in range(MOST_STEPS):
            step = step_of(x)
            longest = float(np.abs(step).max(initial=0.0))
            x = x + step * min(1.0, LONGEST_STEP / max(longest, 1e-300))
            if longest < tolerance:
                break
        return x

    def _step(self, x: Array) -> Array:
        return np.asarray(np.linalg.solve(self.hessian(x), self.gradient(x)))

    def _near_step(self, x: Array) -> Array:
        """Return a step with what the pairings say, by conjugate gradients."""
        from scipy.linalg import cho_solve_banded, cholesky_banded
        from scipy.sparse.linalg import LinearOperator, cg

        assert self.matrix is not None
        matrix, back, n = self.matrix, self.matrix.T.tocsr(), len(x)
        white, black, link = self.points.white, self.points.black, self.link
        delta = matrix @ x
        about = _holds(delta - delta.mean(), self.apart)

        def said(v: Array) -> Array:
            delta = matrix @ v
            pull = about * (delta - delta.mean())
            return np.asarray(back @ (pull - pull.mean()))

        h = self.information(x)
        diagonal = self.own() + self.by_point(h, h)

        def product(v: Array) -> Array:
            result = diagonal * v + said(v) - self.by_point(h * v[black], h * v[white])
            result[:-1] -= link[:-1] * v[1:]
            result[1:] -= link[:-1] * v[:-1]
            return np.asarray(result)

        factor = cholesky_banded(np.stack([np.append(0.0, -link[:-1]), diagonal + matrix.T**2 @ about]))
        solve = LinearOperator((n, n), matvec=lambda v: cho_solve_banded((factor, False), v))
        slope = self.gradient(x) - said(x)
        step, _ = cg(LinearOperator((n, n), matvec=product), slope, rtol=1e-3, maxiter=500, M=solve)
        return np.asarray(step)

    def near_hessian(self, x: Array, *, of_curves: bool = False) -> Array:
        """Return what the pairings say of strengths, for few points, or of whole curves."""
        from scipy.sparse import csr_array as sparse

        assert self.matrix is not None
        delta, curve = self.matrix @ x, self.points.curve
        join = sparse((np.ones(len(curve)), (np.arange(len(curve)), curve)))
        plain = (self.matrix @ join if of_curves else self.matrix).toarray()
        plain -= plain.mean(axis=0)
        return np.asarray((plain.T * _holds(delta - delta.mean(), self.apart)) @ plain)


# A pool in which everybody is new: how wide it is, and what it says who met whom.
#
# By lot, or in a Swiss by points, pairings say nothing that results do not say. Where organisers knew strengths they
# say much: a strength is then near what those met tell, θ_i = β θ̄_i + δ_i, θ̄_i the mean of the opponents, δ ± s.

FEWEST, FEW = 20, 5_000
"""Players of a new pool from which on, and up to which, it is looked at."""
POOL = 0.5
"""Before any game ln of the spread is that of the usual one, with this standard deviation."""
UNKNOWN = 3_000.0
"""Points: the spread where results cannot say it, because neighbours in strength meet."""
BY_LOT = 0.8
"""The difference of those who meet first over that by lot, above which it is by lot."""
LOT_DOUBT = 3.0
"""How much higher that is in a small pool: so many times 1/√players."""
BY_POINTS = 0.5
"""The same for the square of the difference of points so far, below which pairings go by points."""
MEDIAN = 0.455
"""The median of the square of a normal value, over its mean."""
STEEPEST = 1.5
"""β at most: opponents' means are nearer to the middle, as organisers' knowledge is not perfect."""
LEAST_APART, FIRST_APART = 15.0, 60.0
"""Points: s at least, and at first."""
FEW_APART = 4.0
"""Players for whom the first s counts."""
SAY_LITTLE = 2.0
"""s over the standard deviation of what opponents say, above which they say little of a strength."""
TAIL = 4.0
"""Degrees of freedom of δ, Student's: the best and the worst are further from those whom they meet."""
STEPS_OF_S = 12
"""Of expectation and maximisation for s."""


def look(games: PlayedGames, start: CurvePrior, learned: Learned, fit: Callable[..., Curves]) -> Learned:
    """Return the constants with the spread of a new pool, from players without time; or with β and s."""
    n = len(np.unique(np.concatenate([games.white, games.black])))
    if not FEWEST <= n <= FEW or not np.isnan(start.held).all():
        return learned
    static = replace(games, day=np.zeros_like(games.day), turns=games.turn)
    flat = fit(static, start, replace(learned, spread=UNKNOWN))
    surely_by_lot = BY_LOT * (1 + LOT_DOUBT / math.sqrt(n))
    if not _by_points(games, flat) and _share_of_lot(games, flat) < surely_by_lot:
        known = _near(static, start, replace(learned, spread=UNKNOWN), flat, fit)
        if known is not None:
            return known
    curves = flat

    def unlikely(log: float) -> float:
        """Return −ln of what the results say of a spread, by Laplace's method [MacKay 2003, 27]."""
        nonlocal curves
        spread = replace(learned, spread=math.exp(log))
        curves = fit(static, start, spread, before=curves, errors=False)
        points, d, hold = curves.points, curves.x - curves.mean, curves.hold
        weight = curves.weight()
        z = curves.differences()
        said = float((weight * (games.score * z - np.logaddexp(0, z))).sum() - (hold * d * d).sum() / 2)
        p = logistic(z)
        doubt = log_determinant(points.white, points.black, weight * p * (1 - p), hold) / 2 + n * log
        return doubt - said + ((log - math.log(learned.spread)) / POOL) ** 2 / 2

    from scipy.optimize import minimize_scalar

    bounds = math.log(learned.spread) - 3, math.log(learned.spread) + 1
    best = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 0.05})
    return replace(learned, spread=math.exp(float(best.x)))


def log_determinant(white: Rows, black: Rows, h: Array, hold: Array) -> float:
    """Return ln of the determinant of what games and priors say, exact where games form no circles (Bethe)."""
    v, to_white, to_black = passed_on(white, black, h, hold)
    one = 1 / v[white] - to_white + h
    other = 1 / v[black] - to_black + h
    pairs = np.log(one * other - h * h) + np.log(v[white] * v[black])
    return float(pairs.sum() - np.log(v).sum())


def passed_on(white: Rows, black: Rows, h: Array, hold: Array) -> tuple[Array, Array, Array]:
    """Return variances as `fit_variances` has them, for players without time, and what each game tells both."""
    to_white, to_black, n = h, h, len(hold)
    for _ in range(12):
        v = 1 / (hold + np.bincount(white, to_white, n) + np.bincount(black, to_black, n))
        v_w, v_b = v[white], v[black]
        v_w, v_b = v_w / (1 - to_white * v_w), v_b / (1 - to_black * v_b)
        to_white, to_black = h / (1 + h * v_b), h / (1 + h * v_w)
    v = 1 / (hold + np.bincount(white, to_white, n) + np.bincount(black, to_black, n))
    return v, to_white, to_black


def _by_points(games: PlayedGames, flat: Curves) -> bool:
    """Return whether those meet who have as many points so far: a Swiss."""
    n = len(games)
    player = np.concatenate([flat.points.white, flat.points.black])
    score = np.concatenate([games.score, 1 - games.score]) - 0.5
    order = np.lexsort((np.tile(games.turn, 2), player))
    total = np.cumsum(score[order]) - score[order]
    first = np.flatnonzero(np.r_[True, np.diff(player[order]) > 0])
    total -= np.repeat(total[first], np.diff(np.r_[first, 2 * n]))
    so_far = np.empty(2 * n)
    so_far[order] = total
    in_turn = np.argsort(games.turn, kind="stable")
    white, black = so_far[:n][in_turn], so_far[n:][in_turn]
    others = np.roll(black, max(1, len(flat.points) // 4))
    return float(((white - black) ** 2).mean()) < BY_POINTS * float(((white - others) ** 2).mean())


def _share_of_lot(games: PlayedGames, flat: Curves) -> float:
    """Return the difference in strength of those who met on their first day over that of any two, without noise."""
    white, black, x = flat.points.white, flat.points.black, flat.x
    debut = np.full(len(x), games.turn.max())
    for side in (white, black):
        np.minimum.at(debut, side, games.turn)
    met = (games.turn == debut[white]) & (games.turn == debut[black])
    if not met.any():
        return 1.0
    some = np.random.default_rng(0).integers(0, len(x), (2, 20_000))
    apart, by_lot = (
        float(np.median((x[i] - x[j]) ** 2) / MEDIAN - np.median(flat.variance[i] + flat.variance[j]))
        for i, j in ((white[met], black[met]), some[:, some[0] != some[1]])
    )
    return math.sqrt(max(0.0, apart) / by_lot) if by_lot > 0 else 0.0


def _near(
    static: PlayedGames, start: CurvePrior, learned: Learned, flat: Curves, fit: Callable[..., Curves]
) -> Learned | None:
    """Return the constants with β and s: β by regression on opponents, s by expectation and maximisation.

    None where opponents say little after all: s is much more than what they say differs by.
    """
    means = near_matrix(flat.points, 1.0)
    x = flat.x - flat.x.mean()
    m = x - means @ x
    m -= m.mean()
    weight, p = flat.weight(), logistic(flat.differences())
    sides = np.concatenate([flat.points.white, flat.points.black])
    known = np.bincount(sides, np.tile(weight * p * (1 - p), 2), len(x))
    doubt = 1 / (known + (SCALE / 300) ** 2)
    count = np.bincount(sides, minlength=len(x))
    opponents = np.concatenate([flat.points.black, flat.points.white])
    theirs = np.bincount(sides, doubt[opponents], len(x)) / count**2
    near = float(np.clip((x @ m) / max(float(m @ m - theirs.sum()), 1e-9), 0.0, STEEPEST))
    square = float(((x - near * m) ** 2).mean() - (doubt + near**2 * theirs).mean())
    apart = max(math.sqrt(max(square, 0.0)) * SCALE, FIRST_APART)
    curves = flat
    for _ in range(STEPS_OF_S):
        learned = replace(learned, near=near, apart=apart)
        curves = fit(static, start, learned, before=curves, errors=False)
        delta = near_matrix(curves.points, near) @ curves.x
        delta -= delta.mean()
        hold = _holds(delta, apart)
        told = float((known / (known + hold)).sum())
        square = (float((hold * delta**2).sum()) + FEW_APART * (FIRST_APART / apart) ** 2) / (
            told + FEW_APART
        )
        apart = max(apart * math.sqrt(square), LEAST_APART)
    means = curves.x - near_matrix(curves.points, near) @ curves.x  # a player is a point here
    return replace(learned, apart=apart) if apart < SAY_LITTLE * float(means.std()) * SCALE else None


def drift_by_opponents(curves: Curves, usual: float) -> float:
    """Return the drift where neighbours meet: from how much more opponents change from half to half than at random.

    All games are even there, whatever strengths do, so that results alone would say that they stand still. The halves of
    a random walk of T years differ by its drift² T/3; odd and even games differ by chance only.
    """
    points, games = curves.points, curves.games
    me = np.concatenate([points.player[points.white], points.player[points.black]])
    curve = points.curve
    mean = np.bincount(curve, curves.x) / points.counts
    x = mean[curve][np.concatenate([points.black, points.white])] * SCALE * curves.learned.near
    day = np.tile(games.day, 2)
    order = np.lexsort((np.tile(games.turn, 2), me))
    me, x, day = me[order], x[order], day[order]
    begin = np.flatnonzero(np.r_[True, np.diff(me) > 0])
    count = np.diff(np.r_[begin, len(me)])
    place = np.arange(len(me)) - np.repeat(begin, count)
    row, enough = np.repeat(np.arange(len(begin)), count), count >= 4
    squares = []
    for second in (place >= np.repeat(count // 2, count), place % 2 == 1):
        late = np.bincount(row, x * second) / np.maximum(np.bincount(row, second), 1)
        early = np.bincount(row, x * ~second) / np.maximum(np.bincount(row, ~second), 1)
        squares.append((late - early)[enough] ** 2)
    more = squares[0] - squares[1]
    years = float((day[begin + count - 1] - day[begin])[enough].sum()) / 3 / 365.25
    if not years:
        return usual
    # Beside the usual square of the drift, which may be as wrong as it is large.
    told, doubt = float(more.sum()) / years, max(float((more**2).sum()) / years**2, 1e-9)
    return math.sqrt(max((told * usual**4 + usual**2 * doubt) / (usual**4 + doubt), 1.0))


def near_matrix(points: CurvePoints, near: float) -> csr_array:
    """Return the matrix that makes of strengths each curve's mean of θ − β θ of the opponent, over its games."""
    from scipy.sparse import csr_array as sparse

    n, curve = len(points.own), points.curve
    me = np.concatenate([points.white, points.black])
    other = np.concatenate([points.black, points.white])
    row = curve[me]
    part = 1 / np.bincount(row, minlength=n)[row]
    values, rows, columns = np.r_[part, -near * part], np.r_[row, row], np.r_[me, other]
    return sparse((values, (rows, columns)), shape=(n, len(points)))


def _holds(delta: Array, apart: float) -> Array:
    """Return 1/variance of each δ: large ones have a larger one (Student's distribution, Lange 1989)."""
    about = (SCALE / apart) ** 2
    return np.asarray(about * (TAIL + 1) / (TAIL + about * delta**2))
