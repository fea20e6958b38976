"""Explanation of a rating, step by step, and a check that every rating adds up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError, counted
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame
from arpad.ledger.decisions.decisions import persons
from arpad.ledger.decisions.subjects import Person, person, person_called
from arpad.ledger.lists import KeptList, corrections_of, list_called
from arpad.ledger.policy import policy_called
from arpad.ledger.runs import ancestry
from arpad.model import schema
from arpad.rate.system import STEP_SCHEMA, numbered, player_rows, workings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.model import Games, Ratings
    from arpad.rate.system import RatingSystem


# How one figure came about: every step of one player, sums by event and by period, and that it adds up.

_FIGURES = ("rating", "opponent_rating", "score", "expected", "k", "change", "rule")
EXPLAINED = schema(
    {
        "closing": pl.Date,  # of the period; null: the games are of no ledger
        "event_id": pl.Int64,
        "event": pl.String,
        "game_id": pl.Int64,  # in the ledger
        "date": pl.Date,
        "round": pl.String,
        "colour": pl.String,  # white or black
        "opponent_id": pl.Int64,  # null: no game
        "opponent": pl.String,
        **{name: STEP_SCHEMA[name] for name in _FIGURES},
    }
)
"""The steps of one player as people read them, in their order."""
GAME = pl.col("opponent_id").is_not_null() & pl.col("score").is_not_null()
"""The step that is a game's result; a step with an opponent and no score is what else that game did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Every step behind one figure.

    `player`, `number`: Name, and number in the ledger or id in the file.
    """

    player: str
    number: str | None
    rating: float | None  # the figure; None: no rating
    steps: pl.DataFrame  # the columns of `EXPLAINED`. Changes begin at `start`.
    start: float = 0.0
    """What the first step starts from: 0 for no rating, else a list that somebody else made, or what was left
    out."""
    skipped: int = 0  # how many steps before these were left out, and are in `start`
    whole: bool = True  # false: the steps of some events only, which lead nowhere by themselves
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """The start and all changes, added up one by one."""
        now = self.start
        for change in self.steps["change"]:
            now += change
        return now

    @property
    def adds_up(self) -> bool:
        """Say whether the steps lead exactly to the figure."""
        return self.total == (self.rating or 0.0)

    @property
    def games(self) -> int:
        """Number of games among the steps."""
        return int(self.steps.select(GAME.sum()).item())

    def periods(self) -> pl.DataFrame:
        """Return `closing`, `before`, `change`, `after`, `games`: a row a period."""
        now = pl.concat([pl.Series([self.start], dtype=pl.Float64), self.steps["change"]])
        sums = now.cum_sum()
        steps = self.steps.select(
            "closing", GAME.alias("game"), sums.head(-1).alias("before"), sums.tail(-1).alias("after")
        )
        return (
            steps.group_by("closing", maintain_order=True)
            .agg(
                pl.col("before").first(),
                (pl.col("after").last() - pl.col("before").first()).alias("change"),
                pl.col("after").last(),
                pl.col("game").sum().cast(pl.Int64).alias("games"),
            )
            .select("closing", "before", "change", "after", "games")
        )

    def events(self) -> pl.DataFrame:
        """Return what each event added: W, W_e where it is known of every game, and the change."""
        rated = pl.col("expected").is_not_null()
        return (
            self.steps.filter(pl.col("opponent_id").is_not_null())
            .group_by("closing", "event_id", "event", maintain_order=True)
            .agg(
                pl.col("date").min().alias("first"),
                pl.col("date").max().alias("last"),
                GAME.sum().cast(pl.Int64).alias("games"),
                rated.sum().cast(pl.Int64).alias("rated"),
                pl.col("score").sum(),
                pl.when(rated).then("score").sum().alias("rated_score"),
                pl.when((rated | ~GAME).all()).then(pl.col("expected").sum()).alias("expected"),
                pl.col("change").sum(),
            )
        )

    def course(self) -> pl.DataFrame:
        """Return `day` and `rating` after every period; of plain games, after every game.

        Where not every game has a date, days are the numbers of the games. No rating is null.
        """
        if self.steps["closing"].null_count() == 0:
            return self.periods().select(
                pl.col("closing").alias("day"), pl.col("after").replace(0.0, None).alias("rating")
            )
        changes = pl.concat([pl.Series([self.start], dtype=pl.Float64), self.steps["change"]])
        after = self.steps.select("date", changes.cum_sum().tail(-1).alias("rating"))
        last = GAME.shift(-1, fill_value=True) | pl.col("opponent_id").shift(-1).is_null()
        ends = self.steps.select(pl.col("opponent_id").is_not_null() & last).to_series()
        games = after.filter(ends)
        dated = games["date"].null_count() == 0
        day = pl.col("date") if dated else pl.int_range(1, pl.len() + 1)
        return games.select(day.alias("day"), pl.col("rating").replace(0.0, None))

    def since(self, day: date) -> Explanation:
        """Return only the periods that closed on a day or later; of plain games, those played then."""
        when = pl.coalesce("closing", pl.col("date").forward_fill())
        late = self.steps.select((when >= day).fill_null(value=False).cum_max()).to_series()
        early = self.steps.filter(~late)
        before = replace(self, steps=early)
        return replace(
            self, steps=self.steps.filter(late), start=before.total, skipped=self.skipped + early.height
        )

    def of_events(self, wanted: pl.Expr) -> Explanation:
        """Return only the steps of some events."""
        return replace(self, steps=self.steps.filter(wanted), whole=False)

    def summary(self) -> str:
        """Return one sentence."""
        figure = "no rating" if self.rating is None else f"{self.rating:g}"
        count = counted(self.games, "game")
        if not self.whole:
            return f"{self.player}: {count} of the chosen events, {self.steps['change'].sum():+.2f}"
        first = f"{self.start:g} before, " if self.start else ""
        # Some systems do not say what each game did: "0 games" would be false of them.
        count = f"{count}, " if self.games else ""
        return f"{self.player}: {first}{count}all changes together {figure}"


def explained_games(system: RatingSystem, games: Games, before: Ratings | None, row: int) -> Explanation:
    """Return how one player's rating follows from games of no ledger.

    `row`: Of the player in `games.players`.
    """
    ratings, shown = workings(system, games, before)
    steps = shown.of(row)
    names, ids = games.players["name"], games.players["id"]
    table = numbered(games).table
    at, other = steps["game"], steps["opponent"]
    events = pl.Series("event", [e.name for e in games.events], dtype=pl.String)
    number = table["event"].gather(at)
    white = table["white"].gather(at) == row
    told = steps.select(
        pl.lit(None, dtype=pl.Date).alias("closing"),
        number.cast(pl.Int64).alias("event_id"),
        (events.gather(number) if len(events) else pl.lit(None, dtype=pl.String)).alias("event"),
        pl.lit(None, dtype=pl.Int64).alias("game_id"),
        table["date"].gather(at).alias("date"),
        table["round"].gather(at).alias("round"),
        pl.when(white).then(pl.lit("white")).when(~white).then(pl.lit("black")).alias("colour"),
        other.cast(pl.Int64).alias("opponent_id"),
        names.gather(other).alias("opponent"),
        *_FIGURES,
    )
    rated = ratings.rows.filter(player_rows(games, ratings) == row)["rating"]
    start = None if before is None else before.lookup(games.players[row : row + 1], "rating")[0]
    return Explanation(
        player=names[row],
        number=ids[row],
        rating=rated[0] if len(rated) else start,
        steps=told.cast(EXPLAINED),
        start=float(start or 0.0),
    )


# How a figure of a list came about, read from the steps that the ledger keeps: nothing is computed again.

LIST_ROUNDING = "rounded for the list; the exact figure goes on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A figure of a list, and how it came about."""

    list: KeptList  # the list that the figure stands on
    correction: KeptList | None  # the published correction that the figure is of, if it is of one
    person: Person  # the player as the ledger has him today
    explanation: Explanation


