"""``--systems``: names with commas, constants after colons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arpad.cli.system_options import told
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.lab.entrants import Entrant

__all__ = ["systems_asked"]


def systems_asked(text: str, *, given: bool) -> list[Entrant]:
    """Return the systems of ``all`` or of ``elo,glicko2:tau=0.3,published``; a row keeps its text as name."""
    from arpad.lab.entrants import entrant, everybody

    found: list[Entrant] = []
    # A comma before a digit is none between systems: elo:k=32@2100,24@2400,16.
    for part in (each.strip() for each in re.split(r",(?!\s*[0-9])", text)):
        if not part:
            continue
        if part == "all":
            found.extend(everybody(given=given))
            continue
        name, *options = part.split(":")
        found.append(entrant(name, told(name, options), label=part, given=given))
    if not found:
        raise UsageError(f"--systems: expected all, or names with commas such as elo,glicko2; found {text!r}")  # fmt: skip
    return found
