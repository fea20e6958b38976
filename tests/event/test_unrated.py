from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.field import cycles_of, field_of, scoreless
from arpad.event.performance import performance, tournament_average
from arpad.event.unrated import (
    Participant,
    adjusted_difference,
    expected_in_round_robin,
    participants,
    rate_round_robin,
    second_cycle,
)
from arpad.model import Games, Player
from arpad.scale import Table


def half_up(value):
    return math.floor(value + 0.5)


def games_of(ratings, results, **columns):
    """Games from ratings by name and (white, black, score)."""
    names = list(ratings)
    return Games.assemble(
        {
            "white": [names.index(w) for w, _, _ in results],
            "black": [names.index(b) for _, b, _ in results],
            "score": [s for _, _, s in results],
            **columns,
        },
        [Player(name=n, rating=r) for n, r in ratings.items()],
    )


def brazil(golden):
    return [
        Participant(
            name=r["player"],
            score=float(r["W"]),
            games=round(float(r["W"]) + float(r["L"])),
            rating=None if r["rating"] == "U" else float(r["rating"]),
        )
        for r in golden("elo_3_35.csv")
    ]


def test_brazilian_championship_1972_whole(golden):
    printed = golden("elo_3_35.csv")
    found = rate_round_robin(brazil(golden))
    assert found.rated_average == 2317.5
    assert round(found.rated_difference, 1) == 101.8
    assert found.average == 2216
    assert found.rated == 6
    assert len(printed) == 19
    for row, ours in zip(printed, found.rows.to_dicts(), strict=True):
        assert ours["player"] == row["player"]
        assert ours["games"] == 18
        assert half_up(100 * ours["share"] + 1e-9) == round(100 * float(row["P"]))
        assert ours["D_p"] == float(row["D_p"])
        assert ours["D_a"] == float(row["D_a"])
        assert ours["performance"] == float(row["R_p"])
        if row["rating"] == "U":
            assert ours["rating"] is None
            assert ours["change"] is None
        else:
            assert half_up(ours["change"]) == float(row["change"])
    # each rated player alone would put R_a here: 2132, 2112, 2117, 2211, 2405, 2317
    assert found.average_error == pytest.approx(49.6, abs=0.1)
    # 6 of 19 is less than a third: as a national championship FIDE rated it all the same
    assert (
        found.summary()
        == "19 players, 6 of them rated: R_a 2216 ± 50; fewer than FIDE asks for, but for a national championship [1.73, 4.41]"
    )


def test_interpolating_would_not_give_3_35(golden):
    """All but the rows at .50 and .75, which fall on whole hundredths, follow only from look-ups."""
    other = Table(interpolate=True)
    differs = sum(
        round(other.difference(float(r["W"]) / 18)) != int(r["D_p"]) for r in golden("elo_3_35.csv")
    )
    assert differs == 13


def test_example_8(golden):
    rows = golden("elo_2_48.csv")
    for row in rows:
        assert Table().difference(float(row["W"]) / 19) == float(row["D_p"])
    rated = [(float(r["R_o"]), float(r["W"])) for r in rows]
    assert round(tournament_average(rated, 20)) == 2144
    # (6a) with D_a rounded player by player comes to the same
    rest = (190 - 36) / 17
    field = [Participant(name=r["player"], score=float(r["W"]), games=19, rating=float(r["R_o"])) for r in rows]  # fmt: skip
    field += [Participant(name=f"u{i}", score=rest, games=19) for i in range(17)]
    assert rate_round_robin(field).average == 2144


# Printed, computed anew from P and M = 16 [2.45]:
WRONG_W_E = {"Hort": 8.94, "Smejkal": 8.94, "Geller": 8.94, "Kavalek": 7.98, "Gligoric": 8.46,
             "Hübner": 9.26, "Furman": 8.14}  # fmt: skip


def test_expected_scores_of_2_45(golden):
    rows = golden("elo_2_45_round_robin.csv")
    assert half_up(math.fsum(float(r["R"]) for r in rows) / 16) == 2534
    for row in rows:
        D = float(row["R"]) - 2534
        assert float(row["D_a"]) == D
        assert Table().expected(D) == float(row["P"])
        printed = WRONG_W_E.get(row["player"], float(row["W_e"]))
        assert round(expected_in_round_robin(D, 16), 2) == pytest.approx(printed)


