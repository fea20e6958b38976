from __future__ import annotations

import json
import math
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.handicap import (
    ROUND_ROBIN,
    ROUND_ROBIN_PLAYERS,
    SWISS,
    SWISS_LEVELS,
    brasket,
    expected_points,
    field_handicaps,
    handicap_standings,
    match_handicap,
    round_robin_points,
    scratch_rating,
    swiss_points,
    worth_a_handicap,
)
from arpad.model import Games
from tests.read.samples import PRA, TRF

RATINGS = st.integers(800, 2800)


def round_robin(ratings, score=0.5):
    pairs = list(combinations(range(len(ratings)), 2))
    columns = {"white": [a for a, _ in pairs], "black": [b for _, b in pairs], "score": [score] * len(pairs)}  # fmt: skip
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(len(ratings))], "rating": ratings})  # fmt: skip


def match(ratings, scores, names=("A", "B")):
    n = len(scores)
    return Games.assemble({"white": [0] * n, "black": [1] * n, "score": scores}, {"name": list(names), "rating": list(ratings)})  # fmt: skip


def swiss(ratings, rounds):
    """Pair neighbours of a ring; everything is drawn."""
    n = len(ratings)
    rows = [(a, (a + r + 1) % n, str(r + 1)) for r in range(rounds) for a in range(0, n, 2 * (r + 1))]
    columns = {"white": [a for a, _, _ in rows], "black": [b for _, b, _ in rows], "score": [0.5] * len(rows), "round": [r for _, _, r in rows]}  # fmt: skip
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(n)], "rating": ratings})


def test_3_93_brasket():
    assert brasket(1900, 2050, 2200) == 2290
    assert brasket(1900, 2050, 2200, share=0) == 2050
    assert brasket(2300, 2050, 2200) == 2050  # above scratch: nothing is taken away


def test_3_94_a_match_of_twenty():
    found = match_handicap(200, 20)
    assert found.expected == 0.76
    assert [round(w, 1) for w in found.expected_scores] == [15.2, 4.8]
    assert round(found.sigma, 2) == 1.91
    assert round(found.points, 2) == 8.49
    assert match_handicap(-200, 20) == found
    assert round(match_handicap(200, 20, fraction=0.5).points, 2) == 5.2
    # Draws narrow the score: more must be given to leave one (smaller) standard deviation.
    assert match_handicap(200, 20, draws=0.4).points > found.points


def test_table_3_96_whole(golden):
    # Thirteen values for twelve numbers of participants: the twelfth is one too many in the first
    # five rows, the thirteenth in the others; both repeat the value before.
    for row, ours in zip(golden("elo_3_96.csv"), ROUND_ROBIN, strict=True):
        low = int(row["level"].split("-")[0])
        printed = [float(row[str(i)]) for i in range(1, 14)]
        extra = 11 if low <= 201 else 12
        assert printed[extra] == printed[extra - 1]
        del printed[extra]
        assert list(ours) == printed
        for players, points in zip(ROUND_ROBIN_PLAYERS, printed, strict=True):
            assert round_robin_points(low, players) == points


def test_table_3_96_between_rows_and_columns():
    assert round_robin_points(100, 22) == 0
    assert round_robin_points(126, 21) == 1.1  # 1.0 for 20 and 1.2 for 22
    assert round_robin_points(350, 10) == round_robin_points(326, 10) == 2.8
    assert round_robin_points(900, 10) == 2.8
    for players in (2, 9, 23):
        with pytest.raises(UsageError, match="10 to 22 participants"):
            round_robin_points(200, players)


def test_3_97_whole(golden):
    rows = golden("elo_3_97.csv")
    found = field_handicaps([float(r["rating"]) for r in rows], method="round-robin")
    assert found.scratch == 2635
    for row, level, points in zip(rows, found.levels, found.points, strict=True):
        assert level == float(row["level"])
        assert points == float(row["handicap"]), row["player"]
        assert round(float(row["score"]) + points, 1) == float(row["total"])


