"""`arpad import`: files into the ledger."""

from __future__ import annotations

import contextlib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.cli.ledger.options import DbOption
from arpad.cli.options import ReadOptions
from arpad.cli.output import SHOWN_NOTES, Emission, emit, explain_report, say
from arpad.errors import counted
from arpad.model import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arpad.ledger.imports.plan import Imported


TimeControl = Literal["standard", "rapid", "blitz"]


Split = Literal["file", "month", "day"]


def import_(
    files: list[str],
    db: DbOption = None,
    dry_run: bool = False,
    time_control: TimeControl | None = None,
    event_name: str | None = None,
    date: str | None = None,
    ids: str | None = None,
    split: Split = "file",
    who: str | None = None,
    accept_skipped: bool = False,
    report: str | None = None,
    *,
    how: ReadOptions,
) -> Emission:
    """Enter events, games and players in the ledger: each file whole, each only once.

    A file that is already in the ledger changes nothing. arpad finds players by id, then by name. A doubtful
    player waits in the queue (arpad queue) and counts as a new player until you decide.

    files: Files in any format (arpad formats lists them); - is standard input.
    dry_run: Say what would change; write nothing.
    time_control: Time control of every event. [as each report says, otherwise standard]
    event_name: Name of the only event in the file.
    date: Date of events that have none (YYYY-MM-DD, YYYY-MM or YYYY), or of a list.
    ids: The organisation that issued the players' ids: fide, uscf, local, … [fide in PGN, TRF and FIDE's lists; uscf in its crosstables; otherwise local]
    split: How to group games without an event's name: one event for each file, month or day.
    who: Your name, for the log. [the user's name]
    accept_skipped: Enter a file even if some of its games are skipped.
    report: Write every skipped, repaired or doubtful record to this CSV file.
    """
    from arpad.errors import UsageError
    from arpad.ledger.imports.staging import Settings

    if ids is not None and not ids.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"--ids: expected a word such as fide or local, found {ids!r}")
    settings = Settings(
        time_control=time_control,
        event_name=event_name,
        date=date,
        ids=None if ids is None else ids.lower(),
        split=split,
    )
    options = {"settings": settings, "accept_skipped": accept_skipped, **how.reading()}
    done: list[Imported] = []
    try:
        for one in _imported(files, db, who, dry_run, options):
            done.append(one)
            if report is None:
                explain_report(one.report)
    except BaseException:
        if not dry_run:  # what is done stays done: each file is a transaction of its own
            for one in done:
                say(one.summary())
        if rest := files[len(done) + 1 :]:
            more = f" and {len(rest) - SHOWN_NOTES:,} more" if len(rest) > SHOWN_NOTES else ""
            say(f"(not checked: {', '.join(rest[:SHOWN_NOTES])}{more})")
        raise
    if report is not None:
        _write_report(done, report)
    return partial(
        emit,
        people=lambda: people(done, dry_run=dry_run),
        rows=lambda: rows(done),
        document=lambda: document(done, dry_run=dry_run),
    )


def _imported(
    files: list[str], db: str | None, who: str | None, dry_run: bool, options: dict[str, object]
) -> Iterator[Imported]:
    import tempfile

    from arpad.files import input_file
    from arpad.ledger.db.ledger import Ledger, Place
    from arpad.ledger.imports.importing import import_files, preview_files
    from arpad.read.source import read_failures

    with tempfile.TemporaryDirectory() as folder:
        for name in files:  # before a ledger is made for files that are not there
            with (
                read_failures(name),
                contextlib.nullcontext() if _is_pipe(name) else input_file(name).open("rb"),
            ):
                pass
        paths = [_spooled(folder, name) if _is_pipe(name) else name for name in files]
        place = Place.of(db)
        if dry_run:
            options = {name: value for name, value in options.items() if name != "accept_skipped"}
        if not dry_run:
            with Ledger.open(place, create=True) as ledger, import_failures():
                yield from import_files(ledger, paths, who=who, **options)  # type: ignore[arg-type]
        elif place.file is not None and not place.file.exists():
            yield from preview_files(None, paths, **options)  # type: ignore[arg-type]
        else:
            with Ledger.open(place) as ledger:
                yield from preview_files(ledger, paths, **options)  # type: ignore[arg-type]


@contextlib.contextmanager
def import_failures() -> Iterator[None]:
    """Name the option that enters a file although games of it are skipped."""
    from arpad.errors import InputError
    from arpad.ledger.imports.importing import SkippedGamesError

    try:
        yield
    except SkippedGamesError as error:
        more = "nothing of this file was entered: correct it, or give --accept-skipped"
        raise InputError(f"{error.reason}; {more}", file=error.file, line=error.line) from None


