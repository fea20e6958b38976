"""Handicaps from ratings [Elo 3.92–3.99]."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from arpad.errors import UsageError
from arpad.event.match import score_distribution
from arpad.event.unrated import expected_in_round_robin
from arpad.model import Result
from arpad.scale import CLASS_INTERVAL, Curve, Table

if TYPE_CHECKING:
    from collections.abc import Sequence


# Handicap points by rating level: tables 3.96 and 3.99 of Elo's book, as printed.
#
# No formula gives them, so they are kept as data. In the source the header of 3.96 stands one column too far to the right and its
# rows hold a value too many: the twelfth of rows 101 to 201 and the last of rows 226 to 326 repeat their neighbours and are left out
# here. The handicap event at 3.97 follows from column 16 then.

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
)
"""Game points of table 3.96: a row a level, a column a number of participants."""
SWISS_ROUNDS = (5, 6, 7, 8, 9, 10, 11, 12)
"""Rounds, the columns of table 3.99."""
SWISS_LEVELS = (201, 251, 301, 351, 401, 451, 501, 551, 601, 651, 701, 751, 801, 851, 901, 951, 1001)
"""Rating points below scratch, the lower limits of the rows of table 3.99; below them 0."""
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


# Handicaps from ratings: Brasket's rating points, the tables for tournaments, whether to handicap at all [Elo 3.9].
#
# A handicap brings players of unequal strength within reach of each other. `match_handicap` has that of a match, `handicap_field` that of
# whole fields, and `handicap_standings` ranks an event with it.

Scratch = Literal["top", "top-three"]
"""The rating that gets no handicap: the highest, or the average of the three highest [3.95, 3.98]."""
SHARE = 0.8
"""The share of the distance to scratch that Brasket's handicap gives [3.93]."""


def brasket(rating: float, performance: float, scratch: float, *, share: float = SHARE) -> float:
    """Return Brasket's handicap score: the performance rating plus a share of the way to scratch [3.93].

    R_p + share (scratch − R); a player rated above scratch gets nothing and gives nothing.

    Examples
    --------
    >>> brasket(1900, 2050, 2200)
    2290.0
    """
    _check_ratings((rating, performance, scratch))
    if not 0 <= share <= 1:
        raise UsageError(f"expected a share from 0 to 1 of the way to scratch, found {share!r}")
    return performance + share * max(scratch - rating, 0.0)


def round_robin_points(level: float, players: int) -> float:
    """Return the handicap points of table 3.96 for somebody `level` points below scratch.

    The printed values belong to the lower limits of the rows; between them, and between 20 and 22 players, it is
    interpolated and rounded to a tenth [3.95]. From 326 points on the last row holds.

    Examples
    --------
    >>> round_robin_points(165, 16), round_robin_points(225, 16)
    (1.6, 2.9)
    """
    _check_ratings((level,))
    if not ROUND_ROBIN_PLAYERS[0] <= players <= ROUND_ROBIN_PLAYERS[-1]:
        raise UsageError(
            f"expected 10 to 22 participants, as table 3.96 has them, found {players}: "
            "the method 'expected' needs no table"
        )
    if level < ROUND_ROBIN_LEVELS[0]:
        return 0.0
    at = bisect_right(ROUND_ROBIN_PLAYERS, players) - 1
    beyond = players - ROUND_ROBIN_PLAYERS[at]
    column = [row[at] for row in ROUND_ROBIN]
    if beyond:
        step = ROUND_ROBIN_PLAYERS[at + 1] - ROUND_ROBIN_PLAYERS[at]
        column = [a + (row[at + 1] - a) * beyond / step for a, row in zip(column, ROUND_ROBIN, strict=True)]
    return _tenths(_between(level, ROUND_ROBIN_LEVELS, column))


def swiss_points(level: float, rounds: int) -> float:
    """Return the handicap points of table 3.99, as printed, for somebody `level` points below scratch.

    Examples
    --------
    >>> swiss_points(200, 9), swiss_points(433, 9), swiss_points(1200, 9)
    (0.0, 1.6, 3.9)
    """
    _check_ratings((level,))
    if rounds not in SWISS_ROUNDS:
        raise UsageError(
            f"expected 5 to 12 rounds, as table 3.99 has them, found {rounds}: "
            "the method 'brasket' needs no table"
        )
    row = bisect_right(SWISS_LEVELS, math.floor(level + 0.5)) - 1
    return SWISS[row][SWISS_ROUNDS.index(rounds)] if row >= 0 else 0.0


