"""Do ratings fit the results? Expected against actual scores [Elo 2.6, 2.7, 8.96]."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.event.performance import PROBABLE
from arpad.model import Result, columns
from arpad.pool.calibration import (
    CalibrationCurve,
    Deviation,
    Side,
    Spread,
    Stretch,
    calibrate,
    first_move_worth,
    spread,
    stretch,
    variances,
)
from arpad.pool.distribution import Histogram, NormalShape, histogram
from arpad.pool.significance import (
    LEAST,
    OBSERVATIONS,
    ChiSquare,
    KolmogorovSmirnov,
    chi_square,
    in_words,
    kolmogorov_smirnov,
)
from arpad.read.reading import games_from
from arpad.scale import Curve, Logistic, Ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.read.reading import GamesLike


FARTHEST = 10_000.0
"""No advantage, in rating points, is meant to be larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGames:
    """Games between two rated players, one element a game, all from White's side."""

    white: NDArray[np.int64]
    black: NDArray[np.int64]
    event: NDArray[np.int64]
    """−1 where no event is named."""
    D: NDArray[np.float64]
    """White's rating less Black's, with White's advantage, cut off at the cap."""
    level: NDArray[np.float64]
    """The mean of both ratings."""
    P: NDArray[np.float64]
    """White's expected score."""
    score: NDArray[np.float64]
    left_out: int
    """Played games in which somebody has no rating."""
    curve: Curve
    cap: float | None
    advantage: float

    def __len__(self) -> int:
        return len(self.score)

    def drawn(self) -> NDArray[np.bool_]:
        """Say which games were drawn."""
        return np.asarray(self.score == 0.5)


def scored(
    games: Games,
    *,
    curve: Curve | None = None,
    cap: float | None = None,
    advantage: float = 0.0,
    before: Ratings | None = None,
) -> ScoredGames:
    """Return the played games whose players both have ratings, with what was expected of them.

    curve: Logistic unless another is given.
    cap: Count a larger difference as so much: 400 is FIDE's rule.
    advantage: Rating points that the first move is worth.
    before: Ratings from a list; those beside the games are not looked at then.
    """
    chosen = curve or Logistic()
    if isinstance(chosen, Ratio):
        raise UsageError("the ratio curve measures ratios: choose another to test differences")
    if cap is not None and not cap > 0:
        raise UsageError(f"expected a cap above 0, found {cap!r}: 400 is FIDE's")
    if not abs(advantage) <= FARTHEST:  # nor is it, if it is no number
        raise UsageError(f"expected White's advantage in points, found {advantage!r}")
    played = games.table.filter(
        (pl.col("status") == "played") & pl.col("black").is_not_null() & pl.col("score").is_not_null()
    )
    R = {side: _ratings(games, played, side, before) for side in ("white", "black")}
    known = np.isfinite(R["white"]) & np.isfinite(R["black"])
    if not known.any():
        raise InputError(
            f"expected games between rated players, found {played.height:,} played and none in which "
            "both have a rating",
            code="no-ratings",
        )
    D = (R["white"] - R["black"] + advantage)[known]
    D = D if cap is None else np.clip(D, -cap, cap)
    columns = {
        name: played[name].fill_null(-1).to_numpy().astype(np.int64)[known]
        for name in ("white", "black", "event")
    }
    return ScoredGames(
        **columns,
        D=D,
        level=((R["white"] + R["black"]) / 2)[known],
        P=np.asarray(chosen.expected(D)),
        score=played["score"].to_numpy()[known],
        left_out=int((~known).sum()),
        curve=chosen,
        cap=cap,
        advantage=advantage,
    )


def _ratings(games: Games, played: pl.DataFrame, side: str, before: Ratings | None) -> NDArray[np.float64]:
    """Return each game's rating of one side, NaN where there is none."""
    known = games.players["rating"] if before is None else before.lookup(games.players)
    theirs = known.cast(pl.Float64).gather(played[side])
    if before is None:
        theirs = played.select(pl.coalesce(f"{side}_rating", theirs.alias("theirs"))).to_series()
    return np.asarray(theirs.cast(pl.Float64).fill_null(math.nan).to_numpy())


# Do ratings fit the results? Expected against actual scores, by group and by player [Elo 2.6, 2.7, 8.96].

