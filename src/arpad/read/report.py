"""What was skipped or repaired while reading, where and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from arpad.errors import StrictError, place

__all__ = ["Action", "Note", "Report"]

Action = Literal["skipped", "repaired", "noted"]


@dataclass(frozen=True, slots=True)
class Note:
    """One record that was not taken as it stands.

    skipped    the record is not among the games;
    repaired   it is, with one field put right or left out;
    noted      it is, unchanged, but somebody should look.
    """

    file: str
    line: int | None
    action: Action
    reason: str

    def __str__(self) -> str:
        return f"{place(self.file, self.line)}{self.action}: {self.reason}"

    def as_dict(self) -> dict[str, object]:
        """Return the note as plain values."""
        return {"file": self.file, "line": self.line, "action": self.action, "reason": self.reason}


@dataclass(slots=True)
class Report:
    """A growing list of notes; with `strict`, the first skip or repair is an error."""

    strict: bool = False
    notes: list[Note] = field(default_factory=list)

    def add(self, file: str, line: int | None, action: Action, reason: str) -> None:
        """Keep one note, or raise it when `strict`."""
        if self.strict and action != "noted":
            raise StrictError(f"{reason} ({action} without --strict)", file=file, line=line)
        self.notes.append(Note(file, line, action, reason))

    def of(self, action: Action) -> list[Note]:
        """Return the notes of one kind."""
        return [n for n in self.notes if n.action == action]

    def counts(self) -> dict[str, int]:
        """Return how many records were skipped, repaired and noted."""
        found = Counter(n.action for n in self.notes)
        return {kind: found[kind] for kind in ("skipped", "repaired", "noted")}

    def __len__(self) -> int:
        return len(self.notes)
