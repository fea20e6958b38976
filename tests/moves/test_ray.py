"""The same queue on a Ray cluster: a worker is killed half-way, the job finishes, nothing is kept twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from arpad.errors import EngineError, UsageError
from arpad.moves.analysis import Ask, Failure
from arpad.moves.engine import EngineIdentity, EngineSettings
from arpad.moves.ray_engines import RayWorkers

SCRIPT = """
import json, os, signal, sys, threading, time
from arpad.moves.evaluate import evaluate_positions
from arpad.moves.positions import tidy_epd
from arpad.moves.ray_engines import RayWorkers
from arpad.moves.engine import EngineSettings

engine, store = sys.argv[1:]
squares = [(r, f) for r in range(2, 7) for f in range(8)]
epds = []
for r, f in squares:
    rows = ["8"] * 8
    rows[0], rows[7] = "7k", "K7"
    rows[r] = f"{f or ''}P{7 - f or ''}"
    epds.append(tidy_epd("/".join(rows) + " w - - 0 1"))
settings = EngineSettings(engine=engine)
team = RayWorkers(settings, engines=2, lease=5)
said = {}

def kill():
    while len(team.actors) < 2:
        time.sleep(0.01)
    import ray
    first, second = team.actors
    (one, engine), (two, _) = ray.get([first.pids.remote(), second.pids.remote()], timeout=60)
    os.kill(one, signal.SIGKILL)  # Ray starts it again
    said["killed"] = [one, engine]
    ray.get(second.pids.remote(), timeout=60)  # a lease later
    ray.kill(second)  # for good: another takes its lease

threading.Thread(target=kill, daemon=True).start()
done = evaluate_positions(epds, settings, workers=team, root=store)
rows = done.lookup(epds)
print(json.dumps({
    "asked": done.analysis.asked, "analysed": done.analysis.analysed, "failed": len(done.analysis.failures),
    "restarts": done.analysis.restarts, "kept": rows.height, "different": rows["epd"].n_unique(), **said,
}))
"""


def test_a_worker_is_killed_half_way(fake, tmp_path):
    engine, store = fake("slow:0.1"), tmp_path / "kept"
    (tmp_path / "home").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, engine.path, str(store)],
        env={**os.environ, "HOME": str(tmp_path / "home"), "RAY_DEDUP_LOGS": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout.splitlines()[-1])
    killed, its_engine = document.pop("killed")
    assert document.pop("restarts") >= 1
    assert document == {"asked": 40, "analysed": 40, "failed": 0, "kept": 40, "different": 40}
    assert not any(map(alive, (killed, its_engine)))
    assert len(set(engine.asked())) == 40
    assert len(engine.asked()) <= 40 + 2 * 5  # only the leases of the dead are done again


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123
        return stat.read().split()[2] != "Z"


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'arpad\[ray\]'"):
        RayWorkers(EngineSettings()).identity()


def test_how_many_engines():
    with pytest.raises(UsageError, match="at least 1 engine"):
        RayWorkers(EngineSettings(), engines=0)


class Cluster:
    """What we need of Ray, played by hand: every worker answers as its plan says."""

    class exceptions:  # noqa: N801 - as Ray calls it
        class RayError(Exception): ...

        class RayActorError(RayError): ...

        class GetTimeoutError(RayError): ...

    def __init__(self, *plans):
        self.plans, self.killed, self.given = list(plans), [], []

    def is_initialized(self):
        return True

    def cluster_resources(self):
        return {"CPU": float(len(self.plans))}

    def remote(self, _):
        return self

    def options(self, **_):
        return Made(self)

    def wait(self, futures, *, num_returns, timeout):  # noqa: ARG002
        return [f for f in futures if f.said is not None][:num_returns], []

    def get(self, future, timeout=None):  # noqa: ARG002
        if isinstance(future.said, Exception):
            raise future.said
        return future.said

    def kill(self, actor):
        self.killed.append(actor.name)


class Made:
    def __init__(self, cluster):
        self.cluster = cluster

    def remote(self, *_):
        number = len(self.cluster.given)
        self.cluster.given.append([])
        plans = self.cluster.plans
        return Actor(self.cluster, number, plans[min(number, len(plans) - 1)])


class Future:
    def __init__(self, said):
        self.said = said


class Method:
    def __init__(self, call):
        self.remote = lambda *arguments: Future(call(*arguments))


class Actor:
    """good; waits (never started); other (another engine); gone:N, dies:N from its Nth lease on."""

    def __init__(self, cluster, name, plan):
        self.cluster, self.name = cluster, name
        self.how, _, number = plan.partition(":")
        self.good = int(number or 0)
        self.identity, self.answer = Method(self._identity), Method(self._answer)

    def _identity(self):
        if self.how == "waits":
            return None
        return "another engine" if self.how == "other" else EngineIdentity(name="Fake")

    def _answer(self, asks):
        mine = self.cluster.given[self.name]
        mine.append(len(asks))
        if len(mine) > self.good and self.how == "gone":
            return "its engine is gone"
        if len(mine) > self.good and self.how == "dies":
            return self.cluster.exceptions.RayActorError("dead")
        return [a.epd for a in asks], 0, 1.0


@pytest.fixture
def answers(monkeypatch):
    def _answers(*plans, positions=20):
        cluster = Cluster(*plans)
        monkeypatch.setitem(sys.modules, "ray", cluster)
        team = RayWorkers(EngineSettings(), lease=4)
        asks = iter([Ask(str(n)) for n in range(positions)])
        return cluster, [answer for batch in team.run(asks) for answer in batch]

    return _answers


@pytest.mark.parametrize(
    "plans",
    [
        ["good"],
        ["good", "good"],
        ["good", "waits"],  # somebody else has the CPU
        ["good", "gone:0"],
        ["gone:1", "good"],
        ["good", "gone:2"],  # the first has nothing left to do by then
        ["dies:0", "good"],
        ["dies:1", "dies:1"],
    ],
    ids=" ".join,
)
def test_every_position_is_done_whoever_falls_out(answers, plans):
    cluster, found = answers(*plans)
    assert sorted(found, key=int) == [str(n) for n in range(20)]
    assert sorted(cluster.killed) == list(range(len(cluster.given)))  # nobody keeps a CPU


def test_a_lease_that_kills_every_worker_is_reported(answers):
    _, found = answers("dies:0", positions=4)
    assert [(f.ask.epd, f.reason) for f in found if isinstance(f, Failure)] == [
        (str(n), "its worker died: dead") for n in range(4)
    ]


@pytest.mark.parametrize(
    ("plans", "words"),
    [
        (["gone:1", "gone:1"], "its engine is gone"),
        (["good", "other"], "another engine"),
        (["other"], "another engine"),
    ],
    ids=str,
)
def test_no_engine_on_the_cluster(answers, plans, words):
    with pytest.raises(EngineError, match=words):
        answers(*plans)


def test_no_worker_comes_back(answers, monkeypatch):
    monkeypatch.setattr("arpad.moves.ray_engines.GATHER", 0.0)
    with pytest.raises(EngineError, match="are its CPUs taken"):
        answers("dies:0", "waits")
