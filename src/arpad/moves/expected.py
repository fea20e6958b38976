"""Algorithm 1: the expected score between two distributions of gain, and the rating difference it stands for.

``p = ½ P(X = Y) + P(X > Y)`` and ``d = 200√2 Φ⁻¹(p)`` [Ferreira 2012, (2), 4].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from arpad.scale import Normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.moves.distribution import Distribution

__all__ = ["difference", "expected", "expected_reference", "expected_table"]

CURVE = Normal()
"""Φ(d / 200√2), Elo's normal curve, as the paper has it [4]."""


def expected(X: Distribution, Y: Distribution) -> float:
    """Return the expected score of X against Y, exactly, from sorted histograms.

    Examples
    --------
    >>> from arpad.moves.distribution import ZERO_GAIN, Distribution
    >>> expected(Distribution.of([-10, 0, 0, 5]), ZERO_GAIN)
    0.5
    """
    return min(float(X.frequency @ Y.middle(X.gain)), 1.0)  # shares may add up to a bit more


def expected_reference(X: Distribution, Y: Distribution) -> float:
    """Return the same by the paper's cross-correlation, term by term [(1), (2)].

    Examples
    --------
    >>> from arpad.moves.distribution import Distribution
    >>> expected_reference(Distribution.of([0, 7]), Distribution.of([0, 3]))
    0.625
    """
    f_Y = dict(zip(Y.gain.tolist(), Y.frequency.tolist(), strict=True))
    equal = above = 0.0
    for x, f_x in zip(X.gain.tolist(), X.frequency.tolist(), strict=True):
        for y, f_y in f_Y.items():
            n = x - y
            equal += f_x * f_y if n == 0 else 0.0
            above += f_x * f_y if n > 0 else 0.0
    return min(0.5 * equal + above, 1.0)


def expected_table(
    rows: Sequence[Distribution], columns: Sequence[Distribution]
) -> NDArray[np.float64]:
    """Return the expected score of every row against every column.

    Examples
    --------
    >>> from arpad.moves.distribution import Distribution
    >>> a, b = Distribution.of([0, 7]), Distribution.of([0, 3])
    >>> expected_table([a, b], [a, b]).tolist()
    [[0.5, 0.625], [0.375, 0.5]]
    """
    bins = np.unique(np.concatenate([d.gain for d in rows]))
    f = np.zeros((len(rows), len(bins)))
    for i, d in enumerate(rows):
        f[i, np.searchsorted(bins, d.gain)] = d.frequency
    return np.asarray(np.minimum(f @ np.array([d.middle(bins) for d in columns]).T, 1.0))


@overload
def difference(p: float) -> float: ...
@overload
def difference(p: NDArray[np.float64]) -> NDArray[np.float64]: ...
def difference(p: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return d = 200√2 Φ⁻¹(p); −∞ for 0 and +∞ for 1.

    Examples
    --------
    >>> round(difference(0.655)), difference(0.0)
    (113, -inf)
    """
    return CURVE.difference(p)
