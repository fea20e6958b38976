"""What a page may ask for: a connection to the ledger, and what was worked out from it before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request
from sqlalchemy.engine import Connection

from arpad.web.memory import stamp
from arpad.web.security.viewer import Viewer, reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Asked", "Asking"]


class Asking:
    """One request: who asks, the ledger as it stands at this moment, and what is remembered of it."""

    def __init__(self, request: Request, connection: Connection, viewer: Viewer) -> None:
        self.connection = connection
        self.viewer = viewer
        self.settings = request.app.state.settings
        self._memory = request.app.state.memory
        self._stamp: tuple[Any, ...] | None = None

    def remembered(
        self, key: tuple[Any, ...], make: Callable[[], Any], *, of: tuple[Any, ...] | None = None
    ) -> Any:
        """Return what was made for the key from the ledger as it stands now; else make it.

        Parameters
        ----------
        of
            What it follows from, where that is less than the whole ledger: it is kept while this stands.
        """
        return self._memory.get(self.stamp() if of is None else of, key, make)

    def stamp(self) -> tuple[Any, ...]:
        """Return what changes whenever something in the ledger does."""
        if self._stamp is None:
            self._stamp = stamp(self.connection)
        return self._stamp


def _asking(request: Request, viewer: Annotated[Viewer, Depends(reader)]) -> Iterator[Asking]:
    with request.app.state.ledger.reading() as connection:
        yield Asking(request, connection, viewer)


Asked = Annotated[Asking, Depends(_asking)]
"""Give a page's function a parameter of this type."""
