"""The U.S. system before 1994, as section 1.2 of the report describes it."""

from __future__ import annotations

import pytest
from hypothesis import given

from arpad.model import Player
from arpad.rate.registry import system
from arpad.rate.uscf.systems import Uscf1993, averaged
from tests.rate.test_uscf1994 import example, expectancy, seasons
from tests.rate.uscf_events import against, field, pool, row


def test_all_of_1_7(golden):
    rows = golden("uscf1994_1_7.csv")
    assert len(rows) == 33
    for each in rows:
        found = row(Uscf1993().rate(example(each["example"], float(each["score"]))), "Me")
        assert round(found["rating"]) == int(each["CurrSys"]), each


def test_a_beaten_opponent_of_600_or_less_counts_601():
    assert averaged([(600, 1)]) == averaged([(100, 1)]) == 1001
    assert averaged([(601, 1)]) == 1001
    assert averaged([(602, 1)]) == 1002
    assert averaged([(600, 0.5)]) == 600  # only a win
    assert averaged([(600, 0)]) == 200


def test_a_beaten_opponent_400_below_counts_r_minus_399():
    assert averaged([(1100, 1)], own=1500, N=9) == pytest.approx((9 * 1500 + 1101 + 400) / 10)
    assert averaged([(1102, 1)], own=1500, N=9) == pytest.approx((9 * 1500 + 1502) / 10)
    assert averaged([(1100, 0)], own=1500, N=9) == pytest.approx((9 * 1500 + 700) / 10)
    # a provisional player never loses points by winning
    assert averaged([(200, 1)], own=1500, N=9) > 1500


def test_four_passes():
    """New, Other (unrated), Prov, Est: who sees whose rating, and when."""
    help_ = field([1500, 1500, 1500])
    people = [
        Player(name="New"),
        Player(name="Other"),
        Player(name="Prov", rating=1400.0, total_games=6),
        Player(name="Est", rating=1600.0),
        *help_,
    ]
    rows = [("New", "Other", 1), ("New", "Prov", 0.5), ("New", "Est", 0), ("Prov", "Est", 0.5)]
    rows += [(who, p.name, s) for who, s in (("New", 0.5), ("Other", 1)) for p in help_]
    rated = Uscf1993().rate(pool(people, rows))
    other_1 = averaged([(1000, 0), *[(1500, 1)] * 3])  # pass 1: New counts as 1000
    new_1 = averaged([(1000, 1), (1400, 0.5), (1600, 0), *[(1500, 0.5)] * 3])
    prov = averaged([(new_1, 0.5), (1600, 0.5)], own=1400, N=6)  # pass 2
    new_3 = averaged([(other_1, 1), (prov, 0.5), (1600, 0), *[(1500, 0.5)] * 3])  # pass 3
    other_3 = averaged([(new_1, 0), *[(1500, 1)] * 3])
    assert row(rated, "Prov")["rating"] == pytest.approx(prov)
    assert row(rated, "New")["rating"] == pytest.approx(new_3)
    assert row(rated, "Other")["rating"] == pytest.approx(other_3)
    est = 1600 + 32 * (1.5 - expectancy(1600 - new_3) - expectancy(1600 - prov))  # pass 4
    assert row(rated, "Est")["rating"] == pytest.approx(est)


@pytest.mark.parametrize(
    ("games", "rounds", "formula"),
    [(14, 6, True), (13, 6, False), (14, 5, False), (19, 7, True), (20, 1, True)],
)
def test_fourteen_games_and_six_rounds_use_the_established_formula(games, rounds, formula):
    others = field([1300] * rounds)
    people = [Player(name="Me", rating=1200.0, total_games=games), *others]
    rated = Uscf1993().rate(pool(people, against("Me", rounds / 2, [p.name for p in others])))
    me = row(rated, "Me")
    assert (me["k"] == 32) is formula
    if formula:
        W_e = rounds * expectancy(-100)
        assert me["rating"] == pytest.approx(1200 + 32 * (rounds / 2 - W_e))
    else:
        assert me["rating"] == pytest.approx((games * 1200 + rounds * 1300) / (games + rounds))


def test_fewer_than_four_games_are_kept():
    others = field([1200, 1300, 1400, 1500])
    people = [Player(name="Me"), *others]
    names = [p.name for p in others]
    one = Uscf1993().rate(pool(people, against("Me", 1, names[:3])))
    assert (row(one, "Me")["status"], row(one, "Me")["on_file"]) == ("unrated", 3)
    two = Uscf1993().rate(pool(people, against("Me", 1, names[:3]), [("Me", names[3], 1)]))
    assert row(two, "Me")["rating"] == pytest.approx(1350)
    assert row(two, "Me")["total_games"] == 4


def test_all_losses_are_no_exception():
    others = field([1040] * 5)
    people = [Player(name="Me"), *others]
    rated = Uscf1993().rate(pool(people, against("Me", 0, [p.name for p in others])))
    assert row(rated, "Me")["rating"] == 640
    assert row(rated, "Me")["carried"] is None


@given(season=seasons())
def test_a_list_carries_the_state_on(season):
    people, events = season
    rules = system("uscf1993")
    whole = rules.rate(pool(people, *events))
    rest = rules.rate(pool(people, *events[1:], first=1), rules.rate(pool(people, events[0])))
    found = dict(whole.rows.select("player", "rating").iter_rows())
    for player, rating in rest.rows.select("player", "rating").iter_rows():
        assert rating == pytest.approx(found[player], abs=1e-4)
