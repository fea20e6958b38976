"""The steps of FIDE's rules, with their articles: what each game did, what became of it each month."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.rate.fide_articles import rapid_articles
from arpad.rate.fide_calendar import NEVER
from arpad.rate.fide_carried import month_text
from arpad.rate.workings import GIVEN, Workings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.fide_rules import FideRules, FirstRating

__all__ = ["FideRecord"]

NOISE = 1e-9
"""Points: what binary fractions leave of a change that is whole."""

ROUNDED = "rounding: the sum of the month to a whole number, halves away from zero [8.3.4]"

_GAME = ("player", "row", "opponent", "rating", "opponent_rating", "score", "at")


class FideRecord:
    """A list of steps that grows month by month."""

    def __init__(self, rules: FideRules) -> None:
        self.rules = rules
        self.steps: list[pl.DataFrame] = []
        self.month: list[pl.DataFrame] = []
        """Games of the month under way."""

    def given(self, players: NDArray[np.int64], ratings: NDArray[np.float64]) -> None:
        """Write down with which ratings players come."""
        self._add(player=players, change=ratings[players], rule=GIVEN)

    def uncounted(self, rows: pl.DataFrame) -> None:
        """Write down games against unrated opponents."""
        self._games(rows, change=0.0, rule="the opponent is unrated: not counted [8.2, 8.3.1]")

    def far(self, rows: pl.DataFrame) -> None:
        """Write down games that are not rated because the two are too far apart."""
        rule = f"{self.rules.gap} points or more apart, one of them above {self.rules.gap_above}: not rated [8.3.1]"
        self._games(rows, change=0.0, rule=rule)

    def waiting(self, rows: pl.DataFrame) -> None:
        """Write down games that wait for a first rating."""
        n, months = self.rules.min_games, self.rules.window_months
        rule = f"unrated: counts towards the {n} games in {months} months of a first rating [7.1.4]"
        self._games(rows, change=0.0, rule=rule)

    def rated(
        self,
        rows: pl.DataFrame,
        *,
        expected: NDArray[np.float64],
        k: NDArray[np.int64],
        change: NDArray[np.float64],
        capped: NDArray[np.bool_],
        n: NDArray[np.int64],
    ) -> None:
        """Write down rated games: K and why, the list in force, the difference if it is capped."""
        months, which = np.unique(rows["list"].to_numpy(), return_inverse=True)
        code = 16 * which + 2 * rows["why"].to_numpy() + capped
        rule = pl.Series(
            [f"K {k}: {why} [8.3.3]{self._how(month, cap)}{since}"
             for month in months.tolist() for since in ("", "; unrated there, but rated since [8.2.4]")
             for k, why in self.rules.levels for cap in (False, True)]
        ).gather(code)  # fmt: skip
        limited = np.flatnonzero(k != rows["k"].to_numpy())
        few = zip(limited, rows["k"].gather(limited), rows["list"].gather(limited), strict=True)
        texts = [
            f"K {k[i]}: {usual} × {n[i]} games exceed {self.rules.k_limit} [8.3.3]"
            f"{self._how(month, bool(capped[i]))}"
            for i, usual, month in few
        ]
        rule = rule.scatter(limited, texts) if texts else rule
        self._games(rows, expected=expected, k=k, change=change, rule=rule)

    def _how(self, month: int, capped: bool) -> str:
        cap = f"; difference counted as {self.rules.cap} [8.3.1]" if capped else ""
        date = f"; list of {month_text(month)}" if month != NEVER else ""
        return f"; table [8.1.2]{cap}{date}"

    def rounded(self, change: NDArray[np.float64], whole: NDArray[np.float64]) -> None:
        """Write down a month's games in their order, and what rounding to whole points adds [8.3.4]."""
        if self.month:
            games = pl.concat(self.month, how="diagonal_relaxed").sort("at", maintain_order=True)
            self.steps.append(games.drop("at"))
            self.month = []
        rest = whole - change
        at = np.flatnonzero(np.abs(rest) > NOISE)
        self._add(player=at, change=rest[at], rule=ROUNDED)

    def fallen(self, players: NDArray[np.int64], ratings: NDArray[np.float64]) -> None:
        """Write down who is unrated again [7.2.1]."""
        rule = f"below {self.rules.floor}: unrated [7.2.1]"
        self._add(player=players, rating=ratings[players], change=-ratings[players], rule=rule)

    def first(self, found: list[tuple[int, FirstRating, int]]) -> None:
        """Write down first ratings with their formula, and how many games were disregarded [8.2]."""
        texts = [
            f"first rating: {rating.words()}"
            + (f", {zero} of a first event without a point disregarded [8.2.1]" if zero else "")
            for _, rating, zero in found
        ]
        self._add(
            player=[player for player, _, _ in found],
            change=pl.Series([rating.rating for _, rating, _ in found], dtype=pl.Float64),
            rule=pl.Series(texts, dtype=pl.String),
        )

    def workings(self, system: str, players: pl.Series) -> Workings:
        """Return all steps of these players."""
        none = pl.DataFrame(schema={"player": pl.Int32, "change": pl.Float64, "rule": pl.String})
        steps = pl.concat([none, *self.steps], how="diagonal_relaxed")
        if self.rules.rapid:
            cited = {rule: rapid_articles(rule) for rule in steps["rule"].unique()}
            steps = steps.with_columns(pl.col("rule").replace_strict(cited, return_dtype=pl.String))
        return Workings.build(system, steps.filter(pl.col("player").is_in(players.implode())))

    def _games(self, rows: pl.DataFrame, **columns: Any) -> None:
        known = rows.select(_GAME).rename({"row": "game"})
        known = known.with_columns(pl.col("rating", "opponent_rating").fill_nan(None))
        if known.height:
            self._add(**known.to_dict(), **columns)
            self.month.append(self.steps.pop())

    def _add(self, *, rule: str | pl.Series, **columns: Any) -> None:
        """Take steps as columns; a number or a text stands for as many as there are players."""
        plain = {name: pl.lit(value) for name, value in columns.items() if isinstance(value, float)}
        frame = pl.DataFrame({name: value for name, value in columns.items() if name not in plain})
        if frame.height:
            text = rule if isinstance(rule, pl.Series) else pl.lit(rule)
            more = (value.alias(name) for name, value in plain.items())
            self.steps.append(
                frame.with_columns(*more, text.alias("rule"), pl.col("player").cast(pl.Int32))
            )
