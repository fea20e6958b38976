"""Part of a list, its filters, the difference of two lists, and the rating of a player on a list."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame
from arpad.ledger.db.tables import Words
from arpad.ledger.games import ratings_on
from arpad.ledger.lists import (
    ENTRIES,
    RESTATED,
    WOMEN,
    KeptList,
    entries_as_of,
    entries_kept,
    run_of,
    women_apart,
)
from arpad.ledger.queries.players import name_index
from arpad.ledger.register import merged_ends
from arpad.ledger.runs import ancestry
from arpad.model import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from arpad.ledger.queries.players import ListFacts


# Part of a list: who fits what is asked for, in some order, some rows at a time; the database does the work.

Sort = Literal["rank", "name", "title", "federation", "birth", "rating", "change", "games", "total_games"]
Standing = Literal["listed", "played", "active", "inactive", "established", "provisional", "unlisted", "all"]
"""Whom to show: all that are listed; those who played in the period; those not inactive; by their mark; who is rated
but not listed; everybody."""
ANY_TITLE = "any"
DOWN: frozenset[str] = frozenset(["rating", "change", "games", "total_games"])
"""Columns whose largest figures come first unless asked otherwise."""
_n, _p, _li = tables.entries.c, tables.players.c, tables.lists.c
SHOWN = (*ENTRIES, "birth")
AT = (
    sa.select(*(_n[name] for name in ENTRIES), _p.birth, _n.document, _n.list_id)
    .join(tables.players, _p.id == _n.player_id)
    .where(
        _n.list_id.in_(sa.bindparam("lists", expanding=True)),
        _n.player_id.in_(sa.bindparam("players", expanding=True)),
    )
    .order_by(_n.list_id)  # the last correction goes before what it corrects
)
LATER = (
    sa.select(_li.id)
    .where(_li.corrects == sa.bindparam("list"), _li.published.is_not(None))
    .order_by(_li.number, _li.id)
)
"""Made once, asked often: to make a statement takes longer than to run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Filters and order of a list.

    `age_from`, `age_to`: Years that somebody completes in the year of the closing date, as FIDE counts them.
    """

    text: str = ""  # A part of a name, of another spelling, ``#number`` or an id
    federation: str = ""
    title: str = ""  # one of them, or `ANY_TITLE`
    sex: str = ""
    age_from: int | None = None
    age_to: int | None = None
    standing: Standing = "listed"
    sort: Sort = "rank"
    backwards: bool = False  # the other way round than a column is usually sorted

    @property
    def descending(self) -> bool:
        """Say whether the largest come first."""
        return (self.sort in DOWN) != self.backwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Matching players in order: their numbers and ranks (0 for none); small enough for a cache."""

    players: array[int]
    ranks: array[int]

    def only(self, players: NDArray[np.int64]) -> Places:
        """Return those of them who are among some players, in their order."""
        here = np.isin(np.frombuffer(self.players, dtype=np.int64), players)
        ranks = np.frombuffer(self.ranks, dtype=np.int64)[here]
        mine = np.frombuffer(self.players, dtype=np.int64)[here]
        return Places(players=array("q", mine.tobytes()), ranks=array("q", ranks.tobytes()))

    def part(self, first: int, most: int) -> Places:
        """Return some of them, from one on (0 is the first)."""
        return Places(players=self.players[first : first + most], ranks=self.ranks[first : first + most])


def places(
    connection: Connection,
    kept: KeptList,
    wanted: Wanted,
    *,
    most: int | None = None,
    as_published: bool = False,
) -> Places:
    """Return who fits, in the order that is asked for.

    `most`: Only the first this many: that is faster.
    `as_published`: Without the corrections that were published since.
    """
    n = _entries(connection, kept, () if as_published else _published(connection, kept))
    query = sa.select(n.c.player_id, n.c.rank).where(*_fits(connection, wanted, n, kept))
    with connection.execute(query.order_by(*_order(wanted, n)).limit(most)) as result:
        rows = result.cursor.fetchall()  # two whole numbers each: nothing to be made of them
    return Places(
        players=array("q", [player for player, _ in rows]), ranks=array("q", [rank or 0 for _, rank in rows])
    )


def how_many(connection: Connection, kept: KeptList, wanted: Wanted, *, as_published: bool = False) -> int:
    """Return how many fit."""
    n = _entries(connection, kept, () if as_published else _published(connection, kept))
    query = sa.select(sa.func.count()).select_from(n).where(*_fits(connection, wanted, n, kept))
    return int(connection.execute(query).scalar_one())


