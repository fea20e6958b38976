"""The figures of a comparison as tables: a line a sheet, a line a pair, limits beside each figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.moves.expected import difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from arpad.moves.comparison import Comparison
    from arpad.moves.measured import Gains
    from arpad.moves.sheets import Sheets

__all__ = ["labels", "pair_table", "player_table"]

Limits = list[tuple[float, float]]


def player_table(
    gains: Gains, sheets: Sheets, found: Comparison, *, engine_rating: float | None = None
) -> pl.DataFrame:
    """Return a line a sheet: who, moves, mean gain, and what it says against the engine."""
    n = sheets.rows.height
    resampled = [("games" if by_games else "moves") for by_games in found.cells.by_games]
    columns: dict[str, object] = {
        **_who(gains, sheets),
        "games": found.cells.games,
        "moves": found.moves.astype(np.int64),
    }
    columns |= _with_limits("mean_gain", found.mean_gain, _limits(found, found.mean_gain_drawn, n))
    against = [("engine", found.engine, found.engine_drawn)]
    if found.measured is not None and found.measured_drawn is not None:
        against.append(("measured", found.measured, found.measured_drawn))
    for name, p, drawn in against:
        limits = _limits(found, drawn, n)
        columns |= _with_limits(f"expected_vs_{name}", p, limits)
        columns |= _with_limits(f"difference_vs_{name}", p, limits, _d)
    if engine_rating is not None:
        level = float(engine_rating)
        limits = _limits(found, found.engine_drawn, n)
        columns |= _with_limits("strength", found.engine, limits, lambda p: level + _d(p))
    columns["resampled"] = resampled if found.resampling.draws else [None] * n
    columns["clusters"] = np.diff(found.cells.first)
    return _frame(columns)


def pair_table(gains: Gains, sheets: Sheets, found: Comparison) -> pl.DataFrame:
    """Return a line a pair: who, games and score between them, expected score and rating difference."""
    who = pl.DataFrame(_who(gains, sheets))
    first, second = found.pairs[:, 0], found.pairs[:, 1]
    limits = (
        [found.pair_interval(k) for k in range(len(found.pairs))]
        if found.resampling.draws
        else [(np.nan, np.nan)] * len(found.pairs)
    )
    columns: dict[str, object] = {
        "player": who["name"].gather(first),
        "opponent": who["name"].gather(second),
        **_where(who, first, second),
        "games": sheets.pairs["games"],
        "score": sheets.pairs["score"],
        **_with_limits("expected", found.expected, limits),
        **_with_limits("difference", found.expected, limits, _d),
        "moves": found.moves[first].astype(np.int64),
        "opponent_moves": found.moves[second].astype(np.int64),
    }
    return _frame(columns)


def labels(players: pl.DataFrame) -> list[str]:
    """Return the name of each line of a table of players, with what tells lines of one player apart.

    Examples
    --------
    >>> labels(pl.DataFrame({"name": ["A", "A"], "opponent": ["B", "B"], "game": [1, 2]}))
    ['A (v. B, game 1)', 'A (v. B, game 2)']
    """
    several = {c: c in players.columns and players[c].n_unique() > 1 for c in ("event", "game")}
    found = []
    for row in players.to_dicts():
        words = [f"v. {row['opponent']}"] if row.get("opponent") else []
        words += [f"game {row['game']}"] if several["game"] else []
        if several["event"]:
            words += [f"@ {row['event'] or '?'}"]
        found.append(f"{row['name']} ({', '.join(words)})" if words else str(row["name"]))
    return found


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


def _where(
    who: pl.DataFrame, first: NDArray[np.int64], second: NDArray[np.int64]
) -> dict[str, object]:
    where: dict[str, object] = {}
    if "game" in who.columns:
        where["game"] = who["game"].gather(first)
        where["round"] = who["round"].gather(first)
    if "event" in who.columns:
        where["event"] = who["event"].gather(first)
        if "opponent" not in who.columns:  # across events
            where["opponent_event"] = who["event"].gather(second)
    return where


def _limits(found: Comparison, drawn: NDArray[np.float64], n: int) -> Limits:
    if not found.resampling.draws:
        return [(np.nan, np.nan)] * n
    return [found.sheet_interval(drawn, s) for s in range(n)]


def _d(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rating differences, NaN where there is no expected score."""
    d = np.full(len(p), np.nan)
    known = ~np.isnan(p)
    d[known] = difference(np.clip(p[known], 0.0, 1.0))
    return d


def _with_limits(
    name: str,
    value: NDArray[np.float64],
    limits: Limits,
    turned: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> dict[str, object]:
    pair = np.asarray(limits, dtype=np.float64).reshape(-1, 2)
    turn = turned or (lambda v: v)
    return {
        name: turn(value),
        f"{name}_low": turn(pair[:, 0]),
        f"{name}_high": turn(pair[:, 1]),
    }


def _frame(columns: dict[str, object]) -> pl.DataFrame:
    series = [pl.Series(name, values) for name, values in columns.items()]  # type: ignore[arg-type]
    return pl.DataFrame(series).with_columns(pl.selectors.float().fill_nan(None))
