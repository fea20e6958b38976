"""One event of a greatness run: what the Tournament App said of it, and why a person should look."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["EventRecord", "Performance", "Verdict"]

Verdict = Literal["passed", "failed", "untested", "unrated"]
"""What the fit says of an event.

passed     the ratings fit the results;
failed     they do not: G-scores wait for a person;
untested   there is nothing to test: a match, equal ratings;
unrated    too few ratings, or no number two: no G-scores.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """One player's performance in one event."""

    player: str
    rating: float | None
    estimated: bool
    """Whether the rating comes from the line, not from a source."""
    games: int
    score: float
    p_zero: float
    performance: float | None
    g_score: float
    g_error: float | None
    """One standard error of G that comes from the ratings, where their errors are known."""
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One event; plain values only, so that it can be kept in a file."""

    key: str
    """Fingerprint of the games, the ratings, number two and the settings."""
    event: str
    site: str | None
    year: int | None
    start: str | None
    end: str | None
    kind: str
    players: int
    games: int
    coverage: float
    ratings: str | None
    """Where the ratings come from."""
    rated: int
    """Players whom the source knows; the others' ratings are estimated."""
    number_two: float | None
    number_two_player: str | None
    number_two_source: str | None
    number_two_among: int | None
    """Active players whom that source knows then; None where number two was given."""
    rating_error: float | None
    """One standard error of the field's mean rating against number two, in points."""
    strength: float | None
    r: float | None
    chi_square: float | None
    critical: float | None
    lower: float | None
    flipped: bool
    order_effect: float | None
    """By how much a P-Zero score moves in other orders of the games; None where rounds are known."""
    verdict: Verdict
    repaired: str | None
    """`adjusted` or `corrected` where the run repaired ratings."""
    flagged: tuple[tuple[str, float], ...]
    """Players out of spec, with their residuals."""
    reasons: tuple[str, ...]
    """Why a person should look."""
    performances: tuple[Performance, ...]
    """Those with enough games, and G at least as asked, best first."""

    @property
    def counts(self) -> bool:
        """Say whether its G-scores stand: the fit passed, or there is none to ask, as in a knock-out."""
        if self.verdict == "unrated":
            return False
        return self.verdict != "failed" or self.kind == "knock-out"

    @property
    def wants_an_eye(self) -> bool:
        """Say whether a person should look at it."""
        return bool(self.reasons)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> EventRecord:
        """Return the record that `as_dict` was made from; a missing or strange value is an error."""
        plain = dict(values)
        plain["flagged"] = tuple((str(name), float(x)) for name, x in values["flagged"])
        plain["reasons"] = tuple(str(reason) for reason in values["reasons"])
        plain["performances"] = tuple(Performance(**row) for row in values["performances"])
        return cls(**plain)
