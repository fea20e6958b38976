"""TRF16, written as FIDE asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.read.trf import BYE_POINTS, DEFAULT_POINTS, FIELDS, FIRST_ROUND, ROUND_WIDTH, SCORE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from arpad.model import Event, Games, Player


__all__ = ["trf16"]

LETTERS = {
    ("played", 1.0): "1",
    ("played", 0.5): "=",
    ("played", 0.0): "0",
    ("unrated", 1.0): "W",
    ("unrated", 0.5): "D",
    ("unrated", 0.0): "L",
    ("forfeit", 1.0): "+",
    ("forfeit", 0.0): "-",
    ("bye", 1.0): "U",
    ("bye", 0.5): "H",
    ("bye", 0.0): "Z",
}
"""What a status and a share of the point are called; a bye of one point is taken as allocated."""
KEPT = {
    *("XXC", "XXS", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU"),
    *("152", "162", "172", "182", "192", "202", "212", "222", "352", "362"),
}
"""Lines of the source that are written again as they were: they name no player."""
MOST_PLAYERS, MOST_ROUNDS = 9999, 99


def trf16(games: Games) -> tuple[str, list[str]]:
    """Return one event as TRF16, and what it has no place for, in words."""
    if len(games.events) > 1:
        raise UsageError(
            f"TRF holds one event, these games have {len(games.events)}: convert them one by one"
        )
    if games.players.height > MOST_PLAYERS:
        raise UsageError(f"TRF holds {MOST_PLAYERS} players at most, found {games.players.height}")
    numbers = _round_numbers(games)
    rounds = max(numbers, default=0)
    event = games.events[0] if games.events else None
    blocks, odd = _blocks(games, numbers, _bye_letters(event))
    points = _points(blocks, event)
    people = range(games.players.height)
    ranks = dict(event.ranks) if event and event.ranks else _ranks(points, people)
    ratings = _ratings(games)
    lines = _head(event, ratings, rounds, _days(games))
    lost: list[str] = [f"{odd} results that TRF has no letter for"] if odd else []
    for p in people:
        player = replace(games.player(p), rating=ratings[p])
        lost += _too_long(player)
        lines.append(_line(player, p + 1, points.get(p, 0.0), ranks.get(p, 0), blocks.get(p, {}), rounds))
    if event:
        lines += [_team(name, members) for name, members in event.teams]
        # Other lines name players by numbers that may have changed.
        lines += [line for line in event.extra if line[:3] in KEPT]
        dropped = sorted({line[:3] for line in event.extra} - KEPT)
        lost += [f"lines {', '.join(dropped)} of the source"] if dropped else []
    return "\r\n".join(" ".join(line.split("\n")) for line in lines) + "\r\n", lost


def _round_numbers(games: Games) -> list[int]:
    """Return the round of every game as a number.

    "4.5" is board 5 of round 4 where that gives everybody one game a round; else, as in matches of
    several games, 4.5 is a round of its own.
    """
    parts = games.table.select(
        pl.col("round").str.extract(r"^0*(\d{1,9})").cast(pl.Int64).alias("round"),
        pl.col("round").str.extract(r"^\d+\.0*(\d{1,9})").cast(pl.Int64).fill_null(0).alias("part"),
        "white",
        "black",
    )
    if parts.height and parts["round"].null_count():
        raise UsageError("TRF needs the round of every game, and some have none here")
    if not _once_a_round(parts):
        order = pl.struct("round", "part").rank("dense").cast(pl.Int64)
        parts = parts.with_columns(order.alias("round"))
        if not _once_a_round(parts):
            raise UsageError("TRF has one game a player and round, and somebody has more here")
    numbers: list[int] = parts["round"].to_list()
    most = max(numbers, default=0)
    if most > MOST_ROUNDS or 0 in numbers:
        raise UsageError(f"TRF needs rounds from 1 to {MOST_ROUNDS}, found {0 if 0 in numbers else most}")
    return numbers


def _once_a_round(parts: pl.DataFrame) -> bool:
    sides = [parts.select("round", pl.col(s).alias("player")).drop_nulls() for s in ("white", "black")]
    return not pl.concat(sides).is_duplicated().any()


def _days(games: Games) -> tuple[date | None, date | None]:
    """Return the first and the last day, where days are known."""
    known = games.table.filter(pl.col("precision") == "day")["date"].to_list()
    return (min(known), max(known)) if known else (None, None)


def _ratings(games: Games) -> list[float | None]:
    """Return each player's own rating, or else the one beside the first game."""
    beside: dict[int, float] = {}
    for side in ("white", "black"):
        for player, rating in games.table.select(side, f"{side}_rating").drop_nulls().iter_rows():
            beside.setdefault(player, rating)
    return [own or beside.get(p) for p, own in enumerate(games.players["rating"])]


