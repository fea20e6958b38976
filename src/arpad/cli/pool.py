"""`arpad pool`, `check`, `draws`, `distribution`, `scales` and `monitor`: a rating pool, from its games and its lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from arpad.cli.options import (
    GameFiles,
    TableOptions,
    anchors_given,
    day_given,
    lists_given,
    number_or,
    numbers_given,
    span_given,
)
from arpad.cli.output import Emission, emit_result, explain_report, reading_document, say
from arpad.cli.verbs import verb_group
from arpad.errors import FormatError, UsageError
from arpad.pool.calibration import Side
from arpad.pool.check import Per
from arpad.pool.deflation import By
from arpad.rate.draws import DrawForm, Objective, TermsName
from arpad.read.formats import FormatName
from arpad.scale import CurveName

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import ArrayLike

    from arpad.pool.check import Check
    from arpad.pool.monitors import Cohort, PoolAccount, PoolShape
    from arpad.pool.rating_lists import DatedList
    from arpad.read.reading import Reading


NAMED = 5
"""Players without a finite rating whom a line names."""


def pool(
    source: GameFiles,
    method: Literal["exact", "approximations"] = "exact",
    curve: Literal["logistic", "normal"] = "logistic",
    average: float | None = None,
    anchor: list[str] | None = None,
    white_advantage: str = "0",
    draw_rate: str = "observed",
    prior: Annotated[float, typer.Option(min=0)] = 0.0,
    cycles: Annotated[int, typer.Option(min=1)] = 100,
    top: Annotated[int | None, typer.Option(min=1)] = None,
) -> Emission:
    """Find the ratings that explain all results at once.

    arpad pool season.pgn

    arpad pool games.parquet --white-advantage fit --anchor "Carlsen,M=2850"

    arpad pool games.csv --method approximations --cycles 5 --average 500

    method: exact, or Elo's successive approximations.
    curve: With --method exact: the curve.
    average: Mean rating of each group. [that of the ratings in the file, or 1500]
    anchor: Fix the rating of a player, NAME=RATING; repeatable.
    white_advantage: White's advantage in rating points, or fit.
    draw_rate: Share of draws (0 to 1), or observed; draws make the errors smaller.
    prior: Give everybody N draws against an average opponent, which joins all groups.
    cycles: With --method approximations: number of cycles; up to ten are printed one by one.
    top: Show only the first N players.
    """
    from arpad.rate.pool import PoolSystem
    from arpad.scale import curve as curve_called

    if method == "approximations" and curve != "logistic":
        raise UsageError("--curve: successive approximations look differences up in table 2.11")
    system = PoolSystem(
        method=method,
        curve=curve_called(curve),
        average=average,
        anchors=anchors_given(anchor or []),
        advantage=number_or(white_advantage, "--white-advantage", "fit"),
        draw_rate=number_or(draw_rate, "--draw-rate", "observed", "a share"),
        prior=prior,
        cycles=cycles,
    )
    reading = source.read()
    system.check_anchors(reading.games)
    solved = system.solve(reading.games)
    source.tell(reading)
    alone = solved.ratings.rows.filter(solved.ratings.rows["rating"].is_null())
    if alone.height:
        some = ", ".join(f"{p} ({n})" for p, n in alone.select("player", "note").head(NAMED).iter_rows())
        say(
            f"{alone.height:,} players have no finite rating: {some}{', …' if alone.height > NAMED else ''}; "
            + ("--prior 1 joins them" if method == "exact" else "--method exact --prior 1 joins them")
        )
    return partial(
        emit_result,
        solved,
        view={"top": top, "most_cycles": cycles},
        rows=lambda: solved.ratings.table(top),
        document=lambda: solved.to_dict(top),
        reading=reading,
    )


def distribution(
    file: Annotated[str, typer.Argument(metavar="LIST-OR-GAMES")],
    interval: Annotated[float, typer.Option("--width", min=1)] = 100.0,
    least: Annotated[float, typer.Option(min=0)] = 5.0,
    zero: float | None = None,
    floor: float | None = None,
    column: str | None = None,
    counts: Annotated[str | None, typer.Option(metavar="COLUMN")] = None,
    players: float | None = None,
    sheppard: bool = True,
    chart: str | None = None,
    paper: bool = False,
    input_format: FormatName | None = None,
    *,
    tables: TableOptions,
) -> Emission:
    """Describe the ratings of a pool, with a normal and a Maxwell–Boltzmann fit.

    arpad distribution APR04FRL.TXT --chart pool.png

    arpad distribution season.pgn --width 50

    arpad distribution table-7.38.csv --counts established

    file: A rating list (FIDE's, arpad's, CSV with player and rating), or games with ratings.
    interval: Rating points in an interval.
    least: Expected players that an interval needs for χ².
    zero: Zero point of the Maxwell–Boltzmann distribution. [fitted]
    floor: The rating at which the list begins; each distribution is fitted above it.
    column: Use this column of a CSV file.
    counts: The file is a printed table: intervals in the column low or range, counts in this one.
    players: With --counts: the counts are percentages of this many.
    sheppard: With --counts: correct the standard deviation for the width of the intervals.
    chart: Draw a chart into this file, .png or .svg.
    paper: Draw the chart on probability paper, where a normal distribution is a straight line.
    input_format: The format of the files. [recognised by their content]
    """
    from arpad.pool.distribution import distribution as describe
    from arpad.pool.distribution import grouped_distribution, read_histogram

    if counts is not None:
        table, source = read_histogram(file, counts, players=players), "counts"
        result = grouped_distribution(table, sheppard=sheppard, least=least, zero=zero)
    else:
        ratings, source = _ratings(file, column, input_format, tables)
        result = describe(ratings, width=interval, least=least, zero=zero, floor=floor)
    places = 0 if result.histogram.width >= 1 else 2
    mean = round(result.mean, places) + 0.0
    spread = "" if result.sd is None else f", standard deviation {result.sd:.{places}f}"
    return partial(
        emit_result,
        result,
        document=lambda: {
            "summary": result.summary(),
            "input": {"file": file, "source": source},
            **result.to_dict(),
        },
        chart=chart,
        paper=paper,
        title=f"Distribution of ratings: {Path(file).name}",
        subtitle=f"{result.players:,.0f} players, mean {mean:.{places}f}{spread}",
    )


def _ratings(
    file: str, column: str | None, input_format: FormatName | None, tables: TableOptions
) -> tuple[ArrayLike, str]:
    from arpad.pool.check import from_games, from_list
    from arpad.read.fields import read_numbers
    from arpad.read.reading import read, read_list
    from arpad.read.source import Report

    if column is not None:
        return read_numbers(file, column), "column"
    # Standard input can be read once only, so that it is taken for games.
    if tables.columns is None and input_format in (None, "fide") and file != "-":
        report = Report()
        try:
            ratings = read_list(file, report=report)
        except FormatError:
            if input_format == "fide":
                raise
        else:
            explain_report(report)
            return from_list(ratings), "list"
    reading = read([file], format=input_format, **tables.reading())
    explain_report(reading.report)
    return from_games(reading.games), "games"


def scales(
    lists: list[str],
    on: str | None = None,
    at: str | None = None,
    at_games: float = 6,
    day: Annotated[str | None, typer.Option("--date")] = None,
    span: float = 0.75,
    confidence: float = 0.95,
    least: float | None = None,
    least_games: str | None = None,
    step: float | None = None,
    chart: str | None = None,
) -> Emission:
    """Fit how one rating follows from another, or from age, by robust loess [USCF 1994, A and B].

    arpad scales fide.csv uscf.csv --least 2200 --least-games 10 --chart scales.png

    arpad scales provisional.csv --on age,games --at-games 6 --date 1993-12-31

    lists: Two rating lists, to convert from the first to the second; or one, with --on age.
    on: With one list: convert from age, or from age,games. The list needs a column birth.
    at: Ratings or ages to convert: 2250,2400. [a table of round ones]
    at_games: With --on age,games: the number of games.
    day: Day for which ages are calculated. [that of the list]
    span: Share of players in each local fit.
    confidence: Probability of the curve's interval.
    least: Lowest rating on the first list.
    least_games: Games on the first list, or on both: 10 or 10,20.
    step: Step between the rows of the table. [50 points or 1 year]
    chart: Write a chart, .png or .svg.
    """
    from arpad.pool.rating_lists import dated
    from arpad.pool.scales import aged, common, fit_scale
    from arpad.read.reading import read_list
    from arpad.read.source import Report

    ways, fewest = _ways(on, lists), _games(least_games, len(lists))
    report = Report()
    read = [read_list(path, report=report) for path in lists]
    explain_report(report)
    if ways == ("rating",):
        if day is not None:
            raise UsageError("--date: expected only with --on age: two lists need none")
        data = common(read[0], read[1], least=least, least_games=(fewest[0], fewest[1]))
    else:
        when = dated(read[0]).date if day is None else day_given(day, "--date")
        if when is None:
            raise UsageError("expected --date YYYY-MM-DD, the day on which ages are taken: the list has none")
        data = aged(read[0], when, with_games="games" in ways, least=least, least_games=fewest[0])
    result = fit_scale(data.points, on=ways, span=span, confidence=confidence)
    table = result.conversions(numbers_given(at, "--at"), step=step, games=at_games)
    names = [Path(each).name for each in lists]
    return partial(
        emit_result,
        result,
        view={"table": table, "counts": data.counts, "exact": at is not None},
        rows=lambda: table,
        document=lambda: {
            "summary": result.summary(),
            "on": list(result.on),
            "parameters": {**result.parameters, **data.parameters},
            "lists": lists,
            "counts": dict(data.counts),
            "players": result.n,
            "available": result.available,
            "spread": result.spread,
            "reach": {name: list(result.reach(name)) for name in result.on},
            "table": table.to_dicts(),
        },
        chart=chart,
        axes=("age" if len(names) == 1 else f"rating on {names[0]}", f"rating on {names[-1]}"),
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


# `arpad monitor`: the health of a rating pool.

ChartOption = Annotated[str | None, typer.Option(help="Write a chart, .png or .svg.")]
AgeCutsOption = Annotated[str, typer.Option(help="Ages at which a group begins: 18,50.")]
RatingCutsOption = Annotated[
    str | None, typer.Option(help="Ratings at which a group begins. [every 200 points]")
]
PeopleOption = Annotated[
    str | None, typer.Option("--list", help="A rating list with federation, title, sex or birth.")
]


def exchange(
    source: GameFiles,
    by: str = "age",
    k: str = "32",
    curve: CurveName = "table",
    level: float = 0.05,
    age_cuts: AgeCutsOption = "18",
    rating_cuts: RatingCutsOption = None,
    people_from: PeopleOption = None,
    least: Annotated[int, typer.Option(min=1)] = 10,
    chart: ChartOption = None,
) -> Emission:
    """Tabulate the rating points that segments of a pool win from each other [Elo 3.83].

    arpad monitor exchange open.trf --by age,rating-band --rating-cuts 1700

    by: How to group the players: federation, title, sex, age or rating-band; several with commas are combined.
    k: K: a number, tiers or a name, as in arpad rate.
    curve: table, logistic, normal or linear.
    level: Level of the test for exceptional performances.
    least: Show only groups of N performances or more.
    """
    from arpad.pool.deflation import exchange as tabulate
    from arpad.scale import curve as curve_called

    people = source.ratings(people_from)
    reading = source.read()
    result = tabulate(
        reading.games,
        by=[_way(part.strip()) for part in by.split(",") if part.strip()] or [_way(by)],
        k=k,
        curve=curve_called(curve),
        level=level,
        age_cuts=numbers_given(age_cuts, "--age-cuts") or (),
        rating_cuts=numbers_given(rating_cuts, "--rating-cuts"),
        people=people,
    )
    source.tell(reading)
    return partial(emit_result, result, view={"least": least}, reading=reading, chart=chart, least=least)


def _way(text: str) -> By:
    for way in get_args(By):
        if way == text:
            return way  # type: ignore[no-any-return]
    raise UsageError(f"--by: expected one of {', '.join(get_args(By))}; found {text!r}")


def deflation(
    source: GameFiles,
    by: str = "age",
    groups: str | None = None,
    curve: CurveName = "logistic",
    age_cuts: AgeCutsOption = "18",
    rating_cuts: RatingCutsOption = None,
    people_from: PeopleOption = None,
    known: bool = False,
    within: bool = False,
    floor: float | None = None,
    ageing: float | None = None,
    ageing_from: float = 18,
    least: Annotated[int, typer.Option(min=1)] = 10,
    chart: ChartOption = None,
) -> Emission:
    """Compare score and expectation by age, federation or other segments [USCF 1994, 5].

    arpad monitor deflation games.csv --by age --age-cuts 18,30,50 --list fide.txt

    by: How to group the players: age, federation, title, sex, rating-band, or a column of --groups.
    groups: A CSV file with name and the column of --by, such as a region or a club.
    curve: logistic, table, normal or linear.
    known: Leave out games in which a player's group is unknown.
    within: Also count games within a group.
    floor: Raise ratings below this value to it.
    ageing: Lower ratings by X points for every year of age above --ageing-from.
    ageing_from: The age from which --ageing counts.
    least: Show only groups of N games or more.
    """
    from arpad.pool.deflation import deflation as compare
    from arpad.read.collect import named_texts
    from arpad.scale import curve as curve_called

    way = by if groups is not None else _way(by)
    people = source.ratings(people_from)
    reading = source.read()
    result = compare(
        reading.games,
        by=way,
        curve=curve_called(curve),
        age_cuts=numbers_given(age_cuts, "--age-cuts") or (),
        rating_cuts=numbers_given(rating_cuts, "--rating-cuts"),
        people=people,
        groups=None if groups is None else named_texts(groups, [by.casefold()]),
        known=known,
        within=within,
        floor=floor,
        ageing=ageing,
        ageing_from=ageing_from,
    )
    source.tell(reading)
    return partial(emit_result, result, view={"least": least}, reading=reading, chart=chart, least=least)


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Rating lists of several dates, and whom of them to leave out.

    lists: Rating lists: FIDE's files, CSV with player and rating, or what arpad rate writes.
    dates: The date of each list, in their order: 2001-07-01,2004-04-01.
    active: Leave out players whom the list marks as inactive.
    floor: Leave out ratings below this, so that lists with different floors can be compared.
    least_games: Leave out players with fewer games.
    chart: Write a chart, .png or .svg.
    """

    lists: list[str]
    dates: str | None = None
    active: bool = False
    floor: float | None = None
    least_games: Annotated[int, typer.Option(min=0)] = 0
    chart: str | None = None

    def read(self) -> tuple[DatedList, ...]:
        """Read the lists."""
        return lists_given(
            self.lists, self.dates, active=self.active, floor=self.floor, least_games=self.least_games
        )

    def emission(self, result: Cohort | PoolShape | PoolAccount, read: tuple[DatedList, ...]) -> Emission:
        """Return a result of lists; its JSON has the lists, too."""

        def document() -> dict[str, object]:
            lists = [
                {"list": e.label, "date": e.date, "players": e.rows.height, "left_out": e.left_out}
                for e in read
            ]
            return {"parameters": dict(result.parameters), "lists": lists, **result.to_dict()}

        return partial(emit_result, result, document=document, chart=self.chart)


