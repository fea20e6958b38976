"""Which known players a name may stand for: pairs of names and how they are alike.

Everything is a join of frames: tens of thousands of names meet tens of thousands of players without
a loop over pairs.
"""

from __future__ import annotations

from typing import Literal, get_args

import polars as pl

from arpad.office.records.names import parts
from arpad.schema import schema

__all__ = ["LIKENESS", "PAIRS", "Likeness", "candidates"]

Likeness = Literal[
    "same", "same word", "same short", "fewer", "initials", "beginning", "part", "letter"
]
"""How two names are alike.

same        the same words, in any order;
same word   the same one word: `Morphy`, a name on a server;
same short  the same words, but no given name is written out: `Ivanov,A`;
fewer       one has given names more: `Fischer, Robert` and `Fischer, Robert James`;
initials    one has initials only: `Carlsen,M` and `Carlsen, Magnus`;
beginning   one has the beginning of a given name: `Karpov,Ana`, `Alex`;
part        one has surnames more: `Garcia, Juan` and `Garcia Lopez, Juan`;
letter      one letter is other, missing, too many, or two have changed places.
"""

LIKENESS = pl.Enum(get_args(Likeness))

PAIRS = schema({"row": pl.Int32, "player": pl.Int64, "name": pl.String, "alike": LIKENESS})

SHORTEST_TYPO = 8
"""Letters of a whole folded name below which one other letter is too much."""

LONGEST_TYPO = 48
"""Letters beyond which nobody looks for one other letter."""

WRITTEN_OUT = 3
"""Letters from which on a given name is one, and no abbreviation."""

MOST_INITIALS = 3

FEW = 2_000
"""Names up to which it pays to look first for those that share a word."""

_PARTICLES = frozenset(
    [
        "al",
        "ben",
        "da",
        "dal",
        "de",
        "del",
        "den",
        "der",
        "di",
        "dos",
        "du",
        "el",
        "la",
        "le",
        "san",
        "st",
        "van",
        "von",
    ]
)
_READING = schema(
    {"key": pl.Int64, "surname": pl.String, "given": pl.String, "letters": pl.String, "whole": pl.Boolean}
)  # fmt: skip


