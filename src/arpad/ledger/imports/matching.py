"""Matching of the players in a file with those of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, Protocol, get_args

import polars as pl

from arpad.ledger.register import is_nobody, parts
from arpad.model import schema

# Which known players a name may stand for: pairs of names and how they are alike.
#
# Everything is a join of frames: tens of thousands of names meet tens of thousands of players without
# a loop over pairs.

Similarity = Literal["same", "same word", "same short", "fewer", "initials", "beginning", "part", "letter"]
"""Kinds of similarity between two names.

same        the same words, in any order;
same word   the same one word: `Morphy`, a name on a server;
same short  the same words, but no given name is written out: `Ivanov,A`;
fewer       one has given names more: `Fischer, Robert` and `Fischer, Robert James`;
initials    one has initials only: `Carlsen,M` and `Carlsen, Magnus`;
beginning   one has the beginning of a given name: `Karpov,Ana`, `Alex`;
part        one has surnames more: `Garcia, Juan` and `Garcia Lopez, Juan`;
letter      one letter is other, missing, too many, or two have changed places.
"""
SIMILARITY = pl.Enum(get_args(Similarity))
PAIRS = schema({"row": pl.Int32, "player": pl.Int64, "name": pl.String, "alike": SIMILARITY})
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
    (
        *("al", "ben", "da", "dal", "de", "del", "den", "der", "di", "dos", "du", "el", "la", "le"),
        *("san", "st", "van", "von"),
    )
)
_READING = schema(
    {"key": pl.Int64, "surname": pl.String, "given": pl.String, "letters": pl.String, "whole": pl.Boolean}
)


def candidates(staged: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of an staged row and a known player whose names are alike.

    `staged`: `row`, `name`, `fold`.
    `known`: `player`, `name`, `fold`: a row for each spelling of each player.

    Returns
    -------
    pl.DataFrame
        `PAIRS`: each pair once, with the closest similarity of its names.
    """
    known = _with_common_words(staged, known)
    if staged.is_empty() or known.is_empty():
        return PAIRS.to_frame(eager=True)
    mine = staged.select(key=pl.col("row").cast(pl.Int64), name="name", fold="fold")
    theirs = known.with_row_index("key").select(pl.col("key").cast(pl.Int64), "player", "name", "fold")
    result = pl.concat([_same(mine, theirs), _readings_alike(mine, theirs), _one_letter(mine, theirs)])
    spelled = theirs.select("player", other="key", spelling="name")
    return (
        result.join(spelled, on="other", maintain_order="left")
        .sort("key", "player", "alike", "other")
        .unique(["key", "player"], keep="first", maintain_order=True)
        .select(
            pl.col("key").cast(pl.Int32).alias("row"), "player", pl.col("spelling").alias("name"), "alike"
        )
    )


