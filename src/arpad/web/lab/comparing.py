"""Systems side by side: each foretells the ledger's own games a month ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import polars as pl

from arpad.errors import UsageError
from arpad.office.showing.lab_games import lab_games
from arpad.web.contexts import Chart
from arpad.web.lab.contexts import Bin, Choice, Lab, LabWork, Left, Sample, SystemRow
from arpad.web.lab.keeping import about, kept_comparison
from arpad.web.lab.walking import ALL, LEAST, is_long_work, least_of, walked

if TYPE_CHECKING:
    from arpad.lab.prediction import Prediction, Standing
    from arpad.office.showing.lab_games import LabGames
    from arpad.web.asking import Asking
    from arpad.web.lab.keeping import Kept
    from arpad.web.lab.walking import FieldName, LeastGames

__all__ = ["Compared", "compared", "lab_page", "sample_of"]

FIELDS = {"usual": "the usual ones", "all": f"all {len(ALL)} (takes longer)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What was found; None: with a reason, nothing, or not yet."""

    least: str
    sample: Sample
    found: Prediction | None
    none: str = ""
    kept: Kept | None = None
    """What the background has of it, where that is where it is worked out."""

    @property
    def number(self) -> int | None:
        """The job that worked it out; None: nobody but the page."""
        done = self.kept.done if self.kept else None
        return None if done is None else done.id


def sample_of(asked: Asking) -> LabGames:
    """Return the games that are walked through."""
    return asked.remembered(("lab", "games"), lambda: lab_games(asked.connection))  # type: ignore[no-any-return]


def compared(asked: Asking, least: LeastGames, *, given: bool, field: FieldName) -> Compared:
    """Return the comparison: worked out once for as long as the ledger stands as it stands.

    Long work is not begun here: what the background has of it is looked up.
    """
    sample = sample_of(asked)
    chosen = least_of(sample, least)
    if is_long_work(sample, field):
        kept = kept_comparison(asked.connection, chosen, given=given, stamp=asked.marks)
        return Compared(least=chosen, sample=kept.sample or about(sample), found=kept.found, kept=kept)  # fmt: skip

    def make() -> Compared:
        try:
            found = walked(sample, chosen, given=given, field=field)
        except UsageError:
            none = _none(sample, chosen)
            return Compared(least=chosen, sample=about(sample), found=None, none=none)
        return Compared(least=chosen, sample=about(sample), found=found)

    return asked.remembered(("lab", "compared", chosen, given, field), make)  # type: ignore[no-any-return]


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
    whole = compared(asked, least, given=given, field=field)
    said: dict[str, Any] = {
        "sample": whole.sample,
        "least": _choices(LEAST, whole.least),
        "given": _choices({"true": "the ratings in the files", "false": "all alike"}, str(given).lower()),
        "field": _choices(FIELDS, field),
        "work": None if whole.kept is None else _work(whole.kept, whole.least, given=given),
    }  # fmt: skip
    found = whole.found
    if found is None:
        return Lab(none=whole.none, **said)
    scored = [each for each in found.standings if each.own is not None]
    sure = found.counts.blocks > 1
    names = [each.system for each in scored]
    shown = system if system in names else (names[0] if names else "")
    query = urlencode({"least": whole.least, "given": str(given).lower(), "field": field})
    return Lab(
        **said,
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


def _work(kept: Kept, least: str, *, given: bool) -> LabWork:
    job = kept.job
    return LabWork(
        systems=len(ALL), least=least, given=given, found=kept.found is not None, fresh=kept.fresh,
        finished=kept.done.finished if kept.done else None, job=job.id if job else None,
        state=job.state if job else None, is_open=job is not None and job.is_open,
        done=job.done if job else 0, total=job.total if job else None, says=job.says if job else None,
    )  # fmt: skip


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
