"""Exception handlers: every error becomes a page with a sentence of ours."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from arpad.errors import ArpadError, BusyError, LedgerError
from arpad.web.page import API, PageModel, rendered

if TYPE_CHECKING:
    from fastapi import FastAPI, Request


log = logging.getLogger("arpad.web")


class ErrorPage(PageModel):
    """The page of an error."""

    status: int
    title: str
    says: str


def add_error_handlers(app: FastAPI) -> None:
    """Register handlers that turn every error into a page, or into JSON for a request of JSON, without a traceback."""

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        if error.status_code == 401 and not _json(request) and request.method == "GET":
            return RedirectResponse(f"/sign-in?to={quote(_here(request), safe='')}", 303)
        return _answer(request, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    def misread(request: Request, error: RequestValidationError) -> Response:
        said = "; ".join(_words(each) for each in error.errors()[:3])
        return _answer(request, 422, said)

    @app.exception_handler(ArpadError)
    def cannot(request: Request, error: ArpadError) -> Response:
        status = 503 if isinstance(error, BusyError) else 500 if isinstance(error, LedgerError) else 400
        return _answer(request, status, str(error))

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        return _answer(
            request,
            500,
            "This page failed because of an error in arpad. The log of the server has the details.",
        )


def _words(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _json(request: Request) -> bool:
    return request.url.path.startswith((f"{API}/", "/charts/"))  # charts.js reads what they say


def _here(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}{query}"


def _answer(request: Request, status: int, says: str, headers: Any = None) -> Response:
    page = ErrorPage(status=status, title=HTTPStatus(status).phrase, says=says)
    if _json(request):
        return JSONResponse(page.model_dump(), status_code=status, headers=headers)
    answer = rendered(request, "error.html", page, status)
    answer.headers.update(headers or {})
    return answer
