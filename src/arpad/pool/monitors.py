"""The health of a pool from its lists: points that enter and leave, cohorts, shape [Elo 3.54, 3.81, 3.82]."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Result
from arpad.pool.rating_lists import DatedList, aligned, years_between
from arpad.pool.significance import Significance, distributions, means, p_text, paired, spreads, tests_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.pool.rating_lists import ListLike


@dataclass(frozen=True, slots=True, kw_only=True)
class OfLists(Result):
    """What rating lists say one after the other: a table, tests and notes."""

    rows: pl.DataFrame
    tests: tuple[Significance, ...]
    parameters: Mapping[str, object]
    notes: tuple[str, ...] = field(default=())

    def tests_table(self) -> pl.DataFrame:
        """Return the tests, a row each."""
        return tests_table(self.tests)


def _several(lists: Sequence[ListLike]) -> tuple[DatedList, ...]:
    result = aligned(lists)
    if len(result) < 2:
        raise UsageError(f"expected two rating lists or more, found {len(result)}")
    return result


# The shape of a pool between two dates [Elo 3.82].

STEP = 50.0
"""Width of a bar of the histogram, in points."""
FLOORS_DIFFER = 25.0
"""Points by which two lists' lowest ratings may differ before that is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolShape(OfLists):
    """Each list's moments, the histogram, and whether anything changed between the first and the last.

    `rows`, a row a list: `list`, `date`, `players`, `mean`, `sd`, quartiles, `skewness`, `kurtosis`, extremes.
    """

    histogram: pl.DataFrame
    """`list`, `from` (a rating), `players`, `share`."""

    def summary(self) -> str:
        """Return one sentence."""
        first, last = self.rows.row(0, named=True), self.rows.row(-1, named=True)
        return (
            f"{first['list']} to {last['list']}: {first['players']:,} to {last['players']:,} players, mean "
            f"{first['mean']:.1f} to {last['mean']:.1f}, σ {first['sd'] or 0:.1f} to {last['sd'] or 0:.1f}"
        )


def shape(lists: Sequence[ListLike], *, step: float = STEP) -> PoolShape:
    """Compare the distributions of ratings on two lists or more; the tests take the first and the last.

    Parameters
    ----------
    step
        Width of a bar of the histogram, in points.
    """
    if not step > 0:
        raise UsageError(f"expected a step above 0 points, found {step!r}")
    result = _several(lists)
    for each in result:
        if not each.rows.height:
            raise InputError("expected rated players, found none", file=each.label)
    first, last = (each.rows["rating"].to_numpy() for each in (result[0], result[-1]))
    both = result[0].rows.join(result[-1].rows.select("person", later="rating"), on="person")
    tests = (
        means(first, last, "change of the mean"),
        spreads(first, last, "change of σ"),
        distributions(first, last, "largest gap between the distributions"),
        distributions(_own(first), _own(last), "the same in units of each list's own σ"),
        paired((both["later"] - both["rating"]).to_numpy(), "change of those on both lists"),
    )
    return PoolShape(
        rows=pl.DataFrame([_row(each) for each in result]),
        histogram=pl.concat(bars(each.rows["rating"], step, list=each.label) for each in result),
        tests=tests,
        parameters={"step": step},
        notes=_notes(result),
    )


