"""`arpad ipr errors`: by how much the moves played fall short of the engine's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import polars as pl
import typer

from arpad.cli import options as opt
from arpad.cli.moves.gain import figure
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arpad.moves.average_error import GameErrors
    from arpad.moves.error_report import ErrorGroups, ErrorTrend, EventFilter
    from arpad.moves.evaluated_games import EvaluatedGames


Group = Literal["player", "game", "event", "year", "category", "turn", "advantage"]


ErrorWindow = Literal["previous", "here"]


Repeated = Literal["later", "all", "none"]


def errors(
    ctx: typer.Context,
    files: list[str],
    by: Group = "player",
    first_turn: int = 9,
    last_turn: int | None = None,
    window: float = 3.0,
    judged: ErrorWindow = "previous",
    repeated: Repeated = "later",
    skip_forced: bool = False,
    cap: Annotated[float, typer.Option(min=0.01, max=1000)] = 39.0,
    categories: str | None = None,
    round_robin: bool = False,
    players: str | None = None,
    step: float = 0.10,
    eras: str | None = None,
    trend: bool = False,
    span: int = 4,
    multipv: opt.MultipvOption = 1,
    use_evals: bool = False,
    chart: str | None = None,
    confidence: float = 0.95,
    strict: opt.StrictOption = False,
    *,
    engine: opt.EngineOptions,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show the average error of moves against the engine's choice, raw and scaled.

    With one line a position the value before a move is compared with the value after it; with --multipv 2 or more, two lines
    of one search.

    arpad ipr errors games.pgn --by turn --chart turns.png

    arpad ipr errors linares.pgn --depth 12 --by player

    arpad ipr errors events.pgn --by category --trend --first-turn 17 --last-turn 32 --chart figure5.png

    files: PGN files, or a table of positions; - is standard input.
    by: How to group the moves.
    first_turn: The first move that counts.
    last_turn: The last move that counts. [all]
    window: Pawns of advantage beyond which a game counts as decided.
    judged: Where that advantage is measured: in the position itself, or in the one before.
    repeated: Which repeated positions to leave out: the repetitions, all of them, or none.
    skip_forced: Leave out moves that were the only legal move.
    cap: Pawns at which values are cut off; a mate has this value, too.
    categories: Only events of these FIDE categories: 11-20, 11- or 15.
    round_robin: Only round robins.
    players: Only players whose names contain one of these: Carlsen,Anand.
    step: With --by advantage: width of a group in pawns.
    eras: Also group by eras that begin in these years: 1970,1985,2000,2010.
    trend: With --by category or year: print the moving average over the years, by pairs of categories.
    span: With --trend: length of the moving average in years.
    use_evals: With an engine: use it only where the file has no %eval.
    chart: Draw a chart into this file, .png or .svg.
    confidence: Probability of the limits.
    """
    from arpad.cli.moves.evaluations import engine_work, listener
    from arpad.moves.average_error import ErrorFilters
    from arpad.moves.error_report import error_trend, group_errors, of_events
    from arpad.moves.ipr.inputs import read_errors

    filters = ErrorFilters(
        first_turn=first_turn,
        last_turn=last_turn,
        window=window,
        judged=judged,
        repeated=repeated != "none",
        first_of_repeated=repeated != "all",
        forced=not skip_forced,
    )
    events, years = _events(categories, round_robin), _years(eras)
    _check(by, trend=trend, eras=years, multipv=multipv, use_evals=use_evals)
    work = engine_work(engine, ctx, multipv=multipv, use_evals=use_evals)
    if work is None and multipv != 1:
        raise UsageError("--multipv: expected --depth, --nodes or --time beside it: the file has no lines")
    result, games = read_errors(
        files, strict=strict, filters=filters, cap=cap, work=work, listener=listener()
    )
    result = _only(of_events(result, events), players)
    taken = {**events.parameters(), "players": players}
    report: ErrorGroups | ErrorTrend
    if trend:
        report = error_trend(result, categories=by == "category", span=span, confidence=confidence)
        views = of_trend(report, games, taken)
    else:
        report = group_errors(result, by, step=step, eras=years, confidence=confidence)
        views = of_groups(report, games, taken)
    if chart is not None:
        draw(report, chart)
    emit(format, output, **views)


