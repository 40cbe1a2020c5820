# mypy: ignore-errors
# (kernels of Taichi are not Python to a type checker)
"""The heap by Taichi, with a list of neighbours of its own."""

import numpy as np

from bench.matter.heap import Heap
from bench.matter.rates import Ways
from bench.process import Stepper

__all__ = ["heap_ways", "taichi_heap"]

_MOST = 32  # candidates of a grain: as many of its size as fit within S + skin, and more


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


def heap_ways(heap: Heap, threads: int, device: str) -> Ways:
    """Return the way of Taichi."""
    return {"taichi": (taichi_heap, heap, threads, device)}
