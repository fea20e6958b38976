"""`arpad strength`, `arpad compare` and `arpad calibrate`: how strong players were, from the moves that they made."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl
import typer

from arpad.cli.options import BotsOption, EngineOption, PatienceOption, RatedOption, StoreOption, StrictOption
from arpad.cli.output import FormatOption, OutputOption, emit, say
from arpad.read.fields import Selection, TimeControl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.strength.engine_values import EngineSource
    from arpad.moves.strength.report import PlayerStrength, StrengthReport


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


FilesArgument = Annotated[list[str], typer.Argument(help="PGN files; - is standard input.", metavar="FILES")]
ValuesOption = Annotated[
    ValuesChoice,
    typer.Option(
        "--values",
        help="Source of the evaluations: auto (the file's %eval, otherwise an engine), file or engine.",
    ),
]
CalibrationFileOption = Annotated[
    str | None, typer.Option("--calibration", help="A calibration in a file. [the one that comes with arpad]")
]
WorkerCountOption = Annotated[
    int | None, typer.Option("--workers", help="Number of engines at once. [one for each core]")
]
PictureOption = Annotated[
    str | None, typer.Option("--chart", help="Draw the estimate over time into this file, .png or .svg.")
]


OpeningsOption = Annotated[
    bool, typer.Option("--openings/--no-openings", help="Let the choice of opening count, too.")
]

OpponentsOption = Annotated[
    bool,
    typer.Option(
        "--opponents/--no-opponents",
        help="Let the opponents' moves count, too: players mostly meet players of about their own strength.",
    ),
]


def strength(
    files: FilesArgument,
    player: str | None = None,
    by: list[PartChoice] | None = None,
    prior: str = "flat",
    prior_error: float = 100.0,
    values: ValuesOption = "auto",
    engine: EngineOption = "stockfish",
    workers: WorkerCountOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
    calibration: CalibrationFileOption = None,
    confidence: float = 0.95,
    chart: PictureOption = None,
    openings: OpeningsOption = True,
    opponents: OpponentsOption = True,
    time_control: TimeControl | None = None,
    rated: RatedOption = "all",
    bots: BotsOption = False,
    strict: StrictOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Estimate the strength of players from their moves, on the rating scale, with an interval.

    arpad strength game.pgn

    arpad strength season.pgn --player "Smith, J" --by event --by phase --chart smith.png

    arpad strength lichess.pgn --values file --format json

    player: Only players whose names contain this.
    by: Tables to print for each player; repeatable. [game, phase and colour where there is one player]
    prior: The prior: flat over 1400 to 2820, rating (the player's own in the file), or a number such as 1600.
    prior_error: Standard error of a rating that is the prior.
    confidence: Probability of the intervals.
    time_control: Only standard, rapid or blitz games. [all]
    """
    from arpad.publish.charts.style import check_name

    if chart is not None:
        check_name(chart)
    report = _report(
        files,
        player,
        prior,
        prior_error,
        values,
        engine_source(engine, workers, store, patience),
        calibration,
        confidence,
        openings,
        opponents,
        Selection(
            time_control=time_control,
            variant=None,
            rated={"rated": True, "casual": False, "all": None}[rated],
            bots=bots,
        ),
        strict,
    )
    if chart is not None:
        from arpad.publish.charts.strength import strength_chart
        from arpad.publish.charts.style import save

        save(strength_chart(report), chart)
    for note in report.notes:
        say(f"{note}.")
    emit(
        format,
        output,
        people=lambda: strength_lines(report, None if by is None else [b.value for b in by]),
        rows=report.table,
        document=report.to_dict,
    )


