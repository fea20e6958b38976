"""The wheel installs alone: the core works without the optional libraries, which have their install lines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OPTIONAL = ("altair", "vl_convert", "reportlab", "fastapi", "uvicorn", "psycopg", "pyarrow", "ray", "pandas")


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """Build the wheel, and install it with the libraries of the core alone."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "VIRTUAL_ENV": str(folder / "env"), "UV_SYSTEM_CERTS": "1"}
    environment.pop("PYTHONPATH", None)
    uv = Path(sys.prefix, "bin", "uv")
    if not uv.exists():
        pytest.skip("uv is not installed")

    def go(*words: object, cwd: Path = ROOT) -> str:
        done = subprocess.run(
            list(map(str, words)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    go(uv, "build", "-q", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("arpad-*.whl")
    go(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    go(uv, "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel)
    shutil.copy(ROOT / "src" / "arpad" / "samples" / "frankfurt-1997.pra", folder)
    return folder, environment


def arpad(core, *words: object) -> subprocess.CompletedProcess[str]:
    folder, environment = core
    program = folder / "env" / "bin" / "arpad"
    return subprocess.run(
        [program, *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_core_leaves_the_optional_libraries_out(core):
    folder, _ = core
    (packages,) = folder.glob("env/lib/python*/site-packages")
    assert [name for name in OPTIONAL if (packages / name).exists()] == []


def test_the_core_goes_from_a_file_to_a_rating_list_and_a_ledger(core):
    folder, _ = core
    demo = arpad(core, "demo")
    assert demo.returncode == 0, demo.stderr
    assert "Anand" in demo.stdout
    assert "arpad[charts]" in demo.stdout
    sample = "frankfurt-1997.pra"
    rated = arpad(core, "rate", sample, "--system", "fide", "--format", "json")
    assert rated.returncode == 0, rated.stderr
    for verb in ("event", "norms"):
        report = arpad(core, verb, sample)
        assert report.returncode == 0, report.stderr
    entered = arpad(core, "import", sample, "--date", "1997-06-15", "--db", "club.db")
    assert entered.returncode == 0, entered.stderr
    assert (folder / "club.db").exists()


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("serve", "--demo"), "web"),
        (("event", "frankfurt-1997.pra", "--pdf", "event.pdf"), "pdf"),
        (("rate", "frankfurt-1997.pra", "--chart", "ratings.png"), "charts"),
    ],
)
def test_a_part_that_is_not_installed_is_named_with_its_install_line(core, words, extra):
    told = arpad(core, *words)
    assert told.returncode == 2
    assert f"pip install 'arpad[{extra}]'" in told.stderr
