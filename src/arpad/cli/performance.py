"""`arpad performance`, `expect`, `match` and `handicap`: figures without a file."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Literal, Optional, cast

import typer

from arpad.cli.options import DrawModelOption, draw_model, model_words
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError
from arpad.event.handicap_event import FieldMethod
from arpad.event.performance import Bound, Method
from arpad.scale import CurveName

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.handicap import Scratch
    from arpad.event.handicap_event import FieldMethod, Handicaps
    from arpad.event.match import Forecast
    from arpad.rate.draws import DrawModel
    from arpad.scale import Curve


InterpolateOption = Annotated[
    bool, typer.Option("--interpolate", help="Read table 2.11 between its hundredths: .625 is 91, not 95.")
]

# `arpad performance`: how strong somebody played, without a file.


def add_performance(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(performance)


def performance(
    score: Annotated[float, typer.Option(help="Points scored.")],
    opponents: Annotated[str, typer.Option(help="Their ratings: 2600,2600,2555; 2500x3 is three of them.")],
    method: Annotated[Method, typer.Option(help="The formula (docs/methods/performance.md).")] = "exact",
    curve: Annotated[CurveName | None, typer.Option(help="With --method exact. [logistic]")] = None,
    bound: Annotated[Bound, typer.Option(help="What to give for 0 % and 100 %.")] = "none",
    interpolate: InterpolateOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Give the performance rating for a score.

    arpad performance --score 3.5 --opponents 1600,1700,1750,1800,1850

    arpad performance --score 10.5 --opponents 2527x15 --method table

    arpad performance --score 0 --opponents 700,850,950,1200,1500 --method uscf1994
    """
    from arpad.event.performance import performance as measure
    from arpad.scale import curve as curve_called

    if math.isfinite(score) and not (2 * score).is_integer():
        raise UsageError(f"--score: expected points in halves, found {score:g}")
    chosen = None if curve is None else curve_called(curve)
    found = measure(
        score, _ratings(opponents), method=method, curve=chosen, bound=bound, interpolate=interpolate
    )
    near = found.within()
    result: dict[str, object] = {
        "performance": None if found.rating is None else round(found.rating, 2),
        "error": None if found.error is None else round(found.error, 1),
        "score": found.score,
        "games": found.games,
        "average": round(found.average, 2),
        "method": found.method,
        "parameters": found.parameters,
        "confidence": None if near is None else round(near, 3),
        "note": found.note or None,
    }
    if method == "uscf1994":
        result |= {
            "exact": None if found.exact is None else round(found.exact, 2),
            "difference": None if found.difference is None else round(found.difference, 2),
        }

    def people() -> list[object]:
        shown = "none" if found.rating is None else f"{found.rating:.0f}"
        error = "" if found.error is None else f" ± {found.error:.0f}"
        lines = [
            (
                f"Performance {shown}{error}: {score:g} of {found.games} against an average of "
                f"{found.average:.0f} ({method}, {found.parameters['curve']} curve)."
            )
        ]
        if near is not None:
            lines.append(
                "± is one standard deviation: such a rating is within 100 points of the truth "
                f"{100 * near:.0f} times of 100."
            )
        if found.exact is not None:
            off = "" if found.difference is None else f" ({found.difference:+.2f})"
            lines.append(f"Exact, by iteration: {found.exact:.2f}{off}.")
        hint = " (--bound gives one)" if found.rating is None else ""
        return [*lines, *([f"Note: {found.note}{hint}."] if found.note else [])]

    def rows() -> object:
        import polars as pl

        return pl.DataFrame([{k: v for k, v in result.items() if k != "parameters"}])

    emit(format, output, people=people, rows=rows, document=lambda: result, one_line=True)  # type: ignore[arg-type]


def _ratings(text: str) -> list[float]:
    ratings: list[float] = []
    for part in re.split(r"[,\s]+", text.strip()):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:x(\d{1,4}))?", part)
        if not found:
            raise UsageError(f"--opponents: expected ratings such as 2600,2555x2; found {part!r}")
        ratings += [float(found[1])] * int(found[2] or 1)
    return ratings


# `arpad expect`: rating difference to expected score, and back.


def add_expect(app: typer.Typer) -> None:
    """Register the verb."""
    app.command(context_settings={"ignore_unknown_options": True})(expect)


