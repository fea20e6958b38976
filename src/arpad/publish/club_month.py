"""The month of a club in one call: import, list, differences, publication, page and PDF."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arpad.ledger.decisions.queue import queue
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list, publication_hash, publish_list, to_be_published
from arpad.ledger.lists import corrections_of, face_of, last_published, list_called
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.lists import list_diff, list_rows
from arpad.publish.export.rating_list import ListSheet, export_list
from arpad.publish.language import Letterhead

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.imports.plan import Imported
    from arpad.ledger.list_making import FrozenList, Made
    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.lists import ListDiff


PAGES: tuple[str, ...] = ("html", "pdf")
"""Files that are written for the published list."""
NO_PDF = "no PDF, reportlab is not installed: pip install 'arpad[pdf]', then give the same command again"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubMonth:
    """Result of one month: imports, the list, its changes, and the published and written files."""

    imported: tuple[Imported, ...]
    made: Made
    diff: ListDiff | None
    """From the last published list, with its proposed correction; None: this is the first."""
    doubts: tuple[str, ...]
    """Questions that these imports raise; the list is not published before they are settled."""
    to_publish: int
    """Lists and corrections that publishing would freeze; 0: the list is out already."""
    published: FrozenList | None = None
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes on content that a file format cannot hold."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "imported": [one.as_dict() for one in self.imported],
            "list": self.made.draft.name,
            "policy": self.made.draft.policy,
            "entries": self.made.entries.to_dicts(),
            "differences": [] if self.diff is None else self.diff.rows.to_dicts(),
            "doubts": list(self.doubts),
            "published": [each.words for each in self.published.lists] if self.published else [],
            "files": list(self.files),
        }


def club_month(
    ledger: Ledger,
    files: Sequence[str],
    *,
    agree: Callable[[ClubMonth], bool],
    folder: str | Path = ".",
    letterhead: Letterhead | None = None,
    policy: str | None = None,
    name: str | None = None,
    who: str | None = None,
    **reading: Any,
) -> ClubMonth:
    """Import files, make the list, ask, publish it, and write it as a page and, with reportlab, as PDF.

    A second call with the same files goes on where the first one stopped: nothing is imported twice, and a
    list that is out is only written again.

    Parameters
    ----------
    agree
        Called with what would be published; False leaves the list a draft. It is not called where doubts
        wait, or where there is nothing to publish.
    folder
        Where the files go: POLICY-LIST.html and POLICY-LIST.pdf.
    name
        The list; None: that of the last event.
    reading
        As `import_files` takes it: settings, columns, dates, sheet, accept_skipped, …
    """
    imported = tuple(import_files(ledger, files, who=who, **reading))
    made = make_list(ledger, policy=policy, name=name, who=who)
    with ledger.reading() as connection:
        before = last_published(connection, made.draft.policy, made.draft.closing)
        waiting = to_be_published(connection, made.draft)
        month = ClubMonth(
            imported=imported,
            made=made,
            diff=None if before is None else list_diff(connection, before, made.draft, proposed=True),
            doubts=_doubts(connection, imported),
            to_publish=len(waiting),
        )
        seen = publication_hash(connection, waiting)
    if month.doubts or (waiting and not agree(month)):
        return month
    if waiting:
        called = made.draft.policy, made.draft.name
        done = publish_list(ledger, policy=called[0], name=called[1], who=who, seen=seen)
        month = replace(month, published=done)
    return _written(ledger, month, Path(folder), letterhead or Letterhead())


def _doubts(connection: Connection, imported: Sequence[Imported]) -> tuple[str, ...]:
    """Return the names and events of these imports about which nobody has decided."""
    numbers = [one.number if one.earlier is None else one.earlier[0] for one in imported]
    return tuple(
        f"{each.number}. {each.about}"
        for number in numbers
        for each in queue(connection, imported=number).doubts
        if each.kind in ("player", "event")
    )


def _written(ledger: Ledger, month: ClubMonth, folder: Path, head: Letterhead) -> ClubMonth:
    with ledger.reading() as connection:
        kept = list_called(connection, month.made.draft.policy, month.made.draft.name)
        sheet = list_sheet(connection, kept, letterhead=head)
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[^\w.-]+", "-", f"{kept.policy}-{kept.name}")
    try:
        import reportlab  # noqa: F401

        kinds, notes = PAGES, []
    except ImportError:
        kinds, notes = PAGES[:1], [NO_PDF]
    paths = [str(folder / f"{stem}.{kind}") for kind in kinds]
    notes += [words for path in paths for words in export_list(sheet, path)]
    return replace(month, files=tuple(paths), notes=tuple(notes))


def list_sheet(
    connection: Connection,
    kept: KeptList,
    *,
    corrected: bool = True,
    everybody: bool = False,
    letterhead: Letterhead | None = None,
) -> ListSheet:
    """Return a list of the ledger, ready to be written.

    Parameters
    ----------
    corrected
        With the corrections published since; else as it was first published.
    everybody
        Also those who are rated but not listed.
    """
    rules = next(p for p in kept_policies(connection) if p.id == kept.policy_id)
    return ListSheet(
        name=kept.name,
        policy=kept.policy,
        system=str(rules.document.get("system") or "") or None,
        time_control=rules.document.get("time_control"),
        closing=kept.closing,
        effective=kept.effective,
        state=kept.state,
        face=face_of(corrections_of(connection, kept), corrected=corrected),
        rows=list_rows(connection, kept, corrected=corrected, everybody=everybody),
        letterhead=letterhead or Letterhead(),
    )
