from __future__ import annotations

import json
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import DroppedRowsWarning, InputError, UsageError
from arpad.model import Games, Player, Ratings
from arpad.pool.deflation import deflation
from arpad.scale import CURVES, Logistic, curve


def pool(bias, seed=0, *, players=120, games=3000, per_year=0.0):
    """A pool whose juniors are `bias` points better than rated; older people `per_year` worse a year over 18."""
    rng = np.random.default_rng(seed)
    rated = rng.normal(1800, 150, players)
    age = np.where(np.arange(players) < players // 3, 14, rng.integers(18, 80, players))
    true = rated + np.where(age < 18, bias, 0.0) - per_year * np.maximum(age - 18, 0)
    white = rng.integers(0, players, games)
    black = (white + rng.integers(1, players, games)) % players
    won = rng.random(games) < Logistic().expected(true[white] - true[black])
    return Games.assemble(
        {"white": white, "black": black, "score": won.astype(float), "date": [date(2000, 6, 1)] * games},
        [Player(name=f"P{i}", rating=float(rated[i]), birth=str(2000 - age[i])) for i in range(players)],
    )  # fmt: skip


def segments(found):
    return {row["segment"]: row for row in found.rows.iter_rows(named=True)}


def test_underrated_juniors_are_found_in_points():
    held = 0
    for seed in range(20):
        row = segments(deflation(pool(60, seed)))["under 18"]
        held += row["points_low"] <= 60 <= row["points_high"]
        assert row["p"] < 0.05
    assert held >= 16  # 19 are expected
    assert segments(deflation(pool(60)))["18 and over"]["difference"] < 0


def test_a_fair_pool_is_called_fair():
    held = sum(
        row["low"] <= 0 <= row["high"]
        for row in (segments(deflation(pool(0, seed)))["under 18"] for seed in range(40))
    )
    assert 33 <= held <= 40  # 38 are expected


def test_ageing_takes_away_what_age_brought():
    games = pool(0, seed=3, games=20_000, per_year=3)
    cuts = (18, 40, 60)
    plain = segments(deflation(games, age_cuts=cuts))
    aged = segments(deflation(games, age_cuts=cuts, ageing=3))
    assert plain["60 and over"]["points"] < -60
    for name, row in aged.items():
        assert abs(row["points"]) < 15, name
        assert row["as_published"] == pytest.approx(plain[name]["difference"])
    assert "as_published" not in plain["under 18"]


def test_ageing_begins_at_its_age():
    """At 40 years 22 times ten points are taken off; at 15 nothing is taken and nothing is given."""
    people = [
        Player(name="Young", rating=1600.0, birth="1985", title="WCM"),
        Player(name="Old", rating=1600.0, birth="1960", title="GM"),
    ]
    games = Games.assemble({"white": [0], "black": [1], "score": [0.5], "date": [date(2000, 6, 1)]}, people)
    aged = segments(deflation(games, by="title", ageing=10))
    assert aged["GM"]["expected"] == pytest.approx(float(Logistic().expected(-220)))
    assert aged["WCM"]["expected"] == pytest.approx(float(Logistic().expected(220)))


def test_a_floor_raises_expectations_of_the_low():
    people = [Player(name="A", rating=900.0, title="GM"), Player(name="B", rating=1500.0)]
    games = Games.assemble({"white": [0], "black": [1], "score": [0.5]}, people)
    plain, floored = (segments(deflation(games, by="title", floor=f)) for f in (None, 1200))
    assert plain["GM"]["expected"] == pytest.approx(1 / (1 + 10 ** (600 / 400)))
    assert floored["GM"]["expected"] == pytest.approx(1 / (1 + 10 ** (300 / 400)))
    assert floored["GM"]["as_published"] == pytest.approx(plain["GM"]["difference"])
    assert plain["GM"]["p"] is None  # one player is no sample
    assert plain["GM"]["low"] is None


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6), floor=st.none() | st.floats(1500, 2000), ageing=st.none() | st.floats(0, 5)
)
def test_what_some_are_ahead_others_are_behind(seed, floor, ageing):
    games = pool(40, seed, players=20, games=60)
    found = deflation(games, floor=floor, ageing=ageing)
    total = found.rows.select((pl.col("difference") * pl.col("games")).sum()).item()
    assert total == pytest.approx(0, abs=1e-9)
    assert found.rows["games"].sum() == 2 * found.games
    assert found.games + found.inside == 60


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_colours_do_not_matter(seed):
    games = pool(40, seed, players=20, games=60)
    t = games.table
    turned = Games(
        t.with_columns(white="black", black="white", score=1 - pl.col("score"),
                       white_rating="black_rating", black_rating="white_rating"),
        games.players,
    )  # fmt: skip
    one, two = (segments(deflation(g)) for g in (games, turned))
    assert one["under 18"]["difference"] == pytest.approx(two["under 18"]["difference"])


