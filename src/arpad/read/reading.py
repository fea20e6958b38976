"""Read files of any format into one `Reading`, with moves where they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from arpad.errors import FormatError, InputError, UsageError
from arpad.model import GAME_SCHEMA, Event, Games, Ratings
from arpad.read.collect import Roster, doubtful_names
from arpad.read.crosstables import numbered
from arpad.read.fide_list import HEADING, read_fide_list
from arpad.read.fields import DATE_ORDERS, Selection, time_control_of
from arpad.read.formats import FormatName, guess, opened
from arpad.read.pgn.games import look_by_kernel, look_by_reference, read_pgn, read_pgn_and
from arpad.read.pra import read_pra
from arpad.read.rating_list import holds_ratings, ratings_csv, ratings_json, ratings_sheet
from arpad.read.source import REPEATED, Report, Source, decode, read_failures
from arpad.read.spreadsheet import SPREADSHEETS, read_spreadsheet
from arpad.read.table import from_frame, read_csv, read_parquet
from arpad.read.text_table import TextTable
from arpad.read.trf import read_trf
from arpad.read.uscf import read_uscf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.read.fields import DateOrder
    from arpad.read.source import Note


_TABLES = ("csv", "parquet", *SPREADSHEETS)


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of reading files: the games, the format of each file, and what was left out."""

    games: Games
    files: tuple[tuple[str, str], ...]
    """Each file's name and format."""
    report: Report

    @property
    def records(self) -> int:
        """Number of records in the files, taken and skipped."""
        return len(self.games) + self.report.counts()["skipped"]

    def summary(self) -> str:
        """Return in one paragraph how many records were understood, and as what.

        Such as ``15 rows: 11 games, 3 byes, 1 not understood (row 16: '-')``.
        """
        status = dict(self.games.table["status"].cast(str).value_counts().iter_rows())
        skipped = self.report.of("skipped")
        repeated = sum(REPEATED in note.reason for note in skipped)
        unread = [note for note in skipped if REPEATED not in note.reason]
        further = self.report.unlisted["skipped"]
        tables = all(kind in _TABLES for _, kind in self.files)
        word = "row" if tables else "record"
        parts = [
            (status.get("played", 0) + status.get("unrated", 0), "game", "games"),
            (status.get("forfeit", 0), "forfeit", "forfeits"),
            (status.get("bye", 0), "bye", "byes"),
            (status.get("unplayed", 0), "without a result", "without a result"),
            (repeated, "repeated", "repeated"),
            *(
                (count, f"left out ({reason})", f"left out ({reason})")
                for reason, count in self.report.left_out.items()
            ),
            (len(unread), "not understood", "not understood"),
            (further, "skipped besides", "skipped besides"),
        ]
        records = self.records + self.report.left_out.total()
        words = ", ".join(f"{n:,} {one if n == 1 else more}" for n, one, more in parts if n or one == "game")
        return f"{records:,} {word}{'' if records == 1 else 's'}: {words}{_examples(unread, word)}"


def _examples(unread: Sequence[Note], word: str) -> str:
    """Return where the first records stand that were not understood, with the text if the note has it."""
    if not unread:
        return ""
    texts = []
    for note in unread[:3]:
        text = re.search(r"found ('[^']*')", note.reason)
        where = note.file if note.line is None else f"{word if word == 'row' else 'line'} {note.line}"
        texts.append(where + (f": {text[1]}" if text else ""))
    return f" ({'; '.join(texts)}{'; …' if len(unread) > 3 else ''})"


GamesLike: TypeAlias = (
    "Games | Reading | str | Path | Sequence[str | Path] | Iterable[tuple[str, str, float]] | Any"
)
"""Input of `games_from`; Any stands for a Polars or pandas frame."""


def read(
    files: str | Path | Sequence[str | Path],
    *,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    sheet: str | None = None,
    strict: bool = False,
    selection: Selection | None = None,
) -> Reading:
    """Read games from one file or several.

    Parameters
    ----------
    files
        Paths, or ``-`` for standard input; gzip, bzip2 and Zstandard are unpacked on the way.
    format
        Format of the files; default: recognised by the content.
    columns
        For tables: names of the columns, as ``{"white": "home_team"}``.
    dates
        Order of day, month and year in a table whose dates are ambiguous.
    sheet
        For spreadsheets: name or number of one sheet; default: all sheets with games.
    strict
        Raise an error at the first record that would be skipped or repaired.
    selection
        Games to read: by time control, variant, casual games, games of bots. [all]
    """
    names = [str(files)] if isinstance(files, str | Path) else [str(f) for f in files]
    if not names:
        raise UsageError("expected at least one file")
    if dates is not None and dates not in DATE_ORDERS:
        raise UsageError(f"expected an order of dates, one of {', '.join(DATE_ORDERS)}; found {dates!r}")
    if format is not None and format not in get_args(FormatName):
        raise UsageError(f"expected a format, one of {', '.join(get_args(FormatName))}; found {format!r}")
    report = Report(strict=strict, selection=selection)
    parts: list[Games] = []
    kinds: list[tuple[str, str]] = []
    for name in names:
        for source in opened(name, report, every=format is not None or columns is not None):
            kind = format or _guess(source, columns)
            kinds.append((source.name, kind))
            part = _wanted(_read_one(source, kind, columns, dates, sheet), kind, report)
            for one, other in doubtful_names(part.players):
                report.add(source.name, None, "noted", f"{one!r} and {other!r}: one person or two?")
            parts.append(part)
    return Reading(joined(parts, [file for file, _ in kinds], report)[0], tuple(kinds), report)


