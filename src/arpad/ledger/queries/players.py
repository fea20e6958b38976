"""Players by what somebody types, and everything that the ledger knows of one."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import date  # noqa: TC003 - pages have courses among their fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame
from arpad.ledger.decisions.decisions import decisions, persons
from arpad.ledger.decisions.subjects import PERSONS, Person, person
from arpad.ledger.lists import RESTATED, KeptList, kept_lists
from arpad.ledger.policy import kept_policies
from arpad.ledger.register import fold, merged_ends

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.policy import KeptPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCard:
    """One player, with all that were merged into him."""

    person: Person
    ids: tuple[tuple[str, str], ...]  # scheme and value
    names: tuple[str, ...]  # other spellings
    merged: tuple[Person, ...]  # who he was, too
    events: pl.DataFrame
    """`event`, `name`, `end`, `time_control`, `games` (played), `score`, `excluded`; by last day."""
    ratings: pl.DataFrame
    """`policy`, `list`, `state`, `closing`, `rating`, `rank`; the last of each policy last."""
    titles: pl.DataFrame  # `title`, `date`, `rules` that the ledger has awarded
    decisions: tuple[Decision, ...]

    def document(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "player": asdict(self.person),
            "ids": [{"scheme": scheme, "value": value} for scheme, value in self.ids],
            "names": list(self.names),
            "merged": [asdict(p) for p in self.merged],
            "events": self.events.to_dicts(),
            "ratings": self.ratings.to_dicts(),
            "titles": self.titles.to_dicts(),
            "decisions": [
                {"id": d.id, "kind": d.kind, "what": d.words(), "why": d.why, "undone_by": d.undone_by}
                for d in self.decisions
            ],
        }


def player_card(connection: Connection, number: int) -> PlayerCard:
    """Return what is known of a player of today."""
    who = person(connection, number)
    everybody = persons(connection, [number])
    i, n, t = tables.player_ids, tables.player_names, tables.titles
    ids = connection.execute(
        sa.select(i.c.scheme, i.c.value).where(i.c.player_id.in_(everybody)).order_by(i.c.scheme, i.c.value)
    ).all()
    names = connection.execute(
        sa.select(n.c.name).where(n.c.player_id.in_(everybody)).order_by(n.c.player_id, n.c.name)
    ).scalars()
    titles = sa.select(t.c.title, t.c.date, t.c.rules).where(t.c.player_id.in_(everybody))
    return PlayerCard(
        person=who,
        ids=tuple((str(scheme), str(value)) for scheme, value in ids),
        names=tuple(dict.fromkeys(name for name in names if name != who.name)),
        merged=tuple(person(connection, p) for p in everybody if p != number),
        events=_events(connection, everybody),
        ratings=_ratings(connection, everybody),
        titles=frame(connection, titles.order_by(t.c.date, t.c.id)),
        decisions=tuple(decisions(connection, about=[f"player {p}" for p in everybody])),
    )


def _events(connection: Connection, players: list[int]) -> pl.DataFrame:
    g, e = tables.games, tables.events
    parts = []
    for side, score in (("white_id", g.c.score), ("black_id", g.c.black_score)):
        query = (
            sa.select(
                e.c.id.label("event"),
                e.c.name,
                e.c.end,
                e.c.time_control,
                e.c.excluded,
                g.c.status,
                score.label("score"),
            )
            .join(e, e.c.id == g.c.event_id)
            .where(g.c[side].in_(players))
            .order_by(g.c.id)
        )
        parts.append(frame(connection, query))
    return (
        pl.concat(parts)
        .group_by("event", "name", "end", "time_control", "excluded")
        .agg((pl.col("status") == "played").sum().cast(pl.Int64).alias("games"), pl.col("score").sum())
        .select("event", "name", "end", "time_control", "games", "score", "excluded")
        .sort("end", "event", nulls_last=True)
    )


def _ratings(connection: Connection, players: list[int]) -> pl.DataFrame:
    n, t, p = tables.entries, tables.lists, tables.policies
    return frame(
        connection,
        sa.select(
            p.c.name.label("policy"), t.c.name.label("list"), t.c.state, t.c.closing, n.c.rating, n.c.rank
        )
        .join(t, t.c.id == n.c.list_id)
        .join(p, p.c.id == t.c.policy_id)
        .where(
            n.c.player_id.in_(players),
            sa.or_(t.c.number == 0, t.c.published.is_not(None)),  # what is only proposed is no rating
        )
        .order_by(p.c.name, t.c.closing, t.c.number, n.c.player_id),
    )


# A player's ratings: on the last list of every policy, and after every period that changed them.


@dataclass(frozen=True, slots=True, kw_only=True)
class CoursePoint:
    """A rating after a period."""

    day: date  # the closing date
    rating: float
    deviation: float | None  # one standard error, where there is a list of that day
    games: int | None  # in the period


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCourse:
    """A rating over time by one policy."""

    policy: str
    system: str
    time_control: str | None
    points: tuple[CoursePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlace:
    """A player's place on a list, with corrections."""

    list: KeptList
    document: Mapping[str, Any]  # the policy
    rating: float | None
    deviation: float | None
    rank: int | None
    change: float | None
    games: int | None
    total_games: int | None
    status: str | None
    corrected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFacts:
    """Facts about the lists that many queries need; they change only when a list is made or published."""

    lists: tuple[KeptList, ...]  # by policy, closing date and number
    policies: tuple[KeptPolicy, ...]
    before: Mapping[int, int | None]  # the run before each

    def chain(self, run: int | None) -> list[int]:
        """Return a run and all before it, the first one first."""
        result = []
        while run is not None:
            result.append(run)
            run = self.before[run]
        return result[::-1]

    def run_of(self, kept: KeptList) -> int | None:
        """Return the run that a list follows from, with its published corrections."""
        later = [each for each in self.lists if each.corrects == kept.id and each.published]
        return (later[-1] if later else kept).run_id

    def document(self, kept: KeptList) -> Mapping[str, Any]:
        """Return the policy of a list."""
        return next(p.document for p in self.policies if p.id == kept.policy_id)

    def last(self) -> list[KeptList]:
        """Return of each policy the last published list, and the draft that is newer."""
        result: dict[tuple[str, bool], KeptList] = {}
        for each in self.lists:
            if not each.number:
                result[each.policy, each.published is not None] = each
        return [
            each
            for (policy, published), each in sorted(
                result.items(), key=lambda item: (item[0][0], not item[0][1])
            )
            if published or (policy, True) not in result or each.closing > result[policy, True].closing
        ]


