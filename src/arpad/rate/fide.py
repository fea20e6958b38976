"""FIDE's rating system, list by list, as FIDE runs it.

The rules and their articles are in `fide_rules`; which list an event is rated from, and which list
takes its changes, in `fide_calendar`; everybody's state while the months go by, in `fide_pool`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from arpad.model import Ratings
from arpad.rate.fide_calendar import by_list
from arpad.rate.fide_pool import Pool
from arpad.rate.fide_rules import TODAY, FideRules
from arpad.rate.fide_rules import rules as rules_called

if TYPE_CHECKING:
    from arpad.model import Games

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
        """Rate the games that were played."""
        played = by_list(games.rateable())
        pool = Pool.start(games, played, before, self.rules, established=self.established)
        for _, part in played.group_by("close", maintain_order=True):
            pool.publish_until(int(part["close"][0]))
            pool.take(part)
        pool.publish_until(pool.month + 1)
        rows = pool.rows(games).filter(pl.col("games") > 0)
        return Ratings.rank(rows, system=self.name, parameters=self.parameters(), games=games)
