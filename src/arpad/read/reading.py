"""The front door of the room: `read` files of any format into one `Reading`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import polars as pl

from arpad.errors import FormatError, InputError, UsageError
from arpad.model import Event, Games, Ratings
from arpad.read.fide_list import read_fide_list
from arpad.read.formats import FormatName, guess
from arpad.read.pgn import read_pgn
from arpad.read.pra import read_pra
from arpad.read.rating_list import ratings_csv, ratings_json
from arpad.read.report import Report
from arpad.read.roster import Roster
from arpad.read.source import Source
from arpad.read.table import read_csv, read_parquet
from arpad.read.trf import read_trf
from arpad.read.uscf import read_uscf
from arpad.schema import GAME_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Reading", "joined", "read", "read_list"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came out of some files: the games, the format of each, and what was not taken."""

    games: Games
    files: tuple[tuple[str, str], ...]
    """Each file's name and format."""
    report: Report

    @property
    def records(self) -> int:
        """How many records the files hold: those taken and those skipped."""
        return len(self.games) + len(self.report.of("skipped"))


def read(
    files: str | Path | Sequence[str | Path],
    *,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
) -> Reading:
    """Read games from one file or several.

    Parameters
    ----------
    files
        Paths, or ``-`` for standard input; gzip, bzip2 and Zstandard are unpacked on the way.
    format
        Taken from the content when it is not given.
    columns
        For tables: which column is what, as ``{"white": "home_team"}``.
    strict
        Make an error of the first record that would be skipped or repaired.
    """
    names = [str(files)] if isinstance(files, str | Path) else [str(f) for f in files]
    if not names:
        raise UsageError("expected at least one file")
    if format is not None and format not in get_args(FormatName):
        raise UsageError(
            f"expected a format, one of {', '.join(get_args(FormatName))}; found {format!r}"
        )
    report = Report(strict=strict)
    parts: list[Games] = []
    kinds: list[tuple[str, str]] = []
    for name in names:
        source = Source(name, report)
        kind = format or _guess(source, columns)
        kinds.append((name, kind))
        parts.append(_read_one(source, kind, columns))
    return Reading(joined(parts, names, report)[0], tuple(kinds), report)


def read_list(file: str | Path, *, report: Report | None = None) -> Ratings:
    """Read ratings to start from: a FIDE list, or CSV with `player` and `rating`.

    Parameters
    ----------
    report
        Where a line that cannot be used is noted.
    """
    source = Source(str(file), Report() if report is None else report)
    head = source.peek()
    text = head.decode("utf-8", errors="replace")
    first = text.lstrip("\ufeff").split("\n", 1)[0].lower()
    if "," in first and "rating" in first and ("player" in first or "name" in first):
        return ratings_csv(source)
    if text.lstrip().startswith("{"):
        return ratings_json(source)
    if "," in first or guess(head, str(file)) != "fide":
        raise FormatError(
            "expected a FIDE rating list, a list that arpad wrote (CSV or JSON), or CSV with columns "
            f"player and rating; it begins {first[:60]!r}",
            file=str(file),
        )
    return read_fide_list(source).ratings()


def _guess(source: Source, columns: Mapping[str, str] | None) -> FormatName:
    """Guess the format; whoever names columns has a table."""
    try:
        kind = guess(source.peek(), source.name)
    except FormatError:
        if columns is None or b"\0" in source.peek() or not source.peek().strip():
            raise
        return "csv"
    return "csv" if columns is not None and kind in ("uscf", "pra") else kind


def _read_one(source: Source, kind: str, columns: Mapping[str, str] | None) -> Games:
    if kind == "csv":
        return read_csv(source, columns)
    if kind == "parquet":
        return read_parquet(source, columns)
    if kind == "fide":
        raise InputError(
            "this is a rating list, not a file of games: give it with --before, and name a file of games",
            file=source.name,
        )
    readers = {"pgn": read_pgn, "trf": read_trf, "pra": read_pra, "uscf": read_uscf}
    return readers[kind](source)


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
        replace(
            event,
            teams=tuple((team, tuple(place[m] for m in members)) for team, members in event.teams),
        )
        for part, (_, mine) in zip(parts, numbered, strict=True)
        for place in [rows.gather(mine).to_list()]
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
    table: pl.DataFrame,
    players: pl.DataFrame,
    events: list[Event],
    names: list[str],
    report: Report,
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
    for row, earlier in zip(
        table.filter(again).iter_rows(named=True), first.filter(again), strict=True
    ):
        black = "bye" if row["black"] is None else who[row["black"]]
        why = f"{who[row['white']]} - {black}, round {row['round']}: the same game as in {names[earlier]}"
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
