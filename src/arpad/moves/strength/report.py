"""A strength with its interval for each player, and for parts of what each played."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from arpad.errors import UsageError
from arpad.model import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from arpad.moves.strength.posterior import Posterior, Prior


Part = Literal["game", "event", "year", "phase", "colour", "time_control", "advantage"]
PARTS: tuple[Part, ...] = ("game", "event", "year", "phase", "colour", "time_control", "advantage")

CLEAR = 2.5
"""Standard errors from which a difference to others of the same strength is said in words."""

LEAST = 1.0
"""Serious mistakes more or fewer than expected that such a difference takes: decided positions have none."""

PLACES = {
    "opening": "in the opening",
    "middlegame": "in the middlegame",
    "endgame": "in the endgame",
    "ahead": "at converting a better position",
    "level": "in level positions",
    "behind": "at defending a worse position",
    "time trouble": "in time trouble",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStrength:
    """The strength in a part of a player's moves, such as one event or the endgames."""

    label: str
    games: int
    moves: int
    posterior: Posterior
    confidence: float = 0.95

    @property
    def strength(self) -> float:
        """The estimate."""
        return self.posterior.mean

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return _plain(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Losses of a player in one kind of position, beside those of others of the same strength.

    Parameters
    ----------
    mistakes, expected
        Moves that lost much, and how many others make in these positions.
    z
        The excess of the loss of all moves, in its standard errors; above 0: worse than others.
    """

    label: str
    moves: int
    mistakes: int
    expected: float
    z: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "situation": self.label,
            "moves": self.moves,
            "mistakes": self.mistakes,
            "expected_mistakes": round(self.expected, 1),
            "z": round(self.z, 2),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStrength:
    """The strength that one player showed in one game."""

    white: str
    black: str
    date: str
    event: str
    result: str
    side: Literal["white", "black"]
    moves: int
    posterior: Posterior
    likelihood: NDArray[np.float64] = field(repr=False, compare=False)
    rating: float | None = None
    opponent_rating: float | None = None
    source: Literal["engine", "file"] = "engine"
    confidence: float = 0.95

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return _plain(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStrength:
    """Strength of one player from the moves.

    Parameters
    ----------
    rating
        The mean of the ratings that the file gives the player; None: it gives none.
    opponents
        The mean rating of the opponents, where it is known.
    blunders, expected_blunders
        Moves that lost much, and how many a player of this strength makes in such positions.
    results
        The posterior from the results against rated opponents alone; None: there are none.
    combined
        The posterior from moves and results together.
    situations
        What the player lost in each kind of position, beside others of the same strength.
    company
        The log-likelihood on the grid that the opponents' moves give this player.
    """

    name: str
    games: int
    moves: int
    posterior: Posterior
    prior: Prior
    rating: float | None
    opponents: float | None
    by_game: tuple[GameStrength, ...]
    parts: Mapping[Part, tuple[PartStrength, ...]]
    blunders: int = 0
    expected_blunders: float = 0.0
    results: Posterior | None = None
    combined: Posterior | None = None
    situations: tuple[Situation, ...] = ()
    company: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    confidence: float = 0.95

    @property
    def strength(self) -> float:
        """The estimate."""
        return self.posterior.mean

    @property
    def interval(self) -> tuple[float, float]:
        """The limits of the estimate."""
        return self.posterior.interval(self.confidence)

    def summary(self) -> str:
        """Return one sentence for a person."""
        low, high = self.interval
        if not self.moves:
            return (
                f"{self.name}: none of the moves counts (7 to 56 do): any strength from {round(low, -1):.0f} "
                f"to {round(high, -1):.0f} is possible"
            )
        many = f"{self.moves:,} move{'' if self.moves == 1 else 's'}"
        games = f"{self.games:,} game{'' if self.games == 1 else 's'}"
        against = "" if self.opponents is None else f"; opponents rated {round(self.opponents, -1):.0f}"
        return (
            f"{self.name}: {self._place()} ({round(low, -1):.0f}–{round(high, -1):.0f}) "
            f"from {many} in {games}{against}"
        )

    def traits(self) -> list[str]:
        """Say in which situations the player is clearly better or worse than others of the same strength."""
        result = []
        for s in self.situations[1:]:
            more = s.mistakes - s.expected
            if abs(s.z) >= CLEAR and abs(more) >= LEAST and more * s.z > 0:
                word = "weaker" if s.z > 0 else "stronger"
                result.append(
                    f"{word} {PLACES[s.label]} ({s.mistakes} serious mistakes, "
                    f"{s.expected:.1f} expected in {s.moves:,} moves)"
                )
        return result

    def _place(self) -> str:
        """Say the estimate, or that it is at an end of the range the calibration knows."""
        low, high = self.interval
        if self.prior.rating is None and low < self.prior.low and self.strength < self.prior.low + 80:
            return f"below {round(max(high, self.prior.low), -2):.0f}"
        if self.prior.rating is None and high > self.prior.high and self.strength > self.prior.high - 80:
            return f"above {round(min(low, self.prior.high), -2):.0f}"
        return f"about {round(self.strength, -1):.0f}"

    def row(self) -> dict[str, Any]:
        """Return the row of a table of players."""
        return {
            "name": self.name,
            "rating": self.rating,
            **_figures(self.posterior, self.confidence),
            "games": self.games,
            "moves": self.moves,
            "opponents_rating": self.opponents,
            "blunders": self.blunders,
            "expected_blunders": round(self.expected_blunders, 1),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        prior = {"mean": round(self.prior.mean, 1), "sd": round(self.prior.sd, 1)}
        figures: dict[str, Any] = {
            **self.row(),
            "prior": self.prior.to_dict() | prior,
            "opponents_moves": self.company is not None,
            "situations": [s.to_dict() for s in self.situations],
            "results": None if self.results is None else _figures(self.results, self.confidence),
            "combined": None if self.combined is None else _figures(self.combined, self.confidence),
            "summary": self.summary(),
            "by_game": [game.to_dict() for game in self.by_game],
        }
        for part, rows in self.parts.items():
            if part != "game":
                figures[f"by_{part}"] = [row.to_dict() for row in rows]
        return figures


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthReport(Result):
    """Result of `arpad.strength`: players, those with most moves first, and what was left out."""

    players: tuple[PlayerStrength, ...]
    notes: tuple[str, ...]
    parameters: Mapping[str, Any]
    fingerprint: str
    confidence: float = 0.95
    calibration: Mapping[str, Any] = field(default_factory=dict)

    def summary(self) -> str:
        """Return one line a player."""
        return "\n".join(player.summary() for player in self.players)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "players": [player.to_dict() for player in self.players],
            "notes": list(self.notes),
            "confidence": self.confidence,
            "parameters": dict(self.parameters),
            "calibration": dict(self.calibration),
            "fingerprint": self.fingerprint,
        }

    def table(self) -> pl.DataFrame:
        """Return a row a player."""
        import polars as pl

        columns = {
            "name": pl.String,
            **dict.fromkeys(("rating", "strength", "low", "high"), pl.Float64),
            **dict.fromkeys(("games", "moves"), pl.Int64),
            "opponents_rating": pl.Float64,
            "blunders": pl.Int64,
            "expected_blunders": pl.Float64,
        }
        rows = [p.row() for p in self.players]
        return pl.DataFrame({c: [row[c] for row in rows] for c in columns}, schema=columns)

    def player(self, name: str) -> PlayerStrength:
        """Return the one player whose name contains a text, whatever the case of the letters."""
        wanted = name.casefold()
        exact = [p for p in self.players if p.name.casefold() == wanted]
        result = exact or [p for p in self.players if wanted in p.name.casefold()]
        if len(result) != 1:
            names = ", ".join(p.name for p in (result or self.players)[:6])
            raise UsageError(f"expected one player called {name!r}, found {len(result)}: {names}")
        return result[0]


def _plain(part: PartStrength | GameStrength) -> dict[str, Any]:
    """Return the fields of a part with the figures of its posterior in their place."""
    values: dict[str, Any] = {}
    for name in [each.name for each in fields(part)]:
        if name == "posterior":
            values |= _figures(part.posterior, part.confidence)
        elif name not in ("likelihood", "confidence"):
            values[name] = getattr(part, name)
    return values


def _figures(posterior: Posterior, confidence: float) -> dict[str, float]:
    low, high = posterior.interval(confidence)
    return {
        "strength": round(posterior.mean, 1),
        "low": round(low, 1),
        "high": round(high, 1),
        "error": round(posterior.sd, 1),
    }


# Two players' moves side by side: the probability that one of them plays better.


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthComparison(Result):
    """Two players, and how likely it is that the first is the stronger one."""

    first: PlayerStrength
    second: PlayerStrength
    probability: float
    difference: float
    error: float

    def table(self) -> pl.DataFrame:
        """Return a row a player, with the probability that it plays better than the other."""
        import polars as pl

        columns = ("name", "strength", "low", "high", "games", "moves")
        both = ((self.first, self.probability), (self.second, 1 - self.probability))
        return pl.DataFrame(
            {**{c: player.row()[c] for c in columns}, "probability": round(chance, 4)}
            for player, chance in both
        )

    def summary(self) -> str:
        """Return the comparison on three lines."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the comparison in sentences."""
        better, other, chance = (
            (self.first, self.second, self.probability)
            if self.probability >= 0.5
            else (self.second, self.first, 1 - self.probability)
        )
        return [
            f"{self.first.summary()}.",
            f"{self.second.summary()}.",
            (
                f"The probability that {better.name} plays better than {other.name} is {100 * chance:.0f} % "
                f"(difference {abs(self.difference):.0f} ± {self.error:.0f} points, one standard error)."
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "probability": round(self.probability, 4),
            "difference": round(self.difference, 1),
            "error": round(self.error, 1),
        }


def compare_players(report: StrengthReport, first: str, second: str) -> StrengthComparison:
    """Return two players of a report side by side."""
    one, other = report.player(first), report.player(second)
    if one.name == other.name:
        raise UsageError(f"expected two players, found {one.name!r} twice")
    return StrengthComparison(
        first=one,
        second=other,
        probability=one.posterior.above(other.posterior),
        difference=one.strength - other.strength,
        error=(one.posterior.sd**2 + other.posterior.sd**2) ** 0.5,
    )
