"""Games to decisions: the engine's lines in every position, and each move played outside them searched alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.cli.exporting import words_of
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.analysis import Workers
    from arpad.moves.average_error import Filters
    from arpad.moves.intrinsic.decisions import Decisions, Positions
    from arpad.moves.settings import EngineSettings

__all__ = ["Answered", "answered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Decisions with the evaluations they rest on."""

    decisions: Decisions
    lines: pl.DataFrame
    """What the engine says of the positions, a row a line, as the store keeps it."""
    engine: dict[str, object]
    """Engine, network, limit, lines, hash and options."""
    asked: int
    """Different positions, and moves searched alone."""
    alone: int
    """Moves searched alone."""
    known: int
    analysed: int
    failed: int


def answered(
    positions: Positions,
    settings: EngineSettings,
    *,
    workers: Workers,
    filters: Filters,
    store: str | None = None,
    whole: bool = False,
) -> Answered:
    """Ask the engine what is not known yet, keep it, and return the decisions; stopped, it goes on from there.

    Both searches are kept under one key, that of the settings: a move alone has one line, however many are asked.

    Parameters
    ----------
    positions
        From `moves.intrinsic.decisions.with_players`.
    whole
        Evaluate every position from the first turn that counts to the end of the game, for measures that need the value after
        each move; else only those in which a move can count.
    """
    from arpad.cli.analysing import analysed_positions
    from arpad.moves.analysis import Ask
    from arpad.moves.intrinsic.decisions import decisions, played_outside

    epds = _to_ask(positions, filters, whole=whole)
    first = analysed_positions(epds, settings, workers=workers, root=store)
    first.warn()
    lines = first.lookup(epds)
    outside = played_outside(positions, lines, filters)
    asks = [Ask(epd, (uci,)) for epd, uci in outside.iter_rows()]
    second = analysed_positions(asks, settings, workers=workers, root=store)
    second.warn()
    own = second.lookup(outside["epd"], outside["uci"].to_list())
    parts = (first.analysis, second.analysis)
    engine = dict(parts[0].parameters)
    if engine != dict(parts[1].parameters):
        raise UsageError(
            f"the engine changed while it was asked: {words_of(engine)}, then {words_of(dict(parts[1].parameters))}: "
            "evaluations of two engines cannot be mixed; run the command again"
        )
    return Answered(
        decisions=decisions(positions, lines, own, filters=filters, engine=engine),
        lines=lines,
        engine=engine,
        alone=len(asks),
        asked=sum(x.asked for x in parts),
        known=sum(x.known for x in parts),
        analysed=sum(x.analysed for x in parts),
        failed=sum(len(x.failures) for x in parts),
    )


def _to_ask(positions: Positions, filters: Filters, *, whole: bool) -> list[str]:
    """Return the positions to be evaluated, each once."""
    ply = pl.col("ply")
    # What the window looks at, if not the position itself, is the one before.
    first = 2 * (filters.first_turn - 1) - (filters.judged == "previous")
    wanted = pl.col("over").is_null() & (ply >= first)
    if not whole:
        wanted &= pl.col("uci").is_not_null()
    if not whole and not filters.forced and filters.judged == "here":
        wanted &= pl.col("legal") > 1
    return positions.filter(wanted)["epd"].unique(maintain_order=True).to_list()
