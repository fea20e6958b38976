"""`arpad expect`: rating difference to expected score, and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.draw_options import DrawModelOption, draw_model, model_words
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.scale import Curve

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command(context_settings={"ignore_unknown_options": True})(expect)


def expect(
    ratings: Annotated[
        Optional[list[float]],  # noqa: UP045 - Typer reads the annotation
        typer.Argument(
            help="A rating difference, or two ratings.", metavar="DIFFERENCE | RATING OPPONENT"
        ),
    ] = None,
    score: Annotated[
        float | None,
        typer.Option(help="Go the other way: from a score (0 to 1) to a difference."),
    ] = None,
    curve: Annotated[
        str, typer.Option(help="linear, logistic, normal, pra, ratio or table.")
    ] = "logistic",
    class_interval: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="C, for the curves that have it; 200 by default."),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Win, draw and loss too; needs two ratings.")
    ] = False,
    white: Annotated[
        str, typer.Option(help="With --probabilities, who has White: first, second or none.")
    ] = "none",
    white_advantage: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Points that the first move is worth. [the draw model's]"),
    ] = None,
    errors: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="One standard deviation of both ratings, such as 40,60: averages over them."
        ),
    ] = None,
    draw_model_file: DrawModelOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Turn a rating difference into an expected score, or back.

    arpad expect 82 --curve pra

    arpad expect 2600 2450

    arpad expect --score 0.70 --curve table

    arpad expect 2700 2650 --probabilities --white first
    """
    from arpad.scale import curve as curve_called

    chosen = curve_called(
        curve, **({} if class_interval is None else {"class_interval": class_interval})
    )
    ratings = ratings or []
    if (score is None) == (not ratings) or len(ratings) > 2:
        raise UsageError(
            "expected one difference, two ratings, or --score; try 'arpad expect 82' or 'arpad expect --score 0.7'"
        )
    given = {"--white": white if white != "none" else None, "--white-advantage": white_advantage, "--errors": errors, "--draw-model": draw_model_file}  # fmt: skip
    if not probabilities and any(v is not None for v in given.values()):
        raise UsageError(f"{', '.join(k for k, v in given.items() if v is not None)}: expected --probabilities beside it, found none")  # fmt: skip
    result: dict[str, object] = {"curve": curve}
    if probabilities:
        result, people = _ends(ratings, chosen, white, white_advantage, errors, draw_model_file)
    elif score is not None:
        difference = chosen.difference(score)
        whole = curve == "table"
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
    from arpad.rate.draw_model import probabilities

    if len(ratings) != 2:
        raise UsageError("expected two ratings with --probabilities, because draws depend on the level; try 'arpad expect 2700 2650 --probabilities'")  # fmt: skip
    sides = {"first": 1, "second": -1, "none": 0}
    if white not in sides:
        raise UsageError(f"--white: expected first, second or none, found {white!r}")
    model = draw_model(path)
    points = model.white_advantage if white_advantage is None else white_advantage
    if white_advantage is not None and white == "none":
        raise UsageError("--white-advantage: expected to know who has White: give --white first or second")  # fmt: skip
    error, other = _pair(errors)
    plus = sides[white] * points
    rating, opponent = ratings
    ends = probabilities(
        rating, opponent, curve=curve, advantage=plus, model=model, error=error, opponent_error=other
    )  # fmt: skip
    result = {
        "curve": curve.name, "rating": rating, "opponent": opponent, "difference": rating - opponent, "white": white,
        "advantage": plus, "error": error, "opponent_error": other, "expected": ends.expected, "win": ends.win, "draw": ends.draw,
        "loss": ends.loss,
    }  # fmt: skip
    side = {"first": f", White ({plus:+g} points)", "second": f", Black ({plus:+g} points)", "none": ""}  # fmt: skip
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
        raise UsageError(f"--errors: expected two numbers of points, 0 or more, such as 40,60; found {text!r}")  # fmt: skip
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
