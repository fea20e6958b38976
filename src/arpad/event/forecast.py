"""Forecast of an event: before it from the ratings, and between rounds from ratings and results.

Every pairing of the event is played again many times: won, drawn or lost as often as the ratings and the draw model say.
Ratings are taken as they stand, and pairings as they came: of a Swiss the forecast is one after the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.field import ROUND, known_ratings
from arpad.event.tiebreaks import event_field
from arpad.model import Result, schema
from arpad.rate.draws import probabilities
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.event.unplayed_rounds import PlayedField
    from arpad.model import Games
    from arpad.rate.draws import DrawModel
    from arpad.read.reading import GamesLike
    from arpad.scale import Curve

    Array = NDArray[np.float64]
    Boards = tuple[NDArray[np.signedinteger], NDArray[np.signedinteger], list[tuple[int, float]]]
    """White, Black, and who is free for how many points."""

TRIALS = 4000
"""Times that the event is played: a chance of 50 % is known to within 0.8 % (one standard deviation)."""
WORK = 1_500_000
"""Games that are played at most; of large events fewer trials are made, but never fewer than `FEWEST`."""
FEWEST = 500
RANGE = (0.05, 0.95)
"""Shares of the trials that end below the range of points, and up to its upper end."""
PLACES = 10
"""Places whose chances are given one by one."""
SMALL = 300
"""Players up to whom the odds of every pair are worked out at once."""
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
class Finish(Result):
    """Forecast of an event from the ratings; `players` has the columns of `FINISH`, the favourite first."""

    players: pl.DataFrame
    trials: int
    parameters: dict[str, object]
    notes: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return a row for every player who has a rating and met somebody with one."""
        return self.players.drop("row")

    def as_rows(self) -> list[dict[str, object]]:
        """Return the same for programs."""
        return self.table().to_dicts()

    def summary(self) -> str:
        """Return one sentence."""
        best = self.players.row(0, named=True)
        return (
            f"{best['name']} was the favourite: {best['expected']:.1f} points expected, first with {best['first']:.0%}"
            f" ({self.trials:,} trials)"
        )


