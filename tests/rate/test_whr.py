"""Whole-history rating: published examples, late results, what a list holds, intervals that hold."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.lab.walk import course, walk
from arpad.model import Games, Player, Ratings
from arpad.rate.glicko.steps import SCALE, predicted
from arpad.rate.registry import system
from arpad.rate.whr import curves as whr_fit
from arpad.rate.whr.curves import run
from arpad.rate.whr.reference import hessian
from arpad.rate.whr.system import Whr, whole_history
from tests.lab.walks import season
from tests.rate.histories import FIRST, histories, world


def assembled(rows, names):
    """Games from (white, black, score, day)."""
    columns = {
        "white": [names.index(r[0]) for r in rows],
        "black": [names.index(r[1]) for r in rows],
        "score": [r[2] for r in rows],
        "date": [FIRST + dt.timedelta(days=r[3]) for r in rows],
    }
    return Games.assemble(columns, {"name": list(names)})


def published(golden, source):
    rows = [r for r in golden("whr_examples.csv") if r["source"] == source]
    games = [(r["white"], r["black"], float(r["score"]), int(r["day"])) for r in rows]
    names = list(dict.fromkeys(n for g in games for n in g[:2]))
    constants = Whr(w2=float(rows[0]["w2"]), prior=float(rows[0]["prior"]), start=0.0)
    points = run(constants, assembled(games, names)).points
    printed = [r for r in rows if r["player"]]
    mine = points.player == names.index(printed[0]["player"])
    return points, mine, printed


def test_the_example_of_goshrine(golden):
    points, mine, printed = published(golden, "goshrine")
    found = whr_fit.fit(points, tolerance=1e-6, errors="alone")
    assert found.rating[mine].round().tolist() == [float(r["rating"]) for r in printed]
    # Its uncertainty is a variance on the natural scale, in hundredths, opponents taken as known.
    hundredths = found.variance[mine] / SCALE**2 * 100
    assert hundredths.round().tolist()[:2] == [float(r["uncertainty"]) for r in printed[:2]]
    # Ours of the third day is 84.7; theirs has .001 more on the diagonal, as below.
    assert hundredths[2] == pytest.approx(float(printed[2]["uncertainty"]), abs=0.75)


@pytest.mark.parametrize("source", ["goshrine", "whr 2.2.0"])
def test_uncertainties_with_what_the_programs_add_to_the_diagonal(golden, source):
    points, mine, printed = published(golden, source)
    theta = whr_fit.fit(points, tolerance=1e-6).rating / SCALE
    block = hessian(points, theta, 0.0).toarray()[np.ix_(mine, mine)]
    variance = np.linalg.inv(block + 0.001 * np.eye(len(block))).diagonal()
    found = variance * 100 if source == "goshrine" else np.sqrt(variance) * SCALE
    digits = 0 if source == "goshrine" else 2
    assert found.round(digits).tolist() == [float(r["uncertainty"]) for r in printed]


def test_the_example_of_the_cpp_program(golden):
    points, mine, printed = published(golden, "whr 2.2.0")
    found = whr_fit.fit(points, tolerance=1e-6, errors="alone")
    assert found.rating[mine].round(2).tolist() == [float(r["rating"]) for r in printed]


def test_a_late_result_changes_the_past():
    """Bob drew with Ann in 2000. Years later he turns out to be strong: so was Ann."""
    early = [("Ann", "Bob", 0.5, 0), ("Ann", "Cid", 1.0, 10)]
    late = [("Bob", "Dan", 1.0, 700 + i) for i in range(8)] + [("Dan", "Eve", 1.0, 690)]
    names = ["Ann", "Bob", "Cid", "Dan", "Eve"]
    before = whole_history(assembled(early, names)).curve("Ann")
    after = whole_history(assembled(early + late, names)).curve("Ann")
    assert after["date"].to_list() == before["date"].to_list()
    assert (after["rating"] > before["rating"] + 10).all()
    # A system that goes forward only leaves Ann where she was.
    glicko = [
        system("glicko", period="day", on="2000-01-12").rate(assembled(g, names)).lookup(pl.DataFrame({"name": ["Ann"], "id": [None]}, schema_overrides={"id": pl.String}))[0]
        for g in (early, early + late)
    ]  # fmt: skip
    assert glicko[0] == pytest.approx(glicko[1])


@settings(max_examples=30)
@given(games=histories(), shift=st.floats(-900, 900))
def test_adding_a_constant_adds_it_everywhere(games, shift):
    moved = Games(games.table, games.players.with_columns(pl.col("rating") + shift), games.events)
    tight = Whr(tolerance=1e-6)
    one = whole_history(games, system=tight)
    other = whole_history(moved, system=replace(tight, start=1500 + shift))
    np.testing.assert_allclose(other.rows["rating"], one.rows["rating"] + shift, atol=1e-3)
    np.testing.assert_allclose(other.rows["error"], one.rows["error"], rtol=1e-5)


@settings(max_examples=30)
@given(games=histories(), advantage=st.sampled_from([0.0, 40.0]))
def test_colours_swapped_with_the_advantage_change_nothing(games, advantage):
    t = games.table
    swapped = t.with_columns(t["black"].alias("white"), t["white"].alias("black"), t["black_score"].alias("score"), t["score"].alias("black_score"))  # fmt: skip
    one = whole_history(games, system=Whr(white_advantage=advantage, tolerance=1e-6)).rows
    other = whole_history(
        Games(swapped, games.players, games.events), system=Whr(white_advantage=-advantage, tolerance=1e-6)
    ).rows
    np.testing.assert_allclose(other["rating"], one["rating"], atol=1e-3)
    np.testing.assert_allclose(other["error"], one["error"], rtol=1e-5)


def truths(found, true):
    """Return how many errors each point is from the truth."""
    day = (found.rows["date"] - FIRST).dt.total_days().to_numpy()
    player = found.rows["player"].str.slice(1).cast(pl.Int64).to_numpy()
    return ((found.rows["rating"].to_numpy() - true[player, day]) / found.rows["error"].to_numpy(), player)  # fmt: skip


def covered(seeds, **settings):
    """Return the share of strengths within 1.96 errors, and the mean square of errors."""
    zs = []
    for seed in range(seeds):
        games, true = world(seed, **settings)
        found = whole_history(games, system=Whr(prior=settings["prior"]))
        zs.append(truths(found, true)[0])
    z = np.concatenate(zs)
    return float(np.mean(np.abs(z) < 1.96)), float(np.mean(z**2))


def test_intervals_cover_the_truth():
    """Worlds as the model says, 60 games a player: 95 % of the strengths are within 1.96 errors."""
    inside, square = covered(16, players=40, games=1200, prior=8.0)
    assert inside == pytest.approx(0.95, abs=0.02)
    assert square == pytest.approx(1.0, abs=0.15)


def test_intervals_of_few_games_in_a_wide_pool_are_too_narrow():
    """The top is not the middle: where games are few and strengths far apart, 92 % instead of 95 %."""
    inside, _ = covered(3, players=200, games=1200, prior=2.0)
    assert 0.9 < inside < 0.95


def test_intervals_are_wide_where_games_are_drawn():
    """A draw tells more than half a win and half a loss: errors are an upper bound then."""
    plain, _ = covered(6, players=40, games=1200, prior=8.0)
    drawn, square = covered(6, players=40, games=1200, prior=8.0, draws=0.6)
    assert drawn > plain
    assert square < 1


def test_the_advantage_of_white_is_found():
    rng = np.random.default_rng(1)
    n = 4000
    white = rng.integers(0, 50, n)
    black = (white + rng.integers(1, 50, n)) % 50
    score = (rng.random(n) < 1 / (1 + 10 ** (-60 / 400))).astype(float)
    dates = [FIRST + dt.timedelta(days=int(d)) for d in np.sort(rng.integers(0, 900, n))]
    games = Games.assemble({"white": white, "black": black, "score": score, "date": dates}, {"name": [f"P{i}" for i in range(50)]})  # fmt: skip
    found = whole_history(games, system=Whr(white_advantage=None))
    assert found.parameters["white_advantage"] == pytest.approx(60, abs=12)
    assert "White +" in found.summary()


def test_a_curve_between_its_games_is_a_bridge():
    """The bridge is what the model says of a day without games: put a point there, and compare."""
    rows = [("Ann", "Bob", 1.0, 0), ("Ann", "Bob", 0.0, 300), ("Bob", "Ann", 1.0, 700)]
    games = assembled(rows, ["Ann", "Bob"])
    found = whole_history(games, system=Whr(tolerance=1e-8))
    points = found.run.points
    split = replace(
        points,
        player=np.insert(points.player, 1, points.player[0]),
        day=np.insert(points.day, 1, points.day[0] + 100),
        first=points.first + np.arange(len(points.first)).clip(max=1),
        link=np.r_[points.link[0] * 3, points.link[0] * 1.5, points.link[1:]],
        white=points.white + (points.white > 0),
        black=points.black + (points.black > 0),
    )
    exact = whr_fit.fit(split, tolerance=1e-8)
    middle = found.curve("Ann", step=100).row(1, named=True)
    assert middle["date"] == FIRST + dt.timedelta(days=100)
    assert middle["games"] == 0
    assert middle["rating"] == pytest.approx(exact.rating[1], abs=1e-4)
    assert middle["error"] == pytest.approx(exact.variance[1] ** 0.5, rel=1e-6)
    on = found.on(FIRST + dt.timedelta(days=100), within=None).filter(pl.col("player") == "Ann")
    assert on["rating"][0] == pytest.approx(middle["rating"])
    assert (on["games"][0], on["last"][0]) == (1, FIRST)


def test_lists_of_a_day():
    games, true = world(8, players=30, games=1500)
    found = whole_history(games)
    everybody = found.on(within=None)
    assert everybody.height == 30
    assert found.table(3).height == 3
    assert everybody["games"].sum() == 2 * len(games)
    last = FIRST + dt.timedelta(days=1499)
    truth = {f"P{i}": true[i, 1499] for i in range(30)}
    now = found.on(last, within=None)
    z = [(row["rating"] - truth[row["player"]]) / row["error"] for row in now.to_dicts()]
    assert np.mean(np.abs(z) < 1.96) > 0.85
    later = found.on(last + dt.timedelta(days=4000), within=None)
    assert (later.sort("player")["error"] > now.sort("player")["error"]).all()
    assert found.on(last + dt.timedelta(days=4000)).height == 0
    assert found.on(FIRST - dt.timedelta(days=1), within=None).height == 0
    assert (everybody["peak"] >= everybody["rating"] - 1e-9).all()


def test_the_list_is_the_end_of_the_curves():
    games, _ = world(9, players=20, games=900)
    listed = Whr().rate(games).rows
    found = whole_history(games)
    for row in listed.to_dicts():
        end = found.curve(row["player"]).row(-1, named=True)
        assert row["rating"] == pytest.approx(end["rating"])
        waited = (row["on"] - end["date"]).days
        assert row["error"] == pytest.approx((end["error"] ** 2 + 7 * waited) ** 0.5)
        assert row["last"] == end["date"]
    cut = FIRST + dt.timedelta(days=700)
    early = Whr(on=cut).rate(games)
    alone = Whr(on=cut).rate(games.keep(games.table["date"] < cut))
    assert early.rows.equals(alone.rows)
    assert any("left out" in note for note in early.source["notes"])


def listed(**columns):
    return Ratings(system="given", rows=pl.DataFrame({"player": ["Ann"], **columns}), parameters={})


def test_an_earlier_list_holds_what_is_known():
    games = assembled([("Ann", "Bob", 1.0, 100)], ["Ann", "Bob"])
    day = [FIRST]
    sure = Whr().rate(games, listed(rating=[2000.0], error=[2.0], on=[FIRST + dt.timedelta(100)]))
    ann = sure.rows.filter(pl.col("player") == "Ann").row(0, named=True)
    assert ann["rating"] == pytest.approx(2000, abs=0.1)
    assert ann["before"] == 2000
    # A hundred days on, 2 points of doubt have become √(4 + 700): the mode of N(2000, 704) and one win.
    older = Whr(start=2000.0).rate(games, listed(rating=[2000.0], error=[2.0], on=day)).rows
    same = Whr(start=2000.0, given_error=704**0.5).rate(
        Games.assemble({c: games.table[c] for c in ("white", "black", "score", "date")}, [Player(name="Ann", rating=2000), Player(name="Bob")])
    ).rows  # fmt: skip
    np.testing.assert_allclose(older["rating"], same["rating"], atol=1e-6)
    np.testing.assert_allclose(older["error"], same["error"], atol=1e-6)
    bare = Whr().rate(games, listed(rating=[2000.0]))
    assert any("without an error" in note for note in bare.source["notes"])


def test_a_chain_of_lists_comes_near_to_all_games_at_once():
    """A list forgets who was met: the chain knows less, but not much less."""
    games, true = world(11, players=40, games=2500)
    once = Whr().rate(games).rows.sort("player")
    rated = None
    for start in range(0, 1500, 100):
        day = (games.table["date"] - FIRST).dt.total_days()
        part = games.keep((day >= start) & (day < start + 100))
        new = Whr().rate(part, rated)
        rest = [] if rated is None else [rated.rows.join(new.rows, on="player", how="anti")]
        rated = replace(new, rows=pl.concat([new.rows, *rest], how="diagonal_relaxed"))
    chain = rated.rows.sort("player")
    apart = (chain["rating"] - once["rating"]) / once["error"]
    assert np.sqrt((apart**2).mean()) < 0.5
    truth = np.array([true[int(name[1:]), -1] for name in once["player"]])
    assert np.sqrt(((once["rating"] - truth) ** 2).mean()) <= 1.05 * np.sqrt(((chain["rating"] - truth) ** 2).mean())  # fmt: skip


@settings(max_examples=15)
@given(games=histories(), advantage=st.sampled_from([0.0, None]))
def test_a_walk_predicts_from_all_games_before(games, advantage):
    chosen = system("whr", white_advantage=advantage, tolerance=0.001)
    found = walk(chosen, games)
    last = found.rows["period"].max()
    earlier = games.keep(games.table["date"] < last)
    if not len(earlier):
        return
    rating = replace(chosen, on=last).rate(earlier).lookup(games.players)
    known = rating.is_not_null().to_numpy()
    rows = found.rows.filter(pl.col("period") == last)
    w, b = rows["white"].to_numpy(), rows["black"].to_numpy()
    both, rating = known[w] & known[b], rating.fill_null(0).to_numpy()
    D = rows["difference"].to_numpy()
    np.testing.assert_allclose(D[both], (rating[w] - rating[b])[both], atol=0.3)
    # All at once, from a cold start, is the same as period after period.
    together = Games(games.rateable(), games.players)
    at_once = chosen.predict_games(together, np.array([0, len(earlier), len(together)]))[1][len(earlier) :]
    np.testing.assert_allclose(rows["expected"], at_once, atol=1e-3)


def test_a_walk_says_what_all_earlier_games_say():
    """Each period from a fit that begins anew with the games before it, and knows of no later one."""
    games = season(players=12, months=8, games=15)
    chosen = system("whr", w2=7.0, white_advantage=30.0)
    rows, way = walk(chosen, games).rows, course(games)
    compared = 0
    for a, b in zip(way.first[1:-1].tolist(), way.first[2:].tolist(), strict=True):
        points = run(chosen, Games(way.games.table.head(a), games.players)).points
        found = whr_fit.fit(points, white_advantage=30.0, tolerance=1e-6, errors="opponents")
        morning = way.games.table["date"][a].toordinal() - dt.date(1970, 1, 1).toordinal()
        last = {int(points.player[i - 1]): i - 1 for i in points.first[1:]}
        for game, told in zip(way.games.table[a:b].iter_rows(named=True), rows[a:b].iter_rows(named=True), strict=True):  # fmt: skip
            if not {game["white"], game["black"]} <= last.keys():
                continue
            at = [last[game["white"]], last[game["black"]]]
            one, two = found.rating[at]
            errors = np.sqrt(found.variance[at] + 7.0 * (morning - points.day[at]))
            assert told["difference"] == pytest.approx(one - two, abs=1.0)
            expected = predicted(one, errors[0], two, errors[1], 30.0)
            assert told["expected"] == pytest.approx(expected, abs=0.002)
            compared += 1
    assert compared > 50


def test_newcomers_of_a_walk_are_as_uncertain_as_they_are():
    columns = {"white": [0], "black": [1], "score": [1.0], "date": [FIRST], "white_rating": [1900.0], "black_rating": [None]}  # fmt: skip
    games = Games.assemble(columns, {"name": ["Ann", "Bob"]})
    expected = Whr().expected_score(1900, 200, 1500, 2 * SCALE / 2**0.5)
    assert walk(system("whr"), games).rows["expected"][0] == pytest.approx(expected)
    assert walk(system("whr", given=False), games).rows["difference"][0] == 0


def test_a_rating_counts_only_where_it_stands():
    """What stands beside a later game says nothing of the first."""
    columns = {"white": [0, 0], "black": [1, 1], "score": [0.5, 0.5], "date": [FIRST, FIRST.replace(year=2010)], "white_rating": [None, 2500.0], "black_rating": [None, 2500.0]}  # fmt: skip
    games = Games.assemble(columns, {"name": ["Ann", "Bob"]})
    assert whole_history(games).rows["rating"].to_list() == pytest.approx([1500] * 4)
    now = games.table.with_columns(pl.col("white_rating", "black_rating").backward_fill())
    first = whole_history(Games(now, games.players), system=Whr(start=None))
    assert first.rows["rating"].to_list() == pytest.approx([2500] * 4)
    assert first.parameters["start"] == 2500


def test_islands_only_wins_one_game_and_one_day():
    rows = [("Ann", "Bob", 1.0, 0)] * 5 + [("Cid", "Dan", 0.5, 3), ("Cid", "Dan", 1.0, 3)]
    found = whole_history(assembled(rows, ["Ann", "Bob", "Cid", "Dan"]))
    assert found.source["groups"] == 2
    assert "2 groups that never met" in found.summary()
    assert found.rows["games"].to_list() == [5, 5, 2, 2]
    assert found.rows["rating"].is_finite().all()
    best = found.table()
    assert best["player"][0] == "Ann"
    one = whole_history(assembled([("Ann", "Bob", 1.0, 0)], ["Ann", "Bob", "Eve"]))
    assert one.rows.height == 2
    with pytest.raises(UsageError, match="has played a game here, found 'Eve'"):
        one.curve("Eve")


def test_games_without_dates():
    undated = Games.build([("Ann", "Bob", 1.0), ("Bob", "Cid", 1.0)])
    with pytest.raises(UsageError, match="needs games with dates, and found none"):
        whole_history(undated)
    rated = Whr().rate(undated)
    assert rated.rows["player"].to_list() == ["Ann", "Bob", "Cid"]
    assert rated.source["notes"] == ["no game has a date: all of them are rated as of one day"]
    assert rated.rows["on"].is_null().all()
    with pytest.raises(UsageError, match="need the dates"):
        Whr(on="2020-01-01").rate(undated)
    some = assembled([("Ann", "Bob", 1.0, 0), ("Ann", "Bob", 1.0, 9)], ["Ann", "Bob"])
    gap = Games(some.table.with_columns(pl.Series("date", [FIRST, None])), some.players)
    assert whole_history(gap).curve("Ann")["games"].to_list() == [2]
    with pytest.raises(UsageError, match="nobody has played before 1999-01-01"):
        Whr(on="1999-01-01").rate(some)


def test_namesakes():
    people = [Player(name="Li", id="1"), Player(name="Li", id="2"), Player(name="Bo")]
    columns = {"white": [0, 1], "black": [2, 2], "score": [1.0, 0.0], "date": [FIRST, FIRST]}
    found = whole_history(Games.assemble(columns, people))
    with pytest.raises(UsageError, match="several players are called 'Li': ask by id, 1, 2"):
        found.curve("Li")
    assert found.curve("1")["rating"][0] > 1500 > found.curve("2")["rating"][0]
    with pytest.raises(UsageError, match="one day or more"):
        found.curve("Bo", step=0)


def test_nothing_at_all():
    nothing = Games.assemble({"white": [], "black": [], "score": []}, {"name": []})
    found = whole_history(nothing)
    assert found.rows.height == found.table().height == 0
    assert "0 games" in found.summary()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"w2": 0.0}, "expected w2 from 0.0001"),
        ({"w2": float("nan")}, "expected w2"),
        ({"prior": 0.0}, "expected prior above 0"),
        ({"given_error": -1.0}, "expected given_error above 0"),
        ({"tolerance": 0.0}, "expected tolerance above 0"),
        ({"start": float("inf")}, "expected start within"),
        ({"white_advantage": float("nan")}, "expected white_advantage within"),
        ({"on": "yesterday"}, "expected a day such as"),
    ],
)
def test_constants_that_no_rating_can_be_computed_with(options, said):
    with pytest.raises(UsageError, match=said):
        Whr(**options)


def test_wildly_spread_ratings():
    people = [Player(name=n, rating=r) for n, r in (("A", 100.0), ("B", 9000.0), ("C", None))]
    columns = {"white": [0, 1, 2], "black": [1, 2, 0], "score": [1.0, 0.0, 0.0], "date": [FIRST] * 3}  # fmt: skip
    rated = Whr().rate(Games.assemble(columns, people))
    assert rated.rows["rating"].is_finite().all()
    assert rated.source["fit"]["converged"]


@pytest.mark.data
def test_three_hundred_thousand_games_of_history(data):
    from arpad.read import read

    games = read(data / "historical_results" / "pgnmentor_results_1749_2016.parquet").games
    found = whole_history(games, system=Whr(start=None))
    assert found.source["games"] > 300_000
    assert found.source["fit"]["converged"]
    best = found.on(dt.date(1972, 7, 1)).filter(pl.col("error") < 100)
    assert best["player"][0] == "Fischer, Robert James"
    assert found.on(dt.date(2014, 7, 1))["player"][0] == "Carlsen,M"
