"""The chart of `arpad rate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.model import Ratings
    from arpad.rate import RatingSystem
    from arpad.read import Reading

__all__ = ["draw"]

PATHS_UP_TO = 12
"""Players whose ratings a chart can follow game by game; of more, it shows the best."""

USUAL_TOP = 20


def draw(
    path: str,
    ratings: Ratings,
    reading: Reading,
    system: RatingSystem,
    before: Ratings | None,
    top: int | None,
) -> None:
    """Draw paths of a small field, or the best of a large one."""
    from arpad.publish import charts
    from arpad.rate import Elo

    events = reading.games.events
    named = len(events) == 1 and events[0].name
    title = events[0].name if named else ", ".join(Path(file).name for file, _ in reading.files[:3])
    settings = ratings.parameters
    words = {"rules": "rules {}", "curve": "{} curve", "k": "K {}", "on": "on {}"}
    told = [words[name].format(settings[name]) for name in words if settings.get(name) is not None]
    played = ratings.source["status"].get("played", 0)
    subtitle = f"{', '.join([ratings.system, *told])}: {played:,} games"
    if isinstance(system, Elo) and ratings.rows.height <= PATHS_UP_TO and top is None:
        frame = charts.paths(system, reading.games, before)
        charts.save(charts.rating_paths(frame, title=title, subtitle=subtitle), path)
    else:
        best = charts.top_ratings(ratings, top=top or USUAL_TOP, title=title, subtitle=subtitle)
        charts.save(best, path)
