"""arpad measures the strength of chess players, and shows how every number came about.

>>> import arpad
>>> arpad.curve("pra").expected(82)
0.5326699670775861

Names are loaded when they are first used, so that `import arpad` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arpad.errors import ArpadError
    from arpad.model import Event, Games, Player, Ratings
    from arpad.rate import Elo, Fide, KPolicy, k_policy, system
    from arpad.read import Reading, from_frame, iterate_pgn, read_list
    from arpad.read import read as read_games
    from arpad.scale import curve

__all__ = [
    "ArpadError",
    "Elo",
    "Event",
    "Fide",
    "Games",
    "KPolicy",
    "Player",
    "Ratings",
    "Reading",
    "curve",
    "from_frame",
    "iterate_pgn",
    "k_policy",
    "read_games",
    "read_list",
    "system",
]

_HOMES = {
    "ArpadError": "arpad.errors",
    "Elo": "arpad.rate",
    "Event": "arpad.model",
    "Fide": "arpad.rate",
    "Games": "arpad.model",
    "KPolicy": "arpad.rate",
    "Player": "arpad.model",
    "Ratings": "arpad.model",
    "Reading": "arpad.read",
    "curve": "arpad.scale",
    "from_frame": "arpad.read",
    "iterate_pgn": "arpad.read",
    "k_policy": "arpad.rate",
    "read_games": "arpad.read",
    "read_list": "arpad.read",
    "system": "arpad.rate",
}


_THERE = {"read_games": "read"}
"""Names that are others at home: `arpad.read` is the room itself."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), _THERE.get(name, name))
    raise AttributeError(f"module 'arpad' has no attribute {name!r}")
