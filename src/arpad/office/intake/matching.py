"""Who is who: the players of a file among those of the ledger.

By id first, then by name with a score. What is sure is taken; what is doubtful is put before a
person, and until that person decides the player of the file is a new one. Frames in, frames out:
nothing here knows a database.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, Protocol, get_args

import polars as pl

from arpad.office.intake.candidates import LIKENESS, candidates
from arpad.office.intake.match_score import DOUBTFUL, MARGIN, RIVAL, SURE, named, scored
from arpad.office.records.names import is_nobody, parts
from arpad.schema import schema

__all__ = ["CANDIDATES", "INCOMING", "How", "KnownPlayers", "Matches", "match"]

How = Literal["id", "name", "new", "doubtful"]

INCOMING = schema(
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
    """Who is known: the ledger, or frames in a test. Players are those of today, merges applied."""

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
    {
        "row": pl.Int32,
        "player": pl.Int64,
        "name": pl.String,
        "score": pl.Float64,
        "reason": pl.String,
    }
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
class Matches:
    """For every row of the file the player it is, and who else it might be.

    `rows` has `row`, `player` (null: a new player), `how`, `score`; `doubts` the candidates of the
    rows whose `how` is doubtful, best first.
    """

    rows: pl.DataFrame
    doubts: pl.DataFrame

    def count(self, how: How) -> int:
        """Return how many players were found in this way."""
        return self.rows.filter(pl.col("how") == how).height


def match(incoming: pl.DataFrame, known: KnownPlayers, *, scheme: str) -> Matches:
    """Find the players of a file in the ledger.

    Parameters
    ----------
    incoming
        `INCOMING`; an id stands there once.
    scheme
        Whose ids they are.
    """
    ids = known.ids(scheme, incoming["value"].drop_nulls().to_list())
    with_id = incoming.join(ids, on="value", maintain_order="left")
    with_id, strange = _believed(with_id, known.spellings(with_id["player"]))
    settled = pl.concat([with_id["row"], strange["row"]])
    rest = incoming.filter(~pl.col("row").is_in(settled.implode()))
    named = pl.Series([not is_nobody(name) for name in rest["name"]], dtype=pl.Boolean)
    pairs = _pairs(rest.filter(named), known, scheme)
    sure = _sure(pairs, taken=with_id["player"])
    doubts = pl.concat([strange, _doubtful(pairs, sure)])
    found = pl.concat(
        [
            with_id.select("row", "player", _how("id"), pl.lit(1.0).alias("score")),
            sure.select("row", "player", _how("name"), "score"),
            doubts.group_by("row", maintain_order=True)
            .agg(pl.col("score").max())
            .select("row", pl.lit(None, pl.Int64).alias("player"), _how("doubtful"), "score"),
        ]
    )
    rows = incoming.select("row").join(found, on="row", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("how").fill_null("new"))
    return Matches(rows=rows, doubts=doubts)


def _how(word: How) -> pl.Expr:
    return pl.lit(word, dtype=pl.Enum(get_args(How))).alias("how")


def _believed(with_id: pl.DataFrame, known: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Part the rows that have a known id: the name agrees, or it has no word in common."""
    spellings = (
        known.select("player", pl.col("name").alias("known"), "fold")
        .join(with_id.select("player").unique(), on="player", how="semi", maintain_order="left")
    )  # fmt: skip
    equal = with_id.join(spellings, on=["player", "fold"], how="semi")["row"].implode()
    unequal = with_id.filter(~pl.col("row").is_in(equal))
    told = unequal.select("row", "player", "name").join(
        spellings.select("player", "known"), on="player", how="left", maintain_order="left"
    )
    agree = [b is None or _share_a_word(a, b) for a, b in told.select("name", "known").iter_rows()]
    fine = told.filter(pl.Series(agree, dtype=pl.Boolean))["row"].implode()
    wrong = ~pl.col("row").is_in(equal) & ~pl.col("row").is_in(fine)
    strange = (
        told.filter(wrong)
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
        SequenceMatcher(None, a, b, autojunk=False).ratio() >= SPELLED_ALIKE
        for a in mine
        for b in theirs
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
    profiles = known.profiles(players).select("player", *_PROFILE[:4])
    profiles = profiles.join(
        known.ratings(players), on="player", how="left", maintain_order="left"
    ).rename({c: f"{c}_known" for c in _PROFILE})
    pairs = (
        pairs.join(settled, on=["player", "name"], how="left", maintain_order="left")
        .join(rest.select("row", "value", *_PROFILE), on="row", maintain_order="left")
        .join(profiles, on="player", how="left", maintain_order="left")
        # Who has another id of the same scheme is another person, whatever the name.
        .filter(~(pl.col("value").is_not_null() & pl.col("player").is_in(registered.implode())))
    )
    found = scored(pairs).filter(pl.col("score") >= DOUBTFUL)
    return found.sort(["row", "score", "player"], descending=[False, True, False])


def _no_pairs() -> pl.DataFrame:
    return schema({**CANDIDATES, "alike": LIKENESS}).to_frame(eager=True)


_PROFILE = ("birth", "federation", "title", "sex", "rating", "day")


def _sure(pairs: pl.DataFrame, *, taken: pl.Series) -> pl.DataFrame:
    """Return the pairs that nobody needs to look at; who was found by id is not found again."""
    if pairs.is_empty():
        return pairs
    top = pairs.group_by("row", maintain_order=True).first()  # they stand best first
    rivals = (
        pairs.join(
            top.select("row", best="player", name_best=named()), on="row", maintain_order="left"
        )
        .filter(
            (pl.col("player") != pl.col("best")) & (named() >= pl.col("name_best") - RIVAL - _SLACK)
        )
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
