"""Statistical tests: changes, goodness of fit, how many games tell two curves apart."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Result, columns
from arpad.scale import Curve, Linear, Logistic, LogisticToBase, Normal, Ratio, UnequalNormal, odds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray


FEW = 100
"""Players up to which the exact distribution of Kolmogorov and Smirnov is used; else its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Significance:
    """One test: what was compared, how many, by how much, and how often chance does as much."""

    what: str
    test: str
    players: int
    others: int | None = None
    """The size of the second sample, if there is one."""
    estimate: float | None
    error: float | None = None
    """One standard deviation of the estimate."""
    statistic: float | None = None
    p: float | None = None
    """Two-sided; None where there is too little to test."""


def paired(changes: NDArray[np.float64], what: str) -> Significance:
    """Test whether the changes of the same people have a mean of 0 (one-sample t)."""
    n = len(changes)
    estimate = float(changes.mean()) if n else None
    error = float(changes.std(ddof=1)) / math.sqrt(n) if n > 1 else None
    t, p = _t(estimate, error, n - 1)
    return Significance(
        what=what, test="t, paired", players=n, estimate=estimate, error=error, statistic=t, p=p
    )


def means(first: NDArray[np.float64], last: NDArray[np.float64], what: str) -> Significance:
    """Test whether two samples have the same mean, whatever their spreads (Welch's t)."""
    n, m = len(first), len(last)
    if min(n, m) < 2:
        gap = float(last.mean() - first.mean()) if min(n, m) else None
        return Significance(what=what, test="Welch's t", players=n, others=m, estimate=gap)
    a, b = float(first.var(ddof=1)) / n, float(last.var(ddof=1)) / m
    error = math.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1)) if error else 1.0
    estimate = float(last.mean() - first.mean())
    t, p = _t(estimate, error, freedom)
    return Significance(
        what=what, test="Welch's t", players=n, others=m, estimate=estimate, error=error, statistic=t, p=p
    )


def spreads(first: NDArray[np.float64], last: NDArray[np.float64], what: str) -> Significance:
    """Test whether two samples have the same spread (Brown–Forsythe); the estimate is the change of σ."""
    from scipy import stats

    n, m = len(first), len(last)
    statistic = p = estimate = None
    if min(n, m) > 2:
        estimate = float(last.std(ddof=1) - first.std(ddof=1))
        away = [np.abs(x - np.median(x)) for x in (first, last)]
        if float(np.concatenate(away).std()) > 0:
            result = stats.f_oneway(*away)
            if math.isfinite(result.statistic):  # else nobody deviates from the others of a sample
                statistic, p = float(result.statistic), float(result.pvalue)
    return Significance(
        what=what, test="Brown–Forsythe", players=n, others=m, estimate=estimate, statistic=statistic, p=p
    )


def distributions(first: NDArray[np.float64], last: NDArray[np.float64], what: str) -> Significance:
    """Test whether two samples have the same distribution (Kolmogorov–Smirnov)."""
    from scipy import stats

    n, m = len(first), len(last)
    if not min(n, m):
        return Significance(what=what, test="Kolmogorov–Smirnov", players=n, others=m, estimate=None)
    result = stats.ks_2samp(first, last, method="exact" if max(n, m) <= FEW else "asymp")
    D = float(result.statistic)
    return Significance(
        what=what,
        test="Kolmogorov–Smirnov",
        players=n,
        others=m,
        estimate=D,
        statistic=D,
        p=float(result.pvalue) if math.isfinite(result.pvalue) else None,
    )


def clustered(
    values: NDArray[np.float64], people: NDArray[np.int64]
) -> tuple[float | None, float | None, float | None, int]:
    """Return mean, its error, p and the number of people, where one person may stand there often.

    The error adds up each person's deviations first: what one person does twice is not two facts.
    """
    if not len(values):
        return None, None, None, 0
    mean = float(values.mean())
    _, number = np.unique(people, return_inverse=True)
    sums = np.bincount(number, weights=values - mean)
    m = len(sums)
    if m < 2:
        return mean, None, None, m
    error = math.sqrt(float((sums**2).sum()) * m / (m - 1)) / len(values)
    return mean, error, _t(mean, error, m - 1)[1], m


def tests_table(tests: Iterable[Significance]) -> pl.DataFrame:
    """Return tests as a table, one a row."""
    schema = columns(
        "what:str test:str players:int others:int estimate:float error:float statistic:float p:float"
    )
    return pl.DataFrame([asdict(test) for test in tests], schema=schema)


