"""The lab: systems side by side, and simulated worlds."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query

from arpad.web.asking import Asked
from arpad.web.drawing import drawn
from arpad.web.lab.comparing import compared, lab_page
from arpad.web.lab.contexts import Lab, Worlds
from arpad.web.lab.walking import FieldName, LeastGames
from arpad.web.lab.worlds import (
    Drift,
    PairingName,
    StartName,
    WorldName,
    simulated,
    worlds_page,
)
from arpad.web.pages import Pages
from arpad.web.security.viewer import reader

__all__ = ["router"]

pages = Pages("lab")
router = pages.router

Least = Annotated[LeastGames, Query()]
"""Earlier games that both players must have; nothing: as many as the ledger allows."""
Given = Annotated[bool, Query()]
FieldChosen = Annotated[FieldName, Query()]
System = Annotated[str, Query(max_length=50)]
WorldAsked = tuple[StartName, WorldName, Drift, PairingName]
WATCHED = 3
"""The strongest of the watched players."""

NO_CHART: dict[int | str, dict[str, Any]] = {
    401: {"description": "Somebody has to sign in first."},
    404: {"description": "There is nothing to draw."},
}


@pages.page("/lab", "lab.html")
def lab(
    asked: Asked, least: Least = "", given: Given = True, field: FieldChosen = "usual", system: System = ""
) -> Lab:  # fmt: skip
    """Compare how well systems foretell the ledger's own games."""
    return lab_page(asked, least, given=given, field=field, system=system)


def _world(
    start: Annotated[StartName, Query()] = "mean",
    world: Annotated[WorldName, Query()] = "logistic",
    drift: Annotated[Drift, Query()] = "0",
    pairing: Annotated[PairingName, Query()] = "random",
) -> WorldAsked:
    return start, world, drift, pairing


World = Annotated[WorldAsked, Depends(_world)]


@pages.page("/lab/worlds", "lab_worlds.html")
def lab_worlds(asked: Asked, world: World) -> Worlds:  # noqa: ARG001 - asked: only who may read may play
    """Show how soon systems find the truth in a world where it is known."""
    return worlds_page(*world)


@router.get("/charts/lab/systems", responses=NO_CHART)
def systems_drawn(
    asked: Asked, least: Least = "", given: Given = True, field: FieldChosen = "usual"
) -> dict[str, Any]:
    """Return how far each system is from the best, as Vega-Lite."""
    from arpad.publish.prediction_chart import systems_side_by_side

    whole = compared(asked, least, given=given, field=field)
    found = whole.found
    if found is None or found.reference is None:
        raise HTTPException(404, "no system could be scored on these games")
    return asked.remembered(  # type: ignore[no-any-return]
        ("lab", "systems drawn", least, given, field, whole.number),
        lambda: drawn(systems_side_by_side(found)),
    )


@router.get("/charts/lab/calibration", responses=NO_CHART)
def calibration_drawn(
    asked: Asked, system: System, least: Least = "", given: Given = True, field: FieldChosen = "usual"
) -> dict[str, Any]:  # fmt: skip
    """Return the calibration curve of a system, as Vega-Lite."""
    from arpad.publish.calibration_curve_chart import calibration_curve_chart

    whole = compared(asked, least, given=given, field=field)
    found = whole.found
    if found is None or system not in found.curves["system"]:
        raise HTTPException(404, f"{system!r} was not scored on these games")
    return asked.remembered(  # type: ignore[no-any-return]
        ("lab", "curve drawn", system, least, given, field, whole.number),
        lambda: drawn(calibration_curve_chart(found, system)),
    )


@router.get("/charts/lab/world", responses=NO_CHART, dependencies=[Depends(reader)])
def world_drawn(world: World) -> dict[str, Any]:
    """Return how many are out of spec after every round, as Vega-Lite."""
    from arpad.publish.simulation_charts import spec_chart

    return drawn(spec_chart(simulated(*world)))


@router.get("/charts/lab/path", responses=NO_CHART, dependencies=[Depends(reader)])
def path_drawn(world: World) -> dict[str, Any]:
    """Return the way of one player, as Vega-Lite."""
    from arpad.publish.simulation_charts import player_path

    return drawn(player_path(simulated(*world), WATCHED))