def entries_at(
    connection: Connection, kept: KeptList, found: Places, *, as_published: bool = False
) -> list[dict[str, Any]]:
    """Return the entries of some places: the columns of `ENTRIES`, `birth`, and of a corrected figure why.

    `corrected` says whether a figure is another one than was published, `published` what that was, `cause` why.
    """
    later = () if as_published else _published(connection, kept)
    players = list(found.players)
    rows: dict[int, dict[str, Any]] = {}
    for row in connection.execute(AT, {"lists": [kept.id, *later], "players": players}):
        *values, document, number = row
        told = dict(zip(SHOWN, values, strict=True))
        before = rows.get(told["player_id"], {})
        told |= {"corrected": number != kept.id, "published": None, "cause": None}
        if told["corrected"]:
            document = document or {}
            told["change"] = document.get("change")
            if (
                document.get("cause") == RESTATED
            ):  # the figure is that of the list, or of an earlier correction
                told |= {name: before.get(name) for name in ("corrected", "published", "cause")}
            else:
                earlier = before if before.get("corrected") else document
                told |= {"cause": document.get("cause"), "published": earlier.get("published")}
        rows[told["player_id"]] = told
    return [{**rows[player], "rank": rank or None} for player, rank in zip(players, found.ranks, strict=True)]


def _published(connection: Connection, kept: KeptList) -> tuple[int, ...]:
    return tuple(connection.execute(LATER, {"list": kept.id}).scalars())


def _entries(connection: Connection, kept: KeptList, later: Sequence[int]) -> sa.Subquery:
    """Return the entries of a list as something to select from; corrections are put in, and ranked again."""
    n = tables.entries
    columns = [n.c[name] for name in ENTRIES]
    if not later:
        return sa.select(*columns).where(n.c.list_id == kept.id).subquery()
    lists, parts = [kept.id, *later], []
    for at, number in enumerate(lists):
        newer = sa.select(n.c.player_id).where(n.c.list_id.in_(lists[at + 1 :]))
        # What a correction keeps as its change is the difference to what was published.
        since = n.c.change if not at else _in_document(connection, "change")
        parts.append(
            sa.select(*(c if c.name != "change" else since.label("change") for c in columns)).where(
                n.c.list_id == number, n.c.rating.is_not(None), n.c.player_id.not_in(newer)
            )
        )
    u = sa.union_all(*parts).subquery()
    rank = sa.case((_listed(u), _place(connection, kept, u)))
    return sa.select(
        *(c if c.name != "rank" else rank.label("rank") for c in (u.c[name] for name in ENTRIES))
    ).subquery()


def _in_document(connection: Connection, name: str) -> sa.ColumnElement[Any]:
    n = tables.entries
    text = sa.cast(n.c.document, sa.Text)
    if connection.dialect.name == "sqlite":
        return sa.func.json_extract(text, f"$.{name}")
    return sa.cast(sa.cast(text, sa.JSON)[name].as_string(), sa.Double)


def _place(connection: Connection, kept: KeptList, n: sa.Subquery) -> sa.ColumnElement[int]:
    """Return the rank among the listed; women apart where the policy has it so."""
    p = tables.players
    apart: list[Any] = [_listed(n)]
    if women_apart(connection, kept):
        women = sa.select(p.c.id).where(sa.func.lower(p.c.sex).in_(WOMEN))
        apart.append(n.c.player_id.in_(women))
    return sa.func.rank().over(partition_by=apart, order_by=n.c.rating.desc())


def _listed(n: sa.Subquery) -> sa.ColumnElement[bool]:
    return sa.func.coalesce(n.c.status, "").not_like("unlisted%")


def _fits(
    connection: Connection, wanted: Wanted, n: sa.Subquery, kept: KeptList
) -> list[sa.ColumnElement[bool]]:
    p = tables.players
    fits = [_stands(wanted.standing, n)] if wanted.standing != "all" else []
    if wanted.text.strip():
        fits.append(n.c.player_id.in_(name_index(connection).found(connection, wanted.text).tolist()))
    if wanted.federation:
        fits.append(n.c.federation == wanted.federation)
    if wanted.title:
        any_title = wanted.title == ANY_TITLE
        fits.append(n.c.title.is_not(None) if any_title else n.c.title == wanted.title)
    people: list[sa.ColumnElement[bool]] = []
    if wanted.sex:
        women = sa.func.lower(p.c.sex).in_(WOMEN)
        people.append(women if wanted.sex == "w" else sa.and_(p.c.sex.is_not(None), ~women))
    if wanted.age_from is not None:
        people.append(p.c.birth < str(kept.closing.year - wanted.age_from + 1))
    if wanted.age_to is not None:
        people.append(p.c.birth >= str(kept.closing.year - wanted.age_to))
    if people:
        fits.append(n.c.player_id.in_(sa.select(p.c.id).where(*people)))
    return fits


