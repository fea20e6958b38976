"""Traces of ratings, step by step: W, W_e, K and the rule behind every change.

A step is a player's side of one game, or something without a game: a first rating, a floor, a bonus,
rounding. A rating that is not there counts as 0, so that for every player the rating before and all
changes, added up in their order, are the rating after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.model import Games, schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Ratings


STEP_SCHEMA = schema(
    {
        "player": pl.Int32,  # row of `players`
        "seq": pl.Int32,  # place among the player's steps, from 0
        "game": pl.Int64,  # row of `games.table`; null: a step without a game
        "opponent": pl.Int32,  # row of `players`
        "rating": pl.Float64,  # the one that the step was taken from; null: none
        "opponent_rating": pl.Float64,  # as the rule sees it
        "score": pl.Float64,  # W
        "expected": pl.Float64,  # W_e
        "k": pl.Float64,  # what W − W_e is multiplied by
        "change": pl.Float64,  # in rating points
        "rule": pl.String,  # why, with the section
    }
)
GIVEN = "the rating that the source gives"
START = "the start rating of a newcomer"
NOISE = 1e-9
"""Points: what binary fractions leave of a sum, and no more."""
UNDIVIDED = "this system does not divide its change among games"


@dataclass(slots=True)
class Trace:
    """Collects the steps of a run: the columns of `STEP_SCHEMA`, in their order.

    `divided` is set by a system that divides its changes among games.
    """

    parts: list[pl.DataFrame] = field(default_factory=list)
    divided: bool = False

    def divide(self) -> None:
        """Note that the system divides its changes among games, also where there are none."""
        self.divided = True

    def add(self, steps: pl.DataFrame) -> None:
        """Take steps of a system that divides its changes among games."""
        self.divide()
        self.parts.append(steps)

    def steps(self) -> pl.DataFrame:
        """Return all steps in their order."""
        none = pl.DataFrame(schema={"player": pl.Int32, "change": pl.Float64, "rule": pl.String})
        return pl.concat([none, *self.parts], how="diagonal_relaxed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workings:
    """The steps behind ratings.

    Parameters
    ----------
    steps
        The columns of `STEP_SCHEMA`, by player, and each player's in the order in which they were taken.
    divided
        Whether the system divides its change among games; False: one step a player.
    """

    system: str
    steps: pl.DataFrame
    divided: bool = True

    @classmethod
    def build(cls, system: str, steps: pl.DataFrame, *, divided: bool = True) -> Workings:
        """Return workings from steps in the order in which they were taken; columns left out are null."""
        missing = [
            pl.lit(None, dtype=kind).alias(name)
            for name, kind in STEP_SCHEMA.items()
            if name not in steps.columns
        ]
        if not steps["player"].is_sorted():
            steps = steps.sort("player", maintain_order=True)
        numbers = pl.int_range(pl.len(), dtype=pl.Int32).over("player").alias("seq")
        steps = steps.with_columns(*missing).with_columns(numbers)
        return cls(
            system=system,
            steps=steps.select(pl.col(c).cast(kind) for c, kind in STEP_SCHEMA.items()),
            divided=divided,
        )

    def of(self, player: int) -> pl.DataFrame:
        """Return the steps of one player, a row of `players`."""
        return self.steps.filter(pl.col("player") == player)

    def table(self, games: Games) -> pl.DataFrame:
        """Return the steps as people read them: names instead of row numbers, event and date."""
        names = games.players["name"]
        played = games.frame().select("event", "date", "round")
        at = self.steps["game"]
        return self.steps.select(
            names.gather(self.steps["player"]).alias("player"),
            *(played[c].gather(at).alias(c) for c in played.columns),
            names.gather(self.steps["opponent"]).alias("opponent"),
            *STEP_SCHEMA.names()[STEP_SCHEMA.names().index("rating") :],
        )

    def summary(self) -> str:
        """Return one sentence on what is here."""
        played, people = self.steps["game"].drop_nulls(), self.steps["player"].n_unique()
        whole = "" if self.divided else f"; {UNDIVIDED}"
        return (
            f"{self.system}: {self.steps.height:,} steps of {people:,} players, "
            f"{played.len():,} of them games{whole}"
        )


def settled(steps: pl.DataFrame, games: Games, before: Ratings | None, ratings: Ratings) -> pl.DataFrame:
    """Let every player's last step end exactly at the rating: sums in another order differ by a bit."""
    if not steps.height:
        return steps
    figures = pl.DataFrame(
        {
            "player": player_rows(games, ratings),
            "first": _earlier(before, ratings).fill_null(0.0),
            "after": ratings.rows["rating"].cast(pl.Float64).fill_nan(None).fill_null(0.0),
        }
    )
    on_the_way = steps.select("player", "seq", "change").join(
        figures, on="player", how="left", maintain_order="left"
    )
    # The rating before is added first, as a reader would do it.
    first = pl.when(pl.col("seq") == 0).then(pl.col("first") + pl.col("change"))
    sums = on_the_way.with_columns(first.otherwise("change").cum_sum().over("player").alias("now"))
    last = pl.col("seq") == pl.len().over("player") - 1
    earlier = pl.col("now").shift(1).over("player").fill_null(pl.col("first"))
    miss = (pl.col("after") - pl.col("now")).abs()
    change = pl.when(last & (miss > 0) & (miss <= NOISE)).then(pl.col("after") - earlier).otherwise("change")
    return steps.with_columns(sums.select(change.alias("change")).to_series())


