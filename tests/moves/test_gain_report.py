from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Event, Games
from arpad.moves.evaluated_games import EvaluatedGames
from arpad.moves.gain import GainDistribution, expected, measure
from arpad.moves.gain_report import compare, gain_report, gain_reports, sheets_of
from arpad.moves.perceived_ratings import _pooled
from arpad.moves.resampling import Resampling, block_length, draw_counts, interval
from tests.moves.events import century, evaluated, made_up

QUICK = Resampling(draws=200)


def test_the_century_in_every_view():
    for view in ("players", "event", "matches", "games"):
        (found,) = gain_reports(century(), view=view, engine_rating=2860)
        byrne, fischer = found.players.to_dicts()
        assert (byrne["moves"], fischer["moves"]) == (41, 41)
        assert [round(p["mean_gain"], 3) for p in (byrne, fischer)] == [-0.860, 0.094]
        assert [round(p["expected_vs_engine"], 3) for p in (byrne, fischer)] == [0.256, 0.439]
        assert [round(p["difference_vs_engine"]) for p in (byrne, fischer)] == [-185, -43]
        assert [round(p["strength"]) for p in (byrne, fischer)] == [2675, 2817]
        (pair,) = found.pairs.to_dicts()
        assert (round(pair["expected"], 3), round(pair["difference"])) == (0.345, -113)
        for row, name in ((byrne, "mean_gain"), (fischer, "expected_vs_engine"), (pair, "difference")):
            assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]
        assert byrne["resampled"] == "moves"
        assert "blocks of moves drawn at random" in found.notes[-1]
        assert "82 moves in 1 game" in found.summary()


def test_a_measured_engine_brings_the_two_estimates_together():
    # The paper: 113 directly, 142 by way of an engine that never gains; with an engine whose gains are
    # slightly skewed towards negative ones "the two estimates become more consistent".
    engine = GainDistribution.of([0] * 60 + [-2] * 8 + [-5] * 8 + [-10] * 7 + [-15] * 5 + [3] * 4 + [8] * 3)
    found = gain_report(century(), measured=engine, resampling=QUICK)
    d = found.players["difference_vs_measured"].to_list()
    direct = found.pairs["difference"][0]
    zero = found.players["difference_vs_engine"].to_list()
    assert abs((d[0] - d[1]) - direct) < abs((zero[0] - zero[1]) - direct)


def test_no_draws_no_intervals():
    found = gain_report(century(), resampling=Resampling(draws=0))
    assert found.players["mean_gain_low"].null_count() == 2
    assert found.players["resampled"].null_count() == 2
    assert found.pairs["expected_low"].null_count() == 1


@given(seed=st.integers(0, 1000))
def test_pairs_are_algorithm_1_on_the_histograms(seed):
    gains = made_up(np.random.default_rng(seed), moves=6)
    found = gain_report(gains, resampling=Resampling(draws=0))
    owner = gains.table["player"]
    of = {p: GainDistribution.of(gains.table.filter(owner == p)["gain"]) for p in owner.unique()}
    names = {n: i for i, n in enumerate(gains.games.players["name"])}
    for row in found.pairs.to_dicts():
        direct = expected(of[names[row["player"]]], of[names[row["opponent"]]])
        assert row["expected"] == pytest.approx(direct, abs=1e-12)
    assert found.pairs.height == 6


@given(seed=st.integers(0, 1000))
def test_a_draw_is_the_distribution_of_the_games_drawn(seed):
    gains = made_up(np.random.default_rng(seed), players=3, rounds=4, moves=5)
    sheets = sheets_of(gains, "players")
    found = compare(
        gains.column("gain"), sheets.sheet, gains.column("game"), gains.column("ply"),
        sheets=3, pairs=sheets.pair_array(), resampling=Resampling(draws=100, seed=seed),
    )  # fmt: skip
    assert found.cells.by_games.all()
    counts = draw_counts(found.cells.stratum, 100, np.random.default_rng(seed))[7]
    moves = gains.table.with_columns(sheet=pl.Series(sheets.sheet))
    drawn = pl.concat([moves.filter(pl.col("game") == g) for g, n in enumerate(counts) for _ in range(n)])
    for k, (i, j) in enumerate(found.pairs):
        x, y = (drawn.filter(pl.col("sheet") == s)["gain"] for s in (i, j))
        if len(x) and len(y):
            assert found.expected_drawn[7, k] == pytest.approx(
                expected(GainDistribution.of(x), GainDistribution.of(y)), abs=1e-12
            )
    for s in range(3):
        mine = drawn.filter(pl.col("sheet") == s)["gain"]
        if len(mine):
            assert found.mean_gain_drawn[7, s] == pytest.approx(mine.mean() / 100)


