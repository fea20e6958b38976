"""No request body is longer than the app is willing to take, whatever it says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers as Received
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SPARE", "Bodies"]

SPARE = 64 * 1024
"""Bytes that a form has besides its file."""


class Bodies:
    """Middleware: stops reading a body that is too long, and says so."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most + SPARE
        self._words = f"too long: at most {most / 1024 / 1024:.3g} MiB are taken"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the app answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = Received(scope=scope).get("content-length", "0")
        if not said.isdecimal() or int(said) > self.most:
            await self._refused(scope, receive, send)
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if (
                taken > self.most
            ):  # whoever reads the body lets this through, and it becomes the answer
                raise HTTPException(413, self._words)
            return message

        await self.app(scope, counted, send)

    async def _refused(self, scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(self._words + "\n", status_code=413)(scope, receive, send)
