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
from arpad.event.report import EventReport, report

__all__ = [
    "Crosstable",
    "EventReport",
    "Performance",
    "Reliability",
    "crosstable",
    "in_match",
    "in_round_robin",
    "performance",
    "reliability",
    "report",
    "tournament_average",
]
