"""Periods brought to one level through the players they share [Elo 5.41, 5.42].

Results fix only differences within a period. A player who stands in several periods says how far
their levels are apart, if his own strength did not change in between: that is the whole question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from arpad.errors import UsageError
from arpad.pool.additive import Additive, fit_additive
from arpad.pool.development import GAIN, PEAK_AGE, composite_curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.pool.crosstables import Crosstables

__all__ = ["Ageing", "Linking", "link_periods"]

Ageing = Literal["peak", "plateau", "curve", "none"]
"""What is assumed of a player who stands in several periods.

peak      constant, but the farther from the peak age the less sure: what the composite curve is
          below its peak at that age counts as an error;
plateau   constant around the peak age, and only those years link;
curve     follows the composite curve, at every age;
none      constant for life.
"""

PLATEAU = 7.5
"""Years to each side of the peak age: performance is stable for ten to fifteen years [5.41]."""

FIRST_AGE = 20.0
"""Years of age at the first appearance of who has no year of birth, where nobody has one."""

KNOWN = 20
"""Players with a year of birth from whom the usual age at first appearance is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """How periods are linked."""

    ageing: Ageing = "peak"
    youngest: float = PEAK_AGE - PLATEAU
    oldest: float = PEAK_AGE + PLATEAU

    def __post_init__(self) -> None:
        if self.ageing not in get_args(Ageing):
            raise UsageError(
                f"ageing: expected {', '.join(get_args(Ageing))}, found {self.ageing!r}"
            )
        if not 0 <= self.youngest < self.oldest:
            raise UsageError(
                f"expected a plateau from younger to older, found {self.youngest} to {self.oldest}"
            )


def link_periods(
    tables: Crosstables,
    how: Linking,
    *,
    birth: NDArray[np.float64],
    first: NDArray[np.float64],
) -> Additive:
    """Return the effect of every period: what has to be taken off its ratings.

    Parameters
    ----------
    birth, first
        Of each player: year of birth (NaN where unknown), first year of play. Who has no year of
        birth is taken to have appeared first at the median age of those who have one.
    """
    rows = tables.rows
    player, period = rows["player"].to_numpy(), rows["period"].to_numpy()
    values, error = rows["rating"].to_numpy(), rows["error"].to_numpy()
    middle = ((tables.periods["first"] + tables.periods["last"] + 1) / 2).to_numpy()
    born = np.where(np.isnan(birth), first - usual_first_age(birth, first), birth)
    age = middle[period] - born[player]
    if how.ageing == "curve":
        values = values - composite_curve(age)
    used = np.ones(len(values), dtype=bool)
    if how.ageing == "plateau":
        used = (age >= how.youngest) & (age <= how.oldest)
    # Nobody's error is 0, but two players who only drew may come near it.
    variance = np.maximum(error, 1.0) ** 2
    if how.ageing == "peak":
        variance = variance + (GAIN - composite_curve(age)) ** 2
    weight = 1 / variance
    return fit_additive(
        player[used], period[used], values[used], weight[used], tables.periods.height
    )


def usual_first_age(birth: NDArray[np.float64], first: NDArray[np.float64]) -> float:
    """Return the median age at the first game of those whose year of birth is known."""
    ages = (first - birth)[np.isfinite(first - birth)]
    return float(np.median(ages)) if len(ages) >= KNOWN else FIRST_AGE
