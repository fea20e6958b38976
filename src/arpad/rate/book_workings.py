"""The steps of Elo's whole procedure: games by formula (2), performances, bonuses, feedback [Elo 3.7].

Where a rating is an average of performances, or where a second cycle rates somebody anew, the rules do
not divide the change among games: that is one step beside the games.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.rate.sample_k import BySample
from arpad.rate.workings import GIVEN, NOISE, STEP_SCHEMA, Workings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arpad.model import Games, Ratings
    from arpad.rate.book_event import BookGame, Line
    from arpad.rate.book_pool import BookPool
    from arpad.rate.elo_book import EloBook

__all__ = ["book_workings"]

Step = dict[str, Any]

SO_FAR = "what the games so far are worth: not yet a rating [3.2, 4.54]"
AVERAGED = "counts for the performance rating [1.53, 3.71]"


def book_workings(
    system: EloBook,
    games: Games,
    before: Ratings | None,
    begun: Sequence[float],
    pool: BookPool,
    lines: Sequence[Line],
) -> Workings:
    """Return all steps.

    Parameters
    ----------
    begun
        Everybody's rating before the first game, also where there are too few games for one; NaN: none.
    pool
        After the last game.
    lines
        Everybody's part in every event, in their order.
    """
    earlier: list[float | None] = [None] * len(begun)
    if before is not None:
        earlier = before.lookup(games.players, "rating").cast(pl.Float64).fill_nan(None).to_list()
    now: dict[int, float] = {}
    steps: list[Step] = []
    for line in lines:
        p = line.player
        if p not in now:
            now[p] = 0.0 if math.isnan(begun[p]) else begun[p]
            rule = GIVEN if pool.known[p] else SO_FAR
            steps += _leap(p, now[p] - (earlier[p] or 0.0), rule)
        steps += _steps(system, line, now[p])
        now[p] = line.after
    for p, rating in now.items():
        if pool.unrated(p):
            least = f"fewer than {system.least_games} games: no rating yet [3.2, 4.54]"
            steps += _leap(p, -rating, least)
    schema = {name: kind for name, kind in STEP_SCHEMA.items() if name != "seq"}
    return Workings.build(system.name, pl.DataFrame(steps, schema=schema))


def _leap(player: int, change: float, rule: str) -> Iterator[Step]:
    if change:
        yield {"player": player, "change": change, "rule": rule}


def _steps(system: EloBook, line: Line, now: float) -> Iterator[Step]:
    """Give one player's steps in one event."""
    p, total = line.player, 0.0
    for game in line.met:
        change = 0.0
        if game.k is not None and game.expected is not None:
            change = game.k * (game.score - game.expected)
        total += change
        yield {
            "player": p, "game": game.game, "opponent": game.opponent, "rating": game.rating,
            "opponent_rating": game.opponent_rating, "score": game.score, "expected": game.expected,
            "k": game.k, "change": change, "rule": _why(system, line, game),
        }  # fmt: skip
    rest = line.after - line.feedback - line.bonus - (now + total)
    if line.k is None:
        yield {"player": p, "change": rest, "rule": _performance(line)}
    elif abs(rest) > NOISE:
        yield {"player": p, "change": rest, "rule": "the entry rating of a newcomer [3.76]"}
    yield from _leap(p, line.bonus, "bonus for an exceptional performance [3.74]")
    yield from _leap(p, line.feedback, "feedback from an exceptional opponent [3.75]")


def _performance(line: Line) -> str:
    average = "averaged in" if line.before is not None else "the first one"
    return (
        f"performance {line.performance:.1f} over {line.games} games, {average} [1.53, 2.59, 3.71]"
    )


def _why(system: EloBook, line: Line, game: BookGame) -> str:
    if game.k is None:
        return AVERAGED
    if isinstance(system.k, BySample):
        why = f"K {game.k:.2f}: by the size of the samples [(36)]"
    elif line.group == "provisional":
        why = f"K {game.k:g}: the largest, until the rating is established [3.76]"
    else:
        # Two levels with the same K are the last tier and having reached it.
        why = system.k.reasons[system.k.levels.index(game.k)]
    return f"{why}; {system.curve.name} curve; R + K (W − We) [(2), 3.71]"
