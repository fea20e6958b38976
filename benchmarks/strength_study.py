"""The study behind `arpad strength`: choose games, let the engine look, fit, and measure on games that were not used.

    python benchmarks/strength_study.py pick ../shared/data WORK [--earlier GAMES.csv ...]
    python benchmarks/strength_study.py look WORK [--hours 1]
    python benchmarks/strength_study.py openings WORK ../shared/data
    python benchmarks/strength_study.py measure WORK --known src/arpad/moves/strength/calibration.json
    python benchmarks/strength_study.py results WORK ../shared/data --known src/arpad/moves/strength/calibration.json
    python benchmarks/strength_study.py alarms WORK --known src/arpad/moves/strength/calibration.json
    python benchmarks/strength_study.py fit WORK src/arpad/moves/strength/calibration.json --known CALIBRATION
    python benchmarks/strength_study.py chance WORK src/arpad/moves/strength/calibration.json
    python benchmarks/strength_study.py look WORK --nodes 3000
    python benchmarks/strength_study.py fresh WORK src/arpad/moves/strength/calibration-fast.json --nodes 3000

WORK is a folder; `look` goes on where it was stopped. `pick` takes games that no earlier study had, of players rated below
2500 that none had, two late games and an early one in turn. `measure` reads them with the known calibration, which has
seen none of them, and with a fit to other thirds of them; what others measure is fitted to other thirds. `results` says
whether moves and results together predict better than results, `alarms` how often `arpad ipr test` wonders at honest games. `fit` then adds all games to the known calibration.
`fresh` makes a calibration of these games alone, for another number of nodes.
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
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arpad.moves.accuracy import move_accuracy, win_percent
from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.gain import position_values
from arpad.moves.ipr.surprise import strength_z
from arpad.moves.positions import positions
from arpad.moves.strength.calibrate import (
    EFFECT,
    FIELD,
    FOLDS,
    RIDGE,
    Evidence,
    by_game,
    draw_sets,
    era_of,
    errors_of,
    fit_engine,
)
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
    chance_evidence,
    chance_features,
    chance_outcome,
    engine_evidence,
    valued_moves,
)
from arpad.moves.strength.openings import REACH, OpeningTable, opening_words, weigh_words
from arpad.moves.strength.outcome_model import (
    OutcomeModel,
    StrengthCalibration,
    fit_outcomes,
    read_calibration,
    shipped_calibration,
)
from arpad.moves.strength.posterior import GRID, GameEffect, Posterior, Prior, combine

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = NDArray[np.float64]

BUCKETS = range(1400, 2800, 100)
GAMES = 90
"""Games of a hundred points that are picked."""
OFTEN = 3
"""Games of one player in them."""
BATCH = 14
SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
TURNS = (("late", "late", "early") * GAMES)[:GAMES]


# -- choosing games ----------------------------------------------------------------------------------------


def pick(data: Path, work: Path, earlier: Sequence[Path]) -> None:
    """Write games.pgn and games.csv: stratified by the lower rating, in the order in which they are looked at."""
    games = rated_games(data)
    gone = {i for path in earlier for i in pl.read_csv(path)["id"].cast(pl.String)}
    seen = {g["moves"] for g in games if g["id"] in gone}
    met = {p for g in games if g["moves"] in seen for p in g["people"]}
    unused = [g for g in games if g["moves"] not in seen and (g["bucket"] >= 2500 or not g["people"] & met)]
    unused = list({g["moves"]: g for g in unused}.values())
    rng = random.Random(7)
    picked = []
    for bucket in BUCKETS:
        here = [(g["year"] + 1.5 * rng.random(), g) for g in unused if g["bucket"] == bucket]
        here.sort(key=lambda x: x[0])
        often: Counter[str] = Counter()
        for turn, what in enumerate(TURNS):
            while here:
                _, game = here.pop(-1 if what == "late" else 0)
                if all(often[p] < OFTEN for p in game["people"]):
                    often.update(game["people"])
                    picked.append((turn, what, game))
                    break
    work.mkdir(parents=True, exist_ok=True)
    with (work / "games.pgn").open("w") as pgn, (work / "games.csv").open("w") as index:
        rows = csv.writer(index)
        rows.writerow(["id", "split", "year", "bucket", "white_elo", "black_elo", "white_name", "black_name"])
        for _, what, game in sorted(picked, key=lambda x: x[0]):
            rows.writerow([game["id"], what, game["year"], game["bucket"], *game["elo"], *game["names"]])
            text = re.sub(r'\[Round "[^"]*"\]', f'[Round "{game["id"]}"]', game["pgn"])
            pgn.write(text.strip() + "\n\n")


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
                "score": SCORES.get(tags["Result"]),
                "pgn": pgn,
            }
        )
    return games


def _person(name: str) -> str:
    parts = re.split(r"[,. ]+", name.strip().lower())
    return f"{parts[0]},{parts[1][:1] if len(parts) > 1 else ''}"


# -- the engine --------------------------------------------------------------------------------------------


def look(work: Path, hours: float, nodes: int) -> None:
    """Let the engine look at as many games as the time allows; write a file of moves and one of values a batch."""
    games = read_evaluated(work / "games.pgn")
    ids = games.games.table["round"].to_list()
    places = positions(games)
    end = time.time() + 3600 * hours
    source = EngineSource(workers=1, nodes=nodes, store=work / "evaluations")
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


# -- measuring ---------------------------------------------------------------------------------------------


# -- fitting and measuring -----------------------------------------------------------------------------------


def choose_effect(evidence: Evidence) -> GameEffect:
    """Return the game effect that gives games that were left out the best log score, single and in sets of twenty."""
    best, found = -np.inf, GameEffect()
    for exponent in (1.0, 0.85, 0.7, 0.6, 0.5):
        for form in (0.0, 150.0, 250.0):
            effect = GameEffect(exponent=exponent, form=form)
            shown = replace(evidence, moves=effect.apply(evidence.moves))
            score = errors_of(shown, sizes=(1, 5, 20))["log_score"].sum()
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
    plain = Evidence(rating=people["rating"].to_numpy(), moves=total)
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


def fit(work: Path, target: Path, known: Path) -> None:
    """Add all games to the known calibration, once `measure` has used them."""
    study, made, earlier = Study(work), read_calibration(target), read_calibration(known)
    before, mine, games = earlier.about, study.moves, study.games
    about = dict(made.about) | {
        "date": date.today().isoformat(),
        "engine": "Stockfish 15.1",
        "nodes": NODES,
        "games": games.height + before["games"],
        "moves": len(mine) + before["moves"],
        "ratings": _range(mine["rating"], before["ratings"]),
        "years": _range(mine["year"], before["years"]),
    }
    era = era_of(mine["rating"].to_numpy(), mine["year"].to_numpy().astype(float))
    share = games.height / (games.height + before["games"])
    years = [
        round(share * y + (1 - share) * k, 1)
        for y, k in zip(era.years, earlier.engine_era.years, strict=True)
    ]
    final = replace(
        made,
        engine=fit_engine(mine, earlier, before["moves"]),
        engine_effect=EFFECT,
        engine_era=replace(era, years=tuple(years)),
        about=about,
    )
    target.write_text(json.dumps(final.to_dict(), separators=(",", ":")) + "\n")


def _range(values: pl.Series, more: list[int]) -> list[int]:
    every = [*values.to_list(), *more]
    return [int(min(every)), int(max(every))]


def report(title: str, evidence: Evidence) -> None:
    """Print the figures of a method."""
    for f in errors_of(evidence).iter_rows(named=True):
        bias = [None if b is None else round(b) for b in f["bias"]]
        print(
            f"{title:28s} {f['games']:3d} games: RMSE {f['rmse']:4.0f}  80 %: {f['cover80']:.3f}  "
            f"95 %: {f['cover95']:.3f}  log score {f['log_score']:.3f}  bias {bias}",
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


class Measured:
    """What is known of the player-games of a study, read with a calibration that has seen none of them."""

    def __init__(self, work: Path, known: Path) -> None:
        self.study, self.made = Study(work), read_calibration(known)
        study = self.study
        self.people, self.likelihood = by_game(study.moves, engine_evidence(study.moves, self.made))
        games = self.people["game"].to_numpy()
        self.rating = self.people["rating"].to_numpy()
        self.year = study.games["year"].to_numpy()[games]
        self.split = study.games["split"].to_numpy()[games]
        self.table = OpeningTable.from_dict(json.loads((work / "openings.json").read_text()))
        score = _scores(work, study, self.table)
        keys = list(self.people.select("game", "white").iter_rows())
        self.openings = np.array(
            [self.table.says(score[k], int(y)) for k, y in zip(keys, self.year, strict=True)]
        )
        self.whole = self.evidence(self.likelihood)

    def evidence(self, likelihood: Floats) -> Evidence:
        """Return all evidence, the moves' likelihood being this one."""
        era = self.made.engine_era
        moves = [
            era.corrected(row, int(y)) for row, y in zip(EFFECT.apply(likelihood), self.year, strict=True)
        ]
        plain = Evidence.of(self.people, np.array(moves))
        return replace(plain, openings=self.openings, habit=self.table.habit, common=era.level)


