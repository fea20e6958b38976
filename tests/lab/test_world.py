from __future__ import annotations

import numpy as np
import pytest

from arpad.errors import UsageError
from arpad.lab.kernels import uniforms
from arpad.lab.season import RunStart
from arpad.lab.worlds import WORLDS, CutoffChart, World, world_curve
from arpad.rate.draws import PUBLISHED, DrawModel
from arpad.scale import Ratio
from tests.lab.seasons import season

worlds = pytest.mark.parametrize("name", WORLDS)


def test_the_chart_is_the_texts(golden):
    chart = CutoffChart()
    for row in golden("pra_chart.csv"):
        low = float(row["low"])
        high = float(row["high"] or 2400)
        for D in (low + 0.5, (low + high) / 2, high - 0.5):
            assert chart.expected(-D) == pytest.approx(float(row["cutoff"]))
            assert chart.expected(D) == pytest.approx(1 - float(row["cutoff"]))
    # Where two rows touch the text is silent; "> 1800" says that 1800 belongs to the row before.
    assert chart.expected(100.0) == 0.6
    assert chart.expected(-1800.0) == 0.0077
    assert chart.expected(-1800.01) == 0.0
    with pytest.raises(UsageError, match="steps"):
        chart.difference(0.6)


@worlds
def test_a_world_does_what_it_was_told(name):
    """Observed score by difference in true strength against the curve: z of 12 groups."""
    world = World(curve=world_curve(name))
    D, scores = played(world)
    for group in np.array_split(np.argsort(D), 12):
        E = np.asarray(world.curve.expected(D[group]))
        z = (scores[group].sum() - E.sum()) / np.sqrt(max((E * (1 - E)).sum(), 1e-9))
        assert abs(z) < 4
    assert set(scores) == {0.0, 1.0}


@worlds
def test_draws_leave_the_expected_score_alone(name):
    world = World(curve=world_curve(name), draws=PUBLISHED)
    D, scores = played(world)
    for group in np.array_split(np.argsort(D), 12):
        E = np.asarray(world.curve.expected(D[group]))
        z = (scores[group].sum() - E.sum()) / np.sqrt(max((E * (1 - E)).sum(), 1e-9))
        assert abs(z) < 4
    even = np.abs(D) < 50
    assert (scores[even] == 0.5).mean() > (scores[np.abs(D) > 400] == 0.5).mean() + 0.1


def test_as_many_draws_as_the_model_says():
    model = DrawModel(form="share", constant=0.0)  # half of the room that the expected score leaves
    D, scores = played(World(curve=world_curve("logistic"), draws=model))
    E = np.asarray(world_curve("logistic").expected(D))
    room = np.minimum(E, 1 - E)
    assert (scores == 0.5).sum() == pytest.approx(room.sum(), abs=4 * np.sqrt(room.sum()))


def played(world):
    rng = np.random.default_rng(3)
    true = rng.normal(1500, 300, 60_000)
    rows = np.arange(60_000, dtype=np.int32)
    scores = world.play(rows[0::2].copy(), rows[1::2].copy(), true, np.array([5], dtype=np.uint64))
    return true[0::2] - true[1::2], scores


@worlds
def test_kernel_and_reference_decide_alike(name):
    world = World(curve=world_curve(name))
    rng = np.random.default_rng(4)
    true = np.concatenate([rng.normal(1500, 600, 3000), [0, 1800, 100, 200, 5000, 1500.5]])
    rows = rng.permutation(len(true)).astype(np.int32)
    white, black = rows[0::2].copy(), rows[1::2].copy()
    u = np.empty(len(white))
    uniforms(u, np.array([9], dtype=np.uint64))
    by_kernel = world.play(white, black, true, np.array([9], dtype=np.uint64))
    reference = world.scores(true[white], true[black], u)
    # Curves differ in the last bit: no game that is not within a hair of its cutoff may differ.
    E = np.asarray(world.curve.expected(true[white] - true[black]))
    assert (by_kernel == reference)[np.abs(u - E) > 1e-12].all()


def test_random_numbers_are_even():
    u = np.empty(100_000)
    uniforms(u, np.array([1], dtype=np.uint64))
    counts = np.histogram(u, bins=100, range=(0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 160  # χ² with 99 degrees of freedom: 160 is 1 in 10,000
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 4 / len(u) ** 0.5


def test_strengths_drift_as_far_as_a_walk_does():
    drifting = season(players=4000, rounds=26, world=World(drift=8))
    opening = drifting.opening()
    first, *_, last = (r.true.copy() for r in drifting.play(opening))
    assert np.array_equal(first, opening.true)
    assert (last - first).std() == pytest.approx(8 * 5, rel=0.05)  # √25 steps
    assert abs((last - first).mean()) < 4 * 40 / 4000**0.5


def test_who_enters_late_is_as_the_population_is():
    """Strengths drift from the day of entry on: who starts right is right then."""
    both = season(players=40, rounds=60, start=RunStart(kind="true"), world=World(drift=30, enter=3, leave=3))  # fmt: skip
    opening = both.opening()
    for r in both.play(opening):
        assert np.array_equal(r.true[r.entered], opening.start[r.entered])
    assert not np.array_equal(r.true[:40], opening.true[:40])


def test_players_come_and_go_and_keep_their_rows():
    open_ = season(players=50, rounds=21, world=World(enter=1.5, leave=1), watch=(2000.0, 900.0))
    opening = open_.opening()
    assert len(opening.true) == open_.rows == 50 + 30
    here = opening.here.copy()
    ever = set(np.flatnonzero(here))
    for r in open_.play(opening):
        assert not here[r.entered].any()
        assert here[r.left].all()
        assert not (set(r.entered.tolist()) & ever)  # nobody comes back
        assert not (set(r.left.tolist()) & {0, 1})  # the watched stay
        here[r.entered], here[r.left] = True, False
        ever |= set(r.entered.tolist())
        assert np.array_equal(here, r.here)
        playing = np.concatenate([r.white, r.black, r.byes])
        assert sorted(playing) == np.flatnonzero(here).tolist()
        assert np.array_equal(r.true, opening.true)  # strengths stay with their rows
    assert here.sum() == 50 + 30 - 20


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"drift": -1}, "drift of 0 or more"),
        ({"leave": float("nan")}, "leave of 0 or more"),
        ({"enter": float("inf")}, "enter of 0 or more"),
        ({"curve": Ratio()}, "ratio"),
    ],
)
def test_worlds_that_cannot_be(changes, words):
    with pytest.raises(UsageError, match=words):
        World(**changes)


def test_nobody_left():
    with pytest.raises(UsageError, match="nobody would be left of 60 after 30 rounds"):
        season(world=World(leave=2))
    with pytest.raises(UsageError, match="expected a world, one of pra"):
        world_curve("flat")
