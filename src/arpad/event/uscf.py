"""FIDE-rated results in a USCF rating, and the event performance rating of 1994 [USCF 1994, 4, 6]."""

from __future__ import annotations

import math
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.model import Result
from arpad.rate.uscf.performance import closed_form, exact_rating, uscf_from_fide
from arpad.scale import half_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


FIDE_K = 8.0
"""K, points a game: half of what results at home have above 2400 [6.2 step 7, 6.4]."""
HOME = "USA"
"""The federation whose events the USCF rates by itself."""
ROUNDING = 0.005
"""Largest rounding error of Chg, which is printed in hundredths, in each event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FideResult:
    """One line of FIDE's printout of a player's events [6.1]."""

    event: str
    federation: str
    """Federation in which it was played, such as ESP."""
    rating: float
    """The player's FIDE rating before it, Ro."""
    score: float
    games: int
    change: float
    """Chg: the score less the expected score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FideUpdate(Result):
    """A USCF rating brought up to date, with every step of 6.2."""

    before: float
    after: float
    games: int
    """N, of the events that count."""
    score: float
    """W."""
    difference: float
    """d, the sum of Chg."""
    expected: float
    """E = W − d, on FIDE's scale."""
    fide: float | None
    """R_f; None where no event counts."""
    addition: float | None
    """A, points from FIDE's scale to the USCF's at R_f."""
    adjusted: float
    """E_adj."""
    error: float
    """Standard deviation of the rating change that chance alone causes: K √(E_adj (1 − E_adj / N))."""
    counted: tuple[FideResult, ...]
    at_home: tuple[FideResult, ...]
    """Left out: rated by the USCF already."""
    parameters: dict[str, object]

    @property
    def change(self) -> float:
        """K (W − E_adj)."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """Return every step."""
        return {**asdict(self), "change": self.change}

    def table(self) -> pl.DataFrame:
        """Return the events, those at home marked."""
        rows = [(*astuple(r), True) for r in self.counted] + [(*astuple(r), False) for r in self.at_home]
        columns = ("event", "federation", "rating", "score", "games", "change", "counted")
        words = {"event": pl.String, "federation": pl.String}
        return pl.DataFrame(rows, schema=columns, schema_overrides=words, orient="row")

    def summary(self) -> str:
        """Return one sentence."""
        if not self.counted:
            return f"{self.before:.0f} stays: no event was played away from home"
        return (
            f"{self.before:.0f} becomes {half_up(self.after):.0f}: {self.score:g} of {self.games} where "
            f"{self.adjusted:.1f} was expected, K = {self.parameters['K']:g}; chance alone moves it by {self.error:.0f}"
        )


def adjusted_expected(games: int, expected: float, shift: float) -> float:
    """Return E_adj = N / (1 + 10^(shift/400) (N/E − 1)) [6.2 step 6].

    The opponents are taken to be all equal, as strong as E says.

    shift: R_f − R_u + A: how far the converted FIDE rating stands above the USCF rating.

    >>> round(adjusted_expected(31, 16.75, 2655 - 2795 + 46), 1)
    20.7
    """
    if games < 1 or not 0 <= expected <= games or not math.isfinite(shift):
        raise UsageError(
            f"expected a score from 0 to {games} in {games} games and a difference in points, "
            f"found {expected!r} and {shift!r}"
        )
    if expected in (0, games):
        return float(expected)
    odds = math.log10(games / expected - 1) + shift / 400
    return games / (1 + 10**odds) if odds < 300 else 0.0


def rated_from_fide(
    rating: float,
    results: Sequence[FideResult],
    *,
    to_uscf: Callable[[float], float] = uscf_from_fide,
    home: str = HOME,
    K: float = FIDE_K,
) -> FideUpdate:
    """Return a USCF rating after the FIDE-rated events of half a year.

    rating: R_u, the USCF rating now.
    results: The lines of the printout, events at home included: they are left out here.
    to_uscf: From a FIDE rating to the USCF scale: table 1 of the report unless another is given.

    >>> linares = FideResult(event="Linares", federation="ESP", rating=2655, score=5.5, games=13, change=-0.61)
    >>> print(rated_from_fide(2795, [linares]).summary())
    2795 becomes 2776: 5.5 of 13 where 7.8 was expected, K = 8; chance alone moves it by 14
    """
    _check(rating, results, K)
    counted: list[FideResult] = []
    at_home: list[FideResult] = []
    for r in results:
        here = r.federation.strip().casefold() == home.strip().casefold()
        (at_home if here else counted).append(r)
    N = sum(r.games for r in counted)
    W = math.fsum(r.score for r in counted)
    d = math.fsum(r.change for r in counted)
    R_f = _one_rating(counted)
    if R_f is None:
        A, E_adj, E, error = None, 0.0, 0.0, 0.0
    else:
        A, E = float(to_uscf(R_f)) - R_f, _expected(W, d, N, len(counted))
        E_adj = adjusted_expected(N, E, R_f - rating + A)
        error = K * math.sqrt(E_adj * (1 - E_adj / N))
    return FideUpdate(
        before=rating,
        after=rating + K * (W - E_adj),
        games=N,
        score=W,
        difference=d,
        expected=E,
        fide=R_f,
        addition=A,
        adjusted=E_adj,
        error=error,
        counted=tuple(counted),
        at_home=tuple(at_home),
        parameters={"K": K, "home": home},
    )


def _expected(W: float, d: float, N: int, events: int) -> float:
    E = W - d
    if not -ROUNDING * events <= E <= N + ROUNDING * events:
        raise UsageError(
            f"expected W − d from 0 to {N}, an expected score in {N} games; found {W:g} − {d:g} = {E:g}: "
            "is Chg the score less the expected score, without K?"
        )
    return min(max(E, 0.0), float(N))


def _one_rating(counted: Sequence[FideResult]) -> float | None:
    result = sorted({r.rating for r in counted})
    if len(result) > 1:
        raise UsageError(
            f"expected one FIDE rating for the half-year, found {', '.join(f'{x:g}' for x in result)}: "
            "rate the events of each list by themselves"
        )
    return result[0] if result else None


def _check(rating: float, results: Sequence[FideResult], K: float) -> None:
    if not (math.isfinite(rating) and rating > 0 and math.isfinite(K) and K > 0):
        raise UsageError(f"expected a USCF rating and K above 0, found {rating!r} and {K!r}")
    for r in results:
        numbers = (r.rating, r.score, r.change)
        if not all(map(math.isfinite, numbers)) or r.games < 1 or not 0 <= r.score <= r.games:
            raise UsageError(
                f"{r.event}: expected a rating, a score from 0 to the number of games, and Chg; found "
                f"{r.rating!r}, {r.score!r} of {r.games!r}, {r.change!r}"
            )
    twice = next((r.event for at, r in enumerate(results) if r in results[:at]), None)
    if twice is not None:
        raise UsageError(f"{twice}: expected every event once, found the same line twice")


def uscf_performances(opponents: Sequence[float]) -> pl.DataFrame:
    """Return the closed form's rating of every score in half points, beside the exact one [USCF 1994, 1.7, 4]."""
    scores = [halves / 2 for halves in range(2 * len(opponents) + 1)]
    steps = pl.DataFrame(asdict(closed_form(score, opponents)) for score in scores)
    exact = pl.Series("exact", [exact_rating(score, opponents) for score in scores], dtype=pl.Float64)
    return steps.with_columns(exact, difference=pl.col("rating") - exact)
