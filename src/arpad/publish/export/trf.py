"""FIDE's tournament report files, TRF16 and TRF26, written.

An event that was read from such a file is written as it was: only lines change whose content did.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.event.team_standings import team_standings
from arpad.event.tiebreaks import board_order, event_field, ranking, tie_break_order
from arpad.model import GAME_SCHEMA, Event, Games
from arpad.read.source import Report
from arpad.read.trf import (
    BYE_POINTS,
    DEFAULT_POINTS,
    FIELDS,
    FIRST_ROUND,
    HEADERS,
    ROUND_WIDTH,
    SCORE,
    SEXES,
    TITLES,
    TRF26_RECORDS,
    TrfFile,
    birth_date,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from arpad.model import Player
    from arpad.read.trf import TrfPlayer


TrfLayout = Literal["trf", "trf16", "trf26"]
"""trf: the layout of the file that the event was read from, TRF16 where there is none."""
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
"""Letters of a status and its share of the point; a bye of one point counts as allocated."""
SAME_IN_BOTH = {"XXC", "XXZ", "XXP", "XXA", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU", "XXS"}
"""Extensions of TRF16 that pairing programs know; TRF26 has records for them."""
ONLY_26 = TRF26_RECORDS - {"142", "162", "202", "212", "240", "299", "310", "362"}
"""Records of TRF26 that are written again as they were."""
NAMES_PLAYERS = {"XXZ", "XXP", "XXA", "240", "250", "260", "299", "300", "320", "330"}
XXS = {
    "WW": "W",
    "BW": "W",
    "WD": "D",
    "BD": "D",
    "WL": "L",
    "BL": "L",
    "ZPB": "A",
    "HPB": "D",
    "FPB": "W",
    "PAB": "P",
    "FW": "W",
    "FL": "A",
}
"""Points in an XXS line, and their letter in record 162."""
FIELD_OF = {
    **{code: name for code, name in HEADERS.items() if code not in ("062", "072", "082")},
    "XXR": "rounds",
    "142": "rounds",
    "192": "kind",
    "222": "time_control",
}
"""Line of the head → field of the event."""
MOST_PLAYERS, MOST_ROUNDS = 9999, 99


@dataclass(slots=True)
class _TrfLines:
    """An event as lines, before it is decided which of them are written."""

    head: list[tuple[str, str]]
    players: dict[int, str]
    """By row."""
    teams: list[str]
    ranks: dict[int, int]
    lost: list[str] = field(default_factory=list)


def trf_text(games: Games, layout: TrfLayout = "trf") -> tuple[str, list[str]]:
    """Return one event as a tournament report file, and what it has no place for, in words."""
    if len(games.events) > 1:
        raise UsageError(
            f"TRF holds one event, these games have {len(games.events)}: convert them one by one"
        )
    if games.players.height > MOST_PLAYERS:
        raise UsageError(f"TRF holds {MOST_PLAYERS} players at most, found {games.players.height}")
    event = games.events[0] if games.events else None
    numbers = starting_numbers(games)
    rounds = _round_numbers(games)
    lines = _lines(games, rounds, numbers, layout)
    if layout == "trf" and event is not None and event.text:
        return _as_read(event, lines, numbers, max(rounds, default=0)), lines.lost
    head = [f"{code} {value}".rstrip() for code, value in lines.head]
    extra = [] if event is None else _extra(event, numbers, layout, lines.lost)
    text = [*head, *lines.players.values(), *lines.teams, *extra]
    return "\r\n".join(" ".join(line.split("\n")) for line in text) + "\r\n", lines.lost


def starting_numbers(games: Games) -> list[int]:
    """Return everybody's starting number, by row: the source's, or the place in the table."""
    count = games.players.height
    own = dict(games.events[0].numbers) if games.events else {}
    if len(set(own.values())) != len(own) or any(not 0 < n <= MOST_PLAYERS for n in own.values()):
        own = {}
    free = (n for n in range(1, 2 * MOST_PLAYERS) if n not in set(own.values()))
    return [own.get(row) or next(free) for row in range(count)]


def _lines(games: Games, rounds: list[int], numbers: list[int], layout: TrfLayout) -> _TrfLines:
    event = games.events[0] if games.events else None
    last = max(rounds, default=0)
    blocks, odd = _blocks(games, rounds, _bye_letters(event), numbers)
    points = _points(blocks, event, games, rounds)
    people = range(games.players.height)
    ranks = _ranks(games, points, last, kept=layout == "trf" and bool(event and event.text))
    ratings = _ratings(games)
    lost: list[str] = [f"{odd} results that TRF has no letter for"] if odd else []
    players = {}
    for p in people:
        player = replace(games.player(p), rating=ratings[p])
        lost += _too_long(player)
        players[p] = _line(player, numbers[p], points.get(p, 0.0), ranks.get(p, 0), blocks.get(p, {}), last)
    in_26 = layout == "trf26" or (
        layout == "trf" and bool(event and re.search(r"^142 ", event.text, re.MULTILINE))
    )
    head = _head(event, ratings, last, _days(games), in_26=in_26)
    teams = [] if event is None else _teams_26(games, numbers) if in_26 else _teams(event, numbers)
    return _TrfLines(head, players, teams, ranks, lost)


# The file as it was read, with what changed.


def _as_read(event: Event, lines: _TrfLines, numbers: list[int], last: int) -> str:
    ends = "\r\n" if "\r\n" in event.text else "\r" if "\r" in event.text else "\n"
    source = event.text.split(ends)
    before = TrfFile("", Report())
    before.take_all("\n".join(source))
    order = {n: row for row, n in enumerate(before.players)}
    was = before.event(order)
    changed = {code for code, name in FIELD_OF.items() if getattr(event, name) != getattr(was, name)}
    teams = [(name, tuple(numbers[m] for m in rows)) for name, rows in event.teams]
    same_teams = teams == [(n, tuple(m for m in rows if m in order)) for n, rows in before.teams]
    played = max((len(p.rounds) for p in before.players.values()), default=0)
    row_of = {n: row for row, n in enumerate(numbers)}
    after = TrfFile("", Report())
    after.take_all("\n".join(lines.players.values()))
    ranks = dict(event.ranks)
    if any(
        n not in before.players or not _same(before.players[n], after.players[n], ranks.get(row))
        for n, row in row_of.items()
    ):
        ranks = lines.ranks  # with new results come new places, once the event is over
    result: list[str] = []
    at = 0
    for line in source:
        code = line[:3]
        if code == "001" and (number := _number(line)) is not None:
            row = row_of.pop(number, None)
            if row is None:
                if number in before.players and not any(r.opponent for r in before.players[number].rounds):
                    result.append(line)
            elif _same(before.players[number], after.players[number], ranks.get(row)):
                result.append(line)
            else:
                result.append(lines.players[row])
            at = len(result)
        elif code in changed:
            fresh = [f"{c} {value}".rstrip() for c, value in lines.head if c == code]
            result += [new for new in fresh if new not in result]
        elif (code in ("013", "310") and not same_teams) or (code == "XXZ" and last > played):
            continue
        else:
            result.append(line)
    new = [lines.players[row] for row in sorted(row_of.values())]
    result[at:at] = new
    if not same_teams:
        result += lines.teams
    return ends.join(result)


def _number(line: str) -> int | None:
    text = line[4:8].strip()
    return int(text) if text.isdecimal() else None


def _same(was: TrfPlayer, now: TrfPlayer, rank: int | None) -> bool:
    """Say whether two lines of a player say the same; points are those of the file, whatever they add up to."""
    return _content(was, None) == _content(now, rank or 0)


def _content(player: TrfPlayer, rank: int | None) -> tuple[object, ...]:
    text = player.text
    title = TITLES.get(text["title"].lower(), text["title"].upper())
    rating = int(text["rating"]) if text["rating"].isdecimal() else 0
    if rank is None:
        rank = int(text["rank"]) if text["rank"].isdecimal() else 0
    blocks = []
    for r in player.rounds:
        forfeit = r.result in ("+", "-")
        empty = not r.opponent and not r.result
        blocks.append(
            ("",) if empty else (r.opponent, "" if forfeit or not r.opponent else r.colour, r.result)
        )
    while blocks and blocks[-1] == ("",):
        blocks.pop()
    name = text["name"] or f"Player {player.number}"
    id_ = text["id"] if text["id"].strip("0") else ""
    sex = SEXES.get(text["sex"].lower())
    born, blocks_ = birth_date(text["birth"]), tuple(blocks)
    return (name, title, sex, rating, text["federation"], id_, born, rank, blocks_)


# Extensions and records beyond the players.


def _extra(event: Event, numbers: list[int], layout: TrfLayout, lost: list[str]) -> list[str]:  # noqa: C901
    """Return the other lines of the source that this layout has, or their like."""
    known = bool(event.numbers) and set(numbers) >= {n for _, n in event.numbers}
    result: list[str] = []
    dropped: set[str] = set()
    for line in event.extra:
        code = line[:3]
        if code in NAMES_PLAYERS and not known:
            dropped.add(code)
        elif code in ("013", "310", "142", "XXR", "162", "362", "XXS") or code.startswith("BB"):
            continue  # written from what was read of them
        elif layout == "trf26":
            like = _like_26(line)
            result += like
            if not like:
                dropped.add(code)
        elif code in SAME_IN_BOTH:
            result.append(line)
        else:
            like = _like_16(line)
            result += like
            if not like and code not in ("202", "212", "192", "222", "240"):
                dropped.add(code)
    if layout != "trf26" and event.tie_breaks and any(x[:3] in ("202", "212") for x in event.extra):
        lost.append(f"the order of tie-breaks {', '.join(event.tie_breaks)}: TRF16 has no record for it")
    if event.points and layout != "trf26":
        worth = {**DEFAULT_POINTS, **dict(event.points)}
        result.append("XXS " + " ".join(f"{code}={worth[letter]:.1f}" for code, letter in XXS.items()))
    if dropped:
        lost.append(f"lines {', '.join(sorted(dropped))} of the source")
    return result


def _like_26(line: str) -> list[str]:
    """Return the record of TRF26 that says the same as a line."""
    code, rest = line[:3], line[4:].split()
    if code in ONLY_26 | {"202", "212", "240", "299"}:
        return [line]
    if code == "XXC":
        colour = next((w for w in rest if w.startswith(("white", "black"))), "")
        return [f"152 {colour[0].upper()}"] if colour else []
    if code == "XXP" and len(rest) > 1:
        return ["260   1    " + "".join(f" {int(n):4d}" for n in rest if n.isdecimal())]
    if code == "XXA" and rest and rest[0].isdecimal():
        given = [(at, float(p)) for at, p in enumerate(rest[1:], start=1) if float(p)]
        return [f"250      {p:4.1f} {at:3d} {at:3d} {rest[0]:>4} {rest[0]:>4}" for at, p in given]
    return []


def _like_16(line: str) -> list[str]:
    """Return the extension of TRF16 that says the same as a record of TRF26."""
    code = line[:3]
    if code == "152":
        return [f"XXC {'white' if line[4:5].upper() == 'W' else 'black'}1"]
    if code == "260":
        return ["XXP " + " ".join(line[11:].split())]
    if code == "250" and (own := line[9:13].strip()):
        first, last, low, high = (int(n) for n in line[13:].split()[:4])
        points = "".join(f" {float(own) if first <= at else 0.0:4.1f}" for at in range(1, last + 1))
        return [f"XXA {n:4d}{points}" for n in range(low, high + 1)]
    return []


def _worth_26(worth: dict[str, float], prefix: str) -> str:
    return "   ".join(f"{prefix or ' '}{k}{v:4.1f}" for k, v in worth.items())


def _teams_26(games: Games, numbers: list[int]) -> list[str]:
    """Return record 310 of every team: number, name, points, place, players."""
    event = games.events[0]
    standings = team_standings(games) if len(event.teams) > 1 else None
    rows = {} if standings is None else {str(r["name"]): r for r in standings.rows()}
    result = []
    for at, (name, members) in enumerate(event.teams, start=1):
        own = rows.get(name, {})
        line = f"310 {at:3d} {name:<32.32}" + " " * 14
        line += f"{own.get('match_points', 0.0):6.1f} {own.get('game_points', 0.0):6.1f} {own.get('rank', '')!s:>3} "
        result.append(line + "".join(f" {numbers[m]:4d}" for m in members))
    return result


# The lines of players, and the head.


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
    result = []
    for name, value in (("name", player.name), ("id", player.id or "")):
        first, last = FIELDS[name]
        if len(value) > last - first + 1:
            result.append(f"the end of the {name} {value!r}")
    return result


def _bye_letters(event: Event | None) -> dict[tuple[int, int], str]:
    """Return the letters of byes that their points alone do not tell, by row and round."""
    return {} if event is None else {(row, r): letter for row, r, letter in event.byes}


def _blocks(
    games: Games, rounds: list[int], byes: dict[tuple[int, int], str], numbers: list[int]
) -> tuple[dict[int, dict[int, str]], int]:
    blocks: dict[int, dict[int, str]] = {}
    odd = 0
    for at, row in zip(rounds, games.table.iter_rows(named=True), strict=True):
        sides = [
            (row["white"], row["black"], "w", row["score"]),
            (row["black"], row["white"], "b", row["black_score"]),
        ]
        for player, opponent, colour, share in sides:
            if player is None:
                continue
            letter = " " if row["status"] == "unplayed" else LETTERS.get((row["status"], share), "")
            if not letter or at in blocks.get(player, {}):
                odd += 1
                continue
            if opponent is None:
                letter = byes.get((player, at), letter)
            against = "0000 -" if opponent is None else f"{numbers[opponent]:4d} {colour}"
            blocks.setdefault(player, {})[at] = f"{against} {letter}"
    return blocks, odd


def _points(
    blocks: dict[int, dict[int, str]], event: Event | None, games: Games, rounds: list[int]
) -> dict[int, float]:
    """Return everybody's points as the event counts them; byes of rounds to come do not count yet."""
    worth = DEFAULT_POINTS | dict(event.points if event else ())
    paired = games.table["black"].is_not_null() | (games.table["score"] == 1)
    last = max(
        (at for at, there in zip(rounds, paired, strict=True) if there), default=max(rounds, default=0)
    )
    result = {
        player: sum(
            worth[(BYE_POINTS if block.startswith("0000") else SCORE).get(block[-1], "L")]
            for at, block in own.items()
            if at <= last
        )
        for player, own in blocks.items()
    }
    for player, _, letter, points in event.adjustments if event else ():
        result[player] = result.get(player, 0.0) + (0.0 if letter else points)
    return result


