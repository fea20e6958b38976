"""Rating lists: search, filters, earlier ones, changes, downloads."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
import sqlalchemy as sa
from fastapi import Form, HTTPException, Path, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from arpad.ledger.db import tables
from arpad.ledger.list_making import StaleDraftError, publication_hash, publish_list, to_be_published
from arpad.ledger.lists import corrected_figures, kept_lists
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.lists import (
    ANY_TITLE,
    Sort,
    Standing,
    Wanted,
    choices,
    entries_at,
    how_many,
    known_of_players,
    list_diff,
    list_rows,
    places,
    trends,
)
from arpad.ledger.register import fold
from arpad.publish.charts.style import sparkline
from arpad.publish.export.rating_list import ListSheet, export_bytes
from arpad.web.auth import Officer
from arpad.web.page import PageLink, Pages, PublicContext, ReaderContext, Rows, after, rendered, rows_of
from arpad.web.views.list_parts import (
    PAGE,
    ChangesPage,
    CorrectionsPage,
    FilterForm,
    ListPage,
    ListsPage,
    PolicyLists,
    PublishPage,
    StalePage,
    about,
    earlier_of,
    entry_row,
    facts_of,
    line,
    list_href,
    list_or_404,
    names_of,
    paged,
    rules_of,
    with_query,
)

if TYPE_CHECKING:
    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.lists import ListDiff, ListFilters, Places
    from arpad.web.page import RequestContext


MOST_OTHERS = 60  # lists of other policies that may be chosen


def changes_page(ctx: RequestContext, kept: KeptList, since: str, q: str, page: int) -> ChangesPage:
    """Return what is other than on an earlier list; without its name, than on the one before."""
    connection = ctx.connection
    earlier = earlier_of(kept_lists(connection, kept.policy), kept)
    chosen = [each for each in earlier if since in ("", each.name)]
    others = [
        each
        for each in facts_of(ctx).lists
        if not each.number and each.policy != kept.policy and each.closing <= kept.closing
    ][-MOST_OTHERS:]
    choices = [{"value": f"{e.policy}/{e.name}", "text": f"{e.policy}, {e.name}"} for e in reversed(others)]
    chosen = chosen or [each for each in others if since == f"{each.policy}/{each.name}"]
    if since and not chosen:
        raise HTTPException(404, f"no list of {kept.policy} before {kept.name} is called {since}")
    head = about(ctx, kept)
    names = [each.name for each in earlier]
    path = list_href(kept.policy, kept.name, "changes")
    if not chosen:
        return ChangesPage(
            about=head,
            since=None,
            earlier=names,
            others=choices,
            q=q,
            changed=0,
            new=0,
            gone=0,
            rows=[],
            pager=paged(path, {}, 1, 0),
        )
    first = chosen[0]
    diff: ListDiff = ctx.cached(("diff", first.id, kept.id), lambda: list_diff(connection, first, kept))
    rows = _named(diff.rows, q)
    pager = paged(path, {"since": since, "q": q}, page, rows.height)
    shown = rows.slice((pager.page - 1) * PAGE, PAGE).rename({"player_id": "id"})
    both = diff.rows["difference"].drop_nulls()
    return ChangesPage(
        about=head,
        since=first.name if first.policy == kept.policy else f"{first.policy}/{first.name}",
        earlier=names,
        others=choices,
        q=q,
        changed=int((both != 0).sum()),
        new=diff.rows["before"].null_count(),
        gone=diff.rows["rating"].null_count(),
        rows=rows_of(shown),
        pager=pager,
    )


def _named(rows: pl.DataFrame, q: str) -> pl.DataFrame:
    """Return the rows of players in whose name every word is found."""
    words = fold(q).split()
    if not words:
        return rows
    return rows.filter([all(w in fold(name) for w in words) for name in rows["name"]])


def corrections_page(ctx: RequestContext, kept: KeptList) -> CorrectionsPage:
    """Return the corrections of a list, the newest first."""
    result = [each for each in facts_of(ctx).lists if each.corrects == kept.id]
    return CorrectionsPage(
        about=about(ctx, kept), corrections=[correction_of(ctx, each) for each in reversed(result)]
    )


def correction_of(ctx: RequestContext, kept: KeptList) -> dict[str, Any]:
    """Return one correction, its largest differences first; at most as many as a page holds."""
    rows = corrected_figures(ctx.connection, kept).head(PAGE)
    names = {"player_id": "id", "change": "difference"}
    shown = rows.select(*names, "name", "published", "rating", "cause").rename(names)
    return {"line": line(kept), "rows": rows_of(shown)}


KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "txt": "text/plain; charset=utf-8",
    "xml": "application/xml",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
}
"""Media type of each format."""
QUICK_KINDS = ("csv", "json")
MANY_PLAYERS = 10_000
"""Players of a list whose other formats take seconds: only for those who have signed in."""
PDF_PLAYERS = 500  # players of a PDF that is made while somebody waits: about ten pages, some seconds


def takes_seconds(kept: KeptList, format: str) -> bool:
    """Say whether a file takes seconds to make."""
    return format == "pdf" or (format not in QUICK_KINDS and is_long(kept))


def is_long(kept: KeptList) -> bool:
    """Say whether work on all of a list takes much memory."""
    return int(kept.figures.get("listed", 0)) > MANY_PLAYERS


def list_file(ctx: RequestContext, kept: KeptList, format: str, *, as_published: bool) -> bytes:
    """Return a list as a file; a PDF has the first players only."""
    key = ("file", kept.id, format, as_published)
    if is_long(kept):
        return ctx.apart(key, _written, kept, format, as_published)
    return ctx.cached(key, lambda: _written(ctx, kept, format, as_published))


def _written(ctx: RequestContext, kept: KeptList, format: str, as_published: bool) -> bytes:
    rows = list_rows(ctx.connection, kept, corrected=not as_published)
    rules = next(p for p in kept_policies(ctx.connection) if p.id == kept.policy_id)
    told = {name: getattr(kept, name) for name in ("name", "policy", "closing", "effective", "state")}
    system, control = str(rules.document.get("system") or "") or None, rules.document.get("time_control")
    sheet = ListSheet(**told, system=system, time_control=control, rows=rows)
    if format == "json":
        return _json(sheet)
    return export_bytes(sheet.top(PDF_PLAYERS) if format == "pdf" else sheet, format)[0]


def _json(sheet: ListSheet) -> bytes:
    head = {
        "name": sheet.name,
        "policy": sheet.policy,
        "system": sheet.system,
        "state": sheet.state,
        "closing": sheet.closing.isoformat(),
        "effective": sheet.effective.isoformat() if sheet.effective else None,
        "players": sheet.rows.select(sheet.shown()).to_dicts(),
    }
    return json.dumps(head, ensure_ascii=False).encode(errors="replace")


def file_name(kept: KeptList, format: str) -> str:
    """Return what a browser calls the file: letters, digits and dashes only."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", f"{kept.policy}-{kept.name}").strip("-").lower()
    draft = "-draft" if kept.state == "draft" else ""
    return f"{plain or 'list'}{draft}.{format}"


