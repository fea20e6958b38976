"""History: whole-history curves, great performances and strong events, strength from moves."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
import sqlalchemy as sa
from fastapi import HTTPException, Query

from arpad.errors import ArpadError
from arpad.ledger.db import tables
from arpad.ledger.queries.games import AnalysedGame, analysed_games
from arpad.publish.charts.style import line_chart
from arpad.web.page import MOST, ChartLink, PageModel, Pages, ReaderContext, Rows, long_work, part_of, row_of
from arpad.web.views.lab import SampleView, about, sample_of

if TYPE_CHECKING:
    from arpad.model import Games
    from arpad.pool.greatness.run import Greatness
    from arpad.rate.whr.system import WholeHistory
    from arpad.web.page import RequestContext

SHOWN, LISTED, MOST_DRAWN = 5, 50, 8
"""Curves that are drawn unasked, players and events of a table, and curves that are drawn at most."""
MEASURED = 60
"""Games with evaluations that are measured while somebody waits: the last ones."""
POINTS, FEWEST = 40, 3
"""Points of a curve, and events that make a chart by years."""
SYSTEM = "elo"
"""The system whose ratings, event by event, stand in where the reports have none."""


class HistoryPage(PageModel):
    """Whole-history ratings."""

    sample: SampleView
    lines: str = ""  # the curves, as a picture
    names: Sequence[str] = ()  # whose curves these are
    rows: Rows = ()
    most: int = MOST_DRAWN


class GreatnessPage(PageModel):
    """Great performances and strong events."""

    sample: SampleView
    summary: str
    none: str | None  # why there are no events
    performances: Rows = ()  # with a high G-score
    events: Rows = ()  # how strong each was, by the world's number two of its time
    charts: Sequence[ChartLink] = ()


class MovesPage(PageModel):
    """Strength from the moves of all games with evaluations."""

    games: int
    players: Rows = ()
    events: Rows = ()


pages = Pages("history")
router = pages.router


def curves_of(games: Games) -> WholeHistory:
    """Fit a curve for every player to all games."""
    from arpad.rate.whr.system import whole_history

    return whole_history(games)


def greatness_of(games: Games) -> Greatness:
    """Find great performances and strong events, by the ratings in the reports or else by a walk through the games."""
    from arpad.pool.greatness.groups import GroupRules
    from arpad.pool.greatness.run import GreatnessRules, find_greatness, rating_sources
    from arpad.rate.registry import system

    sources = rating_sources(games, ["file", "system"], system=system(SYSTEM), join=False)
    return find_greatness(games, sources, GreatnessRules(groups=GroupRules(join=False)))


def _greatness(ctx: RequestContext) -> Greatness:
    return ctx.cached(("history", "greatness"), lambda: long_work(greatness_of, sample_of(ctx).games))


def _called(ctx: RequestContext, table: sa.Table, numbers: set[int]) -> dict[int, str]:
    rows = ctx.connection.execute(sa.select(table.c.id, table.c.name).where(table.c.id.in_(numbers)))
    return {row.id: row.name for row in rows}


@pages.page("/history", "history.html")
def history(
    ctx: ReaderContext, player: Annotated[tuple[Annotated[int, Query(ge=1, le=MOST)], ...], Query()] = ()
) -> HistoryPage:
    """Show whole-history ratings: every game, early or late, counts for the whole curve."""
    sample = sample_of(ctx)
    if not len(sample.games):
        return HistoryPage(sample=about(sample))
    fit = ctx.cached(("history", "curves"), lambda: long_work(curves_of, sample.games))
    listed = fit.on().head(LISTED).to_dicts()
    there = {int(name) for name in fit.rows["player"].unique()}
    chosen = [n for n in dict.fromkeys(player) if n in there][:MOST_DRAWN]
    most = sorted(listed, key=lambda row: -row["games"])[:SHOWN]
    chosen = chosen or [int(row["player"]) for row in listed if row in most]
    called = _called(ctx, tables.players, {*chosen, *(int(row["player"]) for row in listed)})
    lines = {}
    for number in chosen:
        days = fit.curve(str(number))["date"]
        curve = fit.curve(str(number), step=max(1, (days[-1] - days[0]).days // POINTS))
        thin = pl.concat([curve.head(-1).gather_every(max(1, curve.height // POINTS)), curve.tail(1)])
        lines[called[number]] = list(thin.select("date", "rating", "error").iter_rows())
    names = ", ".join(called[number] for number in chosen)
    return HistoryPage(
        sample=about(sample),
        lines=line_chart(
            lines, says=f"Whole-history ratings of {names}. The figures are in the table below."
        ),
        names=list(lines),
        rows=[
            row_of(
                row,
                id=int(row["player"]),
                name=called[int(row["player"])],
                drawn=int(row["player"]) in chosen,
            )
            for row in listed
        ],
    )


@pages.page("/history/greatness", "history_greatness.html")
def greatness(ctx: ReaderContext) -> GreatnessPage:
    """Show great performances and strong events."""
    sample = sample_of(ctx)
    if not len(sample.games):
        return GreatnessPage(sample=about(sample), summary="", none="there are no games with a date yet")
    found = _greatness(ctx)
    great, strong = found.table(LISTED).to_dicts(), found.strengths(LISTED).to_dicts()
    players = _called(ctx, tables.players, {int(row["player"]) for row in great})
    events = _called(ctx, tables.events, {int(row["event"]) for row in (*great, *strong)})

    def event(row: dict[str, Any]) -> dict[str, Any]:
        return {"event_id": int(row["event"]), "event": events[int(row["event"])]}

    titles = {
        "performances": "Great performances, year by year",
        "strengths": "Strength of events, year by year",
    }
    return GreatnessPage(
        sample=about(sample),
        summary=found.summary(),
        none=found.why_nothing(),
        performances=[
            row | event(row) | {"id": int(row["player"]), "name": players[int(row["player"])]}
            for row in great
        ],
        events=[row | event(row) for row in strong],
        charts=[
            ChartLink(
                title=title,
                href=f"/charts/history/{what}",
                says=f"{title}. The figures are in the table below.",
            )
            for what, title in (titles.items() if len(strong) >= FEWEST else ())
        ],
    )


@pages.chart("/charts/history/{what}")
def greatness_drawn(ctx: ReaderContext, what: Literal["performances", "strengths"]) -> dict[str, Any]:
    """Return G-scores or strengths of events by year, as Vega-Lite."""
    from arpad.publish.charts.event import greatness_chart

    found = _greatness(ctx) if len(sample_of(ctx).games) else None
    if found is None or not found.strengths().height:
        raise HTTPException(404, "no event of this ledger has ratings enough")
    performances = [p for record in found.records for p in record.performances]
    players = _called(ctx, tables.players, {int(p.player) for p in performances})
    events = _called(ctx, tables.events, {int(record.event) for record in found.records})
    named = replace(
        found,
        records=tuple(
            replace(
                record,
                event=events[int(record.event)],
                performances=tuple(replace(p, player=players[int(p.player)]) for p in record.performances),
            )
            for record in found.records
        ),
    )
    return part_of(greatness_chart(named), int(what == "strengths"), height=260)


def measured(games: Sequence[AnalysedGame]) -> dict[str, list[dict[str, Any]]]:
    """Measure moves by player and by event: strength with its interval, and average error."""
    from arpad.moves.average_error import ErrorFilters, measure_errors
    from arpad.moves.error_report import group_errors
    from arpad.moves.evaluated_games import read_evaluated
    from arpad.moves.strength.estimate import strength

    result: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.pgn"
        path.write_text("\n".join(game.pgn() for game in games), encoding="utf-8")
        report = strength(path, values="file")
        errors = measure_errors(read_evaluated(path), filters=ErrorFilters())
    found: dict[str, list[Any]] = {"player": [p.to_dict() for p in report.players]}
    found["event"] = [{"name": game} for game in dict.fromkeys(str(game.event_id) for game in games)]
    for by in ("player", "event"):
        known = {row["label"]: row for row in group_errors(errors, by).rows.iter_rows(named=True)}
        result[by] = [each | {"errors": known.get(each["name"])} for each in found[by]]
    return result


@pages.page("/history/moves", "history_moves.html")
def history_moves(ctx: ReaderContext) -> MovesPage:
    """Show how strong players were, and how well events were played, by the moves of games with evaluations."""

    def make() -> MovesPage:
        games = analysed_games(ctx.connection, most=MEASURED)
        if not games:
            return MovesPage(games=0)
        try:
            rows = long_work(measured, games)
        except ArpadError:
            return MovesPage(games=0)
        players = _called(ctx, tables.players, {int(row["name"]) for row in rows["player"]})
        events = _called(ctx, tables.events, {int(row["name"]) for row in rows["event"]})
        return MovesPage(
            games=len(games),
            players=[_figures(row, players) for row in rows["player"]],
            events=[_figures(row, events) for row in rows["event"]],
        )

    return ctx.cached(("history", "moves"), make)


def _figures(row: dict[str, Any], called: dict[int, str]) -> dict[str, Any]:
    """Return strength and average error (pawns a move) of a player, or in an event."""
    errors = row["errors"] or {}
    ends = {"error": "raw", "error_low": "raw_low", "error_high": "raw_high", "error_moves": "moves"}
    strength = {"strength": row.get("strength"), "low": row.get("low"), "high": row.get("high")}
    counts = {name: row.get(name, errors.get(name, 0)) for name in ("games", "moves")}
    number = int(row["name"])
    own = {name: errors.get(column) for name, column in ends.items()}
    return {"id": number, "name": called[number], **strength, **counts, **own}