def cohort(given: ListOptions, born: str | None = None, ages: str | None = None) -> Emission:
    """Follow the mean rating of an age group, and test whether it changed [Elo 3.81].

    arpad monitor cohort JUL01FRL.TXT APR04FRL.TXT --born 1961-1976

    born: Follow players born in these years, such as 1970-1980, from list to list.
    ages: Follow players of these ages on the date of each list. [25-40 without --born]
    """
    from arpad.pool.monitors import cohort as follow

    read = given.read()
    years = "two years such as 1970-1980 or 25-40"
    result = follow(read, born=span_given(born, "--born", years), ages=span_given(ages, "--ages", years))
    return given.emission(result, read)


def shape(given: ListOptions, step: float = 50) -> Emission:
    """Compare the distribution of ratings between two dates [Elo 3.82].

    arpad monitor shape JUL01FRL.TXT APR04FRL.TXT --floor 2001 --chart shape.png

    step: Width of a bar of the histogram, in points.
    """
    from arpad.pool.monitors import shape as compare

    read = given.read()
    return given.emission(compare(read, step=step), read)


def account(given: ListOptions) -> Emission:
    """Draw up a pool's account: points brought in, taken out, won and lost [Elo 3.54].

    arpad monitor account JUL01FRL.TXT APR04FRL.TXT
    """
    from arpad.pool.monitors import account as draw_up

    read = given.read()
    return given.emission(draw_up(read), read)


