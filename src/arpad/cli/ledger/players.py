"""`arpad player` and `arpad titles`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli.ledger.options import DbOption, Deciding, opened
from arpad.cli.options import day_given
from arpad.cli.output import Emission, FormatOption, OutputOption, emit, say
from arpad.cli.verbs import verb_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.queries.players import PlayerCard
    from arpad.ledger.titles import TitleStanding


# `arpad player`: a player of the ledger, and decisions about players.

PlayerArgument = Annotated[
    str, typer.Argument(help="#number, fide:id, a name or a part of one.", metavar="PLAYER")
]


def show(player: PlayerArgument, db: DbOption = None) -> Emission:
    """Show what the ledger knows of a player: ids, spellings, events, lists, decisions."""
    from arpad.ledger.decisions.subjects import person_called
    from arpad.ledger.queries.players import player_card

    with opened(db) as ledger, ledger.reading() as connection:
        card = player_card(connection, person_called(connection, player).id)
    return partial(emit, people=lambda: card_people(card), rows=lambda: card.events, document=card.document)


def merge(player: PlayerArgument, into: str, *, log: Deciding) -> Emission:
    """Merge two players who are one person; the second keeps the games of both.

    into: The player to keep.
    """
    from arpad.ledger.decisions import corrections as merging
    from arpad.ledger.decisions.subjects import person_called

    def verb(c: Connection) -> Decision:
        return merging.merge(c, person_called(c, player).id, person_called(c, into).id)

    return log.take(verb)


def unmerge(player: str, *, log: Deciding) -> Emission:
    """Separate a player who was merged into another.

    player: #number of the player who was merged.
    """
    from arpad.errors import UsageError
    from arpad.ledger.decisions import corrections as merging

    number = player.strip().lstrip("#")
    if not (number.isascii() and number.isdigit()):
        raise UsageError(
            f"expected the #number that the player had (arpad player show names it), found {player!r}: "
            "the name belongs to another player now"
        )
    return log.take(lambda c: merging.unmerge(c, int(number)))


def correct(
    player: PlayerArgument,
    name: str | None = None,
    birth: str | None = None,
    federation: str | None = None,
    sex: str | None = None,
    title: str | None = None,
    id: list[str] | None = None,
    *,
    log: Deciding,
) -> Emission:
    """Correct the data of a player.

    name: The right name.
    birth: Date of birth: YYYY, YYYY-MM or YYYY-MM-DD; - for unknown.
    federation: Federation, such as GER; - for unknown.
    sex: m or w; - for unknown.
    title: Title, such as FM; - removes it.
    id: ORGANISATION:ID, such as fide:1503014; fide:- removes it.
    """
    from arpad.errors import UsageError
    from arpad.ledger.decisions import corrections as correcting
    from arpad.ledger.decisions.subjects import person_called

    given = {"name": name, "birth": birth, "federation": federation, "sex": sex, "title": title}
    values = {k: v for k, v in given.items() if v is not None}
    ids: dict[str, str | None] = {}
    for text in id or ():
        scheme, colon, value = text.partition(":")
        if not colon or not scheme.strip() or not value.strip():
            raise UsageError(f"--id: expected scheme:value such as fide:1503014, found {text!r}")
        ids[scheme] = value
    return log.take(lambda c: correcting.correct_player(c, person_called(c, player).id, ids=ids, **values))


def rating(
    player: PlayerArgument,
    rating: float,
    on: Annotated[str, typer.Option()],
    policy: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE")] = None,
    *,
    log: Deciding,
) -> Emission:
    """Set a rating yourself; it enters the next list as a step of its own, with the reason.

    rating: The rating.
    on: A day (YYYY-MM-DD); the rating applies before the games of its period.
    policy: The policy to which it applies. [every policy]
    setting: Further values to set: total_games=30, k=20.
    """
    from arpad.ledger.decisions.ratings import set_rating
    from arpad.ledger.decisions.subjects import person_called

    day, settings = day_given(on, "--on"), _settings(setting or [])
    return log.take(
        lambda c: set_rating(c, person_called(c, player).id, rating, on=day, policy=policy, settings=settings)
    )


def export_data(
    player: PlayerArgument, db: DbOption = None, format: FormatOption = None, output: OutputOption = None
) -> None:
    """Export all that the ledger stores about one person, as JSON."""
    from arpad.cli.output import OutputFormat
    from arpad.ledger.decisions.privacy import export_person
    from arpad.ledger.decisions.subjects import person_called

    with opened(db) as ledger, ledger.reading() as connection:
        data = export_person(connection, person_called(connection, player).id)

    def people() -> list[object]:
        return [f"{name}: {len(rows):,} rows" for name, rows in data.items()]

    emit(format or OutputFormat.json, output, people=people, rows=lambda: _games(data), document=lambda: data)


def _games(data: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(data["games"], infer_schema_length=None)


def erase(player: PlayerArgument, *, log: Deciding) -> Emission:
    """Erase the personal data of one person: the name is replaced, the games stay. There is no undo."""
    from arpad.ledger.decisions.privacy import erase_person
    from arpad.ledger.decisions.subjects import person_called

    return log.take(lambda c: erase_person(c, person_called(c, player).id))


def _settings(texts: list[str]) -> dict[str, Any]:
    from arpad.errors import UsageError

    result: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set: expected KEY=VALUE, found {text!r}")
        try:
            number = float(value)
        except ValueError:
            result[key.strip()] = value.strip()
        else:
            result[key.strip()] = int(number) if number.is_integer() else number
    return result


# A player of the ledger as people read it.

LISTS = 5
"""Lists of each policy that are shown, the newest."""


def card_people(card: PlayerCard) -> list[object]:
    """Return the parts of a player's card."""
    import polars as pl

    from arpad.publish.tables import rich_table

    who = card.person
    facts = [
        who.title,
        who.federation,
        f"born {who.birth}" if who.birth else None,
        {"m": "man", "w": "woman"}.get(who.sex or ""),
    ]
    parts: list[object] = [" · ".join([who.called(), *(f for f in facts if f)])]
    if card.ids:
        parts.append(", ".join(f"{scheme}:{value}" for scheme, value in card.ids))
    if card.names:
        parts.append(f"also written {'; '.join(card.names)}")
    if card.merged:
        parts.append(f"merged into him: {', '.join(p.called() for p in card.merged)}")
    if card.titles.height:
        parts.append(rich_table(card.titles, title="Titles"))
    if card.ratings.height:
        last = card.ratings.group_by("policy", maintain_order=True).tail(LISTS)
        whole = bool((last["rating"].drop_nulls() % 1 == 0).all())
        parts.append(rich_table(last, title="Lists", digits={"rating": 0 if whole else 1}))
    no = pl.when("excluded").then(pl.lit("no")).alias("counts")
    events = card.events.with_columns(no).drop("excluded")
    events = events.rename({"time_control": "time control", "score": "points"})
    if events["counts"].is_null().all():
        events = events.drop("counts")
    parts.append(rich_table(events, title="Events") if events.height else "no games")
    parts += [f"decision {d.summary()}" for d in card.decisions]
    return parts


