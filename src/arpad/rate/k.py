"""K: how much one game counts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.scale import CLASS_INTERVAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.scale import Curve

GENERALLY = 30
"""N_o, in games, "accepted generally in statistical practice" [8.28]."""
LONG = 10_000.0
"""Games after which nothing is left of a first rating, whatever K."""

# How much one game counts: K as a value, not as a code path.


@dataclass(frozen=True, slots=True)
class KPolicy:
    """K by rating, and by the number of games played.

    Parameters
    ----------
    tiers
        ``(below, K)`` pairs with rising bounds; the last bound is infinite.
    new_k, new_games
        The K of a player's first games, and how many those are.
    permanent
        Once in the last tier, a player keeps its K permanently.
    """

    tiers: tuple[tuple[float, float], ...]
    new_k: float = 0.0
    new_games: int = 0
    permanent: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        bounds = [below for below, _ in self.tiers]
        if not bounds or bounds != sorted(set(bounds)) or bounds[-1] != math.inf:
            raise UsageError(f"expected K tiers with rising bounds, the last infinite; found {self.tiers}")
        if any(k < 0 or not math.isfinite(k) for k in (*(k for _, k in self.tiers), self.new_k)):
            raise UsageError(f"expected K of 0 or more, found {self.tiers}")

    def k(self, rating: float, games: int, topped: bool = False) -> float:
        """Return K for a player of this rating after this many games."""
        return self.levels[self.level(rating, games, topped)]

    def level(self, rating: float, games: int, topped: bool = False) -> int:
        """Return which of `levels` a player is on, and so which of `reasons` K has."""
        if self.permanent and topped:
            return 0
        if games < self.new_games:
            return 1
        return next(2 + i for i, (below, _) in enumerate(self.tiers) if rating < below)

    @property
    def levels(self) -> tuple[float, ...]:
        """Every K: the permanent one, that of a new player, then tier by tier."""
        return (self.tiers[-1][1], self.new_k, *(k for _, k in self.tiers))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a player has the K of each of `levels`, in a few words."""
        top = f"{self.top:g} reached, permanently"
        new = f"fewer than {self.new_games} games"
        result = []
        for i, (below, _) in enumerate(self.tiers):
            if below < math.inf:
                result.append(f"below {below:g}")
            else:
                result.append(f"{self.tiers[i - 1][0]:g} or more" if i else "for everybody")
        source = f" [{_SOURCES[self.name]}]" if self.name in _SOURCES else ""
        return tuple(
            f"K {k:g}: {why}{source}" for k, why in zip(self.levels, (top, new, *result), strict=True)
        )

    @property
    def top(self) -> float:
        """Lower end of the last tier (minus infinity for a single tier)."""
        return self.tiers[-2][0] if len(self.tiers) > 1 else -math.inf

    def behind(self, ratings: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return K of ratings that a source gives, and the games that they rest on; NaN where there is no rating.

        A source that does not count games stands for the first `new_games`, or thirty. A K that is kept permanently
        says more: who has it has played so long that nothing is left of the first rating.

        Examples
        --------
        >>> import numpy as np
        >>> [each.tolist() for each in k_policy("fide").behind(np.array([2765.0, 2100.0]))]
        [[10.0, 20.0], [10000.0, 30.0]]
        """
        bounds, values = np.array(self.tiers).T
        level = np.searchsorted(bounds[:-1], ratings, side="right")
        long = self.permanent & (ratings >= self.top)
        games = np.where(long, LONG, float(max(self.new_games, GENERALLY)))
        unknown = np.isnan(ratings)
        return np.where(unknown, np.nan, values[level]), np.where(unknown, np.nan, games)

    def __str__(self) -> str:
        if self.name:
            return self.name
        return ",".join(f"{k:g}" if below == math.inf else f"{k:g}@{below:g}" for below, k in self.tiers)


_SOURCES = {"fide-1986": "Elo 4.56", "uscf": "USCF 1994, 1.3", "fide": "FIDE B.02 8.3.3"}
"""Source of each named policy."""
K_POLICIES = {
    # Elo 4.56: 25 until thirty games are on record, then 15; 10 permanently from the first rating over 2400 on
    "fide-1986": KPolicy(
        ((math.nextafter(2400.0, math.inf), 15.0), (math.inf, 10.0)), 25.0, 30, True, "fide-1986"
    ),
    # USCF 1994 report 1.3: 32 below 2100, 24 to 2399, 16 above
    "uscf": KPolicy(((2100.0, 32.0), (2400.0, 24.0), (math.inf, 16.0)), name="uscf"),
    # FIDE B.02 8.3.3 without the junior rule, which needs birth dates: system `fide` has all of it
    "fide": KPolicy(((2400.0, 20.0), (math.inf, 10.0)), 40.0, 30, True, "fide"),
}


def k_policy(text: str | float | KPolicy) -> KPolicy:
    """Return a policy from a number, a name, or tiers.

    Examples
    --------
    >>> k_policy(10).k(2600, 100)
    10.0
    >>> k_policy("32@2100,24@2400,16").k(2399, 0)
    24.0
    """
    if isinstance(text, KPolicy):
        return text
    if isinstance(text, int | float):
        return KPolicy(((math.inf, float(text)),))
    if text in K_POLICIES:
        return K_POLICIES[text]
    tiers: list[tuple[float, float]] = []
    for part in text.split(","):
        result = re.fullmatch(r"\s*(\d+(?:\.\d+)?)(?:@(\d+(?:\.\d+)?))?\s*", part)
        if not result:
            raise UsageError(
                f"expected K as a number (20), tiers (32@2100,24@2400,16: 32 below 2100, …) or one of "
                f"{', '.join(K_POLICIES)}; found {text!r}"
            )
        tiers.append((float(result[2]) if result[2] else math.inf, float(result[1])))
    return KPolicy(tuple(tiers))


# Whether a K suits: does it bring the new rating near enough to the performance? [Elo 8.28].

TOLERANCE = 1.5
"""Largest distance of the new rating from the performance rating, in σ_p [(30)]."""


def sigma_p(games: float, *, class_interval: float = CLASS_INTERVAL) -> float:
    """Return σ_p = C√2 / √N, one standard deviation of a performance rating [8.28, 8.95].

    Examples
    --------
    >>> round(sigma_p(9), 1)
    94.3
    """
    if not 0 < games < math.inf:
        raise UsageError(f"expected a number of games above 0, found {games!r}")
    return class_interval * math.sqrt(2 / games)


@dataclass(frozen=True, slots=True, kw_only=True)
class KLimits:
    """Limits of the performance within which K is suitable.

    Inside both limits the new rating is within `tolerance` σ_p of the performance rating.
    """

    k: float
    games: float
    old_games: float
    sigma_p: float
    difference: float
    """|R_p − R_o| must be below this [(32)]."""
    change: float
    """|ΔR| must be below this [(33)]."""
    z: float
    """The first limit in units of σ_p."""
    probability: float
    """Share of performances within the limits, if nothing but chance is at work."""
    tolerance: float

    def suits(self, R_o: float, R_p: float) -> bool:
        """Say whether this performance leaves the new rating within the tolerance [(30)]."""
        return abs(R_p - R_o) < self.difference


def k_limits(
    *,
    games: float,
    old_games: float,
    tolerance: float = TOLERANCE,
    class_interval: float = CLASS_INTERVAL,
    rounded: bool = False,
) -> KLimits:
    """Return the limits (30)–(33) for N new games against N_o old ones, K being 4C/N_o.

    Parameters
    ----------
    games, old_games
        N and N_o; with N ≥ N_o the old rating has no weight left and there is no limit.
    rounded
        Round σ_p and the limits to whole points before going on, as the book's table does.

    Examples
    --------
    >>> found = k_limits(games=9, old_games=25, rounded=True)
    >>> found.k, found.sigma_p, found.difference, found.change, round(found.probability, 2)
    (32.0, 94.0, 220.0, 79.0, 0.98)
    """
    if not old_games > games:
        raise UsageError(
            f"expected more old games than new ones, found {old_games!r} and {games!r}: there is no limit"
        )
    if not tolerance > 0:
        raise UsageError(f"expected a tolerance above 0, found {tolerance!r}")

    def whole(value: float) -> float:
        return float(math.floor(value + 0.5)) if rounded else value

    sigma = whole(sigma_p(games, class_interval=class_interval))
    difference = whole(tolerance * sigma * old_games / (old_games - games))
    change = whole(tolerance * sigma * games / (old_games - games))
    z = difference / sigma
    return KLimits(
        k=4 * class_interval / old_games,
        games=games,
        old_games=old_games,
        sigma_p=sigma,
        difference=difference,
        change=change,
        z=z,
        probability=math.erf(z / math.sqrt(2)),
        tolerance=tolerance,
    )


# K from the number of games that it weighs against each other [Elo 8.25, 8.28].


def k_by_size(old_games: float, *, class_interval: float = CLASS_INTERVAL) -> float:
    """Return K = 4C / N_o [8.25, 8.27]: 32 for the 25 games of the USCF.

    Examples
    --------
    >>> k_by_size(25), k_by_size(80)
    (32.0, 10.0)
    """
    _check(old_games)
    return 4 * class_interval / old_games


def k_by_precision(
    games: float, old_games: float = GENERALLY, *, class_interval: float = CLASS_INTERVAL
) -> float:
    """Return K = 4C / (√(N_o N) + N) [(36)].

    Parameters
    ----------
    games
        N, the games of the event.
    old_games
        N_o, the games behind the old rating.

    Examples
    --------
    >>> [round(k_by_precision(N)) for N in (5, 9, 15, 30)]
    [46, 31, 22, 13]
    """
    _check(old_games)
    _check(games)
    return 4 * class_interval / (math.sqrt(old_games * games) + games)


@dataclass(frozen=True, slots=True)
class BySample:
    """K by the length of the event, formula (36), beside the policies of `kpolicy`."""

    old_games: float = GENERALLY

    def __post_init__(self) -> None:
        _check(self.old_games)

    def __str__(self) -> str:
        return f"by-sample:{self.old_games:g}"


def event_k(text: str | float | KPolicy | BySample) -> KPolicy | BySample:
    """Return a K policy: whatever `k_policy` takes, or by-sample, or by-sample:25 for N_o = 25.

    Examples
    --------
    >>> str(event_k("by-sample")), str(event_k(10))
    ('by-sample:30', '10')
    """
    if isinstance(text, BySample):
        return text
    if not (isinstance(text, str) and text.startswith("by-sample")):
        return k_policy(text)
    name, colon, number = text.partition(":")
    try:
        if name == "by-sample":
            return BySample(float(number)) if colon else BySample()
    except ValueError:
        pass
    raise UsageError(f"expected K by-sample or by-sample:30, found {text!r}")


def most_k(policy: KPolicy) -> float:
    """Return the largest K of a policy."""
    return max(policy.new_k, *(k for _, k in policy.tiers))


def old_sample(K: float, games: float, *, class_interval: float = CLASS_INTERVAL) -> int:
    """Return how many games an old rating rests on: those played, at most the 4C/K that K keeps.

    Examples
    --------
    >>> old_sample(10, 500), old_sample(25, 20)
    (80, 20)
    """
    kept = 4 * class_interval / K if K > 0 else math.inf
    return max(1, int(min(max(games, 1), kept)))


def _check(games: float) -> None:
    if not 0 < games < math.inf:
        raise UsageError(f"expected a number of games above 0, found {games!r}")


# An old rating and a new performance made into one rating [Elo 8.25, 8.28].


def changed_by_score(
    R_o: float, score: float, opponents: Sequence[float], *, k: float, curve: Curve
) -> tuple[float, float]:
    """Return W_e and R_n = R_o + K (W − W_e), W_e = Σ P_i over the opponents [(2), (3)].

    Examples
    --------
    >>> from arpad.scale import Table
    >>> changed_by_score(2635, 10.5, [2527] * 15, k=10, curve=Table())
    (9.75, 2642.5)
    """
    if not opponents or not 0 <= score <= len(opponents):
        raise UsageError(f"expected a score from 0 to {len(opponents)} points, found {score:g}")
    W_e = math.fsum(float(curve.expected(R_o - R)) for R in opponents)
    return W_e, R_o + k * (score - W_e)


def blended_by_size(R_o: float, R_p: float, *, games: float, old_games: float) -> float:
    """Return R_n = R_o + (R_p − R_o) N / N_o [(14), (15)].

    R_p has the weight of its N games, R_o that of N_o − N: the whole is taken as N_o games again, so
    that old performances fade.

    Parameters
    ----------
    games
        N, the games behind R_p; at most N_o: a longer event goes in parts [1.62].
    old_games
        N_o, the games behind R_o.

    Examples
    --------
    >>> blended_by_size(1800, 1950, games=5, old_games=25)
    1830.0
    """
    _blending_check(R_o, R_p, games, old_games)
    if games > old_games:
        raise UsageError(
            f"expected at most N_o = {old_games:g} new games, found {games:g}: rate them in parts [1.62]"
        )
    return R_o + (R_p - R_o) * games / old_games


def blended_by_precision(R_o: float, R_p: float, *, games: float, old_games: float) -> float:
    """Return R_n = (R_o √N_o + R_p √N) / (√N_o + √N) [(34), (35)].

    The weights are precision moduli, one over σ, which goes with 1/√N.

    Examples
    --------
    >>> blended_by_precision(1800, 1950, games=9, old_games=36)
    1850.0
    """
    _blending_check(R_o, R_p, games, old_games)
    old, new = math.sqrt(old_games), math.sqrt(games)
    return (R_o * old + R_p * new) / (old + new)


def _blending_check(R_o: float, R_p: float, games: float, old_games: float) -> None:
    if not (math.isfinite(R_o) and math.isfinite(R_p)):
        raise UsageError(f"expected two ratings, found {R_o!r} and {R_p!r}")
    # Written so that NaN is refused too.
    if not (0 < games < math.inf and 0 < old_games < math.inf):
        raise UsageError(f"expected games above 0 on both sides, found {games!r} and {old_games!r}")
