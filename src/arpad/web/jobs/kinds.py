"""What jobs do: import a file, make a list, analyse games, check events, compare systems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arpad.errors import ArpadError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arpad.store.ledger.ledger import Ledger
    from arpad.web.jobs.records import Job

__all__ = ["KINDS", "Finished", "Work", "words_of"]

TABLES = {
    "imports": "the file", "players": "players", "player_ids": "players", "player_names": "names",
    "events": "events", "games": "games", "doubts": "doubts", "filled": "players", "moves": "moves",
}  # fmt: skip
"""What an import writes, in order, and how people call it."""

SHOWN = 50
"""Events that a result names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A job, and what it may use."""

    ledger: Ledger
    job: Job
    tell: Callable[..., None]
    uploads: Path
    store: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What became of a job: a sentence, figures, and where to go on (text and address)."""

    says: str
    figures: Mapping[str, Any]
    links: tuple[tuple[str, str], ...] = ()
    document: Mapping[str, Any] | None = None
    """What a page of its own shows, where there is one."""

    def as_dict(self) -> dict[str, Any]:
        """Return what is kept."""
        kept: dict[str, Any] = {
            "figures": dict(self.figures),
            "links": [list(link) for link in self.links],
        }
        return kept if self.document is None else {**kept, "document": dict(self.document)}


def words_of(kind: str, arguments: Mapping[str, Any]) -> str:
    """Return what a job is, for people.

    Examples
    --------
    >>> words_of("list", {"policy": "club", "name": None}), words_of("analyse", {"game": 3, "depth": 13})
    ('List of club', 'Analysis of game 3, depth 13')
    """
    if kind == "import":
        return f"Import of {arguments.get('name', '?')}"
    if kind == "list":
        name = arguments.get("name")
        return f"List of {arguments.get('policy', '?')}{f', {name}' if name else ''}"
    if kind == "analyse":
        what = "event" if arguments.get("event") else "game"
        return f"Analysis of {what} {arguments.get(what)}, depth {arguments.get('depth')}"
    if kind == "inspect":
        event = arguments.get("event")
        return f"Check of event {event}" if event else "Check of all events"
    if kind == "compare":
        return f"Comparison of all systems, {arguments.get('least')} or more earlier games"
    return kind


def do_import(work: Work) -> Finished:
    """Bring an uploaded file into the ledger; it is not needed any more then."""
    from arpad.office.intake.batch import Settings
    from arpad.office.intake.importing import import_files

    said = work.job.arguments
    path, name = work.uploads / str(said["file"]), str(said["name"])
    if not path.is_file():
        return _gone(work, name)
    order = list(TABLES)

    def step(table: str) -> None:
        work.tell(f"writing {TABLES[table]}", order.index(table) + 1, len(order) + 1)

    work.tell("reading the file", 0, len(order) + 1)
    try:
        (one,) = import_files(
            work.ledger, [str(path)], who=work.job.who, settings=Settings(**said["settings"]),
            names={str(path): name}, step=step,
        )  # fmt: skip
    except ArpadError as error:
        raise UsageError(str(error).replace(str(path), name)) from None
    path.unlink(missing_ok=True)
    whole = one.as_dict()
    figures = {k: v for k, v in whole.items() if isinstance(v, int | str | None)}
    events = [e for e in whole["event_list"] if e["event"]]
    links = [(e["name"], f"/events/{e['event']}") for e in events[:SHOWN]]
    if one.doubtful or one.count("changed"):
        links.append(("What waits for a decision", "/queue"))
    if one.earlier is not None:
        links += _events_of(work, one.earlier[0])
    return Finished(says=one.summary(), figures=figures, links=tuple(links))


def _gone(work: Work, name: str) -> Finished:
    """Say what became of a file that is not here: a worker before this one may have imported it."""
    import sqlalchemy as sa

    from arpad.store.ledger import tables

    t = tables.imports.c
    with work.ledger.reading() as connection:
        number = connection.execute(
            sa.select(sa.func.max(t.id)).where(t.sha256 == work.job.arguments["sha256"])
        ).scalar()
    if number is None:
        raise UsageError(f"{name}: the uploaded file is not on this machine any more: upload it again")  # fmt: skip
    return Finished(
        says=f"{name}: in the ledger (import {number})", figures={"import": number},
        links=tuple(_events_of(work, number)),
    )  # fmt: skip


def _events_of(work: Work, number: int) -> list[tuple[str, str]]:
    import sqlalchemy as sa

    from arpad.store.ledger import tables

    e = tables.events.c
    query = sa.select(e.id, e.name).where(e.import_id == number).order_by(e.id).limit(SHOWN)
    with work.ledger.reading() as connection:
        return [(row.name, f"/events/{row.id}") for row in connection.execute(query)]


def do_list(work: Work) -> Finished:
    """Make a draft of a policy's list."""
    from urllib.parse import quote

    from arpad.office.making.list_making import make_list

    said = work.job.arguments
    work.tell("looking what has changed")
    made = make_list(
        work.ledger, policy=said["policy"], name=said.get("name"), who=work.job.who,
        progress=lambda done, total: work.tell("computing periods", done, total),
    )  # fmt: skip
    policy, name = made.draft.policy, made.draft.name
    return Finished(
        says=made.summary(),
        figures={"policy": policy, "name": name, "corrections": len(made.corrections)},
        links=((f"{policy}, {name}", f"/lists/{quote(policy, safe='')}/{quote(name, safe='')}"),),
    )


def do_inspect(work: Work) -> Finished:
    """Test events for fit and norms; what is found goes into the queue."""
    from arpad.office.verdicts.inspecting import check_events

    event = work.job.arguments.get("event")
    opened = check_events(
        work.ledger, None if event is None else [int(event)], policy=work.job.arguments.get("policy"),
        step=lambda done, total: work.tell("checking events", done, total),
    )  # fmt: skip
    found = f"{len(opened):,} new {'thing waits' if len(opened) == 1 else 'things wait'}"
    return Finished(
        says=f"{found} for a decision" if opened else "nothing new was found",
        figures={"found": len(opened)},
        links=(("The queue", "/queue"),),
    )


def do_analyse(work: Work) -> Finished:
    """Let an engine look at the positions of a game or of an event."""
    from arpad.web.jobs.analysing import analyse_games

    return analyse_games(work)


def do_compare(work: Work) -> Finished:
    """Let every system foretell the ledger's games."""
    from arpad.web.jobs.comparing import compare_systems

    return compare_systems(work)


KINDS: dict[str, Callable[[Work], Finished]] = {
    "import": do_import,
    "list": do_list,
    "inspect": do_inspect,
    "analyse": do_analyse,
    "compare": do_compare,
}
