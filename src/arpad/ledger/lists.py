"""Rating lists in the ledger: found by name, ranked, written."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, rows_in
from arpad.ledger.period import LAST, PlayedPeriod, carried, games_of
from arpad.ledger.policy import policy_numbers, rounded
from arpad.ledger.register import merged_ends, people_today
from arpad.ledger.runs import games_of_events, profiles
from arpad.model import Ratings, schema
from arpad.rate.bootstrap import with_true_errors
from arpad.rate.system import list_on

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from arpad.ledger.policy import Policy
    from arpad.ledger.runs import Chain, Link, RunStandings


# From where everybody stands to what a list says: ranks, marks, who is listed [Elo 3.2, 4.42].

ENTRIES = schema(
    {
        "player_id": pl.Int64,
        "rank": pl.Int64,  # equal ratings share it; null: not listed
        "name": pl.String,
        "title": pl.String,
        "federation": pl.String,
        "rating": pl.Float64,
        "games": pl.Int64,  # since the last published list; before the first one, in the period
        "total_games": pl.Int64,
        "status": pl.String,
        "change": pl.Float64,  # since the last published list, corrected, else the closing before; null: new
        "deviation": pl.Float64,
    }
)
"""Columns of a player's entry on a list.

`status` is established, provisional or inactive for those on the list; for those who are rated but not
listed it begins with "unlisted" and says why.
"""
WOMEN = ("w", "f")


def entries_of(
    policy: Policy,
    closing: date,
    state: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    players: pl.DataFrame,
    earlier: pl.DataFrame,
    played: pl.DataFrame,
    base: pl.DataFrame | None = None,
    members: pl.Series | None = None,
) -> pl.DataFrame:
    """Return everybody who is rated, best first, with rank and mark.

    `state`, `columns`: Where everybody stands on the closing date.
    `players`: `player_id`, `name`, `title`, `federation`, `sex`.
    `earlier`: `player_id` and `rating` on the closing date before.
    `played`: `player_id` and `games` of the list's own period.
    `base`: `player_id`, `rating`, `total_games` of the last published list, corrected: change and games are
    since then.
    `members`: Who has the membership that the policy asks for; None: nobody is asked.
    """
    rows = _on(policy, closing, carried(state.filter(pl.col("rating").is_not_null()), columns))
    figure = rounded(rows["rating"], policy.round_to)
    since = earlier if base is None else base
    before = since.select("player_id", rounded(since["rating"], policy.round_to).alias("earlier"))
    wanted = ["player_id", "name", "title", "federation", "sex"]
    rows = (
        rows.with_columns(figure.alias("rating"))
        .drop("games")
        .join(played.select("player_id", "games"), on="player_id", how="left")
        .join(before, on="player_id", how="left")
        .join(players.select(wanted), on="player_id", how="left")
        .with_columns(
            _games_since(rows, base),
            (pl.col("rating") - pl.col("earlier")).alias("change"),
            pl.col("sex").str.to_lowercase().is_in(WOMEN).fill_null(False).alias("_woman"),
            pl.col("name").fill_null(""),
            _member(members).alias("_member"),
        )
    )
    rows = rows.with_columns(_status(policy, closing, rows).alias("status"))
    woman = pl.col("_woman") if policy.listed.women_apart else pl.lit(False)
    result = rows.with_columns(placed(woman).alias("rank"))
    return in_order(result.select(pl.col(c).cast(k) for c, k in ENTRIES.items()))


def _games_since(rows: pl.DataFrame, base: pl.DataFrame | None) -> pl.Expr:
    """Return the games since the last published list; of who is new there, those of the period."""
    games = pl.col("games").fill_null(0)
    if base is None:
        return games
    before = rows.select("player_id").join(
        base.select("player_id", pl.col("total_games").alias("_before")),
        on="player_id",
        how="left",
        maintain_order="left",
    )["_before"]
    return pl.coalesce((pl.col("total_games") - pl.lit(before)).clip(lower_bound=0), games).alias("games")


def placed(apart: pl.Expr) -> pl.Expr:
    """Return the ranks of the listed: equal ratings share one; `apart` says who is ranked apart."""
    listed = ~pl.col("status").str.starts_with("unlisted").fill_null(True)
    place = pl.col("rating").rank("min", descending=True).over(apart, listed)
    return pl.when(listed).then(place).cast(pl.Int64)


def in_order(entries: pl.DataFrame) -> pl.DataFrame:
    """Return entries as a list has them: by rank, then name, then number; the unlisted behind."""
    return entries.sort(
        "rank", "rating", "name", "player_id", descending=[False, True, False, False], nulls_last=True
    )


def _member(members: pl.Series | None) -> pl.Expr:
    return pl.lit(True) if members is None else pl.col("player_id").is_in(members.implode())


def _on(policy: Policy, closing: date, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows as of the closing date: some systems know less of a player with time."""
    system = policy.made(closing)
    if not getattr(system, "reckons_time", False):
        return rows
    known = rows.select(
        pl.col("player_id").cast(pl.String).alias("id"),
        "rating",
        pl.col("deviation").alias("error"),
        *(c for c in ("volatility", "last", "on") if c in rows.columns),
    )
    listed = Ratings(system=system.name, rows=known, parameters={})
    aged = list_on(system, listed, closing + timedelta(days=1))
    errors = known.select("id").join(
        aged.rows.select("id", "error"), on="id", how="left", maintain_order="left"
    )
    return rows.with_columns(errors["error"].alias("deviation"))


