"""The field of an event: its players, days, kind and category, and the crosstable."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Games, Result, schema
from arpad.rate.periods import first_given
from arpad.read.reading import games_from
from arpad.scale import half_up

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import date

    from arpad.read.reading import GamesLike


ROUND = pl.col("round").str.extract(r"^(\d{1,6})").cast(pl.Int64)
"""The number of a round: 4 of `4.12`, the twelfth board."""
ON_THE_BOARD = ("played", "unrated")


class Side(NamedTuple):
    """One pairing as one of its players sees it."""

    player: int
    opponent: int | None
    colour: str
    """w or b."""
    share: float | None
    """Of the point; None: no result."""
    status: str
    round: str | None
    number: int | None
    rating: float | None
    """The opponent's, as the source gives it beside this game."""


def sides(games: Games) -> Iterator[Side]:
    """Yield both sides of every pairing, White first, and the one side of a bye."""
    columns = ("white", "black", "score", "black_score", "white_rating", "black_rating", "status", "round")
    rows = games.table.select(*columns, number=ROUND).iter_rows()
    for white, black, score, black_score, white_rating, black_rating, *rest in rows:
        status, text, number = rest
        if white is not None:
            yield Side(white, black, "w", score, status, text, number, black_rating)
        if black is not None:
            yield Side(black, white, "b", black_score, status, text, number, white_rating)


WIDEST = 24
"""Players that a square table has room for; larger fields are shown round by round."""
HALVES = {0.0: "0", 0.5: "½", 1.0: "1"}


@dataclass(frozen=True, slots=True)
class Crosstable(Result):
    """Standings with the results behind them.

    `rows` has `number` (1, 2, … from the top: what cells and columns mean), `rank` (equals share it), `player`, `rating`, `points`, `games`, then a column an opponent (square) or a
    round.
    """

    rows: pl.DataFrame
    square: bool

    def table(self) -> pl.DataFrame:
        """Return the crosstable for people, under the numbers that its cells speak of."""
        rows = self.rows.drop("rank").rename({"number": "#"})
        return rows.select(c for c in rows.columns if not rows[c].is_null().all())


def crosstable(
    games: GamesLike,
    ranks: Mapping[int, int] | None = None,
    ratings: Mapping[int, float] | None = None,
    totals: Mapping[int, float] | None = None,
) -> Crosstable:
    """Return the crosstable of all `games`; every pairing counts for points, played or not.

    Parameters
    ----------
    ranks
        Each player's place in the standings, best first; without it players with equal points
        share a place.
    ratings
        Result of `known_ratings`, if it is known.
    totals
        Everybody's points where the event counts other than 1, ½, 0.
    """
    games = games_from(games)
    points: dict[int, float] = defaultdict(float)
    count: dict[int, int] = defaultdict(int)
    for side in sides(games):
        points[side.player] += side.share or 0.0
        count[side.player] += side.status in ON_THE_BOARD
    points.update(totals or {})
    names = games.players["name"].to_list()
    ratings = known_ratings(games) if ratings is None else ratings
    order = list(ranks or sorted(points, key=lambda p: (-points[p], -ratings.get(p, 0), names[p])))
    square = len(order) <= WIDEST and games.table["black"].null_count() == 0
    place = {player: i + 1 for i, player in enumerate(order)}
    cells = _square(games, place) if square else _rounds(games, place)
    rows = pl.DataFrame(
        {
            "number": range(1, len(order) + 1),
            "rank": list(ranks.values())
            if ranks
            else pl.Series([points[p] for p in order]).rank("min", descending=True).cast(pl.Int64),
            "player": [names[p] for p in order],
            "rating": pl.Series([ratings.get(p) for p in order], dtype=pl.Float64),
            **{name: [column.get(p, "") for p in order] for name, column in cells.items()},
            "points": pl.Series([points[p] for p in order], dtype=pl.Float64),
            "games": pl.Series([count[p] for p in order], dtype=pl.Int64),
        }
    )
    return Crosstable(rows, square)


