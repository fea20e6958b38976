"""The next round of a Swiss, paired by py4swiss: FIDE's Dutch, Dubov or Burstein system.

The engine is not ours: it reads the event as a tournament report file (TRF16), as every such program does.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from arpad.errors import ArpadError, UsageError
from arpad.event.tiebreaks import board_order, event_field
from arpad.model import GAME_SCHEMA, Event, Games
from arpad.publish.export.trf import starting_numbers, trf_text

if TYPE_CHECKING:
    from collections.abc import Sequence


PairingSystem = Literal["dutch", "dubov", "burstein"]
"""Dutch by FIDE's rules until 2026, the others by those of 2026; py4swiss calls its Dutch engine identical to
bbpPairings, the other two not mature."""


def pair_next_round(games: Games, *, system: PairingSystem = "dutch") -> tuple[Games, int]:
    """Return the event with its next round paired, results open, and the number of that round.

    Byes that the file has for that round stand; who is left over has the pairing-allocated bye.
    """
    if system not in get_args(PairingSystem):
        raise UsageError(f"expected a pairing system, {', '.join(get_args(PairingSystem))}; found {system!r}")
    number = 1 + event_field(games).rounds
    planned = games.events[0].rounds if games.events else None
    if planned is not None and number > planned:
        raise UsageError(f"expected an event with rounds to come, found all {planned} played")
    if (games.table["status"] == "unplayed").any():
        raise UsageError("expected a result for every game before the next round is paired, found open games")
    row = {n: at for at, n in enumerate(starting_numbers(games))}
    pairs = [(row[w], row[b] if b else None) for w, b in _engine(_so_far(games, number), system)]
    open_games = [(w, b, None if b is not None else 1.0, number) for w, b in pairs]
    paired = _with_table(games, pl.concat([games.table, _pairings(open_games)], how="diagonal"))
    boards = board_order(paired, number)
    others = [row for row in range(paired.table.height) if row not in boards]
    return _with_table(paired, paired.table[others + boards]), number


RESULTS = {
    "1": (1.0, 0.0, "played"),
    "0": (0.0, 1.0, "played"),
    "=": (0.5, 0.5, "played"),
    "+": (1.0, 0.0, "forfeit"),
    "-": (0.0, 1.0, "forfeit"),
    "x": (0.0, 0.0, "forfeit"),
}
"""Results from White's side; +, - and x are games that White won, Black won and both lost by forfeit."""


def enter_results(games: Games, results: str) -> Games:
    """Return the event with results for its open games, board by board.

    Parameters
    ----------
    results
        A mark for every open game of the last paired round, in the order of the boards: 1, 0 and = from
        White's side, + and - for a game that White or Black won by forfeit, x where neither came.
    """
    unplayed = games.table["status"] == "unplayed"
    at = games.table["round"].str.extract(r"^(\d{1,6})").cast(pl.Int64)
    open_in = at.filter(unplayed).drop_nulls().to_list()
    if not open_in:
        raise UsageError("expected open games to enter results for, found none")
    number = max(open_in)
    rows = [row for row in board_order(games, number) if unplayed[row]]
    marks = [c for c in results.lower().replace("½", "=") if c not in " ,;\t\n"]
    if len(marks) != len(rows) or any(m not in RESULTS for m in marks):
        raise UsageError(
            f"expected {len(rows)} results of round {number}, each one of {' '.join(RESULTS)}; found {results!r}"
        )
    entered = dict(zip(rows, marks, strict=True))
    columns = {c: games.table[c].to_list() for c in ("score", "black_score", "status")}
    for row, mark in entered.items():
        for column, value in zip(columns.values(), RESULTS[mark], strict=True):
            column[row] = value
    new = [pl.Series(c, v, dtype=GAME_SCHEMA[c]) for c, v in columns.items()]
    return _with_table(games, games.table.with_columns(new))


def _with_table(games: Games, table: pl.DataFrame) -> Games:
    return Games(table.select(GAME_SCHEMA.names()), games.players, games.events)


def _pairings(rows: Sequence[tuple[int, int | None, float | None, int]]) -> pl.DataFrame:
    """Return rows of games to come, or byes: White, Black, the points of a bye, the round."""
    columns = ("white", "black", "score", "round")
    kinds = {c: GAME_SCHEMA[c] for c in ("white", "black", "score")} | {"round": pl.Int64}
    bye = pl.when(pl.col("black").is_null()).then(pl.lit("bye")).otherwise(pl.lit("unplayed"))
    return pl.DataFrame(rows, schema={c: kinds[c] for c in columns}, orient="row").with_columns(
        pl.col("round").cast(pl.String),
        status=bye.cast(GAME_SCHEMA["status"]),
        event=pl.lit(0, dtype=GAME_SCHEMA["event"]),
    )


def _so_far(games: Games, number: int) -> Games:
    """Return the event as an engine wants it before a round.

    It wants the number of rounds, an absence (Z) in every earlier round that a line says nothing of, nothing of
    later rounds, and who has a bye in this round as absent (XXZ).
    """
    at = games.table["round"].str.extract(r"^(\d{1,6})").cast(pl.Int64)
    there = {(p, r) for side in ("white", "black") for p, r in zip(games.table[side], at, strict=True)}
    people, numbers = range(games.players.height), starting_numbers(games)
    absent = [(p, None, 0.0, r) for r in range(1, number) for p in people if (p, r) not in there]
    table = pl.concat([games.table.filter(at < number), _pairings(absent)], how="diagonal")
    event = games.events[0] if games.events else Event(name="Event")
    away = [line for line in event.extra if line.startswith("XXZ")]
    free = [str(n) for line in away for n in line.split()[1:]]
    free += [str(numbers[p]) for p in people if (p, number) in there]
    event = replace(
        event,
        rounds=max(event.rounds or 0, number),
        ranks=(),
        numbers=tuple(enumerate(numbers)),
        extra=(
            *(line for line in event.extra if line not in away),
            *([f"XXZ {' '.join(free)}"] if free else []),
        ),
    )
    return Games(table.select(GAME_SCHEMA.names()), games.players, (event,))


def _engine(games: Games, system: PairingSystem) -> Sequence[tuple[int, int]]:
    try:
        from py4swiss import engines
        from py4swiss.engines.common import PairingError
        from py4swiss.trf import TrfParser, exceptions
    except ImportError:
        raise ArpadError("pairing needs py4swiss: pip install 'arpad[pairing]'") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.trf"
        path.write_text(trf_text(games, "trf16")[0], encoding="utf-8")
        chosen = {
            "dutch": engines.DutchEngine,
            "dubov": engines.DubovEngine,
            "burstein": engines.BursteinEngine,
        }
        unfit = (exceptions.LineError, exceptions.ParsingError, exceptions.ConsistencyError)
        try:
            result = chosen[system].generate_pairings(TrfParser.parse(path))
        except (PairingError, ValueError, *unfit) as error:
            raise ArpadError(f"py4swiss finds no pairing for the next round: {error}") from None
    return [(p.white, p.black) for p in result]
