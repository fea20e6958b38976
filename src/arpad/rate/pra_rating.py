"""From games to a list: what PRA with and without boosting do alike."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import polars as pl

from arpad.model import Ratings
from arpad.rate.pra_reference import BOOSTING
from arpad.rate.pra_start import Start, starting
from arpad.rate.pra_state import carried, moved, people, write
from arpad.rate.pra_walk import Anchor, in_order, walk
from arpad.rate.spread import chance_spread, slope

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.pra_reference import Boosting
    from arpad.scale import Curve

__all__ = ["PraRun", "PraSystem", "rate_pra", "run_pra"]

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


class PraSystem(Protocol):
    """The constants that a list is made with."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def curve(self) -> Curve: ...  # noqa: D102
    @property
    def k(self) -> float: ...  # noqa: D102
    @property
    def start(self) -> float: ...  # noqa: D102
    @property
    def given(self) -> bool: ...  # noqa: D102
    @property
    def anchor(self) -> object: ...  # noqa: D102
    @property
    def newcomer_spread(self) -> float: ...  # noqa: D102
    @property
    def boosting(self) -> Boosting | None:
        """The constants of the Boosting System; None without it."""
        ...

    @property
    def boost_given(self) -> bool:
        """Whether those are boosted whose rating does not say on how many games it rests."""
        ...

    @property
    def corrected(self) -> tuple[str, ...]:
        """Names or ids of those who are not boosted any more."""
        ...

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        ...


class PraRun(NamedTuple):
    """A list, and how it came about."""

    ratings: Ratings
    played: pl.DataFrame
    begun: Start
    first: NDArray[np.float64]
    """Everybody's rating before the first game."""
    listed: NDArray[np.bool_]
    """Who has it from an earlier list."""
    shift: float
    steps: NDArray[np.float64]
    """A row a game, as in `pra_walk.walk`; none where nobody asked."""


def rate_pra(system: PraSystem, games: Games, before: Ratings | None) -> Ratings:
    """Rate the games that were played, one after the other, with an anchor every night."""
    return run_pra(system, games, before).ratings


def run_pra(
    system: PraSystem, games: Games, before: Ratings | None, *, told: bool = False
) -> PraRun:
    """Rate the games; with `told` write down what every game did."""
    played, days = in_order(games)
    constants = system.boosting or BOOSTING
    begun = starting(system, games, played, before)
    anchor = _anchor(system, begun)
    first, listed = begun.state["rating"].copy(), begun.inside.copy()
    run = _by_kernel if played.height >= KERNEL_FROM else _by_reference
    leaps, shift, steps = run(system, played, days, begun, anchor, constants, told)
    if shift:
        inside = begun.state[begun.inside]
        moved(inside, shift, constants)
        begun.state[begun.inside] = inside
    rows = _rows(system, games, played, begun, first, leaps, constants)
    ratings = Ratings.rank(rows, system=system.name, parameters=system.parameters(), games=games)
    notes = [*begun.notes, *_shift_told(shift)]
    rated = replace(ratings, source={**ratings.source, "notes": notes, "shift": shift})
    return PraRun(rated, played, begun, first, listed, shift, steps)


def _anchor(system: PraSystem, begun: Start) -> Anchor | None:
    if system.anchor is None:
        return None
    if isinstance(system.anchor, float):
        return Anchor(
            target=system.anchor,
            surplus=begun.points - system.anchor * begun.population,
            population=begun.population,
        )
    return Anchor(target=math.nan, population=begun.population)


def _by_reference(
    system: PraSystem,
    played: pl.DataFrame,
    days: pl.Series,
    begun: Start,
    anchor: Anchor | None,
    constants: Boosting,
    told: bool,
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    players, inside = people(begun.state), begun.inside.tolist()
    columns = (*(played[name].to_list() for name in ("white", "black", "score")), days.to_list())
    steps: list[tuple[float, ...]] | None = [] if told else None
    leaps = walk(
        zip(*columns, strict=True),
        players,
        inside,
        anchor,
        k=system.k,
        constants=constants,
        told=steps,
    )
    write(begun.state, players)
    begun.inside[:] = inside
    rows = np.array(steps or [], dtype=np.float64).reshape(-1, 5)
    return np.array(leaps, dtype=np.float64), anchor.shift if anchor else 0.0, rows


def _by_kernel(
    system: PraSystem,
    played: pl.DataFrame,
    days: pl.Series,
    begun: Start,
    anchor: Anchor | None,
    constants: Boosting,
    told: bool,
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    from arpad.rate.pra_kernels import rate_days

    leaps = np.zeros(len(begun.state))
    steps = np.zeros((played.height if told else 0, 5))
    # A population without end is moved by nothing.
    usual = anchor or Anchor(target=math.nan, population=math.inf)
    shift = rate_days(
        *(played[name].to_numpy() for name in ("white", "black", "score")),
        days.to_numpy(),
        begun.state,
        begun.inside,
        leaps,
        system.k,
        constants,
        usual.target,
        usual.surplus,
        float(usual.population),
        steps,
    )
    return leaps, float(shift), steps


def _rows(
    system: PraSystem,
    games: Games,
    played: pl.DataFrame,
    begun: Start,
    first: NDArray[np.float64],
    leaps: NDArray[np.float64],
    constants: Boosting,
) -> pl.DataFrame:
    state, known = begun.state, begun.known
    n = len(state)
    mine = np.bincount(played["white"], minlength=n) + np.bincount(played["black"], minlength=n)
    columns: dict[str, object] = {
        "player": games.players["name"],
        "id": games.players["id"],
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
        columns["carried"] = pl.Series(carried(state, constants), dtype=pl.String)
    columns["total_games"] = state["games"].astype(np.int64)
    rows = pl.DataFrame(columns).with_columns(pl.col("before", "change").fill_nan(None))
    return rows.filter(pl.Series(mine > 0, dtype=pl.Boolean))


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


def _shift_told(shift: float) -> list[str]:
    if abs(shift) < LEAST_TOLD:
        return []
    return [
        f"the anchor moved those who were there from the first day to the last by {shift:+.1f} points"
    ]