@pytest.mark.data
def test_3_97_from_the_games(golden, data):
    path = data / "historical_results" / "pgnmentor_results_1749_2016.parquet"
    played = pl.scan_parquet(path).filter(year=1975, event="Hoogovens", site="Wijk aan Zee").collect()
    names = sorted(set(played["white"]) | set(played["black"]))
    number = {name: i for i, name in enumerate(names)}
    rating = dict(played.select("white", "white_elo").iter_rows())
    columns = {
        "white": [number[n] for n in played["white"]],
        "black": [number[n] for n in played["black"]],
        "score": played["score"].to_list(),
    }
    games = Games.assemble(columns, {"name": names, "rating": [float(rating[n]) for n in names]})
    found = handicap_standings(games)
    assert (found.method, found.scratch, found.kind) == ("round-robin", 2635, "round robin")
    totals = {r["name"].split(",")[0].replace("ue", "ü"): r for r in found.players.to_dicts()}
    for row in golden("elo_3_97.csv"):
        ours = totals[row["player"]]
        assert ours["points"] == float(row["score"])
        assert ours["handicap"] == float(row["handicap"])
        assert ours["total"] == pytest.approx(float(row["total"]))
    # Only two qualify for high positions, says the book.
    assert [n.split(",")[0] for n in found.players["name"][:4]] == ["Portisch", "Sosonko", "Hort", "Smejkal"]  # fmt: skip
    assert found.players["name"][4].startswith("Langeweg")
    assert found.advice.handicap


def test_table_3_99_whole(golden):
    rows = golden("elo_3_99.csv")
    for row in rows:
        for rounds in range(5, 13):
            points = float(row[str(rounds)])
            for level in (row["from"] or "0", row["to"] or "2000"):
                assert swiss_points(float(level), rounds) == points, (level, rounds)
    assert len(SWISS) == len(SWISS_LEVELS) == len(rows) - 1
    for rounds in (4, 13):
        with pytest.raises(UsageError, match="5 to 12 rounds"):
            swiss_points(300, rounds)


def test_scratch():
    assert scratch_rating([2470, 2635, 2600, 2615]) == 2635
    assert scratch_rating([2470, 2635, 2600, 2615], "top-three") == pytest.approx(7850 / 3)
    assert scratch_rating([1500], "top-three") == 1500
    with pytest.raises(UsageError):
        scratch_rating([])


def test_3_95_whether_to_handicap_at_all(golden):
    ratings = [float(r["rating"]) for r in golden("elo_3_97.csv")]
    found = worth_a_handicap(ratings)
    # By hand: P(+101) is .64 and P(−124) .33 in table 2.11.
    R_a = math.floor(sum(ratings) / 16 + 0.5)
    assert R_a == 2534
    assert found.expected_top == pytest.approx(16 * 0.64 - 0.5)
    assert found.expected_lowest == pytest.approx(16 * 0.33 - 0.5)
    assert found.sigma == pytest.approx(1.94, abs=0.005)  # table 2.55, 15 games
    assert found.handicap
    assert "a handicap is worth considering" in found.summary()
    assert "no handicap is needed" in worth_a_handicap([2500] * 10).summary()
    # One class interval in a match of one game: not worth it; in twenty: it is.
    assert not worth_a_handicap([2100, 2060]).handicap
    assert worth_a_handicap([2100, 1900], times=20).handicap


@given(ratings=st.lists(RATINGS, min_size=2, max_size=12), times=st.integers(1, 4))
def test_advice_is_symmetric_and_moves_with_the_scale(ratings, times):
    found = worth_a_handicap(ratings, times=times)
    assert found == worth_a_handicap(ratings[::-1], times=times)
    moved = worth_a_handicap([r + 100 for r in ratings], times=times)
    assert moved.difference == pytest.approx(found.difference)
    assert 0 <= found.expected_lowest <= found.expected_top <= found.games


@given(low=st.integers(0, 400), more=st.integers(0, 100), players=st.integers(10, 22))
def test_lower_rated_players_never_get_less(low, more, players):
    assert round_robin_points(low + more, players) >= round_robin_points(low, players)
    for rounds in range(5, 13):
        assert swiss_points(2 * (low + more), rounds) >= swiss_points(2 * low, rounds)
    assert match_handicap(low + more, players).points >= match_handicap(low, players).points - 1e-9


@given(D=st.integers(0, 500), games=st.integers(1, 40))
def test_the_match_and_the_field_agree(D, games):
    given_points = expected_points([2000 + D, 2000], [(0, 1)] * games)
    assert given_points[0] == 0
    assert given_points[1] == pytest.approx(match_handicap(D, games).points, abs=1e-9)


@given(D=st.integers(0, 700), games=st.integers(1, 40))
def test_a_handicap_never_turns_the_tables(D, games):
    # One standard deviation is left to the favourite: on average he still scores at least as much.
    found = match_handicap(D, games)
    high, low = found.expected_scores
    assert high >= low + found.points - 1e-9
    if found.points:
        assert high - low - found.points == pytest.approx(found.sigma)


def test_chances_of_a_match_with_its_handicap():
    """Four games between equals need none: 5, 6 and 5 of 16 ways [8.82]; half of them drawn: 35 of 128 [8.91]."""
    assert match_handicap(0, 4).points == 0
    assert match_handicap(0, 4).chances() == pytest.approx((5 / 16, 6 / 16, 5 / 16))
    half = match_handicap(0, 4, draws=0.5).chances()
    assert half == pytest.approx(((1 - 35 / 128) / 2, 35 / 128, (1 - 35 / 128) / 2))


