"""Rigid bodies: free bodies under gravity stepped by RK4, and by the energy–momentum step.

The same bodies, start and step for everybody. Peers: numpy (the same RK4 step, vectorised over bodies, one array per
component) and mujoco (free joints, RK4, contacts off). Before timing, all end states are compared.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RunError
from motiform.base.progress import Progress
from motiform.bench.limits import operations_per_step, peak_of_cores, peak_operations
from motiform.bench.report import Report, Result, best_times
from motiform.geometry import Box
from motiform.motion.bodies import Bodies, Body
from motiform.spatial import random_rotation, rotation_from_quaternion

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["make_model", "measure"]

_STEP = 1e-3
_STEPS = 200
_UNIT = "body steps/s"
_MOST_OF_MUJOCO = 1_000  # it cannot allocate a model of 10 000 free bodies


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
    results.append(_result("lie-midpoint/10000", cores, {"ours": 10_000 * _STEPS / midpoint}))
    progress(1.0)
    return Report("bodies", tuple(results))


def _cores() -> int:
    import numba

    return int(numba.get_num_threads())


def make_model(count: int) -> Bodies:
    """Return so many free boxes, placed, turned and thrown at random."""
    rng = np.random.default_rng(1)
    body = Body(
        "bodies",
        Box((0.3, 0.2, 0.1)).mass_properties(density=1000.0),
        position=rng.normal(size=(count, 3)),
        rotation=random_rotation(rng, count),
        velocity=rng.normal(size=(count, 3)),
        spin=3 * rng.normal(size=(count, 3)),
    )
    return Bodies((body,))


def _rk4_case(count: int, used: int) -> Result:
    model = make_model(count)
    contenders: dict[str, Callable[[], Any]] = {"ours": _ours(model, "rk4"), "numpy": _numpy(model)}
    if count <= _MOST_OF_MUJOCO and (mujoco := _mujoco(model)) is not None:
        contenders["mujoco"] = mujoco
    _check_agreement({name: _rows(call()) for name, call in contenders.items()})
    speeds = {name: count * _STEPS / seconds for name, seconds in best_times(contenders).items()}
    return _result(f"rk4/{count}", used, speeds)


def _result(case: str, used: int, speeds: dict[str, float]) -> Result:
    ours, method = speeds.pop("ours"), case.split("/")[0].replace("-", "_")
    limit = {"arithmetic": ours * operations_per_step(method) / peak_of_cores(used)}
    return Result(case, "cpu", used, _UNIT, "higher", ours, speeds, limit)


def _check_agreement(ends: dict[str, np.ndarray]) -> None:
    """Every contender must end at the same places: rows of position and rotation matrix."""
    for name, end in ends.items():
        # Fourth-order errors of quaternion and matrix forms differ: (h|ω|)⁵/120 a step, below 1e-9 over 200 steps.
        far = float(np.abs(end - ends["ours"]).max())
        if not far < 1e-9:
            raise RunError("a peer does other work", where=f"bench bodies, {name}", got=f"difference {far:.2g}")


def _ours(model: Bodies, integrator: str, device: str = "cpu") -> Callable[[], "Recording"]:
    """Return the public function on these bodies, with one sample at the end: the recording is in its time."""
    from motiform.scene import simulate

    return lambda: simulate(
        model, t1=_STEPS * _STEP, rate=1 / (_STEPS * _STEP), integrator=integrator, step=_STEP, device=device
    )


def _rows(end: "np.ndarray | Recording") -> np.ndarray:
    """Return positions and rotation matrices at the end, (n, 12)."""
    if isinstance(end, np.ndarray):
        return end
    turned = rotation_from_quaternion(end["bodies.orientation"][-1])
    return np.hstack([end["bodies.position"][-1], turned.reshape(-1, 9)])


def _numpy(model: Bodies) -> Callable[[], np.ndarray]:
    """Return the same RK4 step with vectors as rows of (3, n) and matrices as (9, n) arrays."""
    rows = model.initial_state().rows()
    mass = model.bodies[0].properties.mass
    inverse = np.linalg.inv(model.bodies[0].properties.inertia)
    gravity = np.array(model.environment.gravity)[:, None]
    start = np.ascontiguousarray(rows.T)
    columns = [slice(3 + c, 12 + c, 3) for c in range(3)]

    def rate(y: np.ndarray) -> np.ndarray:
        out = np.empty_like(y)
        r, ell = y[3:12].reshape(3, 3, -1), y[15:18]
        w = np.einsum("ijn,jn->in", r, inverse @ np.einsum("jin,jn->in", r, ell))
        out[0:3] = y[12:15] / mass
        for c in columns:
            a = y[c.start : 12 : 3]
            d = out[c.start : 12 : 3]
            d[0] = w[1] * a[2] - w[2] * a[1]
            d[1] = w[2] * a[0] - w[0] * a[2]
            d[2] = w[0] * a[1] - w[1] * a[0]
        out[12:15] = mass * gravity
        out[15:18] = 0.0
        return out

    def repaired(y: np.ndarray) -> np.ndarray:
        r = y[3:12].reshape(3, 3, -1)
        for _ in range(2):
            gram = np.einsum("kin,kjn->ijn", r, r)
            r = 1.5 * r - 0.5 * np.einsum("ikn,kjn->ijn", r, gram)
        y[3:12] = r.reshape(9, -1)
        return y

    def call() -> np.ndarray:
        y = start
        for _ in range(_STEPS):
            a = rate(y)
            b = rate(y + 0.5 * _STEP * a)
            c = rate(y + 0.5 * _STEP * b)
            d = rate(y + _STEP * c)
            y = repaired(y + _STEP / 6 * (a + 2 * (b + c) + d))
        return y[:12].T

    return call


def _mujoco(model: Bodies) -> Callable[[], np.ndarray] | None:
    """Return the same flight by MuJoCo: free joints, RK4, nothing but gravity."""
    try:
        import mujoco
    except ImportError:
        return None
    properties, body = model.bodies[0].properties, model.bodies[0]
    moments = " ".join(repr(float(v)) for v in np.diag(properties.inertia))
    one = f'<body><freejoint/><inertial pos="0 0 0" mass="{properties.mass!r}" diaginertia="{moments}"/></body>'
    gravity = " ".join(repr(float(v)) for v in np.array(model.environment.gravity))
    xml = (
        f'<mujoco><option integrator="RK4" timestep="{_STEP}" gravity="{gravity}">'
        f'<flag contact="disable" constraint="disable"/></option><worldbody>{one * model.count}</worldbody></mujoco>'
    )
    peer = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(peer)
    quaternions = _quaternions(body)
    qpos = np.hstack([body.position, quaternions]).ravel()
    qvel = np.hstack([body.velocity, body.spin]).ravel()

    def call() -> np.ndarray:
        data.qpos[:], data.qvel[:], data.time = qpos, qvel, 0.0
        for _ in range(_STEPS):
            mujoco.mj_step(peer, data)
        mujoco.mj_kinematics(peer, data)
        return np.hstack([data.xpos[1:], data.xmat[1:]])

    return call


def _quaternions(body: Body) -> np.ndarray:
    from motiform.spatial import quaternion_from_rotation

    return np.asarray(quaternion_from_rotation(body.rotation))


def _kernel(model: Bodies, integrator: str, device_name: str) -> Callable[[], None]:
    """Return one launch of the steps on states that stay on the device."""
    from motiform.base.kernels import get_device
    from motiform.motion.bodies import kernels

    device, packed = get_device(device_name), model.packed
    constants = [device.array(a) for a in (packed.bodies, packed.environment, packed.load_starts, packed.loads)]
    y, status = device.array(model.initial_state().rows()), device.array(np.zeros((model.count, 2), np.int64))
    history, advance = device.empty((1, model.count, 18)), getattr(kernels, f"advance_{integrator.replace('-', '_')}")

    def call() -> None:
        device.launch(advance, model.count, y, history, *constants, 0, _STEPS * _STEP, _STEPS, status)
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
            speed = {where: count * _STEPS / t for where, t in best_times(contenders, rounds=2, chunk=0.5).items()}
            limit = {"arithmetic": speed["cuda"] * operations_per_step(method.replace("-", "_")) / peak}
            peers = {f"motiform-cpu-{cores}": speed["cpu"]}
            results.append(Result(case, "cuda", 1, _UNIT, "higher", speed["cuda"], peers, limit))
        progress((n + 1) / 2)
    return results
