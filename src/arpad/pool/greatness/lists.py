"""The greatness list: performances, strengths, and what wants a person's eye [PRA, The Greatness Formula]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.pool.greatness.caution import caution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.pool.greatness.record import EventRecord

__all__ = ["Greatness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Greatness:
    """Every event of a run, and the lists that follow.

    Attributes
    ----------
    records
        A record an event, in the order of time.
    left_out
        Events that were not run: `event`, `site`, `year`, `games`, `reason`.
    left_games
        Games that belong to no event, by reason.
    again
        How many records came from an earlier run.
    """

    records: tuple[EventRecord, ...]
    left_out: pl.DataFrame
    left_games: Mapping[str, int]
    again: int
    parameters: Mapping[str, Any]
    source: Mapping[str, Any]

    def table(self, top: int | None = None, *, failed: bool = False) -> pl.DataFrame:
        """Return performances, greatest first; `caution` has a mark where one is due (`CAUTIONS`).

        Parameters
        ----------
        failed
            Those of events that failed the test, too: their G-scores wait for a person.
        """
        rows = [
            (p.player, r.event, r.site, r.year, p.g_score, p.g_error, p.category, p.games, p.score, p.rating,
             p.estimated, p.performance, r.number_two, r.number_two_player, r.ratings, r.strength,
             r.verdict, r.repaired, r.kind, caution(r, p))
            for r in self.records
            if r.counts or failed
            for p in r.performances
        ]  # fmt: skip
        return _top(pl.DataFrame(rows, schema=_PERFORMANCES, orient="row"), "g_score", top)

    def strengths(self, top: int | None = None, *, failed: bool = False) -> pl.DataFrame:
        """Return events, strongest first."""
        rows = [
            (r.event, r.site, r.year, r.strength, r.players, r.games, r.kind, r.number_two,
             r.number_two_player, r.ratings, r.rated, r.verdict, caution(r))
            for r in self.records
            if r.strength is not None and (r.counts or failed)
        ]  # fmt: skip
        return _top(pl.DataFrame(rows, schema=_STRENGTHS, orient="row"), "strength", top)

    def to_inspect(self) -> pl.DataFrame:
        """Return the events that want a person's eye, with reasons, in the order of time."""
        rows = [
            (r.event, r.site, r.year, r.kind, r.players, r.games, r.verdict, r.chi_square, r.critical,
             r.ratings, r.rated, "; ".join(r.reasons))
            for r in self.records
            if r.wants_an_eye
        ]  # fmt: skip
        return pl.DataFrame(rows, schema=_INSPECT, orient="row")

    def verdicts(self) -> dict[str, int]:
        """Return how many events passed, failed, could not be tested, had no ratings."""
        count = dict.fromkeys(("passed", "failed", "untested", "unrated"), 0)
        for record in self.records:
            count[record.verdict] += 1
        return count

    def summary(self) -> str:
        """Return one sentence on what was run and how."""
        said = ", ".join(f"{n:,} {word}" for word, n in self.verdicts().items() if n)
        left = sum(self.left_games.values())
        again = f"; {self.again:,} from an earlier run" if self.again else ""
        return (
            f"greatness: {_count(len(self.records), 'event')} of {_count(self.source['games'], 'game')} "
            f"({said or 'none run'}{again}); ratings from {self.parameters['ratings']}; not run: "
            f"{_count(self.left_out.height, 'event')}, {_count(left, 'single game')}; "
            f"input {self.source['fingerprint']}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self.summary()}</p>{self.table(50)._repr_html_()}"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _top(rows: pl.DataFrame, by: str, top: int | None) -> pl.DataFrame:
    """Return rows best first with their rank; equal figures share it."""
    rank = pl.col(by).rank("min", descending=True).cast(pl.Int64).alias("rank")
    best = rows.sort(by, "year", "event", descending=[True, False, False], maintain_order=True)
    best = best.select(rank, pl.all())
    return best if top is None else best.head(top)


_PERFORMANCES = {
    "player": pl.String, "event": pl.String, "site": pl.String, "year": pl.Int64, "g_score": pl.Float64,
    "g_error": pl.Float64, "category": pl.String, "games": pl.Int64, "score": pl.Float64, "rating": pl.Float64,
    "estimated": pl.Boolean, "performance": pl.Float64, "number_two": pl.Float64,
    "number_two_player": pl.String, "ratings": pl.String, "strength": pl.Float64, "verdict": pl.String,
    "repaired": pl.String, "kind": pl.String, "caution": pl.String,
}  # fmt: skip
_STRENGTHS = {
    "event": pl.String, "site": pl.String, "year": pl.Int64, "strength": pl.Float64, "players": pl.Int64,
    "games": pl.Int64, "kind": pl.String, "number_two": pl.Float64, "number_two_player": pl.String,
    "ratings": pl.String, "rated": pl.Int64, "verdict": pl.String, "caution": pl.String,
}  # fmt: skip
_INSPECT = {
    "event": pl.String, "site": pl.String, "year": pl.Int64, "kind": pl.String, "players": pl.Int64,
    "games": pl.Int64, "verdict": pl.String, "chi_square": pl.Float64, "critical": pl.Float64,
    "ratings": pl.String, "rated": pl.Int64, "reasons": pl.String,
}  # fmt: skip
