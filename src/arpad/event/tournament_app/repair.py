"""Flags on residuals and repairs of ratings that fail the test."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError, counted
from arpad.event.field import player_called
from arpad.event.tournament_app.fit import Estimator, estimates, estimator_line, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.tournament_app.fit import FitTest, PlainEvent


Flag = Literal["LR", "up", "down"]
Direction = Literal["up", "down"]
LARGE = 100.0
"""Rating points: a residual beyond this is large, the rating out of spec."""
PRESSURE = 75.0
"""Rating points: from here to 100 a rating is in spec, but under pressure."""


def flag_of(residual: float) -> Flag | None:
    """Return the flag on a residual O − E: `LR` beyond 100 points, the pressure from 75 to 100.

    >>> flag_of(-165.33), flag_of(-96.44), flag_of(87.62), flag_of(74.92)
    ('LR', 'up', 'down', None)
    """
    if abs(residual) > LARGE:
        return "LR"
    return direction_of(residual)


def direction_of(residual: float) -> Direction | None:
    """Return where a flagged rating should go: up where it is below the performance."""
    if abs(residual) < PRESSURE:
        return None
    return "up" if residual < 0 else "down"


# Repairs: what a ratings administrator does about an event that fails, once and with a reason.
#
# `adjusted`: out-of-spec ratings go to the original line, to the nearest whole number. `corrected`: they are
# deleted and come back from the estimator line. `nothing`: the ratings stand; the reason is kept all the same
# [PRA, outline D 4 b, and the protocol at Hastings 1895].

Kind = Literal["adjusted", "corrected", "nothing"]
DecisionKind = Literal["adjusted", "corrected", "estimated", "set", "number two", "nothing"]
"""estimated: no rating was given. set: by the administrator himself."""
MARKS = {
    "adjusted": "PRA-Adjusted",
    "corrected": "PRA-Corrected",
    "estimated": "PRA-Corrected",
    "set": "PRA-Adjusted",
}
"""Marks beside a changed rating; `PRA-Corrected` if it was missing or deleted [PRA, Hastings 1895]."""
FEWEST_GAMES = 6
"""Games without which nobody's rating is corrected [PRA, end of the chapter on the test]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Ways to treat ratings that do not fit.

    reason: Why; it is kept with every decision. Without one there is no repair.
    kind: adjusted, corrected or nothing.
    players: Whose ratings, by name; None: everybody who is flagged; (): nobody but those in `ratings`.
    pressure: Take those under pressure, 75 to 100 points, for flagged too.
    ratings: Ratings that the administrator sets himself, by name.
    number_two: The world's number two, moved too.
    """

    reason: str
    kind: Kind = "adjusted"
    players: tuple[str, ...] | None = None
    pressure: bool = False
    ratings: Mapping[str, float] = field(default_factory=dict)
    number_two: float | None = None

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise UsageError(
                "expected a reason for the repair, found none: say why the ratings may be changed"
            )
        if self.kind not in ("adjusted", "corrected", "nothing"):
            raise UsageError(f"expected a repair, adjusted, corrected or nothing, found {self.kind!r}")
        if self.kind == "nothing" and (self.players or self.ratings or self.number_two is not None):
            raise UsageError(
                "a repair that does nothing moves no rating: leave the players out, or choose adjusted or corrected"
            )
        for value in (*self.ratings.values(), *([] if self.number_two is None else [self.number_two])):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"expected a rating above 0, found {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRepair:
    """One rating that was changed, or left, and why."""

    kind: DecisionKind
    reason: str
    player: str | None = None
    row: int | None = None
    before: float | None = None
    after: float | None = None


def repaired(
    repair: Repair,
    event: PlainEvent,
    p_zero: Sequence[float],
    ratings: Sequence[float | None],
    fit: FitTest | None,
) -> tuple[list[float | None], list[RatingRepair], list[str]]:
    """Return the ratings after a repair, what was decided, and what could not be done.

    `ratings` are those of the fit: as given, and estimated where none is given.
    """
    moved = list(ratings)
    notes: list[str] = []
    if repair.kind == "nothing":
        return moved, [RatingRepair(kind="nothing", reason=repair.reason)], notes
    own = {player_called(name, event.names): value for name, value in repair.ratings.items()}
    targets = [p for p in _targets(repair, event, p_zero, ratings, fit, notes) if p not in own]
    line: dict[int, float] = {}
    if fit is not None and repair.kind == "adjusted":
        line = {p: whole(fit.line.expected(p_zero[p])) for p in targets}
    elif fit is not None:
        line = _rebuilt(repair, event, p_zero, own, targets, notes)
    decisions = []
    for p, value in {**line, **own}.items():
        kind: DecisionKind = "set" if p in own else repair.kind
        if kind == "corrected" and event.ratings[p] is None:
            kind = "estimated"
        if moved[p] != value:
            decisions.append(
                RatingRepair(
                    kind=kind,
                    reason=repair.reason,
                    player=event.names[p],
                    row=event.rows[p],
                    before=ratings[p],
                    after=value,
                )
            )
        moved[p] = value
    if not decisions and repair.number_two is None:
        notes.append("the repair found no rating to change")
    return moved, decisions, notes


def _targets(
    repair: Repair,
    event: PlainEvent,
    p_zero: Sequence[float],
    ratings: Sequence[float | None],
    fit: FitTest | None,
    notes: list[str],
) -> list[int]:
    if fit is None:
        if repair.players or not repair.ratings:
            notes.append("there is no line to repair ratings by")
        return []
    games = event.games()
    if repair.players is not None:
        chosen = [player_called(name, event.names) for name in repair.players]
    else:
        chosen = []
        for p, R in enumerate(ratings):
            flag = None if R is None or not games[p] else flag_of(R - fit.line.expected(p_zero[p]))
            if flag == "LR" or (flag and repair.pressure):
                chosen.append(p)
    notes += _alone(event, chosen)
    if repair.players is not None:
        notes += [  # an administrator may move them, and it is seen
            f"{event.names[p]} is in spec, and moved because the repair names the player"
            for p in chosen
            if (R := ratings[p]) is not None and flag_of(R - fit.line.expected(p_zero[p])) is None
        ]
    return [p for p in dict.fromkeys(chosen) if games[p] >= FEWEST_GAMES]


def _alone(event: PlainEvent, chosen: Sequence[int]) -> list[str]:
    games = event.games()
    return [
        f"{event.names[p]} is left alone: {counted(games[p], 'game')}, fewer than {FEWEST_GAMES}"
        for p in chosen
        if games[p] < FEWEST_GAMES
    ]


def _rebuilt(
    repair: Repair,
    event: PlainEvent,
    p_zero: Sequence[float],
    own: Mapping[int, float],
    targets: list[int],
    notes: list[str],
) -> dict[int, float]:
    """Return what comes back from the estimator line: for deleted ratings, and for missing ones."""
    games = event.games()
    given = {p: own.get(p, R) for p, R in enumerate(event.ratings)}
    known = {p: R for p, R in given.items() if R is not None and games[p]}
    chosen = repair.players is not None
    result = estimator_line(p_zero, known, deleted=targets if chosen or repair.pressure else ())
    if not isinstance(result, Estimator):
        notes.append(result)
        return {}
    if said := result.doubt():
        notes.append(said)
    out = targets if chosen else result.left_out
    if not chosen:
        notes += [note for note in _alone(event, out) if note not in notes]
    missing = [p for p, R in given.items() if R is None and games[p]]
    back = [p for p in out if games[p] >= FEWEST_GAMES and p not in own]
    rebuilt = estimates(result, p_zero, (*back, *missing), event.names)
    if isinstance(rebuilt, str):
        notes.append(rebuilt)
        return {}
    return rebuilt
