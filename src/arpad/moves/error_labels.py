"""What each move's error is filed under: who, which game or event, when, how far on, with what advantage."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.event.categories import event_categories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.moves.game_errors import GameErrors

__all__ = ["ERAS", "STEP", "By", "advantage_bins", "check_by", "era_labels", "labels_of", "pair_of"]

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
    """Return a row a move: `key` orders the groups (null: the move is in none), `label` names them.

    Raises
    ------
    InputError
        If no move can be filed so: no dates for years, no ratings for categories.
    """
    check_by(by)
    if by == "advantage":
        bins = advantage_bins(errors.table["advantage"], step)
        text = {k: _stretch(k, step) for k in bins.unique().to_list()}
        return _frame(bins, bins.replace_strict(text, return_dtype=pl.String))
    ways = {"player": _players, "game": _games, "event": _events, "year": _years, "category": _categories, "turn": _turns}  # fmt: skip
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
    titles = {g: errors.title(g) for g in game.unique().to_list()}
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
    found = event_categories(errors.games)
    event = errors.games.table["event"].gather(errors.table["game"])
    key = event.to_frame("event").join(
        found, on="event", how="left", nulls_equal=True, maintain_order="left"
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
    ends = [f"{sign}{x:.{digits}f}".replace("0.", ".", 1) if x < 1 else f"{sign}{x:.{digits}f}" for x in (near, far)]  # fmt: skip
    return " to ".join(dict.fromkeys(ends))
