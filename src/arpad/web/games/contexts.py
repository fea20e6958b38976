"""What the pages of games say."""

from __future__ import annotations

from datetime import date

from arpad.web.contexts import Chart, Context, Link

__all__ = ["GameMove", "GamePage", "GameRow", "GamesPage", "ListedThen", "MovePair", "Side"]


class ListedThen(Context):
    """A rating by a list that held on the day of the game."""

    policy: str
    list: str
    rating: float


class Side(Context):
    """One of the players: who, rated how then, and how well the moves were."""

    id: int
    name: str
    title: str | None
    given: float | None
    """The rating that stands in the report."""
    listed: list[ListedThen]
    moves: int | None = None
    """Moves whose gain is known."""
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    """Pawns a move, with the limits of 95 %."""
    points: float | None = None
    points_low: float | None = None
    points_high: float | None = None
    """Rating points to the engine; nothing where they are beyond measure."""
    loss: float | None = None
    """Average centipawn loss."""
    accuracy: float | None = None
    """Lichess's accuracy, in percent."""
    error_moves: int | None = None
    """Moves that count for the average error."""
    error: float | None = None
    error_low: float | None = None
    error_high: float | None = None
    """Pawns a move."""
    agreed: float | None = None
    """The share of these moves that were the engine's choice."""


class GameMove(Context):
    """A move, the position after it, and what is known of both."""

    ply: int
    number: str
    san: str
    comment: str
    evaluation: float | None
    """Pawns from White's side, after the move."""
    mate: int | None
    """Moves to mate; negative: Black mates."""
    over: str | None
    gain: float | None
    """Pawns, from the mover's side."""
    best: str | None
    """What the engine would have played instead of it, or the same."""
    agrees: bool | None
    clock: float | None
    """Seconds left."""
    says: str
    """All of it in words."""


class MovePair(Context):
    """A move of White and the answer; one of them may be missing."""

    number: int
    white: GameMove | None
    black: GameMove | None


class GamePage(Context):
    """A game."""

    id: int
    title: str
    event: Link
    site: str | None
    round: str | None
    date: str | None
    result: str
    status: str
    white: Side
    black: Side | None
    has_moves: bool
    plies: int
    ply: int
    """The position that is shown."""
    side: str
    """Who sits at the bottom: white or black."""
    by: str | None
    """Whose evaluations are shown: source or engine; null: there are none."""
    others: list[str]
    source: str | None
    """Who evaluated, and how."""
    start: str
    """What is known of the starting position, in words."""
    fen: str | None
    """The position that is shown, in four fields."""
    comment: str
    moves: list[MovePair]
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    """White's expected score by the gain of both."""
    evaluation_chart: Chart | None
    gain_chart: Chart | None
    strength_chart: Chart | None
    notes: list[str]
    can_analyse: bool
    """An engine's evaluations can be kept, and are not there yet."""


class GameRow(Context):
    """A game with moves."""

    id: int
    white: str
    black: str
    result: str
    event: str
    event_id: int
    date: date | None
    plies: int | None


class GamesPage(Context):
    """The last games that came with their moves."""

    with_moves: int
    games: list[GameRow]
    before: int | None
    """Where the next page goes on."""
