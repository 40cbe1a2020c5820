"""What the kernels of contact problems take together."""

import numpy as np

from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.contact import columns as c

__all__ = ["Head", "Room", "Space", "make_room", "make_space"]


class Head(NamedTuple):
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


class Space(NamedTuple):
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


class Room(NamedTuple):
    """Room for the solution of a problem: forces x, and what the solvers write into."""

    along: Floats2
    given: Floats
    x: Floats
    r: Floats
    F: Floats2
    K: Floats2
    chosen: Ints
    wrong: Ints


def make_space(nv: int, rows: int, count: int) -> Space:
    """Return room for a problem of so many rows of so many candidates."""
    M, H, Y, A = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, rows)), np.zeros((rows, rows))
    used, u, b, s = np.zeros(nv, np.int64), np.zeros(nv), np.zeros(rows), np.zeros(rows)
    return Space(M, H, Y, A, used, u, b, s, np.zeros((count, c.SITE_FLOATS)))


def make_room(nv: int, rows: int, count: int) -> Room:
    """Return room for the solution of such a problem."""
    x, r, F, K = np.zeros(rows), np.zeros(max(rows, nv)), np.zeros((rows, rows)), np.zeros((rows, rows))
    return Room(np.zeros((count, 2)), np.zeros(count), x, r, F, K, np.zeros(rows, np.int64), np.zeros(rows, np.int64))
