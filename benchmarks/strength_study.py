"""The study behind `arpad strength`: choose games, let the engine look, fit, and measure on games that were not used.

    python benchmarks/strength_study.py pick ../shared/data WORK
    python benchmarks/strength_study.py look WORK [--hours 1]
    python benchmarks/strength_study.py openings WORK ../shared/data
    python benchmarks/strength_study.py measure WORK [--known CALIBRATION]
    python benchmarks/strength_study.py fit WORK src/arpad/moves/strength/calibration.json [--known CALIBRATION]
    python benchmarks/strength_study.py chance WORK src/arpad/moves/strength/calibration.json

WORK is a folder; `look` goes on where it was stopped. `measure` fits to the games of earlier years and measures on those
of 2015-16 (of 2011-12 where the data have no later games of the kind), then with each third of the players left out. Nobody rated
below 2500 plays in both parts. `--known` is an earlier calibration that counts like the moves behind it: its games (the first
900 of the first study) are not picked. `fit` takes all games; `chance` makes the part for values in a file.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import subprocess
import time
import zlib
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise, product
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
from arpad.moves.strength.openings import REACH, OpeningTable, opening_words, weigh_words
from arpad.moves.strength.outcome_model import (
    OutcomeModel,
    StrengthCalibration,
    fit_outcomes,
    read_calibration,
)
from arpad.moves.strength.posterior import GRID, PAIRING, STEP, Era, GameEffect, Prior, blurred, combine

Floats = NDArray[np.float64]

BUCKETS = range(1400, 2800, 100)
SIZES = {"test": 60, "train": 170}
ROUND = ("train", "test", "train")
BATCH = 14
RIDGE = 40.0
FOLDS = 3
KNOWN_SHARE = 0.3
EFFECT = GameEffect(exponent=0.7, form=150.0)
MARKS = (1500, 1900, 2100, 2200, 2350, 2450, 2600, 2750)
DRIFT = (
    15,
    15,
    15,
    15,
    15,
    12.5,
    8,
    6,
)  # points a year by which players seem stronger: see docs/methods/strength.md
FIELD = (1500, 2750)
SETS = (1, 5, 10, 20)


# -- choosing games ----------------------------------------------------------------------------------------


def pick(data: Path, work: Path, earlier: Path | None) -> None:
    """Write games.pgn and games.csv: stratified by the lower rating, in the order in which they are looked at."""
    gone = set() if earlier is None else set(pl.read_csv(earlier, n_rows=900)["id"].cast(pl.String))
    every = list({game["moves"]: game for game in reversed(rated_games(data))}.values())[::-1]
    met = {p for game in every if game["id"] in gone for p in game["people"]}
    games = [game for game in every if game["id"] not in gone]
    rng = random.Random(24)
    parts: dict[str, dict[int, list[dict[str, Any]]]] = {"test": {}, "train": {}}
    for what, bucket in product(parts, BUCKETS):
        late = _late(bucket)
        if what == "test":
            used = met
            fit = [g for g in games if g["bucket"] == bucket and g["year"] in late]
        else:
            used = {p for b, gs in parts["test"].items() if b < 2500 for g in gs for p in g["people"]}
            fit = [g for g in games if g["bucket"] == bucket and g["year"] not in late | {2015, 2016}]
        fit = [g for g in fit if bucket >= 2500 or not g["people"] & used]
        rng.shuffle(fit)
        fit.sort(key=lambda g: -(g["year"] + 4 * rng.random()))  # later years first, softly
        parts[what][bucket] = fit[: SIZES[what]]
    work.mkdir(parents=True, exist_ok=True)
    taken = dict.fromkeys(parts, 0)
    with (work / "games.pgn").open("w") as pgn, (work / "games.csv").open("w") as index:
        rows = csv.writer(index)
        rows.writerow(["id", "split", "year", "bucket", "white_elo", "black_elo", "white_name", "black_name"])
        for _, what, bucket in product(range(max(SIZES.values()) // 2), ROUND, BUCKETS):
            for game in parts[what][bucket][taken[what] : taken[what] + 1]:
                rows.writerow([game["id"], what, game["year"], bucket, *game["elo"], *game["names"]])
                text = re.sub(r'\[Round "[^"]*"\]', f'[Round "{game["id"]}"]', game["pgn"])
                pgn.write(text.strip() + "\n\n")
            if bucket == BUCKETS[-1]:
                taken[what] += 1


def _late(bucket: int) -> set[int]:
    """Return the years of test games: the data have no late games between 2200 and 2500."""
    return {2100: {2011, 2015, 2016}, 2200: {2011}, 2300: {2011}, 2400: {2011, 2012}, 2500: {2014, 2015}}.get(
        bucket, {2015, 2016}
    )


def rated_games(data: Path) -> list[dict[str, Any]]:
    """Return the rated games of both collections."""
    return _read(data / "rated_games/twic_2008_2016_balanced.pgn.zst", "r") + _read(
        data / "regan_training/twic_2010_2016_low_elo_pm10.pgn.zst", "l"
    )


def _read(path: Path, kind: str) -> list[dict[str, Any]]:
    packed = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True)
    return _split(packed.stdout.decode("latin-1"), kind)


def _split(text: str, kind: str) -> list[dict[str, Any]]:
    games = []
    for i, part in enumerate(text.split("\n[Event ")):
        pgn = part if i == 0 else f"[Event {part}"
        tags = dict(re.findall(r'\[(\w+) "([^"]*)"\]', pgn))
        text = re.sub(r"\{[^}]*\}", "", pgn.split("\n\n", 1)[1])
        moves = re.findall(r"O-O-O|O-O|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?", text)
        if len(moves) < 30 or "FEN" in tags:
            continue
        elo = int(tags["WhiteElo"]), int(tags["BlackElo"])
        games.append(
            {
                "id": f"{kind}{i}",
                "names": (tags["White"], tags["Black"]),
                "people": {_person(tags["White"]), _person(tags["Black"])},
                "moves": tuple(re.sub(r"^([KQRBN])[a-h]?[1-8]?(x?[a-h][1-8])$", r"\1\2", m) for m in moves),
                "elo": elo,
                "year": int(tags["Date"][:4]),
                "bucket": min(min(elo) // 100 * 100, BUCKETS[-1]),
                "pgn": pgn,
            }
        )
    return games


def _person(name: str) -> str:
    parts = re.split(r"[,. ]+", name.strip().lower())
    return f"{parts[0]},{parts[1][:1] if len(parts) > 1 else ''}"


# -- the engine --------------------------------------------------------------------------------------------


def look(work: Path, hours: float) -> None:
    """Let the engine look at as many games as the time allows; write a file of moves and one of values a batch."""
    games = read_evaluated(work / "games.pgn")
    ids = games.games.table["round"].to_list()
    places = positions(games)
    end = time.time() + 3600 * hours
    source = EngineSource(workers=1, store=work / "evaluations")
    (work / "looks").mkdir(exist_ok=True)
    for first in range(0, len(ids), BATCH):
        target = work / f"looks/{first:05d}-moves.parquet"
        if target.exists() or time.time() > end:
            continue
        asked = places.filter(
            pl.col("game").is_between(first, first + BATCH - 1)
            & pl.col("ply").is_between(FIRST_PLY, LAST_PLY)
            & pl.col("uci").is_not_null()
        )
        found = read_values(asked, source)
        named = pl.col("game").replace_strict(dict(enumerate(ids)), return_dtype=pl.String).alias("id")
        top = found.search.filter(pl.col("line") == 1).select("epd", "cp", "mate")
        asked.join(top, on="epd", how="left", maintain_order="left").select(
            named, "ply", pl.col("turn").eq("w").alias("white"), "cp", "mate"
        ).write_parquet(work / f"looks/{first:05d}-values.parquet")
        engine_moves(asked, found).with_columns(named).drop("game").write_parquet(target)


def fit_openings(work: Path, data: Path, *, every: bool) -> None:
    """Write openings.json: from all games, or from those without the players who were picked."""
    games = rated_games(data)
    picked = set(pl.read_csv(work / "games.csv", n_rows=1500)["id"].cast(pl.String))
    met = {p for g in games if g["id"] in picked and g["bucket"] < 2500 for p in g["people"]}
    if not every:
        games = [g for g in games if g["id"] not in picked and not g["people"] & met]
    words = [opening_words(g["moves"], white=white) for g in games for white in (True, False)]
    rating = np.array([r for g in games for r in g["elo"]], dtype=np.float64)
    year = np.repeat([g["year"] for g in games], 2)
    person = np.array([_person(n) for g in games for n in g["names"]])
    half = np.array([zlib.crc32(p.encode()) % 3 for p in person])
    pairs = half.reshape(-1, 2)
    score = np.full(len(rating), np.nan)
    for number in range(2):  # two thirds of the players: what others' games say of theirs
        others = np.flatnonzero((pairs != number).all(axis=1).repeat(2))
        keys, weights = weigh_words([words[i] for i in others], rating[others], year[others])
        table = OpeningTable(keys=keys, weights=weights, curve=(0.0,), spread=1.0, habit=0.0)
        for i in np.flatnonzero(half == number):
            score[i] = table.score(words[i])
    there = np.isfinite(score)
    weight = flat_weights(rating[there])
    curve = np.polyfit(rating[there] / 1000, score[there], 3, w=np.sqrt(weight))
    rest = score[there] - np.polyval(curve, rating[there] / 1000)
    low = pl.DataFrame({"who": person[there], "rest": rest}).filter(pl.Series(rating[there] < 2500))
    sums = low.group_by("who").agg(
        pl.len().alias("n"), pl.col("rest").sum(), pl.col("rest").pow(2).sum().alias("square")
    )
    shared = (sums["rest"] ** 2 - sums["square"]).sum() / (sums["n"] * (sums["n"] - 1.0)).sum()
    habit = round(max(shared / float(low["rest"].var()), 0.0), 3)  # type: ignore[arg-type]
    spread = float(np.sqrt(np.average(rest**2, weights=weight)))
    keys, weights = weigh_words(words, rating, year)
    made = OpeningTable(
        keys=keys, weights=weights, curve=tuple(curve), spread=spread, habit=habit, year=int(year.max())
    )
    # The level of a year is not kept: the whole table may stand higher than its two parts.
    level = np.array([made.score(w) for w in words]) - np.polyval(curve, np.clip(rating, *REACH) / 1000)
    curve[-1] += np.average(level, weights=flat_weights(rating))
    made = replace(made, curve=tuple(curve))
    (work / "openings.json").write_text(json.dumps(made.to_dict(), separators=(",", ":")) + "\n")


# -- the fit -----------------------------------------------------------------------------------------------


class Study:
    """Moves with the ratings of who made them, in games numbered from 0."""

    def __init__(self, work: Path) -> None:
        index = pl.read_csv(work / "games.csv", schema_overrides={"id": pl.String})
        moves = pl.concat([pl.read_parquet(f) for f in sorted(work.glob("looks/*-moves.parquet"))])
        values = pl.concat([pl.read_parquet(f) for f in sorted(work.glob("looks/*-values.parquet"))])
        there = index.filter(pl.col("id").is_in(moves["id"].unique().to_list())).with_row_index("game")
        self.games = there.with_columns(pl.col("game").cast(pl.Int32))
        self.moves = _rated(moves, self.games)
        values = values.join(self.games.select("id", "game"), on="id", maintain_order="left")
        worth = pl.coalesce(pl.col("mate").sign() * 3900, pl.col("cp")).cast(pl.Float64).fill_null(np.nan)
        valued = valued_moves(values.with_columns(worth.alias("value")))
        self.valued = _rated(
            valued.join(self.games.select("game", "id"), on="game", maintain_order="left").drop("game"),
            self.games,
        )
        self.part = self._parts()

    def _parts(self) -> NDArray[np.int64]:
        """Return a third for each game: games of one player rated below 2500 are in the same."""
        parent: dict[str, str] = {}

        def root(x: str) -> str:
            while parent.setdefault(x, x) != x:
                x = parent[x]
            return x

        columns = ("id", "white_name", "black_name", "white_elo", "black_elo")
        for game, white, black, white_elo, black_elo in self.games.select(columns).iter_rows():
            for name, elo in ((white, white_elo), (black, black_elo)):
                if elo < 2500:
                    parent[root(_person(name))] = root(game)
        return np.array([zlib.crc32(root(game).encode()) % FOLDS for game in self.games["id"]])


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


def fit_engine(moves: pl.DataFrame, known: StrengthCalibration | None = None) -> dict[str, OutcomeModel]:
    """Return the models with an engine; an earlier calibration counts for some of the moves behind it."""
    rest = moves.filter(~pl.col("chose_best"))
    earlier = dict(known.engine) if known else {}
    count = KNOWN_SHARE * known.about["moves"] if known else 0.0
    return {
        "loss": fit_outcomes(
            loss_features(moves),
            loss_outcome(moves),
            moves["rating"].to_numpy(),
            LOSS_SHAPE,
            ridge=RIDGE,
            known=earlier.get("loss"),
            known_moves=count,
        ),
        "third_played": fit_outcomes(
            sight_features(rest),
            sight_outcome(rest, "third_played"),
            rest["rating"].to_numpy(),
            SIGHT_SHAPE,
            ridge=RIDGE,
            known=earlier.get("third_played"),
            known_moves=count * len(rest) / max(len(moves), 1),
        ),
    }


def era_of(games: pl.DataFrame, known: StrengthCalibration | None = None) -> Era:
    """Return the correction of a calibration that was fitted to these games: their mean year near each mark."""
    rating = np.concatenate([games["white_elo"], games["black_elo"]]).astype(float)
    year = np.tile(games["year"], 2)
    years = [np.average(year, weights=np.exp(-0.5 * ((rating - mark) / 100) ** 2)) for mark in MARKS]
    if known is not None and known.engine_era.marks:
        share = KNOWN_SHARE * known.about["games"]
        share /= share + games.height
        years = [(1 - share) * y + share * k for y, k in zip(years, known.engine_era.years, strict=True)]
    found = tuple(round(float(y), 1) for y in years)
    return Era(marks=MARKS, years=found, drift=DRIFT, error=4.0, level=20.0, first=2006, last=2022)


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


@dataclass(frozen=True)
class Evidence:
    """What is known of player-games, a row each: their moves, and, if they count, openings and the opponents' moves."""

    rating: Floats
    moves: Floats
    openings: Floats | None = None
    habit: float = 0.0
    other: NDArray[np.int64] | None = None  # the row of the opponent
    common: float = 0.0  # standard deviation of what all games have in common

    def total(self, chosen: Sets) -> Floats:
        """Return the log-likelihood of each set, as `arpad.strength` puts it together."""
        total = chosen.total(self.moves)
        one = self.moves
        if self.openings is not None:
            share = 1 / (1 + (chosen.members.shape[1] - 1) * self.habit)
            total += share * chosen.total(self.openings)
            one = one + self.openings
        if self.other is not None:
            apart, together = PAIRING
            field = Prior().log_density
            said = blurred(one + field, apart) - blurred(field, apart)
            company = np.zeros_like(total)
            for column in chosen.members.T:
                company += said[self.other[column]]
            total += blurred(company, together)
        return blurred(total, self.common) if self.common else total


