"""Comparisons: the same games for all, and a last window that chooses nothing."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.lab.entrants import Entrant, entrant, everybody
from arpad.lab.metrics import breakdown, calibration_curve, calibration_error, groups_of, levels, log_losses
from arpad.lab.predict import predict
from arpad.lab.tuning import tune, tune_all
from arpad.lab.walk import PublishedSystem, course, walk, windows
from arpad.model import Games
from arpad.rate import SYSTEMS
from arpad.rate.registry import system
from arpad.rate.system import Range
from tests.lab.walks import season

TEST = dt.date(2021, 9, 1)


def turned(games, since=TEST):
    """Return the same games with every result from a day on the other way round."""
    late = games.table["date"] >= since
    score = games.table["score"] - late.cast(float)
    table = games.table.with_columns(score=score.abs(), black_score=1 - score.abs())
    return Games(table, games.players, games.events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A system that says the same of every game, or nothing of some."""

    name: ClassVar[str] = "said"
    expected_: float = 0.5
    silent: float = 0.0

    def parameters(self):
        return {"expected": self.expected_}

    def predict_games(self, games, first):  # noqa: ARG002
        found = np.full(len(games), self.expected_)
        found[np.arange(len(games)) % 100 < 100 * self.silent] = np.nan
        return np.zeros(len(games)), found


def said(label, expected, silent=0.0):
    return Entrant(label=label, name="said", system=Said(expected_=expected, silent=silent))


def test_every_figure_is_that_of_the_walk():
    games = season(rated=True)
    found = predict(games, [entrant("elo"), entrant("glicko")], test_from=TEST, draws=50)
    rows = walk(system("elo", given=False), games).rows.filter(
        (pl.col("period") >= TEST) & (pl.col("earlier") >= 20)
    )
    losses = log_losses(rows["score"].to_numpy(), rows["expected"].to_numpy())
    row = found.table().filter(pl.col("system") == "elo").row(0, named=True)
    assert row["n"] == rows.height == found.counts.scored
    assert row["log_loss"] == pytest.approx(losses.mean())
    assert "glicko" in found.summary() or "elo" in found.summary()


def test_all_are_scored_on_what_all_predicted():
    games = season()
    found = predict(games, [said("whole", 0.5), said("part", 0.6, silent=0.2)], test_from=TEST)
    sizes = {each.system: each.own.n for each in found.standings}
    assert len(set(sizes.values())) == 1
    said_of = {each.system: each.predicted for each in found.standings}
    assert said_of == {"whole": found.counts.eligible, "part": found.counts.scored}
    assert found.counts.dropped == found.counts.eligible - found.counts.scored > 0
    assert "left out" in found.summary()


def test_who_predicts_too_little_does_not_take_games_from_the_others():
    found = predict(season(), [said("whole", 0.5), said("hardly", 0.6, silent=0.9)], test_from=TEST)
    whole, hardly = found.standings
    assert whole.own.n == found.counts.eligible
    assert hardly.own is None
    assert "predicts only" in hardly.reason


@pytest.mark.parametrize(
    ("budget", "test_from", "period"),
    [(None, TEST, "month"), (4, TEST, "month"), (4, dt.date(2021, 9, 12), "month"), (4, TEST, "year")],
)  # fmt: skip
def test_the_test_window_chooses_nothing(budget, test_from, period):
    """Turn every result of the test window round: fits and constants stay, to the last bit.

    Also where the window begins in the middle of a period.
    """
    games = season(rated=True)
    entrants = [entrant("elo"), entrant("glicko"), entrant("published")]
    here, there = (
        predict(each, entrants, test_from=test_from, draws=10, budget=budget, period=period)
        for each in (games, turned(games, test_from))
    )
    fits = [{each.system: each.fit for each in found.standings} for found in (here, there)]
    assert fits[0] == fits[1]
    assert here.tuned == there.tuned
    assert here.reference == there.reference
    assert here.standings[0].own != there.standings[0].own
    if budget:
        assert [each.system for each in here.tuned] == ["elo", "glicko"]
        assert {len(each.trials) for each in here.tuned} == {budget}


