"""The requirements of a norm, one function each; what nobody knows is not met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.norms.field import NO_FEDERATION
from arpad.event.norms.rules import (
    TITLED,
    Requirement,
    at_least,
    at_most,
    average,
    percent,
    performance,
    score_needed,
)

if TYPE_CHECKING:
    from arpad.event.norms.field import Field, Meeting
    from arpad.event.norms.rules import Level, NormRules


DOUBLE, DIFFERENT = "double round robin", "1.4.5f"
"""The kind of event in which different opponents count, and the article that says so."""
UNKNOWN = "unknown"
BESIDE, OWN, ONE = (
    "federations beside the player's",
    "opponents of the player's federation",
    "opponents of one federation",
)
"""What 1.4.3 and 1.4.4 ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One player's games, and what they are measured by."""

    field: Field
    player: int
    level: Level
    rules: NormRules
    least_games: int
    spared: bool = False
    """A win by forfeit or a bye is forgiven: one game fewer is enough [1.4.1c]."""
    exempt: str = ""
    """The article that lifts the rules on federations, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Opponents counted, game by game."""

    games: int
    federations: Counter[str]
    """Without those of no federation."""
    nameless: int
    """Opponents whose federation is not known."""
    titled: int
    holders: int
    different: int
    """Different opponents …"""
    different_holders: int
    """… and those of them with the title."""
    unrated: int

    def top(self) -> int:
        """Return the size of the largest group from one federation."""
        return max(self.federations.values(), default=0)

    def foreign(self, own: str | None) -> int:
        """Return the number of federations that are surely not the player's own."""
        if own is None:
            return max(0, len(self.federations) - 1)
        return len(self.federations) - (own in self.federations)


def tally(meetings: tuple[Meeting, ...], level: Level) -> Tally:
    """Count the opponents of some games."""
    met = [m.opponent for m in meetings]
    known = [o.federation for o in met if o.federation is not None]
    distinct = {o.row if o.row is not None else -1 - i: o for i, o in enumerate(met)}
    return Tally(
        games=len(met),
        federations=Counter(f for f in known if f != NO_FEDERATION),
        nameless=len(met) - len(known),
        titled=sum(o.title in TITLED for o in met),
        holders=sum(o.title in level.holders for o in met),
        different=len(distinct),
        different_holders=sum(o.title in level.holders for o in distinct.values()),
        unrated=sum(o.rating is None for o in met),
    )


def requirements(case: Case, meetings: tuple[Meeting, ...]) -> tuple[Requirement, ...]:
    """Return every requirement of the rules, with what these games say to it."""
    found = tally(meetings, case.level)
    own = case.field.people[case.player].federation
    lines = [_games(case, found)]
    if case.level.women:
        lines.append(woman_check(case))
    lines += federation_checks(found, own, case.rules, case.exempt)
    lines += _titles(case, found)
    lines += _ratings(case, meetings)
    return tuple(lines)


def _games(case: Case, found: Tally) -> Requirement:
    least = case.least_games
    needed = f"at least {least}"
    if case.spared:
        needed += f", or {least - 1} beside a forfeit win or bye [1.4.1c]"
    return Requirement("1.4.1", "games", needed, str(found.games), found.games >= least - case.spared)


def woman_check(case: Case) -> Requirement:
    """Return the requirement that a women's title is a woman's [0.3.1]."""
    sex = case.field.sexes[case.player]
    title = case.field.people[case.player].title or ""
    woman = sex == "w" or title.startswith("W")
    found = "a woman" if woman else UNKNOWN if sex is None else "a man"
    return Requirement("0.3.1", "women's title", "a woman", found, woman)


