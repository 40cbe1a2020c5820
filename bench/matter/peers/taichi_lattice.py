# mypy: ignore-errors
# (kernels of Taichi are not Python to a type checker)
"""Taichi on the lattice, in five layouts: the fastest one that knows as much as ours counts.

On any graph a mass gathers from its links (by vectors, by columns), or links are computed once and masses gather from
them. On the regular grid, padded by a rim, masses are taken four at once along z on a CPU: Taichi's indices of 32 bits
keep its compiler from vectorising loops, and only vectors that it does not take apart become SIMD code.
"""

import numpy as np

from bench.matter.lattice import GRAVITY, OFFSETS, Lattice
from bench.matter.rates import Ways
from bench.process import Rolling, Stepper

__all__ = ["GRAPH_LAYOUTS", "GRID_LAYOUTS", "graph_ways", "grid_ways"]

_LANES = {"cpu": 4, "cuda": 1}  # masses that a thread of Taichi steps at once: more than four spill its registers


def _taichi(threads: int, device: str, *, lanes: int = 1):
    import taichi as ti

    arch = ti.cuda if device == "cuda" else ti.cpu
    options = {"real_matrix_scalarize": False} if lanes > 1 else {}
    # fast_math makes it faster; its answers stay within the tolerance
    ti.init(arch=arch, default_fp=ti.f64, fast_math=True, cpu_max_num_threads=threads, log_level=ti.ERROR, **options)

    def array(values, kind=ti.f64):
        made = ti.ndarray(kind, values.shape)
        made.from_numpy(np.ascontiguousarray(values))
        return made

    return ti, array


def taichi_gather(lattice: Lattice, threads: int, device: str = "cpu") -> Stepper:
    """Return Taichi on a general graph: each mass gathers from its links, the three numbers of a vector in a row."""
    ti, array = _taichi(threads, device)
    near, one = lattice.neighbours(), ti.types.ndarray(ndim=1)
    graph = [array(near.start, ti.i32), array(near.other, ti.i32), array(near.material.astype(np.uint8), ti.u8)]
    tables = [array(values) for values in (*lattice.tables(), lattice.free * lattice.step**2 / lattice.mass)]
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
    return Rolling(buffers, lambda *x: gather(*x, *graph, *tables), lambda x: x.to_numpy(), ti.sync)


def taichi_columns(lattice: Lattice, threads: int, device: str = "cpu") -> Stepper:
    """Return Taichi on a general graph, with an array for each axis."""
    ti, array = _taichi(threads, device)
    near, one = lattice.neighbours(), ti.types.ndarray(ndim=1)
    graph = [array(near.start, ti.i32), array(near.other, ti.i32), array(near.material.astype(np.uint8), ti.u8)]
    tables = [array(values) for values in (*lattice.tables(), lattice.free * lattice.step**2 / lattice.mass)]
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

    return Rolling(buffers, step, lambda x: np.stack([column.to_numpy() for column in x], axis=1), ti.sync)


def taichi_links(lattice: Lattice, threads: int, device: str = "cpu") -> Stepper:
    """Return Taichi on a general graph in two passes: links, which keep their distance, then masses."""
    ti, array = _taichi(threads, device)
    near, one, (i, j, material) = lattice.neighbours(), ti.types.ndarray(ndim=1), lattice.links
    ends = [array(i, ti.i32), array(j, ti.i32), array(material.astype(np.uint8), ti.u8)]
    graph = [array(near.start, ti.i32), array(near.other, ti.i32), array(near.link, ti.i32)]
    tables, c = [array(values) for values in lattice.tables()], array(lattice.free * lattice.step**2 / lattice.mass)
    distance, force = array(np.linalg.norm(lattice.x[j] - lattice.x[i], axis=1)), array(np.zeros(len(i)))
    weight = lattice.mass * GRAVITY[1]

    @ti.kernel
    def pull(X: one, first: one, second: one, material: one, k: one, zt: one, d0: one, distance: one, force: one):
        for a in range(first.shape[0]):
            m = ti.cast(material[a], ti.i32)
            d = (X[second[a]] - X[first[a]]).norm()
            force[a] = (k[m] * (d - d0[m]) + zt[m] * (d - distance[a])) / d
            distance[a] = d

    @ti.kernel
    def gather(X: one, P: one, Q: one, start: one, other: one, link: one, force: one, c: one):
        for i in range(X.shape[0]):
            x, f = X[i], ti.Vector([0.0, weight, 0.0])
            for a in range(start[i], start[i + 1]):
                f += force[link[a]] * (X[other[a]] - x)
            Q[i] = 2 * x - P[i] + c[i] * f

    buffers = [ti.Vector.ndarray(3, ti.f64, len(lattice.x)) for _ in range(3)]
    for buffer in buffers:
        buffer.from_numpy(lattice.x)

    def step(now, before, after):
        pull(now, *ends, *tables, distance, force)
        gather(now, before, after, *graph, force, c)

    return Rolling(buffers, step, lambda x: x.to_numpy(), ti.sync)


def _lanes(ti, W):
    @ti.func
    def lanes(A: ti.template(), i):
        return ti.Vector([A[i + n] for n in range(W)])

    @ti.func
    def put(A: ti.template(), i, v):
        for n in ti.static(range(W)):
            A[i + n] = v[n]

    return lanes, put


