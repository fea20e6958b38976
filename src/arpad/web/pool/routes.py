"""The pool: distribution, drift, exchange of points, deflation."""

from __future__ import annotations

from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("pool")
router = pages.router
