"""The steps behind ratings."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.model import Games, Player
from arpad.rate import system
from arpad.rate.workings import UNDIVIDED, Workings, player_rows, remainder, workings


def test_a_system_that_does_not_divide_gives_one_step_a_player():
    games = Games.build([("Ann", "Bob", 1.0), ("Bob", "Cay", 0.5)])
    ratings, shown = workings(system("harkness"), games)
    assert not shown.divided
    assert shown.steps["player"].to_list() == [0, 1, 2]
    assert shown.steps["rule"].unique().to_list() == [f"first rating; {UNDIVIDED}"]
    assert UNDIVIDED in shown.summary()
    again, second = workings(system("harkness"), games, ratings)
    names = again.rows.sort("player")
    assert second.steps["change"].to_list() == pytest.approx(names["change"].to_list())


def test_namesakes_are_told_apart_by_their_ids():
    people = [Player(name="Ann", id="1"), Player(name="Ann", id="2"), Player(name="Bob")]
    columns = {"white": [1, 0], "black": [2, 2], "score": [1.0, 0.0]}
    games = Games.assemble(columns, people)
    ratings = system("elo").rate(games)
    rows = player_rows(games, ratings)
    assert games.players["id"].gather(rows).to_list() == ratings.rows["id"].to_list()


def test_what_is_left_over_is_a_step_and_then_all_adds_up_exactly():
    steps = pl.DataFrame({"player": [0, 0, 1], "change": [0.1, 0.2, 4.6]})
    more = remainder(
        steps,
        player=pl.Series([0, 1, 2]),
        before=pl.Series([1500.0, 1600.4, None]),
        after=pl.Series([1500.0, 1605.0, 0.0]),
        rule="rounding",
    )
    assert more["player"].to_list() == [0]
    assert 1500.0 + 0.1 + 0.2 + more["change"][0] == 1500.0
    assert more["rule"].to_list() == ["rounding"]


def test_steps_are_put_in_the_order_of_players_and_numbered():
    steps = pl.DataFrame({"player": [1, 0, 1], "change": [1.0, 2.0, 3.0], "rule": ["a", "b", "c"]})
    built = Workings.build("elo", steps).steps
    assert built.select("player", "seq", "change").rows() == [(0, 0, 2.0), (1, 0, 1.0), (1, 1, 3.0)]
