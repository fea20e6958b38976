"""Events: crosstable, performances, norms, fit, and what an administrator can do about it."""

from __future__ import annotations

from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("events")
router = pages.router
