"""The study behind `arpad strength`: choose games, let the engine look, fit, and measure on games that were not used.

    python benchmarks/strength_study.py pick ../shared/data WORK
    python benchmarks/strength_study.py look WORK [--hours 1]
    python benchmarks/strength_study.py fit WORK src/arpad/moves/strength/calibration.json
    python benchmarks/strength_study.py measure WORK CALIBRATION
    python benchmarks/strength_study.py ship WORK CALIBRATION

WORK is a folder; `look` goes on where it was stopped. Test games are of 2015–16 where the data have such games with
ratings of the kind, else the latest there are; nobody rated below 2500 plays in two of the three parts.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import subprocess
import time
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arpad.moves.accuracy import move_accuracy, win_percent
from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.gain import position_values
from arpad.moves.positions import positions
from arpad.moves.strength.engine_values import (
    FIRST_PLY,
    LAST_PLY,
    NODES,
    EngineSource,
    engine_moves,
    read_values,
)
from arpad.moves.strength.features import (
    CHANCE_SHAPE,
    LOSS_SHAPE,
    SIGHT_SHAPE,
    chance_evidence,
    chance_features,
    chance_outcome,
    engine_evidence,
    loss_features,
    loss_outcome,
    sight_features,
    sight_outcome,
    valued_moves,
)
from arpad.moves.strength.outcome_model import OutcomeModel, fit_outcomes
from arpad.moves.strength.posterior import GRID, STEP, GameEffect, Prior, combine
from arpad.moves.strength.shipped import StrengthCalibration, read_calibration

Floats = NDArray[np.float64]

BUCKETS = range(1400, 2800, 100)
SIZES = {"train": 120, "validate": 20, "test": 24}
ROUND = ("train", "train", "validate", "train", "test")
RIDGE = 40.0
FOLDS = 3
FIELD = (1500, 2750)
SETS = (1, 5, 10, 20)


# -- choosing games ----------------------------------------------------------------------------------------


def pick(data: Path, work: Path) -> None:
    """Write games.pgn and games.csv: stratified by the lower rating, in the order in which they are looked at."""
    rated = _read(data / "rated_games/twic_2008_2016_balanced.pgn.zst", "r")
    low = _read(data / "regan_training/twic_2010_2016_low_elo_pm10.pgn.zst", "l")
    rng = random.Random(20)
    used: set[str] = set()
    parts: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for what in ("test", "validate", "train"):
        parts[what] = {}
        for bucket in BUCKETS:
            kind, years = _years(bucket, what)
            games = rated if kind == "r" else low
            fit = [
                g
                for g in games
                if g["bucket"] == bucket and g["year"] in years and (bucket >= 2500 or not g["people"] & used)
            ]
            rng.shuffle(fit)
            parts[what][bucket] = fit[: SIZES[what]]
        used |= {p for b, gs in parts[what].items() if b < 2500 for g in gs for p in g["people"]}
    work.mkdir(parents=True, exist_ok=True)
    taken = dict.fromkeys(parts, 0)
    with (work / "games.pgn").open("w") as pgn, (work / "games.csv").open("w") as index:
        rows = csv.writer(index)
        rows.writerow(["id", "split", "year", "bucket", "white_elo", "black_elo"])
        for _ in range(max(SIZES.values())):
            for what in ROUND:
                for bucket in BUCKETS:
                    for game in parts[what][bucket][taken[what] : taken[what] + 1]:
                        rows.writerow([game["id"], what, game["year"], bucket, *game["elo"]])
                        text = re.sub(r'\[Round "[^"]*"\]', f'[Round "{game["id"]}"]', game["pgn"])
                        pgn.write(text.strip() + "\n\n")
                taken[what] += 1


def _years(bucket: int, what: str) -> tuple[str, set[int]]:
    """Return the source and the years of a part: the data have no late games between 2100 and 2500."""
    middle = 1800 <= bucket <= 2100
    if what == "test":
        return (
            ("l", {2015, 2016})
            if middle
            else ("r", {2015, 2016})
            if bucket < 1800 or bucket >= 2500
            else ("r", {2011, 2012})
        )
    if what == "validate":
        return (
            ("l", {2014})
            if 1900 <= bucket <= 2100
            else ("r", {2014})
            if bucket < 1900 or bucket >= 2500
            else ("r", {2010})
        )
    return "r", set(range(2007, 2014))


def _read(path: Path, kind: str) -> list[dict[str, Any]]:
    text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode("latin-1")
    games = []
    for i, part in enumerate(text.split("\n[Event ")):
        pgn = part if i == 0 else f"[Event {part}"
        tags = dict(re.findall(r'\[(\w+) "([^"]*)"\]', pgn))
        plies = len(re.findall(r"(?:[KQRBN]|[a-h]|O-O)\S*", pgn.split("\n\n", 1)[1]))
        if plies < 30 or "FEN" in tags:
            continue
        elo = int(tags["WhiteElo"]), int(tags["BlackElo"])
        games.append(
            {
                "id": f"{kind}{i}",
                "people": {_person(tags["White"]), _person(tags["Black"])},
                "elo": elo,
                "year": int(tags["Date"][:4]),
                "bucket": min(elo) // 100 * 100,
                "pgn": pgn,
            }
        )
    return games


def _person(name: str) -> str:
    parts = re.split(r"[,. ]+", name.strip().lower())
    return f"{parts[0]},{parts[1][:1] if len(parts) > 1 else ''}"


# -- the engine --------------------------------------------------------------------------------------------


def look(work: Path, hours: float) -> None:
    """Let the engine look at as many games as the time allows; write moves.parquet and values.parquet."""
    games = read_evaluated(work / "games.pgn")
    ids = games.games.table["round"].to_list()
    places = positions(games)
    end = time.time() + 3600 * hours
    source = EngineSource(workers=1, store=work / "evaluations")
    moves, values = [], []
    for game, name in enumerate(ids):
        if time.time() > end:
            break
        asked = places.filter(
            (pl.col("game") == game)
            & pl.col("ply").is_between(FIRST_PLY, LAST_PLY)
            & pl.col("uci").is_not_null()
        )
        found = read_values(asked, source)
        moves.append(engine_moves(asked, found).with_columns(id=pl.lit(name)))
        first = found.search.filter(pl.col("line") == 1).select("epd", "cp", "mate")
        values.append(
            asked.join(first, on="epd", how="left", maintain_order="left").select(
                pl.lit(name).alias("id"), "ply", pl.col("turn").eq("w").alias("white"), "cp", "mate"
            )
        )
    pl.concat(moves).drop("game").write_parquet(work / "moves.parquet")
    pl.concat(values).write_parquet(work / "values.parquet")


# -- the fit -----------------------------------------------------------------------------------------------


class Study:
    """Moves with the ratings of who made them, in games numbered from 0."""

    def __init__(self, work: Path) -> None:
        index = pl.read_csv(work / "games.csv", schema_overrides={"id": pl.String})
        moves = pl.read_parquet(work / "moves.parquet")
        there = index.filter(pl.col("id").is_in(moves["id"].unique().to_list())).with_row_index("game")
        self.games = there.with_columns(pl.col("game").cast(pl.Int32))
        self.moves = _rated(moves, self.games)
        values = pl.read_parquet(work / "values.parquet").join(
            self.games.select("id", "game"), on="id", maintain_order="left"
        )
        worth = pl.coalesce(pl.col("mate").sign() * 3900, pl.col("cp")).cast(pl.Float64).fill_null(np.nan)
        valued = valued_moves(values.with_columns(worth.alias("value")))
        self.valued = _rated(
            valued.join(self.games.select("game", "id"), on="game", maintain_order="left").drop("game"),
            self.games,
        )


def _rated(moves: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    known = games.select("id", "game", "split", "year", "white_elo", "black_elo")
    rating = pl.when("white").then("white_elo").otherwise("black_elo").cast(pl.Float64)
    return moves.join(known, on="id", maintain_order="left").with_columns(rating.alias("rating"))


def kaggle_moves(data: Path) -> pl.DataFrame:
    """Return moves of 996 rated games that have a value a ply from another analysis."""
    path = data / "engine_evals/findingelo_996_sf_evals.ndjson.zst"
    text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode()
    rows = []
    for number, line in enumerate(text.splitlines()):
        game = json.loads(line)
        if game["has_mate_scores"] or len(game["evals_cp_white_pov_after_ply"]) < 20:
            continue
        for i, value in enumerate(game["evals_cp_white_pov_after_ply"]):
            ply = game["book_plies"] + 1 + i  # plies played when this value holds
            rows.append((number, ply, ply % 2 == 0, float(value), game["white_elo"], game["black_elo"]))
    table = pl.DataFrame(
        rows, schema=["game", "ply", "white", "value", "white_elo", "black_elo"], orient="row"
    )
    moves = valued_moves(table)
    elo = table.unique("game").select(pl.col("game").cast(pl.Int32), "white_elo", "black_elo")
    rating = pl.when("white").then("white_elo").otherwise("black_elo").cast(pl.Float64)
    return moves.join(elo, on="game", maintain_order="left").with_columns(rating.alias("rating"))


def lichess_moves(data: Path, work: Path) -> pl.DataFrame:
    """Return moves of 160 rated games with `%eval` comments of Lichess."""
    parts = []
    for name, first in (("lichess_broadcast_2025", 10_000), ("cct_finals_2023_2024", 20_000)):
        path = work / f"{name}.pgn"
        packed = data / f"engine_evals/{name}.pgn.zst"
        path.write_bytes(subprocess.run(["zstd", "-dc", packed], capture_output=True, check=True).stdout)
        games = read_evaluated(path)
        table = games.table.with_columns(
            pl.Series("value", position_values(games)), pl.col("turn").eq("w").alias("white")
        )
        elo = games.games.table.with_row_index("game").select(
            pl.col("game").cast(pl.Int32), white_elo="white_rating", black_elo="black_rating"
        )
        rating = pl.when("white").then("white_elo").otherwise("black_elo")
        moves = (
            valued_moves(table)
            .join(elo, on="game", maintain_order="left")
            .with_columns(rating.alias("rating"))
        )
        parts.append(moves.filter(pl.col("rating").is_not_null()).with_columns(pl.col("game") + first))
    return pl.concat(parts)


def fit_engine(moves: pl.DataFrame) -> dict[str, OutcomeModel]:
    """Return the models with an engine."""
    rating = moves["rating"].to_numpy()
    models = {
        "loss": fit_outcomes(loss_features(moves), loss_outcome(moves), rating, LOSS_SHAPE, ridge=RIDGE)
    }
    rest = moves.filter(~pl.col("chose_best"))
    models["third_played"] = fit_outcomes(
        sight_features(rest),
        sight_outcome(rest, "third_played"),
        rest["rating"].to_numpy(),
        SIGHT_SHAPE,
        ridge=RIDGE,
    )
    return models


def fit_chance(moves: pl.DataFrame, weight: Floats) -> dict[str, OutcomeModel]:
    """Return the models with a value a ply."""
    outcome = chance_outcome(moves["before"].to_numpy(), moves["after"].to_numpy())
    return {
        "loss": fit_outcomes(
            chance_features(moves),
            outcome,
            moves["rating"].to_numpy(),
            CHANCE_SHAPE,
            ridge=RIDGE,
            weight=weight,
        )
    }


def flat_weights(ratings: Floats) -> Floats:
    """Return weights that make the field of a hundred points count alike, at most four times as much as the mean."""
    bucket = np.clip(ratings // 100, 13, 28).astype(int)
    counts = np.bincount(bucket)
    weight = 1 / counts[bucket]
    return np.minimum(weight / weight.mean(), 4.0)


def by_game(moves: pl.DataFrame, likelihood: Floats) -> tuple[pl.DataFrame, Floats]:
    """Return a row a player and game, and its log-likelihood."""
    keys = moves.select("game", "white", "rating").with_row_index("row")
    groups = keys.group_by("game", "white", maintain_order=True).agg(
        pl.col("rating").first(), pl.col("row"), pl.len().alias("moves")
    )
    total = np.array([likelihood[rows.to_numpy()].sum(axis=0) for rows in groups["row"]])
    return groups.drop("row"), total


# -- measuring ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sets:
    """Sets of games of players of about one strength, and how much each counts, so that the field is flat."""

    members: NDArray[np.int64]
    weight: Floats
    truth: Floats

    @classmethod
    def draw(cls, rating: Floats, size: int, seed: int, count: int = 60) -> Sets:
        """Return every game by itself, or for each fifty points of the field so many sets."""
        rng = np.random.default_rng(seed)
        members, weight = [], []
        for low in range(FIELD[0], FIELD[1], 50):
            reach = 0 if size == 1 else 35
            near = np.flatnonzero((rating >= low - reach) & (rating < low + 50 + reach))
            if not len(near):
                continue
            drawn = (
                near[:, None]
                if size == 1
                else np.array([rng.choice(near, size, replace=len(near) < size) for _ in range(count)])
            )
            members.append(drawn)
            weight.append(np.full(len(drawn), 1 / len(drawn)))
        rows, w = np.concatenate(members), np.concatenate(weight)
        return cls(rows, w / w.sum(), rating[rows].mean(axis=1))

    def total(self, evidence: Floats) -> Floats:
        """Return the log-likelihood of each set."""
        found = np.zeros((len(self.members), evidence.shape[1]))
        for column in self.members.T:
            found += evidence[column]
        return found


def figures(evidence: Floats, rating: Floats, size: int, seed: int = 1) -> dict[str, Any]:
    """Return RMSE, bias and coverage for sets of games, each part of the field counting alike."""
    chosen = Sets.draw(rating, size, seed)
    weight, truth = chosen.weight, chosen.truth
    log = chosen.total(evidence) + Prior().log_density
    p = np.exp(log - log.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    mean, cumulated = p @ GRID, np.cumsum(p, axis=1)
    error = mean - truth
    edges = GRID + STEP / 2
    result: dict[str, Any] = {"sets": len(truth), "rmse": float(np.sqrt(weight @ error**2))}
    below = np.array([np.interp(t, edges, row) for t, row in zip(truth, cumulated, strict=True)])
    for level in (80, 95):
        tail = (100 - level) / 200
        result[f"cover{level}"] = float(weight @ ((below >= tail) & (below <= 1 - tail)))
    likely = np.array([np.interp(t, GRID, row) for t, row in zip(truth, p, strict=True)])
    result["log_score"] = float(weight @ np.log(likely / STEP + 1e-12))
    borders = np.linspace(*FIELD, 7)
    for name, place in (("bias", truth), ("bias_by_estimate", mean)):
        inside = [(place >= a) & (place < b) for a, b in pairwise(borders)]
        result[name] = [
            round(float((weight * error)[m].sum() / weight[m].sum())) if m.any() else None for m in inside
        ]
    return result


def choose_effect(evidence: Floats, rating: Floats) -> GameEffect:
    """Return the game effect that gives games that were left out the best log score, single and in sets of twenty."""
    best, found = -np.inf, GameEffect()
    for exponent in (1.0, 0.85, 0.7, 0.6, 0.5):
        for form in (0.0, 150.0):
            effect = GameEffect(exponent=exponent, form=form)
            shown = effect.apply(evidence)
            score = sum(figures(shown, rating, size)["log_score"] for size in (1, 5, 20))
            if score > best:
                best, found = score, effect
    return found


def left_out(moves: pl.DataFrame, fit_one: Any, evidence: Any) -> Floats:
    """Return the log-likelihood of every move, from models fitted to the games of other parts."""
    part = moves["game"].to_numpy() % FOLDS
    result = np.zeros((len(moves), len(GRID)))
    for fold in range(FOLDS):
        mine = np.flatnonzero(part == fold)
        if len(mine):
            result[mine] = evidence(moves[mine], fit_one(moves.filter(pl.Series(part != fold))))
    return result


def calibration_of(engine: Any, chance: Any, **more: Any) -> StrengthCalibration:
    """Return a calibration without effects of the game unless they are given."""
    effects = {"engine_effect": GameEffect(), "chance_effect": GameEffect(), **more}
    return StrengthCalibration(engine=engine, chance=chance, **effects)


def fit(work: Path, target: Path, data: Path) -> None:
    """Choose the game effects on games that the models have not seen, then fit to training and validation games."""
    study = Study(work)
    moves = study.moves.filter(pl.col("split") != "test")
    checked = moves.filter(pl.col("split") == "validate")
    trained = calibration_of(fit_engine(moves.filter(pl.col("split") == "train")), {})
    people, likelihood = by_game(checked, engine_evidence(checked, trained))
    engine_effect = choose_effect(likelihood, people["rating"].to_numpy())
    report("engine, validation", engine_effect.apply(likelihood), people["rating"].to_numpy())

    columns = ["game", "ply", "white", "before", "after", "given", "noise", "rating"]
    lichess = lichess_moves(data, work).select(columns)
    valued = pl.concat([kaggle_moves(data).select(columns).cast(dict(lichess.schema)), lichess])

    def weighted(mine: pl.DataFrame) -> dict[str, OutcomeModel]:
        return fit_chance(mine, flat_weights(mine["rating"].to_numpy()))

    evidence = left_out(valued, weighted, lambda m, made: chance_evidence(m, calibration_of({}, made)))
    people, likelihood = by_game(valued, evidence)
    rating = people["rating"].to_numpy()
    chance_effect = choose_effect(likelihood, rating)
    shown = chance_effect.apply(likelihood)
    report("value a ply, left out", shown, rating)
    for name, first in (("Lichess broadcast", 10_000), ("Lichess rapid, elite", 20_000)):
        mine = people["game"].is_between(first, first + 9_999).to_numpy()
        posterior = combine(shown[mine], Prior(high=3100))
        print(
            f"{name}: {mine.sum()} games of a player rated {rating[mine].mean():.0f}: {posterior.mean:.0f} ± {posterior.sd:.0f}"
        )

    made = calibration_of(
        fit_engine(moves),
        weighted(valued),
        engine_effect=engine_effect,
        chance_effect=chance_effect,
        about={
            "date": date.today().isoformat(),
            "engine": "Stockfish 15.1",
            "nodes": NODES,
            "games": study.games.filter(pl.col("split") != "test").height,
            "moves": len(moves),
            "games_with_values": valued["game"].n_unique(),
            "ratings": [int(moves["rating"].min()), int(moves["rating"].max())],  # type: ignore[arg-type]
            "years": [int(moves["year"].min()), int(moves["year"].max())],  # type: ignore[arg-type]
        },
    )
    target.write_text(json.dumps(made.to_dict(), separators=(",", ":")) + "\n")


def ship(work: Path, target: Path) -> None:
    """Replace the engine's models in a calibration by a fit to all games, once `measure` has used the test games."""
    study, made = Study(work), read_calibration(target)
    evidence = left_out(
        study.moves, fit_engine, lambda m, fitted: engine_evidence(m, calibration_of(fitted, {}))
    )
    people, likelihood = by_game(study.moves, evidence)
    rating = people["rating"].to_numpy()
    effect = choose_effect(likelihood, rating)
    report("all games, left out", effect.apply(likelihood), rating)
    years = [int(study.moves["year"].min()), int(study.moves["year"].max())]  # type: ignore[arg-type]
    about = dict(made.about) | {"games": study.games.height, "moves": len(study.moves), "years": years}
    final = replace(made, engine=fit_engine(study.moves), engine_effect=effect, about=about)
    target.write_text(json.dumps(final.to_dict(), separators=(",", ":")) + "\n")


