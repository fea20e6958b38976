"""Where a long run stands, in one file that is there whole or not at all, also after `kill -9`."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError
from arpad.store.shelf import folder_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Standing", "standing_path", "standing_root"]

FORMAT = 1
"""The number of this way to lay things down; another number is as good as nothing."""

PARTS = ("people", "rows")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is kept: who the players are, a row of figures for each, and the rest as plain values."""

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
                file.write(len(head).to_bytes(8, "little") + head)
                for part in PARTS:
                    at = file.tell()
                    file.write(b"\0" * 8)
                    getattr(self, part).write_ipc(file, compression="uncompressed")
                    end = file.seek(0, os.SEEK_END)
                    file.seek(at)
                    file.write((end - at - 8).to_bytes(8, "little"))
                    file.seek(end)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            raise InputError(
                f"where the run stands cannot be kept here: {error.strerror or error}. Name another folder with --state",
                file=str(path),
            ) from None
        finally:
            beside.unlink(missing_ok=True)

    @classmethod
    def kept(cls, path: Path) -> Standing | None:
        """Return what was kept; None where nothing is, or nothing that can be used."""
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
        try:
            pieces, at = [], 0
            for _ in range(1 + len(PARTS)):
                length = int.from_bytes(data[at : at + 8], "little")
                pieces.append(data[at + 8 : at + 8 + length])
                if len(pieces[-1]) < length:
                    return None
                at += 8 + length
            about = json.loads(pieces[0])
            if about.pop("format", None) != FORMAT:
                return None
            people, rows = (pl.read_ipc(piece) for piece in pieces[1:])
        except (ValueError, AttributeError, pl.exceptions.PolarsError):
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
    """Return where runs are kept unless another place is named: ``ARPAD_STATE``, else the user's state folder."""
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