def figures(evidence: Evidence, size: int, seed: int = 1) -> dict[str, Any]:
    """Return RMSE, bias and coverage for sets of games, each part of the field counting alike."""
    chosen = Sets.draw(evidence.rating, size, seed)
    weight, truth = chosen.weight, chosen.truth
    log = evidence.total(chosen) + Prior().log_density
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


def choose_effect(evidence: Evidence) -> GameEffect:
    """Return the game effect that gives games that were left out the best log score, single and in sets of twenty."""
    best, found = -np.inf, GameEffect()
    for exponent in (1.0, 0.85, 0.7, 0.6, 0.5):
        for form in (0.0, 150.0, 250.0):
            effect = GameEffect(exponent=exponent, form=form)
            shown = replace(evidence, moves=effect.apply(evidence.moves))
            score = sum(figures(shown, size)["log_score"] for size in (1, 5, 20))
            if score > best:
                best, found = score, effect
    return found


def left_out(moves: pl.DataFrame, part: NDArray[np.int64], fit_one: Any, evidence: Any) -> Floats:
    """Return the log-likelihood of every move, from models fitted to the moves of other parts."""
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


def chance(work: Path, target: Path, data: Path) -> None:
    """Fit the part of the calibration for games with a value a ply."""
    columns = ["game", "ply", "white", "before", "after", "given", "noise", "rating"]
    lichess = lichess_moves(data, work).select(columns)
    valued = pl.concat([kaggle_moves(data).select(columns).cast(dict(lichess.schema)), lichess])

    def weighted(mine: pl.DataFrame) -> dict[str, OutcomeModel]:
        return fit_chance(mine, flat_weights(mine["rating"].to_numpy()))

    part = valued["game"].to_numpy() % FOLDS
    likelihood = left_out(
        valued, part, weighted, lambda m, made: chance_evidence(m, calibration_of({}, made))
    )
    people, total = by_game(valued, likelihood)
    plain = Evidence(people["rating"].to_numpy(), total)
    effect = choose_effect(plain)
    shown = replace(plain, moves=effect.apply(total))
    report("value a ply, left out", shown)
    for name, first in (("Lichess broadcast", 10_000), ("Lichess rapid, elite", 20_000)):
        mine = people["game"].is_between(first, first + 9_999).to_numpy()
        posterior = combine(shown.moves[mine], Prior(high=3100))
        rating = shown.rating[mine].mean()
        print(
            f"{name}: {mine.sum()} games of a player rated {rating:.0f}: {posterior.mean:.0f} ± {posterior.sd:.0f}"
        )
    made = read_calibration(target)
    about = dict(made.about) | {"games_with_values": valued["game"].n_unique()}
    final = replace(made, chance=weighted(valued), chance_effect=effect, about=about)
    target.write_text(json.dumps(final.to_dict(), separators=(",", ":")) + "\n")


