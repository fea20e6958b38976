"""The lab: systems side by side, and simulated worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

import polars as pl
import sqlalchemy as sa
from fastapi import Depends, HTTPException, Query

from arpad.errors import UsageError
from arpad.lab.entrants import PUBLISHED, entrant
from arpad.lab.pairing import pairing as pairing_called
from arpad.lab.predict import Prediction, PredictionRow, predict
from arpad.lab.season import RunStart, Season
from arpad.lab.worlds import NormalPopulation, world_curve
from arpad.lab.worlds import World as worlds_World
from arpad.ledger.db import tables
from arpad.ledger.queries.pool import lab_games
from arpad.model import plain_value
from arpad.rate.registry import SYSTEMS as ALL_SYSTEMS
from arpad.rate.registry import system
from arpad.web.jobs import records
from arpad.web.page import ChartLink, PageModel, Pages, ReaderContext, Rows, drawn, long_work, row_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy.engine import Connection

    from arpad.lab.simulate import Simulation
    from arpad.ledger.queries.pool import LabGames
    from arpad.web.page import RequestContext


class SampleView(PageModel):
    """Games of the comparison."""

    games: int
    there: int  # games of the ledger that could have been
    players: int
    sampled: bool
    first: date | None
    last: date | None


class LabWork(PageModel):
    """A comparison that is worked out in the background: how far it is, and what there is of it."""

    systems: int
    least: str
    given: bool
    found: bool  # whether there is a result …
    fresh: bool  # … and whether the ledger stands as it stood then
    finished: datetime | None
    job: int | None  # the last job that is not done
    state: str | None = None
    is_open: bool = False
    done: int = 0
    total: int | None = None
    says: str | None = None


class LabPage(PageModel):
    """Systems side by side on the ledger's own games."""

    sample: SampleView
    none: str = ""  # why nothing could be compared
    work: LabWork | None = None  # where it takes too long to wait for
    least: Rows = ()  # choices of forms: `value`, `text` and whether it is `chosen`
    given: Rows = ()
    field: Rows = ()
    shown: Rows = ()  # systems whose calibration curve can be shown
    system: str = ""  # the one that is
    reference: str | None = None
    least_games: int = 0
    validation_from: date | None = None
    test_from: date | None = None
    validation: int = 0
    tested: int = 0
    scored: int = 0
    blocks: int = 0
    draws: int = 0
    rows: Rows = ()  # predictions of each system on the test games
    left: Rows = ()  # systems that could not be compared
    bins: Rows = ()  # games in which about so much was expected of White
    notes: Sequence[str] = ()
    chart: ChartLink | None = None
    calibration: ChartLink | None = None


class WorldsPage(PageModel):
    """Systems in a world where the truth is known."""

    summary: str
    players: int
    rounds: int
    runs: int
    seed: int
    tolerance: float
    period: int
    start: Rows
    world: Rows
    drift: Rows
    pairing: Rows
    after: Sequence[int]
    rows: Rows  # of each system, its errors after a number of rounds
    chart: ChartLink
    path: ChartLink
    watched: Sequence[float]


KIND = "compare"  # what the job is called


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptComparison:
    """The last job and the last result of a comparison in the ledger."""

    job: records.QueuedJob | None
    """The last one that is not done: it waits, runs, failed or was stopped after the result."""
    done: records.QueuedJob | None
    found: dict[str, Any] | None  # as `document_of` has it
    sample: SampleView | None  # the games that the result is of
    fresh: bool  # whether the ledger stands as it stood then


def arguments_of(least: str, *, given: bool) -> dict[str, Any]:
    """Return by what a comparison is found again."""
    return {"least": least, "given": given}


def about(sample: LabGames) -> SampleView:
    """Return what a page says of the games."""
    days: Any = sample.games.table["date"]
    return SampleView(
        games=len(sample.games),
        there=sample.there,
        players=sample.players,
        sampled=sample.sampled,
        first=days.min(),
        last=days.max(),
    )


def mark(stamp: tuple[Any, ...]) -> str:
    """Return the ledger's stamp as a word that changes whenever the ledger does."""
    return sha256(repr(stamp).encode()).hexdigest()[:32]


