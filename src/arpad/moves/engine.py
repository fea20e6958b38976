"""UCI engines: where they are, how they are asked, one as a process."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from arpad.errors import EngineError, InputError, UsageError
from arpad.evaluation import Evaluation
from arpad.moves.positions import board_of
from arpad.moves.uci import Answer, EngineProcess, Option, read_answer, read_option, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import chess


# Where engines are: on the PATH, where Debian puts games, and npm's under Node.

FOLDERS = ("/usr/games", "/usr/local/games", "/opt/homebrew/bin", "/usr/local/bin")
"""Folders in which packages install engines outside the PATH; Debian's comes first."""
NAMES = (
    *("stockfish", "fairy-stockfish", "lc0", "ethereal", "ethereal-chess", "berserk", "komodo"),
    *("dragon", "rubichess", "koivisto", "igel", "obsidian", "texel", "toga2", "fruit"),
    *("glaurung",),
)
"""UCI engines by the names of their programs, the best known first."""
NPM = {"stockfish.js": "-single.js", "stockfish-lite.js": "-lite-single.js"}
"""npm's builds for one thread: our name for each, and how its file ends."""
HOW_TO_GET_ONE = (
    "Debian or Ubuntu: apt-get install stockfish; macOS: brew install stockfish; "
    "with Node: npm install -g stockfish; or the path of any UCI engine"
)


FASTER_BUILD = (
    "A build for newer processors (Stockfish's AVX2 or BMI2 files) gives the same answers about a third faster than "
    "the general one of Debian and Ubuntu: give its path; stored evaluations stay valid"
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
    result = [
        FoundEngine(name=name, command=(path,)) for name in NAMES if (path := _program(name)) is not None
    ]
    result += [FoundEngine(name=n, command=c) for n in NPM if (c := _npm(n)) is not None]
    return result


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
            raise EngineError(f"{engine}: this engine needs Node (the command node), which is not here")
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


# How an engine is asked, and the text by which its answers are known again.

Limit = Literal["depth", "nodes", "movetime"]
"""Limits of a search: plies, positions visited, or milliseconds."""
DEPTH = 13
"""Plies, when no limit is named."""
HASH_MB = 16
"""Megabytes of hash an engine, cleared before each position; docs/decisions says why this many."""
OURS = {
    "threads": "one thread an engine: take more engines",
    "multipv": "the number of lines is a setting of its own",
    "hash": "the hash is a setting of its own",
    "ponder": "an analysis never ponders",
    "uci_chess960": "the position says whether it is Chess960",
}
"""Options that are not to be set by hand, and what to do instead."""
MOST = {"depth": 2**15 - 1, "nodes": 2**63 - 1, "movetime": 2**31 - 1, "hash_mb": 2**31 - 1, "multipv": 500}
"""Largest values that engines and the store accept; Stockfish gives at most 500 lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineIdentity:
    """Name and version that an engine reports."""

    name: str
    network: str = ""

    def __str__(self) -> str:
        return f"{self.name}, network {self.network}" if self.network else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Engine and settings of an analysis: limit of a search, lines, hash, options.

    Give one of `depth`, `nodes` and `movetime`; without any of them it is depth 13.

    Parameters
    ----------
    engine
        A name (stockfish) or a path. Not part of the key: the engine's own name is.
    movetime
        Milliseconds. Such results depend on the machine and on what else it does.

    Examples
    --------
    >>> EngineSettings(nodes=100_000, multipv=3).go()
    'go nodes 100000'
    >>> EngineSettings().key(EngineIdentity(name="Stockfish 15.1", network="nn-ad9b42354671.nnue"))
    'engine=Stockfish 15.1; network=nn-ad9b42354671.nnue; limit=depth 13; multipv=1; hash=16; options='
    """

    engine: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    multipv: int = 1
    hash_mb: int = HASH_MB
    options: tuple[tuple[str, str], ...] = field(default=())

    def __post_init__(self) -> None:
        given = [n for n in ("depth", "nodes", "movetime") if getattr(self, n) is not None]
        if len(given) > 1:
            raise UsageError(f"expected one limit, found {' and '.join(given)}: choose one")
        if not given:
            object.__setattr__(self, "depth", DEPTH)
        for name in (self.limit, "hash_mb", "multipv"):
            if not 1 <= (value := getattr(self, name)) <= MOST[name]:
                raise UsageError(f"{name}: expected 1 to {MOST[name]}, found {value}")
        for name, _ in self.options:
            if name.lower() in OURS:
                raise UsageError(f"the option {name} is not to be set: {OURS[name.lower()]}")
        names = [name.lower() for name, _ in self.options]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"the option {name} is set twice: give one value")

    @property
    def limit(self) -> Limit:
        """Kind of limit."""
        if self.depth is not None:
            return "depth"
        return "nodes" if self.nodes is not None else "movetime"

    @property
    def value(self) -> int:
        """Size of the limit."""
        return int(getattr(self, self.limit))

    def go(self) -> str:
        """Return the command that starts a search."""
        return f"go {self.limit} {self.value}"

    def key(self, identity: EngineIdentity) -> str:
        """Return the text by which answers are kept: equal texts mean equal answers."""
        options = ", ".join(f"{n}={_plain(v)}" for n, v in sorted(self.options, key=lambda o: o[0].lower()))
        return (
            f"engine={identity.name}; network={identity.network}; limit={self.limit} {self.value}; "
            f"multipv={self.multipv}; hash={self.hash_mb}; options={options}"
        )

    def parameters(self, identity: EngineIdentity) -> dict[str, object]:
        """Return the same as plain values, for a result."""
        return {
            "engine": identity.name,
            "network": identity.network,
            self.limit: self.value,
            "multipv": self.multipv,
            "hash_mb": self.hash_mb,
            "options": dict(self.options),
        }


