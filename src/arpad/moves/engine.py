"""A UCI engine as a process: asked one position at a time, its lines read by a plain reader."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from arpad.errors import EngineError, InputError
from arpad.evaluation import Evaluation
from arpad.moves.found import FoundEngine, engine_command, find_engines
from arpad.moves.position import board_of
from arpad.moves.process import EngineProcess
from arpad.moves.settings import EngineIdentity, EngineSettings
from arpad.moves.uci import Answer, Option, read_answer, read_option, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import chess

__all__ = ["Engine", "FoundEngine", "Question", "find_engines", "prepare"]

START = 30.0
"""Seconds an engine has to say who it is."""

PATIENCE = 60.0
"""Seconds of silence in a search after which an engine counts as hanging."""

NETWORKS = ("evalfile", "weightsfile")
"""How the options begin that name an engine's networks."""


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

    Parameters
    ----------
    settings
        Which engine, and how it is asked.
    patience
        Seconds of silence after which it counts as hanging.
    start
        Seconds it has to say who it is.
    """

    def __init__(
        self, settings: EngineSettings, *, patience: float = PATIENCE, start: float = START
    ) -> None:
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
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def search(self, epd: str, *, searchmoves: Sequence[str] = ()) -> Evaluation:
        """Return what the engine says of a position; no lines where the game is over.

        Parameters
        ----------
        epd
            The position, as `arpad.moves.position.epd_of` writes it.
        searchmoves
            Look at these moves only.
        """
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
            epd=question.epd,
            lines=answer.lines,
            searchmoves=question.searchmoves,
            nodes=answer.nodes,
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
            raise EngineError(f"{self.identity.name} gives one line only: take --multipv 1")
        wanted = [
            ("Threads", "1"),
            ("Hash", str(settings.hash_mb)),
            ("MultiPV", str(settings.multipv)),
        ]
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
            raise EngineError(
                f"{self.identity.name}: {option.name} is {_range(option)}, found {value!r}"
            )
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
    """Say whether an option may have a value."""
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
    """Say in words what an option may be."""
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
    """Refuse an answer that cannot be right."""
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
