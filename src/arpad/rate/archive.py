"""An archive advances a state month after month: memory grows with players, not with games."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.files import Checkpoint, folder_of, standing_path, standing_root
from arpad.model import PLAYER_SCHEMA, STATUS, Games, Ratings, Result, filled, ranked
from arpad.rate.system import State, shared_of, shared_values
from arpad.read.archive import MonthReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from arpad.rate.system import RatingSystem
    from arpad.read.archive import Archive, ArchiveTally, GameBatch


LONGER = ("quarter", "year")
"""Periods that no month holds."""


class Advancing:
    """The state of a system in an archive, and the games of a month that are not rated yet.

    Parameters
    ----------
    months
        Whether the parts of the archive are months of the calendar.
    """

    def __init__(self, system: RatingSystem, *, months: bool) -> None:
        self.system = system
        period = getattr(system, "period", None) or getattr(system, "usual_period", None)
        if getattr(system, "whole_past", False):
            raise UsageError(f"{system.name} needs all games at once: every game changes earlier ratings")
        # After every game: pieces of any size will do.
        self.at_once = getattr(system, "plain", False) and period == "game"
        if not self.at_once and not months:
            raise UsageError(
                f"{system.name} rates by periods, and the names of these files tell no months: name the folders "
                "month=2015-01, or put 2015-01 into the names of the files"
            )
        whole_days = getattr(system, "reckons_time", False) and period not in (None, "month", "day")
        if period in LONGER or whole_days:
            raise UsageError(
                f"an archive is rated month by month, and {system.name} has a period of {period!r} here: take month or day"
            )
        self.whole = not (getattr(system, "plain", False) and period != "event")
        self.players = filled({}, PLAYER_SCHEMA)
        self.state: State = system.begin(self.players)
        self._waiting: list[GameBatch] = []

    def take(self, batch: GameBatch, players: int) -> None:
        """Take games of the month; numbers of players are below `players`."""
        self._grow(players)
        if self.at_once:
            self._advance(self._arrays(batch))
        else:
            self._waiting.append(batch)

    def close(self, first: date | None) -> None:
        """End a month that began on the day `first`, as far as that is known."""
        from arpad.read.archive import GameBatch

        waiting, self._waiting = self._waiting, []
        if not sum(map(len, waiting)):
            return
        self._advance(
            self._numbered(waiting[0], first) if self.whole else self._arrays(GameBatch.joined(waiting))
        )

    def ratings(self, people: pl.DataFrame) -> Ratings:
        """Return the list, best first, for `name` and `id` of everybody."""
        self._grow(people.height)
        state = self.state
        if people.height > len(state):
            state = state.joined(self.system.begin(self.players.slice(len(state))))
        named = state.rows.with_columns(people["name"].alias("player"), people["id"])
        listed = self.system.ratings(replace(state, rows=named))
        rows = listed.rows.drop("rank").filter(pl.col("games") > 0)
        return replace(listed, rows=ranked(rows))

    def _grow(self, players: int) -> None:
        if players > self.players.height:
            self.players = self.players.clear(players)

    def _advance(self, games: Games) -> None:
        self.state = self.system.advance(self.state, games)

    def _arrays(self, batch: GameBatch) -> Games:
        """Return the games of a batch in the order of play."""
        n = len(batch)
        given = self._first_given(batch)
        none = pl.repeat(None, n, dtype=pl.Float64, eager=True)
        table = pl.DataFrame(
            {
                "white": batch.white,
                "black": batch.black,
                "score": batch.score,
                "status": pl.repeat("played", n, dtype=STATUS, eager=True),
                "date": pl.Series(batch.day).cast(pl.Date),
                "event": pl.repeat(None, n, dtype=pl.Int32, eager=True),
                "round": pl.repeat(None, n, dtype=pl.String, eager=True),
                "white_rating": none if given is None else pl.Series(given[0]).fill_nan(None),
                "black_rating": none if given is None else pl.Series(given[1]).fill_nan(None),
            }
        )
        return Games(table, self.players)

    def _first_given(self, batch: GameBatch) -> NDArray[np.float64] | None:
        """Return the ratings beside games that are a player's first; two rows, NaN for none.

        A rating that stands only beside a later game is not looked at: it would be knowledge of the future.
        """
        if batch.ratings is None or not getattr(self.system, "given", True):
            return None
        played = np.zeros(self.players.height, dtype=np.int64)
        played[: len(self.state)] = self.state.rows["games"].to_numpy()
        sides = np.stack([batch.white, batch.black], axis=1).ravel()
        at = np.flatnonzero(played[sides] == 0)
        result = np.full((2, len(batch)), np.nan)
        if len(at):
            _, earliest = np.unique(sides[at], return_index=True)
            row, side = np.divmod(at[earliest], 2)
            result[side, row] = np.stack(batch.ratings)[side, row]
        return result

    def _numbered(self, batch: GameBatch, first: date | None) -> Games:
        """Return games with the players' numbers, and dates where only the month is known."""
        assert batch.games is not None
        assert batch.numbers is not None
        games, numbers = batch.games, batch.numbers
        place = np.full(self.players.height, -1, dtype=np.int64)
        place[numbers] = np.arange(len(numbers))
        rows = pl.Series(place).replace(-1, None)
        players = games.players.select(pl.all().gather(rows))
        number = pl.Series(numbers, dtype=pl.Int32)
        table = games.table.with_columns(
            number.gather(games.table[side]).alias(side) for side in ("white", "black")
        )
        if first is not None and table["date"].null_count() == table.height:
            table = table.with_columns(pl.lit(first, dtype=pl.Date).alias("date"))
        return Games(table, players, games.events)


