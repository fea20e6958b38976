"""Results as people write them (``1-0``, ``½``, ``remis``, ``1-0 ff``, ``W``, ``+``), and words for byes."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from arpad.model import STATUS, Games
from arpad.read.headings import WORDS, plain_words, side_of
from arpad.read.text_table import looked_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.read.source import Report


_ACCENTS = re.compile(r"[\u0300-\u036f]")


def _bare(text: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text).replace("ł", "l").casefold())


_BYES = {name: frozenset(_bare(words).split()) for name, words in WORDS["byes"].items()}
BYE_WORDS = _BYES["words"]
"""What pairing programs and people write in the place of an opponent, without blanks, accents, dots and brackets."""
_NOBODY = ("", *WORDS["byes"]["nobody"].split())
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
    parts = {tuple(re.findall(r"[^\W\d_]+", part)) for part in _bare(name).split(",")} - {()}
    if len(parts) != 1:  # a surname and a first name
        return False
    words = parts.pop()  # a number behind the word tells several of them apart
    if "".join(words) in BYE_WORDS:
        return True
    if words[0] in _BYES["without"]:
        return "".join(words[1:]) in _BYES["opponent"]
    known = [word for word in words if word not in _BYES["beside"]]
    return bool(known) and all(word in BYE_WORDS for word in known)


def nameless(raw: pl.DataFrame, side: str) -> pl.Expr:
    """Say where nobody stands in the place of White or Black, or only a dash."""
    empty = pl.col(side).is_null() | pl.col(side).is_in(_NOBODY)
    return empty & pl.col(f"{side}_id").is_null() if f"{side}_id" in raw.columns else empty


NO_OPPONENT = "(no opponent)"
"""Name of an opponent who is not there, until `settle_byes` makes a bye of it."""


def name_byes(raw: pl.DataFrame) -> pl.DataFrame:
    """Give a name to the opponent in points against nobody, so that `settle_byes` makes byes of them."""
    if "score" not in raw.columns:
        return raw
    white, black = (nameless(raw, side) for side in ("white", "black"))
    status = pl.col("status") if "status" in raw.columns else pl.lit(None, dtype=STATUS)
    ours, theirs = pl.col("score"), 1 - pl.col("score")
    if "black_score" in raw.columns:
        theirs = pl.coalesce("black_score", theirs)
    said = (status == "bye").fill_null(False)
    bye = (white & ~black & ((theirs > 0) | said)) | (black & ~white & ((ours > 0) | said))
    bye &= status.is_null() | status.is_in(["forfeit", "bye"])  # a forfeit against nobody is a bye, too
    if "plies" in raw.columns:
        bye &= pl.col("plies").fill_null(0) < MIN_PLIES
    marked = raw.select(bye.fill_null(False)).to_series()
    if not marked.any():
        return raw
    return raw.with_columns(
        pl.when(marked & white).then(pl.lit(NO_OPPONENT)).otherwise("white").alias("white"),
        pl.when(marked & black).then(pl.lit(NO_OPPONENT)).otherwise("black").alias("black"),
        pl.when(marked).then(pl.lit("bye", dtype=STATUS)).otherwise(status).alias("status"),
    )


def settle_byes(
    games: Games, file: str, report: Report, lines: pl.Series | Sequence[int | None]
) -> tuple[Games, pl.Series]:
    """Return the games with byes as byes, and which of the given rows are still in it.

    A pairing with a word for a bye is a bye of the other player; nobody is called so afterwards. A
    name with an id beside it, or one that made moves, is a person.

    `lines`: Where in the file each game stands, for the report.
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
    report.each(file, "skipped", lines.filter(~kept), "a bye without a player")
    names = players["name"]
    of, called = (
        names.gather(one.zip_with(white, other)).filter(said_bye & kept)
        for one, other in ((table["black"], table["white"]), (table["white"], table["black"]))
    )
    whys = (
        "a point without an opponent: a bye"
        if word == NO_OPPONENT
        else f"a bye of {player}: {word!r} is no player"
        for player, word in zip(of, called, strict=True)
    )
    report.each(file, "noted", lines.filter(said_bye & kept), whys)
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


class Outcome(NamedTuple):
    """White's score, Black's (None: the rest of the point) and the status (None: to be judged)."""

    score: float | None
    black: float | None = None
    status: str | None = None


