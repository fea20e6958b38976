"""All spellings of all names, small enough to be kept: who is looked for is found without the database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import sqlalchemy as sa

from arpad.office.records.merges import merged_ends
from arpad.office.records.names import fold
from arpad.office.showing.name_search import WORDS
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

__all__ = ["NameIndex", "name_index"]

_i, _n, _p = tables.player_ids.c, tables.player_names.c, tables.players.c
BY_ID = sa.select(_i.player_id).where(_i.value == sa.bindparam("value"))
BY_SCHEME = BY_ID.where(_i.scheme == sa.bindparam("scheme"))
SPELLED = sa.select(_n.player_id, _n.fold).order_by(_n.player_id, _n.name)
CALLED = sa.select(_p.id).order_by(_p.name, _p.id)
"""Made once, asked often."""

SHORT = 3
"""Letters from which on it is faster to look for a word in all names at once than in one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameIndex:
    """What players are found by, as it stood when it was made."""

    folds: tuple[str, ...]
    """Every spelling, without case, accents and punctuation."""
    text: str
    """All of them, a line each."""
    starts: NDArray[np.int64]
    """Where each of them begins there."""
    players: NDArray[np.int64]
    """Whose they are."""
    by_name: NDArray[np.int64]
    """All players in the order of their names; merged ones, too."""
    ends: Mapping[int, int]
    """Who somebody is today, for those who were merged."""

    def found(self, connection: Connection, text: str) -> NDArray[np.int64]:
        """Return the numbers that `name_search.named` finds, in their order.

        Every word has to be in one and the same spelling of the name, wherever; `#12` is the ledger's number,
        and whatever has no blank in it may be an id.
        """
        wanted = text.strip()
        marked = re.fullmatch(r"#(\d{1,9})", wanted)
        if marked:
            return np.intersect1d(self.by_name, [int(marked[1])])
        scheme, _, value = wanted.rpartition(":")
        said = {"value": value.strip()}
        if scheme:
            said["scheme"] = scheme.strip().lower()
        ids = connection.execute(BY_SCHEME if scheme else BY_ID, said).scalars().all()
        words = sorted(fold(wanted).split()[:WORDS], key=len, reverse=True)
        lines = self._with(words[0]) if words else []
        rest, folds = words[1:], self.folds
        if rest:
            lines = [at for at in lines if all(word in folds[at] for word in rest)]
        return np.union1d(np.asarray(ids, dtype=np.int64), self.players[lines]).astype(np.int64)

    def _with(self, word: str) -> list[int]:
        """Return the spellings that have a word in them."""
        if len(word) < SHORT:
            return [at for at, spelled in enumerate(self.folds) if word in spelled]
        hits, at = [], self.text.find(word)
        while at >= 0:
            hits.append(at)
            end = self.text.find("\n", at)
            at = self.text.find(word, end) if end >= 0 else -1
        return (np.searchsorted(self.starts, hits, side="right") - 1).tolist()  # type: ignore[no-any-return]

    def people(self, connection: Connection, text: str) -> list[int]:
        """Return the players of today whom a text may mean, by name; without a text everybody."""
        if not text.strip():
            gone = np.fromiter(self.ends, dtype=np.int64, count=len(self.ends))
            return self.by_name[~np.isin(self.by_name, gone)].tolist()  # type: ignore[no-any-return]
        numbers = self.found(connection, text)
        ordered = self.by_name[np.isin(self.by_name, numbers)].tolist()
        return list(dict.fromkeys(self.ends.get(number, number) for number in ordered))


def name_index(connection: Connection) -> NameIndex:
    """Return what all players are found by."""
    with connection.execute(SPELLED) as spelled, connection.execute(CALLED) as called:
        # Numbers and texts as the driver has them: nothing to be made of them.
        rows, ids = spelled.cursor.fetchall(), called.cursor.fetchall()
    players, folds = zip(*rows, strict=True) if rows else ((), ())
    lengths = np.fromiter(map(len, folds), dtype=np.int64, count=len(folds)) + 1
    return NameIndex(
        folds=folds,
        text="\n".join(folds),
        starts=np.cumsum(lengths) - lengths,
        players=np.array(players, dtype=np.int64),
        by_name=np.array(ids, dtype=np.int64).reshape(-1),
        ends=merged_ends(connection),
    )
