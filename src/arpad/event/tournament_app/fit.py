"""The tests of the Tournament App: goodness of fit, P-Zero, r, the rating line, missing ratings."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.event.field import known_ratings, sides
from arpad.rate.elo_reference import plain
from arpad.rate.periods import one_event_in_order
from arpad.scale import Logistic, PraCurve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.model import Games


# P-Zero scores: the Basic System of PRA, run over one event from zero [PRA, The P-Zero Scores].
#
# ``P′ = P + 9 (S − E(P − P_opponent))`` for either player, game by game, everybody starting at 0. What one
# gains the other loses, so that the scores add up to nothing.

K_BASIC = 9.0
"""Points of the Basic System for a whole point above expectation [PRA (1)]."""
SHUFFLES = 20
"""Other orders of the same games that are tried, to see how much the order matters."""
EXPECTED = plain(PraCurve())


def basic_run(
    white: Sequence[int], black: Sequence[int], score: Sequence[float], start: Sequence[float]
) -> list[float]:
    """Return everybody's rating after the games, by R′ = R + 9 (S − E) in the order given [PRA (1)].

    >>> [round(r, 2) for r in basic_run([0], [1], [1.0], [2785.0, 2660.0])]
    [2788.97, 2656.03]
    """
    R = list(start)
    for i, j, S in zip(white, black, score, strict=True):
        change = K_BASIC * (S - EXPECTED(R[i] - R[j]))
        R[i] += change
        R[j] -= change
    return R


def p_zero(white: Sequence[int], black: Sequence[int], score: Sequence[float], players: int) -> list[float]:
    """Return the P-Zero score of every player: the Basic System from zero, in the order of the games.

    >>> p_zero([0, 1], [1, 2], [1.0, 0.5], 3)[0]
    4.5
    """
    return basic_run(white, black, score, [0.0] * players)


def z_scores(scores: Sequence[float]) -> list[float | None]:
    """Return (P − mean) / s, with s over n − 1; nothing where all scores are equal.

    >>> z_scores([1.0, 0.0, -1.0])
    [1.0, 0.0, -1.0]
    """
    n = len(scores)
    mean = math.fsum(scores) / n if n else 0.0
    spread = math.sqrt(math.fsum((p - mean) ** 2 for p in scores) / (n - 1)) if n > 1 else 0.0
    return [(p - mean) / spread if spread > 1e-9 else None for p in scores]


def order_effect(
    white: Sequence[int],
    black: Sequence[int],
    score: Sequence[float],
    players: int,
    *,
    groups: Sequence[object] | None = None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> float:
    """Return by how much any P-Zero score moves, at most, when the games are played in other orders.

    groups: What is known of the order, such as the day of each game: games are shuffled within a group only.
    shuffles: Orders tried; the games backwards are tried, too.
    """
    places: dict[object, list[int]] = defaultdict(list)
    for place, group in enumerate(groups if groups is not None else [0] * len(white)):
        places[group].append(place)
    first = p_zero(white, black, score, players)
    draw = random.Random(seed)
    most = 0.0
    for turn in range(shuffles):
        mixed = (block[::-1] if turn == 0 else draw.sample(block, len(block)) for block in places.values())
        order = list(chain.from_iterable(mixed))
        other = p_zero(
            [white[g] for g in order], [black[g] for g in order], [score[g] for g in order], players
        )
        most = max(most, *(abs(a - b) for a, b in zip(first, other, strict=True)), 0.0)
    return most


# What the app needs of an event: plain lists, the games in the order in which they were played.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainEvent:
    """One event in plain lists; players are numbered from 0 as they stand here."""

    name: str
    names: Sequence[str]
    rows: Sequence[int]
    """Each player's row in the list of players that the event was taken from."""
    ratings: Sequence[float | None]
    """As given, before the event."""
    points: Sequence[float]
    """All points, those of forfeits and byes too."""
    white: Sequence[int]
    """Games that were played on the board, in order."""
    black: Sequence[int]
    score: Sequence[float]
    rating_system: str | None = None
    number_two: float | None = None
    groups: Sequence[object] | None = None
    """Round or day of each game, within which the order is not known; None: no order is known at all."""
    by_round: bool = False
    """Whether the order follows from rounds, with one game in each round for everybody, and is not in doubt."""
    notes: tuple[str, ...] = ()

    def games(self) -> list[int]:
        """Return how many games each player played."""
        count = Counter([*self.white, *self.black])
        return [count[player] for player in range(len(self.names))]

    def opponents(self) -> list[list[int]]:
        """Return whom each player met on the board, in order."""
        met: list[list[int]] = [[] for _ in self.names]
        for i, j in zip(self.white, self.black, strict=True):
            met[i].append(j)
            met[j].append(i)
        return met


