"""The event performance rating of 1994 beside the exact one [USCF 1994, 4]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.uscf_performance import closed_form, exact_rating, performance_variance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.rate.uscf_performance import ClosedForm

__all__ = ["UscfPerformance", "uscf_performance", "uscf_performances"]

FAR = 20.0
"""Points between closed form and exact rating from which on a note says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfPerformance:
    """A performance rating by the closed form, how it came about, and the exact one."""

    steps: ClosedForm
    """r_g, a, b, c, D."""
    exact: float | None
    """The rating whose expected score is the score; None for 0 % and 100 %."""
    error: float
    """One standard deviation, in points, without draws."""

    @property
    def rating(self) -> float:
        """The closed form's rating r_p."""
        return self.steps.rating

    @property
    def difference(self) -> float | None:
        """By how much it differs from the exact rating."""
        return None if self.exact is None else self.rating - self.exact

    @property
    def note(self) -> str:
        """A warning where the closed form is far off, as it is for opponents far apart."""
        if self.difference is None or abs(self.difference) < FAR:
            return ""
        return f"the closed form is {abs(self.difference):.0f} points from the exact rating here"

    def table(self) -> pl.DataFrame:
        """Return one row: the score, the steps, both ratings."""
        s = self.steps
        return pl.DataFrame(
            {
                "score": [s.score], "games": [s.games], "r_g": [s.r_g], "a": [s.a], "b": [s.b], "c": [s.c],
                "D": [s.D], "rating": [s.rating], "exact": [self.exact], "difference": [self.difference],
            },
            schema_overrides={"exact": pl.Float64, "difference": pl.Float64},
        )  # fmt: skip

    def summary(self) -> str:
        """Return one sentence."""
        s = self.steps
        beside = "none is exact" if self.exact is None else f"exactly {self.exact:.0f}"
        return f"{s.score:g} of {s.games}: {s.rating:.0f} by the closed form ({beside})"


def uscf_performance(score: float, opponents: Sequence[float]) -> UscfPerformance:
    """Return the closed form's rating for a score, with the exact one beside it.

    Examples
    --------
    >>> uscf_performance(3.5, [1600, 1700, 1750, 1800, 1850]).summary()
    '3.5 of 5: 1896 by the closed form (exactly 1896)'
    >>> uscf_performance(0, [1040] * 5).summary()
    '0 of 5: 428 by the closed form (none is exact)'
    """
    steps = closed_form(score, opponents)
    error = math.sqrt(performance_variance(steps.rating, opponents))
    return UscfPerformance(steps=steps, exact=exact_rating(score, opponents), error=error)


def uscf_performances(opponents: Sequence[float]) -> pl.DataFrame:
    """Return the table of every score from 0 to all, in half points, as in examples 1 and 2 of 1.7."""
    return pl.concat(
        uscf_performance(halves / 2, opponents).table() for halves in range(2 * len(opponents) + 1)
    )
