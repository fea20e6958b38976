"""The games of an archive, month after month, as arrays: in pieces where the order allows it."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.read.batch import NO_DAY, Batch, Tally, batch_of, days_of
from arpad.read.numbering import Numbering
from arpad.read.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from arpad.read.archive import Archive, Month

__all__ = ["MonthReader"]

ROWS = 1 << 20
"""Games that are in memory at once, where a month can be read in pieces."""

AHEAD = 2
"""Pieces that are read while others are rated."""

EPOCH = date(1970, 1, 1)


@dataclass(slots=True, kw_only=True)
class MonthReader:
    """Reads months in the order of time; who reads on numbers the players on.

    Parameters
    ----------
    given
        Read the ratings in the source, too.
    whole
        Read every month as `Games`, with all that the source says.
    rows
        Games of a piece.
    """

    archive: Archive
    given: bool = True
    whole: bool = False
    strict: bool = False
    rows: int = ROWS
    today: date = field(default_factory=date.today)
    players: Numbering = field(init=False)
    tally: Tally = field(init=False)
    last: int = field(default=NO_DAY, init=False)
    """The last day so far."""

    def __post_init__(self) -> None:
        self.players = Numbering(self.archive.players)
        self.tally = Tally(strict=self.strict)

    def batches(self, month: Month) -> Iterator[Batch]:
        """Yield the games of a month that were played, in the order of play.

        In pieces if they stand in that order already; else they are sorted, with the month in memory.
        """
        if self.whole or not self.archive.plain:
            batch = self._whole(month)
            self._go_on(month, batch.day)
            yield batch
            return
        sorted_ = self._look_at_days(month)
        pieces = self._dated_pieces(month)
        if sorted_:
            yield from (piece for piece in pieces if len(piece))
            return
        batch = Batch.joined(list(pieces))
        yield batch.rows(np.argsort(batch.day, kind="stable"))

    def _dated_pieces(self, month: Month) -> Iterator[Batch]:
        """Give games without a date that of the game before them, as `Games.rateable` does."""
        before = _start(month)
        for batch in self._pieces(month):
            dated = _dated(batch, before)
            before = int(dated.day[-1]) if len(dated) else before
            yield dated

    def _pieces(self, month: Month) -> Iterator[Batch]:
        wanted = ["white", "black", "score", "result", "date"]
        wanted += ["white_rating", "black_rating"] if self.given else []
        for file, raw in _ahead(self._tables(month, wanted)):
            yield batch_of(
                raw, self.players, self.tally, file=file, today=self.today, given=self.given
            )

    def _tables(self, month: Month, wanted: list[str]) -> Iterator[tuple[str, pl.DataFrame]]:
        """Yield pieces of the month's tables, under our names."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        theirs = {ours: self.archive.columns[ours] for ours in wanted if ours in self.archive.columns}  # fmt: skip
        names = list(dict.fromkeys(theirs.values()))
        for path in month.files:
            try:
                with pq.ParquetFile(path) as file:
                    for piece in file.iter_batches(batch_size=self.rows, columns=names):
                        frame: Any = pl.from_arrow(piece)
                        yield path, frame.select(pl.col(t).alias(o) for o, t in theirs.items())
            except (OSError, pa.ArrowException, pl.exceptions.PolarsError) as error:
                why = (str(error).splitlines() or [type(error).__name__])[0]
                raise InputError(f"the file cannot be read any further: {why}", file=path) from None

    def _look_at_days(self, month: Month) -> bool:
        """Say whether a month's games stand in the order of play; refuse those of an earlier month."""
        if "date" not in self.archive.columns:
            return True
        unheard = Tally()
        in_order, least, latest = True, None, self.last
        for path, raw in self._tables(month, ["date"]):
            day = days_of(raw, unheard, file=path, today=self.today)
            day = day[day != NO_DAY]
            if not len(day):
                continue
            first = int(day.min())
            least = first if least is None else min(least, first)
            in_order &= int(day[0]) >= latest and bool((day[1:] >= day[:-1]).all())
            latest = max(latest, int(day.max()))
        self._go_on(month, np.array([] if least is None else [least, latest], dtype=np.int32))
        return in_order

    def _go_on(self, month: Month, day: NDArray[np.int32]) -> None:
        """Move on to the last of these days; games of an earlier month are refused."""
        known = day[day != NO_DAY]
        if not len(known):
            if month.first is not None:
                self.last = max(self.last, _start(month))
            return
        if int(known.min()) < self.last and self.last != NO_DAY:
            raise InputError(
                f"expected every month after the one before it, found a game of {_date(known.min())} behind one of "
                f"{_date(self.last)}: a month must not hold games of an earlier one",
                file=month.files[0],
            )
        if month.first is not None:
            for one in (_date(known.min()), _date(known.max())):
                if not month.first <= one < _next(month.first):
                    raise InputError(
                        f"expected games of {month.name}, found one of {one}: put every game into its own month",
                        file=month.files[0],
                    )
        self.last = int(known.max())

    def _whole(self, month: Month) -> Batch:
        reading = read(list(month.files), format="parquet", columns=self.archive.columns, strict=self.strict)  # fmt: skip
        games = reading.games
        for note in reading.report.notes:
            self.tally.add(note.action, note.reason, 1, note.file)
        counts = dict(games.table["status"].cast(pl.String).value_counts().iter_rows())
        self.tally.status.update(counts)
        numbers = self.players.of(games.players)
        played = games.rateable()
        white, black = (numbers[played[side].to_numpy()] for side in ("white", "black"))
        day = played["date"].to_physical().cast(pl.Int32).fill_null(NO_DAY).to_numpy()
        given = [played[f"{s}_rating"].fill_null(np.nan).to_numpy() for s in ("white", "black")]
        batch = Batch(
            white=white, black=black, score=played["score"].to_numpy(), day=day,
            ratings=(given[0], given[1]) if self.given else None,
        )  # fmt: skip
        dated = _dated(batch, _start(month))
        return Batch(
            white=white, black=black, score=batch.score, day=dated.day, ratings=batch.ratings,
            games=games, numbers=numbers,
        )  # fmt: skip


def _start(month: Month) -> int:
    """Return the day of games before the first date of a month: nothing is known but the month."""
    return NO_DAY if month.first is None else (month.first - EPOCH).days


def _dated(batch: Batch, before: int) -> Batch:
    missing = batch.day == NO_DAY
    if not missing.any():
        return batch
    at = np.maximum.accumulate(np.where(missing, -1, np.arange(len(missing))))
    day = np.where(at >= 0, batch.day[at], before).astype(np.int32)
    return Batch(white=batch.white, black=batch.black, score=batch.score, day=day, ratings=batch.ratings)  # fmt: skip


def _date(day: Any) -> date:
    return EPOCH + timedelta(days=int(day))


def _next(first: date) -> date:
    return (first + timedelta(days=32)).replace(day=1)


def _ahead(pieces: Iterator[tuple[str, pl.DataFrame]]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Read the next pieces in a thread of its own while the last is rated."""
    ready: queue.Queue[Any] = queue.Queue(maxsize=AHEAD)
    stop = threading.Event()

    def put(item: Any) -> None:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return

    def fetch() -> None:
        try:
            for piece in pieces:
                put(piece)
                if stop.is_set():
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=fetch, daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()
