"""Policies: by which rules, and when, a list is made, and who stands on it [Elo 3.2, 4.42]."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import insert
from arpad.ledger.db.tables import now
from arpad.ledger.schedule import Schedule, day, named, number, plain
from arpad.rate.fide.rules import RAPID

if TYPE_CHECKING:
    from datetime import date, datetime

    from sqlalchemy.engine import Connection

    from arpad.rate.system import RatingSystem


# Who stands on a list, and with which mark [Elo 3.2 (D)(b), 4.42, 4.54].

Inactive = Literal["marked", "left out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The standards of listing. A player who does not meet them is rated but not listed [3.2].

    `above`, `above_women`: Only ratings above this are listed: 2200, and 1900 for women, at FIDE in 1986
    [4.42].
    """

    min_games: int = 0  # games that a rating rests on; FIDE listed from nine games on, USCF from four [3.2]
    active_months: int | None = None
    """Somebody who has not played for so long is inactive; three years at FIDE in 1986 [3.2]."""
    inactive: Inactive = "marked"  # whether the inactive are marked on the list or left out of it
    above: float | None = None
    above_women: float | None = None
    women_apart: bool = False  # women have a list, and ranks, of their own [4.42]
    member: str | None = None
    """A kind of membership, such as "federation" or "club", that is needed on the closing date [3.2,
    administrative requirements]; None: none is."""

    def __post_init__(self) -> None:
        games = number(self.min_games, "min_games", least=0, most=10_000) or 0
        object.__setattr__(self, "min_games", int(games))
        months = number(self.active_months, "active_months", least=1, most=12_000)
        object.__setattr__(self, "active_months", None if months is None else int(months))
        for name in ("above", "above_women"):
            object.__setattr__(self, name, number(getattr(self, name), name, least=-1e5, most=1e5))
        _choice("inactive", self.inactive, get_args(Inactive))
        if not isinstance(self.women_apart, bool):
            raise UsageError(f"women_apart: expected true or false, found {self.women_apart!r}")
        if self.member is not None and not (isinstance(self.member, str) and self.member.strip()):
            raise UsageError(f"member: expected a kind of membership, found {self.member!r}")

    def document(self) -> dict[str, Any]:
        """Return the standards as plain values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of(cls, document: Any) -> Listed:
        """Return the standards that a document describes."""
        return cls(**named(document, [f.name for f in fields(cls)], "listed"))

    def summary(self) -> str:
        """Return the standards in words; nothing where everybody is listed."""
        marks = []
        if self.min_games:
            marks.append(f"{self.min_games} games")
        if self.above is not None:
            women = "" if self.above_women is None else f" (women {self.above_women:g})"
            marks.append(f"above {self.above:g}{women}")
        if self.active_months:
            marks.append(f"active within {self.active_months} months or {self.inactive}")
        if self.member:
            marks.append(f"members of a {self.member}")
        return f"listed: {', '.join(marks)}" if marks else ""


# A policy: by which rules, and when, a list is made, and who stands on it [Elo 3.2, 4.42].
#
# The ledger keeps policies as documents that never change; a changed policy is a new version. Ratings are a
# function of the ledger and of a policy, so that everything that decides a figure stands in it.

TimeControl = Literal["standard", "rapid", "blitz"]
Carries = Literal["published", "exact"]
"""Figures from which the next period starts: the published ones [3.2 (c)], or the calculated ones."""
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
    """Rules of a rating list.

    `system`, `options`: The rating system by its name, and what it is told; whatever is not told is its
    default.

    Examples
    --------
    >>> from datetime import date
    >>> club = Policy(name="club", system="elo", options={"k": 24})
    >>> club.in_force(date(2026, 5, 31))
    ('elo', {'k': 24})
    >>> Policy.of(club.document()) == club
    True
    """

    name: str  # what people call it
    system: str = "elo"
    options: Mapping[str, Any] = field(default_factory=dict)
    schedule: Schedule = field(default_factory=Schedule)
    """When lists close and when they come into force [3.2 (D)(a)]."""
    time_control: TimeControl | None = "standard"  # which events are rated; None: all
    given: bool = True  # start players from the ratings that the event files give them, if they do
    round_to: float | None = 1.0
    """Published figures are multiples of this many points, halves upwards; None: as computed."""
    carries: Carries = "published"  # what the next period starts from
    floor: float | None = None
    """No rating falls below this one; None: no floor. (Some systems have one of their own.)"""
    provisional_games: int | None = None
    """Ratings on fewer games are provisional [2.59, 3.2 (D)(c)]; None: where the system says so."""
    listed: Listed = field(default_factory=Listed)  # who stands on the list [3.2 (D)(b)]
    amendments: tuple[Amendment, ...] = ()
    """Other rules from a day on, so that a change of rules leaves the past alone."""

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
        result = (self.system, dict(self.options))
        for amendment in self.amendments:
            if amendment.since <= closing:
                result = (amendment.system, dict(amendment.options))
        return result

    def made(self, closing: date) -> RatingSystem:
        """Return the rating system for the period that closes on a day."""
        return _made(*self.in_force(closing))

    def document(self) -> dict[str, Any]:
        """Return the policy as plain values; the same policy gives the same text."""
        result = {f.name: getattr(self, f.name) for f in fields(self)}
        result["options"] = dict(self.options)
        result["schedule"] = self.schedule.document()
        result["listed"] = self.listed.document()
        result["amendments"] = [
            {"since": a.since.isoformat(), "system": a.system, "options": dict(a.options)}
            for a in self.amendments
        ]
        return result

    def text(self) -> str:
        """Return the document as one line of JSON with sorted keys."""
        return json.dumps(self.document(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Policy:
        """Return the policy that a document describes; what it leaves out is the default."""
        values = named(document, sorted(f.name for f in fields(cls)), "a policy")
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
        raise UsageError(f"expected an amendment with since and system (and options), found {document!r}")
    return Amendment(**named(document, ("options", "since", "system"), "an amendment"))


def _made(system: str, options: Mapping[str, Any]) -> RatingSystem:
    """Return the system; a name or an option that it does not have is refused here."""
    from arpad.rate.registry import system as system_called

    try:
        return system_called(system, **options)
    except (TypeError, ValueError) as error:  # a list where a number belongs
        raise UsageError(f"the system {system} does not take {dict(options)!r}: {error}") from None


def _choice(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        words = ", ".join("none" if k is None else str(k) for k in known)
        raise UsageError(f"{name}: expected one of {words}; found {value!r}")


# Policies to begin with: FIDE's of today, a club's, the U.S. proposal of 1994, and the book's.

PRESETS: dict[str, Policy] = {
    # FIDE Handbook B.02: a list on the first of every month; a player who has not played a rated game for a
    # year is inactive, and marked. First ratings, floor and rounding are the system's own.
    "fide": Policy(
        name="fide",
        system="fide",
        schedule=Schedule(period="month"),
        listed=Listed(active_months=12, inactive="marked"),
    ),
    # Event by event with one K; ratings on fewer than 25 games are marked, those on fewer than four
    # are not listed: what the book tells of the USCF [3.2 (D)(b)].
    "club": Policy(
        name="club",
        system="elo",
        options={"k": 24, "period": "event"},
        schedule=Schedule(period="month"),
        provisional_games=25,
        listed=Listed(min_games=4),
    ),
    # The report rates event by event, and says itself who is provisional; the USCF published every
    # three or four months [3.2 (D)(a)] and listed from four games on.
    "uscf1994": Policy(
        name="uscf1994", system="uscf1994", schedule=Schedule(period="quarter"), listed=Listed(min_games=4)
    ),
    # FIDE in 1986: play to 31 May is on the list of 1 July, play to 30 November on that of 1 January
    # [4.42]; nine games, three years, above 2200 or 1900, women apart [3.2, 4.42, 4.54]; an asterisk
    # below thirty games [2.59].
    "book": Policy(
        name="book",
        system="elo-book",
        schedule=Schedule(period="half", closing_month=5, effective_months=1),
        provisional_games=30,
        listed=Listed(
            min_games=9,
            active_months=36,
            inactive="left out",
            above=2200.0,
            above_women=1900.0,
            women_apart=True,
        ),
    ),
}
"""Name → policy."""


def preset(name: str, /, **values: Any) -> Policy:
    """Return one of the policies to begin with, with other values where some are given.

    Examples
    --------
    >>> preset("fide", name="rapid", time_control="rapid").time_control
    'rapid'
    """
    if name not in PRESETS:
        raise UsageError(f"expected a preset, one of {', '.join(PRESETS)}; found {name!r}")
    return PRESETS[name].changed(**values)


# Policies in the ledger: every version stays; the newest is the one that lists are made by.

GIVEN = "given"
"""The system of a policy whose lists were computed by others and only read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPolicy:
    """One version of a policy as the ledger has it."""

    id: int
    name: str
    version: int
    created: datetime
    document: Mapping[str, Any]

    @property
    def computed(self) -> bool:
        """Say whether its lists are made here; those of others are only read."""
        return self.document.get("system") != GIVEN

    @property
    def policy(self) -> Policy:
        """Return what it says."""
        if not self.computed:
            raise UsageError(f"the lists of {self.name} were made by others: they are read, not made here")
        return Policy.of(self.document)


