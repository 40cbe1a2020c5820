"""Clinical joint angles between segments, as the ISB recommends them or as Plug-in Gait gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.postures.feet import side_of, up_of
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Channel
from motiform.spatial import euler_from_rotation
from motiform.spatial.checks import as_floats

__all__ = [
    "CONVENTIONS", "JointAngle", "JointAngles", "angles_between", "check_convention", "default_joints", "joint_angles",
    "moment_axes", "static_frames",
]  # fmt: skip

CONVENTIONS = ("isb", "plug-in-gait")

_ONE_AXIS = 1e-6  # sine of the angle between two axes that count as one
_MIRROR = np.diag([1.0, 1.0, -1.0])  # left side seen in the mirror: the signs of the right side hold


@dataclass(frozen=True)
class JointAngle:
    """The definition of the three angles of a joint."""

    proximal: str
    """Segment that the joint is on, x forward, y up, z right when standing."""
    distal: str
    """Segment that it moves."""
    names: tuple[str, str, str] = ("flexion", "adduction", "internal_rotation")
    """What happens where each angle grows."""
    signs: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Of the turns about the axes of the sequence, on the right side."""
    sequence: str | None = None
    """Axes, each turned by those before: "zxy" is Grood and Suntay's. None: the order given to `joint_angles`."""
    left: bool | None = None
    """Whether it is seen in the mirror; None: by the name of the distal segment."""


class JointAngles(NamedTuple):
    """Angles of several joints."""

    joints: tuple[str, ...]
    names: tuple[tuple[str, str, str], ...]
    """What happens where each angle of a joint grows."""
    values: Array
    """[rad], (..., joints, 3)"""

    def __getitem__(self, key: Any) -> Any:
        """Return the angles of a joint, (..., 3), by its name; numbers index the fields."""
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        if key not in self.joints:
            raise InputError("no such joint", got=key, allowed=", ".join(self.joints), remedy=closest(key, self.joints))
        return self.values[..., self.joints.index(key), :]

    def channels(self, **when: Any) -> dict[str, tuple[Channel, Array]]:
        """Return channels for a recording, one for each angle ("right_knee.flexion") [rad]; ``when``: rate, start."""
        return {
            f"{joint}.{name}": (Channel(f"{joint}.{name}", unit="rad", **when), self.values[..., k, n])
            for k, (joint, names) in enumerate(zip(self.joints, self.names, strict=True))
            for n, name in enumerate(names)
        }


_BEND = ("extension", "right_bending", "left_rotation")
# kind: (segment that it is on, segment that it moves, angles); names of Human36 first, then those of OpenSim's models.
_LIMBS: dict[str, tuple[tuple[str, ...], tuple[str, ...], JointAngle]] = {
    "hip": (("lower_trunk", "pelvis"), ("{word}_thigh", "femur_{side}"), JointAngle("", "")),
    "knee": (
        ("{word}_thigh", "femur_{side}"), ("{word}_shank", "tibia_{side}"), JointAngle("", "", signs=(-1.0, 1.0, 1.0)),
    ),
    "ankle": (
        ("{word}_shank", "tibia_{side}"), ("{word}_foot", "calcn_{side}", "foot_{side}"),
        JointAngle("", "", ("dorsiflexion", "inversion", "internal_rotation")),
    ),
    "shoulder": (
        ("thorax", "torso"), ("{word}_upper_arm", "humerus_{side}"),
        JointAngle("", "", ("plane_of_elevation", "elevation", "internal_rotation"), (1.0, -1.0, 1.0), "yxy"),
    ),
    "elbow": (
        ("{word}_upper_arm", "humerus_{side}"), ("{word}_forearm", "radius_{side}"),
        JointAngle("", "", ("flexion", "adduction", "pronation")),
    ),
    "wrist": (
        ("{word}_forearm", "radius_{side}"), ("{word}_hand", "hand_{side}"),
        JointAngle("", "", ("flexion", "ulnar_deviation", "pronation")),
    ),
}  # fmt: skip
# What Plug-in Gait has otherwise: its Y X Z is z x y here, of the ankle Y Z X.  [PlugInGait]
_PLUG_IN_GAIT: dict[str, dict[str, Any]] = {
    "ankle": {"names": ("dorsiflexion", "internal_rotation", "inversion"), "sequence": "zyx"},
    "shoulder": {"names": ("flexion", "abduction", "internal_rotation"), "sequence": "zxy", "signs": (1.0, -1.0, 1.0)},
}
_PLUG_IN_TRUNK = {"names": ("flexion", "right_bending", "right_rotation"), "signs": (-1.0, 1.0, -1.0)}
_TRUNK: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "trunk": (("lower_trunk", "pelvis"), ("thorax", "torso")),
    "neck": (("thorax", "torso"), ("head",)),
}


