"""Which events average error is taken of: the paper has round robins of category 11 and higher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.event.categories import event_categories, event_kinds

if TYPE_CHECKING:
    from arpad.moves.game_errors import GameErrors

__all__ = ["PAPER_EVENTS", "EventFilter", "of_events"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events count; by default all.

    Parameters
    ----------
    least, most
        FIDE categories; an event without one counts only where neither is named.
    round_robin
        Only events in which everybody met everybody.
    """

    least: int | None = None
    most: int | None = None
    round_robin: bool = False

    def __post_init__(self) -> None:
        """Check the order."""
        if self.least is not None and self.most is not None and self.most < self.least:
            raise UsageError(
                f"expected categories from low to high, found {self.least} to {self.most}"
            )

    def parameters(self) -> dict[str, object]:
        """Return the choice by name."""
        return {
            "least_category": self.least,
            "most_category": self.most,
            "round_robin": self.round_robin,
        }

    def words(self) -> str:
        """Say which events count.

        Examples
        --------
        >>> EventFilter(least=11, round_robin=True).words()
        'round robins from category 11'
        """
        what = "round robins" if self.round_robin else "events"
        low = "" if self.least is None else f" from category {self.least}"
        high = "" if self.most is None else f" up to category {self.most}"
        return what + (f" of category {self.least}" if self.least == self.most is not None else low + high)  # fmt: skip


PAPER_EVENTS = EventFilter(least=11, round_robin=True)
"""Round robins of category 11 or higher [section 4]."""


def of_events(errors: GameErrors, wanted: EventFilter) -> GameErrors:
    """Return the errors in the events that count.

    Raises
    ------
    InputError
        If no event does.
    """
    if wanted == EventFilter():
        return errors
    events = event_categories(errors.games)
    if wanted.least is not None:
        events = events.filter(pl.col("category") >= wanted.least)
    if wanted.most is not None:
        events = events.filter(pl.col("category") <= wanted.most)
    kept = events["event"].to_list()
    if wanted.round_robin:
        kinds = event_kinds(errors.games)
        kept = [e for e in kept if "round robin" in kinds[e]]
    event = errors.games.table["event"].gather(errors.table["game"])
    inside = event.is_in(kept, nulls_equal=True)
    if not inside.any():
        found = errors.games.table["event"].n_unique()
        raise InputError(f"expected {wanted.words()}, found none among {found:,}")
    return errors.part(inside)
