"""Do ratings fit the results? Expected against actual scores, by group and by player [Elo 2.6, 2.7, 8.96]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.reliability import PROBABLE
from arpad.pool.calibration import (
    Calibration,
    Side,
    Stretch,
    calibrate,
    first_move_worth,
    stretch,
    variances,
)
from arpad.pool.deviation import Deviation, Spread, spread
from arpad.pool.goodness import (
    LEAST,
    OBSERVATIONS,
    ChiSquare,
    KolmogorovSmirnov,
    chi_square,
    in_words,
    kolmogorov_smirnov,
)
from arpad.pool.histogram import Histogram, histogram
from arpad.pool.scored import ScoredGames, scored
from arpad.pool.shapes import NormalShape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.scale import Curve

__all__ = ["Check", "Per", "check"]

Per = Literal["player", "entry"]
"""Whose deviations: a player's over all games, or of each player in each event [2.7]."""

ENOUGH = 7
"""Games of a player whose deviation is looked at: more than 6, as at 8.96."""
WIDTH, REACH = 0.5, 5.0
"""Interval and ends of the histogram of z, as the twenty rows of 2.71."""
STANDARD = NormalShape(mean=0.0, sd=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What a set of games says about the ratings of its players."""

    games: int
    left_out: int
    """Played games in which somebody has no rating."""
    players: int
    calibration: Calibration
    stretch: Stretch | None
    white: Deviation
    """White's score over all games."""
    first_move: tuple[float, float] | None
    """Points that White's advantage is worth beyond the one given, and their error."""
    deviations: pl.DataFrame
    """A row a player (or entry), who played enough first, by |z|: `player`, `id`, `event`, `games`, `score`,
    `expected`, `difference`, `sigma`, `probable_error`, `z`."""
    spread: Spread
    histogram: Histogram | None
    """Of z; None where nobody played enough."""
    promised: ChiSquare | None
    """Of the histogram against the normal curve of mean 0 and σ 1: nothing fitted."""
    normal: ChiSquare | None
    """Of the histogram against the normal curve of its own mean and σ [2.73]."""
    kolmogorov_smirnov: KolmogorovSmirnov | None
    """Of z against the normal curve of mean 0 and σ 1."""
    parameters: dict[str, Any]

    @property
    def shapes(self) -> dict[str, NormalShape]:
        """The normal curves that the histogram is compared with."""
        own = self.spread.sd
        fitted = {"own": NormalShape(mean=self.spread.mean, sd=own)} if own else {}
        return {"promised": STANDARD, **fitted}

    def table(self) -> pl.DataFrame:
        """Return the groups of expected score."""
        return self.calibration.bins

    def histogram_table(self) -> pl.DataFrame | None:
        """Return the histogram of z with the frequencies that both normal curves expect."""
        return None if self.histogram is None else self.histogram.table(**self.shapes)

    def summary(self) -> str:
        """Return what it comes to, in words."""
        test = self.calibration.test
        bins = self.calibration.bins
        if not bins.height:
            return f"{self.games:,} games: no game had a favourite, so the ratings promise nothing"
        n = bins["games"].to_numpy()
        expected, actual = (float(bins[c].to_numpy() @ n / n.sum()) for c in ("expected", "actual"))
        who = "favourites" if self.calibration.side == "favourite" else "White"
        if not test.intervals:
            return (
                f"{self.games:,} games, and the {self.parameters['curve']} curve leaves none of them to chance: "
                f"{who} scored {actual:.3f} where {expected:.3f} was expected"
            )
        p = test.p
        fit = "fit" if p is None or p >= 0.05 else "do not fit"
        said = in_words(p)
        if self.games < OBSERVATIONS:
            said += f", though fewer than {OBSERVATIONS} games tell little"
        wide = ""
        if self.stretch is not None:
            b, error = self.stretch.factor, self.stretch.error
            wide = f"; 200 points behave like {200 * b:.1f} ± {200 * error:.1f}"
        return (
            f"The ratings {fit} these {self.games:,} games on the {self.parameters['curve']} curve "
            f"({said}): {who} scored {actual:.3f} where {expected:.3f} was expected{wide}"
        )


def check(
    games: Games,
    *,
    curve: Curve | None = None,
    cap: float | None = None,
    advantage: float = 0.0,
    before: Ratings | None = None,
    groups: int = 10,
    side: Side = "favourite",
    per: Per = "player",
    enough: int = ENOUGH,
    draws: bool = True,
) -> Check:
    """Compare the scores of rated games with what the ratings expect.

    Parameters
    ----------
    curve, cap, advantage, before
        Where expected scores come from; see `scored`.
    groups
        Groups of expected score between one half and one.
    side
        Whose score the groups look at.
    per
        Whose deviations are taken.
    enough
        Fewest games for a deviation to be counted in spread and histogram.
    draws
        Use σ = √Σ(pq − r/4), r from the games; else the book's √Σpq, which is too large.
    """
    if per not in ("player", "entry"):
        raise UsageError(f"expected player or entry, found {per!r}")
    if enough < 1:
        raise UsageError(f"expected at least one game, found {enough!r}")
    arrays = scored(games, curve=curve, cap=cap, advantage=advantage, before=before)
    var = variances(arrays, draws=draws)
    rows = _deviations(games, arrays, var, per, enough)
    z = rows.filter(pl.col("games") >= enough)["z"].drop_nulls().to_numpy()
    found = spread(z)
    counted = histogram(z, WIDTH, limits=(-REACH, REACH)) if z.size else None
    own = NormalShape(mean=found.mean, sd=found.sd) if found.sd else None
    return Check(
        games=len(arrays),
        left_out=arrays.left_out,
        players=rows["row"].n_unique(),
        calibration=calibrate(arrays, var, groups=groups, side=side),
        stretch=stretch(arrays, var),
        white=_white(arrays, var),
        first_move=first_move_worth(arrays, var),
        deviations=rows.drop("row"),
        spread=found,
        histogram=counted,
        promised=None if counted is None else _fit(counted, STANDARD, 0),
        normal=None if counted is None or own is None else _fit(counted, own, 2),
        kolmogorov_smirnov=kolmogorov_smirnov(z, STANDARD.below) if z.size else None,
        parameters={
            **arrays.curve.parameters(),
            "curve": arrays.curve.name,
            "cap": cap,
            "white_advantage": advantage,
            "groups": groups,
            "side": side,
            "per": per,
            "enough": enough,
            "draws": draws,
        },
    )


def _fit(counted: Histogram, shape: NormalShape, fitted: int) -> ChiSquare:
    return chi_square(counted.counts, counted.expected(shape), fitted=fitted, least=LEAST)


def _white(games: ScoredGames, var: NDArray[np.float64]) -> Deviation:
    return Deviation(
        games=len(games),
        score=float(games.score.sum()),
        expected=float(games.P.sum()),
        sigma=float(np.sqrt(var.sum())),
    )


def _event_names(games: Games, event: NDArray[np.int64] | None, rows: int) -> pl.Series:
    """Return the name of each event, null where there is none."""
    if event is None or not games.events:
        return pl.Series([None] * rows, dtype=pl.String)
    names = pl.Series([None, *(e.name for e in games.events)], dtype=pl.String)
    return names.gather(pl.Series(event + 1))


def _deviations(
    games: Games, arrays: ScoredGames, var: NDArray[np.float64], per: Per, enough: int
) -> pl.DataFrame:
    """Add up every player's games (in every event), both colours; who played enough comes first."""
    who = np.concatenate((arrays.white, arrays.black))
    events = arrays.event.max() + 2
    twice = np.concatenate((arrays.event, arrays.event)) + 1
    unit = who if per == "player" else who * events + twice
    code, place = np.unique(unit, return_inverse=True)

    def total(values: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
        both = np.concatenate((values, other))
        return np.asarray(np.bincount(place, weights=both, minlength=len(code)), np.float64)

    player = code if per == "player" else code // events
    people = games.players[player]
    frame = pl.DataFrame(
        {
            "row": player,
            "player": people["name"],
            "id": people["id"],
            "event": _event_names(games, None if per == "player" else code % events - 1, len(code)),
            "games": np.bincount(place, minlength=len(code)),
            "score": total(arrays.score, 1 - arrays.score),
            "expected": total(arrays.P, 1 - arrays.P),
            "sigma": np.sqrt(total(var, var)),
        }
    )
    difference = pl.col("score") - pl.col("expected")
    return (
        frame.with_columns(
            difference=difference,
            probable_error=PROBABLE * pl.col("sigma"),
            z=pl.when(pl.col("sigma") > 0).then(difference / pl.col("sigma")),
        )
        .sort(
            pl.col("games") >= enough,
            pl.col("z").abs(),
            "player",
            descending=[True, True, False],
            nulls_last=True,
        )
        .select(
            "row", "player", "id", "event", "games", "score", "expected", "difference", "sigma",
            "probable_error", "z",
        )
    )  # fmt: skip
