"""A calibration as plain values, for a small file that says where it comes from and shows if it was edited."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import InputError
from arpad.moves.intrinsic.calibration import PLACES, Artery, Calibration, Mark
from arpad.moves.intrinsic.choices import Choices
from arpad.moves.intrinsic.line import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["FORMAT", "from_document", "to_document"]

FORMAT = "arpad calibration 1"


def to_document(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as plain values with a checksum over all of them."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": calibration.name,
        "date": calibration.date,
        "arpad": calibration.arpad,
        "games": calibration.games,
        "sample": dict(calibration.sample),
        "engine": dict(calibration.engine),
        "filters": dict(calibration.filters),
        "method": calibration.method,
        "line": asdict(calibration.line),
        "artery": asdict(calibration.artery),
        "marks": [asdict(mark) for mark in calibration.marks],
        "reference": _positions(calibration.reference),
    }
    return {**document, "checksum": _checksum(document)}


def from_document(document: Mapping[str, Any], *, file: str | None = None) -> Calibration:
    """Return the calibration in a document; one that was edited is an error."""
    if document.get("format") != FORMAT:
        raise InputError(
            f"expected a calibration ({FORMAT!r}), found {document.get('format')!r}", file=file
        )
    content = {key: value for key, value in document.items() if key != "checksum"}
    if _checksum(content) != document.get("checksum"):
        raise InputError(
            "the calibration was changed after it was made: its checksum does not fit; "
            "make it again with arpad ipr calibrate",
            file=file,
        )
    try:
        return Calibration(
            name=content["name"],
            date=content["date"],
            arpad=content["arpad"],
            games=content["games"],
            sample=content["sample"],
            engine=content["engine"],
            filters=content["filters"],
            method=content["method"],
            line=Line(**content["line"]),
            artery=Artery(**content["artery"]),
            marks=tuple(Mark(**mark) for mark in content["marks"]),
            reference=_choices(content["reference"]),
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"the calibration lacks {error}: make it again", file=file) from None


def _positions(choices: Choices) -> list[dict[str, Any]]:
    """Return each position's lines, without those that no move stands at.

    One move stands at each, but for the last, where all stand that nobody looked at (`behind`); what is otherwise says so (`moves`).
    """
    return [
        _position(delta[count > 0], count[count > 0])
        for delta, count in zip(choices.delta, choices.count, strict=True)
    ]


def _position(delta: NDArray[np.float64], count: NDArray[np.float64]) -> dict[str, Any]:
    loss = {"loss": [round(float(d), PLACES) for d in delta]}
    if (count[:-1] != 1).any():
        return {**loss, "moves": [int(n) for n in count]}
    return {**loss, "behind": int(count[-1])} if count[-1] > 1 else loss


def _choices(positions: list[dict[str, Any]]) -> Choices:
    width = max((len(p["loss"]) for p in positions), default=1)
    delta, count = np.zeros((2, len(positions), width))
    for row, position in enumerate(positions):
        lines = len(position["loss"])
        delta[row, :lines] = position["loss"]
        count[row, :lines] = position.get("moves", 1)
        count[row, lines - 1] = position.get("behind", count[row, lines - 1])
    return Choices(delta=delta, count=count, played=np.zeros(len(positions), dtype=np.int64))


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
