"""Which engines have left evaluations in a folder, and how they were asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from arpad.store.shelf import FORMAT, SETTINGS, shelf_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["shelves", "shelves_stamp"]

LIMITS = ("depth", "nodes", "movetime")


def shelves(root: Path) -> Iterator[tuple[str, str]]:
    """Give the key of each shelf, and who it is in words; what cannot be read is no shelf."""
    for about in sorted(root.glob(f"*/{SETTINGS}")):
        try:
            said = json.loads(about.read_text("utf-8"))
            key, parameters = said["key"], said["parameters"]
            limit = next((f"{k} {parameters[k]}" for k in LIMITS if k in parameters), "")
            words = f"{parameters.get('engine', '?')}, {limit}"
            ours = said["format"] == FORMAT and shelf_path(root, key) == about.parent
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if ours and parameters.get("multipv", 1) == 1:
            yield key, words


def shelves_stamp(root: Path | None) -> tuple[tuple[str, int, int], ...]:
    """Return what changes whenever evaluations are added."""
    if root is None:
        return ()
    found = []
    for path in sorted(root.glob("*/*")):
        try:
            about = path.stat()
        except OSError:  # put together with others meanwhile
            continue
        found.append((path.name, about.st_size, about.st_mtime_ns))
    return tuple(found)
