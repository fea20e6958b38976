"""What pages on events say."""

from __future__ import annotations

from datetime import date

from arpad.web.contexts import Chart, Context
from arpad.web.paging import Pager

__all__ = [
    "Breaks", "EventFit", "EventForecast", "EventGames", "EventHandicap", "EventLine", "EventNorms", "EventPage",
    "Events", "Fitted", "Forecasted", "GameLine", "Handicapped", "Head", "Norm", "NormRequirement", "Placed",
    "RoundOfGames", "Waiting",
]  # fmt: skip


class EventLine(Context):
    """One event in the list of events."""

    id: int
    name: str
    site: str | None
    start: date | None
    end: date | None
    time_control: str | None
    games: int
    counts: bool
    waiting: int


class Events(Context):
    """Events that were looked for, the last first."""

    q: str
    control: str
    year: int | None
    years: list[int]
    events: list[EventLine]
    pager: Pager
    all_events: int


class Waiting(Context):
    """Something in the queue about an event."""

    number: int
    kind: str
    about: str
    reason: str


class Head(Context):
    """What every page on an event begins with."""

    id: int
    name: str
    site: str | None
    start: date | None
    end: date | None
    time_control: str
    counts: bool
    """Whether lists take it in."""
    games: int
    players: int
    policy: str
    """Whose list gives ratings to players whom the report gives none; "-": nobody's."""
    list_name: str | None
    """That list."""
    rated_by_list: int
    """Players whose rating is from it."""
    policies: list[str]
    waiting: list[Waiting]


class Placed(Context):
    """One player in the standings; None is not known."""

    rank: int
    id: int
    name: str
    title: str | None
    federation: str | None
    rating: float | None
    cells: list[str]
    points: float
    games: int
    performance: float | None
    error: float | None
    """One standard deviation of the performance."""
    confidence: float | None
    """The probability that so many games measure strength to within 100 points [Elo 2.55]."""
    expected: float | None
    score: float | None
    change: float | None


class Breaks(Context):
    """Tie-breaks of one player, in the order in which they decide."""

    rank: int
    id: int
    name: str
    points: float
    direct: float
    wins: int
    sonneborn_berger: float
    buchholz_cut: float
    buchholz: float
    progressive: float


class EventPage(Context):
    """Crosstable, standings and performances."""

    head: Head
    summary: str
    kind: str
    average: float | None
    category: int | None
    square: bool
    columns: list[str]
    """Of the crosstable: opponents by place, or rounds."""
    players: list[Placed]
    breaks: list[Breaks]
    system: str
    """By whose rules expected scores and changes are."""
    notes: list[str]
    pager: Pager


class Fitted(Context):
    """One player on the line of ratings and results [PRA]."""

    rank: int
    id: int
    name: str
    rating: float | None
    estimated: bool
    games: int
    points: float
    p_zero: float | None
    performance: float | None
    residual: float | None
    flag: str | None
    g_score: float | None
    g_category: str | None
    pra_after: float | None


class EventFit(Context):
    """Whether the results fit the ratings, and how great the performances were."""

    head: Head
    tested: bool
    passed: bool | None
    chi_square: float | None
    critical: float | None
    degrees: int | None
    r: float | None
    strength: float | None
    number_two: float | None
    sentences: list[str]
    notes: list[str]
    players: list[Fitted]
    chart: Chart | None
    pager: Pager


class NormRequirement(Context):
    """One line of the rules, and what was found."""

    article: str
    what: str
    needed: str
    found: str
    passed: bool


class Norm(Context):
    """A verdict on one player and title."""

    id: int
    player: str
    title: str
    rules: str
    score: float
    games: int
    passed: bool
    points_needed: float | None
    requirements: list[NormRequirement]
    notes: list[str]


class EventNorms(Context):
    """Title norms: those that were made, and the nearest that were not."""

    head: Head
    judged: int
    says: str
    """Why nobody is judged, if nobody is."""
    made: list[Norm]
    nearest: list[Norm]
    pager: Pager


class GameLine(Context):
    """One game."""

    id: int
    date: date | None
    white_id: int
    white: str
    white_rating: float | None
    result: str
    black_id: int | None
    black: str | None
    black_rating: float | None
    status: str


class RoundOfGames(Context):
    """The games of one round."""

    round: str
    games: list[GameLine]


class EventGames(Context):
    """Games by round."""

    head: Head
    round: str
    rounds: list[str]
    shown: list[RoundOfGames]
    pager: Pager


class Forecasted(Context):
    """What ratings made one expect of a player."""

    id: int
    name: str
    rating: float
    games: int
    points: float
    expected: float
    sigma: float
    low: float
    high: float
    first: float
    place: float


class EventForecast(Context):
    """Expected scores and finish, from the ratings before the event."""

    head: Head
    says: str
    trials: int
    notes: list[str]
    players: list[Forecasted]
    pager: Pager


class Handicapped(Context):
    """One player in the standings with handicaps."""

    rank: int | None
    id: int | None
    """None where two players of the event have the name."""
    name: str
    rating: float | None
    points: float
    place: int
    performance: float | None
    handicap: float | None
    total: float | None


class EventHandicap(Context):
    """Standings with handicaps."""

    head: Head
    says: str
    notes: list[str]
    players: list[Handicapped]
    pager: Pager
