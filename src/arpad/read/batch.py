"""A piece of an archive as arrays: plain tables without a detour over `Games`.

Every different word is looked at once, so that a batch costs what its numbers cost. What is not taken as
it stands is counted by its reason: a note for each of 10⁹ games would not fit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, StrictError
from arpad.read.collect import MAX_RATING
from arpad.read.fields import by_word, rating_number, split_date, split_result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.read.numbering import Numbering
    from arpad.read.report import Action

__all__ = ["NO_DAY", "Batch", "Tally", "batch_of", "days_of"]

NO_DAY = np.iinfo(np.int32).min
"""Stands where a date is not known."""

SIDES = ("white", "black")
MOST_REASONS = 1000
"""Reasons that are told apart; some have a player's name in them."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How many games were taken, and how many were not, by reason."""

    strict: bool = False
    status: Counter[str] = field(default_factory=Counter)
    notes: Counter[tuple[Action, str]] = field(default_factory=Counter)

    def add(self, action: Action, reason: str, games: int, file: str) -> None:
        """Count games that were not taken as they stand."""
        if not games:
            return
        if self.strict and action != "noted":
            raise StrictError(f"{reason}: {games:,} games ({action} without --strict)", file=file)
        if (action, reason) not in self.notes and len(self.notes) >= MOST_REASONS:
            reason = "for other reasons"
        self.notes[action, reason] += games

    def document(self) -> dict[str, object]:
        """Return everything as plain values."""
        notes = [[action, reason, n] for (action, reason), n in self.notes.items()]
        return {"status": dict(self.status), "notes": notes}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Take up what `document` said."""
        self.status = Counter(document["status"])
        self.notes = Counter({(a, r): n for a, r, n in document["notes"]})


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Games that were played, in the order of play; players are numbers."""

    white: NDArray[np.int32]
    black: NDArray[np.int32]
    score: NDArray[np.float64]
    day: NDArray[np.int32]
    """Days since 1970-01-01; `NO_DAY` where unknown."""
    ratings: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """What the source gives White and Black, NaN for nothing."""
    games: Games | None = None
    """The same with all that the source says, for systems that need it."""
    numbers: NDArray[np.int32] | None = None
    """The number of every row of `games.players`."""

    def __len__(self) -> int:
        return len(self.white)

    def rows(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Batch:
        """Return some of the games, or all in another order."""
        ratings = self.ratings and (self.ratings[0][which], self.ratings[1][which])
        return Batch(
            white=self.white[which], black=self.black[which], score=self.score[which],
            day=self.day[which], ratings=ratings,
        )  # fmt: skip

    @classmethod
    def joined(cls, parts: list[Batch]) -> Batch:
        """Return several as one."""
        if len(parts) == 1:
            return parts[0]
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("white", "black", "score", "day")
        }
        ratings = None
        if any(part.ratings is not None for part in parts):
            nothing = [np.full(len(part), np.nan) for part in parts]
            pairs = [
                part.ratings or (none, none) for part, none in zip(parts, nothing, strict=True)
            ]
            ratings = (np.concatenate([w for w, _ in pairs]), np.concatenate([b for _, b in pairs]))
        return cls(**columns, ratings=ratings)


def batch_of(
    raw: pl.DataFrame, players: Numbering, tally: Tally, *, file: str, today: date, given: bool
) -> Batch:
    """Return the games of a plain table whose columns have our names.

    Parameters
    ----------
    given
        Keep the ratings in the source.
    """
    white, black = (players.numbers(raw[side]) for side in SIDES)
    score, status, bad = _scores(raw, file)
    nameless = (white < 0) | (black < 0)
    itself = ~nameless & (white == black)
    tally.add("skipped", "a player without a name", int(nameless.sum()), file)
    tally.add("skipped", "White and Black are the same player", int(itself.sum()), file)
    out = nameless | itself
    for reason, which in bad.items():
        tally.add("skipped", reason, int((which & ~out).sum()), file)
        out |= which
    day = days_of(raw, tally, file=file, today=today)
    played = ~out
    if status is not None:
        counted = dict(status.filter(pl.Series(played)).value_counts().iter_rows())
        tally.status.update({word: n for word, n in counted.items() if word != "played"})
        played &= (status == "played").to_numpy()
    tally.status["played"] += int(played.sum())
    ratings = _ratings(raw, tally, file) if given else None
    batch = Batch(white=white, black=black, score=score, day=day, ratings=ratings)
    return batch if played.all() else batch.rows(played)


