"""`arpad ipr errors` for people and for programs: tables, CSV, JSON, charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import polars as pl

from arpad.cli.gain_shown import figure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arpad.moves.error_groups import ErrorGroups
    from arpad.moves.error_trend import ErrorTrend
    from arpad.moves.evaluated import EvaluatedGames

__all__ = ["Views", "draw", "of_groups", "of_trend"]

SHOWN = 200
"""Lines of a table for people."""
DIGITS = 5
"""Decimals in JSON and CSV: more than anybody can use."""
EXPLAINED = [
    "raw: pawns a move; scaled: the same stretch measured with 1/(1+|value|), so that half a pawn weighs less in a decided position;",
    "±: standard error, from the spread between games (m: between single moves, fewer than 5 games); match: the engine's own choice.",
]


class Views(TypedDict):
    """What `output.emit` wants."""

    people: Callable[[], list[object]]
    rows: Callable[[], pl.DataFrame]
    document: Callable[[], Mapping[str, object]]


def draw(report: ErrorGroups | ErrorTrend, path: str) -> None:
    """Draw the chart that belongs to a result."""
    from arpad.moves.error_groups import ErrorGroups
    from arpad.publish.chart_style import save
    from arpad.publish.error_chart import error_chart
    from arpad.publish.error_trend_chart import trend_chart

    made = error_chart(report) if isinstance(report, ErrorGroups) else trend_chart(report)
    save(made, path)


def of_groups(
    groups: ErrorGroups,
    games: EvaluatedGames,
    taken: Mapping[str, object],
) -> Views:
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


def of_trend(
    trend: ErrorTrend,
    games: EvaluatedGames,
    taken: Mapping[str, object],
) -> Views:
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
    rest = [f"… and {more:,} lines more: --format csv has them"] if more else []
    return [rich_table(pl.DataFrame(columns)), *rest, "", *EXPLAINED]


def _texts(column: pl.Series, digits: int) -> list[str]:
    texts = [figure(v, digits) for v in column]
    width = max(map(len, texts), default=0)
    return [t.rjust(width) for t in texts]


def _sure(rows: pl.DataFrame, name: str, digits: int) -> list[str]:
    """Return standard errors; an m says that they come from single moves."""
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
