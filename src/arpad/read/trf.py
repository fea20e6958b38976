"""FIDE's tournament report files: TRF16 (with the XX extensions) and TRF26."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from arpad.errors import FormatError
from arpad.model import Event, Games, Player
from arpad.read.collect import MAX_RATING
from arpad.read.fields import parse_day
from arpad.read.headings import WORDS
from arpad.read.result_words import settle_byes
from arpad.read.source import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.model import Status
    from arpad.read.source import Report, Source


# The layout of FIDE's tournament report files, TRF16 and TRF26: where what stands.
#
# Columns are counted from 1, as the standard does; both ends belong to the field.

FIELDS = {
    "number": (5, 8),
    "sex": (10, 10),
    "title": (11, 13),
    "name": (15, 47),
    "rating": (49, 52),
    "federation": (54, 56),
    "id": (58, 68),
    "birth": (70, 79),
    "points": (81, 84),
    "rank": (86, 89),
}
"""The player's line, 001; the same in TRF16 and TRF26."""
FIRST_ROUND, ROUND_WIDTH = 92, 10
"""Round r begins at 92 + 10 (r − 1): opponent 4 wide, colour at +5, result at +7."""
_HEADED = (
    "012 name|022 site|032 federation|042 start|052 end|062 players|072 rated players|082 teams|092 kind|102 arbiter"
    "|112 deputies|122 time_control|132 round_dates"
)
HEADERS = dict(row.split(" ", 1) for row in _HEADED.split("|"))
TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"} | {
    "gf": "WGM",
    "mf": "WIM",
    "ff": "WFM",
    "cf": "WCM",
}
"""The short titles of older files; the full ones stand for themselves."""
SEXES = dict.fromkeys(WORDS["lists"]["men"].split(), "m") | dict.fromkeys(
    WORDS["lists"]["women"].split(), "w"
)
"""TRF says m and w; FIDE's lists and some programs say f; members' lists have whole words."""
TRF26_RECORDS = {
    *("142", "152", "162", "172", "182", "192", "202", "212", "222", "240", "250", "260"),
    *("299", "300", "310", "320", "330", "352", "362"),
}
"""Records that TRF16 does not have."""
KNOWN_OTHER = TRF26_RECORDS | {"013", "801", "802"}
"""Records that are kept, or read elsewhere in the reader."""
BYE_POINTS = {"U": "P", "F": "W", "+": "W", "1": "W", "H": "D", "=": "D", "Z": "A", "-": "A", "0": "A"}
"""Without an opponent: which of the event's point values a result code earns."""
DEFAULT_POINTS = {"W": 1.0, "D": 0.5, "L": 0.0, "A": 0.0, "P": 1.0}
"""Win, draw, loss, absence, pairing-allocated bye [TRF26 162]; XXS and BB lines say the same."""


@dataclass(frozen=True, slots=True)
class TrfRound:
    """One round in a player's line."""

    opponent: int
    colour: str
    result: str


@dataclass(slots=True)
class TrfPlayer:
    """One 001 line."""

    line: int
    number: int
    text: dict[str, str]
    rounds: list[TrfRound] = field(default_factory=list)


def cell(line: str, name: str) -> str:
    """Return one field of a player's line."""
    first, last = FIELDS[name]
    return line[first - 1 : last].strip()


def birth_date(text: str) -> str | None:
    """Return YYYY, YYYY-MM or YYYY-MM-DD from what stands in the birth field, or None."""
    result = re.match(r"(\d{4})(?:[./-](\d{2})[./-](\d{2}))?$", text.strip())
    if not result or result[1] == "0000":
        return None
    year, month, day = result.groups()
    if not month or month == "00":
        return year
    return f"{year}-{month}" if day == "00" else f"{year}-{month}-{day}"


def aligned(line: str) -> str:
    """Count columns in characters or, as some programs do, in bytes: the one that fits."""
    if line.isascii() or _in_place(line):
        return line
    stretched = line.encode("utf-8").decode("latin-1")
    if not _in_place(stretched):
        return line
    # Cut the name out of the bytes, then put it back as text in a field of the same width.
    first, last = FIELDS["name"]
    name = stretched[first - 1 : last].encode("latin-1").decode("utf-8", errors="replace")
    return stretched[: first - 1] + name.ljust(last - first + 1) + stretched[last:]


