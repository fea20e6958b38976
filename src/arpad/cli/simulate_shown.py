"""What `arpad simulate` prints: tables for people, a frame, a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

    from arpad.lab.simulation import Simulation, SystemResult

__all__ = ["Shown", "document", "people", "rows"]

STEPS = 17
"""Rounds that a person sees, about: every twentieth of 340."""
DIGITS = {
    "out of spec": 0, "±": 0, "per cent": 1, "mean error": 1, "RMS error": 1, "true": 0, "mean": 1, "spread": 1,
    "players": 0,
}  # fmt: skip


class Shown(NamedTuple):
    """What was asked for: so many players' paths, and games until in spec."""

    paths: int
    until: bool


def people(found: Simulation, shown: Shown) -> list[object]:
    """Return what a person sees."""
    from arpad.publish.tables import rich_table

    parts: list[object] = []
    for result in found.systems:
        parts += [rich_table(_course(found, result), title=_title(result), digits=DIGITS), ""]
    if shown.until:
        title = "Games until in spec, by true rating"
        parts += [rich_table(_readable_until(found, shown), title=title, digits=DIGITS), ""]
    for i in range(shown.paths):
        digits = {result.label: 1 for result in found.systems}
        title = f"Rating of a player whose true rating is {found.watch[i]:g} at the start"
        parts += [title, "", rich_table(_path(found, i), digits=digits), ""]
    return [*parts, f"{found.summary()}. In spec: within {found.parameters['tolerance']:g} points."]


def rows(found: Simulation, shown: Shown) -> pl.DataFrame:
    """Return what CSV has: games until in spec where they were asked for, else every round."""
    if shown.until:
        return _until(found, shown)
    if shown.paths:
        return _paths(found, shown)
    return found.table()


def document(found: Simulation, shown: Shown) -> dict[str, object]:
    """Return everything; `out_of_spec` at the top is the first system's."""
    systems = [_system(found, result, shown) for result in found.systems]
    return {
        "summary": found.summary(),
        "settings": dict(found.parameters),
        "seed": found.parameters["seed"],
        "out_of_spec": _numbers(found.systems[0], "out_of_spec"),
        "players": _numbers(found.systems[0], "players"),
        "systems": systems,
    }


def _title(result: SystemResult) -> str:
    return f"Out of spec: {result.label}"


def _numbers(result: SystemResult, what: str) -> list[float | int]:
    """Return whole numbers of one run, means of several."""
    if len(result.courses) == 1:
        return [int(value) for value in getattr(result.courses[0], what)]
    return [float(value) for value in result.mean(what)]


def _system(found: Simulation, result: SystemResult, shown: Shown) -> dict[str, object]:
    import polars as pl

    mine = pl.col("system") == result.label
    until = _until(found, shown).filter(mine).drop("system").to_dicts() if shown.until else []
    paths = [
        {
            "true": found.watch[i],
            "rating": result.courses[0].paths[:, i].tolist(),
            "true_by_round": result.courses[0].truths[:, i].tolist(),
            "until": int(result.courses[0].until[i]) or None,
        }
        for i in range(shown.paths)
    ]
    several = len(result.courses) > 1
    return {
        "system": result.system,
        "label": result.label,
        "parameters": dict(result.parameters),
        "out_of_spec": _numbers(result, "out_of_spec"),
        "out_of_spec_spread": result.spread("out_of_spec").tolist() if several else None,
        "mean_error": result.mean("mean_error").tolist(),
        "rms_error": result.mean("rms_error").tolist(),
        "runs": [
            {
                "seed": course.seed,
                "first": int(course.out_of_spec[0]),
                "last": int(course.out_of_spec[-1]),
                "mean_error": float(course.mean_error[-1]),
                "rms_error": float(course.rms_error[-1]),
            }
            for course in result.courses
        ],
        "until": until,
        "paths": paths,
    }


def _course(found: Simulation, result: SystemResult) -> pl.DataFrame:
    import polars as pl

    table = found.table().filter(pl.col("system") == result.label)
    step = max(1, round((table.height - 1) / STEPS))
    some = pl.col("round") % step == 0
    table = table.filter(some | (pl.col("round") == table["round"][-1]))
    table = table.select(
        "round",
        "players",
        pl.col("out_of_spec").alias("out of spec"),
        pl.col("spread").alias("±"),
        (100 * pl.col("share")).alias("per cent"),
        pl.col("mean_error").alias("mean error"),
        pl.col("rms_error").alias("RMS error"),
    )
    return table if found.runs > 1 else table.drop("±")


def _until(found: Simulation, shown: Shown) -> pl.DataFrame:
    return found.until(since=shown.paths)


def _readable_until(found: Simulation, shown: Shown) -> pl.DataFrame:
    table = _until(found, shown)
    return table if len(found.systems) > 1 else table.drop("system")


def _paths(found: Simulation, shown: Shown) -> pl.DataFrame:
    import polars as pl

    return pl.concat(
        found.path(i).with_columns(pl.lit(found.watch[i]).alias("player"))
        for i in range(shown.paths)
    )


def _path(found: Simulation, player: int) -> pl.DataFrame:
    import polars as pl

    whole = found.path(player)
    step = max(1, round((int(found.parameters["rounds"])) / STEPS))  # type: ignore[call-overload]
    last = int(found.parameters["rounds"])  # type: ignore[call-overload]
    some = whole.filter((pl.col("round") % step == 0) | (pl.col("round") == last))
    return some.pivot("system", index="round", values="rating")
