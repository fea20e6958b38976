"""`arpad player`: a player of the ledger, and decisions about players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.deciding import WhoOption, WhyOption, day_given, decided, group
from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["add_to"]

PlayerArgument = Annotated[
    str, typer.Argument(help="#number, fide:id, a name or a part of one.", metavar="PLAYER")
]
Text = str | None


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    verbs = group("player", "A player of the ledger: show, merge, unmerge, correct, set a rating.")
    for verb in (show, merge, unmerge, correct, rating):
        verbs.command()(verb)
    app.add_typer(verbs)


def show(
    player: PlayerArgument,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show what the ledger knows of a player: ids, spellings, events, lists, decisions."""
    from arpad.cli.player_shown import card_people
    from arpad.office.deciding.subjects import person_called
    from arpad.office.showing.player_card import player_card

    with opened(db) as ledger, ledger.reading() as connection:
        card = player_card(connection, person_called(connection, player).id)
    emit(
        format,
        output,
        people=lambda: card_people(card),
        rows=lambda: card.events,
        document=card.document,
    )


def merge(
    player: PlayerArgument,
    into: Annotated[str, typer.Argument(help="Who it is: this one stays.", metavar="INTO")],
    why: WhyOption,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Decide that two players are one person; games of the first are the second's from now on."""
    from arpad.office.deciding import merging
    from arpad.office.deciding.subjects import person_called

    def verb(c: Connection) -> Decision:
        return merging.merge(c, person_called(c, player).id, person_called(c, into).id)

    decided(db, who, why, verb, format=format, output=output)


def unmerge(
    player: Annotated[
        str, typer.Argument(help="#number of the player who was merged.", metavar="PLAYER")
    ],
    why: WhyOption,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Decide that a player who was merged into another is a person of his own."""
    from arpad.errors import UsageError
    from arpad.office.deciding import merging

    number = player.strip().lstrip("#")
    if not (number.isascii() and number.isdigit()):
        raise UsageError(
            f"expected the #number that the player had (arpad player show names it), found {player!r}: "
            "by name he is somebody else now"
        )
    decided(db, who, why, lambda c: merging.unmerge(c, int(number)), format=format, output=output)


def correct(
    player: PlayerArgument,
    why: WhyOption,
    name: Annotated[Text, typer.Option(help="The right name.")] = None,
    birth: Annotated[
        Text, typer.Option(help="YYYY, YYYY-MM or YYYY-MM-DD; - is not known.")
    ] = None,
    federation: Annotated[Text, typer.Option(help="Such as GER; - is not known.")] = None,
    sex: Annotated[Text, typer.Option(help="m or w; - is not known.")] = None,
    title: Annotated[Text, typer.Option(help="Such as FM; - takes it away.")] = None,
    id: Annotated[
        list[str] | None,
        typer.Option(help="scheme:value, such as fide:1503014; fide:- takes it away."),
    ] = None,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Correct what is known of a player."""
    from arpad.errors import UsageError
    from arpad.office.deciding import correcting
    from arpad.office.deciding.subjects import person_called

    given = {"name": name, "birth": birth, "federation": federation, "sex": sex, "title": title}
    values = {k: v for k, v in given.items() if v is not None}
    ids: dict[str, str | None] = {}
    for text in id or ():
        scheme, colon, value = text.partition(":")
        if not colon or not scheme.strip() or not value.strip():
            raise UsageError(f"--id: expected scheme:value such as fide:1503014, found {text!r}")
        ids[scheme] = value
    decided(
        db, who, why,
        lambda c: correcting.correct_player(c, person_called(c, player).id, ids=ids, **values),
        format=format, output=output,
    )  # fmt: skip


def rating(
    player: PlayerArgument,
    rating: Annotated[float, typer.Argument(help="The rating.")],
    on: Annotated[
        str,
        typer.Option(
            help="A day (YYYY-MM-DD): it holds before the games of the period of that day."
        ),
    ],
    why: WhyOption,
    policy: Annotated[
        Text, typer.Option(help="The policy that it is for. [every policy]", metavar="NAME")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="What is set with it: total_games=30, k=20.", metavar="KEY=VALUE"
        ),
    ] = None,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Set a rating by hand; it enters the next list as a step of its own, with the reason."""
    from arpad.office.deciding.manual_ratings import set_rating
    from arpad.office.deciding.subjects import person_called

    day, settings = day_given(on, "--on"), _settings(setting or [])
    decided(
        db, who, why,
        lambda c: set_rating(
            c, person_called(c, player).id, rating, on=day, policy=policy, settings=settings
        ),
        format=format, output=output,
    )  # fmt: skip


def _settings(texts: list[str]) -> dict[str, Any]:
    from arpad.errors import UsageError

    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set: expected KEY=VALUE, found {text!r}")
        try:
            number = float(value)
        except ValueError:
            found[key.strip()] = value.strip()
        else:
            found[key.strip()] = int(number) if number.is_integer() else number
    return found
