"""The games of each period, and what changed between two chains of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import IN_ONE, frame, frame_in, rows_in
from arpad.ledger.decisions.ratings import MANUAL, manual_ratings
from arpad.model import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.policy import Policy
    from arpad.ledger.runs import KeptRun


# What was played, as the chain of lists takes it out of the ledger: events by period, then their games.

FEW = 5_000
"""Players up to which rows are looked up by number; above, the whole table is read."""
STANDARD = "standard"
"""Time control of an event that names none."""
EVENTS = schema(
    {
        "event_id": pl.Int64,
        "name": pl.String,
        "start": pl.Date,
        "end": pl.Date,
        "content": pl.String,
        "closing": pl.Date,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Numbers of events that a policy does not rate, by reason."""

    excluded: int = 0
    other_time_control: int = 0
    undated: int = 0
    too_early: int = 0
    later: int = 0

    def words(self) -> str:
        """Return the reasons that matter, in words; "" for none."""
        told = {
            "excluded": self.excluded,
            "without a date": self.undated,
            "before the first period": self.too_early,
        }
        return ", ".join(f"{n:,} {why}" for why, n in told.items() if n)


def events_by_period(
    connection: Connection, policy: Policy, until: date | None
) -> tuple[pl.DataFrame, LeftOut]:
    """Return the events that a policy rates, each with the closing date of its period, in their order.

    An event counts in the period in which it ended. The order is that of the days, then of what
    their reports said: it does not depend on when they were imported, nor on the numbers of players.

    Parameters
    ----------
    until
        The closing date of the last period; None: all of them.
    """
    e = tables.events
    columns = (
        e.c.id.label("event_id"),
        e.c.name,
        e.c.start,
        e.c.end,
        e.c.time_control,
        e.c.content,
        e.c.source,
        e.c.excluded,
    )
    result = frame(connection, sa.select(*columns).order_by(e.c.id))
    counted = result.filter(~pl.col("excluded"))
    control = pl.col("time_control").fill_null(STANDARD)
    mine = counted
    if policy.time_control is not None:
        mine = counted.filter(control == policy.time_control)
    dated = mine.with_columns(pl.coalesce("end", "start").alias("ended")).filter(
        pl.col("ended").is_not_null()
    )
    rated = dated.filter(pl.col("ended") >= policy.schedule.rated_from())
    days = rated["ended"].unique().to_list()
    closings = {day: policy.schedule.closing_for(day) for day in days}
    rated = rated.with_columns(
        pl.col("ended").replace_strict(closings, default=None, return_dtype=pl.Date).alias("closing")
    )
    now = rated.filter(pl.col("closing").is_not_null())
    if until is not None:
        now = now.filter(pl.col("closing") <= until)
    left = LeftOut(
        excluded=result.height - counted.height,
        other_time_control=counted.height - mine.height,
        undated=mine.height - dated.height,
        too_early=dated.height - rated.height,
        later=rated.height - now.height,
    )
    order = ("closing", "ended", "start", "name", "source", "event_id")
    return now.sort(order, nulls_last=False).select(EVENTS.names()).cast(EVENTS), left


def set_by_hand(connection: Connection, policy: Policy, until: date) -> pl.DataFrame:
    """Return the ratings that were set by hand, each with the closing date of its period."""
    result = pl.DataFrame(schema=MANUAL)
    d = tables.decisions
    some = sa.select(d.c.id).where(d.c.kind.in_(("rating", "repair"))).limit(1)
    if connection.execute(some).first() is not None:
        result = manual_ratings(connection, policy.name)
    closings = {day: policy.schedule.closing_for(day) for day in result["on"].unique().to_list()}
    day = pl.col("on").replace_strict(closings, default=None, return_dtype=pl.Date)
    start = policy.schedule.rated_from()
    return (
        result.with_columns(day.alias("closing"))
        .filter((pl.col("closing") <= until) & (pl.col("on") >= start))
        .sort("closing", "on", "decision", "player_id")
        .select("closing", "player_id", "rating", "settings", "rule")
    )


def profiles(connection: Connection, wanted: pl.Series | None = None) -> pl.DataFrame:
    """Return `player_id`, `name`, `birth`, `sex`, `federation`, `title` of everybody, or of these."""
    p = tables.players
    columns = (p.c.id.label("player_id"), p.c.name, p.c.birth, p.c.sex, p.c.federation, p.c.title)
    query = sa.select(*columns).order_by(p.c.id)
    if wanted is None or len(wanted) > FEW:
        return frame(connection, query)
    return frame_in(connection, query, p.c.id, wanted.to_list()).sort("player_id")


def games_of_events(
    connection: Connection, events: pl.DataFrame, into: dict[int, int], *, given: bool
) -> pl.DataFrame:
    """Return the games that were played in these events, event by event in their order.

    Parameters
    ----------
    into
        Who is who today.
    given
        With the ratings that the reports give.
    """
    g = tables.games
    ratings = (g.c.white_rating, g.c.black_rating) if given else ()
    columns = (
        g.c.id.label("game_id"),
        g.c.event_id,
        g.c.number,
        g.c.round,
        g.c.date,
        g.c.white_id,
        g.c.black_id,
        g.c.score,
        *ratings,
    )
    query = sa.select(*columns).where(g.c.status == "played").order_by(g.c.id)
    wanted = events["event_id"]
    if _most(connection, wanted):
        rows = frame(connection, query)
    else:
        rows = frame_in(connection, query, g.c.event_id, wanted.to_list())
    place = events.select("event_id", "closing").with_row_index("place")
    rows = rows.join(place, on="event_id", how="inner").sort("place", "number", "game_id")
    if into:
        rows = rows.with_columns(pl.col("white_id", "black_id").replace(into))
    return rows.drop("place")


