"""What is no page: assets, the icon, robots.txt, health, and counts in the text format of Prometheus."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from arpad.errors import ArpadError
from arpad.ledger.db.tables import jobs
from arpad.web.auth import FORWARDED, viewer_of
from arpad.web.settings import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterator


router = APIRouter(include_in_schema=False)
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds: upper bounds of the histogram of answers."""
PLAIN = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Answers by method, route and status, and how long they took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[float] = Counter()
        self._seconds = 0.0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        known = method if method in ("GET", "HEAD", "POST") else "other"
        with self._lock:
            self._answers[known, route, status] += 1
            self._seconds += seconds
            for bound in BOUNDS:
                if seconds <= bound:
                    self._within[bound] += 1

    def lines(self) -> Iterator[str]:
        """Give the lines of the text format."""
        with self._lock:
            answers, within, seconds = dict(self._answers), dict(self._within), self._seconds
        yield "# HELP arpad_http_requests_total Answers by method, route and status."
        yield "# TYPE arpad_http_requests_total counter"
        for (method, route, status), times in sorted(answers.items()):
            labels = f'method="{method}",route="{_escaped(route)}",status="{status}"'
            yield f"arpad_http_requests_total{{{labels}}} {times}"
        total = sum(answers.values())
        yield "# HELP arpad_http_request_seconds How long answers took."
        yield "# TYPE arpad_http_request_seconds histogram"
        for bound in BOUNDS:
            yield f'arpad_http_request_seconds_bucket{{le="{bound}"}} {within.get(bound, 0)}'
        yield f'arpad_http_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"arpad_http_request_seconds_sum {seconds:.6f}"
        yield f"arpad_http_request_seconds_count {total}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Give the counts to this machine and to people who have signed in."""
    local = request.client is not None and is_loopback(request.client.host)
    forwarded = any(name in request.headers for name in FORWARDED)
    if not (local and not forwarded) and not viewer_of(request).signed_in:
        raise HTTPException(401, "sign in to see this")
    with request.app.state.ledger.reading() as connection:
        query = sa.select(jobs.c.state, sa.func.count()).group_by(jobs.c.state)
        states = {row.state: row[1] for row in connection.execute(query)}
    lines = [
        *request.app.state.metrics.lines(),
        "# HELP arpad_jobs Jobs by state.",
        "# TYPE arpad_jobs gauge",
        *(f'arpad_jobs{{state="{state}"}} {number}' for state, number in sorted(states.items())),
    ]
    return PlainTextResponse("\n".join(lines) + "\n", media_type=PLAIN)


@router.get("/health")
def health(request: Request) -> Response:
    """Say whether the server can read its ledger."""
    try:
        with request.app.state.ledger.reading() as connection:
            connection.execute(sa.select(jobs.c.id).limit(1)).first()
    except ArpadError:
        return JSONResponse({"status": "the ledger cannot be read"}, status_code=503)
    return JSONResponse({"status": "ok"})


@router.get("/robots.txt")
def robots(request: Request) -> Response:
    """Tell search engines what they may read: the public part, if there is one."""
    if not request.app.state.settings.public:
        return PlainTextResponse("User-agent: *\nDisallow: /\n")
    closed = ("/api/", "/charts/", "/sign-in", "/*?")
    return PlainTextResponse("User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in closed))


# Our style and scripts, and the chart library out of an installed package.

KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
OURS = Literal["style.css", "app.js", "charts.js", "live.js", "jobs.js", "board.js", "icon.svg"]
DAY = "private, max-age=86400, must-revalidate"


@router.get("/favicon.ico")
def favicon(request: Request) -> Response:
    """Return our icon at its old address."""
    return _kept(request, _file("icon.svg"), KINDS["svg"])


@router.get("/assets/vega.js")
def vega(request: Request) -> Response:
    """Return Vega, Vega-Lite and Vega-Embed in one file."""
    return _kept(request, _vega(), KINDS["js"])


@router.get("/assets/{name}")
def ours(request: Request, name: OURS) -> Response:
    """Return one of our own files: only those that are named here."""
    return _kept(request, _file(name), KINDS[name.rpartition(".")[2]])


@cache
def _vega() -> bytes:
    import vl_convert

    return str(vl_convert.javascript_bundle()).encode()  # type: ignore[call-arg]


@cache
def _file(name: str) -> bytes:
    found = files("arpad.web") / "static" / name
    return found.read_bytes() if found.is_file() else b""


def _kept(request: Request, content: bytes, kind: str) -> Response:
    tag = f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)
