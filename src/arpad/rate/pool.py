"""Ratings of a whole pool at once, from results alone: groups found first, then solved one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.groups import ALONE, Groups, find_groups
from arpad.rate.pairs import Pairs, add_up
from arpad.rate.pool_exact import solve
from arpad.rate.pool_steps import approximations
from arpad.rate.start import first_given
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games

__all__ = ["PoolRatings", "PoolSystem"]

FARTHEST = 10_000.0
"""No rating, and no number of prior games, is meant to be larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRatings:
    """Ratings, and the groups within which they can be compared."""

    ratings: Ratings
    groups: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSystem:
    """How a pool is solved.

    Parameters
    ----------
    method
        exact            every expected score is the score;
        approximations   the cycles of 3.41, damped and centred.
    average
        The mean rating of each group; None takes that of the ratings in the source, or 1500.
    anchors
        Players at given ratings, by name; a group that has some is moved so that they are right on
        average.
    advantage
        White's, in points; None estimates it, group by group.
    draw_rate
        The share r of drawn games, which makes the errors smaller: a score varies by pq − r/4 a game
        [8.95], and near .5 that is the factor √(1 − r). None counts the draws of each group.
    prior
        Drawn games of everybody against an average opponent: joins all groups into one.
    """

    method: Literal["exact", "approximations"] = "exact"
    curve: Curve = field(default_factory=Logistic)
    average: float | None = None
    anchors: Mapping[str, float] = field(default_factory=dict)
    advantage: float | None = 0.0
    draw_rate: float | None = None
    prior: float = 0.0
    cycles: int = 100

    def __post_init__(self) -> None:
        if self.method == "approximations" and (self.prior or self.advantage != 0):
            raise UsageError(
                "successive approximations know no prior and no advantage: use the exact method"
            )
        numbers = (self.average or 0.0, self.prior, self.advantage or 0.0, *self.anchors.values())
        if not all(math.isfinite(x) and abs(x) <= FARTHEST for x in numbers):
            raise UsageError(f"expected finite ratings, prior and advantage, found {numbers}")
        if self.draw_rate is not None and not 0 <= self.draw_rate < 1:
            raise UsageError(f"expected a draw rate from 0 to below 1, found {self.draw_rate!r}")

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        shared: dict[str, object] = {
            "method": self.method,
            "average": self.average,
            "anchors": dict(self.anchors),
        }
        if self.method == "approximations":
            return shared | {"curve": "table", "cycles": self.cycles}
        white = "fit" if self.advantage is None else self.advantage
        return shared | {
            **self.curve.parameters(),
            "white_advantage": white,
            "draw_rate": "observed" if self.draw_rate is None else self.draw_rate,
            "prior": self.prior,
        }

    def solve(self, games: Games) -> PoolRatings:
        """Solve every group of the games that were played."""
        played = games.rateable()
        pairs = add_up(played, games.players.height)
        groups = self._groups(pairs)
        n = pairs.players
        ratings, errors = np.full(n, np.nan), np.full(n, np.nan)
        inside = pairs.within(groups.group)
        drawn = _drawn(played, groups)
        given = first_given(games, played)
        found: list[dict[str, Any]] = []
        for number in range(groups.count):
            members = np.flatnonzero(groups.group == number)
            part = _renumbered(inside, members)
            share = drawn[number] / max(part.games.sum(), 1)
            own, error, how = self._solved(part, share)
            own = own + self._level(own, members, games, given)
            ratings[members], errors[members] = own, error
            found.append(
                {
                    "group": number + 1,
                    "players": len(members),
                    "games": int(part.games.sum()),
                    "draw_rate": share,
                    **how,
                }
            )
        rows = _rows(games, pairs, inside, groups, ratings, errors)
        ranked = Ratings.rank(rows, system="pool", parameters=self.parameters(), games=games)
        return PoolRatings(ratings=ranked, groups=pl.DataFrame(found, schema=_GROUPS))

    def _groups(self, pairs: Pairs) -> Groups:
        if not self.prior:
            return find_groups(pairs)
        played = pairs.played() > 0
        group = np.where(played, 0, ALONE)
        reason = np.where(played, "", "played no game").astype(object)
        return Groups(group, reason)

    def _solved(
        self, part: Pairs, draws: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
        if self.method == "approximations":
            cycles = approximations(part, cycles=self.cycles, damp=True)
            nothing = np.full(part.players, np.nan)
            last = float(np.max(np.abs(cycles[-1] - cycles[-2]))) if len(cycles) > 1 else None
            return (
                cycles[-1],
                nothing,
                {"steps": self.cycles, "residual": last, "white_advantage": None},
            )
        solution = solve(part, self.curve, advantage=self.advantage, prior=self.prior)
        games = float(part.games.sum())
        # Draws alone do not make ratings certain: half a decisive game is lent to each group.
        observed = draws * games / (games + 0.5)
        smaller = math.sqrt(1 - (observed if self.draw_rate is None else self.draw_rate))
        how = {
            "steps": solution.steps,
            "residual": solution.residual,
            "white_advantage": solution.advantage,
        }
        return solution.ratings, solution.errors * smaller, how

    def _level(
        self,
        own: NDArray[np.float64],
        members: NDArray[np.int64],
        games: Games,
        given: NDArray[np.float64],
    ) -> float:
        """Return by how much a group is moved."""
        if self.anchors:
            names = games.players["name"].to_list()
            known = [
                (i, self.anchors[names[m]])
                for i, m in enumerate(members)
                if names[m] in self.anchors
            ]
            if known:
                return float(np.mean([rating - own[i] for i, rating in known]))
        if self.average is not None:
            return self.average - float(own.mean())
        rated = ~np.isnan(given[members])
        if rated.any():
            return float(np.mean(given[members][rated] - own[rated]))
        return 1500.0 - float(own.mean())

    def check_anchors(self, games: Games) -> None:
        """Refuse anchors that nobody is called."""
        unknown = set(self.anchors) - set(games.players["name"])
        if unknown:
            raise UsageError(
                f"nobody here is called {', '.join(map(repr, sorted(unknown)))}: anchors go by name"
            )


_GROUPS = {
    "group": pl.Int64,
    "players": pl.Int64,
    "games": pl.Int64,
    "draw_rate": pl.Float64,
    "steps": pl.Int64,
    "residual": pl.Float64,
    "white_advantage": pl.Float64,
}


def _drawn(played: pl.DataFrame, groups: Groups) -> NDArray[np.int64]:
    """Return the number of drawn games within each group."""
    white, black = (groups.group[played[c].to_numpy()] for c in ("white", "black"))
    inside = (white == black) & (white != ALONE) & (played["score"].to_numpy() == 0.5)
    return np.bincount(white[inside], minlength=groups.count)


def _renumbered(pairs: Pairs, members: NDArray[np.int64]) -> Pairs:
    place = np.full(pairs.players, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    mine = place[pairs.white] >= 0
    part = pairs.take(mine)
    return Pairs(len(members), place[part.white], place[part.black], part.games, part.points)


def _rows(
    games: Games,
    pairs: Pairs,
    inside: Pairs,
    groups: Groups,
    ratings: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> pl.DataFrame:
    counted = inside.played()
    return pl.DataFrame(
        {
            "player": games.players["name"],
            "id": games.players["id"],
            "rating": pl.Series(ratings).fill_nan(None),
            "error": pl.Series(errors).fill_nan(None),
            "games": counted.astype(np.int64),
            "score": inside.scored(),
            "group": pl.Series(groups.group + 1).replace(0, None),
            "left_out": (pairs.played() - counted).astype(np.int64),
            "note": pl.Series(groups.reason).replace("", None),
        }
    ).filter(pl.Series(pairs.played() > 0))
