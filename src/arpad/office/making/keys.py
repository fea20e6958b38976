"""The key of a run: the same rules, the same run before and the same play give the same key.

So nothing is computed twice, and a change anywhere is seen at once: every key after it is another.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from arpad.store.ledger.column_types import document_text

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from arpad.office.rules.policy import Policy

__all__ = ["run_key", "run_rules"]

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
    policy: Policy,
    closing: date,
    previous: str | None,
    events: pl.DataFrame,
    by_hand: pl.DataFrame,
) -> str:
    """Return the key of the run of one period.

    Parameters
    ----------
    events
        Of the period, in their order: what they hold (`content`), and their days.
    by_hand
        Ratings set by hand in the period.
    """
    told = {
        "making": MAKING,
        "rules": run_rules(policy, closing),
        "opens": policy.schedule.opens(closing).isoformat(),
        "closing": closing.isoformat(),
        "previous": previous,
        "events": [
            [content, start and start.isoformat(), end and end.isoformat()]
            for content, start, end in events.select("content", "start", "end").iter_rows()
        ],
        "by_hand": [list(row) for row in by_hand.drop("closing", strict=False).iter_rows()],
    }
    return hashlib.blake2b(document_text(told).encode(), digest_size=DIGEST).hexdigest()
