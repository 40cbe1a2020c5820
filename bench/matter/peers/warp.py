# mypy: ignore-errors
# (kernels of Warp are not Python to a type checker)
"""The lattice and the heap by Warp, in float64; on the CPU it has one thread."""

import numpy as np

from bench.matter.heap import Heap
from bench.matter.lattice import GRAVITY, Lattice
from bench.matter.rates import Ways
from bench.process import Rolling, Stepper

__all__ = ["heap_ways", "lattice_ways", "warp_heap", "warp_lattice"]


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


def lattice_ways(lattice: Lattice, threads: int, device: str) -> Ways:
    """Return the way of Warp on the lattice."""
    return {"warp": (warp_lattice, lattice, device)}


def heap_ways(heap: Heap, threads: int, device: str) -> Ways | None:
    """Return the way of Warp on the heap, beside one thread."""
    return {"warp": (warp_heap, heap, device)} if threads == 1 else None
