"""The options of every verb that asks an engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.analysis import Workers
    from arpad.moves.settings import EngineSettings

__all__ = [
    "AskDepthOption",
    "DepthOption",
    "EngineOption",
    "HashOption",
    "MultipvOption",
    "NodesOption",
    "PatienceOption",
    "StoreOption",
    "TimeOption",
    "UciOption",
    "WorkersOption",
    "engine_settings",
    "engine_wanted",
    "workers_of",
]

EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        envvar="ARPAD_ENGINE",
        help="A UCI engine by its name or path; arpad engines lists what is here.",
    ),
]
DepthOption = Annotated[
    Optional[int],  # noqa: UP045 - Typer reads the annotation
    typer.Option("--depth", help="Search so many plies. [13]"),
]
AskDepthOption = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--depth", help="Let an engine evaluate, searching so many plies, such as 13."),
]
NodesOption = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--nodes", help="Visit so many positions instead."),
]
TimeOption = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        "--time", help="Search so many seconds instead; such results depend on the machine."
    ),
]
MultipvOption = Annotated[int, typer.Option("--multipv", help="How many lines a position.")]
HashOption = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--hash", help="Megabytes of hash an engine. [16]"),
]
UciOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--option", help="Another UCI option, NAME=VALUE; repeatable."),
]
WorkersOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--workers",
        help="How many engines at once; ray, ray:N or ray://HOST:PORT for a Ray cluster. [one a core]",
    ),
]
StoreOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--store",
        help="Where evaluations are kept. [$ARPAD_STORE, or arpad/evaluations in the user's data folder]",
    ),
]
PatienceOption = Annotated[
    float,
    typer.Option("--patience", help="Seconds of silence after which an engine counts as hanging."),
]


def engine_wanted(ctx: typer.Context) -> bool:
    """Say whether a verb that can do without an engine was told how long to ask one.

    Raises
    ------
    UsageError
        If another option of the engine was given, and no limit: nothing would be asked.
    """
    limits = ("depth", "nodes", "time")
    others = ("engine", "hash", "option", "workers", "store", "patience", "use_evals")

    def given(name: str) -> bool:
        source = ctx.get_parameter_source(name) if name in ctx.params else None
        return source is not None and source.name == "COMMANDLINE"

    if any(ctx.params.get(name) is not None for name in limits):
        return True
    for name in filter(given, others):
        raise UsageError(
            f"--{name.replace('_', '-')}: expected --depth, --nodes or --time beside it: without a limit no engine "
            "is asked, and the evaluations are those of the file"
        )
    return False


def engine_settings(
    *,
    engine: str,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    multipv: int = 1,
    hash_mb: int | None = None,
    options: list[str] | None = None,
) -> EngineSettings:
    """Return what the options say."""
    from arpad.moves.settings import HASH_MB, EngineSettings

    given = [n for n, v in (("depth", depth), ("nodes", nodes), ("time", seconds)) if v is not None]
    if len(given) > 1:
        raise UsageError(f"--{given[0]} and --{given[1]}: a search has one limit: choose one")
    if seconds is not None and not 0.001 <= seconds < float("inf"):
        raise UsageError(f"--time: expected seconds, at least 0.001, found {seconds:g}")
    return EngineSettings(
        engine=engine,
        depth=depth,
        nodes=nodes,
        movetime=None if seconds is None else round(seconds * 1000),
        multipv=multipv,
        hash_mb=HASH_MB if hash_mb is None else hash_mb,
        options=tuple(_pair(text) for text in options or []),
    )


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--option: expected NAME=VALUE, found {text!r}")
    if any(ord(c) < 32 for c in text):
        raise UsageError(f"--option: expected one line, found {text!r}")
    return name.strip(), value.strip()


def workers_of(text: str | None, settings: EngineSettings, *, patience: float) -> Workers:
    """Return who does the work."""
    from arpad.moves.local_workers import LocalWorkers
    from arpad.moves.uci import whole_number

    if not 0 < patience < float("inf"):
        raise UsageError(f"--patience: expected seconds above 0, found {patience:g}")
    count = None if text is None else whole_number(text)
    if text is None or count is not None:
        return LocalWorkers(settings, engines=count, patience=patience)
    cluster = re.fullmatch(r"ray(?::([0-9]{1,9})?|://[^/].*)?", text)
    if cluster is None:
        raise UsageError(
            f"--workers: expected a number, ray, ray:N or ray://HOST:PORT, found {text!r}"
        )
    from arpad.moves.ray_workers import RayWorkers

    return RayWorkers(
        settings,
        address=text if "//" in text else None,
        engines=int(cluster[1]) if cluster[1] else None,
        patience=patience,
    )
