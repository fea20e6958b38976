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
    late = state["games"] > constants.until
    part = np.where(late, constants.late_block, constants.block)[:, None] // PARTS
    filled = state["measured"][:, None] - part * np.arange(PARTS)
    state["sums"] += points * np.clip(filled, 0, part)


def carried(row: np.void, constants: Boosting) -> str | None:
    """Return what the next list must know of a player: direction, peak, trough and sums of the block.

    None where boosting is over.

    Examples
    --------
    >>> from arpad.rate.pra_reference import BOOSTING
    >>> carried(newcomers(1)[0], BOOSTING)
    '0'
    """
    games = int(row["games"])
    if not row["boosting"] or games >= constants.late_until:
        return None
    place = constants.span(games)[1]
    if not place or int(row["measured"]) != place:  # between blocks, or in one not seen whole
        return str(int(row["direction"]))
    sums = ",".join(repr(float(total)) for total in row["sums"])
    return f"{int(row['direction'])} {float(row['peak'])!r} {float(row['trough'])!r} {sums}"


def take_carried(row: np.void, text: str | None, constants: Boosting) -> None:
    """Go on with a block that a list carries; the row has its number of games already."""
    if text is None:
        return
    found = _CARRIED.fullmatch(text.strip())
    try:
        values = (
            [float(v) for v in ",".join(found.groups()[1:]).split(",")]
            if found and found[2]
            else []
        )
    except ValueError:
        values = [math.nan]
    if not found or len(values) not in (0, 2 + PARTS) or not all(map(math.isfinite, values)):
        raise InputError(
            "expected direction, peak, trough and four sums (1 1531.5 1502.1 7531,7560,3030,0) in the column "
            f"carried, as arpad rate --system pra writes it; found {text!r}"
        )
    row["direction"] = int(found[1])
    place = constants.span(int(row["games"]))[1]
    if values and place:
        row["peak"], row["trough"], row["measured"] = values[0], values[1], place
        row["sums"] = values[2:]
