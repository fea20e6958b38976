"""The options of every verb that reads files of games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from arpad.read import Reading

__all__ = [
    "ColumnsOption",
    "FilesArgument",
    "InputFormatOption",
    "ReportOption",
    "StrictOption",
    "check_any_played",
    "column_mapping",
    "read_files",
    "reading_document",
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
    from arpad.publish.atomic import keep
    from arpad.read import read

    keep((f for f in files if f != "-"), "this file was read")
    return read(files, format=format, columns=column_mapping(columns), strict=strict)  # type: ignore[arg-type]


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


def column_mapping(text: str | None) -> dict[str, str] | None:
    """Return what ``--columns ours=theirs,…`` says; None if nothing is said."""
    if text is None:
        return None
    pairs = [part.split("=", 1) for part in text.split(",") if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise UsageError(f"--columns: expected ours=theirs,ours=theirs, found {text!r}")
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}


def reading_document(reading: Reading) -> dict[str, object]:
    """Return what was read, and what was not taken as it stands, as JSON has it."""
    games, report = reading.games, reading.report
    counts = dict(games.table["status"].cast(str).value_counts().iter_rows())
    rated = counts.pop("played", 0)
    return {
        "input": {
            "files": [{"file": file, "format": kind} for file, kind in reading.files],
            "games": reading.records,
            "skipped": len(report.of("skipped")),
            "rated": rated,
            "not_rated": counts,
            "players": games.players.height,
            "fingerprint": games.fingerprint(),
        },
        **{
            action: [n.as_dict() for n in report.notes if n.action == action]
            for action in ("skipped", "repaired", "noted")
        },
    }


def check_any_played(reading: Reading, *, forfeits: bool = False) -> None:
    """Refuse files in which nothing was played; with `forfeits`, those without any pairing."""
    games = reading.games
    if (games.table["status"] == "played").any() or (forfeits and len(games)):
        return
    names = ", ".join(file for file, _ in reading.files)
    skipped = len(reading.report.of("skipped"))
    first = f"; first skipped: {reading.report.of('skipped')[0]}" if skipped else ""
    found = f"{len(games)} pairings without play" if len(games) else "no results yet"
    raise InputError(
        f"expected games, found none that were played ({games.players.height} players, "
        f"{found}, {skipped} record{'' if skipped == 1 else 's'} skipped{first})",
        file=names,
    )
