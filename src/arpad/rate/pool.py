"""Ratings of a whole pool at once, from results alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.model import Ratings, Result
from arpad.rate.periods import first_given
from arpad.read.reading import games_from
from arpad.scale import CLASS_INTERVAL, Curve, Logistic, Normal, Table, indicated_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.read.reading import GamesLike


# Which players of a pool can be compared with each other at all.
#
# A finite solution exists for a group if, however it is split in two, each part has taken something off
# the other: a strong component of the graph with an edge from the player who scored to the one it was scored
# against. Players with 0 % or 100 %, and islands, fall out of that by themselves.

ALONE = -1


@dataclass(frozen=True, slots=True)
class PoolGroups:
    """Number of each player's group (0 is the largest), or -1, and why."""

    group: NDArray[np.int64]
    reason: NDArray[np.object_]

    @property
    def count(self) -> int:
        """Number of groups."""
        return int(self.group.max()) + 1 if len(self.group) else 0


def find_groups(pairs: PoolPairs) -> PoolGroups:
    """Find the groups within which ratings are finite, before anything is iterated."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = pairs.players
    lost = pairs.games - pairs.points
    scored_on = np.r_[pairs.white[pairs.points > 0], pairs.black[lost > 0]]
    scored_by = np.r_[pairs.black[pairs.points > 0], pairs.white[lost > 0]]
    edges = coo_array((np.ones(len(scored_on)), (scored_on, scored_by)), shape=(n, n)).tocsr()
    _, strong = connected_components(edges, directed=True, connection="strong")
    played, points = pairs.played(), pairs.scored()
    size = np.bincount(strong, minlength=n)
    reason = np.full(n, "", dtype=object)
    alone = size[strong] == 1
    reason[alone] = "won or lost all games against the rest"
    reason[alone & (points == played)] = "won every game"
    reason[alone & (points == 0)] = "lost every game"
    reason[played == 0] = "played no game"
    return PoolGroups(_by_size(strong, size, alone), reason)


def _by_size(
    labels: NDArray[np.int32], size: NDArray[np.int64], leave: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return a number for each: groups by size, the largest 0, equal ones by their first player."""
    first = np.full(len(size), len(labels), dtype=np.int64)
    np.minimum.at(first, labels, np.arange(len(labels)))
    kept = np.unique(labels[~leave])
    order = kept[np.lexsort((first[kept], -size[kept]))]
    number = np.full(len(size), ALONE, dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[labels]


# Games of a pool, added up by pairing: who met whom how often, and what came of it.


@dataclass(frozen=True, slots=True)
class PoolPairs:
    """Each row: White, Black, games between them with these colours, White's points in them.

    Rows are sorted by White, then Black; no pairing stands here twice with the same colours.
    """

    players: int
    white: NDArray[np.int64]
    black: NDArray[np.int64]
    games: NDArray[np.float64]
    points: NDArray[np.float64]
    starts: NDArray[np.int64] = field(init=False)
    """First row of each White; with `black` and the values it is a sparse matrix."""

    def __post_init__(self) -> None:
        starts = np.searchsorted(self.white, np.arange(self.players + 1))
        object.__setattr__(self, "starts", starts)

    def played(self) -> NDArray[np.float64]:
        """Return the number of games of each player."""
        return self.both(self.games, self.games)

    def scored(self) -> NDArray[np.float64]:
        """Return the points of each player."""
        return self.both(self.points, self.games - self.points)

    def both(self, to_white: NDArray[np.float64], to_black: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return everybody's sum of what each row gives to White and to Black."""
        from scipy.sparse import csr_array

        n, starts = self.players, self.starts
        each, shape = np.ones(n), (n, n)
        white = csr_array((to_white, self.black, starts), shape=shape) @ each
        black = csr_array((to_black, self.black, starts), shape=shape).T @ each
        return np.asarray(white + black, dtype=np.float64)

    def within(self, group: NDArray[np.int64]) -> PoolPairs:
        """Return the rows in which both belong to the same group (a number for each player)."""
        same = (group[self.white] == group[self.black]) & (group[self.white] >= 0)
        return self.take(same)

    def take(self, rows: NDArray[np.bool_]) -> PoolPairs:
        """Return some of the rows."""
        return PoolPairs(
            self.players, self.white[rows], self.black[rows], self.games[rows], self.points[rows]
        )


def add_up(played: pl.DataFrame, players: int) -> PoolPairs:
    """Add up the games of every pairing; colours are kept apart."""
    white = played["white"].to_numpy().astype(np.int64)
    black = played["black"].to_numpy().astype(np.int64)
    score = played["score"].to_numpy()
    key = white * players + black
    order = np.argsort(key)
    key = key[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.zeros(0, np.int64)
    games = np.diff(np.r_[first, len(key)]).astype(np.float64)
    points = np.add.reduceat(score[order], first) if len(key) else np.zeros(0)
    return PoolPairs(players, key[first] // max(players, 1), key[first] % max(players, 1), games, points)


# The matrix of a pool: the Laplacian of the graph of pairings, and how systems with it are solved.

SMALL = 200
"""Players up to whom a system is solved directly."""


@dataclass(frozen=True, slots=True)
class Laplacian:
    """The matrix with −weight between two who met and everybody's own sum on the diagonal.

    Pairings come sorted by White, so that they are a sparse matrix as they stand: nothing is
    sorted or copied at each step.
    """

    met: Any
    degree: NDArray[np.float64]

    @classmethod
    def of(cls, pairs: PoolPairs, weight: NDArray[np.float64], extra: NDArray[np.float64]) -> Laplacian:
        """Return the matrix for one weight a pairing and an extra one on the diagonal."""
        from scipy.sparse import csr_array

        n = pairs.players
        met = csr_array((weight, pairs.black, pairs.starts), shape=(n, n))
        each = np.ones(n)
        return cls(met, np.asarray(met @ each + met.T @ each) + extra)

    def times(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return L x."""
        return np.asarray(self.degree * x - self.met @ x - self.met.T @ x)

    def dense(self) -> NDArray[np.float64]:
        """Return L as it is written."""
        met = self.met.toarray()
        return np.asarray(np.diag(self.degree) - met - met.T)

    def sparse(self) -> Any:
        """Return L in sparse form."""
        from scipy.sparse import diags_array

        return diags_array(self.degree) - self.met - self.met.T


def solve_laplacian(
    matrix: Laplacian, g: NDArray[np.float64], *, free: bool, close: float = 1e-7
) -> NDArray[np.float64]:
    """Solve L x = g.

    Parameters
    ----------
    free
        L is singular: without a prior all ratings may move together.
    close
        Relative accuracy, where the system is large.
    """
    from scipy.sparse.linalg import LinearOperator, cg, spsolve

    degree, n = matrix.degree, len(g)
    if n <= SMALL:
        together = degree.mean() / n**2 if free else 0.0
        return np.asarray(np.linalg.solve(matrix.dense() + together, g))
    if free:
        g = g - g.mean()  # what rounding left over cannot be solved for
    own = 1 / np.maximum(degree, 1e-300)
    times = LinearOperator((n, n), matvec=matrix.times, dtype=np.float64)
    scale = LinearOperator((n, n), matvec=lambda x: own * x, dtype=np.float64)
    x, failed = cg(times, g, rtol=close, atol=1e-13 * float(degree.max()), maxiter=5000, M=scale)
    if failed:
        # A long chain of pairings: few entries, so that a direct solution is cheap.
        tied = matrix.sparse().tolil()
        if free:
            tied[0, :] = 0
            tied[0, 0] = 1
            g = np.r_[0.0, g[1:]]
        x = spsolve(tied.tocsc(), g)
    return np.asarray(x)


# How uncertain the ratings of a pool are.
#
# They are x = L⁺ u, where u is the chance in everybody's score: their variances are the diagonal of
# L⁺ B L⁺, with B the matrix of the scores' variances. Drawing u again and again in large groups was
# tried: on a year of real games it takes minutes.

DENSE = 1500
"""Players up to whom the errors come from the whole inverse matrix."""


def pool_errors(
    pairs: PoolPairs, weight: NDArray[np.float64], extra: NDArray[np.float64], P: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return standard deviations around the group's mean; the scores vary by pq a game."""
    noise = pairs.games * P * (1 - P)
    matrix, free = Laplacian.of(pairs, weight, extra), not extra.any()
    if pairs.players <= DENSE:
        return _whole(matrix, Laplacian.of(pairs, noise, np.zeros(pairs.players)), free)
    return _nearly(pairs, matrix.degree, weight, noise)


def _whole(matrix: Laplacian, spread: Laplacian, free: bool) -> NDArray[np.float64]:
    n, mean = len(matrix.degree), float(matrix.degree.mean()) or 1.0
    # All ratings may move together: fill that direction in, and take it out again.
    inverse = np.linalg.inv(matrix.dense() + (mean / n**2 if free else 0.0))
    inverse -= 1 / mean if free else 0.0
    variance = np.einsum("ij,ij->i", inverse @ spread.dense(), inverse)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _nearly(
    pairs: PoolPairs, degree: NDArray[np.float64], weight: NDArray[np.float64], noise: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Add to a player's own uncertainty that of each opponent, once: too little along thin chains."""
    n = pairs.players
    own = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
    variance = pairs.both(noise, noise) * own**2
    theirs = pairs.both(weight**2 * variance[pairs.black], weight**2 * variance[pairs.white])
    return np.asarray(np.sqrt(variance + own**2 * theirs))


# The exact solution of a pool: everybody's expected score is the score [Elo 1.55, 3.4].
#
# For the logistic curve this is the most likely set of ratings. Newton's method: the matrix is the
# Laplacian of the graph of pairings, so each step is a sparse system that conjugate gradients solve in
# some dozens of passes over the pairings.

CLOSE = 1e-9
"""Largest difference of expected and actual score, in points per game, at which we stop."""
STEPS = 300
UNTOLD = 1e-9
FARTHEST = 1500.0
"""White's advantage beyond which there is none to be found: White won, or lost, everything."""
LARGEST_STEP = 400.0


@dataclass(frozen=True, slots=True)
class Solution:
    """Ratings of one group with mean 0, their standard deviations, and how they were found."""

    ratings: NDArray[np.float64]
    errors: NDArray[np.float64]
    advantage: float | None
    """White's; None where it was to be estimated and the colours do not tell it."""
    steps: int
    residual: float


def solve(pairs: PoolPairs, curve: Curve, *, advantage: float | None = 0.0, prior: float = 0.0) -> Solution:
    """Solve one group; every player in `pairs` belongs to it.

    Parameters
    ----------
    advantage
        White's, in rating points; None estimates it with the ratings.
    prior
        Games, drawn, of everybody against an opponent of average strength: joins what the results do
        not, and makes 0 % and 100 % finite.
    """
    fit = advantage is None
    h = advantage or 0.0
    scored, played = pairs.scored(), pairs.played()
    R = _first_guess(scored, played, prior)
    residual = math.inf
    for step in range(1, STEPS + 1):
        P, slope = _expected(curve, R[pairs.white] - R[pairs.black] + h)
        own, pull = _expected(curve, R)
        expected, weight, extra = pairs.games * P, pairs.games * slope, prior * pull
        g = scored - pairs.both(expected, pairs.games - expected) + prior * (0.5 - own)
        surplus = float((pairs.points - expected).sum()) if fit else 0.0
        residual = float(np.max(np.abs(g) / np.maximum(played, 1), initial=0.0))
        if residual < CLOSE and abs(surplus) / max(pairs.games.sum(), 1) < CLOSE:
            errors = pool_errors(pairs, weight, extra, P)
            return Solution(R, errors, h if advantage is not None or fit else None, step, residual)
        matrix = Laplacian.of(pairs, weight, extra)
        delta = solve_laplacian(matrix, g, free=not prior)
        if fit:
            # White's advantage with the ratings: one more unknown, taken out of the others' way.
            v = pairs.both(weight, -weight)
            along = solve_laplacian(matrix, v, free=not prior)
            left = float(weight.sum() - v @ along)
            if left <= UNTOLD * weight.sum() or abs(h) > FARTHEST:
                fit, h = False, 0.0  # these colours do not tell it from strength
                continue
            move = float(np.clip((surplus - v @ delta) / left, -LARGEST_STEP, LARGEST_STEP))
            h, delta = h + move, delta - along * move
        apart = np.abs(delta[pairs.white] - delta[pairs.black])
        largest = float(np.max(apart, initial=0.0))
        R = R + delta * min(1.0, LARGEST_STEP / largest if largest else 1.0)
        if not prior:
            R -= R.mean()
    raise ArpadError(
        f"the pool has no solution to {CLOSE:g} after {STEPS} steps (off by {residual:.2g} points a game)"
    )


def _first_guess(
    scored: NDArray[np.float64], played: NDArray[np.float64], prior: float
) -> NDArray[np.float64]:
    share = (scored + 0.5 + prior / 2) / (played + 1 + prior)
    guess = Logistic().difference(share)
    return np.asarray(guess - (0.0 if prior else guess.mean()))


def _expected(curve: Curve, D: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the expected score and its slope."""
    if isinstance(curve, Logistic):
        P = curve.expected(D)
        return P, P * (1 - P) * (math.log(10) / (2 * curve.class_interval))
    if isinstance(curve, Normal):
        sigma = curve.class_interval * math.sqrt(2)
        slope = np.exp(-0.5 * (D / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
        return curve.expected(D), np.maximum(slope, 1e-12)
    raise UsageError(f"expected the logistic or the normal curve for a pool, found {curve.name}")


# Successive approximations, as the book does them by hand [Elo 3.41–3.45].


def approximations(
    pairs: PoolPairs,
    *,
    cycles: int = 5,
    D_p: NDArray[np.float64] | None = None,
    damp: bool = False,
    centre: bool = True,
) -> NDArray[np.float64]:
    """Return R_1 … R_cycles, one row a cycle, starting from 0 for everybody.

    Each cycle is R = R_c + D_p, R_c being the average rating of the opponents by games played. D_p
    follows once and for all from the percentage score, read between the hundredths of table 2.11 [3.45].

    Parameters
    ----------
    D_p
        The differences to use; by table 2.11 from the scores when they are not given.
    damp
        Go only half the way each time: pools in two halves that meet only each other swing for ever
        otherwise.
    centre
        Bring the mean back to 0 after each cycle: the plain process drifts.
    """
    if cycles < 1:
        raise UsageError(f"expected at least one cycle, found {cycles}")
    played = pairs.played()
    if not played.all():
        raise UsageError("expected every player to have played")
    if D_p is None:
        table = Table(interpolate=True)
        D_p = np.array([indicated_difference(float(P), table) for P in pairs.scored() / played])
    R = np.zeros(pairs.players)
    result = []
    for _ in range(cycles):
        against = np.bincount(pairs.white, pairs.games * R[pairs.black], pairs.players)
        against += np.bincount(pairs.black, pairs.games * R[pairs.white], pairs.players)
        new = against / played + D_p
        R = (R + new) / 2 if damp else new
        if centre:
            R = R - R.mean()
        result.append(R)
    return np.array(result)


def swings(pairs: PoolPairs) -> bool:
    """Say whether the players stand in two halves that meet only each other: a match, a Scheveningen event."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = pairs.players
    ends = np.concatenate([pairs.white, pairs.black]), np.concatenate([pairs.black, pairs.white]) + n
    twice = coo_array((np.ones(len(ends[0])), ends), shape=(2 * n, 2 * n))
    # In the double cover every player stands twice, once a half: it falls apart if the halves never mix.
    return int(connected_components(twice, directed=False, return_labels=False)) > 1


def _by_cycle(games: Games, cycles: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]]) -> pl.DataFrame:
    """Return R_1 … R_n of everybody, in the order of the file."""
    count = max((len(steps) for _, steps in cycles), default=0)
    every = np.full((count, games.players.height), np.nan)
    for members, steps in cycles:
        every[:, members] = steps
    columns = {f"R_{i + 1}": row for i, row in enumerate(every)}
    return pl.DataFrame({"player": games.players["name"], **columns}).filter(
        pl.any_horizontal(pl.selectors.float().is_not_nan())
    )


# Ratings of a whole pool at once, from results alone: groups found first, then solved one by one.

POOL_FARTHEST = 10_000.0
"""No rating, and no number of prior games, is meant to be larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRatings(Result):
    """Ratings, and the groups within which they can be compared."""

    ratings: Ratings
    groups: pl.DataFrame
    cycles: pl.DataFrame | None = None
    """Of successive approximations: `player`, `R_1` … as in 3.45, from everybody at the average on; they drift, which
    the ratings do not."""

    def table(self) -> pl.DataFrame:
        """Return the list, best first."""
        return self.ratings.table()

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return the parameters, the groups, and the ratings or the best `top` of them."""
        rows = self.ratings.rows if top is None else self.ratings.rows.head(top)
        return {
            "system": "pool",
            "parameters": dict(self.ratings.parameters),
            "groups": self.groups.to_dicts(),
            "ratings": rows.to_dicts(),
            **({} if self.cycles is None else {"cycles": self.cycles.to_dicts()}),
        }

    def summary(self) -> str:
        """Return one sentence on the games and the system."""
        return self.ratings.summary()


def pool(games: GamesLike, **options: Any) -> PoolRatings:
    """Find the ratings that explain all results at once.

    Parameters
    ----------
    games
        A file, several files, a Polars or pandas frame, tuples ``(white, black, score)``, or games.
    options
        Constants of `PoolSystem`; an unknown name is an error.

    Examples
    --------
    >>> import arpad
    >>> found = arpad.pool([("Ann", "Bo", 1.0), ("Bo", "Ann", 1.0)], average=1600)
    >>> found.table()["rating"].to_list()
    [1600.0, 1600.0]
    """
    return PoolSystem(**options).solve(games_from(games))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSystem:
    """Settings for rating a whole pool at once.

    Parameters
    ----------
    method
        exact            every expected score is the score;
        approximations   the cycles of 3.41, brought back to the average at the end, and damped where they would
                         not converge.
    average
        The mean rating of each group; None takes that of the ratings in the source, or 1500.
    anchors
        Players at given ratings, by name; a group that has some is moved so that they are right on
        average.
    advantage
        White's, in points; None estimates it, group by group.
    draw_rate
        The share r of drawn games, which makes the errors smaller: a score varies by pq − r/4 a game
        [8.95], and near .5 that is the factor √(1 − r). None counts the draws of each group.
    prior
        Drawn games of everybody against an average opponent: joins all groups into one.
    """

    method: Literal["exact", "approximations"] = "exact"
    curve: Curve = field(default_factory=Logistic)
    average: float | None = None
    anchors: Mapping[str, float] = field(default_factory=dict)
    advantage: float | None = 0.0
    draw_rate: float | None = None
    prior: float = 0.0
    cycles: int = 100

    def __post_init__(self) -> None:
        if self.method == "approximations" and (self.prior or self.advantage != 0):
            raise UsageError("successive approximations know no prior and no advantage: use the exact method")
        numbers = (self.average or 0.0, self.prior, self.advantage or 0.0, *self.anchors.values())
        if not all(math.isfinite(x) and abs(x) <= POOL_FARTHEST for x in numbers):
            raise UsageError(f"expected finite ratings, prior and advantage, found {numbers}")
        if self.draw_rate is not None and not 0 <= self.draw_rate < 1:
            raise UsageError(f"expected a draw rate from 0 to below 1, found {self.draw_rate!r}")

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        shared: dict[str, object] = {
            "method": self.method,
            "average": self.average,
            "anchors": dict(self.anchors),
        }
        if self.method == "approximations":
            return shared | {"curve": "table", "cycles": self.cycles}
        white = "fit" if self.advantage is None else self.advantage
        return shared | {
            **self.curve.parameters(),
            "white_advantage": white,
            "draw_rate": "observed" if self.draw_rate is None else self.draw_rate,
            "prior": self.prior,
        }

    def solve(self, games: Games) -> PoolRatings:
        """Solve every group of the games that were played."""
        played = games.rateable()
        pairs = add_up(played, games.players.height)
        groups = self._groups(pairs)
        n = pairs.players
        ratings, errors = np.full(n, np.nan), np.full(n, np.nan)
        inside = pairs.within(groups.group)
        drawn = _drawn(played, groups)
        given = first_given(games, played)
        result: list[dict[str, Any]] = []
        cycles: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
        for number in range(groups.count):
            members = np.flatnonzero(groups.group == number)
            part = _renumbered(inside, members)
            share = drawn[number] / max(part.games.sum(), 1)
            steps, error, how = self._solved(part, share)
            drift = float(steps[-1].mean())
            level = self._level(steps[-1] - drift, members, games, given)
            steps = steps + level
            ratings[members], errors[members] = steps[-1] - drift, error
            cycles.append((members, steps))
            result.append(
                {
                    "group": number + 1,
                    "players": len(members),
                    "games": int(part.games.sum()),
                    "draw_rate": share,
                    **how,
                }
            )
        rows = _rows(games, pairs, inside, groups, ratings, errors)
        ranked = Ratings.rank(rows, system="pool", parameters=self.parameters(), games=games)
        by_cycle = _by_cycle(games, cycles) if self.method == "approximations" else None
        return PoolRatings(ratings=ranked, groups=pl.DataFrame(result, schema=_GROUPS), cycles=by_cycle)

    def _groups(self, pairs: PoolPairs) -> PoolGroups:
        if not self.prior:
            return find_groups(pairs)
        played = pairs.played() > 0
        group = np.where(played, 0, ALONE)
        reason = np.where(played, "", "played no game").astype(object)
        return PoolGroups(group, reason)

    def _solved(
        self, part: PoolPairs, draws: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
        if self.method == "approximations":
            cycles = approximations(part, cycles=self.cycles, damp=swings(part), centre=False)
            nothing = np.full(part.players, np.nan)
            last = float(np.max(np.abs(cycles[-1] - cycles[-2]))) if len(cycles) > 1 else None
            how = {"steps": self.cycles, "residual": last, "white_advantage": None}
            return cycles, nothing, how
        solution = solve(part, self.curve, advantage=self.advantage, prior=self.prior)
        games = float(part.games.sum())
        # Draws alone do not make ratings certain: half a decisive game is lent to each group.
        observed = draws * games / (games + 0.5)
        smaller = math.sqrt(1 - (observed if self.draw_rate is None else self.draw_rate))
        how = {"steps": solution.steps, "residual": solution.residual, "white_advantage": solution.advantage}
        return solution.ratings[None, :], solution.errors * smaller, how

    def _level(
        self, own: NDArray[np.float64], members: NDArray[np.int64], games: Games, given: NDArray[np.float64]
    ) -> float:
        """Return by how much a group is moved."""
        if self.anchors:
            names = games.players["name"].to_list()
            known = [(i, self.anchors[names[m]]) for i, m in enumerate(members) if names[m] in self.anchors]
            if known:
                return float(np.mean([rating - own[i] for i, rating in known]))
        if self.average is not None:
            return self.average - float(own.mean())
        rated = ~np.isnan(given[members])
        if rated.any():
            return float(np.mean(given[members][rated] - own[rated]))
        return 1500.0 - float(own.mean())

    def check_anchors(self, games: Games) -> None:
        """Refuse anchors that nobody is called."""
        unknown = set(self.anchors) - set(games.players["name"])
        if unknown:
            raise UsageError(
                f"nobody here is called {', '.join(map(repr, sorted(unknown)))}: anchors go by name"
            )


_GROUPS = {
    "group": pl.Int64,
    "players": pl.Int64,
    "games": pl.Int64,
    "draw_rate": pl.Float64,
    "steps": pl.Int64,
    "residual": pl.Float64,
    "white_advantage": pl.Float64,
}


def _drawn(played: pl.DataFrame, groups: PoolGroups) -> NDArray[np.int64]:
    """Return the number of drawn games within each group."""
    white, black = (groups.group[played[c].to_numpy()] for c in ("white", "black"))
    inside = (white == black) & (white != ALONE) & (played["score"].to_numpy() == 0.5)
    return np.bincount(white[inside], minlength=groups.count)


def _renumbered(pairs: PoolPairs, members: NDArray[np.int64]) -> PoolPairs:
    place = np.full(pairs.players, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    mine = place[pairs.white] >= 0
    part = pairs.take(mine)
    return PoolPairs(len(members), place[part.white], place[part.black], part.games, part.points)


def _rows(
    games: Games,
    pairs: PoolPairs,
    inside: PoolPairs,
    groups: PoolGroups,
    ratings: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> pl.DataFrame:
    counted = inside.played()
    return pl.DataFrame(
        {
            "player": games.players["name"],
            "id": games.players["id"],
            "rating": pl.Series(ratings).fill_nan(None),
            "error": pl.Series(errors).fill_nan(None),
            "games": counted.astype(np.int64),
            "score": inside.scored(),
            "group": pl.Series(groups.group + 1).replace(0, None),
            "left_out": (pairs.played() - counted).astype(np.int64),
            "note": pl.Series(groups.reason).replace("", None),
        }
    ).filter(pl.Series(pairs.played() > 0))


# The current rating without a table: Elo's linear forms [1.82–1.84, 8.27].

USCF_K = 32.0
"""K with which (11) becomes (12), R_o + 16 (W − L) + .04 ΣD [1.83]."""
CAP = 350.0
"""Larger differences are entered as this one, in points [1.84]."""


def linear_rating(
    R_o: float,
    score: float,
    opponents: Sequence[float],
    *,
    K: float = USCF_K,
    class_interval: float = CLASS_INTERVAL,
    cap: float | None = CAP,
) -> float:
    """Return R_n = R_o + K (W − L)/2 − (K/4C) Σ D_i, with D_i = R_o − R_i [(11)].

    With K = 32 this is (12), where D has the other sign.

    Parameters
    ----------
    score
        W, draws counting half; L is the rest of the games.
    cap
        Count larger differences as this one; None: do not.

    Examples
    --------
    >>> linear_rating(1500, 3, [1500, 1600, 1700, 1400])
    1540.0
    """
    games = len(opponents)
    if not 0 <= score <= games:
        raise UsageError(f"expected a score from 0 to {games} in {games} games, found {score!r}")
    if not all(math.isfinite(rating) for rating in (R_o, K, *opponents)):
        raise UsageError("expected ratings and K, found one that is no number")
    most = math.inf if cap is None else cap
    total = math.fsum(min(max(R_o - R_i, -most), most) for R_i in opponents)
    return R_o + K * (score - (games - score)) / 2 - K / (4 * class_interval) * total
