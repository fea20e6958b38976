"""`arpad pool`, `distribution` and `scales`."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional, cast

import typer

from arpad.cli.options import (
    ColumnsOption,
    DateOrder,
    DatesOption,
    InputFormatOption,
    SheetOption,
    Source,
    read_files,
    reads_games,
)
from arpad.cli.output import Emission, details, emit_result, emits, explain_report, say, table_of
from arpad.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.pool.distribution import Distribution
    from arpad.pool.scales import ScaleData, ScaleFit
    from arpad.read.formats import FormatName
    from arpad.read.source import Report


# `arpad pool`: everybody's rating at once, from results alone.

NAMED = 5
SHOWN_CYCLES = 10


def add_pool(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(pool)


@reads_games
@emits
def pool(
    source: Source,
    method: Annotated[str, typer.Option(help="exact, or approximations (by hand, as Elo did).")] = "exact",
    curve: Annotated[str, typer.Option(help="For exact: logistic or normal.")] = "logistic",
    average: Annotated[
        float | None, typer.Option(help="Mean of each group; else that of the ratings in the file, or 1500.")
    ] = None,
    anchor: Annotated[
        list[str] | None, typer.Option(help="A player at a given rating, NAME=RATING; repeatable.")
    ] = None,
    white_advantage: Annotated[str, typer.Option(help="White's, in points, or fit.")] = "0",
    draw_rate: Annotated[
        str, typer.Option(help="Share of draws, which makes errors smaller: observed, or 0 to 1.")
    ] = "observed",
    prior: Annotated[
        float,
        typer.Option(help="Drawn games against an average opponent: joins everybody into one group.", min=0),
    ] = 0.0,
    cycles: Annotated[
        int, typer.Option(help="For approximations; up to ten are shown one by one.", min=1)
    ] = 100,
    top: Annotated[int | None, typer.Option(help="Show only so many players.", min=1)] = None,
) -> Emission:
    """Find the ratings that explain all results at once.

    arpad pool season.pgn

    arpad pool games.parquet --white-advantage fit --anchor "Carlsen,M=2850"

    arpad pool games.csv --method approximations --cycles 5 --average 500
    """
    from arpad.rate.pool import PoolSystem
    from arpad.scale import curve as curve_called

    if method not in ("exact", "approximations"):
        raise UsageError(f"--method: expected exact or approximations, found {method!r}")
    if method == "approximations" and curve != "logistic":
        raise UsageError("--curve: successive approximations look differences up in table 2.11")
    chosen = cast("Literal['exact', 'approximations']", method)
    system = PoolSystem(
        method=chosen,
        curve=curve_called(curve),
        average=average,
        anchors=_anchors(anchor or []),
        advantage=_advantage(white_advantage),
        draw_rate=_draw_rate(draw_rate),
        prior=prior,
        cycles=cycles,
    )
    reading = source.read()
    system.check_anchors(reading.games)
    solved = system.solve(reading.games)
    source.tell(reading)
    ratings, groups = solved.ratings, solved.groups
    alone = ratings.rows.filter(ratings.rows["rating"].is_null())
    if alone.height:
        some = ", ".join(f"{p} ({n})" for p, n in alone.select("player", "note").head(NAMED).iter_rows())
        say(
            f"{alone.height:,} players have no finite rating: {some}{', …' if alone.height > NAMED else ''}; "
            + ("--prior 1 joins them" if method == "exact" else "--method exact --prior 1 joins them")
        )

    def parts() -> list[object]:
        shown = ratings.table(top)
        rest = ratings.rows.height - shown.height
        several = table_of(groups.head(10), title="Groups that can be compared within, not with each other")
        return [
            table_of(shown),
            *([f"… and {rest:,} more"] if rest else []),
            "",
            *([several, ""] if groups.height > 1 else []),
            *(_by_cycle(solved.cycles) if solved.cycles is not None and cycles <= SHOWN_CYCLES else []),
            ratings.summary(),
            *details(ratings),
        ]

    return partial(
        emit_result,
        ratings,
        parts=parts,
        rows=lambda: ratings.table(top),
        document=lambda: solved.to_dict(top),
        reading=reading,
    )


def _by_cycle(cycles: pl.DataFrame) -> list[object]:
    digits = dict.fromkeys(cycles.columns[1:], 0)
    return [table_of(cycles, title="Cycle by cycle", digits=digits), ""]


def _anchors(texts: list[str]) -> dict[str, float]:
    anchors: dict[str, float] = {}
    for text in texts:
        name, _, rating = text.rpartition("=")
        try:
            anchors[name.strip()] = float(rating)
        except ValueError:
            raise UsageError(f"--anchor: expected NAME=RATING, found {text!r}") from None
    return anchors


def _advantage(text: str) -> float | None:
    if text == "fit":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--white-advantage: expected points or fit, found {text!r}") from None


def _draw_rate(text: str) -> float | None:
    if text == "observed":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--draw-rate: expected a share or observed, found {text!r}") from None


# `arpad distribution`: how the ratings of a pool are distributed.

DIGITS = {
    "low": 0,
    "high": 0,
    "percent": 2,
    "cumulative": 2,
    "normal": 1,
    "maxwell": 1,
    "χ²": 2,
    "largest difference": 4,
}


def add_distribution(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(distribution)


@emits
def distribution(
    file: Annotated[
        str,
        typer.Argument(
            help="A rating list (FIDE's, arpad's, CSV with player and rating), or games with ratings.",
            metavar="LIST-OR-GAMES",
        ),
    ],
    interval: Annotated[float, typer.Option("--width", help="Rating points an interval.", min=1)] = 100.0,
    least: Annotated[float, typer.Option(help="Expected players an interval must have for χ².", min=0)] = 5.0,
    zero: Annotated[
        float | None, typer.Option(help="Zero point of the Maxwell–Boltzmann shape; fitted if not given.")
    ] = None,
    floor: Annotated[
        float | None,
        typer.Option(help="The rating at which the list begins: fit the part of each shape above it."),
    ] = None,
    column: Annotated[str | None, typer.Option(help="Take the numbers of this column of a CSV file.")] = None,
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg.")] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="Draw on probability paper, where a fit is a straight line.")
    ] = False,
    columns: ColumnsOption = None,
    dates: DatesOption = None,
    sheet: SheetOption = None,
    input_format: InputFormatOption = None,
) -> Emission:
    """Describe the ratings of a pool, with a normal and a Maxwell–Boltzmann fit.

    arpad distribution APR04FRL.TXT --chart pool.png

    arpad distribution season.pgn --width 50
    """
    from arpad.pool.distribution import distribution as describe

    ratings, source = _ratings(file, column, columns, input_format, dates=dates, sheet=sheet)
    found = describe(ratings, width=interval, least=least, zero=zero, floor=floor)
    spread = "" if found.sd is None else f", standard deviation {found.sd:.0f}"
    return partial(
        emit_result,
        found,
        parts=lambda: _people(found),
        document=lambda: {
            "summary": found.summary(),
            "input": {"file": file, "source": source},
            **found.to_dict(),
        },
        chart=chart,
        paper=paper,
        title=f"Distribution of ratings: {Path(file).name}",
        subtitle=f"{found.players:,.0f} players, mean {found.mean:.0f}{spread}",
    )


def _ratings(
    file: str,
    column: str | None,
    columns: str | None,
    input_format: FormatName | None,
    *,
    dates: DateOrder | None,
    sheet: str | None,
) -> tuple[NDArray[np.float64], str]:
    """Read one column, or a list if the file is one, else games."""
    import numpy as np

    from arpad.errors import FormatError
    from arpad.pool.check import from_games, from_list
    from arpad.read.fields import read_numbers
    from arpad.read.reading import read_list
    from arpad.read.source import Report

    if column is not None:
        return np.array(read_numbers(file, column)), "column"
    # Standard input can be read once only, so that it is taken for games.
    if columns is None and input_format in (None, "fide") and file != "-":
        report = Report()
        try:
            listed = read_list(file, report=report)
        except FormatError:
            if input_format == "fide":
                raise
        else:
            explain_report(report)
            return from_list(listed), "list"
    reading = read_files([file], columns=columns, dates=dates, sheet=sheet, format=input_format, strict=False)
    explain_report(reading.report)
    return from_games(reading.games), "games"


def _people(found: Distribution) -> list[object]:
    def table(frame: pl.DataFrame, title: str) -> object:
        return table_of(frame, DIGITS, title)

    skew = (
        ""
        if found.skewness is None
        else f" Skewness {found.skewness:.2f}; a normal distribution has 0, Maxwell–Boltzmann .49."
    )
    parts: list[object] = [f"{found.summary()}.{skew}", "", table(found.table(), "Histogram"), ""]
    if not found.fits:
        return parts
    return [
        *parts,
        table(_fits(found), "Fits"),
        "",
        *_constants(found),
        "p is the book's, with j − 1 degrees of freedom; p, fitted takes off one for every constant taken from the data. "
        "Kolmogorov–Smirnov's p is too large for fitted shapes."
        + ("" if found.parameters.get("floor") else " If the list begins at a rating, give it as --floor."),
    ]


def _constants(found: Distribution) -> list[str]:
    def words(parameters: dict[str, float]) -> str:
        return ", ".join(
            f"{name} {value:.1%}" if name == "listed" else f"{name} {value:.1f}"
            for name, value in parameters.items()
        )

    return [f"{fit.shape.name}: {words(fit.shape.parameters())}" for fit in found.fits]


def _fits(found: Distribution) -> pl.DataFrame:
    import polars as pl

    from arpad.pool.significance import p_text

    return pl.DataFrame(
        [
            {
                "shape": fit.shape.name,
                "χ²": fit.chi_square.statistic,
                "intervals": fit.chi_square.intervals,
                "p": p_text(fit.chi_square.p),
                "p, fitted": p_text(fit.chi_square.p_fitted),
                "largest difference": fit.kolmogorov_smirnov.difference,
                "at": f"{fit.kolmogorov_smirnov.at:.0f}",
                "KS p": p_text(fit.kolmogorov_smirnov.p),
            }
            for fit in found.fits
        ]
    )


# `arpad scales`: convert one list's ratings into another's, or rate by age, by a fit to data.

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
Number = Optional[float]  # noqa: UP045
STEPS = {"rating": 50.0, "age": 1.0}
"""Distance of the table's lines: points, years."""
MOST_LINES = 500
HALF_YEAR = 0.5
"""A player said to be 12 is read at 12½, the middle of that year [USCF 1994, B]."""
PEOPLE_DIGITS = {"value": 0, "error": 1, "low": 0, "high": 0, "difference": 0, "rating": 0}


