"""Performance ratings: how strong somebody played, from the results alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arpad.errors import UsageError
from arpad.model import Result
from arpad.rate.elo_book.rules import small_sample_difference
from arpad.rate.uscf.performance import closed_form, exact_rating, performance_variance
from arpad.scale import Curve, Linear, Logistic, Normal, Ratio, Table, half_up, indicated_difference

if TYPE_CHECKING:
    from collections.abc import Sequence


# How far a rating from N games can be trusted [Elo 2.5, 8.95].

PROBABLE = 0.6744897501960817
"""Φ⁻¹(¾): half of all measurements lie within this many standard deviations."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """Standard deviation and probable error, in game points and rating points; confidence level.

    `confidence` is the probability that the true rating is within half a class interval.
    """

    games: int
    sigma_score: float
    sigma_rating: float
    probable_error_score: float
    probable_error_rating: float
    confidence: float


def reliability(
    games: int, *, p: float = 0.5, draws: float = 0.0, class_interval: float = 200.0
) -> Reliability:
    """Return the reliability of N games.

    p: The expected score of a game: far from ½ a point more or less says less about the rating.
    draws: The share of drawn games, r: the variance of a game is pq − r/4 instead of the book's pq.

    >>> found = reliability(15)
    >>> round(found.sigma_score, 2), round(found.sigma_rating, 1), round(found.confidence, 2)
    (1.94, 73.0, 0.83)
    """
    variance = p * (1 - p) - draws / 4
    if games < 1 or not 0 < p < 1 or draws < 0 or variance < 0:
        raise UsageError(
            f"expected games ≥ 1, 0 < p < 1 and draws up to 4p(1 − p); found {games}, {p}, {draws}"
        )
    sigma_score = math.sqrt(games * variance)
    # C√2/√N for an even score [8.94]; away from it σ_W shrinks, and the normal curve flattens by more.
    flatter = math.exp(NormalDist().inv_cdf(p) ** 2 / 2)
    sigma_rating = class_interval * math.sqrt(2) / math.sqrt(games) * math.sqrt(variance / 0.25) * flatter
    half = class_interval / 2
    confidence = math.erf(half / (sigma_rating * math.sqrt(2))) if sigma_rating else 1.0
    return Reliability(
        games, sigma_score, sigma_rating, PROBABLE * sigma_score, PROBABLE * sigma_rating, confidence
    )


# Performance ratings: how strong somebody played, from the results alone.
#
# Formulae and sections are those of Elo's book: (1) the average opponent, (6) round robins, (9) matches,
# (10) the linear form, (70) small samples, and the exact rating of 1.55 for opponents of any spread. The
# closed form is that of the U.S. committee's report of 1994, section 4.

Method = Literal["fide", "exact", "table", "normal", "linear", "small-sample", "uscf1994"]
Bound = Literal["none", "half-point", "table", "uscf1994"]
"""Rules for 0 % and 100 %, which no finite rating explains: nothing; the performance with half a point
conceded (or won); 800 points from the average opponent, as in FIDE's table; the nominal rating of the
closed form of 1994.
"""
SMOOTH = Normal(class_interval=1000 * math.sqrt(2) / 7)
"""The normal curve that table 2.11 rounds, Φ(7D/2000): its slope is that of the table without the steps."""
WIDEST = 6000.0
"""Points around the opponents within which an exact performance is looked for."""
MANY = 24
"""Opponents above which arrays are faster than one at a time."""
FAR = 20.0
"""Points between the closed form of 1994 and the exact rating from which on a note says so."""


@dataclass(frozen=True, slots=True)
class Performance(Result):
    """A performance rating, and the games and method behind it.

    `rating` is None if no finite rating explains the score; `note` then has the reason. `error` is one
    standard deviation in rating points. `exact` is the rating that the closed form stands for, where the
    method is `uscf1994` and there is one.
    """

    rating: float | None
    error: float | None
    score: float
    games: int
    average: float
    method: Method
    parameters: dict[str, object]
    note: str = ""
    exact: float | None = None

    @property
    def difference(self) -> float | None:
        """Difference of the closed form from the exact rating, in points."""
        return None if self.exact is None or self.rating is None else self.rating - self.exact

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, rounded to significant digits."""
        figures: dict[str, Any] = {
            "performance": rounded(self.rating),
            "error": rounded(self.error, 1),
            "score": self.score,
            "games": self.games,
            "average": rounded(self.average),
            "method": self.method,
            "parameters": self.parameters,
            "confidence": rounded(self.within(), 3),
            "note": self.note or None,
        }
        if self.method == "uscf1994":
            figures |= {"exact": rounded(self.exact), "difference": rounded(self.difference)}
        return figures

    def summary(self) -> str:
        """Return one sentence on the rating, its error and the games."""
        rating = self.note if self.rating is None else f"{self.rating:.0f}"
        error = "" if self.rating is None or self.error is None else f" ± {self.error:.0f}"
        games = f"{self.score:g} of {self.games} against an average of {self.average:.0f}"
        return f"performance {rating}{error} ({self.method}): {games}"

    def within(self, points: float = 100.0) -> float | None:
        """Return the probability that the true rating is this near, by the rating's error."""
        return None if not self.error else math.erf(points / (self.error * math.sqrt(2)))

    def reliability(self) -> Reliability:
        """Return the reliability of the rating, as in table 2.55."""
        return reliability(self.games)


