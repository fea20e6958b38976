"""`arpad serve` and `arpad account` as somebody meets them who has never seen them: each slip has a sentence that helps."""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest

GAMES = """event,date,round,white,black,result
Open,2026-05-01,1,Ann,Bob,1-0
Open,2026-05-02,2,Bob,Cid,1-0
"""
PASSWORD = "correct horse battery"


@pytest.fixture
def typed(monkeypatch):
    """Give the command line a password to read."""

    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{text}\n"))

    return give


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "open.csv").write_text(GAMES)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--db", "new.db"), "new.db: there is no ledger here. `arpad import FILES --db new.db`"),
        (("--db", "new.db"), "`arpad serve --db new.db --new`"),
        (("--db", "new.db"), "`arpad serve --demo`"),
        ((), "arpad.db: there is no ledger here"),
        (("--db", "open.csv"), "this is no ledger"),
        (("--db", "."), "found a folder"),
        (("nowhere.pgn",), "nowhere.pgn: expected a file, found nothing there"),
        (("open.csv", "--rules", "chess960"), "not one of 'fide', 'club'"),
        (("open.csv", "--db", "club.db"), "give files, --db or --demo"),
        (("open.csv", "--host", "0.0.0.0"), "plain files are shown on this machine only"),
        (("open.csv", "--port", "70000"), "65535 or less"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_one_sentence(run, here, arguments, says):
    done = run("serve", *arguments)
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err
    assert not (here / "new.db").exists()


def test_a_port_in_use_and_an_address_of_another_machine(run, here):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("serve", "open.csv", "--port", taken.getsockname()[1])
    assert done.code == 2
    assert "--port names another" in done.err
    run("import", "open.csv", "--db", "club.db")
    from arpad.ledger.accounts import add_account
    from arpad.ledger.db.ledger import Ledger

    with Ledger.open("club.db") as ledger, ledger.writing("test", "account") as connection:
        add_account(connection, "ann", PASSWORD, "administrator")
    done = run("serve", "--db", "club.db", "--host", "192.0.2.7")  # of no machine at all
    assert done.code == 2
    assert "--host takes an address of this machine" in done.err


def test_elsewhere_needs_a_name(run, here):
    run("import", "open.csv", "--db", "club.db")
    done = run("serve", "--db", "club.db", "--host", "0.0.0.0")
    assert "give the name of this server with --name" in done.err


def test_the_first_account_makes_an_empty_ledger_to_upload_to(run, here, typed):
    typed("short")
    refused = run("account", "add", "ann", "--role", "administrator", "--db", "new.db")
    assert refused.code == 2
    assert not (here / "new.db").exists()
    typed(PASSWORD)
    refused = run("account", "add", "ann", "--role", "boss", "--db", "new.db")
    assert refused.code == 2
    assert not list(here.glob("new.db*"))
    typed(PASSWORD)
    made = run("account", "add", "ann", "--role", "administrator", "--db", "new.db")
    assert made.code == 0
    assert "new.db is a new, empty ledger" in made.err + made.out
    assert "ann can sign in as administrator" in made.err + made.out
    typed(PASSWORD)
    again = run("account", "add", "ann", "--db", "new.db")
    assert again.code == 2
    assert (here / "new.db").exists()


def test_files_are_served_until_somebody_ends_it(here):
    serving = subprocess.Popen(
        [sys.executable, "-m", "arpad.cli.main", "serve", "open.csv", "--rules", "club", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        for line in serving.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
                break
        with urllib.request.urlopen(f"{found[0]}api/home", timeout=60) as answer:
            assert b'"games":2' in answer.read().replace(b" ", b"")
        serving.send_signal(signal.SIGINT)
        assert serving.wait(30) in (0, 130)
        assert "Traceback" not in serving.stdout.read()
    finally:
        serving.kill()
        serving.wait()
        serving.stdout.close()
    assert sorted(p.name for p in here.iterdir()) == ["open.csv"]


def test_workers_count_together_one_may_die_and_all_end(here):
    """Two processes answer; when one is killed another takes its place; Ctrl+C leaves none behind."""
    import psutil

    serving = subprocess.Popen(
        [sys.executable, "-m", "arpad.cli.main", "serve", "open.csv", "--port", "0", "--workers", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip

    def answer(path: str) -> str:
        with urllib.request.urlopen(f"{address}{path}", timeout=60) as said:
            return said.read().decode()

    def workers() -> list[psutil.Process]:
        there = []
        for child in psutil.Process(serving.pid).children():
            with suppress(psutil.Error):  # one that was killed just now
                if "spawn_main" in " ".join(child.cmdline()):
                    there.append(child)
        return there

    try:
        address = next(found[0] for line in serving.stdout if (found := re.search(r"http://\S+/", line)))
        assert "ok" in answer("health")
        before = workers()
        assert len(before) == 2
        before[0].kill()
        assert all("ok" in answer("health") for _ in range(5))
        while len(alive := workers()) < 2 or before[0] in alive:
            time.sleep(0.1)
        time.sleep(1.1)  # counts are written once a second
        assert "ok" in answer("health")
        assert re.search(r'arpad_http_requests_total\{[^}]*"/health",status="200"\} \d', answer("metrics"))
        serving.send_signal(signal.SIGINT)
        assert serving.wait(30) in (0, 130)
        assert not [p for p in (*before, *alive) if p.is_running()]
    finally:
        for each in (*workers(), psutil.Process(serving.pid)) if serving.poll() is None else ():
            each.kill()
        serving.wait()
        serving.stdout.close()


def test_a_ledger_that_the_environment_names_is_served(run, here, monkeypatch):
    monkeypatch.setenv("ARPAD_DB", "postgresql://nobody@127.0.0.1:1/club")
    done = run("serve")
    assert done.code == 2
    assert "127.0.0.1:1/club" in done.err


def test_the_server_starts_without_the_libraries_that_few_pages_need():
    """They take 150 MB; what needs them loads them, or does its work in a process of its own."""
    heavy = "('numba', 'scipy', 'altair', 'vl_convert', 'reportlab', 'xlsxwriter', 'pandas', 'pyarrow')"
    code = f"import sys, arpad.web.app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_server_gives_memory_back(run, monkeypatch):
    monkeypatch.delenv("_RJEM_MALLOC_CONF", raising=False)
    assert run("rate", "--help").code == 0
    assert "_RJEM_MALLOC_CONF" not in os.environ
    assert run("serve", "--help").code == 0
    assert os.environ.pop("_RJEM_MALLOC_CONF") == "dirty_decay_ms:0,muzzy_decay_ms:0"
