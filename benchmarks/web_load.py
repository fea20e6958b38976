"""The web app under load, on this machine alone: 50 readers and 2 writers for a minute over a ledger of 50,000 players.

``python -m benchmarks.web_load [LEDGER]``: a copy of a ledger that is there, else one made from the 748,444 games of
``../shared/data`` (two minutes); it needs a list of the policy ``fide``. Readers pause about a second between two pages, as
people do; then a few of them go on without a pause, which says how many pages a second the server can do. Every write is
looked for afterwards: it must be in the ledger exactly once.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import psutil
import sqlalchemy as sa

from arpad.ledger.accounts import add_account
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.lists import list_called
from benchmarks.explaining import GAMES, made
from benchmarks.measure import Result, arpad_command

if TYPE_CHECKING:
    from collections.abc import Iterator

READERS, WRITERS, SECONDS = 50, 2, 60.0
PAUSE = (0.5, 1.5)
"""Seconds that a reader looks at a page, and a writer at what he has written."""
HURRIED, HURRIED_SECONDS = 4, 15.0
"""Readers without a pause, and for how long."""
BAR = 0.3
"""Seconds that 95 of 100 list and player pages take at most."""
MEMORY = 500
"""MiB that a server of 50,000 players takes at most."""
BARRED = ("list", "list, searched", "player")
PASSWORD = "correct horse battery"
SEED = 1903
KINDS = ("home", "list", "list, searched", "player", "explain", "players", "event", "pool")
IDLE = 0.05
"""Seconds of a processor a second below which a server has nothing to do: it looks for jobs that wait."""
AGAIN = 20
"""Pages of each kind that are asked for alone, besides the first."""


@dataclass
class Log:
    """What happened: seconds of every answer by kind of page, and what went wrong."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def at(self, kind: str, percent: int) -> float:
        """Return the time in which so many percent of the answers came."""
        times = sorted(self.took[kind])
        return times[min(len(times) - 1, int(len(times) * percent / 100))]

    def lines(self) -> Iterator[str]:
        """Say how long each kind of page took."""
        for kind in sorted(self.took):
            p50, p95, p99 = (1000 * self.at(kind, p) for p in (50, 95, 99))
            yield f"  {kind:<16} {len(self.took[kind]):>6,} pages, p50 {p50:5.0f} ms, p95 {p95:5.0f} ms, p99 {p99:5.0f} ms"