def _stands(standing: Standing, n: sa.Subquery) -> sa.ColumnElement[bool]:
    listed = _listed(n)
    status = sa.func.coalesce(n.c.status, "")
    if standing == "unlisted":
        return ~listed
    if standing == "played":
        return sa.and_(listed, n.c.games > 0)
    if standing == "active":
        return sa.and_(listed, status != "inactive")
    return listed if standing == "listed" else status == standing


def _order(wanted: Wanted, n: sa.Subquery) -> list[sa.ColumnElement[Any]]:
    """Return what to sort by; unknown values come last in either order."""
    p = tables.players
    column: sa.ColumnElement[Any] = (
        sa.select(sa.func.substr(p.c.birth, 1, 4)).where(p.c.id == n.c.player_id).scalar_subquery()
        if wanted.sort == "birth"
        else n.c[wanted.sort]
    )
    sorted_by = column.desc() if wanted.descending else column.asc()
    usual = [n.c.rank.asc().nulls_last(), n.c.rating.desc().nulls_last(), n.c.name, n.c.player_id]
    return [sorted_by.nulls_last(), *(usual if wanted.sort != "rank" else usual[1:])]


# The rows of a list as they go out: what was published, with what else is known of the players.

FIDE = "fide"


def list_rows(
    connection: Connection, kept: KeptList, *, corrected: bool = True, everybody: bool = False
) -> pl.DataFrame:
    """Return the entries of a list with `number`, `id` (FIDE's), `sex` and `birth` (the year); best first.

    `corrected`: Put published corrections in, and rank again; else as it was first published.
    `everybody`: Also those who are rated but not listed.
    """
    rows = entries_as_of(connection, kept) if corrected else entries_kept(connection, kept)
    if not everybody:
        rows = rows.filter(~pl.col("status").fill_null("").str.starts_with("unlisted"))
    p, i = tables.players, tables.player_ids
    people = frame(
        connection,
        sa.select(
            p.c.id.label("player_id"), p.c.sex, sa.func.substr(p.c.birth, 1, 4, type_=Words).label("birth")
        ).order_by(p.c.id),
    )
    ids = frame(
        connection,
        sa.select(i.c.player_id, i.c.value.label("id"))
        .where(i.c.scheme == FIDE)
        .order_by(i.c.player_id, i.c.value),
    ).unique("player_id", keep="first", maintain_order=True)
    return (
        rows.join(people, on="player_id", how="left", maintain_order="left")
        .join(ids, on="player_id", how="left", maintain_order="left")
        .rename({"player_id": "number"})
    )


# What may be chosen on a list: the federations, titles and marks that stand on it.


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilters:
    """Filters that a list offers: its federations, titles and marks, with the number of players of each."""

    federations: dict[str, int]
    titles: dict[str, int]
    statuses: dict[str, int]


def choices(connection: Connection, kept: KeptList) -> ListFilters:
    """Return what there is to choose from."""
    n = tables.entries
    query = (
        sa.select(n.c.federation, n.c.title, n.c.status, sa.func.count().label("players"))
        .where(n.c.list_id == kept.id)
        .group_by(n.c.federation, n.c.title, n.c.status)
        .order_by(n.c.federation, n.c.title, n.c.status)
    )
    counts: tuple[dict[str, int], ...] = ({}, {}, {})
    for *values, players in connection.execute(query):
        for value, into in zip(values, counts, strict=True):
            if value:
                into[value] = into.get(value, 0) + players
    federations, titles, statuses = (dict(sorted(c.items())) for c in counts)
    return ListFilters(federations=federations, titles=titles, statuses=statuses)


def known_of_players(connection: Connection) -> frozenset[str]:
    """Return what is known of anybody: `sex`, `birth`."""
    p = tables.players
    return frozenset(
        name
        for name in ("sex", "birth")
        if connection.execute(sa.select(p.c.id).where(p.c[name].is_not(None)).limit(1)).first()
    )


# Two lists side by side: who changed, by how much, because of which events.

NAMED = 4  # events that a line names; the shares tell all of them
LEAST = 0.05  # Points: a smaller share of an event is not worth naming


