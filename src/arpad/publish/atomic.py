"""Files that are there whole or not at all: written beside, then renamed."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["forget", "keep", "new_file", "write_bytes", "write_text"]

_KEPT: ContextVar[dict[Path, str]] = ContextVar("kept", default={})  # noqa: B039 - never changed


def keep(paths: Iterable[str | Path], why: str) -> None:
    """Refuse from now on to write these files: a person's results must not be lost to a slip."""
    _KEPT.set({**_KEPT.get(), **{Path(os.path.realpath(p)): why for p in paths}})


def forget() -> None:
    """Begin anew: nothing was read or written yet."""
    _KEPT.set({})


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; rename it into place when all went well."""
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target  # a pipe or a device: nothing to rename
        return
    if target in _KEPT.get():
        raise UsageError(f"{target}: {_KEPT.get()[target]}: give another name")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except FileNotFoundError:
        raise UsageError(
            f"{target}: the folder {target.parent} is not there: make it first"
        ) from None
    except PermissionError:
        raise UsageError(f"{target}: no permission to write in {target.parent}") from None
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())
        beside.replace(target)
        if _KEPT.get():
            keep([target], "this command has just written it")
    except IsADirectoryError:
        raise UsageError(f"{target}: this is a folder: give the name of a file") from None
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        beside.unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a whole file."""
    with new_file(path) as beside:
        try:
            beside.write_bytes(data)
        except OSError as error:  # a full disk, a device that takes nothing
            raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a whole file as UTF-8."""
    write_bytes(path, text.encode(errors="replace"))


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
