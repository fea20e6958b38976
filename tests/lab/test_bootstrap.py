"""The paired bootstrap: intervals that hold what they promise, and blocks that matter."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.lab.metrics import blocks_of, paired_intervals


def test_the_same_draw_for_all_is_what_pairs():
    """Losses that differ by a constant differ by it in every draw, however hard the games are."""
    rng = np.random.default_rng(1)
    hard = rng.gamma(1, 1, 500)
    found = paired_intervals(np.stack([hard, hard + 0.003]), 0, np.arange(500) // 5)
    assert found[0].difference == found[0].low == found[0].high == 0
    assert (found[1].low, found[1].high) == pytest.approx((0.003, 0.003))


def test_the_order_of_two_turns_the_interval_round():
    rng = np.random.default_rng(2)
    losses, blocks = rng.gamma(1, 1, (2, 400)), np.arange(400) // 4
    there, back = paired_intervals(losses, 0, blocks)[1], paired_intervals(losses, 1, blocks)[0]
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.low < there.difference < there.high


def test_games_that_hang_together_say_less():
    rng = np.random.default_rng(3)
    luck = np.repeat(rng.normal(0.01, 0.1, 100), 20)  # twenty games of an event share it
    losses = np.stack([np.zeros(2000), luck])
    alone = paired_intervals(losses, 0, np.arange(2000))[1]
    together = paired_intervals(losses, 0, np.arange(2000) // 20)[1]
    ratio = (together.high - together.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(np.sqrt(20), rel=0.2)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(200):
        difference = np.repeat(rng.normal(0.02, 0.1, 80), 5) + rng.normal(0, 0.2, 400)
        found = paired_intervals(np.stack([np.zeros(400), difference]), 0, np.arange(400) // 5, draws=200)[1]  # fmt: skip
        held += found.low <= 0.02 <= found.high
    assert 0.88 <= held / 200 <= 0.99


def test_a_seed_gives_the_same_again():
    losses = np.random.default_rng(5).gamma(1, 1, (3, 200))
    blocks = np.arange(200) // 3
    first = paired_intervals(losses, 1, blocks, seed=7)
    assert first == paired_intervals(losses, 1, blocks, seed=7)
    assert first != paired_intervals(losses, 1, blocks, seed=8)
    # More draws than fit at once are no other kind of draws.
    assert paired_intervals(losses, 1, blocks, draws=450)[0].low == pytest.approx(first[0].low, abs=0.05)  # fmt: skip


def test_nothing_and_nobody():
    assert np.isnan(paired_intervals(np.zeros((2, 0)), 0, np.zeros(0, dtype=np.int64))[1].low)
    with pytest.raises(UsageError, match="draws above 0"):
        paired_intervals(np.zeros((1, 1)), 0, np.zeros(1, dtype=np.int64), draws=0)


def test_blocks_are_events_of_a_month_or_days():
    day = dt.date(2024, 1, 1)
    table = pl.DataFrame(
        {
            "event": [3, 3, 3, 4, None, None, None],
            "date": [day, day.replace(day=30), day.replace(month=2), day, day, day, day.replace(day=2)],
        }
    )  # fmt: skip
    found = blocks_of(table).tolist()
    assert found[0] == found[1]
    assert found[4] == found[5]
    assert sorted(set(found)) == [0, 1, 2, 3, 4]
