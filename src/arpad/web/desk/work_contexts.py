"""What the pages of upload and work say."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from arpad.web.contexts import Context, Link

__all__ = ["JobPage", "JobsPage", "PreviewPage", "UploadPage"]


class JobPage(Context):
    """A job: how far it is, or what became of it."""

    id: int
    kind: str
    title: str
    state: str
    who: str
    created: datetime
    started: datetime | None
    finished: datetime | None
    seen: datetime | None
    done: int
    total: int | None
    says: str | None
    stop: bool
    """Somebody has asked it to stop."""
    is_open: bool
    figures: dict[str, Any]
    links: list[Link]


class JobsPage(Context):
    """What is done in the background."""

    jobs: list[JobPage]
    policies: list[str]
    """Whose lists can be made."""
    store: bool
    """Whether an engine's evaluations can be kept."""
    works: bool
    """Whether this server does the work."""


class Waiting(Context):
    """An upload that was looked at and not confirmed."""

    id: int
    name: str
    created: datetime


class UploadPage(Context):
    """The form for a file."""

    most: int
    """Bytes that are taken."""
    unpacked: int
    """Bytes that may come out of a packed one."""
    says: str
    """What was wrong with the last one."""
    waiting: list[Waiting]


class PreviewPage(Context):
    """What importing a file would change."""

    id: int
    name: str
    created: datetime
    who: str
    preview: dict[str, Any]
    changes: bool
    """Whether importing it would change anything."""
