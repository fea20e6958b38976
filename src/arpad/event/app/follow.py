"""Later lists tested against the ratings that the app gave [PRA, the Ratings Law of Large Numbers].

The app's ratings are E, a later list is O. Where χ² falls from list to list, the lists come to agree with
what the app said before them. The text did so for nineteen months after the U.S. Championship of 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.app.fit import Goodness, goodness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Later", "follow_up"]


@dataclass(frozen=True, slots=True)
class Later:
    """One later list against the ratings of one event."""

    when: str
    players: int
    """Who stands in both."""
    goodness: Goodness | None
    """None where fewer than two stand in both."""


def follow_up(
    ratings: Mapping[str, float], lists: Iterable[tuple[str, Mapping[str, float]]]
) -> tuple[Later, ...]:
    """Test later lists, by name or id, against ratings that an event gave.

    Examples
    --------
    >>> given = {"Sevian": 2532.0, "Troff": 2570.0, "Holt": 2513.0}
    >>> lists = [("May", {"Sevian": 2371.0, "Troff": 2421.0}), ("June", {"Sevian": 2450.0, "Troff": 2500.0})]
    >>> [round(later.goodness.chi_square, 2) for later in follow_up(given, lists)]
    [19.25, 4.65]
    """
    found = []
    for when, later in lists:
        both = [name for name in ratings if name in later]
        test = (
            goodness([later[n] for n in both], [ratings[n] for n in both])
            if len(both) > 1
            else None
        )
        found.append(Later(when, len(both), test))
    return tuple(found)
