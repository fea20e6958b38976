from __future__ import annotations

import csv
import io
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Event, Games, Ratings
from arpad.pool.calibration import calibrate, deviation, game_variances, variance, variances
from arpad.pool.check import check, scored
from arpad.publish.charts.checks import check_chart
from arpad.publish.charts.pool import distribution_chart
from arpad.publish.charts.style import svg
from arpad.scale import Linear, Logistic, Normal, Ratio, Table

COLUMNS = ("white", "black", "score", "white_rating", "black_rating")


def games_of(rows, **more):
    """Games from (white, black, score, white's rating, black's)."""
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    names = [f"P{i}" for i in range(max(*columns["white"], *columns["black"]) + 1)]
    return Games.assemble({k: list(v) for k, v in columns.items()}, {"name": names}, **more)


def simulated(*, curve=None, stretch=1.0, white=0.0, draws=0.3, n=300, m=30_000, seed=1):
    """Results that follow ratings, or ratings whose differences are 1/stretch too wide."""
    rng = np.random.default_rng(seed)
    R = np.round(rng.normal(2000, 200, n))
    a = rng.integers(0, n, m)
    b = (a + 1 + rng.integers(0, n - 1, m)) % n
    P = np.asarray((curve or Logistic()).expected(stretch * (R[a] - R[b]) + white))
    r = np.minimum(draws, 2 * np.minimum(P, 1 - P))
    u = rng.random(m)
    score = np.where(u < P - r / 2, 1.0, np.where(u < P + r / 2, 0.5, 0.0))
    return games_of(list(zip(a.tolist(), b.tolist(), score.tolist(), R[a], R[b], strict=True)))


def test_right_ratings_pass_and_wide_ones_do_not():
    right = check(simulated())
    assert right.calibration.test.p > 0.01
    assert right.stretch.factor == pytest.approx(1, abs=4 * right.stretch.error)
    assert right.spread.sd == pytest.approx(1, abs=0.12)
    assert right.promised.p > 0.001
    assert "do not" not in right.summary()
    wide = check(simulated(stretch=0.8))
    assert wide.calibration.test.p < 1e-6
    assert wide.stretch.factor == pytest.approx(0.8, abs=4 * wide.stretch.error)
    assert "do not fit" in wide.summary()
    assert "almost certainly" in wide.summary()


def test_the_errors_of_stretch_and_white_are_true_ones():
    found = [check(simulated(stretch=0.9, white=30, m=2000, seed=s), advantage=20) for s in range(120)]
    # D includes the advantage, so the stretch is near .9, not at it
    factors = np.array([f.stretch.factor for f in found])
    errors = np.array([f.stretch.error for f in found])
    assert factors.std() / errors.mean() == pytest.approx(1, abs=0.25)
    points = np.array([f.first_move[0] for f in found])
    assert points.mean() == pytest.approx(10, abs=2.5)
    assert points.std() / np.mean([f.first_move[1] for f in found]) == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize("draws", [0.0, 0.5])
def test_sigma_with_draws_is_right_where_the_books_is_too_wide(draws):
    games = simulated(draws=draws, n=400, m=40_000, seed=4)
    ours, books = check(games).spread.sd, check(games, draws=False).spread.sd
    assert ours == pytest.approx(1, abs=0.1)
    assert books == pytest.approx(1, abs=0.1) if draws == 0 else books < 0.85


def test_curves_are_told_apart():
    games = simulated(curve=Linear(), n=300, m=60_000)
    p = {c.name: check(games, curve=c).calibration.test.p for c in (Linear(), Logistic(), Normal())}
    assert p["linear"] > 0.01
    assert max(p["logistic"], p["normal"]) < 1e-4


def test_the_cap_is_fides_400_points():
    games = games_of([(0, 1, 1.0, 2500.0, 1500.0), (1, 0, 0.5, 1500.0, 2500.0)])
    assert scored(games, curve=Table()).P.tolist() == [1.0, 0.0]
    assert scored(games, curve=Table(), cap=400).P.tolist() == pytest.approx([0.92, 0.08])


