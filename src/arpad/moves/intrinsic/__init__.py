"""Intrinsic performance ratings: strength from the moves chosen, after Regan, Macieja and Haworth."""

from __future__ import annotations

from arpad.moves.intrinsic.choices import Choices
from arpad.moves.intrinsic.fit import Fit, fit
from arpad.moves.intrinsic.projection import Projection, project
from arpad.moves.intrinsic.scaled import scaled_loss

__all__ = ["Choices", "Fit", "Projection", "fit", "project", "scaled_loss"]
