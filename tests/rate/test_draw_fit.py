from __future__ import annotations

import math

import numpy as np
import pytest

from arpad.errors import InputError, UsageError
from arpad.rate.draws import FORMS, LEAST, TERMS, DrawModel, fit_draws, losses, probabilities
from arpad.scale import Linear, Logistic, Normal, PraCurve, Ratio, Table

TRUTH = {
    "rao-kupper": DrawModel(constant=-0.15, level=0.23, lead=-0.25, level_lead=-0.25, white_advantage=35),
    "davidson": DrawModel(form="davidson", constant=0.35, level=0.35, lead=-1.2, level_lead=-0.35, white_advantage=35),
    "share": DrawModel(form="share", constant=-0.1, level=0.35, lead=1.0, level_lead=-0.2, white_advantage=35),
}  # fmt: skip


def played(model, games, seed, curve=None, spread=150.0):
    """Games whose results the model decided."""
    rng = np.random.default_rng(seed)
    L = rng.normal(2200, 200, games)
    D = rng.normal(0, spread, games)
    ends = probabilities(L + D / 2, L - D / 2, curve=curve, advantage=model.white_advantage, model=model)  # fmt: skip
    u = rng.random(games)
    return D, L, np.where(u < ends.win, 1.0, np.where(u < ends.win + ends.draw, 0.5, 0.0))


@pytest.mark.parametrize("objective", ["results", "draws"])
@pytest.mark.parametrize("form", FORMS)
def test_simulation_gives_back_the_constants(form, objective):
    truth = TRUTH[form]
    D, L, score = played(truth, 60_000, seed=7)
    found = fit_draws(D, L, score, form=form, objective=objective)
    for name in (*TERMS, "white_advantage"):
        error = found.errors[name]
        assert abs(getattr(found.model, name) - getattr(truth, name)) < 3.5 * error, name
        assert error < (1.6 if name == "white_advantage" else 0.2)
    assert found.games == 60_000
    assert found.drawn == int((score == 0.5).sum())
    # No other constants explain these games better.
    assert found.loss <= losses(truth, D, L, score)[0] + (1e-12 if objective == "results" else 1e-4)


def test_errors_are_as_large_as_they_should_be():
    truth = TRUTH["rao-kupper"]
    names = (*TERMS, "white_advantage")
    z = []
    for seed in range(40):
        found = fit_draws(*played(truth, 3000, seed))
        z.append([(getattr(found.model, n) - getattr(truth, n)) / found.errors[n] for n in names])
    spread = np.sqrt((np.array(z) ** 2).mean(axis=0))
    # 40 z of each: their root mean square is 1 ± .11
    assert (spread > 0.65).all(), spread
    assert (spread < 1.35).all(), spread


@pytest.mark.parametrize("objective", ["results", "draws"])
def test_colours_exchanged(objective):
    D, L, score = played(TRUTH["rao-kupper"], 5000, seed=3)
    one = fit_draws(D, L, score, objective=objective)
    two = fit_draws(-D, L, 1 - score, objective=objective)
    assert two.model.white_advantage == pytest.approx(-one.model.white_advantage, abs=1e-2)
    for name in TERMS:
        assert getattr(two.model, name) == pytest.approx(getattr(one.model, name), abs=1e-3)


def test_more_terms_explain_more():
    games = played(TRUTH["rao-kupper"], 20_000, seed=5)
    loss = [fit_draws(*games, terms=terms).loss for terms in ("constant", "level", "full")]
    assert loss[0] > loss[1] > loss[2]


@pytest.mark.parametrize("curve", [Logistic(), Normal(), Table(), Linear(cap=400), PraCurve()], ids=lambda c: c.name)  # fmt: skip
def test_on_every_curve(curve):
    truth = TRUTH["rao-kupper"]
    D, L, score = played(truth, 30_000, seed=11, curve=curve)
    found = fit_draws(D, L, score, curve=curve)
    for name in (*TERMS, "white_advantage"):
        # The table is read between its points while fitting: half a point more or less.
        slack = 0.5 if name == "white_advantage" else 0.0
        assert abs(getattr(found.model, name) - getattr(truth, name)) < 4 * found.errors[name] + slack, name  # fmt: skip


