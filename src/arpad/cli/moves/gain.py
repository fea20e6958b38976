"""`arpad gain`: how strong the moves were, on the rating scale, from evaluations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import polars as pl
import typer

from arpad.cli import options as opt
from arpad.cli.moves.evaluations import moves_of
from arpad.cli.output import Emission, emit_result
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.gain import Gains
    from arpad.moves.gain_report import GainReport


View = Literal["players", "event", "events", "matches", "games", "moves"]


EngineGain = Literal["zero", "agreed", "best"]


GainChart = Literal["game", "histogram", "course", "crosstable"]


def gain(
    ctx: typer.Context,
    files: list[str],
    view: View = "players",
    one_event: bool = False,
    players: str | None = None,
    engine_rating: float | None = None,
    engine_gain: EngineGain = "zero",
    *,
    engine: opt.EngineOptions,
    use_evals: bool = False,
    chart: str | None = None,
    chart_kind: GainChart | None = None,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    strict: opt.StrictOption = False,
) -> Emission:
    """Measure players by the gain of their moves: how much each move changed the evaluation.

    arpad gain game.pgn --engine-rating 2860

    arpad gain event.pgn --depth 13 --view event --chart crosstable.png

    arpad gain london.pgn moscow.pgn --view events --players Anand,Carlsen

    files: PGN files with evaluations in their comments; - is standard input.
    view: What a row is: players (all moves of a player), event (players of each event, with perceived ratings), events (players across events), matches, games or moves.
    one_event: With --view event: take all games as one event.
    players: Only players whose names contain one of these: Carlsen,Anand.
    engine_rating: Rating of the engine, from which perceived strengths are counted. [from the players' own ratings]
    engine_gain: Also compare with the engine's own gain: agreed (moves that it would have played) or best (its choice everywhere).
    use_evals: With an engine: use it only where the file has no %eval.
    chart: Draw a chart into this file, .png or .svg.
    chart_kind: game: evaluation and gain; histogram; course: strength after each move; crosstable. [by the view]
    draws: Number of random samples of games for the intervals; 0 for none.
    confidence: Probability of the intervals.
    seed: Seed of the random samples.
    """
    from arpad.cli.moves.evaluations import engine_work, listener
    from arpad.moves.evaluate import evaluate_games
    from arpad.moves.gain import measure
    from arpad.moves.gain_report import gain_reports
    from arpad.moves.resampling import Resampling

    how = Resampling(draws=draws, confidence=confidence, seed=seed)
    work = engine_work(engine, ctx, use_evals=use_evals)
    source = evaluate_games(files, strict=strict, work=work, listener=listener())
    gains = measure(source.games)
    own = source.engine_gain(engine_gain, gains)
    reports = gain_reports(
        _only(gains, players, view),
        view="games" if view == "moves" else view,
        one_event=one_event,
        engine_rating=engine_rating,
        measured=own,
        resampling=how,
    )
    if chart is not None:
        draw(reports, chart, kind=chart_kind, view=view)
    elif chart_kind is not None:
        raise UsageError("expected --chart FILE beside --chart-kind: where to draw it")
    from arpad.publish.reports.gain import gain_document, gain_lines, gain_rows

    moves = view == "moves"
    return partial(
        emit_result,
        reports[0],
        parts=lambda: gain_lines(reports, moves=moves),
        rows=lambda: gain_rows(reports, moves=moves),
        document=lambda: gain_document(reports, source.games, moves=moves),
    )


def _only(gains: Gains, players: str | None, view: View) -> Gains:
    if players is None:
        return gains
    if view in ("event", "matches"):
        raise UsageError(f"--players: expected another view than {view}, whose ratings need everybody")

    kept = moves_of(players, gains.games, gains.table)
    left_out = gains.left_out.filter(
        pl.col("game").is_in(gains.table.filter(kept)["game"].unique().to_list())
    )
    return gains.part(kept, left_out, gains.forfeits)


# `arpad gain --chart`: which picture belongs to which view.

MOST_PLAYERS = 12
"""Histograms that a page has room for."""
KINDS = {
    "players": "histogram",
    "event": "crosstable",
    "events": "histogram",
    "matches": "histogram",
    "games": "game",
    "moves": "game",
}


def draw(reports: Sequence[GainReport], path: str, *, kind: str | None, view: str) -> None:
    """Draw the chart of a view, or the one asked for."""
    from arpad.publish.charts import moves as gain_chart
    from arpad.publish.charts.style import save

    chosen = kind or KINDS[view]
    report = reports[0]
    if chosen in ("game", "course"):
        _check_one_game(report, len(reports), chosen)
        make = gain_chart.game_chart if chosen == "game" else gain_chart.course_chart
        save(make(report), path)
        return
    if len(reports) > 1:
        raise UsageError(f"--chart: expected one event, found {len(reports)}: take one file, or --one-event")
    if chosen == "crosstable":
        if report.standing is None or view != "event":
            why = next((n for n in report.notes if n.startswith("no perceived")), f"found {view}")
            raise UsageError(f"--chart-kind crosstable: expected --view event, {why}")
        save(gain_chart.crosstable_chart(report), path)
        return
    save(gain_chart.histogram_chart(report, most=MOST_PLAYERS), path)


def _check_one_game(report: GainReport, reports: int, chosen: str) -> None:
    games = report.gains.table["game"].n_unique()
    if games > 1 or reports > 1:
        raise UsageError(
            f"--chart-kind {chosen}: expected one game, found more: give a file with the one to be drawn"
        )
