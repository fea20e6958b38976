"""The report in sentences: what the test found, warnings, and whether the results are final."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arpad.event.app.fit import Fit
    from arpad.event.app.report import AppReport, Standing
    from arpad.event.app.sweep import Sweep

__all__ = ["NAMED", "in_short", "out_of_spec", "some", "verdict"]

NAMED = 6
"""Players that a sentence names; the table has them all."""


def verdict(report: AppReport) -> tuple[str, ...]:
    """Return what the report says, a sentence each."""
    lines: list[str] = []
    fit = report.fit
    if fit is not None:
        lines += [*_fit(fit), *_flagged(report)]
        if report.correlation is not None:
            lines.append(_correlation(report))
    if report.sweep is not None:
        lines.append(_sweep(report, report.sweep))
    if report.strength is not None:
        lines.append(
            f"Tournament strength {report.strength:.4f}, the world's number two at {report.number_two:g}."
        )
    lines += [f"{s.name}: G = {s.g_score:.2f}, {s.g_category}." for s in report.greatness()]
    if report.order_effect is not None and report.order_effect > 0.005:
        lines.append(
            f"The order of the games is not certain: in other orders a P-Zero score moves by up to {report.order_effect:.2f}."
        )
    if report.certified:
        lines.append("The ratings fit the results, which are final and certified.")
    elif fit is not None:
        lines.append("The ratings do not fit the results: an administrator should find out why.")
    return tuple(lines)


def in_short(report: AppReport) -> str:
    """Return one sentence on the event."""
    fit = report.fit
    if fit is None:
        tested = "no test of fit"
    else:
        tested = f"χ² {fit.chi_square:.3f} {'≤' if fit.passed else '>'} {fit.critical:.3f}, {'passed' if fit.passed else 'failed'}"
    strength = "" if report.strength is None else f", strength {report.strength:.4f}"
    best = report.greatness()[:1]
    great = "" if not best else f", {best[0].name} G {best[0].g_score:.2f}"
    return f"{report.name}: {len(report.standings)} players, {report.games} games, {tested}{strength}{great}"


def _fit(fit: Fit) -> list[str]:
    low, high = fit.constant_interval
    x, y = fit.centroid
    lines = [
        f"Line: {fit.intercept:.2f} {'−' if fit.slope < 0 else '+'} {abs(fit.slope):.4f} · P-Zero through ({round(x, 2) + 0.0:.2f}, {y:.2f}), r = {fit.r:.2f}."
    ]
    if fit.flipped:
        lines.append(
            "The slope is negative: the higher rated did worse. Performance ratings use its size, so that they rise with P-Zero; the test takes the line as it falls."
        )
    outcome = (
        "the players performed as expected"
        if fit.passed
        else "the players did not all perform as expected"
    )
    lines.append(
        f"χ² = {fit.chi_square:.3f} with {fit.degrees} degrees of freedom, critical value {fit.critical:.3f}, lower threshold {fit.lower:.3f}: {outcome}."
    )
    if not fit.can_fail:
        lines.append(
            f"The ratings lie so close together (standard deviation {fit.line.spread[1]:.0f}) that no results could have failed this test."
        )
    if fit.low_warning:
        lines.append(
            "Warning: χ² is below the lower threshold; the players performed so close to expectation as to arouse suspicion."
        )
    lines.append(
        f"Constants between {low:.1f} and {high:.1f} would have put χ² between the thresholds (90 %); the test uses {fit.constant:g}."
    )
    return lines


def some(words: Sequence[str]) -> str:
    """Return the first few of them, and how many more there are.

    Examples
    --------
    >>> some(["Ann", "Bob"]), some("ABCDEFGH")
    ('Ann, Bob', 'A, B, C, D, E, F and 2 more')
    """
    more = len(words) - NAMED
    return ", ".join(words[:NAMED]) + (f" and {more} more" if more > 0 else "")


def out_of_spec(report: AppReport) -> list[str]:
    """Say who is out of spec, the worst first; nothing where nobody is."""
    worst = _worst(s for s in report.standings if s.flag == "LR")
    return [f"Out of spec: {some([_off(s) for s in worst])}."] if worst else []


def _off(player: Standing) -> str:
    residual = player.residual or 0.0
    return f"{player.name} {abs(residual):.0f} too {'low' if residual < 0 else 'high'}"


def _worst(players: Iterable[Standing]) -> list[Standing]:
    return sorted(players, key=lambda s: -abs(s.residual or 0.0))


def _flagged(report: AppReport) -> list[str]:
    pressed = _worst(s for s in report.standings if s.flag in ("up", "down"))
    names = [f"{s.name} ({s.pressure})" for s in pressed]
    return [*out_of_spec(report), *([f"Under pressure: {some(names)}."] if names else [])]


def _correlation(report: AppReport) -> str:
    test = report.correlation
    assert test is not None
    p = f"p = {test.p_value:.3f}" if test.p_value >= 0.0005 else "p < 0.001"
    if not test.significant:
        return f"r = {test.r:.2f} is not significant ({p}): it was anybody's event."
    if test.r < 0:
        return f"r = {test.r:.2f} is significant ({p}): players finished against the order of their ratings."
    if report.favourite_won is not None:
        came = "and the favourite won" if report.favourite_won else "yet the favourite did not win"
    else:
        several = len(_favourites(report)) > 1
        came = "with no single favourite" if several else "with no single winner"
    return f"r = {test.r:.2f} is significant ({p}): players should finish in the order of their ratings, {came}."


def _favourites(report: AppReport) -> list[Standing]:
    """Return the highest rated of those who played: several where they are equal."""
    rated = [s for s in report.standings if s.rating is not None and s.games]
    best = max((s.rating or 0.0 for s in rated), default=0.0)
    return [s for s in rated if s.rating == best]


def _sweep(report: AppReport, sweep: Sweep) -> str:
    equal = len(_favourites(report))
    who = "the favourite" if equal < 2 else f"one of {equal} favourites"
    what = "the only game" if sweep.games == 1 else f"all {sweep.games} games"
    did = "did so" if sweep.happened else "did not"
    return f"{sweep.favourite}, {who}, had {_per_cent(sweep.probability)} of winning {what}, and {did}."


def _per_cent(p: float) -> str:
    return f"{100 * p:.3f} %" if p >= 1e-5 else f"{100 * p:.1e} %"
