from __future__ import annotations

import csv
import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from tests.databases import (  # noqa: F401 - fixtures
    _empty_file,
    cluster,
    few,
    ledger,
    new_ledger,
    new_place,
    place,
    spare_ledger,
)

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden"
DATA = Path(os.environ.get("ARPAD_DATA", ROOT.parent / "shared" / "data"))

hypothesis.settings.register_profile(
    "arpad",
    deadline=None,
    max_examples=60,
    suppress_health_check=list(hypothesis.HealthCheck),
    derandomize=not os.environ.get("ARPAD_NEW_EXAMPLES"),  # a search for new examples is asked for
)
hypothesis.settings.load_profile("arpad")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let one worker do all of a file whose fixtures are made once: else each worker makes them.

    The marks of pytest-xdist 3.8 that are meant for this do nothing under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    @functools.cache
    def shares(file: str) -> bool:
        return 'scope="' in (ROOT / file).read_text("utf-8")

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::", maxsplit=1)[0]
            return file if shares(file) else nodeid

    return Together(config, log)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command line in this process: run("expect", 82) → code, out, err."""
    from arpad.cli.main import main
    from arpad.files import end_run

    def _run(*arguments: object, stdin: bytes | None = None) -> Ran:
        monkeypatch.setattr(sys, "argv", ["arpad", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        end_run()  # what this command wrote is none of the next test's business
        captured = capsys.readouterr()
        return Ran(int(stop.value.code or 0), captured.out, captured.err)

    yield _run
    end_run()  # a process would have ended here; the next test may write what this one read


@pytest.fixture
def own_folder(tmp_path, monkeypatch) -> Path:
    """Run a test in its own folder: arpad keeps copies of PostgreSQL ledgers in the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path; what is in it decides what it is, not its name."""

    def _write(text: str | bytes, name: str = "input") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return _write


@pytest.fixture
def golden():
    """Rows of a golden file as dicts of text."""

    def _rows(name: str) -> list[dict[str, str]]:
        with (GOLDEN / name).open(encoding="utf-8") as handle:
            return list(csv.DictReader(handle))

    return _rows


@pytest.fixture
def data() -> Path:
    """The folder of real games; a test that asks for it is marked `data`."""
    if not DATA.is_dir():
        pytest.skip("the real data in ../shared/data is not here (ARPAD_DATA names another place)")
    return DATA
