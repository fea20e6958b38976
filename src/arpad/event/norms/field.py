"""The field of an event as norms see it: opponents, ratings, titles and federations."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.event.field import ON_THE_BOARD, joined_parts, kind_of, known_ratings, player_called, sides
from arpad.event.norms.rules import TITLES
from arpad.model import Event, Games

if TYPE_CHECKING:
    from arpad.event.norms.rules import NormRules
    from arpad.model import Ratings


PREDETERMINED = ("round robin", "Scheveningen", "match")
"""Kinds of event whose pairings are known before the first round [1.4.1e]."""
NO_FEDERATION = "FID"
"""1.4.2a: such players are accepted, but theirs is no federation."""
OUTSIDE = "NON"
"""1.4.2a: of no federation that belongs to FIDE; games against them do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormOpponent:
    """An opponent; None stands for unknown or missing data."""

    name: str = ""
    row: int | None = None
    rating: float | None = None
    title: str | None = None
    federation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NormGame:
    """One pairing from one player's side."""

    round: int
    opponent: NormOpponent
    score: float
    status: str
    """`played`, `unrated`, `forfeit` or `unplayed`, as in the table of games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormField:
    """An event, player by player."""

    people: tuple[NormOpponent, ...]
    sexes: tuple[str | None, ...]
    meetings: dict[int, tuple[NormGame, ...]]
    """By player, in the order of play."""
    byes: dict[int, dict[int, float]]
    """By player and round: the points."""
    kind: str
    host: str | None
    rounds: int
    """Scheduled, or as many as were played where nothing says so."""
    last: int
    """The last round with a result."""
    knows_titles: bool
    """Some player has a title: then the others are without one, not unknown."""
    knows_ratings: bool

    @property
    def predetermined(self) -> bool:
        """Say whether the pairings were known beforehand [1.4.1e]."""
        return any(word in self.kind for word in PREDETERMINED)

    def left(self, player: int) -> int:
        """Return how many rounds a player still has to come."""
        met = self.meetings.get(player, ())
        waiting = sum(m.status == "unplayed" and m.round <= self.last for m in met)
        absent = sum(number > self.last for number in self.byes.get(player, {}))
        return max(0, self.rounds - self.last - absent) + waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeOpen:
    """Share of foreign players in the weakest round of a Swiss [1.4.3d]."""

    players: int = 0
    federations: int = 0
    titled: int = 0

    def exempt(self, rules: NormRules) -> bool:
        """Say whether nobody needs to look at federations."""
        return (
            self.players >= rules.open_players
            and self.federations >= rules.open_federations
            and self.titled >= rules.open_titled
        )


def field_of(games: Games, rules: NormRules, rounds: int | None = None) -> NormField:
    """Return the field of `games`, taken as one event."""
    people = _people(games)
    meetings: dict[int, list[NormGame]] = defaultdict(list)
    byes: dict[int, dict[int, float]] = defaultdict(dict)
    known = [d for e in games.events for d in (e.start, e.end) if d is not None]
    days = [*known, *games.table["date"].drop_nulls()]
    lasted = bool(days) and (max(days) - min(days)).days > rules.long_days
    last = 0
    for side in sides(games):
        own, share = side.player, side.share or 0.0
        number = side.number or 1 + len(meetings[own]) + len(byes[own])
        if side.opponent is None:
            byes[own][number] = share
            continue
        if side.status != "unplayed":
            last = max(last, number)
        met = people[side.opponent]
        if lasted and side.rating is not None:
            met = replace(met, rating=side.rating)
        meetings[own].append(NormGame(round=number, opponent=met, score=share, status=side.status))
    event = games.events[0] if games.events else None
    return NormField(
        people=people,
        sexes=tuple(games.players["sex"].to_list()),
        meetings={p: tuple(sorted(result, key=lambda m: m.round)) for p, result in meetings.items()},
        byes=dict(byes),
        kind=_kind(games),
        host=(event.federation or "").upper() or None if event else None,
        rounds=rounds or max(last, (event.rounds if event else None) or 0),
        last=last,
        knows_titles=games.players["title"].is_not_null().any(),
        knows_ratings=any(p.rating is not None for p in people),
    )


def large_open(field: NormField) -> LargeOpen:
    """Return what 1.4.3d asks of every round, at its least; nothing where the host is not known.

    A player counts who is rated, not of the host's federation, and missed at most one round;
    in a round he is there with a game on the board or a full-point bye.
    """
    if field.host is None or field.kind != "Swiss" or not field.last:
        return LargeOpen()
    there: dict[int, set[int]] = {}
    for player, person in enumerate(field.people):
        abroad = person.federation not in (None, field.host, NO_FEDERATION, OUTSIDE)
        if person.rating is None or not abroad:
            continue
        met = field.meetings.get(player, ())
        byes = {r for r, points in field.byes.get(player, {}).items() if points == 1}
        came = {m.round for m in met if m.status in ON_THE_BOARD} | byes
        won = {m.round for m in met if m.status == "forfeit" and m.score}
        if field.last - len(came | won) <= 1:
            there[player] = came
    counts = []
    for number in range(1, field.last + 1):
        present = [field.people[p] for p, came in there.items() if number in came]
        federations = {p.federation for p in present}
        counts.append((len(present), len(federations), sum(p.title in TITLES for p in present)))
    players, federations_, titled = (min(c) for c in zip(*counts, strict=True))
    return LargeOpen(players=players, federations=federations_, titled=titled)


def _people(games: Games) -> tuple[NormOpponent, ...]:
    ratings = known_ratings(games)
    rows = games.players.select("name", "title", "federation").iter_rows()
    return tuple(
        NormOpponent(
            name=name or f"Player {row + 1}",
            row=row,
            rating=ratings.get(row),
            title=title.upper() if title else None,
            federation=federation.upper() if federation else None,
        )
        for row, (name, title, federation) in enumerate(rows)
    )


def _kind(games: Games) -> str:
    """Return the kind; an unfinished round robin looks like a Swiss unless the file says what it is."""
    said = " ".join(e.kind or "" for e in games.events).lower()
    seen = kind_of(games)
    if re.search(r"round.?robin|berger", said) and "round robin" not in seen:
        return "double round robin" if "double" in said else "round robin"
    if "swiss" in said and "individual" in said and seen in ("team event", "other"):
        return "Swiss"
    return seen


# Titles, federations and ratings that an event file does not carry, from a rating list.

FILLED = ("title", "federation", "sex")


def with_list(games: Games, listed: Ratings) -> tuple[Games, int]:
    """Return the games with what a rating list knows of the players, and how many it knows.

    What the file says stays. A player in the list without a title has none.
    """
    players = games.players
    result = listed.lookup(players, "rating").cast(pl.Float64)
    known = result.is_not_null()
    columns = []
    for name in FILLED:
        if name not in listed.rows.columns or listed.rows[name].is_null().all():
            continue
        theirs = listed.lookup(players, name).cast(pl.String)
        if name == "title":
            theirs = pl.select(pl.when(known).then(theirs.fill_null(""))).to_series()
        columns.append(pl.select(pl.coalesce(players[name], theirs)).to_series().alias(name))
    rated = known_ratings(games)
    own = [
        rating if rating is not None or row in rated else theirs
        for row, (rating, theirs) in enumerate(zip(players["rating"], result, strict=True))
    ]
    columns.append(pl.Series("rating", own, dtype=pl.Float64))
    filled = Games(games.table, players.with_columns(columns), games.events)
    return filled, int(known.sum())


@dataclass(frozen=True, slots=True)
class Part:
    """One event of several: its games, and the row that each of its players has in the whole."""

    name: str
    games: Games
    rows: tuple[int, ...]

    def row(self, player: int) -> int | None:
        """Return a player's row here, None if he has no part in the event."""
        return self.rows.index(player) if player in self.rows else None


def one_event(games: Games) -> list[Part]:
    """Return the events of some games, each with its own players: a norm is made in one event."""
    games = joined_parts(games)
    if len(games.events) < 2:
        name = games.events[0].name if games.events else "Event"
        return [Part(name, games, tuple(range(games.players.height)))]
    parts = []
    for table in games.table.partition_by("event", maintain_order=True):
        row = table["event"][0]
        event = Event(name="Event") if row is None else games.events[row]
        here = pl.concat([table["white"], table["black"].drop_nulls()]).unique().sort()
        number = {old: new for new, old in enumerate(here)}
        sides = [pl.col(side).replace_strict(number, return_dtype=pl.Int32) for side in ("white", "black")]
        own = table.with_columns(*sides, pl.lit(0, dtype=pl.Int32).alias("event"))
        event = event.moved(number)
        parts.append(Part(event.name, Games(own, games.players[here], (event,)), tuple(here)))
    return parts


def find_player(games: Games, text: str) -> int:
    """Return the row of a player called by name, part of a name, or id."""
    return player_called(text, games.players["name"].to_list(), games.players["id"].to_list())
