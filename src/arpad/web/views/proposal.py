"""A decision before it is taken: what it changes is shown, and only then it is confirmed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Form
from fastapi.responses import RedirectResponse, Response

from arpad.errors import UsageError
from arpad.ledger.decisions.decisions import documents
from arpad.ledger.queries.effect import effect_of, trial
from arpad.web.page import PageLink, PageModel, after, rendered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import Request
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.queries.effect import Effect, ListEffect
    from arpad.web.auth import Viewer


SHOWN = 30
"""Figures of a list that are shown; the sentence tells how many there are."""
Why = Annotated[str, Form(min_length=1, max_length=4000)]
Confirmed = Annotated[bool, Form()]
"""False: show what would change; true: do it."""
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "What would change, to be confirmed.", "content": {"text/html": {}}},
    303: {"description": "Done, and written into the log."},
    400: {"description": "Not possible; the answer gives the reason."},
    401: {"description": "Somebody has to sign in first."},
    403: {"description": "The account may not do this, or it was not a form of this app."},
    404: {"description": "There is no such thing in this ledger."},
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
"""How people call what is written; everything else by its own name."""
SUBJECTS = {"player": "/players/{}", "event": "/events/{}", "game": "/games/{}"}


class Cell(PageModel):
    """One value that is another one."""

    what: str
    """Such as `games 12`."""
    column: str
    before: str
    after: str


class MovedRow(PageModel):
    """A rating that is moved by hand."""

    id: int
    name: str
    before: float | None
    after: float


class FigureChange(PageModel):
    """A figure of a list that would be another one."""

    id: int
    name: str
    before: float | None
    after: float | None
    difference: float | None


class ListChange(PageModel):
    """What becomes of a list."""

    policy: str
    name: str
    says: str
    rows: list[FigureChange]
    more: int


class Aside(PageModel):
    """What else is other than before: a caption, and rows of what, before, after."""

    caption: str
    rows: list[tuple[str, str, str]]


class Hidden(PageModel):
    """What the form carries on to the confirmation."""

    name: str
    value: str


class Proposal(PageModel):
    """A decision as it would stand in the log, and what follows from it."""

    title: str
    refused: str
    """Why it cannot be done; "": it can."""
    back: PageLink
    action: str
    carried: list[Hidden]
    why: str
    words: str = ""
    about: tuple[PageLink, ...] = ()
    cells: tuple[Cell, ...] = ()
    moved: tuple[MovedRow, ...] = ()
    lists: tuple[ListChange, ...] = ()
    asides: tuple[Aside, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What somebody wants to decide.

    Parameters
    ----------
    verb
        Takes the decision, in a writer's transaction.
    look
        Called before and after it, says what else may change: a caption, and what by name.
    carried
        The fields of the form, for the confirmation.
    done
        Where to go on, given the decision; and the notice there.
    """

    title: str
    back: PageLink
    action: str
    verb: Callable[[Connection], Decision]
    done: Callable[[Decision], str]
    notice: str = "decided"
    carried: Mapping[str, str] = field(default_factory=dict)
    look: Callable[[Connection], list[tuple[str, dict[str, str]]]] | None = None


def decided(request: Request, admin: Viewer, why: str, intent: Intent, *, confirmed: bool) -> Response:
    """Show what a decision changes; or, once that is confirmed, take it."""
    ledger = request.app.state.ledger
    who = str(admin.name)
    try:
        if not confirmed:
            return rendered(request, "effect.html", _tried(ledger, who, why, intent))
        with ledger.writing(who, why) as connection:
            found = intent.verb(connection)
    except UsageError as error:
        refused = Proposal(
            title=intent.title,
            refused=str(error),
            back=intent.back,
            action=intent.action,
            carried=[],
            why=why,
        )
        return rendered(request, "effect.html", refused, 400)
    return RedirectResponse(after(intent.done(found), intent.notice), 303)


def _tried(ledger: Any, who: str, why: str, intent: Intent) -> Proposal:
    with trial(ledger, who, why) as connection:
        was = intent.look(connection) if intent.look else []
        effect = effect_of(connection, intent.verb)
        would_be = intent.look(connection) if intent.look else []
        return _proposal(connection, why, intent, effect, _asides(was, would_be))


