"""K from the number of games that it weighs against each other [Elo 8.25, 8.28]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arpad.errors import UsageError
from arpad.rate.kpolicy import KPolicy, k_policy
from arpad.scale import CLASS_INTERVAL

__all__ = [
    "GENERALLY",
    "BySample",
    "event_k",
    "k_by_precision",
    "k_by_size",
    "most_k",
    "old_sample",
]

GENERALLY = 30
"""N_o, in games, "accepted generally in statistical practice" [8.28]."""


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
