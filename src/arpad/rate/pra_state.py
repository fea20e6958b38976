"""Everybody's PRA before, while and after games are rated: one row a player, and the text of a list."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import InputError
from arpad.rate.pra_reference import PARTS, START, PraPlayer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from arpad.rate.pra_reference import Boosting

__all__ = ["STATE", "carried", "moved", "newcomers", "people", "take_carried", "write"]

STATE = np.dtype(
    [
        ("rating", np.float64),
        ("sums", np.float64, PARTS),  # of the ratings in each part of the block under way
        ("peak", np.float64),
        ("trough", np.float64),
        ("games", np.int32),  # in all
        ("measured", np.int16),  # games in the block under way
        ("direction", np.int8),  # of the block before: 1, 0, −1
        ("boosting", np.int8),  # 0 after a correction
    ],
    align=True,
)
"""One player, 64 bytes; ratings in points. The fields are those of `pra_reference.PraPlayer`."""

_CARRIED = re.compile(r"(-1|0|1)(?: (\S+) (\S+) (\S+))?")


def newcomers(n: int, *, start: float = START) -> NDArray[np.void]:
    """Return the state of n players of whom nothing is known."""
    state = np.zeros(n, dtype=STATE)
    state["rating"] = start
    state["boosting"] = 1
    return state


def people(state: NDArray[np.void]) -> list[PraPlayer]:
    """Return the players as the reference takes them."""
    return [
        PraPlayer(
            rating=float(row["rating"]),
            games=int(row["games"]),
            direction=int(row["direction"]),
            sums=row["sums"].tolist(),
            peak=float(row["peak"]),
            trough=float(row["trough"]),
            measured=int(row["measured"]),
            boosting=bool(row["boosting"]),
        )
        for row in state
    ]


def write(state: NDArray[np.void], players: Iterable[PraPlayer]) -> None:
    """Put what the reference made of the players back into their rows."""
    for row, player in zip(state, players, strict=True):
        for name in STATE.names or ():
            row[name] = getattr(player, name)


def moved(state: NDArray[np.void], points: float, constants: Boosting) -> None:
    """Move ratings by the same number of points, and the blocks under way with them.

    A shift of everybody is no trend of anybody's.
    """
    state["rating"] += points
    state["peak"] += points
    state["trough"] += points
    state["sums"] += points * _filled(state, constants)


def carried(state: NDArray[np.void], constants: Boosting) -> list[str | None]:
    """Return what the next list must know of everybody: direction, peak, trough and sums of the block.

    All of it less the rating, so that it stays true when the whole list is moved. None where boosting
    is over.

    Examples
    --------
    >>> from arpad.rate.pra_reference import BOOSTING
    >>> carried(newcomers(1), BOOSTING)
    ['0']
    """
    R = state["rating"]
    sums = state["sums"] - R[:, None] * _filled(state, constants)
    columns = (state["games"], state["boosting"], state["measured"], state["direction"])
    figures = (state["peak"] - R, state["trough"] - R, sums)
    found: list[str | None] = []
    rows = zip(*(c.tolist() for c in (*columns, *figures)), strict=True)
    for games, boosting, measured, direction, peak, trough, parts in rows:
        if not boosting or games >= constants.late_until:
            found.append(None)
            continue
        place = constants.span(games)[1]
        if not place or measured != place:  # between blocks, or in one that was not seen whole
            found.append(str(direction))
        else:
            found.append(f"{direction} {peak!r} {trough!r} {','.join(map(repr, parts))}")
    return found


def take_carried(row: NDArray[np.void], text: str | None, constants: Boosting) -> None:
    """Go on with a block that a list carries; the row, an array of one, has rating and games already."""
    if text is None:
        return
    found = _CARRIED.fullmatch(text.strip())
    values: list[float] = []
    try:
        if found and found[2]:
            values = [float(v) for v in ",".join(found.groups()[1:]).split(",")]
    except ValueError:
        found = None
    if not found or len(values) not in (0, 2 + PARTS) or not all(map(math.isfinite, values)):
        raise InputError(
            "expected direction, peak, trough and four sums (1 4.5 -11.2 -40.1,-12.5,4.5,0.0) in the column "
            f"carried, as arpad rate --system pra writes it; found {text!r}"
        )
    row["direction"] = int(found[1])
    place = constants.span(int(row["games"][0]))[1]
    if values and place:
        R = row["rating"]
        row["measured"] = place
        row["peak"], row["trough"] = R + values[0], R + values[1]
        row["sums"] = R[:, None] * _filled(row, constants) + np.array(values[2:])


def _filled(state: NDArray[np.void], constants: Boosting) -> NDArray[np.int64]:
    """Return how many ratings are in each part of the block under way."""
    late = state["games"] > constants.until
    part = np.where(late, constants.late_block, constants.block)[:, None] // PARTS
    filled = state["measured"][:, None].astype(np.int64) - part * np.arange(PARTS)
    return np.asarray(np.clip(filled, 0, part))
