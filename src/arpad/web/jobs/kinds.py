"""Kinds of background jobs: import a file, make a list, analyse games, check events, compare systems."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

import polars as pl
import sqlalchemy as sa

from arpad.errors import ArpadError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.games import moves_of
from arpad.ledger.queries.games import games_with_moves, played_games
from arpad.ledger.queries.pool import lab_games
from arpad.moves.analysis import LocalWorkers, analyse
from arpad.moves.engine import EngineSettings
from arpad.moves.evaluation_store import EvaluationStore
from arpad.moves.positions import positions
from arpad.web.cache import ledger_version
from arpad.web.jobs.uploads import copy_upload
from arpad.web.views.lab import ALL, about, compare_on, document_of, forget_older, least_of, mark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arpad.evaluation import Evaluation
    from arpad.ledger.db.ledger import Ledger
    from arpad.web.jobs.records import QueuedJob
    from arpad.web.views.lab import LeastGames


TABLES = {
    "imports": "the file",
    "players": "players",
    "player_ids": "players",
    "player_names": "names",
    "events": "events",
    "games": "games",
    "doubts": "doubts",
    "filled": "players",
    "moves": "moves",
}
"""Tables that an import writes, in order, and their names for people."""
SHOWN = 50  # events that a result names


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A job, and what it may use."""

    ledger: Ledger
    job: QueuedJob
    report: Callable[..., None]
    store: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The result of a job: a sentence, figures, and links (text and address)."""

    says: str
    figures: Mapping[str, Any]
    links: tuple[tuple[str, str], ...] = ()
    document: Mapping[str, Any] | None = None  # what a page of its own shows, where there is one

    def as_dict(self) -> dict[str, Any]:
        """Return what is kept."""
        kept: dict[str, Any] = {"figures": dict(self.figures), "links": [list(link) for link in self.links]}
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
    said = work.job.arguments
    name = str(said["name"])
    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        path = Path(folder) / "upload"
        if not copy_upload(work.ledger, str(said["file"]), path):
            return _gone(work, name)
        return _imported(work, path, name)


def _imported(work: Work, path: Path, name: str) -> Finished:
    from arpad.ledger.imports.importing import import_files
    from arpad.ledger.imports.staging import Settings

    said, order = work.job.arguments, list(TABLES)

    def step(table: str) -> None:
        work.report(f"writing {TABLES[table]}", order.index(table) + 1, len(order) + 1)

    work.report("reading the file", 0, len(order) + 1)
    try:
        (one,) = import_files(
            work.ledger,
            [str(path)],
            who=work.job.who,
            settings=Settings(**said["settings"]),
            names={str(path): name},
            answers=said.get("answers"),
            step=step,
            **said.get("reading", {}),
        )
    except ArpadError as error:
        raise UsageError(str(error).replace(str(path), name)) from None
    whole = one.as_dict()
    figures = {k: v for k, v in whole.items() if isinstance(v, int | str | None)}
    events = [e for e in whole["event_list"] if e["event"]]
    links = [(e["name"], f"/events/{e['event']}") for e in events[:SHOWN]]
    if one.doubtful > one.settled or one.count("changed"):
        links.append(("What waits for a decision", f"/queue?imported={one.number}"))
    if one.earlier is not None:
        links += _events_of(work, one.earlier[0])
    return Finished(says=one.summary(), figures=figures, links=tuple(links))


def _gone(work: Work, name: str) -> Finished:
    """Say what became of a file that is not here: a worker before this one may have imported it."""
    t = tables.imports.c
    with work.ledger.reading() as connection:
        number = connection.execute(
            sa.select(sa.func.max(t.id)).where(t.sha256 == work.job.arguments["sha256"])
        ).scalar()
    if number is None:
        raise UsageError(f"{name}: the uploaded file is not kept any more: upload it again")
    return Finished(
        says=f"{name}: in the ledger (import {number})",
        figures={"import": number},
        links=tuple(_events_of(work, number)),
    )


def _events_of(work: Work, number: int) -> list[tuple[str, str]]:
    e = tables.events.c
    query = sa.select(e.id, e.name).where(e.import_id == number).order_by(e.id).limit(SHOWN)
    with work.ledger.reading() as connection:
        return [(row.name, f"/events/{row.id}") for row in connection.execute(query)]


def do_list(work: Work) -> Finished:
    """Make a draft of a policy's list."""
    from urllib.parse import quote

    from arpad.ledger.list_making import make_list

    said = work.job.arguments
    work.report("checking for changes")
    made = make_list(
        work.ledger,
        policy=said["policy"],
        name=said.get("name"),
        who=work.job.who,
        progress=lambda done, total: work.report("computing periods", done, total),
    )
    policy, name = made.draft.policy, made.draft.name
    here = f"/lists/{quote(policy, safe='')}/{quote(name, safe='')}"
    says, links = made.summary(), [(f"{policy}, {name}", here)]
    if made.corrections:
        several = len(made.corrections) > 1
        lists = ", ".join(each.published.name for each in made.corrections)
        says += f"; {'corrections of published lists are' if several else 'a correction of a published list is'} proposed: {lists}"
        links.append((f"Proposed correction{'s' if several else ''} of {lists}", f"{here}/publish"))
    return Finished(
        says=says,
        figures={"policy": policy, "name": name, "corrections": len(made.corrections)},
        links=tuple(links),
    )


