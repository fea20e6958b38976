"""All of chess history on one scale: best five-year averages, lifetime curves, ages [Elo 5.4]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Result, columns, ranked
from arpad.pool.half_decades import (
    Crosstables,
    HistoricMatch,
    Linking,
    MatchPlay,
    MatchPredictions,
    Periods,
    find_level,
    link_periods,
    match_play,
    predict_matches,
    solve_periods,
    with_kind,
)
from arpad.pool.lifetime import LEVELS, Averages, Lifetime, ages_at, development, smooth_curve
from arpad.pool.persons import EVENTS, Directory, join_names, serious_games
from arpad.read.reading import games_from
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arpad.read.reading import GamesLike


SURE = 100.0
"""Points, half a class interval: a best average with a larger error of its own is not listed."""


@dataclass(frozen=True, slots=True)
class TopAverage:
    """The average of the best of a year, with the error of its level and of chance [5.73]."""

    year: int
    first: int
    last: int
    players: int
    rating: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Result):
    """Ratings of every player in every period, at one level.

    Attributes
    ----------
    ratings
        A row a player a period: `player`, `period`, `first`, `last`, `year` (mean of the games),
        `rating`, `error` (of `own_error` and `level_error`), `games`, `published`.
    periods
        `first`, `last`, `players`, `games`, `left_out`, `level` (null where nothing links the
        period), `level_error`, `links` (players in it and in another).
    lives
        The lifetime curve of each player.
    births
        Year of birth by player, where known.
    joined, doubtful
        Names that were joined, and short names that fit several people.
    results
        The games that count: `year`, `white`, `black`, `score`, and `kind`: match, tournament or null.
    """

    ratings: pl.DataFrame
    periods: pl.DataFrame
    lives: Mapping[str, Lifetime]
    births: Mapping[str, float]
    joined: pl.DataFrame
    doubtful: tuple[str, ...]
    spelled: Mapping[str, str]
    parameters: Mapping[str, Any]
    source: Mapping[str, Any]
    results: pl.DataFrame = field(repr=False)

    def find(self, asked: str) -> str:
        """Return the player with this name; a surname alone means its most active player."""
        games = [int(life.games.sum()) for life in self.lives.values()]
        result = Directory.of(list(self.lives), games, self.spelled).find(asked)
        if result is None:
            raise UsageError(
                f"expected a player in a crosstable, found {asked!r}: is the name right, and are there enough games?"
            )
        return result

    def table(self, top: int | None = None) -> pl.DataFrame:
        """Return best averages, best first.

        `rank`, `player`, `rating`, `error`, `games`, `first`, `last`; the highest point of the smoothed
        curve, `peak`, `peak_error`, `peak_year`; `age` in the middle of the best years, where the birth
        is known. Who has too few games, or too large an error, is not in it.
        """
        window, enough = int(self.parameters["window"]), int(self.parameters["enough"])
        rows = []
        for name, life in self.lives.items():
            best = life.best(window, enough)
            if best is None or best.own_error > SURE:
                continue
            year, peak, peak_error = life.peak()
            born = self.births.get(name)
            age = None if born is None else (best.first + best.last + 1) / 2 - born
            average = (best.rating, best.error, best.games, best.first, best.last)
            rows.append((name, *average, peak, peak_error, year, age))
        result = ranked(pl.DataFrame(rows, schema=_BEST, orient="row"))
        return result if top is None else result.head(top)

    def lifetime(self, player: str) -> pl.DataFrame:
        """Return a player's smoothed curve: `year`, `rating`, `error`, `games` [5.51, 5.52]."""
        return self.lives[self.find(player)].frame()

    def top(self, year: int, n: int = 20) -> pl.DataFrame:
        """Return the best of the period around a year: `rank`, `player`, `rating`, `error`, `games`.

        A rating is the average of the player's curve over the years of the period, and the best have the
        highest rating less its own error: eleven lucky games make nobody the first of 1935.
        """
        return self._best_of(self._period(year), n).drop("own_error")

    def _best_of(self, period: Mapping[str, Any], n: int) -> pl.DataFrame:
        """Return the best of a period, with their own errors."""
        here = self.ratings.filter(
            (pl.col("period") == period["period"]) & (pl.col("games") >= self.parameters["fewest_games"])
        )
        first, last = period["first"], period["last"]
        result = [(name, self.lives[name].over(first, last)) for name in here["player"]]
        rows = [
            {"player": name, "rating": b.rating, "error": b.error, "games": b.games, "own_error": b.own_error}
            for name, b in result
            if b is not None
        ]
        best = sorted(rows, key=lambda r: r["own_error"] - r["rating"])[:n]
        return pl.DataFrame(
            [{"rank": i, **r, "first": first, "last": last} for i, r in enumerate(best, 1)], schema=_TOP
        )

    def top_average(self, year: int, n: int = 20) -> TopAverage:
        """Return the average of the best of a year [5.73]."""
        period = self._period(year)
        best = self._best_of(period, n)
        level = float(period["level_error"])
        error = math.sqrt(float((best["own_error"] ** 2).sum()) / best.height**2 + level**2)
        mean = float(best["rating"].mean())  # type: ignore[arg-type]
        return TopAverage(year, period["first"], period["last"], best.height, mean, error)

    def performances(self, player: str, *, least: int = 5) -> pl.DataFrame:
        """Return the performance of each year with enough games, against opponents on their curves: the dots of 6.52.

        `year`, `games`, `rating`: R_c + D_p by the history's curve; years without a loss or without a point have none.
        """
        name = self.find(player)
        mine = self.results.filter((pl.col("white") == name) | (pl.col("black") == name))
        white = pl.col("white") == name
        sides = mine.select(
            "year",
            opponent=pl.when(white).then("black").otherwise("white"),
            points=pl.when(white).then("score").otherwise(1 - pl.col("score")),
        )
        lives = [self.lives.get(o) for o in sides["opponent"]]
        ratings = [
            None if life is None else life.near(y) for life, y in zip(lives, sides["year"], strict=True)
        ]
        yearly = sides.with_columns(pl.Series("R", ratings, dtype=pl.Float64)).drop_nulls("R")
        sums = (
            yearly.group_by("year")
            .agg(pl.len().alias("games"), pl.col("R").mean(), pl.col("points").mean())
            .sort("year")
        )
        inner = sums.filter((pl.col("games") >= least) & pl.col("points").is_between(0, 1, closed="none"))
        D = Logistic().difference(inner["points"].to_numpy())
        return inner.select("year", "games", rating=pl.col("R") + pl.Series(D))

    def crosstable(self, year: int, n: int = 20) -> pl.DataFrame:
        """Return the crosstable of the best players of the half decade around a year [3.43, 5.43].

        `rank`, `player`, `rating` (the period's own, as solved from its crosstable), `score` and `games` against everybody
        in the period, then a column for each of the best: points/games, empty where two did not meet.
        """
        period = self._period(year)
        best = (
            self.ratings.filter(pl.col("period") == period["period"]).sort("rating", descending=True).head(n)
        )
        names = best["player"].to_list()
        here = self.results.filter(pl.col("year").is_between(period["first"], period["last"]))
        sides = pl.concat(
            [
                here.select(player="white", opponent="black", points="score"),
                here.select(player="black", opponent="white", points=1 - pl.col("score")),
            ]
        ).filter(pl.col("player").is_in(names))
        sums = sides.group_by("player").agg(pl.col("points").sum())
        met = sides.group_by("player", "opponent").agg(pl.col("points").sum(), pl.len().alias("games"))
        cells = {(p, o): f"{w:g}/{g}" for p, o, w, g in met.iter_rows()}
        table = best.select(
            pl.Series("rank", range(1, best.height + 1)), "player", "rating", "error", "games"
        ).join(sums, on="player", how="left", maintain_order="left")
        return table.with_columns(
            pl.Series(str(i), ["—" if p == o else cells.get((p, o)) for p in names], dtype=pl.String)
            for i, o in enumerate(names, 1)
        )

    def matches(self, wanted: Sequence[HistoricMatch]) -> MatchPredictions:
        """Predict matches from the lifetime curves [5.55]."""
        return predict_matches(self, wanted)

    def match_play(self, **least: int) -> MatchPlay:
        """Compare how players did in matches and in tournaments [5.62]."""
        return match_play(self, **least)

    def _period(self, year: int) -> dict[str, Any]:
        linked = self.periods.filter(pl.col("level").is_not_null())
        around = linked.filter(pl.lit(year).is_between(pl.col("first"), pl.col("last")))
        if around.is_empty():
            low, high = linked["first"][0], linked["last"][-1]
            raise UsageError(f"expected a year from {low} to {high} with a crosstable, found {year}")
        off = ((around["first"] + around["last"]) / 2 - year).abs()
        return around.row(int(off.arg_min() or 0), named=True)

    def development(self) -> pl.DataFrame:
        """Return strength by age, points above age 21, fitted with players and periods at once [5.67, 6.2]."""
        return development(self.ratings, self.births)

    def ages_at(self, levels: Sequence[float] = LEVELS) -> pl.DataFrame:
        """Return at what age, on average, levels were reached [6.42]."""
        curves = {name: life.frame() for name, life in self.lives.items() if name in self.births}
        return ages_at(curves, self.births, levels)

    def best(self, top: int | None = None, players: Sequence[str] = ()) -> pl.DataFrame:
        """Return the best averages of some players, else the `top` best."""
        table = self.table()
        return table.filter(table["player"].is_in(players)) if players else table.head(top or table.height)

    def to_dict(
        self,
        *,
        top: int | None = None,
        players: Sequence[str] = (),
        years: Sequence[int] = (),
        ages: bool = False,
    ) -> dict[str, Any]:
        """Return the periods and the best averages; lifetimes of players, the best of years, and ages."""

        def best_of(year: int) -> dict[str, Any]:
            average = self.top_average(year, top or 20)
            rows = self.top(year, top or 20).to_dicts()
            return {"year": year, "average": average.rating, "error": average.error, "players": rows}

        return {
            "parameters": dict(self.parameters),
            "source": dict(self.source),
            "periods": self.periods.to_dicts(),
            "best": self.best(top, players).to_dicts(),
            "years": [best_of(year) for year in years],
            "lives": {name: self.lifetime(name).to_dicts() for name in players},
            "births": dict(self.births),
            "joined": self.joined.to_dicts(),
            "doubtful": list(self.doubtful),
            "development": self.development().to_dicts() if ages else [],
            "ages": self.ages_at().to_dicts() if ages else [],
        }

    def summary(self) -> str:
        """Return one sentence on the games and the method."""
        linked = self.periods.filter(pl.col("level").is_not_null())
        left = sum(self.source["left_out"].values())
        p = self.parameters
        return (
            f"history: {self.source['games']:,} games in {linked.height} linked periods {linked['first'][0]}–"
            f"{linked['last'][-1]}, {self.ratings['player'].n_unique():,} players (window {p['window']}, step {p['step']}, "
            f"ageing {p['ageing']}, level from {p['level']}); left out: {left:,} games; births known: "
            f"{len(self.births):,}; names joined: {self.joined.height:,}"
        )