def rounded(value: float | None, digits: int = 2) -> float | None:
    """Round a figure that may be missing."""
    return None if value is None else round(value, digits)


def performance(  # noqa: C901, PLR0911, PLR0912
    score: float,
    opponents: Sequence[float],
    *,
    method: Method = "exact",
    curve: Curve | None = None,
    bound: Bound = "none",
    interpolate: bool = False,
) -> Performance:
    """Return the performance rating for a score against opponents of known ratings.

    Parameters
    ----------
    score
        Points scored, draws counting half.
    opponents
        The rating of each opponent; one met twice stands here twice.
    method
        fide           R_a + d_p as FIDE has it: whole numbers, 800 points for 0 % and 100 % [B.01 1.4.9];
        exact          the rating whose expected score is the score [1.55];
        table          R_c + D_p, P and R_c rounded, D_p looked up [(1), 2.41];
        normal         R_c + D_p, D_p from the exact normal curve;
        linear         R_c + 400 (W − L) / N [(10)];
        small-sample   R_c + F D_p, with the factor of table 8.85 [(70)]; D_p up to 400, so finite always;
        uscf1994       the closed form of 1994, finite for 0 % and 100 % too [USCF 1994, 4].
    curve
        For `exact`: logistic unless another is given.
    bound
        What to give for 0 % and 100 %.
    interpolate
        For `table` and `small-sample`: read D_p between the hundredths instead of rounding P [2.13].

    Examples
    --------
    >>> round(performance(3.5, [1600, 1700, 1750, 1800, 1850]).rating, 2)
    1895.88
    """
    games = len(opponents)
    if not games:
        raise UsageError("expected at least one opponent")
    if not all(math.isfinite(rating) for rating in opponents):
        raise UsageError("expected ratings of opponents, found one that is no number")
    if not 0 <= score <= games:
        raise UsageError(f"expected a score from 0 to {games} in {games} games, found {score:g}")
    score = abs(score)  # −0 is 0
    chosen = _curve(method, curve)
    if interpolate:
        if method not in ("table", "small-sample"):
            raise UsageError(f"the method {method} looks nothing up in the table: leave interpolating out")
        chosen = Table(interpolate=True)
    average = math.fsum(opponents) / games
    if method == "fide":
        bound = "table"
    parameters: dict[str, object] = {**chosen.parameters(), "bound": bound}

    def result(
        rating: float | None, error: float | None = None, note: str = "", exact: float | None = None
    ) -> Performance:
        return Performance(rating, error, score, games, average, method, parameters, note, exact)

    note = ""
    used = score
    if score in (0, games):
        note = f"a score of {100 * score / games:g} % has no finite performance rating"
        if "uscf1994" in (method, bound):
            parameters["bound"] = "uscf1994"
            note += ": this is the nominal one of the closed form of 1994"
            return result(*_closed(score, opponents, note))
        if method in ("linear", "small-sample"):
            # (10) is finite: 400 points for all or nothing; so is (70): beyond 400 points the table of F ends
            ends = f"{100 * score / games:g} % counts as the largest difference of table 8.85"
            rating = _rating(score, opponents, average, method, chosen)
            return result(rating, note=ends if method == "small-sample" else "")
        if bound == "none":
            return result(None, note=note)
        if bound == "table":
            limit = average + (800.0 if score else -800.0)
            return result(half_up(limit) if method == "fide" else limit, note=f"{note}: 800 points")
        used = 0.5 if score == 0 else games - 0.5
        note += ": half a point is taken as " + ("won" if score == 0 else "conceded")
    if method == "uscf1994":
        return result(*_closed(score, opponents, note))
    rating = _rating(used, opponents, average, method, chosen)
    if rating is None:
        return result(
            None, note=f"no rating within {WIDEST:g} points explains this score on the {chosen.name} curve"
        )
    return result(rating, _error(rating, opponents, chosen), note)


