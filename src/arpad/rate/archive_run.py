"""Rate an archive of monthly files in one pass, and go on from a checkpoint.

After every month all that the next one needs can be kept. A run that was stopped, or an archive that has grown
by a month, goes on from there; the list is the same.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arpad.files import Checkpoint, folder_of, standing_path, standing_root
from arpad.model import Ratings, Result
from arpad.rate.archive import Advancing
from arpad.rate.state import State, shared_of, shared_values
from arpad.read.archive import MonthReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from arpad.rate.system import RatingSystem
    from arpad.read.archive import Archive, ArchiveTally

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
        """Return one sentence on what was rated and how."""
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
