"""Where engines are: on the PATH, where Debian puts games, and npm's under Node."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from arpad.errors import EngineError

__all__ = ["HOW_TO_GET_ONE", "FoundEngine", "engine_command", "find_engines"]

FOLDERS = ("/usr/games", "/usr/local/games", "/opt/homebrew/bin", "/usr/local/bin")
"""Where packages put engines though the PATH need not name it; Debian's is the first."""

NAMES = (
    "stockfish", "fairy-stockfish", "lc0", "ethereal", "ethereal-chess", "berserk", "komodo", "dragon",
    "rubichess", "koivisto", "igel", "obsidian", "texel", "toga2", "fruit", "glaurung",
)  # fmt: skip
"""UCI engines by the names of their programs, the best known first."""

NPM = {"stockfish.js": "-single.js", "stockfish-lite.js": "-lite-single.js"}
"""npm's builds for one thread: our name for each, and how its file ends."""

HOW_TO_GET_ONE = (
    "Debian or Ubuntu: apt-get install stockfish; macOS: brew install stockfish; "
    "with Node: npm install -g stockfish; or --engine PATH of any UCI engine"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEngine:
    """An engine that is there: the name to call it by, and the command that starts it."""

    name: str
    command: tuple[str, ...]

    @property
    def path(self) -> str:
        """The program, or the script that Node runs."""
        return self.command[-1]


def find_engines() -> list[FoundEngine]:
    """Return every engine that is found, the one that is used by default first."""
    found = [
        FoundEngine(name=name, command=(path,))
        for name in NAMES
        if (path := _program(name)) is not None
    ]
    found += [FoundEngine(name=n, command=c) for n in NPM if (c := _npm(n)) is not None]
    return found


def engine_command(engine: str) -> tuple[str, ...]:
    """Return the command that starts an engine, by its name or its path.

    A ``.js`` file is run by Node; without an installed ``stockfish`` its name means npm's.
    """
    if "/" in engine or os.sep in engine:
        return _by_path(engine)
    if engine in NPM:
        command = _npm(engine)
    else:
        path = _program(engine)
        command = (path,) if path is not None else None
        if command is None and engine == "stockfish":
            command = _npm("stockfish.js")
    if command is not None:
        return command
    if Path(engine).is_file():
        return _by_path(engine)
    raise EngineError(f"expected a chess engine, found none called {engine!r}. {HOW_TO_GET_ONE}")


def _by_path(engine: str) -> tuple[str, ...]:
    path = Path(engine).expanduser()
    if not path.is_file():
        what = "a folder" if path.is_dir() else "nothing there"
        raise EngineError(f"{engine}: expected a chess engine, found {what}. {HOW_TO_GET_ONE}")
    if path.suffix in (".js", ".mjs"):
        node = shutil.which("node")
        if node is None:
            raise EngineError(
                f"{engine}: this engine needs Node (the command node), which is not here"
            )
        return (node, str(path))
    if not os.access(path, os.X_OK):
        raise EngineError(f"{engine}: this file is not a program: chmod +x makes it one")
    return (str(path.absolute()),)


def _program(name: str) -> str | None:
    for folders in (None, os.pathsep.join(FOLDERS)):
        path = shutil.which(name, path=folders)
        # npm's own `stockfish` starts a second process that would outlive the first: see `_npm`.
        if path is not None and Path(path).resolve().suffix != ".js":
            return path
    return None


def _npm(name: str) -> tuple[str, ...] | None:
    node = shutil.which("node")
    if node is None:
        return None
    for folder in _node_modules(node):
        builds = sorted((folder / "stockfish" / "bin").glob(f"stockfish-*{NPM[name]}"))
        if name == "stockfish.js":
            builds = [b for b in builds if "-lite-" not in b.name]
        if builds:
            return (node, str(builds[-1]))
    return None


def _node_modules(node: str) -> list[Path]:
    """Return the folders npm installs into, the nearest first."""
    here = Path.cwd()
    folders = [p / "node_modules" for p in (here, *here.parents)]
    folders += [Path(p) for p in os.environ.get("NODE_PATH", "").split(os.pathsep) if p]
    prefixes = {Path(node).parent.parent, Path(node).resolve().parent.parent}
    folders += [p / "lib" / "node_modules" for p in sorted(prefixes)]
    folders += [Path("/usr/local/lib/node_modules"), Path("/usr/lib/node_modules")]
    return [f for f in dict.fromkeys(folders) if f.is_dir()]