def add_scales(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(scales)


@emits
def scales(
    lists: Annotated[
        list[str],
        typer.Argument(
            help="Two rating lists, from the first to the second; or one, with --on age.", metavar="LISTS"
        ),
    ],
    on: Annotated[Text, typer.Option(help="Of one list: age, or age,games. Needs a column birth.")] = None,
    at: Annotated[
        Text, typer.Option(help="Ratings or ages to convert: 2250,2400. [a table of round ones]")
    ] = None,
    at_games: Annotated[float, typer.Option(help="Games at which age,games is read.")] = 6,
    day: Annotated[
        Text, typer.Option("--date", help="Day on which ages are taken. [that of the list]")
    ] = None,
    span: Annotated[float, typer.Option(help="Share of players in each local fit.")] = 0.75,
    confidence: Annotated[float, typer.Option(help="Of the interval for the curve.")] = 0.95,
    least: Annotated[Number, typer.Option(help="Lowest rating on the first list.")] = None,
    least_games: Annotated[
        Text, typer.Option(help="Games on the first list, or on both: 10 or 10,20.")
    ] = None,
    step: Annotated[Number, typer.Option(help="Distance of the table's lines. [50 points or 1 year]")] = None,
    chart: Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")] = None,
) -> Emission:
    """Fit how one rating follows from another, or from age, by robust loess [USCF 1994, A and B].

    arpad scales fide.csv uscf.csv --least 2200 --least-games 10 --chart scales.png

    arpad scales provisional.csv --on age,games --at-games 6 --date 1993-12-31
    """
    from arpad.pool.scales import fit_scale

    ways, fewest = _ways(on, lists), _games(least_games, len(lists))
    data = _data(lists, ways, day, least, fewest)
    found = fit_scale(data.points, on=ways, span=span, confidence=confidence)
    table = _table(found, at, at_games, step)
    counts = ", ".join(f"{n:,} {word.replace('_', ' ')}" for word, n in data.counts.items())

    def parts() -> list[object]:
        digits = PEOPLE_DIGITS | {"age": 0 if at is None else 1, "games": 0}
        return [
            table_of(table, digits),
            "",
            f"{found.summary()}.",
            f"Players: {counts}. Nothing is said beyond the data; error, low and high are of the curve ({confidence:.0%}).",
        ]

    names = [Path(each).name for each in lists]
    return partial(
        emit_result,
        found,
        parts=parts,
        rows=lambda: table,
        document=lambda: {
            "summary": found.summary(),
            "on": list(found.on),
            "parameters": {**found.parameters, **data.parameters},
            "lists": lists,
            "counts": dict(data.counts),
            "players": found.n,
            "available": found.available,
            "spread": found.spread,
            "reach": {name: list(found.reach(name)) for name in found.on},
            "table": table.to_dicts(),
        },
        chart=chart,
        axes=(f"rating on {names[0]}", f"rating on {names[1]}")
        if len(names) == 2
        else ("age", f"rating on {names[0]}"),
        at_games=at_games,
    )


def _ways(on: str | None, lists: list[str]) -> tuple[str, ...]:
    if on is None:
        if len(lists) != 2:
            raise UsageError(f"expected two rating lists, or one with --on age; found {len(lists)}")
        return ("rating",)
    ways = tuple(part.strip() for part in on.split(","))
    if ways not in (("age",), ("age", "games")):
        raise UsageError(f"--on: expected age or age,games; found {on!r}")
    if len(lists) != 1:
        raise UsageError(f"--on {on}: expected one rating list, found {len(lists)}")
    return ways


def _games(text: str | None, most: int) -> tuple[int, ...]:
    parts = (text or "0").split(",")
    if len(parts) > most or not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--least-games: expected {' or '.join(['10', '10,20'][:most])}, found {text!r}")
    return tuple(int(part) for part in parts) + (0,) * (2 - len(parts))


def _data(
    lists: list[str], ways: tuple[str, ...], day: str | None, least: float | None, fewest: tuple[int, ...]
) -> ScaleData:
    from arpad.pool.scales import aged, common
    from arpad.read.source import Report

    report = Report()
    read = [_read(path, report) for path in lists]
    explain_report(report)
    if ways == ("rating",):
        if day is not None:
            raise UsageError("--date: expected only with --on age: two lists need none")
        return common(*read, least=least, least_games=(fewest[0], fewest[1]))
    return aged(read[0], _day(day, read[0]), with_games="games" in ways, least=least, least_games=fewest[0])


def _read(path: str, report: Report) -> Ratings:
    from arpad.read.reading import read_list

    return read_list(path, report=report)


def _day(text: str | None, ratings: Ratings) -> date:
    from datetime import date

    from arpad.pool.rating_lists import dated

    if text is None:
        found = dated(ratings).date
        if found is None:
            raise UsageError("expected --date YYYY-MM-DD, the day on which ages are taken: the list has none")
        return found
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--date: expected a day such as 1993-12-31, found {text!r}") from None


def _table(found: ScaleFit, at: str | None, at_games: float, step: float | None) -> pl.DataFrame:
    """Return the conversions, at round places unless some are asked for."""
    import polars as pl

    name = found.on[0]
    shift = HALF_YEAR if name == "age" and at is None else 0.0
    places = _asked(at) if at is not None else _round(found, name, shift, step)
    more = [at_games] if "games" in found.on else []
    if not places:
        low, high = found.reach(name)
        raise UsageError(
            f"expected round {name}s from {low:g} to {high:g}, found none: give a smaller --step, or --at"
        )
    table = found.table([[place + shift, *more] for place in places])
    if name == "age":
        return table.with_columns(pl.Series("age", places, dtype=pl.Float64))
    gap = (pl.col("value") - pl.col("rating")).alias("difference")
    return table.with_columns(gap).select("rating", "value", "difference", "error", "low", "high", "near")


def _asked(text: str) -> list[float]:
    try:
        places = [float(part) for part in text.split(",")]
    except ValueError:
        places = []
    if not places or not all(math.isfinite(place) for place in places):
        raise UsageError(f"--at: expected numbers with commas, found {text!r}")
    return places


def _round(found: ScaleFit, name: str, shift: float, step: float | None) -> list[float]:
    apart = STEPS[name] if step is None else step
    low, high = (bound - shift for bound in found.reach(name))
    if not (math.isfinite(apart) and apart > 0 and (high - low) / apart <= MOST_LINES):
        raise UsageError(
            f"--step: expected a distance above 0 that makes {MOST_LINES} lines at most, found {apart:g}"
        )
    first, last = math.ceil(low / apart), math.floor(high / apart)
    return [apart * i for i in range(first, last + 1)]
