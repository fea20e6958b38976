"""The result behind `arpad gain`: all figures of gain per move for some games."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Result
from arpad.moves.accuracy import accuracies, losses
from arpad.moves.evaluated_games import MATE
from arpad.moves.gain import CENTIPAWNS, CURVE, ZERO_GAIN, GainDistribution, Gains, differences, measure
from arpad.moves.perceived_ratings import PerceivedTable, standing
from arpad.moves.resampling import FEWEST, Resampling, cells_of, draw_counts, interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from arpad.moves.evaluated_games import GamesWithValues
    from arpad.moves.resampling import Cells


# Players side by side: what each one's distribution of gain says against the engine and against the others.
#
# A *sheet* is what one distribution is made of: a player's moves in all games, in one event, in one match or in
# one game. Every move belongs to one sheet. Intervals come from `resampling`.

AT_ONCE = 8_000_000
"""Numbers in the histograms that are compared at a time."""
ONE_THREAD = 1 << 18
"""Multiplications up to which OpenBLAS keeps a product of matrices on one thread (4 × SMP_THRESHOLD_MIN). Thousands of
small products on several threads that wait for each other took 20 times as long on a busy machine."""
FEWEST_COLUMNS = 16
"""Columns at a time below which more threads are worth their while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GainComparison:
    """Expected scores of sheets against the engine and of pairs of sheets, as drawn and as they are.

    Figures `…_drawn` have a row a draw; they are empty where no intervals were asked for. NaN: not a move of
    the sheet was drawn.
    """

    cells: Cells
    moves: NDArray[np.float64]
    moves_drawn: NDArray[np.float64]
    mean_gain: NDArray[np.float64]
    """In pawns."""
    mean_gain_drawn: NDArray[np.float64]
    engine: NDArray[np.float64]
    """Expected score of each sheet against the engine."""
    engine_drawn: NDArray[np.float64]
    measured: NDArray[np.float64] | None
    """The same against the engine's own measured distribution of gain."""
    measured_drawn: NDArray[np.float64] | None
    pairs: NDArray[np.int64]
    expected: NDArray[np.float64]
    """Expected score of the first of each pair against the second."""
    expected_drawn: NDArray[np.float64]
    resampling: Resampling

    def intervals(self, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return low and high of a figure of each sheet; NaN without draws."""
        return self._limits(drawn, np.diff(self.cells.first))

    def pair_intervals(self) -> NDArray[np.float64]:
        """Return low and high of each pair's expected score; the one with fewer clusters says how wide."""
        return self._limits(self.expected_drawn, np.diff(self.cells.first)[self.pairs].min(axis=1))

    def _limits(self, drawn: NDArray[np.float64], clusters: NDArray[np.int64]) -> NDArray[np.float64]:
        conf = self.resampling.confidence
        ends = [interval(each, int(n), conf) for each, n in zip(drawn.T, clusters, strict=True)]
        return np.array(ends, dtype=np.float64).reshape(-1, 2)

    def distribution(self, sheet: int) -> GainDistribution:
        """Return a sheet's distribution of gain."""
        span = self.cells.of_sheet(sheet)
        inside = (self.cells.cell >= span.start) & (self.cells.cell < span.stop)
        return GainDistribution.of(self.cells.gain[inside])


def compare(
    gain: ArrayLike,
    sheet: ArrayLike,
    game: ArrayLike,
    ply: ArrayLike,
    *,
    sheets: int,
    pairs: ArrayLike,
    stratum: ArrayLike | None = None,
    measured: GainDistribution | None = None,
    resampling: Resampling | None = None,
) -> GainComparison:
    """Compare sheets of moves with the engine and with each other.

    Parameters
    ----------
    gain, sheet, game, ply
        Move by move: centipawns from the mover's side, whose sheet it belongs to, which game, which ply.
    pairs
        Pairs (i, j) of sheets to be compared.
    stratum
        For each move the set of games among which its game, or its block, is drawn; all of them without it.

    Examples
    --------
    >>> found = compare([-1, 0, -5, 0], [0, 1, 0, 1], [0, 0, 0, 0], [1, 2, 3, 4], sheets=2, pairs=[(0, 1)])
    >>> found.engine.tolist(), found.expected.tolist()
    ([0.0, 0.5], [0.0])
    """
    how = resampling or Resampling()
    cells = cells_of(gain, sheet, game, ply, sheets=sheets, stratum=stratum)
    met = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    rng = np.random.default_rng(how.seed)
    # A row a cluster: those of one sheet are then read in one go.
    drawn = np.ascontiguousarray(draw_counts(cells.stratum, how.draws, rng).T)
    n = cells.sums()
    total, totals = _totals(cells, n, drawn)

    def average(each: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        whole, parts = _totals(cells, cells.sums(each), drawn)
        with np.errstate(invalid="ignore"):
            return whole / total, parts / totals

    mean, mean_drawn = average(cells.gain / CENTIPAWNS)
    zero, zero_drawn = average(ZERO_GAIN.middle(cells.gain))
    own = None if measured is None else average(measured.middle(cells.gain))
    expected, expected_drawn = _pairs(cells, met, total, totals, drawn)
    return GainComparison(
        cells=cells,
        moves=total,
        moves_drawn=totals,
        mean_gain=mean,
        mean_gain_drawn=mean_drawn,
        engine=zero,
        engine_drawn=zero_drawn,
        measured=None if own is None else own[0],
        measured_drawn=None if own is None else own[1],
        pairs=met,
        expected=expected,
        expected_drawn=expected_drawn,
        resampling=how,
    )


def _totals(
    cells: Cells, each: NDArray[np.float64], drawn: NDArray[np.uint8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    whole = np.add.reduceat(each, cells.first[:-1])
    parts = np.empty((drawn.shape[1], len(whole)))
    for s in range(len(whole) if parts.size else 0):
        span = cells.of_sheet(s)
        parts[:, s] = each[span] @ drawn[cells.cluster[span]]
    return whole, parts


def _pairs(
    cells: Cells,
    pairs: NDArray[np.int64],
    total: NDArray[np.float64],
    totals: NDArray[np.float64],
    drawn: NDArray[np.uint8],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the expected scores of pairs, as they are and draw by draw.

    The score between two sets of games is a sum over pairs of games: with the points S that the moves of game g
    score against those of game h, a draw's expected score is wᵀ S w / (n n), exactly.
    """
    bins, place = np.unique(cells.gain, return_inverse=True)
    whole = _whole(cells, pairs, total, place, len(bins))
    parts = np.empty((drawn.shape[1], len(pairs)))
    edges = np.searchsorted(cells.cell, cells.first)
    for k, (i, j) in enumerate(pairs if parts.size else ()):
        S = _points(cells, edges, place, len(bins), i, j)
        a, b = (drawn[cells.cluster[cells.of_sheet(s)]].astype(np.float64) for s in (i, j))
        with np.errstate(invalid="ignore"):
            parts[:, k] = (_product(S.T, a) * b).sum(axis=0) / (totals[:, i] * totals[:, j])
    # What adds up to a whole number of moves is exact but for the last bit of the quotient.
    return np.clip(whole, 0.0, 1.0), np.clip(parts, 0.0, 1.0)


def _product(S: NDArray[np.float64], a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return S @ a, by as many columns at a time as one thread takes, unless S itself is large."""
    step = ONE_THREAD // max(S.size, 1)
    if step < FEWEST_COLUMNS:
        return np.asarray(S @ a)
    parts = [S @ a[:, first : first + step] for first in range(0, a.shape[1], step)]
    return np.concatenate(parts, axis=1)


def _whole(
    cells: Cells, pairs: NDArray[np.int64], total: NDArray[np.float64], place: NDArray[np.int64], K: int
) -> NDArray[np.float64]:
    """Return the expected scores of pairs from whole histograms, as many pairs at once as memory allows."""
    sheet = cells.sheet[cells.cell]
    result = np.empty(len(pairs))
    step = max(1, AT_ONCE // max(2 * K, 1))
    for first in range(0, len(pairs), step):
        some = pairs[first : first + step]
        used, seat = np.unique(some, return_inverse=True)
        row = np.full(len(total), -1)
        row[used] = np.arange(len(used))
        inside = row[sheet] >= 0
        f = _histograms(row[sheet[inside]], place[inside], K) / total[used][:, None]
        middle = np.cumsum(f, axis=1) - f / 2
        seat = seat.reshape(-1, 2)
        result[first : first + step] = np.einsum("pk,pk->p", f[seat[:, 0]], middle[seat[:, 1]])
    return result


def _points(
    cells: Cells, edges: NDArray[np.int64], place: NDArray[np.int64], K: int, i: int, j: int
) -> NDArray[np.float64]:
    """Return what the moves of each cell of sheet i score against those of each cell of sheet j."""
    x, y = (slice(int(edges[s]), int(edges[s + 1])) for s in (i, j))
    seen = np.zeros(K, dtype=np.int64)
    seen[place[x]] = seen[place[y]] = 1
    own = np.cumsum(seen) - 1  # only the bins that the two have
    bins = int(own[-1]) + 1
    a = _histograms(cells.cell[x] - cells.first[i], own[place[x]], bins)
    b = _histograms(cells.cell[y] - cells.first[j], own[place[y]], bins)
    return _product(a, (np.cumsum(b, axis=1) - b / 2).T)


def _histograms(row: NDArray[np.int64], place: NDArray[np.int64], K: int) -> NDArray[np.float64]:
    rows = int(row.max()) + 1
    return np.bincount(row * K + place, minlength=rows * K).reshape(rows, K).astype(np.float64)


# The figures of a comparison as tables: a line a sheet, a line a pair, limits beside each figure.


def player_table(
    gains: Gains, sheets: Sheets, found: GainComparison, *, engine_rating: float | None = None
) -> pl.DataFrame:
    """Return a line a sheet: who, moves, mean gain, and what it says against the engine."""
    columns: dict[str, object] = {
        **_who(gains, sheets),
        "games": found.cells.games,
        "moves": found.moves.astype(np.int64),
        **_with_limits("mean_gain", found.mean_gain, found.intervals(found.mean_gain_drawn)),
    }
    against = [("engine", found.engine, found.engine_drawn)]
    if found.measured is not None and found.measured_drawn is not None:
        against.append(("measured", found.measured, found.measured_drawn))
    for name, p, drawn in against:
        limits = found.intervals(drawn)
        columns |= _with_limits(f"expected_vs_{name}", p, limits)
        columns |= _with_limits(f"difference_vs_{name}", differences(p), differences(limits))
    if engine_rating is not None:
        limits = engine_rating + differences(found.intervals(found.engine_drawn))
        columns |= _with_limits("strength", engine_rating + differences(found.engine), limits)
    by = [("games" if by_games else "moves") for by_games in found.cells.by_games]
    columns["resampled"] = by if found.resampling.draws else [None] * len(by)
    columns["clusters"] = np.diff(found.cells.first)
    return _frame(columns)


def pair_table(gains: Gains, sheets: Sheets, found: GainComparison) -> pl.DataFrame:
    """Return a line a pair: who, games and score between them, expected score and rating difference."""
    who = pl.DataFrame(_who(gains, sheets))
    first, second = found.pairs[:, 0], found.pairs[:, 1]
    limits = found.pair_intervals()
    where: dict[str, object] = {c: who[c].gather(first) for c in ("game", "round") if c in who.columns}
    if "event" in who.columns:
        where["event"] = who["event"].gather(first)
        if "opponent" not in who.columns:  # across events
            where["opponent_event"] = who["event"].gather(second)
    return _frame(
        {
            "player": who["name"].gather(first),
            "opponent": who["name"].gather(second),
            **where,
            "games": sheets.pairs["games"],
            "score": sheets.pairs["score"],
            **_with_limits("expected", found.expected, limits),
            **_with_limits("difference", differences(found.expected), differences(limits)),
            "moves": found.moves[first].astype(np.int64),
            "opponent_moves": found.moves[second].astype(np.int64),
        }
    )


def labels(players: pl.DataFrame) -> list[str]:
    """Return the name of each line of a table of players, with what tells lines of one player apart.

    Examples
    --------
    >>> labels(pl.DataFrame({"name": ["A", "A"], "opponent": ["B", "B"], "game": [1, 2]}))
    ['A (v. B, game 1)', 'A (v. B, game 2)']
    """
    several = {c: c in players.columns and players[c].n_unique() > 1 for c in ("event", "game")}
    result = []
    for row in players.to_dicts():
        words = [f"v. {row['opponent']}"] if row.get("opponent") else []
        words += [f"game {row['game']}"] if several["game"] else []
        if several["event"]:
            words += [f"@ {row['event'] or '?'}"]
        result.append(f"{row['name']} ({', '.join(words)})" if words else str(row["name"]))
    return result


def _who(gains: Gains, sheets: Sheets) -> dict[str, object]:
    """Return the name of each sheet and what tells it from others of the same player."""
    names, rows = gains.games.players["name"], sheets.rows
    known = {e: gains.ratings(e) for e in rows["event"].unique()}
    ratings = [known[e].get(p) for e, p in rows.select("event", "player").iter_rows()]
    who: dict[str, object] = {
        "name": names.gather(rows["player"]),
        "rating": pl.Series(ratings, dtype=pl.Float64),
    }
    if sheets.view in ("events", "matches"):
        events = [e.name for e in gains.games.events]
        who["event"] = [None if e is None else events[e] for e in rows["event"]]
    if sheets.view in ("matches", "games"):
        who["opponent"] = names.gather(rows["opponent"])
    if sheets.view == "games":
        who["game"] = rows["game"] + 1
        who["round"] = gains.games.table["round"].gather(rows["game"])
        who["colour"] = ["white" if w else "black" for w in rows["white"]]
    return who


def _with_limits(name: str, value: NDArray[np.float64], limits: NDArray[np.float64]) -> dict[str, object]:
    return {name: value, f"{name}_low": limits[:, 0], f"{name}_high": limits[:, 1]}


def _frame(columns: dict[str, object]) -> pl.DataFrame:
    series = [pl.Series(name, values) for name, values in columns.items()]  # type: ignore[arg-type]
    return pl.DataFrame(series).with_columns(pl.selectors.float().fill_nan(None))


# What one distribution of gain is made of, and who is compared with whom.
#
# A sheet is a player's moves in everything that was read, in one event, in one match or in one game.

View = Literal["players", "event", "events", "matches", "games"]
"""players    each player's moves in all that was read; who met is compared [4, 5];
event      the same, event by event, with perceived ratings [table 1];
events     each player's moves in each event; everybody is compared with everybody of other events [table 2];
matches    each player's moves in each match: the games of one event between the same two [table 3];
games      each player's moves in each game [2–4].
"""
MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheets:
    """The sheets of a view, the sheet of every move, and the pairs to be compared.

    `rows` has a line a sheet: `player` (row of the players), `event`, `game` (rows, null where the view does
    not tell them apart) and `opponent`.
    """

    view: View
    rows: pl.DataFrame
    sheet: NDArray[np.int64]
    stratum: NDArray[np.int64]
    pairs: pl.DataFrame
    """`first`, `second` (sheets), `games` between them here, `score` of the first in those."""

    def pair_array(self) -> NDArray[np.int64]:
        """Return the pairs as an array."""
        return self.pairs.select("first", "second").to_numpy().astype(np.int64).reshape(-1, 2)


def sheets_of(gains: Gains, view: View) -> Sheets:
    """Return the sheets of a view."""
    if view not in get_args(View):
        raise UsageError(f"expected one of {', '.join(get_args(View))}, found {view!r}")
    moves = gains.table.select("game", "white", "player").hstack(
        gains.games.table.select("white", "black", "event")[gains.table["game"]].rename({"white": "first"})
    )
    opponent = pl.when("white").then("black").otherwise("first").alias("opponent")
    moves = moves.select("game", "white", "player", opponent, "event")
    keys = _KEYS[view]
    # White first, also where the first move has no gain, as in files that do not evaluate the starting position.
    seated = moves.sort("game", "white", descending=[False, True], maintain_order=True)
    rows = seated.select(keys).unique(maintain_order=True).with_row_index("sheet")
    numbered = moves.join(rows, on=keys, how="left", nulls_equal=True, maintain_order="left")
    sheet = numbered["sheet"].to_numpy().astype(np.int64)
    pairs = _across(rows) if view == "events" else _met(gains, moves, rows, keys)
    stratum = _stratum(moves, view)
    blank = [c for c in ("event", "game", "opponent") if c not in keys]
    shown = rows.with_columns(pl.lit(None, dtype=pl.Int32).alias(c) for c in blank)
    return Sheets(
        view=view,
        rows=shown.select("player", "opponent", "event", "game", *(["white"] if view == "games" else [])),
        sheet=sheet,
        stratum=stratum,
        pairs=pairs,
    )


_KEYS: dict[View, list[str]] = {
    "players": ["player"],
    "event": ["player"],
    "events": ["event", "player"],
    "matches": ["event", "player", "opponent"],
    "games": ["game", "white", "player", "opponent"],
}


def _stratum(moves: pl.DataFrame, view: View) -> NDArray[np.int64]:
    """Return the set of games among which each move's game is drawn."""
    if view in ("players", "event"):
        return np.zeros(moves.height, dtype=np.int64)
    if view == "matches":
        low = pl.min_horizontal("player", "opponent")
        high = pl.max_horizontal("player", "opponent")
        key = moves.select(pl.struct("event", low.alias("low"), high.alias("high")).rank("dense"))
    else:
        key = moves.select(pl.col("event" if view == "events" else "game").fill_null(-1).rank("dense"))
    return key.to_series().to_numpy().astype(np.int64)


def _met(gains: Gains, moves: pl.DataFrame, rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return the pairs of sheets that played each other, with games and score of the first."""
    table = gains.games.table.with_row_index("game").with_columns(pl.col("game").cast(pl.Int32))
    games = table.filter(pl.col("game").is_in(moves["game"].unique()) & pl.col("black").is_not_null())
    both = {}
    for side, other in (("white", "black"), ("black", "white")):
        who = games.select(
            "game",
            "event",
            pl.col(side).alias("player"),
            pl.col(other).alias("opponent"),
            pl.lit(side == "white").alias("white"),
        )
        both[side] = who.select(keys).join(
            rows, on=list(keys), how="left", nulls_equal=True, maintain_order="left"
        )["sheet"]
    paired = pl.DataFrame(
        {"white": both["white"], "black": both["black"], "score": games["score"]}
    ).drop_nulls(["white", "black"])
    first = pl.min_horizontal("white", "black")
    return (
        paired.filter(pl.col("white") != pl.col("black"))
        .with_columns(
            first.alias("first"),
            pl.max_horizontal("white", "black").alias("second"),
            pl.when(pl.col("white") == first).then("score").otherwise(1 - pl.col("score")).alias("score"),
        )
        .group_by("first", "second", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("games"), pl.col("score").sum().alias("score"))
        .select("first", "second", "games", "score")
    )


def _across(rows: pl.DataFrame) -> pl.DataFrame:
    """Return all pairs of sheets from different events."""
    if rows["event"].n_unique() < 2:
        raise UsageError(
            "expected games of at least two events to compare players across them, found one: "
            "give more files, or choose another view"
        )
    event = rows["event"].fill_null(-1).to_numpy()
    i, j = np.triu_indices(len(event), 1)
    apart = event[i] != event[j]
    if int(apart.sum()) > MOST_PAIRS:
        raise UsageError(
            f"expected at most {MOST_PAIRS:,} pairs of players across events, found {int(apart.sum()):,}: "
            "name the players"
        )
    n = int(apart.sum())
    return pl.DataFrame(
        {"first": i[apart], "second": j[apart], "games": [None] * n, "score": [None] * n},
        schema={"first": pl.UInt32, "second": pl.UInt32, "games": pl.Int64, "score": pl.Float64},
    )


# Everything that gain per move says of some games, with intervals: the result behind `arpad gain`.


@dataclass(frozen=True, slots=True, kw_only=True)
class GainReport(Result):
    """Players and pairs with their figures, and what they rest on.

    Figures have their limits beside them: `expected`, `expected_low`, `expected_high`. A difference is infinite where
    an expected score is 0 or 1.
    """

    title: str
    view: View
    players: pl.DataFrame
    pairs: pl.DataFrame
    standing: PerceivedTable | None
    """Perceived ratings and engine strength; in the views event and matches, where there is a solution."""
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    gains: Gains = field(repr=False)
    sheets: Sheets = field(repr=False)
    comparison: GainComparison = field(repr=False)

    def table(self) -> pl.DataFrame:
        """Return the players."""
        return self.players

    def summary(self) -> str:
        """Return one sentence on the moves and the method."""
        games = self.gains.table["game"].n_unique()
        people = self.gains.table["player"].n_unique()
        return (
            f"{self.title}: gain of {len(self.gains):,} move{'' if len(self.gains) == 1 else 's'} in {games:,} game{'' if games == 1 else 's'} by "
            f"{people:,} player{'' if people == 1 else 's'} ({self.parameters['evaluations']}; "
            f"mate {MATE / CENTIPAWNS:.2f})"
        )


def gain_reports(
    gains: Gains,
    *,
    view: View = "players",
    one_event: bool = False,
    engine_rating: float | None = None,
    measured: GainDistribution | None = None,
    resampling: Resampling | None = None,
) -> list[GainReport]:
    """Return a report, or one an event where that is the view and events are not to be taken together."""
    parts = [("all games", gains)]
    if view == "event" and not one_event:
        parts = _by_event(gains)
    elif len(gains.games.events) == 1:
        parts = [(gains.games.events[0].name, gains)]
    how: dict[str, Any] = {"engine_rating": engine_rating, "measured": measured, "resampling": resampling}
    return [gain_report(part, view=view, title=title, **how) for title, part in parts]


def gain_report(
    gains: Gains | GamesWithValues,
    *,
    view: View = "players",
    title: str = "all games",
    engine_rating: float | None = None,
    measured: GainDistribution | None = None,
    resampling: Resampling | None = None,
) -> GainReport:
    """Measure players by their gain per move, against the engine and against each other.

    Parameters
    ----------
    gains
        A PGN file with evaluations, games with evaluations, or the gains of their moves.
    engine_rating
        The engine's rating, taken as exact, which makes perceived strengths of differences; None: where the players' own
        ratings put it.
    measured
        The engine's own distribution of gain, beside the one that is always 0.
    """
    if not isinstance(gains, Gains):
        gains = measure(gains)
    how = resampling or Resampling()
    if engine_rating is not None and not math.isfinite(engine_rating):
        raise UsageError(f"expected the engine's rating as a number, found {engine_rating!r}")
    sheets = sheets_of(gains, view)
    result = compare(
        gains.column("gain"),
        sheets.sheet,
        gains.column("game"),
        gains.column("ply"),
        sheets=sheets.rows.height,
        pairs=sheets.pair_array(),
        stratum=sheets.stratum,
        measured=measured,
        resampling=how,
    )
    own = engine_level(gains, sheets, result)
    level = engine_rating if engine_rating is not None else own
    notes = [*gains.notes(), *_contradicted(engine_rating, own), *_notes(result)]
    people = player_table(gains, sheets, result, engine_rating=level)
    people = people.with_columns(*_others(gains, sheets))
    ladder: PerceivedTable | None = None
    if view in ("event", "matches"):
        try:
            ladder = standing(gains, sheets, result, gains.ratings())
        except InputError as error:
            notes.append(f"no perceived ratings: {error}")
    return GainReport(
        title=title,
        view=view,
        players=people,
        pairs=pair_table(gains, sheets, result),
        standing=ladder,
        parameters=_parameters(gains, view, engine_rating, level, measured, how),
        notes=tuple(notes),
        gains=gains,
        sheets=sheets,
        comparison=result,
    )


def _by_event(gains: Gains) -> list[tuple[str, Gains]]:
    events = gains.games.table["event"].gather(gains.table["game"])
    parts = []
    for event in events.unique(maintain_order=True):
        inside = events.is_null() if event is None else (events == event).fill_null(False)
        name = "no event" if event is None else gains.games.events[event].name
        left_out = gains.left_out.filter(
            gains.games.table["event"].gather(gains.left_out["game"]).eq_missing(event)
        )
        table = gains.games.table
        mine = table.filter(table["event"].eq_missing(event))
        forfeits = int((mine["status"] == "forfeit").sum())
        parts.append((name, gains.part(inside, left_out, forfeits)))
    return parts


def _others(gains: Gains, sheets: Sheets) -> list[pl.Series]:
    n = sheets.rows.height
    lost = np.bincount(sheets.sheet, weights=losses(gains).to_numpy(), minlength=n)
    moves = np.bincount(sheets.sheet, minlength=n)
    side = gains.table.select("game", "white").with_columns(sheet=pl.Series(sheets.sheet))
    of_games = (
        accuracies(gains)
        .join(side.unique(), on=["game", "white"])
        .group_by("sheet")
        .agg(pl.col("accuracy").sort().mean())
    )
    accuracy = dict(of_games.iter_rows())
    return [
        pl.Series("average_centipawn_loss", lost / moves),
        pl.Series("lichess_accuracy", [accuracy.get(s) for s in range(n)], dtype=pl.Float64),
    ]


def _notes(found: GainComparison) -> list[str]:
    notes = []
    few = found.cells.by_games.size - int(found.cells.by_games.sum())
    if few and found.resampling.draws:
        who = "each player" if few == len(found.cells.by_games) else f"{few} of {len(found.cells.by_games)}"
        notes.append(
            f"fewer than {FEWEST} games for {who}: the intervals come from blocks of moves drawn at random, because the games are too few; they leave "
            "out differences between games and are too narrow"
        )
    return notes


def engine_level(gains: Gains, sheets: Sheets, found: GainComparison) -> float | None:
    """Return where the players' own ratings put the engine: the mean of rating less difference, weighted by moves [6].

    None where fewer than two lines have a rating and a finite difference: one alone would get its own rating back.
    """
    rating = player_table(gains, sheets, found)["rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    put = rating - differences(found.engine)
    known = np.isfinite(put)
    return float(np.average(put[known], weights=found.moves[known])) if known.sum() > 1 else None


FAR = 100.0
"""Points between a given rating of the engine and the one that the players' ratings give, from which a note says so."""


def _contradicted(given: float | None, own: float | None) -> list[str]:
    if given is None or own is None or abs(given - own) <= FAR:
        return []
    said = (
        f"the engine's rating given, {given:.0f}, contradicts the players' own ratings, which put it at {own:.0f}: all "
        f"perceived strengths are {given - own:+.0f} points off the level of those ratings"
    )
    return [said]


def _parameters(
    gains: Gains,
    view: View,
    engine_rating: float | None,
    level: float | None,
    measured: GainDistribution | None,
    how: Resampling,
) -> dict[str, object]:
    source = "given" if engine_rating is not None else "the players' own ratings"
    return {
        "view": view,
        "evaluations": gains.source,
        "mate": MATE / CENTIPAWNS,
        "engine": "zero gain",
        "engine_rating": engine_rating,
        "engine_level": level,
        "engine_level_from": None if level is None else source,
        "measured_engine_moves": None if measured is None else int(measured.moves),
        **CURVE.parameters(),
        **how.parameters(),
    }
