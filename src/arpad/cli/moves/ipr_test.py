"""`arpad ipr test` and `arpad ipr compare`: surprising play, and groups of players."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.moves.evaluations import (
    CalibrationOption,
    calibration_document,
    calibration_named,
    decisions_as_calibrated,
)
from arpad.cli.options import EngineTeam, StrictOption
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.moves.ipr.inputs import DecisionGames
    from arpad.moves.ipr.surprise import Performances, Populations
    from arpad.moves.strength.posterior import Posterior


# `arpad ipr test`: is this play surprising for its rating? Z-scores, and what they can and cannot show.

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
DIGITS = {
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
SHOWN = ["player", "games", "moves", *NAMES]
SHOWN_NOTES = 10
WORDS_FOR = 5
"""Players whose numbers are put into words one by one, the most unusual first."""


def surprising(
    files: list[str],
    player: list[str] | None = None,
    rating: float | None = None,
    prior: float = 10_000.0,
    calibration: CalibrationOption = None,
    strict: StrictOption = False,
    *,
    engine: EngineTeam,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare the moves with those that players of the same rating would choose in the same positions.

    It prints the z-score of the strength that the player's own moves show, and those of match rate and average error
    by the paper; above 0 the play is better than expected. It also prints the prior odds, the number of performances
    checked, and the limits of such numbers.

    arpad ipr test open.pgn --player Smith

    arpad ipr test match.pgn --player Smith --rating 2450 --prior 100000

    files: PGN files; - is standard input.
    player: Only players whose names contain this; repeatable. [everybody]
    rating: Test one player against this rating. [the file's, averaged over the moves]
    prior: Prior odds: one performance in this many deserves a look before anything is measured.
    """
    from arpad.moves.ipr.rating import players_called
    from arpad.moves.ipr.surprise import performances

    made = calibration_named(calibration)
    asked = decisions_as_calibrated(files, made, engine, strict=strict)
    wanted = None if not player else players_called(asked.games, player)
    result = performances(
        asked.decided.decisions,
        asked.games,
        made,
        players=wanted,
        rating=rating,
        prior=prior,
        strengths=_strengths(files, player or [], engine),
    )
    emit(
        format,
        output,
        people=lambda: _people(result, asked),
        rows=result.table,
        document=lambda: _document(result, asked, files),
    )


def _strengths(files: list[str], players: list[str], engine: EngineTeam) -> dict[str, Posterior]:
    """Return what each player's own moves show, from a prior over more than all ratings; empty for standard input."""
    from arpad.cli.moves.strength import engine_source
    from arpad.moves.strength import Prior, strength

    if "-" in files:  # it has been read
        return {}
    workers = engine.workers
    count = int(workers) if workers and workers.isdigit() else None
    report = strength(
        files,
        player=players[0] if len(players) == 1 else None,
        values="engine",
        prior=Prior(low=700, high=3300),
        engine=engine_source(engine, count),
        openings=False,
        opponents=False,
    )
    return {p.name: p.posterior for p in report.players if p.moves}


def _people(found: Performances, asked: DecisionGames) -> list[object]:
    from arpad.moves.ipr.calibration import ACTUAL_ERROR, ACTUAL_MATCH
    from arpad.moves.ipr.surprise import CAUTION, FALSE_ALARMS, RATING_ERROR
    from arpad.publish.tables import rich_table

    own = [f"{t.name}: {t.note}" for t in found.tested if t.note]
    shown = own[:SHOWN_NOTES]
    if len(own) > SHOWN_NOTES:
        shown.append(f"{len(own) - SHOWN_NOTES:,} more players have notes: --format json has them")
    notes = [f"Note: {n}." for n in (*asked.notes(), *shown)]
    return [
        rich_table(found.table().select(SHOWN).rename(NAMES), digits=DIGITS),
        "",
        (
            f"z: how far the strength of the player's own moves lies above the rating, both errors ({RATING_ERROR:.0f} points for the rating) and the form of a game "
            f"taken in. {FALSE_ALARMS}. The other columns are the paper's: ± is one standard deviation as projected; z MM and z AE take it {ACTUAL_MATCH:g} times as wide for the match rate (MM) and {ACTUAL_ERROR:g} times for the "
            "average error (AE), since moves of one game are not independent. Cautious: the rating taken higher by two standard errors of the calibration's line."
        ),
        "",
        *_words(found),
        "",
        f"Prior odds: one performance in {found.prior:,.0f} is thought to deserve a look before anything is measured (--prior).",
        found.multiplicity(),
        "",
        CAUTION,
        *notes,
    ]


def _words(found: Performances) -> list[str]:
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