def field_of(games: Games, ratings: Mapping[int, float] | None = None) -> PlainEvent:
    """Return the field of an event.

    ratings: Initial ratings by row of `games.players`; they go before those that the source gives.
    """
    points: dict[int, float] = defaultdict(float)
    for side in sides(games):
        points[side.player] += side.share or 0.0
    if not points:
        raise UsageError("expected an event with games, found none")
    for row, rating in (ratings or {}).items():
        if not math.isfinite(rating):
            raise UsageError(f"expected a rating of player {row + 1}, found {rating!r}")
    known = {**known_ratings(games), **(ratings or {})}
    here = sorted(points)
    number = {row: i for i, row in enumerate(here)}
    played = one_event_in_order(games.table.filter(pl.col("status") == "played"))
    event = games.events[0] if games.events else None
    several = games.table["event"].n_unique()
    names = games.players["name"].to_list()
    return PlainEvent(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        names=[names[row] or f"player {row + 1}" for row in here],
        rows=here,
        ratings=[known.get(row) for row in here],
        points=[points[row] for row in here],
        white=[number[row] for row in played["white"]],
        black=[number[row] for row in played["black"]],
        score=played["score"].to_list(),
        rating_system=event.rating_system if event else None,
        number_two=event.number_two if event else None,
        groups=played["when"].to_list(),
        by_round=played.height > 0 and bool(played["certain"].all()),
        notes=(f"these games come from {several} events: each should have its own report",)
        if several > 1
        else (),
    )


# Ratings after the event: by PRA's Basic System, and by Elo.
#
# The text's column "Elo After" is not quite Elo: its changes are K (S − P) with K = 10 and the logistic P,
# but P comes from the running *PRA* ratings. All its printed values follow so, and none otherwise. Both are
# given here.

K_ELO = 10.0
"""K of the text's Elo."""
LOGISTIC = plain(Logistic())


@dataclass(frozen=True, slots=True)
class After:
    """Everybody's rating after the games, three times."""

    pra: list[float | None]
    elo: list[float | None]
    elo_as_printed: list[float | None]


def ratings_after(
    white: Sequence[int], black: Sequence[int], score: Sequence[float], start: Sequence[float | None]
) -> After:
    """Rate the games one by one, in their order; a player without a rating has none afterwards.

    A game with somebody unrated rates nobody.
    """
    pra = [0.0 if R is None else R for R in start]
    elo, printed = list(pra), list(pra)
    for i, j, S in zip(white, black, score, strict=True):
        if start[i] is None or start[j] is None:
            continue
        by_accident = K_ELO * (S - LOGISTIC(pra[i] - pra[j]))
        printed[i] += by_accident
        printed[j] -= by_accident
        true = K_ELO * (S - LOGISTIC(elo[i] - elo[j]))
        elo[i] += true
        elo[j] -= true
        change = K_BASIC * (S - EXPECTED(pra[i] - pra[j]))
        pra[i] += change
        pra[j] -= change
    known = [R is not None for R in start]
    return After(
        *(
            [value if here else None for value, here in zip(values, known, strict=True)]
            for values in (pra, elo, printed)
        )
    )


