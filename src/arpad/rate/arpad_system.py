"""arpad's own system: a rating with a spread, and what else helps to foretell the next game.

Everything that it does with a game stands in `arpad_game`; docs/methods/arpad.md has each ingredient, its
constant, and what it adds on games that had no part in choosing it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.arpad_constants import Constants
from arpad.rate.arpad_game import forecast
from arpad.rate.arpad_run import EPOCH, People, days_of, run
from arpad.rate.arpad_workings import arpad_workings
from arpad.rate.start import first_given, known_before
from arpad.rate.workings import numbered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arpad.model import Games
    from arpad.rate.workings import Workings

    Array = NDArray[np.float64]

__all__ = ["ArpadSystem"]

ENOUGH = 200
"""Games from which on one can see whether players meet others of their strength."""

LOOSE = 1000.0
"""Points of `meeting` from which on it hardly draws anybody."""

ALIKE = 0.2
"""Correlation of both ratings over all games below which they do not; .66 in six years of open tournaments,
.59 among national teams, 0 where pairings are drawn by lot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArpadSystem(Constants):
    """The system as a set of constants; those of `Constants`, and where players start.

    Parameters
    ----------
    start, start_error
        Rating and uncertainty of newcomers who meet each other.
    below
        Points that a newcomer enters below a first opponent who is no newcomer.
    given, given_error
        Start players from the first rating that the source gives them, with this uncertainty.
    evidence
        The weight, in forecasts, of the rating that the source gives beside a game; with `given` only.

    Examples
    --------
    >>> from arpad.model import Games
    >>> rated = ArpadSystem().rate(Games.build([("Ann", "Bob", 1.0), ("Ann", "Cid", 0.5)]))
    >>> [(who, round(rating), round(error)) for who, rating, error in
    ...  rated.rows.select("player", "rating", "error").iter_rows()][0][0]
    'Ann'
    """

    name: ClassVar[str] = "arpad"
    start: float = 2000.0
    start_error: float = 450.0
    below: float = 150.0
    given: bool = True
    given_error: float = 400.0
    evidence: float = 0.6

    def __post_init__(self) -> None:
        Constants.__post_init__(self)
        for name in ("start_error", "given_error"):
            if not 0 < getattr(self, name) <= 1e4:
                raise UsageError(
                    f"expected {name} above 0 and up to 10,000, found {getattr(self, name)!r}"
                )
        for name in ("start", "below"):
            if not abs(getattr(self, name)) <= 1e5:
                raise UsageError(f"expected a finite {name}, found {getattr(self, name)!r}")
        if not 0 <= self.evidence <= 1:
            raise UsageError(f"expected evidence from 0 to 1, found {self.evidence!r}")

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, one after the other; `error` is of the last game's day."""
        played = games.rateable()
        people = self._people(games, played, before)
        first = people.rating.copy()
        run(self, played, people)
        return self._listed(games, played, people, first)

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and what every game added."""
        games = numbered(games)
        played = games.rateable()
        people = self._people(games, played, before)
        first = people.rating.copy()
        sides = run(self, played, people, told=True)
        listed = ~np.isnan(known_before(games, before, "rating"))
        steps = arpad_workings(self.name, played, sides, listed=listed, known=~np.isnan(first))
        return self._listed(games, played, people, first), steps

    def expected(
        self,
        rating: ArrayLike,
        error: ArrayLike,
        opponent: ArrayLike,
        opponent_error: ArrayLike,
        *,
        colour: ArrayLike = 0,
    ) -> Any:
        """Return the expected score of a game to come; colour 1 is White, −1 Black, 0 not known.

        Examples
        --------
        >>> round(float(ArpadSystem().expected(2400, 40, 2300, 40)), 2)
        0.64
        """
        R, s, O, t, c = np.broadcast_arrays(rating, error, opponent, opponent_error, colour)
        found = [
            forecast(self, float(a), float(b), float(x) ** 2 + float(y) ** 2, float(side))[0]
            for a, x, b, y, side in zip(R.flat, s.flat, O.flat, t.flat, c.flat, strict=True)
        ]
        return np.array(found).reshape(R.shape)

    def foretell(self, games: Games, first: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return each game's rating difference and White's expected score, from what was before its period.

        `games.table` is in the order of play; a period begins at each row of `first`.
        """
        from arpad.rate.arpad_forward import forward

        return forward(self, games, first)

    def _people(self, games: Games, played: pl.DataFrame, before: Ratings | None) -> People:
        listed = known_before(games, before, "rating")
        rating = listed
        if self.given:
            rating = np.where(np.isnan(listed), first_given(games, played), listed)
        error = known_before(games, before, "error")
        error = np.where(np.isnan(error) | np.isnan(listed), self.given_error, error)
        total = known_before(games, before, "total_games")
        return People(
            rating=rating,
            variance=error**2,
            games=np.nan_to_num(total).astype(np.int64),
            last=days_of(games, before),
        )

    def _listed(self, games: Games, played: pl.DataFrame, people: People, first: Array) -> Ratings:
        n = games.players.height
        mine = np.bincount(played["white"], minlength=n) + np.bincount(played["black"], minlength=n)
        last = pl.Series("last", people.last - EPOCH).set(pl.Series(people.last < 0), None)
        rows = pl.DataFrame(
            {
                "player": games.players["name"],
                "id": games.players["id"],
                "rating": people.rating,
                "error": np.sqrt(people.variance),
                "games": mine,
                "before": pl.Series(first).fill_nan(None),
                "change": pl.Series(people.rating - first).fill_nan(None),
                "total_games": people.games,
                "last": last.cast(pl.Int32).cast(pl.Date),
            }
        ).filter(pl.Series(mine > 0))
        ratings = Ratings.rank(rows, system=self.name, parameters=self.parameters(), games=games)
        notes = _doubts(self, played, people.rating)
        return replace(ratings, source={**ratings.source, "notes": notes}) if notes else ratings


def _doubts(system: ArpadSystem, played: pl.DataFrame, rating: Array) -> list[str]:
    """Return a note where players meet others whatever their strength: `meeting` expects them not to."""
    if len(played) < ENOUGH or system.meeting >= LOOSE:
        return []
    white, black = (rating[played[side].to_numpy()] for side in ("white", "black"))
    one, two = np.r_[white, black], np.r_[black, white]
    alike = float(np.corrcoef(one, two)[0, 1]) if one.std() > 0 else 0.0
    if alike >= ALIKE:
        return []
    note = (
        f"players here meet others whatever their strength (ratings of the two correlate by {alike:.2f}, "
        f"in open tournaments by .66): meeting={system.meeting:g} draws ratings together, and errors are "
        "too small; glicko and whr expect nothing of whom one meets"
    )
    return [note]
