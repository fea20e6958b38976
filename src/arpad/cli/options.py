"""Options that several verbs share, and groups of verbs."""

from __future__ import annotations

import csv
import inspect
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

import typer

from arpad.errors import InputError, UsageError
from arpad.read.formats import FormatName

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from arpad.model import Ratings
    from arpad.moves.analysis import EngineWorkers
    from arpad.moves.engine import EngineSettings
    from arpad.pool.rating_lists import DatedList
    from arpad.rate.draws import DrawModel
    from arpad.read.fields import Selection
    from arpad.read.reading import Reading


# The options of every verb that reads files of games.

DateOrder = Literal["dmy", "mdy", "ymd"]


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How tables are read.

    columns: Names of the columns of a table: white=home_team,black=away_team,…
    dates: Order of day, month and year in the dates of a table. [as the whole column shows]
    sheet: Sheet of a spreadsheet, by name or number. [all with games]
    """

    columns: str | None = None
    dates: DateOrder | None = None
    sheet: str | None = None

    def reading(self) -> dict[str, Any]:
        """Return the options as the library's functions take them."""
        return {"columns": column_mapping(self.columns), "dates": self.dates, "sheet": self.sheet}


@dataclass(frozen=True, kw_only=True)
class ReadOptions(TableOptions):
    """How files are read.

    input_format: The format of the files. [recognised by their content]
    strict: Stop with an error at the first record that would be skipped or repaired.
    """

    input_format: FormatName | None = None
    strict: bool = False

    def reading(self) -> dict[str, Any]:
        """Return the options as the library's functions take them."""
        return {**super().reading(), "format": self.input_format, "strict": self.strict}

    def read_files(self, files: list[str], selection: Selection | None = None) -> Reading:
        """Read files as the options say."""
        from arpad.read.reading import read

        return read(files, selection=selection, **self.reading())


@dataclass(frozen=True, kw_only=True)
class GameFiles(ReadOptions):
    """Files of games, and the options that say how they are read.

    files: Files of games in any format (arpad formats lists them); - is standard input.
    report: Write every skipped, repaired or doubtful record to this CSV file.
    """

    files: Annotated[list[str], typer.Argument(metavar="FILES")]
    report: str | None = None
    notes: list[Any] = field(default_factory=list, init=False)
    """Notes about the rating lists that were read with the games."""

    def ratings(self, path: str | None) -> Ratings | None:
        """Read a rating list beside the games, if one is named; its notes join those of the games."""
        if path is None:
            return None
        from arpad.read.reading import read_list
        from arpad.read.source import Report

        report = Report(strict=self.strict)
        ratings = read_list(path, report=report)
        self.notes.extend(report.notes)
        return ratings

    def read(self, selection: Selection | None = None, *, forfeits: bool = False) -> Reading:
        """Read the files; games that were played are expected, or with `forfeits` any pairing."""
        reading = self.read_files(self.files, selection)
        reading.report.notes.extend(self.notes)
        check_any_played(reading, forfeits=forfeits)
        return reading

    def tell(self, reading: Reading) -> None:
        """Say what was read, and write the report that is asked for."""
        write_report(reading, self.report)


RatedOption = Annotated[
    Literal["rated", "casual", "all"],
    typer.Option(
        "--rated", help="rated leaves out games marked as casual, casual takes only those, all takes both."
    ),
]
BotsOption = Annotated[
    bool, typer.Option("--bots/--no-bots", help="Include games of players with the title BOT.")
]


def write_report(reading: Reading, path: str | None) -> None:
    """Say what was understood and the most important notes; write all notes as CSV if a file is named."""
    from arpad.cli.output import explain_report, say

    report = reading.report
    if len(report) or report.left_out:
        say(reading.summary())
    if path is None:
        explain_report(report)
        return
    import polars as pl

    from arpad.files import write_text

    schema = {"file": pl.String, "line": pl.Int64, "action": pl.String, "reason": pl.String}
    write_text(path, pl.DataFrame([n.as_dict() for n in report.notes], schema=schema).write_csv())
    if len(report):
        say(f"{path}: {', '.join(f'{n:,} {kind}' for kind, n in report.counts().items() if n)}")