def test_a_given_advantage_is_kept():
    D, L, score = played(TRUTH["rao-kupper"], 3000, seed=1)
    found = fit_draws(D, L, score, white_advantage=50.0)
    assert found.model.white_advantage == 50
    assert "white_advantage" not in found.errors
    given = found.table().to_dicts()[-1]
    assert given == {"constant": "white_advantage", "value": 50.0, "error": None, "low": None, "high": None}  # fmt: skip


def test_intervals_and_documents():
    found = fit_draws(*played(TRUTH["rao-kupper"], 3000, seed=2))
    for row in found.table().iter_rows(named=True):
        assert (row["high"] - row["low"]) / row["error"] == pytest.approx(2 * 1.959964)
    assert DrawModel.from_document(found.document()) == found.model
    assert found.model.games == 3000
    assert "3,000 games" in found.summary()


def test_levels_of_the_model_are_those_of_the_games():
    D, L, score = played(TRUTH["rao-kupper"], 3000, seed=2)
    found = fit_draws(D, L, score).model
    assert L.min() <= found.low < found.high <= L.max()
    assert np.abs(D).max() >= found.reach > 300


def test_a_few_ratings_3000_apart_do_no_harm():
    D, L, score = played(TRUTH["rao-kupper"], 5000, seed=4)
    wild = [np.append(D, [3000.0, -3000.0]), np.append(L, [-500.0, 4000.0]), np.append(score, [0.0, 0.5])]  # fmt: skip
    found = fit_draws(*wild)
    assert all(math.isfinite(v) for v in found.errors.values())


@pytest.mark.parametrize("score", [np.ones(500), np.full(500, 0.5), np.tile([0.0, 1.0], 250)])
def test_no_draws_or_only_draws(score):
    D, L, _ = played(TRUTH["rao-kupper"], 500, seed=1)
    with pytest.raises(InputError, match="some games to be drawn and some not"):
        fit_draws(D, L, score)


def test_one_draw_in_many_games():
    D, L, score = played(TRUTH["rao-kupper"], 500, seed=1)
    score = np.where(score == 0.5, 1.0, score)
    score[0] = 0.5
    found = fit_draws(D, L, score, terms="constant")
    assert found.errors["constant"] > 0.3
    assert found.model.rate(np.array(2200.0), np.array(0.5)) < 0.02


def test_too_few_games():
    D, L, score = played(TRUTH["rao-kupper"], 4 * LEAST - 1, seed=1)
    with pytest.raises(InputError, match=f"at least {4 * LEAST} games"):
        fit_draws(D, L, score)
    assert fit_draws(D, L, score, terms="constant").games == 4 * LEAST - 1


def test_everybody_alike():
    D, L = np.zeros(1000), np.full(1000, 2000.0)
    score = np.tile([0.0, 0.5, 1.0, 0.5], 250)
    with pytest.raises(InputError, match="tell the constants apart"):
        fit_draws(D, L, score)
    found = fit_draws(D, L, score, terms="constant")
    assert found.model.rate(L[:1], np.array([0.5]))[0] == pytest.approx(0.5, abs=1e-6)
    assert found.model.white_advantage == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"form": "tossing"}, "one of rao-kupper"),
        ({"terms": "all"}, "expected terms"),
        ({"objective": "wins"}, "expected an objective"),
        ({"curve": Ratio()}, "ratio"),
    ],
)
def test_misuse(options, words):
    games = played(TRUTH["rao-kupper"], 200, seed=1)
    with pytest.raises(UsageError, match=words):
        fit_draws(*games, **options)


@pytest.mark.parametrize(("which", "value"), [(0, math.nan), (1, math.inf), (2, 0.75)])
def test_numbers_that_are_none(which, value):
    games = list(played(TRUTH["rao-kupper"], 200, seed=1))
    games[which][3] = value
    with pytest.raises(UsageError, match="found others"):
        fit_draws(*games)
