"""Helical axes of bones, and which share of the hand's motion each bone takes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.bones.names import check_bone
from motiform.record import Recording
from motiform.spatial import log_rotation, rotation_from_quaternion
from motiform.spatial.checks import Array

__all__ = ["HelicalAxes", "helical_axes", "rotation_shares"]

_LEAST = 1e-6  # [rad] below which a motion has no axis


@dataclass(frozen=True, eq=False)
class HelicalAxes:
    """Each motion as a turn about an axis and a shift along it, in the axes of the meshes. NaN where nothing turns."""

    angle: Array
    """Of the turn [rad], 0 to π, (n,)."""
    direction: Array
    """Unit vectors along the axes, by the right-hand rule, (n, 3)."""
    point: Array
    """The point of each axis that is nearest to the centre of the head of the capitate [m], (n, 3)."""
    shift: Array
    """Along the axis [m], (n,)."""


def bone_poses(rec: Recording, bone: str) -> tuple[Array, Array]:
    """Return rotations (n, 3, 3) and translations (n, 3) [m] of a bone, relative to the radius."""
    known = [name.removesuffix(".orientation") for name in rec.names if name.endswith(".orientation")]
    name = check_bone(bone, known, "recording")
    return rotation_from_quaternion(np.asarray(rec[f"{name}.orientation"])), np.asarray(rec[f"{name}.position"])


def helical_axes(
    rec: Recording, bone: str, *, relative: str = "radius", since: Literal["neutral", "before"] = "neutral"
) -> HelicalAxes:
    """Return the helical (screw) axes of a bone in a recording of `Wrist.settle`.

    Parameters
    ----------
    relative : the bone relative to which it moves; axes are in the neutral place of that bone.
    since : from the neutral pose to each sample, n axes; or "before", from each sample to the next, n − 1.
    """
    if since not in ("neutral", "before"):
        raise InputError("since must be a known start", where="helical_axes", got=since, allowed="'neutral', 'before'")
    (R, p), (S, s) = bone_poses(rec, bone), bone_poses(rec, relative)
    R, p = np.swapaxes(S, 1, 2) @ R, np.einsum("nji,nj->ni", S, p - s)
    if since == "before":
        turn = R[1:] @ np.swapaxes(R[:-1], 1, 2)
        R, p = turn, p[1:] - np.einsum("nij,nj->ni", turn, p[:-1])
    center = np.array((rec.manifest.get("axes") or {}).get("center", [0.0, 0.0, 0.0]))
    return _screws(R, p, center)


def _screws(R: Array, p: Array, center: Array) -> HelicalAxes:
    """Return the screws of x → R x + p: those points c with R c + p = c + shift · n, nearest to the center."""
    turn = log_rotation(R)
    angle = np.linalg.norm(turn, axis=1)
    some = angle > _LEAST
    n = np.where(some[:, None], turn / np.maximum(angle, _LEAST)[:, None], np.nan)
    moved = p + R @ center - center  # of the center itself
    shift = np.einsum("ni,ni->n", n, moved)
    across = moved - shift[:, None] * n
    half = np.where(some, angle, np.nan)[:, None]
    point = center + 0.5 * (across + np.cross(n, across) / np.tan(0.5 * half))
    return HelicalAxes(angle, n, point, shift)


def rotation_shares(
    rec: Recording, bones: tuple[str, ...] = ("scaphoid", "lunate", "triquetrum"), hand: str = "capitate"
) -> dict[str, Array]:
    """Return by bone how far it has turned from the neutral pose as a share of the hand's turn, (n,).

    Turns are those about the helical axes. NaN where the hand has not turned.
    """
    whole = helical_axes(rec, hand).angle
    whole = np.where(whole > _LEAST, whole, np.nan)
    return {bone: helical_axes(rec, bone).angle / whole for bone in bones if f"{bone}.orientation" in rec}
