"""A comparison that was worked out in the background: as a document that is kept, and back again."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl
import sqlalchemy as sa

from arpad.lab.bootstrap import Interval
from arpad.lab.metrics import Scores
from arpad.lab.prediction import Counts, Prediction, Standing
from arpad.lab.recalibrate import Recalibration
from arpad.lab.windows import Windows
from arpad.store.ledger import tables
from arpad.web.jobs import records
from arpad.web.lab.contexts import Sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from arpad.office.showing.lab_games import LabGames

__all__ = [
    "KIND", "Kept", "about", "arguments_of", "document_of", "forget_older", "kept_comparison", "mark",
]  # fmt: skip

KIND = "compare"
"""What the job is called."""

PLAIN = ("system", "name", "constants", "foretold", "calibration_error", "reason")
"""What is kept of a system's row as it stands; its constants and its parts are not shown here."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the ledger has of a comparison: the last job that was asked for, and the last result."""

    job: records.Job | None
    """The last one that is not done: it waits, runs, failed or was stopped after the result."""
    done: records.Job | None
    found: Prediction | None
    sample: Sample | None
    """The games that the result is of."""
    fresh: bool
    """Whether the ledger stands as it stood then."""


def arguments_of(least: str, *, given: bool) -> dict[str, Any]:
    """Return by what a comparison is found again."""
    return {"least": least, "given": given}


def about(sample: LabGames) -> Sample:
    """Return what a page says of the games."""
    days: Any = sample.games.table["date"]
    return Sample(
        games=len(sample.games), there=sample.there, players=sample.players, sampled=sample.sampled,
        first=days.min(), last=days.max(),
    )  # fmt: skip


def mark(stamp: tuple[Any, ...]) -> str:
    """Return the ledger's stamp as a word that changes whenever the ledger does."""
    return sha256(repr(stamp).encode()).hexdigest()[:32]


def document_of(found: Prediction, sample: LabGames, stamp: tuple[Any, ...]) -> dict[str, Any]:
    """Return what is kept of a comparison."""
    whole = {
        "stamp": mark(stamp),
        "sample": about(sample).model_dump(mode="json"),
        "standings": [_row(each) for each in found.standings],
        "reference": found.reference,
        "windows": {name: _iso(getattr(found.windows, name)) for name in ("validation_from", "test_from", "end")},
        "period": found.period,
        "least_games": found.least_games,
        "counts": asdict(found.counts),
        "draws": found.draws,
        "seed": found.seed,
        "curves": found.curves.to_dict(as_series=False),
        "notes": list(found.notes),
    }  # fmt: skip
    return _finite(whole)  # type: ignore[no-any-return]


def kept_comparison(
    connection: Connection, least: str, *, given: bool, stamp: tuple[Any, ...]
) -> Kept:
    """Return what the ledger has of a comparison."""
    done = _last(connection, least, given=given, states=("done",))
    job = _last(connection, least, given=given, states=(*records.OPEN, "failed", "stopped"))
    if job is not None and done is not None and job.id < done.id:
        job = None
    document = ((done.result or {}) if done else {}).get("document")
    if not document:
        return Kept(job=job, done=None, found=None, sample=None, fresh=False)
    return Kept(
        job=job, done=done, found=_prediction(document), sample=Sample(**document["sample"]),
        fresh=document["stamp"] == mark(stamp),
    )  # fmt: skip


def forget_older(connection: Connection, number: int, arguments: Mapping[str, Any]) -> None:
    """Drop what earlier jobs of the same comparison found: it is long, and nobody will look at it again."""
    t = tables.jobs
    connection.execute(
        sa.update(t)
        .where(t.c.kind == KIND, t.c.state == "done", t.c.id < number, t.c.arguments == dict(arguments))
        .values(result={"figures": {}, "links": []})
    )  # fmt: skip


def _last(connection: Connection, least: str, *, given: bool, states: tuple[str, ...]) -> records.Job | None:  # fmt: skip
    t = tables.jobs.c
    wanted = [t.kind == KIND, t.state.in_(states), t.arguments == arguments_of(least, given=given)]
    number = connection.execute(sa.select(sa.func.max(t.id)).where(*wanted)).scalar()
    return None if number is None else records.job_numbered(connection, number)


def _row(each: Standing) -> dict[str, Any]:
    parts = {
        name: None if part is None else asdict(part)
        for name, part in (("own", each.own), ("recalibrated", each.recalibrated), ("fit", each.fit), ("gap", each.gap))
    }  # fmt: skip
    return {**{name: getattr(each, name) for name in PLAIN}, **parts}


def _prediction(kept: Mapping[str, Any]) -> Prediction:
    days = kept["windows"]
    return Prediction(
        standings=tuple(_standing(row) for row in kept["standings"]),
        reference=kept["reference"],
        asked=False,
        windows=Windows(
            validation_from=date.fromisoformat(days["validation_from"]), test_from=date.fromisoformat(days["test_from"]),
            end=None if days["end"] is None else date.fromisoformat(days["end"]),
        ),
        period=kept["period"],
        least_games=kept["least_games"],
        counts=Counts(**kept["counts"]),
        levels="",
        draws=kept["draws"],
        seed=kept["seed"],
        curves=pl.DataFrame(kept["curves"]),
        parts=pl.DataFrame(),
        notes=tuple(kept["notes"]),
    )  # fmt: skip


def _standing(row: Mapping[str, Any]) -> Standing:
    return Standing(
        **{name: row[name] for name in PLAIN},
        parameters={},
        own=_made(Scores, row["own"]),
        recalibrated=_made(Scores, row["recalibrated"]),
        fit=_made(Recalibration, row["fit"]),
        gap=_made(Interval, row["gap"]),
    )


def _made(kind: type[T], values: Mapping[str, Any] | None) -> T | None:
    """Return a part of a row; what was no number is none again."""
    if values is None:
        return None
    return kind(**{name: math.nan if v is None else v for name, v in values.items()})


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _finite(value: Any) -> Any:
    """Return a document without what JSON has no word for."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
