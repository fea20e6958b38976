"""Games to evaluations: what the files say, or an engine's answers, kept for the next time."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.files import folder_of
from arpad.moves.analysis import Ask, analyse
from arpad.moves.evaluated_games import from_positions, read_evaluated
from arpad.moves.evaluation_store import EvaluationStore, already_known, default_root, lookup, store_folder
from arpad.moves.perceived_ratings import after_best, agreed_gain, best_gain, position_value
from arpad.moves.positions import positions as positions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from arpad.evaluation import Evaluation
    from arpad.moves.analysis import Analysis, EngineWorkers
    from arpad.moves.engine import EngineSettings
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.gain import GainDistribution, Gains
    from arpad.moves.perceived_ratings import EngineGain
    from arpad.read.source import Report

    Advance = Callable[[int, int], object]

SHOWN = 5
"""Failed positions that are named."""


def _ignore(_: object) -> None:
    """Do nothing with a note or a report."""


def _no_progress(_: int) -> AbstractContextManager[Advance]:
    return nullcontext(lambda *_: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Receiver of notes, reports and progress during an analysis; the default ignores them."""

    note: Callable[[str], object] = _ignore
    report: Callable[[Report], object] = _ignore
    progress: Callable[[int], AbstractContextManager[Advance]] = _no_progress
    """Called with the number of positions; gives a function of positions and nodes that are done."""


SILENT = Listener()


class NoEvaluationsError(InputError):
    """The games have no evaluations, and no engine was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedPositions:
    """Summary of an analysis, and the place of its evaluations."""

    analysis: Analysis
    key: str
    root: Path
    folder: Path

    def failures(self, where: str = "") -> list[str]:
        """Say which positions failed; `where` tells where all of them are listed."""
        failures = self.analysis.failures
        lines = [f"{failure.ask.epd}: {failure.reason}" for failure in failures[:SHOWN]]
        if len(failures) > SHOWN:
            lines.append(f"… and {len(failures) - SHOWN:,} more positions failed{where}")
        return lines

    def lookup(self, epds: Sequence[str] | pl.Series, searchmoves: str | Sequence[str] = "") -> pl.DataFrame:
        """Return what is known of positions, one row a line; with `searchmoves`, of those moves alone."""
        return lookup(epds, self.key, root=self.root, searchmoves=searchmoves)


def evaluate_positions(
    positions: Sequence[str | Ask],
    settings: EngineSettings,
    *,
    workers: EngineWorkers,
    root: str | None = None,
    wait: bool = True,
    listener: Listener = SILENT,
) -> EvaluatedPositions:
    """Evaluate the positions that the store does not have yet, and keep the answers.

    Parameters
    ----------
    positions
        EPDs, each once, or `Ask` with the only moves to look at.
    """
    place = folder_of(root) if root else default_root()
    if place.exists() and not place.is_dir():
        raise UsageError(f"{place}: expected a folder for evaluations, found a file")
    identity = workers.identity()

    def waiting(process: str) -> None:
        listener.note(
            f"Another analysis (process {process}) is running with the same settings: waiting for it. "
            "Its results will be used."
        )

    key = settings.key(identity)
    asks = [Ask(p) if isinstance(p, str) else p for p in positions]
    if already_known([a.epd for a in asks], [" ".join(a.searchmoves) for a in asks], key, place).all():
        nothing = analyse([], settings, workers=workers)
        whole = replace(nothing, asked=len(asks), known=len(asks))
        return EvaluatedPositions(analysis=whole, key=key, root=place, folder=store_folder(place, key))
    store = EvaluationStore(
        place, key, parameters=settings.parameters(identity), on_wait=waiting if wait else None
    )
    with store:
        known = store.known([a.epd for a in asks], [" ".join(a.searchmoves) for a in asks])
        left = [ask for ask, done in zip(asks, known, strict=True) if not done]
        with listener.progress(len(left)) as advance:

            def keep(evaluations: list[Evaluation]) -> None:
                store.append(evaluations)
                advance(len(evaluations), sum(e.nodes for e in evaluations))

            try:
                done = analyse(
                    left, settings, workers=workers, on_results=keep, on_failure=lambda _: advance(1, 0)
                )
            except KeyboardInterrupt:
                listener.note("\nThe analysis so far is stored: the same command continues it.")
                raise
        folder = store.folder
    whole = replace(done, asked=len(asks), known=int(known.sum()))
    return EvaluatedPositions(analysis=whole, key=key, root=place, folder=folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineWork:
    """An engine with its settings, the processes that run it, and where its answers are kept."""

    settings: EngineSettings
    workers: EngineWorkers
    store: str | None = None
    use_evals: bool = False
    """Take the evaluations of the file where it has them."""
    listener: Listener = field(default=SILENT)

    def evaluated(self, positions: Sequence[str | Ask]) -> EvaluatedPositions:
        """Evaluate what the store does not have yet; the listener hears of what fails."""
        done = evaluate_positions(
            positions, self.settings, workers=self.workers, root=self.store, listener=self.listener
        )
        for line in done.failures():
            self.listener.note(line)
        return done


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedGames:
    """Evaluated games; with an engine also the position before every move and the engine's choice in it."""

    games: EvaluatedGames
    positions: pl.DataFrame | None = None
    work: EngineWork | None = None

    def engine_gain(self, kind: EngineGain, gains: Gains) -> GainDistribution | None:
        """Return the engine's own distribution of gain; None for an engine that gains nothing."""
        if kind == "zero":
            return None
        if self.positions is None or self.work is None:
            raise NoEvaluationsError(
                f"engine gain {kind}: the file does not say what the engine would have played"
            )
        if kind == "agreed":
            return agreed_gain(gains, self.positions)
        values = _values_after_best(self.positions, self.work)
        return best_gain(values["before"], values["after"], values["white"])


