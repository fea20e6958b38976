"""Period by period, player by player: the readable reference of the compiled loops.

`glicko_kernels` does the same on arrays; a property test says that they agree. Small inputs are rated
here, so that nobody waits for a compiler.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from arpad.rate.form import Meeting, expectation, g

if TYPE_CHECKING:
    from arpad.rate.form_rating import FormSystem
    from arpad.rate.form_state import Forms
    from arpad.rate.timeline import Timeline

__all__ = ["walk"]


def walk(system: FormSystem, line: Timeline, state: Forms) -> None:
    """Rate the games; `state` changes along the way."""
    white, black = line.played["white"].to_list(), line.played["black"].to_list()
    score = line.played["score"].to_list()
    for period, (a, b) in enumerate(pairwise(line.first.tolist())):
        start, end = float(line.start[period]), float(line.end[period])
        met: dict[int, list[tuple[int, float, int]]] = {}
        rows: dict[int, list[int]] = {}
        for game in range(a, b):
            met.setdefault(white[game], []).append((black[game], score[game], 1))
            met.setdefault(black[game], []).append((white[game], 1 - score[game], -1))
            rows.setdefault(white[game], []).append(2 * game)
            rows.setdefault(black[game], []).append(2 * game + 1)
        # Everybody enters the period before anybody's games are looked at.
        until = end if system.grows == "before" else start
        entering = {}
        for player in met:
            form, at = state.form(player), state.at[player]
            t = 0.0 if math.isnan(at) else max(0.0, until - at)
            entering[player] = form.aged(system.pace(form.volatility), t, system.max_error)
        for player, games in met.items():
            at = state.at[player]
            length = end - (start if math.isnan(at) else max(start, at))
            meetings = [
                Meeting(
                    rating=entering[opponent].rating,
                    error=entering[opponent].error,
                    score=points,
                    colour=colour,
                )
                for opponent, points, colour in games
            ]
            form = system.updated(entering[player], meetings, max(0.0, length))
            if state.sides is not None:
                old = entering[player].rating
                plus = system.white_advantage
                state.sides[rows[player]] = [
                    (old, m.rating, g(m.error), _expected(old, m, plus), form.error**2)
                    for m in meetings
                ]
            state.put(player, form, max(end, at) if at == at else end)  # noqa: PLR0124 - not NaN


def _expected(rating: float, game: Meeting, advantage: float) -> float:
    return expectation(rating - game.rating + game.colour * advantage, game.error)
