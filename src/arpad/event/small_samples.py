"""The factor F of table 8.85, under the name that performance ratings know it by."""

from __future__ import annotations

from arpad.rate.small_samples import DIFFERENCES, FACTORS, GAMES, small_sample_factor

__all__ = ["DIFFERENCES", "FACTORS", "GAMES", "small_sample_factor"]
