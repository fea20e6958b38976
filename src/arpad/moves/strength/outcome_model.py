"""A choice among ordered outcomes whose probabilities depend on a rating: the form of every strength model.

Outcome k of a move with features x, played by somebody rated R, has the probability
``exp(u_k) / Σ exp(u_j)`` with ``u_k = a_k + Σ_b φ_b(k) · (x₀·w₀ + r x₁·w₁ + r² x₂·w₂)_b`` and
``r = (R − 2100) / 350``. `φ` says what outcomes have in common (such as the logarithm of the loss), so that
few weights describe many outcomes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arpad.errors import InputError
from arpad.moves.strength.posterior import Era, GameEffect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray


if TYPE_CHECKING:
    Floats = NDArray[np.float64]

CENTRE, UNIT = 2100.0, 350.0
"""Rating points that are 0, and that are 1, in the formula."""

BLOCK = 4096
"""Moves whose likelihood is worked out at once."""


@dataclass(frozen=True, slots=True)
class Features:
    """Features of moves, known before they are made; rows are moves.

    Parameters
    ----------
    level, slope, bend
        What the utilities are made of; what is multiplied by the rating; what by its square.
    """

    level: Floats
    slope: Floats
    bend: Floats

    def __len__(self) -> int:
        return len(self.level)

    def rows(self, which: NDArray[Any]) -> Features:
        """Return some of the moves."""
        return Features(self.level[which], self.slope[which], self.bend[which])


@dataclass(frozen=True, slots=True)
class OutcomeModel:
    """Fitted weights: `weights` has a row a feature (level, slope, bend) and a column a direction of `shape`."""

    shape: Floats
    base: Floats
    weights: Floats
    widths: tuple[int, int, int]

    def log_likelihood(self, features: Features, outcome: NDArray[np.int64], ratings: ArrayLike) -> Floats:
        """Return the logarithm of the probability of each outcome (rows) at each rating (columns)."""
        r = rating_unit(ratings)
        result = np.empty((len(features), len(r)))
        for start in range(0, len(features), BLOCK):
            part = slice(start, start + BLOCK)
            utility = self._utilities(features.rows(np.arange(len(features))[part]), r)
            top = utility.max(axis=2, keepdims=True)
            total = top[:, :, 0] + np.log(np.exp(utility - top).sum(axis=2))
            chosen = np.take_along_axis(utility, outcome[part, None, None], axis=2)[:, :, 0]
            result[part] = chosen - total
        return result

    def probabilities(self, features: Features, rating: float) -> Floats:
        """Return the probability of each outcome (columns) of each move (rows) at one rating."""
        utility = self._utilities(features, rating_unit([rating]))[:, 0, :]
        weight = np.exp(utility - utility.max(axis=1, keepdims=True))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def _utilities(self, features: Features, r: Floats) -> Floats:
        a, b, _ = self.widths
        level = self.base + features.level @ self.weights[:a] @ self.shape.T
        slope = features.slope @ self.weights[a : a + b] @ self.shape.T
        bend = features.bend @ self.weights[a + b :] @ self.shape.T
        x = r[None, :, None]
        return np.asarray(level[:, None, :] + x * slope[:, None, :] + x * x * bend[:, None, :])

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values, rounded to six digits."""
        return {
            "shape": _digits(self.shape),
            "base": _digits(self.base),
            "weights": _digits(self.weights),
            "widths": list(self.widths),
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> OutcomeModel:
        """Return the model that `to_dict` described."""
        try:
            widths = tuple(int(n) for n in values["widths"])
            arrays = [np.array(values[k], dtype=np.float64) for k in ("shape", "base", "weights")]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"expected the weights of a strength model, found {error!r}") from None
        shape, base, weights = arrays
        if len(widths) != 3 or weights.shape != (sum(widths), shape.shape[1]) or len(base) != len(shape):
            raise InputError(f"expected {sum(widths)} rows of weights, found {len(weights)}")
        return cls(shape, base, weights, (widths[0], widths[1], widths[2]))


def rating_unit(ratings: ArrayLike) -> Floats:
    """Return ratings on the scale of the formula.

    Examples
    --------
    >>> rating_unit([1750, 2100]).tolist()
    [-1.0, 0.0]
    """
    return (np.atleast_1d(np.asarray(ratings, dtype=np.float64)) - CENTRE) / UNIT


