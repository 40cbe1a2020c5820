"""Mass, centre of mass and inertia: of a body, of particles, of the volume inside a closed mesh, of parts together."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_amount, check_point, read_only
from motiform.spatial import Transform, point_inertia, spatial_inertia
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["MassProperties", "check_inertia", "check_mass", "particle_mass_properties", "volume_integrals"]

ASYMMETRY = 1e-9  # allowed |I − Iᵀ| over the largest entry: rounding of a product R I Rᵀ, and of printed numbers
FLATNESS = 1e-14  # smallest over largest moment that is still told from zero (rounding of the eigenvalues is 1e-15)
TRIANGLE = 1e-9  # allowed excess of the largest moment over the sum of the others: a flat body meets it exactly


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass and inertia of a rigid body in one frame.

    Attributes
    ----------
    mass : [kg], above zero.
    com : (3,) [m], the centre of mass.
    inertia : (3, 3) [kg·m²], about the centre of mass, positive definite.
    """

    mass: float
    com: Array
    inertia: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", check_mass(self.mass))
        object.__setattr__(self, "com", check_point(self.com, "centre of mass"))
        object.__setattr__(self, "inertia", check_inertia(self.inertia))

    def moved(self, transform: Transform) -> Self:
        """Return the properties seen from frame a, with T_a_b and these in frame b."""
        if transform.batch:
            raise ShapeError(
                "the transform must be a single one", where="moved", got=transform.batch, allowed="a single one"
            )
        R = transform.rotation
        return type(self)(self.mass, transform.point(self.com), R @ self.inertia @ R.T)

    def about(self, point: ArrayLike) -> Array:
        """Return the inertia [kg·m²] about `point` [m], (3, 3): I + m ((d·d) 1 − d dᵀ), the parallel axis theorem."""
        return self.inertia + point_inertia(self.mass, check_point(point, "point") - self.com)

    def __add__(self, other: "MassProperties") -> Self:
        """Return the properties of two bodies in the same frame fixed to one another."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        mass = self.mass + other.mass
        center = self.com + (other.mass / mass) * (other.com - self.com)
        return type(self)(mass, center, self.about(center) + other.about(center))

    def principal(self) -> tuple[Array, Array]:
        """Return the principal moments [kg·m²], rising, (3,), and the rotation R whose columns are their axes.

        I = R diag(moments) Rᵀ. Where moments are equal any axes in their plane are principal; one choice is returned.
        """
        moments, axes = np.linalg.eigh(self.inertia)
        largest = np.abs(axes).argmax(axis=0)
        axes = axes * np.where(axes[largest, [0, 1, 2]] < 0, -1.0, 1.0)  # a sign that does not depend on the library
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return moments, axes

    def spatial(self) -> Array:
        """Return the spatial inertia about the frame's origin, (6, 6)."""
        return spatial_inertia(self.mass, self.com, self.inertia)

    def describe(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON."""
        return {"mass": self.mass, "com": self.com.tolist(), "inertia": self.inertia.tolist()}


def check_mass(mass: Any) -> float:
    """Return a positive mass [kg], or raise an error."""
    return check_amount(mass, "mass", "kg")


def check_inertia(inertia: ArrayLike) -> Array:
    """Return an inertia about the centre of mass [kg·m²] as a read-only (3, 3), or an error if it is impossible."""
    J = as_floats(inertia, 3, 3, where="inertia", error=ShapeError)
    if J.shape != (3, 3):
        raise ShapeError("the array has the wrong shape", where="inertia", got=J.shape, allowed="(3, 3)")
    scale = np.abs(J).max()
    if scale == 0 or not 1e-300 < scale < 1e300:
        raise ShapeError(
            "the inertia vanishes or overflows", got=Words(f"largest entry {scale:g}"), allowed="1e-300 to 1e300"
        )
    scale = 2.0 ** np.frexp(scale)[1]  # a power of two takes no digit
    J = J / scale
    asymmetry = np.abs(J - J.T).max()
    if asymmetry > ASYMMETRY:
        i, j = np.unravel_index(np.abs(J - J.T).argmax(), (3, 3))
        got = Words(f"I[{i},{j}] = {J[i, j] * scale:.9g} and I[{j},{i}] = {J[j, i] * scale:.9g}")
        raise ShapeError("the inertia is not symmetric", got=got, allowed="equal entries across the diagonal")
    J = 0.5 * (J + J.T)
    _check_moments(np.linalg.eigvalsh(J), scale)
    return read_only(J * scale)


def _check_moments(moments: Array, scale: float) -> None:
    low, middle, high = moments
    shown = ", ".join(f"{m:.6g}" for m in moments * scale)
    if low <= FLATNESS * high:
        raise ShapeError(
            "the inertia is not positive definite",
            got=Words(f"principal moments {shown} kg·m²"),
            allowed="three moments above zero",
            remedy="Matter on one line or in one point cannot turn about it: give the body some width.",
        )
    if high - (low + middle) > TRIANGLE * high:
        raise ShapeError(
            "the inertia breaks the triangle inequality: no mass distribution has it",
            got=Words(f"principal moments {shown} kg·m²"),
            allowed="the largest at most the sum of the other two",
            remedy="Check units, signs of the products, and that it is taken about the centre of mass.",
        )


def particle_mass_properties(points: Array, masses: Array) -> MassProperties:
    """Return the mass properties of particles: masses [kg] (n,) at points [m] (n, 3).

    M = Σ m, c = Σ m r / M, I = Σ m ((r·r) 1 − r rᵀ) with r from c  [Zara]
    """
    middle = points.mean(axis=0)  # sums are taken from here, so that a body far from the origin keeps its digits
    mass = masses.sum()
    center = middle + masses @ (points - middle) / mass
    return MassProperties(mass, center, inertia_of_moments(_second_moments(points - center, masses)))


def _second_moments(r: Array, masses: Array) -> Array:
    """Σ m r rᵀ, (3, 3)."""
    moments: Array = (r * masses[:, None]).T @ r
    return moments


def inertia_of_moments(second: Array) -> Array:
    """Return tr(C) 1 − C: the inertia of a body with the second moments C = ∫ r rᵀ dm.

    The diagonal is summed without the term that cancels, so that the small moment of a needle keeps its digits.
    """
    xx, yy, zz = np.diag(second)
    J: Array = -second
    J[[0, 1, 2], [0, 1, 2]] = yy + zz, xx + zz, xx + yy
    return J


def volume_integrals(vertices: Array, faces: NDArray[np.int64]) -> tuple[float, Array, Array]:
    """Return (∫ dV [m³], centroid [m] (3,), ∫ r rᵀ dV [m⁵] about the centroid (3, 3)) inside a closed mesh.

    Exact for polyhedra: the sum over the tetrahedra from a point in the middle to each triangle, each with its sign.
    With d = det(a, b, c) and s = a + b + c a tetrahedron gives d/6, d s/24 and d (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/120: the
    integrals of [Mirtich96] by a shorter road.
    """
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    size = np.abs(vertices - middle).max()
    if size == 0:
        return 0.0, middle, np.zeros((3, 3))
    a, b, c = np.moveaxis(((vertices - middle) / size)[faces], 1, 0)
    d = (a * np.cross(b - a, c - a)).sum(axis=1)  # by edges: the error is of the size of the triangle, not of the body
    s = a + b + c
    volume = d.sum() / 6.0
    if volume == 0:
        return 0.0, middle, np.zeros((3, 3))
    center = d @ s / (24.0 * volume)
    second = sum((_second_moments(v, d) for v in (s, a, b, c)), start=np.zeros((3, 3))) / 120.0
    second = second - volume * np.outer(center, center)
    return float(volume * size**3), middle + size * center, second * size**5
