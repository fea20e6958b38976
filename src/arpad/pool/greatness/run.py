"""All of chess history in one run: events, their ratings, the Tournament App, the greatness list."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.errors import InputError, UsageError, counted
from arpad.files import input_text, write_text
from arpad.model import Result, columns
from arpad.pool.greatness.assessment import AppRules, EventRecord, PlayedEvent, assess, caution, fingerprint
from arpad.pool.greatness.groups import WHOLE, EventGroups, GroupRules, group_events
from arpad.pool.greatness.ratings import (
    HistoryRatings,
    ListedRatings,
    PublishedRatings,
    WalkedRatings,
    YearlyRatings,
    choose,
    yearly_ratings,
)
from arpad.pool.history import HistorySystem
from arpad.pool.persons import NOBODY
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from arpad.model import Games, Ratings
    from arpad.pool.greatness.ratings import RatingSource
    from arpad.rate.system import RatingSystem
    from arpad.read.reading import GamesLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Greatness(Result):
    """Every event of a run, and the lists that follow.

    records: A record an event, in the order of time.
    left_out: Events that were not run: `event`, `site`, `year`, `games`, `reason`.
    left_games: Games that belong to no event, by reason.
    again: How many records came from an earlier run.
    """

    records: tuple[EventRecord, ...]
    left_out: pl.DataFrame
    left_games: Mapping[str, int]
    again: int
    parameters: Mapping[str, Any]
    source: Mapping[str, Any]

    def table(self, top: int | None = None, *, failed: bool = False) -> pl.DataFrame:
        """Return performances, greatest first; `caution` has a mark where one is due (`CAUTIONS`).

        failed: Those of events that failed the test, too: their G-scores wait for a person.
        """
        rows = [
            {name: getattr(p if hasattr(p, name) else r, name, None) for name in _PERFORMANCES}
            | {"ratings": r.ratings, "caution": caution(r, p)}
            for r in self.records
            if r.counts or failed
            for p in r.performances
        ]
        return _top(pl.DataFrame(rows, schema=_PERFORMANCES), "g_score", top)

    def strengths(self, top: int | None = None, *, failed: bool = False) -> pl.DataFrame:
        """Return events, strongest first."""
        rows = [
            {name: getattr(r, name, None) for name in _STRENGTHS} | {"caution": caution(r)}
            for r in self.records
            if r.strength is not None and (r.counts or failed)
        ]
        return _top(pl.DataFrame(rows, schema=_STRENGTHS), "strength", top)

    def to_inspect(self) -> pl.DataFrame:
        """Return the events that want a person's eye, with reasons, in the order of time."""
        rows = [
            {name: getattr(r, name) for name in _INSPECT} | {"reasons": "; ".join(r.reasons)}
            for r in self.records
            if r.reasons
        ]
        return pl.DataFrame(rows, schema=_INSPECT)

    def verdicts(self) -> dict[str, int]:
        """Return how many events passed, failed, could not be tested, had no ratings."""
        count = dict.fromkeys(("passed", "failed", "untested", "unrated"), 0)
        for record in self.records:
            count[record.verdict] += 1
        return count

    def hidden(self) -> int:
        """Return how many performances are not listed because their events failed the test."""
        return sum(len(r.performances) for r in self.records if r.verdict == "failed" and not r.counts)

    def to_dict(self, *, failed: bool = False) -> dict[str, Any]:
        """Return every list and every event; with `failed` also performances of events that failed the test."""
        return {
            "parameters": dict(self.parameters),
            "source": dict(self.source),
            "verdicts": self.verdicts(),
            "hidden": 0 if failed else self.hidden(),
            "again": self.again,
            "performances": self.table(failed=failed).to_dicts(),
            "strengths": self.strengths(failed=failed).to_dicts(),
            "inspect": self.to_inspect().to_dicts(),
            "events": [asdict(r) for r in self.records],
            "left_out": self.left_out.to_dicts(),
            "left_games": dict(self.left_games),
        }

    def why_nothing(self) -> str | None:
        """Return why no event was run; None where some were."""
        if self.records:
            return None
        why = self.left_out["reason"].value_counts(sort=True)
        if not why.height:
            return "no event could be run: there is none of these years"
        return f"no event could be run: {why['reason'][0]} ({why['count'][0]:,} of {self.left_out.height:,})"

    def summary(self) -> str:
        """Return one sentence on what was run and how."""
        said = ", ".join(f"{n:,} {word}" for word, n in self.verdicts().items() if n)
        left = sum(self.left_games.values())
        again = f"; {self.again:,} from an earlier run" if self.again else ""
        return (
            f"greatness: {counted(len(self.records), 'event')} of {counted(self.source['games'], 'game')} "
            f"({said or 'none run'}{again}); ratings from {self.parameters['ratings']}; not run: "
            f"{counted(self.left_out.height, 'event')}, {counted(left, 'single game')}"
        )


