"""Options and helpers of the ledger's verbs: the ledger, the person who decides, the reason, lists as tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.output import Emission, emit, say

if TYPE_CHECKING:
    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.lists import KeptList
    from arpad.publish.language import Letterhead


# ``--db``: which ledger a verb works in.

DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PLACE",
        help="The ledger: a file (SQLite), or postgresql://user@host/database. [$ARPAD_DB, else arpad.db]",
    ),
]
"""Give it to `Ledger.open` as it is: None means ``ARPAD_DB``, else ``arpad.db`` in this folder."""


def opened(db: str | None, *, create: bool = False) -> Ledger:
    """Open the ledger that ``--db`` names; who must wait for another writer is told so."""
    from arpad.ledger.db.ledger import Ledger

    return Ledger.open(db, create=create, on_wait=say)


# What every verb that decides something shares: who, why, and what is shown of the decision.

WhyOption = Annotated[str, typer.Option("--why", help="The reason, for the log.", metavar="REASON")]
WhoOption = Annotated[
    str | None, typer.Option("--who", help="Your name, for the log. [the user's name]", metavar="NAME")
]


Deed = Callable[["Connection"], "Decision"]
"""A decision, before it is taken."""


@dataclass(frozen=True, kw_only=True)
class Deciding:
    """Who decides something in which ledger, and why."""

    why: WhyOption
    who: WhoOption = None
    db: DbOption = None

    def take(self, deed: Deed) -> Emission:
        """Take a decision in a transaction of its own and show it."""
        import polars as pl

        with opened(self.db) as ledger, ledger.writing(self.who, self.why) as connection:
            decision = deed(connection)
        for note in decision.facts.get("notes", ()):
            say(f"mind: {note}")
        back = f"(arpad log undo {decision.id} takes it back)"
        again = f"(import {decision.facts.get('file')} again to have it back)"
        after = {"erase": "(it cannot be undone)", "withdraw": again}.get(decision.kind, back)
        return partial(
            emit,
            people=lambda: [f"decision {decision.summary()}", after],
            rows=lambda: pl.DataFrame(
                [_row(decision)], schema_overrides={"undoes": pl.Int64, "undone_by": pl.Int64}
            ),
            document=lambda: decision_document(decision),
        )


def decision_document(found: Decision) -> dict[str, Any]:
    """Return a decision as JSON has it."""
    from arpad.ledger.decisions.decisions import documents

    before, after = documents(found.changes)
    rest = {k: v for k, v in found.facts.items() if k not in ("words", "about")}
    return {**_row(found), "about": list(found.about()), "facts": rest, "before": before, "after": after}


def _row(found: Decision) -> dict[str, Any]:
    return {
        "id": found.id,
        "when": f"{found.when:%Y-%m-%dT%H:%M:%SZ}",
        "who": found.who,
        "kind": found.kind,
        "subject": found.subject,
        "what": found.words(),
        "why": found.why,
        "undoes": found.undoes,
        "undone_by": found.undone_by,
    }


def _language_codes() -> list[str]:
    from arpad.publish.language import languages

    return list(languages())


# Options that the verbs of `arpad list` share, and what is said of a list.

PolicyOption = Annotated[
    str | None, typer.Option("--policy", "-p", help="The policy; needed where the ledger has several.")
]
NameArgument = Annotated[
    str | None, typer.Argument(metavar="[LIST]", help="Name of the list, such as 2026-11.")
]
CorrectedOption = Annotated[
    bool,
    typer.Option(
        "--corrected/--as-published",
        help="Show the list with the corrections published since, or as it was first published.",
    ),
]
ListOptionsWhoOption = Annotated[
    str | None, typer.Option("--who", help="Your name, for the log. [the user's name]")
]


@dataclass(frozen=True, kw_only=True)
class LetterheadOptions:
    """What stands above a list.

    club: Name of the club, printed above the list.
    title: Title of the list. [Rating list NAME]
    logo: A picture for the page: PNG or JPEG.
    language: Language of headings: en, de, es, fr, or a catalogue of your own (nl.po).
    """

    club: Annotated[str, typer.Option(metavar="NAME", envvar="ARPAD_CLUB")] = ""
    title: str = ""
    logo: Annotated[str | None, typer.Option(metavar="FILE", envvar="ARPAD_LOGO")] = None
    language: Annotated[
        str, typer.Option(metavar="CODE", envvar="ARPAD_LANGUAGE", autocompletion=_language_codes)
    ] = "en"

    def letterhead(self) -> Letterhead:
        """Return the club, its logo and the language."""
        from arpad.publish.language import Letterhead

        return Letterhead.of(club=self.club, title=self.title, logo=self.logo, language=self.language)


def list_document(kept: KeptList) -> dict[str, Any]:
    """Return what JSON says of a list itself."""
    return {
        "name": kept.name,
        "policy": kept.policy,
        "version": kept.version,
        "state": kept.state,
        "correction": kept.number or None,
        "closing": kept.closing,
        "effective": kept.effective,
        "published": kept.published,
        "published_by": kept.published_by,
    }


# A rating list as people read it: no decimals where the policy rounds, no empty columns.

ROUNDED = ("rating", "published", "before", "change", "difference")
"""Columns in rating points; a policy that rounds makes all of them whole."""
ALWAYS = ("rank", "name", "rating", "published")
"""Columns that are shown even where nothing stands in them."""


def list_table(rows: pl.DataFrame) -> object:
    """Return entries, changes or corrections as a table for the terminal."""
    from arpad.publish.tables import rich_table

    points = [rows[name].drop_nulls() for name in ROUNDED if name in rows.columns]
    whole = all(bool((p % 1 == 0).all()) for p in points)
    empty = [c for c in rows.columns if c not in ALWAYS and rows[c].is_null().all()]
    shown = rows.drop(empty).rename({"deviation": "error", "difference": "change"}, strict=False)
    return rich_table(shown, digits=dict.fromkeys(ROUNDED, 0 if whole else 1))


def first_rows(rows: pl.DataFrame, top: int | None, where: str = "") -> list[object]:
    """Return the first rows as a table, and how many more there are (and where); nothing of none."""
    kept = rows if top is None else rows.head(top)
    more = f"… and {rows.height - kept.height:,} more{where}"
    return [] if kept.is_empty() else [list_table(kept), *([more] if kept.height < rows.height else [])]