def _t(estimate: float | None, error: float | None, freedom: float) -> tuple[float | None, float | None]:
    from scipy import stats

    if estimate is None or not error:
        return None, None
    t = estimate / error
    return t, float(2 * stats.t.sf(abs(t), freedom))


# Does what was observed agree with what was expected? χ² and Kolmogorov–Smirnov [Elo 8.96, 9.17].

LEAST = 5.0
"""Expected observations that an interval must have [8.96]."""
OBSERVATIONS, INTERVALS = 30, 6
"""Fewest observations and intervals that make a χ² test [8.96]."""
CERTAIN, PROBABLE = 0.01, 0.05
"""Below the first a difference is almost certainly real, below the second probably [8.96]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiSquare:
    """χ² = Σ (f_o − f_e)² / f_e with the two ways of counting degrees of freedom [(73)].

    The book counts j − 1. Every constant that was fitted to the same data costs one more; `p_fitted`
    takes that into account and is the one to trust. A p-value is None where no degree is left.
    """

    statistic: float
    intervals: int
    """j, after small intervals were pooled."""
    observations: float
    fitted: int = 0
    """Constants that were estimated from the same data."""
    tied: bool = True
    """The expected frequencies add up to the observed ones, which costs one degree of freedom."""

    @property
    def degrees(self) -> int:
        """J − 1, as the book counts."""
        return self.intervals - self.tied

    @property
    def degrees_fitted(self) -> int:
        """The same, less one for every fitted constant."""
        return max(self.degrees - self.fitted, 0)

    @property
    def p(self) -> float | None:
        """The probability of so large a χ² by chance, with j − 1 degrees of freedom."""
        return _chi_square_tail(self.statistic, self.degrees)

    @property
    def p_fitted(self) -> float | None:
        """The same with the fitted constants counted."""
        return _chi_square_tail(self.statistic, self.degrees_fitted)

    @property
    def large_enough(self) -> bool:
        """Whether there are 30 observations in 6 intervals, as the book asks."""
        return self.observations >= OBSERVATIONS and self.intervals >= INTERVALS

    def critical(self, level: float) -> float | None:
        """Return the χ² that chance exceeds with probability `level`, by j − 1 degrees.

        Examples
        --------
        >>> round(ChiSquare(statistic=8.843, intervals=7, observations=546).critical(0.01), 3)
        16.812
        """
        from scipy.special import chdtri

        return float(chdtri(self.degrees, level)) if self.degrees >= 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KolmogorovSmirnov:
    """The largest difference of two cumulative proportions, and how likely chance is to make it.

    `p` holds for an expectation that was fixed beforehand. Where its constants were `fitted` to the
    same data, p is too large: a small one still rejects, a large one says little.
    """

    difference: float
    at: float
    """Value at which the largest difference lies."""
    observations: float
    fitted: int = 0

    @property
    def p(self) -> float:
        """The probability of so large a difference by chance."""
        from scipy.special import kolmogorov

        root = math.sqrt(self.observations)
        # Stephens' term makes the limiting law good from a handful of observations on.
        return float(kolmogorov((root + 0.12 + 0.11 / root) * self.difference))

    def limit(self, level: float) -> float:
        """Return the difference that chance exceeds with probability `level`: 1.36/√N for 5 % [9.17].

        Examples
        --------
        >>> found = KolmogorovSmirnov(difference=0.0235, at=1100, observations=1857)
        >>> round(found.limit(0.05), 4)
        0.0315
        """
        from scipy.special import kolmogi

        return float(kolmogi(level)) / math.sqrt(self.observations)


def pooled(
    f_o: ArrayLike, f_e: ArrayLike, least: float = LEAST
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join neighbouring intervals until each has at least `least` expected observations.

    Examples
    --------
    >>> f_o, f_e = pooled([1, 2, 9, 8, 1], [1.5, 4.0, 8.0, 6.0, 1.5])
    >>> f_o.tolist(), f_e.tolist()
    ([3.0, 9.0, 9.0], [5.5, 8.0, 7.5])
    """
    observed, expected = _frequencies(f_o, f_e)
    starts, room = [0], 0.0
    for i, f in enumerate(expected):
        if room >= least:
            starts.append(i)
            room = 0.0
        room += f
    if room < least and len(starts) > 1:
        starts.pop()  # what is left over goes to the last interval
    return np.add.reduceat(observed, starts), np.add.reduceat(expected, starts)