def _scores(
    raw: pl.DataFrame, file: str
) -> tuple[NDArray[np.float64], pl.Series | None, dict[str, NDArray[np.bool_]]]:
    """Return White's scores, the status of each game (None: all played), and the rows to leave out."""
    name = "score" if "score" in raw.columns else "result"
    column = raw[name]
    if column.dtype.is_numeric():
        score = column.cast(pl.Float64).fill_nan(None)
        outside = (~score.is_between(0, 1)).fill_null(False).to_numpy()
        status = None
        if score.null_count():
            status = score.is_null().replace_strict([True, False], ["unplayed", "played"])
        bad = {"a score outside 0 to 1": outside} if outside.any() else {}
        return score.fill_null(np.nan).to_numpy(), status, bad
    if column.dtype not in (pl.String, pl.Categorical) and not isinstance(column.dtype, pl.Enum):
        raise InputError(f"expected results or numbers in {name}, found {column.dtype}", file=file)
    found = by_word(
        column.cast(pl.String).alias("result"),
        lambda words: words.to_frame("result").select(*split_result("result")),
    )
    beyond = (~found["score"].is_between(0, 1)).fill_null(False) & ~found["unread"]
    unread = found["unread"].to_numpy()
    bad = {}
    if unread.any():
        bad["a result that cannot be read"] = unread
    if beyond.any():
        bad["a score outside 0 to 1"] = beyond.to_numpy()
    usual = pl.when(pl.col("score").is_null()).then(pl.lit("unplayed")).otherwise(pl.lit("played"))
    status = found.select(pl.coalesce(pl.col("status").cast(pl.String), usual)).to_series()
    return (
        found["score"].fill_null(np.nan).to_numpy(),
        None if (status == "played").all() else status.alias("status"),
        bad,
    )


def days_of(raw: pl.DataFrame, tally: Tally, *, file: str, today: date) -> NDArray[np.int32]:
    """Return the day of every game; who reads only those counts nothing."""
    if "date" not in raw.columns:
        return np.full(raw.height, NO_DAY, dtype=np.int32)
    column = raw["date"]
    if column.dtype.is_temporal():
        dates = column.cast(pl.Date)
    else:
        if column.dtype.is_numeric():  # 20150131; small numbers are periods and no dates
            number = column.cast(pl.Int64, strict=False)
            column = number.set(number < 1000, None).cast(pl.String)
        found = by_word(column.cast(pl.String), split_date)
        tally.add("repaired", "a date that cannot be read", int(found["unread"].sum()), file)
        dates = found["date"]
    late = (dates > today).fill_null(False)
    if late.any():
        tally.add("repaired", "a date in the future, taken as unknown", int(late.sum()), file)
        dates = dates.set(late, None)
    return dates.to_physical().cast(pl.Int32).fill_null(NO_DAY).to_numpy()


def _ratings(
    raw: pl.DataFrame, tally: Tally, file: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    found = []
    for side in SIDES:
        name = f"{side}_rating"
        if name not in raw.columns:
            found.append(np.full(raw.height, np.nan))
            continue
        column = raw[name]
        if not column.dtype.is_numeric():
            read = raw.select(pl.col(name).cast(pl.String)).select(*rating_number(name))
            bad = int(read[f"{name}_unread"].sum())
            tally.add("repaired", "a rating that cannot be read, taken as none", bad, file)
            column = read[name]
        values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
        values = np.where(values == 0, np.nan, values)
        strange = ~np.isnan(values) & ~((values >= 1) & (values <= MAX_RATING))
        words = f"a rating not from 1 to {MAX_RATING:g}, taken as none"
        tally.add("repaired", words, int(strange.sum()), file)
        found.append(np.where(strange, np.nan, values))
    if all(np.isnan(each).all() for each in found):
        return None
    return found[0], found[1]
