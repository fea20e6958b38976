"""Settings of the web app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that only this machine can reach."""
MEBIBYTE = 1024 * 1024


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    return host in LOOPBACK


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Settings of the web app."""

    place: str
    """The ledger: a file or a URL."""
    title: str = "arpad"
    writable: bool = True
    """False over plain files: there is no ledger to write in."""
    open_reading: bool = False
    """Everybody at this machine may read everything without signing in."""
    demo: str = ""
    """Place of a copy of the demonstration ledger: everybody at this machine may change it, and begin again."""
    public: bool = False
    """Published lists, players, events and games are readable without signing in."""
    first_code: str = ""
    """A person with this code makes the first administrator; "": nobody does."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of trusted proxies: only their headers about the client are used."""
    hosts: tuple[str, ...] = LOOPBACK
    """Host names of the app: requests to any other name are refused."""
    secure: bool = False
    """Cookies travel by https only: for an app behind a server that speaks it."""
    store: Path | None = None
    """Evaluations of an engine; None: none are shown."""
    upload_bytes: int = 32 * MEBIBYTE
    """An uploaded file may have this many bytes …"""
    unpacked_bytes: int = 256 * MEBIBYTE
    """… and this many when it is unpacked."""
    root: str = ""
    """The path under which the server in front shows the app: "/ratings"; "": at the top."""
    workers: int = 1
    """Processes that answer requests; each checks its share of the passwords that are checked at once."""
    work: bool = True
    """Do the work that waits; else another server does it."""