def check_convention(convention: str) -> str:
    """Return the convention of angles, or say which there are."""
    if convention not in CONVENTIONS:
        allowed, remedy = ", ".join(CONVENTIONS), closest(str(convention), CONVENTIONS)
        raise InputError(
            "the convention of angles must be a known one", got=repr(convention), allowed=allowed, remedy=remedy
        )
    return convention


def default_joints(figure: Figure, convention: str = "isb") -> dict[str, JointAngle]:
    """Return the joints whose segments a figure has, by Human36's or OpenSim's names: "right_hip" … "trunk", "neck"."""
    plug_in = check_convention(convention) == "plug-in-gait"
    found = {}
    for kind, (proximal, distal, angle) in _LIMBS.items():
        own = replace(angle, **_PLUG_IN_GAIT.get(kind, {})) if plug_in else angle
        for word in ("right", "left"):
            on, moves = (_first(figure, names, word) for names in (proximal, distal))
            if on and moves:
                found[f"{word}_{kind}"] = replace(own, proximal=on, distal=moves, left=word == "left")
    bend: dict[str, Any] = _PLUG_IN_TRUNK if plug_in else {"names": _BEND}
    for kind, (proximal, distal) in _TRUNK.items():
        on, moves = (_first(figure, names, "") for names in (proximal, distal))
        if on and moves:
            found[kind] = JointAngle(on, moves, left=False, **bend)
    return found


def _first(figure: Figure, names: tuple[str, ...], word: str) -> str | None:
    tried = [name.format(word=word, side=word[:1]) for name in names]
    return next((name for name in tried if name in figure.names), None)


def joint_angles(
    figure: Figure,
    q: ArrayLike,
    joints: Sequence[str] | Mapping[str, JointAngle | tuple[str, str]] | None = None,
    sequence: str = "zxy",
    *,
    frames: Mapping[str, ArrayLike] | None = None,
    convention: str = "isb",
) -> JointAngles:
    """Return anatomical angles [rad] between segments, (..., joints, 3).

    The rotation of the distal segment in the proximal one is Rz(α) Rx(β) Ry(γ): flexion about the proximal z axis,
    rotation about the distal y axis, adduction about the floating axis between [GroodSuntay83] [Wu02]. Shoulders are
    Ry Rx Ry: plane of elevation (0 abduction, π/2 forward flexion), elevation, internal rotation [Wu05]. The left side
    is seen in the mirror, so that an angle has one meaning on both sides.

    Parameters
    ----------
    q : configurations, (..., nq).
    joints : names out of `default_joints`, or {name: JointAngle} or {name: (proximal, distal)}; None: all defaults.
    sequence : axes of joints without their own.
    frames : anatomical axes of segments, {segment: (3, 3)} in the segment's own; `static_frames` makes them from a
        static pose. Others have their segment's axes.
    convention : of `default_joints`: "isb", or "plug-in-gait", whose ankle is Rz Ry Rx (dorsiflexion, rotation,
        inversion), whose shoulder is Rz Rx Ry, and whose trunk flexes and turns right where its angles grow.
    """
    chosen = _chosen(figure, joints, convention)
    R = forward_kinematics(figure, q).rotation
    axes = np.tile(np.eye(3), (len(figure.segments), 1, 1))
    for name, value in (frames or {}).items():
        axes[figure.index(name)] = as_floats(value, 3, 3, where=f"frame of {name!r}")
    R = R @ axes
    values = [angles_between(figure, R, angle, sequence) for angle in chosen.values()]
    return JointAngles(tuple(chosen), tuple(angle.names for angle in chosen.values()), np.stack(values, axis=-2))


