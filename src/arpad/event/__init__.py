"""One event to its report."""

from __future__ import annotations

from arpad.event.crosstable import Crosstable, crosstable
from arpad.event.performance import (
    Performance,
    in_match,
    in_round_robin,
    performance,
    tournament_average,
)
from arpad.event.reliability import Reliability, reliability

__all__ = [
    "Crosstable",
    "Performance",
    "Reliability",
    "crosstable",
    "in_match",
    "in_round_robin",
    "performance",
    "reliability",
    "tournament_average",
]
