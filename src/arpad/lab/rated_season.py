"""Ratings of a season by one system, round by round."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Event, Games, Ratings
from arpad.rate.elo import k_arrays
from arpad.rate.elo_reference import coded
from arpad.rate.system import rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.lab.season import Round, SeasonPlayers
    from arpad.rate.elo import Elo
    from arpad.rate.pra.system import Pra, PraBasic
    from arpad.rate.system import RatingSystem, SeasonLoop

    Array = NDArray[np.float64]


# Rated: what a system makes of a season, round by round.
#
# A system that declares a `season_loop` goes on arrays; any other is called with the games of a period and the
# list before it, as anybody would call it.


class SeasonRatings(Protocol):
    """The ratings of one system in one run; by row, NaN for none. `shift` belongs to all of them."""

    room: ClassVar[int]
    """Bytes a player."""
    ratings: Array
    shift: float

    def play(self, round_: Round) -> None:
        """Rate a round."""
        ...

    def close(self) -> None:
        """Rate what is not rated yet."""
        ...


def season_loop(system: RatingSystem) -> SeasonLoop | None:
    """Return the loop on arrays that a system declares; None: it is rated by lists."""
    return getattr(system, "season_loop", None)


def room(system: RatingSystem) -> int:
    """Return about how many bytes a player takes."""
    loop = season_loop(system)
    return RatedByList.room if loop is None else LOOPS[loop].room


def rated(system: RatingSystem, opening: SeasonPlayers, *, period: int = 1) -> SeasonRatings:
    """Return a system with its players before the first round.

    Parameters
    ----------
    period
        Rounds that are rated together by a system without a loop of its own; the others go game by game.
    """
    loop = season_loop(system)
    return RatedByList(system, opening, period) if loop is None else LOOPS[loop](system, opening)


class _RatedElo:
    room: ClassVar[int] = 20
    shift = 0.0

    def __init__(self, system: Elo, opening: SeasonPlayers) -> None:
        self.ratings = opening.start.copy()
        played = system.k.new_games if opening.established else 0
        self.games = np.full(len(self.ratings), played, dtype=np.int64)
        self.topped = self.ratings >= system.k.top
        self.curve = coded(system.curve)
        self.k = k_arrays(system.k)

    def play(self, round_: Round) -> None:
        from arpad.rate.elo_kernels import each_game

        each_game(
            round_.white,
            round_.black,
            round_.score,
            self.ratings,
            self.games,
            self.topped,
            *self.curve,
            *self.k,
            np.empty((0, 5)),
        )

    def close(self) -> None:
        """Every round is rated at once."""


class _Anchored:
    """The mean of those who are here, held [PRA (1, 2)].

    Who leaves takes the points that he brought; what he gained or lost since is put right that night.
    Ratings are kept without `shift`, so that a night costs nothing, however many they are.
    """

    room: ClassVar[int] = 20
    ratings: Array

    def __init__(self, system: Pra | PraBasic, opening: SeasonPlayers) -> None:
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
        if isinstance(self.anchor, float) and (not round_.number or len(round_.entered) or len(round_.left)):
            points = float(self.ratings[round_.here].sum()) + self.shift * self.population
            self.surplus = points - self.anchor * self.population
        self.shift -= self.surplus / self.population
        self.surplus = 0.0

    def close(self) -> None:
        """Every round is rated at once."""


class _RatedBasic(_Anchored):
    def __init__(self, system: PraBasic, opening: SeasonPlayers) -> None:
        super().__init__(system, opening)
        self.ratings = opening.start.copy()
        self.k = system.k

    def play(self, round_: Round) -> None:
        from arpad.lab.kernels import basic_round

        self._members(round_)
        basic_round(round_.white, round_.black, round_.score, self.ratings, self.k)
        self._night(round_, 0.0)


class _RatedPra(_Anchored):
    room: ClassVar[int] = 70

    def __init__(self, system: Pra, opening: SeasonPlayers) -> None:
        from arpad.rate.pra.steps import STATE

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
        brought = boosted_round(round_.white, round_.black, round_.score, self.state, self.k, self.boosting)
        self._night(round_, brought)


def _aligned(n: int, kind: np.dtype[np.void]) -> NDArray[np.void]:
    """Return n rows of zeros, each of which is one line of the processor's cache."""
    line = 64
    memory = np.zeros(n * kind.itemsize + line, dtype=np.uint8)
    first = -memory.ctypes.data % line
    return memory[first : first + n * kind.itemsize].view(kind)


LOOPS: dict[SeasonLoop, Any] = {"each game": _RatedElo, "anchored": _RatedBasic, "boosted": _RatedPra}
"""The loops that a system may declare."""


