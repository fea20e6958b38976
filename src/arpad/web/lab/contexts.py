"""What the pages of the lab say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from arpad.web.contexts import Chart, Context

__all__ = [
    "Bin", "Choice", "Lab", "LabWork", "Left", "Sample", "SystemRow", "WorldLine", "WorldRow", "Worlds",
]  # fmt: skip


class Choice(Context):
    """Something to choose, and whether it is chosen."""

    value: str
    text: str
    chosen: bool


class Sample(Context):
    """Which games are walked through."""

    games: int
    there: int
    """Games of the ledger that could have been."""
    players: int
    sampled: bool
    first: date | None
    last: date | None


class SystemRow(Context):
    """How well one system foretold the games of the test."""

    system: str
    games: int
    log_loss: float
    log_loss_error: float
    recalibrated: float | None
    """With White's advantage and scale of the validation window."""
    difference: float | None
    """Of log losses: more than the reference …"""
    low: float | None
    high: float | None
    """… and its 95 % interval; None where all games are of one event."""
    brier: float
    brier_error: float
    accuracy: float
    calibration_error: float | None
    white_advantage: float | None


class Left(Context):
    """A system that could not be compared."""

    system: str
    reason: str


class Bin(Context):
    """Games in which about so much was expected of White."""

    curve: str
    games: int
    expected: float
    score: float
    low: float
    high: float


class LabWork(Context):
    """A comparison that is worked out in the background: how far it is, and what there is of it."""

    systems: int
    least: str
    given: bool
    found: bool
    """Whether there is a result …"""
    fresh: bool
    """… and whether the ledger stands as it stood then."""
    finished: datetime | None
    job: int | None
    """The last job that was asked for and is not done."""
    state: str | None
    is_open: bool
    done: int
    total: int | None
    says: str | None


class Lab(Context):
    """Systems side by side on the ledger's own games."""

    sample: Sample
    none: str = ""
    """Why nothing could be compared."""
    work: LabWork | None = None
    """Where it takes too long to wait for."""
    least: Sequence[Choice] = ()
    given: Sequence[Choice] = ()
    field: Sequence[Choice] = ()
    shown: Sequence[Choice] = ()
    """Systems whose calibration curve can be shown."""
    system: str = ""
    """The one that is."""
    reference: str | None = None
    least_games: int = 0
    validation_from: date | None = None
    test_from: date | None = None
    validation: int = 0
    tested: int = 0
    scored: int = 0
    blocks: int = 0
    draws: int = 0
    rows: Sequence[SystemRow] = ()
    left: Sequence[Left] = ()
    bins: Sequence[Bin] = ()
    notes: Sequence[str] = ()
    chart: Chart | None = None
    calibration: Chart | None = None


class WorldLine(Context):
    """One system, after some of the rounds."""

    system: str
    after: Sequence[WorldRow]


class WorldRow(Context):
    """How far a system's ratings are from the truth after so many rounds."""

    round: int
    out_of_spec: float
    spread: float | None
    share: float
    mean_error: float | None
    rms_error: float | None


class Worlds(Context):
    """Systems in a world where the truth is known."""

    summary: str
    players: int
    rounds: int
    runs: int
    seed: int
    tolerance: float
    period: int
    start: Sequence[Choice]
    world: Sequence[Choice]
    drift: Sequence[Choice]
    pairing: Sequence[Choice]
    after: Sequence[int]
    rows: Sequence[WorldLine]
    chart: Chart
    path: Chart
    watched: Sequence[float]
