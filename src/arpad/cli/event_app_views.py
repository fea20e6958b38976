"""The Tournament App of `arpad event`, for people: lines and tables, the section of the page, the chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.cli.event_app import Apps, OneApp
    from arpad.event.app import Decision, Fit
    from arpad.publish.page import Section

__all__ = ["app_chart", "app_parts", "app_sections"]

HEADING = "Ratings and results (PRA)"
SHOWN = (
    "rank", "name", "rating", "mark", "games", "points", "p_zero", "z", "performance", "residual", "flag",
    "g_score", "pra_after", "elo_after",
)  # fmt: skip
SMALL = {"p_zero": 2, "z": 2, "residual": 1, "g_score": 2}
"""Decimals of what may be a little less than nothing: it is shown as 0."""
DIGITS = {
    "rating": 0,
    "performance": 0,
    **SMALL,
    "pra_after": 0,
    "elo_after": 0,
    "r": 2,
    "chi_square": 3,
    "critical": 3,
    "strength": 4,
}
FIT = ("rank", "name", "rating", "mark", "points", "p_zero", "z", "performance", "residual", "flag")
GREATNESS = ("rank", "name", "games", "points", "g_score", "g_category", "pra_after", "elo_after")
"""The columns of the page's two tables."""
WORDS = "Ratings after by PRA's Basic System and by Elo's (K 10), game by game."


def app_parts(apps: Apps) -> list[object]:
    """Return what a person sees below the standings: a few lines, or everything with --fit."""
    one = apps.single
    if one is None:
        return _several(apps)
    if not apps.full:
        notes = one.why_not() if one.report.fit_before is not None else []
        return ["", *_short(one), *_decisions(one), *(f"Note: {note}." for note in notes)]
    from arpad.cli.output import width
    from arpad.publish.tables import fitted, rich_table

    table = rich_table(fitted(_columns(one, SHOWN), width(), DIGITS), title=HEADING, digits=DIGITS)
    return ["", table, "", *_sentences(one)]


def app_sections(apps: Apps) -> list[Section]:
    """Return the section of the page: the verdict, the chart and the table."""
    from arpad.publish.chart_style import svg
    from arpad.publish.fit_chart import fit_chart
    from arpad.publish.page import Section

    one = apps.single
    if one is None:
        words = f"Each of the {len(apps.each)} events by itself."
        return [Section(HEADING, table=_summaries(apps), words=words, digits=DIGITS)]
    picture = None if one.report.fit is None else svg(fit_chart(one.report))
    points = tuple(_sentences(one))
    fit, after = _columns(one, FIT), _columns(one, GREATNESS)
    return [
        Section(HEADING, table=fit, picture=picture, points=points, digits=DIGITS),
        Section("Greatness, and ratings after", table=after, words=WORDS, digits=DIGITS),
    ]


def app_chart(apps: Apps, path: str | None) -> None:
    """Write the chart, if one is asked for."""
    if path is None:
        return
    one = apps.single
    if one is None:
        raise UsageError(
            f"--chart is for one event, and there are {len(apps.each)}: name it with --only"
        )
    if one.report.fit is None:
        raise UsageError(f"--chart: there is nothing to draw: {'; '.join(one.why_not())}")
    from arpad.publish.chart_style import save
    from arpad.publish.fit_chart import fit_chart

    save(fit_chart(one.report), path)


def _columns(one: OneApp, names: Sequence[str]) -> pl.DataFrame:
    """Return columns for people, players best first, without empty ones."""
    import polars as pl

    rows = one.report.players.select(names).with_columns(
        pl.when(pl.col(c).round(d) == 0).then(0.0).otherwise(c).alias(c)
        for c, d in SMALL.items()
        if c in names
    )
    if "mark" in names:
        short = pl.col("mark").str.strip_prefix("PRA-").str.to_lowercase().replace("", None)
        rows = rows.with_columns(short.alias("mark")).rename({"mark": "PRA"})
    return rows.select(c for c in rows.columns if not rows[c].is_null().all())


