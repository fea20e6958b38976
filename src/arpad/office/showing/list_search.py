"""Part of a list: who fits what is asked for, in some order, some rows at a time; the database does the work."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import sqlalchemy as sa

from arpad.office.making.listing import ENTRIES, WOMEN
from arpad.office.showing.name_search import named
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = [
    "ANY_TITLE",
    "Places",
    "Sort",
    "Standing",
    "Wanted",
    "entries_at",
    "how_many",
    "places",
]

Sort = Literal["rank", "name", "title", "federation", "birth", "rating", "change", "games", "total_games"]  # fmt: skip
Standing = Literal["listed", "played", "active", "inactive", "established", "provisional", "unlisted", "all"]  # fmt: skip
"""Whom to show: all that are listed; who played in the period; whoever is not inactive; by their mark; who is rated
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
    """What is asked for.

    Parameters
    ----------
    text
        A part of a name, of another spelling, ``#number`` or an id.
    title
        One of them, or `ANY_TITLE`.
    age_from, age_to
        Years that somebody completes in the year of the closing date, as FIDE counts them.
    backwards
        The other way round than a column is usually sorted.
    """

    text: str = ""
    federation: str = ""
    title: str = ""
    sex: str = ""
    age_from: int | None = None
    age_to: int | None = None
    standing: Standing = "listed"
    sort: Sort = "rank"
    backwards: bool = False

    @property
    def descending(self) -> bool:
        """Say whether the largest come first."""
        return (self.sort in DOWN) != self.backwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Who fits, in order: numbers of players, and their ranks (0: none); small enough to be kept for a while."""

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
        return Places(
            players=self.players[first : first + most], ranks=self.ranks[first : first + most]
        )


def places(
    connection: Connection,
    kept: KeptList,
    wanted: Wanted,
    *,
    most: int | None = None,
    as_published: bool = False,
) -> Places:
    """Return who fits, in the order that is asked for.

    Parameters
    ----------
    most
        Only the first so many: that is faster.
    as_published
        Without the corrections that were published since.
    """
    n = _entries(connection, kept, () if as_published else _published(connection, kept))
    query = sa.select(n.c.player_id, n.c.rank).where(*_fits(wanted, n, kept))
    with connection.execute(query.order_by(*_order(wanted, n)).limit(most)) as result:
        rows = result.cursor.fetchall()  # two whole numbers each: nothing to be made of them
    return Places(
        players=array("q", [player for player, _ in rows]),
        ranks=array("q", [rank or 0 for _, rank in rows]),
    )


def how_many(
    connection: Connection, kept: KeptList, wanted: Wanted, *, as_published: bool = False
) -> int:
    """Return how many fit."""
    n = _entries(connection, kept, () if as_published else _published(connection, kept))
    query = sa.select(sa.func.count()).select_from(n).where(*_fits(wanted, n, kept))
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
            told |= {"change": document.get("change"), "cause": document.get("cause")}
            told["published"] = before.get("published") if before.get("corrected") else document.get("published")  # fmt: skip
        rows[told["player_id"]] = told
    return [
        {**rows[player], "rank": rank or None}
        for player, rank in zip(players, found.ranks, strict=True)
    ]


def _published(connection: Connection, kept: KeptList) -> tuple[int, ...]:
    return tuple(connection.execute(LATER, {"list": kept.id}).scalars())


def _entries(connection: Connection, kept: KeptList, later: Sequence[int]) -> sa.Subquery:
    """Return the entries of a list as something to select from; corrections are put in, and ranked anew."""
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
    if _women_apart(connection, kept):
        women = sa.select(p.c.id).where(sa.func.lower(p.c.sex).in_(WOMEN))
        apart.append(n.c.player_id.in_(women))
    return sa.func.rank().over(partition_by=apart, order_by=n.c.rating.desc())


def _women_apart(connection: Connection, kept: KeptList) -> bool:
    o = tables.policies
    said = connection.execute(sa.select(o.c.document).where(o.c.id == kept.policy_id)).scalar_one()
    return bool(said.get("listed", {}).get("women_apart"))


def _listed(n: sa.Subquery) -> sa.ColumnElement[bool]:
    return sa.func.coalesce(n.c.status, "").not_like("unlisted%")


def _fits(wanted: Wanted, n: sa.Subquery, kept: KeptList) -> list[sa.ColumnElement[bool]]:
    p = tables.players
    fits = [_stands(wanted.standing, n)] if wanted.standing != "all" else []
    if wanted.text.strip():
        fits.append(n.c.player_id.in_(named(wanted.text)))
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
    """Return what to sort by; what is not known comes last, whichever way."""
    p = tables.players
    column: sa.ColumnElement[Any] = (
        sa.select(p.c.birth).where(p.c.id == n.c.player_id).scalar_subquery()
        if wanted.sort == "birth"
        else n.c[wanted.sort]
    )
    sorted_by = column.desc() if wanted.descending else column.asc()
    usual = [n.c.rank.asc().nulls_last(), n.c.rating.desc().nulls_last(), n.c.name, n.c.player_id]
    return [sorted_by.nulls_last(), *(usual if wanted.sort != "rank" else usual[1:])]
