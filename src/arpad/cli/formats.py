"""`arpad formats`: what can be read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    import typer

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(formats)


def formats(format: FormatOption = None, output: OutputOption = None) -> None:
    """List the file formats, and the columns of tables."""
    import polars as pl

    from arpad.publish.tables import rich_table
    from arpad.read.columns import COLUMNS
    from arpad.read.formats import FORMATS

    kinds = pl.DataFrame(
        [
            {
                "format": f.name,
                "title": f.title,
                "endings": " ".join(f.endings),
                "reads": True,
                "writes": f.writes,
                "note": f.note,
            }
            for f in FORMATS.values()
        ]
    )
    names = pl.DataFrame({"column": list(COLUMNS), "meaning": list(COLUMNS.values())})

    def people() -> list[object]:
        return [
            rich_table(kinds.drop("reads")),
            "\nFiles may be packed with gzip, bzip2 or Zstandard. The content decides, not only the name.\n",
            rich_table(
                names,
                title="Columns of tables (CSV, Parquet); map others with --columns white=home_team,…",
            ),
        ]

    emit(
        format,
        output,
        people=people,
        rows=lambda: kinds,
        document=lambda: {"formats": kinds.to_dicts(), "columns": names.to_dicts()},
    )
