"""The public part of a ledger as static files: lists, players, events, moves, charts, search, JSON, feed.

Any web server can serve the folder. A second run writes only what has changed: the folder has a file with the
versions of what was written.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import jinja2
import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError, counted
from arpad.ledger.db import tables
from arpad.ledger.games import result_text
from arpad.ledger.lists import corrections_of, entries_as_of, kept_lists
from arpad.ledger.register import merged_ends
from arpad.publish.charts.style import line_chart
from arpad.publish.output import safe_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.lists import KeptList


T = TypeVar("T")
STATE = ".arpad-site.json"
"""The file in the folder that says what was written, and from what."""
SHARD = 1000
"""Players or events whose pages share a folder."""
ROWS, GAMES = 400, 300
"""Rows of a list, and games, on one page: a page stays below 200 kB."""
MOVES = 120_000
"""Characters of moves on one page."""
MANY = 400
"""Numbers in one SQL condition; above this many changed players all games are read at once."""
LEADERS, LATEST = 20, 30
"""Players of a list, and events, on the first page."""
COURSE = 120
"""Lists on the page of a player."""
_LISTED = ("rank", "player", "name", "title", "federation", "rating", "games", "change")


@dataclass(slots=True)
class SiteResult:
    """Summary of the files in the folder."""

    folder: str
    players: int = 0
    events: int = 0
    lists: int = 0
    written: int = 0
    unchanged: int = 0
    removed: int = 0

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.folder}: {counted(self.players, 'player')}, {counted(self.events, 'event')} and "
            f"{counted(self.lists, 'list')}; {counted(self.written, 'file')} written, {self.unchanged:,} as they were, {self.removed:,} removed"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def write_site(
    ledger: Ledger,
    folder: str | Path,
    *,
    title: str = "Chess ratings",
    url: str = "",
    whole: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> SiteResult:
    """Write the published lists, the players on them and the events into a folder.

    Parameters
    ----------
    title
        Title of the pages.
    url
        The address of the folder on the web: the feed and the site map need it.
    whole
        Write everything again, whatever was written before.
    progress
        Called with what is written, how many of it are done, and how many there are.
    """
    place = Path(folder)
    if place.exists() and any(place.iterdir()) and not (place / STATE).exists():
        raise UsageError(
            f"{place}: expected an empty folder or one of an earlier run, found other files in it"
        )
    place.mkdir(parents=True, exist_ok=True)
    with ledger.reading() as connection:
        site = _Site(connection, place, title, url.rstrip("/"), progress)
        return site.write(whole=whole)


class _GameRow(NamedTuple):
    """A game as one of its players sees it."""

    player: int
    event: int
    game: int
    round: str | None
    date: Any
    colour: str
    opponent: int | None
    opponent_rating: float | None
    score: float | None
    lost: float | None
    """Points of the opponent."""
    status: str


_GAME = (
    *("id", "event_id", "white_id", "black_id", "round", "date"),
    *("score", "black_score", "status", "white_rating", "black_rating"),
)


@dataclass(slots=True)
class _SiteState:
    """Version of everything written, by key, and the files of each key."""

    version: str = ""
    versions: dict[str, dict[str, str]] = field(
        default_factory=lambda: {"list": {}, "event": {}, "player": {}}
    )
    files: dict[str, list[str]] = field(default_factory=dict)
    people: dict[str, list[int]] = field(default_factory=dict)
    """The players of each event."""
    last: dict[str, str] = field(default_factory=dict)
    """The last rating of each player, and by which policy, if there are several."""
    ends: dict[str, int] = field(default_factory=dict)
    """Present player for each merged one."""


class _Site:
    """One run: what the ledger holds, and what has to be written."""

    def __init__(
        self,
        connection: Connection,
        place: Path,
        title: str,
        url: str,
        progress: Callable[[str, int, int], None],
    ) -> None:
        self.connection, self.place, self.progress = connection, place, progress
        self.title, self.url = title, url
        self.done = SiteResult(str(place))
        self.state = _SiteState()
        self.made: dict[str, list[str]] = {}
        self.assets = {name: _asset(name) for name in ("site.css", "site.js")}
        self.pages = jinja2.Environment(
            loader=jinja2.PackageLoader("arpad.publish", "site_files"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.pages.filters.update(rating=_rating, signed=_signed, points=_points)
        self.pages.globals.update(
            title=title,
            player_path=player_path,
            event_path=event_path,
            css=self.assets["site.css"][0],
            js=self.assets["site.js"][0],
        )
        self.ends = merged_ends(connection)
        self.players = self._players()
        self.events = self._events()
        self.lists = self._lists()

    # What the ledger holds.

    def _players(self) -> dict[int, dict[str, Any]]:
        p = tables.players.c
        query = sa.select(p.id, p.name, p.title, p.federation, sa.func.substr(p.birth, 1, 4).label("born"))
        rows = self.connection.execute(query.where(p.merged_into.is_(None)).order_by(p.id))
        return {row.id: dict(row._mapping) for row in rows}

    def _events(self) -> dict[int, dict[str, Any]]:
        e, g = tables.events.c, tables.games.c
        counted = (
            sa.select(g.event_id, sa.func.count().label("games"), sa.func.sum(g.plies).label("plies"))
            .group_by(g.event_id)
            .subquery()
        )
        about = (e[name] for name in ("id", "name", "site", "start", "end", "time_control", "content"))
        query = (
            sa.select(*about, counted.c.games, counted.c.plies)
            .join(counted, counted.c.event_id == e.id)
            .where(e.excluded.is_(False))
            .order_by(sa.func.coalesce(e.end, e.start).desc(), e.id.desc())
        )
        return {row.id: dict(row._mapping) for row in self.connection.execute(query)}

    def _lists(self) -> list[KeptList]:
        return [each for each in kept_lists(self.connection) if each.published and not each.number]

    # What has changed.

    def write(self, *, whole: bool) -> SiteResult:
        """Write what has changed."""
        old = _SiteState() if whole else self._read()
        new = self.state
        new.version = self._version()
        new.versions = {
            "list": {str(each.id): self._list_version(each) for each in self.lists},
            "event": {str(n): _hash(e) for n, e in self.events.items()},
            "player": {str(n): _hash(p) for n, p in self.players.items()}
            | {str(n): _hash(["merged", end]) for n, end in self.ends.items()},
        }
        if old.version != new.version:
            old.versions = _SiteState().versions
        changed = {kind: _changed(old.versions[kind], new.versions[kind]) for kind in new.versions}
        new.ends = {str(number): end for number, end in self.ends.items()}
        moved = {key for key in old.ends.keys() | new.ends.keys() if old.ends.get(key) != new.ends.get(key)}
        renamed = changed["player"] | {
            int(n) for key in moved for n in (key, old.ends.get(key, key), new.ends.get(key, key))
        }
        events = changed["event"]
        self.made = {key: paths for key, paths in old.files.items() if _known(key, new)}
        new.people = {key: who for key, who in old.people.items() if key in new.versions["event"]}
        touched = {who for n in events | _gone(old, new, "event") for who in old.people.get(str(n), ())}
        if renamed and old.version:  # their names stand on the pages of opponents and events
            near = set(events | {int(k) for k, who in old.people.items() if renamed & set(who)})
            events |= near & self.events.keys()
            touched |= {who for n in near for who in old.people.get(str(n), ())}
        for number in events:
            new.people[str(number)] = []
        courses = self._courses(changed["list"], old)
        new.last = old.last if courses is None else _last(courses)
        everybody = bool(changed["list"] or _gone(old, new, "list")) or not old.version
        self._write_events(events)
        touched |= renamed | {who for n in events for who in new.people[str(n)]}
        people = set(self.players) if everybody else touched & self.players.keys()
        self._write_players(people, courses if courses is not None else self._read_courses(people))
        for number in renamed & self.ends.keys():
            there = self._page("merged.html", player_path(number), to=player_path(self.ends[number]))
            self._put(f"player {number}", [there])
        if changed["list"] or not old.version:
            self._write_lists(changed["list"], courses or {})
        if changed["list"] or renamed or not old.version or _gone(old, new, "player"):
            self._write_search()
        self._write_front()
        self._finish(old)
        return self.done

    def _version(self) -> str:
        """Return the version of the program's part: other templates mean other pages."""
        texts = [self.title, self.url]
        folder = files("arpad.publish") / "site_files"
        texts += [each.read_text("utf-8") for each in sorted(folder.iterdir(), key=lambda f: f.name)]
        texts.append(files("arpad.publish").joinpath("site.py").read_text("utf-8"))
        return _hash(texts)

    def _list_version(self, kept: KeptList) -> str:
        later = [each for each in corrections_of(self.connection, kept) if each.published]
        h = tables.list_hashes.c
        query = sa.select(h.list_id, h.sha256).where(h.list_id.in_([kept.id, *(each.id for each in later)]))
        told = sorted(tuple(row) for row in self.connection.execute(query))
        return _hash([kept.policy, kept.name, str(kept.published), told])

    def _read(self) -> _SiteState:
        try:
            told = json.loads((self.place / STATE).read_text("utf-8"))
            return _SiteState(**told)
        except (OSError, ValueError, TypeError):
            return _SiteState()

    def _finish(self, old: _SiteState) -> None:
        kept = {path for paths in self.made.values() for path in paths}
        for paths in old.files.values():
            for path in paths:
                if path not in kept:
                    (self.place / path).unlink(missing_ok=True)
                    self.done.removed += 1
        self.state.files = self.made
        text = json.dumps(
            {name: getattr(self.state, name) for name in self.state.__slots__}, separators=(",", ":")
        )
        _write(self.place / STATE, text.encode())
        self.done.unchanged = len(kept) - self.done.written
        self.done.players, self.done.events = len(self.players), len(self.events)
        self.done.lists = len(self.lists)

    # Writing.

    def _put(self, key: str, pages: Iterable[tuple[str, str]]) -> None:
        """Write the files of a key."""
        paths = []
        for path, text in pages:
            self.done.written += _write(self.place / path, text.encode())
            paths.append(path)
        self.made[key] = paths

    def _page(self, template: str, path: str, **values: Any) -> tuple[str, str]:
        root = "../" * path.count("/")
        return path, self.pages.get_template(template).render(root=root, path=path, **values)

    def _courses(self, changed: set[int], old: _SiteState) -> dict[int, list[dict[str, Any]]] | None:
        """Return the ratings of every player on every list; None: no list has changed."""
        if not changed and old.version and not _gone(old, self.state, "list"):
            return None
        result: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for done, kept in enumerate(self.lists):
            self.progress("lists", done, len(self.lists))
            for row in entries_as_of(self.connection, kept).to_dicts():
                result[row["player_id"]].append(_figure(kept, row))
        return result

    def _read_courses(self, people: set[int]) -> dict[int, list[dict[str, Any]]]:
        """Return the ratings of some players from their own files: no list has changed since."""
        result = {}
        for number in people:
            try:
                told = json.loads((self.place / player_path(number, "json")).read_text("utf-8"))
                result[number] = told["ratings"]
            except (OSError, ValueError, KeyError):
                result[number] = self._course_of(number)
        return result

    def _course_of(self, number: int) -> list[dict[str, Any]]:
        mine = pl.col("player_id") == number
        lists = ((kept, entries_as_of(self.connection, kept).filter(mine)) for kept in self.lists)
        return [_figure(kept, row) for kept, rows in lists for row in rows.to_dicts()]

    def _write_lists(self, changed: set[int], courses: Mapping[int, list[dict[str, Any]]]) -> None:
        by_list: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for number, rows in courses.items():
            for row in rows:
                by_list[row["list_id"]].append({**row, "player": number})
        for kept in self.lists:
            rows = [r for r in by_list[kept.id] if r["rank"] is not None]
            rows.sort(key=lambda r: (r["rank"], r["name"]))
            if kept.id in changed:
                self._put(f"list {kept.id}", self._list_pages(kept, rows))
        lines = [self._line(kept) for kept in self.lists[::-1]]
        self._put("lists", [self._page("lists.html", "lists/index.html", lists=lines)])

    def _list_pages(self, kept: KeptList, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        base, line = list_folder(kept), self._line(kept)
        parts = list(_chunks(rows, ROWS)) or [[]]
        for number, part in enumerate(parts, 1):
            path = f"{base}/{'index' if number == 1 else number}.html"
            some = [{**row, "href": self._player_href(row["player"])} for row in part]
            yield self._page(
                "list.html", path, list=line, rows=some, page=number, of=len(parts), total=len(rows)
            )
        plain = [{key: row[key] for key in _LISTED} for row in rows]
        yield f"{base}/list.json", _json({"policy": kept.policy, "name": kept.name, "players": plain})
        yield f"{base}/list.csv", safe_csv(pl.DataFrame(plain, infer_schema_length=None)) if plain else ""

    def _line(self, kept: KeptList) -> dict[str, Any]:
        told = {name: getattr(kept, name) for name in ("policy", "name", "closing", "published")}
        return {**told, "folder": list_folder(kept)}

    def _player_href(self, number: int | None) -> str | None:
        """Return the page of a player; who was merged has one that leads on, so that no list changes by a merge."""
        return player_path(number) if number in self.players or number in self.ends else None

    def _write_events(self, numbers: set[int]) -> None:
        done = 0
        for chunk in _chunks(sorted(numbers), MANY):
            rows: dict[int, list[_GameRow]] = defaultdict(list)
            for row in self._rows(tables.games.c.event_id.in_(chunk)):
                rows[row.event].append(row)
            texts = self._moves(chunk)
            for number in chunk:
                self.state.people[str(number)] = sorted({row.player for row in rows[number]})
                self._put(f"event {number}", self._event_pages(number, rows[number], texts.get(number, [])))
            done += len(chunk)
            self.progress("events", done, len(numbers))

    def _moves(self, events: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        g, m = tables.games.c, tables.moves.c
        query = sa.select(g.event_id, g.id, m.text).join(tables.moves, m.game_id == g.id)
        result: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for event, game, text in self.connection.execute(
            query.where(g.event_id.in_(events)).order_by(g.number)
        ):
            result[event].append((game, text))
        return result

    def _event_pages(
        self, number: int, rows: Sequence[_GameRow], texts: Sequence[tuple[int, str]]
    ) -> Iterator[tuple[str, str]]:
        event = self.events[number]
        where, moves = {}, list(_by_length(texts))
        for page, part in enumerate(moves, 1):
            where.update({game: f"{_moves_path(number, page)}#g{game}" for game, _ in part})
        table = self._standings(rows)
        games = [
            {
                "id": row.game,
                "round": row.round,
                "date": row.date,
                "white": self._name(row.player),
                "white_href": self._player_href(row.player),
                "black": self._name(row.opponent),
                "black_href": self._player_href(row.opponent),
                "result": result_text(row.score, row.lost, row.status),
                "moves": where.get(row.game),
            }
            for row in rows
            if row.colour == "white" and row.opponent is not None
        ]
        parts, heads = list(_chunks(games, GAMES)) or [[]], list(_chunks(table, GAMES)) or [[]]
        for page in range(max(len(parts), len(heads))):
            yield self._page(
                "event.html",
                event_path(number) if not page else event_path(number, f"{page + 1}.html"),
                event=event,
                table=heads[page] if page < len(heads) else [],
                games=parts[page] if page < len(parts) else [],
                page=page + 1,
                of=max(len(parts), len(heads)),
                twin=event_path(number, "json"),
            )
        text, by_game = dict(texts), {game["id"]: game for game in games}
        for page, part in enumerate(moves, 1):
            some = [{**by_game[game], "text": text[game]} for game, _ in part if game in by_game]
            yield self._page(
                "moves.html", _moves_path(number, page), event=event, games=some, page=page, of=len(moves)
            )
        told = {k: v for k, v in event.items() if k not in ("content", "plies")}
        yield event_path(number, "json"), _json({**told, "standings": table, "played": games})

    def _standings(self, rows: Sequence[_GameRow]) -> list[dict[str, Any]]:
        sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0])
        for row in rows:
            each = sums[row.player]
            each[0] += row.score or 0.0
            each[1] += row.status == "played"
        order = sorted(sums.items(), key=lambda s: (-s[1][0], self._name(s[0])))
        return [
            {"name": self._name(who), "href": self._player_href(who), "points": points, "games": played}
            for who, (points, played) in order
        ]

    def _name(self, number: int | None) -> str:
        return str(self.players[number]["name"]) if number in self.players else ""

    def _rows(self, where: sa.ColumnElement[bool] | None = None) -> Iterator[_GameRow]:
        """Give the games of the events that count, twice each, in the order of event and game."""
        g = tables.games.c
        query = (
            sa.select(*(g[name] for name in _GAME))
            .join(tables.events, tables.events.c.id == g.event_id)
            .where(tables.events.c.excluded.is_(False), *(() if where is None else (where,)))
            .order_by(g.event_id, g.number)
        )
        for row in self.connection.execute(query):
            white = self.ends.get(row.white_id, row.white_id)
            black = self.ends.get(row.black_id, row.black_id)
            same = (row.event_id, row.id, row.round, row.date)
            one, two = row.score, row.black_score
            yield _GameRow(white, *same, "white", black, row.black_rating, one, two, row.status)
            if black is not None:
                yield _GameRow(black, *same, "black", white, row.white_rating, two, one, row.status)

    def _write_players(self, numbers: set[int], courses: Mapping[int, list[dict[str, Any]]]) -> None:
        done = 0
        for chunk, rows in self._games_by_player(numbers):
            for number in chunk:
                pages = self._player_pages(number, rows.get(number, []), courses.get(number, []))
                self._put(f"player {number}", pages)
            done += len(chunk)
            self.progress("players", done, len(numbers))

    def _games_by_player(
        self, numbers: set[int]
    ) -> Iterator[tuple[Sequence[int], Mapping[int, list[_GameRow]]]]:
        order = sorted(numbers)
        if len(order) > MANY * 5:
            rows = self._rows_of(numbers)
            for chunk in _chunks(order, MANY):
                yield chunk, rows
                for number in chunk:
                    rows.pop(number, None)
            return
        g = tables.games.c
        olds: dict[int, list[int]] = defaultdict(list)
        for old, new in self.ends.items():
            olds[new].append(old)
        for chunk in _chunks(order, MANY // 2):
            some = [n for each in chunk for n in (each, *olds.get(each, ()))]
            yield chunk, self._rows_of(numbers, sa.or_(g.white_id.in_(some), g.black_id.in_(some)))

    def _rows_of(self, numbers: set[int], where: Any = None) -> dict[int, list[_GameRow]]:
        result: dict[int, list[_GameRow]] = defaultdict(list)
        for row in self._rows(where):
            if row.player in numbers:
                result[row.player].append(row)
        return result

    def _player_pages(
        self, number: int, rows: list[_GameRow], course: list[dict[str, Any]]
    ) -> Iterator[tuple[str, str]]:
        who = self.players[number]
        played = sorted(rows, key=lambda r: (str(r.date or ""), r.event, r.game), reverse=True)
        games = [
            {
                "date": row.date,
                "event": self.events[row.event]["name"],
                "event_href": event_path(row.event),
                "colour": row.colour,
                "opponent": self._name(row.opponent),
                "opponent_href": self._player_href(row.opponent),
                "rating": row.opponent_rating,
                "score": row.score,
                "status": row.status,
            }
            for row in played
            if row.event in self.events
        ]
        now: dict[str, dict[str, Any]] = {row["policy"]: row for row in course}
        parts = list(_chunks(games, GAMES)) or [[]]
        for page, part in enumerate(parts, 1):
            yield self._page(
                "player.html",
                player_path(number) if page == 1 else player_path(number, f"{page}.html"),
                who=who,
                now=list(now.values()),
                course=course[-COURSE:][::-1] if page == 1 else [],
                charts=[(policy, chart(policy, course)) for policy in now] if page == 1 else [],
                games=part,
                total=len(games),
                page=page,
                of=len(parts),
                twin=player_path(number, "json"),
            )
        yield player_path(number, "json"), _json({**who, "ratings": course, "games": games})

    def _write_search(self) -> None:
        """Write the index of names: a file for the first two letters of every part of a name."""
        shards: dict[str, list[list[Any]]] = defaultdict(list)
        for number, who in self.players.items():
            words = {word[:2] for word in words_of(who["name"])}
            rating = self.state.last.get(str(number), "")
            line = [who["name"], player_path(number), who["title"] or "", rating]
            for word in words:
                shards[word].append(line)
        pages = [(f"search/{_hex(start)}.json", _json(lines)) for start, lines in sorted(shards.items())]
        self._put("search", pages)

    def _write_front(self) -> None:
        events = list(self.events.values())
        parts = list(_chunks(events, ROWS)) or [[]]
        counts = {"of": len(parts), "total": len(events)}
        pages = [
            self._page(
                "events.html", f"events/{'index' if n == 1 else n}.html", events=part, page=n, **counts
            )
            for n, part in enumerate(parts, 1)
        ]
        self._put("events", pages)
        last = {each.policy: each for each in self.lists}
        leaders = [(self._line(each), self._leaders(each)) for each in last.values()]
        front = [
            self._page(
                "index.html", "index.html", leaders=leaders, events=events[:LATEST], players=len(self.players)
            )
        ]
        front += [self.assets[name] for name in self.assets]
        if self.url:
            feed = self.pages.get_template("feed.xml")
            lists = [self._line(each) for each in self.lists[-LATEST:][::-1]]
            front.append(("feed.xml", feed.render(url=self.url, lists=lists, events=events[:LATEST])))
        front.append(("robots.txt", "User-agent: *\nAllow: /\n"))
        self._put("front", front)

    def _leaders(self, kept: KeptList) -> list[dict[str, Any]]:
        try:
            told = json.loads((self.place / list_folder(kept) / "list.json").read_text("utf-8"))["players"]
        except (OSError, ValueError, KeyError):
            return []
        return [{**row, "href": self._player_href(row["player"])} for row in told[:LEADERS]]


# Paths, small texts, files.


def player_path(number: int, ending: str = "html") -> str:
    """Return the path of a player's page.

    Examples
    --------
    >>> player_path(12), player_path(12, "json"), player_path(12, "2.html")
    ('players/0/12.html', 'players/0/12.json', 'players/0/12-2.html')
    """
    return f"players/{_file(number, ending)}"


def event_path(number: int, ending: str = "html") -> str:
    """Return the path of an event's page."""
    return f"events/{_file(number, ending)}"


def _moves_path(number: int, page: int) -> str:
    return event_path(number, f"moves{page}.html")


def _file(number: int, ending: str) -> str:
    part, _, kind = ending.rpartition(".")
    return f"{number // SHARD}/{number}{f'-{part}' if part else ''}.{kind}"


def list_folder(kept: KeptList) -> str:
    """Return the folder of a list: names may hold anything, so only plain letters are kept as they are."""
    return f"lists/{_safe(kept.policy)}/{_safe(kept.name)}"


def _safe(text: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in text)[:60]
    return plain if plain == text else f"{plain}-{_hash(text)[:6]}"


def words_of(name: str) -> list[str]:
    """Return the words by which a name is found, as `site.js` cuts them.

    Examples
    --------
    >>> words_of("O'Kelly, Ångström J.")
    ['kelly', 'angstrom']
    """
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", name) if not unicodedata.category(c).startswith("M")
    )
    return [word for word in re.split(r"[\W_]+", plain.lower()) if len(word) > 1]


