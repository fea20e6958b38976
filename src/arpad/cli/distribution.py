"""`arpad distribution`: how the ratings of a pool are distributed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, explain_report, width
from arpad.cli.reading import ColumnsOption, InputFormatOption, read_files

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from arpad.pool.distribution import Distribution

__all__ = ["add_to"]

DIGITS = {
    "low": 0, "high": 0, "percent": 2, "cumulative": 2, "normal": 1, "maxwell": 1, "χ²": 2,
    "largest difference": 4,
}  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(distribution)


def distribution(
    file: Annotated[
        str,
        typer.Argument(
            help="A rating list (FIDE's, arpad's, CSV with player and rating), or games with ratings.",
            metavar="LIST-OR-GAMES",
        ),
    ],
    interval: Annotated[
        float, typer.Option("--width", help="Rating points an interval.", min=1)
    ] = 100.0,
    least: Annotated[
        float, typer.Option(help="Expected players an interval must have for χ².", min=0)
    ] = 5.0,
    zero: Annotated[
        float | None,
        typer.Option(help="Zero point of the Maxwell–Boltzmann shape; fitted if not given."),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="Take the numbers of this column of a CSV file.")
    ] = None,
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Describe the ratings of a pool, with a normal and a Maxwell–Boltzmann fit.

    arpad distribution APR04FRL.TXT --chart pool.png

    arpad distribution season.pgn --width 50
    """
    from arpad.pool.distribution import distribution as describe

    ratings, source = _ratings(file, column, columns, input_format)
    found = describe(ratings, width=interval, least=least, zero=zero)
    if chart is not None:
        _draw(found, chart, file)
    emit(
        format,
        output,
        people=lambda: _people(found),
        rows=found.table,
        document=lambda: _document(found, file, source),
    )


def _ratings(
    file: str, column: str | None, columns: str | None, input_format: str | None
) -> tuple[NDArray[np.float64], str]:
    """Read one column, or a list if the file is one, else games."""
    import numpy as np

    from arpad.errors import FormatError
    from arpad.pool.listed import from_games, from_list
    from arpad.read import read_list
    from arpad.read.numbers import read_numbers
    from arpad.read.report import Report

    if column is not None:
        return np.array(read_numbers(file, column)), "column"
    # Standard input can be read once only, so that it is taken for games.
    if columns is None and input_format in (None, "fide") and file != "-":
        report = Report()
        try:
            listed = read_list(file, report=report)
        except FormatError:
            if input_format == "fide":
                raise
        else:
            explain_report(report)
            return from_list(listed), "list"
    reading = read_files([file], columns=columns, format=input_format, strict=False)
    explain_report(reading.report)
    return from_games(reading.games), "games"


def _people(found: Distribution) -> list[object]:
    from arpad.publish.tables import fitted, rich_table

    def table(frame: pl.DataFrame, title: str) -> object:
        return rich_table(fitted(frame, width(), DIGITS), title=title, digits=DIGITS)

    skew = (
        ""
        if found.skewness is None
        else f" Skewness {found.skewness:.2f}; a normal distribution has 0, Maxwell–Boltzmann .49."
    )
    parts: list[object] = [f"{found.summary()}.{skew}", "", table(found.table(), "Histogram"), ""]
    if not found.fits:
        return parts
    return [
        *parts,
        table(_fits(found), "Fits"),
        "",
        *_constants(found),
        (
            "p is the book's, with j − 1 degrees of freedom; p, fitted takes off one for every constant taken from the data. "
            "Kolmogorov–Smirnov's p is too large for fitted shapes. A list with a floor cuts a pool off: neither shape knows of one."
        ),
    ]


def _constants(found: Distribution) -> list[str]:
    def words(parameters: dict[str, float]) -> str:
        return ", ".join(f"{name} {value:.1f}" for name, value in parameters.items())

    return [f"{fit.shape.name}: {words(fit.shape.parameters())}" for fit in found.fits]


def _fits(found: Distribution) -> pl.DataFrame:
    import polars as pl

    from arpad.pool.goodness import p_text

    return pl.DataFrame(
        [
            {
                "shape": fit.shape.name,
                "χ²": fit.chi_square.statistic,
                "intervals": fit.chi_square.intervals,
                "p": p_text(fit.chi_square.p),
                "p, fitted": p_text(fit.chi_square.p_fitted),
                "largest difference": fit.kolmogorov_smirnov.difference,
                "at": f"{fit.kolmogorov_smirnov.at:.0f}",
                "KS p": p_text(fit.kolmogorov_smirnov.p),
            }
            for fit in found.fits
        ]
    )


def _document(found: Distribution, file: str, source: str) -> dict[str, object]:
    return {
        "summary": found.summary(),
        "input": {"file": file, "source": source},
        "parameters": found.parameters,
        "players": int(found.players),
        "mean": found.mean,
        "sd": found.sd,
        "skewness": found.skewness,
        "fits": [fit.document() for fit in found.fits],
        "histogram": found.table().to_dicts(),
    }


def _draw(found: Distribution, path: str, file: str) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.distribution_chart import distribution_chart

    spread = "" if found.sd is None else f", standard deviation {found.sd:.0f}"
    subtitle = f"{found.players:,.0f} players, mean {found.mean:.0f}{spread}"
    title = f"Distribution of ratings: {Path(file).name}"
    save(distribution_chart(found, title=title, subtitle=subtitle), path)
