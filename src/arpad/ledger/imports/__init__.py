"""Files into the ledger: what they bring, who is who, all of a file or nothing."""

from __future__ import annotations
