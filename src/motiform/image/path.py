"""Cameras that move: keys in time, and a smooth curve through them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.splines import cubic_spline
from motiform.base.units import quantity
from motiform.image.camera import Camera

if TYPE_CHECKING:
    from motiform.form import Form

__all__ = ["CameraPath", "camera_of"]


@dataclass(frozen=True)
class CameraPath:
    """A camera that passes through others at given times of the motion; before the first and after the last it stands.

    Position, target, up and field of view follow the cubic spline through the keys that starts and ends at rest, the
    curve of least ∫|a|² dt [Boor78]; between two equal keys the camera stands, and it comes to rest before. With
    ``smooth=False`` it goes from key to key on lines.
    """

    times: tuple[float, ...]
    """When each key is reached [s], increasing: times of the motion, however fast a film shows it."""
    cameras: tuple[Camera, ...]
    """One for each time."""
    smooth: bool = True

    def __post_init__(self) -> None:
        times = tuple(float(t) for t in self.times)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "cameras", tuple(self.cameras))
        if len(times) != len(self.cameras) or not times:
            got = f"{len(times)} times, {len(self.cameras)} cameras"
            raise InputError("a path must have a time for each camera", where="camera path", got=got)
        if not all(map(math.isfinite, times)) or any(b <= a for a, b in pairwise(times)):
            raise InputError("times of a path must be finite and increase", where="camera path", got=times)
        if len({camera.up is None for camera in self.cameras}) > 1:
            raise InputError(
                "either all cameras of a path have an up direction or none", where="camera path",
                got=[camera.up for camera in self.cameras],
            )  # fmt: skip

    def at(self, time: float) -> Camera:
        """Return the camera at a time [s]."""
        found = self._pieces(min(max(float(time), self.times[0]), self.times[-1]))
        up = None if self.cameras[0].up is None else tuple(found[7:].tolist())
        return Camera(tuple(found[:3].tolist()), tuple(found[3:6].tolist()), up, float(found[6]))

    def over(self, up: tuple[float, float, float]) -> "CameraPath":
        """Return the path with that direction up in pictures, where none was chosen."""
        return CameraPath(self.times, tuple(camera.over(up) for camera in self.cameras), self.smooth)

    def turned(self, rotation: np.ndarray) -> "CameraPath":
        """Return the path in axes to which a rotation (3, 3) leads from its own."""
        return CameraPath(self.times, tuple(camera.turned(rotation) for camera in self.cameras), self.smooth)

    @cached_property
    def _values(self) -> np.ndarray:
        """Numbers of the keys, (keys, 7 or 10): position, target, field of view, up."""
        return np.array([[*c.position, *c.target, c.fov, *(c.up or ())] for c in self.cameras])

    @cached_property
    def _splines(self) -> list[tuple[float, Any]]:
        """Ends of the pieces between rests [s], and their curves; None where the camera stands or moves on lines."""
        values, times = self._values, np.array(self.times)
        stands = (values[1:] == values[:-1]).all(axis=1)
        cuts = sorted({0, len(times) - 1, *np.flatnonzero(stands).tolist(), *(np.flatnonzero(stands) + 1).tolist()})
        return [
            (times[b], None if stands[a] else cubic_spline(times[a : b + 1], values[a : b + 1], "clamped"))
            for a, b in pairwise(cuts)
        ]

    def _pieces(self, time: float) -> np.ndarray:
        """Return the numbers of the camera at a time within the path."""
        k = min(int(np.searchsorted(self.times, time, side="right")) - 1, len(self.times) - 1)
        if self.times[k] == time:
            return np.asarray(self._values[k])
        before, after = self._values[k], self._values[k + 1]
        if not self.smooth:
            part = (time - self.times[k]) / (self.times[k + 1] - self.times[k])
            return np.asarray((1.0 - part) * before + part * after)
        curve = next(curve for end, curve in self._splines if time <= end)
        return np.asarray(before if curve is None else curve(time))

    @staticmethod
    def from_hints(hints: Mapping[str, Any]) -> "CameraPath":
        """Return the path of a scene, ``{ path = [{ time, from, to, up, fov }, …], smooth = … }``.

        What a key does not say is that of the camera itself, ``{ to = [...], path = [...] }``.
        """
        common = {key: value for key, value in hints.items() if key not in ("path", "smooth")}
        keys = hints.get("path")
        if not isinstance(keys, Sequence) or not all(isinstance(key, Mapping) and "time" in key for key in keys):
            raise InputError(
                "a path of a camera must have keys with times", got=str(keys)[:80], allowed="[{ time, from, to }, …]"
            )
        times = tuple(quantity(key["time"], "s") for key in keys)
        cameras = [{**common, **{name: key[name] for name in key if name != "time"}} for key in keys]
        return CameraPath(times, tuple(map(Camera.from_hints, cameras)), bool(hints.get("smooth", True)))


def camera_of(form: "Form", *, aspect: float = 16 / 9) -> Camera | CameraPath:
    """Return the camera or the path of the scene of a form, or a camera that frames the whole motion."""
    hints = (form.image or {}).get("camera")
    if hints and hints.get("path") is not None:
        return CameraPath.from_hints(hints).over(form.up)
    return Camera.of(form, aspect=aspect)
