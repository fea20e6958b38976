"""What stands above every page of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import HTTPException

from arpad.errors import UsageError
from arpad.office.making.lists import KeptList, list_called
from arpad.web.contexts import Link
from arpad.web.lists.addresses import list_href
from arpad.web.lists.contexts import ListAbout, ListLine
from arpad.web.lists.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.office.rules.policies import KeptPolicy
    from arpad.web.asking import Asking

__all__ = ["about", "digits_of", "earlier_of", "line", "list_asked", "rules_of"]


def list_asked(asked: Asking, policy: str, name: str) -> KeptList:
    """Return the list that an address means, as `list_called` does; 404: there is none."""
    found = [
        each
        for each in facts_of(asked).lists
        if (each.policy, each.name, each.number) == (policy, name, 0)
    ]
    if found:
        return max(found, key=lambda e: (e.closing, e.state == "published", e.version, e.id))
    try:
        return list_called(asked.connection, policy, name)
    except UsageError as error:
        raise HTTPException(404, str(error)) from None


def line(kept: KeptList) -> ListLine:
    """Return a list as a line among others."""
    return ListLine(
        policy=kept.policy, name=kept.name, number=kept.number, state=kept.state,
        href=list_href(kept.policy, kept.name, "corrections" if kept.number else ""),
        closing=kept.closing, effective=kept.effective, made=kept.made, published=kept.published,
        published_by=kept.published_by, players=kept.figures.get("players" if kept.number else "listed"),
        because=kept.figures.get("changed") if kept.number else None,
    )  # fmt: skip


def rules_of(kept: KeptPolicy) -> str:
    """Return the rules of a policy in a sentence."""
    if not kept.computed:
        return "made by others, and read as they are"
    return kept.policy.summary().partition(": ")[2]


def digits_of(document: Mapping[str, Any]) -> int:
    """Return how many digits ratings have after the point: none where a policy publishes whole points.

    Examples
    --------
    >>> digits_of({"round_to": 1.0}), digits_of({"round_to": None}), digits_of({"system": "given"})
    (0, 1, 0)
    """
    step = document.get("round_to", 1.0)
    return 0 if step is not None and float(step).is_integer() else 1


def earlier_of(lists: Sequence[KeptList], kept: KeptList) -> list[KeptList]:
    """Return the lists of a policy that closed before one, the nearest first."""
    before = {each.name: each for each in lists if not each.number and each.closing < kept.closing}
    return sorted(before.values(), key=lambda each: each.closing, reverse=True)


def about(asked: Asking, kept: KeptList) -> ListAbout:
    """Return what stands above a list."""
    return asked.remembered(  # type: ignore[no-any-return]
        ("about", kept.id), lambda: _about(asked, kept), of=asked.marks.of_lists
    )


def _about(asked: Asking, kept: KeptList) -> ListAbout:
    facts = facts_of(asked)
    lists = [each for each in facts.lists if each.policy == kept.policy]
    policy = next(p for p in facts.policies if p.id == kept.policy_id)
    earlier = earlier_of(lists, kept)
    names = {each.name: each for each in lists if not each.number}
    newest = sorted(names.values(), key=lambda each: each.closing, reverse=True)
    return ListAbout(
        policy=kept.policy,
        name=kept.name,
        href=list_href(kept.policy, kept.name),
        state=kept.state,
        closing=kept.closing,
        effective=kept.effective,
        published=kept.published,
        published_by=kept.published_by,
        rules=rules_of(policy),
        computed=policy.computed,
        digits=digits_of(policy.document),
        listed=int(kept.figures.get("listed") or 0),
        rated=int(kept.figures.get("rated") or 0),
        before=earlier[0].name if earlier else None,
        corrections=[line(each) for each in lists if each.corrects == kept.id],
        others=[Link(text=e.name, href=list_href(e.policy, e.name)) for e in newest],
    )
