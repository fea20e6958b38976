"""Output of every verb: format, file, notes and progress on stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import contextmanager
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

import typer

from arpad.errors import UsageError, place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from arpad.read.reading import Reading
    from arpad.read.source import Report


# What every verb that prints a table does with it: ``--format``, ``-o``, notes on stderr.

SHOWN_NOTES = 5
LINES = 5
"""Largest number of line numbers in a note."""
verbosity = 0
"""-1: results and errors only; 1: every note and parameter too. `main` sets it for each command."""


class OutputFormat(StrEnum):
    """Formats of a printed table."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[
    OutputFormat | None,
    typer.Option(
        "--format",
        help="table is for people, csv and json are for programs; -o FILE.csv sets it, too. [table]",
    ),
]
PAGES = ("xlsx", "ods", "html", "pdf")
"""Endings of files in which a table stands for people outside the terminal."""
_NOT_WRITTEN = (
    "xls xlsm xlsb odt doc docx rtf ppt pptx png svg jpg jpeg gif parquet arrow feather xml zip gz bz2 zst db"
)
NOT_WRITTEN = frozenset(_NOT_WRITTEN.split())
"""Endings that promise a format in which no table is written; any other ending is a text."""
WRITTEN = f"csv, json, {', '.join(PAGES)} or txt"


def _check_ending(output: str | None) -> None:
    """Refuse a file whose ending promises what is not written, before any work is done for it."""
    if (ending := _ending(output)) in NOT_WRITTEN - {"parquet"}:  # an archive is rated into Parquet
        raise _unwritten(output, ending)
    if ending == "pdf":
        expect_part("reportlab")


def expect_part(module: str) -> None:
    """Raise before any work if an optional library is not installed."""
    if find_spec(module) is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)


def expect_pictures(options: Mapping[str, Any]) -> None:
    """Refuse a chart that could not be written, and a PDF, before any work is done for it."""
    for name in ("chart", "calibration_chart"):
        if path := options.get(name):
            from arpad.publish.charts.style import check_name

            check_name(path)
            expect_part("altair")
            expect_part("vl_convert")
    if any(options.get(name) for name in ("pdf", "it1", "it3")):
        expect_part("reportlab")


def _unwritten(output: str | None, ending: str) -> UsageError:
    return UsageError(f"{output}: expected a file to end in {WRITTEN}, found .{ending}")


def _ending(output: str | None) -> str:
    name = Path(output or "").name
    return name.rpartition(".")[2].lower() if "." in name else ""


def expect_result(result: Any) -> Any:
    """Refuse the file of the result as soon as the command line is read, before any work."""
    from arpad.files import expect_output

    for path in [result] if isinstance(result, str) else result or ():
        expect_output(path)
    return result


def _expect_output_file(output: str | None) -> Any:
    """Refuse an ending that is not written, and a file that the command reads."""
    _check_ending(output)
    return expect_result(output)


OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=_expect_output_file,
        help=f"Write to this file instead: {WRITTEN}, by its ending.",
    ),
]


def emit(
    format: OutputFormat | None,
    output: str | None,
    *,
    people: Callable[[], list[object]],
    rows: Callable[[], pl.DataFrame],
    document: Callable[[], Mapping[str, object]],
    one_line: bool = False,
) -> None:
    """Print or write one result: lines and tables of `rich` for people, rows for CSV, a document for JSON."""
    no_longer_working()
    ending = _ending(output)
    if output is not None and (ending in NOT_WRITTEN or (format is not None and ending in PAGES)):
        raise _unwritten(output, ending)
    if output is not None and ending in PAGES:
        from arpad.files import write_bytes
        from arpad.publish.output import page_bytes

        write_bytes(output, page_bytes(ending, rows(), Path(output).stem))
        return
    chosen = format or (OutputFormat(ending) if ending in ("csv", "json") else OutputFormat.table)
    if chosen is OutputFormat.table and output is None and sys.stdout.isatty():
        from arpad.publish.tables import plain_console, printable

        console = plain_console()
        for part in people():
            console.print(printable(part) if isinstance(part, str) else part)
        return
    text = _text(chosen, people, rows, document, one_line)
    if output is None:
        sys.stdout.write(text)
    else:
        from arpad.files import write_text

        write_text(output, text)