def explained(
    connection: Connection,
    player: str,
    *,
    policy: str | None = None,
    name: str | None = None,
    as_published: bool = False,
) -> Explained:
    """Return every step behind a player's figure.

    `player`: A name, a part of one, ``#number`` or an id.
    `name`: Of the list; None: the last one.
    `as_published`: Without the corrections that were published since.
    """
    who = person_called(connection, player)
    kept = list_called(connection, policy_called(connection, policy).name, name)
    numbers = persons(connection, [who.id])
    number = _then(connection, who, numbers, kept)
    sources = [kept]
    if not as_published:
        sources += [each for each in corrections_of(connection, kept) if each.published]
    result = [(each, _figure(connection, each, number)) for each in sources]
    source, figure = next((pair for pair in reversed(result) if pair[1] is not None), (kept, None))
    steps = _steps(connection, source.run_id, number, numbers)
    if figure is None and steps.is_empty():
        raise UsageError(
            f"{who.called()} has played nothing that counts up to {kept.closing} for {kept.words}"
        )
    rating = figure[0] if figure else None
    explanation = Explanation(
        player=who.name,
        number=str(who.id),
        rating=rating,
        steps=_to_the_list(steps, rating, rounds_by(connection, source)),
        notes=_notes(connection, who, number, result, kept),
    )
    return Explained(
        list=kept, correction=source if source.number else None, person=who, explanation=explanation
    )