def _top(rows: pl.DataFrame, by: str, top: int | None) -> pl.DataFrame:
    """Return rows best first with their rank; equal figures share it."""
    rank = pl.col(by).rank("min", descending=True).cast(pl.Int64).alias("rank")
    best = rows.sort(by, "year", "event", descending=[True, False, False], maintain_order=True)
    best = best.select(rank, pl.all())
    return best if top is None else best.head(top)


_PERFORMANCES = columns(
    "player:str event:str site:str year:int g_score:float g_error:float category:str games:int "
    "score:float rating:float estimated:bool performance:float number_two:float "
    "number_two_player:str ratings:str strength:float verdict:str repaired:str kind:str "
    "caution:str"
)
_STRENGTHS = columns(
    "event:str site:str year:int strength:float players:int games:int kind:str number_two:float "
    "number_two_player:str ratings:str rated:int verdict:str caution:str"
)
_INSPECT = columns(
    "event:str site:str year:int kind:str players:int games:int verdict:str chi_square:float "
    "critical:float ratings:str rated:int reasons:str"
)


# All of chess history in one run: events, their ratings, and the Tournament App on each.

WHOLE_KINDS = ("match", "round robin", "tournament", "knock-out")
"""Kinds of which all games are there, as far as anybody can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GreatnessRules:
    """Rules of a run.

    groups, app: How games become events, and how the app is run on each.
    incomplete: Run events, too, of which not all games are there.
    first, last: Years.
    """

    groups: GroupRules = field(default_factory=GroupRules)
    app: AppRules = field(default_factory=AppRules)
    incomplete: bool = False
    first: int | None = None
    last: int | None = None

    def parameters(self) -> dict[str, object]:
        """Return every setting by name."""
        return {
            **self.groups.parameters(),
            **self.app.parameters(),
            "incomplete": self.incomplete,
            "from": self.first,
            "to": self.last,
        }


def find_greatness(
    games: GamesLike,
    sources: Callable[[EventGroups], Sequence[RatingSource]] | None = None,
    rules: GreatnessRules | None = None,
    *,
    done: Mapping[str, EventRecord] | None = None,
    tell: Callable[[EventRecord, int, int], None] | None = None,
) -> Greatness:
    """Group games into events, run the Tournament App on each, and make the lists.

    Parameters
    ----------
    sources
        Function that makes the sources of ratings from the events; the first with enough ratings counts.
        None: the ratings in the file, then our own study of all years.
    done
        Records of an earlier run by their keys: what follows from the same games, ratings and settings
        is not done again.
    tell
        Called after each event with its record, its number from 1, and how many there are.
    """
    games = games_from(games)
    rules = rules or GreatnessRules()
    groups = group_events(games, rules.groups)
    chosen, left = _to_run(groups, rules)
    known = (sources or rating_sources(games, ("file", "own")))(groups)
    records: list[EventRecord] = []
    again = 0
    for event in played_events(groups, chosen):
        ratings = choose(event.asked(), known, rules.app)
        key = fingerprint(event, ratings, groups.names, rules.app)
        record = (done or {}).get(key)
        again += record is not None
        record = record or assess(event, ratings, groups.names, rules.app, key=key)
        records.append(record)
        if tell is not None:
            tell(record, len(records), len(chosen))
    return Greatness(
        records=tuple(sorted(records, key=lambda r: (r.year or 0, r.start or "", r.event, r.key))),
        left_out=left,
        left_games=groups.left_games,
        again=again,
        parameters={**rules.parameters(), "ratings": ", ".join(s.name for s in known) or "nowhere"},
        source={
            "games": len(games),
            "players": len(set(groups.person.tolist())),
            "joined": groups.joined.height,
            "fingerprint": games.fingerprint(),
        },
    )


def played_events(groups: EventGroups, chosen: Sequence[int]) -> Iterator[PlayedEvent]:
    """Yield the chosen events in plain lists."""
    table = groups.games
    white, black, score = (table[c].to_list() for c in ("white", "black", "score"))
    rated = [table[f"{side}_rating"].to_list() for side in ("white", "black")]
    when, certain = table["when"].to_list(), table["certain"].to_list()
    about = groups.events.to_dicts()
    for group in chosen:
        a, b = int(groups.first[group]), int(groups.first[group + 1])
        beside: dict[int, float] = {}
        for game in range(a, b):
            for person, rating in ((white[game], rated[0][game]), (black[game], rated[1][game])):
                if rating is not None and 0 < rating < math.inf:
                    beside.setdefault(person, rating)
        yield PlayedEvent(
            about=about[group],
            white=white[a:b],
            black=black[a:b],
            score=score[a:b],
            beside=beside,
            when=when[a:b],
            certain=certain[a],
        )


def _to_run(groups: EventGroups, rules: GreatnessRules) -> tuple[list[int], pl.DataFrame]:
    """Return the events to run, and those that are left out with their reasons."""
    year = pl.col("year")
    asked = pl.lit(True)
    if rules.first is not None:
        asked &= year >= rules.first
    if rules.last is not None:
        asked &= year <= rules.last
    events = groups.events.filter(asked.fill_null(False))
    whole = pl.col("kind").is_in(WHOLE_KINDS) | (
        (pl.col("kind") == "team event") & (pl.col("coverage") >= WHOLE)
    )
    good = events if rules.incomplete else events.filter(whole)
    rest = events.join(good.select("group"), on="group", how="anti", maintain_order="left")
    reason = (
        pl.when(pl.col("kind") == "one player's games")
        .then(pl.lit("only one player's games are here"))
        .otherwise(
            pl.format(
                "not all games are here: {} % of the longest score",
                (pl.col("coverage") * 100).round(0).cast(pl.Int64),
            )
        )
    )
    left = pl.concat(
        [
            groups.left_out.filter(asked.fill_null(False)),
            rest.select("event", "site", "year", "games", reason.alias("reason")).cast(
                groups.left_out.schema
            ),
        ]
    ).sort("year", "event", "site", nulls_last=True, maintain_order=True)
    if groups.events.is_empty() and left.is_empty():
        raise InputError(
            "expected events, found none: "
            + ", ".join(f"{n:,} games {reason}" for reason, n in groups.left_games.items()),
            code="no-events",
        )
    return good["group"].to_list(), left


# The state of a greatness run in a file: what is done need not be done again.
#
# The first line says what the file is, which settings it was made with, how many lines follow, and their
# checksum; then a line a record, and a last one for the historical study, where there was one. The file is written whole or not at all. One that is damaged, or was made
# with other settings, is refused: half of it is never trusted.

FORMAT = "arpad greatness state 2"
"""First line of the file."""
EVERY = 5.0
"""Seconds between two savings: what an interrupted run loses at most."""


class RunState:
    """Records of a run, and the ratings that its historical study found, kept in a file.

    path: The file; it need not be there yet. None: nothing is kept.
    settings: What every record follows from; another run with others does not mix with this one.
    """

    def __init__(self, path: str | Path | None, settings: Mapping[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._settings = json.loads(json.dumps(dict(settings), default=str))
        self._lines: dict[str, str] = {}
        self.done: dict[str, EventRecord] = {}
        self._study: tuple[str, dict[str, YearlyRatings], str] | None = None
        self._saved = time.monotonic()
        self._new = False
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def add(self, record: EventRecord) -> None:
        """Keep a record; every few seconds all of them go to the file."""
        if self._path is None or record.key in self._lines:
            return
        self._lines[record.key] = json.dumps(asdict(record), ensure_ascii=False)
        self._new = True
        if time.monotonic() - self._saved > EVERY:
            self.save()

    def studied(self, key: str, study: Callable[[], dict[str, YearlyRatings]]) -> dict[str, YearlyRatings]:
        """Return the ratings of a historical study: those in the file, or else new ones, which are kept.

        key: Fingerprint of all that the study follows from.
        """
        if self._study is not None and self._study[0] == key:
            return self._study[1]
        result = study()
        if self._path is not None:
            plain = {name: asdict(life) for name, life in result.items()}
            self._study = (key, result, json.dumps({key: plain}, ensure_ascii=False))
            self._new = True
        return result

    def save(self) -> None:
        """Write the file, whole, if there is anything new."""
        if self._path is None or not self._new:
            return
        lines = [*self._lines.values(), *([self._study[2]] if self._study else [])]
        body = "".join(line + "\n" for line in lines)
        head = {
            "format": FORMAT,
            "settings": self._settings,
            "records": len(self._lines),
            "study": self._study is not None,
            "checksum": _checksum(body),
        }
        text = json.dumps(head, ensure_ascii=False) + "\n" + body
        write_text(self._path, text, again=True)
        self._saved, self._new = time.monotonic(), False

    def _load(self, path: Path) -> None:
        try:
            text = input_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                _refused(f"it cannot be read ({error})"), file=str(path), code="other-state"
            ) from None
        first, _, body = text.partition("\n")
        head = _head(first, path)
        if head["settings"] != self._settings:
            raise UsageError(
                f"{path}: this state was made with other settings ({_difference(head['settings'], self._settings)})",
                code="other-state",
            )
        # By line feeds alone: a name may hold what `splitlines` takes for the end of a line.
        lines = body.split("\n")[:-1]
        records = len(lines) - bool(head.get("study"))
        if head.get("checksum") != _checksum(body) or head.get("records") != records:
            raise InputError(
                _refused("its checksum does not fit its content"), file=str(path), code="other-state"
            )
        try:
            for line in lines[records:]:
                ((key, lives),) = json.loads(line).items()
                study = {name: YearlyRatings.from_dict(life) for name, life in lives.items()}
                self._study = (key, study, line)
            for line in lines[:records]:
                record = EventRecord.from_dict(json.loads(line))
                self._lines[record.key] = line
                self.done[record.key] = record
        except (AttributeError, ValueError, TypeError, KeyError) as error:
            raise InputError(
                _refused(f"a record is not one of this version ({error})"), file=str(path), code="other-state"
            ) from None


def _head(line: str, path: Path) -> dict[str, Any]:
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT or "settings" not in head:
        raise InputError(
            f"expected the state of a greatness run ({FORMAT!r}), found {line[:40]!r}",
            code="no-state",
            file=str(path),
        )
    return head


def _checksum(body: str) -> str:
    return hashlib.blake2b(body.encode(errors="replace"), digest_size=12).hexdigest()


def _refused(why: str) -> str:
    return f"the state is damaged: {why}; none of it is used"


def _difference(theirs: object, ours: object) -> str:
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return "of another kind"
    for name in {**ours, **theirs}:
        if theirs.get(name) != ours.get(name):
            return f"{name} {theirs.get(name)!r} there, {ours.get(name)!r} here"
    return "none that can be named"


# The sources of ratings by their names.

SourceName = Literal["file", "list", "own", "system"]
STUDY = 1
"""Of the historical study; another number makes studies that were kept strangers."""


def rating_sources(
    games: Games,
    names: Sequence[SourceName],
    *,
    lists: Sequence[tuple[date, Ratings]] = (),
    system: RatingSystem | None = None,
    births: Mapping[str, float] | None = None,
    spelled: Mapping[str, str] | None = None,
    join: bool = True,
    kept: RunState | None = None,
    tell: Callable[[str], None] | None = None,
) -> Callable[[EventGroups], list[RatingSource]]:
    """Return what makes the sources of ratings, once the events are known, in the order in which they are asked.

    names: Which: those in the file, rating lists, our own study of all years, or a rating system from year to
        year.
    births, spelled, join: Who is who, for our own study.
    kept: Where our own study is kept.
    tell: Called with the reason why there is no study.
    """
    own = HistorySystem(births=births or {}, spelled=spelled or {}, guess=join)
    state = kept or RunState(None, {})

    def study() -> Mapping[str, YearlyRatings]:
        return state.studied(_key(games, own), lambda: yearly_ratings(own.study(games)))

    def make(groups: EventGroups) -> list[RatingSource]:
        sources: list[RatingSource] = []
        for name in names:
            if name == "file":
                sources.append(PublishedRatings(groups.published, groups.names))
            elif name == "list":
                sources.append(ListedRatings(lists, games.players, groups.person))
            elif name == "system" and system is not None:
                sources.append(_walked(games, groups, system))
            else:
                sources.append(HistoryRatings(study, groups.names, tell))
        return sources

    return make


def _key(games: Games, system: HistorySystem) -> str:
    """Return a short hash of all that the historical study follows from: `fingerprint` leaves out events and ratings."""
    words = [
        STUDY,
        NOBODY,
        games.fingerprint(),
        system.parameters(),
        sorted(system.births.items()),
        sorted(system.spelled.items()),
        [(e.name, e.site) for e in games.events],
    ]
    digest = hashlib.blake2b(json.dumps(words, default=str).encode(), digest_size=12)
    for column in ("event", "white_rating", "black_rating", "precision"):
        digest.update(games.table[column].to_physical().cast(float).fill_null(-1.0).to_numpy().data)
    return digest.hexdigest()


def _walked(games: Games, groups: EventGroups, system: RatingSystem) -> RatingSource:
    table = games.table.filter(pl.col("black").is_not_null())
    sides = [pl.Series(s, groups.person[table[s].to_numpy()]).cast(pl.Int32) for s in ("white", "black")]
    joined = table.with_columns(sides).filter(pl.col("white") != pl.col("black"))
    joined = joined.sort("date", maintain_order=True)
    return WalkedRatings(system, replace(games, table=joined))


def read_number_twos(path: str) -> dict[int, float]:
    """Read the ratings of the world's number two by year, from a CSV file with year and rating."""
    numbers: dict[int, float] = {}
    rows = csv.DictReader(input_text(path).splitlines())
    for line, row in enumerate(rows, start=2):
        try:
            numbers[int(row["year"])] = float(row["rating"])
        except (KeyError, TypeError, ValueError):
            wanted = f"expected the columns year and rating with numbers, found {dict(row)!r}"
            raise InputError(wanted, file=path, line=line) from None
    if not numbers:
        raise InputError("expected rows with year and rating, found none", file=path)
    return numbers
