"""Work in the background: done, stopped, and done again when whoever did it was killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.db.tables import now
from arpad.ledger.imports.importing import import_files
from arpad.ledger.policy import add_policy, preset
from arpad.web.auth import WebSettings
from arpad.web.jobs import records
from arpad.web.jobs.kinds import Work, do_list
from arpad.web.jobs.supervisor import ATTEMPTS, STALE, Supervisor, is_alive, myself
from arpad.web.jobs.uploads import has_upload, keep_upload
from tests.web.conftest import PASSWORDS, token

EVENT = """event,date,round,white,black,result
New Year Open,2026-11-01,1,"Berg, Ida","Novak, Jan",1-0
New Year Open,2026-11-01,1,"Ortiz, Luz","Stranger, Sam",1/2-1/2
"""
PATIENCE = 60.0
PREVIEW = {
    "summary": "a.csv: 1 event and 1 game", "earlier": None, "moves_added": 0, "format": "csv", "events": 1, "here": 0,
    "changed": 0, "games": 1, "moves": 0, "by_id": 0, "by_name": 0, "new": 1, "doubtful": 1, "listed": None,
    "time_control_unsaid": 1, "counts": {"event_list": 1, "found_by_name": 0, "doubts": 1, "skipped": 1, "repaired": 0, "noted": 0},
    "event_list": [{"name": "Open", "start": "2026-11-01", "end": "2026-11-01", "games": 1, "time_control": "standard", "what": "new"}],
    "found_by_name": [], "repaired": [], "noted": [], "skipped": [{"line": 3, "reason": "no name"}],
    "doubts": [{"name": "B.", "player": 30, "candidates": [{"player": 1, "name": "Berg, Ida", "score": 0.9, "reason": "initials"}]}],
}  # fmt: skip


def until(true, what: str = "it"):
    """Wait until something is true, and return it."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if found := true():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} never came")


def uploaded(place: str, text: str = EVENT) -> dict[str, object]:
    """The arguments of an import, its file kept in the ledger as an upload is."""
    with tempfile.TemporaryDirectory() as folder, Ledger.open(place) as ledger:
        path = Path(folder) / "open.csv"
        path.write_text(text)
        with ledger.writing("ann", "upload") as connection:
            key = keep_upload(connection, path)
    return {"file": key, "name": "open.csv", "sha256": "?", "settings": {}}


def added(place: str, kind: str, arguments: dict[str, object]) -> int:
    with Ledger.open(place) as ledger, ledger.writing("ann", kind) as connection:
        return records.add_job(connection, kind, arguments, "ann")


def job_of(place: str, number: int) -> records.Job:
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return records.job_numbered(connection, number)


def over(place: str, number: int) -> records.Job | None:
    found = job_of(place, number)
    return None if found.is_open else found


def games(place: str) -> int:
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(tables.games)).scalar_one()


@contextmanager
def working(place: str, **settings):
    supervisor = Supervisor(WebSettings(place=str(place), **settings))
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.close()


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """Let workers wait in the middle of an import until a file is there: slow() → go on."""
    gate = tmp_path / "gate"
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        f"""
import sys, time, pathlib
if any("arpad.web.jobs.worker" in a for a in sys.orig_argv):
    import arpad.ledger.imports.importing as importing
    real = importing.write_moves
    def held(*arguments):
        pathlib.Path({str(gate)!r} + ".reached").touch()
        while not pathlib.Path({str(gate)!r}).exists():
            time.sleep(0.02)
        return real(*arguments)
    importing.write_moves = held
"""
    )
    monkeypatch.setenv("PYTHONPATH", str(hook), prepend=os.pathsep)
    reached = tmp_path / "gate.reached"

    class Gate:
        def wait(self) -> None:
            until(reached.exists, "the middle of the import")
            reached.unlink()

        def open(self) -> None:
            gate.touch()

    yield Gate()
    gate.touch()


# --- what is done, on both databases


def test_an_import_is_done_by_another_process(place):
    number = added(place, "import", uploaded(place))
    with working(place):
        done = until(lambda: over(place, number))
    assert (done.state, games(place)) == ("done", 2)
    assert "1 event and 2 games" in done.says
    assert done.result["links"] == [["New Year Open", "/events/1"]]
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        assert not has_upload(connection, str(done.arguments["file"]))


