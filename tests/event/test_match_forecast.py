from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.match import forecast, score_distribution, score_ways, trinomial
from arpad.event.performance import reliability
from arpad.scale import Logistic, Normal, Ratio, Table


def test_2_13_fischer_spassky():
    # 12.5 of 20, the forfeited game left out: 90 points, .45 of a class interval, on the normal curve.
    # The table knows hundredths only: .625 is looked up as .63, .375 as .38.
    assert round(Normal().difference(12.5 / 20)) == 90
    assert round(Normal().difference(7.5 / 20)) == -90
    assert (Table().difference(12.5 / 20), Table().difference(7.5 / 20)) == (95, -87)
    assert Table(interpolate=True).difference(12.5 / 20) == pytest.approx(91, abs=0.01)


def test_2_14_karpov_korchnoi():
    found = forecast(2715 - 2645, games=24)
    assert found.expected == 0.60
    assert found.expected_score == pytest.approx(14.4)
    assert round(found.expected_score * 2) / 2 == 14.5  # as the book prints it
    assert round(found.rough_length) == 21  # 12.5 / .60
    # Game by game the answer is the same to a tenth of a game.
    assert found.length == pytest.approx(found.rough_length, abs=0.1)


def test_2_56_and_8_95():
    assert round(reliability(20, p=0.625).probable_error_score, 2) == 1.46
    assert round(reliability(20, p=0.75).sigma_score, 2) == 1.94
    assert round(reliability(20).sigma_score, 2) == 2.24
    assert round(reliability(15).sigma_rating) == 73
    # With σ rounded to 73 and z to 1.37, as the book does it by hand:
    assert math.erf(1.37 / math.sqrt(2)) == pytest.approx(0.8294, abs=1.5e-4)
    assert reliability(15).confidence == pytest.approx(0.8294, abs=5e-4)


def test_8_87_the_match_of_1975():
    found = forecast(70, wins=10, drawn_at=9)
    assert round(found.drawn, 3) == 0.128
    assert found.drawn == pytest.approx(trinomial(9, 9, 0, win=0.6, loss=0.4))
    assert found.won + found.drawn + found.lost == pytest.approx(1)
    # Without the clause, 9–9 is split as the next decided game is.
    without = forecast(70, wins=10)
    assert without.drawn == 0
    assert without.won == pytest.approx(found.won + 0.6 * found.drawn)


def test_8_92_whole(golden):
    sets = {"third": (1 / 3, 1 / 3, 1 / 3), "fifth_drawn": (0.4, 0.4, 0.2), "stronger": (0.5, 0.25, 0.25)}  # fmt: skip
    rows = golden("elo_8_92.csv")
    assert len(rows) == 15
    tables = {name: score_ways(4, p, r).rows for name, (p, q, r) in sets.items()}
    sums = dict.fromkeys(sets, 0.0)
    for i, row in enumerate(rows):
        W, L, D = (int(row[c]) for c in "WLD")
        assert float(row["score"]) == W + D / 2
        for name, (p, q, r) in sets.items():
            P = trinomial(W, L, D, win=p, loss=q, draw=r)
            assert pytest.approx(float(row[name]), abs=5.1e-5) == P, (row, name)
            assert tables[name].row(i) == (W + D / 2, W, L, D, pytest.approx(P, rel=1e-12))
            sums[name] += float(row[name])
    assert {n: round(s, 4) for n, s in sums.items()} == {"third": 0.9999, "fifth_drawn": 1.0, "stronger": 1.0002}  # fmt: skip


def test_8_92_ways_and_tails():
    assert [score_ways(n, 1 / 3, 1 / 3).rows["score"].n_unique() for n in (4, 9, 15, 30)] == [9, 19, 31, 61]
    found = [score_ways(4, p, r) for p, r in ((1 / 3, 1 / 3), (0.4, 0.2), (0.5, 0.25))]
    assert [each.expected for each in found] == pytest.approx([2.0, 2.0, 2.5])
    assert [each.above for each in found] == pytest.approx([0.1852, 0.2176, 0.1875], abs=5.1e-5)
    for games, win, draw in ((0, 0.5, 0.0), (101, 0.5, 0.0), (4, 0.9, 0.2)):
        with pytest.raises(UsageError, match="expected"):
            score_ways(games, win, draw)


@given(games=st.integers(1, 9), win=st.floats(0, 1), draw=st.floats(0, 1))
def test_scores_are_sums_of_trinomials(games, win, draw):
    win, draw = win / 2, draw / 2
    loss = 1 - win - draw
    scores = score_distribution(games, win, draw)
    total: dict[float, float] = {}
    for wins in range(games + 1):
        for draws in range(games - wins + 1):
            losses = games - wins - draws
            p = trinomial(wins, losses, draws, win=win, loss=loss, draw=draw)
            total[wins + draws / 2] = total.get(wins + draws / 2, 0.0) + p
    for score, p in total.items():
        assert scores.get(score, 0.0) == pytest.approx(p, abs=1e-12)


