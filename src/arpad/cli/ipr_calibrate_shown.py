"""A calibration as people see it: its marks, its line, where it fails; and as the file that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.output import Format, emit

if TYPE_CHECKING:
    from arpad.cli.ipr_choices import Answered
    from arpad.moves.intrinsic.calibration import Calibration

__all__ = ["show"]

DIGITS = {
    "elo": 0, "rating": 0, "match_rate": 3, "ae": 4, "ae_sigma": 4, "s": 3, "c": 3, "ae_e": 4, "ipr": 0, "residual": 0, "sigma": 0,
}  # fmt: skip
NAMES = {"rating": "mean Elo", "match_rate": "MM", "ae": "AE", "ae_sigma": "±", "ae_e": "AE_e", "ipr": "IPR", "sigma": "σ", "in_line": "in the line"}  # fmt: skip


def show(
    calibration: Calibration,
    found: Answered,
    *,
    chart: str | None,
    format: Format | None,
    output: str | None,
) -> None:
    """Write the file or print the table; a person who has a file written sees the table, too."""
    from arpad.moves.intrinsic.calibration_document import to_document

    if chart is not None:
        from arpad.publish.calibration_chart import calibration_chart
        from arpad.publish.chart_style import save

        save(calibration_chart(calibration), chart)
    parts = {
        "people": lambda: _people(calibration, found),
        "rows": calibration.table,
        "document": lambda: to_document(calibration),
    }
    emit(format, output, **parts)  # type: ignore[arg-type]
    if output is not None:
        emit(Format.table, None, **parts)  # type: ignore[arg-type]


def _people(calibration: Calibration, found: Answered) -> list[object]:
    from arpad.moves.intrinsic.weaknesses import weaknesses
    from arpad.publish.tables import rich_table

    digits = {NAMES.get(k, k): v for k, v in DIGITS.items()}
    line = calibration.line
    inside = [m.elo for m in calibration.marks if m.in_line]
    ends = (inside[0], inside[len(inside) // 2], inside[-1])
    sure = ", ".join(f"±{calibration.line_sigma(r):.0f} at {r:.0f}" for r in ends)
    fails = weaknesses(calibration)
    how = "; ".join(f"{k} {v}" for k, v in calibration.engine.items() if v not in ("", {}))
    return [
        rich_table(calibration.table().rename(NAMES), title=calibration.name, digits=digits),
        "",
        f"{calibration.summary()}.",
        f"The line's own standard error: {sure} points; its intercept ±{calibration.line_sigma(line.intercept):.0f}. Fitted by {calibration.method}.",
        *(["Where it fails:", *(f"- {text}" for text in fails)] if fails else ["No mark is off the line by more than two standard errors."]),
        f"{calibration.games}. {how}. {found.known:,} searches were known, {found.analysed:,} made now.",
    ]  # fmt: skip
