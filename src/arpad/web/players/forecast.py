"""What to expect of the next game of two players: win, draw and loss, with what that rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.rate.draw_model import PUBLISHED, probabilities
from arpad.web.players.compare_contexts import Chance, Forecast

if TYPE_CHECKING:
    from arpad.office.showing.courses import Standing

__all__ = ["forecast"]


def forecast(one: Standing, two: Standing) -> Forecast | None:
    """Return the chances of a game by two ratings of one policy; None: somebody has none."""
    if one.rating is None or two.rating is None:
        return None
    errors = (one.deviation or 0.0, two.deviation or 0.0)
    return Forecast(
        policy=one.list.policy,
        list_name=one.list.name,
        chances=_chances(one.rating, two.rating, *errors),
        certain=_chances(one.rating, two.rating, 0.0, 0.0),
        white_advantage=PUBLISHED.white_advantage,
        settings=_settings(one, two, *errors),
    )


def _chances(rating: float, other: float, error: float, other_error: float) -> list[Chance]:
    found = []
    for colour, side in (("white", 1), ("black", -1)):
        ends = probabilities(
            rating, other, advantage=side * PUBLISHED.white_advantage, error=error, opponent_error=other_error
        )  # fmt: skip
        found.append(
            Chance(colour=colour, win=ends.win, draw=ends.draw, loss=ends.loss, expected=ends.expected)  # type: ignore[arg-type]
        )  # fmt: skip
    return found


def _settings(one: Standing, two: Standing, error: float, other_error: float) -> list[str]:
    """Return what a reader must know of the figures: curve, draws, first move, errors, and how far they reach."""
    model = PUBLISHED
    first, second = one.rating or 0.0, two.rating or 0.0
    words = [
        f"Expected scores: {model.curve} curve with a class interval of {model.class_interval:g} points.",
        f"Draws: {model.form} model, fitted on {model.games:,} published games over the board.",
        f"The first move is taken as worth {model.white_advantage:g} points, as in those games.",
        f"Averaged over the errors of both ratings ({error:.0f} and {other_error:.0f} points)."
        if error or other_error
        else "The list knows no errors of these ratings: they are taken as they stand, and the chances as surer than they are.",
    ]
    level = (first + second) / 2
    if not model.low <= level <= model.high:
        nearest = min(max(level, model.low), model.high)
        words.append(
            f"Those games had levels from {model.low:.0f} to {model.high:.0f}: for {level:.0f} the draws of {nearest:.0f} are taken."
        )
    if abs(first - second) > model.reach:
        words.append(
            f"Those games had differences up to {model.reach:.0f} points: beyond, draws are only a guess."
        )
    return words
