"""A game move by move: its positions, and what its source or an engine says of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from arpad.model import Games
from arpad.moves.evaluated import EvaluatedGames, from_positions
from arpad.moves.positions import positions
from arpad.read.movetext import Ply, evaluations, mainline
from arpad.read.report import Report
from arpad.store.evaluations import lookup
from arpad.store.shelves import shelves

if TYPE_CHECKING:
    from pathlib import Path

    from arpad.office.records.movetext import Movetext

__all__ = ["MOST_PLIES", "By", "GamePlay", "play_of", "played_games", "stored"]

MOST_PLIES = 1200
"""Half-moves that are looked at; the longest game of masters had 538."""

SOURCE = "the game's own comments"

By = Literal["source", "engine"]
"""Whose evaluations: those in the comments of the source, or those that an engine has left in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlay:
    """The main line of a game: `positions` (`moves.positions.POSITIONS`) and `evaluated` go together ply by ply."""

    positions: pl.DataFrame
    evaluated: EvaluatedGames
    comment: str
    """What stands before the first move."""
    plies: tuple[Ply, ...]
    by: By
    """Whose evaluations these are."""
    others: tuple[By, ...]
    """Whose there are."""
    notes: tuple[str, ...]

    @property
    def length(self) -> int:
        """How many half-moves can be shown."""
        return max(0, self.positions.height - 1)


def played_games(
    kept: list[Movetext], names: list[tuple[str, str]], scores: list[float | None]
) -> EvaluatedGames:
    """Return games of the ledger with the evaluations that stand in their comments.

    Parameters
    ----------
    kept
        The moves of each.
    names
        White and Black of each; one name for two people is told apart.
    """
    rows: list[dict[str, object]] = []
    for game, text in enumerate(kept):
        found, _ = evaluations(text.text)
        for ply, (san, marks) in enumerate(found[: MOST_PLIES + 1]):
            said = {n: getattr(marks, n) for n in ("cp", "mate", "depth", "clock", "spent", "best")}
            rows.append({"game": game, "ply": ply, "san": san, **said})
    people = [(w, b if b != w else f"{b} (2)") for w, b in names]
    games = Games.build(
        (w, b, 0.5 if s is None else s) for (w, b), s in zip(people, scores, strict=True)
    )
    starts = pl.DataFrame({"fen": [text.start for text in kept]}, schema={"fen": pl.String})
    kinds = {"cp": pl.Int32, "mate": pl.Int32, "depth": pl.Int32, "clock": pl.Float64,
             "spent": pl.Float64, "best": pl.String}  # fmt: skip
    table = pl.DataFrame(
        rows, schema={"game": pl.Int32, "ply": pl.Int32, "san": pl.String, **kinds}
    )
    black = [bool(t.start) and (t.start or "").split(" ")[1:2] == ["b"] for t in kept]
    turned = pl.Series(black, dtype=pl.Boolean).gather(table["game"])
    odd = (table["ply"] % 2 == 1) != turned
    turn = pl.select(pl.when(odd).then(pl.lit("b")).otherwise(pl.lit("w")).alias("turn"))
    return EvaluatedGames.build(
        games, table.with_columns(turn["turn"]), source=SOURCE, starts=starts
    )


def play_of(
    kept: Movetext, names: tuple[str, str], *, score: float | None = None,
    store: Path | None = None, by: By | None = None,
) -> GamePlay:  # fmt: skip
    """Return a game with its positions and evaluations.

    Parameters
    ----------
    store
        Where an engine's evaluations are kept.
    by
        Whose evaluations are wanted; None: the engine's if it knows every position, else the source's.
    """
    told = played_games([kept], [names], [score])
    report = Report()
    places = positions(told, report=report)
    comment, plies = mainline(kept.text)
    engine = _by_engine(places, told, store)
    own = told.coverage()[0] > 0
    others: tuple[By, ...] = (*(("source",) if own else ()), *(("engine",) if engine else ()))
    chosen: By = by if by in others else _usual(engine, others)
    if chosen == "engine" and engine is not None:
        evaluated = engine
    else:  # also what the rules say of the last position
        evaluated = from_positions(places, _nothing(), told, source=SOURCE, own=True)
    notes = [note.reason for note in report.notes]
    if len(plies) > MOST_PLIES:
        notes.append(f"only the first {MOST_PLIES:,} half-moves of {len(plies):,} are shown")
    return GamePlay(
        positions=places, evaluated=evaluated, comment=comment, plies=tuple(plies[:MOST_PLIES]),
        by=chosen, others=others, notes=tuple(notes),
    )  # fmt: skip


def _usual(engine: EvaluatedGames | None, others: tuple[By, ...]) -> By:
    if engine is None or "source" not in others:
        return others[-1] if others else "source"
    known, every = engine.coverage()
    return "engine" if known == every else "source"


def stored(epds: list[str], store: Path | None) -> tuple[str, pl.DataFrame] | None:
    """Return what the engine that knows most of some positions says of them: who it is, and its lines."""
    best: tuple[int, str, pl.DataFrame] | None = None
    for key, words in shelves(store) if store is not None else ():
        lines = lookup(epds, key, root=store)
        known = lines["epd"].n_unique()
        if known and (best is None or known > best[0]):
            best = (known, words, lines)
    return None if best is None else best[1:]


def _by_engine(
    places: pl.DataFrame, told: EvaluatedGames, store: Path | None
) -> EvaluatedGames | None:
    asked = places.filter(pl.col("over").is_null())["epd"].unique(maintain_order=True).to_list()
    found = stored(asked, store)
    if found is None:
        return None
    words, lines = found
    return from_positions(places, lines, told, source=words)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={"epd": pl.String, "line": pl.Int16, "move": pl.String, "cp": pl.Int32,
                "mate": pl.Int32, "depth": pl.Int32}
    )  # fmt: skip
