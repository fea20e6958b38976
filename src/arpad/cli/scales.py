"""`arpad scales`: convert one list's ratings into another's, or rate by age, by a fit to data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, explain_report
from arpad.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from arpad.model import Ratings
    from arpad.pool.scale_data import ScaleData
    from arpad.pool.scales import ScaleFit
    from arpad.read.report import Report

__all__ = ["add_to"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
Number = Optional[float]  # noqa: UP045
STEPS = {"rating": 50.0, "age": 1.0}
"""Distance of the table's lines: points, years."""
MOST_LINES = 500
HALF_YEAR = 0.5
"""A player said to be 12 is read at 12½, the middle of that year [USCF 1994, B]."""
PEOPLE_DIGITS = {"value": 0, "error": 1, "low": 0, "high": 0, "difference": 0, "rating": 0}


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(scales)


def scales(
    lists: Annotated[
        list[str],
        typer.Argument(
            help="Two rating lists, from the first to the second; or one, with --on age.",
            metavar="LISTS",
        ),
    ],
    on: Annotated[
        Text, typer.Option(help="Of one list: age, or age,games. Needs a column birth.")
    ] = None,
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
    step: Annotated[
        Number, typer.Option(help="Distance of the table's lines. [50 points or 1 year]")
    ] = None,
    chart: Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Fit how one rating follows from another, or from age, by robust loess [USCF 1994, A and B].

    arpad scales fide.csv uscf.csv --least 2200 --least-games 10 --chart scales.png

    arpad scales provisional.csv --on age,games --at-games 6 --date 1993-12-31
    """
    from arpad.pool.scales import fit_scale

    ways, fewest = _ways(on, lists), _games(least_games, len(lists))
    data = _data(lists, ways, day, least, fewest)
    found = fit_scale(data.points, on=ways, span=span, confidence=confidence)
    table = _table(found, at, at_games, step)
    if chart is not None:
        _draw(found, chart, lists, at_games)
    counts = ", ".join(f"{n:,} {word.replace('_', ' ')}" for word, n in data.counts.items())

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        digits = PEOPLE_DIGITS | {"age": 0 if at is None else 1, "games": 0}
        return [
            rich_table(table, digits=digits),
            "",
            f"{found.summary()}.",
            f"Players: {counts}. Nothing is said beyond the data; error, low and high are of the curve ({confidence:.0%}).",
        ]

    emit(
        format,
        output,
        people=people,
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
        raise UsageError(f"--least-games: expected {' or '.join(['10', '10,20'][:most])}, found {text!r}")  # fmt: skip
    return tuple(int(part) for part in parts) + (0,) * (2 - len(parts))


def _data(
    lists: list[str], ways: tuple[str, ...], day: str | None, least: float | None, fewest: tuple[int, ...]
) -> ScaleData:  # fmt: skip
    from arpad.pool.scale_data import aged, common
    from arpad.read.report import Report

    report = Report()
    read = [_read(path, report) for path in lists]
    explain_report(report)
    if ways == ("rating",):
        if day is not None:
            raise UsageError("--date: expected only with --on age: two lists need none")
        return common(*read, least=least, least_games=(fewest[0], fewest[1]))
    return aged(
        read[0],
        _day(day, read[0]),
        with_games="games" in ways,
        least=least,
        least_games=fewest[0],
    )


def _read(path: str, report: Report) -> Ratings:
    from arpad.read import read_list

    return read_list(path, report=report)


def _day(text: str | None, ratings: Ratings) -> date:
    from datetime import date

    from arpad.pool.dated import dated

    if text is None:
        found = dated(ratings).date
        if found is None:
            raise UsageError(
                "expected --date YYYY-MM-DD, the day on which ages are taken: the list has none"
            )
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
    return table.with_columns(gap).select("rating", "value", "difference", "error", "low", "high", "near")  # fmt: skip


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


def _draw(found: ScaleFit, path: str, lists: list[str], at_games: float) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.scale_chart import scale_chart

    names = [Path(each).name for each in lists]
    axes = (f"rating on {names[0]}", f"rating on {names[1]}") if len(names) == 2 else ("age", f"rating on {names[0]}")  # fmt: skip
    save(scale_chart(found, axes=axes, at_games=at_games), path)
