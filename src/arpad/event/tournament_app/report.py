"""The Tournament App's report on one event."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.event.tournament_app.fit import ratings_after, z_scores
from arpad.event.tournament_app.greatness import (
    LISTED,
    Sweep,
    g_category,
    g_score,
    pra_ranks,
    resistance,
    sweep_probability,
    sweep_probability_with_draws,
    tournament_strength,
)
from arpad.event.tournament_app.repair import MARKS, RatingRepair, direction_of, flag_of
from arpad.model import Result, columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.tournament_app.app import Conditions
    from arpad.event.tournament_app.fit import Correlation, FitTest, PlainEvent
    from arpad.event.tournament_app.repair import Direction, Flag


COLUMNS = pl.Schema(
    columns(
        "rank:int row:int name:str rating:float rating_given:float mark:str games:int points:float "
        "p_zero:float p_zero_rank:int z:float performance:float residual:float flag:str pressure:str "
        "resistance:float g_score:float g_category:str pra_after:float elo_after:float "
        "elo_after_as_printed:float"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppStanding:
    """One player's figures; None where there are none, and the report's notes say why."""

    rank: int
    """By points, performance rating, G; by G alone where the event is ranked by it."""
    row: int
    """In the players of the games."""
    name: str
    rating: float | None
    """Before the event, as used: given, estimated, corrected, adjusted or set."""
    rating_given: float | None
    mark: str
    """`PRA-Corrected`, `PRA-Adjusted`, or nothing."""
    games: int
    points: float
    p_zero: float | None
    p_zero_rank: int | None
    z: float | None
    performance: float | None
    residual: float | None
    """Rating less the line's own expectation, O − E."""
    flag: Flag | None
    """`LR`: out of spec; `up`, `down`: in spec, under pressure."""
    pressure: Direction | None
    """Direction in which a flagged rating should move."""
    resistance: float | None
    """The mean that was met: the resistance coefficient of G."""
    g_score: float | None
    g_category: str | None
    pra_after: float | None
    elo_after: float | None
    """By Elo: K = 10, logistic, game by game."""
    elo_after_as_printed: float | None
    """As the text has it: expectancies from running PRA ratings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppReport(Result):
    """Report of the Tournament App on one event."""

    name: str
    rating_system: str | None
    standings: tuple[AppStanding, ...]
    """Best first."""
    games: int
    """Played on the board."""
    fit: FitTest | None
    """Of the ratings as used, after a repair."""
    fit_before: FitTest | None
    """Of the ratings before the repair, where there was one."""
    correlation: Correlation | None
    favourite_won: bool | None
    """Whether the highest rated player came first, as a significant correlation predicts."""
    top_three_in_order: bool | None
    sweep: Sweep | None
    strength: float | None
    number_two: float | None
    decisions: tuple[RatingRepair, ...]
    notes: tuple[str, ...]
    withheld: tuple[str, ...]
    """Why a test that passed certifies nothing."""
    order_effect: float | None
    """By how much a P-Zero score moves, at most, in other orders of the games; None: rounds are known."""
    conditions: Conditions
    """`knock-out` and `time-controls` are never repaired, and ranked by G."""

    @property
    def players(self) -> pl.DataFrame:
        """One row a player, best first."""
        return pl.DataFrame([asdict(s) for s in self.standings], schema=COLUMNS)

    @property
    def rating_label(self) -> str:
        """The heading of the ratings: the system's name, and what was done to it."""
        own = self.rating_system or "Rating"
        marks = sorted({s.mark for s in self.standings if s.mark}, reverse=True)
        return f"{own} ({', '.join(marks)})" if marks and "(PRA-" not in own else own

    @property
    def certified(self) -> bool:
        """Say whether the test passed, and could have failed, on a line that rises."""
        return self.fit is not None and self.fit.passed and not self.withheld

    @property
    def moved_to_the_line(self) -> bool:
        """Say whether ratings were put on the line or near it: by a repair, or by the estimator line."""
        return any(d.row is not None and d.kind != "nothing" for d in self.decisions)

    def greatness(self) -> tuple[AppStanding, ...]:
        """Return the performances of G 100 or more, best first."""
        listed = [s for s in self.standings if s.g_score is not None and s.g_score >= LISTED]
        return tuple(sorted(listed, key=lambda s: -(s.g_score or 0.0)))

    def table(self) -> pl.DataFrame:
        """Return the standings without empty columns; the ratings' column bears the system's name."""
        rows = self.players.drop("row")
        kept = rows.select(
            c for c in rows.columns if not (rows[c].is_null() | (rows[c].cast(pl.String) == "")).all()
        )
        if "rating_given" in kept.columns and kept["rating_given"].equals(kept["rating"]):
            kept = kept.drop("rating_given")
        return kept.rename({"rating": self.rating_label}) if "rating" in kept.columns else kept

    def words(self) -> tuple[str, ...]:
        """Return the verdict in sentences."""
        return verdict(self)

    def summary(self) -> str:
        """Return one sentence."""
        return in_short(self)


