"""Parts of a figure: segments with their joints, visual parts, tags, surfaces."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry import Shape
from motiform.geometry.surfaces import Surface
from motiform.motion.tree.model.joint import Array, Joint
from motiform.spatial import Transform

__all__ = ["Segment", "SegmentShape", "SegmentSurface", "Tag", "velocity_names"]

_FLAT = 1e-9  # allowed excess over the triangle inequality of the moments, and asymmetry: rounding of printed numbers


@dataclass(frozen=True, eq=False)
class SegmentShape:
    """A shape that a segment is drawn as."""

    shape: Shape
    placement: Transform = field(default_factory=Transform.identity)
    color: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Segment:
    """A rigid part of a figure and the joint that carries it.

    Attributes
    ----------
    placement : the joint's frame in the parent's (the world's for a root).
    mass : [kg]; a segment may have none, and no inertia then.
    com : centre of mass [m], in the segment's frame.
    inertia : [kg·m²], (3, 3), about the centre of mass, in the segment's axes.
    armature : inertia of the drive of each velocity [kg·m² or kg], added to the diagonal of the inertia matrix.
    damping : of each velocity [N·m·s or N·s/m].
    """

    name: str
    parent: str | None
    joint: Joint
    placement: Transform = field(default_factory=Transform.identity)
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    armature: Array | float = 0.0
    damping: Array | float = 0.0
    parts: tuple[SegmentShape, ...] = ()

    def __post_init__(self) -> None:
        where = f"segment {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError(
                "the name of a segment must be a text", got=repr(self.name), allowed="a text that is not empty"
            )
        if not isinstance(self.joint, Joint):
            raise InputError(
                "the joint must be a Joint", where=where, got=repr(self.joint), allowed="a joint of motiform.joints"
            )
        if not isinstance(self.placement, Transform) or self.placement.batch:
            raise InputError(
                "the placement must be a Transform", where=where, got=repr(self.placement), allowed="one Transform"
            )
        self.joint.check(where)
        mass, inertia = _floats(self.mass, (), "mass", where), _floats(self.inertia, (3, 3), "inertia", where)
        if mass < 0:
            raise InputError("mass must not be negative", where=where, got=float(mass), allowed="zero or more")
        if 0 < mass < _LEAST:
            allowed = f"zero, or {_LEAST:g} kg and more"
            raise InputError("mass must not be lost in products", where=where, got=float(mass), allowed=allowed)
        _check_inertia(inertia, where)
        if mass == 0 and inertia.any():
            raise InputError(
                "a segment with inertia must have mass", where=where, got=inertia.tolist(), remedy="Give a mass."
            )
        per_velocity = {
            name: _floats(np.broadcast_to(getattr(self, name), (self.joint.nv,)), (self.joint.nv,), name, where)
            if _shape(getattr(self, name)) in ((), (self.joint.nv,))
            else _wrong_size(name, getattr(self, name), self.joint.nv, where)
            for name in ("armature", "damping")
        }
        for name, value in per_velocity.items():
            if (value < 0).any():
                raise InputError(
                    f"{name} must not be negative", where=where, got=value.tolist(), allowed="zero or more"
                )
        fields: dict[str, Any] = {
            "mass": float(mass),
            "com": _floats(self.com, (3,), "com", where),
            "inertia": inertia,
            **per_velocity,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)


_LEAST = 1e-300  # [kg] below it weights and inertia lose their digits at the end of floats


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        return np.shape(value)
    except ValueError:
        return None  # lists of unequal lengths


def _wrong_size(name: str, value: Any, nv: int, where: str) -> Array:
    raise InputError(
        f"{name} must be one number or one for each velocity", where=where, got=value,
        allowed=f"a number, or {nv} of them: one for each velocity",
    )  # fmt: skip


def _floats(value: Any, shape: tuple[int, ...], name: str, where: str) -> Array:
    try:
        found = np.array(value, float)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be numeric", where=where, got=repr(value), allowed=f"numbers of shape {shape}"
        ) from None
    if found.shape != shape or not np.isfinite(found).all():
        raise InputError(
            f"{name} must be finite and of the right shape", where=where, got=found.tolist(),
            allowed=f"finite numbers of shape {shape}",
        )  # fmt: skip
    found.setflags(write=False)
    return found


def _check_inertia(inertia: Array, where: str) -> None:
    """Refuse moments that no matter has; zero moments are a rod's or a point's."""
    size = np.abs(inertia).max()
    if size == 0:
        return
    if np.abs(inertia - inertia.T).max() > _FLAT * size:
        raise InputError(
            "the inertia matrix must be symmetric", where=where, got=inertia.tolist(), allowed="a symmetric matrix"
        )
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < -_FLAT * size or moments[2] > (1 + _FLAT) * (moments[0] + moments[1]):
        raise InputError(
            "the principal moments must be those of a solid", where=where, got=f"principal moments {moments.tolist()}",
            allowed="none below zero, none above the sum of the two others",
            remedy="It is about the centre of mass, in the segment's axes, in kg·m².",
        )  # fmt: skip


@dataclass(frozen=True)
class Tag:
    """A named point of a segment [m]."""

    name: str
    segment: str
    point: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class SegmentSurface:
    """A named surface of a segment, for contacts."""

    name: str
    segment: str
    surface: Surface
    placement: Transform


def velocity_names(segment: Segment) -> list[str]:
    """Return the names of a segment's velocities in the figure."""
    joint = segment.joint
    if joint.named:
        return list(joint.names)
    return [segment.name] if joint.nv == 1 else [f"{segment.name}.{name}" for name in joint.names]