def document_of(found: Prediction) -> dict[str, Any]:
    """Return all that the page shows of a comparison, with its charts, as plain values: a job keeps them."""
    from arpad.publish.charts.lab import calibration_curve_chart, systems_side_by_side

    scored = [each for each in found.standings if each.own is not None]
    names = [each.system for each in scored]
    return plain_value(  # type: ignore[no-any-return]
        {
            "figures": {
                **row_of(found, "reference", "least_games", "draws"),
                **row_of(found.counts, "validation", "scored", "blocks", tested=found.counts.test),
                **row_of(found.windows, "validation_from", "test_from"),
                "rows": [_comparing_row(each, sure=found.counts.blocks > 1) for each in scored],
                "left": [row_of(e, "system", "reason") for e in found.standings if e.reason],
                "notes": [note for note in found.notes if "--" not in note],
            },
            "summary": found.summary(),
            "bins": {
                name: found.curves.filter(pl.col("system") == name).rename({"n": "games"}) for name in names
            },
            "chart": None if found.reference is None else drawn(systems_side_by_side(found)),
            "calibration": {name: drawn(calibration_curve_chart(found, name)) for name in names},
        }
    )


def kept_comparison(
    connection: Connection, least: str, *, given: bool, stamp: tuple[Any, ...]
) -> KeptComparison:
    """Return what the ledger has of a comparison."""
    done = _last(connection, least, given=given, states=("done",))
    job = _last(connection, least, given=given, states=(*records.OPEN, "failed", "stopped"))
    if job is not None and done is not None and job.id < done.id:
        job = None
    document = ((done.result or {}) if done else {}).get("document") or {}
    if "figures" not in document:  # an earlier version kept something else
        return KeptComparison(job=job, done=None, found=None, sample=None, fresh=False)
    return KeptComparison(
        job=job,
        done=done,
        found=document,
        sample=SampleView(**document["sample"]),
        fresh=document["stamp"] == mark(stamp),
    )


def forget_older(connection: Connection, number: int, arguments: Mapping[str, Any]) -> None:
    """Drop what earlier jobs of the same comparison found: it is long, and nobody will look at it again."""
    t = tables.jobs
    connection.execute(
        sa.update(t)
        .where(t.c.kind == KIND, t.c.state == "done", t.c.id < number, t.c.arguments == dict(arguments))
        .values(result={"figures": {}, "links": []})
    )


def _last(
    connection: Connection, least: str, *, given: bool, states: tuple[str, ...]
) -> records.QueuedJob | None:
    t = tables.jobs.c
    wanted = [t.kind == KIND, t.state.in_(states), t.arguments == arguments_of(least, given=given)]
    number = connection.execute(sa.select(sa.func.max(t.id)).where(*wanted)).scalar()
    return None if number is None else records.job_numbered(connection, number)


LeastGames = Literal["", "0", "5", "10", "20", "30"]
FieldName = Literal["usual", "all"]
USUAL = ("elo", "fide", "glicko2", "stephenson", "uscf1994", "pra", "whr", "arpad", PUBLISHED)
"""Systems of the usual comparison: a comparison of all takes four times as long."""
ALL = (*ALL_SYSTEMS, PUBLISHED)
LEAST = {"0": "none", "5": "5", "10": "10", "20": "20", "30": "30"}
MANY, FEW_LEAST, MANY_LEAST = 5000, "5", "20"
"""From this many games on only those between players with 20 earlier ones are scored: below, most systems guess."""
DRAWS = 500


def least_of(sample: LabGames, least: LeastGames) -> str:
    """Return the least number of earlier games: the chosen one, else one that suits the size of the ledger."""
    return least or (MANY_LEAST if len(sample.games) >= MANY else FEW_LEAST)


def is_long(sample: LabGames, field: FieldName) -> bool:
    """Say whether nobody would wait for it: all systems, and many games."""
    return field == "all" and len(sample.games) >= MANY