def _sentences(one: OneApp) -> list[str]:
    """Return the whole verdict, a sentence each."""
    lines = list(one.report.words())
    if any(s.flag for s in one.report.standings):
        lines.append(
            "LR: a large residual, the rating is more than 100 points off the line; up, down: pressure on it, 75 to 100."
        )
    if one.number_two is not None and one.report.strength is not None:
        two = one.number_two.summary()
        lines.append(f"{two[:1].upper()}{two[1:]}.")
    lines += [*_estimates(one), *_decisions(one)]
    return [*lines, *(f"Note: {note}." for note in one.notes())]


def _short(one: OneApp) -> list[str]:
    """Return the verdict in a line or three."""
    from arpad.event.app.words import out_of_spec

    report = one.report
    if report.fit is None:
        lines = [f"Fit of ratings to results: not tested; {'; '.join(one.why_not())}."]
    else:
        made = sum(d.kind == "estimated" for d in report.decisions)
        some = f" ({made} of {report.fit.n} ratings estimated)" if made else ""
        lines = [
            f"Fit of ratings to results: {_tested(report.fit)}{some}; --fit says all about it."
        ]
    lines += out_of_spec(report)
    if report.strength is not None and one.number_two is not None:
        great = "".join(f", {s.name} G {s.g_score:.2f}" for s in report.greatness()[:1])
        lines.append(f"Strength {report.strength:.4f}{great} ({one.number_two.summary()}).")
    return lines


def _tested(fit: Fit) -> str:
    relation = "≤" if fit.passed else ">"
    outcome = "passed" if fit.passed else "failed"
    close = ", suspiciously close" if fit.low_warning else ""
    if not fit.can_fail:
        close = ", as any results would have in so even a field"
    return (
        f"{outcome}{close}, χ² = {fit.chi_square:.3f} {relation} {fit.critical:.3f} with {fit.degrees} degrees of "
        f"freedom, r = {fit.r:.2f}"
    )


def _decisions(one: OneApp) -> list[str]:
    """Return an administrator's decisions with their reason, and the fit before and after."""
    report = one.report
    lines = [_decision(d) for d in report.decisions if d.kind != "estimated"]
    if report.fit_before is not None and report.fit is not None and report.fit != report.fit_before:
        lines.append(f"Before the repair: {_tested(report.fit_before)}.")
        lines.append(f"After it: {_tested(report.fit)}.")
    return lines


def _estimates(one: OneApp) -> list[str]:
    """Say whose ratings come from the estimator line."""
    from arpad.event.app.words import some

    found = [d for d in one.report.decisions if d.kind == "estimated"]
    if not found:
        return []
    return [f"Estimated: {some([f'{d.player} {d.after:.0f}' for d in found])} ({found[0].reason})."]


def _decision(made: Decision) -> str:
    if made.kind == "nothing":
        return f"Decision: no rating is changed. Reason: {made.reason}"
    before = "none" if made.before is None else f"{made.before:g}"
    moved = f"{before} → {made.after:g}"
    what = f"number two {moved}" if made.player is None else f"{made.player} {moved} ({made.kind})"
    return f"Decision: {what}. Reason: {made.reason}"


def _several(apps: Apps) -> list[object]:
    from arpad.publish.tables import rich_table

    table = rich_table(_summaries(apps), title=HEADING, digits=DIGITS)
    return ["", table, "", "Each event by itself; --only NAME reports on one of them."]


def _summaries(apps: Apps) -> pl.DataFrame:
    """Return a row for each of several events."""
    import polars as pl

    rows = []
    for one in apps.each:
        report, fit = one.report, one.report.fit
        best = max(
            (s for s in report.standings if s.g_score is not None),
            key=lambda s: s.g_score or 0.0,
            default=None,
        )
        rows.append(
            {
                "event": report.name,
                "players": len(report.standings),
                "games": report.games,
                "r": None if fit is None else fit.r,
                "chi_square": None if fit is None else fit.chi_square,
                "critical": None if fit is None else fit.critical,
                "fit": "not tested" if fit is None else "passed" if fit.passed else "failed",
                "strength": report.strength,
                "best": None if best is None else best.name,
                "g_score": None if best is None else best.g_score,
            }
        )
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.select(c for c in frame.columns if not frame[c].is_null().all())