def _with_common_words(staged: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Leave out who shares no word with anybody: a few names need not be compared with all.

    Alike names do share one: the surname, or, with another letter in one word, the other word.
    """
    if staged.height > FEW:
        return known
    words = staged["fold"].str.split(" ").explode().unique().sort()
    spaced = [f" {word} " for word in words if word]
    between = pl.concat_str(pl.lit(" "), "fold", pl.lit(" "))
    return known.filter(between.str.contains_any(spaced, ascii_case_insensitive=False))


def _same(mine: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Pair names of the same words."""
    pairs = mine.filter(pl.col("fold") != "").join(theirs.select(other="key", fold="fold"), on="fold")
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
    names = names.filter(length.is_between(SHORTEST_TYPO, LONGEST_TYPO) & full).select("key", "fold")
    ways = [names.with_columns(pl.col("fold").alias("less"))]
    for at in range(LONGEST_TYPO):
        long_enough = names.filter(length > at)
        if long_enough.is_empty():
            break
        less = pl.concat_str(pl.col("fold").str.slice(0, at), pl.col("fold").str.slice(at + 1))
        ways.append(long_enough.with_columns(less.alias("less")))
    return pl.concat(ways).unique(maintain_order=True)


def _alike(word: Similarity) -> pl.Expr:
    return pl.lit(word, dtype=SIMILARITY)


# The score of a match: how alike two names are, and what else speaks for or against one person.
#
# The rule is written down in ``docs/ledger.md``; the constants are choices of this project, made so
# that a full name alone is enough, that an abbreviated one needs witnesses, and that no witness makes
# up for a contradiction.

SURE = 0.95
"""A score from which on a match is taken, if nobody else comes near."""
MARGIN = 0.10
"""Lead that the best candidate needs over the next one."""
RIVAL = 0.05
"""A candidate whose name scores lower than the best by this much is no rival: `Fox, Fay` is not in doubt because of `Fox,F`."""
DOUBTFUL = 0.60
"""A score below which nobody needs to be asked: two people."""
NAME_SCORE = {
    "same": 1.0,
    "same word": 0.95,
    "same short": 0.95,
    "fewer": 0.9,
    "initials": 0.85,
    "beginning": 0.85,
    "part": 0.85,
    "letter": 0.8,
}
"""Score of each kind of similarity (`Similarity`)."""
SETTLED = 0.15
"""Score of a spelling that an officer has assigned to this player before."""
BIRTH_DAY, BIRTH_YEAR = 0.15, 0.10
"""The same day of birth; the same year or month, where no more is known."""
OTHER_DAY, OTHER_YEAR = -0.10, -0.50
"""Another day in the same year may be a slip; another year is another person."""
SAME_FEDERATION, OTHER_FEDERATION = 0.03, -0.10
SAME_TITLE = 0.02
OTHER_SEX = -0.50
NEAR, NEAR_SCORE = 50.0, 0.06
"""Given ratings at most this many points apart speak for one person."""
FAR, FAR_SCORE = 200.0, -0.10
"""Farther apart than this (two class intervals of 200 begin to part) they speak against it."""
TOO_FAR, TOO_FAR_SCORE = 400.0, -0.30
SAME_TIME = 730
"""Days between two given ratings beyond which they say nothing of each other."""
PROFILE = ("birth", "federation", "title", "sex", "rating", "day")


def scored(pairs: pl.DataFrame) -> pl.DataFrame:
    """Add `score` (0 to 1) and `reason` (in words) to pairs.

    `pairs`: `alike`, `settled` and, of the row of the file and (with the ending ``_known``) of the known player,
    `birth`, `federation`, `title`, `sex`, `rating`, `day` (of the rating).
    """
    terms = [*_births(), *_profiles(), *_ratings()]
    terms.append((pl.col("settled"), SETTLED, pl.lit("settled so before")))
    total = named()
    words = [pl.concat_str(pl.lit("name: "), pl.col("alike").cast(pl.String))]
    for holds, worth, why in terms:
        true = holds.fill_null(value=False)
        total = total + pl.when(true).then(worth).otherwise(0.0)
        words.append(pl.when(true).then(why))
    return pairs.with_columns(
        total.clip(0.0, 1.0).round(2).alias("score"),
        pl.concat_str(words, separator=", ", ignore_nulls=True).alias("reason"),
    )


def named() -> pl.Expr:
    """Return what the similarity of the names is worth by itself."""
    return pl.col("alike").cast(pl.String).replace_strict(NAME_SCORE, return_dtype=pl.Float64)


def _births() -> list[tuple[pl.Expr, float, pl.Expr]]:
    mine, theirs = pl.col("birth"), pl.col("birth_known")
    whole = (mine.str.len_chars() == 10) & (theirs.str.len_chars() == 10)
    year = mine.str.slice(0, 4) == theirs.str.slice(0, 4)
    both = pl.format("born {} and {}", mine, theirs)
    return [
        (whole & (mine == theirs), BIRTH_DAY, pl.lit("same day of birth")),
        (year & ~whole, BIRTH_YEAR, pl.lit("same year of birth")),
        (year & whole & (mine != theirs), OTHER_DAY, both),
        (~year, OTHER_YEAR, both),
    ]


def _profiles() -> list[tuple[pl.Expr, float, pl.Expr]]:
    mine, theirs = pl.col("federation"), pl.col("federation_known")
    sex = pl.col("sex") != pl.col("sex_known")
    return [
        (mine == theirs, SAME_FEDERATION, pl.lit("same federation")),
        (mine != theirs, OTHER_FEDERATION, pl.format("{} and {}", mine, theirs)),
        (pl.col("title") == pl.col("title_known"), SAME_TITLE, pl.lit("same title")),
        (sex, OTHER_SEX, pl.lit("man and woman")),
    ]


def _ratings() -> list[tuple[pl.Expr, float, pl.Expr]]:
    mine, theirs = pl.col("rating"), pl.col("rating_known")
    apart = (mine - theirs).abs()
    days = (pl.col("day") - pl.col("day_known")).dt.total_days().abs()
    soon = days <= SAME_TIME
    both = pl.format(
        "rated {} and {}",
        mine.round(0).cast(pl.Int64, strict=False),
        theirs.round(0).cast(pl.Int64, strict=False),
    )
    return [
        (soon & (apart <= NEAR), NEAR_SCORE, both),
        (soon & (apart > FAR) & (apart <= TOO_FAR), FAR_SCORE, both),
        (soon & (apart > TOO_FAR), TOO_FAR_SCORE, both),
    ]


# Who is who: the players of a file among those of the ledger.
#
# By id first, then by name with a score. What is sure is taken; what is doubtful is put before a
# person, and until that person decides the player of the file is a new one. Frames in, frames out:
# nothing here knows a database.

How = Literal["id", "name", "new", "doubtful"]
STAGED_PLAYERS = schema(
    {
        "row": pl.Int32,
        "name": pl.String,
        "fold": pl.String,
        "value": pl.String,  # the id; its scheme is that of the file
        "birth": pl.String,
        "federation": pl.String,
        "title": pl.String,
        "sex": pl.String,
        "rating": pl.Float64,  # as given
        "day": pl.Date,  # of that rating
    }
)
"""The players of a file."""


class KnownPlayers(Protocol):
    """Known players: those of the ledger, or frames in a test, with merges applied."""

    def ids(self, scheme: str, values: list[str]) -> pl.DataFrame:
        """Return `player` and `value` of those who have one of these ids."""

    def ids_of(self, scheme: str, players: pl.Series) -> pl.DataFrame:
        """Return `player` and `value` of these players, as far as they have ids of this scheme."""

    def spellings(self, players: pl.Series | None = None) -> pl.DataFrame:
        """Return `player`, `name`, `fold`, `settled` (somebody decided on it) of these, or of all."""

    def profiles(self, players: pl.Series) -> pl.DataFrame:
        """Return `player`, `birth`, `federation`, `title`, `sex`."""

    def ratings(self, players: pl.Series) -> pl.DataFrame:
        """Return `player`, `rating`, `day`: the last rating that was given."""


CANDIDATES = schema(
    {"row": pl.Int32, "player": pl.Int64, "name": pl.String, "score": pl.Float64, "reason": pl.String}
)
MOST_CANDIDATES = 5
"""Candidates that a doubt names, best first."""
SAME_ID_OTHER_NAME = 0.7
"""The score of somebody who has the id, but no word of the name: a slip, or a name by marriage."""
SHARED_WORD = 3
"""Letters at the beginning of a word that two names share, for an id to be believed."""
SPELLED_ALIKE = 0.75
"""Or else the part of the letters that two of their words share, in order: `Enhbat`, `Enkhbat`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMatches:
    """For every row of the file: its player, and other candidates.

    `rows` has `row`, `player` (null: a new player), `how`, `score`; `doubts` the candidates of the
    rows whose `how` is doubtful, best first.
    """

    rows: pl.DataFrame
    doubts: pl.DataFrame

    def count(self, how: How) -> int:
        """Return how many players were found in this way."""
        return self.rows.filter(pl.col("how") == how).height


def match(staged: pl.DataFrame, known: KnownPlayers, *, scheme: str) -> PlayerMatches:
    """Find the players of a file in the ledger.

    `staged`: `STAGED_PLAYERS`; an id stands there once.
    `scheme`: Whose ids they are.
    """
    ids = known.ids(scheme, staged["value"].drop_nulls().to_list())
    with_id = staged.join(ids, on="value", maintain_order="left")
    with_id, strange = _believed(with_id, known.spellings(with_id["player"]))
    settled = pl.concat([with_id["row"], strange["row"]])
    rest = staged.filter(~pl.col("row").is_in(settled.implode()))
    named = pl.Series([not is_nobody(name) for name in rest["name"]], dtype=pl.Boolean)
    pairs = _pairs(rest.filter(named), known, scheme)
    sure = _sure(pairs, taken=with_id["player"])
    doubts = pl.concat([strange, _doubtful(pairs, sure)])
    result = pl.concat(
        [
            with_id.select("row", "player", _how("id"), pl.lit(1.0).alias("score")),
            sure.select("row", "player", _how("name"), "score"),
            doubts.group_by("row", maintain_order=True)
            .agg(pl.col("score").max())
            .select("row", pl.lit(None, pl.Int64).alias("player"), _how("doubtful"), "score"),
        ]
    )
    rows = staged.select("row").join(result, on="row", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("how").fill_null("new"))
    return PlayerMatches(rows=rows, doubts=doubts)


def _how(word: How) -> pl.Expr:
    return pl.lit(word, dtype=pl.Enum(get_args(How))).alias("how")


def _believed(with_id: pl.DataFrame, known: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Part the rows that have a known id: the name agrees, or it has no word in common."""
    spellings = known.select("player", pl.col("name").alias("known"), "fold").join(
        with_id.select("player").unique(), on="player", how="semi", maintain_order="left"
    )
    equal = with_id.join(spellings, on=["player", "fold"], how="semi")["row"].implode()
    unequal = with_id.filter(~pl.col("row").is_in(equal))
    spelled = unequal.select("row", "player", "name").join(
        spellings.select("player", "known"), on="player", how="left", maintain_order="left"
    )
    agree = [b is None or _share_a_word(a, b) for a, b in spelled.select("name", "known").iter_rows()]
    fine = spelled.filter(pl.Series(agree, dtype=pl.Boolean))["row"].implode()
    wrong = ~pl.col("row").is_in(equal) & ~pl.col("row").is_in(fine)
    strange = (
        spelled.filter(wrong)
        .unique("row", keep="first", maintain_order=True)
        .select(
            "row",
            "player",
            pl.col("known").alias("name"),
            pl.lit(SAME_ID_OTHER_NAME).alias("score"),
            pl.lit("the same id, but no word of the name").alias("reason"),
        )
    )
    return with_id.filter(~wrong), strange


def _share_a_word(one: str, other: str) -> bool:
    """Say whether two names may be one person's: a word begins or is spelled alike, or one names nobody."""
    if is_nobody(one) or is_nobody(other):
        return True
    mine, theirs = ([w for w in parts(name)[2] if len(w) > 1] for name in (one, other))
    if not {w[:SHARED_WORD] for w in mine}.isdisjoint(w[:SHARED_WORD] for w in theirs):
        return True
    return any(
        SequenceMatcher(None, a, b, autojunk=False).ratio() >= SPELLED_ALIKE for a in mine for b in theirs
    )


def _pairs(rest: pl.DataFrame, known: KnownPlayers, scheme: str) -> pl.DataFrame:
    """Return the scored pairs of what no id has settled."""
    if rest.is_empty():
        return _no_pairs()
    spellings = known.spellings()
    pairs = candidates(rest.select("row", "name", "fold"), spellings)
    if pairs.is_empty():
        return _no_pairs()
    players = pairs["player"].unique()
    registered = known.ids_of(scheme, players)["player"]
    settled = spellings.filter("settled").select("player", "name", "settled")
    profiles = known.profiles(players).select("player", *PROFILE[:4])
    profiles = profiles.join(known.ratings(players), on="player", how="left", maintain_order="left").rename(
        {c: f"{c}_known" for c in PROFILE}
    )
    pairs = (
        pairs.join(settled, on=["player", "name"], how="left", maintain_order="left")
        .join(rest.select("row", "value", *PROFILE), on="row", maintain_order="left")
        .join(profiles, on="player", how="left", maintain_order="left")
        # Who has another id of the same scheme is another person, whatever the name.
        .filter(~(pl.col("value").is_not_null() & pl.col("player").is_in(registered.implode())))
    )
    result = scored(pairs).filter(pl.col("score") >= DOUBTFUL)
    return result.sort(["row", "score", "player"], descending=[False, True, False])


def _no_pairs() -> pl.DataFrame:
    return schema({**CANDIDATES, "alike": SIMILARITY}).to_frame(eager=True)


def _sure(pairs: pl.DataFrame, *, taken: pl.Series) -> pl.DataFrame:
    """Return the pairs that nobody needs to look at; who was found by id is not found again."""
    if pairs.is_empty():
        return pairs
    top = pairs.group_by("row", maintain_order=True).first()  # they stand best first
    rivals = (
        pairs.join(top.select("row", best="player", name_best=named()), on="row", maintain_order="left")
        .filter((pl.col("player") != pl.col("best")) & (named() >= pl.col("name_best") - RIVAL - _SLACK))
        .group_by("row")
        .agg(pl.col("score").max().alias("rival"))
    )
    best = top.join(rivals, on="row", how="left", maintain_order="left").filter(
        (pl.col("score") >= SURE)
        & (pl.col("rival").is_null() | (pl.col("score") - pl.col("rival") >= MARGIN - _SLACK))
    )
    # The file tells its players apart: no two of them are one player of the ledger, unless one
    # spelling is plainly the better.
    rank = pl.col("alike").to_physical()
    first = rank == rank.min().over("player")
    alone = first.sum().over("player") == 1
    return best.filter(first & alone & ~pl.col("player").is_in(taken.implode()))


_SLACK = 1e-9


def _doubtful(pairs: pl.DataFrame, sure: pl.DataFrame) -> pl.DataFrame:
    """Return what is left of the pairs, at most `MOST_CANDIDATES` a row."""
    return (
        pairs.join(sure, on="row", how="anti", maintain_order="left")
        .group_by("row", maintain_order=True)
        .head(MOST_CANDIDATES)
        .select(CANDIDATES.names())
    )
