"""All of chess history in one run: games become events, each goes through the Tournament App."""

from __future__ import annotations

from arpad.pool.greatness.app_rules import AppRules
from arpad.pool.greatness.caution import CAUTIONS
from arpad.pool.greatness.group_rules import GroupRules
from arpad.pool.greatness.groups import EventGroups, group_events
from arpad.pool.greatness.listed import ListedRatings
from arpad.pool.greatness.lists import Greatness
from arpad.pool.greatness.own import HistoryRatings, OwnRatings, YearlyRatings, yearly_ratings
from arpad.pool.greatness.published import PublishedRatings
from arpad.pool.greatness.record import EventRecord, Performance, Verdict
from arpad.pool.greatness.run import GreatnessRules, find_greatness
from arpad.pool.greatness.source import Asked, NumberTwo, RatingSource
from arpad.pool.greatness.walked import WalkedRatings

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