def known_ratings(games: Games) -> dict[int, float]:
    """Return the ratings before the event: a player's own, or the one beside the earliest game.

    A player who did not play has the rating beside a forfeit or a bye.
    """
    played = games.rateable()
    result = first_given(games, played)
    if played.height < games.table.height:
        result = np.where(np.isnan(result), first_given(games, games.table), result)
    return {p: float(rating) for p, rating in enumerate(result) if not math.isnan(rating)}


def _square(games: Games, place: dict[int, int]) -> dict[str, dict[int, str]]:
    """Give a column to each opponent; several games against one stand behind one another."""
    cells: dict[str, dict[int, str]] = {str(i): {} for i in range(1, len(place) + 1)}
    for side in sides(games):
        assert side.opponent is not None
        column = cells[str(place[side.opponent])]
        mark = "*" if side.status == "forfeit" else ""
        column[side.player] = column.get(side.player, "") + _share(side.share) + mark
    for player, own in place.items():
        cells[str(own)][player] = "—"
    return cells


def _rounds(games: Games, place: dict[int, int]) -> dict[str, dict[int, str]]:
    """Give a column to each round: the result, the opponent's place, the colour."""
    cells: dict[str, dict[int, str]] = {}
    for player, opponent, colour, share, status, at, *_ in sides(games):
        column = cells.setdefault(f"r{str(at or '?').split('.')[0]}", {})
        if opponent is None:
            text = f"{_share(share)} bye" if share else "–"
        elif status == "forfeit":
            text = f"{'+' if share else '-'}{place[opponent]}"
        else:
            text = f"{_share(share)} {place[opponent]}{colour}"
        column[player] = f"{column[player]}, {text}" if player in column else text
    in_order = sorted(cells, key=lambda name: (int(name[1:]) if name[1:].isdigit() else 10**6, name))
    return {name: cells[name] for name in in_order}


def _share(share: float | None) -> str:
    if share is None:
        return "·"
    return HALVES.get(share, f"{share:g}")


SAME_EVENT_DAYS = 31
"""Days between the first games of two parts of one event, at most."""


def joined_parts(games: Games) -> Games:
    """Return the games with the parts of one event as one event.

    A file may hold one event under two sites, as two halls have it. Parts have the same name, begin within
    a month, share players, and nobody has two games in a round.
    """
    if len(games.events) < 2:
        return games
    count = games.table["event"].value_counts()
    size = dict(zip(count["event"], count["count"], strict=True))
    same: dict[str, list[int]] = defaultdict(list)
    for row, event in enumerate(games.events):
        if row in size:
            same[" ".join(event.name.casefold().split())].append(row)
    into: dict[int, int] = {}
    for rows in same.values():
        main = max(rows, key=lambda r: size[r])
        whole = games.table.filter(pl.col("event") == main)
        for row in sorted(set(rows) - {main}, key=lambda r: -size[r]):
            part = games.table.filter(pl.col("event") == row)
            if _belong_together(whole, part):
                into[row], whole = main, pl.concat([whole, part])
    if not into:
        return games
    left = [row for row in range(len(games.events)) if row not in into]
    place = {row: left.index(into.get(row, row)) for row in range(len(games.events))}
    number = pl.col("event").replace_strict(place, default=None, return_dtype=games.table.schema["event"])
    events = tuple(games.events[row] for row in left)
    return Games(games.table.with_columns(number), games.players, events)


def _belong_together(whole: pl.DataFrame, part: pl.DataFrame) -> bool:
    first, second = whole["date"].min(), part["date"].min()
    if first is None or second is None or abs((first - second).days) > SAME_EVENT_DAYS:  # type: ignore[operator, union-attr]
        return False
    both = pl.concat(
        table.select(round=ROUND, player=side, part=n).drop_nulls()
        for n, table in enumerate((whole, part))
        for side in ("white", "black")
    )
    shared = both.select("player", "part").unique()["player"].is_duplicated().any()
    return bool(shared) and not both.select("round", "player").is_duplicated().any()


