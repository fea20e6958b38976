from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games, Player
from arpad.rate.pool import PoolSystem, add_up, approximations, find_groups, solve, swings
from arpad.read import read
from arpad.scale import Logistic, Normal, PraCurve

MORPHY = files("arpad") / "samples" / "morphy-era.csv"


def pool_of(games: Games):
    return add_up(games.rateable(), games.players.height)


def test_crosstable_3_43(golden):
    """The bundled sample adds up as the book's crosstable does."""
    games = read(str(MORPHY)).games
    assert len(games) == 342
    pairs = pool_of(games)
    share = dict(zip(games.players["name"], pairs.scored() / pairs.played(), strict=True))
    printed = {
        "Anderssen": 0.513,
        "Harrwitz": 0.542,
        "Horwitz": 0.378,
        "Kolisch": 0.5,
        "Löwenthal": 0.474,
        "Morphy": 0.726,
        "Paulsen": 0.447,
        "Staunton": 0.591,
        "Williams": 0.399,
    }
    assert share == pytest.approx(printed, abs=6e-4)


def test_r_5_of_3_45_from_the_printed_differences(golden):
    rows = {r["player"]: r for r in golden("elo_3_45.csv")}
    games = read(str(MORPHY)).games
    names = games.players["name"].to_list()
    D_p = np.array([float(rows[n]["D_p"]) for n in names])
    found = approximations(pool_of(games), cycles=5, D_p=D_p)[-1]
    printed = np.array([float(rows[n]["R_5"]) for n in names])
    assert np.abs(found - (printed - printed.mean())).max() <= 5


def test_approximations_converge_only_when_damped():
    """A match is bipartite: undamped it swings for ever."""
    pairs = pool_of(Games.build([("A", "B", 1.0), ("A", "B", 1.0), ("B", "A", 1.0), ("A", "B", 0.5)]))
    plain = approximations(pairs, cycles=50)
    assert abs(plain[-1][0] - plain[-2][0]) > 10
    damped = approximations(pairs, cycles=200, damp=True)
    assert abs(damped[-1][0] - damped[-2][0]) < 1e-9
    # Half the indicated difference to each side [(9)]: .625 is between 87 and 95
    assert damped[-1][0] - damped[-1][1] == pytest.approx(91, abs=1e-6)
    assert swings(pairs)
    assert not swings(pool_of(read(str(MORPHY)).games))


def test_cycles_of_3_45_on_the_command_line(golden, run):
    done = run(
        "pool",
        str(MORPHY),
        "--method",
        "approximations",
        "--cycles",
        "5",
        "--average",
        "500",
        "--format",
        "json",
    )
    cycles = {r["player"]: r for r in json.loads(done.out)["cycles"]}
    rows = golden("elo_3_45.csv")
    # Every column as printed, but for the book's D_p of Paulsen (−44 for −37) and Kolisch's R_2 (misprints).
    for column in ("R_1", "R_2", "R_3", "R_4", "R_5"):
        worst = max(abs(cycles[r["player"]][column] - float(r[column])) for r in rows)
        assert worst <= (8 if column in ("R_1", "R_2") else 13), column
    ratings = {r["player"]: r["rating"] for r in json.loads(done.out)["ratings"]}
    assert sum(ratings.values()) == pytest.approx(9 * 500)
    assert ratings["Morphy"] - ratings["Williams"] == pytest.approx(
        cycles["Morphy"]["R_5"] - cycles["Williams"]["R_5"]
    )
    assert "R_5" in run("pool", str(MORPHY), "--method", "approximations", "--cycles", "5").out


@st.composite
def pools(draw):
    n = draw(st.integers(2, 9))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0]))
    rows = [(f"P{a}", f"P{b}", s) for a, b, s in draw(st.lists(pair, min_size=1, max_size=60)) if a != b]
    return Games.build(rows or [("P0", "P1", 0.5)])


