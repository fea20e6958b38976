"""Evaluated games to files: PGN with the evaluations in comments, CSV, Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.moves.evaluated_table import flat
from arpad.publish.annotate import annotated, movetext
from arpad.publish.atomic import new_file
from arpad.publish.write_games import pgn_tags, tag_lines
from arpad.read.movetext import tokens
from arpad.read.pgn import iterate
from arpad.read.pgn_scan import comment_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.moves.evaluated import EvaluatedGames
    from arpad.read.pgn import PgnGame

__all__ = ["evaluations_format", "write_evaluations"]

ENDINGS = {".pgn": "pgn", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
FROM_COMMENTS = "PGN comments"


def write_evaluations(
    evaluated: EvaluatedGames, path: str | Path, format: str | None = None
) -> list[str]:
    """Write evaluated games to a file; return what could not be kept, in words.

    PGN keeps the headers, comments, clocks and variations of the files the games come from, if they can
    be read again; evaluations are from White's side: ``[%eval 0.13,24]`` in pawns, with the depth behind
    the comma, ``[%eval #-3]`` where Black mates; ``[%best e2e4]`` and ``[%over stalemate]`` are arpad's own. CSV
    and Parquet have a row a position. `read_evaluated` reads all three.

    Parameters
    ----------
    format
        "pgn", "csv" or "parquet"; None: by the ending of the name.
    """
    kind = evaluations_format(path, format)
    if kind == "pgn":
        return _pgn(evaluated, Path(path))
    table = flat(evaluated)
    with new_file(path) as beside:
        try:
            table.write_csv(beside) if kind == "csv" else table.write_parquet(beside)
        except pl.exceptions.PolarsError as error:  # a full disk
            raise UsageError(f"{path}: cannot be written: {str(error).splitlines()[0]}") from None
    without = len(evaluated.games) - evaluated.table["game"].n_unique()
    return [f"{without} games without a position"] if without else []


def evaluations_format(path: str | Path, format: str | None = None) -> str:
    """Return the format to write: the one asked for, or that of the name's ending."""
    kind = format or ENDINGS.get(Path(path).suffix.lower())
    if kind in ENDINGS.values():
        return str(kind)
    found = f"{format!r}" if format else f"{Path(path).name!r}"
    raise UsageError(f"expected a name that ends in {', '.join(ENDINGS)}; found {found}")


def _pgn(evaluated: EvaluatedGames, path: Path) -> list[str]:
    originals = _Originals(evaluated)
    rows = {
        int(str(game)): frame
        for (game,), frame in evaluated.table.group_by("game", maintain_order=True)
    }
    lost = byes = 0
    with new_file(path) as beside, beside.open("w", encoding="utf-8", errors="replace") as out:
        for game, headers in enumerate(evaluated.games.frame().iter_rows(named=True)):
            if headers["black"] is None:
                byes += 1
                continue
            mine = rows[game].to_dicts() if game in rows else []
            start = evaluated.starts.row(game, named=True)
            text = originals.annotated(start, mine)
            if text is None:
                lost += start["file"] is not None
                text = _from_tables(headers, start, mine, evaluated.source)
            out.write(text)
    words = [
        f"comments, variations and other tags of {lost} games: their file cannot be read again"
    ]
    return (words if lost else []) + ([f"{byes} byes: PGN has games only"] if byes else [])


class _Originals:
    """The games as they stand in their files, which are read once more, in order."""

    def __init__(self, evaluated: EvaluatedGames) -> None:
        self._source = evaluated.source
        self._file: str | None = None
        self._games: Iterator[PgnGame] = iter(())

    def annotated(self, start: dict[str, Any], rows: list[dict[str, Any]]) -> str | None:
        """Return a game with its evaluations; None where it is not to be found again."""
        game = self._find(start["file"], start["line"]) if start["line"] is not None else None
        text = None if game is None else annotated(game.movetext, rows)
        if game is None or text is None:
            return None
        tags = [f'[{tag} "{value}"]' for tag, value in game.tags.items()]  # as they stand there
        if self._source != FROM_COMMENTS and "Annotator" not in game.tags:
            tags += tag_lines({"Annotator": self._source})
        return _game(tags, _ended(text, game.tags.get("Result") or "*"))

    def _find(self, file: str, line: int) -> PgnGame | None:
        if file != self._file:
            self._file = file
            self._games = iterate(file) if Path(file).is_file() else iter(())
        try:
            return next((g for g in self._games if g.line == line), None)
        except ArpadError:  # gone, or changed meanwhile
            return None


def _from_tables(
    headers: dict[str, Any], start: dict[str, Any], rows: list[dict[str, Any]], source: str
) -> str:
    fen = start["fen"]
    tags = pgn_tags(headers) | {
        "Variant": start["variant"],
        "SetUp": None if fen is None else "1",
        "FEN": fen,
        "Annotator": None if source == FROM_COMMENTS else source,
    }
    fields = (fen or "").split()
    number = int(fields[5]) if len(fields) > 5 and fields[5].isdigit() else 1
    white = not rows or rows[0]["turn"] == "w"
    return _game(tag_lines(tags), movetext(rows, str(tags["Result"]), number=number, white=white))


def _ended(text: str, result: str) -> str:
    """Close a comment that is open, and put a result behind moves that have none."""
    is_open = False
    for line in text.encode().split(b"\n"):
        is_open = comment_open(line, is_open)
    text += "}" if is_open else ""
    return text if any(t.kind == "end" for t in tokens(text)) else f"{text}\n{result}"


def _game(tags: list[str], moves: str) -> str:
    return "\n".join([*tags, "", moves.strip(), "", ""])