def list_facts(connection: Connection) -> ListFacts:
    """Return what there is of lists, policies and runs."""
    r = tables.runs.c
    return ListFacts(
        lists=tuple(kept_lists(connection)),
        policies=tuple(kept_policies(connection)),
        before=dict(connection.execute(sa.select(r.id, r.previous_id)).all()),
    )


_n, _s, _r, _li, _p = (
    t.c for t in (tables.entries, tables.states, tables.runs, tables.lists, tables.policies)
)
_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)
STANDS = (
    sa.select(
        *(_n.list_id, _n.player_id, _n.rating, _n.deviation, _n.rank, _n.change, _n.games),
        *(_n.total_games, _n.status, _n.document),
    )
    .where(_n.list_id.in_(sa.bindparam("lists", expanding=True)), _n.player_id.in_(_numbers))
    .order_by(_n.list_id, _n.total_games, _n.player_id)
)
STATES = (
    sa.select(_r.closing, _s.player_id, _s.rating, _s.games)
    .select_from(tables.states)
    .join(tables.runs, _r.id == _s.run_id)
    .where(_s.run_id.in_(sa.bindparam("chain", expanding=True)), _s.player_id.in_(_numbers))
    .order_by(_s.run_id, _s.player_id)
)
GIVEN = (
    sa.select(_li.closing, _n.player_id, _n.rating, _n.deviation, _n.games)
    .select_from(tables.entries)
    .join(tables.lists, _li.id == _n.list_id)
    .join(tables.policies, _p.id == _li.policy_id)
    .where(_p.name == sa.bindparam("policy"), _n.player_id.in_(_numbers))
    .order_by(_li.closing, _li.number, _n.player_id)
)
"""Made once, asked often: to make a statement takes longer than to run it."""


AS_LISTED = ("rating", "deviation", "rank", "games", "total_games", "status")


def standings(connection: Connection, numbers: Sequence[int], facts: ListFacts) -> list[ListPlace]:
    """Return where a player stands on the last lists; nothing of those on which he is not.

    `numbers`: His own, and those of all who were merged into him.
    """
    lists = facts.last()
    shown = {each.id for each in lists}
    later = {each.id: each for each in facts.lists if each.published and each.corrects in shown}
    rows: dict[int | None, Any] = {}
    corrected: set[int | None] = set()
    asked = {"lists": [*shown, *later], "numbers": list(numbers)}
    for row in connection.execute(STANDS, asked):
        source = later.get(row.list_id)
        base = row.list_id if source is None else source.corrects
        if row.player_id == numbers[0] or base not in rows or rows[base].player_id != numbers[0]:
            rows[base] = row
            corrected |= {base} if source else set()
    return [
        ListPlace(
            list=each,
            document=facts.document(each),
            change=(result.document or {}).get("change") if each.id in corrected else result.change,
            corrected=each.id in corrected and (result.document or {}).get("cause") != RESTATED,
            **{name: getattr(result, name) for name in AS_LISTED},
        )
        for each in lists
        if (result := rows.get(each.id)) is not None and result.rating is not None
    ]


