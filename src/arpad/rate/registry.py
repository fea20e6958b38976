"""The rating systems by the names that people use, here and on the command line."""

from __future__ import annotations

from importlib.metadata import entry_points
from inspect import signature
from typing import TYPE_CHECKING, Any
from warnings import warn

from arpad.errors import UsageError
from arpad.rate.arpad_system import ArpadSystem
from arpad.rate.elo import Elo
from arpad.rate.elo_book.system import EloBook, Exceptional, Feedback, WithoutEvent
from arpad.rate.fide.rules import rules as fide_rules
from arpad.rate.fide.system import Fide
from arpad.rate.glicko.systems import Glicko, Glicko2, Stephenson
from arpad.rate.historical.systems import Bcf, Berkin, Ccla, Harkness, Ingo, Periodic
from arpad.rate.k import BySample, event_k, k_policy
from arpad.rate.pra.steps import BOOSTING, START, Boosting, K
from arpad.rate.pra.system import Pra, PraBasic
from arpad.rate.uscf.systems import Uscf1993, Uscf1994
from arpad.rate.whr.system import Whr
from arpad.scale import curve as curve_called

if TYPE_CHECKING:
    from collections.abc import Callable

    from arpad.rate.elo_book.rules import Entry
    from arpad.rate.k import KPolicy
    from arpad.rate.periods import Period
    from arpad.rate.system import RatingSystem


def _elo(
    *,
    curve: str = "logistic",
    k: str | float | KPolicy = 20.0,
    start: float = 1500.0,
    given: bool = True,
    period: Period = "game",
) -> Elo:
    return Elo(curve=curve_called(curve), k=k_policy(k), start=start, given=given, period=period)


def _fide(*, rules: str = "today", established: bool = True) -> Fide:
    return Fide(rules=fide_rules(rules), established=established)


def _elo_book(
    *,
    curve: str = "table",
    k: str | float | KPolicy | BySample = "fide-1986",
    start: float = 1500.0,
    given: bool = True,
    entry: Entry = "performance",
    second_cycle: bool = True,
    established_games: int = 30,
    least_games: int = 4,
    small_samples: bool = True,
    exceptional: Exceptional = "bonus",
    level: float = 0.05,
    tolerance: float = 1.0,
    test_games: int = 5,
    feedback: Feedback = "cycle",
    split: bool = True,
    junior_age: int = 0,
    novice_below: float = 0.0,
    without_event: WithoutEvent = "date",
) -> EloBook:
    return EloBook(
        curve=curve_called(curve),
        k=event_k(k),
        start=start,
        given=given,
        entry=entry,
        second_cycle=second_cycle,
        established_games=established_games,
        least_games=least_games,
        small_samples=small_samples,
        exceptional=exceptional,
        level=level,
        tolerance=tolerance,
        test_games=test_games,
        feedback=feedback,
        split=split,
        junior_age=junior_age,
        novice_below=novice_below,
        without_event=without_event,
    )


def _pra(
    *,
    k: float = K,
    start: float = START,
    given: bool = True,
    anchor: str | float | None = "brought",
    boost_given: bool = False,
    corrected: tuple[str, ...] = (),
    steady: float = BOOSTING.steady,
    fresh: float = BOOSTING.fresh,
    turning: float = BOOSTING.turning,
    block: int = BOOSTING.block,
    until: int = BOOSTING.until,
    late_block: int = BOOSTING.late_block,
    late_until: int = BOOSTING.late_until,
    omega: float = BOOSTING.omega,
    late_omega: float = BOOSTING.late_omega,
) -> Pra:
    boosting = Boosting(steady, fresh, turning, block, until, late_block, late_until, omega, late_omega)
    return Pra(
        k=k,
        start=start,
        given=given,
        anchor=anchor,
        boosting=boosting,
        boost_given=boost_given,
        corrected=corrected,
    )


SYSTEMS: dict[str, Callable[..., RatingSystem]] = {
    "elo": _elo,
    "fide": _fide,
    "elo-book": _elo_book,
    "periodic": Periodic,
    "ingo": Ingo,
    "harkness": Harkness,
    "bcf": Bcf,
    "ccla": Ccla,
    "berkin": Berkin,
    "glicko": Glicko,
    "glicko2": Glicko2,
    "stephenson": Stephenson,
    "uscf1994": Uscf1994,
    "uscf1993": Uscf1993,
    "pra": _pra,
    "pra-basic": PraBasic,
    "whr": Whr,
    "arpad": ArpadSystem,
}
"""Name → what makes the system from plain options. `register` and plug-ins add to it."""
PLUGINS = "arpad.systems"
"""The group of entry points in which other packages name their systems."""


def register(name: str, make: Callable[..., RatingSystem]) -> None:
    """Add a rating system under a name, for every command and every call of the library.

    Parameters
    ----------
    make
        A class, or a function with keyword options, that returns the system.
    """
    if SYSTEMS.get(name, make) is not make:
        raise UsageError(f"a rating system is called {name!r} already: take another name")
    SYSTEMS[name] = make


def _load_plugins() -> None:
    """Register the systems of installed packages; one that cannot be loaded is left out with a warning."""
    for point in entry_points(group=PLUGINS):
        try:
            register(point.name, point.load())
        except Exception as error:
            warn(f"the rating system {point.name} ({point.value}) is left out: {error}", stacklevel=2)


_load_plugins()


def system(name: str, **options: Any) -> RatingSystem:
    """Return a rating system by name.

    Examples
    --------
    >>> system("elo", k=10, curve="normal").parameters()["curve"]
    'normal'
    """
    if name not in SYSTEMS:
        raise UsageError(f"expected a rating system, one of {', '.join(SYSTEMS)}; found {name!r}")
    make = SYSTEMS[name]
    known = signature(make).parameters
    strange = [option for option in options if option not in known]
    if strange:
        raise UsageError(f"the system {name} has no option {strange[0]!r}; it has {', '.join(known)}")
    return make(**options)
