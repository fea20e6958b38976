"""Intrinsic performance ratings: strength from the moves chosen, after Regan, Macieja and Haworth."""

from __future__ import annotations

from arpad.moves.gain import scaled_loss
from arpad.moves.ipr.model import ChoiceFit, MoveChoices, Projection, fit, project

__all__ = ["ChoiceFit", "MoveChoices", "Projection", "fit", "project", "scaled_loss"]