_WIN, _DRAW, _LOSS = Outcome(1.0), Outcome(0.5), Outcome(0.0)
_UNPLAYED = Outcome(None, None, "unplayed")
_OUTCOMES = {
    "unplayed": _UNPLAYED,
    "draw": _DRAW,
    "win": _WIN,
    "loss": _LOSS,
    "win_by_forfeit": Outcome(1.0, None, "forfeit"),
    "loss_by_forfeit": Outcome(0.0, None, "forfeit"),
    "loss_of_both": Outcome(0.0, 0.0, "forfeit"),
}
_WORDS = {word: outcome for name, outcome in _OUTCOMES.items() for word in WORDS["results"][name].split()}
_WORDS[""] = _UNPLAYED
_LETTERS = [
    (
        frozenset(languages.split()),
        dict.fromkeys(won, 1.0) | dict.fromkeys(drawn.split(), 0.5) | dict.fromkeys(lost, 0.0),
    )
    for languages, won, drawn, lost in WORDS["letters"]
]
"""Initials of won, drawn and lost. The same letter is a win here and a loss there: the column decides."""
_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_NUMBER = r"(?:1/2|\d*[.,]?\d+|\d+[.,])"
_FORFEIT = (
    r"(?:(?:by|par|per|por|durch)?(?:forfeit|forfait|forf|kampflos|walkover|walkower|default|def|w[./]?o|no-?show|incomparecencia"
    r"|reglementair|reglem|неявка)|k\.?l|ff|f|k|x|r|ф)"
)
_PAIR = re.compile(rf"({_NUMBER})?(f|k)?[-:x_]({_NUMBER})?(f|k)?")
_MARKED = re.compile(rf"(.+?)[(\[/]?{_FORFEIT}\.?[)\]]?")
_TWO_NUMBERS = re.compile(r"^\s*(1/2|[01](?:[.,][05])?)\s+(1/2|[01](?:[.,][05])?)\s*$")
_WHOLE = re.compile(rf"(?!0\d){_NUMBER}")
"""One number; ``01`` is none, it was 0-1."""
_BYE = re.compile(rf"(half|\+|[01]-[01]|{_NUMBER})?[-(]?([^\W\d]+)[-(]?({_NUMBER})?[)]?")
_WIN_VERBS = frozenset(plain_words(WORDS["results"]["verbs"]))
_DATE_OF_A_DRAW = re.compile(
    r"0?1[.-]?(?:feb\w*|fév\w*|févr?)\.?|0?2[.-]?(?:jan|ene|gen|jän)\w*\.?"
    r"|(?:feb\w*|fév\w*)[.-]?0?1|(?:jan|ene|gen|jän)\w*[.-]?0?2|\d{4}-(?:01-02|02-01)"
)
"""A spreadsheet makes the 1st of February, or the 2nd of January, of ½ typed as 1/2."""


def read_results(
    column: pl.Series, languages: Sequence[str] = (), words: pl.Series | None = None
) -> pl.DataFrame:
    """Return `score`, `black_score`, `status` and `unread` (not understood) of a column of text.

    Parameters
    ----------
    languages
        Those in which the heading of the column is written, where a letter could mean two things.
    words
        All results of the file, where the column is a piece of it.

    Examples
    --------
    >>> read_results(pl.Series(["1-0", "F-1", "0,5:0,5", "9-0"])).rows()
    [(1.0, None, None, False), (0.0, None, 'forfeit', False), (0.5, None, None, False), (None, None, None, True)]
    """
    words = (column if words is None else words).unique(maintain_order=True)
    plain = [_plain(word) for word in words]
    letters = letter_results({p for p in plain if len(p) == 1 and p.isalpha()}, languages)
    signs = _signs(set(plain))
    result = [
        signs.get(p) or letters.get(p) or _outcome(p) or _phrase(w) for p, w in zip(plain, words, strict=True)
    ]
    return looked_up(
        column,
        words,
        {
            "score": pl.Series([f and f.score for f in result], dtype=pl.Float64),
            "black_score": pl.Series([f and f.black for f in result], dtype=pl.Float64),
            "status": pl.Series([f and f.status for f in result], dtype=STATUS),
            "unread": pl.Series([f is None for f in result], dtype=pl.Boolean),
        },
    )


def read_result(text: str) -> Outcome | None:
    """Return what one result says without the help of the others; None where it is not understood."""
    return _outcome(_plain(text)) or _phrase(text)


def result_doubt(text: str) -> str:
    """Return why a result was not understood, where more can be said than that."""
    plain = _plain(text)
    values = {v[plain] for _, v in _LETTERS if plain in v}
    if len(values) > 1:
        return f"{text!r}, a win in one language and not in another"
    if plain == "-":
        return f"{text!r}: not played, or lost by forfeit?"
    return repr(text)


def bye_points(text: str | None) -> float | None:
    """Return the points of a player without an opponent, where the text speaks of a bye.

    Examples
    --------
    >>> [bye_points(t) for t in ("H", "½ bye", "F", "1-0", "-")]
    [0.5, 0.5, 1.0, None, None]
    """
    plain = _plain(text)
    if plain in _BYE_POINTS:
        return _BYE_POINTS[plain]
    result = _outcome(plain)
    return result.score if result and result.status == "bye" else None


