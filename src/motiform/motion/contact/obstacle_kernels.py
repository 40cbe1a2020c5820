"""Signed distance of points from one obstacle, with its gradient and its Hessian."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import entry
from motiform.geometry.solids.dispatch_kernels import curved_distance
from motiform.spatial.algebra import load3

__all__ = ["many_distances"]


@entry("void(int64, float64[::1], float64[:, ::1], float64[:, ::1], int64[::1])")
def many_distances(kind, sizes, points, out, regions):
    """Write d, n and the Hessian (xx, xy, xz, yy, yz, zz) of points (n, 3) to out (n, 10), and their regions."""
    size = sizes[0], sizes[1], sizes[2], sizes[3]
    for i in range(points.shape[0]):
        d, n, h, region = curved_distance(kind, size, load3(points, i))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = d, n[0], n[1], n[2]
        out[i, 4], out[i, 5], out[i, 6], out[i, 7], out[i, 8], out[i, 9] = h
        regions[i] = region
