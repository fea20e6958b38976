"""Which players of a pool can be compared with each other at all.

A finite solution exists for a group if, however it is split in two, each part has taken something off
the other: a strong component of the graph with an edge from whoever scored to the one it was scored
against. Players with 0 % or 100 %, and islands, fall out of that by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.pairs import Pairs

__all__ = ["Groups", "find_groups"]

ALONE = -1


@dataclass(frozen=True, slots=True)
class Groups:
    """For each player the number of the group (0 the largest), or -1; and why."""

    group: NDArray[np.int64]
    reason: NDArray[np.object_]

    @property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.group.max()) + 1 if len(self.group) else 0


def find_groups(pairs: Pairs) -> Groups:
    """Find the groups within which ratings are finite, before anything is iterated."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = pairs.players
    lost = pairs.games - pairs.points
    scored_on = np.r_[pairs.white[pairs.points > 0], pairs.black[lost > 0]]
    scored_by = np.r_[pairs.black[pairs.points > 0], pairs.white[lost > 0]]
    edges = coo_array((np.ones(len(scored_on)), (scored_on, scored_by)), shape=(n, n)).tocsr()
    _, strong = connected_components(edges, directed=True, connection="strong")
    played, points = pairs.played(), pairs.scored()
    size = np.bincount(strong, minlength=n)
    reason = np.full(n, "", dtype=object)
    alone = size[strong] == 1
    reason[alone] = "only ever won or only ever lost against the rest"
    reason[alone & (points == played)] = "won every game"
    reason[alone & (points == 0)] = "lost every game"
    reason[played == 0] = "played no game"
    return Groups(_by_size(strong, size, alone), reason)


def _by_size(
    labels: NDArray[np.int32], size: NDArray[np.int64], leave: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return a number for each: groups by size, the largest 0, equal ones by their first player."""
    first = np.full(len(size), len(labels), dtype=np.int64)
    np.minimum.at(first, labels, np.arange(len(labels)))
    kept = np.unique(labels[~leave])
    order = kept[np.lexsort((first[kept], -size[kept]))]
    number = np.full(len(size), ALONE, dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[labels]
