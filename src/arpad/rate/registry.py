"""The rating systems by the names that people use, here and on the command line."""

from __future__ import annotations

from importlib.metadata import entry_points
from inspect import signature
from typing import TYPE_CHECKING, Any
from warnings import warn

from arpad.errors import UsageError
from arpad.rate.arpad_system import ArpadSystem
from arpad.rate.elo import Elo
from arpad.rate.elo_book.system import EloBook
from arpad.rate.fide.system import Fide
from arpad.rate.glicko.systems import Glicko, Glicko2, Stephenson
from arpad.rate.historical.systems import Bcf, Berkin, Ccla, Harkness, Ingo, Periodic
from arpad.rate.pra.steps import BOOSTING, START, Boosting, K
from arpad.rate.pra.system import Pra, PraBasic
from arpad.rate.uscf.systems import Uscf1993, Uscf1994
from arpad.rate.whr.system import Whr

if TYPE_CHECKING:
    from collections.abc import Callable

    from arpad.rate.system import RatingSystem


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
    "elo": Elo,
    "fide": Fide,
    "elo-book": EloBook,
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
