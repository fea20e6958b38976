"""What the two U.S. procedures share: events in their order, the list at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, get_args

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.uscf_sections import Repeated, Section, sections

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arpad.model import Games
    from arpad.rate.uscf_standing import Imputed, Line
    from arpad.rate.uscf_state import UscfPool

__all__ = ["UscfEvent", "check_uscf", "listed", "run"]


FARTHEST = 1e5
"""No rating that is given as a constant is farther from 0."""


class UscfEvent(Protocol):
    """One event under one of the procedures."""

    @property
    def imputed(self) -> Mapping[int, Imputed]:
        """The ratings of those who had none."""
        ...

    def rate(self) -> list[Line]:
        """Rate everybody who played."""
        ...


def run(
    make: Callable[[Section, UscfPool], UscfEvent], games: Games, pool: UscfPool, repeated: Repeated
) -> tuple[list[Line], list[str]]:
    """Rate event by event; return everybody's part in each, and what to know."""
    events, notes = sections(games, repeated)
    lines: list[Line] = []
    for section in events:
        event = make(section, pool)
        found = event.rate()
        pool.take(found, event.imputed)
        lines += found
    return lines, notes


def listed(
    pool: UscfPool,
    notes: list[str],
    games: Games,
    *,
    system: str,
    parameters: Mapping[str, object],
    start: float,
) -> Ratings:
    """Return the list; `source` has the notes."""
    rated = Ratings.rank(pool.rows(), system=system, parameters=parameters, games=games)
    return replace(rated, source={**rated.source, "notes": notes + pool.notes(start)})


def check_uscf(start: float, floor: float | None, repeated: str) -> None:
    """Refuse constants that no rating can be computed with."""
    if not abs(start) <= FARTHEST or (floor is not None and not abs(floor) <= FARTHEST):
        raise UsageError(
            f"expected a finite start and floor, within ± {FARTHEST:g}; found {start!r} and {floor!r}"
        )
    if repeated not in get_args(Repeated):
        raise UsageError(
            f"repeated: expected one of {', '.join(get_args(Repeated))}; found {repeated!r}"
        )