class Client:
    """One browser: a connection that stays open, and a cookie."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, bytes]:  # fmt: skip
        """Return status, headers and body of an answer."""
        body = urlencode(form or {}).encode()
        kind = "Content-Type: application/x-www-form-urlencoded\r\n" if form is not None else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n{kind}Content-Length: {len(body)}\r\n\r\n"
        for _ in range(2):  # a connection that was idle for long is closed by the server
            if self._ends is None:
                self._ends = await asyncio.open_connection("127.0.0.1", self.port)
            reader, writer = self._ends
            try:
                writer.write(head.encode() + body)
                await writer.drain()
                said = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                break
            except (ConnectionError, asyncio.IncompleteReadError):
                self._ends = None
        else:
            raise ConnectionError(path)
        length = re.search(r"(?im)^content-length: (\d+)", said)
        content = await reader.readexactly(int(length[1])) if length else b""
        cookie = re.search(r"(?im)^set-cookie: (arpad-[^;]+)", said)
        if cookie:
            self.cookie = cookie[1]
        return int(said.split(" ", 2)[1]), said, content

    def close(self) -> None:
        """Hang up."""
        if self._ends is not None:
            self._ends[1].close()


@dataclass(frozen=True)
class World:
    """What can be asked for."""

    port: int
    list: str
    players: list[int]
    events: list[dict[str, str]]
    """Number, name, first and last day, time control."""
    names: list[str]

    def page(self, dice: random.Random) -> tuple[str, str]:
        """Return a kind of page, and an address of it."""
        kind = dice.choices(
            ["home", "list", "list, searched", "player", "event", "players"], [2, 5, 2, 5, 1, 1]
        )[0]
        return kind, self.address(kind, dice)

    def address(self, kind: str, dice: random.Random) -> str:
        """Return an address of a kind of page."""
        some = dice.choice(self.names)[:4]
        return {
            "home": "/",
            "list": f"/lists/fide/{self.list}?page={dice.randint(1, 40)}",
            "list, searched": f"/lists/fide/{self.list}?{urlencode({'q': some})}",
            "player": f"/players/{dice.choice(self.players)}",
            "event": f"/events/{dice.choice(self.events)['id']}",
            "players": f"/players?{urlencode({'q': some})}",
            "pool": "/pool",
            "explain": f"/players/{dice.choice(self.players)}/explain?policy=fide",
            "lab": "/lab",
        }[kind]


async def read_on(world: World, log: Log, until: float, pause: tuple[float, float], seed: int) -> None:  # fmt: skip
    """Read page after page."""
    dice, client = random.Random(seed), Client(world.port)
    await asyncio.sleep(dice.uniform(0, pause[1]))
    while time.perf_counter() < until:
        kind, address = world.page(dice)
        start = time.perf_counter()
        try:
            status, _, _ = await client.ask("GET", address)
        except (ConnectionError, OSError) as error:
            log.wrong.append(f"{address}: {error!r}")
            continue
        log.took[kind].append(time.perf_counter() - start)
        if status != 200:
            log.wrong.append(f"{address}: {status}")
        await asyncio.sleep(dice.uniform(*pause))
    client.close()


async def write_on(world: World, log: Log, until: float, number: int) -> None:
    """Correct the place of events, one after the other, each with words of its own."""
    dice, client = random.Random(1000 + number), Client(world.port)
    await client.ask("POST", "/sign-in", {"name": f"writer {number}", "password": PASSWORD})
    _, _, page = await client.ask("GET", "/")
    token = re.search(rb'name="token" value="([^"]+)"', page)
    if token is None:
        raise SystemExit("a writer could not sign in")
    count = 0
    while time.perf_counter() < until:
        count += 1
        why = f"load {number}.{count}"
        event = world.events[(2 * count + number) % len(world.events)]
        form = {**event, "why": why, "site": f"Hall {number}.{count}", "confirmed": "true", "token": token[1].decode()}  # fmt: skip
        start = time.perf_counter()
        status, head, _ = await client.ask("POST", f"/events/{event['id']}/correct", form)
        log.took["write"].append(time.perf_counter() - start)
        if status == 303:
            log.written.append(why)
        else:
            log.wrong.append(f"write {why}: {status} {head[:80]!r}")
        await asyncio.sleep(dice.uniform(*PAUSE))
    client.close()


async def loaded(world: World) -> Log:
    """Let everybody read and write."""
    log = Log()
    until = time.perf_counter() + SECONDS
    await asyncio.gather(
        *(read_on(world, log, until, PAUSE, SEED + i) for i in range(READERS)),
        *(write_on(world, log, until, i + 1) for i in range(WRITERS)),
    )
    return log


async def hurried(world: World) -> Log:
    """Let a few read without a pause."""
    log = Log()
    until = time.perf_counter() + HURRIED_SECONDS
    await asyncio.gather(*(read_on(world, log, until, (0.0, 0.0), SEED - i) for i in range(1, HURRIED + 1)))
    return log


def busy(process: int) -> float:
    """Return the seconds that a server has had a processor: what others do here does not count."""
    return sum(sum(each.cpu_times()[:2]) for each in _processes(process))


def memory(process: int) -> float:
    """Return the MiB of the largest process of a server."""
    return max(each.memory_info().rss for each in _processes(process)) / 2**20


def _processes(process: int) -> list[psutil.Process]:
    server = psutil.Process(process)
    return [server, *server.children(recursive=True)]


async def alone(world: World, process: int) -> dict[str, tuple[float, float, float]]:
    """Return how long each kind of page takes when nobody else asks.

    The first time, as soon as the server listens; then, when it has asked itself for the first pages, the best of the
    next, and the mean time of a processor for those.
    """
    client = Client(world.port)

    async def one(kind: str, dice: random.Random) -> float:
        start = time.perf_counter()
        status, _, _ = await client.ask("GET", world.address(kind, dice))
        if status != 200:
            raise SystemExit(f"{kind}: {status}")
        return time.perf_counter() - start

    dices = {kind: random.Random(SEED) for kind in KINDS}
    first = {kind: await one(kind, dice) for kind, dice in dices.items()}
    await quiet(process)
    found = {}
    for kind, dice in dices.items():
        before = busy(process)
        times = [await one(kind, dice) for _ in range(AGAIN)]
        found[kind] = (first[kind], min(times), (busy(process) - before) / AGAIN)
    client.close()
    return found


async def quiet(process: int) -> None:
    """Wait until a process has had nothing to do for a second."""
    for _ in range(60):
        before = busy(process)
        await asyncio.sleep(1)
        if busy(process) - before < IDLE:
            return


def world_of(place: Path) -> World:
    """Return what can be asked for in a ledger, and give its writers accounts."""
    with Ledger.open(place) as ledger:
        with ledger.writing("benchmark", "accounts") as connection:
            for number in range(1, WRITERS + 1):
                add_account(connection, f"writer {number}", PASSWORD, "administrator")
        with ledger.reading() as connection:
            kept = list_called(connection, "fide")
            n, e = tables.entries.c, tables.events.c
            rows = connection.execute(
                sa.select(n.player_id, n.name).where(n.list_id == kept.id).order_by(n.rank).limit(5000)
            ).all()  # fmt: skip
            wanted = sa.select(e.id, e.name, e.start, e.end, e.time_control)
            found = connection.execute(wanted.order_by(e.id).limit(1000)).all()
    events = [{k: "" if v is None else str(v) for k, v in row._mapping.items()} for row in found]
    return World(0, kept.name, [r.player_id for r in rows], events, [r.name for r in rows])


def lost(place: Path, log: Log) -> list[str]:
    """Return what was answered as written and is not in the ledger exactly once."""
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        d = tables.decisions.c
        kept = connection.execute(sa.select(d.why).where(d.why.like("load %"))).scalars().all()
    return [why for why in log.written if kept.count(why) != 1] + [
        why for why in kept if why not in log.written
    ]


@contextmanager
def served(place: Path, *options: str) -> Iterator[tuple[int, int]]:
    """Serve a ledger: give the port and the process, and stop afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [arpad_command(), "serve", "--open", "--db", str(place), "--port", str(port), *options]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port, server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


