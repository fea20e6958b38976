"""What was worked out for one page and serves the next, for as long as the ledger stands as it stood."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Memory"]

ROOM = 256
"""Things that are remembered: most are pages of some kilobytes; a list of 50,000 players takes one megabyte."""


class Memory:
    """A few things by key, each with the mark of what it was made from; another mark, and it is made anew."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._kept: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()
        self._shown: dict[int, tuple[Any, Any, str]] = {}
        self._making: dict[Any, threading.Lock] = {}

    def get(self, mark: tuple[Any, ...], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what is kept for the key at this mark, else what `make` makes: once, whoever asks.

        What was kept for the key at another mark gives way: nobody will ask for it again.
        """
        whole = (mark, key)
        with self._lock:
            if (found := self._found(mark, key)) is not None:
                return found[1]
            mine = self._making.setdefault(whole, threading.Lock())
        with mine:
            with self._lock:
                if (found := self._found(mark, key)) is not None:
                    return found[1]
            try:
                made = make()
            except BaseException:
                with self._lock:
                    self._making.pop(whole, None)
                raise
            with self._lock:
                self._making.pop(whole, None)
                self._forget(self._kept.pop(key, None))
                self._kept[key] = (mark, made)
                while len(self._kept) > self._room:
                    self._forget(self._kept.popitem(last=False)[1])
            return made

    def shown(self, what: Any, how: tuple[Any, ...], show: Callable[[], str]) -> str:
        """Return something as it was shown in this way before; else show it.

        Only of what is kept here is kept how it looks, in one way, and no longer than the thing itself.
        """
        with self._lock:
            known = self._shown.get(id(what))
            if known is not None and known[0] is what and known[1] == how:
                return known[2]
        text = show()
        with self._lock:
            if any(each[1] is what for each in self._kept.values()):
                self._shown[id(what)] = (what, how, text)
        return text

    def _forget(self, entry: tuple[Any, Any] | None) -> None:
        if entry is not None:
            self._shown.pop(id(entry[1]), None)

    def _found(self, mark: tuple[Any, ...], key: tuple[Any, ...]) -> tuple[Any, Any] | None:
        found = self._kept.get(key)
        if found is None or found[0] != mark:
            return None
        self._kept.move_to_end(key)
        return found
