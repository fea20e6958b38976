"""Content of one file before matching: its players, events with dates, and games."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.errors import InputError, UsageError, counted
from arpad.files import input_file
from arpad.ledger.db import tables
from arpad.ledger.db.backup import freeze_list
from arpad.ledger.db.bulk import bulk_insert, insert
from arpad.ledger.db.tables import now
from arpad.ledger.games import Split, dated, edition_numbers, hashes, said_of
from arpad.ledger.imports.matching import STAGED_PLAYERS
from arpad.ledger.register import folds
from arpad.model import GAME_SCHEMA, PRECISION, Event, schema
from arpad.read.crosstables import is_crosstable, numbered
from arpad.read.fide_list import ROWS, RatingList, read_fide_list
from arpad.read.fields import read_dates
from arpad.read.formats import FormatName, guess
from arpad.read.pgn.games import read_pgn_and
from arpad.read.rating_list import holds_ratings, ratings_csv, ratings_sheet
from arpad.read.reading import list_format, read
from arpad.read.source import Report, Source, read_failures
from arpad.read.spreadsheet import chosen_sheets, sheets_of
from arpad.read.table import holds_games

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.model import Games, Ratings
    from arpad.read.fields import DateOrder, TimeControl


EVENTS = schema(
    {
        "event": pl.Int32,  # its number in the file, from 0
        "name": pl.String,
        "site": pl.String,
        "federation": pl.String,
        "start": pl.Date,
        "end": pl.Date,
        "kind": pl.String,
        "time_control": pl.String,
        "said": pl.Boolean,  # the time control stands in the report
        "rounds": pl.Int32,
        "games": pl.Int64,
        "source": pl.String,
    }
)
SHOWN = 3
"""Events that a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The officer's settings for files, beside their content."""

    time_control: TimeControl | None = None
    """Of all their events; else as each report says, and standard where it says nothing."""
    event_name: str | None = None  # the name of the one event in a file
    date: str | None = None  # when the events without any date were: YYYY-MM-DD, YYYY-MM or YYYY
    ids: str | None = None  # whose ids they are (fide, uscf, local, …); else as the format has them
    split: Split = "file"  # what games without an event's name make: one event a file, a month or a day

    def as_dict(self) -> dict[str, str]:
        """Return what was said."""
        names = ("time_control", "event_name", "date", "ids")
        said = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return said if self.split == "file" else {**said, "split": self.split}


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedGames:
    """The players (`matching.STAGED_PLAYERS`), events (`EVENTS`) and games of one file.

    In `games`, `event` is a number of `events`, `white` and `black` are rows of `players`.
    """

    scheme: str
    players: pl.DataFrame
    events: pl.DataFrame
    games: pl.DataFrame
    reports: tuple[Event, ...]  # the event behind each row of `events`, as the reader has it

    def without(self, events: pl.Series) -> StagedGames:
        """Return the file without some of its events, and without players who are in no other."""
        games = self.games.filter(~pl.col("event").is_in(events.implode()))
        present = pl.concat([games["white"], games["black"]]).unique()
        return replace(
            self,
            players=self.players.filter(pl.col("row").is_in(present.implode())),
            events=self.events.filter(~pl.col("event").is_in(events.implode())),
            games=games,
        )


def roster_of(players: pl.DataFrame, *, scheme: str, day: pl.Series | None = None) -> pl.DataFrame:
    """Return the players of a file as matching wants them: an id stands there once."""
    value = pl.col("value").str.strip_chars()
    first = pl.col("row") == pl.col("row").min().over("value")
    frame = players.with_columns(
        pl.int_range(pl.len(), dtype=pl.Int32).alias("row"),
        pl.col("name").str.replace_all("\0", "", literal=True).str.strip_chars().alias("name"),
        pl.col("id").alias("value"),
        day if day is not None else pl.lit(None, dtype=pl.Date).alias("day"),
    )
    if scheme == "fide":
        value = value.str.strip_chars_start("0")
    frame = frame.with_columns(pl.when(value != "").then(value).alias("value"))
    frame = frame.with_columns(
        pl.when(first | pl.col("value").is_null()).then("value").alias("value"), folds(frame["name"])
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in STAGED_PLAYERS.items())


