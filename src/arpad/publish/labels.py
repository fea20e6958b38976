"""Where the names beside the points of a chart go: none upon another, none beyond the edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Label", "placed", "surnames"]

LETTER, LINE = 6.2, 13.0
"""Pixels that a letter is wide and a line is high in print of 11 pixels."""
APART = 8.0
"""Pixels from a point to its name."""
POINT = 5.0
"""Pixels from the middle of a point to what may stand beside it."""


Box = tuple[float, float, float, float]
"""Left, right, bottom and top, in pixels from the lower left corner."""


@dataclass(frozen=True, slots=True)
class Label:
    """A name and where it is anchored, in pixels from the lower left corner."""

    point: int
    text: str
    x: float
    y: float
    align: Literal["left", "right"] = "left"
    """The end of the name that is at `x`."""

    def box(self) -> Box:
        """Return the room that the name takes."""
        long = LETTER * len(self.text)
        left = self.x if self.align == "left" else self.x - long
        return left, left + long, self.y - LINE / 2, self.y + LINE / 2


def placed(
    points: Sequence[tuple[float, float]],
    texts: Sequence[tuple[int, str]],
    *,
    width: float,
    height: float,
    lines: Sequence[Box] = (),
) -> list[Label]:
    """Return the names that have room: right of their point, left of it, or above or below.

    Parameters
    ----------
    points
        All points of the chart, in pixels; a name may cover none of them.
    texts
        The row of a point and its name, the most important first: it has the first choice.
    lines
        What a name should not cover, if it can be helped.

    Examples
    --------
    >>> [(label.text, label.x) for label in placed([(10, 50), (60, 50)], [(0, "Ann")], width=90, height=90)]
    [('Ann', 18.0)]
    """
    taken = [(x - POINT, x + POINT, y - POINT, y + POINT) for x, y in points]
    found: list[Label] = []
    for row, text in texts:
        others = (*taken[:row], *taken[row + 1 :])
        free = [
            label
            for label in _candidates(row, text, *points[row])
            if _inside(label.box(), width, height)
            and not any(_meet(label.box(), other) for other in others)
        ]
        if not free:
            continue
        clear = (each for each in free if not any(_meet(each.box(), line) for line in lines))
        chosen = next(clear, free[0])
        found.append(chosen)
        taken.append(chosen.box())
    return found


def _candidates(row: int, text: str, x: float, y: float) -> Iterable[Label]:
    above, below = y + LINE * 0.8, y - LINE * 0.8
    yield Label(row, text, x + APART, y)
    yield Label(row, text, x - APART, y, "right")
    for high in (above, below):
        yield Label(row, text, x + POINT, high)
        yield Label(row, text, x - POINT, high, "right")


def _inside(box: Box, width: float, height: float) -> bool:
    return box[0] >= 0 and box[1] <= width and box[2] >= 0 and box[3] <= height


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def surnames(names: Sequence[str]) -> list[str]:
    """Return what stands before the comma of each name, or the whole name where two share that.

    Examples
    --------
    >>> surnames(["Polgar, Judit", "Polgar, Sofia", "Short, Nigel D", "Ivkov"])
    ['Polgar, Judit', 'Polgar, Sofia', 'Short', 'Ivkov']
    """
    short = [name.split(",", 1)[0].strip() or name for name in names]
    return [s if short.count(s) == 1 else n for s, n in zip(short, names, strict=True)]
