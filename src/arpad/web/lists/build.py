"""The page of a list: what was asked for, found, with the addresses of everything beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from arpad.office.showing.list_choices import choices, known_of_players
from arpad.office.showing.list_search import (
    ANY_TITLE,
    Wanted,
    entries_at,
    how_many,
    places,
)
from arpad.web.contexts import Link
from arpad.web.lists.about import about
from arpad.web.lists.addresses import PAGE, list_href, paged, with_query
from arpad.web.lists.contexts import Choice, Column, Entry, Filters, ListPage
from arpad.web.players.names import names_of

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.office.showing.list_choices import Choices
    from arpad.office.showing.list_search import Places
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What may be chosen, and what is known of the players."""

    choices: Choices
    known: frozenset[str]


def list_page(
    asked: Asking, kept: KeptList, wanted: Wanted, *, page: int, as_published: bool
) -> ListPage:
    """Return a page of a list; what follows from the list alone is kept until a list is made."""
    people, stamp = asked.rows("players"), asked.marks.of_lists
    known = asked.remembered(("known",), lambda: known_of_players(asked.connection), of=people)

    def make() -> ListPage:
        return _made(asked, kept, wanted, known, stamp, page, as_published)

    if wanted.text:  # hardly anybody types the same
        return make()
    whole = (stamp, people)  # years of birth come from the players
    return asked.remembered(("list", kept.id, wanted, page, as_published), make, of=whole)  # type: ignore[no-any-return]


def _made(
    asked: Asking,
    kept: KeptList,
    wanted: Wanted,
    known: frozenset[str],
    stamp: tuple[Any, ...],
    page: int,
    as_published: bool,
) -> ListPage:
    connection = asked.connection
    offered = Offered(
        choices=asked.remembered(("choices", kept.id), lambda: choices(connection, kept), of=stamp),
        known=known,
    )
    total, page, shown = _shown(asked, kept, wanted, stamp, page, as_published)
    rows = entries_at(connection, kept, shown, as_published=as_published)
    values = _values(wanted, as_published)
    path = list_href(kept.policy, kept.name)
    return ListPage(
        about=about(asked, kept),
        filters=_filters(wanted, offered, as_published),
        columns=_columns(path, wanted, values, offered),
        rows=[Entry(id=row.pop("player_id"), **row) for row in rows],
        pager=paged(path, values, page, total),
        downloads=[
            Link(
                text=kind.upper(),
                href=with_query(f"{path}/files/{kind}", {"as_published": as_published}),
            )
            for kind in FORMATS
        ],
    )


def _shown(
    asked: Asking,
    kept: KeptList,
    wanted: Wanted,
    stamp: tuple[Any, ...],
    page: int,
    as_published: bool,
) -> tuple[int, int, Places]:
    """Return how many fit, the page (beyond the end: the last one), and who stands on it."""
    connection = asked.connection
    if page == 1 and not wanted.text:
        first = places(connection, kept, wanted, most=PAGE, as_published=as_published)
        total = len(first.players)
        if total == PAGE:
            total = how_many(connection, kept, wanted, as_published=as_published)
        return total, 1, first

    def make() -> Places:
        return places(connection, kept, all_of, as_published=as_published)

    all_of = replace(wanted, text="")
    key = ("places", kept.id, all_of, as_published)
    whole = asked.remembered(key, make, of=(stamp, asked.rows("players")))
    if wanted.text:
        whole = whole.only(names_of(asked).found(connection, wanted.text))
    total = len(whole.players)
    page = min(page, max(1, -(-total // PAGE)))
    return total, page, whole.part((page - 1) * PAGE, PAGE)


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


def _filters(wanted: Wanted, offered: Offered, as_published: bool) -> Filters:
    usual = Wanted(sort=wanted.sort, backwards=wanted.backwards)
    marks = set(offered.choices.statuses)
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
        federations=_counted(offered.choices.federations, wanted.federation),
        titles=[
            *([Choice(value=ANY_TITLE, text="any title")] if offered.choices.titles else []),
            *_counted(offered.choices.titles, wanted.title if wanted.title != ANY_TITLE else ""),
        ],
        standings=[Choice(value=v, text=t) for v, t in STANDINGS.items() if v in there],
        sexes="sex" in offered.known, births="birth" in offered.known, any=wanted != usual,
    )  # fmt: skip


def _counted(values: dict[str, int], chosen: str) -> list[Choice]:
    """Return choices with how many there are; what was asked for stays among them."""
    known = {**values, **({chosen: 0} if chosen and chosen not in values else {})}
    return [Choice(value=v, text=f"{v} ({n:,})") for v, n in known.items()]


def _columns(
    path: str, wanted: Wanted, values: dict[str, object], offered: Offered
) -> list[Column]:
    """Return the heads of the columns that say anything."""
    empty = {
        "title": not offered.choices.titles, "federation": not offered.choices.federations, "birth": "birth" not in offered.known,
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
