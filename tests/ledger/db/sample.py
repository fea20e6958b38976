"""A small ledger with something in every table."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import polars as pl

from arpad.ledger.db import tables
from arpad.ledger.db.backup import freeze_list
from arpad.ledger.db.bulk import bulk_insert, insert
from arpad.ledger.games import renew_contents

if TYPE_CHECKING:
    import sqlalchemy as sa

    from arpad.ledger.db.ledger import Ledger

NAMES = ['O\'Neill, "Bo"', "Каспаров", "謝軍", "x" * 300, "'); DROP TABLE players;--", "", "\\N", "é\t\n"]
MOMENT = datetime(2026, 11, 16, 12, 0, 0, tzinfo=UTC)


def fill(ledger: Ledger, *, seed: int = 0, players: int = 12, games: int = 40) -> None:
    """Write events, games, a run with its workings, a published list, norms, titles, decisions."""
    dice = random.Random(seed)
    with ledger.writing("anna", "sample") as connection:
        number = insert(
            connection, tables.imports, file="a.trf", sha256="ab" * 32, format="trf", options={"½": [1, None]},
            when=MOMENT, who="anna", games=games, events=2, players_new=players, doubtful=1,
        )  # fmt: skip
        ids = list(range(1, players + 1))
        names = [f"{dice.choice(NAMES)} {i}" for i in ids]
        bulk_insert(
            connection,
            tables.players,
            pl.DataFrame(
                {"id": ids, "name": names, "birth": [dice.choice([None, "1953", "1975-04-13"]) for _ in ids],
                 "federation": [dice.choice([None, "", "HUN"]) for _ in ids], "import_id": number},
            ),
        )  # fmt: skip
        connection.execute(
            tables.players.update().where(tables.players.c.id == 1).values(merged_into=players)
        )
        for i in ids:
            connection.execute(
                tables.player_ids.insert().values(player_id=i, scheme="fide", value=str(i * 7))
            )
            connection.execute(tables.player_names.insert().values(player_id=i, name=names[i - 1], fold="f"))
        insert(
            connection, tables.memberships, player_id=2, kind="club", number="№ 7",
            **{"from": date(1999, 12, 31), "until": None},
        )  # fmt: skip
        for i in (1, 2):
            insert(
                connection, tables.events, import_id=number, number=i, name=f"Open {i}", site=dice.choice(NAMES),
                start=date(2026, 10, i), end=date(2026, 10, 9 + i), time_control="standard", rounds=9,
                source=f"s{i}", content=f"c{i}", excluded=i == 2, document={"arbiter": dice.choice(NAMES)},
            )  # fmt: skip
        _games(connection, dice, ids, games)
        renew_contents(connection, [1, 2])
        _followed(connection, dice, ids, names)
        _served(connection, dice)


def _games(connection: sa.Connection, dice: random.Random, ids: list[int], games: int) -> None:
    pairs = [dice.sample(ids, 2) for _ in range(games)]
    bulk_insert(
        connection,
        tables.games,
        pl.DataFrame(
            {
                "id": range(1, games + 1),
                "event_id": [1 + i % 2 for i in range(games)],
                "number": range(1, games + 1),
                "round": [dice.choice(["1", "2.1", None]) for _ in pairs],
                "date": [date(2026, 10, 1) + timedelta(dice.randrange(9)) for _ in pairs],
                "precision": "day",
                "white_id": [w for w, _ in pairs],
                "black_id": [None if dice.random() < 0.1 else b for _, b in pairs],
                "score": [dice.choice([0.0, 0.5, 1.0, None]) for _ in pairs],
                "status": [dice.choice(["played", "forfeit", "bye"]) for _ in pairs],
                "white_rating": [dice.gauss(1600, 300) for _ in pairs],
                "plies": [dice.choice([None, 80]) for _ in pairs],
            }
        ),
    )


def _served(connection: sa.Connection, dice: random.Random) -> None:
    insert(
        connection, tables.accounts, name=dice.choice(NAMES), password="$argon2id$…", role="viewer", epoch=0,
        created=MOMENT,
    )  # fmt: skip
    insert(connection, tables.attempts, name="nobody", address="127.0.0.1", when=MOMENT)
    insert(
        connection, tables.jobs, kind="list", arguments={"policy": "club"}, state="waiting", who="Ann",
        created=MOMENT, done=0, stop=False,
    )  # fmt: skip
    connection.execute(tables.moves.insert().values(game_id=1, text="1. e4 {½} e5 1/2-1/2"))


def _followed(connection: sa.Connection, dice: random.Random, ids: list[int], names: list[str]) -> None:
    policy = insert(connection, tables.policies, name="club", version=1, document={"k": 24}, created=MOMENT)
    run = insert(
        connection, tables.runs, policy_id=policy, closing=date(2026, 10, 31), key="k1", made=MOMENT, figures={},
    )  # fmt: skip
    ratings = [dice.gauss(1600, 300) for _ in ids]
    bulk_insert(
        connection,
        tables.states,
        pl.DataFrame({"run_id": run, "player_id": ids, "rating": ratings, "games": 3, "state": "{}"}),
    )
    steps = pl.DataFrame({"player_id": ids, "rating": ratings}).with_columns(
        pl.lit(run).alias("run_id"), pl.lit(1).alias("seq"), pl.lit(1).alias("game_id"),
        pl.lit(0.1 + 0.2).alias("change"), pl.lit(1).alias("rule"),
    )  # fmt: skip
    connection.execute(tables.rules.insert().values(run_id=run, number=1, text="FIDE 8.3.1"))
    bulk_insert(connection, tables.steps, steps)
    for number, state in enumerate(("published", "draft")):
        made = insert(
            connection, tables.lists, policy_id=policy, name=f"2026-1{number}", number=0, state="draft",
            closing=date(2026, 10, 31), effective=date(2026, 11, 1), run_id=run, made=MOMENT,
        )  # fmt: skip
        rows = {
            "list_id": made,
            "player_id": ids,
            "rank": ids,
            "name": names,
            "rating": [float(round(r)) for r in ratings],
        }
        bulk_insert(connection, tables.entries, pl.DataFrame(rows))
        if state == "published":
            freeze_list(connection, made, "anna", state="published", moment=MOMENT)
    insert(connection, tables.norms, player_id=2, event_id=1, title="IM", rules="fide", verdict={"ok": True})
    insert(
        connection, tables.titles, player_id=2, title="IM", date=date(2026, 11, 1), rules="fide", because=[1]
    )
    first = insert(
        connection, tables.decisions, when=MOMENT, who="anna", why="the same person", kind="merge",
        subject="player 1", before={"merged_into": None}, after={"merged_into": len(ids)},
    )  # fmt: skip
    second = insert(
        connection, tables.decisions, when=MOMENT, who="bo", why="not so", kind="undo", subject="player 1", undoes=first,
    )  # fmt: skip
    connection.execute(
        tables.decisions.update().where(tables.decisions.c.id == first).values(undone_by=second)
    )
    insert(
        connection, tables.doubts, kind="player", opened=MOMENT, about="player 3", player_id=3, import_id=1,
        document={"candidates": [[4, 0.91]]}, settled_by=second,
    )  # fmt: skip