def _then(connection: Connection, who: Person, numbers: list[int], kept: KeptList) -> int:
    """Return under which number a player stands on a list: he may have been merged since."""
    if len(numbers) == 1:
        return who.id
    n = tables.entries
    query = (
        sa.select(n.c.player_id)
        .where(n.c.list_id == kept.id, n.c.player_id.in_(numbers))
        .order_by(n.c.total_games.desc(), n.c.player_id)
    )
    there = list(connection.execute(query).scalars())
    return there[0] if there and who.id not in there else who.id


def _figure(connection: Connection, kept: KeptList, number: int) -> tuple[float | None] | None:
    """Return the figure of a list; None: the player does not stand there."""
    n = tables.entries
    row = connection.execute(
        sa.select(n.c.rating).where(n.c.list_id == kept.id, n.c.player_id == number)
    ).one_or_none()
    return None if row is None else (None if row.rating is None else float(row.rating),)


def _steps(connection: Connection, run: int | None, number: int, numbers: list[int]) -> pl.DataFrame:
    """Return a player's steps along the chain of a run; games know him by one of `numbers`."""
    s, r, g, e, p = tables.steps, tables.runs, tables.games, tables.events, tables.players
    why = tables.rules
    colour = sa.case((g.c.white_id.in_(numbers), "white"), (g.c.id.is_not(None), "black"))
    query = (
        sa.select(
            r.c.closing,
            s.c.event_id,
            e.c.name.label("event"),
            s.c.game_id,
            g.c.date,
            g.c.round,
            colour.label("colour"),
            s.c.opponent_id,
            p.c.name.label("opponent"),
            *(s.c[name] for name in ("rating", "opponent_rating", "score", "expected", "k", "change")),
            why.c.text.label("rule"),
        )
        .select_from(s)
        .join(r, r.c.id == s.c.run_id)
        .outerjoin(why, sa.and_(why.c.run_id == s.c.run_id, why.c.number == s.c.rule))
        .outerjoin(g, g.c.id == s.c.game_id)
        .outerjoin(e, e.c.id == s.c.event_id)
        .outerjoin(p, p.c.id == s.c.opponent_id)
        .where(s.c.run_id.in_(ancestry(connection, run)), s.c.player_id == number)
        .order_by(s.c.run_id, s.c.seq)
    )
    result = frame(connection, query, {"colour": pl.String})
    return result.select(EXPLAINED.names()).cast(EXPLAINED)


def rounds_by(connection: Connection, kept: KeptList) -> float:
    """Return by how much a list may round what it goes on from; 0: it goes on from what it publishes."""
    p = tables.policies
    said = connection.execute(sa.select(p.c.document).where(p.c.id == kept.policy_id)).scalar_one()
    return float(said.get("round_to") or 0.0) if said.get("carries") == "exact" else 0.0


def _to_the_list(steps: pl.DataFrame, rating: float | None, most: float) -> pl.DataFrame:
    """Add what the list rounds where the next period goes on from the exact figure."""
    now = Explanation(player="", number=None, rating=rating, steps=steps).total
    if rating is None or steps.is_empty() or not 0 < abs(rating - now) <= most:
        return steps
    last = {
        "closing": [steps["closing"][-1]],
        "rating": [now],
        "change": [rating - now],
        "rule": [LIST_ROUNDING],
    }
    return pl.concat([steps, pl.DataFrame(last)], how="diagonal_relaxed").cast(EXPLAINED)


def _notes(
    connection: Connection,
    who: Person,
    number: int,
    found: Sequence[tuple[KeptList, tuple[float | None] | None]],
    kept: KeptList,
) -> tuple[str, ...]:
    notes = []
    if number != who.id:
        then = person(connection, number)
        notes.append(f"on {kept.name} the player is {then.called()}, merged since then")
    before: tuple[float | None] | None = None
    for each, figure in found:
        if each.number and figure is not None:
            notes.append(f"{each.words}: {_shown(before)} became {_shown(figure)}")
        before = figure if figure is not None else before
    return tuple(notes)


def _shown(figure: tuple[float | None] | None) -> str:
    return "no rating" if figure is None or figure[0] is None else f"{figure[0]:g}"


# Does every figure of a list add up? The steps of everybody, added up and compared with what was kept.