def test_groups_by_hand():
    rows = [(0, 1, s, 2076.0, 2000.0) for s in (1.0, 0.5, 0.5, 0.0)]  # table: P .60 or .61
    rows += [(1, 0, 1.0, 2000.0, 2076.0), (2, 3, 0.5, 2000.0, 2000.0)]
    arrays = scored(games_of(rows), curve=Table())
    found = calibrate(arrays, variances(arrays), groups=10)
    assert found.level == 1
    (row,) = found.bins.to_dicts()
    P = Table().expected(76)
    assert (row["games"], row["actual"], row["expected"]) == (5, 0.4, pytest.approx(P))
    assert row["draws"] == 0.4
    # ten games lent with the draws of all: half of six
    sigma = np.sqrt(5 * variance(P, (2 + 10 * 0.5) / 15)) / 5
    assert row["sigma"] == pytest.approx(sigma)
    assert row["z"] == pytest.approx((0.4 - P) / sigma)
    assert row["indicated"] == -72  # .40 in FIDE's table
    assert found.test.statistic == pytest.approx(row["z"] ** 2)
    white = calibrate(arrays, variances(arrays), side="white")
    assert white.bins["games"].sum() == 6
    assert white.level == 0


rated = st.lists(
    st.tuples(
        st.integers(0, 7),
        st.integers(0, 7),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.integers(1000, 2800).map(float),
        st.integers(1000, 2800).map(float),
    ).filter(lambda g: g[0] != g[1]),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60)
@given(rows=rated, curve=st.sampled_from([Logistic(), Normal(), Table(), Linear()]))
def test_deviations_are_those_of_one_player_at_a_time(rows, curve):
    found = check(games_of(rows), curve=curve, enough=1, draws=False)
    by_name = {r["player"]: r for r in found.deviations.to_dicts()}
    for i in {p for g in rows for p in g[:2]}:
        P, W = [], 0.0
        for a, b, s, R, R_c in rows:
            if i == a:
                P, W = [*P, float(curve.expected(R - R_c))], W + s
            elif i == b:
                P, W = [*P, 1 - float(curve.expected(R - R_c))], W + 1 - s
        slow = deviation(W, P)
        row = by_name[f"P{i}"]
        assert (row["games"], row["score"]) == (slow.games, slow.score)
        assert row["expected"] == pytest.approx(slow.expected)
        assert row["sigma"] == pytest.approx(slow.sigma, abs=1e-6)
        assert row["probable_error"] == pytest.approx(slow.probable_error, abs=1e-6)
    # what one wins the other loses
    assert found.deviations["difference"].sum() == pytest.approx(0, abs=1e-6)


@settings(max_examples=60)
@given(rows=rated)
def test_colours_and_names_do_not_matter_to_the_favourites(rows):
    plain = check(games_of(rows))
    swapped = check(games_of([(b, a, 1 - s, R_c, R) for a, b, s, R, R_c in rows]))
    renamed = check(games_of([(7 - a, 7 - b, s, R, R_c) for a, b, s, R, R_c in rows]))
    for other in (swapped, renamed):
        assert other.calibration.bins["games"].to_list() == plain.calibration.bins["games"].to_list()
        assert other.calibration.test.statistic == pytest.approx(plain.calibration.test.statistic)
        assert other.spread.sum_of_squares == pytest.approx(plain.spread.sum_of_squares)
    assert swapped.white.difference == pytest.approx(-plain.white.difference, abs=1e-9)
    assert plain.summary()


@given(P=st.lists(st.floats(0, 1), min_size=1, max_size=20), r=st.floats(0, 1))
def test_fast_and_plain_variances_agree(P, r):
    fast = game_variances(np.array(P), np.full(len(P), r))
    assert fast == pytest.approx([variance(p, r) for p in P], abs=1e-12)


def test_entries_are_players_in_events():
    rows = [(0, 1, 1.0, 2000.0, 1900.0)] * 3 + [(1, 0, 1.0, 1900.0, 2000.0)] * 2
    games = games_of(rows, events=[Event(name="first"), Event(name="second")])
    games = Games(
        games.table.with_columns(event=pl.Series([0, 0, 1, 1, None], dtype=pl.Int32)),
        games.players,
        games.events,
    )
    found = check(games, per="entry", enough=1)
    counted = sorted((r["player"], r["event"] or "", r["games"]) for r in found.deviations.to_dicts())
    assert counted == [("P0", "", 1), ("P0", "first", 2), ("P0", "second", 2), ("P1", "", 1), ("P1", "first", 2), ("P1", "second", 2)]  # fmt: skip
    assert found.players == 2