def games_from(
    games: GamesLike, *, columns: Mapping[str, str] | None = None, dates: DateOrder | None = None
) -> Games:
    """Return games from a file, several files, a Polars or pandas frame, tuples, or games themselves.

    Rows that cannot be used are left out with a `DroppedRowsWarning`.

    Parameters
    ----------
    games
        Tuples are ``(white, black, White's score)``.
    columns
        For tables: names of the columns, as ``{"white": "home_team"}``.
    dates
        Order of day, month and year in a table whose dates are ambiguous.

    Examples
    --------
    >>> len(games_from([("Ann", "Bo", 1.0), ("Bo", "Ann", 0.5)]))
    2
    """
    if isinstance(games, Games):
        return games
    if isinstance(games, Reading):
        return games.games
    if isinstance(games, pl.DataFrame | pl.LazyFrame) or type(games).__module__.split(".")[0] == "pandas":
        return from_frame(games, columns=columns, dates=dates)
    rows: list[Any]
    if isinstance(games, str | PathLike):
        rows = [games]
    else:
        rows = list(games) if isinstance(games, Iterable) else [games]
    if rows and all(isinstance(row, str | PathLike) for row in rows):
        reading = read(rows, columns=columns, dates=dates)
        reading.report.warn()
        return reading.games
    if not rows or not all(isinstance(row, list | tuple) and len(row) == 3 for row in rows):
        raise UsageError(
            "expected games: a file name, a Polars or pandas frame, or tuples (white, black, White's score); "
            f"found {type(games).__name__}",
            code="no-games",
        )
    return Games.build(rows)


def read_list(file: str | Path, *, report: Report | None = None) -> Ratings:
    """Read ratings to start from: a FIDE list, or CSV with `player` and `rating`.

    Parameters
    ----------
    report
        Report that notes the lines that cannot be used.
    """
    notes = Report() if report is None else report
    sources = list(opened(str(file), notes))
    if len(sources) > 1:
        raise FormatError(f"expected one list, found {len(sources)} files", file=str(file))
    source = sources[0]
    kind = list_format(source)
    if kind is None:
        first = decode(source.peek(), source.name, Report()).lstrip("\ufeff").split("\n", 1)[0]
        raise FormatError(
            "expected a FIDE rating list, a list that arpad wrote (CSV or JSON), or a table with columns "
            f"player and rating; it begins with {first[:60].lower()!r}",
            file=source.name,
        )
    if kind == "fide":
        return read_fide_list(source).ratings()
    readers = {"json": ratings_json, "csv": ratings_csv, "sheet": ratings_sheet}
    return readers[kind](source)


def list_format(source: Source) -> Literal["json", "csv", "sheet", "fide"] | None:
    """Return in which way a file is a rating list; None where it is none."""
    head = source.peek()
    if head[:2] == b"PK" or head[:4] == b"\xd0\xcf\x11\xe0" or head.lstrip()[:1] == b"<":
        kind = guess(head, source.name)
        return "sheet" if kind in SPREADSHEETS else "fide" if kind == "fide" else None
    text = decode(head, source.name, Report()).lstrip("\ufeff")
    if text.lstrip().startswith("{"):
        return "json"
    table = TextTable.of(text, holds_ratings)
    if holds_ratings(table.names):  # ratings may stand beside a round-robin grid, too
        return "csv" if numbered(table.frame(source.name, Report())) is None else None
    first = text.split("\n", 1)[0]
    commas = "," in first and HEADING.match(first)
    return "fide" if not commas and guess(head, source.name) == "fide" else None


def _guess(source: Source, columns: Mapping[str, str] | None) -> FormatName:
    """Guess the format; with named columns it is a table."""
    try:
        kind = guess(source.peek(), source.name)
    except FormatError:
        if columns is None or b"\0" in source.peek() or not source.peek().strip():
            raise
        return "csv"
    return "csv" if columns is not None and kind in ("uscf", "pra") else kind