def test_the_validation_window_does_choose():
    games = season()
    fits = [
        predict(each, [entrant("elo")], test_from=TEST, draws=10).standings[0].fit
        for each in (games, turned(games, dt.date(2021, 1, 1)))
    ]
    assert fits[0] != fits[1]


def test_the_tuner_refuses_to_look_ahead():
    way = course(season())
    split = windows(way.days, test_from=TEST)
    with pytest.raises(UsageError, match="may see games before 2021-09-01 only"):
        tune_all([entrant("elo")], way, split, least_games=20)
    early = way.before(TEST)
    assert tune_all([entrant("published")], early, split, least_games=20) == [None]
    with pytest.raises(UsageError, match="nothing can be tuned"):
        tune_all([entrant("elo")], early, split, least_games=10**6)
    with pytest.raises(UsageError, match="budget of 1"):
        tune_all([entrant("elo")], early, split, least_games=20, budget=0)


def test_tuning_finds_a_better_k_and_says_so():
    games = season(players=30, months=24, games=300, spread=350)
    way = course(games)
    split = windows(way.days, test_from=TEST)
    slow = entrant("elo", {"start": 1500.0})
    (found,) = tune_all([slow], way.before(TEST), split, least_games=20, budget=12, seed=1)
    assert found.best.log_loss < found.published.log_loss
    assert found.best.options["k"] < 20  # strengths that never change ask for a small K
    assert found.published.options == {}
    assert "start" not in system("elo").tunable
    (again,) = tune_all([slow], way.before(TEST), split, least_games=20, budget=12, seed=1)
    assert again == found
    told = entrant("glicko", {"c": 10.0})
    (kept,) = tune_all([told], way.before(TEST), split, least_games=20, budget=3)
    assert all("c" not in trial.options for trial in kept.trials)
    assert tune_all([entrant("elo", {"k": 10.0})], way.before(TEST), split, least_games=20) == [None]


def test_constants_for_the_games_of_a_federation():
    games = season(players=30, months=24, games=300, spread=350)
    found = tune(games, ["elo", "fide"], budget=4)
    (row,) = found.rows.to_dicts()
    assert (row["system"], row["constant"], row["usual"]) == ("elo", "k", 20)
    assert row["lowest"] <= row["best"] <= row["highest"]
    assert row["better"] == pytest.approx(row["log_loss_usual"] - row["log_loss"], abs=1e-9)
    assert row["low"] <= row["better"] <= row["high"]
    assert row["use"] == (row["low"] > 0)
    assert found.options("elo") == ({"k": row["best"]} if row["use"] else {})
    assert [len(trials) for trials in found.to_dict()["trials"].values()] == [4]
    with pytest.raises(UsageError, match="has no constants"):
        tune(games, ["fide"])


def test_published_and_tuned_constants_are_two_rows():
    found = predict(season(), [entrant("elo")], test_from=TEST, draws=10, budget=3)
    assert {(each.system, each.constants) for each in found.standings} == {("elo", "as published"), ("elo tuned", "tuned")}  # fmt: skip


@pytest.mark.parametrize(("name", "option"), [(n, o) for n in SYSTEMS for o in system(n).tunable])  # fmt: skip
def test_both_ends_of_every_range_can_be_made(name, option):
    for share in (0.0, 1.0):
        system(name, **{option: system(name).tunable[option].at(share)})
    own = getattr(system(name), option)
    if isinstance(own, int | float):
        each = system(name).tunable[option]
        assert each.low <= own <= each.high
        assert each.at(each.share(own)) == pytest.approx(own)


def test_ranges_rise():
    with pytest.raises(UsageError, match="a range that rises"):
        Range(3, 2)
    with pytest.raises(UsageError, match="a range that rises"):
        Range(0, 2, log=True)