def test_perceived_ratings_in_a_made_up_event():
    gains = made_up(np.random.default_rng(3), rounds=6, between=0.0)
    (found,) = gain_reports(gains, view="event", resampling=QUICK)
    rows = found.standing.rows
    assert rows["player"].to_list() == ["P0", "P1", "P2", "P3"]
    assert found.standing.level is None
    assert rows["perceived"].sum() == pytest.approx(0, abs=1e-9)
    assert (rows["perceived_low"] < rows["perceived"]).all()
    assert (rows["perceived"] < rows["perceived_high"]).all()
    # Gains of N(−10, 20) against N(−25, 20): P = Φ(15 / 20√2), that is 150 points.
    top, bottom = rows["perceived"][0], rows["perceived"][3]
    assert top - bottom == pytest.approx(150, abs=35)
    assert rows["points"].to_list() == [9.0] * 4
    assert rows["games"].to_list() == [18] * 4
    assert found.players["resampled"].unique().to_list() == ["games"]


def test_groups_that_never_met_are_a_note():
    games = [("A", "B", 1.0), ("C", "D", 0.5)]
    gains = measure(evaluated(games, [[0, 5, 3, 4, 9]] * 2))
    (found,) = gain_reports(gains, view="event", resampling=QUICK)
    assert found.standing is None
    assert any("2 groups that never met: A, B; C, D" in note for note in found.notes)


def test_infinite_differences_are_shown_and_have_no_perceived_ratings():
    gains = measure(evaluated([("A", "B", 1.0)], [[0, 50, 60, 110, 120]]))
    (found,) = gain_reports(gains, view="event", resampling=QUICK)
    assert found.pairs["difference"].to_list() == [math.inf]
    assert found.players["difference_vs_engine"].to_list() == [math.inf, -math.inf]
    assert found.standing is None
    assert any("infinite" in note for note in found.notes)


def test_players_across_events():
    from arpad.model import Event, Games

    base = evaluated([("A", "B", 1.0), ("B", "A", 0.0)], [[0, 5, 3, 4, 9], [0, -5, 2, 3, 1]])
    table = base.games.table.with_columns(event=pl.Series([0, 1], dtype=pl.Int32))
    games = Games(table, base.games.players, (Event(name="London"), Event(name="Moscow")))
    gains = measure(type(base).build(games, base.table))
    found = gain_report(gains, view="events", resampling=QUICK)
    assert found.players.select("name", "event").rows() == [
        ("A", "London"), ("B", "London"), ("B", "Moscow"), ("A", "Moscow"),
    ]  # fmt: skip
    cells = {(r["player"], r["event"], r["opponent"], r["opponent_event"]) for r in found.pairs.to_dicts()}
    assert cells == {(p, "London", q, "Moscow") for p in "AB" for q in "AB"}
    assert [r.title for r in gain_reports(gains, view="event", resampling=QUICK)] == ["London", "Moscow"]
    assert len(gain_reports(gains, view="event", one_event=True, resampling=QUICK)) == 1
    with pytest.raises(UsageError, match="at least two events"):
        gain_report(century(), view="events")


@given(seed=st.integers(0, 500), data=st.data())
def test_relabelling_changes_nothing(seed, data):
    rng = np.random.default_rng(seed)
    gains = made_up(rng, moves=5)
    order = data.draw(st.permutations(range(4)))
    names = [f"Q{i}" for i in range(4)]
    players = gains.games.players
    inverse = np.argsort(order)
    from dataclasses import replace

    from arpad.model import Games

    def moved(column):
        return pl.Series(np.asarray(order)[column.to_numpy()], dtype=pl.Int32)

    table = gains.games.table.with_columns(
        white=moved(gains.games.table["white"]), black=moved(gains.games.table["black"])
    )
    other = replace(
        gains,
        games=Games(table, players.with_columns(name=pl.Series(names)), gains.games.events),
        table=gains.table.with_columns(player=moved(gains.table["player"])),
    )
    one = gain_report(gains, view="event", resampling=Resampling(draws=0))
    two = gain_report(other, view="event", resampling=Resampling(draws=0))
    a = {r["player"]: r["perceived"] for r in one.standing.rows.to_dicts()}
    b = {r["player"]: r["perceived"] for r in two.standing.rows.to_dicts()}
    old = players["name"].to_list()
    for i in range(4):
        assert b[names[i]] == pytest.approx(a[old[inverse[i]]], abs=1e-8)


def test_intervals_cover_and_more_games_narrow_them():
    # Gains differ from game to game; the truth is P(N(−20, √(20² + 8²)) > 0), rounded to centipawns.
    from scipy.special import ndtr

    spread = math.hypot(20, 8)
    truth = 0.5 * (ndtr((-0.5 + 20) / spread) + ndtr((0.5 + 20) / spread))
    truth = 1 - truth
    widths = {}
    for rounds in (4, 16):
        inside, width = 0, []
        for seed in range(60):
            rng = np.random.default_rng(seed)
            gains = made_up(rng, players=3, rounds=rounds, moves=20, mean=(-20,) * 3)
            found = gain_report(gains, resampling=Resampling(draws=300, seed=seed))
            row = found.players.row(0, named=True)
            inside += row["expected_vs_engine_low"] <= truth <= row["expected_vs_engine_high"]
            width.append(row["expected_vs_engine_high"] - row["expected_vs_engine_low"])
        assert inside >= 53  # 95 % of 60 is 57; fewer than 53 happen once in fifty
        widths[rounds] = float(np.mean(width))
    assert widths[16] < 0.7 * widths[4]


