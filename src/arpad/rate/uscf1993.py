"""The U.S. federation's system that the report of 1994 was to replace [USCF 1994, 1.2]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from arpad.rate.uscf1993_event import PROVISIONAL_GAMES, Event1993
from arpad.rate.uscf_run import check_uscf, listed, run
from arpad.rate.uscf_state import UscfPool
from arpad.scale import Logistic

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate.uscf_sections import Repeated
    from arpad.rate.uscf_standing import Line

__all__ = ["Uscf1993"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uscf1993:
    """The procedure as a set of constants.

    Parameters
    ----------
    start
        Rating of an unrated opponent [1.2].
    given
        Start players from the first rating that the source gives them, if it does.
    floor
        No rating falls below this one [5.2]; None: no floor.
    repeated
        What to do with an event that stands there twice.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> people = [Player(name="New"), *(Player(name=f"{i}", rating=1040.0) for i in range(5))]
    >>> games = Games.assemble({"white": [0] * 5, "black": [1, 2, 3, 4, 5], "score": [1, 1, 1, 1, 1]}, people)
    >>> Uscf1993().rate(games).rows.select("player", "rating", "status").row(0)
    ('New', 1440.0, 'provisional')
    """

    name: ClassVar[str] = "uscf1993"
    start: float = 1000.0
    given: bool = True
    floor: float | None = None
    repeated: Repeated = "skip"

    def __post_init__(self) -> None:
        check_uscf(self.start, self.floor, self.repeated)

    @property
    def curve(self) -> Logistic:
        """The winning expectancy of the established formula [1.5.1]."""
        return Logistic()

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        mine = {name: getattr(self, name) for name in self.__slots__}
        return {**self.curve.parameters(), **mine}

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, event by event."""
        pool = self._pool(games, before)
        _, notes = run(partial(Event1993, self), games, pool, self.repeated)
        return listed(
            pool,
            notes,
            games,
            system=self.name,
            parameters=self.parameters(),
            start=self.start,
        )

    def lines(self, games: Games, before: Ratings | None = None) -> list[Line]:
        """Return every player's part in every event: what went in, what came out, by which rule."""
        return run(partial(Event1993, self), games, self._pool(games, before), self.repeated)[0]

    def _pool(self, games: Games, before: Ratings | None) -> UscfPool:
        return UscfPool(games, before, given=self.given, provisional_games=PROVISIONAL_GAMES)
