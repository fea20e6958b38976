"""Ledgers for tests, on both databases: a file, and a PostgreSQL cluster that is ours alone."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arpad.ledger.db.ledger import Ledger

HOMES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
TEMPLATE = "ledger_template"

SHAPE = """
    SELECT md5(concat((SELECT string_agg(oid || relname, ',' ORDER BY oid) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
                      (SELECT string_agg(oid || tgname || tgenabled::text, ',' ORDER BY oid) FROM pg_trigger),
                      (SELECT string_agg(version_num, ',') FROM alembic_version)))
"""
"""What a test must leave as it was if the next one is to have its database."""

LENDINGS = 100
"""Times that a database is emptied and lent again: nobody sweeps it meanwhile."""


class Cluster:
    """A PostgreSQL server on loopback, up in a second; gone when this process is, however it ends."""

    def __init__(self, *, fsync: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arpad-pg-"))
        self.data = self.folder / "data"
        self.port = _free_port()
        self._bin = HOMES[-1] if HOMES else Path(shutil.which("initdb") or "").parent
        if os.getuid() == 0:  # the server refuses to run as root
            shutil.chown(self.folder, "postgres")
        self._numbers = itertools.count()
        self._shelf: list[tuple[str, str, int]] = []
        self._lent: dict[str, tuple[str, int]] = {}
        self._guard: subprocess.Popen[bytes] | None = None
        try:
            self._start(fsync=fsync)
        except BaseException:
            self.stop()
            raise

    def _start(self, *, fsync: bool) -> None:
        # A server that sorts as a language does: the ledger must not.
        self._as("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                 "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en", "--no-sync",
                 "--no-instructions")  # fmt: skip
        hba = self.data / "pg_hba.conf"
        hba.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + hba.read_text())
        settings = {"listen_addresses": "127.0.0.1", "fsync": "on" if fsync else "off"}
        settings |= {"shared_buffers": "32MB", "max_connections": "40", "autovacuum": "off"}
        options = "".join(f" -c {name}={value}" for name, value in settings.items())
        # The guard is here before the server: when our end of its pipe closes, it stops the server.
        self._guard = subprocess.Popen(
            ["sh", "-c", (f"read _; {self._line('pg_ctl', '-D', self.data, '-m', 'immediate', '-w', 'stop')};"
             f" rm -rf {shlex.quote(str(self.folder))}")],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd="/", start_new_session=True,
        )  # fmt: skip
        self._as("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log",
                 "-o", f"-k {self.folder} -p {self.port}{options}", "start")  # fmt: skip
        from arpad.ledger.db.ledger import Ledger

        with Ledger.open(self.new(TEMPLATE, template="template0"), create=True):
            pass

    def _line(self, command: str, *arguments: object) -> str:
        words = [str(self._bin / command), *map(str, arguments)]
        if os.getuid() == 0:
            words = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups",
                     "env", f"HOME={self.folder}", *words]  # fmt: skip
        return shlex.join(words)

    def _as(self, command: str, *arguments: object) -> None:
        done = subprocess.run(
            self._line(command, *arguments), shell=True, cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stderr}")

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> Any:
        """Run statements and return the first value that the last one found."""
        import psycopg

        address = self.url(database).replace("+psycopg", "")
        with psycopg.connect(address, autocommit=True) as connection:
            done = connection.execute(statement)
            return done.fetchone()[0] if done.description else None

    def new(self, name: str | None = None, *, template: str = TEMPLATE) -> str:
        """Make a database and return its URL."""
        name = name or f"ledger_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.url(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")

    def lend(self) -> str:
        """Return the URL of an empty ledger; one that was given back costs a tenth of a new one."""
        if self._shelf:
            url, shape, times = self._shelf.pop()
        else:
            url, times = self.new(), 0
            shape = self.execute(SHAPE, url.rpartition("/")[2])
        self._lent[url] = (shape, times + 1)
        return url

    def take_back(self, url: str) -> None:
        """Empty a database for the next test, or drop it if that cannot be done."""
        from arpad.ledger.db.tables import METADATA

        shape, times = self._lent.pop(url)
        name = url.rpartition("/")[2]
        emptied = "; ".join(f"DELETE FROM {t.name}" for t in METADATA.sorted_tables if t.name != "identity")
        try:
            self.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
            same = self.execute(SHAPE, name) == shape and times < LENDINGS
            if same:  # `replica`: no triggers, no foreign keys
                self.execute(f"SET session_replication_role = replica; {emptied}", name)
        except Exception:  # whatever a test did to it
            same = False
        if same:
            self._shelf.append((url, shape, times))
        else:
            self.drop(url)

    def stop(self) -> None:
        """Let the guard stop the server and take away its folder."""
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The PostgreSQL of this test session (of each worker)."""
    if not HOMES and not shutil.which("initdb"):
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    server = Cluster()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _empty_file(tmp_path_factory) -> Path:
    from arpad.ledger.db.ledger import Ledger

    path = tmp_path_factory.mktemp("ledger") / "empty.db"
    with Ledger.open(path, create=True):
        pass
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def new_place(request, tmp_path) -> Iterator[Callable[[], str]]:
    """Make empty ledgers: new_place() → where (a path or a URL); every test runs on both databases."""
    if request.param == "sqlite":
        empty = request.getfixturevalue("_empty_file")
        names = (tmp_path / f"ledger{n or ''}.db" for n in itertools.count())
        yield lambda: str(shutil.copy(empty, next(names)))
        return
    server = request.getfixturevalue("cluster")
    made: list[str] = []

    def _new() -> str:
        made.append(server.lend())
        return made[-1]

    yield _new
    for url in made:
        server.take_back(url)


@pytest.fixture
def few(request) -> Callable[[int], int]:
    """Say how many examples to try: a third on a server, whose rules are the same and whose answers are slow."""
    return lambda n: n if "sqlite" in request.node.callspec.id else n // 3


@pytest.fixture
def place(new_place) -> str:
    """Where an empty ledger is: what `--db` takes."""
    return new_place()


@pytest.fixture
def ledger(place) -> Iterator[Ledger]:
    """An empty ledger."""
    from arpad.ledger.db.ledger import Ledger

    with Ledger.open(place, wait=5) as opened:
        yield opened


@pytest.fixture
def new_ledger(new_place) -> Iterator[Callable[[], Ledger]]:
    """Make empty ledgers, for tests that want several (hypothesis: one an example)."""
    from arpad.ledger.db.ledger import Ledger

    with contextlib.ExitStack() as opened:
        yield lambda: opened.enter_context(Ledger.open(new_place(), wait=5))


@pytest.fixture
def spare_ledger(new_place, request) -> Callable[[], contextlib.AbstractContextManager[Ledger]]:
    """Lend an empty ledger that is emptied for the next example: `with spare_ledger() as ledger`."""
    from arpad.ledger.db.ledger import Ledger

    server = request.getfixturevalue("cluster") if "postgresql" in request.node.callspec.id else None

    @contextlib.contextmanager
    def _lent() -> Iterator[Ledger]:
        place = server.lend() if server else new_place()
        try:
            with Ledger.open(place, wait=5) as opened:
                yield opened
        finally:
            server.take_back(place) if server else Path(place).unlink()

    return _lent
