"""Two servers share a ledger in PostgreSQL and 200 uploads, and one of them is killed: is every event there, once?

``python -m benchmarks.web_servers [UPLOADS]``: needs the Debian package postgresql. Every other upload is kept through a connection
of its own, as each server keeps what is sent to it. When a quarter is done, the first server gets SIGKILL.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import sqlalchemy as sa
from tests.databases import Cluster

from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.web.jobs import records
from arpad.web.jobs.uploads import keep_upload
from benchmarks.measure import arpad_command

UPLOADS = 200
PATIENCE = 3600.0
"""Seconds after which the rest counts as lost."""
HEAD = "event,date,round,white,black,result"
FIRST = date(2020, 1, 1)


def upload(ledger: Ledger, folder: Path, number: int) -> None:
    """Keep a file and a job that imports it, as the web app does after somebody confirmed."""
    path = folder / f"{number}.csv"
    first, second = (
        FIRST + timedelta(days=7 * number + day) for day in (0, 1)
    )  # weeks apart: no report of the same event
    path.write_text(f"{HEAD}\nOpen {number},{first},1,Ann,Bob,1-0\nOpen {number},{second},2,Bob,Cid,0-1\n")
    with ledger.writing("benchmark", "upload") as connection:
        key = keep_upload(connection, path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        arguments = {"file": key, "name": path.name, "sha256": digest, "settings": {}}
        records.add_job(connection, "import", arguments, "benchmark")


def states(ledger: Ledger) -> dict[str, int]:
    """Return how many jobs there are in each state."""
    j = tables.jobs.c
    with ledger.reading() as connection:
        return dict(connection.execute(sa.select(j.state, sa.func.count()).group_by(j.state)).tuples().all())


def main(uploads: int) -> int:
    """Let two servers import, kill one, and count."""
    cluster = Cluster(fsync=True)
    servers: list[subprocess.Popen[bytes]] = []
    try:
        url = cluster.new("shared", template="template1")
        begun = time.perf_counter()
        with (
            tempfile.TemporaryDirectory() as folder,
            Ledger.open(url, create=True) as first,
            Ledger.open(url) as other,
        ):
            for number in range(uploads):
                upload((first, other)[number % 2], Path(folder), number)
            servers += [
                subprocess.Popen(
                    [arpad_command(), "serve", "--db", url, "--port", "0"], stdout=subprocess.DEVNULL
                )
                for _ in range(2)
            ]
            killed = 0
            while (now := states(first)).get("waiting", 0) + now.get("running", 0):
                if not killed and now.get("done", 0) >= uploads / 4:
                    servers[0].send_signal(signal.SIGKILL)
                    killed = now.get("done", 0)
                    print(f"one server killed after {killed} uploads, {now}", flush=True)
                if time.perf_counter() - begun > PATIENCE:
                    break
                time.sleep(1)
            e, g, u = tables.events, tables.games, tables.uploads
            with first.reading() as connection:
                names = connection.execute(sa.select(e.c.name)).scalars().all()
                games = connection.execute(sa.select(sa.func.count()).select_from(g)).scalar_one()
                left = connection.execute(sa.select(sa.func.count()).select_from(u)).scalar_one()
    finally:
        for each in servers:
            each.kill() if each is servers[0] else each.terminate()
            each.wait(60)
        cluster.stop()
    sound = sorted(names) == sorted(f"Open {n}" for n in range(uploads)) and games == 2 * uploads and not left
    took = time.perf_counter() - begun
    print(f"{uploads} uploads, {len(names)} events, {games} games, {left} files left, {now}; {took:.0f} s "
          f"(load average {os.getloadavg()[0]:.1f}): {'nothing lost, nothing twice' if sound else 'WRONG'}")  # fmt: skip
    return int(not (sound and killed))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else UPLOADS))
