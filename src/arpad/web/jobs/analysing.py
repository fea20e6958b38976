"""A job that lets an engine look at games of the ledger; what it finds is kept, also if it is stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.moves.analysis import analyse
from arpad.moves.local_workers import LocalWorkers
from arpad.moves.positions import positions
from arpad.moves.settings import EngineSettings
from arpad.office.records.movetext import moves_of
from arpad.office.showing.game_play import played_games
from arpad.office.showing.game_sheet import games_with_moves
from arpad.store.evaluations import EvaluationStore
from arpad.web.jobs.kinds import Finished

if TYPE_CHECKING:
    from arpad.evaluation import Evaluation
    from arpad.web.jobs.kinds import Work

__all__ = ["analyse_games"]

ENGINES = 1
"""Engines at once: a server has other things to do."""


def analyse_games(work: Work) -> Finished:
    """Evaluate every position of a game or of an event's games that is not known yet."""
    said = work.job.arguments
    if work.store is None:
        raise UsageError("there is no place for evaluations: start arpad serve with --store FOLDER")
    games, epds = _asked(work)
    settings = EngineSettings(
        engine=str(said.get("engine") or "stockfish"), depth=int(said["depth"])
    )
    work.tell("starting the engine", 0, len(epds))
    team = LocalWorkers(settings, engines=ENGINES)
    identity = team.identity()
    done = 0
    with EvaluationStore(
        work.store, settings.key(identity), parameters=settings.parameters(identity),
        on_wait=lambda _: work.tell("waiting for another analysis", 0, len(epds)),
    ) as store:  # fmt: skip
        known = store.known(epds)
        left = [epd for epd, kept in zip(epds, known, strict=True) if not kept]
        done = len(epds) - len(left)

        def keep(found: list[Evaluation]) -> None:
            nonlocal done
            store.append(found)
            done += len(found)
            work.tell("analysing positions", done, len(epds))

        work.tell("analysing positions", done, len(epds))
        result = analyse(left, settings, workers=team, on_results=keep)
        store.compact()
    failed = f"; {len(result.failures):,} failed" if result.failures else ""
    what, number = ("event", said["event"]) if said.get("event") else ("game", said["game"])
    return Finished(
        says=f"{len(epds):,} positions of {games:,} game{'' if games == 1 else 's'}: {result.analysed:,} analysed, "
        f"{len(epds) - len(left):,} known before{failed} ({identity.name}, depth {settings.value})",
        figures={"positions": len(epds), "analysed": result.analysed, "games": games},
        links=((f"The {what}", f"/{what}s/{int(number)}"),),
    )


def _asked(work: Work) -> tuple[int, list[str]]:
    """Return how many games there are, and their positions, each once."""
    said = work.job.arguments
    with work.ledger.reading() as connection:
        numbers = (
            games_with_moves(connection, int(said["event"]))
            if said.get("event")
            else [int(said["game"])]
        )
        texts = [t for t in (moves_of(connection, n) for n in numbers) if t is not None]
    if not texts:
        raise UsageError("there are no moves to analyse: import the PGN first")
    told = played_games(texts, [("White", "Black")] * len(texts), [None] * len(texts))
    places = positions(told).filter(pl.col("over").is_null())
    return len(texts), places["epd"].unique(maintain_order=True).to_list()
