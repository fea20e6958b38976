"""Games with an evaluation of their positions: what every measure of moves starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Games, filled, schema
from arpad.read.formats import guess
from arpad.read.pgn.games import MARKS, TURN, black_begins
from arpad.read.reading import read_moves
from arpad.read.source import STDIN, Report, Source
from arpad.read.table import games_and_lines, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arpad.read.fields import Selection

MATE = 3900
"""Centipawns that stand for a forced mate, and the largest value that counts [gain per move]."""
EVALUATED = schema(
    {
        "game": pl.Int32,  # row of `games.table`
        "ply": pl.Int32,  # 0: the starting position
        "turn": TURN,  # who is to move in this position
        "san": pl.String,  # the move that led here; null at ply 0
        **MARKS,
    }
)
STARTS = schema(
    {
        "file": pl.String,  # where the game stands
        "line": pl.Int64,
        "fen": pl.String,  # null: the usual starting position
        "variant": pl.String,  # as the PGN tag says it
    }
)
_LINE = schema(
    {
        "epd": pl.String,
        "line": pl.Int16,
        "move": pl.String,
        "cp": pl.Int32,
        "mate": pl.Int32,
        "depth": pl.Int32,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedGames:
    """The positions of some games, with evaluations where they are known.

    `table` has a row a position, games one after the other, plies from 0 without a gap; its columns are
    those of `EVALUATED`. `cp` and `mate` are from White's side, and a position has at most one of them.
    A mate that is on the board has `mate` 0 and `over` "mate": 0 has no sign, but who is to move
    (`turn`) has lost. `over` is known only where boards were made.
    """

    games: Games
    table: pl.DataFrame
    source: str
    """Origin of the evaluations: "PGN comments", or the engine and its settings in words."""
    starts: pl.DataFrame
    """A row a game: where it stands in which file, and the position it starts from."""
    report: Report = field(default_factory=Report)

    @classmethod
    def build(
        cls,
        games: Games,
        table: Mapping[str, Any] | pl.DataFrame,
        *,
        source: str = "PGN comments",
        starts: Mapping[str, Any] | pl.DataFrame | None = None,
        report: Report | None = None,
    ) -> EvaluatedGames:
        """Return evaluated games, after a look whether the columns can be meant so.

        Columns that are left out are filled with nulls; `turn` from the parity of `ply`.

        Examples
        --------
        >>> from arpad.model import Games
        >>> games = Games.build([("Byrne", "Fischer", 0.0)])
        >>> rows = {"game": [0, 0], "ply": [0, 1], "san": [None, "Nf3"], "cp": [13, 13]}
        >>> EvaluatedGames.build(games, rows).table["turn"].to_list()
        ['w', 'b']
        """
        rows = filled({c: table[c] for c in _names(table)}, EVALUATED)
        given = {} if starts is None else {c: starts[c] for c in _names(starts)}
        known = filled(given, STARTS) if given else _nothing(len(games))
        begun = black_begins(known["fen"]).cast(pl.Int32)
        begins = begun.gather(rows["game"].clip(0, known.height - 1)) if known.height else 0
        even = pl.when((pl.col("ply") + begins) % 2 == 0).then(pl.lit("w")).otherwise(pl.lit("b"))
        rows = rows.with_columns(pl.coalesce("turn", even.cast(TURN)).alias("turn"))
        _check(rows, len(games), known.height)
        return cls(
            games=games,
            table=rows,
            source=source,
            starts=known,
            report=Report() if report is None else report,
        )

    def values(self, mate: int = MATE) -> pl.Series:
        """Return centipawns from White's side: mates are ±`mate`, everything is clipped to that.

        Mate on the board counts against the side to move; a game that the rules have drawn is 0. Null
        where nothing is known.

        Examples
        --------
        >>> from arpad.model import Games
        >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "cp": [13, None, None], "mate": [None, -2, 0]}
        >>> EvaluatedGames.build(Games.build([("A", "B", 0.0)]), rows).values().to_list()
        [13, -3900, -3900]
        """
        against = pl.when(pl.col("turn") == "w").then(-mate).otherwise(mate)
        value = (
            pl.when((pl.col("over") == "mate") | (pl.col("mate") == 0))
            .then(against)
            .when(pl.col("over").is_not_null())
            .then(0)
            .otherwise(pl.coalesce(pl.col("mate").sign() * mate, pl.col("cp").clip(-mate, mate)))
        )
        return self.table.select(value.cast(pl.Int32).alias("value")).to_series()

    def coverage(self) -> tuple[int, int]:
        """Return how many positions have an evaluation, and how many there are."""
        known = self.values()
        return len(known) - known.null_count(), len(known)

    def summary(self) -> str:
        """Return one sentence on what is evaluated and by whom."""
        known, all_ = self.coverage()
        games = self.table["game"].n_unique()
        return f"{games:,} game{'' if games == 1 else 's'}, {known:,} of {all_:,} positions evaluated ({self.source})"


GamesWithValues = EvaluatedGames | str | Path | Sequence[str | Path]
"""Games with evaluations: read before, or the names of their files."""


def evaluated_from(games: GamesWithValues) -> EvaluatedGames:
    """Return games with evaluations from files, or games that were read before."""
    return games if isinstance(games, EvaluatedGames) else read_evaluated(games)


def read_evaluated(
    files: str | Path | Sequence[str | Path], *, strict: bool = False, selection: Selection | None = None
) -> EvaluatedGames:
    """Read games with the evaluations and clocks in their comments.

    A comment before the first move is about the starting position. Games without any evaluation
    are there, too: their columns are null.

    Parameters
    ----------
    files
        PGN files, or ``-`` for standard input; or one table (CSV, Parquet) that `write_evaluations` wrote.
    """
    names = [str(files)] if isinstance(files, str | Path) else [str(f) for f in files]
    if len(names) == 1 and names[0] != STDIN:
        source = Source(names[0], Report(strict=strict))
        if guess(source.peek(), names[0]) in ("csv", "parquet"):
            return unflat(table_of(source), names[0], source.report)
    moves = read_moves(names, strict=strict, selection=selection)
    return EvaluatedGames.build(moves.games, moves.plies, starts=moves.starts, report=moves.report)


def from_positions(
    positions: pl.DataFrame,
    evaluations: pl.DataFrame,
    games: EvaluatedGames,
    *,
    source: str,
    own: bool = False,
) -> EvaluatedGames:
    """Return the games with what an engine says of their positions.

    Where the game is over, the rule decides, not the engine: mate on the board is `mate` 0 (who is to
    move has lost), a draw by stalemate or insufficient material is `cp` 0. Moves and clocks stay.

    Parameters
    ----------
    positions
        What `positions.positions` returned for these games.
    evaluations
        A row a line, as the store of evaluations has them: `epd`, `line`, `move`, `cp`, `mate`, `depth`. The
        first line counts. Positions that are not among them have no evaluation.
    own
        Keep the evaluations that the file itself has; the engine's fill the gaps.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.positions import positions
    >>> rows = {"game": [0, 0], "ply": [0, 1], "san": [None, "e4"], "cp": [13, None]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 1.0)]), rows)
    >>> places = positions(games)
    >>> said = pl.DataFrame({"epd": places["epd"], "line": 1, "move": ["d2d4", "e7e5"], "cp": [30, 25]})
    >>> from_positions(places, said, games, source="an engine").table["cp"].to_list()
    [30, 25]
    """
    first = filled({c: evaluations[c] for c in _LINE if c in evaluations.columns}, _LINE)
    whole = evaluations.get_column("searchmoves", default=None)
    first = first.filter((first["line"] == 1) & (True if whole is None else whole.eq_missing("")))
    first = first.select("epd", "cp", "mate", "depth", best="move").unique("epd", keep="last")
    said = positions.join(first, on="epd", how="left", maintain_order="left")
    told = said.join(games.table, on=["game", "ply"], how="left", suffix="_told", maintain_order="left")
    over, known = pl.col("over"), pl.any_horizontal(pl.col("cp_told", "mate_told").is_not_null())
    by_file = known & over.is_null() & pl.lit(own)
    drawn = over.is_not_null() & (over != "mate")
    table = told.select(
        "game",
        "ply",
        "turn",
        "san",
        pl.when(over == "mate")
        .then(None)
        .when(drawn)
        .then(0)
        .when(by_file)
        .then("cp_told")
        .otherwise("cp")
        .alias("cp"),
        pl.when(over == "mate")
        .then(0)
        .when(drawn)
        .then(None)
        .when(by_file)
        .then("mate_told")
        .otherwise("mate")
        .alias("mate"),
        *(
            pl.when(over.is_null()).then(pl.when(by_file).then(f"{c}_told").otherwise(c)).alias(c)
            for c in ("depth", "best")
        ),
        "clock",
        "spent",
        "over",
    )
    return EvaluatedGames.build(games.games, table, source=source, starts=games.starts, report=games.report)


def _names(table: Mapping[str, Any] | pl.DataFrame) -> list[str]:
    return table.columns if isinstance(table, pl.DataFrame) else list(table)


def _nothing(games: int) -> pl.DataFrame:
    return pl.DataFrame({name: [None] * games for name in STARTS}, schema=STARTS)


def _check(rows: pl.DataFrame, games: int, starts: int) -> None:
    if starts != games:
        raise UsageError(f"expected a starting position for each of {games} games, found {starts}")
    ply, game = pl.col("ply"), pl.col("game")
    follows = (game == game.shift()) & (ply == ply.shift() + 1)
    begins = (ply == 0) & game.ne_missing(game.shift()) & ~(game < game.shift()).fill_null(False)
    faults = {
        f"expected rows of {games} games in `game`": ~game.is_between(0, games - 1),
        "expected plies 0, 1, 2, … of one game after the other": ~(follows | begins),
        "expected `cp` or `mate`, found both": pl.col("cp").is_not_null() & pl.col("mate").is_not_null(),
        "expected `san` behind ply 0 only": (ply == 0) & pl.col("san").is_not_null(),
    }
    for words, bad in faults.items():
        wrong = rows.with_row_index("row").filter(bad.fill_null(True))
        if wrong.height:
            first = wrong.row(0, named=True)
            raise UsageError(f"{words}: row {first['row']} has game {first['game']}, ply {first['ply']}")


# Evaluated games as one flat table, a row a position, and back: what CSV and Parquet hold.

_POSITION = [c for c in EVALUATED if c != "game"]
_START = ["fen", "variant"]


def flat(evaluated: EvaluatedGames) -> pl.DataFrame:
    """Return every position with what is known of its game: names, ratings, event, result.

    Examples
    --------
    >>> from arpad.model import Games
    >>> rows = {"game": [0, 0], "ply": [0, 1], "san": [None, "e4"], "cp": [13, 20]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 1.0)]), rows)
    >>> flat(games).select("game", "white", "black", "score", "ply", "san", "cp").row(1)
    (0, 'A', 'B', 1.0, 1, 'e4', 20)
    """
    games = evaluated.games.frame()
    known = games.select(c for c in games.columns if not games[c].is_null().all())
    starts = evaluated.starts.select(c for c in _START if evaluated.starts[c].count())
    of_game = pl.concat([known, starts], how="horizontal").with_row_index("game")
    return (
        evaluated.table.with_columns(pl.lit(evaluated.source).alias("source"))
        .join(
            of_game.with_columns(pl.col("game").cast(pl.Int32)), on="game", how="left", maintain_order="left"
        )
        .select("game", *known.columns, *starts.columns, *_POSITION, "source")
    )


def unflat(frame: pl.DataFrame, file: str, report: Report) -> EvaluatedGames:
    """Return the games of a flat table; text is turned into numbers where it has to be."""
    missing = [c for c in ("game", "ply", "white", "black", "san") if c not in frame.columns]
    if missing:
        raise InputError(
            f"expected a table of positions as arpad writes it, found no column {', '.join(missing)}",
            file=file,
        )
    try:
        rows = frame.select(pl.col(c).cast(kind) for c, kind in EVALUATED.items() if c in frame.columns)
    except pl.exceptions.PolarsError as error:
        why = str(error).splitlines()[0]
        raise InputError(f"expected positions as arpad writes them: {why}", file=file) from None
    first = rows["game"].is_first_distinct()
    of_game = frame.filter(first)
    known = of_game.drop([*_POSITION, *_START, "game", "source"], strict=False)
    games, lines = games_and_lines(known, file, report)
    starts = of_game.with_columns(
        pl.lit(file).alias("file"),
        pl.lit(None, dtype=pl.Int64).alias("line"),
        *(pl.lit(None).alias(c) for c in _START if c not in frame.columns),
    ).select(pl.col(c).cast(kind) for c, kind in STARTS.items())
    numbers = pl.DataFrame(
        {
            "game": of_game.select(pl.col("game").cast(pl.Int32)).to_series().gather(lines - 1),
            "row": pl.int_range(len(lines), dtype=pl.Int32, eager=True),
        }
    )
    rows = rows.join(numbers, on="game", maintain_order="left").with_columns(pl.col("row").alias("game"))
    said = frame["source"][0] if "source" in frame.columns and frame.height else None
    return EvaluatedGames.build(
        games, rows.drop("row"), source=said or f"the table {file}", starts=starts[lines - 1], report=report
    )


# Players of one name, told apart: tables of moves speak of people by name.


def told_apart(games: Games) -> Games:
    """Return the games with namesakes' ids behind their names; who has none gets a number.

    Examples
    --------
    >>> people = {"name": ["Smith, J", "Smith, J", "Brown, K"], "id": ["101", None, "103"]}
    >>> games = Games.assemble({"white": [0, 1], "black": [1, 2], "score": [1.0, 0.5]}, people)
    >>> told_apart(games).players["name"].to_list()
    ['Smith, J (101)', 'Smith, J (2)', 'Brown, K']
    """
    again = games.players["name"].is_duplicated() & games.players["name"].is_not_null()
    if not again.any():
        return games
    number = (pl.int_range(pl.len()).over("name") + 1).cast(pl.String)
    told = pl.format("{} ({})", "name", pl.coalesce(pl.col("id"), number))
    players = games.players.with_columns(pl.when(again).then(told).otherwise("name").alias("name"))
    return Games(games.table, players, games.events)


def game_title(games: Games, game: int) -> str:
    """Return who played whom, with the round where it is known."""
    names, row = games.players["name"], games.table.row(game, named=True)
    white, black = (names[row[s]] if row[s] is not None else "?" for s in ("white", "black"))
    return f"{white} – {black}" + (f", round {row['round']}" if row["round"] else "")
