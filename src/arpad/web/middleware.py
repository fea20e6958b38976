"""Limits on requests, security headers, allowed hosts and origins, compression, the access log."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from cachetools import LRUCache
from starlette.datastructures import Headers as HeaderLines
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from arpad.ledger.accounts import PREFIX
from arpad.web.auth import FORWARDED, LOOPBACK

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arpad.web.cache import LedgerClock
    from arpad.web.metrics import Metrics


log = logging.getLogger("arpad.web.access")
LONGEST_LOGGED = 300
"""Characters of a path in the log."""
SMALLEST = 600
"""Bytes below which compression is not worth it."""


class _Layer:
    """A layer around the app: `_answer` sees requests, and nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; let the app have the rest."""
        await (self._answer if scope["type"] == "http" else self.app)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError


class HeadRequests(_Layer):
    """Middleware: HEAD is answered as GET is, without the body."""

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                if message.get("more_body", False):
                    return
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


class Compression(_Layer):
    """Middleware: gzip for people who have not signed in; assets are compressed already.

    A page of somebody who has signed in carries the token of his forms. Its length after compression would tell
    something about the token (the BREACH attack), so it goes out as it is.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app)
        self._zipped = GZipMiddleware(app, minimum_size=SMALLEST, compresslevel=6)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.app if has_our_cookie(scope) else self._zipped)(scope, receive, send)


LINKS = re.compile(
    rb"""((?:\b(?:href|src|srcset|action|data-[a-z]+)=|"(?:(?:list_)?href|explain|everything|all_events|more)":)")/(?!/)"""
)
"""An address of ours in a page or in JSON: quotes in names and texts are escaped, so no text looks like this."""


