"""Chances of norms and titles, by strength and activity."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.match import score_distribution
from arpad.event.norms.fide1986 import FEWEST_GAMES, FEWEST_NORMS, NORMS, YEARS, Title, points_needed
from arpad.event.norms.uscf import FEWEST_GAMES as USCF_FEWEST_GAMES
from arpad.event.norms.uscf import MOST_AT_ONCE, NormSchedule, thresholds, title_called
from arpad.event.performance import reliability
from arpad.model import Result
from arpad.scale import Logistic, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.event.norms.uscf import UscfTitle
    from arpad.scale import Curve


# How likely a title is, by strength and activity [Elo 4.32, 4.72, 4.74].


def performance_chance(strength: float, norm: float, games: int) -> float:
    """Return the chance of a performance at or above a norm in one event.

    Performances scatter normally around the strength with σ = C√2 / √N, that of table 2.55.

    >>> round(performance_chance(2500, 2600, 11), 3)
    0.12
    """
    if not (math.isfinite(strength) and math.isfinite(norm)):
        raise UsageError(f"expected a strength and a norm in points, found {strength!r}, {norm!r}")
    z = (norm - strength) / reliability(games).sigma_rating
    return 0.5 * math.erfc(z / math.sqrt(2))


def score_chance(
    title: Title,
    strength: float,
    average: float,
    games: int,
    *,
    draw: float = 0.0,
    curve: Curve | None = None,
) -> float | None:
    """Return the chance of the score that the chart asks for; None where it has no such result.

    Every opponent is taken as average; R_c follows from R_a as in (5), the player being one of M. The
    chart asks for whole half-points, and for the lowest average of a category only, so that this differs
    from `performance_chance`.

    average: R_a of the round robin, the player included.
    draw: The share of drawn games; more draws, less chance of an exceptional score.
    """
    needed = points_needed(title, average, games)
    if needed is None:
        return None
    M = games + 1
    p = float((curve or Table()).expected((strength - average) * M / (M - 1)))
    if not 0 <= draw <= 2 * min(p, 1 - p) + 1e-12:
        raise UsageError(
            f"expected a share of draws from 0 to {2 * min(p, 1 - p):.2f} at an expected score of {p:.2f}, "
            f"found {draw}"
        )
    scores = score_distribution(games, p - draw / 2, draw)
    return math.fsum(chance for score, chance in scores.items() if score >= needed)


def norms_required(games: int) -> int:
    """Return how many results of this many games a title needs: two or more, 24 games together [4.32].

    >>> norms_required(9), norms_required(11), norms_required(12)
    (3, 3, 2)
    """
    if games < 1:
        raise UsageError(f"expected at least one game, found {games}")
    return max(FEWEST_NORMS, -(-FEWEST_GAMES // games))


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleOdds:
    """The prospects of a player of given strength and activity within five years."""

    title: Title
    strength: float
    events_a_year: float
    games: int
    """Games of each event."""
    norm_chance: float
    """Of one event."""
    expected_norms: float
    required: int
    chance: float
    """Of at least as many as are required."""

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.title} at {self.strength:.0f}, {self.events_a_year:g} events of {self.games} games a year: "
            f"{self.expected_norms:.1f} results in {YEARS} years, {self.required} needed, chance {self.chance:.2f}"
        )


def title_odds(
    title: Title, strength: float, events_a_year: float, *, games: int = 11, years: float = YEARS
) -> TitleOdds:
    """Return the odds of a title within five years.

    Each event gives a result with the same chance, independently; the number of results is binomial.
    Minimum ratings, composition of the events and change of strength are left out.

    >>> title_odds("GM", 2500, 4).summary()
    'GM at 2500, 4 events of 11 games a year: 2.4 results in 5 years, 3 needed, chance 0.44'
    """
    events = round(events_a_year * years)
    if events < 1:
        raise UsageError(f"expected at least one event, found {events_a_year} a year in {years} years")
    p, required = performance_chance(strength, NORMS[title], games), norms_required(games)
    return TitleOdds(
        title=title,
        strength=strength,
        events_a_year=events_a_year,
        games=games,
        norm_chance=p,
        expected_norms=events * p,
        required=required,
        chance=_absorbed(np.array([1 - p, p]), required, events)[-1],
    )


def strength_for(
    title: Title, events_a_year: float, *, chance: float = 0.5, games: int = 11, years: float = YEARS
) -> float | None:
    """Return the strength at which a title has that chance; None where too few events are played."""
    if not 0 < chance < 1:
        raise UsageError(f"expected a chance between 0 and 1, found {chance!r}")

    from scipy.optimize import brentq

    def surplus(strength: float) -> float:
        return title_odds(title, strength, events_a_year, games=games, years=years).chance - chance

    low, high = NORMS[title] - 2000, NORMS[title] + 2000
    return float(brentq(surplus, low, high, xtol=1e-6)) if surplus(high) >= 0 else None


def odds_by_activity(
    title: Title,
    strengths: Sequence[float],
    activities: Sequence[float],
    *,
    games: int = 11,
    years: float = YEARS,
) -> pl.DataFrame:
    """Return the chance of a title for each strength (rows) and number of events a year (columns)."""
    return pl.DataFrame(
        {
            "strength": strength,
            **{
                f"{a:g} a year": title_odds(title, strength, a, games=games, years=years).chance
                for a in activities
            },
        }
        for strength in strengths
    )


# How likely a USCF norm is in one event, for a player of any strength [USCF 1994, 2.2].

OddsModel = Literal["exact", "normal"]
"""exact: every score with its probability; normal: as the report, a normal score, not in half-points."""
MOST_GAMES = 1000
"""Games of the longest event that is worked out, to keep a slip of the finger from taking for ever."""


def score_chances(strength: float, opponents: Sequence[float], *, draws: float = 0.0) -> dict[float, float]:
    """Return the probability of each score against opponents of any ratings, game by game.

    draws: The share r of drawn games between equals. Against others r · 2 min(p, 1 − p) of the games are
        drawn, p being the expected score, which stays what it is.

    >>> chances = score_chances(2000, [2000] * 4)
    >>> [round(16 * p) for p in chances.values()]
    [1, 4, 6, 4, 1]
    """
    whole = np.ones(1)
    for p in _expected_each(strength, opponents, draws):
        half = _drawn(p, draws) / 2
        # half-points 0, ½, 1; neither end may fall below 0 by rounding
        whole = np.convolve(whole, [max(1 - p - half, 0.0), 2 * half, max(p - half, 0.0)])
    return {i / 2: float(chance) for i, chance in enumerate(whole) if chance > 0}


def _expected_each(strength: float, opponents: Sequence[float], draws: float) -> list[float]:
    if not 1 <= len(opponents) <= MOST_GAMES:
        raise UsageError(f"expected 1 to {MOST_GAMES:,} opponents, found {len(opponents)}")
    if not all(math.isfinite(rating) for rating in (strength, *opponents)):
        raise UsageError(f"expected ratings, found {strength!r} against {list(opponents)!r}")
    if not 0 <= draws <= 1:
        raise UsageError(f"expected a share of draws from 0 to 1, found {draws!r}")
    curve = Logistic()
    return [float(curve.expected(strength - rating)) for rating in opponents]


def _drawn(p: float, draws: float) -> float:
    return draws * 2 * min(p, 1 - p)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormChances(Result):
    """Chances of a player to earn norms in one event."""

    title: str
    level: int
    strength: float
    opponents: tuple[float, ...]
    at_least: tuple[float, ...]
    """The probability of one norm or more, of two or more, … of five, which are the title at once."""
    parameters: dict[str, object]

    @property
    def one(self) -> float:
        """The probability of at least one norm."""
        return self.at_least[0]

    @property
    def exactly(self) -> tuple[float, ...]:
        """The probability of no norm, of just one, … of five."""
        steps = (1.0, *self.at_least, 0.0)
        return tuple(max(a - b, 0.0) for a, b in itertools.pairwise(steps))

    @property
    def expected(self) -> float:
        """Norms to be expected of the event."""
        return math.fsum(self.at_least)

    def table(self) -> pl.DataFrame:
        """Return a row for no norm, one, … five: probability, and of this many or more."""
        return pl.DataFrame(
            {
                "norms": list(range(MOST_AT_ONCE + 1)),
                "probability": self.exactly,
                "or_more": (1.0, *self.at_least),
            }
        )

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.strength:g} in {len(self.opponents)} games: {percent(self.one)} for a norm ({self.title}), "
            f"{self.expected:.3g} norms to be expected ({self.parameters['model']})"
        )


def norm_chances(
    title: str | int | UscfTitle,
    strength: float,
    opponents: Sequence[float],
    *,
    draws: float = 0.0,
    model: OddsModel = "exact",
    schedule: NormSchedule | None = None,
) -> NormChances:
    """Return how likely a player of some strength is to earn norms toward a title in one event.

    title: A title, its name or its level.
    strength: What the player's results follow, whatever the rating.
    model: normal: the score has mean Σp and variance Σ(p(1 − p) − r/4), r being draws; and need not be a
        half-point. The odds that the report quotes for Y − 100 and Y − 200 are of this kind, without draws.

    >>> norm_chances(2000, 2000, [2000] * 4).at_least[:2]
    (0.3125, 0.0625)
    >>> round(norm_chances(2000, 1900, [2000] * 4, model="normal").one, 3)
    0.111
    """
    result, chosen = title_called(title), schedule or NormSchedule()
    if model not in get_args(OddsModel):
        raise UsageError(f"expected a model, one of {', '.join(get_args(OddsModel))}; found {model!r}")
    games = len(opponents)
    each = _expected_each(strength, opponents, draws)
    limits = thresholds(opponents, result.level, chosen)
    if games < USCF_FEWEST_GAMES:
        at_least = (0.0,) * MOST_AT_ONCE
    elif model == "normal":
        at_least = _normal(each, draws, limits)
    else:
        scores = score_chances(strength, opponents, draws=draws)
        at_least = tuple(math.fsum(p for score, p in scores.items() if score > limit) for limit in limits)
    return NormChances(
        title=result.name,
        level=result.level,
        strength=strength,
        opponents=tuple(opponents),
        at_least=at_least,
        parameters={"model": model, "draws": draws, **chosen.parameters()},
    )


def _normal(each: list[float], draws: float, limits: Sequence[float]) -> tuple[float, ...]:
    mean = math.fsum(each)
    variance = math.fsum(p * (1 - p) - _drawn(p, draws) / 4 for p in each)
    above = [limit - mean for limit in limits]
    if variance <= 0:
        return tuple(float(x < 0) for x in above)
    return tuple(0.5 * math.erfc(x / math.sqrt(2 * variance)) for x in above)


def percent(chance: float) -> str:
    """Return a probability in words: per cent, or a power of ten where it is tiny."""
    return f"{chance:.1%}" if chance >= 0.0005 or chance == 0 else f"{chance:.1e}"


# How likely a USCF title is within some events, and how long it takes [USCF 1994, 2.2, 2.6 item 1].

MOST_EVENTS = 10_000
"""Events that are followed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfTitleOdds(Result):
    """Chance of a title within some equal events."""

    title: str
    needed: int
    """Norms that are still to be earned."""
    events: int
    by_event: tuple[float, ...]
    """The probability of holding the title after one event, after two, …"""
    expected_events: float | None
    """Events until the title, on average; None where no norm is possible."""
    event: NormChances
    """The odds of each event."""
    parameters: dict[str, object]

    @property
    def chance(self) -> float:
        """The probability within all the events."""
        return self.by_event[-1]

    def table(self) -> pl.DataFrame:
        """Return a row an event: its number, the probability of the title by then."""
        return pl.DataFrame({"events": range(1, self.events + 1), "probability": self.by_event})

    def to_dict(self) -> dict[str, Any]:
        """Return every figure, those of one event too."""
        own = ("events", "needed", "chance", "by_event", "expected_events", "parameters")
        return {
            "title": self.title,
            "strength": self.event.strength,
            "opponents": list(self.event.opponents),
            "norm": self.event.one,
            "norms": self.event.table().to_dicts(),
            "expected_norms": self.event.expected,
            **{name: getattr(self, name) for name in own},
            "by_event": list(self.by_event),
        }

    def summary(self) -> str:
        """Return one sentence."""
        length = "never" if self.expected_events is None else f"{self.expected_events:,.4g} on average"
        return (
            f"{self.event.strength:g}: {percent(self.chance)} for {self.title} within {self.events} events of "
            f"{len(self.event.opponents)} games; events until then: {length}"
        )


