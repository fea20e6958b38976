"""Games to ratings: one rating system a file."""

from __future__ import annotations

from arpad import make_callable
from arpad.rate.elo import Elo
from arpad.rate.fide.system import Fide
from arpad.rate.k import KPolicy, k_policy
from arpad.rate.registry import SYSTEMS, register, system
from arpad.rate.system import RatingSystem

__all__ = ["SYSTEMS", "Elo", "Fide", "KPolicy", "RatingSystem", "k_policy", "register", "system"]

make_callable(__name__)
