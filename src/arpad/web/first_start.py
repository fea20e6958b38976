"""The first start in the browser: an administrator, the rules, the club's own list; and the demonstration."""

from __future__ import annotations

import hmac
import tempfile
from dataclasses import replace
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Form, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from arpad.errors import UsageError
from arpad.ledger.accounts import LONGEST, account_called, accounts, add_account, begin_session, set_cookie
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger, identity_of
from arpad.ledger.decisions.corrections import exclude_event
from arpad.ledger.imports.importing import import_files, start_list
from arpad.ledger.inspection import check_events
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import PRESETS, Policy, TimeControl, add_policy, kept_policies, preset
from arpad.ledger.schedule import PeriodOfLists
from arpad.ledger.titles import record_titles
from arpad.web.auth import Officer, Viewer, allowed, viewer_of
from arpad.web.jobs.uploads import shown_name, unpack
from arpad.web.page import PageModel, Pages, ReaderContext, Rows, after, rendered, row_of
from arpad.web.views.list_parts import PERIODS, rules_of
from arpad.web.views.sign_in import address_of
from arpad.web.views.uploads import multipart, sent_form, turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.datastructures import FormData


pages = Pages("office")
router = pages.router
WORDS = {
    "club": "Elo's formula, event by event, with one K for everybody. Easy to explain, for a club or a league.",
    "fide": "FIDE's rules of today: K is 40, 20 or 10, and a first rating takes five games against rated players.",
    "uscf1994": "The rules proposed to the US federation in 1994: quick first ratings, and four lists a year.",
    "book": "FIDE's rules of 1986, as in Elo's book: two lists a year, of ratings above 2200 (women: 1900).",
}
"""Each preset in a sentence."""
CODE = Annotated[str, Query(max_length=100)]
Count = Annotated[str, Form(max_length=6, pattern=r"^\d*$")]


class FirstStartPage(PageModel):
    """The form for the first administrator."""

    code: str


class RulesForm(PageModel):
    """The rules that the form is about, with what can be changed of them."""

    base: str  # the preset, or the rules to change
    new: bool
    name: str
    says: str
    k: float | None  # None: the system has K of its own
    period: str
    time_control: str
    min_games: int
    provisional_games: int | None
    active_months: int | None


class RulesPage(PageModel):
    """By which rules lists are made."""

    presets: Rows  # rules to begin with; `lists`: how often lists appear
    policies: Rows  # rules that the ledger has
    form: RulesForm | None
    periods: dict[str, str]
    players: int
    today: date


def _first_code(request: Request, code: str) -> None:
    kept = request.app.state.settings.first_code
    if not kept or not hmac.compare_digest(kept.encode(), code.encode()):
        raise HTTPException(403, "open the address that the server printed when it started: it has the code")


@router.get("/first-start", include_in_schema=False)
def first_start(request: Request, code: CODE = "") -> Response:
    """Show the form for the first administrator, to a person with the code that the server printed."""
    with request.app.state.ledger.reading() as connection:
        if accounts(connection):
            return RedirectResponse("/sign-in?to=/", 303)
    _first_code(request, code)
    return rendered(request, "first_start.html", FirstStartPage(code=code))


