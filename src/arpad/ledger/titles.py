"""Titles over time: what somebody has, since when and because of what."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError, counted
from arpad.event.field import field_of, known_ratings
from arpad.event.norms.rules import norm_rules
from arpad.event.norms.uscf import RULES, EventResult, title_called, title_history
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, next_id
from arpad.ledger.db.tables import document_text
from arpad.ledger.games import listed_ratings, recorded_games
from arpad.ledger.inspection import STANDARD, MadeNorm, made_norms, norm_events
from arpad.ledger.register import merged_ends, people_today

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.event.norms.uscf import TitleHistory


# Titles over time: what somebody has, since when and because of what, and what is missing.
#
# FIDE [B.01]: norms that cover 27 games and a rating, once reached; the lower titles by the rating alone.
# USCF [1994, 2.6]: five norms of a level, twenty for a life title.

TitleRules = Literal["fide", "uscf"]
NORM_GAMES = 27
"""Games that the norms of a title cover [B.01, 1.5]."""
FEWEST_NORMS = 2
"""Norms that a title takes at least, however long [B.01, 1.5]."""
LEVELS = {"GM": 2500.0, "IM": 2400.0, "WGM": 2300.0, "WIM": 2200.0}
"""The rating that must have been reached at any time, beside the norms [B.01, 1.5]."""
BY_RATING = {"FM": 2300.0, "CM": 2200.0, "WFM": 2100.0, "WCM": 2000.0}
"""Titles by the rating alone [B.01, 1.3] …"""
RATED_GAMES = 30
"""… after this many rated games [B.01, 1.3]."""
ORDER = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM")
"""From the highest down; a player seeks what is above the title he has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleStanding:
    """Progress of one player towards one title."""

    player: int
    title: str
    rules: str
    norms: tuple[MadeNorm, ...] = ()  # in the order of time
    counted: int = 0  # games, or for the USCF norms, toward the title
    needed: int = 0
    rating_needed: float | None = None
    reached: Reached | None = None  # event or list at which the rating was first reached
    best: Reached | None = None
    awarded: date | None = None
    complete: bool = False
    missing: tuple[str, ...] = ()

    def because(self) -> str:
        """Return what the title rests on, or what is missing, in words."""
        if not self.complete:
            return "; ".join(self.missing)
        norms = f"{len(self.norms)} norms, {self.counted} games" if self.norms else ""
        rating = f"{self.reached.rating:g} in {self.reached.where}" if self.reached else ""
        return "; ".join(part for part in (norms, rating) if part)


def titles_over_time(
    connection: Connection,
    rules: TitleRules = "fide",
    *,
    policy: str | None = None,
    players: Sequence[int] | None = None,
) -> list[TitleStanding]:
    """Return who has earned, or is on the way to, which title; by player and title.

    `policy`: Whose published lists count as ratings reached, and give ratings that reports do not.
    `players`: Only these; of them every title that they might seek.
    """
    if rules not in get_args(TitleRules):
        raise UsageError(f"expected rules for titles, fide or uscf; found {rules!r}")
    if rules == "uscf":
        result = uscf_standings(connection, policy=policy)
        return [s for s in result if players is None or s.player in players]
    norms = made_norms(connection, policy=policy)
    return fide_standings(
        norms,
        ratings_reached(connection, policy),
        people=_people(connection),
        rated=_rated_games(connection),
        players=players,
    )


def fide_standings(
    norms: Sequence[MadeNorm],
    reaches: Reaches,
    *,
    people: Mapping[int, tuple[str | None, str | None]],
    rated: Mapping[int, int],
    players: Sequence[int] | None = None,
) -> list[TitleStanding]:
    """Return how everybody stands by FIDE's rules.

    `people`: Title and sex by player.
    `rated`: Rated games that the ledger knows, by player.
    `players`: The players to look at; None: those with a norm, or who ever had the rating of a title.
    """
    rules = norm_rules("today").name
    chosen = set(players or ())
    if players is None:
        chosen |= {n.player for n in norms} | set(reaches.above(min(BY_RATING.values())))
    made: dict[tuple[int, str], list[MadeNorm]] = defaultdict(list)
    for norm in norms:
        made[norm.player, norm.title].append(norm)
    result = []
    for player in sorted(chosen):
        held, sex = people.get(player, (None, None))
        for title in _sought(held, sex):
            base = TitleStanding(
                player=player,
                title=title,
                rules=rules,
                best=reaches.best(player),
                rating_needed=LEVELS.get(title, BY_RATING.get(title)),
            )
            games = max(rated.get(player, 0), reaches.games(player))
            one = standing(base, made[player, title], reaches, games)
            if players is not None or one.norms or one.complete:
                result.append(one)
    return result


