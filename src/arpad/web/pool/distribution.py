"""The distribution of a list's ratings, with the shapes laid over it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.office.showing.pool_lists import pool_list
from arpad.pool.distribution import distribution
from arpad.pool.goodness import in_words
from arpad.web.contexts import Chart
from arpad.web.pool.contexts import Distribution, FitRow, Interval
from arpad.web.pool.picking import address

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList
    from arpad.pool.dated import DatedList
    from arpad.pool.distribution import Distribution as Found
    from arpad.pool.distribution import Fit
    from arpad.web.asking import Asking
    from arpad.web.pool.contexts import Picked

__all__ = ["distribution_found", "distribution_page"]

NARROW, WIDE = 50.0, 100.0
"""Points of an interval: of a small list, of one of thousands as in the book's tables."""
MANY = 2000


def distribution_found(asked: Asking, kept: KeptList) -> tuple[DatedList, Found | None]:
    """Return a list and how its ratings are distributed; None: nobody is on it."""

    def make() -> tuple[DatedList, Found | None]:
        listed = pool_list(asked.connection, kept)
        if not listed.rows.height:
            return listed, None
        width = WIDE if listed.rows.height >= MANY else NARROW
        return listed, distribution(listed.rows["rating"].to_numpy(), width=width)

    return asked.remembered(("pool", "distribution", kept.id), make)  # type: ignore[no-any-return]


def distribution_page(asked: Asking, chosen: Picked, kept: KeptList) -> Distribution:
    """Return the page."""
    listed, found = distribution_found(asked, kept)
    if found is None:
        return Distribution(picked=chosen, unlisted=listed.left_out)
    ratings = listed.rows["rating"]
    best = found.best
    return Distribution(
        picked=chosen,
        players=ratings.len(),
        unlisted=listed.left_out,
        mean=found.mean,
        mean_error=None if found.sd is None else found.sd / math.sqrt(ratings.len()),
        sd=found.sd,
        skewness=found.skewness,
        lowest=float(ratings.min() or 0.0),  # type: ignore[arg-type]
        quartiles=[float(ratings.quantile(q, "linear") or 0.0) for q in (0.25, 0.5, 0.75)],
        highest=float(ratings.max() or 0.0),  # type: ignore[arg-type]
        width=found.histogram.width,
        enough=best is not None and best.chi_square.large_enough,
        fits=[_fit(fit) for fit in found.fits],
        best=None if best is None else best.shape.name,
        histogram=[_interval(row) for row in found.table().iter_rows(named=True)],
        chart=Chart(
            title=f"Players by rating: {chosen.policy}, {chosen.list}",
            href=address("/charts/pool/distribution", chosen),
            says=f"A histogram of {found.summary()}. The figures are in the table below.",
        ),
    )


def _fit(fit: Fit) -> FitRow:
    chi, gap = fit.chi_square, fit.kolmogorov_smirnov
    return FitRow(
        shape=fit.shape.name,
        constants=fit.shape.parameters(),
        chi_square=chi.statistic,
        intervals=chi.intervals,
        degrees=chi.degrees_fitted,
        p=chi.p_fitted,
        says=in_words(chi.p_fitted),
        gap=gap.difference,
        gap_at=gap.at,
    )


def _interval(row: dict[str, float]) -> Interval:
    return Interval(
        low=row["low"], high=row["high"], players=row["count"], percent=row["percent"],
        cumulative=row["cumulative"], normal=row.get("normal"), maxwell=row.get("maxwell"),
    )  # fmt: skip