def growth(
    files: list[str],
    floor: float | None = None,
    dates: str | None = None,
    active: bool = False,
    until: float | None = None,
    chart: ChartOption = None,
) -> Emission:
    """Fit the logistic curve N_max/(1 + a e^(−bt)) to the number of players at several dates [IPR (2)].

    arpad monitor growth 1975.csv 1985.csv 1995.csv 2005.csv --floor 2203 --chart growth.png

    arpad monitor growth counts.csv --until 2030

    files: Rating lists of four dates or more; or one CSV file with the columns year and players.
    floor: Count players of this rating or more, such as the paper's 2203.
    dates: The date of each list, in their order: 2001-07-01,2004-04-01.
    active: Leave out players whom the list marks as inactive.
    until: Also print the curve's value for this year.
    """
    import polars as pl

    from arpad.pool.demography import count_lists, read_counts
    from arpad.pool.demography import growth as fit

    counts = read_counts(files[0]) if len(files) == 1 else None
    if counts is None:
        counts = count_lists(lists_given(files, dates, active=active, floor=floor))
    elif floor is not None or dates is not None or active:
        raise UsageError("--floor, --dates and --active: expected rating lists, found a table of counts")
    result = fit(counts["year"].to_list(), counts["players"].to_list())
    rows = counts.with_columns(pl.Series("curve", result.count(counts["year"].to_numpy())))
    return partial(
        emit_result,
        result,
        view={"counts": rows, "until": until},
        rows=lambda: rows,
        document=lambda: {
            "summary": result.summary(),
            "parameters": {"floor": floor},
            **result.to_dict(),
            "until": None if until is None else {"year": until, "players": float(result.count(until))},
            "counts": rows.to_dicts(),
        },
        chart=chart,
        counts=rows,
        floor=floor,
        until=until,
    )


