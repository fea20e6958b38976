"""Reports on strength from moves: estimates, intrinsic ratings, their tests and comparisons."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.moves.ipr.report import DEVIATION
from arpad.publish.reports import Remark
from arpad.publish.reports.gain import figure, plain_number, shown_notes
from arpad.publish.tables import rich_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.inputs import DecisionGames
    from arpad.moves.ipr.report import IprReport
    from arpad.moves.ipr.surprise import Performances, Populations
    from arpad.moves.strength.report import PlayerStrength, StrengthReport


# `arpad strength`.

ALONE = ("game", "phase", "colour")
"""Tables where there is one player and none was asked for."""

DETAILED = 2
"""Players up to whom these tables are printed."""

TITLES = {
    "game": "By game",
    "event": "By event",
    "year": "By year",
    "phase": "By phase",
    "colour": "By colour",
    "time_control": "By time control",
    "advantage": "Ahead, level, behind",
}


def strength_lines(report: StrengthReport, by: Sequence[str] | None) -> list[object]:
    """Return what a person sees."""
    if by is None:
        by = ALONE if len(report.players) <= DETAILED else ()
    parts: list[object] = [f"{player.summary()}." for player in report.players]
    for player in report.players:
        parts += _details(player, by, several=len(report.players) > 1)
    percent = f"{report.confidence:.0%}".replace("%", " %")
    end = [f"In brackets: the interval that holds the strength with {percent}."]
    if report.parameters.get("opponents"):
        words = "Players mostly meet players of about their own strength, so the opponents' moves count, too"
        end.append(Remark(words, "opponents"))
    return [*parts, "", *end]


def _details(player: PlayerStrength, by: Sequence[str], *, several: bool) -> list[object]:
    if not by or not player.moves:
        return []
    parts: list[object] = ["", f"{player.name}:"] if several else [""]
    if player.expected_blunders >= 1:
        parts.append(
            f"{player.blunders} serious mistakes; a player of this strength makes "
            f"{player.expected_blunders:.1f} in such positions."
        )
    traits = player.traits()
    if player.situations:
        others = f"Beside others of about {round(player.strength, -1):.0f}: "
        parts.append(others + ("; ".join(traits) if traits else "no clear difference in any situation") + ".")
    if player.combined is not None and player.results is not None:
        low, high = player.combined.interval(player.confidence)
        parts.append(
            f"By results alone about {round(player.results.mean, -1):.0f}; by moves and results together about "
            f"{round(player.combined.mean, -1):.0f} ({round(low, -1):.0f}–{round(high, -1):.0f})."
        )
    for part in by:
        table = _games(player) if part == "game" else _part(player, part)
        if table.height:
            parts += ["", f"{TITLES[part]}:", rich_table(table)]
    return parts


def _games(player: PlayerStrength) -> pl.DataFrame:
    rows = [
        {
            "date": g.date,
            "event": g.event,
            "opponent": g.black if g.side == "white" else g.white,
            "rated": "" if g.opponent_rating is None else f"{g.opponent_rating:.0f}",
            "colour": g.side,
            "result": g.result,
            "moves": g.moves,
            **_estimate(g.posterior.mean, g.posterior.interval(player.confidence)),
        }
        for g in player.by_game
    ]
    return pl.DataFrame(rows)


def _part(player: PlayerStrength, part: str) -> pl.DataFrame:
    rows = [
        {
            part.replace("_", " "): p.label,
            "games": p.games,
            "moves": p.moves,
            **_estimate(p.strength, p.posterior.interval(player.confidence)),
        }
        for p in player.parts.get(part, ())  # type: ignore[call-overload]
    ]
    return pl.DataFrame(rows)


def _estimate(mean: float, interval: tuple[float, float]) -> dict[str, str]:
    low, high = interval
    return {"strength": f"{round(mean, -1):.0f}", "interval": f"{round(low, -1):.0f}–{round(high, -1):.0f}"}


# `arpad ipr` for programs: JSON and CSV.

DIGITS = {"mm": 4, "ae": 5, "ae_raw": 4, "s": 5, "c": 5, "ae_e": 5, "gain": 4}
"""Decimals of figures that are not points; points have one."""
POINTS = 1


def ipr_rows(report: IprReport) -> pl.DataFrame:
    """Return the table, for CSV."""
    rounded = report.rows.with_columns(
        pl.col(name).round(DIGITS.get(name, POINTS))
        for name, kind in report.rows.schema.items()
        if kind == pl.Float64
    )
    # Complete games alone have one, and `arpad gain` gives it; the column stays for programs that read it.
    return rounded.with_columns(lichess_accuracy=pl.lit(None, pl.Float64))


def ipr_document(report: IprReport, asked: DecisionGames, files: list[str]) -> dict[str, object]:
    """Return everything: rows, averages, calibration, settings, and what was left out."""
    done = asked.decided
    notes = [*asked.notes(), *report.notes]
    whole = report.whole
    return {
        "by": list(report.by),
        "summary": f"{report.summary()}.",
        f"{report.by[0]}s": [_plain(row) for row in ipr_rows(report).to_dicts()],
        "averages": [_plain(row) for row in _rounded(report.averages).to_dicts()],
        "all_moves": {
            "moves": whole.moves,
            "mm": plain_number(round(whole.match_rate, 4)),
            "ae": plain_number(round(whole.error, 5)),
            **{k: v if isinstance(v, str) else plain_number(v) for k, v in _whole_rating(report).items()},
            "note": whole.note or None,
        },
        "parameters": {
            k: round(v, POINTS) if isinstance(v, float) else v for k, v in report.parameters.items()
        },
        "calibration": calibration_document(report.calibration),
        "input": {
            "files": files,
            "games": len(asked.games),
            "fingerprint": asked.games.fingerprint(),
            "asked": done.asked,
            "searched_alone": done.alone,
            "known": done.known,
            "analysed": done.analysed,
            "failed": done.failed,
        },
        "left_out": {"moves": dict(report.left_out), "games": list(asked.forfeits)},
        "notes": notes,
        **asked.report.by_action(),
    }


def _rounded(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.selectors.float().round(POINTS))


def _plain(row: dict[str, object]) -> dict[str, object]:
    return {k: (v or None) if k == "note" else plain_number(v) for k, v in row.items()}


# `arpad ipr` for people: the paper's tables 3 to 5 in form, with the lines below them.

SHOWN_NOTES = 10
Row = dict[str, Any]


def ipr_lines(report: IprReport, asked: DecisionGames) -> list[object]:
    """Return what a person sees."""
    notes = [*asked.notes(), *report.notes]
    return [
        f"{report.summary()}.",
        _counted(report, asked),
        "",
        rich_table(_table(report)),
        "",
        *_explained(report),
        "",
        *shown_notes(notes, SHOWN_NOTES),
    ]


def _table(report: IprReport) -> pl.DataFrame:
    lines = [_line(row, report) for row in report.rows.to_dicts()]
    below = [
        _line({**row, "moves": None}, report) | {"moves": _figure(row.get("moves"))}
        for row in report.averages.to_dicts()
    ]
    if report.rows.height > 1:
        below.append(_line(_whole(report), report))
    frame = pl.DataFrame([*lines, *below], schema=dict.fromkeys(lines[0], pl.String))
    right = [c for c in frame.columns if c not in report.by]
    frame = frame.with_columns(_right(frame[c]) for c in right)
    blank = [c for c in frame.columns if not any(str(v or "").strip() for v in frame[c])]
    return frame.drop(blank)


def _line(row: Row, report: IprReport) -> dict[str, str]:
    get = row.get
    first, *others = report.by
    share = get("mm")
    signed = get("name") != DEVIATION
    ipr = str(get("ipr_words") or _figure(get("ipr")))
    if get("at_least") is not None:
        ipr = f"≥ {_figure(get('at_least'))}"
    return {
        first: str(get("name")),
        **{str(b): str(get(b) or "") for b in others},
        "games": _figure(get("games")),
        "moves": _figure(get("moves")),
        "MM %": _figure(None if share is None else 100 * share, 1),
        "AE": _figure(get("ae"), 3),
        "s": _figure(get("s"), 3),
        "c": _figure(get("c"), 3),
        "IPR": ipr,
        "±2σ": str(get("range_words") or ""),
        "actual": str(get("actual_words") or ""),
        "cat.": _figure(get("category")),
        "Elo": _figure(get("elo")),
        "IPR−Elo": _figure(get("ipr_minus_elo"), signed=signed),
        "TPR": _figure(get("performance")),
        "IPR−TPR": _figure(get("ipr_minus_performance"), signed=signed),
        "ACPL": _figure(get("average_centipawn_loss"), 1),
        "move acc. %": _figure(get("move_accuracy"), 1),
    }


def _whole(report: IprReport) -> Row:
    result = report.whole
    row: Row = {
        "name": "all moves in one run",
        "moves": result.moves,
        "mm": result.match_rate,
        "ae": result.error,
    }
    return row | _whole_rating(report)


def _whole_rating(report: IprReport) -> Row:
    """Return what a row has of its rating, for all moves in one run: no number beyond the marks of the line."""
    from arpad.moves.ipr.report import rating_figures

    rated = report.whole.rating
    if rated is None:
        return {}
    figures = rating_figures(rated, report.calibration)
    figures = {k: round(v, POINTS) if isinstance(v, float) else v for k, v in figures.items()}
    return {"s": round(rated.fit.s, 5), "c": round(rated.fit.c, 5), **figures}


def _explained(report: IprReport) -> list[str]:
    actual, sigmas = report.parameters["actual"], report.parameters["sigmas"]
    lines = [
        "MM: moves that are the engine's first; AE: scaled average error; s, c: sensitivity and consistency, fitted to the moves;",
        "ACPL, move acc.: centipawns lost a move and Lichess's accuracy of a move, of the moves that count and in one search; arpad gain has those of complete games.",
    ]
    if report.rows["ipr_words"].count():
        lines.append(
            f"±2σ: IPR ± {sigmas:g}σ, of the moves as the model projects it and of the line; "
            f"actual: σ of the moves {actual:g} times as wide, as the paper's trials found."
        )
    if "performance" in report.rows.columns and report.rows["performance"].count():
        lines.append("TPR: performance rating of the results, against opponents with ratings.")
    return lines


def _counted(report: IprReport, asked: DecisionGames) -> str:
    from arpad.moves.ipr.report import WORDS

    taken = [f"{n:,} {WORDS.get(k, k)}" for k, n in report.left_out.items() if n]
    said = f"Not counted: {', '.join(taken)}." if taken else "Every move counts."
    alone = asked.decided.alone
    return said + (f" Outside the lines, searched alone: {alone:,}." if alone else "")


def _figure(value: float | None, digits: int = 0, *, signed: bool = False) -> str:
    return "" if value is None else figure(float(value), digits, signed=signed)


def _right(column: pl.Series) -> pl.Series:
    texts = [t or "" for t in column]
    wide = max(map(len, texts), default=0)
    return pl.Series(column.name, [t.rjust(wide) for t in texts], dtype=pl.String)


def calibration_document(calibration: Calibration) -> dict[str, object]:
    """Return what a calibration rests on, as JSON has it beside results."""
    marks = [m.elo for m in calibration.marks if m.in_line]
    return {
        "name": calibration.name,
        "date": calibration.date,
        "games": calibration.games,
        "engine": dict(calibration.engine),
        "filters": dict(calibration.filters),
        "method": calibration.method,
        "line": asdict(calibration.line),
        "first_mark": min(marks),
        "last_mark": max(marks),
        "moves": sum(m.moves for m in calibration.marks if m.in_line),
    }


# `arpad ipr test`.

NAMES = {
    "rating": "Elo",
    "strength": "strength",
    "strength_low": "low",
    "strength_high": "high",
    "z_strength": "z",
    "mm": "MM",
    "mm_expected": "expected MM",
    "mm_sigma": "± MM",
    "z_match": "z MM",
    "ae": "AE",
    "ae_expected": "expected AE",
    "ae_sigma": "± AE",
    "z_error": "z AE",
    "cautious_z_match": "cautious z MM",
    "cautious_z_error": "cautious z AE",
}
TEST_DIGITS = {
    "Elo": 0,
    "strength": 0,
    "low": 0,
    "high": 0,
    "MM": 3,
    "expected MM": 3,
    "± MM": 3,
    "AE": 4,
    "expected AE": 4,
    "± AE": 4,
}
TESTED = ["player", "games", "moves", *NAMES]
WORDS_FOR = 5
"""Players whose numbers are put into words one by one, the most unusual first."""


def surprise_lines(found: Performances, asked: DecisionGames) -> list[object]:
    """Write the z-scores, what they can show and what they cannot."""
    from arpad.moves.ipr.calibration import ACTUAL_ERROR, ACTUAL_MATCH
    from arpad.moves.ipr.surprise import CAUTION, FALSE_ALARMS, RATING_ERROR

    own = [f"{t.name}: {t.note}" for t in found.tested if t.note]
    notes = [f"Note: {n}." for n in (*asked.notes(), *own[:SHOWN_NOTES])]
    if len(own) > SHOWN_NOTES:
        more = f"Note: {len(own) - SHOWN_NOTES:,} more players have notes"
        notes.append(Remark(more, "note-in-json"))
    prior = f"Prior odds: one performance in {found.prior:,.0f} is thought to deserve a look before anything is measured"
    return [
        rich_table(found.table().select(TESTED).rename(NAMES), digits=TEST_DIGITS),
        "",
        (
            f"z: how far the strength of the player's own moves lies above the rating, both errors ({RATING_ERROR:.0f} points for the rating) and the form of a game "
            f"taken in. {FALSE_ALARMS}. The other columns are the paper's: ± is one standard deviation as projected; z MM and z AE take it {ACTUAL_MATCH:g} times as wide for the match rate (MM) and {ACTUAL_ERROR:g} times for the "
            "average error (AE), since moves of one game are not independent. Cautious: the rating taken higher by two standard errors of the calibration's line."
        ),
        "",
        *_surprises(found),
        "",
        Remark(prior, "prior"),
        found.multiplicity(),
        "",
        CAUTION,
        *notes,
    ]


def _surprises(found: Performances) -> list[str]:
    from arpad.moves.ipr.surprise import UNUSUAL

    told = [(t, t.surprise) for t in found.tested if t.surprise is not None]
    told.sort(key=lambda x: -x[1].best)
    unusual = [(t, s) for t, s in told if s.best >= UNUSUAL]
    if not told:
        return ["Nobody has z-scores: the notes say why."]
    if not unusual:
        who = told[0][0].name if len(told) == 1 else "anybody here"
        return [f"Nothing is unusual for the rating of {who}."]
    lines = [f"{t.name}: {s.verdict()}" for t, s in unusual[:WORDS_FOR]]
    more = len(unusual) - WORDS_FOR
    return [*lines, *([f"… and {more} more with a z-score of 2 or above"] if more > 0 else [])]


def surprise_document(found: Performances, asked: DecisionGames, files: list[str]) -> dict[str, object]:
    """Return everything for JSON."""
    from arpad.moves.ipr.calibration import ACTUAL_ERROR, ACTUAL_MATCH
    from arpad.moves.ipr.surprise import CAUTION, FALSE_ALARMS, RATING_ERROR

    done = asked.decided
    words = [None if t.surprise is None else t.surprise.words() for t in found.tested]
    return {
        "summary": f"{found.summary()}.",
        "tested": [
            {**{k: _rounded_number(v) for k, v in row.items()}, "words": said}
            for row, said in zip(found.table().to_dicts(), words, strict=True)
        ],
        "parameters": {
            "prior": found.prior,
            "multiplier_match": ACTUAL_MATCH,
            "multiplier_error": ACTUAL_ERROR,
            "rating_error": RATING_ERROR,
        },
        "false_alarms": FALSE_ALARMS,
        "multiplicity": {
            "performances": found.looked_at,
            "measures": found.measures,
            "highest_by_chance": round(found.highest_by_chance, 3),
            "one_unusual_by_chance": round(found.one_unusual_by_chance, 4),
            "words": found.multiplicity(),
        },
        "caution": CAUTION,
        "calibration": calibration_document(found.calibration),
        "input": {
            "files": files,
            "games": len(asked.games),
            "fingerprint": asked.games.fingerprint(),
            "asked": done.asked,
            "known": done.known,
            "analysed": done.analysed,
            "failed": done.failed,
        },
        "left_out": {"moves": dict(done.decisions.left_out), "games": list(asked.forfeits)},
        "notes": asked.notes(),
    }


def _rounded_number(value: object) -> object:
    return plain_number(round(value, 6) if isinstance(value, float) else value)


# `arpad ipr compare`.

MOST_PAIRS = 15
"""Pairs that are shown to people."""
HIDDEN = ("low", "high")
"""Columns that people need not see: the interval before it is widened."""


def populations_lines(found: Populations, asked: DecisionGames) -> list[object]:
    """Write the groups, their differences, and what the intervals hold."""
    digits = {"mm": 3, "ae": 4, "z": 1}
    table, pairs = found.table().drop(HIDDEN), found.pairs()
    whole = [c for c in (*table.columns, *pairs.columns) if c not in digits]
    places = {**dict.fromkeys(whole, 0), **digits}
    empty = [c for c in table.columns if not table[c].count()]
    more = pairs.height - MOST_PAIRS
    return [
        rich_table(table.drop(empty), digits=places),
        "",
        *([rich_table(pairs.head(MOST_PAIRS), digits=places)] if pairs.height else []),
        *([Remark(f"… and {more} more pairs", "in-json")] if more > 0 else []),
        "",
        f"{found.summary()}.",
        (
            "low_actual to high_actual: two standard errors of the moves, 1.4 times as wide as projected; low_players to high_players: two standard errors with the players "
            "taken as drawn from their group. beyond_elo: the difference of the moves less that of the ratings; z: that in standard errors."
        ),
        *([f"{found.ungrouped:,} moves belong to no group here."] if found.ungrouped else []),
        *(f"Note: {n}." for n in asked.notes()),
    ]
