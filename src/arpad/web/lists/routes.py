"""Rating lists: search, filters, earlier ones, changes, downloads; making and publishing them."""

from __future__ import annotations

from typing import Annotated, Literal

import sqlalchemy as sa
from fastapi import HTTPException, Path, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from arpad.office.making.list_making import publish_list
from arpad.office.making.lists import kept_lists
from arpad.office.rules.policies import kept_policies
from arpad.office.showing.list_search import Sort, Standing, Wanted
from arpad.store.ledger import tables
from arpad.web.asking import Asked
from arpad.web.lists.about import line, list_asked, rules_of
from arpad.web.lists.addresses import list_href
from arpad.web.lists.build import list_page
from arpad.web.lists.changes import changes_page, corrections_page
from arpad.web.lists.contexts import Changes, Corrections, ListPage, Lists, PolicyLists, Preview
from arpad.web.lists.files import KINDS, file_name, list_file
from arpad.web.lists.preview import preview_page
from arpad.web.notices import after
from arpad.web.pages import Pages
from arpad.web.security.viewer import Administrator

__all__ = ["router"]

pages = Pages("lists")
router = pages.router

PolicyName = Annotated[str, Path(min_length=1, max_length=100)]
ListName = Annotated[str, Path(min_length=1, max_length=40)]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
Text = Annotated[str, Query(max_length=100)]
Age = Annotated[Annotated[int, Field(ge=0, le=200)] | Literal[""] | None, Query()]
"""An empty field of a form is no age."""


@pages.page("/lists", "lists.html")
def lists(asked: Asked) -> Lists:
    """Show every policy with its lists, drafts and corrections."""
    connection = asked.connection
    newest_first = sorted(
        kept_lists(connection), key=lambda each: (-each.closing.toordinal(), each.name, each.number)
    )
    newest = {policy.name: policy for policy in kept_policies(connection)}
    return Lists(
        policies=[
            PolicyLists(
                policy=name, says=rules_of(policy), computed=policy.computed,
                lists=[line(each) for each in newest_first if each.policy == name],
            )
            for name, policy in newest.items()
        ],
        games=connection.execute(sa.select(tables.games.c.id).limit(1)).first() is not None,
    )  # fmt: skip


@pages.page("/lists/{policy:path}/{name}/changes", "list_changes.html")
def list_changes(
    asked: Asked, policy: PolicyName, name: ListName, since: Text = "", q: Text = "", page: PageNumber = 1
) -> Changes:  # fmt: skip
    """Show who changed since an earlier list, by how much, because of which events."""
    kept = list_asked(asked, policy, name)
    return changes_page(asked, kept, since, q, page)


@pages.page("/lists/{policy:path}/{name}/corrections", "list_corrections.html")
def list_corrections(asked: Asked, policy: PolicyName, name: ListName) -> Corrections:
    """Show the corrections of a published list, each with its cause."""
    return corrections_page(asked, list_asked(asked, policy, name))


@pages.page("/lists/{policy:path}/{name}/publish", "list_publish.html")
def list_preview(asked: Asked, policy: PolicyName, name: ListName) -> Preview:
    """Show what publishing a list would freeze."""
    return preview_page(asked, list_asked(asked, policy, name))


@router.get("/lists/{policy:path}/{name}/files/{format}", include_in_schema=False)
def download(
    asked: Asked, policy: PolicyName, name: ListName, format: Annotated[str, Path(max_length=10)],
    as_published: bool = False,
) -> Response:  # fmt: skip
    """Give a list as a file."""
    if format not in KINDS:
        raise HTTPException(404, f"a list can be had as {', '.join(KINDS)}; not as {format}")
    kept = list_asked(asked, policy, name)
    return Response(
        list_file(asked, kept, format, as_published=as_published),
        media_type=KINDS[format],
        headers={"Content-Disposition": f'attachment; filename="{file_name(kept, format)}"'},
    )


@pages.page("/lists/{policy:path}/{name}", "list.html")
def rating_list(
    asked: Asked,
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
    """Show a list, or those on it who fit what is asked for."""
    wanted = Wanted(
        text=q.strip(), federation=federation, title=title, sex=sex, age_from=_years(age_from),
        age_to=_years(age_to), standing=standing, sort=sort, backwards=backwards,
    )  # fmt: skip
    kept = list_asked(asked, policy, name)

    return list_page(asked, kept, wanted, page=page, as_published=as_published)


def _years(said: int | str | None) -> int | None:
    return said if isinstance(said, int) else None


@router.post("/lists/{policy:path}/{name}/publish", include_in_schema=False)
def publish(request: Request, admin: Administrator, policy: PolicyName, name: ListName) -> Response:
    """Freeze a draft and the corrections that it rests on."""
    ledger = request.app.state.ledger
    done = publish_list(ledger, policy=policy, name=name, who=admin.name)
    shown = done.lists[-1]
    return RedirectResponse(after(list_href(shown.policy, name), "published"), 303)
