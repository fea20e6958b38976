"""`arpad simulate`: rating systems in worlds where the truth is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli import simulate_shown
from arpad.cli.draw_options import DrawModelOption
from arpad.cli.draw_options import draw_model as model_in
from arpad.cli.output import FormatOption, OutputOption, emit, say
from arpad.cli.workers_option import PATIENCE, PatienceOption, WorkersOption, team
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.lab.season import Season
    from arpad.lab.simulation import Simulation, Told
    from arpad.rate.systems import RatingSystem
    from arpad.workers import Workers

__all__ = ["add_to"]

STANDARD_COLUMNS, ELITE_COLUMNS = "900:2100:100", "1600:2800:100"
"""The columns of the text's two tables."""
SLOW = 2_000_000
"""Games from which on a system that is called with lists is worth a warning."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(simulate)


def simulate(
    system: Annotated[
        list[str] | None,
        typer.Option(help="A rating system, elo:k=10,curve=normal for options; repeatable, all rate the same games. [pra]"),
    ] = None,
    players: Annotated[int | None, typer.Option(help="How many. [15,000, or as many as the file has]")] = None,
    rounds: Annotated[int, typer.Option(help="Everybody plays once a round.")] = 340,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 1,
    runs: Annotated[int, typer.Option(help="Seasons with the seeds from this one on; figures are means with their spread.")] = 1,
    population: Annotated[
        str,
        typer.Option(help="standard, elite, normal:mean=1500,sd=300, uniform:low=1000,high=2000, any distribution of scipy.stats with its parameters, or a file of true ratings."),
    ] = "standard",
    start: Annotated[
        str | None,
        typer.Option(help="mean (everybody at the population's mean), true, high, low, one (all right but --player), or a file of ratings. [mean, or what the population's file has]"),
    ] = None,
    by: Annotated[float | None, typer.Option(help="Points off at the start: high, low [200], one [at the mean].")] = None,
    established: Annotated[bool, typer.Option("--established", help="Ratings at the start are established: nobody is treated as a newcomer.")] = False,
    tolerance: Annotated[float, typer.Option(help="Points from the truth within which a rating is in spec.")] = 100.0,
    pairing: Annotated[str, typer.Option(help="random, strength (neighbours) or swiss.")] = "random",
    spread: Annotated[float | None, typer.Option(help="Points by which neighbours are mixed. [100]")] = None,
    event_rounds: Annotated[int | None, typer.Option(help="Rounds of a Swiss event. [9]")] = None,
    field: Annotated[int | None, typer.Option(help="Players of a Swiss event. [100]")] = None,
    world: Annotated[
        str, typer.Option(help="What decides games: pra (the text's chart), pra-curve, logistic, normal, linear or table.")
    ] = "pra",
    draws: Annotated[bool, typer.Option("--draws", help="Some games are drawn, as many as among players of their strength.")] = False,
    draw_model: DrawModelOption = None,
    drift: Annotated[float, typer.Option(help="σ of the step that every true strength takes a round, in points.")] = 0.0,
    enter: Annotated[float, typer.Option(help="Players that enter a round.")] = 0.0,
    leave: Annotated[float, typer.Option(help="Players that leave a round.")] = 0.0,
    period: Annotated[int, typer.Option(help="Rounds rated together by systems that rate by lists (not elo, pra, pra-basic).")] = 1,
    until: Annotated[bool, typer.Option("--until", help="Show games until in spec, by true rating.")] = False,
    columns: Annotated[str | None, typer.Option(help="True ratings for --until, FIRST:LAST:STEP. [900:2100:100; elite 1600:2800:100]")] = None,
    copies: Annotated[int | None, typer.Option(help="Players of each of these ratings. [1]", min=1, max=1000)] = None,
    player: Annotated[list[float] | None, typer.Option(help="Show the path of a player of this true rating; repeatable.")] = None,
    calibrate: Annotated[
        str | None, typer.Option(help="Search PRA's constants for this world: all, or some of k,steady,fresh,turning,omega.")
    ] = None,
    objective: Annotated[str | None, typer.Option(help="What --calibrate makes small: end, area or both. [both]")] = None,
    budget: Annotated[int | None, typer.Option(help="Candidates that --calibrate tries. [120]")] = None,
    workers: WorkersOption = None,
    patience: PatienceOption = PATIENCE,
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg: paths with --player, games with --until, else out of spec over time.")] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:  # fmt: skip
    """Simulate players whose true strength is known, and see how soon ratings find it.

    arpad simulate --system pra --system elo --chart race.png

    arpad simulate --until --runs 44 --rounds 600 --population elite

    arpad simulate --calibrate all --world logistic --players 5000
    """
    from arpad.cli import simulate_settings as settings
    from arpad.lab.pairing import pairing as pairing_called
    from arpad.lab.season import Season
    from arpad.lab.world import World, world_curve

    who = team(workers, patience)
    table = until or columns is not None
    settings.check_together(
        table=table, copies=copies, calibrate=calibrate, objective=objective, budget=budget
    )
    chosen = settings.systems_of(system or ["pra"])
    people, brought = settings.strengths(population)
    begin = settings.start_of(start, brought, by, established=established)
    if begin.kind == "one" and not player:
        raise UsageError("--start one: say who is wrong with --player TRUE_RATING, 2200 for one")
    watch = tuple(player or ())
    if table:
        usual = ELITE_COLUMNS if population == "elite" else STANDARD_COLUMNS
        watch += settings.columns(columns or usual, copies or 1)
    season = Season(
        players=_players(players, people), rounds=rounds, seed=seed, population=people, start=begin, watch=watch,
        pairing=pairing_called(pairing, spread=spread, **_swiss(pairing, event_rounds, field)),
        world=World(
            curve=world_curve(world), draws=model_in(draw_model) if draws or draw_model else None,
            drift=drift, enter=enter, leave=leave,
        ),
    )  # fmt: skip
    if calibrate is not None:
        from arpad.cli.simulate_calibrate import BUDGET, run_calibration

        if system and system != ["pra"]:
            raise UsageError("--calibrate searches the constants of pra: leave out other systems")
        run_calibration(season, calibrate, objective or "both", BUDGET if budget is None else budget, tolerance, runs, chart, format, output, who)  # fmt: skip
        return
    _warn(season, chosen, period, runs)
    found = _run(season, chosen, runs=runs, tolerance=tolerance, period=period, workers=who)
    shown = simulate_shown.Shown(paths=len(player or ()), until=table)
    if chart is not None:
        _draw(found, chart, shown)
    emit(
        format, output,
        people=lambda: simulate_shown.people(found, shown),
        rows=lambda: simulate_shown.rows(found, shown),
        document=lambda: simulate_shown.document(found, shown),
    )  # fmt: skip


def _players(asked: int | None, people: object) -> int:
    from arpad.lab.population import PLAYERS, Given

    if asked is not None:
        return asked
    return len(people.values) if isinstance(people, Given) else PLAYERS


def _swiss(pairing: str, event_rounds: int | None, field: int | None) -> dict[str, int | None]:
    if pairing == "swiss":
        return {"rounds": event_rounds, "field": field}
    if event_rounds is not None or field is not None:
        raise UsageError("--event-rounds and --field belong to --pairing swiss")
    return {}


def _warn(season: Season, systems: dict[str, RatingSystem], period: int, runs: int) -> None:
    from arpad.lab.rated import is_fast

    slow = [label for label, system in systems.items() if not is_fast(system)]
    games = season.players // 2 * season.rounds * runs * len(slow)
    if slow and games > SLOW and period == 1:
        say(f"{', '.join(slow)}: rated by a list after every round, which takes minutes for {games:,} games; --period 10 rates ten rounds together")  # fmt: skip


def _run(
    season: Season,
    systems: dict[str, RatingSystem],
    *,
    runs: int,
    tolerance: float,
    period: int,
    workers: Workers,
) -> Simulation:
    from arpad.cli.progress import progress
    from arpad.lab.simulation import simulate as play

    with progress("Simulating") as tell:

        def moved(told: Told) -> None:
            tell(told.run * told.rounds + told.round, told.runs * told.rounds)

        return play(season, systems, runs=runs, tolerance=tolerance, period=period, progress=moved, workers=workers)  # fmt: skip


def _draw(found: Simulation, path: str, shown: simulate_shown.Shown) -> None:
    from arpad.publish import simulation_charts as charts
    from arpad.publish.chart_style import save

    if shown.paths:
        save(charts.path_chart(found, shown.paths), path)
    elif shown.until:
        save(charts.until_chart(found), path)
    else:
        save(charts.spec_chart(found), path)
