"""Files of games to decisions with everything beside them: what `arpad ipr` and its verbs start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    from arpad.cli.ipr_choices import Answered
    from arpad.model import Games
    from arpad.moves.analysis import Workers
    from arpad.moves.average_error import Filters
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.settings import EngineSettings

__all__ = ["AskedGames", "asked_games"]

SHOWN = 3
"""Games left out that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedGames:
    """Games, the decisions in them, and the engine's value of their positions."""

    games: Games
    answered: Answered
    evaluated: EvaluatedGames
    """The games with the engine's values from the first turn that counts, for gain and accuracy."""
    forfeits: tuple[str, ...]
    """Games decided without play, in words; nothing in them counts."""

    def notes(self) -> list[str]:
        """Say which games and positions were left out."""
        said = []
        if self.forfeits:
            shown = "; ".join(self.forfeits[:SHOWN])
            more = len(self.forfeits) - SHOWN
            many = "game" if len(self.forfeits) == 1 else "games"
            tail = f" and {more} more" if more > 0 else ""
            said.append(f"{len(self.forfeits)} {many} decided without play left out: {shown}{tail}")
        if self.answered.failed:
            said.append(f"{self.answered.failed:,} positions failed and are left out")
        return said


def asked_games(
    files: list[str],
    settings: EngineSettings,
    *,
    workers: Workers,
    filters: Filters,
    store: str | None,
    strict: bool = False,
) -> AskedGames:
    """Read games and let the engine evaluate what is not known yet."""
    from arpad.cli.exporting import words_of
    from arpad.cli.ipr_choices import answered
    from arpad.cli.output import explain_report
    from arpad.moves.evaluated import from_positions, read_evaluated
    from arpad.moves.intrinsic.decisions import with_players
    from arpad.moves.positions import positions
    from arpad.publish.atomic import keep

    keep((f for f in files if f != "-"), "this file was read")
    games = read_evaluated(files, strict=strict)
    places = positions(games)
    explain_report(games.report)
    table = games.games.table
    without = table.with_row_index("game").filter(pl.col("status") == "forfeit")["game"]
    played = places.filter(~pl.col("game").is_in(without.cast(pl.Int32).to_list()))
    if not played["uci"].count():
        raise InputError("expected games with moves, found none", file=", ".join(files))
    found = answered(
        with_players(played, games.games), settings,
        workers=workers, filters=filters, store=store, whole=True,
    )  # fmt: skip
    return AskedGames(
        games=games.games,
        answered=found,
        evaluated=from_positions(places, found.lines, games, source=words_of(found.engine)),
        forfeits=tuple(_title(games.games, int(g)) for g in without),
    )


def _title(games: Games, game: int) -> str:
    names, row = games.players["name"], games.table.row(game, named=True)
    where = f", round {row['round']}" if row["round"] else ""
    black = "?" if row["black"] is None else names[row["black"]]
    return f"{names[row['white']]} – {black}{where}"
