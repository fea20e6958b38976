"""Passwords: hashed with argon2, never kept, long enough to be worth it."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from arpad.errors import UsageError

__all__ = ["LONGEST", "SHORTEST", "check_new", "hashed", "matches"]

SHORTEST, LONGEST = 10, 1024
"""Characters of a password; longer ones would only keep the server busy."""


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys() -> str:
    """Return a hash that no password has: an unknown name takes as long as a known one."""
    return _hasher().hash("\x00 nobody has this password")


def check_new(password: str) -> None:
    """Raise unless a password may be chosen."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(
            f"expected a password of {SHORTEST} to {LONGEST:,} characters, found one of {len(password)}"
        )


def hashed(password: str) -> str:
    """Return argon2's hash of a password."""
    check_new(password)
    return _hasher().hash(password)


def matches(password: str, kept: str | None) -> bool:
    """Say whether a password is the one that was hashed; None: there is no such account."""
    try:
        _hasher().verify(kept or _nobodys(), password[:LONGEST])
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None