# A report's rows: every player's figures from P-Zero, ratings and the line.


@dataclass(frozen=True, slots=True)
class Body:
    """All that a row of the report needs."""

    event: PlainEvent
    count: list[int]
    scores: list[float]
    ratings: list[float | None]
    decisions: list[RatingRepair]
    fit: FitTest | None
    number_two: float | None
    by_g: bool

    def standings(self) -> list[AppStanding]:
        """Return everybody's row, best first."""
        event, count = self.event, self.count
        active = [p for p, n in enumerate(count) if n]
        z = dict(zip(active, z_scores([self.scores[p] for p in active]), strict=True))
        P = [self.scores[p] if n else None for p, n in enumerate(count)]
        met, G = self._great()
        ranks = pra_ranks(event.points, P, G, by_g=self.by_g)
        by_p_zero = pra_ranks([0.0] * len(P), P, [None] * len(P))
        after = ratings_after(event.white, event.black, event.score, self.ratings)
        marks = {d.row: MARKS[d.kind] for d in self.decisions if d.row is not None}
        rows = []
        for p, name in enumerate(event.names):
            R, line = self.ratings[p], self.fit.line if self.fit and count[p] else None
            residual = None if line is None or R is None else R - line.expected(self.scores[p])
            rows.append(
                AppStanding(
                    rank=ranks[p],
                    row=event.rows[p],
                    name=name,
                    rating=R,
                    rating_given=event.ratings[p],
                    mark=marks.get(event.rows[p], ""),
                    games=count[p],
                    points=event.points[p],
                    p_zero=P[p],
                    p_zero_rank=by_p_zero[p] if count[p] else None,
                    z=z.get(p),
                    performance=None if line is None else line.performance(self.scores[p]),
                    residual=residual,
                    flag=None if residual is None else flag_of(residual),
                    pressure=None if residual is None else direction_of(residual),
                    resistance=met[p],
                    g_score=G[p],
                    g_category=None if G[p] is None else g_category(G[p] or 0.0),
                    pra_after=after.pra[p],
                    elo_after=after.elo[p],
                    elo_after_as_printed=after.elo_as_printed[p],
                )
            )
        return sorted(rows, key=lambda s: (s.rank, s.name, s.row))

    def _great(self) -> tuple[list[float | None], list[float | None]]:
        """Return the mean resistance that everybody met, and G."""
        offered = [
            None if R is None or self.number_two is None else resistance(R, self.number_two)
            for R in self.ratings
        ]
        mean: list[float | None] = []
        G: list[float | None] = []
        for p, opponents in enumerate(self.event.opponents()):
            met = [value for o in opponents if (value := offered[o]) is not None]
            whole = bool(met) and len(met) == len(opponents)
            mean.append(math.fsum(met) / len(met) if whole else None)
            G.append(g_score(self.scores[p], met) if whole else None)
        return mean, G

    def sweep(self) -> Sweep | None:
        """Return how likely the highest rated was to win every game; of equals, who is first by name."""
        rated = [
            (-R, self.event.names[p], p)
            for p, R in enumerate(self.ratings)
            if R is not None and self.count[p]
        ]
        if len(rated) < 2:
            return None
        rating, name, p = min(rated)
        opponents = self.event.opponents()[p]
        theirs = [R for o in opponents if (R := self.ratings[o]) is not None]
        if len(theirs) < len(opponents):
            return None
        won = all(
            (1.0 if i == p else 0.0) == S
            for i, j, S in zip(self.event.white, self.event.black, self.event.score, strict=True)
            if p in (i, j)
        )
        return Sweep(
            favourite=name,
            row=self.event.rows[p],
            rating=-rating,
            games=len(opponents),
            probability=sweep_probability(-rating, theirs),
            probability_with_draws=sweep_probability_with_draws(-rating, theirs),
            happened=won,
        )

    def strength(self, notes: list[str]) -> float | None:
        """Return the tournament strength, or note why there is none."""
        if self.number_two is None:
            return None
        active = [p for p, n in enumerate(self.count) if n]
        known = [R for p in active if (R := self.ratings[p]) is not None]
        if len(known) < len(active):
            notes.append("some players have no rating: no strength, and no G-scores for their opponents")
            return None
        return tournament_strength(known, [self.count[p] for p in active], self.number_two)