def expect(
    ratings: Annotated[
        Optional[list[float]],  # noqa: UP045 - Typer reads the annotation
        typer.Argument(help="A rating difference, or two ratings.", metavar="DIFFERENCE | RATING OPPONENT"),
    ] = None,
    score: Annotated[
        float | None, typer.Option(help="Go the other way: from a score (0 to 1) to a difference.")
    ] = None,
    curve: Annotated[CurveName, typer.Option(help="From a difference to an expected score.")] = "logistic",
    class_interval: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="C, for the curves that have it; 200 by default."),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Win, draw and loss too; needs two ratings.")
    ] = False,
    white: Annotated[
        Literal["first", "second", "none"], typer.Option(help="With --probabilities, who has White.")
    ] = "none",
    white_advantage: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Points that the first move is worth. [the draw model's]"),
    ] = None,
    errors: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="One standard deviation of both ratings, such as 40,60: averages over them."),
    ] = None,
    draw_model_file: DrawModelOption = None,
    interpolate: InterpolateOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Turn a rating difference into an expected score, or back.

    arpad expect 82 --curve pra

    arpad expect 2600 2450

    arpad expect --score 0.70 --curve table

    arpad expect 2700 2650 --probabilities --white first
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
    result: dict[str, object] = {"curve": curve}
    if probabilities:
        result, people = _ends(ratings, chosen, white, white_advantage, errors, draw_model_file)
    elif score is not None:
        difference = chosen.difference(score) if curve == "ratio" else indicated_difference(score, chosen)
        whole = curve == "table" and not interpolate
        result |= {"score": score, "difference": int(difference) if whole else difference}
        people = f"A score of {score:g} indicates {_difference(difference, curve)} ({curve} curve)."
    else:
        difference = ratings[0] if len(ratings) == 1 else _gap(ratings, curve)
        expected = chosen.expected(difference)
        result |= {"difference": difference, "expected": expected}
        if len(ratings) == 2:
            result |= {"rating": ratings[0], "opponent": ratings[1]}
        people = f"{_difference(difference, curve).capitalize()}: expected score {expected:.4f}, {100 * expected:.1f} % ({curve} curve)."

    def rows() -> object:
        import polars as pl

        return pl.DataFrame([result])

    emit(format, output, people=lambda: [people], rows=rows, document=lambda: result, one_line=True)  # type: ignore[arg-type]


def _ends(
    ratings: list[float],
    curve: Curve,
    white: str,
    white_advantage: float | None,
    errors: str | None,
    path: str | None,
) -> tuple[dict[str, object], str]:
    """Return win, draw and loss, for programs and for people."""
    from arpad.rate.draws import probabilities

    if len(ratings) != 2:
        raise UsageError(
            "expected two ratings with --probabilities, because draws depend on the level; try 'arpad expect 2700 2650 --probabilities'"
        )
    sides = {"first": 1, "second": -1, "none": 0}
    if white not in sides:
        raise UsageError(f"--white: expected first, second or none, found {white!r}")
    model = draw_model(path)
    points = model.white_advantage if white_advantage is None else white_advantage
    if white_advantage is not None and white == "none":
        raise UsageError("--white-advantage: expected to know who has White: give --white first or second")
    error, other = _pair(errors)
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
        *model_words(model, path, curve, rating, opponent),
    ]
    return result, "\n".join(lines)


def _pair(text: str | None) -> tuple[float, float]:
    if text is None:
        return 0.0, 0.0
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        first = second = math.nan
    if not (0 <= first < math.inf and 0 <= second < math.inf):
        raise UsageError(
            f"--errors: expected two numbers of points, 0 or more, such as 40,60; found {text!r}"
        )
    return first, second


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
    return f"{value:+.6g} points".replace("+0 points", "0 points")


# `arpad match`: the chances of a match between two ratings.

DIGITS = {"probability": 4, "this or better": 4}
SHOWN = 0.00005
"""Scores less probable than this are left out of the table for people: they would be shown as 0."""


