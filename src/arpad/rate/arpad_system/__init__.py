"""arpad's own system: one curve of strength for every player, and constants that the games tell."""

from __future__ import annotations

from arpad.rate.arpad_system.model import ArpadSystem

__all__ = ["ArpadSystem"]
