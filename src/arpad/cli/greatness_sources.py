"""The ratings of a greatness run, as its options name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.output import say
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from arpad.model import Games, Ratings
    from arpad.pool.greatness.groups import EventGroups
    from arpad.pool.greatness.own import YearlyRatings
    from arpad.pool.greatness.source import RatingSource
    from arpad.pool.study import HistorySystem
    from arpad.publish.greatness_state import RunState

__all__ = ["NAMES", "number_twos", "rating_lists", "rating_sources"]

NAMES = ("file", "list", "own", "system")
"""Where ratings can come from."""

STUDY = 1
"""Of the historical study; another number makes studies that were kept strangers."""


def rating_sources(
    games: Games,
    wanted: str | None,
    lists: Sequence[tuple[date, Ratings]],
    system: str | None,
    *,
    births: dict[str, float],
    spelled: dict[str, str],
    join: bool,
    kept: RunState,
) -> Callable[[EventGroups], list[RatingSource]]:
    """Return what makes the sources, once the events are known, in the order in which they are asked."""
    from arpad.pool.study import HistorySystem

    names = _wanted(wanted, lists=bool(lists), system=system is not None)

    def make(groups: EventGroups) -> list[RatingSource]:
        found: list[RatingSource] = []
        for name in names:
            if name == "file":
                from arpad.pool.greatness.published import PublishedRatings

                found.append(PublishedRatings(groups.published, groups.names))
            elif name == "list":
                from arpad.pool.greatness.listed import ListedRatings

                found.append(ListedRatings(lists, games.players, groups.person))
            elif name == "system":
                found.append(_walked(games, groups, system or ""))
            else:
                study = HistorySystem(births=births, spelled=spelled, guess=join)
                found.append(_studied(games, groups, study, kept))
        return found

    return make


def _wanted(text: str | None, *, lists: bool, system: bool) -> list[str]:
    if text is None:
        return ["file", *(["list"] if lists else []), "system" if system else "own"]
    names = [name.strip() for name in text.split(",") if name.strip()]
    strange = [name for name in names if name not in NAMES]
    if strange or not names:
        raise UsageError(
            f"--ratings: expected some of {', '.join(NAMES)}, with commas; found {text!r}"
        )
    if "list" in names and not lists:
        raise UsageError("--ratings list needs rating lists: name them with --list")
    if "system" in names and not system:
        raise UsageError("--ratings system needs a rating system: name it with --system")
    return list(dict.fromkeys(names))


def _studied(
    games: Games, groups: EventGroups, system: HistorySystem, kept: RunState
) -> RatingSource:
    from arpad.pool.greatness.own import OwnRatings, yearly_ratings

    def study() -> Mapping[str, YearlyRatings]:
        return kept.studied(_key(games, system), lambda: yearly_ratings(system.study(games)))

    return OwnRatings(study, groups.names, say)


def _key(games: Games, system: HistorySystem) -> str:
    """Return a short hash of all that the historical study follows from: `fingerprint` leaves out events and ratings."""
    import hashlib
    import json

    from arpad.pool.serious import NOBODY

    words = [STUDY, NOBODY, games.fingerprint(), system.parameters(), sorted(system.births.items()),
             sorted(system.spelled.items()), [(e.name, e.site) for e in games.events]]  # fmt: skip
    digest = hashlib.blake2b(json.dumps(words, default=str).encode(), digest_size=12)
    for column in ("event", "white_rating", "black_rating", "precision"):
        digest.update(games.table[column].to_physical().cast(float).fill_null(-1.0).to_numpy().data)
    return digest.hexdigest()


def _walked(games: Games, groups: EventGroups, system: str) -> RatingSource:
    from dataclasses import replace

    import polars as pl

    from arpad.pool.greatness.walked import WalkedRatings
    from arpad.rate.systems import system as system_called

    table = games.table.filter(pl.col("black").is_not_null())
    sides = [
        pl.Series(s, groups.person[table[s].to_numpy()]).cast(pl.Int32) for s in ("white", "black")
    ]
    joined = table.with_columns(sides).filter(pl.col("white") != pl.col("black"))
    joined = joined.sort("date", maintain_order=True)
    return WalkedRatings(system_called(system), replace(games, table=joined))


def rating_lists(files: list[str], dates: str | None) -> list[tuple[date, Ratings]]:
    """Read rating lists with their days: as given, or as the list itself says."""
    from datetime import date as day

    from arpad.pool.dated import dated
    from arpad.read import read_list

    days: list[date | None] = [None] * len(files)
    if dates is not None:
        try:
            days = [day.fromisoformat(text.strip()) for text in dates.split(",")]
        except ValueError:
            raise UsageError(f"--dates: expected YYYY-MM-DD with commas, found {dates!r}") from None
        if len(days) != len(files):
            raise UsageError(f"--dates: expected {len(files)} dates, one a list; found {len(days)}")
    found = []
    for file, given in zip(files, days, strict=True):
        ratings = read_list(file)
        when = dated(ratings, day=given).date
        if when is None:
            raise UsageError(f"--list {file}: the list does not say its date: give it with --dates")
        found.append((when, ratings))
    return found


def number_twos(text: str | None) -> tuple[float | None, dict[int, float]]:
    """Return the rating of number two, or ratings by year from a CSV file."""
    if text is None:
        return None, {}
    try:
        return float(text), {}
    except ValueError:
        pass
    import csv
    from pathlib import Path

    try:
        rows = list(csv.DictReader(Path(text).read_text("utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--number-two: expected a rating, or a CSV file with year and rating; found {text!r} ({error})"
        ) from None
    found: dict[int, float] = {}
    for number, row in enumerate(rows, start=2):
        try:
            found[int(row["year"])] = float(row["rating"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"expected the columns year and rating with numbers, found {dict(row)!r}",
                file=text,
                line=number,
            ) from None
    if not found:
        raise InputError("expected rows with year and rating, found none", file=text)
    return None, found
