"""Which ratings an event is judged by: those of the first source that knows enough of its players."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.pool.greatness.source import Asked, NumberTwo, RatingSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.pool.greatness.app_rules import AppRules

__all__ = ["RATED", "Chosen", "choose"]

RATED = 3
"""Rated players through whom the app draws its estimator line; with fewer the others stay without a rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The ratings that an event is judged by, and number two among them."""

    source: str | None
    ratings: Mapping[int, float]
    number_two: NumberTwo | None
    error: float | None = None
    """One standard error of the field's mean rating against number two, where the source knows it."""


def choose(event: Asked, sources: Sequence[RatingSource], rules: AppRules) -> Chosen:
    """Return the ratings of the first source that knows enough players, else of the one that knows most.

    Enough are all of them, or the share that is asked for, if a line for the others can be drawn through it.

    Sources are not mixed within an event: their levels differ. Number two comes from the same source.
    """
    most: tuple[RatingSource | None, dict[int, float]] = (None, {})
    for source in sources:
        known = source.ratings(event)
        if len(known) > len(most[1]):
            most = (source, known)
        if _serve(len(known), len(event.people), rules.enough):
            most = (source, known)
            break
    chosen, ratings = most
    two = _number_two(event, chosen, rules)
    return Chosen(
        source=chosen.name if chosen else None,
        ratings=ratings,
        number_two=two,
        error=_error(chosen.errors(event), two) if chosen and two else None,
    )


def _serve(known: int, players: int, enough: float) -> bool:
    """Say whether so many ratings are enough: all of them, or a share that a line can be drawn through."""
    return known == players or known >= max(RATED, enough * players)


def _error(errors: Mapping[int, float], two: NumberTwo) -> float | None:
    """Return √(e₂² + Σ e² / n²), for a field of independent errors."""
    if not errors:
        return None
    field = math.fsum(e * e for e in errors.values()) / len(errors) ** 2
    return math.sqrt(field + (two.error or 0.0) ** 2)


def _number_two(event: Asked, source: RatingSource | None, rules: AppRules) -> NumberTwo | None:
    if rules.number_two is not None:
        return NumberTwo(rules.number_two, None, "given")
    if event.year is not None and event.year in rules.number_twos:
        return NumberTwo(rules.number_twos[event.year], None, "given")
    if event.number_two is not None:
        return NumberTwo(event.number_two, None, "event")
    return source.number_two(event) if source else None
