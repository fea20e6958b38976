"""Which games of a collection tell strength: over the board, one against one, with time to think."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.model import Games


__all__ = ["EVENTS", "NOBODY", "serious_games"]

EVENTS = (
    r"\bsim\b|simul|blind|consult|\bcg\b|handicap|\bodds\b|\bcorr\b|rapid|blitz|bullet|\bspeed|"
    r"internet|\bICC\b|chess\.|comput|\bcomp\b"
)
"""Names of events that are left out: exhibitions, fast play, correspondence, machines."""
NOBODY = (
    r"[/&+]|^NN\b|^Allies|^Amateur|^(Comp|Deep|Fritz|Junior|Shredder|Hiarcs|Rebel|Mephisto|Greenblatt)\b(?!,)|"
    r"^(DEEP |X3D |HYDRA|JUNIOR|FRITZ|SHREDDER|REBEL|RYBKA|CM9000)"
)
"""Names that are not one person: several together, the unnamed, machines."""


def serious_games(
    games: Games, *, events: str = EVENTS, nobody: str = NOBODY
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the games that count, with their `year`, and how many were left out, by reason.

    Parameters
    ----------
    events
        Pattern in the name or place of an event that leaves its games out; empty for none.
    nobody
        The same for the names of players.
    """
    table = games.table.filter(pl.col("status") == "played").with_columns(
        pl.col("date").dt.year().alias("year")
    )
    left: dict[str, int] = {}

    def drop(reason: str, rows: pl.Series) -> None:
        nonlocal table
        left[reason] = int(rows.sum())
        table = table.filter(~rows)

    drop("no year", table["year"].is_null())
    at = _pattern(events)
    odd = np.array(
        [bool(at and (at.search(e.name) or at.search(e.site or ""))) for e in games.events] + [False]
    )
    drop("event", pl.Series(odd[table["event"].fill_null(len(odd) - 1).to_numpy()]))
    who = _pattern(nobody, 0)
    none = np.array([bool(who and who.search(name)) for name in games.players["name"]], dtype=bool)
    drop("player", pl.Series(none[table["white"].to_numpy()] | none[table["black"].to_numpy()]))
    return table, left


def _pattern(text: str, flags: int = re.IGNORECASE) -> re.Pattern[str] | None:
    if not text:
        return None
    try:
        return re.compile(text, flags)
    except re.error as error:
        raise UsageError(
            f"expected a regular expression of what to leave out, found {text!r}: {error}"
        ) from None