@pytest.mark.parametrize("curve", [Logistic(), Normal()], ids=lambda c: c.name)
@settings(max_examples=80)
@given(games=pools())
def test_expected_scores_are_the_scores(curve, games):
    solved = PoolSystem(curve=curve).solve(games)
    rows = {r["player"]: r for r in solved.ratings.rows.to_dicts()}
    total = dict.fromkeys(rows, 0.0)
    for white, black in games.frame().select("white", "black").iter_rows():
        a, b = rows[white], rows[black]
        if a["group"] is not None and a["group"] == b["group"]:
            P = curve.expected(a["rating"] - b["rating"])
            total[white] += P
            total[black] += 1 - P
    for name, row in rows.items():
        if row["rating"] is not None:
            assert total[name] == pytest.approx(row["score"], abs=1e-6)
        else:
            assert row["note"]


@given(games=pools())
def test_groups_are_where_everybody_took_something_off_the_rest(games):
    groups = find_groups(pool_of(games))
    frame = games.table.with_columns(pl.col("score"))
    for number in range(groups.count):
        members = set(np.flatnonzero(groups.group == number).tolist())
        inside = [r for r in frame.iter_rows(named=True) if r["white"] in members and r["black"] in members]
        for player in members:
            won = sum(
                r["score"] if r["white"] == player else 1 - r["score"]
                for r in inside
                if player in (r["white"], r["black"])
            )
            played = sum(player in (r["white"], r["black"]) for r in inside)
            assert 0 < won < played


def test_simulation_gives_back_what_was_put_in():
    rng = np.random.default_rng(5)
    n, m = 150, 40_000
    true = rng.normal(0, 250, n)
    white, black = rng.integers(0, n, m), rng.integers(0, n, m)
    keep = white != black
    white, black = white[keep], black[keep]
    P = Logistic().expected(true[white] - true[black] + 40.0)
    score = (rng.random(len(P)) < P).astype(float)
    games = Games.assemble(
        {"white": white, "black": black, "score": score}, {"name": [str(i) for i in range(n)]}
    )
    solution = solve(pool_of(games), Logistic(), advantage=None)
    assert solution.advantage == pytest.approx(40, abs=6)
    z = (solution.ratings - (true - true.mean())) / solution.errors
    assert np.sqrt(np.mean(z**2)) == pytest.approx(1, abs=0.15)


def test_errors_of_large_groups_agree_with_those_of_small_ones(monkeypatch):
    rng = np.random.default_rng(6)
    n, m = 200, 8000
    white = rng.integers(0, n, m)
    black = (white + 1 + rng.integers(0, n - 1, m)) % n
    games = Games.assemble(
        {"white": white, "black": black, "score": rng.choice([0.0, 0.5, 1.0], m)},
        {"name": [str(i) for i in range(n)]},
    )
    exact = solve(pool_of(games), Logistic()).errors
    monkeypatch.setattr("arpad.rate.pool.DENSE", 10)
    monkeypatch.setattr("arpad.rate.pool.SMALL", 10)
    quick = solve(pool_of(games), Logistic())
    assert quick.errors == pytest.approx(exact, rel=0.03)


def test_islands_and_perfect_scores_are_named():
    games = Games.build([("A", "B", 1.0), ("B", "A", 1.0), ("C", "D", 0.5), ("W", "A", 1.0), ("L", "A", 0.0)])
    solved = PoolSystem().solve(games)
    rows = {r["player"]: r for r in solved.ratings.rows.to_dicts()}
    assert {rows[p]["group"] for p in "AB"} != {rows[p]["group"] for p in "CD"}
    assert rows["W"]["note"] == "won every game"
    assert rows["L"]["note"] == "lost every game"
    assert rows["A"]["left_out"] == 2
    joined = PoolSystem(prior=1.0).solve(games)
    assert joined.ratings.rows["rating"].null_count() == 0
    assert joined.groups.height == 1
    by_name = dict(joined.ratings.rows.select("player", "rating").iter_rows())
    assert by_name["W"] > by_name["A"] > by_name["L"]


def test_levels():
    rows = [("A", "B", 1.0), ("B", "A", 1.0), ("A", "B", 0.5)]
    games = Games.build(rows)
    assert PoolSystem().solve(games).ratings.rows["rating"].mean() == pytest.approx(1500)
    assert PoolSystem(average=2000).solve(games).ratings.rows["rating"].mean() == pytest.approx(2000)
    anchored = PoolSystem(anchors={"A": 2700.0}).solve(games).ratings.rows
    assert anchored.filter(pl.col("player") == "A")["rating"].item() == pytest.approx(2700)
    rated = Games(
        games.table,
        Games.assemble(
            {"white": [], "black": [], "score": []},
            [Player(name="A", rating=2100.0), Player(name="B", rating=1900.0)],
        ).players,
    )
    assert PoolSystem().solve(rated).ratings.rows["rating"].mean() == pytest.approx(2000)


