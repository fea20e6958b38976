"""The games behind a list with the ratings that they were counted by: what moved points in a pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.model import Event, Games
from arpad.office.making.runs import ancestry, runs_numbered
from arpad.office.records.merges import merged_ends, people_today
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList
    from arpad.office.making.runs import KeptRun

__all__ = ["MOST_GAMES", "CountedGames", "counted_games"]

MOST_GAMES = 150_000
"""Games that are looked at; where a pool plays more, the earlier periods are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedGames:
    """Games in which both had a rating, and the ratings that the list's rules counted them by."""

    games: Games
    since: date | None
    """The day before the first period looked at; None: from the beginning."""
    until: date
    bounded: bool
    """Whether earlier periods were left out because there are too many games."""
    K: float | None
    """The K that most games were counted with; None where the rules know none."""


def counted_games(
    connection: Connection, kept: KeptList, *, since: date | None = None, most: int = MOST_GAMES
) -> CountedGames:
    """Return the games that were counted in the periods before a list.

    Parameters
    ----------
    since
        Only periods that closed after this day; None: all.
    most
        Periods are added from the last one backwards for as long as they have no more games together.
    """
    chain = runs_numbered(connection, ancestry(connection, kept.run_id))
    chosen, bounded = _periods(chain, since, most)
    first = chain.index(chosen[0]) if chosen else len(chain)
    steps = _steps(connection, [run.id for run in chosen])
    ends = merged_ends(connection)
    steps = steps.with_columns(
        people_today(steps[who], ends).alias(who) for who in ("player_id", "white_id", "black_id")
    )
    white = pl.col("player_id") == pl.col("white_id")
    rated = steps.with_columns(
        pl.when(white).then("rating").otherwise("opponent_rating").alias("white_rating"),
        pl.when(white).then("opponent_rating").otherwise("rating").alias("black_rating"),
    )
    usual = steps["k"].drop_nulls()
    return CountedGames(
        games=_games(connection, rated),
        since=_since(chain, first, since),
        until=kept.closing,
        bounded=bounded,
        K=float(usual.mode().sort()[0]) if usual.len() else None,
    )


def _since(chain: list[KeptRun], first: int, asked: date | None) -> date | None:
    """Return the day after which the games were played: as asked for, unless fewer periods are looked at."""
    before = chain[first - 1].closing if first > 0 else None
    return max((day for day in (before, asked) if day is not None), default=None)


def _periods(chain: list[KeptRun], since: date | None, most: int) -> tuple[list[KeptRun], bool]:
    wanted = [run for run in chain if since is None or run.closing > since]
    chosen: list[KeptRun] = []
    games = 0
    for run in reversed(wanted):
        games += int(run.figures.get("games", 0))
        if chosen and games > most:
            break
        chosen.append(run)
    return chosen[::-1], len(chosen) < len(wanted)


def _steps(connection: Connection, runs: list[int]) -> pl.DataFrame:
    s, g = tables.steps.c, tables.games.c
    query = (
        sa.select(
            s.game_id, s.player_id, s.rating, s.opponent_rating, s.k, g.event_id, g.date,
            g.white_id, g.black_id, g.score,
        )
        .join(tables.games, g.id == s.game_id)
        .where(
            s.run_id.in_(runs),
            s.player_id < s.opponent_id,  # each game has a step of either side: one is enough
            s.rating.is_not(None),
            s.opponent_rating.is_not(None),
        )
        .order_by(s.run_id, s.player_id, s.seq)
    )  # fmt: skip
    return frame(connection, query).sort("game_id", maintain_order=True)


def _games(connection: Connection, rows: pl.DataFrame) -> Games:
    here = pl.concat([rows["white_id"], rows["black_id"]]).unique().sort()
    p = tables.players.c
    everybody = frame(
        connection,
        sa.select(p.id, p.name, p.birth, p.federation, p.sex, p.title).order_by(p.id),
    )
    who = everybody.filter(pl.col("id").is_in(here.implode())).sort("id")
    number = pl.DataFrame({"id": who["id"], "row": pl.int_range(who.height, dtype=pl.Int32, eager=True)})  # fmt: skip
    events = rows["event_id"].unique().sort()
    at = pl.DataFrame({"event_id": events, "event": pl.int_range(len(events), dtype=pl.Int32, eager=True)})  # fmt: skip
    table = (
        rows.join(number.rename({"id": "white_id", "row": "white"}), on="white_id", maintain_order="left")
        .join(number.rename({"id": "black_id", "row": "black"}), on="black_id", maintain_order="left")
        .join(at, on="event_id", maintain_order="left")
    )  # fmt: skip
    columns = ("white", "black", "event", "score", "date", "white_rating", "black_rating")
    players = {name: who[name] for name in ("name", "birth", "federation", "sex", "title")}
    players["id"] = who["id"].cast(pl.String)
    return Games.assemble(
        {name: table[name] for name in columns},
        players,
        [Event(name=str(number)) for number in events],
    )
