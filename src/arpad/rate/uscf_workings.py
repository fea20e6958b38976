"""The steps of the U.S. procedure of 1994: game by game under K, else the performance in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.rate.uscf1994_event import ESTABLISHED, LAST_K, PROVISIONAL_GAMES
from arpad.rate.uscf_performance import winning_expectancy
from arpad.rate.uscf_standing import FIRST_GAMES
from arpad.rate.workings import GIVEN, NOISE, STEP_SCHEMA, Workings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arpad.model import Games, Ratings
    from arpad.rate.uscf1994 import Uscf1994
    from arpad.rate.uscf_standing import Line, Standing

__all__ = ["uscf_workings"]

Step = dict[str, Any]

ON_FILE = f"on file: a first rating needs {FIRST_GAMES} games [1.4.3]"
OTHERS = "the list's rating is none of this system, or rests on too few games: it only places newcomers [1.4]"


def uscf_workings(
    system: Uscf1994,
    games: Games,
    before: Ratings | None,
    begun: Sequence[Standing],
    lines: Sequence[Line],
) -> Workings:
    """Return all steps.

    Parameters
    ----------
    begun
        Everybody before the first game.
    lines
        Everybody's part in every event, in their order.
    """
    earlier: list[float | None] = [None] * len(begun)
    if before is not None:
        earlier = before.lookup(games.players, "rating").cast(pl.Float64).fill_nan(None).to_list()
    seen: set[int] = set()
    steps: list[Step] = []
    for line in lines:
        if line.player not in seen:
            seen.add(line.player)
            steps += _opening(line.player, earlier[line.player], begun[line.player].rating)
        by_formula = line.k is not None
        steps += _by_k(line, line.k, system.floor) if by_formula else _by_performance(line)  # type: ignore[arg-type]
    schema = {name: kind for name, kind in STEP_SCHEMA.items() if name != "seq"}
    return Workings.build(system.name, pl.DataFrame(steps, schema=schema))


def _opening(player: int, listed: float | None, rating: float | None) -> Iterator[Step]:
    """Give the step from what the list before says to what a player begins with."""
    change = (rating or 0.0) - (listed or 0.0)
    if change:
        yield {"player": player, "change": change, "rule": GIVEN if listed is None else OTHERS}


def _by_k(line: Line, K: float, floor: float | None) -> Iterator[Step]:
    """Give the steps of R + K (W − W_e) [1.5.1]."""
    R = line.before.rating
    assert R is not None and line.after.rating is not None  # noqa: PT018 - K needs a rating
    rule = f"{_why(line, K)}; logistic curve [1.5.1]"
    total = 0.0
    for game in line.met:
        expected = winning_expectancy(R - game.rating)
        change = K * (game.score - expected)
        total += change
        yield {
            **_game(line, game), "rating": R, "expected": expected, "k": K, "change": change,
            "rule": rule,
        }  # fmt: skip
    rest = line.after.rating - (R + total)
    if abs(rest) > NOISE:
        yield {"player": line.player, "change": rest, "rule": f"floor of {floor:g} [5.2]"}


def _why(line: Line, K: float) -> str:
    N, m = line.before.total, line.games
    if line.rule == "established":
        assert line.before.rating is not None  # its status says so
        return ESTABLISHED.reasons[ESTABLISHED.level(line.before.rating, N)]
    if N + m > PROVISIONAL_GAMES:
        return f"K {LAST_K:g}: more than {PROVISIONAL_GAMES} games with this event [1.5.2]"
    return f"K {K:.2f} = 600 / ({N} + {m} − 1), provisional [1.5.2]"


def _by_performance(line: Line) -> Iterator[Step]:
    """Give the games, which change nothing by themselves, and what they change together [1.4]."""
    on_file = line.rule == "on file"
    rule = (
        ON_FILE
        if on_file
        else "counts for the performance over the event and the games on file [1.4]"
    )
    for game in line.met:
        yield {**_game(line, game), "rating": line.before.rating, "change": 0.0, "rule": rule}
    change = (line.after.rating or 0.0) - (line.before.rating or 0.0)
    if on_file and not change:
        return
    exact = ", exact, as the closed form is more than 100 points off" if line.guarded else ""
    nominal = " of all wins or all losses, nominal" if line.rule == "nominal" else ""
    yield {
        "player": line.player,
        "rating": line.before.rating,
        "change": change,
        "rule": f"performance{nominal}, {line.after.total} games in all{exact} [1.4.3]",
    }


def _game(line: Line, game: Any) -> Step:
    return {
        "player": line.player,
        "game": game.game,
        "opponent": game.opponent,
        "opponent_rating": game.rating,
        "score": game.score,
    }
