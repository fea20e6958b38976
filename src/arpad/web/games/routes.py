"""Games: a board to step through, evaluations, gain."""

from __future__ import annotations

from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("games")
router = pages.router
