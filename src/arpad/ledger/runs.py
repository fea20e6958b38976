"""Runs: the games of each period, and the chain of periods behind a list, kept by key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import IN_ONE, bulk_insert, frame, frame_in, next_id, rows_in
from arpad.ledger.db.tables import document_text, now
from arpad.ledger.decisions.decisions import decisions
from arpad.ledger.decisions.ratings import MANUAL, manual_ratings
from arpad.ledger.period import STATE_SCHEMA, PlayedPeriod, empty_state, rate_period, steps_by_number
from arpad.ledger.policy import kept_policies
from arpad.ledger.register import merged_ends
from arpad.model import columns, schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.period import PeriodRun
    from arpad.ledger.policy import KeptPolicy, Policy


# What was played, as the chain of lists takes it out of the ledger: events by period, then their games.

FEW = 5_000
"""Players up to which rows are looked up by number; above, the whole table is read."""
STANDARD = "standard"
"""Time control of an event that names none."""
EVENTS = schema(columns("event_id:int name:str start:date end:date content:str closing:date"))


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

    `until`: The closing date of the last period; None: all of them.
    """
    e = tables.events
    columns = (
        e.c.id.label("event_id"),
        *(e.c[name] for name in ("name", "start", "end", "time_control", "content", "source", "excluded")),
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

    `into`: Who is who today.
    `given`: With the ratings that the reports give.
    """
    g = tables.games
    ratings = (g.c.white_rating, g.c.black_rating) if given else ()
    columns = (
        g.c.id.label("game_id"),
        *(g.c[name] for name in ("event_id", "number", "round", "date", "white_id", "black_id", "score")),
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
    """Differences between the games of two chains."""

    events: Mapping[int, What] = field(default_factory=dict)  # what became of each event
    names: Mapping[int, str] = field(default_factory=dict)  # what people call it
    players: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """In which of them each player played."""
    by_hand: Mapping[int, str] = field(default_factory=dict)
    """Whose ratings were set by hand in one chain and not in the other, and why."""
    merged: Mapping[int, int] = field(default_factory=dict)  # who is somebody else today
    rules: bool = False  # whether the rules are other ones

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

    `merged`: Who is who today.
    """
    e = tables.events
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
        names=dict(rows_in(connection, sa.select(e.c.id, e.c.name), e.c.id, sorted(events))),
        players=who_played(connection, sorted(events), merged),
        by_hand=hands,
        merged=merged,
        rules=other,
    )


def _events(runs: Sequence[KeptRun]) -> dict[int, tuple[str, object]]:
    return {e: (content, run.closing) for run in runs for e, content in run.events.items()}


def _by_hand(runs: Sequence[KeptRun]) -> dict[int, str]:
    return {player: rule for run in runs for player, rule in run.by_hand.items()}


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
    events_of = pairs.group_by("player", maintain_order=True).agg("event_id")
    return {player: tuple(each) for player, each in events_of.iter_rows()}


# The key of a run: the same rules, the same run before and the same play give the same key.
#
# So nothing is computed twice, and a change anywhere is seen at once: every key after it is another.

DIGEST = 16
"""Bytes of a key."""
MAKING = 1
"""Raised when the same rules and play give other figures than they did: no older run is then reused."""


def run_rules(policy: Policy, closing: date) -> dict[str, Any]:
    """Return what of a policy decides the figures of the period that closes on a day."""
    system, options = policy.in_force(closing)
    return {
        "system": system,
        "options": options,
        "given": policy.given,
        "floor": policy.floor,
        "round_to": policy.round_to,
        "carries": policy.carries,
    }


def run_key(
    policy: Policy, closing: date, previous: str | None, events: pl.DataFrame, by_hand: pl.DataFrame
) -> str:
    """Return the key of the run of one period.

    `events`: Of the period, in their order: what they hold (`content`), and their days.
    `by_hand`: Ratings set by hand in the period.
    """
    return _key_of(
        run_rules(policy, closing),
        policy.schedule.opens(closing),
        closing,
        previous,
        events.select("content", "start", "end").rows(),
        by_hand.drop("closing", strict=False).rows(),
    )


