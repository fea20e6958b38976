"""The list that a club has already: the starting point of its lists here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.ledger.decisions.decisions import decide
from arpad.ledger.decisions.ratings import check_policy
from arpad.ledger.imports.plan import plan
from arpad.ledger.imports.staging import Settings, incoming
from arpad.ledger.imports.write import write_plan
from arpad.ledger.register import Register

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.decisions.decisions import Decision
    from arpad.read.source import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What a starting list brought: the decision in the log, and how many players."""

    decision: Decision
    players: int
    new: int
    doubtful: int
    unrated: int
    report: Report
    """The records that were skipped or repaired."""

    def summary(self) -> str:
        """Return one sentence."""
        unrated = f", {self.unrated:,} without a rating" if self.unrated else ""
        doubtful = f", {self.doubtful:,} doubtful (arpad queue)" if self.doubtful else ""
        return (
            f"{self.players:,} members start with their ratings: {self.new:,} new players{doubtful}{unrated}"
            f" (decision {self.decision.id})"
        )

    def to_dict(self) -> dict[str, int]:
        """Return the figures."""
        return {
            "decision": self.decision.id,
            "players": self.players,
            "new": self.new,
            "doubtful": self.doubtful,
            "unrated": self.unrated,
        }


def start_list(
    ledger: Ledger,
    path: str,
    *,
    on: date,
    policy: str | None = None,
    ids: str | None = None,
    sheet: str | None = None,
    columns: Mapping[str, str] | None = None,
    who: str | None = None,
    why: str = "starting list",
) -> Started:
    """Let players start with the ratings, and the numbers of games, of a list that others made.

    Everybody on the list enters, also who has not played yet. The ratings hold before the games of the
    period in which the day lies. It is one decision of the log, and can be undone.

    Parameters
    ----------
    path
        A list of players with ratings: CSV, a spreadsheet, FIDE's layouts.
    on
        The day from which on the list was valid.
    policy
        The policy whose lists start there; None: all of them.
    ids, sheet, columns
        Whose ids the players have, which sheet of a workbook, which column is what; as for an import.
    """
    one = incoming(path, settings=Settings(ids=ids), sheet=sheet, columns=columns)
    given = one.given
    if given is None or given.batch.players["rating"].is_null().all():
        raise InputError("expected a list of players with ratings, found none", file=path)
    with ledger.writing(who, why) as connection:
        check_policy(connection, policy)
        known = Register.of(connection)
        planned = plan(one.batch, known)
        if known.file(one.sha256) is None:
            write_plan(
                connection,
                planned,
                file=one.file,
                sha256=one.sha256,
                format=one.format,
                options={} if ids is None else {"ids": ids},
                who=str(connection.info["who"]),
            )
        elif planned.rows.players.height:
            raise UsageError(
                f"{one.file} was imported, and its players have changed since: undo that import first"
            )
        games = given.games if given.games is not None else pl.Series([None] * given.batch.players.height)
        listed = (
            given.batch.players.with_columns(games.cast(pl.Int64).alias("games"))
            .join(planned.people, on="row", maintain_order="left")
            .sort("player", "rating", descending=[False, True])
            .unique("player", keep="first", maintain_order=True)
        )
        rated = listed.filter(pl.col("rating").is_not_null())
        decision = decide(
            connection,
            "rating",
            f"list {one.file}",
            f"{rated.height:,} players of {one.file} start with their ratings in the period of {on.isoformat()}",
            about=[f"player {player}" for player in rated["player"]],
            policy=policy,
            on=on.isoformat(),
            ratings=[
                {"player": player, "rating": rating}
                | ({} if games is None else {"settings": {"total_games": games}})
                for player, rating, games in rated.select("player", "rating", "games").iter_rows()
            ],
        )
    return Started(
        decision=replace(decision, changes=()),
        players=rated.height,
        new=planned.matches.count("new"),
        doubtful=planned.matches.count("doubtful"),
        unrated=listed.height - rated.height,
        report=one.report,
    )
