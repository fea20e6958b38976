"""`arpad ledger`: events and their corrections, whether the ledger is sound, backup and restore."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli.ledger.options import DbOption, Deciding, opened
from arpad.cli.options import day_given
from arpad.cli.output import Emission, emit, ending, say
from arpad.cli.verbs import verb_group
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from arpad.ledger.accounts import Role
    from arpad.ledger.db.backup import Backup
    from arpad.ledger.decisions.decisions import Decision


# `arpad ledger correct`: an event, or one game of it, put right.


def numbered(connection: Connection, event: str, game: int | None) -> int:
    """Return the number of an event; a game must be one of its."""
    from arpad.ledger.decisions.corrections import game_row
    from arpad.ledger.decisions.subjects import event_called

    which = event_called(connection, event)
    if game is not None and game_row(connection, game)["event_id"] != which.id:
        raise UsageError(
            f"game {game} is none of {which.called()}: arpad ledger show {which.id} lists its games"
        )
    return which.id


def correct(
    event: str,
    game: int | None = None,
    result: str | None = None,
    status: Literal["played", "unrated", "forfeit", "unplayed"] | None = None,
    swap: Annotated[bool, typer.Option("--swap-colours")] = False,
    white: str | None = None,
    black: str | None = None,
    date: str | None = None,
    round: str | None = None,
    name: str | None = None,
    site: str | None = None,
    federation: str | None = None,
    start: str | None = None,
    end: str | None = None,
    time_control: Literal["standard", "rapid", "blitz"] | None = None,
    rounds: Annotated[int | None, typer.Option(min=1)] = None,
    *,
    log: Deciding,
) -> Emission:
    """Correct an event, or with --game one of its games.

    arpad ledger correct 'Spring Open' --game 12 --result 0-1 --why 'the scoresheets say so'

    event: The event: its number, its name or a part.
    game: The game; arpad ledger show has the numbers.
    result: Result of the game: 1-0, 0-1, 1/2, +:- (forfeit), -:+, -:-, *.
    status: Status of the game.
    swap: Swap the colours; each player keeps the points.
    white: The player who had White.
    black: The player who had Black.
    date: Day of the game, YYYY-MM-DD.
    round: Round of the game.
    name: New name of the event.
    site: Place of the event.
    federation: Federation of the event, such as GER.
    start: First day of the event, YYYY-MM-DD.
    end: Last day of the event; it decides the rating period.
    time_control: Time control of the event.
    rounds: Number of rounds.
    """
    from arpad.ledger.decisions.corrections import correct_event, correct_game

    texts = {
        "name": name,
        "site": site,
        "federation": federation,
        "time_control": time_control,
        "rounds": rounds,
        "start": day_given(start, "--start"),
        "end": day_given(end, "--end"),
    }
    of_event: dict[str, Any] = {k: v for k, v in texts.items() if v is not None}
    asked = {
        "--result": result,
        "--status": status,
        "--white": white,
        "--black": black,
        "--date": date,
        "--round": round,
        "--swap-colours": swap or None,
    }
    of_game = [option for option, value in asked.items() if value is not None]
    if game is None and of_game:
        raise UsageError(f"{of_game[0]}: name the game with --game (arpad ledger show lists them)")
    if game is not None and of_event:
        raise UsageError(f"--{next(iter(of_event)).replace('_', '-')} is the event's: leave --game out")

    def verb(c: Connection) -> Decision:
        number = numbered(c, event, game)
        if game is None:
            return correct_event(c, number, **of_event)
        return correct_game(c, game, swap=swap, **_game(c, result, status, white, black, date, round))

    return log.take(verb)


def _game(
    c: Connection,
    result: str | None,
    status: str | None,
    white: str | None,
    black: str | None,
    date: str | None,
    round: str | None,
) -> dict[str, Any]:
    from arpad.ledger.decisions.subjects import person_called
    from arpad.ledger.games import result_of

    values: dict[str, Any] = {} if result is None else dict(result_of(result))
    for name, text in (("white_id", white), ("black_id", black)):
        if text is not None:
            values[name] = person_called(c, text).id
    plain = {"status": status, "date": day_given(date, "--date"), "round": round}
    return values | {k: v for k, v in plain.items() if v is not None}


# `arpad ledger`: the events of the ledger, and decisions about events and games.

EventArgument = Annotated[
    str, typer.Argument(help="The event: its number, its name or a part of it.", metavar="EVENT")
]
GameOption = Annotated[
    int | None, typer.Option("--game", help="Only this game of the event; arpad ledger show has the numbers.")
]


def events(name: Annotated[str | None, typer.Argument()] = None, db: DbOption = None) -> Emission:
    """List the events, by their last day.

    name: Only events with this in their name.
    """
    from arpad.ledger.queries.events import events_table

    with opened(db) as ledger, ledger.reading() as connection:
        result = events_table(connection, name)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        if result.is_empty():
            return ["no events" if name is None else f"no event is called {name!r}"]
        table = result.rename({"event": "no.", "time_control": "time control"})
        return [rich_table(table)]

    return partial(emit, people=people, rows=lambda: result, document=lambda: {"events": result.to_dicts()})


def show(event: EventArgument, db: DbOption = None) -> Emission:
    """Show an event with its games, and what was decided about it."""
    from arpad.cli.ledger.options import decision_document
    from arpad.ledger.decisions.decisions import decisions
    from arpad.ledger.decisions.subjects import event_called
    from arpad.ledger.queries.events import event_games

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

    return partial(
        emit,
        people=people,
        rows=lambda: games,
        document=lambda: {
            "event": {
                "id": which.id,
                "name": which.name,
                "start": which.start,
                "end": which.end,
                "time_control": which.time_control,
                "excluded": which.excluded,
            },
            "games": games.to_dicts(),
            "decisions": [decision_document(d) for d in about],
        },
    )


def exclude(event: EventArgument, game: GameOption = None, *, log: Deciding) -> Emission:
    """Leave an event, or one game of it, out of every list."""
    from arpad.ledger.decisions.corrections import exclude_event, exclude_game

    return log.take(_of_either(event, game, exclude_event, exclude_game))


def include(event: EventArgument, game: GameOption = None, *, log: Deciding) -> Emission:
    """Let an event, or one game of it, count again."""
    from arpad.ledger.decisions.corrections import include_event, include_game

    return log.take(_of_either(event, game, include_event, include_game))


def _of_either(
    event: str,
    game: int | None,
    of_event: Callable[[Connection, int], Decision],
    of_game: Callable[[Connection, int], Decision],
) -> Callable[[Connection], Decision]:
    """Return what decides about an event, or about the game of it that is named."""

    def verb(connection: Connection) -> Decision:
        number = numbered(connection, event, game)
        return of_event(connection, number) if game is None else of_game(connection, game)

    return verb


def repair(
    event: EventArgument,
    how: Annotated[Literal["leave", "adjust", "correct"], typer.Option()],
    policy: str | None = None,
    player: list[str] | None = None,
    rating: Annotated[list[str] | None, typer.Option("--set")] = None,
    pressure: bool = False,
    *,
    log: Deciding,
) -> Emission:
    """Move ratings that do not fit an event, as the Tournament App does; they hold from its period on.

    how: leave keeps the ratings, adjust moves flagged ratings to the line, correct estimates them again from the line.
    policy: The policy whose ratings to use where the report has none. [the report's, for all]
    player: Only the rating of this player; repeatable.
    rating: Set a rating yourself, NAME=RATING; repeatable.
    pressure: Also repair ratings that are 75 to 100 points off.
    """
    from arpad.ledger.decisions.ratings import repair_event

    own = _ratings(rating or [])
    chosen: Any = how

    def verb(c: Connection) -> Decision:
        return repair_event(
            c,
            numbered(c, event, None),
            chosen,
            policy=policy,
            players=player or ([] if own else None),
            pressure=pressure,
            ratings=own,
        )

    return log.take(verb)


def _ratings(texts: list[str]) -> dict[str, float]:
    from arpad.errors import UsageError

    result = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            result[name.strip()] = float(value)
        except ValueError:
            name = ""
        if not name.strip():
            raise UsageError(f"--set: expected NAME=RATING, found {text!r}")
    return result


# `arpad ledger info` and `check`: what the ledger is, and whether it is sound.

UNITS = ("bytes", "kB", "MB", "GB")


def info(db: DbOption = None) -> Emission:
    """Show where the ledger is, what it contains and its size."""
    import polars as pl

    from arpad.ledger.db.backup import ledger_info
    from arpad.ledger.db.ledger import Ledger
    from arpad.publish.tables import rich_table

    with Ledger.at_any_revision(db) as ledger:
        result = ledger_info(ledger)
    table = pl.DataFrame(
        {"table": list(result.rows), "rows": list(result.rows.values())},
        schema={"table": pl.String, "rows": pl.Int64},
    )
    sentence = f"{result.place}: {result.database}, revision {result.revision}, {_size(result.size)}"
    return partial(
        emit,
        people=lambda: [rich_table(table), "", sentence],
        rows=lambda: table,
        document=lambda: asdict(result),
    )


def _size(count: float) -> str:
    """Return bytes in words.

    Examples
    --------
    >>> _size(999), _size(188_416), _size(2_500_000_000)
    ('999 bytes', '188 kB', '2.5 GB')
    """
    unit = UNITS[0]
    for unit in UNITS:
        if count < 1000 or unit == UNITS[-1]:
            break
        count /= 1000
    return f"{count:.1f} {unit}" if count < 10 and unit != "bytes" else f"{count:.0f} {unit}"


def look_over(db: DbOption = None) -> Emission:
    """Read every row and check that the ledger is sound. The exit code is 1 if it is not."""
    import polars as pl

    from arpad.ledger.db.backup import check_ledger
    from arpad.ledger.db.ledger import Ledger

    with Ledger.at_any_revision(db) as ledger:
        faults, place = check_ledger(ledger), ledger.place.shown
    emission = partial(
        emit,
        people=lambda: [*faults, f"{place}: {'not sound' if faults else 'sound'}"],
        rows=lambda: pl.DataFrame({"fault": faults}, schema={"fault": pl.String}),
        document=lambda: {"place": place, "sound": not faults, "faults": faults},
    )
    return ending(emission, no=bool(faults))


def imports(db: DbOption = None) -> Emission:
    """List the files that were imported, each with its number."""
    import polars as pl
    import sqlalchemy as sa

    from arpad.ledger.db import tables
    from arpad.ledger.db.bulk import frame
    from arpad.publish.tables import rich_table

    i = tables.imports.c
    columns = (i.id.label("import"), i.file, i.format, i.when, i.who, i.events, i.games, i.players_new)
    with opened(db) as ledger, ledger.reading() as connection:
        rows = frame(connection, sa.select(*columns).order_by(i.id))
    rows = rows.with_columns(pl.col("when").dt.strftime("%Y-%m-%d %H:%M"))
    return partial(
        emit,
        people=lambda: [rich_table(rows) if rows.height else "nothing was imported yet"],
        rows=lambda: rows,
        document=lambda: {"imports": rows.to_dicts()},
    )


def take_import_out(number: int, *, log: Deciding) -> Emission:
    """Undo an import: remove its events, its games, and players who appear nowhere else.

    Refused once a published list or a decision rests on it: from then on it is a correction.

    number: The number of the import (arpad ledger imports).
    """
    from arpad.ledger.imports.importing import undo_import

    return log.take(lambda c: undo_import(c, number))


def backup(file: str, db: DbOption = None, replace: bool = False) -> Emission:
    """Save the whole ledger in one file.

    Others may use the ledger meanwhile. The file has a checksum for every table, and you can open it with --db.
    `arpad restore` reads it into SQLite or PostgreSQL.

    file: The file to write.
    replace: Replace an existing file.
    """
    from arpad.ledger.db.backup import back_up
    from arpad.ledger.db.ledger import Ledger

    with Ledger.at_any_revision(db, on_wait=say) as ledger:
        made = back_up(ledger, file, replace=replace)
        return _show(made, f"{ledger.place.shown} is kept in {file}", file)


def restore(file: str, db: DbOption = None, replace: bool = False) -> Emission:
    """Read a backup into SQLite or PostgreSQL, completely or not at all.

    arpad verifies every checksum first. The ledger must be empty or missing, unless you give --replace.

    file: A file that `arpad backup` made.
    replace: Replace the present content of the ledger.
    """
    from arpad.ledger.db.backup import restore as bring_back
    from arpad.ledger.db.ledger import Place

    held = bring_back(file, db, replace=replace)
    if held.dropped:
        say(f"published lists that this backup lacks or has with other figures: {', '.join(held.dropped)}")
        say(f"the previous ledger is kept in {held.copy}")
    return _show(held, f"{file} is back in {Place.of(db).shown}", file)


def _show(held: Backup, sentence: str, file: str) -> Emission:
    import polars as pl

    from arpad.publish.tables import rich_table

    table = pl.DataFrame(
        [(name, rows, sha) for name, (rows, sha) in held.tables.items()],
        schema={"table": pl.String, "rows": pl.Int64, "sha256": pl.String},
        orient="row",
    )

    def people() -> list[object]:
        shown = table.filter(pl.col("rows") > 0).drop("sha256")
        when = f"made {held.made:%Y-%m-%d %H:%M} UTC, revision {held.revision}, {held.rows():,} rows"
        return [*([rich_table(shown), ""] if shown.height else []), f"{sentence} ({when})."]

    return partial(
        emit,
        people=people,
        rows=lambda: table,
        document=lambda: {
            "file": file,
            "made": held.made.isoformat(),
            "revision": held.revision,
            "tables": table.to_dicts(),
            "dropped": list(held.dropped),
            "copy": None if held.copy is None else str(held.copy),
        },
    )


def upgrade(db: DbOption = None, backup: str | None = None) -> None:
    """Upgrade a ledger of an older arpad; arpad makes a backup first and changes no figure.

    backup: Where to put the copy of the old ledger. [beside the ledger, or in this folder]
    """
    from arpad.ledger.db.backup import upgrade as bring_forward
    from arpad.ledger.db.tables import HEAD

    old, kept = bring_forward(db, copy=backup)
    if kept is None:
        say(f"nothing to do: the ledger is up to date (revision {HEAD})")
    else:
        say(f"the ledger is of revision {HEAD} now; as it was ({old}), it is kept in {kept}")


# ``arpad account``: who can sign in to the web app.

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the account.")]


def add(
    name: Name, role: Literal["viewer", "arbiter", "officer", "administrator"] = "viewer", db: DbOption = None
) -> None:
    """Make an account; the password is asked for, or read from the input.

    Where there is no ledger yet, an empty one is made.

    role: What the account may do.
    """
    from arpad.cli.output import say
    from arpad.ledger.accounts import add_account
    from arpad.ledger.db.ledger import Place

    place = Place.of(db)
    new = place.file if place.file is not None and not place.file.exists() else None
    try:
        with opened(db, create=new is not None) as ledger:
            password = _password(name)
            with ledger.writing(None, f"account {name}") as connection:
                made = add_account(connection, name, password, _role(role))
    except BaseException:
        if new is not None:  # a password that is too short leaves no empty ledger behind
            new.unlink(missing_ok=True)
        raise
    if new is not None:
        say(f"{place.shown} is a new, empty ledger: `arpad serve` shows it, events are uploaded there")
    say(f"{made.name} can sign in as {made.role}")


def password(name: Name, db: DbOption = None) -> None:
    """Change the password of an account; its sessions end."""
    from arpad.cli.output import say
    from arpad.ledger.accounts import change_password

    with opened(db) as ledger:
        new = _password(name)
        with ledger.writing(None, f"account {name}") as connection:
            change_password(connection, name, new)
    say(f"{name} has another password")


def role(
    name: Name, role: Literal["viewer", "arbiter", "officer", "administrator"], db: DbOption = None
) -> None:
    """Change the role of an account.

    A viewer looks. An arbiter also uploads and answers doubts about players and reports. An officer also makes
    lists and decides. An administrator also manages accounts and sees days of birth.

    role: What the account may do.
    """
    from arpad.cli.output import say
    from arpad.ledger.accounts import change_role

    with opened(db) as ledger, ledger.writing(None, f"account {name}") as connection:
        change_role(connection, name, _role(role))
    say(f"{name} is {role} now")


def remove(name: Name, db: DbOption = None) -> None:
    """Remove an account; its decisions keep its name."""
    from arpad.cli.output import say
    from arpad.ledger.accounts import remove_account

    with opened(db) as ledger, ledger.writing(None, f"account {name}") as connection:
        remove_account(connection, name)
    say(f"{name} can no longer sign in")


def listed(db: DbOption = None) -> Emission:
    """Show who can sign in."""
    import polars as pl

    from arpad.cli.output import emit
    from arpad.ledger.accounts import accounts
    from arpad.publish.tables import rich_table

    with opened(db) as ledger, ledger.reading() as connection:
        result = [{"name": a.name, "role": a.role, "created": a.created.date()} for a in accounts(connection)]
    rows = pl.DataFrame(result, schema={"name": pl.String, "role": pl.String, "created": pl.Date})
    words = "nobody can sign in yet: arpad account add NAME --role administrator"
    return partial(
        emit,
        people=lambda: [rich_table(rows)] if result else [words],
        rows=lambda: rows,
        document=lambda: {"accounts": result},
    )


def _role(role: str) -> Role:
    from typing import cast

    return cast("Role", role)  # the function that writes it checks that it is one


def _password(name: str) -> str:
    """Ask for a password twice; a program gives it as the first line of the input."""
    from arpad.errors import UsageError

    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = str(typer.prompt(f"Password of {name}", hide_input=True))
    if first != typer.prompt("Once more", hide_input=True):
        raise UsageError("the two passwords differ: nothing was changed")
    return first


account = verb_group(
    "Manage who can sign in to the web app.",
    {"add": add, "password": password, "role": role, "remove": remove, "list": listed},
)
ledger = verb_group(
    "Events of the ledger: list and show them, exclude, include, correct, repair.",
    {
        **{verb.__name__: verb for verb in (events, show, exclude, include, correct, repair, info, imports)},
        "check": look_over,
        "undo-import": take_import_out,
    },
)