monitor = verb_group(
    "Watch a rating pool: deflation, its shape, its growth, who takes points from whom.",
    {verb.__name__: verb for verb in (cohort, shape, account, exchange, deflation, growth)},
)


def check(
    source: GameFiles,
    curve: CurveName = "logistic",
    cap: float | None = None,
    white_advantage: float = 0.0,
    before: str | None = None,
    side: Side = "favourite",
    groups: Annotated[int, typer.Option(min=1, max=100)] = 10,
    per: Per = "player",
    enough: Annotated[int, typer.Option(min=1)] = 7,
    draws: Annotated[bool, typer.Option("--draws/--no-draws")] = True,
    top: Annotated[int | None, typer.Option(min=1)] = None,
    rows: Literal["groups", "deviations", "histogram"] = "groups",
    chart: str | None = None,
    paper: bool = False,
) -> Emission:
    """Test ratings against results: expected and actual scores, deviations, χ².

    arpad check season.pgn

    arpad check games.parquet --curve table --cap 400 --per entry --chart fit.png

    curve: The curve from a rating difference to an expected score.
    cap: Count larger rating differences as X; 400 is FIDE's rule.
    white_advantage: Rating points that the first move is worth.
    before: Take the ratings from this list instead of the games' own.
    side: Whose score to test.
    groups: Number of groups of expected score, from ½ to 1.
    per: Whether a deviation belongs to a player, or to an entry (a player in one event).
    enough: Show only deviations of N games or more.
    draws: Calculate σ from the actual draws, or by the book's √(Npq).
    top: Show the N largest deviations.
    rows: Which table to print as CSV.
    chart: Draw a chart into this file, .png or .svg.
    paper: Draw the chart on probability paper, where a normal distribution is a straight line.
    """
    from arpad.pool.check import check as test
    from arpad.scale import curve as curve_called

    chosen = curve_called(curve)
    earlier, reading = source.ratings(before), source.read()
    source.tell(reading)
    result = test(
        reading.games,
        curve=chosen,
        cap=cap,
        advantage=white_advantage,
        before=earlier,
        groups=groups,
        side=side,
        per=per,
        enough=enough,
        draws=draws,
    )
    if result.left_out:
        say(f"{result.left_out:,} played games are left out: a player in them has no rating")
    return partial(
        emit_result,
        result,
        view={"top": top},
        rows=lambda: _rows(result, rows, top),
        document=lambda: result.to_dict(top) | reading_document(reading),
        chart=chart,
        paper=paper,
        title=f"Do the ratings fit? {_names(reading)}",
        subtitle=f"{result.games:,} games, {result.players:,} players, {result.parameters['curve']} curve",
    )


