"""The requirements of a norm, one function each, and what a player still needs while rounds are left.

What nobody knows is not met.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.event.norms.field import NO_FEDERATION, NormGame, NormOpponent
from arpad.event.norms.rules import (
    TITLED,
    Requirement,
    at_least,
    at_most,
    average,
    enough,
    percent,
    performance,
    score_needed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.norms.fide import Judge
    from arpad.event.norms.field import NormField
    from arpad.event.norms.rules import NormRules, TitleLevel


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

    field: NormField
    player: int
    level: TitleLevel
    rules: NormRules
    least_games: int
    spared: bool = False
    """A win by forfeit or a bye is forgiven: one game fewer is enough [1.4.1c]."""
    exempt: str = ""
    """The article that lifts the rules on federations, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentTally:
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


def tally(meetings: tuple[NormGame, ...], level: TitleLevel) -> OpponentTally:
    """Count the opponents of some games."""
    met = [m.opponent for m in meetings]
    known = [o.federation for o in met if o.federation is not None]
    distinct = {o.row if o.row is not None else -1 - i: o for i, o in enumerate(met)}
    return OpponentTally(
        games=len(met),
        federations=Counter(f for f in known if f != NO_FEDERATION),
        nameless=len(met) - len(known),
        titled=sum(o.title in TITLED for o in met),
        holders=sum(o.title in level.holders for o in met),
        different=len(distinct),
        different_holders=sum(o.title in level.holders for o in distinct.values()),
        unrated=sum(o.rating is None for o in met),
    )


def requirements(case: Case, meetings: tuple[NormGame, ...]) -> tuple[Requirement, ...]:
    """Return every requirement of the rules, with what these games say to it."""
    result = tally(meetings, case.level)
    own = case.field.people[case.player].federation
    needed = f"at least {case.least_games}"
    if case.spared:
        needed += f", or {case.least_games - 1} beside a forfeit win or bye [1.4.1c]"
    enough_games = result.games >= case.least_games - case.spared
    lines = [Requirement("1.4.1", "games", needed, str(result.games), enough_games)]
    if case.level.women:
        lines.append(woman_check(case))
    lines += federation_checks(result, own, case.rules, case.exempt)
    lines += _titles(case, result)
    lines += _ratings(case, meetings)
    return tuple(lines)


def woman_check(case: Case) -> Requirement:
    """Return the requirement that a women's title is a woman's [0.3.1]."""
    sex = case.field.sexes[case.player]
    title = case.field.people[case.player].title or ""
    woman = sex == "w" or title.startswith("W")
    result = "a woman" if woman else UNKNOWN if sex is None else "a man"
    return Requirement("0.3.1", "women's title", "a woman", result, woman)


def federation_checks(
    found: OpponentTally, own: str | None, rules: NormRules, exempt: str = ""
) -> list[Requirement]:
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


def _titles(case: Case, found: OpponentTally) -> list[Requirement]:
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
        Requirement(article, what, needed, str(x) if known else UNKNOWN, known and x >= fewest)
        for article, what, needed, x, fewest in lines
    ]
    return [*checks, *double_checks(case)]


def holders_wanted(case: Case, found: OpponentTally) -> tuple[str, int, int, int]:
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


def _ratings(case: Case, meetings: tuple[NormGame, ...]) -> list[Requirement]:
    level, rules, n = case.level, case.rules, len(meetings)
    known = bool(n) and case.field.knows_ratings
    score = sum(m.score for m in meetings)
    R_a = R_p = 0
    p = percent(score, n) if n else 0
    points = None
    if known:
        R_a = average([ratings_of(m, rules) for m in meetings], level.floor)
        R_p = performance(R_a, score, n)
        points = score_needed(R_a, n, level, rules)
    words = "" if points is None else f", that is {points:g} of {n} against {R_a}"
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


def ratings_of(meeting: NormGame, rules: NormRules) -> float:
    """Return an opponent's rating; who has none counts as 1400 [1.4.6d]."""
    rating = meeting.opponent.rating
    return rules.unrated if rating is None else rating


# What a player still needs for a norm in the rounds that are left.

