"""Evaluations that are kept: each position once for each engine and limit, in SQLite files.

A folder for each key (engine, network, options, limit, lines) holds `evaluations.sqlite`, in WAL mode: one
process analyses at a time, any number read. A batch of evaluations is one transaction.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Self

import filelock
import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.evaluation import Evaluation, evaluation_frame, evaluation_schema
from arpad.files import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

FORMAT = 2
"""The number of this layout; a store of another number is refused (1 was a journal with Parquet files)."""
SETTINGS, DATABASE = "settings.json", "evaluations.sqlite"
LIMITS = ("depth", "nodes", "movetime")
FULL = ("database or disk is full", "disk I/O error")
"""SQLite's messages when the disk is full or the file must not grow."""
COLUMNS = evaluation_schema().names()
TABLE = """
CREATE TABLE IF NOT EXISTS lines (
    epd TEXT NOT NULL, searchmoves TEXT NOT NULL, line INTEGER NOT NULL,
    move TEXT NOT NULL, cp INTEGER, mate INTEGER, depth INTEGER NOT NULL, nodes INTEGER NOT NULL,
    PRIMARY KEY (epd, searchmoves, line)
) WITHOUT ROWID
"""


def default_root() -> Path:
    """Return the folder of evaluations: ``ARPAD_STORE`` if it is set, else in the user's data folder."""
    if named := os.environ.get("ARPAD_STORE"):
        return Path(named)
    return folder_of(os.environ.get("XDG_DATA_HOME") or "~/.local/share") / "arpad" / "evaluations"


def store_folder(root: Path, key: str) -> Path:
    """Return the folder of a key: words that a person understands, and a hash that tells keys apart.

    Examples
    --------
    >>> store_folder(Path("kept"), "engine=Stockfish 15.1; network=x.nnue; limit=depth 13; multipv=1").name
    'stockfish-15.1-depth-13-multipv-1-73c2425698'
    """
    values = dict(part.split("=", 1) for part in key.split("; ") if "=" in part)
    words = [values.get("engine", ""), values.get("limit", ""), f"multipv {values.get('multipv')}"]
    plain = re.sub(r"[^a-z0-9.]+", "-", " ".join(words).lower()).strip("-.")
    return root / f"{plain[:60]}-{blake2b(key.encode(), digest_size=5).hexdigest()}"


class EvaluationStore:
    """The evaluations of one engine with one limit, open for writing.

    Parameters
    ----------
    key
        What answers depend on besides the position: `EngineSettings.key`.
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
        self.folder = store_folder(Path(root), key)
        _write_settings(self.folder, key, parameters or {})
        self._lock = _locked(self.folder, on_wait)
        try:
            self._database = _connect(self.folder / DATABASE)
            with _errors(self.folder):
                self._database.execute(TABLE)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM lines WHERE line = 1").fetchone()[0])

    def known(self, epds: Sequence[str], searchmoves: str | Sequence[str] = "") -> NDArray[np.bool_]:
        """Say of each position whether it is kept already; with `searchmoves`, of those moves alone."""
        only = [searchmoves] * len(epds) if isinstance(searchmoves, str) else searchmoves
        with _errors(self.folder):
            return _known(self._database, epds, only)

    def append(self, evaluations: Iterable[Evaluation]) -> None:
        """Keep evaluations; those of positions that are kept already are left out.

        When this returns they are on the disk; when it raises, none of them is and the rest is whole.
        """
        new: dict[tuple[str, str], Evaluation] = {}
        for evaluation in evaluations:
            new.setdefault((evaluation.epd, evaluation.searchmoves), evaluation)
        known = self.known([epd for epd, _ in new], [only for _, only in new])
        rows = evaluation_frame(e for e, kept in zip(new.values(), known, strict=True) if not kept).rows()
        with _errors(self.folder), self._database:
            self._database.executemany("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Close the database and let the next process write."""
        self._database.close()
        self._lock.release()


def already_known(epds: Sequence[str], searchmoves: Sequence[str], key: str, root: Path) -> NDArray[np.bool_]:
    """Say of each position whether it is kept already; this waits for nobody who writes."""
    folder = store_folder(root, key)
    if not (folder / DATABASE).exists() or not (folder / SETTINGS).exists():
        return np.zeros(len(epds), dtype=bool)
    _check_settings(folder, key)
    with _errors(folder), closing(_connect(folder / DATABASE, write=False)) as database:
        return _known(database, epds, searchmoves) if _begun(database) else np.zeros(len(epds), dtype=bool)


def _begun(database: sqlite3.Connection) -> bool:
    """Say whether the table is there: another process may just have made the file."""
    query = "SELECT 1 FROM sqlite_master WHERE name = 'lines'"
    return database.execute(query).fetchone() is not None


def _known(
    database: sqlite3.Connection, epds: Sequence[str], searchmoves: Sequence[str]
) -> NDArray[np.bool_]:
    query = "SELECT 1 FROM lines WHERE epd = ? AND searchmoves = ? AND line = 1"
    rows = [database.execute(query, pair).fetchone() for pair in zip(epds, searchmoves, strict=True)]
    return np.array([row is not None for row in rows], dtype=bool)