def _key_of(
    rules: Mapping[str, Any],
    opens: date,
    closing: date,
    previous: str | None,
    events: Sequence[tuple[str, date | None, date | None]],
    by_hand: Sequence[tuple[Any, ...]],
) -> str:
    document = {
        "making": MAKING,
        "rules": rules,
        "opens": opens.isoformat(),
        "closing": closing.isoformat(),
        "previous": previous,
        "events": [
            [content, start and start.isoformat(), end and end.isoformat()] for content, start, end in events
        ],
        "by_hand": by_hand,
    }
    return hashlib.blake2b(document_text(document).encode(), digest_size=DIGEST).hexdigest()


# Runs in the ledger: found by their keys, read back along their chain, written whole.


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """One run as the ledger has it."""

    id: int
    key: str
    closing: date
    previous_id: int | None
    figures: Mapping[str, Any]

    @property
    def columns(self) -> dict[str, str]:
        """Columns of the states, and their types."""
        return dict(self.figures.get("columns", {}))

    @property
    def events(self) -> dict[int, str]:
        """The events of its period, and what each held."""
        return {int(event): content for event, content in self.figures.get("events", ())}

    @property
    def by_hand(self) -> dict[int, str]:
        """Ratings set by an officer in the period, and why."""
        return {int(player): rule for player, rule in self.figures.get("by_hand", ())}


def runs_by_key(connection: Connection, keys: Sequence[str]) -> dict[str, KeptRun]:
    """Return the runs that have one of these keys."""
    r = tables.runs
    result: dict[str, KeptRun] = {}
    for row in rows_in(connection, sa.select(r).order_by(r.c.id), r.c.key, keys):
        result.setdefault(row.key, _kept(row))
    return result


def runs_numbered(connection: Connection, numbers: Sequence[int]) -> list[KeptRun]:
    """Return runs by their numbers, in the order of these."""
    r = tables.runs
    return [_kept(row) for row in rows_in(connection, sa.select(r).order_by(r.c.id), r.c.id, numbers)]


def _kept(row: Any) -> KeptRun:
    return KeptRun(
        id=row.id, key=row.key, closing=row.closing, previous_id=row.previous_id, figures=row.figures or {}
    )


def ancestry(connection: Connection, number: int | None) -> list[int]:
    """Return a run and all before it, the first one first."""
    r = tables.runs
    before = dict(connection.execute(sa.select(r.c.id, r.c.previous_id).order_by(r.c.id)).all())
    result = []
    while number is not None:
        result.append(number)
        number = before[number]
    return result[::-1]


def published_runs(connection: Connection) -> set[int]:
    """Return the runs that a published list rests on."""
    t = tables.lists
    query = sa.select(t.c.run_id).where(t.c.published.is_not(None), t.c.run_id.is_not(None)).distinct()
    return {run for last in connection.execute(query).scalars() for run in ancestry(connection, last)}


def state_at(connection: Connection, number: int | None) -> pl.DataFrame:
    """Return where everybody stands after a run: the last row of each player along its chain."""
    if number is None:
        return empty_state()
    return chain_states(connection, ancestry(connection, number)).drop("run_id")


def chain_states(connection: Connection, runs: Sequence[int], *, of_run: int | None = None) -> pl.DataFrame:
    """Return the last row of each player among these runs, and which run that is.

    A run is always written after the one before it, so that the last along a chain is the one with
    the greatest number.

    `of_run`: Only of those players who have a row in this run.
    """
    s = tables.states
    if not runs:
        return empty_state().with_columns(pl.lit(None, dtype=pl.Int64).alias("run_id"))
    those = sa.select(s.c.player_id, sa.func.max(s.c.run_id).label("run_id")).where(s.c.run_id.in_(runs))
    if of_run is not None:
        o = s.alias("o")
        those = those.where(s.c.player_id.in_(sa.select(o.c.player_id).where(o.c.run_id == of_run)))
    last = those.group_by(s.c.player_id).subquery()
    columns = [s.c[name] for name in STATE_SCHEMA]
    query = (
        sa.select(*columns, s.c.run_id)
        .join(last, sa.and_(s.c.player_id == last.c.player_id, s.c.run_id == last.c.run_id))
        .order_by(s.c.run_id, s.c.player_id)
    )
    return frame(connection, query).sort("player_id")