def add_match(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(match)


def match(
    rating: Annotated[float, typer.Argument(help="The first player's rating.")],
    opponent: Annotated[float, typer.Argument(help="The opponent's rating.")],
    games: Annotated[int | None, typer.Option(help="Games that are played at most.")] = None,
    first_to: Annotated[
        float | None, typer.Option(help="Points that end the match at once, such as 6.5.")
    ] = None,
    wins: Annotated[
        int | None, typer.Option(help="Wins that end it, draws not counting; without limit.")
    ] = None,
    drawn_at: Annotated[int | None, typer.Option(help="With --wins: drawn when both have so many.")] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            help="The probability of a draw, 0 to 1 (0 is the book's binomial); or model: by level and difference. [model]"
        ),
    ] = None,
    draw_model_file: DrawModelOption = None,
    white_advantage: Annotated[
        float | None,
        typer.Option(help="Points that the first move is worth; colours alternate. [0, or the draw model's]"),
    ] = None,
    curve: Annotated[str, typer.Option(help="table, logistic, normal, linear or pra.")] = "table",
    chart: Annotated[str | None, typer.Option(help="Draw the scores into this file, .png or .svg.")] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Give the chances of a match: won, drawn, lost, every score, how long it lasts.

    arpad match 2700 2650 --games 12

    arpad match 2700 2650 --games 12 --draws 0

    arpad match 2780 2710 --wins 10 --drawn-at 9

    arpad match 2843 2773 --games 14 --curve logistic
    """
    from arpad.event.match import forecast
    from arpad.scale import curve as curve_called

    chosen = _draws(draws, draw_model_file)
    own = 0.0 if isinstance(chosen, float) else chosen.white_advantage
    found = forecast(
        rating - opponent,
        games=games,
        first_to=first_to,
        wins=wins,
        drawn_at=drawn_at,
        draws=chosen,
        level=(rating + opponent) / 2,
        white_advantage=own if white_advantage is None else white_advantage,
        curve=curve_called(curve),
    )
    title = f"{rating:g} – {opponent:g}, {_kind(games, first_to, wins)}"
    if chart is not None:
        _draw(found, title, chart)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        shown = _shown(found)
        left_out = found.scores.height - shown.height
        rest = [f"… and {left_out:,} scores below .00005"] if left_out else []
        return [
            f"{title}: won {found.won:.1%}, drawn {found.drawn:.1%}, lost {found.lost:.1%}.",
            "",
            rich_table(shown, digits=DIGITS),
            *rest,
            "",
            *_words(found),
            *(
                []
                if isinstance(chosen, float)
                else model_words(chosen, draw_model_file, curve_called(curve), rating, opponent)
            ),
        ]

    emit(
        format,
        output,
        people=people,
        rows=lambda: found.scores,
        document=lambda: {"rating": rating, "opponent": opponent, **found.to_dict()},
    )


def _draws(text: str | None, path: str | None) -> float | DrawModel:
    """Return a share of draws, or the model that is asked for."""
    if text in (None, "model"):
        return draw_model(path)
    if path is not None:
        raise UsageError(f"expected --draws model beside --draw-model, found --draws {text}: choose one")
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--draws: expected a probability from 0 to 1, or model; found {text!r}") from None


def _kind(games: int | None, first_to: float | None, wins: int | None) -> str:
    limit = "" if games is None else f"{games} game{'s' if games > 1 else ''}"
    if wins is not None:
        return f"to {wins} win{'s' if wins > 1 else ''}" + (f" in at most {limit}" if limit else "")
    if first_to is not None:
        return f"to {first_to:g} points" + (f" in at most {limit}" if limit else "")
    return limit


def _shown(found: Forecast) -> pl.DataFrame:
    import polars as pl

    from arpad.publish.charts.checks import final_score

    likely = found.scores.filter(pl.col("probability") >= SHOWN)
    final = pl.Series(map(final_score, likely["score"], likely["opponent"]), dtype=pl.String)
    return likely.select(
        final.alias("final score"), "probability", pl.col("or_more").alias("this or better"), "result"
    )


def _words(found: Forecast) -> list[str]:
    what = "wins" if found.parameters["wins"] is not None else "points"
    return [
        f"Expected {found.expected_score:.2f} ± {found.sigma:.2f} {what}; decided after {found.length:.1f} games on average.",
        f"Expected score of a game {found.expected:.3f} ({_settings(found)}). Ratings are taken as exact.",
    ]


def _settings(found: Forecast) -> str:
    settings = found.parameters
    parts = [f"{settings['curve']} curve"]
    white, black = found.draw_rates
    if white == black:
        parts.append(f"{white:.0%} draws" if white else "no draws")
    else:
        parts.append(f"{white:.1%} draws with White, {black:.1%} with Black")
    if settings["white_advantage"]:
        parts.append(f"White's advantage {settings['white_advantage']:g} points")
    return ", ".join(parts)


def _draw(found: Forecast, title: str, path: str) -> None:
    from arpad.publish.charts.checks import match_scores
    from arpad.publish.charts.style import save

    subtitle = f"won {found.won:.1%}, drawn {found.drawn:.1%}, lost {found.lost:.1%} ({_settings(found)})"
    save(match_scores(found, title=title, subtitle=subtitle), path)


# `arpad handicap`: what the weaker player gets, before a match or a tournament.

HANDICAP_DIGITS = {"rating": 0, "level": 0}


def add_handicap(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(handicap)


def handicap(
    ratings: Annotated[
        list[float], typer.Argument(help="Two for a match, all of them for a tournament, or one.")
    ],
    games: Annotated[int | None, typer.Option(help="Of a match.")] = None,
    method: Annotated[
        FieldMethod | None, typer.Option(help="Of a tournament (docs/methods/handicap.md).")
    ] = None,
    scratch: Annotated[str | None, typer.Option(help="Who gets nothing: a rating, top or top-three.")] = None,
    players: Annotated[int | None, typer.Option(help="Of a round robin, if not all are named.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Of a Swiss.")] = None,
    performance: Annotated[
        float | None, typer.Option(help="One player's, for Brasket's handicap score.")
    ] = None,
    share: Annotated[float, typer.Option(help="Brasket's, of the way to scratch.")] = 0.8,
    fraction: Annotated[
        Optional[float],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="Of a match's expected difference; else all of it less one σ."),
    ] = None,
    draws: Annotated[float, typer.Option(help="The share of drawn games in a match.")] = 0.0,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Say what handicap makes a match or a tournament an even one.

    arpad handicap 2100 1900 --games 20

    arpad handicap 1900 --scratch 2200 --performance 2050

    arpad handicap 2470 --scratch 2635 --players 16
    """
    if games is not None:
        _only_a_match(
            ratings, method=method, scratch=scratch, players=players, rounds=rounds, performance=performance
        )
        _match(ratings, games, fraction, draws, format, output)
        return
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
        raise UsageError(f"--rounds means nothing to the handicap {chosen}: leave it out")
    if players is not None and chosen != "round-robin":
        raise UsageError(f"--players means nothing to the handicap {chosen}: leave it out")
    from arpad.event.handicap_event import field_handicaps

    found = field_handicaps(
        ratings, method=chosen, scratch=scratch_of(scratch), players=players, rounds=rounds, share=share
    )
    _field(ratings, found, performance, format, output)


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
        raise UsageError(
            "expected --performance, --players or --rounds, which say what sort of handicap is meant"
        )
    else:
        chosen = "expected"
    if performance is not None and (chosen != "brasket" or count != 1):
        raise UsageError("--performance belongs to one player and Brasket's handicap")
    return chosen


