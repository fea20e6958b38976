"""Average error by player, game, event, year, category, turn or advantage: the result behind `arpad ipr errors`."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.event.field import event_categories, event_kinds
from arpad.model import Result
from arpad.moves.average_error import GameErrors, measure_errors
from arpad.moves.evaluated_games import game_title
from arpad.moves.resampling import CONFIDENCE, FEWEST, clustered_means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.moves.evaluated_games import GamesWithValues
    from arpad.moves.resampling import ClusteredMeans


# What each move's error is filed under: who, which game or event, when, how far on, with what advantage.

By = Literal["player", "game", "event", "year", "category", "turn", "advantage"]
"""player     everybody's own moves;
game       both players' moves of each game;
event      all moves of each event;
year       all moves of each year;
category   all moves in events of a FIDE category;
turn       by the number of the move [figure 3];
advantage  by what the mover had before the move [figure 2].
"""
STEP = 0.10
"""Pawns of advantage that are taken together [section 4: "in intervals of 0.10 or 0.05 pawns"]."""
ERAS = (1970, 1985, 2000, 2010)
"""First years of the paper's eras E5 to E8, the last without an end [section 4]."""
NOISE = 1e-9
LOWEST_STEP = 0.01


def check_by(by: str) -> None:
    """Raise unless errors can be filed so."""
    if by not in get_args(By):
        raise UsageError(f"expected one of {', '.join(get_args(By))}, found {by!r}")


def labels_of(errors: GameErrors, by: By, *, step: float = STEP) -> pl.DataFrame:
    """Return a row a move: `key` orders the groups (null: the move is in none), `label` names them."""
    check_by(by)
    if by == "advantage":
        bins = advantage_bins(errors.table["advantage"], step)
        text = {k: _stretch(k, step) for k in bins.unique().to_list()}
        return _frame(bins, bins.replace_strict(text, return_dtype=pl.String))
    ways = {
        "player": _players,
        "game": _games,
        "event": _events,
        "year": _years,
        "category": _categories,
        "turn": _turns,
    }
    return ways[by](errors)


def advantage_bins(advantage: pl.Series, step: float = STEP) -> pl.Series:
    """Return the stretch that each advantage lies in: 0 is level, 1 is up to one step ahead, −1 as far behind.

    Stretches are those of the paper, alike on both sides: .01 to .10, .51 to .60, −.51 to −.60.

    Examples
    --------
    >>> advantage_bins(pl.Series([0.0, 0.01, 0.10, 0.11, -0.60])).to_list()
    [0, 1, 1, 2, -6]
    """
    if not step >= LOWEST_STEP:
        raise UsageError(f"expected steps of at least {LOWEST_STEP} pawns, found {step!r}")
    a = advantage.to_numpy()
    return pl.Series("bin", (np.sign(a) * np.ceil(np.abs(a) / step - NOISE)).astype(np.int32))


def era_labels(errors: GameErrors, eras: Sequence[int] = ERAS) -> pl.DataFrame:
    """Return the era of each move, as `labels_of` does; games before the first one are in none."""
    first = list(eras)
    if not first or sorted(set(first)) != first:
        raise UsageError(f"expected years of eras in order, found {first}")
    years = _years(errors)["key"]
    number = np.searchsorted(first, years.fill_null(first[0] - 1).to_numpy(), side="right") - 1
    words = [f"{a}–{b - 1}" for a, b in itertools.pairwise(first)] + [f"from {first[-1]}"]
    key = pl.Series("key", [int(n) if n >= 0 else None for n in number], dtype=pl.Int32)
    return _frame(key, pl.Series([None if k is None else words[k] for k in key], dtype=pl.String))


def pair_of(category: int) -> tuple[int, int]:
    """Return the two categories that figures 4 and 5 take together: 11 and 12, 13 and 14, ….

    Examples
    --------
    >>> pair_of(11), pair_of(20)
    ((11, 12), (19, 20))
    """
    odd = (category - 1) // 2 * 2 + 1
    return odd, odd + 1


def _frame(key: pl.Series, label: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"key": key.cast(pl.Int32), "label": label})


def _players(errors: GameErrors) -> pl.DataFrame:
    player = errors.table["player"]
    return _frame(player, errors.games.players["name"].fill_null("?").gather(player))


