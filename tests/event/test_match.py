from __future__ import annotations

import math

import pytest

from arpad.errors import UsageError
from arpad.event.match import first_move, forecast, score_distribution, score_ways


def test_8_82():
    even = [round(p * 16) for p in score_distribution(4, 0.5).values()]
    assert even == [1, 4, 6, 4, 1]
    assert [round(p, 4) for p in reversed(score_distribution(4, 0.75).values())] == [
        0.3164,
        0.4219,
        0.2109,
        0.0469,
        0.0039,
    ]


@pytest.mark.parametrize(("N", "P"), [(4, 0.3125), (9, 0.254), (16, 0.227), (25, 0.212)])
def test_8_84_one_sigma_or_more_above(N, P):
    # "10 or more above" in the text means one σ, √N/2
    above = math.fsum(
        p for score, p in score_distribution(N, 0.5).items() if score >= N / 2 + math.sqrt(N) / 2 - 1e-9
    )
    assert above == pytest.approx(P, abs=6e-4)


def test_8_87_the_drawn_match_of_1975():
    assert round(score_distribution(18, 0.6)[9.0], 3) == 0.128


@pytest.mark.parametrize(("draw", "P"), [(0.0, 0.375), (1 / 3, 0.235), (0.5, 0.273)])
def test_8_91_two_all(draw, P):
    assert score_distribution(4, (1 - draw) / 2, draw)[2.0] == pytest.approx(P, abs=5e-4)


def test_8_92():
    assert [score_ways(N, 0.4, 0.2).rows.height for N in (4, 9, 15, 30)] == [15, 55, 136, 496]
    for win, draw, e, P in ((1 / 3, 1 / 3, 2.0, 0.1852), (0.4, 0.2, 2.0, 0.2176), (0.5, 0.25, 2.5, 0.1875)):
        scores = score_distribution(4, win, draw)
        assert sum(s * p for s, p in scores.items()) == pytest.approx(e)
        loss = 1 - win - draw
        sigma = math.sqrt(4 * (win + draw / 4 - (win + draw / 2) ** 2))
        assert loss >= 0
        assert math.fsum(p for s, p in scores.items() if s >= e + sigma - 1e-9) == pytest.approx(P, abs=6e-4)


def test_2_14_karpov_korchnoi():
    match = forecast(70, games=24)
    assert match.expected == 0.60
    assert match.expected_score == pytest.approx(14.4)
    assert round(match.rough_length) == 21


def test_8_93():
    assert first_move(0.57) == 50


def test_misuse():
    with pytest.raises(UsageError):
        score_distribution(0, 0.5)
    with pytest.raises(UsageError):
        score_distribution(4, 0.8, 0.5)
