"""Keyframes: times and poses of an animated file, checked and free of sign flips."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import InputError
from motiform.record.samples import BLOCK_BYTES, in_blocks

if TYPE_CHECKING:
    from motiform.form import Form, LinkParts, Part
    from motiform.form.parts import Series
    from motiform.image.camera import Camera

__all__ = [
    "Track", "axis_angles", "between", "body_colors", "body_names", "camera_track", "key_blocks", "key_times", "poses",
    "shape_key", "viewpoint",
]  # fmt: skip


def key_times(form: "Form", rate: float | None = None) -> np.ndarray:
    """Return the instants to keep [s], (keys,): those of the form, or fewer at a constant ``rate`` [Hz].

    A rate above that of the samples keeps the samples: a file cannot know more than the recording.
    """
    times = np.asarray(form.times, dtype=float)
    if form.empty or not len(times):
        raise InputError(
            "a form must have parts and samples to be exported",
            where=form.title or None,
            got=f"{len(form.parts)} parts, {len(times)} samples",
        )
    if not np.all(np.isfinite(times)) or np.any(np.diff(times) < 0):
        raise InputError("the instants of the samples must be finite and increase", where=form.title or None)
    # At an event two samples may share an instant: the later one holds what follows.
    times = times[np.append(np.diff(times) > 0, True)]
    if rate is None:
        return times
    if not (np.isfinite(rate) and rate > 0):
        raise InputError("rate must be above 0", got=rate, allowed="a positive number of keys per second [Hz]")
    span = times[-1] - times[0]
    count = int(np.floor(span * rate * (1 + 1e-12) + 1e-9)) + 1
    return times if count >= len(times) else times[0] + np.arange(count) / rate


Pose = tuple[np.ndarray, np.ndarray]


class Track(NamedTuple):
    """Poses of bodies over the samples of a form."""

    name: str
    position: "Series"
    """[m], (samples, count, 3)"""
    orientation: "Series"
    """(w, x, y, z), (samples, count, 4)"""


def poses(form: "Form", part: "Part | Track", times: np.ndarray) -> Iterator[tuple[int, Pose]]:
    """Give positions [m], (count, keys, 3), and unit quaternions (w, x, y, z), (count, keys, 4), at the instants.

    They come by blocks of keys, each with the number of its first key. Between samples positions are linear and
    rotations follow the shortest arc. The sign of each quaternion is the one nearest to its predecessor, so that no
    reader turns the long way round.
    """
    known = np.asarray(form.times, dtype=float)
    _check_poses(part, known)
    i, u = between(known, times) if len(known) > 1 else (np.zeros(1, int), np.zeros(1))
    exact = bool(np.all((u == 0) | (u == 1)))  # all instants are samples: no arithmetic, no rounding
    before, sign = None, np.ones(1)
    for first, some in key_blocks(i, part.position.shape[1]):
        position, raw = _poses_at(part, some, u[first : first + len(some)], exact)
        steady = sign * _steady_sign(raw, before)
        before, sign = raw[:, -1:], steady[:, -1:]
        yield first, (position, raw * steady)


def key_blocks(keys: np.ndarray, count: int) -> Iterator[tuple[int, np.ndarray]]:
    """Give the keys in blocks for which the numbers of so many bodies take a few MiB, with the number of the first."""
    size = max(1, BLOCK_BYTES // (32 * max(1, count)))
    for first in range(0, len(keys), size):
        yield first, keys[first : first + size]


def _poses_at(part: "Part | Track", i: np.ndarray, u: np.ndarray, exact: bool) -> Pose:
    """Return the poses at samples i, or between them and the next, where u tells which part of the way."""
    from motiform.spatial.rotation import slerp

    if exact:
        j = np.where(u == 0, i, i + 1)
        position, turn = part.position[j], part.orientation[j]
    else:
        u = u[:, None]
        position = (1 - u[..., None]) * part.position[i] + u[..., None] * part.position[i + 1]
        turn = slerp(part.orientation[i], part.orientation[i + 1], u)
    position = np.ascontiguousarray(np.swapaxes(position, 0, 1), dtype=float)
    turn = np.ascontiguousarray(np.swapaxes(turn, 0, 1), dtype=float)
    return position, turn / np.linalg.norm(turn, axis=-1, keepdims=True)


def between(known: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each instant the sample before it and which part of the way to the next one it lies, both (keys,)."""
    i = np.clip(np.searchsorted(known, times, side="right") - 1, 0, len(known) - 2)
    step = known[i + 1] - known[i]
    return i, np.where(step > 0, (times - known[i]) / np.where(step > 0, step, 1.0), 1.0)


