"""The secret that signs cookies: given, or made once and kept where only this user can read it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from arpad.errors import InputError

__all__ = ["VARIABLE", "kept_secret"]

VARIABLE = "ARPAD_SECRET"
"""Several servers over one ledger share a secret by this variable."""


def kept_secret() -> str:
    """Return the secret of this user; the first time one is made."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "arpad"
    path = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            _made(folder, path)
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the secret that signs cookies cannot be kept here ({error}): set {VARIABLE}",
            file=str(path),
        ) from None


def _made(folder: Path, path: Path) -> None:
    """Write a new one; of two servers that start at once, both use the one that came first."""
    mine = folder / f"secret.{os.getpid()}"
    handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    try:
        os.link(mine, path)
    except FileExistsError:
        pass
    finally:
        mine.unlink()
