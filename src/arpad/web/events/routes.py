"""Events: crosstable, performances, norms, fit, and what an administrator can do about it."""

from __future__ import annotations

from fastapi import APIRouter

from arpad.web.events import deciding, fit, games, listed, norms, outlook, standings

__all__ = ["router"]

router = APIRouter()
for part in (listed, fit, norms, outlook, games, deciding, standings):
    router.include_router(part.router)
