"""The three events of the exercises in tie-breaking by Mario Held, for FIDE's arbiters [tests/golden/SOURCE.md]."""

from __future__ import annotations

SWISS = """\
1 2200 3.5  9w1 13b= 2w= 15b1 4w= | 6b= 3b= 16w= 8b1
2 2150 4.0  10b1 7w1 1b= 16w1 3b= | 4w= 6w0 15b= 5w=
3 2100 3.5  11w= 6b1 8w1 4b= 2w= | 16b1 1w= 14w1 10b1
4 2050 3.5  12b1 H 13w1 3w= 1b= | 2b= 16w= 6b= 15w1
5 2000 2.5  13w0 15b0 11w1 7b= 10w1 | 14b0 9b1 8w0 2b=
6 1950 3.0  14b0 3w0 U 10w1 8b1 | 1w= 2b1 4w= 16b1
7 1900 1.5  15w1 2b0 16b0 5w= 11b0 | 10b0 13w1 9w1 14b1
8 1850 2.5  16b= 14w1 3b0 13w1 6w0 | 11b= 15w= 5b1 1w0
9 1800 1.5  1b0 10w0 H 11b- U | 13b1 5w0 7b0 12w=
10 1750 1.0  2w0 9b1 15w0 6b0 5b0 | 7w1 12b1 11w1 3w0
11 1700 2.5  3b= 16w0 5b0 9w+ 7w1 | 8w= 14b0 10b0 13w=
12 1650 2.0  4w0 U 14w+ Z Z | 15b0 10w0 13b= 9b=
13 1600 1.5  5b1 1w= 4b0 8b0 14w0 | 9w0 7b0 12w= 11b=
14 1550 2.0  6w1 8b0 12b- Z 13b1 | 5w1 11w1 3b0 7w0
15 1500 2.0  7b0 5w1 10b1 1w0 16b0 | 12w1 8b= 2w= 4b0
16 1450 3.5  8w= 11b1 7w1 2b0 15w1 | 3w0 4b= 1b= 6w0
"""
"""Number, rating, points after round 5, and the rounds; the nine-round event goes on behind the bar."""

SWISS_NINE = SWISS.replace("16w1 3b= |", "16w1 3b1 |").replace("4b= 2w= |", "4b= 2w0 |")
"""The exercise on nine rounds has another result of one game in round 5."""

ROUND_ROBIN = """\
1 2200 3.5  5w= 2w1 3b1 4w0 6b1
2 2150 3.5  6w1 1b0 5w1 3w= 4b1
3 2100 3.5  4w1 6b1 1w0 2b= 5w1
4 2050 1.5  3b0 5b0 6w= 1b1 2w0
5 1950 1.5  1b= 4w1 2b0 6w- 3b0
6 2000 1.5  2b0 3w0 4b= 5b+ 1w0
"""


def held_trf(table: str, *, start: str, rounds: int, head: str = "") -> str:
    """Return such an event as a file."""
    lines = ["012 Exercises in tie-breaking", f"042 {start}", f"XXR {rounds}", *head.split("\n")]
    for row in table.splitlines():
        number, rating, _, *cells = row.replace("|", " ").split()
        blocks = [_block(cell) for cell in cells[:rounds]]
        lines.append(
            f"001 {int(number):4d} m    {'Player ' + number:<33} {rating:>4} NOR {0:>11} 1990/01/01 {'':>4} {'':>4}  "
            + "  ".join(blocks)
        )
    return "\n".join(line for line in lines if line) + "\n"


def _block(cell: str) -> str:
    if cell in "HUZF":
        return f"0000 - {cell}"
    opponent = cell.rstrip("wb10=+-")
    digits = cell[: cell.index("w") if "w" in cell else cell.index("b")]
    opponent = digits or opponent
    return f"{int(opponent):4d} {cell[len(digits)]} {cell[-1]}"


