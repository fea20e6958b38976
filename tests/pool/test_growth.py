"""Growth of a population of players."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError
from arpad.pool.demography import growth

YEARS = np.arange(1971, 2012)


@settings(max_examples=30)
@given(
    n_max=st.floats(2000, 50_000), a=st.floats(5, 60), b=st.floats(0.1, 0.3),
)  # fmt: skip
def test_a_curve_gives_its_constants_back(n_max, a, b):
    found = growth(YEARS, n_max / (1 + a * np.exp(-b * (YEARS - 1971))))
    assert (found.n_max, found.a, found.b) == pytest.approx((n_max, a, b), rel=1e-3)
    assert found.r_squared > 0.999999
    assert found.count(found.half) == pytest.approx(found.n_max / 2)


def test_errors_hold_what_they_promise():
    truth = 20_000 / (1 + 40 * np.exp(-0.13 * (YEARS - 1971)))
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        found = growth(YEARS, truth + rng.normal(0, 150, len(YEARS)))
        held += abs(found.n_max - 20_000) <= 1.96 * found.n_max_error
    assert held / 200 == pytest.approx(0.95, abs=0.05)


def test_counts_that_end_early_say_so():
    early = np.arange(1971, 1985)
    found = growth(early, 20_000 / (1 + 400 * np.exp(-0.13 * (early - 1971))))
    assert not found.saturated
    assert "a guess" in found.summary()


@pytest.mark.parametrize(
    ("time", "count", "words"),
    [
        ([1, 2, 3], [1, 2, 3], "4 times or more"),
        ([1, 2, 3, 4], [4, 3, 2, 1], "do not grow"),
        ([1, 2, 3, 4], [1, 0, 3, 4], "above 0"),
        ([1, 2, 3, 4], [1, 2, np.nan, 4], "above 0"),
    ],
)
def test_what_has_no_curve(time, count, words):
    with pytest.raises(InputError, match=words):
        growth(time, count)
