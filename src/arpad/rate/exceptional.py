"""Exceptional performances: the z–M test, the bonus, the feedback [Elo 3.62–3.64, 3.74, 3.75]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from arpad.errors import UsageError
from arpad.rate.k_limits import sigma_p

__all__ = ["ZM", "bonus_points", "excess_needed", "feedback_points", "raised_k", "zm_test"]

LEVELS = (0.10, 0.05, 0.01)
"""The criteria of table 3.64."""

MOST_K = 50.0
"""No K is raised above this, the largest that the book uses [3.32]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZM:
    """What the z–M test says of one performance.

    `excess` is W − W_e in game points, `z` the same in units of σ = ½√N, `probability` how often chance
    alone gives as much or more.
    """

    excess: float
    games: int
    sigma: float
    z: float
    probability: float
    needed: float
    """The excess from which a performance is exceptional at `level`."""
    level: float

    @property
    def exceptional(self) -> bool:
        """Say whether the performance is exceptional at the level asked for."""
        return self.z > 0 and round(self.probability - self.level, 12) <= 0

    @property
    def significance(self) -> float | None:
        """The strictest level of table 3.64 that it passes: .01, .05, .10, or None."""
        return next((p for p in sorted(LEVELS) if self.z > 0 and self.probability <= p), None)


def excess_needed(games: int, level: float = 0.05) -> float:
    """Return the W − W_e from which chance alone is less probable than `level` [3.64].

    z(level) · ½√N, one-sided: only scores above expectation are looked for.

    Examples
    --------
    >>> round(excess_needed(9, 0.05), 2), round(excess_needed(12, 0.01), 2)
    (2.47, 4.03)
    """
    _check(games, level)
    return NormalDist().inv_cdf(1 - level) * math.sqrt(games) / 2


def zm_test(W: float, W_e: float, games: int, *, level: float = 0.05) -> ZM:
    """Test whether a performance is exceptionally above expectation.

    Parameters
    ----------
    W, W_e
        Score and expected score.
    games
        N. σ is taken as ½√N as in table 3.64; it is less between unequal players or with draws, so
        that the test is rather too slow than too quick.
    level
        How improbable a performance must be: the book has .10, "better yet" .05, and .01.

    Examples
    --------
    >>> found = zm_test(7.5, 4.5, 9)
    >>> found.z, round(found.probability, 3), found.exceptional, found.significance
    (2.0, 0.023, True, 0.05)
    """
    _check(games, level)
    if not (math.isfinite(W) and math.isfinite(W_e)):
        raise UsageError(f"expected a score and an expected score, found {W!r} and {W_e!r}")
    sigma = math.sqrt(games) / 2
    z = (W - W_e) / sigma
    return ZM(
        excess=W - W_e,
        games=games,
        sigma=sigma,
        z=z,
        probability=0.5 * math.erfc(z / math.sqrt(2)),
        needed=excess_needed(games, level),
        level=level,
    )


def bonus_points(R_n: float, R_p: float, games: int, *, tolerance: float = 1.0) -> float:
    """Return what brings a new rating within one standard deviation of the performance [3.74].

    Parameters
    ----------
    tolerance
        How many σ_p the rating may stay below R_p: 1 by 3.74, 1.5 by (30).

    Examples
    --------
    >>> round(bonus_points(1845, 1996, 9), 1), bonus_points(1950, 1996, 9)
    (56.7, 0.0)
    """
    return max(0.0, R_p - tolerance * sigma_p(games) - R_n)


def raised_k(
    K: float, R_o: float, R_p: float, excess: float, games: int, *, tolerance: float = 1.0
) -> float:
    """Return the smallest K, from the usual one up to 50, that reaches the target of 3.74.

    Examples
    --------
    >>> round(raised_k(15, 1800, 1996, 3.0, 9), 1)
    33.9
    """
    if excess <= 0:
        return K
    target = R_p - tolerance * sigma_p(games)
    return max(K, min(MOST_K, (target - R_o) / excess))


def feedback_points(K: float, W: float, W_e: float, games: int) -> float:
    """Return K (W − W_e) / N: what each opponent of an exceptional performer gets back a game [3.75].

    Parameters
    ----------
    K
        The opponent's.
    W, W_e, games
        The performer's.

    Examples
    --------
    >>> feedback_points(15, 7.5, 4.5, 9)
    5.0
    """
    _check(games, 0.05)
    return K * max(0.0, W - W_e) / games


def _check(games: int, level: float) -> None:
    if games < 1:
        raise UsageError(f"expected at least one game, found {games!r}")
    if not 0 < level < 0.5:
        raise UsageError(f"expected a level between 0 and .5, such as .05; found {level!r}")
