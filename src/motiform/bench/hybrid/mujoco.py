"""A figure with contact points above a level floor as a model of MuJoCo."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.actuation import PostureControl
from motiform.motion.contact import Contacts
from motiform.motion.tree import Figure, Segment
from motiform.motion.tree.joints import AxesJoint

__all__ = ["mjcf", "mujoco_model", "velocity_order"]

Array = np.ndarray
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
        raise InputError("a joint that MuJoCo has not", where=f"segment {segment.name!r}", allowed="plain axes")
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
