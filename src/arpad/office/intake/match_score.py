"""The score of a match: how alike two names are, and what else speaks for or against one person.

The rule is written down in ``docs/ledger.md``; the constants are choices of this project, made so
that a full name alone is enough, that an abbreviated one needs witnesses, and that no witness makes
up for a contradiction.
"""

from __future__ import annotations

import polars as pl

__all__ = ["DOUBTFUL", "MARGIN", "NAME_SCORE", "RIVAL", "SURE", "named", "scored"]

SURE = 0.95
"""A score from which on a match is taken, if nobody else comes near."""

MARGIN = 0.10
"""How far behind the best rival must be."""

RIVAL = 0.05
"""Whose name is worth so much less by itself is no rival: `Fox, Fay` is not in doubt because of `Fox,F`."""

DOUBTFUL = 0.60
"""A score below which nobody needs to be asked: two people."""

NAME_SCORE = {
    "same": 1.0,
    "same word": 0.95,
    "same short": 0.9,
    "fewer": 0.9,
    "initials": 0.85,
    "beginning": 0.85,
    "part": 0.85,
    "letter": 0.8,
}
"""What a likeness of names is worth by itself (`candidates.Likeness`)."""

SETTLED = 0.15
"""Somebody has decided before that this spelling is this player."""

BIRTH_DAY, BIRTH_YEAR = 0.15, 0.10
"""The same day of birth; the same year or month, where no more is known."""

OTHER_DAY, OTHER_YEAR = -0.10, -0.50
"""Another day in the same year may be a slip; another year is another person."""

SAME_FEDERATION, OTHER_FEDERATION = 0.03, -0.10
SAME_TITLE = 0.02
OTHER_SEX = -0.50

NEAR, NEAR_SCORE = 50.0, 0.06
"""Given ratings at most so many points apart speak for one person."""

FAR, FAR_SCORE = 200.0, -0.10
"""Farther apart than this (two class intervals of 200 begin to part) they speak against it."""

TOO_FAR, TOO_FAR_SCORE = 400.0, -0.30

SAME_TIME = 730
"""Days between two given ratings beyond which they say nothing of each other."""

PROFILE = ("birth", "federation", "title", "sex", "rating", "day")


def scored(pairs: pl.DataFrame) -> pl.DataFrame:
    """Add `score` (0 to 1) and `reason` (in words) to pairs.

    Parameters
    ----------
    pairs
        `alike`, `settled` and, of the incoming row and (with the ending ``_known``) of the known
        player, `birth`, `federation`, `title`, `sex`, `rating`, `day` (of the rating).
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
    """Return what the likeness of the names is worth by itself."""
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
    here, there = pl.col("federation"), pl.col("federation_known")
    sex = pl.col("sex") != pl.col("sex_known")
    return [
        (here == there, SAME_FEDERATION, pl.lit("same federation")),
        (here != there, OTHER_FEDERATION, pl.format("{} and {}", here, there)),
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