def measure(work: Path, known: Path) -> None:
    """Print figures of games that the known calibration has not seen, for arpad and for what others measure."""
    m = Measured(work, known)
    study, nothing = m.study, np.zeros_like(m.likelihood)
    part = study.part[study.moves["game"].to_numpy()]
    moves = m.made.about["moves"]

    def crossed(earlier: StrengthCalibration | None) -> Evidence:
        found = left_out(
            study.moves,
            part,
            lambda mine: fit_engine(mine, earlier, moves),
            lambda rows, fitted: engine_evidence(rows, calibration_of(fitted, {})),
        )
        return m.evidence(by_game(study.moves, found)[1])

    alone, whole = crossed(None), m.whole
    own = replace(whole, openings=None, other=None)
    methods = {
        "prior alone": replace(own, moves=nothing, common=0.0),
        "own moves alone": own,
        "with openings": replace(whole, other=None),
        "arpad strength": whole,
        "these games only, own moves": replace(alone, openings=None, other=None),
        "these games only": alone,
        "these games, too": crossed(m.made),
    }
    rows = {key: i for i, key in enumerate(m.people.select("game", "white").iter_rows())}
    for name, every in statistics(study.moves, study.valued).items():
        game = every["game"].to_numpy()
        thirds = [regression(every, study.part[game] != k, study.part[game] == k) for k in range(FOLDS)]
        keys = [key for table, _ in thirds for key in table.select("game", "white").iter_rows()]
        at = np.array([rows.get(key, -1) for key in keys])
        theirs = nothing.copy()
        theirs[at[at >= 0]] = np.vstack([e for _, e in thirds])[at >= 0]
        methods[name] = Evidence(rating=m.rating, moves=theirs)
        ahead = advantage(m.people, methods["with openings"], methods[name])
        print(f"{name}: strength without opponents is ahead, mean square error: {ahead}", flush=True)
    for title, which in (("all", m.split != ""), ("late", m.split == "late"), ("early", m.split == "early")):
        chosen = np.flatnonzero(which)
        print(f"\n{title}: {len(chosen)} player-games of {m.year[chosen].mean():.1f}")
        for name, evidence in methods.items():
            report(name, _rows(evidence, chosen))
    drift(m)


