"""Cameras: position, direction and field of view of a picture."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.base.units import quantity
from motiform.geometry.checks import LONGEST
from motiform.spatial.up_axis import upright

if TYPE_CHECKING:
    from motiform.form import Form

__all__ = ["Camera"]

Triple = tuple[float, float, float]
_PLACES = ("position", "target", "up")
_HINTS = {"from": "m", "to": "m", "up": "m", "fov": "rad"}


@dataclass(frozen=True)
class Camera:
    """A pinhole that looks from one point to another."""

    position: Triple
    """Where it stands in the world [m]."""
    target: Triple
    """The point that is seen in the middle of the picture [m]."""
    up: Triple | None = None
    """Direction of the world that points up in the picture; None: up of the form that is drawn, y without one. Where it
    lies along the view, forward (x where that is horizontal) is up in the picture."""
    fov: float = 0.7
    """Angle between the upper and the lower edge of the picture [rad]."""

    def __post_init__(self) -> None:
        for name in _PLACES:
            if name != "up" or self.up is not None:
                object.__setattr__(self, name, _triple(name, getattr(self, name)))
        if not 0.0 < self.fov < math.pi:
            raise InputError(
                "camera: fov must be above 0 and below π", got=self.fov, allowed="an angle between 0 and π rad"
            )
        if self.position == self.target:
            raise InputError(
                "camera: position and target must differ", got=self.position, remedy="Move one of the two."
            )

    @property
    def axes(self) -> np.ndarray:
        """Unit vectors to the right, up and forward of the picture in the world, as rows, (3, 3)."""
        forward = np.subtract(self.target, self.position)
        forward = forward / np.linalg.norm(forward)
        ahead, up, _ = upright("y" if self.up is None else self.up)
        right = np.cross(forward, up)
        if np.linalg.norm(right) <= 1e-9:
            right = np.cross(forward, ahead)
        right = right / np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def rays(self, size: tuple[int, int]) -> np.ndarray:
        """Return directions (3, 3): of the upper left corner, and how it changes per pixel right and per pixel down.

        They end one metre before the camera and are not of length one.
        """
        width, height = size
        right, up, forward = self.axes
        pixel = 2.0 * math.tan(0.5 * self.fov) / height
        return np.stack([forward - 0.5 * width * pixel * right + 0.5 * height * pixel * up, pixel * right, -pixel * up])

    def project(self, points: np.ndarray, size: tuple[int, int]) -> np.ndarray:
        """Return where world points (..., 3) [m] are in a picture: column, row [pixels], depth [m], (..., 3).

        (0, 0) is the upper left corner of the picture; depth counts along the view and is negative behind the camera.
        """
        x, y, depth = np.moveaxis((np.asarray(points, dtype=float) - self.position) @ self.axes.T, -1, 0)
        scale = 0.5 * size[1] / math.tan(0.5 * self.fov)
        return np.stack([0.5 * size[0] + scale * x / depth, 0.5 * size[1] - scale * y / depth, depth], axis=-1)

    def over(self, up: Triple) -> "Camera":
        """Return the camera with that direction up in the picture, where none was chosen."""
        return replace(self, up=up) if self.up is None else self

    def turned(self, rotation: np.ndarray) -> "Camera":
        """Return the camera in axes to which a rotation (3, 3) leads from its own."""
        places = {name: rotation @ value for name in _PLACES if (value := getattr(self, name)) is not None}
        return replace(self, **places)

    @staticmethod
    def of(form: "Form", *, aspect: float = 16 / 9) -> "Camera":
        """Return the camera of the scene of a form, at the start of a path; else one that frames the whole motion."""
        hints = form.image.get("camera") if form.image else None
        if hints and hints.get("path") is not None:
            from motiform.image.path import CameraPath

            return CameraPath.from_hints(hints).over(form.up).at(float(form.times[0]) if len(form.times) else 0.0)
        return Camera.from_hints(hints).over(form.up) if hints else Camera.framing(form, aspect=aspect)

    @staticmethod
    def framing(
        form: "Form",
        direction: Sequence[float] = (0.45, 0.35, 1.0),
        *,
        fov: float = 0.7,
        aspect: float = 16 / 9,
        margin: float = 0.08,
    ) -> "Camera":
        """Return the nearest camera in a direction that sees every body at every sample.

        Parameters
        ----------
        direction : from the motion towards the camera: forward, up, right, which are x, y, z in a world with y up.
        aspect : width over height of the picture.
        margin : part of the picture's half width and height to leave free at each edge.
        """
        from motiform.image.extent import form_bounds, motion_balls

        bounds, stand = form_bounds(form), upright(form.up).T
        middle, away = stand @ bounds.mean(0), stand @ _triple("direction", direction)
        axes = Camera(tuple(middle + away), tuple(middle), form.up, fov).axes
        slopes = math.tan(0.5 * fov) * (1.0 - margin) * np.array([aspect, 1.0])
        sine, cosine = slopes / np.hypot(1.0, slopes), 1.0 / np.hypot(1.0, slopes)
        # A ball (x, z; r) is inside the edges ±x = z tan a of the picture when z sin a ∓ x cos a ≥ r.
        least = np.full((2, 2), np.inf)  # edge (right/upper, left/lower), axis
        nearest = np.inf
        for centers, radius in motion_balls(form):
            local = (centers - middle) @ axes.T
            depth, across = local[:, 2:], local[:, :2]
            for k, sign in enumerate((-1.0, 1.0)):
                least[k] = np.minimum(least[k], (sine * depth + sign * cosine * across - radius).min(0))
            nearest = min(nearest, float(depth.min()) - radius)
        back = min(float((least.sum(0) / (2.0 * sine)).min()), nearest)
        aside = (least[1] - least[0]) / (2.0 * cosine)
        # A lone point has no size: stand off by a metre.
        back = min(back, nearest - 1e-3) if np.ptp(bounds, axis=0).max() > 0.0 else -1.0
        position = middle + aside @ axes[:2] + back * axes[2]
        return Camera(tuple(position), tuple(position - back * axes[2]), form.up, fov)

    @staticmethod
    def from_hints(hints: Mapping[str, Any]) -> "Camera":
        """Return the camera that a scene describes by ``{ from = [...], to = [...], up = [...], fov = ... }``."""
        for key in hints:
            if key not in _HINTS:
                raise InputError(
                    "camera has no such key", got=key, allowed=", ".join(_HINTS), remedy=closest(str(key), _HINTS)
                )
        for key in ("from", "to"):
            if key not in hints:
                raise InputError(
                    f"camera: '{key}' is missing", got=dict(hints), remedy="Give both 'from' and 'to' [m]."
                )
        values: dict[str, Any] = {}
        for key, name in (("from", "position"), ("to", "target"), ("up", "up")):
            if key in hints:
                values[name] = _triple(key, hints[key])
        if "fov" in hints:
            values["fov"] = quantity(hints["fov"], "rad")
        return Camera(**values)


def _triple(name: str, values: Any) -> Triple:
    """Return three numbers whose squares are floats, or tell what was given instead."""
    allowed = f"three finite numbers up to {LONGEST:g}"
    try:
        numbers = [quantity(v, "m") if isinstance(v, str) else float(v) for v in values]
    except InputError:
        raise
    except (TypeError, ValueError):
        raise InputError(f"camera: {name} must be a point or direction", got=values, allowed=allowed) from None
    if len(numbers) != 3 or not all(abs(number) <= LONGEST for number in numbers):
        raise InputError(f"camera: {name} must be a point or direction", got=values, allowed=allowed)
    if name in ("up", "direction") and not any(numbers):
        raise InputError(f"camera: {name} has no direction", got=values, allowed="a vector that is not zero")
    return numbers[0], numbers[1], numbers[2]