# `arpad titles`: norms and titles over time, from the ledger.


Rules = Literal["fide", "uscf"]


def titles(
    player: str | None = None,
    rules: Rules = "fide",
    policy: str | None = None,
    record: bool = False,
    db: DbOption = None,
) -> Emission:
    """List titles with date and reason, and the requirements that others still lack.

    arpad titles --policy fide

    arpad titles --player 'Hero, Hanna' --rules uscf

    player: One player, with every title and what is missing.
    rules: Titles of FIDE today, or of the USCF in 1994.
    policy: Policy whose published lists count as ratings, together with those in reports.
    record: Keep the norms and titles in the ledger.
    """
    from arpad.ledger.decisions.ratings import check_policy
    from arpad.ledger.decisions.subjects import person, person_called
    from arpad.ledger.titles import record_titles, titles_over_time

    with opened(db) as ledger:
        if record:
            with ledger.writing(None, "titles") as connection:
                check_policy(connection, policy)
                kept = record_titles(connection, rules, policy=policy)
            say(
                f"kept: {kept.norms} norms ({kept.new_norms} new), {kept.titles} titles ({kept.new_titles} new)"
            )
        with ledger.reading() as connection:
            check_policy(connection, policy)
            only = None if player is None else [person_called(connection, player).id]
            result = titles_over_time(connection, rules, policy=policy, players=only)
            names = {n: person(connection, n).name for n in {s.player for s in result}}

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        if not result:
            return ["nobody has a norm, or the rating of a title, that the ledger knows of"]
        parts: list[object] = [rich_table(_table(result, names).drop("rules", "player_id"))]
        if only is not None:
            parts += _norm_lines(result)
        return parts

    return partial(
        emit,
        people=people,
        rows=lambda: _table(result, names),
        document=lambda: {"rules": rules, "policy": policy, "titles": [_document(s, names) for s in result]},
    )


def _table(found: Sequence[TitleStanding], names: dict[int, str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        {
            "player_id": [s.player for s in found],
            "player": [names[s.player] for s in found],
            "title": [s.title for s in found],
            "earned": [s.complete for s in found],
            "since": [s.awarded for s in found],
            "norms": [sum(n.norms for n in s.norms) for s in found],
            "counted": [f"{s.counted} of {s.needed}" for s in found],
            "because": [s.because() if s.complete else None for s in found],
            "missing": ["; ".join(s.missing) or None for s in found],
            "rules": [s.rules for s in found],
        },
        schema_overrides={"since": pl.Date, "because": pl.String, "missing": pl.String},
    )


def _norm_lines(found: Sequence[TitleStanding]) -> list[str]:
    lines = []
    for one in found:
        for norm in one.norms:
            day = norm.on.isoformat() if norm.on else "?"
            worth = f"{norm.games} games" if norm.games else f"{norm.norms} norms"
            by = f", granted by decision {norm.granted_by}" if norm.granted_by else ""
            lines.append(f"{one.title} norm: {norm.event_name}, {day} ({worth}{by})")
    return lines


def _document(one: TitleStanding, names: dict[int, str]) -> dict[str, Any]:
    return {
        "player_id": one.player,
        "player": names[one.player],
        "title": one.title,
        "rules": one.rules,
        "earned": one.complete,
        "since": one.awarded,
        "counted": one.counted,
        "needed": one.needed,
        "rating_needed": one.rating_needed,
        "reached": None if one.reached is None else _reached(one.reached),
        "best": None if one.best is None else _reached(one.best),
        "missing": list(one.missing),
        "norms": [
            {
                "event": n.event,
                "event_name": n.event_name,
                "on": n.on,
                "games": n.games,
                "norms": n.norms,
                "exempt": n.exempt,
                "forgiven": n.forgiven,
                "granted_by": n.granted_by,
                "verdict": dict(n.verdict),
            }
            for n in one.norms
        ],
    }


def _reached(found: Any) -> dict[str, Any]:
    return {"rating": found.rating, "on": found.on, "where": found.where}


player = verb_group(
    "A player of the ledger: show, merge, unmerge, correct, set a rating; export or erase personal data.",
    {
        "show": show,
        "merge": merge,
        "unmerge": unmerge,
        "correct": correct,
        "rating": rating,
        "export-data": export_data,
        "erase": erase,
    },
)
