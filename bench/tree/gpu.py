"""The tree bench on a GPU, and the work of the algorithms: operations counted, bytes that must move."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.limits import peak_operations
from bench.report import Result
from bench.tree import human42
from bench.tree.states import ALGORITHMS, States, check_agreement, ours
from bench.turns import best_times
from motiform.base.progress import Progress

__all__ = ["bytes_per_state", "count_operations", "on_gpu"]

_COUNT = 100_000
_ROOT = Path(__file__).parents[2]  # where `bench` is found

# Runs the public functions on a device whose numbers count what is done with them.
_COUNTING = """
import numpy as np
from motiform.base import kernels
from bench.tree.states import ALGORITHMS, States, ours

count = 0
class Counted(float):
    def __neg__(self):
        return Counted(-float(self))
def counting(name):
    plain = getattr(float, name)
    def operation(*numbers):
        global count
        count += 1
        return Counted(plain(*numbers))
    return operation
for name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
    setattr(Counted, f"__{name}__", counting(f"__{name}__"))

class Counter(kernels.Device):
    def array(self, values, dtype=None):
        values = np.array(values)
        if values.dtype != float:
            return values
        return np.array([Counted(x) for x in values.ravel()], object).reshape(values.shape)
    def empty(self, shape, dtype=float):
        return np.empty(shape, object)
    def host(self, array):
        return array.astype(float) if array.dtype == object else array
    def launch(self, kernel, elements, *arguments, **options):
        for i in range(elements):
            kernel.function(i, *arguments)

kernels.get_device = lambda name: Counter()
for algorithm in ALGORITHMS:
    count = 0
    ours(algorithm, States.make("MANNER", 1), device="counter").call()
    print(count)
"""


@cache
def count_operations(manner: human42.Manner = "axes") -> dict[str, int]:
    """Count the additions, multiplications and divisions that each algorithm takes for one state."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", _COUNTING.replace("MANNER", manner)]
    done = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=True)
    return dict(zip(ALGORITHMS, map(int, done.stdout.split()), strict=True))


def bytes_per_state(algorithm: str) -> int:
    """Return the bytes that must move for one state: every input read once, every result written once."""
    read = 42 * len(States.make("axes", 1).inputs(algorithm))
    written = {"fk": 6 * 42, "crba": 42 * 42}.get(algorithm, 42)
    return 8 * (read + written)


def _bandwidth(device: Any) -> float:
    """Measure the bytes per second that the device reads and writes when it copies."""
    size = 1 << 27
    a, b = device.array(np.zeros(size)), device.empty(size)

    def call() -> None:
        b.copy_to_device(a)
        device.synchronize()

    return 2 * 8 * size / best_times({"copy": call}, rounds=5, chunk=0.1)["copy"]


def _launches(device: Any, call: Callable[[], Any]) -> Callable[[], None]:
    """Return the launches that a call makes, to be made again on the arrays that they left on the device."""
    made: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    launch = device.launch

    def note(*arguments: Any, **options: Any) -> None:
        made.append((arguments, options))
        launch(*arguments, **options)

    device.launch = note
    try:
        call()
    finally:
        del device.launch

    def again() -> None:
        for arguments, options in made:
            launch(*arguments, **options)
        device.synchronize()

    return again


def on_gpu(progress: Progress) -> list[Result]:
    """Time 100 000 states: the public function, and its kernel alone beside the limits of the card."""
    import numba

    from motiform.base.kernels import get_device

    device, cores = get_device("cuda"), int(numba.get_num_threads())
    peak, bandwidth, operations = peak_operations(device, 1 << 20), _bandwidth(device), count_operations()
    states, results = States.make("axes", _COUNT), []
    plan = ("rnea", "aba", "fk")
    for n, algorithm in enumerate(plan):
        contenders = {"ours": ours(algorithm, states, device="cuda"), "ours-cpu": ours(algorithm, states, cores)}
        check_agreement(f"{algorithm}/batch", contenders)
        calls = {name: contender.call for name, contender in contenders.items()}
        calls["kernel"] = _launches(device, calls["ours"])
        speeds = {name: _COUNT / t for name, t in best_times(calls, rounds=3, chunk=0.3).items()}
        peers = {f"motiform-cpu-{cores}": speeds["ours-cpu"]}
        work = {"memory": bytes_per_state(algorithm) / bandwidth, "arithmetic": operations[algorithm] / peak}
        for case, speed in ((f"{algorithm}/batch", speeds["ours"]), (f"{algorithm}/batch/kernel", speeds["kernel"])):
            limit = {name: speed * seconds for name, seconds in work.items()}
            note = f"100 000 states, {operations[algorithm]} operations and {bytes_per_state(algorithm)} B each"
            note += f"; the limit is {max(limit, key=lambda name: limit[name])}"
            results.append(Result(case, "cuda", 1, "states/s", "higher", speed, peers, limit, note))
        progress((n + 1) / len(plan))
    return results