def _status(policy: Policy, closing: date, rows: pl.DataFrame) -> pl.Expr:
    """Say how somebody stands on the list, or why not."""
    rules = policy.listed
    above = pl.lit(rules.above, dtype=pl.Float64)
    if rules.above_women is not None:
        above = pl.when("_woman").then(pl.lit(rules.above_women)).otherwise(above)
    inactive = pl.lit(False)
    if rules.active_months is not None and LAST in rows.columns:
        since = pl.lit(closing).dt.offset_by(f"-{rules.active_months}mo")
        inactive = (pl.col(LAST) <= since).fill_null(False)
    left_out = inactive if rules.inactive == "left out" else pl.lit(False)
    said = pl.col("status").fill_null("")
    provisional = (
        (said == "provisional")
        if policy.provisional_games is None
        else pl.col("total_games").fill_null(0) < policy.provisional_games
    )
    return (
        pl.when(pl.col("total_games").fill_null(0) < rules.min_games)
        .then(pl.lit(f"unlisted: fewer than {rules.min_games} games"))
        .when((pl.col("rating") <= above).fill_null(False))
        .then(pl.lit("unlisted: not above ") + above.cast(pl.Int64).cast(pl.String))
        .when(~pl.col("_member"))
        .then(pl.lit(f"unlisted: no {rules.member} member"))
        .when(left_out)
        .then(pl.lit("unlisted: inactive"))
        .when(inactive)
        .then(pl.lit("inactive"))
        .when(provisional)
        .then(pl.lit("provisional"))
        .otherwise(pl.lit("established"))
    )


# Lists in the ledger: found by name, read with their corrections.

