"""Files to games: any format, every doubt in a report."""

from __future__ import annotations

from arpad import make_callable
from arpad.read.pgn.games import PgnGame
from arpad.read.pgn.games import iterate as iterate_pgn
from arpad.read.reading import Reading, games_from, read, read_list
from arpad.read.source import Note, Report
from arpad.read.table import from_frame

__all__ = [
    "Note",
    "PgnGame",
    "Reading",
    "Report",
    "from_frame",
    "games_from",
    "iterate_pgn",
    "read",
    "read_list",
]

make_callable(__name__)
