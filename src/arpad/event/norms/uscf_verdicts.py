"""Verdicts on USCF norms in one event, for `arpad norms --rules uscf1994` [USCF 1994, 2.3]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.event.field import entries_of, field_of
from arpad.event.norms.rules import Requirement, Verdict
from arpad.event.norms.uscf import (
    FEWEST_GAMES,
    TITLES,
    NormSchedule,
    Status,
    expected_score,
    norms_earned,
    score_needed,
    title_called,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.field import FieldEntry
    from arpad.event.norms.uscf import UscfTitle
    from arpad.model import Games


RULES = "uscf1994"


def verdicts(
    games: Games,
    players: Sequence[int] | None = None,
    titles: Sequence[str] | None = None,
    *,
    schedule: NormSchedule | None = None,
) -> list[Verdict]:
    """Return a verdict for each player and title, all games being one event.

    Parameters
    ----------
    players
        Rows of the players; None: everybody who played, best score first.
    titles
        Names or levels; None: those that the file does not say a player holds, the life title of a level
        only where its other title is held.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> people = [Player(name="Ann"), *(Player(name=n, rating=r) for n, r in
    ...     [("Bob", 1800), ("Cal", 1900), ("Dan", 2000), ("Eve", 2100)])]
    >>> pairs = {"white": [0] * 4, "black": [1, 2, 3, 4], "score": [1, 1, 1, 0.5]}
    >>> for verdict in verdicts(Games.assemble(pairs, people), [0], ["Expert", "Master"]):
    ...     print(verdict.summary())
    Ann: 3.5/4, Expert norm made (uscf1994)
    Ann: 3.5/4, Master norm not made: score 3.5, needed more than 3.77: 3.158 + Δ .612 [2.3 rule 2] (uscf1994)
    """
    field = field_of(games)
    if not field:
        raise UsageError("expected an event with games that were played, found none")
    wanted = None if titles is None else [title_called(name) for name in titles]
    chosen = schedule or NormSchedule()
    return [
        _verdict(entry, title, field, chosen)
        for entry in entries_of(field, players)
        for title in (_sought(entry) if wanted is None else wanted)
    ]


def _held(entry: FieldEntry) -> str | None:
    """Return the USCF title that the file gives a player; FIDE's are no matter here."""
    named = (entry.title or "").casefold()
    return next((t.name for t in TITLES if t.name.casefold() == named), None)


def _sought(entry: FieldEntry) -> tuple[UscfTitle, ...]:
    held = _held(entry)
    return Status(titles=() if held is None else (held,)).sought()


def _verdict(
    entry: FieldEntry, title: UscfTitle, field: Mapping[int, FieldEntry], schedule: NormSchedule
) -> Verdict:
    met = [(field[o].rating, share) for o, share in entry.results]
    rated = [(rating, share) for rating, share in met if rating is not None]
    opponents, score = [r for r, _ in rated], math.fsum(s for _, s in rated)
    notes = []
    if len(rated) < len(met):
        notes.append(
            f"{len(met) - len(rated)} of {len(met)} games were against unrated players and do not count (a rating list gives ratings)"
        )
    if _held(entry) == title.name:
        notes.append("holds the title already")
    if title.life:
        notes.append(f"{title.norms} norms at {title.level} make a {title.name} [2.6 item 1]")
    result = norms_earned(score, opponents, title.level, schedule)
    enough = score_needed(opponents, title.level, 1, schedule)
    return Verdict(
        player=entry.name,
        title=title.name,
        rules=RULES,
        score=score,
        games=len(rated),
        requirements=(
            Requirement.least("2.3 rule 1", "games against rated players", len(rated), FEWEST_GAMES),
            *([_score(score, opponents, title, schedule)] if rated else []),
        ),
        points_needed=enough,
        notes=tuple(notes),
        norms_at_once=max(result, 1),
    )


def _score(score: float, opponents: list[float], title: UscfTitle, schedule: NormSchedule) -> Requirement:
    expected, delta = expected_score(title.level, opponents), schedule.delta(len(opponents))
    return Requirement(
        "2.3 rule 2",
        "score",
        f"more than {expected + delta:.2f}: {expected:.3f} + Δ {_short(delta)}",
        f"{score:g}",
        score > expected + delta,
    )


def _short(value: float) -> str:
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text
