"""Norms as people, spreadsheets and programs see them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from arpad.cli.output import width
from arpad.event.norm_rules import TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.event.norm_outlook import Outlook
    from arpad.event.norm_rules import Setting
    from arpad.event.verdict import Verdict

__all__ = ["document", "norm_document", "norm_table", "people", "rows"]

CLOSEST = 5
"""Players named when nobody made a norm, or who may still make one."""
NAMED = 2
"""Requirements named of each of them."""
NEVER = 1e9


def norm_table(verdicts: Sequence[tuple[str, Verdict]]) -> pl.DataFrame:
    """Return a row for every verdict: who, which title, the score and what would have been enough."""
    import polars as pl

    several = len({event for event, _ in verdicts}) > 1
    found: list[dict[str, object]] = [
        {
            **({"event": event} if several else {}),
            "player": v.player,
            "norm": v.title,
            "points": v.score,
            "games": v.games,
            "enough": v.points_needed,
            "left out": "; ".join(n for n in v.notes if "ignored" in n),
        }
        for event, v in verdicts
    ]
    return _without_empty(pl.DataFrame(found, infer_schema_length=None))


def rows(verdicts: Sequence[tuple[str, Verdict]]) -> pl.DataFrame:
    """Return a row for every verdict, for CSV."""
    import polars as pl

    schema = {
        "event": pl.String,
        "player": pl.String,
        "title": pl.String,
        "rules": pl.String,
        "score": pl.Float64,
        "games": pl.Int64,
        "passed": pl.Boolean,
        "norms": pl.Int64,
        "points_needed": pl.Float64,
        "failed": pl.String,
    }
    found = [
        {
            "event": event,
            **{k: getattr(v, k) for k in ("player", "title", "rules", "score", "games", "passed")},
            "norms": v.norms_at_once if v.passed else 0,
            "points_needed": v.points_needed,
            "failed": "; ".join(f"{r.article} {r.what} {r.found}" for r in v.failed()),
        }
        for event, v in verdicts
    ]
    return pl.DataFrame(found, schema=schema)


def norm_document(verdict: Verdict) -> dict[str, object]:
    """Return one verdict for JSON."""
    return {
        **{k: v for k, v in asdict(verdict).items() if k not in ("requirements", "notes")},
        "passed": verdict.passed,
        "requirements": [asdict(r) for r in verdict.requirements],
        "notes": list(verdict.notes),
    }


def document(
    verdicts: Sequence[tuple[str, Verdict]],
    outlooks: Sequence[tuple[str, Outlook]],
    rules: str,
    setting: Setting,
) -> dict[str, object]:
    """Return everything for JSON."""
    from arpad.event import uscf_verdicts
    from arpad.event.norm_rules import NORM_RULES, norm_rules
    from arpad.event.uscf_norms import Schedule

    known = rules == "today" or rules in NORM_RULES
    parameters = norm_rules(rules).parameters() if known else {"rules": rules}
    if rules == uscf_verdicts.RULES:
        parameters |= Schedule().parameters()
    return {
        "parameters": {**parameters, **asdict(setting)},
        "verdicts": [{"event": event, **norm_document(v)} for event, v in verdicts],
        "outlook": [
            {
                "event": event,
                **asdict(o),
                "by_average": [
                    {"average": average, "points_needed": points}
                    for average, points in o.by_average
                ],
            }
            for event, o in outlooks
        ],
    }


def people(
    verdicts: Sequence[tuple[str, Verdict]],
    outlooks: Sequence[tuple[str, Outlook]],
    *,
    alone: bool,
) -> list[object]:
    """Return what a person reads; with `alone` every requirement."""
    from arpad.cli.norm_levels import by_level, one_player
    from arpad.event.uscf_verdicts import RULES as USCF

    by_levels = bool(verdicts) and verdicts[0][1].rules == USCF
    if alone and by_levels:
        return one_player(verdicts)
    if alone:
        return [
            *(part for event, v in verdicts for part in _whole(event, v)),
            *(part for _, o in outlooks for part in _ahead(o)),
        ]
    made = [(event, v) for event, v in verdicts if v.passed]
    if made and by_levels:
        return by_level(made)
    parts: list[object] = _made(made) if made else _nobody(verdicts)
    return [*parts, *_still(outlooks)]


def _made(made: Sequence[tuple[str, Verdict]]) -> list[object]:
    from arpad.publish.tables import fitted, rich_table

    shown = fitted(norm_table(made), width())
    table = rich_table(shown, title="Norms made", digits={"enough": 1})
    # The table has what was left out; what could not be checked must stand beside it.
    doubts = dict.fromkeys(n for _, v in made for n in v.notes if "ignored" not in n)
    return [table, "", f"By the rules of {made[0][1].rules}.", *(f"  {n}" for n in doubts)]


def _nobody(verdicts: Sequence[tuple[str, Verdict]]) -> list[object]:
    if not verdicts:
        return ["Nobody here seeks a title that norms lead to."]
    played = [(event, v) for event, v in verdicts if v.games]
    parts: list[object] = [f"Nobody made a norm ({verdicts[0][1].rules})."]
    if not played:
        return [*parts, "There are no games that count."]
    nearest: dict[tuple[str, str], Verdict] = {}
    for event, v in sorted(played, key=lambda pair: _distance(pair[1])):
        nearest.setdefault((event, v.player), v)
    several = len({event for event, _ in played}) > 1
    closest = [
        f"  {f'{event}: ' if several else ''}{_short(v)}" for (event, _), v in nearest.items()
    ]
    blind = any(r.found.startswith("unknown") for _, v in played for r in v.requirements)
    hint = ["", "Titles, federations or ratings are unknown here: --list FILE gives them."]
    return [*parts, "", "Closest:", *closest[:CLOSEST], *(hint if blind else [])]


def _distance(verdict: Verdict) -> tuple[int, float, int, float, str]:
    """Order by requirements not met, then by points missing, the lower title first, then by points."""
    missing = NEVER if verdict.points_needed is None else verdict.points_needed - verdict.score
    rank = -TITLES.index(verdict.title) if verdict.title in TITLES else 0
    return (len(verdict.failed()), missing, rank, -verdict.score, verdict.player)


def _short(verdict: Verdict) -> str:
    failed = verdict.failed()
    reasons = "; ".join(f"{r.what} {r.found} ({r.needed}) [{r.article}]" for r in failed[:NAMED])
    if len(failed) > NAMED:
        reasons += f"; and {len(failed) - NAMED} more, which --player shows"
    return f"{verdict.player}, {verdict.title}, {verdict.score:g}/{verdict.games}: {reasons}"


def _whole(event: str, verdict: Verdict) -> list[object]:
    import polars as pl

    from arpad.publish.tables import rich_table

    frame = pl.DataFrame(
        {
            "article": [r.article for r in verdict.requirements],
            "requirement": [r.what for r in verdict.requirements],
            "needed": [r.needed for r in verdict.requirements],
            "found": [r.found for r in verdict.requirements],
            "met": [r.passed for r in verdict.requirements],
        }
    )
    answer = "made" if verdict.passed else "not made"
    head = (
        f"{verdict.player}: {verdict.title} norm {answer}, {verdict.score:g}/{verdict.games} "
        f"in {event} ({verdict.rules})"
    )
    return [rich_table(frame, title=head), *(f"  {note}" for note in verdict.notes), ""]


def _ahead(found: Outlook) -> list[object]:
    from arpad.publish.tables import rich_table

    parts: list[object] = [found.summary()]
    if found.made or found.impossible or all(p is None for _, p in found.by_average):
        return [*parts, ""]
    words = f"Points for a {found.title} norm by the average of the opponents to come:"
    shown = found.table().rename({"points_needed": "points"})
    digits = {"average": 0}
    return [*parts, "", words, rich_table(shown, digits=digits), ""]


def _still(outlooks: Sequence[tuple[str, Outlook]]) -> list[object]:
    """Return who may still make a norm; nothing where the event is over."""
    if not outlooks:
        return []
    able = [o for _, o in outlooks if o.points_needed is not None and not o.impossible]
    able.sort(key=lambda o: ((o.points_needed or 0) / max(o.within, 1), o.player))
    if able:
        more = [f"  … and {len(able) - CLOSEST} more"] if len(able) > CLOSEST else []
        return ["", "Still possible:", *(f"  {o.summary()}" for o in able[:CLOSEST]), *more]
    return ["", "The event is not over; no norm is in sight against opponents like those so far."]


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    empty = [c for c in ("left out",) if c in frame.columns and (frame[c] == "").all()]
    return frame.drop(empty)
