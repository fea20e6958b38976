"""What sort of event many groups of games are, all at once, and how much of each there is."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

KINDS = ("match", "round robin", "tournament", "knock-out", "team event", "one player's games", "incomplete")
"""What an event can be.

match               two players;
round robin         nineteen pairs in twenty met, or more;
knock-out           who lost is out: as many pairs as players, or one less, and mini-matches;
team event          so its name says;
one player's games  one stands in every game, and the others hardly in any other;
tournament          anything else of which most games are there: a Swiss, a round robin with gaps;
incomplete          anything else.
"""
MET = 0.95
"""The share of all pairs that a round robin has at least."""
WHOLE = 0.6
"""Coverage from which an event counts as whole. Ours: withdrawals and byes cost a Swiss a tenth, a
collection of some players' games has less than half."""
MINI_MATCH = 1.5
"""Games a pair, on average, from which a tree of pairs is a knock-out."""
SPARE = 1.05
"""Pairs a player that a knock-out has at most: n − 1, a play-off for third place, and names spelled twice."""
TEAMS = (
    r"\bolm?\b|olympiad|\bteams?\b|\bt?ch-?t\b|-chT|\bTCh|bundesliga|\bleague|\bliga\b|\bECC|\bIECC|\bEuTCh|"
    r"club cup|clubs?\b|mitropa|4NCL|nationenturnier|\bEU-Cup|\bEUR?-ch[tT]|chT\b|\bEuroTeam"
)
"""Names of events that teams played."""
FAST_DAY = 2.0
"""Games that a player has on a day he plays, on average, beyond which an event was fast play. Ours."""
KNOCKOUT = re.compile(r"\bk\.?\s?o\.?(\b|$)|knock", re.IGNORECASE)


def kinds_of(
    table: pl.DataFrame, titles: list[str], *, split: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the games and, for each `group`, `kind`, `players`, `coverage`, `longest` and `fast`.

    `coverage` is the mean number of a player's games over the most that anybody has, `longest`; `fast` says
    that, where several days are known, players had more than two games a day. With
    `split` each pair of a knock-out becomes a group of its own, and the games say so.
    """
    kinds = _kinds(table, titles)
    if not split or "knock-out" not in kinds["kind"]:
        return table, kinds
    knocked = table["group"].is_in(kinds.filter(pl.col("kind") == "knock-out")["group"].implode())
    pair = pl.struct(
        "group",
        pl.when(knocked).then(pl.min_horizontal("white", "black")).alias("a"),
        pl.when(knocked).then(pl.max_horizontal("white", "black")).alias("b"),
    )
    table = table.with_columns(pair.rank("dense").cast(pl.Int64).alias("group"))
    return table, _kinds(table, titles)


def _kinds(table: pl.DataFrame, titles: list[str]) -> pl.DataFrame:
    sides = pl.concat(
        table.select("group", pl.col(side).alias("player"), pl.col(other).alias("opponent"))
        for side, other in (("white", "black"), ("black", "white"))
    )
    people = sides.group_by("group", "player").agg(
        pl.len().alias("n"), pl.col("opponent").n_unique().alias("met")
    )
    facts = (
        people.group_by("group")
        .agg(
            pl.len().cast(pl.Int64).alias("players"),
            pl.col("n").sum().alias("sum"),
            pl.col("n").max().cast(pl.Int64).alias("longest"),
            pl.col("met").sum().alias("met"),
        )
        .join(table.group_by("group").agg(pl.col("event").first()), on="group")
        .join(_per_day(table), on="group")
        .sort("group")
    )
    team = np.array([bool(re.search(TEAMS, t, re.IGNORECASE)) for t in [*titles, ""]])
    out = np.array([bool(KNOCKOUT.search(t)) for t in [*titles, ""]])
    at = facts["event"].fill_null(len(titles)).to_numpy()
    n, games, pairs = pl.col("players"), pl.col("sum") / 2, pl.col("met") / 2
    coverage = pl.col("sum") / (n * pl.col("longest"))
    tree = (pairs <= SPARE * n) & (games >= MINI_MATCH * pairs) & (coverage < WHOLE)
    return facts.with_columns(pl.Series("team", team[at]), pl.Series("out", out[at])).select(
        "group",
        pl.when(n == 2)
        .then(pl.lit("match"))
        .when(games == pl.col("longest"))
        .then(pl.lit("one player's games"))
        .when(pl.col("team"))
        .then(pl.lit("team event"))
        .when((n >= 4) & (pl.col("out") | tree))
        .then(pl.lit("knock-out"))
        .when(pairs >= MET * n * (n - 1) / 2)
        .then(pl.lit("round robin"))
        .when(coverage >= WHOLE)
        .then(pl.lit("tournament"))
        .otherwise(pl.lit("incomplete"))
        .alias("kind"),
        "players",
        coverage.alias("coverage"),
        "longest",
        (pl.col("day") > FAST_DAY).alias("fast"),
    )


def _per_day(table: pl.DataFrame) -> pl.DataFrame:
    """Return the mean number of a player's games on a day, 0 where days are not known.

    One day for all games is the event's, not the games'.
    """
    days = (
        pl.concat(
            table.select("group", pl.col(side).alias("player"), "date", "exact")
            for side in ("white", "black")
        )
        .group_by("group", "player", "date")
        .agg(pl.len(), pl.col("exact").all())
    )
    return days.group_by("group").agg(
        pl.when(pl.col("exact").all() & (pl.col("date").n_unique() > 1))
        .then(pl.col("len").mean())
        .otherwise(0.0)
        .alias("day")
    )
