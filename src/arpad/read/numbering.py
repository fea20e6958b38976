"""Players of an archive to numbers, file after file: the numbers only grow.

`roster` sees a whole source and can unite who appears with an id here and without one there. An archive is
never seen whole: a player is the id where there is one, else the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.read.roster import ID_MARK, Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NOBODY", "Numbering", "NumberingKind"]

NumberingKind = Literal["integers", "names"]
"""integers: the archive's own small numbers, used as they are; names: everything else."""

NOBODY = -1
"""The number of who has no name."""


class Numbering:
    """Players to numbers from 0 on.

    Parameters
    ----------
    kind
        How the archive calls its players.

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
        self._spellings = _Words()
        self._number_of = np.zeros(0, dtype=np.int32)  # by spelling
        self._keys = _Words()
        self._names: dict[int, str] = {}  # of who has an id

    def numbers(self, column: pl.Series) -> NDArray[np.int32]:
        """Return the number of every player in a column; new ones get the next numbers."""
        if self.kind == "integers":
            found = column.cast(pl.Int32).fill_null(NOBODY).to_numpy()
            self.size = max(self.size, int(found.max(initial=NOBODY)) + 1)
            return found
        spelled, new = self._spellings.index(column.cast(pl.String))
        if len(new):  # blanks around a name are nothing
            plain = new.str.strip_chars().str.strip_chars(ID_MARK[0])
            numbers = self._numbered(plain.set(plain == "", None))
            self._number_of = np.concatenate([self._number_of, numbers])
        if not spelled.null_count():
            return np.asarray(self._number_of[spelled.to_numpy()])
        found = np.full(len(column), NOBODY, dtype=np.int32)
        known = spelled.is_not_null().to_numpy()
        found[known] = self._number_of[spelled.drop_nulls().to_numpy()]
        return found

    def _numbered(self, keys: pl.Series) -> NDArray[np.int32]:
        numbers, _ = self._keys.index(keys)
        self.size = self._keys.count
        return numbers.fill_null(NOBODY).to_numpy()

    def of(self, people: pl.DataFrame) -> NDArray[np.int32]:
        """Return the numbers of people with `name` and `id`: by id where there is one."""
        if self.kind == "integers":
            return self.numbers(people["name"].cast(pl.Int32))
        key = pl.when(pl.col("id").is_not_null()).then(pl.concat_str(pl.lit(ID_MARK), "id"))
        numbers = self._numbered(people.select(key.otherwise("name")).to_series())
        for number, name, id_ in zip(numbers, people["name"], people["id"], strict=True):
            if id_ is not None and name is not None and len(name) >= len(self._names.get(int(number), "")):  # fmt: skip
                self._names[int(number)] = name
        return numbers

    def people(self) -> pl.DataFrame:
        """Return `name` and `id` of everybody, by number."""
        if self.kind == "integers":
            name = pl.int_range(self.size, eager=True).cast(pl.String)
            return pl.DataFrame({"name": name}).with_columns(pl.lit(None, dtype=pl.String).alias("id"))  # fmt: skip
        keys = self._keys.words()
        is_id = keys.str.starts_with(ID_MARK)
        if not is_id.any():
            return pl.DataFrame({"name": keys}).with_columns(pl.lit(None, dtype=pl.String).alias("id"))  # fmt: skip
        ids = keys.str.strip_prefix(ID_MARK)
        called = pl.Series([self._names.get(i) for i in range(len(keys))], dtype=pl.String)
        return pl.DataFrame({"key": keys, "is_id": is_id, "own": ids, "called": called}).select(
            pl.when("is_id").then(pl.coalesce("called", pl.format("#{}", "own"))).otherwise("key").alias("name"),
            pl.when("is_id").then("own").alias("id"),
        )  # fmt: skip

    def kept(self) -> pl.DataFrame:
        """Return what `restore` needs beside `size`: integers are players as they are."""
        return self.people() if self.kind == "names" else pl.DataFrame()

    def restore(self, people: pl.DataFrame, size: int) -> None:
        """Take up where `kept` was asked; nobody may have been numbered yet."""
        self.size = size
        if self.kind == "names":
            self.of(people)


class _Words:
    """A vocabulary that remembers its words as a column: asking for millions one by one takes seconds."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._words = pl.Series("key", [], dtype=pl.String)
        self.count = 0

    def index(self, words: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Return the number of every word, and those that are new, by number."""
        numbers = self._vocabulary.index(words)
        fresh = (numbers >= self.count).fill_null(False)
        if not fresh.any():
            return numbers, self._words.clear()
        both = pl.DataFrame({"number": numbers, "word": words}).filter(fresh)
        new = both.unique("number").sort("number")["word"].alias("key")
        self._words.append(new)
        self.count += len(new)
        return numbers, new

    def words(self) -> pl.Series:
        """Return the words so far, by number."""
        return self._words
