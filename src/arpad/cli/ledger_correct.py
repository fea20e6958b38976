"""`arpad ledger correct`: an event, or one game of it, put right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.deciding import WhoOption, WhyOption, day_given, decided
from arpad.cli.ledger_place import DbOption  # noqa: TC001 - Typer reads the annotation
from arpad.cli.output import FormatOption, OutputOption  # noqa: TC001 - likewise
from arpad.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["add_to", "numbered"]

Text = str | None


def add_to(group: typer.Typer) -> None:
    """Register the verb."""
    group.command()(correct)


def numbered(connection: Connection, event: str, game: int | None) -> int:
    """Return the number of an event; a game must be one of its."""
    from arpad.office.deciding.correcting_games import game_row
    from arpad.office.deciding.subjects import event_called

    which = event_called(connection, event)
    if game is not None and game_row(connection, game)["event_id"] != which.id:
        raise UsageError(
            f"game {game} is none of {which.called()}: arpad ledger show {which.id} lists its games"
        )
    return which.id


def correct(
    event: Annotated[
        str, typer.Argument(help="The event: its number, its name or a part.", metavar="EVENT")
    ],
    why: WhyOption,
    game: Annotated[
        int | None, typer.Option("--game", help="The game (arpad ledger show has numbers).")
    ] = None,
    result: Annotated[
        Text, typer.Option(help="Of the game: 1-0, 0-1, 1/2, +:- (forfeit), -:+, -:-, *.")
    ] = None,
    status: Annotated[
        Text, typer.Option(help="Of the game: played, unrated, forfeit or unplayed.")
    ] = None,
    swap: Annotated[
        bool, typer.Option("--swap-colours", help="White was Black; points stay with the player.")
    ] = False,
    white: Annotated[Text, typer.Option(help="Who had White.")] = None,
    black: Annotated[Text, typer.Option(help="Who had Black.")] = None,
    date: Annotated[Text, typer.Option(help="Day of the game, YYYY-MM-DD.")] = None,
    round: Annotated[Text, typer.Option(help="Round of the game.")] = None,
    name: Annotated[Text, typer.Option(help="Of the event.")] = None,
    site: Annotated[Text, typer.Option(help="Of the event.")] = None,
    federation: Annotated[Text, typer.Option(help="Of the event.")] = None,
    start: Annotated[Text, typer.Option(help="Its first day, YYYY-MM-DD.")] = None,
    end: Annotated[
        Text, typer.Option(help="Its last day: the period in which it is rated.")
    ] = None,
    time_control: Annotated[
        Text, typer.Option("--time-control", help="standard, rapid or blitz.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="How many it had.", min=1)] = None,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Correct an event, or with --game one of its games.

    arpad ledger correct 'Spring Open' --game 12 --result 0-1 --why 'the scoresheets say so'
    """
    from arpad.office.deciding.correcting import correct_event
    from arpad.office.deciding.correcting_games import correct_game

    texts = {
        "name": name, "site": site, "federation": federation, "time_control": time_control,
        "rounds": rounds, "start": day_given(start, "--start"), "end": day_given(end, "--end"),
    }  # fmt: skip
    of_event: dict[str, Any] = {k: v for k, v in texts.items() if v is not None}
    asked = {
        "--result": result, "--status": status, "--white": white, "--black": black,
        "--date": date, "--round": round, "--swap-colours": swap or None,
    }  # fmt: skip
    of_game = [option for option, value in asked.items() if value is not None]
    if game is None and of_game:
        raise UsageError(f"{of_game[0]}: name the game with --game (arpad ledger show lists them)")
    if game is not None and of_event:
        raise UsageError(
            f"--{next(iter(of_event)).replace('_', '-')} is the event's: leave --game out"
        )

    def verb(c: Connection) -> Decision:
        number = numbered(c, event, game)
        if game is None:
            return correct_event(c, number, **of_event)
        return correct_game(
            c, game, swap=swap, **_game(c, result, status, white, black, date, round)
        )

    decided(db, who, why, verb, format=format, output=output)


def _game(
    c: Connection,
    result: Text,
    status: Text,
    white: Text,
    black: Text,
    date: Text,
    round: Text,
) -> dict[str, Any]:
    from arpad.office.deciding.subjects import person_called
    from arpad.office.records.results import result_of

    values: dict[str, Any] = {} if result is None else dict(result_of(result))
    for name, text in (("white_id", white), ("black_id", black)):
        if text is not None:
            values[name] = person_called(c, text).id
    plain = {"status": status, "date": day_given(date, "--date"), "round": round}
    return values | {k: v for k, v in plain.items() if v is not None}
