"""An age cohort's mean over time: the simplest watch on deflation [Elo 3.81]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.pool.dated import DatedList, aligned, years_between
from arpad.pool.goodness import p_text
from arpad.pool.significance import Significance, means, paired, tests_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["AGES", "Cohort", "cohort"]

AGES = (25, 40)
"""Years between which most players neither improve nor decline much [3.81]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The mean rating of a group of people, list by list, and whether it changed."""

    who: str
    rows: pl.DataFrame
    """A row a list: `list`, `date`, `players`, `mean`, `error` (of the mean), `sd`, `median`; and
    `same_players`, `same_mean` of those members of the first list who are on all of them."""
    tests: tuple[Significance, ...]
    years: float | None
    parameters: Mapping[str, object]
    notes: tuple[str, ...] = field(default=())

    def table(self) -> pl.DataFrame:
        """Return the means, a row a list."""
        return self.rows

    def tests_table(self) -> pl.DataFrame:
        """Return the tests, a row each."""
        return tests_table(self.tests)

    def summary(self) -> str:
        """Return one sentence: the change within the same people."""
        same = self.tests[0]
        if same.estimate is None or same.error is None or same.p is None:
            return (
                f"{self.who}: {same.players} on both the first and the last list: nothing to test"
            )
        years = f" in {self.years:.1f} years" if self.years else ""
        return (
            f"{self.who}: {same.players:,} on both the first and the last list changed by {same.estimate:+.1f} "
            f"± {same.error:.1f} points{years} (p {p_text(same.p)})"
        )


def cohort(
    lists: Sequence[DatedList],
    *,
    born: tuple[int, int] | None = None,
    ages: tuple[int, int] | None = None,
) -> Cohort:
    """Follow the mean of a cohort over rating lists.

    Parameters
    ----------
    lists
        Two or more.
    born
        First and last year of birth: the same people on every list.
    ages
        Youngest and oldest age: on every list whoever is of that age then, as 3.81 has it; the years 25
        to 40 unless `born` is given.
    """
    if born is not None and ages is not None:
        raise UsageError("expected years of birth or ages, found both")
    given = born or ages or AGES
    if given[0] > given[1]:
        raise UsageError(f"expected the smaller year first, found {given[0]}-{given[1]}")
    found = aligned(lists)
    if len(found) < 2:
        raise UsageError(f"expected two rating lists or more, found {len(found)}")
    if born is None and any(each.date is None for each in found):
        raise UsageError("ages need the date of every list: give the dates, or years of birth")
    who = f"born {born[0]}–{born[1]}" if born else f"aged {given[0]}–{given[1]}"
    parts = [_members(each, given, aged=born is None) for each in found]
    if not all(part.height for part in parts):
        empty = found[[part.height for part in parts].index(0)].label
        raise InputError(f"expected players {who}, found none with a year of birth", file=empty)
    years = years_between(found[0], found[-1])
    rows = [_row(e, p) | _same(e, found, parts[0]) for e, p in zip(found, parts, strict=True)]
    return Cohort(
        who=who,
        rows=pl.DataFrame(rows),
        tests=tuple(_tests(found, parts, years)),
        years=years,
        parameters={"born": born, "ages": None if born else given},
        notes=_notes(found, aged=born is None),
    )


def _members(each: DatedList, given: tuple[int, int], *, aged: bool) -> pl.DataFrame:
    year = each.date.year if each.date else 0
    value = year - pl.col("born") if aged else pl.col("born")
    return each.rows.filter(value.is_between(*given))


def _row(each: DatedList, part: pl.DataFrame) -> dict[str, object]:
    ratings = part["rating"].to_numpy()
    n = len(ratings)
    sd = float(ratings.std(ddof=1)) if n > 1 else None
    return {
        "list": each.label,
        "date": each.date,
        "players": n,
        "mean": float(ratings.mean()),
        "error": None if sd is None else sd / n**0.5,
        "sd": sd,
        "median": float(np.median(ratings)),
    }


def _same(each: DatedList, found: Sequence[DatedList], first: pl.DataFrame) -> dict[str, object]:
    """Return number and mean, on one list, of those who are on every one."""
    always = first.select("person")
    for other in found:
        always = always.join(other.rows, on="person", how="semi")
    ratings = each.rows.join(always, on="person", how="semi")["rating"].to_numpy()
    return {
        "same_players": len(ratings),
        "same_mean": float(ratings.mean()) if len(ratings) else None,
    }


def _tests(
    found: Sequence[DatedList], parts: Sequence[pl.DataFrame], years: float | None
) -> list[Significance]:
    """Test the same people on the first and the last list, the whole cohort, and each person's slope."""
    first, last = parts[0], parts[-1]
    # People of the cohort on the first list, wherever their age has taken them by the last one.
    both = first.join(found[-1].rows.select("person", later="rating"), on="person")
    change = (both["later"] - both["rating"]).to_numpy()
    tests = [
        paired(change, "change of the same people, first to last"),
        means(
            first["rating"].to_numpy(),
            last["rating"].to_numpy(),
            "change of the mean, first to last",
        ),
    ]
    if len(found) > 2 and years:
        tests.append(paired(_slopes(found, first), "change a year of the same people, all lists"))
    return tests


def _slopes(
    found: Sequence[DatedList], first: pl.DataFrame
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return each person's points a year, by least squares over all the lists they are on."""
    start = found[0]
    series = [
        each.rows.join(first.select("person"), on="person", how="semi").select(
            "person", "rating", t=pl.lit(years_between(start, each), dtype=pl.Float64)
        )
        for each in found
    ]
    t, R = pl.col("t"), pl.col("rating")
    away = t - t.mean()
    slopes = (
        pl.concat(series)
        .group_by("person", maintain_order=True)
        .agg((away * R).sum() / (away**2).sum(), n=t.n_unique())
        .filter(pl.col("n") > 1)
    )
    return slopes["t"].to_numpy()


def _notes(found: Sequence[DatedList], *, aged: bool) -> tuple[str, ...]:
    notes = [
        (
            "the same people stand on several lists, so that the test of the means is too cautious; "
            "people who play each other exchange points, so that no test counts independent people quite"
        ),
    ]
    if aged:
        notes.append("the people of this age are others on every list")
    unknown = ", ".join(
        f"{each.rows['born'].null_count():,} of {each.rows.height:,} on {each.label}"
        for each in found
    )
    notes.append(f"no year of birth: {unknown}")
    notes.append(
        "who fell below a list's floor or stopped playing is missing from the last list: those who stayed did better"
    )
    return tuple(notes)