class SubPath(_Layer):
    """Middleware: the app lies under a path of the server in front, which may hand on the path or cut it off."""

    def __init__(self, app: ASGIApp, root: str) -> None:
        super().__init__(app)
        self.root = root

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if f"{scope['path']}/".startswith(f"{self.root}/"):
            scope["path"] = scope["path"].removeprefix(self.root) or "/"
            scope["raw_path"] = scope["path"].encode()
        start: Message | None = None
        body = bytearray()

        async def moved(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = self.root + headers["location"]
                if headers.get("content-type", "").startswith(("text/html", "application/json")):
                    start = message  # goes out with its length, when that is known
                    return
            elif start is not None:
                body.extend(message.get("body", b""))
                if message.get("more_body", False):
                    return
                whole = LINKS.sub(rb"\1" + self.root.encode() + b"/", bytes(body))
                if body:
                    MutableHeaders(scope=start)["content-length"] = str(len(whole))
                await send(start)
                message = {"type": "http.response.body", "body": whole}
            await send(message)

        await self.app(scope, receive, moved)


class ETags(_Layer):
    """Middleware: what anybody may see has an ETag, and is not sent again while it stays the same."""

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET" or has_our_cookie(scope):
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        body = bytearray()

        async def tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _cachable(message):
                start = message
                return
            if start is None or message["type"] != "http.response.body":
                await send(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body", False):
                return
            headers = MutableHeaders(scope=start)
            tag = f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
            headers["ETag"] = tag
            headers["Cache-Control"] = "no-cache"
            headers.add_vary_header("Cookie")
            if _is_known(scope, tag):
                start["status"] = 304
                del headers["content-length"]
                del headers["content-type"]
                body.clear()
            await send(start)
            await send({"type": "http.response.body", "body": bytes(body)})

        await self.app(scope, receive, tagged)


def _is_known(scope: Scope, tag: str) -> bool:
    """Say whether a client has an answer already."""
    return tag in HeaderLines(scope=scope).get("if-none-match", "")


FOLLOWS_LEDGER = "arpad.follows_ledger"
"""A key of the scope: the answer follows from the ledger, the address and the rights of the reader alone."""
KEPT = 16 << 20
"""Bytes of answers that are kept."""


class KeptAnswer(NamedTuple):
    """An answer as it was sent, and the version of the ledger that it is of."""

    version: tuple[Any, ...]
    headers: list[tuple[bytes, bytes]]
    body: bytes
    route: Any


class PublicCache(_Layer):
    """Middleware: whole answers to people who have not signed in, each kept until somebody writes into the ledger."""

    def __init__(self, app: ASGIApp, clock: LedgerClock) -> None:
        super().__init__(app)
        self._clock = clock
        self._kept: LRUCache[Any, KeptAnswer] = LRUCache(KEPT, getsizeof=lambda kept: len(kept.body))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = HeaderLines(scope=scope)
        anonymous = not has_our_cookie(scope) and "authorization" not in headers
        version = await self._clock.version() if scope["method"] == "GET" and anonymous else None
        if version is None:
            await self.app(scope, receive, send)
            return
        key = (
            *(scope["scheme"], headers.get("host"), scope["path"], scope["query_string"]),
            "gzip" in headers.get("accept-encoding", ""),
            any(name in headers for name in FORWARDED),
        )
        kept = self._kept.get(key)
        if kept is not None and kept.version == version:
            scope["route"] = kept.route
            await _send_again(scope, send, kept)
            return
        start: Message | None = None
        body = bytearray()

        async def listened(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = {**message, "headers": list(message["headers"])}
            else:
                body.extend(message.get("body", b""))
            await send(message)

        await self.app(scope, receive, listened)
        if start is not None and start["status"] == 200 and scope.get(FOLLOWS_LEDGER) and len(body) < KEPT:
            self._kept[key] = KeptAnswer(version, start["headers"], bytes(body), scope.get("route"))


async def _send_again(scope: Scope, send: Send, kept: KeptAnswer) -> None:
    """Send an answer that was kept; to a client that has it already, only its headers."""
    headers, body, status = kept.headers, kept.body, 200
    if _is_known(scope, dict(headers).get(b"etag", b"-").decode()):
        left_out = (b"content-length", b"content-type", b"content-encoding")
        headers, body, status = [pair for pair in headers if pair[0] not in left_out], b"", 304
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})


def _cachable(message: Message) -> bool:
    headers = HeaderLines(raw=message["headers"])
    return (
        message["status"] == 200
        and "cache-control" not in headers
        and "etag" not in headers
        and "set-cookie" not in headers
    )


def has_our_cookie(scope: Scope) -> bool:
    """Say whether a request carries a cookie of ours, without reading it."""
    return PREFIX in HeaderLines(scope=scope).get("cookie", "")


class AccessLog(_Layer):
    """Middleware: one line in the log for each answer, and its place in the counts.

    The line has the path without the query: what people search for are names.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        super().__init__(app)
        self.metrics = metrics

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status, size = time.perf_counter(), 500, 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = int(message["status"])
            elif message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, counted)
        finally:
            seconds = time.perf_counter() - began
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.count(scope["method"], route, status, seconds)
            client = (scope.get("client") or "-")[0]
            path = scope["path"][:LONGEST_LOGGED].encode("unicode_escape").decode("ascii")
            took = f"{status} {size} bytes {1000 * seconds:.0f} ms"
            log.info("%s %s %s %s", client, scope["method"], path, took)


SPARE = 64 * 1024
"""Bytes that a form has besides its file."""
FORM_SECONDS, FILE_SECONDS = 20.0, 130.0
"""Seconds in which a form, or a file, has to be here whole."""
FILE_PATHS = ("/upload", "/api/uploads", "/rules/starting-list")


class Bodies(_Layer):
    """Middleware: stops reading a body that is too long or too slow, and says so."""

    form_seconds = FORM_SECONDS

    def __init__(self, app: ASGIApp, most: int) -> None:
        super().__init__(app)
        self.most = most + SPARE
        self._words = f"too long: at most {most / 1024 / 1024:.3g} MiB are taken"

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        said = HeaderLines(scope=scope).get("content-length", "0")
        if not said.isdecimal() or int(said) > self.most:
            await PlainTextResponse(self._words + "\n", status_code=413)(scope, receive, send)
            return
        taken, whole = 0, False
        seconds = FILE_SECONDS if scope["path"] in FILE_PATHS else self.form_seconds
        until = time.monotonic() + seconds

        async def counted() -> Message:
            nonlocal taken, whole
            if whole:  # what is waited for now is the end of the connection
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
            except TimeoutError:
                raise HTTPException(408, "the form took too long: try again") from None
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > self.most:  # becomes the answer
                raise HTTPException(413, self._words)
            return message

        await self.app(scope, counted, send)


POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
"""The Content-Security-Policy: no inline script, no inline style, nothing from elsewhere."""
ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
HTTPS = {"Strict-Transport-Security": "max-age=31536000"}
"""Header for an app behind https: browsers use https only, for a year."""


class Headers(_Layer):
    """Middleware: adds the headers; what is not an asset is kept by nobody on the way."""

    def __init__(self, app: ASGIApp, *, https: bool = False) -> None:
        super().__init__(app)
        self._always = {**ALWAYS, **(HTTPS if https else {})}

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._always.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            body = message.get("body", b"")
            last = max(0, len(body) - 1) // PIECE * PIECE
            for start in range(0, last, PIECE):
                await send({**message, "body": body[start : start + PIECE], "more_body": True})
            await send({**message, "body": body[last:]} if last else message)

        await self.app(scope, receive, dressed)


SAFE = ("GET", "HEAD", "OPTIONS")
LONGEST_ADDRESS = 8192
"""Bytes of an address with its search terms: error pages and links to sign in repeat it."""


class Origins(_Layer):
    """Middleware: a request by a strange name (DNS rebinding), or a form of a strange page, is refused."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        super().__init__(app)
        self.hosts = hosts
        self._named = frozenset(hosts) - frozenset(LOOPBACK)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            too_long = PlainTextResponse("the address is too long\n", status_code=414)
            await too_long(scope, receive, send)
            return
        said = self._refused(scope)
        await (PlainTextResponse(said, status_code=400) if said else self.app)(scope, receive, send)

    def _refused(self, scope: Scope) -> str | None:
        headers = HeaderLines(scope=scope)
        host = headers.get("host", "")
        if _name(host) not in self.hosts:
            return "this is not a name of this server: --host says which it has\n"
        if scope["method"] in SAFE:
            return None
        origin = headers.get("origin")
        if origin is not None and not self._ours(origin, host):
            return "this form comes from another site\n"
        return None

    def _ours(self, origin: str, host: str) -> bool:
        """Say whether a form comes from a page of this server.

        A server in front may hand on under the name of the inner one: then the name that people type counts. An
        address of this machine is no such name, since other programs serve pages there at other ports.
        """
        said = urlsplit(origin).netloc
        return bool(said) and (said == host or _name(said) in self._named)


HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::\d{1,5})?", re.ASCII)


