"""What one file brings: its players, its events with their dates, its games, ready to be matched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Event
from arpad.office.intake.matching import INCOMING
from arpad.office.records.editions import Split, dated, edition_numbers
from arpad.office.records.event_hash import hashes
from arpad.office.records.names import folds
from arpad.office.records.time_controls import TimeControl, said_of
from arpad.read.fields import split_date
from arpad.schema import PRECISION, schema

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from arpad.model import Games

__all__ = ["EVENTS", "Batch", "Settings", "batch_of", "roster_of"]

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
    """What the officer says of files beyond what stands in them.

    Parameters
    ----------
    time_control
        Of all their events; else as each report says, and standard where it says nothing.
    event_name
        The name of the one event in a file.
    date
        When the events without any date were: YYYY-MM-DD, YYYY-MM or YYYY.
    ids
        Whose ids they are (fide, uscf, local, …); else as the format has them.
    split
        What games without an event's name make: one event a file, a month or a day.
    """

    time_control: TimeControl | None = None
    event_name: str | None = None
    date: str | None = None
    ids: str | None = None
    split: Split = "file"

    def as_dict(self) -> dict[str, str]:
        """Return what was said."""
        names = ("time_control", "event_name", "date", "ids")
        said = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return said if self.split == "file" else {**said, "split": self.split}


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The players (`matching.INCOMING`), events (`EVENTS`) and games of one file.

    In `games`, `event` is a number of `events`, `white` and `black` are rows of `players`.
    """

    scheme: str
    players: pl.DataFrame
    events: pl.DataFrame
    games: pl.DataFrame
    reports: tuple[Event, ...]
    """The event behind each row of `events`, as the reader has it."""

    def without(self, events: pl.Series) -> Batch:
        """Return the batch without some of its events, and without players who are in no other."""
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
        _plain("name").alias("name"),
        pl.col("id").alias("value"),
        day if day is not None else pl.lit(None, dtype=pl.Date).alias("day"),
    )
    if scheme == "fide":
        value = value.str.strip_chars_start("0")
    frame = frame.with_columns(pl.when(value != "").then(value).alias("value"))
    frame = frame.with_columns(
        pl.when(first | pl.col("value").is_null()).then("value").alias("value"),
        folds(frame["name"]),
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in INCOMING.items())


def _plain(column: str) -> pl.Expr:
    """Return text without what no database takes."""
    return pl.col(column).str.replace_all("\0", "", literal=True).str.strip_chars()


def batch_of(games: Games, *, file: str, scheme: str, settings: Settings) -> Batch:
    """Return what a file brings.

    Parameters
    ----------
    file
        Its name, without folder; an event without a name is called so.
    scheme
        Whose ids its players have.
    """
    table, reports = _with_events(games, _stem(file), settings)
    whole = [i for i, e in enumerate(reports) if e.start or e.end]
    editions = edition_numbers(table, pl.Series(whole, dtype=pl.Int32))
    table, reports = _divided(table.with_columns(editions.alias("edition")), reports)
    if settings.event_name is not None:
        if len(reports) != 1:
            raise UsageError(
                f"--event-name: expected one event in {file}, found {len(reports)}: leave it out"
            )
        reports = [replace(reports[0], name=settings.event_name)]
    table = _given_date(table, reports, settings, file)
    players = roster_of(games.players, scheme=scheme)
    events = _events(table, reports, players, settings)
    number = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("event").alias("number")
    board = pl.col("round").str.extract(r"^\d{1,6}\.(\d{1,6})$").cast(pl.Int32).alias("board")
    table = table.with_columns(number, board)
    batch = Batch(
        scheme=scheme, players=players, events=events, games=table, reports=tuple(reports)
    )
    return batch.without(pl.Series([], dtype=pl.Int32))


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


def _stem(file: str) -> str:
    """Return a file's name without its endings: what an event without a name is called."""
    return file.split(".", maxsplit=1)[0] or file


def _name(name: str, file: str) -> str:
    plain = name.replace("\0", "").strip()
    return plain if plain not in ("", "?", "-") else file


def _divided(table: pl.DataFrame, reports: Sequence[Event]) -> tuple[pl.DataFrame, list[Event]]:
    """Give events new numbers: editions apart, and only those that have games."""
    pairs = table.select("event", "edition").unique().sort("event", "edition")
    pairs = pairs.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("at"))
    table = table.join(pairs, on=["event", "edition"], how="left", maintain_order="left")
    return table.drop("event", "edition").rename({"at": "event"}), [
        reports[row] for row in pairs["event"]
    ]


def _given_date(
    table: pl.DataFrame, reports: Sequence[Event], settings: Settings, file: str
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
        raise InputError(
            f"expected a date of the past, found none in {names}{more}: say with --date when it was played",
            file=file,
        )
    read = split_date(pl.Series("date", [settings.date]))
    if read["unread"][0] or read["date"][0] is None:
        raise UsageError(f"--date: expected YYYY-MM-DD, YYYY-MM or YYYY, found {settings.date!r}")
    here = pl.col("event").is_in(bare)
    day, much = pl.lit(read["date"][0]), pl.lit(read["precision"][0], dtype=PRECISION)
    return table.with_columns(
        pl.when(here).then(day).otherwise("date").alias("date"),
        pl.when(here).then(much).otherwise("precision").alias("precision"),
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
        schema_overrides={"name": pl.String, "site": pl.String, "federation": pl.String,
                          "kind": pl.String, "start": pl.Date, "end": pl.Date, "rounds": pl.Int32},
    )  # fmt: skip
    return frame.select(pl.col(name).cast(kind) for name, kind in EVENTS.items())


def _end(event: Event, last: date | None) -> date | None:
    """Return the end as the report has it, else the day of the last game, else the start."""
    known = [day for day in (event.start, last) if day is not None]
    return event.end or max(known, default=None)
