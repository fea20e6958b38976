"""From the options of `arpad simulate` to a season and its systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.lab.population import Population
    from arpad.lab.start import Start
    from arpad.rate.systems import RatingSystem

__all__ = ["check_together", "columns", "start_of", "strengths", "systems_of"]

MOST_COLUMNS = 1000
NAMES = ("standard", "elite", "mean", "true", "high", "low", "one", "given")
"""Populations and starts that no file of the same name stands for."""


def check_together(
    *,
    table: bool,
    copies: int | None,
    calibrate: str | None,
    objective: str | None,
    budget: int | None,
) -> None:
    """Refuse options that would do nothing beside the others."""
    if copies is not None and not table:
        raise UsageError("--copies belongs to --until")
    if calibrate is None and (objective is not None or budget is not None):
        raise UsageError("--objective and --budget belong to --calibrate")
    if calibrate is not None and table:
        raise UsageError("--calibrate searches constants and shows no --until: ask for one of them")


def systems_of(texts: list[str]) -> dict[str, RatingSystem]:
    """Return systems by the text that named them: ``elo``, ``elo:k=10,curve=normal``."""
    from arpad.cli.system_options import told
    from arpad.rate import system

    found: dict[str, RatingSystem] = {}
    for text in texts:
        name, _, rest = text.strip().partition(":")
        if text.strip() in found:
            raise UsageError(f"--system: {text.strip()!r} is named twice")
        found[text.strip()] = system(name, **told(name, [p for p in rest.split(",") if p.strip()]))
    return found


def strengths(text: str) -> tuple[Population, list[float] | None]:
    """Return the population that an option names, and ratings to start from if a file brings them."""
    from arpad.lab.population import Given, population

    if not _is_file(text):
        return population(text), None
    import numpy as np

    from arpad.publish.atomic import keep
    from arpad.read.strengths import read_strengths

    keep([text], "this file was read")
    true, start = read_strengths(text)
    return Given(values=np.array(true), name=Path(text).name), start


def _is_file(text: str) -> bool:
    """Say whether a text names a file: one that is there, or a name that can be nothing else."""
    if text in NAMES or ":" in text:
        return False
    return Path(text).is_file() or bool(Path(text).suffix) or "/" in text


def start_of(
    text: str | None, brought: list[float] | None, by: float | None, *, established: bool
) -> Start:
    """Return how a run begins; ratings that the population's file brought are used unless another start is named."""
    import numpy as np

    from arpad.lab.start import Start
    from arpad.read.strengths import read_strengths

    if text is None:
        text = "mean" if brought is None else "given"
    if text == "given" and brought is None:
        raise UsageError("--start given: the population's file has no column start")
    if text == "given":
        return Start(kind="given", values=np.array(brought), by=by, established=established)
    if _is_file(text):
        given = np.array(read_strengths(text)[0])
        return Start(kind="given", values=given, by=by, established=established)
    return Start(kind=text, by=by, established=established)  # type: ignore[arg-type]


def columns(text: str, copies: int) -> tuple[float, ...]:
    """Return the true ratings of players put in by hand: ``900:2100:100``, or ``800,2200``."""
    import numpy as np

    try:
        if ":" in text:
            low, high, step = (float(part) for part in text.split(":"))
            if not (step > 0 and (high - low) / step <= MOST_COLUMNS):
                raise ValueError
            values = np.arange(low, high + step / 2, step).tolist()
        else:
            values = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--columns: expected FIRST:LAST:STEP or ratings with commas, found {text!r}") from None  # fmt: skip
    return tuple(value for value in values for _ in range(copies))
