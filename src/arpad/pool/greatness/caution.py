"""Which figures of a greatness run are to be read with caution, and why.

A caution is no verdict: the figure keeps its rank, and a mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.pool.greatness.record import EventRecord, Performance

__all__ = ["CAUTIONS", "FEW", "caution"]

FEW = 10
"""Active players whom the ratings know at a time; with fewer, number two says little. Ours: our own curves know
two to nine before 1873, eleven in 1876, thirty in 1900."""

HALF = 0.5
"""The share of the field that has ratings of its own; with less, the estimator line makes the field. Ours."""

ORDER = 0.05
"""The share of a P-Zero score, and so of G, by which another order of the games moves it at most. Ours."""

CAUTIONS = {
    "few": f"number two is the second of fewer than {FEW} players whom the ratings know at that time",
    "line": "less than half of the field has ratings; the line through these gives the others theirs",
    "order": f"the order of the games is not known, and another one moves G by more than {ORDER:.0%}",
}
"""What each mark means."""


def caution(event: EventRecord, performance: Performance | None = None) -> str:
    """Return the marks of an event's strength, or of one performance in it, with commas; empty for none."""
    found = []
    if event.number_two_among is not None and event.number_two_among < FEW:
        found.append("few")
    if event.rated < HALF * event.players:
        found.append("line")
    moved = event.order_effect or 0.0
    if performance is not None and moved > ORDER * abs(performance.p_zero):
        found.append("order")
    return ", ".join(found)