TOP = 10


def preview_page(ctx: RequestContext, kept: KeptList) -> PublishPage:
    """Return the draft as it would be frozen, and the proposed corrections that would go with it."""
    connection = ctx.connection
    wanted = to_be_published(connection, kept)
    proposed = [each for each in wanted if each.number]
    draft = kept.published is None
    n = tables.entries.c
    here = n.list_id == kept.id

    def count(*fits: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).where(here, n.rank.is_not(None), *fits)
        return int(connection.execute(query).scalar_one())

    top = entries_at(connection, kept, places(connection, kept, Wanted(), most=TOP)) if draft else []
    return PublishPage(
        about=about(ctx, kept),
        freezes=line(kept) if draft else None,
        corrections=[correction_of(ctx, each) for each in proposed],
        nothing=not draft and not proposed,
        seen=publication_hash(connection, wanted),
        leaders=[entry_row(row) for row in top],
        changed=count(n.change != 0) if draft else 0,
        new=count(n.change.is_(None)) if draft else 0,
    )


FORMATS = ("csv", "xlsx", "txt", "xml", "html", "pdf", "json")  # files that a list is available as
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
    """Filters to choose from, and facts about the players."""

    choices: ListFilters
    known: frozenset[str]


def list_page(
    ctx: RequestContext, kept: KeptList, wanted: Wanted, *, page: int, as_published: bool
) -> ListPage:
    """Return a page of a list; what follows from the list alone is kept until a list is made."""
    people, stamp = ctx.table_version("players"), ctx.lists_version
    known = ctx.cached(("known",), lambda: known_of_players(ctx.connection), version=people, shared=True)

    def make() -> ListPage:
        return _made(ctx, kept, wanted, known, stamp, page, as_published)

    if wanted.text:  # hardly anybody types the same
        return make()
    whole = (stamp, people)  # years of birth come from the players
    return ctx.cached(("list", kept.id, wanted, page, as_published), make, version=whole)


