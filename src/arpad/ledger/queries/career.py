"""A player's games: scores by colour, event and opponent, best and worst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import sqlalchemy as sa

from arpad.event.performance import Performance, performance
from arpad.ledger.db import tables
from arpad.ledger.decisions.subjects import today

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection


Colour = Literal["white", "black"]
PLAYED = ("played", "unrated")  # status of games that were played at the board, whether or not they are rated


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
    opponent_id: int | None  # as the ledger has him today; None: a bye
    opponent: str | None
    score: float | None
    status: str
    rating: float | None  # his own at the time: as the policy had it, else as the source gives it
    opponent_rating: float | None
    change: float | None  # rating change by the policy; None if the policy does not rate the game

    @property
    def played(self) -> bool:
        """Say whether it was played at the board, with a result."""
        return self.status in PLAYED and self.score is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class CareerTally:
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
    games: int  # played at the board
    score: float  # all points, those for forfeits and byes too
    change: float | None
    performance: Performance | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CareerOpponent:
    """An opponent, and the score against him."""

    id: int
    name: str
    tally: CareerTally
    last: date | None


@dataclass(frozen=True)
class Career:
    """All games of a player, the first one first."""

    games: tuple[CareerGame, ...]

    @cached_property
    def played(self) -> tuple[CareerGame, ...]:
        """Games that were played over the board."""
        return tuple(g for g in self.games if g.played)

    def total(self) -> CareerTally:
        """Return the score of all games."""
        return tally(self.played)

    def by_colour(self) -> dict[Colour, CareerTally]:
        """Return the score with White and with Black."""
        colours: tuple[Colour, ...] = ("white", "black")
        return {c: tally([g for g in self.played if g.colour == c]) for c in colours}

    @cached_property
    def events(self) -> tuple[CareerEvent, ...]:
        """The events, the last one first."""
        result: dict[int, list[CareerGame]] = {}
        for game in self.games:
            result.setdefault(game.event_id, []).append(game)
        events = [_event(games) for games in result.values()]
        return tuple(sorted(events, key=lambda e: (str(e.end or ""), e.id), reverse=True))

    def opponents(self) -> list[CareerOpponent]:
        """Return everybody he met, the most games first; without performances."""
        result: dict[int, list[CareerGame]] = {}
        for game in self.played:
            if game.opponent_id is not None:
                result.setdefault(game.opponent_id, []).append(game)
        met = [
            CareerOpponent(
                id=number,
                name=games[-1].opponent or "?",
                tally=tally(games, perform=False),
                last=games[-1].date,
            )
            for number, games in result.items()
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
        """Return the events of the highest and the lowest performance, among those of at least this many games.

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


def tally(games: Sequence[CareerGame], *, perform: bool = True) -> CareerTally:
    """Return the score of some games that were played."""
    scores = [g.score or 0.0 for g in games]
    result = None
    if perform:
        rated = [(g.score or 0.0, r) for g in games if (r := g.opponent_rating) is not None]
        if rated:
            result = performance(sum([s for s, _ in rated]), [r for _, r in rated])
    return CareerTally(
        games=len(games),
        wins=scores.count(1),
        draws=scores.count(0.5),
        losses=scores.count(0),
        score=sum(scores),
        performance=result,
    )


def _event(games: Sequence[CareerGame]) -> CareerEvent:
    one = games[0]
    changes = [g.change for g in games if g.change is not None]
    counted = tally([g for g in games if g.played])
    return CareerEvent(
        id=one.event_id,
        name=one.event,
        end=one.end,
        time_control=one.time_control,
        excluded=one.excluded,
        games=counted.games,
        score=sum(g.score or 0.0 for g in games),
        change=sum(changes) if changes else None,
        performance=counted.performance,
    )


# The games of a player out of the ledger, with the ratings and changes of a chain of runs.

OPPONENT = CareerGame._fields.index("opponent_id")


def career(
    connection: Connection, numbers: Sequence[int], chain: Sequence[int] = (), *, against: Sequence[int] = ()
) -> Career:
    """Return the games of a player.

    `numbers`: His own, and those of all who were merged into him.
    `chain`: Runs, as `making.runs.ancestry` gives them: ratings at the time, and changes, are those of their
    steps.
    `against`: Only the games against these players.
    """
    steps = _steps(connection, numbers, chain)
    queries = SIDES
    if against:
        g = tables.games.c
        queries = (SIDES[0].where(g.black_id.in_(against)), SIDES[1].where(g.white_id.in_(against)))
    asked = {"numbers": list(numbers)}
    rows = [row for query in queries for row in connection.execute(query, asked)]
    rows.sort(key=lambda row: (str(row.date or row.end or ""), row.event_id, row.number))
    ends = {
        row.opponent_id: today(connection, row.opponent_id) for row in rows if row.merged_into is not None
    }
    return Career(tuple(_game(row, ends, steps.get(row.id, NO_STEP)) for row in rows))


def games_played(connection: Connection, numbers: Sequence[int]) -> int:
    """Return how many games a player has played at the board."""
    g = tables.games.c
    return sum(
        connection.execute(
            sa.select(sa.func.count()).where(side.in_(numbers), g.status.in_(PLAYED), score.is_not(None))
        ).scalar_one()
        for side, score in ((g.white_id, g.score), (g.black_id, g.black_score))
    )


_Step = tuple[float | None, float | None, float | None]  # his rating, the opponent's, and the change
NO_STEP: _Step = (None, None, None)


def _side(mine: Colour, other: Colour) -> sa.Select[Any]:
    """Return a query for the games of some players with one colour; made once, asked often."""
    g, e, p = tables.games.c, tables.events.c, tables.players.c
    score = g.score if mine == "white" else g.black_score
    return (
        sa.select(
            g.id,
            g.event_id,
            e.name.label("event"),
            e.end,
            e.time_control,
            e.excluded,
            g.round,
            g.date,
            sa.literal(mine).label("colour"),
            g[f"{other}_id"].label("opponent_id"),
            p.name.label("opponent"),
            score.label("score"),
            g.status,
            g[f"{mine}_rating"].label("rating"),
            g[f"{other}_rating"].label("opponent_rating"),
            g.number,
            p.merged_into,
        )
        .select_from(tables.games)
        .join(tables.events, e.id == g.event_id)
        .outerjoin(tables.players, p.id == g[f"{other}_id"])
        .where(g[f"{mine}_id"].in_(sa.bindparam("numbers", expanding=True)))
    )


SIDES = (_side("white", "black"), _side("black", "white"))
_s = tables.steps.c
STEPS = sa.select(_s.game_id, _s.rating, _s.opponent_rating, _s.change).where(
    _s.run_id.in_(sa.bindparam("chain", expanding=True)),
    _s.player_id.in_(sa.bindparam("numbers", expanding=True)),
    _s.game_id.is_not(None),
)


def _steps(connection: Connection, numbers: Sequence[int], chain: Sequence[int]) -> dict[int, _Step]:
    """Return the step of every game along a chain of runs."""
    if not chain:
        return {}
    rows = connection.execute(STEPS, {"chain": list(chain), "numbers": list(numbers)})
    return {row.game_id: (row.rating, row.opponent_rating, row.change) for row in rows}


def _game(row: Any, ends: dict[int, int], step: _Step) -> CareerGame:
    *values, given, given_other, _, _ = row
    rating, other, change = step
    values[OPPONENT] = ends.get(row.opponent_id, row.opponent_id)
    values += [given if rating is None else rating, given_other if other is None else other, change]
    return CareerGame._make(values)