@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_draws_keep_the_size_of_every_stratum(sizes, seed):
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    counts = draw_counts(stratum, 100, np.random.default_rng(seed))
    for s, size in enumerate(sizes):
        assert (counts[:, stratum == s].sum(axis=1) == size).all()


def test_intervals_of_too_little():
    assert all(map(math.isnan, interval(np.linspace(0, 1, 200), 4)))
    assert all(map(math.isnan, interval(np.zeros(200), 10)))
    low, high = interval(np.linspace(0, 1, 1001), 10_000)
    assert (low, high) == (pytest.approx(0.025, abs=2e-3), pytest.approx(0.975, abs=2e-3))
    few = interval(np.linspace(0, 1, 1001), 8)
    assert few[0] < low
    assert few[1] > high
    assert [block_length(n) for n in (1, 2, 8, 9, 27, 41)] == [1, 2, 2, 3, 3, 4]


def test_white_comes_first_though_the_first_move_has_no_gain():
    found = gain_report(measure(evaluated([("A", "B", 1.0)], [[None, 5, 9, 7]])))
    assert found.players["name"].to_list() == ["A", "B"]
    assert found.pairs.select("player", "opponent").row(0) == ("A", "B")


def test_files_without_a_starting_evaluation_get_one_note():
    games = [("A", "B", 1.0), ("B", "A", 1.0), ("A", "B", 1.0)]
    found = gain_report(measure(evaluated(games, [[None, 5, 9], [None, 4, 4], [3, None, 9, 9]])))
    assert found.notes[0].startswith("the starting position of 2 games has no evaluation")
    assert found.notes[1].startswith("A – B: left out 2 moves, first 1.")
    assert "fewer than 5 games" in found.notes[2]
    assert len(found.notes) == 3


def test_games_decided_without_play_are_counted_in_their_event():
    columns = {
        "white": [0, 0, 0], "black": [1, 1, 1], "score": [1.0, 1.0, 1.0],
        "event": [0, 1, 1], "status": ["played", "played", "forfeit"],
    }  # fmt: skip
    games = Games.assemble(columns, {"name": ["A", "B"]}, [Event(name="One"), Event(name="Two")])
    rows = {"game": [0, 0, 0, 1, 1, 1, 2], "ply": [0, 1, 2, 0, 1, 2, 0], "cp": list(range(7))}
    one, two = gain_reports(measure(EvaluatedGames.build(games, rows)), view="event")
    assert not any("without play" in note for note in one.notes)
    assert "1 game decided without play left out" in two.notes


def test_matches_of_one_player_are_pooled_by_the_moves_that_were_drawn():
    p = np.array([[0.2, 0.6, 0.5], [0.2, np.nan, 0.5]])
    moves = np.array([[10.0, 30.0, 7.0], [10.0, 0.0, 7.0]])
    assert _pooled(p, moves, np.array([0, 0, 1])) == pytest.approx(np.array([[0.5, 0.5], [0.2, 0.5]]))


def test_misuse():
    with pytest.raises(UsageError, match="at least 100 draws"):
        Resampling(draws=5)
    with pytest.raises(UsageError, match="confidence"):
        Resampling(confidence=1.0)
    with pytest.raises(UsageError, match="expected one of players"):
        sheets_of(century(), "teams")
    with pytest.raises(UsageError, match="ask for fewer"):
        draw_counts(np.zeros(1_000_000), 1000, np.random.default_rng(0))


def test_the_engine_stands_where_the_players_own_ratings_put_it():
    gains = measure(
        evaluated([("A", "B", 1.0), ("B", "A", 0.5)], [[10, 6, 9, 35, 35, 20], [0, 0, 5, 5, -5, 4]])
    )
    table = gains.games.table
    rating = {0: 1750.0, 1: 1650.0}
    rated = Games(
        table=table.with_columns(
            white_rating=table["white"].replace_strict(rating),
            black_rating=table["black"].replace_strict(rating),
        ),
        players=gains.games.players,
        events=gains.games.events,
    )
    found = gain_report(replace(gains, games=rated), resampling=QUICK)
    rows = found.players.to_dicts()
    put = [r["rating"] - r["difference_vs_engine"] for r in rows]
    level = np.average(put, weights=[r["moves"] for r in rows])
    assert found.parameters["engine_level"] == pytest.approx(level)
    assert found.parameters["engine_level_from"] == "the players' own ratings"
    assert [r["strength"] for r in rows] == pytest.approx([level + r["difference_vs_engine"] for r in rows])
    assert not any("contradicts" in note for note in found.notes)
    told = gain_report(replace(gains, games=rated), engine_rating=2860, resampling=QUICK)
    assert told.parameters["engine_level"] == 2860
    assert any("2860, contradicts the players' own ratings" in note for note in told.notes)
    assert gain_report(gains, resampling=QUICK).parameters["engine_level"] is None
