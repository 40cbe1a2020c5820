"""NumPy and SciPy on a screen: slices or convolutions, and points by boxes of indices."""

from collections.abc import Callable

import numpy as np

from bench.process import Rolling, Stepper
from bench.screen.problem import Pins

__all__ = ["ndimage_ways", "numpy_ways", "plain_screen"]

Step = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def _engrave(pins: Pins) -> Step:
    """Return what adds the push of all points, step by step."""
    K, Z = pins.contact
    S, top, n = pins.reach, pins.height, pins.size
    places, at = pins.places(), [0]
    offset = np.arange(-int(S), int(S) + 2)

    def push(w: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
        now, old = places[min(at[0], len(places) - 1)], places[min(max(at[0] - 1, 0), len(places) - 1)]
        at[0] += 1
        rows, columns = (now.astype(int)[:, axis, None] + offset for axis in (0, 1))
        i, j = np.broadcast_arrays(rows[:, :, None], columns[:, None, :])
        inside = (i >= 0) & (i < n) & (j >= 0) & (j < n)
        i, j = np.clip(i, 0, n - 1), np.clip(j, 0, n - 1)
        h, u = w[i + 1, j + 1] - top, p[i + 1, j + 1] - top
        d = np.sqrt((i - now[:, 0, None, None]) ** 2 + (j - now[:, 1, None, None]) ** 2 + h * h)
        was = np.sqrt((i - old[:, 0, None, None]) ** 2 + (j - old[:, 1, None, None]) ** 2 + u * u)
        f = np.where(inside & (d < S), (K * (S - d) - Z * (d - was)) * h / d, 0.0)
        np.add.at(q, (i + 1, j + 1), f)

    return push


def _stepper(pins: Pins, free: Step) -> Stepper:
    push = _engrave(pins) if pins.points else None

    def step(w: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
        free(w, p, q)
        if push is not None:
            push(w, p, q)

    start = np.pad(pins.start(), 1)
    return Rolling([start, start.copy(), np.zeros_like(start)], step, lambda w: w[1:-1, 1:-1])


def plain_screen(pins: Pins, threads: int = 1) -> Stepper:
    """Return NumPy by slices."""
    a, b, c, d = pins.coefficients()

    def free(w: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
        near = w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:]
        old = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        q[1:-1, 1:-1] = a * w[1:-1, 1:-1] + b * p[1:-1, 1:-1] + c * near + d * old

    return _stepper(pins, free)


def ndimage_screen(pins: Pins, threads: int = 1) -> Stepper:
    """Return two convolutions of scipy.ndimage."""
    from scipy.ndimage import convolve

    a, b, c, d = pins.coefficients()
    now = np.array([[0, c, 0], [c, a, c], [0, c, 0]])
    before = np.array([[0, d, 0], [d, b, d], [0, d, 0]])

    def free(w: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
        q[1:-1, 1:-1] = convolve(w[1:-1, 1:-1], now, mode="constant")
        q[1:-1, 1:-1] += convolve(p[1:-1, 1:-1], before, mode="constant")

    return _stepper(pins, free)


def numpy_ways(pins: Pins, threads: int, device: str) -> dict[str, tuple[object, ...]]:
    """Return the way of NumPy."""
    return {"numpy": (plain_screen, pins, threads)}


def ndimage_ways(pins: Pins, threads: int, device: str) -> dict[str, tuple[object, ...]]:
    """Return the way of SciPy."""
    return {"scipy": (ndimage_screen, pins, threads)}
