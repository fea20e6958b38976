"""Charts of ratings: over games, over time, the best of a list."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import ranked
from arpad.publish.charts.style import HEIGHT, PALETTE, altair, dressed, interval_rows
from arpad.rate.system import StepByStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.pool.history import History
    from arpad.rate.system import RatingSystem
    from arpad.rate.whr.system import WholeHistory


BAND = ((pl.col("rating") - pl.col("error")).alias("low"), (pl.col("rating") + pl.col("error")).alias("high"))
"""One standard error to each side of a rating."""
LABEL_HEIGHT = 15.0  # pixels that a name at the end of a line needs


def paths(system: StepByStep, games: Games, before: Ratings | None = None) -> pl.DataFrame:
    """Return each player's rating before the first game and after every game."""
    names = games.players["name"].to_list()
    rows: list[tuple[str, int, float]] = []
    current: dict[int, float] = {}
    played: dict[int, int] = {}
    for step in system.steps(games, before):
        p = step.player
        if p not in played:
            played[p] = 0
            current[p] = step.rating
            rows.append((names[p], 0, step.rating))
        played[p] += 1
        current[p] += step.change
        rows.append((names[p], played[p], current[p]))
    schema = {"player": pl.String, "game": pl.Int64, "rating": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def rating_paths(frame: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """Chart ratings over games, one line a player, named at its end."""
    alt = altair()
    low, high = float(frame["rating"].min()), float(frame["rating"].max())  # type: ignore[arg-type]
    room = max(high - low, 1.0) * 0.08
    domain = (low - room, high + room)
    last = int(frame["game"].to_numpy().max())
    ends = _apart(frame.sort("game").group_by("player", maintain_order=True).last(), domain)
    colour = alt.Color("player:N", legend=None, scale=alt.Scale(range=PALETTE), sort=ends["player"].to_list())
    y = alt.Y(
        "rating:Q", title="rating", axis=alt.Axis(format="d"), scale=alt.Scale(domain=domain, nice=False)
    )
    x = alt.X(
        "game:Q",
        title="games played",
        axis=alt.Axis(tickMinStep=1, format="d"),
        scale=alt.Scale(domain=(0, last), nice=False),
    )
    lines = (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=34), strokeWidth=2)
        .encode(x=x, y=y, color=colour)
    )
    labels = (
        alt.Chart(ends)
        .mark_text(align="left", dx=9, fontSize=12)
        .encode(x="game:Q", y=alt.Y("place:Q"), text="label:N", color=colour)
    )
    return dressed(lines + labels, title, subtitle)


PATHS_UP_TO = 12  # players whose ratings a chart can follow game by game; of more, it shows the best
TOP = 20
SETTINGS = {"rules": "rules {}", "curve": "{} curve", "k": "K {}", "on": "on {}"}


def ratings_chart(
    ratings: Ratings,
    *,
    title: str,
    top: int | None = None,
    games: Games | None = None,
    system: RatingSystem | None = None,
    before: Ratings | None = None,
) -> Any:
    """Chart the ratings of a small field over its games, where games and system are at hand, or the best of a list."""
    if games is not None and len(games.events) == 1:
        title = games.events[0].name or title
    parameters = ratings.parameters
    settings = [SETTINGS[n].format(parameters[n]) for n in SETTINGS if parameters.get(n) is not None]
    subtitle = f"{', '.join([ratings.system, *settings])}: {ratings.source.get('status', {}).get('played', 0):,} games"
    if (
        games is not None
        and isinstance(system, StepByStep)
        and ratings.rows.height <= PATHS_UP_TO
        and top is None
    ):
        return rating_paths(paths(system, games, before), title=title, subtitle=subtitle)
    return top_ratings(ratings, top=top or TOP, title=title, subtitle=subtitle)


