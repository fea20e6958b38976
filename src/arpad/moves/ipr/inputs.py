"""From files of games to decisions with an engine's lines; sampling of games; bias of a calibration."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl

from arpad.errors import EngineError, InputError, UsageError
from arpad.moves.analysis import Ask
from arpad.moves.average_error import decision_errors, measure_errors
from arpad.moves.evaluate import SILENT, EngineWork, Listener, check_evaluated, engine_in_words
from arpad.moves.evaluated_games import from_positions, game_title, read_evaluated
from arpad.moves.ipr.calibration import LEAST_MOVES, marks_of
from arpad.moves.ipr.decisions import decisions, played_outside, with_players
from arpad.moves.ipr.model import FitMethod, MoveChoices, fit, probabilities, project
from arpad.moves.positions import board_of
from arpad.moves.positions import positions as positions_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.moves.analysis import EngineWorkers
    from arpad.moves.average_error import ErrorFilters, Filters, GameErrors
    from arpad.moves.engine import EngineSettings
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.ipr.decisions import Decisions, Positions
    from arpad.read.source import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedDecisions:
    """Decisions with the evaluations they rest on."""

    decisions: Decisions
    lines: pl.DataFrame
    """The engine's lines, one in each row, as the store has them."""
    engine: dict[str, object]
    """Engine, network, limit, lines, hash and options."""
    asked: int
    """Different positions, and moves searched alone."""
    alone: int
    """Moves searched alone."""
    known: int
    analysed: int
    failed: int


def evaluate_decisions(
    positions: Positions,
    settings: EngineSettings,
    *,
    workers: EngineWorkers,
    filters: Filters,
    store: str | None = None,
    listener: Listener = SILENT,
) -> EvaluatedDecisions:
    """Evaluate what the store does not have yet, keep it, and return the decisions; the next call continues.

    Both searches are kept under one key, that of the settings: a move alone has one line, however many are asked.
    """
    epds = _to_ask(positions, filters)

    work = EngineWork(settings=settings, workers=workers, store=store, listener=listener)
    first = work.evaluated(epds)
    lines = first.lookup(epds)
    outside = played_outside(positions, lines, filters)
    asks = [Ask(epd, (uci,)) for epd, uci in outside.iter_rows()]
    second = work.evaluated(asks)
    own = second.lookup(outside["epd"], outside["uci"].to_list())
    parts = (first.analysis, second.analysis)
    engine = dict(parts[0].parameters)
    if engine != dict(parts[1].parameters):
        raise EngineError(
            f"the engine changed during the analysis: {engine_in_words(engine)}, then {engine_in_words(dict(parts[1].parameters))}: "
            "evaluations of two engines cannot be mixed; run the command again"
        )
    return EvaluatedDecisions(
        decisions=decisions(positions, lines, own, filters=filters, engine=engine),
        lines=lines,
        engine=engine,
        alone=len(asks),
        asked=sum(x.asked for x in parts),
        known=sum(x.known for x in parts),
        analysed=sum(x.analysed for x in parts),
        failed=sum(len(x.failures) for x in parts),
    )


def _to_ask(positions: Positions, filters: Filters) -> list[str]:
    half = 2 * pl.col("number") - pl.col("white").cast(pl.Int32)
    # What the window looks at, if not the position itself, is the one before.
    first = 2 * filters.first_turn - 1 - (filters.judged == "previous")
    wanted = pl.col("over").is_null() & (half >= first) & pl.col("uci").is_not_null()
    if not filters.forced and filters.judged == "here":
        wanted &= pl.col("legal") > 1
    return positions.filter(wanted)["epd"].unique(maintain_order=True).to_list()


SHOWN = 3
"""Games left out that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGames:
    """Games, the decisions in them, and the engine's value of their positions."""

    games: Games
    decided: EvaluatedDecisions
    report: Report
    """Skipped and repaired records, and notes, of the files."""
    forfeits: tuple[str, ...]
    """Games decided without play, in words; nothing in them counts."""

    def notes(self) -> list[str]:
        """Say which games and positions were left out."""
        said = []
        if self.forfeits:
            shown = "; ".join(self.forfeits[:SHOWN])
            more = len(self.forfeits) - SHOWN
            many = "game" if len(self.forfeits) == 1 else "games"
            tail = f" and {more} more" if more > 0 else ""
            said.append(f"{len(self.forfeits)} {many} decided without play left out: {shown}{tail}")
        if self.decided.failed:
            said.append(f"{self.decided.failed:,} positions failed and are left out")
        return said


