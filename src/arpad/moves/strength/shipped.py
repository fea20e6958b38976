"""The calibration of strength that comes with arpad, and others in files of the same form."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arpad.errors import InputError
from arpad.moves.strength.outcome_model import OutcomeModel
from arpad.moves.strength.posterior import Era, GameEffect

if TYPE_CHECKING:
    from collections.abc import Mapping

SHIPPED = "calibration.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthCalibration:
    """Fitted models, the effects of a game, and where they come from.

    Parameters
    ----------
    engine, chance
        The models by their outcome, with an engine and with a value a ply.
    engine_effect, chance_effect
        How the moves of a game hang together.
    engine_era
        How the years of the games count, with an engine.
    about
        Engine, limits, games, dates and figures on games that the fit did not see.
    """

    engine: Mapping[str, OutcomeModel]
    chance: Mapping[str, OutcomeModel]
    engine_effect: GameEffect
    chance_effect: GameEffect
    engine_era: Era = field(default_factory=Era)
    about: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as plain values."""
        return {
            "form": 1,
            "about": dict(self.about),
            "engine": _described(self.engine, self.engine_effect) | {"era": self.engine_era.to_dict()},
            "chance": _described(self.chance, self.chance_effect),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> StrengthCalibration:
        """Return the calibration that `to_dict` described."""
        if not isinstance(values, dict) or values.get("form") != 1:
            raise InputError("expected a calibration of strength, form 1")
        try:
            engine, engine_effect = _models(values["engine"])
            chance, chance_effect = _models(values["chance"])
            era: dict[str, Any] = {
                k: tuple(v) if isinstance(v, list) else v for k, v in values["engine"].get("era", {}).items()
            }
            engine_era = Era(**era)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"expected a calibration of strength, found {error!r}") from None
        return cls(
            engine=engine,
            chance=chance,
            engine_effect=engine_effect,
            chance_effect=chance_effect,
            engine_era=engine_era,
            about=values.get("about", {}),
        )


@cache
def shipped_calibration() -> StrengthCalibration:
    """Return the calibration that comes with arpad."""
    text = files("arpad.moves.strength").joinpath(SHIPPED).read_text(encoding="utf-8")
    return StrengthCalibration.from_dict(json.loads(text))


def read_calibration(path: str | Path) -> StrengthCalibration:
    """Return the calibration in a file."""
    try:
        return StrengthCalibration.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"expected a calibration of strength: {error}", file=str(path)) from None


def _described(models: Mapping[str, OutcomeModel], effect: GameEffect) -> dict[str, Any]:
    return {
        "effect": {"exponent": effect.exponent, "form": effect.form},
        "models": {name: model.to_dict() for name, model in models.items()},
    }


def _models(values: Mapping[str, Any]) -> tuple[dict[str, OutcomeModel], GameEffect]:
    models = {name: OutcomeModel.from_dict(v) for name, v in values["models"].items()}
    effect = values["effect"]
    return models, GameEffect(exponent=float(effect["exponent"]), form=float(effect["form"]))
