from __future__ import annotations

import numpy as np
import pytest

from arpad.errors import UsageError
from arpad.moves.gain import measure
from arpad.moves.gain_report import gain_report
from arpad.moves.resampling import Resampling
from arpad.publish.charts.moves import crosstable_chart, histogram_chart
from tests.moves.events import evaluated, made_up

NO_DRAWS = Resampling(draws=0)


def test_games_of_the_same_two_have_a_histogram_each():
    # As many moves in both: with the same title the bars of the two games would stand on each other.
    twice = evaluated([("A", "B", 1.0), ("A", "B", 1.0)], [[10, 5, 5], [10, 5, 5]])
    chart = histogram_chart(gain_report(measure(twice), view="games", resampling=NO_DRAWS))
    rows = chart.data
    assert rows["who"].n_unique() == 4
    assert (rows["frequency"] == 1.0).all()
    assert "A (v. B, game 2): 1 moves" in rows["who"].to_list()


def test_the_crosstable_is_one_events():
    gains = made_up(np.random.default_rng(1), moves=10)
    with pytest.raises(UsageError, match="one event"):
        crosstable_chart(gain_report(gains, view="matches", resampling=NO_DRAWS))


def test_no_difference_has_no_sign():
    equal = evaluated([("A", "B", 0.5)], [[10, 5, 10, 10, 10]])
    chart = crosstable_chart(gain_report(measure(equal), view="event", resampling=NO_DRAWS))
    assert chart.data["points"].to_list() == ["0", "0"]


def test_few_moves_have_wide_bars():
    # Gains −4, −3 and +26: bars of ten centipawns at 0, 0 and 30.
    one = evaluated([("A", "B", 1.0)], [[10, 6, 9, 35]])
    chart = histogram_chart(gain_report(measure(one), view="players", resampling=NO_DRAWS))
    assert chart.data.filter(chart.data["who"].str.starts_with("A"))["gain"].to_list() == [0, 30]
    assert "10 centipawns" in str(chart.to_dict())
