"""Other libraries in a comparison, by stand-ins with the calls that the real ones have."""

# ruff: noqa: ARG002

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from arpad.errors import UsageError
from arpad.lab.entrants import entrant, everybody
from arpad.lab.predict import predict
from arpad.lab.walk import course, walk
from arpad.rate.registry import system
from tests.lab.test_predicting import TEST, turned
from tests.lab.walks import season


class Skill:
    def __init__(self, mu=0.0, sigma=1.0):
        self.mu, self.sigma = mu, sigma


class Riix:
    def __init__(self, competitors, c=0.0):
        self.rating, self.k = np.zeros(len(competitors)), c

    def predict(self, matchups, time_step):
        return 1 / (1 + np.exp(self.rating[matchups[:, 1]] - self.rating[matchups[:, 0]]))

    def update(self, matchups, outcomes, time_step):
        for (a, b), s in zip(matchups, outcomes, strict=True):
            step = self.k / 1000 * (s - 1 / (1 + np.exp(self.rating[b] - self.rating[a])))
            self.rating[a] += step
            self.rating[b] -= step


class OpenSkill:
    def __init__(self, **constants):
        self.rating = Skill

    def predict_win(self, teams):
        (a,), (b,) = teams
        return [1 / (1 + 10 ** ((b.mu - a.mu) / 400)), 0.0]

    def rate(self, teams, scores):
        (a,), (b,) = teams
        step = 20 * (scores[0] - self.predict_win(teams)[0])
        return [Skill(a.mu + step)], [Skill(b.mu - step)]


def evalica_elo(xs, ys, winners, k):
    rating = dict.fromkeys([*xs, *ys], 1500.0)
    for a, b, s in zip(xs, ys, winners, strict=True):
        step = k * (s - 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400)))
        rating[a] += step
        rating[b] -= step
    scores = SimpleNamespace(index=list(rating), to_numpy=lambda: np.array(list(rating.values())) - 1500)
    return SimpleNamespace(scores=scores)


class ThroughTime:
    def __init__(self, composition, results, times, mu, beta, sigma, gamma, p_draw):
        assert times == sorted(times)
        self.points = {}
        for teams, scores in zip(composition, results, strict=True):
            for (player,), s in zip(teams, scores, strict=True):
                self.points[player] = self.points.get(player, mu) + (s - 0.5) / 10

    def convergence(self, epsilon, iterations, verbose):
        assert not verbose

    def learning_curves(self):
        return {player: [(0, Skill(mu, 0.5))] for player, mu in self.points.items()}


def test_other_libraries_predict_beside_ours(monkeypatch):
    stand_ins = {
        "riix": {}, "riix.models.glicko": {"Glicko": Riix}, "openskill": {}, "openskill.models": {"PlackettLuce": OpenSkill},
        "evalica": {"elo": evalica_elo, "Winner": SimpleNamespace(X=1.0, Y=0.0, Draw=0.5)},
        "trueskillthroughtime": {"History": ThroughTime},
    }  # fmt: skip
    for name, members in stand_ins.items():
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    names = ["riix-glicko", "openskill", "evalica", "trueskillthroughtime"]
    assert {*names} < {each.label for each in everybody()}
    way = course(season())
    ours = walk(system("elo", given=False), way).rows["expected"].to_numpy()
    for name in ("openskill", "evalica"):  # both stand-ins are Elo's formula
        assert walk(entrant(name).system, way).rows["expected"].to_numpy() == pytest.approx(ours)
    late = course(turned(season()))
    before = (way.games.table["date"] < TEST).to_numpy()
    for name in names:
        one, other = (walk(entrant(name).system, each).rows["expected"].to_numpy() for each in (way, late))
        assert one[before] == pytest.approx(other[before])
        assert one.std() > 0.005
    found = predict(season(), ["elo", "riix-glicko", "evalica"], test_from=TEST, draws=10, budget=2)
    assert {f"{name} tuned" for name in ("elo", "riix-glicko", "evalica")} < {
        s.system for s in found.standings
    }
    with pytest.raises(UsageError, match="has no option 'k'"):
        entrant("riix-glicko", {"k": 3})
    monkeypatch.setitem(sys.modules, "evalica", None)
    with pytest.raises(UsageError, match="evalica needs the package evalica"):
        entrant("evalica")
