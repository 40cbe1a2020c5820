"""The up direction of a recording, and forms rotated to y up."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.units import quantity
from motiform.form.parts import Form, Part
from motiform.record.samples import by_samples
from motiform.spatial import multiply_quaternions, quaternion_from_rotation, up_against, upright

__all__ = ["stand_upright", "turn_orientations", "turn_points", "up_of"]


def up_of(manifest: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return the unit vector that points up by a recording's manifest: against gravity, else its axis "up", else y."""
    x, y, z = up_against(manifest.get("gravity"), manifest.get("up") or "y").tolist()
    return x, y, z


def stand_upright(form: Form) -> Form:
    """Return the form in axes with y up: x forward, z to the right; the form itself where they are its own."""
    if form.up == (0.0, 1.0, 0.0):
        return form
    R = upright(form.up)
    return replace(
        form,
        parts=tuple(_turn_part(part, R) for part in form.parts),
        links=tuple(replace(l, first=turn_points(l.first, R), second=turn_points(l.second, R)) for l in form.links),
        skins=tuple(replace(skin, vertices=_turn_skin(skin.vertices, R)) for skin in form.skins),
        surfaces=tuple(surface.turned(R) for surface in form.surfaces),
        image=_turn_hints(form.image, R),
        up=(0.0, 1.0, 0.0),
    )


def _turn_part(part: Part, R: np.ndarray) -> Part:
    return replace(part, position=turn_points(part.position, R), orientation=turn_orientations(part.orientation, R))


def _turn_skin(vertices: Any, R: np.ndarray) -> Any:
    return vertices.turned(R) if hasattr(vertices, "turned") else turn_points(vertices, R)


def _turn_hints(image: dict[str, Any], R: np.ndarray) -> dict[str, Any]:
    camera = image.get("camera")
    if not camera:
        return image
    turned = _turn_camera(camera, R)
    if isinstance(camera.get("path"), list):
        turned["path"] = [_turn_camera(key, R) if isinstance(key, dict) else key for key in camera["path"]]
    return {**image, "camera": turned}


def _turn_camera(camera: dict[str, Any], R: np.ndarray) -> dict[str, Any]:
    return {**camera, **{k: _turn_hint(camera[k], R) for k in ("from", "to", "up") if k in camera}}


def _turn_hint(given: Any, R: np.ndarray) -> Any:
    try:
        return (R @ np.array([quantity(number, "m") for number in given])).tolist()
    except (TypeError, ValueError):
        return given  # what is no point is refused by the camera


def turn_points(points: Any, R: np.ndarray) -> Any:
    """Return points or vectors (..., 3) turned by R; nan where they are not known."""
    return by_samples(lambda block: np.asarray(block, float) @ R.T, points)


def turn_orientations(orientation: Any, R: np.ndarray) -> Any:
    """Return the axes of bodies (..., 4) turned by R; nan where they are not known."""
    # The product by a quaternion from the left is linear in the other.
    turn = multiply_quaternions(quaternion_from_rotation(R), np.eye(4))
    return by_samples(lambda block: np.asarray(block, float) @ turn, orientation)