def _hex(text: str) -> str:
    """Return the name of a search file: letters of any script as hexadecimal numbers."""
    return "-".join(f"{ord(c):x}" for c in text)


def _hash(value: Any) -> str:
    return hashlib.blake2b(
        json.dumps(value, default=str, sort_keys=True).encode(), digest_size=12
    ).hexdigest()


def _asset(name: str) -> tuple[str, str]:
    text = (files("arpad.publish") / "site_files" / name).read_text("utf-8")
    stem, _, kind = name.partition(".")
    return f"assets/{stem}-{_hash(text)[:10]}.{kind}", text


def _write(path: Path, content: bytes) -> bool:
    """Write a file whole or not at all, since a server may read it at any moment; say whether it was another one."""
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(content)
    beside.replace(path)
    return True


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, separators=(",", ":"))


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> set[int]:
    return {int(key) for key, version in new.items() if old.get(key) != version}


def _gone(old: _SiteState, new: _SiteState, kind: str) -> set[int]:
    return {int(key) for key in old.versions[kind].keys() - new.versions[kind].keys()}


def _known(key: str, state: _SiteState) -> bool:
    kind, _, number = key.partition(" ")
    return not number or number in state.versions[kind]


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[at : at + size] for at in range(0, len(items), size))


def _by_length(texts: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    part: list[tuple[int, str]] = []
    size = 0
    for game, text in texts:
        if part and size + len(text) > MOVES:
            yield part
            part, size = [], 0
        part.append((game, text))
        size += len(text)
    if part:
        yield part


def _figure(kept: KeptList, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "list_id": kept.id,
        "policy": kept.policy,
        "list": kept.name,
        "folder": list_folder(kept),
        "closing": str(kept.closing),
        **{k: row[k] for k in ("rank", "name", "title", "federation", "rating", "games", "change", "status")},
    }


def _last(courses: Mapping[int, list[dict[str, Any]]]) -> dict[str, str]:
    """Return the rating of each player on the last list that has one."""
    several = len({row["policy"] for course in courses.values() for row in course}) > 1
    result = {}
    for number, course in courses.items():
        rated = [row for row in course if row["rating"] is not None]
        if rated:
            last = max(rated, key=lambda row: row["closing"])
            result[str(number)] = _rating(last["rating"]) + (f" ({last['policy']})" if several else "")
    return result


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def _points(value: float | None) -> str:
    if value is None:
        return ""
    whole, half = divmod(value, 1)
    if half not in (0, 0.5):
        return f"{value:g}"
    return f"{int(whole) or ('' if half else 0)}{'½' if half else ''}"


def chart(policy: str, course: Sequence[Mapping[str, Any]]) -> str:
    """Return the ratings of a policy as SVG; nothing for fewer than two."""
    points = [
        (date.fromisoformat(str(row["closing"])), float(row["rating"]), None)
        for row in course
        if row["policy"] == policy and row["rating"] is not None
    ]
    if len(points) < 2:
        return ""
    days, ratings = [day for day, _, _ in points], [rating for _, rating, _ in points]
    says = f"Ratings from {days[0]} to {days[-1]}: lowest {min(ratings):.0f}, highest {max(ratings):.0f}"
    return line_chart({policy: points}, says=says, height=180)