def do_inspect(work: Work) -> Finished:
    """Test events for fit and norms; what is found goes into the queue."""
    from arpad.ledger.inspection import check_events

    event = work.job.arguments.get("event")
    opened = check_events(
        work.ledger,
        None if event is None else [int(event)],
        policy=work.job.arguments.get("policy"),
        step=lambda done, total: work.report("checking events", done, total),
    )
    result = f"{len(opened):,} new {'thing waits' if len(opened) == 1 else 'things wait'}"
    return Finished(
        says=f"{result} for a decision" if opened else "nothing new",
        figures={"found": len(opened)},
        links=(("The queue", "/queue"),),
    )


ENGINES = 1  # engines at once: a server has other things to do


def analyse_games(work: Work) -> Finished:
    """Evaluate every position of a game or of an event's games that is not known yet."""
    said = work.job.arguments
    if work.store is None:
        raise UsageError("the server has no store for evaluations: start arpad serve with --store FOLDER")
    games, epds = _positions_to_analyse(work)
    settings = EngineSettings(engine=str(said.get("engine") or "stockfish"), depth=int(said["depth"]))
    work.report("starting the engine", 0, len(epds))
    team = LocalWorkers(settings, engines=ENGINES)
    identity = team.identity()
    done = 0
    with EvaluationStore(
        work.store,
        settings.key(identity),
        parameters=settings.parameters(identity),
        on_wait=lambda _: work.report("waiting for another analysis", 0, len(epds)),
    ) as store:
        known = store.known(epds)
        left = [epd for epd, kept in zip(epds, known, strict=True) if not kept]
        done = len(epds) - len(left)

        def keep(found: list[Evaluation]) -> None:
            nonlocal done
            store.append(found)
            done += len(found)
            work.report("analysing positions", done, len(epds))

        work.report("analysing positions", done, len(epds))
        result = analyse(left, settings, workers=team, on_results=keep)
    failed = f"; {len(result.failures):,} failed" if result.failures else ""
    what, number = ("event", said["event"]) if said.get("event") else ("game", said["game"])
    return Finished(
        says=f"{len(epds):,} positions of {games:,} game{'' if games == 1 else 's'}: {result.analysed:,} analysed, "
        f"{len(epds) - len(left):,} known before{failed} ({identity.name}, depth {settings.value})",
        figures={"positions": len(epds), "analysed": result.analysed, "games": games},
        links=((f"The {what}", f"/{what}s/{int(number)}"),),
    )


def _positions_to_analyse(work: Work) -> tuple[int, list[str]]:
    """Return how many games there are, and their positions, each once."""
    said = work.job.arguments
    with work.ledger.reading() as connection:
        numbers = (
            games_with_moves(connection, int(said["event"])) if said.get("event") else [int(said["game"])]
        )
        texts = [t for t in (moves_of(connection, n) for n in numbers) if t is not None]
    if not texts:
        raise UsageError("there are no moves to analyse: import the PGN first")
    told = played_games(texts, [("White", "Black")] * len(texts), [None] * len(texts))
    places = positions(told).filter(pl.col("over").is_null())
    return len(texts), places["epd"].unique(maintain_order=True).to_list()


def compare_systems(work: Work) -> Finished:
    """Compare all systems on the ledger's games, one after the other."""
    said = work.job.arguments
    given = bool(said["given"])
    work.report("reading the games", 0, len(ALL) + 1)
    with work.ledger.reading() as connection:  # the stamp is that of what was read
        now, sample = ledger_version(connection), lab_games(connection)
    least = least_of(sample, cast("LeastGames", said["least"]))
    done = 0

    def watch(label: str) -> None:
        nonlocal done
        done += 1
        work.report(f"{label} has predicted {len(sample.games):,} games", done, len(ALL) + 1)

    work.report(f"{ALL[0]} predicts {len(sample.games):,} games", 0, len(ALL) + 1)
    result = compare_on(sample, least, given=given, field="all", watch=watch)
    with work.ledger.writing(work.job.who, "comparison") as connection:
        forget_older(connection, work.job.id, said)
    query = urlencode({"field": "all", "least": said["least"], "given": str(given).lower()})
    return Finished(
        says=result.summary(),
        figures={
            "games": len(sample.games),
            "scored": result.counts.scored,
            "systems": len(result.standings),
        },
        links=(("The comparison", f"/lab?{query}"),),
        document=document_of(result) | {"stamp": mark(now), "sample": about(sample).model_dump(mode="json")},
    )


KINDS: dict[str, Callable[[Work], Finished]] = {
    "import": do_import,
    "list": do_list,
    "inspect": do_inspect,
    "analyse": analyse_games,
    "compare": compare_systems,
}
