"""The chain of periods behind a list: each run is found by its key, or computed and kept.

A late event, an exclusion, a merged player: the key of its period changes, and with it all keys after it.
Those runs are made anew; what was published keeps the runs it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from arpad.office.making.keys import run_key, run_rules
from arpad.office.making.period import PlayedPeriod, rate_period
from arpad.office.making.played import (
    EVENTS,
    LeftOut,
    events_by_period,
    games_of_events,
    profiles,
    set_by_hand,
)
from arpad.office.making.runs import ancestry, chain_states, runs_by_key, state_at, write_run
from arpad.office.making.state import empty_state
from arpad.office.records.merges import merged_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.making.period import PeriodRun
    from arpad.office.making.runs import KeptRun
    from arpad.office.rules.policies import KeptPolicy
    from arpad.office.rules.policy import Policy

__all__ = ["Chain", "Link", "Standing", "keep", "planned", "standing_at", "worked_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One period with something in it."""

    closing: date
    key: str
    events: pl.DataFrame
    by_hand: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where everybody stands on a closing date, and stood on the one before.

    Parameters
    ----------
    played
        The states of the run of the period itself: nobody's if nothing was played in it.
    columns
        What travels in the states.
    """

    state: pl.DataFrame
    earlier: pl.DataFrame
    played: pl.DataFrame
    columns: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Chain:
    """The periods up to a closing date, and as far as they had to be computed what came of them.

    Parameters
    ----------
    known
        Runs that are in the ledger, by key.
    computed
        Runs that are not yet, by key.
    """

    policy: Policy
    closing: date
    links: list[Link]
    left_out: LeftOut
    known: dict[str, KeptRun] = field(default_factory=dict)
    computed: dict[str, PeriodRun] = field(default_factory=dict)
    standing: Standing | None = None
    """Where everybody stands at the end, if that was computed."""

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

    Parameters
    ----------
    step
        Told how many of how many periods are done.
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
    chain.standing = _standing_on(chain.closing, missing[-1].closing, state, earlier, run)
    return chain


def _standing_on(
    closing: date, last: date, state: pl.DataFrame, earlier: pl.DataFrame, run: PeriodRun
) -> Standing:
    if last < closing:  # nothing was played in the period of the list
        return Standing(state=state, earlier=state, played=empty_state(), columns=run.columns)
    return Standing(state=state, earlier=earlier, played=run.states, columns=run.columns)


def standing_at(connection: Connection, run: KeptRun | None, closing: date) -> Standing:
    """Return where everybody stood on a closing date, from the ledger: `run` is the last one up to it."""
    if run is None:
        nobody = empty_state()
        return Standing(state=nobody, earlier=nobody, played=nobody, columns={})
    runs = ancestry(connection, run.id)
    now = chain_states(connection, runs)
    state = now.drop("run_id")
    if run.closing < closing:
        return Standing(state=state, earlier=state, played=empty_state(), columns=run.columns)
    mine = pl.col("run_id") == run.id
    before = chain_states(connection, runs[:-1], of_run=run.id)
    earlier = pl.concat([now.filter(~mine), before]).drop("run_id").sort("player_id")
    played = now.filter(mine).drop("run_id")
    return Standing(state=state, earlier=earlier, played=played, columns=run.columns)


def _before(
    connection: Connection, chain: Chain, first: Link
) -> tuple[pl.DataFrame, Mapping[str, str]]:
    """Return where everybody stands before the first run that is to be computed."""
    at = chain.keys.index(first.key)
    if at == 0:
        return empty_state(), {}
    before = chain.known[chain.links[at - 1].key]
    return state_at(connection, before.id), before.columns


def keep(
    connection: Connection,
    kept: KeptPolicy,
    chain: Chain,
    step: Callable[[str], None] = lambda _: None,
) -> dict[str, KeptRun]:
    """Write the runs that were computed, unless somebody else has meanwhile; return all by key.

    Parameters
    ----------
    step
        Called before each run is written; crash tests stop here.
    """
    found = runs_by_key(connection, chain.keys)
    previous: int | None = None
    for link in chain.links:
        if link.key not in found:
            step("runs")
            found[link.key] = write_run(
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
        previous = found[link.key].id
    return found
