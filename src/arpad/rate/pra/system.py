"""PRA: R′ = R + 9 (S − E), with boosts for players who are on their way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo import openings
from arpad.rate.elo_reference import chance_spread, slope
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.periods import finite, first_given
from arpad.rate.pra.steps import (
    BOOSTING,
    MEMORY,
    START,
    Anchor,
    Boosting,
    K,
    in_order,
    moved,
    newcomers,
    people,
    remember,
    remembered,
    walk,
    write,
)
from arpad.rate.system import Range, both_sides, constants_of, numbered
from arpad.scale import PraCurve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.list_system import Entrants
    from arpad.rate.system import SeasonLoop, State, Trace
    from arpad.scale import Curve


# Where everybody stands before the first game: from an earlier list, from the source, or as a newcomer.

NAMED = 3
"""Players that a note names."""
MOST_GAMES = 2_000_000_000
"""More games than anybody plays; they fit into 32 bits."""
_NO = ("no", "false", "off", "0")


@dataclass(slots=True, kw_only=True)
class PraStart:
    """Everybody's state, and the population that a list brings along.

    Parameters
    ----------
    known
        Who comes with a rating.
    doubt
        Standard deviation, in points, of what is not known of everybody: a newcomer's, that of the
        list, or 0.
    inside
        Who is on the list, and so in the population before the first game.
    population, points
        Of the whole list, also of those who do not play now.
    """

    state: NDArray[np.void]
    known: NDArray[np.bool_]
    doubt: NDArray[np.float64]
    inside: NDArray[np.bool_]
    population: int
    points: float
    notes: list[str]


def starting(system: PraBasic, here: Entrants, played: pl.DataFrame) -> PraStart:
    """Return where everybody starts."""
    listed = finite(here.figures("rating"))
    rating, total = listed, finite(here.figures("total_games"))
    if system.given:
        given = finite(first_given(here.games, played))
        own = here.games.players["total_games"].cast(pl.Float64).to_numpy()
        total = np.where(np.isnan(listed) & ~np.isnan(given), own, total)
        rating = np.where(np.isnan(listed), given, listed)
    error = np.abs(finite(here.figures("error")))
    known, counted = ~np.isnan(rating), ~np.isnan(total)
    # A player without any game is a newcomer, whatever rating was given.
    settled = known & ~((total == 0) & np.isnan(error))
    state = newcomers(len(rating), start=system.start)
    state["rating"][known] = rating[known]
    state["games"][counted] = np.clip(total[counted], 0, MOST_GAMES).astype(np.int32)
    notes: list[str] = []
    if system.boosting is None:
        state["boosting"] = 0
    else:
        # A rating that does not say on how many games it rests is no newcomer's.
        foreign = known & ~counted & (not system.boost_given)
        state["boosting"][foreign] = 0
        notes = [*_foreign_note(int(foreign.sum())), *_correct(system, here.games, state)]
        if "boosting" in here.rows.columns:
            switch = here.rows["boosting"].cast(pl.String).str.to_lowercase()
            state["boosting"][switch.is_in(_NO).fill_null(value=False).to_numpy()] = 0
        remember(state, here.rows, system.boosting)
    others = here.others()
    more, points = here.state.shared["others"]
    return PraStart(
        state=state,
        known=known,
        doubt=np.where(settled, np.nan_to_num(error), system.newcomer_spread),
        inside=~np.isnan(listed),
        population=int((~np.isnan(listed)).sum()) + len(others) + int(more),
        points=float(np.nansum(listed)) + float(others.sum()) + float(points),
        notes=notes,
    )


def _correct(system: PraBasic, games: Games, state: NDArray[np.void]) -> list[str]:
    """Switch boosting off for those who had a correction; say who is not here."""
    missing = []
    for who in system.corrected:
        rows = games.players.select(((pl.col("name") == who) | (pl.col("id") == who)).fill_null(False))
        mask = rows.to_series().to_numpy()
        state["boosting"][mask] = 0
        missing += [] if mask.any() else [who]
    if not missing:
        return []
    some = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
    return [f"corrected: nobody in these games is called {some}"]


def _foreign_note(count: int) -> list[str]:
    if not count:
        return []
    return [
        (
            f"not boosted, because the number of games behind their ratings is unknown: {count:,} "
            f"player{'' if count == 1 else 's'} (boost_given=yes boosts them)"
        )
    ]


# From games to a list: what PRA with and without boosting do alike.

KERNEL_FROM = 200_000
"""Games from which on the compiled kernel pays: loading it costs about a second."""
REACH = 25.0
"""Points to either side over which a slope is taken."""
NODES = np.linspace(-3.0, 3.0, 25)
"""Standard deviations at which a doubtful difference is looked at, weighted as the normal curve does."""
ENOUGH = 10_000
"""Games that tell the usual differences."""
LEAST_TOLD = 0.05
"""Points: a smaller shift of everybody is not worth a note."""


def _anchor(system: PraBasic, begun: PraStart) -> Anchor | None:
    if system.anchor is None:
        return None
    if isinstance(system.anchor, float):
        return Anchor(
            target=system.anchor,
            surplus=begun.points - system.anchor * begun.population,
            population=begun.population,
        )
    return Anchor(target=math.nan, population=begun.population)


def _run(
    system: PraBasic,
    played: pl.DataFrame,
    days: pl.Series,
    begun: PraStart,
    constants: Boosting,
    *,
    told: bool,
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Rate the games; return what everybody was boosted by, what the anchor moved all by, and a row a game."""
    anchor = _anchor(system, begun)
    columns = tuple(played[name] for name in ("white", "black", "score"))
    if played.height < KERNEL_FROM:
        players, inside = people(begun.state), begun.inside.tolist()
        written: list[tuple[float, ...]] | None = [] if told else None
        games = zip(*(column.to_list() for column in (*columns, days)), strict=True)
        boosts = walk(games, players, inside, anchor, k=system.k, constants=constants, told=written)
        write(begun.state, players)
        begun.inside[:] = inside
        rows = np.array(written or [], dtype=np.float64).reshape(-1, 5)
        return np.array(boosts, dtype=np.float64), anchor.shift if anchor else 0.0, rows
    from arpad.rate.pra.kernels import rate_days

    leaps, steps = np.zeros(len(begun.state)), np.zeros((played.height if told else 0, 5))
    # A population without end is moved by nothing.
    usual = anchor or Anchor(target=math.nan, population=math.inf)
    totals = usual.target, usual.surplus, float(usual.population)
    arrays = (*(column.to_numpy() for column in columns), days.to_numpy())
    shift = rate_days(*arrays, begun.state, begun.inside, leaps, system.k, constants, *totals, steps)
    return leaps, float(shift), steps


