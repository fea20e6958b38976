"""Does every figure of a list add up? The steps of everybody, added up and compared with what was kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.office.making.runs import ancestry
from arpad.office.showing.explaining import rounds_by
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = ["Audit", "audited"]

NOISE = 1e-9
"""Points by which K (W − W_e) may miss a change: what binary fractions leave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What a check of a whole list found.

    Parameters
    ----------
    figures, steps, games
        How many figures of the list, steps and sides of games were looked at.
    wrong
        `player_id`, `closing` (null: the list itself), `what`, `kept`, `found`: what does not add up.
    """

    list: KeptList
    figures: int
    periods: int
    steps: int
    games: int
    wrong: pl.DataFrame

    @property
    def adds_up(self) -> bool:
        """Say whether nothing is wrong."""
        return self.wrong.is_empty()

    def table(self) -> pl.DataFrame:
        """Return what is wrong."""
        return self.wrong

    def summary(self) -> str:
        """Return one sentence."""
        looked = (
            f"{self.list.words}: {_count(self.figures, 'figure')}, {_count(self.periods, 'period')}, "
            f"{_count(self.steps, 'step')}, {_count(self.games, 'side')} of games"
        )
        if self.adds_up:
            return (
                f"{looked}: every figure is the sum of its steps, and every K (W − W_e) its change"
            )
        return f"{looked}: {self.wrong.height:,} do not add up"


def audited(connection: Connection, kept: KeptList) -> Audit:
    """Add up everybody's steps along the chain of a list.

    After every period they must be the figure that was kept, to the last bit, and so at the end the
    figure of the list. Every change with a K must be K (W − W_e).
    """
    runs = ancestry(connection, kept.run_id)
    steps = _steps(connection, runs)
    after = (
        steps.select(
            "player_id", "run_id", pl.col("change").cum_sum().over("player_id").alias("found")
        )
        .group_by("player_id", "run_id", maintain_order=True)
        .last()
    )
    states = _states(connection, runs)
    entries = _entries(connection, kept)
    wrong = [
        _periods_wrong(after, states),
        _list_wrong(states, entries, rounds_by(connection, kept)),
        _changes_wrong(steps),
    ]
    closings = _closings(connection, runs)
    found = pl.concat(wrong).join(closings, on="run_id", how="left", maintain_order="left")
    return Audit(
        list=kept,
        figures=entries.height,
        periods=len(runs),
        steps=steps.height,
        games=steps["k"].len() - steps["k"].null_count(),
        wrong=found.select("player_id", "closing", "what", "kept", "found"),
    )


def _steps(connection: Connection, runs: list[int]) -> pl.DataFrame:
    """Return everybody's steps, each player's in their order."""
    s = tables.steps
    columns = ("run_id", "player_id", "score", "expected", "k", "change")
    query = (
        sa.select(*(s.c[name] for name in columns))
        .where(s.c.run_id.in_(runs))
        .order_by(s.c.run_id, s.c.player_id, s.c.seq)
    )
    return frame(connection, query).sort("player_id", maintain_order=True)


def _states(connection: Connection, runs: list[int]) -> pl.DataFrame:
    s = tables.states
    query = (
        sa.select(s.c.run_id, s.c.player_id, s.c.rating.label("kept"))
        .where(s.c.run_id.in_(runs))
        .order_by(s.c.run_id, s.c.player_id)
    )
    return frame(connection, query).with_columns(pl.col("kept").fill_null(0.0))


def _entries(connection: Connection, kept: KeptList) -> pl.DataFrame:
    n = tables.entries
    query = (
        sa.select(n.c.player_id, n.c.rating.label("kept"))
        .where(n.c.list_id == kept.id)
        .order_by(n.c.player_id)
    )
    return frame(connection, query).with_columns(pl.col("kept").fill_null(0.0))


def _closings(connection: Connection, runs: list[int]) -> pl.DataFrame:
    r = tables.runs
    query = sa.select(r.c.id.label("run_id"), r.c.closing).where(r.c.id.in_(runs)).order_by(r.c.id)
    return frame(connection, query)


def _periods_wrong(after: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """Return where the steps up to a period do not lead to the figure after it."""
    both = states.join(after, on=["run_id", "player_id"], how="full", coalesce=True)
    differ = pl.col("kept").fill_null(0.0) != pl.col("found")
    # A state without a step in its run: nothing changed, so it must be what it was.
    carried = pl.col("found").fill_null(strategy="forward").over("player_id").fill_null(0.0)
    both = both.sort("player_id", "run_id").with_columns(carried)
    return _wrong(both.filter(differ), "after a period")


def _list_wrong(states: pl.DataFrame, entries: pl.DataFrame, most: float) -> pl.DataFrame:
    """Return which figures of the list are not those after the last period (rounded by up to `most`)."""
    last = states.group_by("player_id", maintain_order=True).last()
    both = entries.join(last.rename({"kept": "found"}), on="player_id", how="left")
    miss = (pl.col("kept") - pl.col("found").fill_null(0.0)).abs()
    return _wrong(
        both.filter(miss > most).with_columns(pl.lit(None, dtype=pl.Int64).alias("run_id")),
        "on the list",
    )


def _changes_wrong(steps: pl.DataFrame) -> pl.DataFrame:
    """Return changes that are not K (W − W_e)."""
    formula = pl.col("k") * (pl.col("score") - pl.col("expected"))
    rated = steps.filter(pl.col("k").is_not_null())
    both = rated.select("run_id", "player_id", kept="change", found=formula)
    return _wrong(both.filter((pl.col("kept") - pl.col("found")).abs() > NOISE), "K (W − W_e)")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _wrong(rows: pl.DataFrame, what: str) -> pl.DataFrame:
    kinds: dict[str, Any] = {"kept": pl.Float64, "found": pl.Float64}
    return rows.sort("player_id", "run_id").select(
        pl.col("player_id", "run_id").cast(pl.Int64), pl.lit(what).alias("what"),
        *(pl.col(name).cast(kind) for name, kind in kinds.items()),
    )  # fmt: skip
