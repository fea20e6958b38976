"""Least squares of what two kinds of thing add up to: a player's own level and that of a period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Additive", "fit_additive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Additive:
    """Effects of the columns, mean 0 over those that hang together; NaN for the others.

    Attributes
    ----------
    effects, covariance
        The covariance is clustered by row: what one player does in several periods counts as one
        piece of evidence, also where periods overlap.
    links
        Rows that stand in the column and in at least one other.
    """

    effects: NDArray[np.float64]
    covariance: NDArray[np.float64]
    links: NDArray[np.int64]


def fit_additive(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    count: int,
) -> Additive:
    """Fit value = own level of the row + effect of the column, by weighted least squares.

    With the rows' levels taken out, the matrix is the Laplacian of the columns: two are joined by
    every row that stands in both. Columns that nothing joins to the largest part have no effect.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    effects, covariance = np.full(count, np.nan), np.full((count, count), np.nan)
    links = np.zeros(count, dtype=np.int64)
    if not len(rows):
        return Additive(effects=effects, covariance=covariance, links=links)
    _, row = np.unique(rows, return_inverse=True)
    share = coo_array((weights, (row, columns)), shape=(row.max() + 1, count)).tocsr()
    total = np.asarray(share.sum(axis=1)).ravel()
    several = np.bincount(row) > 1
    links = np.bincount(columns[several[row]], minlength=count)
    _, part = connected_components(share.T @ share, directed=False)
    used = np.bincount(columns, minlength=count) > 0
    biggest = np.bincount(part[used], weights=np.bincount(columns, minlength=count)[used]).argmax()
    inside = np.flatnonzero(used & (part == biggest))
    mean = np.bincount(row, weights * values) / total
    pull = np.bincount(columns, weights * (values - mean[row]), count)[inside]
    dense = share.toarray()[:, inside]
    laplacian = np.diag(dense.sum(axis=0)) - (dense / total[:, None]).T @ dense
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    effects[inside] = inverse @ pull
    effects[inside] -= effects[inside].mean()
    known = np.where(np.isnan(effects), 0.0, effects)
    own = np.bincount(row, weights * (values - known[columns])) / total
    off = weights * (values - known[columns] - own[row])
    cluster = coo_array((off, (row, columns)), shape=share.shape).toarray()[:, inside]
    covariance[np.ix_(inside, inside)] = inverse @ (cluster.T @ cluster) @ inverse
    return Additive(effects=effects, covariance=covariance, links=links)