def test_a_list_and_a_check_are_made(place, write):
    with Ledger.open(place) as ledger:
        list(import_files(ledger, [str(write(EVENT, "open.csv"))], who="me"))
        with ledger.writing("me", "policy") as connection:
            add_policy(connection, preset("club"))
    numbers = [added(place, "list", {"policy": "club", "name": None}), added(place, "inspect", {})]
    with working(place):
        made, checked = [until(lambda n=n: over(place, n)) for n in numbers]
    assert made.state == "done", made.says
    assert made.result["links"] == [["club, 2026-12", "/lists/club/2026-12"]]
    assert (checked.state, checked.says) == ("done", "nothing new")


def test_a_list_that_proposes_corrections_says_so_with_a_link(officer, club):
    """The club has an event that was reported after two lists had been published."""
    with Ledger.open(club) as ledger:
        job = records.QueuedJob(
            **dict.fromkeys(records.QueuedJob.__slots__)
            | {"arguments": {"policy": "club", "name": "2026-12"}, "who": "ann"}
        )
        done = do_list(Work(ledger=ledger, job=job, report=lambda *_: None, store=None))
    assert done.figures["corrections"] > 1
    assert "corrections of published lists are proposed: " in done.says
    text, href = done.links[-1]
    assert text.startswith("Proposed corrections of 2026-")
    page = officer.get(href)
    assert f"Publish the list and {done.figures['corrections']} corrections" in page.text


def test_what_goes_wrong_is_one_sentence(place):
    bad = [
        added(place, "import", uploaded(place, "white,black,result\n")),
        added(place, "import", {**uploaded(place), "file": "0" * 32}),
        added(place, "list", {"policy": "nobody's"}),
        added(place, "analyse", {"game": 1, "depth": 3}),
        added(place, "dance", {}),
    ]
    with working(place):
        found = [until(lambda n=n: over(place, n)) for n in bad]
    assert {job.state for job in found} == {"failed"}
    says = [job.says for job in found]
    assert says[0].startswith("open.csv: expected games")
    assert "upload it again" in says[1]
    assert "nobody's" in says[2] or "policy" in says[2]
    assert "--store" in says[3]
    assert not any("Traceback" in each or "\n" in each for each in says)


@pytest.mark.skipif(not shutil.which("stockfish") and not Path("/usr/games/stockfish").exists(), reason="no engine")  # fmt: skip
def test_an_analysis_is_shown_on_the_page_of_the_game(make_client, club, tmp_path):
    store = tmp_path / "store"
    ann = make_client("ann", store=store)
    (game,) = ann.get("/api/games").json()["games"]
    before = ann.get(f"/api/games/{game['id']}").json()
    assert (before["by"], before["can_analyse"]) == ("source", True)
    answer = ann.post("/jobs/analyse", data={"token": token(ann), "game": game["id"], "depth": 1})
    number = int(answer.headers["location"].rpartition("/")[2])
    with working(club, store=store):
        done = until(lambda: over(club, number))
    assert done.state == "done", done.says
    page = ann.get(f"/api/games/{game['id']}").json()
    assert (page["by"], page["others"]) == ("engine", ["source", "engine"])
    assert "depth 1" in page["source"]
    moves = [m for pair in page["moves"] for m in (pair["white"], pair["black"]) if m]
    assert all(move["best"] for move in moves)
    assert any(move["agrees"] for move in moves)
    assert 'class="arrow"' in ann.get(f"/games/{game['id']}/board/10.svg").text
    assert ann.get(f"/api/games/{game['id']}?by=source").json()["by"] == "source"
    again = added(club, "analyse", {"game": game["id"], "depth": 1})
    with working(club, store=store):
        assert " 0 analysed" in until(lambda: over(club, again)).says


# --- stopped


def test_a_job_is_stopped_in_the_middle_and_leaves_nothing(place, slow):
    number = added(place, "import", uploaded(place))
    with working(place) as supervisor:
        slow.wait()
        until(lambda: supervisor.heard(number)["says"] == "writing moves")
        supervisor.stop(number)
        with Ledger.open(place) as ledger, ledger.writing("ann", "stop") as connection:
            records.ask_to_stop(connection, number)
        supervisor.wake()
        stopped = until(lambda: over(place, number))
    assert (stopped.state, games(place)) == ("stopped", 0)


def test_a_job_that_waits_is_stopped_before_it_begins(officer, club):
    number = added(club, "inspect", {})
    answer = officer.post(f"/jobs/{number}/stop", data={"token": token(officer)})
    assert answer.headers["location"] == f"/jobs/{number}?notice=stopped"
    assert job_of(club, number).state == "stopped"
    with working(club):
        time.sleep(1.0)
    assert job_of(club, number).state == "stopped"


