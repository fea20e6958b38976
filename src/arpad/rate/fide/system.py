"""FIDE's rating system, list by list, with the article behind every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.rate.fide.players import MEMORY, Pool, month_text, starting
from arpad.rate.fide.rules import NEVER, TODAY, FideRules, by_list, rapid_articles, rules
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.system import GIVEN, numbered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.fide.players import FideStart
    from arpad.rate.fide.rules import FirstRating
    from arpad.rate.k import KPolicy
    from arpad.rate.system import State, Trace


# The steps of FIDE's rules, with their articles: what each game did, what became of it each month.

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
            [
                f"K {k}: {why} [8.3.3]{self._how(month, cap)}{since}"
                for month in months.tolist()
                for since in ("", "; unrated there, but rated since [8.2.4]")
                for k, why in self.rules.levels
                for cap in (False, True)
            ]
        ).gather(code)
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

    def all_steps(self, players: NDArray[np.int64]) -> pl.DataFrame:
        """Return all steps of these players."""
        none = pl.DataFrame(schema={"player": pl.Int32, "change": pl.Float64, "rule": pl.String})
        steps = pl.concat([none, *self.steps], how="diagonal_relaxed")
        if self.rules.rapid:
            cited = {rule: rapid_articles(rule) for rule in steps["rule"].unique()}
            steps = steps.with_columns(pl.col("rule").replace_strict(cited, return_dtype=pl.String))
        return steps.filter(pl.col("player").is_in(players))

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
            self.steps.append(frame.with_columns(*more, text.alias("rule"), pl.col("player").cast(pl.Int32)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fide(ListRates):
    """FIDE's system as a set of constants.

    Parameters
    ----------
    rules
        Version of the regulations; default: today's.
    established
        Players who come with a rating have played their first thirty games (nothing says so in most
        files); with False they count as new.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> pair = [Player(name="Ann", rating=2000.0), Player(name="Bob", rating=2000.0)]
    >>> games = Games.assemble({"white": [0], "black": [1], "score": [1.0]}, pair)
    >>> Fide().rate(games).table().select("player", "rating", "change", "k").rows()
    [('Ann', 2010.0, 10.0, 20), ('Bob', 1990.0, -10.0, 20)]
    """

    name: ClassVar[str] = "fide"
    memory: ClassVar[Mapping[str, Any]] = MEMORY
    rules: FideRules = TODAY
    established: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.rules, str):
            object.__setattr__(self, "rules", rules(self.rules))

    @property
    def given_policy(self) -> KPolicy | None:
        """K of the ratings that a source gives; who counts as new has a rating of which nothing is known."""
        return self.rules.policy if self.established else None

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {**self.rules.parameters(), "established": self.established}

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return the list after the games, month by month.

        Months rated one after the other give what one call gives, as long as each event is whole in the month
        in which it ends.
        """
        here = entrants(self, state, numbered(games))
        record = None if trace is None else FideRecord(self.rules)
        played = by_list(here.games.rateable())
        start = starting(here, played, self.rules, established=self.established)
        # What is reported for a month whose list is out goes into the next list.
        late = pl.max_horizontal("close", pl.lit(start.opens)).alias("close")
        played = played.with_columns(late).sort("close", maintain_order=True)
        pool = Pool(self.rules, start, int(played["close"][0]) if played.height else NEVER, record)
        if record:
            record.given(_come_rated(start, played), pool.ratings)
        for _, part in played.group_by("close", maintain_order=True):
            pool.publish_until(int(part["close"][0]))
            pool.take(part)
        pool.publish_until(pool.month + 1)
        rows, listed = pool.rows()
        if trace is not None and record is not None:
            trace.add(here.steps(record.all_steps(np.flatnonzero(listed))))
        return here.after(rows, rated=listed, parameters=self.parameters())


def _come_rated(start: FideStart, played: pl.DataFrame) -> NDArray[np.int64]:
    """Return who plays and has the rating from the source."""
    playing = np.unique(np.concatenate([played["white"].to_numpy(), played["black"].to_numpy()]))
    new = ~start.listed & ~np.isnan(start.lists[-1].ratings)
    return np.asarray(playing[new[playing]])