def stage_games(
    games: Games, *, file: str, scheme: str, settings: Settings, future: str | None = None
) -> StagedGames:
    """Return what a file brings.

    `file`: Its name, without folder; an event without a name is called so.
    `scheme`: Whose ids its players have.
    `future`: What the reader says of a date that lies in the future, and was left out.
    """
    stem = file.split(".", maxsplit=1)[0] or file  # what an event without a name is called
    table, reports = _with_events(games, stem, settings)
    whole = [i for i, e in enumerate(reports) if e.start or e.end]
    editions = edition_numbers(table, pl.Series(whole, dtype=pl.Int32))
    table, reports = _divided(table.with_columns(editions.alias("edition")), reports)
    if settings.event_name is not None:
        if len(reports) != 1:
            raise UsageError(
                f"expected one event in {file}, found {len(reports)}: they cannot have one name",
                code="event-name",
            )
        reports = [replace(reports[0], name=settings.event_name)]
    table = _given_date(table, reports, settings, file, future)
    players = roster_of(games.players, scheme=scheme)
    events = _events(table, reports, players, settings)
    number = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("event").alias("number")
    board = pl.col("round").str.extract(r"^\d{1,6}\.(\d{1,6})$").cast(pl.Int32).alias("board")
    table = table.with_columns(number, board)
    staged = StagedGames(scheme=scheme, players=players, events=events, games=table, reports=tuple(reports))
    return staged.without(pl.Series([], dtype=pl.Int32))


def _with_events(games: Games, file: str, settings: Settings) -> tuple[pl.DataFrame, list[Event]]:
    """Give an event to the games that have none."""
    reports = [replace(e, name=_name(e.name, file)) for e in games.events]
    table = games.table
    if table["event"].null_count() == 0:
        return table, reports
    named = settings.event_name or file
    if settings.split == "file":
        reports.append(Event(name=named))
        return table.with_columns(pl.col("event").fill_null(len(reports) - 1)), reports
    form = "%Y-%m" if settings.split == "month" else "%Y-%m-%d"
    period = pl.when(pl.col("event").is_null()).then(pl.col("date").dt.strftime(form).fill_null(""))
    table = table.with_columns(period.alias("period"))
    periods = sorted(table["period"].drop_nulls().unique())
    rows = {text: len(reports) + i for i, text in enumerate(periods)}
    reports += [Event(name=f"{named} {text}".strip()) for text in periods]
    row = pl.col("period").replace_strict(rows, default=None, return_dtype=pl.Int32)
    return table.with_columns(pl.coalesce("event", row).alias("event")).drop("period"), reports


def _name(name: str, file: str) -> str:
    plain = name.replace("\0", "").strip()
    return plain if plain not in ("", "?", "-") else file


def _divided(table: pl.DataFrame, reports: Sequence[Event]) -> tuple[pl.DataFrame, list[Event]]:
    """Give events new numbers: editions apart, and only those that have games."""
    pairs = table.select("event", "edition").unique().sort("event", "edition")
    pairs = pairs.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("at"))
    table = table.join(pairs, on=["event", "edition"], how="left", maintain_order="left")
    return table.drop("event", "edition").rename({"at": "event"}), [reports[row] for row in pairs["event"]]


def _given_date(
    table: pl.DataFrame, reports: Sequence[Event], settings: Settings, file: str, future: str | None
) -> pl.DataFrame:
    """Give the date that was said to the events that have none."""
    dateless = table.group_by("event").agg(pl.col("date").is_null().all().alias("none"))
    bare = [
        row
        for row in dateless.filter("none")["event"].sort()
        if reports[row].start is None and reports[row].end is None
    ]
    if not bare:
        return table
    if settings.date is None:
        names = ", ".join(repr(reports[row].name) for row in bare[:SHOWN])
        more = f" and {len(bare) - SHOWN} more" if len(bare) > SHOWN else ""
        if future is not None:
            raise InputError(f"{names}{more}: {future}", file=file, code="future-date")
        raise InputError(
            f"expected a date in the past, found none in {names}{more}", file=file, code="no-date"
        )
    day, precision = _read_date(settings.date)
    if day > date.today():
        raise UsageError(
            f"expected a day up to today, found {settings.date!r}, which is in the future", code="import-date"
        )
    dateless_event = pl.col("event").is_in(bare)
    return table.with_columns(
        pl.when(dateless_event).then(pl.lit(day)).otherwise("date").alias("date"),
        pl.when(dateless_event)
        .then(pl.lit(precision, dtype=PRECISION))
        .otherwise("precision")
        .alias("precision"),
    )


