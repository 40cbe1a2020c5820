# mypy: ignore-errors
# (kernels of Warp are not Python to a type checker)
"""Peers on the lattice: Warp, NumPy and SciPy. Taichi has a module of its own.

All of them step the same law from the same positions in float64, with a material index instead of numbers per link.
"""

from collections.abc import Callable

import numpy as np

from motiform.bench.matter.lattice import GRAVITY, Lattice
from motiform.bench.matter.process import Rolling, Stepper

__all__ = ["numpy_lattice", "scipy_lattice", "warp_lattice"]


# ---- NumPy and SciPy ------------------------------------------------------------------------------------------------


def _with_sum(lattice: Lattice, difference: Callable, total: Callable) -> Stepper:
    """Return the scheme on arrays: difference(x) of the links' ends, total(f) of the links' forces on each mass."""
    i, j, material = lattice.links
    k, zt, d0 = lattice.stiffness[material], lattice.viscosity[material] / lattice.step, lattice.rest[material]
    c = lattice.free[:, None] * lattice.step**2 / lattice.mass
    fall = lattice.free[:, None] * lattice.step**2 * np.array(GRAVITY)
    d_before = [np.linalg.norm(lattice.x[j] - lattice.x[i], axis=1)]

    def step(now, before, after):
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

    def total(f):
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


# ---- Warp -----------------------------------------------------------------------------------------------------------


def warp_lattice(lattice: Lattice, device: str = "cpu") -> Stepper:
    """Return Warp on a general graph; on the CPU it has one thread."""
    import warp as wp

    wp.init()
    near, vec, f64, i32 = lattice.neighbours(), wp.vec3d, wp.float64, wp.int32

    def array(values, kind=f64):
        return wp.array(np.ascontiguousarray(values), dtype=kind, device=device)

    @wp.kernel(enable_backward=False)
    def gather(
        X: wp.array(dtype=vec), P: wp.array(dtype=vec), Q: wp.array(dtype=vec),
        start: wp.array(dtype=i32), other: wp.array(dtype=i32), material: wp.array(dtype=wp.uint8),
        k: wp.array(dtype=f64), zt: wp.array(dtype=f64), d0: wp.array(dtype=f64), c: wp.array(dtype=f64), weight: vec,
    ):  # fmt: skip
        i = wp.tid()
        x = X[i]
        p = P[i]
        f = weight
        for a in range(start[i], start[i + 1]):
            j = other[a]
            m = wp.int32(material[a])
            D = X[j] - x
            d = wp.length(D)
            e = wp.length(P[j] - p)
            f += (k[m] * (d - d0[m]) + zt[m] * (d - e)) / d * D
        Q[i] = wp.float64(2.0) * x - p + c[i] * f

    graph = [array(near.start, i32), array(near.other, i32), array(near.material.astype(np.uint8), wp.uint8)]
    tables = [array(values) for values in (*lattice.tables(), lattice.free * lattice.step**2 / lattice.mass)]
    weight, n = vec(*(lattice.mass * np.array(GRAVITY))), len(lattice.x)

    def step(*x):
        wp.launch(gather, dim=n, inputs=[*x, *graph, *tables, weight], device=device)

    return Rolling([array(lattice.x, vec) for _ in range(3)], step, lambda x: x.numpy(), wp.synchronize)
