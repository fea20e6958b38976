"""Every table of the ledger: ``from arpad.store.ledger import tables``, then ``tables.games``.

`happened` holds what happened, `followed` what followed from it, `served` what the web app needs.
Numbers of rows (`id`) are given by the writer, not by the database: the same imports give the same
numbers on SQLite and PostgreSQL.
"""

from __future__ import annotations

from arpad.store.ledger.followed import (
    entries,
    lists,
    norms,
    policies,
    rules,
    runs,
    states,
    steps,
    titles,
)
from arpad.store.ledger.happened import (
    decisions,
    doubts,
    events,
    games,
    imports,
    memberships,
    moves,
    player_ids,
    player_names,
    players,
)
from arpad.store.ledger.schema import HEAD, METADATA, REVISIONS
from arpad.store.ledger.served import accounts, attempts, jobs

__all__ = [
    "HEAD",
    "METADATA",
    "REVISIONS",
    "accounts",
    "attempts",
    "decisions",
    "doubts",
    "entries",
    "events",
    "games",
    "imports",
    "jobs",
    "lists",
    "memberships",
    "moves",
    "norms",
    "player_ids",
    "player_names",
    "players",
    "policies",
    "rules",
    "runs",
    "states",
    "steps",
    "titles",
]
