"""Berard's Tournament App: one event in, everything that PRA says of it out [PRA, part 2]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.event.field import is_knock_out
from arpad.event.tournament_app.fit import (
    FALLING,
    SHUFFLES,
    Estimator,
    FitTest,
    Goodness,
    PlainEvent,
    correlation_test,
    estimates,
    estimator_line,
    field_of,
    fit_line,
    goodness,
    order_effect,
    p_zero,
    why_no_line,
)
from arpad.event.tournament_app.repair import RatingRepair, Repair, repaired
from arpad.event.tournament_app.report import AppReport, Body, favourite_won, some, top_three_in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arpad.model import Games, Ratings


Conditions = Literal["auto", "usual", "knock-out", "time-controls"]
"""auto: a knock-out is recognised by its pairings."""


APART = {
    "knock-out": "a knock-out: ratings are not repaired, and players are ranked by G",
    "time-controls": "time controls changed: ratings are not repaired, and players are ranked by G",
}
"""Conditions in which results say too little of ratings [PRA, introduction and World Cup 2013]."""


def tournament_app(
    games: Games,
    *,
    number_two: float | None = None,
    ratings: Mapping[int, float] | None = None,
    repair: Repair | None = None,
    conditions: Conditions = "auto",
    shuffles: int = SHUFFLES,
) -> AppReport:
    """Run the Tournament App over all `games` as one event.

    number_two: The rating of the world's second best player at the time, for G-scores and strength; what the
        source gives unless said here.
    ratings: Initial ratings by row of `games.players`; they go before those that the source gives.
    repair: What an administrator does about ratings that do not fit, with a reason.
    conditions: `knock-out` or `time-controls` (changed during the event): not repaired, ranked by G.
    shuffles: Orders of the games tried for `order_effect` where no rounds are given; 0: do not try.

    >>> from arpad.model import Games
    >>> match = Games.build([("Steinitz", "Blackburne", 1.0)] * 7)
    >>> report = tournament_app(match, ratings={0: 2730, 1: 2648}, number_two=2648)
    >>> round(report.standings[0].g_score, 2), round(report.strength, 4)
    (397.44, 101.4643)
    """
    event = field_of(games, ratings)
    return report_on(event, number_two=number_two, repair=repair, conditions=conditions, shuffles=shuffles)


def report_on(
    event: PlainEvent,
    *,
    number_two: float | None = None,
    repair: Repair | None = None,
    conditions: Conditions = "auto",
    shuffles: int = SHUFFLES,
) -> AppReport:
    """Run the app over a field of plain lists; it is what `tournament_app` does, without tables."""
    kind = _conditions(event, conditions, repair)
    notes = [*event.notes, *([APART[kind]] if kind in APART else [])]
    count = event.games()
    scores = p_zero(event.white, event.black, event.score, len(event.names))
    if idle := [event.names[p] for p, n in enumerate(count) if not n]:
        notes.append(f"without a game on the board: {some(idle)}; they have points only")
    ratings, decisions = _filled(event, scores, count, notes)
    fit_before, why = _fit(scores, ratings, count)
    fit = fit_before
    R2 = event.number_two if number_two is None else number_two
    if repair is not None:
        if fit is not None and fit.passed and repair.kind != "nothing":
            notes.append("the event passes the test without the repair")
        ratings, done, said = repaired(repair, event, scores, ratings, fit)
        notes += said
        again = {d.row for d in done if d.kind != "nothing"}
        decisions = [d for d in decisions if d.row not in again] + done
        if repair.number_two is not None and repair.number_two != R2:
            decisions.append(
                RatingRepair(kind="number two", reason=repair.reason, before=R2, after=repair.number_two)
            )
            R2 = repair.number_two
        fit, why = _fit(scores, ratings, count)
    if why:
        notes.append(why)
    if R2 is None or not (math.isfinite(R2) and R2 > 0):
        if R2 is not None:
            raise UsageError(f"expected the rating of the world's number two, found {R2!r}")
        notes.append("no rating of the world's number two is given: no G-scores, no strength")
    body = Body(event, count, scores, ratings, decisions, fit, R2, by_g=kind in APART)
    standings = body.standings()
    return AppReport(
        name=event.name,
        rating_system=event.rating_system,
        standings=tuple(standings),
        games=len(event.white),
        fit=fit,
        fit_before=fit_before if repair is not None else None,
        correlation=None if fit is None else correlation_test(fit.r, fit.n),
        favourite_won=favourite_won(standings),
        top_three_in_order=top_three_in_order(standings),
        sweep=body.sweep(),
        strength=body.strength(notes),
        number_two=R2,
        decisions=tuple(decisions),
        notes=tuple(dict.fromkeys(notes)),
        withheld=_withheld(fit, notes),
        order_effect=None
        if event.by_round or not shuffles
        else order_effect(
            event.white, event.black, event.score, len(event.names), groups=event.groups, shuffles=shuffles
        ),
        conditions=kind,
    )


def _conditions(event: PlainEvent, conditions: Conditions, repair: Repair | None) -> Conditions:
    if conditions not in ("auto", "usual", "knock-out", "time-controls"):
        raise UsageError(
            f"expected conditions, auto, usual, knock-out or time-controls, found {conditions!r}"
        )
    kind = conditions
    if kind == "auto":
        kind = "knock-out" if is_knock_out(event.white, event.black) else "usual"
    if repair is None or repair.kind == "nothing":
        return kind
    if kind in APART:
        what = "a knock-out" if kind == "knock-out" else "an event whose time controls changed"
        raise UsageError(
            f"{what} is not repaired: its results say too little about ratings; rank the players by G, or set the conditions to usual"
        )
    if event.rating_system and "(PRA-" in event.rating_system:
        raise UsageError(
            f"ratings are repaired once: those of {event.name} are {event.rating_system} already"
        )
    return kind


def _withheld(fit: FitTest | None, notes: list[str]) -> tuple[str, ...]:
    """Return why a passed test of this fit says nothing."""
    if fit is None:
        return ()
    why = {
        "the line falls: the higher rated did worse": fit.flipped,
        "the ratings are so close that no results could have failed the test": not fit.can_fail,
        FALLING: any(note.startswith(FALLING) for note in notes),
    }
    return tuple(reason for reason, holds in why.items() if holds)


def _filled(
    event: PlainEvent, scores: list[float], count: list[int], notes: list[str]
) -> tuple[list[float | None], list[RatingRepair]]:
    """Return the ratings with missing ones from the estimator line, and that as decisions."""
    ratings = list(event.ratings)
    missing = [p for p, R in enumerate(ratings) if R is None and count[p]]
    if not missing:
        return ratings, []
    known = {p: R for p, R in enumerate(ratings) if R is not None and count[p]}
    result = estimator_line(scores, known)
    if not isinstance(result, Estimator):
        notes.append(result)
        return ratings, []
    given = estimates(result, scores, missing, event.names)
    if isinstance(given, str):
        notes.append(given)
        return ratings, []
    if result.left_out:
        names = [event.names[p] for p in result.left_out]
        notes.append(
            f"the estimator line was made without the ratings of {some(names)}, which lay farthest from it"
        )
    if said := result.doubt():
        notes.append(said)
    reason = f"no rating is given: from the estimator line of {result.fit.n} others"
    decisions = []
    for p in missing:
        ratings[p] = given[p]
        decisions.append(
            RatingRepair(
                kind="estimated", reason=reason, player=event.names[p], row=event.rows[p], after=ratings[p]
            )
        )
    return ratings, decisions


def _fit(scores: list[float], ratings: list[float | None], count: list[int]) -> tuple[FitTest | None, str]:
    rated = [(scores[p], R) for p, R in enumerate(ratings) if R is not None and count[p]]
    x, y = [p for p, _ in rated], [R for _, R in rated]
    if why := why_no_line(x, y):
        return None, why
    others = sum(1 for n in count if n) - len(rated)
    return fit_line(x, y), f"{others} without a rating: the line rests on the others" if others else ""


# Later lists tested against the ratings that the app gave [PRA, the Ratings Law of Large Numbers].
#
# The app's ratings are E, a later list is O. Where χ² falls from list to list, the lists come to agree with
# what the app said before them. The text did so for nineteen months after the U.S. Championship of 2013.


@dataclass(frozen=True, slots=True)
class Later:
    """One later list against the ratings of one event."""

    when: str
    players: int
    """Players of both reports."""
    goodness: Goodness | None
    """None where fewer than two stand in both."""


def followed(
    players: pl.DataFrame, repaired: AppReport, plain: AppReport, lists: Sequence[tuple[str, Ratings]]
) -> pl.DataFrame:
    """Return a row a later list: χ² against the repaired ratings after the event by PRA, and the plain ones by Elo.

    players: Of the event: lists are looked up by id or name.
    plain: The report without a repair.
    """
    given = [{s.row: s.pra_after for s in repaired.standings}, {s.row: s.elo_after for s in plain.standings}]
    rows: list[dict[str, object]] = []
    for label, later in lists:
        listed = later.lookup(players, "rating")
        known = {str(row): float(R) for row, R in enumerate(listed) if R is not None}
        pra, elo = (
            follow_up({str(row): R for row, R in ratings.items() if R is not None}, [(label, known)])[0]
            for ratings in given
        )
        test = pra.goodness
        rows.append(
            {
                "list": label,
                "players": pra.players,
                "chi_square_pra": test and test.chi_square,
                "chi_square_elo": elo.goodness and elo.goodness.chi_square,
                "lower": test and test.lower,
                "critical": test and test.critical,
            }
        )
    return pl.DataFrame(rows)


def follow_up(
    ratings: Mapping[str, float], lists: Iterable[tuple[str, Mapping[str, float]]]
) -> tuple[Later, ...]:
    """Test later lists, by name or id, against ratings that an event gave.

    >>> given = {"Sevian": 2532.0, "Troff": 2570.0, "Holt": 2513.0}
    >>> lists = [("May", {"Sevian": 2371.0, "Troff": 2421.0}), ("June", {"Sevian": 2450.0, "Troff": 2500.0})]
    >>> [round(later.goodness.chi_square, 2) for later in follow_up(given, lists)]
    [19.25, 4.65]
    """
    result = []
    for when, later in lists:
        both = [name for name in ratings if name in later]
        test = goodness([later[n] for n in both], [ratings[n] for n in both]) if len(both) > 1 else None
        result.append(Later(when, len(both), test))
    return tuple(result)
