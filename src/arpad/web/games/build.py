"""A game's page, put together from what the office knows of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from arpad.moves.gain import CENTIPAWNS
from arpad.moves.san import find_move
from arpad.moves.starting import starting_board
from arpad.web.contexts import Chart, Link
from arpad.web.games.contexts import GameMove, GamePage, ListedThen, MovePair, Side
from arpad.web.templates_of import number, signed

if TYPE_CHECKING:
    from arpad.office.showing.game_figures import GameFigures
    from arpad.office.showing.game_play import GamePlay
    from arpad.office.showing.game_sheet import GameSheet, Opponent

__all__ = ["Looked", "date_of", "game_page", "moves_of_play"]

MATE_PAWNS = 39.0
"""What a mate is worth among gains; a gain that large is said in words."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A game's moves, what is known of them, and what follows: worked out once."""

    play: GamePlay
    figures: GameFigures
    moves: tuple[GameMove, ...]


def date_of(sheet: GameSheet) -> str | None:
    """Return the day, or the month or year if no more is known."""
    if sheet.date is None:
        return None
    length = {"year": 4, "month": 7}.get(sheet.precision or "day", 10)
    return sheet.date.isoformat()[:length]


def game_page(
    sheet: GameSheet, looked: Looked | None, *, ply: int | None, side: str, store: bool
) -> GamePage:
    """Return the page of a game; `looked` is None where the ledger has no moves."""
    play = None if looked is None else looked.play
    length = 0 if play is None else play.length
    at = min(length if ply is None else ply, length)
    figures = None if looked is None else looked.figures
    report = None if figures is None else figures.report
    pair = None if figures is None else figures.expected
    black = "–" if sheet.black is None else sheet.black.name
    return GamePage(
        id=sheet.id,
        title=f"{sheet.white.name} – {black}",
        event=Link(text=sheet.event, href=f"/events/{sheet.event_id}"),
        site=sheet.site,
        round=sheet.round,
        date=date_of(sheet),
        result=sheet.result,
        status=sheet.status,
        white=_side(sheet.white, figures, 0),
        black=None if sheet.black is None else _side(sheet.black, figures, 1),
        has_moves=bool(length),
        plies=length,
        ply=at,
        side=side,
        by=None if play is None or not play.others else play.by,
        others=[] if play is None else list(play.others),
        source=None if play is None or not play.others else play.evaluated.source,
        start="" if play is None else _start(play),
        fen=None if play is None or not play.positions.height else play.positions["epd"][at],
        comment="" if play is None else play.comment,
        moves=[] if looked is None else _pairs(looked),
        expected=_of(pair, "expected"),
        expected_low=_of(pair, "expected_low"),
        expected_high=_of(pair, "expected_high"),
        evaluation_chart=None if report is None else _evaluation_chart(sheet, looked),
        gain_chart=None if report is None else _gain_chart(sheet, looked),
        strength_chart=None if report is None else _strength_chart(sheet, looked),
        notes=[] if looked is None else [*looked.play.notes, *looked.figures.notes],
        can_analyse=store and bool(length) and (play is None or "engine" not in play.others),
    )


def _of(row: dict[str, Any] | None, name: str) -> float | None:
    """Return a figure; nothing where it is not known or beyond measure."""
    value = None if row is None else row.get(name)
    return value if value is not None and math.isfinite(value) else None


def _side(who: Opponent, figures: GameFigures | None, at: int) -> Side:
    gain = None if figures is None else figures.sides[at]
    error = None if figures is None else figures.errors[at]
    return Side(
        id=who.id, name=who.name, title=who.title, given=who.given,
        listed=[ListedThen(policy=r.policy, list=r.list, rating=r.rating) for r in who.listed],
        moves=None if gain is None else gain["moves"],
        gain=_of(gain, "mean_gain"), gain_low=_of(gain, "mean_gain_low"),
        gain_high=_of(gain, "mean_gain_high"), points=_of(gain, "difference_vs_engine"),
        points_low=_of(gain, "difference_vs_engine_low"),
        points_high=_of(gain, "difference_vs_engine_high"),
        loss=_of(gain, "average_centipawn_loss"), accuracy=_of(gain, "lichess_accuracy"),
        error_moves=None if error is None else error["moves"], error=_of(error, "raw"),
        error_low=_of(error, "raw_low"), error_high=_of(error, "raw_high"),
        agreed=_of(error, "matched"),
    )  # fmt: skip


