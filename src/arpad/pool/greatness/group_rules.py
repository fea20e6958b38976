"""How games become events: what is left out, what is joined, how few games are too few."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.pool.serious import EVENTS as SERIOUS
from arpad.pool.serious import NOBODY

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EVENTS", "FAST_PLAYOFFS", "FEWEST_GAMES", "NAMELESS", "PAUSE", "PLAYOFF", "GroupRules"]

EVENTS = (
    SERIOUS
    + r"|sportaccord|\bamber\b|intel[-/ ]gp|\bccas\b|corsica|eurotel|champions duel|kosmos m|\d'|"
    r"\bg/\d|\bg(5|15|20|25|30|45|60)\b|chess960|fischer ?random|shuffle|advanced|man-machine|mainz|giants|armageddon"
)
"""Names of events that are left out: exhibitions, fast play and series of it, correspondence, machines."""

FEWEST_GAMES = 6
"""Games of a player that his G-score rests on at least: with fewer the text leaves ratings alone, too."""

PAUSE = 45
"""Days without a game that end an event. Ours: the longest match, 1984–85, had none of more than 30."""

NAMELESS = r"^[\s?.\-*]*$|^casual|^offhand|^skittles|^game one$|^free game|^friendly|^exhib"
"""Names that name no event."""

PLAYOFF = r"^(.+?)[\s-]+play-?off.*$"
"""A play-off's name: that of its event comes before."""

FAST_PLAYOFFS = 1985
"""The year from which a play-off is an event of its own: earlier ones were played as the event was, and the
text counts that of Vienna 1898 in. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRules:
    """How games become events.

    Parameters
    ----------
    events, nobody
        Patterns of events and of players that are left out; empty for none.
    join
        Join names that look like one person.
    spelled
        One name for another, for what no rule can know.
    knockouts
        A knock-out is one event, as in the text, or each of its matches is.
    fewest_games
        An event in which nobody has so many is left out.
    """

    events: str = EVENTS
    nobody: str = NOBODY
    join: bool = True
    spelled: Mapping[str, str] = field(default_factory=dict)
    knockouts: Literal["event", "matches"] = "event"
    fewest_games: int = FEWEST_GAMES

    def __post_init__(self) -> None:
        if self.fewest_games < 1:
            raise UsageError(f"expected one game or more, found {self.fewest_games}")
        if self.knockouts not in ("event", "matches"):
            raise UsageError(f"expected knock-outs as event or matches, found {self.knockouts!r}")

    def parameters(self) -> dict[str, object]:
        """Return every setting by name."""
        return {
            "left_out": self.events, "left_out_players": self.nobody, "joined_names": self.join,
            "knockouts": self.knockouts, "min_games": self.fewest_games, "pause": PAUSE,
        }  # fmt: skip
