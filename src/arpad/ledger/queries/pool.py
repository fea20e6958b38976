"""Games and lists of the ledger for the monitors of a pool and for comparing systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame
from arpad.ledger.lists import entries_as_of, kept_lists
from arpad.ledger.register import merged_ends, people_today
from arpad.ledger.runs import ancestry, profiles, runs_numbered
from arpad.model import Event, Games
from arpad.pool.rating_lists import YOUNGEST, DatedList

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.lists import KeptList
    from arpad.ledger.runs import KeptRun


# The games behind a list with the ratings that they were counted by: what moved points in a pool.

MOST_GAMES = 150_000  # games that are looked at; where a pool plays more, the earlier periods are left out


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedGames:
    """Games in which both had a rating, and the ratings that the list's rules counted them by."""

    games: Games
    since: date | None  # the day before the first period looked at; None: from the beginning
    until: date
    bounded: bool  # whether earlier periods were left out because there are too many games
    K: float | None  # the K that most games were counted with; None where the rules know none


def counted_games(
    connection: Connection, kept: KeptList, *, since: date | None = None, most: int = MOST_GAMES
) -> CountedGames:
    """Return the games that were counted in the periods before a list.

    `since`: Only periods that closed after this day; None: all.
    `most`: Periods are added from the last one backwards for as long as they have no more games together.
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
        games=_games(rated, profiles(connection).rename({"player_id": "id"})),
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
            *(s.game_id, s.player_id, s.rating, s.opponent_rating, s.k),
            *(g.event_id, g.date, g.white_id, g.black_id, g.score),
        )
        .join(tables.games, g.id == s.game_id)
        .where(
            s.run_id.in_(runs),
            s.player_id < s.opponent_id,  # each game has a step of either side: one is enough
            s.rating.is_not(None),
            s.opponent_rating.is_not(None),
        )
        .order_by(s.run_id, s.player_id, s.seq)
    )
    return frame(connection, query).sort("game_id", maintain_order=True)


def _players(rows: pl.DataFrame) -> pl.Series:
    return pl.concat([rows["white_id"], rows["black_id"]]).unique().sort()


def _games(rows: pl.DataFrame, people: pl.DataFrame) -> Games:
    """Return rows as games; `people` has the number (`id`) and the profile of everybody in them, or of more."""
    who = people.filter(pl.col("id").is_in(_players(rows).implode())).sort("id")
    events = rows["event_id"].unique().sort()

    def place(column: str, values: pl.Series) -> pl.Series:
        numbers = pl.int_range(values.len(), dtype=pl.Int32, eager=True)
        return rows[column].replace_strict(values, numbers, return_dtype=pl.Int32)

    return Games.assemble(
        {
            "white": place("white_id", who["id"]),
            "black": place("black_id", who["id"]),
            "event": place("event_id", events),
            **{name: rows[name] for name in ("score", "date", "white_rating", "black_rating")},
        },
        {**who.drop("id").to_dict(), "id": who["id"].cast(pl.String)},
        [Event(name=str(number)) for number in events],
    )


# The lists of a policy as the monitors of a pool take them: dated, with who is who.

MOST = 13  # lists that are compared at most: a year of monthly ones with both ends
ACTIVE_MONTHS = 12  # as FIDE counts [B.02, 7.2.2]: who has not played for a year is inactive
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLists:
    """Lists with their dates, the earliest first."""

    lists: tuple[DatedList, ...]
    found: int  # how many there are; where there are more than `MOST`, some are left out in between
    published: bool
    """False: there is one list only, and these are where everybody stood when its periods closed."""


def lists_until(connection: Connection, kept: KeptList) -> PoolLists:
    """Return the lists of a policy up to one of them; where it is the only one, its own closing dates.

    Corrections that are published are in.
    """
    named: dict[str, KeptList] = {}
    for each in kept_lists(connection, kept.policy):
        if not each.number and each.closing <= kept.closing:
            old = named.get(each.name)
            if old is None or _rank(each) >= _rank(old):
                named[each.name] = each
    named[kept.name] = kept
    result = sorted(named.values(), key=lambda each: (each.closing, each.name))
    people = _people(connection)
    if len(result) > 1:
        chosen = spread_out(result)
        read = tuple(pool_list(connection, each, people) for each in chosen)
        return PoolLists(lists=read, found=len(result), published=True)
    return _closings(connection, kept, people)


def _rank(kept: KeptList) -> tuple[bool, int, int]:
    return kept.state == "published", kept.version, kept.id


def pool_list(connection: Connection, kept: KeptList, people: pl.DataFrame | None = None) -> DatedList:
    """Return one list, with its published corrections; who is rated but not listed is left out."""
    rows = entries_as_of(connection, kept)
    listed = rows.filter(pl.col("rank").is_not_null() & pl.col("rating").is_not_null()).with_columns(
        inactive=pl.col("status") == "inactive"
    )
    who = people if people is not None else _people(connection)
    return _dated(kept.name, kept.closing, listed, who, rows.height - listed.height)


def _closings(connection: Connection, kept: KeptList, people: pl.DataFrame) -> PoolLists:
    """Return where everybody stood when each period before a list closed; inactive: a year without a game."""
    chain = ancestry(connection, kept.run_id)
    closing = {run.id: run.closing for run in runs_numbered(connection, chain)}
    s = tables.states.c
    query = sa.select(s.run_id, s.player_id, s.rating, s.total_games).where(s.run_id.in_(chain))
    states = frame(connection, query.order_by(s.run_id, s.player_id))
    days = states["run_id"].replace_strict(closing, return_dtype=pl.Date)
    # A player has a row in a period only if something happened to him.
    states = states.with_columns(days.alias("day"))
    lists = []
    for day in spread_out([closing[run] for run in chain]):
        last = states.filter(pl.col("day") <= day).unique("player_id", keep="last", maintain_order=True)
        asleep = pl.col("day") <= pl.lit(day).dt.offset_by(f"-{ACTIVE_MONTHS}mo")
        rows = last.filter(pl.col("rating").is_not_null()).with_columns(asleep.alias("inactive"))
        lists.append(_dated(f"{day:%Y-%m-%d}", day, rows, people, 0))
    return PoolLists(lists=tuple(lists), found=len(chain), published=False)


def spread_out(things: Sequence[T], most: int = MOST) -> list[T]:
    """Return the first, the last, and others evenly between them.

    Examples
    --------
    >>> spread_out([1, 2, 3, 4, 5, 6, 7], 3)
    [1, 4, 7]
    """
    if len(things) <= most:
        return list(things)
    last = len(things) - 1
    return [things[round(i * last / (most - 1))] for i in range(most)]


def _people(connection: Connection) -> pl.DataFrame:
    result = profiles(connection).rename({"name": "player"})
    return result.with_columns(people_today(result["player_id"], merged_ends(connection)).alias("today"))


def _dated(label: str, day: date, rows: pl.DataFrame, people: pl.DataFrame, left_out: int) -> DatedList:
    born = pl.col("birth").str.slice(0, 4).cast(pl.Int32, strict=False)
    known = people.rename({"federation": "_federation", "title": "_title"})
    whole = rows.join(known, on="player_id", how="left", maintain_order="left")
    has = set(rows.columns)
    result = whole.select(
        pl.col("today").cast(pl.String).alias("person"),
        "player",
        pl.col("today").cast(pl.String).alias("id"),
        pl.col("rating").cast(pl.Float64),
        pl.when(born <= day.year - YOUNGEST).then(born).alias("born"),
        "sex",
        pl.col("title" if "title" in has else "_title").alias("title"),
        pl.col("federation" if "federation" in has else "_federation").alias("federation"),
        "inactive",
        pl.col("total_games").cast(pl.Int64).alias("games"),
    ).unique("person", keep="first", maintain_order=True)
    return DatedList(label=label, date=day, rows=result, left_out=left_out + rows.height - result.height)


# Games of the ledger for comparing systems: all of them, or those between the busiest players.

LAB_GAMES_MOST_GAMES = 20_000  # games that a comparison walks through while somebody waits
BUSIEST = 600
"""Players whose games are looked at, where there are too many: a long record of each is worth more than many people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabGames:
    """Games with their dates, in the order in which they were played."""

    games: Games
    there: int  # games of the ledger that could have been taken
    players: int  # players whose games among each other were taken

    @property
    def sampled(self) -> bool:
        """Whether some points were left out."""
        return len(self.games) < self.there