def test_differences_are_from_the_one_asked_for():
    entrants = [said("coin", 0.5), said("white", 0.6)]
    found = predict(season(), entrants, test_from=TEST, against="coin", draws=20)
    rows = {each.system: each for each in found.standings}
    assert found.reference == "coin"
    assert rows["coin"].own_gap.difference == 0
    assert rows["white"].own_gap.difference == pytest.approx(rows["white"].own.log_loss - np.log(2))
    # Two constants are one and the same once White's advantage is fitted.
    assert rows["white"].gap.difference == pytest.approx(0, abs=1e-6)
    with pytest.raises(UsageError, match="one of coin, coin tuned"):
        predict(season(), entrants, against="dice")


def test_a_reference_without_figures_is_replaced_and_told():
    entrants = [entrant("elo"), entrant("fide")]
    found = predict(season(), entrants, test_from=TEST, against="fide", draws=10)
    assert found.reference == "elo"
    assert not found.asked
    assert "fide has no figures: differences are from the best of the validation window" in found.notes  # fmt: skip
    assert "predicts none of" in found.standings[-1].reason


def test_without_validation_games_nothing_is_recalibrated():
    games = season(months=6, games=100)
    found = predict(games, [entrant("elo")], validation_from="2019", test_from="2020-02", draws=10)
    assert found.standings[0].recalibrated is None
    assert found.standings[0].own is not None
    assert any("nothing is recalibrated" in note for note in found.notes)


def test_everybody_is_every_registered_system():
    assert [each.name for each in everybody()] == [*SYSTEMS, "published"]
    with pytest.raises(UsageError, match="at least one system"):
        predict(season(), [])
    with pytest.raises(UsageError, match="'elo' twice"):
        predict(season(), [entrant("elo"), entrant("elo", {"k": 10})])


def test_given_ratings_are_left_aside_unless_asked_for():
    assert entrant("elo").system.given is False
    assert entrant("elo", given=True).system.given is True
    assert entrant("elo", {"given": True}).system.given is True
    assert entrant("glicko", given=None).system.given is True


def test_published_ratings_are_those_beside_the_game():
    games = season(players=4, months=2, games=20, rated=True)
    D, E = PublishedSystem().predict_games(games, np.array([0]))
    table = games.table
    assert pytest.approx((table["white_rating"] - table["black_rating"]).to_numpy()) == D
    assert pytest.approx(1 / (1 + 10 ** (-D / 400))) == E
    listed = PublishedSystem().rate(games)
    truth = dict(zip(table["white"], table["white_rating"], strict=True))
    names = dict(enumerate(games.players["name"]))
    assert {names[w]: r for w, r in truth.items()}.items() <= dict(listed.rows.select("player", "rating").iter_rows()).items()  # fmt: skip


def test_calibration_curves_count_every_game():
    rng = np.random.default_rng(6)
    E = rng.random(5000)
    S = (rng.random(5000) < E).astype(float)
    curve = calibration_curve(S, E)
    assert curve["n"].sum() == 5000
    assert ((curve["low"] <= curve["expected"]) & (curve["expected"] <= curve["high"])).mean() > 0.8
    assert calibration_error(curve) < 0.03
    edge = calibration_curve(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    assert edge["from"].to_list() == [0, 0.95]
    assert np.isnan(calibration_error(edge.clear()))
    with pytest.raises(UsageError, match="bins above 0"):
        calibration_curve(S, E, 0)


def test_parts_make_up_the_whole():
    games = season(rated=True)
    way = course(games)
    S = way.scores()
    E = np.full(len(S), 0.5)
    parts = breakdown(groups_of(way), S, E, None)
    for by in ("period", "level", "games"):
        here = parts.filter(pl.col("by") == by)
        assert here["n"].sum() == len(S)
        assert (here["mean_score"] * here["n"]).sum() == pytest.approx(S.sum())
    assert levels(way)[1] == "published ratings"
    plain = course(season())
    own, whose = levels(plain)
    assert whose == "Elo's ratings"
    assert own[0] == 1500
    assert own[-1] != 1500
