"""One event to its report."""

from __future__ import annotations

from arpad import make_callable
from arpad.event.field import Crosstable, crosstable
from arpad.event.performance import (
    Performance,
    Reliability,
    in_match,
    in_round_robin,
    performance,
    reliability,
    tournament_average,
)
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

make_callable(__name__)