def _favourites(standings: Sequence[AppStanding]) -> list[AppStanding]:
    """Return the highest rated of those who played: several where they are equal; nobody where one is rated."""
    rated = [s for s in standings if s.rating is not None and s.games]
    best = max((s.rating or 0.0 for s in rated), default=0.0)
    return [s for s in rated if s.rating == best] if len(rated) > 1 else []


def favourite_won(standings: Sequence[AppStanding]) -> bool | None:
    """Say whether the highest rated player came first alone; None where that cannot be said."""
    favourites, first = _favourites(standings), [s for s in standings if s.rank == 1]
    return None if len(favourites) != 1 or len(first) > 1 else favourites[0] is first[0]


def top_three_in_order(standings: list[AppStanding]) -> bool | None:
    """Say whether the three highest rated came first, second and third."""
    rated = sorted(
        (s for s in standings if s.rating is not None and s.games), key=lambda s: -(s.rating or 0.0)
    )
    if len(rated) < 3:
        return None
    return [s.rank for s in rated[:3]] == [1, 2, 3]


# The report in sentences: what the test found, warnings, and whether the results are final.

NAMED = 6
"""Players that a sentence names; the table has them all."""


def verdict(report: AppReport) -> tuple[str, ...]:
    """Return what the report says, a sentence each."""
    lines: list[str] = []
    fit = report.fit
    if fit is not None:
        lines += [*_fit(fit, moved=report.moved_to_the_line), *out_of_spec(report)]
        if pressed := [f"{s.name} ({s.pressure})" for s in _worst(report, "up", "down")]:
            lines.append(f"Under pressure: {some(pressed)}.")
        if report.correlation is not None:
            lines.append(_correlation(report))
    if report.sweep is not None:
        lines.append(_sweep(report, report.sweep))
    if report.strength is not None:
        lines.append(
            f"Tournament strength {report.strength:.4f}, the world's number two at {report.number_two:g}."
        )
    lines += [f"{s.name}: G = {s.g_score:.2f}, {s.g_category}." for s in report.greatness()]
    if report.order_effect is not None and report.order_effect > 0.005:
        lines.append(
            f"The order of the games is not certain: in other orders a P-Zero score moves by up to {report.order_effect:.2f}."
        )
    if report.certified:
        lines.append("The ratings fit the results, which are final and certified.")
    elif fit is not None and fit.passed:
        lines.append(f"The test is passed, but certifies nothing: {'; '.join(report.withheld)}.")
    elif fit is not None:
        lines.append("The ratings do not fit the results: an administrator should find out why.")
    return tuple(lines)


def in_short(report: AppReport) -> str:
    """Return one sentence on the event."""
    fit = report.fit
    if fit is None:
        tested = "no test of fit"
    else:
        tested = f"χ² {fit.chi_square:.3f} {'≤' if fit.passed else '>'} {fit.critical:.3f}, {'passed' if fit.passed else 'failed'}"
    strength = "" if report.strength is None else f", strength {report.strength:.4f}"
    best = report.greatness()[:1]
    great = "" if not best else f", {best[0].name} G {best[0].g_score:.2f}"
    return f"{report.name}: {len(report.standings)} players, {report.games} games, {tested}{strength}{great}"


