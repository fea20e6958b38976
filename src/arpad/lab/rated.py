"""Rated: what a system makes of a season, round by round.

`elo`, `pra` and `pra-basic` have loops of their own; any other registered system is called with the games
of a period and the list before it, as anybody would call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from arpad.errors import UsageError
from arpad.rate.elo import Elo
from arpad.rate.expectancy import coded
from arpad.rate.pra import Pra, PraBasic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.lab.season import Opening, Round
    from arpad.rate.systems import RatingSystem

    Array = NDArray[np.float64]

__all__ = ["Rated", "is_fast", "rated"]


class Rated(Protocol):
    """The ratings of one system in one run; by row, NaN for none. `shift` belongs to all of them."""

    ratings: Array
    shift: float

    def play(self, round_: Round) -> None:
        """Rate a round."""
        ...

    def close(self) -> None:
        """Rate what is not rated yet."""
        ...


def is_fast(system: RatingSystem) -> bool:
    """Say whether a system has a loop of its own."""
    return isinstance(system, Pra | PraBasic) or (isinstance(system, Elo) and system.period == "game")  # fmt: skip


def rated(system: RatingSystem, opening: Opening, *, period: int = 1) -> Rated:
    """Return a system with its players before the first round.

    Parameters
    ----------
    period
        Rounds that are rated together by a system without a loop of its own; the others go game by game.
    """
    if isinstance(system, Elo) and system.period == "game":
        return _RatedElo(system, opening)
    if isinstance(system, Pra):
        return _RatedPra(system, opening)
    if isinstance(system, PraBasic):
        return _RatedBasic(system, opening)
    from arpad.lab.listed import RatedByList

    return RatedByList(system, opening, period)


class _RatedElo:
    shift = 0.0

    def __init__(self, system: Elo, opening: Opening) -> None:
        self.ratings = opening.start.copy()
        played = system.k.new_games if opening.established else 0
        self.games = np.full(len(self.ratings), played, dtype=np.int64)
        self.topped = self.ratings >= system.k.top
        self.curve = coded(system.curve)
        bounds, values = (np.array(column) for column in zip(*system.k.tiers, strict=True))
        self.k = (bounds, values, system.k.new_games, system.k.new_k, system.k.permanent)

    def play(self, round_: Round) -> None:
        from arpad.rate.kernels import each_game

        each_game(
            round_.white, round_.black, round_.score, self.ratings, self.games, self.topped,
            *self.curve, *self.k,
        )  # fmt: skip

    def close(self) -> None:
        """Every round is rated at once."""


class _Anchored:
    """The mean of those who are here, held [PRA (1, 2)].

    Who leaves takes the points that he brought; what he gained or lost since is put right that night.
    Ratings are kept without `shift`, so that a night costs nothing, however many they are.
    """

    ratings: Array

    def __init__(self, system: Pra | PraBasic, opening: Opening) -> None:
        self.start = opening.start
        self.anchor = system.anchor
        self.shift = 0.0
        self.surplus = 0.0
        self.population = int(opening.here.sum())

    def _members(self, round_: Round) -> None:
        """Take in who entered, with the rating that he brings; count what those who left take away."""
        entered, left = round_.entered, round_.left
        self.surplus -= float((self.ratings[left] + self.shift - self.start[left]).sum())
        self.ratings[entered] = self.start[entered] - self.shift
        self.population += len(entered) - len(left)

    def _night(self, round_: Round, brought: float) -> None:
        """Add adj to everybody's rating [2]."""
        if self.anchor is None:
            return
        self.surplus += brought
        if isinstance(self.anchor, float) and (not round_.number or len(round_.entered) or len(round_.left)):  # fmt: skip
            points = float(self.ratings[round_.here].sum()) + self.shift * self.population
            self.surplus = points - self.anchor * self.population
        self.shift -= self.surplus / self.population
        self.surplus = 0.0

    def close(self) -> None:
        """Every round is rated at once."""


class _RatedBasic(_Anchored):
    def __init__(self, system: PraBasic, opening: Opening) -> None:
        super().__init__(system, opening)
        self.ratings = opening.start.copy()
        self.k = system.k

    def play(self, round_: Round) -> None:
        from arpad.lab.kernels import basic_round

        self._members(round_)
        basic_round(round_.white, round_.black, round_.score, self.ratings, self.k)
        self._night(round_, 0.0)


class _RatedPra(_Anchored):
    def __init__(self, system: Pra, opening: Opening) -> None:
        from arpad.rate.pra_state import STATE

        if system.corrected:
            raise UsageError("corrected: simulated players have no names; leave it out")
        super().__init__(system, opening)
        self.state: Any = _aligned(len(opening.start), STATE)
        # Who comes with an established rating is no newcomer.
        self.state["boosting"] = system.boost_given or not opening.established
        self.ratings = self.state["rating"]
        self.ratings[:] = opening.start
        self.k, self.boosting = system.k, system.boosting

    def play(self, round_: Round) -> None:
        from arpad.lab.kernels import boosted_round

        self._members(round_)
        brought = boosted_round(
            round_.white, round_.black, round_.score, self.state, self.k, self.boosting
        )
        self._night(round_, brought)


def _aligned(n: int, kind: np.dtype[np.void]) -> NDArray[np.void]:
    """Return n rows of zeros, each of which is one line of the processor's cache."""
    line = 64
    room = np.zeros(n * kind.itemsize + line, dtype=np.uint8)
    first = -room.ctypes.data % line
    return room[first : first + n * kind.itemsize].view(kind)
