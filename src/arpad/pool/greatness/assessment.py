"""The Tournament App on one event of many, as a record that can be kept."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arpad.errors import UsageError
from arpad.event.tournament_app.app import report_on
from arpad.event.tournament_app.fit import PlainEvent
from arpad.event.tournament_app.greatness import LISTED, STANDARD, calibrated
from arpad.event.tournament_app.repair import Repair
from arpad.event.tournament_app.report import some
from arpad.pool.greatness.groups import WHOLE
from arpad.pool.greatness.ratings import RATED, EventQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.tournament_app.app import Conditions
    from arpad.event.tournament_app.report import AppReport, AppStanding
    from arpad.pool.greatness.ratings import Chosen


Verdict = Literal["passed", "failed", "untested", "unrated"]
"""Verdicts of the fit on an event.

passed     the ratings fit the results;
failed     they do not: G-scores wait for a person;
untested   there is nothing to test: a match, equal ratings;
unrated    too few ratings, or no number two: no G-scores.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessedPerformance:
    """One player's performance in one event."""

    player: str
    rating: float | None
    estimated: bool
    """Whether the rating comes from the line instead of a source."""
    games: int
    score: float
    p_zero: float
    performance: float | None
    g_score: float
    g_error: float | None
    """One standard error of G that comes from the ratings, where their errors are known."""
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One event; plain values only, so that it can be kept in a file."""

    key: str
    """Fingerprint of the games, the ratings, number two and the settings."""
    event: str
    site: str | None
    year: int | None
    start: str | None
    end: str | None
    kind: str
    players: int
    games: int
    coverage: float
    ratings: str | None
    """Source of the ratings."""
    rated: int
    """Players whom the source knows; the others' ratings are estimated."""
    number_two: float | None
    number_two_player: str | None
    number_two_source: str | None
    number_two_among: int | None
    """Active players whom that source knows then; None where number two was given."""
    rating_error: float | None
    """One standard error of the field's mean rating against number two, in points."""
    strength: float | None
    r: float | None
    chi_square: float | None
    critical: float | None
    lower: float | None
    flipped: bool
    order_effect: float | None
    """By how much a P-Zero score moves in other orders of the games; None where rounds are known."""
    verdict: Verdict
    repaired: str | None
    """`adjusted` or `corrected` where the run repaired ratings."""
    flagged: tuple[tuple[str, float], ...]
    """Players out of spec, with their residuals."""
    reasons: tuple[str, ...]
    """Why a person should look."""
    performances: tuple[AssessedPerformance, ...]
    """Performances with enough games and a G-score high enough, best first."""

    @property
    def counts(self) -> bool:
        """Say whether its G-scores stand: the fit passed, or there is none to ask, as in a knock-out."""
        if self.verdict == "unrated":
            return False
        return self.verdict != "failed" or self.kind == "knock-out"

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> EventRecord:
        """Return the record that `asdict` made plain; a missing or strange value is an error."""
        plain = dict(values)
        plain["flagged"] = tuple((str(name), float(x)) for name, x in values["flagged"])
        plain["reasons"] = tuple(str(reason) for reason in values["reasons"])
        plain["performances"] = tuple(AssessedPerformance(**row) for row in values["performances"])
        return cls(**plain)


# The Tournament App on one event of many, as a record that can be kept.

