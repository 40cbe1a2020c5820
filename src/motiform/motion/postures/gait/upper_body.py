"""Angles of trunk, head and arms over time, with what is doubtful in them."""

from dataclasses import replace

import numpy as np

from motiform.motion.postures.gait.angles import JointAngle, default_joints
from motiform.motion.postures.gait.events import Walker
from motiform.motion.postures.gait.series import (
    GaitSeries,
    SideSeries,
    TrialMotion,
    add_angles,
    tilt_series,
    trial_motion,
)
from motiform.motion.tree.model.figure import Figure
from motiform.record.recording import Recording

__all__ = ["ARMS", "TRUNK", "upper_series"]

TRUNK = ("thorax", "trunk", "neck")
"""The thorax in the room, the thorax on the pelvis, the head on the thorax."""
ARMS = ("shoulder", "elbow", "wrist")
_THORAX = ("thorax", "torso")
_OWN_SIDE = ("ipsilateral_bending", "internal_rotation")  # to this side; this side forward, as of the pelvis


def upper_series(rec: Recording, figure: Figure, walker: Walker, convention: str = "isb") -> GaitSeries:
    """Return angles of thorax, trunk, neck, shoulders, elbows and wrists over time, for each side.

    ``rec`` is that of `motiform.reconstruct`. The thorax is told in the direction of walking, as the pelvis is; trunk
    and neck bend to the side whose cycles are looked at, and turn with this side forward. Shoulders are flexion,
    abduction and rotation in both conventions: the plane of elevation of the ISB is not defined for a hanging arm
    [Wu05].
    """
    joints, motion = default_joints(figure, convention), trial_motion(rec, figure, walker, convention)
    plug_in = default_joints(figure, "plug-in-gait")
    found: list[SideSeries] = []
    undetermined: list[str] = []
    for side, word in (("l", "left"), ("r", "right")):
        for kind in ("trunk", "neck"):
            if kind in joints:
                add_angles(motion, kind, _of_side(joints[kind], side), side, found, undetermined)
        for kind in ARMS:
            name = f"{word}_{kind}"
            if name in joints:
                own = plug_in[name] if kind == "shoulder" else joints[name]
                add_angles(motion, kind, own, side, found, undetermined)
        found += _thorax(motion, side)
    return GaitSeries(rec.time("q"), tuple(found), tuple(dict.fromkeys(undetermined)), convention)


def _of_side(angle: JointAngle, side: str) -> JointAngle:
    """Return a joint of the trunk as this side sees it: the left in the mirror, so that signs hold on both sides."""
    return replace(angle, names=(angle.names[0], *_OWN_SIDE), signs=(angle.signs[0], 1.0, 1.0), left=side == "l")


def _thorax(motion: TrialMotion, side: str) -> list[SideSeries]:
    """Return tilt, obliquity and rotation of the thorax; none where no marker ever tells them."""
    figure = motion.figure
    name = next((one for one in _THORAX if one in figure.names), None)
    marked = motion.rec.manifest.get("reconstruct", {}).get("per_marker", {})
    on_it = [tag.name for tag in figure.tags if tag.segment == name and tag.name in marked]
    if name is None or not on_it or not np.isfinite(np.asarray(motion.rec["q"])).any():
        return []
    return tilt_series(motion, "thorax", name, side)
