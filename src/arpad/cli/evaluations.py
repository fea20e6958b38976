"""Games with evaluations: those in the file, or an engine's, kept for the next time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.cli.output import say
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from arpad.cli.analysing import Analysed
    from arpad.moves.analysis import Workers
    from arpad.moves.distribution import Distribution
    from arpad.moves.engine_gain import EngineGain
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.measured import Gains
    from arpad.moves.settings import EngineSettings

__all__ = ["EngineWork", "Sourced", "sourced"]

SHOWN = 5
"""Failed positions that are named."""


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
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.positions import positions

    rows = positions(games)
    said = games.table.select("game", "ply", "cp", "mate")
    rows = rows.join(said, on=["game", "ply"], how="left", maintain_order="left")
    in_file = (pl.col("cp").is_not_null() | pl.col("mate").is_not_null()) & work.use_evals
    asked = rows.filter(pl.col("over").is_null() & ~in_file)["epd"].unique(maintain_order=True)
    answers, who = _ask(asked.to_list(), work)
    joined = rows.join(answers, on="epd", how="left", maintain_order="left", suffix="_engine")
    values = joined.with_columns(
        pl.when(in_file).then(pl.col(c)).otherwise(pl.col(f"{c}_engine")).alias(c)
        for c in ("cp", "mate")
    ).select("game", "ply", "epd", "uci", "over", "cp", pl.col("mate").cast(pl.Int32), "best")
    table = games.table.drop("cp", "mate", "best", "over").join(
        values.select("game", "ply", "cp", "mate", "best", "over"),
        on=["game", "ply"], how="left", maintain_order="left",
    )  # fmt: skip
    mixed = "; evaluations of the file where it has them" if work.use_evals else ""
    found = EvaluatedGames.build(
        games.games,
        table,
        source=f"{who}{mixed}",
        starts=games.starts,
        report=games.report,
    )
    return found, values


def _ask(epds: list[str], work: EngineWork) -> tuple[pl.DataFrame, str]:
    """Return `epd`, `cp`, `mate`, `best` of positions, and who said so; only what is not kept yet is asked."""
    from arpad.cli.analysing import analysed_positions
    from arpad.cli.exporting import words_of
    from arpad.store.evaluations import lookup

    identity = work.workers.identity()
    found = lookup(epds, work.settings.key(identity), root=work.store)
    known = set(found["epd"])
    missing = [epd for epd in epds if epd not in known]
    if missing:
        done = analysed_positions(missing, work.settings, workers=work.workers, root=work.store)
        _warn(done)
        found = pl.concat([found, done.lookup(missing)])
    answers = found.filter(pl.col("line") == 1).select(
        "epd", "cp", pl.col("mate").cast(pl.Int32), pl.col("move").alias("best")
    )
    return answers, words_of(work.settings.parameters(identity))


def _warn(done: Analysed) -> None:
    failures = done.analysis.failures
    for failure in failures[:SHOWN]:
        say(f"{failure.ask.epd}: {failure.reason}")
    if len(failures) > SHOWN:
        say(f"… and {len(failures) - SHOWN:,} more positions without an evaluation")


def _values_after_best(positions: pl.DataFrame, work: EngineWork) -> pl.DataFrame:
    """Return values before and after the engine's choice in every position in which a move was made."""
    from arpad.moves.engine_gain import after_best, position_value

    white = pl.col("epd").str.split(" ").list.get(1) == "w"
    moved = positions.filter(pl.col("uci").is_not_null() & pl.col("best").is_not_null())
    before = moved.select(
        "epd", "best", white.alias("white"), position_value(white).alias("before")
    )
    next_ones = after_best(moved)
    answers, _ = _ask(
        next_ones.filter(pl.col("over").is_null())["next"].unique(maintain_order=True).to_list(),
        work,
    )
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
