"""What to expect of a match: who wins, with what score, after how many games [Elo 2.14, 8.8, 8.9].

Three kinds of match: so many games; the first to so many points; the first to so many wins, draws not counting [8.87]. Colours alternate,
and the first player begins with White.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from arpad.errors import UsageError
from arpad.event.match import MOST_GAMES
from arpad.event.match_course import Ends, Odds, by_points, by_wins
from arpad.rate.draw_model import DrawModel, probabilities
from arpad.scale import Curve, Ratio, Table

__all__ = ["Forecast", "forecast"]

MOST_WINS = 100
"""Wins of the longest match for wins that is worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
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
    """The probability that the match is decided after so many games."""
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return the probability of every final score."""
        return self.scores

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
        How many are played at most. Alone: all of them count for the score, and the match is decided
        once somebody has more than half.
    first_to
        Points that end the match at once.
    wins
        Wins that end it; draws do not count, and without `games` there is no limit.
    drawn_at
        With `wins`: the match is drawn when both have so many.
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
            raise UsageError("expected the level of the players, which a draw model needs: give both ratings")  # fmt: skip
        odds = tuple(_modelled(D, level, side * white_advantage, draws, chosen) for side in (1, -1))
    else:
        odds = tuple(_odds(D + side * white_advantage, draws, chosen) for side in (1, -1))
    expected = math.fsum(o.win + o.draw / 2 for o in odds) / 2
    needed: float
    if wins is not None:
        final = decided = by_wins(odds, wins, drawn_at=drawn_at, games=games)
        # Only decided games bring a win; the favourite needs all of them.
        needed, share = wins, max(math.fsum(o.win for o in odds), math.fsum(o.loss for o in odds)) / 2  # fmt: skip
    else:
        target = first_to if first_to is not None else (games or 0) / 2 + 0.5
        decided = by_points(odds, target, games)
        final = decided if first_to is not None else by_points(odds, math.inf, games)
        needed, share = target, max(expected, 1 - expected)
    scores = _scores(final)
    of = {kind: math.fsum(scores.filter(result=kind)["probability"]) for kind in ("won", "drawn", "lost")}  # fmt: skip
    mean = math.fsum((scores["score"] * scores["probability"]).to_list())
    square = math.fsum(((scores["score"] - mean) ** 2 * scores["probability"]).to_list())
    lengths = _lengths(decided)
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
        lengths=lengths,
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


def _modelled(D: float, level: float, plus: float, model: DrawModel, curve: Curve) -> Odds:
    return Odds(
        *probabilities(level + D / 2, level - D / 2, curve=curve, advantage=plus, model=model)
    )


def _scores(ends: Ends) -> pl.DataFrame:
    total: dict[tuple[float, float], float] = {}
    for (own, other, _), p in ends.items():
        total[own, other] = total.get((own, other), 0.0) + p
    rows = [
        (own, other, p, "won" if own > other else "drawn" if own == other else "lost")
        for (own, other), p in total.items()
        if p > 0
    ]
    schema = {"score": pl.Float64, "opponent": pl.Float64, "probability": pl.Float64, "result": pl.String}  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    margin = pl.col("score") - pl.col("opponent")
    return (
        frame.sort(margin, "score", descending=[True, False])
        .with_columns(or_more=pl.col("probability").cum_sum().clip(0, 1))
        .select("score", "opponent", "probability", "or_more", "result")
    )


def _lengths(ends: Ends) -> dict[int, float]:
    total: dict[int, float] = {}
    for (_, _, games), p in ends.items():
        total[games] = total.get(games, 0.0) + p
    return dict(sorted(total.items()))


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
        raise UsageError("expected ratings and an advantage that are numbers, found one that is none")  # fmt: skip
    if games is None and first_to is None and wins is None:
        raise UsageError("expected a number of games, of points or of wins that ends the match, found none")  # fmt: skip
    if first_to is not None and wins is not None:
        raise UsageError("expected points or wins that end the match, found both: choose one")
    for name, value, most in (("games", games, MOST_GAMES), ("wins", wins, MOST_WINS)):
        if value is not None and not 1 <= value <= most:
            raise UsageError(f"expected {name} from 1 to {most:,}, found {value}")
    if first_to is not None and not (0 < first_to <= MOST_GAMES / 2 and float(2 * first_to).is_integer()):  # fmt: skip
        raise UsageError(f"expected points to win in halves, such as 6.5, up to {MOST_GAMES // 2:,}; found {first_to:g}")  # fmt: skip
    if first_to is not None and games is not None and first_to > games:
        raise UsageError(f"expected at most {games} points to win in {games} games, found {first_to:g}")  # fmt: skip
    if drawn_at is not None and (wins is None or not 1 <= drawn_at < wins):
        raise UsageError(f"expected wins for a drawn match below those that win it, found {drawn_at} and {wins}")  # fmt: skip
