"""From games in files to a strength with its interval for each player."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.evaluated_games import read_evaluated, told_apart
from arpad.moves.gain import position_values
from arpad.moves.positions import is_ordinary_chess, positions
from arpad.moves.strength.engine_values import FIRST_PLY, LAST_PLY, EngineSource, engine_moves, read_values
from arpad.moves.strength.features import (
    chance_evidence,
    chance_features,
    chance_outcome,
    engine_evidence,
    loss_features,
    loss_outcome,
    valued_moves,
)
from arpad.moves.strength.openings import OpeningTable, shipped_openings
from arpad.moves.strength.outcome_model import StrengthCalibration, shipped_calibration
from arpad.moves.strength.posterior import GRID, Posterior, Prior, blurred, combine, opponents_evidence
from arpad.moves.strength.report import (
    GameStrength,
    Part,
    PartStrength,
    PlayerStrength,
    Situation,
    StrengthReport,
)
from arpad.read.fields import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from arpad.moves.evaluated_games import EvaluatedGames

    Floats = NDArray[np.float64]

Values = Literal["auto", "file", "engine"]
"""Sources of evaluations: the file where it has them and otherwise an engine, the file only, or an engine only."""

ENOUGH = 0.8
"""The share of a game's moves that must have a value in the file, so that no engine is needed."""

OPENING, ENDGAME = 30, 26
"""A move is of the opening before this ply; of the endgame where all pieces are worth no more than this."""

CLEAR = 150
"""Centipawns from which a side is ahead."""

BLUNDER = 2
"""The outcomes of a loss, counted from the last, that are blunders."""

HURRY = 0.1
"""A player whose clock shows less than this share of the time at the beginning is in time trouble."""

Seat = tuple[int, bool]
"""A game and whether White."""
Cell = tuple[int, bool, tuple[str, str] | None]
"""The same with a part of it and its label, such as phase and endgame; None: all moves."""

PIECES = {"n": 3, "b": 3, "r": 5, "q": 9}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """Moves with `game`, `white`, `phase`, `advantage`, and what each says of ratings."""

    moves: pl.DataFrame
    likelihood: Floats
    outcome: NDArray[np.int64]
    source: Literal["engine", "file"]


