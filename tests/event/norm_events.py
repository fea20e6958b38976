"""Events for tests of norms: one player against given opponents, or everybody against everybody."""

from __future__ import annotations

from arpad.model import Event, Games, Player

FEDERATIONS = ("FRA", "GER", "ITA")


def opponent(number: int, rating: float | None = 2434, title: str | None = "GM", federation=...):
    fed = FEDERATIONS[number % 3] if federation is ... else federation
    return Player(name=f"Opponent {number}", rating=rating, title=title, federation=fed)


def field(n: int = 9, rating: float | None = 2434, titled: int = 5, holders: int = 3, title="GM"):
    """Opponents of one rating, so many titled, so many of them with the title sought."""
    kinds = [title] * holders + ["FM"] * (titled - holders) + [None] * (n - titled)
    return [opponent(i, rating, kinds[i]) for i in range(n)]


def swiss(
    opponents,
    scores,
    *,
    own: Player | None = None,
    status=None,
    rounds: int | None = None,
    host: str | None = "ESP",
    white: bool = True,
    others=(),
) -> Games:
    """Return a Swiss in which one player meets `opponents` round by round; None is a bye."""
    me = own or Player(name="Applicant", rating=2400.0, federation="ESP", title="IM", sex="m")
    people = [me]
    rows: dict[str, list[object]] = {k: [] for k in ("white", "black", "score", "status", "round", "event")}
    for r, (met, score) in enumerate(zip(opponents, scores, strict=True), start=1):
        kind = (status or {}).get(r, "bye" if met is None else "played")
        if met is None:
            pair = (0, None, score)
        else:
            people.append(met)
            pair = (0, len(people) - 1, score) if white else (len(people) - 1, 0, None)
            if not white and score is not None:
                pair = (*pair[:2], 1 - score)
        for key, value in zip(rows, (*pair, kind, str(r), 0), strict=True):
            rows[key].append(value)
    event = Event(name="Open", rounds=rounds or len(opponents), federation=host)
    return Games.assemble(rows, [*people, *others], [event])


def everybody(people, scores, times: int = 1) -> Games:
    """Return a round robin; `scores` gives the first of a pair's share for (a, b)."""
    rows: dict[str, list[object]] = {k: [] for k in ("white", "black", "score", "round", "event")}
    for turn in range(times):
        for a in range(len(people)):
            for b in range(a + 1, len(people)):
                number = str(1 + turn * (len(people) - 1) + b - a - 1)
                for key, value in zip(rows, (a, b, scores(a, b), number, 0), strict=True):
                    rows[key].append(value)
    event = Event(name="Round robin", rounds=times * (len(people) - 1), federation="ESP")
    return Games.assemble(rows, people, [event])


def of(verdict, what: str):
    """Return the one requirement whose words begin so."""
    found = [r for r in verdict.requirements if r.what.startswith(what)]
    assert len(found) == 1, (what, [r.what for r in verdict.requirements])
    return found[0]
