"""Each player's norms and titles over time, from dated results [USCF 1994, 2.3]."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.event.crosstable import known_ratings
from arpad.event.field import field_of
from arpad.event.norm_people import one_event
from arpad.event.uscf_norms import FEWEST_GAMES, Schedule, norms_earned
from arpad.event.uscf_titles import TITLES, Status, UscfTitle, title_called

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from arpad.event.norm_people import Part
    from arpad.model import Games

__all__ = [
    "EarnedNorms",
    "EventResult",
    "TitleAward",
    "TitleHistory",
    "title_histories",
    "title_history",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventResult:
    """One player's score in one event, and whom it was made against."""

    event: str
    on: date | None
    """When it ended; None: not known."""
    score: float
    opponents: tuple[float, ...]
    """Their ratings before the event."""
    left_out: int = 0
    """Games that do not count: the opponent has no rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedNorms:
    """The norms of one event toward one level."""

    event: str
    on: date | None
    level: int
    norms: int
    total: int
    """With those before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleAward:
    """A title, when it was earned and in which event."""

    title: str
    level: int
    on: date | None
    event: str
    norms: int
    """Of its level, at the end of that event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleHistory:
    """What somebody earned, event by event."""

    before: Status
    earned: tuple[EarnedNorms, ...]
    titles: tuple[TitleAward, ...]
    """In the order of time, of one event the highest first."""
    status: Status
    """After the last event."""
    events: int
    left_out: int
    """Games that do not count, the opponent having no rating."""
    notes: tuple[str, ...]
    parameters: dict[str, object]

    def card(self, on: date | None = None) -> str | None:
        """Return the title that the card shows, now or at the end of some day."""
        if on is None:
            return self.status.card()
        then = [a.title for a in self.titles if a.on is not None and a.on <= on]
        return Status(titles=(*self.before.titles, *then)).card()

    def table(self) -> pl.DataFrame:
        """Return one row for every event and level with norms: on, event, level, norms, total, title."""
        won = defaultdict(list)
        for award in self.titles:
            won[award.event, award.on, award.level].append(award.title)
        schema = {
            "on": pl.Date,
            "event": pl.String,
            "level": pl.Int64,
            "norms": pl.Int64,
            "total": pl.Int64,
            "title": pl.String,
        }
        rows = [
            (e.on, e.event, e.level, e.norms, e.total, ", ".join(won[e.event, e.on, e.level]))
            for e in self.earned
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary(self) -> str:
        """Return one sentence."""
        return f"{_count(self.events, 'event')}: {self.status.summary()}"


def title_history(
    results: Sequence[EventResult],
    *,
    before: Status | None = None,
    titles: Sequence[UscfTitle] = TITLES,
    schedule: Schedule | None = None,
) -> TitleHistory:
    """Return a player's norms and titles from results in events.

    Results count toward every title that is not held yet, all at once; norms of a level go on counting
    while a life title is open there [2.3 rule 3, 2.6 item 1].

    Parameters
    ----------
    results
        In any order if all have dates, else in the order of play.
    before
        What the player had already, as from `uscf_old_status.converted`.
    titles
        Those that there are to earn.

    Examples
    --------
    >>> from datetime import date
    >>> good = EventResult(event="Open", on=date(1994, 9, 3), score=3.5, opponents=(1800, 1900, 2000, 2100))
    >>> print(title_history([good]).status.summary())
    Category III; norms: 1 of 5 Expert, 3 of 5 Category I, 4 of 5 Category II
    """
    first, chosen = before or Status(), schedule or Schedule()
    _check(results)
    norms, held = dict(first.norms), list(first.titles)
    for title in map(title_called, held):
        norms[title.level] = first.toward(title)
    earned: list[EarnedNorms] = []
    awards: list[TitleAward] = []
    for r in _in_order(results):
        for level in sorted({t.level for t in titles}, reverse=True):
            open_titles = [t for t in titles if t.level == level and t.name not in held]
            count = norms_earned(r.score, r.opponents, level, chosen) if open_titles else 0
            if not count:
                continue
            total = norms[level] = norms.get(level, 0) + count
            earned.append(EarnedNorms(event=r.event, on=r.on, level=level, norms=count, total=total))  # fmt: skip
            for title in open_titles:
                if total >= title.norms:
                    held.append(title.name)
                    awards.append(TitleAward(title=title.name, level=level, on=r.on, event=r.event, norms=total))  # fmt: skip
    return TitleHistory(
        before=first,
        earned=tuple(earned),
        titles=tuple(awards),
        status=Status(norms=norms, titles=tuple(held)),
        events=len(results),
        left_out=sum(r.left_out for r in results),
        notes=_notes(results),
        parameters={"rules": "uscf1994", **chosen.parameters(), "titles": [t.name for t in titles]},
    )


def title_histories(
    games: Games,
    *,
    before: Mapping[int, Status] | None = None,
    schedule: Schedule | None = None,
) -> dict[int, TitleHistory]:
    """Return everybody's history from the games of one or more events, by row of the players.

    Games that were not played do not count, nor those against players without a rating.
    """
    results: dict[int, list[EventResult]] = defaultdict(list)
    seen: dict[frozenset[tuple[object, int]], str] = {}
    for part in one_event(games):
        _check_once(part, seen)
        ratings, on = known_ratings(part.games), _ended(part.games)
        for row, entry in field_of(part.games).items():
            rated = [(ratings[o], share) for o, share in entry.results if o in ratings]
            results[part.rows[row]].append(
                EventResult(
                    event=part.name,
                    on=on,
                    score=math.fsum(share for _, share in rated),
                    opponents=tuple(rating for rating, _ in rated),
                    left_out=entry.games - len(rated),
                )
            )
    given = before or {}
    return {
        row: title_history(found, before=given.get(row), schedule=schedule)
        for row, found in sorted(results.items())
    }


def _check_once(part: Part, seen: dict[frozenset[tuple[object, int]], str]) -> None:
    """Refuse an event with the very games of another, under whatever name; without dates nobody can tell."""
    played = part.games.rateable().select("date", "round", "score", "white", "black")
    if not played.height or played["date"].null_count():
        return
    key = [(*rest, part.rows[w], part.rows[b]) for *rest, w, b in played.iter_rows()]
    games_of = frozenset(Counter(key).items())
    if games_of in seen:
        raise UsageError(
            f"{part.name}: expected every event once, found the same {len(key)} games, dates and results as in "
            f"{seen[games_of]}: leave one out"
        )
    seen[games_of] = part.name


def _ended(games: Games) -> date | None:
    event = games.events[0] if games.events else None
    stated = None if event is None else event.end or event.start
    last = games.table["date"].max()
    return last if stated is None else stated  # type: ignore[return-value]


def _in_order(results: Sequence[EventResult]) -> list[EventResult]:
    dated = [(r.on, r) for r in results if r.on is not None]
    if len(dated) < len(results):
        return list(results)
    return [r for _, r in sorted(dated, key=lambda pair: pair[0])]


def _notes(results: Sequence[EventResult]) -> tuple[str, ...]:
    notes = []
    undated = sum(r.on is None for r in results)
    if undated and len(results) > 1:
        notes.append(
            f"{undated} of {len(results)} events have no date: all are taken in the order given"
        )
    for r in results:
        if r.left_out:
            notes.append(
                f"{r.event}: {_count(r.left_out, 'game')} against unrated players left out"
            )
        if len(r.opponents) < FEWEST_GAMES:
            notes.append(
                f"{r.event}: {_count(len(r.opponents), 'game')}; norms take {FEWEST_GAMES}"
            )
    return tuple(notes)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _check(results: Sequence[EventResult]) -> None:
    for r in results:
        games = len(r.opponents)
        if not 0 <= r.score <= games or not all(math.isfinite(x) for x in r.opponents):
            raise UsageError(
                f"{r.event}: expected a score from 0 to {games} against {games} ratings, found {r.score!r} "
                f"against {list(r.opponents)!r}"
            )
    seen = set()
    for r in results:
        key = (r.event, r.on, r.score, r.opponents)
        if key in seen and r.opponents:
            raise UsageError(
                f"{r.event}: expected every event once, found it twice with the same date, score and opponents: "
                "leave one out, or give it another name if there were two"
            )
        seen.add(key)
