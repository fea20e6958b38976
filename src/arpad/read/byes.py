"""Byes: who recognises them, in every format, is this module."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import polars as pl

from arpad.model import STATUS, Games

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.read.source import Report


_ACCENTS = re.compile(r"[\u0300-\u036f]")


def _plain(text: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text).replace("ł", "l").casefold())


_BYE_TEXT = (
    "bye abye thebye byebye byeplayer nobody noone dummy unpaired notpaired pab hpb fpb zpb sitout sitsout oddmanout absent "
    "spielfrei spielfreierunde freispiel freilos freirunde freigegner frei rastet pausiert aussetzen setztaus abwesend kampflos "
    "exempt exempte exemptee repos aurepos forfait forfeit walkover exento exenta descansa descanso libre ausente riposo riposa "
    "turnodiriposo assente vrij vrijeronde oneven afwezig folga isento isenta pauza pausa wolny wolnylos pauzuje "
    "свободен свободна свободный отдых отдыхает выходной пропуск бай nn nnomen"
)
BYE_WORDS = frozenset(_plain(_BYE_TEXT).split())
"""What pairing programs and people write in the place of an opponent, without blanks, accents, dots and brackets."""
_BESIDE = frozenset(
    ["half", "full", "zero", "point", "pt", "round", "pairing", "allocated", "requested", "libre"]
)
"""What stands beside the word bye."""
_WITHOUT = frozenset(
    _plain("no without kein keine ohne sin sans pas senza nessun geen zonder sem brak bez без нет").split()
)
_OPPONENT = frozenset(
    _plain(
        "opponent partner player pair gegner gegnerin spieler adversaire dadversaire joueur rival oponente contrincante jugador "
        "avversario tegenstander adversario pary przeciwnika соперника противника пары"
    ).split()
)
_NOBODY_TEXT = "- -- --- – — * ? ?? ??? ... … none None NONE (none) null NULL (null) nil nan NaN n/a N/A n.a. N.A. #N/A #NV"
_NOBODY = ("", *_NOBODY_TEXT.split())
MIN_PLIES = 2
"""A game in which both players have made a move is rated [FIDE B.02 5.1]; a shorter one is not.