def scratch_rating(ratings: Sequence[float], rule: Scratch = "top") -> float:
    """Return the rating that gets no handicap.

    Examples
    --------
    >>> scratch_rating([2470, 2635, 2600, 2615]), scratch_rating([2470, 2635, 2600, 2615], "top-three")
    (2635.0, 2616.6666666666665)
    """
    if not ratings:
        raise UsageError("expected at least one rating to measure a handicap from, found none")
    _check_ratings(ratings)
    best = sorted(ratings, reverse=True)[: 3 if rule == "top-three" else 1]
    return math.fsum(best) / len(best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Advice whether a round robin of given ratings needs a handicap, and why."""

    players: int
    games: int
    """Of each player."""
    average: float
    top: float
    lowest: float
    expected_top: float
    expected_lowest: float
    sigma: float
    """Standard deviation of a score in this many games between equals, ½√N."""

    @property
    def difference(self) -> float:
        """The expected score of the highest rated less that of the lowest rated."""
        return self.expected_top - self.expected_lowest

    @property
    def handicap(self) -> bool:
        """Say whether the expected scores differ by more than one standard deviation."""
        return self.difference > self.sigma

    def summary(self) -> str:
        """Return one sentence."""
        word = "a handicap is worth considering" if self.handicap else "no handicap is needed"
        span = self.top - self.lowest
        return (
            f"{word}: ratings from {self.lowest:.0f} to {self.top:.0f} ({span / CLASS_INTERVAL:.1f} class intervals), "
            f"expected scores from {self.expected_lowest:.2f} to {self.expected_top:.2f} of {self.games}, "
            f"{self.difference:.2f} apart; one standard deviation is {self.sigma:.2f}"
        )


def worth_a_handicap(ratings: Sequence[float], *, times: int = 1) -> Advice:
    """Say whether a round robin, played this many times over, calls for a handicap [3.95].

    It does where the expected scores of the highest and the lowest rated, W_e = k(PM − ½) by (8) and table 2.11,
    differ by more than the standard deviation of a score.

    Examples
    --------
    >>> worth_a_handicap([2100, 2090, 2080, 2070]).handicap
    False
    """
    _check_ratings(ratings)
    M = len(ratings)
    if M < 2 or times < 1:
        raise UsageError(f"expected two ratings or more, found {M}, to compare in {times} rounds")
    R_a = math.floor(math.fsum(ratings) / M + 0.5)
    N = times * (M - 1)

    def expected(rating: float) -> float:
        return min(max(expected_in_round_robin(rating - R_a, M, cycles=times), 0.0), float(N))

    top, lowest = max(ratings), min(ratings)
    return Advice(
        players=M,
        games=N,
        average=math.fsum(ratings) / M,
        top=top,
        lowest=lowest,
        expected_top=expected(top),
        expected_lowest=expected(lowest),
        sigma=math.sqrt(N) / 2,
    )


def _check_ratings(values: Sequence[float]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise UsageError("expected ratings that are numbers, found one that is not")


def _between(x: float, places: Sequence[float], values: Sequence[float]) -> float:
    """Interpolate between the places; beyond the last one its value holds."""
    at = bisect_right(places, x) - 1
    if at + 1 == len(places):
        return values[at]
    share = (x - places[at]) / (places[at + 1] - places[at])
    return values[at] + share * (values[at + 1] - values[at])


def _tenths(value: float) -> float:
    # The inner rounding removes the noise of binary fractions before halves go upwards.
    return math.floor(round(10 * value, 9) + 0.5) / 10


# The handicap of a match: game points for the lower rated player [Elo 3.94].


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchHandicap(Result):
    """Handicap of the lower rated player of a match, and the chances of the match with it."""

    D: float
    """The higher rating less the lower."""
    games: int
    expected: float
    """The higher rated player's expected score in one game."""
    sigma: float
    """Standard deviation of the score, √(N(pq − r/4))."""
    points: float
    """Game points that are added to the lower rated player's score."""
    draws: float
    parameters: dict[str, object]

    @property
    def expected_scores(self) -> tuple[float, float]:
        """The expected scores without a handicap, the higher rated player's first."""
        return self.games * self.expected, self.games * (1 - self.expected)

    def chances(self) -> tuple[float, float, float]:
        """Return how often the higher rated player wins, draws and loses with the handicap."""
        scores = score_distribution(self.games, self.expected - self.draws / 2, self.draws)
        level = (self.games + self.points) / 2
        won = math.fsum(p for s, p in scores.items() if s > level + 1e-9)
        lost = math.fsum(p for s, p in scores.items() if s < level - 1e-9)
        return won, max(1 - won - lost, 0.0), lost

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        return {
            "games": self.games,
            "handicap": round(self.points, 2),
            **dict(zip(("expected_higher", "expected_lower"), self.expected_scores, strict=True)),
            "sigma": self.sigma,
            **dict(zip(("higher_wins", "drawn", "lower_wins"), self.chances(), strict=True)),
            "parameters": self.parameters,
        }


def match_handicap(
    D: float, games: int, *, fraction: float | None = None, draws: float = 0.0, curve: Curve | None = None
) -> MatchHandicap:
    """Return the game points that the lower rated player gets in a match [3.94].

    The difference of the expected scores less one standard deviation, N(p − q) − √(Npq), or a `fraction` of the
    difference; never below 0.

    Parameters
    ----------
    D
        The difference of the ratings, of either sign.
    draws
        The share of drawn games, r: the variance of a game is pq − r/4 instead of the book's pq.

    Examples
    --------
    >>> round(match_handicap(200, 20).points, 2)
    8.49
    """
    chosen = curve or Table()
    if not math.isfinite(D):
        raise UsageError("expected a rating difference that is a number, found one that is not")
    p = float(chosen.expected(abs(D)))
    if games < 1:
        raise UsageError(f"expected a match of 1 game or more, found {games}")
    if not 0 <= draws <= 2 * (1 - p) + 1e-12:
        raise UsageError(
            f"expected a share of draws from 0 to {2 * (1 - p):.3g}, which {abs(D):g} points leave room for; found {draws!r}"
        )
    if fraction is not None and not 0 <= fraction <= 1:
        raise UsageError(f"expected a fraction of the expected difference from 0 to 1, found {fraction!r}")
    sigma = math.sqrt(max(games * (p * (1 - p) - draws / 4), 0.0))
    gap = games * (2 * p - 1)
    return MatchHandicap(
        D=abs(D),
        games=games,
        expected=p,
        sigma=sigma,
        points=max(gap - sigma, 0.0) if fraction is None else fraction * gap,
        draws=draws,
        parameters={**chosen.parameters(), "fraction": fraction, "draws": draws},
    )
