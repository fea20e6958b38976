"""Drift: the lists of a policy against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.office.showing.pool_lists import lists_until
from arpad.pool.account import account
from arpad.pool.cohort import AGES, cohort
from arpad.pool.dated import kept as kept_people
from arpad.pool.growth import growth
from arpad.pool.shape import shape
from arpad.web.contexts import Chart
from arpad.web.pool.contexts import Cohort, Drift, GroupRow, Growth, ListRow, Moved, Test
from arpad.web.pool.picking import address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arpad.office.making.lists import KeptList
    from arpad.office.showing.pool_lists import PoolLists
    from arpad.pool.account import Account
    from arpad.pool.cohort import Cohort as FoundCohort
    from arpad.pool.growth import Growth as FoundGrowth
    from arpad.pool.shape import Shape
    from arpad.pool.significance import Significance
    from arpad.web.asking import Asking
    from arpad.web.pool.contexts import Picked

__all__ = ["Moves", "drift_found", "drift_page"]

MONTHS = 12
LEAST_YEARS = 3.0
"""A shorter series of lists shows how a list fills, not how a pool grows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """What the monitors say of a policy's lists; None: with a reason, there is nothing to say."""

    lists: PoolLists
    shape: Shape | None
    account: Account | None
    cohort: FoundCohort | None
    no_cohort: str
    growth: FoundGrowth | None
    no_growth: str
    counts: pl.DataFrame
    """`year`, `players`."""


def drift_found(asked: Asking, kept: KeptList) -> Moves:
    """Return what the monitors say of the lists up to one."""
    return asked.remembered(("pool", "drift", kept.id), lambda: _found(asked, kept))  # type: ignore[no-any-return]


def _found(asked: Asking, kept: KeptList) -> Moves:
    read = lists_until(asked.connection, kept)
    lists = [each for each in kept_people(read.lists, active=True) if each.rows.height]
    dates = [each.date for each in lists if each.date]
    counts = pl.DataFrame(
        {
            "year": [day.year + (day.month - 1) / MONTHS for day in dates],
            "players": [float(each.rows.height) for each in lists],
        },
        schema={"year": pl.Float64, "players": pl.Float64},
    )
    if len(lists) < 2:
        return Moves(
            lists=read, shape=None, account=None, cohort=None, no_cohort="", growth=None, no_growth="", counts=counts
        )  # fmt: skip
    aged, no_cohort = None, ""
    try:
        aged = cohort(lists)
    except (InputError, UsageError):
        no_cohort = (
            f"Nobody aged {AGES[0]} to {AGES[1]} is known on every one of these lists: years of birth come with "
            "TRF files, with columns white_birth and black_birth of a table, or by arpad ledger correct."
        )
    grown, no_growth = None, ""
    years = counts["year"].to_list()
    if years[-1] - years[0] < LEAST_YEARS:
        no_growth = f"The lists cover less than {LEAST_YEARS:g} years: that is too short to tell growth from a list that fills."
    else:
        try:
            grown = growth(years, counts["players"].to_list())
        except InputError as error:
            no_growth = f"No curve of growth: {error}."
    return Moves(
        lists=read, shape=shape(lists), account=account(lists), cohort=aged, no_cohort=no_cohort,
        growth=grown, no_growth=no_growth, counts=counts,
    )  # fmt: skip


def drift_page(asked: Asking, chosen: Picked, kept: KeptList) -> Drift:
    """Return the page."""
    found = drift_found(asked, kept)
    if found.shape is None or found.account is None:
        return Drift(picked=chosen, found=found.lists.found, published=found.lists.published)

    def chart(name: str, title: str, says: str) -> Chart:
        return Chart(title=title, href=address(f"/charts/pool/{name}", chosen), says=says)

    rows = [_list(row) for row in found.shape.rows.iter_rows(named=True)]
    return Drift(
        picked=chosen,
        found=found.lists.found,
        published=found.lists.published,
        lists=rows,
        tests=_tests(found.shape.tests),
        notes=list(found.shape.notes),
        accounts=[_moved(row) for row in found.account.rows.iter_rows(named=True)],
        account_tests=_tests(found.account.tests),
        account_notes=list(found.account.notes),
        cohort=None if found.cohort is None else _cohort(found.cohort, chosen),
        no_cohort=found.no_cohort,
        growth=None if found.growth is None else _growth(found.growth, chosen),
        no_growth=found.no_growth,
        mean_chart=chart(
            "means",
            "Mean rating, list by list",
            f"The mean with two standard errors. {found.shape.summary()}.",
        ),
        shape_chart=chart(
            "shapes",
            "Shape of the first and the last list",
            f"The share of players by rating. {found.shape.summary()}.",
        ),
        account_chart=chart(
            "account", "With which ratings players enter, leave and stay", f"{found.account.summary()}."
        ),
    )  # fmt: skip


def _list(row: dict[str, Any]) -> ListRow:
    error = None if row["sd"] is None else row["sd"] / row["players"] ** 0.5
    return ListRow(error=error, **{name: row[name] for name in ListRow.model_fields if name != "error"})  # fmt: skip


def _tests(tests: Iterable[Significance]) -> list[Test]:
    return [Test(**{name: getattr(test, name) for name in Test.model_fields}) for test in tests]


def _moved(row: dict[str, Any]) -> Moved:
    return Moved(
        start=row["from"], end=row["to"], opening_players=row["opening_players"], entered=row["entered"],
        entered_at=row["R_i"], left=row["left"], left_at=row["R_q"], stayed=row["stayed"],
        change_each=row["change_each"], closing_players=row["closing_players"],
    )  # fmt: skip


def _cohort(found: FoundCohort, chosen: Picked) -> Cohort:
    return Cohort(
        who=found.who,
        summary=found.summary(),
        lists=[
            GroupRow(**{name: row[name] for name in GroupRow.model_fields})
            for row in found.rows.iter_rows(named=True)
        ],
        tests=_tests(found.tests),
        notes=list(found.notes),
        chart=Chart(
            title=f"Mean rating of players {found.who}",
            href=address("/charts/pool/cohort", chosen),
            says=f"{found.summary()}.",
        ),
    )


def _growth(found: FoundGrowth, chosen: Picked) -> Growth:
    finite = found.n_max_error == found.n_max_error and found.n_max_error != float("inf")
    return Growth(
        summary=found.summary(),
        n_max=found.n_max,
        n_max_error=found.n_max_error if finite else None,
        half=found.half,
        r_squared=found.r_squared,
        saturated=found.saturated,
        chart=Chart(
            title="Number of players, and the curve of growth through it",
            href=address("/charts/pool/growth", chosen),
            says=f"{found.summary()}.",
        ),
    )
