"""The options of verbs that take a draw model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.errors import InputError

if TYPE_CHECKING:
    from arpad.rate.draw_model import DrawModel
    from arpad.scale import Curve

__all__ = ["DrawModelOption", "draw_model", "model_words"]

DrawModelOption = Annotated[
    Optional[str],  # noqa: UP045 - Typer reads the annotation
    typer.Option("--draw-model", help="A draw model that arpad draws has written; else the one that comes with arpad."),
]  # fmt: skip


def draw_model(path: str | None) -> DrawModel:
    """Return the model in a file, or the one that comes with arpad."""
    from arpad.rate.draw_model import PUBLISHED, DrawModel

    if path is None:
        return PUBLISHED
    import json

    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("expected a draw model, found nothing there", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError:  # no JSON, no UTF-8
        raise InputError("expected a draw model in JSON, found something else: arpad draws FILES --model FILE writes one", file=path) from None  # fmt: skip
    return DrawModel.from_document(document, file=path)


def model_words(
    model: DrawModel, path: str | None, curve: Curve, rating: float, opponent: float
) -> list[str]:
    """Return what a person must know of a model: whence, on which curve it was fitted, how far it reaches."""
    whence = "the model that comes with arpad" if path is None else Path(path).name
    theirs = _curve(model.curve, model.class_interval)
    here = _curve(curve.name, getattr(curve, "class_interval", None))
    used = "" if here == theirs else f", used here on the {here}"
    lines = [f"Draws: {whence} ({model.form}, {model.games:,} games on the {theirs}){used}."]
    level = (rating + opponent) / 2
    if not model.low <= level <= model.high:
        nearest = min(max(level, model.low), model.high)
        lines.append(f"Its games had levels from {model.low:.0f} to {model.high:.0f}: for {level:.0f} the draws of {nearest:.0f} are taken.")  # fmt: skip
    if abs(rating - opponent) > model.reach:
        lines.append(f"Its games had differences up to {model.reach:.0f} points: beyond, draws are only a guess.")  # fmt: skip
    return lines


def _curve(name: str, class_interval: float | None) -> str:
    return f"{name} curve" + ("" if class_interval in (None, 200) else f" with C = {class_interval:g}")  # fmt: skip
