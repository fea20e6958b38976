"""Run the terminal sessions of the documentation, and write what they print into the pages.

``python tools/docs_sessions.py`` renews every page with sessions after a change of arpad's output;
look at the difference before you commit it. The tests compare the pages with the same functions.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from datetime import date
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
ARPAD = re.compile(r"""(?:COLUMNS=(\d+) )?arpad ((?:[^|>"']|"[^"]*"|'[^']*')*)(.*)""", re.DOTALL)
"""A command of arpad: width, arguments, and where its output goes."""
DAY = "2026-11-15"
"""What the pages show where arpad prints today's date."""


def commands(block: str) -> list[tuple[str, str]]:
    """Split a block into commands, with their here-documents, and what they print."""
    found: list[tuple[str, str]] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        first, _, rest = part.partition("\n")
        if "<< 'END'" in first:
            inside, _, rest = rest.partition("END\n")
            first = f"{first}\n{inside}END\n"
        found.append((first, rest))
    return found


def run(command: str, folder: Path) -> str:
    """Return what a command prints, 80 columns wide, with today's date replaced; arpad runs in this process."""
    match = ARPAD.match(command)
    stdout, stderr = _arpad(shlex.split(match[2]), folder, match[1] or "80") if match else ("", "")
    if match is None or match[3]:
        line = f"cat {match[3]}" if match else command
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path},
            input=stdout,
            capture_output=True,
            text=True,
            check=False,
        )
        stdout, stderr = done.stdout, stderr + done.stderr
    return tidy((stdout + stderr).replace(date.today().isoformat(), DAY))


def _arpad(arguments: list[str], folder: Path, columns: str) -> tuple[str, str]:
    from arpad.cli.main import main
    from arpad.files import end_run

    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    environment = mock.patch.dict(os.environ, COLUMNS=columns)
    command_line = mock.patch.object(sys, "argv", ["arpad", *arguments])
    streams = redirect_stdout(stdout), redirect_stderr(stderr)
    with chdir(folder), environment, command_line, streams[0], streams[1], suppress(SystemExit):
        main()
    end_run()
    stderr.flush()
    return stdout.buffer.getvalue().decode(), stderr.buffer.getvalue().decode()


def tidy(text: str) -> str:
    """Return text without blanks at the ends of lines and empty lines around it."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def renewed(text: str, folder: Path) -> str:
    """Return a page with what its commands print now."""

    def block(match: re.Match[str]) -> str:
        parts = []
        for command, shown in commands(match[1]):
            printed = run(command, folder)
            # An empty line before the next command belongs to the page.
            gap = "\n" if printed and shown.endswith("\n\n") else ""
            parts.append(f"$ {command.rstrip()}\n" + (f"{printed}\n{gap}" if printed else ""))
        return f"```console\n{''.join(parts)}```"

    return BLOCK.sub(block, text)


def pages() -> list[Path]:
    """Return the pages with sessions."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if BLOCK.search(page.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    for page in pages():
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(renewed(page.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")
