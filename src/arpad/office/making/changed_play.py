"""Between two chains of runs: which events came, went or changed, and who played in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import polars as pl
import sqlalchemy as sa

from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.making.runs import KeptRun

__all__ = ["ChangedPlay", "changed_play", "who_played"]

What = Literal["counts now", "counts no more", "changed"]
CHUNK = 500
NAMED = 3
"""Events that a cause names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPlay:
    """What is other in one chain than in another.

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
    connection: Connection,
    old: Sequence[KeptRun],
    new: Sequence[KeptRun],
    merged: Mapping[int, int],
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
    hands = {p: today.get(p) or f"no longer {then[p]}" for p in {*then, *today} if then.get(p) != today.get(p)}  # fmt: skip
    rules = {run.closing: run.figures.get("rules") for run in old}
    other = any(rules.get(run.closing, run.figures.get("rules")) != run.figures.get("rules") for run in new)  # fmt: skip
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
    found: dict[int, str] = {}
    for at in range(0, len(events), CHUNK):
        query = sa.select(e.c.id, e.c.name).where(e.c.id.in_(events[at : at + CHUNK]))
        found.update(dict(connection.execute(query.order_by(e.c.id)).all()))
    return found


def who_played(
    connection: Connection, events: Sequence[int], merged: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """Return in which of these events each player of today played a game."""
    g = tables.games
    parts = []
    for at in range(0, len(events), CHUNK):
        query = (
            sa.select(g.c.event_id, g.c.white_id, g.c.black_id)
            .where(g.c.event_id.in_(events[at : at + CHUNK]), g.c.status == "played")
            .order_by(g.c.id)
        )
        parts.append(frame(connection, query))
    if not parts:
        return {}
    rows = pl.concat(parts)
    sides = [rows.select("event_id", pl.col(s).alias("player")) for s in ("white_id", "black_id")]
    pairs = pl.concat(sides).with_columns(pl.col("player").replace(dict(merged))).unique().sort("player", "event_id")  # fmt: skip
    found: dict[int, list[int]] = {}
    for event, player in pairs.iter_rows():
        found.setdefault(player, []).append(event)
    return {player: tuple(each) for player, each in found.items()}
