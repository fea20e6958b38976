"""Files that are written whole or not at all, user folders, and checkpoints of long runs."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

import polars as pl

from arpad.errors import InputError, OverwriteError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# A run is one command. It refuses to write a file that it has read or written: results must not be lost to a slip.

_RUN: ContextVar[dict[Path, str] | None] = ContextVar("run", default=None)
LARGEST_TEXT = 1 << 26
"""Bytes of a policy, a table of odds and the like."""
READ, WRITTEN, RESULT = "this file was read", "this command has just written it", "the result goes there"


def begin_run() -> None:
    """Guard from now on every file that is read or written; each command begins with this."""
    _RUN.set({})


def end_run() -> None:
    """Guard nothing any more: a server and a notebook may read a file and write it later."""
    _RUN.set(None)


def input_file(path: str | Path) -> Path:
    """Return the path of a user's file that is about to be read; the run will not write it."""
    if _known_as(path, RESULT):
        raise OverwriteError(path, READ)
    if _is_endless(path):
        raise InputError("expected a file, found a device", file=str(path))
    _mark(path, READ)
    return Path(path)


def input_text(path: str | Path) -> str:
    """Return the text of a small file that a user names; a pipe without end is refused before it fills the memory."""
    with input_file(path).open("rb") as file:
        data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        why = f"expected a small file, found more than {LARGEST_TEXT >> 20} MiB"
        raise InputError(why, file=str(path))
    return data.decode("utf-8-sig")


def _is_endless(path: str | Path) -> bool:
    """Say whether this is a device such as /dev/zero; a terminal ends with its user's input."""
    try:
        if not stat.S_ISCHR(Path(path).stat().st_mode) or os.path.realpath(path) == os.devnull:
            return False
        with Path(path).open("rb") as device:
            return not device.isatty()
    except OSError:  # a reader who opens it says why
        return False


def expect_output(path: str | Path) -> None:
    """Refuse from now on to read this file: a result will replace it, so work need not begin."""
    try:
        Path(path).exists()
    except OSError as error:  # a name that is too long
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    _mark(path, RESULT)


def check_output(path: str | Path) -> None:
    """Raise if the run has read or written this file, under whatever name."""
    for why in _known_as(path, READ, WRITTEN):
        raise OverwriteError(path, why)


def _mark(path: str | Path, why: str) -> None:
    if (run := _RUN.get()) is not None and str(path) != "-":
        run[Path(os.path.realpath(path))] = why


def _known_as(path: str | Path, *ways: str) -> list[str]:
    """Return in which of these ways the run has used a file, under whatever name."""
    used = {known: why for known, why in (_RUN.get() or {}).items() if why in ways}
    target = Path(os.path.realpath(path))
    there = bool(used) and target.is_file()
    return [
        why
        for known, why in used.items()
        if known == target or (there and known.exists() and known.samefile(target))
    ]


# Files that are there whole or not at all: written beside, then renamed.


@contextmanager
def new_file(path: str | Path, *, again: bool = False) -> Iterator[Path]:
    """Give a temporary path beside `path`; rename it into place when all went well.

    `again`: Allow a run to replace what it has read from or written to this file, as a checkpoint is.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target  # a pipe or a device: nothing to rename
        return
    if not again:
        check_output(target)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except FileNotFoundError:
        raise UsageError(f"{target}: the folder {target.parent} is not there: make it first") from None
    except PermissionError:
        raise UsageError(f"{target}: no permission to write in {target.parent}") from None
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        if not again:
            check_output(target)  # the content may come from files that were opened meanwhile
        beside.chmod(0o666 & ~_umask())
        beside.replace(target)
        _mark(target, WRITTEN)
    except IsADirectoryError:
        raise UsageError(f"{target}: this is a folder: give the name of a file") from None
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        beside.unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes, *, again: bool = False) -> None:
    """Write a whole file; see `new_file`."""
    with new_file(path, again=again) as beside:
        try:
            beside.write_bytes(data)
        except OSError as error:  # a full disk, a device that takes nothing
            raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_text(path: str | Path, text: str, *, again: bool = False) -> None:
    """Write a whole file as UTF-8; see `new_file`."""
    write_bytes(path, text.encode(errors="replace"), again=again)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


# Folders that a user names.


def folder_of(text: str) -> Path:
    """Return a folder; ~ is the user's, if there is one."""
    try:
        return Path(text).expanduser()
    except RuntimeError:  # a user without a home, as in a container
        raise UsageError(f"{text}: this user has no home folder", code="no-home-folder") from None


# Where a long run stands, in one file that is there whole or not at all, also after `kill -9`.

FORMAT = 2
"""The number of this way to lay things down; another number is as good as nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A saved state: the players, a row of figures for each, and the rest as plain values."""

    about: Mapping[str, Any]
    people: pl.DataFrame
    rows: pl.DataFrame

    def keep(self, path: Path) -> None:
        """Write it in the place of what was kept before."""
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        head = json.dumps({"format": FORMAT, **self.about}, ensure_ascii=False).encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _sweep(path)
            with beside.open("wb") as file:
                with ZipFile(file, "w") as folder:
                    folder.writestr("about", head)
                    for part in ("people", "rows"):
                        with folder.open(part, "w", force_zip64=True) as inside:
                            getattr(self, part).write_ipc(inside, compression="uncompressed")
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            raise InputError(
                f"the progress of the run cannot be saved here: {error.strerror or error}",
                code="no-checkpoint",
                file=str(path),
            ) from None
        finally:
            beside.unlink(missing_ok=True)

    @classmethod
    def kept(cls, path: Path) -> Checkpoint | None:
        """Return what was kept; None where nothing is, or nothing that can be used."""
        try:
            with ZipFile(path) as folder:
                about = json.loads(folder.read("about"))
                people, rows = (pl.read_ipc(folder.read(part)) for part in ("people", "rows"))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
        except (BadZipFile, KeyError, ValueError, EOFError, pl.exceptions.PolarsError):
            return None
        if not isinstance(about, dict) or about.pop("format", None) != FORMAT:
            return None
        return cls(about=about, people=people, rows=rows)


def _sweep(path: Path) -> None:
    """Remove what processes that were killed had begun to write."""
    for begun in path.parent.glob(f".{path.name}.*"):
        number = begun.name.rpartition(".")[2]
        try:
            os.kill(int(number), 0)
        except (ProcessLookupError, ValueError, OverflowError):
            begun.unlink(missing_ok=True)
        except PermissionError:  # somebody else's, and alive
            continue


def standing_root() -> Path:
    """Return where runs are kept unless another place is named: ``ARPAD_STATE``, else the user's state folder.

    Two lines of our own instead of `platformdirs`: the folders are the same on every system, as the docs name them.
    """
    if named := os.environ.get("ARPAD_STATE"):
        return Path(named)
    return folder_of(os.environ.get("XDG_STATE_HOME") or "~/.local/state") / "arpad"


def standing_path(root: Path, words: str, key: str) -> Path:
    """Return the file of a run: words a person understands, and a hash that tells runs apart.

    Examples
    --------
    >>> standing_path(Path("kept"), "Lichess 2015 elo", "k=20").name
    'lichess-2015-elo-015c5e2ab3.standing'
    """
    plain = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")
    return root / f"{plain[:60]}-{blake2b(key.encode(), digest_size=5).hexdigest()}.standing"
