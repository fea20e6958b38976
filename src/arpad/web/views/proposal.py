"""A decision before it is taken: what it changes is shown, and only then it is confirmed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from arpad.errors import UsageError
from arpad.ledger.decisions.decisions import documents
from arpad.ledger.queries.effect import effect_of, trial
from arpad.web.auth import Administrator, Arbiter, Officer, Viewer
from arpad.web.page import PageLink, PageModel, Rows, after, rendered, rows_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.queries.effect import ListEffect


SHOWN = 30  # figures of a list that are shown; the sentence tells how many there are
Why = Annotated[str, Form(min_length=1, max_length=4000)]
Confirmed = Annotated[bool, Form()]  # False: show what would change; true: do it
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "What would change, to be confirmed.", "content": {"text/html": {}}},
    303: {"description": "Done, and written into the log."},
    400: {"description": "Not possible; the answer gives the reason."},
    401: {"description": "Sign in first."},
    403: {"description": "The account may not do this, or it was not a form of this app."},
    404: {"description": "The ledger has nothing of this kind."},
}
TABLES = {
    "players": "player",
    "events": "event",
    "games": "game",
    "player_names": "spelling of player",
    "player_ids": "id",
    "memberships": "membership",
}
COLUMNS = {
    "merged_into": "is the same as player",
    "excluded": "left out of every list",
    "player_id": "of player",
    "fold": "found by",
    "start": "first day",
    "end": "last day",
    "score": "White's points",
    "black_score": "Black's points",
    "white_id": "White is player",
    "black_id": "Black is player",
    "precision": "date known to the",
}
"""Names of columns for people; others keep their own."""
SUBJECTS = {"player": "/players/{}", "event": "/events/{}", "game": "/games/{}"}


class Proposal(PageModel):
    """A decision as it would stand in the log, and what follows from it."""

    title: str
    back: str
    why: str
    refused: str = ""  # why it cannot be done; "": it can
    action: str = ""
    carried: dict[str, str] = Field(default_factory=dict)
    words: str = ""
    about: tuple[PageLink, ...] = ()
    cells: Rows = ()  # values that are other ones
    moved: Rows = ()  # ratings that are moved by hand
    lists: Rows = ()  # effects on lists
    asides: Rows = ()  # other differences: a caption, and rows of what, before and after


Look = list[tuple[str, dict[str, str]]]  # what else may change: a caption, and what by name


@dataclass(frozen=True, slots=True)
class ProposedDecision:
    """A decision that somebody asks for with a form: who, why, its fields, and whether its effect was confirmed."""

    request: Request
    viewer: Viewer
    why: str
    fields: dict[str, str]
    confirmed: bool

    def decide(
        self,
        verb: Callable[[Connection], Decision],
        *,
        title: str,
        back: str,
        done: Callable[[Decision], str] = lambda decision: f"/log/{decision.id}",
        notice: str = "decided",
        look: Callable[[Connection], Look] | None = None,
        decisions: list[Decision] | None = None,
    ) -> Response:
        """Show what a decision changes; or, once that is confirmed, take it.

        Parameters
        ----------
        verb
            Takes the decision, in a writer's transaction.
        done
            Where to go on, given the decision; `notice` is shown there.
        look
            Called before and after it, says what else may change.
        decisions
            Where a verb that takes several leaves them all.
        """
        ledger = self.request.app.state.ledger
        who, page = str(self.viewer.name), Proposal(title=title, back=back, why=self.why)
        try:
            if self.confirmed:
                with ledger.writing(who, self.why) as connection:
                    decision = verb(connection)
                return RedirectResponse(after(done(decision), notice), 303)
            with trial(ledger, who, self.why) as connection:
                was = look(connection) if look else []
                effect = effect_of(connection, verb)
                would_be = look(connection) if look else []
                taken, days = decisions or [effect.decision], self.viewer.administers
                words = "; ".join(each.words() for each in taken)
                about = dict.fromkeys(subject for each in taken for subject in each.about())
                shown = {
                    "action": self.request.url.path,
                    "carried": self.fields,
                    "words": words if days else without_days(words),
                    "about": links_of(tuple(about)),
                    "cells": [cell for each in taken for cell in cells_of(each, days=days)],
                    "moved": [row for each in taken for row in moved_of(connection, each)],
                    "lists": [_list(each) for each in effect.lists],
                    "asides": _asides(was, would_be),
                }
        except UsageError as error:
            return rendered(self.request, "effect.html", page.model_copy(update={"refused": str(error)}), 400)
        return rendered(self.request, "effect.html", page.model_copy(update=shown))


async def _fields(request: Request) -> dict[str, str]:
    """Return the fields of a form that the confirmation sends again."""
    form = await request.form()
    return {n: v for n, v in form.items() if isinstance(v, str) and n not in ("token", "why", "confirmed")}


Fields = Annotated[dict[str, str], Depends(_fields)]


def _asked_by(role: Any) -> Any:
    def ask(
        request: Request, viewer: Viewer, why: Why, fields: Fields, confirmed: Confirmed = False
    ) -> ProposedDecision:
        return ProposedDecision(request, viewer, why, fields, confirmed)

    ask.__annotations__ |= {"viewer": role}
    return Depends(ask)


AskedByArbiter = Annotated[ProposedDecision, _asked_by(Arbiter)]
AskedByOfficer = Annotated[ProposedDecision, _asked_by(Officer)]
AskedByAdministrator = Annotated[ProposedDecision, _asked_by(Administrator)]
"""Give the function of a form a parameter of one of these types: only people of that role may ask."""


def _list(effect: ListEffect) -> dict[str, Any]:
    rows = effect.rows
    return {
        "policy": effect.policy,
        "name": effect.name,
        "says": effect.summary(),
        "rows": [] if rows is None else rows_of(rows.head(SHOWN).rename({"player_id": "id"})),
        "more": 0 if rows is None else max(0, rows.height - SHOWN),
    }


def _asides(was: Look, would_be: Look) -> Rows:
    """Return what differs between two looks."""
    later = dict(would_be)
    result = []
    for caption, before in was:
        now = later.get(caption, {})
        rows = [
            (name, before.get(name, ""), now.get(name, ""))
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ]
        result.append({"caption": caption, "rows": rows})
    return result


BIRTHS = re.compile(r"\bbirth (\?|\d{4}[-\d]*) → (\?|\d{4}[-\d]*)")


def without_days(words: str) -> str:
    """Return what a decision says of a birth with the year only.

    Examples
    --------
    >>> without_days("Ann (#1): birth 2014-03-09 → 2014-03-10, title ? → FM")
    'Ann (#1): birth 2014 → 2014, title ? → FM'
    """
    return BIRTHS.sub(lambda m: f"birth {m[1][:4]} → {m[2][:4]}", words)


def cells_of(decision: Decision, *, days: bool = True) -> Rows:
    """Return every value that a decision changes; with `days` days of birth, else their years only."""
    before, now = documents(decision.changes)
    hidden = () if days else ("birth",)
    result: list[dict[str, Any]] = []
    for one, two in zip(before, now, strict=True):
        if one["table"] == "doubts":  # that it settles something is said elsewhere
            continue
        key = ", ".join(str(value) for value in one["key"].values())
        sides = one["values"] or {}, two["values"] or {}
        result += [
            {
                "what": f"{TABLES.get(one['table'], one['table'])} {key}",
                "column": COLUMNS.get(column, column.replace("_", " ")),
                "before": _said(sides[0].get(column), year=column in hidden),
                "after": _said(sides[1].get(column), year=column in hidden),
            }
            for column in {**sides[0], **sides[1]}
        ]
    return result


def _said(value: object, *, year: bool = False) -> str:
    if year and isinstance(value, str):
        return value[:4]
    return "" if value is None else "yes" if value is True else "no" if value is False else str(value)


def moved_of(connection: Connection, decision: Decision) -> Rows:
    """Return the ratings that a decision moves by hand."""
    from arpad.ledger.decisions.subjects import person

    return [
        {
            "id": one["player"],
            "name": person(connection, one["player"]).name,
            "before": one.get("before"),
            "after": one["rating"],
        }
        for one in decision.facts.get("ratings", ())
    ]


def links_of(subjects: tuple[str, ...]) -> list[PageLink]:
    """Return where the pages are of what a decision is about.

    Examples
    --------
    >>> links_of(("player 12", "event 3"))[1].href
    '/events/3'
    """
    result = []
    for subject in subjects:
        match = re.fullmatch(r"(player|event|game) (\d+)", subject)
        if match:
            result.append(PageLink(text=subject, href=SUBJECTS[match[1]].format(match[2])))
    return result
