"""The lattice by arrays of NumPy and SciPy; the first is what all contenders are checked against."""

from collections.abc import Callable

import numpy as np

from bench.matter.lattice import GRAVITY, Lattice
from bench.matter.rates import Ways
from bench.matter.strings import DAMPING, MASS, RATE, STIFFNESS, STRETCH, string
from bench.process import Rolling, Stepper

__all__ = ["NumpyString", "numpy_lattice", "numpy_ways", "reference_lattice", "scipy_lattice", "scipy_ways"]


def _with_sum(
    lattice: Lattice, difference: Callable[[np.ndarray], np.ndarray], total: Callable[[np.ndarray], np.ndarray]
) -> Stepper:
    """Return the scheme on arrays: difference(x) of the links' ends, total(f) of the links' forces on each mass."""
    i, j, material = lattice.links
    k, zt, d0 = lattice.stiffness[material], lattice.viscosity[material] / lattice.step, lattice.rest[material]
    c = lattice.free[:, None] * lattice.step**2 / lattice.mass
    fall = lattice.free[:, None] * lattice.step**2 * np.array(GRAVITY)
    d_before = [np.linalg.norm(lattice.x[j] - lattice.x[i], axis=1)]

    def step(now: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        D = difference(now)
        d = np.sqrt(np.einsum("ij,ij->i", D, D))
        D *= ((k * (d - d0) + zt * (d - d_before[0])) / d)[:, None]
        d_before[0] = d
        np.subtract(2 * now, before, out=after)
        after += c * total(D) + fall

    return Rolling([lattice.x.copy() for _ in range(3)], step, np.copy)


def numpy_lattice(lattice: Lattice) -> Stepper:
    """Return NumPy with sums by bincount, which is faster than add.at."""
    i, j, _ = lattice.links
    n = len(lattice.x)

    def total(f: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(i, a, n) - np.bincount(j, a, n) for a in f.T], axis=1)

    return _with_sum(lattice, lambda x: x[j] - x[i], total)


def scipy_lattice(lattice: Lattice) -> Stepper:
    """Return the links as a sparse incidence matrix."""
    from scipy.sparse import csr_array

    i, j, _ = lattice.links
    links, one = np.arange(len(i)), np.ones(len(i))
    ends = np.concatenate([links, links]), np.concatenate([j, i])
    B = csr_array((np.concatenate([one, -one]), ends), shape=(len(i), len(lattice.x)))
    Bt = B.T.tocsr()
    return _with_sum(lattice, lambda x: B @ x, lambda f: -(Bt @ f))


def reference_lattice(lattice: Lattice, steps: int) -> np.ndarray:
    """Return the positions after so many steps [m], (masses, 3), as plain NumPy computes them."""
    stepper = numpy_lattice(lattice)
    stepper.advance(steps)
    return stepper.positions()


def numpy_ways(lattice: Lattice, threads: int, device: str) -> Ways:
    """Return the way of NumPy."""
    return {"numpy": (numpy_lattice, lattice)}


def scipy_ways(lattice: Lattice, threads: int, device: str) -> Ways:
    """Return the way of SciPy."""
    return {"scipy": (scipy_lattice, lattice)}


class NumpyString:
    """The scheme of the string on arrays."""

    def __init__(self, count: int) -> None:
        state = string(count).initial_state()
        order = [0, *range(2, count + 2), 1]
        self.x, self.before = state.position[order], state.previous[order]
        self.length = np.linalg.norm(np.diff(self.before, axis=0), axis=1)
        self.rest = STRETCH / (count + 1)

    def step(self) -> None:
        """Take a step."""
        line = np.diff(self.x, axis=0)
        d = np.sqrt(np.einsum("ij,ij->i", line, line))
        pull = line * ((STIFFNESS * (d - self.rest) + DAMPING * RATE * (d - self.length)) / d)[:, None]
        self.length = d
        after = self.x.copy()
        after[1:-1] = 2 * self.x[1:-1] - self.before[1:-1] + (pull[1:] - pull[:-1]) / (MASS * RATE**2)
        self.x, self.before = after, self.x