def column_mapping(text: str | None) -> dict[str, str] | None:
    """Return what ``--columns ours=theirs,…`` says; None if nothing is said."""
    if text is None:
        return None
    parts = next(csv.reader([text], skipinitialspace=True), [])  # "white=Name, Vorname",black=…
    pairs = [part.split("=", 1) for part in parts if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise UsageError(f"--columns: expected ours=theirs,ours=theirs, found {text!r}")
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}


def check_any_played(reading: Reading, *, forfeits: bool = False) -> None:
    """Refuse files in which nothing was played; with `forfeits`, those without any pairing."""
    games = reading.games
    if (games.table["status"] == "played").any() or (forfeits and len(games)):
        return
    names = ", ".join(file for file, _ in reading.files)
    skipped = reading.report.counts()["skipped"]
    first = f"; first skipped: {reading.report.of('skipped')[0]}" if skipped else ""
    result = f"{len(games)} pairings without play" if len(games) else "no results yet"
    raise InputError(
        f"expected games, found none that were played ({games.players.height} players, "
        f"{result}, {skipped} record{'' if skipped == 1 else 's'} skipped{first})",
        file=names,
    )


# ``--option NAME=VALUE``: whatever a rating system can be told and no option of its own says.

_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def given_options(system: str, texts: list[str]) -> dict[str, object]:
    """Return options by name, each of the kind of the system's own default."""
    from arpad.rate.registry import SYSTEMS

    make = SYSTEMS.get(system)
    known = inspect.signature(make).parameters if make else {}
    options: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f"--option: expected NAME=VALUE, found {text!r}")
        # A name that is not known is refused, with those that are, where the system is made.
        options[name] = _as(known[name], value.strip(), text) if name in known else value
    return options


def system_names(incomplete: str) -> list[str]:
    """Return the systems that a shell may complete a name to, plug-ins included."""
    from arpad.rate.registry import SYSTEMS

    return [name for name in SYSTEMS if name.startswith(incomplete)]


def _as(option: inspect.Parameter, value: str, text: str) -> object:
    default, kind = option.default, str(option.annotation)
    if isinstance(default, bool):
        if value.lower() not in _WORDS:
            raise UsageError(f"--option: expected yes or no, found {text!r}")
        return _WORDS[value.lower()]
    if value.lower() == "none" and "None" in kind:
        return None
    if not isinstance(default, int | float) and "float" not in kind:
        return value
    if "str" in kind:  # a number, or the name of a policy
        return value
    try:
        return (type(default) if default is not None else float)(value)
    except ValueError:
        raise UsageError(f"--option: expected a number, found {text!r}") from None


# ``--workers``: where much work is done, for every verb that has much of it.

ProcessesOption = Annotated[
    str | None,
    typer.Option(
        "--workers",
        help="Number of processes; ray, ray:N or ray://HOST:PORT for a Ray cluster. The figures stay the same. [1]",
    ),
]
ProcessPatienceOption = Annotated[
    float,
    typer.Option(
        help="With --workers: seconds after which a piece of work counts as stuck and is tried again.",
        min=1.0,
    ),
]


# The options of every verb that asks an engine.


@dataclass(frozen=True, kw_only=True)
class EngineName:
    """An engine.

    engine: A UCI engine by its name or path; arpad engines lists what is here.
    patience: Seconds without an answer after which an engine counts as stuck.
    """

    engine: Annotated[str, typer.Option(envvar="ARPAD_ENGINE")] = "stockfish"
    patience: float = 60.0


