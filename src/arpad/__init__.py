"""arpad measures the strength of chess players, and shows how every number came about.

>>> import arpad
>>> ratings = arpad.rate([("Ann", "Bo", 1.0), ("Bo", "Cy", 0.5)], system="elo", k=20)
>>> round(ratings.expected("Ann", "Cy"), 3)
0.515

Names are loaded when they are first used, so that `import arpad` costs nothing. `arpad.rate`, `arpad.event`,
`arpad.pool` and `arpad.read` are packages that can be called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CALLABLE = {
    "event": "arpad.event.report:event",
    "pool": "arpad.rate.pool:pool",
    "rate": "arpad.rate.rating:rate",
    "read": "arpad.read.reading:read",
}
"""Package → the function that a call of it is."""
NAMES = {
    "errors": "ArpadError BusyError DroppedRowsWarning EngineError FormatError InputError LedgerError OverwriteError PromiseError StrictError UsageError",
    "event.field": "crosstable",
    "event.forecast": "finish",
    "event.handicap": "match_handicap",
    "event.match": "forecast=match",
    "event.performance": "Performance performance",
    "event.report": "EventReport",
    "lab.coverage": "Coverage KnownWorld coverage",
    "lab.predict": "Prediction predict",
    "lab.simulate": "Simulation simulate",
    "lab.tuning": "Tuning tune",
    "lab.worlds": "World population",
    "ledger.db.ledger": "Ledger",
    "model": "Event Games Player Ratings",
    "moves.average_error": "measure_errors",
    "moves.analysis": "LocalWorkers analyse",
    "moves.engine": "EngineSettings",
    "moves.error_report": "group_errors",
    "moves.evaluate": "EngineWork evaluate_games",
    "moves.gain_report": "gain_report",
    "moves.evaluated_games": "read_evaluated",
    "moves.gain": "measure=gain",
    "moves.ipr.rating": "intrinsic_rating",
    "moves.strength.estimate": "strength",
    "pool.check": "check",
    "pool.deflation": "deflation exchange",
    "pool.demography": "growth",
    "pool.distribution": "Distribution distribution",
    "pool.draw_check": "check_draws",
    "pool.greatness.run": "find_greatness",
    "pool.history": "History HistorySystem",
    "pool.monitors": "account cohort shape",
    "pool.scales": "fit_scale",
    "publish.export.games": "write_games",
    "publish.export.rating_list": "export_list",
    "publish.site": "SiteResult write_site",
    "rate.arpad_system": "ArpadSystem",
    "rate.bootstrap": "bootstrap",
    "rate.draws": "DrawModel fit_draws",
    "rate.elo": "Elo",
    "rate.elo_book.system": "EloBook",
    "rate.fide.system": "Fide",
    "rate.glicko.systems": "Glicko Glicko2 Stephenson",
    "rate.historical.systems": "Bcf Berkin Ccla Harkness Ingo Periodic",
    "rate.k": "KPolicy k_policy",
    "rate.pool": "PoolRatings PoolSystem",
    "rate.pra.system": "Pra PraBasic",
    "rate.registry": "register system",
    "rate.system": "RatingSystem",
    "rate.uscf.systems": "Uscf1993 Uscf1994",
    "rate.whr.system": "Whr",
    "read.pgn.games": "iterate=iterate_pgn",
    "read.reading": "Reading games_from read=read_games read_list read_moves",
    "read.table": "from_frame",
    "scale": "curve",
}
"""Module → the public names in it, as ``there=here`` where they differ; `__init__.pyi` has the same for type checkers."""
CHARTS = {
    "AgeCurves": "pool:age_chart",
    "PoolAccount": "pool:account_chart",
    "AppReport": "event:fit_chart",
    "PraCalibration": "lab:calibration_chart",
    "Check": "checks:check_chart",
    "Cohort": "pool:cohort_chart",
    "CurveComparison": "checks:curves_chart",
    "Deflation": "pool:deflation_chart",
    "Distribution": "pool:distribution_chart",
    "DrawCheck": "checks:draw_chart",
    "ErrorGroups": "moves:error_chart",
    "ErrorTrend": "moves:trend_chart",
    "Exchange": "pool:exchange_chart",
    "Forecast": "checks:match_scores",
    "GainReport": "moves:histogram_chart",
    "Greatness": "event:greatness_chart",
    "History": "ratings:lifetime_chart",
    "Growth": "pool:growth_chart",
    "IprReport": "strength:ipr_chart",
    "Potential": "pool:potential_chart",
    "Prediction": "lab:systems_side_by_side",
    "Ratings": "ratings:ratings_chart",
    "ScaleFit": "checks:scale_chart",
    "PoolShape": "pool:shape_chart",
    "Simulation": "lab:simulation_chart",
    "StrengthComparison": "strength:comparison_chart",
    "StrengthReport": "strength:strength_chart",
    "WholeHistory": "ratings:whole_history_chart",
}
"""Class of a result → the function of `arpad.publish.charts` that draws it."""


_HOMES = {
    name.rpartition("=")[2]: (f"arpad.{module}", name.partition("=")[0])
    for module, names in NAMES.items()
    for name in names.split()
}
__all__ = sorted([*_HOMES, *CALLABLE, "__version__"])  # noqa: PLE0605 - static in __init__.pyi


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        module, there = _HOMES[name]
        return getattr(import_module(module), there)
    if name in CALLABLE:
        return import_module(f"arpad.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("arpad")
    raise AttributeError(f"module 'arpad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__name__"]


class _CallablePackage(ModuleType):
    # A package that is also the function with its name: docs/decisions/2026-11-18-callable-packages.md.

    @property
    def _function(self) -> Callable[..., Any]:
        module, _, name = CALLABLE[self.__name__.removeprefix("arpad.")].partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._function.__doc__

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(self._function)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._function(*arguments, **options)


def make_callable(package: str) -> None:
    """Let a package be called; its `__init__` does this."""
    sys.modules[package].__class__ = _CallablePackage
