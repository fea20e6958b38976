"""Evaluations that are kept: each position once, found again by whoever asks in the same way.

A folder for each key (engine, network, options, limit, lines). In it a journal, appended and synced
batch by batch, and Parquet segments, into which the journal is put at the end. One process writes at
a time, any number read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from arpad.evaluation import Evaluation, evaluation_frame, evaluation_schema
from arpad.store.journal import FULL, Journal, read_journal
from arpad.store.segments import (
    KEY,
    hashes,
    read_hashes,
    read_rows,
    segments,
    with_hashes,
    write_segment,
)
from arpad.store.shelf import (
    SETTINGS,
    Lock,
    check_shelf,
    default_root,
    make_shelf,
    shelf_path,
    sweep,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

__all__ = ["EvaluationStore", "default_root", "lookup"]

JOURNAL = "journal.log"

ROLL = 50_000
"""Positions in the journal after which it is put into a segment though the work goes on."""

MOST_SEGMENTS = 16
"""When there are more, the small ones are joined."""

LOOKS = 10
"""How often segments are read that are joined while they are read."""

BIG = 1 << 28
"""Bytes from which a segment is left alone."""


class EvaluationStore:
    """The evaluations of one engine asked in one way, open for writing.

    Parameters
    ----------
    root
        The folder of all evaluations.
    key
        What answers depend on besides the position: `EngineSettings.key`.
    parameters
        The same as plain values, written down for people.
    on_wait
        Called with the number of a process that writes already, before waiting for it; None: raise.
    """

    def __init__(
        self,
        root: str | Path,
        key: str,
        *,
        parameters: Mapping[str, object] | None = None,
        on_wait: Callable[[str], object] | None = None,
    ) -> None:
        self.folder = make_shelf(Path(root), key, parameters or {})
        self._lock = Lock(self.folder, on_wait)
        try:
            sweep(self.folder)
            self._journal = Journal(self.folder / JOURNAL)
            self._settled = read_hashes(segments(self.folder))
        except BaseException:
            self._lock.release()
            raise
        self._pending = self._journal.evaluations
        self._fresh = {_hash(e) for e in self._pending}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(np.union1d(self._settled, np.array(list(self._fresh), dtype=np.uint64)))

    def known(
        self, epds: Sequence[str], searchmoves: str | Sequence[str] = ""
    ) -> NDArray[np.bool_]:
        """Say of each position whether it is kept already; with `searchmoves`, of those moves alone."""
        asked = hashes(epds, searchmoves)
        fresh = np.fromiter(self._fresh, dtype=np.uint64, count=len(self._fresh))
        found: NDArray[np.bool_] = _among(asked, self._settled) | np.isin(asked, fresh)
        return found

    def append(self, evaluations: Iterable[Evaluation]) -> None:
        """Keep evaluations; those of positions that are kept already are left out.

        When this returns they are on the disk; when it raises, none of them is and the rest is whole.
        """
        new: dict[int, Evaluation] = {}
        for evaluation in evaluations:
            if evaluation.lines:
                new.setdefault(_hash(evaluation), evaluation)
        keys = np.fromiter(new, dtype=np.uint64, count=len(new))
        kept = keys[_among(keys, self._settled)].tolist()
        for key in (*kept, *(k for k in new if k in self._fresh)):
            new.pop(key, None)
        self._journal.append(new.values())
        self._pending.extend(new.values())
        self._fresh.update(new)
        if len(self._pending) >= ROLL:
            self.compact()

    def compact(self) -> bool:
        """Put the journal into a segment; False where there is no room: the journal stays then."""
        try:
            if self._pending:
                write_segment(self.folder, with_hashes(evaluation_frame(self._pending)))
                self._settled = np.union1d(self._settled, np.array(list(self._fresh), np.uint64))
                self._begin_journal()
            self._join_small()
        except OSError as error:
            if error.errno in FULL:
                return False
            raise
        return True

    def _begin_journal(self) -> None:
        """Take a new journal: readers that have the old one open go on reading it."""
        self._journal.close()
        (self.folder / JOURNAL).unlink()
        self._journal = Journal(self.folder / JOURNAL)
        self._pending, self._fresh = [], set()

    def _join_small(self) -> None:
        paths = segments(self.folder)
        small = [p for p in paths if p.stat().st_size < BIG]
        if len(paths) <= MOST_SEGMENTS or len(small) < 2:
            return
        rows = pl.concat([pl.read_parquet(p) for p in small]).unique(KEY, maintain_order=True)
        write_segment(self.folder, rows.sort("hash", "searchmoves", "line"), replaces=small)

    def close(self) -> None:
        """Let go of the folder."""
        self._journal.close()
        self._lock.release()


def lookup(
    epds: Iterable[str],
    key: str,
    *,
    root: str | Path | None = None,
    searchmoves: str | Sequence[str] = "",
) -> pl.DataFrame:
    """Return what is kept of some positions: one row a line, as `evaluation_schema` has it.

    Positions that are not kept have no row; the lines of a position stand in order, positions in
    any. Another process may be writing meanwhile.

    Parameters
    ----------
    epds
        The positions, in any order.
    key
        `EngineSettings.key` of the engine that was asked.
    root
        The folder of all evaluations; None: the usual one.
    searchmoves
        The only moves that were looked at, with spaces between: in all of the positions, or in each.
    """
    folder = shelf_path(default_root() if root is None else Path(root), key)
    places = pl.Series(epds, dtype=pl.String)
    only = [searchmoves] * len(places) if isinstance(searchmoves, str) else searchmoves
    asked = pl.DataFrame(
        {"epd": places, "searchmoves": pl.Series(only, dtype=pl.String)}, height=len(places)
    ).unique()
    if not (folder / SETTINGS).exists():  # nobody has kept anything in it yet
        return pl.DataFrame(schema=evaluation_schema())
    check_shelf(folder, key)
    wanted = asked.with_columns(
        pl.Series("hash", hashes(asked["epd"], asked["searchmoves"]), dtype=pl.UInt64)
    )
    recent, _ = read_journal(folder / JOURNAL)  # before the segments: it may be put into one
    fresh = evaluation_frame(recent).join(
        wanted, on=["epd", "searchmoves"], how="semi", maintain_order="left"
    )
    settled = _settled(folder, wanted)
    if settled.is_empty() or fresh.is_empty():
        return settled if fresh.is_empty() else fresh
    return pl.concat([settled, fresh]).unique(KEY, keep="first", maintain_order=True)


def _settled(folder: Path, wanted: pl.DataFrame) -> pl.DataFrame:
    """Read the segments; again should they be joined meanwhile."""
    for left in reversed(range(LOOKS)):
        paths = segments(folder)
        try:
            rows = read_rows(paths, wanted)
            break
        except FileNotFoundError:
            if not left:
                raise
    # Two segments hold one position only where a process was killed while it joined them.
    return rows if len(paths) < 2 else rows.unique(KEY, keep="first", maintain_order=True)


def _hash(evaluation: Evaluation) -> int:
    return int(hashes([evaluation.epd], evaluation.searchmoves)[0])


def _among(asked: NDArray[np.uint64], kept: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Say of each hash whether it is in a sorted array."""
    if not len(kept):
        return np.zeros(len(asked), dtype=bool)
    at = np.minimum(np.searchsorted(kept, asked), len(kept) - 1)
    found: NDArray[np.bool_] = kept[at] == asked
    return found
