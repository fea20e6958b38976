"""The page of a list: what was asked for, found, with the addresses of everything beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arpad.office.showing.list_search import ANY_TITLE, Wanted, choices, found_entries
from arpad.web.contexts import Link
from arpad.web.lists.about import about
from arpad.web.lists.addresses import PAGE, list_href, paged, with_query
from arpad.web.lists.contexts import Choice, Column, Entry, Filters, ListPage

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.office.showing.list_search import Choices
    from arpad.web.asking import Asking

__all__ = ["FORMATS", "list_page"]

FORMATS = ("csv", "xlsx", "txt", "xml", "html", "pdf", "json")
"""Files that a list can be had as."""

COLUMNS = (
    ("rank", "#", True, True),
    ("title", "Title", False, False),
    ("name", "Name", False, True),
    ("federation", "Fed.", False, False),
    ("birth", "Born", True, False),
    ("rating", "Rating", True, True),
    ("change", "Change", True, True),
    ("games", "Games", True, False),
    ("total_games", "In all", True, False),
)
"""Column, heading, whether it has numbers, whether a phone has room for it."""

STANDINGS = {
    "listed": "everybody listed",
    "played": "played in the period",
    "active": "active",
    "inactive": "inactive",
    "established": "established",
    "provisional": "provisional",
    "unlisted": "rated, not listed",
    "all": "everybody rated",
}


def list_page(
    asked: Asking, kept: KeptList, wanted: Wanted, *, page: int, as_published: bool
) -> ListPage:
    """Return a page of a list."""
    connection = asked.connection
    offered = asked.remembered(("choices", kept.id), lambda: choices(connection, kept))
    found = found_entries(
        connection, kept, wanted, first=(page - 1) * PAGE, as_published=as_published
    )
    if found.total and not found.rows:  # beyond the end: the last page
        page = -(-found.total // PAGE)
        found = found_entries(
            connection, kept, wanted, first=(page - 1) * PAGE, as_published=as_published
        )
    values = _values(wanted, as_published)
    path = list_href(kept.policy, kept.name)
    rows = [Entry(id=row["player_id"], **{k: v for k, v in row.items() if k != "player_id"}) for row in found.rows]  # fmt: skip
    return ListPage(
        about=about(connection, kept),
        filters=_filters(wanted, offered, as_published),
        columns=_columns(path, wanted, values, offered),
        rows=rows,
        pager=paged(path, values, page, found.total),
        downloads=[
            Link(
                text=kind.upper(),
                href=with_query(f"{path}/files/{kind}", {"as_published": as_published}),
            )
            for kind in FORMATS
        ],
    )


def _values(wanted: Wanted, as_published: bool) -> dict[str, object]:
    """Return what is asked for as it stands in an address; what is usual is left out."""
    return {
        "q": wanted.text,
        "federation": wanted.federation,
        "title": wanted.title,
        "sex": wanted.sex,
        "age_from": wanted.age_from,
        "age_to": wanted.age_to,
        "standing": wanted.standing if wanted.standing != "listed" else None,
        "sort": wanted.sort if wanted.sort != "rank" else None,
        "backwards": wanted.backwards,
        "as_published": as_published,
    }


def _filters(wanted: Wanted, offered: Choices, as_published: bool) -> Filters:
    usual = Wanted(sort=wanted.sort, backwards=wanted.backwards)
    marks = set(offered.statuses)
    there = {
        "listed", "played", *(marks & {"established", "provisional", "inactive"}),
        *(["active"] if "inactive" in marks else []),
        *(["unlisted", "all"] if any(m.startswith("unlisted") for m in marks) else []),
        wanted.standing,
    }  # fmt: skip
    return Filters(
        q=wanted.text, federation=wanted.federation, title=wanted.title, sex=wanted.sex,
        age_from=wanted.age_from, age_to=wanted.age_to, standing=wanted.standing, sort=wanted.sort,
        backwards=wanted.backwards, as_published=as_published,
        federations=_counted(offered.federations, wanted.federation),
        titles=[
            *([Choice(value=ANY_TITLE, text="any title")] if offered.titles else []),
            *_counted(offered.titles, wanted.title if wanted.title != ANY_TITLE else ""),
        ],
        standings=[Choice(value=v, text=t) for v, t in STANDINGS.items() if v in there],
        sexes=offered.sexes, births=offered.births, any=wanted != usual,
    )  # fmt: skip


def _counted(values: dict[str, int], chosen: str) -> list[Choice]:
    """Return choices with how many there are; what was asked for stays among them."""
    known = {**values, **({chosen: 0} if chosen and chosen not in values else {})}
    return [Choice(value=v, text=f"{v} ({n:,})") for v, n in known.items()]


def _columns(
    path: str, wanted: Wanted, values: dict[str, object], offered: Choices
) -> list[Column]:
    """Return the heads of the columns that say anything."""
    empty = {
        "title": not offered.titles, "federation": not offered.federations, "birth": not offered.births,
    }  # fmt: skip
    found = []
    for key, text, numeric, phone in COLUMNS:
        if empty.get(key):
            continue
        here = key == wanted.sort
        turned = {**values, "sort": key if key != "rank" else None, "backwards": here and not wanted.backwards}  # fmt: skip
        way: Literal["ascending", "descending"] = "descending" if wanted.descending else "ascending"
        found.append(
            Column(
                key=key,
                text=text,
                href=with_query(path, turned),
                sorted=way if here else "none",
                numeric=numeric,
                phone=phone,
            )
        )
    return found
