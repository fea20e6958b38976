"""`arpad engines`: which chess engines are here, and how to get one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import EngineError

if TYPE_CHECKING:
    from arpad.moves.engine import FoundEngine

__all__ = ["add_to"]

START = 10.0
"""Seconds an engine has to say who it is, here."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(engines)


def engines(
    engine: Annotated[
        list[str] | None, typer.Option(help="Look at this one too, by name or path; repeatable.")
    ] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """List the UCI engines that are found, with their versions, and how to get one.

    The first is what `arpad analyse` uses unless another is named. Exit 1 when none works.
    """
    import polars as pl

    from arpad.moves.engine import find_engines
    from arpad.moves.found import HOW_TO_GET_ONE, FoundEngine, engine_command
    from arpad.publish.tables import rich_table

    named = [FoundEngine(name=e, command=engine_command(e)) for e in engine or []]
    rows = [_asked(found) for found in [*named, *find_engines()]]
    schema = dict.fromkeys(("name", "version", "network", "path", "trouble"), pl.String)
    table = pl.DataFrame(rows, schema=schema)
    works = table.filter(pl.col("trouble").is_null()).height

    def people() -> list[object]:
        shown = table if table["trouble"].null_count() < table.height else table.drop("trouble")
        listed: list[object] = (
            [rich_table(shown), ""] if rows else ["No chess engine is found.", ""]
        )
        return [*listed, f"{'Others' if works else 'How to get one'}: {HOW_TO_GET_ONE}."]

    emit(
        format,
        output,
        people=people,
        rows=lambda: table,
        document=lambda: {"engines": table.to_dicts(), "how_to_get_one": HOW_TO_GET_ONE},
    )
    if not works:
        raise typer.Exit(1)


def _asked(found: FoundEngine) -> dict[str, str | None]:
    """Ask an engine who it is."""
    from arpad.moves.engine import Engine
    from arpad.moves.settings import EngineSettings

    row: dict[str, str | None] = {"name": found.name, "path": found.path}
    named = found.path if "/" in found.path else found.name
    try:
        with Engine(EngineSettings(engine=named), start=START) as engine:
            return {**row, "version": engine.identity.name, "network": engine.identity.network}
    except EngineError as error:
        return {**row, "trouble": str(error)}
