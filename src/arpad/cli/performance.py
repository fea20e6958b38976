"""`arpad performance`: how strong somebody played, without a file."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(performance)


def performance(
    score: Annotated[float, typer.Option(help="Points scored.")],
    opponents: Annotated[
        str, typer.Option(help="Their ratings: 2600,2600,2555; 2500x3 is three of them.")
    ],
    method: Annotated[
        str, typer.Option(help="exact, table, normal, linear, small-sample or uscf1994.")
    ] = "exact",
    curve: Annotated[
        str | None,
        typer.Option(help="For exact: logistic, normal, table, linear or pra. [logistic]"),
    ] = None,
    bound: Annotated[
        str, typer.Option(help="For 0 % and 100 %: none, half-point, table or uscf1994.")
    ] = "none",
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Give the performance rating for a score.

    arpad performance --score 3.5 --opponents 1600,1700,1750,1800,1850

    arpad performance --score 10.5 --opponents 2527x15 --method table

    arpad performance --score 0 --opponents 700,850,950,1200,1500 --method uscf1994
    """
    from typing import get_args

    from arpad.event.performance import Bound, Method
    from arpad.event.performance import performance as measure
    from arpad.scale import curve as curve_called

    for value, choices, name in ((method, Method, "--method"), (bound, Bound, "--bound")):
        if value not in get_args(choices):
            raise UsageError(
                f"{name}: expected one of {', '.join(get_args(choices))}; found {value!r}"
            )
    chosen = None if curve is None else curve_called(curve)
    found = measure(score, _ratings(opponents), method=method, curve=chosen, bound=bound)  # type: ignore[arg-type]
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
            ),
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
