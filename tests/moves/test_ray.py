"""The same queue on a Ray cluster: a worker is killed half-way, the job finishes, nothing is kept twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from arpad.errors import UsageError
from arpad.moves.ray_workers import RayWorkers
from arpad.moves.settings import EngineSettings

SCRIPT = """
import json, os, signal, sys, threading, time
from arpad.cli.analysing import analysed_positions
from arpad.moves.position import tidy_epd
from arpad.moves.ray_workers import RayWorkers
from arpad.moves.settings import EngineSettings

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
done = analysed_positions(epds, settings, workers=team, root=store)
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
