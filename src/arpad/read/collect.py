"""Raw rows with names become `Games`: checked, indexed, every doubt in the report.

A reader hands over data frames with any of the columns of `RAW`, in file order, in as many batches as
it likes; memory grows with what `Games` needs, not with the size of the source.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.model import GAME_SCHEMA, PLAYER_SCHEMA, PRECISION, STATUS, Event, Games, columns, filled, schema
from arpad.read.result_words import MIN_PLIES, name_byes, nameless, settle_byes
from arpad.read.source import REPEATED
from arpad.read.text_table import LINE, finite_number, small_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.model import Status
    from arpad.read.source import Report


ID_MARK = "\x1f#"  # no name begins like this
PROFILE = ("federation", "title", "birth")


class Vocabulary:
    """Strings to numbers, in the order in which they first appear."""

    def __init__(self) -> None:
        self._categories = pl.Categories.random()
        # Polars forgets the mapping once no column uses it: hold an empty one.
        self._held = pl.Series([], dtype=pl.Categorical(self._categories))

    def numbers(self, column: str) -> pl.Expr:
        """Return the number of every word in a column; new words get new numbers, null stays null."""
        kind = pl.Categorical(self._categories)
        return pl.col(column).cast(kind).to_physical().cast(pl.Int32)

    def index(self, words: pl.Series) -> pl.Series:
        """Return the number of every word."""
        return words.to_frame("word").select(self.numbers("word")).to_series()

    def words(self) -> pl.Series:
        """Return the words so far, by number."""
        return self._categories.to_series()


class Roster:
    """Players to numbers: by id where there is one, else by name.

    Columns of players (White, Black) are numbered each for itself, so that two of them can be
    numbered at the same time and always come out the same; `finish` brings them together. A player
    who appears with an id in one game and without in another is one person, provided that the name
    belongs to a single id.
    """

    def __init__(self, columns: int = 1) -> None:
        self._keys = [Vocabulary() for _ in range(columns)]
        self._profiles: list[pl.DataFrame] = []

    def index(self, people: Sequence[pl.DataFrame]) -> list[pl.Series]:
        """Return a number for every row of every column; rows with neither name nor id are null.

        `people`: For each column a frame with `name` and, if known, `id`, `title`, `federation`.
        """
        people = [_without_mark(frame) for frame in people]
        keys = pl.DataFrame([_keys(frame).alias(str(i)) for i, frame in enumerate(people)])
        numbers = keys.select(
            words.numbers(name).alias(name) for words, name in zip(self._keys, keys.columns, strict=True)
        )
        for column, frame in enumerate(people):
            if frame.width > 1:
                known = frame.with_columns(
                    numbers[str(column)].alias("number"), pl.lit(column).alias("column")
                )
                self._profiles.append(_digest(known.filter(pl.col("number").is_not_null())))
        return [numbers[name] for name in numbers.columns]

    def finish(self) -> tuple[pl.DataFrame, list[pl.Series]]:
        """Return the players, and for each column the row of every number given out."""
        keys = pl.concat(
            pl.DataFrame({"key": words.words()}, schema={"key": pl.String}).with_columns(
                pl.lit(column).alias("column"), pl.int_range(pl.len(), dtype=pl.Int32).alias("number")
            )
            for column, words in enumerate(self._keys)
        )
        # The first place of a key is final.
        keys = keys.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("at"))
        keys = keys.with_columns(pl.col("at").first().over("key"))
        players = self._described(keys)
        players, target = _unite(players)
        row_of = target.gather(keys["at"])
        return filled({c: players[c] for c in players.columns if c in PLAYER_SCHEMA}, PLAYER_SCHEMA), [
            row_of.filter(keys["column"] == column) for column in range(len(self._keys))
        ]

    def _described(self, keys: pl.DataFrame) -> pl.DataFrame:
        """One row a key (rows that repeat an earlier key stay empty): name, id, profile."""
        is_id = pl.col("key").str.starts_with(ID_MARK)
        players = keys.select(
            pl.when(~is_id).then("key").alias("name"),
            pl.when(is_id).then(pl.col("key").str.strip_prefix(ID_MARK)).alias("id"),
            (pl.col("at") == pl.int_range(pl.len())).alias("first"),
        )
        if not self._profiles:
            return players
        known = pl.concat(self._profiles, how="diagonal").join(
            keys.select("column", "number", "at"), on=["column", "number"], maintain_order="left"
        )
        known = _digest(known.drop("number", "column").rename({"at": "number"}))
        return (
            players.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("number"))
            .join(known.drop("id", strict=False), on="number", how="left", maintain_order="left")
            .with_columns(pl.coalesce("name_right", "name", pl.format("#{}", "id")).alias("name"))
        )


def _without_mark(people: pl.DataFrame) -> pl.DataFrame:
    if not people["name"].str.starts_with(ID_MARK[0]).any():
        return people
    return people.with_columns(pl.col("name").str.strip_chars(ID_MARK[0]))


def _keys(people: pl.DataFrame) -> pl.Series:
    if "id" not in people.columns:
        return people["name"]
    with_id = pl.when(pl.col("id").is_not_null()).then(pl.concat_str(pl.lit(ID_MARK), "id"))
    return people.select(with_id.otherwise("name")).to_series()


def _digest(seen: pl.DataFrame) -> pl.DataFrame:
    """One row a number: the fullest name, the last known title and federation."""
    kept = [c for c in PROFILE if c in seen.columns]
    by = [c for c in ("column", "number") if c in seen.columns]
    return seen.group_by(by, maintain_order=True).agg(
        _fullest(), *[pl.col(c).drop_nulls().last() for c in kept]
    )


def _fullest() -> pl.Expr:
    name = pl.col("name").filter(pl.col("name").is_not_null() & (pl.col("name") != ""))
    return name.get(name.str.len_chars().arg_max(), null_on_oob=True)


def _unite(players: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Give a player without an id the row of the one player with an id and the same name.

    Returns the players that are left, and for every row of before its row now.
    """
    players = players.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("place"))
    own = players.filter("first")
    with_id = own.filter(pl.col("id").is_not_null())
    namesakes = with_id.group_by("name").agg(pl.col("place").first(), pl.len().alias("people"))
    unique = namesakes.filter(pl.col("people") == 1).select("name", target="place")
    joined = own.join(unique, on="name", how="left", maintain_order="left")
    merged = pl.col("id").is_null() & pl.col("target").is_not_null()
    joined = joined.with_columns(pl.when(merged).then("target").otherwise("place").alias("target"))
    kept = joined.filter(pl.col("target") == pl.col("place"))
    rows = kept.select("place", pl.int_range(pl.len(), dtype=pl.Int32).alias("row"))
    result = joined.select("place", "target").join(
        rows, left_on="target", right_on="place", how="left", maintain_order="left"
    )
    where = players.select("place").join(result, on="place", how="left", maintain_order="left")
    return kept, where["row"]


