"""The handicaps of a whole field, set before the first move [Elo 3.93–3.99]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

from arpad.errors import UsageError
from arpad.event.handicap import (
    SHARE,
    Scratch,
    round_robin_points,
    scratch_rating,
    swiss_points,
)
from arpad.event.handicap_tables import ROUND_ROBIN_TOP
from arpad.scale import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FieldMethod", "Handicaps", "expected_points", "field_handicaps"]

FieldMethod = Literal["brasket", "expected", "round-robin", "swiss"]
"""brasket: rating points on top of the performance rating [3.93]; expected: game points from expected scores, as in a match [3.94];
round-robin and swiss: game points by tables 3.96 and 3.99."""

USUAL: dict[str, Scratch] = {"brasket": "top", "round-robin": "top", "swiss": "top-three"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Handicaps:
    """Everybody's handicap, in the order of the ratings that were given."""

    method: FieldMethod
    scratch: float | None
    """The rating that gets nothing; None for `expected`, which measures from the best expected score."""
    levels: tuple[float | None, ...]
    """Rating points below scratch (for `expected`: below the highest rating), 0 at or above it."""
    points: tuple[float | None, ...]
    """Handicaps: rating points for `brasket`, game points for the others; None without a rating."""
    parameters: dict[str, object]
    notes: tuple[str, ...] = ()


def field_handicaps(
    ratings: Sequence[float | None],
    *,
    method: FieldMethod,
    scratch: float | Scratch | None = None,
    players: int | None = None,
    rounds: int | None = None,
    share: float = SHARE,
    pairings: Iterable[tuple[int, int]] | None = None,
) -> Handicaps:
    """Return the handicap of everybody in a field.

    Parameters
    ----------
    ratings
        One a player; None where there is none.
    scratch
        A rating, or the rule that gives it: the highest for `brasket` and `round-robin`, the average of the
        three highest for `swiss` unless another is chosen.
    players
        For `round-robin`: the number of participants; by default all of `ratings`.
    rounds
        For `swiss`: how many; for `expected`: how often everybody meets everybody, once by default.
    share
        For `brasket`: of the way to scratch.
    pairings
        For `expected`: who meets whom, as places in `ratings`; by default everybody everybody.

    Examples
    --------
    >>> field_handicaps([2635, 2510, None], method="round-robin", players=16).points
    (0.0, 0.6, None)
    """
    if method not in get_args(FieldMethod):
        raise UsageError(
            f"expected a handicap, one of {', '.join(get_args(FieldMethod))}; found {method!r}"
        )
    known = [r for r in ratings if r is not None]
    if not all(math.isfinite(r) for r in known):
        raise UsageError("expected ratings that are numbers, found one that is none")
    if method == "expected":
        return _by_expectation(ratings, scratch, rounds or 1, pairings)
    if method == "swiss" and rounds is None:
        raise UsageError("expected the number of rounds for a Swiss handicap, found none")
    if not 0 <= share <= 1:
        raise UsageError(f"expected a share from 0 to 1 of the way to scratch, found {share!r}")
    level_0 = _scratch(known, scratch, USUAL[method])
    levels = tuple(None if r is None else max(level_0 - r, 0.0) for r in ratings)
    M = len(ratings) if players is None else players
    notes = []

    def points(level: float) -> float:
        if method == "brasket":
            return share * level
        return round_robin_points(level, M) if method == "round-robin" else swiss_points(level, rounds or 0)  # fmt: skip

    settings: dict[str, object] = {"scratch": level_0}
    if method == "brasket":
        settings["share"] = share
    elif method == "round-robin":
        settings["players"] = M
        far = sum(level is not None and level > ROUND_ROBIN_TOP for level in levels)
        if far:
            notes.append(f"{far} more than 350 points below scratch: table 3.96 ends there, its last row holds")  # fmt: skip
    else:
        settings["rounds"] = rounds
    return Handicaps(
        method=method,
        scratch=level_0,
        levels=levels,
        points=tuple(None if level is None else points(level) for level in levels),
        parameters={"handicap": method, **settings},
        notes=tuple(notes),
    )


def expected_points(
    ratings: Sequence[float], pairings: Iterable[tuple[int, int]]
) -> tuple[float, ...]:
    """Return game points that bring everybody within one standard deviation of the best expected score.

    The principle of 3.94 for any pairings: W_e of the best less W_e less √Σpq, never below 0. In a match these are
    the book's points.

    Examples
    --------
    >>> [round(p, 2) for p in expected_points([2100, 1900], [(0, 1)] * 20)]
    [0.0, 8.49]
    """
    W_e, variance = [0.0] * len(ratings), [0.0] * len(ratings)
    table = Table()
    for i, j in pairings:
        p = float(table.expected(ratings[i] - ratings[j]))
        W_e[i] += p
        W_e[j] += 1 - p
        variance[i] += p * (1 - p)
        variance[j] += p * (1 - p)
    best = max(W_e, default=0.0)
    return tuple(max(best - w - math.sqrt(v), 0.0) for w, v in zip(W_e, variance, strict=True))


def _by_expectation(
    ratings: Sequence[float | None],
    scratch: float | Scratch | None,
    times: int,
    pairings: Iterable[tuple[int, int]] | None,
) -> Handicaps:
    if scratch is not None:
        raise UsageError("expected no scratch: this handicap measures from the best expected score")
    known = [r for r in ratings if r is not None]
    if len(known) < len(ratings) or len(known) < 2:
        raise UsageError(
            f"expected a rating of every player for a handicap by expected scores, found {len(known)} of {len(ratings)}: "
            "the other methods leave unrated players out"
        )
    top = scratch_rating(known)
    met = list(combinations(range(len(known)), 2)) * times if pairings is None else pairings
    return Handicaps(
        method="expected",
        scratch=None,
        levels=tuple(top - r for r in known),
        points=tuple(round(p, 2) for p in expected_points(known, met)),
        parameters={"handicap": "expected", **Table().parameters()},
    )


def _scratch(known: Sequence[float], scratch: float | Scratch | None, usual: Scratch) -> float:
    if isinstance(scratch, int | float):
        if not math.isfinite(scratch):
            raise UsageError("expected a scratch rating that is a number, found one that is none")
        return float(scratch)
    if scratch is not None and scratch not in get_args(Scratch):
        raise UsageError(f"expected scratch to be a rating, top or top-three; found {scratch!r}")
    return scratch_rating(known, scratch or usual)
