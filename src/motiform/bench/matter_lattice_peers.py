# mypy: ignore-errors
# (kernels of Taichi and Warp are not Python to a type checker)
"""Peers on the lattice: taichi in three layouts, warp, NumPy and SciPy.

All of them step the same law from the same positions in float64, with a material index instead of numbers per link.
"""

from collections.abc import Callable

import numpy as np

from motiform.bench.matter_lattice import GRAVITY, OFFSETS, Lattice
from motiform.bench.matter_process import Stepper

__all__ = [
    "numpy_lattice",
    "scipy_lattice",
    "taichi_columns",
    "taichi_gather",
    "taichi_stencil",
    "warp_lattice",
]


class _Rolling:
    """Positions before and now, and a function that gives those after: (now, before, spare) → after, in place."""

    def __init__(self, buffers: list, step: Callable, read: Callable, wait: Callable[[], None] = lambda: None) -> None:
        self._now, self._before, self._spare = buffers
        self._step, self._read, self._wait = step, read, wait

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self._step(self._now, self._before, self._spare)
            self._now, self._before, self._spare = self._spare, self._now, self._before
        self._wait()

    def positions(self) -> np.ndarray:
        return np.asarray(self._read(self._now))


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

    return _Rolling([lattice.x.copy() for _ in range(3)], step, np.copy)


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


# ---- Taichi ---------------------------------------------------------------------------------------------------------

_LANES = 4  # masses that Taichi steps at once: more spill its registers


def _taichi(threads: int, **options):
    import taichi as ti

    # fast_math makes it faster; its answers stay within the tolerance
    ti.init(arch=ti.cpu, default_fp=ti.f64, fast_math=True, cpu_max_num_threads=threads, log_level=ti.ERROR, **options)

    def array(values, kind=ti.f64):
        made = ti.ndarray(kind, values.shape)
        made.from_numpy(np.ascontiguousarray(values))
        return made

    return ti, array


