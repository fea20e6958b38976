"""Reports on gain per move and on average error, for people and for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.publish.reports import Remark
from arpad.publish.tables import rich_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.moves.error_report import ErrorGroups, ErrorTrend
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.moves.gain_report import GainReport


# `arpad gain` for programs: JSON and CSV.

DIGITS = {
    "gain": 4,
    "evaluation": 2,
    "expected": 6,
    "difference": 3,
    "strength": 3,
    "perceived": 3,
    "change": 3,
    "average": 3,
    "lichess": 3,
    "by": 3,
}
"""Decimals by the beginning of a column's name: more than anybody can use, fewer than noise."""


def gain_rows(reports: Sequence[GainReport], *, moves: bool) -> pl.DataFrame:
    """Return the table of a view: players, or moves."""
    if moves:
        result = pl.concat([move_rows(r) for r in reports])
        return result.with_columns(_rounded(result))
    parts = [_labelled(r, r.players, len(reports)) for r in reports]
    return pl.concat(parts, how="diagonal_relaxed").with_columns(_rounded(parts[0]))


def gain_document(
    reports: Sequence[GainReport], evaluated: EvaluatedGames, *, moves: bool
) -> dict[str, object]:
    """Return everything: players, pairs, perceived ratings, engine, settings, notes."""
    several = len(reports)
    first = reports[0]
    known, positions = evaluated.coverage()
    result: dict[str, object] = {
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
        result["perceived"] = [
            row for r in reports if r.standing for row in plain(_labelled(r, r.standing.rows, several))
        ]
        result["engine"] = [row for r in reports for row in _engine(r)]
    if moves:
        result["moves"] = [row for r in reports for row in plain(move_rows(r))]
    result["notes"] = list(dict.fromkeys(n for r in reports for n in r.notes))
    return result | evaluated.report.by_action()


def move_rows(report: GainReport) -> pl.DataFrame:
    """Return a line a move: evaluation, gain, and the mover's difference to the engine so far [figures 1, 6]."""
    from arpad.moves.gain import move_number
    from arpad.moves.live import course

    gains, how = report.gains, report.comparison.resampling
    rating = report.parameters["engine_level"]
    parts = []
    for (_, _), mine in gains.table.with_row_index("row").group_by(["game", "white"], maintain_order=True):
        run = course(mine["gain"], engine_rating=rating, resampling=how).drop("gain", "move")
        parts.append(pl.concat([mine, run], how="horizontal"))
    table = pl.concat(parts).sort("row")
    number = [move_number(n, w) for n, w in table.select("number", "white").iter_rows()]
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
        *(pl.col(f"difference{s}").alias(f"difference_vs_engine{s}") for s in ("", "_low", "_high")),
        *(pl.col(c) for c in table.columns if c.startswith("strength")),
    )


def plain(frame: pl.DataFrame) -> list[dict[str, object]]:
    """Return rows as JSON has them: an infinite difference is the word Infinity, since JSON has no number for it."""
    rounded = frame.with_columns(_rounded(frame))
    return [{k: plain_number(v) for k, v in row.items()} for row in rounded.to_dicts()]


