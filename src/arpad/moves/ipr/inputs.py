"""Files of games to decisions, the engine's lines included: where intrinsic ratings start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import EngineError, InputError
from arpad.moves.analysis import Ask
from arpad.moves.evaluate import SILENT, Listener, engine_in_words, evaluate_positions
from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.ipr.decisions import decisions, played_outside, with_players
from arpad.moves.positions import positions as positions_of

if TYPE_CHECKING:
    from arpad.model import Games
    from arpad.moves.analysis import Workers
    from arpad.moves.average_error import Filters
    from arpad.moves.engine import EngineSettings
    from arpad.moves.evaluate import EvaluatedPositions
    from arpad.moves.ipr.decisions import Decisions, Positions
    from arpad.read.source import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedDecisions:
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


def evaluate_decisions(
    positions: Positions,
    settings: EngineSettings,
    *,
    workers: Workers,
    filters: Filters,
    store: str | None = None,
    listener: Listener = SILENT,
) -> EvaluatedDecisions:
    """Evaluate what the store does not have yet, keep it, and return the decisions; the next call continues.

    Both searches are kept under one key, that of the settings: a move alone has one line, however many are asked.

    Parameters
    ----------
    positions
        From `decisions.with_players`.
    """
    epds = _to_ask(positions, filters)

    def evaluated(some: list[str] | list[Ask]) -> EvaluatedPositions:
        done = evaluate_positions(some, settings, workers=workers, root=store, listener=listener)
        for line in done.failures():
            listener.note(line)
        return done

    first = evaluated(epds)
    lines = first.lookup(epds)
    outside = played_outside(positions, lines, filters)
    asks = [Ask(epd, (uci,)) for epd, uci in outside.iter_rows()]
    second = evaluated(asks)
    own = second.lookup(outside["epd"], outside["uci"].to_list())
    parts = (first.analysis, second.analysis)
    engine = dict(parts[0].parameters)
    if engine != dict(parts[1].parameters):
        raise EngineError(
            f"the engine changed during the analysis: {engine_in_words(engine)}, then {engine_in_words(dict(parts[1].parameters))}: "
            "evaluations of two engines cannot be mixed; run the command again"
        )
    return EvaluatedDecisions(
        decisions=decisions(positions, lines, own, filters=filters, engine=engine),
        lines=lines,
        engine=engine,
        alone=len(asks),
        asked=sum(x.asked for x in parts),
        known=sum(x.known for x in parts),
        analysed=sum(x.analysed for x in parts),
        failed=sum(len(x.failures) for x in parts),
    )


def _to_ask(positions: Positions, filters: Filters) -> list[str]:
    half = 2 * pl.col("number") - pl.col("white").cast(pl.Int32)
    # What the window looks at, if not the position itself, is the one before.
    first = 2 * filters.first_turn - 1 - (filters.judged == "previous")
    wanted = pl.col("over").is_null() & (half >= first) & pl.col("uci").is_not_null()
    if not filters.forced and filters.judged == "here":
        wanted &= pl.col("legal") > 1
    return positions.filter(wanted)["epd"].unique(maintain_order=True).to_list()


SHOWN = 3
"""Games left out that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGames:
    """Games, the decisions in them, and the engine's value of their positions."""

    games: Games
    decided: EvaluatedDecisions
    report: Report
    """What was skipped, repaired or noted in the files."""
    forfeits: tuple[str, ...]
    """Games decided without play, in words; nothing in them counts."""

    def notes(self) -> list[str]:
        """Say which games and positions were left out."""
        said = []
        if self.forfeits:
            shown = "; ".join(self.forfeits[:SHOWN])
            more = len(self.forfeits) - SHOWN
            many = "game" if len(self.forfeits) == 1 else "games"
            tail = f" and {more} more" if more > 0 else ""
            said.append(f"{len(self.forfeits)} {many} decided without play left out: {shown}{tail}")
        if self.decided.failed:
            said.append(f"{self.decided.failed:,} positions failed and are left out")
        return said


def read_decisions(
    files: list[str],
    settings: EngineSettings,
    *,
    workers: Workers,
    filters: Filters,
    store: str | None,
    strict: bool = False,
    listener: Listener = SILENT,
) -> DecisionGames:
    """Read games and evaluate what the store does not have yet."""
    games = read_evaluated(files, strict=strict)
    places = positions_of(games)
    listener.report(games.report)
    table = games.games.table
    without = table.with_row_index("game").filter(pl.col("status") == "forfeit")["game"]
    played = places.filter(~pl.col("game").is_in(without.cast(pl.Int32).to_list()))
    if not played["uci"].count():
        raise InputError("expected games with moves, found none", file=", ".join(files))
    decided = evaluate_decisions(
        with_players(played, games.games),
        settings,
        workers=workers,
        filters=filters,
        store=store,
        listener=listener,
    )
    return DecisionGames(
        games=games.games,
        decided=decided,
        report=games.report,
        forfeits=tuple(_title(games.games, int(g)) for g in without),
    )


def _title(games: Games, game: int) -> str:
    names, row = games.players["name"], games.table.row(game, named=True)
    where = f", round {row['round']}" if row["round"] else ""
    black = "?" if row["black"] is None else names[row["black"]]
    return f"{names[row['white']]} – {black}{where}"
