"""Maximum likelihood for a player who now and then does not choose at all: a share of moves is drawn blindly.

p_i = (1 − ε) p_i(s, c) + ε/n. A trial that shows what ails plain likelihood, not one of the methods of rating: ε is one more
number to be found in few moves, and says little about strength.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from arpad.moves.intrinsic.fit import RANGE_C, RANGE_S, START
from arpad.moves.intrinsic.projection import probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.moves.intrinsic.choices import Choices

__all__ = ["LapseFit", "fit_with_lapses", "lapse_projection"]

SHARE = 0.02
"""The ε that the search begins with."""
RANGE_SHARE = (1e-6, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class LapseFit:
    """Skill (s, c), and the share ε of moves that are drawn blindly."""

    s: float
    c: float
    share: float
    log_likelihood: float


def fit_with_lapses(choices: Choices) -> LapseFit:
    """Find s, c and ε under which the moves played are likeliest."""
    moves = choices.count.sum(axis=1)
    rows = np.arange(len(choices))

    def cost(theta: NDArray[np.float64]) -> float:
        s, c, share = np.exp(theta)
        own = probabilities(choices, float(s), float(c))[rows, choices.played]
        return -float(np.log((1 - share) * own + share / moves).mean())

    found = minimize(
        cost, np.log([*START, SHARE]), method="Nelder-Mead",
        bounds=np.log([RANGE_S, RANGE_C, RANGE_SHARE]),
        options={"xatol": 1e-4, "fatol": 1e-8, "maxiter": 500},
    )  # fmt: skip
    s, c, share = map(float, np.exp(found.x))
    return LapseFit(s=s, c=c, share=share, log_likelihood=-float(found.fun) * len(choices))


def lapse_projection(choices: Choices, fit: LapseFit) -> tuple[float, float]:
    """Return the match rate and the scaled average error that a fit projects on these positions."""
    chosen = probabilities(choices, fit.s, fit.c) * choices.count
    blind = choices.count / choices.count.sum(axis=1)[:, None]
    share = (1 - fit.share) * chosen + fit.share * blind
    first = (1 - fit.share) * chosen[:, 0] / choices.count[:, 0] + fit.share * blind[:, 0] / choices.count[:, 0]  # fmt: skip
    return float(first.mean()), float((share * choices.delta).sum(axis=1).mean())