def _check(by: Group, *, trend: bool, eras: list[int] | None, multipv: int, use_evals: bool) -> None:
    if trend and by not in ("category", "year"):
        raise UsageError(f"--trend: expected --by category or --by year, found --by {by}")
    if trend and eras is not None:
        raise UsageError("--trend and --eras: a moving average has no eras: choose one")
    if use_evals and multipv > 1:
        raise UsageError("--use-evals and --multipv: the file has no lines: choose one")


def _events(categories: str | None, round_robin: bool) -> EventFilter:
    """Return which events count: 11-20, 11-, -20 or 15."""
    import re

    from arpad.moves.error_report import EventFilter

    if categories is None:
        return EventFilter(round_robin=round_robin)
    given = re.fullmatch(r"\s*(\d{1,2})?\s*(?:(-)\s*(\d{1,2})?)?\s*", categories)
    if given is None or not (given[1] or given[3]):
        raise UsageError(f"--categories: expected 11-20, 11- or 15, found {categories!r}")
    least = int(given[1]) if given[1] else None
    most = int(given[3]) if given[3] else None if given[2] else least
    return EventFilter(least=least, most=most, round_robin=round_robin)


def _years(eras: str | None) -> list[int] | None:
    if eras is None:
        return None
    parts = [p.strip() for p in eras.split(",")]
    if not all(p.isdecimal() and len(p) <= 4 for p in parts):
        raise UsageError(f"--eras: expected years such as 1970,1985,2000,2010, found {eras!r}")
    return [int(p) for p in parts]


def _only(errors: GameErrors, players: str | None) -> GameErrors:
    if players is None:
        return errors
    parts = [p.strip().casefold() for p in players.split(",") if p.strip()]
    names = errors.games.players["name"].to_list()
    wanted = [i for i, n in enumerate(names) if any(p in (n or "").casefold() for p in parts)]
    kept = errors.table["player"].is_in(wanted)
    if not kept.any():
        some = ", ".join(map(str, names[:5]))
        raise UsageError(f"--players: expected part of a name, found {players!r}; there are {some}, …")
    return errors.part(kept)


# `arpad ipr errors` for people and for programs: tables, CSV, JSON, charts.

SHOWN = 200
"""Lines of a table for people."""
DIGITS = 5
"""Decimals in JSON and CSV: more than anybody can use."""
EXPLAINED = [
    "raw: pawns a move; scaled: the same stretch measured with 1/(1+|value|), so that half a pawn weighs less in a decided position;",
    "±: standard error, from the spread between games (m: between single moves, fewer than 5 games); match: the engine's own choice.",
]


class Views(TypedDict):
    """Tables by view, as `output.emit` takes them."""

    people: Callable[[], list[object]]
    rows: Callable[[], pl.DataFrame]
    document: Callable[[], Mapping[str, object]]


def draw(report: ErrorGroups | ErrorTrend, path: str) -> None:
    """Draw the chart that belongs to a result."""
    from arpad.moves.error_report import ErrorGroups
    from arpad.publish.charts.moves import error_chart, trend_chart
    from arpad.publish.charts.style import save

    made = error_chart(report) if isinstance(report, ErrorGroups) else trend_chart(report)
    save(made, path)


def of_groups(groups: ErrorGroups, games: EvaluatedGames, taken: Mapping[str, object]) -> Views:
    """Return the groups as people and programs see them; `taken` says which events and players were taken."""
    whole = groups.total.with_columns(pl.lit("all").alias("label"))
    return Views(
        people=lambda: [
            f"{groups.summary()}.",
            "",
            *_table(pl.concat([groups.rows, whole], how="diagonal_relaxed"), groups.by, groups),
            *_said(groups.notes),
        ],
        rows=lambda: _rounded(groups.rows).rename({"label": groups.by}).drop("key"),
        document=lambda: {
            "by": groups.by,
            "summary": groups.summary(),
            "parameters": {**groups.parameters, **taken},
            "input": _input(groups, games),
            "total": _rounded(groups.total).to_dicts()[0],
            "groups": _rounded(groups.rows).to_dicts(),
            **_notes(groups.notes, games),
        },
    )


