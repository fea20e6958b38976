"""The report in sentences: what the test found, warnings, and whether the results are final."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.event.app.fit import Fit
    from arpad.event.app.report import AppReport

__all__ = ["in_short", "verdict"]


def verdict(report: AppReport) -> tuple[str, ...]:
    """Return what the report says, a sentence each."""
    lines: list[str] = []
    fit = report.fit
    if fit is not None:
        lines += [*_fit(fit), *_flagged(report)]
        if report.correlation is not None:
            lines.append(_correlation(report))
    if report.sweep is not None:
        s = report.sweep
        did = "did so" if s.happened else "did not"
        lines.append(
            f"{s.favourite}, the favourite, had {_per_cent(s.probability)} of winning all {s.games} games, and {did}."
        )
    if report.strength is not None:
        lines.append(
            f"Tournament strength {report.strength:.4f}, the world's number two at {report.number_two:g}."
        )
    lines += [f"{s.name}: G = {s.g_score:.2f}, {s.g_category}." for s in report.greatness()]
    if report.order_effect is not None and report.order_effect > 0.005:
        lines.append(
            f"No rounds are given: in other orders of the games a P-Zero score moves by up to {report.order_effect:.2f}."
        )
    if report.certified:
        lines.append("The ratings fit the results: these are final and certified.")
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
            "The slope is negative: performance ratings use its size, so that they fall with P-Zero."
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


def _flagged(report: AppReport) -> list[str]:
    large = [f"{s.name} ({s.residual:+.0f})" for s in report.standings if s.flag == "LR"]
    pressed = [f"{s.name} ({s.pressure})" for s in report.standings if s.flag in ("up", "down")]
    lines = [f"Out of spec: {', '.join(large)}."] if large else []
    return [*lines, *([f"Under pressure: {', '.join(pressed)}."] if pressed else [])]


def _correlation(report: AppReport) -> str:
    test = report.correlation
    assert test is not None
    if not test.significant:
        return (
            f"r = {test.r:.2f} is not significant (p = {test.p_value:.3f}): it was anybody's event."
        )
    came = {
        True: "and the favourite won",
        False: "yet the favourite did not win",
        None: "with no single winner",
    }[report.favourite_won]
    return f"r = {test.r:.2f} is significant (p = {test.p_value:.3f}): players should finish in the order of their ratings, {came}."


def _per_cent(p: float) -> str:
    return f"{100 * p:.3f} %" if p >= 1e-5 else f"{100 * p:.1e} %"
