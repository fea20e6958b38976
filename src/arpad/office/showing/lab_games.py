"""Games of the ledger for comparing systems: all of them, or those between the busiest players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.model import Event, Games
from arpad.office.records.merges import merged_ends, people_today
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["BUSIEST", "MOST_GAMES", "LabGames", "lab_games"]

MOST_GAMES = 20_000
"""Games that a comparison walks through while somebody waits."""
BUSIEST = 600
"""Players whose games are looked at, where there are too many: a long record of each is worth more than many people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabGames:
    """Games with their dates, in the order in which they were played."""

    games: Games
    there: int
    """Games of the ledger that could have been taken."""
    players: int
    """Players whose games among each other were taken."""

    @property
    def sampled(self) -> bool:
        """Whether some were left out."""
        return len(self.games) < self.there


def lab_games(connection: Connection, *, most: int = MOST_GAMES, busiest: int = BUSIEST) -> LabGames:  # fmt: skip
    """Return games at the standard time control (or of an unknown one), at most so many.

    Where there are more, only games between the players with the most games are taken: the number of
    players is as large as `most` allows.
    """
    g, e = tables.games.c, tables.events.c
    fitting = [
        g.status == "played", g.date.is_not(None), g.score.is_not(None), e.excluded.is_(False),
        sa.or_(e.time_control.is_(None), e.time_control == "standard"),
    ]  # fmt: skip
    joined = sa.join(tables.games, tables.events, g.event_id == e.id)
    there = int(connection.execute(sa.select(sa.func.count()).select_from(joined).where(*fitting)).scalar_one())  # fmt: skip
    query = sa.select(
        g.id, g.event_id, g.date, g.white_id, g.black_id, g.score, g.white_rating, g.black_rating
    ).select_from(joined).where(*fitting)  # fmt: skip
    if there > most:
        those = _busiest(connection, busiest)
        query = query.where(g.white_id.in_(those), g.black_id.in_(those))
    rows = frame(connection, query.order_by(g.date, g.id))
    ends = merged_ends(connection)
    rows = rows.with_columns(people_today(rows[w], ends).alias(w) for w in ("white_id", "black_id"))
    if rows.height > most:
        rows = _among_fewer(rows, most)
    return LabGames(games=_games(rows), there=there, players=_people(rows).len())


def _busiest(connection: Connection, count: int) -> list[int]:
    g = tables.games.c
    sides = sa.union_all(
        *(sa.select(side.label("player"), sa.func.count().label("n")).group_by(side) for side in (g.white_id, g.black_id))
    ).subquery()  # fmt: skip
    n = sa.func.sum(sides.c.n)
    query = (
        sa.select(sides.c.player)
        .where(sides.c.player.is_not(None))
        .group_by(sides.c.player)
        .order_by(n.desc(), sides.c.player)
        .limit(count)
    )
    return [int(player) for player in connection.execute(query).scalars()]


def _people(rows: pl.DataFrame) -> pl.Series:
    return pl.concat([rows["white_id"], rows["black_id"]]).unique().sort()


def _among_fewer(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return the games among the busiest of these players, as many players as `most` games allow."""
    both = pl.concat([rows["white_id"], rows["black_id"]]).alias("player")
    counted = both.to_frame().group_by("player").len().sort("len", "player", descending=[True, False])  # fmt: skip
    place = {player: at for at, player in enumerate(counted["player"])}
    later = pl.max_horizontal(
        pl.col(side).replace_strict(place, return_dtype=pl.Int64) for side in ("white_id", "black_id")
    )  # fmt: skip
    ranked = rows.with_columns(later.alias("_place"))
    last = ranked["_place"].sort()[most]  # of the first game too many
    return ranked.filter(pl.col("_place") < last).drop("_place")


def _games(rows: pl.DataFrame) -> Games:
    here, events = _people(rows), rows["event_id"].unique().sort()
    number = {player: row for row, player in enumerate(here)}
    at = {event: row for row, event in enumerate(events)}

    def replaced(name: str, by: dict[int, int]) -> pl.Series:
        return rows[name].replace_strict(by, return_dtype=pl.Int32)

    columns = {
        "white": replaced("white_id", number),
        "black": replaced("black_id", number),
        "event": replaced("event_id", at),
        **{name: rows[name] for name in ("score", "date", "white_rating", "black_rating")},
    }
    names = here.cast(pl.String)
    return Games.assemble(columns, {"name": names, "id": names}, [Event(name=str(e)) for e in events])  # fmt: skip
