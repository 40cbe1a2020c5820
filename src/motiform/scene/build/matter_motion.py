"""How points and solids of a network are moved from outside: paths, waves, circles, turns, and recordings."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.record import Recording
from motiform.scene.build.common import build_pose
from motiform.scene.build.matter_places import circle_axes
from motiform.scene.read.load import Scene
from motiform.scene.tables.common import PoseTable
from motiform.scene.tables.matter import PushTable
from motiform.scene.tables.place import PathTable, ReplayTable, SpinTable, WayTable
from motiform.spatial import Transform, exp_rotation, rotation_from_quaternion

__all__ = ["Gusts", "MovedPoints", "MovedSolid", "Push", "Way", "read_replay", "replayed_solid"]


class Way:
    """What a table of motion says, as a turn and a shift [m] at each instant; before t = 0 it goes on backwards."""

    def __init__(self, table: WayTable, center: tuple[float, float, float]) -> None:
        self.table, self.center = table, np.array(center)
        if table.wave is not None:
            self.direction = _unit(table.wave.direction)
        if table.circle is not None:
            self.across = circle_axes(table.circle.axis)
        if table.spin is not None:
            self.axis = _unit(table.spin.axis)
            self.center = self.center if table.spin.at is None else np.array(table.spin.at)
        self.path = None if table.path is None else _Path(table.path)

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the rotation and translation, in the network's frame, that take the start there."""
        table, shift = self.table, np.zeros(3)
        if self.path is not None:
            shift = shift + self.path(t)
        if table.wave is not None:
            phase = 2 * np.pi * table.wave.frequency * t + table.wave.phase
            shift = shift + self.direction * (table.wave.amplitude * np.sin(phase))
        if table.circle is not None:
            phase = 2 * np.pi * table.circle.frequency * t + table.circle.phase
            first, second = self.across
            shift = shift + table.circle.radius * (np.cos(phase) * first + np.sin(phase) * second)
        if table.spin is None:
            return np.eye(3), shift
        R = exp_rotation(self.axis * _angle(table.spin, t))
        return R, shift + self.center - R @ self.center


def _unit(vector: tuple[float, float, float]) -> np.ndarray:
    size = float(np.linalg.norm(vector))
    if not size > 0:
        raise InputError("a direction of no length", got=vector)
    return np.array(vector) / size


def _angle(table: SpinTable, t: float) -> float:
    if table.rate is not None:
        return table.rate * t + table.phase
    assert table.amplitude is not None
    assert table.frequency is not None
    return table.amplitude * float(np.sin(2 * np.pi * table.frequency * t + table.phase))


class _Path:
    """Shifts at instants and between them: cubics from each to the next."""

    def __init__(self, table: PathTable) -> None:
        from scipy.interpolate import CubicHermiteSpline, CubicSpline

        self.times, points = np.array(table.times), np.array(table.points)
        self.repeat = table.repeat
        made: Any
        if table.between == "spline":
            made = CubicSpline(self.times, points, bc_type="periodic" if _closed(table) else "clamped")
        elif table.between == "smooth":
            made = CubicHermiteSpline(self.times, points, np.zeros_like(points))
        else:
            slope = np.diff(points, axis=0) / np.diff(self.times)[:, None]
            self.cubic = np.stack([np.zeros_like(slope), np.zeros_like(slope), slope, points[:-1]])
            return
        self.cubic = made.c

    def __call__(self, t: float) -> np.ndarray:
        first, last = self.times[0], self.times[-1]
        t = first + (t - first) % (last - first) if self.repeat else min(max(t, first), last)
        k = min(int(np.searchsorted(self.times, t, side="right")) - 1, len(self.times) - 2)
        s = t - self.times[k]
        a, b, c, d = self.cubic[:, k]
        return np.asarray(((a * s + b) * s + c) * s + d)


def _closed(table: PathTable) -> bool:
    """Whether a path that begins anew ends where it began: then it does not rest there."""
    return table.repeat and table.points[0] == table.points[-1] and len(table.points) > 2


@dataclass(frozen=True, eq=False)
class MovedPoints:
    """Points that a way moves together: positions [m], (points, 3), in the world."""

    way: Way
    start: np.ndarray
    """Without the way, in the network's frame."""
    pose: Transform
    """Of the network."""
    of_scene = True

    def __call__(self, t: float) -> np.ndarray:
        """Return where the points are at a time [s]."""
        R, p = self.way(t)
        return (self.start @ R.T + p) @ self.pose.rotation.T + self.pose.translation


@dataclass(frozen=True, eq=False)
class MovedSolid:
    """The placement of a solid that a way moves, in the world."""

    way: Way
    start: Transform
    pose: Transform
    of_scene = True

    def __call__(self, t: float) -> Transform:
        """Return where the solid is at a time [s]."""
        return self.pose @ (Transform(*self.way(t)) @ self.start)