def _in_place(line: str) -> bool:
    blocks = [line[i : i + 8] for i in range(FIRST_ROUND - 1, len(line), ROUND_WIDTH)]
    return all(
        re.fullmatch(r"[ \d]{4} [wbWB -]? ?[\w=+ -]?\s*", b) is not None for b in blocks if b.strip()
    ) and (line[4:8].strip().isdigit())


# Two lines tell of one game; here they are brought together, and every disagreement reported.

OPPOSITE = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+", "W": "L", "L": "W", "D": "D"}
SCORE = {"1": "W", "W": "W", "+": "W", "=": "D", "D": "D", "0": "L", "L": "L", "-": "A"}
STATUS: dict[str, Status] = {
    **dict.fromkeys("1=0", "played"),
    **dict.fromkeys("WDL", "unrated"),
    **dict.fromkeys("+-", "forfeit"),
}


@dataclass(frozen=True, slots=True)
class TrfPairing:
    """One row of the games table to be; players by starting number, no Black in a bye."""

    round: int
    white: int
    black: int | None
    score: float | None
    black_score: float | None
    status: Status


def pairings(
    players: dict[int, TrfPlayer], file: str, report: Report, *, first_line_counts: bool = False
) -> Iterator[TrfPairing]:
    """Yield every pairing once, round by round.

    `first_line_counts`: Of two lines that contradict each other, take the first; else the game is not rated.
    """
    last = max((len(p.rounds) for p in players.values()), default=0)
    for number in range(1, last + 1):
        done: set[int] = set()
        for player in players.values():
            mine = _round(player, number)
            if mine is None or player.number in done:
                continue
            if mine.opponent == player.number:
                why = f"round {number}: player {player.number} against himself: a game needs two"
                report.add(file, player.line, "skipped", why)
            elif mine.opponent == 0:
                yield from _bye(player, mine, number, file, report)
            elif other := players.get(mine.opponent):
                done.add(player.number)
                theirs = _round(other, number)
                if theirs is not None and theirs.opponent == player.number:
                    done.add(other.number)
                yield from _game(player, other, mine, theirs, number, file, report, first_line_counts)
            else:
                why = f"round {number}: opponent {mine.opponent} has no line of its own"
                report.add(file, player.line, "skipped", why)


def _round(player: TrfPlayer, number: int) -> TrfRound | None:
    return player.rounds[number - 1] if number <= len(player.rounds) else None


def _bye(player: TrfPlayer, mine: TrfRound, number: int, file: str, report: Report) -> Iterator[TrfPairing]:
    if not mine.result:
        return
    if mine.result not in BYE_POINTS:
        why = f"round {number}: expected a bye (U F H Z) where there is no opponent, found {mine.result!r}"
        report.add(file, player.line, "skipped", why)
        return
    yield TrfPairing(number, player.number, None, DEFAULT_POINTS[BYE_POINTS[mine.result]], None, "bye")


def _game(
    player: TrfPlayer,
    other: TrfPlayer,
    mine: TrfRound,
    theirs: TrfRound | None,
    number: int,
    file: str,
    report: Report,
    first_line_counts: bool,
) -> Iterator[TrfPairing]:
    who = f"round {number}, {player.number} against {other.number}"
    if theirs is None or theirs.opponent != player.number:
        said = "nothing" if theirs is None else f"opponent {theirs.opponent or 'none'}"
        report.add(file, player.line, "repaired", f"{who}: line {other.line} says {said}; this line is taken")
        theirs = None
    result = mine.result or (OPPOSITE.get(theirs.result, "") if theirs else "")
    reply = (theirs.result if theirs else "") or OPPOSITE.get(result, "")
    has_white = _has_white(mine, theirs, who, player.line, file, report)
    white, black = (player.number, other.number) if has_white else (other.number, player.number)
    if not result:
        yield TrfPairing(number, white, black, None, None, "unplayed")
        return
    if result not in SCORE or reply not in SCORE:
        strange = result if result not in SCORE else reply
        report.add(
            file,
            player.line,
            "skipped",
            f"{who}: expected a result (1 = 0 + - W D L), found {strange!r}",
            named=True,
        )
        return
    status = STATUS[result]
    agreed = OPPOSITE[result] == reply or (result == reply == "-")
    if not agreed and first_line_counts:
        why = f"{who}: {result!r} here, but {reply!r} in line {other.line}; this line is taken"
        report.add(file, player.line, "repaired", why)
        reply = OPPOSITE[result]
    elif not agreed:
        why = f"{who}: the two lines do not agree, {result!r} and {reply!r}: kept for points, not rated"
        report.add(file, player.line, "repaired", why)
        status = "forfeit" if "forfeit" in (STATUS[result], STATUS[reply]) else "unrated"
    own, their = _points(result), _points(reply)
    yield TrfPairing(number, white, black, *((own, their) if has_white else (their, own)), status)


