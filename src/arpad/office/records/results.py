"""Results of games as people write them."""

from __future__ import annotations

import re
from typing import Any

from arpad.errors import UsageError

__all__ = ["result_of", "result_text"]

PLAYED = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "½-½": (0.5, 0.5)}
FORFEITS = {"+:-": (1.0, 0.0), "-:+": (0.0, 1.0), "-:-": (0.0, 0.0)}
WORDS = {"1/2-1/2": "½-½", "1/2": "½-½", "½": "½-½", "=": "½-½", "draw": "½-½", "+--": "+:-", "--+": "-:+"}  # fmt: skip


def result_of(text: str) -> dict[str, Any]:
    """Return score, black_score and status of a result.

    Examples
    --------
    >>> result_of("0-1"), result_of("+:-")["status"], result_of("*")["score"]
    ({'score': 0.0, 'black_score': 1.0, 'status': 'played'}, 'forfeit', None)
    """
    plain = re.sub(r"\s", "", text).replace("–", "-").lower()
    plain = WORDS.get(plain, plain)
    if plain in PLAYED:
        white, black = PLAYED[plain]
        return {"score": white, "black_score": black, "status": "played"}
    if plain in FORFEITS:
        white, black = FORFEITS[plain]
        return {"score": white, "black_score": black, "status": "forfeit"}
    if plain == "*":
        return {"score": None, "black_score": None, "status": "unplayed"}
    raise UsageError(
        f"expected a result, 1-0, 0-1, ½-½ (1/2), +:- or -:+ (forfeit), -:- or * (not played); found {text!r}"
    )


def result_text(score: float | None, black_score: float | None, status: str) -> str:
    """Return a result as people write it.

    Examples
    --------
    >>> result_text(0.5, 0.5, "played"), result_text(0.0, 1.0, "forfeit"), result_text(1.0, None, "bye")
    ('½-½', '-:+', 'bye 1')
    """
    if status == "bye":
        return f"bye {score or 0:g}"
    known = FORFEITS if status == "forfeit" else PLAYED
    for text, pair in known.items():
        if pair == (score, black_score):
            return text
    if score is None:
        return "*"
    black = 1 - score if black_score is None else black_score
    return f"{score:g}-{black:g}"