def _games(errors: GameErrors) -> pl.DataFrame:
    game = errors.table["game"]
    titles = {g: game_title(errors.games, g) for g in game.unique().to_list()}
    return _frame(game, game.replace_strict(titles, return_dtype=pl.String))


def _turns(errors: GameErrors) -> pl.DataFrame:
    turn = errors.table["turn"]
    return _frame(turn, turn.cast(pl.String))


def _events(errors: GameErrors) -> pl.DataFrame:
    event = errors.games.table["event"].gather(errors.table["game"])
    names = {e: event_.name for e, event_ in enumerate(errors.games.events)}
    label = event.replace_strict(names, default=None, return_dtype=pl.String)
    return _frame(event.fill_null(len(names)), label.fill_null("no event"))


def _years(errors: GameErrors) -> pl.DataFrame:
    years = errors.games.table["date"].dt.year().gather(errors.table["game"])
    if years.null_count() == len(years):
        raise InputError(
            'expected dates for years, found none: put them into the games, as in [Date "2011.12.09"]'
        )
    return _frame(years, years.cast(pl.String))


def _categories(errors: GameErrors) -> pl.DataFrame:
    result = event_categories(errors.games)
    event = errors.games.table["event"].gather(errors.table["game"])
    key = event.to_frame("event").join(
        result, on="event", how="left", nulls_equal=True, maintain_order="left"
    )
    if key["average"].null_count() == key.height:
        raise InputError(
            "expected ratings for categories, found no event in which four players of five have one: put them into the "
            'games, as in [WhiteElo "2600"]'
        )
    label = pl.when(pl.col("category").is_not_null()).then(pl.col("category").cast(pl.String))
    below = pl.when(pl.col("average").is_not_null()).then(pl.lit("below 1"))
    filed = key.select(
        pl.when(pl.col("average").is_not_null()).then(pl.col("category").fill_null(0)).alias("key"),
        pl.coalesce(label, below).alias("label"),
    )
    return _frame(filed["key"], filed["label"])


def _stretch(bin_: int, step: float) -> str:
    """Return a stretch of advantage in words.

    Examples
    --------
    >>> _stretch(6, 0.1), _stretch(-6, 0.1), _stretch(0, 0.1)
    ('.51 to .60', '−.51 to −.60', '.00')
    """
    if bin_ == 0:
        return ".00"
    digits = 2 if abs(round(step * 100) - step * 100) < NOISE else 3
    unit = 10.0**-digits
    near, far = (abs(bin_) - 1) * step + unit, abs(bin_) * step
    sign = "−" if bin_ < 0 else ""
    ends = [
        f"{sign}{x:.{digits}f}".replace("0.", ".", 1) if x < 1 else f"{sign}{x:.{digits}f}"
        for x in (near, far)
    ]
    return " to ".join(dict.fromkeys(ends))


# Average error by player, game, event, year, category, turn number or advantage: the result behind `arpad ipr errors`.
#
# After Regan, Macieja and Haworth (2012), section 4. The moves of one game hang together, so standard errors come from the
# spread between games.

MEASURES = ("raw", "scaled")
"""Average error in pawns (the paper's R3) and scaled (its SC3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroups(Result):
    """Average error, group by group.

    `rows` has `key` and `label` of each group, with eras also `era`; `games`, `moves`; `raw` and `scaled`, each with its
    standard error and limits (`raw_error`, `raw_low`, `raw_high`); `matched`, the share of moves that were the engine's
    choice; `error_by`, whether the spread between games or, for fewer than five, between moves gave the errors.
    `total` is the same for all moves together, in one row.
    """

    by: By
    rows: pl.DataFrame
    total: pl.DataFrame
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    errors: GameErrors = field(repr=False)

    def table(self) -> pl.DataFrame:
        """Return the groups."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence on the moves and the method."""
        all_ = self.total.row(0, named=True)
        people = self.errors.table["player"].n_unique()
        sure = "" if all_["raw_error"] is None else f" ± {all_['raw_error']:.3f}"
        scaled = "" if all_["scaled_error"] is None else f" ± {all_['scaled_error']:.4f}"
        return (
            f"Average error {all_['raw']:.3f}{sure} pawns, scaled {all_['scaled']:.4f}{scaled}: {all_['moves']:,} "
            f"move{'' if all_['moves'] == 1 else 's'} in {all_['games']:,} game{'' if all_['games'] == 1 else 's'} by "
            f"{people:,} player{'' if people == 1 else 's'} ({self.errors.method}, {self.errors.source})"
        )


