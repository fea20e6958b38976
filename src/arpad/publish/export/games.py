"""Games to files: CSV, Parquet, TRF16, PRA's text, and PGN without moves or with evaluations."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.files import new_file, write_text
from arpad.moves.evaluated_games import flat
from arpad.publish.export.trf import TrfLayout, trf_text
from arpad.read.formats import FORMATS
from arpad.read.pgn.games import iterate
from arpad.read.pgn.movetext import MoveToken, tokens
from arpad.read.pgn.scan import comment_open
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arpad.model import Games
    from arpad.moves.evaluated_games import EvaluatedGames
    from arpad.read.pgn.games import PgnGame
    from arpad.read.reading import GamesLike


PGN_RESULTS = {0.0: "0-1", 0.5: "1/2-1/2", 1.0: "1-0"}


def format_of(path: str | Path) -> str:
    """Return the format that a file's name asks for."""
    ending = Path(path).suffix.lower()
    if ending in (".trf16", ".trf26"):
        return ending[1:]
    for f in FORMATS.values():
        if f.writes and ending in f.endings:
            return f.name
    endings = ", ".join(e for f in FORMATS.values() if f.writes for e in f.endings)
    raise UsageError(f"{path}: expected a name that ends in one of {endings}", code="unknown-games-ending")


def write_games(games: GamesLike, path: str | Path, format: str | None = None) -> list[str]:
    """Write games to a file; return a sentence for everything that the format cannot hold."""
    games = games_from(games)
    name = format or format_of(path)
    if name not in WRITERS:
        raise UsageError(f"expected a format to write, one of {', '.join(WRITERS)}; found {name!r}")
    return WRITERS[name](games, Path(path))


def _csv(games: Games, path: Path) -> list[str]:
    frame = games.frame()
    if (frame["precision"].drop_nulls() != "day").any():  # 2026, not 2026-01-01, where no more is known
        form = {"month": "%Y-%m", "year": "%Y"}
        partial = [
            pl.when(pl.col("precision") == p).then(pl.col("date").dt.to_string(f)) for p, f in form.items()
        ]
        frame = frame.with_columns(
            pl.coalesce(*partial, pl.col("date").dt.to_string("%Y-%m-%d")).alias("date")
        )
    with new_file(path) as beside:
        frame.select(c for c in frame.columns if not frame[c].is_null().all()).write_csv(beside)
    return []


def _parquet(games: Games, path: Path) -> list[str]:
    with new_file(path) as beside:
        games.frame().write_parquet(beside)
    return []


def _trf(games: Games, path: Path, layout: TrfLayout = "trf") -> list[str]:
    text, lost = trf_text(games, layout)
    write_text(path, text)
    return lost


def _pgn(games: Games, path: Path) -> list[str]:
    """One game after the other, headers only; what was not played says so."""
    lines: list[str] = []
    left_out = odd = 0
    for row in games.frame().iter_rows(named=True):
        if row["black"] is None:
            left_out += 1
            continue
        tags = pgn_tags(row)
        odd += row["score"] is not None and tags["Result"] == "*"
        lines += [*tag_lines(tags), "", str(tags["Result"]), ""]
    write_text(path, "\n".join(lines))
    lost = [f"{left_out} byes: PGN has games only"] if left_out else []
    lost += [f"{odd} scores that are no win, draw or loss are written as *"] if odd else []
    lost += ["the moves"] if (games.table["plies"] > 0).any() else []
    known = [
        c for c in ("title", "federation", "birth") if games.players[c].null_count() < games.players.height
    ]
    return lost + ([f"of the players: {', '.join(known)}"] if known else [])


