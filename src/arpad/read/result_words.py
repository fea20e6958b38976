"""Results as people write them: ``1-0``, ``½``, ``0,5:0,5``, ``remis``, ``1-0 ff``, ``F-1``, ``W``, ``+``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from arpad.model import STATUS
from arpad.read.byes import is_bye
from arpad.read.headings import plain_words, side_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class Outcome(NamedTuple):
    """White's score, Black's (None: the rest of the point) and the status (None: to be judged)."""

    score: float | None
    black: float | None = None
    status: str | None = None


_WIN, _DRAW, _LOSS = Outcome(1.0), Outcome(0.5), Outcome(0.0)
_UNPLAYED = Outcome(None, None, "unplayed")
_OUTCOMES: tuple[tuple[Outcome, str], ...] = (
    (
        _UNPLAYED,
        (
            "* ? -:-? adj adj. adjourned unplayed pending postponed hängepartie abgebrochen ausgefallen verlegt verschoben vertagt "
            "nichtgespielt notplayed np n.p. n/a tbd reportée renvoyée aplazada aplazado rinviata uitgesteld adiada przełożona отложена"
        ),
    ),
    (
        _DRAW,
        (
            "= == =-= =:= 1/2 1/2/1/2 0.5/0.5 0,5/0,5 draw drawn drawagreed agreeddraw stalemate tie tied remis remise unentschieden nul nulle partienulle matchnul tablas tabla "
            "empate igual igualada patta pari pareggio gelijkspel gelijk exaequo remiza patt pat пат ничья ничейный remisowa"
        ),
    ),
    (
        _WIN,
        (
            "win wins won white whitewin whitewins whitewon gewonnen gewinn sieg weiß weiss gagné gagne victoire blancs ganada "
            "gana ganó gano victoria blancas vittoria vinta vinto havinto bianco winst gewonnen wit vitória vitoria brancas wygrana zwycięstwo "
            "białe победа выигрыш выиграл выиграла 1/0 1-o "
            "белые"
        ),
    ),
    (
        _LOSS,
        (
            "loss loses lost blackwin blackwins blackwon black verloren verlust niederlage schwarz perdu perdue défaite defaite "
            "noirs perdida pierde perdió negras sconfitta persa perso haperso nero verlies zwart derrota pretas przegrana porażka czarne 0/1 o-1 "
            "поражение проигрыш проиграл проиграла черные чёрные"
        ),
    ),
    (Outcome(1.0, None, "forfeit"), "+- +/- +-- +:- +:0 +-0 1:- 1-- 1/- winbyforfeit wonbyforfeit"),
    (Outcome(0.0, None, "forfeit"), "-+ -/+ --+ -:+ 0:+ 0-+ -:1 --1 -/1 lossbyforfeit lostbyforfeit"),
    (Outcome(0.0, 0.0, "forfeit"), "-/- --- -:- -- f-f ff"),
)
_WORDS = {word: outcome for outcome, words in _OUTCOMES for word in words.split()} | {"": _UNPLAYED}
_LETTERS: tuple[tuple[frozenset[str], dict[str, float]], ...] = tuple(
    (frozenset(languages.split()), values)
    for languages, values in (
        ("en", {"w": 1.0, "l": 0.0, "d": 0.5}),
        ("en", {"w": 1.0, "b": 0.0, "d": 0.5}),
        ("de nl", {"g": 1.0, "r": 0.5, "u": 0.5, "v": 0.0}),
        ("de", {"s": 1.0, "r": 0.5, "u": 0.5, "n": 0.0}),
        ("de", {"g": 1.0, "r": 0.5, "u": 0.5, "n": 0.0}),
        ("fr", {"g": 1.0, "n": 0.5, "p": 0.0}),
        ("fr", {"v": 1.0, "n": 0.5, "d": 0.0}),
        ("es", {"g": 1.0, "t": 0.5, "e": 0.5, "p": 0.0}),
        ("es pt", {"v": 1.0, "e": 0.5, "d": 0.0}),
        ("it", {"v": 1.0, "p": 0.5, "s": 0.0}),
        ("nl", {"w": 1.0, "r": 0.5, "v": 0.0}),
        ("pl", {"w": 1.0, "r": 0.5, "p": 0.0}),
        ("ru", {"в": 1.0, "н": 0.5, "п": 0.0}),
    )
)
"""Initials of won, drawn and lost. The same letter is a win here and a loss there: the column decides."""
_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_NUMBER = r"(?:1/2|\d*[.,]?\d+|\d+[.,])"
_FORFEIT = (
    r"(?:(?:by|par|per|por|durch)?(?:forfeit|forfait|forf|kampflos|walkover|walkower|default|def|w[./]?o|no-?show|incomparecencia"
    r"|reglementair|reglem|неявка)|k\.?l|ff|f|k|ф)"
)
_PAIR = re.compile(rf"({_NUMBER})?(f|k)?[-:x_]({_NUMBER})?(f|k)?")
_MARKED = re.compile(rf"(.+?)[(\[/]?{_FORFEIT}\.?[)\]]?")
_TWO_NUMBERS = re.compile(r"^\s*(1/2|[01](?:[.,][05])?)\s+(1/2|[01](?:[.,][05])?)\s*$")
_WHOLE = re.compile(rf"(?!0\d){_NUMBER}")
"""One number; ``01`` is none, it was 0-1."""
_BYE = re.compile(rf"(half|\+|[01]-[01]|{_NUMBER})?[-(]?([^\W\d]+)[-(]?({_NUMBER})?[)]?")
_WIN_VERBS = frozenset(
    plain_words(
        "wins won win victory gewinnt gewinnen gewann gewonnen siegt sieg hat gana ganan gano ganaron victoria gagne gagnent victoire ont a "
        "vince vincono vinto vittoria ha hanno wint winnen wonnen winst hebben heeft vence vencem venceu ganha ganham ganharam vitoria "
        "wygrywaja wygraly wygrana zwyciestwo выиграли выигрывают победили победа"
    )
)
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
    table = pl.DataFrame(
        {
            "_word": words,
            "score": pl.Series([f and f.score for f in result], dtype=pl.Float64),
            "black_score": pl.Series([f and f.black for f in result], dtype=pl.Float64),
            "status": pl.Series([f and f.status for f in result], dtype=STATUS),
            "unread": pl.Series([f is None for f in result], dtype=pl.Boolean),
        }
    )
    return (
        pl.DataFrame({"_word": column})
        .join(table, on="_word", how="left", maintain_order="left", nulls_equal=True)
        .drop("_word")
    )


def read_result(text: str) -> Outcome | None:
    """Return what one result says without the help of the others; None where it is not understood."""
    return _outcome(_plain(text))


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


_BYE_POINTS = {
    "b": 1.0,
    "f": 1.0,
    "u": 1.0,
    "full": 1.0,
    "h": 0.5,
    "half": 0.5,
    "z": 0.0,
    "zpb": 0.0,
    "zero": 0.0,
}


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
    fitting = [pair for pair in _LETTERS if seen <= set(pair[1])] or list(_LETTERS)
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
    return result