def evaluate_games(
    files: list[str], *, strict: bool = False, work: EngineWork | None = None, listener: Listener = SILENT
) -> SourcedGames:
    """Read games and evaluate them with an engine; without one, take the evaluations in the files."""
    games = read_evaluated(files, strict=strict)
    if work is None:
        listener.report(games.report)
        check_evaluated(games, files)
        return SourcedGames(games=games)
    evaluated, positions_table = _by_engine(games, work)
    listener.report(evaluated.report)
    return SourcedGames(games=evaluated, positions=positions_table, work=work)


def _by_engine(games: EvaluatedGames, work: EngineWork) -> tuple[EvaluatedGames, pl.DataFrame]:
    places = positions_of(games)
    in_file = pl.any_horizontal(pl.col("cp", "mate").is_not_null()) & work.use_evals
    marked = games.table.select("game", "ply", in_file.alias("marked"))
    rows = places.join(marked, on=["game", "ply"], how="left", maintain_order="left")
    wanted = rows.filter(pl.col("over").is_null() & ~pl.col("marked"))["epd"].unique(maintain_order=True)
    lines = _answers(wanted.to_list(), work)
    source = engine_in_words(work.settings.parameters(work.workers.identity()))
    mixed = "; the file's evaluations where present" if work.use_evals else ""
    evaluated = from_positions(places, lines, games, source=f"{source}{mixed}", own=work.use_evals)
    values = evaluated.table.select("game", "ply", "over", "cp", "mate", "best")
    moved = places.select("game", "ply", "epd", "uci")
    return evaluated, moved.join(values, on=["game", "ply"], how="left", maintain_order="left")


def _answers(epds: list[str], work: EngineWork) -> pl.DataFrame:
    """Return the engine's lines on positions; it evaluates only what the store does not have."""
    lines = lookup(epds, work.settings.key(work.workers.identity()), root=work.store)
    known = set(lines["epd"])
    missing = [epd for epd in epds if epd not in known]
    if missing:
        lines = pl.concat([lines, work.evaluated(missing).lookup(missing)])
    return lines


def _values_after_best(positions: pl.DataFrame, work: EngineWork) -> pl.DataFrame:
    """Return values before and after the engine's choice in every position in which a move was made."""
    white = pl.col("epd").str.split(" ").list.get(1) == "w"
    moved = positions.filter(pl.col("uci").is_not_null() & pl.col("best").is_not_null())
    before = moved.select("epd", "best", white.alias("white"), position_value(white).alias("before"))
    next_ones = after_best(moved)
    going_on = next_ones.filter(pl.col("over").is_null())
    answers = _answers(going_on["next"].unique(maintain_order=True).to_list(), work)
    answers = answers.filter(pl.col("line") == 1).with_columns(pl.col("mate").cast(pl.Int32))
    reached = next_ones.join(
        answers.select(pl.col("epd").alias("next"), "cp", "mate"),
        on="next",
        how="left",
        maintain_order="left",
    ).join(before.unique(["epd", "best"]).select("epd", "best", "white"), on=["epd", "best"], how="left")
    after = reached.select("epd", "best", position_value(~pl.col("white")).alias("after"))
    return before.join(after, on=["epd", "best"], how="left", maintain_order="left")


def engine_in_words(parameters: dict[str, object]) -> str:
    """Name the engine and its limit."""
    limit = next(f"{k} {parameters[k]}" for k in ("depth", "nodes", "movetime") if k in parameters)
    return f"{parameters['engine']}, {limit}"


def check_evaluated(games: EvaluatedGames, files: list[str]) -> None:
    """Raise if files have moves and no evaluations."""
    known, positions = games.coverage()
    if positions > len(games.games) and not known:
        raise NoEvaluationsError(
            f"expected evaluations such as {{ [%eval 0.13] }} behind the moves, found none in {positions:,} positions",
            file=", ".join(files),
        )
