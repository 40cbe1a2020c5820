"""What the kernels of contact problems take together."""

import numpy as np

from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.contact import columns as contact_columns

__all__ = ["ContactModel", "ContactWorkspace", "SolverWorkspace", "contact_workspace", "solver_workspace"]


class ContactModel(NamedTuple):
    """A figure and its contacts as arrays, and the figure's workspace."""

    ints: Ints
    floats: Floats
    work: Floats
    cints: Ints
    cfloats: Floats
    before: Ints
    """The next column toward the root of each column, −1 at the root."""
    zeros: Floats
    """(nv,)"""


class ContactWorkspace(NamedTuple):
    """Room for the problem of some candidates: A x + b are the accelerations of its rows under forces x."""

    M: Floats2
    H: Floats2
    """The inertia matrix by columns of the tree, factored."""
    Y: Floats2
    """The rows, projected: A = Yᵀ Y."""
    A: Floats2
    used: Ints
    """Whether a column moves any row."""
    u: Floats
    b: Floats
    s: Floats
    """Accelerations of the rows that velocities alone make."""
    sites: Floats2


class SolverWorkspace(NamedTuple):
    """Room for the solution of a problem: forces x, and what the solvers write into."""

    along: Floats2
    given: Floats
    x: Floats
    r: Floats
    F: Floats2
    K: Floats2
    chosen: Ints
    wrong: Ints
    side: Floats
    """A right-hand side."""


def contact_workspace(nv: int, rows: int, count: int) -> ContactWorkspace:
    """Return room for a problem of so many rows of so many candidates."""
    M, H, Y, A = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, rows)), np.zeros((rows, rows))
    used, u, b, s = np.zeros(nv, np.int64), np.zeros(nv), np.zeros(rows), np.zeros(rows)
    return ContactWorkspace(M, H, Y, A, used, u, b, s, np.zeros((count, contact_columns.SITE_FLOATS)))


def solver_workspace(nv: int, rows: int, count: int) -> SolverWorkspace:
    """Return room for the solution of such a problem."""
    x, r, F, K = np.zeros(rows), np.zeros(max(rows, nv)), np.zeros((rows, rows)), np.zeros((rows, rows))
    return SolverWorkspace(
        np.zeros((count, 2)),
        np.zeros(count),
        x,
        r,
        F,
        K,
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows),
    )
