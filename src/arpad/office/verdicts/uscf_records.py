"""Norms and titles of the USCF's rules of 1994 over the events of the ledger."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from arpad.event.crosstable import known_ratings
from arpad.event.field import field_of
from arpad.event.uscf_history import EventResult, title_history
from arpad.event.uscf_titles import title_called
from arpad.event.uscf_verdicts import RULES
from arpad.office.records.ledger_games import listed_ratings, recorded_games
from arpad.office.verdicts.norm_records import MadeNorm, norm_events

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.event.uscf_history import TitleHistory
    from arpad.office.verdicts.titles import TitleStanding

__all__ = ["uscf_standings"]


def uscf_standings(connection: Connection, *, policy: str | None = None) -> list[TitleStanding]:
    """Return how everybody stands toward the USCF's titles; who has no norm is left out.

    Parameters
    ----------
    policy
        Whose lists give ratings to players whom a report gives none.
    """
    results, names = _results(connection, policy)
    found: list[TitleStanding] = []
    for player in sorted(results):
        history = title_history(results[player])
        found += _standings(player, history, names)
    return found


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


def _standings(
    player: int, history: TitleHistory, names: dict[str, tuple[int, str]]
) -> list[TitleStanding]:
    from arpad.office.verdicts.titles import TitleStanding

    awarded = {award.title: award for award in history.titles}
    titles = [title_called(name) for name in awarded]
    titles += [t for t in history.status.sought() if history.status.toward(t)]
    found = []
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
        found.append(
            TitleStanding(
                player=player,
                title=title.name,
                rules=RULES,
                norms=tuple(norms),
                counted=total,
                needed=title.norms,
                awarded=None if award is None else award.on,
                complete=award is not None,
                missing=()
                if award is not None
                else (f"{missing} more norm{'' if missing == 1 else 's'} at {title.level}",),
            )
        )
    return found