@pytest.mark.parametrize(("games", "method"), [
    (round_robin([2000.0 - 40 * i for i in range(12)]), "round-robin"),
    (round_robin([2000.0 - 40 * i for i in range(6)]), "expected"),
    (round_robin([2000.0, None, 1800.0, 1700.0]), "brasket"),
    (match((2100.0, 1900.0), [1.0, 0.5, 0.0, 1.0]), "expected"),
    (swiss([2000.0 - 40 * i for i in range(30)], 3), "brasket"),
    (swiss([2000.0 - 40 * i for i in range(30)], 5), "swiss"),
])  # fmt: skip
def test_auto(games, method):
    found = handicap_standings(games)
    assert found.method == method
    assert found.players.height == games.players.height
    assert (found.players["total"] - found.players["handicap"]).drop_nulls().to_list() == pytest.approx(
        found.players["performance" if method == "brasket" else "points"].filter(found.players["total"].is_not_null()).to_list()
    )  # fmt: skip
    assert found.summary().startswith("Handicap: ")
    assert found.players["total"].drop_nulls().is_sorted(descending=True)


def test_a_match_as_a_handicap_event():
    # 13 : 7 is less than the 15.2 : 4.8 to be expected, so the lower rated wins with 8.49 points.
    found = handicap_standings(match((2100.0, 1900.0), [1.0] * 12 + [0.5] * 2 + [0.0] * 6))
    assert found.players.select("name", "points", "handicap", "total").rows() == [
        ("B", 7.0, 8.49, 15.49),
        ("A", 13.0, 0.0, 13.0),
    ]


def test_brasket_standings_by_hand():
    # A (2200) and B (1900) draw twice: both perform at the other's rating.
    found = handicap_standings(match((2200.0, 1900.0), [0.5, 0.5]), method="brasket")
    rows = {r["name"]: r for r in found.players.to_dicts()}
    assert rows["A"]["total"] == pytest.approx(1900, abs=1e-6)
    assert rows["B"]["total"] == pytest.approx(2200 + 0.8 * 300, abs=1e-6)
    assert found.players["rank"].to_list() == [1, 2]
    raised = handicap_standings(match((2200.0, 1900.0), [0.5]), method="brasket", scratch=2400)
    assert raised.players["handicap"].to_list() == pytest.approx([400, 160])
    assert raised.parameters["performance"] == "exact"


def test_perfect_scores_and_unrated_players_are_named():
    found = handicap_standings(match((2200.0, 1900.0), [1.0, 1.0]), method="brasket")
    assert "2 0 % or 100 %" in found.notes[0]
    assert found.players["total"].null_count() == 0
    some = handicap_standings(round_robin([2000.0, None, 1800.0]), method="brasket")
    assert some.players["name"].to_list()[-1] == "P1"
    assert some.players["rank"].to_list()[-1] is None
    assert "1 without a rating, so without a handicap: P1" in some.notes


@pytest.mark.parametrize(("games", "options", "words"), [
    (round_robin([None] * 4), {}, "found nobody with one"),
    (round_robin([2000.0, None, 1900.0]), {"method": "expected"}, "found 2 of 3"),
    (round_robin([2000.0] * 4), {"method": "round-robin"}, "10 to 22 participants"),
    (round_robin([2000.0] * 4), {"method": "swiss"}, "found a round robin"),
    (match((2000.0, 1900.0), [1.0]), {"method": "round-robin"}, "found a match"),
    (round_robin([2000.0] * 4), {"method": "bell"}, "found 'bell'"),
    (round_robin([2000.0] * 4), {"method": "expected", "scratch": 2000}, "no scratch"),
    (round_robin([2000.0] * 4), {"method": "brasket", "scratch": "best"}, "found 'best'"),
    (round_robin([2000.0] * 4), {"method": "brasket", "scratch": math.nan}, "scratch rating"),
    (round_robin([2000.0] * 4), {"method": "brasket", "share": 2}, "share from 0 to 1"),
    (Games.assemble({"white": [], "black": [], "score": []}, {"name": []}), {}, "found none"),
])  # fmt: skip
def test_misuse(games, options, words):
    with pytest.raises(UsageError, match=words):
        handicap_standings(games, **options)


def test_misuse_of_the_small_ones():
    for wrong in (
        lambda: match_handicap(200, 0),
        lambda: match_handicap(200, 20, draws=0.9),
        lambda: match_handicap(200, 20, fraction=2),
        lambda: match_handicap(math.nan, 20),
        lambda: brasket(math.nan, 2000, 2200),
        lambda: worth_a_handicap([2000]),
        lambda: field_handicaps([2000], method="swiss"),
    ):
        with pytest.raises(UsageError):
            wrong()


