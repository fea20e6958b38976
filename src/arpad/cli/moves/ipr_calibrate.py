"""`arpad ipr calibrate`: the line from average error to a rating, out of rated games."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli import options as opt
from arpad.cli.moves.evaluations import Method
from arpad.cli.output import FormatOption, OutputFormat, OutputOption, emit, explain_report
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.analysis import EngineWorkers
    from arpad.moves.engine import EngineSettings
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.decisions import Decisions
    from arpad.moves.ipr.inputs import EvaluatedDecisions, RatedSample


DEPTH, LINES = 10, 16
"""Defaults that a laptop can afford: about five positions a second on each core."""


def calibrate(
    files: list[str],
    per_mark: Annotated[int, typer.Option(min=1)] = 1000,
    step: float = 50.0,
    within: float = 10.0,
    first_mark: float = 1600.0,
    last_mark: float = 2800.0,
    width: float = 100.0,
    line_from: float = 1800.0,
    line_to: float = 2700.0,
    method: Method = "equate",
    reference: Annotated[int, typer.Option(min=1)] = 1000,
    reference_games: Annotated[list[str] | None, typer.Option(metavar="FILE")] = None,
    force: bool = False,
    fits: str | None = None,
    multipv: opt.MultipvOption = LINES,
    name: str | None = None,
    date: str | None = None,
    chart: str | None = None,
    *,
    engine: opt.EngineOptions,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Make a calibration from rated games: analyse them where needed, and fit the line with its uncertainty.

    -o x.json writes the calibration itself, for arpad ipr --calibration; every other form is a table of its marks.

    arpad ipr calibrate rated.pgn --per-mark 1000 -o mine.json --chart mine.png

    files: PGN files of rated games; games whose players are not both near a mark are left out.
    per_mark: Number of positions for each mark; first one from each game, then a second one.
    step: Rating points between the marks of the sample.
    within: How far, in points, both players may be from a mark.
    first_mark: The lowest mark of the sample.
    last_mark: The highest mark of the sample.
    width: Rating points between the marks of the line.
    line_from: The lowest mark of the line.
    line_to: The highest mark of the line.
    method: How skill is fitted; docs/methods/ipr.md compares them.
    reference: Number of positions to keep in the file, on which errors are projected.
    reference_games: PGN file from which these positions are taken; repeatable. [the rated games]
    force: Keep a line that fits its marks badly (R² below .8).
    fits: Also fit by every other method, and write the error of each method's projection to this CSV file.
    depth: Search to a depth of N plies. [10]
    name: Name of the calibration. [engine and limit]
    date: The date to write into the file. [today]
    chart: Draw marks, line and residuals into this file, .png or .svg.
    """
    from arpad.moves.evaluated_games import read_evaluated
    from arpad.moves.ipr.calibration import GOOD
    from arpad.moves.ipr.calibration import calibrate as make
    from arpad.moves.ipr.decisions import MODEL_FILTERS, filters_document
    from arpad.moves.ipr.inputs import read_decisions

    made_on = _date(date)
    limited = engine if engine.limited() else replace(engine, depth=DEPTH)
    settings = limited.settings(multipv=multipv)
    team = engine.team(settings)
    games = read_evaluated(files)
    sample = _sample(games, per_mark, first_mark, last_mark, step, within)
    result = _answered(sample, settings, team, engine.store)
    decisions, standing = result.decisions, None
    if reference_games:
        games_there = read_decisions(
            reference_games, settings, workers=team, filters=MODEL_FILTERS, store=engine.store
        )
        standing = games_there.decided.decisions.choices
    calibration = make(
        decisions.choices,
        decisions.column("rating"),
        decisions.column("game"),
        name=name or _name(result.engine),
        engine=result.engine,
        filters=filters_document(decisions.filters),
        games=_words(sample, len(files)),
        date=made_on,
        method=method,
        step=width,
        first=line_from,
        last=line_to,
        reference=reference,
        reference_from=standing,
        sample=sample.document(_games_of_files(games)),
        arpad=_version(),
        least_r_squared=0.0 if force else GOOD,
    )
    if fits is not None:
        _compare(decisions, width, fits)
    show(calibration, result, chart=chart, format=format, output=output)


def _compare(decisions: Decisions, width: float, path: str) -> None:
    from arpad.files import write_text
    from arpad.moves.ipr.inputs import fit_bias

    write_text(path, fit_bias(decisions.choices, decisions.column("rating"), step=width).write_csv())


def _date(text: str | None) -> str:
    if text is None:
        return dt.date.today().isoformat()
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(f"--date: expected a date such as 2026-11-16, found {text!r}") from None


def _version() -> str:
    from importlib.metadata import version

    return version("arpad")