FORMAT = 3
"""Of a record; another number makes old records strangers."""
AUTOMATIC = "automatic: the test failed, and nobody checked it"
"""The reason that stands beside every rating that a run moves by itself."""
SHUFFLES = 2
"""Other orders of the games that are tried where no rounds are known: backwards, and one at random."""
GAP = 200.0
"""Points above number two at which no unknown player stands: Fischer in 1972 stood 125 above. Ours."""
NAMED = 4
"""Players whom a reason names; then it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedEvent:
    """One event in plain lists, its games in the order of play; people by their numbers."""

    about: Mapping[str, Any]
    """The event's row of `EventGroups.events`."""
    white: Sequence[int]
    black: Sequence[int]
    score: Sequence[float]
    beside: Mapping[int, float]
    """Ratings beside its games."""
    when: Sequence[int]
    """Equal where nothing tells which game was first."""
    certain: bool
    """Whether the order follows from rounds and is not in doubt."""

    def people(self) -> list[int]:
        """Return who played, as they first appear."""
        pairs = zip(self.white, self.black, strict=True)
        return list(dict.fromkeys(p for pair in pairs for p in pair))

    def asked(self) -> EventQuery:
        """Return the event as a source of ratings sees it."""
        return EventQuery(
            people=self.people(),
            year=self.about["year"],
            start=self.about["start"],
            beside=self.beside,
            number_two=self.about["number_two"],
        )


def fingerprint(event: PlayedEvent, chosen: Chosen, names: Sequence[str], rules: AppRules) -> str:
    """Return a short hash of all that an event's record follows from."""
    people = event.people()
    place = {person: i for i, person in enumerate(people)}
    two = chosen.number_two
    words = [
        FORMAT,
        rules.parameters(),
        {c: str(v) for c, v in event.about.items() if c != "group"},
        [names[p] for p in people],
        [chosen.ratings.get(p) for p in people],
        chosen.source,
        two and [two.rating, two.player, two.source, two.among],
        chosen.error,
        event.certain,
        [when - event.when[0] for when in event.when],
    ]
    digest = hashlib.blake2b(digest_size=12)
    digest.update(json.dumps(words, ensure_ascii=False, sort_keys=True).encode(errors="replace"))
    for column in (event.white, event.black):
        digest.update(np.array([place[p] for p in column], dtype=np.int32).tobytes())
    digest.update(np.array(event.score, dtype=np.float64).tobytes())
    return digest.hexdigest()


_FACTS = ("event", "site", "year", "kind", "players", "games", "coverage")


def assess(
    event: PlayedEvent, chosen: Chosen, names: Sequence[str], rules: AppRules, *, key: str = ""
) -> EventRecord:
    """Run the app on one event."""
    about, two = event.about, chosen.number_two
    report, repaired = _run(_field(event, chosen, names), about["kind"], rules, two.rating if two else None)
    wild = _wild(report)
    fit = report.fit
    verdict: Verdict = "untested"
    if wild or report.strength is None:
        verdict = "unrated"
    elif fit is not None:
        verdict = "passed" if fit.passed else "failed"
    great = [s for s in report.standings if s.g_score is not None and s.g_score >= rules.least]
    kept = [] if wild else [s for s in great if s.games >= rules.fewest_games]
    facts: dict[str, Any] = {name: about[name] for name in _FACTS}
    facts |= {name: about[name] and str(about[name]) for name in ("start", "end")}
    return EventRecord(
        key=key,
        **facts,
        ratings=chosen.source,
        rated=len(chosen.ratings),
        number_two=two.rating if two else None,
        number_two_player=two.player if two else None,
        number_two_source=two.source if two else None,
        number_two_among=two.among if two else None,
        rating_error=chosen.error,
        strength=None if wild else report.strength,
        r=fit.r if fit else None,
        chi_square=fit.chi_square if fit else None,
        critical=fit.critical if fit else None,
        lower=fit.lower if fit else None,
        flipped=bool(fit and fit.flipped),
        order_effect=report.order_effect,
        verdict=verdict,
        repaired=repaired,
        flagged=tuple((s.name, s.residual or 0.0) for s in report.standings if s.flag == "LR"),
        reasons=(wild,) if wild else tuple(_reasons(event, report, chosen, verdict)),
        performances=tuple(sorted((_performance(s, chosen.error) for s in kept), key=lambda p: -p.g_score)),
    )


