"""Explanation of a rating: periods, and the events and games of one of them, or of all."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import sqlalchemy as sa
from fastapi import HTTPException

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.lists import kept_lists
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.explain import explained
from arpad.web.page import PageLink, PageModel
from arpad.web.views.list_parts import digits_of, list_href, with_query
from arpad.web.views.player import numbers_of

if TYPE_CHECKING:
    from arpad.ledger.decisions.subjects import Person
    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.explain import Explained
    from arpad.web.page import RequestContext


class StepRow(PageModel):
    """One step: a game, or what changed a rating without one."""

    game_id: int | None
    day: date | None
    round: str | None
    colour: str | None
    opponent_id: int | None
    opponent: str | None
    rating: float | None  # that the step was taken from
    opponent_rating: float | None
    score: float | None
    expected: float | None
    k: float | None
    change: float
    rule: int  # its number among the rules


class BlockView(PageModel):
    """The games of one event in a period, or steps without a game."""

    event_id: int | None
    event: str | None
    games: int
    score: float | None
    expected: float | None
    change: float
    steps: list[StepRow]


class PeriodRow(PageModel):
    """A period, from one closing date to the next."""

    closing: date
    before: float | None
    change: float
    after: float
    games: int
    href: str
    shown: bool


class RuleRow(PageModel):
    """A rule that was applied."""

    number: int
    text: str


class ExplanationView(PageModel):
    """Explanation of one figure."""

    policy: str
    list_name: str
    list_href: str
    state: str
    closing: date
    correction: int | None
    rating: float | None
    digits: int  # after the decimal point, in the figures of the list …
    exact_digits: int  # … and in those that the periods go on from
    total: float
    adds_up: bool
    games: int
    notes: list[str]
    periods: list[PeriodRow]
    shown: str  # the period whose steps are shown; "all"
    everything: str  # where all steps are shown
    blocks: list[BlockView]
    rules: list[RuleRow]


class ExplainPage(PageModel):
    """Explanation of a player's rating."""

    id: int
    name: str
    title: str | None
    explained: ExplanationView | None  # None: there is nothing to explain; `says` tells why
    says: str
    choices: list[PageLink]  # other figures of the player, by policy and list


CHOICES = 60  # other lists that a page offers


def explain_page(
    ctx: RequestContext,
    who: Person,
    policy: str,
    name: str,
    period: date | Literal["all"] | None,
    *,
    as_published: bool,
) -> ExplainPage:
    """Return how a figure came about; without policy and list, the last one that the player has."""
    there = _lists(ctx, who)
    fitting = [each for each in there if policy in ("", each.policy) and name in ("", each.name)]
    says, shown = "", None
    if fitting:
        kept = fitting[0]
        result = _found(ctx, who, kept, as_published)
        shown = _explained(ctx, result, who.id, period, as_published)
    elif policy or name:
        raise HTTPException(404, f"{who.called()} is on no list {name} of {policy or 'any policy'}")
    else:
        says = "No list that was made here has a rating of this player: there is nothing to explain yet."
    return ExplainPage.of(
        who,
        explained=shown,
        says=says,
        choices=[
            PageLink(
                text=f"{each.policy}, {each.name}",
                href=with_query(f"/players/{who.id}/explain", {"policy": each.policy, "list": each.name}),
            )
            for each in there[:CHOICES]
        ],
    )


def _lists(ctx: RequestContext, who: Person) -> list[KeptList]:
    """Return the lists on which a player has a figure that was computed here, the newest first."""
    connection, n = ctx.connection, tables.entries.c
    numbers = numbers_of(connection, who)
    query = sa.select(n.list_id).where(n.player_id.in_(numbers)).distinct()
    lists = {each.id: each for each in kept_lists(connection) if each.run_id is not None}
    on = {lists[i].corrects or i for i in connection.execute(query).scalars() if i in lists}
    return sorted(
        (lists[i] for i in on if i in lists),
        key=lambda e: (e.closing, e.published is not None, e.policy),
        reverse=True,
    )


def _found(ctx: RequestContext, who: Person, kept: KeptList, as_published: bool) -> Explained:
    try:
        return explained(
            ctx.connection, f"#{who.id}", policy=kept.policy, name=kept.name, as_published=as_published
        )
    except UsageError as error:
        raise HTTPException(404, str(error)) from None


def _explained(
    ctx: RequestContext,
    found: Explained,
    number: int,
    period: date | Literal["all"] | None,
    as_published: bool,
) -> ExplanationView:
    kept, told = found.list, found.explanation
    document = next(p.document for p in kept_policies(ctx.connection) if p.id == kept.policy_id)
    periods = told.periods()
    closings = periods["closing"].to_list()
    if period is None:
        period = closings[-1] if closings else "all"
    if period != "all" and period not in closings:
        raise HTTPException(404, f"no period of this figure closed on {period}")
    steps = told.steps if period == "all" else told.steps.filter(pl.col("closing") == period)
    values = {"policy": kept.policy, "list": kept.name, "as_published": as_published}

    def at(day: object) -> str:
        return with_query(f"/players/{number}/explain", {**values, "period": day})

    rules = {text: i + 1 for i, text in enumerate(steps["rule"].unique(maintain_order=True))}
    return ExplanationView.of(
        kept,
        list_name=kept.name,
        list_href=list_href(kept.policy, kept.name),
        correction=found.correction.number if found.correction else None,
        rating=told.rating,
        digits=digits_of(document),
        exact_digits=0 if all(float(after).is_integer() for after in periods["after"]) else 1,
        total=told.total,
        adds_up=told.adds_up,
        games=told.games,
        notes=list(told.notes),
        periods=[
            PeriodRow(**row, href=at(row["closing"]), shown=period in ("all", row["closing"]))
            for row in periods.reverse().iter_rows(named=True)
        ],
        shown=str(period),
        everything=at("all"),
        blocks=_blocks(steps, rules),
        rules=[RuleRow(number=i, text=text) for text, i in rules.items()],
    )


def _blocks(steps: pl.DataFrame, rules: dict[str, int]) -> list[BlockView]:
    """Return the steps in their order, the games of an event together."""
    groups: list[list[dict[str, Any]]] = []
    key: object = None
    for row in steps.iter_rows(named=True):
        here = (row["closing"], row["event_id"]) if row["opponent_id"] is not None else None
        if not groups or here != key:
            groups.append([])
        key = here
        groups[-1].append(row)
    return [_block(rows, rules) for rows in groups]


def _block(rows: list[dict[str, Any]], rules: dict[str, int]) -> BlockView:
    # A step with an opponent and no score is what else that game did.
    games = [row for row in rows if row["opponent_id"] is not None and row["score"] is not None]
    known = bool(games) and all(row["expected"] is not None for row in games)
    return BlockView(
        event_id=games[0]["event_id"] if games else None,
        event=games[0]["event"] if games else None,
        games=len(games),
        score=sum(row["score"] or 0.0 for row in games) if games else None,
        expected=sum(row["expected"] for row in games) if known else None,
        change=sum(row["change"] for row in rows),
        steps=[StepRow.of(row, day=row["date"], rule=rules[row["rule"]]) for row in rows],
    )
