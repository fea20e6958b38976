"""`arpad simulate --calibrate`: PRA's constants for another world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.output import Format, emit
from arpad.workers import HERE

if TYPE_CHECKING:
    from arpad.lab.calibration import Calibration
    from arpad.lab.season import Season
    from arpad.workers import Workers

__all__ = ["run_calibration"]

BUDGET = 120
"""Candidates, unless --budget says otherwise."""
SEASONS, CHECKS = 4, 10
"""Seasons that each candidate is tried on, and new ones for the last comparison, unless --runs says otherwise."""


def run_calibration(
    season: Season,
    names: str,
    objective: str,
    budget: int,
    tolerance: float,
    runs: int,
    chart: str | None,
    format: Format | None,
    output: str | None,
    workers: Workers = HERE,
) -> None:
    """Search, and show what was found beside the author's values."""
    from arpad.cli.progress import progress
    from arpad.lab.calibration import AUTHOR, calibrate

    chosen = list(AUTHOR) if names.strip() == "all" else [n.strip() for n in names.split(",")]
    with progress("Calibrating") as tell:
        found = calibrate(
            season, chosen, objective=objective, budget=budget, tolerance=tolerance,  # type: ignore[arg-type]
            seasons=runs if runs > 1 else SEASONS, checks=max(CHECKS, runs), progress=tell,
            workers=workers,
        )  # fmt: skip
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.simulation_charts import spec_chart

        save(spec_chart(found.check, title="PRA's constants: the author's and those found"), chart)
    emit(
        format,
        output,
        people=lambda: _people(found),
        rows=found.table,
        document=lambda: _document(found),
    )


def _people(found: Calibration) -> list[object]:
    from arpad.publish.tables import rich_table

    digits = dict.fromkeys(("author", "found", "from", "to"), 3)
    p = found.parameters
    return [
        rich_table(found.table(), title=f"Constants of PRA for the world {p['world']}", digits=digits), "",
        f"{found.summary()}.",
        f"{p['candidates']} candidates on {p['seasons']} seasons of {p['players']:,} players and {p['rounds']:,} rounds; from and to: candidates that were as good within two standard errors.",
    ]  # fmt: skip


def _document(found: Calibration) -> dict[str, object]:
    author, ours = found.check.systems
    return {
        "summary": found.summary(),
        "settings": dict(found.parameters),
        "constants": found.table().to_dicts(),
        "objective": {
            "name": found.objective, "author": found.author_value, "found": found.found_value,
            "gain": found.gain, "gain_error": found.gain_error,
        },
        "out_of_spec": {
            "author": author.mean("out_of_spec").tolist(),
            "found": ours.mean("out_of_spec").tolist(),
        },
        "candidates": found.tried.to_dicts(),
    }  # fmt: skip
