"""Part of a list: who fits what is asked for, in some order, some rows at a time; the database does the work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from arpad.office.making.listing import ENTRIES, WOMEN
from arpad.office.making.lists import corrections_of
from arpad.office.showing.name_search import named
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = ["ANY_TITLE", "Choices", "FoundEntries", "Sort", "Standing", "Wanted", "choices", "found_entries"]  # fmt: skip

Sort = Literal["rank", "name", "title", "federation", "birth", "rating", "change", "games", "total_games"]  # fmt: skip
Standing = Literal["listed", "played", "active", "inactive", "established", "provisional", "unlisted", "all"]  # fmt: skip
"""Whom to show: all that are listed; who played in the period; whoever is not inactive; by their mark; who is rated
but not listed; everybody."""

ANY_TITLE = "any"
DOWN: frozenset[str] = frozenset(["rating", "change", "games", "total_games"])
"""Columns whose largest figures come first unless asked otherwise."""


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
class FoundEntries:
    """Some rows of a list, and how many fit in all."""

    total: int
    rows: list[dict[str, Any]]
    """The columns of `ENTRIES`, `birth`; `published` and `cause` where the figure is a corrected one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What may be chosen on a list: federations and titles that stand on it, with how many have them."""

    federations: dict[str, int]
    titles: dict[str, int]
    statuses: dict[str, int]
    sexes: bool
    births: bool


def found_entries(
    connection: Connection,
    kept: KeptList,
    wanted: Wanted,
    *,
    first: int = 0,
    most: int = 50,
    as_published: bool = False,
) -> FoundEntries:
    """Return some of the entries that fit, in the order that is asked for.

    Parameters
    ----------
    first, most
        Which of them: from this one on (0 is the first), so many.
    as_published
        Without the corrections that were published since.
    """
    later = () if as_published else _published(connection, kept)
    n = _entries(connection, kept, later)
    fits = _fits(wanted, n, kept)
    count = sa.select(sa.func.count()).select_from(n).where(*fits)
    total = int(connection.execute(count).scalar_one())
    skipped = first
    if wanted == Wanted() and not later and first:
        near, skipped = _near(connection, kept, n, first, most)
        fits += near
    query = sa.select(*(n.c[name] for name in ENTRIES)).where(*fits)
    rows = connection.execute(
        query.order_by(*_order(wanted, n)).offset(skipped).limit(most)
    ).mappings()
    found = [dict(row) for row in rows]
    _told(connection, found, later)
    return FoundEntries(total=total, rows=found)


def _near(
    connection: Connection, kept: KeptList, n: sa.Subquery, first: int, most: int
) -> tuple[list[sa.ColumnElement[bool]], int]:
    """Return the few ranks that a page in the midst of a whole list can have, and how many rows they have before it.

    So a page far down needs no sorting of all that stand above it. Equal ratings share the first of their places:
    whoever stands at place f has the greatest rank up to f.
    """
    if _women_apart(connection, kept):
        return [], first
    above = sa.select(sa.func.max(n.c.rank)).where(n.c.rank <= first + 1)
    rank = connection.execute(above).scalar() or 1
    return [n.c.rank.between(rank, first + most)], first - (rank - 1)


def choices(connection: Connection, kept: KeptList) -> Choices:
    """Return what there is to choose from."""
    n, p = tables.entries, tables.players
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
    known = [
        connection.execute(sa.select(p.c.id).where(p.c[name].is_not(None)).limit(1)).first()
        for name in ("sex", "birth")
    ]
    federations, titles, statuses = (dict(sorted(c.items())) for c in counts)
    return Choices(
        federations=federations, titles=titles, statuses=statuses,
        sexes=known[0] is not None, births=known[1] is not None,
    )  # fmt: skip


def _published(connection: Connection, kept: KeptList) -> tuple[int, ...]:
    return tuple(each.id for each in corrections_of(connection, kept) if each.published)


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


def _told(connection: Connection, rows: list[dict[str, Any]], later: Sequence[int]) -> None:
    """Add what stands elsewhere: year of birth, and why a figure is another one than was published."""
    p, n = tables.players, tables.entries
    people = [row["player_id"] for row in rows]
    born = dict(connection.execute(sa.select(p.c.id, p.c.birth).where(p.c.id.in_(people))).all())
    causes: dict[int, dict[str, Any]] = {}
    if later:
        query = sa.select(n.c.player_id, n.c.document)
        query = query.where(n.c.list_id.in_(later), n.c.player_id.in_(people))
        for player, document in connection.execute(query.order_by(n.c.list_id.desc())):
            causes[player] = document or {}  # the first correction has what was published
    for row in rows:
        cause = causes.get(row["player_id"], {})
        row |= {
            "birth": born.get(row["player_id"]),
            "corrected": bool(cause),
            "published": cause.get("published"),
            "cause": cause.get("cause"),
        }
