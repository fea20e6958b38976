"""What a page says after something was done: only sentences of ours, so that no link can put words in."""

from __future__ import annotations

__all__ = ["NOTICES", "after"]

NOTICES = {
    "published": "The list is published and frozen.",
    "made": "The draft is made.",
    "decided": "Done, and written into the log.",
    "undone": "Taken back, and written into the log.",
    "settled": "Settled, and written into the log.",
    "imported": "The file is in the ledger.",
    "stopped": "The work is asked to stop.",
}


def after(path: str, notice: str) -> str:
    """Return the address of a page that says something first.

    Examples
    --------
    >>> after("/queue", "settled")
    '/queue?notice=settled'
    """
    if notice not in NOTICES:
        raise KeyError(notice)
    return f"{path}{'&' if '?' in path else '?'}notice={notice}"
