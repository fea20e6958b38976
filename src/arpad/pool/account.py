"""The pool's account: points brought in by who enters, taken out by who leaves [Elo 3.54]."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.pool.dated import DatedList, aligned
from arpad.pool.shape import STEP, bars
from arpad.pool.significance import Significance, means, paired, tests_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Account", "account"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What came into a pool, what went out, and what those who stayed won or lost.

    In every row `opening` + `brought_in` − `taken_out` + `change` = `closing`, in rating points.
    """

    rows: pl.DataFrame
    """A row from each list to the next."""
    histogram: pl.DataFrame
    """`who` (entered, left, stayed), `from` (a rating), `players`, `share`."""
    tests: tuple[Significance, ...]
    parameters: Mapping[str, object]
    notes: tuple[str, ...] = field(default=())

    def table(self) -> pl.DataFrame:
        """Return the account, a row from each list to the next."""
        return self.rows

    def tests_table(self) -> pl.DataFrame:
        """Return the tests, a row each."""
        return tests_table(self.tests)

    def summary(self) -> str:
        """Return one sentence on R_q − R_i."""
        gap = self.tests[0]
        if gap.estimate is None:
            return f"{gap.players} entered, {gap.others} left: there is no R_q − R_i to tell"
        error = "" if gap.error is None else f" ± {gap.error:.1f}"
        return (
            f"{gap.players:,} entered, {gap.others:,} left: R_q − R_i = {gap.estimate:+.1f}{error} points; where it is "
            "above 0, every exchange of one player for another takes as many points from those who stay unless they are fed in"
        )


def account(lists: Sequence[DatedList]) -> Account:
    """Draw up the account between lists.

    R_i is the first rating of who was not on the list before, R_q the last one of who is on no later
    list; with three lists or more some people are seen from entry to exit, and tested apart.

    Parameters
    ----------
    lists
        Two or more.
    """
    found = aligned(lists)
    if len(found) < 2:
        raise UsageError(f"expected two rating lists or more, found {len(found)}")
    steps = list(itertools.pairwise(found))
    entered = pl.concat([_only(new, old) for old, new in steps]).unique(
        "person", keep="first", maintain_order=True
    )
    left = pl.concat([_only(old, new) for old, new in steps]).unique(
        "person", keep="last", maintain_order=True
    )
    gone = left.join(found[-1].rows, on="person", how="anti")
    came = entered.join(found[0].rows, on="person", how="anti")
    change = _stayed(found[0], found[-1])
    tests = [
        means(
            came["rating"].to_numpy(),
            gone["rating"].to_numpy(),
            "R_q of those who left − R_i of those who entered",
        ),
        paired(change["change"].to_numpy(), "change of those on the first and the last list"),
    ]
    if len(found) > 2:
        whole = came.join(gone.select("person", last="rating"), on="person")
        own = (whole["last"] - whole["rating"]).to_numpy()
        tests.append(paired(own, "R_q − R_i of those seen from entry to exit"))
    return Account(
        rows=pl.DataFrame([_row(old, new) for old, new in steps]),
        histogram=pl.concat(
            [
                bars(came["rating"], STEP, who="entered"),
                bars(gone["rating"], STEP, who="left"),
                bars(_always(found)["rating"], STEP, who="stayed"),
            ]
        ),
        tests=tuple(tests),
        parameters={"lists": [each.label for each in found]},
        notes=_notes(),
    )


def _only(here: DatedList, there: DatedList) -> pl.DataFrame:
    return here.rows.join(there.rows, on="person", how="anti").select("person", "rating")


def _stayed(old: DatedList, new: DatedList) -> pl.DataFrame:
    both = old.rows.join(new.rows.select("person", later="rating"), on="person")
    return both.select("person", (pl.col("later") - pl.col("rating")).alias("change"))


def _always(found: Sequence[DatedList]) -> pl.DataFrame:
    return found[-1].rows.join(found[0].rows, on="person", how="semi")


def _row(old: DatedList, new: DatedList) -> dict[str, object]:
    came, gone = _only(new, old)["rating"], _only(old, new)["rating"]
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


def _notes() -> tuple[str, ...]:
    return (
        (
            "who entered has played before the list that first shows them, and who left after the one that last "
            "does: R_i and R_q are those of the lists"
        ),
        (
            "a list with a floor loses whoever falls below it, at a low R_q, and gains whoever rises above it: the account of "
            "the listed part is not that of the whole pool"
        ),
        "entrants, leavers and stayers have played each other: their samples are not independent",
    )
