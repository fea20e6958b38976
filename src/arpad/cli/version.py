"""What ``--version`` says: arpad, and the engine it would use."""

from __future__ import annotations

import shutil
import subprocess
from importlib.metadata import version

__all__ = ["find_engine", "version_text"]

FOLDERS = "/usr/games:/usr/local/games"
"""Where Debian puts engines; not on everybody's PATH."""


def find_engine() -> str | None:
    """Return the path of the engine that arpad would use, or None."""
    return shutil.which("stockfish") or shutil.which("stockfish", path=FOLDERS)


def version_text() -> str:
    """Return two lines: arpad's version, the engine."""
    engine = find_engine()
    if engine is None:
        found = "no engine found (Debian: apt-get install stockfish)"
    else:
        found = f"{_engine_name(engine)} ({engine})"
    return f"arpad {version('arpad')}\nengine: {found}"


def _engine_name(path: str) -> str:
    """Ask the engine itself."""
    try:
        done = subprocess.run(
            [path], input="uci\nquit\n", capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "an engine that does not answer"
    names = [
        line.removeprefix("id name ")
        for line in done.stdout.splitlines()
        if line.startswith("id name ")
    ]
    return names[0] if names else "an engine that does not speak UCI"
