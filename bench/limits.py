"""Limits of the machine, measured, and the work of a kernel, counted."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.turns import best_times

if TYPE_CHECKING:
    from motiform.base.kernels import Device

__all__ = ["operations_per_step", "peak_of_cores", "peak_operations"]

# Runs a kernel of one body as plain Python on numbers that count what is done with them.
_ROOT = Path(__file__).parents[1]  # where `bench` is found
_COUNT = """
import numpy as np
from bench.bodies.model import make_model
from motiform.motion.bodies.steps import get_steps

count = 0
class Counted(float):
    pass
def counting(name):
    plain = getattr(float, name)
    def operation(*numbers):
        global count
        count += 1
        return Counted(plain(*numbers))
    return operation
for name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
    setattr(Counted, f"__{name}__", counting(f"__{name}__"))

def lifted(array):
    return np.array([Counted(v) for v in np.ravel(array)], object).reshape(np.shape(array))

packed, rows = make_model(1).packed, make_model(1).initial_state().rows()
arrays = [lifted(a) for a in (packed.bodies, packed.environment)]
arguments = (lifted(rows), np.empty((1, 1, 18), object), *arrays, packed.load_starts, packed.loads)
counts = []
for steps in (1, 2):
    count = 0
    status = np.zeros((1, 2), np.int64)
    get_steps("METHOD").advance.function(0, *arguments, 0, steps * 1e-3, steps, status)
    counts.append(count)
print(counts[1] - counts[0])
"""


def operations_per_step(method: str) -> int:
    """Count the additions, multiplications and divisions of one step of a free body."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", _COUNT.replace("METHOD", method)]
    done = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout)


def peak_of_cores(used: int) -> float:
    """Measure the double-precision operations per second of so many cores, by the matrix product of numpy's BLAS."""
    size = 768
    a, b = np.ones((size, size)), np.ones((size, size))
    seconds = best_times({"product": lambda: a @ b}, rounds=5, chunk=0.1)["product"]
    return 2 * size**3 / seconds * used / (os.cpu_count() or 1)  # BLAS takes all cores


def peak_operations(device: "Device", elements: int) -> float:
    """Measure the double-precision additions and multiplications per second that the device can do."""
    from bench.peak_kernels import OPERATIONS, multiply_add

    out = device.array(np.zeros(elements))

    def call() -> None:
        device.launch(multiply_add, elements, out, 0.999)
        device.synchronize()

    return elements * OPERATIONS / best_times({"peak": call}, rounds=5, chunk=0.1)["peak"]
