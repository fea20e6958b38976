"""`arpad titles`: norms and titles over time, from the ledger."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption, emit, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.office.verdicts.titles import TitleStanding

__all__ = ["add_to"]


class Rules(StrEnum):
    """Whose titles."""

    fide = "fide"
    uscf = "uscf"


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(titles)


def titles(
    player: Annotated[
        str | None, typer.Option(help="One player: every title, and what is missing.")
    ] = None,
    rules: Annotated[
        Rules, typer.Option(help="FIDE's of today, or the USCF's of 1994.")
    ] = Rules.fide,
    policy: Annotated[
        str | None,
        typer.Option(help="Whose published lists count as ratings, beside those of reports."),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the norms and titles in the ledger.")
    ] = False,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Say who has earned which title, since when and because of what, and what others still need.

    arpad titles --policy fide

    arpad titles --player 'Hero, Hanna' --rules uscf
    """
    from arpad.office.deciding.manual_ratings import check_policy
    from arpad.office.deciding.subjects import person, person_called
    from arpad.office.verdicts.title_records import record_titles
    from arpad.office.verdicts.titles import titles_over_time

    with opened(db) as ledger:
        if record:
            with ledger.writing(None, "titles") as connection:
                check_policy(connection, policy)
                kept = record_titles(connection, rules.value, policy=policy)
            say(
                f"kept: {kept.norms} norms ({kept.new_norms} new), {kept.titles} titles ({kept.new_titles} new)"
            )
        with ledger.reading() as connection:
            check_policy(connection, policy)
            only = None if player is None else [person_called(connection, player).id]
            found = titles_over_time(connection, rules.value, policy=policy, players=only)
            names = {n: person(connection, n).name for n in {s.player for s in found}}

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        if not found:
            return ["nobody has a norm, or the rating of a title, that the ledger knows of"]
        parts: list[object] = [rich_table(_table(found, names).drop("rules", "player_id"))]
        if only is not None:
            parts += _norm_lines(found)
        return parts

    emit(
        format,
        output,
        people=people,
        rows=lambda: _table(found, names),
        document=lambda: {
            "rules": rules.value,
            "policy": policy,
            "titles": [_document(s, names) for s in found],
        },
    )


def _table(found: Sequence[TitleStanding], names: dict[int, str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        {
            "player_id": [s.player for s in found],
            "player": [names[s.player] for s in found],
            "title": [s.title for s in found],
            "earned": [s.complete for s in found],
            "since": [s.awarded for s in found],
            "norms": [sum(n.norms for n in s.norms) for s in found],
            "counted": [f"{s.counted} of {s.needed}" for s in found],
            "because": [s.because() if s.complete else None for s in found],
            "missing": ["; ".join(s.missing) or None for s in found],
            "rules": [s.rules for s in found],
        },
        schema_overrides={"since": pl.Date, "because": pl.String, "missing": pl.String},
    )


def _norm_lines(found: Sequence[TitleStanding]) -> list[str]:
    lines = []
    for one in found:
        for norm in one.norms:
            day = norm.on.isoformat() if norm.on else "?"
            worth = f"{norm.games} games" if norm.games else f"{norm.norms} norms"
            by = f", granted by decision {norm.granted_by}" if norm.granted_by else ""
            lines.append(f"{one.title} norm: {norm.event_name}, {day} ({worth}{by})")
    return lines


def _document(one: TitleStanding, names: dict[int, str]) -> dict[str, Any]:
    return {
        "player_id": one.player,
        "player": names[one.player],
        "title": one.title,
        "rules": one.rules,
        "earned": one.complete,
        "since": one.awarded,
        "counted": one.counted,
        "needed": one.needed,
        "rating_needed": one.rating_needed,
        "reached": None if one.reached is None else _reached(one.reached),
        "best": None if one.best is None else _reached(one.best),
        "missing": list(one.missing),
        "norms": [
            {
                "event": n.event, "event_name": n.event_name, "on": n.on, "games": n.games,
                "norms": n.norms, "exempt": n.exempt, "forgiven": n.forgiven,
                "granted_by": n.granted_by, "verdict": dict(n.verdict),
            }
            for n in one.norms
        ],
    }  # fmt: skip


def _reached(found: Any) -> dict[str, Any]:
    return {"rating": found.rating, "on": found.on, "where": found.where}
