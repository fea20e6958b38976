"""Ratings as they are written on the command line."""

from __future__ import annotations

import re

from arpad.errors import UsageError

__all__ = ["ratings_given"]


def ratings_given(text: str, option: str = "--opponents") -> list[float]:
    """Return ratings from `2600,2555x2`, where x2 means two of them.

    Examples
    --------
    >>> ratings_given("1800,1900x2")
    [1800.0, 1900.0, 1900.0]
    """
    ratings: list[float] = []
    for part in re.split(r"[,\s]+", text.strip()):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:x(\d{1,4}))?", part)
        if not found:
            raise UsageError(f"{option}: expected ratings such as 2600,2555x2; found {part!r}")
        ratings += [float(found[1])] * int(found[2] or 1)
    return ratings
