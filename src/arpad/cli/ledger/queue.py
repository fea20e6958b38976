"""`arpad queue` and `arpad log`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli.ledger.options import DbOption, Deciding, opened
from arpad.cli.output import Emission, emit
from arpad.cli.verbs import verb_group

if TYPE_CHECKING:
    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision


# `arpad queue check`: inspect events and put doubtful ones into the queue.


def check(
    event: Annotated[list[str] | None, typer.Argument(metavar="[EVENTS]")] = None,
    kind: Literal["fit", "norm"] | None = None,
    policy: str | None = None,
    db: DbOption = None,
) -> Emission:
    """Look for events whose results do not fit the ratings, and norms that lack one requirement.

    arpad checks an event once, and again when its games change.

    event: Only these events.
    kind: Only fit (results that do not fit the ratings) or norm (one requirement is missing).
    policy: Policy whose lists give ratings that reports lack.
    """
    import polars as pl

    from arpad.errors import UsageError
    from arpad.ledger.decisions.queue import doubt
    from arpad.ledger.decisions.ratings import check_policy
    from arpad.ledger.decisions.subjects import event_called
    from arpad.ledger.inspection import check_events

    if kind not in (None, "fit", "norm"):
        raise UsageError(f"--kind: expected fit or norm, found {kind!r}")
    with opened(db) as ledger:
        with ledger.reading() as connection:
            check_policy(connection, policy)
            numbers = [event_called(connection, e).id for e in event] if event else None
        new = check_events(ledger, numbers, policy=policy, kinds=("fit", "norm") if kind is None else (kind,))
        with ledger.reading() as connection:
            result = [doubt(connection, number) for number in new]
    rows = [
        {
            "number": d.number,
            "kind": d.kind,
            "about": d.about,
            "event": d.event,
            "player": d.player,
            "reason": d.reason,
        }
        for d in result
    ]
    return partial(
        emit,
        people=lambda: [d.summary() for d in result] or ["nothing new to check"],
        rows=lambda: pl.DataFrame(
            rows,
            schema={
                "number": pl.Int64,
                "kind": pl.String,
                "about": pl.String,
                "event": pl.Int64,
                "player": pl.Int64,
                "reason": pl.String,
            },
        ),
        document=lambda: {"opened": rows},
    )


# `arpad queue`: what waits for a decision, and settling it.

SHOWN = 50
"""Doubts that are listed unless more are asked for."""


Kind = Literal["player", "event", "fit", "norm"]


def show(
    context: typer.Context,
    db: DbOption = None,
    kind: Kind | None = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    top: Annotated[int, typer.Option(min=0)] = SHOWN,
) -> Emission | None:
    """List what waits for a decision, oldest first, with candidates and scores.

    kind: Only questions of this kind.
    every: Also settled questions.
    top: Show N rows; 0 shows all.
    """
    if context.invoked_subcommand is not None:
        return None
    from arpad.ledger.decisions.queue import queue
    from arpad.publish.tables import rich_table

    with opened(db) as ledger, ledger.reading() as connection:
        result = queue(connection, kind=kind, settled=every, limit=top or None)

    def people() -> list[object]:
        import polars as pl

        parts: list[object] = [result.summary()]
        if result.doubts:
            table = result.table()
            parts.append(rich_table(table.rename({"number": "no.", "score": "match"})))
            kinds = dict.fromkeys(table["kind"].to_list())
            answers = {d.kind: d.answers() for d in result.doubts}
            parts += [
                f"{kind}: arpad queue settle NO. --choose X --why …, X is {answers[kind]}" for kind in kinds
            ]
            rest = table.select(pl.col("number").n_unique()).item()
            if rest < sum(result.waiting.values()) and top == rest:
                parts.append(f"({rest} shown; --top 0 shows all)")
        return parts

    return partial(
        emit,
        people=people,
        rows=result.table,
        document=lambda: {
            "waiting": dict(result.waiting),
            "doubts": [doubt.as_dict() for doubt in result.doubts],
        },
    )


def settle(
    numbers: Annotated[list[int], typer.Argument(metavar="NO.")],
    choose: Annotated[str, typer.Option()],
    why: Annotated[str, typer.Option()],
    db: DbOption = None,
    who: str | None = None,
    policy: str | None = None,
) -> Emission:
    """Settle questions of the queue. arpad log keeps every decision, and you can undo it.

    numbers: Numbers of the questions in arpad queue.
    choose: For a player: the number of the same player in the ledger, or new. For an event: merge, replace, add or leave. For a fit: leave, adjust, correct or exclude. For a norm: grant or leave. likeliest takes arpad's proposals.
    why: The reason, for the log.
    who: Your name, for the log. [the user's name]
    policy: Policy whose ratings are adjusted or corrected. [every policy]
    """
    import polars as pl

    from arpad.ledger.decisions.queue import settle_all

    with opened(db) as ledger, ledger.writing(who, why) as connection:
        settled = settle_all(connection, dict.fromkeys(numbers, choose), policy=policy)
    rows = [
        {
            "doubt": number,
            "decision": decision.id,
            "kind": decision.kind,
            "subject": decision.subject,
            "words": decision.words(),
            "who": decision.who,
            "why": decision.why,
        }
        for number, decision in zip(sorted(set(numbers)), settled, strict=True)
    ]
    return partial(
        emit,
        people=lambda: [f"decision {decision.summary()}" for decision in settled],
        rows=lambda: pl.DataFrame(rows),
        document=lambda: rows[0] if len(rows) == 1 else {"settled": rows},
    )


# `arpad log`: every decision, by whom, when and why; and taking one back.


LogKind = Literal[
    "correct",
    "merge",
    "unmerge",
    "match",
    "exclude",
    "include",
    "rating",
    "repair",
    "report",
    "norm",
    "settle",
    "withdraw",
    "undo",
]


def show_log(
    context: typer.Context,
    about: list[str] | None = None,
    kind: LogKind | None = None,
    top: Annotated[int, typer.Option(min=0)] = SHOWN,
    db: DbOption = None,
) -> Emission | None:
    """Show the decisions, newest last.

    arpad log --about 'Ahmed, Anna'

    arpad log undo 7 --why 'it was another Ahmed'

    about: Only decisions about this player or event: #12, a name, 'event 3'.
    kind: Only decisions of this kind.
    top: Show the newest N decisions; 0 shows all.
    """
    if context.invoked_subcommand is not None:
        return None
    from arpad.cli.ledger.options import decision_document
    from arpad.ledger.decisions.decisions import decisions

    with opened(db) as ledger, ledger.reading() as connection:
        subjects = [s for text in about or () for s in _subjects(connection, text)]
        result = decisions(connection, about=subjects, kind=kind)
    whole = len(result)
    shown = result[-top:] if top else result

    def people() -> list[object]:
        if not shown:
            return ["nothing was decided yet" if not (about or kind) else "no such decision"]
        parts: list[object] = [d.summary() for d in shown]
        if whole > len(shown):
            parts.append(f"({whole - len(shown)} older ones: --top 0 shows all)")
        return parts

    return partial(
        emit,
        people=people,
        rows=lambda: _table(shown),
        document=lambda: {"decisions": [decision_document(d) for d in shown], "total": whole},
    )


def undo(number: int, *, log: Deciding) -> Emission:
    """Undo a decision; an undo can be undone, too.

    number: The number of the decision, as arpad log has it.
    """
    from arpad.ledger.decisions import decisions

    return log.take(lambda c: decisions.undo(c, number))


def _subjects(connection: Connection, text: str) -> list[str]:
    """Return what somebody means: a player, with all that were merged into him, or an event."""
    from arpad.errors import UsageError
    from arpad.ledger.db.tables import row_number
    from arpad.ledger.decisions.decisions import persons
    from arpad.ledger.decisions.subjects import event_called, person_called

    word, _, rest = text.strip().partition(" ")
    if word.lower() in ("event", "game", "player") and rest.strip("# ").isdigit():
        number = int(rest.strip("# "))
        if word.lower() == "player":
            return [f"player {p}" for p in persons(connection, [row_number(number)])]
        return [f"{word.lower()} {number}"]
    try:
        who = person_called(connection, text)
    except UsageError as error:
        if "nobody called" not in str(error):
            raise
        try:
            return [event_called(connection, text).subject]
        except UsageError:
            raise UsageError(
                f"--about: expected a player or an event of the ledger, found neither called {text!r}"
            ) from None
    return [f"player {p}" for p in persons(connection, [who.id])]


def _table(found: list[Decision]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        {
            "no.": [d.id for d in found],
            "when": [f"{d.when:%Y-%m-%d %H:%M}" for d in found],
            "who": [d.who for d in found],
            "kind": [d.kind for d in found],
            "subject": [d.subject for d in found],
            "what": [d.words() for d in found],
            "why": [d.why for d in found],
            "undoes": [d.undoes for d in found],
            "undone by": [d.undone_by for d in found],
        },
        schema_overrides={"no.": pl.Int64, "undoes": pl.Int64, "undone by": pl.Int64},
    )


queue = verb_group(
    "Show what waits for a decision: doubtful players, changed reports, fits, norms.",
    {"settle": settle, "check": check},
    alone=show,
)
log = verb_group("Show every decision with name, time and reason; undo one.", {"undo": undo}, alone=show_log)
