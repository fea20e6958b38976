"""FIDE's tie-breaks of C.07: the value of every code for every player, and the ranking that they give.

Unplayed rounds count by article 16, direct encounters by article 6, ratings by articles 10 and 11 of the
regulations of 2024 and 2026; the rules for unplayed rounds are chosen by the date of the event.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.event.field import ROUND, cycles_of, kind_of
from arpad.event.unplayed_rounds import (
    PlayedField,
    adjusted_points,
    contributions,
    cut,
    direct_encounter,
    encounter_score,
    grouped,
    played_field,
)
from arpad.scale import Table, half_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from arpad.event.unplayed_rounds import RoundEntrant, RoundScore
    from arpad.model import Event, Games


NAMES = {
    "PTS": "points",
    "DE": "direct encounter",
    "WIN": "wins, forfeits and byes included",
    "WON": "wins on the board",
    "BPG": "games played with Black",
    "BWG": "wins with Black",
    "PS": "progressive score",
    "REP": "rounds that one elected to play",
    "BH": "Buchholz",
    "FB": "Fore-Buchholz",
    "SB": "Sonneborn-Berger",
    "KS": "Koya",
    "ARO": "average rating of opponents",
    "TPR": "tournament performance rating",
    "PTP": "perfect tournament performance",
    "APRO": "average performance of opponents",
    "APPO": "average perfect performance of opponents",
    "AOB": "average of opponents' Buchholz",
    "STD": "standard points",
    "RTNG": "rating",
    "TPN": "pairing number",
}
"""Tie-breaks for players; the lower pairing number is the better one, of all others the higher value."""
TEAM_NAMES = {
    "MPTS": "match points",
    "GPTS": "game points",
    "MPvGP": "the other of match points and game points",
    "EDE": "extended direct encounter",
    "EDEC": "extended direct encounter, then board count",
    "EDET": "extended direct encounter, then top boards",
    "EDEB": "extended direct encounter, then bottom boards",
    "EDEBT": "extended direct encounter, then board count and top boards",
    "EDEBB": "extended direct encounter, then board count and bottom boards",
    "ESB": "extended Sonneborn-Berger",
    "EMMSB": "extended Sonneborn-Berger, match points by match points",
    "EMGSB": "extended Sonneborn-Berger, match points by game points",
    "EGMSB": "extended Sonneborn-Berger, game points by match points",
    "EGGSB": "extended Sonneborn-Berger, game points by game points",
    "BC": "board count",
    "TBR": "top board results",
    "BBE": "bottom board elimination",
    "SSSC": "score and schedule strength combination",
}
"""Tie-breaks for teams alone."""
_SAME = {"GE": "REP", "SNO": "TPN", "KOYA": "KS", "POINTS": "PTS", "RTG": "RTNG", "MPVGP": "MPvGP"}
"""Names that programs and earlier editions give to a code."""
_SUMS = {"BH", "FB", "SB", "ESB", "EMMSB", "EMGSB", "EGMSB", "EGGSB"}
_MODIFIERS = {
    "C": _SUMS | {"ARO", "AOB", "PS", "SSSC"},
    "M": _SUMS | {"ARO"},
    "P": _SUMS | {"DE", "EDE", "EDEC", "EDET", "EDEB", "EDEBT", "EDEBB", "AOB", "KS", "SSSC"},
    "F": {"AOB", "BH", "SSSC"},
    "L": {"KS"},
    "U": {"ARO", "TPR", "PTP", "APRO", "APPO"},
    "K": {"SSSC"},
    "R": {"TPN", "RTNG"},
}
"""Which tie-breaks a letter may follow."""
_EXAMPLES = {"C": "C1", "M": "M1", "L": "L60 or L+1", "U": "U1400", "K": "K4"}
PLAYER_ORDER = ("PTS", "DE", "BH-C1", "BH", "SB")
"""Default tie-breaks of a Swiss that announces none."""
ROUND_ROBIN_ORDER = ("PTS", "DE", "SB", "KS")
"""The same for a round robin."""
TEAM_ORDER = ("MPTS", "GPTS", "EDE", "EMMSB")
"""The same for teams."""
TieBreakRules = Literal["2026-03", "2024-08", "2009", "2005", "plain"]
"""The rules for unplayed rounds.

