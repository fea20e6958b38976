"""The calibrations that come with arpad, by name."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from arpad.errors import UsageError
from arpad.moves.intrinsic.calibration_document import from_document
from arpad.moves.intrinsic.paper import PAPER, paper_calibration

if TYPE_CHECKING:
    from arpad.moves.intrinsic.calibration import Calibration

__all__ = ["SHIPPED", "calibration", "calibration_names"]

SHIPPED = "stockfish-15.1-depth10"
"""The one that is used unless another is named: Debian's Stockfish, 10 plies, 16 lines."""
PREFIX, SUFFIX = "calibration-", ".json"


def calibration_names() -> tuple[str, ...]:
    """Return the names, the usual one first.

    Examples
    --------
    >>> calibration_names()[0], "rybka3-depth13" in calibration_names()
    ('stockfish-15.1-depth10', True)
    """
    return tuple(sorted([*_files(), PAPER], key=lambda name: (name != SHIPPED, name)))


def calibration(name: str = SHIPPED) -> Calibration:
    """Return a calibration that comes with arpad.

    Examples
    --------
    >>> calibration().engine["depth"]
    10
    """
    if name == PAPER:
        return paper_calibration()
    found = _files()
    if name not in found:
        there = ", ".join(calibration_names())
        raise UsageError(f"expected a calibration that comes with arpad ({there}), found {name!r}")
    return from_document(json.loads(found[name].read_text(encoding="utf-8")), file=name)


def _files() -> dict[str, Any]:
    room = files("arpad") / "samples"
    return {
        f.name.removeprefix(PREFIX).removesuffix(SUFFIX): f
        for f in room.iterdir()
        if f.name.startswith(PREFIX) and f.name.endswith(SUFFIX)
    }