def drift(m: Measured) -> None:
    """Print by how much players of later years seem stronger than their ratings: maximum likelihood, before the correction."""
    from scipy.optimize import minimize

    era, rows = m.made.engine_era, EFFECT.apply(m.likelihood)
    away = m.year - np.interp(m.rating, era.marks, era.years)
    game = m.people["game"].to_numpy()
    of = {g: np.flatnonzero(game == g) for g in np.unique(game)}
    rng = np.random.default_rng(0)
    for title, which in (
        ("all", m.rating > 0),
        ("below 2000", m.rating < 2000),
        ("2000–2499", (m.rating >= 2000) & (m.rating < 2500)),
        ("from 2500", m.rating >= 2500),
    ):

        def best(chosen: NDArray[np.int64]) -> Floats:
            x = np.column_stack([np.ones(len(chosen)), away[chosen]])

            def cost(b: Floats) -> float:
                seems = m.rating[chosen] + x @ b
                return -sum(float(np.interp(s, GRID, rows[i])) for s, i in zip(seems, chosen, strict=True))

            start = np.array([[0.0, 0.0], [40.0, 0.0], [0.0, 20.0]])
            options = {"initial_simplex": start, "xatol": 0.3, "fatol": 0.01}
            return np.asarray(minimize(cost, np.zeros(2), method="Nelder-Mead", options=options).x)

        draws = [np.concatenate([of[g] for g in rng.choice(list(of), len(of))]) for _ in range(20)]
        errors = np.std([best(d[which[d]]) for d in draws], axis=0)
        level, slope = best(np.flatnonzero(which))
        print(
            f"{title} ({which.sum()}): {level:+.0f} ± {errors[0]:.0f}, {slope:+.1f} ± {errors[1]:.1f} points a year",
            flush=True,
        )


