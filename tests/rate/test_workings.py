"""The steps behind ratings."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.model import Games, Player, Ratings
from arpad.rate.registry import system
from arpad.rate.system import UNDIVIDED, Workings, player_rows, workings


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


def test_steps_are_put_in_the_order_of_players_and_numbered():
    steps = pl.DataFrame({"player": [1, 0, 1], "change": [1.0, 2.0, 3.0], "rule": ["a", "b", "c"]})
    built = Workings.build("elo", steps).steps
    assert built.select("player", "seq", "change").rows() == [(0, 0, 2.0), (1, 0, 1.0), (1, 1, 3.0)]


@st.composite
def many_games(draw):
    n = draw(st.integers(2, 6))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0]))
    rows = [row for row in draw(st.lists(pairs, min_size=1, max_size=40)) if row[0] != row[1]]
    months = draw(st.lists(st.integers(1, 12), min_size=len(rows), max_size=len(rows)))
    people = [
        Player(name=f"P{i}", rating=draw(st.sampled_from([None, 1400.137, 2080.291, 2390.713, 2405.459])))
        for i in range(n)
    ]
    columns = {
        "white": [r[0] for r in rows],
        "black": [r[1] for r in rows],
        "score": [r[2] for r in rows],
        "date": [dt.date(2025, m, 1) for m in months],
    }
    return Games.assemble(columns, people)


@given(
    games=many_games(),
    k=st.sampled_from([20, "fide", "uscf", "fide-1986"]),
    curve=st.sampled_from(["logistic", "table", "normal", "linear"]),
    period=st.sampled_from(["game", "month"]),
)
def test_elo_steps_by_kernel_lead_where_its_kernel_leads(games, k, curve, period):
    """To the last bit, and nearly where the readable reference leads."""
    elo = system("elo", k=k, curve=curve, period=period)
    _, readable = workings(elo, games)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arpad.rate.elo.KERNEL_FROM", 0)
        ratings, shown = workings(elo, games)
        assert ratings.rows.equals(elo.rate(games).rows)
    exact = ["player", "seq", "game", "opponent", "score", "k", "rule"]
    assert shown.steps.select(exact).equals(readable.steps.select(exact))
    for column in ("rating", "opponent_rating", "expected", "change"):
        assert shown.steps[column].to_list() == pytest.approx(readable.steps[column].to_list())


@given(games=many_games(), k=st.sampled_from([20, "fide", "uscf", "fide-1986"]))
def test_elo_steps_are_formula_2_and_follow_each_other_exactly(games, k):
    _, shown = workings(system("elo", k=k), games)
    for (_,), mine in shown.steps.group_by("player"):
        now = 0.0
        for step in mine.iter_rows(named=True):
            if step["game"] is not None:
                assert step["rating"] == now
                assert step["change"] == step["k"] * (step["score"] - step["expected"])
                other = shown.steps.row(
                    by_predicate=(pl.col("game") == step["game"]) & (pl.col("player") == step["opponent"]),
                    named=True,
                )
                assert other["rating"] == step["opponent_rating"]
                assert other["score"] + step["score"] == 1
            now += step["change"]


def test_elo_says_where_ratings_come_from_and_why_k_is_what_it_is():
    people = [Player(name="Ann", rating=2399.0), Player(name="Bob")]
    columns = {"white": [0, 0], "black": [1, 1], "score": [1.0, 1.0]}
    games = Games.assemble(columns, people)
    _, shown = workings(system("elo", k="fide", curve="linear", start=1900), games)
    rules = shown.table(games)["rule"].to_list()
    assert rules[0] == "the rating that the source gives"
    assert rules[1].startswith("K 20: below 2400 [FIDE B.02 8.3.3]; linear curve, difference counted as 350")
    assert rules[2].startswith("K 10: 2400 reached, permanently")
    assert rules[3] == "the start rating of a newcomer"
    assert rules[4].startswith("K 40: fewer than 30 games")


def test_games_keep_their_rows_whatever_the_order_of_play():
    columns = {
        "white": [0, 0, 0],
        "black": [1, 1, 1],
        "score": [1.0, 0.0, 0.5],
        "date": [dt.date(2025, 3, 1), dt.date(2025, 1, 1), dt.date(2025, 2, 1)],
        "status": ["played", "forfeit", "played"],
    }
    games = Games.assemble(columns, {"name": ["Ann", "Bob"]})
    _, shown = workings(system("elo"), games)
    assert shown.of(0)["game"].to_list() == [None, 2, 0]


def glickman(**opponents) -> Games:
    """Return the paper's example: 1500 ± 200 beats 1400 ± 30, loses to 1550 ± 100 and 1700 ± 300."""
    columns = {"white": [0, 0, 0], "black": [1, 2, 3], "score": [1.0, 0.0, 0.0]}
    return Games.assemble(columns, {"name": ["P", "A", "B", "C"], **opponents})


