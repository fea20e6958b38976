"""Files of games to the errors of their moves: evaluations of the files, or an engine's, with one line or several."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.moves.average_error import decision_errors, measure_errors
from arpad.moves.evaluate import SILENT, Listener, engine_in_words, evaluate_positions, no_evaluations
from arpad.moves.evaluated_games import from_positions, read_evaluated
from arpad.moves.ipr.decisions import with_players
from arpad.moves.ipr.inputs import evaluate_decisions
from arpad.moves.positions import positions as positions_of

if TYPE_CHECKING:
    from arpad.moves.average_error import ErrorFilters, GameErrors
    from arpad.moves.evaluate import EngineWork
    from arpad.moves.evaluated_games import EvaluatedGames


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
    found = from_positions(places, done.lookup(epds), games, source=source, own=work.use_evals)
    return measure_errors(found, filters=filters, positions=places, cap=cap)


def _multi(games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float) -> GameErrors:

    places = _places(games)
    # Nothing behind the last turn needs an engine.
    late = pl.lit(False) if filters.last_turn is None else pl.col("number") > filters.last_turn
    found = evaluate_decisions(
        with_players(places.filter(~late), games.games),
        work.settings,
        workers=work.workers,
        filters=filters,
        store=work.store,
        listener=work.listener,
    )
    source = f"{engine_in_words(found.engine)}, {work.settings.multipv} lines"
    errors = decision_errors(found.decisions, games.games, source=source, cap=cap)
    lost = places.filter(late & pl.col("uci").is_not_null()).height
    return replace(errors, left_out={**errors.left_out, "late": lost})