def plain_number(value: object) -> object:
    """Return a figure as JSON has it: none where it is no number, a word where it is infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
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


# `arpad gain` for people: tables with their intervals, the crosstable, and what to mind.

SHOWN_PAIRS = 40
SHOWN_NOTES = 8
WIDEST = 14
"""Players that a square table has room for."""


def gain_lines(reports: Sequence[GainReport], *, moves: bool) -> list[object]:
    """Return what a person sees."""
    parts: list[object] = []
    for i, report in enumerate(reports):
        parts += ([""] if i else []) + _one(report, moves=moves)
    return [*parts, "", *_explained(reports[0])]


def _one(report: GainReport, *, moves: bool) -> list[object]:
    if moves:
        return [f"{report.summary()}.", "", rich_table(_moves(report)), *_below(report.notes)]
    parts: list[object] = [f"{report.summary()}.", ""]
    if report.standing is not None:
        parts += [*_standing(report), ""]
    parts += [rich_table(_players(report))]
    square = report.standing is not None and report.players.height <= WIDEST
    if square and report.view == "event":
        parts += ["", rich_table(gain_crosstable(report))]
    elif report.pairs.height:
        shown = report.pairs.head(SHOWN_PAIRS)
        more = report.pairs.height - shown.height
        parts += ["", rich_table(_pairs(report, shown))]
        parts += [Remark(f"… and {more:,} more pairs", "in-json")] if more else []
    return [*parts, *_below(report.notes)]


def _players(report: GainReport) -> pl.DataFrame:
    table = report.players
    limits = _percent(report)
    columns: dict[str, object] = {
        **{c: table[c] for c in _apart(table)},
        "name": table["name"],
        **({"opponent": table["opponent"]} if "opponent" in table.columns else {}),
        "rating": _texts(table, "rating", 0),
        "games": table["games"],
        "moves": table["moves"],
        "gain": _texts(table, "mean_gain", 3, signed=True),
        f"gain {limits}": _limits(table, "mean_gain", 2),
        "vs engine": _texts(table, "expected_vs_engine", 3),
        "points": _texts(table, "difference_vs_engine", 0, signed=True),
        f"points {limits}": _limits(table, "difference_vs_engine", 0),
    }
    if "difference_vs_measured" in table.columns:
        columns["vs measured"] = _texts(table, "difference_vs_measured", 0, signed=True)
    if "strength" in table.columns:
        columns["perceived (engine)"] = _texts(table, "strength", 0)
        columns[f"perceived {limits}"] = _limits(table, "strength", 0)
    columns["ACPL"] = _texts(table, "average_centipawn_loss", 1)
    columns["Lichess %"] = _texts(table, "lichess_accuracy", 1)
    return _kept(pl.DataFrame(columns))


def _pairs(report: GainReport, table: pl.DataFrame) -> pl.DataFrame:
    limits = _percent(report)
    both = table.select(*_apart(report.pairs), "player", "opponent")
    if "opponent_event" in table.columns:
        both = table.select(
            (pl.col("player") + " @ " + pl.col("event").fill_null("?")).alias("player"),
            (pl.col("opponent") + " @ " + pl.col("opponent_event").fill_null("?")).alias("opponent"),
        )
    score = [
        None if s is None else f"{halves(s)} of {n}" for s, n in table.select("score", "games").iter_rows()
    ]
    return _kept(
        both.with_columns(
            pl.Series("scored", score, dtype=pl.String),
            _texts(table, "expected", 3).alias("expected score"),
            _limits(table, "expected", 2).alias(f"score {limits}"),
            _texts(table, "difference", 0, signed=True).alias("points"),
            _limits(table, "difference", 0).alias(f"points {limits}"),
        )
    )


def gain_crosstable(report: GainReport) -> pl.DataFrame:
    """Return table 1: results in brackets, expected score and rating difference in each cell; best first."""
    if report.standing is None:
        raise ValueError("a crosstable needs perceived ratings")
    order = report.standing.rows
    place = {name: i + 1 for i, name in enumerate(order["player"])}
    cells: dict[tuple[str, str], str] = {}
    for row in report.pairs.to_dicts():
        one, two = row["player"], row["opponent"]
        score, games, p, d = row["score"], row["games"], row["expected"], row["difference"]
        cells[one, two] = _cell(score, p, d)
        cells[two, one] = _cell(games - score, 1 - p, -d)
    columns: dict[str, object] = {"rank": list(place.values()), "player": list(place)}
    for name, number in place.items():
        columns[str(number)] = [cells.get((who, name), "–" if who == name else "") for who in place]
    expected = [figure(v, 2) for v in order["expected"]]
    points = [f"({halves(p)}) {e}" for p, e in zip(order["points"], expected, strict=True)]
    return pl.DataFrame(columns, strict=False).with_columns(pl.Series("total", points))


def _cell(score: float, p: float, d: float) -> str:
    return f"({halves(score)}) {figure(p, 2)} {figure(d, 0, signed=True)}"


def _standing(report: GainReport) -> list[object]:
    result = report.standing
    if result is None:
        return []
    table = result.rows
    perceived = pl.DataFrame(
        {
            "rank": table["rank"],
            "player": table["player"],
            "rating": _texts(table, "rating", 0),
            "perceived": _texts(table, "perceived", 0, signed=result.level is None),
            f"perceived {_percent(report)}": _limits(table, "perceived", 0),
            "less rating": _texts(table, "change", 0, signed=True),
            "points": [f"{halves(p)} of {n}" for p, n in table.select("points", "games").iter_rows()],
            "expected points": _texts(table, "expected", 2),
            "moves": table["moves"],
        }
    )
    level = (
        "No rating is known: perceived ratings are differences around 0."
        if result.level is None
        else f"Perceived ratings are {result.level:.0f} on average, as the known ones are."
    )
    dropped = f" {result.dropped} draws had infinite differences and were left out." if result.dropped else ""
    return [rich_table(_kept(perceived)), level + dropped, *_engines(report)]


def _engines(report: GainReport) -> list[str]:
    lines = []
    for engine in report.standing.engines if report.standing else ():
        strength = engine.strength
        if strength.by_rating is None:
            continue
        said = f"Engine ({engine.by}): {strength.by_rating:.0f} by the ratings of {strength.players} players"
        low, high = engine.by_rating
        if low is not None and high is not None:
            said += f" ({low:.0f} … {high:.0f}, ratings taken as exact)"
        if strength.by_perceived is not None:
            said += f", {strength.by_perceived:.0f} by perceived ratings"
        lines.append(said + ".")
    return lines


def _moves(report: GainReport) -> pl.DataFrame:

    table = move_rows(report)
    shown = pl.DataFrame(
        {
            "game": table["game"],
            "number": table["number"],
            "move": table["move"],
            "evaluation": _texts(table, "evaluation", 2),
            "player": table["player"],
            "gain": _texts(table, "gain", 2),
            "points": _texts(table, "difference_vs_engine", 0, signed=True),
            f"points {_percent(report)}": _limits(table, "difference_vs_engine", 0),
        }
    )
    if "strength" in table.columns:
        shown = shown.with_columns(_texts(table, "strength", 0).alias("perceived (engine)"))
    return _kept(shown if table["game"].n_unique() > 1 else shown.drop("game"))


def _explained(report: GainReport) -> list[str]:
    draws, level = report.parameters["draws"], report.parameters["engine_level"]
    lines = [
        "gain: pawns a move, from the mover's side; vs engine: expected score against an engine that always gains 0;",
        "points: the rating difference 200√2 Φ⁻¹(p) that it stands for; ACPL, Lichess %: average centipawn loss and accuracy as Lichess counts them.",
    ]
    if level is not None:
        lines.append(
            f"perceived (engine): {level:.0f} for the engine ({report.parameters['engine_level_from']}) and the points, on Ferreira's "
            "scale: 1,000 rating points are about 70 to 130 here. It orders players; it is no rating."
        )
    if draws:
        share = report.parameters["confidence"]
        lines.append(
            f"Intervals hold {100 * share:g} % of {draws:,} draws, widened for few games; seed {report.parameters['seed']}."
        )
    return lines


def shown_notes(notes: Sequence[str], most: int) -> list[str]:
    """Return the first notes and the last: what holds for all figures comes last and is always said."""
    shown = [f"Note: {note}." for note in notes]
    more = len(shown) - most
    return (
        shown
        if more <= 0
        else [*shown[: most - 1], Remark(f"… and {more:,} more notes", "in-json"), shown[-1]]
    )


def _percent(report: GainReport) -> str:
    return f"{100 * report.parameters['confidence']:g} %"


def _apart(table: pl.DataFrame) -> list[str]:
    """Return the columns that tell lines of the same players apart."""
    return [c for c in ("event", "game") if c in table.columns and table[c].n_unique() > 1]


def figure(value: float | None, digits: int, *, signed: bool = False) -> str:
    """Return a figure as people read it: shares without the 0 before the point, ∞ where infinite.

    Examples
    --------
    >>> figure(-185.4, 0), figure(0.256, 3), figure(float("-inf"), 0), figure(12.3, 0, signed=True)
    ('−185', '.256', '−∞', '+12')
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "−∞" if value < 0 else "+∞" if signed else "∞"
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    if digits and text.lstrip("+-").startswith("0."):
        text = text.replace("0.", ".", 1)
    return text.replace("-", "−")


