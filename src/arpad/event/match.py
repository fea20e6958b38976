"""Matches: the probability of each score, of a draw, and how long it takes [Elo 2.14, 8.8, 8.9]."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Result, columns
from arpad.rate.draws import DrawModel, probabilities
from arpad.scale import Curve, Ratio, Table

if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_WAYS = 100
"""Games of the longest match whose wins, draws and losses are told apart."""
MOST_GAMES = 10_000
"""Games of the longest match whose scores are worked out, to keep a slip of the finger from taking for ever."""


def trinomial(wins: int, losses: int, draws: int, *, win: float, loss: float, draw: float = 0.0) -> float:
    """Return P = N!/(W! L! D!) p^W q^L r^D, the probability of this many wins, losses and draws [(69), (72)].

    >>> round(trinomial(9, 9, 0, win=0.6, loss=0.4), 3)
    0.128
    """
    if min(wins, losses, draws) < 0:
        raise UsageError(f"expected counts of games, found {wins}, {losses}, {draws}")
    _check_odds(win, draw, loss)
    games = wins + losses + draws
    log = math.lgamma(games + 1) - sum(math.lgamma(n + 1) for n in (wins, losses, draws))
    for count, p in ((wins, win), (losses, loss), (draws, draw)):
        if count:
            if p <= 0:
                return 0.0
            log += count * math.log(p)
    return math.exp(log)


def score_distribution(games: int, win: float, draw: float = 0.0) -> dict[float, float]:
    """Return the probability of each score in a match of this many games.

    Trinomial, (72); without draws the binomial, (69).

    >>> [round(p, 4) for p in score_distribution(4, 0.75).values()]
    [0.0039, 0.0469, 0.2109, 0.4219, 0.3164]
    """
    loss = 1 - win - draw
    if not 1 <= games <= MOST_GAMES:
        raise UsageError(f"expected a match of 1 to {MOST_GAMES:,} games, found {games}")
    _check_odds(win, draw, loss)
    one = np.array([max(loss, 0.0), draw, win])  # one game in half points: 0, ½, 1
    whole = np.ones(1)
    for _ in range(games):
        whole = np.convolve(whole, one)
    return {i / 2: float(p) for i, p in enumerate(whole) if p > 0}


def _check_odds(win: float, draw: float, loss: float) -> None:
    if not (min(win, draw, loss) >= -1e-12 and abs(win + draw + loss - 1) < 1e-9):
        raise UsageError(
            f"expected probabilities of a win, a draw and a loss that add up to 1, found {win:g}, {draw:g}, {loss:g}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWays(Result):
    """Every way in which a match can end, as in table 8.92.

    `rows` has `score`, `wins`, `losses`, `draws` and `probability`; `above` is the probability of a score one
    standard deviation or more above the expected one.
    """

    rows: pl.DataFrame
    expected: float
    sigma: float
    above: float
    parameters: dict[str, float]

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.rows.height} ways to make {self.rows['score'].n_unique()} scores; W_e {self.expected:.2f}, σ "
            f"{self.sigma:.2f}; one σ or more above W_e: {self.above:.4f}"
        )


def score_ways(games: int, win: float, draw: float) -> ScoreWays:
    """Return in which ways a match can end, and how likely each is [8.92].

    >>> found = score_ways(4, 0.5, 0.25)
    >>> found.rows.height, found.expected, found.above
    (15, 2.5, 0.1875)
    """
    if not 1 <= games <= MOST_WAYS:
        raise UsageError(f"expected a match of 1 to {MOST_WAYS} games, found {games}")
    loss = 1 - win - draw
    _check_odds(win, draw, loss)
    rows = []
    for w in range(games + 1):
        for d in range(games - w + 1):
            l = games - w - d
            orders = math.comb(games, w) * math.comb(games - w, d)
            rows.append((w + d / 2, w, l, d, orders * win**w * max(loss, 0.0) ** l * draw**d))
    names = columns("score:float wins:int losses:int draws:int probability:float")
    frame = pl.DataFrame(rows, schema=names, orient="row").sort("score", "draws")
    P = win + draw / 2
    expected, sigma = games * P, math.sqrt(games * (P * (1 - P) - draw / 4))
    far = frame.filter(pl.col("score") >= expected + sigma)
    return ScoreWays(
        rows=frame,
        expected=expected,
        sigma=sigma,
        above=round(math.fsum(far["probability"]), 12),
        parameters={"games": games, "win": win, "draw": draw},
    )


def first_move(white: float, curve: Curve | None = None) -> float:
    """Return what the first move is worth, in points, when White scores so much of the point [8.93].

    >>> first_move(0.57)
    50.0
    """
    return float((curve or Table()).difference(white))


# The course of a match, game by game, until it is over: every end with its probability.
#
# Nothing is drawn at random: the probability of every standing is carried from game to game.

Ends = dict[tuple[float, float, int], float]
"""The first player's points (or wins), the second's, the games played: how probable."""
FORGOTTEN = 1e-12
"""An unlimited match is followed until so little is left undecided."""
LONGEST = 20_000
"""Games after which an unlimited match counts as one without an end."""


class Odds(NamedTuple):
    """One game from the first player's side."""

    win: float
    draw: float
    loss: float


