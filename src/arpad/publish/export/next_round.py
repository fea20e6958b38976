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
from arpad.event.tiebreaks import event_field
from arpad.model import GAME_SCHEMA, Games
from arpad.publish.export.trf import trf_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PairingSystem", "pair_next_round"]

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
    pairs = [(w - 1, b - 1 if b else None) for w, b in _engine(_with_rounds(games, number), system)]
    points = {p: e.points for p, e in event_field(games).entrants.items()}

    def board(pair: tuple[int, int | None]) -> tuple[bool, float, float, int]:
        own = sorted((points.get(p, 0.0) for p in pair if p is not None), reverse=True)
        return (pair[1] is None, -own[0], -sum(own), min(p for p in pair if p is not None))

    pairs.sort(key=board)
    rows = pl.DataFrame(
        {
            "white": [w for w, _ in pairs],
            "black": [b for _, b in pairs],
            "score": [1.0 if b is None else None for _, b in pairs],
            "status": ["bye" if b is None else "unplayed" for _, b in pairs],
            "event": [0] * len(pairs),
            "round": [str(number)] * len(pairs),
        },
        schema_overrides={c: GAME_SCHEMA[c] for c in ("white", "black", "score", "status", "event")},
    )
    table = pl.concat([games.table, rows], how="diagonal").select(GAME_SCHEMA.names())
    return Games(table, games.players, games.events), number


def _with_rounds(games: Games, number: int) -> Games:
    """Return the event with its number of rounds, which the engines ask for; at least the one to be paired."""
    events = tuple(replace(e, rounds=max(e.rounds or 0, number), ranks=()) for e in games.events)
    return Games(games.table, games.players, events)


def _engine(games: Games, system: PairingSystem) -> Sequence[tuple[int, int]]:
    try:
        from py4swiss import engines
        from py4swiss.engines.common import PairingError
        from py4swiss.trf import TrfParser
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
        try:
            found = chosen[system].generate_pairings(TrfParser.parse(path))
        except (PairingError, ValueError) as error:
            raise ArpadError(f"py4swiss finds no pairing for the next round: {error}") from None
    return [(p.white, p.black) for p in found]