def _fit(fit: FitTest, *, moved: bool) -> list[str]:
    low, high = fit.constant_interval
    x, y = fit.centroid
    lines = [
        f"Line: {fit.intercept:.2f} {'−' if fit.slope < 0 else '+'} {abs(fit.slope):.4f} · P-Zero through ({round(x, 2) + 0.0:.2f}, {y:.2f}), r = {fit.r:.2f}."
    ]
    if fit.flipped:
        lines.append(
            "The slope is negative: the higher rated did worse. Performance ratings use its size, so that they rise with P-Zero; the test takes the line as it falls."
        )
    outcome = (
        "the players performed as expected" if fit.passed else "the players did not all perform as expected"
    )
    lines.append(
        f"χ² = {fit.chi_square:.3f} with {fit.degrees} degrees of freedom, critical value {fit.critical:.3f}, lower threshold {fit.lower:.3f}: {outcome}."
    )
    if not fit.can_fail:
        lines.append(
            f"The ratings lie so close together (standard deviation {fit.line.spread[1]:.0f}) that no results could have failed this test."
        )
    if fit.low_warning:
        why = (
            "ratings that were moved to the line cause this"
            if moved
            else "this is usual in honest events of players with close ratings"
        )
        lines.append(f"χ² is below the lower threshold: {why}.")
    lines.append(
        f"Constants between {low:.1f} and {high:.1f} would have put χ² between the thresholds (90 %); the test uses {fit.constant:g}."
    )
    return lines


def some(words: Sequence[str], named: int = NAMED) -> str:
    """Return the first few of them, and how many more there are.

    >>> some(["Ann", "Bob"]), some("ABCDEFGH")
    ('Ann, Bob', 'A, B, C, D, E, F and 2 more')
    """
    more = len(words) - named
    return ", ".join(words[:named]) + (f" and {more} more" if more > 0 else "")


def out_of_spec(report: AppReport) -> list[str]:
    """Say who is out of spec, the worst first; nothing where nobody is."""
    worst = [(s.name, s.residual or 0.0) for s in _worst(report, "LR")]
    names = [f"{name} {abs(off):.0f} too {'low' if off < 0 else 'high'}" for name, off in worst]
    return [f"Out of spec: {some(names)}."] if names else []


def _worst(report: AppReport, *flags: str) -> list[AppStanding]:
    flagged = [s for s in report.standings if s.flag in flags]
    return sorted(flagged, key=lambda s: -abs(s.residual or 0.0))


def _correlation(report: AppReport) -> str:
    test = report.correlation
    assert test is not None
    p = f"p = {test.p_value:.3f}" if test.p_value >= 0.0005 else "p < 0.001"
    if not test.significant:
        return f"r = {test.r:.2f} is not significant ({p}): nobody was the clear favourite."
    if test.r < 0:
        return f"r = {test.r:.2f} is significant ({p}): players finished against the order of their ratings."
    if report.favourite_won is not None:
        came = "and the favourite won" if report.favourite_won else "but the favourite did not win"
    else:
        several = len(_favourites(report.standings)) > 1
        came = "with no single favourite" if several else "with no single winner"
    return (
        f"r = {test.r:.2f} is significant ({p}): players should finish in the order of their ratings, {came}."
    )


def _sweep(report: AppReport, sweep: Sweep) -> str:
    equal = len(_favourites(report.standings))
    who = "the favourite" if equal < 2 else f"one of {equal} favourites"
    what = "the only game" if sweep.games == 1 else f"all {sweep.games} games"
    did = "did so" if sweep.happened else "did not"
    chance, without = _per_cent(sweep.probability_with_draws), _per_cent(sweep.probability)
    return (
        f"{sweep.favourite}, {who}, had {chance} of winning {what} ({without} if none were drawn), and {did}."
    )


def _per_cent(p: float) -> str:
    return f"{100 * p:.3f} %" if p >= 1e-5 else f"{100 * p:.1e} %"
