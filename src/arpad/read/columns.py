"""The column names of tables of games, and what other people call them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["ALIASES", "COLUMNS", "resolve"]

COLUMNS = {
    "white": "name of White",
    "black": "name of Black",
    "score": "White's share of the point, 0 to 1",
    "result": "or the result: 1-0, 0-1, 1/2-1/2, *, +/-, -/+, or White's score",
    "date": "YYYY-MM-DD, YYYY.MM.DD, YYYY-MM or YYYY",
    "month": "or the number of the month, counted from 1, where there are no dates (Kaggle's contests)",
    "event": "name of the event",
    "site": "where it was played",
    "round": "round, or round.board",
    "white_rating": "White's rating at the time",
    "black_rating": "Black's rating at the time",
    "white_id": "White's id (FIDE's, a federation's, …)",
    "black_id": "Black's id",
    "white_title": "White's title",
    "black_title": "Black's title",
    "white_federation": "White's federation",
    "black_federation": "Black's federation",
    "white_birth": "White's birth: YYYY, YYYY-MM or YYYY-MM-DD (FIDE's junior rule goes by it)",
    "black_birth": "Black's birth",
    "white_goals": "or what each side scored: more wins (football, go, …)",
    "black_goals": "what Black scored",
    "black_score": "Black's share, where the point was not shared out whole (0-0)",
    "precision": "how much of the date is known: day, month or year",
    "status": "played, unrated, forfeit, bye or unplayed",
    "plies": "half-moves played",
}
"""The documented columns; `white`, `black` and one of `score`, `result` or both goals are needed."""

ALIASES = {
    "white_player": "white",
    "black_player": "black",
    "white_name": "white",
    "black_name": "black",
    "player_1": "white",
    "player_2": "black",
    "home_team": "white",
    "away_team": "black",
    "home_score": "white_goals",
    "away_score": "black_goals",
    "month_id": "month",
    "white_score": "score",
    "outcome": "result",
    "game_date": "date",
    "utc_date": "date",
    "tournament": "event",
    "rd": "round",
    **{
        f"{side}_{theirs}": f"{side}_{ours}"
        for side in ("white", "black")
        for theirs, ours in (
            ("elo", "rating"),
            ("fide_id", "id"),
            ("fideid", "id"),
            ("fed", "federation"),
        )
    },
    "ply_count": "plies",
    "plycount": "plies",
}


def resolve(found: Iterable[str], asked: Mapping[str, str] | None, file: str) -> dict[str, str]:
    """Return which of the `found` columns is what: ``{ours: theirs}``.

    Parameters
    ----------
    asked
        What the caller says with ``--columns white=home_team,…``; it comes before any guess.
    """
    found = list(found)
    mapping: dict[str, str] = {}
    for ours, theirs in (asked or {}).items():
        if ours not in COLUMNS:
            raise UsageError(f"--columns: expected one of {', '.join(COLUMNS)}; found {ours!r}")
        if theirs not in found:
            raise UsageError(
                f"--columns: {file} has no column {theirs!r}; it has {', '.join(found)}"
            )
        mapping[ours] = theirs
    # An outcome that the caller names is the outcome: do not look for another one beside it.
    outcomes = {"score", "result", "white_goals", "black_goals"}
    settled = set(mapping) | (outcomes if outcomes & set(mapping) else set())
    for theirs in found:
        name = _plain(theirs)
        ours = ALIASES.get(name, name)
        if ours in COLUMNS and ours not in settled and ours not in mapping:
            mapping[ours] = theirs
    if "score" in mapping:
        mapping.pop("result", None)
    # A month beside a year is one of twelve; alone it is counted from the first.
    if "month" not in (asked or {}) and ("date" in mapping or "year" in map(_plain, found)):
        mapping.pop("month", None)
    needed = {"white", "black"} - set(mapping)
    if needed or not (
        {"score", "result"} & set(mapping) or {"white_goals", "black_goals"} <= set(mapping)
    ):
        wanted = " and ".join(sorted(needed, reverse=True)) or "score or result"
        raise InputError(
            f"expected a column for {wanted}; found {', '.join(found) or 'no columns'}: say which is "
            "which with --columns white=…,black=…,score=… (arpad formats lists the names)",
            file=file,
        )
    return mapping


def _plain(name: str) -> str:
    """``WhiteElo``, ``White Elo`` and ``white-elo`` are all ``white_elo``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^0-9a-z]+", "_", words.lower()).strip("_")
