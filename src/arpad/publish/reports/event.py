"""Reports on performances, matches, handicaps, USCF norms, and history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import counted
from arpad.pool.greatness.assessment import CAUTIONS
from arpad.publish.reports import Remark
from arpad.publish.tables import PLAIN_WIDTH, cell, fitting_table, rich_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from arpad.event.handicap import Advice, Handicaps, MatchHandicap
    from arpad.event.match import Forecast
    from arpad.event.norms.odds import UscfTitleOdds
    from arpad.event.norms.uscf import NormRegister
    from arpad.event.performance import Performance
    from arpad.event.uscf import FideUpdate
    from arpad.pool.greatness.run import Greatness
    from arpad.pool.history import History
    from arpad.publish.tables import WideTable
    from arpad.rate.draws import DrawModel
    from arpad.rate.whr.system import WholeHistory
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
        *([f"… and {counted(left_out, 'score')} below .00005"] if left_out else []),
        "",
        f"Expected {result.expected_score:.2f} ± {result.sigma:.2f} {unit}; decided after {result.length:.1f} games on average.",
        *(
            [
                f"The {unit} needed over the favourite's expected score: {result.rough_length:.0f} games [2.14]."
            ]
            if result.rough_length is not None
            else []
        ),
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
        first = f"No handicap: both are rated {high:g}."
    elif not round(result.points, 2):
        first = f"No handicap: {W_high:.1f} and {W_low:.1f} are within one standard deviation."
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
        earned = table.select("player", "norms").filter(pl.col("norms").str.len_chars() > 0)
        table = table.drop("norms")
        return [
            fitting_table(table.drop("id") if table["id"].is_null().all() else table),
            "",
            "Norms",
            *(f"{player}: {norms}" for player, norms in earned.iter_rows()),
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


POINTS = dict.fromkeys(("rating", "error", "peak", "peak_error", "age", "points"), 0)
GREATNESS_DIGITS = {"rating": 0, "no. 2": 0, "±": 0, "G": 1, "strength": 2}
SHORT = {"g_score": "G", "g_error": "±", "number_two": "no. 2", "ratings": "by"}
"""Headings of the tables of greatness."""
SPARE = ("rating", "category", "site")
"""Columns that a narrow screen does without, in turn."""
LONG = 48
"""Letters of an event's name that a table has room for."""
BESIDE = 10
"""Letters that the year and the gaps take beside an event and its reasons."""
OWN = (
    "own: our own ratings of the year, smoothed over the games of the years around, this event's among them: "
    "so its result is part of them."
)
ERROR = "±: standard error of G from uncertain ratings; chance in the games is not in it."


def history_report(
    result: History,
    *,
    top: int = 20,
    players: Sequence[str] = (),
    years: Sequence[int] = (),
    ages: bool = False,
    crosstable: int | None = None,
) -> list[object]:
    """Write the best averages, or the best of some years, or the crosstable of a half decade; and ages."""
    if crosstable is not None:
        caption = "Points/games against each other; games and points: against everybody."
        table = fitting_table(result.crosstable(crosstable, top), POINTS)
        return [table, "", caption, f"{result.summary()}."]
    parts: list[object] = []
    for year in years:
        mean = result.top_average(year, top)
        title = (
            f"{year}: crosstable of {mean.first}–{mean.last}; average {mean.rating:.0f} ± {mean.error:.0f}"
        )
        parts += [title, "", rich_table(result.top(year, top).drop("first", "last"), digits=POINTS), ""]
    if not parts:
        parts = [fitting_table(_readable(result.best(top, players)), POINTS), ""]
    if ages:
        title = "Points above age 21; 21 and 63 are taken to be level"
        parts += [rich_table(result.development(), title=title, digits=POINTS), "", *_levels(result), ""]
    return [*parts, result.summary()]


def _readable(best: pl.DataFrame) -> pl.DataFrame:
    years = pl.format("{}–{}", "first", "last").alias("years")
    return best.select(
        *("rank", "player", "rating", "error", "games"),
        years,
        "peak",
        "peak_error",
        pl.col("peak_year").cast(pl.String).alias("in"),
        *(["age"] if best["age"].is_not_null().any() else []),
    )


def _levels(result: History) -> list[object]:
    """Return the ages at which levels were passed, where most of those who reached one were seen below it."""
    every = result.ages_at()
    seen = every.filter(every["players"] > every["above"])
    hidden = every.filter(every["players"] <= every["above"])
    lines: list[object] = []
    if seen.height:
        lines.append(rich_table(seen, title="Ages at levels", digits={"level": 0, "age": 1, "error": 1}))
    if hidden.height:
        cells = ", ".join(
            f"{n} of {n + above} at {level:.0f}"
            for level, n, above in hidden.select("level", "players", "above").iter_rows()
        )
        lines.append(f"Age at a level: too few were seen below it before they reached it ({cells}).")
    return lines