def _rows(
    system: PraBasic,
    played: pl.DataFrame,
    begun: PraStart,
    first: NDArray[np.float64],
    leaps: NDArray[np.float64],
    constants: Boosting,
) -> pl.DataFrame:
    state, known = begun.state, begun.known
    n = len(state)
    mine = np.bincount(played["white"], minlength=n) + np.bincount(played["black"], minlength=n)
    columns: dict[str, object] = {
        "rating": state["rating"].copy(),
        "error": chance_spread(
            np.full(n, system.k),
            mine,
            begun.doubt,
            system.curve,
            steepness=_steepness(system.curve, played, state["rating"], begun.doubt),
        ),
        "games": mine,
        "before": np.where(known, first, np.nan),
        "change": np.where(known, state["rating"] - first, np.nan),
    }
    if system.boosting is not None:
        columns["boosted"] = leaps
        on = (state["boosting"] == 1) & (state["games"] < constants.late_until)
        columns["boosting"] = pl.Series(np.where(on, "on", "off").tolist(), dtype=pl.String)
        columns |= remembered(state, constants)
    columns["total_games"] = state["games"].astype(np.int64)
    return pl.DataFrame(columns).with_columns(pl.col("before", "change").fill_nan(None))


def _steepness(
    curve: Curve, played: pl.DataFrame, rating: NDArray[np.float64], doubt: NDArray[np.float64]
) -> float:
    """Return what a point is worth in these games: the curve's slope at their differences, as far as known.

    Between equals the curve is flat, and what is not known of a newcomer may be a large difference.
    """
    if not played.height:
        return slope(curve)
    some = slice(None, None, max(1, played.height // ENOUGH))
    white, black = (played[side].to_numpy()[some] for side in ("white", "black"))
    D, spread = rating[white] - rating[black], np.hypot(doubt[white], doubt[black])
    at = D + NODES[:, None] * spread
    rise = np.asarray(curve.expected(at + REACH)) - np.asarray(curve.expected(at - REACH))
    return float(np.average(rise.mean(axis=1), weights=np.exp(-(NODES**2) / 2))) / (2 * REACH)


def _shift_note(shift: float) -> list[str]:
    if abs(shift) < LEAST_TOLD:
        return []
    return [f"the anchor moved the players of both the first and the last day by {shift:+.1f} points"]


# The steps of PRA: R′ = R + K (S − E), the boosts at the ends of blocks, and what the anchor moved.
#
# The anchor moves everybody every night by a little. A step says what it moved a player by in all, from
# the first game in the list, or from the beginning, to the end.

BOOST = "boost at the end of a block of games that went one way [PRA 11, 12]"
ANCHOR = "the anchor: the mean of all players brought back every night [PRA 1, 2]"


def pra_steps(
    system: PraBasic,
    played: pl.DataFrame,
    opened: pl.DataFrame,
    moves: NDArray[np.float64],
    shift_in_all: float,
    listed: NDArray[np.bool_],
) -> pl.DataFrame:
    """Return every step, behind the `opened` ones; `moves` has a row a game, as `walk` writes it."""
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    shift, R_w, R_b, leap_w, leap_b = moves.T
    E = np.asarray(system.curve.expected(R_w - R_b))
    who, points = both_sides(white, black), both_sides(score, 1 - score)
    expected = both_sides(E, 1 - E)
    sides = pl.DataFrame(
        {
            "at": np.arange(len(who)) * 2,
            "player": who,
            "game": np.repeat(played["row"].to_numpy(), 2),
            "opponent": both_sides(black, white),
            "rating": both_sides(R_w + shift, R_b + shift),
            "opponent_rating": both_sides(R_b + shift, R_w + shift),
            "score": points,
            "expected": expected,
            "change": system.k * (points - expected),
        },
        schema_overrides={"game": pl.Int64},
    ).with_columns(
        pl.lit(float(system.k)).alias("k"),
        pl.lit(f"K {system.k:g}: for everybody; R + K (S − E) by PRA's curve [PRA 2, 3]").alias("rule"),
    )
    leap = both_sides(leap_w, leap_b)
    boosted = np.flatnonzero(leap)
    boosts = pl.DataFrame({"at": 2 * boosted + 1, "player": who[boosted], "change": leap[boosted]})
    steps = pl.concat(
        [
            opened.with_columns(pl.lit(-1, dtype=pl.Int64).alias("at")),
            sides,
            boosts.with_columns(pl.lit(BOOST).alias("rule")),
            _anchored(listed, shift_in_all, who, np.repeat(shift, 2)),
        ],
        how="diagonal_relaxed",
    )
    return steps.sort("at", maintain_order=True).drop("at")


def _anchored(
    listed: NDArray[np.bool_], in_all: float, who: NDArray[np.int64], shift: NDArray[np.float64]
) -> pl.DataFrame:
    """Return by how much the anchor moved each player since he was there."""
    players, first = np.unique(who, return_index=True)
    came = np.where(listed[players], 0.0, shift[first])
    moved = in_all - came
    rows = pl.DataFrame({"player": players, "change": moved}).with_columns(
        pl.lit(2 * len(who), dtype=pl.Int64).alias("at"), pl.lit(ANCHOR).alias("rule")
    )
    return rows.filter(pl.col("change") != 0)


# PRA: R′ = R + 9 (S − E), with boosts for players who are on their way, and a mean that stays.
#
# Source: T. Berard, *The Performance Rating Algorithm (PRA) and the Tournament App*, part 1.

Anchoring = float | Literal["brought"] | None
"""Targets for the mean of the population, which is restored every night.

"brought": what everybody brought into the system, 1500 or a given rating; a number: that number; None:
nothing.
"""
NEWCOMER_SPREAD = 300.0
"""Standard deviation of the true ratings in the text's standard population, in points."""
FARTHEST = 1e5
"""No constant in rating points is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PraBasic(ListRates):
    """The Basic System as a set of constants.

    Parameters
    ----------
    k
        Points that a game is worth.
    start
        First rating of a player about whom nothing is known.
    given
        Start players from their first rating in the source, if there is one.
    anchor
        The mean to which all ratings return every night.
    newcomer_spread
        Standard deviation of a new player's strength, in rating points.

    Examples
    --------
    >>> from arpad.model import Games
    >>> games = Games.build([("Anand", "Karpov", 0.7)])
    >>> [round(r, 2) for r in PraBasic().rate(games).rows["rating"]]
    [1501.8, 1498.2]
    """

    name: ClassVar[str] = "pra-basic"
    season_loop: ClassVar[SeasonLoop | None] = "anchored"
    carries: ClassVar[tuple[str, ...]] = ("boosting",)
    tunable: ClassVar[Mapping[str, Range]] = {"k": Range(5, 80, log=True)}
    # Constants of `Pra`, as they are without boosting.
    boosting: ClassVar[Boosting | None] = None
    boost_given: ClassVar[bool] = False
    corrected: ClassVar[tuple[str, ...]] = ()
    k: float = K
    start: float = START
    given: bool = True
    anchor: Anchoring | str = "brought"
    newcomer_spread: float = NEWCOMER_SPREAD

    def __post_init__(self) -> None:
        """Make numbers of what a command line says, and refuse what no rating can be computed with."""
        for name, least in (("k", 0.0), ("start", -FARTHEST), ("newcomer_spread", 0.0)):
            object.__setattr__(self, name, _number(name, getattr(self, name), least))
        anchor = self.anchor
        if isinstance(anchor, str) and anchor.strip().lower() in ("none", "off"):
            anchor = None
        if anchor is not None and anchor != "brought":
            anchor = _number("anchor (or brought, or none)", anchor, -FARTHEST)
        object.__setattr__(self, "anchor", anchor)

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        own = constants_of(self)
        if self.boosting is not None:
            own |= {**own.pop("boosting")._asdict(), "corrected": list(own["corrected"])}
        return {"curve": self.curve.name, **own}

    @property
    def curve(self) -> PraCurve:
        """The expected score for a rating difference [3]."""
        return PraCurve()

    def moved(self, rows: pl.DataFrame, rated: Ratings) -> pl.DataFrame:
        """Return rows of players who did not play: the anchor moves them with the others."""
        return rows.with_columns(pl.col("rating").cast(pl.Float64) + float(rated.source["shift"]))

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return the list after the games, one after the other, with an anchor every night."""
        here = entrants(self, state, numbered(games) if trace is not None else games)
        played, days = in_order(here.games)
        constants = self.boosting or BOOSTING
        begun = starting(self, here, played)
        first, listed = begun.state["rating"].copy(), begun.inside.copy()
        leaps, shift, sides = _run(self, played, days, begun, constants, told=trace is not None)
        if shift:
            inside = begun.state[begun.inside]
            moved(inside, shift, constants)
            begun.state[begun.inside] = inside
        if trace is not None:
            who = np.unique(np.r_[played["white"].to_numpy(), played["black"].to_numpy()])
            opened = openings(who, first, known=begun.known, listed=listed)
            trace.add(here.steps(pra_steps(self, played, opened, sides, shift, listed)))
        return here.after(
            _rows(self, played, begun, first, leaps, constants),
            parameters=self.parameters(),
            source={"notes": [*begun.notes, *_shift_note(shift)], "shift": shift},
            shift=shift,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pra(PraBasic):
    """The Basic and the Boosting System as a set of constants.

    Parameters
    ----------
    boosting
        The constants of the Boosting System.
    boost_given
        Also boost players whose ratings come without a number of games.
    corrected
        Names or ids of players whose rating was corrected after an event: they are not boosted any
        more. On the command line with ``;`` between them.

    Examples
    --------
    >>> from arpad.model import Games
    >>> ratings = Pra().rate(Games.build([("Ann", "Bob", 1.0)] * 20))
    >>> ratings.rows["boosted"].round(1).to_list()  # a block of twenty wins
    [205.7, -205.7]
    """

    name: ClassVar[str] = "pra"
    season_loop: ClassVar[SeasonLoop | None] = "boosted"
    memory: ClassVar[Mapping[str, Any]] = MEMORY
    boosting: Boosting = BOOSTING  # type: ignore[misc]
    boost_given: bool = False  # type: ignore[misc]
    corrected: tuple[str, ...] = ()  # type: ignore[misc]

    def __post_init__(self) -> None:
        PraBasic.__post_init__(self)
        self.boosting.check()
        # One text will do, as on the command line.
        given: object = self.corrected
        names = given.split(";") if isinstance(given, str) else self.corrected
        kept = tuple(name.strip() for name in names if name.strip())
        object.__setattr__(self, "corrected", kept)


def _number(name: str, value: object, least: float) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not least <= number <= FARTHEST:
        raise UsageError(f"{name}: expected a number from {least:g} to {FARTHEST:g}, found {value!r}")
    return number
