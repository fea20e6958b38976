"""Two lines tell of one game; here they are brought together, and every disagreement reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.read.trf_layout import BYE_POINTS, DEFAULT_POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.report import Report
    from arpad.read.trf_layout import TrfPlayer, TrfRound
    from arpad.schema import Status

__all__ = ["Pairing", "pairings"]

OPPOSITE = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+", "W": "L", "L": "W", "D": "D"}
SCORE = {"1": "W", "W": "W", "+": "W", "=": "D", "D": "D", "0": "L", "L": "L", "-": "A"}
STATUS: dict[str, Status] = {
    **dict.fromkeys("1=0", "played"),
    **dict.fromkeys("WDL", "unrated"),
    **dict.fromkeys("+-", "forfeit"),
}


@dataclass(frozen=True, slots=True)
class Pairing:
    """One row of the games table to be; players by starting number, no Black in a bye."""

    round: int
    white: int
    black: int | None
    score: float | None
    black_score: float | None
    status: Status


def pairings(players: dict[int, TrfPlayer], file: str, report: Report) -> Iterator[Pairing]:
    """Yield every pairing once, round by round."""
    last = max((len(p.rounds) for p in players.values()), default=0)
    for number in range(1, last + 1):
        done: set[int] = set()
        for player in players.values():
            mine = _round(player, number)
            if mine is None or player.number in done:
                continue
            if mine.opponent == player.number:
                why = f"round {number}: player {player.number} against himself: a game needs two"
                report.add(file, player.line, "skipped", why)
            elif mine.opponent == 0:
                yield from _bye(player, mine, number, file, report)
            elif other := players.get(mine.opponent):
                done.add(player.number)
                theirs = _round(other, number)
                if theirs is not None and theirs.opponent == player.number:
                    done.add(other.number)
                yield from _game(player, other, mine, theirs, number, file, report)
            else:
                why = f"round {number}: opponent {mine.opponent} has no line of its own"
                report.add(file, player.line, "skipped", why)


def _round(player: TrfPlayer, number: int) -> TrfRound | None:
    return player.rounds[number - 1] if number <= len(player.rounds) else None


def _bye(
    player: TrfPlayer, mine: TrfRound, number: int, file: str, report: Report
) -> Iterator[Pairing]:
    if not mine.result:
        return
    if mine.result not in BYE_POINTS:
        why = f"round {number}: expected a bye (U F H Z) where there is no opponent, found {mine.result!r}"
        report.add(file, player.line, "skipped", why)
        return
    yield Pairing(number, player.number, None, DEFAULT_POINTS[BYE_POINTS[mine.result]], None, "bye")


def _game(
    player: TrfPlayer,
    other: TrfPlayer,
    mine: TrfRound,
    theirs: TrfRound | None,
    number: int,
    file: str,
    report: Report,
) -> Iterator[Pairing]:
    who = f"round {number}, {player.number} against {other.number}"
    if theirs is None or theirs.opponent != player.number:
        said = "nothing" if theirs is None else f"opponent {theirs.opponent or 'none'}"
        report.add(
            file,
            player.line,
            "repaired",
            f"{who}: line {other.line} says {said}; this line is taken",
        )
        theirs = None
    result = mine.result or (OPPOSITE.get(theirs.result, "") if theirs else "")
    reply = (theirs.result if theirs else "") or OPPOSITE.get(result, "")
    has_white = _has_white(mine, theirs, who, player.line, file, report)
    white, black = (player.number, other.number) if has_white else (other.number, player.number)
    if not result:
        yield Pairing(number, white, black, None, None, "unplayed")
        return
    if result not in SCORE or reply not in SCORE:
        strange = result if result not in SCORE else reply
        report.add(
            file,
            player.line,
            "skipped",
            f"{who}: expected a result (1 = 0 + - W D L), found {strange!r}",
        )
        return
    status = STATUS[result]
    agreed = OPPOSITE[result] == reply or (result == reply == "-")
    if not agreed:
        why = f"{who}: the two lines do not agree, {result!r} and {reply!r}: kept for points, not rated"
        report.add(file, player.line, "repaired", why)
        status = "forfeit" if "forfeit" in (STATUS[result], STATUS[reply]) else "unrated"
    own, their = _points(result), _points(reply)
    yield Pairing(number, white, black, *((own, their) if has_white else (their, own)), status)


def _points(result: str) -> float:
    """Return the share of the point; what the event gives for it is another matter."""
    return {"W": 1.0, "D": 0.5}.get(SCORE[result], 0.0)


def _has_white(
    mine: TrfRound, theirs: TrfRound | None, who: str, line: int, file: str, report: Report
) -> bool:
    if theirs is not None and mine.colour == theirs.colour and mine.colour in ("w", "b"):
        why = f"{who}: both lines say colour {mine.colour!r}; this line is taken"
        report.add(file, line, "repaired", why)
    if mine.colour in ("w", "b"):
        return mine.colour == "w"
    # No colours (usual in a forfeit): the line that stands first is White.
    return theirs is None or theirs.colour != "w"
