"""What a worker exits with, besides 0: its job has a state that says the rest."""

from __future__ import annotations

__all__ = ["ASKED_TO_STOP", "NOT_MINE", "SERVER_GONE"]

SERVER_GONE = 3
"""Nobody listens any more."""

NOT_MINE = 4
"""Somebody else has the job, or nobody wants it."""

ASKED_TO_STOP = 5
"""Somebody has asked it to stop."""
