"""`arpad history` and `arpad whr`: rating curves over all of time."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.options import (
    ColumnsOption,
    DatesOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    SheetOption,
    StrictOption,
    check_any_played,
    read_files,
    write_report,
)
from arpad.cli.output import (
    Emission,
    FormatOption,
    OutputOption,
    details,
    emit,
    emit_result,
    emit_table,
    emits,
    reading_document,
    say,
    width,
)
from arpad.errors import UsageError
from arpad.pool.half_decades import Ageing

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from arpad.model import Games
    from arpad.pool.history import History
    from arpad.rate.whr.system import WholeHistory


# Who is who: years of birth and other spellings, bundled or from files.


def persons(
    masters: bool, names: str | None, births: str | None = None
) -> tuple[dict[str, float], dict[str, str]]:
    """Return years of birth, and one name for another.

    Parameters
    ----------
    masters
        Whether the bundled list of masters is taken.
    names, births
        Files of one's own; they go before the bundled list.
    """
    from importlib.resources import as_file, files

    from arpad.read.roster import named_numbers, named_texts

    born: dict[str, float] = {}
    spelled: dict[str, str] = {}
    if masters:
        room = files("arpad") / "samples"
        with as_file(room / "masters.csv") as one, as_file(room / "master-names.csv") as two:
            born, spelled = named_numbers(str(one), ["birth"]), named_texts(str(two), ["person"])
    if births:
        born |= named_numbers(births, ["birth", "born", "birthday"], year=True)
    if names:
        spelled |= named_texts(names, ["person"])
    return born, spelled


# `arpad history`: past and present on one scale.

TOP = 20


def add_history(app: typer.Typer) -> None:
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
        list[int] | None, typer.Option(help="The best of this year instead, and their average; repeatable.")
    ] = None,
    crosstable: Annotated[
        int | None,
        typer.Option(help="The crosstable of the half decade around this year instead, of the --top best."),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option(
            help="Predict the matches of this CSV instead: year and players (A-B), or player and opponent."
        ),
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
        str | None, typer.Option(help="CSV with name and person: other spellings, as no rule can know them.")
    ] = None,
    join: Annotated[bool, typer.Option(help="Join names that look like one person.")] = True,
    ageing: Annotated[Ageing, typer.Option(help="What links periods (docs/methods/history.md).")] = "peak",
    anchor: Annotated[
        list[str] | None,
        typer.Option(help="A best average, NAME=RATING, or a CSV with name and best; repeatable."),
    ] = None,
    anchor_years: Annotated[
        str | None, typer.Option(help="Without anchors: published ratings of these years only, 1971-1985.")
    ] = None,
    fewest_players: Annotated[
        int, typer.Option(help="A period with fewer players grows until it has them.", min=2)
    ] = 20,
    fewest_games: Annotated[int, typer.Option(help="Games in a period to be in its crosstable.", min=1)] = 10,
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
    dates: DatesOption = None,
    sheet: SheetOption = None,
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
    from arpad.pool.half_decades import Linking, Periods
    from arpad.pool.history import HistorySystem
    from arpad.pool.persons import EVENTS

    born, spelled = persons(masters, names, births)
    system = HistorySystem(
        periods=Periods(
            window=window,
            step=window if step is None else step,
            fewest_players=fewest_players,
            fewest_games=fewest_games,
            longest=max(17, window),
        ),
        linking=Linking(ageing=ageing),
        anchors=_anchors(anchor or []),
        anchor_years=_years(anchor_years),
        births=born,
        spelled=spelled,
        guess=join,
        events=EVENTS if leave_out is None else leave_out,
        enough=enough,
    )
    reading = read_files(files, columns=columns, dates=dates, sheet=sheet, format=input_format, strict=strict)
    check_any_played(reading)
    found = system.study(reading.games)
    write_report(reading, report)
    if crosstable is not None or matches is not None:
        _other_table(found, crosstable, top, matches)(format, output)
        return
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
            title = (
                f"{y}: crosstable of {mean.first}–{mean.last}; average {mean.rating:.0f} ± {mean.error:.0f}"
            )
            parts += [title, "", rich_table(rows.drop("first", "last"), digits=WHOLE), ""]
        if not parts:
            parts = [rich_table(fitted(_readable(best), width(), WHOLE), digits=WHOLE), ""]
        if ages:
            parts += [
                rich_table(found.development(), title=AGES_TITLE, digits=WHOLE),
                "",
                *_levels(found),
                "",
            ]
        return [*parts, found.summary(), *details(found)]

    emit(
        format,
        output,
        people=people,
        rows=lambda: _stacked(shown) if shown else best,
        document=lambda: {
            "parameters": dict(found.parameters),
            **reading_document(reading),
            "source": dict(found.source),
            "periods": found.periods.to_dicts(),
            "best": best.to_dicts(),
            "years": [
                {
                    "year": y,
                    "average": found.top_average(y, top).rating,
                    "error": found.top_average(y, top).error,
                    "players": rows.to_dicts(),
                }
                for y, rows in zip(year or [], shown, strict=True)
            ],
            "lives": {name: found.lifetime(name).to_dicts() for name in named},
            "births": dict(found.births),
            "joined": found.joined.to_dicts(),
            "doubtful": list(found.doubtful),
            "development": found.development().to_dicts() if ages else [],
            "ages": found.ages_at().to_dicts() if ages else [],
        },
    )


def _other_table(found: History, year: int | None, top: int, matches: str | None) -> Emission:
    """Return a crosstable or predicted matches in place of the best averages."""
    from arpad.pool.history import read_matches

    if matches is None:
        assert year is not None
        frame = found.crosstable(year, top)
        lines = [
            "Points/games against each other; games and points: against everybody.",
            f"{found.summary()}.",
        ]
        return partial(emit_table, frame=frame, lines=lines, digits=WHOLE, more={"year": year})
    if year is not None:
        raise UsageError("expected --crosstable or --matches, found both")
    predicted = found.matches(read_matches(matches))
    digits = {"D": 0, "P": 2, "W_e": 1, "W": 1, "difference": 1, "given": 1}
    return partial(emit_result, predicted, digits=digits)


CURVES = 6
"""Players whose curves are drawn when nobody is named."""
WHOLE = {"rating": 0, "error": 0, "peak": 0, "peak_error": 0, "age": 0, "points": 0}


def _readable(best: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    years = pl.format("{}–{}", "first", "last").alias("years")
    return best.select(
        "rank",
        "player",
        "rating",
        "error",
        "games",
        years,
        "peak",
        "peak_error",
        pl.col("peak_year").cast(pl.String).alias("in"),
        *(["age"] if best["age"].is_not_null().any() else []),
    )


AGES_TITLE = "Points above age 21; 21 and 63 are taken to be level"


def _levels(found: History) -> list[object]:
    """Return the ages at which levels were passed, where most of those who reached one were seen below it."""
    from arpad.publish.tables import rich_table

    every = found.ages_at()
    seen = every.filter(every["players"] > every["above"])
    hidden = every.filter(every["players"] <= every["above"])
    lines: list[object] = []
    if seen.height:
        lines.append(rich_table(seen, title="Ages at levels", digits={"level": 0, "age": 1, "error": 1}))
    if hidden.height:
        cells = ", ".join(
            f"{n} of {n + above} at {level:.0f}"
            for level, n, above in hidden.select("level", "players", "above").iter_rows()
        )
        lines.append(f"Age at a level: too few were seen below it before they reached it ({cells}).")
    return lines


def _stacked(frames: list[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(frames)


def _anchors(texts: list[str]) -> dict[str, float]:
    from arpad.read.roster import named_numbers

    anchors: dict[str, float] = {}
    for text in texts:
        if text.lower().endswith(".csv"):
            anchors |= named_numbers(text, ["best", "rating"])
            continue
        name, _, rating = text.rpartition("=")
        try:
            anchors[name.strip()] = float(rating)
        except ValueError:
            raise UsageError(f"--anchor: expected NAME=RATING or a .csv file, found {text!r}") from None
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
    from arpad.publish.charts.ratings import lifetime_chart
    from arpad.publish.charts.style import save

    lives: dict[str, Any] = {name: found.lifetime(name) for name in dict.fromkeys(names)}
    save(lifetime_chart(lives, found), path)


# `arpad whr`: a rating curve for every player, from all games at once.

WHR_CURVES = 5
"""Players whose curves are drawn when nobody is named."""
TIMES = 10
"""A name stands for a longer one that has so many times its games: `Fischer` for `Fischer, Robert James`."""
POINTS = {"rating": 0, "error": 0, "peak": 0, "peak_error": 0}
"""Digits of a table."""


def add_whr(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(whr)


@emits
def whr(
    files: FilesArgument,
    player: Annotated[
        list[str] | None,
        typer.Option(
            help="The curve of this player, by name or id; a surname means its most active bearer; repeatable."
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="The list of this day (1972-07-01), as all games tell it. [the last day]"),
    ] = None,
    within: Annotated[
        int, typer.Option(help="List who has played in so many days until then; 0: all.", min=0)
    ] = 730,
    most_error: Annotated[
        float, typer.Option(help="List only errors up to so many points.", min=0.0)
    ] = 100.0,
    top: Annotated[int, typer.Option(help="List so many.", min=1)] = TOP,
    w2: Annotated[float, typer.Option("--w2", help="How fast strengths change, in points² a day.")] = 7.0,
    prior: Annotated[float, typer.Option(help="Virtual draws of a newcomer against the start rating.")] = 2.0,
    start: Annotated[
        str, typer.Option(help="Where newcomers start: points, or mean, that of ratings given.")
    ] = "1500",
    given: Annotated[
        bool, typer.Option(help="Hold the ratings in the file for known before the first games.")
    ] = True,
    white_advantage: Annotated[str, typer.Option(help="White's, in points, or fit.")] = "0",
    before: Annotated[
        str | None,
        typer.Option(help="A list of what is known before: a FIDE list, or CSV with player, rating, error."),
    ] = None,
    join: Annotated[
        bool, typer.Option("--join", help="Join names that look like one person, as arpad history does.")
    ] = False,
    masters: Annotated[
        bool, typer.Option("--masters", help="With --join: other spellings in the book's lists, too.")
    ] = False,
    names: Annotated[
        str | None, typer.Option(help="CSV with name and person: other spellings, as no rule can know them.")
    ] = None,
    chart: Annotated[
        str | None, typer.Option(help="Draw the curves of the players named, or of the best, .png or .svg.")
    ] = None,
    columns: ColumnsOption = None,
    dates: DatesOption = None,
    sheet: SheetOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
) -> Emission:
    """Fit a rating curve for every player to all games at once: a late result changes the past.

    arpad whr games.parquet --player Fischer --player Karpov --chart curves.png

    arpad whr games.parquet --join --on 1972-07-01 --top 10 --start mean
    """
    from arpad.publish.charts.style import check_name
    from arpad.rate.periods import day
    from arpad.rate.whr.system import Whr, whole_history
    from arpad.read.reading import read_list
    from arpad.read.source import Report

    if chart is not None:
        check_name(chart)
    asked = day(on)
    system = Whr(
        w2=w2,
        prior=prior,
        start=_number(start, "--start", "mean"),
        given=given,
        white_advantage=_number(white_advantage, "--white-advantage", "fit"),
    )
    listed = Report(strict=strict)
    earlier = None if before is None else read_list(before, report=listed)
    reading = read_files(files, columns=columns, dates=dates, sheet=sheet, format=input_format, strict=strict)
    reading.report.notes.extend(listed.notes)
    check_any_played(reading)
    games, joined = _joined(reading.games, join=join, masters=masters, names=names)
    found = whole_history(games, system=system, before=earlier)
    write_report(reading, report)
    for note in found.source["notes"]:
        say(str(note))
    named = [_find(found, text) for text in player or []]
    best = _list(found, asked, within, most_error, top, asked_for=not named)
    if chart is not None:
        _whr_draw(chart, found, named or _keys(best.head(WHR_CURVES)))

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        parts: list[object] = []
        for name in named:
            parts += [rich_table(_yearly(found.curve(name)), title=name, digits=POINTS), ""]
        if not named:
            what = f"{asked or found.last}: {best.height:,} of {found.source['players']:,} players"
            parts = [rich_table(fitted(best, width(), POINTS), title=what, digits=POINTS), ""]
        return [*parts, found.summary(), *details(found)]

    return partial(
        emit,
        people=people,
        rows=lambda: _whr_stacked(found, named) if named else best,
        document=lambda: {
            "system": "whr",
            "parameters": dict(found.parameters),
            **reading_document(reading),
            "source": dict(found.source),
            "on": asked,
            "ratings": best.to_dicts(),
            "curves": {name: found.curve(name).to_dicts() for name in named},
            "joined": joined.to_dicts() if joined is not None else [],
        },
    )


def _number(text: str, option: str, word: str) -> float | None:
    """Return a number, None for the word that stands for finding it out."""
    if text == word:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option}: expected points or {word}, found {text!r}") from None


def _joined(
    games: Games, *, join: bool, masters: bool, names: str | None
) -> tuple[Games, pl.DataFrame | None]:
    """Return the games with one row a person, and which names were joined."""
    if not (join or names):
        return games, None
    import polars as pl

    from arpad.model import Games
    from arpad.pool.persons import join_names

    _, spelled = persons(masters, names)
    found = join_names(games, given=spelled, guess=join)
    table = games.table.with_columns(
        pl.Series(side, found.row[games.table[side].fill_null(0).to_numpy()], dtype=pl.Int32)
        for side in ("white", "black")
    ).with_columns(pl.when(games.table["black"].is_not_null()).then("black").alias("black"))
    # Two names that met are not one person after all, whatever they look like: such games do not count.
    apart = (table["white"] != table["black"]).fill_null(True)
    return Games(table.filter(apart), games.players, games.events), found.joined


def _find(found: WholeHistory, asked: str) -> str:
    """Return the player who is meant: the very name or id, else by surname; say so if it is another name."""
    from arpad.pool.persons import Directory

    heads = found.on(within=None).select("player", "id", "games")
    if asked in heads["id"].drop_nulls():
        return asked
    exact = heads.filter(heads["player"] == asked)["games"].sum()
    others = heads.filter(heads["player"] != asked)
    who = Directory.of(others["player"].to_list(), others["games"].to_list()).find(asked)
    games = 0 if who is None else int(others.filter(others["player"] == who)["games"].sum())
    if who is None and not exact:
        raise UsageError(f"--player: expected somebody who has played a game here, found {asked!r}")
    if who is None or games < TIMES * exact:
        return asked
    say(f"{asked} is taken for {who}, with {games:,} games{f' to {exact:,}' if exact else ''}")
    return who


def _list(
    found: WholeHistory, day: date | None, within: int, most_error: float, top: int, *, asked_for: bool
) -> pl.DataFrame:
    """Return the list of a day; where it is not what was asked for, without a word if it is empty."""
    from arpad.model import ranked

    listed = found.on(day, within=within or None)
    if not listed.height and asked_for:
        raise UsageError(
            f"nobody has played in the {within:,} days until {day}: ask for another --on, or more days --within"
            if within
            else f"nobody has played until {day}: the first game is of {found.rows['date'].min()!s}"
        )
    sure = listed.filter(listed["error"] <= most_error)
    if not sure.height:
        sure = listed
        if asked_for:
            say(f"nobody has an error of {most_error:g} points or less (--most-error): all are listed")
    sure = ranked(sure).head(top)
    return sure.drop("id") if sure["id"].null_count() == sure.height else sure


def _keys(best: pl.DataFrame) -> list[str]:
    """Return the names of a list, or the ids of those who share a name."""
    twice = best["player"].is_duplicated()
    own = best["id"] if "id" in best.columns else best["player"]
    return [str(i if d else n) for n, i, d in zip(best["player"], own, twice, strict=True)]


def _yearly(curve: pl.DataFrame) -> pl.DataFrame:
    """Return where a curve stood after the last game of each year."""
    import polars as pl

    year = pl.col("date").dt.year().cast(pl.String).alias("year")
    return curve.group_by(year, maintain_order=True).agg(
        pl.col("rating", "error").last(), pl.col("games").sum(), pl.col("date").last().alias("last")
    )


def _whr_stacked(found: WholeHistory, named: list[str]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(found.curve(n).select(pl.lit(n).alias("player"), pl.all()) for n in named)


def _whr_draw(path: str, found: WholeHistory, named: list[str]) -> None:
    from arpad.publish.charts.ratings import whole_history_chart
    from arpad.publish.charts.style import save

    save(whole_history_chart(found, list(dict.fromkeys(named))), path)
