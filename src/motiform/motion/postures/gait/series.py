"""Angles, moments and powers of pelvis and legs over time, with what is doubtful in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.postures.feet import side_of
from motiform.motion.postures.gait.angles import (
    JointAngle,
    angles_between,
    check_convention,
    default_joints,
    moment_axes,
)
from motiform.motion.postures.gait.events import Walker
from motiform.motion.postures.gait.landmarks import landmark_frames
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, joint_axes
from motiform.motion.tree.joints.axes import AxesJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Channel
from motiform.record.recording import Recording
from motiform.spatial import euler_from_rotation

__all__ = [
    "GROUPS", "MARKS", "GaitSeries", "SideSeries", "TrialMotion", "add_angles", "joint_series", "load_known",
    "pelvis_angles", "sample_where_defined", "tilt_series", "trial_motion",
]  # fmt: skip

GROUPS = {"angles": "°", "moments": "N·m/kg", "powers": "W/kg"}
"""Kinds of quantities and their units."""
MARKS = ("not fitted", "hidden", "uncertain", "limit", "left out")
"""What can be doubtful: no posture was found; a hidden marker leaves a coordinate of the joint open; its standard
deviation is above 5°; a limit holds it; a marker of its segments is left out or exchanged."""
UNCERTAIN = np.deg2rad(5.0)
"""[rad] McGinley and others take errors above 5° for misleading.  [McGinley09]"""
SIDES = ("l", "r")
_UNITS = {"angles": "deg", "moments": "N m/kg", "powers": "W/kg"}
PELVIS_NAMES = ("anterior_tilt", "obliquity_up", "internal_rotation")
_PELVIS = ("lower_trunk", "pelvis")
_LEGS = ("hip", "knee", "ankle")
_STEP = 1e-6  # rad, of the difference that tells the sign of a coordinate
_SLOPE = 0.7  # of an angle by a coordinate, from which on it is that coordinate's
_LEVEL = 0.5  # cosine of the slope of a foot beyond which it has no heading
_UNSEEN = 0.5  # part of a coordinate that the markers do not determine


@dataclass(frozen=True)
class SideSeries:
    """One quantity of one side over time."""

    group: str
    """One of `GROUPS`."""
    joint: str
    """ "pelvis", "hip", "knee", "ankle", "foot"."""
    name: str
    """What happens where it grows: "flexion", …"""
    side: str
    """ "r" or "l"."""
    values: Array
    """(samples,), in the unit of its group; nan where it is not known."""
    marks: Mapping[str, Array] = field(default_factory=dict)
    """Of `MARKS`, (samples,) bool each."""
    external: bool = False
    """Whether a moment is that of ground, gravity and inertia; else that of the muscles."""

    @property
    def title(self) -> str:
        """Joint and direction, for a plot."""
        words = f"{self.joint} {self.name.replace('_', ' ')}"
        return words + (" moment" + ", external" * self.external if self.group == "moments" else "")


class GaitSeries(NamedTuple):
    """The quantities of a trial over time."""

    times: Array
    """[s], (samples,)"""
    series: tuple[SideSeries, ...]
    undetermined: tuple[str, ...]
    """Titles of angles that the markers never determine: they are the prior's, and left out."""
    convention: str

    def channels(self, **when: Any) -> dict[str, tuple[Channel, Array]]:
        """Return channels for a recording, (samples, 2) each, left and right: "knee.flexion", "knee.flexion_moment"."""
        found: dict[str, tuple[Channel, Array]] = {}
        for one in self.series:
            name = f"{one.joint}.{one.name}" + "_moment" * (one.group == "moments")
            if name not in found:
                words = f"{one.title}, left and right"
                channel = Channel(
                    name, unit=_UNITS[one.group], dims=("side",), shape=(2,), description=words, **when
                )  # fmt: skip
                found[name] = (channel, np.full((len(self.times), 2), np.nan))
            found[name][1][:, SIDES.index(one.side)] = one.values
        return found


def pelvis_angles(figure: Figure, q: ArrayLike, walker: Walker, side: str = "r", convention: str = "isb") -> Array:
    """Return anterior tilt, obliquity (this side up) and internal rotation (this side forward) [rad], (samples, 3).

    The pelvis in axes of the ground with x along the direction of walking, by rotation, obliquity, tilt in this order,
    which is the one that clinicians' words fit [Baker01]; Plug-in Gait's order is tilt, obliquity, rotation.
    """
    name = _pelvis_of(figure)
    if name is None:
        raise InputError("the pelvis of the figure is not known", where=repr(figure), allowed=", ".join(_PELVIS))
    turn = _in_progression(walker) @ forward_kinematics(figure, q).rotation[..., figure.index(name), :, :]
    return _tilted(turn, side, check_convention(convention))