NOISE = 1e-9  # points by which K (W − W_e) may miss a change: what binary fractions leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Result of the check of a whole list.

    `figures`, `steps`, `games`: How many figures of the list, steps and sides of games were looked at.
    """

    list: KeptList
    figures: int
    periods: int
    steps: int
    games: int
    wrong: pl.DataFrame
    """`player_id`, `closing` (null: the list itself), `what`, `kept`, `found`: what does not add up."""

    @property
    def adds_up(self) -> bool:
        """Say whether nothing is wrong."""
        return self.wrong.is_empty()

    def table(self) -> pl.DataFrame:
        """Return what is wrong."""
        return self.wrong

    def summary(self) -> str:
        """Return one sentence."""
        looked = (
            f"{self.list.words}: {counted(self.figures, 'figure')}, {counted(self.periods, 'period')}, "
            f"{counted(self.steps, 'step')}, {counted(self.games, 'side')} of games"
        )
        if self.adds_up:
            return f"{looked}: every figure is the sum of its steps, and every K (W − W_e) its change"
        return f"{looked}: {self.wrong.height:,} do not add up"


def audited(connection: Connection, kept: KeptList) -> Audit:
    """Add up everybody's steps along the chain of a list.

    After every period they must be the figure that was kept, to the last bit, and so at the end the
    figure of the list. Every change with a K must be K (W − W_e).
    """
    runs = ancestry(connection, kept.run_id)
    steps = _audit_steps(connection, runs)
    after = (
        steps.select("player_id", "run_id", pl.col("change").cum_sum().over("player_id").alias("found"))
        .group_by("player_id", "run_id", maintain_order=True)
        .last()
    )
    s, n, r = tables.states, tables.entries, tables.runs.c
    states = _kept(connection, s, ("run_id", "player_id"), s.c.run_id.in_(runs))
    entries = _kept(connection, n, ("player_id",), n.c.list_id == kept.id)
    wrong = [
        _periods_wrong(after, states),
        _list_wrong(states, entries, rounds_by(connection, kept)),
        _changes_wrong(steps),
    ]
    query = sa.select(r.id.label("run_id"), r.closing).where(r.id.in_(runs)).order_by(r.id)
    closings = frame(connection, query)
    result = pl.concat(wrong).join(closings, on="run_id", how="left", maintain_order="left")
    return Audit(
        list=kept,
        figures=entries.height,
        periods=len(runs),
        steps=steps.height,
        games=steps["k"].len() - steps["k"].null_count(),
        wrong=result.select("player_id", "closing", "what", "kept", "found"),
    )


def _audit_steps(connection: Connection, runs: list[int]) -> pl.DataFrame:
    """Return everybody's steps, each player's in their order."""
    s = tables.steps
    columns = ("run_id", "player_id", "score", "expected", "k", "change")
    query = (
        sa.select(*(s.c[name] for name in columns))
        .where(s.c.run_id.in_(runs))
        .order_by(s.c.run_id, s.c.player_id, s.c.seq)
    )
    return frame(connection, query).sort("player_id", maintain_order=True)


def _kept(
    connection: Connection, table: sa.Table, chosen: Sequence[str], where: sa.ColumnElement[bool]
) -> pl.DataFrame:
    """Return the ratings that a table keeps as `kept`, 0 for none, by the other columns."""
    columns = [table.c[name] for name in chosen]
    query = sa.select(*columns, table.c.rating.label("kept")).where(where).order_by(*columns)
    return frame(connection, query).with_columns(pl.col("kept").fill_null(0.0))


def _periods_wrong(after: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """Return where the steps up to a period do not lead to the figure after it."""
    both = states.join(after, on=["run_id", "player_id"], how="full", coalesce=True)
    differ = pl.col("kept").fill_null(0.0) != pl.col("found")
    # A state without a step in its run: nothing changed, so it must be what it was.
    carried = pl.col("found").fill_null(strategy="forward").over("player_id").fill_null(0.0)
    both = both.sort("player_id", "run_id").with_columns(carried)
    return _wrong(both.filter(differ), "after a period")


def _list_wrong(states: pl.DataFrame, entries: pl.DataFrame, most: float) -> pl.DataFrame:
    """Return which figures of the list are not those after the last period (rounded by up to `most`)."""
    last = states.group_by("player_id", maintain_order=True).last()
    both = entries.join(last.rename({"kept": "found"}), on="player_id", how="left")
    miss = (pl.col("kept") - pl.col("found").fill_null(0.0)).abs()
    return _wrong(
        both.filter(miss > most).with_columns(pl.lit(None, dtype=pl.Int64).alias("run_id")), "on the list"
    )


def _changes_wrong(steps: pl.DataFrame) -> pl.DataFrame:
    """Return changes that are not K (W − W_e)."""
    formula = pl.col("k") * (pl.col("score") - pl.col("expected"))
    rated = steps.filter(pl.col("k").is_not_null())
    both = rated.select("run_id", "player_id", kept="change", found=formula)
    return _wrong(both.filter((pl.col("kept") - pl.col("found")).abs() > NOISE), "K (W − W_e)")


def _wrong(rows: pl.DataFrame, what: str) -> pl.DataFrame:
    return rows.sort("player_id", "run_id").select(
        pl.col("player_id", "run_id").cast(pl.Int64),
        pl.lit(what).alias("what"),
        pl.col("kept", "found").cast(pl.Float64),
    )
