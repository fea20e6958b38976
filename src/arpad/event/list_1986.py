"""FIDE's rating list by the regulations of 1986: its calendar and who stands on it [Elo 3.2, 4.42, 4.54]."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.event.fide1986_event import nominal_value
from arpad.event.performance import Performance, performance
from arpad.event.rateable_1986 import FEWEST
from arpad.event.verdict import Requirement

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ESTABLISHED",
    "Issue",
    "Listing",
    "Sample",
    "first_rating",
    "issue_for",
    "issue_in_force",
    "listing",
    "pooled",
]

ESTABLISHED = 30
"""Games below which a rating is provisional and carries an asterisk [2.59]."""
PUBLISHED = 9
"""Games below which no rating is published [3.2, 4.54]."""
ACTIVE = 3
"""Years within which somebody on the list has played [3.2]."""
REPORT = timedelta(weeks=4)
"""Time after an event within which its report is due [4.41]."""


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One list: in force from 1 January or 1 July for half a year [4.42]."""

    effective: date

    @property
    def until(self) -> date:
        """The last day on which it is in force."""
        return self.following().effective - timedelta(days=1)

    @property
    def closing(self) -> date:
        """Play completed before this day enters it: 1 December or 1 June."""
        year, month = self.effective.year, self.effective.month
        return date(year - 1, 12, 1) if month == 1 else date(year, 6, 1)

    def following(self) -> Issue:
        """Return the next list."""
        year = self.effective.year
        return Issue(date(year, 7, 1) if self.effective.month == 1 else date(year + 1, 1, 1))

    def __str__(self) -> str:
        return f"{self.effective:%B %Y}"


def issue_in_force(day: date) -> Issue:
    """Return the list in force on a day; an event is rated from the one in force at its end [3.2].

    Examples
    --------
    >>> str(issue_in_force(date(1986, 6, 30)))
    'January 1986'
    """
    return Issue(date(day.year, 1 if day.month < 7 else 7, 1))


def issue_for(ended: date, received: date | None = None) -> Issue | None:
    """Return the list that takes an event which ended on a day [4.41, 4.42].

    Parameters
    ----------
    received
        When the report arrived. After four weeks it waits for the list that is being made then; more
        than one list late it is not calculated: None.

    Examples
    --------
    >>> str(issue_for(date(1986, 5, 31))), str(issue_for(date(1986, 6, 1)))
    ('July 1986', 'January 1987')
    """
    if received is not None and received < ended:
        raise UsageError(f"expected a report after {ended}, found one of {received}")
    due = _closing_after(ended)
    if received is None or received <= ended + REPORT:
        return due
    made = _closing_after(received)
    if made <= due.following():
        return max(due, made)
    return None


def _closing_after(day: date) -> Issue:
    issue = issue_in_force(day)
    while issue.closing <= day:
        issue = issue.following()
    return issue


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One player's games in one event against rated opponents."""

    event: str
    ended: date
    score: float
    opponents: tuple[float, ...]
    """Their ratings, game by game."""

    @property
    def games(self) -> int:
        """Games against rated opponents."""
        return len(self.opponents)


def pooled(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Return the samples that are calculated: those of four games or more, and the rest together.

    Nothing is calculated on fewer than four games, but short events may be pooled [4.41, 4.54]. Whatever is
    still shorter than four games together is left out.
    """
    long = [s for s in samples if s.games >= FEWEST]
    short = [s for s in samples if 0 < s.games < FEWEST]
    if sum(s.games for s in short) >= FEWEST:
        pool = Sample(
            event=" + ".join(s.event for s in short),
            ended=max(s.ended for s in short),
            score=sum(s.score for s in short),
            opponents=tuple(R for s in short for R in s.opponents),
        )
        long.append(pool)
    return tuple(sorted(long, key=lambda s: s.ended))


def first_rating(
    samples: Sequence[Sample], *, method: Literal["table", "small-sample"] = "table"
) -> Performance | None:
    """Return R_p on all of a newcomer's play that is calculated, or None without any [(1), 4.55].

    Parameters
    ----------
    method
        `small-sample` applies the factor F to D_p below thirty games [2.59]; FIDE did not.
    """
    taken = pooled(samples)
    if not taken:
        return None
    opponents = [R for s in taken for R in s.opponents]
    return performance(sum(s.score for s in taken), opponents, method=method)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Whether a player stands on a list, requirement by requirement."""

    player: str
    rating: float | None
    games: int
    issue: Issue
    requirements: tuple[Requirement, ...]

    @property
    def status(self) -> Literal["listed", "rated but not listed", "not rated"]:
        """Say where the player stands; whoever is not listed may still be rated [3.2]."""
        if self.rating is None:
            return "not rated"
        return "listed" if all(r.passed for r in self.requirements) else "rated but not listed"

    @property
    def shown(self) -> str:
        """The rating as a list shows it, with an asterisk while it is provisional [2.59]."""
        if self.rating is None:
            return ""
        return f"{self.rating:.0f}{'*' if self.games < ESTABLISHED else ''}"

    def summary(self) -> str:
        """Return one sentence."""
        why = "; ".join(
            f"{r.what} {r.found}, needed {r.needed} [{r.article}]"
            for r in self.requirements
            if not r.passed
        )
        head = f"{self.player} {self.shown}".rstrip()
        return f"{head}: {self.status}, {self.issue}" + (f" ({why})" if why else "")


def listing(
    player: str,
    rating: float | None,
    *,
    issue: Issue,
    games: int,
    last_played: date | None = None,
    best: float | None = None,
    woman: bool = False,
    member: bool = True,
) -> Listing:
    """Say whether a player is published on a list.

    Parameters
    ----------
    games
        Games against rated players, all told.
    last_played
        The last rated game; None: not checked.
    best
        The best R_p of a newcomer, who needs one above R_U; None for whoever was listed before.
    woman
        Women are listed apart, above 1900.
    member
        Whether the own federation is a member of FIDE; if not, opponents are rated but the player is
        not listed, and games against the player do not count for titles.
    """
    R_U = nominal_value(women=woman)
    found = [
        _line("3.2, 4.54", "games against rated players", f"at least {PUBLISHED}", games, games >= PUBLISHED),
        _line("4.42", "rating", f"above {R_U:g}", rating, rating is not None and rating > R_U),
        _line("3.2", "federation", "a member of FIDE", "a member" if member else "no member", member),
    ]  # fmt: skip
    if best is not None:
        found.append(_line("4.54", "best performance", f"above {R_U:g}", best, best > R_U))
    if last_played is not None:
        start = _years_before(issue.closing, ACTIVE)
        good = last_played >= start
        found.append(_line("3.2", "last rated game", f"{start} or later", last_played, good))
    return Listing(
        player=player, rating=rating, games=games, issue=issue, requirements=tuple(found)
    )


def _line(article: str, what: str, needed: str, found: object, passed: bool) -> Requirement:
    text = "none" if found is None else f"{found:g}" if isinstance(found, float) else str(found)
    return Requirement(article=article, what=what, needed=needed, found=text, passed=passed)


def _years_before(day: date, years: int) -> date:
    return day.replace(year=day.year - years)