2026-03  C.07 as the FIDE Council approved it on 2 February 2026: dummy scores are limited [16.4];
2024-08  C.07 as it was from its first edition until then: the dummy has the player's own score;
2009     the virtual opponent of the handbook before C.07; opponents' unplayed games are draws;
2005     fitted to the official table of one open of 2005, no published rule: in the opponents' sums a forfeit or a bye is a draw, an absence
         nothing; a forfeited game counts against the opponent's points, a bye against half of the rounds;
plain    unplayed rounds add nothing, and everybody's points stand as they are.
"""
RULES: tuple[TieBreakRules, ...] = ("2026-03", "2024-08", "2009", "2005", "plain")
_SINCE = (("2026-03-01", "2026-03"), ("2023-07-01", "2024-08"), ("2009-07-01", "2009"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreakCode:
    """One tie-break with its modifiers."""

    text: str
    """As FIDE writes it: BH-C1."""
    name: str
    cut_low: int = 0
    cut_high: int = 0
    limit: float = 50.0
    """Per cent of the possible score that a Koya opponent has at least."""
    limit_points: float = 0.0
    """Points added to that limit (L+1 is half a point, L-2 one less)."""
    forfeits_played: bool = False
    """P: a forfeited game counts as played against the opponent."""
    fore: bool = False
    """F: the games of the last round count as draws."""
    unrated: int | None = None
    """U1400: the rating of opponents who have none."""
    points: Literal["", "MP", "GP"] = ""
    """For teams: match points or game points; "" is the primary score."""
    factor: float = 0.0
    """K: the divisor of SSSC."""
    reverse: bool = False
    """R: ratings and pairing numbers the other way round."""

    @property
    def lower_is_better(self) -> bool:
        """Whether the lower value goes first."""
        return (self.name in ("TPN", "BC")) != self.reverse

    @property
    def fore_buchholz(self) -> bool:
        """Whether games of the last round count as draws."""
        return self.fore or self.name == "FB"

    def describe(self) -> str:
        """Return the tie-break in words."""
        words = (NAMES | TEAM_NAMES)[self.name]
        if self.cut_low and self.cut_high:
            words += f" without the {_count(self.cut_low)} lowest and highest"
        elif self.cut_low:
            words += f" without the {_count(self.cut_low)} {'first' if self.name == 'PS' else 'lowest'}"
        if self.forfeits_played:
            words += ", forfeits as played"
        if self.fore:
            words += ", the last round as draws"
        if self.reverse:
            words += ", in reverse order"
        return words


def tie_break_code(text: str, *, teams: bool = False) -> TieBreakCode:
    """Return the tie-break that a code stands for.

    >>> tie_break_code("bh/c1").text, tie_break_code("BH-C1").cut_low
    ('BH-C1', 1)
    """
    first, *modifiers = re.split(r"(?<!L)-|[/#!]", text.strip().upper())
    modifiers = [m for m in modifiers if m]
    base, _, points = first.partition(":")
    name = _SAME.get(base, base)
    known = NAMES | TEAM_NAMES if teams else NAMES
    if name not in known:
        raise UsageError(f"expected tie-breaks such as {', '.join(known)}; found {text!r}")
    if points not in ("", "MP", "GP") or (points and not teams):
        raise UsageError(f"expected :MP or :GP behind a team's tie-break, found {text!r}")
    given: dict[str, object] = {}
    for modifier in modifiers:
        given |= _tie_break_modifier(name, modifier, text)
    shown = "-".join([name + (f":{points}" if points else ""), *modifiers])
    return TieBreakCode(text=shown, name=name, points=points, **given)  # type: ignore[arg-type]


def tie_break_order(
    texts: str | Iterable[str], *, teams: bool = False, complete: bool = False
) -> tuple[TieBreakCode, ...]:
    """Return tie-breaks in their order; points come first where the list does not place them.

    teams: Team tie-breaks are known too, and match points come first.
    complete: The list is the whole order: nothing is put before it.

    >>> [code.text for code in tie_break_order("BH,SB")]
    ['PTS', 'BH', 'SB']
    """
    parts = re.split(r"[\s,;]+", texts) if isinstance(texts, str) else list(texts)
    codes = [tie_break_code(part, teams=teams) for part in parts if part.strip()]
    if not codes:
        raise UsageError("expected tie-breaks such as BH-C1,BH,SB,DE; found none")
    if not complete and not any(code.name in ("PTS", "MPTS", "GPTS") for code in codes):
        codes.insert(0, tie_break_code("MPTS" if teams else "PTS", teams=teams))
    return tuple({code.text: code for code in codes}.values())


def known_tie_breaks(texts: Iterable[str], *, teams: bool = False) -> tuple[list[str], list[str]]:
    """Return the codes that are known here, and the others.

    >>> known_tie_breaks(["BH-C1", "OTHER_SWORDS"])
    (['BH-C1'], ['OTHER_SWORDS'])
    """
    known: list[str] = []
    unknown: list[str] = []
    for text in texts:
        try:
            tie_break_code(text, teams=teams)
            known.append(text)
        except UsageError:
            unknown.append(text)
    return known, unknown


def tie_break_rules(start: date | None) -> TieBreakRules:
    """Return the rules for unplayed rounds on the day an event began; today's without a day.

    >>> from datetime import date
    >>> tie_break_rules(date(2026, 2, 28)), tie_break_rules(date(2026, 3, 1))
    ('2024-08', '2026-03')
    """
    if start is None:
        return RULES[0]
    day = start.isoformat()
    for since, rules in _SINCE:
        if day >= since:
            return rules  # type: ignore[return-value]
    return "2005"


def _tie_break_modifier(name: str, modifier: str, text: str) -> dict[str, object]:
    letter, rest = modifier[0], modifier[1:]
    if name in _MODIFIERS.get(letter, ()):
        if letter == "L" and (limit := re.fullmatch(r"([+-]?)(\d+(?:\.\d+)?)", rest)):
            # L60 is a share of the possible points; L+1 is half a point more, L-2 one less, L+1.0 one more.
            points = float(rest) * (1 if "." in rest else 0.5)
            return {"limit_points": points} if limit[1] else {"limit": float(rest)}
        if letter in "CMUK" and rest.isdigit():
            fields = {"C": ("cut_low",), "M": ("cut_low", "cut_high"), "U": ("unrated",), "K": ("factor",)}
            return dict.fromkeys(fields[letter], int(rest))
        if letter in "PFR" and not rest:
            return {{"P": "forfeits_played", "F": "fore", "R": "reverse"}[letter]: True}
    known = [_EXAMPLES.get(letter, letter) for letter, names in _MODIFIERS.items() if name in names]
    such = f"modifiers of {name}, {', '.join(known)}" if known else f"{name} without a modifier"
    raise UsageError(f"expected {such}; found {text!r}")


def _count(n: int) -> str:
    return {1: "one", 2: "two", 3: "three"}.get(n, str(n))


Value = float | None
Separate = Callable[[list[int]], tuple[list[list[int]], Mapping[int, Value]]]
"""Separates those who are level: groups, best first, and everybody's value."""