def kept_policies(connection: Connection) -> list[KeptPolicy]:
    """Return every version of every policy, by name and version."""
    p = tables.policies
    rows = connection.execute(sa.select(p).order_by(p.c.name, p.c.version))
    return [KeptPolicy(**row._mapping) for row in rows]


def policy_called(connection: Connection, name: str | None = None) -> KeptPolicy:
    """Return the newest version of a policy; without a name the only one that there is.

    Examples of names are those of `presets`: ask for one that is not there yet, and the message says how
    it is taken.
    """
    kept = kept_policies(connection)
    names = sorted({each.name for each in kept if each.computed})
    if name is None:
        if len(names) == 1:
            name = names[0]
        elif names:
            raise UsageError(f"expected one policy, found {', '.join(names)}", code="which-policy")
        else:
            raise UsageError(
                "there is no policy yet", code="no-policy", fields={"presets": ", ".join(PRESETS)}
            )
    result = [each for each in kept if each.name == name]
    if not result:
        known = f"there are {', '.join(names)}" if names else "there is none yet"
        raise UsageError(
            f"expected a policy, found {name!r}: {known}", code="unknown-policy", fields={"name": name}
        )
    return result[-1]


def policy_numbers(connection: Connection, name: str) -> list[int]:
    """Return the rows of all versions of a policy."""
    p = tables.policies
    query = sa.select(p.c.id).where(p.c.name == name).order_by(p.c.version)
    return list(connection.execute(query).scalars())


