"""All of chess history in one run: games become events, each goes through the Tournament App."""

from __future__ import annotations

from arpad.pool.greatness.assessment import AppRules
from arpad.pool.greatness.groups import GroupRules
from arpad.pool.greatness.ratings import PublishedRatings
from arpad.pool.greatness.run import Greatness, GreatnessRules, find_greatness

__all__ = ["AppRules", "Greatness", "GreatnessRules", "GroupRules", "PublishedRatings", "find_greatness"]