def emit_result(
    result: Any,
    format: OutputFormat | None,
    output: str | None,
    *,
    view: Mapping[str, Any] | None = None,
    digits: Mapping[str, int] | None = None,
    parts: Callable[[], list[object]] | None = None,
    rows: Callable[[], pl.DataFrame] | None = None,
    document: Callable[[], Mapping[str, object]] | None = None,
    reading: Reading | None = None,
    chart: str | None = None,
    one_line: bool = False,
    parquet: bool = False,
    **drawn: Any,
) -> None:
    """Print or write any result: its report, CSV, or JSON; and draw its chart.

    view: options of its report, such as the number of rows.
    digits: digits after the point by column, for results without a report of their own.
    parts, rows, document: replace the result's report, table and figures.
    reading: JSON has it behind the parameters.
    parquet: a file that ends in .parquet takes the rows.
    chart, drawn: the file of a chart, .png or .svg, and the options of its function.
    """
    if chart is not None:
        from arpad.publish.charts.style import save

        save(result.chart(**drawn), chart)

    if parquet and format is None and output is not None and _ending(output) == "parquet":
        from arpad.files import new_file

        with new_file(output) as beside:
            (rows or result.table)().write_parquet(beside)
        say(result.summary())
        return

    def figures() -> Mapping[str, object]:
        every = (document or result.to_dict)()
        return every if reading is None else with_reading(dict(every), reading)

    def shown() -> list[object]:
        from arpad.publish.reports import report

        lines = parts() if parts else report(result, **({"digits": digits} if digits else {}), **(view or {}))
        return [*map(with_hint, lines), *details(result)]

    emit(format, output, people=shown, rows=rows or result.table, document=figures, one_line=one_line)


HINTS = {
    "few": " (--least)",
    "few-players": ": --enough takes fewer.",
    "floor": " If the list begins at a rating, give it as --floor.",
    "no-performance": " (--bound gives one).",
    "terms": ": try --terms level.",
    "worlds": " --every shows each world.",
    "tuned": " (arpad rate --option NAME=VALUE)",
    "in-csv": ": --format csv has them",
    "in-json": ": --format json has them",
    "note-in-json": ": --format json has them.",
    "opponents": " (--no-opponents leaves them out).",
    "prior": " (--prior).",
    "more-rows": " (--top {rows} shows all)",
    "more-archive": " (-o list.parquet or list.csv has all)",
}
"""Code of a remark in a report → the option that helps, behind its words."""


def with_hint(part: object) -> object:
    """Return a line of a report with the option that helps, where it has one."""
    code = getattr(part, "code", "")
    return part + HINTS[code].format_map(part.fields) if code else part  # type: ignore[attr-defined,operator]


Emission = Callable[["OutputFormat | None", "str | None"], None]
"""Result of a verb, still to be printed or written: the verb gets the options ``--format`` and ``-o``."""


def ending(emission: Emission, *, no: bool) -> Emission:
    """Return an emission after which the command ends with 1 where the answer is no."""

    def run(format: OutputFormat | None, output: str | None) -> None:
        emission(format, output)
        if no:
            raise typer.Exit(1)

    return run


