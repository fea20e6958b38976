"""Notes, progress and exports of the verbs that evaluate games; the calibration and method of the `arpad ipr` verbs."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli.options import EngineOptions, EngineSearch, EngineTeam, json_given
from arpad.cli.output import explain_report, no_longer_working, say
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from arpad.model import Games
    from arpad.moves.average_error import Filters
    from arpad.moves.evaluate import EngineWork, EvaluatedPositions, Listener
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.inputs import DecisionGames


def listener() -> Listener:
    """Return what prints notes and reports on stderr and shows a progress bar."""
    from arpad.moves.evaluate import Listener

    return Listener(note=say, report=explain_report, progress=progress)


def engine_work(
    engine: EngineOptions, ctx: typer.Context, *, multipv: int = 1, use_evals: bool = False
) -> EngineWork | None:
    """Return what an engine is to do; None where the evaluations are those of the file."""
    if not engine.wanted(ctx):
        return None
    from arpad.moves.evaluate import EngineWork

    settings = engine.settings(multipv=multipv)
    team = engine.team(settings)
    return EngineWork(
        settings=settings, workers=team, store=engine.store, use_evals=use_evals, listener=listener()
    )


def moves_of(players: str, games: Games, table: pl.DataFrame) -> pl.Series:
    """Say which moves are of players whose names contain one of some texts: ``Carlsen,Anand``."""
    parts = [p.strip().casefold() for p in players.split(",") if p.strip()]
    names = games.players["name"].to_list()
    wanted = [i for i, n in enumerate(names) if any(p in (n or "").casefold() for p in parts)]
    kept = table["player"].is_in(wanted)
    if not kept.any():
        some = ", ".join(map(str, names[:5]))
        raise UsageError(f"--players: expected part of a name, found {players!r}; there are {some}, …")
    return kept


ANNOUNCED = 20
"""Positions from which something is said before the engine begins."""
SOON, EVERY = 5.0, 30.0
"""Seconds after which the first line of progress is printed into a file, and between two lines."""


class _ProgressLines:
    """Prints progress as lines: the time left after a few seconds, then every half minute."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.begun = time.monotonic()
        self.next = self.begun + SOON

    def __call__(self, positions: int, _: int) -> None:
        self.done += positions
        now = time.monotonic()
        if now < self.next or self.done >= self.total or not self.done:
            return
        self.next = now + EVERY
        left = (now - self.begun) / self.done * (self.total - self.done)
        share = 100 * self.done // self.total
        say(f"Analysed: {self.done:,} of {self.total:,} positions ({share} %), about {_duration(left)} left.")


def _duration(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> _duration(42), _duration(400), _duration(9000)
    ('42 s', '7 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def progress(total: int) -> Iterator[Callable[[int, int], None]]:
    """Say how much there is to do; then show a bar with positions/s, nodes/s and the time left, or print lines into a file."""
    if not total:
        yield lambda *_: None
        return
    if total >= ANNOUNCED:
        say(f"To be analysed now: {total:,} positions.")
    if not sys.stderr.isatty():
        yield _ProgressLines(total)
        return
    no_longer_working()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("positions"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        refresh_per_second=2,  # drawing it takes time from the engines
    )
    with bar:
        task = bar.add_task("", total=total, pace="")
        visited = 0

        def advance(positions: int, nodes: int) -> None:
            nonlocal visited
            visited += nodes
            bar.advance(task, positions)
            now = bar.tasks[0]
            passed = max(now.elapsed or 0.0, 1e-9)
            pace = f"{now.completed / passed:,.1f}/s · {visited / passed:,.0f} nodes/s ·"
            bar.update(task, pace=pace)

        yield advance


def check_export(path: str | None, files: Sequence[str]) -> None:
    """Raise before hours of work if the file could not be written after them."""
    if path is None:
        return
    from arpad.files import check_output, input_file
    from arpad.publish.export.games import evaluations_format

    evaluations_format(path)
    for file in files:
        input_file(file)
    check_output(path)
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise UsageError(f"--export {path}: the folder {folder} is not there: make it first")


def export(
    path: str, games: EvaluatedGames, places: pl.DataFrame, done: EvaluatedPositions, *, own: bool
) -> None:
    """Write the games with what the engine, or on request the file itself, says of every position."""
    from arpad.moves.evaluate import engine_in_words
    from arpad.moves.evaluated_games import from_positions
    from arpad.publish.export.games import write_evaluations

    said = done.lookup(places["epd"].unique())
    source = engine_in_words(done.analysis.parameters) + ("; evaluations of the file first" if own else "")
    evaluated = from_positions(places, said, games, source=source, own=own)
    lost = write_evaluations(evaluated, path)
    known, positions = evaluated.coverage()
    say(f"{path}: {len(evaluated.games):,} games, {known:,} of {positions:,} positions evaluated.")
    for words in lost:
        say(f"  not in {path}: {words}")


# Which calibration is used, and an engine that is asked as its own was.

CalibrationOption = Annotated[
    str | None,
    typer.Option(
        "--calibration",
        help="A calibration by its name, or a file that arpad ipr calibrate wrote. [the first that comes with arpad]",
    ),
]


def calibration_named(text: str | None) -> Calibration:
    """Return the calibration of a name or in a file; None: the one that comes with arpad."""
    from arpad.moves.ipr.calibration import calibration, calibration_names, from_document

    names = calibration_names()
    if text is None or text in names:
        return calibration(names[0] if text is None else text)
    if not Path(text).exists():
        raise UsageError(
            f"--calibration: expected a file, or one of those that come with arpad ({', '.join(names)}); found {text!r}"
        )
    document = json_given(text, "a calibration as arpad ipr calibrate writes it")
    return from_document(document, file=text)


def decisions_as_calibrated(
    files: list[str],
    calibration: Calibration,
    engine: EngineTeam,
    *,
    multipv: int | None = None,
    filters: Filters | None = None,
    strict: bool = False,
) -> DecisionGames:
    """Read games, and ask the engine about them as the calibration's own was asked.

    What an option says goes first. Another engine than the calibration's, or one that is asked in another way,
    is refused before anything is analysed.
    """
    from arpad.moves.engine import EngineSettings
    from arpad.moves.ipr.decisions import filters_of
    from arpad.moves.ipr.inputs import read_decisions
    from arpad.moves.ipr.rating import same_settings

    made: dict[str, Any] = dict(calibration.engine)
    search = engine if isinstance(engine, EngineSearch) else EngineSearch(engine=engine.engine)
    told = search.settings(multipv=made.get("multipv", 1) if multipv is None else multipv)
    limit: dict[str, Any] = {k: made[k] for k in ("depth", "nodes", "movetime") if k in made}
    if search.limited():
        limit = {told.limit: told.value}
    settings = EngineSettings(
        engine=search.engine,
        multipv=told.multipv,
        hash_mb=told.hash_mb if search.hash is not None else made.get("hash_mb", told.hash_mb),
        options=told.options if search.option else tuple(dict(made.get("options") or {}).items()),
        **limit,
    )
    team = engine.team(settings)
    same_settings(calibration, settings.parameters(team.identity()))
    return read_decisions(
        files,
        settings,
        workers=team,
        filters=filters or filters_of(calibration.filters),
        store=engine.store,
        strict=strict,
        listener=listener(),
    )


# How skill is fitted, as an option.


Method = Literal["equate", "likelihood", "percentile"]


RatingMethod = Literal["equate", "likelihood", "percentile", "artery"]
