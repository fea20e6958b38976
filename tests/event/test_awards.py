from __future__ import annotations

import random
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.norms.fide1986 import (
    FEWEST_GAMES,
    MINIMUM_RATING,
    NORMS,
    DirectResult,
    Norm,
    PublishedRating,
    awards,
)
from arpad.event.norms.odds import (
    norms_required,
    odds_by_activity,
    performance_chance,
    score_chance,
    strength_for,
    title_odds,
)


def norm(title, year, games=12, month=6):
    return Norm(title=title, ended=date(year, month, 1), games=games)


def rated(year, rating, games=100):
    return PublishedRating(on=date(year, 1, 1), rating=float(rating), games=games)


def titles(*args, **kwargs):
    return [(a.title, a.on.isoformat()) for a in awards(*args, **kwargs)]


def test_two_or_three_results_with_24_games():
    strong = [rated(1980, 2500)]
    assert titles([norm("GM", 1983), norm("GM", 1984)], strong) == [
        ("FM", "1980-01-01"),
        ("GM", "1984-06-01"),
    ]
    nine = [norm("GM", 1983, 9), norm("GM", 1984, 9)]
    assert [t for t, _ in titles(nine, strong)] == ["FM"]  # 18 games only
    assert titles([*nine, norm("GM", 1985, 9)], strong)[-1] == ("GM", "1985-06-01")
    assert [t for t, _ in titles([norm("GM", 1983, 30)], strong)] == ["FM"]  # one is not two


def test_five_years():
    strong = [rated(1970, 2500, 10)]
    far = [norm("GM", 1978), norm("GM", 1983)]
    assert titles(far, strong) == []
    assert titles([norm("GM", 1978, month=7), norm("GM", 1983)], strong) == [("GM", "1983-06-01")]
    assert titles([*far, norm("GM", 1984)], strong) == [("GM", "1984-06-01")]
    leap = [
        Norm(title="IM", ended=date(1979, 3, 1), games=12),
        Norm(title="IM", ended=date(1984, 2, 29), games=12),
    ]
    assert titles(leap, strong) == [("IM", "1984-02-29")]


@pytest.mark.parametrize(("title", "least"), [("GM", 2450), ("IM", 2350), ("WGM", 2200), ("IWM", 2100)])
def test_the_minimum_rating_of_4_34(title, least):
    assert MINIMUM_RATING[title] == least
    results = [norm(title, 1983), norm(title, 1984)]
    low = titles(results, [rated(1986, least - 5, 20)], woman=True)
    assert title not in dict(low)
    both = titles(results, [rated(1985, least - 5, 20), rated(1986, least, 20)], woman=True)
    assert dict(both)[title] == "1986-01-01"
    early = titles(results, [rated(1980, least, 20)], woman=True)
    assert dict(early)[title] == "1984-06-01"


def test_a_higher_result_counts_for_a_lower_title():
    found = awards([norm("GM", 1983), norm("IM", 1984)], [rated(1984, 2400, 20)])
    assert [(a.title, a.on) for a in found] == [("IM", date(1984, 6, 1))]
    assert [n.title for n in found[0].norms] == ["GM", "IM"]


def test_fide_masters_need_24_games():
    assert titles([], [rated(1985, 2300, 23)]) == []
    assert titles([], [rated(1985, 2300, 24)]) == [("FM", "1985-01-01")]
    assert titles([], [rated(1985, 2295, 240)]) == []
    assert titles([], [rated(1985, 2050, 24)], woman=True) == [("WFM", "1985-01-01")]
    assert titles([], [rated(1985, 2050, 24)]) == []


@pytest.mark.parametrize(
    ("championship", "title"),
    [
        ("men's interzonal", "GM"), ("women's world", "IM"), ("continental junior", "IM"), ("men's zonal", "IM"),
        ("women's interzonal", "WGM"), ("world under 16", "FM"),
    ],
)  # fmt: skip
def test_direct_titles_of_4_35(championship, title):
    found = awards([], [], [DirectResult(championship=championship, ended=date(1985, 3, 1))], woman=True)
    assert [(a.title, a.on) for a in found] == [(title, date(1985, 3, 1))]
    assert championship in found[0].summary()


def test_the_world_junior_champion_has_one_result():
    junior = [DirectResult(championship="world junior", ended=date(1984, 8, 1), games=13)]
    assert titles([], [rated(1985, 2500, 20)], junior) == []
    # with one more result, 24 games together
    assert titles([norm("GM", 1985, 11)], [rated(1985, 2500, 20)], junior) == [("GM", "1985-06-01")]


def test_a_lower_title_of_the_ladder_is_not_awarded_later():
    first = [DirectResult(championship="men's interzonal", ended=date(1980, 1, 1))]
    later = [norm("IM", 1983), norm("IM", 1984)]
    assert titles(later, [rated(1985, 2500)], first) == [("GM", "1980-01-01")]
    both = titles(later, [rated(1985, 2500)], first, woman=True)
    assert both == [("GM", "1980-01-01"), ("WGM", "1985-01-01")]