def alarms(m: Measured) -> None:
    """Print the z-scores of `arpad ipr test` for sets of games of players at their rating."""
    own = replace(m.whole, openings=None, other=None)
    wide = Prior(low=700, high=3300).log_density
    for size in (1, 5, 9, 20):
        members, weight = draw_sets(m.rating, size, count=200)
        truth = m.rating[members].mean(axis=1)
        shown = [Posterior.of(row + wide) for row in own.total(members)]
        z = np.array([strength_z(p, t) for p, t in zip(shown, truth, strict=True)])
        mean = weight @ z
        bands = [f"{z[(truth >= a) & (truth < a + 209)].mean():+.2f}" for a in np.linspace(*FIELD, 7)[:-1]]
        print(
            f"{size} games, {len(z)} sets: mean {mean:+.2f}, spread {np.sqrt(weight @ (z - mean) ** 2):.2f}, "
            f"from 2: {weight @ (z >= 2):.4f}, from 3.5: {(z >= 3.5).sum()}; by rating {', '.join(bands)}"
        )


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
        errors = [errors_of(_rows(e, rows), seed=draw, sizes=sizes)["rmse"] ** 2 for e in (theirs, ours)]
        for size, gap in zip(sizes, errors[0] - errors[1], strict=True):
            gaps[size].append(gap)
    return {size: [round(float(np.quantile(g, q))) for q in (0.025, 0.975)] for size, g in gaps.items()}


def _rows(e: Evidence, rows: NDArray[np.int64]) -> Evidence:
    """Return some rows; the two players of a game stand side by side in them."""
    place = np.full(len(rows), -1)
    last: dict[int, int] = {}
    if e.other is not None:
        for i, row in enumerate(rows):
            partner = last.pop(int(e.other[row]), None)
            if partner is None:
                last[int(row)] = i
            else:
                place[i], place[partner] = partner, i
    return replace(
        e,
        rating=e.rating[rows],
        moves=e.moves[rows],
        openings=None if e.openings is None else e.openings[rows],
        other=None if e.other is None else place,
    )


def fresh(work: Path, target: Path, nodes: int) -> None:
    """Fit a calibration to these games alone, and print its errors on thirds that were left out."""
    study, made = Study(work), shipped_calibration()
    moves = study.moves
    found = left_out(
        moves,
        study.part[moves["game"].to_numpy()],
        fit_engine,
        lambda rows, fitted: engine_evidence(rows, calibration_of(fitted, {})),
    )
    people, total = by_game(moves, found)
    report("own and opponents' moves", Evidence.of(people, EFFECT.apply(total)))
    about = dict(made.about) | {
        "date": date.today().isoformat(),
        "nodes": nodes,
        "games": study.games.height,
        "moves": len(moves),
        "ratings": _range(moves["rating"], []),
        "years": _range(moves["year"], []),
    }
    era = era_of(moves["rating"].to_numpy(), moves["year"].to_numpy().astype(float))
    final = replace(made, engine=fit_engine(moves), engine_effect=EFFECT, engine_era=era, about=about)
    target.write_text(json.dumps(final.to_dict(), separators=(",", ":")) + "\n")


# -- results and moves -------------------------------------------------------------------------------------


