"""The new volatility of Glicko-2: a root found by regula falsi, the Illinois way [step 5]."""

from __future__ import annotations

import math

__all__ = ["LEAST", "MOST", "MOST_STEPS", "TOLERANCE", "new_volatility"]

LEAST, MOST = 1e-4, 1.0
"""Volatilities that are believed, per √period: .02 to 174 rating points."""

TOLERANCE = 1e-12
"""ε, on the logarithm of σ². The paper's 1e-6 lets rounding decide after how many steps it is met, and so
shows in the rating's sixth decimal; the few steps more cost little."""

MOST_STEPS = 100
"""Far more than ever needed; whoever gets here has constants that make no sense."""


def new_volatility(sigma: float, *, phi: float, v: float, delta: float, tau: float) -> float:
    """Return σ′, where f(ln σ′²) = 0 for

        f(x) = e^x (Δ² − φ² − v − e^x) / (2 (φ² + v + e^x)²) − (x − ln σ²)/τ².

    At most `MOST`: a certain win that is lost has a root beyond all bounds, and would throw a rating
    away by as much. NaN if the iteration does not settle.

    Examples
    --------
    >>> round(new_volatility(0.06, phi=1.1513, v=1.7785, delta=-0.4834, tau=0.5), 6)
    0.059996
    """  # noqa: D400 - the formula is part of the sentence
    a = math.log(sigma**2)
    spread = phi**2 + v

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - spread - e) / (2 * (spread + e) ** 2) - (x - a) / tau**2

    A = a
    if delta**2 > spread:
        B = math.log(delta**2 - spread)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        B = a - k * tau
    f_A, f_B = f(A), f(B)
    for _ in range(MOST_STEPS):
        if abs(B - A) <= TOLERANCE:
            return min(math.exp(A / 2), MOST)
        C = A + (A - B) * f_A / (f_B - f_A)
        f_C = f(C)
        if f_C * f_B <= 0:
            A, f_A = B, f_B
        else:
            f_A /= 2
        B, f_B = C, f_C
    return math.nan
