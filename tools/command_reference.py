"""Write docs/commands.md from what ``arpad … --help`` says; a test keeps the two the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arpad.cli.main import app

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
ARPAD = Path(sys.executable).parent / "arpad"
HEAD = """# Commands

Made by `make docs` from the commands' own `--help`.

Exit code 0: done. 1: the answer is no. 2: bad input or usage, with one line on stderr that says what was
expected, what was found, where, and what to do; `arpad --debug …` shows the traceback.
"""


def help_text(*verb: str) -> str:
    """Return what a verb says of itself."""
    environment = {**os.environ, "COLUMNS": "96", "TERMINAL_WIDTH": "96", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(ARPAD), *verb, "--help"], capture_output=True, text=True, check=True, env=environment
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def verbs() -> list[tuple[str, ...]]:
    """Return the verbs in the order in which the help names them; `monitor cohort` is one of two words."""
    single = [(c.name or c.callback.__name__,) for c in app.registered_commands if c.callback]
    double = [
        # What a group does itself is hidden, and its help is the group's.
        (group.typer_instance.info.name, *(() if c.hidden else (c.name or c.callback.__name__,)))
        for group in app.registered_groups
        for c in group.typer_instance.registered_commands
        if c.callback
    ]
    return single + double


def page() -> str:
    """Return the whole page."""
    parts = [HEAD, f"## arpad\n\n```text\n{help_text()}\n```\n"]
    parts += [
        f"## arpad {' '.join(verb)}\n\n```text\n{help_text(*verb)}\n```\n" for verb in verbs()
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name} written")
