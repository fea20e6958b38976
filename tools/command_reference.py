"""Write docs/commands.md and the man page from the help texts of all commands; a test compares them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from typer.main import get_command

from arpad.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "commands.md"
MAN_PAGE = ROOT / "build" / "arpad.1"
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


@cache
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


def man_page() -> str:
    """Return the manual page arpad(1), in the language of man."""

    def literal(text: str) -> str:
        lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
        return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in lines)

    def section(title: str, text: str) -> str:
        return f'.SH "{title}"\n.nf\n{literal(text)}\n.fi\n'

    head = (
        f'.TH ARPAD 1 "" "arpad {version("arpad")}" "User commands"\n'
        ".SH NAME\narpad \\- measure the strength of chess players, from results and from moves\n"
        ".SH SYNOPSIS\n.B arpad\n[\\-\\-quiet] [\\-\\-verbose] [\\-\\-debug]\n.I COMMAND\n[OPTIONS] [FILES]\n"
    )
    status = "0  done\n1  the answer is no, for example a failed check\n2  bad input or usage: one line says what to do"
    commands = "".join(section(f"arpad {' '.join(verb)}", help_text(*verb)) for verb in verbs())
    return head + section("COMMANDS", help_text()) + commands + section("EXIT STATUS", status)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    MAN_PAGE.parent.mkdir(exist_ok=True)
    MAN_PAGE.write_text(man_page(), encoding="utf-8")
    print(f"{PAGE.name} and build/{MAN_PAGE.name} written")
