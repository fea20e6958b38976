"""Parts that the pages of a list share: addresses, contexts, facts."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from fastapi import HTTPException

from arpad.errors import UsageError, counted
from arpad.ledger.games import ratings_on
from arpad.ledger.lists import KeptList, list_called
from arpad.ledger.queries.lists import Sort, Standing
from arpad.ledger.queries.players import ListFacts, NameIndex, list_facts, name_index
from arpad.web.page import PageLink, PageModel, Pager, Rows, birth_year, pager, row_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.ledger.policy import KeptPolicy, Listed
    from arpad.web.page import RequestContext


def person_row(who: Any, **more: Any) -> dict[str, Any]:
    """Return a player as a row; of the birth only the year."""
    return row_of(who, "id", "name", "title", "federation", birth=birth_year(who.birth), **more)


def entry_row(entry: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an entry of a list as a row; of the birth only the year."""
    return entry | {"id": entry["player_id"], "birth": birth_year(entry["birth"]), "trend": ""} | more


class ListLine(PageModel):
    """A list, or a correction of one."""

    policy: str
    name: str
    number: int  # 0: the list; 1, 2, …: its corrections
    state: str
    href: str
    closing: date
    effective: date | None
    made: datetime
    published: datetime | None
    published_by: str | None
    players: int | None  # on the list; of a correction: figures that it changes
    because: str | None = None  # of a correction: what came, went or changed


class PolicyLists(PageModel):
    """A policy and its lists, the newest first."""

    policy: str
    says: str  # the rules in a sentence
    computed: bool  # False: others made its lists, which are only read
    lists: list[ListLine]


class ListsPage(PageModel):
    """All lists."""

    policies: list[PolicyLists]
    games: bool  # whether there is anything to make a list of


class ListAbout(PageModel):
    """Head of each page of a list."""

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
    digits: int  # after the decimal point, in ratings
    listed: int
    rated: int
    before: str | None  # the list before it
    corrections: list[ListLine]
    others: list[PageLink]  # all lists of the policy, the newest first


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
    federations: Rows  # choices, as `value` and `text`
    titles: Rows
    standings: Rows
    sexes: bool
    births: bool
    any: bool  # whether any filter is set


class ListPager(Pager):
    """Position in a long list, and links to the rest."""

    found: int
    before: str | None
    after: str | None
    start: str | None
    end: str | None


class ListPage(PageModel):
    """One list."""

    about: ListAbout
    filters: FilterForm
    quick: Rows  # filters by one click
    columns: Rows  # their heads, by which rows can be sorted; `phone`: shown on a phone, too
    rows: Rows
    pager: ListPager
    downloads: list[PageLink]


class ChangesPage(PageModel):
    """Differences between a list and an earlier one."""

    about: ListAbout
    since: str | None  # the earlier list; None: there is none
    earlier: list[str]
    others: Rows  # lists of other policies
    q: str
    changed: int
    new: int
    gone: int
    rows: Rows
    pager: ListPager


class CorrectionsPage(PageModel):
    """The corrections of a list, with their causes."""

    about: ListAbout
    corrections: Rows


class StalePage(PageModel):
    """A draft that is not published, because it is not what was shown."""

    policy: str
    name: str
    says: str
    href: str


class PublishPage(PageModel):
    """Figures that publishing would freeze."""

    about: ListAbout
    freezes: ListLine | None  # the draft; None: the list is published, and only corrections would be
    corrections: Rows
    nothing: bool
    leaders: Rows
    seen: str  # a hash of what is shown here: only this is published by the form
    changed: int
    new: int


PAGE = 50  # rows of a page


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
    place = pager(found, page, size)

    def at(number: int) -> str | None:
        if number == place.page or not 1 <= number <= place.pages:
            return None
        return with_query(path, {**values, "page": number if number > 1 else None})

    ends = {"before": at(place.page - 1), "after": at(place.page + 1), "start": at(1), "end": at(place.pages)}
    return ListPager.of(place, found=found, **ends)


def facts_of(ctx: RequestContext) -> ListFacts:
    """Return lists, policies and runs as they stand; to the public nothing that is not published."""

    def make() -> ListFacts:
        result = list_facts(ctx.connection)
        if ctx.viewer.sees_all:
            return result
        published = tuple(each for each in result.lists if each.published is not None)
        return replace(result, lists=published)

    return ctx.cached(("facts",), make, version=ctx.lists_version)


