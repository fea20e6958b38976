"""The U.S. committee's proposal of 1994, event by event, with what is kept between events [USCF 1994, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from arpad.errors import UsageError
from arpad.rate.uscf1994_event import PROVISIONAL_GAMES, Event1994
from arpad.rate.uscf_run import check_uscf, listed, run
from arpad.rate.uscf_state import UscfPool
from arpad.rate.uscf_workings import uscf_workings
from arpad.rate.workings import numbered
from arpad.scale import Logistic

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate.uscf_sections import Repeated
    from arpad.rate.uscf_standing import Line
    from arpad.rate.workings import Workings

__all__ = ["Provisional", "Uscf1994"]

Provisional = Literal["k", "greater", "performance"]
"""How provisional players are rated: by K = 600 / (N + m − 1) [1.5.2]; by the greater of that and the
performance over all their games [1.5.3]; by that performance alone [1.5.4]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uscf1994:
    """The procedure as a set of constants.

    Parameters
    ----------
    provisional
        The rule for provisional players.
    start
        Rating of an unrated opponent of whom neither FIDE rating nor age is known. The report names none:
        1000 is that of the system it replaces [1.2].
    given
        Start players from the first rating that the source gives them, if it does.
    floor
        No rating falls below this one [5.2]; None: no floor.
    repeated
        What to do with an event that stands there twice.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> rated = [Player(name=f"{r}", rating=float(r)) for r in (900, 1100, 1350, 1400, 1450)]
    >>> people = [Player(name="Ann", rating=700.0, total_games=10), *rated]
    >>> games = Games.assemble({"white": [0] * 5, "black": [1, 2, 3, 4, 5], "score": [1, 1, 1, 0.5, 0]}, people)
    >>> rows = Uscf1994().rate(games).rows.filter(player="Ann").to_dicts()
    >>> round(rows[0]["rating"]), rows[0]["status"], rows[0]["total_games"]
    (834, 'provisional', 15)
    """

    name: ClassVar[str] = "uscf1994"
    provisional: Provisional = "k"
    start: float = 1000.0
    given: bool = True
    floor: float | None = None
    repeated: Repeated = "skip"

    def __post_init__(self) -> None:
        check_uscf(self.start, self.floor, self.repeated)
        if self.provisional not in get_args(Provisional):
            raise UsageError(
                f"provisional: expected one of {', '.join(get_args(Provisional))}; found {self.provisional!r}"
            )

    @property
    def curve(self) -> Logistic:
        """The winning expectancy [1.5.1]."""
        return Logistic()

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        mine = {name: getattr(self, name) for name in self.__slots__}
        return {**self.curve.parameters(), **mine}

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, event by event."""
        return self._rated(games, before)[0]

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every player's side of every game."""
        begun = self._pool(games, before).standings
        rated, lines = self._rated(numbered(games), before)
        return rated, uscf_workings(self, games, before, begun, lines)

    def _rated(self, games: Games, before: Ratings | None) -> tuple[Ratings, list[Line]]:
        pool = self._pool(games, before)
        lines, notes = run(partial(Event1994, self), games, pool, self.repeated)
        rated = listed(
            pool,
            notes,
            games,
            system=self.name,
            parameters=self.parameters(),
            start=self.start,
        )
        return rated, lines

    def lines(self, games: Games, before: Ratings | None = None) -> list[Line]:
        """Return every player's part in every event: what went in, what came out, by which rule."""
        return run(partial(Event1994, self), games, self._pool(games, before), self.repeated)[0]

    def _pool(self, games: Games, before: Ratings | None) -> UscfPool:
        return UscfPool(games, before, given=self.given, provisional_games=PROVISIONAL_GAMES)
