"""How well a game was played: gain and average error of both, with intervals, and their strength on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arpad.errors import ArpadError
from arpad.moves.average_error import ErrorFilters
from arpad.moves.error_groups import group_errors
from arpad.moves.gain_report import GainReport, gain_report
from arpad.moves.game_errors import measure_errors
from arpad.moves.measured import measure
from arpad.moves.resampling import Resampling

if TYPE_CHECKING:
    import polars as pl

    from arpad.office.showing.game_play import GamePlay

__all__ = ["GameFigures", "figures_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """What evaluations say of White's play and of Black's.

    `sides` are rows of `GainReport.players`, `errors` of `ErrorGroups.rows`, White first; None where nothing is known.
    """

    report: GainReport | None
    sides: tuple[dict[str, Any] | None, dict[str, Any] | None]
    errors: tuple[dict[str, Any] | None, dict[str, Any] | None]
    expected: dict[str, Any] | None
    """White's expected score against Black, by the gain of their moves."""
    notes: tuple[str, ...]


def figures_of(play: GamePlay, *, draws: int = 1000) -> GameFigures:
    """Measure a game by gain per move [Ferreira 2012] and by average error [Regan, Macieja, Haworth 2012]."""
    notes: list[str] = []
    report: GainReport | None = None
    try:
        gains = measure(play.evaluated)
        report = gain_report(gains, view="games", resampling=Resampling(draws=draws))
        notes += report.notes
    except ArpadError as error:
        notes.append(str(error))
    return GameFigures(
        report=report,
        sides=_sides(report),
        errors=_errors(play, notes) if report is not None else (None, None),
        expected=None
        if report is None or report.pairs.is_empty()
        else report.pairs.row(0, named=True),
        notes=tuple(dict.fromkeys(notes)),
    )


def _sides(report: GainReport | None) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    if report is None:
        return None, None
    rows = {row["colour"]: row for row in report.players.iter_rows(named=True)}
    return rows.get("white"), rows.get("black")


def _errors(
    play: GamePlay, notes: list[str]
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return each side's average error, single principal variation, with the usual filters."""
    try:
        found = group_errors(
            measure_errors(play.evaluated, filters=ErrorFilters(), positions=play.positions)
        )
    except ArpadError as error:
        notes.append(str(error))
        return None, None
    notes += found.notes
    rows = {row["label"]: row for row in found.rows.iter_rows(named=True)}
    names: pl.Series = play.evaluated.games.players["name"]
    return rows.get(names[0]), rows.get(names[1])