def finish(
    games: GamesLike,
    *,
    curve: Curve | None = None,
    model: DrawModel | None = None,
    white_advantage: float = 0.0,
    trials: int = TRIALS,
    seed: int = 0,
) -> Finish:
    """Simulate the pairings of an event, by the ratings before it.

    Parameters
    ----------
    curve, model
        As in `rate.draw_model.probabilities`.
    white_advantage
        Points that the white pieces are worth.
    trials
        Number of simulations; fewer for an event with very many games.

    Examples
    --------
    >>> from arpad.model import Games
    >>> match = Games.build([("Ann", "Bob", 1.0)] * 4)
    >>> rated = match.players.with_columns(rating=pl.Series([2100.0, 2000.0]))
    >>> found = finish(Games(match.table, rated, match.events)).players
    >>> found.select("name", "points", pl.col("expected").round(2)).row(0)
    ('Ann', 4.0, 2.56)
    """
    games = games_from(games)
    if trials < 1:
        raise UsageError(f"expected at least one trial, found {trials}")
    ratings = known_ratings(games)
    played = games.rateable().select("white", "black", "score")
    rows = [g for g in played.iter_rows() if g[0] in ratings and g[1] in ratings]
    if not rows:
        raise UsageError(
            "expected games between rated players to forecast, found none: no rating before the event is known"
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
    chances, mean = _chances(points)
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
            "first": chances[:, 0],
            "place": mean,
        }
    ).cast(FINISH)
    left = games.rateable().height - len(rows)
    return Finish(
        players=frame.sort("first", "expected", "rating", "name", descending=[True, True, True, False]),
        trials=often,
        parameters={"white_advantage": white_advantage, "trials": often, "seed": seed},
        notes=(f"{left} games with an unrated player are left out",) if left else (),
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
    roll = np.random.default_rng(seed).random((trials, len(win)))
    share = np.where(roll < win, 1.0, np.where(roll < win + draw, 0.5, 0.0)).T
    points = np.zeros((players, trials))
    for game, (first, second) in enumerate(zip(white, black, strict=True)):
        points[first] += share[game]
        points[second] += 1 - share[game]
    return points.T


def _chances(points: Array) -> tuple[Array, Array]:
    """Return everybody's probability of each place, and the mean place; equals share their places."""
    trials, players = points.shape
    # One sorted row after another, so that one search finds everybody's place in the own trial.
    key = (np.arange(trials) * (np.ptp(points) + 1))[:, None] - points
    row, places = np.sort(key, axis=1).ravel(), np.arange(trials)[:, None] * players
    begin, end = (
        np.searchsorted(row, key.ravel(), side).reshape(key.shape) - places for side in ("left", "right")
    )
    there = [((begin <= k) & (k < end)) / (end - begin) for k in range(max(PLACES, 3))]
    return np.stack([own.mean(axis=0) for own in there], axis=1), ((begin + end + 1) / 2).mean(axis=0)


# Between rounds: what the rounds to come may still change.

ENOUGH, SEEN = 0.5, 10
"""The points needed for first place are the fewest that won it in half of the trials, counted where at
least this many trials ended with these points.
"""
RACE = schema(
    {
        "row": pl.Int64,
        "name": pl.String,
        "rating": pl.Float64,
        "points": pl.Float64,  # so far
        "left": pl.Int64,  # rounds to come
        "final": pl.Float64,  # points at the end, on average
        "place": pl.Float64,  # at the end, on average
        "first": pl.Float64,  # probability of the place; those with equal points share it
        "second": pl.Float64,
        "third": pl.Float64,
        "needs": pl.Float64,  # points of the rounds to come for a place at the top, shared or alone
        "places": pl.List(pl.Float64),  # probabilities of the first places
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Chances of everybody's places before the rounds to come; `players` has the columns of `RACE`."""

    players: pl.DataFrame
    after: int
    rounds: int
    trials: int
    notes: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return a row for every player, the likeliest winner first."""
        return self.players.drop("row", "places")

    def as_rows(self) -> list[dict[str, object]]:
        """Return the same for programs, with the chances of the first ten places."""
        return self.players.drop("row").to_dicts()

    def summary(self) -> str:
        """Return one sentence."""
        best = self.players.row(0, named=True)
        left = self.rounds - self.after
        return (
            f"{best['name']} finishes first with {best['first']:.0%}, {left} round{'s' if left > 1 else ''} to come "
            f"({self.trials:,} trials)"
        )


def race(
    games: Games,
    *,
    after: int | None = None,
    ratings: Mapping[int, float | None] | None = None,
    trials: int = TRIALS,
    seed: int = 0,
) -> Race | None:
    """Return the chances of every place before the rounds to come, or None where the event is over.

    Results so far stand. Pairings that the file has are played; later rounds of a Swiss are paired by points, then by rating, with nobody met twice where that can be.
    Somebody without a rating counts with the average of the field.

    after: The last round that is known; by default the last with results.
    ratings: By row of the players; by default those of the file.
    """
    field = event_field(games, after=after)
    known = dict(ratings or known_ratings(games))
    rated = [R for R in known.values() if R is not None]
    if field.finished or not rated or field.rounds == 0:
        return None
    who = sorted(field.entrants)
    at = {p: i for i, p in enumerate(who)}
    mean = sum(rated) / len(rated)
    R = np.array([mean if known.get(p) is None else known[p] for p in who], dtype=np.float64)
    start = np.array([field.entrants[p].points for p in who])
    met = {
        frozenset((at[p], at[r.opponent])) for p in who for r in field.entrants[p].rounds if r.opponent in at
    }
    paired = _later_pairings(games, at, field)
    left = field.planned - field.rounds
    often = max(FEWEST // 5, min(trials, WORK // (len(who) * left)))
    points = np.empty((often, len(who)))
    dice = np.random.default_rng(seed)
    order = np.argsort(-R, kind="stable")
    everybody = probabilities(R[:, None], R[None, :]) if len(who) <= SMALL else None
    for trial in range(often):
        now, seen = start.copy(), met if field.planned - field.rounds == len(paired) else set(met)
        for number in range(field.rounds + 1, field.planned + 1):
            white, black, byes = paired.get(number) or _by_points(now, order, seen, field.win)
            if everybody is None:
                win, draw, _ = probabilities(R[white], R[black])
            else:
                win, draw = everybody.win[white, black], everybody.draw[white, black]
            roll = dice.random(len(white))
            won, drawn = roll < win, (roll >= win) & (roll < win + draw)
            now[white] += np.where(won, field.win, np.where(drawn, field.draw, 0.0))
            now[black] += np.where(won, 0.0, np.where(drawn, field.draw, field.win))
            for player, given in byes:
                now[player] += given
        points[trial] = now
    chances, place = _chances(points)
    frame = pl.DataFrame(
        {
            "row": who,
            "name": [games.players["name"][p] for p in who],
            "rating": [known.get(p) for p in who],
            "points": start,
            "left": [left] * len(who),
            "final": points.mean(axis=0),
            "place": place,
            **{name: chances[:, k] for k, name in enumerate(("first", "second", "third"))},
            "needs": _needs(points, start),
            "places": chances[:, : min(PLACES, len(who))].tolist(),
        },
        schema=RACE,
        strict=False,
    )
    without = sum(known.get(p) is None for p in who)
    return Race(
        players=frame.sort("first", "final", "name", descending=[True, True, False]),
        after=field.rounds,
        rounds=field.planned,
        trials=often,
        notes=(f"{without} without a rating count with the average of the field, {mean:.0f}",)
        if without
        else (),
    )


def _later_pairings(games: Games, at: Mapping[int, int], field: PlayedField) -> dict[int, Boards]:
    """Return the pairings of later rounds that the file has, by round; byes alone are none."""
    result: dict[int, Boards] = {}
    rows = games.table.select("white", "black", "score", at=ROUND).filter(pl.col("at") > field.rounds)
    for later, part in rows.group_by("at", maintain_order=True):
        pairs = part.drop_nulls("black")
        free = part.filter(pl.col("black").is_null()).select("white", "score").iter_rows()
        byes = [(at[p], field.win if s == 1 else field.draw if s == 0.5 else 0.0) for p, s in free]
        if pairs.height:
            sides = [np.array([at[p] for p in pairs[side]], dtype=np.int64) for side in ("white", "black")]
            result[int(str(later[0]))] = (sides[0], sides[1], byes)
    return result


def _by_points(
    points: Array, order: NDArray[np.signedinteger], seen: set[frozenset[int]], bye: float
) -> Boards:
    """Pair neighbours by points, then rating, who have not met; the one who is left over is free."""
    waiting = [int(p) for p in order[np.argsort(-points[order], kind="stable")]]
    white, black = [], []
    while len(waiting) > 1:
        one = waiting.pop(0)
        other = next((i for i, p in enumerate(waiting) if frozenset((one, p)) not in seen), 0)
        two = waiting.pop(other)
        seen.add(frozenset((one, two)))
        white.append(one)
        black.append(two)
    sides = np.array(white, dtype=np.int64), np.array(black, dtype=np.int64)
    return *sides, [(p, bye) for p in waiting]


def _needs(points: Array, start: Array) -> list[float | None]:
    """Return the fewest points to come with which everybody was at the top in half of the trials."""
    top = points >= points.max(axis=1, keepdims=True)
    gained = points - start
    result: list[float | None] = []
    for p in range(points.shape[1]):
        scores = [float(s) for s in np.unique(gained[:, p])]
        at_top = {s: top[gained[:, p] == s, p] for s in scores}
        enough = [s for s, often in at_top.items() if len(often) >= SEEN and often.mean() >= ENOUGH]
        result.append(min(enough, default=None))
    return result
