"""The lab: systems side by side."""

from __future__ import annotations

from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("lab")
router = pages.router
