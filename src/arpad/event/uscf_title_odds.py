"""How likely a USCF title is within some events, and how long it takes [USCF 1994, 2.2, 2.6 item 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.uscf_odds import a_title, norm_chances, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.event.uscf_norms import Schedule
    from arpad.event.uscf_odds import NormChances, OddsModel
    from arpad.event.uscf_titles import UscfTitle

__all__ = ["MOST_EVENTS", "UscfTitleOdds", "uscf_title_odds"]

MOST_EVENTS = 10_000
"""Events that are followed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfTitleOdds:
    """How likely a title is within some events that are all alike."""

    title: str
    needed: int
    """Norms that are still to be earned."""
    events: int
    by_event: tuple[float, ...]
    """The probability of holding the title after one event, after two, …"""
    expected_events: float | None
    """Events until the title, on average; None where no norm is possible."""
    event: NormChances
    """The odds of each event."""
    parameters: dict[str, object]

    @property
    def chance(self) -> float:
        """The probability within all the events."""
        return self.by_event[-1]

    def table(self) -> pl.DataFrame:
        """Return a row an event: its number, the probability of the title by then."""
        return pl.DataFrame({"events": range(1, self.events + 1), "probability": self.by_event})

    def summary(self) -> str:
        """Return one sentence."""
        length = (
            "never" if self.expected_events is None else f"{self.expected_events:,.4g} on average"
        )
        return (
            f"{self.event.strength:g}: {percent(self.chance)} for {self.title} within {self.events} events of "
            f"{len(self.event.opponents)} games; events until then: {length}"
        )


def uscf_title_odds(
    title: str | int | UscfTitle,
    strength: float,
    opponents: Sequence[float],
    *,
    events: int = 10,
    norms: int = 0,
    several: bool = True,
    draws: float = 0.0,
    model: OddsModel = "exact",
    schedule: Schedule | None = None,
) -> UscfTitleOdds:
    """Return how likely a title is within so many events, each against opponents as given.

    Events are independent and the strength stays. Nothing is drawn at random: the number of norms is
    followed event by event.

    Parameters
    ----------
    norms
        Norms that the player has already.
    several
        Whether an event can earn several norms, as the rules have it; False: one at most, as the report's
        own odds have it.

    Examples
    --------
    >>> odds = uscf_title_odds(2000, 1800, [2000] * 4, model="normal", several=False)
    >>> f"{odds.chance:.0e}"
    '3e-06'
    """
    found = a_title(title)
    one = norm_chances(found, strength, opponents, draws=draws, model=model, schedule=schedule)
    if not 1 <= events <= MOST_EVENTS:
        raise UsageError(f"expected 1 to {MOST_EVENTS:,} events, found {events}")
    if not 0 <= norms < found.norms:
        raise UsageError(f"expected 0 to {found.norms - 1} norms so far, found {norms}: {found.norms} are the {found.name} title")  # fmt: skip
    step = np.array(one.exactly if several else (1 - one.one, one.one))
    needed = found.norms - norms
    return UscfTitleOdds(
        title=found.name,
        needed=needed,
        events=events,
        by_event=_absorbed(step, needed, events),
        expected_events=_expected_events(step, needed),
        event=one,
        parameters={**one.parameters, "several": several, "norms": norms},
    )


def _absorbed(step: NDArray[np.float64], needed: int, events: int) -> tuple[float, ...]:
    """Follow the number of norms; whoever has enough stays there, so that tiny chances keep their digits."""
    state, done, found = np.zeros(needed), 0.0, []
    state[0] = 1.0
    for _ in range(events):
        after = np.convolve(state, step)
        done += float(after[needed:].sum())
        state = after[:needed]
        found.append(min(done, 1.0))
    return tuple(found)


def _expected_events(step: NDArray[np.float64], needed: int) -> float | None:
    """Solve h(j) = 1 + Σ_k P(k) h(j − k), norms missing: j, from the end."""
    some = float(step[1:].sum())
    if some <= 0:
        return None
    h = [0.0] * (needed + 1)
    for j in range(1, needed + 1):
        h[j] = (1 + sum(float(p) * h[max(j - k, 0)] for k, p in enumerate(step) if k)) / some
    return h[needed]
