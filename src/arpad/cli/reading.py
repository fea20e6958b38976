"""The options of every verb that reads files of games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.read import Reading

__all__ = [
    "ColumnsOption",
    "FilesArgument",
    "InputFormatOption",
    "ReportOption",
    "StrictOption",
    "read_files",
    "write_report",
]

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        help="Files of games in any format (arpad formats lists them); - is standard input.",
        metavar="FILES",
    ),
]
ColumnsOption = Annotated[
    Optional[str],  # noqa: UP045 - Typer reads the annotation
    typer.Option(help="Which column of a table is what: white=home_team,black=away_team,…"),
]
InputFormatOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--input-format", help="Do not guess the format from the content."),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help="Make an error of the first record that would be skipped or repaired."
    ),
]
ReportOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--report", help="Write every skipped, repaired or doubtful record to this CSV file."
    ),
]


def read_files(
    files: list[str], *, columns: str | None, format: str | None, strict: bool
) -> Reading:
    """Read files as the options say."""
    from arpad.read import read

    return read(files, format=format, columns=_mapping(columns), strict=strict)  # type: ignore[arg-type]


def write_report(reading: Reading, path: str | None) -> None:
    """Write the report as CSV if a file is named, else say the most important of it."""
    from arpad.cli.output import explain_report

    if path is None:
        explain_report(reading.report)
        return
    import polars as pl

    from arpad.publish.atomic import write_text

    schema = {"file": pl.String, "line": pl.Int64, "action": pl.String, "reason": pl.String}
    write_text(
        path, pl.DataFrame([n.as_dict() for n in reading.report.notes], schema=schema).write_csv()
    )


def _mapping(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    pairs = [part.split("=", 1) for part in text.split(",") if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise UsageError(f"--columns: expected ours=theirs,ours=theirs, found {text!r}")
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}