def moves_of_play(play: GamePlay, figures: GameFigures, fen: str | None) -> tuple[GameMove, ...]:
    """Return every move with its evaluation, its gain, and the engine's choice in its place."""
    if not play.length:
        return ()
    rows = play.evaluated.table.to_dicts()
    gains: dict[int, int] = {}
    if figures.report is not None:
        gains = dict(figures.report.gains.table.select("ply", "gain").iter_rows())
    board = starting_board(fen)
    found = []
    for ply in range(1, play.length + 1):
        said, before, row = play.plies[ply - 1], rows[ply - 1], rows[ply]
        count = f"{board.fullmove_number}{'.' if board.turn else '…'}"
        uci = play.positions["uci"][ply - 1]
        best = _san(board, before["best"])
        gain = gains.get(ply)
        move = GameMove(
            ply=ply, number=count, san=said.san, comment=_words(said.comment),
            evaluation=None if row["cp"] is None else row["cp"] / CENTIPAWNS, mate=row["mate"],
            over=row["over"], gain=None if gain is None else gain / CENTIPAWNS, best=best,
            agrees=None if before["best"] is None else before["best"] == uci, clock=row["clock"],
            says="",
        )  # fmt: skip
        found.append(move.model_copy(update={"says": _says(move)}))
        board.push(find_move(board, said.san))
    return tuple(found)


def _san(board: chess.Board, uci: str | None) -> str | None:
    if uci is None:
        return None
    try:
        return board.san(board.parse_uci(uci))
    except ValueError:
        return None


def _words(comment: str) -> str:
    """Return a comment without its commands: they have columns of their own."""
    import re

    return " ".join(re.sub(r"\[%[^\]]*\]", " ", comment).split())


def _says(move: GameMove) -> str:
    parts = []
    if move.over is not None:
        parts.append({"mate": "mate", "stalemate": "stalemate"}.get(move.over, "draw"))
    elif move.mate is not None:
        parts.append(f"mate in {abs(move.mate)} for {'White' if move.mate > 0 else 'Black'}")
    elif move.evaluation is not None:
        parts.append(f"evaluation {signed(move.evaluation, 2)}")
    if move.gain is not None and abs(move.gain) < MATE_PAWNS:
        parts.append(f"gain {signed(move.gain, 2)}")
    if move.agrees:
        parts.append("the engine's choice")
    elif move.best is not None:
        parts.append(f"the engine plays {move.best}")
    return "; ".join(parts)


def _start(play: GamePlay) -> str:
    row = play.evaluated.table.row(0, named=True) if play.evaluated.table.height else None
    if row is None or row["cp"] is None:
        return ""
    return f"evaluation {signed(row['cp'] / CENTIPAWNS, 2)}"


def _pairs(looked: Looked) -> list[MovePair]:
    pairs: dict[int, dict[str, GameMove]] = {}
    for move in looked.moves:
        white = move.number.endswith(".")
        at = int(move.number.rstrip(".…"))
        pairs.setdefault(at, {})["white" if white else "black"] = move
    return [
        MovePair(number=at, white=both.get("white"), black=both.get("black"))
        for at, both in pairs.items()
    ]


def _evaluation_chart(sheet: GameSheet, looked: Looked | None) -> Chart:
    values = [m for m in (looked.moves if looked else ()) if m.evaluation is not None]
    says = "Evaluation after each move, in pawns from White's side."
    if values:
        first, last = values[0], values[-1]
        says += f" {first.number} {first.san}: {signed(first.evaluation, 2)}; {last.number} {last.san}: {signed(last.evaluation, 2)}."
    return Chart(title="Evaluation, in pawns", href=_chart(sheet, looked, "evaluation"), says=says)


def _gain_chart(sheet: GameSheet, looked: Looked | None) -> Chart:
    known = [m for m in (looked.moves if looked else ()) if m.gain is not None]
    swing = max(known, key=lambda m: abs(m.gain or 0.0), default=None)
    says = "Gain of each move, in pawns from the mover's side."
    if swing is not None:
        says += f" The largest change came with {swing.number} {swing.san}: {signed(swing.gain, 2)} pawns."
    return Chart(title="Gain of each move, in pawns", href=_chart(sheet, looked, "gain"), says=says)


def _strength_chart(sheet: GameSheet, looked: Looked | None) -> Chart:
    sides = looked.figures.sides if looked else (None, None)
    ends = [
        f"{row['name']} ends at {signed(_of(row, 'difference_vs_engine'))} points after {number(row['moves'])} moves"
        for row in sides
        if row is not None and _of(row, "difference_vs_engine") is not None
    ]
    says = "Strength after each move, as rating points to the engine. " + "; ".join(ends)
    return Chart(
        title="Strength after each move", href=_chart(sheet, looked, "strength"), says=says.strip()
    )


def _chart(sheet: GameSheet, looked: Looked | None, what: str) -> str:
    by = f"?by={looked.play.by}" if looked is not None and len(looked.play.others) > 1 else ""
    return f"/charts/games/{sheet.id}/{what}{by}"