def differing(was: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Return the players whose `rating` is another than `before`, the largest differences first."""
    return (
        now.join(was, on="player_id", how="full", coalesce=True)
        .filter(~pl.col("rating").eq_missing(pl.col("before")))
        .with_columns(
            pl.coalesce("name", "name_right").alias("name"),
            (pl.col("rating") - pl.col("before")).alias("difference"),
        )
        .sort(
            pl.col("difference").abs(), "name", "player_id", descending=[True, False, False], nulls_last=True
        )
    )


SHARES = schema({"player_id": pl.Int64, "event_id": pl.Int64, "event": pl.String, "change": pl.Float64})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDiff:
    """Differences between two lists."""

    first: KeptList
    second: KeptList
    rows: pl.DataFrame
    """`player_id`, `name`, `before` and `rating` (null: not there), `difference`, `because`; the largest
    differences first."""
    shares: pl.DataFrame
    """What each event adds to the rating of each player on the second list, and did not on the first: games
    played meanwhile, and games that count otherwise than they did. Without an event: first ratings, floors,
    rounding, what was set by hand."""

    def summary(self) -> str:
        """Return one sentence."""
        both = self.rows["difference"].drop_nulls()
        new = self.rows.filter(pl.col("before").is_null()).height
        gone = self.rows.filter(pl.col("rating").is_null()).height
        return (
            f"{self.first.words} → {self.second.words}: {int((both != 0).sum()):,} figures changed,"
            f" {new:,} new, {gone:,} gone"
        )


def list_diff(
    connection: Connection,
    first: KeptList,
    second: KeptList,
    *,
    as_published: bool = False,
    proposed: bool = False,
) -> ListDiff:
    """Return what is other on the second list.

    `as_published`: Leave published corrections out.
    `proposed`: Put in the corrections that are not published yet, too.
    """
    both, runs = [], []
    for kept in (first, second):
        rows = (
            entries_kept(connection, kept)
            if as_published
            else entries_as_of(connection, kept, proposed=proposed)
        )
        both.append(rows.select("player_id", "name", "rating"))
        runs.append(kept.run_id if as_published else run_of(connection, kept, proposed=proposed))
    rows = differing(both[0].rename({"rating": "before"}), both[1])
    shares = _shares(connection, runs[0], runs[1], rows["player_id"])
    words = _words(shares)
    into = merged_ends(connection)
    because = [
        f"is player {into[p]} now" if p in into else words.get(p, "through opponents")
        for p in rows["player_id"]
    ]
    rows = rows.with_columns(pl.Series("because", because, dtype=pl.String))
    columns = ("player_id", "name", "before", "rating", "difference", "because")
    return ListDiff(first=first, second=second, rows=rows.select(columns), shares=shares)


def _shares(
    connection: Connection, first: int | None, second: int | None, players: pl.Series
) -> pl.DataFrame:
    """Return what every event adds, on the chain of the second run less that of the first."""
    one, two = ancestry(connection, first), ancestry(connection, second)
    added = _sums(connection, [run for run in two if run not in set(one)])
    taken = _sums(connection, [run for run in one if run not in set(two)])
    e = tables.events
    names = frame(connection, sa.select(e.c.id.label("event_id"), e.c.name.label("event")).order_by(e.c.id))
    return (
        pl.concat([added, taken.with_columns(-pl.col("change"))])
        .filter(pl.col("player_id").is_in(players.implode()))
        .group_by("player_id", "event_id")
        .agg(pl.col("change").sum().round(6))
        .filter(pl.col("change") != 0)
        .join(names, on="event_id", how="left")
        .select(SHARES.names())
        .cast(SHARES)
        .sort(
            pl.col("player_id"),
            pl.col("change").abs(),
            pl.col("event_id"),
            descending=[False, True, False],
            nulls_last=True,
        )
    )


def _sums(connection: Connection, runs: Sequence[int]) -> pl.DataFrame:
    s = tables.steps
    query = (
        sa.select(s.c.player_id, s.c.event_id, sa.func.sum(s.c.change).label("change"))
        .where(s.c.run_id.in_(runs))
        .group_by(s.c.player_id, s.c.event_id)
        .order_by(s.c.player_id, s.c.event_id)
    )
    return frame(connection, query, {"change": pl.Float64})


def _words(shares: pl.DataFrame) -> dict[int, str]:
    result: dict[int, list[str]] = {}
    for player, _, event, change in shares.iter_rows():
        if event is not None and abs(change) >= LEAST:
            figure = f"{change:+.1f}".replace("-", "−")
            result.setdefault(player, []).append(f"{event} {figure}")
    return {
        player: ", ".join(said[:NAMED]) + (f" and {len(said) - NAMED} more" if len(said) > NAMED else "")
        for player, said in result.items()
    }


# Small pictures of ratings: on a list and those before it.

TREND = 12  # lists of a small picture of ratings


def trends(
    connection: Connection, facts: ListFacts, kept: KeptList, players: Sequence[int]
) -> dict[int, list[float]]:
    """Return the ratings of players on a list and on those before it, the oldest first."""
    lists = [
        each
        for each in facts.lists
        if each.policy == kept.policy
        and not each.number
        and each.closing <= kept.closing
        and (each.published is not None or each.id == kept.id)
    ]
    lists = sorted(lists, key=lambda each: each.closing)[-TREND:]
    known = ratings_on(connection, [each.id for each in lists], players)
    curves = {
        player: [known[each.id, player] for each in lists if (each.id, player) in known] for player in players
    }
    return {player: ratings for player, ratings in curves.items() if len(ratings) > 1}