def halves(points: float) -> str:
    """Return points as people write them.

    Examples
    --------
    >>> halves(0.5), halves(5.5), halves(6)
    ('½', '5½', '6')
    """
    whole = int(points)
    return str(whole) if points == whole else f"{whole or ''}½"


def _texts(table: pl.DataFrame, name: str, digits: int, *, signed: bool = False) -> pl.Series:
    texts = [figure(v, digits, signed=signed) for v in table[name]]
    width = max(map(len, texts), default=0)
    return pl.Series(name, [t.rjust(width) for t in texts], dtype=pl.String)


def _limits(table: pl.DataFrame, name: str, digits: int) -> pl.Series:
    low, high = (_texts(table, f"{name}_{end}", digits) for end in ("low", "high"))
    texts = [f"{a} … {b}" if a.strip() or b.strip() else "" for a, b in zip(low, high, strict=True)]
    return pl.Series(name, texts, dtype=pl.String)


def _kept(frame: pl.DataFrame) -> pl.DataFrame:
    blank = [c for c in frame.columns if not any(str(v).strip() for v in frame[c].drop_nulls())]
    return frame.drop(blank)


# `arpad ipr errors` for people and for programs: tables, CSV, JSON, charts.

SHOWN_GROUPS = 200
"""Lines of a table for people."""
ERROR_DIGITS = 5
"""Decimals in JSON and CSV: more than anybody can use."""
EXPLAINED = [
    "raw: pawns a move; scaled: the same stretch measured with 1/(1+|value|), so that half a pawn weighs less in a decided position;",
    "±: standard error, from the spread between games (m: between single moves, fewer than 5 games); match: the engine's own choice.",
]


