"""`arpad expect`: rating difference to expected score, and back."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

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
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Turn a rating difference into an expected score, or back.

    arpad expect 82 --curve pra

    arpad expect 2600 2450

    arpad expect --score 0.70 --curve table
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
    result: dict[str, object] = {"curve": curve}
    if score is not None:
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
