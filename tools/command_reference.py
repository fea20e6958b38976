"""Write docs/commands.md from the help texts of all commands; a test compares the two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from typer.main import get_command

from arpad.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
COMMAND = get_command(app)
WIDE = {"COLUMNS": "96", "TERMINAL_WIDTH": "96", "NO_COLOR": "1"}
HEAD = """# Commands

The options of every command, as `arpad COMMAND --help` prints them. `make docs` writes this page.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | the answer is no, for example a failed check |
| 2 | bad input or usage; one line says what arpad expected, what it found, where, and what to do |

`arpad --debug COMMAND` shows the traceback of an error.
"""


def help_text(*verb: str) -> str:
    """Return what a verb says of itself."""
    done = CliRunner().invoke(COMMAND, [*verb, "--help"], prog_name="arpad", env=WIDE)
    if done.exit_code:
        raise SystemExit(f"arpad {' '.join(verb)} --help: {done.output}")
    return "\n".join(line.rstrip() for line in done.output.strip().splitlines())


def verbs() -> list[tuple[str, ...]]:
    """Return the verbs, those of one word first; of a group, what it does without a verb comes first."""
    found = list(_below(COMMAND, ()))
    return sorted(found, key=lambda verb: len(verb) > 1 or _is_group(verb))


def _is_group(verb: tuple[str, ...]) -> bool:
    return hasattr(dict(COMMAND.loaded())[verb[0]], "commands")


def _below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, each in command.loaded() if hasattr(command, "loaded") else command.commands.items():
        verb = (*path, name)
        inside = getattr(each, "commands", None)
        if inside is None:
            if not each.hidden:
                yield verb
            continue
        # What a group does itself is a hidden command or its callback: its help is the group's.
        if each.invoke_without_command or any(c.hidden for c in inside.values()):
            yield verb
        yield from _below(each, verb)


def page() -> str:
    """Return the whole page."""
    parts = [HEAD, f"## arpad\n\n```text\n{help_text()}\n```\n"]
    parts += [f"## arpad {' '.join(verb)}\n\n```text\n{help_text(*verb)}\n```\n" for verb in verbs()]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name} written")
