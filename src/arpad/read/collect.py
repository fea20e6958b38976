"""Raw rows with names become `Games`: checked, indexed, every doubt in the report.

A reader hands over data frames with any of the columns of `RAW`, in file order, in as many batches as
it likes; memory grows with what `Games` needs, not with the size of the source.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from arpad.model import GAME_SCHEMA, PRECISION, STATUS, Event, Games, schema
from arpad.read.byes import MIN_PLIES, mark_byes, nameless, settle_byes
from arpad.read.roster import Roster, Vocabulary
from arpad.read.source import REPEATED

if TYPE_CHECKING:
    from arpad.model import Status
    from arpad.read.source import Report


RAW = schema(
    {
        "white": pl.String,
        "black": pl.String,
        "white_id": pl.String,
        "black_id": pl.String,
        "white_title": pl.String,
        "black_title": pl.String,
        "white_federation": pl.String,
        "black_federation": pl.String,
        "white_birth": pl.String,
        "black_birth": pl.String,
        "score": pl.Float64,
        "black_score": pl.Float64,
        "status": STATUS,
        "date": pl.Date,
        "precision": PRECISION,
        "event": pl.String,
        "site": pl.String,
        "round": pl.String,
        "white_rating": pl.Float64,
        "black_rating": pl.Float64,
        "plies": pl.Int32,
        "moves": pl.UInt64,  # a hash: the same moves give the same number
        "line": pl.Int64,
    }
)
ASIDE = ("variant", "time_control", "rated")
"""Columns that only decide on which games are wanted."""
MAX_RATING = 4000.0
"""No chess rating is higher: what is, is a slip of the keyboard."""
TELLING_PLIES = 20
"""Two games of the same players with these many identical plies are one game."""
SEPARATOR = "\x1f"
SIDES = ("white", "black")


class Collector:
    """Gathers raw rows of one file and makes `Games` of them."""

    def __init__(self, file: str, report: Report, *, today: date | None = None) -> None:
        self.file = file
        self.report = report
        self.today = today or date.today()
        self._roster = Roster(len(SIDES))
        self._events = Vocabulary()
        self._rounds = Vocabulary()
        self._parts: list[pl.DataFrame] = []
        self.lines = pl.Series("line", [], dtype=pl.Int64)
        """The line in the file of every game that was taken; known behind `games`."""

    def add(self, raw: pl.DataFrame) -> None:
        """Take a batch of rows."""
        if self.report.selection is not None:
            raw = self.report.selection.take(raw, self.report.left_out)
        raw = raw.drop(ASIDE, strict=False)
        raw = mark_byes(raw, self.file, self.report)
        raw = self._drop_unusable(raw)
        raw = self._mend_ratings(raw)
        raw = self._mend_dates(raw)
        if "round" in raw.columns:
            named = ~pl.col("round").is_in(["", "?", "-"])
            raw = raw.with_columns(pl.when(named).then("round").alias("round"))
        numbers = self._roster.index([_people(raw, side) for side in SIDES])
        columns = [mine.alias(side) for side, mine in zip(SIDES, numbers, strict=True)]
        if "event" in raw.columns or "site" in raw.columns:
            columns.append(self._events.index(_event_keys(raw)).alias("event"))
        if "round" in raw.columns:
            # As numbers, too: a column of text would keep the piece of the file alive it came from.
            columns.append(self._rounds.index(raw["round"]).alias("round"))
        part = raw.drop([c for c in raw.columns if c in _INDEXED]).with_columns(columns)
        self._parts.append(part)

    def games(self) -> Games:
        """Return all that was taken; no more rows may be added."""
        players, rows = self._roster.finish()
        table = pl.concat(self._parts, how="diagonal") if self._parts else pl.DataFrame()
        self._parts.clear()
        if table.width:
            table = table.with_columns(
                row_of.gather(table[side]).alias(side) for side, row_of in zip(SIDES, rows, strict=True)
            )
            table = self._drop_self_play(table)
            table = self._drop_repeats(table, players)
            table = self._mark_unplayed(table)
        if "round" in table.columns:
            rounds = pl.Series("round", self._rounds.words(), dtype=pl.String)
            table = table.with_columns(rounds.gather(table["round"]))
        lines = table.get_column("line", default=self.lines)
        known = {c: table[c] for c in GAME_SCHEMA if c in table.columns}
        events = [_event(key) for key in self._events.words()]
        games = Games.assemble(known, {c: players[c] for c in players.columns}, events)
        games, kept = settle_byes(games, self.file, self.report, lines)
        self.lines = lines.filter(kept)
        return games

    def _drop(self, raw: pl.DataFrame, bad: pl.Expr, reason: pl.Expr, *, named: bool = False) -> pl.DataFrame:
        """Leave out the rows where `bad` holds, each with its reason in the report."""
        marked = raw.select(bad.fill_null(False).alias("bad")).to_series()
        if not marked.any():
            return raw
        for line, why in raw.filter(marked).select("line", reason.alias("why")).iter_rows():
            self.report.add(self.file, line, "skipped", why, named=named)
        return raw.filter(~marked)

    def _blank(self, raw: pl.DataFrame, column: str, bad: pl.Expr, reason: pl.Expr) -> pl.DataFrame:
        """Empty `column` where `bad` holds, each with its reason in the report."""
        marked = raw.select(bad.fill_null(False).alias("bad")).to_series()
        if not marked.any():
            return raw
        for line, why in raw.filter(marked).select("line", reason.alias("why")).iter_rows():
            self.report.add(self.file, line, "repaired", why)
        return raw.with_columns(pl.when(~marked).then(pl.col(column)).alias(column))

    def _drop_unusable(self, raw: pl.DataFrame) -> pl.DataFrame:
        for side in ("white", "black"):
            unnamed = nameless(raw, side)
            if side == "black" and "status" in raw.columns:
                unnamed &= (pl.col("status") != "bye").fill_null(True)
            why = f"expected the name of {side.title()}, found none: the game cannot be given to anybody"
            raw = self._drop(raw, unnamed, pl.lit(why))
        outside = ~pl.col("score").is_between(0, 1)
        why_not = pl.format(
            "expected a score from 0 to 1 for White, found {} (goals: name the columns white_goals and black_goals)",
            "score",
        )
        raw = self._drop(raw, outside, why_not, named=True)
        if "black_score" not in raw.columns:
            return raw
        why_not = pl.format("expected a score from 0 to 1 for Black, found {}", "black_score")
        return self._drop(raw, ~pl.col("black_score").is_between(0, 1), why_not, named=True)

    def _mend_ratings(self, raw: pl.DataFrame) -> pl.DataFrame:
        for column in ("white_rating", "black_rating"):
            if column in raw.columns:
                value = pl.col(column)
                # 0 means "unrated" in every format; it is no error and leaves no note
                raw = raw.with_columns(pl.when(value != 0).then(value).alias(column))
                why = pl.format(
                    f"expected a rating from 1 to {MAX_RATING:g}, found {{}} for {column[:5].title()}:"
                    " taken as unrated",
                    column,
                )
                raw = self._blank(raw, column, ~value.is_between(1, MAX_RATING), why)
        return raw

    def _mend_dates(self, raw: pl.DataFrame) -> pl.DataFrame:
        if "date" not in raw.columns:
            return raw
        why = pl.format(f"expected a date up to {self.today}, found {{}}: taken as unknown", "date")
        raw = self._blank(raw, "date", pl.col("date") > self.today, why)
        if "precision" not in raw.columns:
            raw = raw.with_columns(pl.lit("day", dtype=PRECISION).alias("precision"))
        return raw.with_columns(pl.when(pl.col("date").is_not_null()).then("precision").alias("precision"))

    def _drop_self_play(self, table: pl.DataFrame) -> pl.DataFrame:
        return self._drop(
            table,
            pl.col("white") == pl.col("black"),
            pl.lit("White and Black are the same player: a game needs two"),
        )

    def _drop_repeats(self, table: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
        """Leave out a game that stands in the file already."""
        telling = []
        if {"date", "round"} <= set(table.columns):
            telling.append((pl.col("precision") == "day") & pl.col("round").is_not_null())
        if "moves" in table.columns:
            telling.append(pl.col("moves").is_not_null() & (pl.col("plies") >= TELLING_PLIES))
        if not telling:
            return table
        names = ["white", "black", "score", "date", "event", "round", "plies", "moves"]
        key = pl.struct(c for c in names if c in table.columns)
        # A cheap look first: which hashes occur twice at all?
        hashes = table.select(key.hash()).to_series()
        if hashes.n_unique() == table.height:
            return table
        first_line = table.select(pl.col("line").first().over(key)).to_series()
        repeated = pl.any_horizontal(telling) & pl.Series(first_line < table["line"])
        who = players["name"]
        table = table.with_columns(
            first_line.alias("_first"),
            who.gather(table["white"]).alias("_white"),
            who.gather(table["black"]).alias("_black"),
        )
        why = pl.format(f"{{}} - {{}}: {REPEATED} in line {{}}", "_white", "_black", "_first")
        return self._drop(table, repeated, why).drop("_first", "_white", "_black")

    def _mark_unplayed(self, table: pl.DataFrame) -> pl.DataFrame:
        """Give every row its status: without a result, decided without play, or played."""
        given = pl.col("status") if "status" in table.columns else pl.lit(None, dtype=STATUS)
        status: pl.Expr = pl.when(pl.col("score").is_null()).then(_status("unplayed"))
        if "plies" in table.columns and bool((table["plies"] >= MIN_PLIES).any()):
            # Only a source that does record moves can say that a game had none.
            short = (pl.col("plies") < MIN_PLIES) & pl.col("score").is_not_null()
            for line, plies in table.filter(short & given.is_null()).select("line", "plies").iter_rows():
                why = f"{plies or 'no'} move made: counts for points, not for ratings [FIDE B.02 5.1]"
                self.report.add(self.file, line, "noted", why)
            drawn = short & (pl.col("score") == 0.5)
            decided = pl.when(drawn).then(_status("unrated")).when(short).then(_status("forfeit"))
            status = pl.coalesce(status, decided)
        judged = pl.coalesce(given, status, _status("played"))
        unfinished = pl.col("score").is_null() & (judged != "bye")
        return table.with_columns(
            pl.when(unfinished).then(_status("unplayed")).otherwise(judged).alias("status")
        )


def _status(word: Status) -> pl.Expr:
    return pl.lit(word, dtype=STATUS)


_INDEXED = {
    *(
        f"{side}{kind}"
        for side in ("white", "black")
        for kind in ("", "_id", "_title", "_federation", "_birth")
    ),
    "event",
    "site",
    "round",
}


def _people(raw: pl.DataFrame, side: str) -> pl.DataFrame:
    known = [k for k in ("id", "title", "federation", "birth") if f"{side}_{k}" in raw.columns]
    return raw.select(pl.col(side).alias("name"), *(pl.col(f"{side}_{k}").alias(k) for k in known))


def _event_keys(raw: pl.DataFrame) -> pl.Series:
    parts = [
        pl.col(c).fill_null("").str.replace_all(SEPARATOR, " ", literal=True)
        if c in raw.columns
        else pl.lit("")
        for c in ("event", "site")
    ]
    key = pl.concat_str(parts, separator=SEPARATOR)
    return raw.select(pl.when(key != SEPARATOR).then(key).alias("event")).to_series()


def _event(key: str) -> Event:
    name, site = key.split(SEPARATOR)
    return Event(name=name, site=site or None)