def _pelvis_of(figure: Figure) -> str | None:
    return next((one for one in _PELVIS if one in figure.names), None)


def _in_progression(walker: Walker) -> Array:
    """Return the rotation from the world's axes to those of walking, (3, 3): x forward, y up."""
    ahead, up = walker.forward, walker.up
    return np.stack([ahead, up, np.cross(ahead, up)])


def _tilted(turn: Array, side: str, convention: str) -> Array:
    s = 1.0 if side == "r" else -1.0
    if convention == "plug-in-gait":
        tilt, obliquity, rotation = np.moveaxis(euler_from_rotation(turn, "zxy"), -1, 0)
    else:
        rotation, obliquity, tilt = np.moveaxis(euler_from_rotation(turn, "yxz"), -1, 0)
    return np.stack([-tilt, -s * obliquity, s * rotation], axis=-1)


class _Uncertain(NamedTuple):
    """What is doubtful in a trial, bool."""

    lost: Array
    """Samples that were not fitted, (samples,)."""
    hidden: Array
    """Coordinates that markers do not determine now, but in other samples, (samples, nv)."""
    uncertain: Array
    """Turns with a large standard deviation, (samples, nv)."""


@dataclass(frozen=True)
class TrialMotion:
    """A trial, the axes of its segments, and how they turn with each coordinate."""

    rec: Recording
    figure: Figure
    convention: str
    ground: Array
    """From the world's axes to those of walking, (3, 3)."""
    R: Array
    """Axes of the segments, those of landmarks where there are such, (samples, segments, 3, 3)."""
    probes: Array | None
    """At the neutral posture with a little more, and a little less, of each coordinate, (2, nq, segments, 3, 3)."""
    uncertain: "_Uncertain"

    def marks(self, distal: str, proximal: str | None) -> dict[str, Array]:
        """Return what is doubtful between two segments; None: the world."""
        segments = (distal,) if proximal is None else (proximal, distal)
        return _marks(self, _columns(self.figure, distal, proximal), segments)


def joint_series(rec: Recording, figure: Figure, walker: Walker, convention: str = "isb") -> GaitSeries:
    """Return angles of pelvis, hips, knees, ankles and feet, with moments and powers per kilogram, over time.

    ``rec`` is that of `motiform.reconstruct`. The pelvis has the axes of its landmarks (`landmark_frames`). Moments are
    in the direction that each angle grows (`moment_axes`): internal ones, or with "plug-in-gait" those that they
    balance (external). Those that no coordinate of the joint takes up, such as a hinge's adduction moment, are of bones
    and ligaments. They are told where the foot is in the air or on a usable plate. Powers are those of all coordinates
    of a joint.
    """
    joints, motion = default_joints(figure, convention), trial_motion(rec, figure, walker, convention)
    found: list[SideSeries] = []
    undetermined: list[str] = []
    for side, word in (("l", "left"), ("r", "right")):
        found += _of_pelvis(motion, side)
        for kind in _LEGS:
            if f"{word}_{kind}" in joints:
                _add_joint(motion, kind, joints[f"{word}_{kind}"], side, found, undetermined)
        if f"{word}_ankle" in joints:
            found.append(_progress(motion, joints[f"{word}_ankle"].distal, side))
    return GaitSeries(rec.time("q"), tuple(found), tuple(dict.fromkeys(undetermined)), convention)


def trial_motion(rec: Recording, figure: Figure, walker: Walker, convention: str) -> TrialMotion:
    """Return the axes of the segments of a trial over time, and what is doubtful in them."""
    probes = None
    if figure.nq == figure.nv:
        steps = _STEP * np.eye(figure.nq)
        probes = forward_kinematics(figure, figure.neutral() + np.stack([steps, -steps])).rotation
    R = forward_kinematics(figure, np.asarray(rec["q"])).rotation
    for name, axes in landmark_frames(figure, rec.manifest.get("reconstruct", {}).get("per_marker")).items():
        R[:, figure.index(name)] = R[:, figure.index(name)] @ axes
    return TrialMotion(rec, figure, convention, _in_progression(walker), R, probes, _uncertain_samples(rec, figure))


def _of_pelvis(motion: TrialMotion, side: str) -> Iterable[SideSeries]:
    name = _pelvis_of(motion.figure)
    return [] if name is None else tilt_series(motion, "pelvis", name, side)


def tilt_series(motion: TrialMotion, joint: str, segment: str, side: str) -> list[SideSeries]:
    """Return tilt, obliquity and rotation of a segment of the trunk in the direction of walking, named ``joint``."""
    turn = motion.ground @ motion.R[:, motion.figure.index(segment)]
    values, marks = np.rad2deg(_unwrapped(_tilted(turn, side, motion.convention))), motion.marks(segment, None)
    return [SideSeries("angles", joint, word, side, values[:, k], marks) for k, word in enumerate(PELVIS_NAMES)]


