"""Maps of the pressure on cartilage."""

from collections.abc import Mapping

import numpy as np

from motiform.motion.bones.pack import PackedBones
from motiform.spatial.checks import Array

__all__ = ["pressure_maps"]


def pressure_maps(
    packed: PackedBones, poses: Array, area: Array, surfaces: Mapping[str, Array]
) -> tuple[dict[str, Array], list[str]]:
    """Return places and pressures of points that are pressed at some sample, and their names: bone and number.

    `poses` (n, bodies, 12) and the `area` (n, pairs) under pressure are those of the samples, `surfaces` points of each
    bone in the neutral pose [m]. Where none is ever pressed there is one point without a place.
    """
    where, pressure, names = [], [], []
    for name in packed.bones:
        found = _pressure(packed, poses, area, name, np.ascontiguousarray(surfaces[name], float) - packed.shift)
        pressed = np.flatnonzero((found > 0.0).any(axis=0))
        if len(pressed):
            pressure.append(found[:, pressed])
            where.append(_places(packed, poses, name, surfaces[name][pressed]))
            where[-1][pressure[-1] == 0.0] = np.nan
            names += [f"{name}.{k}" for k in pressed]
    if not names:
        where, pressure, names = [np.full((len(poses), 1, 3), np.nan)], [np.zeros((len(poses), 1))], ["none"]
    return {"contact.point": np.concatenate(where, axis=1), "contact.pressure": np.concatenate(pressure, axis=1)}, names


def _body(packed: PackedBones, name: str) -> int:
    return next(n for n, group in enumerate(packed.bodies) if name in group)


def _pressure(packed: PackedBones, poses: Array, area: Array, name: str, points: Array) -> Array:
    """Return the pressure on points of a bone about the origin `shift`, (n, points) [Pa]."""
    from motiform.motion.bones.pressure_kernels import press_points

    found = np.zeros((len(poses), len(points)))
    own, body = packed.bones.index(name), _body(packed, name)
    pairs, reaches = packed.model[6], packed.model[7]
    for q in np.flatnonzero((pairs == own).any(axis=1)):
        if pairs[q, 0] == own:
            for i in np.flatnonzero(area[:, q // 2]):  # one of both sides has felt it
                given = body, pairs[q, 1], reaches[q], poses[i], packed.model, packed.settings
                press_points(points, *given, found[i])
    return found


def _places(packed: PackedBones, poses: Array, name: str, points: Array) -> Array:
    """Return where points of a bone are, (n, points, 3) [m]."""
    own = poses[:, _body(packed, name)]
    R, p = own[:, :9].reshape(-1, 3, 3), own[:, 9:]
    return np.asarray((points - packed.shift) @ np.swapaxes(R, 1, 2) + (p + packed.shift)[:, None])
