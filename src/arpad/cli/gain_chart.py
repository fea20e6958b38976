"""`arpad gain --chart`: which picture belongs to which view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.gain_report import GainReport

__all__ = ["draw"]

MOST_PLAYERS = 12
"""Histograms that a page has room for."""

KINDS = {
    "players": "histogram",
    "event": "crosstable",
    "events": "histogram",
    "matches": "histogram",
    "games": "game",
    "moves": "game",
}


def draw(reports: Sequence[GainReport], path: str, *, kind: str | None, view: str) -> None:
    """Draw the chart of a view, or the one asked for."""
    from arpad.publish import gain_chart, gain_crosstable_chart
    from arpad.publish.chart_style import save

    chosen = kind or KINDS[view]
    report = reports[0]
    if chosen in ("game", "course"):
        _check_one_game(report, len(reports), chosen)
        make = gain_chart.game_chart if chosen == "game" else gain_chart.course_chart
        save(make(report), path)
        return
    if len(reports) > 1:
        raise UsageError(
            f"--chart: expected one event, found {len(reports)}: take one file, or --one-event"
        )
    if chosen == "crosstable":
        if report.standing is None or view != "event":
            why = next((n for n in report.notes if n.startswith("no perceived")), f"found {view}")
            raise UsageError(f"--chart-kind crosstable: expected --view event, {why}")
        save(gain_crosstable_chart.crosstable_chart(report), path)
        return
    save(gain_chart.histogram_chart(report, most=MOST_PLAYERS), path)


def _check_one_game(report: GainReport, reports: int, chosen: str) -> None:
    games = report.gains.table["game"].n_unique()
    if games > 1 or reports > 1:
        raise UsageError(
            f"--chart-kind {chosen}: expected one game, found more: give a file with the one to be drawn"
        )