def lab_games(
    connection: Connection, *, most: int = LAB_GAMES_MOST_GAMES, busiest: int = BUSIEST
) -> LabGames:
    """Return games at the standard time control (or of an unknown one), at most this many.

    Where there are more, only games between the players with the most games are taken: the number of
    players is as large as `most` allows.
    """
    g, e = tables.games.c, tables.events.c
    fitting = [
        g.status == "played",
        g.date.is_not(None),
        g.score.is_not(None),
        e.excluded.is_(False),
        sa.or_(e.time_control.is_(None), e.time_control == "standard"),
    ]
    joined = sa.join(tables.games, tables.events, g.event_id == e.id)
    there = int(
        connection.execute(sa.select(sa.func.count()).select_from(joined).where(*fitting)).scalar_one()
    )
    query = (
        sa.select(g.id, g.event_id, g.date, g.white_id, g.black_id, g.score, g.white_rating, g.black_rating)
        .select_from(joined)
        .where(*fitting)
    )
    if there > most:
        those = _busiest(connection, busiest)
        query = query.where(g.white_id.in_(those), g.black_id.in_(those))
    rows = frame(connection, query.order_by(g.date, g.id))
    ends = merged_ends(connection)
    rows = rows.with_columns(people_today(rows[w], ends).alias(w) for w in ("white_id", "black_id"))
    if rows.height > most:
        rows = _among_fewer(rows, most)
    people = _players(rows).alias("id").to_frame().with_columns(name=pl.col("id").cast(pl.String))
    return LabGames(games=_games(rows, people), there=there, players=people.height)


def _busiest(connection: Connection, count: int) -> list[int]:
    g = tables.games.c
    sides = sa.union_all(
        *(
            sa.select(side.label("player"), sa.func.count().label("n")).group_by(side)
            for side in (g.white_id, g.black_id)
        )
    ).subquery()
    n = sa.func.sum(sides.c.n)
    query = (
        sa.select(sides.c.player)
        .where(sides.c.player.is_not(None))
        .group_by(sides.c.player)
        .order_by(n.desc(), sides.c.player)
        .limit(count)
    )
    return [int(player) for player in connection.execute(query).scalars()]


def _among_fewer(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return the games among the busiest of these players, as many players as `most` games allow."""
    both = pl.concat([rows["white_id"], rows["black_id"]]).alias("player")
    counted = both.to_frame().group_by("player").len().sort("len", "player", descending=[True, False])
    place = pl.int_range(counted.height, eager=True)
    later = pl.max_horizontal(
        pl.col(side).replace_strict(counted["player"], place) for side in ("white_id", "black_id")
    )
    ranked = rows.with_columns(later.alias("_place"))
    last = ranked["_place"].sort()[most]  # of the first game too many
    return ranked.filter(pl.col("_place") < last).drop("_place")
