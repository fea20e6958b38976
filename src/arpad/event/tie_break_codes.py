"""FIDE's tie-breaks by their codes, with modifiers: `BH`, `BH-C1`, `KS/L60`, `DE/P`, `EMMSB-C1` [C.07].

A code is read with `-`, `/`, `#` or `!` before each modifier, as files and programs write it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date


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

    Examples
    --------
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

    Parameters
    ----------
    teams
        Team tie-breaks are known too, and match points come first.
    complete
        The list is the whole order: nothing is put before it.

    Examples
    --------
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

    Examples
    --------
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

    Examples
    --------
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