def test_games_within_a_segment_dilute():
    games = pool(60)
    apart, all_of_them = deflation(games), deflation(games, within=True)
    one, two = (segments(f)["under 18"] for f in (apart, all_of_them))
    assert two["games"] > one["games"]
    assert two["difference"] * two["games"] == pytest.approx(one["difference"] * one["games"])


def test_a_game_told_twice_is_not_two_facts():
    games = pool(0)
    twice = Games(pl.concat([games.table, games.table]), games.players)
    one, two = (segments(deflation(g))["under 18"] for g in (games, twice))
    assert two["high"] - two["low"] == pytest.approx(one["high"] - one["low"])


def test_unknown_people_are_a_segment_or_left_out():
    people = [Player(name="A", rating=2000.0, federation="GEO"), Player(name="B", rating=2000.0),
              Player(name="C", rating=2000.0, federation="IND")]  # fmt: skip
    games = Games.assemble({"white": [0, 0], "black": [1, 2], "score": [1.0, 0.0]}, people)
    found = deflation(games, by="federation")
    assert set(segments(found)) == {"GEO", "IND", "unknown"}
    assert any("not known for 1 of 4" in note for note in found.notes)
    assert set(segments(deflation(games, by="federation", known=True))) == {"GEO", "IND"}
    rows = pl.DataFrame({"player": ["B"], "rating": [1.0], "federation": ["USA"]})
    told = deflation(games, by="federation", people=Ratings(system="x", rows=rows, parameters={}))
    assert set(segments(told)) == {"GEO", "IND", "USA"}


@pytest.mark.parametrize("name", sorted(set(CURVES) - {"ratio"}))
def test_every_curve(name):
    found = segments(deflation(pool(60), curve=curve(name)))
    assert 30 < found["under 18"]["points"] < 100


def test_wild_ratings_give_no_points():
    people = [Player(name="A", rating=100000.0, title="GM"), Player(name="B", rating=1.0)]
    games = Games.assemble({"white": [0], "black": [1], "score": [0.0]}, people)
    assert segments(deflation(games, by="title"))["GM"]["points"] is None


def test_nothing_to_compare():
    with pytest.raises(InputError, match="ratings of both"):
        deflation(Games.build([("A", "B", 1.0)]))
    rated = [Player(name="A", rating=2000.0), Player(name="B", rating=2000.0)]
    games = Games.assemble({"white": [0], "black": [1], "score": [1.0]}, rated)
    with pytest.raises(InputError, match="age of some players"):
        deflation(games)
    with pytest.raises(InputError, match="different segments"):
        deflation(games, by="title")


@pytest.mark.parametrize("wrong", [{"by": "shoe"}, {"age_cuts": (30, 20)}, {"floor": float("nan")}, {"ageing": float("inf")}])  # fmt: skip
def test_bad_options(wrong):
    with pytest.raises(UsageError):
        deflation(pool(0, games=50), **wrong)


@pytest.mark.data
def test_real_games_of_2012(data):
    from arpad import from_frame
    from arpad.read import read_list

    file = data / "twic_results" / "results_2010_2016_fideid.parquet"
    frame = pl.read_parquet(file).filter((pl.col("date").dt.year() == 2012) & ~pl.col("fast_or_online"))
    people = read_list(data / "fide_lists" / "APR04FRL.TXT.zst")
    cuts = (20, 25, 30, 40, 50, 60)
    with pytest.warns(DroppedRowsWarning):
        found = deflation(from_frame(frame), age_cuts=cuts, people=people, known=True)
    old = segments(found)["60 and over"]
    assert old["points_high"] < 0
    with pytest.warns(DroppedRowsWarning):
        aged = segments(deflation(from_frame(frame), age_cuts=cuts, people=people, known=True, ageing=1))
    assert aged["60 and over"]["low"] < 0 < aged["60 and over"]["high"]


def test_any_column_tells_segments(run, write):
    """Two regions of equal ratings, of which one always wins."""
    rows = "".join(f"N{i},S{j},1-0,1500,1500\n" for i in range(4) for j in range(4))
    games = write("white,black,result,white_elo,black_elo\n" + rows, "g.csv")
    people = write(
        "name,region\n"
        + "".join(f"{r}{i},{n}\n" for r, n in (("N", "north"), ("S", "south")) for i in range(4)),
        "people.csv",
    )
    done = run("monitor", "deflation", games, "--groups", people, "--by", "region", "--format", "json")
    rows = {r["segment"]: r["difference"] for r in json.loads(done.out)["segments"]}
    assert rows == pytest.approx({"north": 0.5, "south": -0.5})
    wrong = run("monitor", "deflation", games, "--groups", people, "--by", "club")
    assert wrong.code == 2
    assert "expected the columns name and club" in wrong.err