def _document(found: Performances, asked: DecisionGames, files: list[str]) -> dict[str, object]:
    from arpad.moves.ipr.calibration import ACTUAL_ERROR, ACTUAL_MATCH
    from arpad.moves.ipr.surprise import CAUTION, FALSE_ALARMS, RATING_ERROR

    done = asked.decided
    words = [None if t.surprise is None else t.surprise.words() for t in found.tested]
    return {
        "summary": f"{found.summary()}.",
        "tested": [
            {**{k: _number(v) for k, v in row.items()}, "words": said}
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


def _number(value: object) -> object:
    """Return a figure as JSON has it, six decimals at most; infinity is a word."""
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else "Infinity"
    return value


# `arpad ipr compare`: two federations, or any groups of players, through their moves.

WAYS = ("federation", "title", "sex", "year")
MOST_PAIRS = 15
"""Pairs that are shown to people."""
HIDDEN = ("low", "high")
"""Columns that people need not see: the interval before it is widened."""


def compare(
    files: list[str],
    by: str = "federation",
    groups: str | None = None,
    people_from: Annotated[str | None, typer.Option("--list")] = None,
    only: str | None = None,
    calibration: CalibrationOption = None,
    *,
    engine: EngineTeam,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare groups of players by their moves: the difference of their intrinsic ratings, with its interval, beside that of their ratings.

    arpad ipr compare olympiad.pgn --list fide.txt --only HUN,ISR

    arpad ipr compare 1978.pgn 2008.pgn --by year

    files: PGN files; - is standard input.
    by: How to group the players: federation, title, sex, year, or a column of --groups.
    groups: A CSV file with name and the column of --by, such as a region or a club.
    people_from: A rating list with federation, title or sex.
    only: Only these groups, such as HUN,ISR. [all]
    """
    from arpad.moves.ipr.surprise import compare_populations

    if groups is None and by not in WAYS:
        raise UsageError(f"--by: expected one of {', '.join(WAYS)}, or --groups FILE; found {by!r}")
    made = calibration_named(calibration)
    asked = decisions_as_calibrated(files, made, engine)
    result = compare_populations(
        asked.decided.decisions,
        _groups(asked, by, groups, people_from),
        made,
        only=[part.strip() for part in (only or "").split(",") if part.strip()],
    )
    emit(
        format,
        output,
        people=lambda: _ipr_compare_people(result, asked),
        rows=result.table,
        document=lambda: {
            "by": by,
            "summary": f"{result.summary()}.",
            "groups": result.table().to_dicts(),
            "differences": result.pairs().to_dicts(),
            "ungrouped_moves": result.ungrouped,
            "parameters": dict(result.parameters),
            "calibration": calibration_document(made),
            "input": {"files": files, "games": len(asked.games), "fingerprint": asked.games.fingerprint()},
            "notes": asked.notes(),
        },
    )


def _groups(asked: DecisionGames, by: str, path: str | None, people_from: str | None) -> pl.Series:
    import polars as pl

    from arpad.pool.deflation import UNKNOWN, described, kind
    from arpad.read.collect import named_texts
    from arpad.read.reading import read_list

    rows = asked.decided.decisions.rows
    if by == "year" and path is None:
        return rows["year"].cast(pl.String)
    players = asked.games.players
    if path is not None:
        told = named_texts(path, [by.casefold()])
        own = zip(players["name"], players["id"], strict=True)
        texts = [told.get(id_ or name, told.get(name)) for name, id_ in own]
        return pl.Series("group", texts, dtype=pl.String).gather(rows["player"])
    people = None if people_from is None else read_list(people_from)
    known = described(asked.games, people).with_columns(
        pl.lit(None).alias("year"), pl.lit(None).alias("rating")
    )
    if by != "title" and not known[by].count():
        raise InputError(
            f"the games do not say the {by} of their players: name a --list or --groups that does"
        )
    named = known.select(kind(by, age_cuts=(), rating_cuts=()).alias("group"))["group"]  # type: ignore[arg-type]
    return named.replace({UNKNOWN: None}).gather(rows["player"])


def _ipr_compare_people(found: Populations, asked: DecisionGames) -> list[object]:
    from arpad.publish.tables import rich_table

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
        *([f"… and {more} more pairs: --format json has them"] if more > 0 else []),
        "",
        f"{found.summary()}.",
        (
            "low_actual to high_actual: two standard errors of the moves, 1.4 times as wide as projected; low_players to high_players: two standard errors with the players "
            "taken as drawn from their group. beyond_elo: the difference of the moves less that of the ratings; z: that in standard errors."
        ),
        *([f"{found.ungrouped:,} moves belong to no group here."] if found.ungrouped else []),
        *(f"Note: {n}." for n in asked.notes()),
    ]
