"""Small calibrations for tests, made from agents of known skill."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from arpad.moves.ipr.calibration import Calibration, calibrate, to_document
from arpad.moves.ipr.decisions import MODEL_FILTERS, filters_document
from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.model import MoveChoices

if TYPE_CHECKING:
    from pathlib import Path

FAKE = {
    "engine": "Fake 1.0", "network": "fake-1.nnue", "depth": 5, "multipv": 4, "hash_mb": 16,
    "options": {},
}  # fmt: skip
"""What the fake engine says of itself."""
SKILLS = {1800: 0.150, 2000: 0.130, 2200: 0.112, 2400: 0.096, 2600: 0.082}
C = 0.5


@cache
def _agents() -> tuple[MoveChoices, np.ndarray]:
    positions = generated_positions(400, seed=11)
    parts = [simulated(positions, s, C, seed=e) for e, s in SKILLS.items()]
    choices = MoveChoices(
        delta=np.concatenate([p.delta for p in parts]),
        count=np.concatenate([p.count for p in parts]),
        played=np.concatenate([p.played for p in parts]),
    )
    return choices, np.repeat(list(SKILLS), len(positions)).astype(float)


def agents_calibration(engine: dict[str, object] | None = None) -> Calibration:
    """Return a calibration that says it was made with some engine."""
    choices, elo = _agents()
    return calibrate(
        choices, elo, np.arange(len(elo)) // 30, name="agents", engine=engine or FAKE,
        filters=filters_document(MODEL_FILTERS), games="simulated", date="2026-11-16",
    )  # fmt: skip


def written(folder: Path, engine: dict[str, object] | None = None) -> Path:
    """Write such a calibration into a file."""
    path = folder / "calibration.json"
    path.write_text(json.dumps(to_document(agents_calibration(engine))), encoding="utf-8")
    return path
