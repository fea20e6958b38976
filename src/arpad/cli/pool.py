"""`arpad pool`: everybody's rating at once, from results alone."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say, width
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
    write_report,
)
from arpad.errors import UsageError

__all__ = ["add_to"]

NAMED = 5


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(pool)


def pool(
    files: FilesArgument,
    method: Annotated[
        str, typer.Option(help="exact, or approximations (by hand, as Elo did).")
    ] = "exact",
    curve: Annotated[str, typer.Option(help="For exact: logistic or normal.")] = "logistic",
    average: Annotated[
        float | None,
        typer.Option(help="Mean of each group; else that of the ratings in the file, or 1500."),
    ] = None,
    anchor: Annotated[
        list[str] | None, typer.Option(help="A player at a given rating, NAME=RATING; repeatable.")
    ] = None,
    white_advantage: Annotated[str, typer.Option(help="White's, in points, or fit.")] = "0",
    draw_rate: Annotated[
        str, typer.Option(help="Share of draws, which makes errors smaller: observed, or 0 to 1.")
    ] = "observed",
    prior: Annotated[
        float,
        typer.Option(
            help="Drawn games against an average opponent: joins everybody into one group.", min=0
        ),
    ] = 0.0,
    cycles: Annotated[int, typer.Option(help="For approximations.", min=1)] = 100,
    top: Annotated[int | None, typer.Option(help="Show only so many players.", min=1)] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Find the ratings that explain all results at once.

    arpad pool season.pgn

    arpad pool games.parquet --white-advantage fit --anchor "Carlsen,M=2850"
    """
    from arpad.rate.pool import PoolSystem
    from arpad.scale import curve as curve_called

    if method not in ("exact", "approximations"):
        raise UsageError(f"--method: expected exact or approximations, found {method!r}")
    if method == "approximations" and curve != "logistic":
        raise UsageError("--curve: successive approximations look differences up in table 2.11")
    chosen = cast("Literal['exact', 'approximations']", method)
    system = PoolSystem(
        method=chosen,
        curve=curve_called(curve),
        average=average,
        anchors=_anchors(anchor or []),
        advantage=_advantage(white_advantage),
        draw_rate=_draw_rate(draw_rate),
        prior=prior,
        cycles=cycles,
    )
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading)
    system.check_anchors(reading.games)
    solved = system.solve(reading.games)
    write_report(reading, report)
    ratings, groups = solved.ratings, solved.groups
    alone = ratings.rows.filter(ratings.rows["rating"].is_null())
    if alone.height:
        some = ", ".join(
            f"{p} ({n})" for p, n in alone.select("player", "note").head(NAMED).iter_rows()
        )
        say(
            f"{alone.height:,} players have no finite rating: {some}{', …' if alone.height > NAMED else ''}; "
            + (
                "--prior 1 joins them"
                if method == "exact"
                else "--method exact --prior 1 joins them"
            )
        )

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        shown = ratings.table(top)
        rest = ratings.rows.height - shown.height
        more = [f"… and {rest:,} more"] if rest else []
        several = groups.height > 1
        parts: list[object] = [rich_table(fitted(shown, width())), *more, ""]
        if several:
            parts += [
                rich_table(
                    groups.head(10), title="Groups that can be compared within, not with each other"
                ),
                "",
            ]
        return [*parts, ratings.summary()]

    emit(
        format,
        output,
        people=people,
        rows=lambda: ratings.table(top),
        document=lambda: {
            "system": "pool",
            "parameters": dict(ratings.parameters),
            **reading_document(reading),
            "groups": groups.to_dicts(),
            "ratings": (ratings.rows if top is None else ratings.rows.head(top)).to_dicts(),
        },
    )


def _anchors(texts: list[str]) -> dict[str, float]:
    anchors: dict[str, float] = {}
    for text in texts:
        name, _, rating = text.rpartition("=")
        try:
            anchors[name.strip()] = float(rating)
        except ValueError:
            raise UsageError(f"--anchor: expected NAME=RATING, found {text!r}") from None
    return anchors


def _advantage(text: str) -> float | None:
    if text == "fit":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--white-advantage: expected points or fit, found {text!r}") from None


def _draw_rate(text: str) -> float | None:
    if text == "observed":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--draw-rate: expected a share or observed, found {text!r}") from None
