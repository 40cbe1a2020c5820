"""Gait cycles: from a strike of a foot to its next, with angles, moments and powers over 0 to 100 % of each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.reconstruct.gait.angles import JointAngle, default_joints, joint_angles
from motiform.motion.reconstruct.gait.events import OFF, STRIKE, Walker
from motiform.motion.tree.algorithms.kinematics import poses
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Event
from motiform.record.recording import Recording
from motiform.spatial import euler_from_rotation

__all__ = ["Curves", "GaitCycle", "Quantity", "cycle_curves", "gait_curves", "gait_cycles", "pelvis_angles"]

POINTS = 101  # 0 to 100 %
_LONGEST = 3.0  # s: strikes farther apart have a step between that nobody saw
_PELVIS = ("lower_trunk", "pelvis")
PELVIS_NAMES = ("anterior_tilt", "obliquity_up", "internal_rotation")
_LEGS = ("hip", "knee", "ankle")
_STEP = 1e-6  # rad, of the difference that tells the sign of a coordinate


@dataclass(frozen=True)
class GaitCycle:
    """From a strike of a foot to its next one."""

    side: str
    """ "r" or "l"."""
    start: float
    """[s]"""
    end: float
    """[s]"""
    off: float = float("nan")
    """[s] When the foot leaves the ground; nan where no event tells it."""

    @property
    def off_percent(self) -> float:
        """When the foot leaves the ground [% of the cycle]."""
        return 100.0 * (self.off - self.start) / (self.end - self.start)


def gait_cycles(events: Iterable[Event], *, longest: float = _LONGEST) -> list[GaitCycle]:
    """Return the cycles between strikes of `gait_events` of one foot, in the order of time.

    Strikes more than ``longest`` [s] apart, or without the foot's off and the other foot's strike between them where
    such events are known, are no cycle: something was not seen.
    """
    by: dict[tuple[str, str], list[float]] = {}
    for event in events:
        side, kind = (event.detail or {}).get("side"), (event.detail or {}).get("kind")
        if side and kind in (STRIKE, OFF):
            by.setdefault((side, kind), []).append(event.time)
    found = []
    sides = {side for side, _ in by}
    for side in sides:
        strikes = sorted(by.get((side, STRIKE), []))
        others = [t for other in sides - {side} for t in by.get((other, STRIKE), [])]
        for start, end in pairwise(strikes):
            offs = [t for t in by.get((side, OFF), []) if start < t < end]
            between = sum(start < t < end for t in others)
            if end - start <= longest and (not others or between == 1) and len(offs) <= 1:
                found.append(GaitCycle(side, start, end, offs[0] if offs else float("nan")))
    return sorted(found, key=lambda cycle: cycle.start)


def cycle_curves(times: ArrayLike, values: ArrayLike, cycles: Iterable[GaitCycle], points: int = POINTS) -> Array:
    """Return values (samples, …) over each cycle at evenly spaced parts of it, (cycles, points, …); nan in gaps."""
    t, y = np.asarray(times, float), np.asarray(values, float)
    flat = y.reshape(len(t), -1)
    out = []
    for cycle in cycles:
        at = np.linspace(cycle.start, cycle.end, points)
        rows = [np.interp(at, t, column, left=np.nan, right=np.nan) for column in flat.T]
        out.append(np.stack(rows, axis=-1).reshape(points, *y.shape[1:]))
    return np.stack(out) if out else np.zeros((0, points, *y.shape[1:]))


def pelvis_angles(figure: Figure, q: ArrayLike, walker: Walker, side: str = "r") -> Array:
    """Return anterior tilt, obliquity (this side up) and internal rotation (this side forward) [rad], (samples, 3).

    The pelvis in axes of the ground with x along the direction of walking, by rotation, obliquity, tilt in this order,
    which is the one that clinicians' words fit [Baker01].
    """
    name = next((one for one in _PELVIS if one in figure.names), None)
    if name is None:
        raise InputError("the pelvis of the figure is not known", where=repr(figure), allowed=", ".join(_PELVIS))
    ahead, up = walker.forward, walker.up
    world = np.stack([ahead, up, np.cross(ahead, up)], axis=1)
    turn = world.T @ poses(figure, q).rotation[..., figure.index(name), :, :]
    rotation, obliquity, tilt = np.moveaxis(euler_from_rotation(turn, "yxz"), -1, 0)
    s = 1.0 if side == "r" else -1.0
    return np.stack([-tilt, -s * obliquity, s * rotation], axis=-1)


@dataclass(frozen=True)
class Quantity:
    """One curve of a report."""

    group: str
    """ "angles", "moments" or "powers"."""
    joint: str
    """ "pelvis", "hip", "knee", "ankle"."""
    name: str
    """What is positive: "flexion", …"""
    unit: str
    """ "°", "N·m/kg", "W/kg"."""
    values: Mapping[str, Array] = field(default_factory=dict)
    """Over the cycles of each side, (cycles, points)."""

    @property
    def title(self) -> str:
        """Joint and direction, for a plot."""
        words = self.name.replace("_", " ")
        return f"{self.joint} {words}".strip() + (" moment" if self.group == "moments" else "")


@dataclass(frozen=True)
class Curves:
    """Quantities over gait cycles."""

    cycles: tuple[GaitCycle, ...]
    quantities: tuple[Quantity, ...]
    doubtful: Mapping[str, Array] = field(default_factory=dict)
    """Of each side, (cycles, points) bool: samples that were not fitted, or in which a leg's markers are hidden."""

    def of(self, side: str) -> list[GaitCycle]:
        """Return the cycles of one side."""
        return [cycle for cycle in self.cycles if cycle.side == side]

    def rows(self) -> Iterable[dict[str, float | str]]:
        """Yield a row for each point of each cycle: side, cycle, percent, and every quantity."""
        for side in ("l", "r"):
            for k, cycle in enumerate(self.of(side)):
                for n, percent in enumerate(np.linspace(0, 100, POINTS)):
                    row: dict[str, float | str] = {"side": side, "cycle": float(k + 1), "percent": float(percent)}
                    row["time [s]"] = cycle.start + (cycle.end - cycle.start) * float(percent) / 100
                    for one in self.quantities:
                        if side in one.values:
                            row[f"{one.title} [{one.unit}]"] = float(one.values[side][k, n])
                    yield row