# The field of an event: who played, with what rating, title and federation, and every result.


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEntry:
    """One participant with the games that count."""

    row: int
    """The row of `Games.players`."""
    name: str
    rating: float | None = None
    title: str | None = None
    federation: str | None = None
    woman: bool = False
    results: tuple[tuple[int, float], ...] = ()
    """Row of the opponent and own share of the point, game by game."""

    @property
    def games(self) -> int:
        """Games that count."""
        return len(self.results)

    @property
    def score(self) -> float:
        """Points in them."""
        return math.fsum(share for _, share in self.results)

    @property
    def share(self) -> float:
        """Points per game, 0 without games."""
        return self.score / self.games if self.results else 0.0


def field_of(games: Games) -> dict[int, FieldEntry]:
    """Return everybody who has at least one game that was played, by row of the players.

    Forfeits, byes and games without a result count neither for ratings nor for titles [4.41].

    >>> from arpad.model import Games
    >>> field = field_of(Games.build([("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)]))
    >>> [(e.name, e.score, e.games) for e in field.values()]
    [('Ann', 1.5, 2), ('Bob', 0.5, 2)]
    """
    results: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for side in sides(games):
        if side.status == "played" and side.opponent is not None:
            results[side.player].append((side.opponent, side.share or 0.0))
    ratings = known_ratings(games)
    field = {}
    for row in sorted(results):
        player = games.player(row)
        title = (player.title or "").upper() or None
        field[row] = FieldEntry(
            row=row,
            name=player.name,
            rating=ratings.get(row),
            title=title,
            federation=player.federation,
            woman=player.sex == "w" or title == "IWM" or (title or "").startswith("W"),
            results=tuple(results[row]),
        )
    return field


def player_called(text: str, names: Sequence[str | None], ids: Sequence[str | None] = ()) -> int:
    """Return the number of the player called by id, name, or a part of a name that only one has."""
    wanted = text.strip().casefold()
    folded = [(name or "").casefold() for name in names]
    for result in (
        [row for row, own in enumerate(ids) if own and own == text.strip()],
        [row for row, name in enumerate(folded) if name == wanted],
        [row for row, name in enumerate(folded) if wanted and wanted in name],
    ):
        if len(result) == 1:
            return result[0]
        if result:
            some = [f"{names[row]} ({ids[row]})" if ids and ids[row] else str(names[row]) for row in result]
            raise UsageError(
                f"expected one player, found {len(result)} called {text!r}: {', '.join(some[:5])}"
                f"{', …' if len(result) > 5 else ''}; give the id or more of the name"
            )
    raise UsageError(
        f"expected a player of the event, found nobody called {text!r}: give one name as the report writes it"
    )


def without(field: Mapping[int, FieldEntry], rows: Collection[int]) -> dict[int, FieldEntry]:
    """Return the field without some participants and without the games against them."""
    return {
        row: replace(entry, results=tuple(r for r in entry.results if r[0] not in rows))
        for row, entry in field.items()
        if row not in rows
    }


def scoreless(field: Mapping[int, FieldEntry]) -> frozenset[int]:
    """Return the unrated who fail to score, whose games are disregarded [4.41, 4.52, 4.53].

    A player left without a point once those games are gone is one of them, too.
    """
    gone: frozenset[int] = frozenset()
    while True:
        left = without(field, gone)
        more = {row for row, e in left.items() if e.rating is None and not e.score}
        if not more:
            return gone
        gone |= more


def entries_of(field: Mapping[int, FieldEntry], players: Sequence[int] | None) -> list[FieldEntry]:
    """Return the participants in these rows, or all of them, best score first."""
    if players is None:
        return sorted(field.values(), key=lambda e: (-e.score, -(e.rating or 0), e.name))
    for row in players:
        if row not in field:
            raise UsageError(
                f"expected rows of players with games that count, found {row!r}: there are {sorted(field)}"
            )
    return [field[row] for row in players]


def only_women(field: Mapping[int, FieldEntry]) -> bool:
    """Say whether this is an exclusively women's tournament, as far as the file tells."""
    return bool(field) and all(entry.woman for entry in field.values())