def _plain(value: str) -> str:
    return repr(value) if set(value) & set(",;'") else value


# A UCI engine as a process: asked one position at a time, its lines read by a plain reader.

START = 30.0
"""Seconds an engine has to say who it is."""
PATIENCE = 60.0
"""Seconds of silence in a search after which an engine counts as hanging."""
NETWORKS = ("evalfile", "weightsfile")
"""Beginnings of the options that name an engine's networks."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position that can be asked: its text, its board, the only moves to look at."""

    epd: str
    board: chess.Board
    searchmoves: str = ""


def prepare(epd: str, searchmoves: Sequence[str] = ()) -> Question:
    """Return a question; a position that cannot be, or a move that is not legal, is an error."""
    board = board_of(epd)
    for move in searchmoves:
        if not _legal(board, move):
            raise InputError(f"expected legal moves to search, found {move} in {epd}")
    return Question(" ".join(epd.split()[:4]), board, " ".join(searchmoves))


class Engine:
    """A running engine, ready to be asked.

    Every position is a new game to the engine and is given without the moves before it: an answer
    depends on the position and on the settings, not on what was asked before. Repetitions and the
    fifty-move count are therefore not seen.
    """

    def __init__(self, settings: EngineSettings, *, patience: float = PATIENCE, start: float = START) -> None:
        self.settings = settings
        self.patience = patience + (settings.movetime or 0) / 1000
        self.command = engine_command(settings.engine)
        self.options: dict[str, Option] = {}
        self._start = start
        self._chess960 = False
        self._process = EngineProcess(self.command)
        try:
            self.identity = self._introduce()
            self._process.name = self.identity.name
            self._set_options()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def search(self, epd: str, *, searchmoves: Sequence[str] = ()) -> Evaluation:
        """Return what the engine says of a position; no lines where the game is over."""
        question = prepare(epd, searchmoves)
        self.ask(question)
        return self.read(question, self.hear())

    def ask(self, question: Question) -> None:
        """Let the engine begin with a question."""
        only = f" searchmoves {question.searchmoves}" if question.searchmoves else ""
        self._process.send(
            f"{self._variant(question.board)}ucinewgame\nisready\n"
            f"position fen {question.epd} 0 1\n{self.settings.go()}{only}"
        )

    def hear(self) -> bytes:
        """Wait until the engine has answered, and return all that it said."""
        said = self._process.listen(b"\nbestmove", self.patience)
        return bytes(said[max(said.rfind(b"readyok"), 0) :])

    def read(self, question: Question, said: bytes) -> Evaluation:
        """Return what an answer comes to; one that cannot be right is an error."""
        multipv = self.settings.multipv
        answer = read_answer(said, white=question.board.turn, multipv=multipv)
        _check(answer, question)
        return Evaluation(
            epd=question.epd, lines=answer.lines, searchmoves=question.searchmoves, nodes=answer.nodes
        )

    def kill(self) -> None:
        """End the process, whatever it is doing; from any thread."""
        self._process.kill()

    def close(self) -> None:
        """End the process and close what led to it."""
        self._process.close()

    def _introduce(self) -> EngineIdentity:
        self._process.send("uci")
        try:
            said = self._process.listen(b"\nuciok", self._start).decode(errors="replace")
        except EngineError as error:
            raise EngineError(f"{error}. Is it a UCI engine? It was asked: uci") from None
        name = ""
        for row in said.splitlines():
            if row.startswith("id name "):
                name = row.removeprefix("id name ").strip()
            elif row.startswith("option "):
                option = read_option(row)
                self.options[option.name.lower()] = option
        given = {n.lower(): v for n, v in self.settings.options}
        networks = [
            os.path.basename(given.get(key, option.default))  # noqa: PTH119 - no path of ours
            for key, option in self.options.items()
            if key.startswith(NETWORKS)
        ]
        known = " + ".join(n for n in networks if n and n != "<empty>")
        return EngineIdentity(name=name or os.path.basename(self.command[-1]), network=known)  # noqa: PTH119

    def _set_options(self) -> None:
        settings = self.settings
        if settings.multipv > 1 and "multipv" not in self.options:
            raise EngineError(f"{self.identity.name} gives one line only", code="one-line-engine")
        wanted = [("Threads", "1"), ("Hash", str(settings.hash_mb)), ("MultiPV", str(settings.multipv))]
        wanted = [(n, v) for n, v in wanted if n.lower() in self.options]
        for name, value in [*wanted, *settings.options]:
            self._process.send(_setoption(self._option(name, value), value))
        self._process.send("isready")
        self._process.listen(b"\nreadyok", self._start)

    def _option(self, name: str, value: str) -> Option:
        option = self.options.get(name.lower())
        if option is None:
            names = ", ".join(o.name for o in self.options.values())
            raise EngineError(f"{self.identity.name} has no option {name!r}; it has: {names}")
        if not _takes(option, value):
            raise EngineError(f"{self.identity.name}: {option.name} is {_range(option)}, found {value!r}")
        return option

    def _variant(self, board: chess.Board) -> str:
        """Return the command that turns Chess960 on or off, if it is needed."""
        if board.chess960 == self._chess960:
            return ""
        option = self.options.get("uci_chess960")
        if option is None:
            raise EngineError(f"{self.identity.name} does not play Chess960")
        self._chess960 = board.chess960
        return _setoption(option, str(board.chess960).lower()) + "\n"


