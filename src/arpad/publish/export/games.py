"""Games to files: CSV, Parquet, TRF16, PGN without moves, and the PRA text format."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.files import new_file, write_text
from arpad.publish.export.trf import TrfLayout, trf_text
from arpad.read.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arpad.model import Games


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


def write_games(games: Games, path: str | Path, format: str | None = None) -> list[str]:
    """Write games to a file; return what the format has no place for, in words."""
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
