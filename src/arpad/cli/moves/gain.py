"""`arpad gain`: how strong the moves were, on the rating scale, from evaluations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import polars as pl
import typer

from arpad.cli import options as opt
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.evaluated_games import EvaluatedGames
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
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
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
    moves = view == "moves"
    emit(
        format,
        output,
        people=lambda: people(reports, moves=moves),
        rows=lambda: rows(reports, moves=moves),
        document=lambda: document(reports, source.games, moves=moves),
    )


def _only(gains: Gains, players: str | None, view: View) -> Gains:
    if players is None:
        return gains
    if view in ("event", "matches"):
        raise UsageError(f"--players: expected another view than {view}, whose ratings need everybody")
    import polars as pl

    parts = [p.strip().casefold() for p in players.split(",") if p.strip()]
    names = gains.games.players["name"].to_list()
    wanted = [i for i, n in enumerate(names) if any(p in (n or "").casefold() for p in parts)]
    kept = gains.table["player"].is_in(wanted)
    if not kept.any():
        some = ", ".join(map(str, names[:5]))
        raise UsageError(f"--players: expected part of a name, found {players!r}; there are {some}, …")
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


def rows(reports: Sequence[GainReport], *, moves: bool) -> pl.DataFrame:
    """Return the table of a view: players, or moves."""
    if moves:
        result = pl.concat([move_rows(r) for r in reports])
        return result.with_columns(_rounded(result))
    parts = [_labelled(r, r.players, len(reports)) for r in reports]
    return pl.concat(parts, how="diagonal_relaxed").with_columns(_rounded(parts[0]))


def document(reports: Sequence[GainReport], evaluated: EvaluatedGames, *, moves: bool) -> dict[str, object]:
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
    actions = ("skipped", "repaired", "noted")
    return result | {a: [n.as_dict() for n in evaluated.report.notes if n.action == a] for a in actions}


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


# `arpad gain` for people: tables with their intervals, the crosstable, and what to mind.

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
        parts += [f"… and {more:,} more pairs: --format json has them"] if more else []
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
    from arpad.publish.tables import rich_table

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


def _notes(report: GainReport) -> list[str]:
    shown = [f"Note: {note}." for note in report.notes[:SHOWN_NOTES]]
    more = len(report.notes) - SHOWN_NOTES
    # What holds for all intervals comes last and is always said.
    if more > 0:
        shown = [
            *shown[:-1],
            f"… and {more:,} more notes: --format json has them",
            f"Note: {report.notes[-1]}.",
        ]
    return ["", *shown] if shown else []


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