def _rows(result: Check, what: str, top: int | None) -> pl.DataFrame:
    if what == "groups":
        return result.table()
    if what == "deviations":
        return result.deviations if top is None else result.deviations.head(top)
    table = result.histogram_table()
    if table is None:
        raise UsageError("nobody played enough games for a histogram: give a smaller --enough")
    return table


def _names(reading: Reading) -> str:
    return ", ".join(Path(file).name for file, _ in reading.files[:3])


def draws(
    source: GameFiles,
    curve: CurveName = "logistic",
    class_interval: float | None = None,
    form: DrawForm = "rao-kupper",
    terms: TermsName = "full",
    fit: Objective = "results",
    white_advantage: str = "fit",
    before: str | None = None,
    validate_from: str | None = None,
    compare: bool = False,
    model: str | None = None,
    chart: str | None = None,
) -> Emission:
    """Fit a draw model: win, draw and loss by level and rating difference.

    arpad draws season.pgn --model draws.json

    arpad draws games.parquet --validate-from 2015-01-01 --compare --chart draws.png

    curve: The curve from a rating difference to an expected score.
    class_interval: C: class interval of the curves that have one. [200]
    form: The form of the model.
    terms: What the draw rate depends on: nothing, the level of the players, or all.
    fit: Fit the constants to results (win, draw, loss) or to draws.
    white_advantage: White's advantage in rating points, or fit.
    before: Take the ratings from this list instead of the games' own.
    validate_from: Fit the model on games before this day (YYYY-MM-DD) and test it on the later ones.
    compare: Also fit every form with every set of terms, and compare them.
    model: Write the model to this file, for --draw-model.
    chart: Draw a chart into this file, .png or .svg.
    """
    from arpad.pool.draw_check import check_draws
    from arpad.scale import curve as curve_called

    chosen = curve_called(curve, **({} if class_interval is None else {"class_interval": class_interval}))
    points = number_or(white_advantage, "--white-advantage", "fit")
    if points is not None and not abs(points) <= 1000:
        raise UsageError(
            f"--white-advantage: expected points, at most 1000, or fit; found {white_advantage!r}"
        )
    day = day_given(validate_from, "--validate-from")
    earlier, reading = source.ratings(before), source.read()
    source.tell(reading)
    result = check_draws(
        reading.games,
        curve=chosen,
        form=form,
        terms=terms,
        objective=fit,
        white_advantage=points,
        before=earlier,
        validate_from=day,
        compare=compare,
    )
    if result.left_out:
        say(
            f"{result.left_out:,} played games are left out: a player in them has no rating, or the scores do not add up to 1"
        )
    if model is not None:
        from arpad.files import write_text
        from arpad.publish import output as jsonout

        write_text(model, jsonout.document(result.fit.document()))
    which = "later games than it was fitted on" if result.later else "the games it was fitted on"
    return partial(
        emit_result,
        result,
        document=lambda: result.to_dict() | reading_document(reading),
        chart=chart,
        title="How often players draw",
        subtitle=f"{result.games:,} games of {_names(reading)}, {which}; dots ± 2σ, lines: {result.fit.model.form} model",
    )
