"""A human that stands and one that is pushed and falls: by motiform and by MuJoCo."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from motiform.base.errors import RunError
from motiform.bench.hybrid.mujoco import mujoco_model, velocity_order

__all__ = ["MOTIONS", "Motion", "MujocoRun", "check_dynamics", "depth_of", "motion", "run_ours"]

Array = np.ndarray
Way = Literal["dormand-prince", "time-stepping"]
#: Names of the motions.
MOTIONS = ("standing", "fall")
_STEP = 1e-3  # [s] of fixed steps
_RATE = 100  # samples per second
_FRICTION = 0.8
_PUSH, _PUSHED = 150.0, (0.2, 0.5)  # [N] forward on the pelvis, [s] from when to when
_BALLS = {  # [m] radii of what may touch the ground beside the feet
    "dactylion": 0.02,
    "femoral_lateral_epicn": 0.04,
    "humeral_lateral_epicn": 0.03,
    "trochanterion": 0.05,
}
_LEG = (1500.0, 60.0)  # [N·m/rad], [N·m·s/rad]: both ankles carry four times what tips the body
_MIDDLE = {"vertex": 0.02, "substernale": 0.02, "cervicale": 0.03}


class Motion(NamedTuple):
    """A figure, what it may touch, its control, and how long it is followed [s]."""

    figure: Any
    contacts: Any
    control: Any
    tau: Array
    """Efforts that hold it at rest, a part of the control, (nv,)."""
    pushed: tuple[float, float]
    seconds: float

    @property
    def push(self) -> Array:
        """Generalised forces of the push, (nv,)."""
        out = np.zeros(self.figure.nv)
        if self.pushed[1] > self.pushed[0]:
            out[self.figure.places("pelvis_forward", "v")] = _PUSH
        return out


@lru_cache(2)
def motion(name: str) -> Motion:
    """Return a motion by its name: springs and dampers of 3 Hz hold the posture, and standing effort is added.

    For standing the springs of the legs carry the body; in the fall they are those of each limb alone.
    """
    from motiform.motion.actuation import posture_control, standing_effort
    from motiform.motion.contact import Contacts, floor, points_of_tags
    from motiform.motion.figures import human36

    figure = human36(limits="anatomical")
    points = points_of_tags(figure, friction=_FRICTION)
    radii = {f"{side}_{tag}": r for tag, r in _BALLS.items() for side in "rl"} | _MIDDLE
    for tag, radius in radii.items():
        points += points_of_tags(figure, [tag], radius=radius, friction=_FRICTION)
    contacts = Contacts(points, (floor(),))
    q = figure.neutral()
    tau = standing_effort(figure, contacts, q).tau
    seconds, pushed = (2.0, (0.0, 0.0)) if name == "standing" else (1.5, _PUSHED)
    way = Motion(figure, contacts, None, tau, pushed, seconds)
    push = way.push

    def efforts(t: float, state: Any) -> Array:
        return tau + push if pushed[0] <= t < pushed[1] else tau

    gains: dict[str, Any] = _standing_gains(figure) if name == "standing" else {}
    control = posture_control(figure, q, frequency=3.0, feedforward=efforts, **gains)
    control.jumps = tuple(when for when in pushed if when > 0)  # type: ignore[attr-defined]
    return way._replace(control=control)


def _standing_gains(figure: Any) -> dict[str, Any]:
    from motiform.motion.tree import inertia_matrix

    omega = 2 * np.pi * 3.0
    carried = np.diag(inertia_matrix(figure, figure.neutral())).copy()
    leg = [k for k, name in enumerate(figure.coordinates) if any(x in name for x in ("ankle", "knee", "hip"))]
    K, D = omega**2 * carried, 2 * omega * carried
    K[leg], D[leg] = _LEG
    return {"stiffness": K, "damping": D}


# ---- ours -----------------------------------------------------------------------------------------------------------


def run_ours(way: Motion, integrator: Way, rate: int = _RATE) -> Any:
    """Return the recording of a motion by our public function."""
    from motiform.scene import simulate

    return simulate(
        way.figure,
        q0=way.figure.neutral(),
        controls=way.control,
        contacts=way.contacts,
        t1=way.seconds,
        rate=rate,
        integrator=integrator,
        rtol=1e-6,
        atol=1e-8,
        step=_STEP,
    )


def depth_of(recording: Any) -> float:
    """Return the deepest penetration of the samples of a recording [m]."""
    return max(0.0, -float(recording["contact.gap"].min()))


# ---- MuJoCo ---------------------------------------------------------------------------------------------------------


class MujocoRun:
    """A motion by MuJoCo's steps of 1 ms, its numbers read as often as ours are recorded.

    `native`: springs and dampers are those of its joints, and steps between two samples are one call; otherwise
    efforts are told before each step, from Python.
    """

    def __init__(self, way: Motion, *, native: bool = True) -> None:
        import mujoco as mj

        self.way, self.native = way, native
        self.model = mujoco_model(way.figure, way.contacts, way.control if native else None)
        self.data = mj.MjData(self.model)
        self.order = velocity_order(way.figure, self.model)

    def __call__(self, after: Callable[[Any], None] = lambda data: None, together: int | None = None) -> Array:
        """Return q at the samples; `after` sees the data after every so many steps that are taken together."""
        import mujoco as mj

        model, data, order, way = self.model, self.data, self.order, self.way
        many = (round(1 / (_RATE * _STEP)) if self.native else 1) if together is None else together
        mj.mj_resetData(model, data)
        data.qpos[order] = way.figure.neutral()
        steps, samples = round(way.seconds / _STEP), [data.qpos[order]]
        for n in range(0, steps, many):
            self.drive(n * _STEP)
            mj.mj_step(model, data, many)
            after(data)
            if (n + many) % round(1 / (_RATE * _STEP)) == 0:
                samples.append(data.qpos[order])
        return np.array(samples)

    def drive(self, t: float) -> None:
        """Tell the efforts of an instant."""
        from motiform.motion.tree import FigureState

        way, order, data = self.way, self.order, self.data
        if self.native:
            pushed = way.pushed[0] <= t < way.pushed[1]
            data.qfrc_applied[order] = way.tau + way.push if pushed else way.tau
        else:
            data.qfrc_applied[order] = way.control(t, FigureState(data.qpos[order], data.qvel[order], np.zeros(0)))

    def depth(self) -> float:
        """Return the deepest penetration after any step of a run [m]."""
        deepest = 0.0

        def look(data: Any) -> None:
            nonlocal deepest
            if data.ncon:
                deepest = max(deepest, -float(data.contact.dist.min()))

        self(look, together=1)
        return deepest


def check_dynamics(name: str, way: Motion, run: MujocoRun, seed: int = 4) -> None:
    """Refuse a MuJoCo model that has another inertia matrix, or accelerates otherwise in the air, by 1e-8."""
    import mujoco as mj

    from motiform.motion.tree import FigureState, forward_dynamics, inertia_matrix

    figure, model, data, order = way.figure, run.model, run.data, run.order
    rng, M = np.random.default_rng(seed), np.empty((figure.nv, figure.nv))
    q, v = 0.05 * rng.normal(size=figure.nq), 0.1 * rng.normal(size=figure.nv)
    mj.mj_resetData(model, data)
    data.qpos[order], data.qvel[order] = q, v
    run.drive(way.pushed[0])
    flags = model.opt.disableflags
    model.opt.disableflags = flags | int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    mj.mj_forward(model, data)
    model.opt.disableflags = flags
    mj.mj_fullM(model, data, M)
    tau = way.control(way.pushed[0], FigureState(q, v, np.zeros(0)))
    pairs = {
        "inertia matrix": (M[np.ix_(order, order)], inertia_matrix(figure, q)),
        "acceleration": (data.qacc[order], forward_dynamics(figure, q, v, tau)),
    }
    for what, (theirs, mine) in pairs.items():
        far = float(np.abs(theirs - mine).max() / np.abs(mine).max())
        if not far < 1e-8:
            where = f"bench hybrid, {name}, mujoco"
            raise RunError("a peer does other work", where=where, got=f"difference {far:.2g} of the {what}")