def _match(
    ratings: list[float], games: int, fraction: float | None, draws: float, format: object, output: str | None
) -> None:
    from arpad.event.handicap import match_handicap

    found = match_handicap(ratings[0] - ratings[1], games, fraction=fraction, draws=draws)
    high, low = max(ratings), min(ratings)
    W_high, W_low = found.expected_scores
    won, drawn, lost = found.chances()
    result: dict[str, object] = {
        "higher": high,
        "lower": low,
        "games": games,
        "handicap": round(found.points, 2),
        "expected_higher": W_high,
        "expected_lower": W_low,
        "sigma": found.sigma,
        "higher_wins": won,
        "drawn": drawn,
        "lower_wins": lost,
    }

    def people() -> list[object]:
        if high == low:
            first = f"Nobody gets anything: both are rated {high:g}."
        elif not result["handicap"]:
            first = f"Nobody gets anything: {W_high:.1f} and {W_low:.1f} are within one standard deviation."
        else:
            first = f"{low:g} gets {found.points:.2f} points in {games} games against {high:g}."
        return [
            first,
            f"Expected scores {W_high:.1f} and {W_low:.1f}, standard deviation {found.sigma:.2f}.",
            f"With the handicap {high:g} wins {won:.0%}, draws {drawn:.0%}, loses {lost:.0%} of such matches.",
        ]

    def rows() -> object:
        import polars as pl

        return pl.DataFrame([result])

    document = result | {"parameters": found.parameters}
    emit(format, output, people=people, rows=rows, document=lambda: document, one_line=True)  # type: ignore[arg-type]


def _field(
    ratings: list[float], found: Handicaps, performance: float | None, format: object, output: str | None
) -> None:
    import polars as pl

    from arpad.event.handicap import worth_a_handicap

    frame = pl.DataFrame({"rating": ratings, "level": found.levels, "handicap": found.points}).sort(
        "rating", descending=True, maintain_order=True
    )
    if performance is not None:
        frame = frame.with_columns(
            pl.lit(performance).alias("performance"), (pl.col("handicap") + performance).alias("total")
        )
    whole = len(ratings) > 2 and found.method in ("round-robin", "expected")
    advice = worth_a_handicap(ratings) if whole else None

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        unit = "rating points on top of the performance" if found.method == "brasket" else "game points"
        scratch = "" if found.scratch is None else f", scratch {found.scratch:.0f}"
        digits = HANDICAP_DIGITS | (
            {"handicap": 0, "performance": 0, "total": 0}
            if found.method == "brasket"
            else {"handicap": 2 if found.method == "expected" else 1}
        )
        return [
            rich_table(frame, digits=digits),
            "",
            f"Handicap: {found.method}, {unit}{scratch}.",
            *([f"Note: {note}." for note in found.notes]),
            *([] if advice is None else [advice.summary().capitalize() + "."]),
        ]

    def document() -> dict[str, object]:
        return {
            "method": found.method,
            "scratch": found.scratch,
            "parameters": found.parameters,
            "players": frame.to_dicts(),
            "worth_it": None if advice is None else advice.handicap,
            "notes": list(found.notes),
        }

    emit(format, output, people=people, rows=lambda: frame, document=document)  # type: ignore[arg-type]