def test_ratings_may_come_from_the_players_or_from_a_list():
    bare = Games.build([("A", "B", 1.0), ("B", "A", 0.5)])
    with pytest.raises(InputError, match="none in which both have a rating"):
        check(bare)
    frame = pl.DataFrame({"player": ["A", "B"], "rating": [2000.0, 1900.0]})
    listed = Ratings(system="given", rows=frame, parameters={})
    assert check(bare, before=listed).games == 2
    own = Games(bare.table, bare.players.with_columns(rating=pl.Series([2000.0, 1900.0])))
    assert check(own).white.expected == pytest.approx(check(bare, before=listed).white.expected)


def test_nothing_to_compare_is_said():
    level = check(games_of([(0, 1, 0.5, 2000.0, 2000.0)] * 3))
    assert "no game had a favourite" in level.summary()
    assert level.stretch is None
    drawn = check(games_of([(0, 1, 0.5, 2000.0, 1990.0)] * 40))
    assert drawn.summary()
    one = check(games_of([(0, 1, 1.0, 5000.0, 1.0)]))
    assert one.histogram is None
    assert one.histogram_table() is None
    assert "fewer than 30 games" in one.summary()
    for bad in ({"curve": Ratio()}, {"cap": -1}, {"groups": 0}, {"side": "black"}, {"per": "club"},
                {"enough": 0}, {"advantage": float("nan")}):  # fmt: skip
        with pytest.raises(UsageError):
            check(games_of([(0, 1, 1.0, 2000.0, 1900.0)]), **bad)


CSV = "white,black,result,white_elo,black_elo,event\n" + "".join(
    f"{a},{b},{r},{ra},{rb},Open\n"
    for a, b, r, ra, rb in [
        ("Ann", "Bob", "1-0", 2100, 2000),
        ("Bob", "Cid", "1/2-1/2", 2000, 1900),
        ("Cid", "Ann", "0-1", 1900, 2100),
        ("Dan", "Ann", "1/2-1/2", 2050, 2100),
        ("Bob", "Dan", "0-1", 2000, 2050),
        ("Cid", "Dan", "1-0", 1900, 2050),
        ("Eve", "Ann", "0-1", "", 2100),
    ]
)


def test_the_verb_prints_everything(run, write, tmp_path):
    path = write(CSV)
    done = run("check", path, "--enough", 2, "--chart", tmp_path / "c.png")
    assert done.code == 0
    assert "The ratings fit these 6 games on the logistic curve" in done.out
    for title in ("Expected and actual score", "Largest deviations", "Deviations", "Tests"):
        assert title in done.out
    assert "1 played games are left out" in done.err
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_the_verb_says_no_in_words_and_still_exits_0(run, write):
    rows = "".join(f"A{i % 9},B{i % 7},0-1,2400,2000\n" for i in range(80))
    done = run("check", write("white,black,result,white_elo,black_elo\n" + rows))
    assert done.code == 0
    assert "The ratings do not fit these 80 games" in done.out


def test_json_and_csv(run, write):
    path = write(CSV)
    found = json.loads(run("check", path, "--format", "json", "--enough", 2).out)
    assert (found["games"], found["left_out"], found["players"]) == (6, 1, 4)
    assert sum(g["games"] for g in found["groups"]) == 6
    assert {t["test"].split(",")[0] for t in found["tests"]} >= {"groups"}
    assert all("p_fitted" in t for t in found["tests"])
    assert len(found["deviations"]) == 4
    assert found["input"]["rated"] == 7
    for rows, columns in (("groups", "expected"), ("deviations", "probable_error"), ("histogram", "promised")):  # fmt: skip
        out = run("check", path, "--format", "csv", "--rows", rows, "--enough", 2).out
        assert columns in next(csv.reader(io.StringIO(out)))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--curve", "bent"], "not one of 'linear'"),
        (["--curve", "ratio"], "measures ratios"),
        (["--side", "black"], "--side"),
        (["--per", "club"], "--per"),
        (["--rows", "all"], "--rows"),
        (["--cap", "0"], "expected a cap"),
        (["--format", "csv", "--rows", "histogram", "--enough", "99"], "--enough"),
        (["--before", "no-such-list.csv"], "no-such-list.csv"),
        (["--chart", "x.gif"], "expected a chart"),
    ],
)
def test_bad_options_are_one_line(run, write, options, says):
    done = run("check", write(CSV), *options)
    assert done.code == 2
    assert says in done.err.splitlines()[-1]
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "text",
    ["white,black,result\nA,B,1-0\n", "white,black,result,white_elo,black_elo\nA,B,+/-,2000,1900\n", ""],
    ids=["no ratings", "only forfeits", "nothing"],
)
def test_files_that_cannot_be_checked(run, write, text):
    done = run("check", write(text, "games.csv"))
    assert done.code == 2
    assert len([line for line in done.err.splitlines() if line.startswith("arpad: ")]) == 1
    assert "inside arpad" not in done.err