@dataclass
class Hurry:
    """What a few readers without a pause got out of a server."""

    log: Log
    cpu: float
    """Milliseconds of a processor a page."""
    memory: float


def hurry(world: World, process: int) -> Hurry:
    """Measure a server with readers that do not pause, after one round in which its caches fill."""
    asyncio.run(hurried(world))
    before = busy(process)
    log = asyncio.run(hurried(world))
    pages = sum(map(len, log.took.values()))
    return Hurry(log, 1000 * (busy(process) - before) / pages, memory(process))


def load(ledger: Path | None = None) -> Iterator[Result]:
    """Measure the web app; nothing where the games are not at hand."""
    if ledger is None and not GAMES.exists():
        return
    before = os.getloadavg()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "big.db"
        if ledger is None:
            made(place)
        else:
            shutil.copy(ledger, place)
        world = world_of(place)
        with served(place) as (port, process):
            world = replace(world, port=port)
            single = asyncio.run(alone(world, process))
            log = asyncio.run(loaded(world))
            one = hurry(world, process)
        with served(place, "--workers", "2") as (port, process):
            two = hurry(replace(world, port=port), process)
        gone = lost(place, log)
    print(f"  others on this machine: load average {before[0]:.1f} before, {os.getloadavg()[0]:.1f} after")
    for kind, (first, best, cpu) in single.items():
        print(
            f"  {kind:<16} alone: first {1000 * first:5.0f} ms, then {1000 * best:4.0f} ms ({1000 * cpu:.0f} ms of a processor)"
        )
    print(f"  {READERS} readers with a pause of {PAUSE[0]}–{PAUSE[1]} s, {WRITERS} writers, {SECONDS:g} s:")
    print("\n".join(log.lines()))
    print(f"  {HURRIED} readers without a pause, {HURRIED_SECONDS:g} s:")
    print("\n".join(one.log.lines()))
    wrong = [*log.wrong, *one.log.wrong, *two.log.wrong]
    for words in [*wrong[:9], *(f"lost or twice: {why}" for why in gone[:5])]:
        print(f"  WRONG: {words}")
    yield Result(f"web: {len(log.written)} writes among {sum(map(len, log.took.values())):,} answers, none lost, no error",
                 "s", log.at("write", 95), bar="all there", met=not (wrong or gone))  # fmt: skip
    for kind in BARRED:
        p95 = log.at(kind, 95)
        yield Result(f"web: {kind} page, p95 of {len(log.took[kind]):,} ({READERS} readers, {WRITERS} writers)",
                     "s", p95, bar=f"< {BAR} s", met=p95 < BAR)  # fmt: skip
    for words, each in (("one process", one), ("two workers", two)):
        pages = sum(map(len, each.log.took.values()))
        yield Result(
            f"web: pages, {HURRIED} readers without a pause, {words}", "pages/s", pages / HURRIED_SECONDS
        )
        yield Result(f"web: a page, {words}", "ms of a processor", each.cpu)
    yield Result(
        "web: memory of the server afterwards", "MiB", one.memory, bar=f"< {MEMORY}", met=one.memory < MEMORY
    )


def main() -> int:
    """Print what was measured."""
    found = list(load(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
    for each in found:
        print(each.task, f"{each.arpad:.3f} {each.unit}", each.bar, "" if each.met is None else "met" if each.met else "NOT MET")  # fmt: skip
    return int(any(each.met is False for each in found))


if __name__ == "__main__":
    sys.exit(main())
