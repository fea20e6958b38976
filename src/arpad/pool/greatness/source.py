"""Where the ratings before an event come from, and who was number two: what every source can say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

__all__ = ["Asked", "NumberTwo", "RatingSource", "second"]


@dataclass(frozen=True, slots=True)
class NumberTwo:
    """The second highest rating in the world: whose, and according to whom."""

    rating: float
    player: str | None
    source: str
    error: float | None = None
    """One standard error, in points, where the source knows it."""
    among: int | None = None
    """Active players whom the source knows then: the second of few need not be the world's second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An event as a source of ratings sees it: who played, when, and what the file says of them."""

    people: Sequence[int]
    year: int | None
    start: date | None
    """The first day, where days are known."""
    beside: Mapping[int, float] = field(default_factory=dict)
    """Ratings that stand beside the event's own games."""
    number_two: float | None = None
    """What the file itself says of number two, as the text's own format does."""


class RatingSource(Protocol):
    """Ratings of people at a time."""

    @property
    def name(self) -> str:
        """What stands beside each rating that comes from here."""
        ...

    def ratings(self, event: Asked) -> dict[int, float]:
        """Return the ratings of those who are known."""
        ...

    def errors(self, event: Asked) -> dict[int, float]:
        """Return the standard errors of those ratings, where the source knows them."""
        ...

    def number_two(self, event: Asked) -> NumberTwo | None:
        """Return the second highest of those who were active then."""
        ...


def second(ratings: Mapping[int, float]) -> tuple[int, float] | None:
    """Return who has the second highest rating, and it; None with fewer than two people.

    Examples
    --------
    >>> second({7: 2785.0, 3: 2660.0, 5: 2640.0})
    (3, 2660.0)
    """
    best = sorted(((R, -person) for person, R in ratings.items()), reverse=True)[:2]
    return (-best[1][1], best[1][0]) if len(best) == 2 else None
