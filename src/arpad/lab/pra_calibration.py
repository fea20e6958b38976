"""Calibration: the K and the boosting coefficients that serve a world best, as PRA's author looked for them by hand.

Every candidate is tried on the same seasons, with the same random numbers, so that candidates differ by what
they do and not by luck. The found values are then tried on seasons that the search has not seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.lab.simulate import TOLERANCE, simulate
from arpad.model import Result
from arpad.parallel import HERE
from arpad.rate.pra.steps import BOOSTING, Boosting, K
from arpad.rate.pra.system import Pra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.lab.season import Season
    from arpad.lab.simulate import Simulation
    from arpad.parallel import Workers

    Array = NDArray[np.float64]


Objective = Literal["end", "area", "both"]
"""Quantities to minimise, in per cent of the players.

end    out of spec after the last round;
area   out of spec on average over all rounds: the area under the curve;
both   the sum of the two.
"""
AUTHOR = {
    "k": K,
    "steady": BOOSTING.steady,
    "fresh": BOOSTING.fresh,
    "turning": BOOSTING.turning,
    "omega": BOOSTING.late_omega,
}
"""The text's values; `omega` is the one after game 160."""
FARTHEST = math.log(30)
"""No value is tried beyond 30 times the author's, or below a 30th of it."""
WANDER = 0.4
"""Standard deviation of the first candidates around the author's values, in logarithms."""
STEP = 0.15
"""The first steps of the search from the best of them, in logarithms."""
FEWEST = 10
"""Candidates that a search needs."""
AS_GOOD = 2.0
"""Standard errors by which a candidate may be worse than the best and still be called as good."""


def pra_with(values: Mapping[str, float]) -> Pra:
    """Return PRA with other constants than the author's.

    Examples
    --------
    >>> pra_with({"k": 12.0, "omega": 0.1}).parameters()["late_omega"]
    0.1
    """
    whole = {**AUTHOR, **values}
    boosting = Boosting(
        steady=whole["steady"], fresh=whole["fresh"], turning=whole["turning"], late_omega=whole["omega"]
    )
    return Pra(k=whole["k"], boosting=boosting)


