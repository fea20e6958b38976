"""How one figure came about: every step of one player, sums by event and by period, and that it adds up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.workings import STEP_SCHEMA, numbered, player_rows, workings
from arpad.schema import schema

if TYPE_CHECKING:
    from datetime import date

    from arpad.model import Games, Ratings
    from arpad.rate.systems import RatingSystem

__all__ = ["EXPLAINED", "Explanation", "explained_games"]

_FIGURES = ("rating", "opponent_rating", "score", "expected", "k", "change", "rule")

EXPLAINED = schema(
    {
        "closing": pl.Date,  # of the period; null: the games are of no ledger
        "event_id": pl.Int64,
        "event": pl.String,
        "game_id": pl.Int64,  # in the ledger
        "date": pl.Date,
        "round": pl.String,
        "colour": pl.String,  # white or black
        "opponent_id": pl.Int64,  # null: no game
        "opponent": pl.String,
        **{name: STEP_SCHEMA[name] for name in _FIGURES},
    }
)
"""The steps of one player as people read them, in their order."""

GAME = pl.col("opponent_id").is_not_null() & pl.col("score").is_not_null()
"""The step that is a game's result; a step with an opponent and no score is what else that game did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Every step behind one figure.

    Parameters
    ----------
    player, number
        Name, and number in the ledger or id in the file.
    rating
        The figure; None: no rating.
    steps
        The columns of `EXPLAINED`. Changes begin at `start`.
    start
        What the first step starts from: 0 for no rating, else a list that somebody else made, or what
        was left out.
    skipped
        How many steps before these were left out, and are in `start`.
    whole
        False: the steps of some events only, which lead nowhere by themselves.
    """

    player: str
    number: str | None
    rating: float | None
    steps: pl.DataFrame
    start: float = 0.0
    skipped: int = 0
    whole: bool = True
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """The start and all changes, added up one by one."""
        now = self.start
        for change in self.steps["change"]:
            now += change
        return now

    @property
    def adds_up(self) -> bool:
        """Say whether the steps lead exactly to the figure."""
        return self.total == (self.rating or 0.0)

    @property
    def games(self) -> int:
        """How many games are among the steps."""
        return int(self.steps.select(GAME.sum()).item())

    def periods(self) -> pl.DataFrame:
        """Return `closing`, `before`, `change`, `after`, `games`: a row a period."""
        now = pl.concat([pl.Series([self.start], dtype=pl.Float64), self.steps["change"]])
        sums = now.cum_sum()
        steps = self.steps.select(
            "closing",
            GAME.alias("game"),
            sums.head(-1).alias("before"),
            sums.tail(-1).alias("after"),
        )
        return (
            steps.group_by("closing", maintain_order=True)
            .agg(
                pl.col("before").first(),
                (pl.col("after").last() - pl.col("before").first()).alias("change"),
                pl.col("after").last(),
                pl.col("game").sum().cast(pl.Int64).alias("games"),
            )
            .select("closing", "before", "change", "after", "games")
        )

    def events(self) -> pl.DataFrame:
        """Return what each event added: W, W_e where it is known of every game, and the change."""
        rated = pl.col("expected").is_not_null()
        return (
            self.steps.filter(pl.col("opponent_id").is_not_null())
            .group_by("closing", "event_id", "event", maintain_order=True)
            .agg(
                pl.col("date").min().alias("first"),
                pl.col("date").max().alias("last"),
                GAME.sum().cast(pl.Int64).alias("games"),
                rated.sum().cast(pl.Int64).alias("rated"),
                pl.col("score").sum(),
                pl.when(rated).then("score").sum().alias("rated_score"),
                pl.when((rated | ~GAME).all()).then(pl.col("expected").sum()).alias("expected"),
                pl.col("change").sum(),
            )
        )

    def course(self) -> pl.DataFrame:
        """Return `day` and `rating` after every period; of plain games, after every game.

        Where not every game has a date, days are the numbers of the games. No rating is null.
        """
        if self.steps["closing"].null_count() == 0:
            return self.periods().select(
                pl.col("closing").alias("day"), pl.col("after").replace(0.0, None).alias("rating")
            )
        changes = pl.concat([pl.Series([self.start], dtype=pl.Float64), self.steps["change"]])
        after = self.steps.select("date", changes.cum_sum().tail(-1).alias("rating"))
        last = GAME.shift(-1, fill_value=True) | pl.col("opponent_id").shift(-1).is_null()
        ends = self.steps.select(pl.col("opponent_id").is_not_null() & last).to_series()
        games = after.filter(ends)
        dated = games["date"].null_count() == 0
        day = pl.col("date") if dated else pl.int_range(1, pl.len() + 1)
        return games.select(day.alias("day"), pl.col("rating").replace(0.0, None))

    def since(self, day: date) -> Explanation:
        """Return only the periods that closed on a day or later; of plain games, those played then."""
        when = pl.coalesce("closing", pl.col("date").forward_fill())
        late = self.steps.select((when >= day).fill_null(value=False).cum_max()).to_series()
        early = self.steps.filter(~late)
        before = replace(self, steps=early)
        return replace(
            self,
            steps=self.steps.filter(late),
            start=before.total,
            skipped=self.skipped + early.height,
        )

    def of_events(self, wanted: pl.Expr) -> Explanation:
        """Return only the steps of some events."""
        return replace(self, steps=self.steps.filter(wanted), whole=False)

    def summary(self) -> str:
        """Return one sentence."""
        figure = "no rating" if self.rating is None else f"{self.rating:g}"
        count = f"{self.games:,} game{'' if self.games == 1 else 's'}"
        if not self.whole:
            return f"{self.player}: {count} of the chosen events, {self.steps['change'].sum():+.2f}"
        first = f"{self.start:g} before, " if self.start else ""
        # Some systems do not say what each game did: "0 games" would be false of them.
        count = f"{count}, " if self.games else ""
        return f"{self.player}: {first}{count}all changes together {figure}"


def explained_games(
    system: RatingSystem, games: Games, before: Ratings | None, row: int
) -> Explanation:
    """Return how one player's rating follows from games of no ledger.

    Parameters
    ----------
    row
        Of the player in `games.players`.
    """
    ratings, shown = workings(system, games, before)
    steps = shown.of(row)
    names, ids = games.players["name"], games.players["id"]
    table = numbered(games).table
    at, other = steps["game"], steps["opponent"]
    events = pl.Series("event", [e.name for e in games.events], dtype=pl.String)
    number = table["event"].gather(at)
    white = table["white"].gather(at) == row
    told = steps.select(
        pl.lit(None, dtype=pl.Date).alias("closing"),
        number.cast(pl.Int64).alias("event_id"),
        (events.gather(number) if len(events) else pl.lit(None, dtype=pl.String)).alias("event"),
        pl.lit(None, dtype=pl.Int64).alias("game_id"),
        table["date"].gather(at).alias("date"),
        table["round"].gather(at).alias("round"),
        pl.when(white).then(pl.lit("white")).when(~white).then(pl.lit("black")).alias("colour"),
        other.cast(pl.Int64).alias("opponent_id"),
        names.gather(other).alias("opponent"),
        *_FIGURES,
    )
    rated = ratings.rows.filter(player_rows(games, ratings) == row)["rating"]
    start = None if before is None else before.lookup(games.players[row : row + 1], "rating")[0]
    return Explanation(
        player=names[row],
        number=ids[row],
        rating=rated[0] if len(rated) else start,
        steps=told.cast(EXPLAINED),
        start=float(start or 0.0),
    )
