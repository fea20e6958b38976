"""`arpad uscf odds`: how likely a norm and a title are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.cli.uscf_schedule import ChanceOption, ExactOption, schedule_of

if TYPE_CHECKING:
    from arpad.event.uscf_odds import OddsModel

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(odds)


def odds(
    title: Annotated[str, typer.Argument(help="A title, such as Master, or its level: 2200.")],
    strength: Annotated[float, typer.Argument(help="The rating that the results follow.")],
    opponents: Annotated[
        str, typer.Option(help="Their ratings in each event: 2200,2100x3 is four of them.")
    ],
    events: Annotated[int, typer.Option(help="How many such events.")] = 10,
    norms: Annotated[int, typer.Option(help="Norms that the player has already.")] = 0,
    draws: Annotated[float, typer.Option(help="The share of drawn games between equals.")] = 0.0,
    model: Annotated[
        str, typer.Option(help="exact: every score; normal: as the report reckons.")
    ] = "exact",
    single: Annotated[
        bool, typer.Option("--single", help="One norm an event at most, as the report reckons.")
    ] = False,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Say how likely norms are in one event, and the title within several.

    arpad uscf odds Master 2150 --opponents 2200x4

    arpad uscf odds 2000 1900 --opponents 2000x4 --model normal --single
    """
    from arpad.cli.rating_list import ratings_given
    from arpad.event.uscf_title_odds import uscf_title_odds

    found = uscf_title_odds(
        title,
        strength,
        ratings_given(opponents),
        events=events,
        norms=norms,
        several=not single,
        draws=draws,
        model=cast("OddsModel", model),
        schedule=schedule_of(norm_chance, exact),
    )

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        shown = rich_table(found.event.table(), digits={"probability": 4, "or_more": 4})
        return [f"{found.event.summary()}.", shown, "", f"{found.summary()}."]

    def document() -> dict[str, object]:
        return {
            "title": found.title,
            "strength": strength,
            "opponents": list(found.event.opponents),
            "norm": found.event.one,
            "norms": found.event.table().to_dicts(),
            "expected_norms": found.event.expected,
            "events": found.events,
            "needed": found.needed,
            "chance": found.chance,
            "by_event": list(found.by_event),
            "expected_events": found.expected_events,
            "parameters": found.parameters,
        }

    emit(format, output, people=people, rows=found.table, document=document)