def _read_one(
    source: Source, kind: str, columns: Mapping[str, str] | None, dates: DateOrder | None, sheet: str | None
) -> Games:
    if kind in SPREADSHEETS:
        return read_spreadsheet(source, columns, dates, sheet)
    if sheet is not None:
        raise UsageError(f"expected a spreadsheet to take the sheet {sheet!r} of, found {kind}")
    if kind == "csv":
        return read_csv(source, columns, dates)
    if kind == "parquet":
        return read_parquet(source, columns, dates)
    if kind == "fide":
        raise InputError(
            "this is a rating list, not a file of games", code="list-not-games", file=source.name
        )
    readers = {"pgn": read_pgn, "trf": read_trf, "pra": read_pra, "uscf": read_uscf}
    return readers[kind](source)


def _wanted(games: Games, kind: str, report: Report) -> Games:
    """Return the games of an event report, or none of them if its time control is not wanted."""
    if kind not in ("trf", "pra", "uscf") or report.selection is None or not games.events:
        return games
    event, wanted = games.events[0], report.selection.time_control
    control = time_control_of(event.kind, event.name, figures=event.time_control) or "standard"
    if wanted in (None, control):
        return games
    report.left_out[control] += len(games)
    return Games(games.table.clear(), games.players.clear())


def joined(parts: list[Games], names: list[str], report: Report) -> tuple[Games, pl.Series]:
    """Return several files as one, and which of their games are in it.

    The same person in two of them is one player; a game that an earlier file has is left out.
    """
    if len(parts) == 1:
        return parts[0], pl.repeat(True, len(parts[0]), eager=True)
    roster = Roster()
    tables: list[pl.DataFrame] = []
    events: list[Event] = []
    numbered: list[tuple[pl.DataFrame, pl.Series]] = []
    for part in parts:
        people = _told_apart(part.players)
        described = people.select("name", "id", "title", "federation", "birth")
        numbered.append((people, roster.index([described])[0]))
        at = len(events)
        tables.append(part.table.with_columns(pl.col("event") + at))
        events.extend(part.events)
    players, (rows,) = roster.finish()
    moved = [
        table.with_columns(
            *(rows.gather(mine.gather(table[c])).alias(c) for c in ("white", "black")),
            pl.lit(number).alias("file"),
        )
        for number, (table, (_, mine)) in enumerate(zip(tables, numbered, strict=True))
    ]
    players = _complete(players, rows, numbered)
    events = [
        event.moved(place)
        for part, (_, mine) in zip(parts, numbered, strict=True)
        for place in [dict(enumerate(rows.gather(mine).to_list()))]
        for event in part.events
    ]
    table = pl.concat(moved)
    kept = ~_again(table, players, events, names, report)
    table = table.filter(kept).select(GAME_SCHEMA.names())
    return Games(table, players, tuple(events)), kept


def _told_apart(people: pl.DataFrame) -> pl.DataFrame:
    """Two people of one file who share a name or an id stay two: the row tells them apart."""
    key = pl.coalesce("id", "name")
    twice = people.select(key.is_duplicated()).to_series()
    row = pl.int_range(1, pl.len() + 1)
    return people.with_columns(
        pl.when(twice).then(pl.format("{} ({})", "name", row)).otherwise("name").alias("name"),
        pl.when(~twice).then("id").alias("id"),
    )


def _again(
    table: pl.DataFrame, players: pl.DataFrame, events: list[Event], names: list[str], report: Report
) -> pl.Series:
    """Say which games an earlier file has already."""
    same = {(e.name, e.site): i for i, e in reversed(list(enumerate(events)))}
    canonical = pl.Series([same[e.name, e.site] for e in events], dtype=pl.Int32)
    keyed = table.with_columns(
        canonical.gather(table["event"]).alias("place") if events else pl.lit(None).alias("place")
    )
    key = pl.struct("white", "black", "score", "date", "place", "round", "plies")
    first = keyed.select(pl.col("file").first().over(key)).to_series()
    known = table["date"].is_not_null() & table["round"].is_not_null()
    again = known & (first < table["file"])
    who = players["name"]
    for row, earlier in zip(table.filter(again).iter_rows(named=True), first.filter(again), strict=True):
        black = "bye" if row["black"] is None else who[row["black"]]
        why = f"{who[row['white']]} - {black}, round {row['round']}: {REPEATED} in {names[earlier]}"
        report.add(names[row["file"]], None, "skipped", why)
    return again