def _tables(lattice: Lattice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return lattice.stiffness, lattice.viscosity / lattice.step, lattice.rest


def taichi_gather(lattice: Lattice, threads: int) -> Stepper:
    """Return Taichi on a general graph: each mass gathers from its links, the three numbers of a vector in a row."""
    ti, array = _taichi(threads)
    near, one = lattice.neighbours(), ti.types.ndarray(ndim=1)
    graph = [array(near.start, ti.i32), array(near.other, ti.i32), array(near.material.astype(np.uint8), ti.u8)]
    tables = [array(values) for values in (*_tables(lattice), lattice.free * lattice.step**2 / lattice.mass)]
    weight = lattice.mass * GRAVITY[1]

    @ti.kernel
    def gather(X: one, P: one, Q: one, start: one, other: one, material: one, k: one, zt: one, d0: one, c: one):
        for i in range(X.shape[0]):
            x, p = X[i], P[i]
            f = ti.Vector([0.0, weight, 0.0])
            for a in range(start[i], start[i + 1]):
                j, m = other[a], ti.cast(material[a], ti.i32)
                D, E = X[j] - x, P[j] - p
                d, e = D.norm(), E.norm()
                f += (k[m] * (d - d0[m]) + zt[m] * (d - e)) / d * D
            Q[i] = 2 * x - p + c[i] * f

    buffers = [ti.Vector.ndarray(3, ti.f64, len(lattice.x)) for _ in range(3)]
    for buffer in buffers:
        buffer.from_numpy(lattice.x)
    return _Rolling(buffers, lambda *x: gather(*x, *graph, *tables), lambda x: x.to_numpy(), ti.sync)


def taichi_columns(lattice: Lattice, threads: int) -> Stepper:
    """Return Taichi on a general graph, with an array for each axis."""
    ti, array = _taichi(threads)
    near, one = lattice.neighbours(), ti.types.ndarray(ndim=1)
    graph = [array(near.start, ti.i32), array(near.other, ti.i32), array(near.material.astype(np.uint8), ti.u8)]
    tables = [array(values) for values in (*_tables(lattice), lattice.free * lattice.step**2 / lattice.mass)]
    weight = lattice.mass * GRAVITY[1]

    @ti.kernel
    def gather(
        X: one, Y: one, Z: one, PX: one, PY: one, PZ: one, QX: one, QY: one, QZ: one,
        start: one, other: one, material: one, k: one, zt: one, d0: one, c: one,
    ):  # fmt: skip
        for i in range(X.shape[0]):
            x, y, z, px, py, pz = X[i], Y[i], Z[i], PX[i], PY[i], PZ[i]
            fx, fy, fz = 0.0, weight, 0.0
            for a in range(start[i], start[i + 1]):
                j, m = other[a], ti.cast(material[a], ti.i32)
                dx, dy, dz = X[j] - x, Y[j] - y, Z[j] - z
                ex, ey, ez = PX[j] - px, PY[j] - py, PZ[j] - pz
                d, e = ti.sqrt(dx * dx + dy * dy + dz * dz), ti.sqrt(ex * ex + ey * ey + ez * ez)
                s = (k[m] * (d - d0[m]) + zt[m] * (d - e)) / d
                fx += s * dx
                fy += s * dy
                fz += s * dz
            QX[i] = 2 * x - px + c[i] * fx
            QY[i] = 2 * y - py + c[i] * fy
            QZ[i] = 2 * z - pz + c[i] * fz

    buffers = [[array(column) for column in lattice.x.T] for _ in range(3)]

    def step(now, before, after):
        gather(*now, *before, *after, *graph, *tables)

    return _Rolling(buffers, step, lambda x: np.stack([column.to_numpy() for column in x], axis=1), ti.sync)


def taichi_stencil(lattice: Lattice, threads: int) -> Stepper:
    """Return Taichi on the regular grid: an array for each axis, an empty rim, four neighbours along z at once.

    Taichi's indices of 32 bits keep its compiler from vectorising loops; vectors that it does not take apart are
    what gives SIMD code.
    """
    ti, array = _taichi(threads, real_matrix_scalarize=False)
    grid = _Padded(lattice)
    W, (nx, ny, _), blocks = _LANES, lattice.shape, grid.shape[2] // _LANES
    (sx, sy), flat = grid.strides, grid.offsets()
    K, ZT, D0 = _tables(lattice)
    here, c = array(grid.fill(np.ones(len(lattice.x)))), array(grid.fill(lattice.free * lattice.step**2 / lattice.mass))
    weight = lattice.mass * GRAVITY[1]
    one = ti.types.ndarray(dtype=ti.f64, ndim=1)

    @ti.func
    def lanes(A: ti.template(), i):
        return ti.Vector([A[i + n] for n in range(W)])

    @ti.func
    def put(A: ti.template(), i, v):
        for n in ti.static(range(W)):
            A[i + n] = v[n]

    @ti.kernel
    def stencil(X: one, Y: one, Z: one, PX: one, PY: one, PZ: one, QX: one, QY: one, QZ: one, here: one, c: one):
        for q in range(nx * ny * blocks):
            row = q // blocks
            i = (row // ny + 1) * sx + (row % ny + 1) * sy + 1 + (q % blocks) * W
            x, y, z, px, py, pz = lanes(X, i), lanes(Y, i), lanes(Z, i), lanes(PX, i), lanes(PY, i), lanes(PZ, i)
            fx, fy, fz = x * 0, x * 0 + weight, x * 0
            for offset, m in ti.static(flat):
                j = i + offset
                dx, dy, dz = lanes(X, j) - x, lanes(Y, j) - y, lanes(Z, j) - z
                ex, ey, ez = lanes(PX, j) - px, lanes(PY, j) - py, lanes(PZ, j) - pz
                d, e = ti.sqrt(dx * dx + dy * dy + dz * dz), ti.sqrt(ex * ex + ey * ey + ez * ez)
                s = lanes(here, j) * (K[m] * (d - D0[m]) + ZT[m] * (d - e)) / d
                fx += s * dx
                fy += s * dy
                fz += s * dz
            w = lanes(c, i)
            put(QX, i, 2 * x - px + w * fx)
            put(QY, i, 2 * y - py + w * fy)
            put(QZ, i, 2 * z - pz + w * fz)

    buffers = [[array(grid.fill(column, axis)) for axis, column in enumerate(lattice.x.T)] for _ in range(3)]

    def step(now, before, after):
        stencil(*now, *before, *after, here, c)

    return _Rolling(buffers, step, lambda x: np.stack([grid.take(column.to_numpy()) for column in x], 1), ti.sync)


class _Padded:
    """The grid with a rim of places where no mass is, its rows filled up to whole groups of lanes."""

    def __init__(self, lattice: Lattice) -> None:
        self._inner = lattice.shape
        nx, ny, nz = lattice.shape
        self.shape = (nx + 2, ny + 2, -(-nz // _LANES) * _LANES + 2)
        self.strides = self.shape[1] * self.shape[2], self.shape[2]
        spacing = lattice.places[1, 2]
        self._places = (np.indices(self.shape) - 1.0) * spacing  # so that no distance to an empty place is zero

    def offsets(self) -> list[tuple[int, int]]:
        """Return how far each neighbour is in the flat array, and the material of its link."""
        ahead = [(x * self.strides[0] + y * self.strides[1] + z, m) for m, (x, y, z) in enumerate(OFFSETS)]
        return ahead + [(-offset, m) for offset, m in ahead]

    def fill(self, values: np.ndarray, axis: int | None = None) -> np.ndarray:
        """Return the values on the padded grid, flat; around them the places along an axis, or zeros."""
        out = np.zeros(self.shape) if axis is None else self._places[axis].copy()
        out[1:-1, 1:-1, 1 : self._inner[2] + 1] = values.reshape(self._inner)
        return out.ravel()

    def take(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the masses from the padded grid."""
        return values.reshape(self.shape)[1:-1, 1:-1, 1 : self._inner[2] + 1].ravel()


# ---- Warp -----------------------------------------------------------------------------------------------------------


def warp_lattice(lattice: Lattice) -> Stepper:
    """Return Warp on a general graph; on the CPU it has one thread."""
    import warp as wp

    wp.init()
    near, vec, f64, i32 = lattice.neighbours(), wp.vec3d, wp.float64, wp.int32

    def array(values, kind=f64):
        return wp.array(np.ascontiguousarray(values), dtype=kind, device="cpu")

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
    tables = [array(values) for values in (*_tables(lattice), lattice.free * lattice.step**2 / lattice.mass)]
    weight, n = vec(*(lattice.mass * np.array(GRAVITY))), len(lattice.x)

    def step(*x):
        wp.launch(gather, dim=n, inputs=[*x, *graph, *tables, weight], device="cpu")

    return _Rolling([array(lattice.x, vec) for _ in range(3)], step, lambda x: x.numpy())