def pgn_tags(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the tags of a game from a row of `Games.frame`."""
    return {
        "Event": row["event"] or "?",
        "Site": row["site"] or "?",
        "Date": _pgn_date(row["date"], row["precision"]),
        "Round": row["round"] or "?",
        "White": row["white"],
        "Black": row["black"],
        "Result": _pgn_result(row["score"], row["black_score"]),
        "WhiteElo": _whole(row["white_rating"]),
        "BlackElo": _whole(row["black_rating"]),
        "WhiteFideId": row["white_id"],
        "BlackFideId": row["black_id"],
        "Termination": None if row["status"] == "played" else row["status"],
    }


def tag_lines(tags: Mapping[str, str | None]) -> list[str]:
    """Return tags as PGN has them, one a line; those without a value are left out."""
    lines = []
    for tag, value in tags.items():
        if value is not None:
            safe = " ".join(str(value).split("\n")).replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'[{tag} "{safe}"]')
    return lines


def _pra(games: Games, path: Path) -> list[str]:
    """One event, in the order in which it was played."""
    event = games.events[0] if games.events else None
    played = games.rateable()
    used = sorted({*played["white"].to_list(), *played["black"].to_list()})
    number = {p: i + 1 for i, p in enumerate(used)}
    name = "_".join((event.name if event else "").split()) or "Event"
    lines = [name, str(len(used))]
    lines.append((event.rating_system if event else None) or "Elo")
    given = {
        player: rating
        for side in ("black", "white")
        for player, rating in played.select(side, f"{side}_rating").drop_nulls().iter_rows()
    }
    for p in used:
        player = games.player(p)
        lines.append(f"{_whole(player.rating or given.get(p)) or '-'} {player.name}")
    lines.append(_whole(event.number_two if event else None) or "-")
    for white, black, score in played.select("white", "black", "score").iter_rows():
        lines.append(
            f"{number[white]} {number[black]} {score:.1f}"
            if score * 2 % 1 == 0
            else f"{number[white]} {number[black]} {score!r}"
        )
    lines.append("-1 -1 -1.0")
    write_text(path, "\n".join(lines) + "\n")
    rest = len(games) - played.height
    lost = [f"{rest} pairings that were not played"] if rest else []
    return lost + (["all events but the name of the first"] if len(games.events) > 1 else [])


def _pgn_result(score: float | None, black_score: float | None) -> str:
    """Return the result; 0-0 is none of PGN's own, but arpad and others read it."""
    if score == black_score == 0:
        return "0-0"
    if score is None or black_score is None or score + black_score != 1:
        return "*"
    return PGN_RESULTS.get(score, "*")


def _pgn_date(day: object, precision: str | None) -> str:
    if day is None:
        return "????.??.??"
    year, month, date = str(day).split("-")
    return f"{year}.{month if precision != 'year' else '??'}.{date if precision == 'day' else '??'}"


def _whole(rating: float | None) -> str | None:
    if rating is None:
        return None
    return f"{rating:g}" if rating == int(rating) else f"{rating!r}"


WRITERS: dict[str, Callable[[Games, Path], list[str]]] = {
    "csv": _csv,
    "parquet": _parquet,
    "trf": _trf,
    "trf16": partial(_trf, layout="trf16"),
    "trf26": partial(_trf, layout="trf26"),
    "pgn": _pgn,
    "pra": _pra,
}
"""Format → writer."""


# Evaluations and clocks written into the moves of a game, as comments that others read, too.

WIDTH = 80
"""Columns of a line in PGN's export format [PGN standard 4.3]."""
_OURS = re.compile(r"\s*\[%(?:eval|best|over)(?:\s[^\]]*)?\]", re.ASCII)


def commands(row: Mapping[str, Any], *, clocks: bool = False) -> str:
    """Return what is known of a position as commands of a PGN comment.

    Parameters
    ----------
    row
        A row of `EvaluatedGames.table`.
    clocks
        Write the clock and the time spent, too.

    Examples
    --------
    >>> commands({"cp": -5, "mate": None, "depth": 13, "best": "e2e4", "over": None})
    '[%eval -0.05,13] [%best e2e4]'
    """
    words = []
    depth = "" if row["depth"] is None else f",{row['depth']}"
    if row["mate"] is not None:
        words.append(f"[%eval #{row['mate']}{depth}]")
    elif row["cp"] is not None:
        sign, value = "-" if row["cp"] < 0 else "", abs(row["cp"])
        words.append(f"[%eval {sign}{value // 100}.{value % 100:02d}{depth}]")
    words += [f"[%{name} {row[name]}]" for name in ("best", "over") if row[name] is not None]
    if clocks:
        named = (("clk", row["clock"]), ("emt", row["spent"]))
        words += [f"[%{name} {_time(value)}]" for name, value in named if value is not None]
    return " ".join(words)


def annotated(text: str, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return moves with the evaluations of `rows` in place of those they had.

    All else stays: comments, clocks, variations, NAGs. None where the moves are not those of `rows`.

    Examples
    --------
    >>> said = {"san": None, "cp": 13, "mate": None, "depth": None, "best": None, "over": None}
    >>> annotated("1. e4 $1 {fine} (1. d4) e5 *", [said, {**said, "san": "e4"}])
    '{[%eval 0.13]} 1. e4 $1 {[%eval 0.13] fine} (1. d4) e5 *'
    """
    groups: list[list[MoveToken]] = [[]]
    for token in tokens(text):
        if token.kind == "san":
            groups.append([])
        if token.kind in ("san", "nag", "comment"):
            groups[-1].append(token)
    sans = [group[0].value for group in groups[1:]]
    if [row["san"] for row in rows[1:]] != sans[: len(rows) - 1] or not rows:
        return None
    edits = [
        edit
        for number, (row, group) in enumerate(zip(rows, groups, strict=False))
        for edit in _edits(text, group, commands(row), first=number == 0)
    ]
    parts, at = [], 0
    for start, stop, new in edits:
        parts += [text[at:start], new]
        at = stop
    return "".join([*parts, text[at:]])


def movetext(rows: Sequence[Mapping[str, Any]], result: str, *, number: int, white: bool) -> str:
    """Return the moves of a game with everything that is known of its positions.

    Parameters
    ----------
    number, white
        The number of the first move, and whether White makes it.
    """
    words: list[str] = []
    numbered = True  # a comment, or the beginning, lies before the move
    for row in rows:
        if row["san"] is not None:
            if white:
                words.append(f"{number}.")
            elif numbered:
                words.append(f"{number}...")
            words.append(row["san"])
            number, white = number + (not white), not white
        said = commands(row, clocks=True)
        numbered = bool(said) or row["san"] is None
        if said:
            words.append(f"{{{said}}}")
    return "\n".join(_lines([*words, result]))


def _edits(text: str, group: list[MoveToken], said: str, *, first: bool) -> list[tuple[int, int, str]]:
    """Return the places of a move's comments that change, and what stands there then."""
    edits: list[tuple[int, int, str]] = []
    at = 0 if first else group[0].stop
    to_place = said
    for token in group if first else group[1:]:
        beside = not text[at : token.start].strip()
        if token.kind == "nag":
            at = token.stop if beside else at
            continue
        rest = _OURS.sub("", token.value)
        if to_place and beside and text[token.start] == "{":
            edits.append((token.start, token.stop, _comment(to_place, rest)))
            to_place = ""
        elif rest != token.value:
            edits.append((token.start, token.stop, _again(text[token.start], rest)))
    if to_place:
        new = f"{{{to_place}}} " if first else f" {{{to_place}}}"
        edits.insert(0, (at, at, new))
    return edits


def _comment(said: str, rest: str) -> str:
    rest = rest.strip()
    return f"{{{said}{' ' if rest else ''}{rest}}}"


def _again(sign: str, rest: str) -> str:
    if not rest.strip():
        return ""
    return f"{{{rest}}}" if sign == "{" else f";{rest}"


def _time(seconds: float) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    part = f".{thousandths:03d}".rstrip("0").rstrip(".")
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}{part}"


def _lines(words: list[str]) -> list[str]:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


# Evaluated games to files: PGN with the evaluations in comments, CSV, Parquet.

ENDINGS = {".pgn": "pgn", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
FROM_COMMENTS = "PGN comments"


def write_evaluations(evaluated: EvaluatedGames, path: str | Path, format: str | None = None) -> list[str]:
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
        return _evaluated_pgn(evaluated, Path(path))
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
    result = f"{format!r}" if format else f"{Path(path).name!r}"
    raise UsageError(f"expected a name that ends in {', '.join(ENDINGS)}; found {result}")


def _evaluated_pgn(evaluated: EvaluatedGames, path: Path) -> list[str]:
    originals = _Originals(evaluated)
    rows = {int(str(game)): frame for (game,), frame in evaluated.table.group_by("game", maintain_order=True)}
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
    words = [f"comments, variations and other tags of {lost} games: their file cannot be read again"]
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
