"""The app's report on one event."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.event.app.greatness import LISTED

if TYPE_CHECKING:
    from arpad.event.app.conditions import Conditions
    from arpad.event.app.correlation import Correlation
    from arpad.event.app.fit import Fit
    from arpad.event.app.flags import Direction, Flag
    from arpad.event.app.repair import Decision
    from arpad.event.app.sweep import Sweep

__all__ = ["AppReport", "Standing"]

COLUMNS = pl.Schema(
    {
        "rank": pl.Int64,
        "row": pl.Int64,
        "name": pl.String,
        "rating": pl.Float64,
        "rating_given": pl.Float64,
        "mark": pl.String,
        "games": pl.Int64,
        "points": pl.Float64,
        "p_zero": pl.Float64,
        "p_zero_rank": pl.Int64,
        "z": pl.Float64,
        "performance": pl.Float64,
        "residual": pl.Float64,
        "flag": pl.String,
        "pressure": pl.String,
        "resistance": pl.Float64,
        "g_score": pl.Float64,
        "g_category": pl.String,
        "pra_after": pl.Float64,
        "elo_after": pl.Float64,
        "elo_after_as_printed": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One player's figures; None where there are none, and the report's notes say why."""

    rank: int
    """By points, performance rating, G; by G alone where the event is ranked by it."""
    row: int
    """In the players of the games."""
    name: str
    rating: float | None
    """Before the event, as used: given, estimated, corrected, adjusted or set."""
    rating_given: float | None
    mark: str
    """`PRA-Corrected`, `PRA-Adjusted`, or nothing."""
    games: int
    points: float
    p_zero: float | None
    p_zero_rank: int | None
    z: float | None
    performance: float | None
    residual: float | None
    """Rating less the line's own expectation, O − E."""
    flag: Flag | None
    """`LR`: out of spec; `up`, `down`: in spec, under pressure."""
    pressure: Direction | None
    """Where a flagged rating should go."""
    resistance: float | None
    """The mean that was met: the resistance coefficient of G."""
    g_score: float | None
    g_category: str | None
    pra_after: float | None
    elo_after: float | None
    """By Elo: K = 10, logistic, game by game."""
    elo_after_as_printed: float | None
    """As the text has it: expectancies from running PRA ratings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppReport:
    """What the Tournament App says of one event."""

    name: str
    rating_system: str | None
    standings: tuple[Standing, ...]
    """Best first."""
    games: int
    """Played on the board."""
    fit: Fit | None
    """Of the ratings as used, after a repair."""
    fit_before: Fit | None
    """Of the ratings before the repair, where there was one."""
    correlation: Correlation | None
    favourite_won: bool | None
    """Whether the highest rated came first; where the correlation is significant, he should have."""
    top_three_in_order: bool | None
    sweep: Sweep | None
    strength: float | None
    number_two: float | None
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...]
    order_effect: float | None
    """By how much a P-Zero score moves, at most, in other orders of the games; None: rounds are known."""
    conditions: Conditions
    """`knock-out` and `time-controls` are never repaired, and ranked by G."""

    @property
    def players(self) -> pl.DataFrame:
        """One row a player, best first."""
        return pl.DataFrame([asdict(s) for s in self.standings], schema=COLUMNS)

    @property
    def rating_label(self) -> str:
        """The heading of the ratings: the system's name, and what was done to it."""
        own = self.rating_system or "Rating"
        marks = sorted({s.mark for s in self.standings if s.mark}, reverse=True)
        return f"{own} ({', '.join(marks)})" if marks and "(PRA-" not in own else own

    @property
    def certified(self) -> bool:
        """Say whether the test passed, so that the results are final."""
        return self.fit is not None and self.fit.passed

    def greatness(self) -> tuple[Standing, ...]:
        """Return the performances of G 100 or more, best first."""
        listed = [s for s in self.standings if s.g_score is not None and s.g_score >= LISTED]
        return tuple(sorted(listed, key=lambda s: -(s.g_score or 0.0)))

    def table(self) -> pl.DataFrame:
        """Return the standings without empty columns; the ratings' column bears the system's name."""
        rows = self.players.drop("row")
        kept = rows.select(
            c
            for c in rows.columns
            if not (rows[c].is_null() | (rows[c].cast(pl.String) == "")).all()
        )
        if "rating_given" in kept.columns and kept["rating_given"].equals(kept["rating"]):
            kept = kept.drop("rating_given")
        return kept.rename({"rating": self.rating_label}) if "rating" in kept.columns else kept

    def words(self) -> tuple[str, ...]:
        """Return the verdict in sentences."""
        from arpad.event.app.words import verdict

        return verdict(self)

    def summary(self) -> str:
        """Return one sentence."""
        from arpad.event.app.words import in_short

        return in_short(self)

    def _repr_html_(self) -> Any:
        return f"<p>{self.summary()}</p>{self.table()._repr_html_()}"
