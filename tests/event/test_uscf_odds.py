from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from arpad.errors import UsageError
from arpad.event.match import score_distribution, trinomial
from arpad.event.norms.odds import norm_chances, score_chances, uscf_title_odds
from arpad.event.norms.uscf import NormSchedule, expected_score, norms_earned

Y = 2000


def quoted(P, below):
    """The report's reckoning: a normal score, one norm an event, ten events of four games against Y."""
    return uscf_title_odds(
        Y, Y - below, [Y] * 4, events=10, several=False, model="normal", schedule=NormSchedule(P)
    )


def test_odds_of_2_2_that_reproduce(golden):
    rows = {int(r["below"]): r for r in golden("uscf1994_2_2_odds.csv") if r["norm"]}
    near, far = quoted(27, 100), quoted(27, 200)
    assert round(near.event.one, 3) == 0.111
    assert round(near.event.one, 2) == float(rows[100]["norm"])
    assert near.chance == pytest.approx(0.0026, abs=5e-5)
    assert near.chance < float(rows[100]["title"])  # "less than"
    assert round(far.event.one, 2) == float(rows[200]["norm"])
    assert f"{far.chance:.0e}" == f"{float(rows[200]['title']):.0e}"


def test_odds_of_2_2_that_do_not_reproduce(golden):
    """.02, .99 and about a half: by the same reckoning .0099, .37 and .10; with several norms at once more."""
    rows = {int(r["P"]): float(r["title"]) for r in golden("uscf1994_2_2_odds.csv") if not r["norm"]}  # fmt: skip
    assert rows == {15: 0.02, 40: 0.99, 27: 0.5}
    for P, single, several in ((15, 0.0099, 0.047), (40, 0.366, 0.721), (27, 0.104, 0.320)):
        found = quoted(P, 0)
        assert found.event.one == pytest.approx(P / 100, abs=5e-4)
        assert found.chance == pytest.approx(single, abs=5e-4)
        assert found.chance == pytest.approx(binom.sf(4, 10, found.event.one), rel=1e-9)
        more = uscf_title_odds(Y, Y, [Y] * 4, model="normal", schedule=NormSchedule(P))
        assert more.chance == pytest.approx(several, abs=5e-4)
        assert more.chance > found.chance
        assert not any(round(c.chance, 2) == round(rows[P], 2) for c in (found, more))


def test_life_titles_of_2_6():
    # .27 (74) ≈ 20, and 4 × 74 = 296 games
    one_each = uscf_title_odds("Life Master", 2200, [2200] * 4, events=74, several=False, model="normal")  # fmt: skip
    assert one_each.needed == 20
    assert round(one_each.expected_events) == 74
    assert round(0.27 * 74) == 20
    assert 4 * 74 == 296
    # the rules allow several at once, so that it takes less
    assert uscf_title_odds("Life Master", 2200, [2200] * 4, model="normal").expected_events == pytest.approx(55.1, abs=0.05)  # fmt: skip


def test_by_hand():
    # more than 2.612 of 4 is three; more than 3.454 is four
    found = norm_chances(Y, Y, [Y] * 4)
    assert found.at_least == pytest.approx((5 / 16, 1 / 16, 0, 0, 0))
    assert found.exactly == pytest.approx((11 / 16, 4 / 16, 1 / 16, 0, 0, 0))
    assert found.expected == pytest.approx(6 / 16)
    # a draw in every other game: 3, 3½ or 4 points of trinomials
    drawn = norm_chances(Y, Y, [Y] * 4, draws=0.5)
    odds = {"win": 0.25, "loss": 0.25, "draw": 0.5}
    ways = [(4, 0, 0), (3, 0, 1), (3, 1, 0), (2, 0, 2)]
    assert drawn.one == pytest.approx(sum(trinomial(w, lost, d, **odds) for w, lost, d in ways))
    two = trinomial(4, 0, 0, **odds) + trinomial(3, 0, 1, **odds)
    assert drawn.at_least[1] == pytest.approx(two)
    assert norm_chances(Y, Y, [Y] * 4, draws=1).one == 0  # nothing but draws
    assert norm_chances(Y, Y, [Y] * 4, draws=1, model="normal").one == 0
    assert norm_chances(Y, 3000, [Y] * 3).at_least == (0,) * 5
    assert found.table().height == 6
    assert found.summary().startswith("2000 in 4 games: 31.2% for a norm (Expert), 0.375 norms")


def test_titles_by_hand():
    # five norms in one event are the title
    sure = uscf_title_odds("Category VIII", 2600, [1000] * 9, events=1)
    assert sure.chance == pytest.approx(1)
    assert sure.expected_events == pytest.approx(1)
    # two events of 0, 1 or 2 norms with 3 so far: two in one, or one in both
    p0, p1, p2 = 11 / 16, 4 / 16, 1 / 16
    found = uscf_title_odds(Y, Y, [Y] * 4, events=2, norms=3)
    assert found.by_event == pytest.approx((p2, p2 + p0 * p2 + p1 * (p1 + p2)))
    assert found.expected_events == pytest.approx((1 + p1 / (p1 + p2)) / (p1 + p2))
    hopeless = uscf_title_odds("Advanced Senior Master", 1000, [2600] * 3)
    assert hopeless.chance == 0
    assert hopeless.expected_events is None
    assert "never" in hopeless.summary()


