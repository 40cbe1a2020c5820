"""Rigid bodies: free bodies under gravity stepped by RK4, and by the energy–momentum step.

The same bodies, start and step for everybody. A peer is made of the model: a call that gives positions and rotation
matrices at the end, (bodies, 12). Before timing, all end states are compared.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agreement import check_same
from bench.bodies.model import STEP, STEPS, make_model
from bench.limits import operations_per_step, peak_of_cores, peak_operations
from bench.register import made_peers
from bench.report import Report, Result
from bench.turns import best_times
from motiform.base.progress import Progress
from motiform.motion.bodies import Bodies
from motiform.spatial import rotation_from_quaternion

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["measure"]

_UNIT = "body steps/s"
# Fourth-order errors of quaternion and matrix forms differ: (h|ω|)⁵/120 a step, below 1e-9 over 200 steps.
_ALIKE = 1e-9


def measure(*, device: str, progress: Progress) -> Report:
    """Measure body steps per second."""
    from motiform.base.kernels import threads

    if device == "cuda":
        return Report("bodies", tuple(_on_gpu(progress)))
    results = []
    cores = _cores()
    plan = [(count, used) for count in (1_000, 10_000) for used in sorted({1, cores})]
    for n, (count, used) in enumerate(plan):
        with threads(used):
            results.append(_rk4_case(count, used))
        progress((n + 1) / (len(plan) + 1))
    with threads(cores):
        midpoint = best_times({"ours": _ours(make_model(10_000), "lie-midpoint")})["ours"]
    results.append(_result("lie-midpoint/10000", cores, {"ours": 10_000 * STEPS / midpoint}))
    progress(1.0)
    return Report("bodies", tuple(results))


def _cores() -> int:
    import numba

    return int(numba.get_num_threads())


def _rk4_case(count: int, used: int) -> Result:
    case, model = f"rk4/{count}", make_model(count)
    contenders: dict[str, Callable[[], Any]] = {"ours": _ours(model, "rk4"), **dict(made_peers("bodies", case, model))}
    ends = {name: _rows(call()) for name, call in contenders.items()}
    for name, end in ends.items():
        check_same(f"bodies, {case}, {name}", float(np.abs(end - ends["ours"]).max()), _ALIKE)
    speeds = {name: count * STEPS / seconds for name, seconds in best_times(contenders).items()}
    return _result(case, used, speeds)


def _result(case: str, used: int, speeds: dict[str, float]) -> Result:
    ours, method = speeds.pop("ours"), case.split("/")[0].replace("-", "_")
    limit = {"arithmetic": ours * operations_per_step(method) / peak_of_cores(used)}
    return Result(case, "cpu", used, _UNIT, "higher", ours, speeds, limit)


def _ours(model: Bodies, integrator: str, device: str = "cpu") -> Callable[[], "Recording"]:
    """Return the public function on these bodies, with one sample at the end: the recording is in its time."""
    from motiform.scene import simulate

    return lambda: simulate(
        model, t1=STEPS * STEP, rate=1 / (STEPS * STEP), integrator=integrator, step=STEP, device=device
    )


def _rows(end: "np.ndarray | Recording") -> np.ndarray:
    """Return positions and rotation matrices at the end, (n, 12)."""
    if isinstance(end, np.ndarray):
        return end
    turned = rotation_from_quaternion(end["bodies.orientation"][-1])
    return np.hstack([end["bodies.position"][-1], turned.reshape(-1, 9)])


def _kernel(model: Bodies, integrator: str, device_name: str) -> Callable[[], None]:
    """Return one launch of the steps on states that stay on the device."""
    from motiform.base.kernels import get_device
    from motiform.motion.bodies.steps import get_steps

    device, packed = get_device(device_name), model.packed
    constants = [device.array(a) for a in (packed.bodies, packed.environment, packed.load_starts, packed.loads)]
    y, status = device.array(model.initial_state().rows()), device.array(np.zeros((model.count, 2), np.int64))
    history, advance = device.empty((1, model.count, 18)), get_steps(integrator).advance

    def call() -> None:
        device.launch(advance, model.count, y, history, *constants, 0, STEPS * STEP, STEPS, status)
        device.synchronize()

    return call


def _on_gpu(progress: Progress) -> list[Result]:
    """Time the GPU beside the CPU, kernels alone and the public function, and beside its own arithmetic limit."""
    from motiform.base.kernels import get_device

    count, results = 1_000_000, []
    model, cores = make_model(count), _cores()
    peak = peak_operations(get_device("cuda"), 1 << 20)
    for n, method in enumerate(("rk4", "lie-midpoint")):
        for case, make in ((f"{method}/{count}/kernel", _kernel), (f"{method}/{count}", _ours)):
            contenders = {where: make(model, method, where) for where in ("cpu", "cuda")}
            speed = {where: count * STEPS / t for where, t in best_times(contenders, rounds=2, chunk=0.5).items()}
            limit = {"arithmetic": speed["cuda"] * operations_per_step(method.replace("-", "_")) / peak}
            peers = {f"motiform-cpu-{cores}": speed["cpu"]}
            results.append(Result(case, "cuda", 1, _UNIT, "higher", speed["cuda"], peers, limit))
        progress((n + 1) / 2)
    return results
