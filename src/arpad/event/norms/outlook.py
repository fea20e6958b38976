"""What a player still needs for a norm in the rounds that are left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.event.norms.checks import (
    BESIDE,
    DIFFERENT,
    ONE,
    OWN,
    Case,
    Tally,
    double_checks,
    holders_wanted,
    ratings_of,
    tally,
    woman_check,
)
from arpad.event.norms.field import Meeting, Opponent
from arpad.event.norms.rules import Requirement, at_least, at_most, average, enough

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.norms.fide import Judge


NO_RATINGS = "no ratings"
STEP, BELOW, ABOVE = 50, 300, 50
"""Points: the averages that the table assumes, around the performance that the title asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What one player still needs for one title, everything to come being as good as it can be."""

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
    """What the opponents to come must be."""
    impossible: tuple[Requirement, ...]
    """What can no longer be met, against any opponents to come."""
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


def outlook(judge: Judge, player: int, title: str, *, opponents: Sequence[Opponent] = ()) -> Outlook | None:
    """Return what a player still needs, or None if no round is left.

    Parameters
    ----------
    opponents
        Whom the player meets next, as far as known; pairings in the file come first. The others are
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
        by_average=_by_average(case, kept, left),
    )


def _coming(
    case: Case, kept: tuple[Meeting, ...], known: Sequence[Opponent], left: int, *, given: bool
) -> tuple[tuple[Opponent, ...], str]:
    """Return the opponents to come; those of whom nothing is known are average."""
    if not case.field.knows_ratings:
        return (*known, *(Opponent() for _ in range(left - len(known)))), NO_RATINGS
    missing = left - len(known)
    words = ["as given" if given else "as paired"] if known else []
    rated = [ratings_of(m, case.rules) for m in kept]
    usual = average(rated, case.level.floor) if rated else case.level.average
    if missing:
        words.append("the average so far" if kept else "the least average")
    filled = (*known, *(Opponent(rating=float(usual)) for _ in range(missing)))
    return filled, ", then ".join(words)


def _played(opponent: Opponent) -> Meeting:
    return Meeting(round=0, opponent=opponent, score=0.0, status="unplayed")


def _points(case: Case, kept: tuple[Meeting, ...], ratings: list[float]) -> float | None:
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


def _by_average(case: Case, kept: tuple[Meeting, ...], left: int) -> tuple[tuple[int, float | None], ...]:
    top = case.level.performance
    levels = range(top - BELOW, top + ABOVE + 1, STEP)
    return tuple((level, _points(case, kept, [float(level)] * left)) for level in levels)


def _best(case: Case, kept: tuple[Meeting, ...], coming: Sequence[Opponent]) -> tuple[Tally, int, int]:
    """Return the tally with all that is known, and how many titles and federations are open."""
    found = tally((*kept, *(_played(o) for o in coming)), case.level)
    titles = sum(o.row is None and o.title is None for o in coming)
    federations = sum(o.row is None and o.federation is None for o in coming)
    return found, titles, federations


def _wanted(case: Case, found: Tally) -> list[tuple[str, str, int, int]]:
    """Return article, words, number needed and number there of the titles."""
    titled = at_least(case.rules.titled_share, found.games)
    article, least, have, _ = holders_wanted(case, found)
    different = "different " if article == DIFFERENT else ""
    return [
        ("1.4.5a", "titled opponents", titled, found.titled),
        (article, f"{different}opponents who are {' or '.join(case.level.holders)}", least, have),
    ]


def _unmet(case: Case, kept: tuple[Meeting, ...]) -> int:
    """Return how many of the field the player has not met: in a double round robin nobody else comes."""
    others = sum(bool(meetings) for meetings in case.field.meetings.values()) - 1
    return max(0, others - len({m.opponent.row for m in kept}))


def _impossible(case: Case, kept: tuple[Meeting, ...], coming: Sequence[Opponent]) -> tuple[Requirement, ...]:
    """Return the requirements that not even the best opponents to come can meet."""
    found, titles, federations = _best(case, kept, coming)
    rules, n = case.rules, found.games
    lines = [("1.4.1", "games", f"at least {case.least_games}", n, n >= case.least_games - case.spared)]
    if not case.exempt:
        own = case.field.people[case.player].federation
        foreign = found.foreign(own) + federations
        abroad = foreign >= rules.foreign or found.nameless > federations
        at_home = found.federations[own] if own else 0
        top, own_most = found.top(), at_most(rules.own_share, n)
        one_most = at_most(rules.one_share, n)
        lines += [
            ("1.4.3", BESIDE, f"at least {rules.foreign}", foreign, abroad),
            ("1.4.4", OWN, f"at most {own_most} of {n}", at_home, at_home <= own_most),
            ("1.4.4", ONE, f"at most {one_most} of {n}", top, top <= one_most),
        ]
    checks = [Requirement(a, w, need, str(x), ok) for a, w, need, x, ok in lines]
    if case.level.women:
        checks.append(woman_check(case))
    for article, what, least, have in _wanted(case, found):
        most = have + (min(titles, _unmet(case, kept)) if article == DIFFERENT else titles)
        needed = f"at least {least} of {found.different if article == DIFFERENT else n}"
        possible = most >= least or not case.field.knows_titles
        checks.append(Requirement(article, what, needed, f"{most} at most", possible))
    return tuple(c for c in (*checks, *double_checks(case)) if not c.passed)


def _conditions(case: Case, kept: tuple[Meeting, ...], coming: Sequence[Opponent]) -> tuple[str, ...]:
    """Return what the opponents of whom little is known must bring."""
    found, titles, federations = _best(case, kept, coming)
    wanted = _wanted(case, found)
    if case.field.knows_titles:
        more = [(what, least - have) for _, what, least, have in wanted if have < least]
        words = [f"at least {missing} more {what}" for what, missing in more if titles]
    else:
        words = [f"at least {least} {what} in all, now unknown" for _, what, least, _ in wanted]
    own = case.field.people[case.player].federation
    if not case.exempt and federations:
        abroad = case.rules.foreign - found.foreign(own)
        if abroad > 0:
            words.append(f"at least {abroad} more federations beside {own or 'the own'}")
        at_home = found.federations[own] if own else 0
        room = at_most(case.rules.own_share, found.games) - at_home
        if own and room < federations:
            words.append(f"at most {room} more from {own}")
    return tuple(words)


def _about(ratings: tuple[float, ...]) -> str:
    if not ratings:
        return "unrated opponents"
    return f"an average of {sum(ratings) / len(ratings):.0f}"
