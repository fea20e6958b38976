"""The Boosting System against the text's rules, by hand."""

from __future__ import annotations

import pytest

from arpad.errors import UsageError
from arpad.rate.pra.steps import BOOSTING, Boosting, PraPlayer, basic, boost, expected


def blocks(*steps, games=20, player=None):
    """Play a block for each of `steps`, the change of rating in each of its games; return the leaps."""
    player = player or PraPlayer()
    rating, leaps = player.rating, []
    for step in steps:
        for _ in range(games):
            rating += step
            new = boost(player, rating)
        leaps.append((new - rating, player.direction))
        rating = new
    player.rating = rating
    return leaps


def test_expected_score_of_the_text():
    assert expected(82) == pytest.approx(0.53266996707758614, abs=1e-15)
    # The corners of the eight pieces [3].
    corners = {-1800: 0.0, -450: 0.1, -150: 0.4, 0: 0.5, 150: 0.6, 450: 0.9, 1800: 1.0}
    assert [expected(D) for D in corners] == pytest.approx(list(corners.values()), abs=1e-15)


def test_the_point_may_be_split_in_any_way():
    assert basic(1500, 1500, 0.7) == pytest.approx((1501.8, 1498.2))


def test_the_first_trend_has_the_largest_coefficient():
    assert blocks(1)[0] == (pytest.approx(2.625 * 19), 1)
    assert blocks(-1)[0] == (pytest.approx(-2.625 * 19), -1)


def test_the_same_way_again_after_no_trend_and_against_it():
    assert blocks(1, 1)[1] == (pytest.approx(2.625 * 19), 1)
    assert blocks(0, 1)[1] == (pytest.approx(0.875 * 19), 1)
    # Against the trend before: half, and the direction goes to 0, never from 1 to −1.
    assert blocks(1, -1)[1] == (pytest.approx(-0.5 * 19), 0)
    assert blocks(1, -1, -1)[2] == (pytest.approx(-0.875 * 19), -1)
    assert blocks(-1, 1, 1)[1:] == [(pytest.approx(0.5 * 19), 0), (pytest.approx(0.875 * 19), 1)]


def test_no_trend_no_leap():
    assert blocks(1, 0)[1] == (0.0, 0)


def test_one_part_against_the_others_is_no_trend():
    player, rating = PraPlayer(), 1500.0
    for game in range(20):
        rating += -4 if 10 <= game < 15 else 2
        assert boost(player, rating) == rating


def test_a_boosted_rating_is_in_no_block():
    player = PraPlayer()
    blocks(1, player=player)
    boosted = player.rating
    assert player.peak == 1520
    boost(player, boosted - 1)
    assert (player.peak, player.trough) == (boosted - 1, boosted - 1)


def test_the_boosts_are_at_the_games_the_text_names():
    player, rating, leaps = PraPlayer(), 1500.0, {}
    for game in range(1, 401):
        new = boost(player, rating + 1)
        if new != rating + 1:
            leaps[game] = new - rating - 1
        rating = new
    assert list(leaps) == [20, 40, 60, 80, 100, 120, 140, 160, 200, 240, 280, 320]
    assert leaps[160] == pytest.approx(2.625 * 19)
    assert leaps[200] == pytest.approx(0.15 * 2.625 * 39)


def test_who_joins_within_a_block_waits_for_the_next():
    player = PraPlayer(games=30)
    assert blocks(1, games=10, player=player) == [(0.0, 0)]
    assert blocks(1, player=player)[0] == (pytest.approx(0.875 * 19), 1)


@pytest.mark.parametrize("wrong", [{"block": 10}, {"until": 150}, {"late_block": 0}, {"late_until": 100}])
def test_blocks_that_do_not_divide_are_refused(wrong):
    with pytest.raises(UsageError, match="expected blocks of 4"):
        Boosting(**wrong).check()
    BOOSTING.check()