def courses(
    connection: Connection, numbers: Sequence[int], facts: ListFacts, *, published: bool = False
) -> list[RatingCourse]:
    """Return the ratings of a player over time, by every policy that has any; published corrections are put in.

    `published`: Without what only a draft says.
    """
    lists = {
        each.policy: each for each in facts.lists if not each.number and (each.published or not published)
    }
    result = []
    for policy in {p.name: p for p in facts.policies}.values():
        last = lists.get(policy.name)
        if last is None:
            continue
        asked: dict[str, Any] = {"numbers": list(numbers)}
        listed = connection.execute(GIVEN, {**asked, "policy": policy.name}).all()
        if policy.computed:
            rows: Sequence[Any] = connection.execute(
                STATES, {**asked, "chain": facts.chain(facts.run_of(last))}
            ).all()
        else:
            rows = [(closing, player, rating, games) for closing, player, rating, _, games in listed]
        errors = {(closing, player): error for closing, player, _, error, _ in listed}
        points = _points(rows, errors, numbers)
        if points:
            result.append(
                RatingCourse(
                    policy=policy.name,
                    system=str(policy.document.get("system") or "?"),
                    time_control=policy.document.get("time_control"),
                    points=tuple(points),
                )
            )
    return result


def _points(
    rows: Sequence[Any], errors: Mapping[tuple[date, int], float | None], numbers: Sequence[int]
) -> list[CoursePoint]:
    """Return one point a day: his own number goes before those that were merged into it."""
    result: dict[date, tuple[int, CoursePoint]] = {}
    for closing, player, rating, games in rows:
        own = player == numbers[0]
        if rating is None or (closing in result and not own and result[closing][0] == numbers[0]):
            continue
        error = errors.get((closing, player))
        result[closing] = (player, CoursePoint(day=closing, rating=rating, deviation=error, games=games))
    return [point for _, point in sorted(result.values(), key=lambda pair: pair[1].day)]


# Players by what somebody types: parts of a name in any order, another spelling, a number, an id.