FEWEST = 3
"""Players that a line needs: through two points there is always one, and it proves nothing."""
SAME = 1e-9
"""Points within which ratings, or P-Zero scores, are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionLine:
    """ŷ = intercept + slope · x, as least squares has it, with the correlation r."""

    intercept: float
    slope: float
    r: float
    n: int
    centroid: tuple[float, float]
    """(x̄, ȳ), through which the line always goes."""
    spread: tuple[float, float]
    """Standard deviations of x and y, over n − 1."""

    @property
    def flipped(self) -> bool:
        """Say whether the slope is negative, so that performance ratings turn it round."""
        return self.slope < 0

    def expected(self, x: float) -> float:
        """Return ŷ, the E of the goodness of fit: by the slope as it is [PRA (25)]."""
        return self.intercept + self.slope * x

    def performance(self, x: float) -> float:
        """Return the performance rating, ȳ + |slope| (x − x̄) [PRA (26)]."""
        return self.centroid[1] + abs(self.slope) * (x - self.centroid[0])


def regress(x: Sequence[float], y: Sequence[float]) -> RegressionLine:
    """Return the line of y on x by least squares.

    >>> line = regress([17.82, 4.49, -8.90, -13.40], [2630, 2600, 2655, 2510])
    >>> round(line.intercept, 2), round(line.slope, 3), round(line.r, 2)
    (2598.74, 2.097, 0.47)
    """
    n = len(x)
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    xx = math.fsum((a - mean_x) ** 2 for a in x)
    yy = math.fsum((b - mean_y) ** 2 for b in y)
    xy = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    slope = xy / xx
    return RegressionLine(
        intercept=mean_y - slope * mean_x,
        slope=slope,
        r=max(-1.0, min(1.0, xy / math.sqrt(xx * yy))),
        n=n,
        centroid=(mean_x, mean_y),
        spread=(math.sqrt(xx / (n - 1)), math.sqrt(yy / (n - 1))),
    )


def why_no_line(x: Sequence[float], y: Sequence[float]) -> str:
    """Return why there is no line through these points, or nothing where there is one."""
    if len(x) < FEWEST:
        have = "one rated player" if len(x) == 1 else f"{len(x) or 'no'} rated players"
        return f"a performance line needs at least {FEWEST} rated players who played, found {have}"
    if max(x) - min(x) <= SAME:
        return "all P-Zero scores are equal: there is no line of ratings on them"
    if max(y) - min(y) <= SAME:
        return "all ratings are equal: there is no line of them on P-Zero scores, and no correlation"
    return ""


# The Ratings Goodness of Fit Test: do the ratings fit the performances? [PRA (24), (33)].
#
# ``χ² = Σ (O − E)² / 2500``: O the ratings before the event, E the line's own values (never turned round),
# n − 1 degrees of freedom, α = .05. Quantiles are exact; the text's 7.810, 19.680 and 154.300 are look-ups.

CONSTANT = 2500.0
"""Square rating points a degree of freedom, which the text settled on: 50² [PRA (24)]."""
LEVEL = 0.05
"""α: a fit worse than 95 in a hundred fails; one better than 95 in a hundred arouses suspicion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodness:
    """χ² with its thresholds."""

    chi_square: float
    degrees: int
    critical: float
    """Above this the test fails."""
    lower: float
    """Below this the fit is suspiciously good."""
    constant_interval: tuple[float, float]
    """Constants, in the place of 2500, with which χ² would lie between the thresholds: 90 %."""
    constant: float = CONSTANT
    level: float = LEVEL

    @property
    def passed(self) -> bool:
        """Say whether the players performed as expected."""
        return self.chi_square <= self.critical

    @property
    def low_warning(self) -> bool:
        """Say whether they performed so close to expectation as to arouse suspicion."""
        return self.chi_square < self.lower


@dataclass(frozen=True, slots=True, kw_only=True)
class FitTest(Goodness):
    """The test of a line: how well the ratings fit it."""

    line: RegressionLine

    @property
    def n(self) -> int:
        """Players that the line rests on."""
        return self.line.n

    @property
    def centroid(self) -> tuple[float, float]:
        """Mean P-Zero score and mean rating."""
        return self.line.centroid

    @property
    def intercept(self) -> float:
        """Of the regression, in rating points."""
        return self.line.intercept

    @property
    def r(self) -> float:
        """The linear correlation of ratings and P-Zero scores."""
        return self.line.r

    @property
    def slope(self) -> float:
        """Of the regression, in rating points a point of P-Zero, with its sign."""
        return self.line.slope

    @property
    def flipped(self) -> bool:
        """Say whether the slope is negative and performance ratings use its size."""
        return self.line.flipped

    @property
    def can_fail(self) -> bool:
        """Say whether any results could fail: χ² is never more than (n − 1) s² / 2500, s of the ratings."""
        return self.degrees * self.line.spread[1] ** 2 / self.constant > self.critical