MANY_UNPLAYED = """\
1 2240 4.0  8b= 6w1 3b= 14w+ 5w= 2b0 9w=
2 1923 4.0  9w0 11b1 15w1 5b- 7b1 1w1 5b0
3 1852 4.0  10b+ 7b1 1w= 9b= H Z H
4 1902 2.5  11w- 13w- 6b- U 8w= 15b= 6w=
5 1734 5.0  13b1 9w= 7b= 2w+ 1b= 11w= 2w1
6 0 2.5  14w= 1b0 4w+ 7w= 9b0 10w0 4b=
7 1516 3.0  15b1 3w0 5w= 6b= 2w0 14b0 U
8 1752 2.0  1w= 14b- Z Z 4b= 13w1 14b0
9 0 4.5  2b1 5b= H 3w= 6w1 H 1b=
10 0 3.5  3w- 15w- 13w= 15b1 14w1 6b1 11w0
11 1388 4.5  4b- 2w0 U 13b1 15w1 5b= 10b1
12 0 4.0  H F 14b1 H Z F Z
13 0 1.5  5w0 4b- 10b= 11w0 U 8b0 15w0
14 0 3.5  6b= 8w+ 12w0 1b- 10b0 7w1 8w1
15 0 2.5  7w0 10b+ 2b0 10w0 11b0 4w= 13b1
"""
"""A Swiss with forfeits, allocated, full-point and half-point byes, absences and a withdrawal."""

FORE = """\
1 2000 0.0 2b0 Z 3b-
2 1990 2.5 1w1 3w1 7b=
3 1980 2.0 4w1 2b0 1w+
4 1970 0.0 3b0 5w0 5w-
5 1960 3.0 6w1 4b1 4b+
6 1950 0.0 5b0 7b0 Z
7 1940 2.5 8w1 6w1 2w=
8 1930 0.5 7b0 H Z
"""
"""Sharly Chess, tests/json/fore-buchholz-final-round.json."""
FORE_EARLIER = FORE.replace("5w0 5w-", "5w- 5b0").replace("4b1 4b+", "4b+ 4w1")
"""The same, fore-buchholz-predetermined.json."""
TWO_BYES = """\
1 2000 3.5 4w1 H 5w1 Z 6w1
2 1950 4.5 5w1 3w= 6w1 4w1 5w1
3 1900 4.5 6w1 2b= 4w1 5w1 4w1
4 1850 0.0 1b0 5w0 3b0 2b0 3b0
5 1800 1.0 2b0 4b1 1b0 3b0 2b0
6 1750 2.0 3b0 U 2b0 U 1b0
"""
"""The same, median-buchholz-byes.json."""
KOYA = """\
1 1830 2.0 3b1 4w0 2b0 7w= 5b1 6b= 8w0
2 1966 6.0 7w= 5b1 1w1 8b1 3w1 4b= 6w1
3 1833 1.0 1w0 8b0 6w= 4w0 2b0 7w0 5b=
4 1907 5.0 5w0 1b1 8w1 3b1 6w1 2w= 7b=
5 1851 3.0 4b1 2w0 7b= 6b1 1w0 8b0 3w=
6 1852 1.5 8b= 7w0 3b= 5w0 4b0 1w= 2b0
7 1955 5.0 2b= 6b1 5w= 1b= 8w1 3b1 4w=
8 1865 3.5 6w= 3w1 4b0 2w0 7b0 5w1 1b1
"""
"""The same, manual-koya.json: an event of 2026."""
LAPEYRE = """\
1 2500 4.0 8w1 5b0 14b1 3w1 2b1
2 2500 3.5 9b1 7w1 5w= 6b1 1w0
3 2485 3.0 10w1 6b= 4w= 1b0 7w1
4 2400 3.0 11b= 9w1 3b= 5w= 6w=
5 2400 4.0 12w1 1w1 2b= 4b= 11w1
6 2300 3.0 13b1 3w= 11b+ 2w0 4b=
7 2250 2.0 14w1 2b0 10w1 11b0 3b0
8 2250 1.5 1b0 11w0 12b= 9w= 13b=
9 2150 2.0 2w0 4b0 13w1 8b= 10w=
10 2150 2.0 3b0 13w1 7b0 14w= 9b=
11 2150 2.5 4w= 8b1 6w- 7w1 5b0
12 2100 0.5 5b0 Z 8w= 13b0 14b0
13 2050 1.5 6w0 10b0 9b0 12w1 8w=
14 2000 2.5 7b0 U 1w0 10b= 12w1
"""
"""The same, pl-swiss.json: exercises of the arbiters' trainer Pierre Lapeyre, 2026."""


def absences(third: str) -> str:
    """Return a Swiss with a half-point bye and a third round lost by forfeit ("-") or on the board ("0").

    TieBreakServer, tests/test_tiebreak_cut.py.
    """
    return f"""\
1 2400 4.0 4w1 3b1 2w{"+" if third == "-" else "1"} 5b1
2 2300 2.5 5w1 H 1b{third} 4w1
3 2200 2.0 U 1w0 5w1 Z
4 2100 1.5 1b0 5b= U 2b0
5 2000 0.5 2b0 4w= 3b0 1w0
"""
