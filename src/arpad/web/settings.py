"""What a web app is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOOPBACK", "Settings", "is_loopback"]

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses at which only this machine can ask."""

MEBIBYTE = 1024 * 1024


def is_loopback(host: str) -> bool:
    """Say whether only this machine can ask at an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    return host in LOOPBACK


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a web app is told when it starts."""

    place: str
    """The ledger: a file or a URL."""
    title: str = "arpad"
    secret: str = field(repr=False)
    """Signs the cookies; whoever knows it can be anybody."""
    writable: bool = True
    """False over plain files: there is no ledger to write in."""
    open_reading: bool = True
    """Whoever can ask may read: only where nobody but this machine can."""
    hosts: tuple[str, ...] = LOOPBACK
    """Names by which the app may be asked for: a page elsewhere cannot reach it by another name."""
    secure: bool = False
    """Cookies travel by https only: for an app behind a server that speaks it."""
    store: Path | None = None
    """Evaluations of an engine; None: none are shown."""
    upload_bytes: int = 32 * MEBIBYTE
    """An uploaded file may have so many bytes …"""
    unpacked_bytes: int = 256 * MEBIBYTE
    """… and so many when it is unpacked."""
    work: bool = True
    """Do the work that waits; else another server does it."""
    warm: bool = False
    """Ask for a page of each kind as soon as the server runs, so that nobody waits for the first."""

    def __post_init__(self) -> None:
        if len(self.secret) < 32:
            raise UsageError("expected a secret of at least 32 characters, found a shorter one")
