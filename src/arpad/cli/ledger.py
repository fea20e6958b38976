"""`arpad ledger`: the events of the ledger, and decisions about events and games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli import ledger_correct
from arpad.cli.deciding import WhoOption, WhyOption, decided, group
from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["add_to"]

EventArgument = Annotated[
    str, typer.Argument(help="The event: its number, its name or a part of it.", metavar="EVENT")
]
GameOption = Annotated[
    int | None, typer.Option("--game", help="Only this game of it (arpad ledger show).")
]


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    verbs = group(
        "ledger", "Events of the ledger: list and show them, exclude, include, correct, repair."
    )
    for verb in (events, show, exclude, include):
        verbs.command()(verb)
    ledger_correct.add_to(verbs)
    verbs.command()(repair)
    app.add_typer(verbs)


def events(
    name: Annotated[str | None, typer.Argument(help="Only events with this in their name.")] = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """List the events, by their last day."""
    from arpad.office.showing.event_sheet import events_table

    with opened(db) as ledger, ledger.reading() as connection:
        found = events_table(connection, name)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        if found.is_empty():
            return ["no events" if name is None else f"no event is called {name!r}"]
        table = found.rename({"event": "no.", "time_control": "time control"})
        return [rich_table(table)]

    emit(
        format,
        output,
        people=people,
        rows=lambda: found,
        document=lambda: {"events": found.to_dicts()},
    )


def show(
    event: EventArgument,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show an event with its games, and what was decided about it."""
    from arpad.cli.deciding import decision_document
    from arpad.office.deciding.decisions import decisions
    from arpad.office.deciding.subjects import event_called
    from arpad.office.showing.event_sheet import event_games

    with opened(db) as ledger, ledger.reading() as connection:
        which = event_called(connection, event)
        games = event_games(connection, which.id)
        about = decisions(connection, about=[which.subject])

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        head = [which.called(), which.time_control, "does not count" if which.excluded else None]
        table = games.rename({"white_rating": "rating", "black_rating": "rating "})
        return [
            " · ".join(h for h in head if h),
            rich_table(table.drop("white_id", "black_id"), digits={"rating": 0, "rating ": 0}),
            *(f"decision {d.summary()}" for d in about),
        ]

    emit(
        format,
        output,
        people=people,
        rows=lambda: games,
        document=lambda: {
            "event": {
                "id": which.id, "name": which.name, "start": which.start, "end": which.end,
                "time_control": which.time_control, "excluded": which.excluded,
            },
            "games": games.to_dicts(),
            "decisions": [decision_document(d) for d in about],
        },
    )  # fmt: skip


def exclude(
    event: EventArgument,
    why: WhyOption,
    game: GameOption = None,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Leave an event, or one game of it, out of every list."""
    from arpad.office.deciding.excluding import exclude_event, exclude_game

    verb = _of_either(event, game, exclude_event, exclude_game)
    decided(db, who, why, verb, format=format, output=output)


def include(
    event: EventArgument,
    why: WhyOption,
    game: GameOption = None,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Let an event, or one game of it, count again."""
    from arpad.office.deciding.excluding import include_event, include_game

    verb = _of_either(event, game, include_event, include_game)
    decided(db, who, why, verb, format=format, output=output)


def _of_either(
    event: str,
    game: int | None,
    of_event: Callable[[Connection, int], Decision],
    of_game: Callable[[Connection, int], Decision],
) -> Callable[[Connection], Decision]:
    """Return what decides about an event, or about the game of it that is named."""

    def verb(connection: Connection) -> Decision:
        number = ledger_correct.numbered(connection, event, game)
        return of_event(connection, number) if game is None else of_game(connection, game)

    return verb


def repair(
    event: EventArgument,
    how: Annotated[
        str,
        typer.Option(
            help="leave: the ratings stand; adjust: flagged ones go to the line; correct: they are deleted and come back from it."
        ),
    ],
    why: WhyOption,
    policy: Annotated[
        str | None,
        typer.Option(help="Whose ratings, where the report has none. [the report's, for all]"),
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option(help="Only this player's rating; may be repeated.")
    ] = None,
    rating: Annotated[
        list[str] | None,
        typer.Option("--set", help="A rating by hand, NAME=RATING; may be repeated."),
    ] = None,
    pressure: Annotated[
        bool, typer.Option("--pressure", help="Also those 75 to 100 points off.")
    ] = False,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Move ratings that do not fit an event, as the Tournament App does; they hold from its period on."""
    from arpad.office.deciding.repairing import repair_event

    own = _ratings(rating or [])
    chosen: Any = how

    def verb(c: Connection) -> Decision:
        return repair_event(
            c,
            ledger_correct.numbered(c, event, None),
            chosen,
            policy=policy,
            players=player or ([] if own else None),
            pressure=pressure,
            ratings=own,
        )

    decided(db, who, why, verb, format=format, output=output)


def _ratings(texts: list[str]) -> dict[str, float]:
    from arpad.errors import UsageError

    found = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            name = ""
        if not name.strip():
            raise UsageError(f"--set: expected NAME=RATING, found {text!r}")
    return found
