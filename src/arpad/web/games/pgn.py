"""A game of the ledger as PGN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.read.movetext import ENDINGS

if TYPE_CHECKING:
    from arpad.office.showing.game_sheet import GameSheet

__all__ = ["pgn_of"]

RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def pgn_of(sheet: GameSheet) -> str:
    """Return tags of what the ledger knows, and the moves as they came."""
    day = "????.??.??" if sheet.date is None else f"{sheet.date:%Y.%m.%d}"
    result = "*" if sheet.score is None else RESULTS.get(sheet.score, "*")
    tags = {
        "Event": sheet.event, "Site": sheet.site or "?", "Date": day, "Round": sheet.round or "?",
        "White": sheet.white.name, "Black": "?" if sheet.black is None else sheet.black.name,
        "Result": result,
    }  # fmt: skip
    moves = sheet.moves
    if moves is not None and moves.start:
        tags |= {"SetUp": "1", "FEN": moves.start}
    text = "" if moves is None else moves.text
    ended = text.split()[-1:] and text.split()[-1] in ENDINGS
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    return f"{head}\n{text}{'' if ended else f' {result}'}\n"


def _quoted(value: str) -> str:
    """Return a value as it stands in a tag: on one line, quotes escaped."""
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