def error_groups_views(
    groups: ErrorGroups, games: EvaluatedGames, taken: Mapping[str, object]
) -> dict[str, Any]:
    """Return the groups as people and programs see them; `taken` says which events and players were taken."""
    whole = groups.total.with_columns(pl.lit("all").alias("label"))
    return {
        "parts": lambda: [
            f"{groups.summary()}.",
            "",
            *_error_table(pl.concat([groups.rows, whole], how="diagonal_relaxed"), groups.by, groups),
            *_below(groups.notes, len(groups.notes)),
        ],
        "rows": lambda: _error_rounded(groups.rows).rename({"label": groups.by}).drop("key"),
        "document": lambda: {
            "by": groups.by,
            "summary": groups.summary(),
            "parameters": dict(groups.parameters) | dict(taken),
            "input": _input(groups, games),
            "total": _error_rounded(groups.total).to_dicts()[0],
            "groups": _error_rounded(groups.rows).to_dicts(),
            "notes": list(groups.notes),
            **games.report.by_action(),
        },
    }


def error_trend_views(
    trend: ErrorTrend, games: EvaluatedGames, taken: Mapping[str, object]
) -> dict[str, Any]:
    """Return a moving average as people and programs see it."""
    marks = trend.marks.with_columns(
        years=pl.col("first").cast(pl.String) + "–" + pl.col("year").cast(pl.String)
    )
    both = pl.concat(
        [trend.rows.with_columns(pl.col("years").cast(pl.String)), marks], how="diagonal_relaxed"
    )
    return {
        "parts": lambda: [
            f"{trend.summary()}.",
            "",
            *_error_table(both.rename({"line": "category"}), "year", trend),
            *_below(trend.notes, len(trend.notes)),
        ],
        "rows": lambda: _error_rounded(both).drop("first", strict=False),
        "document": lambda: {
            "by": "category" if trend.parameters["categories"] else "year",
            "summary": trend.summary(),
            "parameters": dict(trend.parameters) | dict(taken),
            "input": _input(trend, games),
            "lines": _error_rounded(trend.rows).to_dicts(),
            "marks": _error_rounded(trend.marks).to_dicts(),
            "notes": list(trend.notes),
            **games.report.by_action(),
        },
    }


def _error_table(rows: pl.DataFrame, by: str, report: ErrorGroups | ErrorTrend) -> list[object]:
    shown = rows if rows.height <= SHOWN_GROUPS else pl.concat([rows.head(SHOWN_GROUPS), rows.tail(1)])
    percent = f"{100 * float(report.parameters['confidence']):g} %"
    columns: dict[str, object] = {
        **({"era": shown["era"].fill_null("")} if "era" in shown.columns else {}),
        **({"category": shown["category"]} if "category" in shown.columns else {}),
        by: shown["label"] if "label" in shown.columns else shown[by].cast(pl.String),
        **({"years": shown["years"]} if "years" in shown.columns else {}),
        "games": shown["games"],
        "moves": shown["moves"],
        "raw": _texts(shown, "raw", 3),
        "raw ±": _sure(shown, "raw", 3),
        f"raw {percent}": _limits(shown, "raw", 3),
        "scaled": _texts(shown, "scaled", 4),
        "scaled ±": _sure(shown, "scaled", 4),
        f"scaled {percent}": _limits(shown, "scaled", 3),
    }
    if shown["matched"].count():
        columns["match"] = _texts(shown, "matched", 3)
        columns["match ±"] = _texts(shown, "matched_error", 3)
    more = rows.height - shown.height
    rest = [Remark(f"… and {more:,} more lines", "in-csv")] if more else []
    return [rich_table(pl.DataFrame(columns)), *rest, "", *EXPLAINED]


def _sure(rows: pl.DataFrame, name: str, digits: int) -> list[str]:
    texts = _texts(rows, f"{name}_error", digits)
    return [
        f"{t}{'m' if by == 'moves' and t.strip() else ' '}"
        for t, by in zip(texts, rows["error_by"], strict=True)
    ]


def _below(notes: Sequence[str], most: int = SHOWN_NOTES) -> list[str]:
    shown = shown_notes(notes, most)
    return ["", *shown] if shown else []


def _error_rounded(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.selectors.float().round(ERROR_DIGITS))


def _input(report: ErrorGroups | ErrorTrend, games: EvaluatedGames) -> dict[str, object]:
    return {
        "games": len(games.games),
        "positions": games.table.height,
        "moves": len(report.errors),
        "left_out": dict(report.errors.left_out),
        "forfeits": report.errors.forfeits,
        "fingerprint": games.games.fingerprint(),
    }