# Small tables that say one thing of each name: a year of birth, a rating, another spelling.


def named_texts(path: str, columns: Sequence[str]) -> dict[str, str]:
    """Return name → text from a CSV file with a column `name` and one of `columns`; empty cells are passed over."""
    frame = small_table(path, {"name"})
    column = next((c for c in columns if c in frame.columns), None)
    if "name" not in frame.columns or column is None:
        names = ", ".join(frame.columns[:-1]) or "nothing"
        why = f"expected the columns name and {' or '.join(columns)}, found {names}"
        raise InputError(why, file=path, line=1)
    result: dict[str, str] = {}
    for name, value, line in frame.select(pl.col("name", column).str.strip_chars(), LINE).iter_rows():
        if name and value and result.setdefault(name, value) != value:
            why = f"expected each name once, found {name!r} with {result[name]} and {value}"
            raise InputError(why, file=path, line=line)
    if not result:
        raise InputError(f"expected rows with name and {column}, found none", file=path)
    return result


def named_numbers(path: str, columns: Sequence[str], *, year: bool = False) -> dict[str, float]:
    """Return name → number, as `named_texts`; of a date such as 1943-03-09 the year if asked."""
    return {
        name: finite_number(text[:4] if year else text, path, None, f"a number for {name!r}")
        for name, text in named_texts(path, columns).items()
    }


# Names within one file that may be one person, spelled in two ways.

