"""Whether a change is more than chance: the usual tests, with their sample sizes."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = [
    "Significance",
    "clustered",
    "distributions",
    "means",
    "paired",
    "spreads",
    "tests_table",
]

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
        what=what,
        test="Welch's t",
        players=n,
        others=m,
        estimate=estimate,
        error=error,
        statistic=t,
        p=p,
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
            found = stats.f_oneway(*away)
            if math.isfinite(found.statistic):  # else nobody deviates from the others of a sample
                statistic, p = float(found.statistic), float(found.pvalue)
    return Significance(
        what=what,
        test="Brown–Forsythe",
        players=n,
        others=m,
        estimate=estimate,
        statistic=statistic,
        p=p,
    )


def distributions(first: NDArray[np.float64], last: NDArray[np.float64], what: str) -> Significance:
    """Test whether two samples have the same distribution (Kolmogorov–Smirnov)."""
    from scipy import stats

    n, m = len(first), len(last)
    if not min(n, m):
        return Significance(
            what=what, test="Kolmogorov–Smirnov", players=n, others=m, estimate=None
        )
    found = stats.ks_2samp(first, last, method="exact" if max(n, m) <= FEW else "asymp")
    D = float(found.statistic)
    return Significance(
        what=what,
        test="Kolmogorov–Smirnov",
        players=n,
        others=m,
        estimate=D,
        statistic=D,
        p=_number(found.pvalue),
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
    schema = {
        "what": pl.String,
        "test": pl.String,
        "players": pl.Int64,
        "others": pl.Int64,
        "estimate": pl.Float64,
        "error": pl.Float64,
        "statistic": pl.Float64,
        "p": pl.Float64,
    }
    return pl.DataFrame([asdict(test) for test in tests], schema=schema)


def _t(
    estimate: float | None, error: float | None, freedom: float
) -> tuple[float | None, float | None]:
    from scipy import stats

    if estimate is None or not error:
        return None, None
    t = estimate / error
    return t, float(2 * stats.t.sf(abs(t), freedom))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