Per = Literal["player", "entry"]
"""Owner of a deviation: a player over all games, or a player in one event [2.7]."""
ENOUGH = 7
"""Games of a player whose deviation is looked at: more than 6, as at 8.96."""
WIDTH, REACH = 0.5, 5.0
"""Interval and ends of the histogram of z, as the twenty rows of 2.71."""
STANDARD = NormalShape(mean=0.0, sd=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Result):
    """Result of a test of ratings against games."""

    games: int
    left_out: int
    """Played games in which somebody has no rating."""
    players: int
    calibration: CalibrationCurve
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

    def tests_table(self) -> pl.DataFrame:
        """Return the tests: χ² of the groups and of the players, Kolmogorov and Smirnov's."""
        c = self.calibration
        each = "players" if self.parameters["per"] == "player" else "entries"
        tests = {
            "groups, Σz²": c.test,
            "groups, (f_o − f_e)²/f_e [8.96]": c.book,
            f"{each}: z against mean 0, σ 1": self.promised,
            f"{each}: z against own mean, σ": self.normal,
        }
        rows: list[tuple[object, ...]] = [
            (name, t.statistic, t.degrees, t.p, t.degrees_fitted, t.p_fitted)
            for name, t in tests.items()
            if t
        ]
        ks = self.kolmogorov_smirnov
        if ks is not None:
            name = f"{each}: Kolmogorov–Smirnov, largest difference {ks.difference:.3f}"
            rows.append((name, None, None, ks.p, None, None))
        schema = columns("test:str χ²:float degrees:int p:float degrees_fitted:int p_fitted:float")
        names = {"degrees_fitted": "degrees, fitted", "p_fitted": "p, fitted"}
        return pl.DataFrame(rows, schema=schema, orient="row").rename(names)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return every figure; all deviations, or the first `top`."""
        c, s, ks = self.calibration, self.spread, self.kolmogorov_smirnov
        rows = self.deviations if top is None else self.deviations.head(top)
        histogram = self.histogram_table()
        return {
            "summary": self.summary(),
            "parameters": self.parameters,
            "games": self.games,
            "left_out": self.left_out,
            "without_favourite": c.level,
            "players": self.players,
            "groups": c.bins.to_dicts(),
            "stretch": None if self.stretch is None else asdict(self.stretch),
            "white": {name: getattr(self.white, name) for name in ("score", "expected", "sigma", "z")}
            | dict(zip(("points", "points_error"), self.first_move or (None, None), strict=True)),
            "spread": {**asdict(s), "chance": list(s.expected())},
            "histogram": None if histogram is None else histogram.to_dicts(),
            "tests": self.tests_table()
            .rename({"χ²": "chi_square", "degrees, fitted": "degrees_fitted", "p, fitted": "p_fitted"})
            .to_dicts(),
            "kolmogorov_smirnov": None
            if ks is None
            else {n: getattr(ks, n) for n in ("difference", "at", "p")},
            "deviations": rows.to_dicts(),
        }

    def summary(self) -> str:
        """Return what it comes to, in words."""
        test = self.calibration.test
        bins = self.calibration.bins
        if not bins.height:
            return f"{self.games:,} games: no game had a favourite, so there is nothing to test"
        n = bins["games"].to_numpy()
        expected, actual = (float(bins[c].to_numpy() @ n / n.sum()) for c in ("expected", "actual"))
        who = "favourites" if self.calibration.side == "favourite" else "White"
        if not test.intervals:
            return (
                f"{self.games:,} games, and the {self.parameters['curve']} curve leaves no room for chance: "
                f"{who} scored {actual:.3f} where {expected:.3f} was expected"
            )
        p = test.p
        fit = "fit" if p is None or p >= 0.05 else "do not fit"
        said = in_words(p)
        if self.games < OBSERVATIONS:
            said += f", but fewer than {OBSERVATIONS} games tell little"
        wide = ""
        if self.stretch is not None:
            b, error = self.stretch.factor, self.stretch.error
            wide = f"; 200 points behave like {200 * b:.1f} ± {200 * error:.1f}"
        return (
            f"The ratings {fit} these {self.games:,} games on the {self.parameters['curve']} curve "
            f"({said}): {who} scored {actual:.3f} where {expected:.3f} was expected{wide}"
        )


def check(
    games: GamesLike,
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
    """Compare the scores of rated games with the scores that the ratings expect.

    Parameters
    ----------
    curve, cap, advantage, before
        The expected scores; see `scored`.
    groups
        Groups of expected score between one half and one.
    side
        The side whose score is grouped.
    per
        Deviations of players, or of entries (a player in one event).
    enough
        Fewest games for a deviation to be counted in spread and histogram.
    draws
        Use σ = √Σ(pq − r/4), r from the games; else the book's √Σpq, which is too large.
    """
    games = games_from(games)
    if per not in ("player", "entry"):
        raise UsageError(f"expected player or entry, found {per!r}")
    if enough < 1:
        raise UsageError(f"expected at least one game, found {enough!r}")
    arrays = scored(games, curve=curve, cap=cap, advantage=advantage, before=before)
    var = variances(arrays, draws=draws)
    rows = _deviations(games, arrays, var, per, enough)
    z = rows.filter(pl.col("games") >= enough)["z"].drop_nulls().to_numpy()
    result = spread(z)
    counted = histogram(z, WIDTH, limits=(-REACH, REACH)) if z.size else None
    own = NormalShape(mean=result.mean, sd=result.sd) if result.sd else None
    return Check(
        games=len(arrays),
        left_out=arrays.left_out,
        players=rows["row"].n_unique(),
        calibration=calibrate(arrays, var, groups=groups, side=side),
        stretch=stretch(arrays, var),
        white=Deviation(
            games=len(arrays),
            score=float(arrays.score.sum()),
            expected=float(arrays.P.sum()),
            sigma=float(np.sqrt(var.sum())),
        ),
        first_move=first_move_worth(arrays, var),
        deviations=rows.drop("row"),
        spread=result,
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


def _event_names(games: Games, event: NDArray[np.int64] | None, rows: int) -> pl.Series:
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
            *("row", "player", "id", "event", "games", "score", "expected", "difference", "sigma"),
            *("probable_error", "z"),
        )
    )


# One rating a player: from a list, or from the last game of each.


def from_list(ratings: Ratings) -> NDArray[np.float64]:
    """Return the ratings of a list; players without one are left out."""
    return _numbers(ratings.rows["rating"])


def from_games(games: Games) -> NDArray[np.float64]:
    """Return the last rating that stands beside each player's games, or that of the player's own row."""
    played = games.rateable()
    if not played.height:
        played = games.table
    sides = pl.concat(
        played.select(
            pl.col(side).alias("player"),
            pl.col(f"{side}_rating").alias("rating"),
            pl.int_range(pl.len()).alias("order"),
        )
        for side in ("white", "black")
    )
    last = (
        sides.drop_nulls()
        .filter(pl.col("rating").is_finite())
        .sort("order", maintain_order=True)
        .group_by("player")
        .agg(pl.col("rating").last())
    )
    known = games.players.select(
        pl.int_range(pl.len(), dtype=pl.Int32).alias("player"), pl.col("rating").alias("own")
    ).join(last, on="player", how="left", maintain_order="left")
    return _numbers(known.select(pl.coalesce("rating", "own")).to_series())


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    known = column.cast(pl.Float64).drop_nulls()
    known = known.filter(known.is_finite())
    if not known.len():
        raise InputError(f"expected ratings, found none beside {column.len():,} players")
    return known.to_numpy()


# Games seen from both sides: one row for each player of each game.


def two_sides(played: pl.DataFrame, games: Games, people: pl.DataFrame, curve: Curve) -> pl.DataFrame:
    """Return two rows a game, one for each side, of the games in which both have a rating.

    played: Rows of games, with `part`, the number of their event.
    people: What is known of each player, as `arpad.pool.kinds.described` tells it.
    """
    own = games.players["rating"]
    both = played.with_columns(
        pl.coalesce(f"{side}_rating", own.gather(played[side])).fill_nan(None).alias(f"{side}_rating")
        for side in ("white", "black")
    ).filter(pl.col("white_rating").is_not_null() & pl.col("black_rating").is_not_null())
    halves = []
    for mine, theirs in (("white", "black"), ("black", "white")):
        points = pl.col("score") if mine == "white" else 1 - pl.col("score")
        halves.append(
            both.select(
                "part",
                player=mine,
                opponent=theirs,
                rating=f"{mine}_rating",
                against=f"{theirs}_rating",
                score=points,
                year=pl.col("date").dt.year().cast(pl.Int32),
                game=pl.int_range(pl.len()),
            )
        )
    sides = pl.concat(halves)
    D = (sides["rating"] - sides["against"]).to_numpy()
    return sides.with_columns(pl.Series("expected", curve.expected(D), dtype=pl.Float64)).join(
        people, on="player", how="left", maintain_order="left"
    )
