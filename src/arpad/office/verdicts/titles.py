"""Titles over time: what somebody has, since when and because of what, and what is missing.

FIDE [B.01]: norms that cover 27 games and a rating, once reached; the lower titles by the rating alone.
USCF [1994, 2.6]: five norms of a level, twenty for a life title.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from arpad.errors import UsageError
from arpad.event.norm_rules import norm_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.verdicts.norm_records import MadeNorm
    from arpad.office.verdicts.reached import Reached, Reaches

__all__ = ["TitleRules", "TitleStanding", "fide_standings", "standing", "titles_over_time"]

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
"""… after so many rated games [B.01, 1.3]."""
ORDER = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM")
"""From the highest down; a player seeks what is above the title he has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleStanding:
    """How far one player is from one title."""

    player: int
    title: str
    rules: str
    norms: tuple[MadeNorm, ...] = ()
    """In the order of time."""
    counted: int = 0
    """Games, or for the USCF norms, toward the title."""
    needed: int = 0
    rating_needed: float | None = None
    reached: Reached | None = None
    """Where the rating was first reached."""
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

    Parameters
    ----------
    policy
        Whose published lists count as ratings reached, and give ratings that reports do not.
    players
        Only these; of them every title that they might seek.
    """
    from arpad.office.verdicts.norm_records import made_norms
    from arpad.office.verdicts.reached import ratings_reached
    from arpad.office.verdicts.uscf_records import uscf_standings

    if rules not in get_args(TitleRules):
        raise UsageError(f"expected rules for titles, fide or uscf; found {rules!r}")
    if rules == "uscf":
        found = uscf_standings(connection, policy=policy)
        return [s for s in found if players is None or s.player in players]
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

    Parameters
    ----------
    people
        Title and sex by player.
    rated
        Rated games that the ledger knows, by player.
    players
        Whom to look at; None: whoever has a norm, or ever had the rating of a title.
    """
    rules = norm_rules("today").name
    chosen = set(players or ())
    if players is None:
        chosen |= {n.player for n in norms} | set(reaches.above(min(BY_RATING.values())))
    made: dict[tuple[int, str], list[MadeNorm]] = {}
    for norm in norms:
        made.setdefault((norm.player, norm.title), []).append(norm)
    found = []
    for player in sorted(chosen):
        held, sex = people.get(player, (None, None))
        for title in _sought(held, sex):
            mine = made.get((player, title), [])
            base = TitleStanding(
                player=player, title=title, rules=rules, best=reaches.best(player),
                rating_needed=LEVELS.get(title, BY_RATING.get(title)),
            )  # fmt: skip
            games = max(rated.get(player, 0), reaches.games(player))
            one = standing(base, mine, reaches, games)
            if players is not None or one.norms or one.complete:
                found.append(one)
    return found


def _sought(held: str | None, sex: str | None) -> list[str]:
    above = ORDER[: ORDER.index(held)] if held in ORDER else ORDER
    woman = sex == "w" or (held or "").startswith("W")
    return [t for t in above if woman or not t.startswith("W")]


def standing(
    base: TitleStanding, norms: Sequence[MadeNorm], reaches: Reaches, games: int
) -> TitleStanding:
    """Return how far somebody is from a title: the first day on which all is met, or what is missing."""
    need = base.rating_needed or 0.0
    reached = reaches.first(base.player, need)
    missing = []
    if reached is None:
        best = "none is known" if base.best is None else f"best {base.best.rating:g}"
        missing.append(f"a rating of {need:g} ({best})")
    if base.title in BY_RATING:
        if games < RATED_GAMES:
            missing.append(f"{RATED_GAMES} rated games ({games} are known)")
        return replace(
            base, counted=games, needed=RATED_GAMES, reached=reached, missing=tuple(missing),
            complete=not missing, awarded=None if missing or reached is None else reached.on,
        )  # fmt: skip
    used, last = _until_complete(norms)
    counted = sum(n.games for n in used)
    if last is None:
        short = NORM_GAMES - counted
        if short > 0:
            missing.append(
                f"norms of {short} more games ({counted} of {NORM_GAMES}, {len(used)} norms)"
            )
        elif len(used) < FEWEST_NORMS:
            missing.append(f"{FEWEST_NORMS} norms ({len(used)} are made)")
        else:
            missing.append("one norm without exemption from 1.4.3 and 1.4.4 [1.4.3e]")
    awarded = None
    if not missing and last is not None and reached is not None:
        days = [d for d in (last.on, reached.on) if d is not None]
        awarded = max(days) if days else None
    return replace(
        base, norms=tuple(used), counted=counted, needed=NORM_GAMES, reached=reached,
        awarded=awarded, complete=not missing, missing=tuple(missing),
    )  # fmt: skip


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
    import sqlalchemy as sa

    from arpad.store.ledger import tables

    p = tables.players
    query = sa.select(p.c.id, p.c.title, p.c.sex).order_by(p.c.id)
    return {row.id: (row.title, row.sex) for row in connection.execute(query)}


def _rated_games(connection: Connection) -> dict[int, int]:
    """Return how many games of each player count, merges applied."""
    import sqlalchemy as sa

    from arpad.office.records.merges import merged_ends
    from arpad.store.ledger import tables

    g, e = tables.games, tables.events
    today = merged_ends(connection)
    found: dict[int, int] = {}
    for side in (g.c.white_id, g.c.black_id):
        query = (
            sa.select(side, sa.func.count())
            .join(e, e.c.id == g.c.event_id)
            .where(g.c.status == "played", e.c.excluded.is_(False), side.is_not(None))
            .where(sa.or_(e.c.time_control.is_(None), e.c.time_control == "standard"))
            .group_by(side)
        )
        for player, count in connection.execute(query):
            person = today.get(player, player)
            found[person] = found.get(person, 0) + int(count)
    return found
