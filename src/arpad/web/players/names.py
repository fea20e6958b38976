"""Everybody's names, kept until one of them changes: other writers do not change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.office.showing.name_index import NameIndex, name_index

if TYPE_CHECKING:
    from arpad.web.asking import Asking

__all__ = ["names_of"]


def names_of(asked: Asking) -> NameIndex:
    """Return what players are found by, as it stands."""
    mark = asked.rows("players", "player_names")  # ids are looked up, not kept
    return asked.remembered(("names",), lambda: name_index(asked.connection), of=mark)  # type: ignore[no-any-return]