def read_decisions(
    files: list[str],
    settings: EngineSettings,
    *,
    workers: EngineWorkers,
    filters: Filters,
    store: str | None,
    strict: bool = False,
    listener: Listener = SILENT,
) -> DecisionGames:
    """Read games and evaluate what the store does not have yet."""
    games = read_evaluated(files, strict=strict)
    places = positions_of(games)
    listener.report(games.report)
    table = games.games.table
    without = table.with_row_index("game").filter(pl.col("status") == "forfeit")["game"]
    played = places.filter(~pl.col("game").is_in(without.cast(pl.Int32).to_list()))
    if not played["uci"].count():
        raise InputError("expected games with moves, found none", file=", ".join(files))
    decided = evaluate_decisions(
        with_players(played, games.games),
        settings,
        workers=workers,
        filters=filters,
        store=store,
        listener=listener,
    )
    return DecisionGames(
        games=games.games,
        decided=decided,
        report=games.report,
        forfeits=tuple(game_title(games.games, int(g)) for g in without),
    )


# Files to the errors of their moves: evaluations of the files, or an engine's, with one line or several.


def read_errors(
    files: list[str],
    *,
    strict: bool,
    filters: ErrorFilters,
    cap: float,
    work: EngineWork | None,
    listener: Listener = SILENT,
) -> tuple[GameErrors, EvaluatedGames]:
    """Read games and return the errors of their moves, and the games as they were read.

    Without an engine, what the files say is taken; with one line a position, the values before and after each move;
    with more, the lines of one search.
    """
    games = read_evaluated(files, strict=strict)
    try:
        if work is None:
            check_evaluated(games, files)
            return measure_errors(games, filters=filters, cap=cap), games
        if work.settings.multipv == 1:
            return _single(games, work, filters, cap), games
        return _multi(games, work, filters, cap), games
    finally:
        listener.report(games.report)


def _places(games: EvaluatedGames) -> pl.DataFrame:
    fought = (games.games.table["status"] != "forfeit").to_numpy()
    table = games.table.filter(fought[games.table["game"].to_numpy()])
    return positions_of(replace(games, table=table))


def _single(games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float) -> GameErrors:

    places = _places(games)
    said = pl.any_horizontal(pl.col("cp", "mate").is_not_null()) & work.use_evals
    marked = games.table.select("game", "ply", said.alias("said"))
    rows = places.join(marked, on=["game", "ply"], how="left", maintain_order="left")
    # The window looks at the position before the first move that counts.
    half = 2 * pl.col("number") - (pl.col("turn") == "w").cast(pl.Int32)
    wanted = (half >= 2 * filters.first_turn - 2) & pl.col("over").is_null()
    if filters.last_turn is not None:
        wanted &= half <= 2 * filters.last_turn + 1
    epds = rows.filter(wanted & ~pl.col("said"))["epd"].unique(maintain_order=True).to_list()
    done = work.evaluated(epds)
    mixed = "; the file's evaluations where present" if work.use_evals else ""
    source = f"{engine_in_words(done.analysis.parameters)}{mixed}"
    result = from_positions(places, done.lookup(epds), games, source=source, own=work.use_evals)
    return measure_errors(result, filters=filters, positions=places, cap=cap)


def _multi(games: EvaluatedGames, work: EngineWork, filters: ErrorFilters, cap: float) -> GameErrors:

    places = _places(games)
    # Nothing behind the last turn needs an engine.
    late = pl.lit(False) if filters.last_turn is None else pl.col("number") > filters.last_turn
    result = evaluate_decisions(
        with_players(places.filter(~late), games.games),
        work.settings,
        workers=work.workers,
        filters=filters,
        store=work.store,
        listener=work.listener,
    )
    source = f"{engine_in_words(result.engine)}, {work.settings.multipv} lines"
    errors = decision_errors(result.decisions, games.games, source=source, cap=cap)
    lost = places.filter(late & pl.col("uci").is_not_null()).height
    return replace(errors, left_out={**errors.left_out, "late": lost})


# Choose positions to calibrate on: even over rating marks, and over the games of a mark.
#
# What is chosen depends on the positions alone, not on a seed, so that anybody with the same games in the same order chooses
# the same. (The order counts only for a position that stood in two games: it belongs to the first.) A longer sample holds the
# shorter one.

FIRST_PLY = 16
"""Plies of the opening that are left out: turns 1 to 8 of both players."""
COLUMNS = ("game", "ply", "epd", "uci", "mark", "legal")