def by_points(odds: Sequence[Odds], target: float, games: int | None) -> Ends:
    """Return the ends of a match that stops when somebody has `target` points or after this many games.

    odds: Those of the first game, the second, and so on, over and over: two of them for two colours.
    """
    # Both can fall short of the target only while fewer than 2 · target points are given out.
    last = games if games is not None else math.ceil(2 * target)
    goal = 2 * target
    ends: Ends = {}
    standing = np.ones(1)  # by the first player's half points
    for game in range(1, last + 1):
        win, draw, loss = odds[(game - 1) % len(odds)]
        standing = np.convolve(standing, [loss, draw, win])
        half = np.arange(standing.size)
        over = (half >= goal) | (2 * game - half >= goal) | (game == last)
        for at in np.flatnonzero(over & (standing > 0)).tolist():
            ends[at / 2, game - at / 2, game] = float(standing[at])
        standing[over] = 0.0
    return ends


def by_wins(
    odds: Sequence[Odds], wins: int, *, drawn_at: int | None = None, games: int | None = None
) -> Ends:
    """Return the ends of a match that stops at this many wins, draws not counting [8.87].

    drawn_at: Wins of both at which the match is drawn.
    games: The most that are played; None for no limit.
    """
    if games is None and all(o.win + o.loss <= 0 for o in odds):
        raise UsageError("expected some games to be decided: a match for wins never ends otherwise")
    ends: Ends = {}
    standing = np.zeros((wins + 1, wins + 1))  # by the wins of both
    standing[0, 0] = 1.0
    over = np.zeros_like(standing, dtype=bool)
    over[wins, :] = over[:, wins] = True
    if drawn_at is not None:
        over[drawn_at, drawn_at] = True
    for game in range(1, (games or LONGEST) + 1):
        win, draw, loss = odds[(game - 1) % len(odds)]
        after = draw * standing
        after[1:, :] += win * standing[:-1, :]
        after[:, 1:] += loss * standing[:, :-1]
        done = np.ones_like(over) if game == games else over
        for w, l in zip(*np.nonzero(done & (after > 0)), strict=True):
            ends[float(w), float(l), game] = float(after[w, l])
        standing = np.where(done, 0.0, after)
        if standing.sum() < (FORGOTTEN if games is None else 1e-300):
            return ends
    raise UsageError(f"expected a match that ends: still open after {LONGEST:,} games, draws being this many")


# What to expect of a match: who wins, with what score, after how many games [Elo 2.14, 8.8, 8.9].
#
# Three kinds of match: this many games; the first to this many points; the first to this many wins, draws not counting [8.87]. Colours alternate,
# and the first player begins with White.