def compare_on(
    sample: LabGames, least: str, *, given: bool, field: FieldName, watch: Callable[[str], None] | None = None
) -> Prediction:
    """Let every system of a field walk through the games; a UsageError says that there is too little.; `watch` is told the label of each system when it has walked."""
    names = USUAL if field == "usual" else ALL
    return predict(
        sample.games,
        [entrant(name, given=given) for name in names],
        test_from=None if len(sample.games) >= MANY else _half(sample),
        least_games=int(least),
        draws=DRAWS,
        watch=watch,
    )


def _half(sample: LabGames) -> date | None:
    """Return the month by which half of the games are played: the last fifth of a small ledger is a handful."""
    days = sample.games.table["date"]
    return None if not days.len() else days.sort()[days.len() // 2].replace(day=1)


FIELDS = {"usual": "the usual ones", "all": f"all {len(ALL)} (takes longer)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """Result of a comparison; None with a reason if there is none, or none yet."""

    least: str
    sample: SampleView
    found: dict[str, Any] | None
    none: str = ""
    kept: KeptComparison | None = None  # what the background has of it, where that is where it is worked out


def sample_of(ctx: RequestContext) -> LabGames:
    """Return the games that are walked through."""
    return ctx.cached(("lab", "games"), lambda: lab_games(ctx.connection))


def compared(ctx: RequestContext, least: LeastGames, *, given: bool, field: FieldName) -> SystemComparison:
    """Return the comparison, cached until the ledger changes.

    Long work is not begun here: what the background has of it is looked up.
    """
    sample = sample_of(ctx)
    chosen = least_of(sample, least)
    if is_long(sample, field):
        kept = kept_comparison(ctx.connection, chosen, given=given, stamp=ctx.version)
        return SystemComparison(
            least=chosen, sample=kept.sample or about(sample), found=kept.found, kept=kept
        )

    def make() -> SystemComparison:
        try:
            result = long_work(partial(_compared, given=given, field=field), sample, chosen)
        except UsageError:
            none = _none(sample, chosen)
            return SystemComparison(least=chosen, sample=about(sample), found=None, none=none)
        return SystemComparison(least=chosen, sample=about(sample), found=result)

    return ctx.cached(("lab", "compared", chosen, given, field), make)


def _compared(sample: LabGames, least: str, *, given: bool, field: FieldName) -> dict[str, Any]:
    return document_of(compare_on(sample, least, given=given, field=field))


def _none(sample: LabGames, least: str) -> str:
    if not len(sample.games):
        return "Systems are compared on games that have a date, and there is none in this ledger yet. Upload an event, or run arpad import FILES."
    return (
        f"There are too few games to predict. A comparison needs games of several months, and in the last of them games between players "
        f"with {least} or more earlier games. Choose fewer earlier games."
    )


def lab_page(
    ctx: RequestContext, least: LeastGames, *, given: bool, field: FieldName, system: str
) -> LabPage:
    """Return the page."""
    whole = compared(ctx, least, given=given, field=field)
    said: dict[str, Any] = {
        "sample": whole.sample,
        "least": _choices(LEAST, whole.least),
        "given": _choices({"true": "the ratings in the files", "false": "all alike"}, str(given).lower()),
        "field": _choices(FIELDS, field),
        "work": None if whole.kept is None else _work(whole.kept, whole.least, given=given),
    }
    result = whole.found
    if result is None:
        return LabPage(none=whole.none, **said)
    names = list(result["bins"])
    shown = system if system in names else next(iter(names), "")
    query = urlencode({"least": whole.least, "given": str(given).lower(), "field": field})
    systems = ChartLink(
        title=f"Log loss more than {result['figures']['reference']}",
        href=f"/charts/lab/systems?{query}",
        says=f"A dot and an interval for each system, best first. {result['summary']}",
    )
    calibration = ChartLink(
        title=f"Calibration of {shown}: actual scores by expected score",
        href=f"/charts/lab/calibration?{query}&{urlencode({'system': shown})}",
        says="Mean score by expected score, with 95 % intervals; a perfect system lies on the diagonal.",
    )
    return LabPage(
        **said,
        **result["figures"],
        shown=_choices({name: name for name in names}, shown),
        system=shown,
        bins=result["bins"].get(shown, ()),
        chart=systems if result["chart"] else None,
        calibration=calibration if shown else None,
    )


def _work(kept: KeptComparison, least: str, *, given: bool) -> LabWork:
    job = kept.job
    return LabWork.of(
        job or {},
        systems=len(ALL),
        least=least,
        given=given,
        found=kept.found is not None,
        fresh=kept.fresh,
        finished=kept.done.finished if kept.done else None,
        job=job.id if job else None,
    )


def _choices(of: dict[str, str], chosen: str) -> Rows:
    return [{"value": v, "text": text, "chosen": v == chosen} for v, text in of.items()]


def _comparing_row(each: PredictionRow, *, sure: bool) -> dict[str, Any]:
    """Return how well a system predicts; `low` and `high` are None where all games are of one event."""
    own, gap, fit = each.own, each.gap, each.fit
    assert own is not None
    return row_of(
        own,
        system=each.system,
        games=own.n,
        recalibrated=None if each.recalibrated is None else each.recalibrated.log_loss,
        difference=None if gap is None else gap.difference,
        low=gap.low if gap and sure else None,
        high=gap.high if gap and sure else None,
        calibration_error=each.calibration_error,
        white_advantage=None if fit is None else fit.white_advantage,
    )


StartName = Literal["mean", "high", "low", "true"]
WorldName = Literal["logistic", "normal", "linear"]
Drift = Literal["0", "5", "15"]
PairingName = Literal["random", "strength"]
PLAYERS, ROUNDS, RUNS, PERIOD, SEED = 300, 100, 3, 10, 1903  # small enough to be played while somebody waits
KEPT = 24  # worlds in the cache
WATCHED = (1200.0, 1500.0, 1800.0, 2100.0)  # true ratings of players whose way can be followed
AFTER = (0, 10, 25, 50, ROUNDS)  # rounds whose figures the table has
SYSTEMS = {
    "elo, K 10": ("elo", {"k": 10}),
    "elo, K 32": ("elo", {"k": 32}),
    "glicko2": ("glicko2", {}),
    "pra": ("pra", {}),
}
WORDS = {
    "start": {
        "mean": "everybody at the mean",
        "high": "everybody 200 too high",
        "low": "everybody 200 too low",
        "true": "everybody right",
    },
    "world": {"logistic": "the logistic curve", "normal": "the normal curve", "linear": "a straight line"},
    "drift": {
        "0": "stay as they are",
        "5": "change a little (5 points a round)",
        "15": "change a lot (15 points a round)",
    },
    "pairing": {"random": "at random", "strength": "against neighbours"},
}


@lru_cache(maxsize=KEPT)
def simulated(start: StartName, world: WorldName, drift: Drift, pairing: PairingName) -> Simulation:
    """Return a simulation: played once, as it has nothing to do with the ledger."""
    return long_work(_simulate, start, world, drift, pairing)


def _simulate(start: StartName, world: WorldName, drift: Drift, pairing: PairingName) -> Simulation:
    from arpad.lab.simulate import simulate  # loads Numba

    season = Season(
        players=PLAYERS,
        rounds=ROUNDS,
        seed=SEED,
        population=NormalPopulation(),
        watch=WATCHED,
        start=RunStart(kind=start),
        pairing=pairing_called(pairing),
        world=worlds_World(curve=world_curve(world), drift=float(drift)),
    )
    entrants = {label: system(name, **options) for label, (name, options) in SYSTEMS.items()}
    return simulate(season, entrants, runs=RUNS, period=PERIOD)


def worlds_page(start: StartName, world: WorldName, drift: Drift, pairing: PairingName) -> WorldsPage:
    """Return the page."""
    result = simulated(start, world, drift, pairing)
    asked_for = {"start": start, "world": world, "drift": drift, "pairing": pairing}
    query = urlencode(asked_for)
    rows = result.table().filter(pl.col("round").is_in(AFTER))
    chosen = {name: _choices(words, asked_for[name]) for name, words in WORDS.items()}
    return WorldsPage(
        summary=result.summary(),
        players=PLAYERS,
        rounds=ROUNDS,
        runs=RUNS,
        seed=SEED,
        tolerance=float(str(result.parameters["tolerance"])),
        period=PERIOD,
        **chosen,
        after=AFTER,
        rows=[
            {"system": label, "after": rows_of(rows.filter(pl.col("system") == label))} for label in SYSTEMS
        ],
        chart=ChartLink(
            title="Players whose rating is 100 points or more from the truth",
            href=f"/charts/lab/world?{query}",
            says=f"Players out of spec after every round, a line for each system. {result.summary()}",
        ),
        path=ChartLink(
            title=f"Ratings of a player whose true rating is {WATCHED[-1]:.0f}, in the first run",
            href=f"/charts/lab/path?{query}",
            says="The rating by each system after every round, beside the true strength and a band of 100 points around it.",
        ),
        watched=WATCHED,
    )


pages = Pages("lab")
router = pages.router
Least = Annotated[LeastGames, Query()]
"""Earlier games that both players must have; nothing: as many as the ledger allows."""
Given = Annotated[bool, Query()]
FieldChosen = Annotated[FieldName, Query()]
System = Annotated[str, Query(max_length=50)]
WorldChoice = tuple[StartName, WorldName, Drift, PairingName]
ROUTES_WATCHED = 3  # the strongest of the watched players


@pages.page("/lab", "lab.html")
def lab(
    ctx: ReaderContext,
    least: Least = "",
    given: Given = True,
    field: FieldChosen = "usual",
    system: System = "",
) -> LabPage:
    """Compare how well systems predict the ledger's own games."""
    return lab_page(ctx, least, given=given, field=field, system=system)


def _world(
    start: Annotated[StartName, Query()] = "mean",
    world: Annotated[WorldName, Query()] = "logistic",
    drift: Annotated[Drift, Query()] = "0",
    pairing: Annotated[PairingName, Query()] = "random",
) -> WorldChoice:
    return start, world, drift, pairing


World = Annotated[WorldChoice, Depends(_world)]


@pages.page("/lab/worlds", "lab_worlds.html")
def lab_worlds(ctx: ReaderContext, world: World) -> WorldsPage:  # noqa: ARG001 - asked: only who may read may play
    """Show how soon systems find the truth in a world where it is known."""
    return worlds_page(*world)


@pages.chart("/charts/lab/systems")
def systems_drawn(
    ctx: ReaderContext, least: Least = "", given: Given = True, field: FieldChosen = "usual"
) -> dict[str, Any]:
    """Return how far each system is from the best, as Vega-Lite."""
    result = compared(ctx, least, given=given, field=field).found
    if result is None or result["chart"] is None:
        raise HTTPException(404, "no system could be scored on these games")
    return result["chart"]  # type: ignore[no-any-return]


@pages.chart("/charts/lab/calibration")
def calibration_drawn(
    ctx: ReaderContext, system: System, least: Least = "", given: Given = True, field: FieldChosen = "usual"
) -> dict[str, Any]:
    """Return the calibration curve of a system, as Vega-Lite."""
    result = compared(ctx, least, given=given, field=field).found
    if result is None or system not in result["calibration"]:
        raise HTTPException(404, f"{system!r} was not scored on these games")
    return result["calibration"][system]  # type: ignore[no-any-return]


@pages.chart("/charts/lab/world")
def world_drawn(ctx: ReaderContext, world: World) -> dict[str, Any]:  # noqa: ARG001 - only who may read may play
    """Return how many are out of spec after every round, as Vega-Lite."""
    from arpad.publish.charts.lab import spec_chart

    return drawn(spec_chart(simulated(*world)))


@pages.chart("/charts/lab/path")
def path_drawn(ctx: ReaderContext, world: World) -> dict[str, Any]:  # noqa: ARG001 - only who may read may play
    """Return the way of one player, as Vega-Lite."""
    from arpad.publish.charts.lab import player_path

    return drawn(player_path(simulated(*world), ROUTES_WATCHED))
