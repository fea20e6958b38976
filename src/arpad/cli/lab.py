"""`arpad predict`, `tune`, `coverage` and `simulate`: rating systems compared on games and in worlds where the truth is known."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli.options import (
    DrawModelOption,
    GameFiles,
    ProcessesOption,
    ProcessPatienceOption,
    draw_model,
    given_options,
)
from arpad.cli.output import Emission, emit_result, progress, reading_document, say
from arpad.errors import UsageError
from arpad.lab.pairing import PairingName
from arpad.lab.pra_calibration import Objective
from arpad.parallel import PATIENCE, workers_called

if TYPE_CHECKING:
    from arpad.lab.entrants import Entrant
    from arpad.lab.season import RunStart, Season
    from arpad.lab.simulate import Told
    from arpad.lab.worlds import Population
    from arpad.rate.system import RatingSystem


def predict(
    source: GameFiles,
    systems: str = "all",
    period: Literal["day", "month", "quarter", "year"] = "month",
    validation_from: str | None = None,
    test_from: str | None = None,
    test_to: str | None = None,
    least_games: Annotated[int, typer.Option(min=0)] = 20,
    given: Annotated[bool, typer.Option("--given/--no-given")] = False,
    against: str | None = None,
    tune: bool = False,
    budget: Annotated[int, typer.Option(min=1)] = 24,
    draws: Annotated[int, typer.Option(min=10)] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    by: Literal["period", "level", "games"] | None = None,
    chart: str | None = None,
    calibration_chart: str | None = None,
    workers: ProcessesOption = None,
    patience: ProcessPatienceOption = PATIENCE,
) -> Emission:
    """Predict every game before it is rated, with each system, and compare the predictions.

    Games before the test window rate players; those of the validation window choose White's advantage, scale and tuned constants; those of the test window only measure. Every system is scored on the same games.

    arpad predict games.parquet --systems all --test-from 2015-01-01

    arpad predict games.parquet --systems elo,elo:k=32,glicko2,published --validation-from 2014 --test-from 2015 --tune

    arpad predict games.parquet --systems all --tune --workers 8

    arpad predict internationals.parquet --systems elo,glicko --period year

    systems: all, or names separated by commas (elo,glicko2,published), with constants after colons (elo:k=32:start=1200).
    period: Length of a period; each game is predicted from the ratings before its period.
    validation_from: First day, month, year or month number of the validation window, which chooses White's advantage, scales and tuned constants. [a year before the test]
    test_from: First day of the test window. [the last fifth of the periods]
    test_to: The day after the last day of the test window. [the end]
    least_games: Score games between players with N earlier games or more.
    given: Start players from the ratings in the files, if a system can; without it, from results alone.
    against: The system with which the others are compared. [the best of the validation window]
    tune: Add a row for each system with constants tuned on the validation games.
    budget: With --tune: number of trials for each system.
    draws: Number of bootstrap samples behind low and high.
    seed: Seed of the bootstrap and the tuner.
    by: Also print the figures by period, by level of the players and by games played.
    chart: Write a chart of the systems side by side, .png or .svg.
    calibration_chart: Write their calibration curves, .png or .svg.
    """
    from arpad.lab.predict import predict as predicted
    from arpad.publish.charts.lab import calibration_curves
    from arpad.publish.charts.style import save

    team = workers_called(workers, patience=patience)
    entrants = systems_asked(systems, given=given)
    reading = source.read()
    with progress("walking") as tell:
        total = len(entrants) * (2 if tune else 1)
        done = iter(range(1, total + 1))
        result = predicted(
            reading.games,
            entrants,
            period=period,
            validation_from=validation_from,
            test_from=test_from,
            test_to=test_to,
            least_games=least_games,
            against=against,
            draws=draws,
            seed=seed,
            budget=budget if tune else None,
            workers=team,
            watch=lambda label: tell(next(done), total, label),
        )
    source.tell(reading)
    for note in result.notes:
        say(note)
    if calibration_chart is not None:
        save(calibration_curves(result), calibration_chart)
    return partial(
        emit_result,
        result,
        view={"by": by},
        rows=lambda: result.table() if by is None else result.parts.filter(result.parts["by"] == by),
        document=lambda: result.to_dict() | reading_document(reading),
        chart=chart,
    )


def tune(
    source: GameFiles,
    systems: str = "arpad",
    period: Literal["day", "month", "quarter", "year"] = "month",
    since: str | None = None,
    least_games: Annotated[int, typer.Option(min=0)] = 20,
    given: Annotated[bool, typer.Option("--given/--no-given")] = False,
    budget: Annotated[int, typer.Option(min=2)] = 24,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    workers: ProcessesOption = None,
    patience: ProcessPatienceOption = PATIENCE,
) -> Emission:
    """Choose constants of rating systems by how well they predict the latest of your own games.

    arpad prints constants that are better for certain as options for arpad rate. arpad predict --tune tests them on other games.

    arpad tune games.parquet

    arpad tune games.parquet --systems arpad,glicko2,elo --budget 40 --workers 2

    arpad tune games.parquet --format json -o constants.json

    systems: Names with commas: arpad,glicko2; constants after colons are kept: elo:start=1200. all: every one.
    period: Games are predicted from the ratings before their period.
    since: First day of the games on which constants are chosen. [the last fifth of the periods]
    least_games: Score games between players with N earlier games or more.
    given: Start players from the ratings in the files.
    budget: Trials of each system.
    seed: Seed of the trials.
    """
    from arpad.lab.tuning import tune as tuned

    team = workers_called(workers, patience=patience)
    entrants = systems_asked(systems, given=given)
    reading = source.read()
    with progress("trying") as tell:
        done = iter(range(1, len(entrants) + 1))
        result = tuned(
            reading.games,
            entrants,
            period=period,
            since=since,
            least_games=least_games,
            budget=budget,
            seed=seed,
            workers=team,
            watch=lambda label: tell(next(done), len(entrants), label),
        )
    source.tell(reading)
    return partial(emit_result, result, document=lambda: result.to_dict() | reading_document(reading))


def systems_asked(text: str, *, given: bool | None) -> list[Entrant]:
    """Return the systems of ``all`` or of ``elo,glicko2:tau=0.3,published``; a row keeps its text as name."""
    from arpad.lab.entrants import entrant, everybody

    entrants: list[Entrant] = []
    # A comma before a digit is none between systems: elo:k=32@2100,24@2400,16.
    for part in (each.strip() for each in re.split(r",(?!\s*[0-9])", text)):
        if not part:
            continue
        if part == "all":
            entrants.extend(everybody(given=given))
            continue
        name, *options = part.split(":")
        entrants.append(entrant(name, given_options(name, options), label=part, given=given))
    if not entrants:
        raise UsageError(f"--systems: expected all, or names with commas such as elo,glicko2; found {text!r}")
    return entrants


def coverage(
    systems: str = "all",
    worlds: str = "all",
    seeds: Annotated[int, typer.Option(min=1)] = 2,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    players: Annotated[int | None, typer.Option(min=4)] = None,
    every: bool = False,
) -> Emission:
    """Test the printed errors of rating systems in simulated worlds where every strength is known.

    A 95 % interval is right if it holds 92 to 97 of 100 true strengths. Without options the command takes about half a minute; more seeds take longer and say more.

    arpad coverage

    arpad coverage --systems arpad,whr,glicko --seeds 8 --every

    arpad coverage --systems elo:k=32 --worlds lot,neighbours --format json

    systems: all, or names separated by commas (elo,glicko2), with constants after colons (elo:k=32).
    worlds: all, or names separated by commas: lot, neighbours, neighbours-10, neighbours-100, drift, swiss, divisions, closed-club, islands, juniors, returning, given.
    seeds: Simulate each world N times.
    seed: The first seed.
    players: Players of each world. [200]
    every: Print a row for each system and world, instead of one for each system.
    """
    from arpad.lab.coverage import coverage as covered
    from arpad.rate.registry import SYSTEMS

    chosen = "all" if systems == "all" else {e.label: e.system for e in systems_asked(systems, given=None)}
    names = None if worlds == "all" else [name.strip() for name in worlds.split(",")]
    total = len(SYSTEMS) if chosen == "all" else len(chosen)
    with progress("rating") as tell:
        done = iter(range(1, total + 1))
        result = covered(
            chosen,
            names,
            seeds=seeds,
            seed=seed,
            players=players,
            watch=lambda label: tell(next(done), total, label),
        )
    return partial(emit_result, result, view={"every": every})


STANDARD_COLUMNS, ELITE_COLUMNS = "900:2100:100", "1600:2800:100"
"""The columns of the text's two tables."""
SLOW = 2_000_000
"""Games from which on a system that is called with lists is worth a warning."""
BUDGET = 120
"""Candidates, unless --budget says otherwise."""
SEASONS, CHECKS = 4, 10
"""Seasons that each candidate is tried on, and new ones for the last comparison, unless --runs says otherwise."""
MOST_COLUMNS = 1000
NAMES = ("standard", "elite", "mean", "true", "high", "low", "one", "given")
"""Populations and starts that no file of the same name stands for."""


