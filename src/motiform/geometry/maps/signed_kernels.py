"""Distance and gradient from a signed map, for kernels.

A map is a run of cubic B-spline coefficients in a flat float32 array: `first` is where it begins, `n` its numbers of
nodes (nx, ny, nz). Coordinates are counted in nodes from its corner.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from motiform.base.kernels import inline, kernel, routine

__all__ = ["in_map", "nearest_node", "sample", "sample_curved", "write_samples"]


@inline
def _weights(t):
    """Return the four weights of a cubic B-spline at a fraction t of a cell."""
    s = 1.0 - t
    return (
        s * s * s / 6.0,
        (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
        (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0,
        t * t * t / 6.0,
    )


@inline
def _slopes(t):
    """Return the derivatives of the weights."""
    s = 1.0 - t
    return -0.5 * s * s, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), 0.5 * t * t


@inline
def _bends(t):
    """Return the second derivatives of the weights."""
    return 1.0 - t, 3.0 * t - 2.0, 1.0 - 3.0 * t, t


@inline
def in_map(n, u):
    """Return whether the point u [nodes] is where the map is defined."""
    return 1.0 <= u[0] <= n[0] - 2.0 and 1.0 <= u[1] <= n[1] - 2.0 and 1.0 <= u[2] <= n[2] - 2.0


@inline
def nearest_node(c, first, n, u):
    """Return the coefficient [m] of the node nearest to the point u [nodes] inside of the map."""
    return c[first + (int(u[0] + 0.5) * n[1] + int(u[1] + 0.5)) * n[2] + int(u[2] + 0.5)]


@routine
def sample(c, first, n, u):
    """Return (distance [m], its derivatives per node) at the point u [nodes] inside of the map."""
    i, j, k = min(int(u[0]), n[0] - 3), min(int(u[1]), n[1] - 3), min(int(u[2]), n[2] - 3)
    wx, wy, wz = _weights(u[0] - i), _weights(u[1] - j), _weights(u[2] - k)
    dx, dy, dz = _slopes(u[0] - i), _slopes(u[1] - j), _slopes(u[2] - k)
    value, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
    for a in range(4):
        row, row_y, row_z = 0.0, 0.0, 0.0
        for b in range(4):
            at = first + ((i - 1 + a) * n[1] + (j - 1 + b)) * n[2] + k - 1
            line = wz[0] * c[at] + wz[1] * c[at + 1] + wz[2] * c[at + 2] + wz[3] * c[at + 3]
            slope = dz[0] * c[at] + dz[1] * c[at + 1] + dz[2] * c[at + 2] + dz[3] * c[at + 3]
            row += wy[b] * line
            row_y += dy[b] * line
            row_z += wy[b] * slope
        value += wx[a] * row
        gx += dx[a] * row
        gy += wx[a] * row_y
        gz += wx[a] * row_z
    return value, (gx, gy, gz)


@routine
def sample_curved(c, first, n, u):
    """Return (distance [m], derivatives per node, second derivatives per node² xx, yy, zz, xy, xz, yz) at u [nodes]."""
    i, j, k = min(int(u[0]), n[0] - 3), min(int(u[1]), n[1] - 3), min(int(u[2]), n[2] - 3)
    wx, wy, wz = _weights(u[0] - i), _weights(u[1] - j), _weights(u[2] - k)
    dx, dy, dz = _slopes(u[0] - i), _slopes(u[1] - j), _slopes(u[2] - k)
    ex, ey, ez = _bends(u[0] - i), _bends(u[1] - j), _bends(u[2] - k)
    value, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(4):
        r, ry, rz, ryy, rzz, ryz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for b in range(4):
            at = first + ((i - 1 + a) * n[1] + (j - 1 + b)) * n[2] + k - 1
            p, q, v, w = c[at], c[at + 1], c[at + 2], c[at + 3]
            line = wz[0] * p + wz[1] * q + wz[2] * v + wz[3] * w
            slope = dz[0] * p + dz[1] * q + dz[2] * v + dz[3] * w
            bend = ez[0] * p + ez[1] * q + ez[2] * v + ez[3] * w
            r += wy[b] * line
            ry += dy[b] * line
            ryy += ey[b] * line
            rz += wy[b] * slope
            ryz += dy[b] * slope
            rzz += wy[b] * bend
        value += wx[a] * r
        gx += dx[a] * r
        gy += wx[a] * ry
        gz += wx[a] * rz
        xx += ex[a] * r
        yy += wx[a] * ryy
        zz += wx[a] * rzz
        xy += dx[a] * ry
        xz += dx[a] * rz
        yz += wx[a] * ryz
    return value, (gx, gy, gz), (xx, yy, zz, xy, xz, yz)


@kernel
def write_samples(i, points, c, size, corner, out):
    """Write distance and gradient at point i; inf and NaN outside of the map. corner: first node and spacing."""
    h = corner[3]
    n = size[0], size[1], size[2]
    u = (points[i, 0] - corner[0]) / h, (points[i, 1] - corner[1]) / h, (points[i, 2] - corner[2]) / h
    if in_map(n, u):
        d, g = sample(c, 0, n, u)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = d, g[0] / h, g[1] / h, g[2] / h
    else:
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = np.inf, np.nan, np.nan, np.nan