def _own(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    sd = float(ratings.std())
    return np.asarray((ratings - ratings.mean()) / (sd or 1.0))


def _row(each: DatedList) -> dict[str, object]:
    ratings = each.rows["rating"].to_numpy()
    n = len(ratings)
    own = _own(ratings)
    low, middle, high = (float(q) for q in np.quantile(ratings, (0.25, 0.5, 0.75)))
    return {
        "list": each.label,
        "date": each.date,
        "players": n,
        "mean": float(ratings.mean()),
        "sd": float(ratings.std(ddof=1)) if n > 1 else None,
        "lowest": float(ratings.min()),
        "quartile": low,
        "median": middle,
        "quartile_3": high,
        "highest": float(ratings.max()),
        "skewness": float((own**3).mean()),
        "kurtosis": float((own**4).mean() - 3) if own.any() else 0.0,
    }


def bars(ratings: pl.Series, step: float, **label: str) -> pl.DataFrame:
    """Return a histogram: the label, `from` (a rating), `players`, `share`.

    Examples
    --------
    >>> bars(pl.Series([2010.0, 2049.0, 2050.0]), 50, list="x").rows()
    [('x', 2000.0, 2, 0.6666666666666666), ('x', 2050.0, 1, 0.3333333333333333)]
    """
    counted = (
        ratings.alias("rating")
        .to_frame()
        .select(((pl.col("rating") / step).floor() * step).alias("from"))
        .group_by("from")
        .len("players")
        .sort("from")
    )
    return counted.select(
        *(pl.lit(text).alias(name) for name, text in label.items()),
        "from",
        pl.col("players").cast(pl.Int64),
        (pl.col("players") / ratings.len()).alias("share"),
    )


def _notes(found: Sequence[DatedList]) -> tuple[str, ...]:
    notes = [
        (
            "players on both lists count twice in all tests but the last, so p is too large there; the fourth "
            "test takes mean and σ from the data, which makes its p too large as well"
        ),
        "with thousands of players any difference is significant: look at its size",
    ]
    floors = [float(each.rows["rating"].to_numpy().min()) for each in found]
    if max(floors) - min(floors) > FLOORS_DIFFER:
        told = ", ".join(f"{each.label} {f:g}" for each, f in zip(found, floors, strict=True))
        notes.append(f"the lists begin at different ratings ({told}): compare them from {max(floors):g} up")
    return tuple(notes)


# The pool's account: points brought in by who enters, taken out by who leaves [Elo 3.54].


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAccount(OfLists):
    """Points that came into a pool, left it, and were won or lost by those who stayed.

    In every row, one from each list to the next, `opening` + `brought_in` − `taken_out` + `change` = `closing`, in rating points.
    """

    histogram: pl.DataFrame
    """`who` (entered, left, stayed), `from` (a rating), `players`, `share`."""

    def summary(self) -> str:
        """Return one sentence on R_q − R_i."""
        gap = self.tests[0]
        if gap.estimate is None:
            return f"{gap.players} entered, {gap.others} left: there is no R_q − R_i to tell"
        error = "" if gap.error is None else f" ± {gap.error:.1f}"
        return (
            f"{gap.players:,} entered, {gap.others:,} left: R_q − R_i = {gap.estimate:+.1f}{error} points; where it is "
            "above 0, each replacement of one player by another takes that many points from the players who stay, unless points are added"
        )


def account(lists: Sequence[ListLike]) -> PoolAccount:
    """Compare the points that players bring into the pool and take out of it, between lists.

    R_i is the first rating of a player who is new on a list, R_q the last one of a player on no later
    list; with three lists or more some people are seen from entry to exit, and tested apart.

    Parameters
    ----------
    lists
        Two or more: files, ratings, or lists that were read before.
    """
    result = _several(lists)
    steps = list(itertools.pairwise(result))
    entered = pl.concat([_shared(new, old, "anti") for old, new in steps])
    entered = entered.unique("person", keep="first", maintain_order=True)
    left = pl.concat([_shared(old, new, "anti") for old, new in steps])
    left = left.unique("person", keep="last", maintain_order=True)
    always = _shared(result[-1], result[0], "semi")
    gone = left.join(result[-1].rows, on="person", how="anti")
    came = entered.join(result[0].rows, on="person", how="anti")
    change = _stayed(result[0], result[-1])
    tests = [
        means(
            came["rating"].to_numpy(),
            gone["rating"].to_numpy(),
            "R_q of those who left − R_i of those who entered",
        ),
        paired(change["change"].to_numpy(), "change of those on the first and the last list"),
    ]
    if len(result) > 2:
        whole = came.join(gone.select("person", last="rating"), on="person")
        own = (whole["last"] - whole["rating"]).to_numpy()
        tests.append(paired(own, "R_q − R_i of those seen from entry to exit"))
    return PoolAccount(
        rows=pl.DataFrame([_account_row(old, new) for old, new in steps]),
        histogram=pl.concat(
            bars(some["rating"], STEP, who=who)
            for who, some in {"entered": came, "left": gone, "stayed": always}.items()
        ),
        tests=tuple(tests),
        parameters={"lists": [each.label for each in result]},
        notes=ACCOUNT_NOTES,
    )


def _shared(here: DatedList, there: DatedList, how: Literal["semi", "anti"]) -> pl.DataFrame:
    """Return the ratings here of those who are on the other list, too (semi), or are not (anti)."""
    return here.rows.join(there.rows, on="person", how=how).select("person", "rating")


def _stayed(old: DatedList, new: DatedList) -> pl.DataFrame:
    both = old.rows.join(new.rows.select("person", later="rating"), on="person")
    return both.select("person", (pl.col("later") - pl.col("rating")).alias("change"))


def _account_row(old: DatedList, new: DatedList) -> dict[str, object]:
    came, gone = _shared(new, old, "anti")["rating"], _shared(old, new, "anti")["rating"]
    change = _stayed(old, new)["change"]
    return {
        "from": old.label,
        "to": new.label,
        "opening_players": old.rows.height,
        "opening": float(old.rows["rating"].sum()),
        "entered": came.len(),
        "R_i": _mean(came),
        "brought_in": float(came.sum()),
        "left": gone.len(),
        "R_q": _mean(gone),
        "taken_out": float(gone.sum()),
        "stayed": change.len(),
        "change": float(change.sum()),
        "change_each": _mean(change),
        "closing_players": new.rows.height,
        "closing": float(new.rows["rating"].sum()),
    }


def _mean(values: pl.Series) -> float | None:
    return float(values.to_numpy().mean()) if values.len() else None


ACCOUNT_NOTES = (
    (
        "new players have played before the first list that shows them, and leavers after the last one: "
        "R_i and R_q are the ratings on those lists"
    ),
    (
        "a list with a floor loses players who fall below it, at a low R_q, and gains players who rise above it: the account of "
        "the listed part is not that of the whole pool"
    ),
    "entrants, leavers and stayers have played each other: their samples are not independent",
)


# An age cohort's mean over time: the simplest watch on deflation [Elo 3.81].

AGES = (25, 40)
"""Years between which most players neither improve nor decline much [3.81]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort(OfLists):
    """The mean rating of a group of people, list by list, and whether it changed.

    `rows`, a row a list: `list`, `date`, `players`, `mean`, `error` (of the mean), `sd`, `median`; and `same_players`,
    `same_mean` of those members of the first list who are on all of them.
    """

    who: str
    years: float | None

    def summary(self) -> str:
        """Return one sentence: the change within the same people."""
        same = self.tests[0]
        if same.estimate is None or same.error is None or same.p is None:
            return f"{self.who}: {same.players} on both the first and the last list: nothing to test"
        years = f" in {self.years:.1f} years" if self.years else ""
        return (
            f"{self.who}: {same.players:,} on both the first and the last list changed by {same.estimate:+.1f} "
            f"± {same.error:.1f} points{years} (p {p_text(same.p)})"
        )


def cohort(
    lists: Sequence[ListLike], *, born: tuple[int, int] | None = None, ages: tuple[int, int] | None = None
) -> Cohort:
    """Follow the mean of a cohort over rating lists.

    Parameters
    ----------
    lists
        Two or more: files, ratings, or lists that were read before.
    born
        First and last year of birth: the same people on every list.
    ages
        Youngest and oldest age: on every list the players of that age then, as 3.81 has it; the years 25
        to 40 unless `born` is given.
    """
    if born is not None and ages is not None:
        raise UsageError("expected years of birth or ages, found both")
    given = born or ages or AGES
    if given[0] > given[1]:
        raise UsageError(f"expected the smaller year first, found {given[0]}-{given[1]}")
    result = _several(lists)
    if born is None and any(each.date is None for each in result):
        raise UsageError("ages need the date of every list: give the dates, or years of birth")
    who = f"born {born[0]}–{born[1]}" if born else f"aged {given[0]}–{given[1]}"
    parts = []
    for each in result:
        value = pl.col("born") if born else (each.date.year if each.date else 0) - pl.col("born")
        parts.append(each.rows.filter(value.is_between(*given)))
    if not all(part.height for part in parts):
        empty = result[[part.height for part in parts].index(0)].label
        raise InputError(f"expected players {who}, found none with a year of birth", file=empty)
    years = years_between(result[0], result[-1])
    rows = [_cohort_row(e, p) | _same(e, result, parts[0]) for e, p in zip(result, parts, strict=True)]
    return Cohort(
        who=who,
        rows=pl.DataFrame(rows),
        tests=tuple(_tests(result, parts, years)),
        years=years,
        parameters={"born": born, "ages": None if born else given},
        notes=_cohort_notes(result, aged=born is None),
    )


def _cohort_row(each: DatedList, part: pl.DataFrame) -> dict[str, object]:
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
    return {"same_players": len(ratings), "same_mean": float(ratings.mean()) if len(ratings) else None}


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
        means(first["rating"].to_numpy(), last["rating"].to_numpy(), "change of the mean, first to last"),
    ]
    if len(found) > 2 and years:
        tests.append(paired(_slopes(found, first), "change a year of the same people, all lists"))
    return tests


def _slopes(found: Sequence[DatedList], first: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
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


def _cohort_notes(found: Sequence[DatedList], *, aged: bool) -> tuple[str, ...]:
    notes = [
        (
            "the same people are on several lists, so the test of the means is too cautious; "
            "people who play each other exchange points, so no test has quite independent samples"
        )
    ]
    if aged:
        notes.append("different people have this age on every list")
    unknown = ", ".join(
        f"{each.rows['born'].null_count():,} of {each.rows.height:,} on {each.label}" for each in found
    )
    notes.append(f"no year of birth: {unknown}")
    notes.append(
        "players who fell below a list's floor or stopped playing are missing from the last list; the players who stayed did better"
    )
    return tuple(notes)
