"""What is to be minded beside intrinsic ratings, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.moves.intrinsic.decisions import filters_of
from arpad.moves.intrinsic.rating import moves_needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.moves.intrinsic.calibration import Calibration
    from arpad.moves.intrinsic.decisions import Decisions
    from arpad.moves.intrinsic.fit import FitMethod

__all__ = ["WORDS", "notes_of", "nothing"]

NARROW = 100.0
"""Points either side for which the number of moves is said."""
WORDS = {
    "opening": "in the opening",
    "decided": "in decided positions",
    "repeated": "in repeated positions",
    "forced": "forced",
    "failed": "in positions that were not evaluated",
    "not_searched": "outside the lines and not searched",
}
"""What became of moves that do not count."""


def notes_of(
    rows: pl.DataFrame,
    by: Sequence[str],
    calibration: Calibration,
    decisions: Decisions,
    method: FitMethod | None,
) -> list[str]:
    """Say of rows what their figures do not, and of all of them what they rest on."""
    names = [" · ".join(row) for row in rows.select(by).iter_rows()]
    said = [f"{name}: {note}" for name, note in zip(names, rows["note"], strict=True) if note]
    marks = [m.elo for m in calibration.marks if m.in_line]
    beyond = [name for name, out in zip(names, rows["outside"], strict=True) if out]
    if beyond:
        who = ", ".join(beyond[:3]) + (f" and {len(beyond) - 3} more" if len(beyond) > 3 else "")
        said.append(
            f"{who}: beyond the marks {min(marks):.0f}–{max(marks):.0f} that the line was drawn through; the line is stretched there"
        )
    if method is not None and method != calibration.method:
        said.append(
            f"fitted by {method}, but the line was made by {calibration.method}: the ratings are off by what the two differ"
        )
    if decisions.filters != filters_of(calibration.filters):
        said.append(
            "moves were filtered otherwise than the calibration's: the line was not made for these moves"
        )
    if not rows["elo"].count():
        said.append("no ratings in the file: nothing can be compared with Elo")
    needed = moves_needed(calibration, NARROW)
    said.append(
        f"about {needed:,} moves give ±{NARROW:.0f} (2σ); intervals hold chance alone: the line itself misses "
        f"its marks by {calibration.line.residual:.0f} points (one standard deviation)"
    )
    return said


def nothing(rows: pl.DataFrame, decisions: Decisions) -> str:
    """Say why nobody has a rating."""
    if rows.height and rows["moves"].sum():
        best = rows.sort("moves", descending=True).row(0, named=True)
        return f"nobody can be rated. {best['name']}: {best['note']}"
    taken = {k: n for k, n in decisions.left_out.items() if n}
    if set(taken) <= {"opening", "forced"} and taken.get("forced"):
        return "every move was forced: nothing can be said of who chose it"
    told = ", ".join(f"{n:,} {WORDS.get(k, k)}" for k, n in taken.items())
    return f"expected moves to rate, found none that counts ({told or 'no games with moves'})"