def group_errors(
    errors: GameErrors | GamesWithValues,
    by: By = "player",
    *,
    step: float = STEP,
    eras: Sequence[int] | None = None,
    confidence: float = CONFIDENCE,
) -> ErrorGroups:
    """Return the average error of each group of moves.

    Parameters
    ----------
    step
        Pawns of advantage that are taken together.
    eras
        First years of eras, to be told apart in each group; the paper's are `error_labels.ERAS`.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.average_error import Filters
    >>> from arpad.moves.evaluated_games import EvaluatedGames
    >>> from arpad.moves.average_error import measure_errors
    >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "f3", "e5"], "cp": [13, -60, -50]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 0.0)]), rows)
    >>> found = group_errors(measure_errors(games, filters=Filters(first_turn=1)))
    >>> found.rows.select("label", "moves", pl.col("raw").round(2)).rows()
    [('B', 1, 0.1), ('A', 1, 0.73)]
    """
    if not isinstance(errors, GameErrors):
        errors = measure_errors(errors)
    labels = labels_of(errors, by, step=step)
    keys = ["key", "label"]
    if eras is not None:
        era = era_labels(errors, eras)
        labels = labels.with_columns(era=era["label"], era_key=era["key"])
        keys = ["era_key", "era", *keys]
    filed = labels.select(pl.all_horizontal(pl.col(keys).is_not_null())).to_series()
    inside = errors.table.filter(filed)
    rows = figures(inside, labels.filter(filed).select(keys), confidence=confidence)
    order = ["scaled", "label"] if by == "player" else [k for k in keys if k.endswith("key")]
    return ErrorGroups(
        by=by,
        rows=rows.sort(order, nulls_last=True, maintain_order=True).drop("era_key", strict=False),
        total=figures(errors.table, None, confidence=confidence),
        parameters={
            "by": by,
            **errors.parameters(),
            **({"step": step} if by == "advantage" else {}),
            **({"eras": list(eras)} if eras is not None else {}),
            "confidence": confidence,
        },
        notes=(*errors.notes(), *_notes(rows, by, int((~filed).sum()))),
        errors=errors,
    )


def figures(
    moves: pl.DataFrame, groups: pl.DataFrame | None, *, confidence: float = CONFIDENCE
) -> pl.DataFrame:
    """Return a row a different row of `groups`, with the figures of its moves; None: all moves are one group.

    Parameters
    ----------
    moves, groups
        A row a move each: columns `game`, `raw`, `scaled`, `matched`; and whatever names the groups.
    """
    if groups is None:
        named, code = pl.DataFrame(), np.zeros(moves.height, dtype=np.int64)
    else:
        named = groups.unique(maintain_order=True)
        numbered = named.with_columns(code=pl.int_range(pl.len()))
        joined = groups.join(numbered, on=groups.columns, how="left", nulls_equal=True, maintain_order="left")
        code = joined["code"].to_numpy()
    count = 1 if groups is None else named.height
    game = moves["game"].to_numpy()
    means = {
        name: clustered_means(moves[name].to_numpy(), code, game, groups=count, confidence=confidence)
        for name in MEASURES
    }
    told = moves["matched"].is_not_null().to_numpy()
    share = clustered_means(
        moves["matched"].drop_nulls().to_numpy(), code[told], game[told], groups=count, confidence=confidence
    )
    of_all = means["raw"]
    result = pl.DataFrame(
        {
            "games": of_all.games,
            "moves": of_all.moves,
            **{k: v for name, m in means.items() for k, v in _columns(name, m).items()},
            "error_by": pl.Series(np.where(of_all.by_games, "games", "moves").tolist(), dtype=pl.String),
            **_columns("matched", share, most=1.0),
        }
    ).with_columns(pl.selectors.float().fill_nan(None))
    return result if groups is None else pl.concat([named, result], how="horizontal")