def test_a_long_chain():
    """Each player meets only the next: badly conditioned, and still solved."""
    rows = [(f"P{i}", f"P{i + 1}", s) for i in range(600) for s in (1.0, 0.5, 0.0)]
    solved = PoolSystem().solve(Games.build(rows))
    assert solved.groups["players"].to_list() == [601]
    assert solved.ratings.rows["rating"].std() < 1e-3


def test_what_cannot_be_done_is_said(run):
    games = Games.build([("A", "B", 1.0), ("B", "A", 1.0)])
    with pytest.raises(UsageError, match="logistic or the normal"):
        PoolSystem(curve=PraCurve()).solve(games)
    for bad in (
        ["--method", "magic"],
        ["--anchor", "Nobody=2000"],
        ["--anchor", "x"],
        ["--white-advantage", "much"],
        ["--curve", "table"],
        ["--prior", "-1"],
    ):
        done = run("pool", MORPHY, *bad)
        assert done.code == 2, bad
        assert len(done.err.splitlines()) == 1


def test_on_the_command_line(run):
    done = run("pool", MORPHY, "--average", "2500", "--format", "json")
    found = json.loads(done.out)
    assert found["groups"][0]["players"] == 9
    assert {"player", "rating", "error", "games", "group"} <= set(found["ratings"][0])
    assert found["ratings"][0]["player"] == "Morphy"
    assert "Morphy" in run("pool", MORPHY, "--method", "approximations").out


@pytest.mark.data
def test_a_whole_year_islands_and_all(data, tmp_path, run):
    source = pl.read_parquet(data / "twic_results" / "results_2010_2016_fideid.parquet")
    source.filter(pl.col("date").dt.year() == 2014).write_parquet(tmp_path / "2014.parquet")
    found = json.loads(run("pool", tmp_path / "2014.parquet", "--format", "json").out)
    assert len(found["groups"]) > 100
    rows = {(r["player"], r["id"]): r for r in found["ratings"]}
    games = read(tmp_path / "2014.parquet").games
    rating = np.array(
        [
            (rows.get((n, i)) or {}).get("rating") or np.nan
            for n, i in games.players.select("name", "id").iter_rows()
        ]
    )
    group = np.array(
        [
            (rows.get((n, i)) or {}).get("group") or -1
            for n, i in games.players.select("name", "id").iter_rows()
        ]
    )
    played = games.rateable()
    w, b = played["white"].to_numpy(), played["black"].to_numpy()
    same = (group[w] == group[b]) & (group[w] > 0)
    P = Logistic().expected(rating[w[same]] - rating[b[same]])
    n = games.players.height
    expected = np.bincount(w[same], P, n) + np.bincount(b[same], 1 - P, n)
    s = played["score"].to_numpy()[same]
    actual = np.bincount(w[same], s, n) + np.bincount(b[same], 1 - s, n)
    assert np.abs(expected - actual).max() < 1e-6


def test_the_draw_rate_makes_errors_smaller_and_never_nothing():
    drawn = Games.build([("A", "B", 0.5), ("B", "C", 0.5), ("A", "C", 0.5)])
    solved = PoolSystem().solve(drawn)
    assert solved.groups["draw_rate"].to_list() == [1.0]
    assert min(solved.ratings.rows["error"]) > 0
    mixed = Games.build([("A", "B", 0.5), ("B", "A", 1.0), ("A", "B", 1.0), ("A", "B", 0.5)])
    whole, half = (PoolSystem(draw_rate=r).solve(mixed).ratings.rows["error"][0] for r in (0.0, 0.75))
    assert half == pytest.approx(whole / 2)
    with pytest.raises(UsageError, match="draw rate"):
        PoolSystem(draw_rate=1.0)


def test_groups_have_their_own_draw_rates():
    games = Games.build([("A", "B", 0.5), ("C", "D", 1.0), ("D", "C", 1.0)])
    rates = dict(PoolSystem().solve(games).groups.select("group", "draw_rate").iter_rows())
    assert sorted(rates.values()) == [0.0, 1.0]