@dataclass(frozen=True, eq=False)
class Push:
    """A force on points [N], (3,)."""

    table: PushTable
    force: np.ndarray
    """In the world."""
    of_scene = True

    def __call__(self, t: float) -> np.ndarray:
        """Return the force at a time [s]."""
        table = self.table
        if t < table.start or (table.until is not None and t >= table.until):
            return np.zeros(3)
        if table.wave is None:
            return self.force
        return self.force * np.sin(2 * np.pi * table.wave.frequency * t + table.wave.phase)


@dataclass(frozen=True, eq=False)
class Gusts:
    """Wind [m/s], (3,): the mean and gusts as they are at the origin, for a network feels one wind at a time."""

    wind: np.ndarray
    amplitude: np.ndarray
    period: float
    of_scene = True

    def __call__(self, t: float) -> np.ndarray:
        """Return the wind at a time [s]."""
        return self.wind + self.amplitude * np.sin(-2 * np.pi * t / self.period)


# -------------------------------------------------------------------- recordings
def read_replay(scene: Scene, table: ReplayTable) -> tuple[np.ndarray, float]:
    """Return recorded positions [m], (samples, points, 3), and their rate [Hz]; the first sample is t = 0."""
    rec = _recording(scene, table.file)
    values, rate = _channel(rec, table.channel, table.file)
    if rec.unit(table.channel) not in ("m", ""):
        raise InputError("not positions", where=table.file, got=f"{table.channel} [{rec.unit(table.channel)}]")
    if values.ndim == 2:
        values = values[:, None]
    if values.ndim != 3 or values.shape[-1] != 3:
        raise InputError(
            "not positions", where=table.file, got=f"shape {values.shape[1:]}", allowed="(3,), (points, 3)"
        )
    if table.marker is not None:
        names = list(rec.manifest.get("labels", {}).get("marker", ()))
        if table.marker not in names:
            raise InputError(
                "no such marker", where=table.file, got=table.marker, allowed=", ".join(names) or "none",
                remedy=closest(table.marker, names),
            )  # fmt: skip
        values = values[:, [names.index(table.marker)]]
    if table.index is not None:
        if table.index >= values.shape[1]:
            raise InputError("no such point", where=table.file, got=table.index, allowed=f"0 to {values.shape[1] - 1}")
        values = values[:, [table.index]]
    if not np.isfinite(values).all():
        first = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise InputError("a place is missing", where=f"{table.file}: {table.channel}", got=f"at {first / rate:g} s",
                         remedy="Fill the gaps first.")  # fmt: skip
    return values, rate


def _recording(scene: Scene, file: str) -> Recording:
    from motiform.measure import read_markers
    from motiform.record import open_recording, read_csv

    path = scene.file(file, folder=True)
    if path.is_dir():
        return open_recording(path)
    return read_markers(path) if path.suffix.lower() in (".c3d", ".trc") else read_csv(path)


def _channel(rec: Recording, name: str, file: str) -> tuple[np.ndarray, float]:
    channel = rec.channel(name)
    if channel.rate is None:
        raise InputError("samples are not evenly apart", where=f"{file}: {name}", remedy="Resample it first.")
    if not rec.count(name):
        raise InputError("no samples", where=f"{file}: {name}")
    return np.asarray(rec[name], float), channel.rate


@dataclass(frozen=True, eq=False)
class ReplayedSolid:
    """The placement of a solid as it was recorded, in the world."""

    position: np.ndarray
    """[m], (samples, 3)"""
    quaternion: np.ndarray
    """(samples, 4)"""
    rate: float
    start: Transform
    pose: Transform
    of_scene = True

    def __call__(self, t: float) -> Transform:
        """Return where the solid is at a time [s]."""
        at = min(max(t * self.rate, 0.0), len(self.position) - 1.0)
        low = min(int(at), max(len(self.position) - 2, 0))
        high, part = min(low + 1, len(self.position) - 1), at - low
        p = self.position[low] * (1 - part) + self.position[high] * part
        a, b = self.quaternion[low], self.quaternion[high]
        q = a * (1 - part) + b * (part if a @ b >= 0 else -part)
        return self.pose @ (Transform(rotation_from_quaternion(q / np.linalg.norm(q)), p) @ self.start)


def replayed_solid(scene: Scene, table: ReplayTable, start: PoseTable, pose: Transform) -> ReplayedSolid:
    """Return a solid's motion from channels of a recording."""
    values, rate = read_replay(scene, table)
    if values.shape[1] != 1:
        raise InputError("a solid has one place", where=table.file, got=f"{values.shape[1]} points",
                         remedy="Give index or marker.")  # fmt: skip
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
    if table.orientation is not None:
        found, other = _channel(_recording(scene, table.file), table.orientation, table.file)
        if found.shape != turns.shape or other != rate or not (np.linalg.norm(found, axis=1) > 0).all():
            raise InputError("not the orientations of these samples", where=table.file, got=table.orientation)
        turns = found
    return ReplayedSolid(values[:, 0], turns, rate, build_pose(start), pose)
