"""Elo's continuous rating, R_n = R_o + K (W − W_e) [Elo 1.6 (2)]: any curve, any K, any period, with its trace."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings, ranked
from arpad.rate import elo_reference as reference
from arpad.rate.elo_reference import LOGISTIC, chance_spread, coded
from arpad.rate.k import KPolicy, k_policy
from arpad.rate.periods import Period, figures, first_given, padded, period_numbers
from arpad.rate.system import GIVEN, START, Range, Rates, State, admit, both_sides, list_rows
from arpad.scale import Curve, Linear, Logistic, curve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.system import SeasonLoop, Trace


# The steps of Elo's formula (2), R_n = R_o + K (W − W_e): one a side of a game [Elo 1.6].

FORMULA = "R + K (W − We) [Elo 1.6 (2)]"
Now = tuple["NDArray[np.float64]", "NDArray[np.int64]", "NDArray[np.bool_]"]
"""Ratings, games, and who has reached the last tier of K."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """All players before the first game: rating, games, whether rated, and whether from a list.

    A run changes copies of the first three, `Now`.
    """

    ratings: NDArray[np.float64]
    counts: NDArray[np.int64]
    topped: NDArray[np.bool_]
    """Players who have reached the last tier of K."""
    known: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    doubt: NDArray[np.float64]
    """Standard deviation, in points, of what is not known of each rating."""
    first: NDArray[np.float64]
    """The rating that everybody came with, NaN for newcomers."""

    def now(self) -> Now:
        """Return what a run may change."""
        return self.ratings.copy(), self.counts.copy(), self.topped.copy()


def openings(
    players: NDArray[np.int64],
    ratings: NDArray[np.float64],
    *,
    known: NDArray[np.bool_],
    listed: NDArray[np.bool_],
) -> pl.DataFrame:
    """Return the steps of those players who have no rating from a list: what they start from.

    `ratings`, who is `known` by the source, and who is `listed`, are of everybody.
    """
    new = players[~listed[players]]
    why = pl.Series([START, GIVEN], dtype=pl.String)
    return pl.DataFrame(
        {"player": new, "change": ratings[new], "rule": why.gather(known[new].astype(np.uint32))},
        schema_overrides={"player": pl.Int32},
    )


def k_arrays(k: KPolicy) -> tuple[NDArray[np.float64], NDArray[np.float64], int, bool]:
    """Return a policy as the kernels take it: bounds of the tiers, K of each level, of new players, permanent K."""
    return np.array([bound for bound, _ in k.tiers]), np.array(k.levels), k.new_games, k.permanent


def _sides(sides: NDArray[np.float64]) -> pl.DataFrame:
    names = ("rating", "opponent_rating", "expected", "level", "change")
    return pl.DataFrame({name: sides[:, i].copy() for i, name in enumerate(names)})


def elo_steps(
    system: Elo, played: pl.DataFrame, begun: Begun, sides: pl.DataFrame, *, new: NDArray[np.bool_]
) -> pl.DataFrame:
    """Return all steps: what everybody starts from, then the sides of the games.

    Parameters
    ----------
    played
        The games in their order, with the column `row`.
    sides
        Two rows a game: White's and Black's.
    new
        Who has not played before these games.
    """
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    level = sides["level"].cast(pl.UInt32)
    capped = _capped(system.curve, sides)
    games = sides.select(
        pl.Series("player", both_sides(white, black)),
        pl.Series("game", np.repeat(played["row"].to_numpy(), 2), dtype=pl.Int64),
        pl.Series("opponent", both_sides(black, white)),
        "rating",
        "opponent_rating",
        pl.Series("score", both_sides(score, 1 - score)),
        "expected",
        pl.Series(system.k.levels, dtype=pl.Float64).gather(level).alias("k"),
        "change",
        _rules(system).gather(level * 2 + capped).alias("rule"),
    )
    who = np.unique(both_sides(white, black))
    opened = openings(who[new[who]], begun.ratings, known=begun.known, listed=begun.listed)
    return pl.concat([opened, games], how="diagonal")


def _capped(curve: Curve, sides: pl.DataFrame) -> pl.Series:
    if not isinstance(curve, Linear):
        return pl.zeros(sides.height, dtype=pl.UInt32, eager=True)
    D = sides["rating"] - sides["opponent_rating"]
    return (D.abs() > curve.cap).cast(pl.UInt32)


def _rules(system: Elo) -> pl.Series:
    """Return what a step says: two texts a level of K, the second for a difference that is capped."""
    how = f"{system.curve.name} curve"
    cap = f", difference counted as {system.curve.cap:g}" if isinstance(system.curve, Linear) else ""
    return pl.Series(
        [f"{why}; {how}{more}; {FORMULA}" for why in system.k.reasons for more in ("", cap)], dtype=pl.String
    )


# Elo's continuous rating, R_n = R_o + K (W − W_e) [Elo 1.6 (2)]: any curve, any K, any period.

KERNEL_FROM = 500_000
"""Games from which on the compiled kernel pays: loading it costs about a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elo(Rates):
    """Elo's system as a set of constants.

    Parameters
    ----------
    curve
        Curve from a rating difference to an expected score.
    k
        Rating points for a full point above expectation.
    start
        First rating of a player about whom nothing is known.
    given
        Start players from their first rating in the source, if there is one.
    period
        "game" updates after every game; else all games of a period are rated from the ratings before
        it.
    newcomer_spread
        Standard deviation of a new player's strength, in rating points.

    Examples
    --------
    >>> from arpad.model import Games
    >>> games = Games.build([("Anand", "Karpov", 1.0)])
    >>> Elo(k=k_policy(10)).rate(games).table().select("player", "rating").rows()
    [('Anand', 1505.0), ('Karpov', 1495.0)]
    """

    name: ClassVar[str] = "elo"
    plain: ClassVar[bool] = True
    tunable: ClassVar[Mapping[str, Range]] = {"k": Range(5, 80, log=True)}
    curve: Curve = field(default_factory=Logistic)
    k: KPolicy = field(default_factory=lambda: k_policy(20.0))
    start: float = 1500.0
    given: bool = True
    period: Period = "game"
    newcomer_spread: float = 350.0

    def __post_init__(self) -> None:
        # A number or a name will do, as on the command line.
        object.__setattr__(self, "k", k_policy(self.k))
        if isinstance(self.curve, str):
            object.__setattr__(self, "curve", curve(self.curve))
        if self.period not in get_args(Period):
            raise UsageError(
                f"expected a period, one of {', '.join(get_args(Period))}; found {self.period!r}"
            )
        if not math.isfinite(self.start):
            raise UsageError(f"expected a finite start rating, found {self.start!r}")
        coded(self.curve)  # a curve that measures ratios is refused here, not in the middle of a file

    @property
    def season_loop(self) -> SeasonLoop | None:  # type: ignore[override]
        """Rounds go on arrays where every game is rated by itself."""
        return "each game" if self.period == "game" else None

    @property
    def given_policy(self) -> KPolicy:
        """K of the ratings that a source gives: that of all others."""
        return self.k

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {
            **self.curve.parameters(),
            "k": str(self.k),
            "start": self.start,
            "given": self.given,
            "period": self.period,
            "newcomer_spread": self.newcomer_spread,
        }

    def begin(self, players: pl.DataFrame, before: Ratings | None = None) -> State:
        """Return the state before the first game: listed, given or new players."""
        rows = list_rows(players, before)
        listed = figures(rows, "rating")
        ratings = listed
        if self.given:
            own = players["rating"].cast(pl.Float64).to_numpy()
            ratings = np.where(np.isnan(listed), padded(own, len(rows)), listed)
        known = ~np.isnan(ratings)
        # Who comes with a rating, and nothing says how many games it rests on, is no newcomer.
        counts = figures(rows, "total_games")
        counts = np.where(np.isnan(counts), np.where(known, self.k.new_games, 0), counts)
        first = ratings
        ratings = np.where(known, ratings, self.start)
        error = np.where(np.isnan(listed), np.nan, figures(rows, "error"))
        columns = rows.select("player", "id", pl.Series("listed", ~np.isnan(listed))).with_columns(
            pl.Series("rating", ratings),
            pl.Series("total_games", counts.astype(np.int64)),
            pl.Series("topped", (ratings >= self.k.top) | (figures(rows, "topped") == 1)),
            pl.Series("games", np.zeros(len(rows), dtype=np.int64)),
            pl.Series("first", first),
            # What an earlier list says of its own errors goes on; a rating without one is taken as it is.
            pl.Series("doubt", np.where(known, np.nan_to_num(np.abs(error)), self.newcomer_spread)),
        )
        return State(self.name, columns)

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return the state after the games that were played, in the order in which they were."""
        state = admit(self, state, games.players)
        if trace is not None:
            trace.divide()
        played, periods = self._ordered(games)
        if not played.height:
            return state
        begun = self._enter(state, games, played)
        volume = state.volume + played.height
        # A state that has seen many games pays for the kernel, however few there are this time.
        run = self.by_kernel if volume >= KERNEL_FROM else self.by_reference
        now, sides = run(played, periods, begun, told=trace is not None)
        if trace is not None:
            trace.add(elo_steps(self, played, begun, sides, new=state.array("games") == 0))
        mine = np.bincount(played["white"], minlength=len(state))
        mine += np.bincount(played["black"], minlength=len(state))
        columns = dict(zip(("rating", "total_games", "topped"), now, strict=True))
        columns["games"] = state.array("games") + mine
        columns["first"] = np.where(begun.known, begun.first, np.nan)
        return state.changed({**columns, "doubt": begun.doubt}, volume=volume)

    def ratings(self, state: State, on: date | None = None) -> Ratings:  # noqa: ARG002 - time changes nothing
        """Return the list of everybody who has played or is on an earlier list."""
        rows = state.rows
        ratings, first, counts, mine, doubt = (
            rows[name].to_numpy() for name in ("rating", "first", "total_games", "games", "doubt")
        )
        listed = rows.select(
            "player",
            "id",
            "rating",
            pl.Series("error", self.errors(ratings, counts, mine, doubt)),
            "games",
            pl.col("first").fill_nan(None).alias("before"),
            pl.Series("change", ratings - first).fill_nan(None),
            # K of the last tier is permanent: the next list must know.
            *(("topped",) if self.k.permanent else ()),
            "total_games",
        ).filter((pl.col("games") > 0) | rows["listed"])
        return Ratings(system=self.name, rows=ranked(listed), parameters=self.parameters())

    def expected(
        self,
        state: State,
        white: NDArray[Any],
        black: NDArray[Any],
        on: date | None = None,  # noqa: ARG002
    ) -> NDArray[np.float64]:
        """Return White's expected score of games to come between rows of the state."""
        rating = state.rows["rating"].to_numpy()
        return np.asarray(self.curve.expected(rating[white] - rating[black]))

    def steps(self, games: Games, before: Ratings | None = None) -> Iterator[reference.EloStep]:
        """Yield each player's side of each game: ratings, expected score and change."""
        played, periods = self._ordered(games)
        begun = self._enter(self.begin(games.players, before), games, played)
        yield from self._walk(played, periods, *(array.tolist() for array in begun.now()))

    def strain(self, games: Games) -> tuple[float, str]:
        """Return the largest K × games in one period, and the player.

        Above about 700 a rating overshoots: FIDE lowers K there [B.02 8.3.3].
        """
        played, periods = self._ordered(games)
        if periods is None or not played.height:
            return 0.0, ""
        sides = [played.select(pl.col(s).alias("who"), periods.alias("when")) for s in ("white", "black")]
        busiest = pl.concat(sides).group_by("who", "when").len().sort("len", descending=True).row(0)
        largest = max(k for _, k in self.k.tiers)
        return largest * busiest[2], str(games.players["name"][busiest[0]])

    def _ordered(self, games: Games) -> tuple[pl.DataFrame, pl.Series | None]:
        played = games.rateable()
        if self.period == "game":
            return played, None
        needed = "event" if self.period == "event" else "date"
        if played.height and played[needed].null_count() == played.height:
            raise UsageError(
                f"a period of a {self.period} needs the {needed} of the games, and none is given"
            )
        return period_numbers(played, self.period)

    def _enter(self, state: State, games: Games, played: pl.DataFrame) -> Begun:
        """Return everybody before these games; a newcomer starts from the first rating beside a game."""
        ratings, counts, topped, first, doubt = (
            state.array(name) for name in ("rating", "total_games", "topped", "first", "doubt")
        )
        if self.given:
            new = np.isnan(first) & (state.rows["games"].to_numpy() == 0)
            given = padded(first_given(games, played), len(state))
            new &= ~np.isnan(given)
            ratings[new] = first[new] = given[new]
            counts[new], doubt[new] = self.k.new_games, 0.0
            topped[new] = given[new] >= self.k.top
        return Begun(
            ratings=ratings,
            counts=counts,
            topped=topped,
            known=~np.isnan(first),
            listed=state.rows["listed"].to_numpy(),
            doubt=doubt,
            first=first,
        )

    def _walk(
        self,
        played: pl.DataFrame,
        periods: pl.Series | None,
        ratings: list[float],
        counts: list[int],
        topped: list[bool],
    ) -> Iterator[reference.EloStep]:
        rows = played.select("white", "black", "score").iter_rows()
        numbers = None if periods is None else periods.to_list()
        return reference.rate(
            rows, ratings, counts, curve=self.curve, k=self.k, periods=numbers, topped=topped
        )

    def by_reference(
        self, played: pl.DataFrame, periods: pl.Series | None, begun: Begun, *, told: bool = False
    ) -> tuple[Now, pl.DataFrame]:
        """Return the players after the games by the readable reference, and the sides if `told`."""
        ratings, counts, topped = (array.tolist() for array in begun.now())
        steps = self._walk(played, periods, ratings, counts, topped)
        written = [(s.rating, s.opponent_rating, s.expected, s.level, s.change) for s in steps if told]
        now = np.array(ratings), np.array(counts, dtype=np.int64), np.array(topped, dtype=np.bool_)
        return now, _sides(np.array(written, dtype=np.float64).reshape(-1, 5)) if told else pl.DataFrame()

    def by_kernel(
        self, played: pl.DataFrame, periods: pl.Series | None, begun: Begun, *, told: bool = False
    ) -> tuple[Now, pl.DataFrame]:
        """Return the players after the games by the compiled kernel, and the sides if `told`."""
        from arpad.rate.elo_kernels import each_game, each_game_simple, each_period

        ratings, counts, _ = now = begun.now()
        code, constants = coded(self.curve)
        games = tuple(played[c].to_numpy() for c in ("white", "black", "score"))
        k, sides = self.k, np.empty((2 * played.height if told else 0, 5))
        if periods is not None:
            each_period(*games, periods.to_numpy(), *now, code, constants, *k_arrays(k), sides)
        elif code == LOGISTIC and len(k.tiers) == 1 and not k.new_games and not told:
            each_game_simple(*games, ratings, counts, constants[0], k.tiers[0][1])
        else:
            each_game(*games, *now, code, constants, *k_arrays(k), sides)
        return now, _sides(sides) if told else pl.DataFrame()

    def errors(
        self,
        ratings: NDArray[np.float64],
        counts: NDArray[np.int64],
        mine: NDArray[np.int64],
        doubt: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the errors after this many games, from the error at the start."""
        bounds, values = (np.array(column) for column in zip(*self.k.tiers, strict=True))
        levels = values[np.searchsorted(bounds[:-1], ratings, side="right")]
        levels = np.where(counts < self.k.new_games, self.k.new_k, levels)
        return chance_spread(levels, mine, doubt, self.curve)
