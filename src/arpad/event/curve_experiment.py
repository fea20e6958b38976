"""How many games tell two curves apart, which agree on small differences [Elo 8.74]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from arpad.errors import UsageError
from arpad.scale import Curve, Logistic, Normal, Ratio

__all__ = ["Experiment", "experiment"]

ALIKE = 1e-9
"""Expected scores as close as this are the same."""

UPSETS = 5
"""Points against the odds that the true curve expects at least in an experiment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Players D points apart, and what two curves expect of the stronger one."""

    D: float
    P: float
    """By the first curve; the spread of the score is taken from it."""
    P_other: float
    """By the second curve."""
    parameters: dict[str, object]

    def difference(self, games: int) -> float:
        """Return by how many points the two expected scores differ."""
        return games * (self.P - self.P_other)

    def sigma(self, games: int) -> float:
        """Return the standard deviation √(Npq) of the score."""
        return math.sqrt(games * self.P * (1 - self.P))

    def games_needed(self, *, level: float = 0.05, power: float = 0.5) -> int | None:
        """Return the games after which the wrong curve is found out, or None where both say the same.

        N = ((z_α √(pq) + z_β √(p′q′)) / (p − p′))², pq by the first curve, which is tested, p′q′ by the second, which is true.

        Parameters
        ----------
        level
            The risk, two-sided, of rejecting the first curve although it is right.
        power
            The chance of rejecting it when it is wrong; .5 asks only that the difference reach z_α standard deviations, as
            the book's comparison does.
        """
        if not (0 < level < 1 and 0 < power < 1):
            raise UsageError(f"expected a level and a power between 0 and 1, found {level}, {power}")  # fmt: skip
        gap = abs(self.P - self.P_other)
        if gap < ALIKE:
            return None
        z_alpha, z_beta = (NormalDist().inv_cdf(q) for q in (1 - level / 2, power))
        spread = z_alpha * self.sigma(1)
        spread += z_beta * math.sqrt(self.P_other * (1 - self.P_other))
        # The normal curve stands for the binomial: that needs some upsets, or certainty would take one game.
        rare = min(self.P_other, 1 - self.P_other)
        return max(math.ceil((max(spread, 0.0) / gap) ** 2), math.ceil(UPSETS / rare))


def experiment(D: float, curve: Curve | None = None, other: Curve | None = None) -> Experiment:
    """Compare what two curves expect at a difference D, the normal and the logistic unless others are given.

    Examples
    --------
    >>> found = experiment(400)
    >>> round(found.difference(1000), 1), round(found.sigma(1000), 1), found.games_needed()
    (12.3, 8.5, 1853)
    """
    first, second = curve or Normal(), other or Logistic()
    if isinstance(first, Ratio) or isinstance(second, Ratio):
        raise UsageError("the ratio curve measures ratios: it has no differences to compare at")
    P, P_other = float(first.expected(D)), float(second.expected(D))
    parameters: dict[str, object] = {"curve": first.parameters(), "other": second.parameters()}
    return Experiment(D=D, P=P, P_other=P_other, parameters=parameters)