def of_trend(trend: ErrorTrend, games: EvaluatedGames, taken: Mapping[str, object]) -> Views:
    """Return a moving average as people and programs see it."""
    marks = trend.marks.with_columns(
        years=pl.col("first").cast(pl.String) + "–" + pl.col("year").cast(pl.String)
    )
    both = pl.concat(
        [trend.rows.with_columns(pl.col("years").cast(pl.String)), marks], how="diagonal_relaxed"
    )
    return Views(
        people=lambda: [
            f"{trend.summary()}.",
            "",
            *_table(both.rename({"line": "category"}), "year", trend),
            *_said(trend.notes),
        ],
        rows=lambda: _rounded(both).drop("first", strict=False),
        document=lambda: {
            "by": "category" if trend.parameters["categories"] else "year",
            "summary": trend.summary(),
            "parameters": {**trend.parameters, **taken},
            "input": _input(trend, games),
            "lines": _rounded(trend.rows).to_dicts(),
            "marks": _rounded(trend.marks).to_dicts(),
            **_notes(trend.notes, games),
        },
    )


def _table(rows: pl.DataFrame, by: str, report: ErrorGroups | ErrorTrend) -> list[object]:
    from arpad.publish.tables import rich_table

    shown = rows if rows.height <= SHOWN else pl.concat([rows.head(SHOWN), rows.tail(1)])
    percent = f"{100 * float(report.parameters['confidence']):g} %"
    columns: dict[str, object] = {
        **({"era": shown["era"].fill_null("")} if "era" in shown.columns else {}),
        **({"category": shown["category"]} if "category" in shown.columns else {}),
        by: shown["label"] if "label" in shown.columns else shown[by].cast(pl.String),
        **({"years": shown["years"]} if "years" in shown.columns else {}),
        "games": shown["games"],
        "moves": shown["moves"],
        "raw": _texts(shown["raw"], 3),
        "raw ±": _sure(shown, "raw", 3),
        f"raw {percent}": _limits(shown, "raw", 3),
        "scaled": _texts(shown["scaled"], 4),
        "scaled ±": _sure(shown, "scaled", 4),
        f"scaled {percent}": _limits(shown, "scaled", 3),
    }
    if shown["matched"].count():
        columns["match"] = _texts(shown["matched"], 3)
        columns["match ±"] = _texts(shown["matched_error"], 3)
    more = rows.height - shown.height
    rest = [f"… and {more:,} more lines: --format csv has them"] if more else []
    return [rich_table(pl.DataFrame(columns)), *rest, "", *EXPLAINED]


def _texts(column: pl.Series, digits: int) -> list[str]:
    texts = [figure(v, digits) for v in column]
    width = max(map(len, texts), default=0)
    return [t.rjust(width) for t in texts]


def _sure(rows: pl.DataFrame, name: str, digits: int) -> list[str]:
    texts = _texts(rows[f"{name}_error"], digits)
    return [
        f"{t}{'m' if by == 'moves' and t.strip() else ' '}"
        for t, by in zip(texts, rows["error_by"], strict=True)
    ]


def _limits(rows: pl.DataFrame, name: str, digits: int) -> list[str]:
    low, high = (_texts(rows[f"{name}_{end}"], digits) for end in ("low", "high"))
    return [f"{a} … {b}" if b.strip() else "" for a, b in zip(low, high, strict=True)]


def _said(notes: Sequence[str]) -> list[str]:
    return ["", *(f"Note: {note}." for note in notes)] if notes else []


def _rounded(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.selectors.float().round(DIGITS))


def _input(report: ErrorGroups | ErrorTrend, games: EvaluatedGames) -> dict[str, object]:
    return {
        "games": len(games.games),
        "positions": games.table.height,
        "moves": len(report.errors),
        "left_out": dict(report.errors.left_out),
        "forfeits": report.errors.forfeits,
        "fingerprint": games.games.fingerprint(),
    }


def _notes(notes: Sequence[str], games: EvaluatedGames) -> dict[str, object]:
    actions = ("skipped", "repaired", "noted")
    said = {a: [n.as_dict() for n in games.report.notes if n.action == a] for a in actions}
    return {"notes": list(notes), **said}
