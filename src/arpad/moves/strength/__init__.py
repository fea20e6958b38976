"""Strength from moves: an estimate on the rating scale, with its interval."""

from arpad.moves.strength.engine_values import EngineSource
from arpad.moves.strength.estimate import strength
from arpad.moves.strength.outcome_model import StrengthCalibration, read_calibration
from arpad.moves.strength.posterior import Posterior, Prior
from arpad.moves.strength.report import PlayerStrength, StrengthReport

__all__ = [
    "EngineSource",
    "PlayerStrength",
    "Posterior",
    "Prior",
    "StrengthCalibration",
    "StrengthReport",
    "read_calibration",
    "strength",
]
