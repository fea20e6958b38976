"""All of chess history in one run: events, their ratings, and the Tournament App on each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.pool.greatness.app_rules import AppRules
from arpad.pool.greatness.assessment import PlayedEvent, assess, fingerprint
from arpad.pool.greatness.choice import choose
from arpad.pool.greatness.group_rules import GroupRules
from arpad.pool.greatness.groups import EventGroups, group_events
from arpad.pool.greatness.kinds import WHOLE
from arpad.pool.greatness.lists import Greatness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arpad.model import Games
    from arpad.pool.greatness.record import EventRecord
    from arpad.pool.greatness.source import RatingSource

__all__ = ["GreatnessRules", "find_greatness", "played_events"]

WHOLE_KINDS = ("match", "round robin", "tournament", "knock-out")
"""Kinds of which all games are there, as far as anybody can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GreatnessRules:
    """What a run is made by.

    Parameters
    ----------
    groups, app
        How games become events, and how the app is run on each.
    incomplete
        Run events, too, of which not all games are there.
    first, last
        Years.
    """

    groups: GroupRules = field(default_factory=GroupRules)
    app: AppRules = field(default_factory=AppRules)
    incomplete: bool = False
    first: int | None = None
    last: int | None = None

    def parameters(self) -> dict[str, object]:
        """Return every setting by name."""
        return {
            **self.groups.parameters(), **self.app.parameters(), "incomplete": self.incomplete,
            "from": self.first, "to": self.last,
        }  # fmt: skip


def find_greatness(
    games: Games,
    sources: Callable[[EventGroups], Sequence[RatingSource]],
    rules: GreatnessRules | None = None,
    *,
    done: Mapping[str, EventRecord] | None = None,
    tell: Callable[[EventRecord, int, int], None] | None = None,
) -> Greatness:
    """Group games into events, run the Tournament App on each, and make the lists.

    Parameters
    ----------
    sources
        Makes the sources of ratings once the events are known; the first that knows enough counts.
    done
        Records of an earlier run by their keys: what follows from the same games, ratings and settings
        is not done again.
    tell
        Called after each event with its record, its number from 1, and how many there are.
    """
    rules = rules or GreatnessRules()
    groups = group_events(games, rules.groups)
    chosen, left = _to_run(groups, rules)
    known = sources(groups)
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
        source={"games": len(games), "players": len(set(groups.person.tolist())),
                "joined": groups.joined.height, "fingerprint": games.fingerprint()},
    )  # fmt: skip


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
            about=about[group], white=white[a:b], black=black[a:b], score=score[a:b], beside=beside,
            when=when[a:b],
            certain=certain[a],
        )  # fmt: skip


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
            pl.format("not all games are here: {} % of the longest score", (pl.col("coverage") * 100).round(0).cast(pl.Int64))
        )
    )  # fmt: skip
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
            + ", ".join(f"{n:,} games {reason}" for reason, n in groups.left_games.items())
            + " (--leave-out '' leaves no event out)"
        )
    return good["group"].to_list(), left