def add_policy(connection: Connection, policy: Policy) -> KeptPolicy:
    """Keep a policy: the version that is there if it says the same, else a new one.

    One of FIDE's that names no regulations gets those of its time control, and says so from then on.
    """
    policy = _of_its_time_control(policy)
    versions = [each for each in kept_policies(connection) if each.name == policy.name]
    document = policy.document()
    if versions and not versions[-1].computed:
        raise UsageError(f"{policy.name} is the name of lists of others: take another one")
    if versions and Policy.of(versions[-1].document) == policy:
        return versions[-1]
    version = versions[-1].version + 1 if versions else 1
    created = now()
    number = insert(
        connection, tables.policies, name=policy.name, version=version, document=document, created=created
    )
    return KeptPolicy(id=number, name=policy.name, version=version, created=created, document=document)


def _of_its_time_control(policy: Policy) -> Policy:
    """Return FIDE's rapid and blitz with their own regulations, unless it says which are meant."""
    own = policy.system == "fide" and policy.time_control in ("rapid", "blitz")
    if not own or "rules" in policy.options:
        return policy
    return policy.changed(options={**policy.options, "rules": RAPID.name})


# Figures as they are published: multiples of a step, halves upwards; and floors.

NOISE = 9
"""Decimals of a multiple that count: what binary fractions leave beyond them is noise."""


def rounded(figures: pl.Series, step: float | None) -> pl.Series:
    """Return figures rounded to multiples of a step, halves upwards; None: as they are.

    Examples
    --------
    >>> rounded(pl.Series([1499.5, 1497.4, None]), 1.0).to_list()
    [1500.0, 1497.0, None]
    >>> rounded(pl.Series([2642.5, 2644.9]), 5.0).to_list()
    [2645.0, 2645.0]
    """
    if step is None:
        return figures
    values = figures.fill_null(np.nan).to_numpy() / step
    whole = np.floor(np.round(values, NOISE) + 0.5) * step
    # A step such as .1 has no binary fraction of its own: take the nearest to its decimals.
    decimals = max(0, -int(np.floor(np.log10(step)))) + 2
    whole = np.round(whole, decimals) + 0.0
    return pl.Series(figures.name, whole, dtype=pl.Float64).fill_nan(None)


def floored(figures: pl.Series, floor: float | None) -> pl.Series:
    """Return figures, none of them below a floor; None: no floor."""
    return figures if floor is None else figures.clip(lower_bound=floor)
