"""A player's games, and what follows from them: scores by colour, by event and by opponent, best and worst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from arpad.event.performance import Performance, performance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date


__all__ = ["Career", "CareerEvent", "CareerGame", "Met", "Tally"]

Colour = Literal["white", "black"]

PLAYED = ("played", "unrated")
"""Status of games that were played at the board, whether or not they are rated."""


class CareerGame(NamedTuple):
    """A game from one player's side."""

    id: int
    event_id: int
    event: str
    end: date | None
    time_control: str | None
    excluded: bool
    round: str | None
    date: date | None
    colour: Colour
    opponent_id: int | None
    """As the ledger has him today; None: a bye."""
    opponent: str | None
    score: float | None
    status: str
    rating: float | None
    """His own at the time: as the policy had it, else as the source gives it."""
    opponent_rating: float | None
    change: float | None
    """What the game added by the policy; None: it is not rated by it."""

    @property
    def played(self) -> bool:
        """Say whether it was played at the board, with a result."""
        return self.status in PLAYED and self.score is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Games played, their score, and how strong that was."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    performance: Performance | None
    """Of the games against opponents whose rating is known; None: there is no such game."""

    @property
    def share(self) -> float | None:
        """The score of a game, on average."""
        return self.score / self.games if self.games else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CareerEvent:
    """One event of a player."""

    id: int
    name: str
    end: date | None
    time_control: str | None
    excluded: bool
    games: int
    """Played at the board."""
    score: float
    """All points, those for forfeits and byes too."""
    change: float | None
    performance: Performance | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """An opponent, and the score against him."""

    id: int
    name: str
    tally: Tally
    last: date | None


@dataclass(frozen=True)
class Career:
    """All games of a player, the first one first."""

    games: tuple[CareerGame, ...]

    @cached_property
    def played(self) -> tuple[CareerGame, ...]:
        """Those that were played at the board."""
        return tuple(g for g in self.games if g.played)

    def total(self) -> Tally:
        """Return the score of all games."""
        return tally(self.played)

    def by_colour(self) -> dict[Colour, Tally]:
        """Return the score with White and with Black."""
        colours: tuple[Colour, ...] = ("white", "black")
        return {c: tally([g for g in self.played if g.colour == c]) for c in colours}

    @cached_property
    def events(self) -> tuple[CareerEvent, ...]:
        """The events, the last one first."""
        found: dict[int, list[CareerGame]] = {}
        for game in self.games:
            found.setdefault(game.event_id, []).append(game)
        events = [_event(games) for games in found.values()]
        return tuple(sorted(events, key=lambda e: (str(e.end or ""), e.id), reverse=True))

    def opponents(self) -> list[Met]:
        """Return everybody he met, the most games first; without performances."""
        found: dict[int, list[CareerGame]] = {}
        for game in self.played:
            if game.opponent_id is not None:
                found.setdefault(game.opponent_id, []).append(game)
        met = [
            Met(
                id=number,
                name=games[-1].opponent or "?",
                tally=tally(games, perform=False),
                last=games[-1].date,
            )
            for number, games in found.items()
        ]
        return sorted(met, key=lambda m: (-m.tally.games, m.name, m.id))

    def best_win(self) -> CareerGame | None:
        """Return the win against the highest rating."""
        won = [g for g in self.played if g.score == 1 and g.opponent_rating is not None]
        return max(won, key=lambda g: g.opponent_rating or 0.0, default=None)

    def worst_loss(self) -> CareerGame | None:
        """Return the loss against the lowest rating."""
        lost = [g for g in self.played if g.score == 0 and g.opponent_rating is not None]
        return min(lost, key=lambda g: g.opponent_rating or 0.0, default=None)

    def strongest(self, least: int) -> tuple[CareerEvent, CareerEvent] | None:
        """Return the events of the highest and the lowest performance, among those of at least so many games.

        Events in which somebody won, or lost, every game have no finite performance and are left out.
        """
        fitting = [
            (e.performance.rating, e)
            for e in self.events
            if e.performance and e.performance.games >= least and e.performance.rating is not None
        ]
        if not fitting:
            return None
        ordered = sorted(fitting, key=lambda pair: pair[0])
        return ordered[-1][1], ordered[0][1]


def tally(games: Sequence[CareerGame], *, perform: bool = True) -> Tally:
    """Return the score of some games that were played."""
    scores = [g.score or 0.0 for g in games]
    found = None
    if perform:
        rated = [(g.score or 0.0, r) for g in games if (r := g.opponent_rating) is not None]
        if rated:
            found = performance(sum([s for s, _ in rated]), [r for _, r in rated])
    return Tally(
        games=len(games),
        wins=scores.count(1),
        draws=scores.count(0.5),
        losses=scores.count(0),
        score=sum(scores),
        performance=found,
    )


def _event(games: Sequence[CareerGame]) -> CareerEvent:
    one = games[0]
    changes = [g.change for g in games if g.change is not None]
    counted = tally([g for g in games if g.played])
    return CareerEvent(
        id=one.event_id, name=one.event, end=one.end, time_control=one.time_control,
        excluded=one.excluded, games=counted.games, score=sum(g.score or 0.0 for g in games),
        change=sum(changes) if changes else None, performance=counted.performance,
    )  # fmt: skip
