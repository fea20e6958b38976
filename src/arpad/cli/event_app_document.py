"""The Tournament App of `arpad event`, for programs: columns of the players, and parts of the JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from arpad.cli.event_app import Apps, OneApp
    from arpad.event.app import AppReport, Fit
    from arpad.event.report import EventReport

__all__ = ["app_document", "with_app"]

COLUMNS = {
    "rank": "pra_rank",
    "rating": "rating_used",
    "mark": "mark",
    "p_zero": "p_zero",
    "z": "z",
    "performance": "pra_performance",
    "residual": "residual",
    "flag": "flag",
    "pressure": "pressure",
    "resistance": "resistance",
    "g_score": "g_score",
    "g_category": "g_category",
    "pra_after": "pra_after",
    "elo_after": "elo_after",
    "elo_after_as_printed": "elo_after_as_printed",
}
"""The app's columns, and what they are called beside those of the report."""


def with_app(found: EventReport, apps: Apps) -> pl.DataFrame:
    """Return the report's players with the app's columns, empty where several events have their own."""
    import polars as pl

    from arpad.event.app.report import COLUMNS as SCHEMA

    rows = found.players.with_columns(pl.Series("row", found.rows, dtype=pl.Int64))
    if apps.single is None:
        empty = [pl.lit(None, SCHEMA[old]).alias(new) for old, new in COLUMNS.items()]
        return rows.drop("row").with_columns(empty)
    theirs = apps.single.report.players.select(
        "row", *(pl.col(a).alias(b) for a, b in COLUMNS.items())
    )
    return rows.join(theirs, on="row", how="left", maintain_order="left").drop("row")


def app_document(apps: Apps) -> dict[str, object]:
    """Return the parts of the JSON document: the fit, the strength and whatever belongs to them."""
    one = apps.single
    if one is not None:
        return _document(one)
    reason = (
        f"{len(apps.each)} events: fit and strength of each are in events; --only names one of them"
    )
    return {
        "fit": None,
        "strength": None,
        "notes": [reason],
        "events": [
            {
                "event": each.report.name,
                **_document(each),
                "players": each.report.players.drop("row").to_dicts(),
            }
            for each in apps.each
        ],
    }


def _document(one: OneApp) -> dict[str, object]:
    report = one.report
    return {
        "fit": _fit(report.fit),
        "fit_before": _fit(report.fit_before),
        "certified": None if report.fit is None else report.certified,
        "correlation": _correlation(report),
        "sweep": None if report.sweep is None else _without(asdict(report.sweep), "row"),
        "strength": report.strength,
        "number_two": _number_two(one),
        "conditions": report.conditions,
        "order_effect": report.order_effect,
        "decisions": [_without(asdict(d), "row") for d in report.decisions],
        "verdict": list(report.words()),
        "notes": one.notes(),
    }


def _number_two(one: OneApp) -> dict[str, object] | None:
    two = one.number_two
    if two is None:
        return None
    return {"rating": two.rating, "source": two.source, "player": two.player, "date": two.date}


def _fit(fit: Fit | None) -> dict[str, object] | None:
    if fit is None:
        return None
    names = (
        "r", "intercept", "slope", "flipped", "n", "centroid", "chi_square", "degrees", "critical", "lower",
        "passed", "can_fail", "low_warning", "constant", "constant_interval", "level",
    )  # fmt: skip
    return {name: getattr(fit, name) for name in names}


def _correlation(report: AppReport) -> dict[str, object] | None:
    test = report.correlation
    if test is None:
        return None
    return {
        **asdict(test),
        "significant": test.significant,
        "favourite_won": report.favourite_won,
        "top_three_in_order": report.top_three_in_order,
    }


def _without(values: dict[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in values.items() if key != name}