def test_distribution_of_a_list_and_of_games(run, write, tmp_path):
    rng = np.random.default_rng(2)
    rows = "".join(f"P{i},{r:.0f}\n" for i, r in enumerate(rng.normal(1600, 200, 300)))
    path = write("player,rating\nNobody,\n" + rows, "list.csv")
    done = run("distribution", path, "--chart", tmp_path / "d.svg")
    assert done.code == 0
    for words in ("300 ratings", "Histogram", "Fits", "normal", "maxwell", "Skewness"):
        assert words in done.out
    assert "Maxwell–Boltzmann" in (tmp_path / "d.svg").read_text(encoding="utf-8")
    found = json.loads(run("distribution", path, "--format", "json", "--zero", 900).out)
    assert [fit["shape"] for fit in found["fits"]] == ["normal", "maxwell"]
    assert found["fits"][1]["parameters"]["zero"] == 900
    assert sum(r["count"] for r in found["histogram"]) == found["players"] == 300
    games = json.loads(run("distribution", write(CSV, "g.csv"), "--format", "json").out)
    assert (games["players"], games["input"]["source"]) == (4, "games")
    alone = write("Elo;club\n1500;x\n;y\n1600;z\n", "column.csv")
    numbers = json.loads(run("distribution", alone, "--column", "elo", "--format", "json").out)
    assert (numbers["players"], numbers["input"]["source"]) == (2, "column")
    assert "low,high,count" in run("distribution", path, "--format", "csv").out


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", []),
        ("white,black,result\nA,B,1-0\n", []),
        ("player,rating\nA,\n", []),
        ("player,rating\nA,strong\n", []),
        ("player,rating\nA,1500\nB,1600\n", ["--zero", "2000"]),
        ("player,rating\nA,1500\nB,1600\n", ["--width", "0"]),
        ("player,rating\nA,1500\nB,1600\n", ["--input-format", "pgn"]),
        ("player,rating\nA,1500\n", ["--column", "elo"]),
        ("elo\n1500\nhigh\n", ["--column", "elo"]),
        ("elo\n", ["--column", "elo"]),
    ],
)
def test_distributions_that_cannot_be_described(run, write, text, options):
    done = run("distribution", write(text, "list.csv"), *options)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith("arpad: ")
    assert "inside arpad" not in done.err


def test_one_rating_is_answered(run, write, tmp_path):
    done = run("distribution", write("player,rating\nA,1500\n"), "--chart", tmp_path / "d.png")
    assert done.code == 0
    assert "no shape can be fitted" in done.out


def test_charts_show_both_pictures():
    found = check(simulated(m=3000))
    picture = svg(check_chart(found, title="T", subtitle="S"))
    for words in ("expected score of the favourite", "chance alone", "normal, with their own σ", "players"):
        assert words in picture
    from arpad.pool.distribution import distribution

    picture = svg(distribution_chart(distribution([1500, 1620, 1700, 1710]), title="T"))
    assert "players in 100 points" in picture


@pytest.mark.data
def test_published_ratings_of_2010_to_2016(data):
    from arpad.read import read

    games = read(data / "twic_results" / "results_2010_2016_fideid.parquet").games
    found = check(games)
    assert found.games == 707_040
    assert found.left_out == 40_846
    assert found.stretch.factor == pytest.approx(0.832, abs=5e-4)
    assert found.first_move[0] == pytest.approx(33.5, abs=0.1)
    assert "do not fit" in found.summary()


def test_exactly_enough_games_count():
    """Somebody with just enough games comes before those with fewer, and is in the spread and the histogram."""
    rows = [(0, 1, 0.5, 2000.0, 2000.0)] * 7 + [(2, 3, 1.0, 1500.0, 2500.0)] * 6
    found = check(games_of(rows), enough=7)
    assert found.deviations["games"].to_list() == [7, 7, 6, 6]
    assert (found.spread.count, found.histogram.total) == (2, 2)
