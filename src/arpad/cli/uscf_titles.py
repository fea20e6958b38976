"""`arpad uscf titles`: who has earned which norms and titles, over some events."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say, width
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
    write_report,
)
from arpad.cli.uscf_schedule import ChanceOption, ExactOption, schedule_of

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.uscf_history import TitleHistory
    from arpad.event.uscf_titles import Status
    from arpad.model import Games

__all__ = ["add_to"]


LONG = 31
"""Days beyond which games are hardly one event."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(titles)


def titles(
    files: FilesArgument,
    player: Annotated[
        Optional[str],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="One player, by name, part of it, or id: norm by norm."),
    ] = None,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Give everybody's norms and titles after some events, in the order of their dates.

    arpad uscf titles spring.csv summer.csv

    arpad uscf titles 1994.trf --player Smith
    """
    from arpad.event.norm_people import find_player
    from arpad.event.uscf_history import title_histories

    schedule = schedule_of(norm_chance, exact)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading)
    games = reading.games
    histories = title_histories(games, schedule=schedule)
    days = games.table["date"].drop_nulls()
    if len(games.events) < 2 and len(days) and (max(days) - min(days)).days > LONG:
        say(
            f"games from {min(days)} to {max(days)} are taken as one event, for the file names no others: "
            "norms go by events, and a column event tells them apart"
        )
    row = None if player is None else find_player(games, player)
    if row is not None:
        histories = {r: h for r, h in histories.items() if r == row}
    write_report(reading, report)

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        if row is not None:
            return _one(games, row, histories.get(row))
        frame = _rows(games, histories)
        named = frame.drop("id") if frame["id"].is_null().all() else frame
        table = rich_table(fitted(named, width()))
        unrated = sum(h.left_out > 0 for h in histories.values())
        return [
            table,
            "",
            "Five norms make a title, 20 a life title (uscf1994).",
            *(
                [f"{unrated} players met unrated ones: those games do not count."]
                if unrated
                else []
            ),
        ]

    emit(
        format,
        output,
        people=people,
        rows=lambda: _rows(games, histories),
        document=lambda: {
            "parameters": {"rules": "uscf1994", **schedule.parameters()},
            "players": [_document(games, r, h) for r, h in histories.items()],
            **reading_document(reading),
        },
    )


def _rows(games: Games, histories: dict[int, TitleHistory]) -> pl.DataFrame:
    import polars as pl

    from arpad.event.uscf_titles import title_called

    found = sorted(
        histories.items(),
        key=lambda item: (
            -max((title_called(t).level for t in item[1].status.titles), default=0),
            games.players["name"][item[0]] or "",
        ),
    )
    life = [", ".join(_life(h.status)) for _, h in found]
    return pl.DataFrame(
        {
            "player": [games.players["name"][r] for r, _ in found],
            "id": [games.players["id"][r] for r, _ in found],
            "events": [h.events for _, h in found],
            "card": [h.card() for _, h in found],
            **({"life": life} if any(life) else {}),
            "norms": [_under_way(h.status) for _, h in found],
        },
        schema_overrides={"id": pl.String, "card": pl.String},
    )


def _life(status: Status) -> list[str]:
    from arpad.event.uscf_titles import title_called

    return [name for name in status.titles if title_called(name).life]


def _under_way(status: Status) -> str:
    return ", ".join(
        f"{status.toward(t)} of {t.norms} {t.name}" for t in status.sought() if status.toward(t)
    )


def _one(games: Games, row: int, history: TitleHistory | None) -> list[object]:
    from arpad.publish.tables import rich_table

    name = games.players["name"][row]
    if history is None:
        return [f"{name} has no games that were played."]
    frame = history.table()
    frame = frame.with_columns(frame["level"].cast(str))  # no comma in 1000
    shown = frame if frame["on"].is_not_null().any() else frame.drop("on")
    return [
        f"{name}: {history.summary()}.",
        *([rich_table(shown)] if frame.height else ["No norm was made."]),
        *(f"Note: {note}." for note in history.notes),
    ]


def _document(games: Games, row: int, history: TitleHistory) -> dict[str, object]:
    status = history.status
    return {
        "player": games.players["name"][row],
        "id": games.players["id"][row],
        "events": history.events,
        "left_out": history.left_out,
        "card": history.card(),
        "titles": [asdict(award) for award in history.titles],
        "norms": [
            {"title": t.name, "level": t.level, "norms": status.toward(t), "needed": t.norms}
            for t in status.sought()
            if status.toward(t)
        ],
        "earned": [asdict(one) for one in history.earned],
        "notes": list(history.notes),
    }
