"""FIDE's tournament report files: TRF16 (with the XX extensions) and TRF26."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from arpad.errors import FormatError
from arpad.model import Event, Games, Player
from arpad.read.collect import MAX_RATING
from arpad.read.fields import parse_day
from arpad.read.source import decode
from arpad.read.trf_layout import (
    BYE_POINTS,
    DEFAULT_POINTS,
    FIELDS,
    FIRST_ROUND,
    HEADERS,
    KNOWN_OTHER,
    ROUND_WIDTH,
    SEXES,
    TITLES,
    TrfPlayer,
    TrfRound,
    aligned,
    birth_date,
    cell,
)
from arpad.read.trf_pairings import SCORE, Pairing, pairings

if TYPE_CHECKING:
    from arpad.read.report import Report
    from arpad.read.source import Source

__all__ = ["read_trf"]

_POINT_CODES = {  # XXS and BB codes → the letters of TRF26's record 162
    "W": "W", "WW": "W", "BW": "W", "FW": "W", "FPB": "W", "BBW": "W",
    "D": "D", "WD": "D", "BD": "D", "HPB": "D", "BBD": "D",
    "L": "L", "WL": "L", "BL": "L", "BBL": "L",
    "ZPB": "A", "FL": "A", "BBZ": "A", "BBF": "A",
    "PAB": "P", "BBU": "P",
}  # fmt: skip


def read_trf(source: Source) -> Games:
    """Read one event."""
    lines = re.split(r"\r\n|\r|\n", decode(source.everything(), source.name, source.report))
    trf = _Trf(source.name, source.report)
    for number, line in enumerate(lines, start=1):
        trf.take(number, line.rstrip())
    if not trf.players:
        raise FormatError(
            "expected player lines (they begin with 001), found none: is this a TRF file?",
            file=source.name,
        )
    return trf.games()


class _Trf:
    """What has been read of one file so far."""

    def __init__(self, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.players: dict[int, TrfPlayer] = {}
        self.points = dict(DEFAULT_POINTS)
        self.head: dict[str, str] = {}
        self.deputies: list[str] = []
        self.round_dates: dict[int, str] = {}
        self.rounds: int | None = None
        self.teams: list[tuple[str, tuple[int, ...]]] = []
        self.extra: list[str] = []
        self.ids: dict[str, int] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        code, value = line[:3], line[4:].strip()
        if not line.strip() or line.startswith("#"):
            return
        if code == "001":
            self._player(number, line)
        elif code == "013":
            self._team(line[4:36], line[36:])
        elif code == "310":
            self._team(line[8:40], line[73:])
        elif code == "132":
            for r, at in enumerate(range(FIRST_ROUND - 1, len(line), ROUND_WIDTH), start=1):
                self.round_dates[r] = line[at : at + 8].strip()
        elif code == "112":
            self.deputies += [value] if value else []
        elif code in HEADERS:
            self.head.setdefault(HEADERS[code], value)
        elif code in ("XXR", "142"):
            self.rounds = int(value) if re.fullmatch(r"[0-9]{1,3}", value) else None
        else:
            self._other(number, code, value, line)

    def _other(self, number: int, code: str, value: str, line: str) -> None:
        if code == "XXS":
            self._score_points(re.findall(r"([A-Z]+)\s*=\s*(\d*\.?\d+)", value))
        elif code == "162":
            self._score_points(re.findall(r"([A-Z])\s*(\d*\.?\d+)", value))
        elif code in _POINT_CODES:
            self._score_points([(code, value)])
        elif code == "222" and value:
            self.head["time_control"] = value
        elif code == "192" and value:
            self.head.setdefault("kind", value)
        elif not (code in KNOWN_OTHER or re.fullmatch(r"[A-Z]{3}", code)):
            why = f"expected a line code of TRF such as 001 or 012, found {code!r}: the line is kept unread"
            self.report.add(self.file, number, "skipped", why)
        self.extra.append(line)

    def _score_points(self, pairs: list[tuple[str, str]]) -> None:
        for code, value in pairs:
            letter = _POINT_CODES.get(code, code)
            try:
                self.points[letter] = float(value)
            except ValueError:
                continue
        if not any(code in ("PAB", "BBU", "P") for code, _ in pairs) and "W" in dict(pairs):
            self.points["P"] = self.points["W"]

    def _team(self, name: str, members: str) -> None:
        numbers = tuple(int(n) for n in re.findall(r"\d+", members))
        self.teams.append((name.strip(), numbers))

    def _player(self, number: int, line: str) -> None:
        line = aligned(line)
        text = {name: cell(line, name) for name in FIELDS}
        if not text["number"].isdecimal():
            why = f"expected a starting number in columns 5-8, found {text['number']!r}"
            self.report.add(self.file, number, "skipped", why)
            return
        start = int(text["number"])
        if start in self.players:
            why = f"starting number {start} stands in line {self.players[start].line} already"
            self.report.add(self.file, number, "skipped", why)
            return
        player = TrfPlayer(number, start, text)
        at = FIRST_ROUND - 1
        for begin in range(at, len(line), ROUND_WIDTH):
            player.rounds.append(self._round(line[begin : begin + 8], number))
        self.players[start] = player
        twin = self.ids.setdefault(text["id"], number) if text["id"].strip("0") else number
        if twin != number:
            why = f"id {text['id']} stands in line {twin} already: two players, or one twice?"
            self.report.add(self.file, number, "noted", why)

    def _round(self, block: str, number: int) -> TrfRound:
        opponent, colour, result = block[:4].strip(), block[5:6].lower(), block[7:8].strip().upper()
        if opponent and not opponent.isdecimal():
            why = f"expected an opponent's number, found {opponent!r} in {block!r}"
            self.report.add(self.file, number, "skipped", why)
            return TrfRound(0, "", "")
        return TrfRound(int(opponent or 0), colour if colour in ("w", "b") else "", result)

    def games(self) -> Games:
        """Bring the lines together."""
        rows = list(pairings(self.players, self.file, self.report))
        self._check_points()
        self._check_rounds()
        order = {number: row for row, number in enumerate(self.players)}
        people = [self._person(p) for p in self.players.values()]
        ratings = [p.rating for p in people]
        dates, precision = self._dates(rows)
        white = [order[p.white] for p in rows]
        black = [None if p.black is None else order[p.black] for p in rows]
        columns = {
            "white": white,
            "black": black,
            "score": [p.score for p in rows],
            "black_score": [p.black_score for p in rows],
            "status": [p.status for p in rows],
            "date": dates,
            "precision": precision,
            "event": [0] * len(rows),
            "round": [str(p.round) for p in rows],
            "white_rating": [ratings[w] for w in white],
            "black_rating": [None if b is None else ratings[b] for b in black],
        }
        return Games.assemble(columns, people, [self._event(order)])

    def _person(self, player: TrfPlayer) -> Player:
        text = player.text
        rating: float | None = None
        if text["rating"] not in ("", "-", "0"):
            value = text["rating"]
            if value.isdecimal() and 0 < int(value) <= MAX_RATING:
                rating = float(value) or None
            elif value.strip("0"):
                why = (
                    f"expected a rating from 1 to {MAX_RATING:g}, found {value!r}: taken as unrated"
                )
                self.report.add(self.file, player.line, "repaired", why)
        title = text["title"]
        return Player(
            name=text["name"] or f"Player {player.number}",
            id=text["id"] if text["id"].strip("0") else None,
            federation=text["federation"] or None,
            title=TITLES.get(title.lower(), title.upper()) or None,
            sex=SEXES.get(text["sex"].lower()),
            birth=birth_date(text["birth"]),
            rating=rating,
        )

    def _event(self, order: dict[int, int]) -> Event:
        count = self.rounds or max((len(p.rounds) for p in self.players.values()), default=0)
        return Event(
            name=self.head.get("name") or self.file.rsplit("/", 1)[-1],
            site=self.head.get("site") or None,
            federation=self.head.get("federation") or None,
            start=parse_day(self.head.get("start", "")),
            end=parse_day(self.head.get("end", "")),
            kind=self.head.get("kind") or None,
            arbiter=self.head.get("arbiter") or None,
            deputies=tuple(self.deputies),
            time_control=self.head.get("time_control") or None,
            rounds=count or None,
            round_dates=tuple(self.round_dates.get(r, "") for r in range(1, count + 1)),
            teams=tuple(
                (name, tuple(order[n] for n in numbers if n in order))
                for name, numbers in self.teams
            ),
            extra=tuple(self.extra),
        )

    def _dates(self, rows: list[Pairing]) -> tuple[list[date | None], list[str | None]]:
        """Return the day of each round where line 132 has it, else the start of the event."""
        start, end = (parse_day(self.head.get(k, "")) for k in ("start", "end"))
        if start is not None and start > date.today():
            why = f"expected a start up to today, found {start}: taken as unknown"
            self.report.add(self.file, None, "repaired", why)
            start = None
        about = None
        if start is not None:
            same = end is None or (start.year, start.month) == (end.year, end.month)
            about = "day" if end == start else "month" if same else "year"
        days = {r: parse_day(text) for r, text in self.round_dates.items()}
        dates = [days.get(p.round) or start for p in rows]
        return dates, ["day" if days.get(p.round) else about for p in rows]

    def _check_points(self) -> None:
        for player in self.players.values():
            stated = player.text["points"]
            if not stated:
                continue
            total = sum(self._earned(r) for r in player.rounds)
            try:
                difference = abs(float(stated) - total)
            except ValueError:
                why = (
                    f"expected points in columns 81-84, found {stated!r}: {total:g} by the results"
                )
                self.report.add(self.file, player.line, "repaired", why)
                continue
            if difference > 1e-9:
                why = f"points do not add up: the line says {stated}, its results give {total:g}"
                self.report.add(self.file, player.line, "noted", why)

    def _earned(self, done: TrfRound) -> float:
        letter = SCORE.get(done.result) if done.opponent else BYE_POINTS.get(done.result)
        return self.points[letter] if letter else 0.0

    def _check_rounds(self) -> None:
        if self.rounds is None:
            return
        for player in self.players.values():
            played = [r for r, done in enumerate(player.rounds, start=1) if done.result]
            if played and played[-1] > self.rounds:
                why = f"a result in round {played[-1]}, but the event has {self.rounds} rounds"
                self.report.add(self.file, player.line, "noted", why)
