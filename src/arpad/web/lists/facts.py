"""What pages need of the lists, kept until one is made or published: other writers do not change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.office.showing.courses import ListFacts, list_facts

if TYPE_CHECKING:
    from arpad.web.asking import Asking

__all__ = ["facts_of"]


def facts_of(asked: Asking) -> ListFacts:
    """Return lists, policies and runs as they stand."""
    return asked.remembered(  # type: ignore[no-any-return]
        ("facts",), lambda: list_facts(asked.connection), of=asked.marks.of_lists
    )
