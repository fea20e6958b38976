"""One game of the ledger: who, where, when, result, moves, evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import sqlalchemy as sa

from arpad.errors import ArpadError
from arpad.ledger.db import tables
from arpad.ledger.games import Movetext, moves_of, result_text
from arpad.ledger.queries.lists import ratings_on
from arpad.ledger.register import merged_ends
from arpad.model import Games
from arpad.moves.average_error import ErrorFilters, measure_errors
from arpad.moves.error_report import group_errors
from arpad.moves.evaluated_games import EvaluatedGames, from_positions
from arpad.moves.evaluation_store import lookup, stores
from arpad.moves.gain import measure
from arpad.moves.gain_report import GainReport, gain_report
from arpad.moves.positions import positions
from arpad.moves.resampling import Resampling
from arpad.read.pgn.movetext import Ply, evaluations, mainline
from arpad.read.source import Report

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from sqlalchemy.engine import Connection


# One game of the ledger as people look at it: who, where, when, result, ratings then, moves.


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingThen:
    """What a list said of a player when the game was played."""

    policy: str
    list: str
    rating: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opponent:
    """One of the two; `id` and `name` are those of today."""

    id: int
    name: str
    title: str | None
    given: float | None
    """The rating that stands in the report."""
    listed: tuple[RatingThen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSheet:
    """A game; `black` is None for a bye, `moves` where the ledger has none."""

    id: int
    event_id: int
    event: str
    site: str | None
    round: str | None
    date: date | None
    precision: str | None
    white: Opponent
    black: Opponent | None
    score: float | None
    result: str
    status: str
    plies: int | None
    moves: Movetext | None


def game_sheet(connection: Connection, number: int) -> GameSheet | None:
    """Return a game by its number; None: there is no such game."""
    g, e = tables.games.c, tables.events.c
    row = connection.execute(
        sa.select(tables.games, e.name.label("event"), e.site, e.start)
        .join_from(tables.games, tables.events, e.id == g.event_id)
        .where(g.id == number)
    ).one_or_none()
    if row is None:
        return None
    day = row.date or row.start
    lists = _lists_on(connection, day) if day is not None else []
    sides = [
        None if player is None else _opponent(connection, player, given, lists)
        for player, given in ((row.white_id, row.white_rating), (row.black_id, row.black_rating))
    ]
    white, black = sides
    assert white is not None
    return GameSheet(
        id=row.id,
        event_id=row.event_id,
        event=row.event,
        site=row.site,
        round=row.round,
        date=row.date,
        precision=row.precision,
        white=white,
        black=black,
        score=row.score,
        result=result_text(row.score, row.black_score, row.status),
        status=row.status,
        plies=row.plies,
        moves=moves_of(connection, row.id),
    )


def games_with_moves(connection: Connection, event: int) -> list[int]:
    """Return the numbers of an event's games that have moves."""
    g, m = tables.games.c, tables.moves.c
    query = (
        sa.select(g.id)
        .join_from(tables.games, tables.moves, m.game_id == g.id)
        .where(g.event_id == event)
        .order_by(g.number)
    )
    return list(connection.execute(query).scalars())


def _opponent(
    connection: Connection, player: int, given: float | None, lists: list[tuple[int, str, str]]
) -> Opponent:
    p = tables.players.c
    today = merged_ends(connection).get(player, player)
    row = connection.execute(sa.select(p.name, p.title).where(p.id == today)).one()
    ratings = ratings_on(connection, [number for number, _, _ in lists], [today])
    listed = [
        RatingThen(policy=policy, list=name, rating=ratings[number, today])
        for number, policy, name in lists
        if (number, today) in ratings
    ]
    return Opponent(id=today, name=row.name, title=row.title, given=given, listed=tuple(listed))


def _lists_on(connection: Connection, day: date) -> list[tuple[int, str, str]]:
    """Return number, policy and name of the published list of each policy that held on a day."""
    t, p = tables.lists.c, tables.policies.c
    held = sa.func.coalesce(t.effective, t.closing)
    query = (
        sa.select(t.id, p.name.label("policy"), t.name)
        .join_from(tables.lists, tables.policies, p.id == t.policy_id)
        .where(t.number == 0, t.published.is_not(None), held <= day)
        .order_by(p.name, held.desc(), t.id.desc())
    )
    found: dict[str, tuple[int, str, str]] = {}
    for row in connection.execute(query):
        found.setdefault(row.policy, (row.id, row.policy, row.name))
    return list(found.values())


