"""The pool: distribution, drift, exchange of points, deflation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, HTTPException, Query

from arpad.web.asking import Asked
from arpad.web.drawing import drawn
from arpad.web.pages import Pages
from arpad.web.pool.charts import Monitor, drift_chart
from arpad.web.pool.contexts import Deflation, Distribution, Drift, Exchange
from arpad.web.pool.distribution import distribution_found, distribution_page
from arpad.web.pool.drift import drift_found, drift_page
from arpad.web.pool.exchange import (
    LEAST,
    Ways,
    deflation_found,
    deflation_page,
    exchange_found,
    exchange_page,
)
from arpad.web.pool.picking import picked

if TYPE_CHECKING:
    from collections.abc import Callable

    from arpad.web.asking import Asking

__all__ = ["router"]

pages = Pages("pool")
router = pages.router

Policy = Annotated[str, Query(max_length=100)]
Name = Annotated[str, Query(alias="list", max_length=100)]
By = Annotated[Ways, Query()]
Months = Annotated[int, Query(ge=0, le=1200)]
"""Of play before the closing date; 0: all."""

NO_CHART: dict[int | str, dict[str, Any]] = {
    401: {"description": "Somebody has to sign in first."},
    404: {"description": "There is nothing to draw."},
}


@pages.page("/pool", "pool.html")
def pool(asked: Asked, policy: Policy = "", name: Name = "") -> Distribution:
    """Show how the ratings of a list are distributed."""
    found = picked(asked, policy, name)
    return Distribution(picked=None) if found is None else distribution_page(asked, *found)


@pages.page("/pool/drift", "pool_drift.html")
def pool_drift(asked: Asked, policy: Policy = "", name: Name = "") -> Drift:
    """Compare the lists of a policy."""
    found = picked(asked, policy, name)
    return Drift(picked=None) if found is None else drift_page(asked, *found)


@pages.page("/pool/exchange", "pool_exchange.html")
def pool_exchange(
    asked: Asked, policy: Policy = "", name: Name = "", by: By = "rating-band", months: Months = 12
) -> Exchange:
    """Show who takes points from whom."""
    found = picked(asked, policy, name)
    return Exchange(picked=None) if found is None else exchange_page(asked, *found, by, months)


@pages.page("/pool/deflation", "pool_deflation.html")
def pool_deflation(
    asked: Asked, policy: Policy = "", name: Name = "", by: By = "age", months: Months = 12
) -> Deflation:
    """Show whose ratings are too low."""
    found = picked(asked, policy, name)
    return Deflation(picked=None) if found is None else deflation_page(asked, *found, by, months)


def _once(asked: Asking, key: tuple[Any, ...], make: Callable[[], Any]) -> dict[str, Any]:
    """Return a chart, drawn once for as long as the ledger stands as it stands."""
    return asked.remembered(("pool", "chart", *key), lambda: drawn(make()))  # type: ignore[no-any-return]


def _chosen(asked: Asked, policy: Policy = "", name: Name = "") -> Any:
    found = picked(asked, policy, name)
    if found is None:
        raise HTTPException(404, "there is no list in this ledger yet")
    return found


Chosen = Annotated[Any, Depends(_chosen)]


@router.get("/charts/pool/distribution", responses=NO_CHART)
def distribution_drawn(asked: Asked, chosen: Chosen) -> dict[str, Any]:
    """Return the histogram of a list with both shapes, as Vega-Lite."""
    from arpad.publish.distribution_chart import distribution_chart

    _, found = distribution_found(asked, chosen[1])
    if found is None:
        raise HTTPException(404, "nobody is on this list")
    return _once(
        asked,
        ("distribution", chosen[1].id),
        lambda: distribution_chart(found, title="Players by rating"),
    )


@router.get("/charts/pool/exchange", responses=NO_CHART)
def exchange_drawn(
    asked: Asked, chosen: Chosen, by: By = "rating-band", months: Months = 12
) -> dict[str, Any]:
    """Return what each group gained, as Vega-Lite."""
    from arpad.publish.monitor_charts import exchange_chart

    found = exchange_found(asked, chosen[1], by, months)
    if found.exchange is None:
        raise HTTPException(404, found.none)
    whole = found.exchange
    return _once(
        asked, ("exchange", chosen[1].id, by, months), lambda: exchange_chart(whole, least=LEAST)
    )


@router.get("/charts/pool/deflation", responses=NO_CHART)
def deflation_drawn(
    asked: Asked, chosen: Chosen, by: By = "age", months: Months = 12
) -> dict[str, Any]:
    """Return by how much the ratings of each group are too low, as Vega-Lite."""
    from arpad.publish.deflation_chart import deflation_chart

    found = deflation_found(asked, chosen[1], by, months)
    if found.deflation is None:
        raise HTTPException(404, found.none)
    whole = found.deflation
    return _once(
        asked, ("deflation", chosen[1].id, by, months), lambda: deflation_chart(whole, least=LEAST)
    )


@router.get("/charts/pool/{monitor}", responses=NO_CHART)
def drift_drawn(asked: Asked, chosen: Chosen, monitor: Monitor) -> dict[str, Any]:
    """Return the chart of one monitor of the lists, as Vega-Lite."""
    chart = drift_chart(drift_found(asked, chosen[1]), monitor)
    if chart is None:
        raise HTTPException(404, "these lists tell nothing that could be drawn here")
    return _once(asked, (monitor, chosen[1].id), lambda: chart)
