"""Games and evaluations become decisions: who chose what, among which lines."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from arpad.evaluation import EngineLine, Evaluation, evaluation_frame
from arpad.model import Games
from arpad.moves.average_error import Filters
from arpad.moves.evaluated_games import EvaluatedGames
from arpad.moves.ipr.decisions import (
    MODEL_FILTERS,
    decisions,
    filters_document,
    filters_of,
    played_outside,
    with_players,
)
from arpad.moves.positions import positions

ALL = Filters(first_turn=1, judged="here", forced=False)


def evaluation(epd, *lines, searchmoves=""):
    found = [
        EngineLine(move=m, cp=v if isinstance(v, int) else None, mate=None if isinstance(v, int) else int(v), depth=5, nodes=9)
        for m, v in lines
    ]  # fmt: skip
    return Evaluation(epd=epd, lines=tuple(found), searchmoves=searchmoves)


@pytest.fixture
def played():
    """1 e4 e5 2 Nf3, A (2500) against B (2400)."""
    games = Games.build([("A", "B", 1.0)])
    table = games.table.with_columns(
        white_rating=pl.lit(2500.0), black_rating=pl.lit(2400.0), date=pl.date(1972, 7, 11)
    )
    games = Games(table=table, players=games.players, events=games.events)
    rows = {"game": [0] * 4, "ply": [0, 1, 2, 3], "san": [None, "e4", "e5", "Nf3"]}
    return with_players(positions(EvaluatedGames.build(games, rows)), games)


def said(played, first=30, second=25, third=40):
    epd = played["epd"].to_list()
    return evaluation_frame(
        [
            evaluation(epd[0], ("d2d4", first), ("e2e4", first - 10)),
            evaluation(epd[1], ("e7e5", second), ("c7c5", second + 10)),
            evaluation(epd[2], ("b1c3", third), ("d2d4", 0)),
        ]
    )


def alone(played, cp=-60):
    return evaluation_frame([evaluation(played["epd"][2], ("g1f3", cp), searchmoves="g1f3")])


def test_lines_are_seen_from_the_mover_and_a_move_outside_them_has_its_own_value(played):
    found = decisions(played, said(played), alone(played), filters=ALL)
    assert found.rows["uci"].to_list() == ["e2e4", "e7e5", "g1f3"]
    assert found.choices.played.tolist() == [1, 0, 2]
    assert found.rows["value"].to_list() == [0.30, -0.25, 0.40]
    assert found.rows["lost"].round(6).to_list() == [0.10, 0.0, 1.0]
    assert found.choices.loss[2] == pytest.approx(np.log(1.4) + np.log(1.6))
    assert found.choices.count.tolist() == [[1, 1, 0, 18], [1, 1, 0, 18], [1, 1, 1, 26]]
    # The moves behind the last line stand at its value.
    assert found.choices.delta[1, 3] == pytest.approx(np.log(1.35) - np.log(1.25))


def test_every_row_says_who_when_and_with_which_rating(played):
    rows = decisions(played, said(played), alone(played), filters=ALL).rows
    assert rows["player"].to_list() == [0, 1, 0]
    assert rows["opponent"].to_list() == [1, 0, 1]
    assert rows["rating"].to_list() == [2500.0, 2400.0, 2500.0]
    assert rows["white"].to_list() == [True, False, True]
    assert rows["year"].to_list() == [1972] * 3
    assert rows["turn"].to_list() == [1, 1, 2]
    assert rows["legal"].to_list() == [20, 20, 29]


def test_only_moves_outside_the_lines_that_count_are_asked_for(played):
    assert played_outside(played, said(played), ALL).rows() == [(played["epd"][2], "g1f3")]
    assert played_outside(played, said(played), MODEL_FILTERS).is_empty()
    assert played_outside(played, said(played, third=301), ALL).is_empty()


def test_a_move_that_was_not_searched_is_left_out_and_counted(played):
    found = decisions(played, said(played), alone(played).clear(), filters=ALL)
    assert found.left_out["not_searched"] == 1
    assert found.rows["uci"].to_list() == ["e2e4", "e7e5"]


def test_a_position_without_lines_is_left_out_and_counted(played):
    lines = said(played).filter(pl.col("epd") != played["epd"][1])
    found = decisions(played, lines, alone(played), filters=ALL)
    assert found.left_out["failed"] == 1
    assert found.rows["uci"].to_list() == ["e2e4", "g1f3"]
    assert len(decisions(played, lines.clear(), alone(played), filters=ALL)) == 0


@pytest.mark.parametrize(("cp", "kept"), [(300, 3), (301, 2), (-300, 3), (-301, 2)])
def test_the_window_takes_its_edge_in(played, cp, kept):
    found = decisions(played, said(played, second=cp), alone(played), filters=ALL)
    assert len(found) == kept
    assert found.left_out["decided"] == 3 - kept


def test_mates_and_what_is_beyond_them_stand_at_the_cut_off(played):
    epd = played["epd"].to_list()
    lines = said(played).filter(pl.col("epd") != epd[0])
    lines = pl.concat([lines, evaluation_frame([evaluation(epd[0], ("d2d4", 0), ("e2e4", "-3"))])])
    found = decisions(played, lines, alone(played, cp=-9999), filters=ALL)
    assert found.choices.loss[0] == pytest.approx(np.log(40))
    assert found.choices.loss[2] == pytest.approx(np.log(1.4) + np.log(40))


def test_where_keeps_choices_and_rows_together(played):
    found = decisions(played, said(played), alone(played), filters=ALL)
    mine = found.where(found.rows["player"] == 0)
    assert len(mine) == mine.rows.height == 2
    assert mine.choices.played.tolist() == [1, 2]


def test_filters_walk_through_a_calibration_and_back():
    for filters in (ALL, MODEL_FILTERS, Filters()):
        assert filters_of(filters_document(filters)) == filters
    assert filters_of({"per_mark": 2000}) == MODEL_FILTERS