def compare(
    first: Annotated[str, typer.Argument(metavar="A")],
    second: Annotated[str, typer.Argument(metavar="B")],
    files: FilesArgument,
    values: ValuesOption = "auto",
    engine: EngineOption = "stockfish",
    workers: WorkerCountOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
    calibration: CalibrationFileOption = None,
    confidence: float = 0.95,
    chart: PictureOption = None,
    openings: OpeningsOption = True,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare the moves of two players: both estimates, and the probability that A plays better.

    arpad compare Carlsen Anand match.pgn --chart both.png

    first: Name of the first player, or a part of it.
    second: Name of the second player, or a part of it.
    confidence: Probability of the intervals.
    """
    from arpad.moves.strength.report import compare_players, comparison_rows
    from arpad.publish.charts.style import check_name

    if chart is not None:
        check_name(chart)
    source = engine_source(engine, workers, store, patience)
    report = _report(
        files, None, "flat", 100.0, values, source, calibration, confidence, openings, False, None, False
    )
    both = compare_players(report, first, second)
    if chart is not None:
        from arpad.publish.charts.strength import comparison_chart
        from arpad.publish.charts.style import save

        save(comparison_chart(both), chart)
    for note in report.notes:
        say(f"{note}.")
    emit(
        format,
        output,
        people=lambda: [*both.lines()],
        rows=lambda: comparison_rows(both),
        document=both.to_dict,
    )


def calibrate(
    files: list[str],
    games: Annotated[int, typer.Option(min=60)] = 600,
    nodes: Annotated[int, typer.Option(min=100)] = 12_000,
    engine: EngineOption = "stockfish",
    workers: WorkerCountOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
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
    from dataclasses import replace

    from arpad.moves.strength.calibrate import calibrate_strength
    from arpad.publish.tables import rich_table

    source = replace(engine_source(engine, workers, store, patience), nodes=nodes)
    made = calibrate_strength(files, games=games, engine=source)

    def shown() -> list[object]:
        digits = dict.fromkeys(made.table().columns, 0) | {"cover80": 3, "cover95": 3, "log_score": 3}
        return [f"{made.summary()}.", "", rich_table(made.table(), digits=digits)]

    emit(format, output, people=shown, rows=made.table, document=made.to_dict)
    if output is not None:
        emit(None, None, people=shown, rows=made.table, document=made.to_dict)


def engine_source(engine: str, workers: int | None, store: str | None, patience: float) -> EngineSource:
    """Return the engine with progress on stderr."""
    from arpad.moves.strength.engine_values import EngineSource

    return EngineSource(
        engine=engine,
        workers=workers,
        store=store,
        patience=patience,
        on_progress=_Progress(),
        on_wait=lambda process: say(
            f"Another analysis (process {process}) runs with the same settings: waiting for it."
        ),
    )


def _report(
    files: list[str],
    player: str | None,
    prior: str,
    prior_error: float,
    values: ValuesChoice,
    source: EngineSource,
    calibration: str | None,
    confidence: float,
    openings: bool,
    opponents: bool,
    selection: Selection | None,
    strict: bool,
) -> StrengthReport:
    from arpad.errors import UsageError
    from arpad.moves.strength.estimate import strength as estimate
    from arpad.moves.strength.outcome_model import read_calibration
    from arpad.moves.strength.posterior import Prior

    believed: Prior | str = prior
    if prior not in ("flat", "rating"):
        try:
            believed = Prior(rating=float(prior), error=prior_error)
        except ValueError:
            raise UsageError(f"--prior: expected flat, rating or a number, found {prior!r}") from None
    return estimate(
        files,
        player=player,
        values=values,
        prior=believed,  # type: ignore[arg-type]
        rating_error=prior_error,
        engine=source,
        calibration=None if calibration is None else read_calibration(calibration),
        confidence=confidence,
        openings=openings,
        opponents=opponents,
        selection=selection,
        strict=strict,
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
            end = "\n" if done >= total else ""
            print(f"\rengine: {percent} %", end=end, file=sys.stderr, flush=True)
        elif 0 < done < total:
            say(f"engine: {percent} %")


ALONE = ("game", "phase", "colour")
"""Tables where there is one player and none was asked for."""

DETAILED = 2
"""Players up to whom these tables are printed."""

TITLES = {
    "game": "By game",
    "event": "By event",
    "year": "By year",
    "phase": "By phase",
    "colour": "By colour",
    "time_control": "By time control",
    "advantage": "Ahead, level, behind",
}


def strength_lines(report: StrengthReport, by: Sequence[str] | None) -> list[object]:
    """Return what a person sees."""
    if by is None:
        by = ALONE if len(report.players) <= DETAILED else ()
    parts: list[object] = [f"{player.summary()}." for player in report.players]
    for player in report.players:
        parts += _details(player, by, several=len(report.players) > 1)
    percent = f"{report.confidence:.0%}".replace("%", " %")
    end = [f"In brackets: the interval that holds the strength with {percent}."]
    if report.parameters.get("opponents"):
        end.append(
            "Players mostly meet players of about their own strength, so the opponents' moves count, too "
            "(--no-opponents leaves them out)."
        )
    return [*parts, "", *end]


def _details(player: PlayerStrength, by: Sequence[str], *, several: bool) -> list[object]:
    from arpad.publish.tables import rich_table

    if not by or not player.moves:
        return []
    parts: list[object] = ["", f"{player.name}:"] if several else [""]
    if player.expected_blunders >= 1:
        parts.append(
            f"{player.blunders} serious mistakes; a player of this strength makes "
            f"{player.expected_blunders:.1f} in such positions."
        )
    traits = player.traits()
    if player.situations:
        others = f"Beside others of about {round(player.strength, -1):.0f}: "
        parts.append(others + ("; ".join(traits) if traits else "no clear difference in any situation") + ".")
    if player.combined is not None and player.results is not None:
        low, high = player.combined.interval(player.confidence)
        parts.append(
            f"By results alone about {round(player.results.mean, -1):.0f}; by moves and results together about "
            f"{round(player.combined.mean, -1):.0f} ({round(low, -1):.0f}–{round(high, -1):.0f})."
        )
    for part in by:
        table = _games(player) if part == "game" else _part(player, part)
        if table.height:
            parts += ["", f"{TITLES[part]}:", rich_table(table)]
    return parts


def _games(player: PlayerStrength) -> pl.DataFrame:
    rows = [
        {
            "date": g.date,
            "event": g.event,
            "opponent": g.black if g.side == "white" else g.white,
            "rated": "" if g.opponent_rating is None else f"{g.opponent_rating:.0f}",
            "colour": g.side,
            "result": g.result,
            "moves": g.moves,
            **_estimate(g.posterior.mean, g.posterior.interval(player.confidence)),
        }
        for g in player.by_game
    ]
    return pl.DataFrame(rows)


def _part(player: PlayerStrength, part: str) -> pl.DataFrame:
    rows = [
        {
            part.replace("_", " "): p.label,
            "games": p.games,
            "moves": p.moves,
            **_estimate(p.strength, p.posterior.interval(player.confidence)),
        }
        for p in player.parts.get(part, ())  # type: ignore[call-overload]
    ]
    return pl.DataFrame(rows)


def _estimate(mean: float, interval: tuple[float, float]) -> dict[str, str]:
    low, high = interval
    return {"strength": f"{round(mean, -1):.0f}", "interval": f"{round(low, -1):.0f}–{round(high, -1):.0f}"}