def simulate(
    system: list[str] | None = None,
    players: int | None = None,
    rounds: Annotated[int, typer.Option(max=10**6)] = 340,
    seed: int = 1,
    runs: int = 1,
    population: str = "standard",
    start: str | None = None,
    by: float | None = None,
    established: bool = False,
    tolerance: float = 100.0,
    pairing: PairingName = "random",
    spread: float | None = None,
    event_rounds: int | None = None,
    field: int | None = None,
    world: str = "pra",
    draws: bool = False,
    draw_model_file: DrawModelOption = None,
    drift: float = 0.0,
    enter: float = 0.0,
    leave: float = 0.0,
    period: int = 1,
    until: bool = False,
    columns: str | None = None,
    copies: Annotated[int | None, typer.Option(min=1, max=1000)] = None,
    player: list[float] | None = None,
    calibrate: str | None = None,
    objective: Objective | None = None,
    budget: int | None = None,
    workers: ProcessesOption = None,
    patience: ProcessPatienceOption = PATIENCE,
    chart: str | None = None,
) -> Emission:
    """Simulate players whose true strength is known, and see how soon ratings find it.

    arpad simulate --system pra --system elo --chart race.png

    arpad simulate --until --runs 44 --rounds 600 --population elite

    arpad simulate --calibrate all --world logistic --players 5000

    system: A rating system, with options as in elo:k=10,curve=normal; repeatable: all rate the same games. [pra]
    players: Number of players. [15,000, or as many as the file has]
    rounds: Number of rounds; everybody plays once a round.
    seed: The same seed gives the same games.
    runs: Simulate N seasons, with the seeds from --seed on, and print means and standard deviations.
    population: standard, elite, normal:mean=1500,sd=300, uniform:low=1000,high=2000, any distribution of scipy.stats with its parameters, or a file of true ratings.
    start: Start ratings: mean (everybody at the population's mean), true, high, low, one (only --player is off), or a file of ratings. [mean, or those of the population's file]
    by: Points by which high, low or one are off at the start. [200; one: at the mean]
    established: Treat the ratings at the start as established, and nobody as a new player.
    tolerance: A rating within this many points of the true one is in spec.
    pairing: How players are paired; strength pairs neighbours.
    spread: Random points added before neighbours are paired. [100]
    event_rounds: Rounds of a Swiss event. [9]
    field: Players of a Swiss event. [100]
    world: The curve that decides games: pra (the text's chart), pra-curve, logistic, normal, linear or table.
    draws: Draw as many games as players of this strength do.
    drift: Standard deviation, in points, of the change of every true strength in a round.
    enter: Players that enter a round.
    leave: Players that leave a round.
    period: Number of rounds in a rating period, for systems that have periods (not elo, pra, pra-basic).
    until: Show games until in spec, by true rating.
    columns: True ratings for --until, FIRST:LAST:STEP. [900:2100:100; elite 1600:2800:100]
    copies: Players of each of these ratings. [1]
    player: Show the path of a player of this true rating; repeatable.
    calibrate: Search PRA's constants for this world: all, or some of k,steady,fresh,turning,omega.
    objective: What --calibrate minimises. [both]
    budget: Number of candidates for --calibrate. [120]
    chart: Draw a chart, .png or .svg: paths with --player, games with --until, otherwise players out of spec over time.
    """
    from arpad.lab.pairing import pairing as pairing_called
    from arpad.lab.season import Season
    from arpad.lab.simulate import simulate as play
    from arpad.lab.worlds import PLAYERS, Given, World, world_curve

    team = workers_called(workers, patience=patience)
    table = until or columns is not None
    if copies is not None and not table:
        raise UsageError("--copies works only with --until")
    if calibrate is None and (objective is not None or budget is not None):
        raise UsageError("--objective and --budget work only with --calibrate")
    if calibrate is not None and table:
        raise UsageError("--calibrate and --until do not go together: choose one")
    if pairing != "swiss" and (event_rounds is not None or field is not None):
        raise UsageError("--event-rounds and --field work only with --pairing swiss")
    systems = _systems(system or ["pra"])
    strengths, brought = _strengths(population)
    begin = _start(start, brought, by, established=established)
    if begin.kind == "one" and not player:
        raise UsageError(
            "--start one: name the player who starts wrong by the true rating, for example --player 2200"
        )
    watch = tuple(player or ())
    if table:
        usual = ELITE_COLUMNS if population == "elite" else STANDARD_COLUMNS
        watch += _columns(columns or usual, copies or 1)
    size = len(strengths.values) if isinstance(strengths, Given) else PLAYERS
    swiss = {"rounds": event_rounds, "field": field} if pairing == "swiss" else {}
    season = Season(
        players=size if players is None else players,
        rounds=rounds,
        seed=seed,
        population=strengths,
        start=begin,
        watch=watch,
        pairing=pairing_called(pairing, spread=spread, **swiss),
        world=World(
            curve=world_curve(world),
            draws=draw_model(draw_model_file) if draws or draw_model_file else None,
            drift=drift,
            enter=enter,
            leave=leave,
        ),
    )
    if calibrate is not None:
        from arpad.lab.pra_calibration import AUTHOR
        from arpad.lab.pra_calibration import calibrate as search

        if system and system != ["pra"]:
            raise UsageError("--calibrate searches the constants of pra: leave out other systems")
        names = list(AUTHOR) if calibrate.strip() == "all" else [n.strip() for n in calibrate.split(",")]
        with progress("Calibrating") as tell:
            calibration = search(
                season,
                names,
                objective=objective or "both",
                budget=BUDGET if budget is None else budget,
                tolerance=tolerance,
                seasons=runs if runs > 1 else SEASONS,
                checks=max(CHECKS, runs),
                progress=tell,
                workers=team,
            )
        return partial(emit_result, calibration, chart=chart)
    _warn(season, systems, period, runs)
    with progress("Simulating") as tell:

        def moved(told: Told) -> None:
            tell(told.run * told.rounds + told.round, told.runs * told.rounds)

        result = play(
            season, systems, runs=runs, tolerance=tolerance, period=period, progress=moved, workers=team
        )
    view: dict[str, Any] = {"paths": len(player or ()), "until": table}
    return partial(
        emit_result,
        result,
        view=view,
        rows=lambda: result.rows(**view),
        document=lambda: result.to_dict(**view),
        chart=chart,
        **view,
    )


