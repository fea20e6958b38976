"""`arpad import`: files into the ledger."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.ledger_place import DbOption  # noqa: TC001 - Typer reads the annotation
from arpad.cli.output import SHOWN_NOTES, FormatOption, OutputOption, emit, explain_report, say
from arpad.cli.reading import (
    ColumnsOption,
    InputFormatOption,
    ReportOption,
    StrictOption,
    column_mapping,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.office.intake.import_result import Imported

__all__ = ["add_to"]


class TimeControl(StrEnum):
    """How much time the players had."""

    standard = "standard"
    rapid = "rapid"
    blitz = "blitz"


class Split(StrEnum):
    """What games without the name of an event make."""

    file = "file"
    month = "month"
    day = "day"


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command(name="import")(import_)


def import_(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files in any format (arpad formats lists them); - is standard input.",
            metavar="FILES",
        ),
    ],
    db: DbOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; write nothing.")
    ] = False,
    time_control: Annotated[
        TimeControl | None,
        typer.Option(help="Of every event. [as each report says, else standard]"),
    ] = None,
    event_name: Annotated[
        str | None, typer.Option(help="What the one event in the file is called.")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(
            help="When events without any date were (YYYY-MM-DD, YYYY-MM, YYYY), or a list was valid."
        ),
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(
            help="Whose ids the players have: fide, uscf, local, … [fide in PGN, TRF and FIDE's lists; uscf; else local]"
        ),
    ] = None,
    split: Annotated[
        Split, typer.Option(help="Games without an event's name: one event a file, month or day.")
    ] = Split.file,
    who: Annotated[str | None, typer.Option(help="Who imports. [the user's name]")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Enter events, games and players in the ledger: each file whole, each only once.

    A file that is here changes nothing. Players are found by id, then by name; whoever is doubtful
    is in the queue (arpad queue), and a new player until somebody decides.
    """
    from arpad.cli.import_shown import document, people, rows
    from arpad.errors import UsageError
    from arpad.office.intake.batch import Settings

    if ids is not None and not ids.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"--ids: expected a word such as fide or local, found {ids!r}")
    settings = Settings(
        time_control=None if time_control is None else time_control.value,
        event_name=event_name,
        date=date,
        ids=None if ids is None else ids.lower(),
        split=split.value,
    )
    options = {"settings": settings, "columns": column_mapping(columns), "strict": strict}
    done: list[Imported] = []
    try:
        for one in _imported(files, db, who, dry_run, {**options, "format": input_format}):
            done.append(one)
            if report is None:
                explain_report(one.report)
    except BaseException:
        if not dry_run:  # what is done stays done: each file is a transaction of its own
            for one in done:
                say(one.summary())
        if rest := files[len(done) + 1 :]:
            more = f" and {len(rest) - SHOWN_NOTES:,} more" if len(rest) > SHOWN_NOTES else ""
            say(f"(not looked at: {', '.join(rest[:SHOWN_NOTES])}{more})")
        raise
    if report is not None:
        _write_report(done, report)
    emit(
        format,
        output,
        people=lambda: people(done, dry_run=dry_run),
        rows=lambda: rows(done),
        document=lambda: document(done, dry_run=dry_run),
    )


def _imported(
    files: list[str], db: str | None, who: str | None, dry_run: bool, options: dict[str, object]
) -> Iterator[Imported]:
    import tempfile
    from pathlib import Path

    from arpad.office.intake.importing import import_files, preview_files
    from arpad.read.source import read_failures
    from arpad.store.ledger.ledger import Ledger
    from arpad.store.ledger.places import Place

    with tempfile.TemporaryDirectory() as folder:
        paths = [_spooled(folder) if name == "-" else name for name in files]
        for path in paths:  # before a ledger is made for files that are not there
            with read_failures(path), Path(path).open("rb"):
                pass
        place = Place.of(db)
        if not dry_run:
            with Ledger.open(place, create=True) as ledger:
                yield from import_files(ledger, paths, who=who, **options)  # type: ignore[arg-type]
        elif place.file is not None and not place.file.exists():
            yield from preview_files(None, paths, **options)  # type: ignore[arg-type]
        else:
            with Ledger.open(place) as ledger:
                yield from preview_files(ledger, paths, **options)  # type: ignore[arg-type]


def _spooled(folder: str) -> str:
    """Keep standard input in a file: its hash is asked for before its content."""
    import shutil
    import sys
    from pathlib import Path

    path = Path(folder) / "standard-input"
    with path.open("wb") as handle:
        shutil.copyfileobj(sys.stdin.buffer, handle)
    return str(path)


def _write_report(done: list[Imported], path: str) -> None:
    import polars as pl

    from arpad.publish.atomic import write_text

    schema = {"file": pl.String, "line": pl.Int64, "action": pl.String, "reason": pl.String}
    notes = [note.as_dict() for one in done for note in one.report.notes]
    write_text(path, pl.DataFrame(notes, schema=schema).write_csv())