def gait_curves(rec: Recording, figure: Figure, walker: Walker) -> Curves:
    """Return angles of pelvis, hips, knees, ankles, with moments and powers per kilogram, over the cycles of a trial.

    ``rec`` is that of `motiform.reconstruct`. Moments are those of the joint's muscles (internal) in the direction
    that each angle grows: the effort of the coordinate that turns the joint that way. Powers are those of all
    coordinates of a joint.
    """
    cycles = tuple(gait_cycles(rec.events))
    times, q = rec.time("q"), np.asarray(rec["q"])
    found: dict[tuple[str, str, str, str], dict[str, Array]] = {}
    joints = default_joints(figure)
    for side, word in (("l", "left"), ("r", "right")):
        own = [cycle for cycle in cycles if cycle.side == side]
        if not own:
            continue

        def put(group: str, joint: str, name: str, unit: str, values: Array, own=own, side=side) -> None:  # type: ignore[no-untyped-def]
            found.setdefault((group, joint, name, unit), {})[side] = cycle_curves(times, values, own)

        if any(name in figure.names for name in _PELVIS):
            pelvis = np.rad2deg(pelvis_angles(figure, q, walker, side))
            for k, name in enumerate(PELVIS_NAMES):
                put("angles", "pelvis", name, "°", pelvis[:, k])
        for kind in _LEGS:
            angle = joints.get(f"{word}_{kind}")
            if angle is not None:
                _put_joint(rec, figure, q, kind, f"{word}_{kind}", angle, put)
    doubtful = {
        side: cycle_curves(times, _doubtful(rec, figure, side), [c for c in cycles if c.side == side]) > 0.5
        for side in ("l", "r")
    }
    return Curves(cycles, tuple(Quantity(*key, values=values) for key, values in found.items()), doubtful)


def _put_joint(rec: Recording, figure: Figure, q: Array, kind: str, name: str, angle: JointAngle, put) -> None:  # type: ignore[no-untyped-def]
    """Add angles, moments and power of one joint."""
    values = np.rad2deg(joint_angles(figure, q, [name]).values[:, 0])
    for k, word in enumerate(angle.names):
        put("angles", kind, word, "°", np.rad2deg(np.unwrap(np.deg2rad(values[:, k]))))
    if "effort" not in rec or not figure.mass > 0 or figure.nq != figure.nv:
        return
    effort, power = np.asarray(rec["effort"]) / figure.mass, np.asarray(rec["power"]) / figure.mass
    columns = _columns(figure, angle.distal, angle.proximal)
    slopes = _slopes(figure, name, columns)
    for k, word in enumerate(angle.names):
        best = int(np.argmax(np.abs(slopes[:, k]))) if len(slopes) else 0
        if len(slopes) and abs(slopes[best, k]) > 0.7:
            put("moments", kind, word, "N·m/kg", effort[:, columns[best]] / slopes[best, k])
    if columns:
        put("powers", kind, "power", "W/kg", power[:, columns].sum(1))


def _columns(figure: Figure, distal: str, proximal: str) -> list[int]:
    """Return the places in v of the coordinates between two segments."""
    found: list[str] = []
    n, stop = figure.index(distal), figure.index(proximal)
    while n >= 0 and n != stop:
        found += [name for name in figure.coordinates if name in figure.segments[n].joint.names]
        n = figure.parent_index(n)
    return [figure.coordinates.index(name) for name in dict.fromkeys(found)]


def _slopes(figure: Figure, joint: str, columns: list[int]) -> Array:
    """Return how each angle of a joint grows with its coordinates at the neutral posture, (coordinates, 3)."""
    q = figure.neutral()
    rows = []
    for k in columns:
        ends = [joint_angles(figure, q + s * _STEP * np.eye(figure.nq)[k], [joint]).values[0] for s in (1, -1)]
        rows.append((ends[0] - ends[1]) / (2 * _STEP))
    return np.array(rows).reshape(-1, 3)


def _doubtful(rec: Recording, figure: Figure, side: str) -> Array:
    """Return 1 in samples that were not fitted, or in which a coordinate of the leg is told by no marker."""
    words = ("right", "_r") if side == "r" else ("left", "_l")
    legs = [
        k for k, name in enumerate(figure.coordinates)
        if (name.startswith(words[0]) or name.endswith(words[1])) and any(part in name for part in _LEGS)
    ]  # fmt: skip
    unseen = np.asarray(rec["unseen"])
    own = unseen[:, [k for k in legs if k < unseen.shape[1]]]
    usual = own.min(0, initial=1.0) if len(own) else own  # what no marker ever tells is no doubt of a sample
    return np.asarray((np.asarray(rec["status"]) > 0) | ((own - usual) > 0.5).any(1), float)