Where this many half-moves were made, somebody made them: NN is then a person without a name."""


def is_bye(name: str | None) -> bool:
    """Say whether a word in the place of a player's name means that there is no opponent.

    Examples
    --------
    >>> [is_bye(n) for n in ("BYE", "(bye)", "spielfrei", "N.N.", "half-point bye", "no opponent", "Bye, Thomas")]
    [True, True, True, True, True, True, False]
    """
    if name is None:
        return False
    parts = {tuple(re.findall(r"[^\W\d_]+", part)) for part in _plain(name).split(",")} - {()}
    if len(parts) != 1:  # a surname and a first name
        return False
    words = parts.pop()  # a number behind the word tells several of them apart
    if "".join(words) in BYE_WORDS:
        return True
    if words[0] in _WITHOUT:
        return "".join(words[1:]) in _OPPONENT
    known = [word for word in words if word not in _BESIDE]
    return bool(known) and all(word in BYE_WORDS for word in known)


def nameless(raw: pl.DataFrame, side: str) -> pl.Expr:
    """Say where nobody stands in the place of White or Black, or only a dash."""
    empty = pl.col(side).is_null() | pl.col(side).is_in(_NOBODY)
    return empty & pl.col(f"{side}_id").is_null() if f"{side}_id" in raw.columns else empty


def mark_byes(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    """Make byes of points against nobody; the player stands in the place of White."""
    if "score" not in raw.columns:
        return raw
    white, black = (nameless(raw, side) for side in ("white", "black"))
    theirs = 1 - pl.col("score")
    if "black_score" in raw.columns:
        theirs = pl.coalesce("black_score", theirs)
    still = pl.lit(True)
    if "plies" in raw.columns:
        still = pl.col("plies").fill_null(0) < MIN_PLIES
    given = still & (pl.col("status").is_null() if "status" in raw.columns else pl.lit(True))
    if "status" in raw.columns:  # a forfeit against nobody is a bye, too
        given |= still & pl.col("status").is_in(["forfeit", "bye"])
    said = pl.lit(False)
    if "status" in raw.columns:
        said = (pl.col("status") == "bye").fill_null(False)
    swap = (white & ~black & ((theirs > 0) | said) & given).fill_null(False)
    bye = swap | (black & ~white & ((pl.col("score") > 0) | said) & given).fill_null(False)
    marks = raw.select(bye.alias("bye"), swap.alias("swap"))
    if not marks["bye"].any():
        return raw
    for line in raw["line"].filter(marks["bye"]):
        report.add(file, line, "noted", "a point without an opponent: a bye")
    raw = raw.with_columns(marks["bye"].alias("_bye"), marks["swap"].alias("_swap"))
    pairs = [
        (c, f"black{c.removeprefix('white')}")
        for c in raw.columns
        if c.startswith("white") and f"black{c.removeprefix('white')}" in raw.columns
    ]
    swapped = [
        pl.when("_swap").then(other).otherwise(one).alias(one)
        for pair in pairs
        for one, other in (pair, pair[::-1])
    ]
    status = pl.col("status") if "status" in raw.columns else pl.lit(None, dtype=STATUS)
    rest = (
        [pl.when(~pl.col("_bye")).then("black_score").alias("black_score")]
        if "black_score" in raw.columns
        else []
    )
    raw = raw.with_columns(
        *swapped,
        *rest,
        pl.when("_swap").then(theirs).otherwise("score").alias("score"),
        pl.when("_bye").then(pl.lit("bye", dtype=STATUS)).otherwise(status).alias("status"),
    )
    return raw.with_columns(pl.when(~pl.col("_bye")).then("black").alias("black")).drop("_bye", "_swap")


def settle_byes(
    games: Games, file: str, report: Report, lines: pl.Series | Sequence[int | None]
) -> tuple[Games, pl.Series]:
    """Return the games with byes as byes, and which of the given rows are still in it.

    A pairing with a word for a bye is a bye of the other player; nobody is called so afterwards. A
    name with an id beside it, or one that made moves, is a person.

    Parameters
    ----------
    lines
        Where in the file each game stands, for the report.
    """
    table, players = games.table, games.players
    all_rows = pl.repeat(True, table.height, dtype=pl.Boolean, eager=True)
    named = players.with_row_index("row").filter(pl.col("id").is_null()).select("row", "name")
    rows = [row for row, name in named.iter_rows() if _short(name) and is_bye(name)]
    if not rows:
        return games, all_rows
    word = pl.Series([False] * players.height).scatter(rows, True)
    white, black = (word.gather(table[side]).fill_null(False) for side in ("white", "black"))
    moved = (table["plies"] >= MIN_PLIES).fill_null(False)
    said_bye = (white | black) & ~moved
    if not said_bye.any():
        return _without(games, word), all_rows
    lines = pl.Series("line", lines, dtype=pl.Int64)
    kept = ~(said_bye & white & (black | table["black"].is_null()))
    for line in lines.filter(~kept):
        report.add(file, line, "skipped", "a bye without a player")
    names = players["name"]
    for line, of, called in zip(
        lines.filter(said_bye & kept),
        names.gather(table["white"].zip_with(~white, table["black"])).filter(said_bye & kept),
        names.gather(table["white"].zip_with(white, table["black"])).filter(said_bye & kept),
        strict=True,
    ):
        report.add(file, line, "noted", f"a bye of {of}: {called!r} is no player")
    table = table.with_columns(said_bye.alias("bye"), (said_bye & white).alias("swap"))
    table = table.filter(kept)
    swap, bye = pl.col("swap"), pl.col("bye")
    theirs = pl.coalesce("black_score", 1 - pl.col("score"))
    unknown = pl.lit(None, dtype=pl.Float64)
    table = table.with_columns(
        pl.when(swap).then("black").otherwise("white").alias("white"),
        pl.when(~bye).then("black").alias("black"),
        pl.when(swap).then(theirs).otherwise("score").alias("score"),
        pl.when(bye).then(unknown).otherwise("black_score").alias("black_score"),
        pl.when(bye).then(pl.lit("bye", dtype=STATUS)).otherwise("status").alias("status"),
        pl.when(swap).then("black_rating").otherwise("white_rating").alias("white_rating"),
        pl.when(bye).then(unknown).otherwise("black_rating").alias("black_rating"),
    ).drop("bye", "swap")
    return _without(Games(table, players, games.events), word), kept


def _short(name: str | None) -> bool:
    """Say whether a name is short enough for a word: a cheap look before the careful one."""
    return name is not None and len(name) <= max(map(len, BYE_WORDS)) + 8


def _without(games: Games, words: pl.Series) -> Games:
    """Return the games without the players in `words` who are in no game any more."""
    playing = pl.concat([games.table["white"], games.table["black"]]).drop_nulls().unique()
    stays = ~words | pl.int_range(len(words), eager=True).is_in(playing.implode())
    row_of = stays.cast(pl.Int32).cum_sum() - 1
    place = [row if stay else None for row, stay in zip(row_of, stays, strict=True)]
    table = games.table.with_columns(
        row_of.gather(games.table[side]).cast(pl.Int32).alias(side) for side in ("white", "black")
    )
    moved = dict(enumerate(place))
    events = tuple(event.moved(moved) for event in games.events)
    return Games(table, games.players.filter(stays), events)
