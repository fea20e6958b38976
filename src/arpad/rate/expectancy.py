"""Curves as the kernels need them: a number for the curve, and its constants in one array.

`plain` is the readable counterpart: an ordinary function of an ordinary number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.expectancy_table import TABLE_DP
from arpad.scale import Curve, Linear, Logistic, Normal, Pra, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["LINEAR", "LOGISTIC", "LOOKUP", "NORMAL", "PRA", "SMOOTH", "coded", "plain"]

LOGISTIC, NORMAL, LINEAR, LOOKUP, SMOOTH, PRA = range(6)
LOOKUP_SIZE = TABLE_DP[-1] + 1


def coded(curve: Curve) -> tuple[int, NDArray[np.float64]]:
    """Return the number of a curve and its constants."""
    if isinstance(curve, Logistic):
        return LOGISTIC, np.array([math.log(10) / (2 * curve.class_interval)])
    if isinstance(curve, Normal):
        return NORMAL, np.array([1 / (2 * curve.class_interval)])
    if isinstance(curve, Linear):
        return LINEAR, np.array([1 / (4 * curve.class_interval), curve.cap])
    if isinstance(curve, Table):
        whole = np.arange(LOOKUP_SIZE, dtype=np.float64)
        return (SMOOTH if curve.interpolate else LOOKUP), np.asarray(curve.expected(whole))
    if isinstance(curve, Pra):
        return PRA, np.zeros(1)
    raise UsageError(
        f"the {curve.name} curve measures ratios: a rating by differences cannot use it"
    )


def plain(curve: Curve) -> Callable[[float], float]:
    """Return ``expected`` as a function of one float, ten times as fast as the vectorised one."""
    code, constants = coded(curve)
    c = constants.tolist()
    if code == LOGISTIC:
        return lambda D: 0.5 + 0.5 * math.tanh(D * c[0] / 2)
    if code == NORMAL:
        return lambda D: 0.5 * math.erfc(-D * c[0])
    if code == LINEAR:
        return lambda D: 0.5 + min(max(D, -c[1]), c[1]) * c[0]
    if code == LOOKUP:
        return lambda D: _look_up(math.floor(D + 0.5), c)
    if code == SMOOTH:
        return lambda D: _between(D, c)
    return _pra


def _look_up(D: int, table: list[float]) -> float:
    high = table[min(abs(D), len(table) - 1)]
    return high if D >= 0 else 1 - high


def _between(D: float, table: list[float]) -> float:
    size = min(abs(D), len(table) - 1)
    low = min(int(size), len(table) - 2)
    high = table[low] + (size - low) * (table[low + 1] - table[low])
    return high if D >= 0 else 1 - high


def _pra(D: float) -> float:
    size = abs(D)
    if size <= 150:
        high = 0.6 - math.sqrt((150 - size) / 15000)
    elif size <= 450:
        high = 0.001 * size + 0.45
    else:
        high = 0.9 + math.sqrt((min(size, 1800) - 450) / 135000)
    return high if D >= 0 else 1 - high
