"""`arpad history`: past and present on one scale."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say, width
from arpad.cli.persons import persons
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
    write_report,
)
from arpad.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.history import History

__all__ = ["add_to"]

TOP = 20


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(history)


def history(
    files: FilesArgument,
    window: Annotated[int, typer.Option(help="Years of a crosstable.", min=1)] = 5,
    step: Annotated[
        int | None,
        typer.Option(
            help="Years from one crosstable to the next; fewer than the window make them overlap. [the window]",
            min=1,
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            help='Only these, "Morphy,Lasker" or "Lasker, Emanuel; Lasker, Edward"; the chart draws them.'
        ),
    ] = None,
    top: Annotated[int, typer.Option(help="So many of the best.", min=1)] = TOP,
    year: Annotated[
        list[int] | None,
        typer.Option(help="The best of this year instead, and their average; repeatable."),
    ] = None,
    masters: Annotated[
        bool,
        typer.Option(
            "--masters",
            help="Use the years of birth in the book's lists, and other spellings of their names.",
        ),
    ] = False,
    births: Annotated[str | None, typer.Option(help="CSV with name and birth.")] = None,
    names: Annotated[
        str | None,
        typer.Option(help="CSV with name and person: other spellings, as no rule can know them."),
    ] = None,
    join: Annotated[bool, typer.Option(help="Join names that look like one person.")] = True,
    ageing: Annotated[
        str,
        typer.Option(
            help="What links periods: peak, plateau, curve or none (docs/methods/history.md)."
        ),
    ] = "peak",
    anchor: Annotated[
        list[str] | None,
        typer.Option(help="A best average, NAME=RATING, or a CSV with name and best; repeatable."),
    ] = None,
    anchor_years: Annotated[
        str | None,
        typer.Option(help="Without anchors: published ratings of these years only, 1971-1985."),
    ] = None,
    fewest_players: Annotated[
        int, typer.Option(help="A period with fewer players grows until it has them.", min=2)
    ] = 20,
    fewest_games: Annotated[
        int, typer.Option(help="Games in a period to be in its crosstable.", min=1)
    ] = 10,
    enough: Annotated[int, typer.Option(help="Games that a best average needs.", min=1)] = 20,
    leave_out: Annotated[
        str | None,
        typer.Option(
            help="Pattern of events that do not count; '' for none. [exhibitions, fast play, machines]"
        ),
    ] = None,
    ages: Annotated[bool, typer.Option("--ages", help="Show strength against age too.")] = False,
    chart: Annotated[str | None, typer.Option(help="Draw lifetime curves, .png or .svg.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Rate a century of games: five-year crosstables, linked by the players they share.

    arpad history games.parquet --masters --players "Morphy,Lasker,Fischer" --chart lives.png

    arpad history games.parquet --anchor "Lasker, Emanuel=2720" --year 1910 --top 10
    """
    from arpad.pool.crosstables import Periods
    from arpad.pool.links import Ageing, Linking
    from arpad.pool.serious import EVENTS
    from arpad.pool.study import HistorySystem

    born, spelled = persons(masters, names, births)
    system = HistorySystem(
        periods=Periods(
            window=window, step=window if step is None else step, fewest_players=fewest_players,
            fewest_games=fewest_games, longest=max(17, window),
        ),
        linking=Linking(ageing=cast("Ageing", ageing)),
        anchors=_anchors(anchor or []), anchor_years=_years(anchor_years), births=born, spelled=spelled,
        guess=join, events=EVENTS if leave_out is None else leave_out, enough=enough,
    )  # fmt: skip
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading)
    found = system.study(reading.games)
    write_report(reading, report)
    named = [found.find(p) for p in _named(players)]
    best = found.table()
    best = best.filter(best["player"].is_in(named)) if named else best.head(top)
    missing = [n for n in named if n not in best["player"]]
    if missing:
        say(f"too few games for a best average: {', '.join(missing)}")
    if chart:
        _draw(chart, found, named or best["player"].head(CURVES).to_list())
    shown = [found.top(y, top) for y in year or []]

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        parts: list[object] = []
        for y, rows in zip(year or [], shown, strict=True):
            mean = found.top_average(y, top)
            title = f"{y}: crosstable of {mean.first}–{mean.last}; average {mean.rating:.0f} ± {mean.error:.0f}"
            parts += [title, "", rich_table(rows.drop("first", "last"), digits=WHOLE), ""]
        if not parts:
            parts = [rich_table(fitted(_readable(best), width(), WHOLE), digits=WHOLE), ""]
        if ages:
            parts += [
                rich_table(_some_ages(found), title="Points above age 21", digits=WHOLE), "",
                rich_table(found.ages_at(), title="Ages at levels", digits={"level": 0, "age": 1, "error": 1}), "",
            ]  # fmt: skip
        return [*parts, found.summary()]

    emit(
        format, output, people=people,
        rows=lambda: _stacked(shown) if shown else best,
        document=lambda: {
            "parameters": dict(found.parameters), **reading_document(reading), "source": dict(found.source),
            "periods": found.periods.to_dicts(), "best": best.to_dicts(),
            "years": [
                {"year": y, "average": found.top_average(y, top).rating, "error": found.top_average(y, top).error,
                 "players": rows.to_dicts()}
                for y, rows in zip(year or [], shown, strict=True)
            ],
            "lives": {name: found.lifetime(name).to_dicts() for name in named},
            "births": dict(found.births), "joined": found.joined.to_dicts(), "doubtful": list(found.doubtful),
            "development": found.development().to_dicts() if ages else [],
            "ages": found.ages_at().to_dicts() if ages else [],
        },
    )  # fmt: skip


