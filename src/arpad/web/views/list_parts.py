"""What every page of a list shares: addresses, contexts, facts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

from fastapi import HTTPException

from arpad.errors import UsageError
from arpad.ledger.lists import KeptList, list_called
from arpad.ledger.queries.lists import Sort, Standing
from arpad.ledger.queries.players import ListFacts, NameIndex, list_facts, name_index
from arpad.web.page import BirthYear, PageLink, PageModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.ledger.policy import KeptPolicy
    from arpad.web.page import RequestContext


class ListLine(PageModel):
    """A list, or a correction of one."""

    policy: str
    name: str
    number: int
    """0: the list; 1, 2, …: its corrections."""
    state: str
    href: str
    closing: date
    effective: date | None
    made: datetime
    published: datetime | None
    published_by: str | None
    players: int | None
    """On the list; of a correction: figures that it changes."""
    because: str | None = None
    """Of a correction: what came, went or changed."""


class PolicyLists(PageModel):
    """A policy and its lists, the newest first."""

    policy: str
    says: str
    """The rules in a sentence."""
    computed: bool
    """False: others made its lists, which are only read."""
    lists: list[ListLine]


class ListsPage(PageModel):
    """All lists."""

    policies: list[PolicyLists]
    games: bool
    """Whether there is anything to make a list of."""


class ListAbout(PageModel):
    """What stands above a list, on each of its pages."""

    policy: str
    name: str
    href: str
    state: str
    closing: date
    effective: date | None
    published: datetime | None
    published_by: str | None
    rules: str
    computed: bool
    digits: int
    """After the decimal point, in ratings."""
    listed: int
    rated: int
    before: str | None
    """The list before it."""
    corrections: list[ListLine]
    others: list[PageLink]
    """All lists of the policy, the newest first."""


class FilterChoice(PageModel):
    """Something to choose in a form."""

    value: str
    text: str


class FilterForm(PageModel):
    """The chosen filters, and the choices."""

    q: str
    federation: str
    title: str
    sex: str
    age_from: int | None
    age_to: int | None
    standing: Standing
    sort: Sort
    backwards: bool
    as_published: bool
    federations: list[FilterChoice]
    titles: list[FilterChoice]
    standings: list[FilterChoice]
    sexes: bool
    births: bool
    any: bool
    """Whether any filter is set."""


class Column(PageModel):
    """The head of a column, by which rows can be sorted."""

    key: str
    text: str
    href: str
    sorted: Literal["ascending", "descending", "none"]
    numeric: bool
    phone: bool
    """Shown on a phone, too."""


class ListEntryRow(PageModel):
    """A player on a list."""

    id: int
    rank: int | None
    name: str
    title: str | None
    federation: str | None
    birth: BirthYear
    rating: float | None
    deviation: float | None
    change: float | None
    games: int | None
    total_games: int | None
    status: str | None
    corrected: bool
    """The figure is another one than was published."""
    published: float | None
    """What was published, of a corrected figure."""
    cause: str | None


class ListPager(PageModel):
    """Which part of something is shown, and where the rest is."""

    found: int
    first: int
    last: int
    page: int
    pages: int
    before: str | None
    after: str | None
    start: str | None
    end: str | None


class ListPage(PageModel):
    """One list."""

    about: ListAbout
    filters: FilterForm
    columns: list[Column]
    rows: list[ListEntryRow]
    pager: ListPager
    downloads: list[PageLink]


class ChangeRow(PageModel):
    """A player whose figure is another one than on an earlier list."""

    id: int
    name: str
    before: float | None
    rating: float | None
    difference: float | None
    because: str


class ChangesPage(PageModel):
    """What is other on a list than on an earlier one."""

    about: ListAbout
    since: str | None
    """The earlier list; None: there is none."""
    earlier: list[str]
    q: str
    changed: int
    new: int
    gone: int
    rows: list[ChangeRow]
    pager: ListPager


class CorrectedRow(PageModel):
    """A figure that was published, and what it is now."""

    id: int
    name: str
    published: float | None
    rating: float | None
    difference: float | None
    cause: str | None


class CorrectionRow(PageModel):
    """One correction of a published list."""

    line: ListLine
    rows: list[CorrectedRow]
    """The largest differences first; at most this many as a page holds."""


class CorrectionsPage(PageModel):
    """The corrections of a list, with their causes."""

    about: ListAbout
    corrections: list[CorrectionRow]


class StalePage(PageModel):
    """A draft that is not published, because it is not what was shown."""

    policy: str
    name: str
    says: str
    href: str


class PublishPage(PageModel):
    """What publishing would freeze."""

    about: ListAbout
    freezes: ListLine | None
    """The draft; None: the list is published, and only corrections would be."""
    corrections: list[CorrectionRow]
    nothing: bool
    leaders: list[ListEntryRow]
    seen: str
    """A hash of what is shown here: only this is published by the form."""
    changed: int
    new: int


PAGE = 50
"""Rows of a page."""


def list_href(policy: str, name: str, part: str = "") -> str:
    """Return the address of a list, or of a part of its pages.

    Examples
    --------
    >>> list_href("club & friends", "2026-11", "changes")
    '/lists/club%20%26%20friends/2026-11/changes'
    """
    return f"/lists/{quote(policy)}/{quote(name, safe='')}{f'/{part}' if part else ''}"


def with_query(path: str, values: Mapping[str, object]) -> str:
    """Return an address with parameters; empty ones are left out.

    Examples
    --------
    >>> with_query("/players", {"q": "O'Neil", "page": None, "sort": ""})
    '/players?q=O%27Neil'
    """
    said = {k: str(v).lower() if isinstance(v, bool) else v for k, v in values.items()}
    query = urlencode({k: v for k, v in said.items() if v not in (None, "", "false")})
    return f"{path}?{query}" if query else path


def paged(path: str, values: Mapping[str, object], page: int, found: int, size: int = PAGE) -> ListPager:
    """Return which part of this many rows a page is, and the addresses of its neighbours."""
    pages = max(1, -(-found // size))
    here = min(page, pages)

    def at(number: int) -> str | None:
        if number == here or not 1 <= number <= pages:
            return None
        return with_query(path, {**values, "page": number if number > 1 else None})

    return ListPager(
        found=found,
        first=min(found, (here - 1) * size + 1),
        last=min(found, here * size),
        page=here,
        pages=pages,
        before=at(here - 1),
        after=at(here + 1),
        start=at(1),
        end=at(pages),
    )


def facts_of(ctx: RequestContext) -> ListFacts:
    """Return lists, policies and runs as they stand; to the public nothing that is not published."""

    def make() -> ListFacts:
        found = list_facts(ctx.connection)
        if ctx.viewer.sees_all:
            return found
        published = tuple(each for each in found.lists if each.published is not None)
        return replace(found, lists=published)

    return ctx.cached(("facts",), make, version=ctx.lists_version)  # type: ignore[no-any-return]


def list_or_404(ctx: RequestContext, policy: str, name: str) -> KeptList:
    """Return the list that an address means, as `list_called` does; 404: there is none."""
    found = [
        each for each in facts_of(ctx).lists if (each.policy, each.name, each.number) == (policy, name, 0)
    ]
    if found:
        return max(found, key=lambda e: (e.closing, e.state == "published", e.version, e.id))
    if not ctx.viewer.sees_all:
        raise HTTPException(404, f"no list of {policy} is called {name}")
    try:
        return list_called(ctx.connection, policy, name)
    except UsageError as error:
        raise HTTPException(404, str(error)) from None


def line(kept: KeptList) -> ListLine:
    """Return a list as a line among others."""
    return ListLine(
        policy=kept.policy,
        name=kept.name,
        number=kept.number,
        state=kept.state,
        href=list_href(kept.policy, kept.name, "corrections" if kept.number else ""),
        closing=kept.closing,
        effective=kept.effective,
        made=kept.made,
        published=kept.published,
        published_by=kept.published_by,
        players=kept.figures.get("players" if kept.number else "listed"),
        because=kept.figures.get("changed") if kept.number else None,
    )


def rules_of(kept: KeptPolicy) -> str:
    """Return the rules of a policy in a sentence."""
    if not kept.computed:
        return "made by others, and read as they are"
    return kept.policy.summary().partition(": ")[2]


def digits_of(document: Mapping[str, Any]) -> int:
    """Return how many digits ratings have after the point: none where a policy publishes whole points.

    Examples
    --------
    >>> digits_of({"round_to": 1.0}), digits_of({"round_to": None}), digits_of({"system": "given"})
    (0, 1, 0)
    """
    step = document.get("round_to", 1.0)
    return 0 if step is not None and float(step).is_integer() else 1


def earlier_of(lists: Sequence[KeptList], kept: KeptList) -> list[KeptList]:
    """Return the lists of a policy that closed before one, the nearest first."""
    before = {each.name: each for each in lists if not each.number and each.closing < kept.closing}
    return sorted(before.values(), key=lambda each: each.closing, reverse=True)


def about(ctx: RequestContext, kept: KeptList) -> ListAbout:
    """Return what stands above a list."""
    return ctx.cached(  # type: ignore[no-any-return]
        ("about", kept.id), lambda: _about(ctx, kept), version=ctx.lists_version
    )


def _about(ctx: RequestContext, kept: KeptList) -> ListAbout:
    facts = facts_of(ctx)
    lists = [each for each in facts.lists if each.policy == kept.policy]
    policy = next(p for p in facts.policies if p.id == kept.policy_id)
    earlier = earlier_of(lists, kept)
    names = {each.name: each for each in lists if not each.number}
    newest = sorted(names.values(), key=lambda each: each.closing, reverse=True)
    return ListAbout(
        policy=kept.policy,
        name=kept.name,
        href=list_href(kept.policy, kept.name),
        state=kept.state,
        closing=kept.closing,
        effective=kept.effective,
        published=kept.published,
        published_by=kept.published_by,
        rules=rules_of(policy),
        computed=policy.computed,
        digits=digits_of(policy.document),
        listed=int(kept.figures.get("listed") or 0),
        rated=int(kept.figures.get("rated") or 0),
        before=earlier[0].name if earlier else None,
        corrections=[line(each) for each in lists if each.corrects == kept.id],
        others=[PageLink(text=e.name, href=list_href(e.policy, e.name)) for e in newest],
    )


def names_of(ctx: RequestContext) -> NameIndex:
    """Return the text of the search for players, unchanged."""
    mark = ctx.table_version("players", "player_names")  # ids are looked up, not kept
    return ctx.cached(("names",), lambda: name_index(ctx.connection), version=mark, shared=True)  # type: ignore[no-any-return]
