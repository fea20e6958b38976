"""Articles of FIDE's regulations for standard chess, as those for rapid and blitz number them."""

from __future__ import annotations

import re

__all__ = ["rapid_articles"]

RAPID = {
    "7.1.4": "6.1.4", "7.2.1": "6.2.1", "8.1.2": "7.1.2", "8.2": "7.2", "8.2.1": "7.2.2",
    "8.2.2": "7.2.3", "8.2.3": "7.2.4", "8.2.4": "7.2.5", "8.3.1": "7.3.1", "8.3.3": "7.3.3",
    "8.3.4": "7.3.4",
}  # fmt: skip
"""Chapters are one less; 7.2 begins with an article of its own, on players who have a standard rating."""

_ARTICLE = re.compile(r"[78](?:\.\d)+")
_CITED = re.compile(rf"\[{_ARTICLE.pattern}(?:, {_ARTICLE.pattern})*\]")


def rapid_articles(text: str) -> str:
    """Return a text whose articles, in brackets, are those of the regulations for rapid and blitz.

    Examples
    --------
    >>> rapid_articles("K 20 [8.3.3]; R_a 1878.2 + d_p +50 [8.2, 8.3.1]")
    'K 20 [7.3.3]; R_a 1878.2 + d_p +50 [7.2, 7.3.1]'
    """
    return _CITED.sub(lambda m: _ARTICLE.sub(lambda a: RAPID[a[0]], m[0]), text)