def _name(host: str) -> str:
    """Return a host without its port; nothing if it is none.

    Examples
    --------
    >>> _name("127.0.0.1:8000"), _name("[::1]:8000"), _name("Club.example"), _name("127.0.0.1:80@evil.example")
    ('127.0.0.1', '::1', 'club.example', '')
    """
    match = HOST.fullmatch(host)
    return "" if match is None else (match[1] or match[2]).lower()


HEADER_SECONDS = 10.0
"""Seconds that a client has to send the head of a request."""
READING_SECONDS = 30.0
"""Seconds in which a client has to read a piece of its answer."""
PIECE = 1 << 16
"""Bytes of an answer that are handed on at once: the rest waits until the client has read them."""
MOST = 500
"""Connections that are open at the same time; for one more an idle one is closed."""
BUSY_MOST = MOST + 1
"""uvicorn's own limit: it is reached only when all connections are at work, and answered by 503."""


class BoundedProtocol(H11Protocol):
    """HTTP with time limits for a client that sends or reads nothing, and no more connections than there is room for."""

    header_seconds = HEADER_SECONDS
    reading_seconds = READING_SECONDS
    most = MOST

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of the first request."""
        super().connection_made(transport)
        self._header_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None
        self._waits_since = self.loop.time()
        self._taken = 0
        self._await_head()
        if len(self.connections) > self.most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what came; a head that is not whole yet has to be soon."""
        self._taken += len(data)
        super().data_received(data)
        if self._waits():
            self._await_head()
        else:
            self._stop_header_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the timers."""
        self._stop_header_timer()
        self._stop_reading_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for a client that does not read its answer, but not for ever."""
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        super().resume_writing()
        self._stop_reading_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request from now on."""
        self._waits_since = self.loop.time()
        self._taken = 0
        super().on_response_complete()

    def _waits(self) -> bool:
        """Say whether no request of this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _await_head(self) -> None:
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(self.header_seconds, self._late)

    def _stop_header_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _stop_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()

    def _late(self) -> None:
        self._header_timer = None
        if self._waits():
            self.transport.close()

    def _idle(self) -> bool:
        """Say whether it is the client's turn: to send a request, the rest of a form, or to read the answer."""
        return self._waits() or self.cycle.more_body or self.flow.write_paused

    def _make_room(self) -> None:
        """Close the connection that has sent least of its request, the oldest of these; not this one."""
        held: set[Any] = set(self.connections)
        others = [each for each in held - {self} if each._idle()]
        if others:
            last = min(others, key=lambda each: (each._taken, each._waits_since))
            last.connections.discard(last)
            last.transport.abort()