# A game move by move: its positions, and what its source or an engine says of each.

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
    games = Games.build((w, b, 0.5 if s is None else s) for (w, b), s in zip(people, scores, strict=True))
    starts = pl.DataFrame({"fen": [text.start for text in kept]}, schema={"fen": pl.String})
    kinds = {
        "cp": pl.Int32,
        "mate": pl.Int32,
        "depth": pl.Int32,
        "clock": pl.Float64,
        "spent": pl.Float64,
        "best": pl.String,
    }
    table = pl.DataFrame(rows, schema={"game": pl.Int32, "ply": pl.Int32, "san": pl.String, **kinds})
    black = [bool(t.start) and (t.start or "").split(" ")[1:2] == ["b"] for t in kept]
    turned = pl.Series(black, dtype=pl.Boolean).gather(table["game"])
    odd = (table["ply"] % 2 == 1) != turned
    turn = pl.select(pl.when(odd).then(pl.lit("b")).otherwise(pl.lit("w")).alias("turn"))
    return EvaluatedGames.build(games, table.with_columns(turn["turn"]), source=SOURCE, starts=starts)


def play_of(
    kept: Movetext,
    names: tuple[str, str],
    *,
    score: float | None = None,
    store: Path | None = None,
    by: By | None = None,
) -> GamePlay:
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
        positions=places,
        evaluated=evaluated,
        comment=comment,
        plies=tuple(plies[:MOST_PLIES]),
        by=chosen,
        others=others,
        notes=tuple(notes),
    )


def _usual(engine: EvaluatedGames | None, others: tuple[By, ...]) -> By:
    if engine is None or "source" not in others:
        return others[-1] if others else "source"
    known, every = engine.coverage()
    return "engine" if known == every else "source"


def stored(epds: list[str], store: Path | None) -> tuple[str, pl.DataFrame] | None:
    """Return what the engine that knows most of some positions says of them: who it is, and its lines."""
    best: tuple[int, str, pl.DataFrame] | None = None
    for key, words in stores(store) if store is not None else ():
        lines = lookup(epds, key, root=store)
        known = lines["epd"].n_unique()
        if known and (best is None or known > best[0]):
            best = (known, words, lines)
    return None if best is None else best[1:]


def _by_engine(places: pl.DataFrame, told: EvaluatedGames, store: Path | None) -> EvaluatedGames | None:
    asked = places.filter(pl.col("over").is_null())["epd"].unique(maintain_order=True).to_list()
    found = stored(asked, store)
    if found is None:
        return None
    words, lines = found
    return from_positions(places, lines, told, source=words)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={
            "epd": pl.String,
            "line": pl.Int16,
            "move": pl.String,
            "cp": pl.Int32,
            "mate": pl.Int32,
            "depth": pl.Int32,
        }
    )


# How well a game was played: gain and average error of both, with intervals, and their strength on the way.


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """What evaluations say of White's play and of Black's.

    `sides` are rows of `GainReport.players`, `errors` of `ErrorGroups.rows`, White first; None where nothing is known.
    """

    report: GainReport | None
    sides: tuple[dict[str, Any] | None, dict[str, Any] | None]
    errors: tuple[dict[str, Any] | None, dict[str, Any] | None]
    expected: dict[str, Any] | None
    """White's expected score against Black, by the gain of their moves."""
    notes: tuple[str, ...]


def figures_of(play: GamePlay, *, draws: int = 1000) -> GameFigures:
    """Measure a game by gain per move [Ferreira 2012] and by average error [Regan, Macieja, Haworth 2012]."""
    notes: list[str] = []
    report: GainReport | None = None
    try:
        gains = measure(play.evaluated)
        report = gain_report(gains, view="games", resampling=Resampling(draws=draws))
        notes += report.notes
    except ArpadError as error:
        notes.append(str(error))
    return GameFigures(
        report=report,
        sides=_sides(report),
        errors=_errors(play, notes) if report is not None else (None, None),
        expected=None if report is None or report.pairs.is_empty() else report.pairs.row(0, named=True),
        notes=tuple(dict.fromkeys(notes)),
    )


def _sides(report: GainReport | None) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    if report is None:
        return None, None
    rows = {row["colour"]: row for row in report.players.iter_rows(named=True)}
    return rows.get("white"), rows.get("black")


def _errors(play: GamePlay, notes: list[str]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return each side's average error, single principal variation, with the usual filters."""
    try:
        found = group_errors(measure_errors(play.evaluated, filters=ErrorFilters(), positions=play.positions))
    except ArpadError as error:
        notes.append(str(error))
        return None, None
    notes += found.notes
    rows = {row["label"]: row for row in found.rows.iter_rows(named=True)}
    names: pl.Series = play.evaluated.games.players["name"]
    return rows.get(names[0]), rows.get(names[1])
