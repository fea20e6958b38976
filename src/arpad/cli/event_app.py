"""The Tournament App of `arpad event`: run on the event, or on each of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.cli.event_app_options import AppOptions
    from arpad.event.app import AppReport
    from arpad.model import Games, Ratings
    from arpad.pool.number_two import NumberTwo

__all__ = ["Apps", "OneApp", "run_app"]

NO_NUMBER_TWO = "no rating of the world's number two is given"
"""How the library's note begins; here it says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneApp:
    """The app's report on one event, and where the number-two rating comes from."""

    report: AppReport
    number_two: NumberTwo | None

    def notes(self) -> list[str]:
        """Return what is to be known beside the figures."""
        own = [
            f"{note}; give --number-two RATING, or --list FILE with the rating list in force"
            if note.startswith(NO_NUMBER_TWO)
            else note
            for note in _once(self.report.notes)
        ]
        return [*own, *(() if self.number_two is None else self.number_two.notes), *self._above()]

    def why_not(self) -> list[str]:
        """Return the notes that tell why there is no test of fit, or what a repair left alone."""
        beside = (NO_NUMBER_TWO, "some players have no rating: no strength")
        return [n for n in _once(self.report.notes) if not n.startswith(beside)]

    def _above(self) -> list[str]:
        """Doubt a number two whom several of the event are rated above."""
        R2 = self.report.number_two
        ratings = [s.rating_given for s in self.report.standings if s.rating_given is not None]
        above = 0 if R2 is None else sum(R > R2 for R in ratings)
        if above < 2:
            return []
        return [f"{above} players are rated above {R2:g}: that was not the world's number two"]

    def places(self) -> dict[int, int]:
        """Return the places by points, performance rating and G, by row of the players."""
        return {s.row: s.rank for s in self.report.standings}


@dataclass(frozen=True, slots=True, kw_only=True)
class Apps:
    """One report where the files hold one event, else one for each of them."""

    each: tuple[OneApp, ...]
    full: bool

    @property
    def single(self) -> OneApp | None:
        """The report, where there is but one."""
        return self.each[0] if len(self.each) == 1 else None


def run_app(games: Games, options: AppOptions, before: Ratings | None) -> Apps:
    """Run the app on an event; several events each have their own, as every match is its own event."""
    from arpad.event.app import tournament_app
    from arpad.event.norm_people import one_event
    from arpad.pool.number_two import number_two

    parts = [part.games for part in one_event(games)]
    if len(parts) > 1 and (options.repair is not None or options.pra_tie_break):
        what = "--repair" if options.repair is not None else "--tie-break pra"
        raise UsageError(
            f"{what} is for one event, and {len(parts)} are reported as one: name it with --only"
        )
    found = []
    for own in parts:
        two = number_two(own, given=options.number_two, lists=options.lists)
        report = tournament_app(
            own,
            number_two=None if two is None else two.rating,
            ratings=_listed(own, before),
            repair=options.repair,
            conditions=options.conditions,
        )
        found.append(OneApp(report=report, number_two=_moved(two, report)))
    return Apps(each=tuple(found), full=options.full)


def _moved(two: NumberTwo | None, report: AppReport) -> NumberTwo | None:
    """Return the number two as the report has it: a repair may have moved it."""
    from arpad.pool.number_two import NumberTwo

    if report.number_two is None or (two is not None and two.rating == report.number_two):
        return two
    was = "" if two is None else f", before it {two.rating:g} {two.source}"
    return NumberTwo(rating=report.number_two, source=f"by the repair{was}")


def _once(notes: Sequence[str]) -> list[str]:
    """Leave out what another note says, too."""
    return [n for n in notes if not any(n != other and n in other for other in notes)]


def _listed(games: Games, before: Ratings | None) -> dict[int, float]:
    if before is None:
        return {}
    ratings = before.lookup(games.players, "rating")
    return {row: float(R) for row, R in enumerate(ratings) if R is not None}
