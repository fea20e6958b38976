"""Every bad input: one line, exit code 2, no traceback, nothing half-written."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.read.samples import PGN, TRF

BAD = {
    "empty": b"",
    "blanks": b"\n \n\t\n",
    "binary": bytes(range(256)) * 40,
    "letter": b"Dear Sir or Madam,\nhow strong am I?\n",
    "nothing in gzip": gzip.compress(b""),
    "cut gzip": gzip.compress(PGN.encode() * 50)[:15],
    "parquet in name and first bytes only": b"PAR1" + b"x" * 400,
    "players without results": "\n".join(line[:89] for line in TRF.split("\n")).encode(),
    "only unfinished games": PGN.split("\n\n")[4].encode() + b"\n\n*\n",
    "csv without players": b"white,black,result\n",
    "csv with strange columns": b"result,score,who\n1-0,1,me\n",
    "ragged csv": b"white,black,result\nA,B\nA,B,1-0,1-0,1-0\n",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(run, tmp_path, name):
    path = tmp_path / "bad.dat"
    path.write_bytes(BAD[name])
    target = tmp_path / "out.json"
    done = run("rate", path, "--format", "json", "-o", target)
    assert done.code == 2, done.out
    last = done.err.splitlines()[-1]
    assert last.startswith("arpad: ")
    assert str(path) in last
    assert "Traceback" not in done.err
    assert "inside arpad" not in done.err
    assert not target.exists()
    assert [p.name for p in tmp_path.iterdir()] == ["bad.dat"]


def test_missing_file(run):
    done = run("rate", "no-such-file.pgn")
    assert (done.code, done.out) == (2, "")
    assert "no-such-file.pgn: expected a file, found nothing there" in done.err


def test_folder_for_a_file(run, tmp_path):
    done = run("rate", tmp_path)
    assert done.code == 2
    assert "expected Parquet files (*.parquet) in this folder, found none" in done.err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that can give up its rights")
def test_no_permission(tmp_path):
    path = tmp_path / "secret.pgn"
    path.write_text(PGN)
    path.chmod(0)
    open_ = tmp_path / "open.pgn"
    open_.write_text(PGN)
    for folder in [tmp_path, *tmp_path.parents]:
        if (
            folder.stat().st_uid == os.getuid()
            and folder != folder.parent
            and str(folder).startswith("/tmp/")
        ):
            folder.chmod(0o755)
    code = (
        "import os, sys\n"
        "SECRET = sys.argv[1]\n"
        "from arpad.cli.main import main\n"
        "def once(path):\n"
        "    sys.argv = ['arpad', 'rate', path]\n"
        "    try: main()\n"
        "    except SystemExit as stop: return stop.code\n"
        "assert once(sys.argv[2]) == 0\n"  # everything is imported before the rights are gone
        "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "sys.exit(once(SECRET))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(open_)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "no permission to read" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["missing/folder/out.csv", "."])
def test_output_that_cannot_be_written(run, tmp_path, target):
    path = tmp_path / "g.pgn"
    path.write_text(PGN)
    done = run("rate", path, "-o", tmp_path / target)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.pgn"]


def test_nothing_is_half_written(run, tmp_path, monkeypatch):
    """A write that fails in the middle leaves the old file as it was."""
    path, target = tmp_path / "g.pgn", tmp_path / "out.csv"
    path.write_text(PGN)
    target.write_text("old")

    def broken(self, data):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", broken)
    done = run("rate", path, "-o", target)
    monkeypatch.undo()
    assert done.code == 2
    assert "No space left on device" in done.err
    assert target.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.pgn", "out.csv"]


@pytest.mark.parametrize("arguments", [
    ["--system", "ello"], ["--k", "much"], ["--curve", "bell"], ["--curve", "ratio"], ["--period", "fortnight"],
    ["--rules", "2030"], ["--system", "fide", "--k", "20"], ["--columns", "white"], ["--input-format", "doc"],
    ["--chart", "x.gif"], ["--before", "no-list.txt"], ["--top", "0"], ["--start", "high"], ["--format", "pdf"],
])  # fmt: skip
def test_bad_options(run, tmp_path, arguments):
    path = tmp_path / "g.pgn"
    path.write_text(PGN)
    done = run("rate", path, *arguments)
    assert done.code == 2, done.out
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert "inside arpad" not in done.err


DEVICE = "/dev/zero"


@pytest.mark.skipif(not Path(DEVICE).exists(), reason="no device without end here")
@pytest.mark.parametrize("arguments", [
    ["rate", DEVICE, "--input-format", "csv"], ["rate", "g.csv", "--before", DEVICE], ["import", DEVICE],
    ["list", "start", DEVICE, "--date", "2026-01-01"], ["list", "policy", "club", "--file", DEVICE],
    ["monitor", "deflation", "g.csv", "--groups", DEVICE],
])  # fmt: skip
def test_a_device_without_end_is_refused(run, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.csv").write_text("white,black,result\nA,B,1-0\n")
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"arpad: {DEVICE}: expected a file, found a device\n"


def test_a_level_that_is_too_small_to_take_from_one(run, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("white,black,result,white_rating,black_rating\nA,B,1-0,1800,1700\n")
    done = run("monitor", "exchange", path, "--level", "1e-320")
    assert done.code == 2
    assert "between 0 and .5" in done.err


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_no_error(tmp_path, unbuffered):
    path = tmp_path / "g.csv"
    path.write_text("white,black,result\n" + "".join(f"P{i},P{i + 1},1-0\n" for i in range(20_000)))
    command = f"{sys.executable} -m arpad.cli.main rate {path} --format csv | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.startswith("rank,player")