def _sought(held: str | None, sex: str | None) -> list[str]:
    above = ORDER[: ORDER.index(held)] if held in ORDER else ORDER
    woman = sex == "w" or (held or "").startswith("W")
    return [t for t in above if woman or not t.startswith("W")]


def standing(base: TitleStanding, norms: Sequence[MadeNorm], reaches: Reaches, games: int) -> TitleStanding:
    """Return how far somebody is from a title: the first day on which all is met, or what is missing."""
    need = base.rating_needed or 0.0
    reached = reaches.first(base.player, need)
    missing = []
    if reached is None:
        best = "none is known" if base.best is None else f"best {base.best.rating:g}"
        missing.append(f"a rating of {need:g} ({best})")
    used: list[MadeNorm] = []
    last: MadeNorm | None = None
    counted, needed = games, RATED_GAMES
    if base.title not in BY_RATING:
        used, last = _until_complete(norms)
        counted, needed = sum(n.games for n in used), NORM_GAMES
    elif games < RATED_GAMES:
        missing.append(f"{RATED_GAMES} rated games ({games} are known)")
    if last is None and base.title not in BY_RATING:
        short = NORM_GAMES - counted
        if short > 0:
            missing.append(f"norms of {short} more games ({counted} of {NORM_GAMES}, {len(used)} norms)")
        elif len(used) < FEWEST_NORMS:
            missing.append(f"{FEWEST_NORMS} norms ({len(used)} are made)")
        else:
            missing.append("one norm without exemption from 1.4.3 and 1.4.4 [1.4.3e]")
    days = [one.on for one in (last, reached) if one is not None and one.on is not None]
    return replace(
        base,
        norms=tuple(used),
        counted=counted,
        needed=needed,
        reached=reached,
        awarded=None if missing else max(days, default=None),
        complete=not missing,
        missing=tuple(missing),
    )


def _until_complete(norms: Sequence[MadeNorm]) -> tuple[list[MadeNorm], MadeNorm | None]:
    """Return the norms that count up to the one that completes a title, and that one.

    A forfeit or bye is forgiven once in an application [1.4.1c]: a second such norm does not count.
    """
    used: list[MadeNorm] = []
    for norm in norms:
        if norm.forgiven and any(n.forgiven for n in used):
            continue
        used.append(norm)
        enough = sum(n.games for n in used) >= NORM_GAMES and len(used) >= FEWEST_NORMS
        if enough and not all(n.exempt for n in used):
            return used, norm
    return used, None


def _people(connection: Connection) -> dict[int, tuple[str | None, str | None]]:
    p = tables.players.c
    return {row.id: (row.title, row.sex) for row in connection.execute(sa.select(p.id, p.title, p.sex))}


def _rated_games(connection: Connection) -> dict[int, int]:
    """Return how many games of each player count, merges applied."""
    g, e = tables.games.c, tables.events.c
    today = merged_ends(connection)
    result: Counter[int] = Counter()
    for side in (g.white_id, g.black_id):
        query = (
            sa.select(side, sa.func.count())
            .join_from(tables.games, tables.events, e.id == g.event_id)
            .where(g.status == "played", e.excluded.is_(False), side.is_not(None), STANDARD)
            .group_by(side)
        )
        for player, count in connection.execute(query):
            result[today.get(player, player)] += int(count)
    return result


# Norms and titles, kept in the ledger with what they rest on.

NORM = ("player_id", "event_id", "title", "rules", "verdict")
TITLE = ("player_id", "title", "date", "rules", "because")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTitles:
    """Titles that the ledger now stores, and the number of new rows."""

    standings: tuple[TitleStanding, ...]
    norms: int
    titles: int
    new_norms: int
    new_titles: int


def record_titles(
    connection: Connection, rules: TitleRules = "fide", *, policy: str | None = None
) -> RecordedTitles:
    """Check all events again and keep the norms and titles that follow; unchanged ones are not touched."""
    result = titles_over_time(connection, rules, policy=policy)
    name = RULES if rules == "uscf" else norm_rules("today").name
    before = [_kept(connection, tables.norms, NORM, name), _kept(connection, tables.titles, TITLE, name)]
    norms = _norm_rows(result)
    numbers, new_norms = _replace(connection, tables.norms, NORM, norms, before[0], name)
    titles = _title_rows(result, numbers)
    _, new_titles = _replace(connection, tables.titles, TITLE, titles, before[1], name)
    return RecordedTitles(
        standings=tuple(result),
        norms=len(norms),
        titles=len(titles),
        new_norms=new_norms,
        new_titles=new_titles,
    )


