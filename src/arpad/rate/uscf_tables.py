"""Ratings for players without one: tables 1 and 2 of the report [USCF 1994, 1.4.2]."""

from __future__ import annotations

import math

from arpad.errors import UsageError

__all__ = ["AGES", "TABLE_1", "TABLE_2", "age_rating", "uscf_from_fide"]

TABLE_1 = (
    2214, 2222, 2229, 2237, 2245, 2252, 2259, 2267, 2274, 2281, 2288, 2295, 2302, 2309, 2315, 2322, 2329, 2335, 2342, 2348,
    2354, 2361, 2367, 2373, 2379, 2385, 2390, 2396, 2402, 2408, 2414, 2419, 2425, 2431, 2437, 2443, 2449, 2455, 2462, 2468,
    2474, 2480, 2486, 2492, 2498, 2504, 2509, 2515, 2520, 2526, 2531, 2536, 2541, 2546, 2552, 2557, 2562, 2567, 2571, 2576,
    2581, 2586, 2591, 2595, 2600, 2605, 2609, 2614, 2618, 2622, 2627, 2631, 2635, 2639, 2643, 2647, 2651, 2654, 2658, 2662,
    2665, 2669, 2672, 2676, 2679, 2682, 2686, 2689, 2692, 2695, 2698, 2701, 2703, 2706, 2709, 2712, 2715, 2718, 2721, 2724,
)  # fmt: skip
"""Table 1: USCF ratings for FIDE ratings of 2200, 2205, … 2695 (1994; loess over 194 players [A])."""

FROM, STEP = 2200, 5
"""First FIDE rating of table 1, and the distance of its lines, in points."""

UNTIL = 2700
"""FIDE rating from which on ABOVE is added."""

BELOW, ABOVE = 15.0, 30.0
"""Points added to a FIDE rating below 2200, and from 2700 on."""

TABLE_2 = (
    543, 584, 624, 664, 703, 743, 782, 822, 862, 900, 937, 973, 1009, 1043, 1077, 1109, 1139, 1168, 1194, 1218,
    1240, 1260, 1278, 1295, 1311, 1325, 1338, 1350, 1360, 1370, 1378, 1385, 1392, 1398, 1403, 1408, 1412, 1416, 1419, 1422,
    1424, 1426, 1427, 1428, 1428, 1428, 1427, 1425, 1424, 1421, 1419, 1415, 1411, 1407, 1403, 1397, 1392, 1386, 1379, 1372,
    1365, 1357, 1349, 1340, 1331, 1321, 1311, 1301, 1290, 1279, 1267, 1255, 1243, 1230, 1217, 1203,
)  # fmt: skip
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
