"""`arpad analyse` and `arpad engines`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli import options as opt
from arpad.cli.output import Emission, emit, ending, explain_report, say
from arpad.errors import EngineError, InputError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.moves.engine import FoundEngine
    from arpad.moves.evaluate import EvaluatedPositions
    from arpad.moves.evaluated_games import EvaluatedGames


# `arpad analyse`: every position of some games, evaluated by an engine and kept.


def analyse(
    files: list[str],
    multipv: opt.MultipvOption = 1,
    use_evals: bool = False,
    from_ply: Annotated[int, typer.Option(min=0)] = 0,
    max_ply: Annotated[int | None, typer.Option(min=0)] = None,
    wait: bool = True,
    export: str | None = None,
    *,
    engine: opt.EngineOptions,
) -> Emission:
    """Evaluate every position of the games once. You can stop at any time and continue with the same command.

    arpad never evaluates a stored position again, however many games share it.

    files: PGN files; - is standard input.
    depth: Search to a depth of N plies. [13]
    use_evals: Leave out positions for which the file has a value (%eval).
    from_ply: Begin with the position after N half-moves.
    max_ply: End with the position after N half-moves.
    wait: Wait for another analysis with the same settings, or refuse at once.
    export: Write the games with their evaluations: .pgn (in comments), .csv or .parquet (a row a position).
    """
    from arpad.cli.moves.evaluations import check_export, listener
    from arpad.cli.moves.evaluations import export as write_export
    from arpad.moves.evaluate import evaluate_positions
    from arpad.moves.evaluated_games import read_evaluated
    from arpad.moves.positions import positions

    settings = engine.settings(multipv=multipv)
    if max_ply is not None and max_ply < from_ply:
        raise UsageError(f"--max-ply {max_ply} is before --from-ply {from_ply}")
    check_export(export, files)
    team = engine.team(settings)
    games = read_evaluated(files)
    places = positions(games)
    counts, epds = _questions(games, places, from_ply, max_ply, use_evals=use_evals)
    explain_report(games.report)
    if not counts["positions"]:
        raise InputError("expected games with moves, found none", file=", ".join(files))
    done = evaluate_positions(epds, settings, workers=team, root=engine.store, wait=wait, listener=listener())
    for line in done.failures(" (--format json names them)"):
        say(line)
    if export is not None:
        write_export(export, games, places, done, own=use_evals)
    emission = partial(
        emit,
        people=lambda: _people(counts, done),
        rows=lambda: _row(counts, done),
        document=lambda: _document(files, counts, done),
    )
    return ending(emission, no=bool(done.analysis.failures))


def _questions(
    games: EvaluatedGames, rows: pl.DataFrame, from_ply: int, max_ply: int | None, *, use_evals: bool
) -> tuple[dict[str, int], list[str]]:
    """Return how many positions there are of each kind, and those to be evaluated."""
    import polars as pl

    games_played = rows["game"].n_unique()
    inside = pl.col("ply") >= from_ply
    if max_ply is not None:
        inside &= pl.col("ply") <= max_ply
    rows = rows.filter(inside)
    over = pl.col("over").is_not_null()
    marked = games.table.select(
        "game", "ply", (pl.col("cp").is_not_null() | pl.col("mate").is_not_null()).alias("said")
    )
    rows = rows.join(marked, on=["game", "ply"], how="left", maintain_order="left")
    in_file = pl.col("said").fill_null(False) if use_evals else pl.lit(False)
    asked = rows.filter(~over & ~in_file)["epd"].unique(maintain_order=True)
    counts = {
        "games": games_played,
        "positions": rows.height,
        "over": rows.filter(over).height,
        "in_file": rows.filter(~over & in_file).height,
        "different": len(asked),
    }
    return counts, asked.to_list()


def _row(counts: dict[str, int], done: EvaluatedPositions) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([{**counts, **_figures(done)}])


def _figures(done: EvaluatedPositions) -> dict[str, object]:
    x = done.analysis
    return {
        "known": x.known,
        "analysed": x.analysed,
        "failed": len(x.failures),
        "restarts": x.restarts,
        "seconds": round(x.seconds, 3),
        "nodes": x.nodes,
        "positions_per_second": round(x.positions_per_second, 2),
        "nodes_per_second": round(x.nodes_per_second),
    }


def _people(counts: dict[str, int], done: EvaluatedPositions) -> list[object]:
    x = done.analysis
    first = (
        f"{_many(counts['games'], 'game')}, {_many(counts['positions'], 'position')}, "
        f"{counts['different']:,} to evaluate once each"
    )
    apart = [
        f"{counts[name]:,} {words}"
        for name, words in (("over", "with the game over"), ("in_file", "evaluated in the file"))
        if counts[name]
    ]
    how = "; ".join(f"{k} {v}" for k, v in x.parameters.items() if v not in ("", {}))
    parts = [first + (f" ({', '.join(apart)})" if apart else "") + "."]
    parts.append(f"Known already: {x.known:,}; analysed now: {x.analysed:,}; failed: {len(x.failures):,}.")
    if x.analysed:
        parts.append(
            f"{x.seconds:,.1f} s, {x.positions_per_second:,.1f} positions/s, {x.nodes_per_second:,.0f} nodes/s."
        )
    if x.restarts:
        parts.append(f"Engines started again: {x.restarts:,}.")
    return [" ".join(parts), how, f"kept in {done.folder}"]


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _document(files: list[str], counts: dict[str, int], done: EvaluatedPositions) -> dict[str, object]:
    x = done.analysis
    return {
        "files": files,
        "parameters": x.parameters,
        "key": done.key,
        "store": str(done.folder),
        **counts,
        **_figures(done),
        "failures": [
            {"epd": f.ask.epd, "searchmoves": " ".join(f.ask.searchmoves), "reason": f.reason}
            for f in x.failures
        ],
    }


# `arpad engines`: which chess engines are here, and how to get one.

START = 10.0
"""Seconds an engine has to say who it is, here."""


def engines(engine: list[str] | None = None) -> Emission:
    """List the UCI engines that arpad finds, with their versions, and how to get one.

    The first is what `arpad analyse` uses unless another is named. The exit code is 1 if none works.

    engine: Also check this engine, by name or path; repeatable.
    """
    import polars as pl

    from arpad.moves.engine import FASTER_BUILD, HOW_TO_GET_ONE, FoundEngine, engine_command, find_engines
    from arpad.publish.tables import rich_table

    named = [FoundEngine(name=e, command=engine_command(e)) for e in engine or []]
    rows = [_asked(result) for result in [*named, *find_engines()]]
    schema = dict.fromkeys(("name", "version", "network", "path", "trouble"), pl.String)
    table = pl.DataFrame(rows, schema=schema)
    works = table.filter(pl.col("trouble").is_null()).height

    def people() -> list[object]:
        shown = table if table["trouble"].null_count() < table.height else table.drop("trouble")
        listed: list[object] = [rich_table(shown), ""] if rows else ["No chess engine found.", ""]
        faster = [f"{FASTER_BUILD}."] if works else []
        return [*listed, *faster, f"{'Others' if works else 'How to get one'}: {HOW_TO_GET_ONE}."]

    emission = partial(
        emit,
        people=people,
        rows=lambda: table,
        document=lambda: {
            "engines": table.to_dicts(),
            "how_to_get_one": HOW_TO_GET_ONE,
            "faster_build": FASTER_BUILD,
        },
    )
    return ending(emission, no=not works)


def _asked(found: FoundEngine) -> dict[str, str | None]:
    from arpad.moves.engine import Engine, EngineSettings

    row: dict[str, str | None] = {"name": found.name, "path": found.path}
    named = found.path if "/" in found.path else found.name
    try:
        with Engine(EngineSettings(engine=named), start=START) as engine:
            return {**row, "version": engine.identity.name, "network": engine.identity.network}
    except EngineError as error:
        return {**row, "trouble": str(error)}
