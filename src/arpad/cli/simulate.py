"""`arpad simulate`: rating systems in worlds where the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from arpad.cli.options import DrawModelOption, WorkersOptionPatienceOption, WorkersOptionWorkersOption, team
from arpad.cli.options import draw_model as model_in
from arpad.cli.output import Format, FormatOption, OutputOption, emit, say
from arpad.errors import UsageError
from arpad.lab.pairing import PairingName
from arpad.lab.pra_calibration import Objective
from arpad.parallel import HERE, PATIENCE

if TYPE_CHECKING:
    import polars as pl

    from arpad.lab.pra_calibration import Calibration
    from arpad.lab.season import Season, Start
    from arpad.lab.simulate import Simulation, SystemResult, Told
    from arpad.lab.worlds import Population
    from arpad.parallel import Workers
    from arpad.rate.system import RatingSystem


# `arpad simulate`: rating systems in worlds where the truth is known.

STANDARD_COLUMNS, ELITE_COLUMNS = "900:2100:100", "1600:2800:100"
"""The columns of the text's two tables."""
SLOW = 2_000_000
"""Games from which on a system that is called with lists is worth a warning."""


def add_simulate(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(simulate)


def simulate(
    system: Annotated[
        list[str] | None,
        typer.Option(
            help="A rating system, elo:k=10,curve=normal for options; repeatable, all rate the same games. [pra]"
        ),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="How many. [15,000, or as many as the file has]")
    ] = None,
    rounds: Annotated[int, typer.Option(help="Everybody plays once a round.", max=10**6)] = 340,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 1,
    runs: Annotated[
        int,
        typer.Option(help="Seasons with the seeds from this one on; figures are means with their spread."),
    ] = 1,
    population: Annotated[
        str,
        typer.Option(
            help="standard, elite, normal:mean=1500,sd=300, uniform:low=1000,high=2000, any distribution of scipy.stats with its parameters, or a file of true ratings."
        ),
    ] = "standard",
    start: Annotated[
        str | None,
        typer.Option(
            help="mean (everybody at the population's mean), true, high, low, one (all right but --player), or a file of ratings. [mean, or what the population's file has]"
        ),
    ] = None,
    by: Annotated[
        float | None, typer.Option(help="Points off at the start: high, low [200], one [at the mean].")
    ] = None,
    established: Annotated[
        bool,
        typer.Option(
            "--established", help="Ratings at the start are established: nobody is treated as a newcomer."
        ),
    ] = False,
    tolerance: Annotated[
        float, typer.Option(help="Points from the truth within which a rating is in spec.")
    ] = 100.0,
    pairing: Annotated[PairingName, typer.Option(help="Who meets whom; strength: neighbours.")] = "random",
    spread: Annotated[float | None, typer.Option(help="Points by which neighbours are mixed. [100]")] = None,
    event_rounds: Annotated[int | None, typer.Option(help="Rounds of a Swiss event. [9]")] = None,
    field: Annotated[int | None, typer.Option(help="Players of a Swiss event. [100]")] = None,
    world: Annotated[
        str,
        typer.Option(
            help="What decides games: pra (the text's chart), pra-curve, logistic, normal, linear or table."
        ),
    ] = "pra",
    draws: Annotated[
        bool,
        typer.Option("--draws", help="Some games are drawn, as many as among players of their strength."),
    ] = False,
    draw_model: DrawModelOption = None,
    drift: Annotated[
        float, typer.Option(help="σ of the step that every true strength takes a round, in points.")
    ] = 0.0,
    enter: Annotated[float, typer.Option(help="Players that enter a round.")] = 0.0,
    leave: Annotated[float, typer.Option(help="Players that leave a round.")] = 0.0,
    period: Annotated[
        int,
        typer.Option(help="Rounds rated together by systems that rate by lists (not elo, pra, pra-basic)."),
    ] = 1,
    until: Annotated[bool, typer.Option("--until", help="Show games until in spec, by true rating.")] = False,
    columns: Annotated[
        str | None,
        typer.Option(help="True ratings for --until, FIRST:LAST:STEP. [900:2100:100; elite 1600:2800:100]"),
    ] = None,
    copies: Annotated[
        int | None, typer.Option(help="Players of each of these ratings. [1]", min=1, max=1000)
    ] = None,
    player: Annotated[
        list[float] | None, typer.Option(help="Show the path of a player of this true rating; repeatable.")
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(
            help="Search PRA's constants for this world: all, or some of k,steady,fresh,turning,omega."
        ),
    ] = None,
    objective: Annotated[Objective | None, typer.Option(help="What --calibrate makes small. [both]")] = None,
    budget: Annotated[int | None, typer.Option(help="Candidates that --calibrate tries. [120]")] = None,
    workers: WorkersOptionWorkersOption = None,
    patience: WorkersOptionPatienceOption = PATIENCE,
    chart: Annotated[
        str | None,
        typer.Option(
            help="Draw it, .png or .svg: paths with --player, games with --until, else out of spec over time."
        ),
    ] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Simulate players whose true strength is known, and see how soon ratings find it.

    arpad simulate --system pra --system elo --chart race.png

    arpad simulate --until --runs 44 --rounds 600 --population elite

    arpad simulate --calibrate all --world logistic --players 5000
    """
    from arpad.lab.pairing import pairing as pairing_called
    from arpad.lab.season import Season
    from arpad.lab.worlds import World, world_curve

    who = team(workers, patience)
    table = until or columns is not None
    check_together(table=table, copies=copies, calibrate=calibrate, objective=objective, budget=budget)
    chosen = systems_of(system or ["pra"])
    people, brought = strengths(population)
    begin = start_of(start, brought, by, established=established)
    if begin.kind == "one" and not player:
        raise UsageError("--start one: say who is wrong with --player TRUE_RATING, 2200 for one")
    watch = tuple(player or ())
    if table:
        usual = ELITE_COLUMNS if population == "elite" else STANDARD_COLUMNS
        watch += simulate_settings_columns(columns or usual, copies or 1)
    season = Season(
        players=_players(players, people),
        rounds=rounds,
        seed=seed,
        population=people,
        start=begin,
        watch=watch,
        pairing=pairing_called(pairing, spread=spread, **_swiss(pairing, event_rounds, field)),
        world=World(
            curve=world_curve(world),
            draws=model_in(draw_model) if draws or draw_model else None,
            drift=drift,
            enter=enter,
            leave=leave,
        ),
    )
    if calibrate is not None:
        if system and system != ["pra"]:
            raise UsageError("--calibrate searches the constants of pra: leave out other systems")
        run_calibration(
            season,
            calibrate,
            objective or "both",
            BUDGET if budget is None else budget,
            tolerance,
            runs,
            chart,
            format,
            output,
            who,
        )
        return
    _warn(season, chosen, period, runs)
    found = _run(season, chosen, runs=runs, tolerance=tolerance, period=period, workers=who)
    shown = Shown(paths=len(player or ()), until=table)
    if chart is not None:
        _draw(found, chart, shown)
    emit(
        format,
        output,
        people=lambda: simulate_shown_people(found, shown),
        rows=lambda: rows(found, shown),
        document=lambda: document(found, shown),
    )


def _players(asked: int | None, people: object) -> int:
    from arpad.lab.worlds import PLAYERS, Given

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
    from arpad.lab.rated_season import season_loop

    slow = [label for label, system in systems.items() if season_loop(system) is None]
    games = season.players // 2 * season.rounds * runs * len(slow)
    if slow and games > SLOW and period == 1:
        say(
            f"{', '.join(slow)}: rated by a list after every round, which takes minutes for {games:,} games; --period 10 rates ten rounds together"
        )


def _run(
    season: Season,
    systems: dict[str, RatingSystem],
    *,
    runs: int,
    tolerance: float,
    period: int,
    workers: Workers,
) -> Simulation:
    from arpad.cli.output import progress
    from arpad.lab.simulate import simulate as play

    with progress("Simulating") as tell:

        def moved(told: Told) -> None:
            tell(told.run * told.rounds + told.round, told.runs * told.rounds)

        return play(
            season, systems, runs=runs, tolerance=tolerance, period=period, progress=moved, workers=workers
        )


def _draw(found: Simulation, path: str, shown: Shown) -> None:
    from arpad.publish.charts import lab as charts
    from arpad.publish.charts.style import save

    if shown.paths:
        save(charts.path_chart(found, shown.paths), path)
    elif shown.until:
        save(charts.until_chart(found), path)
    else:
        save(charts.spec_chart(found), path)


# `arpad simulate --calibrate`: PRA's constants for another world.

BUDGET = 120
"""Candidates, unless --budget says otherwise."""
SEASONS, CHECKS = 4, 10
"""Seasons that each candidate is tried on, and new ones for the last comparison, unless --runs says otherwise."""


def run_calibration(
    season: Season,
    names: str,
    objective: str,
    budget: int,
    tolerance: float,
    runs: int,
    chart: str | None,
    format: Format | None,
    output: str | None,
    workers: Workers = HERE,
) -> None:
    """Search, and show what was found beside the author's values."""
    from arpad.cli.output import progress
    from arpad.lab.pra_calibration import AUTHOR, calibrate

    chosen = list(AUTHOR) if names.strip() == "all" else [n.strip() for n in names.split(",")]
    with progress("Calibrating") as tell:
        found = calibrate(
            season,
            chosen,
            objective=objective,  # type: ignore[arg-type]
            budget=budget,
            tolerance=tolerance,
            seasons=runs if runs > 1 else SEASONS,
            checks=max(CHECKS, runs),
            progress=tell,
            workers=workers,
        )
    if chart is not None:
        from arpad.publish.charts.lab import spec_chart
        from arpad.publish.charts.style import save

        save(spec_chart(found.check, title="PRA's constants: the author's and those found"), chart)
    emit(format, output, people=lambda: _people(found), rows=found.table, document=lambda: _document(found))


def _people(found: Calibration) -> list[object]:
    from arpad.publish.tables import rich_table

    digits = dict.fromkeys(("author", "found", "from", "to"), 3)
    p = found.parameters
    return [
        rich_table(found.table(), title=f"Constants of PRA for the world {p['world']}", digits=digits),
        "",
        f"{found.summary()}.",
        f"{p['candidates']} candidates on {p['seasons']} seasons of {p['players']:,} players and {p['rounds']:,} rounds; from and to: candidates that were as good within two standard errors.",
    ]


def _document(found: Calibration) -> dict[str, object]:
    author, ours = found.check.systems
    return {
        "summary": found.summary(),
        "settings": dict(found.parameters),
        "constants": found.table().to_dicts(),
        "objective": {
            "name": found.objective,
            "author": found.author_value,
            "found": found.found_value,
            "gain": found.gain,
            "gain_error": found.gain_error,
        },
        "out_of_spec": {
            "author": author.mean("out_of_spec").tolist(),
            "found": ours.mean("out_of_spec").tolist(),
        },
        "candidates": found.tried.to_dicts(),
    }


# From the options of `arpad simulate` to a season and its systems.

MOST_COLUMNS = 1000
NAMES = ("standard", "elite", "mean", "true", "high", "low", "one", "given")
"""Populations and starts that no file of the same name stands for."""


def check_together(
    *, table: bool, copies: int | None, calibrate: str | None, objective: str | None, budget: int | None
) -> None:
    """Refuse options that would do nothing beside the others."""
    if copies is not None and not table:
        raise UsageError("--copies belongs to --until")
    if calibrate is None and (objective is not None or budget is not None):
        raise UsageError("--objective and --budget belong to --calibrate")
    if calibrate is not None and table:
        raise UsageError("--calibrate searches constants and shows no --until: ask for one of them")


def systems_of(texts: list[str]) -> dict[str, RatingSystem]:
    """Return systems by the text that named them: ``elo``, ``elo:k=10,curve=normal``."""
    from arpad.cli.options import told
    from arpad.rate.registry import system

    found: dict[str, RatingSystem] = {}
    for text in texts:
        name, _, rest = text.strip().partition(":")
        if text.strip() in found:
            raise UsageError(f"--system: {text.strip()!r} is named twice")
        found[text.strip()] = system(name, **told(name, [p for p in rest.split(",") if p.strip()]))
    return found


def strengths(text: str) -> tuple[Population, list[float] | None]:
    """Return the population that an option names, and ratings to start from if a file brings them."""
    from arpad.lab.worlds import Given, population

    if not _is_file(text):
        return population(text), None
    import numpy as np

    from arpad.read.rating_list import read_strengths

    true, start = read_strengths(text)
    return Given(values=np.array(true), name=Path(text).name), start


def _is_file(text: str) -> bool:
    """Say whether a text names a file: one that is there, or a name that can be nothing else."""
    if text in NAMES or ":" in text:
        return False
    return Path(text).is_file() or bool(Path(text).suffix) or "/" in text


def start_of(text: str | None, brought: list[float] | None, by: float | None, *, established: bool) -> Start:
    """Return how a run begins; ratings that the population's file brought are used unless another start is named."""
    import numpy as np

    from arpad.lab.season import Start
    from arpad.read.rating_list import read_strengths

    if text is None:
        text = "mean" if brought is None else "given"
    if text == "given" and brought is None:
        raise UsageError("--start given: the population's file has no column start")
    if text == "given":
        return Start(kind="given", values=np.array(brought), by=by, established=established)
    if _is_file(text):
        given = np.array(read_strengths(text)[0])
        return Start(kind="given", values=given, by=by, established=established)
    return Start(kind=text, by=by, established=established)  # type: ignore[arg-type]


def simulate_settings_columns(text: str, copies: int) -> tuple[float, ...]:
    """Return the true ratings of players put in by hand: ``900:2100:100``, or ``800,2200``."""
    import numpy as np

    try:
        if ":" in text:
            low, high, step = (float(part) for part in text.split(":"))
            if not (step > 0 and (high - low) / step <= MOST_COLUMNS):
                raise ValueError
            values = np.arange(low, high + step / 2, step).tolist()
        else:
            values = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(
            f"--columns: expected FIRST:LAST:STEP or ratings with commas, found {text!r}"
        ) from None
    return tuple(value for value in values for _ in range(copies))


# What `arpad simulate` prints: tables for people, a frame, a document.

STEPS = 17
"""Rounds that a person sees, about: every twentieth of 340."""
DIGITS = {
    "out of spec": 0,
    "±": 0,
    "per cent": 1,
    "mean error": 1,
    "RMS error": 1,
    "true": 0,
    "mean": 1,
    "spread": 1,
    "players": 0,
}


class Shown(NamedTuple):
    """What was asked for: so many players' paths, and games until in spec."""

    paths: int
    until: bool


def simulate_shown_people(found: Simulation, shown: Shown) -> list[object]:
    """Return what a person sees."""
    from arpad.publish.tables import rich_table

    parts: list[object] = []
    for result in found.systems:
        parts += [rich_table(_course(found, result), title=_title(result), digits=DIGITS), ""]
    if shown.until:
        title = "Games until in spec, by true rating"
        parts += [rich_table(_readable_until(found, shown), title=title, digits=DIGITS), ""]
    for i in range(shown.paths):
        digits = {result.label: 1 for result in found.systems}
        title = f"Rating of a player whose true rating is {found.watch[i]:g} at the start"
        parts += [title, "", rich_table(_path(found, i), digits=digits), ""]
    return [*parts, f"{found.summary()}. In spec: within {found.parameters['tolerance']:g} points."]


def rows(found: Simulation, shown: Shown) -> pl.DataFrame:
    """Return what CSV has: games until in spec where they were asked for, else every round."""
    if shown.until:
        return _until(found, shown)
    if shown.paths:
        return _paths(found, shown)
    return found.table()


def document(found: Simulation, shown: Shown) -> dict[str, object]:
    """Return everything; `out_of_spec` at the top is the first system's."""
    systems = [_system(found, result, shown) for result in found.systems]
    return {
        "summary": found.summary(),
        "settings": dict(found.parameters),
        "seed": found.parameters["seed"],
        "out_of_spec": _numbers(found.systems[0], "out_of_spec"),
        "players": _numbers(found.systems[0], "players"),
        "systems": systems,
    }


def _title(result: SystemResult) -> str:
    return f"Out of spec: {result.label}"


def _numbers(result: SystemResult, what: str) -> list[float | int]:
    """Return whole numbers of one run, means of several."""
    if len(result.courses) == 1:
        return [int(value) for value in getattr(result.courses[0], what)]
    return [float(value) for value in result.mean(what)]


def _system(found: Simulation, result: SystemResult, shown: Shown) -> dict[str, object]:
    import polars as pl

    mine = pl.col("system") == result.label
    until = _until(found, shown).filter(mine).drop("system").to_dicts() if shown.until else []
    paths = [
        {
            "true": found.watch[i],
            "rating": result.courses[0].paths[:, i].tolist(),
            "true_by_round": result.courses[0].truths[:, i].tolist(),
            "until": int(result.courses[0].until[i]) or None,
        }
        for i in range(shown.paths)
    ]
    several = len(result.courses) > 1
    return {
        "system": result.system,
        "label": result.label,
        "parameters": dict(result.parameters),
        "out_of_spec": _numbers(result, "out_of_spec"),
        "out_of_spec_spread": result.spread("out_of_spec").tolist() if several else None,
        "mean_error": result.mean("mean_error").tolist(),
        "rms_error": result.mean("rms_error").tolist(),
        "runs": [
            {
                "seed": course.seed,
                "first": int(course.out_of_spec[0]),
                "last": int(course.out_of_spec[-1]),
                "mean_error": float(course.mean_error[-1]),
                "rms_error": float(course.rms_error[-1]),
            }
            for course in result.courses
        ],
        "until": until,
        "paths": paths,
    }


def _course(found: Simulation, result: SystemResult) -> pl.DataFrame:
    import polars as pl

    table = found.table().filter(pl.col("system") == result.label)
    step = max(1, round((table.height - 1) / STEPS))
    some = pl.col("round") % step == 0
    table = table.filter(some | (pl.col("round") == table["round"][-1]))
    table = table.select(
        "round",
        "players",
        pl.col("out_of_spec").alias("out of spec"),
        pl.col("spread").alias("±"),
        (100 * pl.col("share")).alias("per cent"),
        pl.col("mean_error").alias("mean error"),
        pl.col("rms_error").alias("RMS error"),
    )
    return table if found.runs > 1 else table.drop("±")


def _until(found: Simulation, shown: Shown) -> pl.DataFrame:
    return found.until(since=shown.paths)


def _readable_until(found: Simulation, shown: Shown) -> pl.DataFrame:
    table = _until(found, shown)
    return table if len(found.systems) > 1 else table.drop("system")


def _paths(found: Simulation, shown: Shown) -> pl.DataFrame:
    import polars as pl

    return pl.concat(
        found.path(i).with_columns(pl.lit(found.watch[i]).alias("player")) for i in range(shown.paths)
    )


def _path(found: Simulation, player: int) -> pl.DataFrame:
    import polars as pl

    whole = found.path(player)
    step = max(1, round((int(found.parameters["rounds"])) / STEPS))  # type: ignore[call-overload]
    last = int(found.parameters["rounds"])  # type: ignore[call-overload]
    some = whole.filter((pl.col("round") % step == 0) | (pl.col("round") == last))
    return some.pivot("system", index="round", values="rating")