def _is_pipe(name: str) -> bool:
    return name == "-" or Path(name).is_fifo()


def _spooled(folder: str, name: str) -> str:
    """Keep what comes through a pipe in a file: its hash is asked for before its content."""
    import shutil
    import sys

    from arpad.files import input_file

    path = Path(folder) / ("standard-input" if name == "-" else Path(name).name)
    with path.open("wb") as handle:
        if name == "-":
            shutil.copyfileobj(sys.stdin.buffer, handle)
        else:
            with input_file(name).open("rb") as pipe:
                shutil.copyfileobj(pipe, handle)
    return str(path)


def _write_report(done: list[Imported], path: str) -> None:
    import polars as pl

    from arpad.files import write_text

    schema = {"file": pl.String, "line": pl.Int64, "action": pl.String, "reason": pl.String}
    notes = [note.as_dict() for one in done for note in one.report.notes]
    write_text(path, pl.DataFrame(notes, schema=schema).write_csv())
    counts = Counter(str(note["action"]) for note in notes)
    total = ", ".join(f"{counts[kind]:,} {kind}" for kind in ("skipped", "repaired", "noted") if counts[kind])
    say(f"({total or 'nothing skipped or repaired'}: in {path})")


# What `arpad import` says: for people, as rows, as JSON.

SHOWN = 20
"""Events and players that a table for people names; JSON has all of them."""
FIGURES = columns(
    "file:str format:str import:int events:int here:int changed:int games:int by_id:int by_name:int new:int doubtful:int"
)
WORDS = {
    "new": "new",
    "here": "here already",
    "part": "part of an event in the ledger",
    "changed": "changed report: in the queue",
}


def rows(done: Sequence[Imported]) -> pl.DataFrame:
    """Return a row a file."""
    return pl.DataFrame([one.row() for one in done], schema=FIGURES)


def document(done: Sequence[Imported], *, dry_run: bool) -> dict[str, Any]:
    """Return everything."""
    return {"dry_run": dry_run, "files": [one.as_dict() for one in done]}


def people(done: Sequence[Imported], *, dry_run: bool) -> list[object]:
    """Return what a person wants to know: each file in a sentence, then what is not plain."""
    parts: list[object] = ["Nothing was written. This would change:"] if dry_run else []
    for one in done:
        parts.append(one.summary())
        parts += [f"  {note}" for note in _notes(one)]
        parts += _tables(one, dry_run=dry_run)
    if any(one.doubtful or one.duplicates or one.count("changed") for one in done) and not dry_run:
        parts.append("arpad queue shows what waits for a decision")
    return parts


def _notes(one: Imported) -> list[str]:
    notes = [one.understood()] if one.byes or one.forfeits or one.report.of("skipped") else []
    if one.unsaid:
        notes.append(
            f"{counted(one.unsaid, 'event')} without a time control: standard (--time-control says otherwise)"
        )
    if one.completed:
        notes.append(f"{counted(one.completed, 'player')} completed: birth, federation, title or sex")
    if one.format in ("fide", "list") and one.listed is None and one.earlier is None:
        notes.append("the list has no date: its ratings are left out (give --date)")
    return notes


def _tables(one: Imported, *, dry_run: bool) -> list[object]:
    from arpad.publish.tables import rich_table

    result: list[object] = []
    events = one.events if dry_run else one.events.filter(pl.col("what") != "new")
    if events.height:
        shown = events.head(SHOWN).with_columns(pl.col("what").replace_strict(WORDS, return_dtype=pl.String))
        result.append(rich_table(shown.rename({"time_control": "time control"})))
        result += _more(events.height, "events")
    doubtful = one.people.filter(pl.col("how") == "doubtful")
    named = one.people.filter(pl.col("how") == "name") if dry_run else doubtful.clear()
    if named.height:
        shown = named.head(SHOWN).select("name", "player", "known", pl.col("score").alias("match"))
        result.append(rich_table(shown, title="Found by name"))
        result += _more(named.height, "players")
    if doubtful.height:
        shown = one.doubts.head(SHOWN).join(
            doubtful.select(pl.col("name").alias("in the file"), at="player"), on="at", maintain_order="left"
        )
        shown = shown.select(
            "in the file", pl.col("name").alias("may be"), "player", pl.col("score").alias("match"), "reason"
        )
        result.append(rich_table(shown, title="Doubtful: new players until somebody decides"))
        result += _more(one.doubts.height, "candidates")
    return result


def _more(count: int, what: str) -> list[object]:
    return [f"… and {count - SHOWN:,} more {what} (--format json has all)"] if count > SHOWN else []