def _events(
    table: pl.DataFrame, reports: Sequence[Event], players: pl.DataFrame, settings: Settings
) -> pl.DataFrame:
    days = dated(table.select("event", "date", "precision"))
    said = [said_of(e) for e in reports]
    key = pl.coalesce(pl.concat_str(pl.lit("#"), "value"), "fold")
    who = players.select(key).to_series()
    source = hashes(table, who.gather(table["white"]), who.gather(table["black"]))
    counted = table.group_by("event").agg(pl.len().alias("games")).sort("event")
    frame = pl.DataFrame(
        {
            "event": pl.Series(range(len(reports)), dtype=pl.Int32),
            "name": [e.name for e in reports],
            "site": [e.site for e in reports],
            "federation": [e.federation for e in reports],
            "start": [e.start or day for e, day in zip(reports, days["start"], strict=True)],
            "end": [_end(e, day) for e, day in zip(reports, days["end"], strict=True)],
            "kind": [e.kind for e in reports],
            "time_control": [settings.time_control or s or "standard" for s in said],
            "said": [settings.time_control is not None or s is not None for s in said],
            "rounds": [e.rounds for e in reports],
            "games": counted["games"],
            "source": source["hash"],
        },
        schema_overrides={
            "name": pl.String,
            "site": pl.String,
            "federation": pl.String,
            "kind": pl.String,
            "start": pl.Date,
            "end": pl.Date,
            "rounds": pl.Int32,
        },
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in EVENTS.items())


def _end(event: Event, last: date | None) -> date | None:
    """Return the end as the report has it, else the day of the last game, else the start."""
    known = [day for day in (event.start, last) if day is not None]
    return event.end or max(known, default=None)


