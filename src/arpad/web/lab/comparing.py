"""Systems side by side: each foretells the ledger's own games a month ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

import polars as pl

from arpad.errors import UsageError
from arpad.lab.entrants import PUBLISHED, entrant
from arpad.lab.predicting import predict
from arpad.office.showing.lab_games import lab_games
from arpad.rate.systems import SYSTEMS
from arpad.web.contexts import Chart
from arpad.web.lab.contexts import Bin, Choice, Lab, Left, Sample, SystemRow

if TYPE_CHECKING:
    from datetime import date

    from arpad.lab.prediction import Prediction, Standing
    from arpad.office.showing.lab_games import LabGames
    from arpad.web.asking import Asking

__all__ = ["LEAST", "Compared", "FieldName", "LeastGames", "compared", "lab_page"]

LeastGames = Literal["", "0", "5", "10", "20", "30"]
FieldName = Literal["usual", "all"]

USUAL = ("elo", "fide", "glicko2", "stephenson", "uscf1994", "pra", "whr", "arpad", PUBLISHED)
"""Systems that are compared unless all are asked for: all of them take three times as long."""
LEAST = {"0": "none", "5": "5", "10": "10", "20": "20", "30": "30"}
FIELDS = {"usual": "the usual ones", "all": f"all {len(SYSTEMS) + 1} (takes longer)"}
MANY, FEW_LEAST, MANY_LEAST = 5000, "5", "20"
"""From so many games on only those between players with 20 earlier ones are scored: below, most systems guess."""
DRAWS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What was found; None: with a reason, nothing."""

    least: str
    found: Prediction | None
    none: str = ""


def _sample(asked: Asking) -> LabGames:
    return asked.remembered(("lab", "games"), lambda: lab_games(asked.connection))  # type: ignore[no-any-return]


def compared(asked: Asking, least: LeastGames, *, given: bool, field: FieldName) -> Compared:
    """Return the comparison: worked out once for as long as the ledger stands as it stands."""
    sample = _sample(asked)
    chosen = least or (MANY_LEAST if len(sample.games) >= MANY else FEW_LEAST)

    def make() -> Compared:
        names = USUAL if field == "usual" else (*SYSTEMS, PUBLISHED)
        try:
            found = predict(
                sample.games,
                [entrant(name, given=given) for name in names],
                test_from=None if len(sample.games) >= MANY else _half(sample),
                least_games=int(chosen),
                draws=DRAWS,
            )
        except UsageError:
            return Compared(least=chosen, found=None, none=_none(sample, chosen))
        return Compared(least=chosen, found=found)

    return asked.remembered(("lab", "compared", chosen, given, field), make)  # type: ignore[no-any-return]


def _half(sample: LabGames) -> date | None:
    """Return the month by which half of the games are played: the last fifth of a small ledger is a handful."""
    days = sample.games.table["date"]
    return None if not days.len() else days.sort()[days.len() // 2].replace(day=1)


def _none(sample: LabGames, least: str) -> str:
    if not len(sample.games):
        return "Systems are compared on games that have a date, and there is none in this ledger yet. Upload an event, or run arpad import FILES."
    return (
        f"There is too little to foretell here: games of several months are needed, and in the last of them some between players "
        f"with {least} or more earlier games. Ask for fewer earlier games, or come back when there is more play."
    )


def lab_page(
    asked: Asking, least: LeastGames, *, given: bool, field: FieldName, system: str
) -> Lab:
    """Return the page."""
    sample = _sample(asked)
    whole = compared(asked, least, given=given, field=field)
    days: Any = sample.games.table["date"]
    about = Sample(
        games=len(sample.games), there=sample.there, players=sample.players, sampled=sample.sampled,
        first=days.min(), last=days.max(),
    )  # fmt: skip
    choices: dict[str, Any] = {
        "least": _choices(LEAST, whole.least),
        "given": _choices({"true": "the ratings in the files", "false": "all alike"}, str(given).lower()),
        "field": _choices(FIELDS, field),
    }  # fmt: skip
    found = whole.found
    if found is None:
        return Lab(sample=about, none=whole.none, **choices)
    scored = [each for each in found.standings if each.own is not None]
    sure = found.counts.blocks > 1
    names = [each.system for each in scored]
    shown = system if system in names else (names[0] if names else "")
    query = urlencode({"least": whole.least, "given": str(given).lower(), "field": field})
    return Lab(
        sample=about,
        **choices,
        shown=_choices({name: name for name in names}, shown),
        system=shown,
        reference=found.reference,
        least_games=found.least_games,
        validation_from=found.windows.validation_from,
        test_from=found.windows.test_from,
        validation=found.counts.validation,
        tested=found.counts.test,
        scored=found.counts.scored,
        blocks=found.counts.blocks,
        draws=found.draws,
        rows=[_row(each, sure=sure) for each in scored],
        left=[Left(system=e.system, reason=e.reason) for e in found.standings if e.reason],
        bins=_bins(found, shown),
        notes=[note for note in found.notes if "--" not in note],
        chart=_chart(found, query),
        calibration=_calibration(shown, query),
    )


def _choices(of: dict[str, str], chosen: str) -> list[Choice]:
    return [Choice(value=v, text=text, chosen=v == chosen) for v, text in of.items()]


def _row(each: Standing, *, sure: bool) -> SystemRow:
    own, gap, fit = each.own, each.gap, each.fit
    assert own is not None
    return SystemRow(
        system=each.system,
        games=own.n,
        log_loss=own.log_loss,
        log_loss_error=own.log_loss_error,
        recalibrated=None if each.recalibrated is None else each.recalibrated.log_loss,
        difference=None if gap is None else gap.difference,
        low=gap.low if gap and sure else None,
        high=gap.high if gap and sure else None,
        brier=own.brier,
        brier_error=own.brier_error,
        accuracy=own.accuracy,
        calibration_error=each.calibration_error,
        white_advantage=None if fit is None else fit.white_advantage,
    )


def _bins(found: Prediction, system: str) -> list[Bin]:
    mine = found.curves.filter(pl.col("system") == system)
    return [
        Bin(games=row["n"], **{name: row[name] for name in ("curve", "expected", "score", "low", "high")})
        for row in mine.iter_rows(named=True)
    ]  # fmt: skip


def _chart(found: Prediction, query: str) -> Chart | None:
    if found.reference is None:
        return None
    return Chart(
        title=f"Log loss more than {found.reference}",
        href=f"/charts/lab/systems?{query}",
        says=f"A dot and an interval for each system, best first. {found.summary()}",
    )


def _calibration(system: str, query: str) -> Chart | None:
    if not system:
        return None
    return Chart(
        title=f"Calibration of {system}: what was scored where so much was expected",
        href=f"/charts/lab/calibration?{query}&{urlencode({'system': system})}",
        says="Mean score by expected score, with 95 % intervals; a perfect system lies on the diagonal.",
    )
