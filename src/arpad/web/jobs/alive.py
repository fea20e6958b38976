"""Who a worker is, and whether it is still there."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_alive", "myself"]

BOOT = Path("/proc/sys/kernel/random/boot_id")
BORN_FIELD = 19
"""Where the moment of birth stands in /proc/PID/stat, counted from behind the name."""


def myself() -> dict[str, Any]:
    """Return how this process is known again: machine, start of the machine, number, moment of birth."""
    return {
        "host": socket.gethostname(),
        "boot": _boot(),
        "pid": os.getpid(),
        "born": _born(os.getpid()),
    }


def is_alive(worker: Mapping[str, Any]) -> bool | None:
    """Say whether a worker is there; None: it is on another machine, nobody here can say."""
    if worker.get("host") != socket.gethostname():
        return None
    if worker.get("boot") != _boot():
        return False
    pid = int(worker["pid"])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's process has the number now
        return False
    return _born(pid) == worker.get("born") and not _is_zombie(pid)


def _boot() -> str:
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()  # fmt: skip
    except OSError:
        return []


def _born(pid: int) -> str:
    fields = _stat(pid)
    return fields[BORN_FIELD] if len(fields) > BORN_FIELD else ""


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] == ["Z"]
