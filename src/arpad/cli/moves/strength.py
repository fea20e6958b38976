"""`arpad strength`, `arpad compare` and `arpad calibrate`: how strong players were, from the moves that they made."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli.options import BotsOption, EngineName, EngineTeam, RatedOption, StrictOption
from arpad.cli.output import Emission, FormatOption, OutputOption, emit, emit_result, no_longer_working, say
from arpad.errors import UsageError
from arpad.read.fields import Selection, TimeControl

if TYPE_CHECKING:
    from arpad.moves.strength.engine_values import EngineSource
    from arpad.moves.strength.report import StrengthReport


ValuesChoice = Literal["auto", "file", "engine"]


class PartChoice(StrEnum):  # Typer takes no list of literals
    """Tables to print: the rows."""

    game = "game"
    event = "event"
    year = "year"
    phase = "phase"
    colour = "colour"
    time_control = "time_control"
    advantage = "advantage"


@dataclass(frozen=True, kw_only=True)
class StrengthEngine(EngineName):
    """Engines at work.

    workers: Number of engines at once. [one for each core]
    store: Folder of the stored evaluations. [$ARPAD_STORE, or arpad/evaluations in the user's data folder]
    """

    workers: int | None = None
    store: str | None = None


@dataclass(frozen=True, kw_only=True)
class MovesOptions(StrengthEngine):
    """Games, and how strength is estimated from their moves.

    files: PGN files; - is standard input.
    values: Source of the evaluations: auto (the file's %eval, otherwise an engine), file or engine.
    calibration: A calibration in a file, or accurate or fast, which come with arpad. [accurate]
    confidence: Probability of the intervals.
    chart: Draw the estimate over time into this file, .png or .svg.
    openings: Let the choice of opening count, too.
    """

    files: Annotated[list[str], typer.Argument(metavar="FILES")]
    values: ValuesChoice = "auto"
    calibration: str | None = None
    confidence: float = 0.95
    chart: str | None = None
    openings: bool = True

    def estimate(self, **more: Any) -> StrengthReport:
        """Estimate as the options say; `more` goes to the library. Notes are said."""
        from arpad.moves.strength.estimate import strength as estimate
        from arpad.moves.strength.outcome_model import read_calibration

        report = estimate(
            self.files,
            values=self.values,
            engine=engine_source(self, self.workers),
            calibration=None if self.calibration is None else read_calibration(self.calibration),
            confidence=self.confidence,
            openings=self.openings,
            **more,
        )
        for note in report.notes:
            say(f"{note}.")
        return report


def strength(
    moves: MovesOptions,
    player: str | None = None,
    by: list[PartChoice] | None = None,
    prior: str = "flat",
    prior_error: float = 100.0,
    opponents: bool = True,
    time_control: TimeControl | None = None,
    rated: RatedOption = "all",
    bots: BotsOption = False,
    strict: StrictOption = False,
) -> Emission:
    """Estimate the strength of players from their moves, on the rating scale, with an interval.

    arpad strength game.pgn

    arpad strength season.pgn --player "Smith, J" --by event --by phase --chart smith.png

    arpad strength lichess.pgn --values file --format json

    player: Only players whose names contain this.
    by: Tables to print for each player; repeatable. [game, phase and colour where there is one player]
    prior: The prior: flat over 1400 to 2820, rating (the player's own in the file), or a number such as 1600.
    prior_error: Standard error of a rating that is the prior.
    opponents: Let the opponents' moves count, too: players mostly meet players of about their own strength.
    time_control: Only standard, rapid or blitz games. [all]
    """
    from arpad.moves.strength.posterior import Prior

    believed: Prior | str = prior
    if prior not in ("flat", "rating"):
        try:
            believed = Prior(rating=float(prior), error=prior_error)
        except ValueError:
            raise UsageError(f"--prior: expected flat, rating or a number, found {prior!r}") from None
    report = moves.estimate(
        player=player,
        prior=believed,
        rating_error=prior_error,
        opponents=opponents,
        selection=Selection(
            time_control=time_control,
            variant=None,
            rated={"rated": True, "casual": False, "all": None}[rated],
            bots=bots,
        ),
        strict=strict,
    )
    parts = None if by is None else [each.value for each in by]
    return partial(emit_result, report, view={"by": parts}, chart=moves.chart)


def compare(
    first: Annotated[str, typer.Argument(metavar="A")],
    second: Annotated[str, typer.Argument(metavar="B")],
    moves: MovesOptions,
) -> Emission:
    """Compare the moves of two players: both estimates, and the probability that A plays better.

    arpad compare Carlsen Anand match.pgn --chart both.png

    first: Name of the first player, or a part of it.
    second: Name of the second player, or a part of it.
    """
    from arpad.moves.strength.report import compare_players

    both = compare_players(moves.estimate(opponents=False), first, second)
    return partial(emit_result, both, parts=lambda: [*both.lines()], chart=moves.chart)


def calibrate(
    files: list[str],
    engine: StrengthEngine,
    games: Annotated[int, typer.Option(min=60)] = 600,
    nodes: Annotated[int, typer.Option(min=100)] = 12_000,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Calibrate arpad strength for an engine and a number of nodes, from rated games.

    You can stop at any time and continue with the same command. The table has the errors on games left out of the fit;
    -o x.json writes the calibration, for arpad strength --calibration.

    arpad calibrate rated.pgn --engine lc0 --nodes 800 -o lc0.json

    files: PGN files of rated games.
    games: Number of games to take, evenly over ratings.
    nodes: Nodes of each search.
    """
    from arpad.moves.strength.calibrate import calibrate_strength

    source = replace(engine_source(engine, engine.workers), nodes=nodes)
    made = calibrate_strength(files, games=games, engine=source)
    digits = dict.fromkeys(made.table().columns, 0) | {"cover80": 3, "cover95": 3, "log_score": 3}

    def shown() -> list[object]:
        from arpad.publish.tables import rich_table

        return [f"{made.summary()}.", "", rich_table(made.table(), digits=digits)]

    emit(format, output, people=shown, rows=made.table, document=made.to_dict)
    if output is not None:
        emit(None, None, people=shown, rows=made.table, document=made.to_dict)


def engine_source(engine: StrengthEngine | EngineTeam, workers: int | None) -> EngineSource:
    """Return the engine with progress on stderr."""
    from arpad.moves.strength.engine_values import EngineSource

    return EngineSource(
        engine=engine.engine,
        workers=workers,
        store=engine.store,
        patience=engine.patience,
        on_progress=_Progress(),
        on_wait=lambda process: say(
            f"Another analysis (process {process}) runs with the same settings: waiting for it."
        ),
    )


class _Progress:
    """Says on stderr how far the engine is: often on a terminal, every fifth part in a file."""

    def __init__(self) -> None:
        self.said = -1

    def __call__(self, done: int, total: int) -> None:
        terminal = sys.stderr.isatty()
        part = done * (100 if terminal else 5) // max(total, 1)
        if part == self.said:
            return
        if self.said < 0 and not terminal:
            say(f"The engine looks at {total // 4:,} positions.")
        self.said = part
        percent = 100 * done // max(total, 1)
        if terminal:
            no_longer_working()
            end = "\n" if done >= total else ""
            print(f"\rengine: {percent} %", end=end, file=sys.stderr, flush=True)
        elif 0 < done < total:
            say(f"engine: {percent} %")
