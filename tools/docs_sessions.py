"""Run the terminal sessions of the documentation, and write what they print into the pages.

``python tools/docs_sessions.py`` renews every page with sessions after a change of arpad's output;
look at the difference before you commit it. The tests compare the pages with the same functions.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
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
    """Return what a command prints, 80 columns wide, with today's date replaced."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": source, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    return tidy((done.stdout + done.stderr).replace(date.today().isoformat(), DAY))


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
