"""Spatial inertia: the 6×6 matrix that takes a twist (ω, v) to a momentum (L, P), both about the frame's origin."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, as_floats
from motiform.spatial.rotation import skew
from motiform.spatial.transform import Transform

__all__ = ["kinetic_energy", "mass_center_inertia", "momentum", "point_inertia", "spatial_inertia", "transform_inertia"]


def point_inertia(mass: ArrayLike, point: ArrayLike) -> Array:
    """Return the inertia [kg·m²] of masses [kg], (...), at points [m], (..., 3), about the origin, (..., 3, 3).

    m ((r·r) 1 − r rᵀ) = m [r]× [r]×ᵀ  [Zara]
    """
    m, r = as_floats(mass, where="mass"), as_floats(point, 3, where="point")
    S = skew(r)
    J: Array = m[..., None, None] * (S @ np.swapaxes(S, -1, -2))
    return J


def spatial_inertia(mass: ArrayLike, com: ArrayLike, inertia: ArrayLike) -> Array:
    """Return the spatial inertia about the frame's origin, (..., 6, 6).

    `mass` [kg] (...), `com` of mass [m] (..., 3), `inertia` [kg·m²] (..., 3, 3) about it, all in one frame.
    [[I + m[c]×[c]×ᵀ, m[c]×], [m[c]×ᵀ, m 1]]  [Featherstone08 §2.13]
    """
    m, c = as_floats(mass, where="mass"), as_floats(com, 3, where="com of mass")
    if (m < 0).any():
        raise InputError("mass must be 0 or more", where="mass", got=m.min(), allowed="zero or more kg")
    J = as_floats(inertia, 3, 3, where="inertia") + point_inertia(m, c)
    offset = m[..., None, None] * skew(c)
    batch = np.broadcast_shapes(J.shape[:-2], offset.shape[:-2])
    M = np.zeros((*batch, 6, 6))
    M[..., :3, :3], M[..., :3, 3:], M[..., 3:, :3] = J, offset, np.swapaxes(offset, -1, -2)
    M[..., 3:, 3:] = m[..., None, None] * np.eye(3)
    return M


def mass_center_inertia(matrix: ArrayLike) -> tuple[Array, Array, Array]:
    """Return mass (...), centre of mass (..., 3) and inertia about it (..., 3, 3) of a spatial inertia (..., 6, 6)."""
    M = as_floats(matrix, 6, 6, where="spatial inertia")
    mass = np.trace(M[..., 3:, 3:], axis1=-2, axis2=-1) / 3.0
    if (mass <= 0).any():
        raise InputError("the mass must be above 0", where="spatial inertia", got=mass, allowed="a mass above zero")
    first = M[..., :3, 3:]  # m [c]×
    c = np.stack([first[..., 2, 1], first[..., 0, 2], first[..., 1, 0]], axis=-1) / mass[..., None]
    return mass, c, M[..., :3, :3] - point_inertia(mass, c)


def transform_inertia(transform: Transform, matrix: ArrayLike) -> Array:
    """Return the spatial inertia of frame b in frame a, with T_a_b, (..., 6, 6): X* I X⁻¹  [Featherstone08 §2.13]."""
    M = as_floats(matrix, 6, 6, where="spatial inertia")
    X = transform.force_matrix()
    moved: Array = X @ M @ np.swapaxes(X, -1, -2)
    return moved


def momentum(matrix: ArrayLike, twist: ArrayLike) -> Array:
    """Return the momentum (L [kg·m²/s] about the origin, P [kg·m/s]) of an inertia that moves, (..., 6)."""
    M, V = as_floats(matrix, 6, 6, where="spatial inertia"), as_floats(twist, 6, where="twist")
    h: Array = (M @ V[..., None])[..., 0]
    return h


def kinetic_energy(matrix: ArrayLike, twist: ArrayLike) -> Array:
    """Return ½ V·I V [J], (...)."""
    V = as_floats(twist, 6, where="twist")
    energy: Array = 0.5 * (V * momentum(matrix, V)).sum(axis=-1)
    return energy
