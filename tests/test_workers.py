"""The same results in the same order, whoever does the work and whoever dies over it."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from arpad.errors import InputError, UsageError
from arpad.lab.entrants import entrant
from arpad.lab.pairing import Random
from arpad.lab.pra_calibration import calibrate
from arpad.lab.predict import predict
from arpad.lab.season import RunStart, Season
from arpad.lab.simulate import simulate
from arpad.lab.worlds import NormalPopulation, World
from arpad.parallel import HERE, Helper, Here, Processes, RayCluster, WorkerError, workers_called
from arpad.rate.bootstrap import bootstrap
from arpad.rate.registry import system
from tests.lab.walks import season
from tests.work_pieces import (
    added,
    dies,
    dies_once,
    drawn,
    hangs,
    hangs_once,
    is_gone,
    misses_a_file,
    refused,
)

TWO = Processes(2)


def test_an_error_of_the_work_is_told_as_it_is():
    """Also one that a broken pipe could have been."""
    with pytest.raises(FileNotFoundError, match="/nowhere/"):
        list(TWO.map(misses_a_file, range(3)))


@pytest.mark.parametrize("size", [10, 10_000_000])
def test_workers_that_cannot_begin_are_an_error_of_ours(monkeypatch, size):
    monkeypatch.setattr("arpad.parallel._work", is_gone)
    with pytest.raises(WorkerError, match="killed its process"):
        list(TWO.map(added, [b""], shared=bytes(size)))


def test_tuning_needs_no_more_processes_than_it_was_given():
    """Trials that are spread and the steps behind them are two rounds: the first team goes home before."""
    alive = []
    predict(
        season(players=8, months=16, games=30), [entrant("elo"), entrant("glicko")], test_from="2021-03",
        draws=10, budget=6, workers=TWO, watch=lambda _: alive.append(len(multiprocessing.active_children())),
    )  # fmt: skip
    assert len(alive) == 4
    assert max(alive) <= 2


def test_order_and_randomness_do_not_depend_on_the_workers():
    assert list(TWO.map(added, range(20), shared=100)) == list(range(100, 120))
    assert list(TWO.map(drawn, range(9))) == list(HERE.map(drawn, range(9)))
    assert list(TWO.map(added, [], shared=1)) == []


def test_who_stops_listening_ends_the_workers():
    results = Processes(2, 60).map(added, range(50), shared=0)
    assert next(results) == 0
    results.close()


def test_a_piece_that_killed_its_process_is_tried_again(tmp_path):
    assert list(TWO.map(dies_once, range(8), shared=str(tmp_path))) == [n * n for n in range(8)]
    assert len(list(tmp_path.iterdir())) == 3


def test_a_piece_that_hangs_is_tried_again(tmp_path):
    assert list(Processes(2, 8.0).map(hangs_once, range(3), shared=str(tmp_path))) == [0, 1, 2]


def test_what_goes_wrong_is_told():
    with pytest.raises(InputError, match="here: expected something else"):
        list(TWO.map(refused, range(4), shared=2))
    with pytest.raises(WorkerError, match=r"piece 3 of the work killed its process.*3 tries"):
        list(TWO.map(dies, range(4)))
    with pytest.raises(WorkerError, match=r"did not end in 0\.1 seconds"):
        list(Processes(1, 0.1).map(hangs, [1]))


def test_workers_by_name():
    assert isinstance(workers_called(None), Here)
    assert workers_called("1") is HERE
    assert workers_called("3", patience=7) == Processes(3, 7)
    assert workers_called("ray") == RayCluster()
    assert workers_called("ray:2", patience=5) == RayCluster(None, 2, 5)
    assert workers_called("ray://head:10001").address == "ray://head:10001"
    for text in ("", "0", "-1", "2.5", "rays", "ray:", "ray:0", "ray://", "9" * 12, "5000"):
        with pytest.raises(UsageError, match="expected"):
            workers_called(text)


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'arpad\[ray\]'"):
        list(RayCluster().map(added, [1], shared=1))


def rated(workers):
    """Return a list with errors from draws."""
    return bootstrap(system("glicko"), season(months=3), draws=12, workers=workers).rows


def simulated(workers):
    """Return figures of four seasons."""
    small = Season(players=60, rounds=12, population=NormalPopulation(), world=World(), pairing=Random(), start=RunStart())  # fmt: skip
    found = simulate(small, {"elo": system("elo"), "pra": system("pra")}, runs=4, workers=workers)
    return [each.over_runs("rms_error").tolist() for each in found.systems]


def calibrated(workers):
    """Return every candidate of a search, and what the best is worth."""
    small = Season(players=60, rounds=12, population=NormalPopulation(), world=World(), pairing=Random(), start=RunStart())  # fmt: skip
    found = calibrate(small, ["k"], budget=12, seasons=1, checks=2, workers=workers)
    return found.tried, found.gain


def tuned(workers):
    """Return everything that a search tried, and the table."""
    found = predict(season(), [entrant("elo"), entrant("glicko"), entrant("ingo")], budget=7, draws=20, workers=workers)  # fmt: skip
    return [(t.system, t.n, t.trials) for t in found.tuned], found.table()


def test_bootstrap_is_the_same_with_any_workers():
    assert rated(TWO).equals(rated(HERE))


def test_simulations_are_the_same_with_any_workers():
    assert simulated(TWO) == simulated(HERE)


def test_calibration_is_the_same_with_any_workers():
    (ours, gain), (theirs, their_gain) = calibrated(TWO), calibrated(HERE)
    assert ours.equals(theirs)
    assert gain == their_gain


def test_tuning_is_the_same_with_any_workers():
    (ours, table), (theirs, their_table) = tuned(TWO), tuned(HERE)
    assert ours == theirs
    assert table.equals(their_table)


RAY = """
import json, sys
sys.path.insert(0, sys.argv[1])
import ray
from arpad.parallel import HERE, RayCluster, WorkerError
from tests import test_workers as work, work_pieces as pieces

