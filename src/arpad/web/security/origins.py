"""Only by our own names, and forms only from our own pages."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers as Received
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Origins"]

SAFE = ("GET", "HEAD", "OPTIONS")


class Origins:
    """Middleware: a request by a strange name (DNS rebinding), or a form of a strange page, is refused."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the app answer."""
        if scope["type"] == "http":
            said = self._refused(scope)
            if said:
                await PlainTextResponse(said, status_code=400)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _refused(self, scope: Scope) -> str | None:
        headers = Received(scope=scope)
        host = headers.get("host", "")
        if _name(host) not in self.hosts:
            return "this is not a name of this server: --host says which it has\n"
        if scope["method"] in SAFE:
            return None
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "this form comes from another site\n"
        return None


def _name(host: str) -> str:
    """Return a host without its port.

    Examples
    --------
    >>> _name("127.0.0.1:8000"), _name("[::1]:8000"), _name("club.example")
    ('127.0.0.1', '::1', 'club.example')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()
