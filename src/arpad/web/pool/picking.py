"""Which list a page about the pool looks at: the latest one of the first policy, unless another is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import HTTPException

from arpad.office.making.lists import kept_lists, list_called
from arpad.web.pool.contexts import Picked

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.web.asking import Asking

__all__ = ["address", "picked"]


def picked(asked: Asking, policy: str, name: str) -> tuple[Picked, KeptList] | None:
    """Return the list asked for, with what else could be; None where there is no list at all."""
    lists = [each for each in kept_lists(asked.connection) if not each.number]
    if not lists:
        return None
    policies = sorted({each.policy for each in lists})
    policy = policy or policies[0]
    if policy not in policies:
        raise HTTPException(404, f"there is no list by rules called {policy!r} in this ledger")
    names = list(dict.fromkeys(each.name for each in reversed(lists) if each.policy == policy))
    # Another policy was chosen while the name of the list was still that of the first one.
    if name and name not in names:
        raise HTTPException(404, f"there is no list {name!r} of {policy} in this ledger")
    kept = list_called(asked.connection, policy, name or None)
    return Picked(
        policies=policies, lists=names, policy=policy, list=kept.name, state=kept.state, closing=kept.closing
    ), kept  # fmt: skip


def address(path: str, chosen: Picked, **more: object) -> str:
    """Return the address of a page or a chart about a list."""
    return f"{path}?{urlencode({'policy': chosen.policy, 'list': chosen.list, **more})}"