def _field(event: PlayedEvent, chosen: Chosen, names: Sequence[str]) -> PlainEvent:
    people = event.people()
    place = {person: i for i, person in enumerate(people)}
    white, black = [place[p] for p in event.white], [place[p] for p in event.black]
    points = [0.0] * len(people)
    for i, j, S in zip(white, black, event.score, strict=True):
        points[i] += S
        points[j] += 1 - S
    return PlainEvent(
        name=event.about["event"],
        names=[names[p] for p in people],
        rows=people,
        ratings=[chosen.ratings.get(p) for p in people],
        points=points,
        white=white,
        black=black,
        score=event.score,
        rating_system=chosen.source,
        groups=event.when,
        by_round=event.certain,
    )


def _run(
    field: PlainEvent, kind: str, rules: AppRules, number_two: float | None
) -> tuple[AppReport, str | None]:
    """Return the report, and which repair it had."""
    conditions: Conditions = "knock-out" if kind == "knock-out" else "usual"
    report = report_on(field, number_two=number_two, conditions=conditions, shuffles=SHUFFLES)
    failed = report.fit is not None and not report.fit.passed
    if rules.repair == "none" or not failed or conditions == "knock-out":
        return report, None
    again = report_on(
        field,
        number_two=number_two,
        conditions="usual",
        repair=Repair(reason=AUTOMATIC, kind=rules.repair),
        shuffles=SHUFFLES,
    )
    return again, rules.repair


def _wild(report: AppReport) -> str:
    """Return why an estimator line cannot be believed: through few players it may go anywhere."""
    if report.number_two is None:
        return ""
    for s in report.standings:
        moved = s.rating is not None and s.rating != s.rating_given
        if moved and not 0 < (s.rating or 0.0) <= report.number_two + GAP:
            return f"the estimator line is not plausible: it gives {s.name} {s.rating:.0f}"
    return ""


def _performance(standing: AppStanding, error: float | None) -> AssessedPerformance:
    G, met = standing.g_score or 0.0, standing.resistance or 0.0
    return AssessedPerformance(
        player=standing.name,
        rating=standing.rating,
        estimated=standing.rating_given is None,
        games=standing.games,
        score=standing.points,
        p_zero=standing.p_zero or 0.0,
        performance=standing.performance,
        g_score=G,
        g_error=None if error is None or met <= 0 else abs(G) * resistance_error(met, error) / met,
        category=standing.g_category,
    )


def resistance_error(met: float, error: float) -> float:
    """Return by how much an error of the ratings moves a resistance, on average of up and down.

    ``(f(r + e/2800) − f(r − e/2800)) / 2`` where f(r) is the resistance met [PRA (36)]. Not f′: f has a
    corner where an opponent stands beside number two, and its slope falls there from 3.6 to 1.

    Examples
    --------
    >>> [round(resistance_error(met, 28), 4) for met in (0.05, 0.5, 1.0, 1.01)]
    [0.002, 0.024, 0.0228, 0.01]
    """
    r = met / 0.2 if met <= 0.1 else met if met > 1 else 0.5 + math.sqrt((met - 0.1) / 3.6)
    e = error / STANDARD
    return (calibrated(r + e) - calibrated(r - e)) / 2


def _reasons(event: PlayedEvent, report: AppReport, chosen: Chosen, verdict: Verdict) -> list[str]:
    """Return why a person should look, worst first."""
    about, fit = event.about, report.fit
    result = []
    if verdict == "unrated":
        result.append(_unrated(report, chosen, about["players"]))
    if fit is not None and not fit.passed:
        result.append(f"the ratings do not fit: χ² {fit.chi_square:.1f} above {fit.critical:.1f}")
        out = [f"{s.name} {s.residual:+.0f}" for s in report.standings if s.flag == "LR"]
        if out:
            result.append(f"out of spec: {some(out, NAMED)}")
        if fit.flipped:
            result.append(f"the line falls (r {fit.r:.2f}): it was turned round")
    if fit is not None and fit.low_warning and not report.moved_to_the_line:
        result.append(
            f"fits closely, as honest close fields usually do: χ² {fit.chi_square:.1f} below {fit.lower:.1f}"
        )
    if about["kind"] == "knock-out" and fit is not None and not fit.passed:
        result.append("a knock-out: not repaired, ranked by G")
    if about["kind"] not in ("match", "knock-out") and about["coverage"] < WHOLE:
        result.append(f"not all games are here: {about['coverage']:.0%} of the longest score")
    return result


