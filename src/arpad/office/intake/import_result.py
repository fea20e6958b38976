"""What an import has changed, or would change: in figures, as a table, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.read.report import Report
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.office.intake.import_file import Incoming
    from arpad.office.intake.import_plan import Plan
    from arpad.office.records.register import Register

__all__ = ["Imported"]

EVENTS = schema(
    {
        "event": pl.Int64,  # its number in the ledger
        "name": pl.String,
        "start": pl.Date,
        "end": pl.Date,
        "games": pl.Int64,
        "time_control": pl.String,
        "what": pl.String,  # new, here, changed
    }
)
PEOPLE = schema(
    {
        "name": pl.String,
        "player": pl.Int64,
        "how": pl.String,
        "score": pl.Float64,
        "known": pl.String,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One file: what was in it, who its players are, what became of its events.

    `earlier` is the number and the file's name of the import that had the same content: then nothing
    has changed. `events` has one row an event of the file; `people` the players found by name or in
    doubt; `doubts` the candidates of the latter.
    """

    file: str
    format: str | None
    number: int | None
    earlier: tuple[int, str] | None
    report: Report
    games: int = 0
    by_id: int = 0
    by_name: int = 0
    new: int = 0
    doubtful: int = 0
    completed: int = 0
    """Players that were here and of whom the file knew more."""
    listed: int | None = None
    """Ratings of a list; None: the file is none, or has no date."""
    unsaid: int = 0
    """New events whose time control stands nowhere: taken as standard."""
    moves: int = 0
    """Games that enter with their moves."""
    moves_added: int = 0
    """Games that were here without moves, and got them."""
    events: pl.DataFrame = field(default_factory=lambda: EVENTS.to_frame(eager=True))
    people: pl.DataFrame = field(default_factory=lambda: PEOPLE.to_frame(eager=True))
    doubts: pl.DataFrame = field(default_factory=pl.DataFrame)
    plan: Plan | None = None

    @classmethod
    def again(cls, path: str, earlier: tuple[int, str], *, moves_added: int = 0) -> Imported:
        """Return the result for a file whose content is here: it is not even read, unless for its moves."""
        return cls(
            file=Path(path).name, format=None, number=None, earlier=earlier, report=Report(),
            moves_added=moves_added,
        )  # fmt: skip

    @classmethod
    def of(cls, one: Incoming, plan: Plan, known: Register, *, number: int) -> Imported:
        """Return the result of a plan."""
        m, given = plan.matches, one.given
        listed = None
        if given is not None and given.closing is not None:
            listed = given.batch.players["rating"].drop_nulls().len()
        new = plan.judged.filter(pl.col("what") != "here").select("event")
        said = plan.batch.events.join(new, on="event", how="semi")["said"]
        return cls(
            file=one.file,
            format=one.format,
            number=number,
            earlier=None,
            report=one.report,
            games=plan.rows.games.height,
            by_id=m.count("id"),
            by_name=m.count("name"),
            new=m.count("new"),
            doubtful=m.count("doubtful"),
            completed=plan.rows.filled.height,
            listed=listed,
            unsaid=int((~said).sum()),
            events=_events(one, plan),
            people=_people(plan, known),
            doubts=_doubts(plan),
            plan=plan,
        )

    def count(self, what: str) -> int:
        """Return how many events are new, here already, or changed reports of others."""
        return self.events.filter(pl.col("what") == what).height

    def _games(self, what: str) -> int:
        return int(self.events.filter(pl.col("what") == what)["games"].sum())

    def table(self) -> pl.DataFrame:
        """Return the events of the file: number, name, days, games, time control, what they are."""
        return self.events

    def row(self) -> dict[str, Any]:
        """Return the figures in one row."""
        return {
            "file": self.file,
            "format": self.format,
            "import": self.number,
            "events": self.count("new"),
            "here": self.count("here"),
            "changed": self.count("changed"),
            "games": self.games,
            "by_id": self.by_id,
            "by_name": self.by_name,
            "new": self.new,
            "doubtful": self.doubtful,
        }

    def summary(self) -> str:
        """Return in a sentence what has changed."""
        if self.earlier is not None:
            added = f"{self._added()} added" if self.moves_added else "nothing changes"
            return (
                f"{self.file}: here already (import {self.earlier[0]}, {self.earlier[1]}): {added}"
            )
        parts = []
        if self.format in ("fide", "list"):
            parts.append(f"{self.listed or 0:,} ratings of a list")
        else:
            events, games = self.count("new"), self._games("new")
            parts.append(f"{events:,} event{'' if events == 1 else 's'} and {games:,} game{'' if games == 1 else 's'}")  # fmt: skip
        if here := self.count("here"):
            parts.append(f"{here:,} event{'' if here == 1 else 's'} here already")
        if changed := self.count("changed"):
            parts.append(
                f"{changed:,} changed report{'' if changed == 1 else 's'} ({self._games('changed'):,} games) in the queue"
            )
        if self.moves_added:
            parts.append(
                f"{self._added()} that {'was' if self.moves_added == 1 else 'were'} here added"
            )
        parts.append(
            f"players: {self.by_id:,} by id, {self.by_name:,} by name, {self.new:,} new, {self.doubtful:,} doubtful"
        )
        return f"{self.file}: {'; '.join(parts)}"

    def _added(self) -> str:
        return f"moves of {self.moves_added:,} game{'' if self.moves_added == 1 else 's'}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        found: dict[int, list[dict[str, Any]]] = {}
        for row in self.doubts.iter_rows(named=True):
            found.setdefault(row.pop("at"), []).append(row)
        return {
            **self.row(),
            "earlier": None if self.earlier is None else self.earlier[0],
            "completed": self.completed,
            "listed": self.listed,
            "time_control_unsaid": self.unsaid,
            "moves": self.moves,
            "moves_added": self.moves_added,
            "event_list": self.events.to_dicts(),
            "found_by_name": self.people.filter(pl.col("how") == "name").drop("how").to_dicts(),
            "doubts": [
                {"name": row["name"], "player": row["player"], "candidates": found[row["player"]]}
                for row in self.people.filter(pl.col("how") == "doubtful").iter_rows(named=True)
            ],
            **{
                action: [n.as_dict() for n in self.report.notes if n.action == action]
                for action in ("skipped", "repaired", "noted")
            },
        }


def _events(one: Incoming, plan: Plan) -> pl.DataFrame:
    whole = one.batch.events.join(plan.judged, on="event", maintain_order="left")
    return whole.select(
        pl.coalesce("id", "other").alias("event"),
        *(c for c in EVENTS if c != "event"),
    )


def _people(plan: Plan, known: Register) -> pl.DataFrame:
    m = plan.matches.rows.filter(pl.col("how").is_in(["name", "doubtful"]))
    found = (
        m.select("row", "how", "score")
        .join(plan.batch.players.select("row", "name"), on="row", maintain_order="left")
        .join(plan.people, on="row", maintain_order="left")
    )
    named = known.profiles(found.filter(pl.col("how") == "name")["player"])
    today = named.select("player", pl.col("name").alias("known"))
    return found.join(today, on="player", how="left", maintain_order="left").select(
        pl.col(name).cast(kind) for name, kind in PEOPLE.items()
    )


def _doubts(plan: Plan) -> pl.DataFrame:
    people = plan.people.rename({"player": "at"})
    return plan.matches.doubts.join(people, on="row", maintain_order="left").drop("row")
