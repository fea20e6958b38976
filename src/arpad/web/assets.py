"""Our style and scripts, and the chart library out of an installed package."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
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