NO_RATINGS = "no ratings"
STEP, BELOW, ABOVE = 50, 300, 50
"""Points: the averages that the table assumes, around the performance that the title asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Requirements that one player still has to meet for one title, if everything to come is as good as possible."""

    player: str
    title: str
    rules: str
    score: float
    games: int
    """Games that count so far."""
    left: int
    """Rounds still to come."""
    assumed: tuple[float, ...]
    """Ratings of the opponents to come …"""
    assumption: str
    """… and where they are from."""
    made: bool
    """The norm is made already: the rest may be ignored [1.4.1e]."""
    points_needed: float | None
    """Of the games to come, the smallest number of points that is enough; None: out of reach."""
    within: int
    """The number of games to come in which those points are to be made."""
    conditions: tuple[str, ...]
    """Requirements on the opponents to come."""
    impossible: tuple[Requirement, ...]
    """Requirements that no opponents to come can meet."""
    by_average: tuple[tuple[int, float | None], ...]
    """Average of the opponents to come, and the points needed against it in all rounds left."""

    def table(self) -> pl.DataFrame:
        """Return the points needed by the average of the opponents to come."""
        rows = [(float(average), points, self.left) for average, points in self.by_average]
        schema = {"average": pl.Float64, "points_needed": pl.Float64, "of": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary(self) -> str:
        """Return one sentence."""
        head = f"{self.player}, {self.title} norm, {self.score:g}/{self.games} with {self.left} to come"
        if self.made:
            return f"{head}: made already"
        if self.impossible:
            reasons = "; ".join(r.describe() for r in self.impossible)
            return f"{head}: not possible: {reasons}"
        if self.assumption == NO_RATINGS:
            return f"{head}: unknown, for nobody in this file has a rating (a rating list gives them)"
        if self.points_needed is None:
            return f"{head}: out of reach against {_about(self.assumed)} ({self.assumption})"
        words = f": {', '.join(self.conditions)}" if self.conditions else ""
        return (
            f"{head}: {self.points_needed:g} of the next {self.within} against {_about(self.assumed)} "
            f"({self.assumption}){words}"
        )


def outlook(
    judge: Judge, player: int, title: str, *, opponents: Sequence[NormOpponent] = ()
) -> Outlook | None:
    """Return what a player still needs, or None if no round is left.

    opponents: Whom the player meets next, as far as known; pairings in the file come first. The others are
        taken to be as good as the average so far.
    """
    left = judge.field.left(player)
    if not left:
        return None
    case = judge.case(player, title)
    kept, _ = judge.counted(player)
    paired = [m.opponent for m in judge.field.meetings.get(player, ()) if m.status == "unplayed"]
    known = (*opponents,) if opponents else (*paired,)
    coming, assumption = _coming(case, kept, known[:left], left, given=bool(opponents))
    best: tuple[float, int] | None = None
    first = max(0, case.least_games - case.spared - len(kept))
    stops = [left] if judge.field.predetermined else range(left, first - 1, -1)
    for stop in stops:
        if _impossible(case, kept, coming[:stop]):
            continue
        points = _points(case, kept, [ratings_of(_played(o), case.rules) for o in coming[:stop]])
        if points is not None and (best is None or points < best[0]):
            best = (points, stop)
    points, within = best or (None, left)
    blocked = () if best else _impossible(case, kept, coming)
    top = case.level.performance
    return Outlook(
        player=judge.field.people[player].name,
        title=title,
        rules=judge.rules.name,
        score=sum(m.score for m in kept),
        games=len(kept),
        left=left,
        assumed=tuple(o.rating for o in coming if o.rating is not None),
        assumption=assumption,
        made=not judge.field.predetermined and judge.verdict(player, title).passed,
        points_needed=points,
        within=within,
        conditions=() if blocked else _conditions(case, kept, coming[:within]),
        impossible=blocked,
        by_average=tuple(
            (level, _points(case, kept, [float(level)] * left))
            for level in range(top - BELOW, top + ABOVE + 1, STEP)
        ),
    )


def _coming(
    case: Case, kept: tuple[NormGame, ...], known: Sequence[NormOpponent], left: int, *, given: bool
) -> tuple[tuple[NormOpponent, ...], str]:
    """Return the opponents to come; those of whom nothing is known are average."""
    if not case.field.knows_ratings:
        return (*known, *(NormOpponent() for _ in range(left - len(known)))), NO_RATINGS
    missing = left - len(known)
    words = ["as given" if given else "as paired"] if known else []
    rated = [ratings_of(m, case.rules) for m in kept]
    usual = average(rated, case.level.floor) if rated else case.level.average
    if missing:
        words.append("the average so far" if kept else "the least average")
    filled = (*known, *(NormOpponent(rating=float(usual)) for _ in range(missing)))
    return filled, ", then ".join(words)


def _played(opponent: NormOpponent) -> NormGame:
    return NormGame(round=0, opponent=opponent, score=0.0, status="unplayed")


def _points(case: Case, kept: tuple[NormGame, ...], ratings: list[float]) -> float | None:
    """Return the fewest points against these ratings that make the norm."""
    n = len(kept) + len(ratings)
    if not case.field.knows_ratings or not n:
        return None
    R_a = average([*(ratings_of(m, case.rules) for m in kept), *ratings], case.level.floor)
    if R_a < case.level.average:
        return None
    score = sum(m.score for m in kept)
    for halves in range(2 * len(ratings) + 1):
        if enough(R_a, score + halves / 2, n, case.level, case.rules):
            return halves / 2
    return None


def _best(
    case: Case, kept: tuple[NormGame, ...], coming: Sequence[NormOpponent]
) -> tuple[OpponentTally, int, int]:
    """Return the tally with all that is known, and how many titles and federations are open."""
    result = tally((*kept, *(_played(o) for o in coming)), case.level)
    titles = sum(o.row is None and o.title is None for o in coming)
    federations = sum(o.row is None and o.federation is None for o in coming)
    return result, titles, federations


def _wanted(case: Case, found: OpponentTally) -> list[tuple[str, str, int, int]]:
    """Return article, words, number needed and number there of the titles."""
    titled = at_least(case.rules.titled_share, found.games)
    article, least, have, _ = holders_wanted(case, found)
    different = "different " if article == DIFFERENT else ""
    return [
        ("1.4.5a", "titled opponents", titled, found.titled),
        (article, f"{different}opponents who are {' or '.join(case.level.holders)}", least, have),
    ]


def _unmet(case: Case, kept: tuple[NormGame, ...]) -> int:
    """Return how many of the field the player has not met: in a double round robin nobody else comes."""
    others = sum(bool(meetings) for meetings in case.field.meetings.values()) - 1
    return max(0, others - len({m.opponent.row for m in kept}))


def _impossible(
    case: Case, kept: tuple[NormGame, ...], coming: Sequence[NormOpponent]
) -> tuple[Requirement, ...]:
    """Return the requirements that not even the best opponents to come can meet."""
    result, titles, federations = _best(case, kept, coming)
    rules, n = case.rules, result.games
    lines = [("1.4.1", "games", f"at least {case.least_games}", n, n >= case.least_games - case.spared)]
    if not case.exempt:
        own = case.field.people[case.player].federation
        foreign = result.foreign(own) + federations
        abroad = foreign >= rules.foreign or result.nameless > federations
        at_home = result.federations[own] if own else 0
        top, own_most = result.top(), at_most(rules.own_share, n)
        one_most = at_most(rules.one_share, n)
        lines += [
            ("1.4.3", BESIDE, f"at least {rules.foreign}", foreign, abroad),
            ("1.4.4", OWN, f"at most {own_most} of {n}", at_home, at_home <= own_most),
            ("1.4.4", ONE, f"at most {one_most} of {n}", top, top <= one_most),
        ]
    checks = [Requirement(a, w, need, str(x), ok) for a, w, need, x, ok in lines]
    if case.level.women:
        checks.append(woman_check(case))
    for article, what, least, have in _wanted(case, result):
        most = have + (min(titles, _unmet(case, kept)) if article == DIFFERENT else titles)
        needed = f"at least {least} of {result.different if article == DIFFERENT else n}"
        possible = most >= least or not case.field.knows_titles
        checks.append(Requirement(article, what, needed, f"{most} at most", possible))
    return tuple(c for c in (*checks, *double_checks(case)) if not c.passed)


def _conditions(case: Case, kept: tuple[NormGame, ...], coming: Sequence[NormOpponent]) -> tuple[str, ...]:
    """Return what the opponents of whom little is known must bring."""
    result, titles, federations = _best(case, kept, coming)
    wanted = _wanted(case, result)
    if case.field.knows_titles:
        more = [(what, least - have) for _, what, least, have in wanted if have < least]
        words = [f"at least {missing} more {_singular(what, missing)}" for what, missing in more if titles]
    else:
        words = [f"at least {least} {what} in all, now unknown" for _, what, least, _ in wanted]
    own = case.field.people[case.player].federation
    if not case.exempt and federations:
        abroad = case.rules.foreign - result.foreign(own)
        if abroad > 0:
            what = _singular("federations", abroad)
            words.append(f"at least {abroad} more {what} beside {own or 'the own'}")
        at_home = result.federations[own] if own else 0
        room = at_most(case.rules.own_share, result.games) - at_home
        if own and room < federations:
            words.append(f"at most {room} more from {own}")
    return tuple(words)


def _singular(what: str, number: int) -> str:
    return what if number != 1 else re.sub(r"s\b(?= who are|$)", "", what).replace(" who are ", " who is ")


def _about(ratings: tuple[float, ...]) -> str:
    if not ratings:
        return "unrated opponents"
    return f"an average of {sum(ratings) / len(ratings):.0f}"