@dataclass(frozen=True, slots=True)
class TieBreaks:
    """One player's points and the tie-breaks that every report has."""

    points: float
    direct: float
    """Points against those with the same total, if this separates them; else 0 [DE]."""
    wins: int
    """Wins, by forfeit and byes included [WIN]."""
    sonneborn_berger: float
    buchholz: float
    buchholz_cut: float
    """Buchholz without the least significant opponent [BH-C1]."""
    progressive: float
    """The sum of the scores after every round [PS]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Places by points and tie-breaks."""

    order: tuple[TieBreakCode, ...]
    rules: TieBreakRules
    source: str
    """Origin of the order: asked (by the user), file (a record of the event) or default."""
    ranks: Mapping[int, int]
    """By row of the players, best first; equals share a rank."""
    values: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)
    """By row: the value of every code."""
    notes: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes in their order."""
        return tuple(code.text for code in self.order)

    def describe(self) -> str:
        """Return the order in words."""
        rules = "" if self.rules == "plain" else f"; unplayed rounds by the rules of {self.rules}"
        words = ", ".join(f"{c.text} ({c.describe()})" for c in self.order)
        return f"Ranked by {words}{rules}."


def event_order(
    games: Games, asked: str | Iterable[str] | None = None
) -> tuple[tuple[TieBreakCode, ...], str, tuple[str, ...]]:
    """Return the tie-breaks of an event, where they come from (asked, file or default), and notes."""
    if asked is not None:
        return tie_break_order(asked), "asked", ()
    event = games.events[0] if len(games.events) == 1 else None
    notes: tuple[str, ...] = ()
    if event is not None and event.tie_breaks:
        known, unknown = known_tie_breaks(event.tie_breaks)
        if event.teams:  # the others may be for teams
            unknown = known_tie_breaks(unknown, teams=True)[1]
        if unknown:
            notes = (f"the file's tie-breaks {', '.join(unknown)} are unknown here: left out",)
        if known:
            return tie_break_order(known, complete=True), "file", notes
    if kind_of(games) == "match":
        return tie_break_order(("PTS",)), "default", notes  # nothing separates the two of a match
    usual = ROUND_ROBIN_ORDER if cycles_of(games) else PLAYER_ORDER
    return tie_break_order(usual), "default", notes


def ranking(
    games: Games,
    *,
    tie_breaks: str | Iterable[str] | None = None,
    rules: TieBreakRules | None = None,
    ratings: Mapping[int, float] | None = None,
    after: int | None = None,
) -> Ranking:
    """Rank the players of an event.

    tie_breaks: Codes in their order, as `BH-C1,BH,SB,DE`; by default those of the event's file (TRF26,
        records 202 and 212), else the usual ones.
    rules: For unplayed rounds; by default those in force when the event began.
    ratings: By row of the players, for tie-breaks that count them.
    after: Rank as after this round.

    >>> from arpad.model import Games
    >>> games = Games.build([("A", "B", 1.0), ("B", "C", 1.0), ("C", "A", 0.5)])
    >>> list(ranking(games, tie_breaks="SB,DE").ranks.values())
    [1, 2, 3]
    """
    order, source, notes = event_order(games, tie_breaks)
    chosen = rules or _event_rules(games)
    result = event_field(games, ratings, after)
    if kind_of(games) == "match":  # a drawn match is drawn: no tie-break decides it
        ranks, values = rank_by(result, order[:1], chosen)
        values = tie_break_values(result, order, chosen)
    else:
        ranks, values = rank_by(result, order, chosen)
    return Ranking(order=order, rules=chosen, source=source, ranks=ranks, values=values, notes=notes)


def rank_by(
    field: PlayedField,
    order: Sequence[TieBreakCode],
    rules: TieBreakRules,
    known: dict[tuple[str, str], Mapping[int, Value]] | None = None,
) -> tuple[dict[int, int], dict[int, dict[str, Value]]]:
    """Return ranks and values of players; `known` keeps the values of codes for the next order."""
    kept = {} if known is None else known

    def separate(code: TieBreakCode) -> Separate:
        if code.name == "DE":
            return lambda group: _encounter(code, group, field)
        key = (code.text, rules)
        if key not in kept:
            kept[key] = _values_of(code, field, rules)
        return by_value(code, kept[key])

    return rank_groups(field.entrants, order, separate)


def rank_groups(
    entrants: Iterable[int], order: Sequence[TieBreakCode], separate: Callable[[TieBreakCode], Separate]
) -> tuple[dict[int, int], dict[int, dict[str, Value]]]:
    """Return ranks and values: each tie-break separates those whom the ones before it left level."""
    groups = [sorted(entrants)]
    values: dict[int, dict[str, Value]] = {p: {} for p in groups[0]}
    for code in order:
        separated = separate(code)
        split: list[list[int]] = []
        for group in groups:
            parts, own = separated(group)
            split += parts
            for p in group:
                values[p][code.text] = own[p]
        groups = split
    ranks: dict[int, int] = {}
    place = 1
    for group in groups:
        ranks |= dict.fromkeys(group, place)
        place += len(group)
    return ranks, values


def by_value(code: TieBreakCode, values: Mapping[int, Value]) -> Separate:
    """Return the tie-break that puts the best value first, and last who has none."""
    sign = 1 if code.lower_is_better else -1

    def key(p: int) -> float:
        value = values[p]
        return math.inf if value is None else round(sign * value, 9)

    return lambda level: (grouped(level, key), values)


def tie_break_values(
    field: PlayedField, order: Sequence[TieBreakCode], rules: TieBreakRules
) -> dict[int, dict[str, Value]]:
    """Return the value of every code for everybody, without ranking."""
    values: dict[int, dict[str, Value]] = {p: {} for p in field.entrants}
    for code in order:
        if code.name == "DE":
            level = grouped(list(field.entrants), lambda p: field.entrants[p].points)
            own = {p: v for group in level for p, v in _encounter(code, group, field)[1].items()}
        else:
            own = dict(_values_of(code, field, rules))
        for p, theirs in values.items():
            theirs[code.text] = own[p]
    return values


def tie_breaks(games: Games, *, rules: TieBreakRules | None = None) -> dict[int, TieBreaks]:
    """Return everybody's points and usual tie-breaks."""
    chosen = rules or _event_rules(games)
    result = event_field(games)
    codes = [tie_break_code(c) for c in ("PTS", "DE", "WIN", "SB", "BH", "BH-C1", "PS")]
    everybody = {}
    for p, own in tie_break_values(result, codes, chosen).items():
        points, direct, wins, SB, BH, cut_1, PS = (own[c.text] or 0.0 for c in codes)
        everybody[p] = TieBreaks(points, direct, int(wins), SB, BH, cut_1, PS)
    return everybody


