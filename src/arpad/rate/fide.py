"""FIDE's rating system, list by list, as FIDE runs it.

The rules and their articles are in `fide_rules`; which list an event is rated from, and which list
takes its changes, in `fide_calendar`; everybody's state while the months go by, in `fide_pool`; what one
call leaves for the next, in `fide_carried`; the steps on the way, in `fide_steps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from arpad.model import Ratings
from arpad.rate.fide_calendar import NEVER, by_list
from arpad.rate.fide_pool import Pool
from arpad.rate.fide_rules import TODAY, FideRules
from arpad.rate.fide_rules import rules as rules_called
from arpad.rate.fide_start import starting
from arpad.rate.fide_steps import FideRecord
from arpad.rate.workings import numbered, player_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.fide_start import FideStart
    from arpad.rate.workings import Workings

__all__ = ["Fide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fide:
    """FIDE's system as a set of constants.

    Parameters
    ----------
    rules
        Which version of the regulations; today's by default.
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
    rules: FideRules = TODAY
    established: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.rules, str):
            object.__setattr__(self, "rules", rules_called(self.rules))

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {**self.rules.parameters(), "established": self.established}

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, month by month.

        What the next call needs is in the rows: months rated one after the other, each from the list
        before, give what one call gives, as long as each event is whole in the month in which it ends.
        """
        return self._run(games, before, None)

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every step with its article."""
        record = FideRecord(self.rules)
        ratings = self._run(games, before, record)
        return ratings, record.workings(self.name, player_rows(games, ratings))

    def _run(self, games: Games, before: Ratings | None, record: FideRecord | None) -> Ratings:
        played = by_list(numbered(games).rateable())
        start = starting(games, played, before, self.rules, established=self.established)
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
        return Ratings.rank(
            pool.rows(games), system=self.name, parameters=self.parameters(), games=games
        )


def _come_rated(start: FideStart, played: pl.DataFrame) -> NDArray[np.int64]:
    """Return who plays and has the rating from the source."""
    playing = np.unique(np.concatenate([played["white"].to_numpy(), played["black"].to_numpy()]))
    new = ~start.listed & ~np.isnan(start.lists[-1].ratings)
    return np.asarray(playing[new[playing]])
