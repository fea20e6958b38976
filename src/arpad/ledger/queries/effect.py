"""Preview of a decision: it is applied in a transaction, compared, and rolled back.

The trial is a writer's transaction that is never kept. Within it the decision is taken as it would be, and the
lists of every policy are worked out as the ledger stands before it and after it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import rows_in
from arpad.ledger.lists import kept_lists, list_entries
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.lists import differing
from arpad.ledger.runs import planned, standing_at, worked_out
from arpad.model import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.runs import Chain


MOST_GAMES = 60_000
"""Games that are rated again for a look; more of them take longer than somebody likes to wait."""
CHANGED = schema(
    {
        "player_id": pl.Int64,
        "name": pl.String,
        "before": pl.Float64,  # null: not rated
        "after": pl.Float64,
        "difference": pl.Float64,
    }
)
"""Figures of a list that would be other ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEffect:
    """Effect on the last list of a policy."""

    policy: str
    name: str
    closing: date
    games: int  # how many games had to be rated again, or would have to be
    rows: pl.DataFrame | None  # `CHANGED`, the largest differences first; None: too many games to look at now

    def summary(self) -> str:
        """Return one sentence."""
        where = f"list {self.name} of {self.policy}"
        if self.rows is None:
            return f"{where}: {self.games:,} games are rated again when it is made, too many for a preview"
        if not self.rows.height:
            return f"{where}: no figure changes"
        largest = self.rows["difference"].abs().max()
        told = f", by up to {largest:g} points" if isinstance(largest, float) and largest else ""
        n = self.rows.height
        return f"{where}: {n:,} figure{' changes' if n == 1 else 's change'}{told}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A decision as it would stand in the log, and what follows from it."""

    decision: Decision
    lists: tuple[ListEffect, ...]


@contextmanager
def trial(ledger: Ledger, who: str, why: str) -> Iterator[Connection]:
    """Give a writer's connection of which nothing is kept, whatever is done with it."""
    with ledger.writing(who, why) as connection:
        try:
            yield connection
        finally:
            transaction = connection.get_transaction()
            assert transaction is not None
            transaction.rollback()


def effect_of(
    connection: Connection, verb: Callable[[Connection], Decision], *, most_games: int = MOST_GAMES
) -> Effect:
    """Take a decision in a trial and return what it changes.

    `connection`: Of `trial`.
    `verb`: Takes the decision; it is called twice.
    `most_games`: Lists for which more games would be rated again are not looked at.
    """
    before = _chains(connection)
    first = connection.begin_nested()  # once to see which lists it touches …
    verb(connection)
    after = _chains(connection)
    first.rollback()
    looks: list[tuple[ListEffect, pl.DataFrame | None]] = []
    for policy, (name, chain) in before.items():
        changes = chain.keys != after[policy][1].keys
        games = _to_rate(connection, chain) + _to_rate(connection, after[policy][1]) if changes else 0
        look = ListEffect(
            policy=policy,
            name=name,
            closing=chain.closing,
            games=games,
            rows=None if changes else pl.DataFrame(schema=CHANGED),
        )
        looks.append((look, _figures(connection, chain) if changes and games <= most_games else None))
    decision = verb(connection)  # … and once to see how
    lists = []
    for look, was in looks:
        if was is not None:
            now = differing(was.rename({"rating": "before"}), _figures(connection, after[look.policy][1]))
            rows = now.rename({"rating": "after"}).select(CHANGED.names()).cast(CHANGED)
            look = replace(look, rows=rows)
        lists.append(look)
    return Effect(decision=decision, lists=tuple(lists))


def _chains(connection: Connection) -> dict[str, tuple[str, Chain]]:
    """Return by policy the name of its last list and the periods behind it, where its lists are made here."""
    newest = {each.name: each.policy for each in kept_policies(connection) if each.computed}
    last: dict[str, tuple[date, str]] = {}
    for each in kept_lists(connection):
        if each.policy in newest and not each.number:
            here = (each.closing, each.name)
            last[each.policy] = max(last.get(each.policy, here), here)
    return {
        policy: (name, planned(connection, newest[policy], closing))
        for policy, (closing, name) in last.items()
    }


def _to_rate(connection: Connection, chain: Chain) -> int:
    """Return how many games the periods hold that the ledger has no run of."""
    missing = [link.events["event_id"] for link in chain.links if link.key not in chain.known]
    numbers = [int(number) for events in missing for number in events]
    column = tables.games.c.event_id
    return sum(row[0] for row in rows_in(connection, sa.select(sa.func.count()), column, numbers))


def _figures(connection: Connection, chain: Chain) -> pl.DataFrame:
    """Return `player_id`, `name`, `rating` of a list as the ledger stands in this transaction."""
    done = worked_out(connection, chain)
    key = chain.key_at(chain.closing)
    known = chain.known.get(key) if key is not None else None
    standing = done.standing or standing_at(connection, known, chain.closing)
    entries = list_entries(connection, chain.policy, chain.closing, standing)
    return entries.select("player_id", "name", "rating")