MOST_WINS = 100
"""Wins of the longest match for wins that is worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast(Result):
    """The chances of a match, from the first player's side. Ratings are taken as they stand."""

    D: float
    """The first player's rating less the second's."""
    expected: float
    """The first player's expected score of a game, on average over both colours."""
    won: float
    drawn: float
    lost: float
    expected_score: float
    sigma: float
    """Standard deviation of the score."""
    length: float
    """Games until the match is decided, on average."""
    rough_length: float | None
    """The points or wins needed, over the favourite's expected score: the book's forecast [2.14]."""
    scores: pl.DataFrame
    """Highest first: score, opponent, probability, or_more (of at least this margin), result."""
    draw_rates: tuple[float, float]
    """The probability of a draw in a game, with White and with Black."""
    lengths: dict[int, float]
    """The probability that the match is decided after this many games."""
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return the probability of every final score."""
        return self.scores

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        figures = Result.to_dict(self)
        lengths = [{"games": n, "probability": p} for n, p in self.lengths.items()]
        return {"difference": figures.pop("D"), **figures, "lengths": lengths}

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"won {self.won:.1%}, drawn {self.drawn:.1%}, lost {self.lost:.1%}; expected score {self.expected_score:.2f} "
            f"± {self.sigma:.2f}, decided after {self.length:.1f} games on average"
        )


def forecast(
    D: float,
    *,
    games: int | None = None,
    first_to: float | None = None,
    wins: int | None = None,
    drawn_at: int | None = None,
    draws: float | DrawModel = 0.0,
    level: float | None = None,
    white_advantage: float = 0.0,
    curve: Curve | None = None,
) -> Forecast:
    """Return the chances of a match between players D points apart.

    Parameters
    ----------
    games
        Largest number of games. Alone: all of them count for the score, and the match is decided
        once somebody has more than half.
    first_to
        Points that end the match at once.
    wins
        Wins that end it; draws do not count, and without `games` there is no limit.
    drawn_at
        With `wins`: the match is drawn when both have this many.
    draws
        The probability r of a draw; a win has P − r/2, a loss 1 − P − r/2. Or a draw model, which knows r
        for each colour; it needs the `level`.
    level
        The mean of both ratings.
    white_advantage
        Rating points that the first move is worth.
    curve
        Table 2.11 unless another is given.

    Examples
    --------
    >>> found = forecast(70, wins=10, drawn_at=9)
    >>> round(found.drawn, 3)
    0.128
    """
    chosen = curve or Table()
    _check(D, games, first_to, wins, drawn_at, white_advantage, chosen)
    if isinstance(draws, DrawModel):
        if level is None:
            raise UsageError("expected the level of the players, which a draw model needs: give both ratings")
        a, b = level + D / 2, level - D / 2
        odds = tuple(
            Odds(*probabilities(a, b, curve=chosen, advantage=side * white_advantage, model=draws))
            for side in (1, -1)
        )
    else:
        odds = tuple(_odds(D + side * white_advantage, draws, chosen) for side in (1, -1))
    expected = math.fsum(o.win + o.draw / 2 for o in odds) / 2
    needed: float
    if wins is not None:
        final = decided = by_wins(odds, wins, drawn_at=drawn_at, games=games)
        # Only decided games bring a win; the favourite needs all of them.
        needed, share = wins, max(math.fsum(o.win for o in odds), math.fsum(o.loss for o in odds)) / 2
    else:
        target = first_to if first_to is not None else (games or 0) / 2 + 0.5
        decided = by_points(odds, target, games)
        final = decided if first_to is not None else by_points(odds, math.inf, games)
        needed, share = target, max(expected, 1 - expected)
    scores = _scores(final)
    of = {kind: math.fsum(scores.filter(result=kind)["probability"]) for kind in ("won", "drawn", "lost")}
    mean = math.fsum((scores["score"] * scores["probability"]).to_list())
    square = math.fsum(((scores["score"] - mean) ** 2 * scores["probability"]).to_list())
    lengths: dict[int, float] = defaultdict(float)
    for (_, _, played), p in sorted(decided.items(), key=lambda end: end[0][2]):
        lengths[played] += p
    return Forecast(
        D=D,
        expected=expected,
        won=of["won"],
        drawn=of["drawn"],
        lost=of["lost"],
        expected_score=mean,
        sigma=math.sqrt(square),
        length=math.fsum(n * p for n, p in lengths.items()),
        rough_length=needed / share if share else None,
        scores=scores,
        draw_rates=(odds[0].draw, odds[1].draw),
        lengths=dict(lengths),
        parameters={
            "games": games,
            "first_to": first_to,
            "wins": wins,
            "drawn_at": drawn_at,
            "draws": draws.document() if isinstance(draws, DrawModel) else draws,
            "white_advantage": white_advantage,
            **chosen.parameters(),
        },
    )


def _odds(D: float, draws: float, curve: Curve) -> Odds:
    P = float(curve.expected(D))
    room = 2 * min(P, 1 - P)
    if not 0 <= draws <= room + 1e-12:
        raise UsageError(
            f"expected a probability of draws from 0 to {room:.3g}, which an expected score of {P:.3g} leaves room for; "
            f"found {draws!r}"
        )
    return Odds(max(P - draws / 2, 0.0), draws, max(1 - P - draws / 2, 0.0))


def _scores(ends: Ends) -> pl.DataFrame:
    rows = [(own, other, p) for (own, other, _), p in ends.items() if p > 0]
    frame = pl.DataFrame(rows, schema=columns("score:float opponent:float probability:float"), orient="row")
    margin = pl.col("score") - pl.col("opponent")
    won, drawn = pl.when(margin > 0).then(pl.lit("won")), pl.lit("drawn")
    return (
        frame.group_by("score", "opponent", maintain_order=True)
        .agg(pl.col("probability").sum())
        .with_columns(result=won.when(margin == 0).then(drawn).otherwise(pl.lit("lost")))
        .sort(margin, "score", descending=[True, False])
        .with_columns(or_more=pl.col("probability").cum_sum().clip(0, 1))
        .select("score", "opponent", "probability", "or_more", "result")
    )


def _check(
    D: float,
    games: int | None,
    first_to: float | None,
    wins: int | None,
    drawn_at: int | None,
    white_advantage: float,
    curve: Curve,
) -> None:
    if isinstance(curve, Ratio):
        raise UsageError("the ratio curve measures ratios: choose another for a match")
    if not (math.isfinite(D) and math.isfinite(white_advantage)):
        raise UsageError("expected ratings and an advantage that are numbers, found one that is not")
    if games is None and first_to is None and wins is None:
        raise UsageError("expected a number of games, of points or of wins that ends the match, found none")
    if first_to is not None and wins is not None:
        raise UsageError("expected points or wins that end the match, found both: choose one")
    for name, value, most in (("games", games, MOST_GAMES), ("wins", wins, MOST_WINS)):
        if value is not None and not 1 <= value <= most:
            raise UsageError(f"expected {name} from 1 to {most:,}, found {value}")
    if first_to is not None and not (0 < first_to <= MOST_GAMES / 2 and float(2 * first_to).is_integer()):
        raise UsageError(
            f"expected points to win in halves, such as 6.5, up to {MOST_GAMES // 2:,}; found {first_to:g}"
        )
    if first_to is not None and games is not None and first_to > games:
        raise UsageError(f"expected at most {games} points to win in {games} games, found {first_to:g}")
    if drawn_at is not None and (wins is None or not 1 <= drawn_at < wins):
        raise UsageError(
            f"expected wins for a drawn match below those that win it, found {drawn_at} and {wins}"
        )