def federation_checks(found: Tally, own: str | None, rules: NormRules, exempt: str = "") -> list[Requirement]:
    """Return the requirements on federations [1.4.3, 1.4.4].

    An opponent without a federation may be of any: a requirement is met only if it is met for each.
    """
    own_most, one_most = (at_most(s, found.games) for s in (rules.own_share, rules.one_share))
    foreign, top, gap = found.foreign(own), found.top(), found.nameless
    home = found.federations[own] if own is not None else top
    names = ", ".join(f"{name} {n}" for name, n in found.federations.most_common())
    abroad, of = foreign >= rules.foreign, f"of {found.games}"
    none = not abroad and not gap and own is not None
    too_many = own is not None and home > own_most
    lines = [  # article, what, needed, found, surely met, surely not met
        ("1.4.3", BESIDE, f"at least {rules.foreign}", foreign, abroad, none),
        ("1.4.4", OWN, f"at most {own_most} {of}", home, home + gap <= own_most, too_many),
        ("1.4.4", ONE, f"at most {one_most} {of}", top, top + gap <= one_most, top > one_most),
    ]
    checks = []
    for article, what, needed, number, yes, no in lines:
        text = str(number) if yes or no else f"{UNKNOWN} ({number} by what is known)"
        if article == "1.4.3" and names:
            text += f": {names}"
        if exempt:
            text += f"; exempt by {exempt}"
        checks.append(Requirement(article, what, needed, text, yes or bool(exempt)))
    return checks


def _titles(case: Case, found: Tally) -> list[Requirement]:
    rules, level, n = case.rules, case.level, found.games
    titled = at_least(rules.titled_share, n)
    wanted = " or ".join(level.holders)
    article, least, have, of = holders_wanted(case, found)
    different = " different opponents" if article == DIFFERENT else ""
    known = case.field.knows_titles
    lines = [
        ("1.4.5a", "titled opponents", f"at least {titled} of {n}", found.titled, titled),
        (article, f"opponents who are {wanted}", f"at least {least} of {of}{different}", have, least),
    ]
    checks = [
        Requirement(article, what, needed, str(x) if known else UNKNOWN, known and x >= enough)
        for article, what, needed, x, enough in lines
    ]
    return [*checks, *double_checks(case)]


def holders_wanted(case: Case, found: Tally) -> tuple[str, int, int, int]:
    """Return of the holders of the title: article, how many are needed, are there, and among how many."""
    rules, n = case.rules, found.games
    if case.field.kind == DOUBLE:
        least = at_least(rules.double_share, found.different)
        return DIFFERENT, least, found.different_holders, found.different
    least = max(rules.holder_least, at_least(rules.holder_share, n))
    return case.level.article, least, found.holders, n


def double_checks(case: Case) -> list[Requirement]:
    """Return what a double round robin must be; nothing of any other event."""
    if case.field.kind != DOUBLE:
        return []
    players = sum(bool(m) for m in case.field.meetings.values())
    what = "players in a double round robin"
    return [Requirement.least(DIFFERENT, what, players, case.rules.double_players)]


def _ratings(case: Case, meetings: tuple[Meeting, ...]) -> list[Requirement]:
    level, rules, n = case.level, case.rules, len(meetings)
    known = bool(n) and case.field.knows_ratings
    score = sum(m.score for m in meetings)
    R_a = R_p = 0
    p = percent(score, n) if n else 0
    enough = None
    if known:
        R_a = average([ratings_of(m, rules) for m in meetings], level.floor)
        R_p = performance(R_a, score, n)
        enough = score_needed(R_a, n, level, rules)
    words = "" if enough is None else f", that is {enough:g} of {n} against {R_a}"
    lines = [
        ("1.4.8a", "opponents' average", level.average, "", R_a, known, UNKNOWN),
        ("1.4.8b", "score in per cent", rules.least_percent, "", p, bool(n), "no games"),
        ("1.4.8", "performance", level.performance, words, R_p, known, UNKNOWN),
    ]
    return [
        Requirement(
            article, what, f"at least {least}{more}", str(x) if there else without, there and x >= least
        )
        for article, what, least, more, x, there, without in lines
    ]


def ratings_of(meeting: Meeting, rules: NormRules) -> float:
    """Return an opponent's rating; who has none counts as 1400 [1.4.6d]."""
    rating = meeting.opponent.rating
    return rules.unrated if rating is None else rating