def _proposal(
    connection: Connection, why: str, intent: Intent, effect: Effect, asides: list[Aside]
) -> Proposal:
    decision = effect.decision
    return Proposal(
        title=intent.title,
        refused="",
        back=intent.back,
        action=intent.action,
        carried=[Hidden(name=name, value=value) for name, value in intent.carried.items()],
        why=why,
        words=decision.words(),
        about=tuple(links_of(decision.about())),
        cells=tuple(cells_of(decision)),
        moved=tuple(moved_of(connection, decision)),
        lists=tuple(_list(each) for each in effect.lists),
        asides=tuple(asides),
    )


def _list(effect: ListEffect) -> ListChange:
    rows = [] if effect.rows is None else effect.rows.head(SHOWN).to_dicts()
    whole = 0 if effect.rows is None else effect.rows.height
    return ListChange(
        policy=effect.policy,
        name=effect.name,
        says=effect.summary(),
        rows=[
            FigureChange(id=one["player_id"], **{k: v for k, v in one.items() if k != "player_id"})
            for one in rows
        ],
        more=max(0, whole - SHOWN),
    )


def _asides(was: list[tuple[str, dict[str, str]]], would_be: list[tuple[str, dict[str, str]]]) -> list[Aside]:
    """Return what differs between two looks."""
    later = dict(would_be)
    found = []
    for caption, before in was:
        now = later.get(caption, {})
        rows = [
            (name, before.get(name, ""), now.get(name, ""))
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ]
        found.append(Aside(caption=caption, rows=rows))
    return found


BIRTHS = re.compile(r"\bbirth (\?|\d{4}[-\d]*) → (\?|\d{4}[-\d]*)")


def without_days(words: str) -> str:
    """Return what a decision says of a birth with the year only.

    Examples
    --------
    >>> without_days("Ann (#1): birth 2014-03-09 → 2014-03-10, title ? → FM")
    'Ann (#1): birth 2014 → 2014, title ? → FM'
    """
    return BIRTHS.sub(lambda m: f"birth {m[1][:4]} → {m[2][:4]}", words)


def cells_of(decision: Decision, *, days: bool = True) -> list[Cell]:
    """Return every value that a decision changes.

    Parameters
    ----------
    days
        With days of birth; else their years only.
    """
    before, now = documents(decision.changes)
    hidden = () if days else ("birth",)
    found = []
    for one, two in zip(before, now, strict=True):
        if one["table"] == "doubts":  # that it settles something is said elsewhere
            continue
        key = ", ".join(str(value) for value in one["key"].values())
        sides = one["values"] or {}, two["values"] or {}
        found += [
            Cell(
                what=f"{TABLES.get(one['table'], one['table'])} {key}",
                column=COLUMNS.get(column, column.replace("_", " ")),
                before=_said(sides[0].get(column), year=column in hidden),
                after=_said(sides[1].get(column), year=column in hidden),
            )
            for column in {**sides[0], **sides[1]}
        ]
    return found


def _said(value: object, *, year: bool = False) -> str:
    if year and isinstance(value, str):
        return value[:4]
    return "" if value is None else "yes" if value is True else "no" if value is False else str(value)


def moved_of(connection: Connection, decision: Decision) -> list[MovedRow]:
    """Return the ratings that a decision moves by hand."""
    from arpad.ledger.decisions.subjects import person

    return [
        MovedRow(
            id=one["player"],
            name=person(connection, one["player"]).name,
            before=one.get("before"),
            after=one["rating"],
        )
        for one in decision.facts.get("ratings", ())
    ]


def links_of(subjects: tuple[str, ...]) -> list[PageLink]:
    """Return where the pages are of what a decision is about.

    Examples
    --------
    >>> links_of(("player 12", "event 3"))[1].href
    '/events/3'
    """
    found = []
    for subject in subjects:
        match = re.fullmatch(r"(player|event|game) (\d+)", subject)
        if match:
            found.append(PageLink(text=subject, href=SUBJECTS[match[1]].format(match[2])))
    return found
