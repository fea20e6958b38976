"""PRA: R′ = R + 9 (S − E), with boosts for players who are on their way, and a mean that stays.

Source: T. Berard, *The Performance Rating Algorithm (PRA) and the Tournament App*, part 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from arpad.errors import UsageError
from arpad.rate.pra_rating import rate_pra
from arpad.rate.pra_reference import BOOSTING, START, Boosting, K
from arpad.rate.pra_workings import pra_workings
from arpad.scale import Pra as PraCurve

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate.workings import Workings

__all__ = ["Anchoring", "Pra", "PraBasic"]

Anchoring = float | Literal["brought"] | None
"""What the mean of the population is brought back to every night.

"brought": what everybody brought into the system, 1500 or a given rating; a number: that number; None:
nothing.
"""

NEWCOMER_SPREAD = 300.0
"""Standard deviation of the true ratings in the text's standard population, in points."""

FARTHEST = 1e5
"""No constant in rating points is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pra:
    """The Basic and the Boosting System as a set of constants.

    Parameters
    ----------
    k, start, given, anchor, newcomer_spread
        As in `PraBasic`.
    boosting
        The constants of the Boosting System.
    boost_given
        Boost those too whose rating does not say on how many games it rests.
    corrected
        Names or ids of players whose rating was corrected after an event: they are not boosted any
        more. On the command line with ``;`` between them.

    Examples
    --------
    >>> from arpad.model import Games
    >>> ratings = Pra().rate(Games.build([("Ann", "Bob", 1.0)] * 20))
    >>> ratings.rows["boosted"].round(1).to_list()  # a block of twenty wins
    [205.7, -205.7]
    """

    name: ClassVar[str] = "pra"
    k: float = K
    start: float = START
    given: bool = True
    anchor: Anchoring | str = "brought"
    boosting: Boosting = BOOSTING
    boost_given: bool = False
    corrected: tuple[str, ...] = ()
    newcomer_spread: float = NEWCOMER_SPREAD

    def __post_init__(self) -> None:
        _check(self)
        self.boosting.check()
        # One text will do, as on the command line.
        given: object = self.corrected
        names = given.split(";") if isinstance(given, str) else self.corrected
        kept = tuple(name.strip() for name in names if name.strip())
        object.__setattr__(self, "corrected", kept)

    @property
    def curve(self) -> PraCurve:
        """The expected score for a rating difference [3]."""
        return PraCurve()

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            "curve": self.curve.name,
            "k": self.k,
            "start": self.start,
            "given": self.given,
            "anchor": self.anchor,
            "boost_given": self.boost_given,
            **self.boosting._asdict(),
            "corrected": list(self.corrected),
            "newcomer_spread": self.newcomer_spread,
        }

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, one after the other."""
        return rate_pra(self, games, before)

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every player's side of every game."""
        return pra_workings(self, games, before)


@dataclass(frozen=True, slots=True, kw_only=True)
class PraBasic:
    """The Basic System as a set of constants.

    Parameters
    ----------
    k
        Points that a game is worth.
    start
        The rating of a player of whom nothing is known.
    given
        Start players from the first rating that the source gives them, if it does.
    anchor
        What the mean is brought back to every night.
    newcomer_spread
        Standard deviation, in rating points, of what is not known of a newcomer.

    Examples
    --------
    >>> from arpad.model import Games
    >>> games = Games.build([("Anand", "Karpov", 0.7)])
    >>> [round(r, 2) for r in PraBasic().rate(games).rows["rating"]]
    [1501.8, 1498.2]
    """

    name: ClassVar[str] = "pra-basic"
    k: float = K
    start: float = START
    given: bool = True
    anchor: Anchoring | str = "brought"
    newcomer_spread: float = NEWCOMER_SPREAD

    def __post_init__(self) -> None:
        _check(self)

    @property
    def curve(self) -> PraCurve:
        """The expected score for a rating difference [3]."""
        return PraCurve()

    @property
    def boosting(self) -> None:
        """None: the Basic System has none."""

    @property
    def boost_given(self) -> bool:
        """Nobody is boosted."""
        return False

    @property
    def corrected(self) -> tuple[str, ...]:
        """Nobody is boosted, so that nobody need be excepted."""
        return ()

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            "curve": self.curve.name,
            "k": self.k,
            "start": self.start,
            "given": self.given,
            "anchor": self.anchor,
            "newcomer_spread": self.newcomer_spread,
        }

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, one after the other."""
        return rate_pra(self, games, before)

    def workings(self, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every player's side of every game."""
        return pra_workings(self, games, before)


def _check(system: Pra | PraBasic) -> None:
    """Make numbers of what a command line says, and refuse what no rating can be computed with."""
    for name, least in (("k", 0.0), ("start", -FARTHEST), ("newcomer_spread", 0.0)):
        value = _number(name, getattr(system, name), least)
        object.__setattr__(system, name, value)
    anchor = system.anchor
    if isinstance(anchor, str) and anchor.strip().lower() in ("none", "off"):
        anchor = None
    if anchor is not None and anchor != "brought":
        anchor = _number("anchor (or brought, or none)", anchor, -FARTHEST)
    object.__setattr__(system, "anchor", anchor)


def _number(name: str, value: object, least: float) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not least <= number <= FARTHEST:
        raise UsageError(
            f"{name}: expected a number from {least:g} to {FARTHEST:g}, found {value!r}"
        )
    return number