def _columns(name: str, means: ClusteredMeans, *, most: float = np.inf) -> dict[str, NDArray[np.float64]]:
    """Return a mean with its error and limits; none of these figures can be below 0."""
    return {
        name: means.mean,
        f"{name}_error": means.error,
        f"{name}_low": np.maximum(means.low, 0.0),
        f"{name}_high": np.minimum(means.high, most),
    }


def _notes(rows: pl.DataFrame, by: By, outside: int) -> list[str]:
    notes = []
    if outside:
        why = {"year": "no date", "category": "too few ratings"}.get(by, "no date, or before the first era")
        notes.append(f"{outside:,} moves are in no group ({why}): they count in the total only")
    few = int((rows["error_by"] == "moves").sum())
    if few:
        who = "each group" if few == rows.height else f"{few:,} of {rows.height:,} groups"
        notes.append(
            f"fewer than {FEWEST} games in {who}: the error comes from single moves and leaves out differences between "
            "games"
        )
    return notes


# Which events average error is taken of: the paper has round robins of category 11 and higher.


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Filter of events; by default all.

    Parameters
    ----------
    least, most
        FIDE categories; an event without one counts only where neither is named.
    round_robin
        Only events in which everybody met everybody.
    """

    least: int | None = None
    most: int | None = None
    round_robin: bool = False

    def __post_init__(self) -> None:
        """Check the order."""
        if self.least is not None and self.most is not None and self.most < self.least:
            raise UsageError(f"expected categories from low to high, found {self.least} to {self.most}")

    def parameters(self) -> dict[str, object]:
        """Return the choice by name."""
        return {"least_category": self.least, "most_category": self.most, "round_robin": self.round_robin}

    def words(self) -> str:
        """Say which events count.

        Examples
        --------
        >>> EventFilter(least=11, round_robin=True).words()
        'round robins from category 11'
        """
        what = "round robins" if self.round_robin else "events"
        low = "" if self.least is None else f" from category {self.least}"
        high = "" if self.most is None else f" up to category {self.most}"
        return what + (f" of category {self.least}" if self.least == self.most is not None else low + high)


def of_events(errors: GameErrors, wanted: EventFilter) -> GameErrors:
    """Return the errors in the events that count."""
    if wanted == EventFilter():
        return errors
    events = event_categories(errors.games)
    if wanted.least is not None:
        events = events.filter(pl.col("category") >= wanted.least)
    if wanted.most is not None:
        events = events.filter(pl.col("category") <= wanted.most)
    kept = events["event"].to_list()
    if wanted.round_robin:
        kinds = event_kinds(errors.games)
        kept = [e for e in kept if "round robin" in kinds[e]]
    event = errors.games.table["event"].gather(errors.table["game"])
    inside = event.is_in(kept, nulls_equal=True)
    if not inside.any():
        result = errors.games.table["event"].n_unique()
        raise InputError(f"expected {wanted.words()}, found none among {result:,}")
    return errors.part(inside)


# Average error over the years by tournament category, as a moving average [figures 4 and 5].

SPAN = 4
"""Years of the moving average [section 4]."""
HIGHEST_LINE = 20
"""Above this category events were so few that the paper plots the mean of each run of years instead of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorTrend(Result):
    """Average error by year and category.

    `rows` has a row a line and year: `line` ("11–12"; "all" where categories are not told apart), `year`, the last of the
    span, `years` of it in which moves were made, and the columns of `ErrorGroups.rows`. `marks` has the runs of years above
    the highest line: `line`, `first`, `year` (the last), and the same figures.
    """

    rows: pl.DataFrame
    marks: pl.DataFrame
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    errors: GameErrors = field(repr=False)

    def table(self) -> pl.DataFrame:
        """Return the lines, year by year."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        years = [*self.rows["year"], *self.marks["first"], *self.marks["year"]]
        span = self.parameters["span"]
        lines = self.rows["line"].n_unique()
        return (
            f"Average error, moving average over {span} year{'' if span == 1 else 's'}, {min(years)}–{max(years)}: "
            f"{lines} line{'' if lines == 1 else 's'}, {len(self.errors):,} moves ({self.errors.method}, {self.errors.source})"
        )


def error_trend(
    errors: GameErrors,
    *,
    categories: bool = True,
    span: int = SPAN,
    highest: int | None = HIGHEST_LINE,
    confidence: float = CONFIDENCE,
) -> ErrorTrend:
    """Return the average error of every `span` years, each named by its last year, by pairs of categories.

    All moves of the span count alike: it is the sum of their errors by their number, not a mean of yearly means. A span in
    which nothing was played has no row.

    Parameters
    ----------
    categories
        Whether to tell categories apart, two by two as the paper does: 11 and 12, 13 and 14, …
    highest
        The category above which each run of years is one mark. Runs are apart where a whole span of years is empty. None:
        lines only.
    """
    if span < 1:
        raise UsageError(f"expected a span of at least one year, found {span}")
    filed, outside = _filed(errors, categories)
    above = pl.lit(False) if highest is None else pl.col("category") > highest
    lines = filed.filter(~above)
    rows = _lines(lines, span, confidence)
    marks = _marks(filed.filter(above), highest, span, confidence)
    notes = list(errors.notes())
    if outside:
        notes.append(f"{outside:,} moves have no year or no category: they are left out")
    if few := int((rows["error_by"] == "moves").sum()):
        notes.append(
            f"fewer than {FEWEST} games in {few:,} of {rows.height:,} spans: their error is that of single moves"
        )
    return ErrorTrend(
        rows=rows,
        marks=marks,
        parameters={
            **errors.parameters(),
            "categories": categories,
            "span": span,
            "highest": highest if categories else None,
            "confidence": confidence,
        },
        notes=tuple(notes),
        errors=errors,
    )


def _filed(errors: GameErrors, categories: bool) -> tuple[pl.DataFrame, int]:
    """Return the moves with `year`, `category` and `line`, and how many have none."""
    moves = errors.table.with_columns(year=labels_of(errors, "year")["key"])
    if categories:
        moves = moves.with_columns(category=labels_of(errors, "category")["key"])
        names = {c: _line(c) for c in moves["category"].drop_nulls().unique().to_list()}
        moves = moves.with_columns(
            line=pl.col("category").replace_strict(names, default=None, return_dtype=pl.String)
        )
    else:
        moves = moves.with_columns(category=pl.lit(0, dtype=pl.Int32), line=pl.lit("all"))
    inside = moves.filter(pl.col("year").is_not_null() & pl.col("category").is_not_null())
    return inside, moves.height - inside.height


def _line(category: int) -> str:
    return "below 1" if category < 1 else "{}–{}".format(*pair_of(category))


def _lines(moves: pl.DataFrame, span: int, confidence: float) -> pl.DataFrame:
    """Return the figures of every line and span; a move counts in as many spans as there are years in one."""
    last = moves["year"].max()
    copies = [
        moves.with_columns(end=pl.col("year") + k).filter(pl.col("end") <= pl.lit(last)) for k in range(span)
    ]
    spread = pl.concat(copies)
    order = spread.select("line", pl.col("category").alias("first")).group_by("line").min()
    groups = spread.select("line", year="end")
    result = figures(spread, groups, confidence=confidence)
    years = spread.group_by("line", pl.col("end").alias("year")).agg(years=pl.col("year").n_unique())
    return (
        result.join(years, on=["line", "year"], how="left", maintain_order="left")
        .join(order, on="line", how="left", maintain_order="left")
        .sort("first", "year")
        .select("line", "year", "years", pl.exclude("line", "year", "years", "first"))
    )


def _marks(moves: pl.DataFrame, highest: int | None, span: int, confidence: float) -> pl.DataFrame:
    played = moves["year"].unique().sort().to_list()
    starts = [b for a, b in pairwise(played) if b - a > span]
    first = pl.col("year") * 0  # a plain 0 would be one row, however many moves there are
    later = [(pl.col("year") >= s).cast(pl.Int32) for s in starts]
    run = moves.select(run=pl.sum_horizontal(first, *later))
    groups = run.with_columns(line=pl.lit(f"above {highest}"))
    result = figures(moves, groups, confidence=confidence)
    ends = (
        moves.select("year")
        .with_columns(run["run"])
        .group_by("run")
        .agg(first=pl.col("year").min(), year=pl.col("year").max())
    )
    return (
        result.join(ends, on="run", how="left", maintain_order="left")
        .sort("year")
        .select("line", "first", "year", pl.exclude("line", "first", "year", "run"))
    )