def fit(work: Path, target: Path, known: Path | None) -> None:
    """Replace the engine's models in a calibration by a fit to all games, once `measure` has used the test games."""
    study, made = Study(work), read_calibration(target)
    earlier = None if known is None else read_calibration(known)
    before = {} if earlier is None else dict(earlier.about)
    mine = study.moves
    about = dict(made.about) | {
        "date": date.today().isoformat(),
        "engine": "Stockfish 15.1",
        "nodes": NODES,
        "games": study.games.height + before.get("games", 0),
        "moves": len(mine) + before.get("moves", 0),
        "ratings": _range(mine["rating"], before.get("ratings", [])),
        "years": _range(mine["year"], before.get("years", [])),
    }
    final = replace(
        made,
        engine=fit_engine(mine, earlier),
        engine_effect=EFFECT,
        engine_era=era_of(study.games, earlier),
        about=about,
    )
    target.write_text(json.dumps(final.to_dict(), separators=(",", ":")) + "\n")


def _range(values: pl.Series, more: list[int]) -> list[int]:
    every = [*values.to_list(), *more]
    return [int(min(every)), int(max(every))]


def report(title: str, evidence: Evidence) -> None:
    """Print the figures of a method."""
    for size in SETS:
        f = figures(evidence, size)
        print(
            f"{title:28s} {size:3d} games: RMSE {f['rmse']:4.0f}  80 %: {f['cover80']:.3f}  95 %: {f['cover95']:.3f}  "
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


def regression(table: pl.DataFrame, known: Floats, asked: Floats) -> tuple[pl.DataFrame, Floats]:
    """Return player-games with the log-likelihood of a statistic whose mean is a parabola of the rating.

    `known` and `asked` say by player-game whether it is fitted to, and whether it is wanted.
    """
    base, test = table.filter(pl.Series(known)), table.filter(pl.Series(asked))
    r = base["rating"].to_numpy()
    x, n = base["x"].to_numpy(), base["moves"].to_numpy()
    line = np.polyfit(r / 1000, x, 2, w=np.sqrt(n))
    rest = (x - np.polyval(line, r / 1000)) ** 2
    noise = np.maximum(np.linalg.lstsq(np.column_stack([np.ones(len(n)), 30 / n]), rest, rcond=None)[0], 0)
    spread = noise[0] + noise[1] * 30 / test["moves"].to_numpy() + 1e-9
    gap = test["x"].to_numpy()[:, None] - np.polyval(line, GRID / 1000)
    return test, -0.5 * gap**2 / spread[:, None] - 0.5 * np.log(spread)[:, None]


def measure(work: Path, known: Path | None) -> None:
    """Print figures of games that a fit has not seen, for arpad and for what others measure."""
    study = Study(work)
    earlier = None if known is None else read_calibration(known)
    table = OpeningTable.from_dict(json.loads((work / "openings.json").read_text()))
    test = (study.moves["split"] == "test").to_numpy()
    tested = calibration_of(fit_engine(study.moves.filter(pl.Series(~test)), earlier), {})
    part = study.part[study.moves["game"].to_numpy()]
    crossed = left_out(
        study.moves,
        part,
        lambda mine: fit_engine(mine, earlier),
        lambda m, fitted: engine_evidence(m, calibration_of(fitted, {})),
    )
    _compare(
        study,
        "test games",
        np.array(study.games["split"] == "test"),
        study.moves.filter(pl.Series(test)),
        engine_evidence(study.moves.filter(pl.Series(test)), tested),
        work,
        table,
        era_of(study.games.filter(pl.col("split") != "test"), earlier),
    )
    era = era_of(study.games, earlier)
    _compare(study, "all games, players left out", None, study.moves, crossed, work, table, era)


def _compare(
    study: Study,
    title: str,
    test: NDArray[np.bool_] | None,
    moves: pl.DataFrame,
    likelihood: Floats,
    work: Path,
    table: OpeningTable,
    era: Era,
) -> None:
    people, total = by_game(moves, likelihood)
    rating = people["rating"].to_numpy()
    print(f"\n{title}: {people['game'].n_unique()} games, {len(moves)} moves")
    rows = {key: i for i, key in enumerate(people.select("game", "white").iter_rows())}
    other = np.array([rows.get((g, not w), -1) for g, w in rows])
    mean = np.polyval(table.curve, np.clip(GRID, *REACH) / 1000)
    score = _scores(work, study, table)
    openings = np.array([-0.5 * ((score[key] - mean) / table.spread) ** 2 for key in rows])
    years = study.games["year"].to_numpy()[people["game"].to_numpy()]
    corrected = [era.corrected(row, int(y)) for row, y in zip(EFFECT.apply(total), years, strict=True)]
    ours = Evidence(rating, np.array(corrected), common=era.level)
    best = ours if (other < 0).any() else replace(ours, openings=openings, habit=table.habit, other=other)
    report("prior alone", Evidence(rating, np.zeros_like(total)))
    report("own moves alone", ours)
    report("with openings", replace(best, other=None))
    report("with openings and opponents", best)
    for name, every in statistics(study.moves, study.valued).items():
        game = every["game"].to_numpy()
        if test is not None:
            found, evidence = regression(every, ~test[game], test[game])
        else:
            parts = [regression(every, study.part[game] != k, study.part[game] == k) for k in range(FOLDS)]
            found, evidence = pl.concat([t for t, _ in parts]), np.vstack([e for _, e in parts])
        at = np.array([rows.get(key, -1) for key in found.select("game", "white").iter_rows()])
        theirs = np.zeros_like(total)
        theirs[at[at >= 0]] = evidence[at >= 0]
        report(name, Evidence(rating, theirs))
        if test is None:
            ahead = advantage(people, replace(best, other=None), Evidence(rating, theirs))
            print(f"  strength without opponents is ahead, mean square error: {ahead}", flush=True)


def _scores(work: Path, study: Study, table: OpeningTable) -> dict[tuple[int, bool], float]:
    """Return what the first moves of the games of a study score."""
    numbers = dict(study.games.select("id", "game").iter_rows())
    games = _split((work / "games.pgn").read_text(), "")
    named = {re.findall(r'\[Round "([^"]*)"', g["pgn"])[0]: g["moves"] for g in games}
    return {
        (number, white): table.score(opening_words(named[name], white=white))
        for name, number in numbers.items()
        for white in (True, False)
    }


def advantage(people: pl.DataFrame, ours: Evidence, theirs: Evidence) -> dict[int, list[int]]:
    """Return by how much our mean square error is smaller: 95 % interval over games drawn again and again."""
    game = people["game"].to_numpy()
    rng = np.random.default_rng(3)
    sizes = (1, 5, 20)
    gaps: dict[int, list[float]] = {size: [] for size in sizes}
    where = {g: np.flatnonzero(game == g) for g in np.unique(game)}
    for draw in range(20):
        rows = np.concatenate([where[g] for g in rng.choice(list(where), len(where))])
        for size in sizes:
            errors = [figures(_rows(e, rows), size, draw)["rmse"] ** 2 for e in (theirs, ours)]
            gaps[size].append(errors[0] - errors[1])
    return {size: [round(float(np.quantile(g, q))) for q in (0.025, 0.975)] for size, g in gaps.items()}


def _rows(e: Evidence, rows: NDArray[np.int64]) -> Evidence:
    """Return some rows; the two players of a game stand side by side in them."""
    place = np.empty(len(rows), dtype=np.int64)
    last: dict[int, int] = {}
    if e.other is not None:
        for i, row in enumerate(rows):
            partner = last.pop(int(e.other[row]), None)
            if partner is None:
                last[int(row)] = i
            else:
                place[i], place[partner] = partner, i
    return Evidence(
        e.rating[rows],
        e.moves[rows],
        None if e.openings is None else e.openings[rows],
        e.habit,
        None if e.other is None else place,
        e.common,
    )


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["pick", "look", "openings", "measure", "fit", "chance"])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path, nargs="?")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--known", type=Path, help="an earlier calibration")
    parser.add_argument("--earlier", type=Path, help="games.csv of an earlier study, not to be picked again")
    parser.add_argument("--every", action="store_true", help="openings: from all games")
    args = parser.parse_args()
    if args.step == "pick":
        pick(args.first, args.second, args.earlier)
    elif args.step == "look":
        look(args.first, args.hours)
    elif args.step == "openings":
        fit_openings(args.first, args.second, every=args.every)
    elif args.step == "measure":
        measure(args.first, args.known)
    elif args.step == "fit":
        fit(args.first, args.second, args.known)
    else:
        chance(args.first, args.second, args.data)


if __name__ == "__main__":
    main()