def _norm_rows(found: Sequence[TitleStanding]) -> list[dict[str, Any]]:
    return [
        {
            "player_id": norm.player,
            "event_id": norm.event,
            "title": norm.title,
            "rules": norm.rules,
            "verdict": document_text(
                {
                    **norm.verdict,
                    "counts": norm.games or norm.norms,
                    **({"granted_by": norm.granted_by} if norm.granted_by else {}),
                }
            ),
        }
        for one in found
        for norm in one.norms
    ]


def _title_rows(
    found: Sequence[TitleStanding], numbers: dict[tuple[int, int, str], int]
) -> list[dict[str, Any]]:
    rows = []
    for one in found:
        if not one.complete:
            continue
        because: dict[str, Any] = {
            "norms": [numbers[n.player, n.event, n.title] for n in one.norms],
            "words": one.because(),
        }
        if one.reached is not None:
            because |= {"rating": one.reached.rating, "where": one.reached.where}
        rows.append(
            {
                "player_id": one.player,
                "title": one.title,
                "date": one.awarded,
                "rules": one.rules,
                "because": document_text(because),
            }
        )
    return rows


def _kept(connection: Connection, table: sa.Table, columns: tuple[str, ...], rules: str) -> pl.DataFrame:
    chosen = [table.c.id, *(table.c[name] for name in columns)]
    return frame(connection, sa.select(*chosen).where(table.c.rules == rules).order_by(table.c.id))


def _replace(
    connection: Connection,
    table: sa.Table,
    columns: tuple[str, ...],
    rows: list[dict[str, Any]],
    before: pl.DataFrame,
    rules: str,
) -> tuple[dict[tuple[int, int, str], int], int]:
    """Write the rows of some rules; return their numbers, and how many were not there before."""
    kinds = {name: before.schema[name] for name in columns}
    wanted = pl.DataFrame(rows, schema=kinds)
    old = set(before.select(columns).iter_rows())
    new = sum(row not in old for row in wanted.iter_rows())
    if new or wanted.height != before.height:
        connection.execute(table.delete().where(table.c.rules == rules))
        first = next_id(connection, table)
        numbered = wanted.with_columns(pl.int_range(first, first + wanted.height, dtype=pl.Int64).alias("id"))
        bulk_insert(connection, table, numbered)
    else:
        numbered = before
    if table is not tables.norms:
        return {}, new
    keys = numbered.select("player_id", "event_id", "title", "id").iter_rows()
    return {(player, event, title): number for player, event, title, number in keys}, new


# Ratings that somebody has reached: on a published list, on a list that was imported, or in a report.


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A rating, since when, and where it stands."""

    rating: float
    on: date | None
    where: str  # `list 2026-11 (fide)` or `report of Spring Open`


class Reaches:
    """Everybody's ratings over time: `player`, `rating`, `on`, `where`, `games`; by player and day."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows
        self._first: dict[float, dict[int, Reached]] = {}

    def first(self, player: int, least: float) -> Reached | None:
        """Return where a player first had such a rating; None: not yet."""
        if least not in self._first:
            self._first[least] = _firsts(self.rows.filter(pl.col("rating") >= least))
        return self._first[least].get(player)

    def best(self, player: int) -> Reached | None:
        """Return the highest rating of a player, where it stood first."""
        return self._best.get(player)

    def games(self, player: int) -> int:
        """Return on how many games a player's ratings rest, as far as lists tell."""
        return self._games.get(player, 0)

    def above(self, least: float) -> list[int]:
        """Return everybody who ever had such a rating."""
        return self.rows.filter(pl.col("rating") >= least)["player"].unique().sort().to_list()

    @cached_property
    def _best(self) -> dict[int, Reached]:
        return _firsts(self.rows.filter(pl.col("rating") == pl.col("rating").max().over("player")))

    @cached_property
    def _games(self) -> dict[int, int]:
        known = self.rows.filter(pl.col("games").is_not_null())
        return dict(known.group_by("player").agg(pl.col("games").max()).iter_rows())


def _firsts(rows: pl.DataFrame) -> dict[int, Reached]:
    first = rows.group_by("player", maintain_order=True).first()
    return {
        player: Reached(rating=rating, on=on, where=where)
        for player, rating, on, where in first.select("player", "rating", "on", "where").iter_rows()
    }


def ratings_reached(connection: Connection, policy: str | None = None) -> Reaches:
    """Return the ratings that count toward titles.

    Those of reports (rated on the day of the game), of lists that were imported, and of a policy's published
    lists where one is named. A draft is no rating yet.
    """
    rows = pl.concat([_listed(connection, policy), *_given(connection)])
    today = people_today(rows["id"], merged_ends(connection))
    rows = (
        rows.with_columns(today.alias("player"))
        .select("player", "rating", "on", "where", "games")
        .sort("player", "on", "rating", "where", nulls_last=True, maintain_order=True)
    )
    return Reaches(rows)


