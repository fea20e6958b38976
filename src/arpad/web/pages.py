"""A page and its JSON twin, from one function that gives a typed context."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

from fastapi import APIRouter, Depends, Request, params
from fastapi.responses import HTMLResponse, Response

from arpad.web.asking import Asked, opened
from arpad.web.contexts import Context
from arpad.web.notices import NOTICES
from arpad.web.security.viewer import Viewer, reader, viewer_of

__all__ = ["API", "NOT_HERE", "Pages", "rendered"]

API = "/api"
"""The JSON twin of a page lies at its address behind this."""

NOT_HERE: dict[int | str, dict[str, Any]] = {
    401: {"description": "Somebody has to sign in first."},
    404: {"description": "There is no such thing in this ledger."},
}


def rendered(
    request: Request, template: str, context: Context, status: int = 200, *, twin: bool = False
) -> HTMLResponse:
    """Return a page: its template, filled with its context, as `page`.

    Parameters
    ----------
    twin
        Whether there is the same as JSON behind ``/api``.
    """
    app, viewer = request.app.state, viewer_of(request)

    def fill() -> str:
        return app.templates.get_template(template).render(  # type: ignore[no-any-return]
            page=context,
            viewer=viewer,
            settings=app.settings,
            path=request.url.path,
            query=request.query_params,
            twin=_twin(request) if twin and status == 200 else None,
            notice=NOTICES.get(request.query_params.get("notice", ""), ""),
        )

    if viewer.signed_in or not twin:  # such a page has a name on it, and tokens
        return HTMLResponse(fill(), status_code=status)
    address = (template, status, request.method, request.url.path, request.url.query)
    return HTMLResponse(app.memory.shown(context, address, fill), status_code=status)


def _twin(request: Request) -> str | None:
    if request.method != "GET":
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{API}{request.url.path.rstrip('/') or '/home'}{query}"


class Pages:
    """Pages of one part of the app; `router` is what the app includes."""

    def __init__(self, tag: str) -> None:
        self.router = APIRouter(tags=[tag])

    def page(self, path: str, template: str) -> Callable[[Any], Any]:
        """Register what a function returns as a page at a path, and as JSON behind ``/api``."""

        def register(build: Callable[..., Context]) -> Callable[..., Context]:
            made, signature = _in_one_thread(build)

            def show(request: Request, **values: Any) -> HTMLResponse:
                return rendered(request, template, made(request, values), twin=True)

            def tell(request: Request, **values: Any) -> Response:
                said = made(request, values).model_dump_json(by_alias=True)
                return Response(said, media_type="application/json")

            for answer in (show, tell):
                answer.__signature__ = signature  # type: ignore[attr-defined]
            tell.__doc__ = build.__doc__
            self.router.add_api_route(
                API + (path if path != "/" else "/home"),
                tell,
                response_model=signature.return_annotation,
                name=f"{build.__name__}_json",
                responses=NOT_HERE,
            )
            self.router.add_api_route(
                path,
                show,
                response_model=None,
                response_class=HTMLResponse,
                include_in_schema=False,
                name=build.__name__,
            )
            return build

        return register


Made = Callable[[Request, dict[str, Any]], Context]


def _in_one_thread(build: Callable[..., Context]) -> tuple[Made, inspect.Signature]:
    """Return how a page's function is called, and what it is asked for.

    Looking who asks, opening the ledger, building, filling the template: each in a thread of its own would take
    longer than most pages do. So the ledger is opened here, where the page is built.
    """
    hints = get_type_hints(build, include_extras=True)
    known = inspect.signature(build).parameters
    asks = [name for name in known if hints[name] == Asked]
    others = [name for name in known if name not in asks]
    shared = any(_depends(hints[name]) for name in others)  # who else asks has to see the same
    taken = [name for name in others if name != "request"]
    wanted: dict[str, Any] = {"request": Request}
    if asks and not shared:
        wanted["viewer"] = Annotated[Viewer, Depends(reader)]
    else:
        taken += asks

    def made(request: Request, values: dict[str, Any]) -> Context:
        given = {"request": request} if "request" in known else {}
        if "viewer" not in wanted:
            return build(**given, **values)
        with opened(request, values.pop("viewer")) as asked:
            return build(**{asks[0]: asked}, **given, **values)

    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind)
        for name, kind in wanted.items()
    ] + [
        known[name].replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name in taken
    ]
    return made, inspect.Signature(parameters, return_annotation=hints["return"])


def _depends(hint: Any) -> bool:
    return any(isinstance(said, params.Depends) for said in get_args(hint)[1:])
