"""Worlds: what a difference in true strength does to a game, and how strengths and players change."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.lab.chart import CutoffChart, cutoff_table
from arpad.rate.expectancy import coded
from arpad.scale import Curve, Linear, Logistic, Normal, Pra, Ratio, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from arpad.rate.draw_model import DrawModel

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]

__all__ = ["WORLDS", "World", "world_curve"]

WORLDS: dict[str, Callable[[], Curve]] = {
    "pra": CutoffChart,
    "pra-curve": Pra,
    "logistic": Logistic,
    "normal": Normal,
    "linear": Linear,
    "table": lambda: Table(interpolate=True),
}
"""The expected score by difference in true strength, by the name that people use on the command line.

pra         the chart of PRA's own simulation, in steps;
pra-curve   PRA's function E;
logistic, normal, linear, table   as in `scale`.
"""

MOST = 1_000_000.0
"""Points a round, or players a round: more is a slip."""


def world_curve(name: str) -> Curve:
    """Return the curve of the world called `name`.

    Examples
    --------
    >>> world_curve("pra").expected(130), round(world_curve("logistic").expected(130), 3)
    (0.6, 0.679)
    """
    if name not in WORLDS:
        raise UsageError(f"expected a world, one of {', '.join(WORLDS)}; found {name!r}")
    return WORLDS[name]()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What decides games, and what happens to players between rounds.

    Parameters
    ----------
    curve
        From a difference in true strength to White's expected score. Colours are worth nothing.
    draws
        How much of an expected score are draws; without it every game is decided.
    drift
        Standard deviation of the step that everybody's true strength takes before each round but the
        first, in rating points.
    enter, leave
        Players that come and go before each round but the first; fractions add up.
    """

    curve: Curve = field(default_factory=CutoffChart)
    draws: DrawModel | None = None
    drift: float = 0.0
    enter: float = 0.0
    leave: float = 0.0

    def __post_init__(self) -> None:
        for name in ("drift", "enter", "leave"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= MOST):
                raise UsageError(f"expected {name} of 0 or more a round, found {value!r}")
        if isinstance(self.curve, Ratio):
            raise UsageError("the ratio curve measures ratios: choose another world")

    @property
    def name(self) -> str:
        """Return the name of the curve among the worlds."""
        names = {"pra-chart": "pra", "pra": "pra-curve"}
        return names.get(self.curve.name, self.curve.name)

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        interval = getattr(self.curve, "class_interval", None)
        return {
            "world": self.name, "class_interval": interval,
            "draws": None if self.draws is None else self.draws.document(),
            "drift": self.drift, "enter": self.enter, "leave": self.leave,
        }  # fmt: skip

    def play(self, white: Rows, black: Rows, true: Array, dice: NDArray[np.uint64]) -> Array:
        """Return White's score in every game of a round."""
        from arpad.lab import kernels

        score = np.empty(len(white))
        if self.draws is None:
            code, constants = self.coded()
            kernels.decide(white, black, true, score, dice, code, constants)
            return score
        kernels.uniforms(score, dice)
        return self.scores(true[white], true[black], score)

    def scores(self, white: Array, black: Array, u: Array) -> Array:
        """Return White's score for strengths and random numbers: 1 below P(win), ½ below P(win) + P(draw)."""
        E = np.asarray(self.curve.expected(white - black))
        if self.draws is None:
            return (u < E).astype(np.float64)
        r = self.draws.rate((white + black) / 2, E)
        return 0.5 * ((u < E - r / 2).astype(np.float64) + (u < E + r / 2))

    def coded(self) -> tuple[int, Array]:
        """Return the curve as the kernels need it: its number and constants."""
        if isinstance(self.curve, CutoffChart):
            from arpad.lab.kernels import CHART

            return CHART, cutoff_table()
        return coded(self.curve)