def emit_table(
    format: OutputFormat | None,
    output: str | None,
    *,
    frame: pl.DataFrame,
    lines: Sequence[str] = (),
    digits: Mapping[str, int] | None = None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print or write a table with lines below it; JSON has `rows` and what `more` adds."""
    emit(
        format,
        output,
        people=lambda: [table_of(frame, digits), "", *lines],
        rows=lambda: frame,
        document=lambda: {**(more or {}), "rows": frame.to_dicts()},
    )


def reading_document(reading: Reading) -> dict[str, object]:
    """Return counts of what was read, and the records that were skipped or repaired, for JSON."""
    from arpad.model import source_of

    games, report = reading.games, reading.report
    counts = source_of(games)["status"]
    rated = counts.pop("played", 0)
    return {
        "input": {
            "files": [{"file": file, "format": kind} for file, kind in reading.files],
            "games": reading.records,
            "skipped": report.counts()["skipped"],
            "rated": rated,
            "not_rated": counts,
            **({"left_out": dict(report.left_out)} if report.left_out else {}),
            "players": games.players.height,
            "fingerprint": games.fingerprint(),
        },
        **{
            action: [n.as_dict() for n in report.notes if n.action == action]
            for action in ("skipped", "repaired", "noted")
        },
    }


def with_reading(document: dict[str, object], reading: Reading) -> dict[str, object]:
    """Return a result as JSON has it, with what was read behind the parameters."""
    first: dict[str, object] = {n: document[n] for n in ("system", "parameters") if n in document}
    return {**first, **reading_document(reading), **document}


def table_of(
    frame: pl.DataFrame, digits: Mapping[str, int] | None = None, title: str | None = None
) -> object:
    """Return a frame as a table for people, as wide as their terminal."""
    from arpad.publish.tables import fitting_table

    return fitting_table(frame, digits, title)


def width() -> int:
    """Return how many columns of text there are: those of the terminal, or plenty."""
    from arpad.publish.tables import PLAIN_WIDTH

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH


def _text(
    format: OutputFormat,
    people: Callable[[], list[object]],
    rows: Callable[[], pl.DataFrame],
    document: Callable[[], Mapping[str, object]],
    one_line: bool,
) -> str:
    if format is OutputFormat.json:
        from arpad.publish import output as jsonout

        return jsonout.line(document()) + "\n" if one_line else jsonout.document(document())
    if format is OutputFormat.csv:
        from arpad.publish.output import safe_csv

        return safe_csv(rows())
    from arpad.publish.tables import as_text

    return as_text(*people())


def details(result: Any) -> list[str]:
    """Return the parameters and the input's fingerprint, for those who want every detail."""
    if verbosity <= 0 or not hasattr(result, "parameters"):
        return []
    known = ", ".join(f"{k} {v}" for k, v in result.parameters.items() if v is not None)
    fingerprint = getattr(result, "source", {}).get("fingerprint", "?")
    return [f"Parameters: {known}. Fingerprint of the input: {fingerprint}."]


def say(message: str) -> None:
    """Tell a person something beside the result."""
    if verbosity >= 0:
        print(message, file=sys.stderr)


def explain_report(report: Report) -> None:
    """Print the first skipped or repaired records on stderr, and how many more there are."""
    counts = report.counts()
    if not any(counts.values()):
        return
    kinds: dict[tuple[str, str, str], list[int | None]] = {}
    for note in report.notes:
        kinds.setdefault((note.file, note.action, note.reason), []).append(note.line)
    weight = {"skipped": 0, "repaired": 1, "noted": 2}
    order = sorted(kinds.items(), key=lambda kind: (weight[kind[0][1]], kind[0][0], kind[1][0] or 0))
    most = len(order) if verbosity > 0 else SHOWN_NOTES
    for (file, action, reason), lines in order[:most]:
        say(f"{_places(file, lines)}{action}: {reason}")
    rest = sum(len(lines) for _, lines in order[most:])
    total = ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n)
    say(f"({total}{f'; {rest:,} more with --verbose' if rest > 0 else ''})")


def _places(file: str, lines: list[int | None]) -> str:
    """Return where a note stands: the file, and its first lines in order."""
    numbers = sorted({line for line in lines if line is not None})
    if len(numbers) < 2:
        return place(file, numbers[0] if numbers else None)
    rest = len(numbers) - LINES
    named = ", ".join(map(str, numbers[:LINES]))
    return f"{file}: lines {named}{f' and {rest:,} more' if rest > 0 else ''}: "


# A progress bar on stderr, at a terminal only.


class Tell(Protocol):
    """Callback of a progress bar: pieces done, pieces in all, and the latest one."""

    def __call__(self, done: int, total: int, last: str = "") -> None:
        """Move the bar."""
        ...


PATIENT = 2.0
"""Seconds after which a person at a terminal sees that the work goes on."""


class Working:
    """A line at a terminal that says for how long a command works, from two seconds on.

    A progress bar, which knows more, takes its place.
    """

    now: ClassVar[Working | None] = None

    def __init__(self) -> None:
        self.bar: Any = None
        self.lock = Lock()
        self.timer: Timer | None = None

    def __enter__(self) -> Working:
        """Begin to count the seconds."""
        if verbosity >= 0 and sys.stderr.isatty():
            Working.now = self
            self.timer = Timer(PATIENT, self.show)
            self.timer.daemon = True
            self.timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self.end()

    def show(self) -> None:
        """Show the line."""
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with self.lock:
            if Working.now is not self:
                return
            columns = SpinnerColumn(), TextColumn("working, for"), TimeElapsedColumn()
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
            self.bar.add_task("", total=None)
            self.bar.start()

    def end(self) -> None:
        """Take the line away; it does not come back."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            if self.bar is not None:
                self.bar.stop()
                self.bar = None
            if Working.now is self:
                Working.now = None


def no_longer_working() -> None:
    """Make room for a progress bar."""
    if Working.now is not None:
        Working.now.end()


@contextmanager
def progress(words: str) -> Iterator[Tell]:
    """Give a function that is told how many of how many are done, and, if it likes, what was last.

    Where stderr is no terminal it does nothing.
    """
    if verbosity < 0 or not sys.stderr.isatty():
        yield _nothing
        return
    no_longer_working()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", style="dim"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=None, last="")

        def tell(done: int, total: int, last: str = "") -> None:
            bar.update(task, completed=done, total=total, last=last[:40])

        yield tell


def _nothing(done: int, total: int, last: str = "") -> None:
    """Ignore the progress: nobody watches."""