def whole_history_report(
    result: WholeHistory, *, table: pl.DataFrame, day: date | None = None, players: Sequence[str] = ()
) -> list[object]:
    """Write the list of a day, or the curves of some players year by year."""
    parts: list[object] = []
    for name in players:
        parts += [rich_table(_yearly(result.curve(name)), title=name, digits=POINTS), ""]
    if not players:
        title = f"{day or result.last}: {table.height:,} of {result.source['players']:,} players"
        parts = [fitting_table(table, POINTS, title), ""]
    return [*parts, result.summary()]


def _yearly(curve: pl.DataFrame) -> pl.DataFrame:
    """Return where a curve stood after the last game of each year."""
    year = pl.col("date").dt.year().cast(pl.String).alias("year")
    return curve.group_by(year, maintain_order=True).agg(
        pl.col("rating", "error").last(), pl.col("games").sum(), pl.col("date").last().alias("last")
    )


def greatness_report(
    result: Greatness, *, top: int = 20, failed: bool = False, width: int = PLAIN_WIDTH
) -> list[object]:
    """Write the greatest performances, the strongest events, and what wants a person's eye, in lines of a width."""
    great, strong = result.table(top, failed=failed), result.strengths(top, failed=failed)
    parts: list[object] = [f"No G-score of {result.parameters['least']:g} or more.", ""]
    if great.height:
        parts = [_table(_performances(great), "Greatness"), ""]
    if strong.height:
        parts += [_table(_events(strong), "Tournament strength"), ""]
    if notes := _notes(great, strong):
        parts += [*notes, ""]
    if not failed and (hidden := result.hidden()):
        number = "1 performance" if hidden == 1 else f"{hidden:,} performances"
        parts += [f"Not listed: {number} in events whose ratings failed the test.", ""]
    return [*parts, *_inspected(result, top, width), result.summary()]


def _performances(great: pl.DataFrame) -> pl.DataFrame:
    scores = [cell("points", score) for score in great["score"]]
    great = great.with_columns(
        pl.format("{} of {}", pl.Series(scores, dtype=pl.String), "games").alias("scored")
    )
    error = ["g_error"] if great["g_error"].is_not_null().any() else []
    return great.select(
        *("rank", "player", "event", "year", "g_score"),
        *error,
        *("category", "scored", "rating", "number_two", "ratings"),
        *_marked(great),
    )


def _events(strong: pl.DataFrame) -> pl.DataFrame:
    return strong.select(
        *("rank", "event", "site", "year", "strength", "players", "games", "number_two", "ratings"),
        *_marked(strong),
    )


def _marked(rows: pl.DataFrame) -> list[str]:
    return ["caution"] if (rows["caution"] != "").any() else []


def _table(rows: pl.DataFrame, title: str) -> WideTable:
    short = rows.with_columns(pl.col("year").cast(pl.String), _cut("event", LONG)).rename(SHORT, strict=False)
    return fitting_table(short, GREATNESS_DIGITS, title, spare=SPARE)


def _cut(name: str, room: int) -> pl.Expr:
    """Return a column of words, cut where there is no room for them."""
    long = pl.col(name).str.len_chars() > room
    return pl.when(long).then(pl.col(name).str.slice(0, room - 1) + "…").otherwise(name).alias(name)


def _notes(great: pl.DataFrame, strong: pl.DataFrame) -> list[str]:
    """Return what the words of the two lists mean, as far as they occur."""
    marks = {m for rows in (great, strong) for words in rows["caution"] for m in words.split(", ")}
    notes = [f"{mark}: {words}." for mark, words in CAUTIONS.items() if mark in marks]
    if "own" in {*great["ratings"], *strong["ratings"]}:
        notes.insert(0, OWN)
    if great["g_error"].is_not_null().any():
        notes.insert(0, ERROR)
    return notes


def _inspected(result: Greatness, top: int, width: int) -> list[object]:
    """Return the events that want a person's eye: the worst fits first, those without ratings last."""
    look = result.to_inspect()
    if look.is_empty():
        return []
    verdict = pl.col("verdict").replace_strict({"failed": 0, "unrated": 2}, default=1, return_dtype=pl.Int8)
    worst = -(pl.col("chi_square") / pl.col("critical")).log().abs()
    few = look.sort(verdict, worst, "year", nulls_last=True, maintain_order=True).head(top)
    few = few.select("event", "year", "reasons").with_columns(_cut("event", LONG))
    event = max(len("event"), *(len(name) for name in few["event"]))
    few = few.with_columns(_cut("reasons", max(width - event - BESIDE, LONG)))
    title = f"To check by hand, worst first: {few.height:,} of {look.height:,}"
    return [_table(few, title), ""]