def _takes(option: Option, value: str) -> bool:
    if option.type == "spin":
        number = whole_number(value)
        return number is not None and (
            (option.least is None or number >= option.least)
            and (option.most is None or number <= option.most)
        )
    if option.type == "check":
        return value in ("true", "false")
    return not option.choices or value.lower() in map(str.lower, option.choices)


def _range(option: Option) -> str:
    if option.type == "spin":
        return f"a whole number from {option.least} to {option.most}"
    return "true or false" if option.type == "check" else f"one of {', '.join(option.choices)}"


def _setoption(option: Option, value: str) -> str:
    if option.type == "button":
        return f"setoption name {option.name}"
    return f"setoption name {option.name} value {value}"


def _legal(board: chess.Board, move: str) -> bool:
    try:
        return bool(board.parse_uci(move))
    except ValueError:
        return False


def _check(answer: Answer, question: Question) -> None:
    board = question.board
    if not answer.best and not answer.lines and not any(board.legal_moves):
        return
    if not answer.best:
        raise EngineError("the engine says that there is no legal move, but there is one")
    moves = [line.move for line in answer.lines]
    for move in dict.fromkeys([*moves, answer.best]):
        if not _legal(board, move):
            raise EngineError(f"the engine answered with an illegal move, {move}")
    if not moves:
        raise EngineError("the engine gave no final score (bounds only, or none)")
    if len(set(moves)) < len(moves):
        raise EngineError("the engine gave the same move in two lines")
    if len(moves) < answer.wanted:
        possible = len(question.searchmoves.split()) or board.legal_moves.count()
        if len(moves) < min(answer.wanted, possible):
            raise EngineError(f"the engine gave {len(moves)} lines of {answer.wanted}")