def lookup(
    epds: Iterable[str], key: str, *, root: str | Path | None = None, searchmoves: str | Sequence[str] = ""
) -> pl.DataFrame:
    """Return what is kept of some positions: one row a line, as `evaluation_schema` has it.

    Positions that are not kept have no row; the lines of a position stand in order, positions in
    any. Another process may be writing meanwhile.

    Parameters
    ----------
    searchmoves
        The only moves that were searched, with spaces between: in all of the positions, or in each.
    """
    folder = store_folder(default_root() if root is None else Path(root), key)
    places = list(epds)
    only = [searchmoves] * len(places) if isinstance(searchmoves, str) else searchmoves
    wanted = dict.fromkeys(zip(places, only, strict=True))
    rows: list[tuple[object, ...]] = []
    if (folder / SETTINGS).exists():
        _check_settings(folder, key)
        if (folder / DATABASE).exists():
            query = "SELECT * FROM lines WHERE epd = ? AND searchmoves = ? ORDER BY line"
            with _errors(folder), closing(_connect(folder / DATABASE, write=False)) as database:
                pairs = wanted if _begun(database) else ()
                rows = [row for pair in pairs for row in database.execute(query, pair)]
    return pl.DataFrame(rows, schema=evaluation_schema(), orient="row")


def stores(root: Path) -> Iterator[tuple[str, str]]:
    """Give the key of each store with one line a position, and its engine and limit in words."""
    for about in sorted(root.glob(f"*/{SETTINGS}")):
        try:
            settings = json.loads(about.read_text("utf-8"))
            key, parameters = settings["key"], settings["parameters"]
            limit = next((f"{k} {parameters[k]}" for k in LIMITS if k in parameters), "")
            words = f"{parameters.get('engine', '?')}, {limit}"
            ours = settings["format"] == FORMAT and store_folder(root, key) == about.parent
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if ours and parameters.get("multipv", 1) == 1:
            yield key, words


def store_stamp(root: Path | None) -> tuple[tuple[str, int, int], ...]:
    """Return a value that changes whenever evaluations are added."""
    paths = sorted(root.glob(f"*/{DATABASE}*")) if root is not None else []
    stamps = []
    for path in paths:
        try:
            about = path.stat()
        except OSError:  # SQLite has removed its side file meanwhile
            continue
        if not path.name.endswith("-shm"):
            stamps.append((f"{path.parent.name}/{path.name}", about.st_size, about.st_mtime_ns))
    return tuple(stamps)


def _write_settings(folder: Path, key: str, parameters: Mapping[str, object]) -> None:
    path = folder / SETTINGS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            settings = {"format": FORMAT, "key": key, "parameters": dict(parameters)}
            beside.write_text(json.dumps(settings, ensure_ascii=False, indent=2) + "\n", "utf-8")
            beside.replace(path)
    except OSError as error:
        raise InputError(
            f"evaluations cannot be kept here: {error.strerror or error}",
            code="store-folder",
            file=str(folder),
        ) from None
    _check_settings(folder, key)


def _check_settings(folder: Path, key: str) -> None:
    """Raise unless a folder holds the evaluations of this key in this layout."""
    try:
        settings = json.loads((folder / SETTINGS).read_text("utf-8"))
        there = (settings["format"], settings["key"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            "expected the settings of an analysis; the file is damaged: move the folder away",
            file=str(folder / SETTINGS),
        ) from None
    if there != (FORMAT, key):
        raise InputError(
            f"expected format {FORMAT} and {key!r}, found format {there[0]} and {there[1]!r}",
            code="store-folder",
            file=str(folder / SETTINGS),
        )


def _locked(folder: Path, on_wait: Callable[[str], object] | None) -> filelock.BaseFileLock:
    """Take the right to write in a folder; the system takes it back when the process ends."""
    lock, writer = filelock.FileLock(folder / "lock"), folder / "writer"
    try:
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            other = writer.read_text().strip() if writer.exists() else "?"
            if on_wait is None:
                raise InputError(
                    f"another analysis (process {other}) is at work with the same settings: wait until it is done",
                    file=str(folder),
                ) from None
            on_wait(other)
            lock.acquire()
        writer.write_text(str(os.getpid()))
    except OSError as error:
        raise InputError(f"cannot be locked: {error.strerror or error}", file=str(folder)) from None
    return lock


def _connect(path: Path, *, write: bool = True) -> sqlite3.Connection:
    with _errors(path.parent):
        if write:
            database = sqlite3.connect(path, timeout=60)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")  # a batch that was kept outlives a power failure
            return database
        # A reader of a folder in which it may not write cannot take part in the write-ahead log.
        mode = "ro" if os.access(path.parent, os.W_OK) else "ro&immutable=1"
        return sqlite3.connect(f"file:{path.absolute()}?mode={mode}", uri=True, timeout=60)


@contextmanager
def _errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if str(error) in FULL:
            raise InputError(
                "the disk is full. Earlier evaluations are saved: free some space and run the same command again",
                file=str(folder / DATABASE),
            ) from None
        raise InputError(
            f"expected evaluations; the file is damaged ({error}): move it away and analyse again",
            file=str(folder / DATABASE),
        ) from None
