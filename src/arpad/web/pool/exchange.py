"""Exchange and deflation: who takes points from whom, and whose ratings are too low."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.errors import InputError
from arpad.office.showing.pool_games import MOST_GAMES, counted_games
from arpad.pool.deflation import deflation
from arpad.pool.exchange import EVERYBODY, exchange
from arpad.pool.kinds import JUNIOR, UNKNOWN
from arpad.web.contexts import Chart
from arpad.web.pool.contexts import (
    Crossing,
    Deflated,
    Deflation,
    Exchange,
    Flow,
    Gained,
    Group,
    Window,
)
from arpad.web.pool.picking import address

if TYPE_CHECKING:
    from datetime import date

    from arpad.office.making.lists import KeptList
    from arpad.office.showing.pool_games import CountedGames
    from arpad.pool.deflation import Deflation as FoundDeflation
    from arpad.pool.exchange import Exchange as FoundExchange
    from arpad.web.asking import Asking
    from arpad.web.pool.contexts import Picked

__all__ = [
    "LEAST",
    "Ways",
    "deflation_found",
    "deflation_page",
    "exchange_found",
    "exchange_page",
]

Ways = Literal["rating-band", "federation", "age", "title", "sex"]
WORDS: dict[str, str] = {
    "rating-band": "rating class", "federation": "federation", "age": "age", "title": "title", "sex": "sex",
}  # fmt: skip
AGE_CUTS = (12, JUNIOR, 30, 50, 65)
"""Years at which an age group begins: children, juniors [3.62], then by the stages of a career."""
LEAST = 10
"""Performances or games below which a group is counted, and not shown."""
MOST_FLOWS = 12
USUAL_K = 32.0
"""The book's, in the U.S. Opens of table 3.84: where a list's rules know no K."""
MISSING = {
    "federation": "No federation is known for anybody in these games: it comes with TRF files, or with columns white_federation and black_federation of a table.",
    "age": "No year of birth is known for anybody in these games: it comes with TRF files, with columns white_birth and black_birth of a table, or by arpad ledger correct.",
    "title": "Nobody in these games is known to have a title.",
    "sex": "Nobody's sex is known in these games: it comes with TRF files, or by arpad ledger correct.",
    "rating-band": "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a monitor found in the games behind a list; None: with a reason, nothing."""

    counted: CountedGames
    exchange: FoundExchange | None = None
    deflation: FoundDeflation | None = None
    none: str = ""


def _games(asked: Asking, kept: KeptList, months: int) -> CountedGames:
    since = _back(kept.closing, months) if months else None
    return asked.remembered(  # type: ignore[no-any-return]
        ("pool", "games", kept.id, months),
        lambda: counted_games(asked.connection, kept, since=since),
    )


def _back(day: date, months: int) -> date:
    """Return the first day of the month so many months before the one after a closing date."""
    return pl.Series([day]).dt.offset_by("1d").dt.offset_by(f"-{months}mo").dt.offset_by("-1d")[0]  # type: ignore[no-any-return]


def exchange_found(asked: Asking, kept: KeptList, by: Ways, months: int) -> Counted:
    """Return who takes points from whom."""

    def make() -> Counted:
        counted = _games(asked, kept, months)
        try:
            found = exchange(counted.games, by=(by,), k=counted.K or USUAL_K, age_cuts=AGE_CUTS)
        except InputError as error:
            return Counted(counted=counted, none=_nothing(counted, error))
        real = set(found.rows[by]) - {EVERYBODY, UNKNOWN, "none"}
        if not real:
            return Counted(counted=counted, none=MISSING[by])
        return Counted(counted=counted, exchange=found)

    return asked.remembered(("pool", "exchange", kept.id, by, months), make)  # type: ignore[no-any-return]


def deflation_found(asked: Asking, kept: KeptList, by: Ways, months: int) -> Counted:
    """Return whose ratings are too low."""

    def make() -> Counted:
        counted = _games(asked, kept, months)
        try:
            return Counted(counted=counted, deflation=deflation(counted.games, by=by, age_cuts=AGE_CUTS))  # fmt: skip
        except InputError as error:
            said = MISSING[by] if len(counted.games) else ""
            return Counted(counted=counted, none=said or _nothing(counted, error))

    return asked.remembered(("pool", "deflation", kept.id, by, months), make)  # type: ignore[no-any-return]