def _most(connection: Connection, wanted: pl.Series) -> bool:
    """Say whether this many events are wanted that the whole table is read faster."""
    count = connection.execute(sa.select(sa.func.count()).select_from(tables.events)).scalar_one()
    return len(wanted) > IN_ONE and 2 * len(wanted) > count


# Between two chains of runs: which events came, went or changed, and who played in them.

What = Literal["counts now", "counts no more", "changed"]
NAMED = 3
"""Events that a cause names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPlay:
    """Differences between the games of two chains.

    Parameters
    ----------
    events
        What became of each event.
    names
        What people call it.
    players
        In which of them each player played.
    by_hand
        Whose ratings were set by hand in one chain and not in the other, and why.
    merged
        Who is somebody else today.
    rules
        Whether the rules are other ones.
    """

    events: Mapping[int, What] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    players: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    by_hand: Mapping[int, str] = field(default_factory=dict)
    merged: Mapping[int, int] = field(default_factory=dict)
    rules: bool = False

    def cause(self, player: int) -> str:
        """Return why a player's figure is another one."""
        if player in self.merged:
            return f"is player {self.merged[player]} now"
        said = [self.by_hand[player]] if player in self.by_hand else []
        if player in self.players:
            said.append(f"played in {self._named(self.players[player])}")
        if not said and self.events:
            said.append(f"through opponents: {self._named(tuple(self.events))}")
        if not said and self.by_hand:
            said.append("through opponents: ratings set by hand")
        if not said and self.rules:
            said.append("other rules of the policy")
        return "; ".join(said) or "through opponents"

    def summary(self) -> str:
        """Return what is other, in words."""
        said = [self._named(tuple(self.events), most=10)] if self.events else []
        if self.by_hand:
            said.append(f"{len(self.by_hand):,} set by hand")
        if self.rules:
            said.append("other rules")
        return "; ".join(said) or "nothing"

    def _named(self, events: tuple[int, ...], most: int = NAMED) -> str:
        words = [f"{self.names.get(e, f'event {e}')} ({self.events[e]})" for e in events[:most]]
        more = len(events) - most
        return ", ".join(words) + (f" and {more:,} more" if more > 0 else "")


def changed_play(
    connection: Connection, old: Sequence[KeptRun], new: Sequence[KeptRun], merged: Mapping[int, int]
) -> ChangedPlay:
    """Return what is other in the new chain than in the old one.

    Parameters
    ----------
    merged
        Who is who today.
    """
    was, is_now = _events(old), _events(new)
    events: dict[int, What] = {}
    for event in sorted({*was, *is_now}):
        if event not in was:
            events[event] = "counts now"
        elif event not in is_now:
            events[event] = "counts no more"
        elif was[event] != is_now[event]:
            events[event] = "changed"
    then, today = _by_hand(old), _by_hand(new)
    hands = {
        p: today.get(p) or f"no longer {then[p]}" for p in {*then, *today} if then.get(p) != today.get(p)
    }
    rules = {run.closing: run.figures.get("rules") for run in old}
    other = any(rules.get(run.closing, run.figures.get("rules")) != run.figures.get("rules") for run in new)
    return ChangedPlay(
        events=events,
        names=_names(connection, sorted(events)),
        players=who_played(connection, sorted(events), merged),
        by_hand=hands,
        merged=merged,
        rules=other,
    )


def _events(runs: Sequence[KeptRun]) -> dict[int, tuple[str, object]]:
    return {e: (content, run.closing) for run in runs for e, content in run.events.items()}


def _by_hand(runs: Sequence[KeptRun]) -> dict[int, str]:
    return {player: rule for run in runs for player, rule in run.by_hand.items()}


def _names(connection: Connection, events: Sequence[int]) -> dict[int, str]:
    e = tables.events
    query = sa.select(e.c.id, e.c.name)
    return dict(rows_in(connection, query, e.c.id, events))


def who_played(
    connection: Connection, events: Sequence[int], merged: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """Return in which of these events each player of today played a game."""
    g = tables.games
    if not events:
        return {}
    query = sa.select(g.c.event_id, g.c.white_id, g.c.black_id).where(g.c.status == "played")
    rows = frame_in(connection, query.order_by(g.c.id), g.c.event_id, events)
    sides = [rows.select("event_id", pl.col(s).alias("player")) for s in ("white_id", "black_id")]
    pairs = (
        pl.concat(sides)
        .with_columns(pl.col("player").replace(dict(merged)))
        .unique()
        .sort("player", "event_id")
    )
    result: dict[int, list[int]] = {}
    for event, player in pairs.iter_rows():
        result.setdefault(player, []).append(event)
    return {player: tuple(each) for player, each in result.items()}
