"""Who enters a comparison: systems by name, with constants of their own where they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from arpad.errors import UsageError
from arpad.lab.published import Published
from arpad.rate.systems import SYSTEMS, system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.rate.systems import RatingSystem

__all__ = [
    "PUBLISHED",
    "Constants",
    "Entrant",
    "check_labels",
    "entrant",
    "everybody",
    "tuned_label",
]

PUBLISHED = Published.name
Constants = Literal["as published", "as told", "tuned"]
"""Where the constants of an entrant come from: the system's own defaults, the user, the validation window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A system under the label that its row has."""

    label: str
    name: str
    system: RatingSystem
    constants: Constants = "as published"
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the system was told beside its defaults."""

    def tuned(self, options: Mapping[str, Any]) -> Entrant:
        """Return the same system with constants that were chosen on the validation window."""
        told = {**self.options, **options}
        return Entrant(
            label=tuned_label(self.label),
            name=self.name,
            system=system(self.name, **told),
            constants="tuned",
            options=told,
        )


def tuned_label(label: str) -> str:
    """Return the label of the row with tuned constants."""
    return f"{label} tuned"


def entrant(
    name: str,
    options: Mapping[str, Any] | None = None,
    *,
    label: str | None = None,
    given: bool | None = False,
) -> Entrant:
    """Return one system.

    Parameters
    ----------
    options
        Constants that are not the system's own defaults.
    label
        Its name in tables; None: the name of the system.
    given
        Whether players start from the ratings in the source, for systems that can be told. False: all
        start alike, and results say the rest. None: as the system does by itself.

    Examples
    --------
    >>> entrant("elo", {"k": 32}).constants
    'as told'
    """
    told = dict(options or {})
    if name == PUBLISHED:
        if told:
            raise UsageError(f"published ratings have no option {next(iter(told))!r}")
        return Entrant(label=label or name, name=name, system=Published())
    own = {} if given is None or not _takes_given(name) else {"given": given}
    return Entrant(
        label=label or name,
        name=name,
        system=system(name, **{**own, **told}),
        constants="as told" if told else "as published",
        options={**own, **told},
    )


def _takes_given(name: str) -> bool:
    return name in SYSTEMS and "given" in signature(SYSTEMS[name]).parameters


def everybody(*, given: bool | None = False) -> list[Entrant]:
    """Return every registered system, and the ratings in the data."""
    return [entrant(name, given=given) for name in (*SYSTEMS, PUBLISHED)]


def check_labels(entrants: Sequence[Entrant]) -> None:
    """Refuse two rows of one name."""
    labels = [each.label for each in entrants]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice:
        raise UsageError(f"expected every system once, found {twice!r} twice")