def whole_steps(games: Games, before: Ratings | None, ratings: Ratings) -> pl.DataFrame:
    """Return one step a player."""
    return (
        pl.DataFrame(
            {
                "player": player_rows(games, ratings),
                "rating": _earlier(before, ratings),
                "after": ratings.rows["rating"].cast(pl.Float64).fill_nan(None),
            }
        )
        .with_columns(
            (pl.col("after").fill_null(0.0) - pl.col("rating").fill_null(0.0)).alias("change"),
            pl.when(pl.col("rating").is_null() & pl.col("after").is_not_null())
            .then(pl.lit(f"first rating; {UNDIVIDED}"))
            .otherwise(pl.lit(UNDIVIDED))
            .alias("rule"),
        )
        .drop("after")
    )


def _earlier(before: Ratings | None, ratings: Ratings) -> pl.Series:
    """Return the rating that each of the rated players had on the earlier list."""
    if before is None:
        return pl.Series("rating", [None] * ratings.rows.height, dtype=pl.Float64)
    who = ratings.rows.select(pl.col("player").alias("name"), "id")
    return before.lookup(who, "rating").cast(pl.Float64).fill_nan(None)


def player_rows(games: Games, ratings: Ratings) -> pl.Series:
    """Return the row in `games.players` of every row of ratings; namesakes without an id in turn."""
    ids = games.players["id"]
    if not ids.null_count() and ids.n_unique() == len(ids):
        here = games.players.select("id").with_row_index("player")
        result = ratings.rows.select("id").join(here, on="id", how="left", maintain_order="left")
        return result["player"].cast(pl.Int32)
    waiting: dict[tuple[str, str | None], list[int]] = {}
    for row, who in enumerate(games.players.select("name", "id").iter_rows()):
        waiting.setdefault(who, []).append(row)
    numbers = [
        rows.pop(0) if len(rows := waiting[who]) > 1 else rows[0]
        for who in ratings.rows.select("player", "id").iter_rows()
    ]
    return pl.Series("player", numbers, dtype=pl.Int32)


def both_sides(white: NDArray[Any], black: NDArray[Any]) -> NDArray[Any]:
    """Return White's and Black's values in turn: two a game."""
    return np.stack([white, black], axis=1).ravel()


def numbered(games: Games) -> Games:
    """Return the games with their row numbers in a further column, `row`, that survives reordering."""
    if "row" in games.table.columns:
        return games
    return Games(games.table.with_row_index("row"), games.players, games.events)