def _event_rules(games: Games) -> TieBreakRules:
    starts = [e.start for e in games.events if e.start is not None]
    return tie_break_rules(min(starts) if starts else games.table["date"].min())  # type: ignore[arg-type]


def event_field(
    games: Games, ratings: Mapping[int, float] | None = None, after: int | None = None
) -> PlayedField:
    """Return an event as tie-breaks see it, with its own points."""
    points = dict(games.events[0].points) if len(games.events) == 1 else None
    stated = says_round_robin(games.events, games.players.height)
    everyone = bool(cycles_of(games)) if stated is None else stated
    made = partial(played_field, games, points=points, ratings=ratings, round_robin=everyone, after=after)
    field = made()
    ahead = made(drawn=True) if (games.table["status"] == "unplayed").any() else None
    return replace(field, ahead=ahead) if ahead is not None and ahead.finished else field


def board_order(games: Games, number: int) -> list[int]:
    """Return the rows of a round in the order of the boards, byes last.

    Boards that the file numbers (round 4.12) stay so. Else the first board has the player with most points
    before the round, then the most points together, then the lowest starting number.
    """
    board = pl.col("round").str.extract(r"\.(\d{1,6})$").cast(pl.Int64)
    rows = (
        games.table.with_row_index("row").filter(number == ROUND).select("row", "white", "black", board=board)
    )
    before = {
        p: math.fsum(r.points for r in e.rounds if r.round < number)
        for p, e in event_field(games).entrants.items()
    }

    def place(line: dict[str, int | None]) -> tuple[bool, int, float, float, int]:
        pair = [p for p in (line["white"], line["black"]) if p is not None]
        points = sorted((before.get(p, 0.0) for p in pair), reverse=True)
        return (line["black"] is None, line["board"] or 0, -points[0], -math.fsum(points), min(pair))

    return [int(line["row"]) for line in sorted(rows.to_dicts(), key=place)]


