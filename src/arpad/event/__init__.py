"""One event to its report."""

from __future__ import annotations

from arpad.event.crosstable import Crosstable, crosstable

__all__ = ["Crosstable", "crosstable"]
