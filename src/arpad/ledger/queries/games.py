"""One game of the ledger: who, where, when, result, moves, evaluations."""

from __future__ import annotations

import io
import math
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import chess
import chess.pgn
import polars as pl
import sqlalchemy as sa

from arpad.errors import ArpadError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import rows_in
from arpad.ledger.games import Movetext, held_lists, moves_of, ratings_on, result_text
from arpad.ledger.register import fold, merged_ends
from arpad.model import Games
from arpad.moves.accuracy import win_percent
from arpad.moves.average_error import ErrorFilters, measure_errors
from arpad.moves.error_report import group_errors
from arpad.moves.evaluated_games import EvaluatedGames, from_positions
from arpad.moves.evaluation_store import lookup, stores
from arpad.moves.gain import CENTIPAWNS, measure
from arpad.moves.gain_report import GainReport, gain_report
from arpad.moves.openings import Opening, opening_of_text
from arpad.moves.positions import find_move, positions, starting_board
from arpad.moves.resampling import Resampling
from arpad.read.pgn.movetext import ENDINGS, Ply, evaluations, mainline
from arpad.read.source import Report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from arpad.ledger.queries.career import CareerGame


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingThen:
    """A player's rating on the list in force when the game was played."""

    policy: str
    list: str
    rating: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOpponent:
    """One of the two; `id` and `name` are those of today."""

    id: int
    name: str
    title: str | None
    given: float | None  # the rating that stands in the report
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
    white: GameOpponent
    black: GameOpponent | None
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
    day, values, ends = row.date or row.start, row._mapping, merged_ends(connection)
    lists = held_lists(connection, day, published=True) if day is not None else []
    sides = {side: values[f"{side}_id"] for side in ("white", "black") if values[f"{side}_id"] is not None}
    sides = {side: ends.get(number, number) for side, number in sides.items()}
    ratings, p = ratings_on(connection, [each.id for each in lists], sides.values()), tables.players.c
    known = sa.select(p.id, p.name, p.title).where(p.id.in_(sides.values()))
    people = {who.id: who._mapping for who in connection.execute(known)}
    opponents = {
        side: GameOpponent(
            **people[number],
            given=values[f"{side}_rating"],
            listed=tuple(
                RatingThen(policy=each.policy, list=each.name, rating=ratings[each.id, number])
                for each in lists
                if (each.id, number) in ratings
            ),
        )
        for side, number in sides.items()
    }
    plain = ("id", "event_id", "event", "site", "round", "date", "precision", "score", "status", "plies")
    return GameSheet(
        **{name: values[name] for name in plain},
        white=opponents["white"],
        black=opponents.get("black"),
        result=result_text(row.score, row.black_score, row.status),
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


# A game move by move: its positions, and what its source or an engine says of each.

MOST_PLIES = 1200  # Half-moves that are looked at; the longest game of masters had 538
SOURCE = "the game's own comments"
By = Literal["source", "engine"]
"""Sources of evaluations: comments of the file, or an engine's in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlay:
    """The main line of a game: `positions` (`moves.positions.POSITIONS`) and `evaluated` go together ply by ply."""

    positions: pl.DataFrame
    evaluated: EvaluatedGames
    comment: str  # what stands before the first move
    plies: tuple[Ply, ...]
    by: By  # whose evaluations these are
    others: tuple[By, ...]  # whose there are
    notes: tuple[str, ...]

    @property
    def length(self) -> int:
        """Number of half-moves that can be shown."""
        return max(0, self.positions.height - 1)


def played_games(
    kept: list[Movetext], names: list[tuple[str, str]], scores: list[float | None]
) -> EvaluatedGames:
    """Return games of the ledger with the evaluations that stand in their comments.

    `kept`: The moves of each.
    `names`: White and Black of each; one name for two people is told apart.
    """
    rows: list[dict[str, object]] = []
    for game, text in enumerate(kept):
        result, _ = evaluations(text.text)
        for ply, (san, marks) in enumerate(result[: MOST_PLIES + 1]):
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

    `store`: Where an engine's evaluations are kept.
    `by`: Whose evaluations are wanted; None: the engine's if it knows every position, else the source's.
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
    result = stored(asked, store)
    if result is None:
        return None
    words, lines = result
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
    """Figures from evaluations of White's and of Black's moves.

    `sides` are rows of `GainReport.players`, `errors` of `ErrorGroups.rows`, White first; None where nothing is known.
    """

    report: GainReport | None
    sides: tuple[dict[str, Any] | None, dict[str, Any] | None]
    errors: tuple[dict[str, Any] | None, dict[str, Any] | None]
    expected: dict[str, Any] | None  # White's expected score against Black, by the gain of their moves
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
        result = group_errors(
            measure_errors(play.evaluated, filters=ErrorFilters(), positions=play.positions)
        )
    except ArpadError as error:
        notes.append(str(error))
        return None, None
    notes += result.notes
    rows = {row["label"]: row for row in result.rows.iter_rows(named=True)}
    names: pl.Series = play.evaluated.games.players["name"]
    return rows.get(names[0]), rows.get(names[1])


# Every move with what is known of it.

MISTAKES = {"blunder": 15.0, "mistake": 10.0, "inaccuracy": 5.0}
"""Percent of the chance to win that a move loses, as Lichess names them."""
SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
LONGEST_TREE = 200_000  # characters of moves whose variations are read


def moves_of_play(play: GamePlay, figures: GameFigures, kept: Movetext) -> list[dict[str, Any]]:
    """Return every move with its evaluation, its gain, its clock, and the engine's choice in its place.

    `win` is White's chance to win after it, from 0 to 1 by Lichess's curve, `mistake` what that lost: `inaccuracy`,
    `mistake` or `blunder`. `spent` comes from the clocks where the source does not say it.
    """
    if not play.length:
        return []
    rows = play.evaluated.table.to_dicts()
    gains: dict[int, int] = {}
    if figures.report is not None:
        gains = dict(figures.report.gains.table.select("ply", "gain").iter_rows())
    instead = variations(kept) if "(" in kept.text else {}
    board = starting_board(kept.start)
    result = []
    for ply in range(1, play.length + 1):
        said, before, row = play.plies[ply - 1], rows[ply - 1], rows[ply]
        gain, lost = gains.get(ply), _lost(before, row, white=board.turn)
        last = rows[ply - 2]["clock"] if ply > 2 else None
        spent = said.marks.spent
        if spent is None and last is not None and row["clock"] is not None:
            spent = max(last - row["clock"], 0.0)
        result.append(
            {
                "ply": ply,
                "number": f"{board.fullmove_number}{'.' if board.turn else '…'}",
                "san": said.san,
                "sign": "".join(SIGNS.get(nag, "") for nag in said.nags),
                "comment": plain_comment(said.comment),
                "variations": instead.get(ply, ()),
                "evaluation": None if row["cp"] is None else row["cp"] / CENTIPAWNS,
                "mate": row["mate"],
                "over": row["over"],
                "win": float(board.turn) if row["over"] == "mate" else _win(row),
                "mistake": next((name for name, least in MISTAKES.items() if lost >= least), None),
                "gain": None if gain is None else gain / CENTIPAWNS,
                "best": _san(board, before["best"]),
                "agrees": None
                if before["best"] is None
                else before["best"] == play.positions["uci"][ply - 1],
                "clock": row["clock"],
                "spent": spent,
            }
        )
        board.push(find_move(board, said.san))
    return result


def _win(row: dict[str, Any]) -> float | None:
    """Return White's chance to win in a position; None: it is not known."""
    if row["over"] == "mate":
        return None
    if row["mate"] is not None:
        return 1.0 if row["mate"] > 0 else 0.0
    return None if row["cp"] is None else float(win_percent(row["cp"])) / 100


def _lost(before: dict[str, Any], after: dict[str, Any], *, white: bool) -> float:
    """Return how many percent of his chance to win the mover has lost."""
    was, now = _win(before), _win(after)
    return 0.0 if was is None or now is None else 100 * (was - now if white else now - was)


def _san(board: chess.Board, uci: str | None) -> str | None:
    if uci is None:
        return None
    try:
        return board.san(board.parse_uci(uci))
    except ValueError:
        return None


def plain_comment(comment: str) -> str:
    """Return a comment without its commands: they have columns of their own.

    Examples
    --------
    >>> plain_comment("[%clk 0:05:00] a  novelty")
    'a novelty'
    """
    return " ".join(re.sub(r"\[%[^\]]*\]", " ", comment).split())


def variations(kept: Movetext) -> dict[int, tuple[str, ...]]:
    """Return the variations of a game by the half-move in whose place they stand."""
    if len(kept.text) > LONGEST_TREE:
        return {}
    head = f'[SetUp "1"]\n[FEN "{kept.start}"]\n\n' if kept.start else ""
    game = chess.pgn.read_game(io.StringIO(f"{head}{kept.text}"))
    result: dict[int, tuple[str, ...]] = {}
    node: chess.pgn.GameNode | None = game
    while node is not None:
        board, ply = node.board(), node.ply() - (game.ply() if game else 0) + 1
        lines = []
        for other in node.variations[1:]:
            moves = [other.move, *(each.move for each in other.mainline())]
            lines.append(board.variation_san(moves))
        if lines:
            result[ply] = tuple(lines)
        node = node.next()
    return result


# Games looked for: by players, colour, result, event, opening, days, ratings; the last ones first.

SCANNED = 5000  # games whose first moves are looked at for an opening
BEGINNING = 600  # characters of moves in which an opening is found
Outcome = Literal["", "won", "drawn", "lost", "1-0", "1/2-1/2", "0-1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesWanted:
    """Search terms for games; None stands for any.

    `players`, `opponents`: Numbers, those of merged players too.
    """

    players: tuple[int, ...] | None = None
    opponents: tuple[int, ...] | None = None
    colour: Literal["", "white", "black"] = ""
    outcome: Outcome = ""  # from White's side, or from that of `players`
    events: tuple[int, ...] | None = None
    opening: str = ""
    first: date | None = None
    last: date | None = None
    least: float | None = None  # both ratings in the report are at least so high
    moves: bool = False  # only games whose moves are known


def found_games(
    connection: Connection, wanted: GamesWanted, *, before: int | None = None, most: int = 50
) -> tuple[list[dict[str, Any]], int | None]:
    """Return games, the last ones first, and the number from which on the next part goes; None: there is none.

    Each has names and numbers of today, ratings and result of the report, event, round, date, plies and opening.

    `before`: Only games with a smaller number.
    """
    g, e, m = tables.games.c, tables.events.c, tables.moves.c
    white, black = tables.players.alias("white"), tables.players.alias("black")
    query = (
        sa.select(
            g.id,
            *(
                g[name]
                for name in ("white_id", "white_rating", "black_id", "black_rating", "round", "date", "plies")
            ),
            *(g[name] for name in ("score", "black_score", "status", "event_id")),
            white.c.name.label("white"),
            black.c.name.label("black"),
            e.name.label("event"),
            sa.func.substr(m.text, 1, BEGINNING).label("text"),
            m.start,
        )
        .join_from(
            tables.games, tables.moves, g.id == m.game_id, isouter=not (wanted.moves or wanted.opening)
        )
        .join(tables.events, e.id == g.event_id)
        .join(white, white.c.id == g.white_id)
        .join(black, black.c.id == g.black_id)
        .where(*_fitting(wanted))
        .order_by(g.id.desc())
    )
    ends, found, words = merged_ends(connection), [], fold(wanted.opening).split()
    if before is not None:
        query = query.where(g.id < before)
    last = None
    for row in connection.execute(query.limit(SCANNED if words else most)):
        last = row.id
        name = None if row.text is None or row.start else opening_of_text(row.text)
        if words and (name is None or not _means(words, name)):
            continue
        sides = {side: ends.get(row._mapping[side], row._mapping[side]) for side in ("white_id", "black_id")}
        plain = {n: v for n, v in row._mapping.items() if n not in ("text", "start", "score", "black_score")}
        result = result_text(row.score, row.black_score, row.status)
        found.append({**plain, **sides, "result": result, "opening": " ".join(name) if name else None})
        if len(found) == most:
            return found, last
    return found, None


def _means(words: list[str], name: Opening) -> bool:
    """Say whether the words of a text are an opening's code or parts of its name."""
    known = fold(f"{name.code} {name.name}").split()
    return all(any(each.startswith(word) for each in known) for word in words)


def _fitting(wanted: GamesWanted) -> list[sa.ColumnElement[bool]]:
    g = tables.games.c
    sides: list[tuple[Any, Any, Any]] = [
        (g.white_id, g.black_id, g.score),
        (g.black_id, g.white_id, g.black_score),
    ]
    sides = {"white": sides[:1], "black": sides[1:]}.get(wanted.colour, sides)
    scores = {"won": 1.0, "drawn": 0.5, "lost": 0.0, "1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    own = wanted.outcome in ("won", "drawn", "lost")
    either = []
    if wanted.players is not None or wanted.opponents is not None:
        for mine, other, score in sides:
            fits = [mine.in_(wanted.players)] if wanted.players is not None else []
            fits += [other.in_(wanted.opponents)] if wanted.opponents is not None else []
            either.append(sa.and_(*fits, *([score == scores[wanted.outcome]] if own else [])))
    where: list[sa.ColumnElement[bool]] = [g.black_id.is_not(None)]
    where += [sa.or_(*either)] if either else []
    where += [g.score == scores[wanted.outcome]] if wanted.outcome and (not own or not either) else []
    where += [g.event_id.in_(wanted.events)] if wanted.events is not None else []
    where += [g.date >= wanted.first] if wanted.first else []
    where += [g.date <= wanted.last] if wanted.last else []
    if wanted.least is not None:
        where += [g.white_rating >= wanted.least, g.black_rating >= wanted.least]
    return where


def openings_played(connection: Connection, games: Sequence[CareerGame]) -> list[dict[str, Any]]:
    """Return the openings of games whose moves are known, by colour, the most frequent first.

    Each has `colour`, `opening` (without its variation), `games` and `score`.
    """
    m, known = tables.moves.c, {game.id: game for game in games if game.played}
    numbers = sorted(known)[-SCANNED:]
    tallies: dict[tuple[str, str], list[float]] = {}
    query = sa.select(m.game_id, sa.func.substr(m.text, 1, BEGINNING)).where(m.start.is_(None))
    for number, text in rows_in(connection, query, m.game_id, numbers):
        if (name := opening_of_text(text)) is not None:
            key = known[number].colour, name.family
            tallies.setdefault(key, []).append(known[number].score or 0.0)
    rows = [
        {"colour": colour, "opening": name, "games": len(scores), "score": sum(scores)}
        for (colour, name), scores in tallies.items()
    ]
    return sorted(rows, key=lambda row: (row["colour"] == "black", -row["games"], row["opening"]))


# How strong somebody's moves were, over all games with evaluations.

ANALYSED = 60  # games that are measured: the last ones


def move_strength(connection: Connection, games: Sequence[CareerGame]) -> dict[str, Any] | None:
    """Measure the moves of a player by the evaluations that came with his games; None: there are none.

    Returns the row of `GainReport.players`, with the number of games.
    """
    m, known = tables.moves.c, {game.id: game for game in games if game.played}
    numbers = sorted(known)
    with_eval = sa.select(m.game_id, m.start, m.text).where(m.text.contains("[%eval", autoescape=True))
    query = with_eval.order_by(m.game_id.desc()).limit(ANALYSED)
    rows = [*islice(rows_in(connection, query, m.game_id, numbers[::-1]), ANALYSED)]
    whites = [known[row.game_id].colour == "white" for row in rows]
    measured = _measured(rows, [("*", "-") if white else ("-", "*") for white in whites])
    return {**measured["*"], "games": len(rows)} if "*" in measured else None


def _measured(rows: Sequence[Any], names: list[tuple[str, str]]) -> dict[str, dict[str, Any]]:
    """Measure games by gain per move; return the row of each name."""
    if not rows:
        return {}
    texts = [Movetext(start=row.start, text=row.text) for row in rows]
    try:
        told = played_games(texts, names, [None] * len(rows))
        report = gain_report(measure(told), view="players", resampling=Resampling(draws=200))
    except ArpadError:
        return {}
    result = report.players.iter_rows(named=True)
    return {
        row["name"]: {n: None if isinstance(v, float) and not math.isfinite(v) else v for n, v in row.items()}
        for row in result
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedGame:
    """A game with evaluations; players are the persons of today, by number."""

    white_id: int
    black_id: int
    event_id: int
    date: date | None
    score: float | None
    start: str | None
    text: str

    def pgn(self) -> str:
        """Return it as PGN, with numbers for names."""
        tags = {
            "Event": str(self.event_id),
            "Date": pgn_day(self.date),
            "White": str(self.white_id),
            "Black": str(self.black_id),
        }
        return pgn_text(tags, Movetext(start=self.start, text=self.text), self.score)


def pgn_day(day: date | None) -> str:
    """Return a day as a PGN tag has it."""
    return "????.??.??" if day is None else f"{day:%Y.%m.%d}"


def pgn_text(tags: dict[str, str], moves: Movetext | None, score: float | None) -> str:
    """Return a game as PGN: tags, result, and the moves as they came.

    Examples
    --------
    >>> print(pgn_text({"White": "Li", "Black": "Bo"}, Movetext(start=None, text="1. e4"), 0.5))
    [White "Li"]
    [Black "Bo"]
    [Result "1/2-1/2"]
    <BLANKLINE>
    1. e4 1/2-1/2
    <BLANKLINE>
    """
    result = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}.get(-1.0 if score is None else score, "*")
    tags = {**tags, "Result": result}
    if moves is not None and moves.start:
        tags |= {"SetUp": "1", "FEN": moves.start}
    text = "" if moves is None else moves.text
    ended = text.split()[-1:] and text.split()[-1] in ENDINGS
    # A tag stands on one line, quotes escaped.
    plain = {n: " ".join(v.split()).replace("\\", "\\\\").replace('"', '\\"') for n, v in tags.items()}
    head = "".join(f'[{name} "{value}"]\n' for name, value in plain.items())
    return f"{head}\n{text}{'' if ended else f' {result}'}\n"


def analysed_games(connection: Connection, *, most: int) -> list[AnalysedGame]:
    """Return games with evaluations, the last ones first."""
    g, m = tables.games.c, tables.moves.c
    query = (
        sa.select(g.white_id, g.black_id, g.event_id, g.date, g.score, m.start, m.text)
        .join_from(tables.games, tables.moves, m.game_id == g.id)
        .where(g.black_id.is_not(None), m.text.contains("[%eval", autoescape=True))
        .order_by(g.id.desc())
        .limit(most)
    )
    ends = merged_ends(connection)
    rows = (dict(row._mapping) for row in connection.execute(query))
    return [
        AnalysedGame(**row | {side: ends.get(row[side], row[side]) for side in ("white_id", "black_id")})
        for row in rows
    ]


def moves_of_event(
    connection: Connection, event: int, *, most: int = 4 * ANALYSED
) -> tuple[int, list[tuple[int, dict[str, Any]]]] | None:
    """Measure everybody's moves in an event by the evaluations in its games; None: there are none.

    Returns how many games were measured, and by player of today the row of `GainReport.players`, the best first.
    """
    g, m = tables.games.c, tables.moves.c
    query = (
        sa.select(g.white_id, g.black_id, m.start, m.text)
        .join_from(tables.games, tables.moves, m.game_id == g.id)
        .where(g.event_id == event, g.black_id.is_not(None), m.text.contains("[%eval", autoescape=True))
    )
    rows = connection.execute(query.order_by(g.id).limit(most)).all()
    ends = merged_ends(connection)
    people = [(ends.get(row.white_id, row.white_id), ends.get(row.black_id, row.black_id)) for row in rows]
    p = tables.players.c
    known = sa.select(p.id, p.name).where(p.id.in_({number for pair in people for number in pair}))
    called = {row.id: row.name for row in connection.execute(known)}
    measured = _measured(rows, [(str(white), str(black)) for white, black in people])
    result = [(int(n), {**row, "name": called[int(n)]}) for n, row in measured.items() if n.isdecimal()]
    result.sort(key=lambda pair: -(pair[1].get("lichess_accuracy") or 0.0))
    return (len(rows), result) if result else None