def _complete(
    players: pl.DataFrame, rows: pl.Series, numbered: list[tuple[pl.DataFrame, pl.Series]]
) -> pl.DataFrame:
    """Fill in what a file knows of a player beyond the name: the first file that knows it counts.

    Not the rating: it stands beside the games, and the earliest game decides, not the first file.
    """
    known = (
        pl.concat(people.with_columns(rows.gather(mine).alias("row")) for people, mine in numbered)
        .group_by("row")
        .agg(pl.col("sex", "k", "total_games").drop_nulls().first())
    )
    return (
        players.drop("sex", "k", "total_games")
        .with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("row"))
        .join(known, on="row", how="left", maintain_order="left")
        .select(players.columns)
    )


# The front door to moves: main lines of PGN files beside the games that `read` takes from them.

PACKED = 4
"""Approximate ratio of unpacked to packed size."""
KERNEL_FROM = 3_000_000
"""Bytes from which on compiling (or loading) the kernels costs less than it saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """The main lines of some games.

    `plies` has a row for every position of every game: `game` (row of `games.table`), `ply` (0 is the
    starting position), and what the file says of it. `starts` has a row a game: where it stands
    (`file`, `line`), and from which position it starts if not from the usual one (`fen`, `variant`).
    """

    games: Games
    plies: pl.DataFrame
    starts: pl.DataFrame
    report: Report


def read_moves(
    files: str | Path | Sequence[str | Path],
    *,
    kernel: bool | None = None,
    strict: bool = False,
    selection: Selection | None = None,
) -> Moves:
    """Read the main line of every game that `read` takes from PGN files.

    Parameters
    ----------
    files
        Paths, or ``-`` for standard input.
    kernel
        Use the compiled scanner; by default for large files only.
    strict
        Raise an error at the first record that would be skipped or repaired.
    selection
        Games to read; None: all.
    """
    names = [str(files)] if isinstance(files, str | Path) else [str(f) for f in files]
    if not names:
        raise UsageError("expected at least one file")
    report = Report(strict=strict, selection=selection)
    sources = [Source(name, report) for name in names]
    if kernel is None:  # many small files are large together
        kernel = sum(_size(source) for source in sources) > KERNEL_FROM
    parts = [_moves_of(source, report, kernel) for source in sources]
    games, kept = joined([p.games for p in parts], names, report)
    before = 0
    for number, part in enumerate(parts):
        mine = kept.slice(before, len(part.games))
        before += len(part.games)
        first = int(kept.head(before - len(mine)).sum())
        parts[number] = _moved(part, mine, first)
    plies = pl.concat([p.plies for p in parts])
    return Moves(games=games, plies=plies, starts=pl.concat([p.starts for p in parts]), report=report)


def _size(source: Source) -> int:
    """Return about how many bytes there are to read; of a stream, as many as decide."""
    if source.is_stream:
        return len(source.peek(KERNEL_FROM + 1))
    with read_failures(source.name):
        size = Path(source.name).stat().st_size
    return size * (PACKED if source.name.endswith((".gz", ".bz2", ".zst")) else 1)


def _moves_of(source: Source, report: Report, kernel: bool) -> Moves:
    if (kind := guess(source.peek(), source.name)) != "pgn":
        raise InputError(f"expected PGN, the format that has moves; found {kind}", file=source.name)
    look = look_by_kernel if kernel else look_by_reference
    games, lines, looks = read_pgn_and(source, look, kernel=kernel)
    numbers = pl.DataFrame({"line": lines, "game": pl.int_range(len(lines), dtype=pl.Int32, eager=True)})
    taken = [_of_games(plies, starts, numbers) for plies, starts in looks]
    starts = pl.concat([mine for _, mine in taken])
    return Moves(
        games=games,
        plies=pl.concat([mine for mine, _ in taken]),
        starts=starts.select(pl.lit(source.name).alias("file"), "line", "fen", "variant"),
        report=report,
    )


def _of_games(
    plies: pl.DataFrame, starts: pl.DataFrame, numbers: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give every row the number of its game; leave out what belongs to games that were not taken."""
    starts = starts.join(numbers, on="line", how="left", maintain_order="left")
    every = np.repeat(starts["game"].fill_null(-1).to_numpy(), starts["positions"].to_numpy())
    plies = plies.insert_column(0, pl.Series("game", every))
    if starts["game"].null_count():
        plies = plies.filter(pl.col("game") >= 0)
    return plies, starts.filter(pl.col("game").is_not_null())


def _moved(part: Moves, kept: pl.Series, first: int) -> Moves:
    """Give the games of a part new numbers, from `first` on, without those that are not kept."""
    if kept.all() and first == 0:
        return part
    row = pl.select(pl.when(kept).then(kept.cast(pl.Int32).cum_sum() + (first - 1))).to_series()
    plies = part.plies.with_columns(row.gather(part.plies["game"]).alias("game"))
    return Moves(
        games=part.games,
        plies=plies.filter(pl.col("game").is_not_null()),
        starts=part.starts.filter(kept),
        report=part.report,
    )