def top_ratings(ratings: Ratings, *, top: int = TOP, title: str, subtitle: str = "") -> Any:
    """Chart the best ratings with one standard deviation to each side."""
    alt = altair()
    rows = ratings.rows if "rank" in ratings.rows.columns else ranked(ratings.rows)
    frame = rows.filter(pl.col("rating").is_not_null()).head(top)
    if "error" not in frame.columns:
        frame = frame.with_columns(pl.lit(0.0).alias("error"))
    frame = frame.with_columns(*BAND, pl.concat_str("rank", pl.lit(". "), "player").alias("who"))
    axis = {
        "title": "rating, with one standard deviation to each side",
        "axis": alt.Axis(format="d", labelOverlap=True),
        "scale": alt.Scale(zero=False),
    }
    return interval_rows(frame, "rating", axis=axis, labels=240, titles=(title, subtitle), row=22)


def _apart(ends: pl.DataFrame, domain: tuple[float, float]) -> pl.DataFrame:
    """Move the names at the ends of lines so far apart that they can be read."""
    gap = LABEL_HEIGHT * (domain[1] - domain[0]) / HEIGHT
    ends = ends.sort("rating", descending=True)
    places: list[float] = []
    for rating in ends["rating"]:
        places.append(min(rating, places[-1] - gap) if places else rating)
    # Names that were pushed below the frame push the others up again.
    for i in range(len(places) - 1, -1, -1):
        floor = domain[0] + gap / 2 if i == len(places) - 1 else places[i + 1] + gap
        places[i] = max(places[i], floor)
    return ends.with_columns(
        pl.Series("place", places),
        pl.format("{}  {}", "player", pl.col("rating").round(0).cast(pl.Int64)).alias("label"),
    )


# A player's rating from list to list, or from game to game.

EXPLAIN_CHART_MARKED = 60  # points that have room for a mark each


def rating_course(course: pl.DataFrame, *, title: str, subtitle: str = "") -> Any:
    """Chart a rating over time.

    Parameters
    ----------
    course
        `day` (dates, or numbers where no date is known) and `rating`; no rating is a gap.
    """
    alt = altair()
    dated = not course.schema["day"].is_numeric()
    days = course["day"].drop_nulls()
    known = course["rating"].drop_nulls()
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)  # type: ignore[arg-type]
    room = max(5.0, 0.08 * (high - low))
    span = (days.max() - days.min()).days if dated and len(days) else 0  # type: ignore[operator,union-attr]
    x = alt.X(
        "day:T" if dated else "day:Q",
        title=None if dated else "game",
        axis=alt.Axis(format="%b %Y" if span < 1500 else "%Y", labelOverlap=True, tickCount=8)
        if dated
        else alt.Axis(format="d", tickMinStep=1),
    )
    y = alt.Y(
        "rating:Q",
        title="rating",
        scale=alt.Scale(domain=(low - room, high + room), nice=False, zero=False),
        axis=alt.Axis(format="d", tickCount=6, tickMinStep=1),
    )
    line = alt.Chart(course).mark_line(
        color=PALETTE[0],
        strokeWidth=2,
        interpolate="step-after" if dated else "linear",
        point={"color": PALETTE[0], "size": 28} if course.height <= EXPLAIN_CHART_MARKED else False,
    )
    return dressed(line.encode(x=x, y=y), title, subtitle)


# The chart of lifetime curves: a line and its uncertainty for each player, named at its end [Elo 5.52].

WIDE, HIGH = 860, 440  # Pixels: a century and a half needs more room than an event
LETTER, LINE = 6.6, 15.0  # pixels that a letter of a name is wide, and that a name is high
DISTANCE = 7.0  # pixels from the end of a line to its name
COVERED, CROSSED, HISTORY_CHART_REACH = 1000.0, 40.0, 60
"""Pixels that a name would rather move than cover another name, or a line; steps that it may move."""
SILENCE = 5  # years without a game after which a line is broken


DOTTED = 2
"""With this many players at most, the chart also shows performances of years and the ratings of crosstables [6.52]."""


HALF_A_CLASS = 50  # points beyond the highest and lowest line that bands are shown
CURVES = 6  # players whose curves are drawn when nobody is named


