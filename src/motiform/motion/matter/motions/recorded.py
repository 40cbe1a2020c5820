"""Recordings as motions: positions of points, placements of solids."""

from dataclasses import dataclass, field

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.record import Recording
from motiform.spatial import Transform, rotation_from_quaternion

__all__ = ["RecordedSolid", "recorded_points", "recorded_solid"]


def recorded_points(
    recording: Recording, channel: str = "markers", *, marker: str | None = None, index: int | None = None
) -> tuple[np.ndarray, float]:
    """Return positions [m], (samples, points, 3), and their rate [Hz], as `NetworkBuilder.imposed` takes them.

    `marker` picks one point by the label that the recording gives it, `index` by its number. The first sample is t = 0.
    """
    values, rate = _samples(recording, channel)
    where = f"channel {channel!r}"
    if recording.unit(channel) not in ("m", ""):
        raise InputError("the channel must hold positions in m", where=where, got=recording.unit(channel))
    if values.ndim == 2:
        values = values[:, None]
    if values.ndim != 3 or values.shape[-1] != 3:
        got = f"shape {values.shape[1:]}"
        raise InputError("the channel must hold positions", where=where, got=got, allowed="(3,), (points, 3)")
    if marker is not None:
        names = list(recording.manifest.get("labels", {}).get("marker", ()))
        if marker not in names:
            allowed, remedy = ", ".join(names) or "none", closest(marker, names)
            raise InputError("no such marker", where=where, got=marker, allowed=allowed, remedy=remedy)
        values = values[:, [names.index(marker)]]
    if index is not None:
        if not 0 <= index < values.shape[1]:
            raise InputError("no such point", where=where, got=index, allowed=f"0 to {values.shape[1] - 1}")
        values = values[:, [index]]
    if not np.isfinite(values).all():
        first = int(np.argwhere(~np.isfinite(values))[0, 0])
        got = f"a gap at {first / rate:g} s"
        raise InputError("every position must be known", where=where, got=got, remedy="Fill the gaps first.")
    return values, rate


def _samples(recording: Recording, name: str) -> tuple[np.ndarray, float]:
    channel, where = recording.channel(name), f"channel {name!r}"
    if channel.rate is None:
        raise InputError("samples must be evenly spaced", where=where, remedy="Resample the recording first.")
    if not recording.count(name):
        raise InputError("the channel has no samples", where=where)
    return np.asarray(recording[name], float), channel.rate


@dataclass(frozen=True, eq=False)
class RecordedSolid:
    """A solid that moves as recorded: called with a time [s] it gives its placement in the world.

    Between samples positions and quaternions are interpolated linearly; after the last one the solid stays.
    """

    position: np.ndarray
    """[m], (samples, 3), in `frame`."""
    quaternion: np.ndarray
    """(w, x, y, z), (samples, 4)."""
    rate: float
    """[Hz]"""
    start: Transform = field(default_factory=Transform.identity)
    """Placement of the solid in the recorded frame."""
    frame: Transform = field(default_factory=Transform.identity)
    """Frame of the recording, in the world."""

    def __call__(self, t: float) -> Transform:
        """Return where the solid is at a time [s]."""
        at = min(max(t * self.rate, 0.0), len(self.position) - 1.0)
        low = min(int(at), max(len(self.position) - 2, 0))
        high, part = min(low + 1, len(self.position) - 1), at - low
        p = self.position[low] * (1 - part) + self.position[high] * part
        a, b = self.quaternion[low], self.quaternion[high]
        q = a * (1 - part) + b * (part if a @ b >= 0 else -part)
        return self.frame @ (Transform(rotation_from_quaternion(q / np.linalg.norm(q)), p) @ self.start)


def recorded_solid(
    recording: Recording,
    channel: str,
    orientation: str | None = None,
    *,
    marker: str | None = None,
    index: int | None = None,
    start: Transform | None = None,
    frame: Transform | None = None,
) -> RecordedSolid:
    """Return the motion of a solid from a channel of positions [m] and one of quaternions (w, x, y, z).

    Without `orientation` it does not rotate. `start` places the solid in the recorded frame, `frame` the recording in
    the world.
    """
    values, rate = recorded_points(recording, channel, marker=marker, index=index)
    if values.shape[1] != 1:
        got = f"{values.shape[1]} points"
        raise InputError(
            "a solid has one position", where=f"channel {channel!r}", got=got, remedy="Give index or marker."
        )
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
    if orientation is not None:
        found, other = _samples(recording, orientation)
        if found.shape != turns.shape or other != rate or not (np.linalg.norm(found, axis=1) > 0).all():
            allowed = f"quaternions {turns.shape} at {rate:g} Hz, none of them 0"
            raise InputError(
                "orientations must belong to the positions", where=f"channel {orientation!r}", allowed=allowed
            )
        turns = found
    identity = Transform.identity()
    return RecordedSolid(values[:, 0], turns, rate, start or identity, frame or identity)
