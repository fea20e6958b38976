"""Names as the matching of players sees them: folded, taken apart, or nobody's at all."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import polars as pl

__all__ = ["ANONYMOUS", "MAX_FOLD", "fold", "folds", "is_nobody", "parts"]

MAX_FOLD = 400
"""Characters of a folded name that are kept: more than any name has, fewer than an index takes."""

ANONYMOUS = frozenset(
    [
        "?",
        "-",
        "nn",
        "anonymous",
        "anonym",
        "unknown",
        "unbekannt",
        "bye",
        "noname",
        "player",
        "spieler",
        "guest",
        "gast",
    ]
)
"""Words that stand where nobody's name is known."""

_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŋ": "n"}
)
"""Letters that Unicode does not take apart into a plain one and an accent."""

_UMLAUT = re.compile(r"(?<=[aou])e(?=[a-z])")
_NUMBERED = re.compile(r"(?:player|spieler|guest|gast|#)?\s*#?\s*\d+")
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")


@lru_cache(maxsize=200_000)
def fold(name: str) -> str:
    """Return the words of a name in alphabetical order, without case, accents and punctuation.

    So the order of surname and given name does not matter, nor do `ü`, `ue` and `u`. Any script
    keeps its letters. What stands in brackets (a country, a number) is left out.

    Examples
    --------
    >>> fold("Carlsen, Magnus") == fold("MAGNUS CARLSEN"), fold("Müller, Jörg") == fold("Mueller,Joerg")
    (True, True)
    >>> fold("Carlsen,M."), fold("O'Kelly de Galway, Albéric"), fold("Иванов, Пётр")
    ('carlsen m', 'alberic de galway okelly', 'иванов петр')
    """
    return " ".join(sorted(parts(name)[2]))[:MAX_FOLD].rstrip()


@lru_cache(maxsize=200_000)
def parts(name: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return surname, given names and all words of a name, folded.

    Without a comma nobody knows which word is the surname: then the first two are empty.

    Examples
    --------
    >>> parts("van der Berg, Ana")
    (('van', 'der', 'berg'), ('ana',), ('van', 'der', 'berg', 'ana'))
    >>> parts("Ana van der Berg")
    ((), (), ('ana', 'van', 'der', 'berg'))
    """
    text = _BRACKETS.sub(" ", name) if _BRACKETS.sub("", name).strip() else name
    surname, comma, given = text.partition(",")
    before, after = _words(surname), _words(given)
    if not comma or not before or not after:
        return (), (), before + after
    return before, after, before + after


def _words(text: str) -> tuple[str, ...]:
    # Decomposed first: a mathematical 𝗔 has no small letter of its own.
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c)).translate(_PLAIN)
    plain = plain.replace("'", "").replace("’", "").replace("`", "")
    return tuple(_UMLAUT.sub("", word) for word in _WORD.findall(plain))


def is_nobody(name: str) -> bool:
    """Say whether a name names nobody: no letters, `NN`, `Player 7`, `#1234`.

    Such a player is somebody else in every event, unless an id tells.

    Examples
    --------
    >>> [is_nobody(n) for n in ("NN", "N.N.", "Player 7", "#1503014", "?", "Nunn, John")]
    [True, True, True, True, True, False]
    """
    words = parts(name)[2]
    text = " ".join(words)
    return (
        not words
        or "".join(words) in ANONYMOUS
        or _NUMBERED.fullmatch(text) is not None
        or all(w in ANONYMOUS or w.isdecimal() for w in words)
    )


def folds(names: pl.Series) -> pl.Series:
    """Return the folded form of every name; null stays null."""
    known = [None if name is None else fold(name) for name in names]
    return pl.Series("fold", known, dtype=pl.String)