@lru_cache(maxsize=1024)
def quantiles(degrees: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the χ² that is exceeded with probability 1 − `level`, and with probability `level`.

    >>> [round(q, 3) for q in quantiles(11)]
    [4.575, 19.675]
    """
    from scipy.special import chdtri  # costs .1 s: only where there is something to test

    return float(chdtri(degrees, 1 - level)), float(chdtri(degrees, level))


def goodness(observed: Sequence[float], expected: Sequence[float], *, constant: float = CONSTANT) -> Goodness:
    """Test observed against expected ratings: χ² = Σ (O − E)² / constant, n − 1 degrees of freedom.

    It is the test of one event, where E is the line; and of a later list (O) against the ratings that the
    app gave long before (E), which the text did for nineteen months.
    """
    if len(observed) != len(expected) or len(observed) < 2:
        raise UsageError(
            f"expected two or more observed ratings and as many expected ones, found {len(observed)} and {len(expected)}"
        )
    squares = math.fsum((o - e) ** 2 for o, e in zip(observed, expected, strict=True))
    if not math.isfinite(squares):
        raise UsageError("expected ratings, found one that is no number")
    degrees = len(observed) - 1
    lower, critical = quantiles(degrees)
    return Goodness(
        chi_square=squares / constant,
        degrees=degrees,
        critical=critical,
        lower=lower,
        constant_interval=(squares / critical, squares / lower),
        constant=constant,
    )


def fit_line(scores: Sequence[float], ratings: Sequence[float]) -> FitTest:
    """Regress ratings on P-Zero scores, and test how well they fit the line.

    >>> fit = fit_line([17.82, 4.49, -8.90, -13.40], [2630, 2600, 2655, 2510])
    >>> round(fit.chi_square, 3), fit.passed
    (3.758, True)
    """
    line = regress(scores, ratings)
    test = goodness(ratings, [line.expected(x) for x in scores])
    return FitTest(line=line, **{f.name: getattr(test, f.name) for f in fields(test)})


# The test on r: should the players have finished in the order of their ratings? [PRA, introduction].


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Student's test of a linear correlation, two-sided.

    `significant` means that the favourites should have come first; without it nobody was the clear favourite.
    """

    r: float
    n: int
    t: float
    degrees: int
    p_value: float
    critical: float
    """The size of r at which the test passes."""
    level: float = LEVEL

    @property
    def significant(self) -> bool:
        """Say whether ratings and performances go together."""
        return abs(self.r) >= self.critical


def correlation_test(r: float, n: int, *, level: float = LEVEL) -> Correlation | None:
    """Test r of n players by t = r √((n − 2) / (1 − r²)); None with fewer than three.

    >>> test = correlation_test(0.47, 4)
    >>> test.significant, round(test.critical, 3)
    (False, 0.95)
    """
    from scipy.special import stdtr, stdtrit

    degrees = n - 2
    if degrees < 1:
        return None
    # Points on one line have no finite t; a huge one stands for it, which JSON can hold.
    t = r * math.sqrt(degrees / max(1 - r * r, 1e-30))
    limit = float(stdtrit(degrees, 1 - level / 2))
    return Correlation(
        r=r,
        n=n,
        t=t,
        degrees=degrees,
        p_value=float(2 * stdtr(degrees, -abs(t))),
        critical=limit / math.sqrt(degrees + limit * limit),
        level=level,
    )


# The Initial Ratings Estimator Line: missing ratings from those that are known [PRA, introduction].
#
# Known ratings are regressed on P-Zero. Where that line fails the Ratings Goodness of Fit Test, the rating
# that lies farthest from it is left out, and so on until it passes.

FALLING = "the estimator line falls with P-Zero"
HIGHEST = 4000.0
"""Rating points: what a line gives beyond this, or below 1, is no rating."""


@dataclass(frozen=True, slots=True)
class Estimator:
    """The line that passed, and whose ratings it was made without."""

    fit: FitTest
    left_out: tuple[int, ...]
    """Players whose ratings were deleted, worst first."""

    def estimate(self, p_zero: float) -> float:
        """Return the initial rating for a P-Zero score, to the nearest whole number."""
        return whole(self.fit.line.expected(p_zero))

    def doubt(self) -> str:
        """Return what a person should know of the line; nothing where it rises, as it should."""
        if not self.fit.flipped:
            return ""
        return f"{FALLING} ({self.fit.slope:.2f}): players who scored more would get lower ratings, so the estimates mean little"


def estimator_line(
    p_zero: Sequence[float], ratings: Mapping[int, float], *, deleted: Sequence[int] = ()
) -> Estimator | str:
    """Return the estimator line, or a sentence that says why there is none.

    p_zero: Of every player.
    ratings: The known ones, by number of the player.
    deleted: Players whose ratings are left out from the start.
    """
    known = {p: R for p, R in ratings.items() if p not in set(deleted)}
    left_out = [p for p in deleted if p in ratings]
    while True:
        x, y = [p_zero[p] for p in known], list(known.values())
        if why := why_no_line(x, y):
            after = f" after {len(left_out)} were left out as farthest from it" if left_out else ""
            return f"no estimator line for missing ratings: {why}{after}"
        fit = fit_line(x, y)
        if fit.passed:
            return Estimator(fit, tuple(left_out))
        worst = max(known, key=lambda p: (abs(known[p] - fit.line.expected(p_zero[p])), -p))
        left_out.append(worst)
        del known[worst]


def estimates(
    found: Estimator, p_zero: Sequence[float], players: Sequence[int], names: Sequence[str]
) -> dict[int, float] | str:
    """Return what the line gives these players, or a sentence where it gives one of them no rating.

    Through few ratings of players who scored alike a line may go anywhere.
    """
    given = {p: found.estimate(p_zero[p]) for p in players}
    for p, R in given.items():
        if not 0 < R <= HIGHEST:
            return f"no estimator line for missing ratings: that of {found.fit.n} others would give {names[p]} {R:.0f}, which is no rating"
    return given


def whole(rating: float) -> float:
    """Return a rating to the nearest whole number, halves upwards."""
    return float(int(rating + 0.5) if rating >= 0 else -int(0.5 - rating))
