"""What `arpad event` can be told about the Tournament App."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Optional, cast, get_args

import typer

from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.event.app import Conditions, Repair
    from arpad.model import Games
    from arpad.pool.dated import DatedList

__all__ = [
    "AppOptions",
    "ChartOption",
    "ConditionsOption",
    "FitOption",
    "ListOption",
    "NumberTwoOption",
    "OnlyOption",
    "PressureOption",
    "ReasonOption",
    "RepairNumberTwoOption",
    "RepairOption",
    "RepairPlayersOption",
    "TieBreakOption",
    "app_options",
    "only",
]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
OnlyOption = Annotated[
    Text, typer.Option(help="Of several events in the files, the one with this in its name.")
]
TieBreakOption = Annotated[
    str,
    typer.Option(help="Who is level: usual, or pra (performance by P-Zero scores, then G-score)."),
]
FitOption = Annotated[
    bool,
    typer.Option(
        "--fit", help="All that PRA's Tournament App says: P-Zero, fit of the ratings, G-scores."
    ),
]
ChartOption = Annotated[
    Text, typer.Option(help="Write a chart of ratings over P-Zero scores, .png or .svg.")
]
NumberTwoOption = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(help="Rating of the world's number two, for G-scores and tournament strength."),
]
ListOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--list",
        help="Take the number two from this rating list; of several, from the one in force at the event.",
    ),
]
RepairOption = Annotated[
    Text,
    typer.Option(help="Repair ratings that do not fit: adjusted, corrected or nothing."),
]
RepairPlayersOption = Annotated[
    Text,
    typer.Option(
        help="Whose: names with ; between them; NAME=RATING sets one. [all who are out of spec]"
    ),
]
RepairNumberTwoOption = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(help="Move the world's number two to this rating, too."),
]
PressureOption = Annotated[
    bool, typer.Option("--pressure", help="Repair ratings under pressure, 75 to 100 points, too.")
]
ReasonOption = Annotated[Text, typer.Option(help="Why, which --repair needs; it is kept.")]
ConditionsOption = Annotated[
    str,
    typer.Option(
        help="usual, knock-out or time-controls (changed during the event), which are never repaired."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppOptions:
    """The options, checked."""

    number_two: float | None = None
    lists: tuple[DatedList, ...] = ()
    repair: Repair | None = None
    conditions: Conditions = "auto"
    pra_tie_break: bool = False
    full: bool = False


def app_options(
    *,
    number_two: float | None,
    lists: list[str] | None,
    repair: str | None,
    players: str | None,
    moved_two: float | None,
    pressure: bool,
    reason: str | None,
    conditions: str,
    tie_break: str,
    full: bool,
) -> AppOptions:
    """Check the options, and read the rating lists."""
    from arpad.event.app import Conditions

    if tie_break not in ("usual", "pra"):
        raise UsageError(f"--tie-break: expected usual or pra; found {tie_break!r}")
    if conditions not in get_args(Conditions):
        raise UsageError(
            f"--conditions: expected one of {', '.join(get_args(Conditions))}; found {conditions!r}"
        )
    if number_two is not None and lists:
        raise UsageError(
            "--number-two and --list both give the number two's rating: leave one of them out"
        )
    return AppOptions(
        number_two=number_two,
        lists=_lists(lists or []),
        repair=_repair(repair, players, moved_two, pressure, reason),
        conditions=cast("Conditions", conditions),
        pra_tie_break=tie_break == "pra",
        full=full,
    )


def _lists(files: list[str]) -> tuple[DatedList, ...]:
    if not files:
        return ()
    from arpad.cli.output import explain_report
    from arpad.pool.number_two import list_of
    from arpad.publish.atomic import keep
    from arpad.read import Report, read_list

    keep(files, "this file was read")
    report = Report()
    found = tuple(list_of(read_list(file, report=report), file=file) for file in files)
    explain_report(report)
    return found


def _repair(
    kind: str | None,
    players: str | None,
    moved_two: float | None,
    pressure: bool,
    reason: str | None,
) -> Repair | None:
    from arpad.event.app import Repair
    from arpad.event.app.repair import Kind

    if kind is None:
        given = {
            "--repair-players": players,
            "--repair-number-two": moved_two,
            "--pressure": pressure or None,
            "--reason": reason,
        }
        for option, value in given.items():
            if value is not None:
                raise UsageError(f"{option} is for --repair: give both, as in --repair adjusted")
        return None
    if kind not in get_args(Kind):
        raise UsageError(f"--repair: expected one of {', '.join(get_args(Kind))}; found {kind!r}")
    if reason is None or not reason.strip():
        raise UsageError('--repair needs a reason, which is kept with it: --reason "…"')
    if kind == "nothing" and (players is not None or moved_two is not None or pressure):
        raise UsageError("--repair nothing changes nobody's rating: leave out whose")
    names, ratings = _names(players)
    return Repair(
        kind=cast("Any", kind),
        players=names,
        pressure=pressure,
        ratings=ratings,
        number_two=moved_two,
        reason=reason.strip(),
    )


def _names(text: str | None) -> tuple[tuple[str, ...] | None, dict[str, float]]:
    """Return whose ratings are repaired, and the ratings that the administrator sets himself."""
    if text is None:
        return None, {}
    parts = [n.strip() for n in text.split(";") if n.strip()]  # a comma is part of many names
    names = tuple(part for part in parts if "=" not in part)
    ratings: dict[str, float] = {}
    for name, value in (part.split("=", 1) for part in parts if "=" in part):
        try:
            ratings[name.strip()] = float(value)
        except ValueError:
            raise UsageError(
                f"--repair-players: expected NAME=RATING, found {name}={value}"
            ) from None
    if not parts:
        raise UsageError(f"--repair-players: expected names, found {text!r}")
    return names, ratings


def only(games: Games, name: str | None) -> Games:
    """Return the games of the one event that is meant."""
    if name is None:
        return games
    from arpad.event.norm_people import one_event

    parts = one_event(games)
    wanted = name.strip().casefold()
    exact = [part for part in parts if part.name.casefold() == wanted]
    found = exact or [part for part in parts if wanted and wanted in part.name.casefold()]
    if len(found) == 1:
        return found[0].games
    some = found or parts
    names = ", ".join(repr(part.name) for part in some[:8]) + (", …" if len(some) > 8 else "")
    raise UsageError(
        f"--only: expected the name of one event, found {len(found) or 'none'} with {name!r}; there "
        f"{'are' if len(some) > 1 else 'is'} {names}"
    )
