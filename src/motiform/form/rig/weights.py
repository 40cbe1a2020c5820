"""By how much segments move the vertices of a body: each owns a region of the surface, diffused along it.

The owner of a vertex is the segment whose solids are nearest, and around a joint the one on its side of the plane
through the joint. Diffusion along the surface makes smooth weights of it [BaranPopovic07]: what is near in space but
far along the surface, as the other thigh, has no part in them.
"""

from typing import Any

import numpy as np

from motiform.spatial.checks import Array

__all__ = ["diffused", "owners"]

_WIDE = 0.45  # width of a transition over the thickness of its segment
_NEAR = 1.6  # radius of the region about a joint that its plane cuts, over the depth of the joint under the surface


def owners(points: Array, distance: Array, joints: list[tuple[int, int, Array, Array, float]]) -> Any:
    """Return the segment that each vertex belongs to, (points,).

    Parameters
    ----------
    points, distance : vertices (n, 3) [m], and their distances to the solids of each segment, (n, segments) [m].
    joints : (parent, child, centre [m], unit normal of the plane towards the child, depth under the surface [m]).
    """
    found = distance.argmin(axis=1)
    cut = found.copy()
    for parent, child, centre, normal, depth in joints:
        away = points - centre
        own = (np.linalg.norm(away, axis=1) < _NEAR * depth) & ((found == parent) | (found == child))
        cut[own] = np.where(away[own] @ normal > 0.0, child, parent)
    return cut


def diffused(points: Array, faces: Any, owner: Any, thickness: Array) -> Array:
    """Return weights (points, segments) of sum 1: the solution w of (L + A/l²) w = A/l² p.

    p is 1 for the owner and 0 for others, L the Laplacian of the surface by cotangents, A the area about a vertex and l
    a part of its owner's thickness [m]. Negative cotangents are left out, so that no weight is below 0.
    """
    from scipy.sparse import coo_array, csc_array, diags_array
    from scipy.sparse.linalg import splu

    n = len(points)
    rows, columns, values = [], [], []
    for k in range(3):
        a, b, c = (faces[:, (k + m) % 3] for m in range(3))
        u, v = points[a] - points[c], points[b] - points[c]
        twice = np.maximum(np.linalg.norm(np.cross(u, v), axis=1), 1e-300)
        half = 0.5 * np.maximum(np.einsum("ij,ij->i", u, v) / twice, 1e-3)
        rows += [a, b]
        columns += [b, a]
        values += [half, half]
    links = csc_array(coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), (n, n)))
    x, y, z = (points[faces[:, k]] for k in range(3))
    third = np.linalg.norm(np.cross(y - x, z - x), axis=1) / 6.0
    area = np.bincount(faces.ravel(), np.repeat(third, 3), minlength=n)
    pull = area / (_WIDE * thickness[owner]) ** 2
    system = diags_array(np.asarray(links.sum(axis=0)).ravel() + pull) - links
    wanted = np.zeros((n, len(thickness)))
    wanted[np.arange(n), owner] = pull
    found = np.maximum(
        splu(csc_array(system), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(wanted), 0.0
    )
    return np.asarray(found / found.sum(axis=1, keepdims=True))
