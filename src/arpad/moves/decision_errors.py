"""Average error from an engine's lines (Multi-PV): what the best line is worth minus what the move played is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.game_errors import CAP, ERRORS, GameErrors, check_cap, nothing_counts
from arpad.moves.intrinsic.scaled import scaled_loss

if TYPE_CHECKING:
    from arpad.model import Games
    from arpad.moves.intrinsic.decisions import Decisions

__all__ = ["decision_errors"]


def decision_errors(
    decisions: Decisions, games: Games, *, source: str, cap: float = CAP
) -> GameErrors:
    """Return the error of every decision; both values come from one search, a move outside the lines from its own.

    Parameters
    ----------
    source
        The engine and its settings, in words.
    cap
        Pawns at which values are cut off; a mate counts as much.

    Raises
    ------
    InputError
        If there is no decision.
    """
    check_cap(cap, decisions.filters)
    worth = decisions.column("value").astype(np.float64)
    best = np.clip(worth, -cap, cap)
    chosen = np.clip(worth - decisions.column("lost"), -cap, cap)
    table = decisions.rows.select("game", "ply", "turn", "white", "player").with_columns(
        raw=np.maximum(best - chosen, 0.0),
        scaled=scaled_loss(best, chosen),
        matched=pl.Series(decisions.choices.matched, dtype=pl.Boolean),
        advantage=best,
    )
    errors = GameErrors(
        games=games,
        table=table.select(pl.col(name).cast(kind) for name, kind in ERRORS.items()),
        filters=decisions.filters,
        cap=cap,
        method="Multi-PV",
        source=source,
        left_out=dict(decisions.left_out),
        forfeits=int((games.table["status"] == "forfeit").sum()),
    )
    if not len(errors):
        raise InputError(nothing_counts(errors, sum(decisions.left_out.values())))
    return errors