def _made(
    ctx: RequestContext,
    kept: KeptList,
    wanted: Wanted,
    known: frozenset[str],
    stamp: tuple[Any, ...],
    page: int,
    as_published: bool,
) -> ListPage:
    connection = ctx.connection
    offered = Offered(
        choices=ctx.cached(("choices", kept.id), lambda: choices(connection, kept), version=stamp),
        known=known,
    )
    total, page, shown = _shown(ctx, kept, wanted, stamp, page, as_published)
    rows = entries_at(connection, kept, shown, as_published=as_published)
    curves = trends(connection, facts_of(ctx), kept, [row["player_id"] for row in rows])
    values = _values(wanted, as_published)
    path = list_href(kept.policy, kept.name)
    return ListPage(
        about=about(ctx, kept),
        filters=_filters(wanted, offered, as_published),
        columns=_columns(path, wanted, values, offered),
        quick=_quick(path, wanted, offered),
        rows=[entry_row(row, trend=sparkline(curves.get(row["player_id"], []))) for row in rows],
        pager=paged(path, values, page, total),
        downloads=[
            PageLink(
                text=kind.upper(), href=with_query(f"{path}/files/{kind}", {"as_published": as_published})
            )
            for kind in FORMATS
            if ctx.viewer.sees_all or not takes_seconds(kept, kind)
        ],
    )