def report(title: str, evidence: Floats, rating: Floats) -> None:
    """Print the figures of a method."""
    for size in SETS:
        f = figures(evidence, rating, size)
        print(
            f"{title:24s} {size:3d} games: RMSE {f['rmse']:4.0f}  80 %: {f['cover80']:.3f}  95 %: {f['cover95']:.3f}  "
            f"log score {f['log_score']:.3f}  bias {f['bias']}  by estimate {f['bias_by_estimate']}",
            flush=True,
        )


def statistics(moves: pl.DataFrame, valued: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return what others measure, a row a player and game: `game`, `white`, `rating`, `moves`, `x`."""
    raw = pl.col("loss_cp").clip(0, 1000).mean()
    lost = moves.with_columns(
        loss_cp=pl.when(pl.col("chose_best"))
        .then(0.0)
        .otherwise(
            pl.col("best")
            - 100
            * ((pl.col("best").abs() / 100 + 1).log() * pl.col("best").sign())
            .sub(pl.col("loss") / 100)
            .map_batches(lambda v: v.sign() * (v.abs().exp() - 1), return_dtype=pl.Float64)
        )
    )
    before, after = valued["before"].to_numpy(), valued["after"].to_numpy()
    accuracy = valued.with_columns(
        accuracy=pl.Series(move_accuracy(win_percent(before), win_percent(after))),
        gain=(pl.col("after") - pl.col("before")).clip(-300, 300),
    )
    columns = {
        "centipawn loss": (lost, (raw + 1).log()),
        "Lichess accuracy": (accuracy, pl.col("accuracy").mean()),
        "match rate": (moves, pl.col("chose_best").mean()),
        "scaled error": (moves, (pl.col("loss").mean() + 1).log()),
        "gain": (accuracy, pl.col("gain").mean()),
    }
    return {
        name: table.group_by("game", "white", maintain_order=True).agg(
            pl.col("rating").first(), pl.col("split").first(), pl.len().alias("moves"), x.alias("x")
        )
        for name, (table, x) in columns.items()
    }


def regression(table: pl.DataFrame) -> tuple[pl.DataFrame, Floats]:
    """Return test games with the log-likelihood of a statistic whose mean is a parabola of the rating."""
    known, test = table.filter(pl.col("split") != "test"), table.filter(pl.col("split") == "test")
    r = known["rating"].to_numpy()
    x, n = known["x"].to_numpy(), known["moves"].to_numpy()
    line = np.polyfit(r / 1000, x, 2, w=np.sqrt(n))
    rest = (x - np.polyval(line, r / 1000)) ** 2
    noise = np.maximum(np.linalg.lstsq(np.column_stack([np.ones(len(n)), 30 / n]), rest, rcond=None)[0], 0)
    spread = noise[0] + noise[1] * 30 / test["moves"].to_numpy() + 1e-9
    gap = test["x"].to_numpy()[:, None] - np.polyval(line, GRID / 1000)
    return test, -0.5 * gap**2 / spread[:, None]


def measure(work: Path, path: Path) -> None:
    """Print the figures of test games, for arpad and for what others measure."""
    study, made = Study(work), read_calibration(path)
    moves = study.moves.filter(pl.col("split") == "test")
    print(f"{moves['game'].n_unique()} test games, {len(moves)} moves")
    people, likelihood = by_game(moves, engine_evidence(moves, made))
    rating = people["rating"].to_numpy()
    ours = made.engine_effect.apply(likelihood)
    report("prior alone", np.zeros_like(ours), rating)
    for name, table in statistics(study.moves, study.valued).items():
        test, evidence = regression(table)
        report(name, evidence, test["rating"].to_numpy())
        ahead = advantage(people, ours, test, evidence)
        print(f"  strength is ahead, mean square error: {ahead}")
    report("strength, engine", ours, rating)


def advantage(people: pl.DataFrame, ours: Floats, test: pl.DataFrame, theirs: Floats) -> dict[int, list[int]]:
    """Return by how much our mean square error is smaller: 95 % interval over games drawn again and again."""
    keys = ["game", "white"]
    both = people.with_row_index("i").join(
        test.with_row_index("j").select(*keys, "j"), on=keys, maintain_order="left"
    )
    mine, other = ours[both["i"].to_numpy()], theirs[both["j"].to_numpy()]
    rating, game = both["rating"].to_numpy(), both["game"].to_numpy()
    rng = np.random.default_rng(3)
    found: dict[int, list[int]] = {}
    for size in (1, 5, 20):
        gaps = []
        for draw in range(60):
            drawn = rng.choice(np.unique(game), len(np.unique(game)))
            rows = np.concatenate([np.flatnonzero(game == g) for g in drawn])
            errors = [figures(e[rows], rating[rows], size, draw)["rmse"] ** 2 for e in (other, mine)]
            gaps.append(errors[0] - errors[1])
        found[size] = [round(float(np.quantile(gaps, q))) for q in (0.025, 0.975)]
    return found


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["pick", "look", "fit", "measure", "ship"])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path, nargs="?")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    if args.step == "pick":
        pick(args.first, args.second)
    elif args.step == "look":
        look(args.first, args.hours)
    elif args.step == "fit":
        fit(args.first, args.second, args.data)
    elif args.step == "ship":
        ship(args.first, args.second)
    else:
        measure(args.first, args.second)


if __name__ == "__main__":
    main()
