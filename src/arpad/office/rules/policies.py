"""Policies in the ledger: every version stays; the newest is the one that lists are made by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.rules.policy import Policy
from arpad.office.rules.presets import PRESETS
from arpad.rate.fide_rules import RAPID
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from sqlalchemy.engine import Connection

__all__ = ["KeptPolicy", "add_policy", "kept_policies", "policy_called", "policy_numbers"]

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
            raise UsageError(
                f"the lists of {self.name} were made by others: they are read, not made here"
            )
        return Policy.of(self.document)


def kept_policies(connection: Connection) -> list[KeptPolicy]:
    """Return every version of every policy, by name and version."""
    p = tables.policies
    rows = connection.execute(sa.select(p).order_by(p.c.name, p.c.version))
    return [
        KeptPolicy(id=r.id, name=r.name, version=r.version, created=r.created, document=r.document)
        for r in rows
    ]


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
            raise UsageError(
                f"expected one policy, found {', '.join(names)}: say which with --policy"
            )
        else:
            raise UsageError(
                f"there is no policy yet: `arpad list policy NAME --preset …` takes one of {', '.join(PRESETS)}"
            )
    found = [each for each in kept if each.name == name]
    if not found:
        known = f"there are {', '.join(names)}" if names else "there is none yet"
        raise UsageError(
            f"expected a policy, found {name!r}: {known}; `arpad list policy {name} --preset …` makes one"
        )
    return found[-1]


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
        connection, tables.policies,
        name=policy.name, version=version, document=document, created=created,
    )  # fmt: skip
    return KeptPolicy(
        id=number, name=policy.name, version=version, created=created, document=document
    )


def _of_its_time_control(policy: Policy) -> Policy:
    """Return FIDE's rapid and blitz with their own regulations, unless it says which are meant."""
    own = policy.system == "fide" and policy.time_control in ("rapid", "blitz")
    if not own or "rules" in policy.options:
        return policy
    return policy.changed(options={**policy.options, "rules": RAPID.name})
