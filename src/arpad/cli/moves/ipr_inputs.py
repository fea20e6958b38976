"""Options and helpers of the `arpad ipr` verbs: from games to decisions, calibration, method."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from arpad.moves.analysis import EngineWorkers
    from arpad.moves.engine import EngineSettings
    from arpad.moves.ipr.calibration import Calibration


# Which calibration is used, and an engine that is asked as its own was.

CalibrationOption = Annotated[
    Optional[str],  # noqa: UP045 - Typer reads the annotation
    typer.Option(
        "--calibration",
        help="A calibration by its name, or a file that arpad ipr calibrate wrote. [the first that comes with arpad]",
    ),
]


def calibration_named(text: str | None) -> Calibration:
    """Return the calibration of a name or in a file; None: the one that comes with arpad."""
    from arpad.files import input_file
    from arpad.moves.ipr.calibration import calibration, calibration_names, from_document

    names = calibration_names()
    if text is None or text in names:
        return calibration(names[0] if text is None else text)
    try:
        document = json.loads(input_file(text).read_text("utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(
            f"--calibration: expected a file, or one of those that come with arpad ({', '.join(names)}); found {text!r}"
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=text) from None
    except ValueError:
        raise InputError(
            "expected a calibration as arpad ipr calibrate writes it, found no JSON", file=text
        ) from None
    if not isinstance(document, dict):
        raise InputError("expected a calibration, found another kind of JSON", file=text)
    return from_document(document, file=text)


def asked_as(
    calibration: Calibration,
    *,
    engine: str,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    multipv: int | None = None,
    hash_mb: int | None = None,
    options: list[str] | None = None,
) -> EngineSettings:
    """Return the calibration's way to ask an engine; what an option says goes first, and `same_as` refuses it if it differs."""
    from arpad.cli.options import engine_settings
    from arpad.moves.engine import EngineSettings

    made: dict[str, Any] = dict(calibration.engine)
    told = engine_settings(
        engine=engine,
        depth=depth,
        nodes=nodes,
        seconds=seconds,
        multipv=made.get("multipv", 1) if multipv is None else multipv,
        hash_mb=made.get("hash_mb") if hash_mb is None else hash_mb,
        options=options,
    )
    limit = {k: made[k] for k in ("depth", "nodes", "movetime") if k in made}
    if depth is not None or nodes is not None or seconds is not None:
        limit = {told.limit: told.value}
    return EngineSettings(
        engine=engine,
        multipv=told.multipv,
        hash_mb=told.hash_mb,
        options=told.options if options else tuple(dict(made.get("options") or {}).items()),
        **limit,
    )


def same_as(calibration: Calibration, settings: EngineSettings, workers: EngineWorkers) -> None:
    """Raise before anything is analysed unless the engine that is here is the calibration's, asked in the same way."""
    from arpad.moves.ipr.rating import same_settings

    same_settings(calibration, settings.parameters(workers.identity()))


def calibration_document(calibration: Calibration) -> dict[str, object]:
    """Return what a calibration rests on, as JSON has it beside results."""
    from dataclasses import asdict

    marks = [m.elo for m in calibration.marks if m.in_line]
    return {
        "name": calibration.name,
        "date": calibration.date,
        "games": calibration.games,
        "engine": dict(calibration.engine),
        "filters": dict(calibration.filters),
        "method": calibration.method,
        "line": asdict(calibration.line),
        "first_mark": min(marks),
        "last_mark": max(marks),
        "moves": sum(m.moves for m in calibration.marks if m.in_line),
    }


# How skill is fitted, as an option.


Method = Literal["equate", "likelihood", "percentile"]


RatingMethod = Literal["equate", "likelihood", "percentile", "artery"]
