"""Do ratings tell the truth? Worlds in which it is known, and systems that have to find it."""

from __future__ import annotations
