# mypy: ignore-errors
# (kernels of Taichi are not Python to a type checker)
"""Taichi on a screen: a stencil, and points that add by atomics."""

import numpy as np

from bench.process import Stepper
from bench.screen.problem import Pins

__all__ = ["ways"]


class _Taichi:
    """A screen in Taichi."""

    def __init__(self, pins: Pins, threads: int, device: str) -> None:
        import taichi as ti

        arch = ti.cuda if device == "cuda" else ti.cpu
        ti.init(arch=arch, default_fp=ti.f64, fast_math=True, cpu_max_num_threads=threads, log_level=ti.ERROR)
        self.sync, n, (a, b, c, d), (K, Z) = ti.sync, pins.size, pins.coefficients(), pins.contact
        S, top, R = pins.reach, pins.height, int(pins.reach)
        field = ti.types.ndarray(ndim=2)
        self.fields = [ti.ndarray(ti.f64, (n + 2, n + 2)) for _ in range(3)]
        for one, values in zip(self.fields, (pins.start(), pins.start(), np.zeros((n, n))), strict=True):
            one.from_numpy(np.pad(values, 1))
        self.places, self.step_count = None, 0
        if pins.points:
            places = np.ascontiguousarray(pins.places())
            self.places = ti.ndarray(ti.f64, places.shape)
            self.places.from_numpy(places)
            self.moves = len(places)

        @ti.kernel
        def free(w: field, p: field, q: field):
            for i, j in ti.ndrange((1, n + 1), (1, n + 1)):
                near = w[i - 1, j] + w[i + 1, j] + w[i, j - 1] + w[i, j + 1]
                old = p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1]
                q[i, j] = a * w[i, j] + b * p[i, j] + c * near + d * old

        @ti.kernel
        def push(w: field, p: field, q: field, at: ti.types.ndarray(ndim=3), now: ti.i32, old: ti.i32):
            for k in range(at.shape[1]):
                x, y, u, v = at[now, k, 0] + 1, at[now, k, 1] + 1, at[old, k, 0] + 1, at[old, k, 1] + 1
                for i in range(ti.max(1, ti.cast(x, ti.i32) - R), ti.min(n + 1, ti.cast(x, ti.i32) + R + 2)):
                    for j in range(ti.max(1, ti.cast(y, ti.i32) - R), ti.min(n + 1, ti.cast(y, ti.i32) + R + 2)):
                        h = w[i, j] - top
                        dd = (i - x) ** 2 + (j - y) ** 2 + h * h
                        if dd < S * S:
                            e, g = ti.sqrt(dd), p[i, j] - top
                            was = ti.sqrt((i - u) ** 2 + (j - v) ** 2 + g * g)
                            q[i, j] += (K * (S - e) - Z * (e - was)) * h / e

        self.free, self.push = free, push

    def advance(self, steps: int) -> None:
        """Take so many steps, and return when they are done."""
        for _ in range(steps):
            w, p, q = self.fields
            self.free(w, p, q)
            if self.places is not None:
                now, old = (min(max(self.step_count - back, 0), self.moves - 1) for back in (0, 1))
                self.push(w, p, q, self.places, now, old)
            self.fields = [q, w, p]
            self.step_count += 1
        self.sync()

    def positions(self) -> np.ndarray:
        """Return the heights now, (n, n)."""
        return self.fields[0].to_numpy()[1:-1, 1:-1]


def make(pins: Pins, threads: int, device: str) -> Stepper:
    """Return Taichi on a screen."""
    return _Taichi(pins, threads, device)


def ways(pins: Pins, threads: int, device: str) -> dict[str, tuple[object, ...]]:
    """Return the way of Taichi."""
    return {"taichi": (make, pins, threads, device)}
