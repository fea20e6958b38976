"""Games to errors: whose, which count, and what is said of the rest."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.evaluation import EngineLine, Evaluation, evaluation_frame
from arpad.model import Event, Games
from arpad.moves.average_error import ErrorFilters, Filters, decision_errors, left_out_words, measure_errors
from arpad.moves.error_report import EventFilter, of_events
from arpad.moves.evaluated_games import EvaluatedGames, from_positions, read_evaluated
from arpad.moves.ipr.decisions import decisions, with_players
from arpad.moves.positions import positions
from tests.moves.events import CENTURY, evaluated

ALL = Filters(first_turn=1, window=38.0, repeated=False)
BACK = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "e6"]
"""A position that comes back."""


def of(sans, cp, *, score=0.5, **columns):
    rows = {"game": [0] * len(cp), "ply": range(len(cp)), "san": [None, *sans], "cp": cp, **columns}
    return EvaluatedGames.build(Games.build([("A", "B", score)]), rows)


def test_each_player_has_the_errors_of_his_own_moves():
    found = measure_errors(evaluated([("A", "B", 0.5)], [[0, -50, -20, -20]]), filters=ALL)
    rows = found.table.select("player", "white", "turn", pl.col("raw").round(2)).rows()
    assert rows == [(0, True, 1, 0.5), (1, False, 1, 0.3), (0, True, 2, 0.0)]
    assert found.table["matched"].null_count() == 3
    assert any("own choices are unknown" in note for note in found.notes())


def test_a_repeated_position_counts_once():
    games = of(BACK, [0] * 9)
    found = measure_errors(games, filters=Filters(first_turn=1))
    assert found.table["ply"].to_list() == [0, 1, 2, 3]
    assert found.left_out["repeated"] == 4
    kept = measure_errors(games, filters=Filters(first_turn=1, repeated=False))
    assert len(kept) == 8
    never = measure_errors(
        of([*BACK, "e4"], [0] * 10), filters=ErrorFilters(first_turn=1, first_of_repeated=False)
    )
    assert never.table["ply"].to_list() == [8]


def test_the_only_legal_move_can_be_left_out():
    sans = ["e4", "f6", "Qh5", "g6"]  # after 2 Qh5+ only g6
    games = of(sans, [30, 30, 90, 90, 120])
    found = measure_errors(games, filters=Filters(first_turn=1, forced=False))
    assert found.table["ply"].to_list() == [0, 1, 2]
    assert found.left_out["forced"] == 1


def test_mates_count_as_much_as_the_cap():
    games = of(["f3", "e5", "g4", "Qh4#"], [0, -60, None, None, None], mate=[None, None, -2, -1, None])
    found = measure_errors(games, filters=Filters(first_turn=1, window=9.0), cap=10.0)
    # White goes from −.60 into mate, then Black's moves keep it.
    assert found.table["raw"].round(2).to_list() == [0.6, 0.0, 0.0]
    wide = measure_errors(games, filters=Filters(first_turn=1, window=38.0), cap=39.0)
    assert wide.table["raw"].round(2).to_list() == [0.6, 0.0, 0.0]
    blunder = of(["e4", "f6"], [0, 20, None], mate=[None, None, 3])
    for cap in (10.0, 39.0):
        lost = measure_errors(blunder, filters=Filters(first_turn=1), cap=cap)
        assert lost.table["raw"][1] == pytest.approx(cap - 0.2)


def test_the_engines_own_choice_costs_nothing():
    games = of(["e4", "e5"], [30, 10, 90])
    places = positions(games)
    said = pl.DataFrame({"epd": places["epd"], "line": 1, "move": ["e2e4", "c7c5", "g1f3"], "cp": [30, 10, 90]})  # fmt: skip
    found = measure_errors(
        from_positions(places, said, games, source="an engine"), filters=Filters(first_turn=1)
    )
    assert found.table["raw"].round(2).to_list() == [0.0, 0.8]
    assert found.table["matched"].to_list() == [True, False]
    assert not any("own choices are unknown" in note for note in found.notes())


def test_two_lines_of_one_search():
    games = of(["e4", "e5"], [None, None, None])
    places = with_players(positions(games), games.games)
    epd = places["epd"].to_list()

    def said(place, *lines, searchmoves=""):
        all_ = [EngineLine(move=m, cp=v, mate=None, depth=5, nodes=9) for m, v in lines]
        return Evaluation(epd=place, lines=tuple(all_), searchmoves=searchmoves)

    lines = evaluation_frame([said(epd[0], ("d2d4", 30), ("e2e4", 10)), said(epd[1], ("c7c5", 20), ("e7e6", 30))])  # fmt: skip
    own = evaluation_frame([said(epd[1], ("e7e5", 2500), searchmoves="e7e5")])
    chosen = decisions(places, lines, own, filters=Filters(first_turn=1, judged="here"))
    found = decision_errors(chosen, games.games, source="an engine", cap=10.0)
    assert found.method == "Multi-PV"
    assert found.table["raw"].round(2).to_list() == [0.2, 9.8]  # the blunder outside the lines, cut
    assert found.table["advantage"].to_list() == pytest.approx([0.3, -0.2])
    whole = decision_errors(chosen, games.games, source="an engine")
    assert whole.table["scaled"].to_list() == pytest.approx(chosen.choices.loss.tolist())
    with pytest.raises(InputError, match="found none"):
        decision_errors(chosen.where(pl.Series([False, False])), games.games, source="an engine")


def test_the_bundled_game_from_move_9():
    found = measure_errors(read_evaluated(CENTURY))
    assert len(found) == 20  # Byrne is beyond three pawns from move 19 on
    assert found.left_out == {"opening": 16, "decided": 46, "repeated": 0, "unknown": 0}
    assert found.table["turn"].min() == 9


def games_of(lines):
    names = [(f"P{i % 3}", f"P{(i + 1) % 3}", 0.5) for i in range(len(lines))]
    return evaluated(names, lines)


LINES = st.lists(st.lists(st.integers(-900, 900), min_size=2, max_size=30), min_size=1, max_size=6)
FILTERS = Filters(first_turn=3, repeated=False)


@given(lines=LINES)
def test_errors_are_never_negative_and_scaled_ones_never_larger(lines):
    found = measure_errors(games_of(lines), filters=ALL)
    assert (found.column("raw") >= 0).all()
    assert (found.column("scaled") <= found.column("raw") + 1e-12).all()
    assert (found.column("scaled") >= 0).all()


@given(lines=LINES)
def test_changing_colours_changes_nothing(lines):
    """The mirrored game begins with Black: values, movers and players change sides."""
    games = games_of(lines)
    turn = pl.when(games.table["turn"] == "w").then(pl.lit("b")).otherwise(pl.lit("w"))
    mirrored = EvaluatedGames.build(
        Games.assemble(
            {"white": games.games.table["black"], "black": games.games.table["white"],
             "score": 1 - games.games.table["score"]},
            {"name": games.games.players["name"]},
        ),
        games.table.with_columns(turn=turn.cast(games.table.schema["turn"]), cp=-games.table["cp"]),
    )  # fmt: skip
    try:
        one = measure_errors(games, filters=FILTERS)
    except InputError:
        with pytest.raises(InputError):
            measure_errors(mirrored, filters=FILTERS)
        return
    two = measure_errors(mirrored, filters=FILTERS)
    for name in ("raw", "scaled", "advantage"):
        assert two.column(name) == pytest.approx(one.column(name))
    assert (two.table["player"] == one.table["player"]).all()
    assert (two.table["white"] != one.table["white"]).all()


@given(
    lines=LINES,
    first=st.integers(1, 9),
    last=st.integers(9, 15),
    window=st.floats(0.1, 8),
    judged=st.sampled_from(["previous", "here"]),
)
def test_filters_only_remove(lines, first, last, window, judged):
    games = games_of(lines)
    all_ = measure_errors(games, filters=ALL).table
    rules = ErrorFilters(first_turn=first, last_turn=last, window=window, judged=judged, repeated=False)
    try:
        found = measure_errors(games, filters=rules)
    except InputError as error:
        assert "found none of" in str(error)  # noqa: PT017
        return
    inside = found.table.join(all_, on=all_.columns, how="semi", nulls_equal=True)
    assert inside.height == len(found)
    assert len(found) + sum(found.left_out.values()) == all_.height


def test_games_without_play_do_not_count():
    games = evaluated([("A", "B", 0.5), ("A", "B", 1.0)], [[0, 10, 20], [0, 900]])
    table = games.games.table.with_columns(status=pl.Series(["played", "forfeit"], dtype=games.games.table.schema["status"]))  # fmt: skip
    games = EvaluatedGames.build(Games(table, games.games.players), games.table)
    found = measure_errors(games, filters=ALL)
    assert (len(found), found.forfeits) == (2, 1)
    assert found.notes()[0] == "1 game decided without play left out"


def test_what_is_left_out_is_said():
    assert left_out_words({"opening": 1, "late": 2}, ErrorFilters(last_turn=32)) == "1 move before move 9, 2 after move 32"  # fmt: skip
    assert left_out_words({"opening": 0}, Filters()) == ""


def test_what_is_refused():
    bare = EvaluatedGames.build(Games.build([("A", "B", 1.0)]), {"game": [0] * 3, "ply": [0, 1, 2]})
    with pytest.raises(InputError, match="let an engine analyse"):
        measure_errors(bare, filters=ALL)
    with pytest.raises(InputError, match="`san`"):
        measure_errors(bare)
    with pytest.raises(InputError, match=r"found none of 2 \(2 moves before move 9"):
        measure_errors(of(["e4", "e5"], [0, 0, 0]))
    with pytest.raises(InputError, match="expected games with moves"):
        measure_errors(of([], [0]))
    with pytest.raises(UsageError, match="cap above the window"):
        measure_errors(of(["e4"], [0, 0]), cap=3.0)


def test_only_some_events():
    games = evaluated([("A", "B", 0.5), ("C", "D", 0.5)], [[0, 10], [0, 20]])
    rated = games.games.table.with_columns(
        event=pl.Series([0, 1], dtype=pl.Int32),
        white_rating=pl.Series([2600.0, 2300.0]),
        black_rating=pl.Series([2600.0, 2300.0]),
    )
    world = Games(rated, games.games.players, (Event(name="strong"), Event(name="weak")))
    found = measure_errors(EvaluatedGames.build(world, games.table), filters=ALL)
    assert of_events(found, EventFilter()) is found
    strong = of_events(found, EventFilter(least=11))
    assert strong.table["game"].to_list() == [0]
    assert of_events(found, EventFilter(most=3)).table["game"].to_list() == [1]
    assert strong.is_part
    with pytest.raises(InputError, match="expected round robins from category 11, found none among 2"):
        of_events(found, EventFilter(least=11, round_robin=True))
    with pytest.raises(UsageError, match="from low to high"):
        EventFilter(least=12, most=11)
    assert np.isfinite(strong.column("raw")).all()
