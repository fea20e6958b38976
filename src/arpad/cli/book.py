"""`arpad book`: the figures of Elo's book that belong to no other command, by section."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from arpad.cli.options import GameFiles, day_given, lists_given, numbers_given
from arpad.cli.output import Emission, emit_result, emit_table, progress
from arpad.cli.verbs import verb_group
from arpad.errors import UsageError
from arpad.event.norms.fide1986 import Championship, Title
from arpad.event.unrated import Difference
from arpad.pool.demography import By
from arpad.scale import CurveName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl


def _show(
    rows: pl.DataFrame | Sequence[Mapping[str, Any]],
    lines: Sequence[str],
    *,
    digits: Mapping[str, int] | None = None,
    **more: Any,
) -> Emission:
    import polars as pl

    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
    return partial(emit_table, frame=frame, lines=lines, digits=digits, more=more)


# How far ratings can be trusted, and how they are made by hand.


def reliability(
    games: Annotated[list[int] | None, typer.Argument()] = None, expected: float = 0.5, draws: float = 0.0
) -> Emission:
    """Give σ, the probable error and the confidence level for N games [2.54–2.57, 8.95].

    arpad book reliability 15 30

    arpad book reliability 20 --expected 0.625

    games: Numbers of games to print rows for. [those of table 2.55]
    expected: The expected score of a game.
    draws: The share of drawn games; the book assumes none.
    """
    from arpad.event.performance import reliability as measure

    rows = [asdict(measure(n, p=expected, draws=draws)) for n in games or TABLE_2_55]
    digits = dict.fromkeys(("sigma_score", "probable_error_score"), 2)
    digits |= dict.fromkeys(("sigma_rating", "probable_error_rating"), 1) | {"confidence": 3}
    said = "confidence: how often the true rating is within 100 points, half a class interval."
    return _show(rows, [said], digits=digits, expected=expected, draws=draws)


TABLE_2_55 = (5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)


def round_robin(
    totals: str, old_games: float = 50.0, players: Annotated[int | None, typer.Option(min=2)] = None
) -> Emission:
    """Rate everybody in a round robin from its rated players; only total scores are needed [1.73–1.75, 3.34, 3.35].

    arpad book round-robin brazil-1972.csv

    arpad book round-robin three-of-twenty.csv --players 20

    totals: A CSV file with the columns player, rating (empty if unrated) and score, or W and L; also games, if some players played fewer.
    old_games: N_o: number of games behind the old ratings.
    players: M: number of players, if TOTALS has only some of them [2.48].
    """
    from arpad.event.unrated import expected_in_round_robin, rate_round_robin, read_totals

    field = read_totals(totals, players=players)
    result = rate_round_robin(field, N_o=old_games, players=players)
    M = players or len(field)
    cycles = max(1, round(max(p.games for p in field) / (M - 1)))
    expected = [
        None if p.rating is None else expected_in_round_robin(p.rating - result.average, M, cycles=cycles)
        for p in field
    ]
    import polars as pl

    frame = result.table().with_columns(pl.Series("expected", expected, dtype=pl.Float64))
    digits = dict.fromkeys(("rating", "performance", "D_p", "D_a", "error", "change"), 0)
    digits |= {"share": 2, "expected": 2}
    lines = [f"{result.summary()}.", "W_e = k (P M − ½), of the rated [(8), 1.75]."]
    more = {"average": result.average, "average_error": result.average_error, "parameters": result.parameters}
    return _show(frame, lines, digits=digits, **more)


def unrated(
    source: GameFiles, cycles: Annotated[int, typer.Option(min=1)] = 2, method: Difference = "table"
) -> Emission:
    """Rate the unrated players of an event from their rated opponents, then also from each other [1.67].

    arpad book unrated open.trf

    arpad book unrated open.pgn --method small-sample

    cycles: Number of cycles: 1 or 2 are the book's two methods.
    method: How to find D_p; small-sample multiplies it by the factor F.
    """
    from arpad.event.unrated import second_cycle

    reading = source.read()
    result = second_cycle(reading.games, cycles=cycles, method=method)
    source.tell(reading)
    digits = {"first": 0, "performance": 0, "error": 0}
    return _show(result.table(), [f"{result.summary()}."], digits=digits, parameters=result.parameters)


def performance(
    score: Annotated[float, typer.Option()],
    average: Annotated[float, typer.Option()],
    players: int | None = None,
    cycles: Annotated[int, typer.Option(min=1)] = 1,
    games: int | None = None,
    rating: float | None = None,
    small_sample: bool = False,
) -> Emission:
    """Calculate R_p from the average rating of all: (6) for a round robin, (9) for a match [1.72, 2.42, 2.49].

    arpad book performance --average 2534 --score 10.5 --players 16 --rating 2635

    arpad book performance --average 2680 --score 12.5 --games 24

    score: Points scored.
    average: R_a: the average rating of the field, with the player.
    players: M: number of players of a round robin.
    cycles: How often each pair of players meets.
    games: N: number of games of a match between two rated players.
    rating: The old rating; with it the command also prints W_e by formula (8).
    small_sample: Apply the factor F of formula (71) to a round robin [8.85].
    """
    from arpad.event.performance import in_match, in_round_robin
    from arpad.event.unrated import expected_in_round_robin

    if (players is None) == (games is None):
        raise UsageError("expected --players of a round robin, or --games of a match")
    most = games if games is not None else cycles * (cast("int", players) - 1)
    if not 0 <= score <= most:
        raise UsageError(f"--score: expected 0 to {most} points, found {score:g}")
    row: dict[str, object] = {"average": average, "score": score, "games": most}
    if games is not None:
        row["performance"] = in_match(average, score, games)
        said = "R_p = R_a + D_p / 2 [(9)]."
    else:
        M = cast("int", players)
        row["performance"] = in_round_robin(average, score, M, cycles=cycles, small_sample=small_sample)
        said = (
            "R_F = R_a + F D_p (M − 1) / M [(71)]." if small_sample else "R_p = R_a + D_p (M − 1) / M [(6)]."
        )
        if rating is not None:
            row["expected"] = expected_in_round_robin(rating - average, cast("int", players), cycles=cycles)
            said += " W_e = k (P M − ½) [(8)]."
    return _show([row], [said], digits={"performance": 0, "expected": 2})


def new_rating(
    rating: float,
    performance: float | None = None,
    games: float | None = None,
    old_games: float = 30.0,
    score: float | None = None,
    opponents: Annotated[str | None, typer.Option(metavar="RATINGS")] = None,
    k: float = 10.0,
    curve: CurveName = "table",
) -> Emission:
    """Give a new rating from a score (2), or from a performance by size (14) and precision (34) [1.6, 2.43–2.47, 8.25].

    arpad book new-rating 2635 --score 10.5 --opponents 2527x15

    arpad book new-rating 1800 --performance 1950 --games 9 --old-games 36

    rating: R_o: the old rating.
    performance: R_p: the performance rating of the new games, to join by (14) and (34).
    games: With --performance, N: number of new games.
    old_games: With --performance, N_o: number of games behind the old rating.
    score: W: points scored, for R_o + K (W − W_e) [(2)].
    opponents: With --score: 2600,2600,2555, or 2527x15.
    k: With --score: K.
    curve: With --score: the curve; linear is formula (11).
    """
    from arpad.cli.options import ratings_given
    from arpad.rate.k import blended_by_precision, blended_by_size, changed_by_score
    from arpad.scale import curve as curve_called

    if score is not None and opponents is not None:
        met = ratings_given(opponents, "--opponents")
        W_e, R_n = changed_by_score(rating, score, met, k=k, curve=curve_called(curve))
        row = {
            "rating": rating,
            "score": score,
            "games": len(met),
            "expected": W_e,
            "k": k,
            "new rating": R_n,
        }
        said = "R_n = R_o + K (W − W_e) [(2), (3)]; the linear curve gives (11)."
        return _show([row], [said], digits={"rating": 0, "expected": 2, "k": 0, "new rating": 2})
    if performance is None or games is None:
        raise UsageError("expected --score and --opponents, or --performance and --games")
    given = {"games": games, "old_games": old_games}
    ways = {"by size, (14)": blended_by_size, "by precision, (34)": blended_by_precision}
    rows = [{"way": way, "new rating": join(rating, performance, **given)} for way, join in ways.items()]
    return _show(rows, ["The first is K = 4C/N_o, the second (36)."], digits={"new rating": 1})


def k_limits(games: float, old_games: list[float] | None = None) -> Emission:
    """Give the performances at which K is suitable, by formulas (30)–(36) [8.28].

    arpad book k 9 --old-games 25

    games: N: number of games of the event.
    old_games: N_o: number of games behind the old rating; repeatable. [25, 40, 50, 80]
    """
    from arpad.rate.k import k_by_precision
    from arpad.rate.k import k_limits as limits

    rows = []
    for N_o in old_games or (25.0, 40.0, 50.0, 80.0):
        result = limits(games=games, old_games=N_o, rounded=True)
        rows.append(
            {
                "K": result.k,
                "N_o": N_o,
                "N": games,
                "σ_p": result.sigma_p,
                "R_p − R_o below": result.difference,
                "ΔR below": result.change,
                "share within": result.probability,
                "K by (36)": k_by_precision(games, N_o),
            }
        )
    said = "Within these limits the new rating is within 1½ σ_p of the performance."
    digits = {"share within": 2, "K by (36)": 0, "K": 0, "N_o": 0, "N": 0, "σ_p": 0}
    return _show(rows, [said], digits=digits | {"R_p − R_o below": 0, "ΔR below": 0})


def exceptional(score: float, expected: float, games: int, level: float = 0.05, k: float = 15.0) -> Emission:
    """Test whether a performance is exceptional: the z–M test [3.62–3.64], and the feedback [3.75].

    arpad book exceptional 7.5 4.5 9

    score: W: the score.
    expected: W_e: the expected score.
    games: N: number of games.
    level: The significance level that the score must pass.
    k: K of the opponents, for their share of the points.
    """
    from arpad.rate.elo_book.rules import feedback_points, zm_test

    result = zm_test(score, expected, games, level=level)
    row = {**asdict(result), "exceptional": result.exceptional}
    row["feedback"] = feedback_points(k, score, expected, games)
    said = (
        f"{'Exceptional' if result.exceptional else 'Not exceptional'} at {level:.0%}: {result.excess:+g} points, "
        f"needed {result.needed:.2f}. feedback: points a game that each opponent gets back, with K {k:g}."
    )
    digits = {"sigma": 2, "z": 2, "probability": 4, "needed": 2, "feedback": 1}
    return _show([row], [said], digits=digits)


def goodness(
    observed: str,
    expected: str,
    fitted: Annotated[int, typer.Option(min=0)] = 0,
    cumulative: Annotated[float | None, typer.Option(metavar="N")] = None,
) -> Emission:
    """Test a table by χ² [8.96], or by Kolmogorov and Smirnov [9.17].

    arpad book goodness 9,51,137,186,127,34,2 8.4,43.5,130.2,181.3,130.2,43.5,8.4 --fitted 2

    arpad book goodness .0005,.0070,.0285,.0765 .0000,.0003,.0105,.0530 --cumulative 1857

    observed: Observed frequencies, or with --cumulative proportions: 9,51,137.
    expected: The expected ones: 8.4,43.5,130.2.
    fitted: Constants of the expectation taken from the same data.
    cumulative: Compare cumulative proportions of N observations instead [9.17].
    """
    from arpad.pool.significance import chi_square, grouped_kolmogorov_smirnov, in_words

    f_o, f_e = numbers_given(observed, "OBSERVED") or (), numbers_given(expected, "EXPECTED") or ()
    if cumulative is not None:
        ks = grouped_kolmogorov_smirnov(f_o, f_e, observations=cumulative, fitted=fitted)
        row: dict[str, Any] = {"difference": ks.difference, "interval": int(ks.at) + 1, "p": ks.p}
        row |= {"limit 5 %": ks.limit(0.05), "limit 1 %": ks.limit(0.01)}
        said = f"{in_words(ks.p).capitalize()}."
        return _show([row], [said], digits={"limit 5 %": 4, "limit 1 %": 4, "difference": 4, "p": 3})
    test = chi_square(f_o, f_e, fitted=fitted)
    row = {"χ²": test.statistic, "degrees": test.degrees, "p": test.p}
    row |= {"degrees fitted": test.degrees_fitted, "p fitted": test.p_fitted}
    row |= {"critical 5 %": test.critical(0.05), "critical 1 %": test.critical(0.01)}
    said = f"By the book's j − 1 degrees: {in_words(test.p)}. Fitted constants taken off: {in_words(test.p_fitted)}."
    digits = dict.fromkeys(("χ²", "p", "p fitted", "critical 5 %", "critical 1 %"), 3)
    return _show([row], [said], digits=digits)


# Curves and scales.


def curves(
    differences: Annotated[list[float] | None, typer.Argument()] = None,
    sigmas: str | None = None,
    base: float | None = None,
    chart: str | None = None,
) -> Emission:
    """Compare curves: expected score, odds, games needed to tell them apart [8.23, 8.36, 8.72–8.74].

    arpad book curves

    arpad book curves --chart curves.png

    arpad book curves 100 200 --sigmas 100,300 --base 2.512

    differences: D: rating difference. [0 to 600, as in section 8.73]
    sigmas: Standard deviations of the two players' performances, such as 100,300 [8.23].
    base: Base of the logistic curve for one class interval [8.36].
    chart: Draw the curves and their slopes, the distribution functions, .png or .svg [1.43, 8.72].
    """
    from arpad.pool.significance import compare_curves

    spreads = None if sigmas is None else numbers_given(sigmas, "--sigmas") or ()
    if spreads is not None and len(spreads) != 2:
        raise UsageError(f"--sigmas: expected two spreads such as 100,300; found {sigmas!r}")
    result = compare_curves(
        differences or range(0, 601, 50),
        sigmas=None if spreads is None else (spreads[0], spreads[1]),
        base=base,
    )
    odds = {name: 2 for name in result.rows.columns if name.startswith("odds")}
    return partial(
        emit_result,
        result,
        digits={"D": 0, **dict.fromkeys(result.curves, 3), **odds},
        chart=chart,
        title="Probability and distribution functions",
    )


def scales(
    ratings: list[float],
    source: Annotated[Literal["interval", "ratio", "logarithm"], typer.Option("--from")] = "interval",
    base: float = 10.0,
) -> Emission:
    """Convert ratings to a direct and a logarithmic ratio scale, or back [8.71].

    arpad book scales 2000 2700

    arpad book scales 14.5 --from logarithm --base 3.1623

    ratings: Ratings to convert, on the scale that --from names.
    source: The scale of these ratings.
    base: Base of the logarithmic ratio scale.
    """
    from arpad.scale import from_logarithm, from_ratio, to_logarithm, to_ratio

    if source == "ratio":
        ratings = [from_ratio(value) for value in ratings]
    elif source == "logarithm":
        ratings = [from_logarithm(value, base) for value in ratings]
    rows = [{"interval": R, "ratio": to_ratio(R), "logarithm": to_logarithm(R, base)} for R in ratings]
    said = "1000 is the same on the interval and the direct ratio scale; 400 points are a factor of ten."
    return _show(rows, [said], digits={"interval": 0, "ratio": 0, "logarithm": 2}, base=base)


# Titles and lists of 1986.


def fide_event(
    source: GameFiles, championship: Annotated[bool, typer.Option("--national-championship")] = False
) -> Emission:
    """Rate one event by FIDE's regulations of 1986, and say whether it was rateable [4.41, 4.51–4.58].

    arpad book fide-event wijk-aan-zee.trf

    championship: Use the rule for events with fewer rated players.
    """
    from arpad.event.fide1986 import fide_event_1986

    reading = source.read()
    result = fide_event_1986(reading.games, national_championship=championship)
    source.tell(reading)
    digits = {"expected": 2, "performance": 0, "error": 0, "change": 1, "entered": 0}
    more = {"average": result.average, "route": result.route, "parameters": result.parameters}
    return _show(result.table(), [f"{result.summary()}."], digits=digits, **more)


def points_chart(
    women: bool = False, players: Annotated[str, typer.Option(metavar="FROM-TO")] = "10-20"
) -> Emission:
    """Print the points that are a title result, with the minima of a title tournament [4.33, 4.34].

    arpad book points-chart --players 12-16

    women: Use the rules for women's tournaments: WGM and IWM.
    players: The range of players, such as 10-20.
    """
    from arpad.event.norms.fide1986 import points_chart as chart

    result = re.fullmatch(r"(\d+)(?:-(\d+))?", players)
    if not result or not 2 <= int(result[1]) <= int(result[2] or result[1]) <= 200:
        raise UsageError(f"--players: expected such as 10-20, found {players!r}")
    frame = chart(women=women, fewest=int(result[1]), most=int(result[2] or result[1]))
    said = "A column a category; foreign, rated and titled: this many players are needed at least."
    digits = {name: 1 for name in frame.columns if name.rstrip("W").isdecimal()}
    return _show(frame, [said], digits=digits)


def award(
    norm: list[str] | None = None,
    rating: list[str] | None = None,
    direct: list[str] | None = None,
    woman: bool = False,
) -> Emission:
    """List the titles that a player has earned, when and why, by the rules of 1986 [4.31–4.35].

    arpad book award --norm "IM 1984-05-01 13" --norm "IM 1985-08-01 11" --rating "1986-01-01 2390 60"

    norm: 'TITLE DATE GAMES', such as 'IM 1984-05-01 13'; repeatable.
    rating: 'DATE RATING GAMES' of a published list; repeatable.
    direct: 'CHAMPIONSHIP=DATE', such as 'world junior=1985-08-01'.
    woman: Check women's titles, too.
    """
    from arpad.event.norms.fide1986 import DirectResult, Norm, PublishedRating, awards

    norms, ratings, results = [], [], []
    for text in norm or []:
        title, day, games = _words(text, 3, "--norm", "IM 1984-05-01 13")
        norms.append(Norm(title=title.upper(), ended=day_given(day, "--norm"), games=_count(games, "--norm")))
    for text in rating or []:
        day, value, games = _words(text, 3, "--rating", "1986-01-01 2390 60")
        published = float(_count(value, "--rating"))
        ratings.append(
            PublishedRating(on=day_given(day, "--rating"), rating=published, games=_count(games, "--rating"))
        )
    for text in direct or []:
        name, _, day = text.rpartition("=")
        results.append(
            DirectResult(championship=cast("Championship", name), ended=day_given(day, "--direct"))
        )
    if not norms and not ratings and not results:
        raise UsageError("expected --norm, --rating or --direct, found none")
    result = awards(norms, ratings, results, woman=woman)
    none = "No title: two results with 24 games within five years, and a rating, are needed."
    return _show(
        [{"title": a.title, "on": a.on, "reason": a.reason} for a in result], [] if result else [none]
    )


def _words(text: str, count: int, option: str, example: str) -> list[str]:
    words = text.split()
    if len(words) != count:
        raise UsageError(f"{option}: expected such as '{example}', found {text!r}")
    return words


def _count(text: str, option: str) -> int:
    if not text.isdecimal():
        raise UsageError(f"{option}: expected a whole number, found {text!r}")
    return int(text)


def title_odds(
    title: Title,
    strengths: list[float],
    events: list[float] | None = None,
    games: Annotated[int, typer.Option(min=1)] = 11,
) -> Emission:
    """Give the chance of a title within five years, by strength and activity [4.32, 4.74].

    arpad book title-odds GM 2450 2500 2550

    title: GM, IM, WGM or IWM.
    strengths: Playing strengths to print rows for.
    events: Events a year; repeatable. [1, 2, 4, 8]
    games: Number of games of each event.
    """
    from arpad.event.norms.odds import norms_required, odds_by_activity

    frame = odds_by_activity(title, strengths, events or [1.0, 2.0, 4.0, 8.0], games=games)
    said = f"{norms_required(games)} results in events of {games} games are needed within five years."
    return _show(frame, [said], digits={"strength": 0, **dict.fromkeys(frame.columns[1:], 2)})


def list_for(ended: str, received: str | None = None) -> Emission:
    """Name the list before an event and the list that includes it, by the rules of 1986 [3.2, 4.41, 4.42].

    arpad book list-for 1986-05-31 --received 1986-07-10

    ended: The day on which an event ended: 1986-05-31.
    received: The day on which the report arrived.
    """
    from arpad.event.fide1986 import issue_for, issue_in_force

    day = day_given(ended, "ENDED")
    enters = issue_for(day, day_given(received, "--received"))
    row = {"ended": day, "rated from": str(issue_in_force(day)), "enters": enters and str(enters)}
    return _show([row], [] if enters else ["Too late: it is not calculated."])


# Populations and ages.


def above(
    ratings: list[float],
    table: str | None = None,
    counts: str = "count",
    players: float | None = None,
    mean: float | None = None,
    sd: float | None = None,
    zero: float | None = None,
) -> Emission:
    """Give the number of players above a rating, as counted and by both distributions [7.39, 9.14].

    arpad book above 2200 2400 --players 34403 --mean 1390 --sd 273

    arpad book above 2300 2450 --table uscf-1983.csv --counts established

    ratings: Count the players above these ratings.
    table: A CSV file of counts by rating (columns low or range, and the counts), instead of --players, --mean and --sd.
    counts: The column of TABLE with the counts; if they are shares, give --players, too.
    players: Players of the pool.
    mean: Their mean rating.
    sd: Standard deviation of their ratings.
    zero: Zero point of the Maxwell–Boltzmann shape, instead of --sd.
    """
    from arpad.pool.demography import players_above
    from arpad.pool.distribution import DistributionShape, MaxwellShape, NormalShape, read_histogram

    counted = None
    if table is not None:
        counted = read_histogram(table, counts, players=players)
        players, mean, sd = counted.total, counted.mean(), counted.sd()
    if players is None or mean is None:
        raise UsageError("expected --players and --mean, or a --table of counts")
    shapes: dict[str, DistributionShape] = {}
    if sd is not None:
        shapes = {
            "normal": NormalShape(mean=mean, sd=sd),
            "maxwell": MaxwellShape.of_moments(mean=mean, sd=sd),
        }
    if zero is not None:
        shapes["maxwell"] = MaxwellShape.through_mean(zero=zero, mean=mean)
    if not shapes:
        raise UsageError("expected --sd, or --zero of the Maxwell–Boltzmann shape")
    rows = [
        {
            "above": R,
            **({} if counted is None else {"counted": (n := counted.above(R)), "percent": 100 * n / players}),
            **{name: players_above(R, players=players, shape=shape) for name, shape in shapes.items()},
        }
        for R in ratings
    ]
    constants = {name: shape.parameters().items() for name, shape in shapes.items()}
    said = "; ".join(f"{name}: {', '.join(f'{k} {v:.4g}' for k, v in c)}" for name, c in constants.items())
    digits = {"above": 0, "counted": 1, "percent": 2, "normal": 1, "maxwell": 1}
    return _show(rows, [f"{said}."], digits=digits, players=players)


def age(
    rating: Annotated[float | None, typer.Argument(show_default="three ideal curves")] = None,
    years: Annotated[float | None, typer.Argument(show_default="all ages")] = None,
    chart: str | None = None,
) -> Emission:
    """Give the rating at other ages on the book's composite curve of masters [5.67, 6.22, 6.32–6.34].

    Without a rating: the ideal curves of a future grandmaster, international master and national master.

    Most people who have this rating at this age do not follow the curve: see arpad book potential.

    arpad book age 2120 15 --chart age.png

    rating: The rating now.
    years: The age now.
    chart: Draw the curves, .png or .svg [6.22, 6.34].
    """
    from arpad.pool.lifetime import age_curves

    result = age_curves(rating, years)
    whole = dict.fromkeys(result.rows.columns, 0)
    return partial(emit_result, result, digits=whole, chart=chart, title="Rating and age")


def potential(
    rating: float,
    years: float,
    lists: list[str],
    until: float = 30.0,
    dates: str | None = None,
    chart: str | None = None,
) -> Emission:
    """Give the chances to reach 2300, 2400 and 2500, from real lists: master potential [6.34, 6.43].

    arpad simulates 4,000 careers. Each changes, from list to list, as players of that age and rating did.

    arpad book potential 2120 15 JUL01FRL.TXT APR04FRL.TXT

    rating: The rating now.
    years: The age now.
    lists: Rating lists of two dates or more, with years of birth.
    until: The age at which to stop.
    dates: The date of each list: 2001-07-01,2004-04-01.
    chart: Draw the band of curves, .png or .svg.
    """
    from arpad.pool.demography import potential as follow

    result = follow(rating, years, lists_given(lists, dates), until=until)
    return partial(emit_result, result, chart=chart, title="Master potential")


def trinomial(games: int, win: float = 1 / 3, draw: float = 1 / 3) -> Emission:
    """Give the probability of every way in which a match can end: wins, losses and draws [8.91, 8.92].

    arpad book trinomial 4

    arpad book trinomial 4 --win 0.5 --draw 0.25

    games: Number of games of the match.
    win: The probability of a win in a game.
    draw: The probability of a draw in a game.
    """
    from arpad.event.match import score_ways

    result = score_ways(games, win, draw)
    return partial(emit_result, result, digits={"score": 1, "probability": 4})


def holders(by: By = "period", titles: Annotated[bool, typer.Option("--list")] = False) -> Emission:
    """Count the titleholders of 1986 (list 9.4) by period, year, country or birthplace [4.28, 4.71, 7.5].

    arpad book titleholders --by birthplace

    by: How to group the titleholders.
    titles: Print lists 9.4 and 9.5 themselves.
    """
    from arpad.pool.demography import masters, titleholders

    if titles:
        return _show(masters(), ["best: the best five-year average; rating: of 1 January 1986."])
    lines = {
        "period": "average: of best five-year averages, else ratings of 1986; rated: players who have one.",
        "year": "living: holders of the title who were alive at the end of the year.",
        "country": "country: of residence.",
        "birthplace": "Masters of lists 9.4 and 9.5 by country and years of birth.",
    }
    said = [lines[by]]
    if by != "birthplace":
        said.append(
            "The list has each player's highest title only, so IM titles of later grandmasters are missing."
        )
    return _show(titleholders(by), said, digits={"average": 0}, by=by)


def population(
    people: Annotated[str | None, typer.Argument(metavar="LIST")] = None,
    table: Annotated[str | None, typer.Option("--population")] = None,
    groups: bool = False,
) -> Emission:
    """Compare federations by population, players and titles; without a list, those of 1982 [7.13, 7.14].

    arpad book demography --groups

    arpad book demography APR04FRL.TXT --population population.csv

    people: A rating list with federations and titles.
    table: A CSV file with the columns federation and population (millions), and optionally players (thousands) and group.
    groups: Print one row for each group of federations [7.14].
    """
    from arpad.pool.demography import counted_list, demography, federations_1982, read_population

    said = ["population in millions, players in thousands."]
    if (people is None) != (table is None):
        raise UsageError("expected a rating list and --population, or neither of them")
    if people is None or table is None:
        counted = federations_1982()
    else:
        (listed,) = lists_given([people], None)
        counted, missing = counted_list(listed, read_population(table))
        if missing:
            more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
            said.append(f"Federations of the list without a population: {', '.join(missing[:8])}{more}.")
    result = demography(counted, groups=groups)
    whole = dict.fromkeys(("rated", "gm", "im", "titled"), 0)
    return _show(result, said, digits=dict.fromkeys(result.columns[1:], 2) | whole)


def exhibition(
    games: Annotated[list[int] | None, typer.Argument()] = None, rating: list[float] | None = None
) -> Emission:
    """Give the G-score of a master who wins every game of a simultaneous exhibition (PRA, the table of exhibitions).

    arpad book exhibition 30 --rating 1800

    games: Numbers of games. [220 500 1000]
    rating: Rating of all opponents; repeatable. [1400 to 2200]
    """
    from arpad.event.tournament_app.greatness import simultaneous

    counts = games or [220, 500, 1000]
    rows = [
        {"rating": float(R), **{f"{n} games": simultaneous(n, R) for n in counts}}
        for R in rating or (1400, 1500, 1600, 1700, 1800, 2000, 2200)
    ]
    said = "Every opponent has this rating; the second player of the world is taken as 2800."
    return _show(rows, [said], digits={"rating": 0, **{f"{n} games": 2 for n in counts}})


def material_odds(
    odds: Annotated[list[str] | None, typer.Argument(show_default=False)] = None,
    nodes: str = "10,30,100,300,1000",
    games: Annotated[int, typer.Option(min=2)] = 10,
    seed: int = 0,
    engine: Annotated[str, typer.Option(envvar="ARPAD_ENGINE")] = "stockfish",
) -> Emission:
    """Let an engine play from odds positions, and give the rating points that each odds are worth [3.92].

    arpad book material-odds knight --nodes 100,300,1000 --games 20

    odds: pawn and move, pawn and two moves, knight, rook, queen. [all]
    engine: A UCI engine by its name or path; arpad engines lists what is here.
    nodes: The players: the engine at these numbers of positions a move.
    games: Games of each pair, on level terms and at odds.
    seed: Seed of the random choice of openings.
    """
    from contextlib import ExitStack

    from arpad.lab.material_odds import ODDS
    from arpad.lab.material_odds import material_odds as measure
    from arpad.moves.engine import Engine, EngineSettings

    levels = [int(n) for n in numbers_given(nodes, "--nodes") or ()]
    with ExitStack() as stack, progress("games") as show:

        def player(count: int, lines: int = 1) -> Engine:
            settings = EngineSettings(engine=engine, nodes=count, multipv=lines, hash_mb=1)
            return stack.enter_context(Engine(settings))

        players = {f"{n:,} nodes": player(n).search for n in levels}
        opening = player(max(*levels, 2000), 4)
        result = measure(
            players,
            opening.search,
            odds=odds or tuple(ODDS),
            games=games,
            seed=seed,
            tell=show,
            parameters={"engine": str(opening.identity), "nodes": levels},
        )
    return partial(emit_result, result, digits={"rating": 0, "worth": 0, "error": 0, "score": 2})


book = verb_group(
    "Figures of Elo's book that belong to no other command (docs/book.md lists every section).",
    {
        "reliability": (reliability, "How sure a rating from N games is [2.55]."),
        "performance": (performance, "R_p in a round robin (6) or a match (9)."),
        "round-robin": (round_robin, "Rate a round robin from totals [3.35]."),
        "unrated": (unrated, "Rate newcomers, in two cycles [1.67]."),
        "new-rating": (new_rating, "R_n from a score or a performance [1.6, 8.25]."),
        "trinomial": (trinomial, "A match by wins, losses and draws [8.92]."),
        "k": (k_limits, "The limits within which K works [8.28]."),
        "exceptional": (exceptional, "The z–M test of a performance [3.63]."),
        "goodness": (goodness, "χ² of a table, or Kolmogorov's test [8.96, 9.17]."),
        "curves": (curves, "Compare normal, logistic, linear [8.73]."),
        "scales": (scales, "Convert interval and ratio scales [8.71]."),
        "fide-event": (fide_event, "Rate an event by the rules of 1986 [4.5]."),
        "points-chart": (points_chart, "Points for title results of 1986 [4.34]."),
        "award": (award, "Titles earned by norms and ratings [4.32]."),
        "title-odds": (title_odds, "Chance of a title in five years [4.74]."),
        "list-for": (list_for, "The list that an event enters [4.42]."),
        "above": (above, "Players of a pool above a rating [7.39]."),
        "age": (age, "The composite curve of age, ideal curves [6.22, 6.34]."),
        "potential": (potential, "Has a child master potential? [6.43]"),
        "titleholders": (holders, "Titleholders by year, country, birth [4.71]."),
        "demography": (population, "Players by federation and population [7.13]."),
        "material-odds": (material_odds, "Material odds in rating points, by an engine [3.92]."),
        "exhibition": (exhibition, "G-scores of simultaneous exhibitions (PRA)."),
    },
)