team = RayCluster(count=2)
said = {}
ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False, logging_level="ERROR")
said["order"] = list(team.map(pieces.added, range(6), shared=10))
said["died"] = list(team.map(pieces.dies_once, range(5), shared=sys.argv[2]))
try:
    list(team.map(pieces.refused, range(4), shared=2))
except Exception as error:
    said["error"] = [type(error).__name__, str(error)]
try:
    list(RayCluster(count=2, patience=2).map(pieces.hangs, [1]))
except WorkerError as error:
    said["hung"] = str(error)
said["bootstrap"] = work.rated(team).equals(work.rated(HERE))
said["simulation"] = work.simulated(team) == work.simulated(HERE)
ours, theirs = work.tuned(team), work.tuned(HERE)
said["tuning"] = ours[0] == theirs[0] and ours[1].equals(theirs[1])
print(json.dumps(said))
"""


def test_a_ray_cluster_does_the_same(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "marks").mkdir()
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", RAY, root, str(tmp_path / "marks")],
        env={**os.environ, "HOME": str(tmp_path / "home"), "RAY_DEDUP_LOGS": "0", "PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said.pop("error") == ["InputError", "here: expected something else"]
    assert "did not end in 2 seconds" in said.pop("hung")
    assert said == {
        "order": list(range(10, 16)),
        "died": [n * n for n in range(5)],
        "bootstrap": True,
        "simulation": True,
        "tuning": True,
    }


def test_a_helper_is_one_process_until_it_is_not_needed():
    helper = Helper()
    first = helper(os.getpid)
    assert first != os.getpid()
    assert helper(os.getpid) == first
    with pytest.raises(ZeroDivisionError):
        helper(divmod, 1, 0)
    assert helper(os.getpid) == first
    helper.close()
    assert not psutil.pid_exists(first)
    assert helper(divmod, 7, 2) == (3, 1)  # another process
    helper.close()


def test_a_helper_ends_with_who_started_it():
    code = (
        "import os, signal\nfrom arpad.parallel import Helper\n"
        "print(Helper()(os.getpid), flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    until = time.monotonic() + 60
    while _runs(int(done.stdout)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(int(done.stdout))


def _runs(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
