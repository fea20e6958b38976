"""An archive: a folder of Parquet files, one part a month, that is never read whole."""

from __future__ import annotations

import re
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, StrictError, UsageError
from arpad.files import input_file
from arpad.read.collect import ID_MARK, MAX_RATING, Vocabulary
from arpad.read.fields import rating_number, read_dates
from arpad.read.headings import resolve
from arpad.read.reading import read
from arpad.read.result_words import is_bye, read_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.read.source import Action


LARGEST_NUMBER = 1 << 24
"""Integers up to this are numbers of players as they stand: arrays of this many entries are small."""
PLAIN = {
    *("white", "black", "score", "result", "date", "white_rating", "black_rating", "event"),
    *("site", "white_title", "black_title", "white_federation", "black_federation"),
    *("white_birth", "black_birth"),
}
"""Columns with which games can be read piece by piece; others (rounds, ids, plies) need the whole month."""
_YEAR_MONTH = re.compile(r"(?<!\d)([12]\d{3})[-_.]?(0[1-9]|1[0-2])(?!\d)")
_HIVE_YEAR = re.compile(r"(?:^|/)year=(\d{4})/", re.IGNORECASE)
_HIVE_MONTH = re.compile(r"(?:^|/)month=(\d{1,2})(?:/|$)", re.IGNORECASE)
_DAILY = re.compile(r"(?<!\d)([12]\d{3})-(0[1-9]|1[0-2])-\d{2}(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """One part of an archive."""

    name: str
    """2015-01; or the name of the file, where names tell no month."""
    files: tuple[str, ...]
    games: int
    fingerprint: str
    """Of the files' sizes, times and footers: who changes a file changes it."""
    first: date | None = None
    """Its first day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The parts in the order of time, and how their tables are to be read.

    Examples
    --------
    >>> import tempfile, polars as pl
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "month=2015-01").mkdir()
    >>> table = pl.DataFrame({"white": [3, 1], "black": [1, 7], "score": [1.0, 0.5]})
    >>> table.write_parquet(folder / "month=2015-01" / "games.parquet")
    >>> found = archive([folder])
    >>> found.months[0].name, found.games, found.players
    ('2015-01', 2, 'integers')
    """

    months: tuple[Month, ...]
    columns: Mapping[str, str]
    """Ours → theirs."""
    players: NumberingKind
    plain: bool
    """Whether games can be read in pieces."""

    @property
    def games(self) -> int:
        """Rows in all files."""
        return sum(month.games for month in self.months)

    @property
    def dated(self) -> bool:
        """Whether the file has a column of dates."""
        return bool({"date", "month"} & set(self.columns))

    def fingerprint(self) -> str:
        """Return a short hash of all files."""
        digest = blake2b(digest_size=8)
        for month in self.months:
            digest.update(f"{month.name} {month.fingerprint}\n".encode())
        return digest.hexdigest()


def archive(paths: Sequence[str | Path], *, columns: Mapping[str, str] | None = None) -> Archive:
    """Look at the files of an archive, and at the footer of each, without reading a game.

    Parameters
    ----------
    paths
        Folders (every ``.parquet`` in them, however deep) or files. The month of a file is what its folder
        (``month=2015-01``, ``year=2015/month=1``) or its name (``games_2015-01.parquet``) says.
    columns
        Which column is what, as ``{"white": "home_team"}``.
    """
    files = sorted(_files(paths), key=lambda pair: (pair[1], pair[0]))
    unknown = [path for path, (year, _, _) in files if not year]
    if unknown and len(unknown) < len(files):
        raise InputError(
            "expected the month in the name of every file or of none (month=2015-01/…, or 2015-01 in the file's "
            f"name); {len(unknown)} of {len(files)} have none",
            file=unknown[0],
        )
    looked = [_look(path, columns) for path, _ in files]
    mappings = {tuple(sorted(look.mapping.items())) for look in looked}
    if len(mappings) > 1:
        other = next(look for look in looked if look.mapping != looked[0].mapping)
        raise InputError(
            f"expected the columns of {looked[0].file} in every file, found {', '.join(other.mapping.values())}",
            file=other.file,
        )
    months: dict[str, list[_Footer]] = {}
    first: dict[str, date | None] = {}
    for (_, (year, number, label)), look in zip(files, looked, strict=True):
        name = f"{year:04d}-{number:02d}" if year else label
        months.setdefault(name, []).append(look)
        first[name] = date(year, number, 1) if year else None
    whole = all(look.small_integers for look in looked)
    mapping = looked[0].mapping
    return Archive(
        months=tuple(
            Month(
                name=name,
                files=tuple(p.file for p in parts),
                games=sum(p.games for p in parts),
                fingerprint="+".join(p.fingerprint for p in parts),
                first=first[name],
            )
            for name, parts in months.items()
        ),
        columns=mapping,
        players="integers" if whole and not {"white_id", "black_id"} & set(mapping) else "names",
        plain=set(mapping) <= PLAIN,
    )


def _files(paths: Sequence[str | Path]) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Yield every file with its year, month and name (year 0: not known)."""
    if not paths:
        raise UsageError("expected a folder of Parquet files, found none")
    seen = set()
    for given in map(Path, paths):
        if given.is_dir():
            inside = [
                path
                for path in sorted(given.rglob("*.parquet"))
                if path.is_file()
                and not any(part.startswith((".", "_")) for part in path.relative_to(given).parts)
            ]
            if not inside:
                raise InputError(
                    "expected Parquet files (*.parquet) in this folder, found none", file=str(given)
                )
            named = [(path, path.relative_to(given).as_posix()) for path in inside]
            if given.name.startswith(("month=", "year=")):
                named = [(path, f"{given.name}/{label}") for path, label in named]
        elif given.is_file():
            named = [(given, "/".join(given.absolute().parts[-3:]))]
        else:
            raise InputError("no such file or folder", file=str(given))
        for path, label in named:
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield str(path), (*_month(label), label)


def _month(label: str) -> tuple[int, int]:
    """Return year and month that a name tells; 0, 0 for none."""
    year, month = _HIVE_YEAR.search(label), _HIVE_MONTH.search(label)
    if year and month and 1 <= int(month[1]) <= 12:
        return int(year[1]), int(month[1])
    parts = sorted(label.split("/"), key=lambda part: not part.startswith("month="))
    for part in parts:
        if result := _DAILY.search(part) or _YEAR_MONTH.search(part):
            return int(result[1]), int(result[2])
    return 0, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Footer:
    """Facts from the footer of a file."""

    file: str
    games: int
    mapping: dict[str, str]
    fingerprint: str
    small_integers: bool


def _look(path: str, columns: Mapping[str, str] | None) -> _Footer:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        stat = Path(path).stat()
        with input_file(path).open("rb") as file:
            file.seek(max(0, stat.st_size - 8))
            tail = file.read(8)
            length = int.from_bytes(tail[:4], "little") if tail[4:] == b"PAR1" else 0
            file.seek(max(0, stat.st_size - 8 - length))
            footer = file.read(length)
        about = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        why = str(error).splitlines()[0]
        raise InputError(
            f"expected Parquet, found a file that cannot be read as such: {why}", file=path
        ) from None
    names = about.schema.to_arrow_schema().names
    digest = blake2b(footer, digest_size=8)
    digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
    mapping = resolve(names, columns, path)
    return _Footer(
        file=path,
        games=about.num_rows,
        mapping=mapping,
        fingerprint=digest.hexdigest(),
        small_integers=_small_integers(about, [mapping["white"], mapping["black"]]),
    )


def _small_integers(about: Any, names: list[str]) -> bool:
    """Say whether these columns hold integers that can be numbers of players as they stand."""
    import pyarrow as pa

    schema = about.schema.to_arrow_schema()
    if not all(pa.types.is_integer(schema.field(name).type) for name in names):
        return False
    places = [schema.names.index(name) for name in names]
    for group in range(about.num_row_groups):
        for place in places:
            column = about.row_group(group).column(place)
            stats = column.statistics
            if column.path_in_schema != schema.names[place]:  # a nested column stands before it
                return False
            if stats is None or not stats.has_min_max:
                if stats is None or stats.null_count < column.num_values:
                    return False
            elif not 0 <= stats.min <= stats.max < LARGEST_NUMBER:
                return False
    return True


# A piece of an archive as arrays: plain tables without a detour over `Games`.
#
# Every different word is looked at once, so that a batch costs what its numbers cost. What is not taken as
# it stands is counted by its reason: a note for each of 10⁹ games would not fit.

NO_DAY = np.iinfo(np.int32).min
"""Stands where a date is not known."""
SIDES = ("white", "black")
MOST_REASONS = 1000
"""Reasons that are told apart; some have a player's name in them."""


@dataclass(slots=True, kw_only=True)
class ArchiveTally:
    """Number of games taken, and of those left out, by reason."""

    strict: bool = False
    status: Counter[str] = field(default_factory=Counter)
    notes: Counter[tuple[Action, str]] = field(default_factory=Counter)

    def add(self, action: Action, reason: str, games: int, file: str) -> None:
        """Count games that were not taken as they stand."""
        if not games:
            return
        if self.strict and action != "noted":
            raise StrictError(f"{reason}: {games:,} games ({action} unless strict)", file=file)
        if (action, reason) not in self.notes and len(self.notes) >= MOST_REASONS:
            reason = "for other reasons"
        self.notes[action, reason] += games

    def document(self) -> dict[str, object]:
        """Return everything as plain values."""
        notes = [[action, reason, n] for (action, reason), n in self.notes.items()]
        return {"status": dict(self.status), "notes": notes}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Take up what `document` said."""
        self.status = Counter(document["status"])
        self.notes = Counter({(a, r): n for a, r, n in document["notes"]})


@dataclass(frozen=True, slots=True, kw_only=True)
class GameBatch:
    """Games that were played, in the order of play; players are numbers."""

    white: NDArray[np.int32]
    black: NDArray[np.int32]
    score: NDArray[np.float64]
    day: NDArray[np.int32]
    """Days since 1970-01-01; `NO_DAY` where unknown."""
    ratings: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """Given ratings of White and Black; NaN where there is none."""
    games: Games | None = None
    """The same with all that the source says, for systems that need it."""
    numbers: NDArray[np.int32] | None = None
    """The number of every row of `games.players`."""

    def __len__(self) -> int:
        return len(self.white)

    def rows(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> GameBatch:
        """Return some of the games, or all in another order."""
        ratings = self.ratings and (self.ratings[0][which], self.ratings[1][which])
        return GameBatch(
            white=self.white[which],
            black=self.black[which],
            score=self.score[which],
            day=self.day[which],
            ratings=ratings,
        )

    @classmethod
    def joined(cls, parts: list[GameBatch]) -> GameBatch:
        """Return several as one."""
        if len(parts) == 1:
            return parts[0]
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("white", "black", "score", "day")
        }
        ratings = None
        if any(part.ratings is not None for part in parts):
            nothing = [np.full(len(part), np.nan) for part in parts]
            pairs = [part.ratings or (none, none) for part, none in zip(parts, nothing, strict=True)]
            ratings = (np.concatenate([w for w, _ in pairs]), np.concatenate([b for _, b in pairs]))
        return cls(**columns, ratings=ratings)


def batch_of(
    raw: pl.DataFrame, players: Numbering, tally: ArchiveTally, *, file: str, today: date, given: bool
) -> GameBatch:
    """Return the games of a plain table whose columns have our names.

    `given`: Keep the ratings in the source.
    """
    white, black = (players.numbers(raw[side]) for side in SIDES)
    score, status, bad = _scores(raw, file)
    nameless = (white < 0) | (black < 0)
    itself = ~nameless & (white == black)
    tally.add("skipped", "a player without a name", int(nameless.sum()), file)
    tally.add("skipped", "White and Black are the same player", int(itself.sum()), file)
    out = nameless | itself
    for reason, which in bad.items():
        tally.add("skipped", reason, int((which & ~out).sum()), file)
        out |= which
    day = days_of(raw, tally, file=file, today=today)
    played = ~out
    if status is not None:
        counted = dict(status.filter(pl.Series(played)).value_counts().iter_rows())
        tally.status.update({word: n for word, n in counted.items() if word != "played"})
        played &= (status == "played").to_numpy()
    tally.status["played"] += int(played.sum())
    ratings = _ratings(raw, tally, file) if given else None
    batch = GameBatch(white=white, black=black, score=score, day=day, ratings=ratings)
    return batch if played.all() else batch.rows(played)


def _scores(
    raw: pl.DataFrame, file: str
) -> tuple[NDArray[np.float64], pl.Series | None, dict[str, NDArray[np.bool_]]]:
    """Return White's scores, the status of each game (None: all played), and the rows to leave out."""
    name = "score" if "score" in raw.columns else "result"
    column = raw[name]
    if column.dtype.is_numeric():
        score = column.cast(pl.Float64).fill_nan(None)
        outside = (~score.is_between(0, 1)).fill_null(False).to_numpy()
        status = None
        if score.null_count():
            status = score.is_null().replace_strict([True, False], ["unplayed", "played"])
        bad = {"a score outside 0 to 1": outside} if outside.any() else {}
        return score.fill_null(np.nan).to_numpy(), status, bad
    if column.dtype not in (pl.String, pl.Categorical) and not isinstance(column.dtype, pl.Enum):
        raise InputError(f"expected results or numbers in {name}, found {column.dtype}", file=file)
    result = read_results(column.cast(pl.String))
    beyond = (~result["score"].is_between(0, 1)).fill_null(False) & ~result["unread"]
    unread = result["unread"].to_numpy()
    bad = {}
    if unread.any():
        bad["a result that cannot be read"] = unread
    if beyond.any():
        bad["a score outside 0 to 1"] = beyond.to_numpy()
    usual = pl.when(pl.col("score").is_null()).then(pl.lit("unplayed")).otherwise(pl.lit("played"))
    status = result.select(pl.coalesce(pl.col("status").cast(pl.String), usual)).to_series()
    return (
        result["score"].fill_null(np.nan).to_numpy(),
        None if (status == "played").all() else status.alias("status"),
        bad,
    )


def days_of(raw: pl.DataFrame, tally: ArchiveTally, *, file: str, today: date) -> NDArray[np.int32]:
    """Return the day of every game; who reads only those counts nothing."""
    if "date" not in raw.columns:
        return np.full(raw.height, NO_DAY, dtype=np.int32)
    column = raw["date"]
    if column.dtype.is_temporal():
        dates = column.cast(pl.Date)
    else:
        if column.dtype.is_numeric():  # 20150131; small numbers are periods and no dates
            number = column.cast(pl.Int64, strict=False)
            column = number.set(number < 1000, None).cast(pl.String)
        result = read_dates(column.cast(pl.String))
        tally.add("repaired", "a date that cannot be read", int(result["unread"].sum()), file)
        dates = result["date"]
    late = (dates > today).fill_null(False)
    if late.any():
        tally.add("repaired", "a date in the future, taken as unknown", int(late.sum()), file)
        dates = dates.set(late, None)
    return dates.to_physical().cast(pl.Int32).fill_null(NO_DAY).to_numpy()


def _ratings(
    raw: pl.DataFrame, tally: ArchiveTally, file: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    result = []
    for side in SIDES:
        name = f"{side}_rating"
        if name not in raw.columns:
            result.append(np.full(raw.height, np.nan))
            continue
        column = raw[name]
        if not column.dtype.is_numeric():
            read = raw.select(pl.col(name).cast(pl.String)).select(*rating_number(name))
            bad = int(read[f"{name}_unread"].sum())
            tally.add("repaired", "a rating that cannot be read, taken as none", bad, file)
            column = read[name]
        values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
        values = np.where(values == 0, np.nan, values)
        strange = ~np.isnan(values) & ~((values >= 1) & (values <= MAX_RATING))
        words = f"a rating not from 1 to {MAX_RATING:g}, taken as none"
        tally.add("repaired", words, int(strange.sum()), file)
        result.append(np.where(strange, np.nan, values))
    if all(np.isnan(each).all() for each in result):
        return None
    return result[0], result[1]


# Players of an archive to numbers, file after file: the numbers only grow.
#
# `roster` sees a whole source and can unite who appears with an id here and without one there. An archive is
# never seen whole: a player is the id where there is one, else the name.

NumberingKind = Literal["integers", "names"]
"""integers: the archive's own small numbers, used as they are; names: everything else."""
NOBODY = -1
"""The number of who has no name."""


class Numbering:
    """Players to numbers from 0 on.

    `kind`: How the archive calls its players.

    Examples
    --------
    >>> players = Numbering("names")
    >>> players.numbers(pl.Series(["Anand", "Karpov ", None])).tolist()
    [0, 1, -1]
    >>> players.numbers(pl.Series(["Karpov", "Kasparov"])).tolist()
    [1, 2]
    >>> players.people()["name"].to_list()
    ['Anand', 'Karpov', 'Kasparov']
    """

    def __init__(self, kind: NumberingKind) -> None:
        self.kind = kind
        self.size = 0
        self._spellings = Vocabulary()
        self._number_of = np.zeros(0, dtype=np.int32)  # by spelling
        self._keys = Vocabulary()
        self._names: dict[int, str] = {}  # of who has an id

    def numbers(self, column: pl.Series) -> NDArray[np.int32]:
        """Return the number of every player in a column; new ones get the next numbers."""
        if self.kind == "integers":
            result = column.cast(pl.Int32).fill_null(NOBODY).to_numpy()
            self.size = max(self.size, int(result.max(initial=NOBODY)) + 1)
            return result
        spelled = self._spellings.index(column.cast(pl.String))
        fresh = (spelled >= len(self._number_of)).fill_null(False)
        if fresh.any():  # blanks around a name are nothing
            both = pl.DataFrame({"number": spelled, "word": column.cast(pl.String)}).filter(fresh)
            plain = both.unique("number").sort("number")["word"]
            plain = plain.str.strip_chars().str.strip_chars(ID_MARK[0])
            nobody = pl.Series([not name or is_bye(name) for name in plain], dtype=pl.Boolean)
            numbers = self._numbered(plain.set(nobody, None))
            self._number_of = np.concatenate([self._number_of, numbers])
        if not spelled.null_count():
            return np.asarray(self._number_of[spelled.to_numpy()])
        result = np.full(len(column), NOBODY, dtype=np.int32)
        known = spelled.is_not_null().to_numpy()
        result[known] = self._number_of[spelled.drop_nulls().to_numpy()]
        return result

    def _numbered(self, keys: pl.Series) -> NDArray[np.int32]:
        numbers = self._keys.index(keys).fill_null(NOBODY).to_numpy()
        self.size = max(self.size, int(numbers.max(initial=NOBODY)) + 1)
        return numbers

    def of(self, people: pl.DataFrame) -> NDArray[np.int32]:
        """Return the numbers of people with `name` and `id`: by id where there is one."""
        if self.kind == "integers":
            return self.numbers(people["name"].cast(pl.Int32))
        key = pl.when(pl.col("id").is_not_null()).then(pl.concat_str(pl.lit(ID_MARK), "id"))
        numbers = self._numbered(people.select(key.otherwise("name")).to_series())
        for number, name, id_ in zip(numbers, people["name"], people["id"], strict=True):
            if id_ is not None and name is not None and len(name) >= len(self._names.get(int(number), "")):
                self._names[int(number)] = name
        return numbers

    def people(self) -> pl.DataFrame:
        """Return `name` and `id` of everybody, by number."""
        if self.kind == "integers":
            name = pl.int_range(self.size, eager=True).cast(pl.String)
            return pl.DataFrame({"name": name}).with_columns(pl.lit(None, dtype=pl.String).alias("id"))
        keys = self._keys.words().alias("key")
        is_id = keys.str.starts_with(ID_MARK)
        if not is_id.any():
            return pl.DataFrame({"name": keys}).with_columns(pl.lit(None, dtype=pl.String).alias("id"))
        ids = keys.str.strip_prefix(ID_MARK)
        called = pl.Series([self._names.get(i) for i in range(len(keys))], dtype=pl.String)
        return pl.DataFrame({"key": keys, "is_id": is_id, "own": ids, "called": called}).select(
            pl.when("is_id")
            .then(pl.coalesce("called", pl.format("#{}", "own")))
            .otherwise("key")
            .alias("name"),
            pl.when("is_id").then("own").alias("id"),
        )

    def kept(self) -> pl.DataFrame:
        """Return what `restore` needs beside `size`: integers are players as they are."""
        return self.people() if self.kind == "names" else pl.DataFrame()

    def restore(self, people: pl.DataFrame, size: int) -> None:
        """Take up where `kept` was asked; nobody may have been numbered yet."""
        self.size = size
        if self.kind == "names":
            self.of(people)


# The games of an archive, month after month, as arrays: in pieces where the order allows it.

ROWS = 1 << 20
"""Games that are in memory at once, where a month can be read in pieces."""
AHEAD = 2
"""Pieces that are read while others are rated."""
EPOCH = date(1970, 1, 1)


@dataclass(slots=True, kw_only=True)
class MonthReader:
    """Reads months in the order of time; who reads on numbers the players on.

    Parameters
    ----------
    given
        Read the ratings in the source, too.
    whole
        Read every month as `Games`, with all that the source says.
    rows
        Games of a piece.
    """

    archive: Archive
    given: bool = True
    whole: bool = False
    strict: bool = False
    rows: int = ROWS
    today: date = field(default_factory=date.today)
    players: Numbering = field(init=False)
    tally: ArchiveTally = field(init=False)
    last: int = field(default=NO_DAY, init=False)
    """The last day so far."""

    def __post_init__(self) -> None:
        self.players = Numbering(self.archive.players)
        self.tally = ArchiveTally(strict=self.strict)

    def batches(self, month: Month) -> Iterator[GameBatch]:
        """Yield the games of a month that were played, in the order of play.

        In pieces if they stand in that order already; else they are sorted, with the month in memory.
        """
        if self.whole or not self.archive.plain:
            batch = self._whole(month)
            self._go_on(month, batch.day)
            yield batch
            return
        sorted_ = self._look_at_days(month)
        pieces = self._dated_pieces(month)
        if sorted_:
            yield from (piece for piece in pieces if len(piece))
            return
        batch = GameBatch.joined(list(pieces))
        yield batch.rows(np.argsort(batch.day, kind="stable"))

    def _dated_pieces(self, month: Month) -> Iterator[GameBatch]:
        """Give games without a date that of the game before them, as `Games.rateable` does."""
        before = _start(month)
        for batch in self._pieces(month):
            dated = _dated(batch, before)
            before = int(dated.day[-1]) if len(dated) else before
            yield dated

    def _pieces(self, month: Month) -> Iterator[GameBatch]:
        wanted = ["white", "black", "score", "result", "date"]
        wanted += ["white_rating", "black_rating"] if self.given else []
        for file, raw in _ahead(self._tables(month, wanted)):
            yield batch_of(raw, self.players, self.tally, file=file, today=self.today, given=self.given)

    def _tables(self, month: Month, wanted: list[str]) -> Iterator[tuple[str, pl.DataFrame]]:
        """Yield pieces of the month's tables, under our names."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        theirs = {ours: self.archive.columns[ours] for ours in wanted if ours in self.archive.columns}
        names = list(dict.fromkeys(theirs.values()))
        for path in month.files:
            try:
                with pq.ParquetFile(path) as file:
                    for piece in file.iter_batches(batch_size=self.rows, columns=names):
                        frame: Any = pl.from_arrow(piece)
                        yield path, frame.select(pl.col(t).alias(o) for o, t in theirs.items())
            except (OSError, pa.ArrowException, pl.exceptions.PolarsError) as error:
                why = (str(error).splitlines() or [type(error).__name__])[0]
                raise InputError(f"the file cannot be read any further: {why}", file=path) from None

    def _look_at_days(self, month: Month) -> bool:
        """Say whether a month's games stand in the order of play; refuse those of an earlier month."""
        if "date" not in self.archive.columns:
            return True
        unheard = ArchiveTally()
        in_order, least, latest = True, None, self.last
        for path, raw in self._tables(month, ["date"]):
            day = days_of(raw, unheard, file=path, today=self.today)
            day = day[day != NO_DAY]
            if not len(day):
                continue
            first = int(day.min())
            least = first if least is None else min(least, first)
            in_order &= int(day[0]) >= latest and bool((day[1:] >= day[:-1]).all())
            latest = max(latest, int(day.max()))
        self._go_on(month, np.array([] if least is None else [least, latest], dtype=np.int32))
        return in_order

    def _go_on(self, month: Month, day: NDArray[np.int32]) -> None:
        """Move on to the last of these days; games of an earlier month are refused."""
        known = day[day != NO_DAY]
        if not len(known):
            if month.first is not None:
                self.last = max(self.last, _start(month))
            return
        if int(known.min()) < self.last and self.last != NO_DAY:
            raise InputError(
                f"expected every month after the one before it, found a game of {_date(known.min())} behind one of "
                f"{_date(self.last)}: a month must not hold games of an earlier one",
                file=month.files[0],
            )
        if month.first is not None:
            for one in (_date(known.min()), _date(known.max())):
                if not month.first <= one < _next(month.first):
                    raise InputError(
                        f"expected games of {month.name}, found one of {one}: put every game into its own month",
                        file=month.files[0],
                    )
        self.last = int(known.max())

    def _whole(self, month: Month) -> GameBatch:
        reading = read(list(month.files), format="parquet", columns=self.archive.columns, strict=self.strict)
        games = reading.games
        for note in reading.report.notes:
            self.tally.add(note.action, note.reason, 1, note.file)
        counts = dict(games.table["status"].cast(pl.String).value_counts().iter_rows())
        self.tally.status.update(counts)
        numbers = self.players.of(games.players)
        played = games.rateable()
        white, black = (numbers[played[side].to_numpy()] for side in ("white", "black"))
        day = played["date"].to_physical().cast(pl.Int32).fill_null(NO_DAY).to_numpy()
        given = [played[f"{s}_rating"].fill_null(np.nan).to_numpy() for s in ("white", "black")]
        batch = GameBatch(
            white=white,
            black=black,
            score=played["score"].to_numpy(),
            day=day,
            ratings=(given[0], given[1]) if self.given else None,
        )
        return replace(_dated(batch, _start(month)), games=games, numbers=numbers)


def _start(month: Month) -> int:
    """Return the day of games before the first date of a month: nothing is known but the month."""
    return NO_DAY if month.first is None else (month.first - EPOCH).days


def _dated(batch: GameBatch, before: int) -> GameBatch:
    missing = batch.day == NO_DAY
    if not missing.any():
        return batch
    at = np.maximum.accumulate(np.where(missing, -1, np.arange(len(missing))))
    day = np.where(at >= 0, batch.day[at], before).astype(np.int32)
    return replace(batch, day=day)


def _date(day: Any) -> date:
    return EPOCH + timedelta(days=int(day))


def _next(first: date) -> date:
    return (first + timedelta(days=32)).replace(day=1)


def _ahead(pieces: Iterator[tuple[str, pl.DataFrame]]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Read the next pieces in a thread of its own while the last is rated."""
    with ThreadPoolExecutor(1) as reader:
        waiting = deque(reader.submit(next, pieces, None) for _ in range(AHEAD))
        while (piece := waiting.popleft().result()) is not None:
            waiting.append(reader.submit(next, pieces, None))
            yield piece