def _progress(motion: TrialMotion, foot: str, side: str) -> SideSeries:
    """Return the heading of a foot in the direction of walking; in Plug-in Gait the third angle of Y X Z.

    A foot that points down, as in a swing, has no heading: nan.
    """
    turn = motion.ground @ motion.R[:, motion.figure.index(foot)]
    if motion.convention == "plug-in-gait":
        heading = euler_from_rotation(turn, "zxy")[..., 2]
    else:
        heading = np.arctan2(-turn[..., 2, 0], turn[..., 0, 0])
    level = np.hypot(turn[..., 0, 0], turn[..., 2, 0]) > _LEVEL
    values = np.where(level, np.rad2deg((1.0 if side == "r" else -1.0) * heading), np.nan)
    return SideSeries("angles", "foot", "internal_progression", side, values, motion.marks(foot, None))


def add_angles(
    motion: TrialMotion, kind: str, angle: JointAngle, side: str, found: list[SideSeries], undetermined: list[str]
) -> list[int | None]:  # fmt: skip
    """Add the angles of one joint to a list, and return which coordinate each one is, None where it is no single one.

    An angle whose coordinate the markers never determine is added to ``undetermined``, by its title.
    """
    values = np.rad2deg(_unwrapped(angles_between(motion.figure, motion.R, angle)))
    columns = _columns(motion.figure, angle.distal, angle.proximal)
    slopes = _slopes(motion, angle, columns)
    best = [int(np.argmax(np.abs(slopes[:, k]))) if len(slopes) else -1 for k in range(3)]
    own = [columns[b] if b >= 0 and abs(slopes[b, k]) > _SLOPE else None for k, b in enumerate(best)]
    marks = motion.marks(angle.distal, angle.proximal)
    unseen = np.asarray(motion.rec["unseen"])
    for k, word in enumerate(angle.names):
        made = SideSeries("angles", kind, word, side, values[:, k], marks)
        if own[k] is not None and (unseen[:, own[k]] > _UNSEEN).all():
            undetermined.append(made.title)
        else:
            found.append(made)
    return own


def _add_joint(
    motion: TrialMotion, kind: str, angle: JointAngle, side: str, found: list[SideSeries], undetermined: list[str]
) -> None:  # fmt: skip
    """Add angles, moments and power of one joint to a list."""
    rec, figure = motion.rec, motion.figure
    own = add_angles(motion, kind, angle, side, found, undetermined)
    columns = _columns(figure, angle.distal, angle.proximal)
    if "effort" not in rec or not figure.mass > 0 or not columns:
        return
    slopes, marks = _slopes(motion, angle, columns), motion.marks(angle.distal, angle.proximal)
    known = np.where(load_known(rec, side), 1.0 / figure.mass, np.nan)
    effort, power = (np.asarray(rec[what]) * known[:, None] for what in ("effort", "power"))
    external = motion.convention == "plug-in-gait"
    moments = _moments(motion, angle)
    for k, (word, column) in enumerate(zip(angle.names, own, strict=True)):
        moment = None if moments is None else moments[:, k] * known
        if column is not None and (moment is None or not _turns_only(figure, angle)):
            moment = effort[:, column] / slopes[columns.index(column), k]
        if moment is not None:
            found.append(
                SideSeries("moments", kind, word, side, -moment if external else moment, marks, external)
            )  # fmt: skip
    found.append(SideSeries("powers", kind, "power", side, power[:, columns].sum(1), marks))


def _moments(motion: TrialMotion, angle: JointAngle) -> Array | None:
    """Return the moments of a joint along the axes of its angles [N·m], (samples, 3); of bones and ligaments, too."""
    if "joint_moment" not in motion.rec:
        return None
    own = np.asarray(motion.rec["joint_moment"])[:, _first_between(motion.figure, angle)]
    axes = moment_axes(motion.figure, motion.R, angle, motion.convention)
    return np.asarray((axes @ own[..., None])[..., 0])


def _turns_only(figure: Figure, angle: JointAngle) -> bool:
    """Whether a joint is one of turns about its segment's origin: a force that shifts it does no work."""
    n = _first_between(figure, angle)
    joint = figure.segments[n].joint
    if figure.segments[n].name != angle.distal or not isinstance(joint, AxesJoint):
        return False
    return all(a.kind == "revolute" and not a.pitch and not any(a.point) for a in joint.axes)


