"""`arpad ipr test`: is this play surprising for its rating? Z-scores, and what they can and cannot show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.engine_options import (
    EngineOption,
    PatienceOption,
    StoreOption,
    WorkersOption,
    workers_of,
)
from arpad.cli.ipr_calibration import (
    CalibrationOption,
    asked_as,
    calibration_document,
    calibration_named,
    same_as,
)
from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    from arpad.cli.ipr_games import AskedGames
    from arpad.moves.intrinsic.performances import Performances

__all__ = ["add_to"]

NAMES = {
    "rating": "Elo", "mm": "MM", "mm_expected": "expected MM", "mm_sigma": "± MM", "z_match": "z MM",
    "ae": "AE", "ae_expected": "expected AE", "ae_sigma": "± AE", "z_error": "z AE",
    "cautious_z_match": "cautious z MM", "cautious_z_error": "cautious z AE",
}  # fmt: skip
DIGITS = {"Elo": 0, "MM": 3, "expected MM": 3, "± MM": 3, "AE": 4, "expected AE": 4, "± AE": 4}
SHOWN = ["player", "games", "moves", *NAMES]
SHOWN_NOTES = 10
WORDS_FOR = 5
"""Players whose numbers are put into words one by one, the most unusual first."""


def add_to(group: typer.Typer) -> None:
    """Register the verb."""
    group.command("test")(surprising)


def surprising(
    files: Annotated[
        list[str], typer.Argument(help="PGN files; - is standard input.", metavar="FILES")
    ],
    player: Annotated[
        Optional[list[str]],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="Only players whose names contain this; repeatable. [everybody]"),
    ] = None,
    rating: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Test one player against this rating. [the file's, mean over the moves]"),
    ] = None,
    prior: Annotated[
        float,
        typer.Option(
            help="One performance in so many is thought to deserve a look before anything is measured."
        ),
    ] = 10_000.0,
    calibration: CalibrationOption = None,
    engine: EngineOption = "stockfish",
    workers: WorkersOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Make an error of the first record that would be skipped."),
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare moves with what players of that rating are projected to choose in the same positions.

    Two z-scores, of the match rate and of the average error, positive where the play is better than expected; with the odds before, the number
    of performances looked at, and what such numbers cannot show.

    arpad ipr test open.pgn --player Smith

    arpad ipr test match.pgn --player Smith --rating 2450 --prior 100000
    """
    from arpad.cli.ipr_games import asked_games
    from arpad.moves.intrinsic.decisions import filters_of
    from arpad.moves.intrinsic.grouping import players_called
    from arpad.moves.intrinsic.performances import performances

    made = calibration_named(calibration)
    settings = asked_as(made, engine=engine)
    team = workers_of(workers, settings, patience=patience)
    same_as(made, settings, team)
    filters = filters_of(made.filters)
    asked = asked_games(files, settings, workers=team, filters=filters, store=store, strict=strict)
    found = performances(
        asked.answered.decisions, asked.games, made,
        players=None if not player else players_called(asked.games, player),
        rating=rating, prior=prior,
    )  # fmt: skip
    emit(
        format,
        output,
        people=lambda: _people(found, asked),
        rows=found.table,
        document=lambda: _document(found, asked, files),
    )


def _people(found: Performances, asked: AskedGames) -> list[object]:
    from arpad.moves.intrinsic.line import ACTUAL_ERROR, ACTUAL_MATCH
    from arpad.moves.intrinsic.performances import CAUTION
    from arpad.publish.tables import rich_table

    own = [f"{t.name}: {t.note}" for t in found.tested if t.note]
    shown = own[:SHOWN_NOTES]
    if len(own) > SHOWN_NOTES:
        shown.append(f"{len(own) - SHOWN_NOTES:,} more players have notes: --format json has them")
    notes = [f"Note: {n}." for n in (*asked.notes(), *shown)]
    return [
        rich_table(found.table().select(SHOWN).rename(NAMES), digits=DIGITS),
        "",
        (f"± is one standard deviation as projected; the z-scores take it {ACTUAL_MATCH:g} times as wide for the match rate (MM) and {ACTUAL_ERROR:g} times for the "
        "average error (AE), since moves of one game are not independent. Cautious: the rating taken higher by two standard errors of the calibration's line."),
        "",
        *_words(found),
        "",
        f"Prior odds: one performance in {found.prior:,.0f} is thought to deserve a look before anything is measured (--prior).",
        found.multiplicity(),
        "",
        CAUTION,
        *notes,
    ]  # fmt: skip


def _words(found: Performances) -> list[str]:
    """Put the most unusual into words; where nobody is, one sentence."""
    from arpad.moves.intrinsic.surprise import UNUSUAL

    told = [(t, t.surprise) for t in found.tested if t.surprise is not None]
    told.sort(key=lambda x: -max(x[1].z_match, x[1].z_error))
    unusual = [(t, s) for t, s in told if max(s.z_match, s.z_error) >= UNUSUAL]
    if not told:
        return ["Nobody has z-scores: the notes say why."]
    if not unusual:
        who = told[0][0].name if len(told) == 1 else "anybody here"
        return [f"Nothing is unusual for the rating of {who}."]
    lines = [f"{t.name}: {s.verdict()}" for t, s in unusual[:WORDS_FOR]]
    more = len(unusual) - WORDS_FOR
    return [*lines, *([f"… and {more} more with a z-score of 2 or above"] if more > 0 else [])]


def _document(found: Performances, asked: AskedGames, files: list[str]) -> dict[str, object]:
    from arpad.moves.intrinsic.line import ACTUAL_ERROR, ACTUAL_MATCH
    from arpad.moves.intrinsic.performances import CAUTION, MEASURES

    done = asked.answered
    words = [None if t.surprise is None else t.surprise.words() for t in found.tested]
    return {
        "summary": f"{found.summary()}.",
        "tested": [
            {**{k: _number(v) for k, v in row.items()}, "words": said}
            for row, said in zip(found.table().to_dicts(), words, strict=True)
        ],
        "parameters": {
            "prior": found.prior, "multiplier_match": ACTUAL_MATCH, "multiplier_error": ACTUAL_ERROR,
        },
        "multiplicity": {
            "performances": found.looked_at, "measures": MEASURES,
            "highest_by_chance": round(found.highest_by_chance, 3),
            "one_unusual_by_chance": round(found.one_unusual_by_chance, 4), "words": found.multiplicity(),
        },
        "caution": CAUTION,
        "calibration": calibration_document(found.calibration),
        "input": {
            "files": files, "games": len(asked.games), "fingerprint": asked.games.fingerprint(),
            "asked": done.asked, "known": done.known, "analysed": done.analysed, "failed": done.failed,
        },
        "left_out": {"moves": dict(done.decisions.left_out), "games": list(asked.forfeits)},
        "notes": asked.notes(),
    }  # fmt: skip


def _number(value: object) -> object:
    """Return a figure as JSON has it, six decimals at most; infinity is a word."""
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else "Infinity"
    return value