def _shown(
    ctx: RequestContext, kept: KeptList, wanted: Wanted, stamp: tuple[Any, ...], page: int, as_published: bool
) -> tuple[int, int, Places]:
    """Return how many fit, the page (beyond the end: the last one), and who stands on it."""
    connection = ctx.connection
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
    whole = ctx.cached(key, make, version=(stamp, ctx.table_version("players")))
    if wanted.text:
        whole = whole.only(names_of(ctx).found(connection, wanted.text))
    total = len(whole.players)
    page = min(page, max(1, -(-total // PAGE)))
    return total, page, whole.part((page - 1) * PAGE, PAGE)


def _values(wanted: Wanted, as_published: bool) -> dict[str, object]:
    """Return the filters as parameters of an address, without the defaults."""
    usual = asdict(Wanted())
    said = {n: v for n, v in asdict(wanted).items() if v != usual[n] and n != "text"}
    return {"q": wanted.text, **said, "as_published": as_published}


def _filters(wanted: Wanted, offered: Offered, as_published: bool) -> FilterForm:
    usual = Wanted(sort=wanted.sort, backwards=wanted.backwards)
    marks = set(offered.choices.statuses)
    there = {
        "listed",
        "played",
        *(marks & {"established", "provisional", "inactive"}),
        *(["active"] if "inactive" in marks else []),
        *(["unlisted", "all"] if any(m.startswith("unlisted") for m in marks) else []),
        wanted.standing,
    }
    return FilterForm.of(
        wanted,
        q=wanted.text,
        as_published=as_published,
        federations=_counted(offered.choices.federations, wanted.federation),
        titles=[
            *([{"value": ANY_TITLE, "text": "any title"}] if offered.choices.titles else []),
            *_counted(offered.choices.titles, wanted.title if wanted.title != ANY_TITLE else ""),
        ],
        standings=[{"value": v, "text": t} for v, t in STANDINGS.items() if v in there],
        sexes="sex" in offered.known,
        births="birth" in offered.known,
        any=wanted != usual,
    )


JUNIOR, SENIOR = 20, 50
"""Years that a junior completes at most in the year of the list, and a senior at least."""
FEDERATIONS = 4


def _quick(path: str, wanted: Wanted, offered: Offered) -> Rows:
    """Return filters by one click: everybody, women, juniors, seniors, titles, the largest federations."""
    kinds: dict[str, dict[str, Any]] = {"Everybody": {}}
    if "sex" in offered.known:
        kinds["Women"] = {"sex": "w"}
    if "birth" in offered.known:
        kinds |= {"Juniors": {"age_to": JUNIOR}, "Seniors": {"age_from": SENIOR}}
        kinds |= {"Girls": {"sex": "w", "age_to": JUNIOR}} if "sex" in offered.known else {}
    if offered.choices.titles:
        kinds["Titled"] = {"title": ANY_TITLE}
    if len(offered.choices.federations) > 1:
        most = sorted(offered.choices.federations.items(), key=lambda pair: -pair[1])[:FEDERATIONS]
        kinds |= {name: {"federation": name} for name, _ in most}
    kinds["Biggest gains"] = {"standing": "played", "sort": "change"}
    return [
        {"text": text, "href": with_query(path, values), "chosen": wanted == Wanted(**values)}
        for text, values in kinds.items()
    ]


def _counted(values: dict[str, int], chosen: str) -> list[dict[str, str]]:
    """Return choices with their counts; the chosen one stays among them."""
    known = {**values, **({chosen: 0} if chosen and chosen not in values else {})}
    return [{"value": v, "text": f"{v} ({n:,})"} for v, n in known.items()]


def _columns(path: str, wanted: Wanted, values: dict[str, object], offered: Offered) -> Rows:
    """Return the heads of the columns that say anything."""
    empty = {
        "title": not offered.choices.titles,
        "federation": not offered.choices.federations,
        "birth": "birth" not in offered.known,
    }
    result = []
    for key, text, numeric, phone in COLUMNS:
        if empty.get(key):
            continue
        here = key == wanted.sort
        turned = {
            **values,
            "sort": key if key != "rank" else None,
            "backwards": here and not wanted.backwards,
        }
        way = "descending" if wanted.descending else "ascending"
        head = {"key": key, "text": text, "href": with_query(path, turned)}
        result.append(head | {"sorted": way if here else "none", "numeric": numeric, "phone": phone})
    return result


pages = Pages("lists")
router = pages.router
PolicyName = Annotated[str, Path(min_length=1, max_length=100)]
ListName = Annotated[str, Path(min_length=1, max_length=40)]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
Text = Annotated[str, Query(max_length=100)]
Age = Annotated[Annotated[int, Field(ge=0, le=200)] | Literal[""] | None, Query()]
"""An empty field of a form is no age."""


@pages.page("/lists", "lists.html")
def lists(ctx: PublicContext) -> ListsPage:
    """Show every policy with its lists, drafts and corrections."""
    connection = ctx.connection
    newest_first = sorted(
        facts_of(ctx).lists, key=lambda each: (-each.closing.toordinal(), each.name, each.number)
    )
    newest = {policy.name: policy for policy in facts_of(ctx).policies}
    return ListsPage(
        policies=[
            PolicyLists(
                policy=name,
                says=rules_of(policy),
                computed=policy.computed,
                lists=[line(each) for each in newest_first if each.policy == name],
            )
            for name, policy in newest.items()
            if ctx.viewer.sees_all or any(each.policy == name for each in newest_first)
        ],
        games=connection.execute(sa.select(tables.games.c.id).limit(1)).first() is not None,
    )


@pages.page("/lists/{policy:path}/{name}/changes", "list_changes.html")
def list_changes(
    ctx: ReaderContext,
    policy: PolicyName,
    name: ListName,
    since: Text = "",
    q: Text = "",
    page: PageNumber = 1,
) -> ChangesPage:
    """Show who changed since an earlier list, by how much, because of which events."""
    kept = list_or_404(ctx, policy, name)
    return changes_page(ctx, kept, since, q, page)


@pages.page("/lists/{policy:path}/{name}/corrections", "list_corrections.html")
def list_corrections(ctx: PublicContext, policy: PolicyName, name: ListName) -> CorrectionsPage:
    """Show the corrections of a published list, each with its cause."""
    return corrections_page(ctx, list_or_404(ctx, policy, name))


@pages.page("/lists/{policy:path}/{name}/publish", "list_publish.html")
def list_preview(ctx: ReaderContext, policy: PolicyName, name: ListName) -> PublishPage:
    """Show what publishing a list would freeze."""
    return preview_page(ctx, list_or_404(ctx, policy, name))


@router.get("/lists/{policy:path}/{name}/files/{format}", include_in_schema=False)
def download(
    ctx: PublicContext,
    policy: PolicyName,
    name: ListName,
    format: Annotated[str, Path(max_length=10)],
    as_published: bool = False,
) -> Response:
    """Give a list as a file."""
    if format not in KINDS:
        raise HTTPException(404, f"a list is available as {', '.join(KINDS)}; not as {format}")
    kept = list_or_404(ctx, policy, name)
    if takes_seconds(kept, format) and not ctx.viewer.sees_all:
        raise HTTPException(401, f"sign in to get a list as {format}: it takes seconds to make")
    return Response(
        list_file(ctx, kept, format, as_published=as_published),
        media_type=KINDS[format],
        headers={"Content-Disposition": f'attachment; filename="{file_name(kept, format)}"'},
    )


@pages.page("/lists/{policy:path}/{name}", "list.html")
def rating_list(
    ctx: PublicContext,
    policy: PolicyName,
    name: ListName,
    q: Text = "",
    federation: Annotated[str, Query(max_length=20)] = "",
    title: Annotated[str, Query(max_length=20)] = "",
    sex: Literal["", "m", "w"] = "",
    age_from: Age = None,
    age_to: Age = None,
    standing: Standing = "listed",
    sort: Sort = "rank",
    backwards: bool = False,
    page: PageNumber = 1,
    as_published: bool = False,
) -> ListPage:
    """Show a list, or the players on it who match the filters."""
    wanted = Wanted(
        text=q.strip(),
        federation=federation,
        title=title,
        sex=sex,
        age_from=_years(age_from),
        age_to=_years(age_to),
        standing=standing,
        sort=sort,
        backwards=backwards,
    )
    kept = list_or_404(ctx, policy, name)

    return list_page(ctx, kept, wanted, page=page, as_published=as_published)


def _years(said: int | str | None) -> int | None:
    return said if isinstance(said, int) else None


@router.post("/lists/{policy:path}/{name}/publish", include_in_schema=False)
def publish(
    request: Request,
    admin: Officer,
    policy: PolicyName,
    name: ListName,
    seen: Annotated[str, Form(max_length=64)] = "",
) -> Response:
    """Freeze a draft and the corrections that it rests on, if they are what the form showed."""
    ledger = request.app.state.ledger
    try:
        done = publish_list(ledger, policy=policy, name=name, who=admin.name, seen=seen)
    except StaleDraftError as error:
        page = StalePage(policy=policy, name=name, says=str(error), href=list_href(policy, name, "publish"))
        return rendered(request, "list_stale.html", page, 409)
    shown = done.lists[-1]
    return RedirectResponse(after(list_href(shown.policy, name), "published"), 303)