# What sort of event the pairings show: match, round robin, Scheveningen, Swiss.

LOWEST, WIDTH = 2250.0, 25.0
"""Category 1 is an average from 2251 to 2275, each further one 25 points more [Elo 4.34]."""
MET = 0.95
"""The share of all pairs that a round robin has at least."""
OFTEN = {1: "round robin", 2: "double round robin", 3: "triple round robin", 4: "quadruple round robin"}


def category(average: float, lowest: float = LOWEST) -> int | None:
    """Return the category of a tournament from its average rating, or None below category 1.

    lowest: The average below category 1, which women's tournaments of 1986 had at 1950.

    >>> category(2748.1), category(2250)
    (20, None)
    """
    above = half_up(average) - lowest
    return int(-(-above // WIDTH)) if above > 0 else None


def kind_of(games: Games) -> str:
    """Return the kind of event that the pairings show; a team event is what the file says [TRF 092]."""
    pairs = _pairs(games)
    players = {p for pair in pairs for p in pair}
    if not pairs:
        return "no games"
    if len(players) == 2:
        return "match"
    said = " ".join(e.kind or "" for e in games.events).casefold()
    if "individual" not in said and ("team" in said or any(e.teams for e in games.events)):
        return "team event"
    if times := _cycles(pairs):
        return OFTEN.get(times, f"{times}-fold round robin")
    met, n, often = len(pairs), len(players), set(pairs.values())
    rounds = len({*games.table["round"].to_list()} - {None})
    kinds = {
        "Scheveningen": len(often) == 1 and 4 * met == n * n and _two_sides(set(pairs)),
        f"{met} matches": 2 * met == n and min(often) > 1,
        "knock-out": max(often) > 1 and "swiss" not in said and is_knock_out(*zip(*pairs, strict=True)),
        "Swiss": rounds > 1,
    }
    return next((kind for kind, so in kinds.items() if so), "other")


def is_knock_out(white: Sequence[int], black: Sequence[int]) -> bool:
    """Say whether the pairings are those of a knock-out: every pairing sends one player home.

    n players then make n − 1 pairs (or n, where third place is played for), and nobody has more than
    log₂ n of them.

    >>> is_knock_out([0, 2, 0, 2], [1, 3, 1, 0]), is_knock_out([0, 0, 1], [1, 2, 2])
    (True, False)
    """
    pairs = {frozenset(pair) for pair in zip(white, black, strict=True)}
    met = Counter(p for pair in pairs for p in pair)
    n = len(met)
    if n < 4 or len(pairs) not in (n - 1, n):
        return False
    most = math.ceil(math.log2(n))
    first = sum(1 for count in met.values() if count == 1)
    return max(met.values()) <= most and first >= n // 2 - 1


def cycles_of(games: Games) -> int:
    """Return how often everybody was paired with everybody, k; 0 where this is no round robin.

    Forfeits are pairings too. Files often leave them out, so that one pair in twenty may be missing;
    a Swiss of M players in M − 2 rounds misses more, up to twenty players. A match is none.
    """
    return _cycles(_pairs(games))


def _pairs(games: Games) -> Counter[frozenset[int]]:
    sides = games.table[["white", "black"]].iter_rows()
    return Counter(frozenset(pair) for pair in sides if None not in pair)


def _cycles(pairs: Counter[frozenset[int]]) -> int:
    M = len({p for pair in pairs for p in pair})
    if M < 3 or len(pairs) < MET * M * (M - 1) / 2:
        return 0
    # Most pairs tell: some may have played off, or replayed their draws, as in London 1883.
    return Counter(pairs.values()).most_common(1)[0][0]


def _two_sides(pairs: set[frozenset[int]]) -> bool:
    """Say whether the players fall into two teams that meet only each other."""
    first = next(iter(next(iter(pairs))))
    met = {p for pair in pairs if first in pair for p in pair if p != first}
    return all(len(met & pair) == 1 for pair in pairs)


# When an event was played: its days, its rounds, how many rounds on one day.


def days_taken(games: Games) -> int | None:
    """Return how many days lie between the first and the last game, both counted; None if unknown."""
    days = _dated(games)["date"]
    return (days.max() - days.min()).days + 1 if len(days) else None  # type: ignore[operator, union-attr]


def last_day(games: Games) -> date | None:
    """Return the day of the last game, or the event's own end; None if neither is known."""
    ends = [e.end for e in games.events if e.end is not None]
    return max([*_dated(games)["date"].to_list(), *ends], default=None)


def round_days(games: Games) -> dict[int, date]:
    """Return the day of each round: that of most of its games, for some are played later."""
    counted = _dated(games).select("date", number=ROUND).drop_nulls().group_by("number", "date").len()
    usual = counted.sort("len", "date", descending=[True, False]).unique(
        "number", keep="first", maintain_order=True
    )
    return dict(usual.sort("number").select("number", "date").iter_rows())


def rounds_of(games: Games) -> int:
    """Return the number of rounds: as the event has it, as numbered, or as many as anybody played."""
    stated = max((e.rounds or 0 for e in games.events), default=0)
    numbered = games.table.select(ROUND.max()).item() or 0
    busiest = Counter(side.player for side in sides(games))
    return max(stated, numbered, max(busiest.values(), default=0))


def _dated(games: Games) -> pl.DataFrame:
    """Return the games that were played on a day that is known."""
    exact = pl.col("precision").fill_null("day") == "day"
    return games.table.filter((pl.col("status") == "played") & exact & pl.col("date").is_not_null())


# The FIDE category of every event among some games, from the average rating of its players.

RATED = 0.8
"""The share of an event's players that must have ratings: FIDE's events had at most a fifth unrated [Elo 4.53]."""
CATEGORIES = schema(
    {
        "event": pl.Int32,  # row of `games.events`; null: the games without an event
        "players": pl.Int64,  # who played
        "rated": pl.Int64,  # those of them whose rating is known
        "average": pl.Float64,  # null: fewer than `RATED` of the players have ratings
        "category": pl.Int32,  # null: no average, or below 2251
    }
)


def event_categories(games: Games) -> pl.DataFrame:
    """Return a row an event: its players, their average rating, its category.

    A player's rating is the one beside the first game in the event, else the player's own. Who did not play does
    not count.

    >>> from arpad.model import Games
    >>> columns = {"white": [0], "black": [1], "score": [0.5], "white_rating": [2610.0], "black_rating": [2600.0]}
    >>> event_categories(Games.assemble(columns, {"name": ["A", "B"]})).row(0)
    (None, 2, 2, 2605.0, 15)
    """
    played = games.table.filter(pl.col("status").is_in(ON_THE_BOARD))
    seats = [played.select("event", player=side, rating=f"{side}_rating") for side in ("white", "black")]
    own = games.players.select(player=pl.int_range(pl.len(), dtype=pl.Int32), own="rating")
    people = (
        pl.concat(seats)
        .filter(pl.col("player").is_not_null())
        .group_by("event", "player", maintain_order=True)
        .agg(pl.col("rating").drop_nulls().first())
        .join(own, on="player", how="left", maintain_order="left")
        .with_columns(pl.coalesce("rating", "own"))
    )
    result = people.group_by("event", maintain_order=True).agg(
        players=pl.len(), rated=pl.col("rating").count(), average=pl.col("rating").sort().mean()
    )
    enough = pl.col("rated") >= RATED * pl.col("players")
    result = result.with_columns(average=pl.when(enough).then("average"))
    numbers = [None if a is None else category(a) for a in result["average"]]
    return result.with_columns(category=pl.Series(numbers, dtype=pl.Int32)).select(
        pl.col(name).cast(kind) for name, kind in CATEGORIES.items()
    )


def event_kinds(games: Games) -> dict[int | None, str]:
    """Return what sort of event the pairings of each show: match, round robin, Swiss, …."""
    table = games.table.filter(pl.col("status").is_in(ON_THE_BOARD))
    return {
        key[0]: kind_of(type(games)(mine, games.players, games.events))
        for key, mine in table.group_by(["event"], maintain_order=True)
    }
