"""A second cycle of calculations where unrated players were paired with each other [Elo 1.67]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.event.field import Entry, field_of
from arpad.event.performance import performance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games

__all__ = ["SecondCycle", "second_cycle"]

Difference = Literal["table", "small-sample"]
"""How D_p is taken: as it stands, or with the factor F for fewer than thirty games [2.59]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondCycle:
    """The unrated players of an event, cycle by cycle."""

    rows: pl.DataFrame
    """player, score and games in all, games against rated players, R_p by cycle, error, note."""
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return one row an unrated player, best first."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        done = self.rows.filter(pl.col("performance").is_not_null()).height
        return f"{self.rows.height} unrated players, {done} of them with a rating ({self.parameters['cycles']} cycles)"


def second_cycle(games: Games, *, cycles: int = 2, method: Difference = "table") -> SecondCycle:
    """Rate the unrated players of an event, first by the rated ones, then by each other too.

    Cycle 1 takes R_p = R_c + D_p from the games against rated players alone [(1)]. Every further cycle
    takes all games against anybody who has a rating by then: the rated at theirs, the unrated at the
    R_p of the cycle before. Rated players keep their ratings throughout.

    Parameters
    ----------
    cycles
        How many; the book speaks of two.
    method
        `small-sample` applies F of table 8.85 to D_p, as 2.59 asks below thirty games.
    """
    if cycles < 1:
        raise UsageError(f"expected at least one cycle, found {cycles}")
    field = field_of(games)
    given = {row: e.rating for row, e in field.items() if e.rating is not None}
    unrated = [e for e in field.values() if e.rating is None]
    if unrated and not given:
        raise UsageError("expected at least one rated player among the games, found none")
    history: list[dict[int, float]] = []
    for _ in range(cycles):
        standards = {**(history[-1] if history else {}), **given}
        found = {e.row: _performance(e, standards, method) for e in unrated}
        history.append({row: rating for row, (rating, _) in found.items() if rating is not None})
    standards = {**(history[-2] if cycles > 1 else {}), **given}
    rows = [_row(e, history, standards, given, method) for e in unrated]
    rows.sort(key=lambda r: (r["performance"] is None, -(r["performance"] or 0), r["player"]))
    parameters: dict[str, object] = {"method": method, "cycles": cycles}
    return SecondCycle(rows=pl.DataFrame(rows, schema=_SCHEMA), parameters=parameters)


_SCHEMA = pl.Schema(
    {
        "player": pl.String(),
        "score": pl.Float64(),
        "games": pl.Int64(),
        "against_rated": pl.Int64(),
        "first": pl.Float64(),
        "performance": pl.Float64(),
        "error": pl.Float64(),
        "note": pl.String(),
    }
)


def _performance(
    entry: Entry, standards: Mapping[int, float], method: Difference
) -> tuple[float | None, float | None]:
    met = [(standards[o], share) for o, share in entry.results if o in standards]
    if not met:
        return None, None
    found = performance(sum(s for _, s in met), [R for R, _ in met], method=method)
    return found.rating, found.error


def _row(
    entry: Entry,
    history: list[dict[int, float]],
    standards: Mapping[int, float],
    given: Mapping[int, float],
    method: Difference,
) -> dict[str, Any]:
    rating, error = _performance(entry, standards, method)
    met = [share for o, share in entry.results if o in standards]
    note = ""
    if not met:
        note = "met nobody with a rating"
    elif rating is None:
        note = "0 % or 100 % against those with a rating"
    return {
        "player": entry.name,
        "score": entry.score,
        "games": entry.games,
        "against_rated": sum(o in given for o, _ in entry.results),
        "first": history[0].get(entry.row),
        "performance": rating,
        "error": error,
        "note": note,
    }
