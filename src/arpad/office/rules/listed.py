"""Who stands on a list, and with which mark [Elo 3.2 (D)(b), 4.42, 4.54]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from arpad.errors import UsageError
from arpad.office.rules.wording import number

__all__ = ["Inactive", "Listed"]

Inactive = Literal["marked", "left out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The standards of listing. Whoever does not meet them is rated but not listed [3.2].

    Parameters
    ----------
    min_games
        Games that a rating rests on; FIDE listed from nine games on, USCF from four [3.2].
    active_months
        Somebody who has not played for so long is inactive; three years at FIDE in 1986 [3.2].
    inactive
        Whether the inactive are marked on the list or left out of it.
    above, above_women
        Only ratings above this are listed: 2200, and 1900 for women, at FIDE in 1986 [4.42].
    women_apart
        Women have a list, and ranks, of their own [4.42].
    member
        A kind of membership, such as "federation" or "club", that is needed on the closing date [3.2,
        administrative requirements]; None: none is.
    """

    min_games: int = 0
    active_months: int | None = None
    inactive: Inactive = "marked"
    above: float | None = None
    above_women: float | None = None
    women_apart: bool = False
    member: str | None = None

    def __post_init__(self) -> None:
        games = number(self.min_games, "min_games", least=0, most=10_000) or 0
        object.__setattr__(self, "min_games", int(games))
        months = number(self.active_months, "active_months", least=1, most=12_000)
        object.__setattr__(self, "active_months", None if months is None else int(months))
        for name in ("above", "above_women"):
            object.__setattr__(self, name, number(getattr(self, name), name, least=-1e5, most=1e5))
        if self.inactive not in get_args(Inactive):
            raise UsageError(
                f"inactive: expected one of {', '.join(get_args(Inactive))}; found {self.inactive!r}"
            )
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
        if not isinstance(document, Mapping):
            raise UsageError(f"listed: expected names and values, found {document!r}")
        known = [f.name for f in fields(cls)]
        strange = sorted(set(document) - set(known))
        if strange:
            raise UsageError(f"listed has no {strange[0]!r}; it has {', '.join(known)}")
        return cls(**document)

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