# Any registered system in a simulation: the games of a period and the list before it make the next list.

FIRST_YEAR = 1000
"""A period is a month, counted from here: there is room for a hundred thousand of them."""
MOST_PERIODS = 12 * (9999 - FIRST_YEAR)


def player_name(row: int) -> str:
    """Return what the player of a row is called."""
    return f"P{row + 1:07d}"


class RatedByList:
    """The ratings of a system without a loop of its own.

    A period is one event, played on the first day of a month; the next period has the next month. A player who
    starts or enters is on the list with the rating to start from, and with no games unless that rating is
    said to be established.
    """

    room: ClassVar[int] = 2000
    shift = 0.0

    def __init__(self, system: RatingSystem, opening: SeasonPlayers, period: int) -> None:
        if period < 1:
            raise UsageError(f"expected a period of 1 round or more, found {period}")
        self.system, self.period, self.start = system, period, opening.start
        self.established = opening.established
        self.names = pl.Series("name", [player_name(i) for i in range(len(opening.start))])
        self.ratings = opening.start.copy()
        self.list = self._newcomers(np.flatnonzero(opening.here))
        self.waiting: list[Round] = []
        self.gone: list[NDArray[np.int32]] = []
        self.periods = 0

    def play(self, round_: Round) -> None:
        """Take a round; rate it with others when the period is full."""
        self.gone.append(round_.left)
        if not self.waiting:
            self._forget()
        if len(round_.entered):
            self.ratings[round_.entered] = self.start[round_.entered]
            self.list = pl.concat([self.list, self._newcomers(round_.entered)], how="diagonal_relaxed")
        self.waiting.append(round_)
        if len(self.waiting) >= self.period:
            self.close()

    def close(self) -> None:
        """Rate the rounds that are waiting."""
        if not self.waiting:
            return
        games = self._games()
        self.waiting.clear()
        self.periods += 1
        if len(games):
            self._rate(games)
        self._forget()

    def _rate(self, games: Games) -> None:
        result = rate(self.system, games, self._before()).rows
        stay = self.list.filter(~pl.col("player").is_in(result["player"].implode()))
        self.list = pl.concat([result.drop("rank"), stay], how="diagonal_relaxed")
        rows = result["player"].str.slice(1).cast(pl.Int64).to_numpy() - 1
        self.ratings[rows] = result["rating"].cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def _forget(self) -> None:
        """Take those who left off the list, once the games that they still played are rated."""
        gone = np.concatenate([np.empty(0, dtype=np.int32), *self.gone])
        self.gone.clear()
        if len(gone):
            names = self.names.gather(gone)
            self.list = self.list.filter(~pl.col("player").is_in(names.implode()))

    def _newcomers(self, rows: NDArray[np.integer]) -> pl.DataFrame:
        n = len(rows)
        names = self.names.gather(rows)
        columns: dict[str, object] = {
            "player": names,
            "id": names,
            "rating": self.start[rows],
            "games": np.zeros(n, dtype=np.int64),
        }
        if not self.established:
            columns["total_games"] = np.zeros(n, dtype=np.int64)
            # Who is new is as little known as the system takes newcomers to be.
            error = getattr(self.system, "start_error", None)
            columns |= {} if error is None else {"error": np.full(n, error)}
        return pl.DataFrame(columns)

    def _before(self) -> Ratings:
        return Ratings(system=self.system.name, rows=self.list, parameters={})

    def _games(self) -> Games:
        white, black, score = (
            np.concatenate([getattr(r, name) for r in self.waiting]) for name in ("white", "black", "score")
        )
        rounds = [f"{r.number + 1}.{i + 1}" for r in self.waiting for i in range(len(r.white))]
        who, place = np.unique(np.concatenate([white, black]), return_inverse=True)
        names = self.names.gather(who)
        if self.periods >= MOST_PERIODS:
            raise UsageError(f"more than {MOST_PERIODS:,} periods have no date: give a longer period")
        day = date(FIRST_YEAR + self.periods // 12, self.periods % 12 + 1, 1)
        first, last = self.waiting[0].number + 1, self.waiting[-1].number + 1
        columns = {
            "white": place[: len(white)],
            "black": place[len(white) :],
            "score": score,
            "date": pl.Series([day], dtype=pl.Date).new_from_index(0, len(white)),
            "event": np.zeros(len(white), dtype=np.int32),
            "round": rounds,
        }
        event = Event(name=f"Rounds {first} to {last}", kind="swiss", start=day, end=day)
        return Games.assemble(columns, {"name": names, "id": names}, [event])