def _warn(season: Season, systems: dict[str, RatingSystem], period: int, runs: int) -> None:
    from arpad.lab.season import season_loop

    slow = [label for label, system in systems.items() if season_loop(system) is None]
    games = season.players // 2 * season.rounds * runs * len(slow)
    if slow and games > SLOW and period == 1:
        say(
            f"{', '.join(slow)}: rated by a list after every round, which takes minutes for {games:,} games; --period 10 rates ten rounds together"
        )


def _systems(texts: list[str]) -> dict[str, RatingSystem]:
    """Return systems by the text that named them: ``elo``, ``elo:k=10,curve=normal``."""
    from arpad.rate.registry import system

    systems: dict[str, RatingSystem] = {}
    for text in texts:
        name, _, rest = text.strip().partition(":")
        if text.strip() in systems:
            raise UsageError(f"--system: {text.strip()!r} is named twice")
        systems[text.strip()] = system(name, **given_options(name, [p for p in rest.split(",") if p.strip()]))
    return systems


def _strengths(text: str) -> tuple[Population, Any]:
    """Return the population that an option names, and ratings to start from if a file brings them."""
    from arpad.lab.worlds import Given, population

    if not _is_file(text):
        return population(text), None
    return Given.from_file(text)


def _is_file(text: str) -> bool:
    """Say whether a text names a file: one that is there, or a name that can be nothing else."""
    if text in NAMES or ":" in text:
        return False
    return Path(text).is_file() or bool(Path(text).suffix) or "/" in text


