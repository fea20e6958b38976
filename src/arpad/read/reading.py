"""The front door of the room: `read` files of any format into one `Reading`."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import polars as pl

from arpad.errors import FormatError, InputError, UsageError
from arpad.model import Event, Games, Ratings
from arpad.read.fide_list import read_fide_list
from arpad.read.formats import FormatName, guess
from arpad.read.pgn import read_pgn
from arpad.read.pra import read_pra
from arpad.read.report import Report
from arpad.read.roster import Roster
from arpad.read.source import Source, decode
from arpad.read.table import read_csv, read_parquet
from arpad.read.trf import read_trf
from arpad.read.uscf import read_uscf
from arpad.schema import GAME_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Reading", "read", "read_list"]


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
        kind = format or guess(source.peek(), name)
        kinds.append((name, kind))
        parts.append(_read_one(source, kind, columns))
    return Reading(_join(parts), tuple(kinds), report)


def read_list(file: str | Path) -> Ratings:
    """Read ratings to start from: a FIDE list, or CSV with `player` and `rating`."""
    source = Source(str(file), Report())
    head = source.peek()
    text = head.decode("utf-8", errors="replace")
    first = text.lstrip("\ufeff").split("\n", 1)[0].lower()
    if "," in first and "rating" in first and ("player" in first or "name" in first):
        return _ratings_csv(source)
    if guess(head, str(file)) != "fide":
        raise FormatError(
            "expected a FIDE rating list, or CSV with columns player and rating", file=str(file)
        )
    return read_fide_list(source).ratings()


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


def _join(parts: list[Games]) -> Games:
    """Several files as one: the same person in two of them is one player."""
    if len(parts) == 1:
        return parts[0]
    roster = Roster()
    tables: list[pl.DataFrame] = []
    events: list[Event] = []
    numbered: list[tuple[pl.DataFrame, pl.Series]] = []
    for part in parts:
        people = part.players
        mine = roster.index(
            people["name"], people["id"], title=people["title"], federation=people["federation"]
        )
        # Two people of one file may share a name; then they stay two.
        if mine.n_unique() != len(mine):
            names = pl.Series(
                [
                    f"{n} ({i + 1})" if twice else n
                    for i, (n, twice) in enumerate(
                        zip(people["name"], mine.is_duplicated(), strict=True)
                    )
                ]
            )
            mine = roster.index(
                names, people["id"], title=people["title"], federation=people["federation"]
            )
        numbered.append((people, mine))
        at = len(events)
        tables.append(part.table.with_columns(pl.col("event") + at))
        events.extend(part.events)
    players, rows = roster.finish()
    moved = [
        table.with_columns(rows.gather(mine.gather(table[c])).alias(c) for c in ("white", "black"))
        for table, (_, mine) in zip(tables, numbered, strict=True)
    ]
    players = _complete(players, rows, numbered)
    return Games(pl.concat(moved).select(GAME_SCHEMA.names()), players, tuple(events))


def _complete(
    players: pl.DataFrame, rows: pl.Series, numbered: list[tuple[pl.DataFrame, pl.Series]]
) -> pl.DataFrame:
    """Fill in what a file knows of a player beyond the name: the first file that knows it counts."""
    known = (
        pl.concat(people.with_columns(rows.gather(mine).alias("row")) for people, mine in numbered)
        .group_by("row")
        .agg(pl.col("sex", "birth", "rating", "k").drop_nulls().first())
    )
    return (
        players.drop("sex", "birth", "rating", "k")
        .with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("row"))
        .join(known, on="row", how="left", maintain_order="left")
        .select(players.columns)
    )


def _ratings_csv(source: Source) -> Ratings:
    text = decode(source.everything(), source.name, source.report)
    rows: list[dict[str, object]] = []
    for line, cells in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        plain = {
            (k or "").strip().lower(): (v or "").strip()
            for k, v in cells.items()
            if isinstance(v, str)
        }
        name = plain.get("player") or plain.get("name")
        try:
            rating = float(plain["rating"]) if plain.get("rating") else None
            games = int(float(plain["games"])) if plain.get("games") else None
            k = float(plain["k"]) if plain.get("k") else None
        except ValueError:
            raise InputError(
                f"expected numbers in rating, games and k, found {plain}",
                file=source.name,
                line=line,
            ) from None
        rows.append(
            {"player": name, "id": plain.get("id") or None, "rating": rating, "games": games, "k": k,
             "birth": plain.get("birth") or None}
        )  # fmt: skip
    schema = {
        "player": pl.String,
        "id": pl.String,
        "rating": pl.Float64,
        "games": pl.Int64,
        "k": pl.Float64,
        "birth": pl.String,
    }
    return Ratings(system="given", rows=pl.DataFrame(rows, schema=schema), parameters={}, source={})
