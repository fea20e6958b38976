"""`arpad gain` for people: tables with their intervals, the crosstable, and what to mind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.gain_report import GainReport

__all__ = ["figure", "gain_crosstable", "halves", "people"]

SHOWN_PAIRS = 40
SHOWN_NOTES = 8
WIDEST = 14
"""Players that a square table has room for."""


def people(reports: Sequence[GainReport], *, moves: bool) -> list[object]:
    """Return what a person sees."""
    parts: list[object] = []
    for i, report in enumerate(reports):
        parts += ([""] if i else []) + _one(report, moves=moves)
    return [*parts, "", *_explained(reports[0])]


def _one(report: GainReport, *, moves: bool) -> list[object]:
    from arpad.publish.tables import rich_table

    if moves:
        return [f"{report.summary()}.", "", rich_table(_moves(report)), *_notes(report)]
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
        parts += [f"… and {more:,} pairs more: --format json has them"] if more else []
    return [*parts, *_notes(report)]


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
        columns["strength"] = _texts(table, "strength", 0)
        columns[f"strength {limits}"] = _limits(table, "strength", 0)
    columns["ACPL"] = _texts(table, "average_centipawn_loss", 1)
    columns["Lichess %"] = _texts(table, "lichess_accuracy", 1)
    return _kept(pl.DataFrame(columns))


def _pairs(report: GainReport, table: pl.DataFrame) -> pl.DataFrame:
    limits = _percent(report)
    both = table.select(*_apart(report.pairs), "player", "opponent")
    if "opponent_event" in table.columns:
        both = table.select(
            (pl.col("player") + " @ " + pl.col("event").fill_null("?")).alias("player"),
            (pl.col("opponent") + " @ " + pl.col("opponent_event").fill_null("?")).alias(
                "opponent"
            ),
        )
    score = [
        None if s is None else f"{halves(s)} of {n}"
        for s, n in table.select("score", "games").iter_rows()
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
    from arpad.publish.tables import rich_table

    found = report.standing
    if found is None:
        return []
    table = found.rows
    perceived = pl.DataFrame(
        {
            "rank": table["rank"],
            "player": table["player"],
            "rating": _texts(table, "rating", 0),
            "perceived": _texts(table, "perceived", 0, signed=found.level is None),
            f"perceived {_percent(report)}": _limits(table, "perceived", 0),
            "less rating": _texts(table, "change", 0, signed=True),
            "points": [
                f"{halves(p)} of {n}" for p, n in table.select("points", "games").iter_rows()
            ],
            "expected points": _texts(table, "expected", 2),
            "moves": table["moves"],
        }
    )
    level = (
        "Nobody's rating is known: perceived ratings are differences around 0."
        if found.level is None
        else f"Perceived ratings are {found.level:.0f} on average, as the known ones are."
    )
    dropped = (
        f" {found.dropped} draws had infinite differences and were left out."
        if found.dropped
        else ""
    )
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
    from arpad.cli.gain_document import move_rows

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
        shown = shown.with_columns(_texts(table, "strength", 0))
    return _kept(shown if table["game"].n_unique() > 1 else shown.drop("game"))


def _explained(report: GainReport) -> list[str]:
    draws = report.parameters["draws"]
    lines = [
        "gain: pawns a move, from the mover's side; vs engine: expected score against an engine that always gains 0;",
        "points: the rating difference 200√2 Φ⁻¹(p) that it stands for; ACPL, Lichess %: average centipawn loss and accuracy as Lichess counts them.",
    ]
    if draws:
        share = report.parameters["confidence"]
        lines.append(f"Intervals hold {100 * share:g} % of {draws:,} draws, widened for few games; seed {report.parameters['seed']}.")  # fmt: skip
    return lines


def _notes(report: GainReport) -> list[str]:
    shown = [f"Note: {note}." for note in report.notes[:SHOWN_NOTES]]
    more = len(report.notes) - SHOWN_NOTES
    # What holds for all intervals comes last and is always said.
    if more > 0:
        shown = [*shown[:-1], f"… and {more:,} notes more: --format json has them", f"Note: {report.notes[-1]}."]  # fmt: skip
    return ["", *shown] if shown else []


def _percent(report: GainReport) -> str:
    return f"{100 * report.parameters['confidence']:g} %"


def _apart(table: pl.DataFrame) -> list[str]:
    """Return the columns that tell lines of the same players apart."""
    return [c for c in ("event", "game") if c in table.columns and table[c].n_unique() > 1]


def figure(value: float | None, digits: int, *, signed: bool = False) -> str:
    """Return a figure as people read it: no nought before the point of a share, ∞ where it is infinite.

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
    """Return a column of figures as texts that stand right."""
    texts = [figure(v, digits, signed=signed) for v in table[name]]
    width = max(map(len, texts), default=0)
    return pl.Series(name, [t.rjust(width) for t in texts], dtype=pl.String)


def _limits(table: pl.DataFrame, name: str, digits: int) -> pl.Series:
    """Return the limits of a column as texts."""
    low, high = (_texts(table, f"{name}_{end}", digits) for end in ("low", "high"))
    texts = [f"{a} … {b}" if a.strip() or b.strip() else "" for a, b in zip(low, high, strict=True)]
    return pl.Series(name, texts, dtype=pl.String)


def _kept(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out columns in which nothing stands."""
    blank = [c for c in frame.columns if not any(str(v).strip() for v in frame[c].drop_nulls())]
    return frame.drop(blank)
