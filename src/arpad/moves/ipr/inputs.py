"""Files of games to decisions with an engine's lines, where intrinsic ratings start, and to the errors of moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import EngineError, InputError
from arpad.moves.analysis import Ask
from arpad.moves.average_error import decision_errors, measure_errors
from arpad.moves.evaluate import SILENT, Listener, engine_in_words, evaluate_positions, no_evaluations
from arpad.moves.evaluated_games import from_positions, read_evaluated
from arpad.moves.ipr.decisions import decisions, played_outside, with_players
from arpad.moves.positions import positions as positions_of

if TYPE_CHECKING:
    from arpad.model import Games
    from arpad.moves.analysis import EngineWorkers
    from arpad.moves.average_error import ErrorFilters, Filters, GameErrors
    from arpad.moves.engine import EngineSettings
    from arpad.moves.evaluate import EngineWork, EvaluatedPositions
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.ipr.decisions import Decisions, Positions
    from arpad.read.source import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedDecisions:
    """Decisions with the evaluations they rest on."""

    decisions: Decisions
    lines: pl.DataFrame
    """The engine's lines, one in each row, as the store has them."""
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
    workers: EngineWorkers,
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
    """Skipped and repaired records, and notes, of the files."""
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
    workers: EngineWorkers,
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


# Files to the errors of their moves: evaluations of the files, or an engine's, with one line or several.


def read_errors(
    files: list[str],
    *,
    strict: bool,
    filters: ErrorFilters,
    cap: float,
    work: EngineWork | None,
    listener: Listener = SILENT,
) -> tuple[GameErrors, EvaluatedGames]:
    """Read games and return the errors of their moves, and the games as they were read.

    Without an engine, what the files say is taken; with one line a position, the values before and after each move;
    with more, the lines of one search.
    """
    games = read_evaluated(files, strict=strict)
    try:
        if work is None:
            _check_evaluated(games, files)
            return measure_errors(games, filters=filters, cap=cap), games
        if work.settings.multipv == 1:
            return _single(games, work, filters, cap), games
        return _multi(games, work, filters, cap), games
    finally:
        listener.report(games.report)


def _check_evaluated(games: EvaluatedGames, files: list[str]) -> None:
    known, positions = games.coverage()
    if positions > len(games.games) and not known:
        raise no_evaluations(positions, files)


def _places(games: EvaluatedGames) -> pl.DataFrame:
    fought = (games.games.table["status"] != "forfeit").to_numpy()
    table = games.table.filter(fought[games.table["game"].to_numpy()])
    return positions_of(replace(games, table=table))


def _single(games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float) -> GameErrors:

    places = _places(games)
    said = pl.any_horizontal(pl.col("cp", "mate").is_not_null()) & work.use_evals
    marked = games.table.select("game", "ply", said.alias("said"))
    rows = places.join(marked, on=["game", "ply"], how="left", maintain_order="left")
    # The window looks at the position before the first move that counts.
    half = 2 * pl.col("number") - (pl.col("turn") == "w").cast(pl.Int32)
    wanted = (half >= 2 * filters.first_turn - 2) & pl.col("over").is_null()
    if filters.last_turn is not None:
        wanted &= half <= 2 * filters.last_turn + 1
    epds = rows.filter(wanted & ~pl.col("said"))["epd"].unique(maintain_order=True).to_list()
    done = evaluate_positions(
        epds, work.settings, workers=work.workers, root=work.store, listener=work.listener
    )
    for line in done.failures():
        work.listener.note(line)
    mixed = "; evaluations of the file where it has them" if work.use_evals else ""
    source = f"{engine_in_words(done.analysis.parameters)}{mixed}"
    result = from_positions(places, done.lookup(epds), games, source=source, own=work.use_evals)
    return measure_errors(result, filters=filters, positions=places, cap=cap)


def _multi(games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float) -> GameErrors:

    places = _places(games)
    # Nothing behind the last turn needs an engine.
    late = pl.lit(False) if filters.last_turn is None else pl.col("number") > filters.last_turn
    result = evaluate_decisions(
        with_players(places.filter(~late), games.games),
        work.settings,
        workers=work.workers,
        filters=filters,
        store=work.store,
        listener=work.listener,
    )
    source = f"{engine_in_words(result.engine)}, {work.settings.multipv} lines"
    errors = decision_errors(result.decisions, games.games, source=source, cap=cap)
    lost = places.filter(late & pl.col("uci").is_not_null()).height
    return replace(errors, left_out={**errors.left_out, "late": lost})
