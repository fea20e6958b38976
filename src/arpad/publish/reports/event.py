"""Reports on performances, matches, handicaps and USCF norms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.publish.reports import Remark
from arpad.publish.tables import fitting_table, rich_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.handicap import Advice, MatchHandicap
    from arpad.event.handicap_event import Handicaps
    from arpad.event.match import Forecast
    from arpad.event.norms.odds import UscfTitleOdds
    from arpad.event.norms.uscf import NormRegister
    from arpad.event.performance import Performance
    from arpad.event.uscf import FideUpdate
    from arpad.rate.draws import DrawModel
    from arpad.scale import Curve

LEAST_SHOWN = 0.00005
"""Scores less probable than this are left out of a table: they would be shown as 0."""


def performance_report(result: Performance) -> list[object]:
    """Write a performance rating, how sure it is, and what is to be known of it."""
    rating = "none" if result.rating is None else f"{result.rating:.0f}"
    error = "" if result.error is None else f" ± {result.error:.0f}"
    lines: list[object] = [
        (
            f"Performance {rating}{error}: {result.score:g} of {result.games} against an average of "
            f"{result.average:.0f} ({result.method}, {result.parameters['curve']} curve)."
        )
    ]
    if (near := result.within()) is not None:
        lines.append(
            "± is one standard deviation: such a rating is within 100 points of the truth "
            f"{100 * near:.0f} times of 100."
        )
    if result.exact is not None:
        off = "" if result.difference is None else f" ({result.difference:+.2f})"
        lines.append(f"Exact, by iteration: {result.exact:.2f}{off}.")
    if result.note:
        note = f"Note: {result.note}"
        lines.append(Remark(note, "no-performance") if result.rating is None else f"{note}.")
    return lines


def match_report(result: Forecast, *, title: str, model: Sequence[str] = ()) -> list[object]:
    """Write the chances of a match and of every score; `model` says where draws come from."""
    from arpad.publish.charts.checks import final_score

    likely = result.scores.filter(pl.col("probability") >= LEAST_SHOWN)
    final = pl.Series(map(final_score, likely["score"], likely["opponent"]), dtype=pl.String)
    table = likely.select(
        final.alias("final score"), "probability", pl.col("or_more").alias("this or better"), "result"
    )
    left_out = result.scores.height - table.height
    unit = "wins" if result.parameters["wins"] is not None else "points"
    return [
        f"{title}: won {result.won:.1%}, drawn {result.drawn:.1%}, lost {result.lost:.1%}.",
        "",
        rich_table(table, digits={"probability": 4, "this or better": 4}),
        *([f"… and {left_out:,} scores below .00005"] if left_out else []),
        "",
        f"Expected {result.expected_score:.2f} ± {result.sigma:.2f} {unit}; decided after {result.length:.1f} games on average.",
        f"Expected score of a game {result.expected:.3f} ({match_settings(result)}). Ratings are taken as exact.",
        *model,
    ]


def match_settings(result: Forecast) -> str:
    """Return curve, draws and White's advantage of a match in words."""
    settings = result.parameters
    parts = [f"{settings['curve']} curve"]
    white, black = result.draw_rates
    if white == black:
        parts.append(f"{white:.0%} draws" if white else "no draws")
    else:
        parts.append(f"{white:.1%} draws with White, {black:.1%} with Black")
    if settings["white_advantage"]:
        parts.append(f"White's advantage {settings['white_advantage']:g} points")
    return ", ".join(parts)


def draw_model_lines(
    model: DrawModel, name: str | None, curve: Curve, rating: float, opponent: float
) -> list[str]:
    """Return what must be known of a draw model: its file, the curve it was fitted on, how far it reaches."""
    source = "the model that comes with arpad" if name is None else name
    theirs = _curve_name(model.curve, model.class_interval)
    here = _curve_name(curve.name, getattr(curve, "class_interval", None))
    used = "" if here == theirs else f", used here on the {here}"
    lines = [f"Draws: {source} ({model.form}, {model.games:,} games on the {theirs}){used}."]
    level = (rating + opponent) / 2
    if not model.low <= level <= model.high:
        nearest = min(max(level, model.low), model.high)
        lines.append(
            f"Its games had levels from {model.low:.0f} to {model.high:.0f}: for {level:.0f} the draws of {nearest:.0f} are taken."
        )
    if abs(rating - opponent) > model.reach:
        lines.append(
            f"Its games had differences up to {model.reach:.0f} points: beyond, draws are only a guess."
        )
    return lines


