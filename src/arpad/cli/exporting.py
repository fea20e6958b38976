"""Evaluations of an analysis, written into a file beside the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arpad.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.cli.analysing import Analysed
    from arpad.moves.evaluated import EvaluatedGames

__all__ = ["check_export", "export", "words_of"]


def check_export(path: str | None, files: Sequence[str]) -> None:
    """Raise before hours of work if the file could not be written after them."""
    if path is None:
        return
    from arpad.errors import UsageError
    from arpad.publish.atomic import keep
    from arpad.publish.write_evaluations import evaluations_format

    evaluations_format(path)
    keep((f for f in files if f != "-"), "this file was read")
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise UsageError(f"--export {path}: the folder {folder} is not there: make it first")
    if any(Path(f).resolve() == Path(path).resolve() for f in files if f != "-"):
        raise UsageError(f"--export {path}: expected another file than one that is read")


def export(
    path: str, games: EvaluatedGames, places: pl.DataFrame, done: Analysed, *, own: bool
) -> None:
    """Write the games with what the engine, or on request the file itself, says of every position."""
    from arpad.moves.evaluated import from_positions
    from arpad.publish.write_evaluations import write_evaluations

    said = done.lookup(places["epd"].unique())
    source = words_of(done.analysis.parameters) + ("; evaluations of the file first" if own else "")
    evaluated = from_positions(places, said, games, source=source, own=own)
    lost = write_evaluations(evaluated, path)
    known, positions = evaluated.coverage()
    say(f"{path}: {len(evaluated.games):,} games, {known:,} of {positions:,} positions evaluated.")
    for words in lost:
        say(f"  not in {path}: {words}")


def words_of(parameters: dict[str, object]) -> str:
    """Say in a few words who evaluated, and how."""
    limit = next(f"{k} {parameters[k]}" for k in ("depth", "nodes", "movetime") if k in parameters)
    return f"{parameters['engine']}, {limit}"
