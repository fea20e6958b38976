"""Every player's rounds, played or not: unplayed rounds in tie-breaks [C.07, 16], direct encounters [C.07, 6]."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from arpad.event.field import Side, sides

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arpad.event.tiebreaks import TieBreakCode, TieBreakRules
    from arpad.model import Event, Games


POINTS: Mapping[str, float] = {"W": 1.0, "D": 0.5, "L": 0.0, "A": 0.0, "P": 1.0}
"""Win, draw, loss, absence, pairing-allocated bye, where an event says nothing else."""


@dataclass(frozen=True, slots=True)
class RoundScore:
    """Result of one player in one round."""

    round: int
    opponent: int | None
    colour: str
    """w, b, or "" without a game."""
    points: float
    """As the event counts them."""
    share: float
    """Of the point: 1, ½ or 0; what ratings count."""
    played: bool
    """On the board against an opponent."""
    voluntary: bool
    """A requested bye, an absence or a lost forfeit: a voluntarily unplayed round [16.2]."""
    open: bool = False
    """Paired, the result is to come."""


@dataclass(slots=True)
class RoundEntrant:
    """One player, or one team, with all rounds."""

    number: int
    rating: float | None = None
    rounds: list[RoundScore] = field(default_factory=list)
    added: float = 0.0
    """Points that an arbiter added or subtracted [TRF26 299]."""

    @property
    def points(self) -> float:
        """All points."""
        return sum(r.points for r in self.rounds) + self.added

    def last_willing(self) -> int:
        """Return the last round that was not voluntarily unplayed; 0 if there is none."""
        return max((r.round for r in self.rounds if not r.voluntary), default=0)

    def last_paired(self) -> int:
        """Return the last round with an opponent or a pairing-allocated bye."""
        return max((r.round for r in self.rounds if r.opponent is not None), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedField:
    """An event as tie-breaks see it."""

    entrants: Mapping[int, RoundEntrant]
    rounds: int
    """Rounds with results so far."""
    planned: int
    """Rounds of the whole event."""
    round_robin: bool
    win: float = 1.0
    draw: float = 0.5
    ahead: PlayedField | None = None
    """With draws for the open games of the last round, which Fore-Buchholz takes for granted."""

    @property
    def finished(self) -> bool:
        """Whether the last round has results."""
        return self.rounds >= self.planned


@dataclass(frozen=True, slots=True)
class Contribution:
    """Contribution of one round to Buchholz or Sonneborn-Berger."""

    round: int
    score: float
    """The opponent's points, or the dummy's."""
    value: float
    """Points that the round adds."""
    voluntary: bool


def played_field(
    games: Games,
    *,
    points: Mapping[str, float] | None = None,
    ratings: Mapping[int, float] | None = None,
    round_robin: bool = False,
    after: int | None = None,
    drawn: bool = False,
) -> PlayedField:
    """Return everybody's rounds, with the rounds that nothing is said of as absences.

    points: What a win, draw, loss, absence and pairing-allocated bye count: letters W, D, L, A, P.
    ratings: By row of the players.
    after: Leave out later rounds.
    drawn: Take open games as drawn.
    """
    worth = {**POINTS, **(points or {})}
    event = games.events[0] if len(games.events) == 1 else None
    letters = {} if event is None else {(row, at): mark for row, at, mark in event.byes}
    result: dict[int, dict[int, RoundScore]] = defaultdict(dict)
    seats = list(sides(games))
    numbered = len({(s.player, s.number) for s in seats if s.number is not None}) == len(seats)
    seen: dict[int, int] = defaultdict(int)
    for side in seats:
        player = side.player
        # Without numbers of rounds, somebody's third game is taken as the third round.
        seen[player] += 1
        at = side.number if numbered and side.number is not None else seen[player]
        if after is not None and at > after:
            continue
        if side.status != "unplayed":
            result[player][at] = _round_score(side, at, letters.get((player, at), ""), worth)
        elif drawn:
            result[player][at] = RoundScore(at, side.opponent, side.colour, worth["D"], 0.5, True, False)
        else:
            result[player][at] = RoundScore(at, side.opponent, side.colour, 0.0, 0.0, False, False, open=True)
    # Byes that are announced for rounds to come do not count yet.
    paired = {
        at
        for own in result.values()
        for at, r in own.items()
        if not r.open and (r.opponent is not None or not r.voluntary)
    }
    last = max(paired, default=0)
    planned = max(last, (event.rounds if event else 0) or 0)
    given, added = _adjustments(event, last)
    entrants = {}
    for player, own in result.items():
        absent = [RoundScore(at, None, "", worth["A"], 0.0, False, True) for at in range(1, last + 1)]
        whole = [own.get(r.round, r) for r in absent]
        whole = [replace(r, points=given.get((player, r.round), r.points)) for r in whole] if given else whole
        entrants[player] = RoundEntrant(player, (ratings or {}).get(player), whole, added[player])
    return PlayedField(
        entrants=entrants,
        rounds=last,
        planned=planned,
        round_robin=round_robin,
        win=worth["W"],
        draw=worth["D"],
    )


def _adjustments(event: Event | None, last: int) -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """Return the points that an arbiter gave for rounds, by player and round, and those added to totals."""
    given: dict[tuple[int, int], float] = {}
    added: dict[int, float] = defaultdict(float)
    for player, at, letter, points in () if event is None else event.adjustments:
        if letter:
            given[player, at] = points
        elif at <= last:
            added[player] += points
    return given, added


def adjusted_points(
    entrant: RoundEntrant, field: PlayedField, rules: TieBreakRules, *, fore: bool = False
) -> float:
    """Return a player's points as they count in the opponents' sums.

    Rounds after the last one that the player wanted to play count as draws [16.3.2]; in a round robin as
    nothing. Under the rules of 2009 every unplayed round is a draw, under those of 2005 all but absences.
    """
    if rules == "plain":
        return entrant.points
    if rules in ("2005", "2009") and field.round_robin:
        return entrant.points
    if rules == "2005":
        drawn = [r for r in entrant.rounds if not r.played and (r.opponent is not None or r.points > 0)]
        return entrant.points + sum(field.draw - r.points for r in drawn)
    if rules == "2009":
        return entrant.points + sum(field.draw - r.points for r in entrant.rounds if not r.played)
    last = entrant.last_willing()
    drawn_last = fore and field.finished and entrant.last_paired() == field.planned
    if drawn_last:
        last = max(last, field.planned)
    missing = 0.0 if field.round_robin else field.draw
    total = entrant.added
    for r in entrant.rounds:
        if drawn_last and r.round == field.planned and r.opponent is not None:
            total += field.draw
        else:
            total += r.points if r.round <= last or r.opponent is not None else missing
    return total


def contributions(
    entrant: RoundEntrant,
    field: PlayedField,
    adjusted: Mapping[int, float],
    code: TieBreakCode,
    rules: TieBreakRules,
    *,
    own: Mapping[int, float] | None = None,
    weighted: bool = False,
) -> list[Contribution]:
    """Return what every round adds to a player's Buchholz, or Sonneborn-Berger if `weighted`.

    adjusted: Everybody's points as they count for opponents.
    own: For teams, the points by round that the opponents' points are multiplied by.
    """
    fore = code.fore_buchholz
    result = []
    for r in entrant.rounds:
        if r.open:
            continue
        last = fore and field.finished and r.round == field.planned
        as_played = r.played or (
            r.opponent is not None and (field.round_robin or code.forfeits_played or last)
        )
        voluntary = r.voluntary
        if as_played and r.opponent is not None:
            score, voluntary = adjusted[r.opponent], False
        elif field.round_robin:
            if r.opponent is None:
                continue
            score = 0.0
        elif rules == "plain":
            continue
        else:
            score = _dummy(entrant, r, field, adjusted, rules, fore=fore)
        gained = r.points if own is None else own.get(r.round, 0.0)
        result.append(Contribution(r.round, score, score * gained if weighted else score, voluntary))
    return result


def cut(parts: list[Contribution], low: int, high: int, rounds: int) -> list[Contribution]:
    """Leave out the least significant rounds, voluntarily unplayed ones first [14, 16.5]."""
    left = list(parts)
    low = min(low, rounds)
    for _ in range(min(low, len(left))):
        usual = min(left, key=lambda c: (c.score, c.value))
        asked = min((c for c in left if c.voluntary), key=lambda c: (c.value, c.score), default=None)
        left.remove(usual if asked is None or usual.value > asked.value else asked)
    for _ in range(min(high, rounds - low, len(left))):
        left.remove(max(left, key=lambda c: (c.score, c.value)))
    return left


def _dummy(
    entrant: RoundEntrant,
    r: RoundScore,
    field: PlayedField,
    adjusted: Mapping[int, float],
    rules: TieBreakRules,
    *,
    fore: bool,
) -> float:
    """Return the points of the opponent that an unplayed round is counted against [16.4]."""
    if rules == "2009":
        # S before the round, the rest of this round's point, and draws for all later rounds.
        before = sum(x.points for x in entrant.rounds if x.round < r.round)
        return before + (field.win - r.points) + field.draw * (field.rounds - r.round)
    if rules == "2005":
        if r.opponent is None:
            return field.draw * field.rounds if r.points else 0.0
        theirs = field.entrants[r.opponent].rounds[r.round - 1]
        return adjusted[r.opponent] - field.draw + theirs.points
    score = entrant.points
    if fore and field.finished and entrant.last_paired() == field.planned:
        final = entrant.rounds[field.planned - 1]
        if final.opponent is not None:
            score += field.draw - final.points
    if rules == "2026-03":
        if r.opponent is not None:
            return min(score, adjusted[r.opponent])
        return min(
            score, field.draw * field.planned
        )  # rounds of the tournament, in standings between rounds too
    return score


def _round_score(side: Side, at: int, letter: str, worth: Mapping[str, float]) -> RoundScore:
    share = side.share or 0.0
    level = "W" if share == 1 else "D" if share == 0.5 else "L"
    if side.opponent is None:
        # A bye of a whole point is allocated by the pairing unless the file says that it was asked for.
        points = worth[("W" if letter == "F" else "P") if level == "W" else "D" if level == "D" else "A"]
        asked = level != "W" and letter != "U"
        if letter == "U":
            points = worth["P"]
        return RoundScore(at, None, "", points, share, False, asked)
    if side.status == "forfeit":
        points = worth["A" if level == "L" else level]
        return RoundScore(at, side.opponent, side.colour, points, share, False, level != "W")
    points = worth[level] if share in (0, 0.5, 1) else share
    return RoundScore(at, side.opponent, side.colour, points, share, True, False)


# Direct encounter: what those who are level scored against one another [C.07, 6].


def direct_encounter(
    level: Sequence[int], field: PlayedField, *, forfeits_played: bool = False
) -> list[list[int]]:
    """Return those who are level in groups, best first; one group where nothing separates them.

    A player who met all the others is ranked by the score among them, and those still level are compared again
    [6.1]. Where some did not meet, only somebody whom no result of the missing games could overtake goes
    first, and then the rest again [6.2]. In a round robin everybody has met, and forfeits count.

    forfeits_played: Forfeited games count, in a Swiss too.
    """
    result = {p: encounter_score(p, level, field, forfeits_played=forfeits_played) for p in level}
    score = {p: own for p, (own, _) in result.items()}
    if field.round_robin or all(met == len(level) - 1 for _, met in result.values()):
        parts = grouped(level, lambda p: -score[p])
    else:
        most = {p: own + (len(level) - 1 - met) * field.win for p, (own, met) in result.items()}
        parts = _untouchable(level, score, most)
    if len(parts) == 1:
        return parts
    return [p for part in parts for p in direct_encounter(part, field, forfeits_played=forfeits_played)]


def grouped(level: Sequence[int], key: Callable[[int], Any]) -> list[list[int]]:
    """Return those who are level in groups with the same key, the lowest first."""
    return [list(group) for _, group in groupby(sorted(level, key=key), key=key)]


def encounter_score(
    player: int, others: Sequence[int], field: PlayedField, *, forfeits_played: bool = False
) -> tuple[float, int]:
    """Return the score against others and how many of them were met; several games against one count by their average."""
    result: dict[int, list[float]] = defaultdict(list)
    among = set(others) - {player}
    entrant: RoundEntrant = field.entrants[player]
    counted = forfeits_played or field.round_robin
    for r in entrant.rounds:
        if r.opponent in among and not r.open and (r.played or counted):
            result[r.opponent].append(r.points)
    return sum(sum(all_) / len(all_) for all_ in result.values()), len(result)


def _untouchable(
    group: Sequence[int], score: Mapping[int, float], most: Mapping[int, float]
) -> list[list[int]]:
    """Put those in front whom nobody behind them could overtake."""
    order = sorted(group, key=lambda p: (-score[p], -most[p]))
    front: list[list[int]] = []
    while len(order) > 1 and score[order[0]] > max(most[p] for p in order[1:]):
        front.append([order.pop(0)])
    return [*front, sorted(order, key=group.index)]