def _ranks(games: Games, points: dict[int, float], last: int, *, kept: bool) -> dict[int, int]:
    """Return the official places; else those of the standings once the event is over; else by points.

    Parameters
    ----------
    kept
        A file is written as it was read: no places are put into it before the event is over.
    """
    event = games.events[0] if games.events else None
    if event and event.ranks:
        return dict(event.ranks)
    if event and event.rounds and last >= event.rounds and not (games.table["status"] == "unplayed").any():
        ratings = {p: R for p, R in enumerate(_ratings(games)) if R is not None}
        return dict(ranking(games, ratings=ratings).ranks)
    order = sorted(range(games.players.height), key=lambda p: (-points.get(p, 0.0), p))
    return {} if kept else {p: i + 1 for i, p in enumerate(order)}


def _head(
    event: Event | None,
    ratings: list[float | None],
    rounds: int,
    days: tuple[date | None, date | None],
    *,
    in_26: bool,
) -> list[tuple[str, str]]:
    lines = [
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
    dates = event.round_dates if event else ()
    if any(dates):
        shown = "".join(f"{text:<{ROUND_WIDTH}}" for text in dates)
        lines.append(("132", f"{'':<{FIRST_ROUND - 5}}{shown}".rstrip()))
    planned = max(rounds, (event.rounds if event else 0) or 0)
    if planned:
        lines.append(("142" if in_26 else "XXR", str(planned)))
    if event and in_26:
        if event.points:
            worth = {**DEFAULT_POINTS, **dict(event.points)}
            lines.append(("162", _worth_26(worth, "")))
        if event.team_points:
            lines.append(("362", _worth_26(dict(event.team_points), "T")))
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


def _teams(event: Event, numbers: list[int]) -> list[str]:
    return [
        f"013 {name:<32.32}" + " ".join(f"{numbers[m]:4d}" for m in members) for name, members in event.teams
    ]


def _day(day: date | None) -> str:
    return day.strftime("%Y/%m/%d") if day else ""


def _birth(birth: str | None) -> str:
    if not birth:
        return ""
    year, month, day = (*birth.split("-"), "00", "00")[:3]
    return f"{year}/{month}/{day}"


# An event that is run here: players, results, the next round by py4swiss, which reads TRF16.

PairingSystem = Literal["dutch", "dubov", "burstein"]
"""Dutch by FIDE's rules until 2026, the others by those of 2026; py4swiss calls its Dutch engine identical to
bbpPairings, the other two not mature."""


def pair_next_round(
    games: Games, *, system: PairingSystem = "dutch", byes: Mapping[int, float] | None = None
) -> tuple[Games, int]:
    """Return the event with its next round paired, results open, and the number of that round.

    Byes that the file has for that round stand; who is left over has the pairing-allocated bye.

    Parameters
    ----------
    byes
        By row of the players: who does not play this round, and the points for it, 0 or ½.
    """
    if system not in get_args(PairingSystem):
        raise UsageError(f"expected a pairing system, {', '.join(get_args(PairingSystem))}; found {system!r}")
    number = 1 + event_field(games).rounds
    planned = games.events[0].rounds if games.events else None
    if planned is not None and number > planned:
        raise UsageError(f"expected an event with rounds to come, found all {planned} played")
    if (games.table["status"] == "unplayed").any():
        raise UsageError("expected a result for every game before the next round is paired, found open games")
    if byes:
        announced = _pairings([(p, None, points, number) for p, points in byes.items()])
        games = _with_table(games, pl.concat([games.table, announced], how="diagonal"))
    row = {n: at for at, n in enumerate(starting_numbers(games))}
    pairs = [(row[w], row[b] if b else None) for w, b in _engine(_so_far(games, number), system)]
    open_games = [(w, b, None if b is not None else 1.0, number) for w, b in pairs]
    paired = _with_table(games, pl.concat([games.table, _pairings(open_games)], how="diagonal"))
    boards = board_order(paired, number)
    others = [row for row in range(paired.table.height) if row not in boards]
    return _with_table(paired, paired.table[others + boards]), number


def new_event(
    name: str,
    players: str,
    *,
    rounds: int,
    start: date | None = None,
    time_control: str | None = None,
    tie_breaks: str = "",
) -> Games:
    """Return an event without games: players have their starting numbers by rating, then by name [C.04.2].

    Parameters
    ----------
    players
        A line each: the name, then the rating, then FIDE's id, with semicolons or tabs between them.
    tie_breaks
        FIDE's codes in their order, as `BH-C1,BH,SB`; without any, the usual ones.
    """
    people = []
    for at, line in enumerate(players.splitlines(), start=1):
        cells = [cell.strip() for cell in re.split(r"[;\t]", line)]
        if not any(cells):
            continue
        who, rating, identity, *more = [*cells, "", ""]
        if (
            not who
            or any(more)
            or not re.fullmatch(r"\d{0,4}", rating)
            or not re.fullmatch(r"\d{0,11}", identity)
        ):
            raise UsageError(
                f"line {at} of the players: expected a name; a rating; an id, as Berg, Ida; 1850; 1500012; found {line!r}"
            )
        people.append(
            {"name": who, "rating": float(rating) if rating.strip("0") else None, "id": identity or None}
        )
    names = [str(p["name"]) for p in people]
    if len(set(names)) < max(len(names), 2):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise UsageError(
            f"expected every player once, found {', '.join(twice)} more often"
            if twice
            else f"expected at least two players, found {len(names)}"
        )
    people.sort(key=lambda p: (-(p["rating"] or 0), str(p["name"])))  # type: ignore[operator]
    codes = tuple(code.text for code in tie_break_order(tie_breaks)) if tie_breaks.strip() else ()
    event = Event(
        name=name,
        start=start,
        end=start,
        kind="Individual: Swiss-System",
        rounds=rounds,
        time_control=time_control,
        tie_breaks=codes,
        extra=(f"212 {' '.join(codes)}",) if codes else (),
    )
    columns = {c: [p[c] for p in people] for c in ("name", "rating", "id")}
    return Games.assemble({"white": [], "black": [], "score": []}, columns, (event,))


RESULTS = {
    "1": (1.0, 0.0, "played"),
    "0": (0.0, 1.0, "played"),
    "=": (0.5, 0.5, "played"),
    "+": (1.0, 0.0, "forfeit"),
    "-": (0.0, 1.0, "forfeit"),
    "x": (0.0, 0.0, "forfeit"),
}
"""Results from White's side; +, - and x are games that White won, Black won and both lost by forfeit."""


def with_results(games: Games, marks: Mapping[int, str]) -> Games:
    """Return the event with a result for some of its games, by row of the games; "" opens a game again."""
    columns = {c: games.table[c].to_list() for c in ("score", "black_score", "status")}
    for row, mark in marks.items():
        result = RESULTS[mark] if mark else (None, None, "unplayed")
        for column, value in zip(columns.values(), result, strict=True):
            column[row] = value
    new = [pl.Series(c, v, dtype=GAME_SCHEMA[c]) for c, v in columns.items()]
    return _with_table(games, games.table.with_columns(new))


def without_round(games: Games, number: int) -> Games:
    """Return the event without the pairings of a round."""
    at = games.table["round"].str.extract(r"^(\d{1,6})").cast(pl.Int64)
    return _with_table(games, games.table.filter(at != number))


def enter_results(games: Games, results: str) -> Games:
    """Return the event with results for its open games, board by board.

    Parameters
    ----------
    results
        A mark for every open game of the last paired round, in the order of the boards: 1, 0 and = from
        White's side, + and - for a game that White or Black won by forfeit, x where neither came.
    """
    unplayed = games.table["status"] == "unplayed"
    at = games.table["round"].str.extract(r"^(\d{1,6})").cast(pl.Int64)
    open_in = at.filter(unplayed).drop_nulls().to_list()
    if not open_in:
        raise UsageError("expected open games to enter results for, found none")
    number = max(open_in)
    rows = [row for row in board_order(games, number) if unplayed[row]]
    marks = [c for c in results.lower().replace("½", "=") if c not in " ,;\t\n"]
    if len(marks) != len(rows) or any(m not in RESULTS for m in marks):
        raise UsageError(
            f"expected {len(rows)} results of round {number}, each one of {' '.join(RESULTS)}; found {results!r}"
        )
    return with_results(games, dict(zip(rows, marks, strict=True)))


def _with_table(games: Games, table: pl.DataFrame) -> Games:
    return Games(table.select(GAME_SCHEMA.names()), games.players, games.events)


def _pairings(rows: Sequence[tuple[int, int | None, float | None, int]]) -> pl.DataFrame:
    """Return rows of games to come, or byes: White, Black, the points of a bye, the round."""
    columns = ("white", "black", "score", "round")
    kinds = {c: GAME_SCHEMA[c] for c in ("white", "black", "score")} | {"round": pl.Int64}
    bye = pl.when(pl.col("black").is_null()).then(pl.lit("bye")).otherwise(pl.lit("unplayed"))
    return pl.DataFrame(rows, schema={c: kinds[c] for c in columns}, orient="row").with_columns(
        pl.col("round").cast(pl.String),
        status=bye.cast(GAME_SCHEMA["status"]),
        event=pl.lit(0, dtype=GAME_SCHEMA["event"]),
    )


def _so_far(games: Games, number: int) -> Games:
    """Return the event as an engine wants it before a round.

    It wants the number of rounds, an absence (Z) in every earlier round that a line says nothing of, nothing of
    later rounds, and who has a bye in this round as absent (XXZ).
    """
    at = games.table["round"].str.extract(r"^(\d{1,6})").cast(pl.Int64)
    there = {(p, r) for side in ("white", "black") for p, r in zip(games.table[side], at, strict=True)}
    people, numbers = range(games.players.height), starting_numbers(games)
    absent = [(p, None, 0.0, r) for r in range(1, number) for p in people if (p, r) not in there]
    table = pl.concat([games.table.filter(at < number), _pairings(absent)], how="diagonal")
    event = games.events[0] if games.events else Event(name="Event")
    away = [line for line in event.extra if line.startswith("XXZ")]
    free = [str(n) for line in away for n in line.split()[1:]]
    free += [str(numbers[p]) for p in people if (p, number) in there]
    event = replace(
        event,
        rounds=max(event.rounds or 0, number),
        ranks=(),
        numbers=tuple(enumerate(numbers)),
        extra=(
            *(line for line in event.extra if line not in away),
            *([f"XXZ {' '.join(free)}"] if free else []),
        ),
    )
    return Games(table.select(GAME_SCHEMA.names()), games.players, (event,))


def _engine(games: Games, system: PairingSystem) -> Sequence[tuple[int, int]]:
    try:
        from py4swiss import engines
        from py4swiss.engines.common import PairingError
        from py4swiss.trf import TrfParser, exceptions
    except ImportError:
        raise ArpadError("pairing needs py4swiss: pip install 'arpad[pairing]'") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.trf"
        path.write_text(trf_text(games, "trf16")[0], encoding="utf-8")
        chosen = {
            "dutch": engines.DutchEngine,
            "dubov": engines.DubovEngine,
            "burstein": engines.BursteinEngine,
        }
        unfit = (exceptions.LineError, exceptions.ParsingError, exceptions.ConsistencyError)
        try:
            result = chosen[system].generate_pairings(TrfParser.parse(path))
        except (PairingError, ValueError, *unfit) as error:
            raise ArpadError(f"py4swiss finds no pairing for the next round: {error}") from None
    return [(p.white, p.black) for p in result]