def _chosen(
    figure: Figure, joints: Sequence[str] | Mapping[str, JointAngle | tuple[str, str]] | None, convention: str
) -> dict[str, JointAngle]:
    if isinstance(joints, Mapping):
        return {name: j if isinstance(j, JointAngle) else JointAngle(*j) for name, j in joints.items()}
    known = default_joints(figure, convention)
    names = list(known) if joints is None else [joints] if isinstance(joints, str) else list(joints)
    for name in names:
        if name not in known:
            raise InputError("no such joint", where=f"figure {figure.name!r}", got=name,
                             allowed=", ".join(known) or None, remedy=closest(str(name), known))  # fmt: skip
    if not names:
        raise InputError(
            "the joints of the legs are not known", where=f"figure {figure.name!r}",
            allowed="{name: (proximal segment, distal segment)}", remedy="Name them by joints=.",
        )  # fmt: skip
    return {name: known[name] for name in names}


def angles_between(figure: Figure, R: Array, angle: JointAngle, sequence: str = "zxy") -> Array:
    """Return the angles of a joint [rad], (..., 3), from the axes of all segments, (..., segments, 3, 3)."""
    on, moves = figure.index(angle.proximal), figure.index(angle.distal)
    turn = np.swapaxes(R[..., on, :, :], -1, -2) @ R[..., moves, :, :]
    left = side_of(angle.distal) == "l" if angle.left is None else angle.left
    if left:
        turn = _MIRROR @ turn @ _MIRROR
    order = angle.sequence or sequence
    found = euler_from_rotation(turn, order)
    if order[0] == order[-1] and angle.signs[1] < 0:  # the middle angle is given below zero, as (a ± π, −b, c ± π)
        found = np.stack([_wrapped(found[..., 0] + np.pi), -found[..., 1], _wrapped(found[..., 2] + np.pi)], axis=-1)
    return np.asarray(found * angle.signs)


def moment_axes(figure: Figure, R: Array, angle: JointAngle, convention: str, sequence: str = "zxy") -> Array:
    """Return the directions that the moments of a joint are told along, (..., 3, 3) in world axes, one in each row.

    "isb": those that the three angles turn about, the first of the proximal segment, the third of the distal one, the
    second across both [GroodSuntay83]; the moment along each does the angle's work. "plug-in-gait": the axes of the
    distal segment. Each points where its angle grows; nan where the first and the third are one.
    """
    on, moves = figure.index(angle.proximal), figure.index(angle.distal)
    order = ["xyz".index(letter) for letter in angle.sequence or sequence]
    left = side_of(angle.distal) == "l" if angle.left is None else angle.left
    found = np.swapaxes(R[..., moves, :, :], -1, -2)[..., order, :].copy()
    if convention == "isb":
        found[..., 0, :] = R[..., on, :, order[0]]
        across = np.cross(found[..., 2, :], found[..., 0, :])
        size = np.linalg.norm(across, axis=-1, keepdims=True)
        parity = 1.0 if (order[1] - order[0]) % 3 == 1 else -1.0
        found[..., 1, :] = parity * across / np.where(size > _ONE_AXIS, size, np.nan)
    mirrored = [-1.0 if left and k != 2 else 1.0 for k in order]  # a turn about x or y is seen reversed in the mirror
    return np.asarray(found * (np.array(angle.signs) * mirrored)[:, None])


def _wrapped(angle: Array) -> Array:
    """Return angles in (−π, π]."""
    return np.pi - np.mod(np.pi - angle, 2 * np.pi)


def static_frames(figure: Figure, q: ArrayLike, root: str | None = None) -> dict[str, Array]:
    """Return anatomical axes of all segments, {segment: (3, 3)} in its own, from a static pose q (nq,) or (..., nq).

    In the pose all of them are parallel: y up, x the forward direction of the ``root`` segment (the first unless told)
    brought to the horizontal. So every angle of `joint_angles` is zero there. Several samples give their mean.
    """
    from motiform.spatial import nearest_rotation

    R = forward_kinematics(figure, q).rotation.reshape(-1, len(figure.segments), 3, 3)
    up = up_of(figure)
    ahead = R[:, 0 if root is None else figure.index(root), :, 0].mean(0)
    ahead = ahead - (ahead @ up) * up
    size = np.linalg.norm(ahead)
    if not size > 1e-6:
        raise InputError("the forward direction of the static pose is vertical", where=root or figure.names[0])
    x = ahead / size
    world = np.stack([x, up, np.cross(x, up)], axis=1)
    mean = nearest_rotation(R.mean(0))
    return {name: mean[n].T @ world for n, name in enumerate(figure.names)}
