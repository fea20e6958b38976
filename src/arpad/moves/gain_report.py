"""Everything that gain per move says of some games, with intervals: the result behind `arpad gain`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.comparison import Comparison, compare
from arpad.moves.evaluated import MATE
from arpad.moves.expected import CURVE
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.gain_tables import pair_table, player_table
from arpad.moves.others import accuracies, losses
from arpad.moves.resampling import FEWEST, Resampling
from arpad.moves.sheets import Sheets, View, sheets_of
from arpad.moves.standing import Standing, standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.moves.distribution import Distribution
    from arpad.moves.measured import Gains

__all__ = ["GainReport", "gain_report", "gain_reports"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GainReport:
    """Players and pairs with their figures, and what they rest on.

    Figures have their limits beside them: `expected`, `expected_low`, `expected_high`. A difference is infinite where
    an expected score is 0 or 1.
    """

    title: str
    view: View
    players: pl.DataFrame
    pairs: pl.DataFrame
    standing: Standing | None
    """Perceived ratings and engine strength; in the views event and matches, where there is a solution."""
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    gains: Gains
    sheets: Sheets
    comparison: Comparison

    def table(self) -> pl.DataFrame:
        """Return the players."""
        return self.players

    def summary(self) -> str:
        """Return one sentence on what was measured and how."""
        games = self.gains.table["game"].n_unique()
        people = self.gains.table["player"].n_unique()
        return (
            f"{self.title}: gain of {len(self.gains):,} move{'' if len(self.gains) == 1 else 's'} in {games:,} game{'' if games == 1 else 's'} by "
            f"{people:,} player{'' if people == 1 else 's'} ({self.parameters['evaluations']}; "
            f"mate {MATE / CENTIPAWNS:.2f})"
        )


def gain_reports(
    gains: Gains,
    *,
    view: View = "players",
    one_event: bool = False,
    engine_rating: float | None = None,
    measured: Distribution | None = None,
    resampling: Resampling | None = None,
) -> list[GainReport]:
    """Return a report, or one an event where that is the view and events are not to be taken together."""
    parts = [("all games", gains)]
    if view == "event" and not one_event:
        parts = _by_event(gains)
    elif len(gains.games.events) == 1:
        parts = [(gains.games.events[0].name, gains)]
    return [
        gain_report(
            part, view=view, title=title, engine_rating=engine_rating, measured=measured,
            resampling=resampling,
        )
        for title, part in parts
    ]  # fmt: skip


def gain_report(
    gains: Gains,
    *,
    view: View = "players",
    title: str = "all games",
    engine_rating: float | None = None,
    measured: Distribution | None = None,
    resampling: Resampling | None = None,
) -> GainReport:
    """Measure players by their gain per move, against the engine and against each other.

    Parameters
    ----------
    view
        What a distribution is made of: see `sheets.View`.
    engine_rating
        The engine's rating, taken as exact, which makes strengths of differences.
    measured
        The engine's own distribution of gain, beside the one that is always 0.
    """
    how = resampling or Resampling()
    if engine_rating is not None and not math.isfinite(engine_rating):
        raise UsageError(f"expected the engine's rating as a number, found {engine_rating!r}")
    sheets = sheets_of(gains, view)
    found = compare(
        gains.column("gain"), sheets.sheet, gains.column("game"), gains.column("ply"),
        sheets=sheets.rows.height, pairs=sheets.pair_array(), stratum=sheets.stratum,
        measured=measured, resampling=how,
    )  # fmt: skip
    notes = [*gains.notes(), *_notes(found)]
    people = player_table(gains, sheets, found, engine_rating=engine_rating)
    people = people.with_columns(*_others(gains, sheets))
    ladder: Standing | None = None
    if view in ("event", "matches"):
        try:
            ladder = standing(gains, sheets, found, gains.ratings())
        except InputError as error:
            notes.append(f"no perceived ratings: {error}")
    return GainReport(
        title=title, view=view, players=people, pairs=pair_table(gains, sheets, found),
        standing=ladder, parameters=_parameters(gains, view, engine_rating, measured, how),
        notes=tuple(notes), gains=gains, sheets=sheets, comparison=found,
    )  # fmt: skip


def _by_event(gains: Gains) -> list[tuple[str, Gains]]:
    events = gains.games.table["event"].gather(gains.table["game"])
    parts = []
    for event in events.unique(maintain_order=True):
        inside = events.is_null() if event is None else (events == event).fill_null(False)
        name = "no event" if event is None else gains.games.events[event].name
        left_out = gains.left_out.filter(
            gains.games.table["event"].gather(gains.left_out["game"]).eq_missing(event)
        )
        table = gains.games.table
        mine = table.filter(table["event"].eq_missing(event))
        forfeits = int((mine["status"] == "forfeit").sum())
        parts.append((name, gains.part(inside, left_out, forfeits)))
    return parts


def _others(gains: Gains, sheets: Sheets) -> list[pl.Series]:
    """Return average centipawn loss and Lichess's accuracy, sheet by sheet."""
    n = sheets.rows.height
    lost = np.bincount(sheets.sheet, weights=losses(gains).to_numpy(), minlength=n)
    moves = np.bincount(sheets.sheet, minlength=n)
    side = gains.table.select("game", "white").with_columns(sheet=pl.Series(sheets.sheet))
    of_games = (
        accuracies(gains)
        .join(side.unique(), on=["game", "white"])
        .group_by("sheet")
        .agg(pl.col("accuracy").sort().mean())
    )
    accuracy = dict(of_games.iter_rows())
    return [
        pl.Series("average_centipawn_loss", lost / moves),
        pl.Series("lichess_accuracy", [accuracy.get(s) for s in range(n)], dtype=pl.Float64),
    ]


def _notes(found: Comparison) -> list[str]:
    """Say what intervals leave out."""
    notes = []
    few = found.cells.by_games.size - int(found.cells.by_games.sum())
    if few and found.resampling.draws:
        who = (
            "each" if few == len(found.cells.by_games) else f"{few} of {len(found.cells.by_games)}"
        )
        notes.append(
            f"fewer than {FEWEST} games for {who}: games cannot be drawn again, so moves were, in blocks; what differs "
            "from game to game is not in these intervals, which are too narrow"
        )
    return notes


def _parameters(
    gains: Gains,
    view: View,
    engine_rating: float | None,
    measured: Distribution | None,
    how: Resampling,
) -> dict[str, object]:
    return {
        "view": view,
        "evaluations": gains.source,
        "mate": MATE / CENTIPAWNS,
        "engine": "zero gain",
        "engine_rating": engine_rating,
        "measured_engine_moves": None if measured is None else int(measured.moves),
        **CURVE.parameters(),
        **how.parameters(),
    }