def says_round_robin(events: Sequence[Event], entrants: int) -> bool | None:
    """Say whether everybody is to meet everybody, by the words of the file, else by its rounds; None: neither tells."""
    words = re.sub(r"[\W_]", "", " ".join(e.kind or "" for e in events)).upper()
    if re.search("SWISS|DUTCH|DUBOV|BURSTEIN|FIDETEAM", words):  # the words of record 092, the codes of 192
        return False
    once = entrants - 1 + entrants % 2
    planned = events[0].rounds if len(events) == 1 else None
    full = not words and entrants > 2 and planned in (once, 2 * once)
    return True if "ROBIN" in words or "BERGER" in words or full else None


def _encounter(
    code: TieBreakCode, level: list[int], field: PlayedField
) -> tuple[list[list[int]], Mapping[int, Value]]:
    """Return the groups of those who are level, and their points among themselves; 0 if nothing is decided."""
    groups = direct_encounter(level, field, forfeits_played=code.forfeits_played)
    if len(groups) == 1:
        return groups, dict.fromkeys(level, 0.0)
    scores = {p: encounter_score(p, level, field, forfeits_played=code.forfeits_played)[0] for p in level}
    return groups, {**scores}


def _values_of(code: TieBreakCode, field: PlayedField, rules: TieBreakRules) -> Mapping[int, Value]:
    """Return a tie-break other than direct encounter for everybody."""
    everybody = field.entrants
    if code.name in _RECORD:
        return {p: _RECORD[code.name](e, field, rules) for p, e in everybody.items()}
    if code.name in _RATED:
        base = _RATED[code.name]
        own = {p: _rated(base, code, e, field) for p, e in everybody.items()}
        if base == code.name:
            return own
        return {p: None if value is None else half_up(value) for p, value in _averages(field, own).items()}
    if code.name == "AOB":  # as FIDE's tie-break server prints it: digits that keep different averages apart
        digits = 2 if field.rounds < 9 else 3 if field.rounds < 27 else 4
        means = _averages(field, _sums(code, field, rules))
        return {p: None if value is None else half_up(value, digits) for p, value in means.items()}
    if code.name == "PS":
        sums = {p: list(accumulate(r.points for r in e.rounds)) for p, e in everybody.items()}
        return {p: math.fsum(own[code.cut_low :]) for p, own in sums.items()}
    return _koya(code, field) if code.name == "KS" else _sums(code, field, rules)


