"""Players: rating over time, events, opponents, titles, explained figures, two side by side."""

from __future__ import annotations

from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("players")
router = pages.router
