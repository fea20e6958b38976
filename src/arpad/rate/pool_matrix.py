"""The matrix of a pool: the Laplacian of the graph of pairings, and how systems with it are solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.pairs import Pairs

__all__ = ["Laplacian", "solve_laplacian"]

SMALL = 200
"""Players up to whom a system is solved directly."""


@dataclass(frozen=True, slots=True)
class Laplacian:
    """The matrix with −weight between two who met and everybody's own sum on the diagonal.

    Pairings come sorted by White, so that they are a sparse matrix as they stand: nothing is
    sorted or copied at each step.
    """

    met: Any
    degree: NDArray[np.float64]

    @classmethod
    def of(cls, pairs: Pairs, weight: NDArray[np.float64], extra: NDArray[np.float64]) -> Laplacian:
        """Return the matrix for one weight a pairing and an extra one on the diagonal."""
        from scipy.sparse import csr_array

        n = pairs.players
        met = csr_array((weight, pairs.black, pairs.starts), shape=(n, n))
        each = np.ones(n)
        return cls(met, np.asarray(met @ each + met.T @ each) + extra)

    def times(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return L x."""
        return np.asarray(self.degree * x - self.met @ x - self.met.T @ x)

    def dense(self) -> NDArray[np.float64]:
        """Return L as it is written."""
        met = self.met.toarray()
        return np.asarray(np.diag(self.degree) - met - met.T)

    def sparse(self) -> Any:
        """Return L in sparse form."""
        from scipy.sparse import diags_array

        return diags_array(self.degree) - self.met - self.met.T


def solve_laplacian(
    matrix: Laplacian, g: NDArray[np.float64], *, free: bool, close: float = 1e-7
) -> NDArray[np.float64]:
    """Solve L x = g.

    Parameters
    ----------
    free
        L is singular: without a prior all ratings may move together.
    close
        Relative accuracy, where the system is large.
    """
    from scipy.sparse.linalg import LinearOperator, cg, spsolve

    degree, n = matrix.degree, len(g)
    if n <= SMALL:
        together = degree.mean() / n**2 if free else 0.0
        return np.asarray(np.linalg.solve(matrix.dense() + together, g))
    if free:
        g = g - g.mean()  # what rounding left over cannot be solved for
    own = 1 / np.maximum(degree, 1e-300)
    times = LinearOperator((n, n), matvec=matrix.times, dtype=np.float64)
    scale = LinearOperator((n, n), matvec=lambda x: own * x, dtype=np.float64)
    x, failed = cg(times, g, rtol=close, atol=1e-13 * float(degree.max()), maxiter=5000, M=scale)
    if failed:
        # A long chain of pairings: few entries, so that a direct solution is cheap.
        tied = matrix.sparse().tolil()
        if free:
            tied[0, :] = 0
            tied[0, 0] = 1
            g = np.r_[0.0, g[1:]]
        x = spsolve(tied.tocsc(), g)
    return np.asarray(x)