def results(work: Path, data: Path, known: Path) -> None:
    """Print how well moves, results and both find a player's rating, and predict games of the year that were not read."""
    m = Measured(work, known)
    every = {g["id"]: g for g in rated_games(data)}
    ids = m.study.games["id"].to_list()
    used = {every[i]["moves"] for i in ids}
    later: dict[str, list[tuple[int, float, int, int]]] = {}
    for g in every.values():
        for white in (True, False) if g["moves"] not in used and g["score"] is not None else ():
            mine, theirs = g["elo"][:: 1 if white else -1]
            score = g["score"] if white else 1 - g["score"]
            later.setdefault(_person(g["names"][not white]), []).append((g["year"], score, mine, theirs))
    played: dict[str, list[int]] = {}
    by_result = np.zeros_like(m.likelihood)
    for row, (game, white) in enumerate(m.people.select("game", "white").iter_rows()):
        g = every[ids[game]]
        played.setdefault(_person(g["names"][not white]), []).append(row)
        if g["score"] is not None:
            score = g["score"] if white else 1 - g["score"]
            by_result[row] = _result(score, g["elo"][1 if white else 0])
    moves = m.whole
    for name, e in (("results alone", Evidence(rating=m.rating, moves=by_result)), ("moves alone", moves)):
        report(name, e)
    members = {size: draw_sets(m.rating, size) for size in (1, 5, 20)}
    for size, (chosen, weight) in members.items():  # the opponents' moves count once, not their results
        mean = _mean(moves.total(chosen) + by_result[chosen].sum(axis=1) + Prior().log_density)
        rmse = np.sqrt(weight @ (mean - m.rating[chosen].mean(axis=1)) ** 2)
        print(f"moves and results {size:3d} games: RMSE {rmse:.0f}")
    losses: dict[str, list[float]] = {}
    counts = []
    for person, rows in played.items():
        year, rating = m.year[rows].max(), m.rating[rows].mean()
        after = [g for g in later.get(person, []) if year <= g[0] <= year + 1 and abs(g[2] - rating) < 100][
            :20
        ]
        if not after:
            continue
        counts.append(len(after))
        one = np.array([rows])
        told = {"moves": moves.total(one)[0], "results": by_result[rows].sum(axis=0)}
        told["moves and results"] = told["moves"] + told["results"]
        own = replace(moves, other=None).total(one)[0]
        published = -0.5 * ((GRID - rating) / 70) ** 2
        logs = {name: log + Prior().log_density for name, log in told.items()}
        logs |= {"rating": published, "rating and moves": published + own}
        for name, log in logs.items():
            p = np.exp(log - log.max())
            p /= p.sum()
            won = [float(p @ (1 / (1 + 10 ** ((g[3] - GRID) / 400)))) for g in after]
            lost = sum(g[1] * np.log(w) + (1 - g[1]) * np.log(1 - w) for g, w in zip(after, won, strict=True))
            losses.setdefault(name, []).append(-lost)
    n = np.array(counts)
    print(
        f"{len(n)} players, {n.sum()} games of the same or the next year that were not read; log loss a game"
    )
    rng = np.random.default_rng(0)
    draws = rng.integers(0, len(n), (1000, len(n)))
    for name, other in (
        ("results", "results"),
        ("moves", "results"),
        ("moves and results", "results"),
        ("rating", "rating"),
        ("rating and moves", "rating"),
    ):
        a, b = np.array(losses[name]), np.array(losses[other])
        gap = ((a - b)[draws].sum(axis=1) / n[draws].sum(axis=1)).round(4)
        low, high = np.quantile(gap, [0.025, 0.975])
        print(
            f"{name:20s} {a.sum() / n.sum():.4f}, minus {other}: {(a - b).sum() / n.sum():+.4f} ({low:+.4f} {high:+.4f})"
        )


def _result(score: float, opponent: float) -> Floats:
    gap = (GRID - opponent) * np.log(10) / 400
    return np.asarray(-score * np.logaddexp(0, -gap) - (1 - score) * np.logaddexp(0, gap))


def _mean(log: Floats) -> Floats:
    p = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(p @ GRID / p.sum(axis=1))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "step", choices=["pick", "look", "openings", "measure", "results", "alarms", "fit", "chance", "fresh"]
    )
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path, nargs="?")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--known", type=Path, help="an earlier calibration")
    parser.add_argument("--earlier", type=Path, nargs="*", default=[], help="games.csv of earlier studies")
    parser.add_argument("--every", action="store_true", help="openings: from all games")
    args = parser.parse_args()
    if args.step == "pick":
        pick(args.first, args.second, args.earlier)
    elif args.step == "look":
        look(args.first, args.hours, args.nodes)
    elif args.step == "openings":
        fit_openings(args.first, args.second, every=args.every)
    elif args.step == "measure":
        measure(args.first, args.known)
    elif args.step == "results":
        results(args.first, args.second, args.known)
    elif args.step == "alarms":
        alarms(Measured(args.first, args.known))
    elif args.step == "fit":
        fit(args.first, args.second, args.known)
    elif args.step == "fresh":
        fresh(args.first, args.second, args.nodes)
    else:
        chance(args.first, args.second, args.data)


if __name__ == "__main__":
    main()
