"""`arpad uscf fide`: a USCF rating after FIDE-rated events abroad."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(fide)


def fide(
    rating: Annotated[float, typer.Argument(help="The USCF rating now.")],
    file: Annotated[
        str,
        typer.Argument(
            help="FIDE's printout as CSV: fed, city, ro, w, n, chg; - is standard input.",
            metavar="FILE",
        ),
    ],
    as_uscf: Annotated[
        Optional[float],  # noqa: UP045 - Typer reads the annotation
        typer.Option(
            "--as-uscf", help="The FIDE rating on the USCF scale. [by table 1 of the report]"
        ),
    ] = None,
    home: Annotated[str, typer.Option(help="The federation whose events are left out.")] = "USA",
    k: Annotated[float, typer.Option("--k", help="Points a game.")] = 8.0,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Bring a USCF rating up to date with half a year of FIDE-rated events.

    arpad uscf fide 2795 kamsky.csv
    """
    from arpad.event.uscf_fide import FideResult, rated_from_fide
    from arpad.read.fide_printout import read_printout
    from arpad.read.report import Report
    from arpad.read.source import Source

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
    if as_uscf is None:
        found = rated_from_fide(rating, results, home=home, K=k)
    else:
        found = rated_from_fide(rating, results, to_uscf=lambda _: as_uscf, home=home, K=k)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        digits = {"rating": 0, "change": 2}
        steps = (
            f"N = {found.games}, W = {found.score:g}, d = {found.difference:.2f}, E = {found.expected:.2f}, "
            f"A = {found.addition or 0:g}, E_adj = {found.adjusted:.2f}."
        )
        return [
            rich_table(found.table(), digits=digits),
            "",
            *([steps] if found.counted else []),
            f"{found.summary()}.",
        ]

    def document() -> dict[str, object]:
        return {**asdict(found), "change": found.change}

    emit(format, output, people=people, rows=found.table, document=document)