def candidates(incoming: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of an incoming row and a known player whose names are alike.

    Parameters
    ----------
    incoming
        `row`, `name`, `fold`.
    known
        `player`, `name`, `fold`: a row for each spelling of each player.

    Returns
    -------
    pl.DataFrame
        `PAIRS`: each pair once, with the best likeness that was found.
    """
    known = _with_common_words(incoming, known)
    if incoming.is_empty() or known.is_empty():
        return PAIRS.to_frame(eager=True)
    mine = incoming.select(key=pl.col("row").cast(pl.Int64), name="name", fold="fold")
    theirs = known.with_row_index("key").select(
        pl.col("key").cast(pl.Int64), "player", "name", "fold"
    )
    found = pl.concat(
        [_same(mine, theirs), _readings_alike(mine, theirs), _one_letter(mine, theirs)]
    )
    spelled = theirs.select("player", other="key", spelling="name")
    return (
        found.join(spelled, on="other", maintain_order="left")
        .sort("key", "player", "alike", "other")
        .unique(["key", "player"], keep="first", maintain_order=True)
        .select(
            pl.col("key").cast(pl.Int32).alias("row"),
            "player",
            pl.col("spelling").alias("name"),
            "alike",
        )
    )


def _with_common_words(incoming: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Leave out who shares no word with anybody: a few names need not be compared with all.

    Alike names do share one: the surname, or, with another letter in one word, the other word.
    """
    if incoming.height > FEW:
        return known
    words = incoming["fold"].str.split(" ").explode().unique().sort()
    spaced = [f" {word} " for word in words if word]
    between = pl.concat_str(pl.lit(" "), "fold", pl.lit(" "))
    return known.filter(between.str.contains_any(spaced, ascii_case_insensitive=False))


def _same(mine: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Pair names of the same words."""
    pairs = mine.filter(pl.col("fold") != "").join(
        theirs.select(other="key", fold="fold"), on="fold"
    )
    full = pl.Series([_written_out(name) for name in pairs["name"]], dtype=pl.Boolean)
    word = (
        pl.when(full)
        .then(_alike("same"))
        .when(~pl.col("fold").str.contains(" ", literal=True))
        .then(_alike("same word"))
        .otherwise(_alike("same short"))
    )
    return pairs.select("key", "other", word.alias("alike"))


def _written_out(name: str) -> bool:
    """Say whether a surname and at least one given name are written out."""
    _, given, words = parts(name)
    if given:
        return max(map(len, given)) >= WRITTEN_OUT
    return sum(len(word) > 1 for word in words) > 1


def _readings_alike(mine: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Pair names with one surname whose given names begin alike."""
    pairs = _readings(mine).join(
        _readings(theirs).select(pl.all().name.suffix("_2")),
        left_on=["surname", "letters"],
        right_on=["surname_2", "letters_2"],
    )
    mine_shorter = pl.col("given").str.len_bytes() <= pl.col("given_2").str.len_bytes()
    pairs = pairs.select(
        "key",
        pl.col("key_2").alias("other"),
        pl.when(mine_shorter).then("given").otherwise("given_2").alias("short"),
        pl.when(mine_shorter).then("given_2").otherwise("given").alias("long"),
        (pl.col("whole") & pl.col("whole_2")).alias("whole"),
        (pl.col("whole") | pl.col("whole_2")).alias("one_whole"),  # two other surnames contradict
    )
    short, long = pl.col("short"), pl.col("long")
    bare = short.str.replace_all(" ", "", literal=True)
    initials = long.str.replace_all(r"(\S)\S*\s*", "$1")
    how = (
        pl.when(short == long)
        .then(_alike("part"))
        .when(long.str.starts_with(short + pl.lit(" ")) & (short.str.len_chars() > 1))
        .then(_alike("fewer"))
        .when((bare.str.len_chars() <= MOST_INITIALS) & initials.str.starts_with(bare))
        .then(_alike("initials"))
        .when(long.str.starts_with(short))
        .then(_alike("beginning"))
    )
    pairs = pairs.with_columns(how.alias("alike")).filter(pl.col("alike").is_not_null())
    # With a surname left out, too, only a given name that is written out will do.
    written = pl.col("one_whole") & (short.str.len_chars() >= WRITTEN_OUT)
    kept = pl.col("whole") | (pl.col("alike").is_in(["part", "fewer"]) & written)
    lesser = pl.when("whole").then("alike").otherwise(_alike("part"))
    return pairs.filter(kept).select("key", "other", lesser.alias("alike"))


def _readings(names: pl.DataFrame) -> pl.DataFrame:
    """Return every way of reading a name as surname and given names."""
    rows = [
        (key, " ".join(surname), " ".join(given), given[0][0], whole)
        for key, name in names.select("key", "name").iter_rows()
        for surname, given, whole in _ways(name)
    ]
    return pl.DataFrame(rows, schema=_READING, orient="row").unique(maintain_order=True)


def _ways(name: str) -> list[tuple[tuple[str, ...], tuple[str, ...], bool]]:
    surname, given, words = parts(name)
    if not given:
        cuts = range(1, min(len(words), 5))
        ways = [(words[c:], words[:c], True) for c in cuts]
        return ways + [(words[:c], words[c:], True) for c in cuts]
    ways = [(surname, given, True)]
    if len(surname) > 1 and surname[0] not in _PARTICLES and len(surname[0]) >= WRITTEN_OUT:
        ways.append((surname[:1], given, False))
    return ways


def _one_letter(mine: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Pair names that are one slip of the keyboard apart: both lose a letter and are the same."""
    pairs = (
        _shortened(mine)
        .join(_shortened(theirs).rename({"key": "other", "fold": "fold_2"}), on="less")
        .filter(pl.col("fold") != pl.col("fold_2"))
        .select("key", "other")
        .unique(maintain_order=True)
    )
    return pairs.with_columns(_alike("letter").alias("alike"))


def _shortened(names: pl.DataFrame) -> pl.DataFrame:
    """Return every name with each of its letters left out in turn, and whole."""
    length = pl.col("fold").str.len_chars()
    full = pl.Series([_written_out(name) for name in names["name"]], dtype=pl.Boolean)
    names = names.filter(length.is_between(SHORTEST_TYPO, LONGEST_TYPO) & full).select(
        "key", "fold"
    )
    ways = [names.with_columns(pl.col("fold").alias("less"))]
    for at in range(LONGEST_TYPO):
        long_enough = names.filter(length > at)
        if long_enough.is_empty():
            break
        less = pl.concat_str(pl.col("fold").str.slice(0, at), pl.col("fold").str.slice(at + 1))
        ways.append(long_enough.with_columns(less.alias("less")))
    return pl.concat(ways).unique(maintain_order=True)


def _alike(word: Likeness) -> pl.Expr:
    return pl.lit(word, dtype=LIKENESS)