def write_run(
    connection: Connection,
    *,
    policy_id: int,
    key: str,
    closing: date,
    previous_id: int | None,
    run: PeriodRun,
    events: pl.DataFrame,
    by_hand: pl.DataFrame,
    rules: Mapping[str, Any],
) -> KeptRun:
    """Write a run with its states and steps."""
    number = next_id(connection, tables.runs)
    figures = {
        "columns": dict(run.columns),
        "events": events.select("event_id", "content").rows(),
        "by_hand": by_hand.select("player_id", "rule").rows(),
        "rules": rules,
        "players": run.states.height,
        "games": run.steps["game_id"].n_unique() - int(run.steps["game_id"].has_nulls()),
        "notes": list(run.notes),
    }
    connection.execute(
        tables.runs.insert().values(
            id=number,
            policy_id=policy_id,
            closing=closing,
            previous_id=previous_id,
            key=key,
            made=now(),
            figures=figures,
        )
    )
    of_run = pl.lit(number, dtype=pl.Int64).alias("run_id")
    steps, ruled = steps_by_number(run.steps)
    bulk_insert(connection, tables.states, run.states.select(of_run, pl.all()))
    bulk_insert(connection, tables.rules, ruled.select(of_run, "number", "text"))
    bulk_insert(connection, tables.steps, steps.select(of_run, pl.all()))
    return KeptRun(
        id=number, key=key, closing=closing, previous_id=previous_id, figures=json.loads(json.dumps(figures))
    )


def changed_keys(connection: Connection) -> Iterator[str]:
    """Say which runs do not have the key of the rules, the events and the days that they rest on.

    Days that a decision has changed, and ratings set by hand that are others now, are left to the log.
    """
    e, r = tables.events.c, tables.runs
    rows = [(_kept(row), row.policy_id) for row in connection.execute(sa.select(r).order_by(r.c.id))]
    keys = {run.id: run.key for run, _ in rows}
    days = {row.id: (row.start, row.end) for row in connection.execute(sa.select(e.id, e.start, e.end))}
    documents = {kept.id: kept for kept in kept_policies(connection)}
    corrected = {
        change.key["id"]
        for decision in decisions(connection)
        for change in decision.changes
        if change.table == "events" and {"start", "end"} & {*(change.before or {})}
    }
    for run, policy_id in rows:
        rules = run.figures.get("rules")
        if rules is None or not documents[policy_id].computed or corrected & run.events.keys():
            continue
        called = f"the calculation of the play to {run.closing} (run {run.id})"
        if gone := sorted(run.events.keys() - days.keys()):
            yield f"{called} rests on event {gone[0]}, which is not there"
            continue
        policy = documents[policy_id].policy
        hand = set_by_hand(connection, policy, run.closing).filter(pl.col("closing") == run.closing)
        if dict(hand.select("player_id", "rule").iter_rows()) != run.by_hand:
            continue
        key = _key_of(
            rules,
            policy.schedule.opens(run.closing),
            run.closing,
            keys.get(run.previous_id or 0),
            [(content, *days[event]) for event, content in run.events.items()],
            hand.drop("closing").rows(),
        )
        if key != run.key:
            yield f"{called} rests on other days of its events, other rules or another run before it than it says"