def list_or_404(ctx: RequestContext, policy: str, name: str) -> KeptList:
    """Return the list that an address means, as `list_called` does; 404: there is none."""
    result = [
        each for each in facts_of(ctx).lists if (each.policy, each.name, each.number) == (policy, name, 0)
    ]
    if result:
        return max(result, key=lambda e: (e.closing, e.state == "published", e.version, e.id))
    if not ctx.viewer.sees_all:
        raise HTTPException(404, f"no list of {policy} is called {name}")
    try:
        return list_called(ctx.connection, policy, name)
    except UsageError as error:
        raise HTTPException(404, str(error)) from None


def line(kept: KeptList) -> ListLine:
    """Return a list as a line among others."""
    return ListLine.of(
        kept,
        href=list_href(kept.policy, kept.name, "corrections" if kept.number else ""),
        players=kept.figures.get("players" if kept.number else "listed"),
        because=kept.figures.get("changed") if kept.number else None,
    )


PERIODS = {"month": "every month", "quarter": "every quarter", "half": "twice a year", "year": "once a year"}
FORMULAS = {
    "elo": "Elo's formula",
    "fide": "FIDE's rules",
    "elo-book": "FIDE's rules of 1986, as in Elo's book",
    "uscf1994": "the rules proposed to the U.S. federation in 1994",
}


def rules_of(kept: KeptPolicy) -> str:
    """Return the rules of a policy in plain sentences."""
    if not kept.computed:
        return "Made by others, and read as they are."
    policy = kept.policy
    options = dict(policy.options)
    k, by_event = options.pop("k", None), options.get("period") == "event"
    constants = [] if k is None else [f"K {k}"]
    constants += [f"{name.replace('_', ' ')} {value}" for name, value in options.items() if name != "period"]
    formula = FORMULAS.get(policy.system, f"the system {policy.system}")
    told = f" with {' and '.join(constants)}" if constants else ""
    sentences = [f"{formula}{told}{', event by event' if by_event else ''}"]
    points = {None: "as calculated", 1.0: "in whole points"}.get(
        policy.round_to, f"in steps of {policy.round_to}"
    )
    games = f"{policy.time_control or 'all'} games"
    when = PERIODS.get(policy.schedule.period, "on its own dates")
    sentences.append(f"a list {when} from {games}, {points}")
    if policy.floor is not None:
        sentences.append(f"no rating falls below {policy.floor:g}")
    if policy.provisional_games:
        sentences.append(f"ratings of fewer than {policy.provisional_games} games are provisional")
    sentences += [each for each in _listed(policy.listed) if each]
    sentences += [f"from {a.since} on {FORMULAS.get(a.system, a.system)}" for a in policy.amendments]
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in sentences)


def _listed(listed: Listed) -> list[str]:
    """Say who stands on a list."""
    women = "" if listed.above_women is None else f" (women {listed.above_women:g})"
    inactive = {"marked": "marked as inactive"}.get(listed.inactive, listed.inactive)
    active = f"a player without games for {listed.active_months} months is {inactive}"
    return [
        f"a player is listed from {counted(listed.min_games, 'game')} on" if listed.min_games else "",
        "" if listed.above is None else f"only ratings above {listed.above:g}{women} are listed",
        active if listed.active_months else "",
        f"only members of a {listed.member} are listed" if listed.member else "",
    ]


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
    return ctx.cached(("about", kept.id), lambda: _about(ctx, kept), version=ctx.lists_version)


def _about(ctx: RequestContext, kept: KeptList) -> ListAbout:
    facts = facts_of(ctx)
    lists = [each for each in facts.lists if each.policy == kept.policy]
    policy = next(p for p in facts.policies if p.id == kept.policy_id)
    earlier = earlier_of(lists, kept)
    names = {each.name: each for each in lists if not each.number}
    newest = sorted(names.values(), key=lambda each: each.closing, reverse=True)
    return ListAbout.of(
        kept,
        href=list_href(kept.policy, kept.name),
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
    return ctx.cached(("names",), lambda: name_index(ctx.connection), version=mark, shared=True)


MANY = 500  # players found from whom on they are ordered by name, not by rating


def last_lists(ctx: RequestContext) -> dict[str, int]:
    """Return the number of the last list of each policy, a published one before a draft."""
    return {each.policy: each.id for each in reversed(facts_of(ctx).last())}


def ranked_players(ctx: RequestContext, text: str) -> list[int]:
    """Return whom a text may mean, the best fit first, among equals the highest rating; without a text all by name."""
    if not text.strip():
        return names_of(ctx).people(ctx.connection, text)
    fits = names_of(ctx).ranked(ctx.connection, text)
    if len(fits) > MANY:
        return list(fits)
    known = ratings_on(ctx.connection, list(last_lists(ctx).values()), fits)
    best: dict[int, float] = {}
    for (_, player), rating in known.items():
        best[player] = max(rating, best.get(player, -math.inf))
    return sorted(fits, key=lambda player: (fits[player], -best.get(player, -math.inf)))
