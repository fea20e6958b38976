"""An old rating and a new performance made into one rating [Elo 8.25, 8.28]."""

from __future__ import annotations

import math

from arpad.errors import UsageError

__all__ = ["blended_by_precision", "blended_by_size"]


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
    _check(R_o, R_p, games, old_games)
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
    _check(R_o, R_p, games, old_games)
    old, new = math.sqrt(old_games), math.sqrt(games)
    return (R_o * old + R_p * new) / (old + new)


def _check(R_o: float, R_p: float, games: float, old_games: float) -> None:
    if not (math.isfinite(R_o) and math.isfinite(R_p)):
        raise UsageError(f"expected two ratings, found {R_o!r} and {R_p!r}")
    # Written so that NaN is refused too.
    if not (0 < games < math.inf and 0 < old_games < math.inf):
        raise UsageError(f"expected games above 0 on both sides, found {games!r} and {old_games!r}")