def strength(
    files: str | Path | Sequence[str | Path],
    *,
    player: str | None = None,
    values: Values = "auto",
    prior: Prior | Literal["flat", "rating"] = "flat",
    rating_error: float = 100.0,
    engine: EngineSource | None = None,
    calibration: StrengthCalibration | None = None,
    confidence: float = 0.95,
    openings: bool = True,
    opponents: bool = True,
    selection: Selection | None = None,
    strict: bool = False,
) -> StrengthReport:
    """Estimate the strength of players from their moves.

    Every game gets a likelihood over ratings, from a model fitted to games of players with known ratings; the
    games of a player are multiplied with a prior. The estimate is the mean of the product.
    Games of variants, games without play and games without moves are left out; the report says so.

    Parameters
    ----------
    files
        PGN files; ``-`` is standard input.
    player
        Only players whose name contains this, whatever the case of the letters.
    values
        Source of the evaluations: `%eval` comments of the file where a game has them and an engine's elsewhere
        (``"auto"``), or only one of both.
    prior
        The prior: ``"flat"`` over the range of the calibration, ``"rating"`` the player's own
        rating in the file (flat where there is none), or a `Prior`.
    rating_error
        The standard error of such a rating.
    engine
        The engine, the number of processes, and the folder of the evaluations.
    calibration
        A calibration instead of the one that comes with arpad.
    confidence
        The probability of an interval.
    openings
        Whether the first fifteen moves count, too: which openings and early habits players of each rating have.
    opponents
        Whether the opponents' moves count, too: players mostly meet players of about their own strength. Without effect
        on phases and situations, and where the prior is a rating.
    selection
        Which games count; None: all but those of bots.

    Raises
    ------
    InputError
        If there is no game with moves, or no evaluation where only those of the file are wanted.
    """
    if values not in get_args(Values):
        raise UsageError(f"values: expected one of {', '.join(get_args(Values))}, found {values!r}")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence: expected between 0 and 1, found {confidence:g}")
    made = calibration or shipped_calibration()
    wanted = Selection(variant=None, rated=None) if selection is None else selection
    evaluated = read_evaluated(files, strict=strict, selection=wanted)
    chosen = _Chosen.of(evaluated, player)
    inside = evaluated.table.with_columns(
        pl.Series("value", position_values(evaluated)), pl.col("turn").eq("w").alias("white")
    ).filter(pl.col("game").is_in(chosen.games))
    from_file = [] if values == "engine" else _valued_games(inside)
    asked = [] if values == "file" else [g for g in chosen.games if g not in set(from_file)]
    parts: list[_Evidence] = []
    clocks = _time_trouble(evaluated.table)
    places = positions(evaluated).filter(pl.col("game").is_in(chosen.games))
    if from_file:
        parts.append(_from_file(inside, places, from_file, made, clocks))
    who = ""
    if asked:
        source = engine or EngineSource()
        source = replace(source, nodes=source.nodes or made.about.get("nodes"))
        result, who = _from_engine(places, asked, source, made, clocks)
        parts.append(result)
    calibrated = str(made.about.get("engine", ""))
    other = bool(who) and bool(calibrated) and not who.startswith(calibrated)
    notes = [f"{_games(n)} left out: {why}" for why, n in evaluated.report.left_out.items()] + list(
        chosen.notes
    )
    if other:
        notes.append(
            f"the calibration is of {calibrated}, the engine is {who}: strengths may be off; calibrate with this engine"
        )
    silent = len(chosen.games) - len(from_file) - len(asked)
    if silent:
        notes.append(f"{_games(silent)} without evaluations left out")
    if not parts:
        raise InputError(
            "expected games with evaluations behind the moves, such as [%eval 0.13], found none: "
            "let an engine evaluate them"
            if chosen.games
            else f"expected games with moves, found none ({'; '.join(notes) or 'no games'})"
        )
    days = evaluated.games.table["date"].to_list()
    years = {game: day.year if day else None for game, day in enumerate(days)}
    cells = _Cells(parts, made, shipped_openings() if openings else None, places, years)
    builder = _Builder(
        evaluated, cells, prior=prior, rating_error=rating_error, opponents=opponents, confidence=confidence
    )
    return StrengthReport(
        players=builder.players(set(chosen.players), sorted({*from_file, *asked})),
        notes=tuple(notes),
        parameters={
            "values": values,
            "engine": who or None,
            "first_move": FIRST_PLY // 2 + 1,
            "last_move": (LAST_PLY + 1) // 2,
            "games_from_file": len(from_file),
            "games_from_engine": len(asked),
            "openings": openings,
            "opponents": opponents,
        },
        fingerprint=evaluated.games.fingerprint(),
        confidence=confidence,
        calibration=made.about,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The games that count, the players who are wanted, and what was left out."""

    games: list[int]
    players: list[int]
    notes: list[str]

    @classmethod
    def of(cls, evaluated: EvaluatedGames, player: str | None) -> _Chosen:
        games = evaluated.games
        moves = evaluated.table.filter(pl.col("ply") > 0)["game"].value_counts()
        played = dict(moves.iter_rows())
        starts = evaluated.starts.select("variant").to_series().to_list()
        counts: dict[str, int] = {}
        kept = []
        for row, status in enumerate(games.table["status"]):
            why = (
                "of variants"
                if not is_ordinary_chess(starts[row])
                else "decided without play"
                if status == "forfeit"
                else "without moves"
                if not played.get(row)
                else ""
            )
            if why:
                counts[why] = counts.get(why, 0) + 1
            else:
                kept.append(row)
        notes = [f"{_games(n)} {why} left out" for why, n in counts.items()]
        names = games.players["name"].fill_null("?").to_list()
        wanted = [i for i, n in enumerate(names) if (player or "").casefold() in n.casefold()]
        if player is not None:
            if not wanted:
                some = ", ".join(names[:5])
                raise UsageError(f"expected part of a player's name, found {player!r}; there are {some}, …")
            sides = games.table.select("white", "black").rows()
            kept = [g for g in kept if set(sides[g]) & set(wanted)]
        return cls(games=kept, players=wanted, notes=notes)


def _valued_games(inside: pl.DataFrame) -> list[int]:
    """Return the games most of whose counted positions have a value in the file."""
    counted = inside.filter(pl.col("ply").is_between(FIRST_PLY, LAST_PLY + 1))
    known = counted.group_by("game", maintain_order=True).agg(
        pl.col("value").is_finite().mean().alias("share")
    )
    moved = inside.filter(pl.col("ply") > 0)
    any_value = moved.group_by("game").agg(pl.col("value").is_finite().mean().alias("all"))
    both = any_value.join(known, on="game", how="left", maintain_order="left")
    result = both.filter(pl.coalesce("share", "all") >= ENOUGH)
    return [int(g) for g in result["game"].sort()]


def _from_file(
    inside: pl.DataFrame,
    places: pl.DataFrame,
    games: list[int],
    made: StrengthCalibration,
    clocks: pl.DataFrame,
) -> _Evidence:
    moves = valued_moves(inside.filter(pl.col("game").is_in(games)))
    moves = _with_material(moves, places).with_columns(best=pl.col("before"))
    return _Evidence(
        moves=_described(moves, clocks),
        likelihood=chance_evidence(moves, made),
        outcome=chance_outcome(moves["before"].to_numpy(), moves["after"].to_numpy()),
        source="file",
    )


def _from_engine(
    places: pl.DataFrame,
    games: list[int],
    source: EngineSource,
    made: StrengthCalibration,
    clocks: pl.DataFrame,
) -> tuple[_Evidence, str]:
    counted = places.filter(
        pl.col("game").is_in(games)
        & pl.col("ply").is_between(FIRST_PLY, LAST_PLY)
        & pl.col("uci").is_not_null()
        & (pl.col("uci") != "0000")
        & pl.col("over").is_null()
    )
    result = read_values(counted, source)
    moves = engine_moves(counted, result)
    evidence = _Evidence(
        moves=_described(moves, clocks),
        likelihood=engine_evidence(moves, made),
        outcome=loss_outcome(moves),
        source="engine",
    )
    return evidence, result.engine


def _with_material(moves: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    board = pl.col("epd").str.split(" ").list.first().str.to_lowercase()
    worth = pl.sum_horizontal(*(board.str.count_matches(letter) * n for letter, n in PIECES.items())).cast(
        pl.Int32
    )
    known = places.select("game", "ply", worth.alias("pieces"))
    return moves.join(known, on=["game", "ply"], how="left", maintain_order="left").with_columns(
        pl.col("pieces").fill_null(99)
    )


def _time_trouble(table: pl.DataFrame) -> pl.DataFrame:
    """Return `game`, `ply` (of the position before a move) and `hurry`: whether the mover had little time left."""
    most = pl.col("clock").max().over("game")
    return table.filter(pl.col("clock").is_not_null()).select(
        "game", (pl.col("ply") + 1).cast(pl.Int32).alias("ply"), hurry=pl.col("clock") < HURRY * most
    )


def _described(moves: pl.DataFrame, clocks: pl.DataFrame) -> pl.DataFrame:
    """Add the phase of the game, whether the mover was ahead, and whether time was short."""
    phase = (
        pl.when(pl.col("ply") < OPENING)
        .then(pl.lit("opening"))
        .when(pl.col("pieces") <= ENDGAME)
        .then(pl.lit("endgame"))
        .otherwise(pl.lit("middlegame"))
    )
    ahead = (
        pl.when(pl.col("best") >= CLEAR)
        .then(pl.lit("ahead"))
        .when(pl.col("best") <= -CLEAR)
        .then(pl.lit("behind"))
        .otherwise(pl.lit("level"))
    )
    named = moves.with_columns(phase.alias("phase"), ahead.alias("advantage"))
    return named.join(clocks, on=["game", "ply"], how="left", maintain_order="left")


class _Builder:
    """Puts evidence together by player and by part."""

    def __init__(
        self,
        evaluated: EvaluatedGames,
        cells: _Cells,
        *,
        prior: Prior | Literal["flat", "rating"],
        rating_error: float,
        opponents: bool,
        confidence: float,
    ) -> None:
        self.games = told_apart(evaluated.games)
        self.frame, self.events = self.games.table, self.games.events
        self.names = self.games.players["name"].fill_null("?").to_list()
        self.cells, self.confidence, self.opponents = cells, confidence, opponents
        self.prior, self.rating_error = prior, rating_error

    def players(self, wanted: set[int], covered: Iterable[int]) -> tuple[PlayerStrength, ...]:
        """Return everybody who is wanted and has games that are covered, most moves first."""
        seats: dict[int, list[Seat]] = {}
        for row in covered:
            for white, who in ((True, self.frame["white"][row]), (False, self.frame["black"][row])):
                if who is not None and who in wanted:
                    seats.setdefault(int(who), []).append((row, white))
        result = [self._player(who, played) for who, played in seats.items()]
        return tuple(sorted(result, key=lambda p: (-p.moves, p.name)))

    def _prior(self, rating: float | None) -> Prior:
        if isinstance(self.prior, Prior):
            return self.prior
        if self.prior == "rating" and rating is not None:
            return Prior(rating=rating, error=self.rating_error)
        return Prior()

    def _player(self, who: int, seats: list[Seat]) -> PlayerStrength:
        cells, games = self.cells, [self._game(seat) for seat in seats]
        rating, opponents = (_mean([getattr(g, n) for g in games]) for n in ("rating", "opponent_rating"))
        prior = self._prior(rating)
        company = self._company(seats, prior)
        evidence = cells.likelihood([(g, w, None) for g, w in seats])
        evidence = cells.uncertain(evidence if company is None else evidence + company, seats)
        posterior = combine(evidence, prior)
        scores = [
            (float(self.frame["score" if w else "black_score"][row]), game.opponent_rating)
            for (row, w), game in zip(seats, games, strict=True)
            if game.opponent_rating is not None
            and self.frame["score"][row] is not None
            and self.frame["black_score"][row] is not None
        ]
        results = _result_likelihood(scores) if scores else None
        situations = cells.situations(seats, posterior)
        return PlayerStrength(
            name=self.names[who],
            games=len(seats),
            moves=sum(cells.count(g, w) for g, w in seats),
            posterior=posterior,
            prior=prior,
            rating=rating,
            opponents=opponents,
            by_game=tuple(games),
            company=company,
            parts={part: self._parts(part, seats) for part in get_args(Part) if part != "game"},
            blunders=situations[0].mistakes if situations else 0,
            expected_blunders=situations[0].expected if situations else 0.0,
            situations=situations,
            results=None if results is None else combine(results, prior),
            combined=None if results is None else combine(np.vstack([evidence, results]), prior),
            confidence=self.confidence,
        )

    def _company(self, seats: Sequence[Seat], prior: Prior) -> Floats | None:
        """Return what the opponents' moves say of a player; None where they do not count."""
        if not self.opponents or prior.rating is not None:
            return None
        others: dict[tuple[object, ...], list[tuple[int, bool, None]]] = {}
        for game, white in seats:
            who = self.frame["black" if white else "white"][game]
            others.setdefault((game, white) if who is None else (who,), []).append((game, not white, None))
        said = [self.cells.likelihood(played, among=len(seats)) for played in others.values()]
        return opponents_evidence(said, prior)

    def _alone(self, seats: Sequence[Seat], evidence: Floats, *, opponents: bool = True) -> Posterior:
        """Return what these games say by themselves, from the flat prior."""
        company = self._company(seats, Prior()) if opponents else None
        total = evidence if company is None else evidence + company
        return combine(self.cells.uncertain(total, seats), Prior())

    def _game(self, seat: Seat) -> GameStrength:
        row, white = seat
        game = self.frame.row(row, named=True)
        own, opponent = (game[f"{s}_rating"] for s in (("white", "black") if white else ("black", "white")))
        cells = self.cells
        evidence = cells.likelihood([(row, white, None)])
        return GameStrength(
            white=self._name(game["white"]),
            black=self._name(game["black"]),
            date=_date(game),
            event=self._event(game["event"]),
            result=_result(game["score"]),
            side="white" if white else "black",
            moves=cells.count(row, white),
            posterior=self._alone([seat], evidence),
            likelihood=evidence,
            rating=None if own is None else float(own),
            opponent_rating=None if opponent is None else float(opponent),
            source=cells.source.get(row, "engine"),
            confidence=self.confidence,
        )

    def _parts(self, part: Part, seats: list[Seat]) -> tuple[PartStrength, ...]:
        rows: dict[str, list[Cell]] = {}
        cells, within = self.cells, part in ("phase", "advantage")
        for game, white in seats:
            if within:
                for label in cells.labels(game, white, part):
                    rows.setdefault(label, []).append((game, white, (part, label)))
            else:
                rows.setdefault(self._label(part, game, white), []).append((game, white, None))
        order = ORDER.get(part)
        labels = [x for x in order if x in rows] if order else sorted(rows)
        return tuple(
            PartStrength(
                label=label,
                games=len(rows[label]),
                moves=sum(cells.count(g, w, only) for g, w, only in rows[label]),
                posterior=self._alone(
                    [(g, w) for g, w, _ in rows[label]], cells.likelihood(rows[label]), opponents=not within
                ),
                confidence=self.confidence,
            )
            for label in labels
        )

    def _label(self, part: Part, game: int, white: bool) -> str:
        row = self.frame.row(game, named=True)
        if part == "colour":
            return "White" if white else "Black"
        if part == "year":
            return str(row["date"].year) if row["date"] else "unknown"
        event = None if row["event"] is None else self.events[row["event"]]
        if part == "time_control":
            return (event.time_control if event else None) or "unknown"
        return self._event(row["event"])

    def _event(self, event: int | None) -> str:
        return "unknown" if event is None else self.events[event].name or "unknown"

    def _name(self, who: int | None) -> str:
        return "?" if who is None else self.names[who]


ORDER: dict[str, tuple[str, ...]] = {
    "phase": ("opening", "middlegame", "endgame"),
    "advantage": ("ahead", "level", "behind"),
    "colour": ("White", "Black"),
}


SITUATIONS = (
    ("all moves", pl.lit(True)),
    ("opening", pl.col("phase") == "opening"),
    ("middlegame", pl.col("phase") == "middlegame"),
    ("endgame", pl.col("phase") == "endgame"),
    ("ahead", pl.col("advantage") == "ahead"),
    ("level", pl.col("advantage") == "level"),
    ("behind", pl.col("advantage") == "behind"),
    ("time trouble", pl.col("hurry")),
)


class _Cells:
    """Likelihoods by game, side and part, with the effect of the game."""

    def __init__(
        self,
        parts: Iterable[_Evidence],
        made: StrengthCalibration,
        openings: OpeningTable | None,
        places: pl.DataFrame,
        years: dict[int, int | None],
    ) -> None:
        self.made = made
        self.parts = list(parts)
        self.table = openings
        self.years = years
        self.openings = openings.evidence(places, years) if openings else {}
        self.rows: dict[tuple[int, bool], tuple[int, NDArray[np.int64]]] = {}
        self.source: dict[int, Literal["engine", "file"]] = {}
        for number, part in enumerate(self.parts):
            keys = part.moves.select("game", "white").with_row_index("row")
            for (game, white), rows in keys.group_by(["game", "white"], maintain_order=True):
                self.rows[(int(game), bool(white))] = (number, rows["row"].to_numpy())
            for game in part.moves["game"].unique():
                self.source[int(game)] = part.source

    def count(self, game: int, white: bool, only: tuple[str, str] | None = None) -> int:
        """Return how many moves count."""
        return len(self._moves(game, white, only)[1])

    def labels(self, game: int, white: bool, part: str) -> list[str]:
        """Return the labels of a part that these moves have."""
        number, rows = self._moves(game, white, None)
        return [] if number < 0 else self.parts[number].moves[part].gather(rows).unique().to_list()

    def likelihood(self, cells: Sequence[Cell], *, among: int = 0) -> Floats:
        """Return the log-likelihood on the grid of one player's games, or of parts of them, `among` the games of many."""
        rows, first = [], []
        for game, white, only in cells:
            number, mine = self._moves(game, white, only)
            if number < 0 or not len(mine):
                continue
            part = self.parts[number]
            engine = part.source == "engine"
            effect = self.made.engine_effect if engine else self.made.chance_effect
            one = effect.apply(part.likelihood[mine].sum(axis=0))[0]
            rows.append(self.made.engine_era.corrected(one, self.years[game]) if engine else one)
            if only in (None, ("phase", "opening")) and (game, white) in self.openings:
                year = self.years[game] or self.made.engine_era.last
                first.append((self.openings[game, white], self.table.lag(year) if self.table else 0))
        result = np.array(rows).reshape(-1, len(GRID)).sum(axis=0)
        if self.table is not None and first:
            lag = float(np.mean([years for _, years in first]))
            result += self.table.share(len(first), lag, among=among) * np.sum(
                [said for said, _ in first], axis=0
            )
        return np.asarray(result)

    def uncertain(self, likelihood: Floats, seats: Iterable[Seat]) -> Floats:
        """Return the log-likelihood of a player's games with the error that they have in common."""
        sources = [(self.years[game], self.source.get(game)) for game, _ in seats]
        years = [year for year, source in sources if source == "engine"]
        by_file = sum(source == "file" for _, source in sources) / max(len(sources), 1)
        level = round(by_file * self.made.chance_effect.level)
        known = self.made.engine_era.uncertain(likelihood, years)
        return np.asarray(blurred(known, level)[0]) if level else known

    def situations(self, seats: Sequence[Seat], posterior: Posterior) -> tuple[Situation, ...]:
        """Return how much these moves lost in each situation, and how much a player of this strength would have."""
        tables = []
        for number, part in enumerate(self.parts):
            result = [(g, rows) for g, w in seats for at, rows in [self._moves(g, w, None)] if at == number]
            if not result:
                continue
            mine = np.concatenate([rows for _, rows in result])
            engine = part.source == "engine"
            model = (self.made.engine if engine else self.made.chance)["loss"]
            features = (loss_features if engine else chance_features)(part.moves[mine])
            seems = posterior.mean  # as the calibration sees it, which knows the moves of other years
            if engine:
                shift = np.mean([self.made.engine_era.shift(self.years[g]) for g, _ in result], axis=0)
                seems += float(np.interp(seems, GRID, shift))
            chance = model.probabilities(features, seems)
            level = model.shape[:, 1]
            mean = chance @ level
            tables.append(
                part.moves[mine].select(
                    "phase",
                    "advantage",
                    "hurry",
                    mistake=pl.Series(part.outcome[mine] >= len(level) - BLUNDER),
                    expected=pl.Series(chance[:, -BLUNDER:].sum(axis=1)),
                    excess=pl.Series(level[part.outcome[mine]] - mean),
                    variance=pl.Series(chance @ level**2 - mean**2),
                )
            )
        moves = pl.concat(tables) if tables else pl.DataFrame()
        return tuple(
            Situation(
                label=label,
                moves=len(rows),
                mistakes=int(rows["mistake"].sum()),
                expected=float(rows["expected"].sum()),
                z=float(rows["excess"].sum()) / float(rows["variance"].sum()) ** 0.5,
            )
            for label, which in SITUATIONS
            if len(moves) and len(rows := moves.filter(which))
        )

    def _moves(self, game: int, white: bool, only: tuple[str, str] | None) -> tuple[int, NDArray[np.int64]]:
        number, rows = self.rows.get((game, white), (-1, np.empty(0, dtype=np.int64)))
        if only is not None and number >= 0:
            part, label = only
            labels = self.parts[number].moves[part].gather(rows)
            rows = rows[(labels == label).to_numpy()]
        return number, rows


def _result_likelihood(scores: Sequence[tuple[float, float]]) -> Floats:
    """Return the log-likelihood of scores against rated opponents, by the logistic curve, on the grid."""
    score = np.array([s for s, _ in scores])[:, None]
    gap = (GRID[None, :] - np.array([r for _, r in scores])[:, None]) * np.log(10) / 400
    win, loss = -np.logaddexp(0.0, -gap), -np.logaddexp(0.0, gap)
    return np.asarray((score * win + (1 - score) * loss).sum(axis=0, keepdims=True))


def _mean(values: list[Any]) -> float | None:
    known = [float(v) for v in values if v is not None and v > 0]
    return round(sum(known) / len(known), 1) if known else None


def _date(game: dict[str, Any]) -> str:
    if game["date"] is None:
        return ""
    length = {"year": 4, "month": 7}.get(game["precision"], 10)
    return str(game["date"].isoformat()[:length])


def _result(score: float | None) -> str:
    return {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}.get(-1.0 if score is None else score, "*")


def _games(n: int) -> str:
    return f"{n:,} game{'' if n == 1 else 's'}"