SHARE = 0.1
"""Keeping may take this share of the time: months that take less than ten times as long are kept together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRatings(Result):
    """The list of an archive, and how it came about."""

    ratings: Ratings
    tally: ArchiveTally
    months: int
    taken_up: int
    """Months that an earlier run had rated."""
    note: str
    """Why what was kept could not be used; empty where it was, or nothing was there."""
    archive: Archive

    def table(self, top: int | None = None) -> pl.DataFrame:
        """Return the list, best first."""
        return self.ratings.table(top)

    def summary(self) -> str:
        """Return one sentence on the games and the system."""
        return self.ratings.summary()

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return the parameters, what was read, and the ratings or the best `top` of them."""
        ratings, tally = self.ratings, self.tally
        status = dict(tally.status)
        rated = status.pop("played", 0)
        notes = tally.notes.items()
        return {
            "system": ratings.system,
            "parameters": dict(ratings.parameters),
            "input": {
                "months": [
                    {"month": m.name, "files": list(m.files), "games": m.games} for m in self.archive.months
                ],
                "games": self.archive.games,
                "skipped": sum(n for (action, _), n in notes if action == "skipped"),
                "rated": rated,
                "not_rated": status,
                "players": ratings.source["players"],
                "fingerprint": self.archive.fingerprint(),
                "taken_up": self.taken_up,
            },
            **{
                action: [{"reason": r, "games": n} for (a, r), n in notes if a == action]
                for action in ("skipped", "repaired", "noted")
            },
            "ratings": (ratings.rows if top is None else ratings.rows.head(top)).to_dicts(),
        }


def settings_of(system: RatingSystem, archive: Archive, *, strict: bool = False) -> str:
    """Return all that decides on the figures beside the files, as one line."""
    told = {
        "system": system.name,
        "parameters": system.parameters(),
        "columns": dict(archive.columns),
        "players": archive.players,
        "strict": strict,
    }
    return json.dumps(told, sort_keys=True, default=str, ensure_ascii=False)


