"""A player of the ledger as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.office.showing.player_card import PlayerCard

__all__ = ["card_people"]

LISTS = 5
"""Lists of each policy that are shown, the newest."""


def card_people(card: PlayerCard) -> list[object]:
    """Return the parts of a player's card."""
    import polars as pl

    from arpad.publish.tables import rich_table

    who = card.person
    facts = [who.title, who.federation, f"born {who.birth}" if who.birth else None,
             {"m": "man", "w": "woman"}.get(who.sex or "")]  # fmt: skip
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
