"""Files to games: any format, every doubt in a report."""

from __future__ import annotations

from arpad.read.pgn import PgnGame
from arpad.read.pgn import iterate as iterate_pgn
from arpad.read.reading import Reading, read, read_list
from arpad.read.report import Note, Report
from arpad.read.table import from_frame

__all__ = ["Note", "PgnGame", "Reading", "Report", "from_frame", "iterate_pgn", "read", "read_list"]
