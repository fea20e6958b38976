"""Player names become integers here and nowhere else."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.model import PLAYER_SCHEMA, filled
from arpad.read.text_table import LINE, finite_number, small_table

if TYPE_CHECKING:
    from collections.abc import Sequence


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

    def words(self) -> list[str]:
        """Return the words so far, by number."""
        words: list[str] = self._categories.to_series().to_list()
        return words


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

        Parameters
        ----------
        people
            For each column a frame with `name` and, if known, `id`, `title`, `federation`.
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
