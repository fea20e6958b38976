"""USCF norms as people see them: a row a player, a column a level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.output import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.event.verdict import Verdict

__all__ = ["by_level", "one_player"]

TITLE_AT_ONCE = "T"


def by_level(made: Sequence[tuple[str, Verdict]]) -> list[object]:
    """Return how many norms everybody made at every level."""
    import polars as pl

    from arpad.event.uscf_titles import title_called
    from arpad.publish.tables import rich_table

    levels = sorted({title_called(v.title).level for _, v in made}, reverse=True)
    several = len({event for event, _ in made}) > 1
    rows: list[dict[str, object]] = []
    current, seen = None, set[str]()
    for event, v in made:
        who = (event, v.player, v.score, v.games)
        if (
            who != current or v.title in seen
        ):  # the same title again: a namesake with the same score
            start = {"event": event} if several else {}
            cells = dict.fromkeys(map(str, levels), "")
            rows.append({**start, "player": v.player, "points": v.score, "games": v.games, **cells})
            current, seen = who, set()
        seen.add(v.title)
        rows[-1][str(title_called(v.title).level)] = _count(v)
    frame = pl.DataFrame(rows)
    shown = _narrowed(frame, [str(level) for level in reversed(levels)])
    hidden = [level for level in levels if str(level) not in shown.columns]
    more = f"; levels below {min(set(levels) - set(hidden))} are in --format csv" if hidden else ""
    notes = dict.fromkeys(n for _, v in made for n in v.notes)
    return [
        rich_table(shown, title="Norms made, by the level of their title"),
        "",
        f"By the rules of {made[0][1].rules}: five norms of a level make its title; {TITLE_AT_ONCE}: the title at once{more}.",
        *(f"  {n}" for n in notes),
    ]


def one_player(verdicts: Sequence[tuple[str, Verdict]]) -> list[object]:
    """Return one player's verdicts, a row a title, each event by itself."""
    import polars as pl

    from arpad.publish.tables import rich_table

    parts: list[object] = []
    for event in dict.fromkeys(event for event, _ in verdicts):
        own = [v for name, v in verdicts if name == event]
        first = own[0]
        frame = pl.DataFrame(
            {
                "title": [v.title for v in own],
                "score needed": [
                    next((r.needed for r in v.requirements if r.what == "score"), "") for v in own
                ],
                "enough": pl.Series([v.points_needed for v in own], dtype=pl.Float64),
                "norms": [
                    _count(v).replace(TITLE_AT_ONCE, "title") if v.passed else "" for v in own
                ],
            }
        )
        failed = [r for r in first.failed() if r.what != "score"]
        parts += [
            f"{first.player}: {first.score:g}/{first.games} in {event} ({first.rules})",
            rich_table(frame, digits={"enough": 1}),
            *(f"  {r.what}: {r.found}, needed {r.needed} [{r.article}]" for r in failed),
            *(f"  {n}" for n in dict.fromkeys(n for v in own for n in v.notes)),
            "",
        ]
    return parts


def _narrowed(frame: pl.DataFrame, lowest_first: Sequence[str]) -> pl.DataFrame:
    """Leave the lowest levels out, all but one, where there is no room for them."""
    from arpad.publish.tables import GAP, cell

    room = width()
    for name in lowest_first[:-1]:
        widths = [max(len(c), *(len(cell(c, v)) for v in frame[c])) + GAP for c in frame.columns]
        if sum(widths) <= room:
            break
        frame = frame.drop(name)
    return frame


def _count(verdict: Verdict) -> str:
    from arpad.event.uscf_norms import MOST_AT_ONCE

    count = verdict.norms_at_once
    return TITLE_AT_ONCE if count == MOST_AT_ONCE else str(count)