_TOP = columns("rank:int player:str rating:float error:float games:int own_error:float first:int last:int")
_BEST = columns(
    "player:str rating:float error:float games:int first:int last:int peak:float peak_error:float "
    "peak_year:int age:float"
)


# How a history is made: five-year crosstables, linked, at one level [Elo 5.4].

ENOUGH = 20
"""Games in a period from which an average counts as a player's best. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySystem:
    """Settings of a history.

    Parameters
    ----------
    periods, linking
        Length of the periods, and the assumption about players who are in several periods.
    anchors
        Best five-year averages by name, right on average; without them the level is that of the
        published ratings in the source, within `anchor_years` if given.
    births
        Year of birth by name.
    spelled
        Other spellings of names, which no rule can find.
    guess
        Join names that look like one person.
    events
        Pattern of events that are left out.
    enough
        Games that a best average needs.
    """

    periods: Periods = field(default_factory=Periods)
    linking: Linking = field(default_factory=Linking)
    anchors: Mapping[str, float] = field(default_factory=dict)
    anchor_years: tuple[int, int] | None = None
    births: Mapping[str, float] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)
    guess: bool = True
    events: str = EVENTS
    enough: int = ENOUGH
    curve: Curve = field(default_factory=Logistic)

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        cut, link = self.periods, self.linking
        names = ("window", "step", "fewest_players", "fewest_games", "longest")
        return {
            **{name: getattr(cut, name) for name in names},
            "enough": self.enough,
            "ageing": link.ageing,
            "plateau": [link.youngest, link.oldest],
            "anchors": len(self.anchors),
            "anchor_years": list(self.anchor_years) if self.anchor_years else None,
            "joined_names": self.guess,
            "left_out": self.events,
            **self.curve.parameters(),
        }

    def study(self, games: GamesLike) -> History:
        """Solve every period, link them, and set the level."""
        games = games_from(games)
        persons = join_names(games, given=self.spelled, guess=self.guess)
        table, left = serious_games(games, events=self.events)
        table = table.with_columns(
            *(pl.Series(side, persons.row[table[side].to_numpy()]) for side in ("white", "black"))
        )
        same = table["white"] == table["black"]
        left["one person"] = int(same.sum())
        table = table.filter(~same)
        if left["no year"] and table.is_empty():
            raise InputError(f"expected games with a year, found none in {left['no year']:,} games")
        names = games.players["name"].to_list()
        tables = solve_periods(table, len(names), self.periods, curve=self.curve)
        if tables.periods.is_empty():
            cut = self.periods
            raise InputError(
                f"expected a period of {cut.window} to {cut.longest} years with {cut.fewest_players} players of "
                f"{cut.fewest_games} games against each other, found none in {table.height:,} games with a year: "
                "ask for fewer players or games"
            )
        by_row = _yearly(table)
        births, birth, first = self._births(names, by_row)
        link = link_periods(tables, self.linking, birth=birth, first=first)
        rows = _rows(tables, by_row, names, link.effects)
        yearly = by_row.with_columns(games.players["name"].gather(by_row["player"]).alias("player"))
        named = self._anchors(rows, births)
        best = self._best(rows, yearly, named)
        level = find_level(rows, best, link, years=self.anchor_years)
        ratings = rows.with_columns(
            pl.col("rating") + level.added, pl.Series("level_error", level.errors[rows["period"].to_numpy()])
        ).with_columns((pl.col("own_error") ** 2 + pl.col("level_error") ** 2).sqrt().alias("error"))
        periods = tables.periods.with_columns(
            pl.Series("level", level.added - link.effects).fill_nan(None),
            pl.Series("level_error", np.where(np.isnan(link.effects), np.nan, level.errors)).fill_nan(None),
            pl.Series("links", link.links),
        )
        lives = dict(_lives(ratings, yearly, self.periods.overlap))
        known = {name: births[name] for name in lives if name in births}
        source = {"games": table.height, "left_out": left, "fingerprint": games.fingerprint()}
        return History(
            ratings=ratings,
            periods=periods,
            lives=lives,
            births=known,
            joined=persons.joined,
            doubtful=persons.doubtful,
            spelled=self.spelled,
            parameters={**self.parameters(), "level": level.basis},
            source=source,
            results=with_kind(table).select(
                "year",
                "kind",
                *(games.players["name"].gather(table[side]).alias(side) for side in ("white", "black")),
                "score",
            ),
        )

    def _births(self, names: list[str], yearly: pl.DataFrame) -> tuple[dict[str, float], Any, Any]:
        people = yearly.group_by("player").agg(
            # One game under a wrong year makes nobody older.
            pl.col("year")
            .sort()
            .repeat_by(pl.col("games").sort_by("year"))
            .explode()
            .quantile(0.02)
            .alias("first"),
            pl.col("games").sum(),
        )
        mine = [names[i] for i in people["player"]]
        directory = Directory.of(mine, people["games"].to_list(), self.spelled)
        births = directory.births(self.births, people["first"].to_list())
        birth, first = np.full(len(names), np.nan), np.full(len(names), np.nan)
        first[people["player"].to_numpy()] = people["first"].to_numpy()
        birth[people["player"].to_numpy()] = [births.get(name, np.nan) for name in mine]
        return births, birth, first

    def _best(self, rows: pl.DataFrame, yearly: pl.DataFrame, named: Mapping[str, float]) -> pl.DataFrame:
        """Return the anchors with a best average: `period`, `rating`, `given`."""
        mine = rows.filter(pl.col("player").is_in(list(named))).with_columns(pl.lit(0.0).alias("level_error"))
        spans = rows.select("period", "first", "last").unique().sort("period")
        result = []
        for name, life in _lives(mine, yearly, self.periods.overlap):
            best = life.best(self.periods.window, self.enough)
            if best is not None:
                off = ((spans["first"] + spans["last"]) - (best.first + best.last)).abs()
                period = spans["period"][int(off.arg_min() or 0)]
                result.append({"period": period, "rating": best.rating, "given": named[name]})
        if named and not result:
            some = ", ".join(map(repr, list(named)[:3]))
            raise UsageError(
                f"expected an anchor with {self.enough} games in its best years, found none ({some})"
            )
        return pl.DataFrame(result, schema={"period": pl.Int64, "rating": pl.Float64, "given": pl.Float64})

    def _anchors(self, rows: pl.DataFrame, births: Mapping[str, float]) -> dict[str, float]:
        people = rows.group_by("player").agg(pl.col("games").sum()).sort("player")
        directory = Directory.of(people["player"].to_list(), people["games"].to_list(), self.spelled)
        # An anchor whose year of birth is given is the player who got it, or nobody here.
        result = {
            name: rating
            for asked, rating in self.anchors.items()
            if (name := directory.find(asked)) is not None
            and self.births.get(asked, births.get(name)) == births.get(name)
        }
        if self.anchors and not result:
            some = ", ".join(map(repr, list(self.anchors)[:3]))
            raise UsageError(f"expected an anchor in a crosstable, found none ({some})")
        return result


def _yearly(table: pl.DataFrame) -> pl.DataFrame:
    """Return games and mean published rating of each player in each year."""
    sides = pl.concat(
        table.select(
            pl.col(side).cast(pl.Int64).alias("player"),
            pl.col("year").cast(pl.Int64),
            pl.col(f"{side}_rating").alias("published"),
        )
        for side in ("white", "black")
    )
    together = sides.group_by("player", "year").agg(
        pl.len().cast(pl.Int64).alias("games"), pl.col("published").mean()
    )
    return together.sort("player", "year")


def _rows(tables: Crosstables, yearly: pl.DataFrame, names: list[str], effects: Any) -> pl.DataFrame:
    """Return a row a player a period, at one level, with the mean year and published rating."""
    rows = tables.rows.join(tables.periods.select("period", "first", "last"), on="period")
    spans = rows.select("period", "player", "first", "last").join(yearly.rename({"games": "n"}), on="player")
    spans = spans.filter(pl.col("year").is_between(pl.col("first"), pl.col("last")))
    rated = pl.col("n").filter(pl.col("published").is_not_null())
    means = spans.group_by("period", "player").agg(
        ((pl.col("year") * pl.col("n")).sum() / pl.col("n").sum()).alias("year"),
        pl.when(rated.sum() > 0)
        .then((pl.col("published") * pl.col("n")).sum() / rated.sum())
        .alias("published"),
    )
    rows = rows.join(means, on=["period", "player"], maintain_order="left")
    return rows.with_columns(
        pl.Series("player", [names[i] for i in rows["player"]], dtype=pl.String),
        (pl.col("rating") - pl.Series(effects[rows["period"].to_numpy()])).alias("rating"),
        pl.col("error").alias("own_error"),
    ).filter(pl.col("rating").is_not_nan())


def _lives(rows: pl.DataFrame, yearly: pl.DataFrame, overlap: float) -> Iterator[tuple[str, Lifetime]]:
    if rows.is_empty():
        return
    columns = ("first", "last", "rating", "own_error", "level_error")
    games = yearly.filter(pl.col("player").is_in(rows["player"].unique().implode())).sort("player", "year")
    rows = rows.sort("player", "period")
    names, starts = np.unique(rows["player"].to_numpy(), return_index=True)
    people, begins = np.unique(games["player"].to_numpy(), return_index=True)
    begin = dict(zip(people, np.split(np.arange(games.height), begins[1:]), strict=True))
    values = [rows[c].to_numpy() for c in columns]
    years, played = games["year"].to_numpy(), games["games"].to_numpy()
    for name, part in zip(names, np.split(np.arange(rows.height), starts[1:]), strict=True):
        own = begin[name]
        yield (
            str(name),
            smooth_curve(Averages(*(v[part] for v in values)), years[own], played[own], overlap=overlap),
        )
