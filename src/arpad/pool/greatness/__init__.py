"""All of chess history in one run: games become events, each goes through the Tournament App."""

from __future__ import annotations

from arpad.pool.greatness.assessment import CAUTIONS, AppRules, EventRecord, Performance, Verdict
from arpad.pool.greatness.groups import EventGroups, GroupRules, group_events
from arpad.pool.greatness.ratings import (
    Asked,
    HistoryRatings,
    ListedRatings,
    NumberTwo,
    OwnRatings,
    PublishedRatings,
    RatingSource,
    WalkedRatings,
    YearlyRatings,
    yearly_ratings,
)
from arpad.pool.greatness.run import Greatness, GreatnessRules, find_greatness

__all__ = [
    "CAUTIONS",
    "AppRules",
    "Asked",
    "EventGroups",
    "EventRecord",
    "Greatness",
    "GreatnessRules",
    "GroupRules",
    "HistoryRatings",
    "ListedRatings",
    "NumberTwo",
    "OwnRatings",
    "Performance",
    "PublishedRatings",
    "RatingSource",
    "Verdict",
    "WalkedRatings",
    "YearlyRatings",
    "find_greatness",
    "group_events",
    "yearly_ratings",
]