MOST_COMPARED = 50_000
"""Players whose spellings are compared: more are an archive, which no person goes through by hand."""
_EXPANDED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "ł": "l", "đ": "d"}
)
_SHORT_PARTICLES = {"v": "von", "d": "der"}
_TITLES = frozenset("dr prof ing dipl mag phd gm im fm cm wgm wim wfm wcm".split())  # noqa: SIM905


def doubtful_names(players: pl.DataFrame) -> list[tuple[str, str]]:
    """Return pairs of names that differ only in order, accents, titles and short forms of particles.

    Two ids are two people, whatever their names.

    Examples
    --------
    >>> people = pl.DataFrame({"name": ["Müller, Hans", "Hans Mueller", "Mayer, Eva"], "id": [None, None, None]})
    >>> doubtful_names(people)
    [('Müller, Hans', 'Hans Mueller')]
    """
    if players.height > MOST_COMPARED:
        return []
    first: dict[tuple[str, ...], tuple[str, str | None]] = {}
    short: dict[tuple[str, str], list[tuple[str, str | None, bool]]] = {}
    """Names of two words by one of them and the initial of the other, and whether that is all of the other."""
    pairs = []
    for name, id_ in players.select("name", "id").iter_rows():
        if not name:
            continue
        keys = [_spelling(name, expand=True)]
        if not name.isascii():
            keys.append(_spelling(name, expand=False))
        for key in keys:
            earlier, theirs = first.setdefault(key, (name, id_))
            if len(key) > 1 and earlier != name and (id_ is None or theirs is None):
                pairs.append((earlier, name))
                break
        if len(keys[0]) == 2:
            for one, other in (keys[0], keys[0][::-1]):
                short.setdefault((one, other[0]), []).append((name, id_, len(other) == 1))
    return pairs + [
        (one[0], other[0])
        for one, other in (named for named in short.values() if len(named) == 2)
        if one[2] != other[2] and None in (one[1], other[1])
    ]


_IN_PARENTHESES = re.compile(r"\([^)]*\)")
_WORD = re.compile(r"[^\W_]+")


def _spelling(name: str, *, expand: bool) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order, without accents and titles."""
    text = name.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_EXPANDED) if expand else text)
        text = "".join(c for c in text if not unicodedata.combining(c))
    words = [_SHORT_PARTICLES.get(word, word) for word in _WORD.findall(_IN_PARENTHESES.sub(" ", text))]
    return tuple(sorted(word for word in words if word not in _TITLES))


_SIDED = columns(
    " ".join(
        f"{side}_{name}:str" for name in ("id", "title", "federation", "birth") for side in ("white", "black")
    )
)
RAW = schema(
    columns("white:str black:str")
    | _SIDED
    | columns("score:float black_score:float")
    | {"status": STATUS, "date": pl.Date, "precision": PRECISION}
    | columns("event:str site:str round:str white_rating:float black_rating:float")
    | {"plies": pl.Int32, "moves": pl.UInt64, "line": pl.Int64}
)
"""What a reader knows of a game; `moves` is a hash: the same moves give the same number."""
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
        raw = name_byes(raw)
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
        lines, whys = raw.filter(marked).select("line", reason.alias("why"))
        self.report.each(self.file, "skipped", lines, whys, named=named)
        return raw.filter(~marked)

    def _blank(self, raw: pl.DataFrame, column: str, bad: pl.Expr, reason: pl.Expr) -> pl.DataFrame:
        """Empty `column` where `bad` holds, each with its reason in the report."""
        marked = raw.select(bad.fill_null(False).alias("bad")).to_series()
        if not marked.any():
            return raw
        lines, whys = raw.filter(marked).select("line", reason.alias("why"))
        self.report.each(self.file, "repaired", lines, whys)
        return raw.with_columns(pl.when(~marked).then(pl.col(column)).alias(column))

    def _drop_unusable(self, raw: pl.DataFrame) -> pl.DataFrame:
        for side in ("white", "black"):
            unnamed = nameless(raw, side)
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
        again = table.select(repeated.fill_null(False)).to_series()
        rows = table.filter(again)
        pairs = [players["name"].gather(rows[side]) for side in SIDES]
        whys = (
            f"{white} - {black}: {REPEATED} in line {line}"
            for white, black, line in zip(*pairs, first_line.filter(again), strict=True)
        )
        self.report.each(self.file, "skipped", rows["line"], whys)
        return table.filter(~again)

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
