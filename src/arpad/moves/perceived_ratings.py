"""Perceived ratings in an event and the engine's own strength [Ferreira 2012, 5, 6]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.evaluated_games import MATE
from arpad.moves.gain import GainDistribution, difference, differences
from arpad.moves.resampling import interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from arpad.moves.gain import Gains
    from arpad.moves.gain_report import GainComparison, Sheets


# Algorithm 2: perceived ratings in an event, from the rating differences of the pairs that met.
#
# The paper goes round and round until nothing changes; what it goes to is the least-squares solution of a
# linear system [Ferreira 2012, (3)], which is solved here at once.

NAMED = 6
"""Players of a group that a message names."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The pairs that met, ready to take their differences to ratings, and the level these are put on."""

    met: NDArray[np.int64]
    """Pairs (i, j)."""
    factor: NDArray[np.float64]
    """Cholesky factor of the normal equations, players × players."""
    known: NDArray[np.float64]
    """Known ratings, NaN where there is none."""

    @property
    def level(self) -> float | None:
        """The mean of the known ratings; None where none is known, and ratings are around 0 then."""
        known = self.known[np.isfinite(self.known)]
        return float(known.mean()) if len(known) else None

    def ratings(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return perceived ratings for the differences of the pairs; any number of sets at once, set by row."""
        from scipy.linalg import cho_solve

        d = np.atleast_2d(differences)
        surplus = np.zeros((len(self.known), len(d)))  # what each player's differences add up to
        np.add.at(surplus, self.met[:, 0], d.T)
        np.subtract.at(surplus, self.met[:, 1], d.T)
        r = cho_solve((self.factor, True), surplus).T.reshape(*differences.shape[:-1], len(self.known))
        known = np.isfinite(self.known)
        if known.any():
            r = r + np.mean(self.known[known]) - r[..., known].mean(axis=-1, keepdims=True)
        return np.asarray(r)


def ladder(
    pairs: ArrayLike, players: int, *, known: ArrayLike | None = None, names: Sequence[str] = ()
) -> Ladder:
    """Prepare perceived ratings for pairs (i, j) that met.

    Each pair counts once, however often it met [(3) sums over opponents].
    """
    met = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    given = np.full(players, np.nan) if known is None else np.asarray(known, dtype=np.float64)
    if len(given) != players:
        raise UsageError(f"expected {players} known ratings (NaN for none), found {len(given)}")
    _check_together(met, players, names)
    return Ladder(met, _factor(met, players), given)


def _factor(met: NDArray[np.int64], players: int) -> NDArray[np.float64]:
    """Return the Cholesky factor of the normal equations.

    Every equation holds for ratings shifted by any constant, too; 1/n added to every place makes ratings around 0
    the only solution.
    """
    from scipy.linalg import cholesky

    L = np.full((players, players), 1 / players)
    i, j = met[:, 0], met[:, 1]
    np.add.at(L, (np.r_[i, j], np.r_[i, j]), 1.0)
    np.subtract.at(L, (np.r_[i, j], np.r_[j, i]), 1.0)
    return np.asarray(cholesky(L, lower=True), dtype=np.float64)


def perceived(
    pairs: ArrayLike, differences: ArrayLike, *, known: ArrayLike, names: Sequence[str] = ()
) -> NDArray[np.float64]:
    """Return the perceived rating of each player, on average those of the players whose ratings are known.

    Minimises Σ (r′_i − r′_j − d_ij)² over the pairs [(3)].

    Examples
    --------
    >>> perceived([(0, 1), (1, 2)], [20, 30], known=[2700, float("nan"), 2660]).round().tolist()
    [2705.0, 2685.0, 2655.0]
    """
    d = np.asarray(differences, dtype=np.float64)
    given = np.asarray(known, dtype=np.float64)
    if not bool(np.all(np.isfinite(d))):
        i, j = np.asarray(pairs).reshape(-1, 2)[int(np.argmin(np.isfinite(d)))]
        raise InputError(
            f"expected finite rating differences, found an infinite one between {_name(names, i)} and "
            f"{_name(names, j)}: every move of one was better than every move of the other, which no "
            "rating explains; add games"
        )
    return ladder(pairs, len(given), known=given, names=names).ratings(d)


def _check_together(met: NDArray[np.int64], players: int, names: Sequence[str]) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(met)), (met[:, 0], met[:, 1])), shape=(players, players))
    count, group = connected_components(edges.tocsr(), directed=False)
    if count <= 1:
        return
    groups = [np.flatnonzero(group == g) for g in range(count)]
    words = "; ".join(_group(members, names) for members in groups[:NAMED])
    more = f"; and {count - NAMED} more" if count > NAMED else ""
    raise InputError(
        f"expected players connected by their games, found {count} groups that never met: "
        f"{words}{more}; rate each group by itself"
    )


def _group(members: NDArray[np.int64], names: Sequence[str]) -> str:
    shown = ", ".join(_name(names, i) for i in members[:NAMED])
    return shown + (f" and {len(members) - NAMED} more" if len(members) > NAMED else "")


def _name(names: Sequence[str], i: int) -> str:
    return names[i] if len(names) else f"player {i}"


# Algorithm 3: the strength of the engine itself, from players whose ratings are known.
#
# ``r_e = r_i − d_i`` for each player, and the average [Ferreira 2012, 6]. The paper takes an engine that gains
# nothing, ever; the engine's own measured distribution of gain may be given instead, which the paper leaves as
# future work.


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStrength:
    """The engine's strength by known ratings and by perceived ones.

    `rows` has a line a player: `player`, `rating`, `perceived`, `difference`, `by_rating`, `by_perceived`.
    """

    rows: pl.DataFrame
    by_rating: float | None
    by_perceived: float | None
    players: int
    """Players with a known rating and a finite difference: those that `by_rating` is the average of."""

    def table(self) -> pl.DataFrame:
        """Return the lines [table 4]."""
        return self.rows


def engine_strength(
    names: Sequence[str], rating: ArrayLike, difference: ArrayLike, *, perceived: ArrayLike | None = None
) -> EngineStrength:
    """Return the engine's strength for players' ratings (NaN: unknown) and differences to the engine.

    Examples
    --------
    >>> found = engine_strength(["Kramnik", "Carlsen"], [2800, 2826], [-69, -74], perceived=[2790, 2774])
    >>> found.by_rating, found.by_perceived
    (2884.5, 2853.5)
    """
    r = np.asarray(rating, dtype=np.float64)
    d = np.asarray(difference, dtype=np.float64)
    own = np.full(len(r), np.nan) if perceived is None else np.asarray(perceived, dtype=np.float64)
    if not len(names) == len(r) == len(d) == len(own):
        raise UsageError("expected as many names, ratings, differences and perceived ratings")
    by_rating, by_perceived = r - d, own - d
    rows = pl.DataFrame(
        {
            "player": list(names),
            "rating": r,
            "perceived": own,
            "difference": d,
            "by_rating": by_rating,
            "by_perceived": by_perceived,
        },
        schema_overrides={"player": pl.String},
    ).with_columns(pl.selectors.float().fill_nan(None))
    return EngineStrength(
        rows=rows,
        by_rating=_mean(by_rating),
        by_perceived=_mean(by_perceived),
        players=int(np.isfinite(by_rating).sum()),
    )


def _mean(values: NDArray[np.float64]) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None


# Perceived ratings in an event and the engine's strength, with intervals [Ferreira 2012, 5, 6].

Limits = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineByDistribution:
    """The engine's strength by one distribution of its gain [table 4]."""

    by: str
    """"zero gain" or "measured gain"."""
    strength: EngineStrength
    by_rating: Limits
    """Interval of `strength.by_rating`: chance in the players' moves; their ratings are taken as exact."""
    by_perceived: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceivedTable:
    """Perceived ratings, best first, and the engine's strength.

    `rows` has `rank`, `player`, `rating`, `perceived`, `perceived_low`, `perceived_high`, `change` (perceived less
    rating), `games`, `moves`, `pairs`, and the sum of expected scores `expected` beside the `points` of the games.
    """

    rows: pl.DataFrame
    engines: tuple[EngineByDistribution, ...]
    level: float | None
    """Mean of the known ratings; None: nobody's is known, and perceived ratings are around 0."""
    dropped: int
    """Draws left out, since somebody's every move was better than everybody's of another."""

    def table(self) -> pl.DataFrame:
        """Return the perceived ratings."""
        return self.rows


def standing(
    gains: Gains, sheets: Sheets, found: GainComparison, known: Mapping[int, float]
) -> PerceivedTable:
    """Return perceived ratings for the pairs of a comparison."""
    if not len(found.pairs):
        raise InputError("expected two players who met, both with moves that have a gain; found none")
    owner = sheets.rows["player"].to_numpy()
    people, seat = np.unique(owner, return_inverse=True)
    names = gains.games.players["name"].gather(people).to_list()
    ratings = np.array([known.get(int(p), np.nan) for p in people])
    pairs = seat[found.pairs].reshape(-1, 2)
    d = np.asarray(difference(found.expected))
    best = perceived(pairs, d, known=ratings, names=names)
    steps = ladder(pairs, len(people), known=ratings, names=names)
    drawn, usable = _drawn(steps, found)
    clusters = _clusters(found, seat, len(people))
    limits = np.array(
        [interval(drawn[:, i], int(clusters[i]), found.resampling.confidence) for i in range(len(people))]
    ).reshape(-1, 2)
    rows = _rows(names, ratings, best, limits, pairs, found, sheets, seat)
    return PerceivedTable(
        rows=rows,
        engines=_engines(names, ratings, best, found, seat, drawn, usable),
        level=steps.level,
        dropped=int(found.resampling.draws - usable.sum()),
    )


def _drawn(steps: Ladder, found: GainComparison) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return perceived ratings draw by draw, NaN where a draw has no finite differences."""
    d = differences(found.expected_drawn)
    usable = np.asarray(np.isfinite(d).all(axis=1))
    ratings = np.full((len(d), len(steps.known)), np.nan)
    ratings[usable] = steps.ratings(d[usable])
    return ratings, usable


def _clusters(found: GainComparison, seat: NDArray[np.int64], people: int) -> NDArray[np.int64]:
    return np.bincount(seat, weights=np.diff(found.cells.first), minlength=people).astype(np.int64)


def _rows(
    names: list[str],
    ratings: NDArray[np.float64],
    best: NDArray[np.float64],
    limits: NDArray[np.float64],
    pairs: NDArray[np.int64],
    found: GainComparison,
    sheets: Sheets,
    seat: NDArray[np.int64],
) -> pl.DataFrame:
    n = len(names)
    met = sheets.pairs["games"].fill_null(0).to_numpy()
    score = sheets.pairs["score"].fill_null(0.0).to_numpy()

    def both(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(
            np.bincount(pairs[:, 0], first, n) + np.bincount(pairs[:, 1], second, n), np.float64
        )

    frame = pl.DataFrame(
        {
            "player": names,
            "rating": ratings,
            "perceived": best,
            "perceived_low": limits[:, 0],
            "perceived_high": limits[:, 1],
            "change": best - ratings,
            "points": both(score, met - score),
            "expected": both(met * found.expected, met * (1 - found.expected)),
            "games": both(met, met).astype(np.int64),
            "moves": np.bincount(seat, weights=found.moves, minlength=n).astype(np.int64),
        },
        schema_overrides={"player": pl.String},
    )
    rank = pl.col("perceived").rank("min", descending=True).cast(pl.Int64).alias("rank")
    return (
        frame.with_columns(pl.selectors.float().fill_nan(None))
        .select(rank, pl.all())
        .sort("perceived", "player", descending=[True, False])
    )


def _engines(
    names: list[str],
    ratings: NDArray[np.float64],
    best: NDArray[np.float64],
    found: GainComparison,
    seat: NDArray[np.int64],
    drawn: NDArray[np.float64],
    usable: NDArray[np.bool_],
) -> tuple[EngineByDistribution, ...]:
    engines = []
    kinds = [("zero gain", found.engine, found.engine_drawn)]
    if found.measured is not None and found.measured_drawn is not None:
        kinds.append(("measured gain", found.measured, found.measured_drawn))
    for by, p, p_drawn in kinds:
        whole = _pooled(p[None, :], found.moves[None, :], seat)[0]
        parts = _pooled(p_drawn, found.moves_drawn, seat)
        d, d_drawn = _finite(whole), _finite(parts)
        rated = np.isfinite(ratings) & np.isfinite(d)
        games = int(found.cells.stratum.size)
        conf = found.resampling.confidence
        engines.append(
            EngineByDistribution(
                by=by,
                strength=engine_strength(names, ratings, d, perceived=best),
                by_rating=_limits((ratings - d_drawn)[:, rated], games, conf),
                by_perceived=_limits((drawn - d_drawn)[usable], games, conf),
            )
        )
    return tuple(engines)


def _pooled(
    p: NDArray[np.float64], moves: NDArray[np.float64], seat: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return each player's expected score over all sheets of the player, draw by draw."""
    points = np.where(moves > 0, p * moves, 0.0)  # p is not known of a sheet without a move
    total = np.zeros((len(p), int(seat.max()) + 1))
    count = np.zeros_like(total)
    for s, player in enumerate(seat):
        total[:, player] += points[:, s]
        count[:, player] += moves[:, s]
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def _finite(p: NDArray[np.float64]) -> NDArray[np.float64]:
    d = differences(p)
    d[np.isinf(d)] = np.nan
    return d


def _limits(values: NDArray[np.float64], clusters: int, confidence: float) -> Limits:
    if not values.size:
        return None, None
    low, high = interval(values.mean(axis=1), clusters, confidence)
    return (None if np.isnan(low) else low), (None if np.isnan(high) else high)


# The engine's own distribution of gain, measured: what its first choices gained.
#
# Ferreira 2012 takes an engine that gains 0 with every move and leaves the real distribution as future work [6, 10]. At a
# fixed depth an engine sees one ply further after its own move and corrects itself, mostly downwards.

EngineGain = Literal["zero", "agreed", "best"]
"""zero     every move gains 0 [6];
agreed   the gains of the moves that were the engine's first choice: easy moves are over-represented;
best     the gains of the engine's first choice in every position, played or not: costs more analysis.
"""
FEWEST_MOVES = 100
"""Moves below which a distribution of the engine's gain says little."""


def agreed_gain(gains: Gains, positions: pl.DataFrame) -> GainDistribution:
    """Return the distribution of gain of the moves that were the engine's own.

    Parameters
    ----------
    positions
        `game`, `ply`, `uci` (the move that was played in the position) and `best` (the engine's choice there).
    """
    chosen = positions.select(
        "game", (pl.col("ply") + 1).alias("ply"), (pl.col("uci") == pl.col("best")).alias("agreed")
    )
    moves = gains.table.join(chosen, on=["game", "ply"], how="inner")
    return _enough(moves.filter(pl.col("agreed"))["gain"].to_numpy(), "that the engine would have played")


def best_gain(before: pl.Series, after: pl.Series, white: pl.Series) -> GainDistribution:
    """Return the distribution of gain of the engine's first choices, from values in centipawns from White's side."""
    known = before.is_not_null() & after.is_not_null()
    change = (after - before).filter(known).to_numpy()
    sign = np.where(white.filter(known).to_numpy(), 1, -1)
    return _enough(sign * change, "of the engine's choice")


def after_best(positions: pl.DataFrame) -> pl.DataFrame:
    """Return the position after the engine's choice in each different position: `epd`, `best`, `next`, `over`.

    Examples
    --------
    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    >>> after_best(pl.DataFrame({"epd": [start] * 2, "best": ["e2e4"] * 2}))["next"].to_list()
    ['rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -']
    """
    from arpad.moves.positions import board_of, epd_of

    rows = []
    different = positions.select("epd", "best").drop_nulls().unique(maintain_order=True)
    for epd, best in different.iter_rows():
        board = board_of(epd)
        board.push(board.parse_uci(best))
        over = "mate" if board.is_checkmate() else "stalemate" if board.is_stalemate() else None
        rows.append((epd, best, epd_of(board), over))
    names = {"epd": pl.String(), "best": pl.String(), "next": pl.String(), "over": pl.String()}
    return pl.DataFrame(rows, schema=names, orient="row")


def position_value(white_to_move: pl.Expr) -> pl.Expr:
    """Return centipawns from White's side out of `cp`, `mate` and `over`, as `EvaluatedGames.values` has them."""
    against = pl.when(white_to_move).then(-MATE).otherwise(MATE)
    return (
        pl.when(pl.col("over") == "mate")
        .then(against)
        .when(pl.col("over").is_not_null())
        .then(0)
        .otherwise(pl.coalesce(pl.col("mate").sign().cast(pl.Int32) * MATE, pl.col("cp").clip(-MATE, MATE)))
    )


def _enough(gains: np.ndarray, what: str) -> GainDistribution:
    if len(gains) < FEWEST_MOVES:
        raise InputError(
            f"expected at least {FEWEST_MOVES} moves {what} to measure its gain, found {len(gains)}: "
            "add games, or take an engine that gains nothing"
        )
    return GainDistribution.of(gains)
