"""Is this play surprising for its rating? Z-scores of match rate and average error, and their populations."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl
from scipy.optimize import brentq
from scipy.stats import norm

from arpad.errors import ArpadError, InputError, UsageError
from arpad.model import Result
from arpad.moves.ipr.calibration import ACTUAL_ERROR, ACTUAL_MATCH, SIGMAS, by_games
from arpad.moves.ipr.kernels import moments
from arpad.moves.ipr.model import project
from arpad.moves.ipr.rating import estimated, same_settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from arpad.model import Games
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.decisions import Decisions
    from arpad.moves.ipr.model import ChoiceFit, MoveChoices
    from arpad.moves.strength.posterior import Posterior


ENDS = ("low_actual", "high_actual", "low_players", "high_players")
GROUPS = {
    "group": pl.String,
    **dict.fromkeys(("players", "games", "moves"), pl.Int64),
    **dict.fromkeys(("mm", "ae", "ipr", "low", "high", *ENDS, "elo", "ipr_minus_elo"), pl.Float64),
    "note": pl.String,
}
PAIRS = {
    **dict.fromkeys(("first", "second"), pl.String),
    **dict.fromkeys(("ipr_difference", *ENDS, "elo_difference", "beyond_elo", "z"), pl.Float64),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRating:
    """One group as one player. `elo` is the mean rating over the moves; `sigma` is in Elo, as projected; `sigma_players` from how players differ."""

    group: str
    players: int
    games: int
    moves: int
    mm: float
    ae: float
    ipr: float | None
    sigma: float | None
    sigma_players: float | None
    elo: float | None
    note: str = ""

    def row(self) -> dict[str, object]:
        """Return the columns of `GROUPS`."""
        less = None if self.ipr is None or self.elo is None else self.ipr - self.elo
        row = asdict(self) | {"note": self.note or None, "ipr_minus_elo": less}
        return _columns(row | _intervals(self.ipr, self.sigma, self.sigma_players), GROUPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first group minus the second, in Elo.

    `beyond_elo` is what is left after the difference of their ratings: above 0, the first is the better for the same rating. `z` is
    that in standard errors, players counted; None where there are no ratings or one player only.
    """

    first: str
    second: str
    ipr_difference: float
    sigma: float
    sigma_players: float | None
    elo_difference: float | None

    @property
    def beyond_elo(self) -> float | None:
        """The difference of the moves less that of the ratings."""
        return None if self.elo_difference is None else self.ipr_difference - self.elo_difference

    @property
    def z(self) -> float | None:
        """`beyond_elo` in standard errors."""
        if self.beyond_elo is None or not self.sigma_players:
            return None
        return self.beyond_elo / max(self.sigma_players, ACTUAL_ERROR * self.sigma)

    def row(self) -> dict[str, object]:
        """Return the columns of `PAIRS`."""
        row = asdict(self) | {"beyond_elo": self.beyond_elo, "z": self.z}
        return _columns(row | _intervals(self.ipr_difference, self.sigma, self.sigma_players), PAIRS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Populations(Result):
    """The groups, most moves first, and the difference of every two."""

    groups: tuple[GroupRating, ...]
    differences: tuple[Difference, ...]
    ungrouped: int
    """Moves of players who belong to no group."""
    calibration: str
    parameters: Mapping[str, object]

    def table(self) -> pl.DataFrame:
        """Return a row a group."""
        return pl.DataFrame([g.row() for g in self.groups], schema=GROUPS)

    def pairs(self) -> pl.DataFrame:
        """Return a row for every two groups."""
        return pl.DataFrame([d.row() for d in self.differences], schema=PAIRS)

    def summary(self) -> str:
        """Return one sentence on the first two groups."""
        if not self.differences:
            return "no two groups can be compared: too few moves"
        d = self.differences[0]
        row = d.row()
        players = (
            ""
            if d.sigma_players is None
            else f", with the players drawn {row['low_players']:+.0f} to {row['high_players']:+.0f}"
        )
        rated = "" if d.elo_difference is None else f"; their ratings differ by {d.elo_difference:+.0f}"
        return (
            f"{d.first} − {d.second}: {d.ipr_difference:+.0f} points of IPR "
            f"({row['low_actual']:+.0f} to {row['high_actual']:+.0f} for the moves{players}){rated}"
        )


def compare_populations(
    decisions: Decisions, groups: pl.Series, calibration: Calibration, *, only: Sequence[str] = ()
) -> Populations:
    """Rate each group as one player, and compare every two.

    Parameters
    ----------
    groups
        The group of each row of `decisions.rows`; null: of none.
    only
        These groups, in this order; all of them by default, most moves first.
    """
    same_settings(calibration, decisions.engine)
    known = groups.drop_nulls()
    counted = known.value_counts(sort=True)
    names = list(only) or [str(name) for name in counted.to_series(0)]
    missing = [name for name in names if not (known == name).any()]
    if missing or len(names) < 2:
        there = ", ".join(map(str, counted.to_series(0).head(8))) or "none"
        what = f"no move of {', '.join(missing)}" if missing else str(len(names))
        raise InputError(f"expected two groups or more, found {what}; there are {there}")
    result = tuple(_population(decisions.where(groups == name), name, calibration) for name in names)
    return Populations(
        groups=result,
        differences=tuple(d for a, b in combinations(result, 2) if (d := _difference(a, b)) is not None),
        ungrouped=int(groups.is_null().sum() if not only else len(groups) - sum(g.moves for g in result)),
        calibration=calibration.name,
        parameters={"sigmas": SIGMAS, "actual": ACTUAL_ERROR, "method": calibration.method},
    )


def _population(decisions: Decisions, name: str, calibration: Calibration) -> GroupRating:
    rows, choices = decisions.rows, decisions.choices
    result = estimated(choices, calibration)
    rated = result.rating
    players = rows["player"].n_unique()
    slope = calibration.line.slope
    elo = rows["rating"].mean()
    return GroupRating(
        group=name,
        players=players,
        games=rows["game"].n_unique(),
        moves=len(decisions),
        mm=result.match_rate,
        ae=result.error,
        ipr=None if rated is None else rated.ipr,
        # The line's own error is common to the groups.
        sigma=None if rated is None else _of_moves((rated.high - rated.low) / (2 * SIGMAS), rated.line_sigma),
        sigma_players=None if rated is None or players < 2 else slope * _drawn(decisions, rated.fit),
        elo=None if elo is None else float(elo),  # type: ignore[arg-type]
        note=result.note,
    )


def _of_moves(sigma: float, line_sigma: float) -> float:
    return math.sqrt(max(sigma**2 - line_sigma**2, 0.0))


def _drawn(decisions: Decisions, fit: ChoiceFit) -> float:
    """Return the standard error of the mean error with the players as what was drawn, how hard their positions were taken away."""
    choices = decisions.choices
    expected = moments(choices.delta, choices.count, fit.s, fit.c)[:, 1]
    return by_games(choices.loss - expected, decisions.rows["player"].to_numpy())


def _difference(first: GroupRating, second: GroupRating) -> Difference | None:
    if first.ipr is None or second.ipr is None:
        return None
    assert first.sigma is not None
    assert second.sigma is not None
    drawn = (first.sigma_players, second.sigma_players)
    elos = (first.elo, second.elo)
    return Difference(
        first=first.group,
        second=second.group,
        ipr_difference=first.ipr - second.ipr,
        sigma=math.hypot(first.sigma, second.sigma),
        sigma_players=None if None in drawn else math.hypot(*drawn),  # type: ignore[arg-type]
        elo_difference=None if None in elos else elos[0] - elos[1],  # type: ignore[operator]
    )


def _intervals(middle: float | None, sigma: float | None, players: float | None) -> dict[str, float]:
    """Return the ends of ±2σ: as projected, as trials found it, and with the players as what was drawn."""
    widths = {"": sigma, "_actual": sigma and ACTUAL_ERROR * sigma, "_players": players}
    return {
        f"{end}{name}": middle + sign * SIGMAS * width
        for name, width in widths.items()
        for end, sign in (("low", -1), ("high", 1))
        if middle is not None and width is not None
    }


def _columns(row: Mapping[str, object], schema: Iterable[str]) -> dict[str, object]:
    return {name: row.get(name) for name in schema}


# Is this play surprising for its rating? Z-scores of match rate and average error against the projection.
#
# A z-score says how unusual moves are for a rating, and nothing about why: a good week, a well prepared opening, a rating that
# lags behind a rising player look the same. Unusual things happen when many are looked at, so the odds
# against chance are given together with the number of performances among which one such is expected.

PRIOR = 10_000.0
"""One performance in this many is thought to deserve a closer look before anything is measured, if nothing else is said."""
RATING_ERROR = 60.0
"""The standard error of a rating: how far the strength of a player who plays as always may be from it, in points."""
FALSE_ALARMS = (
    "Measured in 15,722 sets of 1 to 20 from 392 unseen games of players at their rating: mean z +.03, "
    "1 in 70 at 2 or more, none at 3.5 or more"
)
"""How often the posterior's z-score is high by chance; docs/methods/ipr.md has the table."""
UNUSUAL = 2.0
"""The z-score from which play is called unusual."""
SMALLEST, LARGEST = 1e-4, 20.0
"""Between which s is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One measure: what was seen and expected; `multiplier` widens the projected `sigma`."""

    seen: float
    expected: float
    sigma: float
    multiplier: float

    @property
    def z(self) -> float:
        """How far what was seen lies above what was expected, in standard deviations."""
        return (self.seen - self.expected) / (self.sigma * self.multiplier)

    def row(self, name: str) -> dict[str, float]:
        """Return the figures by the names of columns."""
        return {name: self.seen, f"{name}_expected": self.expected, f"{name}_sigma": self.sigma}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """Both z-scores of a performance, and what they can and cannot show."""

    rating: float
    moves: int
    s: float
    c: float
    match: Score
    error: Score
    prior: float
    calibration: str
    z_strength: float | None = None
    """The same by the posterior over strengths, where the moves were also searched for that; it counts alone then."""

    @property
    def z_match(self) -> float:
        """The z-score of the match rate; above 0: better than expected."""
        return self.match.z

    @property
    def z_error(self) -> float:
        """The z-score of the average error; above 0: better than expected."""
        return -self.error.z

    @property
    def best(self) -> float:
        """The z-score that counts: that of the posterior, or the better one of the paper's measures."""
        return max(self.z_match, self.z_error) if self.z_strength is None else self.z_strength

    @property
    def one_in(self) -> float:
        """Among how many performances at this rating one is expected by chance that is as good as this one.

        Two measures have two chances: the tail counts twice, which is the most it can be.
        """
        chances = MEASURES if self.z_strength is None else 1
        tail = min(chances * float(norm.sf(self.best)), 1.0)
        return math.inf if tail == 0 else 1.0 / tail

    @property
    def expected_by_chance(self) -> float:
        """Number of such performances by chance for each one that the prior expects."""
        return self.prior / self.one_in

    def verdict(self) -> str:
        """Return what the numbers say, in one or two sentences."""
        if self.best < UNUSUAL:
            return f"Nothing here is unusual for a rating of {self.rating:.0f}."
        chance = self.expected_by_chance
        return (
            f"Play this close to the engine's is expected of a {self.rating:.0f} player about once in "
            f"{_round(self.one_in)} performances. If one performance in {self.prior:,.0f} has a cause other than chance, about "
            f"{chance:,.2g} by chance stand beside it."
        )

    def words(self) -> str:
        """Return what the numbers say, and a caution."""
        return (
            f"{self.verdict()} The numbers compare moves with an engine's; they cannot tell form, preparation, a "
            "rating that lags behind, or a choice of games from anything else, and they prove nothing alone."
        )


def skill_of(
    rating: float, calibration: Calibration, *, positions: MoveChoices | None = None
) -> tuple[float, float]:
    """Return the (s, c) of a rating: c from the artery, s so that the line gives the rating back.

    Parameters
    ----------
    positions
        What errors are projected on where the calibration has no reference of its own.
    """
    standing = calibration.reference if positions is None else calibration.standing(positions)
    c = calibration.artery.c(rating)
    aim = calibration.line.error(rating)
    if not (c > 0 and aim > 0):
        raise UsageError(f"a rating of {rating:.0f} lies outside the range of the calibration")

    def miss(log_s: float) -> float:
        return project(standing, math.exp(log_s), c).error - aim

    low, high = math.log(SMALLEST), math.log(LARGEST)
    if miss(low) > 0 or miss(high) < 0:
        raise UsageError(f"a rating of {rating:.0f} lies outside the range of the calibration")
    return math.exp(brentq(miss, low, high, xtol=1e-8)), c


def surprise(
    choices: MoveChoices,
    rating: float,
    calibration: Calibration,
    *,
    prior: float = PRIOR,
    skill: tuple[float, float] | None = None,
    shift: float = 0.0,
) -> Surprise:
    """Compare the moves played with what a player of this rating is projected to play in the same positions.

    Parameters
    ----------
    prior
        One performance in how many is thought to deserve a look, before anything is measured.
    skill
        The (s, c) of the rating, where `skill_of` has found it already.
    shift
        By how much the line is moved for the years of these moves.
    """
    if not prior >= 1:
        raise UsageError(f"expected prior odds of one in 1 or more, found one in {prior!r}")
    s, c = skill or skill_of(rating - shift, calibration, positions=choices)
    at = project(choices, s, c)
    match = Score(
        seen=choices.match_rate, expected=at.match_rate, sigma=at.match_sigma, multiplier=ACTUAL_MATCH
    )
    error = Score(seen=choices.scaled_error, expected=at.error, sigma=at.error_sigma, multiplier=ACTUAL_ERROR)
    return Surprise(
        rating=rating,
        moves=len(choices),
        s=s,
        c=c,
        match=match,
        error=error,
        prior=prior,
        calibration=calibration.name,
    )


def strength_z(posterior: Posterior, rating: float, *, error: float = RATING_ERROR) -> float:
    """Return how far the strength that moves show is above a rating, as a z-score: the normal quantile of its probability.

    Examples
    --------
    >>> from arpad.moves.strength import Posterior, Prior
    >>> shown = Posterior.of(Prior(rating=2200, error=80).log_density)
    >>> round(strength_z(shown, 2000), 2)  # 200 points in √(80² + 60²)
    2.0
    """
    from arpad.moves.strength.posterior import GRID

    below = float(posterior.probability @ norm.cdf((rating - GRID) / error))
    return float(norm.isf(min(max(below, 1e-15), 1 - 1e-15)))


def _round(number: float) -> str:
    """Return a number as people say it: two figures."""
    if math.isinf(number):
        return "more than can be counted"
    digits = max(len(str(int(number))) - 2, 0)
    return f"{round(number, -digits):,.0f}"


# Performances tested: the z-scores of each player, and how many were looked at.

LEAST_MOVES = 20
"""Moves below which no z-score is given: its normal curve would be a fiction."""
MEASURES = 2
"""Match rate and average error; the posterior over strengths is one measure instead of them."""
CAUTION = (
    "A z-score says how far the moves are from what the rating lets expect, and nothing about why: form, preparation, a rating that "
    "lags behind a rising player, easy positions, or games that were picked because they looked good, all show in the same way. "
    "No number here proves anything alone; it can say where a closer look by people who know the games may be worth their time."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """One player's performance; `surprise` is None where there is too little to go by, and `note` says why.

    `cautious` is the same test at a rating that is higher by two standard errors of the calibration's line. `strength`
    is what the moves show by `arpad.strength`, where they were searched for that.
    """

    name: str
    games: int
    moves: int
    rating: float | None
    surprise: Surprise | None
    cautious: Surprise | None
    line_sigma: float | None
    note: str = ""
    strength: Posterior | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Performances(Result):
    """All that were looked at, in the order of the file."""

    tested: tuple[Tested, ...]
    prior: float
    calibration: Calibration

    @property
    def looked_at(self) -> int:
        """Number of performances with z-scores."""
        return sum(t.surprise is not None for t in self.tested)

    @property
    def measures(self) -> int:
        """Number of measures of each performance: the posterior, or the paper's two."""
        return 1 if any(t.strength is not None for t in self.tested) else MEASURES

    @property
    def highest_by_chance(self) -> float:
        """The z-score that the highest of all reaches by chance in one of two such tables."""
        return float(norm.isf(1 - 0.5 ** (1 / max(self.measures * self.looked_at, 1))))

    @property
    def one_unusual_by_chance(self) -> float:
        """The chance that at least one z-score reaches 2 though everybody plays at their rating."""
        return float(1 - norm.cdf(UNUSUAL) ** (self.measures * self.looked_at))

    def multiplicity(self) -> str:
        """Say how many were looked at, and what that does."""
        n = self.looked_at
        many = "1 performance" if n == 1 else f"{n:,} performances"
        return (
            f"{many} of {self.measures} measure{'s' if self.measures > 1 else ''} each looked at: if everybody plays at their rating, at least one z-score of {UNUSUAL:g} or more turns up "
            f"with a chance of {100 * self.one_unusual_by_chance:.0f} %, and the highest of all is about {self.highest_by_chance:.1f}. A person who chose these games or players "
            "from more has looked at more."
        )

    def table(self) -> pl.DataFrame:
        """Return a row a player."""
        return pl.DataFrame([_row(t) for t in self.tested], schema=COLUMNS)

    def summary(self) -> str:
        """Return one sentence."""
        unusual = [t.name for t in self.tested if t.surprise is not None and t.surprise.best >= UNUSUAL]
        result = ", ".join(unusual) if unusual else "nobody"
        return f"z-scores of {UNUSUAL:g} or more: {result} ({self.looked_at:,} looked at; calibration {self.calibration.name!r})"


FIGURES = (
    *("rating", "mm", "mm_expected", "mm_sigma", "z_match", "ae", "ae_expected", "ae_sigma", "z_error"),
    *("one_in", "expected_by_chance", "s", "c", "line_sigma", "cautious_z_match", "cautious_z_error"),
    *("strength", "strength_low", "strength_high", "z_strength"),
)
"""`mm_sigma` and `ae_sigma` are as projected, before the multipliers."""
COLUMNS = {
    "player": pl.String,
    **dict.fromkeys(("games", "moves"), pl.Int64),
    **dict.fromkeys(FIGURES, pl.Float64),
    "note": pl.String,
}


def performances(
    decisions: Decisions,
    games: Games,
    calibration: Calibration,
    *,
    players: Collection[int] | None = None,
    rating: float | None = None,
    prior: float = PRIOR,
    strengths: Mapping[str, Posterior] | None = None,
) -> Performances:
    """Test the performance of each player against their rating in the file, or against the one given.

    Parameters
    ----------
    players
        Rows of `games.players`; None: everybody who moved.
    rating
        Instead of the file's; for one player only.
    strengths
        The posterior over strengths of each player's own moves, by name, from a prior that holds nothing back.
    """
    same_settings(calibration, decisions.engine)
    result = decisions.rows.select("player").unique(maintain_order=True)["player"].to_list()
    wanted = [p for p in result if players is None or p in players]
    if not wanted:
        raise InputError("expected moves that count, found none: the games may be too short")
    if rating is not None and len(wanted) > 1:
        names = ", ".join(str(games.players["name"][p]) for p in wanted[:5])
        raise UsageError(f"one rating for {len(wanted)} players ({names}): name one player")
    if not prior >= 1:
        raise UsageError(f"expected prior odds of one in 1 or more, found one in {prior!r}")
    return Performances(
        tested=tuple(
            _tested(decisions, games, calibration, p, rating, prior, strengths or {}) for p in wanted
        ),
        prior=prior,
        calibration=calibration,
    )


def _tested(
    decisions: Decisions,
    games: Games,
    calibration: Calibration,
    player: int,
    rating: float | None,
    prior: float,
    strengths: Mapping[str, Posterior],
) -> Tested:
    name = str(games.players["name"][player])
    strength = strengths.get(name)
    own = decisions.where(decisions.rows["player"] == player)
    listed = own.rows["rating"].mean()
    at = rating if rating is not None else None if listed is None else float(listed)  # type: ignore[arg-type]
    result: Surprise | None = None
    cautious: Surprise | None = None
    # The line, made in other years, sees players of these years stronger than their ratings: it is asked for that strength.
    shift, shift_sigma = calibration.shift(own.years)
    sigma = None if at is None else math.hypot(calibration.line_sigma(at), shift_sigma)
    note = ""
    if len(own) < LEAST_MOVES:
        note = f"{len(own)} moves: at least {LEAST_MOVES} are needed"
    elif at is None:
        note = "no rating in the file: give one"
    else:
        try:
            result = replace(
                surprise(own.choices, at, calibration, prior=prior, shift=shift),
                z_strength=None if strength is None else strength_z(strength, at),
            )
            higher = at + 2 * (sigma or 0.0)
            cautious = surprise(own.choices, higher, calibration, prior=prior, shift=shift)
        except ArpadError as error:
            note = str(error)
        note = note or _beyond(at, calibration)
    return Tested(
        name=name,
        games=own.rows["game"].n_unique(),
        moves=len(own),
        rating=at,
        surprise=result,
        cautious=cautious,
        line_sigma=sigma,
        note=note,
        strength=strength,
    )


def _beyond(rating: float, calibration: Calibration) -> str:
    marks = [m.elo for m in calibration.marks if m.in_line]
    if min(marks) <= rating <= max(marks):
        return ""
    return f"{rating:.0f} lies beyond the marks of the line, {min(marks):.0f} to {max(marks):.0f}"


def _row(tested: Tested) -> dict[str, object]:
    result, cautious = tested.surprise, tested.cautious
    row = {name: getattr(tested, name) for name in ("games", "moves", "rating", "line_sigma")}
    row |= {"player": tested.name, "note": tested.note or None}
    if tested.strength is not None:
        low, high = tested.strength.interval()
        row |= {"strength": tested.strength.mean, "strength_low": low, "strength_high": high}
    if result is not None:
        own = ("z_strength", "z_match", "z_error", "one_in", "expected_by_chance", "s", "c")
        row |= {name: getattr(result, name) for name in own}
        row |= result.match.row("mm") | result.error.row("ae")
    if cautious is not None:
        row |= {"cautious_z_match": cautious.z_match, "cautious_z_error": cautious.z_error}
    return _columns(row, COLUMNS)