def test_long_matches_are_answered():
    scores = score_distribution(2000, 0.3, 0.4)
    assert math.fsum(scores.values()) == pytest.approx(1)
    # 8.86: the larger N, the closer to the normal curve.
    mean, sigma = 1000.0, math.sqrt(2000 * (0.3 + 0.1 - 0.25))
    beyond = math.fsum(p for s, p in scores.items() if s >= mean + sigma)
    assert beyond == pytest.approx(0.1587, abs=0.005)


RULES = st.one_of(
    st.builds(lambda n: {"games": n}, st.integers(1, 20)),
    st.builds(lambda h: {"first_to": h / 2}, st.integers(1, 20)),
    st.builds(lambda n, h: {"games": n, "first_to": min(h / 2, n)}, st.integers(2, 20), st.integers(1, 20)),
    st.builds(lambda n: {"wins": n}, st.integers(1, 8)),
    st.builds(lambda n: {"wins": n + 1, "drawn_at": n}, st.integers(1, 8)),
    st.builds(lambda n, w: {"games": n, "wins": w}, st.integers(1, 20), st.integers(1, 8)),
)  # fmt: skip


@given(D=st.integers(-400, 400), rule=RULES, draws=st.floats(0, 0.9), advantage=st.integers(-60, 60))
def test_what_one_wins_the_other_loses(D, rule, draws, advantage):
    low = min(float(Logistic().expected(D + a)) for a in (advantage, -advantage))
    high = max(float(Logistic().expected(D + a)) for a in (advantage, -advantage))
    options = {"draws": draws * 2 * min(low, 1 - high), "curve": Logistic(), **rule}
    mine = forecast(D, white_advantage=advantage, **options)
    # The opponent has Black in the first game: White's advantage is his with the sign turned.
    theirs = forecast(-D, white_advantage=-advantage, **options)
    assert mine.won == pytest.approx(theirs.lost, abs=1e-9)
    assert mine.drawn == pytest.approx(theirs.drawn, abs=1e-9)
    assert mine.length == pytest.approx(theirs.length, abs=1e-6)
    assert mine.won + mine.drawn + mine.lost == pytest.approx(1, abs=1e-9)
    assert math.fsum(mine.lengths.values()) == pytest.approx(1, abs=1e-9)
    assert math.fsum(mine.scores["probability"]) == pytest.approx(1, abs=1e-9)
    if "games" in rule:
        assert max(mine.lengths) <= rule["games"]


@given(D=st.integers(-300, 300), games=st.integers(1, 24), draw=st.floats(0, 0.2))
def test_without_colours_it_is_the_match(D, games, draw):
    found, P = forecast(D, games=games, draws=draw), float(Table().expected(D))
    scores = score_distribution(games, P - draw / 2, draw)
    assert found.expected == pytest.approx(P)
    assert found.won == pytest.approx(sum(p for score, p in scores.items() if score > games / 2))
    assert found.drawn == pytest.approx(scores.get(games / 2, 0.0))
    assert found.expected_score == pytest.approx(games * P, abs=1e-9)
    assert found.rough_length == pytest.approx((games / 2 + 0.5) / max(P, 1 - P))
    variance = games * (P * (1 - P) - draw / 4)
    assert found.sigma == pytest.approx(math.sqrt(variance), abs=1e-9)
    # Stopping once somebody has more than half changes no winner.
    early = forecast(D, games=games, first_to=games / 2 + 0.5, draws=draw) if games > 1 else found
    assert early.won == pytest.approx(found.won)
    assert early.length == pytest.approx(found.length)


def _play(rng, odds, *, games=None, first_to=None, wins=None):
    own = other = won = lost = n = 0.0
    while True:
        win, draw = odds[int(n) % 2]
        u, n = rng.random(), n + 1
        own += 1 if u < win else 0.5 if u < win + draw else 0
        other = n - own
        won += u < win
        lost += u >= win + draw
        a, b = (won, lost) if wins else (own, other)
        if n == games or max(a, b) >= (wins or first_to or math.inf):
            return a, b, n


@pytest.mark.parametrize(
    "rule", [{"games": 12}, {"games": 12, "first_to": 6.5}, {"first_to": 4.0}, {"wins": 3}, {"wins": 3, "games": 10}]
)  # fmt: skip
def test_simulation_finds_the_same(rule):
    rng = random.Random(1986)
    D, draws, advantage = 50, 0.4, 35
    expected = [float(Logistic().expected(D + a)) for a in (advantage, -advantage)]
    odds = [(P - draws / 2, draws) for P in expected]
    played = [_play(rng, odds, **rule) for _ in range(8000)]
    found = forecast(D, draws=draws, white_advantage=advantage, curve=Logistic(), **rule)
    won = sum(a > b for a, b, _ in played) / len(played)
    assert won == pytest.approx(found.won, abs=4 * math.sqrt(0.25 / len(played)))
    drawn = sum(a == b for a, b, _ in played) / len(played)
    assert drawn == pytest.approx(found.drawn, abs=4 * math.sqrt(0.25 / len(played)))
    if "games" not in rule or len(rule) > 1:  # otherwise all games are played to the end
        assert sum(n for _, _, n in played) / len(played) == pytest.approx(found.length, abs=0.2)