@dataclass(frozen=True, slots=True, kw_only=True)
class PraCalibration(Result):
    """Result of a search, beside the author's values.

    Parameters
    ----------
    found
        The best candidate.
    tried
        Every candidate with its objective, in the order in which they were tried.
    check
        Seasons that the search has not seen, by both: the first system is the author's.
    gain, gain_error
        By how much the found values are better there (less out of spec, in percentage points of the
        objective), and its standard error over the seasons.
    """

    objective: Objective
    found: Mapping[str, float]
    tried: pl.DataFrame
    check: Simulation
    author_value: float
    found_value: float
    gain: float
    gain_error: float
    parameters: Mapping[str, object] = field(default_factory=dict)

    def table(self) -> pl.DataFrame:
        """Return the author's value, the found one, and the range of candidates that were as good."""
        as_good = self.tried.filter("as_good")
        return pl.DataFrame(
            [
                {
                    "constant": name,
                    "author": AUTHOR[name],
                    "found": value,
                    "from": float(as_good[name].to_numpy().min()),
                    "to": float(as_good[name].to_numpy().max()),
                }
                for name, value in self.found.items()
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every figure and candidate."""
        author, ours = self.check.systems
        return {
            "summary": self.summary(),
            "settings": dict(self.parameters),
            "constants": self.table().to_dicts(),
            "objective": {
                "name": self.objective,
                "author": self.author_value,
                "found": self.found_value,
                "gain": self.gain,
                "gain_error": self.gain_error,
            },
            "out_of_spec": {
                "author": author.mean("out_of_spec").tolist(),
                "found": ours.mean("out_of_spec").tolist(),
            },
            "candidates": self.tried.to_dicts(),
        }

    def summary(self) -> str:
        """Return what was found, and what it is worth, in words."""
        values = ", ".join(f"{name} {value:.3g}" for name, value in self.found.items())
        sure = "" if abs(self.gain) > 2 * self.gain_error else ": no clear difference"
        return f"{values}: {self.objective} {self.found_value:.2f} % against {self.author_value:.2f} % with the author's values, on {self.check.runs} new seasons; gain {self.gain:.2f} ± {self.gain_error:.2f}{sure}"


def calibrate(
    season: Season,
    names: Sequence[str] = tuple(AUTHOR),
    *,
    objective: Objective = "both",
    budget: int = 120,
    seasons: int = 4,
    checks: int = 10,
    tolerance: float = TOLERANCE,
    progress: Callable[[int, int], None] | None = None,
    workers: Workers = HERE,
) -> PraCalibration:
    """Search the constants of PRA that leave the fewest ratings out of spec.

    A third of the budget goes to candidates at random around the author's values; the best of them is
    where a Nelder–Mead search begins, in logarithms.

    Parameters
    ----------
    names
        Which constants, of `AUTHOR`; the others keep their values.
    budget
        Candidates.
    seasons
        Seasons that each candidate is tried on; seeds from the season's own on.
    checks
        Seasons of the last comparison; the seeds after those.
    workers
        Who tries the candidates at random and plays the last seasons; the search between them goes step by step.
    """
    _check(names, objective, budget, seasons, checks)
    search = _Search(season, tuple(names), objective, seasons, tolerance, budget, progress)
    rng = np.random.default_rng(season.seed)
    around = [rng.normal(0.0, WANDER, len(names)) for _ in range(budget // 3)]
    search.try_all([np.zeros(len(names)), *around], workers)
    search.refine()
    return _compared(search, checks, workers)


@dataclass(slots=True)
class _Search:
    season: Season
    names: tuple[str, ...]
    objective: Objective
    seasons: int
    tolerance: float
    budget: int
    progress: Callable[[int, int], None] | None
    points: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)

    def candidate(self, x: Array) -> dict[str, float]:
        return {n: AUTHOR[n] * math.exp(v) for n, v in zip(self.names, x, strict=True)}

    def value(self, x: Array) -> float:
        if float(np.abs(x).max()) > FARTHEST:
            return math.inf
        return self._add(x, tried(self._ground(), self.candidate(x)))

    def try_all(self, points: list[Array], workers: Workers) -> None:
        """Try candidates that do not depend on each other."""
        near = [x for x in points if float(np.abs(x).max()) <= FARTHEST]
        result = workers.map(tried, [self.candidate(x) for x in near], shared=self._ground())
        for x, values in zip(near, result, strict=True):
            self._add(x, values)

    def _ground(self) -> _Ground:
        return self.season, self.objective, self.seasons, self.tolerance

    def _add(self, x: Array, values: Array) -> float:
        self.points.append(np.array(x))
        self.values.append(values)
        if self.progress:
            self.progress(len(self.points), self.budget)
        return float(values.mean())

    def best(self) -> int:
        return int(np.argmin([v.mean() for v in self.values]))

    def refine(self) -> None:
        from scipy.optimize import minimize

        start = self.points[self.best()]
        corners = np.vstack([start, *(start + STEP * row for row in np.eye(len(start)))])
        minimize(
            self.value,
            start,
            method="Nelder-Mead",
            options={
                "initial_simplex": corners,
                "maxfev": self.budget - len(self.points),
                "xatol": 0.005,
                "fatol": 1e-4,
            },
        )

    def tried(self) -> pl.DataFrame:
        best = self.values[self.best()]
        rows = []
        for x, values in zip(self.points, self.values, strict=True):
            worse = values - best
            error = worse.std(ddof=1) / math.sqrt(len(worse)) if len(worse) > 1 else 0.0
            as_good = bool(worse.mean() <= AS_GOOD * error)
            rows.append({**self.candidate(x), "value": float(values.mean()), "as_good": as_good})
        return pl.DataFrame(rows)


_Ground = tuple["Season", Objective, int, float]
"""Data shared by all candidates: season, objective, seasons for each, tolerance."""


def tried(ground: _Ground, candidate: Mapping[str, float]) -> Array:
    """Return the objective of one candidate in every season."""
    season, objective, seasons, tolerance = ground
    result = simulate(season, {"pra": pra_with(candidate)}, runs=seasons, tolerance=tolerance)
    return objective_values(result, 0, objective)


def objective_values(found: Simulation, system: int, objective: Objective) -> Array:
    """Return the objective of one system in every run, in per cent of the players."""
    shares = [100 * course.share for course in found.systems[system].courses]
    end = np.array([share[-1] for share in shares])
    area = np.array([share[1:].mean() if len(share) > 1 else share[0] for share in shares])
    return np.asarray({"end": end, "area": area, "both": end + area}[objective])


def _compared(search: _Search, checks: int, workers: Workers) -> PraCalibration:
    result = search.candidate(search.points[search.best()])
    fresh = replace(search.season, seed=search.season.seed + search.seasons)
    check = simulate(
        fresh,
        {"author's": pra_with({}), "found": pra_with(result)},
        runs=checks,
        tolerance=search.tolerance,
        workers=workers,
    )
    theirs, ours = (objective_values(check, i, search.objective) for i in range(2))
    better = theirs - ours
    return PraCalibration(
        objective=search.objective,
        found=result,
        tried=search.tried(),
        check=check,
        author_value=float(theirs.mean()),
        found_value=float(ours.mean()),
        gain=float(better.mean()),
        gain_error=float(better.std(ddof=1) / math.sqrt(checks)),
        parameters={
            **search.season.parameters(),
            "tolerance": search.tolerance,
            "objective": search.objective,
            "constants": list(search.names),
            "budget": search.budget,
            "candidates": len(search.points),
            "seasons": search.seasons,
            "checks": checks,
        },
    )


def _check(names: Sequence[str], objective: str, budget: int, seasons: int, checks: int) -> None:
    strange = [name for name in names if name not in AUTHOR]
    if strange or not names or len(set(names)) < len(names):
        raise UsageError(
            f"expected constants to calibrate, of {', '.join(AUTHOR)}, each once; found {', '.join(names) or 'none'}"
        )
    if objective not in get_args(Objective):
        raise UsageError(
            f"expected an objective, one of {', '.join(get_args(Objective))}; found {objective!r}"
        )
    if budget < FEWEST:
        raise UsageError(f"expected a budget of {FEWEST} candidates or more, found {budget}")
    if seasons < 1 or checks < 2:
        raise UsageError(
            f"expected 1 season or more to search on and 2 or more to check, found {seasons} and {checks}"
        )
