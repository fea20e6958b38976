"""Games to ratings: one rating system a file."""

from __future__ import annotations

from arpad.rate.elo import Elo
from arpad.rate.fide import Fide
from arpad.rate.kpolicy import KPolicy, k_policy
from arpad.rate.systems import SYSTEMS, RatingSystem, system

__all__ = ["SYSTEMS", "Elo", "Fide", "KPolicy", "RatingSystem", "k_policy", "system"]