# The chain of periods behind a list: each run is found by its key, or computed and kept.
#
# A late event, an exclusion, a merged player: the key of its period changes, and with it all keys after it.
# Those runs are made again; what was published keeps the runs it was made from.


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One period with something in it."""

    closing: date
    key: str
    events: pl.DataFrame
    by_hand: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStandings:
    """States on a closing date, and on the one before."""

    state: pl.DataFrame
    earlier: pl.DataFrame
    played: pl.DataFrame  # the states of the run of the period itself: nobody's if nothing was played in it
    columns: Mapping[str, str]  # what travels in the states


@dataclass(slots=True, kw_only=True)
class Chain:
    """The periods up to a closing date, and as far as they had to be computed what came of them."""

    policy: Policy
    closing: date
    links: list[Link]
    left_out: LeftOut
    known: dict[str, KeptRun] = field(default_factory=dict)  # runs that are in the ledger, by key
    computed: dict[str, PeriodRun] = field(default_factory=dict)  # runs that are not yet, by key
    standing: RunStandings | None = None  # states at the end, if they were calculated

    @property
    def keys(self) -> list[str]:
        """The keys in the order of the periods."""
        return [link.key for link in self.links]

    def key_at(self, closing: date) -> str | None:
        """Return the key of the last run up to a closing date; None: nothing was played."""
        return next((k.key for k in reversed(self.links) if k.closing <= closing), None)


def planned(connection: Connection, policy: Policy, closing: date) -> Chain:
    """Return the periods up to a closing date with their keys; nothing is computed."""
    events, left_out = events_by_period(connection, policy, closing)
    by_hand = set_by_hand(connection, policy, closing)
    parts = {day: part for (day,), part in events.group_by("closing", maintain_order=True)}
    hands = {day: part for (day,), part in by_hand.group_by("closing", maintain_order=True)}
    nothing, nobody = pl.DataFrame(schema=EVENTS), by_hand.clear()
    links: list[Link] = []
    for day in sorted({*parts, *hands}):
        mine, hand = parts.get(day, nothing), hands.get(day, nobody)
        previous = links[-1].key if links else None
        key = run_key(policy, day, previous, mine, hand)
        links.append(Link(closing=day, key=key, events=mine, by_hand=hand))
    chain = Chain(policy=policy, closing=closing, links=links, left_out=left_out)
    chain.known = runs_by_key(connection, chain.keys)
    return chain


def worked_out(
    connection: Connection, chain: Chain, step: Callable[[int, int], None] = lambda *_: None
) -> Chain:
    """Compute the runs that the ledger does not have.

    `step`: Told how many of how many periods are done.
    """
    missing = [link for link in chain.links if link.key not in chain.known]
    if not missing:
        return chain
    state, columns = _before(connection, chain, missing[0])
    events = pl.concat([link.events for link in missing])
    into = merged_ends(connection)
    games = games_of_events(connection, events, into, given=chain.policy.given)
    who = pl.concat([games["white_id"], games["black_id"].rename("white_id")]).unique().sort()
    today = profiles(connection, who)
    parts = {day: part for (day,), part in games.group_by("closing", maintain_order=True)}
    for number, link in enumerate(missing):
        period = PlayedPeriod(
            opens=chain.policy.schedule.opens(link.closing),
            closing=link.closing,
            events=link.events,
            games=parts.get(link.closing, games.clear()),
            players=today,
            adjustments=link.by_hand.drop("closing"),
        )
        run = rate_period(chain.policy, period, state, columns)
        earlier, state, columns = state, run.after(state), run.columns
        chain.computed[link.key] = run
        step(number + 1, len(missing))
    played = run.states
    if missing[-1].closing < chain.closing:  # nothing was played in the period of the list
        earlier, played = state, empty_state()
    chain.standing = RunStandings(state=state, earlier=earlier, played=played, columns=run.columns)
    return chain


def standing_at(connection: Connection, run: KeptRun | None, closing: date) -> RunStandings:
    """Return where everybody stood on a closing date, from the ledger: `run` is the last one up to it."""
    if run is None:
        nobody = empty_state()
        return RunStandings(state=nobody, earlier=nobody, played=nobody, columns={})
    runs = ancestry(connection, run.id)
    now = chain_states(connection, runs)
    state = now.drop("run_id")
    if run.closing < closing:
        return RunStandings(state=state, earlier=state, played=empty_state(), columns=run.columns)
    mine = pl.col("run_id") == run.id
    before = chain_states(connection, runs[:-1], of_run=run.id)
    earlier = pl.concat([now.filter(~mine), before]).drop("run_id").sort("player_id")
    played = now.filter(mine).drop("run_id")
    return RunStandings(state=state, earlier=earlier, played=played, columns=run.columns)


def _before(connection: Connection, chain: Chain, first: Link) -> tuple[pl.DataFrame, Mapping[str, str]]:
    """Return where everybody stands before the first run that is to be computed."""
    at = chain.keys.index(first.key)
    if at == 0:
        return empty_state(), {}
    before = chain.known[chain.links[at - 1].key]
    return state_at(connection, before.id), before.columns


def keep(
    connection: Connection, kept: KeptPolicy, chain: Chain, step: Callable[[str], None] = lambda _: None
) -> dict[str, KeptRun]:
    """Write the runs that were computed, unless somebody else has meanwhile; return all by key.

    `step`: Called before each run is written; crash tests stop here.
    """
    result = runs_by_key(connection, chain.keys)
    previous: int | None = None
    for link in chain.links:
        if link.key not in result:
            step("runs")
            result[link.key] = write_run(
                connection,
                policy_id=kept.id,
                key=link.key,
                closing=link.closing,
                previous_id=previous,
                run=chain.computed[link.key],
                events=link.events,
                by_hand=link.by_hand,
                rules=run_rules(chain.policy, link.closing),
            )
        previous = result[link.key].id
    return result