@given(D=st.integers(-700, 700), M=st.integers(2, 30), k=st.integers(1, 4))
def test_k_fold_round_robins(D, M, k):
    once = expected_in_round_robin(D, M)
    assert expected_in_round_robin(D, M, cycles=k) == pytest.approx(k * once)
    # as much above the average as another is below: together half of the points at stake
    other = expected_in_round_robin(-D, M, cycles=k)
    assert k * once + other == pytest.approx(k * (M - 1))


def test_the_candidates_tournament_of_eight_four_times():
    # equal players expect half of their 28 games
    assert expected_in_round_robin(0, 8, cycles=4) == 14
    assert expected_in_round_robin(50, 8, cycles=4) == pytest.approx(4 * (0.57 * 8 - 0.5))


def test_a_match_with_one_rated_player():
    # 2.49 by (1): Karpov against Korchnoi's 2645, and the other way round
    assert performance(12.5, [2645] * 24, method="table").rating == 2659
    assert performance(11.5, [2715] * 24, method="table").rating == 2701
    assert performance(24, [2600] * 24, method="table").rating is None


scores = st.lists(st.integers(1, 17), min_size=4, max_size=12)


@given(halves=scores, shift=st.integers(-400, 400), rated=st.integers(1, 4))
def test_a_level_is_all_that_ratings_bring(halves, shift, rated):
    """Everybody rated higher by as much: everybody's performance is higher by as much."""

    def field(by):
        return [
            Participant(name=str(i), score=h / 2, games=9, rating=2200 + 50 * i + by if i < rated else None)
            for i, h in enumerate(halves)
        ]  # fmt: skip

    one, other = rate_round_robin(field(0)), rate_round_robin(field(shift))
    moved = other.rows["performance"] - one.rows["performance"]
    assert moved.to_list() == [shift] * len(halves)


def test_the_rated_as_a_group_are_not_affected(golden):
    """(7) enters the unrated at their performance: the rated gain nothing on average [1.73]."""
    changes = rate_round_robin(brazil(golden)).rows["change"].drop_nulls()
    assert changes.mean() == pytest.approx(0, abs=0.5)


def test_from_games_with_a_perfect_score():
    ratings = {"A": 2400.0, "B": None, "C": 2300.0, "D": None}
    results = [("A", "B", 1.0), ("A", "C", 1.0), ("A", "D", 1.0), ("B", "C", 0.5), ("B", "D", 1.0), ("C", "D", 0.5)]  # fmt: skip
    games = games_of(ratings, results)
    field = participants(games)
    assert [p.name for p in field] == ["A", "B", "C", "D"]
    found = rate_round_robin(field)
    by_name = {r["player"]: r for r in found.rows.to_dicts()}
    assert by_name["A"]["performance"] is None
    assert found.average == 2300 - adjusted_difference(Table().difference(1 / 3), 4)
    assert "100 %" in found.summary()
    assert "poor estimate" in found.summary()


@pytest.mark.parametrize(
    "field",
    [
        [],
        [Participant(name="A", score=1, games=2, rating=2000)],
        [Participant(name="A", score=1, games=2), Participant(name="B", score=1, games=2)],
        [Participant(name="A", score=2, games=2, rating=2000), Participant(name="B", score=0, games=2)],
        [Participant(name="A", score=1, games=2, rating=math.nan), Participant(name="B", score=1, games=2)],
        [Participant(name="A", score=3, games=2, rating=2000), Participant(name="B", score=1, games=2)],
        [Participant(name="A", score=0, games=0, rating=2000), Participant(name="B", score=1, games=2)],
    ],
)  # fmt: skip
def test_misuse(field):
    with pytest.raises(UsageError, match="expected"):
        rate_round_robin(field)


def test_more_misuse():
    ok = [Participant(name="A", score=1, games=2, rating=2000), Participant(name="B", score=1, games=2)]
    with pytest.raises(UsageError, match="N_o"):
        rate_round_robin(ok, N_o=0)
    with pytest.raises(UsageError, match="cycle"):
        expected_in_round_robin(0, 8, cycles=0)
    with pytest.raises(UsageError, match="two players"):
        expected_in_round_robin(0, 1)
    swiss = Games.build([("A", "B", 1.0), ("C", "D", 1.0), ("A", "C", 1.0), ("B", "D", 1.0)])
    with pytest.raises(UsageError, match="round robin"):
        participants(swiss)


