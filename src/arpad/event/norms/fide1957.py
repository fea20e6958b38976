"""Title results by the rule of 1957 to 1970, which counts titles instead of ratings [Elo 4.24]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.event.field import cycles_of, entries_of, field_of
from arpad.event.norms.rules import Requirement, Verdict, above

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.field import FieldEntry
    from arpad.model import Games


RULES = "1957"
ARTICLE = "4.24"
Title = Literal["GM", "IM"]
PERCENT: dict[Title, tuple[int, int, int]] = {"GM": (55, 75, 85), "IM": (35, 55, 75)}
"""Per cent of the points asked for against grandmasters, international masters, others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentClass:
    """A class of international tournament by length and strength."""

    name: str
    players: int
    grandmasters: int = 0
    """Per cent of the players."""
    titled: int
    """Per cent of the players, grandmasters and international masters together."""


CLASSES = (
    TournamentClass(name="1a", players=16, grandmasters=50, titled=70),
    TournamentClass(name="1b", players=10, grandmasters=33, titled=70),
    TournamentClass(name="2a", players=15, titled=50),
    TournamentClass(name="2b", players=10, titled=50),
)
"""From the strongest to the weakest."""


def points_1957(title: Title, grandmasters: int, masters: int, others: int) -> float:
    """Return the score for a title result against this many opponents of each group.

    55 % against grandmasters, 75 % against international masters, 85 % against the rest for a grandmaster;
    35, 55, 75 for an international master. The score must exceed the sum, however it came about.

    >>> points_1957("GM", 5, 7, 3), points_1957("IM", 5, 7, 3)
    (11.0, 8.0)
    """
    groups = (grandmasters, masters, others)
    if min(groups) < 0 or sum(groups) < 1:
        raise UsageError(f"expected at least one opponent and no negative number, found {groups}")
    hundredths = sum(p * n for p, n in zip(PERCENT[title], groups, strict=True))
    return (hundredths // 50 + 1) / 2


def tournament_class(
    players: int, grandmasters: int, masters: int, *, of: int | None = None
) -> TournamentClass | None:
    """Return the strongest class whose minima a tournament meets, or None.

    of: The titles are held by this many: a player's opponents. By default all the players.

    >>> tournament_class(16, 8, 4).name, tournament_class(12, 4, 5).name, tournament_class(9, 9, 0)
    ('1a', '1b', None)
    >>> tournament_class(16, 5, 7, of=15).name
    '1b'
    """
    whole = players if of is None else of
    for one in CLASSES:
        enough = 100 * grandmasters >= one.grandmasters * whole
        titled = 100 * (grandmasters + masters) >= one.titled * whole
        if players >= one.players and enough and titled:
            return one
    return None


def verdicts(
    games: Games, players: Sequence[int] | None = None, titles: Sequence[str] | None = None
) -> list[Verdict]:
    """Return a verdict for each player and title, all games being one event.

    players: Rows of the players; None: everybody, best score first.
    titles: `GM`, `IM`; None: those above the title held.
    """
    field = field_of(games)
    if not field:
        raise UsageError("expected an event with games that were played, found none")
    wanted = None if titles is None else [_title(t) for t in titles]
    round_robin = cycles_of(games) > 0
    return [
        _verdict(e, title, field, round_robin=round_robin)
        for e in entries_of(field, players)
        for title in (wanted if wanted is not None else [_title(t) for t in above(e.title, list(PERCENT))])
    ]


def _title(name: str) -> Title:
    wanted = name.strip().upper()
    for title in PERCENT:
        if title == wanted:
            return title
    raise UsageError(
        f"expected a title, GM or IM, found {name!r}: women's titles had no rule before 1975 [4.24]"
    )


def _verdict(
    entry: FieldEntry, title: Title, field: Mapping[int, FieldEntry], *, round_robin: bool
) -> Verdict:
    """Judge a score against the opponents' titles; the class of the tournament is by its strength without the player."""
    met = [field[o].title for o, _ in entry.results]
    groups = (met.count("GM"), met.count("IM"))
    needed = points_1957(title, *groups, len(met) - sum(groups))
    opponents = [field[o].title for o in {o for o, _ in entry.results}]
    held = (opponents.count("GM"), opponents.count("IM"))
    one = tournament_class(len(field), *held, of=len(opponents))
    allowed = [c.name for c in CLASSES if title == "IM" or c.grandmasters]
    kind = Requirement(
        ARTICLE, "kind of event", "a round robin", "a round robin" if round_robin else "another", round_robin
    )
    strength = Requirement(
        ARTICLE,
        "class of tournament",
        f"one of {', '.join(allowed)}",
        (
            f"{'none' if one is None else one.name}: {len(field)} players; {held[0]} GM, {held[1]} IM among "
            f"{len(opponents)} opponents"
        ),
        one is not None and one.name in allowed,
    )
    score = Requirement(
        ARTICLE,
        "score",
        f"at least {needed:g} against {groups[0]} GM, {groups[1]} IM, {len(met) - sum(groups)} others",
        f"{entry.score:g}",
        entry.score >= needed,
    )
    possible = kind.passed and strength.passed and needed <= entry.games
    return Verdict(
        player=entry.name,
        title=title,
        rules=RULES,
        score=entry.score,
        games=entry.games,
        requirements=(kind, strength, score),
        points_needed=needed if possible else None,
        notes=(*_notes(field, one), *(["holds the title already"] if entry.title == title else [])),
    )


def _notes(field: Mapping[int, FieldEntry], one: TournamentClass | None) -> tuple[str, ...]:
    notes = []
    if not any(e.title in ("GM", "IM") for e in field.values()):
        notes.append("the file names no GM and no IM among the players")
    federations = [e.federation for e in field.values() if e.federation]
    if federations:
        largest = max(federations.count(f) for f in federations)
        notes.append(
            f"{len(field) - largest} of {len(field)} not of the largest federation; almost half had to be foreign"
        )
    else:
        notes.append("not checked, for the file names none: federations, almost half foreign")
    if one is not None:
        notes.append("a title took one or two such results; the book does not say when one was enough")
    return tuple(notes)