def _name(engine: dict[str, object]) -> str:
    """Return the engine and its limit in one word, such as stockfish-15.1-depth10.

    Examples
    --------
    >>> _name({"engine": "Stockfish 15.1", "depth": 10})
    'stockfish-15.1-depth10'
    """
    limit = next(f"{k}{engine[k]}" for k in ("depth", "nodes", "movetime") if k in engine)
    return f"{str(engine['engine']).lower().replace(' ', '-')}-{limit}"


def _sample(
    games: EvaluatedGames, per_mark: int, first: float, last: float, step: float, within: float
) -> RatedSample:
    import polars as pl

    from arpad.moves.ipr.decisions import with_players
    from arpad.moves.ipr.inputs import UNCOUNTED, rated_sample
    from arpad.moves.positions import positions

    places = positions(games)
    explain_report(games.report)
    # Legal moves are counted in the sample only.
    with_all = with_players(places.with_columns(legal=pl.lit(UNCOUNTED)), games.games)
    return rated_sample(
        with_all, games.games.table, per_mark=per_mark, first=first, last=last, step=step, within=within
    )


def _answered(
    sample: RatedSample, settings: EngineSettings, team: EngineWorkers, store: str | None
) -> EvaluatedDecisions:
    from arpad.cli.moves.evaluations import listener
    from arpad.moves.ipr.decisions import MODEL_FILTERS
    from arpad.moves.ipr.inputs import evaluate_decisions

    return evaluate_decisions(
        sample.positions, settings, workers=team, filters=MODEL_FILTERS, store=store, listener=listener()
    )


def _games_of_files(games: EvaluatedGames) -> dict[str, int]:
    counts = games.starts["file"].value_counts(sort=False)
    known = dict(counts.iter_rows())
    return {file: known[file] for file in games.starts["file"].unique(maintain_order=True)}


def _words(sample: RatedSample, files: int) -> str:
    return (
        f"{sample.games:,} games of {sample.given:,} in {files} file{'' if files == 1 else 's'}, both players within "
        f"{sample.within:g} points of a multiple of {sample.step:g}; up to {sample.per_mark:,} positions a mark"
    )


# A calibration as people see it: its marks, its line, where it fails; and as the file that is kept.

DIGITS = {
    "elo": 0,
    "rating": 0,
    "match_rate": 3,
    "ae": 4,
    "ae_sigma": 4,
    "s": 3,
    "c": 3,
    "ae_e": 4,
    "ipr": 0,
    "residual": 0,
    "sigma": 0,
}
NAMES = {
    "rating": "mean Elo",
    "match_rate": "MM",
    "ae": "AE",
    "ae_sigma": "±",
    "ae_e": "AE_e",
    "ipr": "IPR",
    "sigma": "σ",
    "in_line": "in the line",
}


def show(
    calibration: Calibration,
    found: EvaluatedDecisions,
    *,
    chart: str | None,
    format: OutputFormat | None,
    output: str | None,
) -> None:
    """Write the file or print the table; a person who has a file written sees the table, too."""
    from arpad.moves.ipr.calibration import to_document

    if chart is not None:
        from arpad.publish.charts.strength import calibration_chart
        from arpad.publish.charts.style import save

        save(calibration_chart(calibration), chart)
    parts = {
        "people": lambda: _people(calibration, found),
        "rows": calibration.table,
        "document": lambda: to_document(calibration),
    }
    emit(format, output, **parts)  # type: ignore[arg-type]
    if output is not None:
        emit(OutputFormat.table, None, **parts)  # type: ignore[arg-type]


def _people(calibration: Calibration, found: EvaluatedDecisions) -> list[object]:
    from arpad.moves.ipr.calibration import weaknesses
    from arpad.publish.tables import rich_table

    digits = {NAMES.get(k, k): v for k, v in DIGITS.items()}
    line = calibration.line
    inside = [m.elo for m in calibration.marks if m.in_line]
    ends = (inside[0], inside[len(inside) // 2], inside[-1])
    sure = ", ".join(f"±{calibration.line_sigma(r):.0f} at {r:.0f}" for r in ends)
    fails = weaknesses(calibration)
    how = "; ".join(f"{k} {v}" for k, v in calibration.engine.items() if v not in ("", {}))
    return [
        rich_table(calibration.table().rename(NAMES), title=calibration.name, digits=digits),
        "",
        f"{calibration.summary()}.",
        f"The line's own standard error: {sure} points; its intercept ±{calibration.line_sigma(line.intercept):.0f}. Fitted by {calibration.method}.",
        *(
            ["Where it fails:", *(f"- {text}" for text in fails)]
            if fails
            else ["No mark is off the line by more than two standard errors."]
        ),
        f"{calibration.games}. {how}. {found.known:,} searches were known, {found.analysed:,} made now.",
    ]