def _curve_name(name: str, class_interval: float | None) -> str:
    return f"{name} curve" + ("" if class_interval in (None, 200) else f" with C = {class_interval:g}")


def match_handicap_report(result: MatchHandicap, *, ratings: tuple[float, float]) -> list[object]:
    """Write what the weaker player gets, and how the match goes then."""
    high, low = ratings
    W_high, W_low = result.expected_scores
    won, drawn, lost = result.chances()
    if high == low:
        first = f"Nobody gets anything: both are rated {high:g}."
    elif not round(result.points, 2):
        first = f"Nobody gets anything: {W_high:.1f} and {W_low:.1f} are within one standard deviation."
    else:
        first = f"{low:g} gets {result.points:.2f} points in {result.games} games against {high:g}."
    return [
        first,
        f"Expected scores {W_high:.1f} and {W_low:.1f}, standard deviation {result.sigma:.2f}.",
        f"With the handicap {high:g} wins {won:.0%}, draws {drawn:.0%}, loses {lost:.0%} of such matches.",
    ]


def handicap_report(result: Handicaps, *, table: pl.DataFrame, advice: Advice | None = None) -> list[object]:
    """Write everybody's handicap, and whether one is worth it."""
    brasket = result.method == "brasket"
    unit = "rating points on top of the performance" if brasket else "game points"
    scratch = "" if result.scratch is None else f", scratch {result.scratch:.0f}"
    places = {"brasket": 0, "expected": 2}.get(result.method, 1)
    digits = {"rating": 0, "level": 0, "handicap": places, "performance": 0, "total": 0}
    return [
        rich_table(table, digits=digits),
        "",
        f"Handicap: {result.method}, {unit}{scratch}.",
        *(f"Note: {note}." for note in result.notes),
        *([] if advice is None else [advice.summary().capitalize() + "."]),
    ]


def fide_update_report(result: FideUpdate) -> list[object]:
    """Write the events abroad and how a USCF rating follows from them."""
    steps = (
        f"N = {result.games}, W = {result.score:g}, d = {result.difference:.2f}, E = {result.expected:.2f}, "
        f"A = {result.addition or 0:g}, E_adj = {result.adjusted:.2f}."
    )
    return [
        fitting_table(result.table(), {"rating": 0, "change": 2}),
        "",
        *([steps] if result.counted else []),
        f"{result.summary()}.",
    ]


def title_odds_report(result: UscfTitleOdds) -> list[object]:
    """Write the chances of norms in one event, and of the title."""
    table = rich_table(result.event.table(), digits={"probability": 4, "or_more": 4})
    return [f"{result.event.summary()}.", table, "", f"{result.summary()}."]


def norm_register_report(result: NormRegister) -> list[object]:
    """Write everybody's norms and titles, or one player's norm by norm."""
    if result.row is None:
        table = result.table()
        unrated = sum(h.left_out > 0 for h in result.histories.values())
        return [
            fitting_table(table.drop("id") if table["id"].is_null().all() else table),
            "",
            "Five norms make a title, 20 a life title (uscf1994).",
            *([f"{unrated} players met unrated ones: those games do not count."] if unrated else []),
        ]
    name, history = result.games.players["name"][result.row], result.histories.get(result.row)
    if history is None:
        return [f"{name} has no games that were played."]
    table = history.table().with_columns(pl.col("level").cast(pl.String))  # no comma in 1000
    table = table if table["on"].is_not_null().any() else table.drop("on")
    return [
        f"{name}: {history.summary()}.",
        rich_table(table) if table.height else "No norm was made.",
        *(f"Note: {note}." for note in history.notes),
    ]