def test_a_worker_elsewhere_sees_that_it_shall_stop(place, slow):
    """Only the flag in the ledger is set; the import itself does not hold the ledger yet."""
    number = added(place, "inspect", {})
    with Ledger.open(place) as ledger:
        with ledger.writing("w", "claim") as connection:
            records.claim(connection, number, {**myself(), "host": "elsewhere"})
        with ledger.writing("ann", "stop") as connection:
            records.ask_to_stop(connection, number)
        with ledger.writing("w", "progress") as connection:
            assert records.progress(connection, number, done=1, total=2, says="x")
    assert job_of(place, number).state == "running"


# --- killed


def test_a_killed_worker_is_followed_by_another(place, slow):
    number = added(place, "import", uploaded(place))
    with working(place):
        slow.wait()
        pid = _worker(place, number)
        os.kill(pid, signal.SIGKILL)
        slow.wait()
        assert games(place) == 0
        slow.open()
        done = until(lambda: over(place, number))
    assert (done.state, games(place)) == ("done", 2)


def _worker(place: str, number: int) -> int:
    return int(job_of(place, number).result["worker"]["pid"])


def test_a_job_that_kills_every_worker_has_failed(place, slow):
    number = added(place, "import", uploaded(place))
    with working(place):
        for _ in range(ATTEMPTS):
            slow.wait()
            os.kill(_worker(place, number), signal.SIGKILL)
        failed = until(lambda: over(place, number))
    assert (failed.state, games(place)) == ("failed", 0)
    assert "died 3 times" in failed.says
    assert "signal 9" in failed.says


SERVER = """
import json, sys, uvicorn, socket, pathlib
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
told = json.loads(sys.stdin.readline())
listening = socket.socket(); listening.bind(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
app = make_app(WebSettings(place=told["place"], open_reading=True))
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])
"""


@contextmanager
def server(place: str):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdin.write(json.dumps({"place": str(place)}) + "\n")
    process.stdin.flush()
    assert int(process.stdout.readline()) > 0  # its port
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        process.stdin.close()
        process.stdout.close()


def test_a_killed_server_takes_its_workers_along_and_the_next_one_goes_on(place, slow):
    number = added(place, "import", uploaded(place))
    with server(place) as first:
        slow.wait()
        worker = job_of(place, number).result["worker"]
        first.send_signal(signal.SIGKILL)
        first.wait(30)
    until(lambda: not is_alive(worker), "the end of the worker")
    assert job_of(place, number).state == "running"  # nobody was left to say otherwise
    assert games(place) == 0
    slow.open()
    with server(place):
        done = until(lambda: over(place, number))
    assert (done.state, games(place)) == ("done", 2)


def test_a_server_that_ends_puts_its_jobs_back(place, slow):
    number = added(place, "import", uploaded(place))
    with working(place):
        slow.wait()
    back = job_of(place, number)
    assert (back.state, back.attempts, games(place)) == ("waiting", 0, 0)


def test_workers_on_other_machines_are_believed_for_a_while(place):
    number = added(place, "inspect", {})
    with Ledger.open(place) as ledger:
        with ledger.writing("w", "claim") as connection:
            records.claim(connection, number, {**myself(), "host": "elsewhere"})
        with working(place):
            time.sleep(1.5)
            assert job_of(place, number).state == "running"
        with ledger.writing("w", "long ago") as connection:
            connection.execute(sa.update(tables.jobs).values(seen=now() - 2 * STALE))
        with working(place):
            assert until(lambda: over(place, number)).state == "done"


def test_two_workers_never_have_one_job(place):
    number = added(place, "inspect", {})
    with Ledger.open(place) as ledger:
        with ledger.writing("w", "claim") as connection:
            assert records.claim(connection, number, myself()) is not None
        with ledger.writing("w", "claim") as connection:
            assert records.claim(connection, number, myself()) is None


def test_who_is_alive():
    me = myself()
    assert is_alive(me) is True
    assert is_alive({**me, "born": "1"}) is False  # another process has the number now
    assert is_alive({**me, "pid": 2**22 - 1}) is False
    assert is_alive({**me, "host": "elsewhere"}) is None


def test_no_secret_is_in_the_arguments_of_a_worker(club, slow):
    number = added(club, "import", uploaded(club))
    with working(club) as supervisor:
        slow.wait()
        pid = _worker(club, number)
        line = Path(f"/proc/{pid}/cmdline").read_text()
        environment = Path(f"/proc/{pid}/environ").read_text()
        assert str(club) not in line
        assert PASSWORDS["ann"] not in line + environment
        supervisor.stop(number)


