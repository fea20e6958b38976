from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.rate.draws import FORMS, PUBLISHED, DrawModel, form_called, probabilities, room
from arpad.scale import Linear, Logistic, Normal, PraCurve, Ratio, Table

CURVES = [Logistic(), Normal(), Table(), Table(interpolate=True), Linear(), Linear(cap=400), PraCurve(), Logistic(class_interval=120)]  # fmt: skip
ratings = st.floats(-5000, 5000)
constants = st.floats(-8, 8)
models = st.builds(
    DrawModel,
    form=st.sampled_from(list(FORMS)),
    constant=constants,
    level=constants,
    lead=constants,
    level_lead=constants,
    low=st.just(1400.0),
    high=st.just(2800.0),
)


@given(rating=ratings, opponent=ratings, plus=st.floats(-100, 100), model=models, curve=st.sampled_from(CURVES))  # fmt: skip
def test_never_contradicts_the_curve(rating, opponent, plus, model, curve):
    win, draw, loss = ends = probabilities(rating, opponent, advantage=plus, model=model, curve=curve)
    assert all(0 <= p <= 1 for p in ends)
    assert win + draw + loss == pytest.approx(1, abs=1e-12)
    assert ends.expected == pytest.approx(curve.expected(rating - opponent + plus), abs=1e-12)


@given(rating=ratings, opponent=ratings, plus=st.floats(-100, 100), model=models, curve=st.sampled_from(CURVES[:2]), error=st.floats(0, 400), other=st.floats(0, 400))  # fmt: skip
def test_colours_and_players_change_places(rating, opponent, plus, model, curve, error, other):
    one = probabilities(rating, opponent, advantage=plus, model=model, curve=curve, error=error, opponent_error=other)  # fmt: skip
    two = probabilities(opponent, rating, advantage=-plus, model=model, curve=curve, error=other, opponent_error=error)  # fmt: skip
    assert tuple(one) == pytest.approx(tuple(reversed(two)), abs=1e-9)


@pytest.mark.parametrize("curve", [Logistic(), Normal(), PraCurve(), Linear(cap=400)], ids=lambda c: c.name)  # fmt: skip
@pytest.mark.parametrize("level", range(1000, 3001, 100))
def test_the_shipped_model_is_monotone(level, curve):
    D = np.arange(-1500.0, 1501.0)
    for R, R_c in ((level + D / 2, level - D / 2), (level + D, np.full_like(D, level))):
        ends = probabilities(R, R_c, curve=curve)
        assert np.diff(ends.win).min() >= -1e-12
        assert np.diff(ends.loss).max() <= 1e-12
    between = probabilities(level + D / 2, level - D / 2, curve=curve).draw
    assert np.diff(between[D >= 0]).max() <= 1e-12
    assert between.argmax() == 1500


def test_the_shipped_model_draws_more_at_higher_levels():
    levels = np.arange(1413.0, 2780.0)
    assert np.diff(probabilities(levels, levels).draw).min() > 0
    # Held beyond its data, at both ends.
    assert probabilities(0, 0) == probabilities(1413, 1413)
    assert probabilities(9000, 9000) == probabilities(2780, 2780)


@given(E=st.floats(0.01, 0.99), eta=st.floats(-3, 1.5))
def test_forms_keep_the_relation_they_are_named_for(E, eta):
    E_, eta_ = np.array(E), np.array(eta)
    r = float(form_called("rao-kupper").rate(E_, eta_))
    win, loss = E - r / 2, 1 - E - r / 2
    kappa = math.exp(eta)
    assert math.log(win / (1 - win)) + math.log(loss / (1 - loss)) == pytest.approx(-2 * kappa, abs=1e-4)  # fmt: skip
    r = float(form_called("davidson").rate(E_, eta_))
    win, loss = E - r / 2, 1 - E - r / 2
    assert r == pytest.approx(math.exp(eta) * math.sqrt(win * loss), rel=1e-6)


def test_forms_between_equals():
    # drawElo 97.3: a win needs so many points more than equality on the logistic scale.
    kappa = 97.3 * math.log(10) / 400
    draws = probabilities(2200, 2200, model=DrawModel(constant=math.log(kappa))).draw
    assert draws == pytest.approx(1 - 2 / (1 + 10 ** (97.3 / 400)))
    # Davidson: equals draw ν/(2 + ν).
    davidson = DrawModel(form="davidson", constant=math.log(2))
    assert probabilities(2200, 2200, model=davidson).draw == pytest.approx(0.5)