def test_simulation_agrees():
    rng = random.Random(7)
    opponents, strength, draws = [1900, 2000, 2050, 2100, 2150], 2050, 0.4
    found = uscf_title_odds(Y, strength, opponents, events=12, draws=draws)
    each = [expected_score(strength, [o]) for o in opponents]
    drawn = [draws * 2 * min(p, 1 - p) for p in each]
    odds = [(p - r / 2, r, 1 - p - r / 2) for p, r in zip(each, drawn, strict=True)]
    worth = {s / 2: norms_earned(s / 2, opponents, Y) for s in range(11)}
    runs = 4000
    made = norm = 0
    for _ in range(runs):
        total = 0
        for event in range(12):
            count = worth[sum(rng.choices((1, 0.5, 0), o)[0] for o in odds)]
            norm += count > 0 and event == 0
            total += count
        made += total >= 5
    assert norm / runs == pytest.approx(found.event.one, abs=0.03)
    assert made / runs == pytest.approx(found.chance, abs=0.03)


@given(
    strength=st.integers(400, 2800),
    opponents=st.lists(st.integers(400, 2800), min_size=1, max_size=12),
    draws=st.floats(0, 1),
)
def test_scores_add_up(strength, opponents, draws):
    scores = score_chances(strength, opponents, draws=draws)
    assert math.fsum(scores.values()) == pytest.approx(1)
    mean = math.fsum(s * p for s, p in scores.items())
    assert mean == pytest.approx(expected_score(strength, opponents))
    # seen from the other side
    swapped = {len(opponents) - s: p for s, p in scores.items()}
    mirror = score_chances(-strength, [-o for o in opponents], draws=draws)
    assert swapped == pytest.approx({s: mirror.get(s, 0) for s in swapped}, abs=1e-12)


@given(D=st.integers(-400, 400), games=st.integers(1, 12), draws=st.floats(0, 1))
def test_equal_opponents_are_a_match(D, games, draws):
    p = expected_score(D, [0])
    r = draws * 2 * min(p, 1 - p)
    match = score_distribution(games, p - r / 2, r)
    ours = score_chances(D, [0] * games, draws=draws)
    assert ours == pytest.approx({s: match.get(s, 0) for s in ours}, abs=1e-12)


@given(strength=st.integers(1000, 2400), events=st.integers(2, 30), draws=st.floats(0, 0.8))
def test_more_strength_and_more_events_never_hurt(strength, events, draws):
    weak = uscf_title_odds(Y, strength, [1900, 2000, 2000, 2100], events=events, draws=draws)
    strong = uscf_title_odds(Y, strength + 40, [1900, 2000, 2000, 2100], events=events, draws=draws)
    assert list(weak.by_event) == sorted(weak.by_event)
    assert weak.table().height == events
    # with draws tied to the expected score, more strength is a better lottery game by game
    assert strong.chance >= weak.chance - 1e-12
    single = uscf_title_odds(Y, strength, [1900, 2000, 2000, 2100], events=events, draws=draws, several=False)  # fmt: skip
    assert single.chance <= weak.chance + 1e-12


def test_long_events_come_near_the_normal():
    exact = norm_chances(Y, 1980, [1950, 2050] * 200, draws=0.3)
    normal = norm_chances(Y, 1980, [1950, 2050] * 200, draws=0.3, model="normal")
    assert exact.at_least == pytest.approx(normal.at_least, abs=0.02)


def test_bad_questions():
    for words, bad in (
        ("opponents", lambda: norm_chances(Y, Y, [])),
        ("opponents", lambda: norm_chances(Y, Y, [Y] * 1001)),
        ("ratings", lambda: norm_chances(Y, math.nan, [Y] * 4)),
        ("draws", lambda: norm_chances(Y, Y, [Y] * 4, draws=1.1)),
        ("model", lambda: norm_chances(Y, Y, [Y] * 4, model="guess")),
        ("title", lambda: norm_chances("GM", Y, [Y] * 4)),
        ("events", lambda: uscf_title_odds(Y, Y, [Y] * 4, events=0)),
        ("norms so far", lambda: uscf_title_odds(Y, Y, [Y] * 4, norms=5)),
    ):
        with pytest.raises(UsageError, match=words):
            bad()
    assert norm_chances(Y, 1e6, [Y] * 4).at_least[0] == pytest.approx(1)
    assert norm_chances(Y, -1e6, [Y] * 4).at_least[0] == pytest.approx(0)
