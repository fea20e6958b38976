"""Games to errors: evaluations of the files, or an engine's, Single-PV or Multi-PV."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    from arpad.cli.evaluations import EngineWork
    from arpad.moves.average_error import ErrorFilters
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.game_errors import GameErrors

__all__ = ["read_errors"]


def read_errors(
    files: list[str], *, strict: bool, filters: ErrorFilters, cap: float, work: EngineWork | None
) -> tuple[GameErrors, EvaluatedGames]:
    """Read games and return the errors of their moves, and the games as they were read.

    Without an engine, what the files say is taken; with one line a position, the values before and after each move;
    with more, the lines of one search.
    """
    from arpad.cli.output import explain_report
    from arpad.moves.evaluated import read_evaluated
    from arpad.moves.game_errors import measure_errors
    from arpad.publish.atomic import keep

    keep((f for f in files if f != "-"), "this file was read")
    games = read_evaluated(files, strict=strict)
    try:
        if work is None:
            _check_evaluated(games, files)
            return measure_errors(games, filters=filters, cap=cap), games
        if work.settings.multipv == 1:
            return _single(games, work, filters, cap), games
        return _multi(games, work, filters, cap), games
    finally:
        explain_report(games.report)


def _check_evaluated(games: EvaluatedGames, files: list[str]) -> None:
    known, positions = games.coverage()
    if positions > len(games.games) and not known:
        raise InputError(
            f"expected evaluations such as {{ [%eval 0.13] }} behind the moves, found none in {positions:,} positions: "
            "let an engine do it with --depth 13",
            file=", ".join(files),
        )


def _places(games: EvaluatedGames) -> pl.DataFrame:
    """Return the positions of the games that were played."""
    from arpad.moves.positions import positions

    fought = (games.games.table["status"] != "forfeit").to_numpy()
    table = games.table.filter(fought[games.table["game"].to_numpy()])
    return positions(replace(games, table=table))


def _single(
    games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float
) -> GameErrors:
    from arpad.cli.analysing import analysed_positions
    from arpad.cli.exporting import words_of
    from arpad.moves.evaluated import from_positions
    from arpad.moves.game_errors import measure_errors

    places = _places(games)
    said = pl.any_horizontal(pl.col("cp", "mate").is_not_null()) & work.use_evals
    told = games.table.select("game", "ply", said.alias("said"))
    rows = places.join(told, on=["game", "ply"], how="left", maintain_order="left")
    # The window looks at the position before the first move that counts.
    wanted = (pl.col("ply") >= 2 * filters.first_turn - 3) & pl.col("over").is_null()
    if filters.last_turn is not None:
        wanted &= pl.col("ply") <= 2 * filters.last_turn
    epds = rows.filter(wanted & ~pl.col("said"))["epd"].unique(maintain_order=True).to_list()
    done = analysed_positions(epds, work.settings, workers=work.workers, root=work.store)
    done.warn()
    mixed = "; evaluations of the file where it has them" if work.use_evals else ""
    source = f"{words_of(done.analysis.parameters)}{mixed}"
    found = from_positions(places, done.lookup(epds), games, source=source, own=work.use_evals)
    return measure_errors(found, filters=filters, positions=places, cap=cap)


def _multi(
    games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float
) -> GameErrors:
    from arpad.cli.exporting import words_of
    from arpad.cli.ipr_choices import answered
    from arpad.moves.decision_errors import decision_errors
    from arpad.moves.intrinsic.decisions import with_players

    places = _places(games)
    # Nothing behind the last turn needs an engine.
    late = pl.lit(False) if filters.last_turn is None else pl.col("ply") >= 2 * filters.last_turn
    found = answered(
        with_players(places.filter(~late), games.games),
        work.settings,
        workers=work.workers,
        filters=filters,
        store=work.store,
    )
    source = f"{words_of(found.engine)}, {work.settings.multipv} lines"
    errors = decision_errors(found.decisions, games.games, source=source, cap=cap)
    lost = places.filter(late & pl.col("uci").is_not_null()).height
    return replace(errors, left_out={**errors.left_out, "late": lost})
