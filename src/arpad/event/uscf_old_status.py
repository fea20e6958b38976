"""Norms and titles of the system before, carried over to titles every 200 points [USCF 1994, 2.6 item 2]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.event.uscf_titles import LEVELS, NORMS, Status, title_called

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["NORMS_FOR_A_TITLE", "OLD_LEVELS", "Converted", "converted"]

OLD_LEVELS = range(1000, 3000, 100)
"""From Certified Class E to 7-star life master, in rating points [2.1]."""
NORMS_FOR_A_TITLE = 3
"""Norms toward the next higher title for an old title that there is no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A status in the new levels, and how it came about."""

    status: Status
    steps: tuple[str, ...]


def converted(norms: Mapping[int, float], titles: Collection[int] = ()) -> Converted:
    """Return the new status of a player who had norms and titles in the old system.

    1. an old title of a level that is gone gives three norms toward the next higher level;
    2. x norms of such a level give x/2, rounded upward, likewise;
    3. the norms of the highest level are then given to every lower one whose title is not held.

    Norms and titles of levels that stay are kept; half norms (an odd number of norm points) are rounded
    upward. The old system awarded lower titles with every title [2.4], so whoever holds one is taken to hold
    all below it. What is awarded in steps 1 and 2 is added to what is there, and five make the title.

    Parameters
    ----------
    norms
        By old level; halves are single norm points.
    titles
        Old levels whose title is held; the highest is enough.

    Examples
    --------
    >>> converted({1600: 3}, [1200]).status.summary()
    'Category IV; norms: 3 of 5 Category II, 3 of 5 Category III'
    >>> converted({1700: 3}, [1500]).status.norms[1800]
    2
    """
    _check(norms, titles)
    steps: list[str] = []
    top = max(titles, default=0)
    held = {level for level in LEVELS if level <= top}
    count = dict.fromkeys(LEVELS, 0)
    for level, x in sorted(norms.items()):
        if level in count and level not in held and x:
            count[level] = math.ceil(x)
    # Lower titles came with the highest one: they are worth nothing beside it.
    gains = [(top, NORMS_FOR_A_TITLE, "title")] if top and top not in LEVELS else []
    gains += [
        (level, math.ceil(x / 2), f"{x:g} norms")
        for level, x in sorted(norms.items())
        if level not in LEVELS and level > top and x
    ]
    for level, gain, what in gains:
        above = min((new for new in LEVELS if new > level), default=None)
        if above is None:
            steps.append(f"{what} at {level}: there is no higher title any more")
            continue
        count[above] += gain
        steps.append(f"{what} at {level}: {gain} norms at {above}")
    held |= {level for level in LEVELS if count[level] >= NORMS}
    held |= {level for level in LEVELS if level <= max(held, default=0)}
    highest = max((level for level in LEVELS if count[level] or level in held), default=0)
    for level in LEVELS:
        if level < highest and level not in held and count[level] < count[highest]:
            steps.append(f"{level}: {count[highest]} norms, as at {highest}")
            count[level] = count[highest]
    final = {lv: NORMS if lv in held else n for lv, n in count.items() if n or lv in held}
    names = tuple(title_called(str(level)).name for level in LEVELS if level in held)
    return Converted(status=Status(norms=final, titles=names), steps=tuple(steps))


def _check(norms: Mapping[int, float], titles: Collection[int]) -> None:
    for level in (*norms, *titles):
        if level not in OLD_LEVELS:
            raise UsageError(
                f"expected levels of the old system, 1000 to 2900 in hundreds; found {level!r}"
            )
    for level, x in norms.items():
        if not 0 <= x < NORMS or 2 * x != int(2 * x):
            raise UsageError(
                f"expected norms at {level} from 0 to {NORMS - 0.5} in halves, found {x!r}: {NORMS} are a title"
            )