def lifetime_chart(history: History, *, players: Sequence[str] = ()) -> Any:
    """Chart the lifetime curves of some players, or of the best, with one standard error to each side."""
    alt = altair()
    names = players or history.table(CURVES)["player"].to_list()
    lives = {name: history.lifetime(name) for name in dict.fromkeys(names)}
    frame = pl.concat(_pieces(name, life) for name, life in lives.items())
    banded = frame.filter(pl.col("piece") >= 0)
    low, high = _edges(frame, banded, HALF_A_CLASS)
    first, last = int(frame["year"].to_numpy().min()), int(frame["year"].to_numpy().max())
    room = max(3.0, (last - first) * 0.03)
    ends = places(frame, (first - room, last + room), (low, high))
    colour = _colour(alt, list(lives))
    x = alt.X(
        "year:Q",
        title=None,
        axis=alt.Axis(format="d", tickMinStep=1, grid=False),
        scale=alt.Scale(domain=(first - room, last + room), nice=False),
    )
    y = _up(alt, low, high)
    layers = _curves(alt, frame, banded, ends, x, y, colour)
    subtitle = _subtitle(history)
    if len(lives) <= DOTTED:
        years = pl.concat(
            history.performances(name).select(pl.lit(name).alias("player"), "year", "rating")
            for name in lives
        )
        averages = history.ratings.filter(pl.col("player").is_in(list(lives))).select(
            "player", "year", "rating"
        )
        inside = pl.col("rating").is_between(low, high)
        for part, mark in ((years, {"filled": True, "size": 16}), (averages, {"filled": False, "size": 60})):
            layers.append(
                alt.Chart(part.filter(inside)).mark_point(opacity=0.8, **mark).encode(x=x, y=y, color=colour)
            )
        subtitle += ". Dots: performance of a year; circles: ratings of the crosstables"
    chart = dressed(alt.layer(*layers), _title("Lifetime ratings", list(lives)), subtitle)
    return chart.properties(width=WIDE, height=HIGH)


def _colour(alt: Any, names: Sequence[str]) -> Any:
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(names))]
    return alt.Color("player:N", legend=None, scale=alt.Scale(domain=list(names), range=colours))


def _up(alt: Any, low: float, high: float) -> Any:
    scale = alt.Scale(domain=(low, high), nice=False)
    return alt.Y("rating:Q", title="rating", axis=alt.Axis(format="d"), scale=scale)


def _curves(
    alt: Any, frame: pl.DataFrame, banded: pl.DataFrame, ends: pl.DataFrame, x: Any, y: Any, colour: Any
) -> list[Any]:
    """Return the layers of curves: bands, lines that are thin through silences, and names at their ends."""
    kind = "Q" if ends.schema["at"].is_numeric() else "T"
    played = alt.Chart(frame.filter(pl.col("piece") >= 0))
    parts = alt.Detail("piece:N") if banded is not frame else alt.Undefined
    marks = alt.Chart(ends)
    text = marks.encode(x=f"at:{kind}", y="place:Q", text="label:N")
    return [
        alt.Chart(frame)
        .mark_line(strokeWidth=1, strokeDash=[2, 4], opacity=0.6, clip=True)
        .encode(x=x, y=y, color=colour),
        alt.Chart(banded)
        .mark_area(opacity=0.14, clip=True)
        .encode(x=x, y=alt.Y("low:Q", scale=y["scale"]), y2="high:Q", color=colour, detail=parts),
        played.mark_line(strokeWidth=2.3, clip=True).encode(x=x, y=y, color=colour, detail="piece:N"),
        marks.mark_point(size=34, filled=True, opacity=1).encode(x=f"end:{kind}", y="height:Q", color=colour),
        text.mark_text(align="left", fontSize=12, stroke="white", strokeWidth=4, strokeJoin="round"),
        text.mark_text(align="left", fontSize=12).encode(color=colour),
    ]