WORDS = 6  # words that are looked at; a name has fewer
PEOPLE = PERSONS.where(tables.players.c.id.in_(sa.bindparam("shown", expanding=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPeople:
    """Some of the players of today whom a text may mean, by name, and how many there are."""

    total: int
    people: tuple[Person, ...]


def found_people(
    connection: Connection,
    text: str = "",
    *,
    first: int = 0,
    most: int = 50,
    among: Sequence[int] | None = None,
) -> FoundPeople:
    """Return players of today, listed or not; without a text everybody.

    The name of a merged player also finds the player that remains.

    `among`: Who fits the text, by name, where somebody knows that already (`NameIndex.people`).
    """
    p = tables.players.c
    if among is not None:
        total, shown = len(among), list(among[first : first + most])
    elif not text.strip():
        whole = sa.select(sa.func.count()).where(p.merged_into.is_(None))
        some = sa.select(p.id).where(p.merged_into.is_(None)).order_by(p.name, p.id)
        total = int(connection.execute(whole).scalar_one())
        shown = list(connection.execute(some.offset(first).limit(most)).scalars())
    else:
        result = name_index(connection).people(connection, text)
        total, shown = len(result), result[first : first + most]
    rows = connection.execute(PEOPLE, {"shown": shown})
    people = {row.id: Person(**row._mapping) for row in rows}
    return FoundPeople(total=total, people=tuple(people[number] for number in shown))


# All spellings of all names, small enough to be kept: who is looked for is found without the database.

_i, _spelled, _named = tables.player_ids.c, tables.player_names.c, tables.players.c
BY_ID = sa.select(_i.player_id).where(_i.value == sa.bindparam("value"))
BY_SCHEME = BY_ID.where(_i.scheme == sa.bindparam("scheme"))
SPELLED = sa.select(_spelled.player_id, _spelled.fold).order_by(_spelled.player_id, _spelled.name)
CALLED = sa.select(_named.id).order_by(_named.name, _named.id)  # made once, asked often


@dataclass(frozen=True, kw_only=True)
class NameIndex:
    """Index of players' names at the time when it was made."""

    folds: tuple[str, ...]  # every spelling, without case, accents and punctuation
    players: NDArray[np.int64]  # whose they are
    by_name: NDArray[np.int64]  # all players in the order of their names; merged ones, too
    ends: Mapping[int, int]  # who somebody is today, for those who were merged

    def found(self, connection: Connection, text: str) -> NDArray[np.int64]:
        """Return the numbers whom a text may mean, in their order.

        Every word has to be in one and the same spelling of the name, wherever; `#12` is the ledger's number,
        and whatever has no blank in it may be an id.
        """
        wanted = text.strip()
        marked = re.fullmatch(r"#(\d{1,9})", wanted)
        if marked:
            return np.intersect1d(self.by_name, [int(marked[1])])
        scheme, _, value = wanted.rpartition(":")
        said = {"value": value.strip()}
        if scheme:
            said["scheme"] = scheme.strip().lower()
        ids = connection.execute(BY_SCHEME if scheme else BY_ID, said).scalars().all()
        words = sorted(fold(wanted).split()[:WORDS], key=len, reverse=True)
        lines: Sequence[int] = range(len(self.folds)) if words else ()
        for word in words:  # the longest one first: it leaves the fewest
            lines = [at for at in lines if word in self.folds[at]]
        return np.union1d(np.asarray(ids, dtype=np.int64), self.players[list(lines)]).astype(np.int64)

    def people(self, connection: Connection, text: str) -> list[int]:
        """Return the players of today whom a text may mean, by name; without a text everybody."""
        if not text.strip():
            gone = np.fromiter(self.ends, dtype=np.int64, count=len(self.ends))
            return self.by_name[~np.isin(self.by_name, gone)].tolist()  # type: ignore[no-any-return]
        numbers = self.found(connection, text)
        ordered = self.by_name[np.isin(self.by_name, numbers)].tolist()
        return list(dict.fromkeys(self.ends.get(number, number) for number in ordered))

    def ranked(self, connection: Connection, text: str) -> dict[int, int]:
        """Return the players of today whom a text may mean, and how well it fits; the best first, then by name.

        0: it is the name; 1: its words are words of the name; 2: words begin so, as initials do; 3: it is a part;
        4: a word has one letter too many, too few, another one, or two that changed places.
        """
        numbers, wanted = self.found(connection, text), fold(text).split()[:WORDS]
        lines = np.flatnonzero(np.isin(self.players, numbers)).tolist()
        fits = dict.fromkeys(numbers.tolist(), 3)
        if not fits:
            lines = self._slips(wanted)
            fits = {int(self.players[at]): 4 for at in lines}
        for at in lines:
            number, words = int(self.players[at]), self.folds[at].split()
            if sorted(words) == sorted(wanted):
                fits[number] = 0
            elif all(word in words for word in wanted):
                fits[number] = min(fits[number], 1)
            elif all(any(each.startswith(word) for each in words) for word in wanted):
                fits[number] = min(fits[number], 2)
        result: dict[int, int] = {}
        for number in self.by_name[np.isin(self.by_name, list(fits))].tolist():
            now = self.ends.get(number, number)
            result[now] = min(fits[number], result.get(now, 4))
        return dict(sorted(result.items(), key=lambda pair: pair[1]))

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        result: dict[str, list[int]] = {}
        for at, spelled in enumerate(self.folds):
            for word in spelled.split():
                result.setdefault(word, []).append(at)
        return result

    def _slips(self, wanted: Sequence[str]) -> list[int]:
        """Return the spellings that have every word of a text but for one letter each."""
        fitting: set[int] | None = None
        for word in wanted:
            half = len(word) // 2  # one slip leaves one half of a word as it is
            like = [
                each
                for each in self._words
                if abs(len(each) - len(word)) < 2
                and (each.startswith(word[:half]) or each.endswith(word[half:]))
                and one_slip(word, each)
            ]
            lines = {at for each in like for at in self._words[each]}
            fitting = lines if fitting is None else fitting & lines
        return sorted(fitting or ())


def one_slip(word: str, other: str) -> bool:
    """Say whether two words are equal but for one letter, or for two that changed places.

    Examples
    --------
    >>> [one_slip("carlsen", other) for other in ("carlson", "carlen", "calrsen", "karlsson")]
    [True, True, True, False]
    """
    if len(word) > len(other):
        word, other = other, word
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(word))
    if len(word) < len(other):
        return word[at:] == other[at + 1 :]
    return word[at + 1 :] == other[at + 1 :] or (
        word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]
    )


def name_index(connection: Connection) -> NameIndex:
    """Return what all players are found by."""
    with connection.execute(SPELLED) as spelled, connection.execute(CALLED) as called:
        # Numbers and texts as the driver has them: nothing to be made of them.
        rows, ids = spelled.cursor.fetchall(), called.cursor.fetchall()
    players, folds = zip(*rows, strict=True) if rows else ((), ())
    return NameIndex(
        folds=folds,
        players=np.array(players, dtype=np.int64),
        by_name=np.array(ids, dtype=np.int64).reshape(-1),
        ends=merged_ends(connection),
    )
