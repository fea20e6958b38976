"""A policy: by which rules, and when, a list is made, and who stands on it [Elo 3.2, 4.42].

The ledger keeps policies as documents that never change; a changed policy is a new version. Ratings are a
function of the ledger and of a policy, so that everything that decides a figure stands in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from arpad.errors import UsageError
from arpad.office.rules.listed import Listed
from arpad.office.rules.schedule import Schedule
from arpad.office.rules.wording import day, number, plain

if TYPE_CHECKING:
    from datetime import date

    from arpad.rate.systems import RatingSystem

__all__ = ["Amendment", "Carries", "Policy", "TimeControl"]

TimeControl = Literal["standard", "rapid", "blitz"]
Carries = Literal["published", "exact"]
"""What the next period starts from: the published figure [3.2 (c)], or what was computed."""

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """Other rules from a day on: what closes on that day or later is rated by them."""

    since: date
    system: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "since", day(self.since, "since"))
        object.__setattr__(self, "options", plain(self.options, "options"))
        _made(self.system, self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything that decides what a list says.

    Parameters
    ----------
    name
        What people call it.
    system, options
        The rating system by its name, and what it is told; whatever is not told is its default.
    schedule
        When lists close and when they come into force [3.2 (D)(a)].
    time_control
        Which events are rated; None: all.
    given
        Start players from the ratings that the event files give them, if they do.
    round_to
        Published figures are multiples of this many points, halves upwards; None: as computed.
    carries
        What the next period starts from.
    floor
        No rating falls below this one; None: no floor. (Some systems have one of their own.)
    provisional_games
        Ratings on fewer games are provisional [2.59, 3.2 (D)(c)]; None: where the system says so.
    listed
        Who stands on the list [3.2 (D)(b)].
    amendments
        Other rules from a day on, so that a change of rules leaves the past alone.

    Examples
    --------
    >>> from datetime import date
    >>> club = Policy(name="club", system="elo", options={"k": 24})
    >>> club.in_force(date(2026, 5, 31))
    ('elo', {'k': 24})
    >>> Policy.of(club.document()) == club
    True
    """

    name: str
    system: str = "elo"
    options: Mapping[str, Any] = field(default_factory=dict)
    schedule: Schedule = field(default_factory=Schedule)
    time_control: TimeControl | None = "standard"
    given: bool = True
    round_to: float | None = 1.0
    carries: Carries = "published"
    floor: float | None = None
    provisional_games: int | None = None
    listed: Listed = field(default_factory=Listed)
    amendments: tuple[Amendment, ...] = ()

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and 0 < len(self.name.strip()) <= LONGEST_NAME):
            raise UsageError(
                f"expected a policy's name of 1 to {LONGEST_NAME} characters, found {self.name!r}"
            )
        object.__setattr__(self, "name", self.name.strip())
        object.__setattr__(self, "options", plain(self.options, "options"))
        _choice("time_control", self.time_control, (*get_args(TimeControl), None))
        _choice("carries", self.carries, get_args(Carries))
        _choice("given", self.given, (True, False))
        step = number(self.round_to, "round_to", least=1e-6, most=1000.0)
        object.__setattr__(self, "round_to", step)
        object.__setattr__(self, "floor", number(self.floor, "floor", least=-1e5, most=1e5))
        games = number(self.provisional_games, "provisional_games", least=0, most=10_000)
        object.__setattr__(self, "provisional_games", None if games is None else int(games))
        later = tuple(sorted(self.amendments, key=lambda a: a.since))
        if len({a.since for a in later}) < len(later):
            raise UsageError("expected amendments of different days, found two of the same day")
        object.__setattr__(self, "amendments", later)
        _made(self.system, self.options)

    def in_force(self, closing: date) -> tuple[str, dict[str, Any]]:
        """Return the system, and what it is told, for the period that closes on a day."""
        found = (self.system, dict(self.options))
        for amendment in self.amendments:
            if amendment.since <= closing:
                found = (amendment.system, dict(amendment.options))
        return found

    def made(self, closing: date) -> RatingSystem:
        """Return the rating system for the period that closes on a day."""
        return _made(*self.in_force(closing))

    def document(self) -> dict[str, Any]:
        """Return the policy as plain values; the same policy gives the same text."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        found["options"] = dict(self.options)
        found["schedule"] = self.schedule.document()
        found["listed"] = self.listed.document()
        found["amendments"] = [
            {"since": a.since.isoformat(), "system": a.system, "options": dict(a.options)}
            for a in self.amendments
        ]
        return found

    def text(self) -> str:
        """Return the document as one line of JSON with sorted keys."""
        return json.dumps(self.document(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Policy:
        """Return the policy that a document describes; what it leaves out is the default."""
        if not isinstance(document, Mapping):
            raise UsageError(f"expected a policy as an object of JSON, found {document!r}")
        known = {f.name for f in fields(cls)}
        _strange(document, known, "a policy")
        values = dict(document)
        if "schedule" in values:
            values["schedule"] = Schedule.of(values["schedule"])
        if "listed" in values:
            values["listed"] = Listed.of(values["listed"])
        later = values.get("amendments", ())
        if isinstance(later, str | Mapping) or not hasattr(later, "__iter__"):
            raise UsageError(f"amendments: expected a list of them, found {later!r}")
        values["amendments"] = tuple(_amendment(each) for each in later)
        if "name" not in values:
            raise UsageError("expected a policy with a name, found none")
        return cls(**values)

    def changed(self, **values: Any) -> Policy:
        """Return the policy with other values."""
        return replace(self, **values)

    def summary(self) -> str:
        """Return one sentence."""
        told = ", ".join(f"{k} {v}" for k, v in self.options.items())
        marks = [
            f"{self.name}: {self.system}{f' ({told})' if told else ''}",
            self.schedule.summary(),
            self.time_control or "every time control",
            "as computed" if self.round_to is None else f"rounded to {self.round_to:g}",
        ]
        if self.floor is not None:
            marks.append(f"floor {self.floor:g}")
        if self.provisional_games:
            marks.append(f"provisional below {self.provisional_games} games")
        marks += [self.listed.summary(), *(f"from {a.since}: {a.system}" for a in self.amendments)]
        return "; ".join(m for m in marks if m)


def _amendment(document: Any) -> Amendment:
    if not isinstance(document, Mapping) or not {"since", "system"} <= set(document):
        raise UsageError(
            f"expected an amendment with since and system (and options), found {document!r}"
        )
    _strange(document, {"since", "system", "options"}, "an amendment")
    return Amendment(**document)


def _made(system: str, options: Mapping[str, Any]) -> RatingSystem:
    """Return the system; a name or an option that it does not have is refused here."""
    from arpad.rate import system as system_called

    try:
        return system_called(system, **options)
    except (TypeError, ValueError) as error:  # a list where a number belongs
        raise UsageError(f"the system {system} does not take {dict(options)!r}: {error}") from None


def _strange(document: Mapping[str, Any], known: set[str], what: str) -> None:
    strange = sorted(set(document) - known)
    if strange:
        raise UsageError(f"{what} has no {strange[0]!r}; it has {', '.join(sorted(known))}")


def _choice(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        words = ", ".join("none" if k is None else str(k) for k in known)
        raise UsageError(f"{name}: expected one of {words}; found {value!r}")