def _pieces(name: str, life: pl.DataFrame) -> pl.DataFrame:
    """Return a curve with its band; `piece` counts the parts between long silences, −1 inside one."""
    years = life.filter(pl.col("games") > 0)["year"].to_list()
    piece = {}
    number = 0
    for before, after in zip(years, [*years[1:], years[-1]], strict=True):
        piece[before] = number
        if after - before > SILENCE:
            number += 1
        else:
            piece.update(dict.fromkeys(range(before, after), number))
    return life.with_columns(
        pl.lit(name).alias("player"),
        *BAND,
        pl.Series("piece", [piece.get(year, -1) for year in life["year"]], dtype=pl.Int64),
    )


def _edges(frame: pl.DataFrame, banded: pl.DataFrame, reach: float) -> tuple[float, float]:
    """Return the lowest and highest rating shown: the lines whole, and their bands as far as `reach` points."""
    rating = frame["rating"].to_numpy()
    low = max(float(banded["low"].to_numpy().min()), float(rating.min()) - reach)
    high = min(float(banded["high"].to_numpy().max()), float(rating.max()) + reach)
    return low - 10, high + 10


def places(frame: pl.DataFrame, across: tuple[float, float], upright: tuple[float, float]) -> pl.DataFrame:
    """Put each name beside the end of its line, moved until it covers as little as can be."""
    per_year, per_point = WIDE / (across[1] - across[0]), HIGH / (upright[1] - upright[0])
    lines = {
        str(name): _fine(
            (life["year"].to_numpy() - across[0]) * per_year,
            (upright[1] - life["rating"].to_numpy()) * per_point,
        )
        for (name,), life in frame.sort("year").group_by("player", maintain_order=True)
    }
    taken: list[_Box] = []
    rows = []
    for name in sorted(lines, key=lambda n: lines[n][0][-1]):
        label = name.split(",", maxsplit=1)[0]
        end_x, end_y = float(lines[name][0][-1]), float(lines[name][1][-1])
        boxes = _around(end_x, end_y, LETTER * len(label))
        chosen = min(boxes, key=lambda box: box[0] + _covered(box[1], lines, taken))[1]
        taken.append(chosen)
        rows.append(
            (
                name,
                across[0] + end_x / per_year,
                upright[1] - end_y / per_point,
                across[0] + chosen[0] / per_year,
                upright[1] - (chosen[2] + chosen[3]) / 2 / per_point,
                label,
            )
        )
    numbers = dict.fromkeys(("end", "height", "at", "place"), pl.Float64)
    return pl.DataFrame(rows, schema={"player": pl.String, **numbers, "label": pl.String}, orient="row")


_Box = tuple[float, float, float, float]  # left, right, top and bottom in pixels