def test_two_can_reach_the_same_score_by_a_draw():
    # From 3½ each (or 4 each) a draw brings both to the goal at once; without draws nothing does.
    for first_to in (4, 4.5):
        assert forecast(0, first_to=first_to, draws=0.5).drawn > 0
        assert forecast(0, first_to=first_to).drawn == 0


@pytest.mark.parametrize(("options", "words"), [
    ({}, "of games, of points or of wins"),
    ({"games": 0}, "games from 1"),
    ({"games": 10**6}, "games from 1 to 10,000"),
    ({"wins": 0}, "wins from 1"),
    ({"wins": 2, "first_to": 2}, "found both"),
    ({"first_to": 2.3}, "in halves"),
    ({"first_to": math.nan}, "in halves"),
    ({"first_to": -1}, "in halves"),
    ({"games": 4, "first_to": 5}, "at most 4 points"),
    ({"games": 4, "drawn_at": 2}, "wins for a drawn match"),
    ({"wins": 4, "drawn_at": 4}, "wins for a drawn match"),
    ({"wins": 4, "draws": 1.0}, "some games to be decided"),
    ({"wins": 4, "draws": 0.9999}, "still open"),
    ({"games": 4, "draws": -0.1}, "probability of draws from 0 to 1"),
    ({"games": 4, "draws": math.nan}, "probability of draws"),
    ({"games": 4, "white_advantage": math.inf}, "that are numbers"),
    ({"games": 4, "curve": Ratio()}, "ratio curve"),
])  # fmt: skip
def test_misuse(options, words):
    with pytest.raises(UsageError, match=words):
        forecast(0, **options)
    with pytest.raises(UsageError, match="that are numbers"):
        forecast(math.nan, games=4)


def test_wildly_spread_ratings():
    found = forecast(3000, games=10)
    assert (found.won, found.drawn, found.lost) == (1, 0, 0)
    with pytest.raises(UsageError, match="leaves room for"):
        forecast(3000, games=10, draws=0.5)
    assert forecast(-3000, wins=3).length == 3


def test_misuse_of_trinomials():
    with pytest.raises(UsageError):
        trinomial(-1, 2, 0, win=0.5, loss=0.5)
    with pytest.raises(UsageError):
        trinomial(1, 2, 0, win=0.5, loss=0.4)
    assert trinomial(1, 0, 0, win=0, loss=1) == 0
    with pytest.raises(UsageError):
        score_distribution(10**6, 0.5)


def test_on_the_command_line(run, tmp_path):
    done = run("match", "2715", "2645", "--games", "24", "--draws", "0")
    assert done.out.startswith("2715 – 2645, 24 games: won 78.7%, drawn 9.9%, lost 11.4%.")
    assert "Expected 14.40 ± 2.40 points; decided after 20.8 games on average." in done.out
    document = json.loads(run("match", "2780", "2710", "--wins", "10", "--drawn-at", "9", "--draws", "0", "--format", "json").out)  # fmt: skip
    assert round(document["drawn"], 3) == 0.128
    assert document["parameters"]["curve"] == "table"
    assert sum(row["probability"] for row in document["lengths"]) == pytest.approx(1)
    csv = run("match", "2700", "2650", "--games", "2", "--draws", "0.5", "--format", "csv").out
    assert csv.splitlines()[0] == "score,opponent,probability,or_more,result"
    assert len(csv.splitlines()) == 6


@pytest.mark.parametrize("rule", [("--games", "12"), ("--wins", "4"), ("--games", "200")])
def test_charts(run, tmp_path, rule):
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<svg")):
        target = tmp_path / f"m.{ending}"
        assert run("match", "2700", "2650", *rule, "--chart", target).code == 0
        assert target.read_bytes().startswith(start)
    assert run("match", "2700", "2650", *rule, "--chart", tmp_path / "m.gif").code == 2


@pytest.mark.parametrize("arguments", [
    [], ["2700"], ["2700", "2650"], ["2700", "2650", "--games", "x"], ["2700", "2650", "--games", "4", "--draws", "1.5"],
    ["2700", "2650", "--games", "4", "--curve", "bell"], ["2700", "2650", "--games", "4", "--curve", "ratio"],
    ["nan", "2650", "--games", "4"], ["2700", "2650", "--wins", "3", "--first-to", "3"],
])  # fmt: skip
def test_misused_on_the_command_line(run, arguments):
    done = run("match", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("arpad: ")
    assert done.err.count("\n") == 1
    assert "inside arpad" not in done.err


def test_the_draw_model_is_the_default_and_0_the_binomial_of_the_book(run):
    won = {
        draws: json.loads(run("match", "2700", "2650", "--games", "12", *draws, "--format", "json").out)[
            "won"
        ]
        for draws in ((), ("--draws", "model"), ("--draws", "0"))
    }
    assert won[()] == won["--draws", "model"] == pytest.approx(0.714, abs=5e-4)
    assert won["--draws", "0"] == pytest.approx(0.58, abs=5e-3)
