"""A folder for the evaluations of one engine asked in one way: where it is, and who may write in it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "SETTINGS",
    "Lock",
    "check_shelf",
    "default_root",
    "folder_of",
    "make_shelf",
    "shelf_path",
    "sweep",
]

FORMAT = 1
"""The number of this way to lay things down; another number is refused."""

SETTINGS = "settings.json"


def default_root() -> Path:
    """Return where evaluations are kept unless another place is named.

    ``ARPAD_STORE`` if it is set, else the user's data folder.
    """
    if named := os.environ.get("ARPAD_STORE"):
        return Path(named)
    return folder_of(os.environ.get("XDG_DATA_HOME") or "~/.local/share") / "arpad" / "evaluations"


def folder_of(text: str) -> Path:
    """Return a folder; ~ is the user's, if there is one."""
    try:
        return Path(text).expanduser()
    except RuntimeError:  # a user without a home, as in a container
        raise UsageError(
            f"{text}: this user has no home folder: name another with --store or ARPAD_STORE"
        ) from None


def shelf_path(root: Path, key: str) -> Path:
    """Return the folder of a key: words a person understands, and a hash that tells keys apart.

    Examples
    --------
    >>> shelf_path(Path("kept"), "engine=Stockfish 15.1; network=x.nnue; limit=depth 13; multipv=1").name
    'stockfish-15.1-depth-13-multipv-1-73c2425698'
    """
    values = dict(part.split("=", 1) for part in key.split("; ") if "=" in part)
    words = [values.get("engine", ""), values.get("limit", ""), f"multipv {values.get('multipv')}"]
    plain = re.sub(r"[^a-z0-9.]+", "-", " ".join(words).lower()).strip("-.")
    return root / f"{plain[:60]}-{blake2b(key.encode(), digest_size=5).hexdigest()}"


def make_shelf(root: Path, key: str, parameters: Mapping[str, object]) -> Path:
    """Return the folder of a key, made if it is not there; another key in it is an error."""
    folder = shelf_path(root, key)
    about = folder / SETTINGS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not about.exists():
            text = {"format": FORMAT, "key": key, "parameters": dict(parameters)}
            _write(about, json.dumps(text, ensure_ascii=False, indent=2) + "\n")
    except OSError as error:
        raise InputError(
            f"evaluations cannot be kept here: {error.strerror or error}. Name another folder with --store",
            file=str(folder),
        ) from None
    check_shelf(folder, key)
    return folder


def _write(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all, also when the power fails."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what a process that was killed had begun to write; only for who holds the lock."""
    for begun in folder.glob(".segment-*"):
        begun.unlink(missing_ok=True)


def check_shelf(folder: Path, key: str) -> None:
    """Raise unless a folder holds the evaluations of this key, laid down as we know it."""
    try:
        about = json.loads((folder / SETTINGS).read_text("utf-8"))
        found = (about["format"], about["key"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            "expected the settings of an analysis; the file is damaged: move the folder away",
            file=str(folder / SETTINGS),
        ) from None
    if found != (FORMAT, key):
        raise InputError(
            f"expected format {FORMAT} and {key!r}, found format {found[0]} and {found[1]!r}: name another --store",
            file=str(folder / SETTINGS),
        )


class Lock:
    """The right to write in a folder: held by one process, let go of when it ends, even by `kill -9`.

    Parameters
    ----------
    folder
        Where.
    on_wait
        Called with the number of the other process before waiting for it; None: do not wait, but raise.
    """

    def __init__(self, folder: Path, on_wait: Callable[[str], object] | None = None) -> None:
        path = folder / "lock"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None
        try:
            self._take(path, on_wait)
        except BaseException:
            os.close(self._file)
            raise
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)

    def _take(self, path: Path, on_wait: Callable[[str], object] | None) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise InputError(f"cannot be locked: {error.strerror}", file=str(path)) from None
            other = os.pread(self._file, 20, 0).decode(errors="replace").strip() or "?"
            if on_wait is None:
                raise InputError(
                    f"another analysis (process {other}) is at work with the same settings: wait until it is done",
                    file=str(path),
                ) from None
            on_wait(other)
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def release(self) -> None:
        """Let go."""
        os.close(self._file)