def in_round_robin(
    average: float, score: float, players: int, *, cycles: int = 1, small_sample: bool = False
) -> float:
    """Return R_p = R_a + D_a, where D_a = D_p (M − 1) / M and D_p is by the table [(5), (6), 2.42].

    average: R_a, the average rating of all participants.
    players: M, their number.
    cycles: How often everybody meets everybody: 2 in a double round robin.
    small_sample: R_F = R_a + D_a F, with the factor of table 8.85 [(71)].
    """
    games = cycles * (players - 1)
    D_a = indicated_difference(score / games) * (players - 1) / players
    return average + half_up(small_sample_difference(games, D_a) if small_sample else D_a)


def in_match(average: float, score: float, games: int) -> float:
    """Return R_p = R_a + D_p / 2, R_a being the average of the two [(9), 2.49]."""
    return average + indicated_difference(score / games) / 2


def tournament_average(rated: Sequence[tuple[float, float]], players: int) -> float:
    """Return R_a of a round robin from ``(rating, score)`` of its rated players [(7), 2.48].

    As in the book, ratings and D_p are averaged first, and the average D_p is rounded.
    """
    if not rated:
        raise UsageError("expected at least one rated player")
    R_o = math.fsum(rating for rating, _ in rated) / len(rated)
    D_p = math.fsum(indicated_difference(score / (players - 1)) for _, score in rated) / len(rated)
    return R_o - half_up(D_p) * (players - 1) / players


def _closed(
    score: float, opponents: Sequence[float], note: str
) -> tuple[float | None, float | None, str, float | None]:
    """Return the rating by the closed form of 1994, its error, a note, and the exact rating."""
    rating, exact = closed_form(score, opponents).rating, exact_rating(score, opponents)
    if not min(opponents) - WIDEST < rating < max(opponents) + WIDEST:
        note = f"the closed form has no value within {WIDEST:g} points of opponents so far apart"
        return None, None, note, exact
    far = 0.0 if exact is None else abs(rating - exact)
    warning = f"the closed form is {far:.0f} points from the exact rating here" if far >= FAR else ""
    error = math.sqrt(performance_variance(rating, opponents))
    return rating, error, "; ".join(words for words in (note, warning) if words), exact


def _curve(method: Method, curve: Curve | None) -> Curve:
    fixed: dict[str, Curve] = {
        "fide": Table(),
        "table": Table(),
        "normal": Normal(),
        "linear": Linear(),
        "small-sample": Table(),
        "uscf1994": Logistic(),
    }
    if method == "exact":
        if isinstance(curve, Ratio):
            raise UsageError("the ratio curve measures ratios: choose another for a performance")
        # The printed table has steps, and few scores fall on one: join its points.
        return Table(interpolate=True) if isinstance(curve, Table) else curve or Logistic()
    if method not in fixed:
        raise UsageError(f"expected a method, one of exact, {', '.join(fixed)}; found {method!r}")
    if curve is not None and type(curve) is not type(fixed[method]):
        raise UsageError(
            f"the method {method} has its own curve", code="own-curve", fields={"curve": curve.name}
        )
    return fixed[method]


def _rating(
    score: float, opponents: Sequence[float], average: float, method: Method, curve: Curve
) -> float | None:
    games = len(opponents)
    P = score / games
    if method == "exact":
        return _exact(score, opponents, curve)
    if method in ("normal", "linear"):
        return average + curve.difference(P)
    if method == "fide":
        return half_up(average) + curve.difference(P)
    D_p = indicated_difference(P, curve)
    return half_up(average) + (small_sample_difference(games, D_p) if method == "small-sample" else D_p)


def _exact(score: float, opponents: Sequence[float], curve: Curve) -> float | None:
    """Return the rating whose expected score is the score; None: none is so near to the opponents [1.55]."""
    from scipy.optimize import brentq

    from arpad.rate.elo_reference import plain

    expected = plain(curve)
    many = np.asarray(opponents, dtype=np.float64) if len(opponents) > MANY else None

    def surplus(rating: float) -> float:
        if many is not None:  # a career: one call for all of them
            return float(curve.expected(rating - many).sum()) - score
        return math.fsum(expected(rating - opponent) for opponent in opponents) - score

    low, high = min(opponents) - WIDEST, max(opponents) + WIDEST
    if surplus(low) > 0 or surplus(high) < 0:
        return None
    return float(brentq(surplus, low, high, xtol=1e-9))


def _error(rating: float, opponents: Sequence[float], curve: Curve) -> float | None:
    """Return σ of the rating: that of the score, √Σpq, over the slope of the expected score."""
    if isinstance(curve, Table):
        curve = SMOOTH
    D = rating - np.asarray(opponents, dtype=np.float64)
    p = curve.expected(D)
    slope = math.fsum(curve.expected(D + 25) - curve.expected(D - 25)) / 50
    return math.sqrt(math.fsum(p * (1 - p))) / slope if slope > 0 else None
