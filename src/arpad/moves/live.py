"""A game while it is played: the estimate moves with every move [Ferreira 2012, 7]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from arpad.moves.comparison import compare
from arpad.moves.course import so_far
from arpad.moves.distribution import ZERO_GAIN, Distribution
from arpad.moves.evaluated import MATE
from arpad.moves.expected import difference
from arpad.moves.gain import CENTIPAWNS, move_gains
from arpad.moves.measured import move_number
from arpad.moves.resampling import Resampling

__all__ = ["LiveEstimate", "LiveGame", "LiveSide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSide:
    """What a player's moves so far say; None where there are none, or too few for an interval."""

    name: str
    moves: int
    mean_gain: float | None
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    engine_rating: float | None = None

    def points(self, p: float | None) -> float | None:
        """Return the rating difference to the engine that an expected score stands for."""
        return None if p is None else float(difference(min(max(p, 0.0), 1.0)))

    def as_dict(self) -> dict[str, Any]:
        """Return the figures by the names that `arpad gain` gives them."""
        figures: dict[str, Any] = {
            "name": self.name,
            "moves": self.moves,
            "mean_gain": self.mean_gain,
        }
        limits = (("", self.expected), ("_low", self.expected_low), ("_high", self.expected_high))
        for name, level in (("difference_vs_engine", 0.0), ("strength", self.engine_rating)):
            if level is not None:
                for end, p in limits:
                    d = self.points(p)
                    figures[f"{name}{end}"] = None if d is None else level + d
        return figures | {f"expected_vs_engine{end}": p for end, p in limits}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEstimate:
    """The state after a move."""

    ply: int
    number: str
    move: str | None
    evaluation: float | None
    """In pawns, from White's side."""
    gain: float | None
    """Of this move, in pawns."""
    sides: tuple[LiveSide, LiveSide]
    expected: float | None
    """White's expected score against Black, by their distributions of gain so far."""
    expected_low: float | None
    expected_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveGame:
    """The evaluations of a game so far; `after` gives the game with one more.

    Values are centipawns from White's side, NaN where unknown; the first is that of the starting position.

    Examples
    --------
    >>> game = LiveGame(values=(13.0,), names=("Byrne", "Fischer"))
    >>> game = game.after(12.0, "Nf3").after(12.0, "Nf6")
    >>> [(s.name, s.expected) for s in game.estimate().sides]
    [('Byrne', 0.0), ('Fischer', 0.5)]
    """

    values: tuple[float, ...] = (math.nan,)
    moves: tuple[str, ...] = ()
    white_begins: bool = True
    names: tuple[str, str] = ("White", "Black")
    engine_rating: float | None = None
    engine: Distribution = ZERO_GAIN
    resampling: Resampling = field(default_factory=Resampling)

    def after(self, value: float | None, move: str = "") -> LiveGame:
        """Return the game after one more move; None for an evaluation that is not known."""
        known = math.nan if value is None else min(max(float(value), -MATE), MATE)
        return replace(self, values=(*self.values, known), moves=(*self.moves, move))

    def estimate(self) -> LiveEstimate:
        """Return what the moves so far say."""
        plies = len(self.values)
        mover = np.array([(p % 2 == 1) == self.white_begins for p in range(plies)])
        found = move_gains(np.zeros(plies), np.arange(plies), np.array(self.values), mover)
        white = mover[found.row]
        sides = (self._side(0, found.gain[white]), self._side(1, found.gain[~white]))
        last = self.values[-1]
        newest = len(found) and found.row[-1] == plies - 1 and plies > 1
        p, low, high = self._pair(found.gain, white, found.row)
        return LiveEstimate(
            ply=plies - 1,
            number=move_number(plies - 1, bool(mover[-1])) if plies > 1 else "",
            move=self.moves[-1] if self.moves else None,
            evaluation=None if math.isnan(last) else last / CENTIPAWNS,
            gain=int(found.gain[-1]) / CENTIPAWNS if newest else None,
            sides=sides,
            expected=p,
            expected_low=low,
            expected_high=high,
        )

    def _side(self, which: int, gains: np.ndarray) -> LiveSide:
        figures: tuple[float | None, float | None, float | None] = (None, None, None)
        mean = None
        if len(gains):
            p, low, high = so_far(gains, engine=self.engine, resampling=self.resampling)
            figures = (p, _known(low), _known(high))
            mean = float(gains.mean()) / CENTIPAWNS
        return LiveSide(
            name=self.names[which], moves=len(gains), mean_gain=mean, expected=figures[0],
            expected_low=figures[1], expected_high=figures[2], engine_rating=self.engine_rating,
        )  # fmt: skip

    def _pair(
        self, gains: np.ndarray, white: np.ndarray, plies: np.ndarray
    ) -> tuple[float | None, float | None, float | None]:
        if not (white.any() and (~white).any()):
            return None, None, None
        sheet = np.where(white, 0, 1)
        found = compare(
            gains, sheet, np.zeros(len(gains)), plies, sheets=2, pairs=[(0, 1)],
            resampling=self.resampling,
        )  # fmt: skip
        limits = found.pair_interval(0) if self.resampling.draws else (math.nan, math.nan)
        return float(found.expected[0]), _known(limits[0]), _known(limits[1])


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
