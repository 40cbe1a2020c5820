"""A taut line over a surface of any kind."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel, routine
from motiform.geometry.paths.columns import CYLINDER, ELLIPSOID, SPHERE
from motiform.geometry.paths.guess_kernels import ellipsoid, torus
from motiform.geometry.paths.round_kernels import cylinder, sphere
from motiform.spatial.algebra import load3

__all__ = ["wrap", "wrap_lines"]


@routine
def wrap(kind, size, axis, sign, method, p1, p2):
    """Return the action, first and last point on the surface and the arc [m] of the line from p1 to p2."""
    if kind == SPHERE:
        return sphere(size[0], axis, sign, p1, p2)
    if kind == CYLINDER:
        return cylinder(size[0], size[1], axis, sign, p1, p2)
    if kind == ELLIPSOID:
        return ellipsoid(size, axis, sign, method, p1, p2)
    return torus(size[0], size[1], axis, sign, p1, p2)


@kernel
def wrap_lines(i, kind, sizes, axis, sign, method, starts, ends, actions, points, arcs):
    """Wrap line i of many over one surface."""
    size = (sizes[0], sizes[1], sizes[2])
    action, r1, r2, arc = wrap(kind, size, axis, sign, method, load3(starts, i), load3(ends, i))
    actions[i], arcs[i] = action, arc
    points[i, 0], points[i, 1], points[i, 2] = r1
    points[i, 3], points[i, 4], points[i, 5] = r2