def _unrated(report: AppReport, chosen: Chosen, players: int) -> str:
    if chosen.number_two is None and len(chosen.ratings) == players:
        return "no number two is known for that time"
    if not chosen.ratings:
        return "no ratings are known"
    known = f"ratings of {len(chosen.ratings)} of {players} players are known"
    if len(chosen.ratings) < RATED:
        return f"{known}: too few to estimate the others from a line"
    why = next((n for n in report.notes if n.startswith("no estimator line")), "")
    return f"{known}; {why or 'no number two is known'}"


# How the Tournament App is run on every event of many.

ENOUGH = 0.4
"""The share of the players whom a source of ratings must know. Ours: the text filled in 8 of 15."""
HIGHEST = 10_000.0
"""Points above which nothing is a rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppRules:
    """Settings of the Tournament App for every event.

    repair: What is done where the fit fails: nothing, or what the text calls the automatic adjustment.
        Knock-outs are never repaired.
    least: G-scores below are not kept.
    fewest_games: Of a player whose G-score is kept.
    enough: The share of the players whom a source of ratings must know.
    number_two: One rating for all events.
    number_twos: Ratings by year; they go before the sources' own.
    """

    repair: Literal["none", "adjusted", "corrected"] = "none"
    least: float = LISTED
    fewest_games: int = 6
    enough: float = ENOUGH
    number_two: float | None = None
    number_twos: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.repair not in ("none", "adjusted", "corrected"):
            raise UsageError(f"expected a repair, none, adjusted or corrected, found {self.repair!r}")
        if not 0 < self.enough <= 1:
            raise UsageError(f"expected a share above 0 and up to 1, found {self.enough!r}")
        for value in (self.number_two, *self.number_twos.values()):
            if value is not None and not 0 < value < HIGHEST:
                raise UsageError(f"expected the rating of the world's number two, found {value!r}")

    def parameters(self) -> dict[str, object]:
        """Return the settings that an event's figures follow from; number two stands among these itself."""
        own = {"repair": self.repair, "least": self.least, "min_games": self.fewest_games}
        return {**own, "enough": self.enough}


# Which figures of a greatness run are to be read with caution, and why.
#
# A caution is no verdict: the figure keeps its rank, and a mark.

FEW = 10
"""Active players whom the ratings know at a time; with fewer, number two says little. Ours: our own curves know
two to nine before 1873, eleven in 1876, thirty in 1900."""
HALF = 0.5
"""The share of the field that has ratings of its own; with less, the estimator line makes the field. Ours."""
ORDER = 0.05
"""The share of a P-Zero score, and so of G, by which another order of the games moves it at most. Ours."""
CAUTIONS = {
    "few": f"number two is the second of fewer than {FEW} players who have ratings at that time",
    "line": "less than half of the field has ratings; the others are estimated from the line through these",
    "order": f"the order of the games is not known, and another one moves G by more than {ORDER:.0%}",
}
"""Meaning of each mark."""


def caution(event: EventRecord, performance: AssessedPerformance | None = None) -> str:
    """Return the marks of an event's strength, or of one performance in it, with commas; empty for none."""
    result = []
    if event.number_two_among is not None and event.number_two_among < FEW:
        result.append("few")
    if event.rated < HALF * event.players:
        result.append("line")
    moved = event.order_effect or 0.0
    if performance is not None and moved > ORDER * abs(performance.p_zero):
        result.append("order")
    return ", ".join(result)