def taichi_stencil(lattice: Lattice, threads: int, device: str = "cpu") -> Stepper:
    """Return Taichi on the regular grid, each mass gathering from its twelve neighbours."""
    W = _LANES[device]
    ti, array = _taichi(threads, device, lanes=W)
    grid = _Padded(lattice, W)
    (nx, ny, _), blocks = lattice.shape, grid.shape[2] // W
    (sx, sy), flat = grid.strides, grid.offsets()
    K, ZT, D0 = lattice.tables()
    here, c = array(grid.fill(np.ones(len(lattice.x)))), array(grid.fill(lattice.free * lattice.step**2 / lattice.mass))
    weight = lattice.mass * GRAVITY[1]
    one = ti.types.ndarray(dtype=ti.f64, ndim=1)
    lanes, put = _lanes(ti, W)

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

    return Rolling(buffers, step, lambda x: np.stack([grid.take(column.to_numpy()) for column in x], 1), ti.sync)


def taichi_grid_links(lattice: Lattice, threads: int, device: str = "cpu") -> Stepper:
    """Return Taichi on the regular grid in two passes: links, which keep their distance, then masses."""
    W = _LANES[device]
    ti, array = _taichi(threads, device, lanes=W)
    grid = _Padded(lattice, W)
    (nx, ny, _), blocks, size = lattice.shape, grid.shape[2] // W, int(np.prod(grid.shape))
    (sx, sy), ahead = grid.strides, grid.offsets()[:6]
    K, ZT, D0 = lattice.tables()
    c = array(grid.fill(lattice.free * lattice.step**2 / lattice.mass))
    there, start = grid.fill(np.ones(len(lattice.x))), [grid.fill(x, axis) for axis, x in enumerate(lattice.x.T)]
    behind = [np.linalg.norm([np.roll(x, -offset) - x for x in start], axis=0) for offset, _ in ahead]
    here, distance, force = array(there), array(np.concatenate(behind)), array(np.zeros(6 * size))
    weight = lattice.mass * GRAVITY[1]
    one = ti.types.ndarray(dtype=ti.f64, ndim=1)
    lanes, put = _lanes(ti, W)

    @ti.kernel
    def pull(X: one, Y: one, Z: one, here: one, distance: one, force: one):
        for q in range(nx * ny * blocks):
            row = q // blocks
            i = (row // ny + 1) * sx + (row % ny + 1) * sy + 1 + (q % blocks) * W
            x, y, z = lanes(X, i), lanes(Y, i), lanes(Z, i)
            for offset, m in ti.static(ahead):
                j, a = i + offset, i + m * size
                dx, dy, dz = lanes(X, j) - x, lanes(Y, j) - y, lanes(Z, j) - z
                d = ti.sqrt(dx * dx + dy * dy + dz * dz)
                both = lanes(here, i) * lanes(here, j)
                put(force, a, both * (K[m] * (d - D0[m]) + ZT[m] * (d - lanes(distance, a))) / d)
                put(distance, a, d)

    @ti.kernel
    def gather(
        X: one, Y: one, Z: one, PX: one, PY: one, PZ: one, QX: one, QY: one, QZ: one, force: one, c: one
    ):  # fmt: skip
        for q in range(nx * ny * blocks):
            row = q // blocks
            i = (row // ny + 1) * sx + (row % ny + 1) * sy + 1 + (q % blocks) * W
            x, y, z = lanes(X, i), lanes(Y, i), lanes(Z, i)
            fx, fy, fz = x * 0, x * 0 + weight, x * 0
            for offset, m in ti.static(ahead):
                j, h, a = i + offset, i - offset, i + m * size
                s, r = lanes(force, a), lanes(force, a - offset)
                fx += s * (lanes(X, j) - x) + r * (lanes(X, h) - x)
                fy += s * (lanes(Y, j) - y) + r * (lanes(Y, h) - y)
                fz += s * (lanes(Z, j) - z) + r * (lanes(Z, h) - z)
            w = lanes(c, i)
            put(QX, i, 2 * x - lanes(PX, i) + w * fx)
            put(QY, i, 2 * y - lanes(PY, i) + w * fy)
            put(QZ, i, 2 * z - lanes(PZ, i) + w * fz)

    def step(now, before, after):
        pull(*now, here, distance, force)
        gather(*now, *before, *after, force, c)

    buffers = [[array(x) for x in start] for _ in range(3)]
    return Rolling(buffers, step, lambda x: np.stack([grid.take(column.to_numpy()) for column in x], 1), ti.sync)


class _Padded:
    """The grid with a rim of places where no mass is, its rows filled up to whole groups of lanes."""

    def __init__(self, lattice: Lattice, lanes: int) -> None:
        self._inner = lattice.shape
        nx, ny, nz = lattice.shape
        self.shape = (nx + 2, ny + 2, -(-nz // lanes) * lanes + 2)
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


#: Layouts for any graph, and those that need the regular grid: made from a lattice, a number of threads, a device.
GRAPH_LAYOUTS = {"gather": taichi_gather, "columns": taichi_columns, "links": taichi_links}
GRID_LAYOUTS = {"stencil": taichi_stencil, "grid links": taichi_grid_links}


def graph_ways(lattice: Lattice, threads: int, device: str) -> Ways:
    """Return the ways of Taichi on any graph."""
    return {f"taichi {name}": (make, lattice, threads, device) for name, make in GRAPH_LAYOUTS.items()}


def grid_ways(lattice: Lattice, threads: int, device: str) -> Ways:
    """Return the ways of Taichi on a regular grid."""
    return {f"taichi {name}": (make, lattice, threads, device) for name, make in GRID_LAYOUTS.items()}
