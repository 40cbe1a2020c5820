"""The equations of a contact in NumPy: relative curvature and the rates of the contact frame.  [ContactJoints 4]

`frames` is (p1, R1, p2, R2): the contact frame L in the coordinates of either surface, leading axes are batches.
"""

import numpy as np

from motiform.base.errors import RunError
from motiform.geometry.surfaces import CircleEdge, Surface
from motiform.motion.tree.contact_joints.pairs import CONFORMING, Pair
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import Words

__all__ = ["Frames", "Surfaces", "flat_rates", "point_rates", "relative_curvature", "turn_of_line"]

Surfaces = tuple[Surface, Surface]
Frames = tuple[Array, Array, Array, Array]


def relative_curvature(surfaces: Surfaces, frames: Frames) -> tuple[Array, Array]:
    """Return the eigenvalues of K1 + K2, smaller first, (..., 2), and the size of K1 and K2, (...), all [1/m].

    Across an edge the curvature has no bound. Two edges that cross have only such directions; two that are tangent
    leave no single point, which is zero here.
    """
    one, two = surfaces
    p1, R1, p2, R2 = frames
    T1, T2, n1, n2 = R1[..., :2], R2[..., :2], R1[..., 2], -R2[..., 2]
    if isinstance(one, CircleEdge) and isinstance(two, CircleEdge):
        (d, _), (e, _) = one.bend(p1, T1, n1), two.bend(p2, T2, n2)
        crossed = np.abs(d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]) > CONFORMING
        return _with_infinity(np.where(crossed, np.inf, 0.0)), np.ones(crossed.shape)
    if isinstance(one, CircleEdge):
        return _edge_curvature(*one.bend(p1, T1, n1), two.shape(p2, T2))
    if isinstance(two, CircleEdge):
        return _edge_curvature(*two.bend(p2, T2, n2), one.shape(p1, T1))
    K1, K2 = one.shape(p1, T1), two.shape(p2, T2)
    a, b, c = (K1 + K2)[..., 0, 0], (K1 + K2)[..., 0, 1], (K1 + K2)[..., 1, 1]
    mean, radius = 0.5 * (a + c), np.hypot(0.5 * (a - c), b)
    return np.stack([mean - radius, mean + radius], axis=-1), np.maximum(_size(K1), _size(K2))


def _edge_curvature(d: Array, bend: Array, K: Array) -> tuple[Array, Array]:
    """Along an edge its own curvature κ adds to that of the other surface, κ + d·K d."""
    least = bend + np.einsum("...a,...ab,...b", d, K, d)
    return _with_infinity(least), np.abs(bend) + _size(K)


def _with_infinity(least: Array) -> Array:
    return np.stack([least, np.full_like(least, np.inf)], axis=-1)


def _size(K: Array) -> Array:
    size: Array = np.abs(K[..., 0, 0]) + np.abs(K[..., 1, 1])
    return size


def point_rates(surfaces: Surfaces, frames: Frames, w: Array, v: Array, where: str) -> tuple[Array, Array, Array]:
    """Return ṡ1, ṡ2 and K1 ṡ1, (..., 2) each, from ṡ1 − ṡ2 = v and K1 ṡ1 + K2 ṡ2 = w.

    Both are solved at once for the parameters y1, y2 that move point and normal on the surfaces, so that edges need
    no rule of their own: S1 y1 − S2 y2 = v, M1 y1 + M2 y2 = w.
    """
    p1, R1, p2, R2 = frames
    _check_single_point(surfaces, frames, where)
    S1, M1 = surfaces[0].moves(p1, R1[..., :2], R1[..., 2])
    S2, M2 = surfaces[1].moves(p2, R2[..., :2], -R2[..., 2])
    A = np.concatenate([np.concatenate([S1, -S2], axis=-1), np.concatenate([M1, M2], axis=-1)], axis=-2)
    y = np.linalg.solve(A, np.concatenate([v, w], axis=-1)[..., None])
    y1, y2 = y[..., :2, :], y[..., 2:, :]
    return (S1 @ y1)[..., 0], (S2 @ y2)[..., 0], (M1 @ y1)[..., 0]


def flat_rates(
    surfaces: Surfaces, pair: Pair, frames: Frames, w: Array, v: Array, where: str
) -> tuple[Array, Array, Array]:
    """Return ṡ1, ṡ2 and K1 ṡ1 for a contact along a line (t1) or on a face: the reference point rests on body 2."""
    p1, R1, p2, R2 = frames
    s2, m1 = np.zeros(v.shape), np.zeros(v.shape)
    if pair.contact == "line":
        k1 = surfaces[0].shape(p1, R1[..., :2])[..., 1, 1]
        k2 = surfaces[1].shape(p2, R2[..., :2])[..., 1, 1]
        if not (k1 + k2 > CONFORMING * (np.abs(k1) + np.abs(k2))).all():
            raise _conforming(k1 + k2, where)
        s2[..., 1] = (w[..., 1] - k1 * v[..., 1]) / (k1 + k2)
        m1[..., 1] = k1 * (s2[..., 1] + v[..., 1])
    return s2 + v, s2, m1


def turn_of_line(surface: Surface, x: Array, t1: Array, across: Array) -> Array:
    """Return how fast the line of a cylinder or cone turns about the normal as the contact moves across it, (...).

    All lines of a cone go through its apex: the rate is that over the distance from it, the connection of its chart.
    """
    if surface.kind != "cone":
        return np.zeros_like(across)
    turn: Array = across / (t1 * x).sum(-1)
    return turn


def _check_single_point(surfaces: Surfaces, frames: Frames, where: str) -> None:
    curvature, size = relative_curvature(surfaces, frames)
    if not (curvature[..., 0] > CONFORMING * size).all():
        raise _conforming(curvature[..., 0], where)


def _conforming(curvature: Array, where: str) -> RunError:
    return RunError(
        "the surfaces conform: they do not touch in a single point or line", where=where,
        got=Words(f"relative curvature {np.min(curvature):.3g} per metre"), allowed="above zero",
        remedy="End the run before, with a guard on relative_curvature, or change a radius.",
    )  # fmt: skip