def _nothing(counted: CountedGames, error: InputError) -> str:
    if not len(counted.games):
        return "There is no game in these periods in which both players had a rating."
    return f"{str(error)[0].upper()}{str(error)[1:]}."


def exchange_page(asked: Asking, chosen: Picked, kept: KeptList, by: Ways, months: int) -> Exchange:
    """Return the page about exchange."""
    whole = exchange_found(asked, kept, by, months)
    found = whole.exchange
    head: dict[str, Any] = {
        "picked": chosen, "groups": _groups(by), "by": by, "months": months,
        "window": _window(whole.counted, 0 if found is None else found.left_out),
        "K": whole.counted.K or USUAL_K, "known": found is not None, "none": whole.none,
    }  # fmt: skip
    if found is None:
        return Exchange(**head)
    shown = found.rows.filter((pl.col("performances") >= LEAST) & (pl.col(by) != EVERYBODY))
    return Exchange(
        **head,
        rows=[
            Gained(group=row[by], **{n: row[n] for n in Gained.model_fields if n != "group"})
            for row in shown.iter_rows(named=True)
        ],
        few=found.rows.height - shown.height - 1,
        flows=_flows(found),
        notes=list(found.notes),
        chart=Chart(
            title=f"Points gained in an event, by {WORDS[by]}",
            href=address("/charts/pool/exchange", chosen, by=by, months=months),
            says=f"A dot and two standard errors for each group: {_ends(shown, by, 'gain')}.",
        ),
    )


def _flows(found: FoundExchange) -> list[Flow]:
    won = found.between.filter((pl.col("segment") != pl.col("opponents")) & (pl.col("points") > 0))
    most = won.sort("points", descending=True, maintain_order=True).head(MOST_FLOWS)
    return [
        Flow(winners=row["segment"], losers=row["opponents"],
             **{n: row[n] for n in ("games", "score", "expected", "points")})
        for row in most.iter_rows(named=True)
    ]  # fmt: skip


def deflation_page(
    asked: Asking, chosen: Picked, kept: KeptList, by: Ways, months: int
) -> Deflation:
    """Return the page about deflation."""
    whole = deflation_found(asked, kept, by, months)
    found = whole.deflation
    head: dict[str, Any] = {
        "picked": chosen, "groups": _groups(by), "by": by, "months": months, "none": whole.none,
        "window": _window(whole.counted, 0 if found is None else found.left_out),
    }  # fmt: skip
    if found is None:
        return Deflation(**head)
    shown = found.rows.filter(pl.col("games") >= LEAST)
    return Deflation(
        **head,
        rows=[
            Deflated(
                group=row["segment"], low=row["points_low"], high=row["points_high"],
                **{n: row[n] for n in ("players", "games", "score", "expected", "points", "p")},
            )
            for row in shown.iter_rows(named=True)
        ],
        few=found.rows.height - shown.height,
        crossing=Crossing(between=found.games, within=found.inside),
        notes=list(found.notes),
        chart=Chart(
            title=f"Points by which ratings are too low, by {WORDS[by]}",
            href=address("/charts/pool/deflation", chosen, by=by, months=months),
            says=f"A dot and a 95 % interval for each group: {_ends(shown, 'segment', 'points')}.",
        ),
    )  # fmt: skip


def _ends(rows: pl.DataFrame, name: str, value: str) -> str:
    """Say in words which groups are first and last."""
    known = rows.drop_nulls(value).sort(value, descending=True, maintain_order=True)
    if not known.height:
        return "no group has enough games"
    first, last = known.row(0, named=True), known.row(-1, named=True)
    return f"most {first[name]} with {first[value]:+.1f} points, least {last[name]} with {last[value]:+.1f}"


def _groups(by: Ways) -> list[Group]:
    return [Group(by=way, text=text, chosen=way == by) for way, text in WORDS.items()]


def _window(counted: CountedGames, left_out: int) -> Window:
    return Window(
        games=len(counted.games), left_out=left_out, since=counted.since, until=counted.until,
        bounded=counted.bounded, most=MOST_GAMES,
    )  # fmt: skip
