"""Standings of teams: match points, game points and FIDE's team tie-breaks [C.07, 11 to 13].

Matches are put together from the games of the teams' players: a file names the teams (TRF records 013 and
310), boards follow the order of the players in the team.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.event.field import sides
from arpad.event.tiebreaks import (
    TEAM_ORDER,
    TieBreakCode,
    TieBreakRules,
    by_value,
    known_tie_breaks,
    rank_groups,
    says_round_robin,
    tie_break_order,
    tie_break_rules,
    tie_break_values,
)
from arpad.event.unplayed_rounds import (
    POINTS,
    PlayedField,
    RoundEntrant,
    RoundScore,
    adjusted_points,
    contributions,
    cut,
    direct_encounter,
    grouped,
)
from arpad.scale import half_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arpad.event.tiebreaks import Separate
    from arpad.model import Games


TEAM_POINTS: Mapping[str, float] = {"W": 2.0, "D": 1.0, "L": 0.0, "A": 0.0, "P": 1.0}
"""Match points for a won, drawn and lost match, absence and pairing-allocated bye, unless a file says otherwise."""
BOARD_RULES = {"EDEC": "C", "EDET": "T", "EDEB": "B", "EDEBT": "CT", "EDEBB": "CB"}
"""Tie-breaks between two teams after match points and game points: board count, top or bottom boards."""


@dataclass(frozen=True, slots=True)
class TeamRound:
    """Result of one team in one round."""

    round: int
    team: int
    opponent: int | None
    match_points: float
    game_points: float
    played: bool
    voluntary: bool = False
    boards: tuple[float, ...] = ()
    """Points by board, from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamStandings:
    """Teams, best first."""

    order: tuple[TieBreakCode, ...]
    rules: TieBreakRules
    names: tuple[str, ...]
    ranks: Mapping[int, int]
    """By number of the team in the file, from 0."""
    values: Mapping[int, Mapping[str, float | None]]
    rounds: tuple[TeamRound, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes in their order."""
        return tuple(code.text for code in self.order)

    def rows(self) -> list[dict[str, object]]:
        """Return the standings for programs."""
        totals: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for one in self.rounds:
            totals[one.team][0] += one.match_points
            totals[one.team][1] += one.game_points
        return [
            {
                "rank": rank,
                "name": self.names[team],
                "match_points": totals[team][0],
                "game_points": totals[team][1],
                "tie_breaks": dict(self.values[team]),
            }
            for team, rank in self.ranks.items()
        ]

    def table(self) -> pl.DataFrame:
        """Return the standings for people."""
        rows = [
            {"rank": one["rank"], "team": one["name"], **one["tie_breaks"]}  # type: ignore[dict-item]
            for one in self.rows()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def describe(self) -> str:
        """Return the order in words."""
        words = ", ".join(f"{c.text} ({c.describe()})" for c in self.order)
        return f"Teams ranked by {words}; unplayed rounds by the rules of {self.rules}."


def team_standings(
    games: Games, *, tie_breaks: str | Iterable[str] | None = None, rules: TieBreakRules | None = None
) -> TeamStandings | None:
    """Rank the teams of an event; None where its file names none.

    tie_breaks: FIDE's codes in their order, as `MPTS,GPTS,EDE`; by default those of the file, else the usual
        ones.
    rules: For unplayed rounds; by default those in force when the event began.
    """
    event = games.events[0] if len(games.events) == 1 else None
    if event is None or len(event.teams) < 2:
        return None
    result = team_rounds(games)
    if not result:
        return None
    if tie_breaks is not None:
        order = tie_break_order(tie_breaks, teams=True)
    elif known := known_tie_breaks(event.tie_breaks, teams=True)[0]:
        order = tie_break_order(known, teams=True, complete=True)
    else:
        order = tie_break_order(TEAM_ORDER, teams=True)
    chosen = rules or tie_break_rules(event.start)
    worth = {**TEAM_POINTS, **dict(event.team_points)}
    points = {**POINTS, **dict(event.points)}
    boards = max((len(one.boards) for one in result), default=1)
    stated = says_round_robin(games.events, len(event.teams))
    ranks, values = rank_teams(
        result,
        order,
        chosen,
        planned=event.rounds or 0,
        worth=worth,
        game=(points["W"], points["D"]),
        boards=boards,
        round_robin=_all_met(result) if stated is None else stated,
    )
    names = tuple(name for name, _ in event.teams)
    return TeamStandings(
        order=order, rules=chosen, names=names, ranks=ranks, values=values, rounds=tuple(result)
    )


def team_rounds(games: Games) -> list[TeamRound]:  # noqa: C901
    """Put the matches of teams together from the games of their players.

    TRF26's record 320 says what a pairing-allocated bye is worth and who had it, record 330 which matches were
    forfeited whole.
    """
    event = games.events[0]
    side = {row: team for team, (_, rows) in enumerate(event.teams) for row in rows}
    board = {row: at for _, rows in event.teams for at, row in enumerate(rows)}
    worth, game = {**TEAM_POINTS, **dict(event.team_points)}, {**POINTS, **dict(event.points)}
    met: dict[tuple[int, int, int], list[tuple[int, float, bool]]] = defaultdict(list)
    free: dict[tuple[int, int], list[float]] = defaultdict(list)
    for each in sides(games):
        at, p = each.number, each.player
        if at is None or each.status == "unplayed" or p not in side:
            continue
        share = each.share or 0.0
        if each.opponent is None:
            free[at, side[p]].append(share)
        elif side.get(each.opponent, side[p]) != side[p]:
            points = game["W" if share == 1 else "D" if share == 0.5 else "L"]
            met[at, side[p], side[each.opponent]].append((board[p], points, each.status != "forfeit"))
    boards = max((len(all_) for all_ in met.values()), default=1)
    given = None
    for line in event.extra:
        if line.startswith("320"):
            given = (_number(line[4:8], worth["P"]), _number(line[9:13], boards * game["P"]))
            for at, team in enumerate(re.findall(r".{3,4}", line[14:]), start=1):
                if team.strip().isdecimal() and int(team):
                    free[at, int(team) - 1] = [1.0]
        elif forfeit := re.match(r"330 +([+-])([+-]) +(\d+) +(\d+) +(\d+)", line):
            at, first, second = (int(forfeit[n]) for n in (3, 4, 5))
            for one, other, sign in ((first, second, forfeit[1]), (second, first, forfeit[2])):
                points = game["W" if sign == "+" else "L"]
                met[at, one - 1, other - 1] = [(n, points, False) for n in range(boards)]
    result = []
    for (at, team, opponent), own in sorted(met.items()):
        mine = tuple(points for _, points, _ in sorted(own))
        theirs = sum(points for _, points, _ in met[at, opponent, team])
        total, played = sum(mine), any(on_board for _, _, on_board in own)
        level = "W" if total > theirs else "L" if total < theirs else "D"
        lost = not played and (level == "L" or not total)
        match = worth["A"] if lost else worth[level]
        result.append(TeamRound(at, team, opponent, match, total, played, lost, mine))
    paired = {(one.round, one.team) for one in result}
    last = max((one.round for one in result), default=0)
    result += [
        _free_round(at, team, free.get((at, team), []), worth, game, boards, given)
        for team in range(len(event.teams))
        for at in range(1, last + 1)
        if (at, team) not in paired
    ]
    return result if paired else []


def _free_round(
    at: int,
    team: int,
    shares: list[float],
    worth: Mapping[str, float],
    game: Mapping[str, float],
    boards: int,
    given: tuple[float, float] | None,
) -> TeamRound:
    """Return a round without an opponent: an allocated bye, a requested one or an absence.

    An allocated bye counts what record 320 says, else what the file gives its players; for tie-breaks by
    boards it is a win on each [12].
    """
    best = max(shares, default=0.0)
    if best == 1:
        match, total = given or (worth["P"], game["P"] * min(shares.count(1.0), boards))
        return TeamRound(at, team, None, match, total, False, boards=(game["W"],) * boards)
    if best == 0.5:
        return TeamRound(at, team, None, worth["D"], boards * game["D"], played=False, voluntary=True)
    return TeamRound(at, team, None, worth["A"], 0.0, played=False, voluntary=True)


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def rank_teams(
    rounds: Sequence[TeamRound],
    order: Sequence[TieBreakCode],
    rules: TieBreakRules,
    *,
    planned: int = 0,
    worth: Mapping[str, float] = TEAM_POINTS,
    game: tuple[float, float] = (1.0, 0.5),
    boards: int = 1,
    round_robin: bool = False,
) -> tuple[dict[int, int], dict[int, dict[str, float | None]]]:
    """Return ranks and values of teams, by number; a game is worth what `game` says for a win and a draw."""
    scales = {"MP": (worth["W"], worth["D"]), "GP": (game[0] * boards, game[1] * boards)}
    event = _TeamEvent(rounds, rules, planned, scales, boards, _primary(order), round_robin)

    def separate(code: TieBreakCode) -> Separate:
        if code.name not in _BY_GROUP:
            return by_value(code, event.values(code))

        def by_group(group: list[int]) -> tuple[list[list[int]], Mapping[int, float | None]]:
            parts = event.separated(code, group)
            return parts, {p: float(at) for at, part in enumerate(parts, start=1) for p in part}

        return by_group

    return rank_groups(event.fields["MP"].entrants, order, separate)


_BY_GROUP = {"DE", "EDE", "TBR", "BBE", *BOARD_RULES}
"""Tie-breaks that compare only those who are level; their value is the place among these."""
_PRODUCTS = {"EMMSB": ("MP", "MP"), "EMGSB": ("MP", "GP"), "EGMSB": ("GP", "MP"), "EGGSB": ("GP", "GP")}
"""Kinds of points to multiply: the opponents' by one's own."""


class _TeamEvent:
    """The rounds of teams by match points and by game points."""

    def __init__(
        self,
        rounds: Sequence[TeamRound],
        rules: TieBreakRules,
        planned: int,
        scales: Mapping[str, tuple[float, float]],
        boards: int,
        primary: str,
        round_robin: bool,
    ) -> None:
        self.rules, self.boards, self.primary = rules, boards, primary
        self.rounds = {(one.team, one.round): one for one in rounds}
        last = max((one.round for one in rounds), default=0)
        teams = sorted({one.team for one in rounds})
        self.fields: dict[str, PlayedField] = {}
        for points, (win, draw) in scales.items():
            entrants = {}
            for team in teams:
                own = [self._score(team, at, points) for at in range(1, last + 1)]
                entrants[team] = RoundEntrant(team, None, own)
            self.fields[points] = PlayedField(
                entrants=entrants,
                rounds=last,
                planned=max(planned, last),
                round_robin=round_robin,
                win=win,
                draw=draw,
            )

    def _score(self, team: int, at: int, points: str) -> RoundScore:
        one = self.rounds.get((team, at))
        if one is None:
            return RoundScore(at, None, "", 0.0, 0.0, False, True)
        value = one.match_points if points == "MP" else one.game_points
        return RoundScore(
            at, one.opponent, "", value, 0.0, one.played and one.opponent is not None, one.voluntary
        )

    def values(self, code: TieBreakCode) -> Mapping[int, float | None]:
        """Return a tie-break that has a value of its own."""
        points = code.points or self.primary
        if code.name in ("MPTS", "GPTS", "PTS", "MPvGP"):
            which = {"MPTS": "MP", "GPTS": "GP", "PTS": points}.get(code.name, _other(points))
            return {p: e.points for p, e in self.fields[which].entrants.items()}
        if code.name in ("BH", "FB", "SB", "ESB", "EMMSB", "EMGSB", "EGMSB", "EGGSB"):
            theirs, own = _PRODUCTS.get(code.name, (points, None))
            own = {"SB": points, "ESB": _other(points)}.get(code.name, own)
            return self._products(code, theirs, own)
        if code.name == "BC":
            return {p: _count_boards(self._board_points(p)) for p in self.fields["MP"].entrants}
        if code.name == "SSSC":
            return self._combined(code, points)
        return {
            p: own[code.text] for p, own in tie_break_values(self.fields[points], [code], self.rules).items()
        }

    def _products(self, code: TieBreakCode, theirs: str, own: str | None) -> dict[int, float | None]:
        """Return the sum of the opponents' points, each multiplied by the own ones of the match."""
        field = self.fields[theirs]
        adjusted = {
            p: adjusted_points(e, field, self.rules, fore=code.fore_buchholz)
            for p, e in field.entrants.items()
        }
        result: dict[int, float | None] = {}
        for p, entrant in field.entrants.items():
            gained = None
            if own is not None:
                gained = {r.round: r.points for r in self.fields[own].entrants[p].rounds}
            parts = contributions(
                entrant, field, adjusted, code, self.rules, own=gained, weighted=own is not None
            )
            left = cut(parts, code.cut_low, code.cut_high, field.rounds)
            result[p] = math.fsum(c.value for c in left)
        return result

    def _combined(self, code: TieBreakCode, points: str) -> dict[int, float | None]:
        """Return the secondary score and the strength of the schedule, brought to one scale [13.5]."""
        sums = self._products(code, points, None)
        field, other = self.fields[points], self.fields[_other(points)]
        factor = code.factor or math.floor(field.win * field.rounds / other.win)
        result: dict[int, float | None] = {}
        for p, entrant in other.entrants.items():
            value = entrant.points + (sums[p] or 0.0) / max(factor, 1)
            result[p] = half_up(value, 2)
        return result

    def separated(self, code: TieBreakCode, level: list[int]) -> list[list[int]]:
        """Return those who are level in groups, best first."""
        if code.name in ("TBR", "BBE"):
            return self._by_boards(level, bottom=code.name == "BBE")
        scores = [code.points or self.primary]
        groups, count = [level], 0
        if code.name != "DE":
            scores = [self.primary, _other(self.primary)]
        while count != len(groups):
            count = len(groups)
            for points in scores:
                groups = [
                    part
                    for group in groups
                    for part in direct_encounter(
                        group, self.fields[points], forfeits_played=code.forfeits_played
                    )
                ]
        rules = BOARD_RULES.get(code.name, "")
        return [part for group in groups for part in self._two_on_boards(group, rules)]

    def _two_on_boards(self, group: list[int], rules: str) -> list[list[int]]:
        """Separate two teams by the boards of their own match [13.3.2]."""
        if len(group) != 2 or not rules:
            return [group]
        first, second = group
        for rule in rules:
            a, b = self._board_points(first, second), self._board_points(second, first)
            if rule == "C":
                pairs = [(-_count_boards(a), -_count_boards(b))]
            elif rule == "T":
                pairs = list(zip(a, b, strict=False))
            else:
                pairs = [(sum(a[:n]), sum(b[:n])) for n in range(len(a) - 1, 0, -1)]
            for x, y in pairs:
                if x != y:
                    return [[first], [second]] if x > y else [[second], [first]]
        return [group]

    def _by_boards(self, level: list[int], *, bottom: bool) -> list[list[int]]:
        """Compare the points of the top boards one by one, or leave out the last boards one by one."""
        totals = {p: self._board_points(p) for p in level}
        keys: dict[int, tuple[float, ...]] = {
            p: tuple(-sum(own[:n]) for n in range(len(own) - 1, 0, -1)) if bottom else tuple(-x for x in own)
            for p, own in totals.items()
        }
        return grouped(level, keys.__getitem__)

    def _board_points(self, team: int, against: int | None = None) -> list[float]:
        result = [0.0] * self.boards
        for (own, _), one in self.rounds.items():
            if own == team and against in (None, one.opponent):
                for at, points in enumerate(one.boards):
                    result[at] += points
        return result


def _all_met(rounds: Sequence[TeamRound]) -> bool:
    met: dict[int, set[int]] = defaultdict(set)
    for one in rounds:
        if one.opponent is not None:
            met[one.team].add(one.opponent)
    return all(len(others) == len(met) - 1 for others in met.values())


def _primary(order: Sequence[TieBreakCode]) -> str:
    """Return by which points the standings are first of all."""
    first = next((c for c in order if c.name in ("MPTS", "GPTS", "PTS")), None)
    if first is None or first.name != "GPTS":
        return first.points if first is not None and first.points else "MP"
    return "GP"


def _other(points: str) -> str:
    return "GP" if points == "MP" else "MP"


def _count_boards(points: Sequence[float]) -> float:
    return sum(at * p for at, p in enumerate(points, start=1))