def _start(text: str | None, brought: Any, by: float | None, *, established: bool) -> RunStart:
    """Return how a run begins; ratings that the population's file brought are used unless another start is named."""
    from arpad.lab.season import RunStart
    from arpad.lab.worlds import Given

    if text is None:
        text = "mean" if brought is None else "given"
    if text == "given" and brought is None:
        raise UsageError("--start given: the population's file has no column start")
    if text == "given":
        return RunStart(kind="given", values=brought, by=by, established=established)
    if _is_file(text):
        return RunStart(kind="given", values=Given.from_file(text)[0].values, by=by, established=established)
    return RunStart(kind=text, by=by, established=established)  # type: ignore[arg-type]


def _columns(text: str, copies: int) -> tuple[float, ...]:
    """Return the true ratings of players put in by hand: ``900:2100:100``, or ``800,2200``."""
    try:
        if ":" in text:
            low, high, step = (float(part) for part in text.split(":"))
            if not (step > 0 and (high - low) / step <= MOST_COLUMNS):
                raise ValueError
            values = [low + i * step for i in range(math.ceil((high - low) / step + 0.5))]
        else:
            values = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(
            f"--columns: expected FIRST:LAST:STEP or ratings with commas, found {text!r}"
        ) from None
    return tuple(value for value in values for _ in range(copies))