def _points(result: str) -> float:
    """Return the share of the point; what the event gives for it is another matter."""
    return {"W": 1.0, "D": 0.5}.get(SCORE[result], 0.0)


def _has_white(
    mine: TrfRound, theirs: TrfRound | None, who: str, line: int, file: str, report: Report
) -> bool:
    if theirs is not None and mine.colour == theirs.colour and mine.colour in ("w", "b"):
        why = f"{who}: both lines say colour {mine.colour!r}; this line is taken"
        report.add(file, line, "repaired", why)
    if mine.colour in ("w", "b"):
        return mine.colour == "w"
    # No colours (usual in a forfeit): the line that stands first is White.
    return theirs is None or theirs.colour != "w"


# FIDE's tournament report files: TRF16 (with the XX extensions) and TRF26.

_POINT_CODES = {  # XXS and BB codes → the letters of TRF26's record 162
    code: letter
    for letter, codes in (
        ("W", "W WW BW FW FPB BBW"),
        ("D", "D WD BD HPB BBD"),
        ("L", "L WL BL BBL"),
        ("A", "ZPB FL BBZ BBF"),
        ("P", "PAB BBU"),
    )
    for code in codes.split()
}


def read_trf(source: Source) -> Games:
    """Read one event."""
    data = source.everything()
    text = decode(data, source.name, source.report)
    trf = TrfFile(source.name, source.report)
    trf.take_all(text)
    ends = "\r\n" if b"\r\n" in data else "\r" if b"\r" in data else "\n"
    trf.text = text.replace("\n", ends)
    if not trf.players:
        raise FormatError(
            "expected player lines (they begin with 001), found none: is this a TRF file?", file=source.name
        )
    return trf.games()