@pytest.mark.parametrize("name", FORMS)
@given(E=st.floats(0.02, 0.98).filter(lambda E: abs(E - 0.5) > 1e-3), eta=st.floats(-3, 1.0))
def test_slopes(name, E, eta):
    form, h = form_called(name), 1e-6
    here = form.rate(np.array(E), np.array(eta))
    by_eta, by_E = form.slopes(np.array(E), np.array(eta), here)
    numeric_eta = (form.rate(np.array(E), np.array(eta + h)) - form.rate(np.array(E), np.array(eta - h))) / (2 * h)  # fmt: skip
    numeric_E = (form.rate(np.array(E + h), np.array(eta)) - form.rate(np.array(E - h), np.array(eta))) / (2 * h)  # fmt: skip
    assert by_eta == pytest.approx(numeric_eta, abs=1e-5)
    assert by_E == pytest.approx(numeric_E, abs=1e-4)


@pytest.mark.parametrize("name", FORMS)
def test_forms_fill_the_room_and_no_more(name):
    E = np.linspace(0, 1, 101)
    assert form_called(name).rate(E, np.full(101, 50.0)) == pytest.approx(room(E), abs=1e-7)
    assert form_called(name).rate(E, np.full(101, -50.0)) == pytest.approx(0, abs=1e-7)


@given(D=st.floats(-800, 800), error=st.floats(0, 300), other=st.floats(0, 300))
def test_errors_of_ratings_shrink_the_expectation(D, error, other):
    ends = probabilities(2000 + D, 2000, curve=Normal(), error=error, opponent_error=other)
    # On the normal curve the average over a normal error is known: Φ(D / √(2C² + σ² + σ_o²)).
    wider = math.sqrt(2 * 200**2 + error**2 + other**2)
    assert ends.expected == pytest.approx(0.5 * (1 + math.erf(D / wider / math.sqrt(2))), abs=1e-9)
    assert sum(ends) == pytest.approx(1)
    exact = probabilities(2000 + D, 2000, curve=Normal())
    assert abs(ends.expected - 0.5) <= abs(exact.expected - 0.5) + 1e-12


def test_errors_agree_with_drawing_lots():
    rng = np.random.default_rng(1)
    R, R_c = 1900 + 150 * rng.standard_normal(400_000), 1700 + 60 * rng.standard_normal(400_000)
    lots = [float(np.mean(p)) for p in probabilities(R, R_c)]
    assert tuple(probabilities(1900, 1700, error=150, opponent_error=60)) == pytest.approx(lots, abs=2e-3)  # fmt: skip


def test_arrays():
    whole = probabilities([2000, 2100], 2050, advantage=[30, -30])
    assert whole.win.shape == (2,)
    assert whole.win[1] == probabilities(2100, 2050, advantage=-30).win


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rating": math.nan}, "rating that is a number"),
        ({"opponent": math.inf}, "rating that is a number"),
        ({"advantage": math.nan}, "advantage that is a number"),
        ({"error": -1}, "0 to 10,000 points"),
        ({"opponent_error": math.nan}, "0 to 10,000 points"),
        ({"curve": Ratio()}, "ratio"),
    ],
)
def test_misuse(arguments, words):
    with pytest.raises(UsageError, match=words):
        probabilities(**{"rating": 2000, "opponent": 2000, **arguments})


def test_documents_go_round():
    assert DrawModel.from_document(PUBLISHED.document()) == PUBLISHED
    unbounded = DrawModel(constant=0.0)
    assert DrawModel.from_document(unbounded.document()) == unbounded


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "recipe"}, "expected a draw model"),
        ({"constant": None}, "with its constant"),
        ({"constant": "much"}, "a number for constant"),
        ({"constant": True}, "a number for constant"),
        ({"constant": math.nan}, "a number for constant"),
        ({"form": "tossing"}, "one of rao-kupper"),
        ({"form": 3}, "a name for form"),
        ({"low": 3000}, "levels from low to high"),
    ],
)
def test_documents_that_are_none(change, words):
    with pytest.raises(InputError, match=words):
        DrawModel.from_document({**PUBLISHED.document(), **change}, file="x.json")


def test_a_list_is_no_document():
    with pytest.raises(InputError, match="expected a draw model"):
        DrawModel.from_document([1, 2])
