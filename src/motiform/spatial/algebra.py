"""Vector algebra on tuples, for kernels.

Numba keeps tuples in registers, so kernels written with these functions read like the equations and cost what
hand-unrolled scalars cost. A vector is (x, y, z); a matrix is nine numbers by rows.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline

__all__ = [
    "add", "axpy", "cayley", "cross", "dot", "load3", "load9", "madd", "matmul", "maxpy", "mean3", "mean9",
    "nearest_rotation", "norm", "orthonormal", "rodrigues", "rotation_of_quaternion", "scale", "sub", "tmul",
    "transform",
]  # fmt: skip


@inline
def load3(array, i):
    """Return row i of an (n, 3) array."""
    return array[i, 0], array[i, 1], array[i, 2]


@inline
def load9(array, i):
    """Return row i of an (n, 9) array."""
    return (
        array[i, 0],
        array[i, 1],
        array[i, 2],
        array[i, 3],
        array[i, 4],
        array[i, 5],
        array[i, 6],
        array[i, 7],
        array[i, 8],
    )


@inline
def add(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def sub(a, b):
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def scale(s, a):
    """s a."""
    return s * a[0], s * a[1], s * a[2]


@inline
def axpy(s, a, b):
    """s a + b."""
    return s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2]


@inline
def mean3(a, b):
    """(a + b)/2."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


@inline
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def norm(a):
    """|a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline
def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def transform(m, a):
    """M a."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@inline
def tmul(m, a):
    """Mᵀ a."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@inline
def matmul(m, n):
    """M N."""
    return (
        m[0] * n[0] + m[1] * n[3] + m[2] * n[6],
        m[0] * n[1] + m[1] * n[4] + m[2] * n[7],
        m[0] * n[2] + m[1] * n[5] + m[2] * n[8],
        m[3] * n[0] + m[4] * n[3] + m[5] * n[6],
        m[3] * n[1] + m[4] * n[4] + m[5] * n[7],
        m[3] * n[2] + m[4] * n[5] + m[5] * n[8],
        m[6] * n[0] + m[7] * n[3] + m[8] * n[6],
        m[6] * n[1] + m[7] * n[4] + m[8] * n[7],
        m[6] * n[2] + m[7] * n[5] + m[8] * n[8],
    )


@inline
def madd(m, n):
    """M + N."""
    return (
        m[0] + n[0],
        m[1] + n[1],
        m[2] + n[2],
        m[3] + n[3],
        m[4] + n[4],
        m[5] + n[5],
        m[6] + n[6],
        m[7] + n[7],
        m[8] + n[8],
    )


@inline
def maxpy(s, m, n):
    """s M + N."""
    return (
        s * m[0] + n[0],
        s * m[1] + n[1],
        s * m[2] + n[2],
        s * m[3] + n[3],
        s * m[4] + n[4],
        s * m[5] + n[5],
        s * m[6] + n[6],
        s * m[7] + n[7],
        s * m[8] + n[8],
    )


@inline
def mean9(m, n):
    """(M + N)/2."""
    s = madd(m, n)
    return 0.5 * s[0], 0.5 * s[1], 0.5 * s[2], 0.5 * s[3], 0.5 * s[4], 0.5 * s[5], 0.5 * s[6], 0.5 * s[7], 0.5 * s[8]


@inline
def rodrigues(a, s, c):
    """Return 1 + s [a]× + c [a]×²: for a unit axis a, s = sin x and c = 1 − cos x, the rotation by x [Rodrigues]."""
    x, y, z = a
    return (
        1.0 - c * (y * y + z * z),
        c * x * y - s * z,
        c * x * z + s * y,
        c * x * y + s * z,
        1.0 - c * (x * x + z * z),
        c * y * z - s * x,
        c * x * z - s * y,
        c * y * z + s * x,
        1.0 - c * (x * x + y * y),
    )


@inline
def rotation_of_quaternion(w, x, y, z):
    """Return the rotation of a quaternion of any length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    )


@inline
def cayley(a):
    """Return the Cayley rotation (1 − [a]×/2)⁻¹(1 + [a]×/2): about a, by 2 atan(|a|/2)."""
    s = 1.0 / (1.0 + 0.25 * dot(a, a))
    return rodrigues(a, s, 0.5 * s)


@inline
def orthonormal(m):
    """Return the matrix one Newton step nearer to its rotation, R (3 − RᵀR)/2: enough to remove rounding drift."""
    a, b, c, d, e, f, g, h, k = m
    xx, yy, zz = a * a + d * d + g * g, b * b + e * e + h * h, c * c + f * f + k * k
    xy, xz, yz = a * b + d * e + g * h, a * c + d * f + g * k, b * c + e * f + h * k
    correction = (
        0.5 * (3.0 - xx),
        -0.5 * xy,
        -0.5 * xz,
        -0.5 * xy,
        0.5 * (3.0 - yy),
        -0.5 * yz,
        -0.5 * xz,
        -0.5 * yz,
        0.5 * (3.0 - zz),
    )
    return matmul(m, correction)


@inline
def nearest_rotation(m):
    """Return the rotation nearest to a matrix that is not far from one (columns shorter than √3): Newton to the end."""
    for _ in range(20):
        nearer = orthonormal(m)
        change = 0.0
        for k in range(9):
            change = max(change, math.fabs(nearer[k] - m[k]))
        m = nearer
        if change <= 1e-9:  # the next change would be its square
            break
    return m
