"""`arpad performance`, `expect`, `match`, `handicap` and `uscf`: figures without a file."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from arpad.cli.options import DrawModelOption, GameFiles, draw_model, number_or, numbers_given, ratings_given
from arpad.cli.output import Emission, emit, emit_result, emit_table, reading_document, say
from arpad.cli.verbs import verb_group
from arpad.errors import UsageError
from arpad.event.handicap import FieldMethod
from arpad.event.performance import Bound, Method
from arpad.scale import CurveName

if TYPE_CHECKING:
    from arpad.event.handicap import Scratch
    from arpad.scale import Curve


InterpolateOption = Annotated[
    bool, typer.Option("--interpolate", help="Interpolate in table 2.11: .625 gives 91, not 95.")
]


def performance(
    score: Annotated[float, typer.Option()],
    opponents: Annotated[str, typer.Option()],
    method: Method = "exact",
    curve: CurveName | None = None,
    bound: Bound = "none",
    interpolate: InterpolateOption = False,
) -> Emission:
    """Give the performance rating for a score.

    arpad performance --score 3.5 --opponents 1600,1700,1750,1800,1850

    arpad performance --score 10.5 --opponents 2527x15 --method table

    arpad performance --score 0 --opponents 700,850,950,1200,1500 --method uscf1994

    score: Points scored.
    opponents: Ratings of the opponents: 2600,2600,2555; 2500x3 means three of 2500.
    method: The formula (docs/methods/performance.md).
    curve: With --method exact: the curve. [logistic]
    bound: What to print for scores of 0 % and 100 %.
    """
    from arpad.event.performance import performance as measure
    from arpad.scale import curve as curve_called

    if math.isfinite(score) and not (2 * score).is_integer():
        raise UsageError(f"--score: expected points in halves, found {score:g}")
    chosen = None if curve is None else curve_called(curve)
    result = measure(
        score, ratings_given(opponents), method=method, curve=chosen, bound=bound, interpolate=interpolate
    )
    return partial(emit_result, result, one_line=True)


def expect(
    ratings: Annotated[list[float] | None, typer.Argument(metavar="DIFFERENCE | RATING OPPONENT")] = None,
    score: float | None = None,
    curve: CurveName = "logistic",
    class_interval: float | None = None,
    probabilities: bool = False,
    white: Literal["first", "second", "none"] = "none",
    white_advantage: float | None = None,
    errors: str | None = None,
    draw_model_file: DrawModelOption = None,
    interpolate: InterpolateOption = False,
) -> Emission:
    """Turn a rating difference into an expected score, or back.

    arpad expect 82 --curve pra

    arpad expect 2600 2450

    arpad expect --score 0.70 --curve table

    arpad expect 2700 2650 --probabilities --white first

    ratings: A rating difference, or two ratings.
    score: Convert a score (0 to 1) into a rating difference.
    curve: The curve from a rating difference to an expected score.
    class_interval: C: class interval of the curves that have one. [200]
    probabilities: Also print the chances of win, draw and loss; needs two ratings.
    white: With --probabilities: who has White.
    white_advantage: Rating points that the first move is worth. [the draw model's]
    errors: Standard errors of both ratings, such as 40,60; the score is averaged over them.
    """
    from arpad.scale import Table, indicated_difference
    from arpad.scale import curve as curve_called

    if interpolate and curve != "table":
        raise UsageError("--interpolate: only the printed table has steps: give --curve table too")
    chosen = curve_called(curve, **({} if class_interval is None else {"class_interval": class_interval}))
    if interpolate:
        chosen = Table(interpolate=True)
    ratings = ratings or []
    if (score is None) == (not ratings) or len(ratings) > 2:
        raise UsageError(
            "expected one difference, two ratings, or --score; try 'arpad expect 82' or 'arpad expect --score 0.7'"
        )
    given = {
        "--white": white if white != "none" else None,
        "--white-advantage": white_advantage,
        "--errors": errors,
        "--draw-model": draw_model_file,
    }
    if not probabilities and any(v is not None for v in given.values()):
        raise UsageError(
            f"{', '.join(k for k, v in given.items() if v is not None)}: expected --probabilities beside it, found none"
        )
    if probabilities:
        figures, lines = _ends(ratings, chosen, white, white_advantage, errors, draw_model_file)
    elif score is not None:
        difference = chosen.difference(score) if curve == "ratio" else indicated_difference(score, chosen)
        whole = curve == "table" and not interpolate
        figures = {"curve": curve, "score": score, "difference": int(difference) if whole else difference}
        lines = [f"A score of {score:g} indicates {_difference(difference, curve)} ({curve} curve)."]
    else:
        difference = (ratings[0] if len(ratings) == 1 else _gap(ratings, curve)) + 0.0
        expected = chosen.expected(difference)
        figures = {"curve": curve, "difference": difference, "expected": expected}
        if len(ratings) == 2:
            figures |= {"rating": ratings[0], "opponent": ratings[1]}
        lines = [
            f"{_difference(difference, curve).capitalize()}: expected score {expected:.4f}, {100 * expected:.1f} % ({curve} curve)."
        ]
    return partial(_emit_figures, figures=figures, lines=lines)


def _emit_figures(format: Any, output: str | None, *, figures: dict[str, object], lines: list[str]) -> None:
    """Print figures that are a line of JSON, a row of CSV and sentences."""
    import polars as pl

    emit(
        format,
        output,
        people=lambda: [*lines],
        rows=lambda: pl.DataFrame([figures]),
        document=lambda: figures,
        one_line=True,
    )


def _ends(
    ratings: list[float],
    curve: Curve,
    white: Literal["first", "second", "none"],
    white_advantage: float | None,
    errors: str | None,
    path: str | None,
) -> tuple[dict[str, object], list[str]]:
    """Return win, draw and loss, for programs and for people."""
    from arpad.publish.reports.event import draw_model_lines
    from arpad.rate.draws import probabilities

    if len(ratings) != 2:
        raise UsageError(
            "expected two ratings with --probabilities, because draws depend on the level; try 'arpad expect 2700 2650 --probabilities'"
        )
    sides = {"first": 1, "second": -1, "none": 0}
    model = draw_model(path)
    points = model.white_advantage if white_advantage is None else white_advantage
    if white_advantage is not None and white == "none":
        raise UsageError(
            "--white-advantage: expected --white first or --white second beside it, found neither"
        )
    spreads = numbers_given(errors, "--errors") or (0.0, 0.0)
    if len(spreads) != 2 or min(spreads) < 0:
        raise UsageError(
            f"--errors: expected two numbers of points, 0 or more, such as 40,60; found {errors!r}"
        )
    error, other = spreads
    plus = sides[white] * points
    rating, opponent = ratings
    ends = probabilities(
        rating, opponent, curve=curve, advantage=plus, model=model, error=error, opponent_error=other
    )
    result = {
        "curve": curve.name,
        "rating": rating,
        "opponent": opponent,
        "difference": rating - opponent,
        "white": white,
        "advantage": plus,
        "error": error,
        "opponent_error": other,
        "expected": ends.expected,
        "win": ends.win,
        "draw": ends.draw,
        "loss": ends.loss,
    }
    side = {"first": f", White ({plus:+g} points)", "second": f", Black ({plus:+g} points)", "none": ""}
    averaged = f", averaged over errors of {error:g} and {other:g} points" if error or other else ""
    lines = [
        (
            f"{rating:g} against {opponent:g}{side[white]}: win {ends.win:.1%}, draw {ends.draw:.1%}, loss {ends.loss:.1%}; "
            f"expected score {ends.expected:.4f} ({curve.name} curve{averaged})."
        ),
        *draw_model_lines(model, path and Path(path).name, curve, rating, opponent),
    ]
    return result, lines


def _gap(ratings: list[float], curve: str) -> float:
    if curve != "ratio":
        return ratings[0] - ratings[1]
    if ratings[0] < 0 or ratings[1] <= 0:
        raise UsageError("expected two ratings above 0: on a ratio scale there are no others")
    return ratings[0] / ratings[1]


def _difference(value: float, curve: str) -> str:
    if curve == "ratio":
        return f"a ratio of {value:.4g}"
    if abs(value) == float("inf"):
        return "no finite difference"
    return f"{value:+.6g} points" if value else "0 points"


def match(
    rating: float,
    opponent: float,
    games: int | None = None,
    first_to: float | None = None,
    wins: int | None = None,
    drawn_at: int | None = None,
    draws: str | None = None,
    draw_model_file: DrawModelOption = None,
    white_advantage: float | None = None,
    curve: CurveName = "table",
    chart: str | None = None,
) -> Emission:
    """Give the chances of a match: win, draw, loss, every score, and its length.

    arpad match 2700 2650 --games 12

    arpad match 2700 2650 --games 12 --draws 0

    arpad match 2780 2710 --wins 10 --drawn-at 9

    arpad match 2843 2773 --games 14 --curve logistic

    rating: The first player's rating.
    opponent: The opponent's rating.
    games: Number of games of the match.
    first_to: The match ends when a player has this many points, such as 6.5.
    wins: The match has no limit and ends when a player has this many wins.
    drawn_at: With --wins: the match is drawn when both players have N wins.
    draws: Probability of a draw, 0 to 1 (0 is the book's binomial), or model (by level and difference). [model]
    white_advantage: Rating points that the first move is worth; colours alternate. [0, or the draw model's]
    curve: table, logistic, normal, linear or pra.
    chart: Draw the scores into this file, .png or .svg.
    """
    from arpad.event.match import forecast
    from arpad.publish.reports.event import draw_model_lines, match_settings
    from arpad.scale import curve as curve_called

    used = curve_called(curve)
    chosen = _draws(draws, draw_model_file)
    own = 0.0 if isinstance(chosen, float) else chosen.white_advantage
    result = forecast(
        rating - opponent,
        games=games,
        first_to=first_to,
        wins=wins,
        drawn_at=drawn_at,
        draws=chosen,
        level=(rating + opponent) / 2,
        white_advantage=own if white_advantage is None else white_advantage,
        curve=used,
    )
    title = f"{rating:g} – {opponent:g}, {_kind(games, first_to, wins)}"
    name = draw_model_file and Path(draw_model_file).name
    model = [] if isinstance(chosen, float) else draw_model_lines(chosen, name, used, rating, opponent)
    return partial(
        emit_result,
        result,
        view={"title": title, "model": model},
        document=lambda: {"rating": rating, "opponent": opponent, **result.to_dict()},
        chart=chart,
        title=title,
        subtitle=(
            f"won {result.won:.1%}, drawn {result.drawn:.1%}, lost {result.lost:.1%} ({match_settings(result)})"
        ),
    )


def _draws(text: str | None, path: str | None) -> Any:
    """Return a share of draws, or the model that is asked for."""
    if text in (None, "model"):
        return draw_model(path)
    if path is not None:
        raise UsageError(f"expected --draws model beside --draw-model, found --draws {text}: choose one")
    return cast("float", number_or(text, "--draws", "model", "a probability from 0 to 1,"))


def _kind(games: int | None, first_to: float | None, wins: int | None) -> str:
    limit = "" if games is None else f"{games} game{'s' if games > 1 else ''}"
    if wins is not None:
        return f"to {wins} win{'s' if wins > 1 else ''}" + (f" in at most {limit}" if limit else "")
    if first_to is not None:
        return f"to {first_to:g} points" + (f" in at most {limit}" if limit else "")
    return limit


def handicap(
    ratings: list[float],
    games: int | None = None,
    method: FieldMethod | None = None,
    scratch: str | None = None,
    players: int | None = None,
    rounds: int | None = None,
    performance: float | None = None,
    share: float = 0.8,
    fraction: float | None = None,
    draws: float = 0.0,
) -> Emission:
    """Give the handicap that makes a match or a tournament even.

    arpad handicap 2100 1900 --games 20

    arpad handicap 1900 --scratch 2200 --performance 2050

    arpad handicap 2470 --scratch 2635 --players 16

    ratings: Ratings: two for a match, all of them for a tournament, or one.
    games: Number of games of a match.
    method: Method for a tournament (docs/methods/handicap.md).
    scratch: The rating that gets no handicap: a number, top or top-three.
    players: Number of players of a round robin, if you do not name all.
    rounds: Number of rounds of a Swiss.
    performance: Score of one player, for Brasket's handicap score.
    share: Share of the difference to the scratch player that Brasket's handicap gives.
    fraction: Share of the expected difference that a match's handicap gives. [all of it less one σ]
    draws: Share of drawn games in a match.
    """
    if games is not None:
        _only_a_match(
            ratings, method=method, scratch=scratch, players=players, rounds=rounds, performance=performance
        )
        return _match(ratings, games, fraction, draws)
    if len(ratings) == 2 and method is None and players is None and rounds is None:
        raise UsageError("expected --games with two ratings, as in 'arpad handicap 2100 1900 --games 20'")
    if fraction is not None or draws:
        raise UsageError("--fraction and --draws are for a match: give --games too")
    if len(ratings) == 1 and scratch_of(scratch) in (None, "top", "top-three"):
        raise UsageError(
            "expected --scratch with one rating, as in 'arpad handicap 1900 --scratch 2200 --rounds 9'"
        )
    chosen = _method(method, len(ratings), players, rounds, performance)
    if rounds is not None and chosen not in ("swiss", "expected"):
        raise UsageError(f"--rounds has no effect on the handicap {chosen}: leave it out")
    if players is not None and chosen != "round-robin":
        raise UsageError(f"--players has no effect on the handicap {chosen}: leave it out")
    from arpad.event.handicap import field_handicaps, worth_a_handicap

    result = field_handicaps(
        ratings, method=chosen, scratch=scratch_of(scratch), players=players, rounds=rounds, share=share
    )
    whole = len(ratings) > 2 and result.method in ("round-robin", "expected")
    advice = worth_a_handicap(ratings) if whole else None
    table = result.table(ratings, performance)
    return partial(
        emit_result,
        result,
        view={"table": table, "advice": advice},
        rows=lambda: table,
        document=lambda: {
            **result.to_dict(),
            "players": table.to_dicts(),
            "worth_it": None if advice is None else advice.handicap,
            "notes": list(result.notes),
        },
    )


def scratch_of(text: str | None) -> float | Scratch | None:
    """Return a scratch rating or rule from what stands on the command line."""
    if text is None or text in ("top", "top-three"):
        return cast("Scratch | None", text)
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--scratch: expected a rating, top or top-three; found {text!r}") from None


def _only_a_match(ratings: list[float], **others: object) -> None:
    named = [f"--{name}" for name, value in others.items() if value is not None]
    if named:
        raise UsageError(f"--games is for a match, {named[0]} for a tournament: leave one out")
    if len(ratings) != 2:
        raise UsageError(f"expected two ratings for a match, found {len(ratings)}")


def _method(
    method: FieldMethod | None, count: int, players: int | None, rounds: int | None, performance: float | None
) -> FieldMethod:
    if method is not None:
        chosen = method
    elif performance is not None:
        chosen = "brasket"
    elif rounds is not None:
        chosen = "swiss"
    elif players is not None or 10 <= count <= 22:
        chosen = "round-robin"
    elif count == 1:
        raise UsageError("expected --performance, --players or --rounds, which decide the kind of handicap")
    else:
        chosen = "expected"
    if performance is not None and (chosen != "brasket" or count != 1):
        raise UsageError("--performance belongs to one player and Brasket's handicap")
    return chosen


def _match(ratings: list[float], games: int, fraction: float | None, draws: float) -> Emission:
    import polars as pl

    from arpad.event.handicap import match_handicap

    high, low = max(ratings), min(ratings)
    result = match_handicap(high - low, games, fraction=fraction, draws=draws)
    document = {"higher": high, "lower": low, **result.to_dict()}
    return partial(
        emit_result,
        result,
        view={"ratings": (high, low)},
        rows=lambda: pl.DataFrame([{k: v for k, v in document.items() if k != "parameters"}]),
        document=lambda: document,
        one_line=True,
    )


LONG = 31
"""Days beyond which games are hardly one event."""
ChanceOption = Annotated[
    float,
    typer.Option(
        "--norm-chance", help="P: how often, in per cent, a player exactly at the level makes a norm."
    ),
]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Do not round Δ/√n to three decimals; the report rounds it.")
]


def initial(fide: list[float] | None = None, age: list[int] | None = None) -> Emission:
    """Give the rating that an unrated player is taken at, by FIDE rating or age [tables 1 and 2 of the report].

    arpad uscf initial --fide 2655 --age 12

    fide: A FIDE rating; repeatable.
    age: An age in years; repeatable.
    """
    import polars as pl

    from arpad.rate.uscf.performance import age_rating, uscf_from_fide

    rows = [{"from": "FIDE rating", "value": R, "rating": uscf_from_fide(R)} for R in fide or []]
    rows += [{"from": "age", "value": float(years), "rating": age_rating(years)} for years in age or []]
    if not rows:
        raise UsageError("expected --fide or --age, found neither")
    return partial(emit_table, frame=pl.DataFrame(rows), digits={"value": 0, "rating": 0})


def fide(
    rating: float, file: str, as_uscf: float | None = None, home: str = "USA", k: float = 8.0
) -> Emission:
    """Update a USCF rating with half a year of FIDE-rated events.

    arpad uscf fide 2795 kamsky.csv

    rating: The USCF rating now.
    file: FIDE's printout as CSV: fed, city, ro, w, n, chg; - is standard input.
    as_uscf: The FIDE rating on the USCF scale. [by table 1 of the report]
    home: The federation whose events are left out.
    k: Rating points for each game.
    """
    from arpad.event.uscf import FideResult, rated_from_fide
    from arpad.read.fide_list import read_printout
    from arpad.read.source import Report, Source

    results = [
        FideResult(
            event=line.city,
            federation=line.federation,
            rating=line.rating,
            score=line.score,
            games=line.games,
            change=line.change,
        )
        for line in read_printout(Source(file, Report()))
    ]
    scale = {} if as_uscf is None else {"to_uscf": lambda _: as_uscf}
    return partial(emit_result, rated_from_fide(rating, results, home=home, K=k, **scale))


def odds(
    title: str,
    strength: float,
    opponents: Annotated[str, typer.Option()],
    events: int = 10,
    norms: int = 0,
    draws: float = 0.0,
    model: Literal["exact", "normal"] = "exact",
    single: bool = False,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
) -> Emission:
    """Give the chances of norms in one event, and of the title within several.

    arpad uscf odds Master 2150 --opponents 2200x4

    arpad uscf odds 2000 1900 --opponents 2000x4 --model normal --single

    title: A title, such as Master, or its level: 2200.
    strength: Playing strength of the player.
    opponents: Ratings of the opponents in each event; 2200,2100x3 means four opponents.
    events: Number of such events.
    norms: Norms that the player has already.
    draws: The share of drawn games between equals.
    model: exact: every score; normal: as the report calculates.
    single: Count at most one norm for each event, as the report does.
    """
    from arpad.event.norms.odds import uscf_title_odds
    from arpad.event.norms.uscf import NormSchedule

    result = uscf_title_odds(
        title,
        strength,
        ratings_given(opponents),
        events=events,
        norms=norms,
        several=not single,
        draws=draws,
        model=model,
        schedule=NormSchedule(norm_chance, exact),
    )
    return partial(emit_result, result)


def titles(
    source: GameFiles, player: str | None = None, norm_chance: ChanceOption = 27.0, exact: ExactOption = False
) -> Emission:
    """Give everybody's norms and titles after some events, in the order of their dates.

    arpad uscf titles spring.csv summer.csv

    arpad uscf titles 1994.trf --player Smith

    player: Show one player norm by norm: a name, a part of it, or an id.
    """
    from arpad.event.norms.field import find_player
    from arpad.event.norms.uscf import NormSchedule, norm_register

    schedule = NormSchedule(norm_chance, exact)
    reading = source.read()
    games = reading.games
    days = games.table["date"].drop_nulls()
    if len(games.events) < 2 and len(days) and (max(days) - min(days)).days > LONG:
        say(
            f"games from {min(days)} to {max(days)} are taken as one event, for the file names no others: "
            "norms go by events, and a column event tells them apart"
        )
    row = None if player is None else find_player(games, player)
    result = norm_register(games, schedule=schedule, row=row)
    source.tell(reading)
    return partial(emit_result, result, document=lambda: {**result.to_dict(), **reading_document(reading)})


uscf = verb_group(
    "The USCF's titles of 1994 and their odds; FIDE results into a USCF rating.",
    {verb.__name__: verb for verb in (titles, odds, initial, fide)},
)