@router.post("/first-start", status_code=303, responses={303: {"description": "Signed in."}, 403: {}})
def make_administrator(
    request: Request,
    name: Annotated[str, Form(min_length=1, max_length=100)],
    password: Annotated[str, Form(min_length=1, max_length=LONGEST)],
    code: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Make the first account, an administrator, and sign in."""
    _first_code(request, code)
    app = request.app.state
    with app.ledger.writing(name, "first start") as connection:
        if accounts(connection):
            raise HTTPException(403, "there are accounts already: sign in")
        add_account(connection, name, password, "administrator")
        account = account_called(connection, name)
        assert account is not None
        browser = request.headers.get("user-agent", "")
        token = begin_session(connection, account.id, address=address_of(request), browser=browser)
        identity = identity_of(connection)
    response = RedirectResponse("/rules", 303)
    set_cookie(response, app.settings, identity, token)
    return response


@pages.page("/rules", "rules.html")
def rules(
    ctx: ReaderContext, begin: Annotated[str, Query(max_length=60)] = "", policy: str = ""
) -> RulesPage:
    """Show the rules of the ledger, and a form for new ones or for changes."""
    newest = {kept.name: kept for kept in kept_policies(ctx.connection)}
    if begin and begin not in PRESETS:
        raise HTTPException(404, f"there are no rules {begin!r} to begin with")
    if policy and (policy not in newest or not newest[policy].computed):
        raise HTTPException(404, f"there are no rules {policy!r} to change")
    form = None
    if begin:
        form = _form(preset(begin), begin, WORDS.get(begin, ""), new=True, name=_free(begin, newest))
    elif policy:
        form = _form(newest[policy].policy, policy, rules_of(newest[policy]), new=False, name=policy)
    p = tables.players
    return RulesPage(
        presets=[
            {"name": name, "says": WORDS[name], "lists": PERIODS[PRESETS[name].schedule.period]}
            for name in WORDS
        ],
        policies=[
            row_of(kept, "name", "version", "computed", says=rules_of(kept)) for kept in newest.values()
        ],
        form=form,
        periods=PERIODS,
        players=int(ctx.connection.execute(sa.select(sa.func.count()).select_from(p)).scalar_one()),
        today=tables.now().date(),
    )


def _free(name: str, taken: Any) -> str:
    """Return a name that no rules have yet."""
    return next(each for each in (name, *(f"{name}-{n}" for n in range(2, 100))) if each not in taken)


def _form(policy: Policy, base: str, says: str, *, new: bool, name: str) -> RulesForm:
    return RulesForm(
        base=base,
        new=new,
        name=name,
        says=says,
        k=policy.options.get("k"),
        period=policy.schedule.period,
        time_control=policy.time_control or "",
        min_games=policy.listed.min_games,
        provisional_games=policy.provisional_games,
        active_months=policy.listed.active_months,
    )


@router.post("/rules", status_code=303, responses={303: {"description": "Saved."}, 401: {}, 403: {}})
def save_rules(
    request: Request,
    officer: Officer,
    base: Annotated[str, Form(min_length=1, max_length=60)],
    name: Annotated[str, Form(min_length=1, max_length=60)],
    new: Annotated[bool, Form()] = False,
    k: Annotated[str, Form(max_length=10)] = "",
    period: Annotated[PeriodOfLists | Literal[""], Form()] = "",
    time_control: Annotated[TimeControl | Literal[""], Form()] = "",
    min_games: Count = "",
    provisional_games: Count = "",
    active_months: Count = "",
) -> Response:
    """Keep rules; rules of the same name become a new version."""
    with request.app.state.ledger.writing(officer.name, "rules") as connection:
        newest = {kept.name: kept for kept in kept_policies(connection)}
        if new and name.strip() in newest:
            raise UsageError(f"there are rules called {name.strip()} already: take another name")
        if new and base in PRESETS:
            policy = preset(base)
        elif not new and base == name and base in newest:
            policy = newest[base].policy
        else:
            raise HTTPException(404, f"there are no rules {base!r}")
        options = dict(policy.options)
        if k.strip() and "k" in options:
            options["k"] = _k(k)
        changed = policy.changed(
            name=name,
            options=options,
            schedule=replace(policy.schedule, period=period) if period else policy.schedule,
            time_control=time_control or None,
            provisional_games=_number(provisional_games),
            listed=replace(
                policy.listed, min_games=_number(min_games) or 0, active_months=_number(active_months)
            ),
        )
        add_policy(connection, changed)
    return RedirectResponse(after("/rules", "saved"), 303)


def _number(text: str) -> int | None:
    return int(text) if text.strip() else None


def _k(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"expected K as a number such as 24, found {text!r}") from None
    if not 0 < value <= 1000:
        raise UsageError(f"expected K between 1 and 1000, found {text}")
    return int(value) if value.is_integer() else value


@router.post(
    "/rules/starting-list",
    status_code=303,
    responses={303: {"description": "Done."}, 400: {}, 401: {}, 403: {}, 408: {}, 413: {}, 422: {}, 503: {}},
    openapi_extra=multipart("on", on=10, policy=60, ids=20),
)
async def starting_list(request: Request) -> Response:
    """Let players start with the ratings of the list that the club has already."""
    officer = await run_in_threadpool(_officer, request)
    async with sent_form(request, officer, files=1) as form:
        return await run_in_threadpool(_started, request, officer, form)


def _officer(request: Request) -> Viewer:
    return allowed(viewer_of(request), "officer", writable=request.app.state.settings.writable)


def _started(request: Request, officer: Viewer, form: FormData) -> Response:
    file, state = form.get("file"), request.app.state
    if not isinstance(file, UploadFile) or not file.filename:
        raise UsageError("choose the file of the list first")
    said = str(form.get("on") or "")[:10]
    try:
        on = date.fromisoformat(said)
    except ValueError:
        raise UsageError(f"expected the day of the list as YYYY-MM-DD, found {said!r}") from None
    name = shown_name(file.filename)
    with turn(), tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        path = Path(folder) / name
        unpack(file.file, path, most=state.settings.unpacked_bytes, name=name)
        done = start_list(
            state.ledger,
            str(path),
            on=on,
            policy=str(form.get("policy") or "")[:60] or None,
            ids=str(form.get("ids") or "")[:20] or None,
            who=str(officer.name),
        )
    return RedirectResponse(after(f"/log/{done.decision.id}", "decided"), 303)


OFFICER = "Anna Arbiter"
POLICIES = ("club", "fide")  # whose lists there are
SEASON = {
    "1-winter-open.csv": "2026-02",
    "2-february-league.csv": "2026-03",
    "3-spring-cup.csv": "2026-04",
    "4-easter-open.csv": "2026-05",
    "6-summer-open.csv": "2026-08",
    "7-september-league.csv": "2026-10",
    "8-autumn-cup.csv": "2026-11",
}
"""Events that were reported in time, and the list after each."""
LATE = "5-may-league.csv"  # the event that is reported after later lists are published
MASTERS = "9-autumn-masters.csv"
OLD, FAMOUS = "game-of-the-century.pgn", "famous-games.pgn"
"""Games to look at, not the club's: no list counts them."""
LOOKED_AT = (7, 10)
"""Numbers of the events that the officer has checked: the Autumn Cup and the masters. The rest waits."""


def fill_demo(place: str, *, more: bool = False) -> None:
    """Make a ledger with a club's season in it; `more`: also famous games, and a published correction."""
    samples = files("arpad") / "samples"
    with Ledger.open(place, create=True) as ledger:

        def report(*names: str) -> list[int]:
            """Import files; return the numbers of the events of the last one."""
            *_, last = import_files(ledger, [str(samples / name) for name in names], who=OFFICER)
            return [] if last.plan is None else last.plan.rows.events["id"].to_list()

        def leave_out(numbers: Iterable[int]) -> None:
            with ledger.writing(OFFICER, "A game to look at, not one of the club's") as connection:
                for number in numbers:
                    exclude_event(connection, number)

        with ledger.writing(OFFICER, "policies") as connection:
            add_policy(connection, preset("club"))
            add_policy(connection, preset("fide", provisional_games=5))
        for name, month in SEASON.items():
            report(name)
            for policy in POLICIES:
                make_list(ledger, policy=policy, name=month, who=OFFICER)
                publish_list(ledger, policy=policy, name=month, who=OFFICER)
        leave_out(report(LATE, OLD))
        report(MASTERS)
        if more:
            leave_out(report(FAMOUS))
        for policy in POLICIES:
            make_list(ledger, policy=policy, name="2026-12", who=OFFICER)
        if more:
            publish_list(ledger, policy="fide", name="2026-08", who=OFFICER)
        check_events(ledger, LOOKED_AT, policy="club")
        with ledger.writing(OFFICER, "titles") as connection:
            record_titles(connection, policy="fide")