# Rating lists of others: their players, and their ratings as a published list beside our own.

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
CENTURY = 70
"""Two figures from here on are a year of the last century: FIDE's first list is of 1971."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenList:
    """What a list says beside its players and ratings."""

    closing: date | None  # the day from which on its ratings were valid; None: not said
    games: pl.Series  # games that each player has played so far, where the list says so


def stage_list(read: RatingList, *, scheme: str, settings: Settings) -> tuple[StagedGames, GivenList]:
    """Return what a rating list brings."""
    closing = _read_date(settings.date)[0] if settings.date else _period(read.period)
    days = pl.Series("day", [closing], dtype=pl.Date).new_from_index(0, read.rows.height)
    staged = StagedGames(
        scheme=scheme,
        players=roster_of(read.rows, scheme=scheme, day=days),
        events=EVENTS.to_frame(eager=True),
        games=pl.DataFrame(schema={**GAME_SCHEMA, "number": pl.Int32, "board": pl.Int32}),
        reports=(),
    )
    return staged, GivenList(closing=closing, games=read.rows["games"])


def _period(text: str | None) -> date | None:
    """Return the first day of a period such as APR04."""
    result = re.fullmatch(r"([A-Z]{3})(\d\d)", text or "")
    if not result or result[1] not in MONTHS:
        return None
    year = int(result[2]) + (1900 if int(result[2]) >= CENTURY else 2000)
    return date(year, MONTHS.index(result[1]) + 1, 1)


def _read_date(text: str) -> tuple[date, str]:
    """Return a date that was typed, and what is known of it: day, month or year."""
    read = read_dates(pl.Series("date", [text]))
    if read["unread"][0] or read["date"][0] is None:
        raise UsageError(f"expected YYYY-MM-DD, YYYY-MM or YYYY, found {text!r}", code="import-date")
    return read["date"][0], read["precision"][0]


def write_given_list(connection: Connection, file: StagedFile, people: pl.DataFrame, *, who: str) -> int:
    """Write the ratings of a list as a published one and return how many there are.

    Its policy is named after the ids of its players and says that nothing was computed.
    """
    rated = file.staged.players.filter(pl.col("rating").is_not_null())
    closing = None if file.given is None else file.given.closing
    if closing is None or rated.is_empty():
        return 0
    policy = _policy(connection, file.staged.scheme)
    name = f"{closing:%Y-%m}" if closing.day == 1 else closing.isoformat()
    li = tables.lists
    before = connection.execute(
        sa.select(sa.func.count()).where(li.c.policy_id == policy, li.c.name == name)
    ).scalar_one()
    row = insert(
        connection,
        li,
        policy_id=policy,
        name=name,
        number=before,
        closing=closing,
        effective=closing,
        state="draft",
        made=now(),
    )
    entries = (
        rated.join(people, on="row", maintain_order="left")
        .sort("rating", "player", descending=[True, False])
        .unique("player", keep="first", maintain_order=True)
        .select(
            pl.lit(row).alias("list_id"),
            pl.col("player").alias("player_id"),
            pl.col("rating").rank("min", descending=True).cast(pl.Int64).alias("rank"),
            "name",
            "title",
            "federation",
            "rating",
        )
    )
    written = bulk_insert(connection, tables.entries, entries)
    freeze_list(connection, row, who, state="published")
    return written


def _policy(connection: Connection, scheme: str) -> int:
    p = tables.policies
    name = f"{scheme} (given)"
    result = connection.execute(sa.select(p.c.id).where(p.c.name == name)).scalar()
    if result is not None:
        return int(result)
    return insert(
        connection,
        p,
        name=name,
        version=1,
        created=now(),
        document={"name": name, "system": "given", "scheme": scheme},
    )


# How long the texts of a file may be: a name of a megabyte would stand on every page.

LONGEST_NAME = 200
"""Characters of the name of a player, an event or a place."""
LONGEST_TERM = 60
"""Characters of an id, a title, a federation, a round and the like."""
LONGEST_WORDS = 2000
"""Characters of a line of a report that is kept as it came."""
MOST_LINES = 500
"""Lines that are kept of a list of texts."""
NAMES = ("name", "site", "arbiter")
NOT_KEPT = "text"
"""The lines of a report file as they stand, which the ledger does not keep."""
LINES = ("extra", "deputies", "round_dates")


def limited_games(games: Games, file: str, report: Report) -> Games:
    """Return games whose texts are short enough to be shown; the report says what was cut."""
    table = limited_rows(games.table, file, report, what="a game")
    players = limited_rows(games.players, file, report, what="a player")
    events = tuple(_limited_event(event, file, report) for event in games.events)
    return replace(games, table=table, players=players, events=events)


def limited_rows(rows: pl.DataFrame, file: str, report: Report, *, what: str) -> pl.DataFrame:
    """Return rows with every text cut to its limit."""
    for name, kind in rows.schema.items():
        if kind != pl.String:
            continue
        most = LONGEST_NAME if name in NAMES else LONGEST_TERM
        over = int((rows[name].str.len_chars() > most).sum())
        if over:
            rows = rows.with_columns(pl.col(name).str.slice(0, most))
            _note_cut(report, file, f"{name} of {what}", most, over)
    return rows


def _limited_event(event: Event, file: str, report: Report) -> Event:
    cut: dict[str, object] = {}
    for field in fields(event):
        value = getattr(event, field.name)
        if isinstance(value, str) and field.name != NOT_KEPT:
            most = LONGEST_NAME if field.name in NAMES else LONGEST_TERM
            if len(value) > most:
                cut[field.name] = value[:most]
                _note_cut(report, file, f"{field.name} of an event", most, 1)
        elif field.name in LINES:
            over = sum(len(line) > LONGEST_WORDS for line in value)
            if over or len(value) > MOST_LINES:
                cut[field.name] = tuple(line[:LONGEST_WORDS] for line in value[:MOST_LINES])
                _note_cut(report, file, f"{field.name} of an event", LONGEST_WORDS, over)
    over = sum(len(name) > LONGEST_NAME for name, _ in event.teams)
    if over:
        cut["teams"] = tuple((name[:LONGEST_NAME], members) for name, members in event.teams)
        _note_cut(report, file, "name of a team", LONGEST_NAME, over)
    return replace(event, **cut) if cut else event  # type: ignore[arg-type]


def _note_cut(report: Report, file: str, what: str, most: int, times: int) -> None:
    report.add(
        file,
        None,
        "repaired",
        f"expected a {what} of at most {most:,} characters, found more: cut ({counted(times, 'time')})",
    )


# One file on its way into the ledger: its bytes' hash, its format, whose ids it has, its content.

BLOCK = 1 << 22
SCHEMES = {"pgn": "fide", "trf": "fide", "fide": "fide", "uscf": "uscf"}
"""Kind of ids in each format; tables and the PRA text have the club's own, unless a column says fide."""
LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedFile:
    """One file after reading."""

    file: str  # its name, without folder
    sha256: str
    format: str
    staged: StagedGames
    given: GivenList | None  # the file is a list: players, and no games
    report: Report