_RATED = {"ARO": "ARO", "TPR": "TPR", "PTP": "PTP", "APRO": "TPR", "APPO": "PTP"}
"""Tie-breaks by ratings, and whose average over the opponents some of them are."""


def _counting(
    count: Callable[[RoundScore, PlayedField, bool], float],
) -> Callable[[RoundEntrant, PlayedField, TieBreakRules], Value]:
    """Return a tie-break that adds up what every round counts; whether it counts as played is said beside it."""
    return lambda e, field, rules: float(
        sum(count(r, field, _counts_as_played(r, field, rules)) for r in e.rounds)
    )


_RECORD: Mapping[str, Callable[[RoundEntrant, PlayedField, TieBreakRules], Value]] = {
    "RTNG": lambda e, *_: e.rating,
    "TPN": lambda e, *_: float(e.number + 1),
    "PTS": lambda e, *_: e.points,
    "REP": _counting(lambda r, *_: not r.voluntary),
    "WIN": _counting(lambda r, field, _: r.points >= field.win),
    "WON": _counting(lambda r, field, played: played and r.points >= field.win),
    "BPG": _counting(lambda r, _, played: played and r.colour == "b"),
    "BWG": _counting(lambda r, field, played: played and r.colour == "b" and r.points >= field.win),
    "STD": _counting(lambda r, field, _: _standard_points(r, field)),
}
"""Tie-breaks by a player's own record [7]."""


