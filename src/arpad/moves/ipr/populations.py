"""Two populations compared through their moves: federations, or any groups of players [IPR section 6].

Ratings of two pools may drift apart; moves are measured by one engine in both. Each group is rated as if it were one
player, and the interval of a difference is given twice: for the moves, as trials found (1.4σ), and with the players
counted as what was drawn, which is wider where few players stand for a whole federation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.moves.ipr.calibration import ACTUAL_ERROR, SIGMAS, by_games
from arpad.moves.ipr.kernels import moments
from arpad.moves.ipr.rating import estimated, same_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.decisions import Decisions
    from arpad.moves.ipr.fit import ChoiceFit


GROUPS = {
    "group": pl.String,
    "players": pl.Int64,
    "games": pl.Int64,
    "moves": pl.Int64,
    "mm": pl.Float64,
    "ae": pl.Float64,
    "ipr": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "low_actual": pl.Float64,
    "high_actual": pl.Float64,
    "low_players": pl.Float64,
    "high_players": pl.Float64,
    "elo": pl.Float64,
    "ipr_minus_elo": pl.Float64,
    "note": pl.String,
}
PAIRS = {
    "first": pl.String,
    "second": pl.String,
    "ipr_difference": pl.Float64,
    "low_actual": pl.Float64,
    "high_actual": pl.Float64,
    "low_players": pl.Float64,
    "high_players": pl.Float64,
    "elo_difference": pl.Float64,
    "beyond_elo": pl.Float64,
    "z": pl.Float64,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRating:
    """One group as one player. `elo` is the mean rating over the moves; `sigma` is in Elo, as projected; `sigma_players` from how players differ."""

    group: str
    players: int
    games: int
    moves: int
    match_rate: float
    error: float
    ipr: float | None
    sigma: float | None
    sigma_players: float | None
    elo: float | None
    note: str = ""

    def row(self) -> dict[str, object]:
        """Return the columns of `GROUPS`."""
        row: dict[str, object] = dict.fromkeys(GROUPS)
        row |= {
            "group": self.group,
            "players": self.players,
            "games": self.games,
            "moves": self.moves,
            "mm": self.match_rate,
            "ae": self.error,
            "ipr": self.ipr,
            "elo": self.elo,
            "note": self.note or None,
        }
        if self.ipr is not None and self.sigma is not None:
            row |= _around(self.ipr, "", SIGMAS * self.sigma)
            row |= _around(self.ipr, "_actual", SIGMAS * ACTUAL_ERROR * self.sigma)
        if self.ipr is not None and self.sigma_players is not None:
            row |= _around(self.ipr, "_players", SIGMAS * self.sigma_players)
        if self.ipr is not None and self.elo is not None:
            row["ipr_minus_elo"] = self.ipr - self.elo
        return row


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
        row: dict[str, object] = {
            **dict.fromkeys(PAIRS),
            "first": self.first,
            "second": self.second,
            "ipr_difference": self.ipr_difference,
            "elo_difference": self.elo_difference,
            "beyond_elo": self.beyond_elo,
            "z": self.z,
        }
        row |= _around(self.ipr_difference, "_actual", SIGMAS * ACTUAL_ERROR * self.sigma)
        if self.sigma_players is not None:
            row |= _around(self.ipr_difference, "_players", SIGMAS * self.sigma_players)
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Populations:
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
        match_rate=result.match_rate,
        error=result.error,
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


def _around(middle: float, name: str, half: float) -> dict[str, float]:
    return {f"low{name}": middle - half, f"high{name}": middle + half}
