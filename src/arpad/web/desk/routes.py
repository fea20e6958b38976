"""The desk: upload, queue, log, work in the background."""

from __future__ import annotations

from arpad.web.desk import log, queue, upload, work
from arpad.web.pages import Pages

__all__ = ["router"]

pages = Pages("desk")
router = pages.router
router.include_router(queue.router)
router.include_router(log.router)
router.include_router(upload.router)
router.include_router(work.router)