def _standard_points(r: RoundScore, field: PlayedField) -> float:
    """Return 1, ½ or 0: against the opponent's points of the round, or unplayed against those of a draw [7.7]."""
    other = field.draw
    if r.played and r.opponent is not None:
        other = field.entrants[r.opponent].rounds[r.round - 1].points
    return 1.0 if r.points > other else 0.5 if r.points == other else 0.0


def _counts_as_played(r: RoundScore, field: PlayedField, rules: TieBreakRules) -> bool:
    """Say whether a round counts as played for a player's own record.

    In a round robin forfeits are regular games; since 2026 lost ones are not [15.2].
    """
    if r.played or r.opponent is None or r.open or not field.round_robin:
        return r.played
    return rules == "2024-08" or (rules == "2026-03" and not r.voluntary)


def _sums(code: TieBreakCode, field: PlayedField, rules: TieBreakRules) -> dict[int, Value]:
    """Return Buchholz or Sonneborn-Berger, cut as the code says."""
    if code.fore_buchholz and field.ahead is not None:
        field = field.ahead
    adjusted = {
        p: adjusted_points(e, field, rules, fore=code.fore_buchholz) for p, e in field.entrants.items()
    }
    result: dict[int, Value] = {}
    for p, entrant in field.entrants.items():
        parts = contributions(entrant, field, adjusted, code, rules, weighted=code.name == "SB")
        left = cut(parts, code.cut_low, code.cut_high, field.rounds)
        result[p] = math.fsum(c.value for c in left)
    return result


def _averages(field: PlayedField, of: Mapping[int, Value]) -> dict[int, Value]:
    """Return the average of the opponents' values over the games played."""
    result: dict[int, Value] = {}
    for p, entrant in field.entrants.items():
        theirs = [
            value
            for r in entrant.rounds
            if r.played and r.opponent is not None and (value := of[r.opponent]) is not None
        ]
        result[p] = math.fsum(theirs) / len(theirs) if theirs else None
    return result


def _koya(code: TieBreakCode, field: PlayedField) -> dict[int, Value]:
    """Return the points against those who scored at least half of what was possible [9.2]."""
    games = field.rounds
    if field.round_robin:
        # With an odd field everybody is free once a cycle, and who never played leaves a round out.
        count = len(field.entrants)
        games -= field.rounds // count if count and field.rounds % count == 0 else 0
        games -= sum(e.last_paired() == 0 for e in field.entrants.values())
    limit = code.limit / 100 * field.win * games + code.limit_points
    result: dict[int, Value] = {}
    for p, entrant in field.entrants.items():
        result[p] = sum(
            (
                r.points
                for r in entrant.rounds
                if r.opponent is not None and field.entrants[r.opponent].points >= limit
            ),
            0.0,
        )
    return result


def _rated(base: str, code: TieBreakCode, entrant: RoundEntrant, field: PlayedField) -> Value:
    """Return what the ratings of the opponents say; opponents without one are left out."""
    met = []
    for r in entrant.rounds:
        if r.played and r.opponent is not None:
            rating = field.entrants[r.opponent].rating
            rating = code.unrated if rating is None else rating
            if rating is not None:
                met.append((float(rating), r.share))
    if base == "ARO":
        met.sort()
        met = met[code.cut_low : len(met) - code.cut_high]
    if not met:
        return None
    ratings, score = [rating for rating, _ in met], math.fsum(share for _, share in met)
    average = half_up(math.fsum(ratings) / len(ratings))
    if base == "ARO":
        return average
    table = Table()
    if base == "TPR":
        return average + float(table.difference(score / len(ratings)))
    return _perfect(score, ratings, table)


def _perfect(score: float, ratings: list[float], table: Table) -> float:
    """Return the lowest whole rating whose expected score is at least the score [10.3]."""
    if score == 0:
        return min(ratings) - 800
    low, high = math.floor(min(ratings)) - 800, math.ceil(max(ratings)) + 800
    while high - low > 1:
        middle = (low + high) // 2
        expected = math.fsum(float(table.expected(middle - R)) for R in ratings)
        if round(expected, 9) >= score:
            high = middle
        else:
            low = middle
    return float(high)