def test_second_cycle_by_hand():
    ratings = {"R": 2000.0, "S": 2100.0, "U": None, "V": None, "X": None}
    results = [
        ("U", "R", 0.5), ("U", "S", 0.5),  # 2050 first
        ("V", "R", 1.0), ("V", "S", 0.0),  # 2050 first
        ("U", "V", 1.0),                   # only the second cycle takes this one
        ("X", "U", 0.5),                   # nobody rated: only the second cycle knows X
    ]  # fmt: skip
    found = second_cycle(games_of(ratings, results))
    rows = {r["player"]: r for r in found.rows.to_dicts()}
    assert rows["U"]["first"] == rows["V"]["first"] == 2050
    # U's second cycle: 2000, 2100, 2050, two of three; X had no rating in the first cycle
    assert rows["U"]["performance"] == 2050 + Table().difference(2 / 3)
    assert rows["V"]["performance"] == 2050 + Table().difference(1 / 3)
    assert rows["X"]["first"] is None
    assert rows["X"]["performance"] == 2050
    assert rows["X"]["against_rated"] == 0
    assert found.summary() == "3 unrated players, 3 of them with a rating (2 cycles)"
    once = second_cycle(games_of(ratings, results), cycles=1)
    assert once.rows["performance"].to_list() == once.rows["first"].to_list() == [2050, 2050, None]
    assert once.rows.row(2, named=True)["note"] == "met nobody with a rating"


def test_second_cycle_with_the_factor_and_without_ratings():
    games = games_of({"R": 2000.0, "U": None}, [("U", "R", 1.0)] * 4 + [("U", "R", 0.0)])
    assert second_cycle(games).rows["performance"][0] == 2240
    assert second_cycle(games, method="small-sample").rows["performance"][0] < 2240
    nobody = games_of({"R": None, "U": None}, [("U", "R", 1.0)])
    with pytest.raises(UsageError, match="rated player"):
        second_cycle(nobody)
    with pytest.raises(UsageError, match="cycle"):
        second_cycle(games, cycles=0)
    assert second_cycle(games_of({"R": 2000.0, "S": 1900.0}, [("R", "S", 1.0)])).rows.height == 0


def test_a_second_cycle_comes_closer_to_the_truth():
    """Two dozen newcomers, four rated players: the games among newcomers say something."""
    import random

    from arpad.scale import Logistic

    rng = random.Random(11)
    first = second = 0.0
    for _ in range(30):
        truth = {f"u{i}": rng.gauss(2000, 150) for i in range(24)} | {f"r{i}": 2000.0 for i in range(4)}
        results = []
        for u in (n for n in truth if n[0] == "u"):
            for o in [f"r{i}" for i in range(4)] + rng.sample(
                [f"u{i}" for i in range(24) if f"u{i}" != u], 8
            ):
                p = Logistic().expected(truth[u] - truth[o])
                results.append((u, o, float(rng.random() < p)))
        games = games_of({n: (2000.0 if n[0] == "r" else None) for n in truth}, results)
        rows = second_cycle(games).rows.filter(
            pl.col("first").is_not_null() & pl.col("performance").is_not_null()
        )
        for r in rows.to_dicts():
            first += (r["first"] - truth[r["player"]]) ** 2
            second += (r["performance"] - truth[r["player"]]) ** 2
    assert second < 0.8 * first  # fmt: skip


def test_who_counts():
    ratings = {"A": 2300.0, "B": 2200.0, "Z": None, "Y": None}
    results = [("A", "B", 0.5), ("A", "Z", 1.0), ("Z", "B", 0.0), ("Y", "Z", 1.0), ("A", "Y", 1.0), ("B", "Y", 1.0)]  # fmt: skip
    games = games_of(ratings, results)
    # Y has beaten nobody but Z, who never scored: without Z's games Y has not scored either
    assert scoreless(field_of(games)) == {2, 3}
    assert cycles_of(games) == 1
    assert cycles_of(games_of(ratings, results * 2)) == 2
    forfeited = games_of(ratings, results, status=["played"] * 5 + ["forfeit"])
    assert field_of(forfeited)[3].games == 2
    assert cycles_of(forfeited) == 1
    assert cycles_of(games_of(ratings, results[:2])) == 0


@pytest.mark.parametrize(
    ("rated", "players", "few"), [(4, 9, False), (3, 9, True), (4, 12, False), (4, 13, True), (3, 10, True)]
)
def test_how_many_must_be_rated(rated, players, few):
    """A third, and four of fewer than ten players [1.73, 4.41]."""
    field = [
        Participant(name=f"P{i}", score=players - 1 - i if i else players - 1.5, games=players - 1)
        for i in range(players)
    ]
    field = [replace(p, rating=2000.0) if 0 < i <= rated else p for i, p in enumerate(field)]
    assert any("fewer than FIDE asks" in note for note in rate_round_robin(field).notes) == few