def stage_file(
    path: str,
    *,
    settings: Settings,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    sheet: str | None = None,
    strict: bool = False,
    called: str | None = None,
) -> StagedFile:
    """Read one file; what cannot be used is in the report, and refused if `strict`.

    `called`: The file's name, where its path does not say it: an upload.
    """
    report = Report(strict=strict)
    file, digest = called or Path(path).name, sha256_of(path)
    source = Source(path, report)
    head = source.peek()
    kind, known = "list", format or (None if columns else guess(head, path))
    ratings = _listed(source, sheet, columns) if format is None else None
    if ratings is not None or known == "fide":
        if ratings is not None:
            rows, scheme = _list_rows(ratings), LOCAL
        else:
            rows, scheme, kind = read_fide_list(source), "fide", "fide"
        rows = replace(rows, rows=limited_rows(rows.rows, file, report, what="a player"))
        staged, given = stage_list(rows, scheme=settings.ids or scheme, settings=settings)
        return StagedFile(file=file, sha256=digest, format=kind, staged=staged, given=given, report=report)
    lines = None
    if known == "pgn":
        games, lines, _ = read_pgn_and(source, None)
        kind = "pgn"
    else:
        known = None if known == "zip" else known
        reading = read([path], format=known, columns=columns, dates=dates, sheet=sheet, strict=strict)
        games, kind, report = reading.games, reading.files[0][1], reading.report
    if not len(games):
        skipped = report.of("skipped")
        first = f"; first skipped: {skipped[0]}" if skipped else ""
        raise InputError(f"expected games, found none{first}", file=path)
    # A crosstable of the USCF is called as its file, which is a copy here.
    unnamed = [replace(e, name="" if e.name == Path(path).name else e.name) for e in games.events]
    games = limited_games(replace(games, events=tuple(unnamed)), file, report)
    scheme = settings.ids or SCHEMES.get(kind) or _scheme(path, head, columns)
    future = next((n.reason for n in report.notes if n.reason.startswith("expected a date up to")), None)
    staged = stage_games(games, file=file, scheme=scheme, settings=settings, future=future)
    if lines is not None:  # where the moves of a game are found again; rows are in the file's order
        staged = replace(staged, games=staged.games.with_columns(lines.alias("line")))
    return StagedFile(file=file, sha256=digest, format=kind, staged=staged, given=None, report=report)


def sha256_of(path: str) -> str:
    """Return the hash of a file's bytes."""
    digest = hashlib.sha256()
    with read_failures(path), input_file(path).open("rb") as handle:
        while block := handle.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _listed(source: Source, sheet: str | None, columns: Mapping[str, str] | None) -> Ratings | None:
    """Return the list if a table or a spreadsheet holds ratings of players, and no games."""
    if {"white", "black", "result", "score"} & set(columns or {}):
        return None
    kind = list_format(source)
    if kind is None and {"player", "name", "rating"} & set(columns or {}):
        kind = "sheet" if source.peek(2) == b"PK" else "csv"
    if kind == "csv":
        return ratings_csv(source, members=True, columns=columns)
    if kind != "sheet":
        return None
    result = chosen_sheets(sheets_of(source.kept()), sheet, source.name)
    lists = [table for one in result if (table := one.table(holds_ratings))]
    if any(one.table(holds_games) or one.table(is_crosstable) for one in result) or not (lists or columns):
        return None
    if any(numbered(table.frame(source.name, Report())) is not None for table in lists):  # a round-robin grid
        return None
    return ratings_sheet(source.kept(), sheet, members=True, columns=columns)


def _list_rows(ratings: Ratings) -> RatingList:
    rows = ratings.rows.rename({"player": "name", "total_games": "games"}, strict=False)
    rows = rows.filter(pl.col("name").is_not_null() | pl.col("id").is_not_null())
    named = pl.coalesce("name", pl.format("#{}", "id"))
    missing = [pl.lit(None).alias(name) for name in ROWS if name not in rows.columns]
    return RatingList(
        rows.with_columns(named.alias("name"), *missing).select(
            pl.col(name).cast(kind, strict=False) for name, kind in ROWS.items()
        )
    )


def _scheme(path: str, head: bytes, columns: Mapping[str, str] | None) -> str:
    """Return whose ids a table has: FIDE's, if the name of their column says so."""
    if head[:4] == b"PAR1":
        try:
            names = pl.scan_parquet(path, glob=False).collect_schema().names()
        except (pl.exceptions.PolarsError, OSError):
            names = []
    else:
        names = [head.decode("utf-8", errors="replace").split("\n", 1)[0]]
    named = [columns[c] for c in ("white_id", "black_id") if c in columns] if columns else []
    text = " ".join(named or names).lower()
    return "fide" if re.search(r"fide[_ ]?id", text) else LOCAL