def _check_poses(part: "Part | Track", times: np.ndarray) -> None:
    count = part.position.shape[1]
    if part.position.shape != (len(times), count, 3) or part.orientation.shape != (len(times), count, 4):
        raise InputError(
            "positions and orientations do not fit the instants",
            where=part.name,
            got=f"{part.position.shape} and {part.orientation.shape}",
            allowed=f"({len(times)}, count, 3) and ({len(times)}, count, 4)",
        )
    places = (np.isfinite(x).all(axis=(1, 2)) for x in in_blocks(part.position))
    sizes = (np.linalg.norm(q, axis=-1) for q in in_blocks(part.orientation))
    turns = (((size > 0.5) & (size < 2)).all(axis=1) for size in sizes)
    good = np.concatenate(list(places)) & np.concatenate(list(turns))
    if not good.all():
        at = times[np.argmin(good)]
        raise InputError(
            "a pose is not finite or not a rotation", where=part.name, got=f"first at {at:g} s",
            remedy="Export the part before it.",
        )  # fmt: skip


def _steady_sign(vectors: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
    """Return the signs, (..., keys, 1), that make each vector point along its predecessor; `before` comes first."""
    if before is not None:
        return _steady_sign(np.concatenate([before, vectors], axis=-2))[..., 1:, :]
    along = np.sum(vectors[..., 1:, :] * vectors[..., :-1, :], axis=-1, keepdims=True)
    sign = np.ones((*vectors.shape[:-1], 1))
    sign[..., 1:, :] = np.cumprod(np.where(along < 0, -1.0, 1.0), axis=-2)
    return sign


def axis_angles(turn: np.ndarray) -> np.ndarray:
    """Return (axis x, y, z, angle [rad]), (..., keys, 4), of quaternions (..., keys, 4), continuous along the keys.

    The axis keeps its side when the rotation passes through none, and the angle counts whole turns.
    """
    turn = turn * _steady_sign(turn)
    size = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    clear = size[..., 0] > 1e-12  # below it rounding alone decides the axis: keep the neighbour's
    axis = np.where(clear[..., None], turn[..., 1:] / np.where(clear[..., None], size, 1.0), 0.0)
    axis = np.take_along_axis(axis, _nearest_clear(clear)[..., None], axis=-2)
    axis[~clear.any(axis=-1)] = (0.0, 1.0, 0.0)
    axis *= _steady_sign(axis)
    sine = np.sum(axis * turn[..., 1:], axis=-1)
    angle = np.unwrap(2 * np.arctan2(sine, turn[..., 0]), period=4 * np.pi, axis=-1)
    return np.concatenate([axis, angle[..., None]], axis=-1)


def _nearest_clear(clear: np.ndarray) -> np.ndarray:
    """Return for each key the last key that is clear, or the first one where none came before."""
    keys = np.arange(clear.shape[-1])
    last = np.maximum.accumulate(np.where(clear, keys, -1), axis=-1)
    return np.where(last < 0, np.argmax(clear, axis=-1)[..., None], last)


def body_names(part: "Part | LinkParts") -> list[str]:
    """Return one name per body: the part's, with a number when it has several bodies."""
    return [part.name] if part.count == 1 else [f"{part.name}.{i}" for i in range(part.count)]


def body_colors(part: "Part | LinkParts") -> np.ndarray:
    """Return the colour of each body as display (sRGB) values from 0 to 1 in 255 steps, (count, 3).

    Colours that change are those of the first sample: the formats animate no colours of bodies. They take 31 steps, for
    a file has a material for each.
    """
    steps = 255 if part.shades is None else 31
    colors = np.clip(np.broadcast_to(np.asarray(part.color, dtype=float), (part.count, 3)), 0.0, 1.0)
    return np.round(colors * steps) / steps


def viewpoint(form: "Form") -> tuple["Camera", np.ndarray]:
    """Return the scene's camera, or one that sees the whole motion, and its turn (w, x, y, z) from looking along −z."""
    from motiform.image.camera import Camera

    camera = Camera.of(form)
    return camera, _camera_turns([camera])[0]


def camera_track(form: "Form", times: np.ndarray) -> tuple[list["Camera"], np.ndarray] | None:
    """Return a camera that moves at each time, and its turns (w, x, y, z), (keys, 4); None for one that stands."""
    from motiform.image.path import CameraPath, camera_of

    path = camera_of(form)
    if not isinstance(path, CameraPath):
        return None
    cameras = [path.at(float(time)) for time in times]
    turn = _camera_turns(cameras)
    return cameras, turn * _steady_sign(turn)


def _camera_turns(cameras: list["Camera"]) -> np.ndarray:
    """Return the turns (w, x, y, z) of cameras from looking along −z, (cameras, 4)."""
    from motiform.spatial import quaternion_from_rotation

    axes = np.array([camera.axes * [[1.0], [1.0], [-1.0]] for camera in cameras])
    return np.asarray(quaternion_from_rotation(np.swapaxes(axes, 1, 2)))


def shape_key(part: "Part") -> str:
    """Return a key that is the same for equal shapes at equal offsets, so that they are written once."""
    return Digest(np.asarray(part.offset, dtype=float), part.shape.describe()).text()