def test_all_forfeits_and_same_names():
    forfeits = Games.assemble(
        {"white": [0], "black": [1], "score": [1.0], "status": ["forfeit"]},
        {"name": ["A", "B"], "rating": [2000.0, 1500.0]},
    )
    assert handicap_standings(forfeits).players["points"].to_list() == [1.0, 0.0]
    assert handicap_standings(forfeits, method="brasket").players["total"].to_list() == [None, None]
    same = handicap_standings(match((2000.0, 1000.0), [0.5] * 6, names=("A", "A")))
    assert same.players["handicap"].to_list() == [6.0, 0.0]


@given(ratings=st.lists(RATINGS, min_size=3, max_size=8))
def test_relabelling_changes_nothing(ratings):
    def totals(order):
        found = handicap_standings(round_robin([float(r) for r in order]), method="brasket")
        return sorted(zip(found.players["rating"], found.players["total"].round(6), strict=True))

    assert totals(ratings) == totals(ratings[::-1])


def test_on_the_command_line(run, write, tmp_path):
    path = write(PRA)
    done = run("event", path, "--handicap", "auto", "--html", tmp_path / "e.html")
    assert "Handicap standings" in done.out
    assert "one standard deviation of the best expected score" in done.out
    assert "Handicap standings" in (tmp_path / "e.html").read_text()
    document = json.loads(run("event", path, "--handicap", "brasket", "--format", "json").out)
    assert document["handicap"]["method"] == "brasket"
    assert len(document["handicap"]["players"]) == 4
    assert "handicap" not in json.loads(run("event", path, "--format", "json").out)
    assert "without a handicap" in run("event", write(TRF), "--handicap", "brasket").out
    for arguments in (["--handicap", "bell"], ["--scratch", "top"], ["--handicap", "brasket", "--scratch", "x"]):  # fmt: skip
        wrong = run("event", path, *arguments)
        assert (wrong.code, wrong.out, wrong.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(("arguments", "words"), [
    (["2100", "1900", "--games", "20"], "1900 gets 8.49 points in 20 games against 2100."),
    (["1900", "2100", "--games", "20", "--fraction", "0.5"], "1900 gets 5.20 points"),
    (["2000", "2000", "--games", "20"], "No handicap: both are rated 2000."),
    (["2000", "1990", "--games", "4"], "within one standard deviation"),
    (["1900", "--scratch", "2200", "--performance", "2050"], "2290"),
    (["2470", "--scratch", "2635", "--players", "16"], "1.6"),
    (["1900", "--scratch", "2333", "--rounds", "9"], "1.6"),
    (["2100", "1900", "1700"], "A handicap is worth considering: ratings from 1700 to 2100"),
])  # fmt: skip
def test_one_off_questions(run, arguments, words):
    done = run("handicap", *arguments)
    assert words in done.out
    assert done.code == 0


@pytest.mark.parametrize("arguments", [
    [], ["abc"], ["2100", "1900"], ["2100", "--games", "20"], ["2100", "1900", "1800", "--games", "20"],
    ["2100", "1900", "--games", "0"], ["1900"], ["1900", "--scratch", "2200"], ["1900", "--scratch", "top", "--rounds", "9"],
    ["1900", "--scratch", "2200", "--rounds", "3"], ["1900", "--scratch", "2200", "--players", "4"],
    ["2100", "1900", "--games", "20", "--rounds", "9"], ["2100", "1900", "1800", "--draws", "0.5"],
    ["nan", "1900", "--games", "20"], ["2100", "1900", "1800", "--method", "bell"],
    ["2100", "1900", "1800", "--performance", "2000"], ["1900", "--scratch", "nan", "--rounds", "9"],
])  # fmt: skip
def test_one_off_questions_misused(run, arguments):
    done = run("handicap", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("arpad: ")
    assert done.err.count("\n") == 1
    assert "inside arpad" not in done.err


def test_one_off_documents(run):
    found = json.loads(run("handicap", "2100", "1900", "--games", "20", "--format", "json").out)
    assert found["handicap"] == 8.49
    assert found["higher_wins"] + found["drawn"] + found["lower_wins"] == pytest.approx(1)
    field = json.loads(run("handicap", "2100", "1700", "1900", "--rounds", "9", "--format", "json").out)  # fmt: skip
    assert field["scratch"] == 1900
    assert [p["rating"] for p in field["players"]] == [2100, 1900, 1700]
    assert run("handicap", "2100", "1900", "--games", "20", "--format", "csv").out.startswith("higher,lower")  # fmt: skip
