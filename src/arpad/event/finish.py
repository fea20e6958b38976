"""How an event was to be expected to end: expected scores, and who would come first, from ratings alone.

Every pairing of the event is played again many times: won, drawn or lost as often as the ratings and the draw model say.
Ratings are taken as they stand, and pairings as they came: of a Swiss the forecast is one after the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.crosstable import known_ratings
from arpad.rate.draw_model import probabilities
from arpad.schema import schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.draw_model import DrawModel
    from arpad.scale import Curve

    Array = NDArray[np.float64]

__all__ = ["FINISH", "Finish", "finish"]

TRIALS = 4000
"""Times that the event is played: a chance of 50 % is known to within 0.8 % (one standard deviation)."""

WORK = 1_500_000
"""Games that are played at most; of large events fewer trials are made, but never fewer than `FEWEST`."""

FEWEST = 500
RANGE = (0.05, 0.95)
"""Shares of the trials that end below the range of points, and up to its upper end."""

FINISH = schema(
    {
        "row": pl.Int64,  # in the players of the games
        "name": pl.String,
        "rating": pl.Float64,
        "games": pl.Int64,  # against rated opponents
        "points": pl.Float64,  # scored in these
        "expected": pl.Float64,  # W_e: the sum of the expected scores
        "sigma": pl.Float64,  # one standard deviation of the points
        "low": pl.Float64,  # nine in ten trials end from here …
        "high": pl.Float64,  # … to here
        "first": pl.Float64,  # probability of the most points, shared among those who have them
        "place": pl.Float64,  # on average
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """What ratings made one expect of an event; `players` has the columns of `FINISH`, the favourite first."""

    players: pl.DataFrame
    trials: int
    parameters: dict[str, object]
    notes: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return a row for every player who has a rating and met somebody with one."""
        return self.players.drop("row")

    def summary(self) -> str:
        """Return one sentence."""
        best = self.players.row(0, named=True)
        return (
            f"{best['name']} was the favourite: {best['expected']:.1f} points expected, first with {best['first']:.0%}"
            f" ({self.trials:,} trials)"
        )


def finish(
    games: Games,
    *,
    curve: Curve | None = None,
    model: DrawModel | None = None,
    white_advantage: float = 0.0,
    trials: int = TRIALS,
    seed: int = 0,
) -> Finish:
    """Play the pairings of an event again, by the ratings before it.

    Parameters
    ----------
    curve, model
        As in `rate.draw_model.probabilities`.
    white_advantage
        Points that the white pieces are worth.
    trials
        How often; an event with very many games is played less often.

    Examples
    --------
    >>> from arpad.model import Games
    >>> match = Games.build([("Ann", "Bob", 1.0)] * 4)
    >>> rated = match.players.with_columns(rating=pl.Series([2100.0, 2000.0]))
    >>> found = finish(Games(match.table, rated, match.events)).players
    >>> found.select("name", "points", pl.col("expected").round(2)).row(0)
    ('Ann', 4.0, 2.56)
    """
    if trials < 1:
        raise UsageError(f"expected at least one trial, found {trials}")
    ratings = known_ratings(games)
    played = games.rateable().select("white", "black", "score")
    rows = [g for g in played.iter_rows() if g[0] in ratings and g[1] in ratings]
    if not rows:
        raise UsageError(
            "expected games between rated players to forecast, found none: nobody's rating before the event is known"
        )
    who = sorted({p for white, black, _ in rows for p in (white, black)})
    place = {p: i for i, p in enumerate(who)}
    white = np.array([place[w] for w, _, _ in rows])
    black = np.array([place[b] for _, b, _ in rows])
    score = np.array([s for _, _, s in rows], dtype=np.float64)
    R = np.array([ratings[p] for p in who])
    chance = probabilities(R[white], R[black], curve=curve, model=model, advantage=white_advantage)
    win, draw = np.asarray(chance.win), np.asarray(chance.draw)
    E = win + draw / 2
    often = max(FEWEST, min(trials, WORK // len(rows)))
    points = _played(win, draw, white, black, len(who), often, seed)
    first, mean = _places(points)
    low, high = np.quantile(points, RANGE, axis=0, method="inverted_cdf")
    variance = win + draw / 4 - E**2
    frame = pl.DataFrame(
        {
            "row": who,
            "name": [games.players["name"][p] for p in who],
            "rating": R,
            "games": _sum(white, black, np.ones(len(rows)), np.ones(len(rows)), len(who)),
            "points": _sum(white, black, score, 1 - score, len(who)),
            "expected": _sum(white, black, E, 1 - E, len(who)),
            "sigma": np.sqrt(_sum(white, black, variance, variance, len(who))),
            "low": low,
            "high": high,
            "first": first,
            "place": mean,
        }
    ).cast(FINISH)
    left = games.rateable().height - len(rows)
    return Finish(
        players=frame.sort(
            "first", "expected", "rating", "name", descending=[True, True, True, False]
        ),
        trials=often,
        parameters={"white_advantage": white_advantage, "trials": often, "seed": seed},
        notes=(f"{left} games with somebody who has no rating are left out",) if left else (),
    )


def _sum(white: Array, black: Array, ours: Array, theirs: Array, players: int) -> Array:
    """Return what each player's games add up to."""
    return np.asarray(
        np.bincount(white, ours, players) + np.bincount(black, theirs, players), dtype=np.float64
    )


def _played(
    win: Array, draw: Array, white: Array, black: Array, players: int, trials: int, seed: int
) -> Array:
    """Return everybody's points, a row a trial."""
    dice = np.random.default_rng(seed)
    found = np.empty((trials, players))
    for trial in range(trials):
        roll = dice.random(len(win))
        share = np.where(roll < win, 1.0, np.where(roll < win + draw, 0.5, 0.0))
        found[trial] = _sum(white, black, share, 1 - share, players)
    return found


def _places(points: Array) -> tuple[Array, Array]:
    """Return how often each came first (shared first places shared out), and the mean place."""
    best = points == points.max(axis=1, keepdims=True)
    first = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    total = np.zeros(points.shape[1])
    for row in points:
        _levels, which, counts = np.unique(-row, return_inverse=True, return_counts=True)
        ends = np.cumsum(counts)
        total += (ends - (counts - 1) / 2)[which]
    return first, total / len(points)