def sampled_positions(positions: pl.DataFrame, *, per_mark: int, first_ply: int = FIRST_PLY) -> pl.DataFrame:
    """Return up to `per_mark` positions of every rating mark.

    One position of every game comes first, then a second one of every game, and so on; within a game, and between
    games, the order is that of a hash of the position. A position that stood in two games is
    taken once, one that stood on the board before or leaves no choice never.

    Parameters
    ----------
    positions
        Columns `game`, `ply`, `epd`, `uci` (the move played, null at the end), `mark` (rating mark of the game)
        and `legal` (number of legal moves).
    """
    missing = [c for c in COLUMNS if c not in positions.columns]
    if missing:
        raise InputError(f"expected columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
    rows = (
        positions.sort("game", "ply")
        .with_columns(pl.col("epd").is_first_distinct().over("game").alias("new"))
        .filter(pl.col("new"), pl.col("ply") >= first_ply, pl.col("uci").is_not_null(), pl.col("legal") > 1)
    )
    rows = rows.with_columns(pl.Series("order", _hashes(rows["epd"].to_list()), dtype=pl.String))
    rows = (
        rows.sort("order", "game", "ply")
        .unique("epd", keep="first", maintain_order=True)
        .with_columns(pl.int_range(pl.len()).over("game").alias("turn"))
        .sort("mark", "turn", "order")
        .with_columns(pl.int_range(pl.len()).over("mark").alias("rank"))
    )
    return rows.filter(pl.col("rank") < per_mark).sort("rank", "mark").drop("new", "order", "turn")


def _hashes(epds: Sequence[str]) -> list[str]:
    return [hashlib.blake2b(e.encode(), digest_size=8).hexdigest() for e in epds]


# A sample of positions from rated games: which games stand at a rating mark, and which of their positions are taken.

STEP = 50.0
"""Points between marks, as in the training sets of the paper's later work."""
WITHIN = 10.0
"""Points that both players may be away from the mark [IPR section 5]."""
UNCOUNTED = 99
"""Legal moves of a position in which nobody has counted them yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedSample:
    """Positions of rated games, evenly over marks and games, and what tells them from any other sample."""

    positions: pl.DataFrame
    """`game`, `ply`, `epd`, `uci`, `legal`, `mark`, and what else the positions had; in the order in which they are to be analysed."""
    games: int
    """Games that stand at a mark, of all that were given."""
    given: int
    per_mark: int
    step: float
    within: float

    def fingerprint(self) -> str:
        """Return a text that is another one for any other sample."""
        digest = hashlib.blake2b(digest_size=16)
        for row in self.positions.select("epd", "uci", "mark").sort("epd").iter_rows():
            digest.update("\t".join(map(str, row)).encode() + b"\n")
        return digest.hexdigest()

    def document(self, files: Mapping[str, int]) -> dict[str, object]:
        """Return it as a calibration keeps it, from how many games each file has."""
        return {
            "files": [{"file": PurePath(f).name, "games": n} for f, n in files.items()],
            "games": self.games,
            "games_taken": self.positions["game"].n_unique(),
            "positions": self.positions.height,
            "per_mark": self.per_mark,
            "step": self.step,
            "within": self.within,
            "fingerprint": self.fingerprint(),
        }


def game_marks(games: pl.DataFrame, *, step: float = STEP, within: float = WITHIN) -> pl.Series:
    """Return the rating mark of each game: the one that both players are near; null for no such mark.

    Examples
    --------
    >>> game_marks(pl.DataFrame({"white_rating": [2395.0, 2395.0], "black_rating": [2408.0, 2430.0]})).to_list()
    [2400.0, None]
    """
    if not (step > 0 and 0 <= within <= step / 2):
        raise UsageError(
            f"expected marks further apart than twice the distance to them, found a mark every {step:g} points "
            f"and players within {within:g}"
        )
    white, black = pl.col("white_rating"), pl.col("black_rating")
    mark = ((white + black) / (2 * step) + 0.5).floor() * step
    near = ((white - mark).abs() <= within) & ((black - mark).abs() <= within)
    return games.select(pl.when(near).then(mark).cast(pl.Float64).alias("mark")).to_series()


def rated_sample(
    positions: pl.DataFrame,
    games: pl.DataFrame,
    *,
    per_mark: int,
    first: float = 0.0,
    last: float = 4000.0,
    step: float = STEP,
    within: float = WITHIN,
    first_ply: int = FIRST_PLY,
) -> RatedSample:
    """Take up to `per_mark` positions of every rating mark, as `sampled_positions` chooses them.

    Parameters
    ----------
    positions
        Every position of the games: `game` (row of `games`), `ply`, `epd`, `uci`, and what else is to be kept.
    games
        `white_rating` and `black_rating` of each game.
    first, last
        The lowest and the highest mark that is taken.
    """
    if per_mark < 1:
        raise UsageError(f"expected 1 position a mark or more, found {per_mark}")
    marks = game_marks(games, step=step, within=within)
    numbered = pl.DataFrame(
        {"game": range(len(marks)), "mark": marks}, schema_overrides={"game": positions["game"].dtype}
    )
    at_mark = positions.drop("legal", strict=False).join(
        numbered.drop_nulls(), on="game", how="inner", maintain_order="left"
    )
    if not at_mark.height:
        raise InputError(
            f"expected games in which both players are rated within {within:g} points of a multiple of {step:g}, found none"
        )
    chosen = _with_a_choice(at_mark, per_mark, first_ply)
    chosen = chosen.filter(pl.col("mark").is_between(first, last))
    if not chosen.height:
        raise InputError(f"expected games at marks from {first:g} to {last:g}, found none")
    return RatedSample(
        positions=chosen.drop("rank"),
        games=int(marks.is_between(first, last).sum()),
        given=len(marks),
        per_mark=per_mark,
        step=step,
        within=within,
    )


def _with_a_choice(positions: pl.DataFrame, per_mark: int, first_ply: int) -> pl.DataFrame:
    """Sample, and count the legal moves of what was taken only; whatever was forced goes, and the sampling begins again.

    A position that was not taken cannot change what was: those behind it in its game only move up to where it stood.
    """
    counted: dict[str, int] = {}
    while True:
        known = pl.DataFrame(
            {"epd": counted.keys(), "legal": counted.values()}, schema={"epd": pl.String, "legal": pl.Int32}
        )
        told = positions.join(known, on="epd", how="left", maintain_order="left")
        told = told.with_columns(pl.col("legal").fill_null(UNCOUNTED))
        chosen = sampled_positions(told, per_mark=per_mark, first_ply=first_ply)
        new = [epd for epd in chosen["epd"] if epd not in counted]
        if not new:
            return chosen
        counted |= {epd: board_of(epd).legal_moves.count() for epd in new}


# Three ways to fit, compared on bias: whether the skill that was found gives back what was seen in the same positions.


def fit_bias(choices: MoveChoices, elo: NDArray[np.float64], *, step: float = 100.0) -> pl.DataFrame:
    """Return, for each mark and each way to fit, what is projected on the mark's own positions beside what was played there.

    Columns: `elo`, `moves`, `method`, `s`, `c`, `match_rate` and
    `projected_match_rate`, `ae` and `projected_ae`, and `ratio`, projected over actual average error.
    """
    marks = marks_of(np.asarray(elo, dtype=np.float64), step)
    rows = [
        {"elo": float(mark), **row}
        for mark in np.unique(marks)
        if (marks == mark).sum() >= LEAST_MOVES
        for row in _rows(choices[marks == mark])
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _rows(choices: MoveChoices) -> Iterator[dict[str, object]]:
    for method in get_args(FitMethod):
        result = fit(choices, method=method)
        at = project(choices, result.s, result.c)
        yield {
            "moves": len(choices),
            "method": method,
            "s": result.s,
            "c": result.c,
            "match_rate": choices.match_rate,
            "projected_match_rate": at.match_rate,
            "ae": choices.scaled_error,
            "projected_ae": at.error,
            "ratio": at.error / choices.scaled_error,
        }


# Simulated players of known skill: what the fits must find again.


def simulated(choices: MoveChoices, s: float, c: float, *, seed: int) -> MoveChoices:
    """Return the same positions with the moves that a player of skill (s, c) would choose."""
    share = probabilities(choices, s, c) * choices.count
    cumulative = np.cumsum(share, axis=1)
    draw = np.random.default_rng(seed).random(len(choices)) * cumulative[:, -1]
    played = (cumulative <= draw[:, None]).sum(axis=1)
    return MoveChoices(delta=choices.delta, count=choices.count, played=played.astype(np.int64))


def generated_positions(positions: int, *, lines: int = 16, seed: int) -> MoveChoices:
    """Return made-up positions whose losses look like an engine's, for tests and trials."""
    rng = np.random.default_rng(seed)
    # Gaps between neighbouring lines: mostly a few hundredths of a pawn, now and then a whole piece.
    gaps: NDArray[np.float64] = rng.exponential(0.03, (positions, lines)) + np.where(
        rng.random((positions, lines)) < 0.08, rng.exponential(0.6, (positions, lines)), 0.0
    )
    gaps[:, 0] = 0.0
    return MoveChoices(
        delta=np.cumsum(gaps, axis=1),
        count=np.ones((positions, lines)),
        played=np.zeros(positions, dtype=np.int64),
    )