@pytest.mark.parametrize(("name", "after"), [("glicko", 1464), ("glicko2", 1464)])
@pytest.mark.parametrize("kernel", [False, True])
def test_glicko_divides_its_change_among_the_games_of_a_period(name, after, kernel):
    rows = {
        "player": ["P", "A", "B", "C"],
        "rating": [1500.0, 1400.0, 1550.0, 1700.0],
        "error": [200.0, 30.0, 100.0, 300.0],
    }
    before = Ratings(system=name, rows=pl.DataFrame(rows), parameters={})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arpad.rate.glicko.rating.KERNEL_FROM", 0 if kernel else 10**9)
        chosen = system(name, **({"c": 0.0} if name == "glicko" else {}))
        ratings, shown = workings(chosen, glickman(), before)
        assert ratings.rows.equals(chosen.rate(glickman(), before).rows)
    mine = shown.of(0)
    assert mine["expected"].round(3).to_list() == [0.639, 0.432, 0.303]  # as printed
    assert round(1500 + mine["change"].sum()) == after
    assert mine["change"].to_list() == pytest.approx(
        (mine["k"] * (mine["score"] - mine["expected"])).to_list()
    )
    error = ratings.rows.filter(player="P")["error"][0]
    assert mine["rule"][2].startswith(f"K = q RD² g: RD {error:.0f} after the period, the opponent's 300")


@pytest.mark.parametrize("kernel", [False, True])
@given(games=many_games())
def test_stephenson_tells_the_bonus_and_the_pull(kernel, games):
    chosen = system("stephenson", bonus=3.0, white_advantage=20.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arpad.rate.glicko.rating.KERNEL_FROM", 0 if kernel else 10**9)
        ratings, shown = workings(chosen, games)
    for row, name in zip(player_rows(games, ratings), ratings.rows["player"], strict=True):
        mine = shown.of(row)
        total = 0.0
        for change in mine["change"]:
            total += change
        assert total == ratings.rows.filter(player=name)["rating"][0]
        own = mine.filter(pl.col("game").is_null())["rule"]
        months = games.table["date"].gather(mine["game"].drop_nulls()).n_unique()
        assert own.str.contains("for playing").sum() == months
        assert own.str.contains("average").sum() == months


def test_the_us_procedure_tells_k_and_performances():
    opponents = [900.0, 1100.0, 1350.0, 1400.0, 1450.0]
    people = [
        Player(name="Ann", rating=700.0, total_games=10),
        *(Player(name=f"O{r:.0f}", rating=r) for r in opponents),
        Player(name="New"),
    ]
    columns = {
        "white": [0] * 5 + [6] * 4,
        "black": [1, 2, 3, 4, 5, 1, 2, 3, 4],
        "score": [1, 1, 1, 0.5, 0, 1, 0, 0.5, 0.5],
    }
    ratings, shown = workings(system("uscf1994"), Games.assemble(columns, people))
    ann = shown.of(0)
    # 600 / (10 + 5 − 1); 834 is the report's own example [USCF 1994, 1.5.2]
    assert ann["rule"][1].startswith("K 42.86 = 600 / (10 + 5 − 1), provisional [1.5.2]")
    assert ann["game"].to_list() == [None, 0, 1, 2, 3, 4]
    assert round(ann["change"].sum()) == 834
    new = shown.of(6)
    assert new["change"].to_list()[:4] == [0.0] * 4
    assert new["rule"][-1].startswith("performance, 4 games in all")
    assert new["change"][-1] == ratings.rows.filter(player="New")["rating"][0]
    # An established opponent is rated after her: he sees her new rating [1.3].
    last = shown.of(5).row(1, named=True)
    assert round(last["opponent_rating"]) == 834
    assert last["rule"].startswith("K 32: below 2100")


@given(
    games=many_games(),
    provisional=st.sampled_from(["k", "greater", "performance"]),
    floor=st.sampled_from([None, 1400.0]),
)
def test_steps_of_the_us_procedure_add_up_with_floors_and_alternatives(games, provisional, floor):
    chosen = system("uscf1994", provisional=provisional, floor=floor)
    ratings, shown = workings(chosen, games)
    assert ratings.rows.equals(chosen.rate(games).rows)
    for row, rating in zip(player_rows(games, ratings), ratings.rows["rating"], strict=True):
        total = 0.0
        for change in shown.of(row)["change"]:
            total += change
        assert total == (rating or 0.0)


@st.composite
def long_careers(draw):
    """Enough games of few players for blocks to end."""
    n = draw(st.integers(2, 3))
    rows = draw(st.integers(25, 70))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    lean = draw(st.sampled_from([0.5, 0.8, 1.0]))
    white = random.integers(0, n, rows)
    black = (white + random.integers(1, n, rows)) % n
    score = np.where((random.random(rows) < lean) == (white < black), 1.0, 0.0)
    days = [dt.date(2025, 1, 1) + dt.timedelta(days=int(d)) for d in np.sort(random.integers(0, 9, rows))]
    columns = {"white": white, "black": black, "score": score, "date": days}
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(n)]})