@dataclass(frozen=True, kw_only=True)
class EngineSearch(EngineName):
    """How an engine searches.

    depth: Let an engine evaluate to a depth of N plies, such as 13.
    nodes: Search N positions (nodes) for each move instead.
    time: Search for X seconds for each move instead; the results then depend on the machine.
    hash: Megabytes of hash for each engine. [16]
    option: Another UCI option, NAME=VALUE; repeatable.
    """

    depth: int | None = None
    nodes: int | None = None
    time: float | None = None
    hash: int | None = None
    option: list[str] | None = None

    def limited(self) -> bool:
        """Say whether one of the limits of a search was given."""
        return any(limit is not None for limit in (self.depth, self.nodes, self.time))

    def wanted(self, ctx: typer.Context) -> bool:
        """Say whether a verb that can do without an engine was told how long to ask one.

        Raises
        ------
        UsageError
            If another option of the engine was given, and no limit: nothing would be asked.
        """
        if self.limited():
            return True
        for name in ("engine", "hash", "option", "workers", "store", "patience", "use_evals"):
            source = ctx.get_parameter_source(name) if name in ctx.params else None
            if source is not None and source.name == "COMMANDLINE":
                raise UsageError(
                    f"--{name.replace('_', '-')}: expected --depth, --nodes or --time beside it: without a limit no "
                    "engine is asked, and the evaluations are those of the file"
                )
        return False

    def settings(self, *, multipv: int = 1) -> EngineSettings:
        """Return what the options say."""
        from arpad.moves.engine import HASH_MB, EngineSettings

        given = [name for name in ("depth", "nodes", "time") if getattr(self, name) is not None]
        if len(given) > 1:
            raise UsageError(f"--{given[0]} and --{given[1]}: a search has one limit: choose one")
        if self.time is not None and not 0.001 <= self.time < float("inf"):
            raise UsageError(f"--time: expected seconds, at least 0.001, found {self.time:g}")
        return EngineSettings(
            engine=self.engine,
            depth=self.depth,
            nodes=self.nodes,
            movetime=None if self.time is None else round(self.time * 1000),
            multipv=multipv,
            hash_mb=HASH_MB if self.hash is None else self.hash,
            options=tuple(_pair(text) for text in self.option or []),
        )


@dataclass(frozen=True, kw_only=True)
class EngineTeam(EngineName):
    """Engines at work, and the store of their evaluations.

    workers: Number of engines at once; ray, ray:N or ray://HOST:PORT for a Ray cluster. [one for each core]
    store: Folder of the stored evaluations. [$ARPAD_STORE, or arpad/evaluations in the user's data folder]
    """

    workers: str | None = None
    store: str | None = None

    def team(self, settings: EngineSettings) -> EngineWorkers:
        """Return who does the work."""
        from arpad.moves.analysis import LocalWorkers
        from arpad.moves.uci import whole_number

        if not 0 < self.patience < float("inf"):
            raise UsageError(f"--patience: expected seconds above 0, found {self.patience:g}")
        text = self.workers
        count = None if text is None else whole_number(text)
        if text is None or count is not None:
            return LocalWorkers(settings, engines=count, patience=self.patience)
        cluster = re.fullmatch(r"ray(?::([0-9]{1,9})?|://[^/].*)?", text)
        if cluster is None:
            raise UsageError(f"--workers: expected a number, ray, ray:N or ray://HOST:PORT, found {text!r}")
        from arpad.moves.ray_engines import RayWorkers

        return RayWorkers(
            settings,
            address=text if "//" in text else None,
            engines=int(cluster[1]) if cluster[1] else None,
            patience=self.patience,
        )


@dataclass(frozen=True, kw_only=True)
class EngineOptions(EngineTeam, EngineSearch):
    """How an engine is asked, and where its answers are kept."""


MultipvOption = Annotated[int, typer.Option("--multipv", help="Number of lines for each position.")]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help="Stop with an error at the first record that would be skipped or repaired."
    ),
]


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--option: expected NAME=VALUE, found {text!r}")
    if any(ord(c) < 32 for c in text):
        raise UsageError(f"--option: expected one line, found {text!r}")
    return name.strip(), value.strip()


# The options of verbs that take a draw model.

DrawModelOption = Annotated[
    str | None,
    typer.Option("--draw-model", help="A draw model that arpad draws wrote. [the one that comes with arpad]"),
]


def draw_model(path: str | None) -> DrawModel:
    """Return the model in a file, or the one that comes with arpad."""
    from arpad.rate.draws import PUBLISHED, DrawModel

    if path is None:
        return PUBLISHED
    if not Path(path).exists():
        raise InputError("expected a draw model, found nothing there", file=path)
    return DrawModel.from_document(json_given(path, "a draw model", code="no-draw-model"), file=path)


