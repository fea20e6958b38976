"""Games with evaluations: those in the file, or an engine's, kept for the next time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from arpad.moves.analysis import Workers
    from arpad.moves.distribution import Distribution
    from arpad.moves.engine_gain import EngineGain
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.measured import Gains
    from arpad.moves.settings import EngineSettings

__all__ = ["EngineWork", "Sourced", "sourced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineWork:
    """An engine to be asked: how, by whom, and where the answers are kept."""

    settings: EngineSettings
    workers: Workers
    store: str | None
    use_evals: bool
    """Leave alone what the file evaluates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """Evaluated games; with an engine also the position before every move and the engine's choice in it."""

    games: EvaluatedGames
    positions: pl.DataFrame | None = None
    work: EngineWork | None = None

    def engine_gain(self, kind: EngineGain, gains: Gains) -> Distribution | None:
        """Return the engine's own distribution of gain; None for an engine that gains nothing."""
        if kind == "zero":
            return None
        if self.positions is None or self.work is None:
            raise UsageError(
                f"--engine-gain {kind}: expected an engine to be asked beside it, such as --depth 13: "
                "the file does not say what the engine would have played"
            )
        from arpad.moves.engine_gain import agreed_gain, best_gain

        if kind == "agreed":
            return agreed_gain(gains, self.positions)
        values = _values_after_best(self.positions, self.work)
        return best_gain(values["before"], values["after"], values["white"])


def sourced(files: list[str], *, strict: bool, work: EngineWork | None) -> Sourced:
    """Read games and evaluate them as asked; without an engine, what the files say is taken."""
    from arpad.cli.output import explain_report
    from arpad.moves.evaluated import read_evaluated
    from arpad.publish.atomic import keep

    keep((f for f in files if f != "-"), "this file was read")
    games = read_evaluated(files, strict=strict)
    if work is None:
        explain_report(games.report)
        known, positions = games.coverage()
        if positions > len(games.games) and not known:
            raise InputError(
                f"expected evaluations such as {{ [%eval 0.13] }} behind the moves, found none in {positions:,} positions: "
                "let an engine do it with --depth 13",
                file=", ".join(files),
            )
        return Sourced(games=games)
    found, positions_table = _by_engine(games, work)
    explain_report(found.report)
    return Sourced(games=found, positions=positions_table, work=work)


def _by_engine(games: EvaluatedGames, work: EngineWork) -> tuple[EvaluatedGames, pl.DataFrame]:
    from arpad.cli.exporting import words_of
    from arpad.moves.evaluated import from_positions
    from arpad.moves.positions import positions

    places = positions(games)
    in_file = pl.any_horizontal(pl.col("cp", "mate").is_not_null()) & work.use_evals
    said = games.table.select("game", "ply", in_file.alias("said"))
    rows = places.join(said, on=["game", "ply"], how="left", maintain_order="left")
    asked = rows.filter(pl.col("over").is_null() & ~pl.col("said"))["epd"].unique(
        maintain_order=True
    )
    lines = _ask(asked.to_list(), work)
    who = words_of(work.settings.parameters(work.workers.identity()))
    mixed = "; evaluations of the file where it has them" if work.use_evals else ""
    found = from_positions(places, lines, games, source=f"{who}{mixed}", own=work.use_evals)
    values = found.table.select("game", "ply", "over", "cp", "mate", "best")
    moved = places.select("game", "ply", "epd", "uci")
    return found, moved.join(values, on=["game", "ply"], how="left", maintain_order="left")


def _ask(epds: list[str], work: EngineWork) -> pl.DataFrame:
    """Return the engine's lines on positions, as the store has them; only what is not kept yet is asked."""
    from arpad.cli.analysing import analysed_positions
    from arpad.store.evaluations import lookup

    found = lookup(epds, work.settings.key(work.workers.identity()), root=work.store)
    known = set(found["epd"])
    missing = [epd for epd in epds if epd not in known]
    if missing:
        done = analysed_positions(missing, work.settings, workers=work.workers, root=work.store)
        done.warn()
        found = pl.concat([found, done.lookup(missing)])
    return found


def _values_after_best(positions: pl.DataFrame, work: EngineWork) -> pl.DataFrame:
    """Return values before and after the engine's choice in every position in which a move was made."""
    from arpad.moves.engine_gain import after_best, position_value

    white = pl.col("epd").str.split(" ").list.get(1) == "w"
    moved = positions.filter(pl.col("uci").is_not_null() & pl.col("best").is_not_null())
    before = moved.select(
        "epd", "best", white.alias("white"), position_value(white).alias("before")
    )
    next_ones = after_best(moved)
    going_on = next_ones.filter(pl.col("over").is_null())
    answers = _ask(going_on["next"].unique(maintain_order=True).to_list(), work)
    answers = answers.filter(pl.col("line") == 1).with_columns(pl.col("mate").cast(pl.Int32))
    reached = next_ones.join(
        answers.select(pl.col("epd").alias("next"), "cp", "mate"),
        on="next",
        how="left",
        maintain_order="left",
    ).join(
        before.unique(["epd", "best"]).select("epd", "best", "white"),
        on=["epd", "best"],
        how="left",
    )
    after = reached.select("epd", "best", position_value(~pl.col("white")).alias("after"))
    return before.join(after, on=["epd", "best"], how="left", maintain_order="left")