@given(games=long_careers(), anchor=st.sampled_from(["brought", 1480.0, None]), cut=st.integers(0, 70))
def test_pra_tells_games_boosts_and_the_anchor(games, anchor, cut):
    pra = system("pra", anchor=anchor)
    early = pl.int_range(len(games), eager=True) < cut
    before = pra.rate(games.keep(early)) if cut else None
    later = games.keep(~early)
    for kernel in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("arpad.rate.pra.system.KERNEL_FROM", 0 if kernel else 10**9)
            ratings, shown = workings(pra, later, before)
            assert ratings.rows.equals(pra.rate(later, before).rows)
        for row in player_rows(later, ratings):
            mine = shown.of(row)
            name = later.players["name"][row]
            now = 0.0
            if before is not None:
                now = before.lookup(later.players[row : row + 1])[0] or 0.0
            for change in mine["change"]:
                now += change
            assert now == ratings.rows.filter(player=name)["rating"][0]
            games_only = mine.filter(pl.col("game").is_not_null())
            assert (
                games_only["change"] - 9 * (games_only["score"] - games_only["expected"])
            ).abs().max() < 1e-9
            boosts = mine.filter(pl.col("rule").str.starts_with("boost"))["change"].sum()
            assert boosts == pytest.approx(ratings.rows.filter(player=name)["boosted"][0], abs=1e-9)
            if anchor is None:
                assert not mine["rule"].str.contains("anchor").any()


@given(
    games=many_games(),
    entry=st.sampled_from(["performance", "median", "fide"]),
    exceptional=st.sampled_from(["bonus", "k", "none"]),
    feedback=st.sampled_from(["cycle", "points", "none"]),
    k=st.sampled_from(["fide-1986", "by-sample", 40]),
    cut=st.integers(0, 12),
)
def test_steps_of_the_books_procedure_add_up_under_every_option(games, entry, exceptional, feedback, k, cut):
    chosen = system(
        "elo-book", entry=entry, exceptional=exceptional, feedback=feedback, k=k, level=0.3,
        tolerance=0.0, test_games=2, established_games=6,
    )  # fmt: skip
    early = games.table["date"].dt.month() <= cut
    before = chosen.rate(games.keep(early)) if cut else None
    later = games.keep(~early)
    ratings, shown = workings(chosen, later, before)
    assert ratings.rows.equals(chosen.rate(later, before).rows)
    for row, rating in zip(player_rows(later, ratings), ratings.rows["rating"], strict=True):
        now = 0.0
        if before is not None:
            now = before.lookup(later.players[row : row + 1])[0] or 0.0
        for change in shown.of(row)["change"]:
            now += change
        assert now == (rating or 0.0)
    told = shown.steps
    bonus = told.filter(pl.col("rule").str.starts_with("bonus"))["change"].sum()
    assert bonus == pytest.approx(ratings.rows["bonus"].sum(), abs=1e-9)
    fed = told.filter(pl.col("rule").str.starts_with("feedback"))["change"].sum()
    assert fed == pytest.approx(ratings.rows["feedback"].sum(), abs=1e-9)
    formula = told.filter(pl.col("k").is_not_null())
    miss = formula["change"] - formula["k"] * (formula["score"] - formula["expected"])
    assert miss.abs().fill_null(0).max() in (None, pytest.approx(0, abs=1e-9))