def json_given(path: str, what: str, *, code: str = "") -> Any:
    """Return the object of JSON in a file."""
    import json

    from arpad.files import input_text

    try:
        document = json.loads(input_text(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError:  # no JSON, no UTF-8
        raise InputError(f"expected {what}, found no JSON", file=path, code=code) from None
    if not isinstance(document, dict):
        raise InputError(f"expected {what}, found another kind of JSON", file=path, code=code)
    return document


# Values as they are written on the command line.


def ratings_given(text: str, option: str = "--opponents") -> list[float]:
    """Return ratings from `2600,2555x2`, where x2 means two of them.

    Examples
    --------
    >>> ratings_given("1800,1900x2")
    [1800.0, 1900.0, 1900.0]
    """
    ratings: list[float] = []
    for part in re.split(r"[,\s]+", text.strip()):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:x(\d{1,4}))?", part)
        if not match:
            raise UsageError(f"{option}: expected ratings such as 2600,2555x2; found {part!r}")
        ratings += [float(match[1])] * int(match[2] or 1)
    return ratings


def number_or(text: str, option: str, word: str, kind: str = "points") -> float | None:
    """Return a number, None for the word that stands for finding it out."""
    if text == word:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option}: expected {kind} or {word}, found {text!r}") from None


def numbers_given(text: str | None, option: str) -> tuple[float, ...] | None:
    """Return finite numbers with commas between them; None if nothing is said."""
    if text is None:
        return None
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or not all(map(math.isfinite, numbers)):
        raise UsageError(f"{option}: expected numbers with commas, found {text!r}")
    return numbers


@overload
def day_given(text: str, option: str) -> date: ...
@overload
def day_given(text: str | None, option: str) -> date | None: ...
def day_given(text: str | None, option: str) -> date | None:
    """Return the day that an option names; None stays None."""
    if text is None:
        return None
    from datetime import date

    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{option}: expected a day such as 2015-01-01 (YYYY-MM-DD), found {text!r}"
        ) from None


def span_given(text: str | None, option: str, example: str) -> tuple[int, int] | None:
    """Return the two whole numbers of `1970-1980`; None if nothing is said."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,4})\s*[-–]\s*(\d{1,4})\s*", text)
    if not match:
        raise UsageError(f"{option}: expected {example}, found {text!r}")
    return int(match[1]), int(match[2])


def anchors_given(texts: Sequence[str], *, files: bool = False) -> dict[str, float]:
    """Return ratings by name from `NAME=RATING`; with `files`, from CSV files with name and best too."""
    anchors: dict[str, float] = {}
    for text in texts:
        if files and text.lower().endswith(".csv"):
            from arpad.read.collect import named_numbers

            anchors |= named_numbers(text, ["best", "rating"])
            continue
        name, _, rating = text.rpartition("=")
        try:
            anchors[name.strip()] = float(rating)
        except ValueError:
            raise UsageError(
                f"--anchor: expected NAME=RATING{' or a .csv file' if files else ''}, found {text!r}"
            ) from None
    return anchors


def _days(files: Sequence[str], dates: str | None) -> list[date | None]:
    days: list[date | None] = [None] * len(files)
    if dates is not None:
        days = [day_given(text, "--dates") for text in dates.split(",")]
    if len(days) != len(files):
        raise UsageError(f"--dates: expected {len(files)} dates, one a list; found {len(days)}")
    return days


def lists_given(files: Sequence[str], dates: str | None, **kept: Any) -> tuple[DatedList, ...]:
    """Read rating lists with the dates that an option gives them, one a list; say what was noted in them."""
    from arpad.cli.output import explain_report
    from arpad.pool.rating_lists import read_lists
    from arpad.read.source import Report

    report = Report()
    lists = read_lists(files, _days(files, dates), report=report, **kept)
    explain_report(report)
    return lists


def lists_dated(files: Sequence[str], dates: str | None) -> list[tuple[date, Ratings]]:
    """Read rating lists with their days: as given, or as the list itself says."""
    from arpad.pool.rating_lists import dated
    from arpad.read.reading import read_list

    lists = []
    for file, day in zip(files, _days(files, dates), strict=True):
        ratings = read_list(file)
        when = dated(ratings, day=day).date
        if when is None:
            raise UsageError(f"--list {file}: the list does not say its date: give it with --dates")
        lists.append((when, ratings))
    return lists
