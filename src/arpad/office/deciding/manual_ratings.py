"""Ratings that somebody set by hand: they enter a list as a step of their own, with the reason.

A manual rating holds before the games of the period in which its day lies.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.deciding.decisions import decide, decisions
from arpad.office.deciding.subjects import person
from arpad.office.records.merges import merged_ends
from arpad.schema import schema
from arpad.store.ledger import tables
from arpad.store.ledger.column_types import document_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["MANUAL", "check_policy", "manual_ratings", "set_rating"]

MANUAL = schema(
    {
        "decision": pl.Int64,
        "player_id": pl.Int64,  # of today, merges applied
        "policy": pl.String,  # null: every policy
        "on": pl.Date,
        "rating": pl.Float64,
        "settings": pl.String,  # JSON: other columns of the state; null: none
        "rule": pl.String,  # what the step of the list says
    }
)
MOST = 10_000.0


def set_rating(
    connection: Connection,
    number: int,
    rating: float,
    *,
    on: date,
    policy: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Decision:
    """Set a player's rating by hand.

    Parameters
    ----------
    on
        A day of the period before whose games it holds.
    policy
        The policy whose lists it is for; None: all of them.
    settings
        Other columns of the player's state that are set with it, such as `k` or `total_games`.
    """
    who = person(connection, number, standing=True)
    if not (math.isfinite(rating) and -MOST <= rating <= MOST):
        raise UsageError(f"expected a rating from {-MOST:g} to {MOST:g}, found {rating!r}")
    check_policy(connection, policy)
    where = "" if policy is None else f" in {policy}"
    return decide(
        connection,
        "rating",
        who.subject,
        f"{who.called()} is {rating:g}{where} from the period of {on.isoformat()}",
        policy=policy,
        on=on.isoformat(),
        ratings=[{"player": who.id, "rating": float(rating)}],
        settings=dict(settings) if settings else None,
    )


def check_policy(connection: Connection, policy: str | None) -> None:
    """Refuse the name of a policy that is not here."""
    if policy is None:
        return
    p = tables.policies
    names = connection.execute(sa.select(p.c.name).distinct().order_by(p.c.name)).scalars().all()
    if policy not in names:
        known = f"there are {', '.join(names)}" if names else "there are none yet (arpad list make)"
        raise UsageError(f"expected a policy of the ledger, found {policy!r}: {known}")


def manual_ratings(connection: Connection, policy: str | None = None) -> pl.DataFrame:
    """Return the ratings set by hand that hold, by day and then in the order of the decisions.

    Parameters
    ----------
    policy
        Only those for this policy, or for all of them.
    """
    today = merged_ends(connection)
    rows = [
        {
            "decision": found.id,
            "player_id": today.get(one["player"], one["player"]),
            "policy": found.facts.get("policy"),
            "on": found.facts["on"],
            "rating": one["rating"],
            "settings": document_text(s) if (s := found.facts.get("settings")) else None,
            "rule": _rule(found, one),
        }
        for kind in ("rating", "repair")
        for found in decisions(connection, kind=kind, in_effect=True)
        for one in found.facts.get("ratings", ())
        if policy is None or found.facts.get("policy") in (None, policy)
    ]
    texts = {**MANUAL, "on": pl.String}
    return (
        pl.DataFrame(rows, schema=schema(texts))
        .with_columns(pl.col("on").str.to_date("%Y-%m-%d"))
        .sort("on", "decision", "player_id")
        .cast(MANUAL)
    )


def _rule(found: Decision, one: Mapping[str, Any]) -> str:
    mark = one.get("mark")
    said = f"set by hand: {found.why}" if mark is None else f"{mark}: {found.why}"
    return f"{said} (decision {found.id})"
