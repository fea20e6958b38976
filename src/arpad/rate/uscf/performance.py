"""Performance ratings and tables for unrated players [USCF 1994, 1.4.2, 4]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


# The event performance rating without iteration, as the U.S. committee of 1994 has it [USCF 1994, 4].

POINTS = 400.0
"""Rating points for which the odds grow tenfold; also what a won game adds to the guess [4]."""
K_POINTS = POINTS / math.log(10)
"""Rating points for which the odds grow e-fold: k of the report, 173.7 [4]."""
WIDEST = 6000.0
"""Points around the opponents within which an exact rating is looked for."""
FAR_OFF = 100.0
"""Points from the exact rating from which on a pool does without the closed form."""
BEYOND = 800.0
"""Points past the exact rating of half a point beyond which no perfect or zero score goes."""
UNDERFLOW = 300.0
"""Powers of ten beyond which an expectancy is 0 or 1 in floating point anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedForm:
    """The closed form with everything that goes into it, in the report's letters."""

    score: float
    """W."""
    games: int
    """m."""
    r_g: float
    """The guess: the average of ±400 points a game."""
    a: float
    """Expected score at the guess."""
    b: float
    """Its slope, times k."""
    c: float
    """Its curvature, times k²."""
    D: float
    rating: float
    """r_p."""


def winning_expectancy(difference: float) -> float:
    """Return p = 1 / (1 + 10^(−difference / 400)) [1.5.1, 4].

    Examples
    --------
    >>> round(winning_expectancy(200), 3)
    0.76
    """
    power = min(max(-difference / POINTS, -UNDERFLOW), UNDERFLOW)
    return float(1 / (1 + 10**power))


def closed_form(score: float, opponents: Sequence[float]) -> ClosedForm:
    """Return r_p = r_g + k (D − b) / c, finite for any score [4].

    One step of second order from the guess r_g = mean + 400 (2W − m) / m. Where the root D would be that
    of a negative number it is 0. The quotient is computed as 2 (W − a) / (D + b), which is the same and
    keeps its limit (W − a) / b where c is 0. Opponents so far from the guess that it has no slope at all
    leave it as it is.

    Examples
    --------
    >>> round(closed_form(3.5, [1600, 1700, 1750, 1800, 1850]).rating)
    1896
    >>> [round(closed_form(W, [700, 850, 950, 1200, 1500]).rating) for W in (0, 5)]
    [256, 2043]
    """
    W, m = score, len(opponents)
    if not m or not 0 <= W <= m:
        raise UsageError(f"expected a score in one game or more, found {score!r} in {m}")
    r_g = math.fsum(opponents) / m + POINTS * (2 * W - m) / m
    p = [winning_expectancy(r_g - r_i) for r_i in opponents]
    a = math.fsum(p)
    b = math.fsum(p_i * (1 - p_i) for p_i in p)
    # (h_i − h_g) / (h_i + h_g) is 1 − 2 p_i
    c = math.fsum(p_i * (1 - p_i) * (1 - 2 * p_i) for p_i in p)
    square = b * b + 2 * c * (W - a)
    D = math.sqrt(square) if square > 0 else 0.0
    step = 0.0
    if D > 0:
        step = 2 * (W - a) / (D + b)
    elif c:
        step = -b / c
    return ClosedForm(score=W, games=m, r_g=r_g, a=a, b=b, c=c, D=D, rating=r_g + K_POINTS * step)


def exact_rating(score: float, opponents: Sequence[float]) -> float | None:
    """Return the rating whose expected score is the score; None for 0 % and 100 %.

    Examples
    --------
    >>> round(exact_rating(3.5, [1600, 1700, 1750, 1800, 1850]), 2)
    1895.88
    """
    if not 0 < score < len(opponents):
        return None
    low, high = min(opponents) - WIDEST, max(opponents) + WIDEST
    while high - low > 1e-9:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if math.fsum(winning_expectancy(middle - r) for r in opponents) < score:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def performance_variance(rating: float, opponents: Sequence[float]) -> float:
    """Return σ² of a performance rating, in points²: k² / Σ p (1 − p), without draws.

    At most that of a rating of which nothing is known, `WIDEST` points.
    """
    p = [winning_expectancy(rating - r) for r in opponents]
    information = math.fsum(p_i * (1 - p_i) for p_i in p)
    return K_POINTS**2 / max(information, (K_POINTS / WIDEST) ** 2)


