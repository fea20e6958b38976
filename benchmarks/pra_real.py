"""PRA beside Elo and Glicko-2 on real games, for docs/methods/pra.md; run by hand, a few minutes.

    python -m benchmarks.pra_real ../shared/data

Each system walks through the games month by month: it predicts a month from the ratings before it, then
rates it. Scores are of games in which both players have had at least N games before. The scale is fitted, one
parameter a system, to the games before the day from which on games are scored.
"""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from arpad.lab.metrics import PredictedGames, side_by_side
from arpad.lab.walk import walk
from arpad.model import Games
from arpad.rate.registry import system
from arpad.scale import Logistic

LEAST = 20
"""Earlier games of both players."""

SYSTEMS = {
    "Elo, K = 20": ("elo", {"k": 20}),
    "Elo, K = 10": ("elo", {"k": 10}),
    "Glicko-2": ("glicko2", {}),
    "PRA": ("pra", {}),
    "PRA, Basic alone": ("pra-basic", {}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Games, whether the ratings given with them are used, and the day from which on games are scored."""

    name: str
    games: Games
    given: bool
    since: dt.date


def kaggle(folder: Path) -> Games:
    """Kaggle's contest of 2010: 95 months, players are numbers."""
    table = pl.read_csv(folder / "kaggle_2010/training_data.csv.gz")
    table.columns = ["month", "white", "black", "score"]
    months = pl.date(1999 + (pl.col("month") + 11) // 12, (pl.col("month") - 1) % 12 + 1, 1)
    return _games(table.with_columns(months.alias("date")), rated=False)


def twic(folder: Path) -> Games:
    """The Week in Chess, October 2010 to 2016, by FIDE id: games of two rated players, none fast or online."""
    table = pl.read_parquet(folder / "twic_results/results_2010_2016_fideid.parquet")
    renamed = table.filter(~pl.col("fast_or_online")).drop("white", "black").rename(
        {
            "white_fide_id": "white", "black_fide_id": "black", "white_elo": "white_rating", "black_elo": "black_rating",
        }
    )  # fmt: skip
    return _games(
        renamed.drop_nulls(["white", "black", "date", "score", "white_rating", "black_rating"]), rated=True
    )


def _games(table: pl.DataFrame, *, rated: bool) -> Games:
    ids = pl.concat([table["white"], table["black"]]).unique().sort()
    number = {who: row for row, who in enumerate(ids)}
    columns = {side: table[side].replace_strict(number, return_dtype=pl.Int32) for side in ("white", "black")}
    columns |= {"score": table["score"], "date": table["date"]}
    if rated:
        columns |= {name: table[name] for name in ("white_rating", "black_rating")}
    return Games.assemble(columns, {"name": ids.cast(pl.String)})


def scored(case: Case) -> tuple[list[PredictedGames], list[PredictedGames]]:
    """Return what each system predicted, by its own curve and by a fitted scale."""
    own, fitted = [], []
    for name, options in SYSTEMS.values():
        found = walk(system(name, given=case.given, **options), case.games).where(least_games=LEAST)
        own.append(found.where(since=case.since))
        fitted.append(found.fitted(case.since))
    return own, fitted


def published(case: Case) -> PredictedGames:
    """Return what the ratings that FIDE published for these very games predict: a yardstick."""
    found = walk(system("elo"), case.games)
    order = case.games.rateable()
    D = order["white_rating"] - order["black_rating"]
    expected = pl.Series("expected", Logistic().expected(D.to_numpy()))
    rows = found.rows.with_columns(D.alias("difference"), expected)
    return replace(found, rows=rows).where(least_games=LEAST)


def main(folder: Path) -> None:
    """Print the tables of the page."""
    contest, week = kaggle(folder), twic(folder)
    cases = [
        Case(name="Kaggle 2010", games=contest, given=False, since=dt.date(2004, 1, 1)),
        Case(name="TWIC, all from 1500", games=week, given=False, since=dt.date(2014, 1, 1)),
        Case(name="TWIC, from first Elo", games=week, given=True, since=dt.date(2014, 1, 1)),
    ]
    print("| games | system | log loss | Brier | scale fitted | log loss | less than Elo, K = 20 |")
    print("|---|---|---|---|---|---|---|")
    for case in cases:
        own, fitted = scored(case)
        names = list(SYSTEMS)
        if case.given:
            yardstick = published(case)
            own.append(yardstick.where(since=case.since))
            fitted.append(yardstick.fitted(case.since))
            names.append("FIDE's own, at the game")
        rows = zip(side_by_side(own, names).to_dicts(), side_by_side(fitted, names).to_dicts(), strict=True)
        for one, other in rows:
            print(
                f"| {case.name}: {one['games']:,} | {one['system']} | {one['log_loss']:.4f} ± {one['log_loss_error']:.4f} | "
                f"{one['brier']:.4f} | {other['curve']} | {other['log_loss']:.4f} | "
                f"{other['difference']:+.4f} ± {other['difference_error']:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data"))