def _too_long(player: Player) -> list[str]:
    found = []
    for name, value in (("name", player.name), ("id", player.id or "")):
        first, last = FIELDS[name]
        if len(value) > last - first + 1:
            found.append(f"the end of the {name} {value!r}")
    return found


def _bye_letters(event: Event | None) -> dict[tuple[int, int], str]:
    """Return the letters of byes that their points alone do not tell, by row and round."""
    return {} if event is None else {(row, r): letter for row, r, letter in event.byes}


def _blocks(
    games: Games, numbers: list[int], byes: dict[tuple[int, int], str]
) -> tuple[dict[int, dict[int, str]], int]:
    blocks: dict[int, dict[int, str]] = {}
    odd = 0
    for number, row in zip(numbers, games.table.iter_rows(named=True), strict=True):
        sides = [
            (row["white"], row["black"], "w", row["score"]),
            (row["black"], row["white"], "b", row["black_score"]),
        ]
        for player, opponent, colour, share in sides:
            if player is None:
                continue
            letter = " " if row["status"] == "unplayed" else LETTERS.get((row["status"], share), "")
            if not letter or number in blocks.get(player, {}):
                odd += 1
                continue
            if opponent is None:
                letter = byes.get((player, number), letter)
            against = "0000 -" if opponent is None else f"{opponent + 1:4d} {colour}"
            blocks.setdefault(player, {})[number] = f"{against} {letter}"
    return blocks, odd


def _points(blocks: dict[int, dict[int, str]], event: Event | None) -> dict[int, float]:
    """Return everybody's points as the event counts them."""
    worth = DEFAULT_POINTS | dict(event.points if event else ())
    return {
        player: sum(
            worth[(BYE_POINTS if block.startswith("0000") else SCORE).get(block[-1], "L")]
            for block in rounds.values()
        )
        for player, rounds in blocks.items()
    }


def _ranks(points: dict[int, float], people: Iterable[int]) -> dict[int, int]:
    order = sorted(people, key=lambda p: (-points.get(p, 0.0), p))
    return {p: i + 1 for i, p in enumerate(order)}


def _head(
    event: Event | None, ratings: list[float | None], rounds: int, days: tuple[date | None, date | None]
) -> list[str]:
    values = [
        ("012", event.name if event else ""),
        ("022", (event.site if event else None) or ""),
        ("032", (event.federation if event else None) or ""),
        ("042", _day((event.start if event else None) or days[0])),
        ("052", _day((event.end if event else None) or days[1])),
        ("062", str(len(ratings))),
        ("072", str(sum(r is not None for r in ratings))),
        ("082", str(len(event.teams) if event else 0)),
        ("092", (event.kind if event else None) or ""),
        ("102", (event.arbiter if event else None) or ""),
        *(("112", name) for name in (event.deputies if event else ())),
        ("122", (event.time_control if event else None) or ""),
    ]
    lines = [f"{code} {value}".rstrip() for code, value in values]
    dates = event.round_dates if event else ()
    if any(dates):
        shown = "".join(f"{text:<{ROUND_WIDTH}}" for text in dates)
        lines.append(f"{'132':<{FIRST_ROUND - 1}}{shown}".rstrip())
    planned = max(rounds, (event.rounds if event else 0) or 0)
    if planned:
        lines.append(f"XXR {planned}")
    return lines


def _line(player: Player, number: int, points: float, rank: int, blocks: dict[int, str], rounds: int) -> str:
    sex = player.sex if player.sex in ("m", "w") else ""
    cells = {
        "number": f"{number:4d}",
        "sex": sex,
        "title": f"{player.title or '':>3}"[:3],
        "name": player.name,
        "rating": f"{int(player.rating):4d}" if player.rating else "",
        "federation": player.federation or "",
        "id": f"{player.id or '':>11}",
        "birth": _birth(player.birth),
        "points": f"{points:4.1f}",
        "rank": f"{rank:4d}" if rank else "",
    }
    text = "001"
    for name, (first, last) in FIELDS.items():
        text = f"{text:<{first - 1}}{cells[name][: last - first + 1]}"
    for r in range(1, rounds + 1):
        text = f"{text:<{FIRST_ROUND - 1 + (r - 1) * ROUND_WIDTH}}{blocks.get(r, '')}"
    return text.rstrip()


def _team(name: str, members: tuple[int, ...]) -> str:
    return f"013 {name:<32.32}" + " ".join(f"{m + 1:4d}" for m in members)


def _day(day: date | None) -> str:
    return day.strftime("%Y/%m/%d") if day else ""


def _birth(birth: str | None) -> str:
    if not birth:
        return ""
    year, month, day = (*birth.split("-"), "00", "00")[:3]
    return f"{year}/{month}/{day}"
