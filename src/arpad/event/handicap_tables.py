"""Handicap points by rating level: tables 3.96 and 3.99 of Elo's book, as printed.

No formula gives them, so they are kept as data. In the source the header of 3.96 stands one column too far to the right and its
rows hold a value too many: the twelfth of rows 101 to 201 and the last of rows 226 to 326 repeat their neighbours and are left out
here. The handicap event at 3.97 follows from column 16 then.
"""

from __future__ import annotations

__all__ = [
    "ROUND_ROBIN",
    "ROUND_ROBIN_LEVELS",
    "ROUND_ROBIN_PLAYERS",
    "ROUND_ROBIN_TOP",
    "SWISS",
    "SWISS_LEVELS",
    "SWISS_ROUNDS",
]

ROUND_ROBIN_PLAYERS = (10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22)
"""Participants, the columns of table 3.96."""

ROUND_ROBIN_LEVELS = (101, 126, 151, 176, 201, 226, 251, 276, 301, 326)
"""Rating points below scratch, the lower limits of the rows of table 3.96."""

ROUND_ROBIN_TOP = 350
"""The last level that table 3.96 speaks of."""

ROUND_ROBIN = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3),
    (0.1, 0.2, 0.3, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2),
    (0.5, 0.6, 0.7, 0.9, 1.0, 1.1, 1.3, 1.4, 1.5, 1.7, 1.8, 2.1),
    (0.9, 1.1, 1.2, 1.4, 1.6, 1.7, 1.9, 2.1, 2.3, 2.4, 2.6, 3.0),
    (1.2, 1.4, 1.5, 1.7, 1.9, 2.1, 2.3, 2.6, 2.8, 3.0, 3.2, 3.6),
    (1.5, 1.7, 1.9, 2.1, 2.4, 2.7, 2.9, 3.1, 3.4, 3.6, 3.9, 4.4),
    (1.8, 2.0, 2.3, 2.5, 2.8, 3.1, 3.4, 3.7, 4.0, 4.3, 4.6, 5.2),
    (2.1, 2.5, 2.8, 3.1, 3.4, 3.8, 4.1, 4.5, 4.8, 5.1, 5.4, 6.1),
    (2.5, 2.9, 3.2, 3.6, 4.0, 4.3, 4.7, 5.0, 5.4, 5.8, 6.2, 7.0),
    (2.8, 3.3, 3.6, 4.0, 4.3, 4.7, 5.1, 5.5, 5.9, 6.3, 6.8, 7.8),
)  # fmt: skip
"""Game points of table 3.96: a row a level, a column a number of participants."""

SWISS_ROUNDS = (5, 6, 7, 8, 9, 10, 11, 12)
"""Rounds, the columns of table 3.99."""

SWISS_LEVELS = (
    201,
    251,
    301,
    351,
    401,
    451,
    501,
    551,
    601,
    651,
    701,
    751,
    801,
    851,
    901,
    951,
    1001,
)
"""Rating points below scratch, the lower limits of the rows of table 3.99; below them 0."""  # fmt: skip

SWISS = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.1, 0.2),
    (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.7),
    (0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2),
    (0.6, 0.8, 1.0, 1.2, 1.3, 1.4, 1.5, 1.6),
    (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 1.9, 2.0),
    (1.0, 1.3, 1.5, 1.7, 1.9, 2.1, 2.3, 2.4),
    (1.2, 1.6, 1.9, 2.1, 2.3, 2.5, 2.7, 2.8),
    (1.3, 1.8, 2.2, 2.4, 2.7, 2.9, 3.0, 3.1),
    (1.4, 1.9, 2.3, 2.5, 2.8, 3.0, 3.3, 3.4),
    (1.5, 2.0, 2.4, 2.7, 3.0, 3.2, 3.5, 3.7),
    (1.6, 2.1, 2.5, 2.9, 3.3, 3.6, 3.8, 4.0),
    (1.7, 2.2, 2.6, 3.0, 3.4, 3.8, 4.0, 4.2),
    (1.8, 2.3, 2.7, 3.1, 3.5, 3.9, 4.2, 4.4),
    (1.9, 2.4, 2.8, 3.2, 3.6, 4.0, 4.3, 4.6),
    (2.0, 2.5, 2.9, 3.3, 3.7, 4.1, 4.5, 4.8),
    (2.0, 2.5, 3.0, 3.4, 3.8, 4.2, 4.6, 5.0),
    (2.0, 2.6, 3.1, 3.5, 3.9, 4.3, 4.7, 5.1),
)
"""Game points of table 3.99: a row a level, a column a number of rounds."""