def chi_square(
    f_o: ArrayLike, f_e: ArrayLike, *, fitted: int = 0, least: float = 0.0, tied: bool = True
) -> ChiSquare:
    """Test observed against expected frequencies [(73)].

    fitted: How many constants of the expectation were estimated from these observations: 2 for a normal
        distribution with their mean and standard deviation.
    least: Pool neighbouring intervals that expect fewer observations; 0 takes them as they are.

    Examples
    --------
    >>> found = chi_square([18, 24, 30, 28], [25, 25, 25, 25])
    >>> round(found.statistic, 2), found.degrees, round(found.p, 3)
    (3.36, 3, 0.339)
    """
    observed, expected = pooled(f_o, f_e, least) if least else _frequencies(f_o, f_e)
    if bool((expected <= 0).any()):
        raise UsageError(
            "expected frequencies above 0, found an interval without: pool it with its neighbour"
        )
    return ChiSquare(
        statistic=float(((observed - expected) ** 2 / expected).sum()),
        intervals=len(observed),
        observations=float(observed.sum()),
        fitted=fitted,
        tied=tied,
    )


def kolmogorov_smirnov(
    values: ArrayLike, cumulative: Callable[[NDArray[np.float64]], ArrayLike], *, fitted: int = 0
) -> KolmogorovSmirnov:
    """Test measurements against a distribution given by its cumulative proportions [9.17]."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if not n or bool(np.isnan(ordered).any()):
        raise UsageError(f"expected measurements that are numbers, found {n or 'one that is not'}")
    F = np.asarray(cumulative(ordered), dtype=np.float64)
    apart = np.maximum(np.arange(1, n + 1) / n - F, F - np.arange(n) / n)
    worst = int(apart.argmax())
    return KolmogorovSmirnov(
        difference=float(apart[worst]), at=float(ordered[worst]), observations=n, fitted=fitted
    )


def grouped_kolmogorov_smirnov(
    observed: Sequence[float],
    expected: Sequence[float],
    *,
    observations: float,
    at: Sequence[float] | None = None,
    fitted: int = 0,
) -> KolmogorovSmirnov:
    """Test cumulative proportions at the ends of intervals, as table 9.17 does.

    Between those ends nothing is seen, so that the difference can only be too small.
    """
    apart = np.abs(np.asarray(observed, dtype=np.float64) - np.asarray(expected, dtype=np.float64))
    if not apart.size or not np.isfinite(apart).all() or observations < 1:
        raise UsageError("expected cumulative proportions and the number of observations")
    worst = int(apart.argmax())
    return KolmogorovSmirnov(
        difference=float(apart[worst]),
        at=float(worst if at is None else at[worst]),
        observations=observations,
        fitted=fitted,
    )


def in_words(p: float | None) -> str:
    """Say what a probability means, as the book does [8.96].

    Examples
    --------
    >>> in_words(0.03)
    'probably a real difference'
    """
    if p is None:
        return "too few intervals to tell"
    if p < CERTAIN:
        return "almost certainly a real difference"
    return "probably a real difference" if p < PROBABLE else "no significant difference"


def p_text(p: float | None) -> str:
    """Return a probability as people read it.

    Examples
    --------
    >>> p_text(0.0314), p_text(1e-9), p_text(None)
    ('0.031', '< 0.001', '')
    """
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.0005 else "< 0.001"


def _chi_square_tail(statistic: float, degrees: int) -> float | None:
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic)) if degrees >= 1 else None


def _frequencies(f_o: ArrayLike, f_e: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    observed, expected = np.asarray(f_o, dtype=np.float64), np.asarray(f_e, dtype=np.float64)
    if observed.ndim != 1 or observed.shape != expected.shape or not observed.size:
        raise UsageError(
            f"expected as many observed as expected frequencies, found {observed.size} and {expected.size}"
        )
    if not (np.isfinite(observed).all() and np.isfinite(expected).all()):
        raise UsageError("expected frequencies that are numbers, found one that is not")
    return observed, expected


# How many games tell two curves apart, which agree on small differences [Elo 8.74].

ALIKE = 1e-9
"""Expected scores as close as this are the same."""
UPSETS = 5
"""Points against the odds that the true curve expects at least in an experiment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Players D points apart, and what two curves expect of the stronger one."""

    D: float
    P: float
    """By the first curve; the spread of the score is taken from it."""
    P_other: float
    """By the second curve."""
    parameters: dict[str, object]

    def difference(self, games: int) -> float:
        """Return by how many points the two expected scores differ."""
        return games * (self.P - self.P_other)

    def sigma(self, games: int) -> float:
        """Return the standard deviation √(Npq) of the score."""
        return math.sqrt(games * self.P * (1 - self.P))

    def games_needed(self, *, level: float = 0.05, power: float = 0.5) -> int | None:
        """Return the games after which the wrong curve is found out, or None where both say the same.

        N = ((z_α √(pq) + z_β √(p′q′)) / (p − p′))², pq by the first curve, which is tested, p′q′ by the second, which is true.

        level: The risk, two-sided, of rejecting the first curve although it is right.
        power: The chance of rejecting it when it is wrong; .5 asks only that the difference reach z_α
            standard deviations, as the book's comparison does.
        """
        if not (0 < level < 1 and 0 < power < 1):
            raise UsageError(f"expected a level and a power between 0 and 1, found {level}, {power}")
        gap = abs(self.P - self.P_other)
        if gap < ALIKE:
            return None
        z_alpha, z_beta = (NormalDist().inv_cdf(q) for q in (1 - level / 2, power))
        spread = z_alpha * self.sigma(1)
        spread += z_beta * math.sqrt(self.P_other * (1 - self.P_other))
        # The normal curve stands for the binomial: that needs some upsets, or certainty would take one game.
        rare = min(self.P_other, 1 - self.P_other)
        return max(math.ceil((max(spread, 0.0) / gap) ** 2), math.ceil(UPSETS / rare))


def experiment(D: float, curve: Curve | None = None, other: Curve | None = None) -> Experiment:
    """Compare what two curves expect at a difference D, the normal and the logistic unless others are given.

    Examples
    --------
    >>> found = experiment(400)
    >>> round(found.difference(1000), 1), round(found.sigma(1000), 1), found.games_needed()
    (12.3, 8.5, 1853)
    """
    first, second = curve or Normal(), other or Logistic()
    if isinstance(first, Ratio) or isinstance(second, Ratio):
        raise UsageError("the ratio curve measures ratios: it has no differences to compare at")
    P, P_other = float(first.expected(D)), float(second.expected(D))
    parameters: dict[str, object] = {"curve": first.parameters(), "other": second.parameters()}
    return Experiment(D=D, P=P, P_other=P_other, parameters=parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveComparison(Result):
    """What several curves expect at several differences [8.73].

    `rows` has `D`, the expected score and the odds by each of `curves`, and `games`: after how many between two such
    players the normal and the logistic curve are told apart.
    """

    rows: pl.DataFrame
    curves: Mapping[str, Curve]

    def to_dict(self) -> dict[str, Any]:
        """Return the rows."""
        return {"rows": self.rows.to_dicts()}

    def summary(self) -> str:
        """Say what `games` are."""
        return "games: after this many between two such players the normal and the logistic curve are told apart (5 %)"


def compare_curves(
    differences: Iterable[float], *, sigmas: tuple[float, float] | None = None, base: float | None = None
) -> CurveComparison:
    """Compare the normal, the logistic and the linear curve.

    sigmas: Standard deviations of the two players' performances, for a normal curve with unequal ones [8.23].
    base: Base of one more logistic curve for one class interval [8.36].

    Examples
    --------
    >>> compare_curves([400]).rows.select(pl.col("normal", "logistic", "linear").round(3), "games").row(0)
    (0.921, 0.909, 0.938, 1853)
    """
    curves: dict[str, Curve] = {"normal": Normal(), "logistic": Logistic(), "linear": Linear()}
    if sigmas is not None:
        curves[f"normal {sigmas[0]:g}/{sigmas[1]:g}"] = UnequalNormal(*sigmas)
    if base is not None:
        curves[f"logistic to {base:g}"] = LogisticToBase(base=base)
    rows: list[dict[str, float | None]] = []
    for D in differences:
        P = {name: float(curve.expected(float(D))) for name, curve in curves.items()}
        ratios = {f"odds {name}": odds(share) for name, share in P.items()}
        rows.append({"D": float(D), **P, **ratios, "games": experiment(float(D)).games_needed()})
    return CurveComparison(rows=pl.DataFrame(rows, infer_schema_length=None), curves=curves)