@given(seed=st.integers(0, 10**6))
def test_order_does_not_matter_and_more_never_takes_away(seed):
    rng = random.Random(seed)
    norms = [
        Norm(title=rng.choice(list(NORMS)), ended=date(1975, 1, 1) + timedelta(days=rng.randrange(4000)), games=rng.randrange(9, 16))
        for _ in range(rng.randrange(7))
    ]  # fmt: skip
    ratings = [
        rated(rng.randrange(1975, 1986), rng.randrange(2000, 2550), rng.randrange(9, 60)) for _ in range(3)
    ]
    found = awards(norms, ratings, woman=True)
    shuffled = awards(rng.sample(norms, len(norms)), rng.sample(ratings, 3), woman=True)
    assert [(a.title, a.on) for a in found] == [(a.title, a.on) for a in shuffled]
    for award in found:
        if award.norms:
            assert sum(n.games for n in award.norms) >= FEWEST_GAMES
            assert award.on >= max(n.ended for n in award.norms)
            assert max(n.ended for n in award.norms) - min(n.ended for n in award.norms) < timedelta(
                days=5 * 366
            )
    more = awards([*norms, norm("GM", 1980), norm("GM", 1981)], [*ratings, rated(1982, 2600)], woman=True)
    assert "GM" in {a.title for a in more}


@pytest.mark.parametrize(
    "bad",
    [
        {"norms": [norm("CM", 1983)]},
        {"norms": [norm("GM", 1983, 0)]},
        {"norms": [], "ratings": [rated(1983, float("nan"))]},
        {"norms": [], "direct": [DirectResult(championship="olympiad", ended=date(1980, 1, 1))]},
    ],
)  # fmt: skip
def test_misuse(bad):
    with pytest.raises(UsageError, match="expected"):
        awards(**bad)
    assert awards([]) == []


# --- odds


def test_4_32_a_2500_player_scores_two_or_three_results():
    """Four events a year for five years: 2.9 results in events of 9 games, 2.0 in events of 13."""
    for games, expected in ((9, 2.9), (11, 2.4), (13, 2.0)):
        found = title_odds("GM", 2500, 4, games=games)
        assert found.expected_norms == pytest.approx(expected, abs=0.05)
    assert title_odds("GM", 2500, 4, games=15).expected_norms == pytest.approx(1.7, abs=0.05)


def test_4_74_activity():
    """Once a year takes 2450 for an even chance; eight times a year 2370 is more than enough."""
    assert strength_for("IM", 1, games=9) == pytest.approx(2450, abs=0.01)
    assert strength_for("IM", 1, games=11) == pytest.approx(2450, abs=0.01)
    assert title_odds("IM", 2370, 8, games=11).chance > 0.95
    assert title_odds("IM", 2370, 1, games=11).chance < 0.05
    # an even chance would need less than the book's 2370
    assert strength_for("IM", 8, games=11) == pytest.approx(2322, abs=1)
    # where three years counted, as before [4.71], still less
    assert strength_for("IM", 8, games=11, years=3) == pytest.approx(2345, abs=1)


def test_4_72_short_events_and_24_games_make_titles_easier():
    short = performance_chance(2500, 2600, 9)
    assert short > performance_chance(2500, 2600, 15) > performance_chance(2500, 2600, 30)
    assert [norms_required(g) for g in (8, 9, 11, 12, 15, 24)] == [3, 3, 3, 2, 2, 2]


def test_chances_are_what_simulation_gives():
    rng = random.Random(5)
    p = performance_chance(2400, 2450, 11)
    found = title_odds("IM", 2400, 4, games=11)
    runs = 4000
    made = sum(sum(rng.random() < p for _ in range(20)) >= found.required for _ in range(runs))
    assert made / runs == pytest.approx(found.chance, abs=0.02)
    # the score that the chart asks for, against equal opponents, drawn game by game
    chance = score_chance("IM", 2450, 2451, 9, draw=0.4)
    hits = 0
    for _ in range(runs):
        score = sum(rng.choices((1.0, 0.5, 0.0), (0.3, 0.4, 0.3))[0] for _ in range(9))
        hits += score >= 4.5  # 50 % of 9
    assert hits / runs == pytest.approx(chance, abs=0.03)


def test_the_tables_and_their_limits():
    table = odds_by_activity("IM", [2350, 2400, 2450], [1, 4, 8])
    assert table.columns == ["strength", "1 a year", "4 a year", "8 a year"]
    for column in table.columns[1:]:
        assert table[column].is_sorted()
    assert all(row[1] <= row[2] <= row[3] for row in table.iter_rows())
    assert score_chance("GM", 2500, 2300, 11) is None
    assert score_chance("GM", 2500, 2500, 11, draw=0.4) < score_chance("GM", 2500, 2500, 11)
    assert strength_for("GM", 0.2, games=9) is None  # one event, three results needed
    for bad in (
        lambda: performance_chance(float("nan"), 2600, 9),
        lambda: performance_chance(2500, 2600, 0),
        lambda: title_odds("GM", 2500, 0),
        lambda: strength_for("GM", 4, chance=1.0),
        lambda: norms_required(0),
        lambda: score_chance("GM", 2500, 2500, 11, draw=1.2),
    ):
        with pytest.raises(UsageError, match="expected"):
            bad()