class TrfFile:
    """Content of one file, as far as it has been read."""

    def __init__(self, file: str, report: Report, *, first_line_counts: bool = False) -> None:
        self.file = file
        self.report = report
        self.first_line_counts = first_line_counts
        self.players: dict[int, TrfPlayer] = {}
        self.points = dict(DEFAULT_POINTS)
        self.team_points: dict[str, float] = {}
        self.tie_breaks: dict[str, tuple[str, ...]] = {}
        self.head: dict[str, str] = {}
        self.deputies: list[str] = []
        self.round_dates: dict[int, str] = {}
        self.rounds: int | None = None
        self.teams: list[tuple[str, tuple[int, ...]]] = []
        self.extra: list[str] = []
        self.ids: dict[str, int] = {}
        self.announced: list[tuple[int, int, str]] = []
        """Byes of record 240: starting number, round, letter."""
        self.adjusted: list[tuple[int, int, str, float]] = []
        """Points of record 299: starting number, round, letter, points."""
        self.text = ""

    def take_all(self, text: str) -> None:
        """Read every line."""
        for number, line in enumerate(text.split("\n"), start=1):
            self.take(number, line.rstrip())

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

    def _other(self, number: int, code: str, value: str, line: str) -> None:  # noqa: C901
        if code == "XXS":
            self._score_points(re.findall(r"([A-Z]+)\s*=\s*(\d*\.?\d+)", value))
        elif code == "162":
            self._score_points(re.findall(r"([A-Z])\s*(\d*\.?\d+)", value))
        elif code == "362":
            result = re.findall(r"([A-Z])\s*(\d*\.?\d+)", value)
            self.team_points |= {letter: float(points) for letter, points in result}
        elif code in ("202", "212"):
            names = tuple(re.split(r"[\s,;]+", value)) if value else ()
            self.tie_breaks[code] = names
        elif code in _POINT_CODES:
            self._score_points([(code, value)])
        elif code == "222" and value:
            self.head["time_control"] = value
        elif code == "192" and value:
            self.head.setdefault("kind", value)
        elif code == "240" and (bye := re.fullmatch(r"([FHZ]) +(\d+)((?: +\d+)+)", value, re.IGNORECASE)):
            self.announced += [(int(n), int(bye[2]), bye[1].upper()) for n in bye[3].split()]
        elif code == "299":
            self._adjustment(line)
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

    def _adjustment(self, line: str) -> None:
        """Read an arbiter's points: letter, match points, game points, round, starting numbers."""
        try:
            points, at = float(line[13:17]), int(line[19:22].strip() or 0)
        except ValueError:
            return
        self.adjusted += [(int(n), at, line[4:5].strip().upper(), points) for n in line[22:].split()]

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
            why = f"starting number {start} is in line {self.players[start].line} already"
            self.report.add(self.file, number, "skipped", why)
            return
        player = TrfPlayer(number, start, text)
        at = FIRST_ROUND - 1
        for begin in range(at, len(line), ROUND_WIDTH):
            player.rounds.append(self._round(line[begin : begin + 8], number))
        self.players[start] = player
        twin = self.ids.setdefault(text["id"], number) if text["id"].strip("0") else number
        if twin != number:
            why = f"id {text['id']} is in line {twin} already: two players, or one twice?"
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
        self._check_points()
        self._check_rounds()
        self._announce_byes()
        rows = list(pairings(self.players, self.file, self.report, first_line_counts=self.first_line_counts))
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
        games = Games.assemble(columns, people, [self.event(order)])
        lines = [self.players[p.white].line for p in rows]
        return settle_byes(games, self.file, self.report, lines)[0]

    def _announce_byes(self) -> None:
        """Enter the byes of record 240 where the player's own line has nothing."""
        for number, at, letter in self.announced:
            if player := self.players.get(number):
                player.rounds += [TrfRound(0, "", "")] * (at - len(player.rounds))
                if not (player.rounds[at - 1].opponent or player.rounds[at - 1].result):
                    player.rounds[at - 1] = TrfRound(0, "", letter)

    def _person(self, player: TrfPlayer) -> Player:
        text = player.text
        rating: float | None = None
        if text["rating"] not in ("", "-", "0"):
            value = text["rating"]
            if value.isdecimal() and 0 < int(value) <= MAX_RATING:
                rating = float(value) or None
            elif value.strip("0"):
                why = f"expected a rating from 1 to {MAX_RATING:g}, found {value!r}: taken as unrated"
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
            total_games=int(text["provisional"]) if rating and text.get("provisional") else None,
        )

    def event(self, order: dict[int, int]) -> Event:
        """Return what the head says, players by row."""
        stated = [(n, p.text["rank"]) for n, p in self.players.items()]
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
                (name, tuple(order[n] for n in numbers if n in order)) for name, numbers in self.teams
            ),
            points=tuple((k, v) for k, v in self.points.items() if DEFAULT_POINTS.get(k) != v),
            team_points=tuple(self.team_points.items()),
            tie_breaks=self._order_of_tie_breaks(),
            ranks=tuple((order[n], int(t)) for n, t in stated if t.isdecimal() and int(t)),
            byes=tuple(
                (order[n], r, done.result)  # whose letter says more than their points
                for n, player in self.players.items()
                for r, done in enumerate(player.rounds, start=1)
                if not done.opponent and done.result in BYE_POINTS and done.result not in "UHZ"
            ),
            adjustments=()
            if self.teams
            else tuple((order[n], r, letter, own) for n, r, letter, own in self.adjusted if n in order),
            numbers=tuple((row, n) for n, row in order.items()),
            extra=tuple(self.extra),
            text=self.text,
        )

    def _order_of_tie_breaks(self) -> tuple[str, ...]:
        """Return the whole order: record 212 has it, record 202 has what follows the points."""
        primary = re.search(r"_(MP|GP)(_|$)", self.head.get("kind", ""))  # record 192 names it first
        first = "PTS" if not self.teams else "GPTS" if primary and primary[1] == "GP" else "MPTS"
        if whole := self.tie_breaks.get("212"):
            return tuple(first if name == "PTS" else name for name in whole)
        after = self.tie_breaks.get("202", ())
        return (first, *after) if after and after[0] not in ("PTS", "MPTS", "GPTS") else after

    def _dates(self, rows: list[TrfPairing]) -> tuple[list[date | None], list[str | None]]:
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
            total += sum(
                points for n, _, letter, points in self.adjusted if n == player.number and not letter
            )
            try:
                difference = abs(float(stated) - total)
            except ValueError:
                why = f"expected points in columns 81-84, found {stated!r}: {total:g} by the results"
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
