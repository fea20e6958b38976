"""Everything that is not a page: assets, the icon, robots.txt, health, and counts in the text format of Prometheus."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import threading
import time
from collections import Counter
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from arpad.errors import ArpadError
from arpad.files import write_text
from arpad.ledger.db.tables import jobs
from arpad.parallel import Helper
from arpad.web.auth import FORWARDED, is_loopback, viewer_of

if TYPE_CHECKING:
    from collections.abc import Iterator


router = APIRouter(include_in_schema=False)
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds: upper bounds of the histogram of answers."""
PLAIN = "text/plain; version=0.0.4; charset=utf-8"
WORKERS = "ARPAD_WORKERS"
"""The variable that names the folder in which the workers of one server keep their counts."""
EVERY = 1.0
"""Seconds between two writes of the counts of a worker."""


class Metrics:
    """Answers by method, route and status, and how long they took; the workers of a server count together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[str] = Counter()
        self._seconds: Counter[str] = Counter({f'bucket{{le="{bound}"}}': 0 for bound in (*BOUNDS, "+Inf")})
        folder = os.environ.get(WORKERS)
        self._file = None if folder is None else Path(folder) / f"{os.getpid()}.json"
        self._written = 0.0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        known = method if method in ("GET", "HEAD", "POST") else "other"
        with self._lock:
            self._answers[f'method="{known}",route="{_escaped(route)}",status="{status}"'] += 1
            for bound in BOUNDS:
                self._seconds[f'bucket{{le="{bound}"}}'] += seconds <= bound
            self._seconds.update({'bucket{le="+Inf"}': 1, "sum": seconds, "count": 1})
            if self._file is not None and time.monotonic() - self._written > EVERY:
                self._written = time.monotonic()
                write_text(self._file, json.dumps([self._answers, self._seconds]), again=True)

    def lines(self) -> Iterator[str]:
        """Give the lines of the text format; what the other workers counted is a second old at most."""
        with self._lock:
            answers, seconds = self._answers.copy(), self._seconds.copy()
        for other in self._file.parent.glob("*.json") if self._file is not None else ():
            if other != self._file:
                for ours, theirs in zip((answers, seconds), json.loads(other.read_text()), strict=True):
                    ours.update(theirs)
        yield "# HELP arpad_http_requests_total Answers by method, route and status."
        yield "# TYPE arpad_http_requests_total counter"
        yield from (f"arpad_http_requests_total{{{key}}} {times}" for key, times in sorted(answers.items()))
        yield "# HELP arpad_http_request_seconds How long answers took."
        yield "# TYPE arpad_http_request_seconds histogram"
        yield from (f"arpad_http_request_seconds_{key} {value}" for key, value in seconds.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Give the counts to programs that ask this machine by its own address, and to people who have signed in."""
    at_home = request.client is not None and is_loopback(request.client.host)
    local = at_home and is_loopback(request.url.hostname or "")
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
STYLES = Literal["style.css", "flags.css", "icon.svg"]
BOARD = Literal["chessground.js", "chessground.css"]
"""Lichess's board: a build fetches it (setup.py); without it, the board is a picture."""
OURS = Literal[
    STYLES, BOARD, "app.js", "charts.js", "live.js", "jobs.js", "board.js", "suggest.js", "vega.js"
]


@cache
def has_board() -> bool:
    """Return whether this copy of arpad has Lichess's board."""
    return all((files("arpad.web") / "static" / name).is_file() for name in get_args(BOARD))


@cache
def assets() -> str:
    """Return the folder of the assets on the server; its name changes with their content."""
    left_out = {"vega.js"} if has_board() else {"vega.js", *get_args(BOARD)}
    content = b"".join(_asset(name)[0] for name in get_args(OURS) if name not in left_out)
    return f"/assets/{_hash(content + version('vl-convert-python').encode())}"


@router.get("/favicon.ico")
def favicon(request: Request) -> Response:
    """Return our icon at its old address."""
    return _answer(request, "icon.svg", "no-cache")


@router.get("/assets/{name}")
def asset(request: Request, name: OURS) -> Response:
    """Return one of our own files: only those that are named here."""
    return _answer(request, name, "no-cache")


@router.get("/assets/{folder}/{name}")
def hashed_asset(request: Request, folder: str, name: OURS) -> Response:
    """Return a file from the folder that is named by the content of all: browsers keep it for a year."""
    ours = assets() == f"/assets/{folder}"
    return _answer(request, name, "public, max-age=31536000, immutable" if ours else "no-cache")


artist = Helper()


def drawing_program(name: str, *arguments: str) -> Any:
    """Call a function of vl-convert in a process of its own: it takes 80 MB."""
    import vl_convert

    return artist(getattr(vl_convert, name), *arguments)


@cache
def _asset(name: str) -> tuple[bytes, bytes, str]:
    """Return a file, compressed as well, and its ETag; Vega, Vega-Lite and Vega-Embed come out of a package."""
    if name == "vega.js":
        content = str(drawing_program("javascript_bundle")).encode()
    else:
        content = (files("arpad.web") / "static" / name).read_bytes()
    return content, gzip.compress(content, 9, mtime=0), f'"{_hash(content)}"'


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def _answer(request: Request, name: str, kept: str) -> Response:
    if name in get_args(BOARD) and not has_board():
        raise HTTPException(404, "this copy of arpad was built without a network: it has no such board")
    content, packed, tag = _asset(name)
    headers = {"ETag": tag, "Cache-Control": kept, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = packed, "gzip"
    return Response(content, media_type=KINDS[name.rpartition(".")[2]], headers=headers)
