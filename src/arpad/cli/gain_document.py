"""`arpad gain` for programs: JSON and CSV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.gain_report import GainReport

__all__ = ["document", "move_rows", "plain", "rows"]

DIGITS = {"gain": 4, "evaluation": 2, "expected": 6, "difference": 3, "strength": 3, "perceived": 3, "change": 3, "average": 3, "lichess": 3, "by": 3}  # fmt: skip
"""Decimals by the beginning of a column's name: more than anybody can use, fewer than noise."""


def rows(reports: Sequence[GainReport], *, moves: bool) -> pl.DataFrame:
    """Return the table of a view: players, or moves."""
    if moves:
        found = pl.concat([move_rows(r) for r in reports])
        return found.with_columns(_rounded(found))
    parts = [_labelled(r, r.players, len(reports)) for r in reports]
    return pl.concat(parts, how="diagonal_relaxed").with_columns(_rounded(parts[0]))


def document(
    reports: Sequence[GainReport], evaluated: EvaluatedGames, *, moves: bool
) -> dict[str, object]:
    """Return everything: players, pairs, perceived ratings, engine, settings, notes."""
    several = len(reports)
    first = reports[0]
    known, positions = evaluated.coverage()
    found: dict[str, object] = {
        "view": "moves" if moves else first.view,
        "summary": " ".join(f"{r.summary()}." for r in reports),
        "parameters": {**first.parameters, "view": "moves" if moves else first.view},
        "input": {
            "games": len(evaluated.games),
            "positions": positions,
            "evaluated": known,
            "moves": sum(len(r.gains) for r in reports),
            "left_out": sum(r.gains.left_out.height for r in reports),
            "fingerprint": evaluated.games.fingerprint(),
        },
        "players": [row for r in reports for row in plain(_labelled(r, r.players, several))],
        "pairs": [row for r in reports for row in plain(_labelled(r, r.pairs, several))],
    }
    if first.view in ("event", "matches"):
        found["perceived"] = [
            row
            for r in reports
            if r.standing
            for row in plain(_labelled(r, r.standing.rows, several))
        ]
        found["engine"] = [row for r in reports for row in _engine(r)]
    if moves:
        found["moves"] = [row for r in reports for row in plain(move_rows(r))]
    found["notes"] = list(dict.fromkeys(n for r in reports for n in r.notes))
    actions = ("skipped", "repaired", "noted")
    return found | {
        a: [n.as_dict() for n in evaluated.report.notes if n.action == a] for a in actions
    }


def move_rows(report: GainReport) -> pl.DataFrame:
    """Return a line a move: evaluation, gain, and the mover's difference to the engine so far [figures 1, 6]."""
    from arpad.moves.course import course
    from arpad.moves.measured import move_number

    gains, how = report.gains, report.comparison.resampling
    rating = report.parameters["engine_rating"]
    parts = []
    for (_, _), mine in gains.table.with_row_index("row").group_by(
        ["game", "white"], maintain_order=True
    ):
        run = course(mine["gain"], engine_rating=rating, resampling=how).drop("gain", "move")
        parts.append(pl.concat([mine, run], how="horizontal"))
    table = pl.concat(parts).sort("row")
    number = [move_number(p, w) for p, w in table.select("ply", "white").iter_rows()]
    names = gains.games.players["name"].gather(table["player"])
    return table.select(
        (pl.col("game") + 1).alias("game"),
        pl.Series("number", number, dtype=pl.String),
        pl.col("san").alias("move"),
        (pl.col("after") / 100).alias("evaluation"),
        pl.Series("player", names),
        (pl.col("gain") / 100).alias("gain"),
        pl.col("expected").alias("expected_vs_engine"),
        pl.col("low").alias("expected_vs_engine_low"),
        pl.col("high").alias("expected_vs_engine_high"),
        *(
            pl.col(f"difference{s}").alias(f"difference_vs_engine{s}")
            for s in ("", "_low", "_high")
        ),
        *(pl.col(c) for c in table.columns if c.startswith("strength")),
    )


def plain(frame: pl.DataFrame) -> list[dict[str, object]]:
    """Return rows as JSON has them: an infinite difference is the word Infinity, since JSON has no number for it."""
    rounded = frame.with_columns(_rounded(frame))
    return [{k: _number(v) for k, v in row.items()} for row in rounded.to_dicts()]


def _number(value: object) -> object:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _rounded(frame: pl.DataFrame) -> list[pl.Expr]:
    return [
        pl.col(name).round(digits)
        for name, kind in frame.schema.items()
        for start, digits in DIGITS.items()
        if kind == pl.Float64 and (name.startswith(start) or (start == "gain" and "gain" in name))
    ]


def _labelled(report: GainReport, frame: pl.DataFrame, several: int) -> pl.DataFrame:
    if several == 1 or "event" in frame.columns:
        return frame
    return frame.with_columns(pl.lit(report.title).alias("event"))


def _engine(report: GainReport) -> list[dict[str, object]]:
    if report.standing is None:
        return []
    return [
        {
            "event": report.title,
            "by": engine.by,
            "by_rating": _round(engine.strength.by_rating),
            "by_rating_low": _round(engine.by_rating[0]),
            "by_rating_high": _round(engine.by_rating[1]),
            "by_perceived": _round(engine.strength.by_perceived),
            "by_perceived_low": _round(engine.by_perceived[0]),
            "by_perceived_high": _round(engine.by_perceived[1]),
            "rated_players": engine.strength.players,
            "players": plain(engine.strength.rows),
        }
        for engine in report.standing.engines
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
