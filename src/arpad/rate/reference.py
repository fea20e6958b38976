"""Elo's formula (2), R_n = R_o + K (W − W_e), game by game: the readable reference.

`kernels` does the same on arrays; a property test says that they agree. Small inputs are rated here, so
that nobody waits for a compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arpad.rate.expectancy import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arpad.rate.kpolicy import KPolicy
    from arpad.scale import Curve

__all__ = ["Step", "rate"]


class Step(NamedTuple):
    """One player's side of one game.

    A tuple rather than a dataclass: a list has a million of them.
    """

    game: int
    player: int
    opponent: int
    rating: float
    opponent_rating: float
    score: float
    expected: float
    k: float
    change: float
    level: int
    """Which of the policy's `reasons` K has."""


def rate(
    games: Iterable[tuple[int, int, float]],
    ratings: list[float],
    played: list[int],
    *,
    curve: Curve,
    k: KPolicy,
    periods: Sequence[int] | None = None,
    topped: list[bool] | None = None,
) -> Iterator[Step]:
    """Yield each player's side of each game; `ratings`, `played` and `topped` change along the way.

    Parameters
    ----------
    games
        ``(white, black, white's score)`` in order.
    ratings, played
        Rating and number of games of each player, before; after the last step, afterwards.
    periods
        The number of each game's period, rising; without it every game is a period of its own.
    topped
        Who has reached the last tier of K before; without it, who is there now.
    """
    expected, levels = plain(curve), k.levels
    if topped is None:
        topped = [rating >= k.top for rating in ratings]
    pending: dict[int, float] = {}
    counted: dict[int, int] = {}
    now: int | None = None

    def close() -> None:
        for player, change in pending.items():
            ratings[player] += change
            played[player] += counted[player]
            topped[player] = topped[player] or ratings[player] >= k.top
        pending.clear()
        counted.clear()

    for number, (white, black, score) in enumerate(games):
        period = number if periods is None else periods[number]
        if period != now:
            close()
            now = period
        e = expected(ratings[white] - ratings[black])
        for player, opponent, s, w in ((white, black, score, e), (black, white, 1 - score, 1 - e)):
            mine = ratings[player]
            level = k.level(mine, played[player], topped[player])
            weight = levels[level]
            change = weight * (s - w)
            yield Step(
                number, player, opponent, mine, ratings[opponent], s, w, weight, change, level
            )
            pending[player] = pending.get(player, 0.0) + change
            counted[player] = counted.get(player, 0) + 1
    close()
