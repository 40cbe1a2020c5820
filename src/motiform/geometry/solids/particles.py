"""Point masses fixed to one another."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_amount, check_length, check_points, read_only
from motiform.geometry.mass import MassProperties, particle_mass_properties
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.ball import Ball
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, furthest
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["Particles"]


@dataclass(frozen=True, eq=False)
class Particles(Shape):
    """Point masses fixed to one another: they have mass and inertia but no volume.

    Attributes
    ----------
    points : (N, 3) [m].
    masses : (N,) [kg]; one number stands for all.
    radius : [m], of the balls that are drawn; None chooses one from the spread of the points.
    """

    kind: ClassVar[str] = "particles"
    points: Array
    masses: Array
    radius: float | None = None

    def __post_init__(self) -> None:
        points = check_points(self.points, "particle points")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "masses", _check_masses(self.masses, len(points)))
        radius = _drawn_radius(points) if self.radius is None else check_length(self.radius, "particle radius")
        object.__setattr__(self, "radius", radius)

    @property
    def volume(self) -> float:
        """Zero: points have no volume."""
        return 0.0

    def integrals(self) -> Integrals:
        """Reject: points have no volume."""
        raise ShapeError("particles have no volume to fill", remedy="Use mass_properties(), or a mesh or primitive.")

    def mass_properties(self, *, density: float | None = None, mass: float | None = None) -> MassProperties:
        """Return the mass properties of the points, with their own masses or scaled to the whole `mass` [kg]."""
        if density is not None:
            raise ShapeError(
                "particles have masses of their own", got=Words(f"density {density}"), remedy="Give mass= or nothing."
            )
        scale = 1.0 if mass is None else check_amount(mass, "mass", "kg") / self.masses.sum()
        return particle_mass_properties(self.points, self.masses * scale)

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return furthest(self.points, directions) + self._drawn

    @property
    def _drawn(self) -> float:
        return float(self.radius or 0.0)  # never None: chosen when the shape was made

    def pieces(self, placement: Transform) -> list[tuple[Shape, Transform]]:
        """Return a ball around each point."""
        ball = Ball(self._drawn)
        return [(ball, placement @ Transform.translation_of(point)) for point in self.points]

    def stretched(self, stretch: Array) -> "Particles":
        """Return the same particles: points that stand for a body are not stretched."""
        return self

    def to_mesh(self, detail: int = 32) -> Mesh:
        """Return a small ball around each point, with a quarter of the detail."""
        sides = tess.check_detail(max(tess.check_detail(detail) // 4, 6))
        vertices, faces = tess.revolve(tess.sphere_profile(sides), sides)
        surfaces = [(point + vertices * self._drawn, faces) for point in self.points]
        return Mesh(*tess.join_surfaces(surfaces))

    def __repr__(self) -> str:
        return f"Particles({len(self.points)} points, {self.masses.sum():.6g} kg)"


def _check_masses(masses: ArrayLike, count: int) -> Array:
    array = as_floats(masses, where="particle masses", error=ShapeError)
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise ShapeError(
            "the array has the wrong shape", where="particle masses", got=array.shape,
            allowed=f"({count},) as the points",
        )  # fmt: skip
    if not (array > 0).all():
        n = int((array <= 0).argmax())
        raise ShapeError("a mass must be positive", where=f"particle {n}", got=array[n], allowed="above zero")
    check_amount(array.max(), "mass", "kg")
    check_amount(array.min(), "mass", "kg")
    array_read_only: Array = read_only(array)
    return array_read_only


def _drawn_radius(points: Array) -> float:
    """A quarter of the spacing that as many points would have if they filled their box's diagonal cube."""
    spread = float(np.linalg.norm(np.ptp(points, axis=0)))
    return max(0.25 * spread / len(points) ** (1.0 / 3.0), 1e-3 if spread == 0 else 1e-30)
