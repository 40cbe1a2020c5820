"""Motions by MuJoCo: a figure with contact points above a level floor as its model, and runs of it."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bench.agreement import check_same, difference
from bench.hybrid.motion import RATE, STEP, Motion
from motiform.base.errors import InputError
from motiform.motion.actuation import PostureControl
from motiform.motion.contact import Contacts
from motiform.motion.tree import Figure, Segment
from motiform.motion.tree.joints import AxesJoint

__all__ = ["MujocoRun", "mjcf", "mujoco_model", "native", "python", "velocity_order"]

Array = np.ndarray
_ALIKE = 1e-8  # of the largest number
_LIGHT = 1e-12  # [kg], [kg·m²] of segments without mass, which MuJoCo refuses
_SMALL = 1e-6  # [m] radius of contact points


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def mjcf(figure: Figure, contacts: Contacts, springs: PostureControl | None = None, step: float = 1e-3) -> str:
    """Return the figure as a file of MuJoCo: hinges and slides in sequence, balls at the contact points, a floor.

    With `springs` the joints have the stiffness and damping of a control toward its posture at t = 0, so that MuJoCo
    needs no help while it steps. Contacts are MuJoCo's own, soft, with its default numbers.
    """
    children: dict[str | None, list[Segment]] = {}
    for segment in figure.segments:
        children.setdefault(segment.parent, []).append(segment)

    def body(segment: Segment) -> str:
        place, turn = segment.placement.translation, segment.placement.rotation
        inside = _joints(figure, segment, springs) + _inertial(segment) + _balls(segment, contacts)
        inside += "".join(body(child) for child in children.get(segment.name, ()))
        axes = _text([*turn[:, 0], *turn[:, 1]])
        return f'<body name="{segment.name}" pos="{_text(place)}" xyaxes="{axes}">{inside}</body>'

    friction = max((point.friction or 0.0 for point in contacts.points), default=0.0)
    ground = f'<geom type="plane" size="0 0 1" zaxis="0 1 0" contype="0" conaffinity="1" friction="{friction} 0 0"/>'
    roots = "".join(body(segment) for segment in children[None])
    option = f'<option timestep="{step}" gravity="{_text(figure.gravity)}"/>'
    world = f"<worldbody>{ground}{roots}</worldbody>"
    return f'<mujoco model="{figure.name}"><compiler angle="radian"/>{option}{world}</mujoco>'


def _joints(figure: Figure, segment: Segment, springs: PostureControl | None) -> str:
    joint = segment.joint
    if not isinstance(joint, AxesJoint) or any(axis.pitch or axis.offset for axis in joint.axes):
        raise InputError("MuJoCo has no such joint", where=f"segment {segment.name!r}", allowed="plain axes")
    at_q, at_v = figure.coordinate_slices(segment.name)
    posture = None if springs is None else springs.posture(0.0)[0]
    text = ""
    for n, (axis, k) in enumerate(zip(joint.axes, at_v, strict=True)):
        kind = "hinge" if axis.kind == "revolute" else "slide"
        text += f'<joint name="{figure.coordinates[k]}" type="{kind}" axis="{_text(axis.direction)}"'
        text += f' pos="{_text(axis.point)}"' if kind == "hinge" else ""
        if np.isfinite(figure.limits[k]).any():
            text += f' range="{_text(figure.limits[k])}"'
        if springs is not None and posture is not None and springs.stiffness[k]:
            K, D, rest = float(springs.stiffness[k]), float(springs.damping[k]), float(posture[at_q[n]])
            text += f' stiffness="{K!r}" damping="{D!r}" springref="{rest!r}"'
        text += "/>"
    return text


def _inertial(segment: Segment) -> str:
    mass, I = max(segment.mass, _LIGHT), segment.inertia if segment.mass else _LIGHT * np.eye(3)
    six = _text([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
    return f'<inertial mass="{mass!r}" pos="{_text(segment.com)}" fullinertia="{six}"/>'


def _balls(segment: Segment, contacts: Contacts) -> str:
    text = ""
    for point in contacts.points:
        if point.segment == segment.name:
            text += f'<geom type="sphere" size="{max(point.radius, _SMALL)!r}" pos="{_text(point.point)}"'
            text += f' contype="1" conaffinity="0" friction="{point.friction or 0.0} 0 0"/>'
    return text


def mujoco_model(figure: Figure, contacts: Contacts, springs: PostureControl | None = None) -> Any:
    """Return the compiled model."""
    import mujoco as mj

    return mj.MjModel.from_xml_string(mjcf(figure, contacts, springs))


def velocity_order(figure: Figure, model: Any) -> Array:
    """Return where in MuJoCo's numbers each of our coordinates is."""
    return np.array([int(model.joint(name).dofadr[0]) for name in figure.coordinates])


class MujocoRun:
    """A motion by MuJoCo's steps of 1 ms, its numbers read as often as ours are recorded.

    `native`: springs and dampers are those of its joints, and steps between two samples are one call; otherwise
    efforts are set before each step, from Python.
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
        many = (round(1 / (RATE * STEP)) if self.native else 1) if together is None else together
        mj.mj_resetData(model, data)
        data.qpos[order] = way.figure.neutral()
        steps, samples = round(way.seconds / STEP), [data.qpos[order]]
        for n in range(0, steps, many):
            self.drive(n * STEP)
            mj.mj_step(model, data, many)
            after(data)
            if (n + many) % round(1 / (RATE * STEP)) == 0:
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

    def check(self, case: str, seed: int = 4) -> None:
        """Refuse a model that has another inertia matrix, or accelerates otherwise in the air."""
        import mujoco as mj

        from motiform.motion.tree import FigureState, forward_dynamics, inertia_matrix

        way, figure, model, data, order = self.way, self.way.figure, self.model, self.data, self.order
        rng, M = np.random.default_rng(seed), np.empty((figure.nv, figure.nv))
        q, v = 0.05 * rng.normal(size=figure.nq), 0.1 * rng.normal(size=figure.nv)
        mj.mj_resetData(model, data)
        data.qpos[order], data.qvel[order] = q, v
        self.drive(way.pushed[0])
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
            check_same(f"hybrid, {case}, mujoco, {what}", difference(theirs, mine), _ALIKE)


def native(way: Motion) -> MujocoRun:
    """Return a motion with the springs of MuJoCo's joints, so that its loop is compiled."""
    return MujocoRun(way, native=True)


def python(way: Motion) -> MujocoRun:
    """Return a motion whose control is asked before each step."""
    return MujocoRun(way, native=False)
