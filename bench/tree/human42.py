"""A human-like tree of 17 segments and 42 coordinates, described once; peers build it in their own way.

The same tree in three manners of writing it:

- "axes": one joint per segment, its axes in sequence, so 42 plain coordinates (three shifts and Cardan angles of the
  pelvis, Cardan angles elsewhere);
- "chain": the same coordinates, but a segment of its own for each, the massless ones between carrying nothing;
- "native": one joint per segment with the kind that fits it: free, spherical, universal, revolute; 49 numbers in q.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from motiform.motion.tree import Figure
    from motiform.motion.tree.model.joint import Joint

__all__ = ["DIRECTIONS", "GRAVITY", "SEGMENTS", "Body", "Manner", "figure", "native_states", "states"]

Manner = Literal["axes", "chain", "native"]
Triple = tuple[float, float, float]
Array = np.ndarray

GRAVITY: Triple = (0.0, 0.0, -9.81)
DIRECTIONS: dict[str, Triple] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class Body(NamedTuple):
    """A segment: a box whose mass is spread evenly."""

    name: str
    parent: str | None
    place: Triple
    """Of its joint in the parent's frame [m]; the axes of all frames are parallel where the coordinates are zero."""
    axes: str
    """Of its joint, in sequence: small letters are shifts, capitals turns."""
    mass: float
    center: Triple
    """Of mass, in its own frame [m]."""
    half: Triple
    """Half lengths of the box [m]."""

    @property
    def moments(self) -> Array:
        """Moments of inertia about its centre [kg·m²], (3,)."""
        square = np.square(self.half)
        return self.mass / 3 * (square.sum() - square)


def _limbs(side: str, y: float) -> tuple[list[Body], list[Body]]:
    """Return the arm and the leg of a side, y to the left."""
    upper, fore, thigh, shank, foot = (f"{side}_{name}" for name in ("upper_arm", "forearm", "thigh", "shank", "foot"))
    arm = [
        Body(upper, "thorax", (0.0, 0.19 * y, 0.40), "XYZ", 2.0, (0.0, 0.0, -0.14), (0.04, 0.04, 0.14)),
        Body(fore, upper, (0.0, 0.0, -0.29), "YZ", 1.2, (0.0, 0.0, -0.11), (0.035, 0.035, 0.12)),
        Body(f"{side}_hand", fore, (0.0, 0.0, -0.25), "XY", 0.45, (0.0, 0.0, -0.06), (0.02, 0.04, 0.08)),
    ]
    leg = [
        Body(thigh, "pelvis", (0.0, 0.09 * y, -0.05), "XYZ", 8.0, (0.0, 0.0, -0.19), (0.07, 0.07, 0.21)),
        Body(shank, thigh, (0.0, 0.0, -0.42), "YZ", 3.6, (0.0, 0.0, -0.18), (0.05, 0.05, 0.20)),
        Body(foot, shank, (0.0, 0.0, -0.41), "XY", 0.85, (0.05, 0.0, -0.04), (0.09, 0.04, 0.03)),
        Body(f"{side}_toes", foot, (0.14, 0.0, -0.06), "Y", 0.2, (0.03, 0.0, 0.0), (0.03, 0.04, 0.012)),
    ]
    return arm, leg


def _all_segments() -> tuple[Body, ...]:
    trunk = [
        Body("pelvis", None, (0.0, 0.0, 0.95), "xyzXYZ", 11.0, (0.0, 0.0, 0.03), (0.10, 0.15, 0.08)),
        Body("thorax", "pelvis", (0.0, 0.0, 0.12), "XYZ", 24.0, (0.0, 0.0, 0.20), (0.11, 0.17, 0.22)),
        Body("head", "thorax", (0.0, 0.0, 0.48), "XYZ", 5.0, (0.0, 0.0, 0.12), (0.09, 0.07, 0.11)),
    ]
    (left_arm, left_leg), (right_arm, right_leg) = _limbs("left", 1.0), _limbs("right", -1.0)
    return (*trunk, *left_arm, *right_arm, *left_leg, *right_leg)


#: Parents first.
SEGMENTS = _all_segments()


# ---- ours -----------------------------------------------------------------------------------------------------------


def _axis_joint(letters: str) -> "Joint":
    from motiform.motion.tree.joints import AxesJoint, Axis

    kinds = ["revolute" if letter.isupper() else "prismatic" for letter in letters]
    return AxesJoint([Axis(k, DIRECTIONS[c.lower()]) for k, c in zip(kinds, letters, strict=True)])  # type: ignore[arg-type]


def _native_joint(letters: str) -> "Joint":
    from motiform import joints

    if len(letters) == 6:
        return joints.free()
    if len(letters) == 3:
        return joints.spherical()
    turns = [DIRECTIONS[letter.lower()] for letter in letters]
    return joints.universal(*turns) if len(turns) == 2 else joints.revolute(*turns)


def figure(manner: Manner = "axes") -> "Figure":
    """Return the tree as our figure."""
    from motiform.motion.tree import FigureBuilder
    from motiform.spatial import Transform

    builder = FigureBuilder(gravity=GRAVITY, name=f"human42 ({manner})")
    for body in SEGMENTS:
        letters, parent = body.axes, body.parent
        placement = Transform(np.eye(3), np.array(body.place))
        if manner == "chain":
            for n, letter in enumerate(letters[:-1]):
                between = f"{body.name}.{n}"
                builder.segment(between, parent, _axis_joint(letter), placement=placement)
                parent, placement = between, Transform.identity()
            letters = letters[-1]
        joint = _native_joint(letters) if manner == "native" else _axis_joint(letters)
        inertia = np.diag(body.moments)
        builder.segment(body.name, parent, joint, placement=placement, mass=body.mass, com=body.center, inertia=inertia)
    return builder.build()


# ---- states ---------------------------------------------------------------------------------------------------------


def states(count: int, seed: int = 1) -> tuple[Array, Array, Array]:
    """Return plain coordinates, velocities and accelerations, each (count, 42)."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (count, 42)), rng.normal(size=(count, 42)), rng.normal(size=(count, 42))


def native_states(q: Array) -> Array:
    """Return the configurations (..., 49) of the native joints in the same places as the plain coordinates."""
    from motiform.motion.tree import forward_kinematics
    from motiform.spatial import quaternion_from_rotation

    R, p = forward_kinematics(figure("axes"), q)
    names, parts, at = [body.name for body in SEGMENTS], [], 0
    for n, body in enumerate(SEGMENTS):
        if len(body.axes) >= 3:
            parent = np.eye(3) if body.parent is None else R[..., names.index(body.parent), :, :]
            turn = quaternion_from_rotation(np.swapaxes(parent, -1, -2) @ R[..., n, :, :])
            parts += [p[..., n, :] - body.place, turn] if body.parent is None else [turn]
        else:
            parts.append(q[..., at : at + len(body.axes)])
        at += len(body.axes)
    return np.concatenate(parts, axis=-1)
