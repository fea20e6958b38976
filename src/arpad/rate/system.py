"""A rating system advances a state: the four calls, and what is made of them for every system.

Rating a file, explaining a rating, archives, prediction and simulation are loops over the four calls. What
a system can do beyond them it declares itself (`RatingSystem`): no other module lists systems.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from arpad.model import PLAYER_SCHEMA, Games, filled, source_of
from arpad.rate.trace import Trace, Workings, numbered, settled, whole_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.rate.elo_reference import EloStep
    from arpad.rate.state import Range, State

    Array = NDArray[np.float64]

SeasonLoop = Literal["each game", "anchored", "boosted"]
"""Rounds on arrays: Elo's formula game by game (`curve`, `k`); with the mean held (`k`, `anchor`); with boosts too."""


@runtime_checkable
class RatingSystem(Protocol):
    """A frozen set of constants that advances a state; it never changes, prints or opens anything."""

    name: ClassVar[str]

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        ...

    def begin(self, players: pl.DataFrame, before: Ratings | None = None) -> State:
        """Return where the players stand before the first game, from an earlier list if there is one."""
        ...

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return the state after the games, whose players are those of the state and perhaps new ones."""
        ...

    def ratings(self, state: State, on: date | None = None) -> Ratings:
        """Return the list of everybody who has played or is on an earlier list; `on` a day, if it matters."""
        ...

    def expected(
        self, state: State, white: NDArray[Any], black: NDArray[Any], on: date | None = None
    ) -> Array:
        """Return White's expected score of games to come between rows of the state, NaN for none."""
        ...


@runtime_checkable
class StepByStep(Protocol):
    """A system that can say what every game does, one side after the other."""

    def steps(self, games: Games, before: Ratings | None = None) -> Iterator[EloStep]:
        """Yield every player's side of every game."""
        ...


class Rates:
    """Mixin of the built-in systems: `rate` and `workings`, made of the four calls."""

    __slots__ = ()
    tunable: ClassVar[Mapping[str, Range]] = {}
    """The constants that `tune` may choose, and between what."""
    whole_past: ClassVar[bool] = False
    """Whether later games change earlier ratings, so that the system needs all games at once."""
    plain: ClassVar[bool] = False
    """Whether the system needs only White, Black, score, date and given ratings."""
    reckons_time: ClassVar[bool] = False
    """Whether uncertainty grows as time passes without a game."""
    carries: ClassVar[tuple[str, ...]] = ()
    """Columns of a list, beside the usual ones, that the next list needs of people who do not play."""
    keeps_unrated: ClassVar[bool] = False
    """Whether unrated players are on the list, with their games on file."""
    whole_pool: ClassVar[bool] = False
    """Whether the system needs players of the list who do not play."""
    season_loop: ClassVar[SeasonLoop | None] = None
    """The arithmetic of a round, where it is one of those that simulations have on arrays; None: lists."""
    usual_period: ClassVar[str | None] = None
    """The period where none is told; None: the system's own constant `period` says it."""

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, starting from an earlier list if there is one."""
        return rate(self, games, before)  # type: ignore[arg-type]

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every step to it."""
        return workings(self, games, before)  # type: ignore[arg-type]


def admit(system: RatingSystem, state: State, players: pl.DataFrame) -> State:
    """Return the state with those of the players who are not in it yet."""
    if players.height <= len(state):
        return state
    return state.joined(system.begin(players.slice(len(state))))


def list_on(system: RatingSystem, ratings: Ratings, on: date | None) -> Ratings:
    """Return the list on the morning of a later day, if nobody plays in between."""
    return system.ratings(system.begin(filled({}, PLAYER_SCHEMA), ratings), on)


def run(
    system: RatingSystem, games: Games, before: Ratings | None = None, *, trace: Trace | None = None
) -> State:
    """Return the state after games that are all there is."""
    return system.advance(system.begin(games.players, before), games, trace=trace)


def rate(system: RatingSystem, games: Games, before: Ratings | None = None) -> Ratings:
    """Rate games: begin, advance, and the ratings of those who played."""
    return played_list(system, run(system, games, before), games)


def played_list(system: RatingSystem, state: State, games: Games) -> Ratings:
    """Return the ratings of those who were rated, with the games that they come from as source.

    A state may say who that is in a column `rated`; else it is who has played.
    """
    rows = state.rows
    rated = rows["rated"] if "rated" in rows.columns else rows["games"] > 0
    ratings = system.ratings(replace(state, rows=rows.filter(rated)))
    source = source_of(games)
    own = dict(ratings.source)
    later = own.pop("later", 0)
    if later:
        status = {**source["status"], "played": source["status"]["played"] - later, "later": later}
        source = {**source, "status": status}
    return replace(ratings, source={**source, **own})


def workings(system: RatingSystem, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
    """Rate games and return every step on the way.

    The ratings are those of ``rate(system, games, before)``, bit for bit. A system that does not divide
    its change among games gives one step a player.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.rate.elo import Elo
    >>> ratings, steps = workings(Elo(k=10), Games.build([("Anand", "Karpov", 1.0)]))
    >>> steps.of(0)["change"].sum()
    1505.0
    """
    games = numbered(games)
    trace = Trace()
    ratings = played_list(system, run(system, games, before, trace=trace), games)
    steps = trace.steps() if trace.divided else whole_steps(games, before, ratings)
    shown = Workings.build(system.name, steps, divided=trace.divided)
    return ratings, replace(shown, steps=settled(shown.steps, games, before, ratings))
