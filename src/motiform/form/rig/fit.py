"""A mesh of any size and posture, brought to a figure's joints at rest."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.looks import Looks, RestSegment
from motiform.form.model_looks import looks_of
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.tree import Figure

__all__ = ["fit_mesh"]

_HELD = 1e-6  # weight of the direction of the segment above, which decides what joints leave open


def fit_mesh(
    vertices: Array, weights: Array, joints: dict[str, Array], figure: "Figure | Looks", where: str
) -> tuple[Array, dict[str, Any]]:
    """Return the vertices of a mesh (points, 3) as they are on a figure at rest, and the frames of its segments there.

    Parameters
    ----------
    weights : of the segments, in the order of `joints`, at each vertex, (points, segments).
    joints : places of joints in the posture of the mesh, by segment.

    Joints of the mesh are taken near the figure's as a whole by a rotation [Umeyama91] and the ratio of the bones'
    lengths. A segment that carries one other is turned to it, as little as possible against the one above, and
    stretched along its bone; one that carries several, as a trunk, is moved to them; one that carries none is turned as
    the one above. Vertices are moved by the mean of their segments' motions.
    """
    bones = (figure if isinstance(figure, Looks) else looks_of(figure)).bones
    wrong = [name for name in joints if name not in bones]
    if wrong:
        allowed, remedy = ", ".join(bones), "Say which joint moves with which segment (segments=)."
        raise InputError("the figure has no such segment", where=where, got=wrong[0], allowed=allowed, remedy=remedy)
    parents = {name: _carrier(name, bones, joints) for name in bones if name in joints}
    scale, turns = _overall(joints, bones, parents, where)
    maps = {}
    for name, parent in parents.items():  # bones are in the order of the tree
        ends = [n for n, one in parents.items() if one == name]
        held = [name, *ends] if parent is not None or len(ends) < 2 else ends
        source, target = np.array([joints[n] for n in held]), np.array([bones[n].at for n in held])
        a, b = source - source.mean(axis=0), target - target.mean(axis=0)
        matrix = scale * turns[parent]
        turns[name] = turns[parent]
        if len(ends) == 1 and np.any(a) and np.any(b):
            turns[name] = _rotation(b.T @ a, turns[parent])
            matrix = scale * turns[name]
            along = a[1] / np.linalg.norm(a[1])
            stretch = np.linalg.norm(b[1]) / np.linalg.norm(a[1]) - scale
            matrix = matrix + stretch * np.outer(turns[name] @ along, along)
        maps[name] = matrix, target.mean(axis=0) - matrix @ source.mean(axis=0)
    moved = sum(
        weights[:, k, None] * (vertices @ matrix.T + shift)
        for k, (matrix, shift) in enumerate(maps[name] for name in joints)
    )
    return np.asarray(moved), {name: (bones[name].at, bones[name].turn) for name in joints}


def _carrier(name: str, bones: Mapping[str, RestSegment], joints: dict[str, Array]) -> str | None:
    """Return the nearest segment below which one hangs that has a joint."""
    above = bones[name].parent
    while above is not None and above not in joints:
        above = bones[above].parent if above in bones else None
    return above


def _overall(
    joints: dict[str, Array], bones: Mapping[str, RestSegment], parents: dict[str, str | None], where: str
) -> tuple[float, dict[str | None, Array]]:
    """Return the ratio of all bones' lengths, and the rotation {None: R} that takes joints near the figure's."""
    source, target = np.array([joints[n] for n in parents]), np.array([bones[n].at for n in parents])
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    spread = np.linalg.svd(a, compute_uv=False)
    if len(a) < 3 or spread[1] < 1e-3 * spread[0]:
        remedy = "Name more joints (segments=), or give the frames of the segments (rest=)."
        raise InputError("a fit needs three joints that are not on a line", where=where, got=f"{len(a)}", remedy=remedy)
    pairs = [(name, parent) for name, parent in parents.items() if parent is not None]
    long, own = (
        sum(float(np.linalg.norm(np.subtract(at[n], at[m]))) for n, m in pairs)
        for at in ({n: bones[n].at for n in parents}, joints)
    )
    if not pairs or own == 0.0:
        raise InputError("a fit needs a segment that carries another", where=where, got=", ".join(parents))
    return long / own, {None: _rotation(b.T @ a, np.eye(3))}


def _rotation(product: Array, above: Array) -> Array:
    """Return the rotation for which Σ b·(R a) is largest, of a product Σ b aᵀ; what that leaves open is as above."""
    held = product + _HELD * max(float(np.abs(product).max()), 1e-12) * above
    u, _, vt = np.linalg.svd(held)
    return np.asarray(u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)
