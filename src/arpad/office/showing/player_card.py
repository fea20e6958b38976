"""Everything that the ledger knows of one player."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.office.deciding.decisions import decisions
from arpad.office.deciding.subjects import person
from arpad.office.deciding.touched import persons
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision
    from arpad.office.deciding.subjects import Person

__all__ = ["PlayerCard", "player_card"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCard:
    """One player, with all that were merged into him."""

    person: Person
    ids: tuple[tuple[str, str], ...]
    """Scheme and value."""
    names: tuple[str, ...]
    """Other spellings."""
    merged: tuple[Person, ...]
    """Who he was, too."""
    events: pl.DataFrame
    """`event`, `name`, `end`, `time_control`, `games` (played), `score`, `excluded`; by last day."""
    ratings: pl.DataFrame
    """`policy`, `list`, `state`, `closing`, `rating`, `rank`; the last of each policy last."""
    titles: pl.DataFrame
    """`title`, `date`, `rules` that the ledger has awarded."""
    decisions: tuple[Decision, ...]

    def document(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "player": asdict(self.person),
            "ids": [{"scheme": scheme, "value": value} for scheme, value in self.ids],
            "names": list(self.names),
            "merged": [asdict(p) for p in self.merged],
            "events": self.events.to_dicts(),
            "ratings": self.ratings.to_dicts(),
            "titles": self.titles.to_dicts(),
            "decisions": [
                {
                    "id": d.id,
                    "kind": d.kind,
                    "what": d.words(),
                    "why": d.why,
                    "undone_by": d.undone_by,
                }
                for d in self.decisions
            ],
        }


def player_card(connection: Connection, number: int) -> PlayerCard:
    """Return what is known of a player of today."""
    who = person(connection, number)
    everybody = persons(connection, [number])
    i, n, t = tables.player_ids, tables.player_names, tables.titles
    ids = connection.execute(
        sa.select(i.c.scheme, i.c.value)
        .where(i.c.player_id.in_(everybody))
        .order_by(i.c.scheme, i.c.value)
    ).all()
    names = connection.execute(
        sa.select(n.c.name).where(n.c.player_id.in_(everybody)).order_by(n.c.player_id, n.c.name)
    ).scalars()
    titles = sa.select(t.c.title, t.c.date, t.c.rules).where(t.c.player_id.in_(everybody))
    return PlayerCard(
        person=who,
        ids=tuple((str(scheme), str(value)) for scheme, value in ids),
        names=tuple(dict.fromkeys(name for name in names if name != who.name)),
        merged=tuple(person(connection, p) for p in everybody if p != number),
        events=_events(connection, everybody),
        ratings=_ratings(connection, everybody),
        titles=frame(connection, titles.order_by(t.c.date, t.c.id)),
        decisions=tuple(decisions(connection, about=[f"player {p}" for p in everybody])),
    )


def _events(connection: Connection, players: list[int]) -> pl.DataFrame:
    g, e = tables.games, tables.events
    parts = []
    for side, score in (("white_id", g.c.score), ("black_id", g.c.black_score)):
        query = (
            sa.select(
                e.c.id.label("event"), e.c.name, e.c.end, e.c.time_control, e.c.excluded,
                g.c.status, score.label("score"),
            )
            .join(e, e.c.id == g.c.event_id)
            .where(g.c[side].in_(players))
            .order_by(g.c.id)
        )  # fmt: skip
        parts.append(frame(connection, query))
    return (
        pl.concat(parts)
        .group_by("event", "name", "end", "time_control", "excluded")
        .agg(
            (pl.col("status") == "played").sum().cast(pl.Int64).alias("games"),
            pl.col("score").sum(),
        )
        .select("event", "name", "end", "time_control", "games", "score", "excluded")
        .sort("end", "event", nulls_last=True)
    )


def _ratings(connection: Connection, players: list[int]) -> pl.DataFrame:
    n, t, p = tables.entries, tables.lists, tables.policies
    return frame(
        connection,
        sa.select(
            p.c.name.label("policy"), t.c.name.label("list"), t.c.state, t.c.closing, n.c.rating,
            n.c.rank,
        )
        .join(t, t.c.id == n.c.list_id)
        .join(p, p.c.id == t.c.policy_id)
        .where(n.c.player_id.in_(players))
        .order_by(p.c.name, t.c.closing, t.c.number, n.c.player_id),
    )  # fmt: skip