def _first_between(figure: Figure, angle: JointAngle) -> int:
    """Return the number of the segment that the proximal one carries, on the way to the distal one."""
    n = figure.index(angle.distal)
    while figure.segments[n].parent not in (None, angle.proximal):
        n = figure.parent_index(n)
    return n


def _unwrapped(angles: Array) -> Array:
    """Return angles that do not jump by full turns, gaps aside."""
    if np.isfinite(angles).all():
        return np.asarray(np.unwrap(angles, axis=0))
    out = np.array(angles, float)
    for column in out.reshape(len(out), -1).T:  # a view
        seen = np.isfinite(column)
        column[seen] = np.unwrap(column[seen])
    return out


def load_known(rec: Recording, side: str) -> Array:
    """Return whether the force of the ground on the foot of a side is known, (samples,) bool."""
    if "effort.known" not in rec:
        return np.ones(rec.count("q"), bool)
    names = rec.manifest.get("labels", {}).get("foot", [])
    own = [k for k, name in enumerate(names) if side_of(name) in (side, "")]
    return np.asarray((np.asarray(rec["effort.known"])[:, own] > 0).all(1))


# ---------------------------------------------------------------- coordinates of a joint
def sample_where_defined(figure: Figure, segment: str, unseen: Array) -> Array:
    """Return whether the markers of a sample determine where a segment is, (samples,) bool; ``unseen`` (samples, nv).

    Coordinates that they never determine do not count.
    """
    columns = _columns(figure, segment, None)
    own = np.asarray(unseen)[:, columns]
    return np.asarray((own - own.min(0, initial=1.0) <= _UNSEEN).all(1))


def _columns(figure: Figure, distal: str, proximal: str | None) -> list[int]:
    """Return the places in v of the coordinates between two segments; None: the world."""
    n, stop = figure.index(distal), -1 if proximal is None else figure.index(proximal)
    found: list[int] = []
    while n >= 0 and n != stop:
        found += [int(k) for k in figure.layout.v[n]]
        n = figure.parent_index(n)
    if figure.coupled is not None:
        found = [int(k) for k in np.flatnonzero(np.isin(figure.coupled.kept_v, found))]
    return found


def _slopes(motion: TrialMotion, angle: JointAngle, columns: list[int]) -> Array:
    """Return how each angle of a joint grows with its coordinates at the neutral posture, (coordinates, 3)."""
    if motion.probes is None:
        return np.zeros((0, 3))
    more, less = angles_between(motion.figure, motion.probes[:, columns], angle)
    return np.asarray((more - less) / (2 * _STEP))


# ---------------------------------------------------------------- uncertain samples
def _uncertain_samples(rec: Recording, figure: Figure) -> _Uncertain:
    unseen = np.asarray(rec["unseen"])
    usual = unseen.min(0, initial=1.0)  # what the markers never determine is no doubt of a sample
    turns = np.linalg.norm(joint_axes(figure, figure.neutral())[:, :3], axis=1) > 1e-9
    uncertain = turns & (unseen < _UNSEEN) & (np.asarray(rec["std"]) > UNCERTAIN) if "std" in rec else unseen < 0.0
    return _Uncertain(np.asarray(rec["status"]) > 0, unseen - usual > _UNSEEN, np.asarray(uncertain))


def _marks(motion: TrialMotion, columns: list[int], segments: tuple[str, ...]) -> dict[str, Array]:
    """Return what is doubtful in the coordinates between segments, (samples,) bool each."""
    rec, figure = motion.rec, motion.figure
    found = {"not fitted": motion.uncertain.lost, "hidden": motion.uncertain.hidden[:, columns].any(1)}
    found["uncertain"] = motion.uncertain.uncertain[:, columns].any(1)
    plain = figure.nq == figure.nv  # else coordinates are those of q
    names = {figure.coordinates[k] for k in columns} if plain else set()
    found["limit"] = _during(rec, "at its limit: ", names)
    per_marker = rec.manifest.get("reconstruct", {}).get("per_marker", {})
    own = {tag.name for tag in figure.tags if tag.segment in segments}
    markers = {str(row["marker"]) for tag, row in per_marker.items() if tag in own}
    found["left out"] = _during(rec, "left out: ", markers) | _during(rec, "swapped: ", markers)
    return {kind: np.asarray(mask) for kind, mask in found.items() if mask.any()}


def _during(rec: Recording, begin: str, names: set[str]) -> Array:
    """Return the samples in which events of that kind tell one of the names, (samples,) bool."""
    out = np.zeros(rec.count("q"), bool)
    for event in rec.events:
        if event.name.startswith(begin) and names & set(event.name[len(begin) :].split(", ")):
            times = rec.time("q")
            out |= (times >= event.time - 1e-9) & (times <= (event.detail or {}).get("until", event.time) + 1e-9)
    return out
