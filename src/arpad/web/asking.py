"""What a page may ask for: a connection to the ledger, and what was worked out from it before."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request
from sqlalchemy.engine import Connection

from arpad.web.marks import marks_of
from arpad.web.security.viewer import Viewer, reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arpad.web.marks import Marks

__all__ = ["Asked", "Asking", "opened"]


class Asking:
    """One request: who asks, the ledger as it stands at this moment, and what is remembered of it."""

    def __init__(self, request: Request, connection: Connection, viewer: Viewer) -> None:
        self.connection = connection
        self.viewer = viewer
        self.settings = request.app.state.settings
        self._memory = request.app.state.memory
        self._touched = request.app.state.touched
        self._once: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def marks(self) -> Marks:
        """What changes with the ledger; looked at once a request."""
        return marks_of(self.connection)

    def rows(self, *names: str) -> tuple[Any, ...]:
        """Return what changes whenever a row of one of these tables does.

        Only for tables that imports and decisions alone write: players, player_names, player_ids, events, games.
        """
        return self._touched.mark(self.connection, self.marks, names)  # type: ignore[no-any-return]

    def once(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what was made for the key in this request; else make it."""
        if key not in self._once:
            self._once[key] = make()
        return self._once[key]

    def remembered(
        self, key: tuple[Any, ...], make: Callable[[], Any], *, of: tuple[Any, ...] | None = None
    ) -> Any:
        """Return what was made for the key from the ledger as it stands now; else make it.

        Parameters
        ----------
        of
            What it follows from, where that is less than the whole ledger: it is kept while this stands.
        """
        return self._memory.get(self.marks if of is None else of, key, make)


@contextmanager
def opened(request: Request, viewer: Viewer) -> Iterator[Asking]:
    """Give what somebody may ask for, as long as the block lasts."""
    with request.app.state.ledger.reading() as connection:
        yield Asking(request, connection, viewer)


def _asking(request: Request, viewer: Annotated[Viewer, Depends(reader)]) -> Iterator[Asking]:
    with opened(request, viewer) as asking:
        yield asking


Asked = Annotated[Asking, Depends(_asking)]
"""Give a page's function a parameter of this type."""
