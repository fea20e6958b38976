"""Check a rating system of your own: `check_system` runs what every built-in one promises."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace

import numpy as np
import polars as pl

from arpad.errors import PromiseError
from arpad.lab.coverage import KnownWorld, coverage
from arpad.model import Games, Player, Ratings
from arpad.rate.system import RatingSystem, State, rate, workings


def example_games(*, players: int = 8, months: int = 6, games: int = 24, seed: int = 1) -> Games:
    """Return games of a small club, drawn by lot: this many a month, with dates and given ratings."""
    rng = np.random.default_rng(seed)
    n = months * games
    white = rng.integers(0, players, n)
    black = (white + rng.integers(1, players, n)) % players
    days = [dt.date(2024, 1 + i // games % 12, 1 + i % 28) for i in range(n)]
    columns = {"white": white, "black": black, "score": rng.choice([0.0, 0.5, 1.0], n), "date": sorted(days)}
    people = [
        Player(name=f"P{i}", id=str(i), rating=None if i % 4 == 3 else 1500.0 + 100 * i)
        for i in range(players)
    ]
    return Games.assemble(columns, people)


def check_system(system: RatingSystem) -> None:
    """Raise an error with the promise that a rating system does not keep.

    The state is not changed, goes through both codecs, takes new players and people on an earlier list;
    ratings have the usual columns; a traced run gives the same ratings, and its steps add up; expected
    scores are from 0 to 1; neither the order of rows within a day and round nor the players' names matter;
    printed errors are of the right size in a small world where every strength is known.
    """
    games = example_games()
    _promise(isinstance(system, RatingSystem), "has name, parameters, begin, advance, ratings and expected")
    _promise(bool(system.name) and isinstance(system.parameters(), dict), "has a name and parameters")
    begun = system.begin(games.players)
    _promise(
        isinstance(begun, State) and len(begun) == games.players.height, "begins with one row for each player"
    )
    _promise({"player", "id", "games"} <= set(begun.rows.columns), "has the columns player, id and games")
    kept = begun.rows.clone()
    table = games.table.clone()
    state = system.advance(begun, games)
    _promise(begun.rows.equals(kept), "does not change the state that it advances")
    _promise(games.table.equals(table), "does not change the games")
    _check_codec(system, state, games)
    _check_list(system, games)
    _check_expected(system, state)
    _check_growth(system, games)
    _check_order(system, games)
    _check_errors(system)


def _check_codec(system: RatingSystem, state: State, games: Games) -> None:
    once = system.ratings(state).rows
    for copy in (State.from_parquet(state.to_parquet()), State.from_json(state.to_json())):
        _promise(system.ratings(copy).rows.equals(once), "keeps all its data in the state")
        again, there = (system.advance(each, games) for each in (state, copy))
        _promise(
            system.ratings(again).rows.equals(system.ratings(there).rows), "continues from a stored state"
        )


def _check_list(system: RatingSystem, games: Games) -> None:
    listed = rate(system, games)
    needed = {"rank", "player", "id", "rating", "error", "games"}
    _promise(needed <= set(listed.rows.columns), f"lists {', '.join(sorted(needed))}")
    figures = listed.rows["rating"].drop_nulls().to_list()
    _promise(figures == sorted(figures, reverse=True), "lists the best first")
    _promise(all(e is None or not e < 0 for e in listed.rows["error"]), "has no error below 0")
    told, steps = workings(system, games)
    _promise(told.rows.equals(listed.rows), "gives the same ratings when it is traced")
    sums = dict(steps.steps.group_by("player").agg(pl.col("change").sum()).iter_rows())
    for player, rating in listed.rows.select("player", "rating").iter_rows():
        row = int(player[1:])
        _promise(
            math.isclose(sums.get(row, 0.0), rating or 0.0, abs_tol=1e-6),
            "has steps that add up to the rating",
        )
    later = rate(system, games, listed)
    _promise(later.rows.height == listed.rows.height, "continues from a list")
    nobody = Games.assemble({"white": [], "black": [], "score": []}, {"name": []})
    _promise(rate(system, nobody).rows.height == 0, "rates no games at all")


def _check_expected(system: RatingSystem, state: State) -> None:
    n = len(state)
    white, black = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    expected = np.asarray(system.expected(state, white, black))
    known = expected[~np.isnan(expected)]
    _promise(len(expected) == n * n, "expects a score of every pairing")
    _promise(bool(((known >= 0) & (known <= 1)).all()), "expects scores from 0 to 1")


def _check_growth(system: RatingSystem, games: Games) -> None:
    """Advance by two halves, of which the second has more players."""
    if getattr(system, "whole_past", False):
        return
    half = games.table.filter(pl.max_horizontal("white", "black") < games.players.height - 2)
    some = Games(half, games.players.head(games.players.height - 2), games.events)
    state = system.advance(system.begin(some.players), some)
    state = system.advance(state, games)
    _promise(len(state) == games.players.height, "takes new players")


def _check_order(system: RatingSystem, games: Games) -> None:
    """Shuffle games of which nothing says which came first, and rename everybody."""
    table = games.table.with_columns(pl.col("date").dt.month_start())
    # Nobody is twice in a round.
    count = [0] * games.players.height
    rounds = []
    for white, black in table.select("white", "black").iter_rows():
        count[white] = count[black] = max(count[white], count[black]) + 1
        rounds.append(str(count[white]))
    table = table.with_columns(pl.Series("round", rounds, dtype=table.schema["round"]))
    one = rate(system, Games(table, games.players, games.events))
    rng = np.random.default_rng(2)
    shuffled = table[rng.permutation(table.height).tolist()]
    other = rate(system, Games(shuffled, games.players, games.events))
    _promise(_alike(one, other), "gives the same ratings whatever the order of rows within a day and round")
    names = pl.Series("name", [f"Q{len(games.players) - i}" for i in range(games.players.height)])
    renamed = rate(system, Games(table, games.players.with_columns(names), games.events))
    back = dict(zip(names, games.players["name"], strict=True))
    rows = renamed.rows.with_columns(pl.col("player").replace_strict(back, return_dtype=pl.String))
    _promise(_alike(one, replace(renamed, rows=rows)), "gives the same ratings whatever players are called")


def _alike(one: Ratings, other: Ratings) -> bool:
    left, right = (
        dict(each.rows.select("player", pl.col("rating").fill_nan(None)).iter_rows()) for each in (one, other)
    )
    return left.keys() == right.keys() and all(
        math.isclose(left[p] or 0.0, right[p] or 0.0, abs_tol=NEAR) for p in left
    )


def _check_errors(system: RatingSystem) -> None:
    result = coverage([system], {"small": KnownWorld(players=40, rounds=12)}, seeds=1).rows["own_covered"][0]
    _promise(
        result is None or result >= LEAST_COVERAGE,
        f"prints errors that hold {LEAST_COVERAGE:.0%} of true strengths or more, not {result or 0:.0%}",
    )


LEAST_COVERAGE = 0.5
"""A 95 % interval that holds fewer true strengths in a small world is an error of another size or scale."""
NEAR = 0.05
"""Points: ratings that are fitted agree so far."""


def _promise(kept: bool, what: str) -> None:
    if not kept:
        raise PromiseError(f"expected a rating system that {what}")