def _listed(connection: Connection, policy: str | None) -> pl.DataFrame:
    n, t, p = tables.entries, tables.lists, tables.policies
    counts: sa.ColumnElement[bool] = t.c.run_id.is_(None)  # a list that was given
    if policy is not None:
        counts = sa.or_(counts, sa.and_(p.c.name == policy, t.c.published.is_not(None)))
    where = sa.literal("list ") + t.c.name + " (" + p.c.name + ")"
    return frame(
        connection,
        sa.select(
            n.c.player_id.label("id"),
            n.c.rating,
            sa.func.coalesce(t.c.effective, t.c.closing, type_=sa.Date).label("on"),
            where.label("where"),
            n.c.total_games.label("games"),
        )
        .join(t, t.c.id == n.c.list_id)
        .join(p, p.c.id == t.c.policy_id)
        .where(counts, n.c.rating.is_not(None))
        .order_by(t.c.id, n.c.player_id),
    )


def _given(connection: Connection) -> list[pl.DataFrame]:
    g, e = tables.games, tables.events
    day = sa.func.coalesce(g.c.date, e.c.end, e.c.start, type_=sa.Date)
    parts = []
    for side in ("white", "black"):
        who, rating = g.c[f"{side}_id"], g.c[f"{side}_rating"]
        query = (
            sa.select(
                who.label("id"), rating.label("rating"), sa.func.min(day, type_=sa.Date).label("on"), e.c.name
            )
            .join(e, e.c.id == g.c.event_id)
            .where(rating.is_not(None), e.c.excluded.is_(False), STANDARD)
            .group_by(who, rating, e.c.id, e.c.name)
            .order_by(who, e.c.id, rating)
        )
        parts.append(
            frame(connection, query).select(
                "id",
                "rating",
                "on",
                (pl.lit("report of ") + pl.col("name")).alias("where"),
                pl.lit(None, pl.Int64).alias("games"),
            )
        )
    return parts


# Norms and titles of the USCF's rules of 1994 over the events of the ledger.


def uscf_standings(connection: Connection, *, policy: str | None = None) -> list[TitleStanding]:
    """Return how everybody stands toward the USCF's titles; who has no norm is left out.

    `policy`: Whose lists give ratings to players whom a report gives none.
    """
    results, names = _results(connection, policy)
    result: list[TitleStanding] = []
    for player in sorted(results):
        history = title_history(results[player])
        result += _standings(player, history, names)
    return result


def _results(
    connection: Connection, policy: str | None
) -> tuple[dict[int, list[EventResult]], dict[str, tuple[int, str]]]:
    results: dict[int, list[EventResult]] = defaultdict(list)
    names: dict[str, tuple[int, str]] = {}
    for number, on in norm_events(connection, rounds=0):
        known = listed_ratings(connection, policy, on) if policy is not None and on else {}
        recorded = recorded_games(connection, [number], ratings=known)
        ratings = known_ratings(recorded.games)
        key = f"#{number}"
        names[key] = (number, recorded.games.events[0].name)
        for row, entry in field_of(recorded.games).items():
            rated = [(ratings[o], share) for o, share in entry.results if o in ratings]
            results[recorded.players[row]].append(
                EventResult(
                    event=key,
                    on=on,
                    score=math.fsum(share for _, share in rated),
                    opponents=tuple(rating for rating, _ in rated),
                    left_out=entry.games - len(rated),
                )
            )
    return results, names


def _standings(player: int, history: TitleHistory, names: dict[str, tuple[int, str]]) -> list[TitleStanding]:
    awarded = {award.title: award for award in history.titles}
    titles = [title_called(name) for name in awarded]
    titles += [t for t in history.status.sought() if history.status.toward(t)]
    result = []
    for title in titles:
        award = awarded.get(title.name)
        norms: list[MadeNorm] = []
        total = 0
        for earned in history.earned:
            if earned.level != title.level or total >= title.norms:
                continue
            total = earned.total
            number, name = names[earned.event]
            norms.append(
                MadeNorm(
                    player=player,
                    event=number,
                    event_name=name,
                    on=earned.on,
                    title=title.name,
                    rules=RULES,
                    verdict={"level": earned.level, "norms": earned.norms, "total": earned.total},
                    games=0,
                    norms=earned.norms,
                )
            )
        missing = title.norms - total
        result.append(
            TitleStanding(
                player=player,
                title=title.name,
                rules=RULES,
                norms=tuple(norms),
                counted=total,
                needed=title.norms,
                awarded=None if award is None else award.on,
                complete=award is not None,
                missing=() if award is not None else (f"{counted(missing, 'more norm')} at {title.level}",),
            )
        )
    return result