def state_place(
    system: RatingSystem, months: Archive, files: Sequence[str], *, folder: str | None, strict: bool
) -> Path:
    """Return where the state of such a run is kept: in a folder, or in the user's own."""
    root = folder_of(folder) if folder else standing_root()
    where = sorted(str(Path(file).resolve()) for file in files)
    settings = settings_of(system, months, strict=strict)
    return standing_path(root, f"{Path(where[0]).name} {system.name}", "\n".join([settings, *where]))


def rate_archive(
    system: RatingSystem,
    archive: Archive,
    *,
    state: Path | None = None,
    strict: bool = False,
    share: float = SHARE,
    watch: Callable[[int, int, str], None] | None = None,
) -> ArchiveRatings:
    """Rate an archive month after month.

    Parameters
    ----------
    state
        The file in which the run is kept; None: it is not.
    strict
        Make an error of the first game that would be skipped or repaired.
    share
        Share of the time that keeping may take; 1 or more: after every month.
    watch
        Told how many games of how many are done, and the month.
    """
    walk = Advancing(system, months=all(month.first for month in archive.months))
    reader = MonthReader(
        archive=archive, given=bool(getattr(system, "given", True)), whole=walk.whole, strict=strict
    )
    settings = settings_of(system, archive, strict=strict)
    done, note = 0, ""
    if state is not None:
        kept = Checkpoint.kept(state)
        note = _why_not(kept, settings, archive)
        if kept is not None and not note:
            done = len(kept.about["months"])
            reader.players.restore(kept.people, kept.about["players"])
            reader.tally.restore(kept.about["tally"])
            reader.last = kept.about["last"]
            walk.state = State(system.name, kept.rows, shared_of(kept.about["rest"]))
    games = sum(month.games for month in archive.months[:done])
    spent, since = 0.0, time.monotonic()
    for number, month in enumerate(archive.months[done:], start=done + 1):
        if watch is not None:
            watch(games, archive.games, month.name)
        for batch in reader.batches(month):
            walk.take(batch, reader.players.size)
            if watch is not None:
                watch(games + len(batch), archive.games, month.name)
        walk.close(month.first)
        games += month.games
        last = number == len(archive.months)
        if state is not None and (last or time.monotonic() - since >= spent / share - spent):
            begun = time.monotonic()
            _keep(state, settings, archive, number, reader, walk)
            since = time.monotonic()
            spent = since - begun
    people = reader.players.people()
    return ArchiveRatings(
        ratings=replace(walk.ratings(people), source=_source(archive, reader.tally, people.height)),
        tally=reader.tally,
        months=len(archive.months),
        taken_up=done,
        note=note,
        archive=archive,
    )


def _source(archive: Archive, tally: ArchiveTally, players: int) -> dict[str, Any]:
    order = ("played", "unrated", "forfeit", "bye", "unplayed")
    status = {word: tally.status[word] for word in order if tally.status[word]}
    return {
        "games": archive.games,
        "status": status,
        "players": players,
        "months": len(archive.months),
        "fingerprint": archive.fingerprint(),
    }


def _why_not(kept: Checkpoint | None, settings: str, archive: Archive) -> str:
    """Say why what was kept cannot be gone on from; empty where it can, or nothing is there."""
    if kept is None:
        return ""
    if kept.about.get("settings") != settings:
        return "the stored progress has other settings"
    months = [[month.name, month.fingerprint] for month in archive.months]
    theirs = kept.about["months"]
    for here, there in zip(months, theirs, strict=False):
        if here != there:
            return f"{there[0]} has changed since it was rated"
    return "months that were rated are no longer there" if len(theirs) > len(months) else ""


def _keep(path: Path, settings: str, archive: Archive, done: int, reader: MonthReader, walk: Any) -> None:
    about = {
        "settings": settings,
        "months": [[month.name, month.fingerprint] for month in archive.months[:done]],
        "tally": reader.tally.document(),
        "last": reader.last,
        "players": reader.players.size,
        "rest": shared_values(walk.state.shared),
    }
    Checkpoint(about=about, people=reader.players.kept(), rows=walk.state.rows).keep(path)