def guarded_rating(score: float, opponents: Sequence[float]) -> tuple[float, bool]:
    """Return the closed form's rating, or one to rely on where the closed form has lost its way.

    The closed form is a single step from a guess: against opponents more than about a thousand points
    apart it can end anywhere. Where it is more than `FAR_OFF` points from the exact rating, the exact one is taken; for
    0 % and 100 %, which have none, it goes no further than `BEYOND` points past the exact rating of half a
    point. The second value says whether that happened. The guard is arpad's, not the report's.

    Examples
    --------
    >>> rating, guarded = guarded_rating(3, [100, 200, 3500, 3900])
    >>> round(rating), guarded
    (3700, True)
    """
    result = closed_form(score, opponents).rating
    exact = exact_rating(score, opponents)
    if exact is not None:
        return (result, False) if abs(result - exact) <= FAR_OFF else (exact, True)
    m = len(opponents)
    edge = exact_rating(0.5 if score == 0 else m - 0.5, opponents) if m > 1 else opponents[0]
    assert edge is not None  # half a point of two games or more has an exact rating
    nearest = min(max(result, edge - BEYOND), edge + BEYOND)
    return nearest, nearest != result


# Ratings for players without one: tables 1 and 2 of the report [USCF 1994, 1.4.2].

TABLE_1 = (
    *(2214, 2222, 2229, 2237, 2245, 2252, 2259, 2267, 2274, 2281),
    *(2288, 2295, 2302, 2309, 2315, 2322, 2329, 2335, 2342, 2348),
    *(2354, 2361, 2367, 2373, 2379, 2385, 2390, 2396, 2402, 2408),
    *(2414, 2419, 2425, 2431, 2437, 2443, 2449, 2455, 2462, 2468),
    *(2474, 2480, 2486, 2492, 2498, 2504, 2509, 2515, 2520, 2526),
    *(2531, 2536, 2541, 2546, 2552, 2557, 2562, 2567, 2571, 2576),
    *(2581, 2586, 2591, 2595, 2600, 2605, 2609, 2614, 2618, 2622),
    *(2627, 2631, 2635, 2639, 2643, 2647, 2651, 2654, 2658, 2662),
    *(2665, 2669, 2672, 2676, 2679, 2682, 2686, 2689, 2692, 2695),
    *(2698, 2701, 2703, 2706, 2709, 2712, 2715, 2718, 2721, 2724),
)
"""Table 1: USCF ratings for FIDE ratings of 2200, 2205, … 2695 (1994; loess over 194 players [A])."""
FROM, STEP = 2200, 5
"""First FIDE rating of table 1, and the distance of its lines, in points."""
UNTIL = 2700
"""FIDE rating from which on ABOVE is added."""
BELOW, ABOVE = 15.0, 30.0
"""Points added to a FIDE rating below 2200, and from 2700 on."""
TABLE_2 = (
    *(543, 584, 624, 664, 703, 743, 782, 822, 862, 900),
    *(937, 973, 1009, 1043, 1077, 1109, 1139, 1168, 1194, 1218),
    *(1240, 1260, 1278, 1295, 1311, 1325, 1338, 1350, 1360, 1370),
    *(1378, 1385, 1392, 1398, 1403, 1408, 1412, 1416, 1419, 1422),
    *(1424, 1426, 1427, 1428, 1428, 1428, 1427, 1425, 1424, 1421),
    *(1419, 1415, 1411, 1407, 1403, 1397, 1392, 1386, 1379, 1372),
    *(1365, 1357, 1349, 1340, 1331, 1321, 1311, 1301, 1290, 1279),
    *(1267, 1255, 1243, 1230, 1217, 1203),
)
"""Table 2: initial ratings for ages of 5, 6, … 80 years."""
YOUNGEST = 5
OLDEST = YOUNGEST + len(TABLE_2) - 1
AGES = (3, 110)
"""Ages in years that are believed; beyond them a date of birth is taken for a mistake."""


def uscf_from_fide(fide: float) -> float:
    """Return the U.S. rating for a FIDE rating [table 1].

    Between its lines, which are five points apart, the table is joined by straight lines.

    Examples
    --------
    >>> uscf_from_fide(2655), uscf_from_fide(2150), uscf_from_fide(2700)
    (2701.0, 2165.0, 2730.0)
    """
    if not (math.isfinite(fide) and fide > 0):
        raise UsageError(f"expected a FIDE rating above 0, found {fide!r}")
    if fide < FROM:
        return fide + BELOW
    if fide >= UNTIL:
        return fide + ABOVE
    at, rest = divmod(fide - FROM, STEP)
    line = (*TABLE_1, UNTIL + ABOVE)
    low, high = line[int(at)], line[int(at) + 1]
    return low + (high - low) * rest / STEP


def age_rating(age: int) -> float:
    """Return the rating of an average newcomer of an age in years [table 2].

    The report is silent on younger and older players: they have the nearest end of the table.

    Examples
    --------
    >>> age_rating(12), age_rating(4), age_rating(99)
    (822.0, 543.0, 1203.0)
    """
    youngest, oldest = AGES
    if not youngest <= age <= oldest:
        raise UsageError(f"expected an age from {youngest} to {oldest} years, found {age!r}")
    return float(TABLE_2[min(max(age, YOUNGEST), OLDEST) - YOUNGEST])