def _fine(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a line with this many points that none of it passes unseen between two."""
    steps = np.linspace(0, len(x) - 1, 8 * len(x))
    whole = np.arange(len(x))
    return np.interp(steps, whole, x), np.interp(steps, whole, y)


def _around(x: float, y: float, wide: float) -> list[tuple[float, _Box]]:
    """Return the places for a name around the end of its line, with what each costs, in pixels."""
    result = []
    for k in range(HISTORY_CHART_REACH):
        for move in (2.0 * k, -2.0 * k):
            for left, price in ((x + DISTANCE, 0.0), (x - wide / 2, 12.0), (x - DISTANCE - wide, 20.0)):
                top = y + move - LINE / 2
                result.append((abs(move) + price, (left, left + wide, top, top + LINE)))
    return result


def _covered(box: _Box, lines: Mapping[str, Any], taken: list[_Box]) -> float:
    """Return what a place costs for the names and lines that it covers, or for leaving the picture."""
    left, right, top, bottom = box
    names = sum(left < b + 4 and a - 4 < right and top < d and c < bottom for a, b, c, d in taken)
    crossed = sum(
        bool(((x > left - 3) & (x < right + 3) & (y > top - 2) & (y < bottom + 2)).any())
        for x, y in lines.values()
    )
    return COVERED * (names + (top < 0) + (bottom > HIGH) + (left < 0)) + CROSSED * crossed


def _title(title: str, names: Sequence[str]) -> str:
    short = [n.split(",", maxsplit=1)[0] for n in names]
    return title + (f": {', '.join(short[:-1])} and {short[-1]}" if 1 < len(short) <= 4 else "")


def _subtitle(history: History) -> str:
    p = history.parameters
    every = "every year" if p["step"] == 1 else f"every {p['step']} years"
    how = f"{p['window']}-year crosstables {every}"
    return f"{history.source['games']:,} games, {how}, linked by shared players; bands are one standard error; level: {p['level']}"


# The chart of whole-history curves: a line and its uncertainty for each player, named at its end.

FINE = 300  # places along the chart at which a curve is drawn at least
WHOLE_HISTORY_CHART_SILENCE = 1100
"""Days without a game after which a line is thin: what it shows there rests on the games around."""
FAR = 250  # points beyond the highest and lowest line that bands are shown
EPOCH, YEAR = 1970.0, 365.2425  # the year from which days are counted, and how many it has


def whole_history_chart(found: WholeHistory, *, players: Sequence[str]) -> Any:
    """Chart the curves of some players, with one standard error to each side."""
    players = list(dict.fromkeys(players))
    if not players:
        raise UsageError("expected at least one player to draw, found none")
    alt = altair()
    frame = _whole_history_chart_frame(found, players)
    across = _across(frame)
    low, high = _edges(frame, frame, FAR)
    ends = places(frame, across, (low, high))
    ends = ends.with_columns(
        pl.Series(c, _whole_history_chart_days(ends[c].to_numpy())) for c in ("end", "at")
    )
    edges = [str(day) for day in _whole_history_chart_days(np.array(across))]
    x = alt.X("date:T", title=None, axis=alt.Axis(grid=False), scale=alt.Scale(type="utc", domain=edges))
    layers = _curves(alt, frame, frame, ends, x, _up(alt, low, high), _colour(alt, players))
    p = found.parameters
    games = f"{found.source['games']:,} games at once"
    chart = dressed(
        alt.layer(*layers),
        _title("Ratings of the whole history", players),
        f"{games}, w² = {p['w2']:g} points² a day; bands are one standard error",
    )
    return chart.properties(width=WIDE, height=HIGH)


def _whole_history_chart_frame(found: WholeHistory, players: Sequence[str]) -> pl.DataFrame:
    """Return all curves with their bands; `year` is the date as a number."""
    spans = [found.curve(player)["date"] for player in players]
    days = max(dates[-1] for dates in spans) - min(dates[0] for dates in spans)
    step = max(1, days.days // FINE)
    return pl.concat(_line(player, found.curve(player, step=step)) for player in players)


def _line(player: str, curve: pl.DataFrame) -> pl.DataFrame:
    """Return one curve with its band; `piece` counts the parts between long silences, −1 inside one."""
    days = curve["date"].to_physical().to_numpy()
    played = days[curve["games"].to_numpy() > 0]
    before = np.searchsorted(played, days, side="right") - 1
    silent = np.diff(played, append=played[-1]) > WHOLE_HISTORY_CHART_SILENCE
    piece = np.r_[0, np.cumsum(silent)][before]
    return curve.select(
        pl.lit(player).alias("player"),
        "date",
        "rating",
        *BAND,
        pl.Series("year", days / YEAR + EPOCH),
        pl.Series("piece", np.where(silent[before] & (days > played[before]), -1, piece)),
    )


def _across(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the first and last year shown, with room for names."""
    year = frame["year"].to_numpy()
    first, last = float(year.min()), float(year.max())
    room = max(0.02, (last - first) * 0.03)
    return first - room, last + room


def _whole_history_chart_days(years: NDArray[np.float64]) -> list[date]:
    """Return the dates that numbers of years stand for; those of the calendar: months may be counted from 1."""
    first, last = date.min.toordinal(), date.max.toordinal()
    numbers = date(1970, 1, 1).toordinal() + np.round((years - EPOCH) * YEAR)
    return [date.fromordinal(int(n)) for n in np.clip(numbers, first, last)]
