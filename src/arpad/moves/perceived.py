"""Algorithm 2: perceived ratings in an event, from the rating differences of the pairs that met.

The paper goes round and round until nothing changes; what it goes to is the least-squares solution of a
linear system [Ferreira 2012, (3)], which is solved here at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Ladder", "ladder", "perceived"]

NAMED = 6
"""Players of a group that a message names."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The pairs that met, ready to take their differences to ratings, and the level these are put on."""

    met: NDArray[np.int64]
    """Pairs (i, j)."""
    factor: NDArray[np.float64]
    """Cholesky factor of the normal equations, players × players."""
    known: NDArray[np.float64]
    """Known ratings, NaN where there is none."""

    @property
    def level(self) -> float | None:
        """The mean of the known ratings; None where none is known, and ratings are around 0 then."""
        known = self.known[np.isfinite(self.known)]
        return float(known.mean()) if len(known) else None

    def ratings(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return perceived ratings for the differences of the pairs; any number of sets at once, set by row."""
        from scipy.linalg import cho_solve

        d = np.atleast_2d(differences)
        surplus = np.zeros((len(self.known), len(d)))  # what each player's differences add up to
        np.add.at(surplus, self.met[:, 0], d.T)
        np.subtract.at(surplus, self.met[:, 1], d.T)
        r = cho_solve((self.factor, True), surplus).T.reshape(
            *differences.shape[:-1], len(self.known)
        )
        known = np.isfinite(self.known)
        if known.any():
            r = r + np.mean(self.known[known]) - r[..., known].mean(axis=-1, keepdims=True)
        return np.asarray(r)


def ladder(
    pairs: ArrayLike, players: int, *, known: ArrayLike | None = None, names: Sequence[str] = ()
) -> Ladder:
    """Prepare perceived ratings for pairs (i, j) that met.

    Each pair counts once, however often it met [(3) sums over opponents].

    Raises
    ------
    InputError
        If the pairs do not hang together: ratings of two groups cannot be compared.
    """
    met = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    given = np.full(players, np.nan) if known is None else np.asarray(known, dtype=np.float64)
    if len(given) != players:
        raise UsageError(f"expected {players} known ratings (NaN for none), found {len(given)}")
    _check_together(met, players, names)
    return Ladder(met, _factor(met, players), given)


def _factor(met: NDArray[np.int64], players: int) -> NDArray[np.float64]:
    """Return the Cholesky factor of the normal equations.

    Every equation holds for ratings shifted by any constant, too; 1/n added to every place makes ratings around 0
    the only solution.
    """
    from scipy.linalg import cholesky

    L = np.full((players, players), 1 / players)
    i, j = met[:, 0], met[:, 1]
    np.add.at(L, (np.r_[i, j], np.r_[i, j]), 1.0)
    np.subtract.at(L, (np.r_[i, j], np.r_[j, i]), 1.0)
    return np.asarray(cholesky(L, lower=True), dtype=np.float64)


def perceived(
    pairs: ArrayLike,
    differences: ArrayLike,
    *,
    known: ArrayLike,
    names: Sequence[str] = (),
) -> NDArray[np.float64]:
    """Return the perceived rating of each player, on average those of the players whose ratings are known.

    Minimises Σ (r′_i − r′_j − d_ij)² over the pairs [(3)].

    Examples
    --------
    >>> perceived([(0, 1), (1, 2)], [20, 30], known=[2700, float("nan"), 2660]).round().tolist()
    [2705.0, 2685.0, 2655.0]
    """
    d = np.asarray(differences, dtype=np.float64)
    given = np.asarray(known, dtype=np.float64)
    if not bool(np.all(np.isfinite(d))):
        i, j = np.asarray(pairs).reshape(-1, 2)[int(np.argmin(np.isfinite(d)))]
        raise InputError(
            f"expected finite rating differences, found an infinite one between {_name(names, i)} and "
            f"{_name(names, j)}: every move of one was better than every move of the other, which no "
            "rating explains; add games"
        )
    return ladder(pairs, len(given), known=given, names=names).ratings(d)


def _check_together(met: NDArray[np.int64], players: int, names: Sequence[str]) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(met)), (met[:, 0], met[:, 1])), shape=(players, players))
    count, group = connected_components(edges.tocsr(), directed=False)
    if count <= 1:
        return
    groups = [np.flatnonzero(group == g) for g in range(count)]
    words = "; ".join(_group(members, names) for members in groups[:NAMED])
    more = f"; and {count - NAMED} more" if count > NAMED else ""
    raise InputError(
        f"expected players who hang together by their games, found {count} groups that never met: "
        f"{words}{more}; rate each group by itself"
    )


def _group(members: NDArray[np.int64], names: Sequence[str]) -> str:
    shown = ", ".join(_name(names, i) for i in members[:NAMED])
    return shown + (f" and {len(members) - NAMED} more" if len(members) > NAMED else "")


def _name(names: Sequence[str], i: int) -> str:
    return names[i] if len(names) else f"player {i}"