_BYE_POINTS = dict.fromkeys("b f kl kl. u full".split(), 1.0) | dict.fromkeys(("h", "half"), 0.5)  # noqa: SIM905
_BYE_POINTS |= dict.fromkeys(("z", "zpb", "zero"), 0.0)


def _phrase(text: str | None) -> Outcome | None:
    """Return what a sentence says: ``Weiß gewinnt``, ``ganan las negras``, ``победа белых``."""
    words = plain_words(text or "")
    sides = {side for word in words if (side := side_of(word))}
    if len(sides) != 1 or not _WIN_VERBS & set(words):
        return None
    return _WIN if sides == {"white"} else _LOSS


def _plain(text: str | None) -> str:
    """Return a result without blanks, in small letters, with one kind of dash."""
    if text is None:
        return ""
    text = _DASHES.sub("-", text.replace("½", "1/2").replace("⁄", "/").replace("：", ":"))
    text = _TWO_NUMBERS.sub(r"\1-\2", text)
    text = "".join(text.casefold().split()).strip("'\"’")
    return text[1:-1] if len(text) > 2 and text[0] + text[-1] in ("()", "[]") else text


def _outcome(plain: str) -> Outcome | None:  # noqa: PLR0911 - one a way of writing
    if plain in _WORDS:
        return _WORDS[plain]
    if _WHOLE.fullmatch(plain):
        return Outcome(_value(plain))
    if (pair := _PAIR.fullmatch(plain)) and (result := _pair(*pair.groups())):
        return result
    if plain[:1] in ("+", "-") and re.fullmatch(_FORFEIT, plain[1:]):
        return Outcome(1.0 if plain[0] == "+" else 0.0, None, "forfeit")
    if (marked := _MARKED.fullmatch(plain)) and (rest := _outcome(marked[1].rstrip("(["))):
        if rest.score in (0.0, 1.0) or rest.black is not None:
            return rest._replace(status="forfeit")
        return None
    if _DATE_OF_A_DRAW.fullmatch(plain):
        return _DRAW
    if (bye := _BYE.fullmatch(plain)) and is_bye(bye[2]) and not re.fullmatch(_FORFEIT, bye[2]):
        number = bye[1] or bye[3]
        if number == "half" or bye[2].startswith(("half", "hpb")):
            number = "1/2"
        return Outcome(_value(number.split("-")[0]) if number and number != "+" else 1.0, None, "bye")
    return None


def _pair(white: str | None, mark: str | None, black: str | None, other: str | None) -> Outcome | None:
    """Return what two scores say, ``1-0`` or ``1-0F``; a bare F is nothing and a forfeit."""
    if (white is None and mark is None) or (black is None and other is None):
        return None
    ours, theirs = (0.0 if text is None else _value(text) for text in (white, black))
    forfeit = mark is not None or other is not None
    if ours + theirs == 1:
        return Outcome(ours, None, "forfeit" if forfeit else None)
    if ours + theirs < 1 and max(ours, theirs) <= 0.5:
        return Outcome(ours, theirs, "forfeit" if forfeit else "unrated")
    return None


def _value(number: str) -> float:
    return 0.5 if number == "1/2" else float(number.replace(",", "."))


def letter_results(seen: set[str], languages: Sequence[str] = ()) -> dict[str, Outcome]:
    """Say what single letters mean: as in the languages that have all of them, if these agree."""
    fitting = [pair for pair in _LETTERS if seen <= set(pair[1])]
    fitting = [pair for pair in fitting if pair[0] & set(languages)] or fitting or list(_LETTERS)
    result = {}
    for letter in seen:
        options = [(names, values) for names, values in fitting if letter in values]
        if len({values[letter] for _, values in options}) > 1:
            options = [pair for pair in options if pair[0] & set(languages)]
        meanings = {values[letter] for _, values in options}
        if len(meanings) == 1:
            result[letter] = Outcome(meanings.pop())
    return result


def _signs(seen: set[str]) -> dict[str, Outcome]:
    """Say what a bare + or - means: where = stands beside them and no 1 or 0, won and lost; else by forfeit.

    A - alone may be an empty cell: it is left open unless a + shows what it is the other of.
    """
    decided = seen - {"+", "-", "=", ""}
    if "=" in seen and "+" in seen and not decided:
        return {"+": _WIN, "-": _LOSS}
    result = {"+": Outcome(1.0, None, "forfeit")}
    if "+" in seen:
        result["-"] = Outcome(0.0, None, "forfeit")
    if "2" in seen and seen <= {"1", "x", "2", ""}:  # of the football pools
        result |= {"x": _DRAW, "2": _LOSS}
    return result
