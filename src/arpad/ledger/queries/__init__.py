"""Questions to the ledger: an explained figure, two lists side by side, a player, an event."""

from __future__ import annotations