# --- pages


def test_pages_of_jobs(officer, club):
    assert "There are no jobs yet" in officer.get("/jobs").text
    number = added(club, "import", {"file": "0" * 32, "name": "<script>alert(1)</script>", "settings": {}})  # fmt: skip
    text = officer.get(f"/jobs/{number}").text
    assert "Import of &lt;script&gt;" in text
    assert "<script>alert" not in text + officer.get("/jobs").text
    assert '<noscript><meta http-equiv="refresh"' in text
    assert f'data-job="/api/jobs/{number}"' in text
    assert officer.get("/jobs/9999").status_code == 404
    assert officer.get("/jobs/0").status_code == 422


FORMS = (
    ("/jobs/list", {"policy": "club"}),
    ("/jobs/inspect", {}),
    ("/jobs/analyse", {"game": 1}),
    ("/jobs/1/stop", {}),
)


@pytest.mark.parametrize(("path", "data"), FORMS)
def test_only_administrators_with_our_forms_begin_or_stop_work(make_client, club, path, data):
    added(club, "inspect", {})
    for who, status in ((None, 401), ("vic", 403), ("ann", 403)):
        client = make_client(who)
        assert client.post(path, data=data).status_code == status
        assert client.post(path, data={**data, "token": "x"}).status_code == status
    assert job_of(club, 1).state == "waiting"
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        assert len(records.jobs_in(connection, records.OPEN)) == 1


@pytest.mark.parametrize(
    ("path", "data", "status"),
    [
        ("/jobs/list", {"policy": "nobody's"}, 404),
        ("/jobs/list", {}, 422),
        ("/jobs/inspect", {"policy": "nobody's"}, 404),
        ("/jobs/inspect", {"event": 0}, 422),
        ("/jobs/analyse", {"game": 386}, 400),  # no place for evaluations
        ("/jobs/999/stop", {}, 404),
    ],
)
def test_what_cannot_be_begun_is_refused(officer, path, data, status):
    answer = officer.post(path, data={**data, "token": token(officer)})
    assert answer.status_code == status


def test_analyses_are_bounded(make_client, tmp_path):
    ann = make_client("ann", store=tmp_path)
    mine = token(ann)
    for data, status in (
        ({"game": 386, "depth": 31}, 422), ({"game": 386, "depth": 0}, 422), ({}, 400),
        ({"game": 1}, 404), ({"game": 386, "event": 1}, 400), ({"event": 1}, 404),
    ):  # fmt: skip
        assert ann.post("/jobs/analyse", data={**data, "token": mine}).status_code == status


@pytest.mark.chromium
def test_an_event_is_uploaded_seen_confirmed_and_there(served, page, tmp_path):
    path = tmp_path / "new-year.csv"
    path.write_text(EVENT)
    address = served()
    page.goto(f"{address}/sign-in?to=/upload")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Files", exact=True).set_input_files(str(path))
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="What new-year.csv would change").wait_for(timeout=60_000)
    page.get_by_role("cell", name="New Year Open").wait_for()
    page.get_by_role("button", name="Import it").click()
    page.get_by_role("heading", name="Import of new-year.csv").wait_for()
    page.get_by_text("1 event and 2 games").wait_for(timeout=60_000)
    page.get_by_role("link", name="New Year Open").click()
    page.get_by_role("heading", name="New Year Open", level=1).wait_for()
    page.goto(address)
    page.get_by_role("link", name="New Year Open").wait_for()


@pytest.mark.chromium
def test_axe_finds_nothing_serious(served, page, club, tmp_path):
    """Content-Security-Policy is set aside for axe alone."""
    from axe_playwright_python.sync_playwright import Axe

    waiting = added(club, "inspect", {})
    failed = added(club, "list", {"policy": "nobody's"})
    with Ledger.open(club) as ledger, ledger.writing("ann", "x") as connection:
        records.finish(connection, failed, "failed", says="there is no such policy")
        seen = records.add_job(connection, records.PREVIEW, {"name": "a.csv"}, "ann", state="done", result=PREVIEW)  # fmt: skip
    address = served(work=False, store=tmp_path)
    context = page.context.browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(f"{address}/sign-in")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    for path in ("/games", "/games/386?ply=35", "/games/3", "/upload", f"/upload/{seen}", "/jobs", f"/jobs/{waiting}", f"/jobs/{failed}"):  # fmt: skip
        page.goto(f"{address}{path}")
        found = Axe().run(page).response["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == [], path
    context.close()
