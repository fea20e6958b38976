"""`arpad uscf`: what the U.S. Chess Federation's report of 1994 has beside ratings."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Optional, cast

import typer

from arpad.cli.options import (
    ColumnsOption,
    DatesOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    SheetOption,
    StrictOption,
    check_any_played,
    read_files,
    write_report,
)
from arpad.cli.output import Emission, emit, emits, reading_document, say, width

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.norms.odds import OddsModel
    from arpad.event.norms.uscf import Schedule, Status, TitleHistory
    from arpad.model import Games


# `arpad uscf fide`: a USCF rating after FIDE-rated events abroad.


def add_uscf_fide(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(fide)


@emits
def fide(
    rating: Annotated[float, typer.Argument(help="The USCF rating now.")],
    file: Annotated[
        str,
        typer.Argument(
            help="FIDE's printout as CSV: fed, city, ro, w, n, chg; - is standard input.", metavar="FILE"
        ),
    ],
    as_uscf: Annotated[
        Optional[float],  # noqa: UP045 - Typer reads the annotation
        typer.Option("--as-uscf", help="The FIDE rating on the USCF scale. [by table 1 of the report]"),
    ] = None,
    home: Annotated[str, typer.Option(help="The federation whose events are left out.")] = "USA",
    k: Annotated[float, typer.Option("--k", help="Points a game.")] = 8.0,
) -> Emission:
    """Bring a USCF rating up to date with half a year of FIDE-rated events.

    arpad uscf fide 2795 kamsky.csv
    """
    from arpad.event.uscf import FideResult, rated_from_fide
    from arpad.read.fide_list import read_printout
    from arpad.read.source import Report, Source

    results = [
        FideResult(
            event=line.city,
            federation=line.federation,
            rating=line.rating,
            score=line.score,
            games=line.games,
            change=line.change,
        )
        for line in read_printout(Source(file, Report()))
    ]
    if as_uscf is None:
        found = rated_from_fide(rating, results, home=home, K=k)
    else:
        found = rated_from_fide(rating, results, to_uscf=lambda _: as_uscf, home=home, K=k)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        digits = {"rating": 0, "change": 2}
        steps = (
            f"N = {found.games}, W = {found.score:g}, d = {found.difference:.2f}, E = {found.expected:.2f}, "
            f"A = {found.addition or 0:g}, E_adj = {found.adjusted:.2f}."
        )
        return [
            rich_table(found.table(), digits=digits),
            "",
            *([steps] if found.counted else []),
            f"{found.summary()}.",
        ]

    def document() -> dict[str, object]:
        return {**asdict(found), "change": found.change}

    return partial(emit, people=people, rows=found.table, document=document)


# The options that say how hard a USCF norm is.

ChanceOption = Annotated[
    float,
    typer.Option("--norm-chance", help="P: how often a player of just the level makes a norm, in per cent."),
]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Do not round Δ/√n to three decimals, as the report does.")
]


def schedule_of(norm_chance: float, exact: bool) -> Schedule:
    """Return the schedule that the options ask for."""
    from arpad.event.norms.uscf import Schedule

    return Schedule(norm_chance, exact)


# `arpad uscf odds`: how likely a norm and a title are.


def add_uscf_odds(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(odds)


@emits
def odds(
    title: Annotated[str, typer.Argument(help="A title, such as Master, or its level: 2200.")],
    strength: Annotated[float, typer.Argument(help="The rating that the results follow.")],
    opponents: Annotated[str, typer.Option(help="Their ratings in each event: 2200,2100x3 is four of them.")],
    events: Annotated[int, typer.Option(help="How many such events.")] = 10,
    norms: Annotated[int, typer.Option(help="Norms that the player has already.")] = 0,
    draws: Annotated[float, typer.Option(help="The share of drawn games between equals.")] = 0.0,
    model: Annotated[
        str, typer.Option(help="exact: every score; normal: as the report calculates.")
    ] = "exact",
    single: Annotated[
        bool, typer.Option("--single", help="One norm an event at most, as the report counts.")
    ] = False,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
) -> Emission:
    """Say how likely norms are in one event, and the title within several.

    arpad uscf odds Master 2150 --opponents 2200x4

    arpad uscf odds 2000 1900 --opponents 2000x4 --model normal --single
    """
    from arpad.cli.options import ratings_given
    from arpad.event.norms.odds import uscf_title_odds

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

    return partial(emit, people=people, rows=found.table, document=document)


# `arpad uscf titles`: who has earned which norms and titles, over some events.

LONG = 31
"""Days beyond which games are hardly one event."""


def add_uscf_titles(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(titles)


@emits
def titles(
    files: FilesArgument,
    player: Annotated[
        Optional[str],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="One player, by name, part of it, or id: norm by norm."),
    ] = None,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
    columns: ColumnsOption = None,
    dates: DatesOption = None,
    sheet: SheetOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
) -> Emission:
    """Give everybody's norms and titles after some events, in the order of their dates.

    arpad uscf titles spring.csv summer.csv

    arpad uscf titles 1994.trf --player Smith
    """
    from arpad.event.norms.field import find_player
    from arpad.event.norms.uscf import title_histories

    schedule = schedule_of(norm_chance, exact)
    reading = read_files(files, columns=columns, dates=dates, sheet=sheet, format=input_format, strict=strict)
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
            *([f"{unrated} players met unrated ones: those games do not count."] if unrated else []),
        ]

    return partial(
        emit,
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

    from arpad.event.norms.uscf import title_called

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
    from arpad.event.norms.uscf import title_called

    return [name for name in status.titles if title_called(name).life]


def _under_way(status: Status) -> str:
    return ", ".join(f"{status.toward(t)} of {t.norms} {t.name}" for t in status.sought() if status.toward(t))


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


# `arpad uscf`: what the U.S. Chess Federation's report of 1994 has beside ratings.


def add_uscf(app: typer.Typer) -> None:
    """Register the verbs under their common name."""
    group = typer.Typer(
        name="uscf",
        help="The USCF's titles of 1994 and their odds; FIDE results into a USCF rating.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for verb in (add_uscf_titles, add_uscf_odds, add_uscf_fide):
        verb(group)
    app.add_typer(group)
