"""The rows that an import writes beside games: players, spellings, events, doubts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.store.ledger.column_types import document_text

if TYPE_CHECKING:
    from arpad.model import Event
    from arpad.office.intake.batch import Batch
    from arpad.office.intake.matching import Matches
    from arpad.office.records.register import Register

__all__ = ["CHANGED", "doubt_rows", "event_rows", "new_names", "player_rows"]

CHANGED = (
    "a changed report of an event that is here: replace it, add this one, or leave it as it is"
)
"""What the queue says of an event with the name and days of another, and other games."""

_DOUBT = {
    "id": pl.Int64, "kind": pl.String, "about": pl.String, "event_id": pl.Int64,
    "player_id": pl.Int64, "document": pl.String,
}  # fmt: skip


def player_rows(batch: Batch, people: pl.DataFrame, matches: Matches) -> pl.DataFrame:
    """Return the players that are new."""
    new = matches.rows.filter(pl.col("player").is_null()).select("row")
    return (
        batch.players.join(new, on="row", how="semi", maintain_order="left")
        .join(people, on="row", maintain_order="left")
        .select(pl.col("player").alias("id"), "name", "birth", "federation", "sex", "title")
        .sort("id")
    )


def new_names(batch: Batch, people: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Return the spellings that the ledger does not have of these players."""
    mine = batch.players.select("row", "name", "fold").join(people, on="row", maintain_order="left")
    return mine.join(
        known.spellings(people["player"]), on=["player", "fold"], how="anti", maintain_order="left"
    ).select(pl.col("player").alias("player_id"), "name", "fold")


def event_rows(
    batch: Batch, judged: pl.DataFrame, now: pl.DataFrame, people: pl.DataFrame
) -> pl.DataFrame:
    """Return the events that enter; a changed report does not count until somebody decides."""
    entered = judged.filter(pl.col("what") != "here").select("event", "id", "what")
    rows = (
        batch.events.join(entered, on="event", maintain_order="left")
        .join(now, on="event", maintain_order="left")
        .sort("id")
    )
    person = dict(people.iter_rows())
    documents = [_document(batch.reports[event], person) for event in rows["event"]]
    return rows.select(
        "id", (pl.col("event") + 1).alias("number"), "name", "site", "federation", "start", "end",
        "kind", "time_control", "rounds", "source", pl.col("hash").alias("content"),
        (pl.col("what") == "changed").alias("excluded"),
        pl.Series("document", documents, dtype=pl.String),
    )  # fmt: skip


def _document(event: Event, person: dict[int, int]) -> str | None:
    """Return what a report says beyond the columns of the table."""
    told: dict[str, Any] = {
        "arbiter": event.arbiter,
        "deputies": list(event.deputies),
        "time_control": event.time_control,
        "round_dates": list(event.round_dates),
        "rating_system": event.rating_system,
        "number_two": event.number_two,
        "teams": [
            [name, [person[m] for m in members if m in person]] for name, members in event.teams
        ],
        "extra": list(event.extra),
    }
    told = {name: value for name, value in told.items() if value not in (None, [])}
    return document_text(told).replace("\\u0000", "") if told else None


def doubt_rows(
    batch: Batch, people: pl.DataFrame, matches: Matches, judged: pl.DataFrame, known: Register
) -> pl.DataFrame:
    """Return what somebody must look at: players who may be others, reports that have changed."""
    rows = [*_players(batch, people, matches), *_events(batch, judged, known)]
    return pl.DataFrame(
        [
            {"id": known.numbers["doubts"] + at, **row, "document": document_text(row["document"])}
            for at, row in enumerate(rows)
        ],
        schema=_DOUBT,
    )


def _players(batch: Batch, people: pl.DataFrame, matches: Matches) -> list[dict[str, Any]]:
    doubtful = matches.doubts.sort("row", maintain_order=True)
    if doubtful.is_empty():
        return []
    person = dict(people.iter_rows())
    names = dict(
        batch.players.join(doubtful, on="row", how="semi").select("row", "name").iter_rows()
    )
    found: dict[int, list[dict[str, Any]]] = {}
    for row, player, name, score, reason in doubtful.iter_rows():
        found.setdefault(row, []).append(
            {"player": player, "name": name, "score": score, "reason": reason}
        )
    return [
        {
            "kind": "player",
            "about": names[row],
            "event_id": None,
            "player_id": person[row],
            "document": {"reason": "may be a player who is here already", "candidates": candidates},
        }
        for row, candidates in found.items()
    ]


def _events(batch: Batch, judged: pl.DataFrame, known: Register) -> list[dict[str, Any]]:
    changed = judged.filter(pl.col("what") == "changed")
    if changed.is_empty():
        return []
    there = known.events(changed["other"])
    pairs = changed.join(batch.events, on="event", maintain_order="left").join(
        there.select(other="id", name_2="name", start_2="start", end_2="end"),
        on="other",
        maintain_order="left",
    )
    return [
        {
            "kind": "event",
            "about": row["name"],
            "event_id": row["id"],
            "player_id": None,
            "document": {
                "reason": CHANGED,
                "candidates": [
                    {
                        "event": row["other"],
                        "name": row["name_2"],
                        "start": str(row["start_2"]),
                        "end": str(row["end_2"]),
                    }
                ],
            },
        }
        for row in pairs.iter_rows(named=True)
    ]