RESTATED = "Change: since the list before as it is corrected"
"""Cause of an entry of a correction whose figures are as published, and whose Change is not."""
ListState = Literal["draft", "published", "correction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptList:
    """One list as the ledger has it: a draft, a published one, or a correction of a published one."""

    id: int
    policy_id: int
    policy: str
    version: int
    name: str
    number: int  # 0: the list itself; 1, 2, …: its corrections
    closing: date
    effective: date | None
    state: ListState
    run_id: int | None
    made: datetime
    published: datetime | None
    published_by: str | None
    corrects: int | None
    figures: Mapping[str, Any]

    @property
    def words(self) -> str:
        """Return what it is, for people."""
        if self.number:
            pending = "" if self.published else ", not published"
            return f"correction {self.number} of {self.name} ({self.policy}{pending})"
        return f"{self.name} ({self.policy}, {self.state})"


def kept_lists(connection: Connection, policy: str | None = None) -> list[KeptList]:
    """Return the lists, by policy, closing date, name and number; those of one policy if it is named."""
    t, p = tables.lists, tables.policies
    query = (
        sa.select(t, p.c.name.label("policy"), p.c.version)
        .join(p, p.c.id == t.c.policy_id)
        .order_by(p.c.name, t.c.closing, t.c.name, p.c.version, t.c.number, t.c.id)
    )
    if policy is not None:
        query = query.where(t.c.policy_id.in_(policy_numbers(connection, policy)))
    return [
        KeptList(**{**dict(row._mapping), "figures": row.figures or {}}) for row in connection.execute(query)
    ]


def list_called(
    connection: Connection, policy: str, name: str | None = None, *, state: ListState | None = None
) -> KeptList:
    """Return a list by its name: a published one rather than a draft, of the newest version that has it.

    `name`: None: the last one.
    `state`: Only a draft, or only a published one.
    """
    result = [each for each in kept_lists(connection, policy) if not each.number]
    fitting = [
        each for each in result if name in (None, each.name) and (state is None or each.state == state)
    ]
    if fitting:
        return max(fitting, key=lambda e: (e.closing, e.state == "published", e.version, e.id))
    names = ", ".join(dict.fromkeys(each.name for each in result[-5:]))
    there = f"there are {names}" if names else "there is none yet"
    if state == "draft" or not names:
        there += f" (arpad list make {name or ''}".rstrip() + " makes a draft)"
    wanted = "a list" if state is None else f"a {state} list" if state == "published" else "a draft"
    raise UsageError(
        f"expected {wanted} of {policy}{'' if name is None else f', found none called {name!r}'}: {there}"
    )


def last_published(connection: Connection, policy: str, before: date) -> KeptList | None:
    """Return the last published list of a policy that closed before a day."""
    result = [
        each
        for each in kept_lists(connection, policy)
        if each.published and not each.number and each.closing < before
    ]
    return max(result, key=lambda e: (e.closing, e.version, e.id), default=None)


def corrections_of(connection: Connection, kept: KeptList) -> list[KeptList]:
    """Return the corrections of a list, the first one first."""
    return [each for each in kept_lists(connection, kept.policy) if each.corrects == kept.id]


def run_of(connection: Connection, kept: KeptList, *, proposed: bool = False) -> int | None:
    """Return the run that a list follows from, with its published corrections; or also the proposed one."""
    later = [each for each in corrections_of(connection, kept) if each.published or proposed]
    return (later[-1] if later else kept).run_id


def face_of(later: Sequence[KeptList], *, corrected: bool) -> str:
    """Say which figures of a list are meant, where it was corrected since; nothing where it was not.

    `later`: Its corrections; those that are only proposed change nothing.
    """
    numbers = [str(each.number) for each in later if each.published]
    if not numbers:
        return ""
    named = f"correction{'' if len(numbers) == 1 else 's'} {', '.join(numbers)}"
    return f"with {named}" if corrected else f"as first published, without {named}"


def entries_kept(connection: Connection, kept: KeptList) -> pl.DataFrame:
    """Return the entries of one list as they stand there; of a correction only what it changes.

    The columns of `listing.ENTRIES`; of a correction `change` is the difference to the figure that was
    published, and there are also `published`, `cause`, and `since` (the column Change).
    """
    n = tables.entries
    columns = [n.c[name] for name in ENTRIES]
    query = sa.select(*columns, n.c.document).where(n.c.list_id == kept.id).order_by(n.c.player_id)
    rows = frame(connection, query)
    if not kept.number:
        return in_order(rows.drop("document").cast(ENTRIES))
    told = [json.loads(text) if text else {} for text in rows["document"]]
    more = [
        pl.Series("published", [t.get("published") for t in told], dtype=pl.Float64),
        pl.Series("cause", [t.get("cause") for t in told], dtype=pl.String),
        pl.Series("since", [t.get("change") for t in told], dtype=pl.Float64),
    ]
    rows = rows.drop("document").cast(ENTRIES).with_columns(more)
    gap = (pl.col("rating").fill_null(0) - pl.col("published").fill_null(0)).abs()
    return rows.sort(gap, pl.col("name"), pl.col("player_id"), descending=[True, False, False])


def corrected_figures(connection: Connection, correction: KeptList) -> pl.DataFrame:
    """Return the figures that a correction changes, without those that only have another Change."""
    return entries_kept(connection, correction).filter(pl.col("cause").ne_missing(RESTATED))


def entries_as_of(connection: Connection, kept: KeptList, *, proposed: bool = False) -> pl.DataFrame:
    """Return the entries of a list with its published corrections put in, or also the proposed one; ranked again."""
    rows = entries_kept(connection, kept)
    later = [each for each in corrections_of(connection, kept) if each.published or proposed]
    for correction in later:
        new = entries_kept(connection, correction).drop("change").rename({"since": "change"})
        new = new.select(ENTRIES.names())
        rows = pl.concat([rows.join(new, on="player_id", how="anti"), new])
    if not later:
        return rows
    rows = rows.filter(pl.col("rating").is_not_null())
    woman = pl.col("player_id").is_in(_ranked_apart(connection, kept).implode())
    return in_order(rows.with_columns(placed(woman).alias("rank")))


def _ranked_apart(connection: Connection, kept: KeptList) -> pl.Series:
    """Return the women, where the policy ranks them apart; else nobody."""
    p = tables.players.c
    if not women_apart(connection, kept):
        return pl.Series("player_id", [], dtype=pl.Int64)
    return frame(connection, sa.select(p.id).where(sa.func.lower(p.sex).in_(WOMEN)).order_by(p.id))["id"]


def women_apart(connection: Connection, kept: KeptList) -> bool:
    """Say whether the policy of a list ranks women apart."""
    o = tables.policies.c
    said = connection.execute(sa.select(o.document).where(o.id == kept.policy_id)).scalar_one()
    return bool(said.get("listed", {}).get("women_apart"))


# Entries of a list, from where everybody stands, and into the ledger.


def list_entries(
    connection: Connection, policy: Policy, closing: date, standing: RunStandings
) -> pl.DataFrame:
    """Return what a list says of everybody who is rated, with names and titles of today.

    `deviation` is the method's own figure: `with_errors` puts the error of the rating in its place.
    """
    last = last_published(connection, policy.name, closing)
    base = None
    if last is not None:
        # Its proposed correction, too: nothing that rests on it is published without it.
        base = entries_as_of(connection, last, proposed=True).select("player_id", "rating", "total_games")
    return entries_of(
        policy,
        closing,
        standing.state,
        standing.columns,
        players=profiles(connection),
        earlier=standing.earlier,
        played=standing.played,
        base=base,
        members=_members(connection, policy, closing),
    )


MOST_GAMES = 100_000
"""Games of a ledger up to which a list has errors by the model: they are read from it for every list."""


def with_errors(connection: Connection, chain: Chain, closing: date, entries: pl.DataFrame) -> pl.DataFrame:
    """Return entries with the error of the rating itself as `deviation`, as `arpad rate` prints it as `error`.

    It follows from all games of the periods up to the closing date, by arpad's own model. Above `MOST_GAMES` it is
    left empty. A system whose own figure is the error of the rating keeps it.
    """
    system = chain.policy.made(closing)
    if getattr(system, "own_error", "own_error") is None or entries.is_empty():
        return entries
    nothing = entries.with_columns(pl.lit(None, dtype=pl.Float64).alias("deviation"))
    links = [link for link in chain.links if link.closing <= closing]
    played = [link for link in links if link.events.height]
    if not played or _count_games(connection, played) > MOST_GAMES:
        return nothing
    events = pl.concat([link.events for link in played])
    rows = games_of_events(connection, events, merged_ends(connection), given=chain.policy.given)
    period = PlayedPeriod(
        opens=date.min, closing=closing, events=events, games=rows, players=profiles(connection)
    )
    games = games_of(period, given=chain.policy.given, from_opening=False)
    players = games.players.with_columns(pl.col("id").alias("name"))  # two may have one name
    start = [link.by_hand for link in links if link.closing <= played[0].closing]
    who = pl.col("player_id").cast(pl.String)
    listed = entries.select(
        who.alias("player"), who.alias("id"), "rating", pl.col("deviation").alias("error")
    )
    parameters = (
        {"on": (closing + timedelta(days=1)).isoformat()} if getattr(system, "reckons_time", False) else {}
    )
    ratings = with_true_errors(
        system,
        Ratings(system=system.name, rows=listed, parameters=parameters),
        replace(games, players=players),
        _starting_list(pl.concat(start)),
    )
    # Players are numbered in the order of import; sums in another order differ in the last digits only.
    errors = ratings.rows.select(
        pl.col("id").cast(pl.Int64).alias("player_id"), deviation=pl.col("error").round(4)
    )
    return entries.drop("deviation").join(errors, on="player_id", how="left", maintain_order="left")


def _count_games(connection: Connection, links: Sequence[Link]) -> int:
    g = tables.games.c
    query = sa.select(sa.func.count()).where(g.status == "played")
    numbers = [number for link in links for number in link.events["event_id"]]
    return sum(row[0] for row in rows_in(connection, query, g.event_id, numbers))


def _starting_list(by_hand: pl.DataFrame) -> Ratings | None:
    """Return the ratings that were set before the first games as the list that was there before."""
    if by_hand.is_empty():
        return None
    who = pl.col("player_id").cast(pl.String)
    games = pl.col("settings").str.json_path_match("$.total_games").cast(pl.Int64, strict=False)
    rows = by_hand.filter(pl.col("rating").is_not_null()).unique(
        "player_id", keep="last", maintain_order=True
    )
    rows = rows.select(who.alias("player"), who.alias("id"), "rating", games.alias("total_games"))
    return Ratings(system="given", rows=rows, parameters={})


def _members(connection: Connection, policy: Policy, closing: date) -> pl.Series | None:
    kind = policy.listed.member
    if kind is None:
        return None
    m = tables.memberships
    query = sa.select(m.c.player_id).where(
        m.c.kind == kind,
        sa.or_(m.c["from"].is_(None), m.c["from"] <= closing),
        sa.or_(m.c.until.is_(None), m.c.until >= closing),
    )
    result = frame(connection, query.order_by(m.c.player_id))["player_id"]
    return people_today(result, merged_ends(connection))


def write_entries(connection: Connection, list_id: int, entries: pl.DataFrame) -> None:
    """Write the entries of a list."""
    of_list = pl.lit(list_id, dtype=pl.Int64).alias("list_id")
    # In the order of the key: rows that follow each other are written faster.
    bulk_insert(connection, tables.entries, entries.sort("player_id").select(of_list, pl.all()))
