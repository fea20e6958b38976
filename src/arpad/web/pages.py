"""A page and its JSON twin, from one function that gives a typed context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from arpad.web.contexts import Context
from arpad.web.notices import NOTICES

if TYPE_CHECKING:
    from collections.abc import Callable

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
    from arpad.web.security.viewer import viewer_of

    app = request.app.state
    text = app.templates.get_template(template).render(
        page=context,
        viewer=viewer_of(request),
        settings=app.settings,
        path=request.url.path,
        query=request.query_params,
        twin=_twin(request) if twin and status == 200 else None,
        notice=NOTICES.get(request.query_params.get("notice", ""), ""),
    )
    return HTMLResponse(text, status_code=status)


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
            kind = get_type_hints(build)["return"]

            def show(request: Request, context: Any) -> HTMLResponse:
                return rendered(request, template, context, twin=True)

            show.__annotations__ = {
                "request": Request,
                "context": Annotated[kind, Depends(build)],
                "return": HTMLResponse,
            }
            twin = path if path != "/" else "/home"
            self.router.add_api_route(
                API + twin,
                build,
                response_model=kind,
                name=f"{build.__name__}_json",
                responses=NOT_HERE,
            )
            self.router.add_api_route(
                path,
                show,
                response_class=HTMLResponse,
                include_in_schema=False,
                name=build.__name__,
            )
            return build

        return register
