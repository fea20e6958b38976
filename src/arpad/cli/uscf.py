"""`arpad uscf`: what the U.S. Chess Federation's report of 1994 has beside ratings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Optional, cast

import typer

from arpad.cli.options import GameFiles, ratings_given, reads_games, verb_group
from arpad.cli.output import Emission, emit_result, emits, reading_document, say

if TYPE_CHECKING:
    from arpad.event.norms.odds import OddsModel

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
LONG = 31
"""Days beyond which games are hardly one event."""
ChanceOption = Annotated[
    float,
    typer.Option(
        "--norm-chance", help="P: how often, in per cent, a player exactly at the level makes a norm."
    ),
]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Do not round Δ/√n to three decimals; the report rounds it.")
]


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
        float | None,
        typer.Option("--as-uscf", help="The FIDE rating on the USCF scale. [by table 1 of the report]"),
    ] = None,
    home: Annotated[str, typer.Option(help="The federation whose events are left out.")] = "USA",
    k: Annotated[float, typer.Option("--k", help="Rating points for each game.")] = 8.0,
) -> Emission:
    """Update a USCF rating with half a year of FIDE-rated events.

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
    scale = {} if as_uscf is None else {"to_uscf": lambda _: as_uscf}
    return partial(emit_result, rated_from_fide(rating, results, home=home, K=k, **scale))


@emits
def odds(
    title: Annotated[str, typer.Argument(help="A title, such as Master, or its level: 2200.")],
    strength: Annotated[float, typer.Argument(help="Playing strength of the player.")],
    opponents: Annotated[
        str, typer.Option(help="Ratings of the opponents in each event; 2200,2100x3 means four opponents.")
    ],
    events: Annotated[int, typer.Option(help="Number of such events.")] = 10,
    norms: Annotated[int, typer.Option(help="Norms that the player has already.")] = 0,
    draws: Annotated[float, typer.Option(help="The share of drawn games between equals.")] = 0.0,
    model: Annotated[
        str, typer.Option(help="exact: every score; normal: as the report calculates.")
    ] = "exact",
    single: Annotated[
        bool, typer.Option("--single", help="Count at most one norm for each event, as the report does.")
    ] = False,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
) -> Emission:
    """Give the chances of norms in one event, and of the title within several.

    arpad uscf odds Master 2150 --opponents 2200x4

    arpad uscf odds 2000 1900 --opponents 2000x4 --model normal --single
    """
    from arpad.event.norms.odds import uscf_title_odds
    from arpad.event.norms.uscf import NormSchedule

    result = uscf_title_odds(
        title,
        strength,
        ratings_given(opponents),
        events=events,
        norms=norms,
        several=not single,
        draws=draws,
        model=cast("OddsModel", model),
        schedule=NormSchedule(norm_chance, exact),
    )
    return partial(emit_result, result)


@reads_games
@emits
def titles(
    source: GameFiles,
    player: Annotated[
        Text, typer.Option(help="Show one player norm by norm: a name, a part of it, or an id.")
    ] = None,
    norm_chance: ChanceOption = 27.0,
    exact: ExactOption = False,
) -> Emission:
    """Give everybody's norms and titles after some events, in the order of their dates.

    arpad uscf titles spring.csv summer.csv

    arpad uscf titles 1994.trf --player Smith
    """
    from arpad.event.norms.field import find_player
    from arpad.event.norms.uscf import NormSchedule, norm_register

    schedule = NormSchedule(norm_chance, exact)
    reading = source.read()
    games = reading.games
    days = games.table["date"].drop_nulls()
    if len(games.events) < 2 and len(days) and (max(days) - min(days)).days > LONG:
        say(
            f"games from {min(days)} to {max(days)} are taken as one event, for the file names no others: "
            "norms go by events, and a column event tells them apart"
        )
    row = None if player is None else find_player(games, player)
    result = norm_register(games, schedule=schedule, row=row)
    source.tell(reading)
    return partial(emit_result, result, document=lambda: {**result.to_dict(), **reading_document(reading)})


uscf = verb_group(
    "The USCF's titles of 1994 and their odds; FIDE results into a USCF rating.",
    {verb.__name__: verb for verb in (titles, odds, fide)},
)
