"""Strength from moves: an estimate on the rating scale, with its interval."""

from arpad.moves.strength.calibrate import StrengthFit, calibrate_strength
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
    "StrengthFit",
    "StrengthReport",
    "calibrate_strength",
    "read_calibration",
    "strength",
]