CURVES = 6
"""Players whose curves are drawn when nobody is named."""

WHOLE = {"rating": 0, "error": 0, "peak": 0, "peak_error": 0, "age": 0, "points": 0}


def _readable(best: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    years = pl.format("{}–{}", "first", "last").alias("years")
    return best.select(
        "rank", "player", "rating", "error", "games", years, "peak", "peak_error",
        pl.col("peak_year").cast(pl.String).alias("in"), *(["age"] if best["age"].is_not_null().any() else []),
    )  # fmt: skip


def _some_ages(found: History) -> pl.DataFrame:
    import polars as pl

    every = found.development()
    return every.filter((pl.col("age") % 3 == 0) & (pl.col("age") >= 12))


def _stacked(frames: list[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(frames)


def _anchors(texts: list[str]) -> dict[str, float]:
    from arpad.read.named import named_numbers

    anchors: dict[str, float] = {}
    for text in texts:
        if text.lower().endswith(".csv"):
            anchors |= named_numbers(text, ["best", "rating"])
            continue
        name, _, rating = text.rpartition("=")
        try:
            anchors[name.strip()] = float(rating)
        except ValueError:
            raise UsageError(
                f"--anchor: expected NAME=RATING or a .csv file, found {text!r}"
            ) from None
    return anchors


def _years(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d{4})\s*[-–]\s*(\d{4})\s*", text)
    if not found or int(found[1]) > int(found[2]):
        raise UsageError(f"--anchor-years: expected FIRST-LAST such as 1971-1985, found {text!r}")
    return int(found[1]), int(found[2])


def _named(text: str | None) -> list[str]:
    if text is None:
        return []
    parts = [p.strip() for p in text.split(";" if ";" in text else ",")]
    # One `Surname, Given` alone is one player, not two.
    return (
        [text.strip()]
        if ";" not in text and re.fullmatch(r"[^,]+, [^,]+", text.strip())
        else [p for p in parts if p]
    )


def _draw(path: str, found: History, names: list[str]) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.history_chart import lifetime_chart

    lives: dict[str, Any] = {name: found.lifetime(name) for name in dict.fromkeys(names)}
    save(lifetime_chart(lives, found), path)
