"""Rating lists: search, filters, earlier ones, changes, downloads."""

from __future__ import annotations

from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("lists")
router = pages.router