def fit_outcomes(
    features: Features,
    outcome: NDArray[np.int64],
    ratings: ArrayLike,
    shape: Floats,
    *,
    weight: ArrayLike = 1.0,
    ridge: float = 10.0,
    known: OutcomeModel | None = None,
    known_moves: float = 0.0,
) -> OutcomeModel:
    """Return the model of greatest likelihood, with a penalty on large weights.

    Parameters
    ----------
    shape
        `φ`: a row an outcome.
    ridge
        The penalty on the square of a weight whose feature has the mean square 1.
    known, known_moves
        An earlier model of the same features, and how many moves of the kind it stands for: its weights are held
        by the curvature that so many moves would have. The penalty is on what changes.
    """
    from scipy.optimize import minimize

    r = rating_unit(ratings)
    x = np.hstack([features.level, features.slope * r[:, None], features.bend * (r * r)[:, None]])
    size = np.sqrt((x * x).mean(axis=0))
    size[size < 1e-9] = 1.0
    x = x / size
    each = np.broadcast_to(np.asarray(weight, dtype=np.float64), len(outcome))
    outcomes, directions = shape.shape
    rows = np.arange(len(outcome))
    penalty = np.diag(np.concatenate([np.full(outcomes, 0.2), np.full(x.shape[1] * directions, 2 * ridge)]))
    start = np.zeros(len(penalty))
    if known is not None:
        start = np.concatenate([known.base, (known.weights * size[:, None]).ravel()])
        utility = known.base + x @ (known.weights * size[:, None]) @ shape.T
        penalty += known_moves / len(outcome) * _curvature(x, utility, shape)

    def cost(flat: Floats) -> tuple[float, Floats]:
        base, weights = flat[:outcomes], flat[outcomes:].reshape(-1, directions)
        utility = base + x @ weights @ shape.T
        utility -= utility.max(axis=1, keepdims=True)
        p = np.exp(utility)
        total = p.sum(axis=1)
        fit = float((each * (utility[rows, outcome] - np.log(total))).sum())
        p /= total[:, None]
        p[rows, outcome] -= 1.0
        p *= each[:, None]
        change = flat - start
        pull = penalty @ change
        slope = np.concatenate([p.sum(axis=0), (x.T @ (p @ shape)).ravel()]) + pull
        return 0.5 * float(change @ pull) - fit, slope

    result = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    weights = result.x[outcomes:].reshape(-1, directions) / size[:, None]
    widths = (features.level.shape[1], features.slope.shape[1], features.bend.shape[1])
    return OutcomeModel(shape, result.x[:outcomes], weights, widths)


def _curvature(x: Floats, utility: Floats, shape: Floats) -> Floats:
    """Return the second derivative of the cost by the base and the weights: the information of these moves."""
    outcomes, directions = shape.shape
    p = np.exp(utility - utility.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    ways = np.hstack([np.eye(outcomes), shape])
    mean = p @ ways
    spread = np.einsum("ik,ka,kb->iab", p, ways, ways) - mean[:, :, None] * mean[:, None, :]
    result = np.empty((outcomes + x.shape[1] * directions,) * 2)
    result[:outcomes, :outcomes] = spread[:, :outcomes, :outcomes].sum(axis=0)
    across = np.einsum("if,iad->afd", x, spread[:, :outcomes, outcomes:]).reshape(outcomes, -1)
    result[:outcomes, outcomes:], result[outcomes:, :outcomes] = across, across.T
    for d in range(directions):
        for e in range(directions):
            block = (x * spread[:, outcomes + d, outcomes + e][:, None]).T @ x
            result[outcomes + d :: directions, outcomes + e :: directions] = block
    return result


def _digits(values: Floats) -> list[Any]:
    def rounded(x: Any) -> Any:
        return [rounded(v) for v in x] if isinstance(x, list) else float(f"{x:.6g}")

    result: list[Any] = rounded(values.tolist())
    return result


CALIBRATIONS = {"accurate": "calibration.json", "fast": "calibration-fast.json"}
"""Files of the calibrations that come with arpad, by name; the first is the usual one."""


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
def shipped_calibration(name: str = "accurate") -> StrengthCalibration:
    """Return a calibration that comes with arpad: accurate or fast."""
    text = files("arpad.moves.strength").joinpath(CALIBRATIONS[name]).read_text(encoding="utf-8")
    return StrengthCalibration.from_dict(json.loads(text))


def read_calibration(path: str | Path) -> StrengthCalibration:
    """Return the calibration in a file, or one that comes with arpad, by its name: accurate or fast."""
    if path in CALIBRATIONS and not Path(path).exists():
        return shipped_calibration(str(path))
    try:
        return StrengthCalibration.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"expected a calibration of strength: {error}", file=str(path)) from None


def _described(models: Mapping[str, OutcomeModel], effect: GameEffect) -> dict[str, Any]:
    return {"effect": asdict(effect), "models": {name: model.to_dict() for name, model in models.items()}}


def _models(values: Mapping[str, Any]) -> tuple[dict[str, OutcomeModel], GameEffect]:
    models = {name: OutcomeModel.from_dict(v) for name, v in values["models"].items()}
    return models, GameEffect(**{name: float(value) for name, value in values["effect"].items()})