def uscf_title_odds(
    title: str | int | UscfTitle,
    strength: float,
    opponents: Sequence[float],
    *,
    events: int = 10,
    norms: int = 0,
    several: bool = True,
    draws: float = 0.0,
    model: OddsModel = "exact",
    schedule: NormSchedule | None = None,
) -> UscfTitleOdds:
    """Return how likely a title is within this many events, each against opponents as given.

    Events are independent and the strength stays. Nothing is drawn at random: the number of norms is
    followed event by event.

    norms: Norms that the player has already.
    several: Whether an event can earn several norms, as the rules have it; False: one at most, as the
        report's own odds have it.

    >>> odds = uscf_title_odds(2000, 1800, [2000] * 4, model="normal", several=False)
    >>> f"{odds.chance:.0e}"
    '3e-06'
    """
    result = title_called(title)
    one = norm_chances(result, strength, opponents, draws=draws, model=model, schedule=schedule)
    if not 1 <= events <= MOST_EVENTS:
        raise UsageError(f"expected 1 to {MOST_EVENTS:,} events, found {events}")
    if not 0 <= norms < result.norms:
        raise UsageError(
            f"expected 0 to {result.norms - 1} norms so far, found {norms}: {result.norms} are the {result.name} title"
        )
    step = np.array(one.exactly if several else (1 - one.one, one.one))
    needed = result.norms - norms
    return UscfTitleOdds(
        title=result.name,
        needed=needed,
        events=events,
        by_event=_absorbed(step, needed, events),
        expected_events=_expected_events(step, needed),
        event=one,
        parameters={**one.parameters, "several": several, "norms": norms},
    )


def _absorbed(step: NDArray[np.float64], needed: int, events: int) -> tuple[float, ...]:
    """Follow the number of norms; a player who has enough stays there, so that tiny chances keep their digits."""
    state, done, result = np.zeros(needed), 0.0, []
    state[0] = 1.0
    for _ in range(events):
        after = np.convolve(state, step)
        done += float(after[needed:].sum())
        state = after[:needed]
        result.append(min(done, 1.0))
    return tuple(result)


def _expected_events(step: NDArray[np.float64], needed: int) -> float | None:
    """Solve h(j) = 1 + Σ_k P(k) h(j − k), norms missing: j, from the end."""
    some = float(step[1:].sum())
    if some <= 0:
        return None
    h = [0.0] * (needed + 1)
    for j in range(1, needed + 1):
        h[j] = (1 + sum(float(p) * h[max(j - k, 0)] for k, p in enumerate(step) if k)) / some
    return h[needed]
